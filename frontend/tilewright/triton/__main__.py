"""`python -m tilewright.triton script.py …`, `… -m module …` or `… -c code …`."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from types import TracebackType

from tilewright.triton import install

# Where our own frames are, so that a user's line can be told from them.
OUR_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
USAGE = "usage: python -m tilewright.triton (script.py | -m module | -c code) [arguments]"


def main() -> int:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE)
        return 0 if arguments else 2
    install()
    try:
        if arguments[0] == "-m":
            if len(arguments) == 1:
                print(USAGE, file=sys.stderr)
                return 2
            sys.argv = arguments[1:]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        elif arguments[0] == "-c":
            if len(arguments) == 1:
                print(USAGE, file=sys.stderr)
                return 2
            sys.argv = ["-c", *arguments[2:]]
            sys.path.insert(0, "")
            exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})
        else:
            if not os.path.exists(arguments[0]):
                print(f"error: there is no file {arguments[0]}", file=sys.stderr)
                return 2
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except Exception as error:
        return report(error)
    return 0


def report(error: Exception) -> int:
    """Say what went wrong at the user's line, without the frames between it and the cause."""
    from tilewright.errors import TilewrightError

    frame = user_frame(error.__traceback__)
    hint = explain_missing_device(error)
    if isinstance(error, TilewrightError):
        print(error, file=sys.stderr)
        if frame:
            print(f"note: launched at {frame}", file=sys.stderr)
    elif hint and frame:
        print(f"{frame}: error: {hint}", file=sys.stderr)
    else:
        trim_runner_frames(error)
        traceback.print_exception(error)
    return 1


def user_frame(trace: TracebackType | None) -> str:
    """file:line of the innermost frame that belongs to neither a library nor us."""
    found = ""
    for frame, line in traceback.walk_tb(trace):
        name = frame.f_code.co_filename
        foreign = name.startswith("<") or "site-packages" in name or "/lib/python" in name
        if not foreign and not os.path.abspath(name).startswith(OUR_FOLDER + os.sep):
            found = f"{name}:{line}"
    return found


def explain_missing_device(error: Exception) -> str:
    """What to do where the program wants a GPU, or a library, that this machine has not."""
    text = str(error)
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        return ("this program needs PyTorch, which is not installed: install it (pip install torch), or use "
                "numpy arrays, which run on the CPU")
    no_device = ("CUDA" in text or "NVIDIA" in text) and ("not compiled" in text or "no NVIDIA" in text
                                                          or "No CUDA" in text or "driver" in text)
    if isinstance(error, (RuntimeError, AssertionError)) and no_device:
        return (f"this machine has no CUDA device that PyTorch can use ({text.splitlines()[0]}): make the tensors "
                "with device='cpu', or as numpy arrays, and the same kernel runs on the CPU")
    return ""


def trim_runner_frames(error: Exception) -> None:
    """Drop the frames of this runner from a traceback."""
    trace = error.__traceback__
    while trace and ("runpy" in trace.tb_frame.f_code.co_filename
                     or trace.tb_frame.f_code.co_filename == __file__):
        trace = trace.tb_next
    error.__traceback__ = trace


if __name__ == "__main__":
    sys.exit(main())
