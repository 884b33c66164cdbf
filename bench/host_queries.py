# SPDX-License-Identifier: Apache-2.0
"""Queries 1, 6 and 12 of TPC-H over money of decimal128(12, 2), for host_peers.py.

One table, drawn here, has the columns of lineitem that they read, and the priority
of its order, which query 12 joins. winnow_reduce_where() is called once for each
group. Every sum and count has to be DuckDB's to the last digit, or the program ends.
polars rounds products to two digits: it is measured, and not compared.
"""

import ctypes
import datetime
import decimal
import sys

from host_aggregates import COUNT, SUM, Aggregate
from host_lineitem import EPOCH, FIRST, LAST, MODES, Money
from host_tables import optional
from host_winnow import Field, In, measure

IN_A_ROW = 3
STRING32 = 15  # enum winnow_type
PRIORITIES = ["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"]
URGENT = "o_orderpriority in ('1-URGENT', '2-HIGH')"
PRICE = "l_extendedprice * (1 - l_discount)"

# name -> (where, columns of the group, [(expression or None: count, only where)])
QUERIES = {
    "query 1": ("l_shipdate <= date '1998-09-02'", {
        "l_returnflag": ["A", "N", "R"], "l_linestatus": ["F", "O"]},
        [("l_quantity", None), ("l_extendedprice", None), (PRICE, None),
         (f"{PRICE} * (1 + l_tax)", None), ("l_discount", None), (None, None)]),
    "query 6": ("l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' and "
                "l_discount between 0.05 and 0.07 and l_quantity < 24", {},
                [("l_extendedprice * l_discount", None)]),
    "query 12": ("l_commitdate < l_receiptdate and l_shipdate < l_commitdate and "
                 "l_receiptdate >= date '1994-01-01' and "
                 "l_receiptdate < date '1995-01-01'", {"l_shipmode": ["MAIL", "SHIP"]},
                 [(None, URGENT), (None, f"not {URGENT}")]),
}


class Reduction(ctypes.Structure):
    """winnow_reduction of decimals"""
    _fields_ = [("count", ctypes.c_uint64), ("lower", ctypes.c_uint64),
                ("mean", ctypes.c_double), ("ends", ctypes.c_uint64 * 4),
                ("upper", ctypes.c_int64)]


def draw(np, pyarrow, n):
    random = np.random.default_rng(12)
    money = Money(np, pyarrow, "decimal128")
    money.type = pyarrow.decimal128(12, 2)
    first, last = ((day - EPOCH).days for day in (FIRST, LAST))
    quantity = random.integers(1, 51, n)
    shipped = random.integers(first, last + 1, n, dtype=np.int32)
    date = lambda days: pyarrow.array(days.astype(np.int32), pyarrow.date32())
    one_of = lambda names: pyarrow.DictionaryArray.from_arrays(
        random.integers(0, len(names), n, dtype=np.int32), names).cast(pyarrow.string())
    return pyarrow.table({
        "l_quantity": money.array(100 * quantity),
        "l_extendedprice": money.array(quantity * random.integers(90100, 210000, n)),
        "l_discount": money.array(random.integers(0, 11, n)),
        "l_tax": money.array(random.integers(0, 9, n)),
        "l_shipdate": date(shipped),
        "l_commitdate": date(shipped + random.integers(-30, 61, n)),
        "l_receiptdate": date(shipped + random.integers(1, 31, n)),
        "l_shipmode": one_of(MODES), "l_returnflag": one_of(["A", "N", "R"]),
        "l_linestatus": one_of(["F", "O"]), "o_orderpriority": one_of(PRIORITIES)})


class Columns:
    """A table of pyarrow, of one chunk, as the library takes it."""
    KINDS = {"decimal128(12, 2)": (14, b"d:12,2"), "date32[day]": (3, b"tdD"),
             "string": (STRING32, None)}

    def __init__(self, winnow, table):
        self.winnow, self.table, self.rows = winnow, table, len(table)
        fields, ins = [], []
        for name in table.column_names:
            chunk = table[name].chunk(0)
            kind, form = self.KINDS[str(chunk.type)]
            buffers = chunk.buffers()
            more = {"d_data": buffers[2].address, "data_size": buffers[2].size
                    } if kind == STRING32 else {}
            fields.append(Field(name.encode(), kind, form))
            ins.append(In(type=kind, d_base=buffers[1].address, **more))
        self.fields, self.ins = ((kind * len(some))(*some) for kind, some in (
            (Field, fields), (In, ins)))

    def parse(self, function, text):
        made = ctypes.c_void_p()
        self.winnow.must(getattr(self.winnow.lib, function)(
            ctypes.byref(made), self.fields, len(self.fields), text.encode()))
        return made

    def scale(self, expression):
        self.winnow.lib.winnow_expression_format.restype = ctypes.c_char_p
        return int(self.winnow.lib.winnow_expression_format(expression).split(b",")[1])


def groups(keys):
    """All combinations of values, as a condition and as a row."""
    made = [("", ())]
    for name, values in keys.items():
        made = [(f"{text} and {name} = '{value}'", row + (value,))
                for text, row in made for value in values]
    return made


def by_winnow(columns, where, keys, sums):
    """A call that returns the rows of the groups that have an item."""
    winnow, results = columns.winnow, (Reduction * len(sums))()
    calls = []
    for text, row in groups(keys):
        for condition in sorted({only for _, only in sums}, key=str):
            mine = [i for i, (_, only) in enumerate(sums) if only == condition]
            asked = [columns.parse("winnow_expression_parse", sums[i][0]) if sums[i][0]
                     else None for i in mine]
            list_ = (Aggregate * len(mine))(*[
                Aggregate(made, COUNT | SUM if made else COUNT) for made in asked])
            scales = [columns.scale(made) if made else None for made in asked]
            whole = where + text + (f" and {condition}" if condition else "")
            calls.append((row, mine, list_, scales,
                          columns.parse("winnow_condition_parse", whole)))

    def call():
        rows = {}
        for row, mine, list_, scales, condition in calls:
            winnow.must(winnow.lib.winnow_reduce_where(
                winnow.context, condition, columns.ins, len(columns.ins),
                ctypes.c_uint64(columns.rows), list_, len(mine), results, None))
            for i, scale, made in zip(mine, scales, results):
                units = (made.upper << 64) + made.lower
                rows.setdefault(row, {})[i] = made.count if scale is None else (
                    decimal.Decimal(units).scaleb(-scale))
        return sorted(row + tuple(made[i] for i in range(len(sums)))
                      for row, made in rows.items())
    return call


def sql(where, keys, sums):
    names = ", ".join(keys)
    asked = [f"sum({of})" if of else f"count(case when {only} then 1 end)" if only
             else "count(*)" for of, only in sums]
    some = "".join(f" and {name} in {tuple(values)}" for name, values in keys.items())
    grouped = f" group by {names} order by {names}" if keys else ""
    return f"select {', '.join([*keys, *asked])} from t where {where}{some}{grouped}"


def run(np, winnow, options, report):
    try:
        import duckdb
        import pyarrow
    except ImportError as error:
        sys.exit(f"queries: {error.name} is not installed")
    decimal.getcontext().prec = 80
    table = draw(np, pyarrow, options.rows)
    columns = Columns(winnow, table)
    connection = duckdb.connect()
    if options.threads:
        connection.execute(f"SET threads = {options.threads}")
    connection.register("source", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM source")
    polars = optional("polars", options.peers)
    frames = polars.SQLContext(t=polars.from_arrow(table)) if polars else None
    for name, query in QUERIES.items():
        text = sql(*query)
        calls = {"winnow": by_winnow(columns, *query),
                 "DuckDB": lambda: connection.sql(text).fetchall()}
        found, wanted = (call() for call in calls.values())
        if [tuple(map(str, row)) for row in found] != [
                tuple(map(str, row)) for row in wanted]:
            sys.exit(f"{name} differs:\n{found}\n{wanted}")
        if frames is not None:
            calls["polars"] = lambda: frames.execute(text, eager=True)
        report.add(f"{name}, decimal128(12, 2), {len(found)} groups",
                   measure(calls, options, IN_A_ROW),
                   {"operation": "queries", "query": name, "n": options.rows,
                    "groups": len(found)})
