//===- Target.h - What a target folder supplies ---------------------------===//
//
// A target is a folder under compiler/targets/ whose Target.cpp defines
// `std::unique_ptr<Target> tile::<name>::createTarget()`. It is found by its
// place; nothing else in the compiler knows its name.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CORE_TARGET_H
#define TILE_COMPILER_CORE_TARGET_H

#include "compiler/core/CompileOptions.h"
#include "dialects/tile/IR/TileDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tile {

class GPUHooks;

class Target {
public:
  virtual ~Target() = default;

  /// The folder's name, as users write it before the colon of a target.
  virtual llvm::StringRef getName() const = 0;

  /// Architectures that can be compiled for, the default one first.
  virtual std::vector<std::string> getArchitectures() const = 0;

  /// Names of the MLIR stages after `tile`, in order; the last is `llvm`.
  virtual llvm::ArrayRef<llvm::StringRef> getStages() const = 0;

  /// Names of what `emit` makes from the `llvm` stage, in order.
  virtual llvm::ArrayRef<llvm::StringRef> getArtifacts() const = 0;

  /// Hardware facts of `arch`, one of `getArchitectures()`.
  virtual TargetAttr describe(mlir::MLIRContext *context, llvm::StringRef arch) const = 0;

  /// Names in the language of the 8-bit floats that programs for `arch` may use.
  virtual std::vector<std::string> getByteFloats(llvm::StringRef arch) const;

  /// Dialects beyond the common ones, and translations to LLVM IR.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;

  /// Add the passes that lead from the stage before `stage` to `stage`.
  virtual void buildStage(mlir::OpPassManager &pm, llvm::StringRef stage,
                          const CompileOptions &options) const = 0;

  /// What a GPU emits in its own way (conversion/TileToGPU/GPUHooks.h); null for
  /// other machines.
  virtual const GPUHooks *getGPUHooks() const { return nullptr; }

  /// Make `artifact` (text or bytes) from a module at stage `llvm`. Errors are
  /// reported as diagnostics of the module.
  virtual mlir::FailureOr<std::string> emit(mlir::ModuleOp module, llvm::StringRef artifact,
                                            const CompileOptions &options) const = 0;
};

/// The targets of this build, in the order of their folders' names.
class TargetRegistry {
public:
  void add(std::unique_ptr<Target> target) { targets.push_back(std::move(target)); }
  /// The target called `name`, or null.
  const Target *find(llvm::StringRef name) const;
  llvm::ArrayRef<std::unique_ptr<Target>> getTargets() const { return targets; }

  /// The registry of this process.
  static TargetRegistry &get();

private:
  std::vector<std::unique_ptr<Target>> targets;
};

} // namespace tile

#endif // TILE_COMPILER_CORE_TARGET_H
