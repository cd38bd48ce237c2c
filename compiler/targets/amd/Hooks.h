//===- Hooks.h - Per-thread code in AMD's words -----------------------------===//
#ifndef TILE_TARGETS_AMD_HOOKS_H
#define TILE_TARGETS_AMD_HOOKS_H

#include "compiler/conversion/TileToGPU/GPUHooks.h"

namespace tile::amd {

/// Loads and stores are the common ones: a predicate is a branch, which costs the
/// hardware one write of its execution mask.
class Hooks final : public GPUHooks {
public:
  void registerDialects(mlir::DialectRegistry &registry) const override;
  llvm::StringRef getSyncScope(MemoryScope scope) const override;
  /// The clock of all units ticks 100 million times a second.
  int64_t getTickNanoseconds() const override { return 10; }
  void emitWarpBarrier(mlir::ImplicitLocOpBuilder &b) const override;
  mlir::Value emitUniform(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const override;
};

/// Keeps accesses to memory on their side. Fences alone do not: where the results
/// of loads are needed in one branch only, LLVM's machine sinking moves the loads
/// there, past fences and barriers, but not past what may write memory.
void emitCompilerFence(mlir::OpBuilder &b, mlir::Location loc);

} // namespace tile::amd

#endif // TILE_TARGETS_AMD_HOOKS_H
