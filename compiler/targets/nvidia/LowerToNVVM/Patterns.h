//===- Patterns.h - Conversion patterns of LowerToNVVM, by theme ------------===//
#ifndef TILE_TARGETS_NVIDIA_LOWERTONVVM_PATTERNS_H
#define TILE_TARGETS_NVIDIA_LOWERTONVVM_PATTERNS_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace tile::nvidia {

/// Thread and block indices, barriers, shuffles.
void populateExecutionPatterns(const mlir::LLVMTypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
/// Predicated loads and stores: inline assembly.
void populateInstructionPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);
/// Atomic operations that all processors of the system observe.
void populateAtomicPatterns(mlir::RewritePatternSet &patterns);
/// Whether that is what a scope, in LLVM's words, means.
bool isOfSystem(std::optional<llvm::StringRef> scope);
/// Matrix products of four warps.
void populateMatmulPatterns(const mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// Functions that the hardware has.
void populateNativeMathPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);
/// gpu.printf, by the driver's vprintf.
void populatePrintPatterns(const mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_LOWERTONVVM_PATTERNS_H
