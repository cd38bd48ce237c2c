"""Attention forward, as users write it."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem


def blocks(m, n, warps, stages):
    """A configuration: rows of queries, rows of keys, and what launches it."""
    return {"BLOCK_M": m, "BLOCK_N": n, "num_warps": warps, "num_stages": stages}


CONFIGS = [blocks(128, 64, 8, 3), blocks(128, 128, 8, 2), blocks(64, 64, 4, 3)]


# --- what they should give --------------------------------------------------------------------------
def attend(q, k, v, scale, alter=None, weigh=None):
    """Attention of arrays (batch, heads, length, size) in floats of 32 bits, group by group; `alter` changes a head's
    scores (and may append columns without values), `weigh` changes what softmax gives."""
    output = torch.empty(*q.shape[:3], v.shape[3], device=q.device)
    group = q.shape[1] // k.shape[1]
    for batch, first in ((batch, first) for batch in range(q.shape[0]) for first in range(0, q.shape[1], group)):
        def change(parts, by, batch=batch, first=first):
            return torch.stack([by(part, batch, first + i) for i, part in enumerate(parts)]) if by else parts
        keys, values = k[batch, first // group].float(), v[batch, first // group].float()
        scores = change(q[batch, first:first + group].float() @ keys.T * scale, alter)
        output[batch, first:first + group] = change(scores.softmax(-1)[..., :len(keys)], weigh) @ values
    return output


def distance(scores):
    """How far behind its query each key is, where the last query sees the last key."""
    rows, columns = (torch.arange(count, device=scores.device) for count in scores.shape)
    return rows[:, None] + (scores.shape[1] - scores.shape[0]) - columns


def hide_future(scores, *_):
    """Scores of keys that are not later than the query."""
    return scores.masked_fill(distance(scores) < 0, -float("inf"))


def hide_far(window):
    """The same of the last keys only."""
    return lambda scores, *_: hide_future(scores).masked_fill(distance(scores) >= window, -float("inf"))


def attend_packed(q, starts, keys, scale, alter=None):
    """Attention of sequences that lie one after another, (tokens, heads, size); `keys` gives a sequence's keys and
    values in the same form."""
    output = torch.empty(*q.shape[:2], keys(0)[1].shape[2], device=q.device)
    places = starts.tolist()
    for i, (start, stop) in enumerate(zip(places, places[1:], strict=False)):
        parts = [part.transpose(0, 1)[None] for part in (q[start:stop], *keys(i))]
        output[start:stop] = attend(*parts, scale, alter)[0].transpose(0, 1)
    return output


# --- inputs -----------------------------------------------------------------------------------------
def heads_first(batch, heads, kv_heads, length, size, dtype=torch.float16):
    """Queries, keys and values (batch, heads, length, size)."""
    return [place.randn(batch, count, length, size, dtype=dtype) for count in (heads, kv_heads, kv_heads)]


def integers(values):
    """What kernels load to find their way."""
    return torch.as_tensor(values, dtype=torch.int32).to(place.device())


def random_lengths(count, low, high):
    """Different lengths of sequences."""
    return torch.randint(low, high + 1, (count,)).tolist()


def running(lengths):
    """Where each sequence starts, and where the last one ends."""
    return integers([sum(lengths[:i]) for i in range(len(lengths) + 1)])


def shuffled_pages(lengths, page):
    """A table with the pages of each sequence, in no order; and how many there are."""
    longest = max(tw.cdiv(length, page) for length in lengths)
    order = torch.randperm(len(lengths) * longest)
    return integers(order.reshape(len(lengths), longest)), len(order)


def gather_pages(cache, table, i, length):
    """The tokens of a sequence, from (pages, places of a page, ...)."""
    return cache[table[i].long()].flatten(0, 1)[:length]


# --- stages off and on the diagonal -----------------------------------------------------------------
@tw.jit
def staged_inner(acc, l_i, m_i, q, K_block, V_block, offset_y, stride_kn, stride_vk, start_m, qk_scale,
                 FORM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m, offs_n,
                 N_CTX):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    if FORM == "pointers":
        K_block += lo * stride_kn
        V_block += lo * stride_vk
    elif FORM == "blocks":
        K_block = tl.advance(K_block, (0, lo))
        V_block = tl.advance(V_block, (lo, 0))
    offsetkv_y = offset_y + lo
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        if FORM == "descriptors":
            k = K_block.load([offsetkv_y, 0]).T
        else:
            k = tl.load(K_block)
        qk = tl.dot(q, k)
        if STAGE == 2:
            mask = offs_m[:, None] >= (start_n + offs_n[None, :])
            qk = qk * qk_scale + tl.where(mask, 0, -1.0e6)
            m_ij = tl.maximum(m_i, tl.max(qk, 1))
            qk -= m_ij[:, None]
        else:
            m_ij = tl.maximum(m_i, tl.max(qk, 1) * qk_scale)
            qk = qk * qk_scale - m_ij[:, None]
        p = tl.math.exp2(qk)
        alpha = tl.math.exp2(m_i - m_ij)
        l_ij = tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = V_block.load([offsetkv_y, 0]) if FORM == "descriptors" else tl.load(V_block)
        acc = tl.dot(p.to(v.dtype), v, acc)
        l_i = l_i * alpha + l_ij
        m_i = m_ij
        if FORM == "pointers":
            K_block += BLOCK_N * stride_kn
            V_block += BLOCK_N * stride_vk
        elif FORM == "blocks":
            K_block = tl.advance(K_block, (0, BLOCK_N))
            V_block = tl.advance(V_block, (BLOCK_N, 0))
        offsetkv_y += BLOCK_N
    return acc, l_i, m_i


@tw.jit
def staged_kernel(Q, K, V, sm_scale, M, Out, stride_qz, stride_qh, stride_qm, stride_qk, stride_kz, stride_kh,
                  stride_kn, stride_kk, stride_vz, stride_vh, stride_vk, stride_vn, stride_oz, stride_oh, stride_om,
                  stride_on, Z, H, N_CTX, HEAD_DIM: tl.constexpr, FORM: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, STAGE: tl.constexpr):
    start_m, off_hz = tl.program_id(0), tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, HEAD_DIM)
    qvk_offset = (off_hz // H).to(tl.int64) * stride_qz + (off_hz % H).to(tl.int64) * stride_qh
    if FORM == "pointers":
        q = tl.load(Q + qvk_offset + offs_m[:, None] * stride_qm + offs_d[None, :] * stride_qk)
        K_block = K + qvk_offset + offs_d[:, None] * stride_kk + offs_n[None, :] * stride_kn
        V_block = V + qvk_offset + offs_n[:, None] * stride_vk + offs_d[None, :] * stride_vn
    elif FORM == "blocks":
        Q_block = tl.make_block_ptr(base=Q + qvk_offset, shape=(N_CTX, HEAD_DIM), strides=(stride_qm, stride_qk),
                                    offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
        V_block = tl.make_block_ptr(base=V + qvk_offset, shape=(N_CTX, HEAD_DIM), strides=(stride_vk, stride_vn),
                                    offsets=(0, 0), block_shape=(BLOCK_N, HEAD_DIM), order=(1, 0))
        K_block = tl.make_block_ptr(base=K + qvk_offset, shape=(HEAD_DIM, N_CTX), strides=(stride_kk, stride_kn),
                                    offsets=(0, 0), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1))
        O_block = tl.make_block_ptr(base=Out + qvk_offset, shape=(N_CTX, HEAD_DIM), strides=(stride_om, stride_on),
                                    offsets=(start_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0))
        q = tl.load(Q_block)
    else:
        y_dim = Z * H * N_CTX
        Q_block = tl.make_tensor_descriptor(Q, [y_dim, HEAD_DIM], [HEAD_DIM, 1], [BLOCK_M, HEAD_DIM])
        K_block = tl.make_tensor_descriptor(K, [y_dim, HEAD_DIM], [HEAD_DIM, 1], [BLOCK_N, HEAD_DIM])
        V_block = tl.make_tensor_descriptor(V, [y_dim, HEAD_DIM], [HEAD_DIM, 1], [BLOCK_N, HEAD_DIM])
        O_block = tl.make_tensor_descriptor(Out, [y_dim, HEAD_DIM], [HEAD_DIM, 1], [BLOCK_M, HEAD_DIM])
        q = Q_block.load([off_hz * N_CTX + start_m * BLOCK_M, 0])
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale * 1.44269504
    if STAGE & 1:
        acc, l_i, m_i = staged_inner(acc, l_i, m_i, q, K_block, V_block, off_hz * N_CTX, stride_kn, stride_vk, start_m,
                                     qk_scale, FORM, BLOCK_M, BLOCK_N, 4 - STAGE, offs_m, offs_n, N_CTX)
    if STAGE & 2:
        acc, l_i, m_i = staged_inner(acc, l_i, m_i, q, K_block, V_block, off_hz * N_CTX, stride_kn, stride_vk, start_m,
                                     qk_scale, FORM, BLOCK_M, BLOCK_N, 2, offs_m, offs_n, N_CTX)
    m_i += tl.math.log2(l_i)
    acc = (acc / l_i[:, None]).to(Out.type.element_ty)
    tl.store(M + off_hz * N_CTX + offs_m, m_i)
    if FORM == "pointers":
        tl.store(Out + qvk_offset + offs_m[:, None] * stride_om + offs_d[None, :] * stride_on, acc)
    elif FORM == "blocks":
        tl.store(O_block, acc)
    else:
        O_block.store([off_hz * N_CTX + start_m * BLOCK_M, 0], acc)


def staged(form, causal, size):
    """The kernel above on whole blocks of rows."""
    batch, heads, length = place.sizes((4, 16, 4096), (1, 2, 256))
    q, k, v = heads_first(batch, heads, heads, length, size)
    output, logsums = torch.empty_like(q), torch.empty(batch, heads, length, device=q.device)
    scale = size ** -0.5

    def launch(options):
        grid = (tw.cdiv(length, options["BLOCK_M"]), batch * heads)
        staged_kernel[grid](q, k, v, scale, logsums, output, *q.stride(), *k.stride(), *v.stride(), *output.stride(),
                            batch, heads, length, HEAD_DIM=size, FORM=form, STAGE=3 if causal else 1, **options)

    return Problem(launch, CONFIGS, output, lambda: attend(q, k, v, scale, hide_future if causal else None),
                   flops=4.0 * batch * heads * length * length * size / (2 if causal else 1))


def staged_pointers():
    """Pointers that the loop advances, every key."""
    return staged("pointers", False, 128)


def staged_pointers_causal():
    """Pointers, a loop before the diagonal and one on it."""
    return staged("pointers", True, 64)


def staged_block_pointers():
    """Block pointers without checks, keys transposed by order."""
    return staged("blocks", True, 128)


def staged_descriptors():
    """Descriptors made in the kernel, keys transposed after the load."""
    return staged("descriptors", True, 128)


# --- rows of any length, heads of any size, a bias --------------------------------------------------
@tw.jit
def load_rows(ptrs, rows, offs_d, headdim, EVEN: tl.constexpr, EVEN_HEADDIM: tl.constexpr):
    if EVEN:
        return tl.load(ptrs) if EVEN_HEADDIM else tl.load(ptrs, mask=offs_d[None, :] < headdim, other=0.0)
    else:
        return tl.load(ptrs, mask=rows[:, None] & (offs_d[None, :] < headdim), other=0.0)


@tw.jit
def early_kernel(Q, K, V, Bias, Out, Lse, TMP, softmax_scale, dropout_p, seed, stride_qb, stride_qh, stride_qm,
                 stride_kb, stride_kh, stride_kn, stride_vb, stride_vh, stride_vn, stride_bb, stride_bh, stride_bm,
                 stride_ob, stride_oh, stride_om, nheads, seqlen_q, seqlen_k, seqlen_q_rounded, headdim, side,
                 BIAS_TYPE: tl.constexpr, IS_CAUSAL: tl.constexpr, BLOCK_HEADDIM: tl.constexpr, EVEN: tl.constexpr,
                 EVEN_HEADDIM: tl.constexpr, DROPOUT: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m, off_hb = tl.program_id(0), tl.program_id(1)
    off_b, off_h = off_hb // nheads, off_hb % nheads
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_HEADDIM)
    q_ptrs = Q + off_b * stride_qb + off_h * stride_qh + (offs_m[:, None] * stride_qm + offs_d[None, :])
    k_ptrs = K + off_b * stride_kb + off_h * stride_kh + (offs_n[:, None] * stride_kn + offs_d[None, :])
    v_ptrs = V + off_b * stride_vb + off_h * stride_vh + (offs_n[:, None] * stride_vn + offs_d[None, :])
    b_ptrs = Bias + off_b * stride_bb + off_h * stride_bh + offs_m[:, None] * stride_bm
    t_ptrs = TMP + off_hb * seqlen_q_rounded + offs_m
    lse_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    acc_o = tl.zeros([BLOCK_M, BLOCK_HEADDIM], dtype=tl.float32)
    q = load_rows(q_ptrs, offs_m < seqlen_q, offs_d, headdim, EVEN, EVEN_HEADDIM)
    end_n = seqlen_k if not IS_CAUSAL else tl.minimum((start_m + 1) * BLOCK_M, seqlen_k)
    for start_n in range(0, end_n, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        columns = start_n + offs_n
        k = load_rows(k_ptrs + start_n * stride_kn, columns < seqlen_k, offs_d, headdim, EVEN, EVEN_HEADDIM)
        qk = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
        qk += tl.dot(q, tl.trans(k))
        if not EVEN:
            qk += tl.where(columns[None, :] < seqlen_k, 0, float("-inf"))
        if IS_CAUSAL:
            qk += tl.where(offs_m[:, None] >= columns[None, :], 0, float("-inf"))
        if BIAS_TYPE != "none":
            mask = (offs_m[:, None] < seqlen_q) & (columns[None, :] < seqlen_k)
            if BIAS_TYPE == "matrix":
                bias = tl.load(b_ptrs + columns[None, :], mask=mask, other=0.0).to(tl.float32)
            else:
                bias = tl.load(b_ptrs + (columns // side)[None, :], mask=mask, other=0.0).to(tl.float32)
                bias += tl.load(b_ptrs + (side + columns % side)[None, :], mask=mask, other=0.0)
            qk = qk * softmax_scale + bias
            m_ij = tl.maximum(tl.max(qk, 1), lse_i)
            p = tl.exp(qk - m_ij[:, None])
        else:
            m_ij = tl.maximum(tl.max(qk, 1) * softmax_scale, lse_i)
            p = tl.exp(qk * softmax_scale - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        acc_o_scale = tl.exp(m_i - m_ij)
        tl.store(t_ptrs, acc_o_scale)
        acc_o_scale = tl.load(t_ptrs)
        acc_o = acc_o * acc_o_scale[:, None]
        v = load_rows(v_ptrs + start_n * stride_vn, columns < seqlen_k, offs_d, headdim, EVEN, EVEN_HEADDIM)
        if DROPOUT:
            places = (off_hb * seqlen_q + offs_m[:, None]) * seqlen_k + columns[None, :]
            p = tl.where(tl.rand(seed, places) > dropout_p, p / (1 - dropout_p), 0.0)
        acc_o += tl.dot(p.to(v.dtype), v)
        m_i = m_ij
        lse_i = m_ij + tl.log(tl.exp(lse_i - m_ij) + l_ij)
    tl.store(t_ptrs, tl.exp(m_i - lse_i))
    acc_o = acc_o * tl.load(t_ptrs)[:, None]
    tl.store(Lse + off_hb * seqlen_q_rounded + offs_m, lse_i)
    out_ptrs = Out + off_b * stride_ob + off_h * stride_oh + (offs_m[:, None] * stride_om + offs_d[None, :])
    tl.store(out_ptrs, acc_o, mask=(offs_m[:, None] < seqlen_q) & (offs_d[None, :] < headdim))


def uniform(places, seed):
    """The numbers of `tl.rand`: a counter mixed in ten rounds, in integers of 64 bits."""
    low, counters, keys = 0xFFFFFFFF, [places, *[torch.zeros_like(places)] * 3], [seed, 0]
    for _ in range(10):
        first, third = counters[0] * 0xD2511F53, counters[2] * 0xCD9E8D57
        counters = [(third >> 32 & low) ^ counters[1] ^ keys[0], third & low,
                    (first >> 32 & low) ^ counters[3] ^ keys[1], first & low]
        keys = [(keys[0] + 0x9E3779B9) & low, (keys[1] + 0xBB67AE85) & low]
    return torch.where(counters[0] >> 31 == 1, low - counters[0], counters[0]).float() * 4.6566127342e-10


def early(shape, size, causal=False, bias_type="none", dropout=0.0):
    """The kernel above on arrays (batch, length, heads, size)."""
    batch, heads, length, side = shape
    q, k, v = (part.transpose(1, 2).contiguous() for part in heads_first(batch, heads, heads, length, size))
    wide = {"matrix": length, "terms": 2 * side, "none": 1}[bias_type]
    bias = place.randn(batch, heads, length, wide, dtype=torch.float16)
    output, rounded = torch.empty_like(q), tw.cdiv(length, 128) * 128
    logsums, scratch = (torch.empty(batch, heads, rounded, device=q.device) for _ in range(2))
    strides = [each for part in (q, k, v) for each in (part.stride(0), part.stride(2), part.stride(1))]

    def launch(options):
        early_kernel[tw.cdiv(length, options["BLOCK_M"]), batch * heads](
            q, k, v, bias, output, logsums, scratch, size ** -0.5, dropout, 123, *strides, *bias.stride()[:3],
            *strides[:3], heads, length, length, rounded, size, side, BIAS_TYPE=bias_type, IS_CAUSAL=causal,
            BLOCK_HEADDIM=tw.next_power_of_2(size), EVEN_HEADDIM=size & (size - 1) == 0, EVEN=length % 128 == 0,
            DROPOUT=dropout > 0, **options)

    def alter(scores, b, h):
        columns, added = torch.arange(length, device=q.device), bias[b, h].float()
        scores = scores + {"matrix": lambda: added, "none": lambda: 0.0,
                           "terms": lambda: added[:, columns // side] + added[:, side + columns % side]}[bias_type]()
        return hide_future(scores) if causal else scores

    def weigh(weights, b, h):
        places = torch.arange(length * length, device=q.device).reshape(length, length)
        kept = uniform((b * heads + h) * length * length + places, 123) > dropout
        return torch.where(kept, weights / (1 - dropout), 0)

    return Problem(launch, CONFIGS, output, lambda: attend(
        *(part.transpose(1, 2) for part in (q, k, v)), size ** -0.5, alter, weigh if dropout else None).transpose(1, 2),
        flops=4.0 * batch * heads * length * length * size / (2 if causal else 1))


def early_ragged():
    """A length that blocks do not divide, everything masked, natural exponentials, scales through memory."""
    return early(place.sizes((4, 16, 4000, 1), (1, 2, 200, 1)), 64, causal=True)


def early_bias():
    """A matrix added to the scores."""
    return early(place.sizes((4, 16, 2048, 1), (1, 2, 128, 1)), 128, bias_type="matrix")


def early_two_terms():
    """Positions in an image: a term for the key's line and one for its column; heads of 80 in blocks of 128."""
    return early(place.sizes((2, 16, 4096, 64), (1, 2, 144, 12)), 80, bias_type="terms")


def early_dropout():
    """Weights left out at random; heads of 96 in blocks of 128."""
    return early(place.sizes((2, 16, 2048, 1), (1, 2, 128, 1)), 96, causal=True, dropout=0.1)


# --- keys in integers of eight bits -----------------------------------------------------------------
@tw.jit
def int8_kernel(Q, K, V, Q_scale, K_scale, Out, stride_qz, stride_qh, stride_qn, stride_kz, stride_kh, stride_kn,
                stride_vz, stride_vh, stride_vn, qo_len, kv_len, H, num_kv_groups: tl.constexpr, HEAD_DIM: tl.constexpr,
                BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m = tl.program_id(0)
    off_h, off_z = tl.program_id(1).to(tl.int64), tl.program_id(2).to(tl.int64)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, HEAD_DIM)
    kv_h = off_h // num_kv_groups
    q_ptrs = Q + (off_z * stride_qz + off_h * stride_qh) + offs_m[:, None] * stride_qn + offs_k[None, :]
    k_ptrs = K + (off_z * stride_kz + kv_h * stride_kh) + offs_n[None, :] * stride_kn + offs_k[:, None]
    v_ptrs = V + (off_z * stride_vz + kv_h * stride_vh) + offs_n[:, None] * stride_vn + offs_k[None, :]
    k_scale_ptr = K_scale + (off_z * (H // num_kv_groups) + kv_h) * tl.cdiv(kv_len, BLOCK_N)
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    q = tl.load(q_ptrs, mask=offs_m[:, None] < qo_len)
    q_scale = tl.load(Q_scale + (off_z * H + off_h) * tl.cdiv(qo_len, BLOCK_M) + start_m)
    for start_n in range(0, kv_len, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k_mask = offs_n[None, :] < (kv_len - start_n)
        k = tl.load(k_ptrs, mask=k_mask)
        k_scale = tl.load(k_scale_ptr)
        qk = tl.dot(q, k).to(tl.float32) * q_scale * k_scale
        qk += tl.where(k_mask, 0, float("-inf"))
        m_ij = tl.maximum(m_i, tl.max(qk, 1))
        p = tl.math.exp2(qk - m_ij[:, None])
        alpha = tl.math.exp2(m_i - m_ij)
        l_i = l_i * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        v = tl.load(v_ptrs, mask=offs_n[:, None] < (kv_len - start_n))
        acc += tl.dot(p.to(tl.float16), v, out_dtype=tl.float16)
        m_i = m_ij
        k_ptrs += BLOCK_N * stride_kn
        k_scale_ptr += 1
        v_ptrs += BLOCK_N * stride_vn
    o_ptrs = Out + (off_z * stride_qz + off_h * stride_qh) + offs_m[:, None] * stride_qn + offs_k[None, :]
    tl.store(o_ptrs, (acc / l_i[:, None]).to(Out.type.element_ty), mask=offs_m[:, None] < qo_len)


def int8_scores():
    """Queries and keys in integers with a scale a block, sums of values in halves of each block."""
    batch, heads, kv_heads, length = place.sizes((4, 32, 8, 4000), (1, 4, 2, 200))
    v = place.randn(batch, kv_heads, length, 128, dtype=torch.float16)
    q, k = ((place.randn(batch, count, length, 128) * 30).clamp(-127, 127).to(torch.int8)
            for count in (heads, kv_heads))
    q_scale = (torch.rand(batch, heads, tw.cdiv(length, 128)) * 1e-3).to(v.device)
    k_scale = (torch.rand(batch, kv_heads, tw.cdiv(length, 64)) * 0.1 + 0.1).to(v.device)
    output = torch.empty(q.shape, device=v.device, dtype=v.dtype)

    def launch(options):
        int8_kernel[tw.cdiv(length, 128), heads, batch](
            q, k, v, q_scale, k_scale, output, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], length, length, heads,
            num_kv_groups=heads // kv_heads, HEAD_DIM=128, **options)

    def expected():
        wide = [part.float() * scale.repeat_interleave(side, 2)[:, :, :length, None]
                for part, scale, side in ((q, q_scale, 128), (k, k_scale, 64))]
        return attend(*wide, v, 0.6931471805599453)

    return Problem(launch, [blocks(128, 64, 8, 4), blocks(128, 64, 4, 3), blocks(128, 64, 8, 3)], output, expected,
                   flops=4.0 * batch * heads * length * length * 128)


# --- sequences of different lengths -----------------------------------------------------------------
@tw.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@tw.jit
def context_kernel(Q, K, V, sm_scale, B_Start_Loc, B_Seqlen, Slopes, Out, stride_qbs, stride_qh, stride_kbs, stride_kh,
                   stride_vbs, stride_vh, stride_obs, stride_oh, kv_group_num: tl.constexpr, logit_cap: tl.constexpr,
                   HAS_ALIBI: tl.constexpr, SLIDING_WINDOW: tl.constexpr, Lk: tl.constexpr,
                   BLOCK_DMODEL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    cur_batch, cur_head, start_m = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    cur_kv_head = cur_head // kv_group_num
    cur_batch_seq_len = tl.load(B_Seqlen + cur_batch)
    cur_batch_start = tl.load(B_Start_Loc + cur_batch)
    block_start_loc = BLOCK_M * start_m
    offs_n = tl.arange(0, BLOCK_N)
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    off_q = (cur_batch_start + offs_m[:, None]) * stride_qbs + cur_head * stride_qh + offs_d[None, :]
    mask_d = offs_d < Lk
    q = tl.load(Q + off_q, mask=(offs_m[:, None] < cur_batch_seq_len) & mask_d[None, :], other=0.0)
    k_ptrs = K + offs_n[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_d[:, None]
    v_ptrs = V + offs_n[:, None] * stride_vbs + cur_kv_head * stride_vh + offs_d[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, BLOCK_DMODEL], dtype=tl.float32)
    if HAS_ALIBI:
        slope = tl.load(Slopes + cur_head)
    block_mask = tl.where(block_start_loc < cur_batch_seq_len, 1, 0)
    end_n = tl.minimum((start_m + 1) * BLOCK_M, cur_batch_seq_len)
    begin_n = tl.maximum(0, block_start_loc - SLIDING_WINDOW + 1) // BLOCK_N * BLOCK_N if SLIDING_WINDOW > 0 else 0
    for start_n in range(begin_n, block_mask * end_n, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        k = tl.load(k_ptrs + (cur_batch_start + start_n) * stride_kbs,
                    mask=((start_n + offs_n[None, :]) < cur_batch_seq_len) & mask_d[:, None], other=0.0)
        qk = tl.dot(q, k) * sm_scale
        if logit_cap > 0:
            qk = logit_cap * tanh(qk / logit_cap)
        if HAS_ALIBI:
            qk += slope * ((start_n + offs_n[None, :]) - offs_m[:, None]).to(tl.float32)
        qk = tl.where((start_n + offs_n[None, :] < cur_batch_seq_len)
                      & (offs_m[:, None] >= (start_n + offs_n[None, :])), qk, -1.0e8)
        if SLIDING_WINDOW > 0:
            qk = tl.where(offs_m[:, None] - (start_n + offs_n[None, :]) < SLIDING_WINDOW, qk, -1.0e8)
        m_ij = tl.max(qk, 1)
        p = tl.exp(qk - m_ij[:, None])
        l_ij = tl.sum(p, 1)
        m_i_new = tl.maximum(m_i, m_ij)
        alpha = tl.exp(m_i - m_i_new)
        beta = tl.exp(m_ij - m_i_new)
        l_i_new = alpha * l_i + beta * l_ij
        p = p * (beta / l_i_new)[:, None]
        acc = acc * (l_i / l_i_new * alpha)[:, None]
        v = tl.load(v_ptrs + (cur_batch_start + start_n) * stride_vbs,
                    mask=((start_n + offs_n[:, None]) < cur_batch_seq_len) & mask_d[None, :], other=0.0)
        acc += tl.dot(p.to(v.dtype), v)
        l_i, m_i = l_i_new, m_i_new
    off_o = (cur_batch_start + offs_m[:, None]) * stride_obs + cur_head * stride_oh + offs_d[None, :]
    tl.store(Out + off_o, acc, mask=(offs_m[:, None] < cur_batch_seq_len) & mask_d[None, :])


def context(size, kv_heads, cap=0.0, alibi=False, window=0):
    """The kernel above on sequences one after another."""
    count, longest, heads = place.sizes((8, 4096, 32), (2, 150, 4))
    lengths = random_lengths(count, longest // 2, longest)
    starts, kv_heads = running(lengths), min(heads, kv_heads)
    q, k, v = (place.randn(sum(lengths), each, size, dtype=torch.float16) for each in (heads, kv_heads, kv_heads))
    output, slopes = torch.empty_like(q), 2.0 ** (-8 * torch.arange(1, heads + 1, device=q.device) / heads)

    def launch(options):
        context_kernel[count, heads, tw.cdiv(max(lengths), options["BLOCK_M"])](
            q, k, v, size ** -0.5, starts, integers(lengths), slopes, output, *q.stride()[:2], *k.stride()[:2],
            *v.stride()[:2], *output.stride()[:2], kv_group_num=heads // kv_heads, logit_cap=cap, HAS_ALIBI=alibi,
            SLIDING_WINDOW=window, Lk=size, BLOCK_DMODEL=tw.next_power_of_2(size), **options)

    def alter(scores, _, head):
        scores = torch.tanh(scores / cap) * cap if cap else scores
        scores = scores - distance(scores) * slopes[head] if alibi else scores
        return hide_far(window or longest)(scores)

    return Problem(launch, CONFIGS, output, lambda: attend_packed(
        q, starts, lambda i: (k[starts[i]:starts[i + 1]], v[starts[i]:starts[i + 1]]), size ** -0.5, alter),
        flops=4.0 * heads * size * sum(min(window, length) * (length - min(window, length) / 2) if window else
                                       length * length / 2 for length in lengths))


def packed_prefill():
    """Starts and lengths loaded, heads in groups, sums kept divided."""
    return context(128, 8)


def packed_prefill_softcap():
    """Scores through a hyperbolic tangent."""
    return context(128, 8, cap=30.0)


def packed_prefill_alibi():
    """A slope a head, heads of 80 in blocks of 128."""
    return context(80, 32, alibi=True)


def packed_prefill_window():
    """The last keys only: both ends of the loop computed."""
    return context(128, 8, window=place.sizes((1024,), (50,))[0])


# --- keys and values in pages -----------------------------------------------------------------------
@tw.jit
def grouped_decode_kernel(Q, K_Buffer, V_Buffer, sm_scale, Block_Table, B_Seqlen, Att_Out, stride_table, stride_qbs,
                          stride_qh, stride_kbs, stride_kh, stride_vbs, stride_vh, stride_mid_ob, stride_mid_oh,
                          stride_mid_os, kv_group_num, q_head_num, BLOCK_DMODEL: tl.constexpr,
                          BLOCK_DPE: tl.constexpr, BLOCK_DV: tl.constexpr, BLOCK_N: tl.constexpr,
                          BLOCK_H: tl.constexpr, NUM_KV_SPLITS: tl.constexpr, PAGE_SIZE: tl.constexpr):
    cur_batch, cur_head_id, split_kv_id = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    VALID_BLOCK_H: tl.constexpr = BLOCK_H
    cur_kv_head = cur_head_id // tl.cdiv(kv_group_num, BLOCK_H)
    cur_head = cur_head_id * tl.minimum(VALID_BLOCK_H, kv_group_num) + tl.arange(0, BLOCK_H)
    mask_h = (cur_head < (cur_head_id + 1) * tl.minimum(VALID_BLOCK_H, kv_group_num)) & (cur_head < q_head_num)
    offs_d = tl.arange(0, BLOCK_DMODEL)
    offs_dv = tl.arange(0, BLOCK_DV)
    cur_batch_seq_len = tl.load(B_Seqlen + cur_batch)
    q = tl.load(Q + cur_batch * stride_qbs + cur_head[:, None] * stride_qh + offs_d[None, :],
                mask=mask_h[:, None], other=0.0)
    if BLOCK_DPE > 0:
        offs_dpe = BLOCK_DMODEL + tl.arange(0, BLOCK_DPE)
        qpe = tl.load(Q + cur_batch * stride_qbs + cur_head[:, None] * stride_qh + offs_dpe[None, :],
                      mask=mask_h[:, None], other=0.0)
    kv_len_per_split = tl.cdiv(cur_batch_seq_len, NUM_KV_SPLITS)
    split_kv_start = kv_len_per_split * split_kv_id
    split_kv_end = tl.minimum(split_kv_start + kv_len_per_split, cur_batch_seq_len)
    e_max = tl.zeros([BLOCK_H], dtype=tl.float32) - float("inf")
    e_sum = tl.zeros([BLOCK_H], dtype=tl.float32)
    acc = tl.zeros([BLOCK_H, BLOCK_DV], dtype=tl.float32)
    if split_kv_end > split_kv_start:
        for start_n in range(split_kv_start, split_kv_end, BLOCK_N):
            offs_n = start_n + tl.arange(0, BLOCK_N)
            kv_page = tl.load(Block_Table + stride_table * cur_batch + offs_n // PAGE_SIZE,
                              mask=offs_n < split_kv_end, other=0)
            kv_loc = kv_page * PAGE_SIZE + offs_n % PAGE_SIZE
            k = tl.load(K_Buffer + kv_loc[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_d[:, None],
                        mask=offs_n[None, :] < split_kv_end, other=0.0)
            qk = tl.dot(q, k.to(q.dtype))
            if BLOCK_DPE > 0:
                kpe = tl.load(K_Buffer + kv_loc[None, :] * stride_kbs + cur_kv_head * stride_kh + offs_dpe[:, None],
                              mask=offs_n[None, :] < split_kv_end, other=0.0)
                qk += tl.dot(qpe, kpe.to(qpe.dtype))
            qk *= sm_scale
            qk = tl.where(mask_h[:, None] & (offs_n[None, :] < split_kv_end), qk, float("-inf"))
            v = tl.load(V_Buffer + kv_loc[:, None] * stride_vbs + cur_kv_head * stride_vh + offs_dv[None, :],
                        mask=offs_n[:, None] < split_kv_end, other=0.0)
            n_e_max = tl.maximum(tl.max(qk, 1), e_max)
            re_scale = tl.exp(e_max - n_e_max)
            p = tl.exp(qk - n_e_max[:, None])
            acc = acc * re_scale[:, None] + tl.dot(p.to(v.dtype), v)
            e_sum = e_sum * re_scale + tl.sum(p, 1)
            e_max = n_e_max
        mid_o = cur_batch * stride_mid_ob + cur_head * stride_mid_oh + split_kv_id * stride_mid_os
        tl.store(Att_Out + mid_o[:, None] + offs_dv[None, :], acc / e_sum[:, None], mask=mask_h[:, None])
        tl.store(Att_Out + mid_o + BLOCK_DV, e_max + tl.log(e_sum), mask=mask_h)


@tw.jit
def split_sum_kernel(Mid_O, Out, B_Seqlen, stride_mid_ob, stride_mid_oh, stride_mid_os, stride_obs, stride_oh,
                     NUM_KV_SPLITS: tl.constexpr, BLOCK_DV: tl.constexpr):
    cur_batch, cur_head = tl.program_id(0), tl.program_id(1)
    cur_batch_seq_len = tl.load(B_Seqlen + cur_batch)
    offs_d = tl.arange(0, BLOCK_DV)
    e_sum = 0.0
    e_max = -float("inf")
    acc = tl.zeros([BLOCK_DV], dtype=tl.float32)
    offs_mid = cur_batch * stride_mid_ob + cur_head * stride_mid_oh
    for split_kv_id in range(0, NUM_KV_SPLITS):
        kv_len_per_split = tl.cdiv(cur_batch_seq_len, NUM_KV_SPLITS)
        split_kv_start = kv_len_per_split * split_kv_id
        split_kv_end = tl.minimum(split_kv_start + kv_len_per_split, cur_batch_seq_len)
        if split_kv_end > split_kv_start:
            tv = tl.load(Mid_O + offs_mid + split_kv_id * stride_mid_os + offs_d)
            tlogic = tl.load(Mid_O + offs_mid + split_kv_id * stride_mid_os + BLOCK_DV)
            n_e_max = tl.maximum(tlogic, e_max)
            old_scale = tl.exp(e_max - n_e_max)
            exp_logic = tl.exp(tlogic - n_e_max)
            acc = acc * old_scale + exp_logic * tv
            e_sum = e_sum * old_scale + exp_logic
            e_max = n_e_max
    tl.store(Out + cur_batch * stride_obs + cur_head * stride_oh + offs_d, acc / e_sum)


def decode(batch, heads, kv_heads, longest, size, rotary, configs):
    """Both kernels; the values are the first part of the keys where there is a rotary one."""
    page, parts = 16, 8
    lengths = random_lengths(batch, longest // 2, longest)
    table, pages = shuffled_pages(lengths, page)
    q = place.randn(batch, heads, size + rotary, dtype=torch.float16)
    keys = place.randn(pages, page, kv_heads, size + rotary, dtype=torch.float16)
    values = keys[..., :size] if rotary else place.randn(*keys.shape, dtype=torch.float16)
    seen, output = integers(lengths), torch.empty(batch, heads, size, device=q.device, dtype=q.dtype)
    middle, group = torch.empty(batch, heads, parts, size + 1, device=q.device), heads // kv_heads
    scale = (size + rotary) ** -0.5

    def launch(options):
        grouped_decode_kernel[batch, tw.cdiv(heads, min(16, group)), parts](
            q, keys, values, scale, table, seen, middle, table.stride(0), *q.stride()[:2], *keys.stride()[1:3],
            *values.stride()[1:3], *middle.stride()[:3], group, heads, BLOCK_DMODEL=size, BLOCK_DPE=rotary,
            BLOCK_DV=size, BLOCK_H=16, NUM_KV_SPLITS=parts, PAGE_SIZE=page, **options)
        split_sum_kernel[batch, heads](middle, output, seen, *middle.stride()[:3], *output.stride()[:2],
                                       NUM_KV_SPLITS=parts, BLOCK_DV=size, num_warps=4, num_stages=2)

    configs = [{"BLOCK_N": n, "num_warps": warps, "num_stages": stages} for n, warps, stages in configs]
    return Problem(launch, configs, output, lambda: attend_packed(
        q, torch.arange(batch + 1), lambda i: [gather_pages(cache, table, i, lengths[i]) for cache in (keys, values)],
        scale), bytes=2.0 * sum(lengths) * kv_heads * (size + rotary) * (1 if rotary else 2))


def paged_decode():
    """One query a sequence, heads of a group as rows, keys in parts; and the sum of the parts."""
    return decode(*place.sizes((48, 32, 8, 8192), (2, 8, 2, 100)), 128, 0,
                  [(64, 4, 3), (64, 4, 2), (32, 4, 2)])


def latent_decode():
    """One head of keys for all queries: 512 that are values too, and 64 with the rotation."""
    return decode(*place.sizes((128, 128, 1, 8192), (2, 32, 1, 100)), 512, 64,
                  [(32, 4, 2), (16, 4, 2), (32, 8, 2)])


@tw.jit
def find_sequence(query_start_len_ptr, target_idx, num_seqs, BLOCK_Q: tl.constexpr):
    left: tl.int32 = 0
    right = num_seqs
    while left < right:
        mid = (left + right) // 2
        mid_val = tl.load(query_start_len_ptr + mid) // BLOCK_Q + mid
        if mid_val <= target_idx:
            left = mid + 1
        else:
            right = mid
    return left - 1


@tw.jit
def online(qk, acc, l_i, m_i):
    m_ij = tl.maximum(m_i, tl.max(qk, 1))
    m_ij = tl.where(m_ij > float("-inf"), m_ij, 0.0)
    p = tl.exp2(qk - m_ij[:, None])
    alpha = tl.exp2(m_i - m_ij)
    return p, acc * alpha[:, None], l_i * alpha + tl.sum(p, 1), m_ij


@tw.jit
def unified_kernel(output_ptr, query_ptr, key_cache_ptr, value_cache_ptr, sink_ptr, block_tables_ptr, seq_lens_ptr,
                   scale, k_scale, v_scale, num_seqs, block_table_stride, query_stride_0, query_stride_1,
                   stride_k_cache_0, stride_k_cache_1, stride_k_cache_2, stride_v_cache_0, stride_v_cache_1,
                   stride_v_cache_2, query_start_len_ptr, num_queries_per_kv: tl.constexpr, BLOCK_SIZE: tl.constexpr,
                   HEAD_SIZE: tl.constexpr, USE_SINKS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    BLOCK_Q: tl.constexpr = BLOCK_M // num_queries_per_kv
    kv_head_idx, q_block_global_idx = tl.program_id(0), tl.program_id(1)
    seq_idx = find_sequence(query_start_len_ptr, q_block_global_idx, num_seqs, BLOCK_Q)
    cur_start = tl.load(query_start_len_ptr + seq_idx)
    cur_len = tl.load(query_start_len_ptr + seq_idx + 1) - cur_start
    q_block_local_idx = q_block_global_idx - (cur_start // BLOCK_Q + seq_idx)
    if q_block_local_idx * BLOCK_Q >= cur_len:
        return
    offs_m = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_SIZE)
    query_pos = q_block_local_idx * BLOCK_Q + offs_m // num_queries_per_kv
    head = kv_head_idx * num_queries_per_kv + offs_m % num_queries_per_kv
    query_offset = (cur_start + query_pos)[:, None] * query_stride_0 + head[:, None] * query_stride_1 + offs_d[None, :]
    query_mask = (query_pos < cur_len)[:, None]
    Q = tl.load(query_ptr + query_offset, mask=query_mask, other=0.0)
    if USE_SINKS:
        M = tl.load(sink_ptr + head).to(tl.float32) * 1.4426950408889634
    else:
        M = tl.full([BLOCK_M], float("-inf"), dtype=tl.float32)
    L = tl.full([BLOCK_M], 1.0 if USE_SINKS else 0.0, dtype=tl.float32)
    acc = tl.zeros([BLOCK_M, HEAD_SIZE], dtype=tl.float32)
    context_len = tl.load(seq_lens_ptr + seq_idx) - cur_len
    max_prefix = context_len + q_block_local_idx * BLOCK_Q + (BLOCK_M - 1) // num_queries_per_kv + 1
    max_prefix = tl.minimum(max_prefix, context_len + cur_len)
    for j in range(0, tl.cdiv(max_prefix, BLOCK_N)):
        seq_offset = j * BLOCK_N + tl.arange(0, BLOCK_N)
        tile_mask = seq_offset < max_prefix
        page = tl.load(block_tables_ptr + seq_idx * block_table_stride + seq_offset // BLOCK_SIZE, mask=tile_mask,
                       other=0).to(tl.int64)
        v_offset = (page[:, None] * stride_v_cache_0 + kv_head_idx * stride_v_cache_2 + offs_d[None, :]
                    + (seq_offset % BLOCK_SIZE)[:, None] * stride_v_cache_1)
        k_offset = (page[None, :] * stride_k_cache_0 + kv_head_idx * stride_k_cache_2 + offs_d[:, None]
                    + (seq_offset % BLOCK_SIZE)[None, :] * stride_k_cache_1)
        K = tl.load(key_cache_ptr + k_offset, mask=tile_mask[None, :], other=0.0)
        if K.dtype.is_fp8():
            K = (K.to(tl.float32) * tl.load(k_scale)).to(Q.dtype)
        V = tl.load(value_cache_ptr + v_offset, mask=tile_mask[:, None], other=0.0)
        if V.dtype.is_fp8():
            V = (V.to(tl.float32) * tl.load(v_scale)).to(Q.dtype)
        S = scale * 1.4426950408889634 * tl.dot(Q, K)
        S = tl.where(query_mask & (seq_offset[None, :] < context_len + query_pos[:, None] + 1), S, float("-inf"))
        P, acc, L, M = online(S, acc, L, M)
        acc += tl.dot(P.to(V.dtype), V)
    tl.store(output_ptr + query_offset, acc / L[:, None], mask=query_mask)


def unified(low, high, dtype, with_sinks, configs):
    """The kernel above: sequences of which some tokens are new and some in the cache before."""
    count, heads, kv_heads, size, page = *place.sizes((32, 32, 4), (3, 8, 2)), 128, 16
    fresh, lengths = random_lengths(count, *low), random_lengths(count, *high)
    starts, seen, sinks = running(fresh), integers(lengths), place.randn(heads)
    table, pages = shuffled_pages(lengths, page)
    q = place.randn(sum(fresh), heads, size, dtype=torch.float16)
    keys, values = (place.randn(pages, page, kv_heads, size).to(dtype) for _ in range(2))
    scales, output = torch.tensor([0.5, 0.25], device=q.device), torch.empty_like(q)
    factors = scales.tolist() if dtype.itemsize == 1 else [1.0, 1.0]

    def launch(options):
        unified_kernel[kv_heads, sum(fresh) // (options["BLOCK_M"] * kv_heads // heads) + count](
            output, q, keys, values, sinks, table, seen, size ** -0.5, scales[:1], scales[1:], count, table.stride(0),
            *q.stride()[:2], *keys.stride()[:3], *values.stride()[:3], starts, num_queries_per_kv=heads // kv_heads,
            BLOCK_SIZE=page, HEAD_SIZE=size, USE_SINKS=with_sinks, **options)

    def alter(scores, _, head):
        scores = hide_future(scores)
        return torch.cat([scores, sinks[head].expand(len(scores), 1)], 1) if with_sinks else scores

    pairs = [(new, length - (new - 1) / 2) for new, length in zip(fresh, lengths, strict=True)]
    return Problem(launch, configs, output, lambda: attend_packed(q, starts, lambda i: [
        gather_pages(cache, table, i, lengths[i]).float() * factor
        for cache, factor in zip((keys, values), factors, strict=True)], size ** -0.5, alter),
        flops=sum(4.0 * heads * size * new * visible for new, visible in pairs))


def chunked_prefill():
    """Chunks of prompts after what the cache has, sinks, the sequence found by halving."""
    return unified(*place.sizes(((200, 600), (1024, 4096)), ((5, 30), (40, 90))), torch.float16, True,
                   [blocks(64, 64, 4, 3), blocks(128, 64, 8, 3), blocks(64, 32, 4, 2)])


def paged_small_floats():
    """Few tokens a sequence, the cache in floats of eight bits with a scale."""
    return unified(*place.sizes(((1, 4), (4096, 8192)), ((1, 4), (40, 90))), torch.float8_e4m3fn, False,
                   [blocks(16, 64, 4, 3), blocks(16, 32, 4, 3), blocks(32, 64, 4, 2)])


PROBLEMS = [staged_pointers, staged_pointers_causal, staged_block_pointers, staged_descriptors, early_ragged,
            early_bias, early_two_terms, early_dropout, int8_scores, packed_prefill, packed_prefill_softcap,
            packed_prefill_alibi, packed_prefill_window, paged_decode, latent_decode, chunked_prefill,
            paged_small_floats]
