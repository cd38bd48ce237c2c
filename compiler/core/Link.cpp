//===- Link.cpp - ELF linking through lld, in process ---------------------===//
#include "compiler/core/Codegen.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

// LLVM's LTO library, which lld needs, asks for Polly's; it is in no package
// that ours need, and nothing here does link-time optimisation.
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}

using namespace mlir;

static std::error_code writeTemporary(llvm::StringRef content, llvm::SmallVectorImpl<char> &path) {
  int file;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tile", "o", file, path))
    return code;
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  os << content;
  return {};
}

FailureOr<std::string> tile::linkShared(llvm::StringRef object,
                                        llvm::ArrayRef<std::string> arguments,
                                        std::string &error) {
  static std::mutex mutex; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(mutex);
  llvm::SmallString<64> input, output;
  auto removeFiles = llvm::make_scope_exit([&] {
    llvm::sys::fs::remove(input);
    llvm::sys::fs::remove(output);
  });
  std::error_code code = writeTemporary(object, input);
  if (!code)
    code = llvm::sys::fs::createTemporaryFile("tile", "so", output);
  if (code) {
    error = code.message();
    return failure();
  }
  std::vector<const char *> line{"ld.lld", "-shared", "--threads=1", input.c_str(),
                                 "-o",     output.c_str()};
  for (const std::string &argument : arguments)
    line.push_back(argument.c_str());
  llvm::raw_string_ostream errors(error);
  lld::Result result = lld::lldMain(line, llvm::nulls(), errors, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return failure();
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = buffer.getError().message();
    return failure();
  }
  return (*buffer)->getBuffer().str();
}
