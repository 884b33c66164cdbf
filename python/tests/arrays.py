# SPDX-License-Identifier: Apache-2.0
"""What the tests share."""

import importlib.util
import os
import unittest

try:
    import numpy as np
except ImportError:
    np = None
try:
    import pyarrow as pa
    import tables
except ImportError:
    pa = tables = None

SEED = int(os.environ.get("WINNOW_TEST_SEED", "1"))
TYPES = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
).split()


def trials(usual):
    """How many random trials a test makes."""
    return int(os.environ.get("WINNOW_TEST_TRIALS", usual))


def needs(module):
    """Skip what needs a package that is not installed."""
    return unittest.skipUnless(
        importlib.util.find_spec(module), f"{module} is not installed"
    )


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
