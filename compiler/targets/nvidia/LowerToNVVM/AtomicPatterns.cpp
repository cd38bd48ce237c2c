//===- AtomicPatterns.cpp - Atomic operations of the whole system -----------===//
//
// LLVM 22 drops the scope of an atomic operation that all processors of the
// system observe, and the instruction then counts for one GPU alone: such
// operations are written as text.
//
//===----------------------------------------------------------------------===//
#include "compiler/targets/nvidia/LowerToNVVM/Assembly.h"
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"
#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;

static StringRef getOrdering(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return ".acquire";
  case LLVM::AtomicOrdering::release:
    return ".release";
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return ".acq_rel";
  default:
    return ".relaxed";
  }
}

/// The instruction's name of the operation and its letter for the type; empty if
/// the hardware has no such operation.
static std::pair<StringRef, char> getOperation(LLVM::AtomicBinOp kind) {
  switch (kind) {
  case LLVM::AtomicBinOp::add:
    return {"add", 'u'};
  case LLVM::AtomicBinOp::fadd:
    return {"add", 'f'};
  case LLVM::AtomicBinOp::max:
    return {"max", 's'};
  case LLVM::AtomicBinOp::min:
    return {"min", 's'};
  case LLVM::AtomicBinOp::umax:
    return {"max", 'u'};
  case LLVM::AtomicBinOp::umin:
    return {"min", 'u'};
  case LLVM::AtomicBinOp::_and:
    return {"and", 'b'};
  case LLVM::AtomicBinOp::_or:
    return {"or", 'b'};
  case LLVM::AtomicBinOp::_xor:
    return {"xor", 'b'};
  case LLVM::AtomicBinOp::xchg:
    return {"exch", 'b'};
  default:
    return {"", 0};
  }
}

/// Architectures before sm_90 add bf16 by exchanges alone.
static bool hasBF16Atomics(Operation *op) {
  tile::TargetAttr target = tile::getTarget(op);
  return !target || !llvm::is_contained({"sm_80", "sm_86", "sm_89"}, target.getArch());
}

/// The constraint of a register of `bits`.
static StringRef getRegister(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

/// `atom.acq_rel.sys.global.cas.b32 $0, [$1], $2, ...` on values of any type of
/// 16, 32 or 64 bits; the old value.
static Value createAtomic(OpBuilder &b, Location loc, StringRef ordering, const Twine &operation,
                          Value pointer, ValueRange values) {
  Type type = values.front().getType();
  unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  Type word = b.getIntegerType(bits);
  auto convert = [&](Value value, Type to) -> Value {
    if (value.getType() == to)
      return value;
    if (isa<LLVM::LLVMPointerType>(to))
      return LLVM::IntToPtrOp::create(b, loc, to, value);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return LLVM::PtrToIntOp::create(b, loc, to, value);
    return LLVM::BitcastOp::create(b, loc, to, value);
  };
  SmallVector<Value> operands{pointer};
  std::string constraints = ("=" + getRegister(bits) + ",l").str(), list;
  for (auto [i, value] : llvm::enumerate(values)) {
    operands.push_back(convert(value, word));
    constraints += ("," + getRegister(bits)).str();
    list += ", $" + std::to_string(i + 2);
  }
  bool isGlobal = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1;
  std::string text = ("atom" + ordering + ".sys" + (isGlobal ? ".global" : "") + "." + operation +
                      " $0, [$1]" + list + ";")
                         .str();
  Value old = tile::nvidia::createAsm(b, loc, word, operands, text, constraints + ",~{memory}",
                                      /*sideEffects=*/true)
                  .front();
  return convert(old, type);
}

namespace {

struct LowerSystemAtomic : OpRewritePattern<LLVM::AtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LLVM::AtomicRMWOp op, PatternRewriter &rewriter) const override {
    auto [name, letter] = getOperation(op.getBinOp());
    Type type = op.getVal().getType();
    if (name.empty())
      return rewriter.notifyMatchFailure(op, "the hardware has no such operation");
    unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
    if (type.isBF16() && !hasBF16Atomics(op))
      return op.emitError(
          "adding bf16 with scope 'sys' needs sm_90a or later; use scope 'gpu', or f32");
    std::string suffix = letter + std::to_string(bits);
    if (letter == 'f' && bits == 16)
      suffix = type.isBF16() ? "noftz.bf16" : "noftz.f16";
    rewriter.replaceOp(op, createAtomic(rewriter, op.getLoc(), getOrdering(op.getOrdering()),
                                        name + Twine(".") + suffix, op.getPtr(), op.getVal()));
    return success();
  }
};

struct LowerSystemExchange : OpRewritePattern<LLVM::AtomicCmpXchgOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LLVM::AtomicCmpXchgOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getVal().getType();
    if (!isa<LLVM::LLVMPointerType>(type) && type.getIntOrFloatBitWidth() < 16)
      return rewriter.notifyMatchFailure(op, "the hardware has no such operation");
    unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
    Value old =
        createAtomic(rewriter, loc, getOrdering(op.getSuccessOrdering()), "cas.b" + Twine(bits),
                     op.getPtr(), ValueRange{op.getCmp(), op.getVal()});
    Value same =
        LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, old, Value(op.getCmp()));
    Value both = LLVM::PoisonOp::create(rewriter, loc, op.getType());
    both = LLVM::InsertValueOp::create(rewriter, loc, both, old, ArrayRef<int64_t>{0});
    both = LLVM::InsertValueOp::create(rewriter, loc, both, same, ArrayRef<int64_t>{1});
    rewriter.replaceOp(op, both);
    return success();
  }
};

} // namespace

bool tile::nvidia::isOfSystem(std::optional<StringRef> scope) { return scope.value_or("").empty(); }

void tile::nvidia::populateAtomicPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerSystemAtomic, LowerSystemExchange>(patterns.getContext());
}
