# SPDX-License-Identifier: Apache-2.0
"""What is done by keys: partitions and sums."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple, overload

from . import _winnow
from ._result import Result


class Partition(NamedTuple):
    """Part p is items offsets[p] to offsets[p + 1] - 1 of keys and columns."""

    keys: Any
    columns: tuple[Any, ...]
    offsets: Any


class Blocks(NamedTuple):
    """Part p begins at item offsets[p] of keys and columns, a multiple of align, and
    has counts[p] items; block b, of items b * align and on, is one of part
    block_parts[b]. There is room for the most blocks that there can be: what lies
    from offsets[-1] on is undefined."""

    keys: Any
    columns: tuple[Any, ...]
    offsets: Any
    counts: Any
    block_parts: Any


def _unpacked(n: Any, keys: Any, **named: Any) -> tuple[Any, ...]:
    """n and the arrays of a call. If keys is a Result, its count is n, and the other
    arrays may be Results with as many items."""
    if not isinstance(keys, Result):
        return n, keys, *named.values()
    if n is not None and n is not keys:
        raise ValueError("a result has a count of its own: pass no n= beside it")
    there, beside = keys._count, []
    for name, x in named.items():
        other = x._count if isinstance(x, Result) else there
        if type(other) is type(there) is int and other != there:
            raise ValueError(f"{name} has {other} items, and keys has {there}")
        beside.append(x.buffer if isinstance(x, Result) else x)
    return keys, keys.buffer, *beside


@overload
def partition_by_key(
    keys: Any,
    *columns: Any,
    bits: int = 0,
    shift: int = 0,
    parts: int = 0,
    order: str = "input",
    n: Any = None,
    align: None = None,
    fill: Any = None,
) -> Partition: ...
@overload
def partition_by_key(
    keys: Any,
    *columns: Any,
    bits: int = 0,
    shift: int = 0,
    parts: int = 0,
    order: str = "input",
    n: Any = None,
    align: int,
    fill: Any = None,
) -> Blocks: ...
def partition_by_key(
    keys: Any,
    *columns: Any,
    bits: int = 0,
    shift: int = 0,
    parts: int = 0,
    order: str = "input",
    n: Any = None,
    align: int | None = None,
    fill: Any = None,
) -> Partition | Blocks:
    """Bring together what has the same digit of a key.

    The part of a key is (key >> shift) & (2**bits - 1). What has a part of
    `parts` or more is left out.

    Parameters
    ----------
    keys : array of uint32, uint64, int32 or int64, or a Result of one
        Negative keys count as the largest; with align= they are in no part.
    *columns : arrays; or Results, beside keys that are one
        What to move beside the keys; of items of 1, 2, 4, 8 or 16 bytes.
    bits, shift : int
        Which bits of a key are its part; bits=0: from shift to the top.
    parts : int
        2 to 65536; 0 stands for 2**bits.
    order : 'input' or 'any'
        Of the items in a part.
    n : int, Result or array of one int64, optional
        How many of the items count. A number on the device is not waited for.
    align : int, optional
        Each part begins at a multiple of it, a power of two up to 65536. Signed
        keys need parts= then, and bits=0.
    fill : number or tuple, optional
        With align=, what is behind a part up to the next: for keys and columns, or a
        tuple of one for each. None: that is undefined.

    Returns
    -------
    Partition: keys, columns, and parts + 1 offsets of int64. With align= Blocks: the
    same, the number of items of each part (int64), and the part of each block
    (int32).
    """
    named = {f"columns[{i}]": x for i, x in enumerate(columns)}
    n, keys, *beside = _unpacked(n, keys=keys, **named)
    columns = tuple(beside)
    if order not in ("input", "any"):
        raise ValueError(f"order is 'input' or 'any', not {order!r}")
    for name, number in (("bits", bits), ("shift", shift), ("parts", parts)):
        if not 0 <= index(number) <= 65536:
            raise ValueError(f"{name} is {number}")
    if align is not None:
        size = index(align)
        if not 0 < size <= 65536 or size & (size - 1):
            raise ValueError(f"align is {size}: wanted a power of two, up to 65536")
        return Blocks(
            *_winnow.partition_blocks(
                keys,
                columns,
                index(bits),
                index(shift),
                index(parts),
                order == "any",
                n,
                size,
                fill,
            )
        )
    if fill is not None:
        raise ValueError("fill is for what lies behind parts with align")
    return Partition(
        *_winnow.partition_by_key(
            keys, columns, index(bits), index(shift), index(parts), order == "any", n
        )
    )


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
    keys : array of uint32, uint64, int32 or int64, or a Result of one
        Those that are not below the number of sums are left out, and negative
        ones, too.
    values : array of shape (n,) or (n, components)
        Of int32, int64, uint32, uint64, float32 or float64; at most 16
        components. Or a Result of one, beside keys that are one.
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
    n, keys, values = _unpacked(n, keys=keys, values=values)
    return _winnow.accumulate_by_key(keys, values, key_bound, sums, beyond, n)
