"""Groups of products, layers of experts, convolutions and adapters, as users write them."""

from functools import cache

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem, bfloat16, processors, tile

TILES = [tile(128, 128, 64, 4, 4), tile(128, 128, 64, 8, 3), tile(64, 128, 64, 4, 4)]


def _compute_type():
    return tl.float16 if place.is_dry() else tl.bfloat16


def _integers(values, dtype=torch.int32):
    return torch.tensor(values, dtype=dtype, device=place.device())


def _lengths(total, parts):
    """So many random lengths, none of them zero, with that sum."""
    bounds = [0, *(torch.randperm(total - 1)[:parts - 1] + 1).sort().values.tolist(), total]
    return [end - start for start, end in zip(bounds, bounds[1:], strict=False)]


# --- groups of products, which a table of addresses describes ---------------------------------------------
@tw.jit
def grouped_kernel(group_a_ptrs, group_b_ptrs, group_c_ptrs, group_gemm_sizes, g_lds, group_size,
                   NUM_SM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(group_gemm_sizes + g * 3)
        gn = tl.load(group_gemm_sizes + g * 3 + 1)
        gk = tl.load(group_gemm_sizes + g * 3 + 2)
        num_m_tiles = tl.cdiv(gm, BLOCK_M)
        num_n_tiles = tl.cdiv(gn, BLOCK_N)
        num_tiles = num_m_tiles * num_n_tiles
        while tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles:
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(tl.float16))
            tile_in_problem = tile_idx - last_problem_end
            offs_am = (tile_in_problem // num_n_tiles) * BLOCK_M + tl.arange(0, BLOCK_M)
            offs_bn = (tile_in_problem % num_n_tiles) * BLOCK_N + tl.arange(0, BLOCK_N)
            offs_k = tl.arange(0, BLOCK_K)
            a_ptrs = a_ptr + offs_am[:, None] * lda + offs_k[None, :]
            b_ptrs = b_ptr + offs_k[:, None] * ldb + offs_bn[None, :]
            accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
            for _ in range(0, tl.cdiv(gk, BLOCK_K)):
                tl.multiple_of(a_ptrs, [16, 16])
                tl.multiple_of(b_ptrs, [16, 16])
                a = tl.load(a_ptrs)
                b = tl.load(b_ptrs)
                accumulator += tl.dot(a, b)
                a_ptrs += BLOCK_K
                b_ptrs += BLOCK_K * ldb
            c_ptrs = c_ptr + ldc * offs_am[:, None] + offs_bn[None, :]
            tl.store(c_ptrs, accumulator.to(tl.float16))
            tile_idx += NUM_SM
        last_problem_end = last_problem_end + num_tiles


@tw.jit
def grouped_descriptor_kernel(group_a_ptrs, group_b_ptrs, group_c_ptrs, group_gemm_sizes, g_lds, group_size,
                              NUM_SM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                              BLOCK_K: tl.constexpr):
    dtype = tl.float16
    tile_idx = tl.program_id(0)
    last_problem_end = 0
    for g in range(group_size):
        gm = tl.load(group_gemm_sizes + g * 3)
        gn = tl.load(group_gemm_sizes + g * 3 + 1)
        gk = tl.load(group_gemm_sizes + g * 3 + 2)
        num_m_tiles = tl.cdiv(gm, BLOCK_M)
        num_n_tiles = tl.cdiv(gn, BLOCK_N)
        num_tiles = num_m_tiles * num_n_tiles
        if tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles:
            lda = tl.load(g_lds + g * 3)
            ldb = tl.load(g_lds + g * 3 + 1)
            ldc = tl.load(g_lds + g * 3 + 2)
            a_ptr = tl.load(group_a_ptrs + g).to(tl.pointer_type(dtype))
            b_ptr = tl.load(group_b_ptrs + g).to(tl.pointer_type(dtype))
            c_ptr = tl.load(group_c_ptrs + g).to(tl.pointer_type(dtype))
            a_desc = tl.make_tensor_descriptor(a_ptr, shape=[gm, gk], strides=[lda, 1],
                                               block_shape=[BLOCK_M, BLOCK_K])
            b_desc = tl.make_tensor_descriptor(b_ptr, shape=[gn, gk], strides=[ldb, 1],
                                               block_shape=[BLOCK_N, BLOCK_K])
            c_desc = tl.make_tensor_descriptor(c_ptr, shape=[gm, gn], strides=[ldc, 1],
                                               block_shape=[BLOCK_M, BLOCK_N])
            while tile_idx >= last_problem_end and tile_idx < last_problem_end + num_tiles:
                tile_in_problem = tile_idx - last_problem_end
                offs_am = (tile_in_problem // num_n_tiles) * BLOCK_M
                offs_bn = (tile_in_problem % num_n_tiles) * BLOCK_N
                accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
                for kk in range(0, tl.cdiv(gk, BLOCK_K)):
                    a = a_desc.load([offs_am, kk * BLOCK_K])
                    b = b_desc.load([offs_bn, kk * BLOCK_K])
                    accumulator += tl.dot(a, b.T)
                c_desc.store([offs_am, offs_bn], accumulator.to(dtype))
                tile_idx += NUM_SM
        last_problem_end = last_problem_end + num_tiles


def _grouped(kernel, sizes, turned, configs):
    """Products of several sizes, written one after the other."""
    operands = [(place.randn(m, k, dtype=torch.float16), place.randn(*((n, k) if turned else (k, n)),
                                                                     dtype=torch.float16)) for m, n, k in sizes]
    output = torch.empty(sum(m * n for m, n, _ in sizes), device=place.device(), dtype=torch.float16)
    parts = output.split([m * n for m, n, _ in sizes])
    tables = [_integers([tensor.data_ptr() for tensor in tensors], torch.int64)
              for tensors in ([a for a, _ in operands], [b for _, b in operands], parts)]
    described = _integers(sizes)
    leading = _integers([(k, k if turned else n, n) for _, n, k in sizes])
    programs = processors()

    def launch(options):
        kernel[(programs,)](*tables, described, leading, len(sizes), NUM_SM=programs, **options)

    def expected():
        return torch.cat([(a.double() @ (b.double().T if turned else b.double())).view(-1) for a, b in operands])

    return Problem(launch, configs, output, expected, flops=sum(2.0 * m * n * k for m, n, k in sizes))


def grouped():
    """Products of a table of addresses, with pointers and a loop over the tiles of each."""
    sizes = place.sizes([(1024, 2048, 4096), (512, 4096, 2048), (2048, 2048, 1024), (256, 4096, 4096),
                         (1536, 1024, 2048), (3072, 2048, 2048), (128, 4096, 8192), (640, 2048, 4096)],
                        [(128, 256, 128), (256, 128, 192)])
    return _grouped(grouped_kernel, sizes, False, TILES)


def grouped_descriptors():
    """The same with descriptors made of what the table holds; sizes are no multiples of the block."""
    sizes = place.sizes([(1000, 2048, 4096), (511, 4096, 2064), (2048, 2000, 1024), (201, 4096, 4096),
                         (1536, 1024, 2048), (3001, 2048, 2048), (77, 4096, 8192), (640, 2048, 4096)],
                        [(100, 200, 128), (200, 128, 144)])
    return _grouped(grouped_descriptor_kernel, sizes, True, [*TILES[:2], tile(128, 256, 64, 8, 3)])


# --- layers of experts ------------------------------------------------------------------------------------
@tw.jit
def write_zeros(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, compute_type: tl.constexpr):
    zeros = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute_type)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, zeros, mask=token_mask[:, None] & (offs_cn[None, :] < N))


@tw.jit
def experts_kernel(
    a_ptr, b_ptr, c_ptr, a_scale_ptr, b_scale_ptr, topk_weights_ptr, sorted_token_ids_ptr, expert_ids_ptr,
    num_tokens_post_padded_ptr, N, K, EM, num_valid_tokens, stride_am, stride_ak, stride_be, stride_bk, stride_bn,
    stride_cm, stride_cn, stride_asm, stride_ask, stride_bse, stride_bsk, stride_bsn, group_n: tl.constexpr,
    group_k: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr, MUL_ROUTED_WEIGHT: tl.constexpr, top_k: tl.constexpr, compute_type: tl.constexpr,
    use_fp8_w8a8: tl.constexpr, use_int8_w8a16: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(EM, BLOCK_M)
    num_pid_n = tl.cdiv(N, BLOCK_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    first_pid_m = pid // num_pid_in_group * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + ((pid % num_pid_in_group) % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m

    num_tokens_post_padded = tl.load(num_tokens_post_padded_ptr)
    if pid_m * BLOCK_M >= num_tokens_post_padded:
        return
    offs_token_id = pid_m * BLOCK_M + tl.arange(0, BLOCK_M).to(tl.int64)
    offs_token = tl.load(sorted_token_ids_ptr + offs_token_id).to(tl.int64)
    token_mask = offs_token < num_valid_tokens
    off_experts = tl.load(expert_ids_ptr + pid_m).to(tl.int64)
    if off_experts == -1:
        write_zeros(c_ptr, stride_cm, stride_cn, pid_n, N, offs_token, token_mask, BLOCK_M, BLOCK_N, compute_type)
        return

    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N).to(tl.int64)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_token[:, None] // top_k * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + off_experts * stride_be + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    if use_int8_w8a16:
        b_scale = tl.load(b_scale_ptr + off_experts * stride_bse + offs_bn[None, :] * stride_bsn)
    if use_fp8_w8a8:
        if group_k > 0 and group_n > 0:
            a_scale_ptrs = a_scale_ptr + (offs_token // top_k) * stride_asm
            offs_bsn = offs_bn // group_n
            b_scale_ptrs = b_scale_ptr + off_experts * stride_bse + offs_bsn * stride_bsn
        else:
            a_scale = tl.load(a_scale_ptr)
            b_scale = tl.load(b_scale_ptr + off_experts)

    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        a = tl.load(a_ptrs, mask=token_mask[:, None] & (offs_k[None, :] < K - k * BLOCK_K), other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        if use_int8_w8a16:
            accumulator = tl.dot(a, b.to(compute_type), acc=accumulator)
        elif use_fp8_w8a8:
            if group_k > 0 and group_n > 0:
                offs_ks = k * BLOCK_K // group_k
                a_scale = tl.load(a_scale_ptrs + offs_ks * stride_ask, mask=token_mask, other=0.0)
                b_scale = tl.load(b_scale_ptrs + offs_ks * stride_bsk)
                accumulator += tl.dot(a, b) * a_scale[:, None] * b_scale[None, :]
            else:
                accumulator = tl.dot(a, b, acc=accumulator)
        else:
            accumulator += tl.dot(a, b)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    if MUL_ROUTED_WEIGHT:
        moe_weight = tl.load(topk_weights_ptr + offs_token, mask=token_mask, other=0)
        accumulator = accumulator * moe_weight[:, None]
    if use_int8_w8a16:
        accumulator = (accumulator * b_scale).to(compute_type)
    elif use_fp8_w8a8 and not (group_k > 0 and group_n > 0):
        accumulator = (accumulator * a_scale * b_scale).to(compute_type)
    else:
        accumulator = accumulator.to(compute_type)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_token[:, None] + stride_cn * offs_cn[None, :]
    c_mask = token_mask[:, None] & (offs_cn[None, :] < N)
    tl.store(c_ptrs, accumulator, mask=c_mask)


def _align(chosen, experts, block):
    """Slots by expert in whole blocks, the expert of each block, and how many places are used: with room for any
    choice, as a layer that does not wait for the device has it."""
    slots = chosen.numel()
    room = tw.cdiv(slots + experts * (block - 1), block) * block
    ids, owners = torch.full((room,), slots, dtype=torch.int32), torch.full((room // block,), -1, dtype=torch.int32)
    used = 0
    for expert in range(experts):
        own = (chosen.view(-1) == expert).nonzero()[:, 0]
        ids[used:used + len(own)] = own.int()
        end = used + tw.cdiv(len(own), block) * block
        owners[used // block:end // block] = expert
        used = end
    return ids.to(place.device()), owners.to(place.device()), _integers([used])


def _layer(sizes, x, weights, configs, wide_x, wide_weight, scales=(None, None), group=(0, 0), routed=True, few=False):
    """The problem of a layer; `wide_weight` gives an expert's matrix, and `wide_x` the tokens, in double."""
    tokens, experts, top_k, n, k = sizes
    chosen = torch.rand(tokens, experts).topk(top_k, dim=1).indices
    shares = torch.rand(tokens, top_k, device=x.device)
    c = torch.empty(tokens, top_k, n, device=x.device, dtype=bfloat16())
    align = cache(lambda block: _align(chosen, experts, block))
    a_scale, b_scale = scales
    a_strides = a_scale.stride() if group[0] else (0, 0)
    b_strides = (0, 0, 0) if b_scale is None or b_scale.dim() == 1 else (
        b_scale.stride(0), b_scale.stride(2) if group[0] else 0, b_scale.stride(1))

    def launch(options):
        ids, owners, used = align(options["BLOCK_M"])
        room = min(len(ids), tokens * top_k * options["BLOCK_M"])
        experts_kernel[(tw.cdiv(room, options["BLOCK_M"]) * tw.cdiv(n, options["BLOCK_N"]),)](
            x, weights, c, a_scale, b_scale, shares, ids, owners, used, n, k, room, tokens * top_k, *x.stride(),
            weights.stride(0), weights.stride(2), weights.stride(1), c.stride(1), c.stride(2), *a_strides, *b_strides,
            group_n=group[0], group_k=group[1], MUL_ROUTED_WEIGHT=routed, top_k=top_k, compute_type=_compute_type(),
            use_fp8_w8a8=x.dtype == torch.float8_e4m3fn, use_int8_w8a16=weights.dtype == torch.int8, **options)

    def expected():
        exact = torch.zeros(tokens * top_k, n, device=x.device, dtype=torch.float64)
        tokens_wide = wide_x()
        for expert in range(experts):
            own = (chosen.view(-1) == expert).nonzero()[:, 0].to(x.device)
            exact[own] = tokens_wide[own // top_k] @ wide_weight(expert).T
        return (exact * shares.view(-1, 1) if routed else exact).view_as(c)

    used = chosen.unique().numel()
    return Problem(launch, configs, c, expected, flops=0 if few else 2.0 * tokens * top_k * n * k,
                   bytes=1.0 * used * n * k * weights.element_size())


EXPERTS = [{**config, "GROUP_SIZE_M": 8} for config in (*TILES[:2], tile(64, 128, 64, 4, 4))]
EXPERTS_NARROW = [tile(128, 128, 128, 8, 3, GROUP_SIZE_M=16), tile(128, 128, 128, 4, 3, GROUP_SIZE_M=16),
                  tile(64, 128, 128, 4, 4, GROUP_SIZE_M=16)]
EXPERTS_FEW = [tile(16, 128, 64, 4, 4, GROUP_SIZE_M=1), tile(16, 64, 128, 4, 4, GROUP_SIZE_M=1),
               tile(16, 128, 128, 8, 3, GROUP_SIZE_M=1)]
MANY = (4096, 8, 2, 4096, 4096), (30, 4, 2, 160, 192)
FEW = (48, 64, 6, 2816, 2048), (7, 4, 2, 160, 192)


def _bf16_layer(sizes, configs, **more):
    tokens, experts, _, n, k = sizes
    x, weights = place.randn(tokens, k, dtype=bfloat16()), place.randn(experts, n, k, dtype=bfloat16())
    return _layer(sizes, x, weights, configs, x.double, lambda expert: weights[expert].double(), **more)


def moe():
    """A layer of experts in bf16, with many tokens, whose results have shares."""
    return _bf16_layer(place.sizes(*MANY), EXPERTS)


def moe_few():
    """The same with a few tokens for each expert: memory decides."""
    return _bf16_layer(place.sizes(*FEW), EXPERTS_FEW, routed=False, few=True)


def _fp8(*shape):
    return place.randn(*shape).to(torch.float8_e4m3fn)


def moe_fp8():
    """The same in fp8, with a scale for the tokens and one for each expert."""
    sizes = tokens, experts, _, n, k = place.sizes(*MANY)
    x, weights = _fp8(tokens, k), _fp8(experts, n, k)
    scales = torch.full((1,), 0.5, device=x.device), torch.rand(experts, device=x.device) + 0.5
    return _layer(sizes, x, weights, EXPERTS_NARROW, lambda: x.double() * 0.5,
                  lambda expert: weights[expert].double() * scales[1][expert].double(), scales)


def moe_fp8_blocks():
    """The same with scales of 1 x 128 values of a token, and of 128 x 128 of the weights."""
    sizes = tokens, experts, _, n, k = place.sizes(MANY[0], (30, 4, 2, 256, 384))
    x, weights = _fp8(tokens, k), _fp8(experts, n, k)
    shapes = (tokens, k // 128), (experts, n // 128, k // 128)
    scales = [torch.rand(*shape, device=x.device) + 0.5 for shape in shapes]

    def wide_weight(expert):
        scale = scales[1][expert].double().repeat_interleave(128, 0).repeat_interleave(128, 1)
        return weights[expert].double() * scale

    return _layer(sizes, x, weights, EXPERTS_NARROW, lambda: x.double() * scales[0].double().repeat_interleave(128, 1),
                  wide_weight, scales, (128, 128), routed=False)


def _int8_layer(sizes, configs, **more):
    tokens, experts, _, n, k = sizes
    x = place.randn(tokens, k, dtype=bfloat16())
    weights = torch.randint(-127, 128, (experts, n, k), device=x.device, dtype=torch.int8)
    scale = (torch.rand(experts, n, device=x.device) + 0.5) / 64
    return _layer(sizes, x, weights, configs, x.double,
                  lambda expert: weights[expert].double() * scale[expert].double()[:, None], (None, scale), **more)


def moe_int8():
    """Tokens in bf16, weights of 8 bits with a scale for each channel."""
    return _int8_layer(place.sizes(*MANY), EXPERTS)


def moe_int8_few():
    """The same with few tokens."""
    return _int8_layer(place.sizes(*FEW), EXPERTS_FEW, few=True)


# --- parts of different lengths ---------------------------------------------------------------------------
@tw.jit
def ragged_kernel(x, w, y, cu_seqlens, N, K, stride_xt, stride_xk, stride_we, stride_wk, stride_wn, stride_yt,
                  stride_yn, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                  EVEN_K: tl.constexpr):
    pid_n = tl.program_id(0)
    pid_m = tl.program_id(1)
    part = tl.program_id(2)
    start = tl.load(cu_seqlens + part)
    length = tl.load(cu_seqlens + part + 1) - start
    if pid_m * BLOCK_M >= length:
        return
    x += start.to(tl.int64) * stride_xt
    y += start.to(tl.int64) * stride_yt
    w += part.to(tl.int64) * stride_we
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for k in range(0, K, BLOCK_K):
        x_mask = offs_m[:, None] < length
        w_mask = offs_n[None, :] < N
        if not EVEN_K:
            x_mask = x_mask & (k + offs_k[None, :] < K)
            w_mask = w_mask & (k + offs_k[:, None] < K)
        x_tile = tl.load(x + offs_m[:, None] * stride_xt + (k + offs_k)[None, :] * stride_xk, mask=x_mask, other=0.0)
        w_tile = tl.load(w + (k + offs_k)[:, None] * stride_wk + offs_n[None, :] * stride_wn, mask=w_mask, other=0.0)
        acc = tl.dot(x_tile, w_tile, acc)
    tl.store(y + offs_m[:, None] * stride_yt + offs_n[None, :] * stride_yn, acc.to(y.dtype.element_ty),
             mask=(offs_m[:, None] < length) & (offs_n[None, :] < N))


def ragged():
    """A product for each part of the tokens, whose bounds are loaded; programs beyond a part's end return early."""
    parts, total, n, k = place.sizes((16, 8192, 4096, 2048), (3, 300, 200, 96))
    lengths = _lengths(total, parts)
    x, w = place.randn(total, k, dtype=bfloat16()), place.randn(parts, k, n, dtype=bfloat16())
    y = torch.empty(total, n, device=x.device, dtype=x.dtype)
    bounds = _integers([0, *lengths]).cumsum(0, dtype=torch.int32)

    def launch(options):
        grid = (tw.cdiv(n, options["BLOCK_N"]), tw.cdiv(max(lengths), options["BLOCK_M"]), parts)
        ragged_kernel[grid](x, w, y, bounds, n, k, *x.stride(), *w.stride(), *y.stride(),
                            EVEN_K=k % options["BLOCK_K"] == 0, **options)

    def expected():
        return torch.cat([part.double() @ matrix.double() for part, matrix in zip(x.split(lengths), w, strict=True)])

    return Problem(launch, TILES, y, expected, flops=2.0 * total * n * k)


@tw.jit
def ragged_inner_kernel(x_ptr, dy_ptr, dw_ptr, cu_seqlens, K, N, stride_xt, stride_yt, stride_we, stride_wk,
                        BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    part = tl.program_id(0)
    offs_m = tl.program_id(1) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(2) * BLOCK_N + tl.arange(0, BLOCK_N)
    begin = tl.load(cu_seqlens + part)
    end = tl.load(cu_seqlens + part + 1)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for t in range(begin, end, BLOCK_K):
        offs_t = t + tl.arange(0, BLOCK_K)
        t_mask = offs_t < end
        x = tl.load(x_ptr + offs_t[:, None] * stride_xt + offs_m[None, :],
                    mask=t_mask[:, None] & (offs_m[None, :] < K), other=0.0)
        dy = tl.load(dy_ptr + offs_t[:, None] * stride_yt + offs_n[None, :],
                     mask=t_mask[:, None] & (offs_n[None, :] < N), other=0.0)
        acc += tl.dot(tl.trans(x), dy)
    dw_ptrs = dw_ptr + part * stride_we + offs_m[:, None] * stride_wk + offs_n[None, :]
    tl.store(dw_ptrs, acc.to(dw_ptr.dtype.element_ty), mask=(offs_m[:, None] < K) & (offs_n[None, :] < N))


def ragged_inner():
    """The gradient of such weights: the loop's bounds are loaded, and the left block is transposed."""
    parts, total, n, k = place.sizes((16, 8192, 4096, 2048), (3, 300, 200, 96))
    lengths = _lengths(total, parts)
    x, dy = place.randn(total, k, dtype=bfloat16()), place.randn(total, n, dtype=bfloat16())
    dw = torch.empty(parts, k, n, device=x.device, dtype=x.dtype)
    bounds = _integers([0, *lengths]).cumsum(0, dtype=torch.int32)

    def launch(options):
        grid = (parts, tw.cdiv(k, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        ragged_inner_kernel[grid](x, dy, dw, bounds, k, n, x.stride(0), dy.stride(0), dw.stride(0), dw.stride(1),
                                  **options)

    def expected():
        pairs = zip(x.split(lengths), dy.split(lengths), strict=True)
        return torch.stack([left.double().T @ right.double() for left, right in pairs])

    return Problem(launch, TILES, dw, expected, flops=2.0 * total * n * k)


# --- convolutions -----------------------------------------------------------------------------------------
@tw.jit
def conv_nchw_kernel(x_ptr, w_ptr, bias_ptr, y_ptr, N, C, H, W, OC, OH, OW, stride_xn, stride_xc, stride_xh, stride_xw,
                     stride_yn, stride_yc, stride_yh, stride_yw, R: tl.constexpr, S: tl.constexpr,
                     STRIDE: tl.constexpr, PADDING: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    gemm_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    gemm_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    n = gemm_m // (OH * OW)
    rest = gemm_m % (OH * OW)
    oh = rest // OW
    ow = rest % OW
    total_k = C * R * S
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_start in range(0, tl.cdiv(total_k, BLOCK_K)):
        gemm_k = k_start * BLOCK_K + tl.arange(0, BLOCK_K)
        c = gemm_k // (R * S)
        r = (gemm_k % (R * S)) // S
        s = gemm_k % S
        ih = oh[:, None] * STRIDE - PADDING + r[None, :]
        iw = ow[:, None] * STRIDE - PADDING + s[None, :]
        x_mask = (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W) & (n[:, None] < N) & (gemm_k[None, :] < total_k)
        x = tl.load(x_ptr + n[:, None] * stride_xn + c[None, :] * stride_xc + ih * stride_xh + iw * stride_xw,
                    mask=x_mask, other=0.0)
        w = tl.load(w_ptr + gemm_n[None, :] * total_k + gemm_k[:, None],
                    mask=(gemm_n[None, :] < OC) & (gemm_k[:, None] < total_k), other=0.0)
        acc = tl.dot(x, w, acc)
    if HAS_BIAS:
        acc += tl.load(bias_ptr + gemm_n, mask=gemm_n < OC, other=0.0)[None, :].to(tl.float32)
    y_ptrs = (y_ptr + n[:, None] * stride_yn + gemm_n[None, :] * stride_yc + oh[:, None] * stride_yh
              + ow[:, None] * stride_yw)
    tl.store(y_ptrs, acc.to(y_ptr.dtype.element_ty), mask=(n[:, None] < N) & (gemm_n[None, :] < OC))


@tw.jit
def conv_nhwc_kernel(x_ptr, w_ptr, y_ptr, N, C, H, W, OC, OH, OW, stride_xn, stride_xh, stride_xw, stride_wo, stride_wr,
                     stride_ws, R: tl.constexpr, S: tl.constexpr, STRIDE: tl.constexpr, PADDING: tl.constexpr,
                     BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_oc = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    n = offs_m // (OH * OW)
    oh = offs_m // OW % OH
    ow = offs_m % OW
    offs_c = tl.arange(0, BLOCK_K)
    blocks_c = tl.cdiv(C, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(R * S * blocks_c):
        c = step % blocks_c * BLOCK_K + offs_c
        r = step // blocks_c // S
        s = step // blocks_c % S
        ih = oh * STRIDE - PADDING + r
        iw = ow * STRIDE - PADDING + s
        inside = (n < N) & (ih >= 0) & (ih < H) & (iw >= 0) & (iw < W)
        rows = x_ptr + n * stride_xn + ih * stride_xh + iw * stride_xw
        x = tl.load(rows[:, None] + c[None, :], mask=inside[:, None] & (c < C)[None, :], other=0.0)
        w = tl.load(w_ptr + offs_oc[None, :] * stride_wo + r * stride_wr + s * stride_ws + c[:, None],
                    mask=(c < C)[:, None] & (offs_oc < OC)[None, :], other=0.0)
        acc += tl.dot(x, w)
    tl.store(y_ptr + offs_m[:, None] * OC + offs_oc[None, :], acc.to(y_ptr.dtype.element_ty),
             mask=(offs_m < N * OH * OW)[:, None] & (offs_oc < OC)[None, :])


def _convolution(make_launch, channels_last):
    """A convolution of 3 x 3 with a bias where channels come first."""
    batch, c, size, oc = place.sizes((64, 128, 56, 256), (2, 24, 9, 40))
    x, w = place.randn(batch, c, size, size, dtype=torch.float16), place.randn(oc, c, 3, 3, dtype=torch.float16)
    y = torch.empty(batch, oc, size, size, device=x.device, dtype=x.dtype)
    bias = None if channels_last else 10 * place.randn(oc, dtype=torch.float16)
    if channels_last:
        x, w, y = (tensor.contiguous(memory_format=torch.channels_last) for tensor in (x, w, y))

    def grid(options):
        return tw.cdiv(batch * size * size, options["BLOCK_M"]), tw.cdiv(oc, options["BLOCK_N"])

    def expected():
        return torch.nn.functional.conv2d(x.double(), w.double(), None if bias is None else bias.double(), padding=1)

    shape = (batch, c, size, size, oc, size, size)
    return Problem(make_launch(x, w, bias, y, shape, grid), TILES, y, expected,
                   flops=2.0 * batch * size * size * oc * c * 9)


def conv_nchw():
    """A convolution as a product whose places come from flat indices."""
    def make_launch(x, w, bias, y, shape, grid):
        return lambda options: conv_nchw_kernel[grid(options)](
            x, w, bias, y, *shape, *x.stride(), *y.stride(), R=3, S=3, STRIDE=1, PADDING=1, HAS_BIAS=True, **options)

    return _convolution(make_launch, False)


def conv_nhwc():
    """The same with channels last: each step takes channels of one place of the filter."""
    def make_launch(x, w, _, y, shape, grid):
        strides = (*(x.stride(i) for i in (0, 2, 3)), *(w.stride(i) for i in (0, 2, 3)))
        return lambda options: conv_nhwc_kernel[grid(options)](x, w, y, *shape, *strides, R=3, S=3, STRIDE=1,
                                                               PADDING=1, **options)

    return _convolution(make_launch, True)


# --- adapters of a batch ------------------------------------------------------------------------------------
@tw.jit
def shrink_kernel(input_ptr, lora_ptr, out_ptr, N, K, b_seq_start_loc, seq_lens, lora_indices, scaling,
                  xm_stride, xk_stride, l0_stride, lora_k_stride, lora_n_stride, cm_stride, cn_stride,
                  BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr,
                  SPLIT_K: tl.constexpr):
    pid = tl.program_id(axis=0)
    pid_sk = tl.program_id(axis=1)
    cur_batch = tl.program_id(axis=2)
    cta_n_num = tl.cdiv(N, BLOCK_N)
    pid_m = pid // cta_n_num
    pid_n = pid % cta_n_num
    M = tl.load(seq_lens + cur_batch)
    if pid_m * BLOCK_M > M:
        return
    lora_index = tl.load(lora_indices + cur_batch)
    if lora_index == -1:
        return
    cur_seq_start = tl.load(b_seq_start_loc + cur_batch)
    offset_m = tl.arange(0, BLOCK_M) + pid_m * BLOCK_M
    offset_n = tl.arange(0, BLOCK_N) + pid_n * BLOCK_N
    offset_k = pid_sk * BLOCK_K + tl.arange(0, BLOCK_K)
    ram = tl.max_contiguous(tl.multiple_of(offset_m % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(offset_n % N, BLOCK_N), BLOCK_N)
    a_ptr = input_ptr + cur_seq_start * xm_stride + ram[:, None] * xm_stride + offset_k[None, :] * xk_stride
    b_ptr = lora_ptr + l0_stride * lora_index + rbn[None, :] * lora_n_stride + offset_k[:, None] * lora_k_stride
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K * SPLIT_K)):
        if EVEN_K:
            tiled_a = tl.load(a_ptr)
            tiled_b = tl.load(b_ptr)
        else:
            k_remaining = K - k * (BLOCK_K * SPLIT_K)
            tiled_a = tl.load(a_ptr, mask=offset_k[None, :] < k_remaining, other=0.0)
            tiled_b = tl.load(b_ptr, mask=offset_k[:, None] < k_remaining, other=0.0)
        accumulator += tl.dot(tiled_a, tiled_b)
        a_ptr += BLOCK_K * SPLIT_K * xk_stride
        b_ptr += BLOCK_K * SPLIT_K * lora_k_stride
    accumulator *= scaling
    offset_cm = cur_seq_start + offset_m
    c_ptr = out_ptr + offset_cm[:, None] * cm_stride + offset_n[None, :] * cn_stride
    c_mask = (offset_cm[:, None] < (cur_seq_start + M)) & (offset_n[None, :] < N)
    if SPLIT_K == 1:
        tl.store(c_ptr, accumulator, mask=c_mask)
    else:
        tl.atomic_add(c_ptr, accumulator, mask=c_mask)


@tw.jit
def expand_kernel(input_ptr, lora_ptr, base_ptr, out_ptr, N, K, b_seq_start_loc, seq_lens, lora_indices, xm_stride,
                  xk_stride, l0_stride, lora_k_stride, lora_n_stride, cm_stride, cn_stride, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, EVEN_K: tl.constexpr, ADD_INPUTS: tl.constexpr,
                  CAST_TYPE: tl.constexpr):
    pid = tl.program_id(axis=0)
    cur_batch = tl.program_id(axis=1)
    cta_n_num = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = pid // cta_n_num, pid % cta_n_num
    M = tl.load(seq_lens + cur_batch)
    if pid_m * BLOCK_M > M:
        return
    lora_index = tl.load(lora_indices + cur_batch)
    cur_seq_start = tl.load(b_seq_start_loc + cur_batch)
    offset_m = tl.arange(0, BLOCK_M) + pid_m * BLOCK_M
    offset_n = tl.arange(0, BLOCK_N) + pid_n * BLOCK_N
    offset_k = tl.arange(0, BLOCK_K)
    ram = tl.max_contiguous(tl.multiple_of(offset_m % M, BLOCK_M), BLOCK_M)
    rbn = tl.max_contiguous(tl.multiple_of(offset_n % N, BLOCK_N), BLOCK_N)
    a_ptr = input_ptr + cur_seq_start * xm_stride + ram[:, None] * xm_stride + offset_k[None, :] * xk_stride
    b_ptr = lora_ptr + l0_stride * lora_index + offset_k[:, None] * lora_n_stride + rbn[None, :] * lora_k_stride
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(tl.cdiv(K, BLOCK_K)):
        if EVEN_K:
            tiled_a = tl.load(a_ptr)
            tiled_b = tl.load(b_ptr)
        else:
            tiled_a = tl.load(a_ptr, mask=offset_k[None, :] < K - k * BLOCK_K, other=0)
            tiled_b = tl.load(b_ptr, mask=offset_k[:, None] < K - k * BLOCK_K, other=0)
        if CAST_TYPE:
            tiled_a = tiled_a.to(lora_ptr.dtype.element_ty)
        accumulator += tl.dot(tiled_a, tiled_b)
        a_ptr += BLOCK_K * xk_stride
        b_ptr += BLOCK_K * lora_n_stride
    tiled_c = accumulator.to(lora_ptr.dtype.element_ty)
    offset_cm = cur_seq_start + offset_m
    c_offsets = offset_cm[:, None] * cm_stride + offset_n[None, :] * cn_stride
    c_mask = (offset_cm[:, None] < (cur_seq_start + M)) & (offset_n[None, :] < N)
    if ADD_INPUTS:
        tiled_c += tl.load(base_ptr + c_offsets, mask=c_mask)
    tl.store(out_ptr + c_offsets, tiled_c, mask=c_mask)


def _batch(total, parts, adapters):
    """Lengths of the parts of a batch, and where each begins, its length and its adapter."""
    lengths = _lengths(total, parts)
    starts = [sum(lengths[:i]) for i in range(parts)]
    chosen = torch.randint(0, adapters, (parts,)).tolist()
    return lengths, chosen, [_integers(values) for values in (starts, lengths, chosen)]


def lora_shrink():
    """The first products of adapters, one for each part of a batch; programs for parts of k add to the same."""
    parts, total, k, rank = place.sizes((16, 16384, 8192, 32), (3, 150, 300, 32))
    lengths, chosen, tables = _batch(total, parts, 8)
    x, a = place.randn(total, k, dtype=bfloat16()), place.randn(8, rank, k, dtype=bfloat16())
    y = torch.empty(total, rank, device=x.device, dtype=torch.float32)

    def launch(options):
        y.zero_()
        splits = options["SPLIT_K"]
        grid = (tw.cdiv(max(lengths), options["BLOCK_M"]) * tw.cdiv(rank, options["BLOCK_N"]), splits, parts)
        shrink_kernel[grid](x, a, y, rank, k, *tables, 0.5, *x.stride(), a.stride(0), a.stride(2), a.stride(1),
                            *y.stride(), EVEN_K=k % (options["BLOCK_K"] * splits) == 0, **options)

    def expected():
        return 0.5 * torch.cat([part.double() @ a[i].double().T
                                for part, i in zip(x.split(lengths), chosen, strict=True)])

    configs = [tile(32, 32, 128, 4, 4, SPLIT_K=4), tile(64, 32, 64, 4, 4, SPLIT_K=4),
               tile(32, 16, 256, 4, 2, SPLIT_K=8)]
    return Problem(launch, configs, y, expected, bytes=2.0 * total * k)


def lora_expand():
    """The second products, added to what the layer itself gives; the first's results are cast."""
    parts, total, n, rank = place.sizes((16, 16384, 8192, 32), (3, 150, 300, 32))
    lengths, chosen, tables = _batch(total, parts, 8)
    x, b = place.randn(total, rank), place.randn(8, n, rank, dtype=bfloat16())
    base = place.randn(total, n, dtype=bfloat16())
    y = torch.empty_like(base)

    def launch(options):
        grid = (tw.cdiv(max(lengths), options["BLOCK_M"]) * tw.cdiv(n, options["BLOCK_N"]), parts)
        expand_kernel[grid](x, b, base, y, n, rank, *tables, *x.stride(), b.stride(0), b.stride(1), b.stride(2),
                            *y.stride(), EVEN_K=rank % options["BLOCK_K"] == 0, ADD_INPUTS=True, CAST_TYPE=True,
                            **options)

    def expected():
        parts = [part.double() @ b[i].double().T for part, i in zip(x.split(lengths), chosen, strict=True)]
        return base.double() + torch.cat(parts)

    configs = [tile(64, 128, 32, 4, 2), tile(32, 256, 32, 4, 2), tile(64, 64, 16, 4, 3)]
    return Problem(launch, configs, y, expected, bytes=4.0 * total * n)


PROBLEMS = [grouped, grouped_descriptors, moe, moe_few, moe_fp8, moe_fp8_blocks, moe_int8, moe_int8_few, ragged,
            ragged_inner, conv_nchw, conv_nhwc, lora_shrink, lora_expand]
