"""Settings from the environment; nothing else in the package reads it.

Each function reads its variable when called, so that a program may set it after the import. A program may
also set a value by `override`, and the drop-in package lets variables of other names stand for ours.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

#: Every variable and what it means; `describe()` prints them.
VARIABLES = {
    "TILEWRIGHT_CACHE": "0 turns the disk cache off (default: on)",
    "TILEWRIGHT_CACHE_DIR": "folder of the disk cache (default: $XDG_CACHE_HOME/tilewright or ~/.cache/tilewright)",
    "TILEWRIGHT_CACHE_SIZE": "upper bound of the disk cache: bytes, or with a suffix K, M, G (default: 4G)",
    "TILEWRIGHT_CACHE_AUTOTUNING": "1 keeps the results of autotuning on disk (default: only where asked for)",
    "TILEWRIGHT_PRINT_AUTOTUNING": "1 prints the time of each configuration tried, and the choice (default: off)",
    "TILEWRIGHT_NUM_THREADS": "threads that run a kernel on the CPU (default: the CPUs this process may use)",
    "TILEWRIGHT_ARCH": "architecture that launches on a GPU compile for: its own or an older one (default: the "
                       "GPU's own)",
    "TILEWRIGHT_PTXAS": "path of the assembler ptxas (default: found on PATH)",
    "TILEWRIGHT_LLVM_OBJDUMP": "path of LLVM 22's llvm-objdump, for the AMD emulator (default: found on PATH)",
    "TILEWRIGHT_DEBUG": "1 makes debug=True the default of kernels: device asserts are checked (default: off)",
    "TILEWRIGHT_DUMP": "folder that receives every stage of every kernel compiled (default: none)",
    "TILEWRIGHT_OVERRIDE": "folder with edited stages, <kernel>.<stage>, that take the place of what would be "
                           "compiled (default: none)",
    "TILEWRIGHT_ALWAYS_COMPILE": "1 compiles kernels even where the disk cache has them (default: off)",
    "TILEWRIGHT_INTERPRET": "1 interprets kernels by numpy: they stop at breakpoint(), and every access is checked "
                            "(default: off)",
    "TILEWRIGHT_FP_FUSION": "0 makes enable_fp_fusion=False the default of kernels (default: on)",
    "TILEWRIGHT_DOT_PRECISION": "how tl.dot reads fp32 operands where it does not say (default: tf32)",
    "TILEWRIGHT_PLAIN_GLOBALS": "1 lets kernels read module variables that are not constexpr (default: off)",
    "TILEWRIGHT_TRACEBACK": "1 leaves the compiler's own frames in the tracebacks of errors (default: off)",
    "TILEWRIGHT_PTXAS_OPTIONS": "further options for the assembler of PTX (default: none)",
    "TILEWRIGHT_LINE_INFO": "1 lets PTX say which lines of the source it comes from, for profilers (default: off)",
    "TILEWRIGHT_REMARKS": "1 prints what passes and assemblers remark on each kernel that is loaded (default: off)",
    "TILEWRIGHT_TIMES": "1 prints how long each stage of each compilation took (default: off)",
}

#: What stands for a variable of ours where it is not set.
_sources: dict[str, list[Callable[[], str | None]]] = {}
#: Values that were set by the program itself, by the name of a variable of either kind.
_overrides: dict[str, str] = {}


def adopt(name: str, source: Callable[[], str | None]) -> None:
    """Let what a function gives stand for a variable of ours where that is not set."""
    assert name in VARIABLES, f"{name} is not described"
    _sources.setdefault(name, []).append(source)


def override(variable: str, text: str | None) -> None:
    """Set a variable's text for this process, whatever the environment says; None ends that."""
    if text is None:
        _overrides.pop(variable, None)
    else:
        _overrides[variable] = text


def overridden(variable: str) -> str | None:
    """The text that this process has set a variable to."""
    return _overrides.get(variable)


def raw(variable: str) -> str | None:
    """A variable's text, of this process or of the environment; None if it is empty."""
    return _overrides.get(variable, os.environ.get(variable)) or None


def _text(name: str) -> str | None:
    assert name in VARIABLES, f"{name} is not described"
    text = raw(name)
    if text is not None:
        return text
    return next((text for source in _sources.get(name, ()) if (text := source())), None)


def _flag(name: str, default: bool) -> bool:
    text = _text(name)
    if text is None:
        return default
    lowered = text.strip().lower()
    if lowered in ("1", "true", "yes", "on", "y"):
        return True
    if lowered in ("0", "false", "no", "off", "n"):
        return False
    raise ValueError(f"{name}={text!r}: expected 0 or 1")


def _bytes(name: str, default: int) -> int:
    text = _text(name)
    if text is None:
        return default
    number, suffix = text.strip(), 1
    if number and number[-1].upper() in "KMG":
        suffix = 1024 ** (1 + "KMG".index(number[-1].upper()))
        number = number[:-1]
    if not number.isdigit():
        raise ValueError(f"{name}={text!r}: expected a number of bytes, or one with K, M or G")
    return int(number) * suffix


def cache_enabled() -> bool:
    """Whether compiled kernels are kept on disk."""
    return _flag("TILEWRIGHT_CACHE", True)


def cache_dir() -> Path:
    """Folder of the disk cache; it may not exist yet."""
    folder = _text("TILEWRIGHT_CACHE_DIR")
    if folder:
        return Path(folder).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path("~/.cache").expanduser()) / "tilewright"


def cache_size() -> int:
    """Upper bound of the disk cache in bytes."""
    return _bytes("TILEWRIGHT_CACHE_SIZE", 4 * 1024**3)


def cache_autotuning() -> bool:
    """Whether results of autotuning are kept on disk even where the decorator does not ask for it."""
    return _flag("TILEWRIGHT_CACHE_AUTOTUNING", False)


def print_autotuning() -> bool:
    """Whether the autotuner says what it measured."""
    return _flag("TILEWRIGHT_PRINT_AUTOTUNING", False)


def num_threads() -> int | None:
    """Threads for kernels on the CPU; None where the variable is not set."""
    text = _text("TILEWRIGHT_NUM_THREADS")
    if text is None:
        return None
    if not text.strip().isdigit() or int(text) < 1:
        raise ValueError(f"TILEWRIGHT_NUM_THREADS={text!r}: expected a number of at least 1")
    return int(text)


def architecture() -> str | None:
    """What launches on a GPU compile for, where it is not the GPU's own architecture."""
    return _text("TILEWRIGHT_ARCH")


def ptxas() -> str | None:
    """Path of ptxas, where set."""
    return _text("TILEWRIGHT_PTXAS")


def cuda_toolkits() -> list[Path]:
    """Folders of NVIDIA's toolkit: those that its own variables name, and where it installs itself."""
    named = [os.environ.get(variable) for variable in ("CUDA_HOME", "CUDA_PATH")]
    return [Path(folder) for folder in (*named, "/usr/local/cuda") if folder]


def llvm_objdump() -> str | None:
    """Path of llvm-objdump, where set."""
    return _text("TILEWRIGHT_LLVM_OBJDUMP")


def debug_is_asked() -> bool:
    """Whether kernels shall check themselves, interpreted or not."""
    return _flag("TILEWRIGHT_DEBUG", False)


def debug() -> bool:
    """The default of the option `debug`."""
    return debug_is_asked() or interpret()


def dump_dir() -> Path | None:
    """Folder for the stages of every kernel compiled."""
    folder = _text("TILEWRIGHT_DUMP")
    return Path(folder).expanduser() if folder else None


def override_dir() -> Path | None:
    """Folder with edited stages."""
    folder = _text("TILEWRIGHT_OVERRIDE")
    return Path(folder).expanduser() if folder else None


def always_compile() -> bool:
    """Whether kernels on disk are compiled again."""
    return _flag("TILEWRIGHT_ALWAYS_COMPILE", False)


def interpret() -> bool:
    """Whether kernels run on the CPU with every check."""
    return _flag("TILEWRIGHT_INTERPRET", False)


def fp_fusion() -> bool:
    """The default of the option `enable_fp_fusion`."""
    return _flag("TILEWRIGHT_FP_FUSION", True)


def dot_precision() -> str:
    """The default of the option `default_dot_input_precision`."""
    return _text("TILEWRIGHT_DOT_PRECISION") or "tf32"


def plain_globals() -> bool:
    """Whether kernels may read variables of their module that are not marked constant."""
    return _flag("TILEWRIGHT_PLAIN_GLOBALS", False)


def full_traceback() -> bool:
    """Whether errors of compilation keep the compiler's own frames."""
    return _flag("TILEWRIGHT_TRACEBACK", False)


def ptxas_options() -> list[str]:
    """Further options for the assembler of PTX."""
    return (_text("TILEWRIGHT_PTXAS_OPTIONS") or "").split()


def line_info() -> bool:
    """Whether assembly text says which lines of the source it comes from."""
    return _flag("TILEWRIGHT_LINE_INFO", False)


def print_remarks() -> bool:
    """Whether remarks on kernels are printed."""
    return _flag("TILEWRIGHT_REMARKS", False)


def print_times() -> bool:
    """Whether the times of compilations are printed, stage by stage."""
    return _flag("TILEWRIGHT_TIMES", False)


def describe() -> str:
    """The variables with their meaning, a line each."""
    width = max(map(len, VARIABLES))
    return "\n".join(f"{name:{width}}  {meaning}" for name, meaning in VARIABLES.items())
