"""Types of the results of all operators, for all pairs of types, against rules written here."""

import itertools
from contextlib import contextmanager

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.ast.builder import Builder, BuildOptions, building, session
from tilewright.ast.values import tensor
from tilewright.language import arithmetic
from tilewright.language import types as t

OPERATORS = {
    "+": arithmetic.add, "-": arithmetic.sub, "*": arithmetic.mul, "/": arithmetic.truediv,
    "//": arithmetic.floordiv, "%": arithmetic.mod, "&": arithmetic.and_, "|": arithmetic.or_, "^": arithmetic.xor,
    "<<": arithmetic.shl, ">>": arithmetic.shr, "minimum": tl.minimum, "maximum": tl.maximum,
    "where": lambda x, y: tl.where(True, x, y),
}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
# One 8-bit float stands for all: the table of promotion is tested for each.
TYPES = [x for x in t.NUMBERS if not x.is_fp8()] + [t.float8e5]
PAIRS = list(itertools.product(TYPES, TYPES))


@contextmanager
def values(*types):
    """Values of types, as arguments of a function that is being built."""
    current = session()
    builder = Builder(current, BuildOptions())
    with building(builder):
        module = builder.ir.Module.create(current.unknown)
        signature = builder.ir.TypeAttr.get(builder.ir.FunctionType.get([current.ir_type(x) for x in types], []))
        function = builder.ir.Operation.create(
            "func.func", (), (), {"sym_name": current.string("f"), "function_type": signature}, None, 1,
            current.unknown, builder.ir.InsertionPoint(module.body))
        entry = function.regions[0].blocks.append(*[current.ir_type(x) for x in types],
                                                  arg_locs=[current.unknown] * len(types))
        builder.start(entry)
        yield [tensor(value, type) for value, type in zip(entry.arguments, types, strict=True)]


def common(a, b):
    """The type that both operands are brought to; None if they do not mix."""
    for wide in (t.float64, t.float32, t.float16):
        if wide in (a, b) and not (wide is not t.float64 and any(x.is_fp8() for x in (a, b))
                                   and any(x.is_int() for x in (a, b))):
            return wide
    floats = [x for x in (a, b) if x.is_floating()]
    if t.bfloat16 in floats:
        return t.bfloat16 if a is b else t.float32
    if floats:
        return a if a is b else None
    return max((a, b), key=lambda x: (x.primitive_bitwidth, x.is_int_unsigned()))


def expected(symbol, a, b):
    """The type of `a symbol b`; None where it is refused."""
    if symbol in ("minimum", "maximum"):  # bf16 is compared in fp32
        a, b = (t.float32 if x is t.bfloat16 else x for x in (a, b))
    both = common(a, b)
    if both is None:
        return None
    if symbol in ("/", "//", "%"):
        signs = {x.is_int_signed() for x in (a, b) if x.is_int() and not x.is_bool()}
        if len(signs) == 2:
            return None
        if symbol == "//":
            return None if both.is_floating() else both
        if symbol == "/" and both.is_int():
            return t.float32
        return t.float32 if both.is_floating() and both is not t.float64 else both
    if symbol in ("&", "|", "^", "<<", ">>"):
        return None if both.is_floating() else both
    return both


def result_of(operation, x, y):
    try:
        return operation(x, y).dtype
    except tw.CompilationError:
        return None


@pytest.mark.parametrize("symbol", OPERATORS)
def test_operators(symbol):
    for a, b in PAIRS:
        with values(a, b) as (x, y):
            if symbol in ("minimum", "maximum") and t.float8e5 in (a, b):
                continue
            assert result_of(OPERATORS[symbol], x, y) is expected(symbol, a, b), (symbol, a, b)


@pytest.mark.parametrize("symbol", COMPARISONS)
def test_comparisons(symbol):
    for a, b in PAIRS:
        with values(a, b) as (x, y):
            found = result_of(lambda x, y: arithmetic.compare(symbol, x, y), x, y)
            assert found is (None if common(a, b) is None else t.int1), (symbol, a, b)


def with_number(symbol, a, number):
    """The type of a value and a Python number: one of no higher kind takes the value's type."""
    kind = 0 if isinstance(number, bool) else 1 if isinstance(number, int) else 2
    own = 2 if a.is_floating() else 0 if a.is_bool() else 1
    if kind > own:
        return expected(symbol, a, t.type_of_number(number))
    low, high = a.range if a.is_int() and not a.is_bool() else (number, number)
    return expected(symbol, a, a) if low <= number <= high else None


@pytest.mark.parametrize("number", [True, 3, -1, 300, 2**40, 0.5, 1e300], ids=repr)
@pytest.mark.parametrize("symbol", [name for name in OPERATORS if not name.startswith("m")])
def test_operators_with_numbers(symbol, number):
    for a in TYPES:
        with values(a) as (x,):
            wanted = with_number(symbol, a, number)
            assert result_of(OPERATORS[symbol], x, number) is wanted, (symbol, a, number)
            assert result_of(OPERATORS[symbol], number, x) is wanted, (symbol, number, a)


@pytest.mark.parametrize("symbol", OPERATORS)
def test_pointers_take_part_in_offsets_only(symbol):
    with values(tl.pointer_type(t.float32), t.int32) as (pointer, offset):
        found = result_of(OPERATORS[symbol], pointer, offset)
        assert found is (pointer.dtype if symbol in ("+", "-") else None)
        swapped = result_of(OPERATORS[symbol], offset, pointer)
        assert swapped is (pointer.dtype if symbol == "+" else None)
