/*===- KernelServices.h - What compiled CPU kernels may call -----*- C++ -*-===*\
|*                                                                            *|
|* A kernel's library leaves these symbols undefined; the launcher exports    *|
|* them. libc and libm are there as well.                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef TILE_RUNTIME_CPU_KERNELSERVICES_H
#define TILE_RUNTIME_CPU_KERNELSERVICES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the bits of a printed value are read. The names are the IR's types; a value
 *  narrower than 64 bits is in the low ones, the others may hold anything. */
enum TilePrintKind {
  TILE_PRINT_I1 = 0,
  TILE_PRINT_I8 = 1, /* signed */
  TILE_PRINT_I16 = 2,
  TILE_PRINT_I32 = 3,
  TILE_PRINT_I64 = 4,
  TILE_PRINT_U8 = 5,
  TILE_PRINT_U16 = 6,
  TILE_PRINT_U32 = 7,
  TILE_PRINT_U64 = 8,
  TILE_PRINT_F32 = 9,
  TILE_PRINT_F64 = 10, /* narrower floats are extended to f32 by the kernel */
  TILE_PRINT_POINTER = 11
};

/** Print one element: a line "pid (0, 0, 0) idx (3, 5) prefix: value". `operand` is
 *  its number among the values of one print, `indices` are `rank` of them. The text
 *  appears when the grid has finished, in the order in which threads came. With
 *  `hex` not 0, integers and pointers print in base 16. */
void tile_rt_print(const char *prefix, int32_t operand, const int64_t *indices, int32_t rank,
                   int32_t kind, int64_t bits, int32_t hex);

/** An assertion failed on some lane. The launch raises an error with the first such
 *  message after the grid; programs that have not started are skipped. The calling
 *  program should return at once. */
void tile_rt_assert_failed(const char *message, const char *file, int32_t line);

#ifdef __cplusplus
}
#endif

#endif /* TILE_RUNTIME_CPU_KERNELSERVICES_H */
