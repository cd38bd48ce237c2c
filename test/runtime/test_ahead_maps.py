"""Kernels with tensor maps as C functions, linked with a driver without a GPU."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest
from driver_stand_in import HERE, build_driver
from launch_programs import (
    ARGUMENT,
    CONSTANT,
    LEAST,
    SHIFT_LEFT,
    SIGN_EXTEND,
    evaluate,
    expose,
    exposed_addresses,
    make_recipe,
    random_integer,
    random_program,
)
from test_tensor_maps import read_maps
from tilewright.ahead import Entry, Parameter
from tilewright.kernel import CompiledKernel, Metadata, Stages
from tilewright.runtime.nvidia import ahead

PARAMETERS = (Parameter("x", "void *"), Parameter("n", "int32_t"))


@pytest.fixture(scope="module")
def run_c(tmp_path_factory):
    """Compile a kernel's sources with a `main` of these statements; gives the lines that it prints."""
    folder = build_driver(tmp_path_factory.mktemp("driver"))
    shutil.copy(HERE / "cuda_stand_in.h", folder / "cuda.h")

    def run(entry: Entry, statements: str) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ahead, "describe_assembler", lambda: None)
            for suffix, text in ahead.write(entry, "").items():
                (folder / f"{entry.function}.{suffix}").write_text(text)
        (folder / "main.c").write_text(f'#include "{entry.function}.h"\n#include <stdio.h>\n'
                                       f"int main(void) {{\n{statements}\nreturn 0;\n}}\n")
        flags = ["-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-I."]
        libraries = ["-L.", "-l:libcuda.so.1", f"-Wl,-rpath,{folder}"]
        sources = ["main.c", f"{entry.function}.c"]
        subprocess.run(["cc", *flags, *sources, *libraries, "-o", "main"], cwd=folder, check=True)
        return subprocess.run([folder / "main"], check=True, capture_output=True, text=True).stdout.splitlines()

    return run


def make_entry(recipes, parameters=PARAMETERS, launch_warps=4, takes_turns=False) -> Entry:
    metadata = Metadata(num_warps=4, launch_warps=launch_warps, num_ctas=1, shared_bytes=0, scratch_bytes=0,
                        descriptors=recipes, launch_grid=takes_turns)
    image = f"maps {len(recipes)} {len(parameters) + (3 if takes_turns else 0)} {'turns' if takes_turns else ''}"
    stages = Stages("nvidia", ["ptx"], lambda name, _: image, lambda name: image)
    kernel = CompiledKernel(lambda: None, "kernel", "nvidia:sm_90a", stages, metadata, binary_name="ptx", arguments={},
                            options={})
    kernel.fn.__name__ = "kernel"
    return Entry(kernel, "scale", parameters, ["n", "1", "1"])


def test_maps_stand_behind_the_arguments(run_c):
    rows = [[ARGUMENT, 1, SIGN_EXTEND, 32], [CONSTANT, 64]]
    recipes = [make_recipe(element="f32", tf32=True, swizzle=128, sizes=rows, nan_padding=True),
               make_recipe(element="f8E5M2", rank=1, block=[128], sizes=[[CONSTANT, 256]], strides=[], swizzle=0)]
    lines = run_c(make_entry(recipes, launch_warps=12), """
      printf("%d\\n", scale(NULL, (void *)0x10000, 77));
      printf("%d\\n", scale(NULL, (void *)0x10000, 0));
      printf("%d\\n", scale(NULL, (void *)0xbad0, 5));
    """)
    assert lines == [
        "load maps  in 0",
        "map 1 type 11 base 10000 sizes 64,77 strides 128 box 32,16 steps 1,1 modes 0 3 2 1",
        "map 2 type 0 base 10000 sizes 256 strides box 128 steps 1 modes 0 0 2 0",
        "launch 3006 in 0 grid 77 1 1 block 384 1 1 shared 0 cluster 1 stream 0 args 10000 4d",
        "parameter 2 is map 1", "parameter 3 is map 2", "0", "0", "1"]


def test_programs_that_take_turns(run_c):
    rows = [[ARGUMENT, 1, SIGN_EXTEND, 32], [CONSTANT, 64]]
    recipe = make_recipe(element="f32", swizzle=128, sizes=rows)
    lines = run_c(make_entry([recipe], takes_turns=True), """
      scale(NULL, (void *)0x10000, 77);
      scale(NULL, (void *)0x10000, 5);
      printf("%d\\n", scale(NULL, (void *)0x10000, 0x7ffffffa));
    """)
    assert lines[-1] == "1"
    assert [line for line in lines if line.startswith(("launch", "of", "parameter"))] == [
        "launch 3006 in 0 grid 6 1 1 block 128 1 1 shared 0 cluster 1 stream 0 args 10000 4d", "parameter 5 is map 1",
        "of 77 1 1",
        "launch 3006 in 0 grid 5 1 1 block 128 1 1 shared 0 cluster 1 stream 0 args 10000 5", "parameter 5 is map 2",
        "of 5 1 1"]


def test_programs_give_in_c_what_the_model_gives(run_c):
    source = random.Random()
    programs = [random_program(source, 5) for _ in range(40)]
    programs += [[CONSTANT, LEAST], [CONSTANT, LEAST, CONSTANT, 65, SHIFT_LEFT, 64], [CONSTANT, -1]]
    recipes = [recipe for program in programs for recipe in expose(program)]
    parameters = (PARAMETERS[0], *(Parameter(f"i{k}", "int64_t") for k in range(3)), PARAMETERS[1])
    values = [random_integer(source) for _ in range(3)]
    slots = [0x10000, *values, 77]
    given = ", ".join(f"(int64_t)UINT64_C({value % 2**64})" for value in values)
    lines = run_c(make_entry(recipes, parameters), f"return scale(NULL, (void *)0x10000, {given}, 77);")
    found = [int(groups[1], 16) for groups in read_maps(lines)]
    assert found == [address for program in programs for address in exposed_addresses(evaluate(program, slots))]
