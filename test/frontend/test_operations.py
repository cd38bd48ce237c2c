"""What each function of the language writes."""

import re

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.ast.builder import BuildOptions


@tw.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


def test_vector_add_as_a_whole(lower):
    text = lower(vector_add, x="*fp32:16", y="*fp32:16", out="*fp32:16", n="i32", BLOCK=1024)
    signature = ("func.func @vector_add(%arg0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, "
                 "%arg1: !tile.ptr<f32> {tile.divisibility = 16 : i32}, "
                 "%arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32) attributes {tile.kernel}")
    assert signature in text
    operations = re.findall(r"(?:= |^\s+)((?:tile|arith|func)\.\w+|return)", text, re.M)
    assert operations == ["func.func"] + """arith.constant tile.program_id arith.muli tile.arange tile.splat
        arith.addi tile.splat arith.cmpi tile.splat tile.addptr tile.splat tile.addptr tile.load tile.splat
        tile.addptr tile.load arith.addf tile.store return""".split()


def test_contraction_is_an_option(lower):
    types = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": 64}
    assert "arith.addf %11, %14 fastmath<contract>" in lower(vector_add, **types)
    assert "fastmath" not in lower(vector_add, options=BuildOptions(fp_fusion=False), **types)


@tw.jit
def program(out):
    tl.store(out, tl.program_id(1) + tl.num_programs(2))


def test_place_in_the_grid(lower):
    text = lower(program, out="*i32")
    assert "tile.program_id 1 : i32" in text and "tile.num_programs 2 : i32" in text


@tw.jit
def casts(x, out):
    value = tl.load(x)
    tl.store(out, value.to(tl.float16).to(tl.bfloat16).to(tl.float32))
    tl.store(out, value.to(tl.int32, bitcast=True).to(tl.uint8).to(tl.float32))
    tl.store(out, value.to(tl.float16, fp_downcast_rounding="rtz").to(tl.float32))
    tl.store(out, value.to(tl.float8e4nv).to(tl.float32))
    tl.store(out, (value > 0).to(tl.float32))
    tl.store(out, value.to(tl.int1).to(tl.int64).to(tl.float32))
    tl.store(out, value.to(tl.uint16).to(tl.float32))


def test_casts(lower):
    text = lower(casts, x="*fp32", out="*fp32")
    for line in ("arith.truncf %0 : f32 to f16", "arith.truncf %2 : f32 to bf16", "arith.bitcast %0 : f32 to i32",
                 "arith.trunci %5 : i32 to i8", "arith.uitofp %6 : i8 to f32",
                 "tile.cast %0 rounding  rtz : f32 -> f16", "tile.cast %0 : f32 -> f8E4M3FN",
                 "arith.cmpf une, %0", "arith.extui", "arith.fptoui %0 : f32 to i16"):
        assert line in text, line


@tw.jit
def shapes(out):
    x = tl.arange(0, 8)
    column = x[:, None]
    both = column + x[None, :]
    tl.static_assert(both.shape == (8, 8))
    tl.static_assert(both.T.shape == (8, 8))
    tl.static_assert(x[None, :, None].shape == (1, 8, 1))
    tl.static_assert(x[..., None].shape == (8, 1))
    tl.static_assert(both.reshape(16, 4).shape == (16, 4))
    tl.static_assert(both.reshape((4, -1)).shape == (4, 16))
    tl.static_assert(tl.view(both, [64]).shape == (64,))
    tl.static_assert(tl.ravel(both).shape == (64,))
    tl.static_assert(tl.permute(both.reshape(2, 4, 8), (2, 0, 1)).shape == (8, 2, 4))
    tl.static_assert(tl.trans(both.reshape(2, 4, 8)).shape == (2, 8, 4))
    tl.static_assert(tl.join(x, x).shape == (8, 2))
    tl.static_assert(tl.interleave(x, x).shape == (16,))
    first, second = tl.split(tl.join(x, x))
    tl.static_assert(first.shape == (8,) and second.shape == (8,))
    tl.static_assert(tl.expand_dims(x, (0, 2)).shape == (1, 8, 1))
    tl.static_assert(tl.broadcast_to(x[:, None], (8, 4)).shape == (8, 4))
    tl.static_assert(tl.broadcast_to(x[:, None], 8, 4).shape == (8, 4))
    tl.static_assert(tl.squeeze(column, 1).shape == (8,))
    tl.static_assert(tl.unsqueeze(x, -1).shape == (8, 1))
    tl.static_assert(tl.full((4, 4), 1.5, tl.float16).dtype == tl.float16)
    tl.static_assert(tl.zeros([4], dtype=tl.int8).numel == 4)
    tl.static_assert(tl.zeros_like(both).shape == (8, 8))
    tl.static_assert(len(both) == 8)
    tl.static_assert(tl.where(x > 3, 1, 0.5).dtype == tl.float32)
    tl.store(out + both, both)


def test_shapes(lower):
    text = lower(shapes, out="*i32")
    assert "tile.transpose" in text and "order [2, 0, 1]" in text and "order [0, 2, 1]" in text


@tw.jit
def accesses(x, out, n):
    i = tl.arange(0, 16)
    a = tl.load(x + i, mask=i < n, other=-1.0, cache_modifier=".cg", eviction_policy="evict_last", volatile=True)
    b = tl.load(x + i[:, None], mask=(i < n)[None, :])
    tl.store(out + i, a, cache_modifier=".wt", eviction_policy="evict_first")
    tl.store(out + i[:, None] + i[None, :], b, mask=n > 3)
    tl.store(out, 1)


def test_accesses(lower):
    text = lower(accesses, x="*fp32", out="*fp16", n="i32")
    assert "volatile {cache = #tile<cache cg>, eviction = #tile<eviction evict_last>}" in text
    assert "{cache = #tile<cache wt>, eviction = #tile<eviction evict_first>}" in text
    assert "dense<-1.000000e+00> : tensor<16xf32>" in text
    assert "constant 1.000000e+00 : f16" in text
    assert "tensor<16x16x!tile.ptr<f32>>" in text  # the mask widens the pointer


@tw.jit
def pointers(x, out, n):
    p = x + 1 - n
    tl.store(out, p.to(tl.int64))
    q = (p.to(tl.int64) + 8).to(tl.pointer_type(tl.int32))
    tl.store(q, 1)
    tl.store(x.to(tl.pointer_type(tl.int8)), 1)
    tl.store(out, (p == x).to(tl.int64))
    nested = tl.load(out.to(tl.pointer_type(tl.pointer_type(tl.float32))))
    tl.store(nested, 2.0)


def test_pointers(lower):
    text = lower(pointers, x="*fp32", out="*i64", n="u32")
    for operation in ("tile.ptr_to_int", "tile.int_to_ptr", "tile.cast_ptr", "arith.extui", "arith.cmpi eq",
                      "!tile.ptr<!tile.ptr<f32>>"):
        assert operation in text, operation


DOTS = [("fp16", None, "fp32"), ("fp16", tl.float16, "fp16"), ("bf16", None, "fp32"), ("fp32", None, "fp32"),
        ("fp64", None, "fp64"), ("i8", None, "i32"), ("u8", None, "i32"), ("fp8e5", None, "fp32")]


@tw.jit
def dot(a, b, out, OUT: tl.constexpr):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, 16)[None, :]
    c = tl.dot(tl.load(a + i * 16 + j), tl.load(b + i * 16 + j), out_dtype=OUT)
    c = tl.dot(tl.load(a + i * 16 + j), tl.load(b + i * 16 + j), c, out_dtype=OUT)
    tl.store(out + i * 16 + j, c)


@pytest.mark.parametrize("operand, out_dtype, result", DOTS)
def test_dot_of_each_type(lower, operand, out_dtype, result):
    text = lower(dot, a=f"*{operand}", b=f"*{operand}", out=f"*{result}", OUT=out_dtype)
    lines = [line for line in text.splitlines() if "tile.dot" in line]
    assert len(lines) == 2
    assert all(("tf32" in line) == (operand == "fp32") and ("unsigned" in line) == (operand == "u8") for line in lines)


@tw.jit
def batched(a, out, PRECISION: tl.constexpr):
    i = tl.arange(0, 16)
    x = tl.load(a + i[:, None] * 16 + i[None, :])
    both = tl.join(x, x).permute(2, 0, 1)
    product = tl.dot(both, both, input_precision=PRECISION)
    tl.static_assert(product.shape == (2, 16, 16))
    more = tl.dot(both.reshape(1, 2, 16, 16), both.reshape(1, 2, 16, 16), allow_tf32=False)
    tl.static_assert(more.shape == (1, 2, 16, 16))
    tl.store(out, tl.sum(product + more.reshape(2, 16, 16)))


def test_batches_and_precision(lower):
    text = lower(batched, a="*fp32", out="*fp32", PRECISION="bf16x3")
    assert text.count("precision  bf16x3") == 1 and text.count("tile.dot") == 2


@tw.jit
def larger(a, b):
    return tl.maximum(a, b)


@tw.jit
def welford(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    count = count_a + count_b
    delta = mean_b - mean_a
    return mean_a + delta * (count_b / count), m2_a + m2_b + delta * delta * (count_a * count_b / count), count


@tw.jit
def reductions(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i[:, None] * 16 + i[None, :])
    tl.static_assert(tl.sum(v, axis=1).shape == (16,))
    tl.static_assert(tl.sum(v, axis=-1, keep_dims=True).shape == (16, 1))
    tl.static_assert(tl.sum(v, keep_dims=True).shape == (1, 1))
    tl.static_assert(tl.sum(v).shape == ())
    tl.static_assert(tl.sum(v.to(tl.int8), 0).dtype == tl.int32)
    tl.static_assert(tl.sum(v.to(tl.uint8), 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(v > 0, 0).dtype == tl.uint32)
    tl.static_assert(tl.sum(v, 0, dtype=tl.float64).dtype == tl.float64)
    tl.static_assert(tl.max(v.to(tl.float16), 0).dtype == tl.float32)
    tl.static_assert(tl.min(v.to(tl.int16), 0).dtype == tl.int32)
    value, index = tl.max(v, axis=0, return_indices=True)
    tl.static_assert(index.dtype == tl.int32)
    tl.static_assert(v.argmin(0).shape == (16,))
    tl.static_assert(tl.argmax(v, None).shape == ())
    tl.static_assert(tl.xor_sum(i).dtype == tl.int32)
    tl.static_assert(tl.reduce(v, 0, larger).shape == (16,))
    mean, m2, count = tl.reduce((v, v * 0, v * 0 + 1), 1, welford)
    tl.store(out + i, value + mean + m2 + count)


def test_reductions(lower):
    text = lower(reductions, x="*fp32", out="*fp32")
    assert "tile.reduce" in text
    assert re.search(r"tile.reduce\(%\d+, %\d+, %\d+\) axis 1", text)


@tw.jit
def math(x, out):
    v = tl.load(x + tl.arange(0, 8))
    y = tl.exp(v) + tl.exp2(v) + tl.log(v) + tl.log2(v) + tl.sin(v) + tl.cos(v) + tl.sqrt(v) + tl.rsqrt(v)
    y += tl.erf(v) + tl.floor(v) + tl.ceil(v) + tl.abs(v) + tl.fma(v, v, v) + tl.fdiv(v, v) + tl.math.exp(v)
    y += tl.sqrt_rn(v) + tl.div_rn(v, v) + tl.minimum(v, 0) + tl.maximum(v, 0, propagate_nan=tl.PropagateNan.ALL)
    y += tl.clamp(v, -1.0, 1.0) + v.exp() + v.sigmoid() + tl.softmax(v)
    tl.static_assert(y.dtype == v.dtype)
    u = tl.umulhi(tl.arange(0, 8), 12345)
    tl.store(out + u, y)


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32", "fp64"])
def test_math_keeps_the_type(lower, dtype):
    text = lower(math, x=f"*{dtype}", out=f"*{dtype}") if dtype not in ("fp16", "bf16") else None
    if text is None:  # division and sigmoid of narrow floats give fp32
        return
    for operation in ("math.exp ", "math.exp2", "math.log ", "math.log2", "math.sin", "math.cos", "math.sqrt",
                      "math.rsqrt", "math.erf", "math.floor", "math.ceil", "math.absf", "math.fma", "arith.divf",
                      "arith.minnumf", "arith.maximumf", "arith.mului_extended"):
        assert operation in text, operation


@tw.jit
def half_math(x, out):
    v = tl.load(x)
    tl.static_assert(tl.exp(v).dtype == v.dtype)
    tl.static_assert(tl.fdiv(v, v).dtype == v.dtype)
    tl.static_assert(tl.fma(v, v, v).dtype == v.dtype)
    tl.store(out, tl.exp(v))


@pytest.mark.parametrize("dtype, ir", [("fp16", "f16"), ("bf16", "bf16")])
def test_math_of_narrow_floats_is_computed_in_fp32(lower, dtype, ir):
    text = lower(half_math, x=f"*{dtype}", out=f"*{dtype}")
    assert re.search(rf"arith.extf %\d+ : {ir} to f32\n\s+%\d+ = math.exp %\d+ : f32\n\s+%\d+ = arith.truncf", text)


@tw.jit
def exactness(x, y, out):
    a, b = tl.load(x), tl.load(y)
    tl.store(out, a / b)
    tl.store(out, tl.div_rn(a, b))
    tl.store(out, tl.sqrt(a))
    tl.store(out, tl.sqrt_rn(a))


def test_only_the_plain_forms_may_be_approximated(lower):
    text = lower(exactness, x="*fp32", y="*fp32", out="*fp32")
    assert text.count("arith.divf") == 2 and text.count("math.sqrt") == 2 and text.count("fastmath<afn>") == 2


@tw.jit
def atomics(x, i, out):
    offsets = tl.arange(0, 8)
    old = tl.atomic_add(x + offsets, 1.0, mask=offsets < 4, sem="relaxed", scope="cta")
    tl.atomic_max(i + offsets, 3)
    tl.atomic_min(i.to(tl.pointer_type(tl.uint32)) + offsets, 3)
    tl.atomic_max(x, 3.0)
    tl.atomic_min(x, 3.0)
    tl.atomic_and(i, 3)
    tl.atomic_or(i, 3)
    tl.atomic_xor(i, 3)
    tl.atomic_xchg(x, 3.0)
    tl.atomic_cas(i, 0, 1, sem="acquire", scope="sys")
    tl.store(out + offsets, old)


def test_atomics(lower):
    text = lower(atomics, x="*fp32", i="*i32", out="*fp32")
    assert "scope = #tile<scope cta>, semantic = #tile<semantic relaxed>" in text
    for kind in ("fadd", "max", "umin", "fmax", "fmin", "and", "or", "xor", "exchange"):
        assert re.search(rf"tile.atomic_rmw +{kind} ", text), kind
    assert "tile.atomic_cas" in text


@tw.jit
def random(out, seed):
    i = tl.arange(0, 16)
    tl.store(out + i, tl.rand(seed, i) + tl.randn(seed, i) + tl.randint(seed, i))
    a, b, c, d = tl.randn4x(seed, i)
    e, f, g, h = tl.rand4x(seed, i.to(tl.int64), n_rounds=7)
    tl.store(out + i, a + b + c + d + e + f + g + h)


def test_random(lower):
    text = lower(random, out="*fp32", seed="i32")
    assert text.count("arith.mului_extended") == 2 * (10 * 4 + 7)


@tw.jit
def debugging(x, n):
    v = tl.load(x + tl.arange(0, 8))
    tl.device_print("v: ", v, n)
    print("n", n, hex=True) if n is None else None
    tl.device_assert(v > 0, "positive", mask=tl.arange(0, 8) < n)
    assert n > 0, "n is positive"
    tl.debug_barrier()
    tl.assume(n > 0)
    i = tl.multiple_of(tl.max_contiguous(tl.max_constancy(tl.arange(0, 8), 1), 8), 8)
    tl.store(x + i, v)


def test_debugging(lower):
    text = lower(debugging, x="*fp32", n="i32", options=BuildOptions(debug=True))
    assert 'tile.print " v: (operand 0) "' in text and 'tile.print " v: (operand 1) "' in text
    assert "signedness [false]" in text and "signedness [true]" in text
    assert text.count("tile.assert") == 3 and '"n is positive"' in text and "a promise does not hold" in text
    for operation in ("tile.barrier", "divisibility [8]", "contiguity [8]", "constancy [1]"):
        assert operation in text, operation
    assert "tile.assert" not in lower(debugging, x="*fp32", n="i32")


@tw.jit
def scatter(x, y, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), tl.num_programs(0), tl.num_programs(1), GROUP)
    tl.store(x + i, tl.cdiv(j, 4))


def test_helpers_written_in_the_language(lower):
    assert "arith.minsi" in lower(scatter, x="*i32", y="*i32", GROUP=4)


@tw.jit
def pointers_in_memory(table, out, n):
    i = tl.arange(0, 8)
    p = tl.load(table + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(p, mask=i < n))
    tl.store(table, 0)


def test_pointers_in_memory(lower):
    text = lower(pointers_in_memory, table="**fp32", out="*fp32", n="i32")
    assert text.count("tile.int_to_ptr") == 2 and "tensor<8x!tile.ptr<!tile.ptr<f32>>>" in text
