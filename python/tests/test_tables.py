# SPDX-License-Identifier: Apache-2.0
"""Tests of filter and unique against NumPy."""

import unittest

import winnow
from arrays import needs, np, numbers


@needs("numpy")
class Tables(unittest.TestCase):
    def test_mapping(self):
        n = 7000
        table = {
            "price": numbers("float32", n),
            "id": numbers("int64", n, 2),
            "name": np.array([f"n{i}" for i in range(n)]),
            "place": np.arange(3.0 * n).reshape(n, 3),
        }
        mask = (table["price"] < 1.5) & np.isin(table["id"], [1, 2])
        rows = winnow.filter(table, "price < 1.5 && id in (1, 2)")
        self.assertEqual(list(rows), list(table))
        self.assertEqual(len(rows), mask.sum())
        self.assertFalse(rows.overflow)
        for name, x in dict(rows).items():
            self.assertEqual(x.tobytes(), table[name][mask].tobytes(), name)
            self.assertEqual(rows.arrays()[name].tobytes(), x.tobytes())
        few = winnow.filter(table, "price < 1.5", capacity=3, n=500)
        self.assertEqual(len(few), 3)
        self.assertTrue(few.overflow)

    def test_many_columns(self):
        n = 100
        table = {f"c{i}": np.arange(n) + i for i in range(150)}
        rows = winnow.filter(table, "c7 < 20 && c149 > 150")
        kept = [i for i in range(n) if i + 7 < 20 and i + 149 > 150]
        self.assertEqual(len(rows), len(kept))
        for i in range(150):
            self.assertEqual(rows[f"c{i}"].tolist(), [k + i for k in kept])

    def test_records(self):
        records = np.zeros(50, [("a", "i1"), ("b", "f8"), ("c", "S5")])
        records["a"] = np.arange(50)
        records["b"] = np.arange(50) * 0.5
        kept = winnow.filter(records, "a > 10 && b < 20").array()
        wanted = records[(records["a"] > 10) & (records["b"] < 20)]
        for some in records, records.view(np.recarray):
            chained = winnow.filter(winnow.filter(some, "a > 10"), "b < 20")
            self.assertEqual(chained.array().tobytes(), wanted.tobytes())
            self.assertEqual(chained.capacity, 50)
        self.assertEqual(kept.tobytes(), wanted.tobytes())

    def test_strided_columns(self):
        x = np.arange(40)
        rows = winnow.filter({"a": x[::-2], "b": x[1::2]}, "a > 10")
        self.assertEqual(rows["a"].tolist(), [v for v in x[::-2] if v > 10])
        self.assertEqual(len(rows["b"]), len(rows))

    def test_one_array(self):
        self.assertEqual(len(winnow.filter(np.arange(9), "x > 5")), 3)

    def test_unique(self):
        keys = np.sort(numbers("int32", 5000))
        beside = np.arange(5000)
        self.assertEqual(
            winnow.unique(keys).array().tolist(), np.unique(keys).tolist()
        )
        first, places = winnow.unique(keys, beside)
        wanted = np.unique(keys, return_index=True)
        self.assertEqual(first.array().tolist(), wanted[0].tolist())
        self.assertEqual(places.array().tolist(), wanted[1].tolist())
        last = winnow.unique(keys, beside, keep="last")[1].array()
        self.assertEqual(last[:-1].tolist(), (wanted[1][1:] - 1).tolist())

    def test_equality(self):
        x = np.array([-0.0, 0.0, np.nan, np.nan])
        for equal, count in (("bits", 3), ("values", 3), ("nan", 2)):
            self.assertEqual(winnow.unique(x, equal=equal).count, count, equal)
