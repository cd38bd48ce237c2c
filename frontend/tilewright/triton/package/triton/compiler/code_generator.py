"""Triton's way from Python to its IR."""

from tilewright.triton.refusal import Refusal

ast_to_ttir = Refusal("triton.compiler.code_generator.ast_to_ttir", "use triton.compile(ASTSource(...)).asm['ttir']")
CodeGenerator = Refusal("triton.compiler.code_generator.CodeGenerator", "use triton.compile(ASTSource(...))")
