# SPDX-License-Identifier: Apache-2.0
"""Measure each function of the module, the library's call that it makes, and the same
operation of NumPy, PyTorch, CuPy, polars, pyarrow and cuda.compute (the package
cuda-cccl), if they are installed.

    python bench/calls.py [--sizes 1000,2^17,2^20] [--device cuda] [--only TEXT]
        [--calls 1000] [--rounds 25]

The figures are microseconds for a call on float32, int32 or int64, of which half pass.
Each is the least of many rounds of up to 1000 calls, without waiting for the calls. On
a busy machine use more rounds of fewer calls to measure calls without disturbance. A
row has the call from Python, the library's call with the same arguments, the
difference, and the rivals. On a GPU the last figure of each is that of 1000 calls with
one wait at the end.
"""

import argparse
import importlib.util
import sys
import time
import warnings
from typing import Any, Callable, NamedTuple

import numpy as np

import winnow
from winnow import _winnow

Call = Callable[[], Any]


class Row(NamedTuple):
    """A call of winnow, and the calls of other libraries that do the same."""

    name: str
    call: Call
    rivals: dict[str, Call] = {}


def nothing() -> None:
    pass


def mean(call: Call, wait: Call, calls: int) -> float:
    """Return the microseconds for a call, until it returns."""
    start = time.perf_counter()
    for _ in range(calls):
        call()
    took = time.perf_counter() - start
    wait()
    return took / calls * 1e6


def mean_waited(call: Call, wait: Call) -> float:
    start = time.perf_counter()
    for _ in range(1000):
        call()
    wait()
    return (time.perf_counter() - start) * 1e3


def mean_in_c(call: Call, wait: Call, calls: int) -> float:
    """Return the microseconds for the library's call alone. It is repeated with the
    arguments of one call."""
    _winnow.repeat(calls)
    call()
    took = float(_winnow.repeat(0))
    wait()
    return took / calls * 1e6


def calls_of(call: Call, wait: Call, most: int) -> int:
    """Return the number of calls in a round: those of 20 ms, at most `most`."""
    call()
    wait()
    return int(max(1, min(most, 20_000 / max(mean(call, wait, 3), 1e-3))))


def measured(
    row: Row, wait: Call, most: int, rounds: int
) -> tuple[float, float, dict[str, float]]:
    """Measure the call, the library's call and each rival in turns, so that other load
    of the machine affects them equally."""
    calls = calls_of(row.call, wait, most)
    each = {name: calls_of(call, wait, most) for name, call in row.rivals.items()}
    best = in_c = float("inf")
    rivals = dict.fromkeys(each, float("inf"))
    for _ in range(rounds):
        best = min(best, mean(row.call, wait, calls))
        in_c = min(in_c, mean_in_c(row.call, wait, calls))
        for name, call in row.rivals.items():
            rivals[name] = min(rivals[name], mean(call, wait, each[name]))
    return best, in_c, rivals


def columns(n: int) -> dict[str, Any]:
    """Make columns, half of whose values are below 500, and sorted keys in runs of
    two."""
    random = np.random.default_rng(1)
    return {
        "x": (random.random(n, np.float32) * 1000).astype(np.float32),
        "y": random.integers(0, 1000, n, np.int32),
        "z": random.random(n) * 1000,
        "id": np.arange(n) // 2,
        "k": random.integers(0, 1000, n, np.int32),
    }


# ------------------------------------------------------------- one for all arrays


def array_rows(t: dict[str, Any]) -> list[Row]:
    """Return rows of each function of the module on arrays of a library."""
    x, y, k = t["x"], t["y"], t["k"]
    text, condition = "x < 500", winnow.col("x") < 500
    prepared = winnow.prepare(text, "float32")
    kept = winnow.copy_if(x, prepared)
    out, count = kept.buffer, winnow.count_if(x, prepared)
    mask = x < 500
    selection, other = winnow.select(x, prepared), winnow.select(y, "y < 500")
    packed = selection.compact(x)
    few = winnow.col("y").isin(range(0, 2000, 2))
    listed = f"y in ({', '.join(map(str, range(0, 2000, 2)))})"
    sums = winnow.accumulate_by_key(k, y, 1000)
    two, five = {"x": x, "y": y}, dict(t)
    rows = {
        "copy_if(prepared, out=, count=)": lambda: winnow.copy_if(
            x, prepared, out=out, count=count
        ),
        "copy_if(prepared)": lambda: winnow.copy_if(x, prepared),
        "copy_if(text)": lambda: winnow.copy_if(x, text),
        "copy_if(col)": lambda: winnow.copy_if(x, condition),
        "copy_if(two tests)": lambda: winnow.copy_if(x, "x > 100 && x < 600"),
        "copy_if(1000 numbers)": lambda: winnow.copy_if(y, listed),
        "copy_if(isin 1000)": lambda: winnow.copy_if(y, few),
        "index_if(text)": lambda: winnow.index_if(x, text),
        "count_if(text)": lambda: winnow.count_if(x, text),
        "copy_flagged(mask)": lambda: winnow.copy_flagged(x, mask),
        "select(text)": lambda: winnow.select(x, text),
        "select(prepared)": lambda: winnow.select(x, prepared),
        "select(mask=)": lambda: winnow.select(mask=mask),
        "select(table)": lambda: winnow.select(two, "x < 500 && y < 500"),
        "selection & selection": lambda: selection & other,
        "selection | selection": lambda: selection | other,
        "~selection": lambda: ~selection,
        "selection.count": lambda: selection.count,
        "selection.compact(x)": lambda: selection.compact(x),
        "selection.expand(packed)": lambda: selection.expand(packed),
        "selection.indices()": lambda: selection.indices(),
        "selection.mask()": lambda: selection.mask(),
        "selection.fill_holes(x)": lambda: selection.fill_holes(out),
        "filter(two)": lambda: winnow.filter(two, "x < 500"),
        "filter(five)": lambda: winnow.filter(five, "x < 500 && y < 900"),
        "unique(id)": lambda: winnow.unique(t["id"]),
        "unique(id, x)": lambda: winnow.unique(t["id"], x),
        "reduce_if(text)": lambda: winnow.reduce_if(x, text),
        "reduce_if(text).sum": lambda: winnow.reduce_if(x, text).sum,
        "aggregate(table)": lambda: winnow.aggregate(
            two, "x < 500", {"a": ("x * y", "sum")}
        ),
        "accumulate_by_key(k, y, 1000)": lambda: winnow.accumulate_by_key(k, y, 1000),
        "accumulate_by_key(sums=)": lambda: winnow.accumulate_by_key(k, y, sums=sums),
        "partition_by_key(k, x)": lambda: winnow.partition_by_key(k, x, bits=4),
    }
    return [Row(name, call) for name, call in rows.items()]


def beside(rows: list[Row], library: str, rivals: dict[str, Call]) -> list[Row]:
    """Return the rows, with a library's own calls added to some of them."""
    return [
        row._replace(rivals={library: rivals[row.name]} if row.name in rivals else {})
        for row in rows
    ]


# ------------------------------------------------------------------------ rivals


def numpy_rows(n: int) -> list[Row]:
    t = columns(n)
    x, y, k = t["x"], t["y"], t["k"]
    mask, other = x < 500, y < 500
    values = np.arange(0, 2000, 2, np.int32)
    packed, sums = x[mask], np.zeros(1000, np.int64)
    back = np.zeros_like(x)
    id = t["id"]

    def filtered(names: str) -> dict[str, Any]:
        kept = x < 500
        if len(names) > 2:
            kept = kept & (y < 900)
        return {name: t[name][kept] for name in names.split()}

    def expanded() -> Any:
        made = np.zeros_like(back)
        made[mask] = packed
        return made

    def partitioned() -> Any:
        order = np.argsort(k & 15, kind="stable")
        return k[order], x[order], np.bincount(k & 15, minlength=16).cumsum()

    def starts() -> Any:
        return np.concatenate(([True], id[1:] != id[:-1]))

    rivals: dict[str, Call] = {
        "copy_if(prepared, out=, count=)": lambda: x[x < 500],
        "copy_if(prepared)": lambda: x[x < 500],
        "copy_if(text)": lambda: x[x < 500],
        "copy_if(col)": lambda: x[x < 500],
        "copy_if(two tests)": lambda: x[(x > 100) & (x < 600)],
        "copy_if(1000 numbers)": lambda: y[np.isin(y, values)],
        "copy_if(isin 1000)": lambda: y[np.isin(y, values)],
        "index_if(text)": lambda: np.flatnonzero(x < 500),
        "count_if(text)": lambda: np.count_nonzero(x < 500),
        "copy_flagged(mask)": lambda: x[mask],
        "select(text)": lambda: x < 500,
        "select(prepared)": lambda: x < 500,
        "select(table)": lambda: (x < 500) & (y < 500),
        "selection & selection": lambda: mask & other,
        "selection | selection": lambda: mask | other,
        "~selection": lambda: ~mask,
        "selection.count": lambda: np.count_nonzero(mask),
        "selection.compact(x)": lambda: x[mask],
        "selection.expand(packed)": expanded,
        "selection.indices()": lambda: np.flatnonzero(mask),
        "filter(two)": lambda: filtered("x y"),
        "filter(five)": lambda: filtered("x y z id k"),
        "unique(id)": lambda: id[starts()],
        "unique(id, x)": lambda: (id[(s := starts())], x[s]),
        "reduce_if(text).sum": lambda: x[x < 500].sum(),
        "aggregate(table)": lambda: (x * y)[x < 500].sum(),
        "accumulate_by_key(k, y, 1000)": lambda: np.bincount(k, y, 1000),
        "accumulate_by_key(sums=)": lambda: np.add.at(sums, k, y),
        "partition_by_key(k, x)": partitioned,
    }
    return beside(array_rows(t), "numpy", rivals)


def torch_rows(n: int, device: str) -> list[Row]:
    import torch

    t = {name: torch.from_numpy(x).to(device) for name, x in columns(n).items()}
    x, y, k = t["x"], t["y"], t["k"]
    mask, other = x < 500, y < 500
    values = torch.arange(0, 2000, 2, dtype=torch.int32, device=device)
    packed = x[mask]
    sums = torch.zeros(1000, dtype=torch.int64, device=device)
    longs = y.long()

    def filtered(names: str) -> dict[str, Any]:
        kept = x < 500
        if len(names) > 3:
            kept = kept & (y < 900)
        return {name: t[name][kept] for name in names.split()}

    def expanded() -> Any:
        return torch.zeros_like(x).masked_scatter(mask, packed)

    def partitioned() -> Any:
        digits, order = torch.sort(k & 15, stable=True)
        return k[order], x[order], torch.bincount(digits, minlength=16).cumsum(0)

    rivals: dict[str, Call] = {
        "copy_if(prepared, out=, count=)": lambda: x[x < 500],
        "copy_if(prepared)": lambda: x[x < 500],
        "copy_if(text)": lambda: x[x < 500],
        "copy_if(col)": lambda: x[x < 500],
        "copy_if(two tests)": lambda: x[(x > 100) & (x < 600)],
        "copy_if(1000 numbers)": lambda: y[torch.isin(y, values)],
        "copy_if(isin 1000)": lambda: y[torch.isin(y, values)],
        "index_if(text)": lambda: torch.nonzero(x < 500),
        "count_if(text)": lambda: (x < 500).sum(),
        "copy_flagged(mask)": lambda: x[mask],
        "select(text)": lambda: x < 500,
        "select(prepared)": lambda: x < 500,
        "select(table)": lambda: (x < 500) & (y < 500),
        "selection & selection": lambda: mask & other,
        "selection | selection": lambda: mask | other,
        "~selection": lambda: ~mask,
        "selection.count": lambda: mask.sum(),
        "selection.compact(x)": lambda: x[mask],
        "selection.expand(packed)": expanded,
        "selection.indices()": lambda: torch.nonzero(mask),
        "filter(two)": lambda: filtered("x y"),
        "filter(five)": lambda: filtered("x y z id k"),
        "unique(id)": lambda: torch.unique_consecutive(t["id"]),
        "reduce_if(text).sum": lambda: x[x < 500].sum().item(),
        "aggregate(table)": lambda: (x * y)[x < 500].sum(),
        "accumulate_by_key(k, y, 1000)": lambda: torch.zeros(
            1000, dtype=torch.int64, device=device
        ).index_add_(0, k, longs),
        "accumulate_by_key(sums=)": lambda: sums.index_add_(0, k, longs),
        "partition_by_key(k, x)": partitioned,
    }
    rows = beside(array_rows(t), "torch", rivals) + torch_module_rows(x, mask)
    return rows + (torch_graphs(x) if device == "cuda" else [])


def torch_module_rows(x: Any, mask: Any) -> list[Row]:
    """Return rows of winnow.torch, without and with gradients."""
    import torch
    import winnow.torch

    wanted = x.clone().requires_grad_()

    def backward(made: Any) -> Any:
        wanted.grad = None
        made.sum().backward()

    copy_if = winnow.torch.copy_if
    return [
        Row("torch.copy_if(mask)", lambda: copy_if(x, mask), {"torch": lambda: x[mask]}),
        Row(
            "torch.copy_if(text)",
            lambda: copy_if(x, "x < 500"),
            {"torch": lambda: x[x < 500]},
        ),
        Row(
            "torch.copy_if(mask), gradient",
            lambda: copy_if(wanted, mask),
            {"torch": lambda: wanted[mask]},
        ),
        Row(
            "copy_if(text), gradient",
            lambda: winnow.copy_if(wanted, "x < 500"),
            {"torch": lambda: wanted[wanted < 500]},
        ),
        Row(
            "copy_if(text), backward",
            lambda: backward(winnow.copy_if(wanted, "x < 500").buffer),
            {"torch": lambda: backward(wanted[wanted < 500])},
        ),
    ]


def torch_graphs(x: Any) -> list[Row]:
    """Return rows of CUDA graphs of one filter and of 32 filters, and of functions that
    PyTorch compiles, with an operation after the filter.

    PyTorch's own filters wait for their count, so they cannot be captured.
    """
    import torch
    import winnow.torch

    n = x.shape[0]
    prepared = winnow.prepare("x < 500", "float32")
    kept = winnow.copy_if(x, prepared)
    rows = []
    for times in 1, 32:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(times):
                winnow.copy_if(x, prepared, out=kept.buffer, count=kept.count)
        rows.append(Row(f"a graph of {times} copy_if()", graph.replay))

    def by_winnow(x: Any) -> Any:
        return winnow.torch.copy_if(x, "x < 500", n).buffer + 1

    def by_torch(x: Any) -> Any:
        return x[x < 500] + 1

    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    first, second = (
        torch.compile(function, fullgraph=True) for function in (by_winnow, by_torch)
    )
    return [
        *rows,
        Row("compiled: copy_if + 1", lambda: first(x), {"torch": lambda: second(x)}),
    ]


def cupy_rows(n: int) -> list[Row]:
    import cupy

    t = {name: cupy.asarray(x) for name, x in columns(n).items()}
    x, y = t["x"], t["y"]
    mask, other = x < 500, y < 500
    rivals: dict[str, Call] = {
        "copy_if(prepared)": lambda: x[x < 500],
        "copy_if(text)": lambda: x[x < 500],
        "index_if(text)": lambda: cupy.flatnonzero(x < 500),
        "count_if(text)": lambda: cupy.count_nonzero(x < 500),
        "copy_flagged(mask)": lambda: x[mask],
        "select(text)": lambda: x < 500,
        "select(table)": lambda: (x < 500) & (y < 500),
        "selection & selection": lambda: mask & other,
        "selection | selection": lambda: mask | other,
        "~selection": lambda: ~mask,
        "selection.compact(x)": lambda: x[mask],
        "selection.indices()": lambda: cupy.flatnonzero(mask),
        "filter(two)": lambda: {name: t[name][x < 500] for name in "xy"},
        "reduce_if(text).sum": lambda: x[x < 500].sum().item(),
        "accumulate_by_key(k, y, 1000)": lambda: cupy.bincount(t["k"], y, 1000),
    }
    return beside(array_rows(t), "cupy", rivals)


def compute_rows(n: int) -> list[Row]:
    """Return a row of cuda.compute, with given arrays and memory, and as its users
    write it. It compiles the condition at the first call."""
    import cuda.compute
    import torch

    x = torch.from_numpy(columns(n)["x"]).to("cuda")
    out = torch.empty_like(x)
    count = torch.zeros(2, dtype=torch.int64, device="cuda")

    def below(value: Any) -> Any:
        return value < 500

    arrays = {"d_in": x, "d_out": out, "d_num_selected_out": count, "cond": below}
    made = cuda.compute.make_select(**arrays)
    needed = made(temp_storage=None, num_items=n, **arrays)
    room = torch.empty(needed, dtype=torch.uint8, device="cuda")
    made(temp_storage=room, num_items=n, **arrays)
    kept = winnow.copy_if(x, "x < 500")
    if int(count[0]) != len(kept) or not torch.equal(out[: len(kept)], kept.array()):
        raise SystemExit("cuda.compute and winnow keep different elements")
    prepared = winnow.prepare("x < 500", "float32")
    number = kept.count
    return [
        Row(
            "copy_if(prepared, out=, count=)",
            lambda: winnow.copy_if(x, prepared, out=out, count=number),
            {
                "object": lambda: made(temp_storage=room, num_items=n, **arrays),
                "select()": lambda: cuda.compute.select(num_items=n, **arrays),
            },
        )
    ]


def table_rows(n: int) -> list[Row]:
    """Return rows of tables: NumPy records, and tables of pyarrow and polars."""
    t = columns(n)
    records = np.zeros(n, [(name, x.dtype) for name, x in t.items()])
    for name, x in t.items():
        records[name] = x
    text = "x < 500 && y < 900"
    rows = [
        Row(
            "filter(records)",
            lambda: winnow.filter(records, text),
            {"numpy": lambda: records[(records["x"] < 500) & (records["y"] < 900)]},
        )
    ]
    if _installed("pyarrow"):
        import pyarrow
        import pyarrow.compute as pc

        table = pyarrow.table(t)
        test = (pc.field("x") < 500) & (pc.field("y") < 900)
        rows.append(
            Row(
                "filter(pyarrow)",
                lambda: winnow.filter(table, text),
                {"pyarrow": lambda: table.filter(test)},
            )
        )
    if _installed("polars"):
        import polars

        frame = polars.DataFrame(t)
        wanted = (polars.col("x") < 500) & (polars.col("y") < 900)
        rows.append(
            Row(
                "filter(polars)",
                lambda: winnow.filter(frame, text),
                {"polars": lambda: frame.filter(wanted)},
            )
        )
        rows.append(
            Row(
                "filter(five)",
                lambda: winnow.filter(t, text),
                {"polars": lambda: frame.filter(wanted)},
            )
        )
    return rows


# -------------------------------------------------------------------------- main


def groups_of(n: int, device: str) -> dict[str, Callable[[], list[Row]]]:
    groups: dict[str, Callable[[], list[Row]]] = {}
    if device == "cpu":
        groups["numpy"] = lambda: numpy_rows(n)
        groups["tables"] = lambda: table_rows(n)
    if _works("torch"):
        groups["torch"] = lambda: torch_rows(n, device)
        if device == "cuda" and _installed("cuda.compute"):
            groups["cccl"] = lambda: compute_rows(n)
    if device == "cuda" and _works("cupy"):
        groups["cupy"] = lambda: cupy_rows(n)
    return groups


def wait_of(group: str, device: str) -> Call:
    if device == "cpu":
        return nothing
    if group == "cupy":
        wait: Call = sys.modules["cupy"].cuda.get_current_stream().synchronize
    else:
        wait = sys.modules["torch"].cuda.synchronize
    return wait


def line(row: Row, wait: Call, device: str, most: int, rounds: int) -> str:
    best, in_c, rivals = measured(row, wait, most, rounds)
    if in_c == 0:  # a graph or compiled code makes no call of the library
        in_c = float("nan")
    text = f"{row.name:31} {best:9.2f} {in_c:9.2f} {best - in_c:8.2f}"
    if device == "cuda":
        text += f" {mean_waited(row.call, wait):9.2f}"
    for name, took in rivals.items():
        text += f"  {name} {took:.2f}"
        if device == "cuda":
            text += f" {mean_waited(row.rivals[name], wait):.2f}"
        if took < best:
            text += " (faster)"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,2^17,2^20")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--only", default="", help="rows whose names have this text")
    parser.add_argument("--calls", type=int, default=1000, help="of a round")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    waited = "    waited" if options.device == "cuda" else ""
    print(f"# items library  {'call':31}    python         c     over{waited}  rivals")
    for size in options.sizes.split(","):
        base, _, power = size.partition("^")
        n = int(base) ** int(power or 1)
        for group, rows in groups_of(n, options.device).items():
            for row in rows():
                if options.only in row.name:
                    wait = wait_of(group, options.device)
                    text = line(
                        row, wait, options.device, options.calls, options.rounds
                    )
                    print(f"{n:>7} {group:7}  {text}", flush=True)


def _works(name: str) -> bool:
    """Return whether a module is installed and can be imported."""
    if not _installed(name):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module(name)
        except ImportError:
            return False
    return True


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that contains it is missing
        return False


if __name__ == "__main__":
    main()
