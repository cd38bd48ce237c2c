//===- Target.cpp - The CPU -----------------------------------------------===//
//
// Stages `loops` and `llvm`, then objects by LLVM's x86 code generator. A kernel
// is a function of three pointers; see README.md in this folder.
//
//===----------------------------------------------------------------------===//
#include "compiler/core/Target.h"

#include "compiler/conversion/SaturateFloatToInt/SaturateFloatToInt.h"
#include "compiler/conversion/TileToLoops/TileToLoops.h"
#include "compiler/core/Codegen.h"
#include "compiler/transforms/CheckBounds/CheckBounds.h"
#include "compiler/transforms/ExpandAtomics/ExpandAtomics.h"
#include "compiler/transforms/ExpandCasts/ExpandCasts.h"
#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h"
#include "compiler/transforms/ExpandDivision/ExpandDivision.h"
#include "compiler/transforms/ExpandMath/ExpandMath.h"
#include "compiler/transforms/ExpandSorts/ExpandSorts.h"
#include "compiler/transforms/GuardArithmetic/GuardArithmetic.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace tile;

/// No -O level: the loops are vector code already. These four clean up what the
/// conversion repeats; a full pipeline costs ten times as much for a few percent.
static constexpr llvm::StringLiteral kPasses =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,loop-mssa(licm))";

/// What takes longer than it gains: addresses in these loops fit the machine's
/// addressing modes, the machine itself reorders instructions, and no integer is
/// wider than it has divisions for.
static constexpr llvm::StringLiteral kSkippedPasses[] = {"loop-reduce", "canon-freeze",
                                                         "post-RA-sched", "expand-ir-insts"};

namespace {
/// A machine as LLVM names it.
struct Machine {
  std::string cpu, features;
  bool hasWideVectors = false;
  bool isSupported = true;
};

class CPUTarget : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  std::vector<std::string> getArchitectures() const override {
    return {"host", "x86-64-v3", "x86-64-v4"};
  }
  ArrayRef<StringRef> getStages() const override {
    static const StringRef stages[] = {"loops", "llvm"};
    return stages;
  }
  ArrayRef<StringRef> getArtifacts() const override {
    static const StringRef artifacts[] = {"llvmir", "asm", "library", "object"};
    return artifacts;
  }
  TargetAttr describe(MLIRContext *context, StringRef arch) const override;
  void registerDialects(DialectRegistry &registry) const override {}
  void buildStage(OpPassManager &pm, StringRef stage, const CompileOptions &options) const override;
  FailureOr<std::string> emit(ModuleOp module, StringRef artifact,
                              const CompileOptions &options) const override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Machines
//===----------------------------------------------------------------------===//

static Machine detectHost() {
  Machine machine;
  machine.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> names;
  for (const auto &feature : features)
    names.push_back(((feature.second ? "+" : "-") + feature.first()).str());
  llvm::sort(names); // the map's order is not the same in each process
  machine.features = llvm::join(names, ",");
  for (StringRef needed : {"avx2", "fma", "f16c", "bmi2"})
    machine.isSupported &= features.lookup(needed);
  machine.hasWideVectors = features.lookup("avx512f") && features.lookup("avx512bw") &&
                           features.lookup("avx512dq") && features.lookup("avx512vl");
  return machine;
}

static const Machine &getMachine(StringRef arch) {
  static const Machine host = detectHost();
  static const Machine v3{"x86-64-v3", "", false, true}, v4{"x86-64-v4", "", true, true};
  return arch == "x86-64-v3" ? v3 : arch == "x86-64-v4" ? v4 : host;
}

TargetAttr CPUTarget::describe(MLIRContext *context, StringRef arch) const {
  const Machine &machine = getMachine(arch);
  Builder builder(context);
  SmallVector<NamedAttribute> facts = {
      {builder.getStringAttr("lanes"), builder.getI32IntegerAttr(1)},
      {builder.getStringAttr(kVectorBytesFact),
       builder.getI32IntegerAttr(machine.hasWideVectors ? 64 : 32)},
      {builder.getStringAttr(kVectorRegistersFact),
       builder.getI32IntegerAttr(machine.hasWideVectors ? 32 : 16)},
      // F16C. Others become integer arithmetic: what LLVM calls for them is in no library here.
      {builder.getStringAttr("native_casts"), builder.getStrArrayAttr({"f16:f32", "f32:f16"})}};
  if (machine.hasWideVectors) {
    Attribute exact = builder.getF32FloatAttr(0);
    facts.emplace_back(builder.getStringAttr("native_math"),
                       builder.getDictionaryAttr({{builder.getStringAttr("ldexp.f32"), exact},
                                                  {builder.getStringAttr("ldexp.f64"), exact}}));
  }
  return TargetAttr::get(context, getName(), arch, builder.getDictionaryAttr(facts));
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void CPUTarget::buildStage(OpPassManager &pm, StringRef stage, const CompileOptions &) const {
  if (stage == "loops") {
    pm.addPass(createInlinerPass());
    pm.addPass(createExpandDescriptors());
    pm.addNestedPass<func::FuncOp>(createExpandAtomics());
    pm.addPass(createCheckBounds());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createSymbolDCEPass());
    pm.addNestedPass<func::FuncOp>(createExpandSorts());
    pm.addPass(createGuardArithmetic());
    // Before the loops, because vectors have no `tile.cast`.
    pm.addPass(createExpandCasts());
    pm.addPass(createCSEPass());
    // Pointers that a loop advances by a fixed step are recognised by a step from outside.
    pm.addPass(createLoopInvariantCodeMotionPass());
    pm.addPass(createTileToLoops());
    return;
  }
  // Before functions are expanded: their own conversions stay within range.
  pm.addPass(createSaturateFloatToInt());
  // After the loops, so that a function is one operation while they are planned.
  pm.addPass(createExpandMath());
  pm.addPass(createExpandCasts());
  pm.addPass(createExpandDivision());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Some machines would rather halve wide vectors, but products fill the wide registers.
static void preferWideVectors(llvm::Module &ir) {
  for (llvm::Function &function : ir)
    if (!function.isDeclaration())
      function.addFnAttr("prefer-vector-width", "512");
}

FailureOr<std::string> CPUTarget::emit(ModuleOp module, StringRef artifact,
                                       const CompileOptions &options) const {
  const Machine &machine = getMachine(options.arch);
  if (!machine.isSupported)
    return module.emitError() << "this CPU (" << machine.cpu
                              << ") lacks AVX2, FMA, F16C or BMI2, which kernels need";
  CodegenOptions codegen;
  codegen.triple = "x86_64-unknown-linux-gnu";
  codegen.cpu = machine.cpu;
  codegen.features = machine.features;
  codegen.passes = kPasses.str();
  codegen.skippedPasses = kSkippedPasses;
  codegen.codeModel = llvm::CodeModel::Small;
  codegen.adjust = preferWideVectors;
  CodegenOutput output = artifact == "llvmir" ? CodegenOutput::LLVMIR
                         : artifact == "asm"  ? CodegenOutput::Assembly
                                              : CodegenOutput::Object;
  FailureOr<std::string> code = generateCode(module, codegen, output);
  if (failed(code) || artifact != "library")
    return code;
  std::string error;
  FailureOr<std::string> library =
      linkShared(*code, {"--hash-style=gnu", "--build-id=none", "-s"}, error);
  if (failed(library))
    return module.emitError() << "linking: " << StringRef(error).rtrim();
  return library;
}

namespace tile::cpu {
std::unique_ptr<Target> createTarget() { return std::make_unique<CPUTarget>(); }
} // namespace tile::cpu
