"""Runs a recorded kernel: programs one after the other, operations one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ast.frame import Frame
from ..errors import CompilationError, InterpreterError, Position
from .formats import fit
from .memory import AccessError
from .record import Block, Operation, Program, Result

Evaluator = Callable[..., Any]
EVALUATORS: dict[str, Evaluator] = {}


def evaluates(*names: str) -> Callable[[Evaluator], Evaluator]:
    """Let a function evaluate operations: it takes the machine, the operation and the operands' values, and gives
    the result's value, a tuple of several, or None."""
    def register(function: Evaluator) -> Evaluator:
        for name in names:
            EVALUATORS[name] = function
        return function

    return register


class Machine:
    """The state of a run.

    Attributes:
        program_id: The index of the program that runs.
        grid: The number of programs along each axis.
        debugger: Where it may stop.
    """

    def __init__(self, program: Program, arguments: Sequence[Any], grid: tuple[int, int, int], debugger: Any) -> None:
        self.program = program
        self.grid = grid
        self.program_id = (0, 0, 0)
        self.debugger = debugger
        self.values: dict[Result, Any] = {}
        self.arguments = arguments
        self.fixed: dict[Result, Any] = {}
        for result, number in program.constants.items():
            self.fixed[result] = np.broadcast_to(fit(np.asarray(number), result.type), result.type.shape)

    def run(self) -> None:
        """Run all programs of the grid."""
        with np.errstate(all="ignore"):
            for z in range(self.grid[2]):
                for y in range(self.grid[1]):
                    for x in range(self.grid[0]):
                        self.program_id = (x, y, z)
                        self.values = dict(self.fixed)
                        self.run_block(self.program.entry, self.arguments)

    def run_block(self, block: Block, arguments: Sequence[Any]) -> list[Any]:
        """Run a block; gives the values that it ends with."""
        values = self.values
        values.update(zip(block.arguments, arguments, strict=True))
        given: list[Any] = []
        for op in block.operations:
            evaluate = op.evaluate
            if evaluate is None:
                evaluate = op.evaluate = self.find(op)
            operands = [values[operand] for operand in op.operands]
            if evaluate is _ends:
                given = operands
                continue
            try:
                result = evaluate(self, op, *operands)
            except AccessError as error:
                raise self.located(InterpreterError(str(error)), op) from None
            if len(op.results) == 1:
                values[op.results[0]] = result
            elif op.results:
                values.update(zip(op.results, result, strict=True))
        return given

    def find(self, op: Operation) -> Evaluator:
        """What evaluates an operation."""
        found = EVALUATORS.get(op.name)
        if found is None:
            raise self.located(InterpreterError(f"the interpreter cannot run '{op.name}'",
                                                "run the kernel without TILEWRIGHT_INTERPRET"), op)
        return found

    def located(self, error: CompilationError, op: Operation) -> CompilationError:
        """An error with the place of an operation and the program that met it."""
        frame: Frame = op.frame
        saved, frame.node = frame.node, op.node
        frame.locate(error)
        frame.node = saved
        error.attach_note(f"in program {self.program_id} of the grid {self.grid}")
        return error

    @staticmethod
    def position(frame: Frame, node: ast.AST) -> Position:
        """Where in the source a node is."""
        return frame.position(node)


# --- control flow ------------------------------------------------------------------------------------------
@evaluates("scf.yield", "scf.condition", "tile.yield")
def _ends(machine: Machine, op: Operation, *operands: Any) -> None:
    """The end of a block; `run_block` takes its operands."""


@evaluates("scf.if")
def _branch(machine: Machine, op: Operation, condition: Any) -> Any:
    return _only(machine.run_block(op.body(0 if condition else 1), ()))


@evaluates("scf.execute_region")
def _region(machine: Machine, op: Operation) -> Any:
    return _only(machine.run_block(op.body(), ()))


@evaluates("scf.for")
def _count(machine: Machine, op: Operation, start: Any, end: Any, step: Any, *carried: Any) -> Any:
    body = op.body()
    kind = body.arguments[0].type
    given: Sequence[Any] = carried
    for index in range(int(start), int(end), int(step)):
        given = machine.run_block(body, (fit(np.asarray(index), kind), *given))
    return _only(list(given))


@evaluates("scf.while")
def _repeat(machine: Machine, op: Operation, *carried: Any) -> Any:
    given: Sequence[Any] = carried
    while True:
        condition, *passed = machine.run_block(op.body(0), given)
        if not condition:
            return _only(passed)
        given = machine.run_block(op.body(1), passed)


def _only(values: list[Any]) -> Any:
    """Results as an evaluator gives them."""
    return values[0] if len(values) == 1 else tuple(values)
