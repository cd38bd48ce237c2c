"""Kernels of NVIDIA's GPUs as C functions: the binary in the source, launched through the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.ahead import format_bytes
from tilewright.errors import TargetError
from tilewright.runtime.nvidia.ahead_maps import HELPERS, write_map
from tilewright.runtime.nvidia.assembler import describe_assembler

if TYPE_CHECKING:
    from tilewright.ahead import Entry

_LANES = 32

_HEADER = """\
// {comment}
#ifndef {guard}
#define {guard}

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

void load_{function}(void);
void unload_{function}(void);
/// Launch the kernel on a stream of the current context.
CUresult {function}(CUstream stream{declaration});

#ifdef __cplusplus
}}
#endif

#endif
"""

#: Of a kernel whose blocks take turns over the grid: how many blocks run at once, and how many are launched.
_COUNTED = "static unsigned tw_most_blocks = 0;\n"
_COUNT = """\
  CUdevice tw_device;
  int tw_processors = 0, tw_of_one = 0;
  tw_check(cuCtxGetDevice(&tw_device), "cuCtxGetDevice");
  tw_check(cuDeviceGetAttribute(&tw_processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, tw_device),
           "cuDeviceGetAttribute");
  tw_check(cuOccupancyMaxActiveBlocksPerMultiprocessor(&tw_of_one, tw_kernel, {threads}, {shared}),
           "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  tw_most_blocks = (unsigned)tw_processors * (unsigned)(tw_of_one > 0 ? tw_of_one : 1);
"""
_LIMIT = """\
  if ((unsigned long long)tw_x * tw_y > 0x7fffffff ||
      (unsigned long long)tw_x * tw_y * tw_z > 0x7fffffff - tw_most_blocks)
    return CUDA_ERROR_INVALID_VALUE;
"""
_LAUNCHED = ("(unsigned long long)tw_x * tw_y * tw_z < tw_most_blocks ? tw_x * tw_y * tw_z : tw_most_blocks, 1, 1")

_SOURCE = """\
// {comment}
#include "{function}.h"

#include <stdio.h>
#include <stdlib.h>

static const unsigned char tw_image[] = {{
{image}
}};

static CUmodule tw_module = NULL;
static CUfunction tw_kernel = NULL;
{counted}
static void tw_check(CUresult result, const char *call) {{
  const char *text = NULL;
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorString(result, &text);
  fprintf(stderr, "{function}: %s failed: %s\\n", call, text ? text : "?");
  exit((int)result);
}}

void load_{function}(void) {{
  if (tw_module)
    return;
  tw_check(cuModuleLoadData(&tw_module, tw_image), "cuModuleLoadData");
  tw_check(cuModuleGetFunction(&tw_kernel, tw_module, "{symbol}"), "cuModuleGetFunction");
  if ({shared} > 49152)
    tw_check(cuFuncSetAttribute(tw_kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, {shared}),
          "cuFuncSetAttribute");
{count}}}

void unload_{function}(void) {{
  if (tw_module)
    tw_check(cuModuleUnload(tw_module), "cuModuleUnload");
  tw_module = NULL;
}}

{helpers}CUresult {function}(CUstream tw_stream{declaration}) {{
  const unsigned tw_x = (unsigned)({x}), tw_y = (unsigned)({y}), tw_z = (unsigned)({z});
  load_{function}();
  if (tw_x == 0 || tw_y == 0 || tw_z == 0)
    return CUDA_SUCCESS;
{limit}{maps}  void *tw_arguments[] = {{{addresses}NULL}};
  return cuLaunchKernel(tw_kernel, {launched}, {threads}, 1, 1, {shared}, tw_stream,
                        tw_arguments, NULL);
}}
"""


def write(entry: Entry, comment: str) -> dict[str, str | bytes]:
    """Header and source; the binary is a cubin where there is an assembler, else PTX, which the driver compiles.

    Raises:
        TargetError: If the kernel needs more than a plain launch gives.
    """
    kernel = entry.kernel
    name = kernel.fn.__name__
    if kernel.metadata["num_ctas"] != 1:
        raise TargetError(f"kernel '{name}' runs in clusters (num_ctas > 1), which C functions do not launch")
    if kernel.metadata["scratch_bytes"]:
        raise TargetError(f"kernel '{name}' needs global memory of its own, which C functions do not bring")
    binary = kernel.asm["cubin" if describe_assembler() else "ptx"]
    image = binary.encode() + b"\0" if isinstance(binary, str) else binary
    x, y, z = entry.grid
    descriptors = kernel.metadata["descriptors"]
    names = [each.name for each in entry.parameters]
    takes_turns = kernel.metadata.get("launch_grid", False)
    sides = ["tw_x", "tw_y", "tw_z"] if takes_turns else []
    passed = [*names, *sides, *(f"tw_map_{i}" for i in range(len(descriptors)))]
    threads, shared = _LANES * kernel.metadata["launch_warps"], kernel.metadata["shared_bytes"]
    facts = {
        "comment": comment or f"Kernel {kernel.name} for {kernel.target}.", "function": entry.function,
        "guard": f"{entry.function.upper()}_H", "symbol": kernel.name, "declaration": entry.declare(),
        "image": format_bytes(image), "shared": shared, "x": x, "y": y, "z": z,
        "threads": threads, "addresses": "".join(f"(void *)&{name}, " for name in passed),
        "counted": _COUNTED if takes_turns else "", "limit": _LIMIT if takes_turns else "",
        "launched": _LAUNCHED if takes_turns else "tw_x, tw_y, tw_z",
        "count": _COUNT.format(threads=threads, shared=shared) if takes_turns else "",
        "helpers": f"{HELPERS}\n" if descriptors else "",
        "maps": "".join(write_map(i, recipe, names) for i, recipe in enumerate(descriptors))}
    return {"h": _HEADER.format(**facts), "c": _SOURCE.format(**facts)}
