# SPDX-License-Identifier: Apache-2.0
"""What is done by keys: partitions and sums."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple

from . import _library, _winnow
from ._library import BYTES, NO_GRADIENT, WRITE
from ._selection import split_n
from ._winnow import view


class Partition(NamedTuple):
    """Part p is items offsets[p] to offsets[p + 1] - 1 of keys and columns."""

    keys: Any
    columns: tuple[Any, ...]
    offsets: Any


def partition_by_key(
    keys: Any,
    *columns: Any,
    bits: int = 0,
    shift: int = 0,
    parts: int = 0,
    order: str = "input",
    n: Any = None,
) -> Partition:
    """Bring together what has the same digit of a key.

    The part of a key is (key >> shift) & (2**bits - 1). What has a part of
    `parts` or more is left out.

    Parameters
    ----------
    keys : array of uint32, uint64, int32 or int64
        Negative keys count as the largest.
    *columns : arrays
        What to move beside the keys; of items of 1, 2, 4, 8 or 16 bytes.
    bits, shift : int
        Which bits of a key are its part; bits=0: from shift to the top.
    parts : int
        2 to 65536; 0 stands for 2**bits.
    order : 'input' or 'any'
        Of the items in a part.
    n : int, Result or array of one int64, optional
        How many of the items count. A number on the device is not waited for.

    Returns
    -------
    Partition: keys, columns, and parts + 1 offsets of int64.
    """
    if order not in ("input", "any"):
        raise ValueError(f"order is 'input' or 'any', not {order!r}")
    for name, number in (("bits", bits), ("shift", shift), ("parts", parts)):
        if not 0 <= index(number) <= 65536:
            raise ValueError(f"{name} is {number}")
    first = view(keys, "keys")
    seen = [first]
    for i, x in enumerate(columns):
        seen.append(view(x, f"columns[{i}]", NO_GRADIENT | BYTES, first))
        if seen[-1].n != first.n:
            raise ValueError(
                f"columns[{i}] has {seen[-1].n} items, and keys has {first.n}"
            )
    items, word = split_n(n, first.n)
    ins = tuple(x.front(items) for x in seen)
    width = 8 * first.item_bytes
    numbered = parts or 2 ** min(bits or max(width - shift, 0), 17)
    outs = tuple(x.new(items, None) for x in ins)
    offsets = first.new(min(numbered, 65536) + 1, "int64")
    _winnow.partition_by_key(
        ins[0], shift, bits, parts, word, ins, outs, offsets, order == "any"
    )
    made = [_library.like(x, out) for x, out in zip((keys, *columns), outs)]
    return Partition(made[0], tuple(made[1:]), _library.like(keys, offsets))


_SUMS = {"int32": "int64", "uint32": "uint64", "float32": "float64"}


def accumulate_by_key(
    keys: Any,
    values: Any,
    key_bound: int | None = None,
    *,
    sums: Any = None,
    beyond: Any = None,
    n: Any = None,
) -> Any:
    """Add the values of each item to the sums of its key: sums[keys[i]] +=
    values[i], as numpy.add.at() and numpy.bincount(keys, values).

    Parameters
    ----------
    keys : array of uint32, uint64, int32 or int64
        Those that are not below the number of sums are left out, and negative
        ones, too.
    values : array of shape (n,) or (n, components)
        Of int32, int64, uint32, uint64, float32 or float64; at most 16
        components.
    key_bound : int
        How many sums there are; or sums= says it.
    sums : array of shape (key_bound,) or (key_bound, components), optional
        What is added to, of the values' type or the one of 8 bytes that holds
        it. By default zeros, of the latter.
    beyond : array of one int64, optional
        Where to write how many keys were left out.
    n : int, Result or array of one int64, optional
        How many of the items count. A number on the device is not waited for.

    Returns
    -------
    array: the sums
    """
    first = view(keys, "keys")
    added = view(values, "values", NO_GRADIENT, first)
    if added.n != first.n:
        raise ValueError(f"values has {added.n} items, and keys has {first.n}")
    items, word = split_n(n, first.n)
    made = sums
    if sums is None:
        if key_bound is None:
            raise TypeError("accumulate_by_key() needs key_bound or sums=")
        name = _library.NAMES.get(_library.type_of(added.kind))
        if name is None:
            raise TypeError("values have elements that are no numbers")
        shape = (key_bound, *added.shape[1:])
        sums = made = _library.zeros(values, shape, _SUMS.get(name, name))
    else:
        made = view(sums, "sums", WRITE, first)
        if key_bound is not None and key_bound != made.n:
            raise ValueError(
                f"key_bound is {key_bound}, and there are {made.n} sums"
            )
    if beyond is not None:
        beyond = view(beyond, "beyond", WRITE, first)
    _winnow.accumulate_by_key(
        first.front(items), added.front(items), made, beyond, word
    )
    return _library.like(values, sums)
