# SPDX-License-Identifier: MIT
"""Checks of the scripts that test the command, reported as TAP: each is a function that raises where it fails."""
import sys
import traceback

results = []


def check(title, function, *arguments):
    try:
        function(*arguments)
        results.append(True)
        print(f"ok {len(results)} - {title}")
    except Exception as error:  # a failure is a line of the report
        results.append(False)
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"not ok {len(results)} - {title}\n# line {where.lineno}: {where.line}\n# " + repr(error)[:2000].replace("\n", "\n# "))


def skip(title, reason):
    """A check that cannot be made here."""
    results.append(True)
    print(f"ok {len(results)} - {title} # SKIP {reason}")


def finish():
    """Ends the script, with what all checks said."""
    print(f"1..{len(results)}")
    sys.exit(0 if all(results) else 1)
