//===- KernelServices.h - What compiled CPU kernels may call -----*- C++ -*-===//
//
// A kernel's library that prints, asserts or reads a clock exports a variable for
// each function that it calls. The launcher sets them when it loads the library;
// null ones are not called. The functions find the launch they belong to by their
// thread.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_CPU_KERNELSERVICES_H
#define TILE_RUNTIME_CPU_KERNELSERVICES_H

#include <cstdint>

namespace tile::runtime::cpu {

class Library;

/// Variable `tile_rt_print`: prints each element of a value once, with its indices.
/// `type` is "i32", "u8", "f16", "bf16", "f8E5M2", "ptr", ...; an i1 is a byte.
/// `sizes` are the shape and the strides in elements, `rank` of each. An empty type
/// prints the prefix alone.
using PrintFunction = void (*)(const int32_t *position, const char *prefix, const char *type,
                               int32_t hex, const void *data, int32_t rank, const int64_t *sizes);

/// Variable `tile_rt_assert`: an assertion failed; `place` is "file:line:column".
using AssertFunction = void (*)(const int32_t *position, const char *message, const char *place);

/// Variable `tile_rt_timer`: writes the nanoseconds of a clock that never runs backwards.
using TimerFunction = void (*)(int64_t *nanoseconds);

/// Give a library the functions it asks for.
void connectServices(const Library &library);

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_KERNELSERVICES_H
