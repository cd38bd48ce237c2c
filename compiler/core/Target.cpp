//===- Target.cpp - The registry of targets -------------------------------===//
#include "compiler/core/Target.h"

using namespace tile;

std::vector<std::string> Target::getByteFloats(llvm::StringRef arch) const {
  return {"fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"};
}

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
