"""Products of floats of 16 and 32 bits, as users write them."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem, bfloat16, processors, tile

TILES = [tile(128, 256, 64, 8, 3), tile(128, 128, 64, 4, 4), tile(128, 128, 32, 4, 4)]
GROUPED = [{**config, "GROUP_SIZE_M": 8} for config in TILES]


def _operands(m, n, k, dtype=torch.float16, turned=""):
    """a (m, k) and b (k, n), of which `turned` names those that are transposed in memory."""
    a = place.randn(k, m, dtype=dtype).T if "a" in turned else place.randn(m, k, dtype=dtype)
    b = place.randn(n, k, dtype=dtype).T if "b" in turned else place.randn(k, n, dtype=dtype)
    return a, b


def _product(run, a, b, configs, dtype=None, **more):
    """The problem of a @ b, which `run` computes into c with some options."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty(m, n, device=a.device, dtype=dtype or a.dtype)
    more = {"expected": lambda: a.double() @ b.double(), "flops": 2.0 * m * n * k, **more}
    return Problem(lambda options: run(a, b, c, options), configs, c, **more)


def _blocks(m, n, options):
    return tw.cdiv(m, options["BLOCK_M"]) * tw.cdiv(n, options["BLOCK_N"])


# --- a batch ----------------------------------------------------------------------------------------
@tw.jit
def batched_kernel(a, b, c, M, N, K, stride_ab, stride_am, stride_ak, stride_bb, stride_bk, stride_bn,
                   stride_cb, stride_cm, stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    pid_m, pid_n, batch = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    a_ptrs = a + batch * stride_ab + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b_ptrs = b + batch * stride_bb + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        left = tl.load(a_ptrs, mask=(rows[:, None] < M) & (inner[None, :] < K - k), other=0.0)
        right = tl.load(b_ptrs, mask=(inner[:, None] < K - k) & (columns[None, :] < N), other=0.0)
        total += tl.dot(left, right)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c + batch * stride_cb + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_ptrs, total.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


def batched():
    """A product for each of a batch, everything masked."""
    batch, m, n, k = place.sizes((16, 2048, 2048, 1024), (2, 70, 50, 40))
    a = place.randn(batch, m, k, dtype=torch.float16)
    b = place.randn(batch, k, n, dtype=torch.float16)
    c = torch.empty(batch, m, n, device=a.device, dtype=torch.float16)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]), batch)
        batched_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), **options)

    return Problem(launch, TILES, c, lambda: a.double() @ b.double(), flops=2.0 * batch * m * n * k)


# --- the tutorial -----------------------------------------------------------------------------------
@tw.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@tw.jit
def tutorial_kernel(a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                    stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                    GROUP_SIZE_M: tl.constexpr, HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (pid % num_pid_in_group) % group_size_m
    pid_n = (pid % num_pid_in_group) // group_size_m
    tl.assume(pid_m >= 0)
    tl.assume(pid_n >= 0)
    tl.assume(stride_am > 0)
    tl.assume(stride_bk > 0)

    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        accumulator = tl.dot(a, b, accumulator)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if HAS_BIAS:
        accumulator += tl.load(bias_ptr + offs_bn)[None, :].to(tl.float32)
    if ACTIVATION == "leaky_relu":
        accumulator = leaky_relu(accumulator)
    c = accumulator.to(tl.float16)

    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)


def _run_tutorial(a, b, c, options, bias=None, activation=""):
    (m, k), n = a.shape, b.shape[1]
    tutorial_kernel[(_blocks(m, n, options),)](a, b, c, bias, m, n, k, *a.stride(), *b.stride(), *c.stride(),
                                               HAS_BIAS=bias is not None, ACTIVATION=activation, **options)


def tutorial():
    """Rows and columns wrap around, only k is masked; blocks divide all sizes."""
    return _product(_run_tutorial, *_operands(*place.sizes((4096, 4096, 4096), (128, 256, 128))), GROUPED)


def tutorial_uneven():
    """The same where blocks divide no size, and rows are of whole pieces of 16 bytes."""
    return _product(_run_tutorial, *_operands(*place.sizes((4001, 4080, 4112), (201, 272, 80))), GROUPED)


def tutorial_odd_strides():
    """The same with strides that no vector divides for certain."""
    return _product(_run_tutorial, *_operands(*place.sizes((4001, 4100, 4100), (201, 268, 84))), GROUPED)


def tutorial_activation():
    """The same with a bias and an activation."""
    a, b = _operands(*place.sizes((4096, 4096, 4096), (200, 272, 80)))
    bias = 30 * place.randn(b.shape[1], dtype=torch.float16)

    def expected():
        return torch.nn.functional.leaky_relu(a.double() @ b.double() + bias.double())

    return _product(lambda *args: _run_tutorial(*args, bias, "leaky_relu"), a, b, GROUPED, expected=expected)


# --- hints, layouts, k in parts ------------------------------------------------------------------------
@tw.jit
def hinted_kernel(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr,
                  EVEN_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    pid, pid_z = tl.program_id(0), tl.program_id(1)
    grid_n = tl.cdiv(N, BLOCK_N)
    width = GROUP_SIZE_M * grid_n
    group_id = pid // width
    group_size = min(tl.cdiv(M, BLOCK_M) - group_id * GROUP_SIZE_M, GROUP_SIZE_M)
    pid_m = group_id * GROUP_SIZE_M + pid % group_size
    pid_n = pid % width // group_size
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    A = A + (ram[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(B)
        else:
            left = K - k * (BLOCK_K * SPLIT_K)
            a = tl.load(A, mask=rk[None, :] < left, other=tl.zeros((1, 1), dtype=A.dtype.element_ty))
            b = tl.load(B, mask=rk[:, None] < left, other=tl.zeros((1, 1), dtype=B.dtype.element_ty))
        acc += tl.dot(a, b, out_dtype=tl.float32)
        A += BLOCK_K * SPLIT_K * stride_ak
        B += BLOCK_K * SPLIT_K * stride_bk
    acc = acc.to(C.dtype.element_ty)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    mask = (rm < M)[:, None] & (rn < N)[None, :]
    if SPLIT_K == 1:
        tl.store(C, acc, mask=mask)
    else:
        tl.atomic_add(C, acc, mask=mask)


def _run_hinted(a, b, c, options):
    (m, k), n = a.shape, b.shape[1]
    splits = options.get("SPLIT_K", 1)
    if splits > 1:
        c.zero_()
    hinted_kernel[(_blocks(m, n, options), splits)](
        a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), EVEN_K=k % (options["BLOCK_K"] * splits) == 0,
        **{"SPLIT_K": 1, **options})


def transposed_a():
    """a stands transposed, hints say what the remainder hides."""
    a, b = _operands(*place.sizes((4096, 4096, 4096), (256, 256, 128)), bfloat16(), "a")
    return _product(_run_hinted, a, b, GROUPED)


def transposed_b():
    """b stands transposed, as weights of layers do; k is no multiple of the block."""
    a, b = _operands(*place.sizes((4096, 4096, 4112), (256, 256, 80)), bfloat16(), "b")
    return _product(_run_hinted, a, b, GROUPED)


def transposed_both():
    """Both stand transposed."""
    a, b = _operands(*place.sizes((4096, 4096, 4096), (256, 256, 128)), torch.float16, "ab")
    return _product(_run_hinted, a, b, GROUPED)


def split_k():
    """Programs for parts of k add to the same block of c."""
    a, b = _operands(*place.sizes((512, 1024, 32768), (130, 136, 300)), bfloat16(), "b")
    configs = [{**tile(128, 128, 64, 4, 4), "SPLIT_K": 4, "GROUP_SIZE_M": 8},
               {**tile(128, 128, 64, 8, 4), "SPLIT_K": 8, "GROUP_SIZE_M": 8},
               {**tile(64, 128, 64, 4, 4), "SPLIT_K": 8, "GROUP_SIZE_M": 8}]
    return _product(_run_hinted, a, b, configs, torch.float32)


def few_rows():
    """A layer's product for a handful of tokens: memory decides."""
    m, n, k = place.sizes((11, 14336, 8192), (5, 200, 272))
    a, b = _operands(m, n, k, bfloat16(), "b")
    configs = [tile(16, 64, 128, 4, 4, GROUP_SIZE_M=1), tile(16, 32, 256, 4, 4, GROUP_SIZE_M=1),
               tile(16, 64, 128, 4, 4, GROUP_SIZE_M=1, SPLIT_K=2)]
    return _product(_run_hinted, a, b, configs, torch.float32, flops=0, bytes=2.0 * (n * k + m * k) + 4.0 * m * n)


# --- block pointers -----------------------------------------------------------------------------------
@tw.jit
def block_pointer_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                         stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    a_block = tl.make_block_ptr(base=a_ptr, shape=(M, K), strides=(stride_am, stride_ak),
                                offsets=(pid_m * BLOCK_M, 0), block_shape=(BLOCK_M, BLOCK_K), order=(1, 0))
    b_block = tl.make_block_ptr(base=b_ptr, shape=(K, N), strides=(stride_bk, stride_bn),
                                offsets=(0, pid_n * BLOCK_N), block_shape=(BLOCK_K, BLOCK_N), order=(1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc += tl.dot(a, b)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))
    c_block = tl.make_block_ptr(base=c_ptr, shape=(M, N), strides=(stride_cm, stride_cn),
                                offsets=(pid_m * BLOCK_M, pid_n * BLOCK_N), block_shape=(BLOCK_M, BLOCK_N),
                                order=(1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


def block_pointers():
    """Block pointers that are advanced, checked along both dimensions; no size is a multiple of the block."""
    def run(a, b, c, options):
        (m, k), n = a.shape, b.shape[1]
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        block_pointer_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), **options)

    return _product(run, *_operands(*place.sizes((4000, 4048, 4080), (200, 272, 80)), bfloat16()), TILES)


# --- persistent programs --------------------------------------------------------------------------------
@tw.jit
def place_of_tile(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M: tl.constexpr):
    group_id = tile_id // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (tile_id % group_size_m)
    pid_n = (tile_id % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@tw.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                      GROUP_SIZE_M: tl.constexpr, NUM_SMS: tl.constexpr):
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    num_tiles = num_pid_m * num_pid_n
    offs_k_for_mask = tl.arange(0, BLOCK_K)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    for tile_id in tl.range(start_pid, num_tiles, NUM_SMS, flatten=False):
        pid_m, pid_n = place_of_tile(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
        start_m = pid_m * BLOCK_M
        start_n = pid_n * BLOCK_N
        offs_am = start_m + tl.arange(0, BLOCK_M)
        offs_bn = start_n + tl.arange(0, BLOCK_N)
        offs_am = tl.where(offs_am < M, offs_am, 0)
        offs_bn = tl.where(offs_bn < N, offs_bn, 0)
        offs_am = tl.max_contiguous(tl.multiple_of(offs_am, BLOCK_M), BLOCK_M)
        offs_bn = tl.max_contiguous(tl.multiple_of(offs_bn, BLOCK_N), BLOCK_N)
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in range(k_tiles):
            offs_k = ki * BLOCK_K + tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
            b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
            a = tl.load(a_ptrs, mask=offs_k_for_mask[None, :] < K - ki * BLOCK_K, other=0.0)
            b = tl.load(b_ptrs, mask=offs_k_for_mask[:, None] < K - ki * BLOCK_K, other=0.0)
            accumulator = tl.dot(a, b, accumulator)
        offs_cm = start_m + tl.arange(0, BLOCK_M)
        offs_cn = start_n + tl.arange(0, BLOCK_N)
        c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
        c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
        tl.store(c_ptrs, accumulator.to(c_ptr.dtype.element_ty), mask=c_mask)


def persistent():
    """As many programs as processors, pointers computed anew from the step."""
    def run(a, b, c, options):
        (m, k), n, programs = a.shape, b.shape[1], processors()
        persistent_kernel[(min(programs, _blocks(m, n, options)),)](
            a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(), NUM_SMS=programs, **options)

    a, b = _operands(*place.sizes((6144, 4096, 4096), (390, 520, 80)), torch.float16, "b")
    return _product(run, a, b, GROUPED)


@tw.jit
def descriptor_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr, EPILOGUE_SUBTILE: tl.constexpr,
                      NUM_SMS: tl.constexpr, FLATTEN: tl.constexpr):
    dtype = c_ptr.dtype.element_ty
    start_pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    k_tiles = tl.cdiv(K, BLOCK_K)
    num_tiles = num_pid_m * num_pid_n
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1],
                                       block_shape=[BLOCK_M, BLOCK_N // 2 if EPILOGUE_SUBTILE else BLOCK_N])
    tile_id_c = start_pid - NUM_SMS
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    for tile_id in tl.range(start_pid, num_tiles, NUM_SMS, flatten=FLATTEN):
        pid_m, pid_n = place_of_tile(tile_id, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
        offs_am = pid_m * BLOCK_M
        offs_bn = pid_n * BLOCK_N
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in range(k_tiles):
            offs_k = ki * BLOCK_K
            a = a_desc.load([offs_am, offs_k])
            b = b_desc.load([offs_bn, offs_k])
            accumulator = tl.dot(a, b.T, accumulator)
        tile_id_c += NUM_SMS
        pid_m, pid_n = place_of_tile(tile_id_c, num_pid_in_group, num_pid_m, GROUP_SIZE_M)
        offs_cm = pid_m * BLOCK_M
        offs_cn = pid_n * BLOCK_N
        if EPILOGUE_SUBTILE:
            acc = tl.reshape(accumulator, (BLOCK_M, 2, BLOCK_N // 2))
            acc0, acc1 = tl.split(tl.permute(acc, (0, 2, 1)))
            c_desc.store([offs_cm, offs_cn], acc0.to(dtype))
            c_desc.store([offs_cm, offs_cn + BLOCK_N // 2], acc1.to(dtype))
        else:
            c_desc.store([offs_cm, offs_cn], accumulator.to(dtype))


def descriptors():
    """Persistent programs that make descriptors, and store their block in two parts."""
    def run(a, b, c, options):
        (m, k), n, programs = a.shape, b.shape[1], processors()
        descriptor_kernel[(min(programs, _blocks(m, n, options)),)](a, b, c, m, n, k, NUM_SMS=programs, **options)

    configs = [tile(128, 256, 64, 8, 3, GROUP_SIZE_M=8, EPILOGUE_SUBTILE=True, FLATTEN=True),
               tile(128, 256, 64, 8, 3, GROUP_SIZE_M=8, EPILOGUE_SUBTILE=True, FLATTEN=False),
               tile(128, 128, 64, 4, 4, GROUP_SIZE_M=8, EPILOGUE_SUBTILE=False, FLATTEN=False)]
    a, b = _operands(*place.sizes((6144, 4096, 4096), (390, 520, 80)), torch.float16, "b")
    return _product(run, a, b, configs)



# --- wide strides, wide floats ------------------------------------------------------------------------
@tw.jit
def wide_strides_kernel(x, w, y, M, N, K, stride_xm: tl.int64, stride_xk: tl.constexpr, stride_wk: tl.constexpr,
                        stride_wn: tl.int64, stride_ym: tl.int64, stride_yn: tl.constexpr, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    pid_m, pid_n = tl.swizzle2d(tl.program_id(0) // tl.cdiv(N, BLOCK_N), tl.program_id(0) % tl.cdiv(N, BLOCK_N),
                                tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP_SIZE_M)
    offs_m = pid_m.to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_n = pid_n.to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
    offs_k = tl.arange(0, BLOCK_K)
    mask_m = offs_m < M
    mask_n = offs_n < N
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for k in tl.range(0, K, BLOCK_K):
        mask_k = k + offs_k < K
        x_block = tl.load(x + offs_m[:, None] * stride_xm + (k + offs_k)[None, :] * stride_xk,
                          mask=mask_m[:, None] & mask_k[None, :], other=0.0)
        w_block = tl.load(w + (k + offs_k)[:, None] * stride_wk + offs_n[None, :] * stride_wn,
                          mask=mask_k[:, None] & mask_n[None, :], other=0.0)
        acc = tl.dot(x_block, w_block, acc=acc)
    tl.store(y + offs_m[:, None] * stride_ym + offs_n[None, :] * stride_yn, acc.to(y.dtype.element_ty),
             mask=mask_m[:, None] & mask_n[None, :])


def wide_strides():
    """Strides of 64 bits, of which constants are 1; offsets are multiplied anew in each step."""
    def run(a, b, c, options):
        (m, k), n = a.shape, b.shape[1]
        wide_strides_kernel[(_blocks(m, n, options),)](a, b, c, m, n, k, *a.stride(), *b.stride(), *c.stride(),
                                                       **options)

    return _product(run, *_operands(*place.sizes((8192, 4096, 4032), (200, 272, 80)), bfloat16(), "b"), GROUPED)


def _run_tf32(a, b, c, options):
    (m, k), n = a.shape, b.shape[1]
    grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]), 1)
    batched_kernel[grid](a, b, c, m, n, k, *a[None].stride(), *b[None].stride(), *c[None].stride(), **options)


TF32 = [tile(128, 128, 32, 8, 3), tile(128, 128, 32, 4, 3), tile(64, 128, 32, 4, 4)]


def tf32():
    """Floats of 32 bits read as tf32, where b stands transposed."""
    return _product(_run_tf32, *_operands(*place.sizes((4096, 4096, 2048), (200, 272, 80)), torch.float32, "b"), TF32)


def tf32_rows():
    """The same where b stands as it is, so that the matrix unit cannot read it in place."""
    return _product(_run_tf32, *_operands(*place.sizes((4096, 4096, 2048), (200, 272, 80)), torch.float32), TF32)


# --- half of a symmetric product ------------------------------------------------------------------------
@tw.jit
def symmetric_kernel(X, Y, M, K, x_stride_b, x_stride_r, x_stride_c, y_stride_b, y_stride_r, y_stride_c,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid = tl.program_id(axis=0)
    tiles_n = tl.cdiv(M, BLOCK_N)
    tiles_each = tl.cdiv(M, BLOCK_M) * tiles_n
    batch = pid // tiles_each
    pid = pid % tiles_each
    m_start = (pid // tiles_n) * BLOCK_M
    n_start = (pid % tiles_n) * BLOCK_N
    if m_start + BLOCK_M <= n_start:  # the mirrored block computes this one
        return
    X += batch * x_stride_b
    Y += batch * y_stride_b
    offs_m = (m_start + tl.arange(0, BLOCK_M)) % M
    offs_n = (n_start + tl.arange(0, BLOCK_N)) % M
    offs_k = tl.arange(0, BLOCK_K)
    left_ptrs = X + (offs_m[:, None] * x_stride_r + offs_k[None, :] * x_stride_c)
    right_ptrs = X + (offs_k[:, None] * x_stride_c + offs_n[None, :] * x_stride_r)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K)):
        left = tl.load(left_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        right = tl.load(right_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(left, right, acc)
        left_ptrs += BLOCK_K * x_stride_c
        right_ptrs += BLOCK_K * x_stride_c
    out = acc.to(Y.dtype.element_ty)
    offs_m = m_start + tl.arange(0, BLOCK_M)
    offs_n = n_start + tl.arange(0, BLOCK_N)
    tl.store(Y + offs_m[:, None] * y_stride_r + offs_n[None, :] * y_stride_c, out,
             mask=(offs_m[:, None] < M) & (offs_n[None, :] < M))
    tl.store(Y + offs_n[:, None] * y_stride_r + offs_m[None, :] * y_stride_c, out.T,
             mask=(offs_m[None, :] < M) & (offs_n[:, None] < M))


def symmetric():
    """x @ x.T of a batch: programs above the diagonal return early, the others store their block twice."""
    batch, m, k = place.sizes((4, 3000, 4096), (2, 280, 80))
    x = place.randn(batch, m, k, dtype=bfloat16())
    y = torch.empty(batch, m, m, device=x.device, dtype=x.dtype)

    def launch(options):
        grid = (batch * tw.cdiv(m, options["BLOCK_M"]) * tw.cdiv(m, options["BLOCK_N"]),)
        symmetric_kernel[grid](x, y, m, k, *x.stride(), *y.stride(), **options)

    configs = [tile(128, 128, 64, 4, 4), tile(128, 128, 64, 8, 3), tile(64, 128, 64, 4, 4)]
    return Problem(launch, configs, y, lambda: x.double() @ x.double().mT, flops=1.0 * batch * m * m * k)


# --- several products in a step ---------------------------------------------------------------------------
@tw.jit
def gated_kernel(x_ptr, gate_ptr, up_ptr, y_ptr, M, N, K, stride_xm, stride_xk, stride_wn, stride_wk, stride_ym,
                 stride_yn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                 GROUP_SIZE_M: tl.constexpr):
    pid = tl.program_id(0)
    num_pid_m, num_pid_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = place_of_tile(pid, GROUP_SIZE_M * num_pid_n, num_pid_m, GROUP_SIZE_M)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    x_ptrs = x_ptr + offs_m[:, None] * stride_xm + offs_k[None, :] * stride_xk
    w_offsets = offs_n[None, :] * stride_wn + offs_k[:, None] * stride_wk
    gate_ptrs = gate_ptr + w_offsets
    up_ptrs = up_ptr + w_offsets
    gate = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    up = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < M) & (k + offs_k[None, :] < K), other=0.0)
        w1 = tl.load(gate_ptrs, mask=(offs_n[None, :] < N) & (k + offs_k[:, None] < K), other=0.0)
        w2 = tl.load(up_ptrs, mask=(offs_n[None, :] < N) & (k + offs_k[:, None] < K), other=0.0)
        gate += tl.dot(x, w1)
        up += tl.dot(x, w2)
        x_ptrs += BLOCK_K * stride_xk
        gate_ptrs += BLOCK_K * stride_wk
        up_ptrs += BLOCK_K * stride_wk
    y = gate * tl.sigmoid(gate) * up
    y_ptrs = y_ptr + offs_m[:, None] * stride_ym + offs_n[None, :] * stride_yn
    tl.store(y_ptrs, y.to(y_ptr.dtype.element_ty), mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


def gated():
    """silu(x @ gate.T) * (x @ up.T): two products share the left block."""
    m, n, k = place.sizes((2048, 11008, 4096), (200, 272, 80))
    x, gate, up = (place.randn(rows, k, dtype=bfloat16()) for rows in (m, n, n))
    gate /= k**0.5
    y = torch.empty(m, n, device=x.device, dtype=x.dtype)

    def launch(options):
        gated_kernel[(_blocks(m, n, options),)](x, gate, up, y, m, n, k, *x.stride(), *gate.stride(), *y.stride(),
                                                **options)

    def expected():
        wide = x.double()
        return torch.nn.functional.silu(wide @ gate.double().T) * (wide @ up.double().T)

    configs = [tile(128, 128, 64, 8, 3, GROUP_SIZE_M=8), tile(128, 64, 64, 4, 4, GROUP_SIZE_M=8),
               tile(64, 128, 64, 4, 3, GROUP_SIZE_M=8)]
    return Problem(launch, configs, y, expected, flops=4.0 * m * n * k)


@tw.jit
def low_rank_kernel(X, W, A, B, Y, scaling, M, N, K, stride_xm, stride_xk, stride_wk, stride_wn, stride_ak, stride_ar,
                    stride_br, stride_bn, stride_ym, stride_yn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                    BLOCK_K: tl.constexpr, RANK: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    rr = tl.arange(0, RANK)
    base = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    down = tl.zeros((BLOCK_M, RANK), tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        kk = k * BLOCK_K + rk
        x = tl.load(X + rm[:, None] * stride_xm + kk[None, :] * stride_xk,
                    mask=(rm[:, None] < M) & (kk[None, :] < K), other=0.0)
        w = tl.load(W + kk[:, None] * stride_wk + rn[None, :] * stride_wn,
                    mask=(kk[:, None] < K) & (rn[None, :] < N), other=0.0)
        a = tl.load(A + kk[:, None] * stride_ak + rr[None, :] * stride_ar, mask=kk[:, None] < K, other=0.0)
        base = tl.dot(x, w, base)
        down = tl.dot(x, a, down)
    b = tl.load(B + rr[:, None] * stride_br + rn[None, :] * stride_bn, mask=rn[None, :] < N, other=0.0)
    y = base + scaling * tl.dot(down.to(b.dtype), b)
    tl.store(Y + rm[:, None] * stride_ym + rn[None, :] * stride_yn, y.to(Y.dtype.element_ty),
             mask=(rm[:, None] < M) & (rn[None, :] < N))


def low_rank():
    """x @ w and a low-rank adapter, whose first product runs beside that of w."""
    m, n, k = place.sizes((4096, 4096, 4096), (200, 272, 80))
    x, w = _operands(m, n, k, bfloat16(), "b")
    a = (place.randn(32, k) / k**0.5).to(x.dtype).T
    b = place.randn(n, 32, dtype=x.dtype).T
    y = torch.empty(m, n, device=x.device, dtype=x.dtype)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        low_rank_kernel[grid](x, w, a, b, y, 2.0, m, n, k, *x.stride(), *w.stride(), *a.stride(), *b.stride(),
                              *y.stride(), RANK=32, **options)

    def expected():
        wide = x.double()
        return wide @ w.double() + 2.0 * (wide @ a.double()) @ b.double()

    configs = [tile(128, 128, 64, 8, 3), tile(128, 64, 64, 4, 4), tile(64, 128, 64, 4, 4)]
    return Problem(launch, configs, y, expected, flops=2.0 * m * n * k + 64.0 * m * k + 64.0 * m * n)


# --- epilogues that reduce ------------------------------------------------------------------------------------
@tw.jit
def column_mean_kernel(a_ptr, b_ptr, c_ptr, mean_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                       stride_cn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_n, pid_m = tl.program_id(0), tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_m % M)[:, None] * stride_am + offs_k[None, :] * stride_ak
    b_ptrs = b_ptr + offs_k[:, None] * stride_bk + (offs_n % N)[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, K, BLOCK_K, num_stages=3):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn, acc.to(c_ptr.dtype.element_ty), mask)
    mean = tl.sum(tl.where(offs_m[:, None] < M, acc, 0.0), axis=0) / M
    tl.atomic_add(mean_ptr + offs_n, mean, mask=offs_n < N, sem="relaxed")


def column_mean():
    """A product and the mean of each of its columns, to which programs add."""
    m, n, k = place.sizes((4000, 4096, 4096), (200, 272, 80))
    a, b = _operands(m, n, k, torch.float16, "b")
    a += 0.5
    b += 0.5
    c, mean = (torch.empty(*shape, device=a.device, dtype=dtype)
               for shape, dtype in (((m, n), a.dtype), ((n,), torch.float32)))

    def launch(options):
        mean.zero_()
        grid = (tw.cdiv(n, options["BLOCK_N"]), tw.cdiv(m, options["BLOCK_M"]))
        column_mean_kernel[grid](a, b, c, mean, m, n, k, *a.stride(), *b.stride(), *c.stride(), **options)

    configs = [tile(128, 256, 64, 8, 3), tile(128, 128, 64, 8, 3), tile(128, 128, 64, 4, 3)]
    return Problem(launch, configs, mean, lambda: (a.double() @ b.double()).mean(0), flops=2.0 * m * n * k)


@tw.jit
def head_norm_kernel(x_ptr, w_ptr, gamma_ptr, y_ptr, M, K, eps, stride_xm, stride_xk, stride_wn, stride_wk, stride_ym,
                     stride_yn, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_K: tl.constexpr):
    head = tl.program_id(0)
    offs_m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    offs_n = head * HEAD_DIM + offs_d
    offs_k = tl.arange(0, BLOCK_K)
    m_mask = offs_m[:, None] < M
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    for start_k in range(0, K, BLOCK_K):
        start_k = tl.multiple_of(start_k, BLOCK_K)
        x = tl.load(x_ptr + offs_m[:, None] * stride_xm + (start_k + offs_k)[None, :] * stride_xk, mask=m_mask)
        w = tl.load(w_ptr + offs_n[:, None] * stride_wn + (start_k + offs_k)[None, :] * stride_wk)
        acc += tl.dot(x, tl.trans(w))
    variance = tl.sum(acc * acc, axis=1) / HEAD_DIM
    gamma = tl.load(gamma_ptr + offs_d).to(tl.float32)
    y = acc * tl.rsqrt(variance + eps)[:, None] * gamma[None, :]
    tl.store(y_ptr + offs_m[:, None] * stride_ym + offs_n[None, :] * stride_yn, y.to(y_ptr.dtype.element_ty),
             mask=m_mask)


def head_norm():
    """A projection whose heads are normed by the program that computed them."""
    (m, heads, k), dim = place.sizes((8100, 32, 4096), (200, 2, 128)), 128
    x, w = place.randn(m, k, dtype=bfloat16()), place.randn(heads * dim, k, dtype=bfloat16())
    gamma = place.randn(dim, dtype=x.dtype)
    y = torch.empty(m, heads * dim, device=x.device, dtype=x.dtype)

    def launch(options):
        head_norm_kernel[(heads, tw.cdiv(m, options["BLOCK_M"]))](
            x, w, gamma, y, m, k, 1e-6, *x.stride(), *w.stride(), *y.stride(), HEAD_DIM=dim, **options)

    def expected():
        wide = (x.double() @ w.double().T).view(m, heads, dim)
        normed = wide * (wide.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * gamma.double()
        return normed.view(m, -1)

    configs = [{"BLOCK_M": rows, "BLOCK_K": 64, "num_warps": warps, "num_stages": stages}
               for rows, warps, stages in ((128, 8, 4), (128, 4, 4), (64, 4, 4))]
    return Problem(launch, configs, y, expected, flops=2.0 * m * heads * dim * k)


@tw.jit
def normed_kernel(x_ptr, w_ptr, residual_ptr, y_ptr, M, N, K, eps, stride_x, stride_w, stride_r, stride_y,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, HAS_RESIDUAL: tl.constexpr):
    row_block, col_block = tl.program_id(0), tl.program_id(1)
    rows = row_block * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = col_block * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    squares = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptr + rows[:, None] * stride_x + (k + ks)[None, :],
                    mask=(rows < M)[:, None] & (k + ks < K)[None, :], other=0.0)
        w = tl.load(w_ptr + (k + ks)[:, None] * stride_w + cols[None, :],
                    mask=(k + ks < K)[:, None] & (cols < N)[None, :], other=0.0)
        wide = x.to(tl.float32)
        squares += tl.sum(wide * wide, axis=1)
        acc = tl.dot(x, w, acc)
    acc *= tl.math.rsqrt(squares / K + eps)[:, None]
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    if HAS_RESIDUAL:
        acc += tl.load(residual_ptr + rows[:, None] * stride_r + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + rows[:, None] * stride_y + cols[None, :], acc, mask=mask)


def normed():
    """residual + rms_norm(x) @ w: squares are summed in the product's loop, rows are scaled after it."""
    m, n, k = place.sizes((4096, 4096, 4096), (200, 272, 80))
    x, w = _operands(m, n, k)
    residual = place.randn(m, n, dtype=x.dtype)
    y = torch.empty_like(residual)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        normed_kernel[grid](x, w, residual, y, m, n, k, 1e-5, x.stride(0), w.stride(0), residual.stride(0),
                            y.stride(0), HAS_RESIDUAL=True, **options)

    def expected():
        wide = x.double()
        scale = (wide.square().mean(1, keepdim=True) + 1e-5).rsqrt()
        return residual.double() + (wide * scale) @ w.double()

    return Problem(launch, TILES, y, expected, flops=2.0 * m * n * k)


# --- as a generator of kernels writes it --------------------------------------------------------------------
@tw.jit
def generated_kernel(arg_A, arg_B, in_ptr2, out_ptr0, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
                     EVEN_K: tl.constexpr, ALLOW_TF32: tl.constexpr, ACC_TYPE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int32)
    grid_m = (M + BLOCK_M - 1) // BLOCK_M
    grid_n = (N + BLOCK_N - 1) // BLOCK_N
    width = GROUP_M * grid_n
    group_id = pid // width
    group_size = min(grid_m - group_id * GROUP_M, GROUP_M)
    pid_m = group_id * GROUP_M + (pid % group_size)
    pid_n = (pid % width) // group_size
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_a_m = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M) if M >= BLOCK_M else rm % M
    offs_b_n = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N) if N >= BLOCK_N else rn % N
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)
    for k_idx in range(0, tl.cdiv(K, BLOCK_K)):
        a_mask = offs_k[None, :] < (K - k_idx * BLOCK_K)
        b_mask = offs_k[:, None] < (K - k_idx * BLOCK_K)
        a_k_idx_vals = offs_k[None, :] + (k_idx * BLOCK_K)
        b_k_idx_vals = offs_k[:, None] + (k_idx * BLOCK_K)
        xindex = a_k_idx_vals + K * offs_a_m[:, None]
        yindex = offs_b_n[None, :] + N * b_k_idx_vals
        if EVEN_K:
            a = tl.load(arg_A + xindex)
            b = tl.load(arg_B + yindex)
        else:
            a = tl.load(arg_A + xindex, mask=a_mask, other=0.0)
            b = tl.load(arg_B + yindex, mask=b_mask, other=0.0)
        acc += tl.dot(a, b, allow_tf32=ALLOW_TF32, out_dtype=ACC_TYPE)
    idx_m = rm[:, None]
    idx_n = rn[None, :]
    mask = (idx_m < M) & (idx_n < N)
    index = idx_n + N * idx_m
    tmp0 = tl.load(in_ptr2 + tl.broadcast_to(idx_n, [BLOCK_M, BLOCK_N]), mask, eviction_policy="evict_last").to(
        tl.float32)
    tmp1 = acc + tmp0
    tmp2 = tl.full([1], 0, tl.int32)
    tmp3 = tl.maximum(tmp2, tmp1)
    tl.store(out_ptr0 + tl.broadcast_to(index, [BLOCK_M, BLOCK_N]), tmp3, mask)


def generated():
    """Sizes are constants, places are flat indices, and an epilogue is fused whose indices are broadcast."""
    m, n, k = place.sizes((4100, 5120, 4032), (200, 272, 80))
    a, b = _operands(m, n, k, bfloat16())
    bias = 30 * place.randn(n, dtype=a.dtype)

    def run(a, b, c, options):
        generated_kernel[(_blocks(m, n, options),)](a, b, bias, c, M=m, N=n, K=k, GROUP_M=8, ALLOW_TF32=False,
                                                    ACC_TYPE=tl.float32, EVEN_K=k % options["BLOCK_K"] == 0, **options)

    return _product(run, a, b, TILES, expected=lambda: (a.double() @ b.double() + bias.double()).relu())


PROBLEMS = [batched, tutorial, tutorial_uneven, tutorial_odd_strides, tutorial_activation, transposed_a, transposed_b,
            transposed_both, split_k, few_rows, block_pointers, persistent, descriptors, wide_strides, tf32,
            tf32_rows, symmetric, gated, low_rank, column_mean, head_norm, normed, generated]
