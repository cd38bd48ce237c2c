"""Attention backward, and other loops of several products, as users write them."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.attention import blocks, heads_first, hide_far, hide_future
from bench.variations.problem import Problem, tile

LN2 = tl.constexpr(0.6931471824645996)


# --- attention backward -----------------------------------------------------------------------------
class Inputs:
    """Of the backward pass, what is right, and where kernels write: all gradients in one array."""

    def __init__(self, batch, heads, length, size, alter=None, group=1, visible=None):
        self.batch, self.heads, self.length, self.size, self.scale = batch, heads, length, size, size ** -0.5
        self.q, self.k, self.v = heads_first(batch, heads, heads // group, length, size)
        self.d_output = place.randn(*self.q.shape, dtype=torch.float16)
        self.output, self.logsums = torch.empty_like(self.q), torch.empty(batch, heads, length, device=self.q.device)
        self.delta, sizes = torch.empty_like(self.logsums), [part.numel() for part in (self.q, self.k, self.v)]
        self.results = torch.empty(sum(sizes), device=self.q.device)
        self.dq, self.dk, self.dv = self.results.split(sizes)
        self.exact = self.differentiate(alter, group)
        self.flops = 10.0 * batch * heads * size * (visible or length * length / (2 if alter is hide_future else 1))

    def differentiate(self, alter, group):
        """Head by head in floats of 32 bits; the output and the logarithms of sums are what kernels take."""
        exact = [torch.zeros(part.shape, device=part.device) for part in (self.q, self.k, self.v)]
        for b, h in ((b, h) for b in range(self.batch) for h in range(self.heads)):
            places = [(b, h), (b, h // group), (b, h // group)]
            parts = [part[at].float().requires_grad_()
                     for part, at in zip((self.q, self.k, self.v), places, strict=True)]
            scores = parts[0] @ parts[1].T * self.scale
            scores = alter(scores, b, h) if alter else scores
            result = scores.softmax(-1) @ parts[2]
            found = torch.autograd.grad(result, parts, self.d_output[b, h].float())
            for array, at, gradient in zip(exact, places, found, strict=True):
                array[at] += gradient
            self.output[b, h], self.logsums[b, h] = result.detach(), scores.detach().logsumexp(-1)
        return torch.cat([array.reshape(-1) for array in exact])

    def preprocess(self):
        """The sums of each row of outputs times their gradients."""
        delta_kernel[tw.cdiv(self.length, 128), self.batch * self.heads](
            self.output, self.d_output, self.delta, self.batch, self.heads, self.length, BLOCK_M=128,
            HEAD_DIM=self.size)

    def problem(self, launch, configs):
        return Problem(launch, configs, self.results, lambda: self.exact, flops=self.flops)


@tw.jit
def delta_kernel(O, DO, Delta, Z, H, N_CTX, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr):  # noqa: E741
    off_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    off_hz = tl.program_id(1)
    off_n = tl.arange(0, HEAD_DIM)
    places = off_hz * HEAD_DIM * N_CTX + off_m[:, None] * HEAD_DIM + off_n[None, :]
    o = tl.load(O + places, mask=off_m[:, None] < N_CTX, other=0.0).to(tl.float32)
    do = tl.load(DO + places, mask=off_m[:, None] < N_CTX, other=0.0).to(tl.float32)
    tl.store(Delta + off_hz * N_CTX + off_m, tl.sum(o * do, axis=1), mask=off_m < N_CTX)


@tw.jit
def fused_dkdv(dk, dv, Q, k, v, sm_scale, DO, M, D, stride_tok, stride_d, H, N_CTX, BLOCK_M1: tl.constexpr,
               BLOCK_N1: tl.constexpr, HEAD_DIM: tl.constexpr, start_n, start_m, num_steps, MASK: tl.constexpr):
    offs_m = start_m + tl.arange(0, BLOCK_M1)
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    offs_k = tl.arange(0, HEAD_DIM)
    qT_ptrs = Q + offs_m[None, :] * stride_tok + offs_k[:, None] * stride_d
    do_ptrs = DO + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d
    curr_m, step_m = start_m, BLOCK_M1
    for _ in range(num_steps):
        qT = tl.load(qT_ptrs)
        offs_m = curr_m + tl.arange(0, BLOCK_M1)
        m = tl.load(M + offs_m)
        qkT = tl.dot(k, qT)
        pT = tl.math.exp2(qkT - m[None, :])
        if MASK:
            mask = offs_m[None, :] >= offs_n[:, None]
            pT = tl.where(mask, pT, 0.0)
        do = tl.load(do_ptrs)
        ppT = pT.to(tl.float16)
        dv += tl.dot(ppT, do)
        Di = tl.load(D + offs_m)
        dpT = tl.dot(v, tl.trans(do)).to(tl.float32)
        dsT = (pT * (dpT - Di[None, :])).to(tl.float16)
        dk += tl.dot(dsT, tl.trans(qT))
        curr_m += step_m
        qT_ptrs += step_m * stride_tok
        do_ptrs += step_m * stride_tok
    return dk, dv


@tw.jit
def fused_dq(dq, q, K, V, do, m, D, stride_tok, stride_d, H, N_CTX, BLOCK_M2: tl.constexpr, BLOCK_N2: tl.constexpr,
             HEAD_DIM: tl.constexpr, start_m, start_n, num_steps, MASK: tl.constexpr):
    offs_m = start_m + tl.arange(0, BLOCK_M2)
    offs_n = start_n + tl.arange(0, BLOCK_N2)
    offs_k = tl.arange(0, HEAD_DIM)
    kT_ptrs = K + offs_n[None, :] * stride_tok + offs_k[:, None] * stride_d
    vT_ptrs = V + offs_n[None, :] * stride_tok + offs_k[:, None] * stride_d
    Di = tl.load(D + offs_m)
    curr_n, step_n = start_n, BLOCK_N2
    for _ in range(num_steps):
        kT = tl.load(kT_ptrs)
        vT = tl.load(vT_ptrs)
        qk = tl.dot(q, kT)
        p = tl.math.exp2(qk - m)
        if MASK:
            offs_n = curr_n + tl.arange(0, BLOCK_N2)
            mask = offs_m[:, None] >= offs_n[None, :]
            p = tl.where(mask, p, 0.0)
        dp = tl.dot(do, vT).to(tl.float32)
        ds = (p * (dp - Di[:, None])).to(tl.float16)
        dq += tl.dot(ds, tl.trans(kT))
        curr_n += step_n
        kT_ptrs += step_n * stride_tok
        vT_ptrs += step_n * stride_tok
    return dq


@tw.jit
def fused_kernel(Q, K, V, sm_scale, DO, DQ, DK, DV, M, D, stride_z, stride_h, stride_tok, stride_d, H, N_CTX,
                 CAUSAL: tl.constexpr, BLOCK_M1: tl.constexpr, BLOCK_N1: tl.constexpr, BLOCK_M2: tl.constexpr,
                 BLOCK_N2: tl.constexpr, BLK_SLICE_FACTOR: tl.constexpr, HEAD_DIM: tl.constexpr):
    bhid = tl.program_id(2)
    off_chz = (bhid * N_CTX).to(tl.int64)
    adj = (stride_h * (bhid % H) + stride_z * (bhid // H)).to(tl.int64)
    pid = tl.program_id(0)
    Q, K, V, DO = Q + adj, K + adj, V + adj, DO + adj
    DQ, DK, DV = DQ + adj, DK + adj, DV + adj
    M += off_chz
    D += off_chz
    offs_k = tl.arange(0, HEAD_DIM)
    start_n = pid * BLOCK_N1
    start_m = start_n if CAUSAL else 0
    MASK_BLOCK_M1: tl.constexpr = BLOCK_M1 // BLK_SLICE_FACTOR
    offs_n = start_n + tl.arange(0, BLOCK_N1)
    dv = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N1, HEAD_DIM], dtype=tl.float32)
    k = tl.load(K + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d)
    v = tl.load(V + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d)
    if CAUSAL:
        num_steps = BLOCK_N1 // MASK_BLOCK_M1
        dk, dv = fused_dkdv(dk, dv, Q, k, v, sm_scale, DO, M, D, stride_tok, stride_d, H, N_CTX, MASK_BLOCK_M1,
                            BLOCK_N1, HEAD_DIM, start_n, start_m, num_steps, MASK=True)
        start_m += num_steps * MASK_BLOCK_M1
    num_steps = (N_CTX - start_m) // BLOCK_M1
    dk, dv = fused_dkdv(dk, dv, Q, k, v, sm_scale, DO, M, D, stride_tok, stride_d, H, N_CTX, BLOCK_M1, BLOCK_N1,
                        HEAD_DIM, start_n, start_m, num_steps, MASK=False)
    tl.store(DV + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d, dv)
    dk *= sm_scale
    tl.store(DK + offs_n[:, None] * stride_tok + offs_k[None, :] * stride_d, dk)
    start_m = pid * BLOCK_M2
    end_n = start_m + BLOCK_M2 if CAUSAL else N_CTX
    MASK_BLOCK_N2: tl.constexpr = BLOCK_N2 // BLK_SLICE_FACTOR
    offs_m = start_m + tl.arange(0, BLOCK_M2)
    q = tl.load(Q + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d)
    dq = tl.zeros([BLOCK_M2, HEAD_DIM], dtype=tl.float32)
    do = tl.load(DO + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d)
    m = tl.load(M + offs_m)[:, None]
    if CAUSAL:
        num_steps = BLOCK_M2 // MASK_BLOCK_N2
        dq = fused_dq(dq, q, K, V, do, m, D, stride_tok, stride_d, H, N_CTX, BLOCK_M2, MASK_BLOCK_N2, HEAD_DIM,
                      start_m, end_n - num_steps * MASK_BLOCK_N2, num_steps, MASK=True)
        end_n -= num_steps * MASK_BLOCK_N2
    num_steps = end_n // BLOCK_N2
    dq = fused_dq(dq, q, K, V, do, m, D, stride_tok, stride_d, H, N_CTX, BLOCK_M2, BLOCK_N2, HEAD_DIM, start_m,
                  end_n - num_steps * BLOCK_N2, num_steps, MASK=False)
    dq *= LN2
    tl.store(DQ + offs_m[:, None] * stride_tok + offs_k[None, :] * stride_d, dq)


def fused(size, causal):
    """The kernel above, with keys and logarithms scaled before it for powers of two."""
    data = Inputs(*place.sizes((2, 16, 4096), (1, 2, 256)), size, hide_future if causal else None)
    keys, logsums = data.k * (data.scale / LN2.value), data.logsums / LN2.value

    def launch(options):
        data.preprocess()
        fused_kernel[data.length // options["BLOCK_N1"], 1, data.batch * data.heads](
            data.q, keys, data.v, data.scale, data.d_output, data.dq, data.dk, data.dv, logsums, data.delta,
            *data.q.stride(), data.heads, data.length, CAUSAL=causal, BLK_SLICE_FACTOR=2, HEAD_DIM=size, **options)

    sides = [(32, 128, 4, 5), (32, 128, 8, 3), (64, 128, 8, 2)]
    return data.problem(launch, [{"BLOCK_M1": m, "BLOCK_N1": n, "BLOCK_M2": n, "BLOCK_N2": m, "num_warps": warps,
                                  "num_stages": stages} for m, n, warps, stages in sides])


def fused_backward():
    """Keys' and values' loop, then queries' loop in one kernel, scores transposed in the first."""
    return fused(64, False)


def fused_backward_causal():
    """The same with narrower blocks on the diagonal."""
    return fused(128, True)


@tw.jit
def columns_kernel(Q, K, V, Bias, DO, DQ, DK, DV, LSE, D, softmax_scale, stride_b, stride_h, stride_m, stride_bb,
                   stride_bh, stride_bm, nheads, seqlen_q, seqlen_k, BIAS_TYPE: tl.constexpr, IS_CAUSAL: tl.constexpr,
                   EVEN: tl.constexpr, BLOCK_HEADDIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_n, off_hb = tl.program_id(0), tl.program_id(1)
    off_b, off_h = off_hb // nheads, off_hb % nheads
    adj = off_b * stride_b + off_h * stride_h
    D += off_hb * seqlen_q
    LSE += off_hb * seqlen_q
    begin_m = 0 if not IS_CAUSAL else ((start_n * BLOCK_N) // BLOCK_M) * BLOCK_M
    offs_qm = begin_m + tl.arange(0, BLOCK_M)
    offs_n = start_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_m = tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, BLOCK_HEADDIM)
    q_ptrs = Q + adj + (offs_qm[:, None] * stride_m + offs_d[None, :])
    do_ptrs = DO + adj + (offs_qm[:, None] * stride_m + offs_d[None, :])
    dq_ptrs = DQ + adj + (offs_qm[:, None] * stride_m + offs_d[None, :])
    kv_offs = adj + offs_n[:, None] * stride_m + offs_d[None, :]
    if BIAS_TYPE == "matrix":
        b_ptrs = Bias + off_b * stride_bb + off_h * stride_bh + (offs_qm[:, None] * stride_bm + offs_n[None, :])
    dv = tl.zeros([BLOCK_N, BLOCK_HEADDIM], dtype=tl.float32)
    dk = tl.zeros([BLOCK_N, BLOCK_HEADDIM], dtype=tl.float32)
    if EVEN:
        k = tl.load(K + kv_offs)
        v = tl.load(V + kv_offs)
    else:
        k = tl.load(K + kv_offs, mask=offs_n[:, None] < seqlen_k, other=0.0)
        v = tl.load(V + kv_offs, mask=offs_n[:, None] < seqlen_k, other=0.0)
    num_block_m = tl.cdiv(seqlen_q, BLOCK_M)
    for start_m in range(begin_m, num_block_m * BLOCK_M, BLOCK_M):
        start_m = tl.multiple_of(start_m, BLOCK_M)
        offs_m_curr = start_m + offs_m
        row = offs_m_curr[:, None] < seqlen_q
        q = tl.load(q_ptrs) if EVEN else tl.load(q_ptrs, mask=row, other=0.0)
        qk = tl.dot(q, tl.trans(k))
        if not EVEN:
            qk = tl.where(offs_n[None, :] < seqlen_k, qk, float("-inf"))
        if IS_CAUSAL:
            qk = tl.where(offs_m_curr[:, None] >= (offs_n[None, :]), qk, float("-inf"))
        if BIAS_TYPE == "matrix":
            bias = tl.load(b_ptrs, mask=row & (offs_n[None, :] < seqlen_k), other=0.0).to(tl.float32)
            qk = qk * softmax_scale + bias
        lse_i = tl.load(LSE + offs_m_curr, mask=offs_m_curr < seqlen_q, other=0.0)
        if BIAS_TYPE == "none":
            p = tl.exp(qk * softmax_scale - lse_i[:, None])
        else:
            p = tl.exp(qk - lse_i[:, None])
        do = tl.load(do_ptrs) if EVEN else tl.load(do_ptrs, mask=row, other=0.0)
        dv += tl.dot(tl.trans(p.to(do.dtype)), do)
        dp = tl.dot(do, tl.trans(v))
        Di = tl.load(D + offs_m_curr, mask=offs_m_curr < seqlen_q, other=0.0)
        ds = (p * (dp - Di[:, None]) * softmax_scale).to(q.dtype)
        dk += tl.dot(tl.trans(ds), q)
        tl.atomic_add(dq_ptrs, tl.dot(ds, k), mask=row)
        dq_ptrs += BLOCK_M * stride_m
        q_ptrs += BLOCK_M * stride_m
        do_ptrs += BLOCK_M * stride_m
        if BIAS_TYPE == "matrix":
            b_ptrs += BLOCK_M * stride_bm
    tl.store(DV + kv_offs, dv, mask=offs_n[:, None] < seqlen_k)
    tl.store(DK + kv_offs, dk, mask=offs_n[:, None] < seqlen_k)


def columns(shape, size, causal, biased=False):
    """The kernel above."""
    bias = place.randn(*shape[:2], shape[2], shape[2], dtype=torch.float16) if biased else None
    data = Inputs(*shape, size, (lambda scores, b, h: scores + bias[b, h].float()) if biased else
                  hide_future if causal else None)

    def launch(options):
        data.dq.zero_()
        data.preprocess()
        columns_kernel[tw.cdiv(data.length, options["BLOCK_N"]), data.batch * data.heads](
            data.q, data.k, data.v, bias if biased else data.q, data.d_output, data.dq, data.dk, data.dv, data.logsums,
            data.delta, data.scale, *data.q.stride()[:3], *(bias if biased else data.q).stride()[:3], data.heads,
            data.length, data.length, BIAS_TYPE="matrix" if biased else "none", IS_CAUSAL=causal,
            EVEN=data.length % 128 == 0, BLOCK_HEADDIM=size, **options)

    return data.problem(launch, [blocks(128, 128, 8, 1), blocks(64, 128, 8, 2), blocks(64, 64, 4, 2)])


def columns_backward():
    """A program a block of keys, atomic sums of the queries' gradients, a length that blocks do not divide."""
    return columns(place.sizes((2, 16, 4000), (1, 2, 200)), 64, True)


def columns_backward_bias():
    """The same with a matrix added to the scores."""
    return columns(place.sizes((2, 16, 2048), (1, 2, 128)), 128, False, biased=True)


# --- a kernel for keys and values, and one for queries ----------------------------------------------
@tw.jit
def dkdv_kernel(Q, K, V, DO, LSE, D, DK, DV, sm_scale, stride_h, stride_n, stride_d, T, GROUP: tl.constexpr,
                WINDOW: tl.constexpr, HD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    i_n, i_kv = tl.program_id(0), tl.program_id(1)
    p_k = tl.make_block_ptr(K + i_kv * stride_h, (T, HD), (stride_n, stride_d), (i_n * BLOCK_N, 0),
                            (BLOCK_N, HD), (1, 0))
    p_v = tl.make_block_ptr(V + i_kv * stride_h, (T, HD), (stride_n, stride_d), (i_n * BLOCK_N, 0),
                            (BLOCK_N, HD), (1, 0))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_v = tl.load(p_v, boundary_check=(0, 1))
    b_dk = tl.zeros([BLOCK_N, HD], dtype=tl.float32)
    b_dv = tl.zeros([BLOCK_N, HD], dtype=tl.float32)
    o_k = i_n * BLOCK_N + tl.arange(0, BLOCK_N)
    last = tl.minimum(T, (i_n + 1) * BLOCK_N + WINDOW - 1)
    for i_h in range(i_kv * GROUP, (i_kv + 1) * GROUP):
        for i_m in range(i_n * BLOCK_N // BLOCK_M * BLOCK_M, last, BLOCK_M):
            o_q = i_m + tl.arange(0, BLOCK_M)
            p_q = tl.make_block_ptr(Q + i_h * stride_h, (T, HD), (stride_n, stride_d), (i_m, 0), (BLOCK_M, HD), (1, 0))
            p_do = tl.make_block_ptr(DO + i_h * stride_h, (T, HD), (stride_n, stride_d), (i_m, 0),
                                     (BLOCK_M, HD), (1, 0))
            p_lse = tl.make_block_ptr(LSE + i_h * T, (T,), (1,), (i_m,), (BLOCK_M,), (0,))
            p_delta = tl.make_block_ptr(D + i_h * T, (T,), (1,), (i_m,), (BLOCK_M,), (0,))
            b_q = tl.load(p_q, boundary_check=(0, 1))
            b_q = (b_q * sm_scale).to(b_q.dtype)
            b_do = tl.load(p_do, boundary_check=(0, 1))
            b_lse = tl.load(p_lse, boundary_check=(0,))
            b_delta = tl.load(p_delta, boundary_check=(0,))
            b_s = tl.dot(b_k, tl.trans(b_q))
            seen = (o_k[:, None] <= o_q[None, :]) & (o_k[:, None] > o_q[None, :] - WINDOW) & (o_q[None, :] < T)
            b_p = tl.where(seen, tl.exp(b_s - b_lse[None, :]), 0)
            b_dv += tl.dot(b_p.to(b_do.dtype), b_do)
            b_dp = tl.dot(b_v, tl.trans(b_do))
            b_ds = b_p * (b_dp - b_delta[None, :])
            b_dk += tl.dot(b_ds.to(b_q.dtype), b_q)
    p_dk = tl.make_block_ptr(DK + i_kv * stride_h, (T, HD), (stride_n, stride_d), (i_n * BLOCK_N, 0),
                             (BLOCK_N, HD), (1, 0))
    p_dv = tl.make_block_ptr(DV + i_kv * stride_h, (T, HD), (stride_n, stride_d), (i_n * BLOCK_N, 0),
                             (BLOCK_N, HD), (1, 0))
    tl.store(p_dk, b_dk.to(p_dk.dtype.element_ty), boundary_check=(0, 1))
    tl.store(p_dv, b_dv.to(p_dv.dtype.element_ty), boundary_check=(0, 1))


@tw.jit
def dq_kernel(Q, K, V, DO, LSE, D, DQ, sm_scale, stride_h, stride_n, stride_d, T, GROUP: tl.constexpr,
              WINDOW: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    start_m, off_h = tl.program_id(0), tl.program_id(1)
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_d = tl.arange(0, HEAD_DIM)
    places = off_h * stride_h + offs_m[:, None] * stride_n + offs_d[None, :] * stride_d
    q = tl.load(Q + places, mask=offs_m[:, None] < T, other=0.0)
    do = tl.load(DO + places, mask=offs_m[:, None] < T, other=0.0)
    lse = tl.load(LSE + off_h * T + offs_m, mask=offs_m < T, other=0.0)
    delta = tl.load(D + off_h * T + offs_m, mask=offs_m < T, other=0.0)
    dq = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    lo = tl.maximum(0, start_m * BLOCK_M - WINDOW + 1) // BLOCK_N * BLOCK_N
    for start_n in range(lo, tl.minimum(T, (start_m + 1) * BLOCK_M), BLOCK_N):
        offs_n = start_n + tl.arange(0, BLOCK_N)
        kv = (off_h // GROUP) * stride_h + offs_n[:, None] * stride_n + offs_d[None, :] * stride_d
        k = tl.load(K + kv, mask=offs_n[:, None] < T, other=0.0)
        v = tl.load(V + kv, mask=offs_n[:, None] < T, other=0.0)
        s = tl.dot(q, k.T) * sm_scale
        seen = (offs_n[None, :] <= offs_m[:, None]) & (offs_n[None, :] > offs_m[:, None] - WINDOW)
        p = tl.exp(tl.where(seen, s - lse[:, None], float("-inf")))
        dp = tl.dot(do, v.T)
        dq += tl.dot((p * (dp - delta[:, None])).to(k.dtype), k)
    tl.store(DQ + places, dq * sm_scale, mask=offs_m[:, None] < T)


def separate_backward():
    """Heads in groups, a window, a ragged length; block pointers with checks in one, masks in the other."""
    heads, group, length, window = place.sizes((32, 4, 8100, 1000), (4, 2, 150, 60))
    data = Inputs(1, heads, length, 128, hide_far(window), group, window * (length - window / 2))
    arrays = (data.q, data.k, data.v, data.d_output, data.logsums, data.delta)
    rest = (data.scale, *data.q.stride()[1:], length, group, window, 128)

    def launch(options):
        data.preprocess()
        dkdv_kernel[tw.cdiv(length, options["BLOCK_N"]), heads // group](*arrays, data.dk, data.dv, *rest, **options)
        dq_kernel[tw.cdiv(length, options["BLOCK_M"]), heads](*arrays, data.dq, *rest, **options)

    return data.problem(launch, [blocks(64, 64, 4, 2), blocks(64, 128, 8, 2), blocks(128, 64, 8, 2)])


# --- linear attention by chunks ---------------------------------------------------------------------
@tw.jit
def chunk_state_kernel(k, v, w, h, v_new, g, gk, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                       BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr,
                       USE_GK: tl.constexpr, USE_DECAY: tl.constexpr, USE_DELTA: tl.constexpr):
    i_k, i_v, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    NT = tl.cdiv(T, BT)
    o_i = tl.arange(0, BT)
    if USE_DECAY:
        b_b = tl.log2(1 - tl.math.exp2(-5 - (i_bh % H) * 1.0))
    b_h = tl.zeros([BK, BV], dtype=tl.float32)
    for i_t in range(NT):
        p_h = tl.make_block_ptr(h + (i_bh * NT + i_t).to(tl.int64) * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV),
                                (BK, BV), (1, 0))
        tl.store(p_h, b_h.to(p_h.dtype.element_ty), boundary_check=(0, 1))
        p_k = tl.make_block_ptr(k + i_bh * T * K, (K, T), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
        p_v = tl.make_block_ptr(v + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_v = tl.load(p_v, boundary_check=(0, 1))
        last_idx = min((i_t + 1) * BT, T) - 1
        if USE_DELTA:
            p_w = tl.make_block_ptr(w + i_bh * T * K, (T, K), (K, 1), (i_t * BT, 0), (BT, BK), (1, 0))
            b_w = tl.load(p_w, boundary_check=(0, 1))
            b_v = (b_v - tl.dot(b_w, b_h.to(b_w.dtype))).to(b_v.dtype)
            p_n = tl.make_block_ptr(v_new + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
            tl.store(p_n, b_v, boundary_check=(0, 1))
        if USE_G:
            b_g_last = tl.load(g + i_bh * T + last_idx)
            b_g = tl.load(g + i_bh * T + i_t * BT + o_i, mask=(i_t * BT + o_i) < T, other=0.0)
            b_v = (b_v * tl.exp(b_g_last - b_g)[:, None]).to(b_v.dtype)
            b_h *= tl.exp(b_g_last)
        if USE_DECAY:
            count = min(BT, T - i_t * BT)
            b_v = (b_v * tl.math.exp2((count - o_i - 1) * b_b)[:, None]).to(b_v.dtype)
            b_h *= tl.math.exp2(count * b_b)
        if USE_GK:
            p_gk = tl.make_block_ptr(gk + i_bh * T * K, (K, T), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
            p_gk_last = gk + (i_bh * T + last_idx) * K + i_k * BK + tl.arange(0, BK)
            p_gk_last = tl.max_contiguous(tl.multiple_of(p_gk_last, BK), BK)
            b_gk_last = tl.load(p_gk_last, mask=(i_k * BK + tl.arange(0, BK) < K), other=0.0)
            b_gk = tl.load(p_gk, boundary_check=(0, 1))
            b_k = (b_k * tl.exp(b_gk_last[:, None] - b_gk)).to(b_k.dtype)
            b_h *= tl.exp(b_gk_last)[:, None]
        b_h += tl.dot(b_k, b_v)


@tw.jit
def chunk_output_kernel(q, k, v, h, g, gk, o, scale, T, H: tl.constexpr, K: tl.constexpr, V: tl.constexpr,
                        BT: tl.constexpr, BK: tl.constexpr, BV: tl.constexpr, USE_G: tl.constexpr,
                        USE_GK: tl.constexpr, USE_DECAY: tl.constexpr):
    i_v, i_t, i_bh = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    NT = tl.cdiv(T, BT)
    o_i = tl.arange(0, BT)
    b_o = tl.zeros([BT, BV], dtype=tl.float32)
    b_s = tl.zeros([BT, BT], dtype=tl.float32)
    for i_k in range(tl.cdiv(K, BK)):
        p_q = tl.make_block_ptr(q + i_bh * T * K, (T, K), (K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
        p_k = tl.make_block_ptr(k + i_bh * T * K, (K, T), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
        p_h = tl.make_block_ptr(h + (i_bh * NT + i_t).to(tl.int64) * K * V, (K, V), (V, 1), (i_k * BK, i_v * BV),
                                (BK, BV), (1, 0))
        b_q = tl.load(p_q, boundary_check=(0, 1))
        b_k = tl.load(p_k, boundary_check=(0, 1))
        b_h = tl.load(p_h, boundary_check=(0, 1))
        if USE_GK:
            p_gq = tl.make_block_ptr(gk + i_bh * T * K, (T, K), (K, 1), (i_t * BT, i_k * BK), (BT, BK), (1, 0))
            p_gk = tl.make_block_ptr(gk + i_bh * T * K, (K, T), (1, K), (i_k * BK, i_t * BT), (BK, BT), (0, 1))
            b_q = (b_q * tl.exp(tl.load(p_gq, boundary_check=(0, 1)))).to(b_q.dtype)
            b_k = (b_k * tl.exp(-tl.load(p_gk, boundary_check=(0, 1)))).to(b_k.dtype)
        b_o += tl.dot(b_q, b_h, allow_tf32=False)
        b_s += tl.dot(b_q, b_k, allow_tf32=False)
    if USE_G:
        p_g = tl.make_block_ptr(g + i_bh * T, (T,), (1,), (i_t * BT,), (BT,), (0,))
        b_g = tl.load(p_g, boundary_check=(0,))
        b_o = b_o * tl.exp(b_g)[:, None]
        b_s = b_s * tl.where(b_g[:, None] <= b_g[None, :], tl.exp(b_g[:, None] - b_g[None, :]), 0)
    if USE_DECAY:
        b_b = tl.log2(1 - tl.math.exp2(-5 - (i_bh % H) * 1.0))
        b_o = b_o * tl.math.exp2((o_i + 1) * b_b)[:, None]
        b_s = b_s * tl.where(o_i[:, None] >= o_i[None, :], tl.math.exp2((o_i[:, None] - o_i[None, :]) * b_b), 0)
    b_s = tl.where(o_i[:, None] >= o_i[None, :], b_s, 0)
    p_v = tl.make_block_ptr(v + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    p_o = tl.make_block_ptr(o + i_bh * T * V, (T, V), (V, 1), (i_t * BT, i_v * BV), (BT, BV), (1, 0))
    b_v = tl.load(p_v, boundary_check=(0, 1))
    b_o = (b_o + tl.dot(b_s.to(b_v.dtype), b_v, allow_tf32=False)) * scale
    tl.store(p_o, b_o.to(p_o.dtype.element_ty), boundary_check=(0, 1))


@tw.jit
def solve_kernel(k, v, beta, w, u, T, K: tl.constexpr, V: tl.constexpr, BT: tl.constexpr):
    i_t, i_bh = tl.program_id(0), tl.program_id(1)
    o_i = tl.arange(0, BT)
    p_beta = tl.make_block_ptr(beta + i_bh * T, (T,), (1,), (i_t * BT,), (BT,), (0,))
    p_k = tl.make_block_ptr(k + i_bh * T * K, (T, K), (K, 1), (i_t * BT, 0), (BT, K), (1, 0))
    p_v = tl.make_block_ptr(v + i_bh * T * V, (T, V), (V, 1), (i_t * BT, 0), (BT, V), (1, 0))
    b_beta = tl.load(p_beta, boundary_check=(0,))
    b_k = tl.load(p_k, boundary_check=(0, 1))
    b_kb = (b_k * b_beta[:, None]).to(b_k.dtype)
    b_A = tl.dot(b_kb, tl.trans(b_k), allow_tf32=False)
    b_A = -tl.where(o_i[:, None] > o_i[None, :], b_A, 0)
    for i in range(1, BT):
        mask = o_i == i
        b_a = tl.sum(tl.where(mask[:, None], b_A, 0), 0)
        b_a = b_a + tl.sum(b_a[:, None] * b_A, 0) * (o_i < i)
        b_A = tl.where(mask[:, None], b_a, b_A)
    b_A += o_i[:, None] == o_i[None, :]
    b_A = b_A.to(b_k.dtype)
    p_w = tl.make_block_ptr(w + i_bh * T * K, (T, K), (K, 1), (i_t * BT, 0), (BT, K), (1, 0))
    p_u = tl.make_block_ptr(u + i_bh * T * V, (T, V), (V, 1), (i_t * BT, 0), (BT, V), (1, 0))
    tl.store(p_w, tl.dot(b_A, b_kb).to(p_w.dtype.element_ty), boundary_check=(0, 1))
    b_vb = (tl.load(p_v, boundary_check=(0, 1)) * b_beta[:, None]).to(b_k.dtype)
    tl.store(p_u, tl.dot(b_A, b_vb).to(p_u.dtype.element_ty), boundary_check=(0, 1))


def recur(q, k, v, forget, beta, scale):
    """Token by token: the state forgets, takes a key and its value (less what it has for the key, where `beta` is
    given), and the query reads it."""
    state = torch.zeros(*k.shape[:2], k.shape[3], v.shape[3], device=k.device)
    output = torch.empty(*v.shape, device=k.device)
    for t in range(k.shape[2]):
        key, value = k[:, :, t].float(), v[:, :, t].float()
        state = state if forget is None else state * forget[:, :, t, :, None]
        if beta is not None:
            value = beta[:, :, t, None] * (value - (state * key[..., None]).sum(-2))
        state = state + key[..., None] * value[..., None, :]
        output[:, :, t] = (state * q[:, :, t, :, None].float()).sum(-2) * scale
    return output


def chunks(kind, length):
    """The kernels above: `kind` is how the state forgets."""
    batch, heads, length, size, chunk = *place.sizes((8, 16, length[0]), (1, 2, length[1])), 128, 64
    q, k, v = heads_first(batch, heads, heads, length, size)
    k = torch.nn.functional.normalize(k.float(), dim=-1).to(k.dtype)
    count = tw.cdiv(length, chunk)
    states = torch.empty(batch, heads, count, size, size, device=q.device, dtype=q.dtype)
    w, u, new, output = (torch.empty_like(v) for _ in range(4))
    gates = torch.nn.functional.logsigmoid(place.randn(batch, heads, length, size if kind == "vector" else 1)) / 16
    beta = torch.sigmoid(place.randn(batch, heads, length))
    sums = torch.cat([part.cumsum(2) for part in gates.split(chunk, 2)], 2)
    scale, delta = size ** -0.5, kind == "delta"
    flags = {"USE_G": kind == "scalar", "USE_GK": kind == "vector", "USE_DECAY": kind == "decay"}

    def launch(options):
        if delta:
            solve_kernel[count, batch * heads](k, v, beta, w, u, length, K=size, V=size, BT=chunk,
                                                     num_warps=options["num_warps"])
        side = size if delta else options["BK"]
        chunk_state_kernel[size // side, size // options["BV"], batch * heads](
            k, u if delta else v, w, states, new, sums, sums, length, H=heads, K=size, V=size, BT=chunk,
            USE_DELTA=delta, **flags, **{**options, "BK": side})
        chunk_output_kernel[size // options["BV"], count, batch * heads](
            q, k, new if delta else v, states, sums, sums, output, scale, length, H=heads, K=size, V=size, BT=chunk,
            **flags, **options)

    def expected():
        decay = 1 - 2.0 ** (-5 - torch.arange(heads, device=q.device))
        forget = {"scalar": gates.exp(), "vector": gates.exp(),
                  "decay": decay[None, :, None, None].expand(batch, heads, length, 1)}.get(kind)
        return recur(q, k, v, forget, beta if delta else None, scale)

    configs = [{"BK": bk, "BV": bv, "num_warps": warps, "num_stages": stages}
               for bk, bv, warps, stages in ((64, 64, 4, 3), (32, 64, 4, 2), (64, 128, 8, 2))]
    return Problem(launch, configs, output, expected, flops=2.0 * batch * heads * length * size * (3 * size + chunk))


def linear_chunks():
    """A state a chunk, block pointers with checks; nothing is forgotten."""
    return chunks("none", (2048, 128))


def gated_chunks():
    """A gate a token, summed in chunks; a length that chunks do not divide."""
    return chunks("scalar", (2000, 100))


def gated_vector_chunks():
    """A gate a token and a column of keys."""
    return chunks("vector", (2048, 128))


def retention_chunks():
    """A fixed decay a head."""
    return chunks("decay", (2048, 128))


def delta_chunks():
    """Keys that replace what the state has for them: a triangle inverted row by row, products after it."""
    return chunks("delta", (2048, 100))


# --- state spaces by chunks -------------------------------------------------------------------------
@tw.jit
def scan_state_kernel(x_ptr, b_ptr, states_ptr, dt_ptr, dA_cumsum_ptr, hdim, dstate, chunk_size, seqlen,
                      nheads_ngroups_ratio, stride_x_batch, stride_x_seqlen, stride_x_head, stride_x_hdim,
                      stride_b_batch, stride_b_seqlen, stride_b_head, stride_b_dstate, stride_states_batch,
                      stride_states_chunk, stride_states_head, stride_states_hdim, stride_states_dstate,
                      stride_dt_batch, stride_dt_head, stride_dt_chunk, stride_dt_csize, BLOCK_SIZE_M: tl.constexpr,
                      BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr):
    pid_bc, pid_h = tl.program_id(1).to(tl.int64), tl.program_id(2)
    num_chunks = tl.cdiv(seqlen, chunk_size)
    pid_b, pid_c = pid_bc // num_chunks, pid_bc % num_chunks
    num_pid_n = tl.cdiv(dstate, BLOCK_SIZE_N)
    pid_m, pid_n = tl.program_id(0) // num_pid_n, tl.program_id(0) % num_pid_n
    b_ptr += (pid_b * stride_b_batch + pid_c * chunk_size * stride_b_seqlen
              + (pid_h // nheads_ngroups_ratio) * stride_b_head)
    x_ptr += pid_b * stride_x_batch + pid_c * chunk_size * stride_x_seqlen + pid_h * stride_x_head
    dt_ptr += pid_b * stride_dt_batch + pid_c * stride_dt_chunk + pid_h * stride_dt_head
    dA_cumsum_ptr += pid_b * stride_dt_batch + pid_c * stride_dt_chunk + pid_h * stride_dt_head
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    x_ptrs = x_ptr + (offs_m[:, None] * stride_x_hdim + offs_k[None, :] * stride_x_seqlen)
    b_ptrs = b_ptr + (offs_n[None, :] * stride_b_dstate + offs_k[:, None] * stride_b_seqlen)
    dt_ptrs = dt_ptr + offs_k * stride_dt_csize
    dA_cs_last = tl.load(dA_cumsum_ptr + (chunk_size - 1) * stride_dt_csize).to(tl.float32)
    dA_cumsum_ptrs = dA_cumsum_ptr + offs_k * stride_dt_csize
    limit = min(chunk_size, seqlen - pid_c * chunk_size)
    acc = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, limit, BLOCK_SIZE_K):
        x = tl.load(x_ptrs, mask=(offs_m[:, None] < hdim) & (offs_k[None, :] < limit - k), other=0.0)
        b = tl.load(b_ptrs, mask=(offs_k[:, None] < limit - k) & (offs_n[None, :] < dstate), other=0.0).to(tl.float32)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < limit - k, other=0.0).to(tl.float32)
        dt_k = tl.load(dt_ptrs, mask=offs_k < limit - k, other=0.0).to(tl.float32)
        b *= (tl.exp(dA_cs_last - dA_cs_k) * dt_k)[:, None]
        acc += tl.dot(x, b.to(x_ptr.dtype.element_ty))
        x_ptrs += BLOCK_SIZE_K * stride_x_seqlen
        b_ptrs += BLOCK_SIZE_K * stride_b_seqlen
        dt_ptrs += BLOCK_SIZE_K * stride_dt_csize
        dA_cumsum_ptrs += BLOCK_SIZE_K * stride_dt_csize
    states_ptr += pid_b * stride_states_batch + pid_c * stride_states_chunk + pid_h * stride_states_head
    states_ptrs = states_ptr + (offs_m[:, None] * stride_states_hdim + offs_n[None, :] * stride_states_dstate)
    tl.store(states_ptrs, acc, mask=(offs_m[:, None] < hdim) & (offs_n[None, :] < dstate))


@tw.jit
def scan_output_kernel(cb_ptr, x_ptr, z_ptr, out_ptr, dt_ptr, dA_cumsum_ptr, C_ptr, states_ptr, D_ptr, chunk_size, hdim,
                       dstate, seqlen, ratio, stride_cb_batch, stride_cb_chunk, stride_cb_head, stride_cb_m,
                       stride_cb_k, stride_x_batch, stride_x_seqlen, stride_x_head, stride_x_hdim, stride_dt_batch,
                       stride_dt_head, stride_dt_chunk, stride_dt_csize, stride_C_batch, stride_C_seqlen,
                       stride_C_head, stride_C_dstate, stride_states_batch, stride_states_chunk, stride_states_head,
                       stride_states_hdim, stride_states_dstate, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr,
                       BLOCK_SIZE_K: tl.constexpr, BLOCK_SIZE_DSTATE: tl.constexpr):
    num_chunks = tl.cdiv(seqlen, chunk_size)
    pid_b, pid_c, pid_h = tl.program_id(1) // num_chunks, tl.program_id(1) % num_chunks, tl.program_id(2)
    num_pid_n = tl.cdiv(hdim, BLOCK_SIZE_N)
    pid_m, pid_n = tl.program_id(0) // num_pid_n, tl.program_id(0) % num_pid_n
    offs_m = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_n = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    cb_ptr += pid_b * stride_cb_batch + pid_c * stride_cb_chunk + (pid_h // ratio) * stride_cb_head
    at = pid_b * stride_x_batch + pid_c * chunk_size * stride_x_seqlen + pid_h * stride_x_head
    dt_ptr += pid_b * stride_dt_batch + pid_c * stride_dt_chunk + pid_h * stride_dt_head
    dA_cumsum_ptr += pid_b * stride_dt_batch + pid_c * stride_dt_chunk + pid_h * stride_dt_head
    C_ptr += pid_b * stride_C_batch + pid_c * chunk_size * stride_C_seqlen + (pid_h // ratio) * stride_C_head
    states_ptr += pid_b * stride_states_batch + pid_c * stride_states_chunk + pid_h * stride_states_head
    limit = min(chunk_size, seqlen - pid_c * chunk_size)
    dA_cs_m = tl.load(dA_cumsum_ptr + offs_m * stride_dt_csize, mask=offs_m < chunk_size, other=0.0).to(tl.float32)
    offs_d = tl.arange(0, BLOCK_SIZE_DSTATE)
    C = tl.load(C_ptr + offs_m[:, None] * stride_C_seqlen + offs_d[None, :] * stride_C_dstate,
                mask=(offs_m[:, None] < limit) & (offs_d[None, :] < dstate), other=0.0)
    states = tl.load(states_ptr + offs_n[None, :] * stride_states_hdim + offs_d[:, None] * stride_states_dstate,
                     mask=(offs_d[:, None] < dstate) & (offs_n[None, :] < hdim), other=0.0).to(C_ptr.dtype.element_ty)
    acc = tl.dot(C, states) * tl.exp(dA_cs_m)[:, None]
    cb_ptrs = cb_ptr + (offs_m[:, None] * stride_cb_m + offs_k[None, :] * stride_cb_k)
    x_ptrs = x_ptr + at + (offs_k[:, None] * stride_x_seqlen + offs_n[None, :] * stride_x_hdim)
    dt_ptrs = dt_ptr + offs_k * stride_dt_csize
    dA_cumsum_ptrs = dA_cumsum_ptr + offs_k * stride_dt_csize
    K_MAX = min((pid_m + 1) * BLOCK_SIZE_M, limit)
    for k in range(0, K_MAX, BLOCK_SIZE_K):
        cb = tl.load(cb_ptrs, mask=(offs_m[:, None] < chunk_size) & (offs_k[None, :] < chunk_size - k),
                     other=0.0).to(tl.float32)
        dA_cs_k = tl.load(dA_cumsum_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)
        cb *= tl.exp(tl.minimum(dA_cs_m[:, None] - dA_cs_k[None, :], 0.0))
        cb *= tl.load(dt_ptrs, mask=offs_k < chunk_size - k, other=0.0).to(tl.float32)[None, :]
        cb = tl.where(offs_m[:, None] >= k + offs_k[None, :], cb, 0.0).to(x_ptr.dtype.element_ty)
        x = tl.load(x_ptrs, mask=(offs_k[:, None] < limit - k) & (offs_n[None, :] < hdim), other=0.0)
        acc += tl.dot(cb, x)
        cb_ptrs += BLOCK_SIZE_K * stride_cb_k
        x_ptrs += BLOCK_SIZE_K * stride_x_seqlen
        dt_ptrs += BLOCK_SIZE_K * stride_dt_csize
        dA_cumsum_ptrs += BLOCK_SIZE_K * stride_dt_csize
    places = at + offs_m[:, None] * stride_x_seqlen + offs_n[None, :] * stride_x_hdim
    mask = (offs_m[:, None] < limit) & (offs_n[None, :] < hdim)
    acc += tl.load(x_ptr + places, mask=mask, other=0.0).to(tl.float32) * tl.load(D_ptr + pid_h).to(tl.float32)
    z = tl.load(z_ptr + places, mask=mask, other=0.0).to(tl.float32)
    acc *= z * tl.sigmoid(z)
    tl.store(out_ptr + places, acc, mask=mask)


def space(scanning):
    """One of the two kernels above: states of chunks from their inputs, or outputs from states."""
    batch, length, heads, chunk, hdim, dstate = place.sizes((8, 4096, 32, 256, 64, 128), (1, 128, 4, 64, 32, 64))
    groups, count = 2 if scanning else 1, length // chunk
    x, z, output = (place.randn(batch, length, heads, hdim, dtype=torch.float16) for _ in range(3))
    b, c = (place.randn(batch, length, groups, dstate, dtype=torch.float16) / dstate ** 0.5 for _ in range(2))
    dt = torch.rand(batch, heads, count, chunk, device=x.device)
    sums, d = (dt * -0.05).cumsum(-1), place.randn(heads)
    states = place.randn(batch, count, heads, hdim, dstate) * 0.3
    parts = [part.reshape(batch, count, chunk, -1, part.shape[3]).permute(0, 1, 3, 2, 4) for part in (x, b, c)]
    cb = (parts[2] @ parts[1].transpose(3, 4)).contiguous()
    sides = ((64, 64, 64, 4, 3), (128, 64, 32, 4, 3), (128, 64, 64, 8, 2))
    configs = [{"BLOCK_SIZE_M": m if scanning else min(m, 64), "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k,
                "num_warps": warps, "num_stages": stages} for m, n, k, warps, stages in sides]

    def launch(options):
        tiles = [options["BLOCK_SIZE_M"], options["BLOCK_SIZE_N"]]
        over = [chunk, hdim] if scanning else [hdim, dstate]
        grid = (tw.cdiv(over[0], tiles[0]) * tw.cdiv(over[1], tiles[1]), batch * count, heads)
        if scanning:
            scan_output_kernel[grid](cb, x, z, output, dt, sums, c, states, d, chunk, hdim, dstate, length,
                                     heads // groups, *cb.stride(), *x.stride(), *dt.stride(), *c.stride(),
                                     *states.stride(), BLOCK_SIZE_DSTATE=dstate, **options)
        else:
            scan_state_kernel[grid](x, b, states, dt, sums, hdim, dstate, chunk, length, heads // groups, *x.stride(),
                                    *b.stride(), *states.stride(), *dt.stride(), **options)

    def expected():
        decay = sums.transpose(1, 2)[..., None]
        weights = dt.transpose(1, 2)
        values, keys, queries = (part.float().repeat_interleave(heads // part.shape[2], 2) for part in parts)
        if not scanning:
            return (values * (decay[..., -1:, :] - decay).exp() * weights[..., None]).transpose(3, 4) @ keys
        scores = cb.float().repeat_interleave(heads // groups, 2) * (decay - decay.transpose(3, 4)).clamp_max(0).exp()
        result = (scores * weights[..., None, :]).tril() @ values
        result = result + queries @ states.half().float().transpose(3, 4) * decay.exp() + values * d[:, None, None]
        result = result.permute(0, 1, 3, 2, 4).reshape(x.shape)
        return result * z.float() * z.float().sigmoid()

    flops = 2.0 * batch * length * heads * hdim * (dstate + chunk / 2 if scanning else dstate)
    return Problem(launch, configs, output if scanning else states, expected, flops=flops)


def space_states():
    """States at the ends of chunks: all strides, everything masked, one operand scaled before its product."""
    return space(False)


def space_outputs():
    """Outputs in chunks: a product with the state, a masked triangle of scores, a gate in the end."""
    return space(True)


# --- products and their losses ----------------------------------------------------------------------
@tw.jit
def linear_loss_kernel(X, W, Labels, Out, stride_xn, stride_xd, stride_wv, stride_wd, stride_on, N, D, V, part,
                       ignore_index: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                       BLOCK_K: tl.constexpr):
    pid_n, pid_v = tl.program_id(0), tl.program_id(1)
    rows = pid_n * BLOCK_M + tl.arange(0, BLOCK_M)
    inner = tl.arange(0, BLOCK_K)
    labels = tl.load(Labels + rows, mask=rows < N, other=ignore_index)
    m = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    d = tl.zeros((BLOCK_M,), dtype=tl.float32)
    picked = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for start_v in range(pid_v * part, tl.minimum(V, (pid_v + 1) * part), BLOCK_N):
        columns = start_v + tl.arange(0, BLOCK_N)
        x_ptrs = X + (rows % N)[:, None] * stride_xn + inner[None, :] * stride_xd
        w_ptrs = W + columns[None, :] * stride_wv + inner[:, None] * stride_wd
        logits = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, tl.cdiv(D, BLOCK_K)):
            x = tl.load(x_ptrs, mask=inner[None, :] < D - k * BLOCK_K, other=0.0)
            w = tl.load(w_ptrs, mask=(columns[None, :] < V) & (inner[:, None] < D - k * BLOCK_K), other=0.0)
            logits = tl.dot(x, w, logits)
            x_ptrs += BLOCK_K * stride_xd
            w_ptrs += BLOCK_K * stride_wd
        logits = tl.where(columns[None, :] < tl.minimum(V, (pid_v + 1) * part), logits, float("-inf"))
        picked += tl.sum(tl.where(columns[None, :] == labels[:, None], logits, 0.0), axis=1)
        m_new = tl.maximum(m, tl.max(logits, axis=1))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(logits - m_new[:, None]), axis=1)
        m = m_new
    out_ptrs = Out + rows * stride_on + pid_v * 2
    tl.store(out_ptrs, m + tl.log(d), mask=rows < N)
    tl.store(out_ptrs + 1, tl.where(labels == ignore_index, 0.0, picked), mask=rows < N)


def linear_loss():
    """Logits that are never in memory: products in the inner loop, the running sum of exponentials in the outer."""
    rows, inner, vocabulary, parts, part = place.sizes((4000, 2048, 32000, 8, 4096), (50, 72, 1000, 2, 512))
    x = place.randn(rows, inner, dtype=torch.float16)
    w = (place.randn(vocabulary, inner) / inner ** 0.5).half()
    labels = torch.randint(0, vocabulary, (rows,)).to(x.device)
    labels[::7] = -100
    output = torch.empty(rows, parts, 2, device=x.device)

    def launch(options):
        linear_loss_kernel[tw.cdiv(rows, options["BLOCK_M"]), parts](
            x, w, labels, output, *x.stride(), *w.stride(), output.stride(0), rows, inner, vocabulary, part,
            ignore_index=-100, **options)

    def expected():
        logits = x.float() @ w.float().T
        mine = torch.arange(vocabulary, device=x.device) // part
        sums = torch.stack([logits[:, mine == i].logsumexp(1) for i in range(parts)], 1)
        picked = torch.where(labels < 0, 0, logits.gather(1, labels.clamp_min(0)[:, None])[:, 0])
        return torch.stack([sums, (mine[labels][:, None] == torch.arange(parts, device=x.device)) * picked[:, None]], 2)

    return Problem(launch, [tile(128, 256, 64, 8, 3), tile(128, 128, 64, 4, 3), tile(64, 128, 64, 4, 4)], output,
                   expected, flops=2.0 * rows * inner * vocabulary)


PROBLEMS = [fused_backward, fused_backward_causal, columns_backward, columns_backward_bias, separate_backward,
            linear_chunks, gated_chunks, gated_vector_chunks, retention_chunks, delta_chunks,
            space_states, space_outputs, linear_loss]
