//===- ExpandAtomics.cpp - Atomic kinds that memory lacks -----------------===//
#include "compiler/transforms/ExpandAtomics/ExpandAtomics.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDATOMICS
#include "compiler/transforms/ExpandAtomics/ExpandAtomics.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// A scalar, or a block of equal elements.
static Value createConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr element = b.getIntegerAttr(getElementType(type), value);
  if (auto block = dyn_cast<RankedTensorType>(type))
    element = DenseElementsAttr::get(block, Attribute(element));
  return arith::ConstantOp::create(b, element);
}

/// fmax(p, v)  ->  v < 0 ? umin(p, v) : max(p, v), on bits; fmin likewise
static void expand(AtomicRMWOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  bool isMax = op.getKind() == AtomicKind::FMax;
  Type type = op.getType(), element = getElementType(type);
  Type integer = b.getIntegerType(element.getIntOrFloatBitWidth());
  Type bitsType = withElementType(type, integer);
  Type pointerType = withElementType(op.getPointer().getType(), PtrType::get(integer));
  Value pointer = CastPtrOp::create(b, pointerType, op.getPointer());
  Value bits = arith::BitcastOp::create(b, bitsType, op.getValue());
  Value zero = createConstant(b, bitsType, 0);
  auto act = [&](arith::CmpIPredicate sign, AtomicKind kind) {
    Value mask = arith::CmpIOp::create(b, sign, bits, zero);
    if (op.getMask())
      mask = arith::AndIOp::create(b, mask, op.getMask());
    return AtomicRMWOp::create(b, bitsType, kind, pointer, bits, mask, op.getSemantic(),
                               op.getScope());
  };
  using P = arith::CmpIPredicate;
  Value positive = act(P::sge, isMax ? AtomicKind::Max : AtomicKind::Min).getResult();
  Value negative = act(P::slt, isMax ? AtomicKind::UMin : AtomicKind::UMax).getResult();
  if (!op.getResult().use_empty()) {
    Value isPositive = arith::CmpIOp::create(b, P::sge, bits, zero);
    Value old = arith::SelectOp::create(b, isPositive, positive, negative);
    op.getResult().replaceAllUsesWith(arith::BitcastOp::create(b, type, old));
  }
  op.erase();
}

namespace {
struct ExpandAtomicsPass : tile::impl::ExpandAtomicsBase<ExpandAtomicsPass> {
  void runOnOperation() override {
    SmallVector<AtomicRMWOp> extrema;
    getOperation().walk([&](AtomicRMWOp op) {
      if (op.getKind() == AtomicKind::FMax || op.getKind() == AtomicKind::FMin)
        extrema.push_back(op);
    });
    llvm::for_each(extrema, expand);
  }
};
} // namespace
