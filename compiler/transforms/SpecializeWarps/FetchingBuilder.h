//===- FetchingBuilder.h - The role that copies blocks to rings -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_FETCHINGBUILDER_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_FETCHINGBUILDER_H

#include "compiler/transforms/SpecializeWarps/Roles.h"

#include "mlir/IR/IRMapping.h"

namespace tile {

/// Builds it from the program's body: the control flow that its loads are in, what tells their
/// places, and copies instead of them.
class FetchingBuilder {
public:
  FetchingBuilder(mlir::ImplicitLocOpBuilder &b, const AddressSlice &slice,
                  llvm::ArrayRef<Ring> rings, Descriptors &descriptors, int64_t warps)
      : b(b), slice(slice), rings(rings), descriptors(descriptors), warps(warps), places(rings) {
    places.begin(b);
  }
  void build(mlir::Block &body);

private:
  /// How buffers are filled: as their loads are; by copies of whole blocks where threads would
  /// copy, too; or not at all, where it is only asked whether these can.
  enum class Filling { AsLoaded, InBlocks, None };
  /// What the copy of a loop carries of it, and the counters of rings.
  struct Carried {
    llvm::SmallVector<unsigned> needed, counters;
  };

  void buildBlock(mlir::Block &block);
  void buildLoop(mlir::scf::ForOp loop);
  void buildCounting(mlir::scf::ForOp loop, const Carried &carried, mlir::Value first,
                     mlir::ValueRange inits);
  void buildStrided(mlir::scf::ForOp loop, const Carried &carried);
  mlir::scf::WhileOp buildInBlocks(mlir::scf::ForOp loop, const Carried &carried);
  Carried getCarried(mlir::scf::ForOp loop) const;
  llvm::SmallVector<mlir::Value> getInits(mlir::scf::ForOp loop, const Carried &carried) const;
  llvm::SmallVector<mlir::Value> getNext(mlir::scf::ForOp loop, const Carried &carried);
  void enter(mlir::scf::ForOp loop, const Carried &carried, mlir::Value index,
             mlir::ValueRange arguments);
  void leave(mlir::scf::ForOp loop, const Carried &carried, mlir::ValueRange results);
  mlir::Value isBefore(mlir::scf::ForOp loop, mlir::Value index);
  void buildBranch(mlir::scf::IfOp branch);
  void buildWhile(mlir::scf::WhileOp loop);
  void makeDescriptors(mlir::Operation *user);
  void drain(llvm::ArrayRef<MakeDescriptorOp> descs);
  void fill(const Ring &ring, const RingSite &site);
  mlir::ValueRange acquire(const Ring &ring, bool alone);
  void copyBlock(const RingLoad &load, mlir::Value view, mlir::Value full, mlir::Value stage);
  void copyStrided(const RingLoad &load, mlir::Value view, mlir::Value full, mlir::Value stage);
  mlir::Value copyByThreads(LoadOp load, mlir::Value view);
  bool isStridedLoop(mlir::scf::ForOp loop) const;
  bool sharesWithStrided(mlir::scf::ForOp loop) const;
  mlir::Value areStrided(mlir::scf::ForOp loop);
  void repeat(mlir::Operation &op);
  mlir::Type fold(mlir::Type type) const;
  void sinkSlowParts();

  mlir::ImplicitLocOpBuilder &b;
  const AddressSlice &slice;
  llvm::ArrayRef<Ring> rings;
  Descriptors &descriptors;
  int64_t warps;
  RingPlaces places;
  mlir::IRMapping values;
  Filling filling = Filling::AsLoaded;
  /// Loops of copies of whole blocks, and branches in which threads copy what is left.
  llvm::SmallVector<mlir::scf::WhileOp> inBlocks;
  llvm::SmallVector<mlir::scf::IfOp> slowParts;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_FETCHINGBUILDER_H
