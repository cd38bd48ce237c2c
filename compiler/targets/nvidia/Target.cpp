//===- Target.cpp - NVIDIA GPUs ---------------------------------------------===//
#include "compiler/core/Target.h"

#include "compiler/core/Codegen.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/LowerToNVVM/LowerToNVVM.h"
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tile;

namespace {
/// One architecture: what the hardware has, and the first PTX that knows it.
struct Arch {
  llvm::StringLiteral name;
  int32_t onChipBytes; // a block's most, opted in
  unsigned ptx;
};

constexpr Arch kArchs[] = {
    {"sm_90a", 232448, 80}, {"sm_80", 166912, 70},   {"sm_86", 101376, 71},
    {"sm_89", 101376, 78},  {"sm_100a", 232448, 86}, {"sm_120a", 101376, 87},
};

const Arch &getArch(StringRef name) {
  return *llvm::find_if(kArchs, [&](const Arch &arch) { return arch.name == name; });
}

constexpr llvm::StringRef kStages[] = {"scheduled", "gpu", "llvm"};
constexpr llvm::StringRef kArtifacts[] = {"llvmir", "ptx"};

/// LLVM may duplicate or sink a call that is not convergent, also into
/// divergent branches, where barriers and collective instructions hang. MLIR
/// has no word for it.
void markAssemblyConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->isInlineAsm())
          call->addFnAttr(llvm::Attribute::Convergent);
}

class NvidiaTarget final : public Target {
public:
  llvm::StringRef getName() const override { return "nvidia"; }

  std::vector<std::string> getArchitectures() const override {
    std::vector<std::string> names;
    for (const Arch &arch : kArchs)
      names.push_back(arch.name.str());
    return names;
  }

  llvm::ArrayRef<llvm::StringRef> getStages() const override { return kStages; }
  llvm::ArrayRef<llvm::StringRef> getArtifacts() const override { return kArtifacts; }

  TargetAttr describe(MLIRContext *context, llvm::StringRef name) const override;

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<NVVM::NVVMDialect, nvidia::NvidiaDialect>();
    registerNVVMDialectTranslation(registry);
  }

  void buildStage(OpPassManager &pm, llvm::StringRef stage,
                  const CompileOptions &options) const override;

  FailureOr<std::string> emit(ModuleOp module, llvm::StringRef artifact,
                              const CompileOptions &options) const override;
};
} // namespace

TargetAttr NvidiaTarget::describe(MLIRContext *context, llvm::StringRef name) const {
  Builder b(context);
  const Arch &arch = getArch(name);
  SmallVector<NamedAttribute> facts = {
      b.getNamedAttr("lanes", b.getI32IntegerAttr(32)),
      b.getNamedAttr("on_chip_bytes", b.getI32IntegerAttr(arch.onChipBytes)),
      b.getNamedAttr("access_bits", b.getI32IntegerAttr(128)),
  };
  return TargetAttr::get(context, getName(), name, b.getDictionaryAttr(facts));
}

void NvidiaTarget::buildStage(OpPassManager &pm, llvm::StringRef stage,
                              const CompileOptions &) const {
  if (stage == "llvm") {
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(createLowerToNVVM());
    pm.addPass(createCSEPass());
  }
}

FailureOr<std::string> NvidiaTarget::emit(ModuleOp module, llvm::StringRef artifact,
                                          const CompileOptions &options) const {
  unsigned ptx = std::max(getArch(options.arch).ptx, nvidia::getRequiredPTX(module));
  CodegenOptions codegen;
  codegen.triple = "nvptx64-nvidia-cuda";
  codegen.cpu = options.arch;
  codegen.features = "+ptx" + std::to_string(ptx);
  codegen.passes = "default<O3>";
  codegen.level = llvm::CodeGenOptLevel::Aggressive;
  codegen.adjust = markAssemblyConvergent;
  return generateCode(module, codegen,
                      artifact == "ptx" ? CodegenOutput::Assembly : CodegenOutput::LLVMIR);
}

namespace tile::nvidia {
std::unique_ptr<Target> createTarget() { return std::make_unique<NvidiaTarget>(); }
} // namespace tile::nvidia
