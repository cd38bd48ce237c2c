"""Random functions with branches, loops and jumps: Python and the compiled kernel give the same."""

from __future__ import annotations

import random
import runpy

import numpy as np
import pytest

HEADER = """import tilewright as tw
import tilewright.language as tl
"""
FOOTER = """

compiled = tw.jit(program)


@tw.jit
def kernel(x, out):
    i = tl.program_id(0)
    a = tl.load(x + 2 * i)
    b = tl.load(x + 2 * i + 1)
    tl.store(out + i, compiled(a, b))
"""
VARIABLES = ["a", "b", "c", "d"]


class Program:
    """Writes one random function; all values stay between 0 and 1023, and every loop ends."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def text(self) -> str:
        lines = ["def program(a, b):", "    c = a ^ 5", "    d = b & 3"]
        for _ in range(5):
            lines += self.statement(1, in_loop=False)
        return "\n".join([*lines, "    return a + 1024 * (b ^ d) + (c & 7)"])

    def expression(self) -> str:
        x, y = self.random.choice(VARIABLES), self.random.choice([*VARIABLES, str(self.random.randrange(50))])
        operator = self.random.choice(["+", "*", "^", "&", "|"])
        choice = f" if {self.condition()} else {self.random.choice(VARIABLES)}" if self.random.random() < 0.2 else ""
        return f"(({x} {operator} {y}){choice}) & 1023"

    def condition(self) -> str:
        x, y = self.random.choice(VARIABLES), self.random.choice([*VARIABLES, str(self.random.randrange(200))])
        simple = f"{x} {self.random.choice(['<', '>', '==', '!=', '<='])} {y}"
        if self.random.random() < 0.2:
            return f"not ({simple}) and {self.random.choice(VARIABLES)} < 300"
        return simple

    def block(self, depth: int, in_loop: bool) -> list[str]:
        return [line for _ in range(self.random.randrange(1, 4)) for line in self.statement(depth, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        indent = "    " * depth
        kind = self.random.random()
        if depth > 4 or kind < 0.4:
            return [f"{indent}{self.random.choice(VARIABLES)} = {self.expression()}"]
        if kind < 0.65:
            lines = [f"{indent}if {self.condition()}:", *self.block(depth + 1, in_loop)]
            if self.random.random() < 0.6:
                lines += [f"{indent}else:", *self.block(depth + 1, in_loop)]
            return lines
        if kind < 0.75 and in_loop:
            return [f"{indent}{self.random.choice(['break', 'continue'])}"]
        if kind < 0.8:
            return [f"{indent}if {self.condition()}:", f"{indent}    return {self.expression()}"]
        return self.loop(depth)

    def loop(self, depth: int) -> list[str]:
        indent, name = "    " * depth, f"i{self.loops}"
        self.loops += 1
        kind = self.random.random()
        bound = self.random.choice([f"{self.random.choice(VARIABLES)} & 7", "5"])
        change = f"{indent}    {self.random.choice(VARIABLES)} += {name}"
        mask = f"{indent}    {' = '.join(VARIABLES[:1])} &= 1023"
        body = [change, *[f"{indent}    {variable} &= 1023" for variable in VARIABLES]]
        if kind < 0.4:
            return [f"{indent}for {name} in range({bound}):", *body, *self.block(depth + 1, True)]
        if kind < 0.6:
            return [f"{indent}for {name} in (0, 3, 5):", *body, *self.block(depth + 1, True)]
        return [f"{indent}{name} = 0", f"{indent}while {name} < ({bound}):", f"{indent}    {name} += 1", mask, *body,
                *self.block(depth + 1, True)]


@pytest.mark.parametrize("part", range(4))
def test_random_programs(tmp_path, rng, part):
    for number in range(6):
        seed = int(rng.integers(2**31))
        path = tmp_path / f"program_{part}_{number}.py"
        path.write_text(HEADER + "\n\n" + Program(seed).text() + FOOTER)
        names = runpy.run_path(str(path))
        x = rng.integers(0, 1024, (50, 2)).astype(np.int32)
        out = np.empty(50, np.int32)
        names["kernel"][(50,)](x, out)
        expected = [names["program"](int(a), int(b)) for a, b in x]
        assert out.tolist() == expected, path.read_text()


def test_programs_are_random():
    assert len({Program(seed).text() for seed in range(20)}) == 20
