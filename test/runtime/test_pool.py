"""The thread pool: many launches, from many threads, in children, with arenas, prints and assertions."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from c_kernels import Param
from tilewright import _launcher
from tilewright.runtime.errors import DeviceAssertionError

FILL = """
KERNEL(fill) {
  int32_t *out = SLOT(int32_t *, 0);
  out[position[0]] = SLOT(int, 1) + position[0];
}
"""

#: Writes the whole arena, then checks that nobody else wrote there meanwhile.
ARENA = """
KERNEL(arena) {
  int32_t *bad = SLOT(int32_t *, 0);
  int words = SLOT(int, 1);
  int32_t *memory = (int32_t *)scratch;
  if ((uint64_t)scratch % 64) bad[0] = 1;
  for (int i = 0; i < words; ++i) memory[i] = position[0];
  for (int i = 0; i < words; ++i) if (memory[i] != position[0]) bad[1] = 1;
}
"""

TALK = """
KERNEL(talk) {
  float block[6] = {0.5f, 1.0f, 2.0f, 3.0f, 4.0f, 1.0f / 3.0f};
  int64_t sizes[4] = {2, 2, 3, 2}; /* a view of columns 0 and 2 */
  int8_t small = -2;
  tile_rt_print(position, "x: ", "f32", 0, block, 2, sizes);
  tile_rt_print(position, "s", "i8", 0, &small, 0, sizes);
  tile_rt_print(position, "h:", "u8", 1, &small, 0, sizes);
  tile_rt_print(position, "here", "", 0, 0, 0, sizes);
}
"""

#: Prints the first element of an array under a type's name.
SHOW = """
KERNEL(show) {
  static const char *names[] = {"i1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64",
                                "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ", "f8E4M3FNUZ", "ptr"};
  int64_t sizes[2] = {SLOT(int, 2), 1};
  tile_rt_print(position, "", names[SLOT(int, 1)], 0, SLOT(void *, 0), 1, sizes);
}
"""

CHECK = """
KERNEL(check) {
  int32_t *seen = SLOT(int32_t *, 0);
  if (position[0] == SLOT(int, 1)) { tile_rt_assert(position, "negative index", "user.py:12:5"); return; }
  seen[position[0]] = 1;
}
"""


@pytest.fixture(params=[1, 2, 4])
def threads(request):
    """Run with this many threads."""
    before = _launcher.get_num_threads()
    _launcher.set_num_threads(request.param)
    yield request.param
    _launcher.set_num_threads(before)


def test_many_launches_of_many_sizes(make_kernel, threads):
    fill, _ = make_kernel("fill", ["out", "start"], FILL)
    out = np.zeros(5000, np.int32)
    for i in range(600):
        size = (i * 37) % 4999 + 1
        out[:] = -1
        fill[size](out, i + 2)
        np.testing.assert_array_equal(out[:size], np.arange(i + 2, i + 2 + size))
        assert (out[size:] == -1).all()


def test_launches_from_several_threads_at_once(make_kernel, threads):
    fill, _ = make_kernel("fill", ["out", "start"], FILL)
    failures = []

    def work(seed):
        out = np.zeros(3000, np.int32)
        for i in range(150):
            start = seed * 1000 + i + 2
            fill[3000](out, start)
            if not np.array_equal(out, np.arange(start, start + 3000)):
                failures.append((seed, i))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


def test_each_thread_has_its_own_arena(make_kernel, threads):
    words = 5000
    arena, _ = make_kernel("arena", ["bad", "words"], ARENA, scratch_bytes=4 * words)
    bad = np.zeros(2, np.int32)
    for _ in range(20):
        arena[200](bad, words)
    assert not bad.any()


def test_a_child_process_has_a_pool_of_its_own(make_kernel):
    before = _launcher.get_num_threads()
    _launcher.set_num_threads(4)
    try:
        fill, _ = make_kernel("fill", ["out", "start"], FILL)
        out = np.zeros(100_000, np.int32)
        fill[100_000](out, 3)
        for _ in range(3):
            child = os.fork()
            if child == 0:
                out[:] = 0
                fill[100_000](out, 5)
                os._exit(0 if np.array_equal(out, np.arange(5, 100_005)) and _launcher.get_num_threads() == 4 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        fill[100_000](out, 7)
        assert np.array_equal(out, np.arange(7, 100_007))
    finally:
        _launcher.set_num_threads(before)


def test_printed_lines_appear_when_the_grid_is_done(make_kernel, threads, capsys):
    talk, _ = make_kernel("talk", ["x"], TALK)
    talk[3](2)
    lines = capsys.readouterr().out.splitlines()
    values = {(0, 0): "0.5", (0, 1): "2", (1, 0): "3", (1, 1): "0.333333343"}
    expected = []
    for program in ("pid (0, 0, 0)", "pid (1, 0, 0)", "pid (2, 0, 0)"):
        expected += [f"{program} idx {index} x: {value}" for index, value in values.items()]
        expected += [f"{program} idx () s: -2", f"{program} idx () h: 0xfe", f"{program} here"]
    assert sorted(lines) == sorted(expected)


def test_printed_values_read_back_as_they_were(make_kernel, capsys):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    show, _ = make_kernel("show", ["data", Param("kind", do_not_specialize=True), "count"], SHOW)
    dtypes = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16,
              ml_dtypes.bfloat16, np.float32, np.float64, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn,
              ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3fnuz]
    for kind, dtype in enumerate(dtypes):
        data = np.random.default_rng(kind).integers(0, 256, 256 * np.dtype(dtype).itemsize).astype(np.uint8)
        data = data.view(dtype) if dtype is not np.bool_ else data % 2 == 1
        if np.dtype(dtype).itemsize == 1 and dtype is not np.bool_:
            data = np.arange(256, dtype=np.uint8).view(dtype)  # every value
        show[1](data, kind, 256)
        words = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
        if dtype is np.bool_:
            assert words == [str(value) for value in data]
        elif np.dtype(dtype).kind in "iu":
            assert words == [str(int(value)) for value in data]
        else:
            wide = data.astype(np.float64)
            np.testing.assert_array_equal(np.array(words, np.float64).astype(dtype).astype(np.float64), wide)


def test_a_failed_assertion_is_raised_after_the_grid(make_kernel, threads):
    check, _ = make_kernel("check", ["seen", "bad"], CHECK)
    seen = np.zeros(100, np.int32)
    with pytest.raises(DeviceAssertionError) as error:
        check[100](seen, 40)
    assert str(error.value) == "user.py:12:5: error: kernel 'check': assertion failed: negative index"
    assert seen[40] == 0
    seen[:] = 0
    check[100](seen, 101)
    assert seen.all()


#: Takes some hundredths of a second.
SPIN = """
KERNEL(spin) {
  volatile uint64_t *sum = SLOT(uint64_t *, 0);
  for (int i = 0; i < 100000000; ++i) *sum += i;
}
"""


def test_other_python_threads_run_during_a_long_grid(make_kernel, threads):
    spin, _ = make_kernel("spin", ["sum"], SPIN)
    total = np.zeros(1, np.uint64)
    for _ in range(2):  # the first time its cost is not known, the second time it is
        steps, stop = [], threading.Event()

        def count(steps=steps, stop=stop):
            while not stop.wait(0.001):
                steps.append(1)

        counter = threading.Thread(target=count)
        counter.start()
        before = len(steps)
        spin[1](total)
        during = len(steps) - before
        stop.set()
        counter.join()
        assert during >= 5


@pytest.mark.parametrize("value, expected", [("1", "1"), ("3", "3"), (None, None)])
def test_the_number_of_threads_comes_from_the_environment(value, expected):
    environment = {key: text for key, text in os.environ.items() if key != "TILEWRIGHT_NUM_THREADS"}
    if value:
        environment["TILEWRIGHT_NUM_THREADS"] = value
    code = ("from tilewright import _launcher; from tilewright.runtime import cpu; cpu.start_pool();"
            "print(_launcher.get_num_threads(), cpu.available_cpus())")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    threads, available = done.stdout.split()
    assert threads == (expected or available)


def test_a_wrong_number_of_threads_is_refused():
    with pytest.raises(ValueError, match="at least 1 thread, got 0"):
        _launcher.set_num_threads(0)
    environment = {**os.environ, "TILEWRIGHT_NUM_THREADS": "many"}
    code = "from tilewright.runtime import cpu; cpu.start_pool()"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "TILEWRIGHT_NUM_THREADS='many': expected a number of at least 1" in done.stderr
