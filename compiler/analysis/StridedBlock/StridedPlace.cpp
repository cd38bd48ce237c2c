//===- StridedPlace.cpp - Where a block begins, and whether it is one -----===//
#include "compiler/analysis/StridedBlock/StridedBlock.h"

#include "compiler/analysis/UniformMask/UniformMask.h"

using namespace mlir;
using namespace tile;

namespace {
class PlaceBuilder {
public:
  using Lookup = llvm::function_ref<Value(Value)>;
  PlaceBuilder(ImplicitLocOpBuilder &b, const StridedBlock &block, Lookup lookup)
      : b(b), block(block), lookup(lookup) {}
  Value buildOffset() { return createLeast(block.offset); }
  Value buildConditions();

private:
  Value createInt(int64_t value) {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value extend(Value number) {
    return number.getType().isInteger(64)
               ? number
               : Value(arith::ExtSIOp::create(b, b.getI64Type(), number));
  }
  void requireNarrowFactors(const StridedSum &sum);
  Value createProduct(const StridedTerm &term);
  Value createLeast(const StridedSum &sum);
  Value createGreatest(const StridedSum &sum, Value least);
  void require(Value condition) {
    all = all ? Value(arith::AndIOp::create(b, all, condition)) : condition;
  }
  void compare(arith::CmpIPredicate predicate, Value x, Value y) {
    require(arith::CmpIOp::create(b, predicate, x, y));
  }

  ImplicitLocOpBuilder &b;
  const StridedBlock &block;
  Lookup lookup;
  Value all;
};
} // namespace

/// Without the index.
Value PlaceBuilder::createProduct(const StridedTerm &term) {
  Value product;
  for (Value factor : term.factors) {
    Value wide = extend(lookup(factor));
    product = product ? Value(arith::MulIOp::create(b, product, wide)) : wide;
  }
  if (!product)
    return createInt(term.coefficient);
  return term.coefficient == 1
             ? product
             : Value(arith::MulIOp::create(b, product, createInt(term.coefficient)));
}

/// Of the elements, the first: strides are positive.
Value PlaceBuilder::createLeast(const StridedSum &sum) {
  Value least;
  for (const StridedTerm &term : sum)
    if (!term.dim) {
      Value product = createProduct(term);
      least = least ? Value(arith::AddIOp::create(b, least, product)) : product;
    }
  return least ? least : createInt(0);
}

Value PlaceBuilder::createGreatest(const StridedSum &sum, Value least) {
  Value greatest = least;
  for (const StridedTerm &term : sum)
    if (term.dim) {
      StridedTerm last = term;
      last.coefficient *= term.size - 1;
      greatest = arith::AddIOp::create(b, greatest, createProduct(last));
    }
  return greatest;
}

/// So that 64 bits hold products of the factors, and that the first element is the least.
void PlaceBuilder::requireNarrowFactors(const StridedSum &sum) {
  constexpr int64_t kMost = int64_t(1) << 31;
  for (const StridedTerm &term : sum)
    for (Value factor : term.factors) {
      Value number = lookup(factor);
      bool isWide = number.getType().isInteger(64);
      if (term.dim)
        compare(arith::CmpIPredicate::sgt, extend(number), createInt(0));
      else if (isWide)
        compare(arith::CmpIPredicate::sge, number, createInt(-kMost));
      if (isWide)
        compare(arith::CmpIPredicate::slt, number, createInt(kMost));
    }
}

Value PlaceBuilder::buildConditions() {
  using arith::CmpIPredicate;
  for (const StridedTerm &term : block.offset)
    if (term.dim && !term.factors.empty()) {
      Value stride = createProduct(term);
      compare(CmpIPredicate::sgt, stride, createInt(0));
      compare(CmpIPredicate::sle, stride, createInt(kMostStride));
    }
  for (const StridedBlock::Bound &bound : block.bounds) {
    requireNarrowFactors(bound.sum);
    Value least = createLeast(bound.sum), greatest = createGreatest(bound.sum, least);
    compare(CmpIPredicate::sge, least, createInt(bound.least));
    compare(CmpIPredicate::slt, greatest,
            bound.limit ? extend(lookup(bound.limit)) : createInt(bound.constantLimit));
  }
  for (Value mask : block.masks)
    require(createIsAllTrue(b, lookup(mask)));
  Value offset = buildOffset();
  compare(CmpIPredicate::sge, offset, createInt(0));
  compare(CmpIPredicate::slt, offset, createInt(kMostOffset - block.shape[block.fastest]));
  return all;
}

Value tile::createOffset(ImplicitLocOpBuilder &b, const StridedBlock &block,
                         llvm::function_ref<Value(Value)> lookup) {
  Value offset = PlaceBuilder(b, block, lookup).buildOffset();
  return arith::TruncIOp::create(b, b.getI32Type(), offset);
}

Value tile::createIsStrided(ImplicitLocOpBuilder &b, const StridedBlock &block,
                            llvm::function_ref<Value(Value)> lookup) {
  return PlaceBuilder(b, block, lookup).buildConditions();
}
