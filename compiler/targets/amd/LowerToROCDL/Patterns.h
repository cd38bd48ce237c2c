//===- Patterns.h - Conversion patterns of LowerToROCDL, by theme -----------===//
#ifndef TILE_TARGETS_AMD_LOWERTOROCDL_PATTERNS_H
#define TILE_TARGETS_AMD_LOWERTOROCDL_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tile::amd {

/// Thread and block indices, grid extents, barriers.
void populateExecutionPatterns(const mlir::LLVMTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
/// Shuffles, on instructions of generation `isa` with waves of `lanes`.
void populateShufflePatterns(const mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns, int64_t isa, int64_t lanes);

} // namespace tile::amd

#endif // TILE_TARGETS_AMD_LOWERTOROCDL_PATTERNS_H
