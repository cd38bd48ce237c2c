//===- DescriptorMakers.cpp - Who makes descriptors of block copies -------===//
#include "compiler/transforms/ExpandDescriptors/DescriptorMakers.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// Of addresses, strides and what copies write, in bytes.
static constexpr int64_t kAlignment = 16;

static int64_t getElementBytes(MakeDescriptorOp desc) {
  return desc.getType().getElementType().getIntOrFloatBitWidth() / 8;
}

/// Whether so many units are known to be a multiple of the alignment.
bool DescriptorMakers::divides(Value value, int64_t unit) {
  if (!patterns)
    patterns.emplace(function);
  return patterns->get(value).divisibility.front() * unit % kAlignment == 0;
}

bool DescriptorMakers::hasWholeRows(Operation *access) {
  auto desc = access->getOperand(0).getDefiningOp<MakeDescriptorOp>();
  return desc && divides(desc.getSizes().back(), getElementBytes(desc));
}

bool DescriptorMakers::isAligned(MakeDescriptorOp desc) {
  int64_t bytes = getElementBytes(desc);
  return divides(desc.getBase(), 1) &&
         llvm::all_of(desc.getStrides(), [&](Value stride) { return divides(stride, bytes); });
}

/// Making one takes as long as copies do: it has to serve a loop.
static bool servesLoop(MakeDescriptorOp desc, Operation *access) {
  Operation *around = desc->getBlock()->findAncestorOpInBlock(*access);
  return isa_and_nonnull<LoopLikeOpInterface>(around);
}

DescriptorMaker DescriptorMakers::find(Operation *access) {
  auto desc = access->getOperand(0).getDefiningOp<MakeDescriptorOp>();
  // Copies move 8-bit floats as bytes, and pad these with zeros alone.
  if (!desc || (desc.getType().getNanPadding() &&
                desc.getType().getElementType().getIntOrFloatBitWidth() == 8))
    return DescriptorMaker::None;
  if (isMadeAtLaunch(desc))
    return DescriptorMaker::Host;
  if (getTarget(function).getFact("descriptor_bytes") == 0 || !servesLoop(desc, access))
    return DescriptorMaker::None;
  return isAligned(desc) ? DescriptorMaker::Program : DescriptorMaker::Unaligned;
}
