"""From a kernel and the types of its arguments to a module at stage `tile`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import CompilationError, InternalError
from ..language.descriptors import tensor_descriptor
from ..language.types import dtype, tensor_descriptor_type
from .builder import Builder, BuildOptions, Session, building, current, drop_session, session
from .lowering import Lowering
from .values import Value, tensor


@dataclass(frozen=True)
class Argument:
    """An argument that is passed when the kernel is launched."""

    type: dtype
    divisibility: int = 1
    value: int | None = None
    """What it is, where that is known."""

    @property
    def spelling(self) -> str:
        """The type as a signature spells it."""
        return self.type.short


def flatten(value: Any) -> list[Argument]:
    """The arguments that are passed, in order: constants are not, tuples are taken apart."""
    if isinstance(value, Argument):
        return [value]
    if isinstance(value, tuple):
        return [each for item in value for each in flatten(item)]
    return []


def build_module(function: Any, arguments: Mapping[str, Any], options: BuildOptions, name: str | None = None) -> Any:
    """The kernel as an `ir.Module`.

    Args:
        function: The `JITFunction`.
        arguments: For each parameter an `Argument`, a compile-time constant, or a tuple of these.
        options: What of the compilation shows in the IR.
        name: The kernel's symbol; the function's name without it.

    Raises:
        CompilationError: With the place in the source.
    """
    current = session()
    current.modules += 1
    builder = Builder(current, options)
    lowering = Lowering(builder, function)
    try:
        with building(builder):
            module, entry = _declare(builder, lowering, arguments, name or function.__name__)
            values = iter(entry.arguments)
            lowering.run({key: _bind(value, values) for key, value in arguments.items()})
            builder.create("func.return")
            return module
    except CompilationError as error:
        lowering.frame.locate(error)
        raise error.with_traceback(None) from None
    except RecursionError:
        error = CompilationError("the kernel nests too deeply")
        lowering.frame.locate(error)
        raise error from None
    except Exception as cause:
        internal = InternalError(f"internal error: {type(cause).__name__}: {cause}",
                                 "this is a defect of Tilewright: please report it with the kernel")
        lowering.frame.locate(internal)
        drop_session()
        raise internal from cause


def _declare(builder: Builder, lowering: Lowering, arguments: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    """A module with the kernel's empty function, at whose start the builder stands."""
    ir, current = builder.ir, builder.session
    passed = flatten(tuple(arguments.values()))
    location = lowering.frame.location()
    module = ir.Module.create(location)
    for argument in passed:
        builder.options.require_available(argument.type)
    places = [location] * len(passed)
    if builder.options.check_bounds:
        module.operation.attributes["tile.check_bounds"] = current.unit
        names = [key for key, value in arguments.items() for _ in flatten(value)]
        places = [ir.Location.name(key, location) for key in names]
    types = [current.ir_type(argument.type) for argument in passed]
    attributes = {
        "sym_name": current.string(name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
        "tile.kernel": current.unit,
    }
    promises = [_describe_argument(current, argument) for argument in passed]
    if any(promises):
        attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(each) for each in promises])
    point = ir.InsertionPoint(module.body)
    kernel = ir.Operation.create("func.func", (), (), attributes, None, 1, location, point)
    entry = kernel.regions[0].blocks.append(*types, arg_locs=places)
    builder.start(entry)
    return module, entry


def _describe_argument(current: Session, argument: Argument) -> dict[str, Any]:
    """What is promised of an argument, as attributes."""
    promises = {}
    if argument.divisibility > 1:
        promises["tile.divisibility"] = current.integer(argument.divisibility)
    if argument.type.is_const():
        promises["tile.read_only"] = current.unit
    return promises


def _bind(value: Any, values: Any) -> Value:
    """A parameter's value: the next arguments of the function, or a constant."""
    if isinstance(value, Argument):
        passed = tensor(next(values), value.type)
        if value.value is not None:
            return tensor(current().constant(value.type, value.value), value.type)
        return tensor_descriptor(passed) if isinstance(value.type, tensor_descriptor_type) else passed
    if isinstance(value, tuple):
        items = [_bind(item, values) for item in value]
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    return value


