//===- Rings.h - Stacks of buffers that go around -------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// One load that a ring brings.
struct Fetch {
  DescriptorLoadOp load;
  BufferType block;
  mlir::Value stack;
};

/// Loads that are copied and awaited together.
struct Ring {
  llvm::SmallVector<Fetch> fetches;
  int64_t stages = 1;
  mlir::Value full, empty;

  /// The loop whose iterations it serves; null where there is none.
  mlir::scf::ForOp getLoop() const {
    return mlir::dyn_cast<mlir::scf::ForOp>(fetches.front().load->getParentOp());
  }
  int64_t getStageBytes() const;
};

/// Where a ring is: the number of a buffer, and the parity of its use.
struct RingPlace {
  mlir::Value stage, phase;
};

/// Rings of one loop and one number of stages go around together.
struct RingCounter {
  mlir::Operation *loop; // null: outside of loops
  int64_t stages;
  bool operator==(const RingCounter &other) const {
    return loop == other.loop && stages == other.stages;
  }
};

RingCounter getCounter(const Ring &ring);
/// Of the rings in `loop`, also in loops in it.
llvm::SmallVector<RingCounter> getCountersIn(llvm::ArrayRef<Ring> rings, mlir::scf::ForOp loop);
/// The beginning.
RingPlace createPlace(mlir::ImplicitLocOpBuilder &b);
RingPlace advance(mlir::ImplicitLocOpBuilder &b, const RingPlace &place, int64_t stages);

/// Loads that feed one dot share a ring. Those in innermost loops have as many
/// buffers as the loop asks for and on-chip memory holds beside `otherBytes`.
llvm::SmallVector<Ring> planRings(mlir::func::FuncOp function,
                                  llvm::ArrayRef<DescriptorLoadOp> loads, int64_t otherBytes);
/// Buffers and signals at the builder's place.
void allocateRings(mlir::ImplicitLocOpBuilder &b, llvm::MutableArrayRef<Ring> rings,
                   int64_t readingWarps);

/// The places of all counters, by number.
class RingPlaces {
public:
  explicit RingPlaces(llvm::ArrayRef<Ring> rings);
  RingPlace &operator[](const RingCounter &counter);
  /// Stage and phase of each, one behind the other, and back.
  llvm::SmallVector<mlir::Value> get(llvm::ArrayRef<RingCounter> wanted);
  void set(llvm::ArrayRef<RingCounter> wanted, mlir::ValueRange values);
  void begin(mlir::ImplicitLocOpBuilder &b);
  /// Go on in those whose loop is `loop`.
  void advance(mlir::ImplicitLocOpBuilder &b, mlir::Operation *loop);

private:
  llvm::SmallVector<std::pair<RingCounter, RingPlace>> places;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_RINGS_H
