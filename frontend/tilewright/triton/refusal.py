"""Names of Triton's that are not offered: they import, and say so when they are used."""

from __future__ import annotations

from typing import Any, NoReturn


class NotOffered(NotImplementedError):
    """A program uses something of Triton's that Tilewright does not have."""


class Refusal:
    """Stands for a name that is not offered.

    Args:
        name: As a program spells it.
        advice: What to do instead.
    """

    def __init__(self, name: str, advice: str) -> None:
        self.__name__ = self.__qualname__ = name
        self._advice = advice

    def _refuse(self) -> NoReturn:
        raise NotOffered(f"{self.__name__} is not offered by Tilewright, which runs this program in Triton's place: "
                         f"{self._advice}")

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._refuse()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Refusal(f"{self.__name__}.{name}", self._advice)

    def __getitem__(self, key: Any) -> NoReturn:
        self._refuse()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self.__name__}, which is not offered>"
