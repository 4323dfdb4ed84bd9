# SPDX-License-Identifier: MIT
"""Checks of the scripts that test the command, reported as TAP. Each check is a function that raises an exception on
failure.
"""
import sys
import traceback

results = []


def check(title, function, *arguments):
    try:
        function(*arguments)
        results.append(True)
        print(f"ok {len(results)} - {title}")
    except Exception as error:  # a failure becomes a line of the report
        results.append(False)
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"not ok {len(results)} - {title}\n# line {where.lineno}: {where.line}\n# " + repr(error)[:2000].replace("\n", "\n# "))


def skip(title, reason):
    """Skips a check that cannot be made here."""
    results.append(True)
    print(f"ok {len(results)} - {title} # SKIP {reason}")


def finish():
    """Ends the script and reports all checks."""
    print(f"1..{len(results)}")
    sys.exit(0 if all(results) else 1)
