//===- Target.cpp - AMD GPUs ------------------------------------------------===//
#include "compiler/core/Target.h"

#include "compiler/conversion/GPUStages.h"
#include "compiler/core/Codegen.h"
#include "compiler/core/SplitVectors.h"
#include "compiler/targets/amd/Hooks.h"
#include "compiler/targets/amd/LowerToROCDL/LowerToROCDL.h"
#include "compiler/transforms/Scheduled.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace tile;

namespace {
/// One architecture: what the hardware has.
struct Arch {
  llvm::StringLiteral name;
  int32_t isa; // the generation of its instructions
  int32_t lanes;
  int32_t onChipBytes;
};

constexpr Arch kArchs[] = {
    {"gfx942", 9, 64, 65536},   {"gfx950", 9, 64, 163840},  {"gfx1100", 11, 32, 65536},
    {"gfx1200", 12, 32, 65536}, {"gfx1201", 12, 32, 65536},
};

const Arch &getArch(StringRef name) {
  return *llvm::find_if(kArchs, [&](const Arch &arch) { return arch.name == name; });
}

/// Strength reduction of straight code: its cost grows with the square of the
/// code, and layouts leave it next to nothing to find.
constexpr llvm::StringLiteral kSkippedPasses[] = {"slsr"};

constexpr llvm::StringRef kStages[] = {"scheduled", "gpu", "llvm"};
constexpr llvm::StringRef kArtifacts[] = {"llvmir", "amdgcn", "hsaco"};

/// The layout of hidden arguments that lowering relies on.
void stateCodeObjectVersion(llvm::Module &module) {
  module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", 500);
}

void prepare(llvm::Module &module) {
  stateCodeObjectVersion(module);
  splitVectors(module);
}

class AMDTarget final : public Target {
public:
  llvm::StringRef getName() const override { return "amd"; }

  std::vector<std::string> getArchitectures() const override {
    std::vector<std::string> names;
    for (const Arch &arch : kArchs)
      names.push_back(arch.name.str());
    return names;
  }

  llvm::ArrayRef<llvm::StringRef> getStages() const override { return kStages; }
  llvm::ArrayRef<llvm::StringRef> getArtifacts() const override { return kArtifacts; }

  TargetAttr describe(MLIRContext *context, llvm::StringRef name) const override;

  std::vector<std::string> getByteFloats(StringRef) const override {
    return {"fp8e4nv", "fp8e5", "fp8e5b16", "fp8e4b8"};
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<ROCDL::ROCDLDialect>();
    registerROCDLDialectTranslation(registry);
  }

  void buildStage(OpPassManager &pm, llvm::StringRef stage,
                  const CompileOptions &options) const override;

  const GPUHooks *getGPUHooks() const override { return &hooks; }

  FailureOr<std::string> emit(ModuleOp module, llvm::StringRef artifact,
                              const CompileOptions &options) const override;

private:
  amd::Hooks hooks;
};
} // namespace

/// No function of the hardware is stated as native: their errors are those of
/// the vendor's library, which refines them, so expansions are used.
TargetAttr AMDTarget::describe(MLIRContext *context, llvm::StringRef name) const {
  Builder b(context);
  const Arch &arch = getArch(name);
  SmallVector<NamedAttribute> facts = {
      b.getNamedAttr("lanes", b.getI32IntegerAttr(arch.lanes)),
      b.getNamedAttr("isa", b.getI32IntegerAttr(arch.isa)),
      b.getNamedAttr("on_chip_bytes", b.getI32IntegerAttr(arch.onChipBytes)),
      b.getNamedAttr("access_bits", b.getI32IntegerAttr(128)),
      b.getNamedAttr("native_casts",
                     b.getStrArrayAttr({"f16:f32", "f32:f16", "f16:f64", "f32:f64", "f64:f32"})),
      b.getNamedAttr("native_arithmetic", b.getStrArrayAttr({"f16"})),
  };
  return TargetAttr::get(context, getName(), name, b.getDictionaryAttr(facts));
}

void AMDTarget::buildStage(OpPassManager &pm, llvm::StringRef stage, const CompileOptions &) const {
  if (stage == "scheduled")
    buildScheduledPipeline(pm);
  if (stage == "gpu")
    buildGPUPipeline(pm);
  if (stage == "llvm")
    buildGPUToLLVMPipeline(pm, createLowerToROCDL());
}

FailureOr<std::string> AMDTarget::emit(ModuleOp module, llvm::StringRef artifact,
                                       const CompileOptions &options) const {
  CodegenOptions codegen;
  codegen.triple = "amdgcn-amd-amdhsa";
  codegen.cpu = options.arch;
  codegen.features = getArch(options.arch).lanes == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  // Blocks arrive as vectors: taken apart first, so that elements that nobody
  // uses, around loops too, are seen and removed.
  // Written as text, instcombine checks that it reached a fixed point: a check of LLVM's own tests.
  codegen.passes =
      "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
      "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,adce,simplifycfg),"
      "amdgpu-attributor"; // kernels ask for the hidden arguments and ids that they read
  codegen.skippedPasses = kSkippedPasses;
  codegen.level = llvm::CodeGenOptLevel::Aggressive;
  codegen.adjust = prepare;
  CodegenOutput output = artifact == "llvmir"   ? CodegenOutput::LLVMIR
                         : artifact == "amdgcn" ? CodegenOutput::Assembly
                                                : CodegenOutput::Object;
  FailureOr<std::string> code = generateCode(module, codegen, output);
  if (failed(code) || artifact != "hsaco")
    return code;
  // A call of a device library would link, and fail on the device.
  std::string error;
  FailureOr<std::string> linked = linkShared(*code, {"--no-undefined", "--build-id=none"}, error);
  if (failed(linked))
    return module.emitError() << "linking: " << StringRef(error).rtrim();
  return linked;
}

namespace tile::amd {
std::unique_ptr<Target> createTarget() { return std::make_unique<AMDTarget>(); }
} // namespace tile::amd
