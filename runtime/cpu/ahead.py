"""Kernels of the CPU as C functions: an object file, and a loop over the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.errors import TargetError

if TYPE_CHECKING:
    from tilewright.ahead import Entry

_HEADER = """\
// {comment}
#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

void load_{function}(void);
void unload_{function}(void);
/// Run the kernel's whole grid in the calling thread; the stream is not used. 0, or ENOMEM.
int {function}(void *stream{declaration});
/// Run the programs from `begin` to `end` of the grid, so that threads may share it.
int {function}_range(int64_t begin, int64_t end{declaration});

#ifdef __cplusplus
}}
#endif

#endif
"""

_SOURCE = """\
// {comment}
#include "{function}.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// In the object file beside this one: the arguments, memory of its own, and the program's place in the grid.
extern void {symbol}(uint64_t *arguments, void *scratch, const int32_t *position);

void load_{function}(void) {{}}
void unload_{function}(void) {{}}

int {function}_range(int64_t tw_begin, int64_t tw_end{declaration}) {{
  uint64_t tw_arguments[{slots}] = {{0}};
{packing}
  const int64_t tw_x = {x}, tw_y = {y}, tw_z = {z};
  void *tw_scratch = {scratch};
  if ({scratch_bytes} && !tw_scratch)
    return ENOMEM;
  for (int64_t tw_i = tw_begin; tw_i < tw_end; ++tw_i) {{
    const int32_t tw_position[6] = {{
        (int32_t)(tw_i % tw_x), (int32_t)(tw_i / tw_x % tw_y), (int32_t)(tw_i / (tw_x * tw_y)),
        (int32_t)tw_x,          (int32_t)tw_y,                 (int32_t)tw_z}};
    {symbol}(tw_arguments, tw_scratch, tw_position);
  }}
  free(tw_scratch);
  return 0;
}}

int {function}(void *tw_stream{declaration}) {{
  (void)tw_stream;
  return {function}_range(0, (int64_t)({x}) * ({y}) * ({z}){names});
}}
"""
_ALIGNMENT = 64


def write(entry: Entry, comment: str) -> dict[str, str | bytes]:
    """Header, source and object file.

    Raises:
        TargetError: If the kernel prints or checks something, which the runtime would report.
    """
    kernel = entry.kernel
    code = kernel.asm["object"]
    assert isinstance(code, bytes)
    if b"tile_rt_" in code:
        raise TargetError(f"kernel '{kernel.fn.__name__}' prints or asserts, which needs the runtime",
                          "compile it without debug, and without device_print")
    scratch = kernel.metadata["scratch_bytes"]
    rounded = (scratch + _ALIGNMENT - 1) // _ALIGNMENT * _ALIGNMENT
    x, y, z = entry.grid
    facts = {
        "comment": comment or f"Kernel {kernel.name} for {kernel.target}.", "function": entry.function,
        "guard": f"{entry.function.upper()}_H", "symbol": kernel.name, "declaration": entry.declare(),
        "slots": max(1, len(entry.parameters)), "x": x, "y": y, "z": z, "scratch_bytes": scratch,
        "packing": "\n".join(f"  memcpy(&tw_arguments[{i}], &{each.name}, sizeof({each.name}));"
                             for i, each in enumerate(entry.parameters)),
        "scratch": f"aligned_alloc({_ALIGNMENT}, {rounded})" if scratch else "NULL",
        "names": "".join(f", {each.name}" for each in entry.parameters)}
    return {"h": _HEADER.format(**facts), "c": _SOURCE.format(**facts), "o": code}
