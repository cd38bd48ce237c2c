//===- Target.cpp - The registry of targets -------------------------------===//
#include "compiler/core/Target.h"

using namespace tile;

const Target *TargetRegistry::find(llvm::StringRef name) const {
  for (const std::unique_ptr<Target> &target : targets)
    if (target->getName() == name)
      return target.get();
  return nullptr;
}

TargetRegistry &TargetRegistry::get() {
  static TargetRegistry registry;
  return registry;
}
