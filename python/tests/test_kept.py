# SPDX-License-Identifier: Apache-2.0
"""Tests of the cache of conditions: which are kept, how many, and that calls get the
right one."""

import os
import threading
import unittest

import winnow
from arrays import needs, np


def kept():
    return winnow.cache_info().currsize


@needs("numpy")
class Kept(unittest.TestCase):
    def setUp(self):
        winnow.cache_clear()
        self.x = np.arange(10, dtype=np.int32)

    def test_info(self):
        self.assertEqual(winnow.cache_info(), (0, 0, 512, 0))
        for text in "x > 3", "x > 3", "x > 4", winnow.col("x") > 4:
            winnow.copy_if(self.x, text)
        info = winnow.cache_info()
        self.assertEqual((info.hits, info.misses), (2, 2))
        self.assertEqual((info.maxsize, info.currsize), (512, 2))
        winnow.cache_clear()
        self.assertEqual(winnow.cache_info(), (0, 0, 512, 0))

    def test_calls(self):
        """Each function finds a condition's text in the cache at its second call."""
        x, table = self.x, {"a": self.x, "b": self.x}
        for call in (
            lambda: winnow.copy_if(x, "x > 3"),
            lambda: winnow.index_if(x, "x > 3"),
            lambda: winnow.count_if(x, "x > 3"),
            lambda: winnow.reduce_if(x, "x > 3"),
            lambda: winnow.select(x, "x > 3"),
            lambda: winnow.select(table, "a > 3"),
            lambda: winnow.filter(table, "a > 3"),
            lambda: winnow.aggregate(table, "a > 3", {"s": ("b * 2", "sum")}),
        ):
            winnow.cache_clear()
            call()
            self.assertEqual(winnow.cache_info()[:2], (0, 1))
            before = kept()
            call()
            self.assertEqual(winnow.cache_info()[:2], (1, 1))
            self.assertEqual(kept(), before)

    def test_classes_of_texts(self):
        """The cache does not call __eq__() of str subclasses, which could do
        anything."""

        class Text(str):
            def __hash__(self):
                return str.__hash__(self)

            def __eq__(self, other):
                winnow.cache_clear()
                return True

        for text in "x > 3", "x > 4", "x > 3":
            self.assertEqual(winnow.count_if(self.x, Text(text)), 9 - int(text[-1]))
        self.assertEqual(winnow.cache_info()[:2], (1, 2))
        table = {Text("a"): self.x, np.str_("b"): self.x * 2}
        for text in "a > 3", "b > 8 and a < 9", "a > 3":
            rows = winnow.filter(table, Text(text))
            right = [i for i in range(10) if eval(text, {"a": i, "b": 2 * i})]
            self.assertEqual(rows["a"].tolist(), right)
        sums = winnow.aggregate(table, Text("a > 3"), {"s": (Text("b * 2"), "sum")})
        self.assertEqual(sums["s"].sum, sum(range(4, 10)) * 4)

    def test_keys(self):
        """The same text is another entry for other names, types or formats."""
        days = np.array(["2024-01-01", "NaT", "1970-01-02"], "datetime64[D]")
        for x, text, wanted in (
            (self.x, "x < 2", [0, 1]),
            (self.x.astype("u1"), "x < 2", [0, 1]),
            (self.x.astype("f8") - 0.5, "x < 2", [-0.5, 0.5, 1.5]),
            (days, "x is null", [None]),
            (days.view("i8"), "x is null", []),
        ):
            for _ in range(2):
                made = winnow.copy_if(x, text).array()
                self.assertEqual(made.tolist(), wanted)
        self.assertEqual(kept(), 5)
        y = self.x[::-1].copy()
        for table, wanted in (
            ({"a": self.x, "b": y}, [0, 1]),
            ({"b": y, "a": self.x}, [0, 1]),
            ({"a": y, "b": self.x}, [1, 0]),
            ({"a": self.x, "c": y}, [0, 1]),
            ({"a": self.x.astype("u8"), "c": y}, [0, 1]),
            ({"a": self.x.astype("f4"), "c": days[:1].repeat(10)}, [0, 1]),
        ):
            for _ in range(2):
                self.assertEqual(winnow.filter(table, "a < 2")["a"].tolist(), wanted)

    def test_least_recently_used(self):
        first = "x > 0"
        winnow.copy_if(self.x, first)
        for i in range(1, 700):
            winnow.copy_if(self.x, f"x > {i}")
            winnow.copy_if(self.x, first)
        self.assertEqual(winnow.cache_info(), (699, 700, 512, 512))
        winnow.copy_if(self.x, "x > 699")
        self.assertEqual(winnow.cache_info()[:2], (700, 700))
        winnow.copy_if(self.x, f"x > {700 - 512}")
        self.assertEqual(winnow.cache_info()[:2], (700, 701))
        for i in range(700):  # the result is right, whatever is cached
            self.assertEqual(int(winnow.count_if(self.x, f"x > {i}")), max(0, 9 - i))

    def test_bytes(self):
        def long(i, length):
            return f"x > {i} /*{' ' * length}*/"

        for i in range(40):
            winnow.copy_if(self.x, long(i, 400_000))
        self.assertTrue(5 <= kept() <= 10, kept())
        before = kept()
        winnow.copy_if(self.x, long(0, 600_000))
        self.assertEqual(kept(), before)

    def test_what_is_not_kept(self):
        values = winnow.col("x").isin(range(100))
        for _ in range(2):
            self.assertEqual(len(winnow.copy_if(self.x, values)), 10)
            self.assertEqual(len(winnow.filter({"x": self.x}, values & "x < 3")), 3)
            self.assertEqual(
                winnow.aggregate({"x": self.x}, values, {"n": "count"})["n"].count, 10
            )
        for wrong in "x >", "y + x > 3":
            with self.assertRaises(winnow.ConditionError):
                winnow.copy_if(self.x, wrong)
        with self.assertRaises(winnow.Error):
            winnow.copy_if(self.x, winnow.cuda_condition("return x > 3;", "x"))
        self.assertEqual(kept(), 0)

    def test_prepare(self):
        """What was prepared for some columns is found for a table with more."""
        winnow.prepare("b < 3", {"b": "int32"})
        before = winnow.cache_info()
        for _ in range(2):
            rows = winnow.filter({"a": self.x, "b": self.x}, "b < 3")
            self.assertEqual(rows["a"].tolist(), [0, 1, 2])
        self.assertEqual(winnow.cache_info().hits, before.hits + 1)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork()")
    def test_fork(self):
        winnow.copy_if(self.x, "x > 3")
        child = os.fork()
        if child == 0:
            good = kept() == 0 and len(winnow.copy_if(self.x, "x > 3")) == 6
            os._exit(0 if good and kept() == 1 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(kept(), 1)

    def test_threads(self):
        """The cache drops a condition while another thread's call uses it."""
        x = np.arange(100_000, dtype=np.int32)
        wrong = []

        def work(first):
            for i in range(first, first + 400):
                if int(winnow.count_if(x, f"x < {i} or x < 5")) != max(i, 5):
                    wrong.append(i)
                if i % 50 == 0:
                    winnow.cache_clear()

        threads = [threading.Thread(target=work, args=(300 * k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_errors_name_all_columns(self):
        """Errors list all columns of the table, not only those in the text."""
        table = {"price": self.x, "id": self.x}
        for call in (
            lambda: winnow.filter(table, "prise > 5"),
            lambda: winnow.select(table, "prise > 5 and id > 3"),
            lambda: winnow.aggregate(table, "prise > 5", {"n": "count"}),
        ):
            with self.assertRaisesRegex(
                winnow.ConditionError, "The columns are price, id"
            ):
                call()
