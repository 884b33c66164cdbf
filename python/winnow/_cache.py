# SPDX-License-Identifier: Apache-2.0
"""Where code that is compiled for conditions is kept on disk; and the conditions
that are kept in memory."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import _winnow


def cache(
    directory: str | os.PathLike[str] | None, most_bytes: int = 64 << 20
) -> None:
    """Keep code that is compiled on a GPU in a directory, for later processes.

    Parameters
    ----------
    directory : path or None
        It is made when it is needed. None: nothing is read or kept.
    most_bytes : int, optional
        Of all files. What was used least recently is removed.

    Without a call it is $XDG_CACHE_HOME/winnow, or what WINNOW_CACHE says:
    winnow_cache_set(3).
    """
    path = None if directory is None else os.path.abspath(os.fspath(directory))
    _winnow.cache_set(path, most_bytes)


def clear_cache() -> None:
    """Remove all code that is kept there. What is loaded already stays."""
    _winnow.cache_clear()


class CacheInfo(NamedTuple):
    """As functools has it."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


def cache_info() -> CacheInfo:
    """How often calls found their condition ready, and how many are kept.

    Conditions that are text are kept by their text and the names and types of the
    columns: 512, and 64 MiB at most, without those that were used least recently.
    A text of more than half a million characters is not kept. What isin() or
    cuda_condition() makes keeps what is prepared of it itself.
    """
    return CacheInfo(*_winnow.kept_info())


def cache_clear() -> None:
    """Forget the conditions that are kept, and how often they were found. What is
    on disk stays: that is clear_cache()."""
    _winnow.kept_clear()
