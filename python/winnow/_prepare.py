# SPDX-License-Identifier: Apache-2.0
"""From conditions to what the library takes: Prepared."""

from __future__ import annotations

import re
from typing import Any, Mapping, Sequence

from . import _winnow
from ._expression import Condition
from ._library import TYPES

_COMPARISON = re.compile(
    r"\s*[A-Za-z_]\w*\s*(<=|<|==|!=|>=|>)\s*"
    r"(-?(?:0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]+)?)\s*\Z",
    re.ASCII,
)
_COMPARE = {"<": 0, "<=": 1, "==": 2, "!=": 3, ">=": 4, ">": 5}
_WORD = re.compile(r"\b[A-Za-z_]\w*", re.ASCII)
_GRAMMAR = {"in", "isnan", "isfinite", "and", "or", "not", "between"}


def _text_of(condition: str | Condition) -> str:
    return condition if isinstance(condition, str) else condition.text


def one(condition: str | Condition, kind: int) -> _winnow.Prepared:
    """For an array, which is called by whatever name the condition has."""
    text = _text_of(condition)
    names = {word for word in _WORD.findall(text) if word.lower() not in _GRAMMAR}
    name = names.pop() if len(names) == 1 else "x"
    prepared = _winnow.parse(text, (name,), (kind,))
    match = _COMPARISON.match(text)
    if match:
        comparison, number, point, exponent = match.groups()
        value = float(number) if point or exponent else int(number)
        _winnow.compare(prepared, _COMPARE[comparison], value)
    return prepared


_kept: dict[Any, _winnow.Prepared] = {}
_MOST_KEPT = 256


def many(
    condition: str | Condition | _winnow.Prepared,
    names: Sequence[str],
    kinds: Sequence[int],
) -> _winnow.Prepared:
    """For columns of these names and types."""
    if isinstance(condition, _winnow.Prepared):
        return condition
    key = (_text_of(condition), tuple(names), tuple(kinds))
    prepared = _kept.get(key)
    if prepared is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        prepared = _kept[key] = _winnow.parse(*key)
    return prepared


def named(condition: str | Condition, names: Sequence[str]) -> list[str]:
    """Those of the columns that a condition may be about, in their order."""
    text = _text_of(condition)
    return [name for name in names if name in text]


def prepare(condition: str | Condition, dtype: Any) -> _winnow.Prepared:
    """Make a condition ready for elements of a dtype, such as 'float32'.

    Calls keep what they prepared, so this saves them the look-up alone.
    """
    name = getattr(dtype, "name", None) or str(dtype).split(".")[-1]
    if isinstance(dtype, type):
        name = dtype.__name__
    if name not in TYPES:
        raise TypeError(f"winnow has no type {dtype!r}")
    return one(condition, TYPES[name])


_winnow.set_prepare(one)
