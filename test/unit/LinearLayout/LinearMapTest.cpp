//===- LinearMapTest.cpp - F2 and LinearMap against brute force -----------===//
//
// Small spaces, so that every vector can be tried.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearMap.h"
#include "compiler/analysis/LinearLayout/F2.h"
#include "test/unit/LinearLayout/Check.h"

#include <set>

namespace tile::test {

static std::vector<uint64_t> randomVectors(Random &random, unsigned count, unsigned bits) {
  std::vector<uint64_t> vectors(count);
  for (uint64_t &vector : vectors)
    vector = random.bits(bits);
  return vectors;
}

static std::set<uint64_t> span(const std::vector<uint64_t> &vectors) {
  std::set<uint64_t> all = {0};
  for (uint64_t vector : vectors) {
    std::set<uint64_t> more = all;
    for (uint64_t known : all)
      more.insert(known ^ vector);
    all = std::move(more);
  }
  return all;
}

static std::set<uint64_t> span(llvm::ArrayRef<uint64_t> vectors) { return span(vectors.vec()); }

PROPERTY(subspacesMatchTheirElements, 300) {
  std::vector<uint64_t> vectors = randomVectors(random, random.in(0, 7), 6);
  std::set<uint64_t> all = span(vectors);
  Subspace subspace(vectors);
  CHECK(all.size() == uint64_t(1) << subspace.getDim(), "dimension");
  for (uint64_t vector = 0; vector < 64; ++vector) {
    CHECK(subspace.contains(vector) == (all.count(vector) != 0), "membership");
    uint64_t smallest = vector;
    for (uint64_t element : all)
      smallest = std::min(smallest, vector ^ element);
    CHECK(subspace.reduce(vector) == smallest, "representative");
    std::optional<uint64_t> sum = subspace.express(vector);
    CHECK(sum.has_value() == (all.count(vector) != 0), "expressible");
    CHECK(!sum || combine(subspace.getGenerators(), *sum) == vector, "the sum is the vector");
  }
}

PROPERTY(intersectionsAndComplements, 300) {
  std::vector<uint64_t> a = randomVectors(random, random.in(0, 6), 6);
  std::vector<uint64_t> b = randomVectors(random, random.in(0, 6), 6);
  std::set<uint64_t> spanA = span(a), spanB = span(b), both;
  for (uint64_t vector : spanA)
    if (spanB.count(vector))
      both.insert(vector);
  llvm::SmallVector<uint64_t> common = intersectSpans(a, b);
  CHECK(span(common) == both, "intersection");
  CHECK(both.size() == uint64_t(1) << common.size(), "a basis has no spare vectors");
  llvm::SmallVector<uint64_t> added = extendBasis(a, b);
  std::vector<uint64_t> sum = a;
  sum.insert(sum.end(), added.begin(), added.end());
  CHECK(span(sum).size() == spanA.size() << added.size(), "extensions are independent");
  for (uint64_t vector : b)
    CHECK(span(sum).count(vector), "extensions span");
}

PROPERTY(nullSpacesAreComplete, 300) {
  std::vector<uint64_t> columns = randomVectors(random, random.in(0, 8), 5);
  std::set<uint64_t> kernel = span(nullSpace(columns));
  for (uint64_t input = 0; input < uint64_t(1) << columns.size(); ++input)
    CHECK((combine(columns, input) == 0) == (kernel.count(input) != 0), "kernel membership");
}

static LinearMap randomMap(Random &random, llvm::ArrayRef<DimBits> ins,
                           llvm::ArrayRef<DimBits> outs) {
  LinearMap map(ins, outs);
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      map.setColumn(in.dim, bit, random.bits(map.getTotalOutBits()));
  return map;
}

static const DimBits hardware[] = {{Dim::Register, 3}, {Dim::Lane, 2}, {Dim::Warp, 1}};
static const DimBits tensor[] = {{tensorDim(0), 2}, {tensorDim(1), 3}};

PROPERTY(mapsAreLinearAndCompose, 200) {
  LinearMap first = randomMap(random, hardware, tensor);
  // The inner map's outputs may come in another order and be narrower.
  LinearMap second = randomMap(random, {{tensorDim(1), 3}, {tensorDim(0), 4}}, {{Dim::Offset, 6}});
  LinearMap both = first.then(second);
  for (uint64_t x = 0; x < 64; ++x) {
    uint64_t middle = first.apply(x);
    uint64_t expected = second.apply({{tensorDim(0), first.unpackOut(middle, tensorDim(0))},
                                      {tensorDim(1), first.unpackOut(middle, tensorDim(1))}});
    CHECK(both.apply(x) == expected, both.toString());
    uint64_t y = random.bits(6);
    CHECK(both.apply(x ^ y) == (both.apply(x) ^ both.apply(y)), "linearity");
  }
}

PROPERTY(copiesStackAsZeros, 100) {
  LinearMap map = randomMap(random, hardware, tensor);
  LinearMap copied = map * LinearMap::zeros(Dim::Lane, 2, tensorDim(0));
  CHECK(copied.getInBits(Dim::Lane) == 4 && copied.getTotalOutBits() == 5, copied.toString());
  for (uint64_t lane = 0; lane < 16; ++lane)
    CHECK(copied.apply({{Dim::Lane, lane}}) == map.apply({{Dim::Lane, lane % 4}}), "copies");
}

PROPERTY(sublayoutsKeepParts, 100) {
  LinearMap map = randomMap(random, hardware, tensor);
  LinearMap part = map.sublayout({Dim::Warp, Dim::Register}, {tensorDim(1)});
  for (uint64_t reg = 0; reg < 8; ++reg)
    for (uint64_t warp = 0; warp < 2; ++warp) {
      llvm::SmallVector<DimIndex> index = {{Dim::Register, reg}, {Dim::Warp, warp}};
      CHECK(part.apply(index) == map.unpackOut(map.apply(index), tensorDim(1)), part.toString());
    }
}

PROPERTY(productsStackAndDivide, 200) {
  LinearMap inner = randomMap(random, hardware, tensor);
  LinearMap outer = randomMap(random, {{Dim::Lane, 2}, {Dim::Block, 1}}, {{tensorDim(1), 2}});
  LinearMap product = inner * outer;
  for (uint64_t x = 0; x < 64; ++x)
    for (uint64_t lane = 0; lane < 4; ++lane)
      for (uint64_t block = 0; block < 2; ++block) {
        uint64_t image = product.apply({{Dim::Register, inner.unpackIn(x, Dim::Register)},
                                        {Dim::Lane, inner.unpackIn(x, Dim::Lane) | lane << 2},
                                        {Dim::Warp, inner.unpackIn(x, Dim::Warp)},
                                        {Dim::Block, block}});
        uint64_t high = outer.apply({{Dim::Lane, lane}, {Dim::Block, block}});
        CHECK(image == (inner.apply(x) | high << 5), product.toString());
      }
  std::optional<LinearMap> quotient = product.divideLeft(inner);
  CHECK(quotient && inner * *quotient == product, "the quotient undoes the product");
  LinearMap other = inner;
  other.setColumn(Dim::Register, 0, other.getColumns(Dim::Register)[0] ^ 1);
  CHECK(!product.divideLeft(other), "another map does not divide");
}

PROPERTY(inversesSolve, 300) {
  LinearMap map = randomMap(random, hardware, tensor);
  std::set<uint64_t> range = span(map.getColumns());
  CHECK(map.isSurjective() == (range.size() == 32), "surjective");
  CHECK(map.isInjective() == (range.size() == 64), "injective");
  uint64_t free = map.getFreeMask();
  std::set<uint64_t> reached;
  for (uint64_t x = 0; x < 64; ++x)
    if ((x & free) == 0)
      CHECK(reached.insert(map.apply(x)).second, "no two owners");
  CHECK(reached == range, "owners reach everything");
  std::optional<LinearMap> inverse = map.invert();
  CHECK(inverse.has_value() == map.isSurjective(), "only surjective maps have a right inverse");
  for (uint64_t y = 0; inverse && y < 32; ++y) {
    CHECK(map.apply(inverse->apply(y)) == y, "right inverse");
    CHECK((inverse->apply(y) & free) == 0, "free bits are zero");
  }
}

PROPERTY(invertAndComposeFindsThePlace, 300) {
  LinearMap source = randomMap(random, hardware, tensor);
  LinearMap target = randomMap(random, {{Dim::Register, 3}, {Dim::Lane, 3}}, tensor);
  std::optional<LinearMap> place = source.invertAndCompose(target);
  std::set<uint64_t> range = span(target.getColumns());
  bool solvable = true;
  for (uint64_t column : source.getColumns())
    solvable &= range.count(column) != 0;
  CHECK(place.has_value() == solvable, "solved exactly when possible");
  for (uint64_t x = 0; place && x < 64; ++x)
    CHECK(target.apply(place->apply(x)) == source.apply(x), place->toString());
  std::optional<LinearMap> self = source.invertAndCompose(source);
  CHECK(self && *self == LinearMap::identity(Dim::Register, Dim::Register, 3) *
                             LinearMap::identity(Dim::Lane, Dim::Lane, 2) *
                             LinearMap::identity(Dim::Warp, Dim::Warp, 1),
        "a layout is where it is, copies included");
}

} // namespace tile::test
