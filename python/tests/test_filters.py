# SPDX-License-Identifier: Apache-2.0
"""Tests of copy_if, index_if, count_if and copy_flagged against NumPy."""

import array
import datetime
import gc
import sys
import tracemalloc
import unittest
import weakref

import winnow
from arrays import TYPES, needs, np, numbers

CONDITIONS = {
    "x > 2": lambda x: x > 2,
    "x <= 0": lambda x: x <= 0,
    "x == 3": lambda x: x == 3,
    "x != 3": lambda x: x != 3,
    "1 < x < 5": lambda x: (x > 1) & (x < 5),
    "x in (1, 2, 4)": lambda x: np.isin(x, [1, 2, 4]),
    "!(x >= 1 && x < 4) || x == 2": lambda x: ~((x >= 1) & (x < 4)) | (x == 2),
}


def same(test, a, b):
    test.assertEqual(a.dtype, b.dtype)
    test.assertEqual(a.tobytes(), b.tobytes())


@needs("numpy")
class Filters(unittest.TestCase):
    def test_cycles(self):
        """A result that its own output refers to is freed with this output."""

        class Named(np.ndarray):
            pass

        x = np.arange(10)
        out = np.zeros(10, x.dtype).view(Named)
        end = weakref.ref(out)
        out.result = winnow.copy_if(x, "x > 3", out=out)
        self.assertTrue(gc.is_tracked(out.result))
        del out
        gc.collect()
        self.assertIsNone(end())

    def test_counts_of_the_caller(self):
        """An array of one int64 of any shape and library can be count=."""
        for count in (np.zeros((), "i8"), np.zeros(1, "i8"), array.array("q", [0])):
            kept = winnow.copy_if(np.arange(6), "x > 3", count=count)
            self.assertEqual((len(kept), kept.overflow), (2, False))
            self.assertEqual(kept.array().tolist(), [4, 5])
            self.assertEqual(winnow.copy_if(kept, "x > 4").array().tolist(), [5])
            out = np.zeros(6, "i8")
            kept = winnow.copy_if(np.arange(6), "x > 2", count=count, out=out, capacity=2)
            self.assertEqual((len(kept), kept.overflow), (2, True))
        for call in (winnow.copy_if, winnow.index_if, winnow.count_if):
            with self.assertRaisesRegex(ValueError, "count is read-only"):
                call(np.arange(6), "x > 3", count=np.int64(0))  # a scalar is a constant

    def test_types_and_conditions(self):
        for dtype in TYPES:
            for n in (0, 1, 31, 1000, 70000):
                x = numbers(dtype, n)
                for text, oracle in CONDITIONS.items():
                    with self.subTest(dtype=dtype, n=n, text=text):
                        mask = oracle(x)
                        same(self, winnow.copy_if(x, text).array(), x[mask])
                        same(
                            self,
                            winnow.index_if(x, text).array(),
                            np.flatnonzero(mask),
                        )
                        count = winnow.count_if(x, text)
                        self.assertEqual(count, mask.sum())
                        self.assertEqual(count.dtype, np.int64)
                        self.assertEqual(count.shape, ())

    def test_order_any_keeps_the_same(self):
        x = numbers("int32", 5000)
        kept = winnow.copy_if(x, "x > 1", order="any").array()
        same(self, np.sort(kept), np.sort(x[x > 1]))

    def test_bool(self):
        x = np.array([True, False, True])
        kept = winnow.copy_if(x, "x").array()
        self.assertEqual(kept.dtype, np.bool_)
        self.assertEqual(kept.tolist(), [True, True])

    def test_dates(self):
        x = np.array(["2024-01-01", "2025-01-01"], "datetime64[D]")
        limit = np.datetime64("2024-06-01", "D")
        days = winnow.col("x").cast("int64")
        for condition in winnow.col("x") > limit, days > int(limit.astype(np.int64)):
            kept = winnow.copy_if(x, condition).array()
            same(self, kept, x[1:])

    @needs("ml_dtypes")
    def test_bfloat16(self):
        import ml_dtypes

        some = winnow.select(np.arange(2), "x > 0")
        for fill in (1e6, -np.inf, np.float32(500)):
            with self.assertRaisesRegex(ValueError, "cannot represent"):
                some.expand(np.ones(1, ml_dtypes.float8_e4m3fn), fill=fill)
        for name, fill, good in (
            ("int4", 8, 7),
            ("int4", 1.5, -8),
            ("uint2", -1, 3),
            ("float4_e2m1fn", 7, 6.5),
            ("float4_e2m1fn", np.nan, -6),
            ("float6_e3m2fn", np.inf, 28),
            ("float8_e3m4", 16, 15.5),
            ("float8_e8m0fnu", 0, 0.25),
        ):
            if hasattr(ml_dtypes, name):  # not in the oldest
                packed = np.array([1]).astype(getattr(ml_dtypes, name))
                with self.subTest(name, fill=fill):
                    with self.assertRaisesRegex(ValueError, "cannot represent"):
                        some.expand(packed, fill=fill)
                    made = some.expand(packed, fill=good)
                    self.assertEqual(made[0], np.array(good).astype(packed.dtype))
        x = np.arange(-4, 4).astype(ml_dtypes.bfloat16)
        kept = winnow.copy_if(x, "x > 0.5").array()
        same(self, kept, x[x > 0.5])
        for values in ([*range(2, 40), -3.001], np.array([-3.001, 2, 3])):
            kept = winnow.copy_if(x, winnow.col("x").isin(values)).array()
            self.assertEqual(kept.tolist(), [-3, 2, 3])

    def test_result(self):
        x = np.arange(10, dtype=np.int16)
        kept = winnow.copy_if(x, "x >= 6")
        self.assertEqual(len(kept), 4)
        self.assertEqual(list(kept), [6, 7, 8, 9])
        self.assertEqual(kept[1], 7)
        self.assertEqual(kept[-1], 9)
        self.assertEqual(kept.capacity, 10)
        self.assertFalse(kept.overflow)
        same(self, np.asarray(kept), x[6:])
        same(self, np.asarray(kept, dtype=np.float64), x[6:].astype(np.float64))
        self.assertTrue(np.shares_memory(kept.array(), kept.buffer))
        self.assertIn("4 elements", repr(kept))

    def test_capacity(self):
        x = np.arange(100)
        kept = winnow.copy_if(x, "x >= 10", capacity=7)
        self.assertEqual(kept.buffer.shape, (7,))
        self.assertEqual(kept.count, 90)
        self.assertTrue(kept.overflow)
        self.assertEqual(len(kept), 7)
        same(self, kept.array(), np.arange(10, 17))
        self.assertEqual(len(winnow.copy_if(x, "x >= 10", capacity=0)), 0)
        # A result's count is no capacity: on a GPU it is not known.
        few = winnow.copy_if(x, "x >= 98")
        for chained in (
            winnow.copy_if(few, "x >= 99"),
            winnow.copy_if(x, "x < 1", n=few),
            winnow.index_if(x, "x < 1", n=few),
            winnow.copy_flagged(x, x < 1, n=few),
            winnow.unique(x // 2, n=few),
        ):
            self.assertEqual((len(chained), chained.capacity), (1, 100))
            self.assertEqual(len(chained.buffer), 100)
        rows = winnow.filter({"x": x}, "x < 1", n=few)
        self.assertEqual((len(rows), rows.capacity, len(rows["x"])), (1, 100, 1))
        self.assertEqual(winnow.copy_if(x, "x < 1", n=2).capacity, 2)
        # It may exceed the number of items.
        rows = winnow.filter({"x": x}, "x < 5", capacity=200)
        self.assertEqual((rows.capacity, len(rows.buffers["x"]), len(rows)), (200, 200, 5))
        unique = winnow.unique(x, capacity=200)
        self.assertEqual((unique.capacity, len(unique.buffer), len(unique)), (200, 200, 100))

    def test_out_and_count(self):
        x = np.arange(9, dtype=np.float32)
        out, count = np.zeros(5, np.float32), np.zeros((), np.int64)
        kept = winnow.copy_if(x, "x > 6", out=out, count=count)
        self.assertIs(kept.buffer, out)
        self.assertIs(kept.count, count)
        self.assertEqual(count, 2)
        self.assertEqual(out.tolist(), [7, 8, 0, 0, 0])

    def test_in_place(self):
        x = np.arange(9)
        kept = winnow.copy_if(x, "x > 6", out=x)
        self.assertEqual(kept.array().tolist(), [7, 8])
        self.assertIs(kept.buffer, x)

    def test_fill_that_the_type_lacks(self):
        for dtype, fill in (
            ("int8", np.uint8(200)),
            ("int8", 0.5),
            ("int8", np.datetime64("2020-01-01")),
            ("int8", "7"),
            ("int8", 300),
            ("int8", np.inf),
            ("uint64", -1),
            ("bool", 2),
            ("float32", 1e300),
            ("float32", 2**200),
            ("complex64", 1e300),
            ("float32", np.complex64(1 + 2j)),
            ("float64", np.datetime64("2024-01-01")),
            ("datetime64[ns]", np.datetime64("3000-01-01")),
            ("datetime64[D]", np.datetime64("2024-01-01T12:00")),
            ("datetime64[s]", datetime.datetime(2024, 1, 1, 0, 0, 0, 500000)),
            ("datetime64[s]", np.timedelta64(5, "s")),
            ("datetime64[s]", np.float32(2.5)),
            ("datetime64[s]", np.uint64(2**64 - 1)),
            ("timedelta64[s]", np.timedelta64(1500, "ms")),
            ("timedelta64[s]", np.datetime64("2024-01-01")),
            ("S3", b"abcd"),
            ("U2", "abc"),
            ("V3", b"abcd"),
            ("datetime64[D]", "2024-01-31T12:00"),
        ):
            x = np.array([0, 1]).astype(dtype)
            with self.subTest(dtype=dtype, fill=fill), np.errstate(over="ignore"):
                with self.assertRaisesRegex(ValueError, "cannot represent"):
                    winnow.select(mask=x == x[1]).compact(x, fill=fill)
        for dtype, fill in (
            ("datetime64[ns]", np.datetime64("2024-01-01")),
            ("datetime64[D]", datetime.date(2024, 1, 2)),
            ("datetime64[s]", np.datetime64("NaT")),
            ("timedelta64[s]", np.timedelta64(2000, "ms")),
            ("timedelta64[us]", datetime.timedelta(1)),
            ("datetime64[s]", -5),
            ("complex64", 1 + 2j),
            ("float32", np.inf),
            ("float32", 0.1),
            ("S3", b"abc"),
            ("S3", 0),
        ):
            x = np.array([0, 1]).astype(dtype)
            with self.subTest(dtype=dtype, fill=fill):
                made = winnow.select(mask=x == x[1]).compact(x, fill=fill).buffer
                is_zero = dtype == "S3" and fill == 0
                wanted = np.array(b"" if is_zero else fill, dtype)
                self.assertEqual(made.tobytes(), x[1:].tobytes() + wanted.tobytes())
        for fill in (2.0, np.uint8(2), 2):
            x = np.array([0, 1], "int8")
            kept = winnow.copy_if(x, "x > 0", fill=fill)
            self.assertEqual(kept.buffer.tolist(), [1, 2])

    def test_fill_of_records(self):
        day = np.datetime64("2024-01-02")
        dtype = [("a", "i1"), ("b", "f4"), ("s", "S2"), ("v", "f4", 2), ("n", [("d", "M8[D]")])]
        x, some = np.zeros(2, dtype), winnow.select(mask=np.array([True, False]))
        for fill in ((1, 2.5, b"ab", (1, 2), (day,)), (1, 2.5, b"a", 7, (str(day),)), 3, 0):
            one = np.zeros((), dtype) if fill == 0 else np.array(fill, dtype)
            for given in (fill, one, one[()]):
                made = some.compact(x, fill=given).buffer
                self.assertEqual(made[1].tobytes(), one.tobytes())
        for fill in (
            (1.7, 0, b"", 0, (day,)),
            (1, 1e300, b"", 0, (day,)),
            (1, 0, b"abc", 0, (day,)),
            (1, 0, b"", (1, 1e300), (day,)),
            (1, 0, b"", 0, ("2024-01-02T01",)),
        ):
            with np.errstate(over="ignore"), self.assertRaisesRegex(ValueError, "cannot represent"):
                some.compact(x, fill=fill)

    def test_masked_values(self):
        x, masked = np.arange(4.0), np.ma.array(3, mask=True)
        for call in (
            lambda: winnow.copy_if(x, "x > 2", fill=np.ma.masked),
            lambda: winnow.select(x, "x > 2").expand(x[:1], fill=masked),
            lambda: winnow.copy_if(x, "x > 2", n=masked),
            lambda: winnow.copy_if(x, "x > 2", capacity=masked),
            lambda: winnow.unique(x, capacity=masked),
        ):
            with self.assertRaisesRegex(TypeError, "^(fill|n|capacity) is a masked array"):
                call()

    def test_fill(self):
        x = np.arange(6)
        for count in (None, np.zeros((), np.int64)):
            kept = winnow.copy_if(x, "x > 3", fill=-1, count=count)
            self.assertEqual(kept.buffer.tolist(), [4, 5, -1, -1, -1, -1])
        kept = winnow.index_if(x, "x > 3", fill=-1, capacity=3)
        self.assertEqual(kept.buffer.tolist(), [4, 5, -1])

    def test_index_types(self):
        x = np.arange(6)
        for dtype in ("int32", "uint32", "int64", "uint64"):
            out = np.zeros(6, dtype)
            kept = winnow.index_if(x, "x > 3", out=out)
            self.assertEqual(kept.array().tolist(), [4, 5])
        with self.assertRaisesRegex(TypeError, "out is of int16"):
            winnow.index_if(x, "x > 3", out=np.zeros(6, np.int16))

    def test_fewer_items(self):
        x = np.arange(20)
        few = winnow.copy_if(x, "x < 8")
        for n in (8, np.int64(8), few, few.count, np.array(8, np.uint64)):
            kept = winnow.copy_if(x, "x > 5", n=n)
            self.assertEqual(kept.array().tolist(), [6, 7])
        chained = winnow.copy_if(few.buffer, "x > 5", n=few)
        self.assertEqual(chained.array().tolist(), [6, 7])
        # A number in an array that exceeds the number of items means all items.
        self.assertEqual(len(winnow.copy_if(x, "x > 5", n=np.array(99))), 14)
        with self.assertRaisesRegex(ValueError, "n is 21, and there are 20"):
            winnow.copy_if(x, "x > 5", n=21)
        with self.assertRaisesRegex(TypeError, "int64"):
            winnow.copy_if(x, "x > 5", n=np.array(3, np.int32))

    def test_flagged(self):
        x = np.arange(24).reshape(8, 3)
        mask = np.array([1, 0, 0, 1, 1, 0, 0, 1], bool)
        same(self, winnow.copy_flagged(x, mask).array(), x[mask])
        same(self, winnow.copy_flagged(x, mask, n=4).array(), x[:4][mask[:4]])
        kept = winnow.copy_flagged(x, mask, capacity=2)
        same(self, kept.array(), x[mask][:2])
        self.assertTrue(kept.overflow)

    def test_nothing_leaks(self):
        x = np.arange(4096, dtype=np.int32)
        prepared = winnow.prepare("x > 3", "int32")

        def use():
            winnow.copy_if(x, "x > 3 && x < 9").array()
            winnow.copy_if(x[::2], prepared, n=np.array(9)).count
            winnow.index_if(x, prepared, fill=3, capacity=5)
            winnow.filter({"a": x, "b": x}, "a > 3 && b < 6").arrays()
            selection = ~winnow.select(x, prepared)
            selection.expand(selection.compact(x))
            for wrong in ("x >", "y > 1 && x > 1"):
                try:
                    winnow.copy_if(x, wrong)
                except winnow.ConditionError:
                    pass
            for wrong in ({"out": 3}, {"n": -1}, {"capacity": -1}, {"bad": 1}):
                try:
                    winnow.copy_if(x, prepared, **wrong)
                except (TypeError, ValueError):
                    pass

        for _ in range(20):
            use()
        references = sys.getrefcount(x), sys.getrefcount(prepared)
        tracemalloc.start()
        use()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        rounds = 3000
        for _ in range(rounds):
            use()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        # The smallest object has 24 bytes. Python and NumPy cache a few.
        self.assertLess(after - before, rounds * 24)
        self.assertEqual(
            references, (sys.getrefcount(x), sys.getrefcount(prepared))
        )
