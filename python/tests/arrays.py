# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""

import importlib
import importlib.util
import os
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    np = None
# Some packagers have them in packages of their own.
PYARROW_PARTS = ("pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet")
try:
    for part in PYARROW_PARTS:
        importlib.import_module(part)
    import pyarrow as pa
    import tables
except ImportError:
    pa = tables = None

# JAX reads it when it is imported, which needs() does.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
SEED = int(os.environ.get("WINNOW_TEST_SEED", "1"))
TYPES = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
).split()


def trials(usual):
    """How many random trials a test makes."""
    return int(os.environ.get("WINNOW_TEST_TRIALS", usual))


def needs(module):
    """Skip what needs a package that is not installed, or that lacks a part."""
    if importlib.util.find_spec(module) is None:
        return unittest.skip(f"{module} is not installed")
    try:
        # What a package has to say of itself is no error of a test.
        with warnings.catch_warnings(action="ignore"):
            importlib.import_module(module)
            if module == "pyarrow":
                for part in PYARROW_PARTS:
                    importlib.import_module(part)
    except ImportError as error:
        return unittest.skip(f"{module} cannot be imported: {error}")
    return lambda test: test


class Lent:
    """An array of a library that has DLPack alone."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()

    def __dlpack__(self, **how):
        self.how = how
        return self.x.__dlpack__(**how)


def lent(x):
    """NumPy before 2.1 lends nothing that is read-only, and no bool."""
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        if not x.flags.writeable or x.dtype == bool:
            return x
    return Lent(x)


def numbers(dtype, n, seed=1):
    """n elements of all kinds: small ones, ends of the type, NaN."""
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
