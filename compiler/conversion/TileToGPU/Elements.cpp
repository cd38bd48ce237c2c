//===- Elements.cpp - Code and assembly for each element --------------------===//
//
// Each thread runs the code for its elements, one register after the other.
// Padding is left out: what it holds could be an address, or a condition that
// is never met.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/InlineAssembly/InlineAssembly.h"
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

namespace {
/// Runs `code` on groups of `pack` elements of each operand of `op`.
class ElementRunner {
public:
  /// Takes `pack` elements of each operand in turn, gives as many of each result.
  using Code = function_ref<FailureOr<SmallVector<Value>>(ArrayRef<Value>)>;

  ElementRunner(Operation *op, int64_t pack, ThreadLowering &t, Code code)
      : op(op), pack(pack), t(t), code(code) {}

  LogicalResult run();

private:
  FailureOr<SmallVector<Value>> runGroup(ArrayRef<int32_t> group);
  FailureOr<SmallVector<Value>> runInside(ArrayRef<Value> elements, Value condition);

  Operation *op;
  int64_t pack;
  ThreadLowering &t;
  Code code;
  SmallVector<SmallVector<Value>> sources; // registers of each operand
  Value inside;
};
} // namespace

/// The code where `condition` holds, zeros elsewhere.
FailureOr<SmallVector<Value>> ElementRunner::runInside(ArrayRef<Value> elements, Value condition) {
  SmallVector<Type> types;
  for (Value result : op->getResults())
    types.append(pack, t.convertType(getElementType(result.getType())));
  auto branch = scf::IfOp::create(t.b, types, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(t.b);
  t.b.setInsertionPointToStart(branch.thenBlock());
  FailureOr<SmallVector<Value>> results = code(elements);
  if (failed(results))
    return failure();
  scf::YieldOp::create(t.b, *results);
  t.b.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(createZero(t.b, type));
  scf::YieldOp::create(t.b, zeros);
  return SmallVector<Value>(branch.getResults());
}

FailureOr<SmallVector<Value>> ElementRunner::runGroup(ArrayRef<int32_t> group) {
  SmallVector<Value> elements;
  for (ArrayRef<Value> registers : sources)
    for (int64_t i = 0; i < pack; ++i)
      elements.push_back(registers[group[std::min<size_t>(i, group.size() - 1)]]);
  if (!inside)
    return code(elements);
  // Elements that are padding give way to one of the group that is not.
  Value any;
  SmallVector<Value> flags;
  for (int32_t reg : group) {
    flags.push_back(t.extract(inside, reg));
    any = any ? arith::OrIOp::create(t.b, any, flags.back()).getResult() : flags.back();
  }
  if (group.size() > 1)
    for (MutableArrayRef<Value> rest = elements; !rest.empty(); rest = rest.drop_front(pack)) {
      MutableArrayRef<Value> own = rest.take_front(pack);
      Value live = own.front();
      for (auto [element, flag] : llvm::zip(own, flags))
        live = arith::SelectOp::create(t.b, flag, element, live);
      for (auto [element, flag] : llvm::zip(own, flags))
        element = arith::SelectOp::create(t.b, flag, element, live);
      for (Value &element : own.drop_front(flags.size()))
        element = own[flags.size() - 1];
    }
  return runInside(elements, any);
}

LogicalResult ElementRunner::run() {
  Type block = op->getResult(0).getType();
  const LinearLayout &layout = getLinearLayout(block);
  for (Value source : op->getOperands())
    sources.push_back(t.unpack(t.get(source)));
  inside = emitInside(t.b, t.scope, layout, getShape(block));
  SmallVector<int32_t> copies = getFirstCopies(layout), distinct;
  for (auto [reg, first] : llvm::enumerate(copies))
    if (int32_t(reg) == first)
      distinct.push_back(reg);
  SmallVector<SmallVector<Value>> results(op->getNumResults(), SmallVector<Value>(copies.size()));
  for (ArrayRef<int32_t> rest = distinct; !rest.empty();) {
    ArrayRef<int32_t> group = rest.take_front(pack);
    rest = rest.drop_front(group.size());
    FailureOr<SmallVector<Value>> values = runGroup(group);
    if (failed(values))
      return failure();
    for (auto [i, registers] : llvm::enumerate(results))
      for (auto [j, reg] : llvm::enumerate(group))
        registers[reg] = (*values)[i * pack + j];
  }
  for (auto [result, registers] : llvm::zip(op->getResults(), results)) {
    for (auto [reg, first] : llvm::enumerate(copies))
      registers[reg] = registers[first];
    t.set(result, t.pack(registers));
  }
  return success();
}

LogicalResult tile::lower(MapOp op, ThreadLowering &t) {
  Block &body = op.getBody().front();
  return ElementRunner(op, op.getPack(), t,
                       [&](ArrayRef<Value> elements) -> FailureOr<SmallVector<Value>> {
                         for (auto [argument, element] : llvm::zip(body.getArguments(), elements))
                           t.set(argument, element);
                         for (Operation &inner : body.without_terminator())
                           if (failed(t.lowerOperation(&inner)))
                             return failure();
                         return t.get(body.getTerminator()->getOperands());
                       })
      .run();
}

LogicalResult tile::lower(InlineAsmOp op, ThreadLowering &t) {
  auto code = [&](ArrayRef<Value> elements) -> FailureOr<SmallVector<Value>> {
    return emitInlineAssembly(t.b, op, elements);
  };
  int64_t pack = op.getPack();
  if (isa<RankedTensorType>(op.getMapped().front().getType()))
    return ElementRunner(op, pack, t, code).run();
  // Scalars are the same in all threads, and so is what is computed from them.
  SmallVector<Value> elements;
  for (Value source : op.getSources())
    elements.append(pack, t.get(source));
  SmallVector<Value> results = *code(elements);
  for (auto [i, result] : llvm::enumerate(op.getMapped()))
    t.set(result, results[i * pack]);
  return success();
}
