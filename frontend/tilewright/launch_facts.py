"""What a launch needs beside the arguments, as the lowering left it on the module."""

from __future__ import annotations

from typing import Any


def read_descriptors(attributes: Any) -> list[dict[str, Any]]:
    """How each tensor map of a kernel is made from its arguments, in the order of the maps.

    A map has ``element`` (the element type), ``rank``, ``block`` (of one copy), ``swizzle`` (in bytes),
    ``nan_padding``, ``tf32``, and programs of the launch: ``base`` (the address in bytes), ``sizes`` and
    ``strides`` (in elements, without the last one, which is 1). Sizes go from the slowest dimension to the
    fastest. A program is a list of pairs of opcode and value, one after another; see
    `runtime/nvidia/LaunchExpression.h`. All of it can be written as JSON.
    """
    if "tile.launch_descriptors" not in attributes:
        return []
    return [_read_descriptor(each) for each in attributes["tile.launch_descriptors"]]


def _read_descriptor(recipe: Any) -> dict[str, Any]:
    return {
        "element": str(recipe["element"].value),
        "rank": recipe["rank"].value,
        "block": list(recipe["block"]),
        "swizzle": recipe["swizzle"].value,
        "nan_padding": "nan_padding" in recipe,
        "tf32": "tf32" in recipe,
        "base": list(recipe["base"]),
        "sizes": [list(program) for program in recipe["sizes"]],
        "strides": [list(program) for program in recipe["strides"]],
    }
