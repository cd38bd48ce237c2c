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

/// A descriptor's type, and that of its block where it has a layout.
mlir::ParseResult parseDescriptorBlock(mlir::OpAsmParser &parser, mlir::Type &desc,
                                       mlir::Type &block);
void printDescriptorBlock(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type desc,
                          mlir::Type block);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_STAGESYNTAX_H
