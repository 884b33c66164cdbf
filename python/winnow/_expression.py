# SPDX-License-Identifier: Apache-2.0
"""Conditions as expressions: winnow.col("price") < 24."""

from __future__ import annotations

import math
import re
from typing import Any, Iterable, Union

from ._library import numpy

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

    __slots__ = ("text", "_parts", "_kept")

    text: str
    # What it is made of, if that includes a set of values, which no text has:
    # ("in", name, values), ("and", a, b), ("or", a, b), ("not", a).
    _parts: tuple[Any, ...] | None
    # What was prepared of those: it ends with the condition, for sets are large.
    _kept: dict[Any, Any] | None

    def __init__(self, text: str, _parts: tuple[Any, ...] | None = None) -> None:
        if not isinstance(text, str):
            raise TypeError(f"a condition is text, not {type(text).__name__}")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_parts", _parts)
        object.__setattr__(self, "_kept", None if _parts is None else {})

    @property
    def _key(self) -> str | Condition:
        """What prepared conditions are kept by."""
        return self.text if self._parts is None else self

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("conditions do not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Condition, (self.text, self._parts)

    def __repr__(self) -> str:
        return f"winnow.Condition({self.text!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        if self._parts is None or other._parts is None:
            return self._key == other._key
        return self is other

    def __hash__(self) -> int:
        return hash(self.text)

    def __and__(self, other: Condition | str) -> Condition:
        return _joined("and", self, other)

    def __rand__(self, other: str) -> Condition:
        return _joined("and", other, self)

    def __or__(self, other: Condition | str) -> Condition:
        return _joined("or", self, other)

    def __ror__(self, other: str) -> Condition:
        return _joined("or", other, self)

    def __invert__(self) -> Condition:
        parts = None if self._parts is None else ("not", self)
        return Condition(f"!({self.text})", parts)

    def __bool__(self) -> bool:
        raise TypeError(
            "a condition is neither true nor false: join conditions with &, | "
            "and ~, in parentheses, and write a range as between(low, high)"
        )


def _joined(word: str, a: Condition | str, b: Condition | str) -> Condition:
    first, second = (x if isinstance(x, Condition) else Condition(x) for x in (a, b))
    sign = {"and": "&&", "or": "||"}[word]
    parts = None
    if first._parts is not None or second._parts is not None:
        parts = (word, first, second)
    return Condition(f"({first.text}) {sign} ({second.text})", parts)


# As many numbers as this are written out; more are a set.
_MOST_WRITTEN = 16


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
        return Condition(f"{self._text} in ({_listed(values)})")


def _listed(values: Iterable[Number]) -> str:
    return ", ".join(_number(value) for value in values)


class Column(_Operand):
    """A column by its name: winnow.col("price")."""

    __slots__ = ("name",)

    name: str

    def __init__(self, name: str) -> None:
        plain = _NAME.match(name) and name.lower() not in _WORDS
        quoted = '"' + name.replace('"', '""') + '"'
        super().__init__(name if plain else quoted)
        self.name = name

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

    def isin(self, values: Iterable[Number]) -> Condition:
        """One of these numbers: of a list, or of an array, which may be long.

        A NaN is in no set, and -0 equals 0.
        """
        numbers: Any = values if hasattr(values, "dtype") else list(values)
        if not hasattr(numbers, "dtype") and len(numbers) <= _MOST_WRITTEN:
            return Condition(f"{self._text} in ({_listed(numbers)})")
        np = numpy()
        array = np.array(numbers).reshape(-1)
        if array.dtype.kind == "f" and isinstance(numbers, list):
            # Integers of a list stay exact, beside floats and of any size.
            plain = [v.item() if hasattr(v, "item") else v for v in numbers]
            if any(isinstance(v, int) for v in plain):
                array = np.array(plain, object)
        text = f"{self._text} in ({len(array)} values)"
        return Condition(text, ("in", self.name, array))

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
        return f"winnow.col({self.name!r})"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS = {"and", "or", "not", "in", "between", "true", "false"}


def col(name: str) -> Column:
    """The column of that name, in a condition.

    >>> winnow.col("price") < 24
    winnow.Condition('price < 24')
    """
    if not isinstance(name, str) or not name:
        raise TypeError(f"a column is not called {name!r}")
    return Column(name)
