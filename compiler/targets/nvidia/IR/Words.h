//===- Words.h - Operands of matrix instructions in registers ---------------===//
#ifndef TILE_TARGETS_NVIDIA_IR_WORDS_H
#define TILE_TARGETS_NVIDIA_IR_WORDS_H

#include "mlir/IR/Builders.h"

namespace tile::nvidia {

/// Groups of scalars as words of 32 bits: pairs of f16 as vectors, all else of up
/// to 32 bits as integers. f64 are left as they are.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &b, mlir::Location loc,
                                         mlir::ValueRange scalars);

/// Round f32 to the 19 bits that matrix units read, to nearest; as i32.
llvm::SmallVector<mlir::Value> roundToTF32(mlir::OpBuilder &b, mlir::Location loc,
                                           mlir::ValueRange scalars);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_IR_WORDS_H
