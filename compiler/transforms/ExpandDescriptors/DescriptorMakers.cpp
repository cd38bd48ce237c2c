//===- DescriptorMakers.cpp - Who makes descriptors of block copies -------===//
#include "compiler/transforms/ExpandDescriptors/DescriptorMakers.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// Of addresses and strides, in bytes.
static constexpr int64_t kAlignment = 16;

bool DescriptorMakers::isAligned(MakeDescriptorOp desc) {
  if (!patterns)
    patterns.emplace(function);
  int64_t bytes = desc.getType().getElementType().getIntOrFloatBitWidth() / 8;
  auto divides = [&](Value value, int64_t unit) {
    return patterns->get(value).divisibility.front() * unit % kAlignment == 0;
  };
  return divides(desc.getBase(), 1) &&
         llvm::all_of(desc.getStrides(), [&](Value stride) { return divides(stride, bytes); });
}

/// Making one takes as long as copies do: it has to serve a loop.
static bool servesLoop(MakeDescriptorOp desc, Operation *access) {
  Operation *around = desc->getBlock()->findAncestorOpInBlock(*access);
  return isa_and_nonnull<scf::ForOp>(around);
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
