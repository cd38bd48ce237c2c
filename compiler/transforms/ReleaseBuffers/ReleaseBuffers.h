//===- ReleaseBuffers.h - Blocks of rings have been read -------------===//
#ifndef TILE_COMPILER_TRANSFORMS_RELEASEBUFFERS_RELEASEBUFFERS_H
#define TILE_COMPILER_TRANSFORMS_RELEASEBUFFERS_RELEASEBUFFERS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_RELEASEBUFFERS_RELEASEBUFFERS_H
