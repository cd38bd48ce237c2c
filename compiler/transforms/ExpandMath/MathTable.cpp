//===- MathTable.cpp - What is expanded, and how exact it is --------------===//
#include "compiler/transforms/ExpandMath/MathTable.h"

#include "compiler/transforms/ExpandMath/Expansions.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tile;

const MathRow *tile::findMathRow(llvm::StringRef function, unsigned bits) {
  static const MathRow rows[] = {
#define TILE_MATH(function, bits, error, allowed, expansion)                                       \
  {#function, bits, error, allowed, Expansion(expand::expansion)},
#include "compiler/transforms/ExpandMath/MathTable.def"
  };
  const MathRow *found = llvm::find_if(
      rows, [&](const MathRow &row) { return row.bits == bits && row.function == function; });
  return found == std::end(rows) ? nullptr : found;
}

Kept tile::isKept(llvm::StringRef function) {
  return llvm::StringSwitch<Kept>(function)
#define TILE_MATH_KEPT(function) .Case(#function, Kept::OnF32AndF64)
#define TILE_MATH_BITS(function) .Case(#function, Kept::OnAnyType)
#include "compiler/transforms/ExpandMath/MathTable.def"
      .Default(Kept::No);
}
