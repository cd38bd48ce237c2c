//===- InstructionPatterns.cpp - nvidia ops to inline assembly --------------===//
#include "compiler/targets/nvidia/IR/NvidiaDialect.h"
#include "compiler/targets/nvidia/LowerToNVVM/Assembly.h"
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::nvidia;

//===----------------------------------------------------------------------===//
// Words: how a value lies in registers
//===----------------------------------------------------------------------===//

namespace {
/// A value of up to 128 bits as equal words, the operands of one access.
struct Words {
  explicit Words(unsigned bits) : bits(std::min(bits, 32u)), count(std::max(bits / 32, 1u)) {}
  Words() = default;
  unsigned bits, count;

  /// An 8-bit word travels in a 16-bit register.
  Type getRegister(Builder &b) const { return b.getIntegerType(std::max(bits, 16u)); }
  char getConstraint() const { return bits == 32 ? 'r' : 'h'; }
  /// `.v4.b32`
  std::string getSuffix() const {
    std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
    return vector + ".b" + std::to_string(bits);
  }
  /// `{$0, $1}`, of operands from `first` on.
  std::string getOperands(unsigned first) const {
    SmallVector<std::string> names;
    for (unsigned i = 0; i < count; ++i)
      names.push_back("$" + std::to_string(first + i));
    return count > 1 ? "{" + llvm::join(names, ", ") + "}" : names.front();
  }
};
} // namespace

/// The bits of `value` as words.
static SmallVector<Value> splitWords(OpBuilder &b, Location loc, Value value, Words words) {
  Type word = b.getIntegerType(words.bits);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    value = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), value);
  if (auto vector = dyn_cast<VectorType>(value.getType());
      vector && isa<LLVM::LLVMPointerType>(vector.getElementType()))
    value = LLVM::PtrToIntOp::create(b, loc, vector.clone(b.getI64Type()), value);
  if (words.count == 1) {
    value = LLVM::BitcastOp::create(b, loc, word, value);
    if (word != words.getRegister(b))
      value = LLVM::ZExtOp::create(b, loc, words.getRegister(b), value);
    return {value};
  }
  value = LLVM::BitcastOp::create(b, loc, VectorType::get(words.count, word), value);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < words.count; ++i) {
    Value index = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
    parts.push_back(LLVM::ExtractElementOp::create(b, loc, value, index));
  }
  return parts;
}

/// The inverse of splitWords.
static Value joinWords(OpBuilder &b, Location loc, ValueRange parts, Words words, Type type) {
  Type word = b.getIntegerType(words.bits);
  Value joined = parts.front();
  if (words.count == 1) {
    if (joined.getType() != word)
      joined = LLVM::TruncOp::create(b, loc, word, joined);
  } else {
    joined = LLVM::PoisonOp::create(b, loc, VectorType::get(words.count, word));
    for (auto [i, part] : llvm::enumerate(parts)) {
      Value index = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
      joined = LLVM::InsertElementOp::create(b, loc, joined, part, index);
    }
  }
  auto vector = dyn_cast<VectorType>(type);
  if (!isa<LLVM::LLVMPointerType>(vector ? vector.getElementType() : type))
    return LLVM::BitcastOp::create(b, loc, type, joined);
  Type integers = vector ? Type(vector.clone(b.getI64Type())) : Type(b.getI64Type());
  joined = LLVM::BitcastOp::create(b, loc, integers, joined);
  return LLVM::IntToPtrOp::create(b, loc, type, joined);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static std::string getCacheSuffix(CacheModifier cache) {
  return cache == CacheModifier::None ? "" : ("." + stringifyCacheModifier(cache)).str();
}

namespace {
/// How long the line stays. An access that names its caches takes no priority of
/// the first one, but a policy of the second.
struct Eviction {
  std::string before, suffix, operand, after;

  Eviction(EvictionPolicy eviction, CacheModifier cache) {
    if (eviction == EvictionPolicy::Normal)
      return;
    std::string name = stringifyEvictionPolicy(eviction).str();
    if (cache == CacheModifier::None) {
      suffix = ".L1::" + name;
      return;
    }
    before = "{ .reg .b64 policy; createpolicy.fractional.L2::" + name + ".b64 policy, 1.0; ";
    suffix = ".L2::cache_hint";
    operand = ", policy";
    after = " }";
  }
};
} // namespace

static std::string getSpace(Type pointer) {
  return cast<LLVM::LLVMPointerType>(pointer).getAddressSpace() == 1 ? ".global" : "";
}

namespace {

/// The old value of the result registers is `other`: tied operands.
struct LowerLoad : ConvertOpToLLVMPattern<LoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = getTypeConverter()->convertType(op.getType());
    Words words(getBits(type));
    SmallVector<Value> operands{adaptor.getAddress()};
    SmallVector<std::string> constraints(words.count, std::string("=") + words.getConstraint());
    constraints.push_back("l");
    std::string guard;
    if (adaptor.getPredicate()) {
      operands.push_back(adaptor.getPredicate());
      constraints.push_back("b");
      guard = "@$" + std::to_string(words.count + 1) + " ";
      llvm::append_range(operands, splitWords(rewriter, loc, adaptor.getOther(), words));
      for (unsigned i = 0; i < words.count; ++i)
        constraints.push_back(std::to_string(i));
    }
    constraints.push_back("~{memory}");
    // A volatile access goes past the caches: the instruction takes no word on them.
    auto cache = op.getIsVolatile() ? CacheModifier::None : op.getCache();
    auto policy = op.getIsVolatile() ? EvictionPolicy::Normal : op.getEviction();
    Eviction eviction(policy, cache);
    std::string text = eviction.before + guard + "ld" + (op.getIsVolatile() ? ".volatile" : "") +
                       getSpace(op.getAddress().getType()) + getCacheSuffix(cache) +
                       eviction.suffix + words.getSuffix() + " " + words.getOperands(0) + ", [$" +
                       std::to_string(words.count) + "]" + eviction.operand + ";" + eviction.after;
    SmallVector<Type> results(words.count, words.getRegister(rewriter));
    SmallVector<Value> parts = createAsm(rewriter, loc, results, operands, text,
                                         llvm::join(constraints, ","), /*sideEffects=*/true);
    rewriter.replaceOp(op, joinWords(rewriter, loc, parts, words, type));
    return success();
  }
};

struct LowerArrive : ConvertOpToLLVMPattern<ArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ArriveOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands{adaptor.getAddress()};
    std::string text = "mbarrier.arrive.shared.b64 _, [$0];", constraints = "l", before, after;
    if (Value block = adaptor.getBlock()) {
      operands.push_back(block);
      before = "{ .reg .b64 there; mapa.shared::cluster.u64 there, $0, $1; ";
      text = "mbarrier.arrive.shared::cluster.b64 _, [there];";
      after = " }";
      constraints += ",r";
    }
    if (Value predicate = adaptor.getPredicate()) {
      text = "@$" + std::to_string(operands.size()) + " " + text;
      operands.push_back(predicate);
      constraints += ",b";
    }
    text = before + text + after;
    createAsm(rewriter, op.getLoc(), {}, operands, text, constraints + ",~{memory}",
              /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerSetTensorMap : ConvertOpToLLVMPattern<SetTensorMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(SetTensorMapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands{adaptor.getMap()};
    std::string text, constraints = "l";
    auto replace = [&](StringRef field, StringRef bits, StringRef ordinal, Value value) {
      text +=
          (Twine(text.empty() ? "" : " ") + "tensormap.replace.tile." + field +
           ".shared::cta.b1024." + bits + " [$0], " + ordinal + "$" + Twine(operands.size()) + ";")
              .str();
      constraints += bits == "b64" ? ",l" : ",r";
      operands.push_back(value);
    };
    replace("global_address", "b64", "", adaptor.getAddress());
    for (auto [i, size] : llvm::enumerate(adaptor.getSizes()))
      replace("global_dim", "b32", std::to_string(i) + ", ", size);
    for (auto [i, stride] : llvm::enumerate(adaptor.getStrides()))
      replace("global_stride", "b64", std::to_string(i) + ", ", stride);
    createAsm(rewriter, op.getLoc(), {}, operands, text, constraints + ",~{memory}",
              /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerStore : ConvertOpToLLVMPattern<StoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Words words(getBits(adaptor.getValue().getType()));
    SmallVector<Value> operands{adaptor.getAddress()};
    llvm::append_range(operands, splitWords(rewriter, loc, adaptor.getValue(), words));
    std::string constraints = "l";
    for (unsigned i = 0; i < words.count; ++i)
      constraints += std::string(",") + words.getConstraint();
    std::string guard;
    if (adaptor.getPredicate()) {
      operands.push_back(adaptor.getPredicate());
      constraints += ",b";
      guard = "@$" + std::to_string(words.count + 1) + " ";
    }
    Eviction eviction(op.getEviction(), op.getCache());
    std::string text = eviction.before + guard + "st" + getSpace(op.getAddress().getType()) +
                       getCacheSuffix(op.getCache()) + eviction.suffix + words.getSuffix() +
                       " [$0], " + words.getOperands(1) + eviction.operand + ";" + eviction.after;
    createAsm(rewriter, loc, {}, operands, text, constraints + ",~{memory}",
              /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

/// `@$5 red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};`
struct LowerAdd : ConvertOpToLLVMPattern<AddOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(AddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getValue().getType(), element = getElementTypeOrSelf(type);
    Words words(getBits(type));
    SmallVector<Value> operands{adaptor.getAddress()};
    llvm::append_range(operands, splitWords(rewriter, loc, adaptor.getValue(), words));
    std::string constraints = "l";
    for (unsigned i = 0; i < words.count; ++i)
      constraints += ",r";
    std::string guard;
    if (adaptor.getPredicate()) {
      operands.push_back(adaptor.getPredicate());
      constraints += ",b";
      guard = "@$" + std::to_string(words.count + 1) + " ";
    }
    std::string kind = element.isF32() ? ".f32" : element.isF16() ? ".f16x2" : ".bf16x2";
    if (words.count > 1)
      kind = ".v" + std::to_string(words.count) + kind;
    std::string text = guard + "red.relaxed." + stringifyMemoryScope(op.getScope()).str() +
                       getSpace(op.getAddress().getType()) + ".add" +
                       (element.isF32() ? "" : ".noftz") + kind + " [$0], " + words.getOperands(1) +
                       ";";
    createAsm(rewriter, loc, {}, operands, text, constraints + ",~{memory}",
              /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tile::nvidia::populateInstructionPatterns(const LLVMTypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore, LowerAdd, LowerArrive, LowerSetTensorMap>(converter);
}
