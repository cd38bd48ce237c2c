"""MLIR contexts are replaced from time to time, between modules alone."""

import tilewright as tw
import tilewright.language as tl
from tilewright.ast import builder


@tw.jit
def put(out, n: tl.int32):
    tl.store(out + n, 1.0)


def test_a_module_is_of_one_context(build, monkeypatch):
    """The last module of a context takes nothing from the next one."""
    made = []

    class Counted(builder.Session):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    builder.drop_session()
    monkeypatch.setattr(builder, "Session", Counted)
    monkeypatch.setattr(builder, "MODULES_OF_A_CONTEXT", 3)
    for number in range(1, 8):
        module = build(put, out="*fp32:16", n="i32:16")
        assert len(made) == (number + 2) // 3
        assert module.context is made[-1].context
