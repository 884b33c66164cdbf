# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled code on disk, and the cache of conditions in memory."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import _winnow


def cache(
    directory: str | os.PathLike[str] | None, most_bytes: int = 64 << 20
) -> None:
    """Set the directory where compiled GPU code is kept for later processes.

    Parameters
    ----------
    directory : path or None
        winnow creates it when it first writes to it. None: winnow neither reads nor
        writes files.
    most_bytes : int, optional
        The limit for all files. winnow removes the least recently used files.

    The default is $WINNOW_CACHE, or else $XDG_CACHE_HOME/winnow. See
    winnow_cache_set(3).
    """
    path = None if directory is None else os.path.abspath(os.fspath(directory))
    _winnow.cache_set(path, most_bytes)


def clear_cache() -> None:
    """Remove all code from the cache directory. Code that is already loaded stays."""
    _winnow.cache_clear()


class CacheInfo(NamedTuple):
    """The same fields as those of functools.lru_cache's cache_info()."""

    hits: int
    misses: int
    maxsize: int
    currsize: int


def cache_info() -> CacheInfo:
    """How often calls found their condition ready, and how many conditions are kept.

    Calls keep a condition from text by its text and the names and types of the columns.
    At most 512 conditions and 64 MiB are kept; the least recently used go first. Texts
    of more than half a million characters are not kept. A condition with isin() or
    cuda_condition() itself keeps what is prepared of it.
    """
    return CacheInfo(*_winnow.kept_info())


def cache_clear() -> None:
    """Drop all kept conditions and set the counters to 0. Files on disk stay:
    clear_cache() removes those."""
    _winnow.kept_clear()
