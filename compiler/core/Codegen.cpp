//===- Codegen.cpp - From the LLVM dialect to assembly and objects --------===//
#include "compiler/core/Codegen.h"

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Errors of LLVM
//===----------------------------------------------------------------------===//

namespace {
/// Collects LLVM's error diagnostics; its default handler would call exit().
struct ErrorCollector : llvm::DiagnosticHandler {
  explicit ErrorCollector(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream os(errors);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      os << "\n";
    }
    return true;
  }
  std::string &errors;
};

/// Thrown through LLVM's frames by its fatal-error handler (Debian's LLVM has
/// unwind tables); the frames' destructors do not all run, so the context and
/// the target machine of that compilation are never used again.
struct FatalError {
  std::string message;
};
} // namespace

static void onFatalError(void *, const char *reason, bool) { throw FatalError{reason}; }

//===----------------------------------------------------------------------===//
// Code generators
//===----------------------------------------------------------------------===//

static void initializeGenerators() {
  static std::once_flag once;
  std::call_once(once, [] {
#define TILE_INITIALIZE(generator)                                                                 \
  LLVMInitialize##generator##TargetInfo();                                                         \
  LLVMInitialize##generator##Target();                                                             \
  LLVMInitialize##generator##TargetMC();                                                           \
  LLVMInitialize##generator##AsmPrinter();
#include "compiler/core/Generators.def"
#define TILE_INITIALIZE_PARSER(generator) LLVMInitialize##generator##AsmParser();
#include "compiler/core/Generators.def"
    llvm::install_fatal_error_handler(onFatalError, nullptr);
  });
}

/// `features` without those that `cpu` has, or lacks, by itself: a host's list names
/// all that there are, and the code generator reads it several times.
static std::string reduceFeatures(const llvm::Target &target, const llvm::Triple &triple,
                                  const std::string &cpu, const std::string &features) {
  static std::mutex mutex;
  static llvm::StringMap<std::string> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = known.try_emplace(triple.str() + "/" + cpu + "/" + features);
  if (!isNew)
    return entry->second;
  std::unique_ptr<llvm::MCSubtargetInfo> plain(target.createMCSubtargetInfo(triple, cpu, ""));
  SmallVector<StringRef> names;
  llvm::SplitString(features, names, ",");
  llvm::erase_if(names, [&](StringRef name) { return plain->checkFeatures(name.str()); });
  return entry->second = llvm::join(names, ",");
}

static std::unique_ptr<llvm::TargetMachine> createMachine(const CodegenOptions &options,
                                                          std::string &error) {
  llvm::Triple triple(options.triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions machineOptions;
  machineOptions.AllowFPOpFusion =
      options.fuseAnyProduct ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.cpu, reduceFeatures(*target, triple, options.cpu, options.features),
      machineOptions, llvm::Reloc::PIC_, options.codeModel, options.level));
}

static llvm::Error runPasses(llvm::Module &module, llvm::TargetMachine &machine, StringRef text) {
  if (text.empty())
    return llvm::Error::success();
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, text))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

namespace {
/// Leaves some passes out. LLVM's own switches for that are settings of the whole process.
class SelectivePassManager : public llvm::legacy::PassManager {
public:
  explicit SelectivePassManager(ArrayRef<llvm::StringLiteral> skipped) : skipped(skipped) {}
  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::Pass::lookupPassInfo(pass->getPassID());
    if (info && llvm::is_contained(skipped, info->getPassArgument()))
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  ArrayRef<llvm::StringLiteral> skipped;
};
} // namespace

static bool emitFile(llvm::Module &module, llvm::TargetMachine &machine,
                     const CodegenOptions &options, CodegenOutput output,
                     llvm::raw_pwrite_stream &os) {
  SelectivePassManager passes(options.skippedPasses);
  auto kind = output == CodegenOutput::Assembly ? llvm::CodeGenFileType::AssemblyFile
                                                : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, os, nullptr, kind))
    return false;
  passes.run(module);
  return true;
}

/// Points at assembly of the program's own, if there is some: it may be for another target than this
/// one, which the message names.
static InFlightDiagnostic emitCodegenError(ModuleOp op) {
  Operation *place = op;
  op.walk([&](LLVM::InlineAsmOp assembly) {
    place = assembly;
    return WalkResult::interrupt();
  });
  InFlightDiagnostic error = place->emitError() << "code generation";
  if (TargetAttr target = getTarget(op))
    error << " for " << target.getName() << ":" << target.getArch();
  error << ": ";
  if (place != op)
    error.attachNote() << "the program has inline assembly, which is for one target only: ask "
                          "tl.target_info before it";
  return error;
}

/// A copy whose functions have the scopes without which LLVM drops lines of source.
static OwningOpRef<ModuleOp> addScopes(ModuleOp op) {
  OwningOpRef<ModuleOp> copy = op.clone();
  // Memory may have the place of what was inlined, which the pass looks for a function around.
  for (Operation &each : *copy->getBody())
    if (!isa<LLVM::LLVMFuncOp>(each))
      each.setLoc(UnknownLoc::get(op.getContext()));
  PassManager pm(op.getContext());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  if (failed(pm.run(*copy)))
    return nullptr;
  return copy;
}

static FailureOr<std::string> generate(ModuleOp op, const CodegenOptions &options,
                                       CodegenOutput output, llvm::LLVMContext &context,
                                       const std::string &errors) {
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context, "tile");
  if (!module)
    return failure(); // the translation has left a diagnostic
  std::string error;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(options, error);
  if (!machine)
    return op.emitError() << "no code generator: " << error;
  module->setTargetTriple(llvm::Triple(options.triple));
  module->setDataLayout(machine->createDataLayout());
  if (options.adjust)
    options.adjust(*module);
  if (llvm::Error passError = runPasses(*module, *machine, options.passes))
    return op.emitError() << "LLVM passes: " << llvm::toString(std::move(passError));
  if (options.finish)
    options.finish(*module);
  llvm::SmallString<0> data;
  llvm::raw_svector_ostream os(data);
  if (output == CodegenOutput::LLVMIR)
    module->print(os, nullptr);
  else if (!emitFile(*module, *machine, options, output, os))
    return op.emitError() << "the code generator of " << options.triple
                          << " cannot emit this kind of file";
  if (!errors.empty())
    return emitCodegenError(op) << StringRef(errors).rtrim();
  return data.str().str();
}

FailureOr<std::string> tile::generateCode(ModuleOp op, const CodegenOptions &options,
                                          CodegenOutput output) {
  initializeGenerators();
  OwningOpRef<ModuleOp> located = options.lineInfo ? addScopes(op) : nullptr;
  if (options.lineInfo && !located)
    return failure();
  std::string errors;
  auto context = std::make_unique<llvm::LLVMContext>();
  // Nobody reads the names of values; passes that make many spend most of their time on them.
  context->setDiscardValueNames(true);
  context->setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  try {
    return generate(located ? *located : op, options, output, *context, errors);
  } catch (FatalError &error) {
    // Frames were left without their destructors: destroying the context could
    // touch what they hold.
    (void)context.release();
    return emitCodegenError(op) << errors << error.message;
  }
}
