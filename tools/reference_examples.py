"""Examples of the language's reference: for each function a few lines, and what they give.

`Example("x", "tl.exp(a)", "np.exp(x)")`: a kernel loads `x` as `a`, stores the value of the second text, and the
third says in numpy what is stored. Inputs are `x` (8 floats), `n` (8 integers), `m` (4 rows of 8 floats).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A kernel of one expression.

    Attributes:
        input: "x", "n" or "m".
        value: What the kernel computes of `a`, the loaded input.
        expected: The same in numpy; its shape is the result's.
        before: Lines of the kernel before that.
        outside: Lines before the kernel, such as functions that it calls.
        dtype: Type of the output.
    """

    input: str
    value: str
    expected: str
    before: str = ""
    outside: str = ""
    dtype: str = "float32"


#: Pages of the reference: title, what it is about, and its functions in order.
THEMES: list[tuple[str, str, str, str]] = [
    ("grid", "Grid", "Which program of the grid runs.", "program_id num_programs swizzle2d cdiv"),
    ("creation", "Making blocks", "Blocks from numbers.", "arange full zeros zeros_like to_tensor"),
    ("shape", "Shape", "The same elements in another arrangement.",
     "broadcast broadcast_to expand_dims unsqueeze squeeze reshape view ravel permute trans join split interleave cat "
     "flip gather item"),
    ("types", "Types", "Conversions.", "cast unpack_int4"),
    ("memory", "Memory", "Reading and writing.",
     "load store make_block_ptr advance make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor"),
    ("atomics", "Atomics", "Steps on memory that no other program interrupts.",
     "atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_load "
     "atomic_store atomic_poll"),
    ("products", "Products", "Matrices.", "dot dot_scaled"),
    ("reductions", "Reductions, scans and order", "Elements that are combined, or put in order.",
     "reduce sum max min argmax argmin xor_sum reduce_or associative_scan cumsum cumprod sort argsort topk "
     "bitonic_merge histogram"),
    ("arithmetic", "Arithmetic", "Operators are these functions too.",
     "add sub mul fma fdiv div_rn umulhi abs minimum maximum clamp where logical_and logical_or map_elementwise "
     "inline_asm_elementwise"),
    ("mathematics", "Mathematics", "Functions of floats.",
     "exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf floor ceil sigmoid softmax"),
    ("random", "Random numbers", "Numbers that depend on a seed and a place alone.",
     "rand rand4x randn randn4x randint randint4x philox philox_impl uint_to_uniform_float pair_uniform_to_normal"),
    ("loops", "Loops and tuples", "Loops with options, and values that hold values.",
     "range static_range condition tuple slice aggregate_replace"),
    ("promises", "Promises", "What the compiler may rely on.",
     "multiple_of max_contiguous max_constancy assume expect_zero"),
    ("output", "Output and checks", "What a kernel says.",
     "static_print static_assert device_print device_assert debug_barrier"),
]

_MATH = {name: Example("x", f"tl.{name}(a)", f"np.{name}(x)")
         for name in "exp exp2 log log2 sin cos sqrt floor ceil".split()}
_BITS = {"atomic_and": "&", "atomic_or": "|", "atomic_xor": "^"}
_DESCRIBED = "d = tl.make_tensor_descriptor({0}, [4, 8], [8, 1], [2, 4])"

EXAMPLES: dict[str, Example] = {
    "program_id": Example("x", "a + tl.program_id(0)", "x"),
    "num_programs": Example("x", "a * tl.num_programs(0)", "x"),
    "swizzle2d": Example("x", "row * 2 + column", "np.float32(3)", "row, column = tl.swizzle2d(1, 1, 2, 2, 2)"),
    "cdiv": Example("n", "tl.cdiv(a, 3)", "-(-n // 3)", dtype="int32"),
    "arange": Example("n", "tl.arange(0, 8) + a", "np.arange(8) + n", dtype="int32"),
    "full": Example("x", "tl.full([8], 2.5, tl.float32)", "np.full(8, 2.5)"),
    "zeros": Example("x", "tl.zeros([8], tl.float32)", "np.zeros(8)"),
    "zeros_like": Example("x", "tl.zeros_like(a)", "np.zeros(8)"),
    "to_tensor": Example("x", "tl.to_tensor(3).to(tl.float32)", "np.float32(3)"),
    "broadcast": Example("x", "rows + columns", "x[:, None] + x",
                         "rows, columns = tl.broadcast(a[:, None], a[None, :])"),
    "broadcast_to": Example("x", "tl.broadcast_to(a[None, :], 4, 8)", "np.broadcast_to(x, (4, 8))"),
    "expand_dims": Example("x", "tl.expand_dims(a, 1)", "x[:, None]"),
    "unsqueeze": Example("x", "tl.unsqueeze(a, 0)", "x[None, :]"),
    "squeeze": Example("x", "tl.squeeze(a[None, :], 0)", "x"),
    "reshape": Example("m", "tl.reshape(a, 8, 4)", "m.reshape(8, 4)"),
    "view": Example("m", "tl.view(a, 8, 4)", "m.reshape(8, 4)"),
    "ravel": Example("m", "tl.ravel(a)", "m.ravel()"),
    "permute": Example("m", "tl.permute(a, 1, 0)", "m.transpose(1, 0)"),
    "trans": Example("m", "tl.trans(a)", "m.T"),
    "join": Example("x", "tl.join(a, -a)", "np.stack([x, -x], -1)"),
    "split": Example("x", "left - right", "x[::2] - x[1::2]", "left, right = tl.split(tl.reshape(a, 4, 2))"),
    "interleave": Example("x", "tl.interleave(a, -a)", "np.stack([x, -x], -1).ravel()"),
    "cat": Example("x", "tl.cat(a, -a)", "np.concatenate([x, -x])"),
    "flip": Example("x", "tl.flip(a)", "x[::-1]"),
    "gather": Example("x", "tl.gather(a, 7 - tl.arange(0, 8), 0)", "x[::-1]"),
    "item": Example("m", "tl.sum(a, keep_dims=True).item()", "np.float32(m.sum())"),
    "cast": Example("x", "tl.cast(a, tl.int32)", "x.astype(np.int32)", dtype="int32"),
    "unpack_int4": Example("n", "tl.unpack_int4(a.to(tl.uint8))", "np.stack([n, 0 * n], -1).ravel()", dtype="int32"),
    "load": Example("x", "tl.load(x + tl.arange(0, 8), mask=a > 2, other=0.0)", "np.where(x > 2, x, 0)"),
    "store": Example("x", "a + 1", "x + 1"),
    "make_block_ptr": Example("m", "tl.load(block)", "m[2:4, 4:8]",
                              "block = tl.make_block_ptr(m, (4, 8), (8, 1), (2, 4), (2, 4), (1, 0))"),
    "advance": Example("m", "tl.load(tl.advance(block, (2, 4)))", "m[2:4, 4:8]",
                       "block = tl.make_block_ptr(m, (4, 8), (8, 1), (0, 0), (2, 4), (1, 0))"),
    "make_tensor_descriptor": Example("m", "d.load([2, 4])", "m[2:4, 4:8]", _DESCRIBED.format("m")),
    "load_tensor_descriptor": Example("m", "tl.load_tensor_descriptor(d, [2, 0])", "m[2:4, :4]",
                                      _DESCRIBED.format("m")),
    "store_tensor_descriptor": Example(
        "m", "tl.load(m + tl.arange(0, 4))", "m[0, 4:]",
        _DESCRIBED.format("m") + "\ntl.store_tensor_descriptor(d, [0, 0], d.load([0, 4]))\ntl.debug_barrier()"),
    "atomic_add": Example("x", "tl.atomic_add(x + tl.arange(0, 8), 1.0)", "x - 1"),
    "atomic_max": Example("x", "tl.atomic_max(x + tl.arange(0, 8), 0.0)", "x"),
    "atomic_min": Example("x", "tl.atomic_min(x + tl.arange(0, 8), 9.0)", "x"),
    **{name: Example("n", f"tl.{name}(n + tl.arange(0, 8), 7)", "np.arange(8)", dtype="int32") for name in _BITS},
    "atomic_xchg": Example("n", "tl.atomic_xchg(n + tl.arange(0, 8), 5)", "np.arange(8)", dtype="int32"),
    "atomic_cas": Example("n", "tl.atomic_cas(n + tl.arange(0, 8), 3, 5)", "np.arange(8)", dtype="int32"),
    "atomic_load": Example("x", "tl.atomic_load(x + tl.arange(0, 8), sem=\"acquire\")", "x"),
    "atomic_store": Example("x", "a", "x", "tl.atomic_store(x + tl.arange(0, 8), a, sem=\"release\")"),
    "atomic_poll": Example("n", "tl.atomic_poll(n + 3, 3).to(tl.int32)", "np.int32(1)", dtype="int32"),
    "dot": Example("m", "tl.dot(a, tl.trans(a), input_precision=\"ieee\")", "m @ m.T"),
    "dot_scaled": Example(
        "m", "tl.dot_scaled(b, scale, \"bf16\", tl.trans(b), None, \"bf16\")", "2 * np.ones((16, 16)) * 32",
        "b = tl.full([16, 32], 1.0, tl.bfloat16)\nscale = tl.full([16, 1], 128, tl.uint8)"),
    "reduce": Example("x", "tl.reduce(a, 0, longer)", "np.float32(x.max())",
                      outside="@tw.jit\ndef longer(p, q):\n    return tl.where(p > q, p, q)"),
    "sum": Example("m", "tl.sum(a, axis=1)", "m.sum(1)"),
    "max": Example("m", "tl.max(a, axis=0)", "m.max(0)"),
    "min": Example("m", "tl.min(a, axis=0)", "m.min(0)"),
    "argmax": Example("m", "tl.argmax(a, axis=1)", "m.argmax(1)", dtype="int32"),
    "argmin": Example("m", "tl.argmin(a, axis=1)", "m.argmin(1)", dtype="int32"),
    "xor_sum": Example("n", "tl.xor_sum(a)", "np.bitwise_xor.reduce(n)", dtype="int32"),
    "reduce_or": Example("n", "tl.reduce_or(a, 0)", "np.bitwise_or.reduce(n)", dtype="int32"),
    "associative_scan": Example("x", "tl.associative_scan(a, 0, larger)", "np.maximum.accumulate(x)",
                                outside="@tw.jit\ndef larger(p, q):\n    return tl.maximum(p, q)"),
    "cumsum": Example("x", "tl.cumsum(a)", "x.cumsum()"),
    "cumprod": Example("x", "tl.cumprod(a)", "x.cumprod()"),
    "sort": Example("x", "tl.sort(a, descending=True)", "np.sort(x)[::-1]"),
    "argsort": Example("x", "tl.argsort(-a)", "np.argsort(-x)", dtype="int32"),
    "topk": Example("x", "tl.topk(a, 2)", "np.sort(x)[:-3:-1]"),
    "bitonic_merge": Example("x", "tl.bitonic_merge(tl.where(a > 2, 9 - a, a))", "np.sort(np.where(x > 2, 9 - x, x))"),
    "histogram": Example("n", "tl.histogram(a // 2, 4)", "np.full(4, 2)", dtype="int32"),
    "add": Example("x", "tl.add(a, 1)", "x + 1"),
    "sub": Example("x", "tl.sub(a, 1)", "x - 1"),
    "mul": Example("x", "tl.mul(a, 2)", "x * 2"),
    "fma": Example("x", "tl.fma(a, a, 1.0)", "x * x + 1"),
    "fdiv": Example("x", "tl.fdiv(1.0, a)", "1 / x"),
    "div_rn": Example("x", "tl.div_rn(a, 3.0)", "x / 3"),
    "umulhi": Example("n", "tl.umulhi(a << 28, 16)", "n", dtype="int32"),
    "abs": Example("x", "tl.abs(-a)", "x"),
    "minimum": Example("x", "tl.minimum(a, 2.0)", "np.minimum(x, 2)"),
    "maximum": Example("x", "tl.maximum(a, 2.0)", "np.maximum(x, 2)"),
    "clamp": Example("x", "tl.clamp(a, 1.0, 2.0)", "np.clip(x, 1, 2)"),
    "where": Example("x", "tl.where(a > 2, a, 0.0)", "np.where(x > 2, x, 0)"),
    "logical_and": Example("x", "tl.logical_and(a > 1, a < 3).to(tl.int32)", "(x > 1) & (x < 3)", dtype="int32"),
    "logical_or": Example("x", "tl.logical_or(a < 1, a > 3).to(tl.int32)", "(x < 1) | (x > 3)", dtype="int32"),
    "map_elementwise": Example("x", "tl.map_elementwise(steps, a)", "np.where(x > 2, x * x, -x)",
                               outside="@tw.jit\ndef steps(v):\n    if v > 2:\n        return v * v\n    return -v"),
    "inline_asm_elementwise": Example(
        "n", "negated", "-n", "if tl.target_info.is_cuda():\n    negated = tl.inline_asm_elementwise(\n        "
        "\"neg.s32 $0, $1;\", \"=r,r\", [a], dtype=tl.int32, is_pure=True, pack=1)\nelse:\n    negated = -a",
        dtype="int32"),
    **_MATH,
    "sqrt_rn": Example("x", "tl.sqrt_rn(a)", "np.sqrt(x)"),
    "rsqrt": Example("x", "tl.rsqrt(a)", "1 / np.sqrt(x)"),
    "erf": Example("x", "tl.erf(a - a)", "np.zeros(8)"),
    "sigmoid": Example("x", "tl.sigmoid(a)", "1 / (1 + np.exp(-x))"),
    "softmax": Example("x", "tl.softmax(a)", "np.exp(x) / np.exp(x).sum()"),
    "rand": Example("n", "(tl.rand(7, a) < 1).to(tl.int32)", "np.ones(8)", dtype="int32"),
    "rand4x": Example("n", "(u0 < 1).to(tl.int32)", "np.ones(8)", "u0, u1, u2, u3 = tl.rand4x(7, a)", dtype="int32"),
    "randn": Example("n", "(tl.randn(7, a) < 9).to(tl.int32)", "np.ones(8)", dtype="int32"),
    "randn4x": Example("n", "(z0 < 9).to(tl.int32)", "np.ones(8)", "z0, z1, z2, z3 = tl.randn4x(7, a)", dtype="int32"),
    "randint": Example("n", "(tl.randint(7, a) == tl.randint(7, a)).to(tl.int32)", "np.ones(8)", dtype="int32"),
    "randint4x": Example("n", "(r0 == tl.randint(7, a)).to(tl.int32)", "np.ones(8)",
                         "r0, r1, r2, r3 = tl.randint4x(7, a)", dtype="int32"),
    "philox": Example("n", "(c0 == c0).to(tl.int32)", "np.ones(8)", "c0, c1, c2, c3 = tl.philox(7, a, 0, 0, 0)",
                      dtype="int32"),
    "philox_impl": Example("n", "(c0 == c0).to(tl.int32)", "np.ones(8)",
                           "u = a.to(tl.uint32)\nc0, c1, c2, c3 = tl.philox_impl(u, u, u, u, u, u)", dtype="int32"),
    "uint_to_uniform_float": Example("n", "tl.uint_to_uniform_float(a.to(tl.uint32))",
                                     "n * np.float32(4.6566127342e-10)"),
    "pair_uniform_to_normal": Example("x", "z0 * 0", "np.zeros(8)", "z0, z1 = tl.pair_uniform_to_normal(a / 8, a / 8)"),
    "range": Example("x", "total", "x * 4",
                     "total = tl.zeros_like(a)\nfor k in tl.range(4, num_stages=2):\n    total += a"),
    "static_range": Example("x", "total", "x * 6",
                            "total = tl.zeros_like(a)\nfor k in tl.static_range(4):\n    total += a * k"),
    "condition": Example("x", "a * count", "x * 4",
                         "count = 0\nwhile tl.condition(count < 4, disable_licm=True):\n    count += 1"),
    "tuple": Example("x", "pair[0] + pair[1]", "x + 1", "pair = tl.tuple([a, 1.0])"),
    "slice": Example("x", "tail[0] + tail[1]", "x * 5", "tail = (a, a * 2, a * 3)[tl.slice(1, 3, None)]"),
    "aggregate_replace": Example(
        "x", "tl.aggregate_replace(pair, low=a).low", "x", "pair = Pair(a * 2, a * 3)",
        "@tw.aggregate\nclass Pair:\n    low: tl.tensor\n    high: tl.tensor\n\n    @tw.jit\n"
        "    def __init__(self, low, high):\n        self.low = low\n        self.high = high"),
    "multiple_of": Example("x", "tl.load(x + tl.multiple_of(start, 8) + tl.arange(0, 8))", "x",
                           "start = tl.program_id(0) * 8"),
    "max_contiguous": Example("x", "tl.load(x + tl.max_contiguous(tl.arange(0, 8), 8))", "x"),
    "max_constancy": Example("x", "tl.load(x + tl.max_constancy(tl.arange(0, 8) // 4, 4))", "np.repeat(x[:2], 4)"),
    "assume": Example("x", "a", "x", "tl.assume(tl.num_programs(0) > 0)"),
    "expect_zero": Example("x", "tl.expect_zero(a, a > 100)", "x"),
    "static_print": Example("x", "a", "x", "tl.static_print(\"a block of\", a.dtype)"),
    "static_assert": Example("x", "a", "x", "tl.static_assert(a.shape[0] == 8, \"eight elements\")"),
    "device_print": Example("x", "a", "x", "tl.device_print(\"first\", tl.max(a))"),
    "device_assert": Example("x", "a", "x", "tl.device_assert(a > 0, \"positive\")"),
    "debug_barrier": Example("x", "a", "x", "tl.debug_barrier()"),
}
