//===- MatmulPatterns.cpp - Matrix products of four warps -------------------===//
//
// Accumulators are tied operands: the registers that go in are those that come
// out, of the products and of the wait.
//
//===----------------------------------------------------------------------===//
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/LowerToNVVM/Assembly.h"
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

/// Places of a matrix descriptor's fields; lengths are counted in 16 bytes.
static constexpr unsigned kLeadingBit = 16, kStrideBit = 32, kSwizzleBit = 62;
static constexpr unsigned kUnitShift = 4;
static constexpr int64_t kAddressMask = 0x3fff;

static Value createInt(OpBuilder &b, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

/// `address` without the constant offset that was added last, and that offset.
static std::pair<Value, int64_t> splitAddress(Value address) {
  auto gep = address.getDefiningOp<LLVM::GEPOp>();
  if (!gep || !gep.getDynamicIndices().empty() || gep.getRawConstantIndices().size() != 1 ||
      !gep.getElemType().isInteger(8))
    return {address, 0};
  int64_t offset = gep.getRawConstantIndices().front();
  if (offset < 0 || offset % (1 << kUnitShift) != 0)
    return {address, 0};
  return {gep.getBase(), offset};
}

/// The same number, of which LLVM does not know that: it would compute all
/// descriptors before a loop and keep them in registers.
static Value hide(OpBuilder &b, Location loc, Value number) {
  return createAsm(b, loc, number.getType(), number, "mov.b64 $0, $1;", "=l,l",
                   /*sideEffects=*/true)
      .front();
}

/// `numbers`: bytes from column to column, from eight rows to the next, and of
/// a row. Constant offsets are added to the whole: they never carry out of the
/// address, of which programs use fewer bits than it has.
static Value createDescriptor(OpBuilder &b, Location loc, Value address, ArrayRef<int32_t> numbers,
                              bool isOpaque) {
  auto [base, offset] = splitAddress(address);
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value start = LLVM::PtrToIntOp::create(b, loc, i32, base);
  start = LLVM::LShrOp::create(b, loc, start, createInt(b, loc, i32, kUnitShift));
  // In a cluster, further bits say whose memory it is.
  start = LLVM::AndOp::create(b, loc, start, createInt(b, loc, i32, kAddressMask));
  start = LLVM::ZExtOp::create(b, loc, i64, start);
  static constexpr std::pair<int32_t, int64_t> kSwizzles[] = {{128, 1}, {64, 2}, {32, 3}, {16, 0}};
  int64_t swizzle =
      llvm::find_if(kSwizzles, [&](auto known) { return known.first == numbers[2]; })->second;
  int64_t fields = (int64_t(numbers[0]) >> kUnitShift & kAddressMask) << kLeadingBit |
                   (int64_t(numbers[1]) >> kUnitShift & kAddressMask) << kStrideBit |
                   static_cast<int64_t>(static_cast<uint64_t>(swizzle) << kSwizzleBit);
  Value descriptor = LLVM::OrOp::create(b, loc, start, createInt(b, loc, i64, fields));
  if (isOpaque)
    descriptor = hide(b, loc, descriptor);
  if (offset != 0)
    descriptor =
        LLVM::AddOp::create(b, loc, descriptor, createInt(b, loc, i64, offset >> kUnitShift));
  return descriptor;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// `{$0, $1}`, of `count` operands from `first` on.
static std::string getList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return "{" + text + "}";
}

/// Constraints of registers that go in and come out.
static std::vector<std::string> getTied(TypeRange types) {
  std::vector<std::string> constraints;
  for (Type type : types)
    constraints.push_back(type.isF32() ? "=f" : "=r");
  return constraints;
}

namespace {

struct LowerWgmma : ConvertOpToLLVMPattern<WgmmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(WgmmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned count = op.getNumResults(), next = count;
    bool startsAnew = op.getAcc().empty();
    std::vector<std::string> constraints = getTied(op.getResultTypes());
    SmallVector<Value> operands;
    std::string a;
    if (op.getA()) {
      operands.push_back(
          createDescriptor(rewriter, loc, adaptor.getA(), op.getMatrixA(), op.getOpaque()));
      constraints.push_back("l");
      a = "$" + std::to_string(next++);
    } else {
      llvm::append_range(operands, adaptor.getRegistersA());
      constraints.insert(constraints.end(), 4, "r");
      a = getList(next, 4);
      next += 4;
    }
    operands.push_back(
        createDescriptor(rewriter, loc, adaptor.getB(), op.getMatrixB(), op.getOpaque()));
    constraints.push_back("l");
    std::string b = "$" + std::to_string(next++);
    llvm::append_range(operands, adaptor.getAcc());
    for (unsigned i = 0; i < op.getAcc().size(); ++i)
      constraints.push_back(std::to_string(i));
    std::string text = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(op.getN()) + "k" +
                       std::to_string(op.getK()) + "." + op.getTypes().str() + " " +
                       getList(0, count) + ", " + a + ", " + b + (startsAnew ? ", 0" : ", 1") +
                       getImmediates(op) + ";";
    rewriter.replaceOp(op, createAsm(rewriter, loc, SmallVector<Type>(op.getResultTypes()),
                                     operands, text, llvm::join(constraints, ","),
                                     /*sideEffects=*/true));
    return success();
  }

  /// Signs of the operands, for floats; which are transposed, for 16 bits.
  static std::string getImmediates(WgmmaOp op) {
    std::string text = op.getTypes().starts_with("s32") ? "" : ", 1, 1";
    if (op.getK() != 16)
      return text;
    if (op.getA())
      text += op.getTransposedA() ? ", 1" : ", 0";
    return text + (op.getTransposedB() ? ", 1" : ", 0");
  }
};

/// An instruction that orders accesses to registers, which go in and come out.
template <typename Op>
LogicalResult replaceByOrdering(Op op, ValueRange registers, StringRef text,
                                ConversionPatternRewriter &rewriter) {
  std::vector<std::string> constraints = getTied(op.getResultTypes());
  for (unsigned i = 0, end = op.getNumResults(); i < end; ++i)
    constraints.push_back(std::to_string(i));
  constraints.push_back("~{memory}");
  SmallVector<Value> results =
      createAsm(rewriter, op.getLoc(), SmallVector<Type>(op.getResultTypes()), registers, text,
                llvm::join(constraints, ","), /*sideEffects=*/true);
  if (results.empty())
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, results);
  return success();
}

struct LowerWgmmaFence : ConvertOpToLLVMPattern<WgmmaFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WgmmaFenceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return replaceByOrdering(op, adaptor.getRegisters(), "wgmma.fence.sync.aligned;", rewriter);
  }
};

struct LowerWgmmaWait : ConvertOpToLLVMPattern<WgmmaWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(WgmmaWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(op.getInFlight()) + ";";
    return replaceByOrdering(op, adaptor.getRegisters(), text, rewriter);
  }
};

} // namespace

void tile::nvidia::populateMatmulPatterns(const LLVMTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerWgmma, LowerWgmmaFence, LowerWgmmaWait>(converter);
}
