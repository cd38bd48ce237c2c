"""Kernels between the compiler and the disk: a hit loads without the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tilewright import cache, config, hooks
from tilewright.errors import Note, Position
from tilewright.kernel import CompiledKernel, Metadata, Stages
from tilewright.options import CompileOptions

if TYPE_CHECKING:
    from tilewright.runtime.launch import KernelSource, Specialization


class _Stages(Stages):
    """The stages that were kept; for another one the kernel is compiled again."""

    def __init__(self, target: str, kept: Mapping[str, str | bytes], recompile: Callable[[], CompiledKernel]) -> None:
        super().__init__(target, (), self._make_again, self._locate_again)
        self._kept, self._recompile = kept, recompile
        self._compiled: CompiledKernel | None = None

    def _all(self) -> Mapping[str, str | bytes]:
        if self._compiled is None:
            self._compiled = self._recompile()
            self._names = list(self._compiled.asm)
        return self._compiled.asm

    def _make_again(self, name: str, _: Stages) -> str | bytes:
        return self._all()[name]

    def _locate_again(self, name: str) -> str | bytes:
        stages = self._all()
        assert isinstance(stages, Stages)
        return stages.located(name)

    def __getitem__(self, name: str) -> str | bytes:
        if name in self._kept:
            return self._kept[name]
        self._all()
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        self._all()
        return super().__iter__()

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        if name in self._kept:
            return True
        self._all()
        return super().__contains__(name)


class StoredKernel(CompiledKernel):
    """A compiled kernel that came from the disk."""

    def __init__(self, source: KernelSource, specialization: Specialization, entry: cache.Entry) -> None:
        target: str = entry.metadata["target"]
        vendor = target.partition(":")[0]
        stages = _Stages(vendor, entry.asm, lambda: source.compile_for(specialization))
        super().__init__(source, entry.metadata["name"], target, stages, Metadata(entry.metadata["facts"]),
                         binary_name=_kept_stages(vendor)[-1], arguments={}, options=specialization.options,
                         remarks=[_read_remark(*fields) for fields in entry.metadata["remarks"]])
        del self.arguments
        self._specialization = specialization

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """What the kernel was compiled for."""
        from tilewright.signature import bind_specialization

        return bind_specialization(self.fn, self._specialization)


def obtain(source: KernelSource, specialization: Specialization) -> CompiledKernel:
    """The kernel of a specialization: from the disk, or compiled and kept there."""
    disk = cache.disk_cache()
    source_key = getattr(source, "cache_key", None)
    # Who wants the stages written, or puts others in their place, wants the kernel compiled.
    edited = config.override_dir() is not None or specialization.options.get("ir_override") is not None
    if disk is None or source_key is None or config.dump_dir() is not None or edited:
        return source.compile_for(specialization)
    watch = hooks.Stopwatch()
    vendor = specialization.target.partition(":")[0]
    key = cache.make_key(kind="kernel", source=source_key, specialization=specialization.key,
                         options=repr(CompileOptions.parse(specialization.options, _is_checked(source))),
                         host=_describe_loader(vendor))
    entry = disk.get(key) if key and not config.always_compile() else None
    if entry is not None:
        stored = StoredKernel(source, specialization, entry)
        stored.kept = _Kept(disk, str(key), len(stored.remarks))
        hooks.report_compilation(stored, watch, cache_hit=True)
        return stored
    kernel = source.compile_for(specialization)
    if key is not None:
        _keep(disk, key, kernel)
    return kernel


@dataclass
class _Kept:
    """Where a kernel is kept, and with how many remarks."""

    disk: cache.DiskCache
    key: str
    remarks: int


def _keep(disk: cache.DiskCache, key: str, kernel: CompiledKernel) -> None:
    stages = {name: kernel.asm[name] for name in _kept_stages(kernel.target.partition(":")[0])}
    remarks = list(getattr(kernel, "remarks", ()))  # an assembler's are among them now
    facts = {"name": kernel.name, "target": kernel.target, "facts": dict(kernel.metadata),
             "remarks": [_write_remark(remark) for remark in remarks]}
    disk.put(key, cache.Entry(facts, stages))
    kernel.kept = _Kept(disk, key, len(remarks))


def keep_remarks(kernel: CompiledKernel) -> None:
    """Keep what was said of a kernel since it was put on the disk: a driver's compiler speaks at loading."""
    kept = getattr(kernel, "kept", None)
    if kept is not None and len(getattr(kernel, "remarks", ())) != kept.remarks:
        _keep(kept.disk, kept.key, kernel)


def _write_remark(remark: Note) -> list[Any]:
    place = remark.position
    return [remark.message, remark.severity,
            None if place is None else [place.file, place.line, place.column, place.end, place.text]]


def _read_remark(message: str, severity: str, place: list[Any] | None) -> Note:
    return Note(message, None if place is None else Position(*place), severity)


def _is_checked(source: KernelSource) -> bool:
    return config.debug() or getattr(source, "debug", False)


def _describe_loader(vendor: str) -> str:
    """What a binary depends on beside the compiler: the CPU it is for, or the assembler at hand."""
    if vendor == "cpu":
        from tilewright.runtime.cpu import describe_host

        return describe_host()
    if vendor == "nvidia":
        from tilewright.runtime.nvidia import describe_assembler

        return f"{describe_assembler()} {config.ptxas_options()} {config.line_info()}"
    return ""


def _kept_stages(vendor: str) -> tuple[str, ...]:
    if vendor == "nvidia":
        from tilewright.runtime.nvidia import describe_assembler

        return ("ptx", "cubin") if describe_assembler() else ("ptx",)
    return ("object",) if vendor == "cpu" else ()
