//===- GPUHooks.h - What a GPU target emits in its own way ------------------===//
//
// The neutral side of the conversion to per-thread code asks a target for the
// few instructions that no upstream dialect says for all GPUs. Each has a plain
// default, so that a target overrides what it can do better.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_GPUHOOKS_H
#define TILE_CONVERSION_TILETOGPU_GPUHOOKS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

class RoleHooks;

/// One access of a thread to global memory.
struct GlobalAccess {
  mlir::Value pointer;
  /// Null: the access happens on every thread.
  mlir::Value predicate;
  /// Of an asynchronous copy: how many bytes are read, an i32; what follows them becomes zero.
  /// Null: all of them.
  mlir::Value bytes;
  CacheModifier cache = CacheModifier::None;
  EvictionPolicy eviction = EvictionPolicy::Normal;
  bool isVolatile = false;
  /// Bytes that the address is a multiple of.
  unsigned alignment = 1;

  bool isPlain() const {
    return cache == CacheModifier::None && eviction == EvictionPolicy::Normal && !isVolatile;
  }
};

class GPUHooks {
public:
  virtual ~GPUHooks() = default;

  /// Dialects of what is emitted, beyond the common ones.
  virtual void registerDialects(mlir::DialectRegistry &registry) const {}

  /// What a target with warp roles emits for them; null: it has none.
  virtual const RoleHooks *getRoleHooks() const { return nullptr; }

  /// Read a value of `type` (a scalar or a vector of rank 1 as memory holds
  /// it). Where the predicate is false: no access, and the result is `other`.
  virtual mlir::Value emitLoad(mlir::ImplicitLocOpBuilder &b, mlir::Type type,
                               const GlobalAccess &access, mlir::Value other) const;

  /// Write `value` where the predicate is true.
  virtual void emitStore(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                         const GlobalAccess &access) const;

  /// Add each element of a vector of floats to the one in memory, atomically by
  /// itself, without asking what was there. For targets with the fact
  /// `atomic_add_bits`: the most bits of such a vector.
  virtual void emitAdditions(mlir::ImplicitLocOpBuilder &b, mlir::Value values,
                             const GlobalAccess &access, MemoryScope scope) const {
    llvm_unreachable("the target states no additions of vectors");
  }

  /// LLVM's name of the threads that observe an ordering.
  virtual llvm::StringRef getSyncScope(MemoryScope scope) const = 0;

  /// Whether a thread's fence orders also what others did before they met it in a barrier.
  virtual bool fencesForOthers() const { return false; }

  /// Nanoseconds on a clock that all programs read, as i64.
  mlir::Value emitTimer(mlir::ImplicitLocOpBuilder &b) const;
  /// How much time passes between two ticks of that clock.
  virtual int64_t getTickNanoseconds() const { return 1; }

  /// The threads of one warp see each other's writes to on-chip memory.
  virtual void emitWarpBarrier(mlir::ImplicitLocOpBuilder &b) const;

  /// Start copying `bytes` from global memory to `destination`, an address of
  /// on-chip memory; where the predicate is false, zeros are written and nothing
  /// is read. Without such an instruction the copy is made at once.
  virtual void emitAsyncCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value destination,
                             const GlobalAccess &access, int64_t bytes) const;
  /// Close a group of copies.
  virtual void emitAsyncCommit(mlir::ImplicitLocOpBuilder &b) const;
  /// Wait until at most the `inFlight` latest groups are unfinished.
  virtual void emitAsyncWait(mlir::ImplicitLocOpBuilder &b, unsigned inFlight) const;

  /// What this thread wrote on chip becomes visible to units that read it by
  /// themselves, for all threads behind the next barrier.
  virtual void emitPublish(mlir::ImplicitLocOpBuilder &b) const {}

  /// Before products of units that read on-chip memory. Takes and returns the
  /// registers that they read and that are not in flight.
  virtual llvm::SmallVector<mlir::Value> emitMatmulBegin(mlir::ImplicitLocOpBuilder &b,
                                                         mlir::ValueRange registers) const {
    return llvm::to_vector(registers);
  }
  /// Close a group of such products.
  virtual void emitMatmulCommit(mlir::ImplicitLocOpBuilder &b) const {}
  /// Wait until at most the `inFlight` latest groups are incomplete. Takes and
  /// returns all accumulators in flight.
  virtual llvm::SmallVector<mlir::Value> emitMatmulWait(mlir::ImplicitLocOpBuilder &b,
                                                        mlir::ValueRange accumulators,
                                                        unsigned inFlight) const {
    return llvm::to_vector(accumulators);
  }

  /// Collective read of rows of on-chip memory (CollectiveAccess): every lane
  /// gives the address of a row and receives `words` values of i32. With
  /// `transposed`, values of 16 bits run along the rows' number instead. Null:
  /// the target has no such instruction.
  virtual llvm::SmallVector<mlir::Value> emitMatrixLoad(mlir::ImplicitLocOpBuilder &b,
                                                        mlir::Value address, unsigned words,
                                                        bool transposed) const {
    return {};
  }

  /// Collective write, the other way round: every lane gives the address of a row
  /// and words of others' rows. For targets with the fact `matrix_stores`.
  virtual void emitMatrixStore(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                               mlir::ValueRange words, bool transposed) const {
    llvm_unreachable("the target states no matrix stores");
  }

  /// Convert a pair of elements, a vector, to pairs of `element`, where one type
  /// is an 8-bit float and the target states the conversion as native; rounded
  /// to nearest even, and saturated. Null: the target has no such instruction.
  virtual mlir::Value emitCastOfPair(mlir::ImplicitLocOpBuilder &b, mlir::Value pair,
                                     mlir::Type element) const {
    return {};
  }

  /// A value that all threads of a warp hold alike, made known as such.
  virtual mlir::Value emitUniform(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const {
    return value;
  }
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_GPUHOOKS_H
