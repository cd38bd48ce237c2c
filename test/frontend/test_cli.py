"""The command `tilewright`."""

import sys

import pytest
import tilewright as tw
from tilewright import cli

KERNEL = '''
import tilewright as tw
import tilewright.language as tl


@tw.jit
def fill(x, n, VALUE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, VALUE, mask=i < n)
'''
ARGUMENTS = ["x=*fp32:16", "n=i32", "VALUE=2.5", "BLOCK=64"]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(KERNEL)
    return str(path)


def test_targets(capsys):
    assert cli.main(["targets"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{name}: {' '.join(archs)}" for name, archs in tw.targets().items()]


def test_compile_and_explain(file, tmp_path, capsys):
    assert cli.main(["compile", f"{file}:fill", *ARGUMENTS, "--stage", "tile"]) == 0
    assert "func.func @fill" in capsys.readouterr().out
    output = tmp_path / "fill.so"
    assert cli.main(["compile", file, *ARGUMENTS, "-o", str(output)]) == 0
    assert output.read_bytes()[:4] == b"\x7fELF"
    assert cli.main(["explain", file, *ARGUMENTS, "--num-warps", "8"]) == 0
    text = capsys.readouterr().out
    assert "num_warps          8" in text and "tile" in text


def test_a_file_imports_its_neighbours(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour_of_kernels.py").write_text("SIZE = 64")
    path = tmp_path / "importing.py"
    path.write_text("from neighbour_of_kernels import SIZE" + KERNEL)
    assert cli.main(["explain", str(path), *ARGUMENTS]) == 0
    assert "fill for cpu" in capsys.readouterr().out


def test_times_of_stages(file, capsys):
    assert cli.main(["explain", file, *ARGUMENTS, "--times"]) == 0
    assert "fill for cpu:" in (times := capsys.readouterr().err) and "; in all " in times
    assert cli.main(["explain", file, *ARGUMENTS]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("arguments, message", [
    (["compile", "none.py"], "error: there is no file 'none.py'"),
    (["compile", "{file}:fil"], "did you mean 'fill'?"),
    (["compile", "{file}", "x"], "'x' is not of the form name=type"),
    (["compile", "{file}", "x=*fp32"], "the signature lacks parameter 'n'"),
    (["compile", "{file}", *ARGUMENTS, "--target", "gpu"], "there is no target 'gpu'"),
])
def test_errors(file, capsys, arguments, message):
    assert cli.main([argument.format(file=file) for argument in arguments]) == 1
    assert message in capsys.readouterr().err


def test_settings_and_cache(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE", "1")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    assert cli.main(["settings"]) == 0 and cli.main(["cache"]) == 0 and cli.main(["cache", "--clear"]) == 0
    text = capsys.readouterr().out
    assert "TILEWRIGHT_DUMP" in text and "0 kernels, 0 bytes" in text and "0 kernels removed" in text
