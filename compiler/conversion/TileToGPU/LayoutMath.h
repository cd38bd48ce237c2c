//===- LayoutMath.h - Layouts as code of one thread -------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_LAYOUTMATH_H
#define TILE_CONVERSION_TILETOGPU_LAYOUTMATH_H

#include "compiler/analysis/LinearLayout/OffsetEmitter.h"
#include "compiler/conversion/TileToGPU/ExecutionScope.h"

namespace tile {

/// What the thread's lane and warp contribute to output `out` of a linear map;
/// null where that is always zero.
mlir::Value emitThreadPart(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                           const LinearMap &map, Dim out);

/// Coordinates along `dim` of every register: a vector of i32.
mlir::Value emitCoordinates(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                            const LinearLayout &layout, unsigned dim);

/// Whether this thread is the one to act on the elements it holds; null where
/// every thread is.
mlir::Value emitOwnership(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                          const LinearLayout &layout);
/// The same for the warp; its lanes may hold copies.
mlir::Value emitWarpOwnership(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                              const LinearLayout &layout);

/// Which registers hold elements of `shape` and not padding: a vector of i1;
/// null where none is padding.
mlir::Value emitInside(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                       const LinearLayout &layout, llvm::ArrayRef<int64_t> shape);

/// For every register the first register that holds the same element.
llvm::SmallVector<int32_t> getFirstCopies(const LinearLayout &layout);

/// What OffsetEmitter builds with: i32 arithmetic at the builder's place.
struct ThreadOps {
  using Value = mlir::Value;
  mlir::ImplicitLocOpBuilder &b;
  const ExecutionScope &scope;

  Value constant(int64_t value);
  Value getIndex(Dim dim) { return scope.getIndex(dim); }
  Value bitXor(Value lhs, Value rhs);
  Value bitAnd(Value value, int64_t mask);
  Value shiftLeft(Value value, unsigned amount);
  Value shiftRight(Value value, unsigned amount);
  Value add(Value lhs, Value rhs);
  Value mul(Value value, int64_t factor);
  Value div(Value value, int64_t divisor);
  Value rem(Value value, int64_t divisor);
};

/// Byte offsets of a thread's registers in on-chip memory. What depends on the
/// thread is computed once; registers add constants or flip bits.
class ThreadOffsets {
public:
  /// `base`, in bytes, is added to all offsets.
  ThreadOffsets(mlir::ImplicitLocOpBuilder &b, const ExecutionScope &scope, const AccessMap &access,
                int64_t elementBytes, mlir::Value base)
      : b(b), ops{b, scope}, emitter(access, ops), elementBytes(elementBytes), base(base) {}

  struct Offset {
    mlir::Value variable;
    int64_t constant;
  };
  /// The offset of register `reg`, less `subtract` elements.
  Offset get(int64_t reg, int64_t subtract = 0);

private:
  mlir::ImplicitLocOpBuilder &b;
  ThreadOps ops;
  OffsetEmitter<ThreadOps> emitter;
  int64_t elementBytes;
  mlir::Value base;
  llvm::DenseMap<mlir::Value, mlir::Value> bytes; // of offsets in elements
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_LAYOUTMATH_H
