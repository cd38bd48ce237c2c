//===- ShareAddresses.h - What addresses have in common is added once -----===//
//
// A thread's registers of a block are at addresses that are sums: where the array begins, what a
// loop has added, a row, a column. Added in the order of the program, the sums of what a loop
// does not change leave it, and take two registers for each address. In another order what all
// addresses have in common is one pointer, and what tells them apart, mostly a number of 32
// bits, one register each, which one instruction extends, scales and adds. Copies to on-chip
// memory are faster by sums that are ready (measured: up to 10 %), where registers hold them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_TARGETS_NVIDIA_SHAREADDRESSES_H
#define TILE_TARGETS_NVIDIA_SHAREADDRESSES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile::nvidia {

/// Sum addresses of global memory in an order in which they share partial sums. For the end of
/// LLVM's passes: those that move code out of loops prefer other orders.
void shareAddresses(llvm::Module &module);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_SHAREADDRESSES_H
