"""Attention with a running softmax: an inner function that takes blocks for constexpr parameters, configurations
that are pruned by the arguments."""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def inner(acc, l_i, m_i, q, K, V, start_m, qk_scale, BLOCK_M: tl.constexpr, HEAD_DIM: tl.constexpr,
          BLOCK_N: tl.constexpr, STAGE: tl.constexpr, offs_m: tl.constexpr, offs_n: tl.constexpr,
          N_CTX: tl.constexpr):
    if STAGE == 1:
        lo, hi = 0, start_m * BLOCK_M
    elif STAGE == 2:
        lo, hi = start_m * BLOCK_M, (start_m + 1) * BLOCK_M
        lo = tl.multiple_of(lo, BLOCK_M)
    else:
        lo, hi = 0, N_CTX
    offs_d = tl.arange(0, HEAD_DIM)
    for start_n in range(lo, hi, BLOCK_N):
        start_n = tl.multiple_of(start_n, BLOCK_N)
        cols = start_n + offs_n
        qk = tl.dot(q, tl.load(K + cols[None, :] * HEAD_DIM + offs_d[:, None]))
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
        l_i = l_i * alpha + tl.sum(p, 1)
        v = tl.load(V + cols[:, None] * HEAD_DIM + offs_d[None, :])
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        m_i = m_ij
    return acc, l_i, m_i


def prune(configs, named_args, **kwargs):
    return [config for config in configs if config.kwargs["BLOCK_M"] <= kwargs["N_CTX"]]


@triton.autotune([triton.Config({"BLOCK_M": m, "BLOCK_N": 32}, num_stages=3, num_warps=4) for m in (32, 64, 512)],
                 key=["N_CTX", "HEAD_DIM"], prune_configs_by={"early_config_prune": prune})
@triton.jit
def attention_kernel(Q, K, V, sm_scale, M, Out, N_CTX: tl.constexpr, HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, STAGE: tl.constexpr):
    tl.static_assert(BLOCK_N <= HEAD_DIM)
    start_m = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * N_CTX * HEAD_DIM
    offs_m = start_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.arange(0, BLOCK_N)
    place = head + offs_m[:, None] * HEAD_DIM + tl.arange(0, HEAD_DIM)[None, :]
    m_i = tl.zeros([BLOCK_M], dtype=tl.float32) - float("inf")
    l_i = tl.zeros([BLOCK_M], dtype=tl.float32) + 1.0
    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    qk_scale = sm_scale
    qk_scale *= 1.44269504
    q = tl.load(Q + place)
    if STAGE & 1:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, K + head, V + head, start_m, qk_scale, BLOCK_M, HEAD_DIM, BLOCK_N,
                              4 - STAGE, offs_m, offs_n, N_CTX)
    if STAGE & 2:
        acc, l_i, m_i = inner(acc, l_i, m_i, q, K + head, V + head, start_m, qk_scale, BLOCK_M, HEAD_DIM, BLOCK_N,
                              2, offs_m, offs_n, N_CTX)
    m_i += tl.math.log2(l_i)
    tl.store(M + tl.program_id(1) * N_CTX + offs_m, m_i)
    tl.store(Out + place, (acc / l_i[:, None]).to(Out.type.element_ty))


heads, length, width = 3, 128, 64
for causal in (False, True):
    q, k, v = np.random.standard_normal((3, heads, length, width)).astype(np.float16)
    out, m = np.empty_like(q), np.empty((heads, length), np.float32)
    grid = lambda args: (triton.cdiv(length, args["BLOCK_M"]), heads, 1)  # noqa: E731
    attention_kernel[grid](q, k, v, 0.5, m, out, N_CTX=length, HEAD_DIM=width, STAGE=3 if causal else 1)
    scores = 0.5 * q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1)
    if causal:
        scores[:, np.triu(np.ones((length, length), bool), 1)] = -np.inf
    p = np.exp(scores - scores.max(-1, keepdims=True))
    triton.testing.assert_close(out, p / p.sum(-1, keepdims=True) @ v.astype(np.float64), atol=2e-2)
assert all(config.kwargs["BLOCK_M"] < 512 for config in attention_kernel.configs_timings)
