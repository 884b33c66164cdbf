# SPDX-License-Identifier: Apache-2.0
"""Make conditions ready for the library, as objects of Prepared."""

from __future__ import annotations

import contextlib
import functools
import math
from typing import Any, Iterator, Mapping, Sequence

from . import _winnow
from ._expression import Column, Condition, written
from ._kinds import OTHER, TYPES, kind_of, numpy, other_unit, type_of

_KINDS = {number: kind for kind, number in TYPES.items() if kind != "bool"}
_JOINS = {"and": 0, "or": 1, "not": 2}


def _text_of(condition: str | Condition | Column) -> str:
    return condition if isinstance(condition, str) else condition.text


def read_of(
    condition: str | Condition | Column, names: Sequence[str], kinds: Sequence[int]
) -> set[str]:
    """Return the names of the columns that a condition reads."""
    parts = None if isinstance(condition, str) else condition._parts
    if parts is None:
        return {names[i] for i in _winnow.columns(_made(condition, names, kinds))}
    if parts[0] == "in":
        return {parts[1]}
    if parts[0] == "cuda":
        return set(parts[2])
    return set().union(*(read_of(part, names, kinds) for part in parts[1:]))


def askable(name: str) -> str:
    """Return a column's name if a text can contain it, else ""."""
    try:
        return "" if "\0" in name or not name.encode() else name
    except UnicodeEncodeError:
        return ""


def _rounded(number: int | float, to_odd: bool) -> float:
    """Round an integer or a float to float64.

    With `to_odd`, an inexact result is the neighbour whose last bit is 1. Rounding that
    again, to fewer bits, gives the same as rounding the integer once.
    """
    try:
        near = float(number)
    except OverflowError:
        return math.nan  # no float equals it, not even infinity
    is_exact = not to_odd or math.isnan(near) or near == number
    if is_exact or int(math.ldexp(math.frexp(near)[0], 53)) % 2:
        return near
    return math.nextafter(near, math.inf if number > near else -math.inf)


def _elements(values: Any, kind: str) -> Any:
    """Convert the values of a set to elements of a type.

    Values outside of the type are dropped, since no element equals them. Floats are
    rounded, like numbers in text.
    """
    np = numpy()
    dtype = np.dtype("bool" if kind == "bool" else kind)
    if values.dtype.kind == "O":  # integers and floats, mixed
        if not all(isinstance(v, (int, float)) for v in values):
            raise TypeError("isin() takes numbers")
        if dtype.kind == "f":
            values = np.array([_rounded(v, dtype.itemsize < 8) for v in values])
        else:
            whole = [v for v in values if isinstance(v, int) or v.is_integer()]
            values = np.array([int(v) for v in whole], object)
    if values.dtype.kind not in "biufO":
        raise TypeError(f"isin() takes numbers, not {values.dtype}")
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = values.astype(dtype)
        return rounded[np.isfinite(rounded) | ~np.isfinite(values)]
    if values.dtype.kind == "f":
        values = values[np.isfinite(values)]
        values = np.array([int(v) for v in values if v == int(v)], object)
    ends = np.iinfo(dtype)
    inside = (values >= ends.min) & (values <= ends.max)
    return values[inside.astype(bool)].astype(dtype)


def _check_column(name: str, names: Sequence[str]) -> None:
    if name not in names:
        raise _winnow.ConditionError(
            f"there is no column {name!r}. Names: {', '.join(names)}"
        )


@contextlib.contextmanager
def explained(names: Sequence[str], kinds: Sequence[int]) -> Iterator[None]:
    """Add to an error of the library that a column has dates of a unit that the library
    does not have. To the library such a column has numbers."""
    try:
        yield
    except (_winnow.ConditionError, _winnow.UnsupportedError) as error:
        # The column that the text named last before the error.
        field = getattr(error, "field", None)
        if field is not None:
            name, unit = names[field], other_unit(kinds[field])
            if unit is not None:
                works = "s, ms, us or ns" if unit[0] == "t" else "D, s, ms, us or ns"
                raise type(error)(
                    f"{error}. '{name}' is of {unit}, which conditions read as int64: "
                    f"convert it to {works}, for example by "
                    f"astype('{unit.split('[')[0]}[s]')"
                ) from None
        raise


def _made(
    condition: str | Condition | Column, names: Sequence[str], kinds: Sequence[int]
) -> _winnow.Prepared:
    parts = None if isinstance(condition, str) else condition._parts
    if parts is None:
        with explained(names, kinds):
            names = tuple(map(askable, names))
            return _winnow.parse(_text_of(condition), names, tuple(kinds))
    if parts[0] == "cuda":
        _, body, read, parameters = parts
        for name in read:
            _check_column(name, names)
        # Only the columns that the body reads need names.
        named = tuple(name if name in read else "" for name in names)
        return _winnow.cuda(body, named, tuple(kinds), parameters)
    if parts[0] == "in":
        _, name, values = parts
        _check_column(name, names)
        column = list(names).index(name)
        kind = _KINDS[type_of(kinds[column])]
        if TYPES["float64"] < kinds[column] < OTHER:
            raise _winnow.UnsupportedError(
                f"{name!r} has dates or durations: isin() takes an array of these, not "
                f"of numbers. For numbers use winnow.col({name!r}).cast('int64').isin()"
            )
        if kind == "bfloat16":
            if values.dtype.name != "bfloat16":  # the parser rounds numbers
                return _made(written(condition), names, kinds)
            return _winnow.is_in(column, kinds[column], values)
        return _winnow.is_in(column, kinds[column], _elements(values, kind))
    joined = [_made(part, names, kinds) for part in parts[1:]]
    if parts[0] == "not":
        joined *= 2
    return functools.reduce(functools.partial(_winnow.join, _JOINS[parts[0]]), joined)


def name_of(condition: str | Condition | Column) -> str:
    """Return the name that a condition on one array gives this array."""
    parts: Any = None if isinstance(condition, str) else condition._parts
    while parts is not None and parts[0] in _JOINS:
        condition = parts[1]
        parts = parts[1]._parts
    if parts is None:
        return _winnow.unknown_name(_text_of(condition)) or "x"
    if parts[0] == "in":
        return str(parts[1])
    return parts[2][0] if len(parts[2]) == 1 else "x"


@contextlib.contextmanager
def said_of(name: str = "") -> Iterator[None]:
    """Explain errors in a condition.

    `name` is the name that a condition on one array gives this array. If an error lists
    it as the only column, the error says where the name comes from.
    """
    try:
        yield
    except RecursionError:
        raise _winnow.UnsupportedError("the condition is nested too deeply") from None
    except _winnow.ConditionError as error:
        if name and f"{error}".endswith((f"The columns are {name}", f"Names: {name}")):
            error.args = (f"{error}, the name that the condition gives the array",)
        raise


def one(condition: str | Condition | Column, kind: int) -> _winnow.Prepared:
    """Prepare a condition on an array, which may give the array any name."""
    name = name_of(condition)
    with said_of(name):
        return _made(condition, (name,), (kind,))


def for_table(
    condition: str | Condition | Column, names: tuple[str, ...], kinds: tuple[int, ...]
) -> tuple[_winnow.Prepared, tuple[int, ...]]:
    """Prepare a condition on a table.

    Returns it with the positions of the columns that it is prepared for.
    """
    with said_of():
        return _for_table(condition, names, kinds)


def _for_table(
    condition: str | Condition | Column, names: tuple[str, ...], kinds: tuple[int, ...]
) -> tuple[_winnow.Prepared, tuple[int, ...]]:
    read = read_of(condition, names, kinds)
    places = tuple(i for i, name in enumerate(names) if name in read)
    if len(places) < len(names):
        with contextlib.suppress(_winnow.ConditionError):
            # Prepare it for these columns alone, whatever else the table has.
            prepared, _ = _winnow.for_columns(
                condition, tuple(names[i] for i in places), tuple(kinds[i] for i in places)
            )
            return prepared, places
    # The text names all columns, or columns that do not affect its result.
    return _made(condition, names, kinds), tuple(range(len(names)))


def prepare(
    condition: str | Condition | Column, dtype: Any, *, device: int | None = None
) -> _winnow.Prepared:
    """Make a condition ready for elements of a dtype, such as 'float32'.

    Calls keep the conditions that they prepared. On the host prepare() saves them only
    the look-up.

    Parameters
    ----------
    condition : str or Condition
    dtype : dtype, or mapping of names to dtypes
        The dtype of the array, or of each column of a table, in the table's order.
        Calls on such a table take the condition itself and find what was prepared.
        What is prepared for int64 also takes dates and durations, as numbers of their
        unit, of which NaT is null.
    device : int, optional
        The ordinal of a GPU. prepare() then also makes what the GPU needs: compiled
        code, and the tables of isin() and of lists. No call makes these tables while a
        CUDA graph is captured. prepare() waits for their upload, and for no stream.
    """
    if isinstance(dtype, Mapping):
        kinds = tuple(_type_of(kind) for kind in dtype.values())
        prepared, _ = _winnow.for_columns(condition, tuple(dtype), kinds)
    else:
        prepared = _winnow.for_array(condition, _type_of(dtype))
    if device is not None:
        _winnow.make_tables(prepared, device)
    return prepared


def _type_of(dtype: Any) -> int:
    name = getattr(dtype, "name", None) or str(dtype).split(".")[-1]
    if isinstance(dtype, type):
        name = dtype.__name__
    kind = kind_of(name)
    if kind is None:
        raise TypeError(f"winnow has no type {dtype!r}")
    return kind


_winnow.set_prepare("array", one)
_winnow.set_prepare("table", for_table)
