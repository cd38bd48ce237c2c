"""The state of one wave: its registers, execution mask and the memories it sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .decoding.instruction import EXEC, M0, NULL, VCC
from .values.numeric import MASK32, MASK64

if TYPE_CHECKING:
    from .memory.spaces import HostMemory, Lds, Scratch

_VECTOR_REGISTERS = 512  # 256 vector and 256 accumulation registers
_SCALAR_REGISTERS = 128
# A NaN as f32 and as f16: what reads a register that was never written shows in the result.
_STALE_VECTOR, _STALE_SCALAR = 0x7FC0DEAD, 0xDEAD0000


def mask_to_lanes(mask: int, width: int) -> Any:
    """A lane mask as an array of bools."""
    raw = np.frombuffer((mask & MASK64).to_bytes(8, "little"), np.uint8)
    return np.unpackbits(raw, bitorder="little")[:width].astype(bool)


class Wave:
    """One wave of a workgroup."""

    def __init__(
        self, width: int, live: int, index: int, memory: HostMemory, lds: Lds, scratch: Scratch
    ) -> None:
        self.width = width
        self.mask_registers = width // 32
        """Scalar registers that a lane mask takes."""
        self.index = index
        self.memory, self.lds, self.scratch = memory, lds, scratch
        self.vector = np.full((_VECTOR_REGISTERS, width), _STALE_VECTOR, np.uint32)
        self.typed: dict[str, Any] = {
            "u32": self.vector,
            "i32": self.vector.view(np.int32),
            "f32": self.vector.view(np.float32),
            "u16": self.vector.view(np.uint16),
            "i16": self.vector.view(np.int16),
            "f16": self.vector.view(np.float16),
        }
        self.scalar = [_STALE_SCALAR + index for index in range(_SCALAR_REGISTERS)]
        for register in (VCC, VCC + 1, M0, NULL):
            self.scalar[register] = 0
        self.scc = 0
        self.pc = 0
        self.executed = 0
        self.set_exec((1 << live) - 1)

    def set_exec(self, mask: int) -> None:
        """Change the execution mask and all that is derived from it."""
        self.scalar[EXEC], self.scalar[EXEC + 1] = mask & MASK32, (mask >> 32) & MASK32
        self.exec = mask & ((1 << self.width) - 1)
        self.active = mask_to_lanes(self.exec, self.width)
        self.all_active = self.exec == (1 << self.width) - 1

    def pair(self, index: int) -> int:
        """Two scalar registers as one 64-bit number."""
        return self.scalar[index] | self.scalar[index + 1] << 32

    def mask(self, index: int) -> int:
        """A lane mask held in scalar registers."""
        return self.scalar[index] if self.width == 32 else self.pair(index)

    def lanes(self, index: int) -> Any:
        """The same as an array of bools."""
        return mask_to_lanes(self.mask(index), self.width)

    def set_scalar(self, index: int, value: int, registers: int = 1) -> None:
        """Write scalar registers; a write of exec takes effect, one of null is dropped."""
        for offset in range(registers):
            if index + offset != NULL:
                self.scalar[index + offset] = (value >> 32 * offset) & MASK32
        if EXEC <= index + registers - 1 and index <= EXEC + 1:
            self.set_exec(self.pair(EXEC))

    def set_lanes(self, index: int, lanes: Any) -> None:
        """Write a lane mask into scalar registers; inactive lanes give zero."""
        self.set_scalar(index, self.active_mask(lanes), self.mask_registers)

    def active_mask(self, lanes: Any) -> int:
        """The active ones among ``lanes`` as a number."""
        chosen = np.broadcast_to(lanes, (self.width,)) & self.active
        return int.from_bytes(np.packbits(chosen, bitorder="little").tobytes(), "little")

    def first_active(self) -> int:
        """The lowest active lane, lane 0 when there is none."""
        return (self.exec & -self.exec).bit_length() - 1 if self.exec else 0
