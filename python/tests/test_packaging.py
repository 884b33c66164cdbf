# SPDX-License-Identifier: Apache-2.0
"""What the module says of its types and of its ABI, by the tools that check it."""

import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

import winnow
from arrays import needs

package = pathlib.Path(winnow.__file__).parent
source = pathlib.Path(__file__).resolve().parents[1]


def run(*arguments):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", *arguments],
        capture_output=True,
        text=True,
        cwd=source,
    )
    return done.returncode, done.stdout + done.stderr


class Packaging(unittest.TestCase):
    @needs("mypy")
    def test_types(self):
        """With what pyproject asks for; types of other packages come and go."""
        with tempfile.TemporaryDirectory() as cache:
            status, text = run(
                *("mypy", "--no-site-packages", "--cache-dir", cache, "-p", "winnow")
            )
        self.assertEqual(status, 0, text)
        self.assertRegex(text, "no issues found in [23][0-9] source files")

    @needs("abi3audit")
    def test_limited_api(self):
        for name in "_winnow.abi3.so", "_ffi.abi3.so":
            if (package / name).exists():
                status, text = run(
                    *("abi3audit", "--strict", "--verbose", "--assume-minimum-abi3"),
                    *("3.11", str(package / name)),
                )
                self.assertEqual(status, 0, text)

    def test_versions(self):
        """README's table and pyproject say the same."""
        project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
        readme = (source / "README.md").read_text()
        table = dict(re.findall(r"^\| (\w+) \| (\d+\.?\d*)", readme, re.M))
        wanted = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
        asked = {
            name.split("-")[0].lower(): version
            for name, version in re.findall(r"([\w-]+) >= ([\d.]+)", " ".join(wanted))
        }
        oldest = {name.lower(): version for name, version in table.items()}
        self.assertEqual(oldest["cpython"], project["requires-python"].split()[-1])
        for row, name in ("pytorch", "torch"), ("pyarrow", "pyarrow"):
            self.assertEqual(oldest[row], asked[name], name)


if __name__ == "__main__":
    unittest.main()
