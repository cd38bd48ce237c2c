"""Norms, losses, scans and elements, as users write them."""

import tilewright as tw
import tilewright.language as tl
import torch

from bench import place
from bench.variations.problem import Problem, rand, random_indices, size, warps


# --- softmax ---------------------------------------------------------------------------------------
@tw.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, STAGES: tl.constexpr):
    for row_idx in tl.range(tl.program_id(0), n_rows, tl.num_programs(0), num_stages=STAGES):
        row_start_ptr = input_ptr + row_idx * input_row_stride
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(row_start_ptr + col_offsets, mask=mask, other=-float("inf"))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        output_row_start_ptr = output_ptr + row_idx * output_row_stride
        tl.store(output_row_start_ptr + col_offsets, numerator / denominator, mask=mask)


def softmax_in_one_block():
    """Programs that stay and go over rows, each in one block."""
    m, n, programs = place.sizes((16384, 3000, 528), (7, 100, 3))
    x = place.randn(m, n)
    y = torch.empty_like(x)
    block = tw.next_power_of_2(n)

    def launch(options):
        softmax_kernel[(programs,)](y, x, x.stride(0), y.stride(0), m, n, BLOCK_SIZE=block, **options)

    configs = warps(8, STAGES=2) + warps(8, 4, STAGES=4)
    return Problem(launch, configs, y, lambda: x.double().softmax(1), bytes=size(x, y))


@tw.jit
def online_softmax_kernel(X, Y, stride_x, stride_y, N, BLOCK_N: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    X += row * stride_x
    Y += row * stride_y
    cols = tl.arange(0, BLOCK_N)
    m = -float("inf")
    d = 0.0
    for start in range(0, N, BLOCK_N):
        x = tl.load(X + start + cols, mask=start + cols < N, other=-float("inf")).to(tl.float32)
        m_new = tl.maximum(m, tl.max(x, 0))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), 0)
        m = m_new
    for start in range(0, N, BLOCK_N):
        x = tl.load(X + start + cols, mask=start + cols < N, other=-float("inf"),
                    eviction_policy="evict_first").to(tl.float32)
        tl.store(Y + start + cols, (tl.exp(x - m) / d).to(Y.dtype.element_ty), mask=start + cols < N)


def softmax_online():
    """Two loops over a long row of halves, whose length is odd."""
    m, n = place.sizes((2048, 50257), (5, 1501))
    x = place.randn(m, n, dtype=torch.float16)
    y = torch.empty_like(x)

    def launch(options):
        online_softmax_kernel[(m,)](x, y, x.stride(0), y.stride(0), n, **options)

    configs = warps(8, BLOCK_N=4096) + warps(4, BLOCK_N=1024) + warps(16, BLOCK_N=8192)
    return Problem(launch, configs, y, lambda: x.double().softmax(1), bytes=size(x, y))


# --- norms -----------------------------------------------------------------------------------------
@tw.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        _mean += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    rstd = 1 / tl.sqrt(tl.sum(_var, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x_hat = (tl.load(X + cols, mask=mask, other=0.0).to(tl.float32) - mean) * rstd
        tl.store(Y + cols, x_hat * w + b, mask=mask)


def layer_norm_forward():
    """Three loops over a row."""
    m, n = place.sizes((8192, 5120), (5, 300))
    x, w, b = place.randn(m, n, dtype=torch.float16), place.randn(n), place.randn(n)
    y, mean, rstd = torch.empty_like(x), rand(m), rand(m)

    def launch(options):
        layer_norm_kernel[(m,)](x, y, w, b, mean, rstd, x.stride(0), n, 1e-5, **options)

    def expected():
        return torch.nn.functional.layer_norm(x.double(), (n,), w.double(), b.double())

    configs = warps(8, BLOCK_SIZE=8192) + warps(4, BLOCK_SIZE=1024) + warps(8, BLOCK_SIZE=2048)
    return Problem(launch, configs, y, expected, bytes=size(x, y))


@tw.jit
def layer_norm_dx_kernel(DX, DY, DW, DB, X, W, Mean, Rstd, Lock, stride, N, GROUP_M: tl.constexpr,
                         BLOCK_N: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_N)
    mask = cols < N
    X += row * stride
    DY += row * stride
    DX += row * stride
    lock_id = row % GROUP_M
    Lock += lock_id
    Count = Lock + GROUP_M
    DW = DW + lock_id * N + cols
    DB = DB + lock_id * N + cols
    x = tl.load(X + cols, mask=mask, other=0).to(tl.float32)
    dy = tl.load(DY + cols, mask=mask, other=0).to(tl.float32)
    w = tl.load(W + cols, mask=mask).to(tl.float32)
    mean = tl.load(Mean + row)
    rstd = tl.load(Rstd + row)
    xhat = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1 = tl.sum(xhat * wdy, axis=0) / N
    c2 = tl.sum(wdy, axis=0) / N
    tl.store(DX + cols, (wdy - (xhat * c1 + c2)) * rstd, mask=mask)
    partial_dw, partial_db = dy * xhat, dy
    while tl.atomic_cas(Lock, 0, 1) == 1:
        pass
    count = tl.load(Count)
    if count == 0:
        tl.atomic_xchg(Count, 1)
    else:
        partial_dw += tl.load(DW, mask=mask)
        partial_db += tl.load(DB, mask=mask)
    tl.store(DW, partial_dw, mask=mask)
    tl.store(DB, partial_db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(Lock, 0)


@tw.jit
def column_sum_kernel(PART, OUT, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    pid = tl.program_id(0)
    cols = pid * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for i in range(0, M, BLOCK_M):
        rows = i + tl.arange(0, BLOCK_M)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        total += tl.load(PART + rows[:, None] * N + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.store(OUT + cols, tl.sum(total, axis=0), mask=cols < N)


def layer_norm_backward():
    """Locks around partial sums for weights and biases, which a second kernel adds."""
    m, n, groups = place.sizes((8192, 2000, 96), (9, 100, 4))
    x, dy, w = place.randn(m, n, dtype=torch.float16), place.randn(m, n, dtype=torch.float16), place.randn(n)
    mean, rstd = x.float().mean(1), (x.float().var(1, unbiased=False) + 1e-5).rsqrt()
    parts, locks = place.randn(2, groups, n), random_indices(1, 2 * groups, dtype=torch.int32)
    out = torch.empty_like(torch.cat((x, x[:2])), dtype=torch.float16)
    block = tw.next_power_of_2(n)

    def launch(options):
        locks.zero_()
        layer_norm_dx_kernel[(m,)](out, dy, parts[0], parts[1], x, w, mean, rstd, locks, n, n, GROUP_M=groups,
                                   BLOCK_N=block, **options)
        for i in range(2):
            column_sum_kernel[(tw.cdiv(n, 128),)](parts[i], out[m + i], min(groups, m), n, BLOCK_M=32, BLOCK_N=128)

    def expected():
        xhat = (x.double() - mean.double()[:, None]) * rstd.double()[:, None]
        wdy = dy.double() * w.double()
        dx = (wdy - xhat * (xhat * wdy).mean(1, True) - wdy.mean(1, True)) * rstd.double()[:, None]
        return torch.cat((dx, (dy.double() * xhat).sum(0)[None], dy.double().sum(0)[None]))

    return Problem(launch, warps(8, 4), out, expected, bytes=size(x, dy, out))


@tw.jit
def rms_norm_kernel(Y_ptr, Y_row_stride, X_ptr, X_row_stride, W_ptr, RSTD_ptr, n_rows, n_cols, eps, offset,
                    ELEMENTWISE_AFFINE: tl.constexpr, BLOCK_ROW: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    row_idx = tl.program_id(0) * BLOCK_ROW + tl.arange(0, BLOCK_ROW)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    row_mask = row_idx < n_rows
    col_mask = col_offsets < n_cols
    X_row = tl.load(X_ptr + row_idx[:, None] * X_row_stride + col_offsets[None, :],
                    mask=row_mask[:, None] & col_mask[None, :], other=0.0).to(tl.float32)
    rstd = tl.rsqrt(tl.sum(X_row * X_row, axis=1) / n_cols + eps)
    tl.store(RSTD_ptr + row_idx, rstd, row_mask)
    Y_row = X_row * rstd[:, None]
    if ELEMENTWISE_AFFINE:
        W_row = tl.load(W_ptr + col_offsets, mask=col_mask, other=0).to(tl.float32)
        Y_row = Y_row * (offset + W_row)[None, :]
    tl.store(Y_ptr + row_idx[:, None] * Y_row_stride + col_offsets[None, :], Y_row.to(Y_ptr.dtype.element_ty),
             mask=row_mask[:, None] & col_mask[None, :])


def rms_norm_of_several_rows():
    """One program for several short rows, such as those of heads."""
    m, n = place.sizes((262144, 128), (21, 96))
    x, w = place.randn(m, n, dtype=torch.bfloat16), place.randn(n, dtype=torch.bfloat16)
    y, rstd = torch.empty_like(x), rand(m)

    def launch(options):
        grid = (tw.cdiv(m, options["BLOCK_ROW"]),)
        rms_norm_kernel[grid](y, y.stride(0), x, x.stride(0), w, rstd, m, n, 1e-6, 1.0, ELEMENTWISE_AFFINE=True,
                              BLOCK_SIZE=tw.next_power_of_2(n), **options)

    def expected():
        wide = x.double()
        return wide * (wide.square().mean(1, True) + 1e-6).rsqrt() * (1 + w.double())

    return Problem(launch, warps(4, 8, BLOCK_ROW=16) + warps(4, BLOCK_ROW=32), y, expected, bytes=size(x, y))


@tw.jit
def rms_norm_backward_kernel(dY_ptr, dY_row_stride, dX_ptr, dX_row_stride, X_ptr, X_row_stride, W_ptr, RSTD_ptr,
                             dW_ptr, dW_row_stride, n_rows, n_cols, rows_per_program, BLOCK_SIZE: tl.constexpr):
    row_block_id = tl.program_id(0).to(tl.int64)
    row_start = row_block_id * rows_per_program
    row_end = min((row_block_id + 1) * rows_per_program, n_rows)
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    dW_row = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)
    W_row = tl.load(W_ptr + col_offsets, mask=mask, other=0.0).to(tl.float32)
    for row_idx in range(row_start, row_end):
        dY_row = tl.load(dY_ptr + row_idx * dY_row_stride + col_offsets, mask=mask, other=0.0).to(tl.float32)
        X_row = tl.load(X_ptr + row_idx * X_row_stride + col_offsets, mask=mask, other=0.0).to(tl.float32)
        rstd = tl.load(RSTD_ptr + row_idx)
        m = dY_row * W_row
        dX_row = rstd * m
        dX_row += rstd * (-(1 / n_cols) * rstd * rstd * tl.sum(m * X_row, axis=0) * X_row)
        dW_row += dY_row * (X_row * rstd)
        tl.store(dX_ptr + row_idx * dX_row_stride + col_offsets, dX_row.to(X_ptr.dtype.element_ty), mask=mask)
    tl.store(dW_ptr + row_block_id * dW_row_stride + col_offsets, dW_row, mask=mask)


def rms_norm_backward_in_place():
    """Gradients of x take the place of those of y; each program adds its rows' gradients of the weights."""
    m, n, programs = place.sizes((8192, 4096, 132), (11, 100, 3))
    x, w = place.randn(m, n, dtype=torch.bfloat16), place.randn(n, dtype=torch.bfloat16)
    source, dy, dw = place.randn(m, n, dtype=torch.bfloat16), torch.empty_like(x), place.randn(programs, n)
    rstd = (x.float().square().mean(1) + 1e-6).rsqrt()

    def launch(options):
        dy.copy_(source)
        rms_norm_backward_kernel[(programs,)](dy, n, dy, n, x, n, w, rstd, dw, n, m, n, tw.cdiv(m, programs),
                                              BLOCK_SIZE=tw.next_power_of_2(n), **options)

    def expected():
        wide, factor = x.double(), rstd.double()[:, None]
        product = source.double() * w.double()
        return factor * product - factor**3 / n * (product * wide).sum(1, True) * wide

    return Problem(launch, warps(8, 16, 4), dy, expected, bytes=5 * size(x))


@tw.jit
def add_rms_norm_kernel(x_ptr, residual_ptr, w_ptr, y_ptr, residual_out_ptr, hidden, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offset = tl.arange(0, BLOCK)
    mask = offset < hidden
    x = tl.load(x_ptr + pid * hidden + offset, mask=mask, other=0.0)
    residual = tl.load(residual_ptr + pid * hidden + offset, mask=mask, other=0.0)
    added = x.to(tl.float32) + residual.to(tl.float32)
    tl.store(residual_out_ptr + pid * hidden + offset, added.to(x.dtype), mask=mask)
    rms = tl.sqrt(tl.sum(added * added) / hidden + eps)
    w = tl.load(w_ptr + offset, mask=mask, other=0.0).to(tl.float32)
    tl.store(y_ptr + pid * hidden + offset, (added / rms * w).to(y_ptr.dtype.element_ty), mask=mask)


def add_rms_norm():
    """A residual is added and kept, the sum is normed."""
    m, n = place.sizes((8192, 5120), (9, 100))
    x, residual = (place.randn(m, n, dtype=torch.bfloat16) for _ in range(2))
    w, y, kept = place.randn(n, dtype=torch.bfloat16), torch.empty_like(x), torch.empty_like(x)

    def launch(options):
        add_rms_norm_kernel[(m,)](x, residual, w, y, kept, n, 1e-6, BLOCK=tw.next_power_of_2(n), **options)

    def expected():
        added = x.double() + residual.double()
        return added * (added.square().mean(1, True) + 1e-6).rsqrt() * w.double()

    return Problem(launch, warps(8, 16, 4), y, expected, bytes=size(x, residual, y, kept))


@tw.jit
def group_norm_kernel(Y, X, W, B, stride_row, stride_group, hidden, channels_per_group: tl.constexpr, eps,
                      BLOCK_SIZE: tl.constexpr):
    batch_idx, group_idx = tl.program_id(0), tl.program_id(1)
    X += batch_idx * stride_row + group_idx * stride_group
    Y += batch_idx * stride_row + group_idx * stride_group
    s = 0.0
    squared_sum = 0.0
    block_range = tl.arange(0, BLOCK_SIZE)
    for i in tl.range(0, hidden * channels_per_group, BLOCK_SIZE):
        offsets = i + block_range
        x = tl.load(X + offsets, mask=offsets < hidden * channels_per_group, other=0.0).to(tl.float32)
        s += tl.sum(x)
        squared_sum += tl.sum(x * x)
    m = s / (hidden * channels_per_group)
    rstd = tl.rsqrt(squared_sum / (hidden * channels_per_group) - m * m + eps)
    for c in tl.range(channels_per_group):
        channel = group_idx * channels_per_group + c
        w, b = tl.load(W + channel), tl.load(B + channel)
        for i in range(0, hidden, BLOCK_SIZE):
            offsets = i + block_range
            x = tl.load(X + c * hidden + offsets, mask=offsets < hidden, other=m).to(tl.float32)
            tl.store(Y + c * hidden + offsets, (x - m) * rstd * w + b, mask=offsets < hidden)


def group_norm():
    """A loop for sums, then one for each channel of the group."""
    batch, channels, hidden, groups = place.sizes((32, 512, 64 * 64, 32), (2, 8, 150, 4))
    x, w, b = place.randn(batch, channels, hidden, dtype=torch.float16), place.randn(channels), place.randn(channels)
    y = torch.empty_like(x)

    def launch(options):
        group_norm_kernel[(batch, groups)](y, x, w, b, channels * hidden, channels // groups * hidden, hidden,
                                           channels // groups, 1e-5, **options)

    def expected():
        return torch.nn.functional.group_norm(x.double(), groups, w.double(), b.double())

    return Problem(launch, warps(8, 4, BLOCK_SIZE=1024) + warps(8, BLOCK_SIZE=4096), y, expected, bytes=size(x, y))


# --- losses ----------------------------------------------------------------------------------------
@tw.jit
def cross_entropy_kernel(X_ptr, X_stride, Y_ptr, Y_stride, loss_ptr, loss_stride, n_cols, n_non_ignore, ignore_index,
                         label_smoothing: tl.constexpr, softcap: tl.constexpr, HAS_SOFTCAPPING: tl.constexpr,
                         BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    Y_ptr += program_id * Y_stride
    y = tl.load(Y_ptr)
    X_ptr += program_id * X_stride
    if y == ignore_index:
        for i in range(0, n_cols, BLOCK_SIZE):
            X_offsets = i + tl.arange(0, BLOCK_SIZE)
            tl.store(X_ptr + X_offsets, 0.0, mask=X_offsets < n_cols)
        return
    loss_ptr += program_id * loss_stride
    m = float("-inf")
    d = 0.0
    ori_X_y = tl.load(X_ptr + y).to(tl.float32)
    if HAS_SOFTCAPPING:
        ori_X_y = softcap * (2 * tl.sigmoid(2 * ori_X_y / softcap) - 1)
    scaled_x_sum = 0.0
    eps = label_smoothing / n_cols
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        if HAS_SOFTCAPPING:
            X_block = softcap * (2 * tl.sigmoid(2 * X_block / softcap) - 1)
        block_max = tl.max(tl.where(X_offsets < n_cols, X_block, float("-inf")))
        if label_smoothing > 0:
            scaled_x_sum += tl.sum(tl.where(X_offsets < n_cols, -eps * X_block, 0.0))
        m_new = tl.maximum(m, block_max)
        d = d * tl.exp(m - m_new) + tl.sum(tl.where(X_offsets < n_cols, tl.exp(X_block - m_new), 0.0))
        m = m_new
    for i in range(0, n_cols, BLOCK_SIZE):
        X_offsets = i + tl.arange(0, BLOCK_SIZE)
        X_block = tl.load(X_ptr + X_offsets, mask=X_offsets < n_cols, other=float("-inf")).to(tl.float32)
        intermediate = X_block
        if HAS_SOFTCAPPING:
            intermediate = 2 * tl.sigmoid(2 * X_block / softcap) - 1
            X_block = softcap * intermediate
        X_block = tl.exp(X_block - m) / d - eps
        X_block = tl.where(X_offsets != y, X_block, X_block - (1 - label_smoothing)) / n_non_ignore
        if HAS_SOFTCAPPING:
            X_block = X_block * (1 - intermediate * intermediate)
        tl.store(X_ptr + X_offsets, X_block, mask=X_offsets < n_cols)
    tl.debug_barrier()
    lse = m + tl.log(d)
    loss = lse - ori_X_y
    if label_smoothing > 0:
        loss = loss * (1 - label_smoothing) + scaled_x_sum + label_smoothing * lse
    tl.store(loss_ptr, loss / n_non_ignore)


def cross_entropy(softcap, smoothing):
    """Gradients take the place of logits; some labels are ignored."""
    m, n = place.sizes((2048, 32000), (6, 1500))
    source, labels = place.randn(m, n, dtype=torch.bfloat16) * 3, random_indices(n, m)
    labels[::5] = -100
    x, loss, kept = torch.empty_like(source), rand(m), int((labels >= 0).sum())

    def launch(options):
        x.copy_(source)
        cross_entropy_kernel[(m,)](x, n, labels, 1, loss, 1, n, kept, -100, label_smoothing=smoothing,
                                   softcap=softcap or 0.0, HAS_SOFTCAPPING=softcap is not None, **options)

    def expected():
        wide = source.double().requires_grad_()
        logits = softcap * torch.tanh(wide / softcap) if softcap else wide
        torch.nn.functional.cross_entropy(logits, labels, label_smoothing=smoothing).backward()
        return wide.grad

    configs = warps(16, BLOCK_SIZE=16384) + warps(8, BLOCK_SIZE=4096) + warps(4, BLOCK_SIZE=2048)
    return Problem(launch, configs, x, expected, bytes=5 * size(x))


def cross_entropy_in_place():
    """Without extras."""
    return cross_entropy(None, 0.0)


def cross_entropy_softcap_smoothing():
    """With capped logits and smoothed labels."""
    return cross_entropy(30.0, 0.1)


@tw.jit
def divergence_kernel(X_ptr, X_stride, Y_ptr, Y_stride, loss_ptr, dX_ptr, n_cols, beta: tl.constexpr,
                      KIND: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    X_ptr += pid * X_stride
    dX_ptr += pid * X_stride
    Y_ptr += pid * Y_stride
    loss_sum = 0.0
    for i in range(0, n_cols, BLOCK_SIZE):
        offsets = i + tl.arange(0, BLOCK_SIZE)
        mask = offsets < n_cols
        X = tl.load(X_ptr + offsets, mask=mask, other=float("-inf")).to(tl.float32)
        Y = tl.load(Y_ptr + offsets, mask=mask, other=float("-inf")).to(tl.float32)
        P, Q = tl.exp(Y), tl.exp(X)
        if KIND == "kl":
            loss = tl.where(mask, P * (Y - X), 0.0)
            dX = -P
        elif KIND == "tvd":
            loss = 0.5 * tl.abs(P - Q)
            dX = tl.where(Q > P, 0.5, -0.5) * Q
        else:
            beta_P = beta * P
            one_minus_beta_Q = (1 - beta) * Q
            M = beta_P + one_minus_beta_Q
            log_M = tl.log(tl.where(mask, M, 1.0))
            loss = tl.where(mask, beta_P * Y + one_minus_beta_Q * X - M * log_M, 0.0)
            dX = tl.where(mask, one_minus_beta_Q * (X - log_M), 0.0)
        loss_sum += tl.sum(loss, axis=0)
        tl.store(dX_ptr + offsets, dX, mask=mask)
    tl.store(loss_ptr + pid, loss_sum)


def divergence(kind):
    """Losses of rows of log probabilities and gradients of them, in chunks of the vocabulary."""
    m, n = place.sizes((4096, 32000), (6, 1500))
    x, y = (place.randn(m, n).log_softmax(1).half() for _ in range(2))
    loss, dx = rand(m), torch.empty_like(x)

    def launch(options):
        divergence_kernel[(m,)](x, n, y, n, loss, dx, n, beta=0.5, KIND=kind, **options)

    def expected():
        p, q = y.double().exp(), x.double().exp()
        if kind == "jsd":
            mean = 0.5 * p + 0.5 * q
            return (0.5 * p * y.double() + 0.5 * q * x.double() - mean * mean.log()).sum(1)
        return ((p * (y.double() - x.double())) if kind == "kl" else 0.5 * (p - q).abs()).sum(1)

    configs = warps(8, BLOCK_SIZE=4096) + warps(16, BLOCK_SIZE=32768) + warps(4, BLOCK_SIZE=1024)
    return Problem(launch, configs, loss, expected, bytes=size(x, y, dx))


def kl_divergence():
    """Of log probabilities."""
    return divergence("kl")


def jensen_shannon_divergence():
    """With a weight that is constant."""
    return divergence("jsd")


def total_variation_distance():
    """With gradients by sign."""
    return divergence("tvd")


# --- elements --------------------------------------------------------------------------------------
@tw.jit
def silu(x):
    return x * tl.sigmoid(x)


@tw.jit
def swiglu_kernel(a_ptr, b_ptr, c_ptr, stride, n_cols: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    program_id = tl.program_id(0).to(tl.int64)
    a_ptr += program_id * stride
    b_ptr += program_id * stride
    c_ptr += program_id * n_cols
    col_offsets = tl.arange(0, BLOCK_SIZE)
    mask = col_offsets < n_cols
    a_row = tl.load(a_ptr + col_offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b_ptr + col_offsets, mask=mask, other=0)
    tl.store(c_ptr + col_offsets, silu(a_row).cast(b_row.dtype) * b_row, mask=mask)


def swiglu_of_halves():
    """The halves of each row are gate and value; a row is one block."""
    m, n = place.sizes((4096, 14336), (5, 100))
    x = place.randn(m, 2 * n, dtype=torch.float16)
    y = torch.empty(m, n, device=x.device, dtype=x.dtype)

    def launch(options):
        swiglu_kernel[(m,)](x, x[:, n:], y, x.stride(0), n, BLOCK_SIZE=tw.next_power_of_2(n), **options)

    def expected():
        return torch.nn.functional.silu(x[:, :n].double()) * x[:, n:].double()

    return Problem(launch, warps(8, 16, 32), y, expected, bytes=size(x, y))


@tw.jit
def geglu_backward_kernel(dc, a, b, da, db, n_elements, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    dc_row = tl.load(dc + offsets, mask=mask, other=0).to(tl.float32)
    a_row = tl.load(a + offsets, mask=mask, other=0).to(tl.float32)
    b_row = tl.load(b + offsets, mask=mask, other=0).to(tl.float32)
    a_cubed = a_row * a_row * a_row
    tanh_result = 2 * tl.sigmoid(2 * 0.7978845608028654 * (a_row + 0.044715 * a_cubed)) - 1
    geglu_a = 0.5 * a_row * (1 + tanh_result)
    term1 = 0.5 * (1 + tanh_result)
    term2 = 0.5 * a_row * (1 - tanh_result * tanh_result)
    term2 *= 0.7978845608028654 * (1 + 3 * 0.044715 * a_row * a_row)
    tl.store(db + offsets, dc_row * geglu_a, mask=mask)
    tl.store(da + offsets, dc_row * b_row * (term1 + term2), mask=mask)


def geglu_backward():
    """Over all elements, with the tangent written as a sigmoid."""
    (n,) = place.sizes((1 << 25,), (3000,))
    dc, a, b = (place.randn(n, dtype=torch.bfloat16) for _ in range(3))
    da, db = torch.empty_like(a), torch.empty_like(b)

    def launch(options):
        geglu_backward_kernel[(tw.cdiv(n, options["BLOCK_SIZE"]),)](dc, a, b, da, db, n, **options)

    def expected():
        wide = a.double().requires_grad_()
        torch.nn.functional.gelu(wide, approximate="tanh").backward(dc.double() * b.double())
        return wide.grad

    return Problem(launch, warps(4, 8, BLOCK_SIZE=1024) + warps(8, BLOCK_SIZE=4096), da, expected,
                   bytes=size(dc, a, b, da, db))


@tw.jit
def rope_halves_kernel(q_ptr, out_ptr, row_stride, cos, sin, sl, n_heads: tl.constexpr, hd: tl.constexpr,
                       pad_heads: tl.constexpr):
    pid = tl.program_id(0).to(tl.int64)
    q_ptr = q_ptr + pid * row_stride
    out_ptr = out_ptr + pid * row_stride
    cos_offsets = tl.arange(0, hd // 2)
    cos_row = tl.load(cos + (pid % sl) * (hd // 2) + cos_offsets)
    sin_row = tl.load(sin + (pid % sl) * (hd // 2) + cos_offsets)
    first = tl.arange(0, pad_heads)[:, None] * hd + tl.arange(0, hd // 2)[None, :]
    mask = tl.arange(0, pad_heads)[:, None] < n_heads
    q1 = tl.load(q_ptr + first, mask=mask, other=0).to(sin_row.dtype)
    q2 = tl.load(q_ptr + first + hd // 2, mask=mask, other=0).to(sin_row.dtype)
    tl.store(out_ptr + first, q1 * cos_row - q2 * sin_row, mask=mask)
    tl.store(out_ptr + first + hd // 2, q2 * cos_row + q1 * sin_row, mask=mask)


@tw.jit
def rope_interleaved_kernel(OUT, X, COS, SIN, seqlen, nheads, stride_token, stride_head, BLOCK_H: tl.constexpr,
                            BLOCK_M: tl.constexpr, ROTARY_DIM: tl.constexpr):
    pid_head, pid_m, pid_batch = tl.program_id(axis=0), tl.program_id(axis=1), tl.program_id(axis=2)
    X = X + pid_batch * seqlen * stride_token
    OUT = OUT + pid_batch * seqlen * stride_token
    rh = pid_head * BLOCK_H + tl.arange(0, BLOCK_H)
    rm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rk = tl.arange(0, ROTARY_DIM)
    half = tl.arange(0, ROTARY_DIM // 2)
    mask_cs = rm[:, None] < seqlen
    cos = tl.load(COS + rm[:, None] * (ROTARY_DIM // 2) + half[None, :], mask=mask_cs, other=1.0)
    sin = tl.load(SIN + rm[:, None] * (ROTARY_DIM // 2) + half[None, :], mask=mask_cs, other=0.0)
    offsets = rh[:, None, None] * stride_head + rm[None, :, None] * stride_token + rk[None, None, :]
    mask = (rh[:, None, None] < nheads) & (rm[None, :, None] < seqlen)
    x = tl.load(X + offsets, mask=mask, other=0.0).to(tl.float32)
    x0, x1 = tl.split(tl.reshape(x, [BLOCK_H, BLOCK_M, ROTARY_DIM // 2, 2]))
    o0 = x0 * cos - x1 * sin
    o1 = x0 * sin + x1 * cos
    o = tl.reshape(tl.join(o0, o1), [BLOCK_H, BLOCK_M, ROTARY_DIM])
    tl.store(OUT + offsets, o.to(OUT.dtype.element_ty), mask=mask)


def rope(interleaved, configs):
    """Rotated heads of a batch of sequences."""
    batch, length, heads, hd = place.sizes((4, 4096, 28, 128), (2, 33, 3, 32))
    x = place.randn(batch, length, heads, hd, dtype=torch.bfloat16)
    angles = rand(length, hd // 2) * 6
    cos, sin, y = angles.cos(), angles.sin(), torch.empty_like(x)

    def launch(options):
        if interleaved:
            grid = (tw.cdiv(heads, options["BLOCK_H"]), tw.cdiv(length, options["BLOCK_M"]), batch)
            rope_interleaved_kernel[grid](y, x, cos, sin, length, heads, heads * hd, hd, ROTARY_DIM=hd, **options)
        else:
            rope_halves_kernel[(batch * length,)](x, y, heads * hd, cos, sin, length, n_heads=heads, hd=hd,
                                                  pad_heads=tw.next_power_of_2(heads), **options)

    def expected():
        pairs = x.double().unflatten(3, (hd // 2, 2) if interleaved else (2, hd // 2))
        dim = 4 if interleaved else 3
        one, two = pairs.unbind(dim)
        c, s = cos.double()[:, None], sin.double()[:, None]
        return torch.stack((one * c - two * s, two * c + one * s), dim).flatten(3)

    return Problem(launch, configs, y, expected, bytes=size(x, y))


def rope_of_halves():
    """One program for all heads of a token, the halves of a head rotated."""
    return rope(False, warps(4, 8, 2))


def rope_of_pairs():
    """Blocks of heads and tokens, neighbours split and joined."""
    return rope(True, warps(4, BLOCK_H=2, BLOCK_M=8) + warps(8, BLOCK_H=2, BLOCK_M=16) + warps(4, BLOCK_H=1, BLOCK_M=8))


# --- quantisation and scans ------------------------------------------------------------------------
@tw.jit
def per_group_kernel(y_ptr, y_q_ptr, y_s_ptr, group_size, num_columns, y_row_stride, y_s_col_stride, eps,
                     fp8_min, fp8_max, use_ue8m0: tl.constexpr, COLUMN_MAJOR: tl.constexpr, BLOCK: tl.constexpr):
    groups_per_row = num_columns // group_size
    g_id = tl.program_id(0)
    row, row_g_id = g_id // groups_per_row, g_id % groups_per_row
    y_ptr += (row.to(tl.int64) * y_row_stride) + (row_g_id.to(tl.int64) * group_size)
    y_q_ptr += g_id.to(tl.int64) * group_size
    if COLUMN_MAJOR:
        y_s_ptr += row_g_id.to(tl.int64) * y_s_col_stride + row
    else:
        y_s_ptr += g_id
    cols = tl.arange(0, BLOCK)
    mask = cols < group_size
    y = tl.load(y_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    _absmax = tl.maximum(tl.max(tl.abs(y)), eps)
    scale_raw = _absmax / fp8_max
    y_s = tl.math.exp2(tl.ceil(tl.log2(scale_raw))) if use_ue8m0 else scale_raw
    y_q = tl.clamp(y / y_s, fp8_min, fp8_max).to(y_q_ptr.dtype.element_ty)
    tl.store(y_q_ptr + cols, y_q, mask=mask)
    tl.store(y_s_ptr, y_s)


def per_group(column_major, ue8m0):
    """One program for each group of 128."""
    m, n = place.sizes((4096, 7168), (7, 512))
    x = place.randn(m, n, dtype=torch.bfloat16)
    y, factors = torch.empty_like(x, dtype=torch.float8_e4m3fn), rand(m, n // 128)

    def launch(options):
        per_group_kernel[(m * n // 128,)](x, y, factors, 128, n, n, m, 1e-10, -448.0, 448.0, use_ue8m0=ue8m0,
                                          COLUMN_MAJOR=column_major, BLOCK=128, **options)

    def expected():
        raw = x.float().unflatten(1, (-1, 128)).abs().amax(2, True) / 448
        raw = raw.log2().ceil().exp2() if ue8m0 else raw
        return (x.float().unflatten(1, (-1, 128)) / raw).flatten(1).to(torch.float8_e4m3fn).double()

    # Interpreted, floats are cut to 8 bits.
    return Problem(launch, warps(1, 4), y, expected, bytes=size(x, y), tolerance=0.1 if place.is_dry() else 5e-3)


def per_group_fp8():
    """With a factor for each group."""
    return per_group(False, False)


def per_group_fp8_powers_of_two():
    """Factors are powers of two, and contiguous along rows."""
    return per_group(True, True)


@tw.jit
def first_order(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@tw.jit
def selective_scan_kernel(u_ptr, dt_ptr, A_ptr, B_ptr, C_ptr, D_ptr, y_ptr, L, D, N: tl.constexpr,
                          BLOCK_L: tl.constexpr):
    d, batch = tl.program_id(0), tl.program_id(1)
    n = tl.arange(0, N)
    steps = tl.arange(0, BLOCK_L)
    a = tl.load(A_ptr + d * N + n)
    skip = tl.load(D_ptr + d)
    row = (batch * D + d).to(tl.int64) * L
    h = tl.zeros((N,), dtype=tl.float32)
    for start in range(0, L, BLOCK_L):
        t = start + steps
        mask = t < L
        u = tl.load(u_ptr + row + t, mask=mask, other=0.0).to(tl.float32)
        dt = tl.load(dt_ptr + row + t, mask=mask, other=0.0).to(tl.float32)
        dt = tl.where(dt > 20.0, dt, tl.log(1.0 + tl.exp(dt)))
        bc = (batch * N + n)[:, None] * L + t[None, :]
        b = tl.load(B_ptr + bc, mask=mask[None, :], other=0.0).to(tl.float32)
        c = tl.load(C_ptr + bc, mask=mask[None, :], other=0.0).to(tl.float32)
        decay = tl.exp(dt[None, :] * a[:, None])
        gain = b * (dt * u)[None, :]
        decays, states = tl.associative_scan((decay, gain), 1, first_order)
        states += decays * h[:, None]
        y = tl.sum(states * c, axis=0) + skip * u
        tl.store(y_ptr + row + t, y.to(y_ptr.dtype.element_ty), mask=mask)
        h = tl.sum(tl.where(steps[None, :] == BLOCK_L - 1, states, 0.0), axis=1)


def selective_scan():
    """Recurrences of 16 states for each channel, in chunks that hand on their last states."""
    batch, dim, length, states = place.sizes((4, 1024, 2048, 16), (2, 3, 70, 16))
    u, dt = (place.randn(batch, dim, length, dtype=torch.float16) for _ in range(2))
    a, skip = -rand(dim, states) - 0.1, place.randn(dim)
    b, c = (place.randn(batch, states, length, dtype=torch.float16) for _ in range(2))
    y = torch.empty_like(u)

    def launch(options):
        selective_scan_kernel[(dim, batch)](u, dt, a, b, c, skip, y, length, dim, N=states, **options)

    def expected():
        step = torch.nn.functional.softplus(dt.double())
        h, out = torch.zeros(batch, dim, states, device=u.device, dtype=torch.float64), []
        for t in range(length):
            h = h * (step[..., t, None] * a).exp() + (step[..., t] * u[..., t])[..., None] * b[:, None, :, t]
            out.append((h * c[:, None, :, t]).sum(2))
        return torch.stack(out, 2) + skip.double()[:, None] * u.double()

    return Problem(launch, warps(4, BLOCK_L=128) + warps(4, BLOCK_L=64) + warps(8, BLOCK_L=256), y, expected,
                   bytes=size(u, dt, y))


PROBLEMS = [softmax_in_one_block, softmax_online, layer_norm_forward, layer_norm_backward, rms_norm_of_several_rows,
            rms_norm_backward_in_place, add_rms_norm, group_norm, cross_entropy_in_place,
            cross_entropy_softcap_smoothing, kl_divergence, jensen_shannon_divergence, total_variation_distance,
            swiglu_of_halves, geglu_backward, rope_of_halves, rope_of_pairs, per_group_fp8,
            per_group_fp8_powers_of_two, selective_scan]
