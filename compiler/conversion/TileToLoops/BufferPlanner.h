//===- BufferPlanner.h - Values that are kept for later nests -------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERPLANNER_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERPLANNER_H

#include "compiler/conversion/TileToLoops/Plan.h"

#include "llvm/ADT/MapVector.h"

namespace tile::loops {

/// Second half of the plan, once all roots are in groups.
class BufferPlanner {
public:
  explicit BufferPlanner(Plan &plan) : plan(plan) {}
  void run(mlir::func::FuncOp kernel);

private:
  /// How a group uses a value.
  struct Use {
    bool isLaneByLane = true; // at the index that the nest is at
    bool isRepeated = false;  // an element in several iterations
    bool isAddress = false;   // to find memory, or to mask an access to it
    bool isShared = false;    // one element for all lanes
  };
  /// What it takes to compute an element again.
  struct Cost {
    bool loads = false;
    unsigned work = 0;
  };

  void addUse(mlir::Value value, Group *group, Use use);
  static Use getOperandUse(mlir::OpOperand &operand, Use use);
  void addRootUses(Group &group);
  void passUses(mlir::Operation *op);
  const Cost &getCost(mlir::Value value);
  bool isOvertaken(LoadOp load, const Group &group);
  /// Whether `value` is kept, and the group (null: its own) that computes it.
  bool mustKeep(mlir::Value value, Group *&home);
  void keep(mlir::Value value, Group *home);
  void visit(mlir::Operation *op);

  Plan &plan;
  llvm::DenseMap<mlir::Value, llvm::SmallMapVector<Group *, Use, 4>> uses;
  llvm::DenseMap<mlir::Value, Cost> costs;
  llvm::SmallVector<mlir::Operation *> writes;
};

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERPLANNER_H
