"""Compiled kernels on disk: keys, damage, many processes, the bound."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections import namedtuple

import numpy as np
import pytest
from tilewright import cache, config
from tilewright.cache import DiskCache, Entry, make_key

KEY = "ab" + "0" * 62


@pytest.fixture
def disk(tmp_path):
    return DiskCache(tmp_path / "cache", 10**9)


def test_an_entry_comes_back_whole(disk):
    entry = Entry({"name": "add", "scratch_bytes": 64, "nested": [1, {"a": None}]},
                  {"tile": "module {} // ü", "library": bytes(range(256)), "empty": b""})
    assert disk.get(KEY) is None
    disk.put(KEY, entry)
    assert disk.get(KEY) == entry
    assert disk.statistics()[0] == 1
    assert disk.clear() == 1
    assert disk.get(KEY) is None


def test_a_damaged_file_is_a_miss(disk):
    disk.put(KEY, Entry({}, {"library": bytes(1000)}))
    (path,) = disk.folder.glob("??/*")
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[500] ^= 1
    for data in (b"", whole[:40], whole[:-1], whole + b"x", bytes(flipped), b"other" + whole):
        path.write_bytes(data)
        assert disk.get(KEY) is None
    disk.put(KEY, Entry({"again": True}, {}))
    assert disk.get(KEY).metadata == {"again": True}


def test_trouble_with_the_folder_is_no_error(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    disk = DiskCache(tmp_path / "file" / "cache", 100)
    disk.put(KEY, Entry({}, {"a": "b"}))
    assert disk.get(KEY) is None
    disk.trim()
    assert disk.statistics() == (0, 0)


def test_metadata_that_json_cannot_hold_is_not_kept(disk):
    disk.put(KEY, Entry({"object": object()}, {}))
    assert disk.get(KEY) is None
    assert not list(disk.folder.glob("??/*"))


def test_the_files_not_used_for_longest_go_first(tmp_path):
    disk = DiskCache(tmp_path, 10**9)
    keys = [f"{i:02x}" + "0" * 62 for i in range(10)]
    now = time.time()
    for i, key in enumerate(keys):
        disk.put(key, Entry({}, {"library": bytes(10_000)}))
        os.utime(disk._path(key), (now - 100_000 + i, now - 100_000 + i))
    assert disk.get(keys[0]) is not None  # used again
    disk.max_bytes = 35_000
    disk.trim()
    assert [key for key in keys if disk.get(key)] == [keys[0], keys[8], keys[9]]


def test_what_a_dead_writer_left_is_removed(disk):
    disk.put(KEY, Entry({}, {}))
    old, fresh = disk.folder / "ab" / "old.tmp", disk.folder / "ab" / "fresh.tmp"
    old.write_text("half")
    fresh.write_text("half")
    os.utime(old, (0, 0))
    disk.trim()
    assert not old.exists() and fresh.exists() and disk.get(KEY)


def _hammer(folder, seed, failures):
    disk = DiskCache(folder, 200_000)
    for i in range(150):
        key = f"{(seed + i) % 7:02x}" + "0" * 62
        entry = disk.get(key)
        if entry is not None and entry.asm["library"] != bytes([int(key[:2], 16)]) * 20_000:
            failures.put((seed, i))
        disk.put(key, Entry({}, {"library": bytes([int(key[:2], 16)]) * 20_000}))
        if i % 20 == 0:
            disk.trim()
        if i % 50 == 49:
            disk.clear()


def test_many_processes_write_read_and_remove_at_once(tmp_path):
    context = multiprocessing.get_context("spawn")
    failures = context.Queue()
    processes = [context.Process(target=_hammer, args=(tmp_path, seed, failures)) for seed in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert failures.empty()


ADD_ONE = "KERNEL(add_one) { SLOT(int32_t *, 0)[0] += SLOT(int, 1); }"


def test_a_launch_finds_the_kernel_that_another_process_compiled(make_kernel, monkeypatch, tmp_path):
    """A launcher of its own stands for the other process: they share nothing but the folder."""
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TILEWRIGHT_CACHE", raising=False)

    def launch(value, key="key", **options):
        kernel, source = make_kernel("add_one", ["x", "n"], ADD_ONE, cache_key=key)
        array = np.zeros(1, np.int32)
        compiled = kernel[1](array, value, **options)
        assert array[0] == np.int64(value).astype(np.int32)
        return len(source.requests), compiled, source

    assert launch(5)[0] == 1
    compilations, stored, source = launch(7)
    assert compilations == 0
    assert (stored.name, stored.target, stored.metadata.scratch_bytes) == ("add_one", "cpu", 0)
    assert stored.asm["object"] == source.library and not source.requests
    assert set(stored.asm) == {"object", "tile"} and len(source.requests) == 1  # a stage that was not kept
    for arguments in [(16,), (2**40 + 1,), (5, "other"), (5, None)]:
        assert launch(*arguments)[0] == 1
    assert launch(5, num_warps=8)[0] == 1
    monkeypatch.setenv("TILEWRIGHT_DEBUG", "1")
    assert launch(5)[0] == 1
    monkeypatch.delenv("TILEWRIGHT_DEBUG")
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert launch(5)[0] == 1


class Function:
    def __init__(self, cache_key):
        self.cache_key = cache_key


def test_keys_differ_where_the_kernels_would():
    pair = namedtuple("pair", "a b")
    values = [None, True, 1, 1.0, 0.0, -0.0, "1", b"1", (1,), [1], (1, 2), (1, (2,)), pair(1, 2), {"a": 1}, {"a": 1.0},
              {1: "a"}, int, float, Function("k1"), Function("k2"), float("nan"), 2**80]
    keys = [make_key(constant=value) for value in values]
    assert len(set(keys)) == len(values)
    assert make_key(constant=(1, Function("k1"))) == make_key(constant=(1, Function("k1")))
    assert make_key(a=1, b=2) == make_key(b=2, a=1) != make_key(a=2, b=1)


def test_a_constant_without_a_stable_form_is_not_kept():
    assert make_key(constant=object()) is None
    assert make_key(constant=(1, lambda: 0)) is None


def test_keys_are_the_same_in_another_process():
    code = "from tilewright.cache import make_key; print(make_key(a=('x', 1.5), b={'n': None}))"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == make_key(a=("x", 1.5), b={"n": None})


def test_the_environment_decides(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("TILEWRIGHT_CACHE_SIZE", "3M")
    disk = cache.disk_cache()
    assert (disk.folder, disk.max_bytes) == (tmp_path / "here", 3 * 2**20)
    monkeypatch.setenv("TILEWRIGHT_CACHE", "0")
    assert cache.disk_cache() is None
    monkeypatch.delenv("TILEWRIGHT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert config.cache_dir() == tmp_path / "tilewright"
    for name, value, call in [("TILEWRIGHT_CACHE_SIZE", "much", config.cache_size),
                              ("TILEWRIGHT_CACHE", "maybe", config.cache_enabled)]:
        monkeypatch.setenv(name, value)
        with pytest.raises(ValueError, match=f"{name}='{value}': expected"):
            call()
    assert all(name in config.describe() for name in config.VARIABLES)
