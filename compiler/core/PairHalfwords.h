//===- PairHalfwords.h - Two elements of 16 bits at a time ----------------===//
//
// Once vectors are taken apart, elements of 16 bits are worked on one by one and put
// together at the end, for a matmul's operand or a store. Registers hold two of them,
// and machines combine bits, add and multiply two at a time.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CORE_PAIRHALFWORDS_H
#define TILE_COMPILER_CORE_PAIRHALFWORDS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile {

/// Where vectors of elements of 16 bits are put together from elements that are
/// computed alike, compute two at a time: bits, shifts by constants, arithmetic of
/// halves, and what bytes become halfwords by.
void pairHalfwords(llvm::Module &module);

} // namespace tile

#endif // TILE_COMPILER_CORE_PAIRHALFWORDS_H
