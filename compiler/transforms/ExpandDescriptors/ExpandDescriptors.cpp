//===- ExpandDescriptors.cpp - Descriptors become pointers and masks ------===//
#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h"

#include "compiler/analysis/PointerBase/PointerBase.h"
#include "compiler/transforms/ExpandDescriptors/BlockAccess.h"
#include "compiler/transforms/ExpandDescriptors/BlockCopies.h"
#include "compiler/transforms/ExpandDescriptors/LoadedArrays.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDDESCRIPTORS
#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// What divides the base and the strides of a host's descriptor.
static constexpr int64_t kAlignment = 16;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// What is known of the parts of an argument that was a descriptor, one each.
static SmallVector<DictionaryAttr> getPartAttributes(DescType type, DictionaryAttr known) {
  Builder b(type.getContext());
  auto divisible = [&](int64_t divisor) {
    return b.getDictionaryAttr(
        b.getNamedAttr(kDivisibilityAttr, b.getI32IntegerAttr(static_cast<int32_t>(divisor))));
  };
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  SmallVector<DictionaryAttr> attributes{divisible(kAlignment)};
  attributes.append(type.getRank() - 1, b.getDictionaryAttr({}));
  attributes.push_back(known);
  attributes.append(type.getRank() - 1, divisible(std::max<int64_t>(1, kAlignment / bytes)));
  return attributes;
}

void tile::splitDescriptorArguments(func::FuncOp function) {
  if (function.isExternal())
    return;
  Block &entry = function.front();
  SmallVector<DictionaryAttr> attributes;
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  unsigned count = entry.getNumArguments();
  for (unsigned next = 0, i = 0; i < count; ++i) {
    BlockArgument argument = entry.getArgument(next);
    DictionaryAttr known = function.getArgAttrDict(i);
    known = known ? known : b.getDictionaryAttr({});
    auto type = dyn_cast<DescType>(argument.getType());
    if (!type) {
      attributes.push_back(known);
      ++next;
      continue;
    }
    SmallVector<Value> parts;
    for (Type part : DescriptorParts::getTypes(type))
      parts.push_back(entry.insertArgument(++next, part, argument.getLoc()));
    auto [base, sizes, strides] = DescriptorParts::get(parts);
    argument.replaceAllUsesWith(
        MakeDescriptorOp::create(b, argument.getLoc(), type, base, sizes, strides));
    llvm::append_range(attributes, getPartAttributes(type, known));
    entry.eraseArgument(argument.getArgNumber()); // `next` is behind the parts now
  }
  function.setFunctionType(FunctionType::get(function.getContext(), entry.getArgumentTypes(),
                                             function.getResultTypes()));
  function.setAllArgAttrs(attributes);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// make_descriptor(base, sizes, strides)  ->  base, sizes, strides
struct TakeApart : OpConversionPattern<MakeDescriptorOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(MakeDescriptorOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getOperands()});
    return success();
  }
};

/// A part of what is known to be a descriptor.
template <typename Op> struct TakePart : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op,
                                typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    DescriptorParts parts = DescriptorParts::get(adaptor.getDesc());
    if constexpr (std::is_same_v<Op, DescriptorBaseOp>)
      rewriter.replaceOp(op, parts.base);
    else if constexpr (std::is_same_v<Op, DescriptorSizeOp>)
      rewriter.replaceOp(op, parts.sizes[op.getDim()]);
    else
      rewriter.replaceOp(op, parts.strides[op.getDim()]);
    return success();
  }
};

struct SelectParts : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [yes, no] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(
          arith::SelectOp::create(rewriter, op.getLoc(), adaptor.getCondition().front(), yes, no));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// A descriptor that no path defines.
struct PoisonParts : OpConversionPattern<ub::PoisonOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Type type : DescriptorParts::getTypes(cast<DescType>(op.getType())))
      parts.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type, op.getValueAttr()));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The indices of an access, each of which is one value.
SmallVector<Value> getIndices(ArrayRef<ValueRange> indices) {
  return llvm::map_to_vector(indices, [](ValueRange range) { return range.front(); });
}

/// x rounded to the mantissa of tf32, ties to even; what is no number stays.
Value roundToTF32(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  auto bitsType = type.clone(b.getI32Type());
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(bitsType, Attribute(b.getI32IntegerAttr(value))));
  };
  constexpr int32_t kDropped = 13, kExponent = 0x7F800000;
  Value bits = arith::BitcastOp::create(b, bitsType, x);
  Value odd =
      arith::AndIOp::create(b, arith::ShRUIOp::create(b, bits, constant(kDropped)), constant(1));
  Value half = arith::AddIOp::create(b, odd, constant((1 << (kDropped - 1)) - 1));
  Value rounded =
      arith::AndIOp::create(b, arith::AddIOp::create(b, bits, half), constant(-(1 << kDropped)));
  Value exponent = arith::AndIOp::create(b, bits, constant(kExponent));
  Value isFinite =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, exponent, constant(kExponent));
  return arith::BitcastOp::create(b, type, arith::SelectOp::create(b, isFinite, rounded, bits));
}

/// Reads the block of an access, with the padding that the type states.
Value createLoad(ImplicitLocOpBuilder &b, const BlockAccess &access, DescType desc,
                 RankedTensorType type) {
  Value other;
  if (desc.getNanPadding()) {
    auto element = cast<FloatType>(type.getElementType());
    auto nan = FloatAttr::get(element, APFloat::getNaN(element.getFloatSemantics()));
    other = arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(nan)));
  }
  Value loaded = LoadOp::create(b, type, access.pointers, access.mask, other);
  return desc.getTf32() ? roundToTF32(b, loaded) : loaded;
}

struct ExpandLoad : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    DescType desc = op.getDesc().getType();
    BlockAccess access = createBlockAccess(b, DescriptorParts::get(adaptor.getDesc()),
                                           desc.getShape(), getIndices(adaptor.getIndices()));
    rewriter.replaceOp(op, createLoad(b, access, desc, cast<RankedTensorType>(op.getType())));
    return success();
  }
};

struct ExpandStore : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    BlockAccess access =
        createBlockAccess(b, DescriptorParts::get(adaptor.getDesc()),
                          op.getDesc().getType().getShape(), getIndices(adaptor.getIndices()));
    StoreOp::create(b, access.pointers, adaptor.getValue().front(), access.mask);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpandReduce : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    BlockAccess access =
        createBlockAccess(b, DescriptorParts::get(adaptor.getDesc()),
                          op.getDesc().getType().getShape(), getIndices(adaptor.getIndices()));
    Value value = adaptor.getValue().front();
    AtomicRMWOp::create(b, value.getType(), op.getKind(), access.pointers, value, access.mask,
                        MemorySemantic::Relaxed, MemoryScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExpandGather : OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    BlockAccess access =
        createBlockAccess(b, DescriptorParts::get(adaptor.getDesc()), type.getShape(),
                          {adaptor.getRows().front(), adaptor.getColumn().front()});
    rewriter.replaceOp(op, createLoad(b, access, op.getDesc().getType(), type));
    return success();
  }
};

struct ExpandScatter : OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = adaptor.getValue().front();
    BlockAccess access =
        createBlockAccess(b, DescriptorParts::get(adaptor.getDesc()), getShape(value.getType()),
                          {adaptor.getRows().front(), adaptor.getColumn().front()});
    StoreOp::create(b, access.pointers, value, access.mask);
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ExpandDescriptorsPass : tile::impl::ExpandDescriptorsBase<ExpandDescriptorsPass> {
  bool hasDescriptors();
  void runOnOperation() override;
};
} // namespace

static bool isDescriptor(Type type) { return isa<DescType>(type); }

/// Most kernels have none, and the rest costs time.
bool ExpandDescriptorsPass::hasDescriptors() {
  return getOperation()
      ->walk([](Operation *op) {
        bool takes = false;
        if (auto function = dyn_cast<func::FuncOp>(op))
          takes = llvm::any_of(function.getArgumentTypes(), isDescriptor);
        return takes || llvm::any_of(op->getResultTypes(), isDescriptor) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Fails where blocks are written to an array that nobody writes, as was promised.
static LogicalResult refuseWrites(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    if (!isa<DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp>(op))
      return WalkResult::advance();
    auto desc = op->getOperand(0).getDefiningOp<MakeDescriptorOp>();
    if (!desc || !isReadOnly(desc.getBase()))
      return WalkResult::advance();
    op->emitError("the descriptor's array is read-only: its pointer is const");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void ExpandDescriptorsPass::runOnOperation() {
  if (!hasDescriptors())
    return;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    splitDescriptorArguments(function);
    if (failed(refuseWrites(function)))
      return signalPassFailure();
    promiseLoadedAlignment(function);
    selectBlockCopies(function);
  }

  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion([](DescType type, SmallVectorImpl<Type> &parts) {
    llvm::append_range(parts, DescriptorParts::getTypes(type));
    return success();
  });
  RewritePatternSet patterns(&getContext());
  patterns.add<TakeApart, TakePart<DescriptorBaseOp>, TakePart<DescriptorSizeOp>,
               TakePart<DescriptorStrideOp>, SelectParts, PoisonParts, ExpandLoad, ExpandStore,
               ExpandReduce, ExpandGather, ExpandScatter>(types, &getContext());
  ConversionTarget target(getContext());
  target.markUnknownOpDynamicallyLegal([](Operation *op) {
    return op->hasAttr(kBlockCopyAttr) || (llvm::none_of(op->getOperandTypes(), isDescriptor) &&
                                           llvm::none_of(op->getResultTypes(), isDescriptor));
  });
  scf::populateSCFStructuralTypeConversions(types, patterns);
  scf::populateSCFStructuralTypeConversionTarget(types, target);
  if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
    signalPassFailure();
}
