# SPDX-License-Identifier: Apache-2.0
"""Tests of threads, processes and the command line."""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest

import winnow
from arrays import needs, np


class CommandLine(unittest.TestCase):
    def test_versions(self):
        done = subprocess.run(
            [sys.executable, "-m", "winnow"], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"winnow {winnow.__version__}", done.stdout)
        self.assertIn("CPU: can be used", done.stdout)

    def test_distributions(self):
        """info finds a package under any name of its distribution."""
        with tempfile.TemporaryDirectory() as folder:
            info = pathlib.Path(folder) / "cupy_cuda13x-14.2.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(
                "Metadata-Version: 2.1\nName: cupy-cuda13x\nVersion: 14.2.0\n"
            )
            (info / "top_level.txt").write_text("cupy\n")
            done = subprocess.run(
                [sys.executable, "-m", "winnow", "info"],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join([*sys.path, folder]),
                },
                capture_output=True,
                text=True,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cupy (cupy-cuda13x) 14.2.0", done.stdout)


@needs("numpy")
class Processes(unittest.TestCase):
    def test_fork(self):
        x = np.arange(2_000_000)
        winnow.set_threads(2)
        wanted = int(winnow.count_if(x, "x >= 1000000"))
        child = os.fork()
        if child == 0:
            try:
                winnow.set_threads(2)
                os._exit(int(winnow.count_if(x, "x >= 1000000")) != wanted)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        winnow.set_threads(0)

    def test_spawned(self):
        condition = winnow.col("x") > 2
        code = (
            "import pickle, sys, numpy, winnow\n"
            "condition = pickle.load(sys.stdin.buffer)\n"
            "print(winnow.count_if(numpy.arange(5), condition))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps(condition),
            capture_output=True,
        )
        self.assertEqual(done.stdout, b"2\n", done.stderr)

    @needs("torch")
    def test_first_array(self):
        """The first NumPy array of a process may be n=."""
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import numpy, torch, winnow\n"
                "x = torch.arange(10, device='cpu')\n"
                "for n in numpy.array(17), numpy.array([7]):\n"
                "    print(winnow.copy_if(x, 'x > 3', n=n).array().tolist())",
            ],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.stdout, "[4, 5, 6, 7, 8, 9]\n[4, 5, 6]\n", done.stderr)

    def test_threads(self):
        x = np.arange(300_000)
        wrong = []

        def work(seed):
            for i in range(40):
                limit = (seed * 7919 + i * 104729) % 300_000
                if winnow.count_if(x, f"x >= {limit}") != 300_000 - limit:
                    wrong.append(limit)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
