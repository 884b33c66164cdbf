# SPDX-License-Identifier: Apache-2.0
"""Show progress on a terminal, with the package rich if it is installed."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Callable, Iterator

from ._ending import at_end

Tell = Callable[[int, int], None]


def _silent(read: int, kept: int) -> None:
    pass


@contextlib.contextmanager
def progress(total: int | None, quiet: bool) -> Iterator[Tell]:
    """Give a function to call with the numbers of rows read and kept so far.

    If standard error is a terminal, the function shows there the rate, the share of
    rows kept and, if the total is known, the time left.
    """
    if quiet or not sys.stderr.isatty():
        yield _silent
        return
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            ProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
    except ImportError:
        yield _silent
        return
    columns: list[ProgressColumn] = [TextColumn("{task.fields[says]}")]
    if total:
        columns = [BarColumn(), *columns, TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True)) as bar:
        at_end.append(bar.stop)
        task = bar.add_task("", total=total, says="")
        start = time.monotonic()

        def tell(read: int, kept: int) -> None:
            rate = read / max(time.monotonic() - start, 1e-9) / 1e6
            share = 100 * kept / max(read, 1)
            says = f"{read:,} rows, {rate:.1f} million/s, {share:.3g}% kept"
            bar.update(task, completed=read, says=says)

        yield tell
