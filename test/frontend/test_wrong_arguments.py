"""Functions of the language with arguments of all kinds: each call works or has one clear error."""

import random

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.errors import InternalError

FUNCTIONS = sorted(name for name in dir(tl) if hasattr(getattr(tl, name), "__tile_builtin__")
                   or getattr(getattr(tl, name), "__tile_function__", None) == "jit")
KINDS = 14


@tw.jit
def call(x, n, FUNCTION: tl.constexpr, KINDS: tl.constexpr):
    block = tl.arange(0, 8)
    square = tl.zeros((16, 16), tl.float16)
    values = (block, block.to(tl.float32), block > 3, square, n, x, x + block, None, 1, 1.5, "text", (2, 4), tl.float32,
              True)
    FUNCTION(*[values[kind] for kind in KINDS])


def arguments_of(name):
    """All calls with one argument, and some with more; the choice depends on the name alone."""
    chosen = random.Random(name)
    yield from [(), *((kind,) for kind in range(KINDS))]
    for _ in range(25):
        yield tuple(chosen.randrange(KINDS) for _ in range(chosen.randrange(2, 6)))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls(lower, name, capsys):
    for kinds in arguments_of(name):
        try:
            lower(call, x="*fp32", n="i32", FUNCTION=getattr(tl, name), KINDS=kinds)
        except InternalError as error:
            raise AssertionError(f"{name} with arguments {kinds}") from error
        except tw.CompilationError as error:
            assert error.position is not None and error.message
