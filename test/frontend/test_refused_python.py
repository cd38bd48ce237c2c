"""Python that kernels cannot hold: each construct has one error, at its own line, before there is IR."""

import linecache

import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.ast.builder import BuildOptions
from tilewright.ast.module import build_module
from tilewright.errors import InternalError
from tilewright.signature import bind_signature

NUMBER = 5
TABLE = [1, 2]


def plain_function(x):
    return x


# Statements of a kernel with a pointer x, a scalar n, a block v and a tuple t.
REFUSED = """
try: n += 1; finally: n = 0
raise ValueError("no")
class C: pass
def inner(): return 1
async def inner(): return 1
y = lambda a: a
y = {"a": 1}
y = {1, 2}
y = {i: i for i in (1, 2)}
y = {i for i in (1, 2)}
y = sum(i for i in (1, 2))
y = [a for a in (1, 2) for b in (1, 2)]
y = [a for a in (1, 2) if n > a]
y = (yield n)
y = yield
y = await n
del n
import math
from math import pi
global n
nonlocal NUMBER
match n: case 1: pass
with open("f") as f: pass
with n: pass
for i in range(3): pass; else: n = 0
while n < 3: n += 1; else: n = 0
for i in n: pass
for i in v: pass
for i in range(1.5): pass
for i in range(3, nothing=1): pass
for i in range(): pass
for i in range(0, n, 0): pass
for t[0] in range(3): pass
while True: n += 1
if v > 0: n = 1
n = v < None
n = None >= n
n = v < "a"
v = v + 10.0 ** 0 * 10 ** 1000
v = v * 1.0 + 10 ** 1000
assert
t[0] = 1
v[0] = 1
v[0] += 1
n.name = 1
tl.float32 = 1
a, *b = t
a, b = t
a, b = n
y = v[n, n]
y = v[0.5]
y = t[n]
y = t[9]
y = t["a"]
y = n[0]
y = 1j
y = n @ n
y = v ** 2
y = n + "text"
y = "text" % n
y = -"text"
y = ~1.5
y = n + None
y = t < (n, 1, 2)
y = n in v
y = f"{n}"
y = NUMBER
y = TABLE
y = plain_function(n)
y = nothing
y = tl.nothing
y = n.nothing
y = t.nothing
y = open
y = open("f")
y = eval("1")
y = n()
y = t()
y = "text"()
y = 5(1)
y = float(n)
y = int(v)
y = len(n)
y = len(t, nothing=1)
y = len()
y = isinstance(n)
y = float(1, base=2)
y = abs(n, n)
y = range(n)[0]
y = tl.load()
y = tl.load(x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
y = tl.load(x, nothing=1)
y = tl.load(*n)
y = tl.load(**t)
y = tl.zeros((n,), tl.float32)
y = tl.zeros((8,), "float33")
y = tl.arange(0, n)
y: tl.constexpr = n
y = breakpoint()
y = super().x
y = __import__("os")
y = isinstance(n, "text")
y = 1 // 0
y = "a" < 1
y = (1, 2) + 3
y = min()
y = max(v, "text")
y = getattr(n, "nothing")
return n
break
continue
tl.static_assert(n > 0)
tl.static_assert(False)
tl.static_range(n)
for i in tl.static_range(10 ** 7): n = i
tl.device_print(n)
print(f"{n}")
""".strip().splitlines()
# What looks like one of these and works.
ACCEPTED = """
for i in range(n, num_stages=2, warp_specialize=True): pass
y = n if n > 0 else -n
y = [n + a for a in (1, 2)]
(y, (z, w)) = 1, (2, 3)
y = z = n
y = n < 3 < 5
y = f"{1 + 1:>4}{'a'!r}"
y = "a" "b"
y = ...
y = None
y = (n,) * 3
y = -1 ** 2
y = not n
y = v[:, None]
y = v[None, :]
y = v[...]
y = tl.float32
y = x.dtype.element_ty.primitive_bitwidth
pass
"text"
n
n + 1
y: int = 3
y: int
if n: y = 1
""".strip().splitlines()


def expand(statement):
    """A line as statements: `;` and a leading `else` begin new ones."""
    head, colon, rest = statement.partition(": ")
    if not colon or head.split()[0] not in ("try", "class", "def", "async", "match", "with", "for", "while", "if"):
        return [statement]
    lines, indent = [f"{head}:"], "    "
    for part in rest.split("; "):
        while ": " in part and part.split()[0].rstrip(":") in ("else", "finally", "case"):
            inner, _, part = part.partition(": ")
            deeper = inner.startswith("case")
            lines.append(f"{'    ' if deeper else ''}{inner}:")
            indent = "        " if deeper else "    "
        lines.append(indent + part)
    return lines


def kernel_of(statement, tmp_path):
    """A kernel with a statement, and the lines of it."""
    body = ["v = tl.arange(0, 8)", "t = (n, 2, 3)", *expand(statement)]
    header = ["@tw.jit", "def kernel(x, n):"]
    path = tmp_path / "kernel.py"
    path.write_text("\n".join([*header, *(f"    {line}" for line in body), ""]))
    linecache.checkcache(str(path))
    names = {"tw": tw, "tl": tl, "NUMBER": NUMBER, "TABLE": TABLE, "plain_function": plain_function}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["kernel"], len(header) + 3


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("statement", REFUSED)
def test_refused(statement, tmp_path):
    try:
        kernel, line = kernel_of(statement, tmp_path)
    except SyntaxError:
        return  # Python refuses it
    with pytest.raises(tw.CompilationError) as caught:
        build_module(kernel, bind_signature(kernel, {"x": "*fp32", "n": "i32"}), BuildOptions())
    assert not isinstance(caught.value, InternalError), caught.value
    position = caught.value.position
    assert position is not None and position.line >= line, caught.value
    assert position.text.strip() and position.end > position.column


@pytest.mark.parametrize("statement", ACCEPTED)
def test_accepted(statement, tmp_path):
    kernel, _ = kernel_of(statement, tmp_path)
    module = build_module(kernel, bind_signature(kernel, {"x": "*fp32", "n": "i32"}), BuildOptions())
    assert kernel.__name__ in str(module)
