//===- LaunchExpression.h - Values that the host can compute --------------===//
//
// What a kernel computes from its arguments alone is known before it runs. The
// runtime evaluates it when it launches the kernel.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_LAUNCHEXPRESSION_LAUNCHEXPRESSION_H
#define TILE_COMPILER_ANALYSIS_LAUNCHEXPRESSION_LAUNCHEXPRESSION_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// Steps of a program on a stack of 64-bit integers; the runtime
/// that launches kernels evaluates them.
enum class LaunchStep : int64_t {
  Constant = 0,   ///< push the number
  Argument = 1,   ///< push the argument of that number
  SignExtend = 2, ///< of the top, from so many bits
  ZeroExtend = 3,
  Add = 4, ///< pop two, push the result, sign-extended from so many bits
  Sub = 5,
  Mul = 6,
  Div = 7, ///< toward zero; x / 0 = x
  Rem = 8, ///< x % 0 = 0
  Max = 9,
  Min = 10,
  ShiftLeft = 11,
  ShiftRight = 12, ///< signed
};

/// The program that computes a number or an address (in bytes): pairs of a step
/// and its number. Nothing where the value depends on more than the arguments,
/// or takes too many steps.
std::optional<llvm::SmallVector<int64_t>> getLaunchExpression(mlir::Value value);
/// Whether all parts of a descriptor have one: the host makes it.
bool isMadeAtLaunch(MakeDescriptorOp desc);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_LAUNCHEXPRESSION_LAUNCHEXPRESSION_H
