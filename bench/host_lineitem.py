# SPDX-License-Identifier: Apache-2.0
"""Columns with nulls, for host_peers.py.

lineitem: rows as TPC-H's table of that name has them, made here: the filter of its
query 6 over six columns, and the same with a column of strings kept; a tenth of
the dates, discounts and quantities are null. It takes pyarrow and the module of
winnow, which use the same memory; "winnow, polars" filters the frame of polars,
whose strings are views.

nullable: an int32 column with its bitmap of validity beside one without, by
winnow_compact_columns() and winnow_copy_where(), into outputs that are there. It
takes the library alone.
"""

import ctypes
import datetime
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
WINNOW = (f"l_shipdate >= {(YEAR - EPOCH).days} and "
          f"l_shipdate < {(YEAR.replace(year=1995) - EPOCH).days} and "
          "l_discount between 0.05 and 0.07 and l_quantity < 24")
DUCKDB = ("l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and "
          "l_discount between 0.05::DOUBLE and 0.07::DOUBLE and l_quantity < 24")


def lineitem(np, pyarrow, n):
    """The table, in one chunk."""
    random = np.random.default_rng(6)

    def nullable(values, type_=None):
        return pyarrow.array(values, type_, mask=random.random(n) < 0.1)
    quantity = random.integers(1, 51, n).astype(np.float64)
    day = lambda date: (date - EPOCH).days
    dates = random.integers(day(FIRST), day(LAST) + 1, n, dtype=np.int32)
    modes = pyarrow.DictionaryArray.from_arrays(
        random.integers(0, len(MODES), n, dtype=np.int32), MODES)
    return pyarrow.table({
        "l_orderkey": random.integers(1, 4 * n, n),
        "l_quantity": nullable(quantity),
        "l_extendedprice": np.round(quantity * random.uniform(901, 2100, n), 2),
        "l_discount": nullable(random.integers(0, 11, n) / 100),
        "l_tax": random.integers(0, 9, n) / 100,
        "l_shipdate": nullable(dates, pyarrow.date32()),
        "l_shipmode": modes.cast(pyarrow.string())})


def pyarrow_mask(compute, table):
    date, discount, quantity = (table[name] for name in (
        "l_shipdate", "l_discount", "l_quantity"))
    tests = [compute.greater_equal(date, YEAR),
             compute.less(date, YEAR.replace(year=1995)),
             compute.greater_equal(discount, 0.05), compute.less_equal(discount, 0.07),
             compute.less(quantity, 24.0)]
    mask = tests[0]
    for test in tests[1:]:
        mask = compute.and_kleene(mask, test)
    return mask


def lineitem_calls(table, options):
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
                  column("l_discount").is_between(0.05, 0.07) &
                  (column("l_quantity") < 24))
        calls["winnow, polars"] = lambda: winnow.filter(frame, WINNOW)
        calls["polars"] = lambda: frame.filter(wanted)
        calls["polars, lazy"] = lambda: frame.lazy().filter(wanted).collect()
    if pyarrow:
        if options.threads:
            pyarrow.set_cpu_count(options.threads)
        calls["pyarrow"] = lambda: table.filter(pyarrow_mask(compute, table))
    if duckdb:
        connection = duckdb.connect()
        if options.threads:
            connection.execute(f"SET threads = {options.threads}")
        connection.register("source", table)
        connection.execute("CREATE TABLE t AS SELECT * FROM source")
        calls["DuckDB"] = lambda: connection.sql(
            f"SELECT * FROM t WHERE {DUCKDB}").to_arrow_table()
    return calls


def run_lineitem(np, winnow, options, report):
    try:
        import pyarrow
    except ImportError:
        sys.exit("lineitem: pyarrow is not installed")
    whole = lineitem(np, pyarrow, options.rows)
    for title, table in (("six columns", whole.select(SHORT)), ("and strings", whole)):
        calls = lineitem_calls(table, options)
        kept = {name: len(call()) for name, call in calls.items()}
        if len(set(kept.values())) != 1:
            sys.exit(f"the numbers of rows differ: {kept}")
        report.add(f"query 6, {title:12} {kept['winnow'] / options.rows:.3f}",
                   measure(calls, options, IN_A_ROW),
                   {"operation": "lineitem", "columns": table.column_names,
                    "n": options.rows, "kept": kept["winnow"]})


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
