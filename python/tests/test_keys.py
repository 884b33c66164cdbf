# SPDX-License-Identifier: Apache-2.0
"""Tests of partition_by_key, accumulate_by_key and reduce_if against NumPy."""

import array
import math
import unittest

import winnow
from arrays import TYPES, needs, np, numbers


@needs("numpy")
class Keys(unittest.TestCase):
    def test_partition(self):
        random = np.random.default_rng(3)
        for dtype in ("uint32", "int32", "uint64", "int64"):
            keys = random.integers(0, 1000, 8000).astype(dtype)
            beside = np.arange(8000, dtype=np.int16)
            made = winnow.partition_by_key(keys, beside, bits=4, shift=2)
            part = (keys.astype(np.int64) >> 2) & 15
            order = np.argsort(part, kind="stable")
            self.assertEqual(made.keys.tobytes(), keys[order].tobytes())
            self.assertEqual(made.columns[0].tolist(), beside[order].tolist())
            self.assertEqual(
                made.offsets.tolist(), [0, *np.cumsum(np.bincount(part, minlength=16))]
            )
        # Elements are aligned, but items are not.
        key = np.array([1, 0, 1, 0, 1], np.uint32)
        for dtype in ("int8", "int16", "float32", "float64", "complex64"):
            size = np.dtype(dtype).itemsize
            memory = np.zeros(16 * 5 + 64, np.uint8)
            begin = -memory.ctypes.data % 16 + (4 if dtype == "complex64" else size)
            one = memory[begin : begin + 10 * size].view(dtype)
            one[:] = range(10)
            pairs = one[:5] if dtype == "complex64" else one.reshape(5, 2)
            for more in ({}, {"align": 2}):
                made = winnow.partition_by_key(key, pairs, bits=1, **more)
                self.assertEqual(made.columns[0][:2].tolist(), pairs[[1, 3]].tolist())
        few = winnow.partition_by_key(keys, parts=10, bits=4, n=100, order="any")
        self.assertEqual(len(few.offsets), 11)
        with self.assertRaisesRegex(TypeError, "uint32"):
            winnow.partition_by_key(keys.astype(np.int8), bits=2)
        for name in ("bits", "shift", "parts"):
            for wrong in (-1, 2**32, 2**32 + 2):
                with self.assertRaisesRegex(ValueError, f"{name} is {wrong}"):
                    winnow.partition_by_key(keys, **{"bits": 2, name: wrong})
            with self.assertRaises(TypeError):
                winnow.partition_by_key(keys, **{"bits": 2, name: 1.5})

    def test_results(self):
        """The arguments are results of filters, whose count is n."""
        x, y = np.arange(100), np.arange(100) % 7
        rows = winnow.filter({"x": x, "y": y}, "x < 50")
        few, beside = winnow.copy_if(x, "x < 50"), winnow.copy_if(x, "x >= 50")
        made = winnow.partition_by_key(few, beside, bits=1)
        self.assertEqual(made.offsets.tolist(), [0, 25, 50])
        self.assertEqual(made.keys[:50].tolist(), [*range(0, 50, 2), *range(1, 50, 2)])
        self.assertEqual(made.columns[0][:50].tolist(), (made.keys[:50] + 50).tolist())
        blocks = winnow.partition_by_key(few, parts=2, bits=0, align=16)
        self.assertEqual(blocks.counts.tolist(), [1, 1])
        for keys, values in ((few, beside), (few, x + 50)):
            sums = winnow.accumulate_by_key(keys, values, 100)
            self.assertEqual(sums.tolist(), [*range(50, 100), *[0] * 50])
        sums = winnow.accumulate_by_key(rows.buffers["y"], rows.buffers["x"], 7, n=rows)
        self.assertEqual(sums.tolist(), np.bincount(y[:50], x[:50]).tolist())
        fewer = winnow.copy_if(x, "x < 9")
        with self.assertRaisesRegex(ValueError, "^values has 9 items, and keys has 50$"):
            winnow.accumulate_by_key(few, fewer, 100)
        with self.assertRaisesRegex(ValueError, r"^columns\[0\] has 9 items, and keys has 50$"):
            winnow.partition_by_key(few, fewer, bits=1)
        # Survivors count that are in the buffer, also where the caller has the count.
        full = np.empty(100, int)
        cut = winnow.copy_if(x, "x < 50", out=full, capacity=9)
        told = winnow.copy_if(x, "x < 9", out=full, count=np.zeros(1, np.int64))
        for values in cut, told:
            with self.assertRaisesRegex(ValueError, "^values has 9 items, and keys has 50$"):
                winnow.accumulate_by_key(few, values, 100)

    def test_keys_as_a_column(self):
        keys = np.array([0, 1, 1, 0])
        for more in {}, {"align": 2}:
            with self.assertRaisesRegex(ValueError, r"^columns\[0\] has the memory of the keys"):
                winnow.partition_by_key(keys, keys, parts=2, **more)

    def test_moments(self):
        """Sums of int64 know no units and no NaT."""
        keys, values = np.array([0, 0, 1]), np.array([5, "NaT", 7], "m8[ms]")
        for given in (
            (values, np.zeros(2, "m8[s]")),
            (values.view("M8[D]"), None),
            (values.view("m8[D]"), None),
            (values.view("int64"), np.zeros(2, "m8[ms]")),
        ):
            with self.assertRaisesRegex(TypeError, r"^(values|sums) has elements of .*view\('int64'"):
                winnow.accumulate_by_key(keys, given[0], 2, sums=given[1])

    def test_blocks(self):
        random = np.random.default_rng(5)
        for dtype in ("uint32", "int32", "uint64", "int64"):
            keys = random.integers(0, 9, 700).astype(dtype)
            keys[::7] = np.iinfo(dtype).max  # in no part, like -1:
            if dtype.startswith("int"):
                keys[::5] = -1
            beside = np.arange(700)
            pairs = random.random((700, 2)).astype("float32")
            made = winnow.partition_by_key(
                keys, beside, pairs, parts=10, align=16, fill=(7, -1, 0.5)
            )
            self.assertIsInstance(made, winnow.Blocks)
            end, room = made.offsets[-1], (700 + 10 * 15) // 16 * 16
            wanted = [np.flatnonzero(keys == part) for part in range(10)]
            self.assertEqual(made.counts.tolist(), [len(items) for items in wanted])
            blocks = [(len(items) + 15) // 16 for items in wanted]
            self.assertEqual(made.offsets.tolist(), [0, *16 * np.cumsum(blocks)])
            self.assertEqual(
                made.block_parts[: end // 16].tolist(),
                np.repeat(np.arange(10), blocks).tolist(),
            )
            order = np.full(end, -1)
            for first, items in zip(made.offsets, wanted, strict=False):
                order[first : first + len(items)] = items
            self.assertEqual(len(made.keys), room)
            self.assertEqual(made.columns[0][:end].tolist(), order.tolist())
            there = order >= 0
            self.assertEqual(
                made.keys[:end].tolist(), np.where(there, keys[order], 7).tolist()
            )
            self.assertEqual(
                made.columns[1][:end].tolist(),
                np.where(there[:, None], pairs[order], np.float32(0.5)).tolist(),
            )

    def test_blocks_in_any_order(self):
        keys = np.arange(100, dtype="uint64") % 7
        made = winnow.partition_by_key(
            keys, bits=3, align=1, order="any", n=50, fill=0
        )
        self.assertEqual(made.keys[: made.offsets[-1]].tolist(), sorted(keys[:50]))
        made = winnow.partition_by_key(keys[:0], bits=3, align=4096)
        self.assertEqual(made.offsets.tolist(), [0] * 9)

    def test_blocks_refused(self):
        keys = np.arange(100, dtype="int32") % 7
        for align in (0, -4, 3, 131072):
            with self.assertRaisesRegex(ValueError, f"align is {align}"):
                winnow.partition_by_key(keys, parts=8, align=align)
        with self.assertRaisesRegex(ValueError, "with align"):
            winnow.partition_by_key(keys, parts=8, fill=0)
        with self.assertRaisesRegex(ValueError, "fill has 1 values: wanted 2"):
            winnow.partition_by_key(keys, keys * 2, parts=8, align=4, fill=(0,))
        with self.assertRaises((TypeError, ValueError)):
            winnow.partition_by_key(keys, parts=8, align=4, fill="none")
        with self.assertRaisesRegex(ValueError, "bits is 3: wanted 0"):
            winnow.partition_by_key(keys, bits=3, align=4)

    def test_accumulate_other_arrays(self):
        keys = np.arange(3)
        sums = winnow.accumulate_by_key(keys, array.array("d", [1, 2, 3]), 3)
        self.assertEqual(sums.tolist(), [1, 2, 3])
        for values in (keys.astype(complex), np.array(list("abc"))):
            with self.assertRaisesRegex(TypeError, "no numbers"):
                winnow.accumulate_by_key(keys, values, 3)

    def test_accumulate(self):
        random = np.random.default_rng(4)
        keys = random.integers(-1, 50, 5000)
        for dtype in ("int32", "int64", "uint32", "uint64", "float32", "float64"):
            values = random.integers(0, 9, 5000).astype(dtype)
            beyond = np.zeros((), np.int64)
            sums = winnow.accumulate_by_key(keys, values, 40, beyond=beyond)
            inside = (keys >= 0) & (keys < 40)
            wanted = np.bincount(keys[inside], values[inside], 40)
            self.assertEqual(sums.tolist(), wanted.tolist())
            self.assertEqual(sums.dtype.itemsize, 8)
            self.assertEqual(beyond, (~inside).sum())
        rows = random.integers(0, 9, (5000, 3)).astype(np.float32)
        sums = np.ones((50, 3), np.float32)
        self.assertIs(winnow.accumulate_by_key(keys, rows, sums=sums), sums)
        wanted = np.ones((50, 3))
        np.add.at(wanted, keys[keys >= 0], rows[keys >= 0])
        self.assertEqual(sums.tolist(), wanted.tolist())
        with self.assertRaisesRegex(TypeError, "key_bound"):
            winnow.accumulate_by_key(keys, rows)
        with self.assertRaisesRegex(ValueError, "3 components"):
            winnow.accumulate_by_key(keys, rows, sums=sums[:, :2].copy())

    def test_reduce(self):
        for dtype in TYPES:
            x = numbers(dtype, 3000)
            for text in (None, "x > 2", "x > 2 && x < 100"):
                mask = np.ones(3000, bool) if text is None else x > 2
                if text and "&&" in text:
                    mask &= x < 100
                kept = x[mask]
                made = winnow.reduce_if(
                    x, text, wanted=("sum", "mean", "argmin", "argmax")
                )
                with self.subTest(dtype=dtype, text=text):
                    self.assertEqual(made.count, mask.sum())
                    real = kept[~np.isnan(kept)]
                    self.assertEqual(made.min, real.min())
                    self.assertEqual(made.max, real.max())
                    first = np.flatnonzero(mask & (x == real.min()))
                    if real.min() != 0:
                        self.assertEqual(made.argmin, first[0])
                    self.assertEqual(
                        made.argmax, np.flatnonzero(mask & (x == real.max()))[0]
                    )
                    if dtype.startswith(("int", "uint")):
                        total = sum(kept.tolist())
                        bound = 2**64 if dtype[0] == "u" else 2**63
                        self.assertEqual(made.overflow, not -bound <= total < bound)
                        self.assertEqual((made.sum - total) % 2**64, 0)
                    elif text and "&&" in text:
                        self.assertAlmostEqual(made.mean, kept.astype(float).mean(), 9)

    def test_no_condition(self):
        for truth in (True, False):
            with self.assertRaisesRegex(TypeError, "a condition is text"):
                winnow.reduce_if(np.arange(5), truth)

    def test_columns_without_alignment(self):
        keys = np.array([1, 0, 1, 0], np.uint32)
        column = np.arange(33, dtype=np.uint8)[1:].view(np.int64)
        wanted = column[[1, 3, 0, 2]].tolist()
        made = winnow.partition_by_key(keys, column, parts=2)
        self.assertEqual(made.columns[0].tolist(), wanted)
        blocks = winnow.partition_by_key(keys, column, parts=2, align=2)
        self.assertEqual(blocks.columns[0][:4].tolist(), wanted)

    def test_nothing(self):
        made = winnow.reduce_if(np.arange(5), "x > 9", wanted=("mean", "argmin"))
        self.assertEqual((made.count, made.sum, made.argmin), (0, 0, None))
        self.assertTrue(math.isnan(made.mean))
        with self.assertRaisesRegex(AttributeError, "max was not asked for"):
            made.max

    def test_fewer_items(self):
        x = np.arange(10)
        for n in (4, np.array(4)):
            self.assertEqual(winnow.reduce_if(x, n=n).sum, 6)
            self.assertEqual(winnow.reduce_if(x, "x > 1 && x < 9", n=n).sum, 5)
