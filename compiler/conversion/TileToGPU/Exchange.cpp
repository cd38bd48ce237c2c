//===- Exchange.cpp - Moving a block between register layouts ---------------===//
//
// Walks the plans of analysis/LinearLayout/Conversion.h and emits each step.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

FailureOr<Value> Exchange::convert(Value vector, const LinearLayout &source,
                                   const LinearLayout &result, ArrayRef<int64_t> shape) {
  Type element = cast<VectorType>(vector.getType()).getElementType();
  ConversionPlan plan =
      planConversion(source, result, shape, getConversionFacts(t.target, element));
  if (auto *unsupported = std::get_if<UnsupportedPlan>(&plan.steps))
    return op->emitOpError("cannot move its block between threads: ") << unsupported->reason;
  if (auto *registers = std::get_if<RegisterPlan>(&plan.steps))
    return apply(*registers, vector);
  if (auto *shuffles = std::get_if<ShufflePlan>(&plan.steps))
    return apply(*shuffles, vector);
  if (auto *memory = std::get_if<MemoryPlan>(&plan.steps)) {
    // Of warps that hold copies one writes: fewer accesses, and no two to one place.
    Value writes = memory->isWithinWarps ? Value() : emitWarpOwnership(t.b, t.scope, source);
    return apply(MemoryMove{*memory, vector}, result.getInSize(Dim::Register), writes).front();
  }
  return vector;
}

LogicalResult Exchange::convert(MutableArrayRef<Value> vectors, const LinearLayout &source,
                                const LinearLayout &result, ArrayRef<int64_t> shape) {
  auto elements = llvm::map_to_vector(
      vectors, [](Value vector) { return cast<VectorType>(vector.getType()).getElementType(); });
  JointMove joint = planJointMove(t.target, elements, source, result, shape);
  if (joint.isAtOnce) {
    SmallVector<MemoryMove> moves;
    for (auto [plan, vector, offset] : llvm::zip(joint.plans, vectors, joint.offsets))
      moves.push_back({std::get<MemoryPlan>(plan.steps), vector, offset});
    llvm::copy(
        apply(moves, result.getInSize(Dim::Register), emitWarpOwnership(t.b, t.scope, source)),
        vectors.begin());
    return success();
  }
  for (Value &vector : vectors) {
    FailureOr<Value> moved = convert(vector, source, result, shape);
    if (failed(moved))
      return failure();
    vector = *moved;
  }
  return success();
}

Value Exchange::apply(const RegisterPlan &plan, Value vector) {
  return t.shuffle(vector, plan.source);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// registers[r ^ flips(thread)], by one select a register and bit of `flips`.
static SmallVector<Value> selectByThread(ThreadLowering &t, const LinearMap &flips,
                                         SmallVector<Value> registers) {
  for (unsigned bit = 0, end = flips.getOutBits(Dim::Register); bit < end; ++bit) {
    LinearMap selector(flips.getIns(), {{Dim::Offset, 1}});
    for (DimBits in : flips.getIns())
      for (unsigned inBit = 0; inBit < in.bits; ++inBit)
        selector.setColumn(in.dim, inBit, Dim::Offset,
                           flips.getColumn(in.dim, inBit, Dim::Register) >> bit & 1);
    Value parity = emitThreadPart(t.b, t.scope, selector, Dim::Offset);
    if (!parity)
      continue;
    Value flipped = createEquals(t.b, parity, 1);
    SmallVector<Value> chosen;
    for (size_t reg = 0; reg < registers.size(); ++reg) {
      Value other = registers[reg ^ (size_t(1) << bit)];
      chosen.push_back(arith::SelectOp::create(t.b, flipped, other, registers[reg]));
    }
    registers = std::move(chosen);
  }
  return registers;
}

/// Whether `map` takes each lane to itself.
static bool isOwnLane(const LinearMap &map) {
  for (DimBits in : map.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (map.getColumn(in.dim, bit, Dim::Lane) !=
          (in.dim == Dim::Lane ? uint64_t(1) << bit : uint64_t(0)))
        return false;
  return true;
}

/// Several narrow registers travel in one word.
SmallVector<Value> Exchange::shuffleRound(const ShufflePlan &plan, const ShufflePlan::Round &round,
                                          ArrayRef<Value> sent) {
  ImplicitLocOpBuilder &b = t.b;
  Type type = sent.front().getType();
  SmallVector<Value> bits;
  for (int32_t source : round.sources)
    bits.push_back(toBits(b, sent[source]));
  unsigned width = bits.front().getType().getIntOrFloatBitWidth();
  Type word = b.getIntegerType(std::max(32u, width));
  Value joined = bits.front();
  if (bits.size() > 1) {
    joined = arith::ExtUIOp::create(b, word, joined);
    for (auto [i, part] : llvm::enumerate(llvm::drop_begin(bits))) {
      Value high = createShift(b, arith::ExtUIOp::create(b, word, part), width * (i + 1));
      joined = arith::OrIOp::create(b, joined, high);
    }
  }
  Value from;
  if (!isOwnLane(plan.from)) {
    from = emitThreadPart(b, t.scope, plan.from, Dim::Lane);
    from = from ? from : createI32(b, 0);
  }
  Value moved = emitBitShuffle(t, joined, from, round.laneXor);
  if (bits.size() == 1)
    return {fromBits(b, moved, type)};
  SmallVector<Value> got;
  for (size_t i = 0; i < bits.size(); ++i) {
    Value part = createShiftRight(b, moved, width * i);
    got.push_back(fromBits(b, arith::TruncIOp::create(b, bits.front().getType(), part), type));
  }
  return got;
}

Value Exchange::apply(const ShufflePlan &plan, Value vector) {
  SmallVector<Value> sent = selectByThread(t, plan.send, t.unpack(vector));
  Value anything = sent.front();
  SmallVector<Value> got(plan.resultRegisters, anything);
  for (const ShufflePlan::Round &round : plan.rounds) {
    SmallVector<Value> values = shuffleRound(plan, round, sent);
    for (auto [value, reg] : llvm::zip(values, round.results))
      got[reg] = value;
  }
  got = selectByThread(t, plan.receive, std::move(got));
  for (auto [copy, original] : plan.copies)
    got[copy] = got[original];
  return t.pack(got);
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

namespace {
/// What a thread writes to scratch memory and reads from it, of one value.
class ScratchAccess {
public:
  ScratchAccess(ThreadLowering &t, const MemoryPlan &plan, Value vector, int64_t results,
                Value base)
      : t(t), plan(plan), vector(vector),
        element(cast<VectorType>(vector.getType()).getElementType()),
        bytes(getMemoryBits(element) / 8), toWrite(t.b, t.scope, plan.write, bytes, base),
        toRead(t.b, t.scope, plan.read, bytes, base), registers(results) {}

  void write(const MemoryPlan::Pass &pass) {
    for (const VectorAccess &access : pass.writes) {
      Value value = toMemory(t.b, t.shuffle(vector, access));
      t.memory.store(t.b, value, toWrite.get(access.front(), pass.base), bytes * plan.writeWidth);
    }
  }

  void read(const MemoryPlan::Pass &pass) {
    auto type = VectorType::get(plan.readWidth, element);
    auto inMemory = type.clone(getMemoryType(element));
    for (const VectorAccess &access : pass.reads) {
      ThreadOffsets::Offset offset = toRead.get(access.front(), pass.base);
      Value value =
          fromMemory(t.b, t.memory.load(t.b, inMemory, offset, bytes * plan.readWidth), type);
      for (auto [i, reg] : llvm::enumerate(access))
        registers[reg] = t.extract(value, i);
    }
  }

  /// What has been read in all passes.
  Value getResult() {
    for (auto [copy, original] : plan.copies)
      registers[copy] = registers[original];
    // Registers of padding are in no access.
    for (Value &reg : registers)
      if (!reg)
        reg = arith::ConstantOp::create(t.b, cast<TypedAttr>(t.b.getZeroAttr(element)));
    return t.pack(registers);
  }

private:
  ThreadLowering &t;
  const MemoryPlan &plan;
  Value vector;
  Type element;
  unsigned bytes;
  ThreadOffsets toWrite, toRead;
  SmallVector<Value> registers;
};
} // namespace

SmallVector<Value> Exchange::apply(ArrayRef<MemoryMove> moves, int64_t results, Value writes) {
  ImplicitLocOpBuilder &b = t.b;
  const MemoryPlan &first = moves.front().plan;
  auto barrier = [&] { first.isWithinWarps ? t.scope.emitWarpBarrier(b) : t.scope.emitBarrier(b); };
  const MemoryMove &last = moves.back();
  auto base = static_cast<int32_t>(t.memory.getScratch(op, last.offset + last.plan.scratchBytes));
  SmallVector<std::unique_ptr<ScratchAccess>> accesses;
  for (const MemoryMove &move : moves)
    accesses.push_back(std::make_unique<ScratchAccess>(t, move.plan, move.vector, results,
                                                       createI32(b, base + move.offset)));
  // What the scratch memory held before has been read when all have met; where only this
  // warp may still read there, in the round of a loop before, when the warp has.
  if (!std::exchange(isFree, false))
    t.scope.emitBarrier(b);
  else if (first.isWithinWarps)
    t.scope.emitWarpBarrier(b);
  for (size_t pass = 0; pass < first.passes.size(); ++pass) {
    if (pass > 0)
      barrier();
    auto writeAll = [&] {
      for (auto [access, move] : llvm::zip(accesses, moves))
        access->write(move.plan.passes[pass]);
    };
    if (!writes) {
      writeAll();
    } else {
      auto conditional = scf::IfOp::create(b, writes, /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(conditional.thenBlock());
      writeAll();
    }
    barrier();
    for (auto [access, move] : llvm::zip(accesses, moves))
      access->read(move.plan.passes[pass]);
  }
  return llvm::map_to_vector(accesses, [](auto &access) { return access->getResult(); });
}

FailureOr<Value> Exchange::broadcastFromOwners(Value vector, const LinearLayout &layout,
                                               ArrayRef<int64_t> shape) {
  Value owns = emitOwnership(t.b, t.scope, layout);
  if (!owns)
    return vector;
  Type element = cast<VectorType>(vector.getType()).getElementType();
  std::optional<MemoryPlan> plan =
      planMemory(layout, layout, shape, getConversionFacts(t.target, element));
  if (!plan)
    return op->emitOpError("cannot share its result between threads that hold copies");
  return apply(MemoryMove{*plan, vector}, layout.getInSize(Dim::Register), owns).front();
}

Value Exchange::broadcastFromFirst(Value scalar) {
  ImplicitLocOpBuilder &b = t.b;
  unsigned bytes = getMemoryBits(scalar.getType()) / 8;
  ThreadOffsets::Offset place{createI32(b, t.memory.getScratch(op, bytes)), 0};
  if (!isFree)
    t.scope.emitBarrier(b);
  auto first = scf::IfOp::create(b, createEquals(b, t.scope.getThread(), 0),
                                 /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    t.memory.store(b, toMemory(b, scalar), place, bytes);
  }
  t.scope.emitBarrier(b);
  Value read = t.memory.load(b, getMemoryType(scalar.getType()), place, bytes);
  return fromMemory(b, read, scalar.getType());
}
