"""Knobs and environment variables of Triton's, hooks and listeners."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import triton
import triton.language as tl
from tilewright import config
from triton import knobs


@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@pytest.fixture(autouse=True)
def scoped():
    """What a test sets is undone after it."""
    with knobs.runtime.scope(), knobs.compilation.scope(), knobs.cache.scope(), knobs.language.scope(), \
            knobs.autotuning.scope(), knobs.nvidia.scope():
        yield
    scale.forget()


def launch(**options):
    x = np.ones(64, np.float32)
    kernel = scale[(1,)](x, 64, BLOCK=64, **options)
    assert (x == 2).all()
    return kernel


def test_a_setting_is_an_attribute_and_a_variable(monkeypatch):
    assert not knobs.autotuning.print
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    assert knobs.autotuning.print and config.print_autotuning()
    knobs.autotuning.print = False
    assert os.environ["TRITON_PRINT_AUTOTUNING"] == "0" and not config.print_autotuning()
    with knobs.autotuning.scope():
        knobs.autotuning.print = True
        knobs.autotuning.cache = True
        assert config.print_autotuning() and config.cache_autotuning()
    assert not config.print_autotuning() and not config.cache_autotuning()
    del knobs.autotuning.print
    assert knobs.autotuning.knobs["print"] is False


@pytest.mark.parametrize("asked, ours", [("sm80", "sm_80"), ("sm90", "sm_90a"), ("sm120", "sm_120a"), ("gfx942", None)])
def test_another_architecture(monkeypatch, asked, ours):
    monkeypatch.setenv("TRITON_OVERRIDE_ARCH", asked)
    assert config.architecture() == ours


def test_settings_without_an_effect_warn():
    with pytest.warns(RuntimeWarning, match="knobs.compilation.enable_asan has no effect"):
        knobs.compilation.enable_asan = True
    with pytest.raises(NotImplementedError, match="cannot be rewritten by a program"):
        knobs.runtime.add_stages_inspection_hook = print


def test_defaults_of_options():
    assert launch().metadata.enable_fp_fusion
    knobs.language.default_fp_fusion = False
    assert not launch().metadata.enable_fp_fusion
    assert launch(enable_fp_fusion=True).metadata.enable_fp_fusion
    knobs.language.default_fp_fusion = True
    knobs.language.force_disable_fp_fusion = True
    assert not launch().metadata.enable_fp_fusion
    assert not launch().metadata.debug
    knobs.runtime.debug = True
    assert launch().metadata.debug


def test_how_products_of_fp32_read_their_operands():
    @triton.jit
    def product(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        place = x + i[:, None] * BLOCK + i[None, :]
        tl.store(place, tl.dot(tl.load(place), tl.load(place)))

    x = np.ones((16, 16), np.float32)
    assert "tf32" in product[(1,)](x, BLOCK=16).asm["ttir"]
    knobs.language.fp32_default = "ieee"
    assert "tf32" not in product[(1,)](x, BLOCK=16).asm["ttir"]
    knobs.language.fp32_default = "half"
    with pytest.raises(triton.CompilationError, match="must be one of ieee, tf32"):
        product[(1,)](x, BLOCK=16)


def test_folders(tmp_path, monkeypatch):
    monkeypatch.delenv("TILEWRIGHT_CACHE_DIR", raising=False)
    knobs.cache.dir = str(tmp_path / "kernels")
    scale.forget()
    launch()
    assert list((tmp_path / "kernels").rglob("*.kernel"))
    knobs.cache.dir = None
    knobs.cache.home_dir = str(tmp_path / "home")
    launch()
    assert list((tmp_path / "home" / ".triton" / "cache").rglob("*.kernel"))


def test_stages_are_written_and_taken_again(tmp_path):
    knobs.cache.dump_dir = str(tmp_path)
    knobs.compilation.dump_ir = True
    launch()
    (written,) = tmp_path.rglob("scale.tile")
    assert "tile.load" in written.read_text()
    knobs.compilation.dump_ir = False
    edited = tmp_path / "edited"
    edited.mkdir()
    text = written.read_text()
    assert "dense<2.0" in text
    (edited / "scale.tile").write_text(text.replace("dense<2.0", "dense<3.0"))
    knobs.cache.override_dir = str(edited)
    knobs.compilation.override = True
    x = np.ones(64, np.float32)
    scale[(1,)](x, 64, BLOCK=64)
    assert (x == 3).all()
    knobs.compilation.override = False
    x = np.ones(64, np.float32)
    scale[(1,)](x, 64, BLOCK=64, ir_override=str(edited / "scale.tile"))
    assert (x == 3).all()
    (edited / "scale.nostage").write_text(text)
    with pytest.raises(triton.CompilationError, match="has no stage 'nostage'"):
        scale[(1,)](x, 64, BLOCK=64, ir_override=str(edited / "scale.nostage"))
    launch()


def test_who_listens_to_compilations(tmp_path):
    heard = []
    knobs.cache.dir = str(tmp_path)
    knobs.compilation.listener = lambda **facts: heard.append(facts)
    launch()
    scale.forget()
    launch()
    knobs.compilation.always_compile = True
    launch()
    assert [facts["cache_hit"] for facts in heard] == [False, True, False]
    times = heard[0]["times"]
    assert times.total == times.ir_initialization + times.total_lowering + times.store_results > 0
    assert [name for name, _ in times.lowering_stages] == ["llvm", "object"]
    assert heard[0]["metadata"]["name"] == "scale" and heard[1]["src"].fn is scale


def test_hooks_around_launches():
    seen = []
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    enter.add(lambda facts: seen.append(("enter", facts.get()["name"])))
    leave.add(lambda facts: seen.append(("first", facts.get()["stream"])))
    leave.add(lambda facts: seen.append(("second", facts.get()["stream"])))
    launch()
    assert seen == [("enter", "scale"), ("second", 0), ("first", 0)]
    knobs.runtime.launch_exit_hook = None
    knobs.runtime.launch_enter_hook = lambda facts: seen.append("alone")
    launch()
    assert seen[3:] == ["alone"]


def test_hooks_around_loading_and_compiling():
    seen = []
    knobs.runtime.kernel_load_start_hook.add(lambda module, function, name, group, key: seen.append(("load", name)))
    knobs.runtime.kernel_load_end_hook.add(lambda module, function, name, group, key: seen.append(("loaded", name)))
    knobs.runtime.jit_cache_hook = lambda **facts: seen.append(("compile", facts["fn"].name))
    knobs.runtime.jit_post_compile_hook = lambda **facts: seen.append(("compiled", facts["repr"].split("(")[0]))
    scale.forget()
    launch()
    described = "scale[num_warps=4, num_ctas=1, num_stages=3, enable_fp_fusion=True, launch_cooperative_grid=False]"
    assert seen == [("compile", "scale"), ("load", "scale"), ("loaded", "scale"), ("compiled", described)]
    launch()
    assert len(seen) == 4
    scale.forget()
    knobs.runtime.jit_cache_hook = lambda **facts: True  # prevents it
    x = np.ones(64, np.float32)
    assert scale[(1,)](x, 64, BLOCK=64) is None and (x == 1).all()
    assert scale.warmup(x, 64, BLOCK=64, grid=(1,)) is None


def run(tmp_path, code, **environment):
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(code))
    return subprocess.run([sys.executable, "-m", "tilewright.triton", str(script)], capture_output=True, text=True,
                          env={**os.environ, **environment})


PROGRAM = """
    import numpy as np, triton, triton.language as tl

    @triton.jit
    def kernel(x, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.device_assert(tl.load(x + i) > 0, "positive")

    kernel[(1,)](np.zeros(4, np.float32), BLOCK=4)
    print("done")
"""


def test_variables_reach_a_program(tmp_path):
    assert run(tmp_path, PROGRAM).stdout == "done\n"
    failed = run(tmp_path, PROGRAM, TRITON_DEBUG="1")
    assert failed.returncode == 1 and "assertion failed: positive" in failed.stderr
    warned = run(tmp_path, PROGRAM, TRITON_INSTRUMENTATION_MODE="consan")
    assert warned.stdout == "done\n" and "has no use for TRITON_INSTRUMENTATION_MODE" in warned.stderr


def test_profiles(tmp_path):
    import json

    import triton.profiler as proton

    session = proton.start(str(tmp_path / "run"), hook="triton")
    with proton.scope("outer", metrics={"bytes": 5}):
        launch()
        launch()
    proton.deactivate(session)
    launch()
    proton.finalize(session)
    root, _ = json.loads((tmp_path / "run.hatchet").read_text())
    (outer,) = root["children"]
    assert outer["frame"]["name"] == "outer" and outer["metrics"] == {"bytes": 5}
    (kernel,) = outer["children"]
    assert kernel["frame"]["name"] == "scale" and kernel["metrics"]["count"] == 2
    assert kernel["metrics"]["time (ns)"] > 0
    with pytest.raises(NotImplementedError, match="records trees of scopes"):
        proton.start("x", data="trace")
    with pytest.raises(ValueError, match="there is no session 1000"):
        proton.activate(1000)
