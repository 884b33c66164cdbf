# SPDX-License-Identifier: Apache-2.0
"""Where PyPI's wheels of CUDA have its compiler, NVRTC.

The loader does not look there. WINNOW_NVRTC_FALLBACK tells the library, which
reads it when it first compiles a condition and finds no compiler elsewhere.
"""

import os
import sys
from collections.abc import Iterable

# Of nvidia-cuda-nvrtc, nvidia-cuda-nvrtc-cu13 and -cu12, in their package "nvidia".
_FILES = (
    "cu13/lib/libnvrtc.so.13",
    "cuda_nvrtc/lib/libnvrtc.so.13",
    "cuda_nvrtc/lib/libnvrtc.so.12",
)


def find(folders: Iterable[str]) -> str | None:
    """The newest NVRTC in one of the folders of the package "nvidia"."""
    folders = list(folders)
    for file in _FILES:
        for folder in folders:
            path = os.path.abspath(os.path.join(folder, file))
            if os.path.isfile(path):
                return path
    return None


def tell() -> None:
    """Set WINNOW_NVRTC_FALLBACK to a wheel's NVRTC, unless it is set."""
    if "WINNOW_NVRTC_FALLBACK" in os.environ:
        return
    path = find(os.path.join(entry, "nvidia") for entry in sys.path if entry)
    if path is not None:
        os.environ["WINNOW_NVRTC_FALLBACK"] = path
