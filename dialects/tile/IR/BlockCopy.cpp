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

namespace {
/// Finds the parts that warps have of a block of two dimensions.
class PartFinder {
public:
  PartFinder(BufferType buffer, const BlockCopyBox &whole, const LinearLayout &registers)
      : buffer(buffer), layout(registers), tileShape(registers.getTileShape()),
        part{whole, {}, {}} {
    part.copies.push_back({{0, 0}, 0});
    rowBytes = whole.shape[1] * buffer.getElementBytes();
  }
  std::optional<BlockCopyPart> find();

private:
  bool findWarps();
  bool areBoxes() const;
  int64_t getRun(unsigned dim) const;
  BlockCopyPart::Place getPlace(unsigned dim, int64_t index) const;
  void repeatCopies(unsigned dim, int64_t step, int64_t count);

  BufferType buffer;
  const LinearLayout &layout;
  SmallVector<int64_t> tileShape;
  BlockCopyPart part;
  int64_t rowBytes;
  /// Bits of each coordinate that warps move, within the layout's tile.
  int64_t warpBits[2] = {0, 0};
};
} // namespace

/// Where an index along a dimension, a multiple of the box's size, lies.
BlockCopyPart::Place PartFinder::getPlace(unsigned dim, int64_t index) const {
  BlockCopyPart::Place place{{0, 0}, 0};
  place.indices[dim] = index;
  place.bytes = dim == 0 ? index * rowBytes : index / part.box.shape[1] * part.box.pieceBytes;
  return place;
}

/// What moves warps: bits of one coordinate each, then counts along a dimension.
bool PartFinder::findWarps() {
  int64_t divisor = 1;
  auto add = [&](unsigned dim, int64_t step, int64_t count) {
    part.warps.push_back({divisor, count, getPlace(dim, step)});
    divisor *= count;
  };
  for (auto &[in, steps] : layout.getBases()) {
    if (in != Dim::Warp)
      continue;
    for (const LinearLayout::Basis &step : steps) {
      unsigned dim = step[0] ? 0 : 1;
      if (step[1 - dim] || !llvm::isPowerOf2_64(step[dim]))
        return false;
      warpBits[dim] |= step[dim];
      add(dim, step[dim], 2);
    }
  }
  SmallVector<int64_t> covered(tileShape);
  for (const Repeat &repeat : layout.getRepeats()) {
    unsigned dim = tensorIndex(repeat.out);
    if (repeat.in == Dim::Warp)
      add(dim, covered[dim], repeat.count);
    else
      repeatCopies(dim, covered[dim], repeat.count);
    covered[dim] *= repeat.count;
  }
  return true;
}

/// Whether threads of a warp, and their registers, differ in what no warp moves.
bool PartFinder::areBoxes() const {
  return llvm::all_of(layout.getBases(), [&](auto &part) {
    return part.first == Dim::Warp ||
           llvm::none_of(part.second, [&](const LinearLayout::Basis &step) {
             return (step[0] & warpBits[0]) || (step[1] & warpBits[1]);
           });
  });
}

/// Elements in a row along `dim` that a warp has, from a multiple of their number on.
int64_t PartFinder::getRun(unsigned dim) const {
  int64_t lowest = warpBits[dim] & -warpBits[dim];
  return lowest ? lowest : tileShape[dim];
}

void PartFinder::repeatCopies(unsigned dim, int64_t step, int64_t count) {
  SmallVector<BlockCopyPart::Place> before(part.copies);
  for (int64_t i = 1; i < count; ++i) {
    BlockCopyPart::Place offset = getPlace(dim, i * step);
    for (BlockCopyPart::Place copy : before) {
      copy.indices[dim] += offset.indices[dim];
      copy.bytes += offset.bytes;
      part.copies.push_back(copy);
    }
  }
}

/// Rows of a box lie side by side in the buffer; boxes begin where permutations do.
std::optional<BlockCopyPart> PartFinder::find() {
  constexpr size_t kMostCopies = 16;
  auto moves = [](const Repeat &repeat) { return isTensorDim(repeat.out); };
  if (!layout.isInjective() || layout.getInSize(Dim::Block) != 1 ||
      !llvm::all_of(layout.getRepeats(), moves) ||
      ArrayRef<int64_t>(layout.getShape()) != buffer.getBlockShape() || !findWarps() ||
      !areBoxes() || getRun(1) < part.box.shape[1])
    return std::nullopt;
  part.box.shape[0] = getRun(0);
  part.box.pieces = 1;
  int64_t alignment = part.box.swizzleBytes ? kSwizzleAlignment : kAlignment;
  if (part.box.shape[0] * rowBytes % alignment != 0)
    return std::nullopt;
  for (unsigned dim : {0u, 1u})
    for (int64_t bit = part.box.shape[dim]; bit < tileShape[dim]; bit *= 2)
      if (!(warpBits[dim] & bit))
        repeatCopies(dim, bit, 2);
  if (part.copies.size() > kMostCopies)
    return std::nullopt;
  return part;
}

std::optional<BlockCopyPart> tile::getBlockCopyPart(Operation *op, BufferType buffer,
                                                    const LinearLayout &registers) {
  std::optional<BlockCopyBox> whole = getBlockCopyBox(op, buffer);
  if (!whole || whole->shape.size() != 2)
    return std::nullopt;
  return PartFinder(buffer, *whole, registers).find();
}

std::optional<LinearLayout> tile::chooseBlockCopyLayout(Operation *op, ArrayRef<int64_t> shape,
                                                        Type element) {
  if (element.getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  std::optional<Candidate> candidate = findCandidate(op, shape, element.getIntOrFloatBitWidth());
  return candidate ? std::optional(candidate->layout) : std::nullopt;
}

BufferType tile::getBlockCopyBuffer(Operation *access) {
  auto desc = cast<DescType>(access->getOperand(0).getType());
  LinearLayout layout = *chooseBlockCopyLayout(access, desc.getShape(), desc.getElementType());
  return BufferType::get(access->getContext(), desc.getShape(), desc.getElementType(),
                         LayoutAttr::get(access->getContext(), layout));
}
