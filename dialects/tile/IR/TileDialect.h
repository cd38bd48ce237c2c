//===- TileDialect.h - The tile dialect: types, attributes, names ---------===//
//
// The dialect class, its types and attributes, and the names of the discardable
// attributes that a kernel and its module carry.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_TILEDIALECT_H
#define TILE_DIALECTS_TILE_IR_TILEDIALECT_H

#include "dialects/tile/IR/MatmulUnit.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"

#include "dialects/tile/IR/TileDialect.h.inc"

#include "dialects/tile/IR/TileEnums.h.inc"

// Types name attributes: buffers their layout.
#define GET_ATTRDEF_CLASSES
#include "dialects/tile/IR/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/IR/TileTypes.h.inc"

namespace tile {

/// Unit attribute of a `func.func` that is launched over a grid.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
/// On an integer or pointer argument: a power of two that divides it; on a
/// descriptor argument: one that divides the last size.
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
/// Unit attribute of a pointer argument, and of `tile.int_to_ptr`: nobody writes the
/// array while the kernel runs.
inline constexpr llvm::StringLiteral kReadOnlyAttr = "tile.read_only";
/// On a module: the `#tile.target` it is compiled for.
inline constexpr llvm::StringLiteral kTargetAttr = "tile.target";
/// On a module: warps of a program.
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
/// On a module, or on one loop: iterations in flight in pipelined loops.
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
/// On a loop: copies of its body in one iteration.
inline constexpr llvm::StringLiteral kUnrollFactorAttr = "tile.loop_unroll_factor";
/// Unit attributes on a loop, as the programmer asked: keep one buffer for an
/// accumulator, merge the loop with the one around it, give loads and compute
/// warps of their own, leave inside what does not change.
inline constexpr llvm::StringLiteral kWarpSpecializeAttr = "tile.warp_specialize";
inline constexpr llvm::StringLiteral kLoopFlagAttrs[] = {
    "tile.disallow_acc_multi_buffer", "tile.flatten", kWarpSpecializeAttr, "tile.disable_licm"};
/// On a loop whose copies leave it the time: asynchronous products that may
/// still read their buffers when the next iteration begins.
inline constexpr llvm::StringLiteral kDotsInFlightAttr = "tile.dots_in_flight";
/// Unit attribute on a copy in a loop: it writes what the iteration before was the last to
/// access, not what its own iteration does.
inline constexpr llvm::StringLiteral kPreviousBlockAttr = "tile.previous_block";
/// Unit attribute on a copy in a loop: it writes what the threads of its own iteration have read,
/// and no product reads.
inline constexpr llvm::StringLiteral kReadBlockAttr = "tile.read_block";
/// Unit attribute on a loop over programs: they are in no order, as if each had thread
/// blocks of its own.
inline constexpr llvm::StringLiteral kProgramLoopAttr = "tile.program_loop";
/// Unit attribute on such a loop: they are not the same amount of work.
inline constexpr llvm::StringLiteral kUnequalProgramsAttr = "tile.unequal_programs";
/// Unit attribute on a module: the launch is of as many thread blocks as run at once, and
/// passes the sides of the grid behind the arguments.
inline constexpr llvm::StringLiteral kLaunchGridAttr = "tile.launch_grid";
/// On a module: cooperating thread blocks of a program.
inline constexpr llvm::StringLiteral kNumCtasAttr = "tile.num_ctas";
/// On a module: on-chip bytes that a program needs, once buffers are planned.
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tile.shared_bytes";
/// On an op that exchanges data between threads: where its on-chip scratch
/// memory begins, in bytes, once buffers are planned.
inline constexpr llvm::StringLiteral kScratchOffsetAttr = "tile.scratch_offset";
/// On a module: bytes of working memory that a program needs.
inline constexpr llvm::StringLiteral kScratchBytesAttr = "tile.scratch_bytes";

/// On a module: warps that a program is launched with, where roles add some.
inline constexpr llvm::StringLiteral kLaunchWarpsAttr = "tile.launch_warps";
/// On a module: how the host makes each descriptor that the kernel still takes at
/// stage `scheduled`; they stand behind all other arguments.
inline constexpr llvm::StringLiteral kLaunchDescriptorsAttr = "tile.launch_descriptors";
/// On a descriptor, and on accesses by it: these are to be made by copies of whole
/// blocks.
inline constexpr llvm::StringLiteral kBlockCopyAttr = "tile.block_copy";

/// On a load by a descriptor: all thread blocks of the program load the same block.
inline constexpr llvm::StringLiteral kSameEverywhereAttr = "tile.same_everywhere";

/// Unit attribute of a module: accesses are to be checked against the arrays that
/// kernels are given.
inline constexpr llvm::StringLiteral kCheckBoundsAttr = "tile.check_bounds";

/// The target of the module around `op`, or null where none is stated.
TargetAttr getTarget(mlir::Operation *op);
/// The integer module attribute `name` around `op`, or `missing`.
int64_t getModuleInt(mlir::Operation *op, llvm::StringRef name, int64_t missing);

/// `type` with its element type replaced: a block (or a vector, in later stages)
/// keeps shape and layout, a scalar becomes `element`.
mlir::Type withElementType(mlir::Type type, mlir::Type element);
/// The element type of a block or vector, or the scalar type itself.
mlir::Type getElementType(mlir::Type type);
/// What a pointer, or a block of pointers, points to: scalar or block.
mlir::Type getPointeeLike(mlir::Type pointerLike);
/// The boolean, or block of booleans, of the same shape and layout.
mlir::Type getMaskLike(mlir::Type type);
/// The layout of a block; null for a scalar and before layouts are assigned.
LayoutAttr getLayout(mlir::Type type);
/// `type` with another layout; a scalar is left as it is.
mlir::Type withLayout(mlir::Type type, LayoutAttr layout);
/// The shape of a block; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);
/// A view of one block with its dimensions in another order.
BufferType getTransposedBuffer(BufferType buffer, llvm::ArrayRef<int32_t> order);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_TILEDIALECT_H
