//===- ShufflePatterns.cpp - Values from other lanes ------------------------===//
//
// Exchanges within a row of 16 lanes ride on an ordinary vector instruction
// (DPP). Wider ones use what each generation has; the way through the memory
// unit, which takes any lane, is the last.
//
//===----------------------------------------------------------------------===//
#include "compiler/targets/amd/LowerToROCDL/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// DPP's controls, as the instruction encodes them.
enum Control : uint32_t {
  kRotateBy8 = 0x128,  // row_ror:8
  kMirror = 0x140,     // lane 15 - i of 16
  kHalfMirror = 0x141, // lane 7 - i of 8
  kXorMask = 0x160,    // row_xmask:0, from generation 10 on
};

/// quad_perm: lane i of 4 reads lane i ^ mask.
uint32_t getQuadXor(uint32_t mask) {
  uint32_t control = 0;
  for (uint32_t lane = 0; lane < 4; ++lane)
    control |= (lane ^ mask) << (2 * lane);
  return control;
}

class LaneExchange {
public:
  LaneExchange(ImplicitLocOpBuilder &b, int64_t isa, int64_t lanes)
      : b(b), isa(isa), lanes(lanes) {}

  /// `value`, of i32, of lane `own ^ mask`.
  Value flip(Value value, uint32_t mask) {
    if (isa >= 10)
      return flipByRows(value, mask);
    // Pairs of controls that compose to 4, the one power of two without its own.
    switch (mask) {
    case 0:
      return value;
    case 1:
    case 2:
    case 3:
      return move(value, getQuadXor(mask));
    case 4:
      return move(move(value, getQuadXor(3)), kHalfMirror);
    case 7:
      return move(value, kHalfMirror);
    case 8:
      return move(value, kRotateBy8);
    case 15:
      return move(value, kMirror);
    default:
      break;
    }
    return mask < 32 ? swizzle(value, mask) : fetch(value, xorOwn(mask));
  }

  /// `value`, of i32, of the lane whose number is `lane`.
  Value fetch(Value value, Value lane) {
    Value address = LLVM::ShlOp::create(b, lane, constant(2)); // in bytes
    return ROCDL::DsBpermuteOp::create(b, b.getI32Type(), address, value);
  }

private:
  Value constant(int32_t value) { return LLVM::ConstantOp::create(b, b.getI32IntegerAttr(value)); }

  /// All lanes are active, so no lane is without a source.
  Value move(Value value, uint32_t control) {
    Value anything = LLVM::PoisonOp::create(b, value.getType());
    return ROCDL::DPPUpdateOp::create(b, value.getType(), anything, value, control,
                                      /*rowMask=*/0xF, /*bankMask=*/0xF, /*boundCtrl=*/true);
  }

  /// Within a row, then to the row beside it at the same place.
  Value flipByRows(Value value, uint32_t mask) {
    if (mask >= 32)
      return fetch(value, xorOwn(mask));
    if (mask & 15)
      value = move(value, kXorMask | (mask & 15));
    if (mask & 16) {
      Value anything = LLVM::PoisonOp::create(b, value.getType());
      value = ROCDL::PermlaneX16Op::create(b, value.getType(), anything, value,
                                           constant(0x76543210), constant(int32_t(0xFEDCBA98)),
                                           /*fi=*/true, /*boundControl=*/false);
    }
    return value;
  }

  /// Any exchange within 32 lanes, its mask in the instruction.
  Value swizzle(Value value, uint32_t mask) {
    return ROCDL::DsSwizzleOp::create(b, b.getI32Type(), value, constant(mask << 10 | 31));
  }

  Value xorOwn(uint32_t mask) {
    Value all = constant(-1), own = constant(0);
    ArrayAttr none;
    own = ROCDL::MbcntLoOp::create(b, b.getI32Type(), all, own, none, none);
    if (lanes == 64)
      own = ROCDL::MbcntHiOp::create(b, b.getI32Type(), all, own, none, none);
    return LLVM::XOrOp::create(b, own, constant(mask));
  }

  ImplicitLocOpBuilder &b;
  int64_t isa, lanes;
};

/// 32 bits from another lane of the whole wave.
struct LowerShuffle : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  LowerShuffle(const LLVMTypeConverter &converter, int64_t isa, int64_t lanes)
      : ConvertOpToLLVMPattern(converter), isa(isa), lanes(lanes) {}

  LogicalResult matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    if (!op.getValid().use_empty() || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 32)
      return rewriter.notifyMatchFailure(op, "expects 32 bits, and no question about validity");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = adaptor.getValue();
    if (type.isF32())
      value = LLVM::BitcastOp::create(b, b.getI32Type(), value);
    LaneExchange exchange(b, isa, lanes);
    APInt mask;
    if (op.getMode() == gpu::ShuffleMode::IDX)
      value = exchange.fetch(value, adaptor.getOffset());
    else if (op.getMode() == gpu::ShuffleMode::XOR &&
             matchPattern(op.getOffset(), m_ConstantInt(&mask)) && mask.ult(lanes))
      value = exchange.flip(value, static_cast<uint32_t>(mask.getZExtValue()));
    else
      return rewriter.notifyMatchFailure(op, "expects a lane, or a constant to flip its bits");
    if (type.isF32())
      value = LLVM::BitcastOp::create(b, type, value);
    Value valid = LLVM::ConstantOp::create(b, b.getBoolAttr(true));
    rewriter.replaceOp(op, {value, valid});
    return success();
  }

  int64_t isa, lanes;
};

} // namespace

void tile::amd::populateShufflePatterns(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns, int64_t isa, int64_t lanes) {
  patterns.add<LowerShuffle>(converter, isa, lanes);
}
