# SPDX-License-Identifier: Apache-2.0
"""Tests of selections against NumPy masks."""

import array
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

    def test_fewer_items_are_inverted(self):
        few = np.array(4000)
        counts, passes = np.arange(9000) < 4000, self.x > 1
        p = winnow.select(self.x, "x > 1", n=few)
        q = winnow.select(mask=self.y < 0.5, n=few)
        self.check(~p, ~passes & counts)
        self.check(~~p, passes & counts)
        self.check(~(p & q), ~(passes & (self.y < 0.5)) & counts)
        either = p | winnow.select(mask=self.y < 0.5)
        self.check(either, passes & counts | (self.y < 0.5))
        with self.assertRaisesRegex(ValueError, "whose n= differ"):
            ~either

    def test_compact_a_result(self):
        """A result has only as many items as its count, whatever its buffer's
        length."""
        x = np.arange(10)
        few = winnow.copy_if(x, "x > 3")
        for selection in (
            winnow.select(few, "x < 8"),
            winnow.select(few.array(), "x < 8"),
        ):
            self.assertEqual(selection.compact(few).array().tolist(), [4, 5, 6, 7])
        whole = winnow.select(mask=np.ones(10, bool))
        self.assertEqual(whole.compact(few).array().tolist(), [4, 5, 6, 7, 8, 9])
        filled = whole.compact(few, fill=-1).buffer
        self.assertEqual(filled.tolist(), [4, 5, 6, 7, 8, 9, -1, -1, -1, -1])
        with self.assertRaisesRegex(ValueError, "^x has 10 items, not 9$"):
            winnow.select(mask=np.ones(9, bool)).compact(few)

    def test_expand_texts(self):
        """The default fill of texts is the same as numpy.zeros()."""
        selection = winnow.select(mask=np.array([True, False]))
        for packed in (
            np.array(["a"]),
            np.array([b"ab"]),
            np.array([(7, b"a")], "i4,S3"),
            np.array([b"ab"], "V2"),
        ):
            wanted = np.concatenate([packed, np.zeros(1, packed.dtype)])
            self.assertEqual(selection.expand(packed).tolist(), wanted.tolist())
            buffer = selection.compact(wanted, fill=0).buffer
            self.assertEqual(buffer.tolist(), wanted.tolist())
        self.assertEqual(selection.expand(np.array(["a"]), fill="z").tolist(), ["a", "z"])

    def test_expand_a_result(self):
        """Items of a result's buffer after its count are not expanded."""
        selection = winnow.select(np.arange(5), "x <> 1")
        few = winnow.copy_if(np.arange(10), "x < 3")
        few.buffer[3:] = -77
        self.assertEqual(selection.expand(few).tolist(), [0, 0, 1, 2, 0])
        self.assertEqual(selection.expand(few, fill=9).tolist(), [0, 9, 1, 2, 9])
        most = winnow.copy_if(np.arange(10), "x < 8", capacity=4)
        self.assertEqual(selection.expand(most).tolist(), [0, 0, 1, 2, 3])

    def test_results_whose_count_is_the_callers(self):
        """A count in an array of the host limits the items, and so does the capacity."""
        x, whole = np.arange(7.0), winnow.select(mask=np.ones(7, bool))
        for count in np.zeros((), np.int64), np.zeros(1, np.uint64), array.array("q", [0]):
            out = np.full(7, -77.0)
            most = winnow.copy_if(x, "x >= 0", out=out, capacity=2, count=count)
            self.assertEqual(whole.compact(most).array().tolist(), [0, 1])
            self.assertEqual(whole.expand(most, fill=9).tolist(), [0, 1, 9, 9, 9, 9, 9])
            few = winnow.copy_if(x, "x >= 4", out=out, count=count)
            self.assertEqual(whole.compact(few).array().tolist(), [4, 5, 6])
            self.assertEqual(whole.expand(few, fill=9).tolist(), [4, 5, 6, 9, 9, 9, 9])
            self.assertEqual(winnow.copy_if(few, "x < 6").array().tolist(), [4, 5])

    def test_counts_beside_results(self):
        """n= cannot replace the count of a result."""
        x = np.arange(10)
        few = winnow.copy_if(x, "x > 4")
        rows = winnow.filter({"x": x, "y": x}, "x > 4")
        keys = winnow.copy_if(x.astype(np.uint32), "x > 4")
        for call in (
            lambda n: winnow.copy_if(few, "x < 9", n=n),
            lambda n: winnow.count_if(few, "x < 9", n=n),
            lambda n: winnow.index_if(few, "x < 9", n=n),
            lambda n: winnow.reduce_if(few, n=n),
            lambda n: winnow.unique(few, n=n),
            lambda n: winnow.select(few, "x < 9", n=n),
            lambda n: winnow.filter(few, "x < 9", n=n),
            lambda n: winnow.filter(rows, "x < 9", n=n),
            lambda n: winnow.partition_by_key(keys, parts=2, n=n),
            lambda n: winnow.accumulate_by_key(keys, np.ones(10, int), 10, n=n),
        ):
            for n in (7, 3, np.array(7)):
                with self.assertRaisesRegex(ValueError, "a result has a count of its own"):
                    call(n)
        self.assertEqual(winnow.copy_if(few, "x < 9", n=few).array().tolist(), [5, 6, 7, 8])

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

    def holes_filled(self, x, kept, arriving, n):
        """Fill holes as winnow_fill_holes(3) says, one item at a time."""
        x, kept = x.copy(), list(kept[:n]) + [False] * (len(x) - n)
        m = sum(kept) + len(arriving)
        come = list(arriving) + [x[i] for i in range(m, len(x)) if kept[i]]
        for i in range(min(m, len(x))):
            if not kept[i]:
                x[i] = come.pop(0)
        return x, m

    def test_fill_holes(self):
        mask = self.x > 1
        few = self.x == -2
        for kept, n, room, arrive in (
            (mask, 9000, 9000, 0),
            (mask, 9000, 9000, 70),
            (~few, 9000, 9000, 100),
            (~few, 8000, 9000, 3000),
            (mask & ~mask, 9000, 9000, 40),
            (mask | ~mask, 8990, 9000, 10),
            (mask | ~mask, 9000, 9000, 3),
            (mask[:0], 0, 5, 3),
        ):
            selection = winnow.select(mask=kept[:n].copy())
            x = self.x[:room].copy()
            rows = np.arange(3 * room, dtype=np.int16).reshape(room, 3)
            x_in = np.arange(arrive, dtype=np.int32) + 100
            rows_in = -1 - np.arange(3 * arrive, dtype=np.int16).reshape(arrive, 3)
            wanted, m = self.holes_filled(x, kept, x_in, n)
            of_rows, _ = self.holes_filled(rows, kept, rows_in, n)

            one = x.copy()
            left = selection.fill_holes(one, x_in if arrive else None)
            self.assertIsInstance(left, winnow.Result)
            self.assertIs(left.buffer, one)
            self.assertEqual((left.count, left.overflow), (m, m > room))
            self.assertEqual(left.array().tolist(), wanted[:m].tolist())
            table = {"x": x, "rows": rows}
            left = selection.fill_holes(table, {"rows": rows_in, "x": x_in})
            self.assertIsInstance(left, winnow.Rows)
            self.assertEqual((left.count, left.overflow), (m, m > room))
            self.assertEqual(left["x"].tolist(), wanted[:m].tolist())
            self.assertEqual(left["rows"].tolist(), of_rows[:m].tolist())

    def test_fill_holes_with_a_result(self):
        stay = winnow.select(self.x, "x > 1")
        y = np.arange(50, dtype=np.int32)
        for came in (
            winnow.copy_if(y, "x > 30"),
            winnow.copy_if(y, "x > 30", capacity=7),
            winnow.copy_if(y, "x > 30", capacity=7, out=np.zeros(50, np.int32)),
        ):
            x = self.x.copy()
            wanted, m = self.holes_filled(x, self.x > 1, came.array(), 9000)
            left = stay.fill_holes(x, came)
            self.assertEqual(left.count, m)
            self.assertEqual(left.array().tolist(), wanted[:m].tolist())
        came = winnow.filter({"x": y, "y": y + 0.5}, "x > 30", capacity=7)
        table = {"y": self.x + 0.5, "x": self.x.copy()}
        wanted, m = self.holes_filled(self.x, self.x > 1, y[31:38], 9000)
        left = stay.fill_holes(table, came)
        self.assertEqual((left.count, list(left)), (m, ["y", "x"]))
        self.assertEqual(left["x"].tolist(), wanted[:m].tolist())
        self.assertEqual(left["y"].tolist(), (wanted[:m] + 0.5).tolist())

    def test_fill_holes_refuses(self):
        stay = winnow.select(self.x, "x > 1")
        x = self.x.copy()
        read_only = x.copy()
        read_only.flags.writeable = False
        for wrong, said, arguments in (
            (ValueError, "x has 8999 items, and the selection 9000", (x[:8999],)),
            (ValueError, "x has the columns x, and arriving has y", ({"x": x}, {"y": x})),
            (TypeError, "x has items of another type or shape than arriving", (x, np.zeros(3))),
            (TypeError, "x has items of another type or shape than arriving", (x, np.zeros((3, 2), np.int32))),
            (ValueError, "different lengths", ({"x": x, "y": x[1:]},)),
            (ValueError, "read-only", (read_only,)),
            (ValueError, "gaps", (np.zeros(18000, np.int32)[::2],)),
            (ValueError, "65 columns, more than 64",
             ({str(i): x.copy() for i in range(65)},)),
            (winnow.ArgumentError, "overlap", (x, x[5:9])),
        ):
            with self.subTest(said), self.assertRaisesRegex(wrong, said):
                stay.fill_holes(*arguments)
        self.assertEqual(x.tolist(), self.x.tolist())

    def test_capacity(self):
        selection = winnow.select(self.x, "x > 1")
        kept = selection.compact(self.y, capacity=5)
        self.assertEqual(len(kept), 5)
        self.assertTrue(kept.overflow)
        self.assertEqual(kept.count, (self.x > 1).sum())
        self.assertEqual(len(selection.indices(capacity=5)), 5)
        # Items that were cut off get the fill, not the bytes that were in memory.
        back = selection.expand(kept.array(), fill=-7)
        places = np.flatnonzero(self.x > 1)[:5]
        wanted = np.full(9000, -7, np.float32)
        wanted[places] = self.y[places]
        self.assertEqual(back.tobytes(), wanted.tobytes())

    def test_fill(self):
        mask = self.x > 1
        selection = winnow.select(mask=mask)
        rows = np.arange(27000, dtype=np.int16).reshape(9000, 3)
        for x, value in ((self.y, 0), (self.y, 2.5), (rows, -7), (rows > 9, True)):
            kept = selection.compact(x, fill=value)
            self.assertEqual(len(kept), mask.sum())
            wanted = np.full_like(x, value)
            wanted[: mask.sum()] = x[mask]
            self.assertEqual(kept.buffer.tobytes(), wanted.tobytes())
            few = selection.compact(x, capacity=7, fill=value).buffer
            self.assertEqual(few.tobytes(), x[mask][:7].tobytes())
        with self.assertRaises((TypeError, ValueError)):
            selection.compact(self.y, fill="no number")

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
