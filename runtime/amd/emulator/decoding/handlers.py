"""A list of functions that decode instructions, found by their mnemonic."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeVar

Handler = TypeVar("Handler", bound=Callable)


class Handlers(Generic[Handler]):
    """Functions by the pattern of the mnemonics that they decode; the first match counts."""

    def __init__(self) -> None:
        self._entries: list[tuple[re.Pattern[str], Handler]] = []

    def matches(self, pattern: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for mnemonics that match ``pattern`` as a whole."""

        def register(handler: Handler) -> Handler:
            self._entries.append((re.compile(pattern), handler))
            return handler

        return register

    def find(self, mnemonic: str) -> Handler | None:
        for pattern, handler in self._entries:
            if pattern.fullmatch(mnemonic):
                return handler
        return None
