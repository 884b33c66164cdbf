# SPDX-License-Identifier: Apache-2.0
"""Filters of a table, for host_peers.py: masks alone, and all columns filtered.

tables: x float32 of [0, 1), f uint8 below 8, k int32 below 1000, as in
bench/selections/where.c. sets: an int32 column, half of whose items are among 8 to
1000000 values; "winnow, set made" makes the condition in each call, as the others
do.

Outputs that are made for each call come from malloc(), which is told to keep the
pages that are freed, as the allocators of polars and pyarrow keep theirs for a
while: what is faulted in anew costs more than a filter, and whoever faults has it
in the row. "winnow, new pages" takes them from the system, and gives them back.
"""

import ctypes
import functools
import importlib
import mmap
import sys

from host_winnow import Table, measure

EIGHT = [3, 99, 171, 302, 444, 555, 700, 911]
IN_A_ROW = 3
NUMPY_MOST = 64  # values: np.isin() of 1024 takes 7 seconds and more
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
INT_MAX = 2**31 - 1


# The filters: the text, for winnow and (with SQL's words) DuckDB, and an
# expression for those that have operators; column("x") is a column.
def expressions(column, is_in):
    x, f, k = column("x"), column("f"), column("k")
    return {
        "x < 0.5": lambda: x < 0.5,
        "x < 0.01": lambda: x < 0.01,
        "x < 0.5 && f == 3": lambda: (x < 0.5) & (f == 3),
        "(x < 0.2 || k >= 900) && (f & 3) != 1":
            lambda: ((x < 0.2) | (k >= 900)) & ((f & 3) != 1),
        f"k in ({', '.join(map(str, EIGHT))})": lambda: is_in(k, EIGHT),
    }


def sql(text):
    """Of one of these texts; 0.2 is a DECIMAL there, and x a FLOAT."""
    for number in ("0.01", "0.2", "0.5"):
        text = text.replace(number, number + "::FLOAT")
    return text.replace("&&", "AND").replace("||", "OR").replace("==", "=")


@functools.cache
def optional(name, peers):
    """The module; None: it is not installed, which is said once, or not one of
    --peers."""
    if name not in peers.lower().split(","):
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is not installed: left out")
        return None


# ------------------------------------------------------------------- contenders

# Each: text -> (mask, filter), which return nothing in particular.
def numpy_calls(np, columns):
    wanted = expressions(columns.get, np.isin)

    def calls(text):
        def filtered():
            mask = wanted[text]()
            return [x[mask] for x in columns.values()]
        return wanted[text], filtered
    return calls


def polars_calls(polars, columns, is_lazy):
    frame = polars.DataFrame(columns)
    wanted = expressions(polars.col, lambda k, values: k.is_in(values))

    def calls(text):
        expression = wanted[text]()
        if is_lazy:
            return (lambda: frame.lazy().select(expression).collect(),
                    lambda: frame.lazy().filter(expression).collect())
        return lambda: frame.select(expression), lambda: frame.filter(expression)
    return calls




class ArrowColumn:
    """The operators of expressions(), by pyarrow.compute."""

    def __init__(self, compute, values):
        self.compute, self.values = compute, values

    def made(self, values):
        return ArrowColumn(self.compute, values)

    def scalar(self, number):
        import pyarrow
        return pyarrow.scalar(number, self.values.type)

    def __lt__(self, number):
        return self.made(self.compute.less(self.values, self.scalar(number)))

    def __ge__(self, number):
        return self.made(self.compute.greater_equal(self.values, self.scalar(number)))

    def __eq__(self, number):
        return self.made(self.compute.equal(self.values, self.scalar(number)))

    def __ne__(self, number):
        return self.made(self.compute.not_equal(self.values, self.scalar(number)))

    def __and__(self, other):
        if isinstance(other, ArrowColumn):
            return self.made(self.compute.and_(self.values, other.values))
        return self.made(self.compute.bit_wise_and(self.values, self.scalar(other)))

    def __or__(self, other):
        return self.made(self.compute.or_(self.values, other.values))


def pyarrow_calls(pyarrow, columns, threads):
    import pyarrow.compute as compute
    table = pyarrow.table(columns)
    if threads:
        pyarrow.set_cpu_count(threads)

    def is_in(k, values):
        return k.made(compute.is_in(k.values, pyarrow.array(values, k.values.type)))
    wanted = expressions(
        lambda name: ArrowColumn(compute, table[name].combine_chunks()), is_in)

    def calls(text):
        return wanted[text], lambda: table.filter(wanted[text]().values)
    return calls


def duckdb_calls(duckdb, columns, threads):
    import pyarrow
    table = pyarrow.table(columns)
    connection = duckdb.connect()
    if threads:
        connection.execute(f"SET threads = {threads}")
    connection.execute("SET preserve_insertion_order = true")
    connection.register("source", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM source")

    def calls(text):
        return (lambda: connection.sql(f"SELECT ({sql(text)}) FROM t").to_arrow_table(),
                lambda: connection.sql(
                    f"SELECT * FROM t WHERE {sql(text)}").to_arrow_table())
    return calls


def contenders(np, columns, options):
    polars, pyarrow, duckdb = (
        optional(name, options.peers) for name in ("polars", "pyarrow", "duckdb"))
    calls = {"NumPy": numpy_calls(np, columns)} if optional("numpy", options.peers) else {}
    if polars:
        calls["polars"] = polars_calls(polars, columns, False)
        calls["polars, lazy"] = polars_calls(polars, columns, True)
    if pyarrow:
        calls["pyarrow"] = pyarrow_calls(pyarrow, columns, options.threads)
    if pyarrow and duckdb:
        calls["DuckDB"] = duckdb_calls(duckdb, columns, options.threads)
    return calls


# ---------------------------------------------------------------------- tables

class Outputs:
    """Three ways to have memory for the columns of a table."""

    def __init__(self, np, columns):
        self.bytes = [x.nbytes for x in columns.values()]
        self.warm = [np.ones_like(x) for x in columns.values()]
        self.libc = ctypes.CDLL(None)
        self.libc.malloc.restype = ctypes.c_void_p
        self.libc.malloc.argtypes = [ctypes.c_size_t]
        self.libc.free.argtypes = [ctypes.c_void_p]
        self.libc.mallopt(M_MMAP_THRESHOLD, INT_MAX)
        self.libc.mallopt(M_TRIM_THRESHOLD, INT_MAX)

    def there(self, run):
        return run([x.ctypes.data for x in self.warm])

    def new(self, run):
        memory = [self.libc.malloc(size) for size in self.bytes]
        count = run(memory)
        for address in memory:
            self.libc.free(address)
        return count

    def new_pages(self, run):
        memory = [mmap.mmap(-1, size) for size in self.bytes]
        views = [(ctypes.c_char * size).from_buffer(m)
                 for m, size in zip(memory, self.bytes)]
        count = run([ctypes.addressof(view) for view in views])
        del views
        for pages in memory:
            pages.close()
        return count


def run_tables(np, winnow, options, report):
    random, n = np.random.default_rng(1), options.rows
    columns = {"x": random.random(n, dtype=np.float32),
               "f": random.integers(0, 8, n, dtype=np.uint8),
               "k": random.integers(0, 1000, n, dtype=np.int32)}
    outputs, table = Outputs(np, columns), Table(winnow, np, columns)
    others = contenders(np, columns, options)
    for text, wanted in expressions(columns.get, np.isin).items():
        condition, count = table.parse(text), int(np.count_nonzero(wanted()))
        copy = lambda memory: table.copy(condition, memory)
        if outputs.there(copy) != count:
            sys.exit(f"{text}: winnow keeps {outputs.there(copy)}, NumPy {count}")
        rows = {name: calls(text) for name, calls in others.items()}
        masks = {"winnow": lambda: table.select(condition),
                 **{name: mask for name, (mask, _) in rows.items()}}
        filters = {"winnow": lambda: outputs.new(copy),
                   "winnow, there": lambda: outputs.there(copy),
                   "winnow, new pages": lambda: outputs.new_pages(copy),
                   **{name: filtered for name, (_, filtered) in rows.items()}}
        for operation, calls in (("mask", masks), ("filter", filters)):
            report.add(f"{operation:6} {text:42} {count / n:.3f}",
                       measure(calls, options, IN_A_ROW),
                       {"operation": operation, "condition": text, "n": n, "kept": count})


# ------------------------------------------------------------------------ sets

def set_calls(np, winnow, table, items, values, options):
    condition = winnow.condition_in(values)

    def made():
        own = winnow.condition_in(values)
        table.select(own)
        winnow.lib.winnow_condition_destroy(own)
    calls = {"winnow": lambda: table.select(condition), "winnow, set made": made}
    if values.size <= NUMPY_MOST and optional("numpy", options.peers):
        calls["NumPy"] = lambda: np.isin(items, values)
    polars, pyarrow, duckdb = (
        optional(name, options.peers) for name in ("polars", "pyarrow", "duckdb"))
    if polars:
        frame = polars.DataFrame({"v": items})
        expression = polars.col("v").is_in(polars.Series(values).implode())
        calls["polars"] = lambda: frame.select(expression)
    if pyarrow:
        import pyarrow.compute as compute
        array, value_set = pyarrow.array(items), pyarrow.array(values)
        calls["pyarrow"] = lambda: compute.is_in(array, value_set)
    if pyarrow and duckdb:
        connection = duckdb.connect()
        if options.threads:
            connection.execute(f"SET threads = {options.threads}")
        for name, x in (("t", items), ("s", values)):
            connection.register("source", pyarrow.table({"v": x}))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM source")
        calls["DuckDB"] = lambda: connection.sql(
            "SELECT v IN (SELECT v FROM s) FROM t").to_arrow_table()
    return calls


def run_sets(np, winnow, options, report):
    random, n = np.random.default_rng(2), options.rows
    for number in (8, 64, 1024, 10**6):
        values = 2 * random.choice(2**30, number, replace=False).astype(np.int32)
        items = np.where(random.random(n) < 0.5, random.choice(values, n),
                         2 * random.integers(0, 2**30, n, dtype=np.int32) + 1)
        table = Table(winnow, np, {"v": items})
        calls = set_calls(np, winnow, table, items, values, options)
        report.add(f"is_in  {number:8}", measure(calls, options),
                   {"operation": "is_in", "condition": f"{number} values", "n": n,
                    "kept": int(np.count_nonzero(items % 2 == 0))})


def run(name, np, winnow, options, report):
    (run_tables if name == "tables" else run_sets)(np, winnow, options, report)
