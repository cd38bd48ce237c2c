//===- PairHalfwords.cpp - Two elements of 16 bits at a time --------------===//
#include "compiler/core/PairHalfwords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
class Pairer {
public:
  explicit Pairer(Function &function) : function(function), b(function.getContext()) {}
  void run();

private:
  using Pair = std::pair<Value *, Value *>;

  bool isSeed(const InsertElementInst &insert) const;
  void replace(InsertElementInst &insert);
  Value *putIn(InsertElementInst &insert, Value *both);
  bool isWorthwhile(Pair pair, unsigned depth) const;
  Value *build(Pair pair);
  Value *combine(Pair pair);
  Value *gather(Pair pair);
  Value *spread(Value *vector, int place);
  Value *fill(ArrayRef<Value *> operands);
  Value *shift(Instruction &first, Value *operands);

  Function &function;
  IRBuilder<> b;
  DenseMap<Pair, Value *> built;
};
} // namespace

//===----------------------------------------------------------------------===//
// What can be paired
//===----------------------------------------------------------------------===//

static bool isInteger(const Type *type) { return type->isIntegerTy(8) || type->isIntegerTy(16); }

static bool isHalfFloat(const Type *type) { return type->isHalfTy() || type->isBFloatTy(); }

static bool isHalfword(const Type *type) { return isHalfFloat(type) || type->isIntegerTy(16); }

/// The shift's distance, the same for both; nothing if it is not constant.
static std::optional<uint64_t> getDistance(const Instruction &first, const Instruction &second) {
  const APInt *one, *other;
  if (!match(first.getOperand(1), m_APInt(one)) || !match(second.getOperand(1), m_APInt(other)) ||
      *one != *other || one->uge(one->getBitWidth()))
    return std::nullopt;
  return one->getZExtValue();
}

/// Whether sign bits are zero, so that a byte is widened by zeros.
static bool isNonNegative(const Value *value) {
  const APInt *mask;
  return match(value, m_And(m_Value(), m_APInt(mask))) && mask->isNonNegative();
}

/// Whether one instruction does to two elements what these do to one each.
static bool canCombine(const Value *firstValue, const Value *secondValue) {
  const auto *first = dyn_cast<Instruction>(firstValue);
  const auto *second = dyn_cast<Instruction>(secondValue);
  if (!first || !second || !first->isSameOperationAs(second))
    return false;
  switch (first->getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return isInteger(first->getType());
  case Instruction::LShr:
  case Instruction::Shl:
    return isInteger(first->getType()) && getDistance(*first, *second);
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    return isHalfFloat(first->getType());
  case Instruction::Select:
    return isHalfword(first->getType()) && first->getOperand(0) == second->getOperand(0);
  case Instruction::BitCast:
    return isHalfword(first->getType()) && isHalfword(first->getOperand(0)->getType());
  case Instruction::ZExt:
    return first->getType()->isIntegerTy(16) && first->getOperand(0)->getType()->isIntegerTy(8);
  case Instruction::SExt:
    return first->getType()->isIntegerTy(16) && first->getOperand(0)->getType()->isIntegerTy(8) &&
           isNonNegative(first->getOperand(0)) && isNonNegative(second->getOperand(0));
  default:
    return false;
  }
}

/// The operands that each element has: all but what chooses for both.
static auto getPaired(Instruction &instruction) {
  return drop_begin(instruction.operands(), isa<SelectInst>(instruction) ? 1 : 0);
}

/// The vector whose neighbours the two are, an even place first.
static Value *getCommonVector(Value *first, Value *second) {
  Value *vector;
  uint64_t place;
  bool isEven = match(first, m_ExtractElt(m_Value(vector), m_ConstantInt(place))) && place % 2 == 0;
  return isEven && match(second, m_ExtractElt(m_Specific(vector), m_SpecificInt(place + 1)))
             ? vector
             : nullptr;
}

/// Whether both are lower halves of words: one permutation puts them together.
static bool areLowerHalves(const Value *first, const Value *second) {
  const auto *one = dyn_cast<TruncInst>(first), *other = dyn_cast<TruncInst>(second);
  return one && other && one->getParent() == other->getParent() &&
         one->getType()->isIntegerTy(16) && one->getSrcTy()->isIntegerTy(32) &&
         other->getSrcTy() == one->getSrcTy();
}

/// Whether all that the pair is computed from is paired, but for constants and
/// neighbours in vectors.
bool Pairer::isWorthwhile(Pair pair, unsigned depth) const {
  constexpr unsigned kMostDepth = 12;
  auto [first, second] = pair;
  if (built.contains(pair) || (isa<Constant>(first) && isa<Constant>(second)) ||
      getCommonVector(first, second) || areLowerHalves(first, second))
    return true;
  if (depth == kMostDepth || !canCombine(first, second))
    return false;
  auto *one = cast<Instruction>(first), *other = cast<Instruction>(second);
  if (one->getParent() != other->getParent())
    return false;
  for (auto [left, right] : zip(getPaired(*one), getPaired(*other)))
    if (!isWorthwhile({left, right}, depth + 1))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// Neighbours among bytes, each in a halfword: of a word of four by one permutation, else by
/// a shift.
Value *Pairer::spread(Value *vector, int place) {
  auto *words = FixedVectorType::get(b.getInt16Ty(), 2);
  auto *pair = FixedVectorType::get(b.getInt8Ty(), 2);
  if (cast<FixedVectorType>(vector->getType())->getNumElements() % 4 == 0) {
    int start = place & ~3, first = place - start, zero = 4;
    Value *four = b.CreateShuffleVector(vector, {start, start + 1, start + 2, start + 3});
    Value *apart = b.CreateShuffleVector(four, Constant::getNullValue(four->getType()),
                                         {first, zero, first + 1, zero});
    return b.CreateTrunc(b.CreateBitCast(apart, words), pair);
  }
  Value *bytes = b.CreateShuffleVector(vector, {place, place + 1});
  Value *word = b.CreateZExt(b.CreateBitCast(bytes, b.getInt16Ty()), b.getInt32Ty());
  Value *apart = b.CreateAnd(b.CreateOr(word, b.CreateShl(word, 8)), 0x00ff00ff);
  return b.CreateTrunc(b.CreateBitCast(apart, words), pair);
}

/// Bytes that a permutation spread, or a constant above them: the permutation puts it there.
Value *Pairer::fill(ArrayRef<Value *> operands) {
  Value *four;
  ArrayRef<int> places;
  const APInt *upper;
  auto *words = FixedVectorType::get(b.getInt16Ty(), 2);
  if (!match(operands[0],
             m_ZExt(m_Trunc(m_BitCast(m_Shuffle(m_Value(four), m_Zero(), m_Mask(places)))))) ||
      operands[0]->getType() != words || !match(operands[1], m_APInt(upper)) ||
      upper->countr_zero() < 8)
    return nullptr;
  Value *bytes = ConstantInt::get(four->getType(), upper->lshr(8).trunc(8));
  return b.CreateBitCast(b.CreateShuffleVector(four, bytes, places), words);
}

/// Neighbours in a vector, halves of words, or constants.
Value *Pairer::gather(Pair pair) {
  auto [first, second] = pair;
  if (Value *vector = getCommonVector(first, second)) {
    if (auto *def = dyn_cast<Instruction>(vector))
      b.SetInsertPoint(*def->getInsertionPointAfterDef());
    else
      b.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
    auto place = static_cast<int>(
        cast<ConstantInt>(cast<ExtractElementInst>(first)->getIndexOperand())->getZExtValue());
    return first->getType()->isIntegerTy(8) ? spread(vector, place)
                                            : b.CreateShuffleVector(vector, {place, place + 1});
  }
  if (areLowerHalves(first, second)) {
    auto *one = cast<Instruction>(first), *other = cast<Instruction>(second);
    b.SetInsertPoint((one->comesBefore(other) ? other : one)->getNextNode());
    Value *none = PoisonValue::get(FixedVectorType::get(first->getType(), 2));
    return b.CreateInsertElement(b.CreateInsertElement(none, first, uint64_t(0)), second,
                                 uint64_t(1));
  }
  return ConstantVector::get({cast<Constant>(first), cast<Constant>(second)});
}

/// Both at once, as one word: what crosses from one element to the other is cut off.
Value *Pairer::shift(Instruction &first, Value *operands) {
  uint64_t distance = cast<ConstantInt>(first.getOperand(1))->getZExtValue();
  auto *type = cast<FixedVectorType>(operands->getType());
  unsigned width = type->getScalarSizeInBits();
  auto *words = FixedVectorType::get(b.getInt16Ty(), 2);
  // What was cut off of a halfword does not come back into a byte.
  Value *halfwords;
  bool wasWider = match(operands, m_Trunc(m_Value(halfwords))) && halfwords->getType() == words;
  Value *wide =
      b.CreateBitCast(wasWider ? halfwords : b.CreateZExt(operands, words), b.getInt32Ty());
  bool isLeft = first.getOpcode() == Instruction::Shl;
  Value *moved = isLeft ? b.CreateShl(wide, distance) : b.CreateLShr(wide, distance);
  APInt kept = isLeft ? APInt::getHighBitsSet(width, width - distance)
                      : APInt::getLowBitsSet(width, width - distance);
  Value *mask = ConstantInt::get(b.getInt32Ty(), APInt::getSplat(32, kept.zext(16)));
  return b.CreateTrunc(b.CreateBitCast(b.CreateAnd(moved, mask), words), type);
}

Value *Pairer::combine(Pair pair) {
  auto *first = cast<Instruction>(pair.first), *second = cast<Instruction>(pair.second);
  SmallVector<Value *> operands;
  for (auto [left, right] : zip(getPaired(*first), getPaired(*second)))
    operands.push_back(build({left, right}));
  // Where the later one is, so that pairs of these pairs find it.
  b.SetInsertPoint((first->comesBefore(second) ? second : first)->getNextNode());
  b.SetCurrentDebugLocation(first->getDebugLoc());
  if (first->getOpcode() == Instruction::LShr || first->getOpcode() == Instruction::Shl)
    return shift(*first, operands.front());
  if (Value *filled = first->getOpcode() == Instruction::Or ? fill(operands) : nullptr)
    return filled;
  Instruction *both = first->clone();
  both->mutateType(FixedVectorType::get(first->getType(), 2));
  for (auto [use, operand] : zip(getPaired(*both), operands))
    use.set(operand);
  both->andIRFlags(second);
  return b.Insert(both);
}

Value *Pairer::build(Pair pair) {
  if (Value *known = built.lookup(pair))
    return known;
  bool isLeaf = isa<Constant>(pair.first) || getCommonVector(pair.first, pair.second) ||
                areLowerHalves(pair.first, pair.second);
  Value *value = isLeaf ? gather(pair) : combine(pair);
  return built[pair] = value;
}

//===----------------------------------------------------------------------===//
// Where pairs are put together
//===----------------------------------------------------------------------===//

/// The second of two neighbours that are put into a vector one after the other.
bool Pairer::isSeed(const InsertElementInst &insert) const {
  auto *type = cast<FixedVectorType>(insert.getType());
  const auto *before = dyn_cast<InsertElementInst>(insert.getOperand(0));
  uint64_t place;
  return isHalfword(type->getElementType()) && type->getNumElements() % 2 == 0 && before &&
         before->hasOneUse() && match(insert.getOperand(2), m_ConstantInt(place)) &&
         place % 2 == 1 && match(before->getOperand(2), m_SpecificInt(place - 1));
}

void Pairer::replace(InsertElementInst &insert) {
  auto *before = cast<InsertElementInst>(insert.getOperand(0));
  Pair pair{before->getOperand(1), insert.getOperand(1)};
  if (!canCombine(pair.first, pair.second) || !isWorthwhile(pair, 0))
    return;
  Value *both = build(pair);
  b.SetInsertPoint(&insert);
  insert.replaceAllUsesWith(putIn(insert, both));
}

/// A vector of more than two is a vector of words then: casts between the two cancel
/// each other.
Value *Pairer::putIn(InsertElementInst &insert, Value *both) {
  auto *type = cast<FixedVectorType>(insert.getType());
  if (type->getNumElements() == 2)
    return both;
  Value *before = cast<InsertElementInst>(insert.getOperand(0))->getOperand(0);
  auto *words = FixedVectorType::get(b.getInt32Ty(), type->getNumElements() / 2);
  uint64_t place = cast<ConstantInt>(insert.getOperand(2))->getZExtValue() / 2;
  Value *changed = b.CreateInsertElement(b.CreateBitCast(before, words),
                                         b.CreateBitCast(both, b.getInt32Ty()), place);
  return b.CreateBitCast(changed, type);
}

/// (x >> c) & mask, where the mask takes no copy of the sign.
static void useLogicalShifts(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    Value *x;
    const APInt *distance, *mask;
    if (!match(&instruction,
               m_And(m_OneUse(m_AShr(m_Value(x), m_APInt(distance))), m_APInt(mask))) ||
        mask->getActiveBits() + distance->getLimitedValue() > mask->getBitWidth())
      continue;
    auto *shift = cast<Instruction>(instruction.getOperand(0));
    instruction.setOperand(0, IRBuilder<>(shift).CreateLShr(x, shift->getOperand(1)));
  }
}

/// What nobody needs any more stays for the passes that follow.
void Pairer::run() {
  SmallVector<InsertElementInst *> seeds;
  for (Instruction &instruction : instructions(function))
    if (auto *insert = dyn_cast<InsertElementInst>(&instruction); insert && isSeed(*insert))
      seeds.push_back(insert);
  if (seeds.empty())
    return;
  useLogicalShifts(function);
  for (InsertElementInst *seed : seeds)
    replace(*seed);
}

void tile::pairHalfwords(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Pairer(function).run();
}
