# SPDX-License-Identifier: Apache-2.0
"""Tests of filter() on tables in Arrow's capsules: input, output and releases."""

import gc
import unittest

import producer
import winnow
from arrays import SEED, needs, np, pa, tables, trials
from winnow import col

TRIALS = trials(60)


class Capsules(unittest.TestCase):
    """Tests with the producer of producer.py."""

    def released(self, made, *objects):
        del objects
        gc.collect()
        self.assertEqual(made.released, made.made)
        self.assertGreater(made.made["schema"], 0)

    def numbers(self, batches):
        """Read the numbers of a stream, like a consumer."""
        capsule = batches.__arrow_c_stream__()
        stream = producer.contents(capsule, b"arrow_array_stream", producer.Stream)
        numbers = []
        while True:
            array = producer.Array()
            error = stream.get_next(stream, array)
            if error:
                text = producer.text_of(stream.get_last_error(stream))
                raise OSError(error, text)
            if not array.release:
                return numbers
            numbers.append(producer.numbers(array))
            array.release(array)

    def test_stream(self):
        made = producer.Batches([1, None, 3], [], [4, 5, -6], [None])
        kept = winnow.filter(made, "x > 1")
        self.assertEqual([n for b in self.numbers(kept) for n in b], [3, 4, 5])
        # It can be read as often as the table itself.
        self.assertEqual([n for b in self.numbers(kept) for n in b], [3, 4, 5])
        self.released(made)

    def test_dropped_unread(self):
        made = producer.Batches([1, 2, 3])
        kept = winnow.filter(made, "x > 1")
        del kept
        self.released(made)
        made = producer.Batches([1, 2, 3])
        capsule = winnow.filter(made, "x > 1").__arrow_c_stream__()
        del capsule
        self.released(made)
        made = producer.Batch([1, 2, 3])
        kept = winnow.filter(made, "x > 1")
        del kept
        self.released(made)
        made = producer.Batch([1, 2, 3])
        capsules = winnow.filter(made, "x > 1").__arrow_c_array__()
        del capsules
        self.released(made)

    def test_schema(self):
        made = producer.Batches([1])
        kept = winnow.filter(made, col("x") == 1)
        capsule = kept.__arrow_c_schema__()
        schema = producer.contents(capsule, b"arrow_schema", producer.Schema)
        self.assertEqual(schema.format, b"+s")
        self.assertEqual(schema.children[0].contents.name, b"x")
        del schema, capsule
        self.assertEqual(self.numbers(kept), [[1]])
        self.released(made)

    def test_batch(self):
        made = producer.Batch([1, None, 3, 4])
        kept = winnow.filter(made, "x <> 3")
        for _ in range(2):
            schema, array = kept.__arrow_c_device_array__()
            batch = producer.contents(
                array, b"arrow_device_array", producer.DeviceArray
            )
            self.assertEqual(producer.numbers(batch.array), [1, 4])
            self.assertEqual((batch.device_type, batch.device_id), (1, -1))
            schema, array = kept.__arrow_c_array__()
            batch = producer.contents(array, b"arrow_array", producer.Array)
            self.assertEqual(producer.numbers(batch), [1, 4])
        # A consumer moves the contents out and releases them.
        moved = producer.Array.from_buffer_copy(batch)
        batch.release = producer.RELEASE_ARRAY()
        del schema, array, batch
        gc.collect()
        self.assertEqual(producer.numbers(moved), [1, 4])
        moved.release(moved)
        self.released(made)

    def test_errors(self):
        for kind in (producer.Batches, producer.Batch):
            made = kind([1, 2])
            for text, error, message in (
                ("x > ", winnow.ConditionError, "column"),
                ("y > 1", winnow.ConditionError, "y"),
                (col("y") > 1, winnow.ConditionError, "y"),
                ("x = 'a'", winnow.Error, "line 1"),
                (3, TypeError, "condition"),
                (winnow.prepare("x > 1", "int32"), TypeError, "condition"),
            ):
                with self.assertRaisesRegex(error, message):
                    winnow.filter(made, text)
            with self.assertRaisesRegex(TypeError, "capacity="):
                winnow.filter(made, "x > 1", capacity=3)
            self.released(made)

    def test_failing_streams(self):
        made = producer.Batches([1, 2], fails_at="schema")
        with self.assertRaisesRegex(winnow.Error, "disk is on fire"):
            winnow.filter(made, "x > 1")
        gc.collect()
        self.assertEqual(made.released, {"schema": 0, "array": 0, "stream": 1})
        made = producer.Batches([1, 2], [3], fails_at=1)
        kept = winnow.filter(made, "x > 1")
        with self.assertRaisesRegex(OSError, "disk is on fire"):
            self.numbers(kept)
        self.released(made)

    def test_wrong_arrays(self):
        for wrong, message in (
            ({"length": -1}, "x"),
            ({"length": 1}, "x"),
            ({"offset": -1}, "x"),
            ({"offset": 2**62}, "x"),
            ({"n_buffers": 1}, "x"),
            ({"n_buffers": 3}, "x"),
            ({"n_children": 1}, "x"),
            ({"null_count": -2}, "x"),
            ({"null_count": 9}, "x"),
        ):
            with self.subTest(wrong=wrong):
                made = producer.Batch([1, 2, 3], **wrong)
                with self.assertRaisesRegex(winnow.ArgumentError, message):
                    winnow.filter(made, "x > 1")
                made = producer.Batches([1, 2, 3], **wrong)
                with self.assertRaisesRegex(OSError, message):
                    self.numbers(winnow.filter(made, "x > 1"))

    def test_other_devices(self):
        made = producer.Batch([1], device=(10, 0))
        with self.assertRaisesRegex(ValueError, "type 10"):
            winnow.filter(made, "x > 1")
        self.released(made)

    def test_taken_before(self):
        made = producer.Batches([1, 2])
        capsule = made.__arrow_c_stream__()

        class Again:
            def __arrow_c_stream__(self, requested_schema=None):
                return capsule

        kept = winnow.filter(Again(), "x > 1")
        self.assertEqual(self.numbers(kept), [[2]])
        with self.assertRaises(winnow.ArgumentError):
            self.numbers(kept)
        del kept, capsule
        self.released(made)

    def test_no_capsules(self):
        class Wrong:
            def __arrow_c_stream__(self, requested_schema=None):
                return 3

            def __arrow_c_array__(self, requested_schema=None):
                return 3, 4

        with self.assertRaisesRegex(ValueError, "PyCapsule"):
            winnow.filter(Wrong(), "x > 1")


@needs("pyarrow")
class PyArrow(unittest.TestCase):
    def test_kinds(self):
        rows = pa.table({"x": [1, None, 3], "s": ["a", None, ""]})
        rows = rows.replace_schema_metadata({"a": "b"})
        kept = winnow.filter(rows, "x > 1")
        self.assertIs(type(kept), pa.Table)
        self.assertEqual(kept, rows.slice(2))
        self.assertEqual(kept.schema.metadata, rows.schema.metadata)
        batch = rows.to_batches()[0]
        kept = winnow.filter(batch, col("x") == 1)
        self.assertIs(type(kept), pa.RecordBatch)
        self.assertEqual(kept, batch.slice(0, 1))
        self.assertEqual(kept.schema.metadata, rows.schema.metadata)
        kept = winnow.filter(rows.to_reader(), "x > 1")
        self.assertIs(type(kept), pa.RecordBatchReader)
        self.assertEqual(kept.read_all(), rows.slice(2))
        kept = winnow.filter(rows["x"], "x < 9")
        self.assertIs(type(kept), pa.ChunkedArray)
        self.assertEqual(kept.to_pylist(), [1, 3])
        kept = winnow.filter(rows["s"].chunk(0), "y = 'a'")
        self.assertIs(type(kept), pa.StringArray)
        self.assertEqual(kept.to_pylist(), ["a"])

    def test_lazily(self):
        read = []

        def batches():
            for i in range(3):
                read.append(i)
                yield pa.record_batch({"x": [i, i + 10]})

        schema = pa.schema({"x": pa.int64()})
        reader = pa.RecordBatchReader.from_batches(schema, batches())
        kept = winnow.filter(reader, "x >= 10")
        self.assertEqual(read, [])
        self.assertEqual(kept.read_next_batch().to_pydict(), {"x": [10]})
        self.assertEqual(read, [0])
        self.assertEqual(kept.read_all().to_pydict(), {"x": [11, 12]})

    def test_errors_of_a_reader(self):
        def batches():
            yield pa.record_batch({"x": [1]})
            raise RuntimeError("no more tape")

        schema = pa.schema({"x": pa.int64()})
        reader = pa.RecordBatchReader.from_batches(schema, batches())
        kept = winnow.filter(reader, "x > 0")
        self.assertEqual(kept.read_next_batch().num_rows, 1)
        with self.assertRaisesRegex(Exception, "no more tape"):
            kept.read_next_batch()

    def test_many_small_batches(self):
        chunks = [pa.array([i, None, -i]) for i in range(2000)]
        rows = pa.table({"x": pa.chunked_array(chunks)})
        kept = winnow.filter(rows, "x > 1000")
        self.assertEqual(kept["x"].to_pylist(), list(range(1001, 2000)))

    def test_names(self):
        batch = pa.record_batch(
            [pa.array([1, 2])] * 4, names=["a", "a", "", "größe b"]
        )
        kept = winnow.filter(batch, col("größe b") > 1)
        self.assertEqual(kept, batch.slice(1))
        with self.assertRaisesRegex(winnow.Error, "'a' is there more than once"):
            winnow.filter(batch, "a > 1")

    def test_isin_of_views(self):
        """Values of a type that pyarrow cannot filter."""
        if not hasattr(pa, "string_view"):
            self.skipTest("pyarrow has no views")
        rows = pa.table({"s": ["a", "b", None, "c"]})
        wanted = pa.array(["c", None, "a"], pa.string_view())
        kept = winnow.filter(rows, col("s").isin(wanted))
        self.assertEqual(kept["s"].to_pylist(), ["a", "c"])

    def test_no_rows_and_no_columns(self):
        rows = pa.table({"x": pa.array([], pa.int8()), "s": pa.array([], pa.string())})
        for made in (rows, rows.to_batches(), pa.RecordBatch.from_pylist([], rows.schema)):
            if isinstance(made, list):
                made = pa.Table.from_batches(made, rows.schema)
            self.assertEqual(winnow.filter(made, "x > 1").num_rows, 0)
            self.assertEqual(winnow.filter(made, "x > 1").schema, rows.schema)

    def test_refused_by_name(self):
        runs = pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])
        batch = pa.record_batch({"x": [1, 2, 3], "wrong": runs})
        with self.assertRaisesRegex(winnow.UnsupportedError, "wrong"):
            winnow.filter(batch, "x > 1")
        with self.assertRaisesRegex(winnow.UnsupportedError, "wrong"):
            winnow.filter(pa.Table.from_batches([batch]), "x > 1")

    def test_unions(self):
        """Sparse and dense unions can be packed, and a condition cannot test them."""
        kind = pa.int8()
        numbers, words = pa.array([1, None, 3, 4]), pa.array(["a", "b", None, "d"])
        sparse = pa.UnionArray.from_sparse(pa.array([0, 0, 1, 1], kind), [numbers, words])
        dense = pa.UnionArray.from_dense(
            pa.array([1, 0, 1, 0], kind),
            pa.array([2, 0, 0, 3], pa.int32()),
            [numbers, words],
            ["n", "w"],
            [0, 1],
        )
        rows = pa.record_batch(
            {
                "x": [1, 2, 3, 4],
                "sparse": sparse,
                "dense": dense,
                "record": pa.StructArray.from_arrays([sparse, dense], ["s", "d"]),
                "lists": pa.ListArray.from_arrays(pa.array([0, 1, 1, 3, 4], pa.int32()), dense),
            }
        )
        for start, end in ((0, 4), (1, 3), (2, 4)):
            batch = rows.slice(start, end - start)
            for text, keeps in (
                ("x <> 3", lambda x: x != 3),
                ("x > 2", lambda x: x > 2),
                ("x < 0", lambda x: x < 0),
            ):
                with self.subTest(start=start, text=text):
                    kept = winnow.filter(batch, text)
                    kept.validate(full=True)
                    self.assertEqual(kept.schema, batch.schema)
                    wanted = [row for row in batch.to_pylist() if keeps(row["x"])]
                    self.assertEqual(kept.to_pylist(), wanted)
        for text in ("sparse = 1", "dense is null"):
            with self.assertRaisesRegex(winnow.UnsupportedError, "is a union, which"):
                winnow.filter(rows, text)

    def test_each_type_is_packed(self):
        for number, kind in enumerate(tables.TYPES):
            with self.subTest(kind=kind):
                random = np.random.default_rng(number)
                for n in (0, 1, 64, 333):
                    rows = tables.table(random, n, [kind], null_entries=True)
                    k = pa.array(random.integers(0, 4, n, np.int8))
                    rows = rows.append_column("k", k)
                    for text, test in (
                        ("k > 1", lambda v: v > 1),
                        ("k < 9", lambda v: True),
                        ("k < 0", lambda v: False),
                    ):
                        mask = tables.decided(rows["k"], test)
                        kept = winnow.filter(rows, text)
                        tables.assert_kept(self, kept, rows, mask, (n, text))

    def test_each_type_is_tested(self):
        for number, kind in enumerate(tables.TESTED):
            with self.subTest(kind=kind):
                random = np.random.default_rng(number)
                for _ in range(12):
                    n = int(tables.pick(random, [1, 65, 200]))
                    rows = tables.table(random, n, [kind])
                    text, test = tables.leaf(random, "c0", kind)
                    mask = tables.decided(rows["c0"], test)
                    kept = winnow.filter(rows, text)
                    tables.assert_kept(self, kept, rows, mask, text)
                    kept = winnow.filter(rows, f"not ({text})")
                    mask = pa.compute.invert(mask)
                    tables.assert_kept(self, kept, rows, mask, f"not ({text})")

    def test_conditions_on_numbers_and_text(self):
        for seed in range(SEED, SEED + TRIALS):
            random = np.random.default_rng(seed)
            n = int(tables.pick(random, [1, 64, 65, 300]))
            types = [tables.pick(random, tables.PLAIN) for _ in range(4)]
            rows = tables.table(random, n, types, bool(seed % 4))
            for _ in range(4):
                depth = int(random.integers(5))
                text, mask = tables.condition(random, rows, depth, with_is=False)
                with self.subTest(seed=seed, text=text):
                    kept = winnow.filter(rows, text)
                    tables.assert_kept(self, kept, rows, mask, text)

    def test_random_conditions(self):
        for seed in range(SEED, SEED + TRIALS):
            random = np.random.default_rng(seed)
            n = int(tables.pick(random, [0, 1, 31, 64, 65, 300]))
            count = random.integers(8)
            types = [tables.pick(random, tables.TYPES) for _ in range(count)]
            types.append(tables.pick(random, tables.TESTED))
            rows = tables.table(random, n, types)
            for _ in range(4):
                text, mask = tables.condition(random, rows, int(random.integers(5)))
                with self.subTest(seed=seed, text=text):
                    kept = winnow.filter(rows, text)
                    tables.assert_kept(self, kept, rows, mask, text)

    def test_a_large_batch(self):
        """All threads work, and the interpreter's lock is released."""
        n = 300_000
        random = np.random.default_rng(3)
        x = random.integers(0, 100, n, np.int32)
        rows = pa.table(
            {
                "x": pa.array(x, mask=x % 7 == 0),
                "s": pa.array([f"row {i}" * (i % 3) for i in range(n)]),
                "b": pa.array(x % 2 == 0, mask=x % 5 == 0),
            }
        ).slice(3)
        for text, mask in (
            ("x < 30", pa.compute.less(rows["x"], 30)),
            ("b or x > 90", pa.compute.or_kleene(rows["b"], pa.compute.greater(rows["x"], 90))),
        ):
            kept = winnow.filter(rows, text)
            kept.validate(full=True)
            self.assertEqual(kept, rows.filter(mask), text)


@needs("pyarrow")
@needs("polars")
class Polars(unittest.TestCase):
    def test_frames(self):
        import polars as pl

        frame = pl.DataFrame(
            {
                "i": [1, None, 3, 4],
                "s": ["a", None, "more than twelve bytes", ""],
                "b": [True, False, None, True],
                "f": [0.5, float("nan"), None, -1.0],
                "l": [[1], [], None, [2, 3]],
            }
        ).with_columns(
            c=pl.col("s").cast(pl.Categorical),
            e=pl.Series(["x", "y", None, "x"], dtype=pl.Enum(["x", "y"])),
            d=pl.date(2024, 1, pl.col("i")),
            t=pl.datetime(2024, 1, pl.col("i")),
            m=pl.col("i").cast(pl.Decimal(10, 2)),
            r=pl.struct("i", "s"),
        )
        for text, wanted in (
            ("i > 1", pl.col("i") > 1),
            ("not i = 3", pl.col("i") != 3),
            ("b", pl.col("b")),
            ("s <> 'a' or b", (pl.col("s") != "a") | pl.col("b")),
            ("c = 'a' or e = 'x'", (pl.col("c") == "a") | (pl.col("e") == "x")),
            ("d >= date '2024-01-03'", pl.col("d") >= pl.date(2024, 1, 3)),
            ("m between 1.5 and 3.25", pl.col("m").is_between(1.5, 3.25)),
            ("s is null", pl.col("s").is_null()),
        ):
            with self.subTest(text=text):
                kept = winnow.filter(frame, text)
                self.assertIs(type(kept), pl.DataFrame)
                self.assertEqual(kept.schema, frame.schema)
                self.assertTrue(kept.equals(frame.filter(wanted)))
        kept = winnow.filter(frame["i"], "i < 4")
        self.assertIs(type(kept), pl.Series)
        self.assertEqual(kept.name, "i")
        self.assertEqual(kept.to_list(), [1, 3])
        with self.assertRaisesRegex(TypeError, "collect"):
            winnow.filter(frame.lazy(), "i > 1")

    def test_categories_without_values(self):
        """The pointer to an empty buffer of values need not be aligned."""
        import polars as pl

        for kind in (pl.Categorical, pl.Enum([]), pl.Enum(["a"])):
            frame = pl.DataFrame({"c": pl.Series([None, None], dtype=kind)})
            for text, rows in (("c = 'a'", 0), ("c is null", 2), ("c in ('a', 'b')", 0)):
                kept = winnow.filter(frame, text)
                self.assertEqual((kept.height, kept.schema), (rows, frame.schema), text)

    def test_nulls_alone(self):
        import polars as pl

        null = pl.Null
        frame = pl.DataFrame(
            {
                "i": [1, 2, 3],
                "z": [None, None, None],
                "empty": [[], [], []],
                "lists": [[None], None, [None, None]],
                "pairs": [[None, None], None, [None, None]],
                "record": [{"a": None, "b": 1}, None, {"a": None, "b": 3}],
                "deep": [[{"a": None}], [], None],
            },
            schema_overrides={"z": null, "empty": pl.List(null), "pairs": pl.Array(null, 2)},
        )
        for text, wanted in (
            ("i = 1", [0]),
            ("i <> 2", [0, 2]),
            ("z = 1", []),
            ("not (z = 'a')", []),
            ("z is null and i > 1", [1, 2]),
            ("(z like 'a%') is null and i = 1", [0]),
            ("z in (1, 2) or i = 3", [2]),
        ):
            with self.subTest(text=text):
                kept = winnow.filter(frame, text)
                self.assertEqual(kept.schema, frame.schema)
                self.assertTrue(kept.equals(frame[wanted]))
        kept = winnow.filter(frame["z"], "z is null")
        self.assertTrue(kept.equals(frame["z"]))

    def test_objects(self):
        import polars as pl

        values = [object(), {1}, object()]
        frame = pl.DataFrame({"i": [1, 2, 3], "o": values}, schema_overrides={"o": pl.Object})
        kept = winnow.filter(frame, "i <> 2")
        self.assertEqual(kept.schema, frame.schema)
        self.assertEqual(kept["o"].to_list(), [values[0], values[2]])
        self.assertEqual(kept["i"].to_list(), [1, 3])
        frame = frame.with_columns(pl.Series("o", [values[0], None, 7], pl.Object), pl.lit(0).alias(""))
        kept = winnow.filter(frame, "o is not null and i > 1")
        self.assertEqual(kept["o"].to_list(), [7])
        for rows in (frame, frame["o"]):
            with self.assertRaisesRegex(TypeError, "^column 'o' is of Object, "):
                winnow.filter(rows, "o = 7")

    def test_types_that_are_only_moved(self):
        import polars as pl

        ends = {"u": [0, 2**128 - 1, None], "s": [-(2**127), 2**127 - 1, None]}
        frame = pl.DataFrame(
            {"i": [1, 2, 3], **ends, "l": [[v] for v in ends["s"]]},
            {"i": pl.Int8, "u": pl.UInt128, "s": pl.Int128, "l": pl.List(pl.Int128)},
        )
        for text, wanted in (("i <> 2", [0, 2]), ("i = 2", [1]), ("s is null", [2])):
            with self.subTest(text=text):
                self.assertTrue(winnow.filter(frame, text).equals(frame[wanted]))
        with self.assertRaisesRegex(winnow.UnsupportedError, "'u'.*only 'is null' can"):
            winnow.filter(frame, "u = 1")

    def test_random_tables(self):
        import polars as pl

        for seed in range(SEED, SEED + TRIALS // 4):
            random = np.random.default_rng(seed)
            types = [pa.int32(), pa.string_view(), pa.bool_(), pa.float64(), pa.date32()]
            rows = tables.table(random, 200, types)
            frame = pl.DataFrame(rows)
            text, mask = tables.condition(random, rows, 3)
            with self.subTest(seed=seed, text=text):
                kept = winnow.filter(frame, text)
                self.assertTrue(kept.equals(frame.filter(pl.Series(mask))))


@needs("duckdb")
class DuckDB(unittest.TestCase):
    def test_relations(self):
        import duckdb

        connection = duckdb.connect()
        other = duckdb.connect()  # the first connection runs the query that is filtered
        relation = connection.sql(
            "select i::integer as i, case when i % 3 = 0 then null else 'n' || i end "
            "as s, i % 2 = 0 as b, (i / 4)::decimal(9, 2) as d, "
            "date '2024-01-01' + i::integer as day from range(5000) t(i)"
        )
        for text in (
            "i > 100 and s is not null",
            "s like '%7' and not b",
            "d > 100.5 or s = 'n4'",
            "day < date '2024-02-01'",
        ):
            with self.subTest(text=text):
                kept = winnow.filter(relation, text)  # noqa: F841, the query names it
                found = other.sql("select * from kept").fetchall()
                self.assertEqual(found, relation.filter(text).fetchall())


@needs("nanoarrow")
class NanoArrow(unittest.TestCase):
    def test_arrays(self):
        import nanoarrow

        made = producer.Batches([1, None, 3], [4])
        kept = nanoarrow.ArrayStream(winnow.filter(made, "x > 1"))
        self.assertEqual([row["x"] for row in kept.read_all().to_pylist()], [3, 4])
        kept = nanoarrow.Array(winnow.filter(producer.Batch([1, 2]), "x > 1"))
        self.assertEqual(kept.to_pylist(), [{"x": 2}])
        array = nanoarrow.Array(producer.Batches([5, None, 7]))
        kept = nanoarrow.Array(winnow.filter(array, "x > 5"))
        self.assertEqual(kept.to_pylist(), [{"x": 7}])


@needs("pandas")
class Pandas(unittest.TestCase):
    def test_frames(self):
        import pandas as pd

        frame = pd.DataFrame(
            {
                "i": [1, 2, 3],
                "n": pd.array([1, None, 3], "Int64"),
                "f": [0.5, np.nan, -1.0],
                "s": ["a", None, ""],
                "c": pd.Categorical(["x", "y", "x"]),
                "t": pd.to_datetime(["2024-01-01", None, "2024-01-03"]),
            },
            index=[10, 20, 30],
        )
        if pa is None:
            with self.assertRaisesRegex(ImportError, "pyarrow"):
                winnow.filter(frame, "i > 1")
            return
        for text, wanted in (
            ("i > 1", [1, 2]),
            ("n > 1", [2]),
            ("f < 9", [0, 2]),
            ("not f < 0", [0]),
            ("s = ''", [2]),
            ("c = 'x' and t > timestamp '2024-01-01 00:00'", [2]),
            ("i > f", [0, 2]),
            ("f + i > 1 and n <= i", [0, 2]),
            ("c = s", []),
        ):
            with self.subTest(text=text):
                kept = winnow.filter(frame, text)
                pd.testing.assert_frame_equal(kept, frame.iloc[wanted])
        kept = winnow.filter(frame["n"], "n >= 1")
        pd.testing.assert_series_equal(kept, frame["n"].iloc[[0, 2]])
        named = pd.Series([1, 2], index=["a", "b"], name=len)  # rename() would call it
        pd.testing.assert_series_equal(winnow.filter(named, "x > 1"), named.iloc[[1]])
        kept = winnow.filter(frame.reset_index(drop=True), "i <> 2")
        self.assertEqual(list(kept.index), [0, 2])

    @needs("pyarrow")
    def test_names_that_are_there_twice(self):
        import pandas as pd

        levels = pd.MultiIndex.from_arrays([[1, 2], [3, 4]], names=["a", "a"])
        for frame in (
            pd.DataFrame({"b": [1, 2]}, index=levels),
            pd.DataFrame([[1, 2, 1], [3, 4, 2]], columns=["a", "a", "b"]),
        ):
            kept = winnow.filter(frame, "b > 1")
            pd.testing.assert_frame_equal(kept, frame.iloc[[1]])
            with self.assertRaisesRegex(winnow.Error, "column 'a' is there more than once$"):
                winnow.filter(frame, "a > 1")

    @needs("pyarrow")
    def test_columns_that_arrow_does_not_have(self):
        """A condition on such a column is an error that names it. Others pack it."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "i": [1, 2, 3],
                "mixed": pd.Series(["a", 1, None], dtype=object),
                "complex": np.array([1j, 2, 3]),
                "sparse": pd.arrays.SparseArray([0, 0, 1]),
                "long": pd.Series([2**70, 1, 2], dtype=object),
            }
        )
        for name in frame.columns[1:]:
            for text in (f"{name} = 1", f"{name} is null"):
                with self.subTest(text=text):
                    with self.assertRaisesRegex(TypeError, f"column '{name}' is of "):
                        winnow.filter(frame, text)
        self.assertEqual(winnow.filter(frame, "i > 1")["complex"].tolist(), [2, 3])

    @needs("pyarrow")
    def test_columns_of_any_kind(self):
        """Columns of lists, structs and Python objects come back unchanged."""
        import pandas as pd

        kinds = {
            pa.list_(pa.int32()): [[1], None, [2, 3]],
            pa.list_(pa.int32(), 1): [[1], None, [3]],
            pa.large_list(pa.string()): [["a"], [], None],
            pa.struct([("a", pa.int32())]): [{"a": 1}, None, {"a": None}],
            pa.map_(pa.string(), pa.int8()): [[("a", 1)], None, []],
        }
        columns = {
            str(kind): pd.Series(pa.array(values, kind), dtype=pd.ArrowDtype(kind))
            for kind, values in kinds.items()
        }
        objects = {
            "lists": [[1], [], [2]],
            "tuples": [(1, 2), (), (3,)],
            "mixed": [1, "a", None],
            "sets": [{1}, set(), {2}],
            "arrays": [np.array([1]), np.array([2, 3]), None],
            "any": [object(), object(), object()],
            "words": ["a", None, "b"],
        }
        columns |= {name: pd.Series(values, dtype=object) for name, values in objects.items()}
        columns |= {"i": [1, 2, 3], "sparse": pd.arrays.SparseArray([0, 0, 1])}
        for index in (None, pd.Index([5, 6, 7], name="key"), pd.MultiIndex.from_arrays([[1, 1, 2], list("abc")])):
            frame = pd.DataFrame(columns)
            frame = frame if index is None else frame.set_index(index)
            kept = winnow.filter(frame, "i <> 2")
            pd.testing.assert_frame_equal(kept, frame.iloc[[0, 2]])
            for name in objects:
                self.assertTrue(all(a is b for a, b in zip(kept[name], frame[name].iloc[[0, 2]])))
            self.assertEqual(len(winnow.filter(frame, "words = 'b' or i = 1")), 2)
        with_key = pd.DataFrame(columns, index=pd.Index([5, 6, 7], name="key"))
        self.assertEqual(list(winnow.filter(with_key, "key > 5").index), [6, 7])
        kept = winnow.filter(frame["words"], "words is not null")
        self.assertEqual(kept.tolist(), ["a", "b"])
