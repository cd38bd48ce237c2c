//===- OffsetEmitter.h - Offsets as arithmetic -----------------------------===//
//
// Writes an AccessMap, or any linear map, down with a caller's operations: IR
// builders in lowerings, plain integers in tests.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_OFFSETEMITTER_H
#define TILE_ANALYSIS_LINEARLAYOUT_OFFSETEMITTER_H

#include "compiler/analysis/LinearLayout/Access.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <map>

namespace tile {

// `Ops` provides a copyable `Value` and, on unsigned 32-bit numbers,
//   Value constant(int64_t);  Value getIndex(Dim);  // Lane, Warp or Block
//   Value bitXor(Value, Value);  Value bitAnd(Value, int64_t mask);
//   Value shiftLeft(Value, unsigned);  Value shiftRight(Value, unsigned);
//   Value add(Value, Value);  Value mul(Value, int64_t);
//   Value div(Value, int64_t);  Value rem(Value, int64_t);

/// The image of `index` under `columns`: input bits that move by the same
/// distance go together, so a swizzle takes two terms. Bits of `index` beyond
/// `columns` are ignored; nothing if the image is always 0.
template <typename Ops>
std::optional<typename Ops::Value> emitLinear(Ops &ops, llvm::ArrayRef<uint64_t> columns,
                                              typename Ops::Value index) {
  std::map<int, uint64_t> maskOfDistance;
  for (auto [bit, column] : llvm::enumerate(columns))
    for (uint64_t rest = column; rest != 0; rest &= rest - 1)
      maskOfDistance[llvm::countr_zero(rest) - int(bit)] |= uint64_t(1) << bit;
  std::optional<typename Ops::Value> sum;
  for (auto [distance, mask] : maskOfDistance) {
    typename Ops::Value term = ops.bitAnd(index, int64_t(mask));
    if (distance > 0)
      term = ops.shiftLeft(term, distance);
    else if (distance < 0)
      term = ops.shiftRight(term, -distance);
    sum = sum ? ops.bitXor(*sum, term) : term;
  }
  return sum;
}

/// Offsets of one AccessMap, in elements. What depends on the thread is emitted
/// once, when first needed.
template <typename Ops> class OffsetEmitter {
public:
  using Value = typename Ops::Value;
  /// The offset is `base` + `immediate`; equal bases are emitted once.
  struct Offset {
    Value base;
    int64_t immediate;
  };

  OffsetEmitter(const AccessMap &access, Ops &ops) : access(access), ops(ops) {
    threadPart = emitThread(access.getLinear());
    for (const AccessMap::Group &group : access.getGroups())
      threadValues.push_back(group.dependsOnThread() ? emitThreadValue(group) : std::nullopt);
  }

  Offset getOffset(int64_t reg) {
    const LinearMap &linear = access.getLinear();
    uint64_t exclusive = linear.applyDim(Dim::Register, getTileIndex(linear, reg));
    int64_t immediate = 0;
    llvm::SmallVector<Value> moving; // values of groups that depend on the thread
    llvm::SmallVector<const AccessMap::Group *> movingGroups;
    for (auto [group, threadValue] : llvm::zip(access.getGroups(), threadValues)) {
      auto [flipped, added] = getRegisterValue(group, reg);
      if (!threadValue) {
        foldValue(group, flipped + added, exclusive, immediate);
        continue;
      }
      Value value = flipped ? ops.bitXor(*threadValue, ops.constant(flipped)) : *threadValue;
      moving.push_back(added ? ops.add(value, ops.constant(added)) : value);
      movingGroups.push_back(&group);
    }
    uint64_t threadBits = access.getThreadBits();
    immediate += exclusive & ~threadBits;
    Value base = getBase(exclusive & threadBits);
    for (auto [group, value] : llvm::zip(movingGroups, moving))
      base = ops.bitXor(base, emitLow(*group, value));
    for (auto [group, value] : llvm::zip(movingGroups, moving))
      base = emitOuter(*group, value, base);
    return {base, immediate};
  }

private:
  static uint64_t getTileIndex(const LinearMap &map, int64_t reg) {
    return uint64_t(reg) & ((uint64_t(1) << map.getInBits(Dim::Register)) - 1);
  }

  std::optional<Value> emitThread(const LinearMap &map) {
    std::optional<Value> sum;
    for (DimBits in : map.getIns()) {
      if (in.dim == Dim::Register ||
          llvm::all_of(map.getColumns(in.dim), [](uint64_t column) { return column == 0; }))
        continue;
      std::optional<Value> term = emitLinear(ops, map.getColumns(in.dim), ops.getIndex(in.dim));
      sum = sum ? ops.bitXor(*sum, *term) : *term;
    }
    return sum;
  }

  std::optional<Value> emitThreadValue(const AccessMap::Group &group) {
    std::optional<Value> sum = emitThread(group.tile);
    for (const AccessMap::Digit &digit : group.digits) {
      if (digit.in == Dim::Register)
        continue;
      Value term = ops.rem(ops.div(ops.getIndex(digit.in), digit.divisor), digit.count);
      term = ops.mul(term, digit.weight);
      sum = sum ? ops.add(*sum, term) : term;
    }
    return sum;
  }

  /// What a register XORs into a group's value, and what it then adds. The XOR
  /// stays below the weights of all digits.
  static std::pair<int64_t, int64_t> getRegisterValue(const AccessMap::Group &group, int64_t reg) {
    int64_t added = 0;
    for (const AccessMap::Digit &digit : group.digits)
      if (digit.in == Dim::Register)
        added += reg / digit.divisor % digit.count * digit.weight;
    return {group.tile.applyDim(Dim::Register, getTileIndex(group.tile, reg)), added};
  }

  static void foldValue(const AccessMap::Group &group, int64_t value, uint64_t &exclusive,
                        int64_t &immediate) {
    for (uint64_t low : group.low) {
      exclusive ^= value & 1 ? low : 0;
      value >>= 1;
    }
    for (const AccessMap::OuterDigit &outer : group.outer) {
      immediate += value % outer.count * outer.stride;
      value /= outer.count;
    }
  }

  Value emitLow(const AccessMap::Group &group, Value value) {
    std::optional<Value> low = emitLinear(ops, group.low, value);
    return low ? *low : ops.constant(0);
  }

  Value emitOuter(const AccessMap::Group &group, Value value, Value base) {
    value = ops.shiftRight(value, group.low.size());
    for (auto [i, outer] : llvm::enumerate(group.outer)) {
      bool last = i + 1 == group.outer.size();
      Value digit = last ? value : ops.rem(value, outer.count);
      base = ops.add(base, ops.mul(digit, outer.stride));
      if (!last)
        value = ops.div(value, outer.count);
    }
    return base;
  }

  Value getBase(uint64_t exclusive) {
    auto known = bases.find(exclusive);
    if (known != bases.end())
      return known->second;
    Value base = !threadPart ? ops.constant(exclusive)
                 : exclusive ? ops.bitXor(*threadPart, ops.constant(exclusive))
                             : *threadPart;
    bases.insert({exclusive, base});
    return base;
  }

  const AccessMap access;
  Ops &ops;
  std::optional<Value> threadPart;
  llvm::SmallVector<std::optional<Value>, 2> threadValues;
  std::map<uint64_t, Value> bases;
};

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_OFFSETEMITTER_H
