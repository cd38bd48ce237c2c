"""`if` and conditional expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ..errors import Note, TileTypeError
from ..language.arithmetic import truth
from ..language.conversion import describe_value
from ..language.loops import condition as loop_condition
from ..language.shapes import item
from ..language.types import describe
from .frame import RESULT
from .jumps import RETURNED, SKIP
from .merging import Merged, describe_flow, filler, merge, mismatch
from .values import Undefined, Value, is_static, tensor, unwrap

if TYPE_CHECKING:
    from .lowering import Lowering


_ABSENT = object()


def has_left(scope: dict[str, Value]) -> bool:
    """Whether a path has returned, or gone on with the next iteration: flags skip what follows."""
    return any((name == RETURNED or name.startswith(SKIP)) and is_static(value) and bool(unwrap(value))
               for name, value in scope.items() if name.startswith("$"))


class Branches:
    """The part of the lowering that writes `if` and conditional expressions."""

    def condition(self: Lowering, node: ast.expr) -> bool | tensor:
        """A condition: a bool where it is known while compiling, else a scalar boolean."""
        value = self.expression(node)
        self.frame.node = node
        if isinstance(value, loop_condition):
            self.loop_options = value.options
            value = value.value
        if is_static(value):
            return bool(unwrap(value))
        if not isinstance(value, tensor):
            raise TileTypeError(f"a condition must be a number or a scalar, got {describe_value(value)}")
        if value.type.is_block():
            if value.numel == 1:
                return item(truth(value))
            raise TileTypeError(
                f"a condition must be one value, got {describe(value.type)}",
                "reduce it first, such as tl.max(x.to(tl.int32)) != 0, or choose by element with tl.where")
        return truth(value)

    # --- branches ---------------------------------------------------------------------------------------
    def if_statement(self: Lowering, node: ast.If) -> None:
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            self.statements(node.body if condition else node.orelse)
            return
        frame, builder = self.frame, self.builder
        frame.node = node
        before = frame.scope
        op = builder.create("scf.if", [condition.handle], [], regions=2)
        blocks, scopes = [], []
        for region, body in zip(op.regions, (node.body, node.orelse), strict=True):
            block = region.blocks.append()
            frame.scope = dict(before)
            with builder.inside(block):
                self.statements(body)
            blocks.append(block)
            scopes.append(frame.scope)
        frame.node = node
        frame.scope = before
        live = node.live_out | {RESULT}  # type: ignore[attr-defined]
        changed = sorted(name for name in (scopes[0].keys() | scopes[1].keys()) & live
                         if scopes[0].get(name, _ABSENT) is not scopes[1].get(name, _ABSENT))
        merged = {name: self.merge_branches(name, node, scopes) for name in changed}
        for name, value in scopes[0].items():
            if scopes[1].get(name, _ABSENT) is value:
                frame.scope[name] = value
        frame.scope.update(self.finish_branches(op, blocks, scopes, merged))

    def merge_branches(self: Lowering, name: str, node: ast.If, scopes: list[dict[str, Value]]) -> Merged | Undefined:
        """The value of a variable after a branch."""
        values = [scope.get(name, _ABSENT) for scope in scopes]
        if name == RESULT:
            values = self.complete_results(values)
            for scope, value in zip(scopes, values, strict=True):
                scope[RESULT] = value
        for path, value in enumerate(values):
            other = values[1 - path]
            left = has_left(scopes[path]) or path == 1 and getattr(node, "skips_rest", False)
            if value is _ABSENT and left and other is not _ABSENT and not isinstance(other, Undefined):
                # Nothing that follows runs on this path: anything of the type will do.
                value = values[path] = scopes[path][name] = filler(other)
            if value is _ABSENT:
                return self.only_on_one_path(name, node, path)
            if isinstance(value, Undefined):
                return value
        merged = merge(*values)
        if merged is not None:
            return merged
        if name == RESULT:
            message = (f"the function returns {describe_flow(values[0])} on one path and "
                       f"{describe_flow(values[1])} on the other")
            raise TileTypeError(message, "all paths must return values of one type and shape")
        definition = self.frame.definitions.get(name)
        notes = [Note("assigned here last", self.frame.position(definition))] if definition is not None else []
        raise TileTypeError(f"{mismatch(name, *values)} of this 'if'",
                            "give it one type and shape on both paths, for example with .to(...)", *notes)

    def complete_results(self: Lowering, values: list[Value]) -> list[Value]:
        """The function's result on both paths of a branch.

        A path without one gives None; where flags say that it follows later, anything
        of its type will do until then.
        """
        missing = None
        if getattr(self.frame.source.tree, "fills_result", False):
            missing = filler(next(value for value in values if value is not _ABSENT))
        return [missing if value is _ABSENT else value for value in values]

    def only_on_one_path(self: Lowering, name: str, node: ast.If, path: int) -> Undefined:
        """What is left of a variable that one branch does not assign; `path` is that branch."""
        has, lacks = ("false", "true") if path == 0 else ("true", "false")
        notes = []
        definition = self.frame.definitions.get(name)
        if definition is not None:
            notes.append(Note(f"assigned here, where the condition is {has}", self.frame.position(definition)))
        notes.append(Note(f"not assigned where the condition is {lacks}: give it a value before the 'if', or in "
                          "both branches", self.frame.position(node.test)))
        return Undefined(f"'{name}' has a value on one path only of the 'if' in line {node.lineno}", tuple(notes))

    def finish_branches(self: Lowering, op: Any, blocks: list[Any], scopes: list[dict[str, Value]],
                        merged: dict[str, Merged | Undefined]) -> dict[str, Value]:
        """End both blocks with what flows out; gives the values after the branch."""
        builder = self.builder
        flowing = {name: each for name, each in merged.items() if isinstance(each, Merged)}
        for block, values in zip(blocks, scopes, strict=True):
            with builder.inside(block):
                operands = [operand for name, each in flowing.items() for operand in each.operands(values[name])]
                builder.create("scf.yield", operands)
        types = [builder.session.ir_type(type) for each in flowing.values() for type in each.flowing()]
        if types:
            old, op = op, builder.create("scf.if", [op.operands[0]], types, regions=2)
            for region, block in zip(op.regions, blocks, strict=True):
                block.append_to(region)
            old.erase()
        results = iter(op.results)
        return {name: each if isinstance(each, Undefined) else each.rebuild(results) for name, each in merged.items()}

    def branch_expression(self: Lowering, node: ast.IfExp, condition: tensor) -> Value:
        """`a if condition else b` with a condition of the program."""
        builder, frame = self.builder, self.frame
        op = builder.create("scf.if", [condition.handle], [], regions=2)
        blocks, scopes = [], []
        before = frame.scope
        for region, part in zip(op.regions, (node.body, node.orelse), strict=True):
            block = region.blocks.append()
            frame.scope = dict(before)
            with builder.inside(block):
                value = self.expression(part)
            blocks.append(block)
            scopes.append({RESULT: value})
        frame.scope = before
        frame.node = node
        merged = merge(scopes[0][RESULT], scopes[1][RESULT])
        if merged is None:
            raise TileTypeError(f"the conditional expression is {describe_flow(scopes[0][RESULT])} on one side and "
                                f"{describe_flow(scopes[1][RESULT])} on the other",
                                "convert one side, for example with .to(...)")
        return self.finish_branches(op, blocks, scopes, {RESULT: merged})[RESULT]
