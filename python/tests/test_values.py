# SPDX-License-Identifier: Apache-2.0
"""Tests of values of Python, NumPy and series in conditions: nothing of them is
lost."""

import datetime
import decimal
import enum
import unittest

import winnow
from arrays import needs, np, pa
from winnow import col

UTC = datetime.timezone.utc
LARGE = [2**53, 2**53 + 1, 2**53 + 2]


@needs("pyarrow")
@needs("numpy")
class Values(unittest.TestCase):
    def kept(self, values, kind, condition):
        """Return the indices of the values of a column x that pass."""
        rows = pa.table({"x": pa.array(values, kind), "i": range(len(values))})
        return winnow.filter(rows, condition)["i"].to_pylist()

    def test_zones(self):
        second = datetime.timedelta(seconds=1)
        epoch = datetime.datetime(1970, 1, 1, tzinfo=UTC)
        zones = [datetime.timezone(datetime.timedelta(hours=h)) for h in (-8, 0, 5.5)]
        for column in ("+05:30", "UTC", "-08:00", "Europe/Berlin"):
            kind = pa.timestamp("s", column)
            for zone in zones:
                moment = (epoch + second).astimezone(zone)
                with self.subTest(column=column, zone=zone):
                    values = [-28799, 0, 1, 19801]
                    self.assertEqual(self.kept(values, kind, col("x") == moment), [2])
                    self.assertEqual(self.kept(values, kind, col("x") <= moment), [0, 1, 2])
                    self.assertEqual(self.kept(values, kind, col("x").isin([moment])), [2])
                    series = pa.array([1, None], pa.timestamp("s", "Asia/Tokyo"))
                    self.assertEqual(self.kept(values, kind, col("x").isin(series)), [2])
        with self.assertRaisesRegex(winnow.Error, "'x' has no zone"):
            self.kept([0], pa.timestamp("s"), col("x") == epoch)

    def test_integers_of_series(self):
        many = [LARGE[1], None] * 20
        made = [pa.array(many), pa.chunked_array([many]), pa.array(many[:2])]
        with_pandas = with_polars = None
        try:
            import pandas as with_pandas

            made += [with_pandas.Series(many[:n], dtype="Int64") for n in (2, 40)]
            made += [with_pandas.Series(many, dtype=with_pandas.ArrowDtype(pa.int64()))]
        except ImportError:
            pass
        try:
            import polars as with_polars

            made += [with_polars.Series(many[:n]) for n in (2, 40)]
        except ImportError:
            pass
        for values in made:
            with self.subTest(kind=type(values)):
                condition = col("x").isin(values)
                self.assertEqual(self.kept(LARGE, pa.int64(), condition), [1])
                self.assertEqual(winnow.copy_if(np.array(LARGE), condition).array().tolist(), LARGE[1:2])

    def test_other_values_of_series(self):
        words = pa.array(["b", None])
        self.assertEqual(self.kept(["a", "b", None], pa.string(), col("x").isin(words)), [1])
        days = pa.array([1, None], pa.date32())
        self.assertEqual(self.kept([0, 1, None], pa.date32(), col("x").isin(days)), [1])

    @needs("pandas")
    def test_nanoseconds(self):
        import pandas as pd

        values = [1, 2, -2, 259_200_000_000_001]
        kind = pa.duration("ns")
        for value, wanted in (
            (pd.Timedelta(2, "ns"), [1]),
            (pd.Timedelta(-2, "ns"), [2]),
            (pd.Timedelta(days=3) + pd.Timedelta(1, "ns"), [3]),
            (np.timedelta64(2, "ns"), [1]),
            (pa.scalar(2, kind), [1]),
        ):
            self.assertEqual(self.kept(values, kind, col("x") == value), wanted, value)
            self.assertEqual(self.kept(values, kind, col("x").isin([value])), wanted, value)
        moment = pd.Timestamp(2)
        self.assertEqual(self.kept(values, pa.timestamp("ns"), col("x") == moment), [1])
        with self.assertRaisesRegex(ValueError, "NaT"):
            col("x") == pd.NaT  # noqa: B015

    def test_operand_on_the_left(self):
        """NumPy's own operators would pass a datetime64 in nanoseconds as an
        integer."""
        moment, step = np.datetime64(2, "ns"), np.timedelta64(2, "ns")
        for value, kind in ((moment, pa.timestamp("ns")), (step, pa.duration("ns"))):
            self.assertEqual(self.kept([1, 2, 3], kind, value < col("x")), [2])
            self.assertEqual(self.kept([1, 2, 3], kind, value == col("x")), [1])
            with self.assertRaisesRegex(winnow.Error, "'x' is of int64"):
                self.kept([1, 2, 3], pa.int64(), value < col("x"))
        later = moment - col("x") > np.timedelta64(0, "ns")
        self.assertEqual(self.kept([1, 2, 3], pa.timestamp("ns"), later), [0])
        self.assertEqual(self.kept([1, 2], pa.int64(), np.int8(3) - col("x") == 1), [1])

    def test_null_is_no_column(self):
        x = np.array([5, 6])
        for text in ("null = 5", "NULL <> 5", "null < 7", "null >= 0.5"):
            self.assertEqual(winnow.copy_if(x, text).array().tolist(), [], text)
        self.assertEqual(winnow.copy_if(x, '"null" = 5').array().tolist(), [5])

    def test_truth(self):
        """True and False equal 1 and 0, for columns of booleans and of numbers."""
        x = col("x")
        for condition, wanted in (
            (x == True, [0]),  # noqa: E712
            (x != True, [1, 3]),  # noqa: E712
            (x == False, [1]),  # noqa: E712
            (~(x == np.True_), [1, 3]),
            (x.isin([True]), [0]),
            (x.isin([True, False]), [0, 1]),
            (x.isin(np.array([False, False])), [1]),
            (x.isin(pa.array([True, None])), [0]),
        ):
            with self.subTest(condition=condition):
                of_bits = [i for i in wanted if i != 3]
                self.assertEqual(self.kept([True, False, None], pa.bool_(), condition), of_bits)
                for kind in (pa.int8(), pa.uint64(), pa.float64()):
                    self.assertEqual(self.kept([1, 0, None, 2], kind, condition), wanted)
                flags = winnow.index_if(np.array([True, False]), condition).array()
                self.assertEqual(flags.tolist(), of_bits)

    def test_truth_of_decimals(self):
        near = decimal.Decimal("1.000000000000000001")
        for kind in (pa.decimal128(38, 18), pa.decimal128(20, 18)):
            values = [near, decimal.Decimal(1), decimal.Decimal(0)]
            self.assertEqual(self.kept(values, kind, col("x") == True), [1])  # noqa: E712
            self.assertEqual(self.kept(values, kind, col("x").isin([True, 0])), [1, 2])

    def test_truth_among_numbers(self):
        """Among numbers True counts as 1, and the other values do not change."""
        self.assertEqual(self.kept([1, *LARGE], pa.int64(), col("x").isin([True, LARGE[1]])), [0, 2])
        self.assertEqual(self.kept([1, 0.1], pa.float32(), col("x").isin([True, 0.1])), [0, 1])
        self.assertEqual(self.kept([1, 2, 0], pa.int8(), col("x").isin([False, 1])), [0, 2])

    def test_moments_are_no_truth(self):
        """Comparing dates with True is an error, as with a number."""
        for x in (np.array([0, 1, 2], "M8[D]"), np.array([0, 1, 2], "m8[s]")):
            for condition in (
                col("x") == True,  # noqa: E712
                col("x") != False,  # noqa: E712
                col("x").isin([True]),
                col("x").isin(np.array([True])),
                col("x").isin([True] * 20),
                (col("x") + np.timedelta64(1, "s")) == True,  # noqa: E712
            ):
                with self.subTest(text=condition.text), self.assertRaises(winnow.Error):
                    winnow.index_if(x, condition)
        for values, kind in (([True, None, False], pa.bool_()), ([1, None, 0], pa.int8())):
            is_true = col("x") == True  # noqa: E712
            self.assertEqual(self.kept(values, kind, is_true), [0])
            self.assertEqual(self.kept(values, kind, ~is_true), [2])
            self.assertEqual(self.kept(values, kind, col("x") != False), [0])  # noqa: E712

    def test_masked_arrays(self):
        for n in (2, 40):
            values = np.ma.array(np.arange(n), mask=np.arange(n) > 0)
            with self.assertRaisesRegex(TypeError, "compressed"):
                col("x").isin(values)
            self.assertEqual(self.kept([0, 1], pa.int64(), col("x").isin(values.compressed())), [0])

    def test_masked_values(self):
        values = np.ma.array([1, 5], mask=[True, False])
        for make in (
            lambda: col("x") == values[0],
            lambda: col("x") <= values[0],
            lambda: col("x").isin(list(values)),
            lambda: col("x") < col("x") + values[0],
        ):
            with self.assertRaisesRegex(TypeError, "masked"):
                make()
        self.assertEqual((col("x") == values[1]).text, "x == 5")

    def test_moments_without_dimensions(self):
        x = np.array([0, 1, 2])
        moments = np.array([0, 1000], "M8[ns]")
        kept = winnow.index_if(moments, col("x") == np.array(1000, "M8[ns]"))
        self.assertEqual(kept.array().tolist(), [1])
        for condition in (
            col("x") == np.array(1, "M8[ns]"),
            col("x") + np.array(1, "m8[ns]") == 2,
            col("x").isin([np.array(1, "M8[ns]")]),
        ):
            with self.assertRaises(winnow.Error):
                winnow.index_if(x, condition)

    def test_classes_of_integers(self):
        class One(int, enum.Enum):
            ONE = 1

        self.assertEqual((col("x") == One.ONE).text, "x == 1")

    def test_names_of_a_series(self):
        """In a condition on a series, the index's name means the index. Any other name
        means the values."""
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        index = pandas.Index([5, 6, 7], name="i")
        series = pandas.Series([3, 1, 2], index=index, name="foo")
        for text in ("i > 5", "foo > 0 and i > 5", "i > 5 and foo > 0", "foo < 3"):
            with self.subTest(text):
                self.assertEqual(winnow.filter(series, text).tolist(), [1, 2])
        self.assertEqual(winnow.filter(series, "x > 1").tolist(), [3, 2])

    def test_joined_texts_stay_apart(self):
        """A text cannot change the other operand of a join."""
        rows = {"tenant": np.array([5, 5, 7, 7]), "x": np.array([1, 9, 1, 9])}
        own = winnow.Condition("tenant = 5 /* of ours */")
        for text in ("x > 5) or (x > 0", "x > 0 /*", "x > 0) -- ", "(x > 0", "x > '", 'x > "'):
            typed = winnow.Condition(text)
            for join in (lambda: typed & own, lambda: own & text, lambda: ~typed):
                with self.subTest(text), self.assertRaises(winnow.ConditionError):
                    winnow.filter(rows, join())
        rows["one more"] = rows["x"]
        for text in (
            "x > 5 -- it's (",
            "x > 5 /* ( ' */",
            "(x // 2) > 2 and (x != 3)",
            'x * x/"one more"*2 > 10',
        ):
            both = winnow.Condition(text) & own
            with self.subTest(text):
                self.assertEqual(winnow.filter(rows, both)["x"].tolist(), [9])
        texts = {"s": pa.array([b"it's (", b"a"], pa.binary()).cast(pa.string())}
        both = winnow.Condition("s = 'it''s ('") & "not s = '/* '"
        self.assertEqual(winnow.filter(pa.table(texts), both).num_rows, 1)

    def test_large_floats(self):
        """A float means its exact value, not the value of its shortest text."""
        x = np.array([2**63, 2**63 + 192, 5], np.uint64)
        y = np.array([-(2**63), 2**62 - 2**9], np.int64)
        for wanted, values, condition in (
            ([0], x, col("x") == 2.0**63),
            ([0, 2], x, col("x") <= 2.0**63),
            ([0], x, col("x").isin([2.0**63])),
            ([0], x, col("x").isin(np.array([2.0**63]))),
            ([0], y, col("x") == -(2.0**63)),
            ([0], y, col("x") == np.float64(-(2.0**63))),
            ([1], y, col("x") == float(2**62 - 2**9)),
        ):
            with self.subTest(text=condition.text):
                self.assertEqual(winnow.index_if(values, condition).array().tolist(), wanted)

    def test_halves(self):
        """A float halfway between two floats of the column is rounded once."""
        random = np.random.default_rng(3)
        for dtype, bits in ((np.float32, 25), (np.float16, 12)):
            for power in random.integers(-24, 0, 200):
                odd = 2 ** (bits - 1) + 2 * int(random.integers(2 ** (bits - 2))) + 1
                half = np.ldexp(float(odd), int(power))
                x = np.nextafter(dtype(half), dtype([-np.inf, np.inf]))
                x = np.append(x, dtype(half))
                with self.subTest(dtype=dtype, half=half.hex()):
                    kept = winnow.index_if(x, col("x") == float(half)).array()
                    self.assertEqual(kept.tolist(), [2] if np.isfinite(x[2]) else [])

    def test_halves_of_small_floats(self):
        """The same below all normal floats."""
        for odd in (1, 3, 43, 69, 801, 2**23 - 1, 2**24 - 1):
            half = odd * 2.0**-150
            x = np.array([odd // 2, odd // 2 + 1], np.uint32).view(np.float32)
            even = np.flatnonzero(x == np.float32(half)).tolist()
            for sign in (1, -1):
                with self.subTest(odd=odd, sign=sign):
                    for found in (col("x") == sign * half, col("x").isin([sign * half])):
                        kept = winnow.index_if(sign * x, found).array()
                        self.assertEqual(kept.tolist(), even)

    def test_integers_among_floats(self):
        """An integer of more than 53 bits is rounded once."""
        among = 2**60 + 2**36 + 1
        x = np.array([2.0**60, 2.0**60 + 2.0**37], np.float32)
        for more in ([], [0.5], list(range(17)), [0.5, *range(17)], [2**70, *range(17)]):
            with self.subTest(more=more):
                condition = col("x").isin([among, *more])
                self.assertEqual(winnow.index_if(x, condition).array().tolist(), [1])
        beyond = col("x").isin([10**400, -(10**400), 0.5, *range(17)])
        for dtype in (np.float32, np.float64):
            kept = winnow.index_if(np.array([np.inf, -np.inf, 0.5], dtype), beyond)
            self.assertEqual(kept.array().tolist(), [2])
        # Rounded to the nearest float64.
        for among, x in (
            (2**53 + 1, np.array([2.0**53, 2.0**53 + 2])),
            (2**64 - 1, np.array([2.0**64, 2.0**64 - 2**11])),
        ):
            condition = col("x").isin([among, 0.5, *range(17)])
            self.assertEqual(winnow.index_if(x, condition).array().tolist(), [0])

    def test_long_durations(self):
        for days in (11574, 11575, -36500, 106751):
            seconds = pa.array([days * 86400 + 1, None, 0]).cast(pa.duration("s"))
            for value in (datetime.timedelta(days, 1), np.timedelta64(days * 86400 + 1, "s")):
                for kind in (pa.duration("us"), pa.duration("ns")):
                    with self.subTest(value=value, kind=kind):
                        self.assertEqual(self.kept(seconds.cast(kind), kind, col("x") == value), [0])

    def test_nanoseconds_of_series(self):
        odd = 1_700_000_000_000_001_001, -1_001, 86_399_999_999_999
        for kind in (pa.time64("ns"), pa.duration("ns"), pa.timestamp("ns"), pa.timestamp("ns", "Asia/Tokyo")):
            counts = [86_399_999_999_999, 1001, 1000] if kind == pa.time64("ns") else [*odd, 1000]
            values = pa.array(counts, pa.int64()).cast(kind)
            lists = [pa.array([*counts[:2], None]).cast(kind)]
            try:
                import polars

                lists += [polars.Series(each) for each in list(lists)]
            except ImportError:
                pass
            for given in lists:
                with self.subTest(kind=kind, given=type(given)):
                    self.assertEqual(self.kept(values, kind, col("x").isin(given)), [0, 1])
            with self.subTest(kind=kind):
                self.assertEqual(self.kept(values, kind, col("x") == values[1]), [1])

    @needs("pandas")
    def test_arrays_of_pandas(self):
        import pandas

        frame = pandas.DataFrame(
            {
                "text": ["a", "b", None],
                "category": pandas.Categorical(["x", "y", None]),
                "flag": pandas.array([True, False, None], "boolean"),
                "number": pandas.array([1, 2, None], "Int64"),
                "moment": pandas.to_datetime(["2024-01-01", "2024-01-02", None]).tz_localize("UTC"),
            }
        )
        for name in frame:
            with self.subTest(column=name):
                self.assertEqual(len(winnow.filter(frame, col(name).isin(frame[name].unique()))), 2)
                self.assertEqual(len(winnow.filter(frame, col(name).isin(frame[name].array[:1]))), 1)


if __name__ == "__main__":
    unittest.main()
