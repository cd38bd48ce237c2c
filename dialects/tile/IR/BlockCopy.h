//===- BlockCopy.h - Copies of whole blocks between arrays and chip -------===//
//
// A machine with such copies (the target's fact `block_copy_box`: the most
// elements of a dimension that one moves) takes a descriptor, a place and an
// address on chip. It writes a box of the array in rows of up to 128 bytes, and
// may permute their 16-byte groups.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_BLOCKCOPY_H
#define TILE_DIALECTS_TILE_IR_BLOCKCOPY_H

#include "dialects/tile/IR/TileDialect.h"

namespace tile {

/// How copies move a block: in pieces along its last dimension.
struct BlockCopyBox {
  /// What one copy moves.
  llvm::SmallVector<int64_t, 5> shape;
  /// Bytes of a row whose 16-byte groups are permuted; 0: they are not.
  int32_t swizzleBytes = 0;
  int64_t pieces = 1;
  /// From one piece to the next, in the buffer.
  int64_t pieceBytes = 0;
};

/// How the machine around `op` copies the block of a buffer (or one block of a
/// stack); nothing if its copies do not write the buffer's layout.
std::optional<BlockCopyBox> getBlockCopyBox(mlir::Operation *op, BufferType buffer);

/// How each thread block of a program copies its share of a block for all of them:
/// to the places that it has in the whole.
struct BlockCopyShare {
  /// `shape` and `pieces` of one share; `pieceBytes` as in the whole.
  BlockCopyBox box;
  /// Shares follow each other along this dimension of the array ...
  unsigned dim = 0;
  /// ... after so many elements there, and bytes in the buffer.
  int64_t elements = 0, bytes = 0;
};

/// Nothing if the block does not divide into `parts` shares.
std::optional<BlockCopyShare> getBlockCopyShare(mlir::Operation *op, BufferType buffer,
                                                int64_t parts);

/// How each warp stores the part of a block that it has in a layout of registers.
struct BlockCopyPart {
  /// Where something lies: in the block, and in the buffer.
  struct Place {
    llvm::SmallVector<int64_t, 2> indices;
    int64_t bytes = 0;
  };
  /// A digit of a warp's number, and how far one more of it moves the copies.
  struct Digit {
    int64_t divisor, count;
    Place step;
  };
  /// What one copy moves.
  BlockCopyBox box;
  /// The first warp's copies.
  llvm::SmallVector<Place> copies;
  llvm::SmallVector<Digit> warps;
};

/// Nothing if the parts are no boxes, or too many for copies to be worth it.
std::optional<BlockCopyPart> getBlockCopyPart(mlir::Operation *op, BufferType buffer,
                                              const LinearLayout &registers);

/// A layout for blocks that the machine around `op` copies; nothing if it can not.
std::optional<LinearLayout>
chooseBlockCopyLayout(mlir::Operation *op, llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// A buffer for a block that `access`, by a descriptor, copies; the machine must be able to.
BufferType getBlockCopyBuffer(mlir::Operation *access);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_BLOCKCOPY_H
