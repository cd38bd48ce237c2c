//===- Hooks.cpp - Per-thread code in AMD's words ---------------------------===//
#include "compiler/targets/amd/Hooks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace tile;
using namespace tile::amd;

void Hooks::registerDialects(DialectRegistry &registry) const {
  registry.insert<ROCDL::ROCDLDialect>();
}

llvm::StringRef Hooks::getSyncScope(MemoryScope scope) const {
  switch (scope) {
  case MemoryScope::CTA:
    return "workgroup";
  case MemoryScope::GPU:
    return "agent";
  case MemoryScope::System:
    return "";
  }
  llvm_unreachable("all scopes are listed");
}

void tile::amd::emitCompilerFence(OpBuilder &b, Location loc) {
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), /*asm_string=*/"",
                            /*constraints=*/"~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            /*asm_dialect=*/LLVM::AsmDialectAttr(),
                            /*operand_attrs=*/ArrayAttr());
}

/// Lanes run in lockstep and the memory on chip serves a wave in order: only the
/// compiler must be kept from moving accesses across.
void Hooks::emitWarpBarrier(ImplicitLocOpBuilder &b) const {
  emitCompilerFence(b, b.getLoc());
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, "wavefront");
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.amdgcn.wave.barrier"), ValueRange());
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, "wavefront");
}

/// Code generators keep what comes out of it in scalar registers.
Value Hooks::emitUniform(ImplicitLocOpBuilder &b, Value value) const {
  return ROCDL::ReadfirstlaneOp::create(b, value.getType(), value);
}
