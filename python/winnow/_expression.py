# SPDX-License-Identifier: Apache-2.0
"""Conditions as expressions: winnow.col("price") < 24."""

from __future__ import annotations

import math
import re
from typing import Any, Iterable, Union

Number = Union[int, float]


def _number(value: Any) -> str:
    """A number as the library's grammar has it."""
    if hasattr(value, "item"):  # a scalar of NumPy's
        value = value.item()
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(
                f"a condition compares with numbers, not with {value}: use "
                "isnan() or isfinite()"
            )
        return repr(value)
    raise TypeError(f"a condition compares with numbers, not with {value!r}")


class Condition:
    """Which items pass: text in the library's grammar.

    Conditions join with ``&``, ``|`` and ``~``, and can be pickled. The text is
    that of winnow_condition_parse(3)::

        winnow.Condition("price < 24 && id in (4, 8)")
        (winnow.col("price") < 24) & winnow.col("id").isin([4, 8])
    """

    __slots__ = ("text",)

    text: str

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a condition is text, not {type(text).__name__}")
        object.__setattr__(self, "text", text)

    @property
    def _key(self) -> str:
        return self.text

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("conditions do not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition, (self.text,)

    def __repr__(self) -> str:
        return f"winnow.Condition({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __and__(self, other: Condition | str) -> Condition:
        return Condition(f"({self.text}) && ({_text(other)})")

    def __rand__(self, other: str) -> Condition:
        return Condition(f"({_text(other)}) && ({self.text})")

    def __or__(self, other: Condition | str) -> Condition:
        return Condition(f"({self.text}) || ({_text(other)})")

    def __ror__(self, other: str) -> Condition:
        return Condition(f"({_text(other)}) || ({self.text})")

    def __invert__(self) -> Condition:
        return Condition(f"!({self.text})")

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition is neither true nor false: join conditions with &, | "
            "and ~, in parentheses, and write a range as between(low, high)"
        )


def _text(condition: Condition | str) -> str:
    if isinstance(condition, Condition):
        return condition.text
    if isinstance(condition, str):
        return condition
    raise TypeError(f"{condition!r} is no condition")


class _Operand:
    """A column, or its bits under a mask."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __eq__(self, value: Any) -> Condition:  # type: ignore[override]
        return Condition(f"{self._text} == {_number(value)}")

    def __ne__(self, value: Any) -> Condition:  # type: ignore[override]
        return Condition(f"{self._text} != {_number(value)}")

    __hash__ = None  # type: ignore[assignment]

    def isin(self, values: Iterable[Number]) -> Condition:
        """One of these numbers."""
        if hasattr(values, "tolist"):
            values = values.tolist()
        numbers = ", ".join(_number(value) for value in values)
        if not numbers:
            raise ValueError("isin() of no numbers keeps nothing")
        return Condition(f"{self._text} in ({numbers})")


class Column(_Operand):
    """A column by its name: winnow.col("price")."""

    __slots__ = ()

    def __lt__(self, value: Number) -> Condition:
        return Condition(f"{self._text} < {_number(value)}")

    def __le__(self, value: Number) -> Condition:
        return Condition(f"{self._text} <= {_number(value)}")

    def __gt__(self, value: Number) -> Condition:
        return Condition(f"{self._text} > {_number(value)}")

    def __ge__(self, value: Number) -> Condition:
        return Condition(f"{self._text} >= {_number(value)}")

    def __and__(self, mask: int) -> _Operand:
        """The bits under a mask, to be compared by ==, != and isin()."""
        return _Operand(f"({self._text} & {_number(mask)})")

    def between(self, low: Number, high: Number) -> Condition:
        """low <= x and x <= high"""
        return Condition(f"{_number(low)} <= {self._text} <= {_number(high)}")

    def isnan(self) -> Condition:
        """x is no number."""
        return Condition(f"isnan({self._text})")

    def isfinite(self) -> Condition:
        """x is neither infinite nor NaN."""
        return Condition(f"isfinite({self._text})")

    def __bool__(self) -> bool:
        raise TypeError("a column is neither true nor false: compare it")

    def __repr__(self) -> str:
        return f"winnow.col({self._text!r})"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def col(name: str) -> Column:
    """The column of that name, in a condition.

    >>> winnow.col("price") < 24
    winnow.Condition('price < 24')
    """
    if not _NAME.match(name):
        raise ValueError(
            f"{name!r} is no name of a column: letters, digits and _"
        )
    return Column(name)
