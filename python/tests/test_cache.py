# SPDX-License-Identifier: Apache-2.0
"""Tests of the cache directory of compiled code."""

import os
import pathlib
import tempfile
import unittest

import winnow


class Cache(unittest.TestCase):
    def tearDown(self):
        winnow.cache(None)

    def test_clear(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "0123456789abcdef0123456789abcdef.cubin")
            other = os.path.join(folder, "notes.txt")
            for path in (kept, other):
                pathlib.Path(path).touch()
            winnow.cache(pathlib.Path(folder), most_bytes=1000)
            winnow.clear_cache()
            self.assertFalse(os.path.exists(kept))
            self.assertTrue(os.path.exists(other), "it is not ours")

    def test_none(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = os.path.join(folder, "0123456789abcdef0123456789abcdef.cubin")
            pathlib.Path(kept).touch()
            winnow.cache(folder)
            winnow.cache(None)
            winnow.clear_cache()
            self.assertTrue(os.path.exists(kept))

    def test_wrong(self):
        with self.assertRaises(winnow.ArgumentError):
            winnow.cache("/" + "x" * 5000)
        with self.assertRaises(OverflowError):
            winnow.cache("/tmp", -1)
        with self.assertRaises(TypeError):
            winnow.cache(3)
