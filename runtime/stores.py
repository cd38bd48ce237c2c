"""Which arguments a kernel stores to; asked only where a read-only array is passed."""

from __future__ import annotations

from typing import Any

from tilewright.runtime.launch import CompiledKernel

#: Operations that write through their first pointer operand.
_STORES = {"tile.store", "tile.atomic_rmw", "tile.atomic_cas", "tile.atomic_store",
           "tile.descriptor_store", "tile.descriptor_reduce", "tile.descriptor_scatter"}
#: Terminators that hand their operands to the operation around them.
_YIELDS = {"scf.yield", "scf.condition", "func.return"}


def stored_arguments(kernel: CompiledKernel) -> set[int]:
    """Numbers of the kernel's arguments that it stores to, from its stage `tile`."""
    from tilewright.mlir import ir

    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(kernel.asm["tile"])
        functions = {ir.StringAttr(op.attributes["sym_name"]).value: op
                     for op in module.body.operations if op.operation.name == "func.func"}
        entry = functions[kernel.name]
        return {number for number, argument in enumerate(entry.regions[0].blocks[0].arguments)
                if _reaches_store(argument, functions)}


def _reaches_store(argument: Any, functions: dict[str, Any]) -> bool:
    """Follow a pointer forwards through all that passes it on."""
    seen = set()
    pending = [argument]
    while pending:
        value = pending.pop()
        if value in seen or not _is_address(str(value.type)) and not _carries_address(value):
            continue
        seen.add(value)
        for use in value.uses:
            user = use.owner.operation if hasattr(use.owner, "operation") else use.owner
            if user.name in _STORES:
                if use.operand_number == 0:
                    return True
                continue
            pending += _passed_on(user, use.operand_number, functions)
    return False


def _is_address(type: str) -> bool:
    """Whether values of a type lead to memory."""
    return "!tile.ptr" in type or "!tile.desc" in type


def _carries_address(value: Any) -> bool:
    """Whether the value is an address as an integer."""
    owner = value.owner
    return hasattr(owner, "name") and owner.name == "tile.ptr_to_int"


def _passed_on(user: Any, number: int, functions: dict[str, Any]) -> list[Any]:
    """Values that may hold what an operation takes as its operand of that number."""
    if user.name == "scf.for":  # bounds and step come first; the first block argument is the counter
        return [user.results[number - 3], user.regions[0].blocks[0].arguments[number - 2]]
    if user.name == "scf.while":
        return [user.regions[0].blocks[0].arguments[number]]
    if user.name == "func.call":
        callee = functions[str(user.attributes["callee"]).removeprefix("@")]
        return [callee.regions[0].blocks[0].arguments[number], *user.results]
    if user.name in _YIELDS:
        return _yielded(user, number)
    return list(user.results)


def _yielded(terminator: Any, number: int) -> list[Any]:
    """Where the operand of a terminator goes."""
    parent = terminator.parent
    parent = parent.operation if hasattr(parent, "operation") else parent
    if terminator.name == "func.return":
        return []  # calls pass on all their arguments
    if terminator.name == "scf.condition":
        return [parent.results[number - 1], parent.regions[1].blocks[0].arguments[number - 1]]
    if parent.name == "scf.while":
        return [parent.regions[0].blocks[0].arguments[number]]
    if parent.name == "scf.for":
        return [parent.results[number], parent.regions[0].blocks[0].arguments[number + 1]]
    return [parent.results[number]] if number < len(parent.results) else []
