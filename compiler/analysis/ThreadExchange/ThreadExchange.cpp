//===- ThreadExchange.cpp - On-chip memory that ops exchange data through ---===//
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/ThreadExchange/MovePlan.h"
#include "compiler/analysis/ThreadExchange/ReductionPlan.h"
#include "compiler/analysis/ThreadExchange/ScanPlan.h"
#include "compiler/analysis/ThreadExchange/SortPlan.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

unsigned tile::getMemoryBits(Type element) {
  if (element.isInteger(1))
    return 8;
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// Where copies of the next tile come while threads exchange what they store of this one, large
/// blocks go through scratch memory in passes, so that they leave the copies their buffers.
static int64_t getMostScratchBytes(TargetAttr target) {
  return target.getFact("role_warps") != 0 ? target.getFact("on_chip_bytes") / 3 : 0;
}

ConversionFacts tile::getConversionFacts(TargetAttr target, Type element) {
  ConversionFacts facts;
  facts.maxScratchBytes = getMostScratchBytes(target);
  facts.elementBits = getMemoryBits(element);
  facts.memory.lanes = target.getLanes();
  facts.memory.maxAccessBits = target.getFact("access_bits", 128);
  return facts;
}

static const LinearLayout &getBlockLayout(Type block) { return getLayout(block).getLayout(); }

/// Bytes to bring a block from one layout to another.
static int64_t getConversionBytes(Operation *op, Type block, const LinearLayout &source,
                                  const LinearLayout &result, ArrayRef<int64_t> shape) {
  ConversionFacts facts = getConversionFacts(getTarget(op), getElementType(block));
  return planConversion(source, result, shape, facts).getScratchBytes();
}

/// Whether all threads have elements of their own, so that nobody has to be told.
static bool isEachOwner(Operation *op, const LinearLayout &layout) {
  return layout.getInSize(Dim::Lane) == getTarget(op).getLanes() &&
         layout.getInSize(Dim::Warp) == getModuleInt(op, kNumWarpsAttr, 1) && layout.hasOneOwner();
}

/// Bytes to give a result that few threads have to all that hold it.
static int64_t getBroadcastBytes(Operation *op, Type result) {
  if (op->use_empty())
    return 0;
  if (!isa<RankedTensorType>(result))
    return getMemoryBits(result) / 8;
  const LinearLayout &layout = getBlockLayout(result);
  if (isEachOwner(op, layout))
    return 0;
  std::optional<MemoryPlan> plan = planMemory(
      layout, layout, getShape(result), getConversionFacts(getTarget(op), getElementType(result)));
  return plan ? plan->scratchBytes : 0;
}

JointMove tile::planJointMove(TargetAttr target, ArrayRef<Type> elements,
                              const LinearLayout &source, const LinearLayout &result,
                              ArrayRef<int64_t> shape) {
  constexpr int64_t kMaxBytesAtOnce = 8192, kAlignment = 16;
  JointMove move;
  int64_t sum = 0;
  bool isOneRound = elements.size() > 1;
  for (Type element : elements) {
    ConversionPlan &plan = move.plans.emplace_back(
        planConversion(source, result, shape, getConversionFacts(target, element)));
    auto *memory = std::get_if<MemoryPlan>(&plan.steps);
    isOneRound &= memory && memory->passes.size() == 1 && !memory->isWithinWarps;
    move.offsets.push_back(sum);
    move.bytes = std::max(move.bytes, plan.getScratchBytes());
    sum = llvm::alignTo(sum + plan.getScratchBytes(), kAlignment);
  }
  move.isAtOnce = isOneRound && sum <= kMaxBytesAtOnce;
  if (move.isAtOnce)
    move.bytes = sum;
  else
    llvm::fill(move.offsets, 0);
  return move;
}

static int64_t getReductionBytes(ReduceOp op) {
  Type block = op.getSources().front().getType(), result = op.getReduced().front().getType();
  unsigned axis = op.getAxis();
  int64_t lanes = getTarget(op).getLanes(), warps = getModuleInt(op, kNumWarpsAttr, 1);
  LinearLayout layout = getBlockLayout(block), plain;
  std::optional<ReductionPlan> plan = planSplitReduction(layout, axis);
  if (!plan) {
    plain = getReducibleLayout(getShape(block), lanes, warps);
    plan = planSplitReduction(plain, axis);
  }
  int64_t bytes = 0;
  SmallVector<Type> elements;
  for (Value source : op.getSources()) {
    Type type = source.getType();
    elements.push_back(getElementType(type));
    if (plain.getRank() > 0)
      bytes = std::max(bytes, getConversionBytes(op, type, layout, plain, getShape(type)));
  }
  // Where the axis is padded, what says which elements count goes along.
  if ((plain.getRank() > 0 ? plain : layout).getDimSize(axis) != getShape(block)[axis])
    elements.push_back(IntegerType::get(op.getContext(), 1));
  const LinearLayout *wanted = isa<RankedTensorType>(result) ? &getBlockLayout(result) : nullptr;
  SmallVector<int64_t> shape(getShape(result));
  if (plan->warps > 1) {
    shape.insert(shape.begin() + axis, plan->warps);
    LinearLayout gathered = getGatheredLayout(wanted, axis, plan->warps, lanes, warps);
    bytes = std::max(bytes,
                     planJointMove(getTarget(op), elements, plan->partial, gathered, shape).bytes);
  } else if (wanted) {
    LinearLayout partial = plan->partial.squeezed(axis);
    bytes = std::max(bytes, planJointMove(getTarget(op), elements, partial, *wanted, shape).bytes);
  }
  return bytes;
}

bool tile::meetsInside(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return (isAtomic(op) || isa<TimerOp>(op)) &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  std::optional<ReductionPlan> plan =
      planReduction(getBlockLayout(reduce.getSources().front().getType()), reduce.getAxis());
  return plan && plan->warps > 1;
}

static int64_t getScanBytes(ScanOp op) {
  Type block = op.getSources().front().getType();
  int64_t lanes = getTarget(op).getLanes(), warps = getModuleInt(op, kNumWarpsAttr, 1);
  LinearLayout layout = getBlockLayout(block), plain = layout;
  std::optional<ScanPlan> plan = planScan(layout, op.getAxis());
  if (!plan) {
    plain = getScannableLayout(getShape(block), op.getAxis(), lanes, warps);
    plan = planScan(plain, op.getAxis());
  }
  int64_t bytes = 0;
  for (Value source : op.getSources()) {
    Type type = source.getType();
    if (plain != layout)
      for (auto [from, to] : {std::pair(layout, plain), std::pair(plain, layout)})
        bytes = std::max(bytes, getConversionBytes(op, type, from, to, getShape(type)));
    if (plan && plan->inner.warps > 1)
      bytes = std::max(bytes, getConversionBytes(op, type, plan->inner.partial,
                                                 plan->getGatheredLayout(lanes, warps),
                                                 plan->inner.partial.getShape()));
  }
  return bytes;
}

/// Keys are moved in words of 32 or 64 bits; places, if any, in the same word
/// or one of their own.
static int64_t getSortBytes(SortOp op) {
  RankedTensorType source = op.getSource().getType(), sorted = op.getSorted().getType();
  int64_t lanes = getTarget(op).getLanes(), warps = getModuleInt(op, kNumWarpsAttr, 1);
  SortPlan plan = planSort(source.getShape(), sorted.getShape().back(), lanes, warps);
  bool isWide = source.getElementTypeBitWidth() > 32 || op.getPlaces();
  Type word = IntegerType::get(op.getContext(), isWide ? 64 : 32);
  int64_t bytes = std::max(
      getConversionBytes(op, source, getBlockLayout(source), plan.first, source.getShape()),
      getConversionBytes(op, sorted, plan.last, getBlockLayout(sorted), sorted.getShape()));
  if (Value places = op.getPlaces())
    bytes =
        std::max(bytes, getConversionBytes(op, places.getType(), plan.last,
                                           getBlockLayout(places.getType()), sorted.getShape()));
  LinearLayout layout = plan.first;
  for (const SortStep &step : plan.steps) {
    if (step.kind == SortStep::Move)
      bytes = std::max(bytes, getConversionBytes(op, word, layout, step.layout, layout.getShape()));
    if (step.kind == SortStep::Move || step.kind == SortStep::Keep)
      layout = step.layout;
  }
  return bytes;
}

/// A product without a unit gathers rows and columns.
static int64_t getDotBytes(DotOp op) {
  if (op.getUnitAttr())
    return 0;
  int64_t bytes = 0;
  for (auto [value, operand] : {std::pair<Value, MatmulOperand>(op.getA(), MatmulOperand::A),
                                std::pair<Value, MatmulOperand>(op.getB(), MatmulOperand::B)}) {
    Type type = value.getType();
    LinearLayout wanted = getScalarDotLayout(getBlockLayout(op.getType()), operand, getShape(type));
    bytes =
        std::max(bytes, getConversionBytes(op, type, getBlockLayout(type), wanted, getShape(type)));
  }
  return bytes;
}

int64_t tile::getExchangeBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ConvertLayoutOp convert) {
        Type source = convert.getSource().getType();
        return getConversionBytes(convert, source, getBlockLayout(source),
                                  getBlockLayout(convert.getType()), getShape(source));
      })
      .Case([](ReduceOp reduce) { return getReductionBytes(reduce); })
      .Case<GatherOp, CatOp, ExtractOp, ReshapeOp>([](auto move) { return getMoveBytes(move); })
      .Case([](DotOp dot) { return getDotBytes(dot); })
      .Case([](ScanOp scan) { return getScanBytes(scan); })
      .Case([](SortOp sort) { return getSortBytes(sort); })
      .Case([](HistogramOp histogram) -> int64_t {
        return 4 * histogram.getCounts().getType().getNumElements();
      })
      .Case<AtomicRMWOp, AtomicCASOp, AtomicLoadOp>(
          [](auto atomic) { return getBroadcastBytes(atomic, atomic.getResult().getType()); })
      .Case<AtomicPollOp, TimerOp>(
          [](auto op) { return getBroadcastBytes(op, op.getResult().getType()); })
      .Case([](DescriptorAllocOp) -> int64_t { return sizeof(uint64_t); }) // an address
      // One thread writes it there first.
      .Case([](DescriptorSetOp set) { return getTarget(set).getFact("descriptor_bytes"); })
      .Case([](LoadOp load) -> int64_t {
        bool isShared = load.getIsVolatile() && !isa<RankedTensorType>(load.getType());
        return isShared ? getBroadcastBytes(load, load.getType()) : 0;
      })
      .Default([](Operation *) { return 0; });
}
