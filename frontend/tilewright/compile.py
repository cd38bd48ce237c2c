"""`compile`: from a kernel and a signature to every stage down to the binary, without a device."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from . import config, hooks
from .ast.builder import BuildOptions, drop_session, session
from .ast.module import Argument, build_module, flatten
from .errors import CompilationError, LoweringError, Note, Position, TargetError, list_names, suggest
from .jit import JITFunction
from .kernel import ASSEMBLED, CompiledKernel, Metadata, Stages
from .launch_facts import read_descriptors
from .options import CompileOptions
from .remarks import add_advice
from .signature import TargetInfo, bind_signature, bind_specialization, known_targets, parse_target

SOURCE_STAGE = "tile"
LAST_STAGE = "llvm"


class _Pipeline:
    """One compilation: the module at stage `tile`, and how to take it to any later stage."""

    def __init__(self, fn: JITFunction, bytecode: bytes, target: str, arch: str, options: CompileOptions,
                 times: hooks.CompileTimes | None = None) -> None:
        self.fn = fn
        self.bytecode = bytecode
        self.target = target
        self.arch = arch
        self.options = options
        self.info: TargetInfo = known_targets()[target]
        self.replaced: dict[str, str | bytes] = {}
        self.times = times or hooks.CompileTimes()
        self.remarks: list[Note] = []

    def names(self) -> list[str]:
        """All stages and artifacts in order."""
        names = [SOURCE_STAGE, *self.info.stages, *self.info.artifacts]
        return names + [made for made, source in ASSEMBLED.items() if source in names and made not in names]

    def native_options(self) -> dict[str, Any]:
        options = self.options
        return {"num_warps": options.num_warps, "num_stages": max(1, options.num_stages),
                "num_ctas": options.num_ctas, "fp_fusion": options.enable_fp_fusion}

    def replace(self, stage: str, data: bytes, origin: Path) -> None:
        """Go on from an edited stage instead of what the passes give."""
        if stage not in self.names():
            raise TargetError(f"{origin}: target '{self.target}' has no stage '{stage}'{suggest(stage, self.names())}",
                              f"a file's suffix is the name of its stage: {list_names(self.names())}")
        self.replaced[stage] = present(data)

    def begin(self, stage: str) -> tuple[Any, str]:
        """A module to reach a stage from, anew: at `tile`, or at the last edited stage before."""
        current = session()
        order = [SOURCE_STAGE, *self.info.stages]
        edited = [name for name in order[:order.index(stage) + 1] if name in self.replaced]
        with current.context:
            return (current.ir.Module.parse(self.replaced[edited[-1]] if edited else self.bytecode),
                    edited[-1] if edited else SOURCE_STAGE)

    def steps(self, start: str) -> list[str]:
        """The stages to lower to from one, in order: all in one step, unless somebody asks for the time of each."""
        order = [SOURCE_STAGE, *self.info.stages]
        return order[order.index(start) + 1:] if config.print_times() else [LAST_STAGE]

    def lower(self, module: Any, stage: str, start: str = SOURCE_STAGE) -> list[tuple]:
        """Take a module from one stage to another, in place; gives what the passes remarked."""
        if stage == start:
            return []
        from .mlir._mlir_libs import _tileNative

        reproducer = self.reproducer()
        reproducer.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _tileNative.lower(module, self.target, self.arch, start, stage,
                                     reproducer=str(reproducer), **self.native_options())
        except _tileNative.CompileFailure as failure:
            drop_session()
            raise describe_failure(self.fn, failure.args[0], reproducer) from None

    def emit(self, module: Any, artifact: str, line_info: bool = False) -> bytes:
        """An artifact from a module at stage `llvm`."""
        from .mlir._mlir_libs import _tileNative

        try:
            return _tileNative.emit(module, self.target, self.arch, artifact,
                                    line_info=line_info or config.line_info(),
                                    max_registers=self.options.maxnreg or 0, **self.native_options())
        except _tileNative.CompileFailure as failure:
            drop_session()
            raise describe_failure(self.fn, failure.args[0], None) from None

    def reproducer(self) -> Path:
        """Where a failing pass leaves its input; the name depends on the kernel alone."""
        folder = config.dump_dir() or config.cache_dir() / "reproducers"
        digest = hashlib.sha256(self.bytecode + repr((self.target, self.arch, self.options)).encode()).hexdigest()
        return folder / f"{self.fn.__name__}-{digest[:16]}.mlir"

    def locate(self, name: str) -> str | bytes:
        """The text of a stage with the user's line for every operation; an artifact's, where it can say so."""
        module, is_artifact = self.reach(name)
        if is_artifact:
            return self.replaced.get(name) or present(self.emit(module, name, line_info=True))
        return module.operation.get_asm(enable_debug_info=True)

    def make(self, name: str, stages: Stages) -> str | bytes:
        """The text of a stage, or the text or bytes of an artifact; what it is made from is among the stages."""
        if name in self.replaced:
            return self.replaced[name]
        if name in ASSEMBLED and name not in self.info.artifacts:
            return self.assemble(name, stages)
        module, is_artifact = self.reach(name)
        return present(self.emit(module, name)) if is_artifact else str(module)

    def reach(self, name: str) -> tuple[Any, bool]:
        """A module at a stage, or at the one that an artifact is made from; and which of them it is."""
        is_artifact = name in self.info.artifacts
        stage = LAST_STAGE if is_artifact else name
        module, start = self.begin(stage)
        self.lower(module, stage, start)
        return module, is_artifact

    def assemble(self, name: str, stages: Stages) -> bytes:
        """What the target's runtime assembles."""
        runtime = importlib.import_module(f"tilewright.runtime.{self.target}")
        assemble = getattr(runtime, "assemble", None)
        if assemble is None:
            raise TargetError(f"this installation cannot assemble a '{name}'",
                              f"use .asm['{ASSEMBLED[name]}']: a driver assembles it when it is loaded")
        source = stages[ASSEMBLED[name]]
        watch = hooks.Stopwatch(self.times)
        assembly = assemble(source, self.arch, self.options)
        hooks.print_times(f"{self.fn.__name__} for {self.target}:{self.arch}", [(name, watch.lap(name))])
        add_advice(self.remarks, assembly.advice, self.fn, stages)
        return assembly.cubin


def present(data: bytes) -> str | bytes:
    """Text where an artifact is text."""
    if b"\0" in data:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def targets() -> dict[str, list[str]]:
    """The targets of this build with their architectures, the default one first."""
    return {name: list(info.architectures) for name, info in known_targets().items()}


def compile(fn: JITFunction, signature: Mapping[str, Any], target: str = "cpu", **options: Any) -> CompiledKernel:
    """Compile a kernel; needs no device, driver or other compiler.

    Args:
        fn: A function decorated with `jit`.
        signature: For each parameter its type, such as ``"*fp32"`` or ``"i32"``, or the value of a
            constant. ``":16"`` after a type promises divisibility by 16, ``"i32:1"`` is the constant 1.
        target: One of `targets`, such as ``"cpu"``, with an architecture after a colon.
        options: ``num_warps``, ``num_stages`` and others: see `CompileOptions`.

    Raises:
        CompilationError: With the place in the source, what is wrong, and what to do.
    """
    if not isinstance(fn, JITFunction):
        raise TargetError(f"compile: expects a function decorated with @jit, got {fn!r}")
    try:
        return _compile(fn, bind_signature(fn, signature), target, options)
    except CompilationError as error:
        raise _shorten(error) from None


def compile_arguments(fn: JITFunction, arguments: dict[str, Any], target: str, options: Mapping[str, Any],
                      name: str | None = None) -> CompiledKernel:
    """Compile for arguments that are bound already: `Argument`s, constants, and tuples of these; the symbol
    may have another name than the function."""
    try:
        return _compile(fn, arguments, target, options, name)
    except CompilationError as error:
        raise _shorten(error) from None


def compile_specialization(fn: JITFunction, specialization: Any) -> CompiledKernel:
    """Compile what a launch asks for."""
    try:
        return _compile(fn, bind_specialization(fn, specialization), specialization.target, specialization.options,
                        is_launched=True)
    except CompilationError as error:
        raise _shorten(error) from None


def _shorten(error: CompilationError) -> CompilationError:
    """Without the compiler's own frames: the error tells the place in the kernel."""
    return error if config.full_traceback() else error.with_traceback(None)


def lower_specialization(fn: JITFunction, specialization: Any, stage: str) -> tuple[dict[str, Any], str | bytes]:
    """What a launch would be compiled for, and the text of a stage of it with the user's lines."""
    arguments = bind_specialization(fn, specialization)
    options = CompileOptions.parse(specialization.options, fn.debug or config.debug())
    target, arch = parse_target(specialization.target)
    pipeline, _, _ = _begin(fn, arguments, target, arch, options, kernel_name(fn, arguments))
    return arguments, pipeline.locate(stage)


def _begin(fn: JITFunction, arguments: dict[str, Any], target: str, arch: str, options: CompileOptions, name: str,
           is_launched: bool = False, times: hooks.CompileTimes | None = None) -> tuple[_Pipeline, Any, BuildOptions]:
    """The module at stage `tile`, and what takes it further."""
    build_options = BuildOptions(fp_fusion=options.enable_fp_fusion, debug=options.debug, target=target, arch=arch,
                                 input_precision=options.default_dot_input_precision, num_warps=options.num_warps,
                                 byte_floats=known_targets()[target].byte_floats[arch],
                                 sanitize_overflow=options.debug and options.sanitize_overflow,
                                 # Only the launcher tells a kernel where its arrays end.
                                 check_bounds=options.debug and is_launched and target == "cpu")
    module = build_module(fn, arguments, build_options, name)
    pipeline = _Pipeline(fn, to_bytecode(module), target, arch, options, times)
    _read_edited_stages(pipeline, name)
    return pipeline, module, build_options


def _compile(fn: JITFunction, arguments: dict[str, Any], target: str, given: Mapping[str, Any],
             symbol: str | None = None, is_launched: bool = False) -> CompiledKernel:
    watch = hooks.Stopwatch()
    options = CompileOptions.parse(given, fn.debug or config.debug())
    target_name, arch = parse_target(target)
    name = symbol or kernel_name(fn, arguments)
    pipeline, module, build_options = _begin(fn, arguments, target_name, arch, options, name, is_launched, watch.times)
    pipeline.remarks += [Note(f"option '{option}' has no effect on target '{target_name}'", severity="remark")
                         for option in options.unused(target_name)]
    watch.lap("ir_initialization")
    start = SOURCE_STAGE
    if pipeline.replaced:
        module, start = pipeline.begin(LAST_STAGE)
    for stage in pipeline.steps(start):
        pipeline.remarks += [Note(message, locate(fn, file, line, column), severity)
                             for severity, message, file, line, column, _ in pipeline.lower(module, stage, start)]
        watch.lap(stage)
        start = stage
    kernel = CompiledKernel(
        fn, name, f"{target_name}:{arch}", Stages(target_name, pipeline.names(), pipeline.make, pipeline.locate),
        make_metadata(name, pipeline, flatten(tuple(arguments.values())), module, build_options.check_bounds),
        binary_name=pipeline.info.artifacts[-1], arguments=arguments, options=given,
        remarks=pipeline.remarks, times=watch.times)
    binary = pipeline.replaced.get(kernel.binary_name)
    kernel.asm.made[kernel.binary_name] = binary or present(pipeline.emit(module, kernel.binary_name))
    watch.lap(kernel.binary_name)
    dump(kernel)
    hooks.print_times(f"{fn.__name__} for {kernel.target}",
                      [("ir", watch.times.ir_initialization), *watch.times.lowering_stages])
    hooks.report_compilation(kernel, watch)
    return kernel


def _read_edited_stages(pipeline: _Pipeline, name: str) -> None:
    """Take what `TILEWRIGHT_OVERRIDE` and the option `ir_override` put in place of stages."""
    folder = config.override_dir()
    if folder is not None:
        for place in (folder, folder / f"{name}-{pipeline.target}-{pipeline.arch}"):
            for stage in pipeline.names():
                file = place / f"{name}.{stage}"
                if file.is_file():
                    pipeline.replace(stage, file.read_bytes(), file)
    if pipeline.options.ir_override is not None:
        file = Path(pipeline.options.ir_override)
        if not file.is_file():
            raise TargetError(f"ir_override: there is no file '{file}'")
        pipeline.replace(file.suffix.removeprefix("."), file.read_bytes(), file)


def kernel_name(fn: JITFunction, arguments: Mapping[str, Any]) -> str:
    """The kernel's symbol."""
    if fn.repr is None:
        return fn.__name__
    constants = {name: value for name, value in arguments.items() if not flatten(value)}
    signature = {name: value.spelling for name, value in arguments.items() if isinstance(value, Argument)}
    return str(fn.repr(SimpleNamespace(name=fn.__name__, fn=fn, signature=signature, constants=constants)))


def to_bytecode(module: Any) -> bytes:
    """A module with its locations, to be read again."""
    from io import BytesIO

    buffer = BytesIO()
    module.operation.write_bytecode(buffer)
    return buffer.getvalue()


def make_metadata(name: str, pipeline: _Pipeline, passed: list[Argument], module: Any,
                  checks_bounds: bool) -> Metadata:
    """Facts of the kernel, some of which the lowering left on the module."""
    attributes = module.operation.attributes

    def fact(key: str) -> int:
        return attributes[key].value if key in attributes else 0

    options = pipeline.options
    return Metadata(
        name=name, target=pipeline.target, arch=pipeline.arch, num_warps=options.num_warps,
        num_stages=options.num_stages, num_ctas=options.num_ctas, enable_fp_fusion=options.enable_fp_fusion,
        debug=options.debug, checks_bounds=checks_bounds, maxnreg=options.maxnreg, launch_pdl=options.launch_pdl,
        launch_cooperative_grid=options.launch_cooperative_grid,
        shared_bytes=fact("tile.shared_bytes"), scratch_bytes=fact("tile.scratch_bytes"),
        # Where a program has roles, its launch has more warps than the program asked for.
        launch_warps=fact("tile.launch_warps") or options.num_warps, descriptors=read_descriptors(attributes),
        launch_grid="tile.launch_grid" in attributes,
        arguments=[argument.spelling for argument in passed],
        divisibility=[argument.divisibility for argument in passed])


def dump(kernel: CompiledKernel) -> None:
    """Write every stage where `TILEWRIGHT_DUMP` says."""
    folder = config.dump_dir()
    if folder is None:
        return
    folder = folder / f"{kernel.name}-{kernel.target.replace(':', '-')}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in kernel.asm:
        if name in ASSEMBLED:
            continue  # what is assembled needs more than this package
        data = kernel.asm[name]
        (folder / f"{kernel.name}.{name}").write_bytes(data.encode() if isinstance(data, str) else data)


# --- failures of passes ----------------------------------------------------------------------------
def describe_failure(fn: JITFunction, diagnostics: list[tuple], reproducer: Path | None) -> CompilationError:
    """One error from what the passes reported."""
    errors = [entry for entry in diagnostics if entry[0] == "error"] or diagnostics
    if not errors:
        return LoweringError(f"'{fn.__name__}': the compiler failed without a message")
    _, message, file, line, column, notes = errors[0]
    kernel = fn.source.position(fn.source.tree)
    error = LoweringError(message, position=locate(fn, file, line, column) or kernel)
    for note in notes:
        error.attach_note(note[1], locate(fn, *note[2:5]))
    if not any(fn.source.find(*place) for place in [(file, line, column), *(note[2:5] for note in notes)]):
        error.attach_note(f"while compiling '{fn.__name__}'", kernel)
    if reproducer is not None and reproducer.exists():
        error.report.notes.append(Note(f"the kernel as the failing pass got it: {reproducer} "
                                       "(tile-opt --run-reproducer shows it again)"))
    return error


def locate(fn: JITFunction, file: str, line: int, column: int) -> Position | None:
    """A place that a pass reported, with the range of the expression that begins there."""
    if not file:
        return None
    for function in fn._reachable():
        found = function.source.find(file, line, column)
        if found is not None:
            return found
    return Position(file, line, column, column + 1)
