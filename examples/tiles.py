"""What kernels of tiles share: the order of tiles, descriptors of arrays, the number of programs that run together."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from tilewright.tools.tensor_descriptor import TensorDescriptor


@tw.jit
def grouped_tile(tile, tiles_m, tiles_n, GROUP_M: tl.constexpr):
    """Row and column of a tile, in tiles. Those that run together share operands in the cache: GROUP_M rows of
    tiles are walked column by column."""
    group_tiles = GROUP_M * tiles_n
    first_m = tile // group_tiles * GROUP_M
    rows = min(tiles_m - first_m, GROUP_M)
    return first_m + tile % group_tiles % rows, tile % group_tiles // rows


def describe(array, *block):
    """The array as kernels access it, by blocks."""
    return TensorDescriptor.from_tensor(array, list(block))


def programs(array, tiles):
    """How many programs of a persistent kernel: one for each multiprocessor of the array's device, or a few on the
    CPU, and not more than there are tiles."""
    if isinstance(array, np.ndarray) or not array.is_cuda:
        return min(tiles, 4)
    import torch

    return min(tiles, torch.cuda.get_device_properties(array.device).multi_processor_count)
