//===- ProgramDescriptors.h - Descriptors that the program makes ----------===//
//
// What the host cannot know, such as arrays whose addresses are loaded, the role that
// copies describes itself: in a place of global memory, before the loop that copies.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMDESCRIPTORS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMDESCRIPTORS_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

class LaunchDescriptors;

class ProgramDescriptors {
public:
  using Lookup = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// Places, at the builder's, for the descriptors of marked accesses that the host
  /// does not make; `byWarps`: each warp stores a part.
  void allocate(mlir::ImplicitLocOpBuilder &b, mlir::func::FuncOp function,
                LaunchDescriptors &launch, bool byWarps);
  bool isEmpty() const { return places.empty(); }
  /// The place of what `desc` describes; null if the host makes it.
  mlir::Value get(MakeDescriptorOp desc) const { return places.lookup(desc); }

  /// Those that loads, or stores, in `op` and its like behind it use, and that are to
  /// be made before: `desc` is where `op` is.
  llvm::SmallVector<MakeDescriptorOp> getMadeBefore(mlir::Operation *op, bool forLoads) const;
  /// Makes them at the builder's place from what `lookup` gives for their parts, if
  /// `loop` (or null) runs at all, after what `await` writes; `forWarps`: each of them
  /// starts copies.
  void make(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<MakeDescriptorOp> descs,
            mlir::scf::ForOp loop, Lookup lookup, llvm::function_ref<void()> await,
            bool forWarps = false) const;
  /// The place of a block in an array of `desc`.
  llvm::SmallVector<mlir::Value> getIndices(mlir::ImplicitLocOpBuilder &b, MakeDescriptorOp desc,
                                            mlir::ValueRange indices, Lookup lookup) const;
  /// The fetching role tells that it has made the last one.
  void endFetching(mlir::ImplicitLocOpBuilder &b) const;
  /// The computing role, or each of its warps for itself, has awaited its stores: it
  /// gives the places back.
  void endComputing(mlir::ImplicitLocOpBuilder &b, bool byWarps) const;

private:
  llvm::SmallVector<MakeDescriptorOp> order;
  llvm::DenseMap<mlir::Operation *, mlir::Value> places;
  DescriptorAllocOp alloc;
  mlir::Value done;
};

/// The accesses by `desc` that are copies of whole blocks.
llvm::SmallVector<mlir::Operation *> getBlockAccesses(MakeDescriptorOp desc);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMDESCRIPTORS_H
