# SPDX-License-Identifier: Apache-2.0
"""Selections: the items that pass, as an object that calls can use repeatedly."""

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
    """Select the items that pass. You can use the selection any number of times.

    Parameters
    ----------
    x : array, mapping of arrays, or NumPy records
        The items that the condition tests.
    predicate : str, Condition or Prepared
        select(x, "x > 0"), select({"price": p, "id": i}, "price < 24 && id > 3")
    mask : array of bool, in place of x and predicate
        select(mask=m)
    n : int, Result or array of one int64, optional
        The number of items that count. The call does not wait for a number on the
        device.

    Returns
    -------
    Selection
    """
    if (mask is None) == (x is None) or (predicate is None) != (x is None):
        raise TypeError("select() takes an array and a condition, or mask=")
    return _winnow.select(x, predicate, mask, n, None)
