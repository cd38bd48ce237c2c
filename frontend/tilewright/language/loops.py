"""What `for` runs over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import TileTypeError
from .conversion import static, static_int


class _Loop:
    """What `for` takes in a kernel."""

    if TYPE_CHECKING:
        def __iter__(self) -> Iterator[Any]: ...


class range(_Loop):
    """The integers of a loop: ``range(end)``, ``range(start, end)`` or ``range(start, end, step)``.

    Bounds may be computed by the program; a negative step is a compile-time constant.
    The options ask the compiler to treat the loop in a certain way and do not change
    its meaning.

    Args:
        num_stages: Iterations in flight when loads are overlapped with compute. Loads then run ahead of
            what earlier iterations store through other arguments.
        loop_unroll_factor: Copies of the body in one iteration.
        disallow_acc_multi_buffer: Keep one buffer for an accumulator.
        flatten: Merge the loop with the one around it.
        warp_specialize: Give loads warps of their own, also where the compiler would not by itself. A remark says
            where it cannot.
        disable_licm: Keep what does not change inside the loop.
    """

    __tile_builtin__ = True

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None, num_stages: Any = None,
                 loop_unroll_factor: Any = None, disallow_acc_multi_buffer: Any = False, flatten: Any = False,
                 warp_specialize: Any = False, disable_licm: Any = False) -> None:
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step
        self.options: dict[str, int | bool] = {}
        for name, value in (("num_stages", num_stages), ("loop_unroll_factor", loop_unroll_factor)):
            value = static(value, f"range: {name}")
            if value is not None:
                if static_int(value, f"range: {name}") < 1:
                    raise TileTypeError(f"range: {name} must be at least 1, got {value}")
                self.options[name] = value
        for name, value in (("disallow_acc_multi_buffer", disallow_acc_multi_buffer), ("flatten", flatten),
                            ("warp_specialize", warp_specialize), ("disable_licm", disable_licm)):
            if static(value, f"range: {name}"):
                self.options[name] = True


class static_range(_Loop):
    """The integers of a loop that is written out while compiling; bounds are compile-time constants."""

    __tile_builtin__ = True

    def __init__(self, arg1: Any, arg2: Any = None, step: Any = None) -> None:
        start, end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.start = static_int(start, "static_range: start")
        self.end = static_int(end, "static_range: end")
        self.step = 1 if step is None else static_int(step, "static_range: step")
        if self.step == 0:
            raise TileTypeError("static_range: the step must not be 0")


class condition:
    """The condition of a `while`, with options of the loop."""

    __tile_builtin__ = True

    def __init__(self, arg1: Any, disable_licm: Any = False) -> None:
        self.value = arg1
        self.options = {"disable_licm": True} if static(disable_licm, "condition: disable_licm") else {}
