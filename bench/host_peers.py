#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The host backend beside NumPy, pyarrow and polars, in one process.

    bench/host_peers.py [--library libwinnow.so] [--threads N] [--json FILE]

Runs what is installed of the three. Elements are uniform; x < threshold keeps
the fraction asked for. The runs of all take turns; a figure is the median, in
milliseconds. The others make memory for every result. So there are two rows for
winnow: into an output that is there, and (winnow, new) into one that is made for
each call. --threads: of winnow and polars; the others use one for this.
"""

import argparse
import ctypes
import json
import os
import statistics
import sys
import time

TYPES = {"int8": 1, "int16": 2, "int32": 3, "float64": 12}  # enum winnow_type
WINNOW_HOST, WINNOW_LT = -1, 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default="libwinnow.so.0")
    parser.add_argument("--threads", type=int, default=0, help="0: all")
    parser.add_argument("--bytes", type=int, default=128 << 20)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", help="append a row for each figure")
    return parser.parse_args()


class Winnow:
    """The library, and a context."""

    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.lib.winnow_last_error.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        self.must(self.lib.winnow_context_create(ctypes.byref(self.context), WINNOW_HOST))
        self.must(self.lib.winnow_context_set_threads(self.context, threads))

    def must(self, status):
        if status != 0:
            sys.exit(f"winnow: {self.lib.winnow_last_error().decode()}")

    def predicate(self, type_name, threshold):
        """And its type, as calls take them."""
        predicate = ctypes.c_void_p()
        self.must(self.lib.winnow_predicate_compare(
            ctypes.byref(predicate), TYPES[type_name], WINNOW_LT,
            ctypes.c_void_p(threshold.ctypes.data)))
        return predicate, TYPES[type_name]

    def copy_if(self, predicate, x, out):
        count = ctypes.c_uint64()
        self.must(self.lib.winnow_copy_if(
            self.context, *predicate, ctypes.c_void_p(x.ctypes.data), ctypes.c_uint64(x.size),
            ctypes.c_void_p(out.ctypes.data), ctypes.c_uint64(x.size), ctypes.byref(count),
            None))
        return count.value

    def count_if(self, predicate, x):
        count = ctypes.c_uint64()
        self.must(self.lib.winnow_count_if(
            self.context, *predicate, ctypes.c_void_p(x.ctypes.data), ctypes.c_uint64(x.size),
            ctypes.byref(count), None))
        return count.value


def data(np, type_name, n, fraction):
    """Elements, and the threshold that so many are below."""
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


def measure(calls, runs):
    """name -> median seconds."""
    times = {name: [] for name in calls}
    wanted = {call() for call in calls.values()}  # which warms up, too
    if len(wanted) != 1:
        sys.exit(f"the counts differ: {wanted}")
    for _ in range(runs):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(seconds) for name, seconds in times.items()}, wanted.pop()


def main():
    options = parse()
    if options.threads:
        os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    import numpy as np
    winnow = Winnow(options.library, options.threads)
    lost = 0
    for type_name in TYPES:
        for fraction in (0.01, 0.5, 0.9):
            n = options.bytes // np.dtype(type_name).itemsize
            x, threshold = data(np, type_name, n, fraction)
            calls = contenders(np, winnow, type_name, x, threshold)
            for i, operation in enumerate(("copy_if", "count_if")):
                figures, count = measure({k: v[i] for k, v in calls.items()}, options.runs)
                others = [v for k, v in figures.items() if not k.startswith("winnow")]
                ratio = min(others) / figures["winnow"]
                lost += ratio < 1
                print(f"{operation:8} {type_name:8} {count / n:.2f}: {ratio:5.2f} times the best;",
                      ", ".join(f"{k} {1e3 * v:.2f}" for k, v in figures.items()), flush=True)
                if options.json:
                    with open(options.json, "a", encoding="utf-8") as file:
                        for name, seconds in figures.items():
                            file.write(json.dumps({
                                "operation": operation, "contender": name, "type": type_name,
                                "n": n, "kept": count, "threads": options.threads,
                                "milliseconds": round(1e3 * seconds, 3)}) + "\n")
    print(f"cells where another is faster: {lost}")


main()
