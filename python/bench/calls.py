# SPDX-License-Identifier: Apache-2.0
"""What a call costs, beside NumPy, PyTorch and CuPy where they are installed.

    python bench/calls.py [--sizes 2^10,2^20] [--device cuda]

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


def numpy_calls(n: int) -> dict[str, Callable[[], Any]]:
    x = np.random.default_rng(1).random(n, np.float32)
    out = np.empty_like(x)
    prepared = winnow.prepare("x < 0.5", "float32")
    condition = winnow.col("x") < 0.5
    mask = x < 0.5
    return {
        "copy_if(x, prepared, out=out)": lambda: winnow.copy_if(x, prepared, out=out),
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "copy_if(x, text)": lambda: winnow.copy_if(x, "x < 0.5"),
        "copy_if(x, col('x') < 0.5)": lambda: winnow.copy_if(x, condition),
        "count_if(x, prepared)": lambda: winnow.count_if(x, prepared),
        "copy_flagged(x, mask)": lambda: winnow.copy_flagged(x, mask),
        "numpy: x[x < 0.5]": lambda: x[x < 0.5],
        "numpy: x[mask]": lambda: x[mask],
        "numpy: empty(n)": lambda: np.empty(n, np.float32),
    }


def torch_calls(n: int, device: str) -> dict[str, Callable[[], Any]]:
    import torch

    x = torch.rand(n, device=device)
    out, count = torch.empty_like(x), torch.zeros((), dtype=torch.int64, device=device)
    prepared = winnow.prepare("x < 0.5", "float32")
    return {
        "copy_if(x, prepared, out=, count=)": lambda: winnow.copy_if(
            x, prepared, out=out, count=count
        ),
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "torch: x[x < 0.5]": lambda: x[x < 0.5],
        "torch: empty_like(x)": lambda: torch.empty_like(x),
    }


def cupy_calls(n: int) -> dict[str, Callable[[], Any]]:
    import cupy

    x = cupy.random.random(n, dtype=cupy.float32)
    prepared = winnow.prepare("x < 0.5", "float32")
    return {
        "copy_if(x, prepared)": lambda: winnow.copy_if(x, prepared),
        "cupy: x[x < 0.5]": lambda: x[x < 0.5],
    }


def nothing() -> None:
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="2^10,2^16,2^20")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    for size in options.sizes.split(","):
        base, _, power = size.partition("^")
        n = int(base) ** int(power or 1)
        groups: list[tuple[str, Any, Callable[[], Any]]] = []
        if options.device == "cpu":
            groups.append(("numpy", numpy_calls(n), nothing))
        if "torch" in sys.modules or _installed("torch"):
            import torch

            wait = torch.cuda.synchronize if options.device == "cuda" else nothing
            groups.append(("torch", torch_calls(n, options.device), wait))
        if options.device == "cuda" and _installed("cupy"):
            import cupy

            groups.append(
                ("cupy", cupy_calls(n), cupy.cuda.get_current_stream().synchronize)
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

    return importlib.util.find_spec(name) is not None


if __name__ == "__main__":
    main()
