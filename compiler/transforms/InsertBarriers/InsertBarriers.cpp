//===- InsertBarriers.cpp - Order accesses of different threads -----------===//
//
// Walks the program with what has been accessed since the last barrier. Loops
// are walked until nothing new comes around.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/InsertBarriers/InsertBarriers.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/PointerBase/PointerBase.h"
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "compiler/transforms/InsertBarriers/AdvanceWaits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/Sequence.h"

namespace tile {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "compiler/transforms/InsertBarriers/InsertBarriers.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// Whether data moves through on-chip memory of which each warp has its own part.
static bool staysWithinWarps(ConvertLayoutOp op) {
  ConversionPlan plan = planLayoutConversion(op);
  auto *memory = std::get_if<MemoryPlan>(&plan.steps);
  return memory && memory->isWithinWarps;
}

namespace {
/// Bytes on chip.
struct Interval {
  int64_t begin, end;
  /// A buffer of which each thread accesses only its own elements, or a conversion
  /// of which each warp does; null: of others.
  Operation *owner = nullptr;
  /// Accessed before the iteration that we are in began.
  bool isOlder = false;
  bool meets(const Interval &other) const {
    bool isOwn = owner && owner == other.owner;
    return !isOwn && begin < other.end && other.begin < end;
  }
  bool operator==(const Interval &other) const {
    return begin == other.begin && end == other.end && owner == other.owner &&
           isOlder == other.isOlder;
  }
};

/// An access to global memory: through which argument (null: unknown), and the
/// very pointers, if a thread that uses them again meets only itself (null: other
/// threads have them as well, or they were those of an earlier iteration).
struct GlobalUse {
  Value base, pointer;
  bool operator==(const GlobalUse &other) const {
    return base == other.base && pointer == other.pointer;
  }
};

/// What happened since all threads last met.
struct State {
  SmallVector<Interval> reads, writes;
  SmallVector<GlobalUse> globalReads, globalWrites;
  /// Written, and not yet visible to units that read by themselves.
  SmallVector<Interval> unpublished;
  /// What products in flight read, the latest first: meeting does not end that.
  SmallVector<SmallVector<Interval>> products;
  /// What stores of blocks still read.
  SmallVector<Interval> stored;

  /// Whether anybody may still access some of these bytes.
  bool isAtWork(const Interval &bytes) const {
    auto meets = [&](const Interval &interval) { return interval.meets(bytes); };
    return llvm::any_of(reads, meets) || llvm::any_of(writes, meets) ||
           llvm::any_of(stored, meets) ||
           llvm::any_of(products, [&](auto &product) { return llvm::any_of(product, meets); });
  }
  void clear() {
    reads.clear();
    writes.clear();
    globalReads.clear();
    globalWrites.clear();
  }
  /// An iteration begins.
  void age() {
    auto ageAll = [](SmallVector<Interval> &intervals) {
      SmallVector<Interval> aged;
      for (Interval &interval : intervals) {
        interval.isOlder = true;
        mergeList<Interval>(aged, interval);
      }
      intervals = aged;
    };
    ageAll(reads);
    ageAll(writes);
    llvm::for_each(products, ageAll);
  }
  /// Returns whether something was new.
  bool merge(const State &other) {
    bool changed = mergeList<Interval>(reads, other.reads);
    changed |= mergeList<Interval>(writes, other.writes);
    changed |= mergeList<Interval>(unpublished, other.unpublished);
    changed |= mergeList<Interval>(stored, other.stored);
    products.resize(std::max(products.size(), other.products.size()));
    for (auto [into, from] : llvm::zip(products, other.products))
      changed |= mergeList<Interval>(into, from);
    changed |= mergeList<GlobalUse>(globalReads, other.globalReads);
    return mergeList<GlobalUse>(globalWrites, other.globalWrites) || changed;
  }
  template <typename T> static bool mergeList(SmallVector<T> &into, ArrayRef<T> from) {
    bool changed = false;
    for (const T &entry : from)
      if (!llvm::is_contained(into, entry)) {
        into.push_back(entry);
        changed = true;
      }
    return changed;
  }
};

class BarrierInserter {
public:
  explicit BarrierInserter(func::FuncOp function) : function(function), aliases(function) {
    function.walk([&](Operation *op) {
      publishes |= isa<AsyncDotOp, BlockStoreOp>(op);
      auto convert = dyn_cast<ConvertLayoutOp>(op);
      if (convert && op->hasAttr(kScratchOffsetAttr) && staysWithinWarps(convert))
        withinWarps.insert(op);
    });
    findOwnBuffers();
  }
  void run() {
    State state;
    visitRegion(function.getBody(), state);
  }

private:
  void visitRegion(Region &region, State &state);
  void visit(Operation *op, State &state);
  void visitLoop(Operation *op, State &state);
  void visitExchange(Operation *op, int64_t offset, State &state);
  void visitOnChip(Operation *op, State &state);
  void visitGlobal(Operation *op, State &state);
  void visitAtomic(Operation *op, const AtomicAccess &access, State &state);
  void visitProduct(AsyncDotOp op, State &state);
  void order(Operation *op, State &state);
  void meet(BarrierOp barrier, State &state) const;
  SmallVector<Interval> getIntervals(Value buffer) const;
  void findOwnBuffers();

  func::FuncOp function;
  BufferAliases aliases;
  /// Whether some unit reads on-chip memory by itself.
  bool publishes = false;
  /// Buffers that all accesses reach in one layout: threads never meet there.
  DenseSet<Operation *> ownBuffers;
  /// Conversions through on-chip memory of which each warp has its own part.
  DenseSet<Operation *> withinWarps;
};

struct InsertBarriersPass : tile::impl::InsertBarriersBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (!getTarget(getOperation())) {
      getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
      return signalPassFailure();
    }
    if (getOperation().isExternal() || !llvm::hasSingleElement(getOperation().getBody()))
      return;
    advanceWaits(getOperation());
    BarrierInserter(getOperation()).run();
  }
};
} // namespace

void BarrierInserter::order(Operation *op, State &state) {
  OpBuilder builder(op);
  meet(BarrierOp::create(builder, op->getLoc()), state);
}

void BarrierInserter::meet(BarrierOp barrier, State &state) const {
  if (publishes && !state.unpublished.empty())
    barrier.setPublish(true);
  if (barrier.getPublish())
    state.unpublished.clear();
  state.clear();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void BarrierInserter::visitRegion(Region &region, State &state) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, state);
}

void BarrierInserter::visit(Operation *op, State &state) {
  if (isa<LoopLikeOpInterface>(op))
    return visitLoop(op, state);
  if (auto roles = dyn_cast<RolesOp>(op)) {
    for (Region &region : roles.getBodies()) {
      State own; // signals order what one role does before another
      visitRegion(region, own);
    }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    State other = state;
    visitRegion(branch.getThenRegion(), state);
    visitRegion(branch.getElseRegion(), other);
    state.merge(other);
    return;
  }
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return meet(barrier, state);
  auto scratch = op->getAttrOfType<IntegerAttr>(kScratchOffsetAttr);
  if (!scratch)
    visitOnChip(op, state);
  // An atomic operation acts before threads meet to learn what it found.
  visitGlobal(op, state);
  if (scratch)
    visitExchange(op, scratch.getInt(), state);
}

/// A loop ends behind its region that decides whether it goes on: a `while` in between.
void BarrierInserter::visitLoop(Operation *op, State &state) {
  bool endsWithin = isa<scf::WhileOp>(op);
  State entry = state;
  entry.age();
  bool changed = true;
  while (changed) {
    State body = entry;
    for (Region &region : op->getRegions()) {
      visitRegion(region, body);
      if (!endsWithin || &region == &op->getRegion(0))
        state = body;
    }
    State around = body;
    around.age();
    for (SmallVector<GlobalUse> *uses : {&around.globalReads, &around.globalWrites})
      for (GlobalUse &use : *uses)
        if (use.pointer && op->isAncestor(use.pointer.getParentRegion()->getParentOp()))
          use.pointer = Value();
    changed = entry.merge(around);
  }
  if (!endsWithin)
    state.merge(entry); // it may run not at all
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

/// The layout that says which thread accesses what of a buffer; null where none does.
static LayoutAttr getAccessLayout(Operation *op) {
  if (auto load = dyn_cast<BufferLoadOp>(op))
    return getLayout(load.getType());
  if (auto store = dyn_cast<BlockStoreOp>(op))
    return store.getPartsAttr();
  return isa<BufferStoreOp, AsyncCopyOp>(op) ? getLayout(op->getOperand(0).getType())
                                             : LayoutAttr();
}

/// Threads that fetch matrix fragments together, each for others as well, hold no
/// more than a word of a row.
static bool mayBeFetchedTogether(const LinearLayout &layout, Type element) {
  constexpr int64_t kWordBits = 32;
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 2 * kWordBits;
  if (layout.getRank() < 2 || bits > kWordBits)
    return false;
  int64_t longer = 2 * kWordBits / bits;
  return llvm::none_of(llvm::seq<unsigned>(0, layout.getRank()),
                       [&](unsigned dim) { return layout.getContiguity(dim, longer) == longer; });
}

namespace {
/// How threads access a buffer.
struct BufferAccesses {
  LayoutAttr layout; // the first one's
  /// In several layouts, or in none.
  bool isShared = false;
  /// A warp's threads access what others of them hold.
  bool isFetchedTogether = false;
  bool isStoredByWarps = false, isOnlyWritten = true;

  void add(Operation *access, Type element) {
    LayoutAttr own = getAccessLayout(access);
    if (!layout)
      layout = own;
    isShared |= !own || own != layout || !own.getLayout().hasOneOwner();
    isFetchedTogether |= own && mayBeFetchedTogether(own.getLayout(), element);
    isStoredByWarps |= isa<BlockStoreOp>(access);
    isOnlyWritten &= isa<BlockStoreOp, BufferStoreOp>(access);
  }
  /// Threads that all access what is their own meet nobody; nor do they where warps
  /// write their parts and store them, before which the threads of a warp meet.
  bool isOwn() const { return !isShared && (isStoredByWarps ? isOnlyWritten : !isFetchedTogether); }
};
} // namespace

void BarrierInserter::findOwnBuffers() {
  DenseMap<Operation *, BufferAccesses> accesses;
  for (auto &[value, allocs] : aliases.getAll())
    for (BufferAllocOp alloc : allocs)
      for (Operation *user : value.getUsers())
        // What passes a buffer on is followed to those who access it.
        if (!isa<BufferViewOp, CommitOp, AwaitOp, scf::ForOp, scf::IfOp, scf::YieldOp>(user))
          accesses[alloc].add(user, alloc.getType().getElementType());
  for (auto &[alloc, all] : accesses)
    if (all.isOwn())
      ownBuffers.insert(alloc);
}

SmallVector<Interval> BarrierInserter::getIntervals(Value buffer) const {
  SmallVector<Interval> intervals;
  for (BufferAllocOp alloc : aliases.get(buffer)) {
    int64_t begin = alloc.getOffset().value_or(0);
    // What is not planned may be anywhere.
    int64_t end = alloc.getOffset() ? begin + alloc.getType().getBytes()
                                    : std::numeric_limits<int64_t>::max();
    intervals.push_back({begin, end, ownBuffers.contains(alloc) ? alloc.getOperation() : nullptr});
  }
  if (intervals.empty())
    intervals.push_back({0, std::numeric_limits<int64_t>::max()});
  return intervals;
}

/// Whether `some` meet `others`, of which only those before the iteration count for what
/// the iteration before accessed.
static bool meet(ArrayRef<Interval> some, ArrayRef<Interval> others, bool isPrevious = false) {
  return llvm::any_of(some, [&](const Interval &interval) {
    return llvm::any_of(others, [&](const Interval &other) {
      return (other.isOlder || !isPrevious) && interval.meets(other);
    });
  });
}

/// Products begin to read at once, and go on until they are awaited.
void BarrierInserter::visitProduct(AsyncDotOp op, State &state) {
  SmallVector<Interval> read;
  for (Value operand : {Value(op.getA()), Value(op.getB())})
    if (isa<BufferType>(operand.getType()))
      State::mergeList<Interval>(read, getIntervals(operand));
  if (::meet(read, state.writes) || ::meet(read, state.unpublished))
    order(op, state);
  state.products.insert(state.products.begin(), read);
}

/// All threads meet at the op's beginning, unless its scratch memory is free: then they
/// meet later, or, where data stays within warps, not at all. Its own reads may still go
/// on after.
void BarrierInserter::visitExchange(Operation *op, int64_t offset, State &state) {
  bool isWithinWarps = withinWarps.contains(op);
  Interval interval{offset, offset + getScratchBytes(op), isWithinWarps ? op : nullptr};
  if (isWithinWarps || meetsInside(op)) {
    bool isFree = !state.isAtWork(interval);
    if (isFree)
      op->setDiscardableAttr(kScratchIsFreeAttr, UnitAttr::get(op->getContext()));
    else
      op->removeDiscardableAttr(kScratchIsFreeAttr);
    if (isWithinWarps && isFree) {
      State::mergeList<Interval>(state.reads, interval);
      State::mergeList<Interval>(state.writes, interval);
      return;
    }
  }
  state.clear();
  state.reads.push_back(interval);
  state.writes.push_back(interval);
}

void BarrierInserter::visitOnChip(Operation *op, State &state) {
  if (auto load = dyn_cast<BufferLoadOp>(op)) {
    SmallVector<Interval> intervals = getIntervals(load.getBuffer());
    if (::meet(intervals, state.writes))
      order(op, state);
    State::mergeList<Interval>(state.reads, intervals);
  } else if (isa<BufferStoreOp, AsyncCopyOp>(op)) {
    SmallVector<Interval> intervals = getIntervals(op->getOperand(1));
    bool isPrevious = op->hasAttr(kPreviousBlockAttr);
    if (::meet(intervals, state.reads, isPrevious) || ::meet(intervals, state.writes, isPrevious))
      order(op, state);
    if (isa<BufferStoreOp>(op)) {
      State::mergeList<Interval>(state.writes, intervals);
      State::mergeList<Interval>(state.unpublished, intervals);
    }
  } else if (auto await = dyn_cast<AwaitOp>(op)) {
    for (Value pending : await.getPending()) {
      State::mergeList<Interval>(state.writes, getIntervals(pending));
      State::mergeList<Interval>(state.unpublished, getIntervals(pending));
    }
  } else if (auto store = dyn_cast<BlockStoreOp>(op)) {
    SmallVector<Interval> intervals = getIntervals(store.getBuffer());
    if (::meet(intervals, state.writes) || ::meet(intervals, state.unpublished))
      order(op, state);
    if (store.getParts()) // it has published what warps wrote for themselves
      llvm::erase_if(state.unpublished, [&](const Interval &interval) {
        return interval.owner && llvm::is_contained(intervals, interval);
      });
    State::mergeList<Interval>(state.stored, intervals);
  } else if (isa<AwaitBlockStoresOp>(op)) {
    // The thread that waits has to tell the others.
    State::mergeList<Interval>(state.reads, state.stored);
    state.stored.clear();
  } else if (auto product = dyn_cast<AsyncDotOp>(op)) {
    visitProduct(product, state);
  } else if (auto await = dyn_cast<AwaitDotsOp>(op)) {
    for (; state.products.size() > await.getInFlight(); state.products.pop_back())
      State::mergeList<Interval>(state.reads, state.products.back());
  }
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Whether an access through `pointer` may meet one of another thread.
static bool mayMeet(Value pointer, ArrayRef<GlobalUse> uses) {
  if (uses.empty())
    return false;
  Value base = getPointerBase(pointer);
  return llvm::any_of(uses, [&](const GlobalUse &use) {
    return (!base || !use.base || base == use.base) && use.pointer != pointer;
  });
}

/// Whether something comes before `access` that it releases: writes, and reads where it is of a
/// number, such as a lock, which ends that others stay away.
static bool releasesSomething(const AtomicAccess &access, const State &state) {
  bool isBlock = isa<RankedTensorType>(access.pointer.getType());
  return access.releases() &&
         (!state.globalWrites.empty() || (!isBlock && !state.globalReads.empty()));
}

void BarrierInserter::visitAtomic(Operation *op, const AtomicAccess &access, State &state) {
  bool isRead = isa<AtomicLoadOp, AtomicPollOp>(op);
  if (releasesSomething(access, state) || mayMeet(access.pointer, state.globalWrites) ||
      (!isRead && mayMeet(access.pointer, state.globalReads)))
    order(op, state);
  if (isRead && !access.acquires())
    return;
  GlobalUse write{access.acquires() ? Value() : getPointerBase(access.pointer), Value()};
  State::mergeList<GlobalUse>(state.globalWrites, write);
}

/// Of threads that have the same pointers one stores for all. Through a single
/// pointer all threads load, and the first one stores.
static GlobalUse getUse(Value pointer) {
  LayoutAttr layout = getLayout(pointer.getType());
  return {getPointerBase(pointer), layout && layout.getLayout().hasOneOwner() ? pointer : Value()};
}

void BarrierInserter::visitGlobal(Operation *op, State &state) {
  if (auto store = dyn_cast<StoreOp>(op)) {
    if (mayMeet(store.getPointer(), state.globalReads))
      order(op, state);
    State::mergeList<GlobalUse>(state.globalWrites, getUse(store.getPointer()));
  } else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op)) {
    visitAtomic(op, *atomic, state);
  } else if (auto poll = dyn_cast<AtomicPollOp>(op)) {
    visitAtomic(op, {poll.getPointer(), {}, {}, poll.getSemantic(), poll.getScope()}, state);
  } else if (isa<LoadOp, AsyncCopyOp>(op)) {
    if (mayMeet(op->getOperand(0), state.globalWrites))
      order(op, state);
    State::mergeList<GlobalUse>(state.globalReads, getUse(op->getOperand(0)));
  }
}
