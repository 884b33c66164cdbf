# SPDX-License-Identifier: Apache-2.0
"""python -m winnow: versions, devices, and what can be used."""

import importlib.metadata
import sys

import winnow
from winnow import _winnow


def main() -> None:
    print(f"winnow {winnow.__version__}, {_winnow.__file__}")
    print(f"Python {sys.version.split()[0]}")
    print(f"CPU: {_winnow.can_use(-1) or 'can be used'}")
    gpu = 0
    while (why := _winnow.can_use(gpu)) is None:
        print(f"GPU {gpu}: can be used")
        gpu += 1
    if gpu == 0:
        print(f"GPU: none: {why}")
    for library in ("numpy", "torch", "cupy", "jax"):
        try:
            print(f"{library} {importlib.metadata.version(library)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{library}: not installed")


if __name__ == "__main__":
    main()
