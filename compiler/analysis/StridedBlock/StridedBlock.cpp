//===- StridedBlock.cpp - Loads whose elements lie at regular distances ---===//
#include "compiler/analysis/StridedBlock/StridedBlock.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/UniformMask/UniformMask.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <utility>

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// As integers of the program are multiplied: what overflows is left out.
static int64_t multiplyWrapping(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
}

static StridedSum scale(StridedSum sum, int64_t coefficient) {
  for (StridedTerm &term : sum)
    term.coefficient = multiplyWrapping(term.coefficient, coefficient);
  return sum;
}

static bool isUniform(const StridedSum &sum) {
  return llvm::none_of(sum, [](const StridedTerm &term) { return term.dim.has_value(); });
}

/// Whether the sum is what one number of the program is.
static bool isNumber(const StridedSum &sum) {
  return sum.size() == 1 && !sum.front().dim && sum.front().factors.size() <= 1 &&
         (sum.front().factors.empty() || sum.front().coefficient == 1);
}

static StridedSum multiply(const StridedSum &block, const StridedSum &numbers) {
  StridedSum product;
  for (const StridedTerm &first : block)
    for (const StridedTerm &second : numbers) {
      product.push_back(first);
      product.back().coefficient = multiplyWrapping(first.coefficient, second.coefficient);
      llvm::append_range(product.back().factors, second.factors);
    }
  return product;
}

/// Indices along the dimensions of another block.
static StridedSum renumber(StridedSum sum, llvm::function_ref<unsigned(unsigned)> getDim) {
  for (StridedTerm &term : sum)
    if (term.dim)
      term.dim = getDim(*term.dim);
  return sum;
}

namespace {
/// Collects what a block is the sum of, and what has to hold for that.
class SumReader {
public:
  explicit SumReader(StridedBlock &block) : block(block) {}
  std::optional<StridedSum> readNumbers(Value value);
  std::optional<StridedSum> readPointers(Value value);

private:
  std::optional<StridedSum> readScalar(Value number);
  std::optional<StridedSum> readView(Operation *op, bool ofPointers);
  std::optional<StridedSum> readProduct(arith::MulIOp op);
  std::optional<StridedSum> readRemainder(arith::RemSIOp op);
  std::optional<StridedSum> readChoice(arith::SelectOp op);
  std::optional<StridedSum> readExtension(arith::ExtSIOp op);
  std::optional<StridedSum> readAddress(AddPtrOp op);
  std::optional<StridedSum> readOperation(Operation *op);
  void bound(const StridedSum &sum, int64_t least, int64_t limit) {
    block.bounds.push_back({sum, least, Value(), limit});
  }
  void boundBy32Bits(const StridedSum &sum) {
    bound(sum, std::numeric_limits<int32_t>::min(), int64_t(1) << 31);
  }

  /// Values may have very many paths to their sources: such ones are no addresses that anybody
  /// writes.
  static constexpr size_t kMostSteps = 128, kMostTerms = 16;
  StridedBlock &block;
  size_t steps = 0;
};
} // namespace

std::optional<StridedSum> SumReader::readScalar(Value number) {
  if (APInt constant; matchPattern(number, m_ConstantInt(&constant)))
    return StridedSum{{constant.getSExtValue()}};
  return StridedSum{{1, {number}}};
}

std::optional<StridedSum> SumReader::readView(Operation *op, bool ofPointers) {
  Value source = op->getOperand(0);
  std::optional<StridedSum> sum = ofPointers ? readPointers(source) : readNumbers(source);
  if (!sum)
    return std::nullopt;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    auto axis = static_cast<unsigned>(expand.getAxis());
    return renumber(*sum, [&](unsigned dim) { return dim + (dim >= axis ? 1 : 0); });
  }
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return renumber(*sum, [&](unsigned dim) {
      return llvm::find(transpose.getOrder(), static_cast<int32_t>(dim)) -
             transpose.getOrder().begin();
    });
  return sum;
}

std::optional<StridedSum> SumReader::readProduct(arith::MulIOp op) {
  std::optional<StridedSum> first = readNumbers(op.getLhs());
  std::optional<StridedSum> second = first ? readNumbers(op.getRhs()) : std::nullopt;
  if (!second)
    return std::nullopt;
  if (isUniform(*second))
    return multiply(*first, *second);
  return isUniform(*first) ? std::optional(multiply(*second, *first)) : std::nullopt;
}

/// x % n is x where that is at least zero and below n.
std::optional<StridedSum> SumReader::readRemainder(arith::RemSIOp op) {
  std::optional<StridedSum> sum = readNumbers(op.getLhs());
  if (!sum)
    return std::nullopt;
  if (auto divisor = op.getRhs().getDefiningOp<SplatOp>()) {
    block.bounds.push_back({*sum, 0, divisor.getSource()});
    return sum;
  }
  DenseElementsAttr divisor;
  if (!matchPattern(op.getRhs(), m_Constant(&divisor)) || !divisor.isSplat())
    return std::nullopt;
  bound(*sum, 0, divisor.getSplatValue<APInt>().getSExtValue());
  return sum;
}

std::optional<StridedSum> SumReader::readChoice(arith::SelectOp op) {
  if (!isa<RankedTensorType>(op.getCondition().getType()) || !mayBeAllTrue(op.getCondition()))
    return std::nullopt;
  block.masks.push_back(op.getCondition());
  return readNumbers(op.getTrueValue());
}

std::optional<StridedSum> SumReader::readExtension(arith::ExtSIOp op) {
  std::optional<StridedSum> sum = readNumbers(op.getIn());
  if (!sum || !getElementType(op.getIn().getType()).isInteger(32))
    return std::nullopt;
  boundBy32Bits(*sum);
  return sum;
}

/// Sums and products of integers that overflow come back where the whole does not.
std::optional<StridedSum> SumReader::readNumbers(Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return readScalar(value);
  Operation *op = value.getDefiningOp();
  Type element = getElementType(value.getType());
  if (!op || !(element.isInteger(32) || element.isInteger(64)) || ++steps > kMostSteps)
    return std::nullopt;
  std::optional<StridedSum> sum = readOperation(op);
  return sum && sum->size() <= kMostTerms ? sum : std::nullopt;
}

std::optional<StridedSum> SumReader::readOperation(Operation *op) {
  DenseElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)))
    return elements.isSplat()
               ? std::optional(StridedSum{{elements.getSplatValue<APInt>().getSExtValue()}})
               : std::nullopt;
  using Sum = std::optional<StridedSum>;
  auto readBoth = [&](int64_t sign) -> Sum {
    Sum first = readNumbers(op->getOperand(0));
    Sum second = first ? readNumbers(op->getOperand(1)) : std::nullopt;
    if (second)
      llvm::append_range(*first, scale(*second, sign));
    return second ? first : std::nullopt;
  };
  return llvm::TypeSwitch<Operation *, Sum>(op)
      .Case([&](SplatOp splat) { return readScalar(splat.getSource()); })
      .Case([&](ArangeOp arange) {
        StridedSum sum{{static_cast<int64_t>(arange.getStart())}};
        if (int64_t size = getShape(arange.getType()).front(); size > 1)
          sum.push_back({1, {}, 0u, size});
        return sum;
      })
      .Case<BroadcastOp, ExpandDimsOp, TransposeOp, ConvertLayoutOp, HintOp>(
          [&](Operation *) { return readView(op, /*ofPointers=*/false); })
      .Case([&](arith::AddIOp) { return readBoth(1); })
      .Case([&](arith::SubIOp) { return readBoth(-1); })
      .Case([&](arith::MulIOp product) { return readProduct(product); })
      .Case([&](arith::RemSIOp remainder) { return readRemainder(remainder); })
      .Case([&](arith::SelectOp choice) { return readChoice(choice); })
      .Case([&](arith::ExtSIOp extension) { return readExtension(extension); })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<StridedSum> SumReader::readAddress(AddPtrOp op) {
  std::optional<StridedSum> sum = readPointers(op.getPointer());
  std::optional<StridedSum> offset = sum ? readNumbers(op.getOffset()) : std::nullopt;
  if (!offset)
    return std::nullopt;
  if (getElementType(op.getOffset().getType()).isInteger(32) && !isNumber(*offset))
    boundBy32Bits(*offset);
  llvm::append_range(*sum, *offset);
  return sum;
}

/// The base is what nothing is added to.
std::optional<StridedSum> SumReader::readPointers(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto address = dyn_cast_or_null<AddPtrOp>(op))
    return readAddress(address);
  if (auto splat = dyn_cast_or_null<SplatOp>(op))
    return readPointers(splat.getSource());
  if (isa_and_nonnull<BroadcastOp, ExpandDimsOp, TransposeOp, ConvertLayoutOp, HintOp>(op))
    return readView(op, /*ofPointers=*/true);
  if (isa<RankedTensorType>(value.getType()))
    return std::nullopt;
  block.base = value;
  return StridedSum();
}

//===----------------------------------------------------------------------===//
// What units copy
//===----------------------------------------------------------------------===//

SmallVector<int32_t> StridedBlock::getOrder() const {
  SmallVector<int32_t> order;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (dim != fastest)
      order.push_back(static_cast<int32_t>(dim));
  order.push_back(static_cast<int32_t>(fastest));
  return order;
}

const StridedTerm *StridedBlock::getStride(unsigned dim) const {
  auto found = llvm::find_if(offset, [&](const StridedTerm &term) { return term.dim == dim; });
  return found == offset.end() ? nullptr : found;
}

/// Elements that divide the stride.
static int64_t getDivisor(const StridedTerm &stride, const AccessAnalysis &patterns) {
  int64_t divisor = getPowerOfTwoPart(stride.coefficient);
  for (Value factor : stride.factors)
    divisor *= std::min<int64_t>(patterns.get(factor).divisibility.front(), 1024);
  return divisor;
}

/// One dimension with elements side by side, and one stride that the host knows for each other.
static bool haveStrides(StridedBlock &block, const AccessAnalysis &patterns, int64_t elements) {
  bool hasFastest = false;
  for (unsigned dim = 0; dim < block.shape.size(); ++dim) {
    auto isAlong = [&](const StridedTerm &term) { return term.dim == dim; };
    if (llvm::count_if(block.offset, isAlong) != (block.shape[dim] == 1 ? 0 : 1))
      return false;
    const StridedTerm *stride = block.getStride(dim);
    if (!stride)
      continue;
    if (stride->coefficient == 1 && stride->factors.empty()) {
      if (std::exchange(hasFastest, true))
        return false;
      block.fastest = dim;
      continue;
    }
    auto isKnown = [](Value factor) { return getLaunchExpression(factor).has_value(); };
    if (stride->coefficient <= 0 || !llvm::all_of(stride->factors, isKnown) ||
        getDivisor(*stride, patterns) % elements != 0)
      return false;
  }
  return hasFastest;
}

/// Whether the first element is the least, and 64 bits hold what the sum really is: of factors
/// below 2^31.
static bool canBeBounded(const StridedSum &sum) {
  constexpr int64_t kMostConstant = int64_t(1) << 31, kMostCoefficient = 1 << 24;
  constexpr int64_t kMostProducts = 2;
  auto isProduct = [](const StridedTerm &term) { return term.factors.size() > 1; };
  return llvm::count_if(sum, isProduct) <= kMostProducts &&
         llvm::all_of(sum, [&](const StridedTerm &term) {
           int64_t most = term.factors.empty() ? kMostConstant : kMostCoefficient;
           most /= term.size;
           bool isSmall = -most <= term.coefficient && term.coefficient <= most;
           bool isOne = term.coefficient == 1 || term.coefficient == -1;
           bool isPlain = !term.dim && isOne && term.factors.size() == 2;
           return (!term.dim || term.coefficient > 0) && isSmall && (!isProduct(term) || isPlain);
         });
}

std::optional<StridedBlock> tile::findStridedBlock(LoadOp load, const AccessAnalysis &patterns,
                                                   int64_t alignment) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || isa<PtrType>(type.getElementType()) || type.getElementTypeBitWidth() < 8)
    return std::nullopt;
  StridedBlock block;
  block.shape.assign(type.getShape().begin(), type.getShape().end());
  std::optional<StridedSum> offset = SumReader(block).readPointers(load.getPointer());
  if (!offset || !getLaunchExpression(block.base) ||
      patterns.get(block.base).divisibility.front() % alignment != 0 ||
      cast<PtrType>(block.base.getType()).getPointee() != type.getElementType())
    return std::nullopt;
  block.offset = *offset;
  int64_t elements = alignment * 8 / type.getElementTypeBitWidth();
  if (!haveStrides(block, patterns, elements))
    return std::nullopt;
  if (!llvm::all_of(block.bounds,
                    [](const StridedBlock::Bound &bound) { return canBeBounded(bound.sum); }))
    return std::nullopt;
  if (Value mask = load.getMask()) {
    if (!mayBeAllTrue(mask))
      return std::nullopt;
    block.masks.push_back(mask);
  }
  return block;
}
