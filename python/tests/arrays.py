# SPDX-License-Identifier: Apache-2.0
"""Helpers that the tests share."""

import importlib
import importlib.util
import os
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    np = None
# Some distributions have these modules in separate packages.
PYARROW_PARTS = ("pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet")
try:
    for part in PYARROW_PARTS:
        importlib.import_module(part)
    import pyarrow as pa
    import tables
except ImportError:
    pa = tables = None

# JAX reads this variable when it is imported, which needs() does.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
SEED = int(os.environ.get("WINNOW_TEST_SEED", "1"))
TYPES = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
).split()


def trials(usual):
    """Return the number of random trials of a test."""
    return int(os.environ.get("WINNOW_TEST_TRIALS", usual))


def needs(module):
    """Skip a test if a package that it needs is not installed or lacks a part."""
    if importlib.util.find_spec(module) is None:
        return unittest.skip(f"{module} is not installed")
    try:
        # A package's own warning is no failure of a test.
        with warnings.catch_warnings(action="ignore"):
            importlib.import_module(module)
            if module == "pyarrow":
                for part in PYARROW_PARTS:
                    importlib.import_module(part)
    except ImportError as error:
        return unittest.skip(f"{module} cannot be imported: {error}")
    return lambda test: test


class Lent:
    """An array of a library that supports only DLPack."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **how):
        self.how = how
        return self.x.__dlpack__(**how)


def lent(x):
    """Return x as a Lent, unless NumPy cannot export it by DLPack.

    NumPy before 2.1 exports no read-only arrays and no arrays of bool.
    """
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        if not x.flags.writeable or x.dtype == bool:
            return x
    return Lent(x)


def numbers(dtype, n, seed=1):
    """Draw n elements: small numbers, the ends of the type, NaN."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        x = random.normal(0, 4, n).astype(dtype)
        for i, special in enumerate((np.nan, np.inf, -np.inf, -0.0, 0.0)):
            x[i * 7 :: 41] = special
        return x
    ends = np.iinfo(dtype)
    low = max(ends.min, -6)
    x = random.integers(low, 6, n).astype(dtype)
    x[3::29] = ends.max
    x[5::31] = ends.min
    return x
