//===- ThreadLoads.h - Loads by pointers that the fetching role makes -----===//
//
// What no descriptor describes, such as rows that a table names, the threads of the
// fetching role copy, each a part of the block.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_THREADLOADS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_THREADLOADS_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/AddressSlice/AddressSlice.h"
#include "compiler/transforms/SpecializeWarps/Rings.h"

namespace tile {

/// Whether threads of a fetching role copy loads, beside the `copies` of whole blocks.
bool mayThreadsCopy(mlir::func::FuncOp function, llvm::ArrayRef<RingLoad> copies);

/// Whether it is, of programs whose threads copy beside `copies`: in those of few warps, without
/// copies of whole blocks, the role's take registers that other programs could have.
bool isWorthARole(mlir::func::FuncOp function, llvm::ArrayRef<RingLoad> copies);

class ThreadLoads {
public:
  ThreadLoads(mlir::func::FuncOp function, AddressSlice &slice)
      : function(function), slice(slice), patterns(function) {}

  /// Nothing where the program's warps have to make the load; else `slice` has what
  /// its addresses need.
  std::optional<RingLoad> select(LoadOp load);

  /// Registers of a thread of `warps` warps that hold what the loads are copied by.
  static int64_t countRegisters(llvm::ArrayRef<Ring> rings, int64_t threads);

private:
  std::shared_ptr<const StridedBlock> findBlock(LoadOp load, BufferType buffer) const;
  bool isAccompanying(LoadOp load, mlir::scf::ForOp loop) const;

  mlir::func::FuncOp function;
  AddressSlice &slice;
  /// Loops of which operands have been selected.
  llvm::DenseSet<mlir::Operation *> withOperands;
  AccessAnalysis patterns;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_THREADLOADS_H
