//===- Tilewright.cpp - The C interface: registration and compilation -----===//
#include "compiler/bindings/c/Tilewright.h"

#include "compiler/core/Pipeline.h"
#include "compiler/registry/Registry.h"
#include "dialects/tile/IR/TileDialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tile;

static TileBuffer toBuffer(llvm::StringRef text) {
  TileBuffer buffer{static_cast<char *>(malloc(text.size() + 1)), text.size()};
  memcpy(buffer.data, text.data(), text.size());
  buffer.data[text.size()] = 0;
  return buffer;
}

static CompileOptions toOptions(TileCompileOptions options) {
  return {options.arch,     options.numWarps, options.numStages,   options.numCtas,
          options.fpFusion, options.lineInfo, options.maxRegisters};
}

/// The target called `name`; reports on the module where there is none.
static const Target *findTarget(ModuleOp module, llvm::StringRef name) {
  const Target *target = TargetRegistry::get().find(name);
  if (target)
    return target;
  std::vector<llvm::StringRef> names;
  for (const std::unique_ptr<Target> &known : TargetRegistry::get().getTargets())
    names.push_back(known->getName());
  module.emitError() << "unknown target '" << name << "'; there are " << llvm::join(names, ", ");
  return nullptr;
}

extern "C" {

void tileRegisterDialects(MlirDialectRegistry registry) { registerAllDialects(*unwrap(registry)); }
void tileRegisterPasses(void) { registerAllPasses(); }
void tileBufferFree(TileBuffer buffer) { free(buffer.data); }

bool tileLower(MlirModule module, const char *target, const char *from, const char *to,
               TileCompileOptions options, const char *reproducer) {
  ModuleOp op = unwrap(module);
  op.getContext()->printOpOnDiagnostic(false); // users read the message, not the IR
  const Target *found = findTarget(op, target);
  return found && succeeded(runPipeline(op, *found, from, to, toOptions(options),
                                        reproducer ? reproducer : ""));
}

bool tileEmit(MlirModule module, const char *target, const char *artifact,
              TileCompileOptions options, TileBuffer *result) {
  ModuleOp op = unwrap(module);
  const Target *found = findTarget(op, target);
  if (!found)
    return false;
  if (!llvm::is_contained(found->getArtifacts(), artifact)) {
    op.emitError() << "target '" << target << "' has no artifact '" << artifact << "'; it has "
                   << llvm::join(found->getArtifacts(), ", ");
    return false;
  }
  FailureOr<std::string> text = found->emit(op, artifact, toOptions(options));
  if (failed(text))
    return false;
  *result = toBuffer(*text);
  return true;
}

TileBuffer tileDescribeTargets(void) {
  registerAllTargets();
  llvm::json::Object all;
  for (const std::unique_ptr<Target> &target : TargetRegistry::get().getTargets()) {
    llvm::json::Object entry;
    entry["architectures"] = llvm::json::Array(target->getArchitectures());
    entry["stages"] = llvm::json::Array(target->getStages());
    entry["artifacts"] = llvm::json::Array(target->getArtifacts());
    llvm::json::Object byteFloats;
    for (const std::string &arch : target->getArchitectures())
      byteFloats[arch] = llvm::json::Array(target->getByteFloats(arch));
    entry["byte_floats"] = std::move(byteFloats);
    all[target->getName()] = std::move(entry);
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(all));
  return toBuffer(text);
}

MlirType tilePtrTypeGet(MlirLocation location, MlirType pointee) {
  Location loc = unwrap(location);
  loc.getContext()->getOrLoadDialect<TileDialect>();
  return wrap(
      PtrType::getChecked([&] { return emitError(loc); }, loc.getContext(), unwrap(pointee)));
}
bool tileTypeIsAPtr(MlirType type) { return isa<PtrType>(unwrap(type)); }
MlirType tilePtrTypeGetPointee(MlirType type) {
  return wrap(cast<PtrType>(unwrap(type)).getPointee());
}
MlirTypeID tilePtrTypeGetTypeID(void) { return wrap(PtrType::getTypeID()); }

} // extern "C"
