//===- Assembly.h - Instructions written as text ----------------------------===//
#ifndef TILE_TARGETS_NVIDIA_LOWERTONVVM_ASSEMBLY_H
#define TILE_TARGETS_NVIDIA_LOWERTONVVM_ASSEMBLY_H

#include "mlir/IR/Builders.h"

namespace tile::nvidia {

/// One assembly statement. `results` may be empty.
llvm::SmallVector<mlir::Value> createAsm(mlir::OpBuilder &b, mlir::Location loc,
                                         llvm::ArrayRef<mlir::Type> results,
                                         mlir::ValueRange operands, llvm::StringRef text,
                                         llvm::StringRef constraints, bool sideEffects);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_LOWERTONVVM_ASSEMBLY_H
