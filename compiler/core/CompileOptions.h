//===- CompileOptions.h - What a user chooses for one compilation ---------===//
#ifndef TILE_COMPILER_CORE_COMPILEOPTIONS_H
#define TILE_COMPILER_CORE_COMPILEOPTIONS_H

#include <cstdint>
#include <string>

namespace tile {

/// Options of one compilation. `arch` is one of the target's architectures.
struct CompileOptions {
  std::string arch;
  int64_t numWarps = 4;
  int64_t numStages = 3;
  int64_t numCtas = 1;
  /// Whether a product and a sum may become one fused operation.
  bool fpFusion = true;
  /// Whether assembly text that another program assembles says which lines of the
  /// source it comes from.
  bool lineInfo = false;
  /// Most registers of a thread, where the machine lets a program choose; 0: any.
  int64_t maxRegisters = 0;
};

} // namespace tile

#endif // TILE_COMPILER_CORE_COMPILEOPTIONS_H
