#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The host backend beside NumPy, pyarrow, polars and DuckDB, in one process.

    bench/host_peers.py [arrays|tables|sets|lineitem|nullable|strings|expressions|
                         aggregates|queries ...]
                        [--cpu] [--library libwinnow.so] [--threads N] [--json FILE]

Runs what is installed of them, and says what is not. arrays: elements are uniform;
x < threshold keeps the fraction asked for. tables, sets: host_tables.py; lineitem,
nullable: host_lineitem.py; strings: host_strings.py; expressions:
host_expressions.py; aggregates: host_aggregates.py; queries: host_queries.py. The
runs of all take turns; a figure is the median, in milliseconds, and in brackets the
least. The others make memory for every result. So there are two rows for winnow:
into an output that is there, and (winnow, new) into one that is made for each call.
--threads: of winnow, polars, pyarrow and DuckDB; NumPy uses one.
"""

import argparse
import json
import os
import sys

from host_winnow import TYPES, Winnow, measure

EXPERIMENTS = ("arrays", "tables", "sets", "lineitem", "nullable", "strings",
               "expressions", "aggregates", "queries")
ARRAYS = ("int8", "int16", "int32", "float64")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiments", nargs="*", default=["arrays"],
                        help="arrays, tables, sets, lineitem, nullable, strings,"
                             " expressions, aggregates, queries; all that are named")
    parser.add_argument("--library", default="libwinnow.so.0")
    parser.add_argument("--threads", type=int, default=0, help="0: all")
    parser.add_argument("--bytes", type=int, default=128 << 20, help="of an array")
    parser.add_argument("--rows", type=int, default=10**7, help="of a table")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--cpu", action="store_true",
                        help="CPU time, of all threads: what a busy machine changes less")
    parser.add_argument("--peers", default="NumPy,polars,pyarrow,DuckDB,numexpr",
                        help="of tables, sets, lineitem, strings, expressions, aggregates")
    parser.add_argument("--json", help="append a row for each figure")
    options = parser.parse_args()
    for name in options.experiments:
        if name not in EXPERIMENTS:
            parser.error(f"no experiment is called '{name}'")
    return options


def data(np, type_name, n, fraction):
    """Elements, and the threshold that this share is below."""
    random = np.random.default_rng(1)
    if type_name == "float64":
        return random.random(n), np.float64(fraction)
    low, high = np.iinfo(type_name).min, np.iinfo(type_name).max
    x = random.integers(low, high, n, dtype=type_name, endpoint=True)
    return x, np.array(low + fraction * (high - low + 1)).astype(type_name)[()]


def contenders(np, winnow, type_name, x, threshold):
    """name -> (select, count); each returns how many there are."""
    predicate = winnow.predicate(type_name, np.array(threshold))
    out = np.ones_like(x)
    count = lambda: winnow.count_if(predicate, x)
    calls = {
        "winnow": (lambda: winnow.copy_if(predicate, x, out), count),
        "winnow, new": (lambda: winnow.copy_if(predicate, x, np.empty_like(x)), count),
        "NumPy": (lambda: x[x < threshold].size, lambda: np.count_nonzero(x < threshold)),
    }
    try:
        import pyarrow
        import pyarrow.compute as compute
        array, scalar = pyarrow.array(x), pyarrow.scalar(threshold)
        calls["pyarrow"] = (lambda: len(array.filter(compute.less(array, scalar))),
                            lambda: compute.less(array, scalar).true_count)
    except ImportError:
        pass
    try:
        import polars
        series = polars.Series("x", x)
        frame = polars.DataFrame({"x": series})
        calls["polars"] = (lambda: len(series.filter(series < threshold)),
                           lambda: (series < threshold).sum())
        calls["polars, lazy"] = (
            lambda: frame.lazy().filter(polars.col("x") < threshold).collect().height,
            lambda: frame.lazy().select((polars.col("x") < threshold).sum()).collect().item())
    except ImportError:
        pass
    return calls


def agreed(calls):
    """What all calls return; which warms up, too."""
    wanted = {call() for call in calls.values()}
    if len(wanted) != 1:
        sys.exit(f"the counts differ: {wanted}")
    return wanted.pop()


class Report:
    """Lines, and rows of JSON."""

    def __init__(self, options):
        self.options, self.lost = options, 0

    def add(self, title, figures, row):
        """figures: as measure() returns them; the best of the others beside
        winnow's."""
        others = [v for k, v in figures.items() if not k.startswith("winnow")]
        ratio = min(v[0] for v in others) / figures["winnow"][0] if others else float("nan")
        least = min(v[1] for v in others) / figures["winnow"][1] if others else float("nan")
        self.lost += ratio < 1
        self.write(f"{title}: {ratio:5.2f} ({least:.2f}) times the best;", figures, row)

    def add_ratio(self, title, figures, base, name, row):
        """The rate of one beside that of another."""
        ratio, least = (figures[base][i] / figures[name][i] for i in (0, 1))
        self.write(f"{title}: {name} at {ratio:.2f} ({least:.2f}) of {base};", figures, row)

    def write(self, text, figures, row):
        print(text,
              ", ".join(f"{k} {1e3 * v[0]:.2f} ({1e3 * v[1]:.2f})" + f" {v[2]:.0f} faults" *
                        (v[2] > 0) for k, v in figures.items()), flush=True)
        if self.options.json:
            with open(self.options.json, "a", encoding="utf-8") as file:
                for name, (median, least, faults) in figures.items():
                    file.write(json.dumps({
                        **row, "contender": name, "threads": self.options.threads,
                        "clock": "cpu" if self.options.cpu else "wall",
                        "milliseconds": round(1e3 * median, 3),
                        "least": round(1e3 * least, 3), "faults": faults,
                        "load": round(os.getloadavg()[0], 1)}) + "\n")


def run_arrays(np, winnow, options, report):
    for type_name in ARRAYS:
        for fraction in (0.01, 0.5, 0.9):
            n = options.bytes // np.dtype(type_name).itemsize
            x, threshold = data(np, type_name, n, fraction)
            calls = contenders(np, winnow, type_name, x, threshold)
            for i, operation in enumerate(("copy_if", "count_if")):
                chosen = {k: v[i] for k, v in calls.items()}
                count = agreed(chosen)
                report.add(f"{operation:8} {type_name:8} {count / n:.2f}",
                           measure(chosen, options),
                           {"operation": operation, "type": type_name, "n": n, "kept": count})


def main():
    options = parse()
    if options.threads:
        os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    import numpy as np
    import host_aggregates
    import host_expressions
    import host_lineitem
    import host_queries
    import host_strings
    import host_tables
    winnow = Winnow(options.library, options.threads)
    report = Report(options)
    print("load:", os.getloadavg()[0])
    for name in options.experiments:
        if name == "arrays":
            run_arrays(np, winnow, options, report)
        elif name in ("lineitem", "nullable"):
            host_lineitem.run(name, np, winnow, options, report)
        elif name == "expressions":
            host_expressions.run(np, winnow, options, report)
        elif name == "aggregates":
            host_aggregates.run(np, winnow, options, report)
        elif name == "queries":
            host_queries.run(np, winnow, options, report)
        elif name == "strings":
            host_strings.run(np, winnow, options, report)
        else:
            host_tables.run(name, np, winnow, options, report)
    print(f"cells where another is faster: {report.lost}")


main()
