//===- BlockCopy.cpp - Copies of whole blocks between arrays and chip -----===//
#include "dialects/tile/IR/BlockCopy.h"

#include "compiler/analysis/LinearLayout/Constructors.h"

#include <numeric>

using namespace mlir;
using namespace tile;

/// Copies move whole groups of this size.
static constexpr int64_t kGroupBytes = 16;
/// They write to multiples of this address, and permute groups by address: blocks
/// of a stack are alike only where each begins at a multiple of the second one.
static constexpr int64_t kAlignment = 128, kSwizzleAlignment = 1024;

namespace {
struct Candidate {
  BlockCopyBox box;
  LinearLayout layout;
};
} // namespace

/// Where rows of the block lie in columns of up to 128 bytes, else as they are.
static std::optional<Candidate> findCandidate(Operation *op, ArrayRef<int64_t> shape,
                                              unsigned bits) {
  int64_t most = getTarget(op) ? getTarget(op).getFact("block_copy_box") : 0;
  int64_t rowBytes = shape.back() * bits / 8;
  if (most == 0 || shape.size() > 5 || bits < 8 || rowBytes % kGroupBytes != 0 ||
      llvm::any_of(shape.drop_back(), [&](int64_t size) { return size > most; }))
    return std::nullopt;
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  int64_t blockBytes = llvm::product_of(shape) * bits / 8;
  if (blockBytes % kAlignment != 0)
    return std::nullopt;
  bool mayPermute = shape.size() > 1 && blockBytes % kSwizzleAlignment == 0;
  unsigned bytes = mayPermute ? chooseSwizzleBytes(shape, order, bits) : 0;
  BlockCopyBox box;
  box.shape.assign(shape.begin(), shape.end());
  if (bytes > kGroupBytes) {
    box.shape.back() = bytes * 8 / bits;
    box.swizzleBytes = static_cast<int32_t>(bytes);
  } else if (shape.back() > most) {
    return std::nullopt;
  }
  box.pieces = shape.back() / box.shape.back();
  box.pieceBytes =
      std::accumulate(box.shape.begin(), box.shape.end(), bits / 8, std::multiplies<int64_t>());
  LinearLayout layout = box.swizzleBytes ? getByteSwizzledLayout(shape, order, bits, bytes)
                                         : getStridedLayout(shape, order);
  return Candidate{box, layout};
}

std::optional<BlockCopyBox> tile::getBlockCopyBox(Operation *op, BufferType buffer) {
  std::optional<Candidate> candidate =
      findCandidate(op, buffer.getBlockShape(), buffer.getElementBytes() * 8);
  if (!candidate || candidate->layout != buffer.getLayout().getLayout())
    return std::nullopt;
  return candidate->box;
}

/// Whole pieces where they divide, else rows of each.
std::optional<BlockCopyShare> tile::getBlockCopyShare(Operation *op, BufferType buffer,
                                                      int64_t parts) {
  std::optional<BlockCopyBox> whole = getBlockCopyBox(op, buffer);
  if (!whole)
    return std::nullopt;
  BlockCopyShare share{*whole};
  if (whole->pieces % parts == 0) {
    share.box.pieces /= parts;
    share.dim = whole->shape.size() - 1;
    share.elements = share.box.pieces * whole->shape.back();
    share.bytes = share.box.pieces * whole->pieceBytes;
    return share;
  }
  int64_t alignment = whole->swizzleBytes ? kSwizzleAlignment : kAlignment;
  while (share.dim + 1 < whole->shape.size() && whole->shape[share.dim] == 1)
    ++share.dim;
  int64_t &size = share.box.shape[share.dim];
  int64_t elementBytes = buffer.getElementBytes();
  if (size % parts != 0 || whole->pieceBytes % (parts * alignment) != 0 ||
      (share.dim + 1 == whole->shape.size() && size / parts * elementBytes % kGroupBytes != 0))
    return std::nullopt;
  size /= parts;
  share.elements = size;
  share.bytes = whole->pieceBytes / parts;
  return share;
}

std::optional<LinearLayout> tile::chooseBlockCopyLayout(Operation *op, ArrayRef<int64_t> shape,
                                                        Type element) {
  if (element.getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  std::optional<Candidate> candidate = findCandidate(op, shape, element.getIntOrFloatBitWidth());
  return candidate ? std::optional(candidate->layout) : std::nullopt;
}
