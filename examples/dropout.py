"""Seeded dropout: the mask is a function of seed and position, and never stored."""

import numpy as np
import tilewright as tw
import tilewright.language as tl
from arrays import empty_like, on_device, parse_device, report, to_numpy


@tw.jit
def dropout_kernel(x, output, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    values = tl.load(x + offsets, mask=mask)
    keep = tl.rand(seed, offsets) > p
    tl.store(output + offsets, tl.where(keep, values / (1 - p), 0.0), mask=mask)


def dropout(x, p: float, seed: int):
    """Zero each element with probability `p` and scale the others by 1 / (1 - p)."""
    n = x.shape[0]
    output = empty_like(x)
    dropout_kernel[(tw.cdiv(n, 1024),)](x, output, n, p, seed, BLOCK=1024)
    return output


def main() -> None:
    parse_device(__doc__)
    x = np.random.randn(100_000).astype(np.float32)
    first, again, other = (to_numpy(dropout(on_device(x), 0.3, seed)) for seed in (123, 123, 512))
    assert (first == again).all(), "the same seed gave another mask"
    assert (first != other).any(), "another seed gave the same mask"
    kept = first != 0
    assert abs(kept.mean() - 0.7) < 0.01, f"kept {kept.mean():.3f} of the elements"
    report("dropout, repeatable", first[kept], x[kept].astype(np.float64) / 0.7, 1e-6)


if __name__ == "__main__":
    main()
