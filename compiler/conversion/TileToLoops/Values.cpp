//===- Values.cpp - Questions about the values of a kernel ----------------===//
#include "compiler/conversion/TileToLoops/Values.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

int64_t loops::getChunkWidth(int64_t size) {
  return std::min<int64_t>(kChunk, llvm::PowerOf2Ceil(size));
}

int loops::getLaneDimension(ArrayRef<int64_t> shape) {
  for (int dim = shape.size() - 1; dim >= 0; --dim)
    if (shape[dim] > 1)
      return dim;
  return -1;
}

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

bool loops::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && !isa<ConvertLayoutOp>(op);
}

bool loops::isShapeChange(Operation *op) {
  return isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, JoinOp, SplitOp, ExtractOp, CatOp,
             GatherOp>(op);
}

bool loops::isVirtual(Operation *op) {
  if (op->getNumResults() == 0 || !isBlock(op->getResult(0)))
    return false;
  if (auto assembly = dyn_cast<InlineAsmOp>(op))
    return assembly.getIsPure();
  return isElementwise(op) || isShapeChange(op) || isa<MapOp>(op) ||
         isa<LoadOp, ArangeOp, SplatOp, HintOp, arith::ConstantOp, ub::PoisonOp>(op);
}

bool loops::isCollective(Operation *op) { return isa<ScanOp, SortOp, HistogramOp>(op); }

bool loops::writesMemory(Operation *op) {
  if (op->getNumRegions() == 0)
    return isa<StoreOp, BarrierOp, AtomicPollOp, TimerOp>(op) || isAtomic(op) ||
           (isa<InlineAsmOp>(op) && !cast<InlineAsmOp>(op).getIsPure()) ||
           (isa<LoadOp>(op) && cast<LoadOp>(op).getIsVolatile());
  if (isa<ReduceOp, ScanOp, MapOp>(op))
    return false;
  return op
      ->walk([&](Operation *inner) {
        return inner != op && inner->getNumRegions() == 0 && writesMemory(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned loops::getCost(Operation *op) {
  if (isa<MapOp, InlineAsmOp>(op)) // one element after the other
    return 64;
  if (isa<GatherOp>(op))
    return 4;
  if (isShapeChange(op) || isa<ArangeOp, SplatOp, HintOp, arith::ConstantOp, ub::PoisonOp>(op))
    return 0;
  if (isa<math::MathDialect>(op->getDialect())) {
    bool isInstruction = isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
                             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::TruncOp>(op);
    bool isShort = isa<math::ExpOp, math::Exp2Op, math::RsqrtOp, math::SqrtOp>(op);
    return isInstruction ? 1 : isShort ? 16 : 48;
  }
  if (isa<arith::DivFOp>(op))
    return 16;
  if (isa<arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return 8;
  return 1;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// The value that `pointer` is computed from, or null at the end of the chain.
static Value getPointerSource(Value pointer) {
  Operation *op = pointer.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddPtrOp>([](auto add) { return add.getPointer(); })
      .Case<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, SplitOp, HintOp, CastPtrOp>(
          [](auto view) { return view.getSource(); })
      .Default([](Operation *) { return Value(); });
}

static Value traceBase(Value pointer, SmallPtrSetImpl<Value> &visited) {
  while (Value source = getPointerSource(pointer))
    pointer = source;
  auto argument = dyn_cast<BlockArgument>(pointer);
  if (!argument || !visited.insert(argument).second)
    return argument;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return argument;
  // A pointer that a loop carries keeps its base where each iteration derives it from the last.
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  Value next = traceBase(loop.getBody()->getTerminator()->getOperand(index), visited);
  Value first = traceBase(loop.getInitArgs()[index], visited);
  return next == argument || next == first ? first : Value();
}

Value loops::getBasePointer(Value pointer) {
  SmallPtrSet<Value, 4> visited;
  Value base = traceBase(pointer, visited);
  auto argument = dyn_cast_or_null<BlockArgument>(base);
  return argument && argument.getOwner()->isEntryBlock() &&
                 isa<FunctionOpInterface>(argument.getOwner()->getParentOp())
             ? base
             : Value();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type loops::getMemoryType(Type element) {
  MLIRContext *context = element.getContext();
  if (isa<PtrType>(element))
    return IntegerType::get(context, 64);
  if (element.isInteger(1) || (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8))
    return IntegerType::get(context, 8);
  return element;
}

Type loops::getScalarType(Type element) {
  return isa<PtrType>(element) ? LLVM::LLVMPointerType::get(element.getContext()) : element;
}

Type loops::getLaneType(Type element) {
  return isa<PtrType>(element) ? IntegerType::get(element.getContext(), 64) : element;
}

int64_t loops::getByteWidth(Type memoryElement) {
  return isa<LLVM::LLVMPointerType>(memoryElement)
             ? 8
             : llvm::divideCeil(memoryElement.getIntOrFloatBitWidth(), 8);
}
