//===- Plan.h - Which loops compute what, and where it is kept ------------===//
//
// Roots are the operations that must happen: effects, reductions, and writes of
// blocks to memory of the arena. Neighbouring roots over one shape form a group,
// which becomes one loop nest. All other operations are virtual: a group
// computes what its roots need. The plan says which virtual values are worth
// keeping for later groups.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_PLAN_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_PLAN_H

#include "compiler/conversion/TileToLoops/Values.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <memory>

namespace tile::loops {

/// A block in the arena, row-major but for the dimension along which lanes run:
/// that is the innermost one, padded to whole chunks. The pad holds anything.
struct Buffer {
  mlir::Type element; // as in a block; may be wider than the value's own element
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> strides; // in elements
  int64_t offset = 0;
  int64_t bytes = 0;
  /// Positions in the kernel between which the content matters.
  unsigned first = ~0u, last = 0;
};

/// Something that a loop nest does for every element of its shape.
struct Root {
  /// The store, atomic operation or reduction; null for a write to a buffer.
  mlir::Operation *op = nullptr;
  /// Written to `buffer`, converted to its element type.
  mlir::Value value;
  Buffer *buffer = nullptr;
  bool isUnsigned = false;
};

/// A loop nest over `shape`. With an axis of reduction, the loop over it is innermost.
struct Group {
  mlir::Operation *anchor = nullptr; // stands before this operation
  unsigned position = 0;
  /// Order among those before one operation: where the first of what it computes is defined,
  /// and when it was created.
  unsigned begin = 0, number = 0;
  llvm::SmallVector<int64_t> shape;
  int laneDim = -1; // -1: a single element
  int axis = -1;
  llvm::SmallVector<Root> roots;

  /// Whether this one runs first, where both stand before one operation.
  bool precedes(const Group &other) const {
    return std::pair(begin, number) < std::pair(other.begin, other.number);
  }
  bool writes(mlir::Value value, Buffer *buffer) const {
    return llvm::any_of(
        roots, [&](const Root &root) { return root.value == value && root.buffer == buffer; });
  }
};

/// A block of a matrix product in the arena, in the type it is computed in.
struct DotBlock {
  Buffer *buffer = nullptr;
  bool isTransposed = false; // the buffer holds columns by rows

  int64_t getRowStride() const { return getStride(isTransposed ? 1 : 2); }
  int64_t getColumnStride() const { return getStride(isTransposed ? 2 : 1); }

private:
  int64_t getStride(size_t fromLast) const {
    return buffer->strides[buffer->strides.size() - fromLast];
  }
};

struct DotPlan {
  DotBlock a, b, acc;
  /// Where rows of `b` are not consecutive: a buffer in which they are, filled
  /// before the product.
  Buffer *rowsOfB = nullptr;
};

/// Blocks of a scan, sort or histogram in the arena. Sources that are not needed
/// in their own right lie where the results will; a sort may overwrite its.
struct CollectivePlan {
  llvm::SmallVector<Buffer *> sources, results;
  /// What is written and read only while the operation runs.
  llvm::SmallVector<Buffer *> temporaries;
};

class Plan {
public:
  explicit Plan(mlir::func::FuncOp kernel);

  /// The nests that stand before `op`, in order.
  llvm::ArrayRef<Group *> getGroups(mlir::Operation *anchor) const {
    auto found = groupsAt.find(anchor);
    return found == groupsAt.end() ? llvm::ArrayRef<Group *>() : found->second;
  }
  /// Where a block is kept, or null.
  Buffer *getBuffer(mlir::Value value) const { return buffers.lookup(value); }
  /// Where `op` stands in the kernel's text.
  unsigned getPosition(mlir::Operation *op) const { return positions.lookup(op); }
  const DotPlan &getDot(DotOp op) const { return dots.find(op)->second; }
  const CollectivePlan &getCollective(mlir::Operation *op) const {
    return collectives.find(op)->second;
  }
  /// Bytes of the arena.
  int64_t getScratchBytes() const { return scratchBytes; }

private:
  friend class GroupBuilder;
  friend class BufferPlanner;

  Buffer *createBuffer(mlir::Type element, llvm::ArrayRef<int64_t> shape) {
    return createBuffer(element, shape, getLaneDimension(shape));
  }
  Buffer *createBuffer(mlir::Type element, llvm::ArrayRef<int64_t> shape, int laneDim);
  Group *createGroup(mlir::Operation *anchor, llvm::ArrayRef<int64_t> shape);
  /// Have `value`, a virtual one, computed where it is defined, or as soon behind that as what it
  /// is computed from, and kept in a buffer.
  void keep(mlir::Value value);
  void findLifetimes(mlir::func::FuncOp kernel);
  void layOutArena();

  llvm::SmallVector<std::unique_ptr<Buffer>> allBuffers;
  llvm::SmallVector<std::unique_ptr<Group>> allGroups;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Group *>> groupsAt;
  llvm::DenseMap<mlir::Value, Buffer *> buffers;
  llvm::DenseMap<mlir::Operation *, DotPlan> dots;
  llvm::DenseMap<mlir::Operation *, CollectivePlan> collectives;
  llvm::DenseMap<mlir::Operation *, unsigned> positions;
  int64_t scratchBytes = 0;
};

/// How `op` sorts: by digits of this many bits, the lowest first.
struct RadixPlan {
  unsigned digitBits, passes;
  int64_t getNumDigits() const { return int64_t(1) << digitBits; }
};
RadixPlan getRadixPlan(SortOp op);

/// The type that products of `op` are summed in.
mlir::Type getDotComputeType(DotOp op);

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_PLAN_H
