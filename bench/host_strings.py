# SPDX-License-Identifier: Apache-2.0
"""Tests of strings, for host_peers.py: masks alone, of a column without nulls.

words: 4 to 12 letters of 12 that are drawn; short: 1 to 20 of them; long: 100. notes:
3 to 9 of 200 words, of which "special" and "requests" are two. winnow tests a column behind offsets of 32 bits,
and one of views; each has a line. polars has views, pyarrow the offsets, DuckDB a
table of its own. All tests keep what pyarrow keeps.
"""

import ctypes
import re
import sys

from host_tables import optional
from host_winnow import In, Table, measure

TYPES = {"utf8": 15, "views": 17}  # enum winnow_type
LETTERS = b"etaoinshrdlu"
LIST = ["etao", "eta", "sdfe", "ddsf", "nhs", "houses", "tin", "rust"]
MANY = 1000  # texts of the long list


class Buffer(ctypes.Structure):
    """winnow_buffer"""
    _fields_ = [("d_bytes", ctypes.c_void_p), ("bytes", ctypes.c_uint64)]


# ------------------------------------------------------------------------ data

def draw_words(np, pyarrow, random, n, least, most):
    ends = np.concatenate([[0], np.cumsum(random.integers(least, most + 1, n))])
    letters = np.frombuffer(LETTERS, np.uint8)[random.integers(0, len(LETTERS), ends[-1])]
    return pyarrow.Array.from_buffers(
        pyarrow.string(), n, [None, pyarrow.py_buffer(ends.astype(np.int32)),
                              pyarrow.py_buffer(letters.tobytes())])


def draw_notes(np, pyarrow, random, n):
    words = draw_words(np, pyarrow, random, 198, 2, 9).to_pylist() + ["special", "requests"]
    ends = np.concatenate([[0], np.cumsum(random.integers(3, 10, n))]).astype(np.int32)
    drawn = pyarrow.array(words).take(pyarrow.array(random.integers(0, 200, ends[-1])))
    import pyarrow.compute as compute
    return compute.binary_join(pyarrow.ListArray.from_arrays(ends, drawn), " ")


# Each: the text, for winnow and DuckDB; for polars; for pyarrow.
def tests_of(column, polars, compute, texts):
    p = polars.col(column) if polars else None

    def plain(text, of_polars, of_pyarrow):
        return text.format(c=column), of_polars, of_pyarrow

    def equal(text):
        return plain(f"{{c}} = '{text}'", lambda: p == text, lambda s: compute.equal(s, text))

    def is_in(values):
        import pyarrow
        quoted = ", ".join(f"'{text}'" for text in values)
        return plain(f"{{c}} in ({quoted})", lambda: p.is_in(values),
                     lambda s: compute.is_in(s, pyarrow.array(values)))

    def like(pattern):
        expression = "(?s)^" + re.escape(pattern).replace("%", ".*") + "$"
        return plain(f"{{c}} like '{pattern}'", lambda: p.str.contains(expression),
                     lambda s: compute.match_like(s, pattern))

    def starts(text):
        return plain(f"starts_with({{c}}, '{text}')", lambda: p.str.starts_with(text),
                     lambda s: compute.starts_with(s, text))

    def ends(text):
        return plain(f"ends_with({{c}}, '{text}')", lambda: p.str.ends_with(text),
                     lambda s: compute.ends_with(s, text))

    def contains(text):
        return plain(f"contains({{c}}, '{text}')",
                     lambda: p.str.contains(text, literal=True),
                     lambda s: compute.match_substring(s, text))

    def less(text):
        return plain(f"{{c}} < '{text}'", lambda: p < text, lambda s: compute.less(s, text))

    def unlike(text):
        return plain(f"{{c}} <> '{text}'", lambda: p != text,
                     lambda s: compute.not_equal(s, text))
    if column == "long":
        return [equal(texts[0]), is_in(texts[:8]), is_in(texts), starts("etao"),
                ends("etao"), contains("etaoi"), like("%eta%oin%")]
    if column != "notes":
        return [equal("etao"), equal("etaoinsh"), unlike("etao"), less("lmn"),
                is_in(LIST), is_in(texts), starts("et"), starts("etaoi"), ends("eta"),
                contains("eta"), like("e%a")]
    return [equal(texts[0]), less("lmn"), is_in(texts), starts(texts[0][:12]),
            ends("special"), contains("special"), like("r%special"),
            like("%special%requests%")]


# ------------------------------------------------------------------ contenders

class Strings(Table):
    """A column of strings of pyarrow's, as winnow takes it."""

    def __init__(self, winnow, np, name, array, kind):
        super().__init__(winnow, np, {name: np.zeros(len(array), np.uint8)})
        self.fields[0].type = TYPES[kind]
        if kind == "views":
            import pyarrow
            array = array.cast(pyarrow.string_view())
        self.buffers = array.buffers()
        self.data = (Buffer * len(self.buffers[2:]))(*[
            Buffer(b.address, b.size) for b in self.buffers[2:]])
        self.ins[0] = In(type=TYPES[kind], d_base=self.buffers[1].address)
        if kind == "views":
            self.ins[0].d_data = ctypes.addressof(self.data)
            self.ins[0].data_size = len(self.data)
        else:
            self.ins[0].d_data, self.ins[0].data_size = (
                self.buffers[2].address, self.buffers[2].size)

    def count(self, condition):
        self.select(condition)
        count = ctypes.c_uint64()
        self.winnow.must(self.winnow.lib.winnow_selection_count(
            self.winnow.context, self.selection, ctypes.c_uint64(self.rows),
            ctypes.byref(count), None))
        return count.value


def duckdb_connection(duckdb, table, threads):
    connection = duckdb.connect()
    if threads:
        connection.execute(f"SET threads = {threads}")
    connection.register("source", table)
    connection.execute("CREATE TABLE t AS SELECT * FROM source")
    return connection


def run_column(np, winnow, options, report, name, array):
    import pyarrow
    import pyarrow.compute as compute
    polars, duckdb = (optional(peer, options.peers) for peer in ("polars", "duckdb"))
    tables = {kind: Strings(winnow, np, name, array, kind) for kind in TYPES}
    source = pyarrow.table({name: array})
    frame = polars.from_arrow(source) if polars else None
    connection = duckdb_connection(duckdb, source, options.threads) if duckdb else None
    texts = sorted(set(array.slice(0, MANY).to_pylist()))
    for text, of_polars, of_pyarrow in tests_of(name, polars, compute, texts):
        count, calls = compute.sum(of_pyarrow(array)).as_py(), {}
        for kind, table in tables.items():
            condition = table.parse(text)
            if table.count(condition) != count:
                sys.exit(f"{text}: winnow keeps {table.count(condition)}, pyarrow {count}")
            calls[kind] = lambda table=table, condition=condition: table.select(condition)
        if polars:
            expression = of_polars()
            calls["polars"] = lambda: frame.select(expression)
        if optional("pyarrow", options.peers):
            calls["pyarrow"] = lambda: of_pyarrow(array)
        if duckdb:
            calls["DuckDB"] = lambda: connection.sql(
                f"SELECT ({text}) FROM t").to_arrow_table()
        figures = measure(calls, options)
        if len(text) > 60 and " in " in text:
            text = f"{name} in ({text.count(',') + 1} texts)"
        for kind in TYPES:
            others = {k: v for k, v in figures.items() if k not in TYPES}
            report.add(f"{kind:5} {text:52} {count / len(array):.4f}",
                       {"winnow": figures[kind], **others},
                       {"operation": "strings", "layout": kind, "condition": text,
                        "n": len(array), "kept": count})


def run(np, winnow, options, report):
    try:
        import pyarrow
    except ImportError:
        sys.exit("strings: pyarrow is not installed")
    random, n = np.random.default_rng(8), options.rows
    if options.threads:
        pyarrow.set_cpu_count(options.threads)
    for name, least, most in (("words", 4, 12), ("short", 1, 20), ("long", 100, 100)):
        run_column(np, winnow, options, report, name,
                   draw_words(np, pyarrow, random, n, least, most))
    run_column(np, winnow, options, report, "notes",
               draw_notes(np, pyarrow, random, n))
