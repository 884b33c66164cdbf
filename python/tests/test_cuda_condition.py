# SPDX-License-Identifier: Apache-2.0
"""Tests of conditions in CUDA C on the host, which does not compile them."""

import pickle
import unittest

import winnow
from arrays import needs, np

BODY = "return x > t && y < x * x;"
TABLE = {"x": "float32", "a b": "int8", "int": "int64", "y": "float32"}


class CudaCondition(unittest.TestCase):
    def refuse(self, error, text, condition, table=TABLE):
        with self.assertRaisesRegex(error, text):
            winnow.prepare(condition, table)

    def test_columns(self):
        made = winnow.cuda_condition(BODY, ("y", "x"), t=0.5)
        self.assertEqual(repr(made), f"winnow.Condition({made.text!r})")
        self.assertIn(BODY, made.text)
        self.assertIs(winnow.prepare(made, TABLE), winnow.prepare(made, TABLE))
        self.refuse(winnow.ConditionError, "no column 'y'", made, {"x": "int8"})
        one = winnow.cuda_condition("return v > 3;", "v")
        self.assertIsInstance(winnow.prepare(one, "int32"), winnow.Prepared)

    def test_joined(self):
        made = winnow.cuda_condition("return x > 3;", ["x"])
        for joined in (made & "y < 3", ~made, made | (winnow.col("y") < 3), "y < 3" & made):
            self.assertIsInstance(winnow.prepare(joined, TABLE), winnow.Prepared)
            again = pickle.loads(pickle.dumps(joined))
            self.assertEqual(again.text, joined.text)
            self.assertIsInstance(winnow.prepare(again, TABLE), winnow.Prepared)
        self.refuse(winnow.ConditionError, "no column 'x'", ~made, {"y": "int8"})
        # A body sees only the names of its own columns.
        other = winnow.cuda_condition("return y > 3;", ["x"]) & "y < 3"
        self.assertIsInstance(winnow.prepare(other, TABLE), winnow.Prepared)

    def test_parameters(self):
        for value in (0, -(2**63), 2**64 - 1, True, 0.5, float("nan")):
            made = winnow.cuda_condition(BODY, ["x", "y"], t=value)
            self.assertIsInstance(winnow.prepare(made, TABLE), winnow.Prepared)
        for value in (2**64, -(2**63) - 1):
            made = winnow.cuda_condition(BODY, ["x", "y"], t=value)
            self.refuse(OverflowError, "", made)
        for value in ("1", None, [1], 1j):
            with self.assertRaisesRegex(TypeError, "parameter t is"):
                winnow.cuda_condition(BODY, ["x", "y"], t=value)
        self.refuse(
            winnow.ArgumentError,
            "no name in C",
            winnow.cuda_condition(BODY, ["x", "y"], **{"class": 1}),
        )
        self.refuse(
            winnow.UnsupportedError,
            "65",
            winnow.cuda_condition("return x;", "x", **{f"p{i}": i for i in range(65)}),
        )

    def test_wrong(self):
        for arguments in ((b"return x;", "x"), ("return x;", [1]), ("return x;", 3)):
            with self.assertRaises(TypeError):
                winnow.cuda_condition(*arguments)
        with self.assertRaisesRegex(ValueError, "a column and a parameter"):
            winnow.cuda_condition("return x;", "x", x=1)
        with self.assertRaisesRegex(TypeError, "Arrow"):
            winnow.filter(
                type("Table", (), {"__arrow_c_stream__": None})(),
                winnow.cuda_condition("return x;", "x") & "x > 3",
            )

    @needs("numpy")
    def test_scalars_and_the_host(self):
        x = np.arange(5, dtype="f4")
        made = winnow.cuda_condition(
            "return x > a + b;", "x", a=np.float32(0.5), b=np.int8(-3)
        )
        with self.assertRaisesRegex(winnow.UnsupportedError, "CUDA C"):
            winnow.copy_if(x, made)
        with self.assertRaisesRegex(winnow.UnsupportedError, "CUDA C"):
            winnow.filter({"x": x, "y": x}, made)
        made = winnow.cuda_condition("return x > a;", "x", a=np.float16(1))
        self.refuse(winnow.UnsupportedError, "float16", made)
        made = winnow.cuda_condition("return x > a[0];", "x", a=x)
        self.refuse(TypeError, "not on a GPU", made)
