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
/// Bits of a block's coordinates, by who holds what differs in them.
class PartBits {
public:
  explicit PartBits(const LinearLayout &layout) : layout(layout), ofWarps(layout.getRank()) {
    for (auto &[in, steps] : layout.getBases())
      for (const LinearLayout::Basis &step : steps)
        if (!add(step, in == Dim::Warp))
          isSimple = false;
  }
  /// Whether each warp has a part, of which every bit of its number moves one coordinate.
  bool areParts() const {
    return isSimple && layout.isLinear() && layout.isInjective() &&
           layout.getInSize(Dim::Block) == 1;
  }
  /// Elements in a row along `dim` that a warp has, from a multiple of their number on.
  int64_t getRun(unsigned dim) const {
    int64_t size = layout.getDimSize(dim);
    return ofWarps[dim] ? std::min<int64_t>(size, ofWarps[dim] & -ofWarps[dim]) : size;
  }
  int64_t getWarpBits(unsigned dim) const { return ofWarps[dim]; }

private:
  bool add(const LinearLayout::Basis &step, bool isOfWarp) {
    unsigned moved = llvm::count_if(step, [](int64_t value) { return value != 0; });
    for (auto [dim, value] : llvm::enumerate(step))
      if (isOfWarp)
        ofWarps[dim] |= value;
    return !isOfWarp || (moved == 1 && llvm::all_of(step, [](int64_t value) {
                           return value == 0 || llvm::isPowerOf2_64(value);
                         }));
  }

  const LinearLayout &layout;
  SmallVector<int64_t> ofWarps;
  bool isSimple = true;
};
} // namespace

/// Rows of a box lie side by side in the buffer; boxes begin where permutations do.
std::optional<BlockCopyPart> tile::getBlockCopyPart(Operation *op, BufferType buffer,
                                                    const LinearLayout &registers) {
  constexpr size_t kMostCopies = 16;
  std::optional<BlockCopyBox> whole = getBlockCopyBox(op, buffer);
  ArrayRef<int64_t> shape = buffer.getBlockShape();
  PartBits bits(registers);
  if (!whole || shape.size() != 2 || !bits.areParts() ||
      ArrayRef<int64_t>(registers.getShape()) != shape || bits.getRun(1) < whole->shape[1])
    return std::nullopt;
  int64_t rowBytes = whole->shape[1] * buffer.getElementBytes();
  BlockCopyPart part{*whole, {{{0, 0}, 0}}, {}};
  part.box.shape[0] = bits.getRun(0);
  part.box.pieces = 1;
  int64_t alignment = whole->swizzleBytes ? kSwizzleAlignment : kAlignment;
  if (part.box.shape[0] * rowBytes % alignment != 0)
    return std::nullopt;
  auto getPlace = [&](unsigned dim, int64_t value) {
    BlockCopyPart::Place place{{0, 0}, 0};
    place.indices[dim] = value;
    place.bytes = dim == 0 ? value * rowBytes : value / whole->shape[1] * whole->pieceBytes;
    return place;
  };
  for (unsigned dim : {0u, 1u})
    for (int64_t bit = part.box.shape[dim]; bit < shape[dim]; bit *= 2) {
      if (bits.getWarpBits(dim) & bit)
        continue;
      BlockCopyPart::Place step = getPlace(dim, bit);
      for (size_t i = 0, count = part.copies.size(); i < count; ++i) {
        BlockCopyPart::Place copy = part.copies[i];
        copy.indices[dim] += step.indices[dim];
        copy.bytes += step.bytes;
        part.copies.push_back(copy);
      }
    }
  for (auto &[in, steps] : registers.getBases())
    for (const LinearLayout::Basis &step : steps)
      if (in == Dim::Warp)
        part.warps.push_back(getPlace(step[0] ? 0 : 1, step[0] ? step[0] : step[1]));
  if (part.copies.size() > kMostCopies)
    return std::nullopt;
  return part;
}

std::optional<LinearLayout> tile::chooseBlockCopyLayout(Operation *op, ArrayRef<int64_t> shape,
                                                        Type element) {
  if (element.getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  std::optional<Candidate> candidate = findCandidate(op, shape, element.getIntOrFloatBitWidth());
  return candidate ? std::optional(candidate->layout) : std::nullopt;
}
