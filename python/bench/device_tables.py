# SPDX-License-Identifier: Apache-2.0
"""Measure winnow.filter() of an Arrow table in memory of a GPU.

usage: device_tables.py [--rows N] [--calls N]

Each row is the median time of a call, its kernels included, beside a copy of all
buffers of the columns by PyTorch. The rows of 1000 items show what a call costs on the
host, where Python makes the table's structures at each call. It needs PyTorch, NumPy
and python/tests in PYTHONPATH; `bundle/run tables` sets that.
"""

import argparse
import statistics
import time

import numpy as np
import test_gpu_arrow
import torch

import winnow

TEXTS = ("a", "bee", "bet", "cede", "a text of 20 bytes..", "eleven byte", "", "deed")


class Table(test_gpu_arrow.Table):
    """A table whose buffers are arrays on the GPU."""

    def __init__(self, rows, columns):
        test_gpu_arrow.producer._Producer.__init__(self, device=(test_gpu_arrow.CUDA, 0))
        self.offset, self.length, self.columns = 0, rows, columns


def columns_of(rows):
    random = np.random.default_rng(1)

    def put(values):
        return torch.as_tensor(values, device="cuda")

    picked = random.integers(0, len(TEXTS), rows)
    lengths = np.array([len(text) for text in TEXTS])[picked]
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    wide = np.zeros((len(TEXTS), 20), np.uint8)
    for i, text in enumerate(TEXTS):
        wide[i, : len(text)] = np.frombuffer(text.encode(), np.uint8)
    bytes_ = wide[picked][np.arange(20) < lengths[:, None]]
    valid = np.packbits(random.random(rows) >= 0.1, bitorder="little")
    x = random.integers(0, 1000, rows, np.int32)
    return {
        "x": [put(valid), put(x)],
        "y": [put(valid), put(random.random(rows))],
        "name": [put(valid), put(ends), put(bytes_)],
    }


def median_us(call, calls):
    times = []
    for _ in range(calls + 3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        made = call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e6)
        del made
    return statistics.median(times[3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1 << 25)
    parser.add_argument("--calls", type=int, default=30)
    options = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, winnow {winnow.__version__}")
    for rows in (1000, options.rows):
        measure(rows, options.calls)


def measure(rows, calls):
    columns = columns_of(rows)
    for names, text in (
        ("x", "x < 1000"),
        ("x", "x < 500"),
        ("x", "x < 10"),
        ("x y", "x < 500 and y < 0.5"),
        ("x y", "x < 10"),
        ("name", "name = 'bee'"),
        ("x y name", "x < 500"),
        ("x y name", "name = 'bee' and x < 500"),
    ):
        of = {name: columns[name] for name in names.split()}
        table = Table(rows, of)
        copy = median_us(lambda: [b.clone() for each in of.values() for b in each], calls)
        took = median_us(lambda: winnow.filter(table, text), calls)
        print(f"{rows:9} {names:10} {text:26} {took:6.0f} us {copy:6.0f} us {copy / took:5.2f}")


if __name__ == "__main__":
    main()
