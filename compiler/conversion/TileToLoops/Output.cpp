//===- Output.cpp - What a kernel tells the outside -----------------------===//
//
// A library with prints, assertions or a timer exports variables that hold the functions
// to call; the runtime sets them. While they are null nothing is called.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Emitter.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

static constexpr llvm::StringLiteral kPrintVariable = "tile_rt_print";
static constexpr llvm::StringLiteral kAssertVariable = "tile_rt_assert";
static constexpr llvm::StringLiteral kTimerVariable = "tile_rt_timer";

namespace {
/// Writes calls of functions that the runtime supplies.
class CallbackWriter {
public:
  CallbackWriter(func::FuncOp kernel, OpBuilder &builder, Location loc)
      : module(kernel->getParentOfType<ModuleOp>()), builder(builder), loc(loc),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  /// Call what `variable` holds, if anything.
  void call(StringRef variable, ValueRange arguments) {
    Value function = LLVM::LoadOp::create(builder, loc, pointer, getVariable(variable));
    Value null = LLVM::ZeroOp::create(builder, loc, pointer);
    Value isSet = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, function, null);
    auto branch = scf::IfOp::create(builder, loc, isSet, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                            SmallVector<Type>(arguments.getTypes()));
    SmallVector<Value> operands{function};
    llvm::append_range(operands, arguments);
    LLVM::CallOp::create(builder, loc, type, operands);
  }

  /// The address of `bytes` among the library's constants.
  Value getConstant(StringRef bytes) {
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    auto global = createGlobal(type, getFreeName(), LLVM::Linkage::Private, /*isConstant=*/true,
                               builder.getStringAttr(bytes));
    global.setAlignment(8);
    return LLVM::AddressOfOp::create(builder, loc, global);
  }
  Value getString(StringRef text) { return getConstant((text + Twine('\0')).str()); }

private:
  Value getVariable(StringRef name) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (!global) {
      global = createGlobal(pointer, name, LLVM::Linkage::Weak, /*isConstant=*/false, Attribute());
      OpBuilder::InsertionGuard guard(builder);
      builder.createBlock(&global.getInitializerRegion());
      LLVM::ReturnOp::create(builder, loc, LLVM::ZeroOp::create(builder, loc, pointer).getResult());
    }
    return LLVM::AddressOfOp::create(builder, loc, global);
  }

  LLVM::GlobalOp createGlobal(Type type, StringRef name, LLVM::Linkage linkage, bool isConstant,
                              Attribute value) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    return LLVM::GlobalOp::create(builder, loc, type, isConstant, linkage, name, value);
  }

  std::string getFreeName() {
    for (unsigned number = 0;; ++number) {
      std::string name = ("tile_constant_" + Twine(number)).str();
      if (!module.lookupSymbol(name))
        return name;
    }
  }

  ModuleOp module;
  OpBuilder &builder;
  Location loc;
  Type pointer;
};
} // namespace

/// How the runtime reads elements: "i32", "u32", "f16", "bf16", "f8E5M2", "ptr".
static std::string getTypeName(Type element, bool isSigned) {
  if (isa<PtrType>(element))
    return "ptr";
  if (element.isInteger())
    return ((isSigned || element.isInteger(1) ? "i" : "u") + Twine(element.getIntOrFloatBitWidth()))
        .str();
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return text;
}

/// The bytes of a list of 64-bit integers.
static std::string getBytes(ArrayRef<int64_t> numbers) {
  return std::string(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(int64_t));
}

// Allocated once for all iterations of the loops around.
Value Emitter::createSlot(Type type) {
  Value one = getIndex(1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(one);
  return LLVM::AllocaOp::create(builder, kernel.getLoc(), arguments.position.getType(), type, one,
                                kSlotAlignment);
}

void Emitter::emitPrint(PrintOp print) {
  Location loc = print.getLoc();
  CallbackWriter writer(kernel, builder, loc);
  Value prefix = writer.getString(print.getPrefix());
  Value hex = getConstant(builder.getI32IntegerAttr(print.getHex()));
  auto printValue = [&](StringRef type, Value data, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> strides) {
    SmallVector<int64_t> sizes(shape);
    llvm::append_range(sizes, strides);
    sizes.push_back(0); // never empty
    Value rank = getConstant(builder.getI32IntegerAttr(shape.size()));
    writer.call(kPrintVariable, {arguments.position, prefix, writer.getString(type), hex, data,
                                 rank, writer.getConstant(getBytes(sizes))});
  };
  if (print.getValues().empty())
    printValue("", LLVM::ZeroOp::create(builder, loc, arguments.position.getType()), {}, {});
  for (auto [value, isSigned] : llvm::zip(print.getValues(), print.getSignedness())) {
    std::string type = getTypeName(getElementType(value.getType()), isSigned);
    if (isBlock(value)) {
      const Buffer &buffer = *plan.getBuffer(value);
      printValue(type, getAddress(buffer), buffer.shape, buffer.strides);
      continue;
    }
    Value scalar = getScalar(value);
    if (scalar.getType().isInteger(1))
      scalar = arith::ExtUIOp::create(builder, loc, builder.getI8Type(), scalar);
    Value slot = createSlot(scalar.getType());
    LLVM::StoreOp::create(builder, loc, scalar, slot);
    printValue(type, slot, {}, {});
  }
}

Value Emitter::readTimer(Location loc) {
  Value slot = createSlot(builder.getI64Type());
  LLVM::StoreOp::create(builder, loc, getIndex(0), slot);
  CallbackWriter(kernel, builder, loc).call(kTimerVariable, slot);
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(), slot);
}

void Emitter::emitAssert(AssertOp assertion) {
  Location loc = assertion.getLoc();
  Value isTrue = getConstant(builder.getBoolAttr(true));
  Value failed = arith::XOrIOp::create(builder, loc, getScalar(assertion.getCondition()), isTrue);
  auto branch = scf::IfOp::create(builder, loc, failed, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  std::string place;
  llvm::raw_string_ostream os(place);
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    os << file.getFilename().getValue() << ":" << file.getLine() << ":" << file.getColumn();
  CallbackWriter writer(kernel, builder, loc);
  writer.call(kAssertVariable, {arguments.position, writer.getString(assertion.getMessage()),
                                writer.getString(place)});
}
