//===- BufferPlan.h - Where buffers lie in on-chip memory -----------------===//
//
// Buffers and the scratch memory of conversions, each with the span of the
// program in which it is in use: those whose spans meet lie apart.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_BUFFERPLAN_BUFFERPLAN_H
#define TILE_COMPILER_ANALYSIS_BUFFERPLAN_BUFFERPLAN_H

#include "compiler/analysis/LinearLayout/Conversion.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// On-chip bytes that a program may use on the target of the module around `op`.
int64_t getOnChipBytes(mlir::Operation *op);
/// Programs that a processor holds where each has so many bytes on chip, and what the machine keeps
/// for it.
int64_t countFittingPrograms(mlir::Operation *op, int64_t bytes);

/// How threads of the target exchange the block of a conversion.
ConversionPlan planLayoutConversion(ConvertLayoutOp op);

/// What reductions may take of on-chip memory for themselves.
constexpr int64_t kMostApartBytes = 512;

/// On-chip bytes through which threads exchange data for `op`; zero where they
/// need none, and before layouts are assigned.
int64_t getScratchBytes(mlir::Operation *op);

/// The buffers that a value may be: itself, a view of it, or a copy into it.
class BufferAliases {
public:
  explicit BufferAliases(mlir::Operation *root);
  using Allocs = llvm::SmallVector<BufferAllocOp, 1>;
  /// Empty for a value that is no buffer.
  Allocs get(mlir::Value value) const { return allocs.lookup(value); }
  const llvm::DenseMap<mlir::Value, Allocs> &getAll() const { return allocs; }

private:
  void follow(mlir::Value value, BufferAllocOp alloc);
  llvm::DenseMap<mlir::Value, Allocs> allocs;
};

class BufferPlan {
public:
  explicit BufferPlan(mlir::func::FuncOp function);

  struct Entry {
    mlir::Operation *op;
    int64_t bytes;
    /// First and last use, in program order; a loop is used as a whole.
    unsigned begin, end;
    /// The role that it is of; null: it is used by all of the program.
    mlir::Region *role;
    int64_t offset = 0;
  };
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  int64_t getBytes() const { return bytes; }

private:
  void number(mlir::func::FuncOp function);
  void collect(mlir::func::FuncOp function);
  void setApart(Entry &entry);
  void extend(Entry &entry, mlir::Operation *user) const;
  void extendStored(Entry &entry, BlockStoreOp store,
                    llvm::ArrayRef<AwaitBlockStoresOp> awaits) const;
  void place();

  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> spans;
  llvm::SmallVector<Entry> entries;
  int64_t bytes = 0, apartBytes = 0;
};

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_BUFFERPLAN_BUFFERPLAN_H
