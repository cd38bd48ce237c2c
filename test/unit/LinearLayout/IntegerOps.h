//===- IntegerOps.h - OffsetEmitter on plain integers -----------------------===//
//
// "Emits" arithmetic by doing it, for one thread.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TEST_UNIT_LINEARLAYOUT_INTEGEROPS_H
#define TILE_TEST_UNIT_LINEARLAYOUT_INTEGEROPS_H

#include "compiler/analysis/LinearLayout/LinearMap.h"

namespace tile::test {

struct IntegerOps {
  using Value = uint64_t;
  int64_t lane, warp;
  Value constant(int64_t value) { return value; }
  Value getIndex(Dim in) { return in == Dim::Lane ? lane : in == Dim::Warp ? warp : 0; }
  Value bitXor(Value a, Value b) { return a ^ b; }
  Value bitAnd(Value a, int64_t mask) { return a & uint64_t(mask); }
  Value shiftLeft(Value a, unsigned bits) { return a << bits; }
  Value shiftRight(Value a, unsigned bits) { return a >> bits; }
  Value add(Value a, Value b) { return a + b; }
  Value mul(Value a, int64_t b) { return a * b; }
  Value div(Value a, int64_t b) { return a / b; }
  Value rem(Value a, int64_t b) { return a % b; }
};

} // namespace tile::test

#endif // TILE_TEST_UNIT_LINEARLAYOUT_INTEGEROPS_H
