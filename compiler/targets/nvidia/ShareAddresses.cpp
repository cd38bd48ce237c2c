//===- ShareAddresses.cpp - What addresses have in common is added once ---===//
#include "compiler/targets/nvidia/ShareAddresses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <set>

using namespace llvm;

/// LLVM's number of the address space of global memory.
static constexpr unsigned kGlobalSpace = 1;

namespace {
/// `index` numbers of so many bytes, added to a pointer.
struct Term {
  Value *index;
  uint64_t bytes;
  bool operator<(const Term &other) const {
    return std::tie(index, bytes) < std::tie(other.index, other.bytes);
  }
  bool operator==(const Term &other) const { return index == other.index && bytes == other.bytes; }
};

/// root + terms + constant, of which accesses use the sum.
struct Address {
  GetElementPtrInst *sum;
  SmallVector<Term, 4> terms;
  size_t shared = 0; // terms that make a pointer, to which a narrow number is added
  int64_t constant = 0;
};

/// Addresses of one block of code with the same root.
using Group = SmallVector<Address, 0>;

class AddressSharer {
public:
  explicit AddressSharer(Function &function)
      : function(function), layout(function.getDataLayout()), tree(function), loops(tree) {}
  void run();

private:
  std::optional<Term> getTerm(GetElementPtrInst *sum) const;
  Value *decompose(GetElementPtrInst *sum, Address &address) const;
  void order(Group &group) const;
  bool pays(const Group &group) const;
  uint64_t getRegistersOfRole(const BasicBlock *block) const;
  bool hasRoomForSums(const Group &group);
  Value *scale(const Term &term);
  Value *add(Value *pointer, const Term &term, Instruction *before);
  void rewrite(Value *root, Group &group);

  Function &function;
  const DataLayout &layout;
  DominatorTree tree;
  LoopInfo loops;
  std::map<Term, Value *> scaled;
  /// Registers of a thread that loops take for what they do not change.
  std::map<const Loop *, uint64_t> invariants;
  SmallVector<WeakTrackingVH> replaced;
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// What `sum` adds to its pointer; none: too complicated.
std::optional<Term> AddressSharer::getTerm(GetElementPtrInst *sum) const {
  if (sum->getNumIndices() != 1 || sum->getType()->isVectorTy() ||
      !sum->getOperand(1)->getType()->isIntegerTy(64))
    return std::nullopt;
  TypeSize bytes = layout.getTypeAllocSize(sum->getSourceElementType());
  if (bytes.isScalable())
    return std::nullopt;
  return Term{sum->getOperand(1), bytes.getFixedValue()};
}

/// Fills in the terms, and returns what they are added to.
Value *AddressSharer::decompose(GetElementPtrInst *sum, Address &address) const {
  address.sum = sum;
  Value *root = sum;
  while (auto *part = dyn_cast<GetElementPtrInst>(root)) {
    std::optional<Term> term = getTerm(part);
    if (!term)
      break;
    if (auto *number = dyn_cast<ConstantInt>(term->index))
      address.constant += number->getSExtValue() * int64_t(term->bytes);
    else
      address.terms.push_back(*term);
    root = part->getPointerOperand();
  }
  return root;
}

/// Whether one instruction adds the term: a product of 32 bits. Where there is nothing to multiply,
/// assemblers extend the number first.
static bool isNarrow(const Term &term) {
  auto *cast = dyn_cast<CastInst>(term.index);
  return cast && isa<SExtInst, ZExtInst>(cast) && cast->getSrcTy()->isIntegerTy(32) &&
         term.bytes > 1;
}

/// Whether somebody accesses what is there, or needs it around a loop: sums are looked at as a
/// whole.
static bool isComplete(const GetElementPtrInst &sum) {
  return llvm::any_of(sum.users(), [](const User *user) { return !isa<GetElementPtrInst>(user); });
}

//===----------------------------------------------------------------------===//
// Ordering
//===----------------------------------------------------------------------===//

/// What most addresses have in common first, and of that what loops do not change. A narrow number
/// that not all have comes last.
void AddressSharer::order(Group &group) const {
  struct Use {
    unsigned count, place;
  };
  std::map<Term, Use> uses;
  for (const Address &address : group)
    for (const Term &term : address.terms)
      ++uses.try_emplace(term, Use{0, unsigned(uses.size())}).first->second.count;
  Loop *loop = loops.getLoopFor(group.front().sum->getParent());
  auto rank = [&](const Term &term) {
    Use use = uses.at(term);
    bool stays = !loop || loop->isLoopInvariant(term.index);
    return std::tuple(use.count, stays, ~use.place);
  };
  for (Address &address : group) {
    llvm::sort(address.terms, [&](const Term &a, const Term &b) { return rank(a) > rank(b); });
    auto last = llvm::find_if(llvm::reverse(address.terms), [&](const Term &term) {
      return isNarrow(term) && uses.at(term).count < group.size();
    });
    address.shared = address.terms.size();
    if (last == address.terms.rend())
      continue;
    std::rotate(last.base() - 1, last.base(), address.terms.end());
    --address.shared;
  }
}

/// Whether at least two sums are made of each pointer that narrow numbers are added to.
bool AddressSharer::pays(const Group &group) const {
  std::set<SmallVector<Term, 4>> pointers, sums;
  bool hasSeveral = false;
  for (const Address &address : group) {
    ArrayRef<Term> terms = address.terms;
    pointers.emplace(terms.take_front(address.shared));
    sums.emplace(terms);
    hasSeveral |= address.shared > 0;
  }
  return hasSeveral && 2 * pointers.size() <= sums.size();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether nothing but copies to on-chip memory use the address.
static bool isCopied(const Address &address) {
  return llvm::all_of(address.sum->users(), [](const User *user) {
    const auto *call = dyn_cast<IntrinsicInst>(user);
    return isa<GetElementPtrInst>(user) ||
           (call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.cp.async."));
  });
}

/// Registers of a thread that `loop` takes for what it does not change.
static uint64_t countInvariants(const Loop &loop, const DataLayout &layout) {
  constexpr uint64_t kRegisterBits = 32;
  std::set<const Value *> invariants;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      for (const Value *operand : instruction.operands())
        if (const auto *def = dyn_cast<Instruction>(operand); def && !loop.contains(def))
          invariants.insert(def);
  uint64_t bits = 0;
  for (const Value *value : invariants)
    bits += alignTo(layout.getTypeSizeInBits(value->getType()), kRegisterBits);
  return bits / kRegisterBits;
}

/// Registers of a thread in warps of a role of few; the machine's most elsewhere.
uint64_t AddressSharer::getRegistersOfRole(const BasicBlock *block) const {
  constexpr uint64_t kMost = 255;
  for (const DomTreeNode *node = tree.getNode(block); node; node = node->getIDom())
    for (const Instruction &instruction : *node->getBlock())
      if (const auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32)
        return cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
  return kMost;
}

/// Whether all is copied, and registers hold the sums beside what else they do. Otherwise they
/// need not hold these.
bool AddressSharer::hasRoomForSums(const Group &group) {
  constexpr uint64_t kOthers = 24;
  const BasicBlock *block = group.front().sum->getParent();
  const Loop *loop = loops.getLoopFor(block);
  if (!loop || !llvm::all_of(group, isCopied))
    return false;
  uint64_t &count = invariants[loop];
  if (count + kOthers <= getRegistersOfRole(block))
    return true;
  count -= std::min<uint64_t>(count, group.size());
  return false;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The bytes that `term` adds, where its index is: one instruction extends and scales, unless
/// there is a loop between the two.
Value *AddressSharer::scale(const Term &term) {
  Value *&bytes = scaled[term];
  if (bytes)
    return bytes;
  if (term.bytes == 1)
    return bytes = term.index;
  auto *index = dyn_cast<Instruction>(term.index);
  IRBuilder<> b(index ? &**index->getInsertionPointAfterDef()
                      : &*function.getEntryBlock().getFirstInsertionPt());
  return bytes = b.CreateMul(term.index, b.getInt64(term.bytes));
}

/// pointer + term before `before`, or before the loops around it that change neither.
Value *AddressSharer::add(Value *pointer, const Term &term, Instruction *before) {
  for (Loop *loop = loops.getLoopFor(before->getParent()); loop; loop = loop->getParentLoop()) {
    BasicBlock *preheader = loop->getLoopPreheader();
    if (!preheader || !loop->isLoopInvariant(pointer) || !loop->isLoopInvariant(term.index))
      break;
    before = preheader->getTerminator();
  }
  IRBuilder<> b(before);
  return b.CreateGEP(b.getInt8Ty(), pointer, scale(term));
}

void AddressSharer::rewrite(Value *root, Group &group) {
  std::map<std::pair<Value *, Term>, Value *> known;
  for (const Address &address : group) {
    Value *pointer = root;
    for (const Term &term : address.terms) {
      Value *&sum = known[{pointer, term}];
      if (!sum)
        sum = add(pointer, term, address.sum);
      pointer = sum;
    }
    if (address.constant) {
      IRBuilder<> b(address.sum);
      pointer = b.CreateGEP(b.getInt8Ty(), pointer, b.getInt64(address.constant));
    }
    address.sum->replaceAllUsesWith(pointer);
    replaced.push_back(address.sum);
  }
}

void AddressSharer::run() {
  MapVector<std::pair<BasicBlock *, Value *>, Group> groups;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block) {
      auto *sum = dyn_cast<GetElementPtrInst>(&instruction);
      if (!sum || sum->getAddressSpace() != kGlobalSpace || !isComplete(*sum) || !getTerm(sum))
        continue;
      Address address;
      Value *root = decompose(sum, address);
      groups[{&block, root}].push_back(std::move(address));
    }
  for (auto &[place, group] : groups)
    if (const Loop *loop = loops.getLoopFor(place.first); loop && !invariants.count(loop))
      invariants[loop] = countInvariants(*loop, layout);
  for (auto &[place, group] : groups) {
    order(group);
    if (pays(group) && !hasRoomForSums(group))
      rewrite(place.second, group);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

void tile::nvidia::shareAddresses(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      AddressSharer(function).run();
}
