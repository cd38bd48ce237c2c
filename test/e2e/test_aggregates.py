"""Classes of values: constructors, methods, operators, inheritance, and where instances go."""

import numpy as np
import tilewright as tw
import tilewright.language as tl


@tw.aggregate
class Mean:
    total: tl.tensor
    count: tl.tensor
    N: tl.constexpr

    def __init__(self, total, count, N):
        self.total = total
        self.count = count
        self.N = tl.constexpr(N)

    @tw.jit
    def add(self, x):
        return Mean(self.total + x, self.count + 1, self.N)

    @staticmethod
    @tw.jit
    def empty(N: tl.constexpr):
        return Mean(tl.zeros((N,), tl.float32), 0, N)

    @classmethod
    @tw.jit
    def single(cls, x, N: tl.constexpr):
        return cls(x, 1, N)

    @property
    @tw.jit
    def value(self):
        return self.total / self.count

    @tw.constexpr_function
    def width(self, factor=1):
        return self.N * factor

    @tw.jit
    def __add__(self, other):
        return Mean(self.total + other.total, self.count + other.count, self.N)


@tw.jit
def means(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    mean = Mean.empty(N)
    for row in range(n):
        mean = mean.add(tl.load(x + row * N + i))
    if n > 3:
        mean = tl.aggregate_replace(mean, count=mean.count * 2)
    mean = mean + Mean.single(tl.load(x + i), N)
    tl.static_assert(mean.width(2) == 2 * N and mean.N == N)
    tl.static_assert(isinstance(mean, Mean) and hasattr(mean, "total") and not hasattr(mean, "nothing"))
    tl.store(out + i, mean.value)


def test_instances_go_around_loops_and_through_branches(rng):
    for rows, counts in ((2, 3), (5, 11)):
        x = rng.random((rows, 8), np.float32)
        out = np.empty(8, np.float32)
        means[(1,)](x, out, rows, 8)
        np.testing.assert_allclose(out, (x.sum(0) + x[0]) / counts, rtol=1e-5)


@tw.aggregate
class Scaled:
    a: tl.tensor
    K: tl.constexpr = 3

    @tw.jit
    def scaled(self):
        return self.a * self.K


@tw.aggregate
class Pair(Scaled):
    b: tl.int64
    inner: Mean
    rest: tl.tuple = (1, 2)

    @tw.jit
    def total(self, scale=1):
        return (self.scaled() + self.b + self.inner.count + self.rest[1]) * scale


@tw.jit
def nested(n, out):
    pair = Pair(1, b=2, inner=Mean(n, 7, 1))
    tl.static_assert(pair.b.dtype == tl.int64 and pair.K == 3)
    turn = 0
    while turn < 3:
        pair = Pair(a=pair.a + 1, b=pair.b, inner=pair.inner.add(1))
        turn += 1
    tl.store(out, pair.total(scale=2))
    tl.store(out + 1, pair.inner.total)


def test_fields_have_defaults_and_classes_inherit():
    out = np.zeros(2, np.int64)
    nested[(1,)](5, out)
    assert out.tolist() == [(4 * 3 + 2 + 10 + 2) * 2, 8]


@tw.jit
def doubled(x):
    return x * 2


@tw.aggregate
class Chosen:
    x: tl.tensor
    y: tl.tensor

    @tw.jit
    def __init__(self, x, function: tl.constexpr):
        self.x = x
        y = x
        if x > 3:
            y = function(x)
        self.y = y

    @tw.jit
    def __getitem__(self, place: tl.constexpr):
        return self.x if place == 0 else self.y

    @tw.jit
    def __call__(self, factor):
        return self.x * factor

    @tw.jit
    def __lt__(self, other):
        return self.x < other.x

    @tw.jit
    def __neg__(self):
        return -self.x

    @tw.jit
    def __rsub__(self, other):
        return other - self.x



@tw.aggregate
class Derived(Chosen):
    z: tl.tensor

    def __init__(self, x, z):
        super().__init__(x, doubled)
        self.z = z


@tw.jit
def operators(n, out):
    chosen = Chosen(n, doubled)
    tl.store(out, chosen[0])
    tl.store(out + 1, chosen[1])
    tl.store(out + 2, chosen(5))
    tl.store(out + 3, -chosen)
    tl.store(out + 4, 100 - chosen)
    if chosen < Derived(50, 2):
        tl.store(out + 5, Derived(50, 2).y)


def test_classes_define_operators():
    for n in (2, 5, 60):
        out = np.zeros(6, np.int32)
        operators[(1,)](n, out)
        assert out.tolist() == [n, n * 2 if n > 3 else n, n * 5, -n, 100 - n, 100 if n < 50 else 0]


def test_the_methods_of_a_class_are_part_of_a_kernels_identity():
    names = {function.__name__ for function in means._reachable()}
    assert {"means", "add", "empty", "single", "value", "__add__"} <= names
