# SPDX-License-Identifier: Apache-2.0
"""Find NVRTC, the CUDA compiler, in PyPI's wheels of CUDA.

The dynamic loader does not search their folders. The library reads the environment
variable WINNOW_NVRTC_FALLBACK when it first compiles a condition and finds no NVRTC
elsewhere.
"""

import os
import sys
from collections.abc import Iterable

# The files of the wheels nvidia-cuda-nvrtc, nvidia-cuda-nvrtc-cu13 and -cu12, in their
# common package "nvidia".
_FILES = (
    "cu13/lib/libnvrtc.so.13",
    "cuda_nvrtc/lib/libnvrtc.so.13",
    "cuda_nvrtc/lib/libnvrtc.so.12",
)


def find(folders: Iterable[str]) -> str | None:
    """Return the path of the newest NVRTC in the folders of the package "nvidia"."""
    folders = list(folders)
    for file in _FILES:
        for folder in folders:
            path = os.path.abspath(os.path.join(folder, file))
            if os.path.isfile(path):
                return path
    return None


def tell() -> None:
    """Set WINNOW_NVRTC_FALLBACK to the NVRTC of a wheel, unless it is already set."""
    if "WINNOW_NVRTC_FALLBACK" in os.environ:
        return
    path = find(os.path.join(entry, "nvidia") for entry in sys.path if entry)
    if path is not None:
        os.environ["WINNOW_NVRTC_FALLBACK"] = path
