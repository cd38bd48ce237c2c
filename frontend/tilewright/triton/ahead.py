"""Triton's two commands for kernels without Python: `compile` writes variants, `link` joins them."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from tilewright.ahead import list_parameters, make_sources
from tilewright.errors import TargetError, TilewrightError
from tilewright.jit import JITFunction
from tilewright.triton.sources import ASTSource
from tilewright.triton.targets import GPUTarget, current, to_name

_LINE = re.compile(r"^// tilewright-link: (\S+) (\S+) (.*)$", re.MULTILINE)


# --- compile ------------------------------------------------------------------------------------------------
def load_module(path: Path) -> ModuleType:
    """A file as a module."""
    if not path.is_file():
        raise TargetError(f"there is no file '{path}'")
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def find_kernel(module: ModuleType, name: str) -> JITFunction:
    """A kernel of a module, below what tunes it."""
    kernel: Any = getattr(module, name, None)
    while kernel is not None and not isinstance(kernel, JITFunction):
        kernel = getattr(kernel, "fn", None)
    if kernel is None:
        raise TargetError(f"{module.__name__} has no kernel '{name}'")
    return kernel


def parse_constant(text: str) -> int | float | bool | None:
    """A constant of a signature; None if the text is a type."""
    words = {"True": True, "False": False}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def parse_signature(kernel: JITFunction, text: str) -> ASTSource:
    """A kernel with types and constants in the order of its parameters: "*fp32:16, i32, 1024"."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if len(entries) != len(kernel.arg_names):
        raise TargetError(f"the signature has {len(entries)} entries, but '{kernel.__name__}' has "
                          f"{len(kernel.arg_names)} parameters: {', '.join(kernel.arg_names)}")
    signature, constants = {}, {}
    for name, entry in zip(kernel.arg_names, entries, strict=True):
        constant = parse_constant(entry)
        if constant is None:
            signature[name] = entry
        else:
            signature[name] = "constexpr"
            constants[name] = constant
    return ASTSource(kernel, signature, constants)


def parse_target(text: str | None) -> str:
    """"cuda:90:32", "cpu", or by default the device of this machine."""
    if text is None:
        return to_name(current())
    backend, arch, warp_size = (text.split(":") + ["", ""])[:3]
    return to_name(GPUTarget(backend, int(arch) if arch.isdigit() else arch, int(warp_size or 32)))


def compile_main(argv: list[str] | None = None) -> int:
    """Write a kernel as C source and header."""
    parser = argparse.ArgumentParser(prog="python -m triton.tools.compile", description=compile_main.__doc__)
    parser.add_argument("path", type=Path, help="Python file with the kernel")
    parser.add_argument("--kernel-name", "-n", required=True)
    parser.add_argument("--num-warps", "-w", type=int, default=1)
    parser.add_argument("--num-stages", "-ns", type=int, default=3)
    parser.add_argument("--num-ctas", type=int, default=1)
    parser.add_argument("--out-name", "-on", help="name of the C function; the kernel's without it")
    parser.add_argument("--out-path", "-o", type=Path, help="of the files, without suffix")
    parser.add_argument("--signature", "-s", required=True, help="types and constants in order: '*fp32:16, i32, 64'")
    parser.add_argument("--grid", "-g", required=True, help="C expressions of the parameters: 'X, Y, Z'")
    parser.add_argument("--target", "-t", help="backend:arch:warp_size, such as cuda:90:32 or cpu")
    arguments = parser.parse_args(argv)
    try:
        print("\n".join(str(path) for path in _write_variant(arguments)))
    except TilewrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _write_variant(arguments: argparse.Namespace) -> list[Path]:
    kernel = find_kernel(load_module(arguments.path), arguments.kernel_name)
    source = parse_signature(kernel, arguments.signature)
    options = {name: getattr(arguments, name) for name in ("num_warps", "num_stages", "num_ctas")}
    target = parse_target(arguments.target)
    name = arguments.out_name or kernel.__name__
    text = f"{arguments.signature} {sorted(options.items())} {target}"
    function = f"{name}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    # Variants are linked into one program, and their symbols must differ.
    compiled = source.compile(target, options, f"{function}_kernel")
    divisors = compiled.metadata["divisibility"]
    sources = make_sources(compiled, [side.strip() for side in arguments.grid.split(",")], function)
    kinds = ",".join(f"{each.type.replace(' ', '')}:{each.name}:{divisor}" for each, divisor in
                     zip(list_parameters(compiled), divisors, strict=True))
    header = sources.files["h"]
    assert isinstance(header, str)
    line = f"// tilewright-link: {name} {function} {kinds}\n"
    prefix = arguments.out_path or arguments.path.with_name(name)
    folder, files = prefix.parent, {**sources.files, "h": line + header}
    return type(sources)(files).write(folder / function)


# --- link ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Variant:
    """One compiled variant of a kernel, as its header describes it."""

    name: str
    function: str
    parameters: tuple[tuple[str, str, int], ...]
    result: str
    header: str

    @property
    def signature(self) -> str:
        """Types and names of the parameters, as C declares them."""
        spaced = ((kind.replace("*", " *") if "*" in kind else f"{kind} ", name) for kind, name, _ in self.parameters)
        return ", ".join([self.stream, *(kind + name for kind, name in spaced)])

    @property
    def stream(self) -> str:
        """The first parameter."""
        return "CUstream tw_stream" if self.result == "CUresult" else "void *tw_stream"

    @property
    def condition(self) -> str:
        """What the arguments must fulfil, in C."""
        checks = [f"(uintptr_t){name} % {divisor} == 0" for _, name, divisor in self.parameters if divisor > 1]
        return " && ".join(checks) or "1"

    @property
    def call(self) -> str:
        """A call with the parameters of the joint function."""
        return f"{self.function}({', '.join(['tw_stream', *(name for _, name, _ in self.parameters)])})"


def read_variants(header: Path) -> list[Variant]:
    """The variants that a header of `compile` declares."""
    text = header.read_text()
    result = "CUresult" if "CUresult" in text else "int"
    variants = []
    for name, function, kinds in _LINE.findall(text):
        parameters = tuple((kind, parameter, int(divisor)) for kind, parameter, divisor in
                           (entry.split(":") for entry in kinds.split(",") if entry))
        variants.append(Variant(name, function, parameters, result, header.name))
    return variants


def link_main(argv: list[str] | None = None) -> int:
    """Join variants of a kernel under one name, which picks by alignment."""
    parser = argparse.ArgumentParser(prog="python -m triton.tools.link", description=link_main.__doc__)
    parser.add_argument("headers", nargs="+", type=Path, help="headers that compile wrote")
    parser.add_argument("--out", "-o", required=True, type=Path, help="of the files, without suffix")
    parser.add_argument("--prefix", default="", help="before the names of the functions")
    arguments = parser.parse_args(argv)
    variants = [variant for header in arguments.headers for variant in read_variants(header)]
    if not variants:
        print("error: none of the headers was written by triton.tools.compile", file=sys.stderr)
        return 1
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(variant.name, []).append(variant)
    mixed = [name for name, group in groups.items() if len({variant.signature for variant in group}) > 1]
    if mixed:
        print(f"error: the variants of '{mixed[0]}' have different parameters", file=sys.stderr)
        return 1
    _write_link(arguments.out, arguments.prefix, groups)
    return 0


def _write_link(out: Path, prefix: str, groups: dict[str, list[Variant]]) -> None:
    guard = re.sub(r"\W", "_", out.name).upper() + "_LINK_H"
    includes = "\n".join(sorted({f'#include "{variant.header}"' for group in groups.values() for variant in group}))
    declarations, definitions = [], [f'#include "{out.name}.h"\n']
    for name, group in groups.items():
        # The strictest conditions come first; what asks for nothing takes the rest.
        ordered = sorted(group, key=lambda variant: -sum(divisor > 1 for _, _, divisor in variant.parameters))
        function, first = prefix + name, ordered[0]
        declarations += [f"{first.result} {function}({first.signature});", f"void load_{function}(void);",
                         f"void unload_{function}(void);"]
        failure = "CUDA_ERROR_INVALID_VALUE" if first.result == "CUresult" else "-1"
        cases = "\n".join(f"  if ({variant.condition})\n    return {variant.call};" for variant in ordered)
        definitions.append(f"{first.result} {function}({first.signature}) {{\n{cases}\n  return {failure};\n}}\n")
        for verb in ("load", "unload"):
            calls = "\n".join(f"  {verb}_{variant.function}();" for variant in ordered)
            definitions.append(f"void {verb}_{function}(void) {{\n{calls}\n}}\n")
    body = "\n".join(declarations)
    out.with_name(out.name + ".h").write_text(
        f"#ifndef {guard}\n#define {guard}\n\n{includes}\n\n#ifdef __cplusplus\n"
        f'extern "C" {{\n#endif\n{body}\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n')
    out.with_name(out.name + ".c").write_text("\n".join(definitions))
