# SPDX-License-Identifier: Apache-2.0
"""Tests of finding NVRTC in PyPI's wheels."""

import os
import sys
import tempfile
import unittest
from unittest import mock

from winnow import _nvrtc


class Wheels(unittest.TestCase):
    def make(self, site, file):
        path = os.path.join(site, "nvidia", file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb"):
            pass
        return path

    def test_found(self):
        with (
            tempfile.TemporaryDirectory() as first,
            tempfile.TemporaryDirectory() as second,
            mock.patch.object(sys, "path", ["", first, second]),
            mock.patch.dict(os.environ),
        ):
            os.environ.pop("WINNOW_NVRTC_FALLBACK", None)
            _nvrtc.tell()
            self.assertNotIn("WINNOW_NVRTC_FALLBACK", os.environ)
            old = self.make(first, "cuda_nvrtc/lib/libnvrtc.so.12")
            _nvrtc.tell()
            self.assertEqual(os.environ["WINNOW_NVRTC_FALLBACK"], old)
            new = self.make(second, "cu13/lib/libnvrtc.so.13")
            _nvrtc.tell()
            self.assertEqual(os.environ["WINNOW_NVRTC_FALLBACK"], old, "it was set")
            del os.environ["WINNOW_NVRTC_FALLBACK"]
            _nvrtc.tell()
            self.assertEqual(os.environ["WINNOW_NVRTC_FALLBACK"], new)
