//===- Pipeline.cpp - From stage to stage ---------------------------------===//
#include "compiler/core/Pipeline.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// The target, written on the module
//===----------------------------------------------------------------------===//

LogicalResult tile::describeTarget(ModuleOp module, const Target &target,
                                   const CompileOptions &options) {
  std::vector<std::string> architectures = target.getArchitectures();
  if (!llvm::is_contained(architectures, options.arch))
    return module.emitError() << "target '" << target.getName() << "' has no architecture '"
                              << options.arch << "'; it has " << llvm::join(architectures, ", ");
  Builder builder(module.getContext());
  module.getContext()->getOrLoadDialect<TileDialect>(); // a later stage may have nothing of it
  module->setAttr(kTargetAttr, target.describe(module.getContext(), options.arch));
  module->setAttr(kNumWarpsAttr, builder.getI32IntegerAttr(options.numWarps));
  module->setAttr(kNumStagesAttr, builder.getI32IntegerAttr(options.numStages));
  module->setAttr(kNumCtasAttr, builder.getI32IntegerAttr(options.numCtas));
  return success();
}

namespace {
/// First step of a textual pipeline. Not a pass of its own on command lines:
/// which target it describes is the pipeline's name.
struct DescribeTargetPass : PassWrapper<DescribeTargetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DescribeTargetPass)
  DescribeTargetPass(const Target &target, CompileOptions options)
      : target(target), options(std::move(options)) {}
  StringRef getName() const override { return "tile-describe-target"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<TileDialect>();
    target.registerDialects(registry); // facts may be the target's own attributes
  }
  void runOnOperation() override {
    if (failed(describeTarget(getOperation(), target, options)))
      signalPassFailure();
  }
  const Target &target;
  CompileOptions options;
};
} // namespace

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Position of `stage` among `tile` and the target's stages, or -1.
static int findStage(const Target &target, StringRef stage) {
  if (stage == kTileStage)
    return 0;
  ArrayRef<StringRef> stages = target.getStages();
  auto found = llvm::find(stages, stage);
  return found == stages.end() ? -1 : static_cast<int>(found - stages.begin()) + 1;
}

LogicalResult tile::buildPipeline(OpPassManager &pm, const Target &target, StringRef from,
                                  StringRef to, const CompileOptions &options,
                                  function_ref<void(const Twine &)> onError) {
  int first = findStage(target, from), last = findStage(target, to);
  for (auto [stage, position] : {std::pair(from, first), std::pair(to, last)}) {
    if (position >= 0)
      continue;
    onError("target '" + target.getName() + "' has no stage '" + stage + "'; it has tile, " +
            llvm::join(target.getStages(), ", "));
    return failure();
  }
  for (int position = first; position < last; ++position)
    target.buildStage(pm, target.getStages()[position], options);
  return success();
}

LogicalResult tile::runPipeline(ModuleOp module, const Target &target, StringRef from, StringRef to,
                                const CompileOptions &options, StringRef reproducer) {
  if (failed(describeTarget(module, target, options)))
    return failure();
  PassManager pm(module.getContext());
  auto report = [&](const Twine &message) { module.emitError() << message; };
  if (failed(buildPipeline(pm, target, from, to, options, report)))
    return failure();
  if (!reproducer.empty())
    pm.enableCrashReproducerGeneration(reproducer);
  // What goes in and what comes out is verified; after each pass, that would take a
  // quarter of the time. tile-opt does so.
  pm.enableVerifier(false);
  return success(succeeded(verify(module)) && succeeded(pm.run(module)) &&
                 succeeded(verify(module)));
}

//===----------------------------------------------------------------------===//
// Pipelines on command lines
//===----------------------------------------------------------------------===//

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> arch{*this, "arch", llvm::cl::desc("Architecture (default: the first)")};
  Option<std::string> from{*this, "from", llvm::cl::desc("Stage of the input (default: tile)"),
                           llvm::cl::init(kTileStage.str())};
  Option<std::string> stopAfter{*this, "stop-after",
                                llvm::cl::desc("Stage of the output (default: llvm)")};
  Option<int64_t> numWarps{*this, "num-warps", llvm::cl::desc("Warps of a program"),
                           llvm::cl::init(4)};
  Option<int64_t> numStages{*this, "num-stages", llvm::cl::desc("Iterations in flight"),
                            llvm::cl::init(3)};
  Option<int64_t> numCtas{*this, "num-ctas", llvm::cl::desc("Thread blocks of a program"),
                          llvm::cl::init(1)};
  Option<bool> fpFusion{*this, "fp-fusion", llvm::cl::desc("Fuse products and sums"),
                        llvm::cl::init(true)};
};
} // namespace

static void buildTextPipeline(OpPassManager &pm, const Target &target, const TextOptions &text) {
  CompileOptions options;
  options.arch = text.arch.empty() ? target.getArchitectures().front() : text.arch.getValue();
  options.numWarps = text.numWarps;
  options.numStages = text.numStages;
  options.numCtas = text.numCtas;
  options.fpFusion = text.fpFusion;
  StringRef last = target.getStages().back();
  StringRef to = text.stopAfter.empty() ? last : StringRef(text.stopAfter.getValue());
  pm.addPass(std::make_unique<DescribeTargetPass>(target, options));
  auto report = [](const Twine &message) { llvm::reportFatalUsageError(message); };
  (void)buildPipeline(pm, target, text.from, to, options, report);
}

void tile::registerPipelines() {
  for (const std::unique_ptr<Target> &entry : TargetRegistry::get().getTargets()) {
    const Target *target = entry.get();
    PassPipelineRegistration<TextOptions>(
        ("tile-to-" + target->getName()).str(),
        ("Lower from stage to stage for target " + target->getName()).str(),
        [target](OpPassManager &pm, const TextOptions &text) {
          buildTextPipeline(pm, *target, text);
        });
  }
}
