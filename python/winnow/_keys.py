# SPDX-License-Identifier: Apache-2.0
"""Calls that group items by a key: partitions and sums."""

from __future__ import annotations

from operator import index
from typing import Any, NamedTuple, overload

from . import _library, _winnow
from ._result import Result


class Partition(NamedTuple):
    """The result of partition_by_key(). Part p is the items offsets[p] to
    offsets[p + 1] - 1 of keys and columns."""

    keys: Any
    columns: tuple[Any, ...]
    offsets: Any


class Blocks(NamedTuple):
    """The result of partition_by_key() with align=.

    Part p has the counts[p] items of keys and columns from offsets[p] on. Each offset
    is a multiple of align. Block b is the align items from b * align on, and belongs to
    part block_parts[b]. The arrays have room for the greatest number of blocks that the
    parts can need. Their contents from offsets[-1] on are undefined.
    """

    keys: Any
    columns: tuple[Any, ...]
    offsets: Any
    counts: Any
    block_parts: Any


def _unpacked(n: Any, keys: Any, **named: Any) -> tuple[Any, ...]:
    """Return n and the arrays of a call.

    If keys is a Result, its count is n. The other arrays may then be Results with the
    same number of items.
    """
    if not isinstance(keys, Result):
        return n, keys, *named.values()
    if n is not None and n is not keys:
        raise ValueError("a result has a count of its own: pass no n= beside it")
    beside = []
    for name, x in named.items():
        if isinstance(x, Result):
            # On a GPU the counts are not known, and undefined items may be read.
            there, other = (
                r.capacity if _library._is_on_gpu(r.buffer) else len(r) for r in (keys, x)
            )
            if other != there:
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
    """Group items by a digit of their key.

    The part of an item is (key >> shift) & (2**bits - 1). The call leaves out items
    whose part is not below `parts`.

    Parameters
    ----------
    keys : array of uint32, uint64, int32 or int64, or a Result
        Negative keys count as the largest keys. With align= they belong to no part.
    *columns : arrays; or Results, if keys is a Result
        Columns to move beside the keys. An item has 1, 2, 4, 8 or 16 bytes.
    bits, shift : int
        The bits of a key that are its part. bits=0 takes all bits from shift on.
    parts : int
        2 to 65536. 0 means 2**bits.
    order : 'input' or 'any'
        The order of the items within a part.
    n : int, Result or array of one int64, optional
        The number of items that count. The call does not wait for a number on the
        device.
    align : int, optional
        Each part begins at a multiple of align, which is a power of two up to 65536.
        Signed keys then need parts= and bits=0.
    fill : number or tuple, optional
        Only with align=: the value of the items between the end of a part and the
        next part. A tuple has one value for each of keys and columns. None leaves
        these items undefined.

    Returns
    -------
    Partition
        keys, columns, and parts + 1 offsets of int64.
    Blocks, with align=
        The same, the number of items of each part (int64) and the part of each block
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
        raise ValueError("fill= fills the items between parts: use it with align=")
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
    """Add the values of each item to the sums of its key: sums[keys[i]] += values[i].

    numpy.add.at() and numpy.bincount(keys, values) do the same.

    Parameters
    ----------
    keys : array of uint32, uint64, int32 or int64, or a Result
        The call leaves out negative keys and keys that are not below the number of
        sums.
    values : array of shape (n,) or (n, components), or a Result if keys is a Result
        The type is int32, int64, uint32, uint64, float32 or float64. There are at
        most 16 components.
    key_bound : int
        The number of sums. You can omit it if you pass sums=.
    sums : array of shape (key_bound,) or (key_bound, components), optional
        The call adds to these. The type is that of the values, or the 8-byte type
        that holds them. By default the call makes zeros of the 8-byte type.
    beyond : array of one int64, optional
        Receives the number of keys that the call leaves out.
    n : int, Result or array of one int64, optional
        The number of items that count. The call does not wait for a number on the
        device.

    Returns
    -------
    array
        The sums.
    """
    n, keys, values = _unpacked(n, keys=keys, values=values)
    return _winnow.accumulate_by_key(keys, values, key_bound, sums, beyond, n)
