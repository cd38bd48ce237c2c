//===- LowerToNVVM.h - From per-thread code to stage llvm -------------------===//
#ifndef TILE_TARGETS_NVIDIA_LOWERTONVVM_LOWERTONVVM_H
#define TILE_TARGETS_NVIDIA_LOWERTONVVM_LOWERTONVVM_H

#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/targets/nvidia/LowerToNVVM/LowerToNVVM.h.inc"

} // namespace tile

#endif // TILE_TARGETS_NVIDIA_LOWERTONVVM_LOWERTONVVM_H
