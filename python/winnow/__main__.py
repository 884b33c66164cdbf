# SPDX-License-Identifier: Apache-2.0
"""python -m winnow: versions, devices, and what can be used.

python -m winnow filter: the rows of files of tables that pass a condition.
"""

import importlib.metadata
import sys

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
    # Some are in distributions of another name, as cupy in cupy-cuda13x.
    distributions = importlib.metadata.packages_distributions()
    for library in ("numpy", "pyarrow", "torch", "cupy", "numba", "jax"):
        names = sorted(set(distributions.get(library, ())))
        for name in names:
            called = library if name == library else f"{library} ({name})"
            print(f"{called} {importlib.metadata.version(name)}")
        if not names:
            print(f"{library}: not installed")


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
