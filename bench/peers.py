#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure what a Python user would call instead: PyTorch and CuPy.

Runs where Python has torch, cupy, or both, and a CUDA device. Prints a table
and appends rows of the form that winnow-bench --json writes. The elements are
those of winnow-bench (bench/data.h has the arithmetic), the predicate is the
same x < threshold, and the method is that of winnow-bench(1) but for two
things: these calls wait for the count by themselves, so host time is part of
their time; and the library's own device-to-device copy stands in for the copy
kernel.
"""

import argparse
import json
import os
import re
import sys
import time

FEWEST_RUNS, MOST_RUNS, WARM_UPS = 7, 2000, 2
# Elements that are generated at a time: the arithmetic is in int64.
PIECE = 1 << 24

# name: bytes, kind
TYPES = {
    "int8": (1, "signed"),
    "int16": (2, "signed"),
    "int32": (4, "signed"),
    "int64": (8, "signed"),
    "uint8": (1, "unsigned"),
    "float16": (2, "float"),
    "float32": (4, "float"),
    "float64": (8, "float"),
}
# Random bits of a float's significand, and the bits of 1.0.
FLOATS = {
    2: (0x03FF, 0x3C00),
    4: (0x007FFFFF, 0x3F800000),
    8: (0x000FFFFFFFFFFFFF, 0x3FF0000000000000),
}
LOW_32 = (1 << 32) - 1


def signed(bits):
    """The int64 with these 64 bits."""
    bits &= (1 << 64) - 1
    return bits - (1 << 64) if bits >> 63 else bits


def shift_right(x, count):
    """A logical shift of int64."""
    return (x >> count) & ((1 << (64 - count)) - 1)


def random_number(seed, i):
    """SplitMix64, on int64 arrays whose products wrap."""
    x = (i + 1) * signed(0x9E3779B97F4A7C15) + signed(seed)
    x = (x ^ shift_right(x, 30)) * signed(0xBF58476D1CE4E5B9)
    x = (x ^ shift_right(x, 27)) * signed(0x94D049BB133111EB)
    return x ^ shift_right(x, 31)


class Cell:
    """A point of the grid."""

    def __init__(self, type_name, n, selectivity, pattern):
        self.type, self.n, self.selectivity = type_name, n, selectivity
        self.pattern = pattern
        self.size, self.kind = TYPES[type_name]
        self.share = int(selectivity * (1 << 32) + 0.5)
        self.run = int(pattern.split(":")[1]) if ":" in pattern else 1
        self.threshold = (
            1 << (8 * self.size - 1) if self.kind == "unsigned" else 0
        )

    def keeps(self, i):
        """Which of these positions are kept."""
        if self.pattern == "prefix":
            return i < (self.n * self.share + (1 << 31)) >> 32
        if self.pattern == "alternate":
            before, after = i * self.share, (i + 1) * self.share
            steps = shift_right(before, 32) ^ shift_right(after, 32)
            return (steps & LOW_32) != 0
        drawn = random_number(0x243F6A8885A308D3, i // self.run)
        return shift_right(drawn, 32) < self.share

    def bits(self, i, kept):
        """The elements at these positions, as int64; kept: 0 or 1 of each."""
        sign = 1 << (8 * self.size - 1)
        mask, fixed = (
            FLOATS[self.size] if self.kind == "float" else (sign - 1, 0)
        )
        drawn = (random_number(0x13198A2E03707344, i) & mask) | fixed
        has_sign = 1 - kept if self.kind == "unsigned" else kept
        return drawn | has_sign * signed(sign)


class Torch:
    def __init__(self):
        import torch

        self.lib = torch
        if not torch.cuda.is_available():
            sys.exit("torch sees no CUDA device")
        properties = torch.cuda.get_device_properties(0)
        self.name = f"torch-{torch.__version__}"
        self.gpu = properties.name
        self.cache = properties.L2_cache_size
        self.cuda = torch.version.cuda
        self.calls = {
            "x[x<t]": lambda x, t: x[x < t],
            "masked_select": lambda x, t: torch.masked_select(x, x < t),
        }

    def positions(self, first, end):
        return self.lib.arange(first, end, dtype=self.lib.int64, device="cuda")

    def integers(self, mask):
        return mask.to(self.lib.int64)

    def empty(self, n, type_name):
        return self.lib.empty(
            n, dtype=getattr(self.lib, type_name), device="cuda"
        )

    def put(self, array, first, bits, cell):
        integer = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}[cell.size]
        cut = bits.to(getattr(self.lib, integer))
        array[first : first + len(bits)] = cut.view(array.dtype)

    def same(self, a, b):
        return self.lib.equal(a, b)

    def event(self):
        return self.lib.cuda.Event(enable_timing=True)

    def copy(self, to, source):
        to.copy_(source)

    def seconds(self, start, stop):
        return 1e-3 * start.elapsed_time(stop)

    def synchronize(self):
        self.lib.cuda.synchronize()

    def fill(self, array, value):
        array.fill_(value)


class Cupy:
    def __init__(self):
        import cupy

        self.lib = cupy
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.name = f"cupy-{cupy.__version__}"
        self.gpu = properties["name"].decode()
        self.cache = properties["l2CacheSize"]
        version = cupy.cuda.runtime.runtimeGetVersion()
        self.cuda = f"{version // 1000}.{version % 1000 // 10}"
        self.calls = {"x[x<t]": lambda x, t: x[x < t]}

    def positions(self, first, end):
        return self.lib.arange(first, end, dtype=self.lib.int64)

    def integers(self, mask):
        return mask.astype(self.lib.int64)

    def empty(self, n, type_name):
        return self.lib.empty(n, dtype=type_name)

    def put(self, array, first, bits, cell):
        cut = bits.astype(f"int{8 * cell.size}")
        array[first : first + len(bits)] = cut.view(array.dtype)

    def same(self, a, b):
        return bool(self.lib.array_equal(a, b))

    def event(self):
        return self.lib.cuda.Event()

    def copy(self, to, source):
        self.lib.copyto(to, source)

    def seconds(self, start, stop):
        return 1e-3 * self.lib.cuda.get_elapsed_time(start, stop)

    def synchronize(self):
        self.lib.cuda.Device().synchronize()

    def fill(self, array, value):
        array.fill(value)


def generate(tool, cell):
    """The input, and its survivors in order, which no peer had a hand in."""
    array = tool.empty(cell.n, cell.type)
    survivors = tool.empty(cell.n, cell.type)
    kept_before = 0
    for first in range(0, cell.n, PIECE):
        i = tool.positions(first, min(first + PIECE, cell.n))
        kept = tool.integers(cell.keeps(i))
        tool.put(array, first, cell.bits(i, kept), cell)
        # The survivor of rank r is where the running count first reaches r + 1.
        count = int(kept.sum())
        ranks = kept.cumsum(0) - 1
        places = tool.positions(0, count)
        where = tool.lib.searchsorted(ranks, places)
        tool.put(survivors, kept_before, cell.bits(i[where], kept[where]), cell)
        kept_before += count
    return array, survivors[:kept_before]


def time_once(tool, call, flush):
    if flush is not None:
        tool.fill(flush, 1)
    start, stop = tool.event(), tool.event()
    tool.synchronize()
    start.record()
    result = call()
    stop.record()
    stop.synchronize()
    del result
    return tool.seconds(start, stop)


def measure(tool, call, flush, budget):
    """How long a call takes, as winnow-bench tells it."""
    for _ in range(WARM_UPS):
        time_once(tool, call, flush)
    samples = []
    end = time.monotonic() + budget
    while len(samples) < MOST_RUNS and (
        len(samples) < FEWEST_RUNS or time.monotonic() < end
    ):
        samples.append(time_once(tool, call, flush))
    samples.sort()
    rank = lambda percent: max((len(samples) * percent + 99) // 100, 1) - 1
    outside = len(samples) // 4
    middle = samples[outside : len(samples) - outside]
    return {
        "midmean_s": sum(middle) / len(middle),
        "median_s": samples[rank(50)],
        "p10_s": samples[rank(10)],
        "p90_s": samples[rank(90)],
        "runs": len(samples),
    }


def copy_seconds(tool, moved, flush, budget):
    """The library's device-to-device copy of half of the bytes moved."""
    half = max(moved // 2, 1)
    source, to = tool.empty(half, "uint8"), tool.empty(half, "uint8")
    tool.fill(source, 1)
    times = measure(tool, lambda: tool.copy(to, source), flush, budget)
    return times["midmean_s"] * moved / (2 * half)


def driver():
    try:
        with open("/proc/driver/nvidia/version", encoding="ascii") as file:
            return re.search(r"\b\d+\.\d[\d.]*", file.readline()).group()
    except (OSError, AttributeError):
        return None


def measure_cell(tool, cell, options):
    array, survivors = generate(tool, cell)
    kept = len(survivors)
    moved = (cell.n + kept) * cell.size
    states = ["large"]
    if moved <= 2 * tool.cache:
        states = {"both": ["warm", "cold"]}.get(options.cache, [options.cache])
    for state in states:
        flush = tool.empty(2 * tool.cache, "uint8") if state == "cold" else None
        copy_s = copy_seconds(tool, moved, flush, options.seconds_per_cell)
        for what, function in tool.calls.items():
            call = lambda: function(array, cell.threshold)
            right = tool.same(call(), survivors)
            times = measure(tool, call, flush, options.seconds_per_cell)
            yield {
                "digest": os.environ.get("WINNOW_DIGEST"),
                "date": time.strftime("%Y-%m-%d", time.gmtime()),
                "gpu": tool.gpu,
                "driver": driver(),
                "cuda": tool.cuda,
                "version": None,
                "op": "copy_if",
                "order": "stable",
                "strategy": None,
                "chosen": None,
                "peer": f"{tool.name} {what}",
                "type": cell.type,
                "pattern": cell.pattern,
                "cache": state,
                "launch": "plain",
                "workspace": None,
                "n": cell.n,
                "kept": kept,
                "bytes": moved,
                "selectivity": cell.selectivity,
                "hint": None,
                **times,
                "copy_s": copy_s,
                "copy_fraction": copy_s / times["midmean_s"],
                "right": right,
            }


def count_of(text):
    """1000, 2^20, 64K, 1G"""
    match = re.fullmatch(r"(?:2\^(\d+)|(\d+)([KMGT]?))", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no size")
    if match[1] is not None:
        return 1 << int(match[1])
    return (
        int(match[2]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[3]]
    )


def list_of(item):
    return lambda text: [item(part) for part in text.split(",")]


def fraction(text):
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is no fraction")
    return value


def type_name(text):
    if text not in TYPES:
        raise argparse.ArgumentTypeError(f"no type is called '{text}' here")
    return text


def pattern_name(text):
    if not re.fullmatch(r"uniform|prefix|alternate|runs:[1-9]\d*", text):
        raise argparse.ArgumentTypeError(f"no pattern is called '{text}'")
    return text


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--types", type=list_of(type_name), default=["uint8", "int32", "int64"])
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--sizes", type=list_of(count_of))
    sizes.add_argument("--bytes", type=list_of(count_of), default=[1 << 30])
    every = [0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1]
    add("--selectivities", type=list_of(fraction), default=every)
    add("--patterns", type=list_of(pattern_name), default=["uniform"])
    add(
        "--peers",
        type=list_of(str),
        help="torch,cupy (default: those installed)",
    )
    add("--cache", choices=["warm", "cold", "both"], default="both")
    add("--seconds-per-cell", type=float, default=0.1)
    add("--json", help="append the rows to this file")
    return parser.parse_args(arguments)


def open_tools(wanted):
    tools = []
    for name, make in (("torch", Torch), ("cupy", Cupy)):
        if wanted is not None and name not in wanted:
            continue
        try:
            tools.append(make())
        except ImportError as error:
            if wanted is not None:
                sys.exit(f"peers.py: {name}: {error}")
            print(f"peers.py: left out, not installed: {name}", file=sys.stderr)
    if not tools:
        sys.exit("peers.py: neither torch nor cupy is here")
    return tools


def print_row(row):
    print(
        f"{row['type']:8} {row['n']:>11} {row['pattern']:10}",
        f"{100 * row['kept'] / row['n']:6.2f}% {row['cache']:5}",
        f"{row['peer']:28} {1e6 * row['midmean_s']:10.2f} us",
        f"{1e-9 * row['bytes'] / row['midmean_s']:8.1f} GB/s",
        f"{row['copy_fraction']:6.3f} of copy",
        "" if row["right"] else "WRONG",
        flush=True,
    )


def main(arguments):
    options = parse(arguments)
    wrong = False
    for tool in open_tools(options.peers):
        for name in options.types:
            sizes = options.sizes or [
                b // TYPES[name][0] for b in options.bytes
            ]
            grid = [
                Cell(name, n, selectivity, pattern)
                for n in sizes
                for pattern in options.patterns
                for selectivity in options.selectivities
            ]
            for cell in grid:
                for row in measure_cell(tool, cell, options):
                    wrong |= not row["right"]
                    print_row(row)
                    if options.json is not None:
                        with open(options.json, "a", encoding="utf-8") as file:
                            file.write(json.dumps(row) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
