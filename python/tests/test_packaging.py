# SPDX-License-Identifier: Apache-2.0
"""Tests of the module's types and ABI, by the tools that check them."""

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
        """mypy accepts the module with pyproject's settings, without the types of other
        packages."""
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

    @unittest.skipUnless((source / "pyproject.toml").exists(), "no sources are here")
    def test_versions(self):
        """README's table and pyproject name the same versions. CI runs the oldest and
        newest."""
        whole = tomllib.loads((source / "pyproject.toml").read_text())
        project, newest = whole["project"], whole["tool"]["winnow"]["newest"]
        wanted = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
        oldest = {
            name.split("-")[0]: version
            for name, version in re.findall(r"([\w-]+) >= ([\d.]+)", " ".join(wanted))
        }
        rows = re.findall(
            r"^\| (\w+) \| (\d+\.?\d*) \| (\d+\.?\d*) \|",
            (source / "README.md").read_text(),
            re.M,
        )
        said = {name.lower().replace("pytorch", "torch"): ends for name, *ends in rows}
        python = said.pop("cpython")
        self.assertEqual(python[0], project["requires-python"].split()[-1])
        self.assertEqual(said, {name: [oldest[name], newest[name]] for name in newest})
        for file, ends in ("python-oldest.txt", oldest), ("python-tests.txt", newest):
            text = (source.parent / "tools" / file).read_text()
            for name in "torch", "pyarrow":
                self.assertRegex(text, rf"(?m)^{name}=={re.escape(ends[name])}\.")


class Info(unittest.TestCase):
    def lines(self, *distributions, module=True):
        """Return info's lines about CuPy if only these distributions are installed."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for distribution, version, *left in distributions:
                prefix = left[0] if left else distribution.replace("-", "_")
                made = folder / f"{prefix}-{version}.dist-info"
                made.mkdir()
                (made / "METADATA").write_text(
                    f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
                )
                (made / "RECORD").write_text("cupy/__init__.py,,\n")
            if module:
                (folder / "cupy").mkdir()
                (folder / "cupy" / "__init__.py").write_text("")
            done = subprocess.run(
                [sys.executable, "-S", "-c", SAY, name, str(package.parent)],
                capture_output=True,
                text=True,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line for line in done.stdout.splitlines() if line.startswith("cupy")]

    def test_cupy(self):
        """info finds CuPy under each name of its distributions."""
        self.assertEqual(self.lines(("cupy", "14.2.0")), ["cupy 14.2.0"])
        for name in (
            *("cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x"),
            *("cupy-rocm-5-0", "cupy-rocm-7-0"),
        ):
            self.assertEqual(self.lines((name, "14.2.0")), [f"cupy ({name}) 14.2.0"])
        self.assertEqual(
            self.lines(("cupy-cuda13x", "14.2.0"), ("cupy-cuda12x", "13.6.0")),
            ["cupy (cupy-cuda12x) 13.6.0", "cupy (cupy-cuda13x) 14.2.0"],
        )
        self.assertEqual(self.lines(module=False), ["cupy: not installed"])
        # A checkout, and the remains of a failed pip.
        unknown = ["cupy: installed, and no distribution says which version"]
        self.assertEqual(self.lines(), unknown)
        self.assertEqual(self.lines(("cupy-cuda13x", "14.2.0", "~upy_cuda13x")), unknown)


SAY = """
import sys
sys.path[:0] = sys.argv[1:]
from winnow.__main__ import packages
print(*packages(), sep="\\n")
"""


if __name__ == "__main__":
    unittest.main()
