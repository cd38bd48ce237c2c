//===- StageOps.cpp - What the compiler makes: syntax and rules -----------===//
#include "dialects/tile/IR/BlockCopy.h"
#include "dialects/tile/IR/MemoryRules.h"
#include "dialects/tile/IR/StageSyntax.h"
#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult BufferViewOp::verify() {
  if (!getSource().getType().isStack()) // buffer_view.1
    return emitOpError("expects a stack of blocks, got ") << getSource().getType();
  return success();
}

void BufferTransposeOp::build(OpBuilder &builder, OperationState &state, Value source,
                              ArrayRef<int32_t> order) {
  state.addOperands(source);
  state.getOrAddProperties<Properties>().order = builder.getDenseI32ArrayAttr(order);
  state.addTypes(getTransposedBuffer(cast<BufferType>(source.getType()), order));
}

BufferType tile::getTransposedBuffer(BufferType buffer, ArrayRef<int32_t> order) {
  SmallVector<unsigned> dims(order.begin(), order.end());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(dims, [&](unsigned dim) { return buffer.getShape()[dim]; });
  LinearLayout layout = buffer.getLayout().getLayout();
  for (unsigned dim = layout.getRank(); dim-- > 0;) {
    if (llvm::is_contained(order, dim))
      continue;
    layout = layout.squeezed(dim);
    for (unsigned &kept : dims)
      kept -= kept > dim;
  }
  layout = layout.transposed(dims);
  return BufferType::get(buffer.getContext(), shape, buffer.getElementType(),
                         LayoutAttr::get(buffer.getContext(), layout));
}

/// Whether each dimension is named once, or not, if it is of size 1.
static bool permutesDims(ArrayRef<int64_t> shape, ArrayRef<int32_t> order) {
  auto isDim = [&](int32_t dim) {
    return dim >= 0 && dim < static_cast<int32_t>(shape.size()) && llvm::count(order, dim) == 1;
  };
  return llvm::all_of(order, isDim) && llvm::all_of(llvm::enumerate(shape), [&](auto dim) {
           return dim.value() == 1 || llvm::is_contained(order, static_cast<int32_t>(dim.index()));
         });
}

LogicalResult BufferTransposeOp::verify() {
  BufferType source = getSource().getType();
  // buffer_transpose.1
  if (source.isStack() || !permutesDims(source.getShape(), getOrder()))
    return emitOpError("expects one block and a permutation of its dimensions");
  BufferType want = getTransposedBuffer(source, getOrder());
  if (getType() != want) // buffer_transpose.2
    return emitOpError("expects a result of type ") << want;
  return success();
}

/// buffer_load.1, buffer_store.1
static LogicalResult verifyTransfer(Operation *op, BufferType buffer, Type value) {
  if (buffer.getShape() != getShape(value) || buffer.getElementType() != getElementType(value))
    return op->emitOpError("expects a block of the buffer's shape and element type, got ")
           << value << " for " << buffer;
  return success();
}

LogicalResult BufferLoadOp::verify() {
  return verifyTransfer(*this, getBuffer().getType(), getType());
}

LogicalResult BufferStoreOp::verify() {
  return verifyTransfer(*this, getBuffer().getType(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

LogicalResult AsyncCopyOp::verify() {
  if (failed(verifyTransfer(*this, getBuffer().getType(),
                            getPointeeLike(getPointer().getType())))) // async_copy.1
    return failure();
  Type want = getMaskLike(getPointer().getType());
  if (getMask() && getMask().getType() != want) // async_copy.2
    return emitOpError("expects a mask of type ") << want << ", got " << getMask().getType();
  return success();
}

static Type getPromised(Type pending) { return cast<PendingType>(pending).getValue(); }

void CommitOp::build(OpBuilder &, OperationState &state, ValueRange pending) {
  state.addOperands(pending);
  state.addTypes(pending.getTypes());
}

LogicalResult CommitOp::verify() {
  if (getPending().getTypes() != getCommitted().getTypes()) // commit.1
    return emitOpError("expects results of the operands' types");
  return success();
}

void AwaitOp::build(OpBuilder &builder, OperationState &state, ValueRange pending,
                    int32_t inFlight) {
  state.addOperands(pending);
  state.getOrAddProperties<Properties>().inFlight = builder.getI32IntegerAttr(inFlight);
  state.addTypes(llvm::map_to_vector(pending.getTypes(), getPromised));
}

LogicalResult AwaitOp::verify() {
  if (!llvm::equal(llvm::map_range(getPending().getTypes(), getPromised),
                   getValues().getTypes())) // await.1
    return emitOpError("expects results of the types that the operands promise");
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous products
//===----------------------------------------------------------------------===//

static Type getElementOf(Type type) {
  auto buffer = dyn_cast<BufferType>(type);
  return buffer ? buffer.getElementType() : getElementType(type);
}

static ArrayRef<int64_t> getShapeOf(Type type) {
  auto buffer = dyn_cast<BufferType>(type);
  return buffer ? buffer.getShape() : getShape(type);
}

MatmulProblem AsyncDotOp::getProblem() {
  RankedTensorType acc = getBlockType();
  MatmulProblem problem;
  problem.a = getElementOf(getA().getType());
  problem.b = getElementOf(getB().getType());
  problem.acc = acc.getElementType();
  problem.precision = getPrecision();
  problem.isUnsigned = getIsUnsigned();
  problem.m = acc.getDimSize(0);
  problem.n = acc.getDimSize(1);
  problem.k = getShapeOf(getA().getType())[1];
  problem.numWarps = getModuleInt(*this, kNumWarpsAttr, 1);
  return problem;
}

LogicalResult AsyncDotOp::verify() {
  ArrayRef<int64_t> a = getShapeOf(getA().getType()), b = getShapeOf(getB().getType());
  auto block = dyn_cast<RankedTensorType>(getType().getValue());
  bool areMatrices = block && a.size() == 2 && b.size() == 2 && block.getRank() == 2;
  if (!areMatrices || a[1] != b[0] ||
      block.getShape() != ArrayRef<int64_t>{a[0], b[1]}) // async_dot.1
    return emitOpError("expects matrices whose sizes fit");
  Type acc = getAcc().getType();
  if (acc != block && acc != getType()) // async_dot.2
    return emitOpError("expects an accumulator of type ") << block << ", or one in flight";
  if (!getUnit().readsOnChip() || !getUnit().accepts(getProblem())) // async_dot.3
    return emitOpError("expects a unit that reads on-chip memory and accepts the product, got ")
           << getUnit();
  return success();
}

LogicalResult AwaitDotsOp::verify() {
  if (getPending().size() != getValues().size())
    return emitOpError("expects one result for each operand");
  for (auto [pending, value] : llvm::zip(getPending().getTypes(), getValues().getTypes())) {
    if (value != pending && value != getPromised(pending)) // await_dots.1
      return emitOpError("expects ") << getPromised(pending) << ", or that pending, got " << value;
    if (value == pending && getInFlight() == 0) // await_dots.2
      return emitOpError("expects no pending result where nothing is in flight");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Signals and copies of blocks
//===----------------------------------------------------------------------===//

LogicalResult AcquireOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  constexpr size_t kOthers = 3; // signals, index, phase
  for (Value stack : operands.drop_front(kOthers)) {
    auto type = cast<BufferType>(stack.getType());
    if (!type.isStack())
      return emitOptionalError(loc, "'tile.acquire' op expects stacks of blocks, got ", type);
    types.push_back(type.getBlockType());
  }
  return success();
}

LogicalResult AcquireOp::verify() {
  for (Type stack : getStacks().getTypes())
    if (cast<BufferType>(stack).getNumBlocks() != getSignals().getType().getCount()) // acquire.1
      return emitOpError("expects stacks of as many blocks as there are signals, got ") << stack;
  return success();
}

/// block_copy.1 to 3, block_store.1 to 3
static LogicalResult verifyBlockTransfer(Operation *op, DescType desc, size_t indices,
                                         BufferType buffer) {
  if (indices != static_cast<size_t>(desc.getRank()))
    return op->emitOpError("expects ") << desc.getRank() << " indices, got " << indices;
  if (buffer.getShape() != desc.getShape() || buffer.getElementType() != desc.getElementType())
    return op->emitOpError("expects a buffer for the descriptor's block, got ")
           << buffer << " for " << desc;
  if (!getBlockCopyBox(op, buffer))
    return op->emitOpError("expects a buffer in a layout of the machine's copies of blocks, got ")
           << buffer;
  return success();
}

LogicalResult BlockCopyOp::verify() {
  int64_t parts = getModuleInt(*this, kNumCtasAttr, 1);
  if (getEverywhere() && !getBlockCopyShare(*this, getBuffer().getType(), parts))
    return emitOpError("expects a block that divides into ")
           << parts << " shares, got " << getBuffer().getType(); // block_copy.4
  return verifyBlockTransfer(*this, getDesc().getType(), getIndices().size(),
                             getBuffer().getType());
}

static LogicalResult verifyCombination(Operation *op, AtomicKind kind, Type element) {
  constexpr AtomicKind kKinds[] = {AtomicKind::Add, AtomicKind::FAdd, AtomicKind::And,
                                   AtomicKind::Or, AtomicKind::Xor};
  if (!llvm::is_contained(kKinds, kind))
    return op->emitOpError("expects a sum or a bitwise operation, got '")
           << stringifyAtomicKind(kind) << "'";
  return verifyAtomicKind(op, kind, element);
}

LogicalResult BlockStoreOp::verify() {
  if (std::optional<AtomicKind> kind = getKind())
    if (failed(verifyCombination(*this, *kind, getDesc().getType().getElementType())))
      return failure(); // block_store.4
  if (getParts() && !getBlockCopyPart(*this, getBuffer().getType(), getParts()->getLayout()))
    return emitOpError("expects parts of warps that are boxes which copies move, got ")
           << getPartsAttr(); // block_store.5
  return verifyBlockTransfer(*this, getDesc().getType(), getIndices().size(),
                             getBuffer().getType());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

unsigned RolesOp::getRoleOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (region->getParentOp() != *this)
    region = region->getParentOp()->getParentRegion();
  return region->getRegionNumber();
}

int64_t RolesOp::getTotalWarps() {
  int64_t total = 0;
  for (int32_t warps : getWarps())
    total += warps;
  return total;
}

static bool holdsBlocks(Region &region) {
  return region
      .walk([](Operation *op) {
        bool holds = llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
        return holds || isa<BarrierOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether thread blocks write to each other's memory.
static bool reachesOthers(RolesOp roles) {
  return roles
      .walk([](Operation *op) {
        auto arrive = dyn_cast<ArriveOp>(op);
        auto copy = dyn_cast<BlockCopyOp>(op);
        bool reaches = (arrive && arrive.getEverywhere()) || (copy && copy.getEverywhere());
        return reaches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult RolesOp::verify() {
  size_t count = getBodies().size();
  if (getWarps().size() != count || getRegisters().size() != count ||
      getThreads().size() != count || count == 0) // roles.1
    return emitOpError("expects a number of warps, registers and threads for each region");
  if (getWarps().front() != getModuleInt(*this, kNumWarpsAttr, 1)) // roles.2
    return emitOpError("expects the program's warps to run the first region");
  TargetAttr target = getTarget(*this);
  int64_t lanes = target ? target.getLanes() : 1;
  for (auto [warps, threads, body] : llvm::zip(getWarps(), getThreads(), getBodies()))
    if (warps < 1 || (threads != warps * lanes && (threads != 1 || holdsBlocks(body)))) // roles.3
      return emitOpError("expects all threads of a role's warps to take part, or one that holds "
                         "no blocks");
  if (!isa<FunctionOpInterface>((*this)->getParentOp())) // roles.4
    return emitOpError("expects to be in the body of a function");
  if (!getEverywhere() && reachesOthers(*this)) // roles.5
    return emitOpError("expects to begin and end 'everywhere', as operations in it reach other "
                       "thread blocks");
  return success();
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult tile::parseCommittedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &pending,
                                      SmallVectorImpl<Type> &committed) {
  if (failed(parser.parseOptionalColon()))
    return success();
  if (parser.parseTypeList(pending))
    return failure();
  committed.assign(pending.begin(), pending.end());
  return success();
}

void tile::printCommittedTypes(OpAsmPrinter &printer, Operation *, TypeRange pending, TypeRange) {
  if (!pending.empty())
    printer << ": " << pending;
}

ParseResult tile::parseAwaitedTypes(OpAsmParser &parser, SmallVectorImpl<Type> &pending,
                                    SmallVectorImpl<Type> &values) {
  if (failed(parser.parseOptionalColon()))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(pending))
    return failure();
  for (Type type : pending) {
    auto promise = dyn_cast<PendingType>(type);
    if (!promise)
      return parser.emitError(loc, "expects pending values, got ") << type;
    values.push_back(promise.getValue());
  }
  return success();
}

void tile::printAwaitedTypes(OpAsmPrinter &printer, Operation *, TypeRange pending, TypeRange) {
  if (!pending.empty())
    printer << ": " << pending;
}
