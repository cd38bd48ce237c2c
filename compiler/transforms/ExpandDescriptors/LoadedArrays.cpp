//===- LoadedArrays.cpp - What is promised of arrays that are found in memory //
#include "compiler/transforms/ExpandDescriptors/LoadedArrays.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "dialects/tile/IR/TileOps.h"

using namespace mlir;
using namespace tile;

/// Of bases and strides, in bytes.
static constexpr int64_t kAlignment = 16;

static int64_t getDivisibility(const AccessAnalysis &patterns, Value value) {
  return patterns.get(value).divisibility.front();
}

void tile::promiseLoadedAlignment(func::FuncOp function) {
  SmallVector<MakeDescriptorOp> descs;
  function.walk([&](MakeDescriptorOp desc) {
    if (!isMadeAtLaunch(desc))
      descs.push_back(desc);
  });
  if (descs.empty())
    return;
  AccessAnalysis known(function), promised(function, kAlignment);
  auto promise = [&](OpOperand &part, int64_t divisor) {
    Value value = part.get();
    if (getDivisibility(known, value) >= divisor || getDivisibility(promised, value) < divisor)
      return;
    OpBuilder b(part.getOwner());
    part.set(HintOp::create(b, part.getOwner()->getLoc(), value, b.getDenseI64ArrayAttr(divisor),
                            DenseI64ArrayAttr(), DenseI64ArrayAttr()));
  };
  for (MakeDescriptorOp desc : descs) {
    int64_t bytes = desc.getType().getElementType().getIntOrFloatBitWidth() / 8;
    auto parts = desc->getOpOperands();
    promise(parts.front(), kAlignment);
    for (OpOperand &stride : parts.take_back(desc.getStrides().size()))
      promise(stride, std::max<int64_t>(1, kAlignment / bytes));
  }
}
