# SPDX-License-Identifier: Apache-2.0
"""Tests of aggregate() against NumPy."""

import math
import pickle
import unittest
from decimal import Decimal

import winnow
from arrays import needs, np
from winnow import col


@needs("numpy")
class Aggregates(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(6)
        self.sales = {
            "price": random.integers(1, 10000, 9000) / 64,
            "discount": random.integers(0, 8, 9000).astype(np.float32) / 8,
            "quantity": random.integers(-30, 50, 9000).astype(np.int16),
            "id": random.integers(0, 2**63, 9000, dtype=np.uint64) * 2,
        }

    def test_late_extremes(self):
        """The extreme is the last value, after items that do not pass."""
        for dtype, greatest, least in (("u8", 2**64 - 1, 0), ("i8", 2**63 - 1, -(2**63))):
            for value in (greatest, least):
                x = np.full(70, value, dtype)
                wanted = {"x": ("x", "min", "max", "argmin", "argmax")}
                made = winnow.aggregate({"x": x, "i": np.arange(70)}, "i >= 40", wanted)["x"]
                self.assertEqual((made.min, made.max), (value, value))
                self.assertEqual((made.argmin, made.argmax), (40, 40))

    def test_decimals(self):
        """Sums are exact decimals, or None if they need more than 38 digits."""
        x = np.array([1, -2, 30], dtype=np.int64)
        made = winnow.aggregate(
            {"x": x},
            "x <> 0",
            {
                "short": ("cast(x as decimal(12, 2)) * 1.005", "sum", "min", "max", "mean"),
                "long": ("cast(x as decimal(38, 2))", "sum", "mean"),
            },
        )
        self.assertEqual(made["short"].sum, Decimal("29.14500"))
        self.assertEqual(made["short"].sum.as_tuple().exponent, -5)
        self.assertEqual(made["short"].min, Decimal("-2.01"))
        self.assertEqual(made["short"].max, Decimal("30.15"))
        self.assertAlmostEqual(made["short"].mean, 9.715)
        self.assertEqual(made["long"].sum, Decimal("29.00"))
        self.assertEqual(made["long"].mean, 29 / 3)
        self.assertFalse(made["long"].overflow)
        self.assertEqual(pickle.loads(pickle.dumps(made["long"])).sum, Decimal(29))
        with self.assertRaisesRegex(winnow.UnsupportedError, "write cast"):
            winnow.aggregate({"x": x}, None, {"m": ("cast(x as decimal(38, 2))", "min")})

    def test_decimals_that_are_many(self):
        """A sum of more than 38 digits is None."""
        x = np.full(20, 9 * 10**17, dtype=np.int64)
        text = f"cast(x as decimal(38, 0)) * {10**20}"
        made = winnow.aggregate({"x": x}, None, {"s": (text, "sum")})["s"]
        self.assertIsNone(made.sum)
        self.assertTrue(made.overflow)

    def test_pickled(self):
        x = np.array([5, 1, 9, 1, 7])
        for test in ("x < 8", "x < 8 && x != 5"):
            made = winnow.reduce_if(x, test, wanted=("sum", "argmin"))
            again = pickle.loads(pickle.dumps(made))
            self.assertEqual(
                (again.count, again.sum, again.argmin, again.overflow),
                (made.count, made.sum, made.argmin, made.overflow),
            )
            self.assertEqual(made.argmin, 1)
            self.assertEqual(again.buffer.tolist(), made.buffer.tolist())
            with self.assertRaisesRegex(AttributeError, "max was not asked for"):
                again.max

    def test_sales(self):
        price, discount, quantity, ids = self.sales.values()
        mask = (discount >= 0.25) & (quantity < 24)
        made = winnow.aggregate(
            self.sales,
            (col("discount") >= 0.25) & (col("quantity") < 24),
            {
                "revenue": (col("price") * col("discount"), "sum", "mean", "max"),
                "rows": "count",
                "quantity": ("quantity", "sum", "min", "argmin"),
                "id": (col("id"), "sum", "max"),
                "ratio": ("price // (quantity % 2)", "count"),
            },
        )
        revenue = (price * discount)[mask]
        self.assertEqual(made["revenue"].sum, math.fsum(revenue))
        self.assertEqual(made["revenue"].max, revenue.max())
        self.assertEqual(made["revenue"].mean, math.fsum(revenue) / mask.sum())
        self.assertEqual(made["rows"].count, mask.sum())
        self.assertEqual(made["quantity"].sum, quantity[mask].sum(dtype=int))
        self.assertEqual(made["quantity"].min, quantity[mask].min())
        first = np.flatnonzero(mask & (quantity == quantity[mask].min()))[0]
        self.assertEqual(made["quantity"].argmin, first)
        whole = sum(int(i) for i in ids[mask])
        self.assertEqual(made["id"].sum, whole % 2**64)
        self.assertEqual(made["id"].overflow, whole >= 2**64)
        self.assertEqual(made["id"].max, ids[mask].max())
        self.assertEqual(made["ratio"].count, (mask & (quantity % 2 != 0)).sum())
        with self.assertRaisesRegex(AttributeError, "sum was not asked for"):
            made["ratio"].sum

    def test_all_rows_and_some(self):
        wanted = {"sum": ("quantity", "sum")}
        quantity = self.sales["quantity"].astype(int)
        made = winnow.aggregate(self.sales, None, wanted)
        self.assertEqual(made["sum"].sum, quantity.sum())
        made = winnow.aggregate(self.sales, "quantity > 0", wanted, n=100)
        self.assertEqual(made["sum"].sum, quantity[:100][quantity[:100] > 0].sum())
        made = winnow.aggregate(self.sales, "quantity > 1000", {"n": "count"})
        self.assertEqual(made["n"].count, 0)

    def test_refused(self):
        for aggregates, error, text in (
            ({}, ValueError, "no aggregates"),
            ({"a": "sum"}, TypeError, "'a' is 'count', or"),
            ({"a": ("price",)}, TypeError, "'a' is 'count', or"),
            ({"a": (3, "sum")}, TypeError, "3, which is no expression"),
            ({"a": ("price", "median")}, ValueError, "'median' is none of"),
            ({"a": ("price <", "sum")}, winnow.ConditionError, "line 1"),
            ({"a": ("price < 3", "sum")}, winnow.UnsupportedError, "a condition"),
            (
                {str(i): "count" for i in range(17)},
                ValueError,
                "17 aggregates, more than 16",
            ),
        ):
            with self.assertRaisesRegex(error, text):
                winnow.aggregate(self.sales, None, aggregates)
        with self.assertRaises(winnow.ConditionError):
            winnow.aggregate(self.sales, "price <", {"a": "count"})
        with self.assertRaisesRegex(TypeError, "prepared"):
            winnow.aggregate(
                self.sales, winnow.prepare("x > 1", "int16"), {"a": "count"}
            )


if __name__ == "__main__":
    unittest.main()
