//===- Values.h - Questions about the values of a kernel ------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_VALUES_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_VALUES_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tile::loops {

/// Lanes of a chunk. Fixed, because the order of sums depends on it.
inline constexpr int64_t kChunk = 64;

/// Lanes that a chunk along a dimension of `size` elements has: a power of two.
int64_t getChunkWidth(int64_t size);

/// The dimension along which lanes run: the last one that is longer than one
/// element, or -1.
int getLaneDimension(llvm::ArrayRef<int64_t> shape);

inline bool isBlock(mlir::Value value) {
  return llvm::isa<mlir::RankedTensorType>(value.getType());
}

/// Whether `op` is computed wherever its result is needed: pure operations on
/// blocks, and loads of blocks.
bool isVirtual(mlir::Operation *op);
/// Whether `op` computes each element from the operands' elements in place.
bool isElementwise(mlir::Operation *op);
/// Whether `op` only moves elements to other places (broadcast, transpose, ...).
bool isShapeChange(mlir::Operation *op);
/// Whether `op` has loops of its own, over blocks in memory: a scan, a sort, a histogram.
bool isCollective(mlir::Operation *op);
/// Whether `op`, on scalars or blocks, may write memory that a load may read.
bool writesMemory(mlir::Operation *op);

/// Work for one element of the results of `op`, its operands not counted.
unsigned getCost(mlir::Operation *op);

/// The divisor of a remainder without its guard against zero and overflow.
mlir::Value getDivisor(mlir::Operation *remainder);
/// How the result of elementwise `op` changes from one element to the next, if
/// its operands change by `below`; none where that is not one constant.
/// Remainders are taken not to start again.
std::optional<int64_t> combineStrides(mlir::Operation *op,
                                      llvm::ArrayRef<std::optional<int64_t>> below);

/// The kernel argument that pointers derive from, or null where it is unknown.
mlir::Value getBasePointer(mlir::Value pointer);

/// How an element is held in memory, as a type of the LLVM dialect: `i1` in a
/// byte, 8-bit floats as bits, pointers in a vector as integers.
mlir::Type getMemoryType(mlir::Type element);
/// The type of a scalar after conversion.
mlir::Type getScalarType(mlir::Type element);
/// The element type that lanes of `element` have after conversion.
mlir::Type getLaneType(mlir::Type element);
int64_t getByteWidth(mlir::Type memoryElement);

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_VALUES_H
