# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns, for host_peers.py: masks alone.

price float64 of [0, 200), discount float64 of [0, 0.1), quantity and other int32 of
[0, 50). winnow makes a selection, the others an array of bools. All keep as many.
"""

import ctypes

from host_tables import optional
from host_winnow import Table, measure

IN_A_ROW = 3


def data(np, rows):
    random = np.random.default_rng(1)
    return {"price": random.random(rows) * 200,
            "discount": random.random(rows) * 0.1,
            "quantity": random.integers(0, 50, rows, dtype=np.int32),
            "other": random.integers(0, 50, rows, dtype=np.int32)}


# The text, for winnow and numexpr, which has & for and; operators for the others.
def expressions(column):
    price, discount = column("price"), column("discount")
    quantity, other = column("quantity"), column("other")
    return {
        "price * (1 - discount) > 100 and quantity < 24":
            lambda: (price * (1 - discount) > 100) & (quantity < 24),
        "price * (1 - discount) > 100": lambda: price * (1 - discount) > 100,
        "price < discount * 1000": lambda: price < discount * 1000,
        "quantity < other": lambda: quantity < other,
        "quantity * 3 - other > 60": lambda: quantity * 3 - other > 60,
    }


def contenders(np, winnow, columns, options):
    """name -> text -> a call, which returns how many are kept."""
    table = Table(winnow, np, columns)

    def by_winnow(text):
        condition = table.parse(text)
        count = ctypes.c_uint64()

        def call():
            table.select(condition)
            winnow.must(winnow.lib.winnow_selection_count(
                winnow.context, table.selection, ctypes.c_uint64(table.rows),
                ctypes.byref(count), None))
            return count.value
        return call

    found = {"winnow": by_winnow}
    if optional("numpy", options.peers):
        of_numpy = expressions(columns.get)
        found["NumPy"] = lambda text: lambda: np.count_nonzero(of_numpy[text]())
    polars = optional("polars", options.peers)
    if polars:
        frame = polars.DataFrame(columns)
        of_polars = expressions(polars.col)
        found["polars"] = lambda text: lambda: frame.select(of_polars[text]()).to_series().sum()
    numexpr = optional("numexpr", options.peers)
    if numexpr:
        if options.threads:
            numexpr.set_num_threads(options.threads)
        found["numexpr"] = lambda text: lambda: np.count_nonzero(numexpr.evaluate(
            "(" + text.replace(" and ", ") & (") + ")", columns))
    return found


def run(np, winnow, options, report):
    columns = data(np, options.rows)
    made = contenders(np, winnow, columns, options)
    for text in expressions(columns.get):
        calls = {name: make(text) for name, make in made.items()}
        counts = {name: int(call()) for name, call in calls.items()}
        assert len(set(counts.values())) == 1, (text, counts)
        report.add(f"mask {text:48}", measure(calls, options, IN_A_ROW),
                   {"operation": "mask", "condition": text, "n": options.rows,
                    "kept": counts["winnow"]})
