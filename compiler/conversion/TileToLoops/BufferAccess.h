//===- BufferAccess.h - Loops over blocks in the arena --------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERACCESS_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERACCESS_H

#include "compiler/conversion/TileToLoops/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tile::loops {

/// Reads and writes elements of buffers, outside of nests, at the builder's place.
class BufferAccess {
public:
  BufferAccess(Emitter &emitter, mlir::OpBuilder &builder, mlir::Location loc)
      : emitter(emitter), builder(builder), loc(loc) {}

  /// The address of the element at `indices`, i64, one for each dimension.
  mlir::Value getAddress(const Buffer &buffer, mlir::ValueRange indices);
  /// An element, or `lanes` of them side by side, as registers hold them.
  mlir::Value load(const Buffer &buffer, mlir::ValueRange indices, int64_t lanes = 0);
  void store(const Buffer &buffer, mlir::ValueRange indices, mlir::Value value);

  /// A loop of i64; the builder goes inside.
  mlir::scf::ForOp openLoop(int64_t lower, int64_t upper, int64_t step,
                            mlir::ValueRange carried = {});
  mlir::Value getIndex(int64_t value) { return emitter.getIndex(value); }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  /// An integer as an index, its bits above filled with zeros.
  mlir::Value toIndex(mlir::Value value);

  Emitter &emitter;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_BUFFERACCESS_H
