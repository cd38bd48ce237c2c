//===- Print.cpp - What a program tells the outside -------------------------===//
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

namespace {
/// A line of output: its format and its arguments.
struct Line {
  std::string format;
  SmallVector<Value> arguments;

  /// Text that is printed as it is.
  void add(StringRef text) {
    for (char c : text)
      format += c == '%' ? "%%" : std::string(1, c);
  }
  void add(StringRef specifier, Value argument) {
    format += specifier;
    arguments.push_back(argument);
  }
};
} // namespace

/// `(1, 2, 3)`; of indices into `shape`, each as wide as the largest.
static void addTuple(Line &line, ArrayRef<Value> values, ArrayRef<int64_t> shape = {}) {
  line.add("(");
  for (auto [i, value] : llvm::enumerate(values)) {
    if (i)
      line.add(", ");
    size_t width = shape.empty() ? 1 : std::to_string(shape[i] - 1).size();
    line.add(width > 1 ? "%" + std::to_string(width) + "d" : "%d", value);
  }
  line.add(")");
}

/// What the user printed, with something before it where the user gave nothing.
static void addPrefix(Line &line, StringRef prefix) {
  if (!prefix.starts_with(" ") && !prefix.starts_with(":"))
    line.add(" ");
  line.add(prefix);
}

static void addProgram(Line &line, ImplicitLocOpBuilder &b) {
  SmallVector<Value> ids;
  for (auto dim : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z})
    ids.push_back(arith::IndexCastOp::create(b, b.getI32Type(), gpu::BlockIdOp::create(b, dim)));
  line.add("pid ");
  addTuple(line, ids);
}

/// A number in C's notation, widened to what printf takes.
static void addNumber(Line &line, ImplicitLocOpBuilder &b, Value value, bool isSigned, bool hex) {
  Type type = value.getType();
  if (isa<LLVM::LLVMPointerType>(type))
    return line.add("%p", value);
  if (isa<FloatType>(type)) {
    if (!type.isF64())
      value = arith::ExtFOp::create(b, b.getF64Type(), value);
    return line.add(hex ? "%a" : "%g", value);
  }
  bool isLong = type.getIntOrFloatBitWidth() == 64;
  Type wide = isLong ? b.getI64Type() : b.getI32Type();
  if (type != wide && isSigned && !hex && !type.isInteger(1))
    value = arith::ExtSIOp::create(b, wide, value);
  else if (type != wide)
    value = arith::ExtUIOp::create(b, wide, value);
  StringRef specifier = hex ? (isLong ? "0x%016llx" : "0x%08x")
                            : (isSigned ? (isLong ? "%lld" : "%d") : (isLong ? "%llu" : "%u"));
  line.add(specifier, value);
}

/// Build `body` for threads where `predicate` holds; null: all.
static void emitIf(ImplicitLocOpBuilder &b, Value predicate, llvm::function_ref<void()> body) {
  if (!predicate)
    return body();
  auto conditional = scf::IfOp::create(b, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(conditional.thenBlock());
  body();
}

/// One element, with its place in the grid and the block.
static void printElement(PrintOp op, ThreadLowering &t, Value value, ArrayRef<Value> indices,
                         ArrayRef<int64_t> shape, bool isSigned) {
  Line line;
  addProgram(line, t.b);
  line.add(" idx ");
  addTuple(line, indices, shape);
  addPrefix(line, op.getPrefix());
  addNumber(line, t.b, value, isSigned, op.getHex());
  gpu::PrintfOp::create(t.b, line.format + "\n", line.arguments);
}

static void printBlock(PrintOp op, ThreadLowering &t, Value value, bool isSigned) {
  ImplicitLocOpBuilder &b = t.b;
  Type block = value.getType();
  const LinearLayout &layout = getLinearLayout(block);
  SmallVector<Value> coordinates;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    coordinates.push_back(emitCoordinates(b, t.scope, layout, dim));
  Value owns = emitOwnership(b, t.scope, layout);
  Value inside = emitInside(b, t.scope, layout, getShape(block));
  Value vector = t.get(value);
  for (auto [reg, first] : llvm::enumerate(getFirstCopies(layout))) {
    if (first != int32_t(reg))
      continue;
    Value predicate = createAnd(b, inside ? t.extract(inside, reg) : Value(), owns);
    Value element = t.extract(vector, reg);
    auto indices =
        llvm::map_to_vector(coordinates, [&, reg = reg](Value v) { return t.extract(v, reg); });
    emitIf(b, predicate, [&] { printElement(op, t, element, indices, getShape(block), isSigned); });
  }
}

LogicalResult tile::lower(PrintOp op, ThreadLowering &t) {
  Value first = createEquals(t.b, t.scope.getThread(), 0);
  if (op.getValues().empty())
    emitIf(t.b, first, [&] {
      Line line;
      addProgram(line, t.b);
      addPrefix(line, op.getPrefix());
      gpu::PrintfOp::create(t.b, line.format + "\n", line.arguments);
    });
  for (auto [value, isSigned] : llvm::zip(op.getValues(), op.getSignedness())) {
    if (isa<RankedTensorType>(value.getType()))
      printBlock(op, t, value, isSigned);
    else
      emitIf(t.b, first, [&, v = value, s = isSigned] { printElement(op, t, t.get(v), {}, {}, s); });
  }
  return success();
}

/// `file:line: ` of the place that the user wrote, if it is known.
static std::string getPlace(Location loc) {
  std::string place;
  loc->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    place = file.getFilename().str() + ":" + std::to_string(file.getLine()) + ": ";
    return WalkResult::interrupt();
  });
  return place;
}

LogicalResult tile::lower(AssertOp op, ThreadLowering &t) {
  ImplicitLocOpBuilder &b = t.b;
  Type type = op.getCondition().getType();
  Value holds = t.get(op.getCondition());
  if (isa<RankedTensorType>(type)) {
    if (Value inside = emitInside(b, t.scope, getLinearLayout(type), getShape(type))) {
      Value ones = arith::ConstantOp::create(
          b, DenseElementsAttr::get(cast<VectorType>(holds.getType()), true));
      holds = arith::SelectOp::create(b, inside, holds, ones);
    }
    holds = vector::ReductionOp::create(b, vector::CombiningKind::AND, holds);
  }
  Value yes = arith::ConstantOp::create(b, b.getBoolAttr(true));
  emitIf(b, arith::XOrIOp::create(b, holds, yes), [&] {
    Line line;
    line.add(getPlace(op.getLoc()));
    line.add("assertion failed in ");
    addProgram(line, b);
    line.add(": ");
    line.add(op.getMessage());
    gpu::PrintfOp::create(b, line.format + "\n", line.arguments);
    LLVM::Trap::create(b);
  });
  return success();
}
