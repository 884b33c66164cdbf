# SPDX-License-Identifier: Apache-2.0
"""Count, sum, mean, least and greatest of the items that pass, in one pass."""

from __future__ import annotations

from typing import Any, Iterable, Mapping

from . import _prepare, _winnow
from ._expression import Column, Condition, Expression
from ._selection import Predicate
from ._winnow import Prepared, Reduction as Reduction

_WANTED = {
    "count": 1,
    "sum": 2,
    "mean": 2,
    "min": 4,
    "max": 8,
    "argmin": 4 | 16,
    "argmax": 8 | 16,
}
_ALL = ("count", "sum", "mean", "min", "max")


def _bits(wanted: str | Iterable[str]) -> int:
    if wanted is _ALL:
        return 15
    return _bits_of((wanted,) if isinstance(wanted, str) else wanted)


def _bits_of(wanted: Iterable[str]) -> int:
    bits = 1
    for name in wanted:
        if name not in _WANTED:
            raise ValueError(f"{name!r} is none of {', '.join(_WANTED)}")
        bits |= _WANTED[name]
    return bits


def reduce_if(
    x: Any,
    predicate: Predicate | None = None,
    *,
    wanted: Iterable[str] = _ALL,
    n: Any = None,
) -> Reduction:
    """Count the elements that pass, and find their sum, mean, least and greatest. Nulls
    do not count.

    Sums of integers are exact; one beyond 64 bits is modulo 2**64. Sums of floats are
    added in one fixed order on every device, so they have the same bits in every run.
    Of dates and times min and max are integers in the unit of x.

    Parameters
    ----------
    x : array of one dimension
    predicate : str, Condition or Prepared, optional
        The elements that count; by default all.
    wanted : names
        Of 'count', 'sum', 'mean', 'min', 'max', 'argmin' and 'argmax'.
    n : int, Result or array of one int64, optional
        The number of elements that count. The call does not wait for a number on the
        device.

    Returns
    -------
    Reduction
    """
    if isinstance(predicate, bool):  # to the extension True means a packed array
        raise TypeError("a condition is text or winnow.col(...) with a comparison, not a bool")
    bits = _bits(wanted)
    made: Reduction | None = _winnow.reduce_if(x, predicate, bits, n, None)
    if made is not None:
        return made
    # With several tests or nulls: pack the elements that pass, then reduce all of them.
    test = "x is not null" if predicate is None else predicate
    indices = _winnow.index_if(x, test, n=n) if bits & 16 else None
    packed = _winnow.copy_if(x, test, n=n)
    if getattr(getattr(packed.buffer, "dtype", None), "kind", "") in ("m", "M"):
        # Drop nulls that pass: they have no value.
        valid = _winnow.select(packed, "x is not null", None, None, None)
        packed = valid.compact(packed)
        indices = None if indices is None else valid.compact(indices)
    result: Reduction = _winnow.reduce_if(packed, True, bits, None, indices)
    return result


Aggregate = str | tuple[Any, ...]


def _taken(name: str, aggregate: Aggregate) -> tuple[str | None, int]:
    """Return an aggregate's expression, None for 'count', and the bits of its names."""
    if aggregate == "count":
        return None, 1
    if not isinstance(aggregate, tuple) or len(aggregate) < 2:
        raise TypeError(
            f"{name!r} is 'count', or an expression and what is wanted of it, "
            f"as (col('x') * 2, 'sum'), not {aggregate!r}"
        )
    of = aggregate[0]
    if not isinstance(of, (str, Column, Expression)):
        raise TypeError(f"{name!r} is of {of!r}, which is no expression")
    return of if isinstance(of, str) else of._text, _bits_of(aggregate[1:])


def aggregate(
    table: Any,
    predicate: Predicate | None,
    aggregates: Mapping[str, Aggregate],
    *,
    n: Any = None,
) -> dict[str, Reduction]:
    """Counts, sums, means, least and greatest values of expressions over the rows that
    pass.

    One call does what this SQL does: select sum(price * discount) from ... where ...

    >>> winnow.aggregate(sales, "quantity < 24", {
    ...     "revenue": (col("price") * col("discount"), "sum"),
    ...     "rows": "count",
    ... })["revenue"].sum

    Parameters
    ----------
    table : mapping of arrays of one dimension, or NumPy records
    predicate : str, Condition, or None for all rows
    aggregates : mapping from names
        The value is 'count', the number of rows; or a tuple of an expression and of
        names among 'count', 'sum', 'mean', 'min', 'max', 'argmin' and 'argmax'. The
        expression is text or made of winnow.col(). It skips rows where it is null.
    n : int, Result or array of one int64, optional
        The number of rows that count. The call does not wait for a number on the
        device.

    Returns
    -------
    dict
        A Reduction for each name.
    """
    if isinstance(predicate, Prepared):
        raise TypeError("a prepared condition is for one array, not for a table")
    if not isinstance(aggregates, Mapping):
        raise TypeError(
            "aggregates is a mapping, as {'total': ('x', 'sum')}, not "
            f"{type(aggregates).__name__}"
        )
    if not aggregates:
        raise ValueError("there are no aggregates")
    taken = tuple([_taken(name, made) for name, made in aggregates.items()])
    made = _winnow.aggregate(table, predicate, taken, n)
    return dict(zip(aggregates, made))


def _condition(predicate: Any, read: Any, of: Any) -> Prepared:
    kept = None if isinstance(predicate, str) else predicate._kept
    key = ("aggregate", read, of)
    prepared: Prepared | None = None if kept is None else kept.get(key)
    if prepared is not None:
        return prepared
    prepared = _prepare._made(predicate, read, of)
    if kept is not None:
        kept[key] = prepared
    return prepared


def _query(
    predicate: str | Condition | Column | None,
    taken: tuple[tuple[str | None, int], ...],
    names: tuple[str, ...],
    kinds: tuple[int, ...],
) -> Any:
    """Make the query of aggregate() for a table of these columns."""
    askable = tuple(map(_prepare.askable, names))
    used: set[str] = set()
    with _prepare.explained(names, kinds):
        for text in {text for text, _ in taken if text is not None}:
            used.update(
                names[i] for i in _winnow.expression_columns(text, askable, kinds)
            )
    if predicate is not None:
        used |= _prepare.read_of(predicate, names, kinds)
    places = tuple(i for i, name in enumerate(names) if name in used)
    try:
        return _asked(predicate, taken, names, kinds, places)
    except _winnow.ConditionError:
        # A text names columns that do not affect its result.
        return _asked(predicate, taken, names, kinds, tuple(range(len(names))))


def _asked(predicate: Any, taken: Any, names: Any, kinds: Any, places: Any) -> Any:
    """Make the query from the columns at these positions alone."""
    read = tuple(names[i] for i in places)
    of = tuple(kinds[i] for i in places)
    prepared = None
    if predicate is not None:
        prepared = _condition(predicate, read, of)
    with _prepare.explained(read, of):
        return _winnow.query(prepared, read, of, places, taken)


_winnow.set_prepare("query", _query)
