//===- StageOps.cpp - Buffers and asynchronous copies: syntax and rules ---===//
#include "dialects/tile/IR/StageSyntax.h"
#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult BufferViewOp::verify() {
  if (!getSource().getType().isStack()) // buffer_view.1
    return emitOpError("expects a stack of blocks, got ") << getSource().getType();
  return success();
}

/// buffer_load.1, buffer_store.1
static LogicalResult verifyTransfer(Operation *op, BufferType buffer, Type value) {
  if (buffer.getShape() != getShape(value) || buffer.getElementType() != getElementType(value))
    return op->emitOpError("expects a block of the buffer's shape and element type, got ")
           << value << " for " << buffer;
  return success();
}

LogicalResult BufferLoadOp::verify() {
  return verifyTransfer(*this, getBuffer().getType(), getType());
}

LogicalResult BufferStoreOp::verify() {
  return verifyTransfer(*this, getBuffer().getType(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

LogicalResult AsyncCopyOp::verify() {
  if (failed(verifyTransfer(*this, getBuffer().getType(),
                            getPointeeLike(getPointer().getType())))) // async_copy.1
    return failure();
  Type want = getMaskLike(getPointer().getType());
  if (getMask() && getMask().getType() != want) // async_copy.2
    return emitOpError("expects a mask of type ") << want << ", got " << getMask().getType();
  return success();
}

static Type getPromised(Type pending) { return cast<PendingType>(pending).getValue(); }

void CommitOp::build(OpBuilder &, OperationState &state, ValueRange pending) {
  state.addOperands(pending);
  state.addTypes(pending.getTypes());
}

LogicalResult CommitOp::verify() {
  if (getPending().getTypes() != getCommitted().getTypes()) // commit.1
    return emitOpError("expects results of the operands' types");
  return success();
}

void AwaitOp::build(OpBuilder &builder, OperationState &state, ValueRange pending,
                    int32_t inFlight) {
  state.addOperands(pending);
  state.getOrAddProperties<Properties>().inFlight = builder.getI32IntegerAttr(inFlight);
  state.addTypes(llvm::map_to_vector(pending.getTypes(), getPromised));
}

LogicalResult AwaitOp::verify() {
  if (!llvm::equal(llvm::map_range(getPending().getTypes(), getPromised),
                   getValues().getTypes())) // await.1
    return emitOpError("expects results of the types that the operands promise");
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult tile::parseCommittedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &pending,
                                      SmallVectorImpl<Type> &committed) {
  if (failed(parser.parseOptionalColon()))
    return success();
  if (parser.parseTypeList(pending))
    return failure();
  committed.assign(pending.begin(), pending.end());
  return success();
}

void tile::printCommittedTypes(OpAsmPrinter &printer, Operation *, TypeRange pending, TypeRange) {
  if (!pending.empty())
    printer << ": " << pending;
}

ParseResult tile::parseAwaitedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &pending,
                                    SmallVectorImpl<Type> &values) {
  if (failed(parser.parseOptionalColon()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(pending))
    return failure();
  for (Type type : pending) {
    auto promise = dyn_cast<PendingType>(type);
    if (!promise)
      return parser.emitError(loc, "expects pending values, got ") << type;
    values.push_back(promise.getValue());
  }
  return success();
}

void tile::printAwaitedTypes(OpAsmPrinter &printer, Operation *, TypeRange pending, TypeRange) {
  if (!pending.empty())
    printer << ": " << pending;
}
