//===- CastPlan.cpp - Conversions in steps that the target has ------------===//
#include "compiler/transforms/ExpandCasts/CastPlan.h"

#include "compiler/transforms/ExpandCasts/Encoding.h"
#include "dialects/tile/IR/TileOps.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static void addStrings(TargetAttr target, StringRef fact, llvm::StringSet<> &strings) {
  auto list = target ? target.getFacts().getAs<ArrayAttr>(fact) : ArrayAttr();
  if (!list)
    return;
  for (auto string : list.getAsRange<StringAttr>())
    strings.insert(string.getValue());
}

NarrowFloatFacts::NarrowFloatFacts(TargetAttr target) {
  addStrings(target, "native_casts", casts);
  addStrings(target, "native_arithmetic", arithmetic);
}

static bool isTypeName(StringRef name) {
  return llvm::is_contained(
      {"f64", "f32", "f16", "bf16", "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ"}, name);
}

LogicalResult NarrowFloatFacts::verify(Operation *root) const {
  for (StringRef name : casts.keys()) {
    SmallVector<StringRef> parts;
    name.split(parts, ':');
    bool hasRounding = parts.size() == 3 && parts[2] == "rtz";
    if ((parts.size() != 2 && !hasRounding) || !isTypeName(parts[0]) || !isTypeName(parts[1]))
      return root->emitError("expects 'native_casts' of the form from:to or from:to:rtz, got '")
             << name << "'";
  }
  for (StringRef name : arithmetic.keys())
    if (name != "f16" && name != "bf16")
      return root->emitError("expects 'native_arithmetic' to name f16 or bf16, got '")
             << name << "'";
  return success();
}

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool NarrowFloatFacts::hasCast(Type from, Type to, Rounding rounding) const {
  bool widens = from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
  std::string name = spell(from) + ":" + spell(to);
  if (rounding == Rounding::TowardZero && !widens)
    name += ":rtz";
  bool common = (from.isF32() && to.isF64()) ||
                (from.isF64() && to.isF32() && rounding == Rounding::NearestEven);
  return common || casts.contains(name);
}

bool NarrowFloatFacts::hasArithmetic(Type type) const { return arithmetic.contains(spell(type)); }

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// One native conversion as an operation.
static Lanes createNative(Lanes x, FloatType to, Rounding rounding) {
  LaneBuilder &at = x.getBuilder();
  Type type = withElementType(x.getType(), to);
  if (isByteFloat(x.getElement()) || isByteFloat(to))
    return {at, at.create<CastOp>(type, Value(x), rounding).getResult()};
  if (x.getWidth() < to.getWidth())
    return x.extendFloat(to);
  auto truncate = at.create<arith::TruncFOp>(type, Value(x));
  if (rounding == Rounding::TowardZero)
    truncate.setRoundingmode(arith::RoundingMode::toward_zero);
  return {at, truncate.getResult()};
}

/// Whether `x` is converted by one operation. Vectors, unlike blocks, have none
/// for 8-bit floats.
static bool isNative(Lanes x, Type to, Rounding rounding, const NarrowFloatFacts &facts) {
  bool involvesByte = isByteFloat(x.getElement()) || isByteFloat(to);
  return !(involvesByte && isa<VectorType>(x.getType())) &&
         facts.hasCast(x.getElement(), to, rounding);
}

/// A narrow type to f32: natively, natively by way of f16, or on the bits.
static Lanes widen(Lanes x, const NarrowFloatFacts &facts) {
  MLIRContext *context = x.getType().getContext();
  FloatType single = Float32Type::get(context), half = Float16Type::get(context);
  Type from = x.getElement();
  if (isNative(x, single, Rounding::NearestEven, facts))
    return createNative(x, single, Rounding::NearestEven);
  // f16 holds every 8-bit float.
  if (isByteFloat(from) && isNative(x, half, Rounding::NearestEven, facts))
    return widen(createNative(x, half, Rounding::NearestEven), facts);
  return widenToSingle(x);
}

/// E5M2 is the upper half of f16.
static Lanes widenByShift(Lanes x, FloatType half) {
  return (x.asInt().extendUnsigned(16) << 8).asFloat(half);
}

Lanes tile::convertFloat(Lanes x, FloatType to, Rounding rounding, const NarrowFloatFacts &facts) {
  Type from = x.getElement();
  if (from == to)
    return x;
  if (isNative(x, to, rounding, facts))
    return createNative(x, to, rounding);
  if (isa<Float8E5M2Type>(from) && to.isF16())
    return widenByShift(x, to);
  if (isNarrowFloat(from))
    return convertFloat(widen(x, facts), to, rounding, facts);
  if (from.isF64()) {
    if (to.isF32())
      return narrowToSingleTowardZero(x);
    return convertFloat(narrowToSingleOdd(x), to, rounding, facts);
  }
  return narrowFromSingle(x, to, rounding);
}
