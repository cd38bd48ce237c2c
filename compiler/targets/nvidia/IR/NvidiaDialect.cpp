//===- NvidiaDialect.cpp - Registration and verifiers -----------------------===//
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

#include "compiler/targets/nvidia/IR/NvidiaDialect.cpp.inc"

#include "compiler/targets/nvidia/IR/NvidiaEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/targets/nvidia/IR/NvidiaAttributes.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/targets/nvidia/IR/NvidiaOps.cpp.inc"

void NvidiaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/targets/nvidia/IR/NvidiaAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "compiler/targets/nvidia/IR/NvidiaOps.cpp.inc"
      >();
}

unsigned tile::nvidia::getBits(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getBits(vector.getElementType());
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth();
  return 64;
}

/// Widths that one load or store instruction moves.
static LogicalResult verifyAccessBits(Operation *op, Type type) {
  unsigned bits = getBits(type);
  if (bits >= 8 && bits <= 128 && llvm::isPowerOf2_32(bits))
    return success();
  return op->emitOpError("expects a value of 8, 16, 32, 64 or 128 bits, got ") << type;
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccessBits(*this, getType()))) // load.1
    return failure();
  if (static_cast<bool>(getOther()) != static_cast<bool>(getPredicate())) // load.2
    return emitOpError("expects a predicate and a value for where it is false, or neither");
  if (getOther() && getOther().getType() != getType())
    return emitOpError("expects 'other' of type ") << getType() << ", got " << getOther().getType();
  return success();
}

LogicalResult StoreOp::verify() { return verifyAccessBits(*this, getValue().getType()); } // store.1

LogicalResult AddOp::verify() { // add.1
  auto type = dyn_cast<VectorType>(getValue().getType());
  Type element = type ? type.getElementType() : Type();
  unsigned bits = type ? getBits(type) : 0;
  if (type && (element.isF32() || element.isF16() || element.isBF16()) &&
      (bits == 64 || bits == 128 || (bits == 32 && !element.isF32())))
    return success();
  return emitOpError("expects a vector of f32, f16 or bf16, of 32 (not f32), 64 or 128 bits, got ")
         << getValue().getType();
}

LogicalResult WgmmaOp::verify() {
  if (getA() ? !getRegistersA().empty() : getRegistersA().size() != 4) // wgmma.1
    return emitOpError("expects the address of A, or A in four registers");
  bool startsAnew = getAcc().empty();
  uint32_t words = getN() / (getTypes().starts_with("f16") ? 4 : 2);
  if (getResults().size() != words ||
      (!startsAnew && getResultTypes() != getAcc().getTypes())) // wgmma.2
    return emitOpError("expects ") << words << " results, and as many accumulators or none";
  if ((getTransposedA() || getTransposedB()) && getK() != 16) // wgmma.3
    return emitOpError("expects operands of 16 bits where one is transposed");
  return success();
}
