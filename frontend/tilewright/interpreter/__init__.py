"""Kernels that can be looked into: `TILEWRIGHT_INTERPRET=1`.

A launch is interpreted by numpy, program after program. What is interpreted is the `tile` stage: the
compiler's own front half reads the kernel's source, with its rules for types and constants, its
functions of the language and its errors, and writes the operations down in Python instead of IR
(`record.py`). So an interpreted kernel means exactly what the compiled one means, while nothing of
layouts, passes and code generation takes part: where both differ, the compiler is wrong.

- `breakpoint()` in a kernel stops at its line with the variables as numpy arrays, and steps on from
  there (`debugger.py`).
- An access outside of an array is an error at the line that makes it (`memory.py`).
- `tl.device_assert` and `assert` are checked, `tl.device_print` prints each element once.
- Numbers are those of `docs/numerics.md`; sums, products of matrices and functions are computed in
  fp64 and rounded once, and products are not fused with sums.

Programs do not run at the same time: a program that waits for a later one waits forever.
"""
