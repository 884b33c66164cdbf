# SPDX-License-Identifier: Apache-2.0
"""Run the tests as unittest does, and report each test by TAP when it ends."""

import os
import sys
import unittest


def progress(text):
    """Report the progress to the program that counts the tests of all programs."""
    path = os.environ.get("WINNOW_TEST_PROGRESS")
    if path:
        with open(path, "a") as file:
            file.write(f"{text}\n")


class Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.failed, self.reason = False, None

    def tell(self, kind, test, error):
        self.failed = True
        print(f"{kind}: {test}\n{self._exc_info_to_string(error, test)}", flush=True)

    def addError(self, test, error):
        super().addError(test, error)
        self.tell("ERROR", test, error)
        if not isinstance(test, unittest.TestCase):  # a module, a class
            print(f"not ok - {test.id()}", flush=True)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.tell("FAIL", test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.tell("FAIL", subtest, error)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.failed = True

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.reason = reason

    def stopTest(self, test):
        super().stopTest(test)
        word = "not ok" if self.failed else "ok"
        skip = "" if self.failed or self.reason is None else f" # SKIP {self.reason}"
        print(f"{word} - {test.id()}{skip}", flush=True)
        progress("ended")


def main(folder):
    loader = unittest.TestLoader()
    patterns = os.environ.get("WINNOW_PYTHON_TESTS", "").split()
    if patterns:
        loader.testNamePatterns = [p if "*" in p else f"*{p}*" for p in patterns]
    tests = loader.discover(folder)
    print(f"1..{tests.countTestCases()}", flush=True)
    progress(f"tests {tests.countTestCases()}")
    result = Result()
    tests.run(result)
    print(f"# Ran {result.testsRun} tests", flush=True)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(os.path.dirname(os.path.abspath(__file__))))
