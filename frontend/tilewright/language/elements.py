"""Work on single elements in the program's own words: scalar functions and assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit_inferred, emit_many
from ..ast.values import tensor
from ..errors import CompilationError, TileTypeError
from .conversion import broadcast_together, describe_value, require_dtype, static, static_int, to_tensor
from .registry import builtin
from .types import block_type, describe, dtype


def _positive(pack: Any, what: str) -> int:
    pack = static_int(pack, f"{what}: pack")
    if pack < 1:
        raise TileTypeError(f"{what}: pack must be positive, got {pack}")
    return pack


# --- scalar functions -------------------------------------------------------------------------------
@builtin
def map_elementwise(scalar_fn: Any, *args: tensor, pack: int = 1) -> Any:
    """Call a function for each element.

    Unlike the operations on blocks, the function may branch and loop on its values:
    only what an element needs runs for it.

    Args:
        scalar_fn: A `@jit` function of scalars that gives a scalar, or a tuple of them. It
            may load, but has no other effects. With ``pack`` it takes that many elements of
            the first block, as many of the second, and so on, and gives its results likewise.
        args: Blocks, which are broadcast together.
        pack: The number of elements that one call computes.

    Returns:
        A block for the one result of the function, else a tuple.
    """
    if not hasattr(scalar_fn, "__tile_function__"):
        raise TileTypeError(f"map_elementwise: expects a @jit function, got {describe_value(scalar_fn)}")
    pack = _positive(pack, "map_elementwise")
    sources = broadcast_together([to_tensor(each) for each in args], "map_elementwise")
    if not sources:
        raise TileTypeError("map_elementwise: expects a block to map")
    shape = sources[0].shape
    call = current().call
    single = False

    def run(elements: Sequence[tensor]) -> list[tensor]:
        nonlocal single
        result = call(scalar_fn, list(elements), {})
        if result is None:
            raise CompilationError(f"map_elementwise: '{scalar_fn.__name__}' gives no result")
        single = not isinstance(result, tuple)
        values = [to_tensor(value) for value in (result if isinstance(result, tuple) else (result,))]
        _check_results(values, pack, scalar_fn.__name__)
        if shape:
            _check_code(current().block, scalar_fn.__name__)
        return values

    if not shape:  # scalars: the function itself
        values = run([element for source in sources for element in [source] * pack])
        results = values[::pack]
    else:
        results = emit_inferred(
            "tile.map", sources, {"pack": current().session.integer(pack)},
            [source.dtype for source in sources for _ in range(pack)], run,
            lambda values: [block_type(value.dtype, shape) for value in values[::pack]])
    return results[0] if single else tuple(results)


def _is_block(type: Any) -> bool:
    """Whether a type, of the IR or of an interpreted operation, is a block's."""
    return type.is_block() if isinstance(type, dtype) else isinstance(type, current().ir.RankedTensorType)


def _check_code(block: Any, name: str) -> None:
    """Refuse what a program does once, or with all of its threads, and not for each element."""
    for op in block.operations:
        kind = op.name
        acts = not op.results and kind != "tile.yield"
        if kind.startswith("tile.") and (acts or kind.startswith("tile.atomic")
                                         or (kind == "tile.inline_asm" and "isPure" not in op.attributes)):
            raise TileTypeError(f"map_elementwise: '{name}' has an effect besides its result: {kind[5:]}",
                                "a function of elements may load, but not store, print, assert or use atomics; give "
                                "its values as results and store those")
        if any(_is_block(result.type) for result in op.results):
            raise TileTypeError(f"map_elementwise: '{name}' computes with blocks",
                                "each element is computed by one thread, which has scalars only")
        for region in op.regions:
            for inner in region.blocks:
                _check_code(inner, name)


def _check_results(values: Sequence[tensor], pack: int, name: str) -> None:
    for value in values:
        if value.type.is_block():
            raise TileTypeError(f"map_elementwise: '{name}' must give scalars, got {describe(value.type)}")
    if len(values) % pack != 0:
        raise TileTypeError(f"map_elementwise: '{name}' must give {pack} values of each result, got {len(values)}")
    for at, value in enumerate(values):
        first = values[at - at % pack]
        if value.type is not first.type:
            raise TileTypeError(f"map_elementwise: the values of one result must have one type, got "
                                f"{describe(first.type)} and {describe(value.type)}")


# --- assembly ---------------------------------------------------------------------------------------
def _registers(type: dtype, pack: int) -> int:
    """Registers for ``pack`` elements: those narrower than 32 bits share one."""
    bits = type.primitive_bitwidth
    shared = min(pack, 32 // bits) if bits < 32 else 1
    return -(-pack // shared)


def _check_constraints(constraints: str, sources: Sequence[tensor], types: Sequence[dtype], pack: int) -> None:
    parts = [part.strip() for part in constraints.split(",") if part.strip()]
    outputs = sum(part.startswith("=") for part in parts)
    inputs = sum(not part.startswith(("=", "~")) for part in parts)
    want_outputs = sum(_registers(type, pack) for type in types)
    want_inputs = sum(_registers(source.dtype, pack) for source in sources)
    if (outputs, inputs) != (want_outputs, want_inputs):
        raise TileTypeError(
            f"inline_asm_elementwise: the constraints name {outputs} outputs and {inputs} inputs, but there are "
            f"{want_outputs} and {want_inputs}",
            "results come first, '=r' each; elements narrower than 32 bits share a register, as many as fit of those "
            "that pack asks for")


@builtin
def inline_asm_elementwise(asm: str, constraints: str, args: Sequence[Any], dtype: Any, is_pure: bool,
                           pack: int) -> Any:
    """Run assembly of the target for each element.

    Args:
        asm: The code; ``$0``, ``$1``, ... are its registers, results first.
        constraints: LLVM's constraints, results first: ``"=r,r,r"``.
        args: Values, which are broadcast together.
        dtype: The type of the result, or a tuple of types for several results.
        is_pure: Whether the code only computes, so that it may be dropped, moved or repeated.
        pack: The number of elements that one run computes. Elements narrower than 32 bits
            share registers, the first one in the lowest bits.

    Returns:
        The result, or a tuple where ``dtype`` is one.
    """
    what = "inline_asm_elementwise"
    asm, constraints = static(asm, f"{what}: asm"), static(constraints, f"{what}: constraints")
    for text in (asm, constraints):
        if not isinstance(text, str):
            raise TileTypeError(f"{what}: asm and constraints must be strings, got {describe_value(text)}")
    pack = _positive(pack, what)
    several = isinstance(dtype, (tuple, list))
    types = [require_dtype(each, what).scalar for each in (dtype if several else (dtype,))]
    if not types:
        raise TileTypeError(f"{what}: expects the type of a result")
    given = args if isinstance(args, (tuple, list)) else (args,)
    sources = broadcast_together([to_tensor(each) for each in given], what)
    _check_constraints(constraints, sources, types, pack)
    shape = sources[0].shape if sources else ()
    session = current().session
    attributes = {"assembly": session.string(asm), "constraints": session.string(constraints),
                  "pack": session.integer(pack)}
    if static(is_pure, f"{what}: is_pure"):
        attributes["isPure"] = session.unit
    results = emit_many("tile.inline_asm", sources,
                        [block_type(each, shape) if shape else each for each in types], attributes)
    return tuple(results) if several else results[0]
