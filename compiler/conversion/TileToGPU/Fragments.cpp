//===- Fragments.cpp - Registers by the elements that they hold -------------===//
#include "compiler/conversion/TileToGPU/Fragments.h"
#include "compiler/conversion/TileToGPU/ThreadLowering.h"

using namespace mlir;
using namespace tile;

RegisterTable::RegisterTable(const LinearLayout &layout) {
  for (int32_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg) {
    places.push_back(layout.apply({{Dim::Register, uint64_t(reg)}}));
    registers.try_emplace(places.back(), reg);
  }
}

int32_t RegisterTable::find(const Coordinates &place) const {
  auto found = registers.find(place);
  return found == registers.end() ? -1 : found->second;
}

Fragments::Fragments(MatmulUnit unit, MatmulOperand which, Type block)
    : layout(getLinearLayout(block)), fragment(unit.getFragment(which)), table(layout),
      inside(fragment) {}

SmallVector<int32_t> Fragments::find(const Coordinates &origin) const {
  SmallVector<int32_t> registers;
  for (const Coordinates &offset : inside.getPlaces()) {
    Coordinates place = origin;
    unsigned lead = place.size() - 2;
    for (unsigned dim = 0; dim < 2; ++dim)
      place[lead + dim] = (place[lead + dim] + offset[dim]) % layout.getDimSize(lead + dim);
    registers.push_back(table.find(place));
    if (registers.back() < 0)
      return {};
  }
  return registers;
}

bool Fragments::hasThreadsOfFragment() const {
  unsigned lead = layout.getRank() - 2;
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (int64_t thread = 1; thread < fragment.getInSize(in); thread *= 2) {
      auto here = layout.apply({{in, uint64_t(thread)}});
      auto there = fragment.apply({{in, uint64_t(thread)}});
      for (unsigned dim = 0; dim < 2; ++dim)
        if (here[lead + dim] != there[dim] % layout.getDimSize(lead + dim))
          return false;
    }
  return true;
}

SmallVector<Coordinates> Fragments::getOrigins() const {
  SmallVector<Coordinates> origins;
  SmallVector<int64_t> shape = fragment.getShape();
  for (const Coordinates &place : table.getPlaces())
    if (place[place.size() - 2] % shape[0] == 0 && place.back() % shape[1] == 0)
      origins.push_back(place);
  return origins;
}

Coordinates tile::getPlaceInA(Coordinates acc, int64_t k) {
  acc.back() = k;
  return acc;
}

Coordinates tile::getPlaceInB(Coordinates acc, int64_t k) {
  acc[acc.size() - 2] = k;
  return acc;
}

SmallVector<Value> tile::pick(ArrayRef<Value> values, ArrayRef<int32_t> indices) {
  return llvm::map_to_vector(indices, [&](int32_t i) { return values[i]; });
}
