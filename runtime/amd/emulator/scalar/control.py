"""Branches, waits and the other scalar instructions that steer a wave."""

from __future__ import annotations

from collections.abc import Callable

from ..decoding.access import Execute, Target
from ..decoding.handlers import Handlers
from ..decoding.instruction import VCC, Instruction
from ..errors import IllegalExecution, UnsupportedInstruction
from ..values.numeric import sign_extend
from ..wave import Wave

HANDLERS: Handlers[Callable[[Instruction, Target], Execute]] = Handlers()

# Waits and hints: memory is accessed at once here, and there is no timing. Barriers and the end
# of the program are the scheduler's.
_NO_EFFECT = (
    r"s_nop|s_wait\w*|s_delay_alu|s_clause|s_barrier(_signal|_wait|_leave)?|s_endpgm|s_sleep\w*|s_setprio|s_wakeup"
    r"|s_set_inst_prefetch_distance|s_inst_prefetch|s_icache_inv|s_dcache_\w+|s_prefetch_\w+"
    r"|s_sendmsg|s_ttracedata\w*|s_incperflevel|s_decperflevel|s_version"
)


@HANDLERS.matches(_NO_EFFECT)
def _decode_no_effect(instruction: Instruction, target: Target) -> Execute:
    return lambda wave: None


@HANDLERS.matches("s_trap|s_sethalt")
def _decode_trap(instruction: Instruction, target: Target) -> Execute:
    def execute(wave: Wave) -> None:
        raise IllegalExecution("the kernel trapped")

    return execute


_CONDITIONS: dict[str, Callable[[Wave], bool]] = {
    "s_branch": lambda wave: True,
    "s_cbranch_scc0": lambda wave: not wave.scc,
    "s_cbranch_scc1": lambda wave: bool(wave.scc),
    "s_cbranch_vccz": lambda wave: wave.mask(VCC) == 0,
    "s_cbranch_vccnz": lambda wave: wave.mask(VCC) != 0,
    "s_cbranch_execz": lambda wave: wave.exec == 0,
    "s_cbranch_execnz": lambda wave: wave.exec != 0,
}


def _branch_target(instruction: Instruction) -> int:
    return instruction.address + 4 + 4 * sign_extend(instruction.word & 0xFFFF, 16)


@HANDLERS.matches("|".join(_CONDITIONS))
def _decode_branch(instruction: Instruction, target: Target) -> Execute:
    condition, destination = _CONDITIONS[instruction.mnemonic], _branch_target(instruction)

    def execute(wave: Wave) -> None:
        if condition(wave):
            wave.pc = destination

    return execute


@HANDLERS.matches("s_getpc_b64")
def _decode_get_pc(instruction: Instruction, target: Target) -> Execute:
    (destination,) = instruction.operands
    following = target.base + instruction.next_address
    return lambda wave: wave.set_scalar(destination.index, following, 2)


@HANDLERS.matches("s_setpc_b64")
def _decode_set_pc(instruction: Instruction, target: Target) -> Execute:
    (source,) = instruction.operands

    def execute(wave: Wave) -> None:
        wave.pc = wave.pair(source.index) - target.base

    return execute


@HANDLERS.matches("s_swappc_b64|s_call_b64")
def _decode_call(instruction: Instruction, target: Target) -> Execute:
    destination, callee = instruction.operands
    following = target.base + instruction.next_address
    is_indirect = instruction.mnemonic == "s_swappc_b64"

    def execute(wave: Wave) -> None:
        address = (
            wave.pair(callee.index) - target.base if is_indirect else _branch_target(instruction)
        )
        wave.set_scalar(destination.index, following, 2)
        wave.pc = address

    return execute


@HANDLERS.matches("s_memtime|s_memrealtime|s_get_shader_cycles_u64")
def _decode_clock(instruction: Instruction, target: Target) -> Execute:
    (destination,) = instruction.operands
    return lambda wave: wave.set_scalar(destination.index, wave.executed, 2)


# The bits of the mode register that change results: rounding, then denormals.
_FLOAT_MODE_BITS = range(8)


@HANDLERS.matches(r"s_setreg(_imm32)?_b32")
def _decode_set_register(instruction: Instruction, target: Target) -> Execute:
    name, *position = (part.strip() for part in instruction.operands[0].text[6:-1].split(","))
    first, count = (int(part) for part in position) if position else (0, 32)
    is_mode = name in ("HW_REG_MODE", "HW_REG_WAVE_MODE")
    if not is_mode or any(bit in _FLOAT_MODE_BITS for bit in range(first, first + count)):
        raise UnsupportedInstruction("change of a hardware register")
    return lambda wave: None


@HANDLERS.matches("s_round_mode|s_denorm_mode")
def _decode_float_mode(instruction: Instruction, target: Target) -> Execute:
    default = 0 if instruction.mnemonic == "s_round_mode" else 0xF
    if instruction.operands[0].value != default:
        raise UnsupportedInstruction("rounding other than to nearest even, or flushed denormals")
    return lambda wave: None
