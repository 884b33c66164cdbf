# SPDX-License-Identifier: Apache-2.0
"""Columns with nulls, for host_peers.py.

lineitem: rows as TPC-H's table of that name has them, made here: the filter of its
query 6 over six columns, and the same with a column of strings kept; a tenth of
the dates, discounts and quantities are null. Money and quantities are float64, or
decimal128(15, 2), as TPC-H has them. It takes pyarrow and the module of
winnow, which use the same memory; "winnow, polars" filters the frame of polars,
whose strings are views.

nullable: an int32 column with its bitmap of validity beside one without, by
winnow_compact_columns() and winnow_copy_where(), into outputs that are there. It
takes the library alone.
"""

import ctypes
import datetime
import decimal
import sys

from host_tables import optional
from host_winnow import Move, NO_LIMIT, Table, measure

BIT = 13  # WINNOW_BIT
IN_A_ROW = 3

# -------------------------------------------------------------------- lineitem

MODES = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]
FIRST, LAST, YEAR = (datetime.date(*day) for day in (
    (1992, 1, 2), (1998, 12, 1), (1994, 1, 1)))
SHORT = ["l_orderkey", "l_quantity", "l_extendedprice", "l_discount", "l_tax", "l_shipdate"]

EPOCH = datetime.date(1970, 1, 1)
WINNOW = ("l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and "
          "l_discount between 0.05 and 0.07 and l_quantity < 24")
CENTS = 100


class Money:
    """How an amount is stored."""

    def __init__(self, np, pyarrow, name):
        self.np, self.pyarrow, self.exact = np, pyarrow, name == "decimal128"
        self.type = pyarrow.decimal128(15, 2) if self.exact else pyarrow.float64()

    def scalar(self, text):
        return decimal.Decimal(text) if self.exact else float(text)

    def array(self, cents, nulls=None):
        """cents: int64 of NumPy's."""
        if not self.exact:
            return self.pyarrow.array(cents / CENTS, mask=nulls)
        halves = self.np.stack((cents, cents >> 63), axis=1)
        valid = None if nulls is None else self.pyarrow.array(~nulls).buffers()[1]
        return self.pyarrow.Array.from_buffers(
            self.type, len(cents), [valid, self.pyarrow.py_buffer(halves)])


def lineitem(np, pyarrow, n, money):
    """The table, in one chunk."""
    random = np.random.default_rng(6)
    nulls = lambda: random.random(n) < 0.1
    day = lambda date: (date - EPOCH).days
    quantity = random.integers(1, 51, n)
    price = random.integers(90100, 210000, n)
    dates = random.integers(day(FIRST), day(LAST) + 1, n, dtype=np.int32)
    modes = pyarrow.DictionaryArray.from_arrays(
        random.integers(0, len(MODES), n, dtype=np.int32), MODES)
    return pyarrow.table({
        "l_orderkey": random.integers(1, 4 * n, n),
        "l_quantity": money.array(quantity * CENTS, nulls()),
        "l_extendedprice": money.array(quantity * price),
        "l_discount": money.array(random.integers(0, 11, n), nulls()),
        "l_tax": money.array(random.integers(0, 9, n)),
        "l_shipdate": pyarrow.array(dates, pyarrow.date32(), mask=nulls()),
        "l_shipmode": modes.cast(pyarrow.string())})


def pyarrow_mask(compute, money, table):
    date, discount, quantity = (table[name] for name in (
        "l_shipdate", "l_discount", "l_quantity"))
    amount = lambda text: money.pyarrow.scalar(money.scalar(text), money.type)
    tests = [compute.greater_equal(date, YEAR),
             compute.less(date, YEAR.replace(year=1995)),
             compute.greater_equal(discount, amount("0.05")),
             compute.less_equal(discount, amount("0.07")),
             compute.less(quantity, amount("24"))]
    mask = tests[0]
    for test in tests[1:]:
        mask = compute.and_kleene(mask, test)
    return mask


def duckdb_text(money):
    as_stored = "DECIMAL(15, 2)" if money.exact else "DOUBLE"
    return ("l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and "
            f"l_discount between 0.05::{as_stored} and 0.07::{as_stored} and "
            "l_quantity < 24")


def lineitem_calls(table, money, options):
    """name -> a call that returns a table."""
    import pyarrow.compute as compute
    import winnow
    polars, pyarrow, duckdb = (
        optional(name, options.peers) for name in ("polars", "pyarrow", "duckdb"))
    if options.threads:
        winnow.set_threads(options.threads)
    calls = {"winnow": lambda: winnow.filter(table, WINNOW)}
    if polars:
        frame = polars.from_arrow(table)
        column = polars.col
        wanted = ((column("l_shipdate") >= YEAR) &
                  (column("l_shipdate") < YEAR.replace(year=1995)) &
                  column("l_discount").is_between(money.scalar("0.05"),
                                                  money.scalar("0.07")) &
                  (column("l_quantity") < money.scalar("24")))
        calls["winnow, polars"] = lambda: winnow.filter(frame, WINNOW)
        calls["polars"] = lambda: frame.filter(wanted)
        calls["polars, lazy"] = lambda: frame.lazy().filter(wanted).collect()
    if pyarrow:
        if options.threads:
            pyarrow.set_cpu_count(options.threads)
        calls["pyarrow"] = lambda: table.filter(pyarrow_mask(compute, money, table))
    if duckdb:
        connection = duckdb.connect()
        if options.threads:
            connection.execute(f"SET threads = {options.threads}")
        connection.register("source", table)
        connection.execute("CREATE TABLE t AS SELECT * FROM source")
        calls["DuckDB"] = lambda: connection.sql(
            f"SELECT * FROM t WHERE {duckdb_text(money)}").to_arrow_table()
    return calls


def run_lineitem(np, winnow, options, report):
    try:
        import pyarrow
    except ImportError:
        sys.exit("lineitem: pyarrow is not installed")
    for name in ("float64", "decimal128"):
        money = Money(np, pyarrow, name)
        whole = lineitem(np, pyarrow, options.rows, money)
        for title, table in (("six columns", whole.select(SHORT)),
                             ("and strings", whole)):
            calls = lineitem_calls(table, money, options)
            kept = {name: len(call()) for name, call in calls.items()}
            if len(set(kept.values())) != 1:
                sys.exit(f"the numbers of rows differ: {kept}")
            report.add(f"query 6, {name:10} {title} {kept['winnow'] / options.rows:.3f}",
                       measure(calls, options, IN_A_ROW),
                       {"operation": "lineitem", "money": name,
                        "columns": table.column_names, "n": options.rows,
                        "kept": kept["winnow"]})


# -------------------------------------------------------------------- nullable

def run_nullable(np, winnow, options, report):
    random, n = np.random.default_rng(7), options.rows
    x = random.integers(0, 1000, n, dtype=np.int32)
    valid = random.integers(0, 256, n // 8 + 1, dtype=np.uint8)
    table = Table(winnow, np, {"x": x})
    values, bits = np.ones_like(x), np.ones_like(valid)
    count = ctypes.c_uint64()
    both = (Move * 2)(Move(x.ctypes.data, values.ctypes.data, 4),
                      Move(valid.ctypes.data, bits.ctypes.data, 0, BIT))
    alone = (Move * 1)(both[1])
    ways = {"plain": (both, 1), "nullable": (both, 2), "bits": (alone, 1)}

    def compact(moves, number):
        winnow.must(winnow.lib.winnow_compact_columns(
            winnow.context, table.selection, ctypes.c_uint64(n), moves, number,
            NO_LIMIT, ctypes.byref(count), None))

    def copy(condition, moves, number):
        winnow.must(winnow.lib.winnow_copy_where(
            winnow.context, condition, table.ins, 1, ctypes.c_uint64(n), moves, number,
            NO_LIMIT, ctypes.byref(count), None))
    for percent in (1, 10, 50, 90):
        condition = table.parse(f"x < {10 * percent}")
        table.select(condition)
        for operation, call in (("compact_columns", compact),
                                ("copy_where", lambda *move: copy(condition, *move))):
            calls = {name: lambda way=way, call=call: call(*way)
                     for name, way in ways.items()}
            figures = measure(calls, options, IN_A_ROW)
            report.add_ratio(f"{operation:16} {percent:3}%", figures, "plain", "nullable",
                             {"operation": operation, "n": n, "kept": count.value})


def run(name, np, winnow, options, report):
    (run_lineitem if name == "lineitem" else run_nullable)(np, winnow, options, report)
