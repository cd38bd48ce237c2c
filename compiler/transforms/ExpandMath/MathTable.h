//===- MathTable.h - What is expanded, and how exact it is ----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDMATH_MATHTABLE_H
#define TILE_COMPILER_TRANSFORMS_EXPANDMATH_MATHTABLE_H

#include "compiler/transforms/Elementwise/Lanes.h"

namespace tile {

/// A function of one or two arguments.
class Expansion {
public:
  Expansion(Lanes (*unary)(Lanes)) : unary(unary) {}
  Expansion(Lanes (*binary)(Lanes, Lanes)) : binary(binary) {}
  Lanes operator()(llvm::ArrayRef<Lanes> arguments) const {
    return unary ? unary(arguments[0]) : binary(arguments[0], arguments[1]);
  }

private:
  Lanes (*unary)(Lanes) = nullptr;
  Lanes (*binary)(Lanes, Lanes) = nullptr;
};

/// A row of MathTable.def; errors are in units in the last place.
struct MathRow {
  llvm::StringRef function;
  unsigned bits;
  double error;
  double allowed;
  Expansion expand;
};

/// The row of a function, named as in `math`, on floats of `bits` bits; or null.
const MathRow *findMathRow(llvm::StringRef function, unsigned bits);

/// How a function stays as it is on every target.
enum class Kept { No, OnF32AndF64, OnAnyType };
Kept isKept(llvm::StringRef function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDMATH_MATHTABLE_H
