//===- Polling.h - Read again and again until a value is there ---*- C++ -*-===//
#ifndef TILE_COMPILER_CONVERSION_POLLING_POLLING_H
#define TILE_COMPILER_CONVERSION_POLLING_POLLING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// Writes one read of the element, or of the clock in nanoseconds.
using PollRead = llvm::function_ref<mlir::Value(mlir::ImplicitLocOpBuilder &)>;

/// A loop that reads until it finds the integer `expected`: true; or until
/// `timeout` nanoseconds have passed: false. A null timeout is endless.
mlir::Value emitPolling(mlir::ImplicitLocOpBuilder &b, mlir::Value expected, mlir::Value timeout,
                        PollRead readElement, PollRead readClock);

} // namespace tile

#endif // TILE_COMPILER_CONVERSION_POLLING_POLLING_H
