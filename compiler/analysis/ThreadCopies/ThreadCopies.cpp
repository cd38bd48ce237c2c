//===- ThreadCopies.cpp - Loads that threads make as copies ---------------===//
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/LinearLayout/Swizzle.h"
#include "compiler/analysis/OperandSource/OperandSource.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// What is asked of a load
//===----------------------------------------------------------------------===//

/// Zero, also as one of another type, shape or layout.
static bool isZero(Value value) {
  if (matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()))
    return true;
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp,
                         ConvertLayoutOp, CastOp, arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp,
                         arith::TruncIOp, arith::ExtSIOp>(op) &&
         isZero(op->getOperand(0));
}

Value tile::getOtherThanZero(LoadOp load) {
  Value other = load.getOther();
  return other && load.getMask() && !isZero(other) ? other : Value();
}

CopyRun tile::findCopyRun(LoadOp load, const AccessAnalysis &patterns) {
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bits = std::max(8u, type.getElementTypeBitWidth());
  const LinearLayout &layout = getLayout(type).getLayout();
  CopyRun best;
  for (int64_t bytes : getTarget(load).getAsyncCopyBytes()) {
    int64_t width = bytes * 8 / bits;
    if (width <= best.width || width * bits != bytes * 8)
      continue;
    // Of single elements the last dimension is as good as any.
    for (unsigned dim = layout.getRank(); dim-- > 0;)
      if (type.getDimSize(dim) % width == 0 &&
          patterns.getVectorWidth(load.getPointer(), load.getMask(), dim, bytes * 8,
                                  /*partial=*/true) >= width &&
          layout.getContiguity(dim, width) >= width) {
        best = {width, dim};
        break;
      }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Where the block lies
//===----------------------------------------------------------------------===//

/// How the unit of `dot` may read a fragment of layout `registers` whose memory
/// runs along `fastest`, in elements of `bits`.
static std::optional<CollectiveAccess> findCollective(DotOp dot, MatmulOperand operand,
                                                      const LinearLayout &registers,
                                                      unsigned fastest, unsigned bits) {
  if (!dot)
    return std::nullopt;
  MatmulUnit unit = dot.getUnitAttr();
  if (!unit)
    return std::nullopt;
  for (bool alongK : {true, false}) {
    std::optional<CollectiveAccess> access = unit.getCollectiveRead(operand, alongK);
    if (!access || !access->moves(bits))
      continue;
    InputBit first = access->row.front();
    const LinearMap &tile = registers.getTile();
    if (first.bit < tile.getInBits(first.dim) &&
        tile.getColumn(first.dim, first.bit, tensorDim(fastest)) == 1)
      return access;
  }
  return std::nullopt;
}

bool tile::feedsOnChip(LoadOp load) {
  auto [dot, operand] = findFedDot(load);
  if (!dot || !isReadOnChip(dot, operand))
    return false;
  return traceOperand(operand == MatmulOperand::A ? dot.getA() : dot.getB()).block == load;
}

/// What a unit that reads on-chip memory wants of the block that `load` copies
/// there in runs along `fastest`.
static std::optional<LinearLayout> findUnitLayout(LoadOp load, unsigned bits, unsigned fastest) {
  if (!feedsOnChip(load))
    return std::nullopt;
  auto [dot, which] = findFedDot(load);
  Value operand = which == MatmulOperand::A ? dot.getA() : dot.getB();
  OperandSource source = traceOperand(operand);
  std::optional<LinearLayout> layout = dot.getUnitAttr().getOnChipLayout(
      which, getShape(operand.getType()), bits, source.getOperandDim(fastest));
  return layout ? std::optional(source.getBlockLayout(*layout)) : std::nullopt;
}

BufferType tile::chooseBuffer(LoadOp load, CopyRun run) {
  auto [width, fastest] = run;
  auto type = cast<RankedTensorType>(load.getType());
  ArrayRef<int64_t> shape = type.getShape();
  unsigned bits = std::max(8u, type.getElementTypeBitWidth());
  const LinearLayout &registers = getLayout(type).getLayout();
  if (std::optional<LinearLayout> layout = findUnitLayout(load, bits, fastest))
    return BufferType::get(load.getContext(), shape, type.getElementType(),
                           LayoutAttr::get(load.getContext(), *layout));
  SmallVector<int64_t> tileShape = llvm::map_to_vector(shape, getPowerOfTwoPart);
  MemoryFacts facts;
  facts.lanes = getTarget(load).getLanes();
  SmallVector<AccessPattern> patterns{
      getRegisterPattern(registers, tileShape, width, bits, facts, fastest)};
  auto [dot, operand] = findFedDot(load);
  for (Operation *user : load->getUsers()) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (!convert || patterns.size() == 2)
      continue;
    const LinearLayout &wanted = getLayout(convert.getType()).getLayout();
    std::optional<CollectiveAccess> collective =
        findCollective(dot, operand, wanted, fastest, bits);
    // Of the copies' runs threads read what they have of each.
    int64_t run = wanted.getContiguity(fastest, width);
    patterns.push_back(collective
                           ? getCollectivePattern(wanted, tileShape, *collective, bits, facts)
                           : getRegisterPattern(wanted, tileShape, run, bits, facts, fastest));
  }
  std::optional<LinearLayout> memory = chooseMemoryLayout(shape, tileShape, patterns, bits, facts);
  if (!memory)
    memory = chooseMemoryLayout(shape, tileShape, ArrayRef(patterns).take_front(), bits, facts);
  if (!memory) {
    SmallVector<unsigned> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    memory = getStridedLayout(shape, order);
  }
  return BufferType::get(load.getContext(), shape, type.getElementType(),
                         LayoutAttr::get(load.getContext(), *memory));
}
