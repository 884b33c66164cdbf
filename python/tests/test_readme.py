# SPDX-License-Identifier: Apache-2.0
"""Tests that the READMEs' programs run, if the packages that they import are installed,
and print what their comments say."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import unittest

from arrays import needs


def programs(path):
    """Return the blocks of Python in a document."""
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.M | re.S)


def packages(program):
    """Return the packages that a program imports."""
    named = re.findall(r"^(?:import|from) (.*?)(?: import .*)?$", program, re.M)
    return {
        part.split()[0].split(".")[0] for names in named for part in names.split(",")
    }


@needs("numpy")
@unittest.skipUnless("WINNOW_INCLUDE" in os.environ, "no sources are here")
class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = pathlib.Path(os.environ["WINNOW_INCLUDE"]).parent

    def check(self, program, names):
        wanted = re.findall(r"^print\(.*\) *# (.*)$", program, re.M)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, names)
        self.assertEqual(printed.getvalue().splitlines(), wanted)
        return len(wanted)

    def test_first_page(self):
        lines = 0
        for program in programs(self.python.parent / "README.md"):
            self.assertLessEqual(packages(program), {"numpy", "winnow"})
            lines += self.check(program, {})
        self.assertGreater(lines, 3)

    def test_python(self):
        """Each block continues from the blocks before it."""
        names, lines = {}, 0
        for program in programs(self.python / "README.md"):
            if packages(program) <= {"numpy", "pyarrow", "winnow"}:
                if not all(map(importlib.util.find_spec, packages(program))):
                    continue
                lines += self.check(program, names)
        self.assertGreater(lines, 5)
