# SPDX-License-Identifier: Apache-2.0
"""Aggregates under a condition, for host_peers.py.

Query 6 of TPC-H: the sum of price * discount, both float64, over a year of seven by
an int32 of days, three of eleven discounts, and quantities (float64) below 24 of
50: 2% of the rows. The sums agree but for rounding.
"""

import ctypes
import sys

from host_tables import optional
from host_winnow import Table, measure

IN_A_ROW = 3
COUNT, SUM, MINIMUM, MAXIMUM = 1, 2, 4, 8  # winnow_reduce
YEAR = (730, 1095)
WHERE = ("day >= 730 and day < 1095 and discount between 0.05 and 0.07 and "
         "quantity < 24")
REVENUE = "price * discount"


class Aggregate(ctypes.Structure):
    """winnow_aggregate"""
    _fields_ = [("expression", ctypes.c_void_p), ("wanted", ctypes.c_uint),
                ("reserved", ctypes.c_uint64 * 2)]


class Reduction(ctypes.Structure):
    """winnow_reduction of floats"""
    _fields_ = [("count", ctypes.c_uint64), ("sum", ctypes.c_double),
                ("mean", ctypes.c_double), ("minimum", ctypes.c_double),
                ("maximum", ctypes.c_double), ("indices", ctypes.c_uint64 * 2),
                ("overflow", ctypes.c_uint64)]


def data(np, rows):
    random = np.random.default_rng(6)
    return {"day": random.integers(0, 2526, rows, dtype=np.int32),
            "price": random.integers(90100, 10500000, rows) / 100,
            "discount": random.integers(0, 11, rows) / 100,
            "quantity": random.integers(1, 51, rows).astype(np.float64)}


def by_winnow(winnow, table, where, wanted):
    expression = ctypes.c_void_p()
    winnow.must(winnow.lib.winnow_expression_parse(
        ctypes.byref(expression), table.fields, len(table.ins), REVENUE.encode()))
    condition = table.parse(where) if where else None
    aggregate = Aggregate(expression.value, wanted)
    result = Reduction()

    def call():
        winnow.must(winnow.lib.winnow_reduce_where(
            winnow.context, condition, table.ins, len(table.ins),
            ctypes.c_uint64(table.rows), ctypes.byref(aggregate), 1,
            ctypes.byref(result), None))
        return result.sum
    return call


def by_numpy(np, columns, where):
    day, price, discount, quantity = columns.values()

    def call():
        if not where:
            return (price * discount).sum()
        mask = ((day >= YEAR[0]) & (day < YEAR[1]) & (discount >= 0.05) &
                (discount <= 0.07) & (quantity < 24))
        return (price[mask] * discount[mask]).sum()
    return call


def by_polars(polars, frame, where, wanted):
    column = polars.col
    passes = ((column("day") >= YEAR[0]) & (column("day") < YEAR[1]) &
              column("discount").is_between(0.05, 0.07) & (column("quantity") < 24))
    revenue = column("price") * column("discount")
    asked = [revenue.sum().alias("sum")]
    if wanted != SUM:
        asked += [revenue.min().alias("min"), revenue.max().alias("max")]
    query = frame.lazy().filter(passes) if where else frame.lazy()
    return lambda: query.select(asked).collect()["sum"][0]


def by_duckdb(connection, where, wanted):
    asked = f"sum({REVENUE})"
    if wanted != SUM:
        asked += f", min({REVENUE}), max({REVENUE})"
    text = f"SELECT {asked} FROM t" + (f" WHERE {where}" if where else "")
    return lambda: connection.sql(text).fetchone()[0]


def contenders(np, winnow, columns, options):
    """(where, wanted) -> name -> a call, which returns the sum."""
    table = Table(winnow, np, columns)
    polars, duckdb, numpy = (
        optional(name, options.peers) for name in ("polars", "duckdb", "numpy"))
    frame = polars.DataFrame(columns) if polars else None
    connection = None
    if duckdb:
        import pandas  # noqa: F401: what DuckDB reads arrays by
        connection = duckdb.connect()
        if options.threads:
            connection.execute(f"SET threads = {options.threads}")
        source = pandas.DataFrame(columns)
        connection.register("source", source)
        connection.execute("CREATE TABLE t AS SELECT * FROM source")

    def make(where, wanted):
        calls = {"winnow": by_winnow(winnow, table, where, wanted)}
        if numpy and wanted == SUM:
            calls["NumPy"] = by_numpy(np, columns, where)
        if frame is not None:
            calls["polars, lazy"] = by_polars(polars, frame, where, wanted)
        if connection is not None:
            calls["DuckDB"] = by_duckdb(connection, where, wanted)
        return calls
    return make


def run(np, winnow, options, report):
    columns = data(np, options.rows)
    make = contenders(np, winnow, columns, options)
    for title, where, wanted in (("query 6", WHERE, SUM),
                                 ("query 6, sum, min, max", WHERE, SUM | MINIMUM | MAXIMUM),
                                 ("all rows", None, SUM),
                                 ("all rows, sum, min, max", None, SUM | MINIMUM | MAXIMUM)):
        calls = make(where, wanted)
        sums = {name: call() for name, call in calls.items()}
        if not np.allclose(list(sums.values()), sums["winnow"], rtol=1e-9):
            sys.exit(f"the sums differ: {sums}")
        report.add(f"{title:24}", measure(calls, options, IN_A_ROW),
                   {"operation": "reduce_where", "title": title, "n": options.rows})
