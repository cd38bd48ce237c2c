"""What kernels on the CPU tell the runtime: prints and failed assertions."""

import ctypes

import numpy as np
from kernels import Kernel

PRINT = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_int32), ctypes.c_char_p, ctypes.c_char_p,
                         ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))
ASSERT = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_int32), ctypes.c_char_p, ctypes.c_char_p)


def connect(kernel: Kernel, name: str, function) -> None:
    ctypes.c_void_p.in_dll(kernel.handle, name).value = ctypes.cast(function, ctypes.c_void_p).value


def test_print_gives_blocks_and_scalars():
    kernel = Kernel("""
func.func @k(%n: i32) attributes {tile.kernel} {
  %i = tile.arange 5 : tensor<6xi32>
  %m = tile.reshape %i : tensor<6xi32> -> tensor<2x3xi32>
  tile.print "block" %m, %n signedness [true, false] : tensor<2x3xi32>, i32
  tile.print "alone" signedness []
  return
}""")
    kernel(np.int32(7))  # nobody listens: nothing happens
    seen = []

    def listen(position, prefix, kind, hexadecimal, data, rank, sizes):
        shape, strides = sizes[:rank], sizes[rank : 2 * rank]
        values = None
        if data:
            memory = ctypes.cast(data, ctypes.POINTER(ctypes.c_int32))
            values = [memory[int(np.dot(index, strides))] for index in np.ndindex(*shape)]
        seen.append((position[0], prefix, kind, hexadecimal, tuple(shape), values))

    connect(kernel, "tile_rt_print", heard := PRINT(listen))
    kernel(np.int32(7))
    assert seen == [
        (0, b"block", b"i32", 0, (2, 3), [5, 6, 7, 8, 9, 10]),
        (0, b"block", b"u32", 0, (), [7]),
        (0, b"alone", b"", 0, (), None),
    ]
    del heard


def test_an_assertion_fails_where_any_element_is_false():
    kernel = Kernel("""
func.func @k(%n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<100xi32>
  %ns = tile.splat %n : tensor<100xi32>
  %less = arith.cmpi slt, %i, %ns : tensor<100xi32>
  tile.assert %less, "too large" : tensor<100xi1> loc("kernel.py":3:5)
  return
}""")
    seen = []
    connect(kernel, "tile_rt_assert", fail := ASSERT(lambda position, *text: seen.append(text)))
    kernel(np.int32(100))
    assert not seen
    kernel(np.int32(99))
    assert seen == [(b"too large", b"kernel.py:3:5")]
    del fail
