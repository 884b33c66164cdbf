# SPDX-License-Identifier: Apache-2.0
"""What a call costs, beside NumPy, PyTorch, CuPy and cuda.compute (the package
cuda-cccl), as far as they are installed.

    python bench/calls.py [--sizes 2^10,2^20] [--device cuda] [--type int32]

Each figure is the least of 30 rounds, in microseconds for a call, with half of
the elements kept. On a GPU the second figure waits once for 1000 calls.
"""

import argparse
import sys
import time
from typing import Any, Callable

import numpy as np

import winnow


def least(call: Callable[[], Any], wait: Callable[[], Any], calls: int) -> float:
    """Microseconds for a call, until it returns."""
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
        wait()
    return best * 1e6


def mean_waited(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    call()
    wait()
    start = time.perf_counter()
    for _ in range(1000):
        call()
    wait()
    return (time.perf_counter() - start) * 1e3


def numbers(n: int, kind: str) -> Any:
    """From 0 to 1000: half of them are below 500."""
    return (np.random.default_rng(1).random(n, np.float32) * 1000).astype(kind)


def numpy_calls(n: int, kind: str) -> dict[str, Callable[[], Any]]:
    x = numbers(n, kind)
    out = np.empty_like(x)
    prepared = winnow.prepare("x < 500", kind)
    condition = winnow.col("x") < 500
    mask = x < 500
    return {
        "copy_if(x, prepared, out=out)": lambda: winnow.copy_if(x, prepared, out=out),
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "copy_if(x, text)": lambda: winnow.copy_if(x, "x < 500"),
        "copy_if(x, col('x') < 500)": lambda: winnow.copy_if(x, condition),
        "count_if(x, prepared)": lambda: winnow.count_if(x, prepared),
        "copy_flagged(x, mask)": lambda: winnow.copy_flagged(x, mask),
        "numpy: x[x < 500]": lambda: x[x < 500],
        "numpy: x[mask]": lambda: x[mask],
        "numpy: empty(n)": lambda: np.empty(n, kind),
    }


def torch_calls(n: int, kind: str, device: str) -> dict[str, Callable[[], Any]]:
    import torch

    x = torch.from_numpy(numbers(n, kind)).to(device)
    out, count = torch.empty_like(x), torch.zeros((), dtype=torch.int64, device=device)
    prepared = winnow.prepare("x < 500", kind)
    calls = {
        "copy_if(x, prepared, out=, count=)": lambda: winnow.copy_if(
            x, prepared, out=out, count=count
        ),
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "torch: x[x < 500]": lambda: x[x < 500],
        "torch: empty_like(x)": lambda: torch.empty_like(x),
    }
    if device == "cuda":
        calls |= torch_graphs(x, calls["copy_if(x, prepared, out=, count=)"])
    return calls


def torch_graphs(x: Any, filter: Callable[[], Any]) -> dict[str, Callable[[], Any]]:
    """A filter that is captured, alone and 32 times; and functions that PyTorch
    compiles, with an operation behind the filter. PyTorch's own filters wait for
    their count, and cannot be captured."""
    import torch
    import winnow.torch

    n = x.shape[0]
    calls: dict[str, Callable[[], Any]] = {}
    for times in 1, 32:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(times):
                filter()
        calls[f"a graph of {times} copy_if()"] = graph.replay

    def by_winnow(x: Any) -> Any:
        return winnow.torch.copy_if(x, "x < 500", n).buffer + 1

    def by_torch(x: Any) -> Any:
        return x[x < 500] + 1

    torch._dynamo.config.capture_dynamic_output_shape_ops = True
    for name, function in (("copy_if", by_winnow), ("x[x < 500]", by_torch)):
        compiled = torch.compile(function, fullgraph=True)
        calls[f"compiled: {name} + 1"] = lambda compiled=compiled: compiled(x)
    return calls


def cupy_calls(n: int, kind: str) -> dict[str, Callable[[], Any]]:
    import cupy

    x = cupy.asarray(numbers(n, kind))
    prepared = winnow.prepare("x < 500", kind)
    return {
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "cupy: x[x < 500]": lambda: x[x < 500],
    }


def compute_calls(n: int, kind: str) -> dict[str, Callable[[], Any]]:
    """cuda.compute, which compiles the condition at the first call: with arrays
    and memory that it is given, and as its users write it."""
    import cuda.compute
    import torch

    x = torch.from_numpy(numbers(n, kind)).to("cuda")
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
    return {
        "compute: select object, own memory": lambda: made(
            temp_storage=room, num_items=n, **arrays
        ),
        "compute: select()": lambda: cuda.compute.select(num_items=n, **arrays),
    }


def nothing() -> None:
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="2^10,2^16,2^20")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--type", default="float32", choices=("float32", "int32"))
    options = parser.parse_args()
    kind = options.type
    for size in options.sizes.split(","):
        base, _, power = size.partition("^")
        n = int(base) ** int(power or 1)
        groups: list[tuple[str, Any, Callable[[], Any]]] = []
        if options.device == "cpu":
            groups.append(("numpy", numpy_calls(n, kind), nothing))
        if "torch" in sys.modules or _installed("torch"):
            import torch

            wait = torch.cuda.synchronize if options.device == "cuda" else nothing
            groups.append(("torch", torch_calls(n, kind, options.device), wait))
            if options.device == "cuda" and _installed("cuda.compute"):
                groups.append(("cccl", compute_calls(n, kind), wait))
        if options.device == "cuda" and _installed("cupy"):
            import cupy

            groups.append(
                (
                    "cupy",
                    cupy_calls(n, kind),
                    cupy.cuda.get_current_stream().synchronize,
                )
            )
        for library, calls, wait in groups:
            for name, call in calls.items():
                call()
                rounds = max(1, min(500, 2**22 // n))
                line = f"{n:>10} {library:6} {name:36} {least(call, wait, rounds):9.3f}"
                if options.device == "cuda":
                    line += f" {mean_waited(call, wait):9.3f}"
                print(line, flush=True)


def _installed(name: str) -> bool:
    import importlib.util

    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # nor the package that it is in
        return False


if __name__ == "__main__":
    main()
