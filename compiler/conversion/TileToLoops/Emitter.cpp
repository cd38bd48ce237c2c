//===- Emitter.cpp - Writes the loops of a kernel -------------------------===//
#include "compiler/conversion/TileToLoops/Emitter.h"

#include "compiler/conversion/TileToLoops/Nest.h"
#include "compiler/conversion/TileToLoops/TileToLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

void Emitter::run() {
  Location loc = kernel.getLoc();
  MLIRContext *context = kernel.getContext();
  Block &source = kernel.front();
  auto pointer = LLVM::LLVMPointerType::get(context);
  entry = new Block();
  kernel.getBody().push_back(entry);
  arguments = {entry->addArgument(pointer, loc), entry->addArgument(pointer, loc),
               entry->addArgument(pointer, loc)};
  builder.setInsertionPointToEnd(entry);
  readParameters(source);
  emitBlock(source);
  finishStreams();
  func::ReturnOp::create(builder, loc);

  entry->moveBefore(&source);
  source.dropAllDefinedValueUses();
  source.erase();
  kernel.setFunctionType(FunctionType::get(context, {pointer, pointer, pointer}, {}));
  kernel.setAllArgAttrs(ArrayRef<DictionaryAttr>{});
  // The arena belongs to one thread, and no parameter points into it.
  for (unsigned own : {0u, 1u, 2u})
    kernel.setArgAttr(own, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
}

void Emitter::readParameters(Block &source) {
  for (BlockArgument parameter : source.getArguments()) {
    Location loc = parameter.getLoc();
    Type type = getScalarType(parameter.getType());
    Type stored = type.isInteger(1) ? builder.getI8Type() : type;
    Value slot = LLVM::GEPOp::create(
        builder, loc, arguments.args.getType(), builder.getI8Type(), arguments.args,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(8 * parameter.getArgNumber())});
    Value value = LLVM::LoadOp::create(builder, loc, stored, slot);
    if (stored != type)
      value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                    getConstant(builder.getI8IntegerAttr(0)));
    setScalar(parameter, value);
  }
}

//===----------------------------------------------------------------------===//
// Shared values
//===----------------------------------------------------------------------===//

Value Emitter::getConstant(TypedAttr attribute) {
  Value &value = constants[attribute];
  if (!value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    value = arith::ConstantOp::create(builder, kernel.getLoc(), attribute);
  }
  return value;
}

Value Emitter::getAddress(const Buffer &buffer) {
  Value &address = addresses[&buffer];
  if (!address) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    address = LLVM::GEPOp::create(builder, kernel.getLoc(), arguments.scratch.getType(),
                                  builder.getI8Type(), arguments.scratch,
                                  ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(buffer.offset)},
                                  LLVM::GEPNoWrapFlags::inbounds);
  }
  return address;
}

static int64_t getTargetFact(Operation *op, StringRef key) {
  TargetAttr target = getTarget(op);
  return target ? target.getFact(key, 16) : 16;
}

int64_t Emitter::getVectorBytes() const { return getTargetFact(kernel, kVectorBytesFact); }
int64_t Emitter::getVectorRegisters() const { return getTargetFact(kernel, kVectorRegistersFact); }

SmallVector<Value> Emitter::getScalars(ValueRange values) const {
  SmallVector<Value> result;
  for (Value value : values)
    if (!isBlock(value))
      result.push_back(getScalar(value));
  return result;
}

SmallVector<Type> Emitter::getScalarTypes(TypeRange types) const {
  SmallVector<Type> result;
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      result.push_back(getScalarType(type));
  return result;
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void Emitter::emitBlock(Block &source) {
  for (Operation &op : source)
    emitOp(op);
}

void Emitter::emitCode(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(op);
}

void Emitter::emitOp(Operation &op) {
  for (Group *group : plan.getGroups(&op))
    Nest(*this, builder, group->roots.front().op ? group->roots.front().op->getLoc() : op.getLoc())
        .emit(*group);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto dot = dyn_cast<DotOp>(op))
    return emitDot(dot);
  if (auto scan = dyn_cast<ScanOp>(op))
    return emitScan(scan);
  if (auto sort = dyn_cast<SortOp>(op))
    return emitSort(sort);
  if (auto histogram = dyn_cast<HistogramOp>(op))
    return emitHistogram(histogram);
  if (auto print = dyn_cast<PrintOp>(op))
    return emitPrint(print);
  if (auto assertion = dyn_cast<AssertOp>(op))
    return emitAssert(assertion);
  if (op.hasTrait<OpTrait::IsTerminator>())
    return emitYield(op);
  auto assembly = dyn_cast<InlineAsmOp>(op);
  bool onBlocks = isVirtual(&op) || isa<ReduceOp>(op) ||
                  ((isa<StoreOp>(op) || isAtomic(&op)) && isBlock(op.getOperand(0))) ||
                  (assembly && isBlock(assembly.getMapped().front()));
  if (!onBlocks && !isa<BarrierOp>(op))
    emitScalarOp(op);
}

void Emitter::emitScalarOp(Operation &op) {
  Nest nest(*this, builder, op.getLoc());
  for (auto [result, value] : llvm::zip(op.getResults(), nest.emitScalar(&op)))
    setScalar(result, value);
}
