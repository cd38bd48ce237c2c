//===- InlineAssembly.cpp - Assembly on scalars -----------------------------===//
#include "compiler/conversion/InlineAssembly/InlineAssembly.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tile;

/// The type of a register that holds `count` elements of `type`.
static Type getRegisterType(Type type, int64_t count) {
  if (isa<PtrType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isPlain = count == 1 && !(isa<FloatType>(type) && bits == 8);
  return isPlain ? type : IntegerType::get(type.getContext(), bits * count);
}

/// Elements into one register, the first one lowest.
static Value packRegister(OpBuilder &builder, Location loc, ArrayRef<Value> elements, Type type) {
  if (elements.front().getType() == type)
    return elements.front();
  unsigned bits = elements.front().getType().getIntOrFloatBitWidth();
  Type bitsType = builder.getIntegerType(bits);
  Value packed;
  for (auto [i, element] : llvm::enumerate(elements)) {
    Value part = element;
    if (part.getType() != bitsType)
      part = arith::BitcastOp::create(builder, loc, bitsType, part);
    if (elements.size() == 1)
      return part;
    part = arith::ExtUIOp::create(builder, loc, type, part);
    if (i == 0) {
      packed = part;
      continue;
    }
    Value amount = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, bits * i));
    part = arith::ShLIOp::create(builder, loc, part, amount);
    packed = arith::OrIOp::create(builder, loc, packed, part);
  }
  return packed;
}

/// Element `index` of a register of several.
static Value unpackRegister(OpBuilder &builder, Location loc, Value packed, int64_t index,
                            Type type) {
  if (packed.getType() == type)
    return packed;
  unsigned bits = type.getIntOrFloatBitWidth();
  Type bitsType = builder.getIntegerType(bits);
  if (index > 0) {
    Value amount = arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(packed.getType(), bits * index));
    packed = arith::ShRUIOp::create(builder, loc, packed, amount);
  }
  if (packed.getType() != bitsType)
    packed = arith::TruncIOp::create(builder, loc, bitsType, packed);
  return type == bitsType ? packed : arith::BitcastOp::create(builder, loc, type, packed);
}

SmallVector<Value> tile::emitInlineAssembly(OpBuilder &builder, InlineAsmOp op,
                                            ArrayRef<Value> elements) {
  Location loc = op.getLoc();
  int64_t pack = op.getPack();
  SmallVector<Value> registers;
  for (Value source : op.getSources()) {
    ArrayRef<Value> own = elements.take_front(pack);
    elements = elements.drop_front(pack);
    int64_t shared = op.getElementsPerRegister(source.getType());
    for (; !own.empty(); own = own.drop_front(std::min<int64_t>(shared, own.size()))) {
      SmallVector<Value> held(own.take_front(shared));
      held.resize(shared, held.front()); // the last one may be half empty
      Type type = getRegisterType(getElementType(source.getType()), shared);
      registers.push_back(packRegister(builder, loc, held, type));
    }
  }
  SmallVector<Type> types;
  for (Value result : op.getMapped())
    types.append(op.getNumRegisters(result.getType()),
                 getRegisterType(getElementType(result.getType()),
                                 op.getElementsPerRegister(result.getType())));
  MLIRContext *context = builder.getContext();
  Type all = types.size() == 1 ? types.front() : LLVM::LLVMStructType::getLiteral(context, types);
  auto call = LLVM::InlineAsmOp::create(
      builder, loc, all, registers, op.getAssembly(), op.getConstraints(),
      /*has_side_effects=*/!op.getIsPure(), /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(context, LLVM::AsmDialect::AD_ATT), ArrayAttr());
  SmallVector<Value> results;
  int64_t next = 0;
  for (Value result : op.getMapped()) {
    Type element = getElementType(result.getType());
    if (isa<PtrType>(element))
      element = LLVM::LLVMPointerType::get(context);
    int64_t shared = op.getElementsPerRegister(result.getType());
    for (int64_t i = 0; i < pack; ++i) {
      Value held = call.getResult(0);
      if (types.size() > 1)
        held = LLVM::ExtractValueOp::create(builder, loc, held, next + i / shared);
      results.push_back(unpackRegister(builder, loc, held, i % shared, element));
    }
    next += op.getNumRegisters(result.getType());
  }
  return results;
}
