//===- SaturateFloatToInt.cpp - Conversions to integer that saturate ------===//
#include "compiler/conversion/SaturateFloatToInt/SaturateFloatToInt.h"

#include "dialects/tile/IR/TileDialect.h"

namespace tile {
#define GEN_PASS_DEF_SATURATEFLOATTOINT
#include "compiler/conversion/SaturateFloatToInt/SaturateFloatToInt.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

static LogicalResult saturate(Operation *op) {
  Type type = op->getResult(0).getType();
  if (!LLVM::isCompatibleType(type))
    return op->emitError("expects a scalar or a vector of rank one, got ") << type;
  OpBuilder builder(op);
  Value source = op->getOperand(0);
  if (getElementType(source.getType()).getIntOrFloatBitWidth() < 32)
    source = arith::ExtFOp::create(builder, op->getLoc(),
                                   withElementType(source.getType(), builder.getF32Type()), source);
  StringRef name = isa<arith::FPToSIOp>(op) ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
  auto call = LLVM::CallIntrinsicOp::create(builder, op->getLoc(), type,
                                            builder.getStringAttr(name), source);
  op->getResult(0).replaceAllUsesWith(call.getResult(0));
  op->erase();
  return success();
}

namespace {
struct SaturateFloatToIntPass : tile::impl::SaturateFloatToIntBase<SaturateFloatToIntPass> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](Operation *op) {
      bool converts = isa<arith::FPToSIOp, arith::FPToUIOp>(op);
      return converts && failed(saturate(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
