# SPDX-License-Identifier: Apache-2.0
"""Tests of random shapes, strides and types, by hypothesis.

The draws are the same in each run. As in tests/test_random.c, WINNOW_TEST_SEED=N makes
other draws, and WINNOW_TEST_TRIALS=N sets the number of draws for each test.
"""

import importlib.util
import os
import unittest

import winnow
from arrays import TYPES, lent, needs, np

if importlib.util.find_spec("hypothesis") and np is not None:
    import layouts
    from hypothesis import given, seed, settings, strategies as st
    from hypothesis.extra import numpy as hnp

    def draws(trials, *drawn):
        """Decorate a test with drawn values."""

        def decorate(test):
            number = os.environ.get("WINNOW_TEST_SEED")
            test = given(*drawn)(test)
            if number is not None:
                test = seed(int(number))(test)
            return settings(
                max_examples=int(os.environ.get("WINNOW_TEST_TRIALS", trials)),
                derandomize=number is None,
                database=None,
                deadline=None,
            )(test)

        return decorate

    @st.composite
    def views(draw):
        """Draw one-dimensional views of arrays, with any stride."""
        dtype = draw(st.sampled_from(TYPES))
        base = draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=3, max_side=12)))
        view = base[draw(hnp.basic_indices(base.shape, max_dims=1))]
        return np.atleast_1d(view)

    class Properties(unittest.TestCase):
        @draws(
            400, views(), st.integers(0, 100), st.sampled_from("< <= == != >= >".split())
        )
        def test_copy_if(self, x, limit, sign):
            text = f"x {sign} {limit}"
            mask = eval(text)
            kept = winnow.copy_if(x, text).array()
            self.assertEqual(kept.dtype, x.dtype)
            self.assertEqual(kept.tobytes(), x[mask].tobytes())
            again = winnow.copy_if(x, f"{text} && {text}").array()
            self.assertEqual(again.tobytes(), x[mask].tobytes())
            self.assertEqual(
                winnow.index_if(x, text).array().tolist(),
                np.flatnonzero(mask).tolist(),
            )

        @draws(
            400,
            hnp.arrays(
                st.sampled_from([t for t in TYPES if "int" in t]),
                hnp.array_shapes(max_dims=3, max_side=12),
                elements=st.integers(0, 100),
            ),
            st.sampled_from(sorted(layouts.FUNCTIONS)),
            st.data(),
        )
        def test_functions(self, base, name, data):
            """Every function accepts or refuses any view of an array, by each protocol
            of the host."""
            call, oracle = layouts.FUNCTIONS[name]
            x = base[data.draw(hnp.basic_indices(base.shape, allow_newaxis=True))]
            if data.draw(st.booleans()):
                x = np.broadcast_to(x, (data.draw(st.integers(0, 4)), *np.shape(x)))
            x = np.asarray(x)
            more = ()
            if name in layouts.MASKS and x.ndim:
                more = (np.arange(len(x)) % 3 > 0,)
            elif name in layouts.ROOMS and x.ndim == 1:
                more = (np.arange(len(x)).astype(x.dtype),)
            elif name in layouts.MASKS | layouts.ROOMS:
                return
            put = data.draw(st.sampled_from((np.asarray, memoryview, lent)))
            is_one = x.ndim == 1 and not (
                name in layouts.KEYS and x.dtype.itemsize < 4
            )
            if is_one or name == "copy_flagged":
                if x.size or x.ndim == 1:
                    # Before the call, since fill_holes writes into its argument.
                    right = np.asarray(oracle(x, *more)).tolist()
                    made = np.asarray(call(put(x), *more)).tolist()
                    self.assertEqual(made, right)
            elif x.ndim != 1:
                if name not in ("compact", "expand", "select(mask=)", "unique"):
                    with self.assertRaises((ValueError, TypeError)):
                        call(put(x), *more)

        @draws(
            200,
            hnp.arrays(
                st.sampled_from([*TYPES, "c8", "S3", "M8[s]"]),
                hnp.array_shapes(max_dims=3, max_side=9),
            ),
            st.data(),
        )
        def test_rows(self, x, data):
            mask = data.draw(hnp.arrays(bool, len(x)))
            self.assertEqual(
                winnow.copy_flagged(x, mask).array().tobytes(), x[mask].tobytes()
            )

else:

    @needs("numpy")
    @needs("hypothesis")
    class Properties(unittest.TestCase):
        def test_copy_if(self):
            self.fail("runs with both alone")
