"""`for` and `while`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from ..errors import CompilationError, Note, TileTypeError, UnsupportedLanguageConstruct, list_names
from ..language import types as t
from ..language.arithmetic import add, compare, logical_and, not_, sub
from ..language.conversion import convert, describe_value, static, to_tensor
from ..language.loops import range as loop_range
from ..language.math import maximum
from ..language.promotion import result_type
from ..language.types import dtype
from .frame import RESULT, Frame
from .liveness import assigned, stores
from .merging import Merged, carry, common_type, describe_flow, equal_constants, filler
from .values import Undefined, Value, is_number, is_static, leaf_names, leaves, same_structure, tensor

if TYPE_CHECKING:
    from .lowering import Lowering


class Carried:
    """The variables that a loop changes and that something reads after a change."""

    def __init__(self, frame: Frame, names: Iterable[str]) -> None:
        scope = frame.scope
        self.values = {name: carry(scope[name]) for name in sorted(names)
                       if name in scope and not isinstance(scope[name], Undefined)}
        self.origins = {name: frame.definitions.get(name) for name in self.values}

    def types(self) -> list[dtype]:
        """The types of what flows around the loop."""
        return [type for each in self.values.values() for type in each.flowing()]

    def initial(self) -> list[Any]:
        """The IR's values before the loop."""
        return [operand for each in self.values.values() for operand in each.operands(each.template)]

    def bind(self, scope: dict[str, Value], results: Iterable[Any]) -> None:
        """Give the variables the values of block arguments or results."""
        results = iter(results)
        for name, each in self.values.items():
            scope[name] = each.rebuild(results)


class Loops:
    """The part of the lowering that writes loops."""

    def for_statement(self: Lowering, node: ast.For) -> None:
        if node.orelse:
            raise UnsupportedLanguageConstruct("'else' of a loop is not supported in kernels")
        iterable = self.expression(node.iter)
        if isinstance(iterable, loop_range):
            self.prepare_result(node, lambda: self.range_loop(node, iterable))
            self.frame.node = node.iter
            self.range_loop(node, iterable)
            return
        body = getattr(node, "guarded", node.body)
        for item in self.iterate_static(iterable, node.iter):
            self.assign(node.target, item, keep=True)  # the numbers are constants
            self.statements(body)

    def prepare_result(self: Lowering, node: ast.For | ast.While, lower: Callable[[], None]) -> None:
        """Give the function's result a value before a loop that may return.

        Its type is not known before the loop is lowered: that is done once for nothing.
        """
        frame, builder = self.frame, self.builder
        if not getattr(node, "returns_value", False) or RESULT in frame.scope:
            return
        before = frame.scope
        frame.scope = dict(before)
        trial = builder.create("scf.execute_region", regions=1)
        with builder.inside(trial.regions[0].blocks.append()):
            lower()
        trial.erase()
        frame.scope = before
        if frame.result_example is not None:
            before[RESULT] = filler(frame.result_example)

    # --- bounds -------------------------------------------------------------------------------------------
    def loop_bounds(self: Lowering, loop: loop_range) -> tuple[list[tensor], dtype, bool]:
        """Start, end and step as values of the type the loop counts in; the variable's type; if it counts down."""
        bounds = [loop.start, loop.end, loop.step]
        for name, bound in zip(("start", "end", "step"), bounds, strict=True):
            type = to_tensor(bound).type if isinstance(bound, tensor) or is_number(bound) else None
            if type is None or type.is_block() or not type.is_int():
                raise TileTypeError(f"range: {name} must be a scalar integer, got {describe_value(bound)}")
        variable = self.loop_type(bounds)
        # The loop counts with signed integers; an unsigned variable counts in 64 bits.
        counter = t.int64 if variable.is_int_unsigned() else variable
        down = is_static(loop.step) and static(loop.step, "step") < 0
        if is_static(loop.step) and static(loop.step, "step") == 0:
            raise TileTypeError("range: the step must not be 0")
        start, end, step = (convert(to_tensor(bound), counter) for bound in bounds)
        if step.constant is None:
            step = maximum(step, 1)  # a step that is computed counts up
        return [start, end, step], variable, down

    def loop_type(self: Lowering, bounds: list[Value]) -> dtype:
        type: dtype | None = None
        for bound in bounds:
            if isinstance(bound, tensor):
                type = bound.dtype if type is None else result_type(type, bound.dtype)
        for bound in bounds:
            if is_number(bound):
                number = to_tensor(bound)
                low, high = (0, -1) if type is None else type.range
                if not low <= bound <= high:
                    type = number.dtype if type is None else result_type(type, number.dtype)
        assert type is not None
        return result_type(type, t.int32) if type.primitive_bitwidth < 32 else type  # type: ignore[return-value]

    # --- for ------------------------------------------------------------------------------------------------
    def range_loop(self: Lowering, node: ast.For, loop: loop_range) -> None:
        (start, end, step), variable, down = self.loop_bounds(loop)
        first = start
        if down:
            end, start, step = sub(start, end), convert(to_tensor(0), start.dtype), sub(0, step)
        before = self.frame.scope
        changed = assigned(node.body) & node.live_head  # type: ignore[attr-defined]
        carried = Carried(self.frame, changed - stores(node.target))

        def body(index: tensor) -> None:
            self.assign(node.target, convert(sub(first, index) if down else index, variable))
            self.statements(node.body)

        if hasattr(node, "break_flag"):
            if loop.options:
                raise UnsupportedLanguageConstruct(
                    f"{list_names(loop.options)} is for loops that run to their end, and 'break' may "
                    "leave this one", "drop the options, or mask what 'break' skips")
            results = self.counting_while(node, start, end, step, carried, body)
        else:
            results = self.counting_for(node, loop, start, end, step, carried, body)
        self.leave_loop(node, before, carried, results, changed | stores(node.target))

    def counting_for(self: Lowering, node: ast.For, loop: loop_range, start: tensor, end: tensor, step: tensor,
                     carried: Carried, body: Callable[[tensor], None]) -> Any:
        """A loop that runs to its end."""
        builder = self.builder
        types = [builder.session.ir_type(type) for type in carried.types()]
        op = builder.create("scf.for", [start.handle, end.handle, step.handle, *carried.initial()], types,
                            self.loop_attributes(loop.options), regions=1)
        block = self.append_block(op.regions[0], [builder.session.ir_type(start.type), *types])
        self.frame.scope = dict(self.frame.scope)
        with builder.inside(block):
            index, *arguments = block.arguments
            carried.bind(self.frame.scope, arguments)
            body(tensor(index, start.type))
            builder.create("scf.yield", self.end_iteration(node, carried))
        return op.results

    def counting_while(self: Lowering, node: ast.For, start: tensor, end: tensor, step: tensor, carried: Carried,
                       body: Callable[[tensor], None]) -> Any:
        """A loop that a `break` may leave."""
        builder, frame = self.builder, self.frame
        types = [builder.session.ir_type(type) for type in (start.type, *carried.types())]
        op = builder.create("scf.while", [start.handle, *carried.initial()], types, None, regions=2)
        test, block = (self.append_block(region, types) for region in op.regions)
        frame.scope = dict(frame.scope)
        with builder.inside(test):
            index, *arguments = test.arguments
            carried.bind(frame.scope, arguments)
            left = frame.scope[node.break_flag]  # type: ignore[attr-defined]
            goes_on = logical_and(compare("<", tensor(index, start.type), end), not_(left))
            builder.create("scf.condition", [goes_on.handle, *test.arguments])
        with builder.inside(block):
            index, *arguments = block.arguments
            carried.bind(frame.scope, arguments)
            body(tensor(index, start.type))
            operands = self.end_iteration(node, carried)
            builder.create("scf.yield", [add(tensor(index, start.type), step).handle, *operands])
        return list(op.results)[1:]

    def append_block(self: Lowering, region: Any, types: list[Any]) -> Any:
        """The block of a loop, with arguments."""
        return region.blocks.append(*types, arg_locs=[self.builder.position()] * len(types))

    def loop_attributes(self: Lowering, options: dict[str, int | bool]) -> dict[str, Any]:
        """Options of a loop as attributes."""
        session = self.builder.session
        return {f"tile.{name}": session.unit if value is True else session.integer(value)
                for name, value in options.items()}

    def end_iteration(self: Lowering, node: ast.stmt, carried: Carried) -> list[Any]:
        """The IR's values that the next iteration starts from."""
        operands = []
        for name, each in carried.values.items():
            value = self.frame.scope[name]
            self.check_carried(name, each, value, node, carried.origins.get(name))
            operands += each.operands(value)
        self.frame.node = node
        return operands

    def check_carried(self: Lowering, name: str, each: Merged, value: Value, node: ast.stmt,
                      origin: ast.AST | None) -> None:
        """Refuse a variable that changes its type from one iteration to the next."""
        if isinstance(value, Undefined):
            raise self.undefined(value)
        change = find_change(name, each, value)
        if change is None:
            return
        frame = self.frame
        definition = frame.definitions.get(name, node)
        frame.node = definition
        part, old, new = change
        notes = [] if origin is None else [Note(f"before the loop it is {old}", frame.position(origin))]
        raise TileTypeError(
            f"'{part}' is {old} before the loop and {new} after an iteration",
            "a variable keeps its type and shape around a loop: initialise it with the type it has in the loop, such "
            "as tl.zeros(shape, dtype), or convert it here with .to(...)", *notes)

    def leave_loop(self: Lowering, node: Any, before: dict[str, Value], carried: Carried, results: Any,
                   changed: Iterable[str]) -> None:
        """The names after a loop."""
        frame = self.frame
        frame.scope = before
        carried.bind(before, results)
        targets = stores(node.target) if isinstance(node, ast.For) else ()
        for name in changed:
            if name in carried.values or name not in node.live_out:
                continue
            if isinstance(before.get(name), Undefined):
                continue
            definition = frame.definitions.get(name)
            where = [] if definition is None else [Note("assigned here", frame.position(definition))]
            if name in targets:
                before[name] = Undefined(f"'{name}' is the variable of the loop in line {node.lineno} and has no "
                                         "value after it", (Note("copy it to another variable inside the loop"),))
            elif name not in before:
                before[name] = Undefined(
                    f"'{name}' is assigned inside the loop in line {node.lineno} only, which may not run at all",
                    (*where, Note("give it a value before the loop")))

    # --- while ----------------------------------------------------------------------------------------------
    def while_statement(self: Lowering, node: ast.While) -> None:
        if node.orelse:
            raise UnsupportedLanguageConstruct("'else' of a loop is not supported in kernels")
        self.prepare_result(node, lambda: self.while_loop(node))
        self.frame.node = node
        self.while_loop(node)

    def while_loop(self: Lowering, node: ast.While) -> None:
        builder, frame = self.builder, self.frame
        before = frame.scope
        changed = (assigned(node.body) | stores(node.test)) & node.live_head  # type: ignore[attr-defined]
        carried = Carried(frame, changed)
        types = [builder.session.ir_type(type) for type in carried.types()]
        self.loop_options = {}
        # What the condition gives besides the carried variables is known once it is lowered.
        trial = builder.create("scf.while", carried.initial(), (), None, regions=2)
        test = self.append_block(trial.regions[0], types)
        frame.scope = dict(before)
        with builder.inside(test):
            carried.bind(frame.scope, test.arguments)
            condition = self.condition(node.test)
            if isinstance(condition, bool):
                self.static_while(node, condition, trial, before)
                return
            given = Carried(frame, stores(node.test) - carried.values.keys())
            builder.create("scf.condition", [condition.handle, *self.flowing(carried), *self.flowing(given)])
        types += [builder.session.ir_type(type) for type in given.types()]
        op = builder.create("scf.while", carried.initial(), types, self.loop_attributes(self.loop_options), regions=2)
        test.append_to(op.regions[0])
        trial.erase()
        body = self.append_block(op.regions[1], types)
        with builder.inside(body):
            flowing = iter(body.arguments)
            carried.bind(frame.scope, flowing)
            given.bind(frame.scope, flowing)
            self.statements(node.body)
            builder.create("scf.yield", self.end_iteration(node, carried))
        results = iter(op.results)
        self.leave_loop(node, before, carried, results, changed - given.values.keys())
        given.bind(before, results)

    def flowing(self: Lowering, carried: Carried) -> list[Any]:
        """The IR's values that the variables have now."""
        return [operand for name, each in carried.values.items()
                for operand in each.operands(self.frame.scope[name])]

    def static_while(self: Lowering, node: ast.While, condition: bool, op: Any, before: dict[str, Value]) -> None:
        """A condition that no iteration changes."""
        self.frame.scope = before
        if condition:
            self.frame.node = node.test
            raise CompilationError("the condition of this 'while' is always true: the loop never ends",
                                   "leave it with 'break', or test a variable that the loop changes")
        op.erase()


def find_change(name: str, each: Merged, value: Value) -> tuple[str, str, str] | None:
    """The first part of a variable that an iteration gives another type, and both in a user's words."""
    if not same_structure(each.template, value):
        return name, describe_flow(each.template), describe_flow(value)
    parts = zip(leaf_names(each.template, name), leaves(each.template), leaves(value), each.types, strict=True)
    for part, old, new, type in parts:
        if type is None and not equal_constants(old, new):
            return part, f"the constant {describe_value(old)}", f"the constant {describe_value(new)}"
        if type is not None and not takes(new, type):
            return part, describe_flow(old), describe_flow(new)
    return None


def takes(value: Value, type: dtype) -> bool:
    """Whether a leaf has a type, or is a constant that takes it."""
    if isinstance(value, tensor) and value.type is type:
        return True
    number = value.constant if isinstance(value, tensor) else value if is_number(value) else None
    if number is None:
        return False
    probe = tensor(_PROBE, type)
    return common_type(probe, value) is type


_PROBE = object()

