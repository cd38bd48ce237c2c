//===- Rings.h - Stacks of buffers that go around -------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H

#include "compiler/analysis/StridedBlock/StridedBlock.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace tile {

/// A load that the fetching role makes.
struct RingLoad {
  /// A load by a descriptor, or by pointers.
  mlir::Operation *op;
  /// A buffer for what it reads.
  BufferType block;
  /// Whether each thread block of the program copies its share for all of them.
  bool everywhere = false;
  /// What one copy moves instead, wherever the block is such a one.
  std::shared_ptr<const StridedBlock> strided = {};

  /// Whether the threads of the role copy it, each a part.
  bool isByThreads() const { return mlir::isa<LoadOp>(op); }
};

/// A stack of one of a ring's blocks, and how it is filled.
struct RingStack {
  BufferType block;
  bool everywhere, byThreads;
  mlir::Value stack = {};
};

/// Loads of one place in the program that are copied and awaited together, one
/// for each stack of their ring.
using RingSite = llvm::SmallVector<RingLoad>;

/// Whether copies of whole blocks may bring what threads would copy: all of it, and in all of a
/// loop.
bool isStrided(const RingSite &site);

/// Buffers that go around: filled at its sites, one after the other, in the order
/// in which the program comes by.
struct Ring {
  llvm::SmallVector<RingStack> stacks;
  llvm::SmallVector<RingSite> sites;
  int64_t stages = 1;
  /// Rings of the same loops and of one number of stages go around together.
  unsigned counter = 0;
  mlir::Value full, empty;

  /// Whether it serves a loop around others.
  bool isOfOuterLoop() const;
  /// The loops whose iterations it serves; null where it serves none.
  llvm::SmallVector<mlir::Operation *> getLoops() const;
  int64_t getStageBytes() const;
  /// Those of them that copies of whole blocks bring, which the full signals count.
  int64_t getCountedBytes() const;
  llvm::SmallVector<mlir::Value> getStacks() const;
  /// Whether other thread blocks copy to its buffers too.
  bool isFilledEverywhere() const;
  /// Whether threads copy to some of its buffers.
  bool isFilledByThreads() const;
  /// Whether copies of whole blocks may bring some of these.
  bool isFilledByEither() const;
};

/// Where a ring is: the number of a buffer, and the parity of its use.
struct RingPlace {
  mlir::Value stage, phase;
};

/// As a copy of a whole block.
RingLoad getRingLoad(DescriptorLoadOp load);

/// Loads that feed one dot share a ring, small ones that of the loads before; loops that follow
/// each other share rings of the same blocks. They have as many buffers as their loops ask for,
/// operands of dots in loops around others two.
llvm::SmallVector<Ring> collectRings(llvm::ArrayRef<RingLoad> loads);
/// What the rings take of on-chip memory.
int64_t getRingBytes(llvm::ArrayRef<Ring> rings);
/// Whether `rings` leave each ring of an innermost loop two buffers, or the one that it asks for,
/// and each other ring one, in on-chip memory beside `otherBytes`.
bool canFitRings(mlir::func::FuncOp function, llvm::ArrayRef<Ring> rings, int64_t otherBytes);
/// Those of loops give buffers back until all fit, of outer loops first.
void fitRings(mlir::func::FuncOp function, llvm::MutableArrayRef<Ring> rings, int64_t otherBytes);
/// Buffers and signals at the builder's place.
void allocateRings(mlir::ImplicitLocOpBuilder &b, llvm::MutableArrayRef<Ring> rings,
                   int64_t readingWarps, int64_t copyingThreads);

/// Where each counter is at one point of the program.
class RingPlaces {
public:
  explicit RingPlaces(llvm::ArrayRef<Ring> rings) : rings(rings) {}
  void begin(mlir::ImplicitLocOpBuilder &b);
  const RingPlace &get(const Ring &ring) const { return places[ring.counter]; }
  /// Counters of the rings in the loop or branch `op`, also in loops in it.
  llvm::SmallVector<unsigned> getCountersIn(mlir::Operation *op) const;
  /// Stage and phase of each, one behind the other, and back.
  llvm::SmallVector<mlir::Value> get(llvm::ArrayRef<unsigned> counters) const;
  void set(llvm::ArrayRef<unsigned> counters, mlir::ValueRange values);
  /// Go on in those whose rings `loop` serves itself.
  void advance(mlir::ImplicitLocOpBuilder &b, mlir::Operation *loop);

private:
  llvm::ArrayRef<Ring> rings;
  llvm::SmallVector<RingPlace> places;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H
