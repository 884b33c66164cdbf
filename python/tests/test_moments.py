# SPDX-License-Identifier: Apache-2.0
"""Tests of NumPy's datetime64 and timedelta64, against NumPy."""

import datetime
import unittest

from arrays import needs, np

import winnow
from winnow import col

UNITS = ("D", "s", "ms", "us", "ns")
NOON = "2024-02-29T12:00:00"


def moments(unit, items=3000, nat=True):
    """Draw dates around a leap day and within 200 years, and NaT for some units."""
    generator = np.random.default_rng(2024)
    seconds = generator.integers(-3_000_000_000, 4_000_000_000, items)
    near = np.datetime64(NOON, "s").astype(np.int64)
    seconds[::3] = near + generator.integers(-200_000, 200_000, len(seconds[::3]))
    x = seconds.astype("datetime64[s]").astype(f"datetime64[{unit}]")
    if unit in ("ms", "us", "ns"):
        x[::2] += np.timedelta64(1, unit)
    if nat:
        x[::7] = np.datetime64("NaT")
    return x


def year(x):
    return x.astype("datetime64[Y]").astype(np.int64) + 1970


def same(test, a, b):
    test.assertEqual(a.dtype, b.dtype)
    np.testing.assert_array_equal(a, b)


@needs("numpy")
class Moments(unittest.TestCase):
    def compare(self, x, condition, mask):
        """Check that all calls agree on the result."""
        same(self, winnow.copy_if(x, condition).array(), x[mask])
        same(self, winnow.index_if(x, condition).array(), np.flatnonzero(mask))
        self.assertEqual(winnow.count_if(x, condition), mask.sum())
        same(self, winnow.select(x, condition).mask(), mask)
        rows = winnow.filter({"i": np.arange(len(x)), "x": x}, condition)
        same(self, rows["i"], np.flatnonzero(mask))
        same(self, rows["x"], x[mask])

    def test_comparisons(self):
        noon = np.datetime64(NOON, "s")
        for unit in UNITS:
            for nat in (False, True):
                x = moments(unit, nat=nat)
                is_there = ~np.isnat(x)
                for text, mask in (
                    (f"x < timestamp '{NOON}'", x < noon),
                    (f"x >= '{NOON}'", x >= noon),
                    (f"not (x < timestamp '{NOON}')", (x >= noon) & is_there),
                    ("x <> date '2024-02-29'", (x != np.datetime64("2024-02-29")) & is_there),
                    ("x is null", ~is_there),
                    ("x is not null", is_there),
                    ("year(x) = 2024", (year(x) == 2024) & is_there),
                    ("year(x) * 100 + month(x) = 202402", (x.astype("datetime64[M]") == np.datetime64("2024-02")) & is_there),
                    ("cast(x as int64) < 0", (x.astype(np.int64) < 0) & is_there),
                ):
                    with self.subTest(unit, text=text, nat=nat):
                        self.compare(x, text, mask)

    def test_col(self):
        noon = np.datetime64(NOON, "s")
        for unit in UNITS:
            x = moments(unit)
            with self.subTest(unit):
                self.compare(x, col("x") < noon, x < noon)
                self.compare(x, col("x") <= datetime.datetime(2024, 2, 29, 12), x <= noon)
                self.compare(x, col("x").isin(x[1:3]), np.isin(x, x[1:3]) & ~np.isnat(x))
                self.compare(x, col("x").year() == 2024, (year(x) == 2024) & ~np.isnat(x))

    def test_sets_of_numbers(self):
        x = moments("ms")
        wanted = x[~np.isnat(x)][:200].astype(np.int64)
        numbers = np.append(wanted, np.iinfo(np.int64).min)
        condition = col("x").cast("int64").isin(numbers)
        self.compare(x, condition, np.isin(x, wanted.astype(x.dtype)))
        for refused in (col("x").isin(numbers), col("x").isin([5]), col("x") > 5):
            with self.assertRaisesRegex(winnow.UnsupportedError, "cast"):
                winnow.copy_if(x, refused)
            with self.assertRaisesRegex(winnow.UnsupportedError, "cast"):
                winnow.filter({"x": x}, refused)
        with self.assertRaisesRegex(winnow.UnsupportedError, "write '2024-01-01'$"):
            winnow.copy_if(x, "x >= 2024-01-01")

    def test_durations(self):
        for unit in ("s", "ms", "us", "ns"):
            x = moments(unit)
            y = np.roll(x, 1)
            took = x - y
            for limit in (
                np.timedelta64(90, "m"),
                np.timedelta64(-400, "D"),
                np.timedelta64(123_456_789_012_345_678, "ns"),
                datetime.timedelta(days=1, seconds=-5),
            ):
                bound = np.timedelta64(limit)
                with self.subTest(unit, limit=str(limit)):
                    self.compare(took, col("x") <= limit, took <= bound)
                    rows = winnow.filter({"x": x, "y": y}, col("x") - col("y") <= limit)
                    same(self, rows["x"], x[took <= bound])

    def test_two_units(self):
        days, seconds = moments("D"), moments("ns")
        rows = winnow.filter({"d": days, "t": seconds}, "d < t")
        same(self, rows["t"], seconds[days < seconds])

    def test_records_with_gaps(self):
        x = np.zeros(3000, [("flag", "i1"), ("when", "M8[us]")])
        x["when"] = moments("us")
        noon = np.datetime64(NOON)
        kept = winnow.filter(x, f"when < '{NOON}'").array()
        same(self, kept, x[x["when"] < noon])
        same(self, winnow.copy_if(x["when"][::-1], col("x") < noon).array(),
             x["when"][::-1][x["when"][::-1] < noon])

    def test_reductions(self):
        x = moments("s")
        there = x[~np.isnat(x)]
        noon = np.datetime64(NOON, "s")
        for predicate, kept in (
            (None, there),
            (col("x") < noon, there[there < noon]),
            ("x::int64 < 0", there[there.astype(np.int64) < 0]),
        ):
            with self.subTest(str(predicate)):
                made = winnow.reduce_if(x, predicate, wanted=("min", "max", "argmin"))
                self.assertEqual(made.count, len(kept))
                self.assertEqual(made.min, kept.min().astype(np.int64))
                self.assertEqual(made.max, kept.max().astype(np.int64))
                self.assertEqual(x[made.argmin], kept.min())
        made = winnow.aggregate({"x": x}, col("x") < noon, {"y": ("year(x)", "sum", "count")})
        below = there[there < noon]
        self.assertEqual(made["y"].sum, year(below).sum())
        self.assertEqual(made["y"].count, len(below))

    def test_reductions_skip_nulls(self):
        x = np.array(["2024-01-01", "NaT", "2020-01-01"], "M8[s]")
        wanted = ("min", "max", "argmin", "argmax")
        for text in (None, "true", "x is null or x > date '2021-01-01'", "x is null"):
            made = winnow.reduce_if(x, text, wanted=wanted)
            same = winnow.aggregate({"x": x}, text, {"a": ("x", *wanted)})["a"]
            with self.subTest(text):
                self.assertEqual((made.count, made.argmin), (same.count, same.argmin))
                if made.count:
                    self.assertEqual((made.min, made.max), (same.min, same.max))

    def test_any_name(self):
        """Functions, types in casts, and words before literals are not taken for
        names."""
        x = moments("s", nat=False)
        noon = np.datetime64(NOON, "s")
        for text, mask in (
            ("year(as_of) = 2024 and as_of < '2024-02-29 12:00:00'", (year(x) == 2024) & (x < noon)),
            ("cast(as_of as int64) > 0 or as_of::int64 < -9", (x.astype(np.int64) > 0) | (x.astype(np.int64) < -9)),
            (f"as_of - timestamp '{NOON}' <= duration '90 min'", x - noon <= np.timedelta64(90, "m")),
            ("not(as_of < '2024-02-29')", x >= np.datetime64("2024-02-29")),
        ):
            with self.subTest(text):
                same(self, winnow.copy_if(x, text).array(), x[mask])

    def test_days_far_away(self):
        x = np.array([2**40, -(2**40), 0], "datetime64[D]")
        self.compare(x, "x > date '9999-12-31'", np.array([True, False, False]))
        self.compare(x, "x < date '0001-01-01'", np.array([False, True, False]))

    def test_prepared(self):
        x = moments("us")
        ready = winnow.prepare(f"x < '{NOON}'", "datetime64[us]")
        same(self, winnow.copy_if(x, ready).array(), x[x < np.datetime64(NOON)])
        with self.assertRaisesRegex(TypeError, r"datetime64\[us\].*datetime64\[s\]"):
            winnow.copy_if(moments("s"), ready)
        whole = winnow.prepare("x < 0", np.dtype("int64"))
        below = (x.astype(np.int64) < 0) & ~np.isnat(x)
        same(self, winnow.copy_if(x, whole).array(), x[below])

    def test_other_units(self):
        """Dates of other units are read as numbers. Literals of dates are refused for
        them."""
        for name, works in (
            ("datetime64[h]", "D, s, ms, us or ns"),
            ("datetime64[M]", "D, s, ms, us or ns"),
            ("datetime64[25s]", "D, s, ms, us or ns"),
            ("timedelta64[D]", "s, ms, us or ns"),
        ):
            x = np.arange(10).astype(name)
            with self.subTest(name):
                same(self, winnow.copy_if(x, "x > 6").array(), x[7:])
                literal = "duration '1 h'" if name[0] == "t" else f"'{NOON}'"
                for call in (
                    lambda: winnow.copy_if(x, f"x < {literal}"),
                    lambda: winnow.filter({"when": x}, f"when < {literal}"),
                    lambda: winnow.aggregate(
                        {"when": x}, None, {"y": (f"when - {literal}", "max")}
                    ),
                ):
                    with self.assertRaises(winnow.Error) as raised:
                        call()
                    message = str(raised.exception)
                    self.assertIn(name, message)
                    self.assertIn(f"convert it to {works}", message)

    def test_no_literal(self):
        for value in (np.datetime64("NaT"), np.timedelta64("NaT"), np.timedelta64(1, "Y")):
            with self.assertRaises(ValueError):
                col("x") < value


if __name__ == "__main__":
    unittest.main()
