# SPDX-License-Identifier: Apache-2.0
"""What the READMEs show is what is printed."""

import contextlib
import io
import os
import pathlib
import re
import unittest

from arrays import needs


@needs("numpy")
@unittest.skipUnless("WINNOW_INCLUDE" in os.environ, "no sources are here")
class Readme(unittest.TestCase):
    def check(self, path):
        text = path.read_text()
        program = re.search(r"^```python\n(.*?)^```$", text, re.M | re.S).group(1)
        wanted = re.findall(r"^print\(.*\) *# (.*)$", program, re.M)
        self.assertGreater(len(wanted), 3)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(program, {})
        self.assertEqual(printed.getvalue().splitlines(), wanted)

    def test_first_programs(self):
        python = pathlib.Path(os.environ["WINNOW_INCLUDE"]).parent
        self.check(python / "README.md")
        self.check(python.parent / "README.md")


