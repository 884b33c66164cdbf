# SPDX-License-Identifier: Apache-2.0
"""The program python -m winnow.

python -m winnow prints the versions, the devices, and whether each can be used.
python -m winnow filter writes the rows of table files that pass a condition.
"""

import contextlib
import importlib.metadata
import importlib.util
import sys
from typing import Iterator

import winnow
from winnow import _winnow

USAGE = "usage: python -m winnow [info | filter CONDITION FILE ...]"


def info() -> None:
    print(f"winnow {winnow.__version__}, {_winnow.__file__}")
    print(f"Python {sys.version.split()[0]}")
    print(f"CPU: {_winnow.can_use(-1) or 'can be used'}")
    gpu = 0
    while (why := _winnow.can_use(gpu)) is None:
        print(f"GPU {gpu}: can be used")
        gpu += 1
    if gpu == 0:
        print(f"GPU: none: {why}")
    for line in packages():
        print(line)


def packages() -> Iterator[str]:
    """Yield a line for each library of arrays or tables: its version, if any."""
    # A distribution may have another name than its package: cupy-cuda13x has cupy.
    distributions = importlib.metadata.packages_distributions()
    for library in ("numpy", "pyarrow", "torch", "cupy", "numba", "jax"):
        found = False
        for name in sorted({name for name in distributions.get(library, ()) if name}):
            called = library if name == library else f"{library} ({name})"
            # pip may leave a folder of an old version, which has no metadata.
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                yield f"{called} {importlib.metadata.version(name)}"
                found = True
        if not found and importlib.util.find_spec(library) is not None:
            yield f"{library}: installed, and no distribution says which version"
        elif not found:
            yield f"{library}: not installed"


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["filter"]:
        from winnow import _command

        _command.main(arguments[1:])
    if arguments in ([], ["info"]):
        info()
        return 0
    help = arguments in (["-h"], ["--help"])
    print(USAGE, file=sys.stdout if help else sys.stderr)
    return 0 if help else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
