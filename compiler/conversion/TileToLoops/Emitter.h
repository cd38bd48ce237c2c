//===- Emitter.h - Writes the loops of a kernel ---------------------------===//
//
// The plan becomes code here. `Emitter` walks the kernel and keeps what scalars
// have become; `Nest` writes one loop nest and computes block values in it, at
// the index that the loops are at.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_EMITTER_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_EMITTER_H

#include "compiler/conversion/TileToLoops/Plan.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace tile::loops {

/// Bytes that memory of the function is aligned to: those of the widest vector register.
inline constexpr unsigned kSlotAlignment = 64;

/// The three arguments of a converted kernel.
struct KernelArguments {
  mlir::Value args, scratch, position;
};

class Emitter {
public:
  Emitter(mlir::func::FuncOp kernel, const Plan &plan)
      : kernel(kernel), plan(plan), builder(kernel) {}
  /// Replace the kernel's body and arguments.
  void run();

  /// What a scalar has become.
  mlir::Value getScalar(mlir::Value scalar) const { return scalars.lookup(scalar); }
  void setScalar(mlir::Value scalar, mlir::Value value) { scalars.map(scalar, value); }
  /// Emit the scalar code of `block`, all but its terminator, at the builder's position.
  void emitCode(mlir::Block &block);
  /// Constants stand once, at the kernel's entry.
  mlir::Value getConstant(mlir::TypedAttr value);
  mlir::Value getIndex(int64_t value) { return getConstant(builder.getI64IntegerAttr(value)); }
  /// First byte of a buffer.
  mlir::Value getAddress(const Buffer &buffer);
  /// Memory of the function for one scalar or vector, aligned to `kSlotAlignment`.
  mlir::Value createSlot(mlir::Type type);
  /// Streams.cpp: stores past the caches.
  bool mayStream(StoreOp store);
  mlir::Value getStreamFlag(int64_t bytes);
  /// Bytes and number of the machine's vector registers.
  int64_t getVectorBytes() const;
  int64_t getVectorRegisters() const;
  const KernelArguments &getArguments() const { return arguments; }
  const Plan &getPlan() const { return plan; }
  mlir::func::FuncOp getKernel() const { return kernel; }
  /// Nanoseconds on the runtime's clock, read at the builder's place.
  mlir::Value readTimer(mlir::Location loc);

private:
  void readParameters(mlir::Block &source);
  void emitBlock(mlir::Block &source);
  void emitOp(mlir::Operation &op);
  void emitScalarOp(mlir::Operation &op);
  void emitFor(mlir::scf::ForOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitYield(mlir::Operation &terminator);
  void emitDot(DotOp dot);
  void emitScan(ScanOp op);
  void emitSort(SortOp op);
  void emitHistogram(HistogramOp op);
  void finishStreams();
  void emitPrint(PrintOp print);
  void emitAssert(AssertOp assertion);
  /// The scalars among `values`, converted.
  llvm::SmallVector<mlir::Value> getScalars(mlir::ValueRange values) const;
  llvm::SmallVector<mlir::Type> getScalarTypes(mlir::TypeRange types) const;
  void emitRegion(mlir::Region &source, mlir::Region &target);

  mlir::func::FuncOp kernel;
  const Plan &plan;
  mlir::OpBuilder builder;
  mlir::IRMapping scalars;
  KernelArguments arguments;
  mlir::Block *entry = nullptr;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<const Buffer *, mlir::Value> addresses;
  llvm::MapVector<int64_t, mlir::Value> streamFlags; // by bytes of a block
};

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_EMITTER_H
