//===- RoleHooks.h - What a GPU with warp roles emits -----------------------===//
//
// Signals, copies of whole blocks, and roles: for targets that have them.
// Addresses are of on-chip memory; each function is for one thread, unless it
// says otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_ROLEHOOKS_H
#define TILE_CONVERSION_TILETOGPU_ROLEHOOKS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

class RoleHooks {
public:
  virtual ~RoleHooks() = default;

  //===--- Roles --------------------------------------------------------------===//

  /// True on one thread of a warp, all of which are here.
  virtual mlir::Value emitElect(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// `threads` threads meet and see each other's writes; others with another `id`.
  virtual void emitBarrier(mlir::ImplicitLocOpBuilder &b, int64_t id, int64_t threads) const = 0;
  /// All threads of a role have `registers` from here on: more than before, or fewer.
  virtual void emitShareRegisters(mlir::ImplicitLocOpBuilder &b, int64_t registers,
                                  bool more) const = 0;

  //===--- Thread blocks ------------------------------------------------------===//

  /// All threads of the program's thread blocks meet, and see each other's writes.
  virtual void emitMeetEverywhere(mlir::ImplicitLocOpBuilder &b) const = 0;

  //===--- Signals ------------------------------------------------------------===//

  virtual void emitInitSignal(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                              int64_t arrivals) const = 0;
  /// What signals were made is visible behind the next barrier, also to copies.
  virtual void emitPublishSignals(mlir::ImplicitLocOpBuilder &b) const = 0;
  virtual void emitAcquire(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                           mlir::Value phase) const = 0;
  /// Where the predicate is true, or null; at the signal at the same address of thread
  /// block `part` of the program, if it is given.
  virtual void emitArrive(mlir::ImplicitLocOpBuilder &b, mlir::Value address, mlir::Value predicate,
                          mlir::Value part) const = 0;
  /// An arrival of this thread, once all its asynchronous copies so far are complete.
  virtual void emitArriveCopies(mlir::ImplicitLocOpBuilder &b, mlir::Value address) const = 0;
  virtual void emitExpect(mlir::ImplicitLocOpBuilder &b, mlir::Value address, int64_t bytes,
                          int64_t arrivals) const = 0;

  //===--- Copies of blocks ---------------------------------------------------===//

  /// State of argument `index`, a pointer now, that it is a descriptor.
  virtual void describeArgument(mlir::func::FuncOp function, unsigned index) const = 0;
  /// Bring the descriptor near before the first copy by it.
  virtual void emitPrefetchDescriptor(mlir::ImplicitLocOpBuilder &b, mlir::Value desc) const = 0;
  /// Start copying the box at `indices`, of the slowest dimension first, to the same
  /// address of `parts` thread blocks of the program; with one, to this one's.
  virtual void emitBlockCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value destination,
                             mlir::Value desc, mlir::ValueRange indices, mlir::Value signal,
                             int64_t parts) const = 0;
  /// Start writing a box, or combining it with what is there.
  virtual void emitBlockStore(mlir::ImplicitLocOpBuilder &b, mlir::Value source, mlir::Value desc,
                              mlir::ValueRange indices, std::optional<AtomicKind> kind) const = 0;
  /// The stores since the last call are a group.
  virtual void emitCommitBlockStores(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Wait until at most the `inFlight` latest groups still read, or have not `written`.
  virtual void emitAwaitBlockStores(mlir::ImplicitLocOpBuilder &b, unsigned inFlight,
                                    bool written) const = 0;

  //===--- Descriptors that programs make -------------------------------------===//

  /// Bytes of one, which divide its address.
  virtual int64_t getDescriptorBytes() const = 0;
  /// The address of places in global memory for `count` descriptors, which no other
  /// program on the machine has.
  virtual mlir::Value emitClaimDescriptors(mlir::ImplicitLocOpBuilder &b, int64_t count) const = 0;
  virtual void emitReleaseDescriptors(mlir::ImplicitLocOpBuilder &b, mlir::Value first,
                                      int64_t count) const = 0;
  /// Make a descriptor like another one, of another array, by way of the on-chip memory at
  /// `draft`: sizes and strides (in bytes) of the slowest dimension first.
  virtual void emitSetDescriptor(mlir::ImplicitLocOpBuilder &b, mlir::Value desc, mlir::Value draft,
                                 mlir::Value like, mlir::Value base, mlir::ValueRange sizes,
                                 mlir::ValueRange strides) const = 0;
  /// What this thread has made can be acquired.
  virtual void emitPublishDescriptors(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// Copies that this thread starts later see what was published before.
  virtual void emitAcquireDescriptors(mlir::ImplicitLocOpBuilder &b,
                                      mlir::ValueRange descs) const = 0;
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_ROLEHOOKS_H
