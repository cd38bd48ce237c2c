"""Matrix instructions: one wave multiplies one tile, with the layouts of the vendor's documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from emulator_kernels import wave_size
from tilewright.runtime.amd.emulator import IllegalExecution, launch

_TYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "u8": np.uint8,
    "fp8": ml_dtypes.float8_e4m3fn,
    "bf8": ml_dtypes.float8_e5m2,
    "fp8fnuz": ml_dtypes.float8_e4m3fnuz,
    "bf8fnuz": ml_dtypes.float8_e5m2fnuz,
    "i32": np.int32,
}
_IR_TYPES = {"f16": "half", "f32": "float", "f64": "double", "i32": "i32", "bf16": "bfloat"}


@dataclass(frozen=True)
class Case:
    """An instruction: its intrinsic, the IR types of A and B, the element types and the shape."""

    arch: str
    intrinsic: str
    operand: str
    a: str
    b: str
    result: str
    rows: int
    depth: int

    @property
    def name(self) -> str:
        return f"{self.arch}_{self.intrinsic}_{self.a}"

    @property
    def replicated(self) -> bool:
        """Whether both halves of the wave hold the same A and B."""
        return self.arch == "gfx1100"

    @property
    def results(self) -> int:
        return self.rows * self.rows // wave_size(self.arch)

    @property
    def spread(self) -> int:
        """Elements of an accumulator vector for each result: gfx11 uses one half of a register."""
        return 2 if self.replicated and self.result in ("f16", "bf16") else 1

    def row(self, element: int, lane: np.ndarray) -> np.ndarray:
        """Row of D that each lane's result belongs to."""
        if self.arch == "gfx1100":
            return 2 * element + lane // 16
        if self.arch == "gfx1200":
            return element + 8 * (lane // 16)
        if self.result == "f64":
            return 4 * element + lane // 16
        if self.rows == 16:
            return 4 * (lane // 16) + element
        return 8 * (element // 4) + 4 * (lane // 32) + element % 4


def _mfma(arch: str, name: str, operand: str, a: str, b: str, result: str, rows: int, depth: int) -> Case:
    return Case(arch, f"mfma.{result}.{rows}x{rows}x{depth}{name}", operand, a, b, result, rows, depth)


def _wmma(arch: str, a: str, b: str, operand: str, result: str = "f32") -> Case:
    kind = {"i8": "iu8", "u8": "iu8"}.get(a, f"{a}.{b}" if "8" in a else a)
    return Case(arch, f"wmma.{result}.16x16x16.{kind}", operand, a, b, result, 16, 16)


CASES = [
    _wmma("gfx1100", "f16", "f16", "<16 x half>"),
    _wmma("gfx1100", "bf16", "bf16", "<16 x i16>"),
    _wmma("gfx1100", "f16", "f16", "<16 x half>", "f16"),
    _wmma("gfx1100", "i8", "i8", "<4 x i32>", "i32"),
    _wmma("gfx1100", "u8", "u8", "<4 x i32>", "i32"),
    _wmma("gfx1200", "f16", "f16", "<8 x half>"),
    _wmma("gfx1200", "bf16", "bf16", "<8 x i16>"),
    _wmma("gfx1200", "f16", "f16", "<8 x half>", "f16"),
    _wmma("gfx1200", "i8", "i8", "<2 x i32>", "i32"),
    _wmma("gfx1200", "fp8", "fp8", "<2 x i32>"),
    _wmma("gfx1200", "bf8", "fp8", "<2 x i32>"),
    _mfma("gfx942", "f16", "<4 x half>", "f16", "f16", "f32", 16, 16),
    _mfma("gfx942", "f16", "<4 x half>", "f16", "f16", "f32", 32, 8),
    _mfma("gfx942", "bf16.1k", "<4 x i16>", "bf16", "bf16", "f32", 16, 16),
    _mfma("gfx942", "bf16.1k", "<4 x i16>", "bf16", "bf16", "f32", 32, 8),
    _mfma("gfx942", ".i8", "i64", "i8", "i8", "i32", 16, 32),
    _mfma("gfx942", ".i8", "i64", "i8", "i8", "i32", 32, 16),
    _mfma("gfx942", ".fp8.fp8", "i64", "fp8fnuz", "fp8fnuz", "f32", 16, 32),
    _mfma("gfx942", ".bf8.fp8", "i64", "bf8fnuz", "fp8fnuz", "f32", 32, 16),
    _mfma("gfx942", "f32", "float", "f32", "f32", "f32", 16, 4),
    _mfma("gfx942", "f32", "float", "f32", "f32", "f32", 32, 2),
    _mfma("gfx942", "f64", "double", "f64", "f64", "f64", 16, 4),
    _mfma("gfx950", ".f16", "<8 x half>", "f16", "f16", "f32", 16, 32),
    _mfma("gfx950", ".f16", "<8 x half>", "f16", "f16", "f32", 32, 16),
    _mfma("gfx950", ".bf16", "<8 x bfloat>", "bf16", "bf16", "f32", 16, 32),
    _mfma("gfx950", ".i8", "<4 x i32>", "i8", "i8", "i32", 16, 64),
    _mfma("gfx950", ".i8", "<4 x i32>", "i8", "i8", "i32", 32, 32),
    _mfma("gfx950", ".fp8.fp8", "i64", "fp8", "fp8", "f32", 16, 32),
]


def _call(case: Case, vector: str) -> str:
    """The call of the intrinsic on %a, %b and %c."""
    operand = case.operand
    if "mfma" in case.intrinsic:
        operands = f"{operand} %a, {operand} %b, {vector} %c, i32 0, i32 0, i32 0"
        return f"call {vector} @llvm.amdgcn.{case.intrinsic}({operands})"
    mangled = f"{_mangle(vector)}.{_mangle(operand)}"
    if case.result == "i32":
        signed = "true" if case.a == "i8" else "false"
        operands = f"i1 {signed}, {operand} %a, i1 {signed}, {operand} %b, {vector} %c, i1 false"
    else:
        operands = f"{operand} %a, {operand} %b, {vector} %c"
        operands += ", i1 false" if case.result == "f16" else ""
    return f"call {vector} @llvm.amdgcn.{case.intrinsic}.{mangled}({operands})"


def _mangle(ir_type: str) -> str:
    count, element = ir_type.strip("<>").split(" x ")
    names = {"half": "f16", "float": "f32", "bfloat": "bf16"}
    return f"v{count}{names.get(element, element)}"


def _kernel(case: Case) -> str:
    """Lane l loads its operands and C from slot l of arrays, and stores D there."""
    vector = f"<{case.results * case.spread} x {_IR_TYPES[case.result]}>"
    lines = [
        f'define amdgpu_kernel void @"{case.name}"(ptr addrspace(1) %pa, ptr addrspace(1) %pb, '
        "ptr addrspace(1) %pc, ptr addrspace(1) %pd) #0 {",
        "  %t = call i32 @llvm.amdgcn.workitem.id.x()",
        "  %i = zext i32 %t to i64",
    ]
    for name, kind in (("a", case.operand), ("b", case.operand), ("c", vector)):
        lines.append(f"  %g{name} = getelementptr {kind}, ptr addrspace(1) %p{name}, i64 %i")
        lines.append(f"  %{name} = load {kind}, ptr addrspace(1) %g{name}")
    lines += [
        f"  %d = {_call(case, vector)}",
        f"  %gd = getelementptr {vector}, ptr addrspace(1) %pd, i64 %i",
        f"  store {vector} %d, ptr addrspace(1) %gd",
        "  ret void\n}\n",
    ]
    return "\n".join(lines)


def _source(arch: str) -> str:
    threads = wave_size(arch)
    attributes = f'attributes #0 = {{ nounwind "amdgpu-flat-work-group-size"="{threads},{threads}" }}'
    return "\n".join(_kernel(case) for case in CASES if case.arch == arch) + attributes


def _random(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    dtype = np.dtype(_TYPES[kind])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (-1000, 1000) if dtype.itemsize == 4 else (info.min, info.max)
        return rng.integers(low, high, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def _operand_slots(case: Case, matrix: np.ndarray) -> np.ndarray:
    """What each lane loads of A or B, given as (row, k)."""
    lane = np.arange(wave_size(case.arch))
    per_lane = case.depth if case.replicated else case.depth * case.rows // len(lane)
    k = np.arange(per_lane)[None, :]
    if not case.replicated:
        k = k + (lane // case.rows * per_lane)[:, None]
    return np.ascontiguousarray(matrix[(lane % case.rows)[:, None], k])


def _run(case: Case, assemble, rng: np.random.Generator, block: int | None = None):
    code_object = assemble(_source(case.arch), case.arch)
    a, b = (_random(rng, kind, (case.rows, case.depth)) for kind in (case.a, case.b))
    c = _random(rng, case.result, (case.rows, case.rows))
    lane = np.arange(wave_size(case.arch))
    rows = np.stack([case.row(element, lane) for element in range(case.results)], axis=1)
    columns = np.broadcast_to((lane % case.rows)[:, None], rows.shape)
    slots = np.zeros((len(lane), case.results * case.spread), _TYPES[case.result])
    slots[:, :: case.spread] = c[rows, columns]
    result = np.zeros_like(slots)
    operands = [_operand_slots(case, matrix).view(np.uint8) for matrix in (a, b)]
    launch(code_object, case.name, (1,), (block or len(lane),), [*operands, slots, result])
    d = np.empty_like(c)
    d[rows, columns] = result[:, :: case.spread]
    return a, b, c, d


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_matches_numpy(case, assemble, rng):
    a, b, c, d = _run(case, assemble, rng)
    wide = np.int64 if case.result == "i32" else np.float64
    expected = a.astype(wide) @ b.astype(wide).T + c.astype(wide)
    if case.result == "i32":
        assert np.array_equal(d, expected)
    else:
        tolerance = {"f16": 2e-2, "f32": 1e-5, "f64": 1e-13}[case.result]
        np.testing.assert_allclose(d.astype(np.float64), expected, rtol=0, atol=tolerance * case.depth)


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_inactive_lanes_are_illegal(arch, assemble, rng):
    case = next(case for case in CASES if case.arch == arch)
    with pytest.raises(IllegalExecution, match="matrix instruction with inactive lanes.*`v_(mfma|wmma)"):
        _run(case, assemble, rng, block=wave_size(arch) - 1)


def test_operands_of_gfx11_must_be_replicated(assemble, rng, monkeypatch):
    case = next(case for case in CASES if case.arch == "gfx1100")

    def different_halves(case: Case, matrix: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.concatenate([matrix, matrix[::-1]]))

    monkeypatch.setitem(globals(), "_operand_slots", different_halves)
    with pytest.raises(IllegalExecution, match="differs between the halves of the wave"):
        _run(case, assemble, rng)
