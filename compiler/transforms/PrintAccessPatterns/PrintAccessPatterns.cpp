//===- PrintAccessPatterns.cpp - Say what is known about runs -------------===//
#include "compiler/transforms/PrintAccessPatterns/PrintAccessPatterns.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"

namespace tile {
#define GEN_PASS_DEF_PRINTACCESSPATTERNS
#include "compiler/transforms/PrintAccessPatterns/PrintAccessPatterns.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

static void emitPattern(Operation *op, const ValuePattern &pattern) {
  InFlightDiagnostic diagnostic = op->emitRemark("contiguity [");
  diagnostic << ArrayRef(pattern.contiguity) << "], divisibility ["
             << ArrayRef(pattern.divisibility) << "], constancy [" << ArrayRef(pattern.constancy)
             << "]";
  if (pattern.constant)
    diagnostic << ", constant " << *pattern.constant;
}

namespace {
struct PrintAccessPatternsPass : tile::impl::PrintAccessPatternsBase<PrintAccessPatternsPass> {
  void runOnOperation() override {
    AccessAnalysis patterns(getOperation());
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() == 1 &&
          isa<IntegerType, IndexType, PtrType>(getElementType(op->getResult(0).getType())))
        emitPattern(op, patterns.get(op->getResult(0)));
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
