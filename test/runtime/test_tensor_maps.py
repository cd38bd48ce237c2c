"""Tensor maps that a launch makes from its arguments, against a driver without a GPU."""

from __future__ import annotations

import random
import re

from launch_programs import (
    ADD,
    ARGUMENT,
    CONSTANT,
    LEAST,
    MULTIPLY,
    SHIFT_RIGHT,
    SIGN_EXTEND,
    evaluate,
    expose,
    exposed_addresses,
    make_recipe,
    random_integer,
    random_program,
)

MAP = re.compile(r"map (\d+) type (\d+) base (\w+) sizes ([\d,]+) strides ?([\d,]*) box ([\d,]+) steps ([\d,]+) "
                 r"modes (\d) (\d) (\d) (\d)")
INTEGERS = "[Param(f'i{k}', annotation_type='i64', do_not_specialize=True) for k in range(4)]"


def only_maps(lines: list[str]) -> list[str]:
    return [line for line in lines if "map" in line and not line.startswith("load")]


def read_maps(lines: list[str]) -> list[tuple[str, ...]]:
    """What the driver was told: type, address, sizes, strides, box, steps, modes of each map."""
    return [MAP.fullmatch(line).groups()[1:] for line in lines if line.startswith("map ")]


def test_programs_of_all_opcodes_give_what_the_model_gives(fake_driver):
    source = random.Random()
    programs = [random_program(source, 5) for _ in range(60)]
    values = [[random_integer(source) for _ in range(4)] for _ in range(6)]
    recipes = [recipe for program in programs for recipe in expose(program)]
    lines = fake_driver(f"""
        kernel, _ = make("maps {len(recipes)} 5", params=["x", *{INTEGERS}], descriptors={recipes})
        for values in {values}:
            print("launch")
            kernel[1](Array(0x10000), *values)
    """)
    addresses = [""] * len(recipes)
    made: dict[str, str] = {}
    launches = iter(values)
    checked = 0
    for line in lines:
        if line.startswith("map "):
            made[line.split()[1]] = MAP.fullmatch(line)[3]
        elif line.startswith("parameter "):
            index = int(line.split()[1]) - 5
            addresses[index] = made[line.split()[-1]]
            if index == len(recipes) - 1:
                slots = [0x10000, *next(launches)]
                for k, program in enumerate(programs):
                    expected = exposed_addresses(evaluate(program, slots))
                    assert [int(text, 16) for text in addresses[2 * k:2 * k + 2]] == expected, (program, slots)
                    checked += 1
    assert checked == len(programs) * len(values)


def test_each_operation_at_the_edges_of_its_width(fake_driver):
    programs = []
    for bits in (1, 8, 32, 64):
        edge = 1 << (bits - 1)
        operands = sorted({0, 1, -1, edge - 1, -edge, 7, bits, bits + 1, LEAST})
        programs += [[CONSTANT, a, CONSTANT, b, opcode, bits] for opcode in range(ADD, SHIFT_RIGHT + 1)
                     for a in operands for b in operands]
    recipes = [recipe for program in programs for recipe in expose(program)]
    lines = fake_driver(f"""
        make("maps 1", descriptors={recipes})[0][1](Array(0x10000), 77)
    """)
    found = [int(groups[1], 16) for groups in read_maps(lines)]
    assert found == [address for program in programs for address in exposed_addresses(evaluate(program, []))]


def test_the_driver_is_told_the_layout_with_the_fastest_dimension_first(fake_driver):
    recipe = make_recipe(
        element="bf16", rank=3, block=[2, 16, 64], swizzle=128, nan_padding=True,
        base=[ARGUMENT, 0, CONSTANT, 0x40, ADD, 64],
        sizes=[[CONSTANT, 5], [ARGUMENT, 1, SIGN_EXTEND, 32], [CONSTANT, 2**32]],
        strides=[[ARGUMENT, 1, SIGN_EXTEND, 32, CONSTANT, 640, MULTIPLY, 64], [CONSTANT, 2**39 - 8]])
    lines = fake_driver(f"""
        make("maps 2", descriptors=[{recipe}, {make_recipe()}], launch_warps=12)[0][3](Array(0x10000), 77)
    """)
    assert lines[1:6] == [
        "map 1 type 9 base 10040 sizes 4294967296,77,5 strides 1099511627760,98560 box 64,16,2 steps 1,1,1 "
        "modes 0 3 2 1",
        "map 2 type 6 base 10000 sizes 32,64 strides 64 box 32,16 steps 1,1 modes 0 2 2 0",
        "launch 3006 in 1000 grid 3 1 1 block 384 1 1 shared 0 cluster 1 stream 0 args 10000 4d",
        "parameter 2 is map 1", "parameter 3 is map 2"]


def test_types_of_elements(fake_driver):
    types = [("i1", 0, 1), ("i8", 0, 1), ("f8E4M3FN", 0, 1), ("f8E5M2", 0, 1), ("f8E4M3FNUZ", 0, 1),
             ("f8E5M2FNUZ", 0, 1), ("i16", 1, 2), ("i32", 3, 4), ("i64", 5, 8), ("f16", 6, 2), ("f32", 7, 4),
             ("f64", 8, 8), ("bf16", 9, 2)]
    modes = {0: 0, 32: 1, 64: 2, 128: 3}
    cases = [(*case, swizzle) for case in types for swizzle in modes if not swizzle or case[2] * 16 <= swizzle]
    recipes = [make_recipe(element=element, block=[16, 16], swizzle=swizzle) for element, _, _, swizzle in cases]
    lines = fake_driver(f"""
        make("maps 1", descriptors={recipes})[0][1](Array(0x10000), 77)
    """)
    for (element, kind, width, swizzle), groups in zip(cases, read_maps(lines), strict=True):
        assert groups[0] == str(kind) and groups[3] == str(32 * width), element
        assert groups[6:] == ("0", str(modes[swizzle]), "2", "0"), element


def test_rounded_floats_and_padding(fake_driver):
    recipes = [make_recipe(element="f32", swizzle=128, tf32=True),
               make_recipe(element="f64", swizzle=0, nan_padding=True),
               make_recipe(element="f32", swizzle=128, tf32=True, nan_padding=True)]
    lines = fake_driver(f"""
        make("maps 3", descriptors={recipes})[0][1](Array(0x10000), 77)
    """)
    assert [(groups[0], groups[-1]) for groups in read_maps(lines)] == [("11", "0"), ("8", "1"), ("11", "1")]


def test_only_what_an_argument_changed_is_encoded_again(fake_driver):
    rows = [[ARGUMENT, 1, SIGN_EXTEND, 32], [CONSTANT, 32]]
    lines = fake_driver(f"""
        kernel, _ = make("maps 3", descriptors=[{make_recipe()}, {make_recipe(sizes=rows)},
                                                {make_recipe(base=[CONSTANT, 0x500])}])
        for address, n in [(0x10000, 77), (0x10000, 77), (0x10000, 78), (0x20000, 78), (0x10000, 77)]:
            kernel[1](Array(address), n)
    """)
    assert [line.split()[-1] for line in lines if line.startswith("parameter")] == [
        "1", "2", "3", "1", "2", "3", "1", "4", "3", "5", "6", "3", "7", "8", "3"]
    assert len(read_maps(lines)) == 8


def test_a_map_is_whole_again_after_an_error(fake_driver):
    rows = [[ARGUMENT, 1, SIGN_EXTEND, 32], [CONSTANT, 32]]
    lines = fake_driver(f"""
        params = ["x", Param("n", do_not_specialize=True)]
        kernel, _ = make("maps 1", params=params, descriptors=[{make_recipe(sizes=rows)}])
        for n in (77, 0, 77, 77):
            try:
                kernel[1](Array(0x10000), n)
            except ValueError as error:
                print(error)
    """)
    lines = only_maps(lines) + [line for line in lines if "size" in line and line.startswith("kernel")]
    assert [line.partition(" type")[0] for line in lines] == [
        "map 1", "parameter 2 is map 1", "map 2", "parameter 2 is map 2", "parameter 2 is map 2",
        "kernel 'kernel': size 0 of tensor descriptor 0 is 0; expected 1 to 2**32"]


def test_maps_go_with_clusters_and_other_options(fake_driver):
    lines = fake_driver(f"""
        kernel, _ = make("maps 1", descriptors=[{make_recipe()}])
        kernel[3](Array(0x10000), 77, num_ctas=2, launch_pdl=True)
    """)
    assert "parameter 2 is map 1" in lines and any("grid 6 1 1" in line and "cluster 2" in line for line in lines)


def test_threads_of_all_warps_count(fake_driver):
    lines = fake_driver("""
        from tilewright import OutOfResources
        try:
            make(launch_warps=20)[0][1](Array(0x10000), 77)
        except OutOfResources as error:
            print(error.required, error.limit, error.name)
    """)
    assert "640 512 threads" in lines


UNDESCRIBED = [
    ({"base": [ARGUMENT, 0, CONSTANT, 8, ADD, 64]},
     "the array of tensor descriptor 1 begins at 0x10008; expected an address that is a multiple of 16"),
    ({"sizes": [[CONSTANT, 4], [CONSTANT, 0]]}, "size 1 of tensor descriptor 1 is 0; expected 1 to 2**32"),
    ({"sizes": [[CONSTANT, -3], [CONSTANT, 4]]}, "size 0 of tensor descriptor 1 is -3; expected 1 to 2**32"),
    ({"sizes": [[CONSTANT, 2**32 + 1], [CONSTANT, 4]]},
     "size 0 of tensor descriptor 1 is 4294967297; expected 1 to 2**32"),
    *(({"strides": [[CONSTANT, stride]]},
       f"stride 0 of tensor descriptor 1 is {stride} elements of 2 bytes; expected a multiple of 16 bytes from 0 to "
       "below 2**40") for stride in (12, -32, 2**39, 2**62, LEAST)),
]


def test_arrays_that_no_map_describes(fake_driver):
    recipes = [make_recipe(**changes) for changes, _ in UNDESCRIBED]
    lines = fake_driver(f"""
        for recipe in {recipes}:
            try:
                make("maps 2", descriptors=[{make_recipe()}, recipe])[0][1](Array(0x10000), 77)
            except ValueError as error:
                print(error)
    """)
    assert [line for line in lines if line.startswith("kernel")] == \
        [f"kernel 'kernel': {message}" for _, message in UNDESCRIBED]


def test_what_the_driver_refuses_is_named(fake_driver):
    lines = fake_driver(f"""
        kernel, _ = make("maps 2", descriptors=[{make_recipe()}])
        try:
            kernel[1](Array(0xbad0), 77)
        except RuntimeError as error:
            print(error)
    """)
    assert lines[1] == (
        "kernel 'kernel': cuTensorMapEncodeTiled for tensor descriptor 0 of sizes (64, 32), strides of (64) bytes and "
        "blocks of (16, 32) failed with CUDA_ERROR_INVALID_VALUE (1): a text of the driver")


DAMAGED = [
    ({"element": "f12"}, "there is no element type 'f12'"),
    ({"element": None}, "there is no element type ''"),
    ({"tf32": True}, "elements of type f16 are not rounded to tf32"),
    ({"element": "f8E5M2", "nan_padding": True}, "elements of type f8E5M2 are not padded with NaN"),
    ({"rank": 6}, "its rank is not 1 to 5"),
    ({"block": [16]}, "its block does not have as many sizes as the rank"),
    ({"block": [257, 32]}, "side 0 of the block is 257, not 1 to 256"),
    ({"block": [16, 64]}, "rows of the block have 128 bytes, not a multiple of 16 within the swizzle"),
    ({"block": [16, 4]}, "rows of the block have 8 bytes, not a multiple of 16 within the swizzle"),
    ({"swizzle": 48}, "its swizzle is not 0, 32, 64 or 128 bytes"),
    ({"base": "text"}, "base: it is no list of integers"),
    ({"base": [1.5, 0]}, "base: it is no list of integers"),
    ({"base": [0, 2**63]}, "base: it is no list of integers"),
    ({"base": []}, "base: it leaves 0 results"),
    ({"base": [0, 1, 0, 2]}, "base: it leaves 2 results"),
    ({"base": [0]}, "base: an opcode lacks its value"),
    ({"base": [13, 64]}, "base: there is no opcode 13"),
    ({"base": [1, -1]}, "base: there is no argument -1"),
    ({"base": [0, 1, 2, 65]}, "base: integers do not have 65 bits"),
    ({"base": [0, 1, 4, 64]}, "base: an operation lacks operands"),
    ({"base": [0, 1] * 65 + [4, 64] * 64}, "base: it is too deep"),
    ({"sizes": [[0, 1]]}, "sizes: there are not 2 of them"),
    ({"strides": [[0]]}, "strides: an opcode lacks its value"),
    ({"base": [1, 7]}, "it reads argument 7 of 2"),
]


def test_recipes_that_the_launcher_cannot_follow(fake_driver):
    recipes = [make_recipe(**changes) for changes, _ in DAMAGED]
    lines = fake_driver(f"""
        for recipe in {recipes}:
            try:
                make("maps 1", descriptors=[recipe])[0][1](Array(0x10000), 77)
            except ValueError as error:
                print(error)
    """)
    assert [line for line in lines if line.startswith("kernel")] == \
        [f"kernel 'kernel': the recipe of tensor map 0 is damaged: {message}" for _, message in DAMAGED]


def test_a_driver_without_tensor_maps_says_so_when_the_kernel_is_loaded(old_driver):
    lines = old_driver(f"""
        make()[0][1](Array(0x10000), 77)
        try:
            make(descriptors=[{make_recipe()}])[0].compile(Array(0x10000), 77)
        except RuntimeError as error:
            print(error)
    """)
    assert lines[1].startswith("launch ")
    assert "kernel 'kernel': its tensor descriptors need a driver of CUDA 12.0 or newer" in lines
