//===- ExpandDivision.cpp - Division of vectors without scalar code -------===//
//
// Code generators unroll a division of vectors that no instruction computes: 64
// lanes are hundreds of instructions, slow to compile and slow to run.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/ExpandDivision/ExpandDivision.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDDIVISION
#include "compiler/transforms/ExpandDivision/ExpandDivision.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Widest integers whose quotients f64 gives exactly.
static constexpr unsigned kFloatBits = 32;

/// Whether a code generator has something better than a division: shifts, or, up
/// to 32 bits, a multiplication by the inverse.
static bool isByConstant(Operation *op, unsigned bits) {
  APInt divisor;
  return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
         (bits <= kFloatBits || divisor.isPowerOf2());
}

/// a / b, and from it the remainder, through floats.
static void divideAsFloats(Operation *op, VectorType type) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isNarrow = type.getElementTypeBitWidth() <= 16;
  Type real = isNarrow ? Type(builder.getF32Type()) : Type(builder.getF64Type());
  VectorType reals = type.clone(real);
  auto toReal = [&](Value value) -> Value {
    return isSigned ? arith::SIToFPOp::create(builder, loc, reals, value).getResult()
                    : arith::UIToFPOp::create(builder, loc, reals, value).getResult();
  };
  Value a = op->getOperand(0), b = op->getOperand(1);
  Value ratio = arith::DivFOp::create(builder, loc, toReal(a), toReal(b));
  Value result = isSigned ? arith::FPToSIOp::create(builder, loc, type, ratio).getResult()
                          : arith::FPToUIOp::create(builder, loc, type, ratio).getResult();
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    Value whole = arith::MulIOp::create(builder, loc, result, b);
    result = arith::SubIOp::create(builder, loc, a, whole);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// The operation on one lane after the other; operands and results lie in memory of the function.
static void computeByLane(Operation *op, VectorType type) {
  Location loc = op->getLoc();
  OpBuilder builder(op);
  auto pointer = LLVM::LLVMPointerType::get(op->getContext());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  auto createSlot = [&](Value) -> Value {
    OpBuilder::InsertionGuard guard(builder);
    auto function = op->getParentOfType<FunctionOpInterface>();
    builder.setInsertionPointToStart(&function.getFunctionBody().front());
    return LLVM::AllocaOp::create(builder, loc, pointer, type, constant(1), /*alignment=*/64);
  };
  Type element = type.getElementType();
  unsigned bytes = type.getElementTypeBitWidth() / 8;
  auto operandSlots = llvm::map_to_vector(op->getOperands(), createSlot);
  auto resultSlots = llvm::map_to_vector(op->getResults(), createSlot);
  for (auto [operand, slot] : llvm::zip(op->getOperands(), operandSlots))
    LLVM::StoreOp::create(builder, loc, operand, slot, /*alignment=*/64);
  auto loop =
      scf::ForOp::create(builder, loc, constant(0), constant(type.getNumElements()), constant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    auto at = [&](Value slot) -> Value {
      return LLVM::GEPOp::create(builder, loc, pointer, element, slot,
                                 ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
    };
    IRMapping mapping;
    for (auto [operand, slot] : llvm::zip(op->getOperands(), operandSlots))
      mapping.map(operand, LLVM::LoadOp::create(builder, loc, element, at(slot), bytes));
    Operation *copy = builder.clone(*op, mapping);
    for (auto [result, slot] : llvm::zip(copy->getResults(), resultSlots)) {
      result.setType(element);
      LLVM::StoreOp::create(builder, loc, result, at(slot), bytes);
    }
  }
  for (auto [result, slot] : llvm::zip(op->getResults(), resultSlots))
    result.replaceAllUsesWith(LLVM::LoadOp::create(builder, loc, type, slot, /*alignment=*/64));
  op->erase();
}

static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::RemFOp>(op);
}
static bool isLongProduct(Operation *op, unsigned bits) {
  return isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op) && bits > kFloatBits;
}

namespace {
struct ExpandDivisionPass : tile::impl::ExpandDivisionBase<ExpandDivisionPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (op->getNumResults() == 0)
        return;
      auto type = dyn_cast<VectorType>(op->getResult(0).getType());
      if (!type || type.getRank() != 1 || !type.getElementType().isIntOrFloat())
        return;
      unsigned bits = type.getElementTypeBitWidth();
      if (isLongProduct(op, bits))
        return computeByLane(op, type);
      if (!isDivision(op) || isByConstant(op, bits))
        return;
      if (type.getElementType().isInteger() && bits <= kFloatBits)
        divideAsFloats(op, type);
      else
        computeByLane(op, type);
    });
  }
};
} // namespace
