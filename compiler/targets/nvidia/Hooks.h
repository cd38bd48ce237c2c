//===- Hooks.h - Per-thread code in NVIDIA's instructions -------------------===//
#ifndef TILE_TARGETS_NVIDIA_HOOKS_H
#define TILE_TARGETS_NVIDIA_HOOKS_H

#include "compiler/conversion/TileToGPU/GPUHooks.h"
#include "compiler/targets/nvidia/HopperHooks.h"

namespace tile::nvidia {

class Hooks final : public GPUHooks {
public:
  void registerDialects(mlir::DialectRegistry &registry) const override;
  const RoleHooks *getRoleHooks() const override { return &roles; }
  mlir::Value emitLoad(mlir::ImplicitLocOpBuilder &b, mlir::Type type, const GlobalAccess &access,
                       mlir::Value other) const override;
  void emitStore(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                 const GlobalAccess &access) const override;
  void emitAdditions(mlir::ImplicitLocOpBuilder &b, mlir::Value values, const GlobalAccess &access,
                     MemoryScope scope) const override;
  llvm::StringRef getSyncScope(MemoryScope scope) const override;
  bool fencesForOthers() const override { return true; }
  void emitWarpBarrier(mlir::ImplicitLocOpBuilder &b) const override;
  void emitAsyncCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value destination,
                     const GlobalAccess &access, int64_t bytes) const override;
  void emitAsyncCommit(mlir::ImplicitLocOpBuilder &b) const override;
  void emitAsyncWait(mlir::ImplicitLocOpBuilder &b, unsigned inFlight) const override;
  void emitPublish(mlir::ImplicitLocOpBuilder &b) const override;
  llvm::SmallVector<mlir::Value> emitMatmulBegin(mlir::ImplicitLocOpBuilder &b,
                                                 mlir::ValueRange registers) const override;
  void emitMatmulCommit(mlir::ImplicitLocOpBuilder &b) const override;
  llvm::SmallVector<mlir::Value> emitMatmulWait(mlir::ImplicitLocOpBuilder &b,
                                                mlir::ValueRange accumulators,
                                                unsigned inFlight) const override;
  llvm::SmallVector<mlir::Value> emitMatrixLoad(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                                                unsigned words, bool transposed) const override;
  void emitMatrixStore(mlir::ImplicitLocOpBuilder &b, mlir::Value address, mlir::ValueRange words,
                       bool transposed) const override;
  mlir::Value emitCastOfPair(mlir::ImplicitLocOpBuilder &b, mlir::Value pair,
                             mlir::Type element) const override;
  mlir::Value emitUniform(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const override;

private:
  HopperHooks roles;
};

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_HOOKS_H
