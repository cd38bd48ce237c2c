//===- GPUStages.cpp - From stage `scheduled` to stage `llvm` on GPUs -------===//
#include "compiler/conversion/GPUStages.h"

#include "compiler/conversion/SaturateFloatToInt/SaturateFloatToInt.h"
#include "compiler/conversion/TileToGPU/TileToGPU.h"
#include "compiler/transforms/ExpandCasts/ExpandCasts.h"
#include "compiler/transforms/ExpandMath/ExpandMath.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void tile::buildGPUPipeline(OpPassManager &pm) {
  // On blocks, where 8-bit floats are still types of their own.
  pm.addPass(createExpandCasts());
  pm.addPass(createCSEPass());
  pm.addPass(createTileToGPU());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void tile::buildGPUToLLVMPipeline(OpPassManager &pm, std::unique_ptr<Pass> lowering) {
  pm.addPass(createExpandMath());
  pm.addPass(createExpandCasts()); // what the functions of 16-bit floats left
  pm.addPass(createSaturateFloatToInt());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(std::move(lowering));
  pm.addPass(createCSEPass());
}
