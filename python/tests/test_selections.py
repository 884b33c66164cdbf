# SPDX-License-Identifier: Apache-2.0
"""Selections against masks of NumPy."""

import unittest

import winnow
from arrays import needs, np, numbers


@needs("numpy")
class Selections(unittest.TestCase):
    def setUp(self):
        self.x = numbers("int32", 9000)
        self.y = numbers("float32", 9000, 2)

    def check(self, selection, mask):
        n = len(mask)
        self.assertEqual(len(selection), n)
        self.assertEqual(selection.count, mask.sum())
        self.assertTrue((selection.mask() == mask).all())
        self.assertEqual(
            selection.indices().array().tolist(), np.flatnonzero(mask).tolist()
        )
        rows = np.arange(3 * n, dtype=np.int16).reshape(n, 3)
        packed = selection.compact(rows)
        self.assertTrue((packed.array() == rows[mask]).all())
        back = selection.expand(packed, fill=-7)
        wanted = np.where(mask[:, None], rows, -7)
        self.assertTrue((back == wanted).all())

    def test_sources(self):
        x, y = self.x, self.y
        self.check(winnow.select(x, "x > 1"), x > 1)
        self.check(winnow.select(x, winnow.prepare("x > 1", "int32")), x > 1)
        self.check(winnow.select(mask=x > 1), x > 1)
        self.check(
            winnow.select({"x": x, "y": y}, "x > 1 || y < 0.5"), (x > 1) | (y < 0.5)
        )
        records = np.zeros(9000, [("x", "i4"), ("s", "S3"), ("y", "f4")])
        records["x"], records["y"] = x, y
        self.check(winnow.select(records, "x > 1 && y < 0.5"), (x > 1) & (y < 0.5))
        self.check(winnow.select(x[::-2], "x > 1"), x[::-2] > 1)
        self.check(winnow.select(x[:0], "x > 1"), x[:0] > 1)

    def test_joined(self):
        a, b = self.x > 1, self.y < 0.5
        p, q = winnow.select(mask=a), winnow.select(self.y, "y < 0.5")
        self.check(p & q, a & b)
        self.check(p | q, a | b)
        self.check(p ^ q, a ^ b)
        self.check(p - q, a & ~b)
        self.check(~p, ~a)
        with self.assertRaisesRegex(ValueError, "do not join"):
            p & winnow.select(self.x[:3], "x > 1")
        with self.assertRaises(TypeError):
            p & True

    def test_fewer_items(self):
        few = winnow.count_if(self.x, "x > 1")
        mask = self.x > 1
        mask[int(few) :] = False
        self.check(winnow.select(self.x, "x > 1", n=few), mask)
        self.check(winnow.select(mask=self.x > 1, n=few), mask)
        self.check(winnow.select(self.x, "x > 1", n=100), self.x[:100] > 1)

    def test_expand_keeps(self):
        selection = winnow.select(self.x, "x > 1")
        out = self.y.copy()
        packed = np.zeros(int(selection.count), np.float32)
        self.assertIs(selection.expand(packed, fill=None, out=out), out)
        wanted = np.where(self.x > 1, np.float32(0), self.y)
        self.assertEqual(out.tobytes(), wanted.tobytes())
        with self.assertRaisesRegex(ValueError, "fill=None"):
            selection.expand(packed, fill=None)
        with self.assertRaises(TypeError):
            selection.expand(packed, out=np.zeros(9000))

    def test_capacity(self):
        selection = winnow.select(self.x, "x > 1")
        kept = selection.compact(self.y, capacity=5)
        self.assertEqual(len(kept), 5)
        self.assertTrue(kept.overflow)
        self.assertEqual(kept.count, (self.x > 1).sum())
        self.assertEqual(len(selection.indices(capacity=5)), 5)
        # What was cut gets the value of the others, not what memory had.
        back = selection.expand(kept.array(), fill=-7)
        places = np.flatnonzero(self.x > 1)[:5]
        wanted = np.full(9000, -7, np.float32)
        wanted[places] = self.y[places]
        self.assertEqual(back.tobytes(), wanted.tobytes())

    def test_capacities_that_are_none(self):
        x, out = self.x, np.zeros(4, np.int32)
        selection = winnow.select(x, "x > 1")
        for capacity in (-1, 2**63, 2**64 + 2):
            for call in (
                lambda: winnow.copy_flagged(x, x > 1, out=out, capacity=capacity),
                lambda: winnow.filter({"x": x}, "x > 1", capacity=capacity),
                lambda: winnow.unique(x, capacity=capacity),
                lambda: selection.compact(x, out=out, capacity=capacity),
                lambda: selection.indices(out=out, capacity=capacity),
            ):
                with self.assertRaisesRegex(ValueError, f"capacity is {capacity}"):
                    call()
        with self.assertRaises(TypeError):
            winnow.copy_flagged(x, x > 1, out=out, capacity=1.5)
