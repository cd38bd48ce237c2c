//===- Registry.cpp - Our dialects, passes and targets --------------------===//
#include "compiler/registry/Registry.h"

#include "compiler/core/Pipeline.h"
#include "compiler/core/Target.h"
#include "dialects/tile/IR/TileDialect.h"

#include "compiler/registry/PassHeaders.inc"

#include <mutex>

// Each target folder defines its own.
#define TILE_TARGET(name)                                                                          \
  namespace tile::name {                                                                           \
  std::unique_ptr<tile::Target> createTarget();                                                    \
  }
#include "compiler/registry/Targets.def"
#undef TILE_TARGET

void tile::registerAllTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#define TILE_TARGET(name) TargetRegistry::get().add(tile::name::createTarget());
#include "compiler/registry/Targets.def"
#undef TILE_TARGET
  });
}

void tile::registerAllDialects(mlir::DialectRegistry &registry) {
  registerAllTargets();
  registerUpstreamDialects(registry);
  registry.insert<TileDialect>();
  for (const std::unique_ptr<Target> &target : TargetRegistry::get().getTargets())
    target->registerDialects(registry);
}

void tile::registerAllPasses() {
  registerAllTargets();
  static std::once_flag once;
  std::call_once(once, [] {
    registerUpstreamPasses();
#define TILE_PASSES(name) register##name##Passes();
#include "compiler/registry/Passes.def"
#undef TILE_PASSES
    registerPipelines();
  });
}
