//===- SplitVectors.h - Vectors of registers become scalars ---------------===//
//
// Blocks arrive in LLVM as vectors of hundreds of elements, put together and taken
// apart one element at a time. LLVM's scalarizer copies all elements for each such
// step, which makes its time the square of a block's size; here every vector is
// taken apart once.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CORE_SPLITVECTORS_H
#define TILE_COMPILER_CORE_SPLITVECTORS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile {

/// Replace elementwise operations on vectors, their rearrangements and their
/// values around loops by operations on elements. Memory accesses, calls other
/// than elementwise intrinsics, and casts to scalars keep their vectors.
void splitVectors(llvm::Module &module);

} // namespace tile

#endif // TILE_COMPILER_CORE_SPLITVECTORS_H
