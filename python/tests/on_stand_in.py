# SPDX-License-Identifier: Apache-2.0
"""Tests of arrays on a GPU, with a stand-in for the GPU. test_devices.py runs them in a
process that loads the stand-in before the library."""

import ctypes
import sys
import unittest
import unittest.mock

import numpy as np
import producer
import stand_in
import stand_in_cupy
import stand_in_numba
import winnow
from stand_in import Array, ByDLPack, ByInterface
from stand_in_layouts import Elsewhere, Functions  # noqa: F401, which main() runs


class Devices(unittest.TestCase):
    def setUp(self):
        self.memory = np.random.default_rng(2).integers(-9, 9, 5000).astype("i4")
        self.x = Array(self.memory)
        stand_in.calls()
        stand_in.waits.clear()
        stand_in.handshakes.clear()

    def ran(self, *names, device=0, stream=0x100):
        """Check that these calls were made on a device and stream without waiting."""
        self.assertEqual(stand_in.waits, [])
        came = stand_in.calls()
        self.assertEqual([call[0] for call in came], list(names))
        for call in came:
            self.assertEqual(call[1:3], (device, stream))
        return came

    def test_filters(self):
        x, mask = self.x, self.memory > 2
        kept = winnow.copy_if(x, "x > 2")
        self.assertIs(type(kept.buffer), Array)
        self.assertIs(type(kept.count), Array)
        self.assertEqual(kept.count.shape, ())
        self.assertIn("on the device", repr(kept))
        self.assertEqual(self.ran("copy_if")[0][3], 1)
        self.assertEqual(kept.array().memory.tolist(), self.memory[mask].tolist())
        self.assertEqual(len(stand_in.waits), 1)
        stand_in.waits.clear()
        winnow.copy_if(x, "x > 2", order="any")
        self.assertEqual(self.ran("copy_if")[0][3], 0)
        indices = winnow.index_if(x, "x > 2", fill=-1)
        count = winnow.count_if(x, "x > 2")
        # The library fills the buffer behind the survivors.
        self.ran("copy_index_if", "fill", "count_if")
        self.assertEqual(count.memory, mask.sum())
        places = np.flatnonzero(mask)
        self.assertEqual(indices.buffer.memory[: len(places)].tolist(), places.tolist())
        self.assertTrue((indices.buffer.memory[len(places) :] == -1).all())
        several = winnow.index_if(x, "x > 2 && x < 5")
        self.ran("select_where", "compact_index")
        self.assertEqual(
            np.asarray(several).tolist(),
            np.flatnonzero(mask & (self.memory < 5)).tolist(),
        )

    def test_batches_of_arrow(self):
        made = producer.Batch([1, 2, 3], device=(2, 1))
        kept = winnow.filter(made, "x > 1")
        self.assertEqual(stand_in.calls()[0][:2], ("filter_arrow", 1))
        schema, array = kept.__arrow_c_device_array__()
        batch = producer.contents(array, b"arrow_device_array", producer.DeviceArray)
        self.assertEqual((batch.device_type, batch.device_id), (2, 1))
        self.assertEqual(producer.numbers(batch.array), [2, 3])
        # The input is released together with the output, and not before.
        self.assertEqual(made.released["array"], 0)
        del schema, array, batch
        self.assertEqual(made.released, made.made)
        with self.assertRaisesRegex(ValueError, "on a GPU"):
            kept.__arrow_c_array__()
        self.assertEqual(made.released, made.made)

    def test_prepare(self):
        """prepare() makes the tables of a set on the named device, once."""
        wanted = winnow.col("x").isin(np.arange(0, 9, 2))
        prepared = winnow.prepare(wanted, "int32", device=1)
        self.ran("condition_prepare", device=1, stream=0)
        winnow.prepare(wanted, {"y": "int32", "x": "int32"}, device=0)
        self.ran("condition_prepare", stream=0)
        winnow.prepare(wanted, "int32")
        self.ran()
        kept = winnow.copy_if(self.x, prepared)
        self.ran("copy_where")
        mask = np.isin(self.memory, np.arange(0, 9, 2))
        self.assertEqual(np.asarray(kept).tolist(), self.memory[mask].tolist())
        with self.assertRaisesRegex(ValueError, "no GPU 99"):
            winnow.prepare(wanted, "int32", device=99)
        with self.assertRaises(winnow.NoDeviceError):
            winnow.prepare(wanted, "int32", device=2)

    def test_chain(self):
        few = winnow.copy_if(self.x, "x > 2")
        fewer = winnow.copy_if(few.buffer, "x < 5", n=few)
        again = winnow.filter({"x": few.buffer}, "x < 5", n=few.count)
        came = self.ran("copy_if", "copy_if", "copy_where")
        self.assertEqual([call[4] for call in came], [0, 1, 1])
        wanted = self.memory[(self.memory > 2) & (self.memory < 5)].tolist()
        self.assertEqual(np.asarray(fewer).tolist(), wanted)
        self.assertEqual(again["x"].memory.tolist(), wanted)

    def test_current_stream(self):
        stand_in.streams[0] = 0x300
        try:
            winnow.copy_if(self.x, "x > 2")
            self.ran("copy_if", stream=0x300)
        finally:
            stand_in.streams[0] = 0x100
        winnow.copy_if(Array(self.memory, 1), "x > 2")
        self.ran("copy_if", device=1, stream=0x200)

    def test_selections(self):
        mask = self.memory > 2
        selection = winnow.select(self.x, "x > 2")
        other = ~winnow.select(mask=Array(self.memory < 5))
        both = selection & other
        packed = both.compact(self.x)
        back = both.expand(packed, fill=7)
        flags, count = both.mask(), both.count
        places = both.indices()
        self.ran(
            "select_where",
            "select_flagged",
            "selection_not",
            "selection_combine",
            "compact_columns",
            "expand",
            "selection_to_mask",
            "selection_count",
            "compact_index",
        )
        mask &= self.memory >= 5
        self.assertEqual(np.asarray(packed).tolist(), self.memory[mask].tolist())
        self.assertEqual(
            back.memory.tolist(), np.where(mask, self.memory, 7).tolist()
        )
        self.assertEqual(flags.memory.tolist(), mask.tolist())
        self.assertEqual(count.memory, mask.sum())
        self.assertEqual(np.asarray(places).tolist(), np.flatnonzero(mask).tolist())

    def test_fill_holes(self):
        """The number of arriving items is on the device, and no call waits for it."""
        stay = winnow.select(self.x, "x > 2")
        came = winnow.copy_if(Array(np.arange(9, dtype="i4")), "x > 6")
        x = Array(self.memory.copy())
        left = stay.fill_holes(x, came)
        self.ran("select_where", "copy_if", "fill_holes")
        self.assertIs(left.buffer, x)
        gone = np.flatnonzero(self.memory <= 2)[:2]
        self.assertEqual(x.memory[gone].tolist(), [7, 8])
        self.assertEqual(left.count.memory, (self.memory > 2).sum() + 2)

    def test_tables_and_keys(self):
        y = Array(self.memory * 0.5)
        rows = winnow.filter({"x": self.x, "y": y}, "x > 2 && y < 3")
        flagged = winnow.copy_flagged(self.x, Array(self.memory > 2))
        runs = winnow.unique(Array(np.sort(self.memory)))
        keys = Array(self.memory.astype("u4") & 7)
        parts = winnow.partition_by_key(keys, self.x, bits=3)
        blocks = winnow.partition_by_key(keys, self.x, bits=3, align=4)
        sums = Array(np.zeros(8))
        winnow.accumulate_by_key(keys, y, sums=sums)
        total = winnow.reduce_if(self.x, "x > 2")
        several = winnow.reduce_if(self.x, "x > 2 && x < 5")
        self.ran(
            "copy_where",
            "copy_flagged",
            "unique",
            "partition_by_key",
            "partition_blocks",
            "accumulate_by_key",
            "reduce_if",
            "copy_where",
            "reduce_if",
        )
        mask = (self.memory > 2) & (self.memory * 0.5 < 3)
        self.assertEqual(rows["x"].memory.tolist(), self.memory[mask].tolist())
        self.assertEqual(len(flagged), (self.memory > 2).sum())
        self.assertEqual(np.asarray(runs).tolist(), np.unique(self.memory).tolist())
        self.assertEqual(parts.offsets.memory[-1], 5000)
        self.assertEqual(blocks.counts.memory.sum(), 5000)
        wanted = np.bincount(self.memory.astype("u4") & 7, self.memory * 0.5, 8)
        self.assertEqual(sums.memory.tolist(), wanted.tolist())
        self.assertEqual(total.sum, self.memory[self.memory > 2].sum())
        self.assertEqual(several.count, ((self.memory > 2) & (self.memory < 5)).sum())

    def test_dlpack(self):
        x, out = ByDLPack(self.memory), ByDLPack(np.zeros_like(self.memory))
        count = ByDLPack(np.zeros((), "i8"))
        winnow.copy_if(x, "x > 2", out=out, count=count)
        self.ran("copy_if", stream=0)
        # DLPack's number of the default stream is 1.
        self.assertEqual(stand_in.handshakes, [1, 1, 1])
        self.assertEqual(count.memory, (self.memory > 2).sum())
        stand_in.handshakes.clear()
        # If an array has a stream, the other arrays are made ready on that stream.
        winnow.copy_if(self.x, "x > 2", out=out, count=count)
        self.ran("copy_if", stream=0x100)
        self.assertEqual(stand_in.handshakes, [0x100, 0x100])
        # Later work of their library waits for the call.
        self.assertEqual(stand_in.orders(), (2, (0x100, 0)))
        out.read_only = 1
        with self.assertRaisesRegex(ValueError, "read-only"):
            winnow.copy_if(x, "x > 2", out=out, count=count)

    def test_interface(self):
        x, out = ByInterface(self.memory), ByInterface(np.zeros_like(self.memory))
        count = ByInterface(np.zeros((), "i8"))
        winnow.copy_if(x, "x > 2", out=out, count=count)
        self.ran("copy_if", stream=0)
        for array in (x, out, count):
            array.stream = 0x77
        winnow.copy_if(x, "x > 2", out=out, count=count)
        self.ran("copy_if", stream=0x77)
        self.assertEqual(out.memory[0], self.memory[self.memory > 2][0])
        count.stream = 0x78
        with self.assertRaisesRegex(ValueError, "0x78.*0x77"):
            winnow.copy_if(x, "x > 2", out=out, count=count)
        with self.assertRaisesRegex(TypeError, "pass out= and count="):
            winnow.copy_if(x, "x > 2")
        gaps = ByInterface(self.memory[::2])
        for name in ("x", "out"):
            with self.assertRaisesRegex(ValueError, f"{name} has gaps"):
                arrays = {"x": x, "out": out, name: gaps}
                winnow.copy_if(arrays["x"], "x > 2", out=arrays["out"], count=count)

    def test_buffer(self):
        """An array on a GPU that also has a buffer, as CuPy arrays may."""

        class Both(ctypes.c_int32 * 5):
            def __dlpack_device__(self):
                return 2, 0

            @property
            def __cuda_array_interface__(self):
                return {
                    "data": (ctypes.addressof(self), False),
                    "shape": (5,),
                    "typestr": "<i4",
                    "version": 3,
                    "stream": 0x77,
                }

        x, out = Both(3, 1, 4, 1, 5), Both()
        count = ByInterface(np.zeros((), "i8"))
        count.stream = 0x77
        winnow.copy_if(x, "x > 2", out=out, count=count)
        self.ran("copy_if", stream=0x77)
        self.assertEqual(list(out), [3, 4, 5, 0, 0])

    def test_named_stream(self):
        class Stream:
            def __cuda_stream__(self):
                return 0, 0x55

        out, count = Array(self.memory.copy()), Array(np.zeros((), "i8"))
        for stream in (0x55, Stream()):
            x = ByInterface(self.memory)
            y = ByInterface(np.zeros_like(self.memory))
            c = ByInterface(np.zeros((), "i8"))
            for array in (x, y, c):
                array.stream = 0x55
            winnow.copy_if(x, "x > 2", out=y, count=c, stream=stream)
            self.ran("copy_if", stream=0x55)
        x = ByDLPack(self.memory)
        y, c = ByDLPack(np.zeros_like(self.memory)), ByDLPack(np.zeros((), "i8"))
        winnow.copy_if(x, "x > 2", out=y, count=c, stream=Stream())
        self.ran("copy_if", stream=0x55)
        self.assertEqual(stand_in.handshakes, [0x55] * 3)
        with self.assertRaisesRegex(ValueError, "0x100.*0x55"):
            winnow.copy_if(self.x, "x > 2", out=out, count=count, stream=0x55)
        with self.assertRaisesRegex(ValueError, "out= and count="):
            winnow.copy_if(self.x, "x > 2", stream=0x55)

    def test_devices_do_not_mix(self):
        with self.assertRaisesRegex(ValueError, "out is on the CPU, and x is on GPU 0"):
            winnow.copy_if(self.x, "x > 2", out=np.zeros(5000, "i4"))
        with self.assertRaisesRegex(ValueError, "out is on GPU 1, and x is on GPU 0"):
            winnow.copy_if(self.x, "x > 2", out=Array(np.zeros(5000, "i4"), 1))
        with self.assertRaisesRegex(ValueError, "n is on the CPU"):
            winnow.copy_if(self.x, "x > 2", n=np.array(3))
        with self.assertRaises(winnow.NoDeviceError):
            winnow.copy_if(Array(self.memory, 2), "x > 2", count=Array(np.array(0), 2))
        with self.assertRaisesRegex(ValueError, "no GPU 99"):
            winnow.copy_if(Array(self.memory, 99), "x > 2", out=Array(self.memory, 99))

    def test_parameters_of_cuda_conditions(self):
        """A condition keeps its arrays alive, copies too, and is for their GPU."""
        import gc
        import weakref

        made, contiguous = [], winnow._library.contiguous

        def noted(*arguments):
            copy = Array(np.ascontiguousarray(arguments[0].memory))
            made.append(weakref.ref(copy.memory.base if copy.memory.base is not None
                                    else copy.memory))
            return copy

        winnow._library.contiguous = noted
        self.addCleanup(setattr, winnow._library, "contiguous", contiguous)
        t = Array(np.arange(100, dtype="i8"))
        condition = winnow.cuda_condition("return x == t[1];", "x", t=t[::2])
        prepared = winnow.prepare(condition, "int64")
        gc.collect()
        self.assertEqual(len(made), 1)
        self.assertIsNotNone(made[0]())
        joined = winnow.prepare(condition & "x > 2", "int64")
        x = Array(np.arange(100, dtype="i8"), 1)
        for wrong in (condition, prepared, joined, ~condition):
            for call in (
                lambda: winnow.copy_if(x, wrong),
                lambda: winnow.index_if(x, wrong),
                lambda: winnow.select(x, wrong),
                lambda: winnow.reduce_if(x, wrong),
                lambda: winnow.filter({"x": x}, wrong),
            ):
                if isinstance(wrong, winnow.Prepared) and call.__code__.co_consts[-1:] == ("x",):
                    continue
                with self.assertRaisesRegex(
                    (ValueError, TypeError),
                    "parameter t is on GPU 0, and .*x.* is on GPU 1|for a table",
                ):
                    call()
        with self.assertRaisesRegex(
            ValueError, "parameter u is on GPU 1, and parameter t is on GPU 0"
        ):
            winnow.prepare(
                winnow.cuda_condition(
                    "return x == t[1] + u[0];", "x", t=t, u=Array(np.arange(3), 1)
                ),
                "int64",
            )
        other = winnow.cuda_condition("return x == u[0];", "x", u=Array(np.arange(3), 1))
        with self.assertRaisesRegex(ValueError, "GPU 1.*GPU 0"):
            winnow.prepare(condition & other, "int64")

    def test_named_streams(self):
        """An argument that is no stream is refused before anything else."""
        out, count = ByDLPack(self.memory.copy()), ByDLPack(np.zeros((), "i8"))
        x = ByDLPack(self.memory)
        for stream in ("12", "", -1, 2**64, 3.5, object(), True, b"1", [1]):
            with self.assertRaisesRegex((TypeError, ValueError), "stream is"):
                winnow.copy_if(x, "x > 2", out=out, count=count, stream=stream)
        self.ran()
        winnow.copy_if(x, "x > 2", out=out, count=count, stream=np.uint64(0x55))
        self.ran("copy_if", stream=0x55)
        # If the caller names a stream, the caller orders it.
        self.assertEqual(stand_in.orders()[0], 0)

    def test_length_outside_of_the_stream(self):
        """A read of the count on another stream waits for the call's stream."""
        kept = winnow.copy_if(self.x, "x > 2")
        rows = winnow.filter({"x": self.x}, "x > 2")
        totals = [winnow.reduce_if(self.x, "x > 2") for _ in range(2)]
        stand_in.orders()
        for ask in (
            lambda: len(kept),
            kept.array,
            lambda: kept.overflow,
            lambda: len(rows),
            lambda: rows["x"],
            lambda: totals.pop().sum,
        ):
            ask()
            self.assertEqual(stand_in.orders()[0], 0)
            stand_in.streams[0] = 0x300
            try:
                ask()
            finally:
                stand_in.streams[0] = 0x100
            self.assertEqual(stand_in.orders(), (1, (0x100, 0x300)))

    def test_fill_is_on_the_stream(self):
        x = ByDLPack(self.memory)
        out, count = ByDLPack(self.memory.copy()), ByDLPack(np.zeros((), "i8"))
        room = ByDLPack(np.zeros(8000, "i4"))
        new = winnow._library.empty
        winnow._library.empty = lambda *arguments: room
        try:
            kept = winnow.copy_if(x, "x > 2", out=out, count=count, fill=-7, stream=0x55)
        finally:
            winnow._library.empty = new
        self.ran("copy_if", "fill", stream=0x55)
        wanted = self.memory[self.memory > 2]
        self.assertEqual(out.memory[: len(wanted)].tolist(), wanted.tolist())
        self.assertTrue((out.memory[len(wanted) :] == -7).all())
        # The same in place.
        y = Array(self.memory.copy())
        winnow.copy_if(y, "x > 2", out=y, fill=-7)
        self.assertEqual(y.memory.tolist(), out.memory.tolist())
        # The same with fill= and fewer survivors.
        few = winnow.copy_if(self.x, "x > 2", n=Array(np.array(1000)), fill=-7)
        wanted = self.memory[:1000][self.memory[:1000] > 2]
        self.assertEqual(few.buffer.memory[: len(wanted)].tolist(), wanted.tolist())
        self.assertTrue((few.buffer.memory[len(wanted) :] == -7).all())

    def test_temporaries_are_of_the_stream(self):
        """Copies and selections are allocated on the stream that uses them."""
        streams = []

        def contiguous(x, name, stream):
            streams.append(stream)
            return ByDLPack(x.memory.copy())

        def empty(x, n, dtype, stream):
            streams.append(stream)
            return ByDLPack(np.zeros(n, dtype or x.memory.dtype))

        gaps = ByDLPack(np.repeat(self.memory, 2)[::2])
        out, count = ByDLPack(self.memory.astype("i8")), ByDLPack(np.zeros((), "i8"))
        with unittest.mock.patch.multiple(
            winnow._library, contiguous=contiguous, empty=empty
        ):
            winnow.index_if(gaps, "x > 2 && x < 9", out=out, count=count, stream=0x55)
        self.assertEqual(streams, [0x55, 0x55])
        self.ran("select_where", "compact_index", stream=0x55)

    def test_numba(self):
        """Numba arrays do not count as numbers, and copy only contiguous arrays."""
        x = stand_in_numba.of(self.memory)
        wanted = self.memory[self.memory > 2]
        for given, right in (
            (x, wanted),
            (x[::2], self.memory[::2][self.memory[::2] > 2]),
            (x[::-1], wanted[::-1]),
        ):
            kept = winnow.copy_if(given, "x > 2", fill=-1)
            self.assertIs(type(kept.buffer), type(x))
            self.assertEqual((len(kept), kept.overflow), (len(right), False))
            self.assertEqual(kept.array().memory.tolist(), right.tolist())
            self.assertTrue((kept.buffer.memory[len(right) :] == -1).all())
            self.assertEqual(np.asarray(kept).tolist(), right.tolist())
        selection = winnow.select(x, "x > 2")
        self.assertEqual(selection.compact(x).array().memory.tolist(), wanted.tolist())
        self.assertEqual(winnow.reduce_if(x, "x > 2").sum, wanted.sum())
        rows = winnow.filter({"a": x, "b": x}, "a > 2")
        self.assertEqual(rows["b"].memory.tolist(), wanted.tolist())
        keys = stand_in_numba.of(self.memory & 7)
        sums = winnow.accumulate_by_key(keys, x, 8)
        right = np.zeros(8, "i8")
        np.add.at(right, self.memory & 7, self.memory)
        self.assertEqual(sums.memory.tolist(), right.tolist())

    def test_no_memory_for_a_workspace(self):
        """The framework frees cached memory, and the call is made again."""
        asked = []
        for there, calls in ((True, 2), (False, 1)):
            for call, name in (
                (lambda: winnow.copy_if(self.x, "x > 2"), "copy_if"),
                (lambda: winnow.filter({"x": self.x}, "x > 2"), "copy_where"),
                (lambda: winnow.unique(self.x), "unique"),
            ):
                make_room = lambda x: asked.append(x) or there
                with unittest.mock.patch.object(winnow._library, "make_room", make_room):
                    stand_in.failures.value = 1
                    if there:
                        call()
                    else:
                        with self.assertRaises(winnow.OutOfMemoryError):
                            call()
                self.assertEqual(stand_in.failures.value, 0)
                self.ran(*[name] * calls)
        self.assertEqual([type(x) for x in asked], [Array] * 6)

    def test_managed_memory_has_a_handshake(self):
        x = ByDLPack(self.memory)
        x.device_type = 13
        kept = winnow.count_if(x, "x > 2", count=ByDLPack(np.zeros((), "i8")))
        self.assertEqual(kept.memory, (self.memory > 2).sum())
        self.assertEqual(stand_in.handshakes, [1, 1])

    def test_subclasses_do_not_inherit(self):
        class Other(Array):
            pass

        with self.assertRaises(TypeError):
            winnow.count_if(Other(self.memory), "x > 2")

    def test_no_memory(self):
        class Empty(ByDLPack):
            def describe(self, tensor):
                super().describe(tensor)
                tensor.data = None

        with self.assertRaisesRegex(ValueError, "no memory"):
            winnow.count_if(Empty(self.memory), "x > 2", count=Array(np.array(0)))


class CuPy(unittest.TestCase):
    """CuPy arrays are read by attributes if CuPy works on the call's stream."""

    def setUp(self):
        self.memory = np.random.default_rng(3).integers(-9, 9, 5000).astype("i4")
        self.x = stand_in_cupy.of(self.memory)
        winnow.count_if(self.x, "x > 2")  # the first one tells the extension
        stand_in.calls()
        stand_in.handshakes.clear()
        stand_in.waits.clear()
        stand_in.orders()

    def test_calls(self):
        x, memory = self.x, self.memory
        ndarray = stand_in_cupy.ndarray
        kept = winnow.copy_if(x, "x > 2")
        rows = winnow.filter({"x": x, "pairs": stand_in_cupy.of(
            memory.repeat(2).reshape(-1, 2))}, "x > 2")
        indices = winnow.index_if(x, "x > 2 && x < 5")
        total = winnow.reduce_if(x, "x > 2")
        mask = winnow.select(x, "x > 2").mask()
        self.assertEqual(stand_in.handshakes, [])
        self.assertEqual(stand_in.waits, [])
        self.assertEqual({call[1:3] for call in stand_in.calls()}, {(0, 0x100)})
        self.assertEqual(stand_in.orders()[0], 0)
        for made in kept.buffer, kept.count, rows["pairs"], indices.count, mask:
            self.assertIs(type(made), ndarray)
        wanted = memory[memory > 2]
        self.assertEqual(kept.array().memory.tolist(), wanted.tolist())
        self.assertEqual(rows["pairs"].memory.tolist(),
                         wanted.repeat(2).reshape(-1, 2).tolist())
        self.assertEqual(indices.array().memory.tolist(),
                         np.flatnonzero((memory > 2) & (memory < 5)).tolist())
        self.assertEqual(mask.memory.tolist(), (memory > 2).tolist())
        self.assertEqual((total.sum, kept.count.dtype), (wanted.sum(), np.int64))

    def test_types_and_layouts(self):
        for letter in "?bBhHiIqQefd":
            memory = np.array([0, 1, 3, 4, 2, 6] * 3).astype(letter)
            for view in memory, memory[::2], memory[::-1], memory[4:4], memory[3:]:
                kept = winnow.copy_if(stand_in_cupy.of(view), "x >= 1").array()
                self.assertEqual(kept.memory.tolist(), view[view >= 1].tolist())
                self.assertEqual(kept.dtype, memory.dtype)
        with self.assertRaisesRegex(ValueError, "out has gaps"):
            winnow.copy_if(self.x, "x > 2", out=self.x[::2])

    def test_another_device_or_stream(self):
        """Then __dlpack__ is used, and memory is allocated on the array's device."""
        there = stand_in_cupy.of(self.memory, 1)
        with stand_in_cupy.Stream(0x100):
            pass
        kept = winnow.copy_if(there, "x > 2")
        self.assertEqual((kept.buffer.id, kept.count.id), (1, 1))
        out, count = stand_in_cupy.of(self.memory.copy()), stand_in_cupy.of(np.zeros((), "i8"))
        stand_in.handshakes.clear()
        winnow.copy_if(self.x, "x > 2", out=out, count=count, stream=0x300)
        self.assertEqual(stand_in.handshakes, [0x300] * 3)
        self.assertEqual(count.memory, (self.memory > 2).sum())


class Lifetimes(unittest.TestCase):
    """Memory that a call uses stays allocated until the call's kernels have run.

    Here kernels run as late, and memory is reused as early, as is allowed.
    """

    def check(self, call, wanted):
        """Check the arrays that a call returned, whichever stream runs first."""
        for first in 0x100, 0x300:
            stand_in.delays.value = 1
            try:
                made = call()
                # Collect what the call leaves behind.
                stand_in.run(first)
            finally:
                stand_in.delays.value = 0
            for one, right in zip(made, wanted, strict=True):
                memory = one.memory[: len(right)] if np.ndim(right) else one.memory
                self.assertTrue(np.array_equal(memory, right), f"{memory} {right}")

    def pooled(self, of, memory):
        """Return an array to which there is no other reference."""
        made = stand_in.allocated(memory.shape, memory.dtype, 0)
        made[...] = memory
        return of(made)

    def setUp(self):
        self.memory = np.random.default_rng(4).integers(-9, 9, 5000).astype("i4")
        winnow.count_if(stand_in_cupy.of(self.memory), "x > 2")

    def test_the_stand_in_sees_it(self):
        """The stand-in detects memory that is reused too early, without ordering."""

        def call():
            # Free memory on stream 0x100 while a call on 0x300 still reads it.
            few = stand_in_cupy.array(stand_in_cupy.of(self.memory))
            count = stand_in_cupy.zeros((), "i8")
            winnow.count_if(few, "x > 2", count=count, stream=0x300)
            return [count]

        with self.assertRaises(AssertionError):
            self.check(call, [(self.memory > 2).sum()])

    def test_copies_and_selections(self):
        memory, few = self.memory, self.memory[::2]
        for of in stand_in_cupy.of, Array:
            x = of(memory)
            mask = memory > 2

            def gaps():
                x = self.pooled(of, memory)[::2]
                kept = winnow.copy_if(x, "x > 2 && x != 5", fill=7)
                return [kept.buffer, kept.count]

            def tests():
                kept = winnow.index_if(self.pooled(of, memory), "x > 2 && x < 5")
                return [kept.buffer, kept.count]

            def used():
                selection = winnow.select(x, "x > 2") & ~winnow.select(x, "x > 5")
                packed = selection.compact(x)
                return [packed.buffer, selection.expand(packed.buffer, fill=3),
                        selection.mask()]

            def wide():
                rows = winnow.filter(
                    {f"c{i}": self.pooled(of, memory + i) for i in range(70)},
                    "c0 > 2 and c69 != 70",
                )
                return [rows.buffers["c0"], rows.buffers["c69"]]

            if of is stand_in_cupy.of:
                wanted = few[(few > 2) & (few != 5)]
                self.check(gaps, [[*wanted, *[7] * (2500 - len(wanted))], len(wanted)])
            places = np.flatnonzero(mask & (memory < 5))
            self.check(tests, [places, len(places)])
            both = mask & (memory <= 5)
            self.check(used, [memory[both], np.where(both, memory, 3), both])
            wanted = memory[mask & (memory != 1)]
            self.check(wide, [wanted, wanted + 69])

    def test_a_stream_that_is_named(self):
        """Copies are made and allocated on the stream that stream= names."""
        memory, few = self.memory, self.memory[::2]

        def call():
            out = stand_in_cupy.of(np.zeros(2500, "i4"))
            count = stand_in_cupy.of(np.zeros((), "i8"))
            winnow.copy_if(
                stand_in_cupy.of(memory)[::2], "x > 2 && x < 7", out=out, count=count,
                fill=5, stream=0x300,
            )
            return [out, count]

        wanted = few[(few > 2) & (few < 7)]
        self.check(call, [[*wanted, *[5] * (2500 - len(wanted))], len(wanted)])

    def test_conditions(self):
        """A condition and its set may be freed right after the call."""
        memory = self.memory

        def call():
            kept = winnow.copy_if(stand_in_cupy.of(memory),
                                  winnow.col("x").isin(np.arange(0, 9, 2)))
            return [kept.buffer, kept.count]

        wanted = memory[np.isin(memory, np.arange(0, 9, 2))]
        self.check(call, [wanted, len(wanted)])


class PyTorch(unittest.TestCase):
    """Workspaces come from PyTorch's allocator."""

    @classmethod
    def setUpClass(cls):
        import stand_in_torch

        cls.torch = stand_in_torch
        cls.addClassCleanup(
            lambda: [sys.modules.pop(name) for name in list(sys.modules)
                     if name.split(".")[0] == "torch"]
        )

    def setUp(self):
        self.memory = np.random.default_rng(5).integers(-9, 9, 5000).astype("i4")
        self.x = self.torch.Tensor(self.memory)
        stand_in.calls()
        self.torch.written.clear()
        stand_in.workspace.value = 4096
        self.addCleanup(setattr, stand_in.workspace, "value", 0)

    def calls(self):
        """Return each call of the library with the bytes of its workspace."""
        return [(call[0], call[5]) for call in stand_in.calls()]

    def several(self):
        """Return the parts of the results of several calls, and the right values."""
        x, memory = self.x, self.memory
        kept = winnow.index_if(x, "x > 2 && x < 5", fill=0)
        rows = winnow.filter({"x": x}, "x > 2")
        places = np.flatnonzero((memory > 2) & (memory < 5))
        self.assertIs(type(kept.buffer), self.torch.Tensor)
        self.assertEqual(kept.buffer.memory[: len(places)].tolist(), places.tolist())
        self.assertTrue((kept.buffer.memory[len(places) :] == 0).all())
        wanted = memory[memory > 2]
        self.assertEqual(rows.buffers["x"].memory[: len(wanted)].tolist(), wanted.tolist())

    NAMES = ("select_where", "compact_index", "fill", "copy_where")

    def test_its_own(self):
        self.several()
        self.assertEqual(self.calls(), [(name, 0) for name in self.NAMES])

    def test_captured(self):
        """A captured call takes its workspace from PyTorch's pool for the graph."""
        self.torch.captured = True
        self.addCleanup(setattr, self.torch, "captured", False)
        self.several()
        self.assertEqual(self.calls(), [(name, 4096) for name in self.NAMES])
        stand_in.workspace.value = 0  # a call that needs none
        self.several()
        self.assertEqual(self.calls(), [(name, 0) for name in self.NAMES])

    def test_no_stream(self):
        """Calls do not ask whether CUDA's default stream is captured."""
        self.torch.captured = True
        self.addCleanup(setattr, self.torch, "captured", False)
        self.addCleanup(stand_in.streams.update, stand_in.streams.copy())
        stand_in.streams[0] = 0
        self.several()
        self.assertEqual(self.calls(), [(name, 0) for name in self.NAMES])

    def test_zeros(self):
        """New sums are zeros, and so is the fill behind the survivors of a mask."""
        x, memory, keys = self.x, self.memory, np.arange(5000, dtype="i4") % 8
        sums = winnow.accumulate_by_key(self.torch.Tensor(keys), x, 8)
        self.assertIs(type(sums), self.torch.Tensor)
        self.assertEqual(
            sums.memory.tolist(), np.bincount(keys, memory, 8).astype(int).tolist()
        )
        selection = winnow.select(x, "x > 2")
        kept = selection.compact(x, fill=0)
        wanted = np.zeros_like(memory)
        wanted[: (memory > 2).sum()] = memory[memory > 2]
        self.assertEqual(kept.buffer.memory.tolist(), wanted.tolist())
        self.assertEqual(
            [call[0] for call in self.calls()],
            ["accumulate_by_key", "select_where", "compact_columns", "fill"],
        )

    def test_no_memory_in_a_capture(self):
        self.torch.captured = True
        self.addCleanup(setattr, self.torch, "captured", False)
        out, count = self.torch.Tensor(self.memory.copy()), self.torch.Tensor(np.array(7))
        self.torch.memory = False
        try:
            with self.assertRaises(self.torch.OutOfMemoryError) as raised:
                winnow.copy_if(self.x, "x > 2", out=out, count=count)
        finally:
            self.torch.memory = True
        self.assertIsInstance(raised.exception, winnow.OutOfMemoryError)
        self.assertIn("Tried to allocate", str(raised.exception))
        self.assertEqual((self.calls(), count.memory), ([], 7))

    def test_the_library_has_no_memory(self):
        """Then PyTorch allocates the workspace, before it has to free its cache."""
        stand_in.failures.value = 1
        winnow.unique(self.x)
        self.assertEqual(self.calls(), [("unique", 0), ("unique", 4096)])
        stand_in.failures.value = 2
        with self.assertRaises(self.torch.OutOfMemoryError):
            winnow.unique(self.x)
        stand_in.failures.value = 0

    def test_versions(self):
        out, count = self.torch.Tensor(self.memory.copy()), self.torch.Tensor(np.array(0))
        winnow.copy_if(self.x, "x > 2", out=out, count=count)
        self.assertEqual(len(self.torch.written), 1)
        first, second = self.torch.written[0]
        self.assertIs(first, out)
        self.assertIs(second, count)
        winnow.copy_if(self.x, "x > 2")
        self.assertEqual(len(self.torch.written), 1)


if __name__ == "__main__":
    unittest.main()
