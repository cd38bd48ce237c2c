"""Options of one compilation: which there are, their defaults, and where they have an effect."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from . import config
from .errors import TargetError, list_names, suggest

PRECISIONS = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")

Check = Callable[[str, Any], None]


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TargetError(f"option '{name}' must be True or False, got {value!r}")


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TargetError(f"option '{name}' must be a positive integer, got {value!r}")


def _check_power(name: str, value: Any) -> None:
    _check_positive(name, value)
    if value & (value - 1):
        raise TargetError(f"option '{name}' must be a power of two, got {value}")


def _check_warps(name: str, value: Any) -> None:
    _check_positive(name, value)
    if value not in (12, 24) and value & (value - 1):
        raise TargetError(f"option '{name}' must be a power of two, 12 or 24, got {value}")
    if value > 32:
        raise TargetError(f"option '{name}' must be at most 32, got {value}")


def _check_count(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TargetError(f"option '{name}' must be an integer of at least 0, got {value!r}")


def _check_text(name: str, value: Any) -> None:
    if not isinstance(value, str):
        raise TargetError(f"option '{name}' must be a text, got {value!r}")


def _check_precision(name: str, value: Any) -> None:
    if value not in PRECISIONS:
        raise TargetError(f"option '{name}' must be one of {list_names(PRECISIONS)}, got {value!r}")


def _check_absent(reason: str) -> Check:
    def check(name: str, value: Any) -> None:
        if value:
            raise TargetError(f"option '{name}' is not offered: {reason}")

    return check


def _check_libraries(name: str, value: Any) -> None:
    """The peer's programs name NVIDIA's library of functions, which no kernel needs here."""
    others = [library for library in dict(value) if library != "libdevice"]
    if others:
        raise TargetError(f"option '{name}' offers no library but 'libdevice', got {', '.join(map(repr, others))}; "
                          "functions of tl.extra.libdevice need none")


def _option(default: Any, check: Check, **flags: bool) -> Any:
    return field(default=default, metadata={"check": check, **flags})


def _hint(check: Check) -> Any:
    """An option that changes how fast a kernel is, on some targets, and nothing else."""
    return _option(None, check, hint=True)


@dataclass(frozen=True)
class CompileOptions:
    """Options of one compilation.

    Attributes:
        num_warps: Warps of a program: a power of two, 12 or 24.
        num_stages: Iterations of a loop whose loads are under way at once.
        num_ctas: Thread blocks that share a program, on GPUs that have clusters of them: each computes a part of its
            products and of what is stored, and copies a share of what all of them read.
        enable_fp_fusion: Whether a product and a sum may become one rounding.
        debug: Check assertions, and what else is checked only on request, while the kernel runs.
        default_dot_input_precision: How `dot` reads fp32 operands where it does not say.
        launch_cooperative_grid: All programs of the grid run at once, so that they may wait for each other.
        launch_pdl: The kernel may begin while the one before it on its stream still runs.
        ir_override: A file with an edited stage, whose suffix is the stage's name, to go on from.
        maxnreg: Bound of a thread's registers.
        ptx_options: Options for the assembler.
        waves_per_eu: Programs that a processor should hold at once.
        matrix_instr_nonkdim: Side of the matrix instructions to use.
        kpack: Steps of a product to load at once.
        schedule_hint: Name of a way to order instructions.
        sanitize_overflow: With `debug`, whether sums and products of at most 32 bits are checked to fit.
        extern_libs: Without effect: functions of tl.extra.libdevice need no library, and no other is offered.
        instrumentation_mode: Not offered; must be empty.
    """

    num_warps: int = _option(4, _check_warps)
    num_stages: int = _option(3, _check_count)
    num_ctas: int = _option(1, _check_power)
    enable_fp_fusion: bool = _option(True, _check_bool)
    debug: bool = _option(False, _check_bool)
    default_dot_input_precision: str = _option("tf32", _check_precision)
    launch_cooperative_grid: bool = _option(False, _check_bool, target=True)
    launch_pdl: bool = _option(False, _check_bool, hint=True)
    ir_override: str | None = _option(None, _check_text)
    maxnreg: int | None = _hint(_check_positive)
    ptx_options: str | None = _hint(_check_text)
    waves_per_eu: int | None = _hint(_check_count)
    matrix_instr_nonkdim: int | None = _hint(_check_count)
    kpack: int | None = _hint(_check_count)
    schedule_hint: str | None = _hint(_check_text)
    sanitize_overflow: bool = _option(True, _check_bool)
    extern_libs: Any = _option(None, _check_libraries, ignored=True)
    instrumentation_mode: str = _option("", _check_absent("kernels cannot be instrumented"))

    @staticmethod
    def parse(options: Mapping[str, Any], default_debug: bool = False) -> CompileOptions:
        """Options as a user gave them, checked; None stands for the default."""
        known = {each.name: each for each in fields(CompileOptions)}
        given: dict[str, Any] = {}
        for name, value in options.items():
            if name not in known:
                raise TargetError(f"there is no option '{name}'{suggest(name, known)}",
                                  f"options are {list_names(known)}")
            if value is not None:
                known[name].metadata["check"](name, value)
                if not known[name].metadata.get("ignored"):
                    given[name] = value
        defaults = {"debug": default_debug, "enable_fp_fusion": config.fp_fusion(),
                    "default_dot_input_precision": config.dot_precision()}
        chosen = CompileOptions(**{**defaults, **given})
        _check_precision("default_dot_input_precision", chosen.default_dot_input_precision)
        return chosen

    def unused(self, target: str) -> list[str]:
        """Hints that were given and have no effect on a target.

        Raises:
            TargetError: If the target cannot do what an option demands.
        """
        used = options_of(target)
        unused = []
        for each in fields(self):
            if getattr(self, each.name) == each.default or each.name in used:
                continue
            if each.metadata.get("target"):
                raise TargetError(f"option '{each.name}' is not offered for target '{target}'")
            if each.metadata.get("hint"):
                unused.append(each.name)
        return unused


def option_names() -> tuple[str, ...]:
    """The names of all options."""
    return tuple(each.name for each in fields(CompileOptions))


def options_of(target: str) -> frozenset[str]:
    """The options beyond the common ones that a target's runtime takes account of."""
    runtime = importlib.import_module(f"tilewright.runtime.{target}")
    return getattr(runtime, "OPTIONS", frozenset())
