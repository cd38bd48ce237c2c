//===- SinkValues.h - Values are computed where they are used ---------------===//
//
// What only the code behind a loop needs is computed there, so that it takes no
// registers while the loop runs. Loads stay: their latency passes while others do
// something else, and behind a branch each would be waited for in turn.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGETS_NVIDIA_SINKVALUES_H
#define TILE_TARGETS_NVIDIA_SINKVALUES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile::nvidia {

/// Keep LLVM's passes from moving loads behind branches: before, mark the ends of their blocks.
void pinLoads(llvm::Module &module);

/// Move what touches no memory into the last block that comes before all of its uses and is in no
/// further loop. Functions in which a loop may wait for other programs stay as they are: what
/// would come behind the wait, those wait for as well, as with locks.
void sinkValues(llvm::Module &module);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_SINKVALUES_H
