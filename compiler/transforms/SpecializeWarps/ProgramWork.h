//===- ProgramWork.h - How much work programs are -------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMWORK_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMWORK_H

#include "dialects/tile/IR/TileOps.h"

#include <optional>

namespace tile {

/// What loops' bounds tell of a grid's programs.
struct ProgramWork {
  /// The axis along which they do more and more, or less and less; none: they are alike.
  std::optional<uint32_t> axis;
  bool grows = false;
};

/// Nothing: it depends on something else than a program's place, or goes up and down.
std::optional<ProgramWork> getProgramWork(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMWORK_H
