//===- Target.cpp - NVIDIA GPUs ---------------------------------------------===//
#include "compiler/core/Target.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/conversion/GPUStages.h"
#include "compiler/core/Codegen.h"
#include "compiler/core/PairHalfwords.h"
#include "compiler/core/SplitVectors.h"
#include "compiler/core/WidenHalfwords.h"
#include "compiler/targets/nvidia/HoistWaits.h"
#include "compiler/targets/nvidia/Hooks.h"
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/LowerToNVVM/LowerToNVVM.h"
#include "compiler/targets/nvidia/ShareAddresses.h"
#include "compiler/targets/nvidia/SinkValues.h"
#include "compiler/transforms/Scheduled.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"

using namespace mlir;
using namespace tile;

namespace {
/// One architecture: what the hardware has, and the first PTX that knows it.
struct Arch {
  llvm::StringLiteral name;
  int32_t onChipBytes; // a block's most, opted in
  unsigned ptx;
  bool hasF8;             // conversions and matrix instructions of 8-bit floats
  bool hasBF16Arithmetic; // beyond the fused multiplication; and atomic additions of vectors
  bool hasWgmma;          // matrix instructions of four warps
};

constexpr Arch kArchs[] = {
    {"sm_90a", 232448, 80, true, true, true},   {"sm_80", 166912, 70, false, false, false},
    {"sm_86", 101376, 71, false, false, false}, {"sm_89", 101376, 78, true, false, false},
    {"sm_100a", 232448, 86, true, true, false}, {"sm_120a", 101376, 87, true, true, false},
};

/// Of a tensor copy: elements of one dimension.
constexpr int32_t kMostOfBox = 256;
/// Warps that change their number of registers together.
constexpr int32_t kWarpsOfGroup = 4;
/// Of a cluster, on every device.
constexpr int32_t kMostBlocks = 8;
/// Of a multiprocessor.
constexpr int32_t kRegisters = 65536;

const Arch &getArch(StringRef name) {
  return *llvm::find_if(kArchs, [&](const Arch &arch) { return arch.name == name; });
}

/// Two ask of each sum whether one before may be a part of it, at a cost that
/// grows with the square of the code, and find next to nothing: what threads and
/// loops add to addresses is factored since layouts are. One moves loads behind branches.
constexpr llvm::StringLiteral kSkippedPasses[] = {"slsr", "loop-reduce", "machine-sink"};

constexpr llvm::StringRef kStages[] = {"scheduled", "gpu", "llvm"};
constexpr llvm::StringRef kArtifacts[] = {"llvmir", "ptx"};

/// Largest errors of the hardware's functions in units in the last place, as its
/// vendor states them. Those with an absolute error alone have no bound here:
/// only programs that ask for approximations get them.
DictionaryAttr describeMath(Builder &b) {
  constexpr float kUnbounded = 1.0e9f;
  constexpr std::pair<llvm::StringLiteral, float> kErrors[] = {
      {"exp2.f32", 2.0f},      {"rsqrt.f32", 2.0f},     {"log2.f32", kUnbounded},
      {"sin.f32", kUnbounded}, {"cos.f32", kUnbounded},
  };
  SmallVector<NamedAttribute> errors;
  for (auto [name, error] : kErrors)
    errors.push_back(b.getNamedAttr(name, b.getF32FloatAttr(error)));
  return b.getDictionaryAttr(errors);
}

/// The preferred ones first.
SmallVector<Attribute> describeUnits(MLIRContext *context, const Arch &arch) {
  using nvidia::MmaKind;
  SmallVector<MmaKind> kinds = {MmaKind::F16, MmaKind::BF16, MmaKind::TF32, MmaKind::I8};
  if (arch.hasF8)
    kinds.push_back(MmaKind::F8);
  SmallVector<Attribute> units;
  if (arch.hasWgmma)
    for (MmaKind kind : kinds)
      units.push_back(nvidia::WgmmaAttr::get(context, kind, 8));
  kinds.push_back(MmaKind::F64);
  for (MmaKind kind : kinds)
    units.push_back(nvidia::MmaSyncAttr::get(context, kind));
  return units;
}

constexpr unsigned kPTXOfF8Conversions = 81, kPTXOfVectorAdditions = 81;
/// Assemblers before this take strides of tensor maps in units of 16 bytes, against the
/// instruction's description.
constexpr unsigned kPTXOfTensorMaps = 86;

/// The PTX that `op` came with, where that is later than the architecture's.
unsigned getPTXVersion(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    StringRef name = call.getIntrin();
    if (!name.contains("e4m3") && !name.contains("e5m2"))
      return 0;
    return name.contains(".mma.") ? 84 : kPTXOfF8Conversions;
  }
  if (isa<NVVM::ConvertF32x2ToF8x2Op, NVVM::ConvertF16x2ToF8x2Op>(op))
    return kPTXOfF8Conversions;
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly)
    return 0;
  StringRef text = assembly.getAsmString();
  if (text.contains("tensormap.replace"))
    return kPTXOfTensorMaps;
  if (text.contains("red.relaxed"))
    return kPTXOfVectorAdditions;
  return text.contains(".L1::") || text.contains(".L2::") ? 74 : 0;
}

/// Whether lanes multiply matrices together.
bool isProduct(const llvm::CallInst &call) {
  const llvm::Function *callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("llvm.nvvm.mma.");
}

/// LLVM may duplicate or sink a call that is not convergent, also into
/// divergent branches, where barriers and collective instructions hang. MLIR
/// has no word for it, and LLVM's own products do without.
void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        if (call->isInlineAsm() || isProduct(*call))
          call->addFnAttr(llvm::Attribute::Convergent);
}

/// A warp's number is the same in all its lanes by a shuffle, behind which nobody would know how
/// many there are: without that no mask is seen to be true, and no address to be another plus a
/// constant.
void boundShuffles(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != llvm::Intrinsic::nvvm_shfl_sync_idx_i32)
        continue;
      llvm::KnownBits known =
          llvm::computeKnownBits(call->getArgOperand(1), module.getDataLayout());
      auto range = llvm::ConstantRange::fromKnownBits(known, /*IsSigned=*/false);
      if (!range.isFullSet())
        call->addRangeRetAttr(range);
    }
}

/// In the text, since assemblers ignore their own option where a program states its threads.
/// Warps that share out registers have counted on what they begin with.
void boundRegisters(ModuleOp module, int64_t count) {
  Builder b(module.getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) &&
        !function->hasAttr(NVVM::NVVMDialect::getMaxnregAttrName()))
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(count));
}

void prepare(llvm::Module &module) {
  markConvergent(module);
  boundShuffles(module);
  nvidia::pinLoads(module);
  splitVectors(module);
  pairHalfwords(module);
  widenHalfwords(module);
}

void finish(llvm::Module &module) {
  nvidia::sinkValues(module);
  nvidia::shareAddresses(module);
  nvidia::hoistWaits(module);
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

  std::vector<std::string> getByteFloats(StringRef arch) const override {
    if (getArch(arch).hasF8)
      return {"fp8e5", "fp8e4b15", "fp8e4nv"};
    return {"fp8e5", "fp8e4b15"};
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<NVVM::NVVMDialect, nvidia::NvidiaDialect>();
    registerNVVMDialectTranslation(registry);
  }

  void buildStage(OpPassManager &pm, llvm::StringRef stage,
                  const CompileOptions &options) const override;

  const GPUHooks *getGPUHooks() const override { return &hooks; }

  FailureOr<std::string> emit(ModuleOp module, llvm::StringRef artifact,
                              const CompileOptions &options) const override;

private:
  nvidia::Hooks hooks;
};
} // namespace

TargetAttr NvidiaTarget::describe(MLIRContext *context, llvm::StringRef name) const {
  context->getOrLoadDialect<nvidia::NvidiaDialect>();
  Builder b(context);
  const Arch &arch = getArch(name);
  SmallVector<Attribute> units = describeUnits(context, arch);
  SmallVector<StringRef> narrow = {"f16"};
  if (arch.hasBF16Arithmetic)
    narrow.push_back("bf16");
  SmallVector<StringRef> casts = {"f16:f32",  "f32:f16",  "f16:f64", "f64:f16",
                                  "bf16:f32", "f32:bf16", "f32:f64", "f64:f32"};
  if (arch.hasF8)
    casts.append(
        {"f32:f8E4M3FN", "f32:f8E5M2", "f16:f8E4M3FN", "f16:f8E5M2", "f8E4M3FN:f16", "f8E5M2:f16"});
  SmallVector<NamedAttribute> facts = {
      b.getNamedAttr("lanes", b.getI32IntegerAttr(32)),
      b.getNamedAttr("on_chip_bytes", b.getI32IntegerAttr(arch.onChipBytes)),
      b.getNamedAttr("access_bits", b.getI32IntegerAttr(128)),
      b.getNamedAttr("async_copy_bytes", b.getDenseI64ArrayAttr({4, 8, 16})),
      b.getNamedAttr("units", b.getArrayAttr(units)),
      b.getNamedAttr("native_math", describeMath(b)),
      b.getNamedAttr("native_casts", b.getStrArrayAttr(casts)),
      b.getNamedAttr("native_arithmetic", b.getStrArrayAttr(narrow)),
      b.getNamedAttr("dear_int_casts", b.getI32IntegerAttr(1)),
  };
  if (arch.hasBF16Arithmetic)
    facts.push_back(b.getNamedAttr("atomic_add_bits", b.getI32IntegerAttr(128)));
  if (arch.hasWgmma) {
    facts.push_back(b.getNamedAttr("block_copy_box", b.getI32IntegerAttr(kMostOfBox)));
    facts.push_back(
        b.getNamedAttr("descriptor_bytes", b.getI32IntegerAttr(nvidia::kTensorMapBytes)));
    facts.push_back(b.getNamedAttr("matrix_stores", b.getI32IntegerAttr(1)));
    facts.push_back(b.getNamedAttr("role_warps", b.getI32IntegerAttr(kWarpsOfGroup)));
    facts.push_back(b.getNamedAttr("program_blocks", b.getI32IntegerAttr(kMostBlocks)));
    facts.push_back(b.getNamedAttr("program_registers", b.getI32IntegerAttr(kRegisters)));
  }
  return TargetAttr::get(context, getName(), name, b.getDictionaryAttr(facts));
}

void NvidiaTarget::buildStage(OpPassManager &pm, llvm::StringRef stage,
                              const CompileOptions &) const {
  if (stage == "scheduled")
    buildScheduledPipeline(pm);
  if (stage == "gpu")
    buildGPUPipeline(pm);
  if (stage == "llvm")
    buildGPUToLLVMPipeline(pm, createLowerToNVVM());
}

/// What the text of PTX does not tell, since the launch gives programs their on-chip memory: who
/// assembles it weighs registers against programs that share a multiprocessor.
static std::string describeMemory(ModuleOp module) {
  int64_t programs = countFittingPrograms(module, getModuleInt(module, kSharedBytesAttr, 0));
  return "// programs that on-chip memory admits: " + std::to_string(programs) + "\n";
}

FailureOr<std::string> NvidiaTarget::emit(ModuleOp module, llvm::StringRef artifact,
                                          const CompileOptions &options) const {
  // The lowest version that has what is used: older drivers refuse later ones.
  unsigned ptx = getArch(options.arch).ptx;
  module.walk([&](Operation *op) { ptx = std::max(ptx, getPTXVersion(op)); });
  if (options.maxRegisters)
    boundRegisters(module, options.maxRegisters);
  CodegenOptions codegen;
  codegen.triple = "nvptx64-nvidia-cuda";
  codegen.cpu = options.arch;
  codegen.features = "+ptx" + std::to_string(ptx);
  // Blocks arrive as vectors: taken apart first, so that elements that nobody
  // uses, around loops too, are seen and removed. What follows is short because
  // the code is straight; a standard -O3 takes twice the time.
  // Written as text, instcombine checks that it reached a fixed point and ends with an error where
  // it did not: that is a check of LLVM's own tests.
  codegen.passes = "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
                   "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,adce,simplifycfg,"
                   "separate-const-offset-from-gep,early-cse)";
  // A level more would number values twice again, which the passes above have done.
  codegen.level = llvm::CodeGenOptLevel::Default;
  codegen.skippedPasses = kSkippedPasses;
  codegen.adjust = prepare;
  codegen.finish = finish;
  codegen.lineInfo = options.lineInfo;
  if (artifact != "ptx")
    return generateCode(module, codegen, CodegenOutput::LLVMIR);
  FailureOr<std::string> text = generateCode(module, codegen, CodegenOutput::Assembly);
  if (succeeded(text))
    *text = describeMemory(module) + *text;
  return text;
}

namespace tile::nvidia {
std::unique_ptr<Target> createTarget() { return std::make_unique<NvidiaTarget>(); }
} // namespace tile::nvidia
