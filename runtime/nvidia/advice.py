"""What the assembler of PTX has to say about a kernel's speed: what happened, why, and what to do.

ptxas, nvJitLink and the driver's compiler write the same sentences. Newer ones name the line of PTX, older
ones the function alone: then all instructions of the kind are meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """A remark on assembled code.

    Attributes:
        message: What happened, why, and what to do.
        lines: Lines of PTX that it is about, from 1; none if it is about the kernel as a whole.
    """

    message: str
    lines: tuple[int, ...] = ()


_PRODUCT = "wgmma.mma_async"
_SERIALISED = "products run one after another, each awaited before the next begins"

#: Words of the assembler's sentence: what happened, and what to do. The first that occur in it count.
_EXPLANATIONS = (
    ("Extern calls", f"{_SERIALISED}, since the kernel calls functions that are not inlined: call none from a kernel "
                     "with tl.dot (noinline functions, device_print, device_assert)"),
    ("crossing function boundary", f"{_SERIALISED}, since one is in flight while a function is called: leave out "
                                   "noinline=True, or call before or after the loop with tl.dot"),
    ("insufficient register resources", f"{_SERIALISED}, since registers do not hold all that is in flight: use "
                                        "smaller blocks or more warps, or keep fewer blocks between iterations"),
    ("defining input registers", f"{_SERIALISED}, since registers of an operand are written while products are in "
                                 "flight: compute all of the operand before tl.dot, or load it as it is"),
    ("reading accumulator registers", f"{_SERIALISED}, since a sum is read while products are in flight: use the "
                                      "result of tl.dot after the loop, or once in each iteration"),
    ("defining accumulator registers", f"{_SERIALISED}, since a sum is written while products are in flight: scale or "
                                       "replace the accumulator before tl.dot, not between parts of it"),
    ("ill formed pipeline", f"{_SERIALISED}, since they begin and end on different paths: take tl.dot out of branches"),
    ("divergent path", f"{_SERIALISED}, since warps may come to them on different paths: take tl.dot out of branches "
                       "whose conditions differ between threads"),
    ("'setmaxnreg' ignored", "registers stay as they are at launch, so that no warp gets more: "),
    ("wait_group is injected", "a product is awaited earlier than the program asks, since its registers are used here"),
    ("warpgroup.wait is injected", "a product is awaited earlier than the program asks, since its registers are used "
                                   "here"),
    ("arrive is injected", "registers are handed to a product once more than the program asks; this costs next to "
                           "nothing"),
)

_SENTENCE = re.compile(r"\((C\d{4})\)\s*(.*)")
_GENERAL = "Potential Performance Loss"
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


def read_advice(log: str, ptx: str) -> list[Advice]:
    """What a log of the assembler says of the speed of a kernel, each once."""
    advice = [*_read_sentences(log, ptx), *_read_spills(log)]
    return list(dict.fromkeys(advice))


def _read_sentences(log: str, ptx: str) -> Iterator[Advice]:
    """The lines of equal sentences are taken together."""
    found: dict[str, list[int]] = {}
    for code, sentence in _SENTENCE.findall(log):
        message = _explain(sentence)
        if message is not None:
            line = re.search(r"in (?:around )?line (\d+)", sentence)
            lines = [int(line[1])] if line else _find_products(ptx) if _PRODUCT in sentence else []
            found.setdefault(f"{message} (the assembler's {code})", []).extend(lines)
    for message, lines in found.items():
        yield Advice(message, tuple(dict.fromkeys(lines)))


def _explain(sentence: str) -> str | None:
    """A sentence in words of the language; None for what is not about speed."""
    for words, explanation in _EXPLANATIONS:
        if words in sentence:
            reason = sentence.partition(words)[2].strip(" ;.")
            return explanation + reason if explanation.endswith(": ") else explanation
    return sentence.partition(_GENERAL)[2].strip(" :") if _GENERAL in sentence else None


def _find_products(ptx: str) -> list[int]:
    return [number for number, line in enumerate(ptx.splitlines(), 1) if _PRODUCT in line]


def count_spills(log: str) -> tuple[int, int] | None:
    """Bytes that a thread stores and loads as registers do not hold them, all functions together; None where
    the log does not tell."""
    found = _SPILLS.findall(log)
    return (sum(int(stored) for stored, _ in found), sum(int(loaded) for _, loaded in found)) if found else None


def _read_spills(log: str) -> Iterator[Advice]:
    stored, loaded = count_spills(log) or (0, 0)
    if stored or loaded:
        registers = max(map(int, re.findall(r"Used (\d+) registers", log)), default=0)
        have = f"the {registers} registers of a thread do" if registers else "registers do"
        yield Advice(f"{have} not hold all values: a thread stores {stored} bytes to memory and loads {loaded} bytes "
                     "again ('spills'); use smaller blocks or more warps, or a larger maxnreg where one is given")


# --- from PTX to the source ---------------------------------------------------------------------------
_FILE = re.compile(r'\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?')
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)")
_NO_CODE = (".loc", ".file", ".section", "//", "$L__tmp", "$L__info", "$L__func")

Place = tuple[str, int, int]


def find_places(ptx: str, located: str, lines: Sequence[int]) -> list[Place]:
    """Files, lines and columns of the source that lines of PTX come from; of those that are known.

    Args:
        ptx: The text whose lines are asked for.
        located: The same code with directives that say where it comes from.
        lines: Numbers, from 1.
    """
    files = {number: f"{folder}/{name}" if name else folder for number, folder, name in _FILE.findall(located)}
    places: list[Place | None] = []
    current: Place | None = None
    for line in located.splitlines():
        if match := _LOC.match(line):
            file, row, column = match.groups()
            current = (files.get(file, ""), int(row), int(column))
        elif _is_code(line):
            places.append(current)
    numbers = [number for number, line in enumerate(ptx.splitlines(), 1) if _is_code(line)]
    positions = {number: i for i, number in enumerate(numbers)}
    if len(positions) != len(places):
        return []
    found = [places[positions[line]] for line in lines if line in positions]
    return list(dict.fromkeys(place for place in found if place is not None and place[0]))


def _is_code(line: str) -> bool:
    text = line.strip()
    return bool(text) and not text.startswith(_NO_CODE)
