"""Finds bytes of LDS that two waves use without a barrier in between.

The waves of a workgroup run one after another here, so a missing barrier need not show in the
numbers; on hardware it is a race all the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DataRace

_NOBODY, _SEVERAL = -1, -2


class RaceDetector:
    """Who has read, written and atomically updated each byte since the last barrier.

    Reads go together, and so do atomics; everything else must be the same wave's. Waves
    that hold copies may all write them: a write of what is there already changes nothing.
    """

    def __init__(self, size: int) -> None:
        self._readers = np.full(size, _NOBODY, np.int16)
        self._writers = np.full(size, _NOBODY, np.int16)
        self._updaters = np.full(size, _NOBODY, np.int16)
        self._used = False

    def reset(self) -> None:
        if self._used:
            for marks in (self._readers, self._writers, self._updaters):
                marks.fill(_NOBODY)
        self._used = False

    def read(self, wave: int, index: Any) -> None:
        self._check(wave, index, "reads", ("wrote", self._writers), ("updated", self._updaters))
        self._mark(self._readers, wave, index)

    def write(self, wave: int, index: Any, changes: Any) -> None:
        """``changes`` says which bytes become others than they were."""
        self._check(
            wave, index[changes], "writes",
            ("wrote", self._writers), ("read", self._readers), ("updated", self._updaters),
        )  # fmt: skip
        self._mark(self._writers, wave, index)

    def update(self, wave: int, index: Any) -> None:
        self._check(wave, index, "updates", ("wrote", self._writers), ("read", self._readers))
        self._mark(self._updaters, wave, index)

    def _mark(self, marks: Any, wave: int, index: Any) -> None:
        self._used = True
        before = marks[index]
        marks[index] = np.where((before == _NOBODY) | (before == wave), wave, _SEVERAL)

    @staticmethod
    def _check(wave: int, index: Any, doing: str, *others: tuple[str, Any]) -> None:
        for done, marks in others:
            found = marks[index]
            clash = (found != _NOBODY) & (found != wave)
            if clash.any():
                other = int(found[clash][0])
                who = "other waves" if other == _SEVERAL else f"wave {other}"
                byte = int(index[clash][0])
                raise DataRace(
                    f"wave {wave} {doing} byte {byte} of LDS, which {who} {done} in the same barrier interval"
                )
