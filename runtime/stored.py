"""Kernels between the compiler and the disk: a hit loads without the compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from tilewright import cache, config

if TYPE_CHECKING:
    from tilewright.runtime.launch import CompiledKernel, KernelSource, Specialization


class _Stages(Mapping[str, "str | bytes"]):
    """The stages that were kept; for another one the kernel is compiled again."""

    def __init__(self, kept: Mapping[str, str | bytes], recompile: Callable[[], CompiledKernel]) -> None:
        self._kept, self._recompile = kept, recompile
        self._compiled: CompiledKernel | None = None

    def _all(self) -> Mapping[str, str | bytes]:
        if self._compiled is None:
            self._compiled = self._recompile()
        return self._compiled.asm

    def __getitem__(self, name: str) -> str | bytes:
        return self._kept[name] if name in self._kept else self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class StoredKernel:
    """A compiled kernel that came from the disk.

    Attributes:
        fn: The function it was compiled from.
        name: Its symbol.
        target: What it was compiled for.
        asm: Every stage by its name.
        metadata: Facts of the kernel.
    """

    def __init__(self, source: KernelSource, specialization: Specialization, entry: cache.Entry) -> None:
        from tilewright.compile import Metadata

        self.fn = source
        self.name: str = entry.metadata["name"]
        self.target: str = entry.metadata["target"]
        self.metadata = Metadata(entry.metadata["facts"])
        self.asm = _Stages(entry.asm, lambda: source.compile_for(specialization))

    def __repr__(self) -> str:
        return f"<kernel {self.name} for {self.target}>"


def obtain(source: KernelSource, specialization: Specialization) -> CompiledKernel:
    """The kernel of a specialization: from the disk, or compiled and kept there."""
    disk = cache.disk_cache()
    source_key = getattr(source, "cache_key", None)
    # Who wants the stages written wants the kernel compiled.
    if disk is None or source_key is None or config.dump_dir() is not None:
        return source.compile_for(specialization)
    vendor = specialization.target.partition(":")[0]
    key = cache.make_key(kind="kernel", source=source_key, specialization=specialization.key,
                         debug=config.debug() or getattr(source, "debug", False), host=_describe_loader(vendor))
    entry = disk.get(key) if key else None
    if entry is not None:
        return StoredKernel(source, specialization, entry)
    kernel = source.compile_for(specialization)
    if key is not None:
        facts = {"name": kernel.name, "target": kernel.target, "facts": dict(kernel.metadata)}
        disk.put(key, cache.Entry(facts, {name: kernel.asm[name] for name in _kept_stages(vendor)}))
    return kernel


def _describe_loader(vendor: str) -> str:
    """What a binary depends on beside the compiler: the CPU it is for, or the assembler at hand."""
    if vendor == "cpu":
        from tilewright.runtime.cpu import describe_host

        return describe_host()
    if vendor == "nvidia":
        from tilewright.runtime.nvidia import describe_assembler

        return str(describe_assembler())
    return ""


def _kept_stages(vendor: str) -> tuple[str, ...]:
    if vendor == "nvidia":
        from tilewright.runtime.nvidia import describe_assembler

        return ("ptx", "cubin") if describe_assembler() else ("ptx",)
    return ("library",) if vendor == "cpu" else ()
