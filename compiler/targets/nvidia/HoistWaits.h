//===- HoistWaits.h - Waits for matrix products directly behind loops -------===//
//
// The assembler runs the products of a loop one by one where it finds other
// instructions between the loop and the wait for what it has left in flight, at least
// where that is several sums. LLVM puts there what only the code behind the loop needs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGETS_NVIDIA_HOISTWAITS_H
#define TILE_TARGETS_NVIDIA_HOISTWAITS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile::nvidia {

/// Move waits that loops are followed by before what does not need the loops.
void hoistWaits(llvm::Module &module);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_HOISTWAITS_H
