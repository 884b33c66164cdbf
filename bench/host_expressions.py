# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns, for host_peers.py: masks alone.

winnow makes a selection, the others an array of bools. All keep as many: what wraps
elsewhere stays in its range here. numexpr has no nulls, no dates and no bytes, and
counts items of one column that is a list as tests.
"""

import ctypes

from host_tables import optional
from host_winnow import Table, measure

IN_A_ROW = 3
DATE = "day"


def data(np, rows):
    random = np.random.default_rng(1)
    integers = lambda high, name: random.integers(0, high, rows, dtype=name)
    return {"price": random.random(rows) * 200,
            "discount": random.random(rows) * 0.1,
            "quantity": integers(50, "int32"), "other": integers(50, "int32"),
            "x": random.random(rows, dtype=np.float32),
            "cx": random.random(rows, dtype=np.float32),
            "y": random.random(rows, dtype=np.float32),
            "key": integers(10**9, "int64"),
            "a": integers(100, "uint8"), "b": integers(100, "uint8"),
            "s": integers(10**4, "int16"), "t": integers(10**4, "int16"),
            DATE: integers(20000, "int32")}


def validity(np, rows):
    """Of a column that has nulls, a bit for each row: nine of ten are there."""
    valid = np.random.default_rng(2).random(rows) >= 0.1
    return valid, np.packbits(valid, bitorder="little")


NULLABLE = "quantity"

# For winnow the text; for numexpr a text, or None where it has no such thing; for
# polars (p: the module), and NumPy where there is no date, what it computes.
WHERE = [
    ("price * (1 - discount) > 100 and quantity < 24",
     "(price * (1 - discount) > 100) & (quantity < 24)",
     lambda c, p: (c("price") * (1 - c("discount")) > 100) & (c("quantity") < 24)),
    ("price * (1 - discount) > 100", "price * (1 - discount) > 100",
     lambda c, p: c("price") * (1 - c("discount")) > 100),
    ("price < discount * 1000", "price < discount * 1000",
     lambda c, p: c("price") < c("discount") * 1000),
    ("quantity < other", "quantity < other", lambda c, p: c("quantity") < c("other")),
    ("a < b", "a < b", lambda c, p: c("a") < c("b")),
    ("s <> t", "s != t", lambda c, p: c("s") != c("t")),
    ("x < y", "x < y", lambda c, p: c("x") < c("y")),
    ("quantity - other < 10", "quantity - other < 10",
     lambda c, p: c("quantity") - c("other") < 10),
    ("quantity * 3 - other > 60", "quantity * 3 - other > 60",
     lambda c, p: c("quantity") * 3 - c("other") > 60),
    ("abs(x - cx) <= 0.25", "abs(x - cx) <= r",
     lambda c, p: abs(c("x") - c("cx")) <= 0.25),
    ("x * cx + y > 0.75", "x * cx + y > t32", lambda c, p: c("x") * c("cx") + c("y") > 0.75),
    ("quantity % 7 = 3", "quantity % 7 == 3", lambda c, p: c("quantity") % 7 == 3),
    ("key % 7 = 3", "key % 7 == 3", lambda c, p: c("key") % 7 == 3),
    ("quantity // 10 = 4", None, lambda c, p: c("quantity") // 10 == 4),
    ("key // 1000 = 4", None, lambda c, p: c("key") // 1000 == 4),
    ("cast(x * 100 as int64) > 50", None,
     lambda c, p: (c("x") * 100).cast(p.Int64) > 50 if p
     else (c("x") * 100).astype("int64") > 50),
    ("a + b > 100", "a + b > 100", lambda c, p: c("a") + c("b") > 100),
    ("s + t > 10000", "s + t > 10000", lambda c, p: c("s") + c("t") > 10000),
    ("quantity + other in (3, 50, 70)",
     "(quantity + other == 3) | (quantity + other == 50) | (quantity + other == 70)",
     lambda c, p: (c("quantity") + c("other")).is_in([3, 50, 70]) if p else None),
    ("year(day) = 2004", None, lambda c, p: c(DATE).dt.year() == 2004 if p else None),
    ("month(day) = 3", None, lambda c, p: c(DATE).dt.month() == 3 if p else None),
    ("nullable - other < 10", None,
     lambda c, p: c("nullable") - c("other") < 10 if p else None),
    ("nullable < other", None, lambda c, p: c("nullable") < c("other") if p else None),
]


def contenders(np, winnow, columns, options):
    """name -> (text, numexpr's, operators) -> a call, which returns how many are
    kept, or None."""
    valid, bits = validity(np, options.rows)
    columns = {**columns, "nullable": columns[NULLABLE]}
    table = Table(winnow, np, columns, formats={DATE: b"tdD"}, valid={"nullable": bits})

    def by_winnow(text, _, __):
        condition = table.parse(text)
        count = ctypes.c_uint64()

        def call():
            table.select(condition)
            winnow.must(winnow.lib.winnow_selection_count(
                winnow.context, table.selection, ctypes.c_uint64(table.rows),
                ctypes.byref(count), None))
            return count.value
        return call

    found = {"winnow": by_winnow}
    if optional("numpy", options.peers):
        def by_numpy(_, __, make):
            try:
                return None if make(columns.get, None) is None else lambda: (
                    np.count_nonzero(make(columns.get, None)))
            except AttributeError:
                return None
        found["NumPy"] = lambda text, _, make: (
            None if "nullable" in text else by_numpy(text, _, make))
    polars = optional("polars", options.peers)
    if polars:
        frame = polars.DataFrame(columns).with_columns(
            polars.col(DATE).cast(polars.Date),
            polars.when(polars.Series(valid)).then(polars.col(NULLABLE)).alias("nullable")
        ).rechunk()

        def by_polars(_, __, make):
            wanted = make(polars.col, polars)
            return lambda: frame.select(wanted).to_series().sum()
        found["polars"] = by_polars
    numexpr = optional("numexpr", options.peers)
    if numexpr:
        if options.threads:
            numexpr.set_num_threads(options.threads)
        values = {**columns, "r": np.float32(0.25), "t32": np.float32(0.75)}
        found["numexpr"] = lambda _, text, __: text and (
            lambda: np.count_nonzero(numexpr.evaluate(text, values)))
    return found


def run(np, winnow, options, report):
    columns = data(np, options.rows)
    made = contenders(np, winnow, columns, options)
    for text, for_numexpr, operators in WHERE:
        calls = {name: make(text, for_numexpr, operators) for name, make in made.items()}
        calls = {name: call for name, call in calls.items() if call}
        counts = {name: int(call()) for name, call in calls.items()}
        assert len(set(counts.values())) == 1, (text, counts)
        report.add(f"mask {text:48}", measure(calls, options, IN_A_ROW),
                   {"operation": "mask", "condition": text, "n": options.rows,
                    "kept": counts["winnow"]})
