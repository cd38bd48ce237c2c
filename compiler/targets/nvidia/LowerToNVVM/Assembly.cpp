//===- Assembly.cpp - Instructions written as text --------------------------===//
#include "compiler/targets/nvidia/LowerToNVVM/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

SmallVector<Value> tile::nvidia::createAsm(OpBuilder &b, Location loc, ArrayRef<Type> results,
                                           ValueRange operands, StringRef text,
                                           StringRef constraints, bool sideEffects) {
  Type type;
  if (results.empty())
    type = LLVM::LLVMVoidType::get(b.getContext());
  else if (results.size() == 1)
    type = results.front();
  else
    type = LLVM::LLVMStructType::getLiteral(b.getContext(), results);
  auto op = LLVM::InlineAsmOp::create(b, loc, results.empty() ? TypeRange() : TypeRange(type),
                                      operands, text, constraints, sideEffects,
                                      /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                      /*asm_dialect=*/LLVM::AsmDialectAttr(),
                                      /*operand_attrs=*/ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector_of<Value>(op->getResults());
  SmallVector<Value> parts;
  for (unsigned i = 0; i < results.size(); ++i)
    parts.push_back(LLVM::ExtractValueOp::create(b, loc, op.getRes(), i));
  return parts;
}
