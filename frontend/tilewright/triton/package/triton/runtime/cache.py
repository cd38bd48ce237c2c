"""Files of a program's own under a key. Compiled kernels are kept elsewhere, by Tilewright itself."""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

from tilewright import config
from tilewright.cache import build_id
from tilewright.triton import environment
from tilewright.triton.refusal import Refusal


def default_cache_dir() -> str:
    """The folder of Triton's cache."""
    return str(environment.home() / "cache")


def _base32(key: str) -> str:
    """A hexadecimal key as a name of a folder."""
    return base64.b32encode(bytes.fromhex(key)).decode("utf-8").rstrip("=")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class CacheManager:
    """Keeps files under a key."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        self.key = key

    def get_file(self, filename: str) -> str | None:
        """Path of a file that is there."""
        raise NotImplementedError(f"{type(self).__name__}.get_file")

    def put(self, data: str | bytes, filename: str, binary: bool = True) -> str:
        """Keep a file; gives its path."""
        raise NotImplementedError(f"{type(self).__name__}.put")

    def get_group(self, filename: str) -> dict[str, str] | None:
        """Paths of the files of a group, by name."""
        raise NotImplementedError(f"{type(self).__name__}.get_group")

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        """Keep which files form a group."""
        raise NotImplementedError(f"{type(self).__name__}.put_group")


class FileCacheManager(CacheManager):
    """Keeps files in a folder."""

    def __init__(self, key: str, override: bool = False, dump: bool = False) -> None:
        super().__init__(key)
        folder = config.dump_dir() if dump else config.override_dir() if override else config.cache_dir() / "files"
        if folder is None:
            raise RuntimeError("there is no folder for it: set TRITON_KERNEL_DUMP=1 or TRITON_KERNEL_OVERRIDE=1")
        self.cache_dir = str(folder / key)
        os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename: str) -> Path:
        return Path(self.cache_dir, filename)

    def has_file(self, filename: str) -> bool:
        """Whether a file is there."""
        return self._path(filename).exists()

    def get_file(self, filename: str) -> str | None:
        return str(self._path(filename)) if self.has_file(filename) else None

    def put(self, data: str | bytes, filename: str, binary: bool = True) -> str:
        path = self._path(filename)
        raw = data if isinstance(data, bytes) else str(data).encode()
        # Written aside and moved, so that a reader sees all of it or nothing.
        temporary = path.with_name(f"{path.name}.{os.getpid()}.{uuid.uuid4().hex}.tmp")
        temporary.write_bytes(raw)
        os.replace(temporary, path)
        return str(path)

    def get_group(self, filename: str) -> dict[str, str] | None:
        path = self.get_file(f"__grp__{filename}")
        if path is None:
            return None
        paths = json.loads(Path(path).read_text())["child_paths"]
        return {name: str(self._path(name)) for name in paths if self.has_file(name)}

    def put_group(self, filename: str, group: dict[str, str]) -> str:
        return self.put(json.dumps({"child_paths": group}), f"__grp__{filename}", binary=False)


RemoteCacheManager = Refusal("triton.runtime.cache.RemoteCacheManager", "share TILEWRIGHT_CACHE_DIR over a network")
RemoteCacheBackend = Refusal("triton.runtime.cache.RemoteCacheBackend", "share TILEWRIGHT_CACHE_DIR over a network")
RedisRemoteCacheBackend = Refusal("triton.runtime.cache.RedisRemoteCacheBackend",
                                  "share TILEWRIGHT_CACHE_DIR over a network")


def get_cache_manager(key: str) -> CacheManager:
    """Files under a hexadecimal key."""
    return FileCacheManager(_base32(key))


def get_override_manager(key: str) -> CacheManager:
    """Edited files under a hexadecimal key."""
    return FileCacheManager(_base32(key), override=True)


def get_dump_manager(key: str) -> CacheManager:
    """Files to look at under a hexadecimal key."""
    return FileCacheManager(_base32(key), dump=True)


@functools.cache
def triton_key() -> str:
    """Changes with every build of the compiler."""
    return build_id()


def get_cache_key(src: Any, backend: Any, backend_options: Any, env_vars: dict[str, str]) -> str:
    """A key of what is compiled, for what, and how."""
    return f"{triton_key()}-{src.hash()}-{backend.hash()}-{backend_options.hash()}-{sorted(env_vars.items())}"


def make_so_cache_key(version_hash: str, signature: dict[Any, Any], constants: dict[Any, Any], ids: Any,
                      **kwargs: Any) -> str:
    """A hexadecimal key of a shared library."""
    parts = [version_hash, str(sorted(signature.items(), key=str)), str(sorted(constants.items(), key=str)), str(ids),
             str(sorted(kwargs.items()))]
    return _hash("-".join(parts))
