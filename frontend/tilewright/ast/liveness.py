"""Which names are needed where: the values that control flow has to carry.

`annotate` stores on each `if`, `for` and `while` the names that are live after it
(`live_out`), and on each loop those live at the start of an iteration (`live_head`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

Names = frozenset[str]
_EMPTY: Names = frozenset()


def uses(node: ast.AST | None) -> Names:
    """Names that an expression reads."""
    if node is None:
        return _EMPTY
    found = getattr(node, "_uses", None)
    if found is None:
        found = frozenset(each.id for each in ast.walk(node)
                          if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
        node._uses = found  # type: ignore[attr-defined]
    return found


def stores(node: ast.AST) -> Names:
    """Names that an expression or a target assigns."""
    return frozenset(each.id for each in ast.walk(node)
                     if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def assigned(statements: Sequence[ast.AST]) -> Names:
    """Names that statements may assign."""
    result: Names = _EMPTY
    for statement in statements:
        found = getattr(statement, "_assigned", None)
        if found is None:
            found = statement._assigned = stores(statement)  # type: ignore[attr-defined]
        result |= found
    return result


def annotate(statements: Sequence[ast.stmt], live: Names = _EMPTY) -> Names:
    """Names live before statements, given those live after them."""
    for statement in reversed(statements):
        live = _before(statement, live)
    return live


def _before(node: ast.stmt, live: Names) -> Names:
    if isinstance(node, ast.Assign):
        return _assignment(node.targets, node.value, live)
    if isinstance(node, ast.AnnAssign):
        return _assignment([node.target], node.value, live)
    if isinstance(node, ast.AugAssign):
        return live | stores(node.target) | uses(node.target) | uses(node.value)
    if isinstance(node, ast.If):
        node.live_out = live  # type: ignore[attr-defined]
        return annotate(node.body, live) | annotate(node.orelse, live) | uses(node.test)
    if isinstance(node, ast.For):
        flag = getattr(node, "break_flag", None)
        head = _loop(node, live, stores(node.target), _EMPTY if flag is None else frozenset({flag}))
        if flag is not None:
            annotate(node.guarded, head)  # type: ignore[attr-defined]
        return head | uses(node.iter)
    if isinstance(node, ast.While):
        return _loop(node, live, _EMPTY, uses(node.test))
    if isinstance(node, ast.With):
        live = annotate(node.body, live)
        for item in reversed(node.items):
            if item.optional_vars is not None:
                live = (live - stores(item.optional_vars)) | uses(item.optional_vars)
            live |= uses(item.context_expr)
        return live
    if isinstance(node, ast.Return):
        return uses(node.value)
    return live | uses(node)


def _assignment(targets: Iterable[ast.expr], value: ast.expr | None, live: Names) -> Names:
    for target in targets:
        live = (live - stores(target)) | uses(target)
    return live | uses(value)


def _loop(node: ast.For | ast.While, live: Names, killed: Names, test: Names) -> Names:
    """A loop: what an iteration needs is live at its end too."""
    head = live | test
    while True:
        before = (annotate(node.body, head) - killed) | test | live
        if before == head:
            break
        head |= before
    node.live_out = live  # type: ignore[attr-defined]
    node.live_head = head  # type: ignore[attr-defined]
    return head
