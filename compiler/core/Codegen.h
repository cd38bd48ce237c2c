//===- Codegen.h - From the LLVM dialect to assembly and objects ----------===//
//
// One road for all targets through LLVM's code generators, in process. Errors
// of LLVM, fatal ones included, come back as diagnostics of the module: nothing
// here ends the process.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CORE_CODEGEN_H
#define TILE_COMPILER_CORE_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/CodeGen.h"

#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace tile {

enum class CodegenOutput { LLVMIR, Assembly, Object };

struct CodegenOptions {
  std::string triple;
  std::string cpu;
  std::string features;
  /// New-pass-manager text of the LLVM passes, such as "default<O3>"; empty: none.
  std::string passes;
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default;
  /// Passes of the code generator, as llc names them, that are left out.
  llvm::ArrayRef<llvm::StringLiteral> skippedPasses = {};
  std::optional<llvm::CodeModel::Model> codeModel;
  /// Whether unmarked products and sums may be fused. Off: only `contract` flags decide.
  bool fuseAnyProduct = false;
  /// Whether assembly says which lines of the source it comes from.
  bool lineInfo = false;
  /// Called on the module after translation, before LLVM's passes.
  llvm::function_ref<void(llvm::Module &)> adjust = nullptr;
  /// Called on the module behind LLVM's passes, before code is generated.
  llvm::function_ref<void(llvm::Module &)> finish = nullptr;
};

/// Translate `module` (LLVM dialect) and emit it.
mlir::FailureOr<std::string> generateCode(mlir::ModuleOp module, const CodegenOptions &options,
                                          CodegenOutput output);

/// Link one ELF object into a shared object with lld, in process. `arguments`
/// follow the inputs on lld's command line. `error` receives lld's words.
mlir::FailureOr<std::string> linkShared(llvm::StringRef object,
                                        llvm::ArrayRef<std::string> arguments, std::string &error);

} // namespace tile

#endif // TILE_COMPILER_CORE_CODEGEN_H
