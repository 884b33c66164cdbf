# SPDX-License-Identifier: Apache-2.0
"""Tests of winnow-filter without memory: one allocation of Python or of the module
fails, in six commands. Either the program prints a line and ends with the status for
no memory and without output, or it succeeds without this allocation.

pyarrow may crash when it lacks memory, since it does not check every result of the
interpreter. Then there must be no output either.
"""

import faulthandler
import linecache
import os
import re
import signal
import subprocess
import sys
import time
import unittest
import warnings

from arrays import SEED, needs, pa, trials
from test_files import Folder, rows_of, write
from winnow import _command

try:
    import _testcapi
except ImportError:
    _testcapi = None
if pa:
    # Import these first, so that no import in winnow-filter fails.
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.parquet
    from winnow import _arrow, _csv, _files, _output, _progress, _types  # noqa: F401

COMMANDS = (
    ("x > 3", "a.parquet", "-o", "out.parquet"),
    ("x > 3", "a.csv"),
    ("x > 3 and x < 8", "a.arrows", "-o", "out.csv", "--columns", "name,x"),
    ("x > 3", "a.parquet", "--count"),
    ("x > 3", "a.csv", "--types", "x=int32", "-o", "out.arrow"),
    ("x > 3", "a.csv", "a.csv", "--format", "tsv"),
)
FORMAT, OUTPUT, NO_MEMORY = 4, 5, 7
# Each of the commands makes fewer allocations of Python and the module than this.
ALLOCATIONS = 5000
SECONDS = 60
# Set in the process of the test.
ALONE = "WINNOW_TEST_MEMORY_ALONE"


@unittest.skipUnless(_testcapi, "the interpreter has no _testcapi")
@needs("pyarrow")
class Memory(Folder):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        for name in ("a.parquet", "a.csv", "a.arrows"):
            write(rows_of(10), name)
        self.inputs = set(os.listdir())

    def child(self, command, number):
        for stream, path in ((1, "lines"), (2, "errors")):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), stream)
        sys.stdout = open(1, "w", closefd=False)
        sys.stderr = open(2, "w", closefd=False)
        faulthandler.enable(sys.stderr)
        # The interpreter closes files that could not be opened completely, and warns.
        warnings.simplefilter("ignore", ResourceWarning)
        if number is not None:
            _testcapi.set_nomemory(number, number + 1)
        _command.main(command)

    def run_one(self, command, number):
        """Run a command. Return its status, its output, its errors, and the files'
        names."""
        for name in set(os.listdir()) - self.inputs:
            os.unlink(name)
        process = os.fork()
        if process == 0:
            try:
                self.child(command, number)
            finally:
                os._exit(99)
        end = time.monotonic() + SECONDS
        ended = 0
        while ended == 0:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended == 0 and time.monotonic() > end:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                self.fail(f"{command}, allocation {number}: it does not end")
            time.sleep(0.002)
        with open("lines", "rb") as lines, open("errors", encoding="utf-8") as errors:
            told = lines.read(), errors.read()
        made = set(os.listdir()) - self.inputs - {"lines", "errors"}
        return os.waitstatus_to_exitcode(status), *told, made

    def crashed_in_pyarrow(self, errors):
        # The interpreter's own check failed, in a call without a line of Python.
        if re.search(r"\A/arrow/[^\n]*:  Check failed: ", errors):
            return True
        at = re.search(r'Current thread .*\n  File "(.*)", line (\d+) in', errors)
        line = linecache.getline(at[1], int(at[2])) if at else ""
        # All operators in _pushdown.py are those of pyarrow's expressions.
        is_in = at and re.search(r"pyarrow|/_pushdown\.py", at[1])
        return is_in or re.search(r"\bp[ac]\.", line) if at else False

    def check(self, command, number, whole):
        """Check a command. Return whether it made the allocation."""
        status, lines, errors, made = found = self.run_one(command, number)
        outputs = {name for name in made if not name.startswith(".winnow-")}
        if found == whole:
            return False
        self.assertEqual(outputs, set(), (command, number, found))
        if status in (-signal.SIGABRT, -signal.SIGSEGV):
            self.assertTrue(self.crashed_in_pyarrow(errors), (command, number, errors))
            return True
        self.assertEqual(made, set(), (command, number, found))
        # The interpreter may lose the error for which it closed a file.
        is_closed = errors.endswith(": I/O operation on closed file\n")
        if not (is_closed and status in (FORMAT, OUTPUT)):
            self.assertEqual(status, NO_MEMORY, (command, number, found))
            self.assertRegex(errors, r"\Awinnow-filter: no memory:[^\n]*\n\Z")
        self.assertIn(lines, (b"", whole[1]), (command, number))
        return True

    def test_each_kth_allocation(self):
        """Run in a new process. A forked child of a process in which PyTorch or JAX has
        threads may wait forever for a lock that such a thread held."""
        if ALONE in os.environ:
            self.fail_each_kth_allocation()
            return
        done = subprocess.run(
            [sys.executable, "-m", "unittest", "-q", self.id()],
            env=os.environ | {ALONE: "1", "PYTHONPATH": os.pathsep.join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def fail_each_kth_allocation(self):
        points = trials(25)
        for command in COMMANDS:
            whole = self.run_one(command, None)
            self.assertEqual((whole[0], whole[2]), (0, ""), whole)
            step = max(ALLOCATIONS // points, 1)
            failed = [
                self.check(command, number, whole)
                for number in range(SEED % step, ALLOCATIONS, step)
            ]
            # The last numbers exceed the allocations that the command makes.
            self.assertGreater(sum(failed), points // 4, command)
