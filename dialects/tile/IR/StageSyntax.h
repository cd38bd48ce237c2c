//===- StageSyntax.h - Syntax that ops of the scheduled stage share -------===//
#ifndef TILE_DIALECTS_TILE_IR_STAGESYNTAX_H
#define TILE_DIALECTS_TILE_IR_STAGESYNTAX_H

#include "mlir/IR/OpImplementation.h"

namespace tile {

/// `: types` of the pending operands, absent where there are none; the results
/// have the same types.
mlir::ParseResult parseCommittedTypes(mlir::OpAsmParser &parser,
                                      llvm::SmallVectorImpl<mlir::Type> &pending,
                                      llvm::SmallVectorImpl<mlir::Type> &committed);
void printCommittedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange pending,
                         mlir::TypeRange committed);

/// `: types` of the pending operands, absent where there are none; the results
/// have the types of what they promise.
mlir::ParseResult parseAwaitedTypes(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &pending,
                                    llvm::SmallVectorImpl<mlir::Type> &values);
void printAwaitedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange pending,
                       mlir::TypeRange values);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_STAGESYNTAX_H
