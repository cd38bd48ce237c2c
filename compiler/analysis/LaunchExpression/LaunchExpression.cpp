//===- LaunchExpression.cpp - Values that the host can compute ------------===//
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

namespace {
/// Writes the program; `false` where there is none.
class ExpressionWriter {
public:
  bool write(Value value);
  SmallVector<int64_t> program;

private:
  bool writeArgument(BlockArgument argument);
  bool writeStep(Operation *op, LaunchStep step, int64_t number);
  bool writeAddress(AddPtrOp op);
  void push(LaunchStep step, int64_t number) {
    program.append({static_cast<int64_t>(step), number});
  }
};
} // namespace

/// Shared values are computed again for each use: expressions of this length are
/// none that anybody writes.
static constexpr size_t kMostSteps = 64;
static constexpr int64_t kAddressBits = 64;

static int64_t getBits(Type type) {
  return isa<PtrType>(type) ? kAddressBits : type.getIntOrFloatBitWidth();
}

bool ExpressionWriter::writeArgument(BlockArgument argument) {
  if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return false;
  push(LaunchStep::Argument, argument.getArgNumber());
  push(LaunchStep::SignExtend, getBits(argument.getType()));
  return true;
}

bool ExpressionWriter::writeStep(Operation *op, LaunchStep step, int64_t number) {
  for (Value operand : op->getOperands())
    if (!write(operand))
      return false;
  push(step, number);
  return true;
}

/// Offsets count elements.
bool ExpressionWriter::writeAddress(AddPtrOp op) {
  if (!write(op.getPointer()) || !write(op.getOffset()))
    return false;
  int64_t bits = std::max<int64_t>(8, getBits(cast<PtrType>(op.getType()).getPointee()));
  push(LaunchStep::Constant, bits / 8);
  push(LaunchStep::Mul, kAddressBits);
  push(LaunchStep::Add, kAddressBits);
  return true;
}

bool ExpressionWriter::write(Value value) {
  if (program.size() / 2 >= kMostSteps || !isa<IntegerType, PtrType>(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return writeArgument(argument);
  if (APInt number; matchPattern(value, m_ConstantInt(&number))) {
    push(LaunchStep::Constant, number.getSExtValue());
    return true;
  }
  Operation *op = value.getDefiningOp();
  int64_t bits = getBits(value.getType());
  auto step = [&](LaunchStep kind) { return writeStep(op, kind, bits); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddIOp) { return step(LaunchStep::Add); })
      .Case([&](arith::SubIOp) { return step(LaunchStep::Sub); })
      .Case([&](arith::MulIOp) { return step(LaunchStep::Mul); })
      .Case([&](arith::DivSIOp) { return step(LaunchStep::Div); })
      .Case([&](arith::RemSIOp) { return step(LaunchStep::Rem); })
      .Case([&](arith::MaxSIOp) { return step(LaunchStep::Max); })
      .Case([&](arith::MinSIOp) { return step(LaunchStep::Min); })
      .Case([&](arith::ExtSIOp) { return write(op->getOperand(0)); }) // it is sign-extended
      .Case([&](arith::TruncIOp) { return step(LaunchStep::SignExtend); })
      .Case([&](arith::ExtUIOp) {
        return writeStep(op, LaunchStep::ZeroExtend, getBits(op->getOperand(0).getType()));
      })
      .Case([&](HintOp) { return write(op->getOperand(0)); })
      .Case([&](CastPtrOp) { return write(op->getOperand(0)); })
      .Case([&](AddPtrOp address) { return writeAddress(address); })
      .Default([](Operation *) { return false; });
}

std::optional<SmallVector<int64_t>> tile::getLaunchExpression(Value value) {
  ExpressionWriter writer;
  if (!writer.write(value) || writer.program.size() / 2 > kMostSteps)
    return std::nullopt;
  return writer.program;
}

bool tile::isMadeAtLaunch(MakeDescriptorOp desc) {
  return llvm::all_of(desc->getOperands(),
                      [](Value part) { return getLaunchExpression(part).has_value(); });
}
