//===- SplitPrograms.cpp - Programs of several thread blocks --------------===//
#include "compiler/transforms/SplitPrograms/SplitPrograms.h"

#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h"
#include "compiler/transforms/SplitPrograms/PartBuilder.h"

namespace tile {
#define GEN_PASS_DEF_SPLITPROGRAMS
#include "compiler/transforms/SplitPrograms/SplitPrograms.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct SplitProgramsPass : tile::impl::SplitProgramsBase<SplitProgramsPass> {
  void runOnOperation() override;
};

/// What a plan begins with.
struct Choice {
  Split dot, stored;
};
} // namespace

static DotOp findLargestDot(func::FuncOp function) {
  DotOp largest;
  function.walk([&](DotOp dot) {
    if (!largest || dot.getType().getNumElements() > largest.getType().getNumElements())
      largest = dot;
  });
  return largest;
}

/// Parts of rows need all of B, those of columns all of A: the fewer bytes on chip, the
/// better, unless parts become too narrow for matrix units.
static SmallVector<Choice> getChoices(func::FuncOp function, int64_t parts) {
  constexpr int64_t kLeastSide = 64;
  DotOp dot = findLargestDot(function);
  if (!dot)
    return {{0, 0}, {0, kWhole}};
  int64_t rows = dot.getType().getShape().end()[-2], columns = dot.getType().getShape().back();
  auto getCost = [&](int64_t split, int64_t other) {
    bool isNarrow = split % parts != 0 || split / parts < kLeastSide;
    return std::pair(isNarrow, split / parts + other);
  };
  SmallVector<Choice> choices{{0, kWhole}, {1, kWhole}};
  if (getCost(columns, rows) < getCost(rows, columns))
    std::swap(choices[0], choices[1]);
  return choices;
}

static LogicalResult report(const PartRefusal &refusal, int64_t parts) {
  InFlightDiagnostic error = refusal.op->emitError("cannot be shared by the ")
                             << parts
                             << " thread blocks of a program (num_ctas): " << refusal.reason
                             << "; num_ctas=1 has no such limit";
  if (refusal.cause && refusal.cause != refusal.op)
    error.attachNote(refusal.cause->getLoc()) << "because of this";
  return failure();
}

/// The first plan that works; else why the first one does not.
static LogicalResult split(func::FuncOp function, int64_t parts) {
  if (!llvm::hasSingleElement(function.getBody()))
    return report({function, "its control flow is not structured"}, parts);
  splitDescriptorArguments(function);
  std::optional<PartRefusal> refusal;
  for (Choice choice : getChoices(function, parts)) {
    PartPlan plan(function, parts);
    std::optional<PartRefusal> found;
    if (failed(plan.run(choice.dot, choice.stored)))
      found = plan.getRefusal();
    else
      found = checkArrays(function, plan);
    if (!found)
      return buildParts(function, plan, parts), success();
    if (!refusal)
      refusal = found;
  }
  return report(*refusal, parts);
}

void SplitProgramsPass::runOnOperation() {
  int64_t parts = getModuleInt(getOperation(), kNumCtasAttr, 1);
  if (parts == 1)
    return;
  TargetAttr target = getTarget(getOperation());
  int64_t most = target ? target.getFact("program_blocks", 1) : 1;
  if (parts > most || !llvm::isPowerOf2_64(parts)) {
    getOperation().emitError("a program cannot have ")
        << parts << " thread blocks (num_ctas): '" << (target ? target.getArch() : "this machine")
        << "' shares one among at most " << most << ", and their number is a power of two";
    return signalPassFailure();
  }
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr(kKernelAttr) && !function.isExternal() && failed(split(function, parts)))
      return signalPassFailure();
}
