"""Quantisation, scans, gathers and elements, as users write them."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem, rand, random_indices, size, warps


# --- quantisation ----------------------------------------------------------------------------------
@tw.jit
def round_half_away(x):
    return tl.where(x >= 0, tl.floor(x + 0.5), tl.ceil(x - 0.5))


@tw.jit
def per_token_kernel(x_ptr, xq_ptr, scale_ptr, stride_x, stride_xq, N, BLOCK: tl.constexpr):
    row_id = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < N
    x = tl.load(x_ptr + row_id * stride_x + cols, mask=mask, other=0.0).to(tl.float32)
    absmax = tl.maximum(tl.max(tl.abs(x)), 1e-10)
    scale_x = absmax / 127
    x_q = round_half_away(x * (127 / absmax)).to(tl.int8)
    tl.store(xq_ptr + row_id * stride_xq + cols, x_q, mask=mask)
    tl.store(scale_ptr + row_id, scale_x)


def per_token_int8():
    """A row is one block; its largest value becomes 127."""
    m, n = place.sizes((16384, 5120), (7, 100))
    x = place.randn(m, n, dtype=torch.bfloat16)
    y, factors = torch.empty_like(x, dtype=torch.int8), rand(m)

    def launch(options):
        per_token_kernel[(m,)](x, y, factors, n, n, n, BLOCK=tw.next_power_of_2(n), **options)

    def expected():
        return (x.double() * 127 / x.double().abs().amax(1, True)).round()

    return Problem(launch, warps(8, 4, 16), y, expected, bytes=size(x, y))


# --- random numbers --------------------------------------------------------------------------------
@tw.jit
def seeded_dropout_kernel(x_ptr, output_ptr, n_elements, p, seed, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    random = tl.rand(seed, offsets)
    x_keep = random > p
    output = tl.where(x_keep, x / (1 - p), 0.0)
    tl.store(output_ptr + offsets, output, mask=mask)


def _high_and_low(factor, x):
    """The two words of a product of 32-bit integers."""
    low_part, high_part = factor * (x & 0xFFFF), factor * (x >> 16)
    high = (high_part + (low_part >> 16)) >> 16
    return high & 0xFFFFFFFF, (low_part + ((high_part & 0xFFFF) << 16)) & 0xFFFFFFFF


def uniform(seed, count):
    """Philox's first words as numbers between 0 and 1."""
    zero = torch.zeros(1, device=place.device(), dtype=torch.int64)
    words = [torch.arange(count, device=place.device()), zero, zero, zero]
    keys = [seed, 0]
    for _ in range(10):
        (high0, low0), (high2, low2) = _high_and_low(0xD2511F53, words[0]), _high_and_low(0xCD9E8D57, words[2])
        words = [high2 ^ words[1] ^ keys[0], low2, high0 ^ words[3] ^ keys[1], low0]
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    signed = torch.where(words[0] >= 2**31, 2**32 - words[0] - 1, words[0])
    return signed.float() * 4.6566127342e-10


def dropout_seeded():
    """Random numbers of a seed and the element's place."""
    (n,) = place.sizes((1 << 26,), (3000,))
    x = place.randn(n)
    y = torch.empty_like(x)

    def launch(options):
        seeded_dropout_kernel[(tw.cdiv(n, options["BLOCK_SIZE"]),)](x, y, n, 0.3, 1234, **options)

    return Problem(launch, warps(4, 8, BLOCK_SIZE=1024) + warps(8, BLOCK_SIZE=4096), y,
                   lambda: torch.where(uniform(1234, n) > 0.3, x.double() / 0.7, 0.0), bytes=size(x, y))


# --- gathers ---------------------------------------------------------------------------------------
@tw.jit
def embedding_forward_kernel(embeddings_ptr, indices_ptr, output_ptr, n_elements, embedding_dim: tl.constexpr,
                             BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = mask_m[:, None] & (offsets_n < embedding_dim)[None, :]
    embeddings = tl.load(embeddings_ptr + indices[:, None] * embedding_dim + offsets_n[None, :], mask=mask, other=0.0)
    tl.store(output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :], embeddings, mask=mask)


@tw.jit
def embedding_backward_kernel(grad_output_ptr, grad_weight_ptr, indices_ptr, n_elements, embedding_dim: tl.constexpr,
                              BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr):
    offsets_m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    mask_m = offsets_m < n_elements
    indices = tl.load(indices_ptr + offsets_m, mask=mask_m, other=0)
    offsets_n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    mask = mask_m[:, None] & (offsets_n < embedding_dim)[None, :]
    grad = tl.load(grad_output_ptr + offsets_m[:, None] * embedding_dim + offsets_n[None, :], mask=mask, other=0.0)
    tl.atomic_add(grad_weight_ptr + indices[:, None] * embedding_dim + offsets_n[None, :], grad, mask=mask)


EMBEDDING = warps(4, 8, BLOCK_SIZE_M=32, BLOCK_SIZE_N=128) + warps(4, BLOCK_SIZE_M=8, BLOCK_SIZE_N=256)


def embedding_problem(backward):
    """Rows of a table of embeddings, or gradients that are added to them."""
    count, vocabulary, dim = place.sizes((16384, 50257, 2048), (50, 30, 72))
    indices = random_indices(vocabulary, count)
    rows, table = place.randn(count, dim), place.randn(vocabulary, dim)

    def launch(options):
        grid = (tw.cdiv(count, options["BLOCK_SIZE_M"]), tw.cdiv(dim, options["BLOCK_SIZE_N"]))
        if backward:
            table.zero_()
            embedding_backward_kernel[grid](rows, table, indices, count, embedding_dim=dim, **options)
        else:
            embedding_forward_kernel[grid](table, indices, rows, count, embedding_dim=dim, **options)

    def expected():
        if backward:
            return torch.zeros_like(table, dtype=torch.float64).index_add_(0, indices, rows.double())
        return table[indices]

    return Problem(launch, EMBEDDING, table if backward else rows, expected, bytes=2 * size(rows))


def embedding():
    """Rows of a table."""
    return embedding_problem(False)


def embedding_backward():
    """Gradients of rows, added by atomics."""
    return embedding_problem(True)


@tw.jit
def cache_kernel(key_ptr, value_ptr, key_cache_ptr, value_cache_ptr, slot_mapping_ptr, k_scale, v_scale, key_stride,
                 value_stride, block_stride, page_stride, num_heads: tl.constexpr, head_size: tl.constexpr,
                 block_size: tl.constexpr, FP8_KV_CACHE: tl.constexpr, TILE_SIZE: tl.constexpr):
    token_idx = tl.program_id(axis=0)
    slot_idx = tl.load(slot_mapping_ptr + token_idx).to(tl.int64)
    if slot_idx < 0:
        return
    tile_pos = tl.program_id(axis=1) * TILE_SIZE + tl.arange(0, TILE_SIZE)
    block_idx = slot_idx // block_size
    block_offset = slot_idx % block_size
    tgt = block_idx * block_stride + block_offset * page_stride + tile_pos
    mask = tile_pos < (num_heads * head_size)
    key = tl.load(key_ptr + token_idx * key_stride + tile_pos, mask=mask)
    value = tl.load(value_ptr + token_idx * value_stride + tile_pos, mask=mask)
    if FP8_KV_CACHE:
        key = (key.to(tl.float32) / tl.load(k_scale)).to(key_cache_ptr.dtype.element_ty)
        value = (value.to(tl.float32) / tl.load(v_scale)).to(value_cache_ptr.dtype.element_ty)
    tl.store(key_cache_ptr + tgt, key, mask=mask)
    tl.store(value_cache_ptr + tgt, value, mask=mask)


def cache_write():
    """Keys and values of tokens go to slots of pages; some tokens have none."""
    tokens, pages, heads, hd = place.sizes((32768, 4096, 8, 128), (20, 4, 2, 64))
    key, value = (place.randn(tokens, heads, hd, dtype=torch.bfloat16) for _ in range(2))
    slots = torch.randperm(pages * 16, device=key.device)[:tokens]
    slots[::7] = -1
    cache = torch.zeros(2, pages, 16, heads, hd, device=key.device, dtype=torch.bfloat16)
    row = heads * hd

    def launch(options):
        grid = (tokens, tw.cdiv(row, options["TILE_SIZE"]))
        cache_kernel[grid](key, value, cache[0], cache[1], slots, None, None, row, row, 16 * row, row,
                           num_heads=heads, head_size=hd, block_size=16, FP8_KV_CACHE=False, **options)

    def expected():
        wide = torch.full((2, pages * 16, heads, hd), -7.0, device=key.device)
        chosen = slots >= 0
        wide[0, slots[chosen]], wide[1, slots[chosen]] = key[chosen].float(), value[chosen].float()
        return wide.reshape(cache.shape)

    return Problem(launch, warps(4, TILE_SIZE=1024) + warps(4, 2, TILE_SIZE=512), cache, expected,
                   bytes=2 * size(key, value))


# --- choices ---------------------------------------------------------------------------------------
@tw.jit
def gate_kernel(logits_ptr, weights_ptr, ids_ptr, n_rows, n_experts: tl.constexpr, K: tl.constexpr,
                K_PADDED: tl.constexpr, RENORMALIZE: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_E: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    experts = tl.arange(0, BLOCK_E)
    mask = (rows < n_rows)[:, None] & (experts < n_experts)[None, :]
    logits = tl.load(logits_ptr + rows[:, None] * n_experts + experts[None, :], mask=mask, other=-float("inf"))
    logits = tl.where(mask, logits.to(tl.float32), -1e30)
    scores = tl.exp(logits - tl.max(logits, axis=1)[:, None])
    scores = scores / tl.sum(scores, axis=1)[:, None]
    slots = tl.arange(0, K_PADDED)
    weights = tl.zeros((BLOCK_M, K_PADDED), dtype=tl.float32)
    ids = tl.zeros((BLOCK_M, K_PADDED), dtype=tl.int32)
    for k in tl.static_range(K):
        value, index = tl.max(scores, axis=1, return_indices=True)
        weights = tl.where(slots[None, :] == k, value[:, None], weights)
        ids = tl.where(slots[None, :] == k, index[:, None], ids)
        scores = tl.where(experts[None, :] == index[:, None], -1.0, scores)
    if RENORMALIZE:
        weights = weights / tl.sum(weights, axis=1)[:, None]
    out = rows[:, None] * K + slots[None, :]
    out_mask = (rows < n_rows)[:, None] & (slots < K)[None, :]
    tl.store(weights_ptr + out, weights, mask=out_mask)
    tl.store(ids_ptr + out, ids, mask=out_mask)


def expert_gate():
    """Softmax over experts, of which the best 6 are taken one after another."""
    tokens, experts, k = place.sizes((131072, 160, 6), (13, 20, 3))
    logits = place.randn(tokens, experts)
    weights, ids = rand(tokens, k), random_indices(1, tokens, k, dtype=torch.int32)

    def launch(options):
        gate_kernel[(tw.cdiv(tokens, options["BLOCK_M"]),)](
            logits, weights, ids, tokens, n_experts=experts, K=k, K_PADDED=tw.next_power_of_2(k), RENORMALIZE=True,
            BLOCK_E=tw.next_power_of_2(experts), **options)

    def expected():
        best = logits.double().softmax(1).topk(k, 1).values
        return best / best.sum(1, True)

    return Problem(launch, warps(4, BLOCK_M=16) + warps(4, 8, BLOCK_M=32), weights, expected,
                   bytes=size(logits, weights, ids))


@tw.jit
def sample_parts_kernel(local_argmax_ptr, local_argmax_stride, local_max_ptr, local_max_stride, logits_ptr,
                        logits_stride, temperature_ptr, vocab_size, BLOCK_SIZE: tl.constexpr):
    batch_idx = tl.program_id(0)
    block_idx = tl.program_id(1)
    block = block_idx * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = block < vocab_size
    logits = tl.load(logits_ptr + batch_idx * logits_stride + block, mask=mask, other=float("-inf"))
    logits = logits.to(tl.float32) / tl.load(temperature_ptr + batch_idx).to(tl.float32)
    idx = tl.argmax(logits, axis=0)
    token_id = block_idx * BLOCK_SIZE + idx
    value = tl.max(logits, axis=0)
    tl.store(local_argmax_ptr + batch_idx * local_argmax_stride + block_idx, token_id)
    tl.store(local_max_ptr + batch_idx * local_max_stride + block_idx, value)


@tw.jit
def sample_whole_kernel(local_argmax_ptr, local_max_ptr, out_ptr, n_blocks, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(local_max_ptr + row * n_blocks + offsets, mask=offsets < n_blocks, other=float("-inf"))
    best = tl.argmax(values, axis=0)
    tl.store(out_ptr + row, tl.load(local_argmax_ptr + row * n_blocks + best))


def sampled_argmax():
    """The best token of each part of the vocabulary, then of all parts."""
    rows, vocabulary = place.sizes((512, 128256), (3, 5000))
    logits, temperature = place.randn(rows, vocabulary), rand(rows) + 0.5
    parts = tw.cdiv(vocabulary, 1024)
    tokens, values = random_indices(1, rows, parts), rand(rows, parts)
    out = random_indices(1, rows)

    def launch(options):
        count = tw.cdiv(vocabulary, options["BLOCK_SIZE"])
        sample_parts_kernel[(rows, count)](tokens, count, values, count, logits, vocabulary, temperature, vocabulary,
                                           **options)
        sample_whole_kernel[(rows,)](tokens, values, out, count, BLOCK=tw.next_power_of_2(count))

    return Problem(launch, warps(4, 8, BLOCK_SIZE=1024) + warps(8, BLOCK_SIZE=8192), out,
                   lambda: logits.argmax(1), bytes=size(logits))


# --- scans -----------------------------------------------------------------------------------------
@tw.jit
def causal_conv_kernel(x, y, weight, bias, T, D: tl.constexpr, W: tl.constexpr, BT: tl.constexpr, BD: tl.constexpr,
                       ACTIVATION: tl.constexpr):
    i_d, i_t, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    o_d = i_d * BD + tl.arange(0, BD)
    m_d = o_d < D
    b_y = tl.zeros((BT, BD), dtype=tl.float32)
    for i_w in tl.static_range(-W + 1, 1):
        p_yi = tl.make_block_ptr(x + i_b * T * D, (T, D), (D, 1), (i_t * BT + i_w, i_d * BD), (BT, BD), (1, 0))
        b_yi = tl.load(p_yi, boundary_check=(0, 1)).to(tl.float32)
        b_w = tl.load(weight + o_d * W + (i_w + W - 1), mask=m_d, other=0).to(tl.float32)
        b_y += b_yi * b_w
    b_y += tl.load(bias + o_d, mask=m_d, other=0).to(tl.float32)
    if ACTIVATION == "silu":
        b_y = b_y * tl.sigmoid(b_y)
    p_y = tl.make_block_ptr(y + i_b * T * D, (T, D), (D, 1), (i_t * BT, i_d * BD), (BT, BD), (1, 0))
    tl.store(p_y, b_y.to(y.dtype.element_ty), boundary_check=(0, 1))


def causal_conv():
    """A window of 4 along time for each channel, by block pointers that begin before the array."""
    batch, length, dim, width = place.sizes((4, 4096, 2048, 4), (2, 37, 40, 4))
    x = place.randn(batch, length, dim, dtype=torch.bfloat16)
    w, b, y = place.randn(dim, width), place.randn(dim), torch.empty_like(x)

    def launch(options):
        grid = (tw.cdiv(dim, options["BD"]), tw.cdiv(length, options["BT"]), batch)
        causal_conv_kernel[grid](x, y, w, b, length, D=dim, W=width, ACTIVATION="silu", **options)

    def expected():
        padded = torch.nn.functional.pad(x.double().transpose(1, 2), (width - 1, 0))
        out = torch.nn.functional.conv1d(padded, w.double()[:, None], b.double(), groups=dim)
        return torch.nn.functional.silu(out).transpose(1, 2)

    return Problem(launch, warps(4, 8, BT=64, BD=64) + warps(4, BT=32, BD=32), y, expected, bytes=size(x, y))


@tw.jit
def cumsum_kernel(s, o, T, S: tl.constexpr, BT: tl.constexpr, BS: tl.constexpr, REVERSE: tl.constexpr):
    i_s, i_bh = tl.program_id(0), tl.program_id(1)
    b_z = tl.zeros([BS], dtype=tl.float32)
    NT = tl.cdiv(T, BT)
    for i_c in range(NT):
        i_t = NT - 1 - i_c if REVERSE else i_c
        p_s = tl.make_block_ptr(s + i_bh * T * S, (T, S), (S, 1), (i_t * BT, i_s * BS), (BT, BS), (1, 0))
        p_o = tl.make_block_ptr(o + i_bh * T * S, (T, S), (S, 1), (i_t * BT, i_s * BS), (BT, BS), (1, 0))
        b_s = tl.load(p_s, boundary_check=(0, 1)).to(tl.float32)
        b_c = b_z[None, :] + tl.cumsum(b_s, axis=0, reverse=REVERSE)
        tl.store(p_o, b_c.to(o.dtype.element_ty), boundary_check=(0, 1))
        b_z += tl.sum(b_s, axis=0)


def cumulative_sums():
    """Sums along time from the end, in chunks that hand on their total."""
    heads, length, dim = place.sizes((256, 2048, 128), (3, 70, 40))
    x = place.randn(heads, length, dim)
    y = torch.empty_like(x)

    def launch(options):
        cumsum_kernel[(tw.cdiv(dim, options["BS"]), heads)](x, y, length, S=dim, REVERSE=True, **options)

    return Problem(launch, warps(4, 8, BT=64, BS=32) + warps(4, BT=128, BS=16), y,
                   lambda: x.double().flip(1).cumsum(1).flip(1), bytes=size(x, y))


# --- matrices and sums -----------------------------------------------------------------------------
@tw.jit
def transpose_kernel(x_ptr, y_ptr, M, N, stride_xm, stride_xn, stride_yn, stride_ym, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, IN_REGISTERS: tl.constexpr):
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    x = tl.load(x_ptr + offs_m[:, None] * stride_xm + offs_n[None, :] * stride_xn, mask=mask)
    if IN_REGISTERS:
        tl.store(y_ptr + offs_n[:, None] * stride_yn + offs_m[None, :] * stride_ym, tl.trans(x),
                 mask=(offs_m[None, :] < M) & (offs_n[:, None] < N))
    else:
        tl.store(y_ptr + offs_m[:, None] * stride_ym + offs_n[None, :] * stride_yn, x, mask=mask)


def transposed(in_registers):
    """A matrix of halves; sides are no multiples of the block's."""
    m, n = place.sizes((8208, 8208), (70, 90))
    x = place.randn(m, n, dtype=torch.float16)
    y = torch.empty(n, m, device=x.device, dtype=x.dtype)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_M"]), tw.cdiv(n, options["BLOCK_N"]))
        transpose_kernel[grid](x, y, m, n, *x.stride(), *y.stride(), IN_REGISTERS=in_registers, **options)

    return Problem(launch, warps(4, 8, BLOCK_M=64, BLOCK_N=64) + warps(4, BLOCK_M=32, BLOCK_N=32), y,
                   lambda: x.T.double(), bytes=size(x, y))


def transpose_by_trans():
    """The block is transposed, then stored."""
    return transposed(True)


def transpose_by_pointers():
    """The pointers are transposed."""
    return transposed(False)


@tw.jit
def batch_norm_stats_kernel(x_ptr, mean_ptr, var_ptr, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    col_mask = cols < N
    mean = tl.zeros((BLOCK_N,), dtype=tl.float32)
    m2 = tl.zeros((BLOCK_N,), dtype=tl.float32)
    count = 0.0
    for start in range(0, M, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        mask = (rows < M)[:, None] & col_mask[None, :]
        x = tl.load(x_ptr + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        here = tl.minimum(M - start, BLOCK_M).to(tl.float32)
        block_mean = tl.sum(x, axis=0) / here
        diff = tl.where(mask, x - block_mean[None, :], 0.0)
        delta = block_mean - mean
        total = count + here
        mean += delta * here / total
        m2 += tl.sum(diff * diff, axis=0) + delta * delta * count * here / total
        count = total
    tl.store(mean_ptr + cols, mean, mask=col_mask)
    tl.store(var_ptr + cols, m2 / M, mask=col_mask)


def batch_norm_stats():
    """Means and variances of columns, blocks of rows merged one after another."""
    m, n = place.sizes((16384, 4096), (70, 90))
    x = place.randn(m, n, dtype=torch.float16) + torch.linspace(-1, 1, n, device=place.device()).half()
    stats = rand(2, n)

    def launch(options):
        batch_norm_stats_kernel[(tw.cdiv(n, options["BLOCK_N"]),)](x, stats[0], stats[1], m, n, **options)

    def expected():
        return torch.stack((x.double().mean(0), x.double().var(0, unbiased=False)))

    return Problem(launch, warps(4, 8, BLOCK_M=128, BLOCK_N=32) + warps(8, BLOCK_M=64, BLOCK_N=64), stats, expected,
                   bytes=size(x))


@tw.jit
def sum_kernel(x_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    block_start = tl.program_id(axis=0) * BLOCK_SIZE
    offsets = block_start + tl.arange(0, BLOCK_SIZE)
    x = tl.load(x_ptr + offsets, mask=offsets < n_elements, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x.to(tl.float32)))


def sum_by_atomics():
    """Each program adds its sum to one number."""
    (n,) = place.sizes(((1 << 27) + 16,), (5000,))
    x = rand(n, dtype=torch.float16)
    total = rand(1)

    def launch(options):
        total.zero_()
        sum_kernel[(tw.cdiv(n, options["BLOCK_SIZE"]),)](x, total, n, **options)

    return Problem(launch, warps(8, 4, BLOCK_SIZE=8192) + warps(4, BLOCK_SIZE=2048), total,
                   lambda: x.double().sum()[None], bytes=size(x))


@tw.jit
def histogram_kernel(x_ptr, z_ptr, n_elements, BINS: tl.constexpr, BLOCK: tl.constexpr):
    totals = tl.zeros((BINS,), dtype=tl.int32)
    for start in range(tl.program_id(0) * BLOCK, n_elements, tl.num_programs(0) * BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < n_elements
        x = tl.load(x_ptr + offsets, mask=mask, other=0)
        totals += tl.histogram(x, BINS, mask=mask)
    tl.atomic_add(z_ptr + tl.arange(0, BINS), totals, sem="relaxed")


def histogram():
    """Counts of 256 values, by programs that stay."""
    n, programs = place.sizes((1 << 25, 528), (5000, 2))
    x = random_indices(256, n, dtype=torch.int32)
    counts = random_indices(1, 256, dtype=torch.int32)

    def launch(options):
        counts.zero_()
        histogram_kernel[(programs,)](x, counts, n, BINS=256, **options)

    return Problem(launch, warps(4, 8, BLOCK=2048) + warps(8, BLOCK=8192), counts,
                   lambda: torch.bincount(x.long(), minlength=256), bytes=size(x))


@tw.jit
def adam_kernel(param_ptr, grad_ptr, exp_avg_ptr, exp_avg_sq_ptr, out_ptr, lr, beta1, beta2, eps, weight_decay, step,
                n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    param = tl.load(param_ptr + offsets, mask=mask)
    grad = tl.load(grad_ptr + offsets, mask=mask).to(tl.float32)
    exp_avg = tl.load(exp_avg_ptr + offsets, mask=mask)
    exp_avg_sq = tl.load(exp_avg_sq_ptr + offsets, mask=mask)
    exp_avg = beta1 * exp_avg + (1 - beta1) * grad
    exp_avg_sq = beta2 * exp_avg_sq + (1 - beta2) * grad * grad
    correction1 = 1 - tl.exp(step * tl.log(beta1))
    correction2 = 1 - tl.exp(step * tl.log(beta2))
    denominator = tl.sqrt(exp_avg_sq / correction2) + eps
    param = param * (1 - lr * weight_decay) - lr * (exp_avg / correction1) / denominator
    tl.store(out_ptr + offsets, param, mask=mask)
    tl.store(exp_avg_ptr + offsets, exp_avg, mask=mask)
    tl.store(exp_avg_sq_ptr + offsets, exp_avg_sq, mask=mask)


def adam():
    """Moments are changed in place."""
    (n,) = place.sizes((1 << 25,), (3001,))
    param, grad = place.randn(n), place.randn(n, dtype=torch.bfloat16)
    moments, out = torch.zeros(2, n, device=param.device), torch.empty_like(param)

    def launch(options):
        moments.zero_()
        adam_kernel[(tw.cdiv(n, options["BLOCK_SIZE"]),)](param, grad, moments[0], moments[1], out, 0.1, 0.9, 0.999,
                                                          1e-8, 0.01, 3.0, n, **options)

    def expected():
        g = grad.double()
        first, second = 0.1 * g / (1 - 0.9**3), 0.001 * g * g / (1 - 0.999**3)
        return param.double() * (1 - 0.001) - 0.1 * first / (second.sqrt() + 1e-8)

    return Problem(launch, warps(4, 8, BLOCK_SIZE=1024) + warps(4, BLOCK_SIZE=512), out, expected,
                   bytes=size(param, grad, out) + 3 * size(moments))


@tw.jit
def merge_states_kernel(output, output_lse, prefix_output, prefix_lse, suffix_output, suffix_lse,
                        HEAD_SIZE: tl.constexpr, PADDED_HEAD_SIZE: tl.constexpr, OUTPUT_LSE: tl.constexpr):
    token_idx = tl.program_id(0)
    num_tokens = tl.num_programs(0)
    head_idx = tl.program_id(1)
    num_heads = tl.num_programs(1)
    p_lse = tl.load(prefix_lse + head_idx * num_tokens + token_idx)
    s_lse = tl.load(suffix_lse + head_idx * num_tokens + token_idx)
    p_lse = float("-inf") if p_lse == float("inf") else p_lse
    s_lse = float("-inf") if s_lse == float("inf") else s_lse
    max_lse = tl.maximum(p_lse, s_lse)
    p_lse = p_lse - max_lse
    s_lse = s_lse - max_lse
    out_se = tl.exp(p_lse) + tl.exp(s_lse)
    if OUTPUT_LSE:
        tl.store(output_lse + head_idx * num_tokens + token_idx, tl.log(out_se) + max_lse)
    head_arange = tl.arange(0, PADDED_HEAD_SIZE)
    head_mask = head_arange < HEAD_SIZE
    offset = token_idx * num_heads * HEAD_SIZE + head_idx * HEAD_SIZE + head_arange
    p_out = tl.load(prefix_output + offset, mask=head_mask)
    s_out = tl.load(suffix_output + offset, mask=head_mask)
    out = p_out * (tl.exp(p_lse) / out_se) + s_out * (tl.exp(s_lse) / out_se)
    tl.store(output + offset, out, mask=head_mask)


def merged_states():
    """Two parts of attention are weighed by their sums of exponentials; a program for each head of a token."""
    tokens, heads, hd = place.sizes((8192, 32, 128), (9, 3, 40))
    first, second = (place.randn(tokens, heads, hd, dtype=torch.float16) for _ in range(2))
    first_lse, second_lse = place.randn(heads, tokens), place.randn(heads, tokens)
    first_lse[:, ::5] = float("inf")
    out, lse = torch.empty_like(first), torch.empty_like(first_lse)

    def launch(options):
        merge_states_kernel[(tokens, heads)](out, lse, first, first_lse, second, second_lse, HEAD_SIZE=hd,
                                             PADDED_HEAD_SIZE=tw.next_power_of_2(hd), OUTPUT_LSE=True, **options)

    def expected():
        one = torch.where(first_lse == float("inf"), -float("inf"), first_lse).double()
        weight = (one - torch.logaddexp(one, second_lse.double())).exp().T[:, :, None]
        return first.double() * weight + second.double() * (1 - weight)

    return Problem(launch, warps(4, 1, 2), out, expected, bytes=size(first, second, out))


PROBLEMS = [per_token_int8, dropout_seeded, embedding, embedding_backward,
            cache_write, expert_gate, sampled_argmax, causal_conv, cumulative_sums,
            transpose_by_trans, transpose_by_pointers, batch_norm_stats, sum_by_atomics, histogram, adam,
            merged_states]
