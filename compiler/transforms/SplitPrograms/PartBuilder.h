//===- PartBuilder.h - The program of one thread block --------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTBUILDER_H
#define TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTBUILDER_H

#include "compiler/transforms/SplitPrograms/PartPlan.h"

namespace tile {

/// Replaces the body of the function by what each of `parts` thread blocks runs.
void buildParts(mlir::func::FuncOp function, const PartPlan &plan, int64_t parts);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTBUILDER_H
