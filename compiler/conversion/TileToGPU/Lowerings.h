//===- Lowerings.h - Ops of stage scheduled, one by one ---------------------===//
//
// Each emits the code of one thread for one op through ThreadLowering, and maps
// the op's results.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_LOWERINGS_H
#define TILE_CONVERSION_TILETOGPU_LOWERINGS_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"
#include "dialects/tile/IR/TileOps.h"

namespace tile {

// Constants, and operations on each element.
mlir::LogicalResult lower(mlir::arith::ConstantOp op, ThreadLowering &t);
mlir::LogicalResult lower(mlir::arith::CmpIOp op, ThreadLowering &t);
mlir::LogicalResult lower(AddPtrOp op, ThreadLowering &t);
mlir::LogicalResult lower(PtrToIntOp op, ThreadLowering &t);
mlir::LogicalResult lower(IntToPtrOp op, ThreadLowering &t);
mlir::LogicalResult lower(CastPtrOp op, ThreadLowering &t);
mlir::LogicalResult lower(CastOp op, ThreadLowering &t);

// Shapes: registers get other names, or move between threads.
mlir::LogicalResult lower(ArangeOp op, ThreadLowering &t);
mlir::LogicalResult lower(SplatOp op, ThreadLowering &t);
mlir::LogicalResult lower(BroadcastOp op, ThreadLowering &t);
mlir::LogicalResult lower(ExpandDimsOp op, ThreadLowering &t);
mlir::LogicalResult lower(ReshapeOp op, ThreadLowering &t);
mlir::LogicalResult lower(TransposeOp op, ThreadLowering &t);
mlir::LogicalResult lower(JoinOp op, ThreadLowering &t);
mlir::LogicalResult lower(SplitOp op, ThreadLowering &t);
mlir::LogicalResult lower(HintOp op, ThreadLowering &t);
mlir::LogicalResult lower(GatherOp op, ThreadLowering &t);
mlir::LogicalResult lower(CatOp op, ThreadLowering &t);
mlir::LogicalResult lower(ExtractOp op, ThreadLowering &t);
/// A reshape whose elements change threads.
mlir::LogicalResult lowerMove(ReshapeOp op, ThreadLowering &t);
mlir::LogicalResult lower(ConvertLayoutOp op, ThreadLowering &t);

// Code and assembly for each element.
mlir::LogicalResult lower(MapOp op, ThreadLowering &t);
mlir::LogicalResult lower(InlineAsmOp op, ThreadLowering &t);

// Global memory.
mlir::LogicalResult lower(LoadOp op, ThreadLowering &t);
mlir::LogicalResult lower(StoreOp op, ThreadLowering &t);
mlir::LogicalResult lower(AtomicRMWOp op, ThreadLowering &t);
mlir::LogicalResult lower(AtomicCASOp op, ThreadLowering &t);
mlir::LogicalResult lower(AtomicLoadOp op, ThreadLowering &t);
mlir::LogicalResult lower(AtomicStoreOp op, ThreadLowering &t);
mlir::LogicalResult lower(AtomicPollOp op, ThreadLowering &t);

// Products and reductions.
mlir::LogicalResult lower(ReduceOp op, ThreadLowering &t);
mlir::LogicalResult lower(DotOp op, ThreadLowering &t);
mlir::LogicalResult lower(AsyncDotOp op, ThreadLowering &t);
mlir::LogicalResult lower(PendOp op, ThreadLowering &t);
mlir::LogicalResult lower(AwaitDotsOp op, ThreadLowering &t);

// Scans, sorts, histograms.
mlir::LogicalResult lower(ScanOp op, ThreadLowering &t);
mlir::LogicalResult lower(SortOp op, ThreadLowering &t);
mlir::LogicalResult lower(HistogramOp op, ThreadLowering &t);

// On-chip memory.
mlir::LogicalResult lower(BufferAllocOp op, ThreadLowering &t);
mlir::LogicalResult lower(BufferViewOp op, ThreadLowering &t);
mlir::LogicalResult lower(BufferTransposeOp op, ThreadLowering &t);
mlir::LogicalResult lower(BufferLoadOp op, ThreadLowering &t);
mlir::LogicalResult lower(BufferStoreOp op, ThreadLowering &t);
mlir::LogicalResult lower(AsyncCopyOp op, ThreadLowering &t);
mlir::LogicalResult lower(CommitOp op, ThreadLowering &t);
mlir::LogicalResult lower(AwaitOp op, ThreadLowering &t);

// Signals, copies of whole blocks, roles.
mlir::LogicalResult lower(SignalAllocOp op, ThreadLowering &t);
mlir::LogicalResult lower(AcquireOp op, ThreadLowering &t);
mlir::LogicalResult lower(ArriveOp op, ThreadLowering &t);
mlir::LogicalResult lower(ArriveCopiesOp op, ThreadLowering &t);
mlir::LogicalResult lower(ExpectOp op, ThreadLowering &t);
mlir::LogicalResult lower(BlockCopyOp op, ThreadLowering &t);
mlir::LogicalResult lower(BlockStoreOp op, ThreadLowering &t);
mlir::LogicalResult lower(DescriptorAllocOp op, ThreadLowering &t);
mlir::LogicalResult lower(DescriptorSetOp op, ThreadLowering &t);
mlir::LogicalResult lower(DescriptorPublishOp op, ThreadLowering &t);
mlir::LogicalResult lower(DescriptorFreeOp op, ThreadLowering &t);
mlir::LogicalResult lower(AwaitBlockStoresOp op, ThreadLowering &t);
mlir::LogicalResult lower(RolesOp op, ThreadLowering &t);

// The program and the outside.
/// Which thread block of the program of `op` this is.
mlir::Value emitPart(mlir::Operation *op, ThreadLowering &t);
mlir::LogicalResult lower(ProgramIdOp op, ThreadLowering &t);
mlir::LogicalResult lower(NumProgramsOp op, ThreadLowering &t);
mlir::LogicalResult lower(PartIdOp op, ThreadLowering &t);
mlir::LogicalResult lower(BarrierOp op, ThreadLowering &t);
mlir::LogicalResult lower(TimerOp op, ThreadLowering &t);
mlir::LogicalResult lower(PrintOp op, ThreadLowering &t);
mlir::LogicalResult lower(AssertOp op, ThreadLowering &t);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_LOWERINGS_H
