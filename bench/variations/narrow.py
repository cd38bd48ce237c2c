"""Products with operands of 8 bits and less, as users write them."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem, bfloat16, tile

WIDE = [tile(128, 128, 64, 8, 3), tile(128, 128, 64, 4, 3), tile(64, 128, 64, 4, 4)]
BYTES = [tile(128, 128, 128, 8, 3), tile(128, 256, 128, 8, 3), tile(128, 128, 64, 4, 4)]
GROUPS = [tile(128, 128, 128, 8, 3), tile(64, 128, 128, 4, 4), tile(128, 64, 128, 4, 3)]
PACKED = [tile(64, 128, 64, 4, 3), tile(128, 128, 64, 8, 3), tile(64, 64, 64, 4, 4)]
GPTQ = [tile(64, 128, 32, 4, 3), tile(128, 128, 64, 8, 2), tile(64, 64, 64, 4, 3)]
FEW = [tile(16, 64, 128, 4, 4), tile(16, 128, 64, 4, 3), tile(16, 32, 128, 4, 4)]
DECODE = [tile(16, 64, 128, 4, 4, SPLIT_K=4), tile(16, 128, 64, 4, 3, SPLIT_K=8), tile(16, 32, 128, 4, 4, SPLIT_K=2)]


# --- helpers of kernels and of problems ------------------------------------------------------------
@tw.jit
def grouped_order(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    num_pid_m = tl.cdiv(M, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m
    return pid_m, pid_n


@tw.jit
def store_block(ptr, value, pid_m, pid_n, M, N, stride_m, stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(ptr + stride_m * rows[:, None] + stride_n * columns[None, :], value.to(ptr.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


def blocks(m, n, *more):
    """A grid with a program for each block of the result."""
    return lambda meta: (tw.cdiv(m, meta["BLOCK_M"]) * tw.cdiv(n, meta["BLOCK_N"]), *more)


def integers(low, high, *shape, dtype=torch.int8):
    """Random integers where the workloads run."""
    return torch.randint(low, high, shape, device=place.device(), dtype=dtype)


def fp8(*shape):
    """Random floats of 8 bits."""
    return place.randn(*shape).to(torch.float8_e4m3fn)


def scales(*shape, dtype=torch.float32):
    """Positive factors."""
    return (torch.rand(*shape, device=place.device()) * 0.02 + 0.005).to(dtype)


def empty(*shape, dtype=torch.float16):
    """What a kernel writes."""
    return torch.empty(*shape, device=place.device(), dtype=dtype)


def pairs(packed, dim):
    """The integers of 4 bits of bytes, the low ones first, in double."""
    return torch.stack((packed & 15, packed >> 4), dim + 1).flatten(dim, dim + 1).double()


def spread(values, rows, columns, like):
    """Factors of blocks of rows x columns, for each element, in double."""
    wide = values.double().repeat_interleave(rows, 0).repeat_interleave(columns, 1)
    return wide[:like.shape[0], :like.shape[1]]


# --- weights of 8 bits, x of 16 --------------------------------------------------------------------
@tw.jit
def int8_weights_kernel(a_ptr, b_ptr, c_ptr, scale_ptr, bias_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn,
                        stride_cm, stride_cn, HAS_BIAS: tl.constexpr, EVEN_K: tl.constexpr, BLOCK_M: tl.constexpr,
                        BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid_m, pid_n = grouped_order(tl.program_id(axis=0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ram = tl.max_contiguous(tl.multiple_of(rm % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(rn % N, BLOCK_N), BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = a_ptr + (ram[:, None] * stride_am + rk[None, :] * stride_ak)
    B = b_ptr + (rk[:, None] * stride_bk + rbn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            a = tl.load(A)
            b = tl.load(B)
        else:
            a = tl.load(A, mask=rk[None, :] < K - k * BLOCK_K, other=0.0)
            b = tl.load(B, mask=rk[:, None] < K - k * BLOCK_K, other=0)
        acc += tl.dot(a, b.to(a.dtype))
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
    acc *= tl.load(scale_ptr + rn, mask=rn < N, other=0.0).to(tl.float32)[None, :]
    if HAS_BIAS:
        acc += tl.load(bias_ptr + rn, mask=rn < N, other=0.0).to(tl.float32)[None, :]
    store_block(c_ptr, acc, pid_m, pid_n, M, N, stride_cm, stride_cn, BLOCK_M, BLOCK_N)


def int8_weights(k_major, m, n, k):
    """x times weights of int8 with a factor for each channel, and a bias where k is contiguous."""
    a = place.randn(m, k, dtype=torch.float16)
    weights = integers(-127, 128, n, k) if k_major else integers(-127, 128, k, n)
    b = weights.T if k_major else weights
    factors = scales(n, dtype=torch.float16)
    bias = place.randn(n, dtype=torch.float16) if k_major else None
    c = empty(m, n)

    def launch(options):
        int8_weights_kernel[blocks(m, n)](a, b, c, factors, bias, m, n, k, *a.stride(), *b.stride(), *c.stride(),
                                          HAS_BIAS=bias is not None, EVEN_K=k % options["BLOCK_K"] == 0, GROUP_M=8,
                                          **options)

    def expected():
        product = a.double() @ b.double() * factors.double()
        return product if bias is None else product + bias.double()

    return Problem(launch, WIDE, c, expected, flops=2.0 * m * n * k)


def int8_channel_scales():
    """Weights of int8, k contiguous, with a factor for each channel and a bias."""
    return int8_weights(True, *place.sizes((2048, 4096, 4096), (40, 48, 128)))


def int8_channel_scales_n_major():
    """Weights of int8, n contiguous, and a k that is no multiple of the block's."""
    return int8_weights(False, *place.sizes((2000, 4096, 4112), (40, 48, 80)))


@tw.jit
def fp8_weights_kernel(X, W, Y, W_scale, M, N, K, stride_xm, stride_xk, stride_wn, stride_wk, stride_ym, stride_yn,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    x_block = tl.make_block_ptr(base=X, shape=(M, K), strides=(stride_xm, stride_xk), offsets=(pid_m * BLOCK_M, 0),
                                block_shape=(BLOCK_M, BLOCK_K), order=(1, 0))
    w_block = tl.make_block_ptr(base=W, shape=(K, N), strides=(stride_wk, stride_wn), offsets=(0, pid_n * BLOCK_N),
                                block_shape=(BLOCK_K, BLOCK_N), order=(0, 1))
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for _ in range(0, K, BLOCK_K):
        x = tl.load(x_block, boundary_check=(0, 1), padding_option="zero")
        w = tl.load(w_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(x, w.to(x.dtype), acc)
        x_block = tl.advance(x_block, (0, BLOCK_K))
        w_block = tl.advance(w_block, (BLOCK_K, 0))
    acc *= tl.load(W_scale)
    y_block = tl.make_block_ptr(Y, (M, N), (stride_ym, stride_yn), (pid_m * BLOCK_M, pid_n * BLOCK_N),
                                (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(y_block, acc.to(Y.dtype.element_ty), boundary_check=(0, 1))


def fp8_weights():
    """bf16 times weights of fp8 with one factor, by block pointers."""
    m, n, k = place.sizes((2048, 4096, 4096), (40, 48, 96))
    x, w, factor = place.randn(m, k, dtype=bfloat16()), fp8(n, k), scales(1)
    y = empty(m, n, dtype=torch.bfloat16)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        fp8_weights_kernel[grid](x, w, y, factor, m, n, k, *x.stride(), *w.stride(), *y.stride(), **options)

    return Problem(launch, WIDE, y, lambda: x.double() @ w.double().T * factor.double(), flops=2.0 * m * n * k)


# --- both operands of 8 bits -----------------------------------------------------------------------
@tw.jit
def scaled_mm_kernel(a_ptr, b_ptr, scale_a_ptr, scale_b_ptr, c_ptr, bias_ptr, M, N, K, stride_am, stride_ak,
                     stride_bk, stride_bn, stride_cm, stride_cn, ACCUMULATOR: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m, pid_n = tl.program_id(axis=0) // tl.cdiv(N, BLOCK_N), tl.program_id(axis=0) % tl.cdiv(N, BLOCK_N)
    offsets_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offsets_bn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)
    masks_am = offsets_am < M
    masks_bn = offsets_bn < N
    offsets_k = tl.arange(0, BLOCK_K).to(tl.int64)
    a_ptrs = a_ptr + stride_am * offsets_am[:, None] + stride_ak * offsets_k[None, :]
    b_ptrs = b_ptr + stride_bk * offsets_k[:, None] + stride_bn * offsets_bn[None, :]
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACCUMULATOR)
    for _ in range(0, tl.cdiv(K, BLOCK_K)):
        masks_k = offsets_k < K
        a = tl.load(a_ptrs, mask=masks_am[:, None] & masks_k[None, :])
        b = tl.load(b_ptrs, mask=masks_k[:, None] & masks_bn[None, :])
        accumulator = tl.dot(a, b, accumulator, out_dtype=ACCUMULATOR)
        offsets_k += BLOCK_K
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    scale_a = tl.load(scale_a_ptr + offsets_am, mask=masks_am, other=0.0)
    scale_b = tl.load(scale_b_ptr + offsets_bn, mask=masks_bn, other=0.0)
    out = scale_b[None, :] * (scale_a[:, None] * accumulator.to(tl.float32))
    if bias_ptr is not None:
        out += tl.load(bias_ptr + offsets_bn, mask=masks_bn)[None, :].to(tl.float32)
    c_ptrs = c_ptr + stride_cm * offsets_am[:, None] + stride_cn * offsets_bn[None, :]
    tl.store(c_ptrs, out.to(c_ptr.type.element_ty), mask=masks_am[:, None] & masks_bn[None, :])


def scaled_mm(a, weights, accumulator, bias):
    """A product with factors for rows and columns."""
    (m, k), n = a.shape, weights.shape[0]
    b = weights.T
    row_factors, column_factors = scales(m), scales(n)
    c = empty(m, n, dtype=torch.bfloat16)

    def launch(options):
        scaled_mm_kernel[blocks(m, n)](a, b, row_factors, column_factors, c, bias, m, n, k, *a.stride(), *b.stride(),
                                       *c.stride(), ACCUMULATOR=getattr(tl, accumulator), **options)

    def expected():
        product = a.double() @ b.double() * row_factors.double()[:, None] * column_factors.double()
        return product if bias is None else product + bias.double()

    return Problem(launch, BYTES, c, expected, flops=2.0 * m * n * k)


def int8_row_and_column_scales():
    """int8 times int8 in int32, then factors of rows and columns."""
    m, n, k = place.sizes((4096, 4096, 4096), (40, 48, 160))
    return scaled_mm(integers(-127, 128, m, k), integers(-127, 128, n, k), "int32", None)


def fp8_row_and_column_scales():
    """fp8 times fp8, factors of rows and columns and a bias; no side is a multiple of the block's."""
    m, n, k = place.sizes((4000, 4112, 4176), (40, 48, 144))
    return scaled_mm(fp8(m, k), fp8(n, k), "float32", place.randn(n, dtype=torch.bfloat16))


@tw.jit
def serving_blocks_kernel(A, B, C, As, Bs, M, N, K, group_n, group_k, stride_am, stride_ak, stride_bk, stride_bn,
                          stride_cm, stride_cn, stride_As_m, stride_As_k, stride_Bs_k, stride_Bs_n,
                          BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid_m, pid_n = grouped_order(tl.program_id(axis=0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    offs_am = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = A + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = B + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    As_ptrs = As + offs_am * stride_As_m
    Bs_ptrs = Bs + (offs_bn // group_n) * stride_Bs_n
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        offs_ks = k * BLOCK_K // group_k
        a_s = tl.load(As_ptrs + offs_ks * stride_As_k)
        b_s = tl.load(Bs_ptrs + offs_ks * stride_Bs_k)
        accumulator += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    store_block(C, accumulator, pid_m, pid_n, M, N, stride_cm, stride_cn, BLOCK_M, BLOCK_N)


def serving_blocks(column_major):
    """Factors of 1 x 128 and 128 x 128 values inside of the loop."""
    m, n, k = place.sizes((4096, 7168, 2048), (40, 200, 256))
    a, b = fp8(m, k), fp8(n, k)
    a_factors = scales(tw.cdiv(k, 128), m).T if column_major else scales(m, tw.cdiv(k, 128))
    b_factors = scales(tw.cdiv(n, 128), tw.cdiv(k, 128))
    c = empty(m, n, dtype=torch.bfloat16)

    def launch(options):
        serving_blocks_kernel[blocks(m, n)](
            a, b, c, a_factors, b_factors, m, n, k, 128, 128, *a.stride(), b.stride(1), b.stride(0), *c.stride(),
            *a_factors.stride(), b_factors.stride(1), b_factors.stride(0), GROUP_M=16, **options)

    def expected():
        wide_a = a.double() * spread(a_factors, 1, 128, a)
        return wide_a @ (b.double() * spread(b_factors, 128, 128, b)).T

    return Problem(launch, GROUPS, c, expected, flops=2.0 * m * n * k)


def fp8_blocks_serving():
    """Factors of groups and blocks in the loop, as servers multiply."""
    return serving_blocks(False)


def fp8_blocks_serving_column_major():
    """The same with factors of x that are contiguous along its rows."""
    return serving_blocks(True)


@tw.jit
def act_quant_kernel(x_ptr, y_ptr, s_ptr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offs).to(tl.float32)
    s = tl.maximum(tl.max(tl.abs(x)), 1e-4) / 448.0
    tl.store(y_ptr + offs, (x / s).to(y_ptr.dtype.element_ty))
    tl.store(s_ptr + pid, s)


@tw.jit
def research_blocks_kernel(a_ptr, b_ptr, c_ptr, a_s_ptr, b_s_ptr, M, N: tl.constexpr, K: tl.constexpr,
                           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m, pid_n = tl.program_id(axis=0), tl.program_id(axis=1)
    k = tl.cdiv(K, BLOCK_K)
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + offs_m[:, None] * K + offs_k[None, :]
    b_ptrs = b_ptr + offs_n[None, :] * K + offs_k[:, None]
    a_s_ptrs = a_s_ptr + offs_m * k
    b_s_ptrs = b_s_ptr + (offs_n // BLOCK_K) * k
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(k):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - i * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - i * BLOCK_K, other=0.0)
        a_s, b_s = tl.load(a_s_ptrs), tl.load(b_s_ptrs)
        accumulator += tl.dot(a, b) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_K
        b_ptrs += BLOCK_K
        a_s_ptrs += 1
        b_s_ptrs += 1
    store_block(c_ptr, accumulator, pid_m, pid_n, M, N, N, 1, BLOCK_M, BLOCK_N)


def fp8_blocks_research():
    """Activations are quantised by groups, then multiplied; sides are constants, pointers of factors advance."""
    m, n, k = place.sizes((2048, 7168, 2048), (40, 200, 256))
    x, b = place.randn(m, k, dtype=torch.bfloat16), fp8(n, k)
    a, a_factors = empty(m, k, dtype=torch.float8_e4m3fn), empty(m, k // 128, dtype=torch.float32)
    b_factors = scales(tw.cdiv(n, 128), k // 128)
    c = empty(m, n, dtype=torch.bfloat16)

    def launch(options):
        act_quant_kernel[(m * k // 128,)](x, a, a_factors, BLOCK_SIZE=128)
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        research_blocks_kernel[grid](a, b, c, a_factors, b_factors, m, n, k, **options)

    def expected():
        factors = x.float().reshape(m, -1, 128).abs().amax(2).clamp_min(1e-4) / 448
        wide = factors.repeat_interleave(128, 1)
        wide_a = (x.float() / wide).to(torch.float8_e4m3fn).double() * wide.double()
        return wide_a @ (b.double() * spread(b_factors, 128, 128, b)).T

    return Problem(launch, [tile(32, 64, 128, 8, 4), *GROUPS], c, expected, flops=2.0 * m * n * k,
                   tolerance=0.08 if place.is_dry() else 8e-3)  # interpreted, floats are cut to 8 bits


@tw.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, a_scale, b_scale, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                      BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr, NUM_SMS: tl.constexpr, FLATTEN: tl.constexpr):
    a_desc = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BLOCK_M, BLOCK_K])
    b_desc = tl.make_tensor_descriptor(b_ptr, shape=[N, K], strides=[K, 1], block_shape=[BLOCK_N, BLOCK_K])
    c_desc = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BLOCK_M, BLOCK_N])
    num_tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    scale = tl.load(a_scale) * tl.load(b_scale)
    for tile_id in tl.range(tl.program_id(axis=0), num_tiles, NUM_SMS, flatten=FLATTEN):
        pid_m, pid_n = grouped_order(tile_id, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        offs_am, offs_bn = pid_m * BLOCK_M, pid_n * BLOCK_N
        accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for ki in range(tl.cdiv(K, BLOCK_K)):
            a, b = a_desc.load([offs_am, ki * BLOCK_K]), b_desc.load([offs_bn, ki * BLOCK_K])
            accumulator = tl.dot(a, b.T, accumulator)
        c_desc.store([offs_am, offs_bn], (accumulator * scale).to(c_ptr.dtype.element_ty))


def fp8_persistent():
    """Programs that stay, with descriptors that they make; one factor for each operand."""
    m, n, k, programs = place.sizes((4096, 4096, 4096, 132), (256, 256, 256, 2))
    a, b, a_scale, b_scale = fp8(m, k), fp8(n, k), scales(1), scales(1)
    c = empty(m, n)
    configs = [{**options, "FLATTEN": flatten} for options in BYTES[:2] for flatten in (False, True)]

    def launch(options):
        persistent_kernel[(programs,)](a, b, c, a_scale, b_scale, m, n, k, GROUP_M=8, NUM_SMS=programs, **options)

    return Problem(launch, configs, c, lambda: a.double() @ b.double().T * a_scale.double() * b_scale.double(),
                   flops=2.0 * m * n * k)


# --- weights of 4 bits -----------------------------------------------------------------------------
@tw.jit
def gptq_kernel(a_ptr, b_ptr, c_ptr, scales_ptr, zeros_ptr, g_ptr, M, N, K, bits, maxq, stride_am, stride_ak,
                stride_bk, stride_bn, stride_cm, stride_cn, stride_scales, stride_zeros, HAS_G_IDX: tl.constexpr,
                group_size: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                GROUP_M: tl.constexpr):
    per_word = 32 // bits
    pid_m, pid_n = grouped_order(tl.program_id(axis=0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    offs_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_bn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + ((offs_k[:, None] // per_word) * stride_bk + offs_bn[None, :] * stride_bn)
    g_ptrs = g_ptr + offs_k
    scales_ptrs = scales_ptr + offs_bn[None, :]
    zeros_ptrs = zeros_ptr + offs_bn[None, :] // per_word
    shifter = (offs_k % per_word) * bits
    zeros_shifter = (offs_bn % per_word) * bits
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        if HAS_G_IDX:
            group = tl.load(g_ptrs)[:, None]
        else:
            group = (k * BLOCK_K) // group_size
        scale = tl.load(scales_ptrs + group * stride_scales)
        zero = tl.load(zeros_ptrs + group * stride_zeros)
        zero = ((zero >> zeros_shifter[None, :]) & maxq) + 1
        a = tl.load(a_ptrs, mask=offs_am[:, None] < M, other=0.0)
        b = tl.load(b_ptrs)
        b = (((b >> shifter[:, None]) & maxq) - zero) * scale
        accumulator += tl.dot(a, b.to(a.dtype))
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += (BLOCK_K // per_word) * stride_bk
        g_ptrs += BLOCK_K
    store_block(c_ptr, accumulator, pid_m, pid_n, M, N, stride_cm, stride_cn, BLOCK_M, BLOCK_N)


def unpack(words, order=range(8)):
    """The integers of 4 bits of words, in a new last dimension."""
    return torch.stack([(words >> 4 * place) & 15 for place in order], dim=-1)


def words(*shape):
    """Random words of 8 integers."""
    return integers(-2**31, 2**31, *shape, dtype=torch.int32)


def gptq(has_g_idx, m, n, k, configs):
    """Words of 8 weights along k, words of zeros along n, factors of groups of 128."""
    a, b = place.randn(m, k, dtype=torch.float16), words(k // 8, n)
    factors, zeros = scales(k // 128, n, dtype=torch.float16), words(k // 128, n // 8)
    group = torch.arange(k, device=a.device, dtype=torch.int32) // 128
    if has_g_idx:
        group = group[torch.randperm(k, device=a.device)].contiguous()
    c = empty(m, n)

    def launch(options):
        gptq_kernel[blocks(m, n)](a, b, c, factors, zeros, group, m, n, k, 4, 15, *a.stride(), *b.stride(),
                                  *c.stride(), factors.stride(0), zeros.stride(0), HAS_G_IDX=has_g_idx,
                                  group_size=128, GROUP_M=8, **options)

    def expected():
        values = unpack(b).permute(0, 2, 1).reshape(k, n) - (unpack(zeros).reshape(-1, n) + 1)[group.long()]
        return a.double() @ (values * factors.double()[group.long()])

    return Problem(launch, configs, c, expected, flops=2.0 * m * n * k)


def int4_gptq_g_idx():
    """Words of 8 weights along k; an index tells the group of each row."""
    return gptq(True, *place.sizes((1024, 4096, 4096), (24, 128, 256)), GPTQ)


def int4_gptq_groups():
    """Words of 8 weights along k in groups, for few rows."""
    return gptq(False, *place.sizes((16, 8192, 8192), (9, 128, 256)), FEW)


@tw.jit
def repeat_eight_times(x):
    x = tl.interleave(x, x)
    x = tl.interleave(x, x)
    return tl.interleave(x, x)


@tw.jit
def awq_kernel(a_ptr, b_ptr, c_ptr, zeros_ptr, scales_ptr, M, N, K, group_size, BLOCK_M: tl.constexpr,
               BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr):
    pid, pid_z = tl.program_id(axis=0), tl.program_id(1)
    pid_m, pid_n = pid // tl.cdiv(N, BLOCK_N), pid % tl.cdiv(N, BLOCK_N)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=c_ptr.type.element_ty)
    order = ((tl.arange(0, 2) * 4)[None, :] + tl.arange(0, 4)[:, None]).reshape(8)
    shifts = tl.broadcast_to((order * 4)[None, :], (BLOCK_K * (BLOCK_N // 8), 8)).reshape((BLOCK_K, BLOCK_N))
    offsets_am = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    masks_am = offsets_am < M
    offsets_bn = pid_n * (BLOCK_N // 8) + tl.arange(0, BLOCK_N // 8)
    masks_bn = offsets_bn < N // 8
    offsets_sn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    masks_sn = offsets_sn < N
    offsets_k = pid_z * BLOCK_K + tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + K * offsets_am[:, None] + offsets_k[None, :]
    b_ptrs = b_ptr + (N // 8) * offsets_k[:, None] + offsets_bn[None, :]
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        masks_k = offsets_k < K
        a = tl.load(a_ptrs, mask=masks_am[:, None] & masks_k[None, :], other=0.0)
        b = tl.load(b_ptrs, mask=masks_k[:, None] & masks_bn[None, :], other=0)
        b = repeat_eight_times(b)
        offsets_gk = (BLOCK_K * SPLIT_K * k + pid_z * BLOCK_K) // group_size + tl.arange(0, 1)
        masks_gk = offsets_gk < K // group_size
        zeros = tl.load(zeros_ptr + (N // 8) * offsets_gk[:, None] + offsets_bn[None, :],
                        mask=masks_gk[:, None] & masks_bn[None, :], other=0)
        zeros = repeat_eight_times(zeros)
        zeros = tl.broadcast_to(zeros, (BLOCK_K, BLOCK_N))
        scale = tl.load(scales_ptr + N * offsets_gk[:, None] + offsets_sn[None, :],
                        mask=masks_gk[:, None] & masks_sn[None, :], other=0.0)
        b = (b >> shifts) & 0xF
        zeros = (zeros >> shifts) & 0xF
        b = ((b - zeros) * tl.broadcast_to(scale, (BLOCK_K, BLOCK_N))).to(c_ptr.type.element_ty)
        accumulator = tl.dot(a, b, accumulator, out_dtype=c_ptr.type.element_ty)
        offsets_k += BLOCK_K * SPLIT_K
        a_ptrs += BLOCK_K * SPLIT_K
        b_ptrs += BLOCK_K * SPLIT_K * (N // 8)
    c_ptr += pid_z * N * M
    tl.store(c_ptr + N * offsets_am[:, None] + offsets_sn[None, :], accumulator,
             mask=masks_am[:, None] & masks_sn[None, :])


def int4_awq():
    """Words of 8 weights along n in an order of their own, in parts of k that are summed afterwards."""
    m, n, k = place.sizes((64, 8192, 8192), (24, 128, 512))
    a, b = place.randn(m, k, dtype=torch.float16), words(k, n // 8)
    factors, zeros = scales(k // 128, n, dtype=torch.float16), words(k // 128, n // 8)
    parts, c = empty(8, m, n), empty(m, n)
    configs = [tile(32, 32, 64, 4, 3, SPLIT_K=8), tile(64, 64, 128, 4, 3, SPLIT_K=4),
               tile(64, 128, 64, 8, 4, SPLIT_K=8)]

    def launch(options):
        split = options["SPLIT_K"]
        awq_kernel[blocks(m, n, split)](a, b, parts, zeros, factors, m, n, k, 128, **options)
        torch.sum(parts[:split], 0, out=c)

    def expected():
        values, offsets = (unpack(each, (0, 4, 1, 5, 2, 6, 3, 7)).reshape(-1, n) for each in (b, zeros))
        return a.double() @ ((values - offsets.repeat_interleave(128, 0)) * spread(factors, 128, 1, values))

    return Problem(launch, configs, c, expected, flops=2.0 * m * n * k, tolerance=1e-2)


@tw.jit
def packed_rows_kernel(x_ptr, w_ptr, y_ptr, s_ptr, z_ptr, M, N, K, stride_xm, stride_xk, stride_wk, stride_wn,
                       stride_ym, stride_yn, stride_sg, stride_sn, GROUP: tl.constexpr, HAS_ZEROS: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m, pid_n = tl.program_id(0) % tl.cdiv(M, BLOCK_M), tl.program_id(0) // tl.cdiv(M, BLOCK_M)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.max_contiguous(tl.multiple_of((pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N, BLOCK_N), BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    packed_k = tl.arange(0, BLOCK_K // 2)
    x_ptrs = x_ptr + (offs_m % M)[:, None] * stride_xm + offs_k[None, :] * stride_xk
    w_ptrs = w_ptr + packed_k[:, None] * stride_wk + offs_n[None, :] * stride_wn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(x_ptrs)
        packed = tl.load(w_ptrs)
        s_offsets = (k // GROUP) * stride_sg + offs_n * stride_sn
        s = tl.load(s_ptr + s_offsets)[None, :]
        if HAS_ZEROS:
            low = (packed & 0xF).to(tl.float16)
            high = (packed >> 4).to(tl.float16)
            z = tl.load(z_ptr + s_offsets)[None, :]
        else:
            low = ((packed << 4).to(tl.int8, bitcast=True) >> 4).to(tl.float16)
            high = (packed.to(tl.int8, bitcast=True) >> 4).to(tl.float16)
            z = 0.0
        w = tl.join(low, high).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        acc = tl.dot(x, ((w - z) * s).to(x.dtype), acc)
        x_ptrs += BLOCK_K * stride_xk
        w_ptrs += (BLOCK_K // 2) * stride_wk
    store_block(y_ptr, acc, pid_m, pid_n, M, N, stride_ym, stride_yn, BLOCK_M, BLOCK_N)


def packed_rows(has_zeros, m, n, k, group):
    """Bytes of two weights that follow each other along k, signed or with zeros that are floats."""
    x, w = place.randn(m, k, dtype=torch.float16), integers(0, 256, k // 2, n, dtype=torch.uint8)
    factors = scales(k // group, n, dtype=torch.float16)
    zeros = (torch.rand(k // group, n, device=x.device) * 15).half() if has_zeros else factors
    y = empty(m, n)

    def launch(options):
        packed_rows_kernel[blocks(m, n)](x, w, y, factors, zeros, m, n, k, *x.stride(), *w.stride(), *y.stride(),
                                         *factors.stride(), GROUP=group, HAS_ZEROS=has_zeros, **options)

    def expected():
        values = pairs(w, 0)
        if has_zeros:
            values -= zeros.double().repeat_interleave(group, 0)
        else:
            values -= 16.0 * (values > 7)
        return x.double() @ (values * factors.double().repeat_interleave(group, 0))

    return Problem(launch, PACKED, y, expected, flops=2.0 * m * n * k)


def int4_joined():
    """Signed pairs of a byte, joined along k."""
    return packed_rows(False, *place.sizes((2048, 4096, 4096), (40, 128, 256)), 128)


def int4_float_zeros():
    """Pairs of a byte, with zeros and factors of groups of 64 that are halves."""
    return packed_rows(True, *place.sizes((1000, 4096, 4096), (40, 128, 256)), 64)


# --- formats with a power of two for each 32 values ------------------------------------------------
@tw.jit
def decode_e2m1(codes):
    magnitude = codes & 7
    value = tl.where(magnitude < 2, magnitude * 0.5, (2 + (magnitude & 1)) * tl.exp2((magnitude >> 1) - 2.0))
    return tl.where((codes & 8) != 0, -value, value)


@tw.jit
def widen(values, exponents, PACKED: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, BLOCK_K: tl.constexpr):
    if PACKED:
        values = tl.interleave(decode_e2m1((values & 15).to(tl.int32)), decode_e2m1((values >> 4).to(tl.int32)))
    factors = (exponents.to(tl.uint16) << 7).to(tl.bfloat16, bitcast=True).to(tl.float32)
    wide = values.to(tl.float32).reshape(ROWS, BLOCK_K // 32, 32) * factors[:, :, None]
    return wide.reshape(ROWS, BLOCK_K).to(WIDE)


@tw.jit
def mx_kernel(a_ptr, as_ptr, b_ptr, bs_ptr, c_ptr, M, N, K, stride_am, stride_asm, stride_bn, stride_bsn, stride_cm,
              B_FORMAT: tl.constexpr, A_FORMAT: tl.constexpr, IN_SOFTWARE: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    pid_m, pid_n = grouped_order(tl.program_id(axis=0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    PACK: tl.constexpr = 2 if B_FORMAT == "e2m1" else 1
    offs_m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    offs_n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k, offs_kb = tl.arange(0, BLOCK_K), tl.arange(0, BLOCK_K // PACK)
    offs_ks = tl.arange(0, BLOCK_K // 32)
    a_ptrs = a_ptr + offs_m[:, None] * stride_am + offs_k[None, :]
    as_ptrs = as_ptr + offs_m[:, None] * stride_asm + offs_ks[None, :]
    b_ptrs = b_ptr + offs_n[:, None] * stride_bn + offs_kb[None, :]
    bs_ptrs = bs_ptr + offs_n[:, None] * stride_bsn + offs_ks[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in tl.range(0, tl.cdiv(K, BLOCK_K)):
        a, b, b_scale = tl.load(a_ptrs), tl.load(b_ptrs), tl.load(bs_ptrs)
        a_scale = None if A_FORMAT == "bf16" else tl.load(as_ptrs)
        if IN_SOFTWARE is not None:
            left = a if A_FORMAT == "bf16" else widen(a, a_scale, False, IN_SOFTWARE, BLOCK_M, BLOCK_K)
            acc = tl.dot(left, widen(b, b_scale, PACK == 2, IN_SOFTWARE, BLOCK_N, BLOCK_K).T, acc)
        else:
            acc = tl.dot_scaled(a, a_scale, A_FORMAT, b.T, b_scale, B_FORMAT, acc)
        a_ptrs += BLOCK_K
        as_ptrs += BLOCK_K // 32
        b_ptrs += BLOCK_K // PACK
        bs_ptrs += BLOCK_K // 32
    store_block(c_ptr, acc, pid_m, pid_n, M, N, stride_cm, 1, BLOCK_M, BLOCK_N)


def exponents(rows, k):
    """Powers of two near 1 as exponents of 8 bits, and as numbers for each element."""
    bits = integers(124, 131, rows, k // 32, dtype=torch.uint8)
    return bits, (2.0 ** (bits.double() - 127)).repeat_interleave(32, 1)


def mx(a_format, b_format, software=False):
    """A product of scaled formats; interpreted, it widens in software in any case."""
    m, n, k = place.sizes((2048, 4096, 4096), (40, 48, 256))
    is_wide, is_packed = a_format == "bf16", b_format == "e2m1"
    a = place.randn(m, k, dtype=bfloat16()) if is_wide else fp8(m, k)
    b = integers(0, 256, n, k // 2, dtype=torch.uint8) if is_packed else fp8(n, k)
    (a_bits, a_factors), (b_bits, b_factors) = exponents(m, k), exponents(n, k)
    c = empty(m, n, dtype=torch.bfloat16)
    wide = tl.float16 if place.is_dry() else tl.bfloat16 if software else None

    def launch(options):
        mx_kernel[blocks(m, n)](a, a_bits, b, b_bits, c, m, n, k, a.stride(0), a_bits.stride(0), b.stride(0),
                                b_bits.stride(0), c.stride(0), A_FORMAT=a_format, B_FORMAT=b_format,
                                IN_SOFTWARE=wide, GROUP_M=8, **options)

    def expected():
        values = b.double()
        if is_packed:
            magnitudes = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
            table = torch.tensor(magnitudes + [-each for each in magnitudes], device=a.device, dtype=torch.float64)
            values = table[pairs(b, 1).long()]
        return (a.double() if is_wide else a.double() * a_factors) @ (values * b_factors).T

    return Problem(launch, [tile(128, 128, 64, 8, 3), tile(128, 128, 128, 8, 2), tile(64, 128, 128, 4, 3)], c, expected,
                   flops=2.0 * m * n * k)


def mxfp4_weights():
    """bf16 times weights of e2m1 with exponents."""
    return mx("bf16", "e2m1")


def mxfp8():
    """e4m3 times e4m3, both with exponents."""
    return mx("e4m3", "e4m3")


def mxfp4_weights_in_software():
    """Weights of e2m1 that the kernel itself widens."""
    return mx("bf16", "e2m1", software=True)


# --- few rows --------------------------------------------------------------------------------------
@tw.jit
def split_k_kernel(x_ptr, w_ptr, y_ptr, s_ptr, M, N, K, stride_xm, stride_xk, stride_wn, stride_wk, stride_ym,
                   stride_yn, IS_INT4: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr, SPLIT_K: tl.constexpr):
    pid_n, pid_k = tl.program_id(0), tl.program_id(1)
    rm, rn = tl.arange(0, BLOCK_M), pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = pid_k * BLOCK_K + tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K * SPLIT_K)):
        ks = rk + k * BLOCK_K * SPLIT_K
        x = tl.load(x_ptr + rm[:, None] * stride_xm + ks[None, :] * stride_xk, mask=rm[:, None] < M, other=0.0)
        if IS_INT4:
            w = tl.load(w_ptr + rn[None, :] * stride_wn + (ks // 2)[:, None] * stride_wk)
            w = ((w >> ((ks % 2) * 4)[:, None].to(tl.uint8)) & 0xF).to(tl.float16) - 8.0
        else:
            w = tl.load(w_ptr + rn[None, :] * stride_wn + ks[:, None] * stride_wk)
        acc += tl.dot(x, w.to(x.dtype))
    acc *= tl.load(s_ptr + rn)[None, :]
    tl.atomic_add(y_ptr + rm[:, None] * stride_ym + rn[None, :] * stride_yn, acc, mask=rm[:, None] < M, sem="relaxed")


def split_k(is_int4, m, n, k):
    """Few rows times weights of 8 or 4 bits, k in parts that are added to the result."""
    x = place.randn(m, k, dtype=torch.float16)
    w = integers(0, 256, n, k // 2, dtype=torch.uint8) if is_int4 else integers(-127, 128, n, k)
    factors, y = scales(n), empty(m, n, dtype=torch.float32)

    def launch(options):
        y.zero_()
        split_k_kernel[(tw.cdiv(n, options["BLOCK_N"]), options["SPLIT_K"])](
            x, w, y, factors, m, n, k, *x.stride(), *w.stride(), *y.stride(), IS_INT4=is_int4, **options)

    def expected():
        values = pairs(w, 1) - 8 if is_int4 else w.double()
        return x.double() @ values.T * factors.double()

    return Problem(launch, DECODE, y, expected, bytes=1.0 * w.numel() + 2.0 * x.numel() + 8.0 * y.numel())


def int8_few_rows():
    """7 rows times weights of int8, parts of k added by atomics."""
    return split_k(False, *place.sizes((7, 8192, 8192), (3, 128, 1024)))


def int4_few_rows():
    """16 rows times weights of int4, whose bytes are loaded for each of their halves."""
    return split_k(True, *place.sizes((16, 8192, 8192), (16, 128, 1024)))


@tw.jit
def one_row_kernel(x_ptr, w_ptr, y_ptr, s_ptr, N, K, stride_wn, stride_sn, GROUP: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    rn = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K // 2)
    acc = tl.zeros((BLOCK_N,), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        even = tl.load(x_ptr + k + rk * 2).to(tl.float32)
        odd = tl.load(x_ptr + k + rk * 2 + 1).to(tl.float32)
        packed = tl.load(w_ptr + rn[:, None] * stride_wn + (k // 2 + rk)[None, :], mask=rn[:, None] < N, other=0,
                         eviction_policy="evict_first")
        s = tl.load(s_ptr + rn * stride_sn + k // GROUP, mask=rn < N, other=0.0).to(tl.float32)
        low, high = (packed & 0xF).to(tl.float32) - 8.0, (packed >> 4).to(tl.float32) - 8.0
        acc += tl.sum(low * even[None, :] + high * odd[None, :], axis=1) * s
    tl.store(y_ptr + rn, acc.to(y_ptr.dtype.element_ty), mask=rn < N)


def int4_one_row():
    """One row times weights of int4, by sums and not by products of blocks."""
    n, k = place.sizes((16384, 8192), (100, 512))
    x, w = place.randn(k, dtype=torch.bfloat16), integers(0, 256, n, k // 2, dtype=torch.uint8)
    factors = scales(n, k // 128, dtype=torch.bfloat16)
    y = empty(n, dtype=torch.bfloat16)
    configs = [{"BLOCK_N": rows, "BLOCK_K": 128, "num_warps": warps, "num_stages": stages}
               for rows, warps, stages in ((32, 4, 3), (64, 8, 2), (16, 2, 4))]

    def launch(options):
        one_row_kernel[(tw.cdiv(n, options["BLOCK_N"]),)](x, w, y, factors, n, k, w.stride(0), factors.stride(0),
                                                         GROUP=128, **options)

    def expected():
        values = pairs(w, 1) - 8
        return (values * factors.double().repeat_interleave(128, 1)) @ x.double()

    return Problem(launch, configs, y, expected, bytes=1.0 * w.numel() + 2.0 * (factors.numel() + k + n))


PROBLEMS = [int8_channel_scales, int8_channel_scales_n_major, fp8_weights, int8_row_and_column_scales,
            fp8_row_and_column_scales, fp8_blocks_serving, fp8_blocks_serving_column_major, fp8_blocks_research,
            fp8_persistent, int4_gptq_g_idx, int4_gptq_groups, int4_awq, int4_joined, int4_float_zeros,
            mxfp4_weights, mxfp8, mxfp4_weights_in_software, int8_few_rows, int4_few_rows, int4_one_row]
