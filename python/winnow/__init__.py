# SPDX-License-Identifier: Apache-2.0
"""Filter arrays on a GPU, without waiting for it, and on the CPU.

>>> import numpy, winnow
>>> x = numpy.array([3, -1, 4, -1, 5, -9, 2, 6])
>>> winnow.copy_if(x, "x > 0").array()
array([3, 4, 5, 2, 6])

The functions take arrays of NumPy, PyTorch, CuPy and of all libraries with DLPack or
the CUDA array interface. A result is an array of the same library on the same device.
On a GPU a call enqueues its work and returns. The count of the survivors stays on the
device; pass it to the next call as n=. If a function waits for the device, its help
says so.
"""

import os as _os

from ._winnow import (
    ArgumentError,
    CompileError,
    ConditionError,
    CudaError,
    Error,
    NoDeviceError,
    OutOfMemoryError,
    Prepared,
    Selection,
    UnsupportedError,
    WorkspaceError,
    copy_if,
    count_if,
    forget_contexts as _forget_contexts,
    index_if,
    library_version as _library_version,
    set_compile,
    set_threads,
)
from ._arrow import Batch, Batches
from ._cache import cache, cache_clear, cache_info, clear_cache
from ._cuda import cuda_condition
from ._expression import Column, Condition, col
from ._keys import Blocks, Partition, accumulate_by_key, partition_by_key
from ._nvrtc import tell as _tell_nvrtc
from ._prepare import prepare
from ._reduce import Reduction, aggregate, reduce_if
from ._result import Result, Rows
from ._selection import select
from ._tables import copy_flagged, filter, unique

__version__ = _library_version()

__all__ = [
    "ArgumentError",
    "Batch",
    "Batches",
    "Blocks",
    "Column",
    "CompileError",
    "Condition",
    "ConditionError",
    "CudaError",
    "Error",
    "NoDeviceError",
    "OutOfMemoryError",
    "Partition",
    "Prepared",
    "Reduction",
    "Result",
    "Rows",
    "Selection",
    "UnsupportedError",
    "WorkspaceError",
    "accumulate_by_key",
    "aggregate",
    "cache",
    "cache_clear",
    "cache_info",
    "clear_cache",
    "col",
    "copy_flagged",
    "copy_if",
    "count_if",
    "cuda_condition",
    "filter",
    "index_if",
    "partition_by_key",
    "prepare",
    "reduce_if",
    "select",
    "set_compile",
    "set_threads",
    "unique",
]

# Sets an environment variable that the library reads when it first compiles.
_tell_nvrtc()

# fork() does not copy threads, and a child cannot use its parent's GPU contexts.
_os.register_at_fork(after_in_child=_forget_contexts)
