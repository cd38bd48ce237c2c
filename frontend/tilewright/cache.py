"""Compiled kernels on disk, shared by processes.

One file holds all of a kernel: its metadata and every stage. It is written aside and moved into place,
so that a reader sees all of it or nothing, and it carries its own checksum. Trouble of any kind (no
space, no rights, a damaged file) only means that the kernel is compiled again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tilewright
from tilewright import config

_LOG = logging.getLogger("tilewright.cache")
_MAGIC = b"TILEWRIGHT-CACHE-1\n"
_DIGEST_BYTES = 32
_SUFFIX = ".kernel"
_HOUR = 3600.0
#: Files are counted when a process writes its first, and then again after this many.
_PUTS_PER_TRIM = 256


@dataclass(frozen=True)
class Entry:
    """A compiled kernel as it is kept: metadata that JSON can hold, and stages by name."""

    metadata: Mapping[str, Any]
    asm: Mapping[str, str | bytes]


# --- keys ---------------------------------------------------------------------------------------------


class _NoStableForm(Exception):
    """A value that has no text which is the same in every process."""


def _canonical(value: Any) -> Any:
    """A form whose text is equal in every process if and only if the values are equal."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return ["int", str(int(value))]
    if isinstance(value, float):
        return ["float", value.hex()]
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, Mapping):
        return ["map", [[_canonical(key), _canonical(item)] for key, item in value.items()]]
    if isinstance(value, (tuple, list)):
        return [f"{type(value).__module__}.{type(value).__qualname__}", [_canonical(item) for item in value]]
    if isinstance(value, type):
        return ["type", f"{value.__module__}.{value.__qualname__}"]
    source_key = getattr(value, "cache_key", None)  # of a jit function
    if isinstance(source_key, str):
        return ["function", source_key]
    text = repr(value)
    if " at 0x" in text:
        raise _NoStableForm(text)
    return [f"{type(value).__module__}.{type(value).__qualname__}", text]


def make_key(**parts: Any) -> str | None:
    """The name of a kernel's file, from all that decides what its compilation gives.

    Gives None if a part has no form that other processes share: such a kernel is not kept.
    """
    try:
        text = json.dumps([build_id(), [[name, _canonical(part)] for name, part in sorted(parts.items())]])
    except _NoStableForm as error:
        _LOG.info("not cached: %s differs from process to process", error)
        return None
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def build_id() -> str:
    """Changes with every build of the compiler and every edit of the package's sources."""
    package = Path(__file__).parent
    files = [*package.glob("*.py"), *package.glob("ast/**/*.py"), *package.glob("language/**/*.py"),
             *package.glob("runtime/**/*.py"), *package.glob("tools/*.py"),
             *package.glob("mlir/_mlir_libs/libTilewright*")]
    facts = [tilewright.__version__]
    for file in sorted(filter(Path.is_file, files)):
        status = file.stat()
        facts.append(f"{file.relative_to(package)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()


# --- files --------------------------------------------------------------------------------------------


def _encode(entry: Entry) -> bytes:
    blobs, parts = [], []
    for name, stage in entry.asm.items():
        blob = stage.encode() if isinstance(stage, str) else bytes(stage)
        parts.append([name, "text" if isinstance(stage, str) else "bytes", len(blob)])
        blobs.append(blob)
    header = json.dumps({"metadata": dict(entry.metadata), "parts": parts}).encode()
    body = len(header).to_bytes(8, "little") + header + b"".join(blobs)
    return _MAGIC + hashlib.sha256(body).digest() + body


def _decode(data: bytes) -> Entry:
    """Raises ValueError if the file is not whole."""
    start = len(_MAGIC) + _DIGEST_BYTES
    body = data[start:]
    if data[:len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC):start]:
        raise ValueError("damaged")
    length = int.from_bytes(body[:8], "little")
    header = json.loads(body[8:8 + length])
    asm: dict[str, str | bytes] = {}
    position = 8 + length
    for name, kind, size in header["parts"]:
        blob = body[position:position + size]
        asm[name] = blob.decode() if kind == "text" else blob
        position += size
    return Entry(header["metadata"], asm)


class DiskCache:
    """The files of one folder."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self.folder, self.max_bytes = folder, max_bytes
        self._puts = 0

    def _path(self, key: str) -> Path:
        # Two levels: a folder of a hundred thousand files is slow on some systems.
        return self.folder / key[:2] / (key + _SUFFIX)

    def get(self, key: str) -> Entry | None:
        """The entry of a key, or None."""
        path = self._path(key)
        try:
            entry = _decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            _LOG.warning("%s is ignored: %s", path, error)
            return None
        self._mark_used(path)
        return entry

    def _mark_used(self, path: Path) -> None:
        """Keep the time of the last use, coarsely: a hit should not write."""
        try:
            if time.time() - path.stat().st_mtime > _HOUR:
                os.utime(path)
        except OSError:
            pass

    def put(self, key: str, entry: Entry) -> None:
        """Keep an entry; the last writer of a key wins, and all write the same."""
        path = self._path(key)
        temporary = path.with_name(f"{path.stem[:16]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(_encode(entry))
                os.replace(temporary, path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        except (OSError, TypeError, ValueError) as error:
            _LOG.warning("%s cannot be written: %s", path, error)
            return
        if self._puts % _PUTS_PER_TRIM == 0:
            self.trim()
        self._puts += 1

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        """All our files; one that another process removes meanwhile is left out."""
        for path in self.folder.glob("??/*"):
            try:
                yield path, path.stat()
            except OSError:
                continue

    def trim(self) -> None:
        """Remove the files not used for longest until the rest fits, and what writers left behind."""
        kept: list[tuple[float, int, Path]] = []
        try:
            for path, status in self._files():
                if path.suffix == _SUFFIX:
                    kept.append((status.st_mtime, status.st_size, path))
                elif path.suffix == ".tmp" and time.time() - status.st_mtime > _HOUR:
                    path.unlink(missing_ok=True)
            total = sum(size for _, size, _ in kept)
            for _, size, path in sorted(kept):
                if total <= self.max_bytes:
                    break
                path.unlink(missing_ok=True)
                total -= size
        except OSError as error:
            _LOG.warning("%s cannot be trimmed: %s", self.folder, error)

    def clear(self) -> int:
        """Remove all kernels; gives their number."""
        count = 0
        for path, _ in self._files():
            if path.suffix in (_SUFFIX, ".tmp"):
                path.unlink(missing_ok=True)
                count += path.suffix == _SUFFIX
        return count

    def statistics(self) -> tuple[int, int]:
        """Number of kernels, and bytes in all."""
        sizes = [status.st_size for path, status in self._files() if path.suffix == _SUFFIX]
        return len(sizes), sum(sizes)


@cache
def _cache_at(folder: Path, max_bytes: int) -> DiskCache:
    return DiskCache(folder, max_bytes)


def disk_cache() -> DiskCache | None:
    """The cache that the environment asks for; None if it is turned off."""
    return _cache_at(config.cache_dir(), config.cache_size()) if config.cache_enabled() else None
