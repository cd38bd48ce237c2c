"""The command `tilewright`: compile a kernel from the shell, and look at what it became."""

from __future__ import annotations

import argparse
import ast
import importlib
import runpy
import sys
from pathlib import Path
from typing import Any

from . import ahead, cache, config
from .compile import ASSEMBLED, CompiledKernel, compile, targets
from .errors import CompilationError, TargetError, TilewrightError, list_names, suggest
from .jit import JITFunction


def find_kernel(place: str) -> JITFunction:
    """The kernel of `file.py:name`; the name may be left out where the file has one kernel."""
    file, _, name = place.partition(":")
    if not Path(file).is_file():
        raise TargetError(f"there is no file '{file}'")
    folder = str(Path(file).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # where Python looks for what a script imports
    kernels = {key: value for key, value in runpy.run_path(file).items()
               if isinstance(value, JITFunction) and value.source.file == file}
    if not name and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name not in kernels:
        raise TargetError(f"{file} has no kernel '{name}'{suggest(name, kernels)}" if name else
                          f"{file} has {len(kernels)} kernels: say which, {file}:name",
                          f"its kernels are {list_names(kernels)}")
    return kernels[name]


def parse_signature(kernel: JITFunction, entries: list[str]) -> dict[str, Any]:
    """`name=type` and `name=constant`, as `compile` takes them."""
    signature: dict[str, Any] = {}
    constants = {param.name for param in kernel.params if param.is_constexpr}
    for entry in entries:
        name, equals, text = entry.partition("=")
        if not equals:
            raise TargetError(f"'{entry}' is not of the form name=type or name=constant")
        signature[name] = _parse_constant(text) if name in constants else _parse_entry(text)
    return signature


def _parse_constant(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _parse_entry(text: str) -> Any:
    value = _parse_constant(text)
    return text if isinstance(value, str) else value


def compile_kernel(arguments: argparse.Namespace) -> CompiledKernel:
    """The kernel that the command line names."""
    kernel = find_kernel(arguments.kernel)
    options = {name: value for name, value in (("num_warps", arguments.num_warps), ("num_stages", arguments.num_stages))
               if value is not None}
    return compile(kernel, parse_signature(kernel, arguments.signature), target=arguments.target, **options)


def run_compile(arguments: argparse.Namespace) -> None:
    """Write one stage of a kernel, or C source for programs without Python."""
    kernel = compile_kernel(arguments)
    if arguments.c_source:
        sources = ahead.make_sources(kernel, (arguments.grid or "1").split(","), Path(arguments.c_source).name)
        print("\n".join(str(path) for path in sources.write(Path(arguments.c_source))))
        return
    stage = arguments.stage or kernel.binary_name
    if stage not in kernel.asm:
        raise TargetError(f"'{kernel.target}' has no stage '{stage}'{suggest(stage, kernel.asm)}",
                          f"it has {list_names(kernel.asm)}")
    data = kernel.asm[stage]
    raw = data.encode() if isinstance(data, str) else data
    if arguments.output:
        Path(arguments.output).write_bytes(raw)
    else:
        sys.stdout.buffer.write(raw)


def can_assemble(kernel: CompiledKernel) -> bool:
    """Whether an assembler is at hand for what the compiler leaves to one."""
    runtime = importlib.import_module(f"tilewright.runtime.{kernel.asm.target}")
    describe = getattr(runtime, "describe_assembler", None)
    return describe is not None and describe() is not None


def run_explain(arguments: argparse.Namespace) -> None:
    """Show the stages of a kernel, what it needs, and what the passes remarked."""
    kernel = compile_kernel(arguments)
    print(f"{kernel.name} for {kernel.target}")
    assembled = ASSEMBLED if can_assemble(kernel) else {}
    for name, value in kernel.metadata.items():
        print(f"  {name:18} {value}")
    print("stages")
    for name in kernel.asm:
        if name not in ASSEMBLED or name in assembled:
            data = kernel.asm[name]
            size = f"{len(data.splitlines())} lines" if isinstance(data, str) else f"{len(data)} bytes"
            print(f"  {name:18} {size}")
    for remark in kernel.remarks:
        print(remark)


def run_targets(arguments: argparse.Namespace) -> None:
    """List what this build compiles for."""
    for name, architectures in targets().items():
        print(f"{name}: {' '.join(architectures)}")


def run_cache(arguments: argparse.Namespace) -> None:
    """Show or clear the kernels that are kept on disk."""
    disk = cache.disk_cache()
    if disk is None:
        print("the disk cache is turned off (TILEWRIGHT_CACHE=0)")
    elif arguments.clear:
        print(f"{disk.clear()} kernels removed from {config.cache_dir()}")
    else:
        count, size = disk.statistics()
        print(f"{count} kernels, {size} bytes in {config.cache_dir()}")


def run_settings(arguments: argparse.Namespace) -> None:
    """List the environment variables that Tilewright reads."""
    print(config.describe())


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="tilewright", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    for name, function in (("compile", run_compile), ("explain", run_explain), ("targets", run_targets),
                           ("cache", run_cache), ("settings", run_settings)):
        command = commands.add_parser(name, help=function.__doc__, description=function.__doc__)
        command.set_defaults(run=function)
        if name in ("compile", "explain"):
            command.add_argument("kernel", help="file.py:name")
            command.add_argument("signature", nargs="*", help="name=type (x=*fp32, n=i32:16) or name=constant")
            command.add_argument("--target", default="cpu", help="such as cpu; see `tilewright targets`")
            command.add_argument("--num-warps", type=int)
            command.add_argument("--num-stages", type=int)
            command.add_argument("--times", action="store_true", help="print how long each stage took")
        if name == "compile":
            command.add_argument("--stage", help="such as tile or llvm; the binary without it")
            command.add_argument("--c-source", metavar="PREFIX", help="write PREFIX.h, PREFIX.c and what they need")
            command.add_argument("--grid", help="for --c-source: C expressions of the parameters, 'X,Y,Z'")
            command.add_argument("-o", "--output", help="a file; standard output without it")
        if name == "cache":
            command.add_argument("--clear", action="store_true", help="remove all kernels")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run a command; gives the exit status."""
    arguments = make_parser().parse_args(argv)
    before = config.overridden("TILEWRIGHT_TIMES")
    try:
        if getattr(arguments, "times", False):
            config.override("TILEWRIGHT_TIMES", "1")
        arguments.run(arguments)
    except TilewrightError as error:
        prefix = "" if isinstance(error, CompilationError) and error.position else "error: "
        print(f"{prefix}{error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()  # the reader has seen enough
    finally:
        config.override("TILEWRIGHT_TIMES", before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
