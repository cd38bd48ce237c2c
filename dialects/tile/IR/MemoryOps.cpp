//===- MemoryOps.cpp - Access to global memory: syntax, rules, folds ------===//
#include "dialects/tile/IR/MemoryRules.h"
#include "dialects/tile/IR/StageSyntax.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Types of masked operands follow from the pointer's
//===----------------------------------------------------------------------===//

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

static ParseResult parseMaskedTypes(OpAsmParser &parser, const OptionalOperand &mask,
                                    const OptionalOperand &other, Type &pointer, Type &maskType,
                                    Type &otherType) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(pointer))
    return failure();
  Type pointee = getPointeeLike(pointer);
  if (!pointee)
    return parser.emitError(loc, "expects a pointer or a block of pointers, got ") << pointer;
  if (mask)
    maskType = getMaskLike(pointer);
  if (other)
    otherType = pointee;
  return success();
}

static void printMaskedTypes(OpAsmPrinter &printer, Operation *, Value, Value, Type pointer, Type,
                             Type) {
  printer << pointer;
}

static ParseResult parseMaskedType(OpAsmParser &parser, const OptionalOperand &mask, Type &pointer,
                                   Type &maskType) {
  Type otherType;
  return parseMaskedTypes(parser, mask, std::nullopt, pointer, maskType, otherType);
}

static void printMaskedType(OpAsmPrinter &printer, Operation *, Value, Type pointer, Type) {
  printer << pointer;
}

LogicalResult tile::verifyMask(Operation *op, Type pointer, Value mask) {
  if (mask && mask.getType() != getMaskLike(pointer))
    return op->emitOpError("expects a mask of type ")
           << getMaskLike(pointer) << ", got " << mask.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// addptr, cast_ptr
//===----------------------------------------------------------------------===//

/// addptr(p, 0)  ->  p
OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  return matchPattern(adaptor.getOffset(), m_Zero()) ? getPointer() : OpFoldResult();
}

/// cast_ptr(p) to p's own type  ->  p
OpFoldResult CastPtrOp::fold(FoldAdaptor) {
  return getSource().getType() == getType() ? getSource() : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// load
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (failed(verifyMask(*this, getPointer().getType(), getMask()))) // load.1
    return failure();
  if (!getOther())
    return success();
  if (!getMask()) // load.2
    return emitOpError("expects a mask where 'other' is given");
  if (getOther().getType() != getType())
    return emitOpError("expects 'other' of type ") << getType() << ", got " << getOther().getType();
  return success();
}

void LoadOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getIsVolatile()) // must neither vanish nor move
    effects.emplace_back(MemoryEffects::Write::get());
}

/// load(p) mask true  ->  load(p)
OpFoldResult LoadOp::fold(FoldAdaptor adaptor) {
  if (!getMask() || !matchPattern(adaptor.getMask(), m_One()))
    return {};
  getOtherMutable().clear();
  getMaskMutable().clear();
  return getResult();
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

LogicalResult StoreOp::verify() {
  return verifyMask(*this, getPointer().getType(), getMask()); // store.1
}

/// store mask true  ->  store;  store mask false  ->  nothing
LogicalResult StoreOp::canonicalize(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return rewriter.notifyMatchFailure(op, "has no mask");
  if (matchPattern(op.getMask(), m_Zero())) {
    rewriter.eraseOp(op);
    return success();
  }
  if (!matchPattern(op.getMask(), m_One()))
    return rewriter.notifyMatchFailure(op, "mask is not constant");
  rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  return success();
}

#define GET_OP_CLASSES
#include "dialects/tile/IR/TileOps.cpp.inc"
