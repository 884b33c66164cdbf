# SPDX-License-Identifier: Apache-2.0
"""filter of tables in Arrow's capsules: what is taken, given and released."""

import gc
import unittest

import producer
import winnow
from arrays import needs
from winnow import col


class Capsules(unittest.TestCase):
    """By a producer of our own."""

    def released(self, made, *objects):
        del objects
        gc.collect()
        self.assertEqual(made.released, made.made)
        self.assertGreater(made.made["schema"], 0)

    def numbers(self, batches):
        """The numbers of a stream, read as its consumer does."""
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
        made = producer.Batches([1, 0, 3], [], [4, 5, -6])
        kept = winnow.filter(made, "x > 1")
        self.assertEqual([n for b in self.numbers(kept) for n in b], [3, 4, 5])
        # As often as the table itself.
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
        made = producer.Batch([1, 3, 3, 4])
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
        # A consumer moves the contents out, and releases them.
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


@needs("nanoarrow")
class NanoArrow(unittest.TestCase):
    def test_arrays(self):
        import nanoarrow

        made = producer.Batches([1, 0, 3], [4])
        kept = nanoarrow.ArrayStream(winnow.filter(made, "x > 1"))
        self.assertEqual([row["x"] for row in kept.read_all().to_pylist()], [3, 4])
        kept = nanoarrow.Array(winnow.filter(producer.Batch([1, 2]), "x > 1"))
        self.assertEqual(kept.to_pylist(), [{"x": 2}])
        array = nanoarrow.Array(producer.Batches([5, 2, 7]))
        kept = nanoarrow.Array(winnow.filter(array, "x > 5"))
        self.assertEqual(kept.to_pylist(), [{"x": 7}])
