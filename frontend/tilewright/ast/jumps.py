"""`return`, `break` and `continue` written as structured control flow.

A statement that jumps on one branch of an `if` moves what follows into the other
branch; where that is not enough, flags say what is skipped:

    for i in range(n):              $break0 = False
        if done(i):                 for i in range(n) until $break0:
            break                       if done(i):
        work(i)                             $break0 = True
                                        else:
                                            work(i)

Afterwards a `return` stands only at the end of a path through the function. The
names of flags start with `$`, which no name in a program does.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UnsupportedLanguageConstruct
from .frame import RESULT
from .liveness import annotate
from .source import FunctionSource

RETURNED = "$returned"
SKIP = "$skip"
_LOOPS = (ast.For, ast.While)
_JUMPS = (ast.Return, ast.Break, ast.Continue)


def body_without_jumps(source: FunctionSource) -> list[ast.stmt]:
    """The statements of a function, ready to be lowered."""
    if source.structured is None:
        with source.lock:
            if source.structured is None:
                _ = source.outer_names  # read before the tree is changed
                source.structured = _structure(source)
    return source.structured


def _structure(source: FunctionSource) -> list[ast.stmt]:
    tree = source.tree
    if tree.args.kwarg is not None:
        raise _refuse(source, tree.args.kwarg, f"functions of kernels take no '**{tree.args.kwarg.arg}'",
                      "name the parameters, or take a tuple")
    _prune(tree)
    body = _Rewriter(source).function(tree) if _needs_rewriting(tree.body) else tree.body
    annotate(body, frozenset({RESULT}))
    return body


def _refuse(source: FunctionSource, node: ast.AST, message: str, hint: str) -> UnsupportedLanguageConstruct:
    return UnsupportedLanguageConstruct(message, hint, position=source.position(node))


def _needs_rewriting(body: Sequence[ast.stmt]) -> bool:
    return any(_jumps(statement) for statement in body[:-1]) or (
        bool(body) and not isinstance(body[-1], ast.Return) and _jumps(body[-1]) is not None
        or _has_loop_jumps(body))


def _has_loop_jumps(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, (ast.Break, ast.Continue)) for statement in body for node in ast.walk(statement))


def _jumps(node: ast.stmt, inside_loop: bool = False) -> ast.stmt | None:
    """The first part of a statement that may leave the sequence that it is part of."""
    if isinstance(node, ast.Return):
        return node
    if isinstance(node, (ast.Break, ast.Continue)):
        return None if inside_loop else node
    inner = inside_loop or isinstance(node, _LOOPS)
    found = (_jumps(child, inner) for name in ("body", "orelse") for child in getattr(node, name, ())
             if isinstance(child, ast.stmt))
    return next((jump for jump in found if jump is not None), None)


def _always_jumps(body: Sequence[ast.stmt]) -> bool:
    for node in body:
        if isinstance(node, _JUMPS):
            return True
        if isinstance(node, ast.If) and _always_jumps(node.body) and _always_jumps(node.orelse):
            return True
    return False


def _prune(node: ast.AST) -> None:
    """Drop what follows a jump."""
    for name in ("body", "orelse"):
        body = getattr(node, name, None)
        if isinstance(body, list):
            for place, child in enumerate(body):
                _prune(child)
                if _always_jumps([child]):
                    del body[place + 1:]
                    break


def _returns(node: ast.stmt) -> bool:
    return any(isinstance(each, ast.Return) for each in ast.walk(node))


@dataclass
class _Loop:
    """The flags of a loop."""

    left: str
    skip: str
    uses_left: bool = False
    uses_skip: bool = False


def _set(name: str, value: bool, at: ast.stmt) -> ast.stmt:
    statement = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return ast.fix_missing_locations(ast.copy_location(statement, at))


def _test(name: str, at: ast.AST) -> ast.expr:
    """`not name`."""
    return ast.fix_missing_locations(ast.copy_location(ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load())), at))


def _guard(name: str, body: list[ast.stmt]) -> list[ast.stmt]:
    """`if not name: body`."""
    if not body:
        return []
    return [ast.copy_location(ast.If(_test(name, body[0]), body, []), body[0])]


class _Rewriter:
    def __init__(self, source: FunctionSource) -> None:
        self.source = source
        self.loops = 0
        self.flags_result = False

    def function(self, tree: ast.FunctionDef) -> list[ast.stmt]:
        """The body of a function without jumps but returns at its ends."""
        complete = _always_jumps(tree.body)
        gives_value = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(tree))
        body = self.block(tree.body, None, False)
        tree.fills_result = self.flags_result and gives_value  # type: ignore[attr-defined]
        if self.flags_result:
            if gives_value and not complete:
                raise _refuse(self.source, tree, f"'{tree.name}' does not return a value on every path",
                              "end the function with a return")
            body.insert(0, _set(RETURNED, False, tree.body[0]))
        return body

    def block(self, body: Sequence[ast.stmt], loop: _Loop | None, flagged: bool) -> list[ast.stmt]:
        """A sequence; where `flagged`, a jump also sets the flag that skips what follows outside of it."""
        result: list[ast.stmt] = []
        for place, node in enumerate(body):
            rest = list(body[place + 1:])
            if isinstance(node, _JUMPS):
                return result + self.jump(node, loop, flagged)
            if isinstance(node, ast.If):
                if _jumps(node):
                    return result + self.branch(node, rest, loop, flagged)
                node.body, node.orelse = self.block(node.body, loop, False), self.block(node.orelse, loop, False)
            if isinstance(node, ast.With):
                jump = _jumps(node)
                if jump is not None:
                    raise _refuse(self.source, jump, f"'{type(jump).__name__.lower()}' inside of 'with' is not "
                                  "supported in kernels", "set a variable there, and leave after the 'with'")
                node.body = self.block(node.body, loop, False)
            if isinstance(node, _LOOPS):
                returns = _returns(node)
                result += self.loop(node)
                if returns:
                    return result + self.after_returning_loop(node, rest, loop, flagged)
                continue
            result.append(node)
        return result

    def jump(self, node: ast.stmt, loop: _Loop | None, flagged: bool) -> list[ast.stmt]:
        if isinstance(node, ast.Return):
            if loop is None and not flagged:
                return [node]
            return self.early_return(node, loop, flagged)
        if loop is None:
            return [node]  # the lowering refuses a break outside of a loop
        result = []
        if isinstance(node, ast.Break):
            loop.uses_left = True
            result.append(_set(loop.left, True, node))
        if flagged:
            loop.uses_skip = True
            result.append(_set(loop.skip, True, node))
        return result or [ast.copy_location(ast.Pass(), node)]

    def early_return(self, node: ast.Return, loop: _Loop | None, flagged: bool) -> list[ast.stmt]:
        """A return with more statements after it on other paths."""
        self.flags_result = True
        result: list[ast.stmt] = []
        if node.value is not None:
            target: list[ast.expr] = [ast.Name(RESULT, ast.Store())]
            result.append(ast.fix_missing_locations(ast.copy_location(ast.Assign(target, node.value), node)))
        result.append(_set(RETURNED, True, node))
        if loop is not None:
            result += self.jump(ast.copy_location(ast.Break(), node), loop, flagged)
        return result

    def branch(self, node: ast.If, rest: list[ast.stmt], loop: _Loop | None, flagged: bool) -> list[ast.stmt]:
        if _always_jumps(node.body):
            node.body, node.orelse = (self.block(node.body, loop, flagged),
                                      self.block([*node.orelse, *rest], loop, flagged))
            return [node]
        if _always_jumps(node.orelse):
            node.body, node.orelse = (self.block([*node.body, *rest], loop, flagged),
                                      self.block(node.orelse, loop, flagged))
            return [node]
        inner = flagged or bool(rest)
        node.body, node.orelse = self.block(node.body, loop, inner), self.block(node.orelse, loop, inner)
        if not rest:
            return [node]
        skip = RETURNED if loop is None else loop.skip
        guarded = _guard(skip, self.block(rest, loop, flagged))
        for each in guarded:
            each.skips_rest = True  # type: ignore[attr-defined]
        return [node, *guarded]

    def loop(self, node: ast.For | ast.While) -> list[ast.stmt]:
        flags = _Loop(f"$break{self.loops}", f"{SKIP}{self.loops}")
        self.loops += 1
        node.returns_value = any(  # type: ignore[union-attr]
            isinstance(each, ast.Return) and each.value is not None for each in ast.walk(node))
        node.body = self.block(node.body, flags, False)
        if flags.uses_skip:
            node.body.insert(0, _set(flags.skip, False, node.body[0]))
        if not flags.uses_left:
            return [node]
        if isinstance(node, ast.For):
            node.break_flag = flags.left  # type: ignore[attr-defined]
            node.guarded = _guard(flags.left, node.body)  # type: ignore[attr-defined]
        else:
            node.test = self.unless_left(flags.left, node.test)
        return [_set(flags.left, False, node), node]

    @staticmethod
    def unless_left(flag: str, test: ast.expr) -> ast.expr:
        """The condition of a while that a break has not left; it is not evaluated afterwards."""
        if isinstance(test, ast.Constant) and test.value:
            return _test(flag, test)
        choice = ast.IfExp(_test(flag, test), test, ast.Constant(False))
        return ast.fix_missing_locations(ast.copy_location(choice, test))

    def after_returning_loop(self, node: ast.stmt, rest: list[ast.stmt], loop: _Loop | None,
                             flagged: bool) -> list[ast.stmt]:
        """What follows a loop that may return."""
        if loop is None:
            return _guard(RETURNED, self.block(rest, None, flagged))
        leave = ast.If(ast.Name(RETURNED, ast.Load()), [ast.Break()], [])
        return self.block([ast.fix_missing_locations(ast.copy_location(leave, node)), *rest], loop, flagged)
