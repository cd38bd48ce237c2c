//===- Tools.cpp - main() of the command line tools -----------------------===//
#include "compiler/bindings/c/Tilewright.h"

#include "compiler/core/Pipeline.h"
#include "compiler/registry/Registry.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tile;

int tileOptMain(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  return asMainReturnCode(MlirOptMain(argc, argv, "Tilewright's pass driver\n", registry));
}

int tileLspServerMain(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  return asMainReturnCode(MlirLspServerMain(argc, argv, registry));
}

//===----------------------------------------------------------------------===//
// tile-translate
//===----------------------------------------------------------------------===//

namespace {
/// The command line of tile-translate.
struct TranslateLine {
  llvm::cl::OptionCategory category{"tile-translate"};
  llvm::cl::opt<std::string> input{llvm::cl::Positional, llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> output{"o", llvm::cl::desc("Output file"), llvm::cl::init("-"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<std::string> target{"target",
                                    llvm::cl::desc("<name>:<architecture>, or <name> alone"),
                                    llvm::cl::Required, llvm::cl::cat(category)};
  llvm::cl::opt<std::string> emit{"emit",
                                  llvm::cl::desc("Artifact, such as llvmir (default: the last)"),
                                  llvm::cl::cat(category)};
  llvm::cl::opt<std::string> from{"from", llvm::cl::desc("Stage of the input (default: tile)"),
                                  llvm::cl::init(kTileStage.str()), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> numWarps{"num-warps", llvm::cl::desc("Warps of a program"),
                                  llvm::cl::init(4), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> numStages{"num-stages", llvm::cl::desc("Iterations in flight"),
                                   llvm::cl::init(3), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> numCtas{"num-ctas", llvm::cl::desc("Thread blocks of a program"),
                                 llvm::cl::init(1), llvm::cl::cat(category)};
  llvm::cl::opt<bool> lineInfo{"line-info",
                               llvm::cl::desc("Say in assembly which lines of the source it is"),
                               llvm::cl::cat(category)};
};
} // namespace

static LogicalResult reportUsage(const llvm::Twine &message) {
  llvm::errs() << "tile-translate: error: " << message << "\n";
  return failure();
}

static LogicalResult translate(const TranslateLine &line, MLIRContext &context) {
  auto [name, arch] = StringRef(line.target).split(':');
  const Target *target = TargetRegistry::get().find(name);
  if (!target)
    return reportUsage("unknown target '" + name + "'");
  CompileOptions options;
  options.arch = arch.empty() ? target->getArchitectures().front() : arch.str();
  options.numWarps = line.numWarps;
  options.numStages = line.numStages;
  options.numCtas = line.numCtas;
  options.lineInfo = line.lineInfo;
  StringRef artifact =
      line.emit.empty() ? target->getArtifacts().back() : StringRef(line.emit.getValue());
  if (!llvm::is_contained(target->getArtifacts(), artifact))
    return reportUsage("target '" + name + "' has no artifact '" + artifact + "'; it has " +
                       llvm::join(target->getArtifacts(), ", "));
  // A target may link, and lld takes back all options of the process.
  const std::string output = line.output;
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(line.input, &error);
  if (!buffer)
    return reportUsage(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler diagnostics(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module ||
      failed(runPipeline(*module, *target, line.from, target->getStages().back(), options)))
    return failure();
  FailureOr<std::string> result = target->emit(*module, artifact, options);
  if (failed(result))
    return failure(); // before the output file is touched
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &error);
  if (!file)
    return reportUsage(error);
  file->os() << *result;
  file->keep();
  return success();
}

int tileTranslateMain(int argc, char **argv) {
  TranslateLine line;
  llvm::cl::HideUnrelatedOptions(line.category);
  llvm::cl::ParseCommandLineOptions(argc, argv,
                                    "From any stage to LLVM IR, assembly or a binary\n");
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  return asMainReturnCode(translate(line, context));
}
