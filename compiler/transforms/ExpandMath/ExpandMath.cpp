//===- ExpandMath.cpp - Math functions as polynomials on lanes ------------===//
#include "compiler/transforms/ExpandMath/ExpandMath.h"

#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/HalfResults.h"
#include "compiler/transforms/ExpandMath/MathTable.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/transforms/ExpandMath/ExpandMath.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// What the target has
//===----------------------------------------------------------------------===//

/// Not an operation of the table, but what expansions are made of: x * 2^n.
static constexpr llvm::StringLiteral kScaleFunction = "ldexp";

static StringRef getFunction(Operation *op) { return op->getName().stripDialect(); }

/// Reports native functions that the table does not know: a misspelt one would
/// be expanded in silence.
static LogicalResult verifyFacts(Operation *root, TargetAttr target) {
  auto native = target ? target.getFacts().getAs<DictionaryAttr>("native_math") : DictionaryAttr();
  if (!native)
    return success();
  for (NamedAttribute entry : native) {
    auto [function, type] = entry.getName().getValue().split('.');
    bool hasRow = findMathRow(function, 32) || isKept(function) == Kept::OnF32AndF64 ||
                  function == kScaleFunction;
    if (!hasRow || !llvm::is_contained({"f16", "bf16", "f32", "f64"}, type))
      return root->emitError("expects 'native_math' to name a function of the table and a float "
                             "type, got '")
             << entry.getName().getValue() << "'";
  }
  return success();
}

/// Whether the target has `function` on `type` with an error of at most `allowed`.
static bool isNative(TargetAttr target, StringRef function, Type type, double allowed) {
  auto native = target ? target.getFacts().getAs<DictionaryAttr>("native_math") : DictionaryAttr();
  if (!native)
    return false;
  std::string name;
  llvm::raw_string_ostream(name) << function << '.' << type;
  auto error = native.getAs<FloatAttr>(name);
  return error && error.getValueAsDouble() <= allowed;
}

/// The largest error of a native instruction that may stand for `op`.
static double getAllowedError(Operation *op, const MathRow &row) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  bool approximate =
      flags && arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::afn);
  return approximate ? std::numeric_limits<double>::infinity() : row.allowed;
}

/// The largest error of a native instruction that may stand for `op`.
static double getAllowedError(Operation *op, double allowed) {
  auto flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  bool approximate = arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::afn);
  return approximate ? std::numeric_limits<double>::infinity() : allowed;
}

//===----------------------------------------------------------------------===//
// The rewrite of one operation
//===----------------------------------------------------------------------===//

namespace {
class Expander {
public:
  Expander(TargetAttr target, OperationFolder &constants) : target(target), constants(constants) {}

  /// Replace `op` by its expansion, or leave it where the table says so.
  LogicalResult expand(Operation *op);

private:
  LogicalResult expandHalf(Operation *op);
  LogicalResult expandWide(Operation *op, Type element);
  bool isNative(Operation *op, Type element, double allowed) const {
    return ::isNative(target, getFunction(op), element, getAllowedError(op, allowed));
  }

  TargetAttr target;
  OperationFolder &constants;
};
} // namespace

LogicalResult Expander::expand(Operation *op) {
  if (isKept(getFunction(op)) == Kept::OnAnyType)
    return success();
  Type element = getElementType(op->getResult(0).getType());
  return isHalf(element) ? expandHalf(op) : expandWide(op, element);
}

/// f(x: f16)  ->  truncf(f(extf(x): f32))
LogicalResult Expander::expandHalf(Operation *op) {
  Type element = getElementType(op->getResult(0).getType());
  const MathRow *row = findMathRow(getFunction(op), 32);
  if (isNative(op, element, row ? row->allowed : 0.5))
    return success();
  LaneBuilder at(op, constants);
  Type single = Float32Type::get(op->getContext());
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) {
    return Value(Lanes(at, operand).extendFloat(single));
  });
  OperationState state(op->getLoc(), op->getName(), operands,
                       withElementType(op->getResult(0).getType(), single), op->getAttrs());
  Operation *wide = at.getBuilder().create(state);
  op->getResult(0).replaceAllUsesWith(Lanes(at, wide->getResult(0)).truncateFloat(element));
  op->erase();
  return expandWide(wide, single);
}

LogicalResult Expander::expandWide(Operation *op, Type element) {
  if (isKept(getFunction(op)) == Kept::OnF32AndF64)
    return success();
  bool known = element.isF32() || element.isF64();
  const MathRow *row =
      known ? findMathRow(getFunction(op), element.getIntOrFloatBitWidth()) : nullptr;
  if (!row)
    return op->emitError() << "'" << op->getName() << "' has no expansion on elements of type "
                           << element;
  if (isNative(op, element, row->allowed))
    return success();
  LaneBuilder at(op, constants);
  at.scalesByPower = ::isNative(target, kScaleFunction, element, 0.0);
  auto operands =
      llvm::map_to_vector(op->getOperands(), [&](Value value) { return Lanes(at, value); });
  const MathRow *power = findMathRow("exp2", element.getIntOrFloatBitWidth());
  bool hasExp2 = ::isNative(target, "exp2", element, power->allowed);
  Lanes result = [&] {
    if (hasExp2 && isa<math::ExpOp>(op))
      return element.isF32() && isRoundedToHalf(op->getResult(0))
                 ? expand::roughExpByNativeExp2(operands[0])
                 : expand::expByNativeExp2(operands[0]);
    if (hasExp2 && isa<math::TanhOp>(op) && element.isF32())
      return expand::tanhByNativeExp2(operands[0]);
    return row->expand(operands);
  }();
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// sincos(x)  ->  sin(x), cos(x)
static void splitSinCos(math::SincosOp op) {
  OpBuilder builder(op);
  op.getSin().replaceAllUsesWith(
      math::SinOp::create(builder, op.getLoc(), op.getOperand(), op.getFastmath()));
  op.getCos().replaceAllUsesWith(
      math::CosOp::create(builder, op.getLoc(), op.getOperand(), op.getFastmath()));
  op.erase();
}

/// All of `math`, and what `arith` has of the C library.
static bool isExpandable(Operation *op) {
  return isa<arith::RemFOp>(op) || isa_and_present<math::MathDialect>(op->getDialect());
}

namespace {
struct ExpandMathPass : tile::impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    TargetAttr target = getTarget(getOperation());
    if (failed(verifyFacts(getOperation(), target)))
      return signalPassFailure();
    getOperation()->walk([](math::SincosOp op) { splitSinCos(op); });
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isExpandable(op))
        ops.push_back(op);
    });
    OperationFolder constants(&getContext());
    Expander expander(target, constants);
    for (Operation *op : ops)
      if (failed(expander.expand(op)))
        return signalPassFailure();
  }
};
} // namespace
