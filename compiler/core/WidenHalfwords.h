//===- WidenHalfwords.h - Upper halves of words are floats ------------------===//
//
// A bfloat is the upper half of a float. Registers hold two of them: one operation on
// the register makes a float of either, where taking the register apart first is one
// more for every second element.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_CORE_WIDENHALFWORDS_H
#define TILE_COMPILER_CORE_WIDENHALFWORDS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tile {

/// Widen bfloats, elements of vectors, as parts of words.
void widenHalfwords(llvm::Module &module);

} // namespace tile

#endif // TILE_COMPILER_CORE_WIDENHALFWORDS_H
