#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Query 6 of TPC-H in PyTorch, on a CUDA device.

The rows are those of examples/lineitem.h. Each column is packed by a mask, and
the products are added up. Prints one row of JSON, as winnow-bench selections q6
writes them. The method is that of bench/peers.py: PyTorch waits for the number
of rows by itself, so that host time is part of its time.

    q6_torch.py [ROWS]
"""

import json
import statistics
import sys

import numpy as np

ROWS = 60_000_000
WARM_UPS, RUNS = 5, 50
# Rows that are made at a time.
PIECE = 1 << 22


def lineitem_random(row, number, bound):
    """examples/lineitem.h; row: an array of uint64, of which sums wrap."""
    x = row * np.uint64(4) + np.uint64(number + 1)
    x *= np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (x ^ (x >> np.uint64(31))) % np.uint64(bound)


def make_piece(first, end, parts):
    i = np.arange(first, end, dtype=np.uint64)
    part = lineitem_random(i, 0, parts) + np.uint64(1)
    retail = (
        np.uint64(90000)
        + part // np.uint64(10) % np.uint64(20001)
        + np.uint64(100) * (part % np.uint64(1000))
    )
    quantity = lineitem_random(i, 1, 50) + np.uint64(1)
    ordered = lineitem_random(i, 2, 2406)
    later = lineitem_random(~i, 0, 121) + np.uint64(1)
    return (
        (np.uint64(8035) + ordered + later).astype(np.int32),
        lineitem_random(i, 3, 11).astype(np.int32),
        quantity.astype(np.int32),
        (quantity * retail).astype(np.int64),
    )


def make_rows(rows):
    """Ship date, discount, quantity and extended price."""
    parts = 200_000 * max((rows + 5_999_999) // 6_000_000, 1)
    columns = [np.empty(rows, np.int32) for _ in range(3)]
    columns.append(np.empty(rows, np.int64))
    for first in range(0, rows, PIECE):
        end = min(first + PIECE, rows)
        for column, piece in zip(columns, make_piece(first, end, parts)):
            column[first:end] = piece
    return columns


def passes(ship_date, discount, quantity):
    return (
        (ship_date >= 8766)
        & (ship_date < 9131)
        & (discount >= 5)
        & (discount <= 7)
        & (quantity < 24)
    )


def expect(columns):
    """How many rows pass, and the revenue, by numpy alone."""
    ship_date, discount, quantity, price = columns
    mask = passes(ship_date, discount, quantity)
    products = price[mask] * discount[mask].astype(np.int64)
    return int(mask.sum()), int(products.sum())


def query(torch, columns):
    mask = passes(*columns[:3])
    packed = [torch.masked_select(column, mask) for column in columns]
    return len(packed[0]), (packed[3] * packed[1]).sum()


def time_once(torch, columns):
    start = torch.cuda.Event(enable_timing=True)
    stop = torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record()
    query(torch, columns)
    stop.record()
    stop.synchronize()
    return 1e-3 * start.elapsed_time(stop)


def main():
    import torch

    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    columns = make_rows(rows)
    kept, revenue = expect(columns)
    on_device = [torch.from_numpy(column).cuda() for column in columns]
    for _ in range(WARM_UPS):
        count, total = query(torch, on_device)
    right = (count, int(total)) == (kept, revenue)
    seconds = [time_once(torch, on_device) for _ in range(RUNS)]
    row = {
        "op": "selections",
        "experiment": "q6",
        "variant": f"PyTorch {torch.__version__}",
        "gpu": torch.cuda.get_device_name(),
        "n": rows,
        "bytes": 12 * rows + 8 * kept,
        "results": kept,
        "median_s": statistics.median(seconds),
        "runs": RUNS,
        "right": right,
    }
    print(json.dumps(row))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
