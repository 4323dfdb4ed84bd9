# SPDX-License-Identifier: MIT
"""Runs the tests of a directory by pytest and reports them as TAP. Without pytest it skips them.

    python3 run.py DIRECTORY [ARGUMENTS OF PYTEST]
"""
import contextlib
import os
import signal
import sys

try:
    import pytest
except ImportError:
    print("1..0 # SKIP there is no pytest (Debian: python3-pytest)")
    sys.exit(0)


class Tap:
    def __init__(self):
        self.count = 0
        self.output = sys.stdout

    def print(self, text):
        print(text, file=self.output, flush=True)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
            self.count += 1
            name = report.nodeid.split("/")[-1].replace("#", " ")
            if report.outcome == "skipped":
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
                self.print(f"ok {self.count} - {name} # SKIP {str(reason).removeprefix('Skipped: ')}")
            else:
                self.print(f"{'ok' if report.passed else 'not ok'} {self.count} - {name}")
                if not report.passed:
                    self.print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()))

    def pytest_collectreport(self, report):
        if report.failed:
            self.count += 1
            self.print(f"not ok {self.count} - {report.nodeid}")
            self.print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()))


def main():
    tap = Tap()
    if sys.stdin is None:  # pytest collects nothing if standard input is closed, as in some services
        sys.stdin = open(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background processes of a shell ignore this signal
    with open(os.devnull, "w", encoding="utf-8") as nothing, contextlib.redirect_stdout(nothing):
        # drops pytest's report, but keeps the plugin, which assertions need to show differences
        code = pytest.main(["-v", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[tap])
    tap.print(f"1..{tap.count}")
    return 0 if code == 0 else 1


if __name__ == "__main__":  # processes started by tests import this file
    sys.exit(main())
