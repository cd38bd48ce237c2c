//===- WidenHalfwords.cpp - Upper halves of words are floats ----------------===//
#include "compiler/core/WidenHalfwords.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {
class Widener {
public:
  explicit Widener(Function &function) : function(function), b(function.getContext()) {}
  void run();

private:
  Value *getWords(Value *halfwords);
  Value *widen(Value *words, uint64_t place);

  Function &function;
  IRBuilder<> b;
  DenseMap<Value *, Value *> known;
};
} // namespace

/// The same vector as one of words, behind its definition.
Value *Widener::getWords(Value *halfwords) {
  Value *&words = known[halfwords];
  if (words)
    return words;
  if (auto *def = dyn_cast<Instruction>(halfwords))
    b.SetInsertPoint(*def->getInsertionPointAfterDef());
  else
    b.SetInsertPoint(&*function.getEntryBlock().getFirstInsertionPt());
  unsigned count = cast<FixedVectorType>(halfwords->getType())->getNumElements();
  return words = b.CreateBitCast(halfwords, FixedVectorType::get(b.getInt32Ty(), count / 2));
}

Value *Widener::widen(Value *words, uint64_t place) {
  constexpr uint32_t kUpperHalf = 0xffff0000;
  Value *word = b.CreateExtractElement(words, place / 2);
  Value *bits = place % 2 == 0 ? b.CreateShl(word, 16) : b.CreateAnd(word, kUpperHalf);
  return b.CreateBitCast(bits, b.getFloatTy());
}

void Widener::run() {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *halfwords;
    uint64_t place;
    if (!instruction.getType()->isFloatTy() ||
        !match(&instruction, m_FPExt(m_ExtractElt(m_Value(halfwords), m_ConstantInt(place)))) ||
        !halfwords->getType()->getScalarType()->isBFloatTy() ||
        cast<FixedVectorType>(halfwords->getType())->getNumElements() % 2 != 0)
      continue;
    Value *vector = getWords(halfwords);
    b.SetInsertPoint(&instruction);
    instruction.replaceAllUsesWith(widen(vector, place));
    instruction.eraseFromParent();
  }
}

void tile::widenHalfwords(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      Widener(function).run();
}
