//===- TileDialect.cpp - Registration, types, attributes ------------------===//
#include "dialects/tile/IR/TileDialect.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#include "dialects/tile/IR/TileAttrInterfaces.cpp.inc"
#include "dialects/tile/IR/TileDialect.cpp.inc"
#include "dialects/tile/IR/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/IR/TileTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/IR/TileAttributes.cpp.inc"

namespace {
/// Layouts are long: print each once, at the top.
struct TileAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const final {
    auto layout = dyn_cast<tile::LayoutAttr>(attr);
    if (!layout)
      return AliasResult::NoAlias;
    os << (layout.getLayout().getInSize(tile::Dim::Offset) > 1 ? "memory" : "layout");
    return AliasResult::OverridableAlias;
  }
};

/// Every op may be inlined: kernels call functions that hold tile ops.
struct TileInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void tile::TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/IR/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/IR/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface, TileAsmInterface>();
}

Operation *tile::TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                  Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult tile::PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (!isa<IntegerType, FloatType, PtrType>(pointee))
    return emitError() << "expects a pointer to an integer, a float or a pointer, got " << pointee;
  return success();
}

LogicalResult tile::SignalsType::verify(function_ref<InFlightDiagnostic()> emitError,
                                        int64_t count) {
  if (count < 1) // signals.1
    return emitError() << "expects at least one signal, got " << count;
  return success();
}

LogicalResult tile::TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                       StringRef arch, DictionaryAttr facts) {
  if (name.empty() || arch.empty())
    return emitError() << "expects a target's name and an architecture";
  if (auto lanes = facts.getAs<IntegerAttr>("lanes"); !lanes || lanes.getInt() < 1)
    return emitError() << "expects a positive integer 'lanes' among the facts";
  if (Attribute functions = facts.get("native_math")) {
    auto errors = dyn_cast<DictionaryAttr>(functions);
    if (!errors || !llvm::all_of(errors, [](NamedAttribute entry) {
          return isa<FloatAttr>(entry.getValue());
        }))
      return emitError() << "expects 'native_math' as a dictionary of errors, got " << functions;
  }
  for (StringRef fact : {"native_casts", "native_arithmetic"}) {
    Attribute names = facts.get(fact);
    auto list = dyn_cast_or_null<ArrayAttr>(names);
    if (names && (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>)))
      return emitError() << "expects '" << fact << "' as an array of strings, got " << names;
  }
  if (Attribute units = facts.get("units")) {
    auto list = dyn_cast<ArrayAttr>(units);
    if (!list || !llvm::all_of(list, llvm::IsaPred<MatmulUnit>))
      return emitError() << "expects 'units' as an array of matmul units, got " << units;
  }
  if (Attribute sizes = facts.get("async_copy_bytes")) {
    auto list = dyn_cast<DenseI64ArrayAttr>(sizes);
    if (!list || !llvm::all_of(list.asArrayRef(),
                               [](int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); }))
      return emitError() << "expects 'async_copy_bytes' as an array<i64: ...> of powers of two";
  }
  return success();
}

SmallVector<tile::MatmulUnit> tile::TargetAttr::getUnits() const {
  auto list = getFacts().getAs<ArrayAttr>("units");
  return list ? llvm::map_to_vector(list, llvm::CastTo<MatmulUnit>) : SmallVector<MatmulUnit>();
}

SmallVector<int64_t> tile::TargetAttr::getAsyncCopyBytes() const {
  auto list = getFacts().getAs<DenseI64ArrayAttr>("async_copy_bytes");
  return list ? llvm::to_vector(list.asArrayRef()) : SmallVector<int64_t>();
}

int64_t tile::TargetAttr::getFact(StringRef key, int64_t missing) const {
  auto fact = getFacts().getAs<IntegerAttr>(key);
  return fact ? fact.getInt() : missing;
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

/// What a programmer asked of one loop.
static LogicalResult verifyLoopAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == tile::kUnrollFactorAttr || name == tile::kDotsInFlightAttr) {
    auto factor = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<scf::ForOp>(op) || !factor || factor.getInt() < 1)
      return op->emitError() << "expects '" << name << "' as a positive integer of a loop";
    return success();
  }
  if (!isa<scf::ForOp, scf::WhileOp>(op) || !isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "expects '" << name << "' as a unit attribute of a loop";
  return success();
}

LogicalResult tile::TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kKernelAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a function";
    if (function.getNumResults() != 0)
      return op->emitError() << "expects a kernel to return nothing";
    return success();
  }
  if (name == kCheckBoundsAttr) {
    if (!isa<ModuleOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a module";
    return success();
  }
  if (name == kTargetAttr) {
    if (!isa<ModuleOp>(op) || !isa<TargetAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a #tile.target of a module";
    return success();
  }
  if (name == kNumWarpsAttr || name == kNumStagesAttr || name == kNumCtasAttr) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    bool isPlace = isa<ModuleOp>(op) || (name == kNumStagesAttr && isa<scf::ForOp>(op));
    if (!isPlace || !count || count.getInt() < 1)
      return op->emitError() << "expects '" << name << "' as a positive integer of a module";
    return success();
  }
  if (name == kLaunchWarpsAttr) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!isa<ModuleOp>(op) || !count || count.getInt() < 1)
      return op->emitError() << "expects '" << name << "' as a positive integer of a module";
    return success();
  }
  if (name == kLaunchGridAttr) {
    if (!isa<ModuleOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a module";
    return success();
  }
  if (name == kProgramLoopAttr || name == kUnequalProgramsAttr) {
    if (!isa<scf::ForOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a loop";
    return success();
  }
  if (name == kLaunchDescriptorsAttr) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!isa<ModuleOp>(op) || !list || !llvm::all_of(list, llvm::IsaPred<DictionaryAttr>))
      return op->emitError() << "expects '" << name << "' as a list of dictionaries of a module";
    return success();
  }
  if (name == kReadOnlyAttr) {
    if (!isa<IntToPtrOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of an address that "
                             << "becomes a pointer";
    return success();
  }
  if (name == kBlockCopyAttr) {
    if (!isa<MakeDescriptorOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op) ||
        !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a descriptor, or "
                             << "of an access by one";
    return success();
  }
  if (name == kSameEverywhereAttr) {
    if (!isa<DescriptorLoadOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a load by a "
                             << "descriptor";
    return success();
  }
  if (name == kSharedBytesAttr || name == kScratchBytesAttr || name == kScratchOffsetAttr) {
    bool ofModule = name != kScratchOffsetAttr;
    auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!bytes || bytes.getInt() < 0 || (ofModule && !isa<ModuleOp>(op)))
      return op->emitError() << "expects '" << name << "' as a number of bytes"
                             << (ofModule ? " of a module" : "");
    return success();
  }
  if (name == kPreviousBlockAttr || name == kReadBlockAttr) {
    if (!isa<AsyncCopyOp>(op) || !isa<UnitAttr>(attribute.getValue()))
      return op->emitError() << "expects '" << name << "' as a unit attribute of a copy";
    return success();
  }
  if (name == kUnrollFactorAttr || name == kDotsInFlightAttr ||
      llvm::is_contained(kLoopFlagAttrs, name))
    return verifyLoopAttribute(op, attribute);
  return op->emitError() << "has an unknown attribute '" << name << "'";
}

LogicalResult tile::TileDialect::verifyRegionArgAttribute(Operation *op, unsigned region,
                                                          unsigned argument,
                                                          NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Type type = op->getRegion(region).getArgument(argument).getType();
  if (name == kReadOnlyAttr) {
    if (!isa<UnitAttr>(attribute.getValue()) || !isa<PtrType>(type))
      return op->emitError() << "expects '" << name
                             << "' as a unit attribute of a pointer argument";
    return success();
  }
  if (name != kDivisibilityAttr)
    return op->emitError() << "has an unknown argument attribute '" << name << "'";
  auto divisor = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!divisor || divisor.getInt() < 1 || !llvm::isPowerOf2_64(divisor.getInt()) ||
      !isa<IntegerType, PtrType, DescType>(type))
    return op->emitError() << "expects '" << name
                           << "' as a power of two on an integer, pointer or descriptor argument";
  return success();
}

//===----------------------------------------------------------------------===//
// Questions about types and modules
//===----------------------------------------------------------------------===//

tile::TargetAttr tile::getTarget(Operation *op) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return module ? module->getAttrOfType<TargetAttr>(kTargetAttr) : TargetAttr();
}

int64_t tile::getModuleInt(Operation *op, StringRef name, int64_t missing) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto value = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
  return value ? value.getInt() : missing;
}

Type tile::withElementType(Type type, Type element) {
  if (auto block = dyn_cast<ShapedType>(type))
    return block.clone(element);
  return element;
}

Type tile::getElementType(Type type) {
  auto block = dyn_cast<ShapedType>(type);
  return block ? block.getElementType() : type;
}

Type tile::getPointeeLike(Type pointerLike) {
  auto pointer = dyn_cast<PtrType>(getElementType(pointerLike));
  return pointer ? withElementType(pointerLike, pointer.getPointee()) : Type();
}

Type tile::getMaskLike(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}

tile::LayoutAttr tile::getLayout(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? dyn_cast_or_null<LayoutAttr>(block.getEncoding()) : LayoutAttr();
}

Type tile::withLayout(Type type, LayoutAttr layout) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.cloneWithEncoding(layout) : type;
}

ArrayRef<int64_t> tile::getShape(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.getShape() : ArrayRef<int64_t>();
}
