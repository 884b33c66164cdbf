# SPDX-License-Identifier: Apache-2.0
"""Tests of arrays on GPUs without a GPU: errors, and calls on a stand-in."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import winnow
from arrays import needs
from winnow import _winnow

here = pathlib.Path(__file__).resolve().parent


def library_of(extension):
    """Return the path of libwinnow in this process."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if "/libwinnow.so" in line:
                return line.split(maxsplit=5)[5].strip()
    return None


@needs("numpy")
class Devices(unittest.TestCase):
    @unittest.skipUnless("WINNOW_INCLUDE" in os.environ, "no sources are here")
    def test_on_stand_in(self):
        library = library_of(_winnow.__file__)
        if library is None:
            self.skipTest("the library is linked into the extension")
        include = pathlib.Path(os.environ["WINNOW_INCLUDE"]).parents[1] / "include"
        preload = os.environ.get("LD_PRELOAD", "")
        plain = {**os.environ, "LD_PRELOAD": ""}
        with tempfile.TemporaryDirectory() as work:
            made = f"{work}/stand_in.so"
            subprocess.run(
                [
                    *os.environ.get("CXX", "c++").split(),
                    *("-std=c++17", "-shared", "-fPIC", f"-I{include}"),
                    *(str(here / "stand_in.cc"), "-o", made),
                ],
                check=True,
                env=plain,
            )
            done = subprocess.run(
                [sys.executable, "-X", "dev", str(here / "on_stand_in.py")],
                env={
                    **plain,
                    "LD_PRELOAD": f"{preload} {made} {library}".strip(),
                    "PYTHONPATH": os.pathsep.join(sys.path),
                },
                capture_output=True,
                text=True,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Ran 4[0-9] tests")
