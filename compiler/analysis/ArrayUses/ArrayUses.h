//===- ArrayUses.h - What else a kernel does with its arrays --------------===//
//
// Copies of whole blocks run beside the program: loads long before it comes to
// them, stores until it ends. What the program orders with other accesses can
// not be made so.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_ARRAYUSES_ARRAYUSES_H
#define TILE_COMPILER_ANALYSIS_ARRAYUSES_ARRAYUSES_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Arrays are told apart by the function's argument that is their base; whose base is
/// loaded may be any other, but for read-only ones.
class ArrayUses {
public:
  explicit ArrayUses(mlir::func::FuncOp function);

  /// Whether `load`, by `desc`, reads the same long before: the kernel has not written
  /// there, nor learned that others have.
  bool mayFetchAhead(mlir::Operation *load, mlir::Value desc) const;
  bool mayFetchAhead(LoadOp load) const;
  /// Whether nobody can tell when what `store` writes arrives: the kernel does not
  /// read it afterwards, nor tell others to.
  bool mayStoreLate(mlir::Operation *store, mlir::Value desc) const;
  /// All that writes the array; of null: what writes where nobody knows.
  llvm::ArrayRef<mlir::Operation *> getWriters(mlir::Value base) const;

private:
  using Accesses = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>>;

  void collect(mlir::Operation *op);
  void collectAtomic(mlir::Operation *op, const AtomicAccess &access);
  bool mayPrecede(mlir::Operation *first, mlir::Operation *second) const;
  bool mayFetchAhead(mlir::Operation *load, mlir::Value base, bool isReadOnly) const;

  Accesses writers, readers;
  /// What learns of others' writes, and what tells others of the kernel's.
  llvm::SmallVector<mlir::Operation *> acquires, releases;
  /// In the order of the text.
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

/// The array that a descriptor describes; null if unknown.
mlir::Value getArray(mlir::Value desc);
/// Whether nobody writes the array while the kernel runs.
bool isReadOnlyArray(mlir::Value desc);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_ARRAYUSES_ARRAYUSES_H
