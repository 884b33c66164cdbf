# SPDX-License-Identifier: Apache-2.0
"""Call every function of the module with every layout of an array, and compare with
NumPy. The tests on the host, on the stand-in and on a GPU share this."""

import numpy as np
import winnow
from winnow import col

# The layouts of README's table: functions that take a view with this layout of a NumPy
# array. The array has twice as many items in each dimension as the view.
TAKE = {
    "contiguous": lambda base: base[: len(base) // 2].copy(),
    "gaps": lambda base: base[::2],
    "a negative stride": lambda base: base[len(base) // 2 :][::-1],
    "a stride of 0": lambda base: np.broadcast_to(base[:1], (len(base) // 2,)),
    "no alignment": lambda base: unaligned(base[: len(base) // 2]),
    "read-only": lambda base: frozen(base[: len(base) // 2]),
}


def unaligned(x):
    made = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    made[:] = x
    return made


def frozen(x):
    made = x.copy()
    made.flags.writeable = False
    return made


def runs(x):
    return x[np.r_[True, x[1:] != x[:-1]][: len(x)]]


def parts(x):
    order = np.argsort(x.astype(np.int64) & 3, kind="stable")
    return x[order]


def sums(keys, values):
    made = np.zeros(128, np.int64)
    np.add.at(made, keys, values)
    return made


def holes(x, came):
    """Return what fill_holes() leaves of x where x > 2, as a sorted list."""
    return np.sort(np.concatenate([x[x > 2], came])[: len(x)])


def filled(x, came):
    left = winnow.select(x, "x > 2").fill_holes(x, came)
    return np.sort(np.asarray(left.array()))


def flagged(x, mask):
    return winnow.copy_flagged(x, mask).array()


# Calls of a function on x, with elements from 0 to 127, and the right results.
FUNCTIONS = {
    "copy_if": (lambda x: winnow.copy_if(x, "x > 2").array(), lambda x: x[x > 2]),
    "copy_if, several": (
        lambda x: winnow.copy_if(x, "x > 2 && x < 90", fill=0).array(),
        lambda x: x[(x > 2) & (x < 90)],
    ),
    "copy_if, any order": (
        lambda x: np.sort(np.asarray(winnow.copy_if(x, "x > 2", order="any"))),
        lambda x: np.sort(x[x > 2]),
    ),
    "index_if": (
        lambda x: winnow.index_if(x, "x > 2").array(),
        lambda x: np.flatnonzero(x > 2),
    ),
    "index_if, several": (
        lambda x: winnow.index_if(x, "x > 2 && x < 90").array(),
        lambda x: np.flatnonzero((x > 2) & (x < 90)),
    ),
    "count_if": (lambda x: winnow.count_if(x, "x > 2"), lambda x: (x > 2).sum()),
    "select": (
        lambda x: winnow.select(x, col("x") > 2).mask(),
        lambda x: x > 2,
    ),
    "select of a table": (
        lambda x: winnow.select({"a": x, "b": x}, "a > 2 && b < 90").count,
        lambda x: ((x > 2) & (x < 90)).sum(),
    ),
    "select(mask=)": (
        lambda x, mask: winnow.select(mask=mask).indices().array(),
        lambda x, mask: np.flatnonzero(mask),
    ),
    "compact": (
        lambda x: winnow.select(x, "x > 2").compact(x).array(),
        lambda x: x[x > 2],
    ),
    "expand": (
        lambda x: winnow.select(x, "x > 2").expand(x, fill=5),
        lambda x: np.array(
            [x[i] if keep else 5 for i, keep in zip(np.cumsum(x > 2) - 1, x > 2)],
            x.dtype,
        ),
    ),
    "filter": (
        lambda x: winnow.filter({"a": x, "b": x}, "a > 2")["b"],
        lambda x: x[x > 2],
    ),
    "copy_flagged": (flagged, lambda x, mask: x[mask]),
    "unique": (lambda x: winnow.unique(x).array(), runs),
    "reduce_if": (
        lambda x: winnow.reduce_if(x, "x > 2").sum,
        lambda x: x[x > 2].sum(dtype=np.int64),
    ),
    "reduce_if, all": (
        lambda x: winnow.reduce_if(x).sum,
        lambda x: x.sum(dtype=np.int64),
    ),
    "aggregate": (
        lambda x: winnow.aggregate({"a": x}, "a > 2", {"s": ("a * 2", "sum")})["s"].sum,
        lambda x: 2 * x[x > 2].sum(dtype=np.int64),
    ),
    "partition_by_key": (lambda x: winnow.partition_by_key(x, bits=2).keys, parts),
    "accumulate_by_key": (
        lambda x: winnow.accumulate_by_key(x, x, 128),
        lambda x: sums(x, x),
    ),
    "fill_holes": (
        lambda x, came: filled(came, x),
        lambda x, came: holes(came, x),
    ),
}
# The functions whose mask, arriving items or keys have the layout, too.
MASKS = {"select(mask=)", "copy_flagged"}
ROOMS = {"fill_holes"}
KEYS = {"partition_by_key", "accumulate_by_key"}

# The calls that write into an array of the layout.
OUTPUTS = {
    "copy_if": lambda x, out: winnow.copy_if(x, "x > 2", out=out),
    "index_if": lambda x, out: winnow.index_if(x, "x > 2", out=out),
    "compact": lambda x, out: winnow.select(x, "x > 2").compact(x, out=out),
    "indices": lambda x, out: winnow.select(x, "x > 2").indices(out=out),
    "expand": lambda x, out: winnow.select(x, "x > 2").expand(x, out=out),
    "copy_flagged": lambda x, out: winnow.copy_flagged(
        x, winnow.select(x, "x > 2").mask(), out=out
    ),
    "fill_holes": lambda x, out: winnow.select(x, "x > 2").fill_holes(out),
    "accumulate_by_key": lambda x, out: winnow.accumulate_by_key(x, x, sums=out),
}
