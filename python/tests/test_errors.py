# SPDX-License-Identifier: Apache-2.0
"""Tests of errors: the class of the exception, and its message."""

import unittest

import winnow
from arrays import needs, np


class Classes(unittest.TestCase):
    def test_bases(self):
        for name, base in (
            ("ArgumentError", ValueError),
            ("ConditionError", ValueError),
            ("WorkspaceError", ValueError),
            ("UnsupportedError", NotImplementedError),
            ("OutOfMemoryError", MemoryError),
            ("NoDeviceError", RuntimeError),
            ("CudaError", RuntimeError),
            ("CompileError", RuntimeError),
        ):
            error = getattr(winnow, name)
            self.assertTrue(issubclass(error, winnow.Error))
            self.assertTrue(issubclass(error, base))
            self.assertEqual(error.__module__, "winnow")


@needs("numpy")
class Messages(unittest.TestCase):
    def test_words(self):
        x, minus = np.arange(4), np.array(-1)
        rows = winnow.filter({"x": x}, "x > 1")
        for call, error, message in (
            (lambda: winnow.copy_if(x), TypeError, "2 positional"),
            (lambda: winnow.copy_if(x, "x", 3), TypeError, "2 positional"),
            (lambda: winnow.copy_if(x, "x", bad=3), TypeError, "'bad'"),
            (lambda: winnow.count_if(x, "x", out=x), TypeError, "'out'"),
            (lambda: winnow.copy_if(x, 3), TypeError, "condition is text"),
            (lambda: winnow.copy_if(x, None), TypeError, "condition is text"),
            (lambda: winnow.copy_if(x, "x", order="no"), ValueError, "'any'"),
            (lambda: winnow.copy_if(x, "x", order=3), ValueError, "'any'"),
            (lambda: winnow.copy_if(x, "x", capacity=-1), ValueError, "-1"),
            (lambda: winnow.copy_if(x, "x", capacity="a"), TypeError, "str"),
            (lambda: winnow.copy_if(x, "x", stream=1), ValueError, "out= and count="),
            (lambda: winnow.copy_if(x, "x > 1", n=minus), ValueError, "n is -1"),
            (lambda: winnow.select(mask=x > 1, n=minus), ValueError, "n is -1"),
            (lambda: winnow.copy_if(x, "x > >"), winnow.ConditionError, "column 5"),
            (lambda: winnow.set_threads(-1), ValueError, "-1"),
            (lambda: winnow.set_compile("later"), ValueError, "not 'later'"),
            (lambda: winnow.set_compile(1), ValueError, "'before', not 1"),
            (lambda: winnow.select(x), TypeError, "condition, or mask"),
            (lambda: winnow.unique(x, keep="all"), ValueError, "'all'"),
            (lambda: winnow.unique(x, equal="all"), ValueError, "'all'"),
            (lambda: winnow.reduce_if(x, wanted="all"), ValueError, "'all'"),
            (lambda: winnow.copy_flagged(x, x), TypeError, "should be of bool"),
            (lambda: winnow.copy_flagged(x, x[:2] > 9), ValueError, ""),
            (lambda: winnow.filter({}, "x"), ValueError, "no columns"),
            (lambda: winnow.filter({"a": x, "b": x[1:]}, "a"), ValueError, "lengths"),
            (lambda: winnow.filter({3: x}, "a"), TypeError, "called 3"),
            (lambda: winnow.filter({"x": x}, "x > 1", n=minus), ValueError, "n is -1"),
            (lambda: winnow.filter({"a": x}, "b > 1"), winnow.ConditionError, "'b'"),
            (lambda: winnow.filter({"": x}, "b > 1"), winnow.ConditionError, "no names"),
            (
                lambda: winnow.filter({"x": x, "y": x.astype(">f8")}, "x > 1"),
                TypeError,
                r"^column 'y' is of >f8, of the other byte order: pass astype\(",
            ),
            (
                lambda: winnow.select({"x": x.reshape(2, 2)}, "x > 1"),
                ValueError,
                r"^column 'x' has 2 dimensions, not 1: pass reshape\(-1\) of it$",
            ),
            (lambda: winnow.copy_if(rows, "x > 1"), TypeError, "x is no array: .*dict"),
            (
                lambda: winnow.accumulate_by_key(x, winnow.copy_if(x, "x > 1"), 4),
                TypeError,
                r"^values is a .*Result'>: pass array\(\) of it$",
            ),
            (lambda: winnow.aggregate({"x": x}, None, 3), TypeError, "mapping.*not int"),
            (lambda: winnow.col("x").like(x), TypeError, "text is wanted, not array"),
            (lambda: winnow.col(""), TypeError, "text, and not empty: not ''"),
            (lambda: winnow.col(3), TypeError, "not empty: not 3"),
        ):
            with self.subTest(message=message):
                with self.assertRaisesRegex(error, message):
                    call()

    def test_items_that_no_call_moves(self):
        """Items have no bytes, or more bytes than the library can move."""
        x, flags = np.arange(5), np.ones(5, bool)
        some = winnow.select(x, "x > 1")
        for bytes, most in ((0, 4096), (4097, 4096), (0, 16), (3, 16), (32, 16)):
            y = np.zeros((5, bytes), np.int8)
            calls = (
                ("columns\\[0\\]", lambda: winnow.partition_by_key(x, y, bits=2)),
                ("columns\\[1\\]", lambda: winnow.partition_by_key(x, x, y, bits=2)),
                ("columns\\[0\\]", lambda: winnow.partition_by_key(x, y, bits=2, align=4)),
            ) if most == 16 else (
                ("column 'y'", lambda: winnow.filter({"x": x, "y": y}, "x > 1")),
                ("x", lambda: winnow.copy_flagged(y, flags)),
                ("columns\\[0\\]", lambda: winnow.unique(x, y)),
                ("x", lambda: some.compact(y)),
                ("packed", lambda: some.expand(y)),
                ("x", lambda: some.fill_holes(y)),
                ("column 'y'", lambda: some.fill_holes({"x": x, "y": y})),
            )
            for name, call in calls:
                with self.subTest(name, bytes=bytes, most=most):
                    with self.assertRaisesRegex(ValueError, f"^{name} has items of {bytes} bytes: pass"):
                        call()

    def test_no_stream_on_the_host(self):
        x, count = np.arange(4), np.array(0)
        with self.assertRaisesRegex(winnow.ArgumentError, "stream"):
            winnow.copy_if(x, "x", out=x.copy(), count=count, stream=7)
