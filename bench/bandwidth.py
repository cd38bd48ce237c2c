"""Kernels that are limited by memory, on an NVIDIA GPU: against torch, compiled and not, Triton, and a copy of the
same bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F

from bench import place
from bench.candidates import Options, best
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
import arrays  # noqa: E402
import cross_entropy as tile_cross_entropy  # noqa: E402
import decode_attention as tile_decode  # noqa: E402
import layer_norm as tile_layer_norm  # noqa: E402
import rms_norm as tile_rms_norm  # noqa: E402
import softmax as tile_softmax  # noqa: E402

arrays.leave_unfilled()

Call = Callable[[], Any]
EPS = 1e-5
TINY_SHAPES = ((5, 256),)
SOFTMAX_SHAPES = ((8192, 1024), (8192, 4096), (8192, 8192), (8192, 12288))
NORM_SHAPES = ((16384, 4096), (8192, 8192), (4096, 16384))
VOCABULARIES = ((4096, 32768), (4096, 131072))
CACHES = [(batch, keys) for batch in (1, 16) for keys in (8192, 16384, 32768, 65536)]

ROWS: list[Options] = [{"num_warps": warps} for warps in (4, 8, 16, 32)]
CHUNKS: list[Options] = [
    {"BLOCK_M": m, "BLOCK_N": n, "num_warps": n // 256, "STAGES": stages}
    for m, n in ((4, 1024), (8, 1024), (16, 1024), (4, 2048), (8, 2048), (4, 4096)) for stages in (1, 2, 3)]
PIECES: list[Options] = [
    {"BLOCK": block, "num_warps": block // 1024 * scale} for block in (2048, 4096, 8192) for scale in (1, 2)]
PARTS: list[Options] = [
    {"BLOCK_N": n, "num_warps": warps, "num_stages": stages, "PER_UNIT": programs}
    for n, warps, stages in ((64, 4, 2), (64, 4, 3), (64, 4, 4), (128, 4, 2), (128, 4, 3), (32, 2, 4), (64, 2, 3))
    for programs in (1, 2, 4, 8)]


def persistent_rows(columns: int) -> list[Options]:
    """Programs for each multiprocessor, or so many that they share the rows equally; as many warps as a row keeps
    busy, rows on their way."""
    warps = (4, 8) if columns <= 4096 else (8, 16) if columns <= 8192 else (16, 32)
    return [{"num_warps": count, "PER_UNIT": programs, "EQUAL": equal, "STAGES": stages}
            for count in warps for programs in (1, 2, 3, 4) if programs * count <= 32
            for equal in (False, True) if not equal or programs.bit_count() == 1 for stages in (1, 2, 3)]


def take_programs(options: Options, tensor: Any) -> tuple[int, Options]:
    """How many programs there are in all, a power of two if each is to have as many rows as the others, and the other
    options."""
    rest = dict(options)
    programs = rest.pop("PER_UNIT") * arrays.processors(tensor)
    return 1 << programs.bit_length() - 1 if rest.pop("EQUAL", False) else programs, rest


# --- rows ---------------------------------------------------------------------------------------------------


def softmax() -> Iterator[Workload]:
    """Rows of f32."""
    twin = load_twin("examples/softmax.py")
    for rows, columns in place.sizes(SOFTMAX_SHAPES, TINY_SHAPES):
        yield _softmax(twin, rows, columns)


def _softmax(twin: Any, rows: int, columns: int) -> Workload:
    x = place.randn(rows, columns)
    outputs = [torch.empty_like(x) for _ in range(3)]
    compiled = compile_peer(lambda x: torch.softmax(x, dim=1))
    candidates = {
        "tilewright": best("tilewright", ROWS, lambda options: tile_softmax.softmax(x, outputs[0], **options)),
        "triton": best("triton", ROWS, lambda options: twin.softmax(x, outputs[1], **options)),
        "torch": lambda: torch.softmax(x, dim=1, out=outputs[2]),
        "compile": lambda: compiled(x)}
    return measured(f"softmax {rows}x{columns} f32", candidates, checked(candidates, outputs),
                    torch.softmax(x.double(), 1), 1e-5, 2 * nbytes(x))


def rms_norm() -> Iterator[Workload]:
    """RMS norm forward."""
    twin = load_twin("examples/rms_norm.py")
    for rows, columns in place.sizes(NORM_SHAPES, TINY_SHAPES):
        yield _norm_forward("rms norm", tile_rms_norm, twin, rows, columns, ROWS)


def layer_norm() -> Iterator[Workload]:
    """Layer norm forward."""
    twin = load_twin("examples/layer_norm.py")
    for rows, columns in place.sizes(NORM_SHAPES, TINY_SHAPES):
        yield _norm_forward("layer norm", tile_layer_norm, twin, rows, columns, [*ROWS, *persistent_rows(columns)])


def rms_norm_backward() -> Iterator[Workload]:
    """RMS norm backward: gradients of rows and weight."""
    twin = load_twin("examples/rms_norm.py")
    for rows, columns in place.sizes(NORM_SHAPES, TINY_SHAPES):
        yield _norm_backward("rms norm", tile_rms_norm, twin, rows, columns, parameters=1)


def layer_norm_backward() -> Iterator[Workload]:
    """Layer norm backward: gradients of rows, weight and bias."""
    twin = load_twin("examples/layer_norm.py")
    for rows, columns in place.sizes(NORM_SHAPES, TINY_SHAPES):
        yield _norm_backward("layer norm", tile_layer_norm, twin, rows, columns, parameters=2)


def torch_norm(x: Any, parameters: Sequence[Any]) -> Any:
    """The norm in torch: of layers where there is a bias."""
    norm = F.layer_norm if len(parameters) == 2 else F.rms_norm
    return norm(x, x.shape[-1:], *parameters, eps=EPS)


def _norm_forward(name: str, module: Any, twin: Any, rows: int, columns: int, configs: Sequence[Options]) -> Workload:
    parameters = 2 if name == "layer norm" else 1
    x, *weights = (place.randn(*shape, dtype=torch.bfloat16) for shape in ((rows, columns), *[(columns,)] * parameters))
    outputs = [torch.empty_like(x) for _ in range(2)]
    compiled = compile_peer(torch_norm)

    def rowwise(module: Any, y: Any) -> Callable[[Options], Any]:
        def call(options: Options) -> Any:
            if "PER_UNIT" not in options:
                return module.forward(x, *weights, EPS, y, **options)[0]
            programs, rest = take_programs(options, x)
            return module.forward(x, *weights, EPS, y, programs=programs, **rest)[0]

        return call

    candidates = {"tilewright": best("tilewright", configs, rowwise(module, outputs[0])),
                  "triton": best("triton", configs, rowwise(twin, outputs[1])),
                  "compile": lambda: compiled(x, weights),
                  "torch": lambda: torch_norm(x, weights)}
    return measured(f"{name} {rows}x{columns} bf16", candidates, checked(candidates, outputs),
                    torch_norm(x.double(), [weight.double() for weight in weights]), 5e-3, 2 * nbytes(x))


def _norm_backward(name: str, module: Any, twin: Any, rows: int, columns: int, parameters: int) -> Workload:
    x, *weights = (place.randn(*shape, dtype=torch.bfloat16) for shape in ((rows, columns), *[(columns,)] * parameters))
    dy = place.randn(rows, columns, dtype=torch.bfloat16)
    outputs = [torch.empty_like(x) for _ in range(2)]
    configs = persistent_rows(columns)

    def rowwise(module: Any, dx: Any) -> Callable[[Options], Any]:
        _, *statistics = module.forward(x, *weights, EPS)

        def call(options: Options) -> Any:
            programs, rest = take_programs(options, x)
            return module.backward(dy, x, weights[0], *statistics, programs=programs, dx=dx,
                                   overlap=not place.is_dry(), **rest)

        return call

    expected = torch_backward(torch_norm, x.double(), [weight.double() for weight in weights], dy.double())()
    candidates = {"tilewright": best("tilewright", configs, rowwise(module, outputs[0])),
                  "triton": best("triton", configs, rowwise(twin, outputs[1])),
                  "compile": torch_backward(compile_peer(torch_norm), x, weights, dy),
                  "torch": torch_backward(torch_norm, x, weights, dy)}
    checks = {candidate: lambda call=call: joined(call(), expected)
              for candidate, call in checked(candidates, outputs).items()}
    return measured(f"{name} backward {rows}x{columns} bf16", candidates, checks, joined(expected, expected), 1e-2,
                    3 * nbytes(x))


def torch_backward(norm: Callable[..., Any], x: Any, weights: Sequence[Any], dy: Any) -> Call:
    """Torch's gradients alone; the forward pass runs here, once."""
    leaves = [tensor.detach().clone().requires_grad_() for tensor in (x, *weights)]
    try:
        y = norm(leaves[0], leaves[1:])
    except Exception as error:  # a peer that cannot compile is left out
        return failing(error)
    return lambda: torch.autograd.grad(y, leaves, dy, retain_graph=True)


# --- cross entropy ------------------------------------------------------------------------------------------


def cross_entropy() -> Iterator[Workload]:
    """Losses of rows of logits."""
    twin = load_twin("examples/cross_entropy.py")
    for rows, columns in place.sizes(VOCABULARIES, TINY_SHAPES):
        yield _cross_entropy(twin, rows, columns)


def cross_entropy_backward() -> Iterator[Workload]:
    """Gradients of rows of logits."""
    twin = load_twin("examples/cross_entropy.py")
    for rows, columns in place.sizes(VOCABULARIES, TINY_SHAPES):
        yield _cross_entropy_backward(twin, rows, columns)


def _logits(rows: int, columns: int) -> tuple[Any, Any]:
    return place.randn(rows, columns, dtype=torch.bfloat16), torch.randint(columns, (rows,), device=place.device())


def torch_cross_entropy(logits: Any, targets: Any) -> Any:
    """Losses of rows in torch."""
    return F.cross_entropy(logits, targets, reduction="none")


def exact_losses(logits: Any, targets: Any) -> Any:
    """The same in double precision, some rows at a time."""
    parts = zip(logits.split(256), targets.split(256), strict=True)
    return torch.cat([torch_cross_entropy(x.double(), t) for x, t in parts])


def _cross_entropy(twin: Any, rows: int, columns: int) -> Workload:
    logits, targets = _logits(rows, columns)
    outputs = [torch.empty(rows, device=place.device()) for _ in range(2)]
    compiled = compile_peer(torch_cross_entropy)

    def rowwise(module: Any, loss: Any) -> Callable[[Options], Any]:
        return lambda options: module.forward(logits, targets, loss, **options)[0]

    candidates = {"tilewright": best("tilewright", CHUNKS, rowwise(tile_cross_entropy, outputs[0])),
                  "triton": best("triton", CHUNKS, rowwise(twin, outputs[1])),
                  "compile": lambda: compiled(logits, targets),
                  "torch": lambda: torch_cross_entropy(logits, targets)}
    return measured(f"cross entropy {rows}x{columns} bf16", candidates, checked(candidates, outputs),
                    exact_losses(logits, targets), 5e-3, nbytes(logits))


def _cross_entropy_backward(twin: Any, rows: int, columns: int) -> Workload:
    logits, targets = _logits(rows, columns)
    dloss = place.randn(rows)
    lse = exact_losses(logits, targets).float() + logits.gather(1, targets[:, None])[:, 0].float()
    outputs = [torch.empty_like(logits) for _ in range(2)]

    def rowwise(module: Any, gradient: Any) -> Callable[[Options], Any]:
        return lambda options: module.backward(logits, targets, lse, dloss, gradient, **options)

    leaf = logits.detach().requires_grad_()
    loss = torch_cross_entropy(leaf, targets)
    gradient = dloss.to(loss.dtype)
    candidates = {"tilewright": best("tilewright", PIECES, rowwise(tile_cross_entropy, outputs[0])),
                  "triton": best("triton", PIECES, rowwise(twin, outputs[1])),
                  "torch": lambda: torch.autograd.grad(loss, leaf, gradient, retain_graph=True)[0]}
    some = slice(0, 256)  # rows, as many as fit in double precision
    checks = {name: lambda call=call: call()[some] for name, call in checked(candidates, outputs).items()}
    expected = torch.softmax(logits[some].double(), dim=1)
    expected.scatter_add_(1, targets[some, None], -torch.ones_like(expected[:, :1]))
    return measured(f"cross entropy backward {rows}x{columns} bf16", candidates, checks, expected * dloss[some, None],
                    1e-2, 2 * nbytes(logits))


# --- decode attention ---------------------------------------------------------------------------------------


def decode_attention() -> Iterator[Workload]:
    """One query against a cache of keys: 32 heads, 8 of keys, of 128 halves."""
    twin = load_twin("examples/decode_attention.py")
    for batch, keys in place.sizes(CACHES, ((2, 100),)):
        yield _decode_attention(twin, batch, keys)


def torch_attention(q: Any, k: Any, v: Any) -> Any:
    """The same in torch."""
    return F.scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=True)[:, :, 0]


def _decode_attention(twin: Any, batch: int, keys: int) -> Workload:
    q = place.randn(batch, 32, 128, dtype=torch.float16)
    k, v = (place.randn(batch, 8, keys, 128, dtype=torch.float16) for _ in range(2))
    outputs = [torch.empty_like(q) for _ in range(2)]

    def split(module: Any, output: Any) -> Callable[[Options], Any]:
        def call(options: Options) -> Any:
            programs, rest = take_programs(options, q)
            return module.decode_attention(q, k, v, output, parts=-(-programs // (batch * 8)),
                                           overlap=not place.is_dry(), **rest)

        return call

    candidates = {"tilewright": best("tilewright", PARTS, split(tile_decode, outputs[0])),
                  "triton": best("triton", PARTS, split(twin, outputs[1])),
                  "torch": lambda: torch_attention(q, k, v)}
    # A head of keys at a time: in single precision all of them would fill the memory.
    exact = [torch_attention(*(part.float() for part in parts))
             for parts in zip(q.split(4, 1), k.split(1, 1), v.split(1, 1), strict=True)]
    return measured(f"decode attention {batch}x{keys} f16", candidates, checked(candidates, outputs),
                    torch.cat(exact, 1), 5e-3, 2 * nbytes(k))


# --- what they share ----------------------------------------------------------------------------------------


def measured(name: str, candidates: dict[str, Call], checks: dict[str, Call], reference: Any, tolerance: float,
             bytes: int) -> Workload:
    """A workload beside a copy that reads and writes as many bytes as the others together."""
    source = torch.zeros(bytes // 2, dtype=torch.uint8, device=place.device())
    target = torch.empty_like(source)
    everyone = {**candidates, "copy": lambda: target.copy_(source)}
    return Workload(name, everyone, checks, reference, tolerance, bytes=bytes)


def checked(candidates: dict[str, Call], outputs: Sequence[Any]) -> dict[str, Call]:
    """What calls return, for the check; the first candidates write to `outputs`, which are poisoned before."""
    def compute(call: Call, output: Any) -> Any:
        if output is not None:
            output.fill_(-7)
        return call()

    written = dict(zip(candidates, outputs, strict=False))
    return {name: lambda name=name, call=call: compute(call, written.get(name)) for name, call in candidates.items()}


def joined(parts: Sequence[Any], expected: Sequence[Any]) -> Any:
    """Several results as one, each in units of what is expected of it."""
    pairs = zip(parts, expected, strict=True)
    return torch.cat([part.double().flatten() / value.double().norm() for part, value in pairs])


def nbytes(tensor: Any) -> int:
    """Bytes of a tensor."""
    return tensor.numel() * tensor.element_size()


def compile_peer(call: Callable[..., Any]) -> Callable[..., Any]:
    """The function by torch.compile, which a trial without a GPU leaves out."""
    if place.is_dry():
        return call
    import torch._functorch.config as functorch

    functorch.donated_buffer = False  # gradients are taken again and again
    torch._dynamo.reset()
    return torch.compile(call, dynamic=False)


def failing(error: Exception) -> Call:
    """A call that ends with the error."""
    def call() -> Any:
        raise error

    return call
