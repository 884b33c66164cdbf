# SPDX-License-Identifier: Apache-2.0
"""Conditions in CUDA C."""

from __future__ import annotations

from typing import Any, Iterable

from . import _winnow
from ._expression import Condition
from ._kinds import TYPES


def _parameter(name: str, value: Any) -> tuple[str, int, Any]:
    """Return a parameter's name, type and value. The type of an array is 0."""
    kind = getattr(getattr(value, "dtype", None), "name", None)
    if _winnow.is_array(value) and getattr(value, "shape", ()) != ():
        return name, 0, value
    if kind in TYPES:
        return name, TYPES[kind], value.item()
    if isinstance(value, int):
        return name, TYPES["int64" if value < 2**63 else "uint64"], int(value)
    if isinstance(value, float):
        return name, TYPES["float64"], value
    raise TypeError(
        f"parameter {name} is {value!r}: a number or an array on a GPU is wanted"
    )


def cuda_condition(
    body: str, columns: str | Iterable[str], /, **parameters: Any
) -> Condition:
    """A condition in CUDA C, for arrays on a GPU.

    Parameters
    ----------
    body : str
        The body of a function that returns whether an item is kept. It can use the
        element of each column, and each parameter, by its name.
    columns : str, or several
        The names of the columns that the body reads.
    **parameters : int, float, NumPy scalar, or array on the GPU
        An int is an int64_t, or a uint64_t if it is too large for that; a float is a
        double; a scalar has its own type. An array is contiguous, and the body gets a
        pointer to its elements. The condition keeps the array alive.

    Returns
    -------
    Condition
        It joins with other conditions.

    NVRTC compiles it at the first call, or in prepare(..., device=0). Other values of
    parameters do not compile it again. winnow does not check the body: it can do
    whatever a kernel can. See winnow_condition_cuda(3).

    >>> winnow.cuda_condition("return x > t && y < x * x;", ["x", "y"], t=0.5)
    winnow.Condition("cuda('return x > t && y < x * x;')")
    """
    if not isinstance(body, str):
        raise TypeError(f"a body is text, not {type(body).__name__}")
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"a column is called {name!r}, which is no text")
        if name in parameters:
            raise ValueError(f"{name!r} is a column and a parameter")
    given = tuple(_parameter(name, value) for name, value in parameters.items())
    return Condition(f"cuda({body!r})", ("cuda", body, names, given))
