# SPDX-License-Identifier: Apache-2.0
"""Selections: which items are kept, to be used any number of times."""

from __future__ import annotations

from typing import Any

from . import _winnow
from ._expression import Column, Condition
from ._winnow import Prepared, Selection

Predicate = str | Condition | Column | Prepared


def select(
    x: Any = None,
    predicate: Predicate | None = None,
    *,
    mask: Any = None,
    n: Any = None,
) -> Selection:
    """Which items pass, to be used any number of times.

    Parameters
    ----------
    x : array, mapping of arrays, or records of NumPy
        What the condition tests.
    predicate : str, Condition or Prepared
        select(x, "x > 0"), select({"price": p, "id": i}, "price < 24 && id > 3")
    mask : array of bool, in place of both
        select(mask=m)
    n : int, Result or array of one int64, optional
        How many of the items count. A number on the device is not waited for.

    Returns
    -------
    Selection
    """
    if (mask is None) == (x is None) or (predicate is None) != (x is None):
        raise TypeError("select() takes an array and a condition, or mask=")
    return _winnow.select(x, predicate, mask, n, None)
