# SPDX-License-Identifier: MIT
"""Runs the tests of a directory by pytest and reports them as TAP; skips, and says so, without pytest.

    python3 run.py DIRECTORY [ARGUMENTS OF PYTEST]
"""
import sys

try:
    import pytest
except ImportError:
    print("1..0 # SKIP there is no pytest (Debian: python3-pytest)")
    sys.exit(0)


class Tap:
    def __init__(self):
        self.count = 0

    def pytest_addoption(self, parser):
        parser.addoption("--verbose", dest="verbose", type=int, default=1)  # of the terminal, which long differences ask for

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
            self.count += 1
            name = report.nodeid.split("/")[-1].replace("#", " ")
            if report.outcome == "skipped":
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
                print(f"ok {self.count} - {name} # SKIP {reason}", flush=True)
            else:
                print(f"{'ok' if report.passed else 'not ok'} {self.count} - {name}", flush=True)
                if not report.passed:
                    print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()), flush=True)

    def pytest_collectreport(self, report):
        if report.failed:
            self.count += 1
            print(f"not ok {self.count} - {report.nodeid}")
            print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()), flush=True)


def main():
    tap = Tap()
    code = pytest.main(["-p", "no:terminal", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[tap])
    print(f"1..{tap.count}")
    return 0 if code == 0 else 1


if __name__ == "__main__":  # processes that tests start import this file
    sys.exit(main())
