//===- HopperHooks.h - Roles, signals and tensor copies ---------------------===//
#ifndef TILE_TARGETS_NVIDIA_HOPPERHOOKS_H
#define TILE_TARGETS_NVIDIA_HOPPERHOOKS_H

#include "compiler/conversion/TileToGPU/RoleHooks.h"

namespace tile::nvidia {

constexpr int64_t kTensorMapBytes = 128;

/// Signals are mbarriers, descriptors tensor maps, copies those of the tensor
/// memory accelerator.
class HopperHooks final : public RoleHooks {
public:
  mlir::Value emitElect(mlir::ImplicitLocOpBuilder &b) const override;
  void emitBarrier(mlir::ImplicitLocOpBuilder &b, int64_t id, int64_t threads) const override;
  void emitShareRegisters(mlir::ImplicitLocOpBuilder &b, int64_t registers,
                          bool more) const override;
  void emitMeetEverywhere(mlir::ImplicitLocOpBuilder &b) const override;
  void emitInitSignal(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                      int64_t arrivals) const override;
  void emitPublishSignals(mlir::ImplicitLocOpBuilder &b) const override;
  void emitAcquire(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                   mlir::Value phase) const override;
  void emitArrive(mlir::ImplicitLocOpBuilder &b, mlir::Value address, mlir::Value predicate,
                  mlir::Value part) const override;
  void emitArriveCopies(mlir::ImplicitLocOpBuilder &b, mlir::Value address) const override;
  void emitExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value address, int64_t bytes,
                  int64_t arrivals) const override;
  void describeArgument(mlir::func::FuncOp function, unsigned index) const override;
  void emitPrefetchDescriptor(mlir::ImplicitLocOpBuilder &b, mlir::Value desc) const override;
  void emitBlockCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value destination, mlir::Value desc,
                     mlir::ValueRange indices, mlir::Value signal, int64_t parts) const override;
  void emitBlockStore(mlir::ImplicitLocOpBuilder &b, mlir::Value source, mlir::Value desc,
                      mlir::ValueRange indices, std::optional<AtomicKind> kind) const override;
  void emitCommitBlockStores(mlir::ImplicitLocOpBuilder &b) const override;
  void emitAwaitBlockStores(mlir::ImplicitLocOpBuilder &b, unsigned inFlight,
                            bool written) const override;
  int64_t getDescriptorBytes() const override { return kTensorMapBytes; }
  mlir::Value emitClaimDescriptors(mlir::ImplicitLocOpBuilder &b, int64_t count) const override;
  void emitReleaseDescriptors(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                              int64_t count) const override;
  void emitSetDescriptor(mlir::ImplicitLocOpBuilder &b, mlir::Value desc, mlir::Value draft,
                         mlir::Value like, mlir::Value base, mlir::ValueRange sizes,
                         mlir::ValueRange strides) const override;
  void emitPublishDescriptors(mlir::ImplicitLocOpBuilder &b) const override;
  void emitAcquireDescriptors(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange descs) const override;
};

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_HOPPERHOOKS_H
