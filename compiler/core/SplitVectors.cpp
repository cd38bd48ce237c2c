//===- SplitVectors.cpp - Vectors of registers become scalars -------------===//
#include "compiler/core/SplitVectors.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <memory>

using namespace llvm;

namespace {
using Elements = SmallVector<Value *, 0>;

class VectorSplitter {
public:
  explicit VectorSplitter(Function &function) : function(function) {}
  void run();

private:
  const Elements &split(Value *vector);
  Elements follow(Value *vector);
  Elements extractAll(Value *vector);
  bool visit(Instruction &instruction);
  bool visitPhi(PHINode &phi);
  bool visitExtract(ExtractElementInst &extract);
  bool visitShuffle(ShuffleVectorInst &shuffle);
  bool visitBitCast(BitCastInst &cast);
  bool visitElementwise(Instruction &instruction);
  void fillPhis();
  void removeReplaced();
  Value *join(Instruction &before, const Elements &elements, Type *type);
  void replace(Instruction &vector, Elements elements);

  Function &function;
  /// On the heap each: references stay valid while others are added.
  DenseMap<Value *, std::unique_ptr<Elements>> known;
  SmallVector<PHINode *> phis;
  SmallVector<Instruction *> replaced;
};
} // namespace

static unsigned countElements(const Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type ? type->getNumElements() : 0;
}

//===----------------------------------------------------------------------===//
// Elements of a vector
//===----------------------------------------------------------------------===//

const Elements &VectorSplitter::split(Value *vector) {
  if (auto found = known.find(vector); found != known.end())
    return *found->second;
  auto elements = std::make_unique<Elements>(follow(vector));
  return *(known[vector] = std::move(elements));
}

/// Through a chain that puts elements in, to where it begins.
Elements VectorSplitter::follow(Value *vector) {
  Elements elements(countElements(vector), nullptr);
  Value *base = vector;
  while (auto *insert = dyn_cast<InsertElementInst>(base)) {
    auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (known.contains(base) || !index || index->getValue().uge(elements.size()))
      break;
    Value *&element = elements[index->getZExtValue()];
    element = element ? element : insert->getOperand(1); // the last one put in
    base = insert->getOperand(0);
  }
  if (llvm::is_contained(elements, nullptr)) {
    const Elements rest = base == vector ? extractAll(base) : split(base);
    for (auto [element, below] : zip(elements, rest))
      element = element ? element : below;
  }
  return elements;
}

/// Of a constant, or by instructions right behind the vector's definition.
Elements VectorSplitter::extractAll(Value *vector) {
  Elements elements;
  auto *constant = dyn_cast<Constant>(vector);
  BasicBlock::iterator place = function.getEntryBlock().getFirstInsertionPt();
  if (auto *instruction = dyn_cast<Instruction>(vector))
    place = *instruction->getInsertionPointAfterDef();
  IRBuilder<> b(place->getParent(), place);
  for (unsigned i = 0, e = countElements(vector); i < e; ++i) {
    Value *element = constant ? constant->getAggregateElement(i) : nullptr;
    elements.push_back(element ? element : b.CreateExtractElement(vector, uint64_t(i)));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void VectorSplitter::replace(Instruction &vector, Elements elements) {
  known[&vector] = std::make_unique<Elements>(std::move(elements));
  replaced.push_back(&vector);
}

/// What comes around a loop is not split yet: filled in at the end.
bool VectorSplitter::visitPhi(PHINode &phi) {
  IRBuilder<> b(&phi);
  Elements elements;
  Type *type = phi.getType()->getScalarType();
  for (unsigned i = 0, e = countElements(&phi); i < e; ++i)
    elements.push_back(b.CreatePHI(type, phi.getNumIncomingValues()));
  phis.push_back(&phi);
  replace(phi, std::move(elements));
  return true;
}

void VectorSplitter::fillPhis() {
  for (PHINode *phi : phis) {
    for (auto [value, block] : zip(phi->incoming_values(), phi->blocks())) {
      const Elements &incoming = split(value);
      for (auto [element, from] : zip(*known[phi], incoming))
        cast<PHINode>(element)->addIncoming(from, block);
    }
  }
}

bool VectorSplitter::visitExtract(ExtractElementInst &extract) {
  auto *index = dyn_cast<ConstantInt>(extract.getIndexOperand());
  unsigned count = countElements(extract.getVectorOperand());
  if (!index || index->getValue().uge(count))
    return false;
  Value *element = split(extract.getVectorOperand())[index->getZExtValue()];
  extract.replaceAllUsesWith(element);
  extract.eraseFromParent();
  return true;
}

bool VectorSplitter::visitShuffle(ShuffleVectorInst &shuffle) {
  int count = static_cast<int>(countElements(shuffle.getOperand(0)));
  if (!count)
    return false;
  const Elements &first = split(shuffle.getOperand(0));
  const Elements &second = split(shuffle.getOperand(1));
  Value *poison = PoisonValue::get(shuffle.getType()->getScalarType());
  Elements elements;
  for (int place : shuffle.getShuffleMask())
    elements.push_back(place < 0 ? poison : place < count ? first[place] : second[place - count]);
  replace(shuffle, std::move(elements));
  return true;
}

/// Elements that become several, or several that become one, are cast together.
bool VectorSplitter::visitBitCast(BitCastInst &cast) {
  unsigned from = countElements(cast.getOperand(0)), to = countElements(&cast);
  if (!from || !to || (from % to && to % from))
    return false;
  const Elements &sources = split(cast.getOperand(0));
  Type *element = cast.getType()->getScalarType();
  IRBuilder<> b(&cast);
  Elements elements;
  if (to >= from) {
    unsigned parts = to / from;
    Type *type = parts == 1 ? element : FixedVectorType::get(element, parts);
    for (Value *source : sources) {
      Value *value = b.CreateBitCast(source, type);
      if (parts == 1)
        elements.push_back(value);
      for (unsigned i = 0; parts > 1 && i < parts; ++i)
        elements.push_back(b.CreateExtractElement(value, uint64_t(i)));
    }
  } else {
    unsigned parts = from / to;
    Type *type = FixedVectorType::get(sources.front()->getType(), parts);
    for (unsigned i = 0; i < from; i += parts) {
      Elements together(sources.begin() + i, sources.begin() + i + parts);
      elements.push_back(b.CreateBitCast(join(cast, together, type), element));
    }
  }
  replace(cast, std::move(elements));
  return true;
}

/// Whether an instruction does to each element what it would do to a scalar.
static bool isElementwise(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return isTriviallyScalarizable(call->getIntrinsicID(), nullptr);
  return isa<BinaryOperator, UnaryOperator, CmpInst, SelectInst, GetElementPtrInst, FreezeInst>(
             instruction) ||
         (isa<CastInst>(instruction) && !isa<BitCastInst>(instruction));
}

static Instruction *cloneForElement(Instruction &instruction, ArrayRef<Value *> operands) {
  Type *type = instruction.getType()->getScalarType();
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    Intrinsic::ID id = call->getIntrinsicID();
    SmallVector<Type *> overloads;
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
      overloads.push_back(type);
    for (auto [i, operand] : enumerate(operands.drop_back()))
      if (isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i), nullptr))
        overloads.push_back(operand->getType());
    Function *callee = Intrinsic::getOrInsertDeclaration(call->getModule(), id, overloads);
    return CallInst::Create(callee, operands.drop_back());
  }
  Instruction *clone = instruction.clone();
  clone->mutateType(type);
  for (auto [i, operand] : enumerate(operands))
    clone->setOperand(i, operand);
  return clone;
}

bool VectorSplitter::visitElementwise(Instruction &instruction) {
  SmallVector<const Elements *> vectors; // null: the same scalar for each element
  for (Value *operand : instruction.operands())
    vectors.push_back(countElements(operand) ? &split(operand) : nullptr);
  Elements elements;
  SmallVector<Value *> operands(instruction.getNumOperands());
  for (unsigned i = 0, e = countElements(&instruction); i < e; ++i) {
    for (auto [position, operand] : enumerate(instruction.operands()))
      operands[position] = vectors[position] ? (*vectors[position])[i] : operand.get();
    Instruction *scalar = cloneForElement(instruction, operands);
    scalar->insertBefore(instruction.getIterator());
    scalar->copyIRFlags(&instruction);
    scalar->copyMetadata(instruction);
    scalar->setDebugLoc(instruction.getDebugLoc());
    elements.push_back(scalar);
  }
  replace(instruction, std::move(elements));
  return true;
}

bool VectorSplitter::visit(Instruction &instruction) {
  if (auto *extract = dyn_cast<ExtractElementInst>(&instruction))
    return visitExtract(*extract);
  if (!countElements(&instruction))
    return false;
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return visitPhi(*phi);
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    return visitShuffle(*shuffle);
  if (auto *cast = dyn_cast<BitCastInst>(&instruction))
    return visitBitCast(*cast);
  return isElementwise(instruction) && visitElementwise(instruction);
}

//===----------------------------------------------------------------------===//
// What still takes a vector
//===----------------------------------------------------------------------===//

Value *VectorSplitter::join(Instruction &before, const Elements &elements, Type *type) {
  IRBuilder<> b(before.getParent(), isa<PHINode>(before) ? before.getParent()->getFirstInsertionPt()
                                                         : before.getIterator());
  b.SetCurrentDebugLocation(before.getDebugLoc());
  Value *vector = PoisonValue::get(type);
  for (auto [i, element] : enumerate(elements))
    vector = b.CreateInsertElement(vector, element, uint64_t(i));
  return vector;
}

/// Users come after what they use, but around loops: there the split values have
/// taken over, and the old ones let go first.
void VectorSplitter::removeReplaced() {
  for (PHINode *phi : phis)
    for (Use &incoming : phi->incoming_values())
      incoming.set(PoisonValue::get(phi->getType()));
  SmallVector<Instruction *> vectors;
  for (Instruction &instruction : instructions(function))
    if (countElements(&instruction) && !isa<PHINode>(instruction))
      vectors.push_back(&instruction);
  DenseSet<Value *> gone(replaced.begin(), replaced.end());
  auto remove = [&](Instruction *instruction) {
    if (!instruction->use_empty() && gone.contains(instruction))
      instruction->replaceAllUsesWith(
          join(*instruction, *known[instruction], instruction->getType()));
    if (isInstructionTriviallyDead(instruction))
      instruction->eraseFromParent();
  };
  for (Instruction *vector : llvm::reverse(vectors))
    remove(vector);
  for (PHINode *phi : phis)
    remove(phi);
}

void VectorSplitter::run() {
  ReversePostOrderTraversal<Function *> order(&function);
  for (BasicBlock *block : order)
    for (Instruction &instruction : make_early_inc_range(*block))
      visit(instruction);
  fillPhis();
  removeReplaced();
}

void tile::splitVectors(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      VectorSplitter(function).run();
}
