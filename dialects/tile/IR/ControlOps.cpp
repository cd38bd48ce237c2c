//===- ControlOps.cpp - Output to the outside: rules ----------------------===//
#include "dialects/tile/IR/TileOps.h"

using namespace mlir;
using namespace tile;

LogicalResult PrintOp::verify() {
  if (getSignedness().size() != getValues().size()) // print.1
    return emitOpError("expects one signedness entry per value, got ")
           << getSignedness().size() << " for " << getValues().size() << " values";
  return success();
}
