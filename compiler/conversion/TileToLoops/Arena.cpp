//===- Arena.cpp - Where the buffers of a kernel lie ----------------------===//
//
// Buffers that are never needed at the same time share memory.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Plan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

namespace {
/// Finds out between which positions of the kernel each buffer is needed.
class LifetimeFinder {
public:
  explicit LifetimeFinder(const Plan &plan) : plan(plan) {}

  /// `buffer` is read or written by code that stands before or at `op`.
  void touch(Buffer *buffer, Operation *op) {
    if (buffer)
      touches.push_back({buffer, op});
  }
  /// Everything that computing `value` before or at `op` reads.
  void touchInputs(Value value, Operation *op) {
    if (Buffer *buffer = plan.getBuffer(value))
      touch(buffer, op);
    Operation *source = value.getDefiningOp();
    if (!source || !isVirtual(source) || !visited.insert({value, op}).second)
      return;
    for (Value operand : source->getOperands())
      touchInputs(operand, op);
  }
  void finish();

private:
  const Plan &plan;
  SmallVector<std::pair<Buffer *, Operation *>> touches;
  DenseSet<std::pair<Value, Operation *>> visited;
};
} // namespace

void LifetimeFinder::finish() {
  auto getLastInside = [&](Operation *loop) {
    unsigned last = 0;
    loop->walk([&](Operation *op) { last = std::max(last, plan.getPosition(op)); });
    return last;
  };
  for (auto [buffer, op] : touches) {
    buffer->first = std::min(buffer->first, plan.getPosition(op));
    buffer->last = std::max(buffer->last, plan.getPosition(op));
  }
  // What exists before a loop that uses it must survive all iterations.
  for (auto [buffer, op] : touches)
    for (Operation *loop = op->getParentOp(); loop; loop = loop->getParentOp())
      if (isa<scf::ForOp, scf::WhileOp>(loop) && plan.getPosition(loop) >= buffer->first)
        buffer->last = std::max(buffer->last, getLastInside(loop));
}

void Plan::findLifetimes(func::FuncOp kernel) {
  LifetimeFinder finder(*this);
  for (const std::unique_ptr<Group> &group : allGroups)
    for (const Root &root : group->roots) {
      finder.touch(root.buffer, group->anchor);
      if (root.value)
        finder.touchInputs(root.value, group->anchor);
      else
        for (Value value : llvm::concat<Value>(SmallVector<Value>(root.op->getOperands()),
                                               SmallVector<Value>(root.op->getResults())))
          finder.touchInputs(value, group->anchor);
    }
  kernel.walk([&](Operation *op) {
    if (isVirtual(op))
      return;
    for (Value operand : op->getOperands())
      finder.touch(getBuffer(operand), op);
    for (Value result : op->getResults())
      finder.touch(getBuffer(result), op);
    // The blocks that a loop or branch passes on are written at the ends of its regions.
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        finder.touch(getBuffer(argument), op);
    if (auto dot = dyn_cast<DotOp>(op))
      for (Buffer *buffer : {getDot(dot).a.buffer, getDot(dot).b.buffer, getDot(dot).acc.buffer,
                             getDot(dot).rowsOfB})
        finder.touch(buffer, op);
    if (isCollective(op))
      for (auto &buffers :
           {getCollective(op).sources, getCollective(op).results, getCollective(op).temporaries})
        for (Buffer *buffer : buffers)
          finder.touch(buffer, op);
  });
  finder.finish();
}

void Plan::layOutArena() {
  SmallVector<Buffer *> placed;
  for (const std::unique_ptr<Buffer> &buffer : allBuffers) {
    SmallVector<Buffer *> rivals;
    for (Buffer *other : placed)
      if (other->first <= buffer->last && buffer->first <= other->last)
        rivals.push_back(other);
    llvm::sort(rivals, [](Buffer *a, Buffer *b) { return a->offset < b->offset; });
    for (Buffer *other : rivals)
      if (buffer->offset + buffer->bytes > other->offset)
        buffer->offset = std::max(buffer->offset, other->offset + other->bytes);
    placed.push_back(buffer.get());
    scratchBytes = std::max(scratchBytes, buffer->offset + buffer->bytes);
  }
}
