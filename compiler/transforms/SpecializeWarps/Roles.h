//===- Roles.h - The program's warps, and those that fetch ------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_ROLES_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_ROLES_H

#include "compiler/analysis/AddressSlice/AddressSlice.h"
#include "compiler/transforms/SpecializeWarps/ProgramDescriptors.h"
#include "compiler/transforms/SpecializeWarps/Rings.h"
#include "compiler/transforms/SpecializeWarps/StoreParts.h"
#include "dialects/tile/IR/BlockCopy.h"

#include "mlir/IR/BuiltinOps.h"

namespace tile {

/// Bytes that divide addresses and strides of arrays which copies of whole blocks access.
inline constexpr int64_t kBlockAlignment = 16;

/// The kernel's argument that stands for a descriptor, by the one that the kernel
/// made and the box of its copies.
class LaunchDescriptors {
public:
  explicit LaunchDescriptors(mlir::func::FuncOp function) : function(function) {}
  /// For accesses by `desc` of which each copy moves a box.
  mlir::Value get(MakeDescriptorOp desc, const BlockCopyBox &box);
  /// For the blocks that `load` reads, each at an offset along the rows from the base on.
  mlir::Value get(LoadOp load, const StridedBlock &block, const BlockCopyBox &box);
  /// The same, of an array that does not matter: for the program to make others like it.
  mlir::Value getTemplate(MakeDescriptorOp desc, const BlockCopyBox &box);
  /// Tell the module how the host makes them.
  void describe(mlir::ModuleOp module) const;

private:
  mlir::Value get(DescType type, mlir::Location loc, mlir::DictionaryAttr description);

  mlir::func::FuncOp function;
  llvm::SmallVector<std::pair<mlir::Attribute, mlir::Value>> known;
};

/// Where accesses find their descriptors.
struct Descriptors {
  explicit Descriptors(mlir::func::FuncOp function)
      : launch(function), stores(planStores(function)) {}
  /// Of accesses of which each copy moves a box.
  mlir::Value get(MakeDescriptorOp desc, const BlockCopyBox &box) {
    mlir::Value own = program.get(desc);
    return own ? own : launch.get(desc, box);
  }

  LaunchDescriptors launch;
  ProgramDescriptors program;
  StorePlan stores;
};

/// Copies what `slice` needs of `body` to the builder's place, for a role of `warps`, and
/// each ring's loads as copies to its buffers.
void buildFetching(mlir::ImplicitLocOpBuilder &b, mlir::Block &body, const AddressSlice &slice,
                   llvm::ArrayRef<Ring> rings, Descriptors &descriptors, int64_t warps);

/// Turns loads in `body` into reads of the rings.
void readRings(mlir::Block &body, llvm::ArrayRef<Ring> rings);

/// Turns marked stores in `body` into stores of buffers, by warps if they can. They are
/// awaited before their buffer is written again, and at the end of `body`.
void storeBlocks(mlir::Block &body, Descriptors &descriptors);
/// On-chip bytes that this takes.
int64_t getStoreBytes(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_ROLES_H
