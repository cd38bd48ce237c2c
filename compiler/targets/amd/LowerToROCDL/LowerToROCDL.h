//===- LowerToROCDL.h - From per-thread code to stage llvm ------------------===//
#ifndef TILE_TARGETS_AMD_LOWERTOROCDL_LOWERTOROCDL_H
#define TILE_TARGETS_AMD_LOWERTOROCDL_LOWERTOROCDL_H

#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/targets/amd/LowerToROCDL/LowerToROCDL.h.inc"

} // namespace tile

#endif // TILE_TARGETS_AMD_LOWERTOROCDL_LOWERTOROCDL_H
