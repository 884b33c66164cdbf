# SPDX-License-Identifier: Apache-2.0
"""Tests of layouts and types of arrays: each is read, copied or refused."""

import array
import mmap
import unittest

import winnow
from arrays import Lent, needs, np


@needs("numpy")
class Arrays(unittest.TestCase):
    def kept(self, x, text="x > 2"):
        return np.asarray(winnow.copy_if(x, text)).tolist()

    def test_strides(self):
        base = np.arange(12, dtype=np.int32)
        for x in (
            base[::2],
            base[::-1],
            base[10:2:-3],
            base.reshape(3, 4)[:, 1],
            np.broadcast_to(np.int32(7), (5,)),
            base[:0:-1][:0],
        ):
            self.assertEqual(self.kept(x), x[x > 2].tolist())
            self.assertEqual(
                winnow.index_if(x, "x > 2").array().tolist(),
                np.flatnonzero(x > 2).tolist(),
            )
            self.assertEqual(winnow.count_if(x, "x > 2"), (x > 2).sum())

    def test_unaligned(self):
        x = np.zeros(41, np.uint8)[1:].view(np.float64)
        x[:] = [1, 2, 3, 4, 5]
        self.assertFalse(x.flags.aligned)
        self.assertEqual(self.kept(x), [3, 4, 5])
        with self.assertRaisesRegex(ValueError, "no alignment"):
            winnow.copy_if(np.arange(5.0), "x > 2", out=x)

    def test_all_numbers(self):
        # C has two types for some of them: int and long, or long and long long
        for letter in "?bBhHiIlLqQefd":
            with self.subTest(letter):
                x = np.array([0, 1, 3, 4, 2, 6]).astype(letter)
                kept = winnow.copy_if(x, "x >= 1")
                wanted = x[x >= 1]
                self.assertEqual(kept.array().dtype.char, letter)
                self.assertEqual(kept.array().tolist(), wanted.tolist())
                swapped = x.astype(x.dtype.newbyteorder("S"))
                if x.itemsize > 1:
                    with self.assertRaisesRegex(TypeError, "the other byte order"):
                        winnow.copy_if(swapped, "x >= 1")
        for letter in "gFDGU3S5":
            if not letter.isdigit():
                with self.assertRaisesRegex(TypeError, "no numbers"):
                    winnow.copy_if(np.zeros(3, letter), "x >= 1")

    def test_moved_alone(self):
        mask = np.array([True, False, True, True])
        for kind in ("U3", "S5", "c16", "g", "V7", [("a", "i1"), ("b", "U2")], "M8[Y]"):
            with self.subTest(kind):
                x = np.array([0, 1, 2, 3]).astype(kind)
                for _ in range(2):  # the second time its type is known
                    for like in (x, x.reshape(4, 1)):
                        made = winnow.copy_flagged(like, mask).array()
                        self.assertEqual(made.dtype, x.dtype)
                        self.assertEqual(made.tolist(), like[mask].tolist())
        for kind in ("O", [("a", "i1"), ("b", "O")], [("a", "i1"), ("b", ">i4")]):
            with self.subTest(kind):
                for _ in range(2):
                    with self.assertRaises(TypeError):
                        winnow.copy_flagged(np.zeros(4, kind), mask)

    def test_fields_of_records(self):
        x = np.zeros(4, [("a", "i1"), ("b", "f8")])
        x["b"] = [1, 2, 3, 4]
        self.assertEqual(self.kept(x["b"]), [3, 4])

    def test_other_buffers(self):
        self.assertEqual(self.kept(array.array("h", [1, 2, 3, 4])), [3, 4])
        self.assertEqual(self.kept(b"\1\2\3\4"), [3, 4])
        self.assertEqual(self.kept(memoryview(b"\1\2\3\4")[::-1]), [4, 3])
        with mmap.mmap(-1, 4096) as memory:
            memory[:4] = b"\1\5\1\6"
            self.assertEqual(self.kept(memory), [5, 6])

    def test_read_only(self):
        x = np.arange(5)
        x.flags.writeable = False
        self.assertEqual(self.kept(x), [3, 4])
        with self.assertRaisesRegex(ValueError, "out is read-only"):
            winnow.copy_if(np.arange(5), "x > 2", out=x)

    def test_copies(self):
        """A library may export a copy of its array, which is no output."""
        class Copied:
            def __dlpack__(self, *, max_version=None, **named):
                return np.arange(5).__dlpack__(max_version=max_version, copy=True)

            def __dlpack_device__(self):
                return 1, 0

        try:
            Copied().__dlpack__(max_version=(1, 0))
        except TypeError:
            self.skipTest("NumPy before 2.1")
        self.assertEqual(self.kept(Copied()), [3, 4])
        for call in (
            lambda: winnow.copy_if(np.arange(5), "x > 2", out=Copied()),
            lambda: winnow.select(mask=np.ones(5, bool)).fill_holes(Copied()),
        ):
            with self.assertRaisesRegex(ValueError, "is read-only"):
                call()

    def test_subclasses(self):
        x = np.arange(5).view(np.recarray)
        self.assertEqual(self.kept(x), [3, 4])
        with self.assertRaisesRegex(TypeError, "masked array"):
            winnow.copy_if(np.ma.array([1, 2], mask=[0, 1]), "x > 0")

    def test_only_dlpack(self):
        x = Lent(np.arange(6))
        self.assertEqual(winnow.count_if(x, "x > 2"), 3)
        # NumPy 1 does not know max_version=, and is asked again without it.
        self.assertIsNone(x.how["stream"])
        self.assertEqual(x.how.get("max_version", (1, 3)), (1, 3))

    def test_refused(self):
        x = np.arange(6)
        for wrong, message in (
            ([1, 2], "no array"),
            (3, "no array"),
            (None, "no array"),
            (x.reshape(2, 3), "2 dimensions"),
            (np.array(3), "0 dimensions"),
            (x.astype(">i8"), "byte order"),
            (x.astype(object), "Python objects"),
            (x.astype(complex), "no numbers"),
            (x.astype("S2"), "no numbers"),
            (x.astype(np.longdouble), "no numbers"),
        ):
            with self.subTest(wrong=wrong):
                with self.assertRaisesRegex((TypeError, ValueError), message):
                    winnow.copy_if(wrong, "x > 2")
        for out, message in (
            (np.zeros(6, np.int32), "out is of int32, and should be of int64"),
            (np.zeros(12, np.int64)[::2], "gaps"),
            (np.zeros(6, np.int64)[::-1], "a negative stride"),
            (np.zeros((6, 1), np.int64), "2 dimensions"),
            ("text", "no array"),
        ):
            with self.subTest(out=out):
                with self.assertRaisesRegex((TypeError, ValueError), message):
                    winnow.copy_if(x, "x > 2", out=out)

    def test_overlap(self):
        x, mask = np.arange(10), np.arange(10) > 2
        word = x[:1].reshape(())
        some = winnow.select(x[:8], "x > 2")
        for names, call in (
            ("x and out", lambda: winnow.copy_if(x[:8], "x > 2", out=x[1:9])),
            ("x and out", lambda: winnow.copy_if(x, "x > 2", out=x, order="any")),
            ("x and out", lambda: winnow.index_if(x, "x > 2", out=x)),
            ("x and out", lambda: winnow.copy_flagged(x[:8], mask[:8], out=x[1:9])),
            ("x and out", lambda: some.compact(x[:8], out=x[1:9])),
            ("mask and out", lambda: winnow.copy_flagged(~mask, mask, out=mask)),
            ("x and count", lambda: winnow.copy_if(x, "x > 2", count=word)),
            ("arriving and x", lambda: some.fill_holes(x[:8], x[:2])),
            ("packed and out", lambda: some.expand(x[:8], out=x[:8])),
        ):
            with self.subTest(names):
                with self.assertRaisesRegex(winnow.ArgumentError, f"^{names} overlap"):
                    call()
        self.assertEqual(x.tolist(), list(range(10)))


if __name__ == "__main__":
    unittest.main()
