//===- Plan.cpp - Which loops compute what, and where it is kept ----------===//
#include "compiler/conversion/TileToLoops/Plan.h"

#include "compiler/conversion/TileToLoops/BufferPlanner.h"
#include "compiler/conversion/TileToLoops/GroupBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

Plan::Plan(func::FuncOp kernel) {
  unsigned position = 0;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { positions[op] = position++; });
  GroupBuilder(*this).visitBlock(kernel.front());
  BufferPlanner(*this).run(kernel);
  for (const std::unique_ptr<Group> &group : allGroups)
    groupsAt[group->anchor].push_back(group.get());
  for (auto &entry : groupsAt)
    llvm::sort(entry.second, [](Group *a, Group *b) { return a->precedes(*b); });
  findLifetimes(kernel);
  layOutArena();
  // The last chunk of a part of a block may begin anywhere in the block: what it
  // reads beyond a buffer counts for nothing, but has to be memory.
  if (scratchBytes > 0 &&
      kernel.walk([](ExtractOp) { return WalkResult::interrupt(); }).wasInterrupted())
    scratchBytes += kChunk * 8;
}

Buffer *Plan::createBuffer(Type element, ArrayRef<int64_t> shape, int laneDim) {
  auto buffer = std::make_unique<Buffer>();
  buffer->element = element;
  buffer->shape.assign(shape.begin(), shape.end());
  buffer->strides.assign(shape.size(), 1);
  int64_t stride = laneDim < 0 ? 1 : llvm::alignTo(shape[laneDim], getChunkWidth(shape[laneDim]));
  for (int dim = shape.size() - 1; dim >= 0; --dim)
    if (dim != laneDim) {
      buffer->strides[dim] = stride;
      stride *= shape[dim];
    }
  buffer->bytes = llvm::alignTo(stride * getByteWidth(getMemoryType(element)), 64);
  allBuffers.push_back(std::move(buffer));
  return allBuffers.back().get();
}

Group *Plan::createGroup(Operation *anchor, ArrayRef<int64_t> shape) {
  auto group = std::make_unique<Group>();
  group->anchor = anchor;
  group->position = group->begin = positions[anchor];
  group->number = allGroups.size();
  group->shape.assign(shape.begin(), shape.end());
  group->laneDim = getLaneDimension(shape);
  allGroups.push_back(std::move(group));
  return allGroups.back().get();
}

/// What virtual ops compute `value` from that is in memory or a number.
static void collectSources(const Plan &plan, Value value, DenseSet<Value> &seen) {
  if (!seen.insert(value).second)
    return;
  if (Operation *op = value.getDefiningOp(); op && isVirtual(op) && !plan.getBuffer(value))
    for (Value operand : op->getOperands())
      collectSources(plan, operand, seen);
}

void Plan::keep(Value value) {
  Operation *op = value.getDefiningOp();
  DenseSet<Value> sources;
  collectSources(*this, value, sources);
  Group *last = nullptr; // nests stand where their last root stands
  for (const std::unique_ptr<Group> &group : allGroups) {
    bool isSource = llvm::any_of(group->roots, [&](const Root &root) {
      return root.op ? llvm::any_of(root.op->getResults(),
                                    [&](Value result) { return sources.contains(result); })
                     : sources.contains(root.value) && getBuffer(root.value) == root.buffer;
    });
    bool isLater = group->anchor->getBlock() == op->getBlock() &&
                   group->position > (last ? last->position : positions[op]);
    if (isSource && isLater)
      last = group.get();
  }
  ArrayRef<int64_t> shape = getShape(value.getType());
  Group *group = createGroup(last ? last->anchor : op, shape);
  group->begin = positions[op];
  Buffer *buffer = createBuffer(getElementType(value.getType()), shape);
  group->roots.push_back({nullptr, value, buffer});
  buffers[value] = buffer;
}
