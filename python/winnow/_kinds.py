# SPDX-License-Identifier: Apache-2.0
"""Kinds of elements, and the libraries of arrays."""

import functools
import sys
from typing import Any

# winnow_type
OPAQUE = 0
TYPES = {
    "int8": 1,
    "int16": 2,
    "int32": 3,
    "int64": 4,
    "uint8": 5,
    "uint16": 6,
    "uint32": 7,
    "uint64": 8,
    "float16": 9,
    "bfloat16": 10,
    "float32": 11,
    "float64": 12,
    "bool": 5,
}
NAMES = {number: name for name, number in TYPES.items() if name != "bool"}
# Kinds of dates and durations, as in src/state.h. Their elements are int64. Kinds from
# OTHER on are dtypes whose unit the library does not have; it reads them as numbers.
MOMENTS = {
    "datetime64[D]": 13,
    "datetime64[s]": 14,
    "datetime64[ms]": 15,
    "datetime64[us]": 16,
    "datetime64[ns]": 17,
    "timedelta64[s]": 18,
    "timedelta64[ms]": 19,
    "timedelta64[us]": 20,
    "timedelta64[ns]": 21,
}
OTHER = 22
_others: list[str] = []


@functools.lru_cache(maxsize=1024)
def _is_of(kind: type, module: str) -> bool:
    return any(base.__module__.split(".")[0] == module for base in kind.__mro__)


def is_of(x: Any, module: str) -> bool:
    """Return whether a module defines x's class or one of its base classes."""
    kind: Any = type(x)
    return _is_of(kind, module)


def numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise ImportError(
            "NumPy makes the arrays of the host, and is not installed"
        ) from None
    return numpy


def kind_of(name: str) -> int | None:
    """Return the kind of elements of NumPy's dtype of this name, or None."""
    if name.startswith(("datetime64", "timedelta64")) and name not in MOMENTS:
        if name not in _others:
            _others.append(name)
        return OTHER + _others.index(name)
    return TYPES.get(name, MOMENTS.get(name))


def type_of(kind: int) -> int:
    """Return the winnow_type of elements of a kind."""
    return kind if kind <= TYPES["float64"] else TYPES["int64"]


def other_unit(kind: int) -> str | None:
    """Return the dtype's name if its unit is none of the library's, else None."""
    return _others[kind - OTHER] if kind >= OTHER else None
