# SPDX-License-Identifier: Apache-2.0
"""Where code that is compiled for conditions is kept on disk."""

from __future__ import annotations

import os

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
