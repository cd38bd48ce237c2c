//===- Scheduled.cpp - From stage `tile` to stage `scheduled` -------------===//
#include "compiler/transforms/Scheduled.h"

#include "compiler/transforms/AssignLayouts/AssignLayouts.h"
#include "compiler/transforms/CarryOffsets/CarryOffsets.h"
#include "compiler/transforms/DeferReductions/DeferReductions.h"
#include "compiler/transforms/ExpandAtomics/ExpandAtomics.h"
#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h"
#include "compiler/transforms/ExpandSorts/ExpandSorts.h"
#include "compiler/transforms/GuardArithmetic/GuardArithmetic.h"
#include "compiler/transforms/InsertBarriers/InsertBarriers.h"
#include "compiler/transforms/JoinReductions/JoinReductions.h"
#include "compiler/transforms/LoadAhead/LoadAhead.h"
#include "compiler/transforms/NarrowComparisons/NarrowComparisons.h"
#include "compiler/transforms/OverlapDots/OverlapDots.h"
#include "compiler/transforms/PipelineLoops/PipelineLoops.h"
#include "compiler/transforms/PlaceOperands/PlaceOperands.h"
#include "compiler/transforms/PlanBuffers/PlanBuffers.h"
#include "compiler/transforms/RecomputeBlocks/RecomputeBlocks.h"
#include "compiler/transforms/ReleaseBuffers/ReleaseBuffers.h"
#include "compiler/transforms/RemoveConversions/RemoveConversions.h"
#include "compiler/transforms/SelectMatmulUnits/SelectMatmulUnits.h"
#include "compiler/transforms/SpecializeWarps/SpecializeWarps.h"
#include "compiler/transforms/SplitPrograms/SplitPrograms.h"
#include "compiler/transforms/SpreadHints/SpreadHints.h"
#include "compiler/transforms/UnrollLoops/UnrollLoops.h"
#include "compiler/transforms/VerifyScheduled/VerifyScheduled.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tile::buildScheduledPipeline(OpPassManager &pm) {
  // Before what removes promises that programs make as statements.
  pm.addPass(createSpreadHints());
  pm.addPass(createInlinerPass());
  pm.addPass(createSplitPrograms());
  pm.addPass(createExpandDescriptors());
  pm.addNestedPass<func::FuncOp>(createExpandAtomics());
  pm.addNestedPass<func::FuncOp>(createUnrollLoops());
  pm.addPass(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createExpandSorts());
  pm.addNestedPass<func::FuncOp>(createNarrowComparisons());
  pm.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
  pm.addNestedPass<func::FuncOp>(createCarryOffsets());
  // Units first, so that layouts flow from dots too, once.
  pm.addNestedPass<func::FuncOp>(createAssignLayouts());
  pm.addNestedPass<func::FuncOp>(createSelectMatmulUnits());
  pm.addNestedPass<func::FuncOp>(createRemoveConversions());
  // Equal values that were computed in two layouts are one now.
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createDeferReductions());
  // Before others divide what they leave of on-chip memory.
  pm.addNestedPass<func::FuncOp>(createJoinReductions());
  pm.addPass(createSpecializeWarps());
  pm.addNestedPass<func::FuncOp>(createPipelineLoops());
  pm.addNestedPass<func::FuncOp>(createLoadAhead());
  pm.addNestedPass<func::FuncOp>(createPlaceOperands());
  pm.addNestedPass<func::FuncOp>(createOverlapDots());
  pm.addNestedPass<func::FuncOp>(createReleaseBuffers());
  // Guards are written last: they hide from analyses what divides what.
  pm.addPass(createGuardArithmetic());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createRecomputeBlocks());
  pm.addPass(createPlanBuffers());
  pm.addNestedPass<func::FuncOp>(createInsertBarriers());
  pm.addNestedPass<func::FuncOp>(createVerifyScheduled());
}
