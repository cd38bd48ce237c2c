"""Descriptors that the host makes: what they refuse, what they are compiled for, how they are passed."""

from __future__ import annotations

import ctypes
import pickle
import re

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.language.types import parse_type, tensor_descriptor_type
from tilewright.tools.tensor_descriptor import TensorDescriptor


@tw.jit
def copy(source, target):
    target.store([0, 0], source.load([0, 0]))


def make(shape=(8, 16), dtype=np.float32, block=(8, 16), **options) -> TensorDescriptor:
    return TensorDescriptor.from_tensor(np.zeros(shape, dtype), list(block), **options)


def offset_array() -> np.ndarray:
    """An array whose address is no multiple of 16."""
    memory = np.zeros(200, np.float32)
    start = (memory.ctypes.data % 16 == 0) + 0
    return memory[start:start + 128].reshape(8, 16)


@pytest.mark.parametrize("fields, message", [
    (dict(shape=[], strides=[], block_shape=[]), "rank must not be zero"),
    (dict(shape=[1] * 6, strides=[1] * 6, block_shape=[1] * 6), "rank cannot be more than 5"),
    (dict(strides=[1]), "rank mismatch"), (dict(block_shape=[16]), "rank mismatch"),
    (dict(shape=[0, 16]), "shape must be positive"), (dict(strides=[16, 2]), "the last dimension must be contiguous"),
    (dict(strides=[3, 1]), "strides must be 16-byte aligned"),
    (dict(block_shape=[8, 0]), "sizes of block_shape must be positive"),
    (dict(block_shape=[1024, 2048]), "the largest block has 1048576"), (dict(padding="one"), "'zero' or 'nan'"),
    (dict(base=np.zeros((8, 16), np.int32), padding="nan"), "padding 'nan' is for floats"),
    (dict(base=np.zeros((8, 16), np.float16), round_f32_to_tf32=True), "round_f32_to_tf32 is for fp32"),
    (dict(base=offset_array()), "base must be 16-byte aligned"),
])
def test_what_cannot_be_described(fields, message):
    good = dict(base=np.zeros((8, 16), np.float32), shape=[8, 16], strides=[16, 1], block_shape=[8, 16])
    TensorDescriptor(**good)
    for kind in (AssertionError, ValueError):
        with pytest.raises(kind, match=message):
            TensorDescriptor(**{**good, **fields})


def test_spelling():
    for text in ("tensordesc<fp16[128,64]>", "tensordesc<fp32[16],nan>", "tensordesc<fp32[1,2,3,4,8],nan,tf32>"):
        type = parse_type(text)
        assert isinstance(type, tensor_descriptor_type) and type.short == text
        assert pickle.loads(pickle.dumps(type)) is type
    assert parse_type("tensordesc<fp16[ 128 , 64 ]>") is parse_type("tensordesc<fp16[128,64]>")
    for text in ("tensordesc<fp16>", "tensordesc<fp99[8]>", "tensordesc<i32[8],nan>", "tensordesc<fp16[8],tf32>",
                 "tensordesc<i1[16]>", "tensordesc<fp16[0]>", "tensordesc<fp16[1,1,1,1,1,8]>"):
        assert parse_type(text) is None


@pytest.mark.parametrize("target", ["cpu", "nvidia:sm_80", "nvidia:sm_90a", "amd:gfx942"])
def test_ahead_of_time(target):
    signature = {"source": "tensordesc<fp16[16,32]>:16", "target": "tensordesc<fp16[16,32]>"}
    kernel = tw.compile(copy, signature, target=target)
    assert re.search(r"!tile.desc<16x32xf16> {tile.divisibility = 16", kernel.asm["tile"])
    assert kernel.metadata["arguments"] == ["tensordesc<fp16[16,32]>"] * 2


def test_what_makes_a_new_specialization():
    def count() -> int:
        return len(copy.launcher)

    copy[(1,)](make(), make())
    before = count()
    copy[(1,)](make(), make())
    copy[(1,)](make((24, 32)), make((40, 64)))  # other sizes and strides are arguments
    assert count() == before
    copy[(1,)](make((8, 20)), make())  # a last size that 16 does not divide
    copy[(1,)](make(block=(4, 16)), make(block=(4, 16)))
    copy[(1,)](make(padding="nan"), make())
    copy[(1,)](make(round_f32_to_tf32=True), make())
    copy[(1,)](make(dtype=np.float16), make(dtype=np.float16))
    assert count() == before + 5


def test_fields_are_checked_at_each_launch():
    for change, message in ((dict(strides=[3, 1]), "not 16-byte aligned"), (dict(shape=[8]), "1 sizes, 2 strides"),
                            (dict(strides=[16, 2]), "last stride is not 1"),
                            (dict(shape=[8, 1 << 40]), "beyond 32 bits")):
        source = make()
        for name, value in change.items():
            setattr(source, name, value)
        with pytest.raises((ValueError, OverflowError), match=f"kernel 'copy': argument 'source' .*{message}"):
            copy[(1,)](source, make())


def test_arrays_that_are_only_read():
    source, target = make(), make()
    source.base.flags.writeable = False
    source.base = source.base.view()
    copy[(1,)](source, target)
    with pytest.raises(ValueError, match="argument 'target' is a read-only array"):
        copy[(1,)](target, source)


class Holder:
    """An array of a library that has torch's methods."""

    device = "cpu"

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self) -> int:
        return self.array.ctypes.data

    def stride(self) -> tuple[int, ...]:
        return tuple(step // self.array.itemsize for step in self.array.strides)


def test_arrays_with_the_methods_of_torch():
    x, out = np.arange(128, dtype=np.float32).reshape(8, 16), np.zeros((8, 16), np.float32)
    copy[(1,)](*(TensorDescriptor.from_tensor(Holder(each), [8, 16]) for each in (x, out)))
    assert np.array_equal(out, x)
    assert ctypes.c_float.from_address(Holder(out).data_ptr() + 4).value == 1


@tw.autotune([tw.Config({"BM": 4}), tw.Config({"BM": 8})], key=["n"])
@tw.jit
def tuned(source, target, n, BM: tl.constexpr):
    i = tl.program_id(0) * BM
    target.store([i, 0], source.load([i, 0]))


def set_block(arguments):
    for name in ("source", "target"):
        arguments[name].block_shape = [arguments["BM"], 16]


def test_tuning_sets_the_block():
    hooked = tw.autotune([tw.Config({"BM": size}, pre_hook=set_block) for size in (4, 8)], key=["n"])(tuned.fn)
    x, out = np.arange(256, dtype=np.float32).reshape(16, 16), np.zeros((16, 16), np.float32)
    hooked[lambda meta: (16 // meta["BM"],)](*(TensorDescriptor.from_tensor(each, [1, 16]) for each in (x, out)), 16)
    assert np.array_equal(out, x)
