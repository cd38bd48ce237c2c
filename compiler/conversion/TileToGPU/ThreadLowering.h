//===- ThreadLowering.h - One function, from blocks to one thread -----------===//
//
// Walks a function of stage `scheduled` and builds the code that each thread
// runs. Holds what all lowerings share: the values made so far, the threads,
// the on-chip memory. Lowerings of single ops are functions in Lowerings.h.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_THREADLOWERING_H
#define TILE_CONVERSION_TILETOGPU_THREADLOWERING_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "compiler/conversion/TileToGPU/ExecutionScope.h"
#include "compiler/conversion/TileToGPU/OnChipMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace tile {

class ThreadLowering {
public:
  ThreadLowering(mlir::func::FuncOp function, const GPUHooks &hooks, OnChipMemory &memory);

  /// Replace the function by its per-thread form. Diagnostics say what failed.
  mlir::LogicalResult run();

  //===--- Values -----------------------------------------------------------===//

  /// The per-thread form of a value that was lowered before; null for null.
  mlir::Value get(mlir::Value value) const { return value ? mapping.lookup(value) : value; }
  llvm::SmallVector<mlir::Value> get(mlir::ValueRange values) const;
  void set(mlir::Value value, mlir::Value lowered) { mapping.map(value, lowered); }
  /// A block becomes a vector of registers, a pointer LLVM's, a buffer an offset.
  mlir::Type convertType(mlir::Type type) const;

  /// The registers of a vector as scalars, and back. Vectors that were made by
  /// `pack` are taken apart without new operations.
  llvm::SmallVector<mlir::Value> unpack(mlir::Value vector);
  mlir::Value pack(llvm::ArrayRef<mlir::Value> registers);
  /// Register `index` of a vector, or a scalar itself.
  mlir::Value extract(mlir::Value value, int64_t index);
  /// Registers `source[i]` of a vector (or of two, counted through); -1: anything.
  mlir::Value shuffle(mlir::Value vector, llvm::ArrayRef<int32_t> source);
  mlir::Value shuffle(mlir::Value first, mlir::Value second, llvm::ArrayRef<int32_t> source);

  //===--- Code ---------------------------------------------------------------===//

  /// Lower one operation at the builder's place.
  mlir::LogicalResult lowerOperation(mlir::Operation *op);

  mlir::ImplicitLocOpBuilder b;
  const GPUHooks &hooks;
  ExecutionScope scope;
  OnChipMemory &memory;
  const AccessAnalysis accesses;
  const TargetAttr target;

private:
  mlir::LogicalResult lowerGeneric(mlir::Operation *op);
  mlir::LogicalResult lowerRegion(mlir::Region &from, mlir::Region &to);
  void convertArguments(mlir::func::FuncOp lowered);

  mlir::func::FuncOp function;
  mlir::IRMapping mapping;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> packed;
};

/// The layout of a block at this stage.
const LinearLayout &getLinearLayout(mlir::Type block);
/// What holds a block of `type` while a product writes it: whole registers, which nothing may
/// take apart.
mlir::Type getTypeInFlight(mlir::Type type);
/// The type in which memory holds elements: booleans and 8-bit floats are bytes.
mlir::Type getMemoryType(mlir::Type element);
/// Between what registers and what memory hold (scalars or vectors).
mlir::Value toMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
mlir::Value fromMemory(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type type);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_THREADLOWERING_H
