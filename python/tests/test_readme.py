# SPDX-License-Identifier: Apache-2.0
"""What the READMEs show runs where the packages that it names are installed, and
prints what its comments say."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import unittest

from arrays import needs


def programs(path):
    """The blocks of Python."""
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.M | re.S)


def packages(program):
    """What it imports."""
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
        """A block goes on from those before it."""
        names, lines = {}, 0
        for program in programs(self.python / "README.md"):
            if packages(program) <= {"numpy", "pyarrow", "winnow"}:
                if not all(map(importlib.util.find_spec, packages(program))):
                    continue
                lines += self.check(program, names)
        self.assertGreater(lines, 5)
