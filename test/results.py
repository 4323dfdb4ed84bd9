# SPDX-License-Identifier: MIT
"""Summarizes the last run of the tests from meson's log, build/meson-logs/testlog.json.

    python3 test/results.py LOG             prints "passed failed skipped", counted in checks
    python3 test/results.py LOG --skips     prints which checks were skipped and why, a line for each reason
    python3 test/results.py LOG --failures  prints the failed checks of each failed program, and the end of its output

The log has a JSON object for every test program. The checks of a program are the TAP lines of its output; a program
without TAP is one check. A program that went wrong without a failed check is a failure.
"""
import json
import re
import sys

GOOD = ("OK", "EXPECTEDFAIL", "SKIP")  # results of programs that did not fail


def read_log(path):
    """Returns the programs of the log, none if there is no log."""
    try:
        with open(path, encoding="utf-8") as log:
            return [json.loads(line) for line in log]
    except OSError:
        return []


def count_checks(programs):
    passed = failed = skipped = 0
    for program in programs:
        checks = re.findall(r"^(not )?ok\b([^\n]*)", program.get("stdout") or "", re.MULTILINE)
        bad = 0
        for negated, rest in checks:
            if re.search(r"#\s*skip", rest, re.IGNORECASE):
                skipped += 1
            elif negated:
                bad += 1
            else:
                passed += 1
        if program["result"] in GOOD:
            if not checks and program["result"] == "SKIP":
                skipped += 1
            elif not checks:
                passed += 1
        else:
            bad = bad or 1
        failed += bad
    return passed, failed, skipped


def list_skips(programs):
    """Returns {reason: {program: number of checks}}; a program that was skipped as a whole is one check."""
    reasons = {}
    for program in programs:
        name = program["name"].split(" / ")[-1]
        for why in re.findall(r"^(?:ok\b[^\n]*|1\.\.0\s*)#\s*skip\S*[ :]*([^\n]*)", program.get("stdout") or "", re.MULTILINE | re.IGNORECASE):
            programs_of_reason = reasons.setdefault(why.strip() or "no reason given", {})
            programs_of_reason[name] = programs_of_reason.get(name, 0) + 1
    return reasons


def list_failures(programs, most=20):
    """Returns a text: for each failed program its first failed checks and the end of its output, at most `most` lines each."""
    lines = []
    for program in programs:
        if program["result"] in GOOD:
            continue
        lines.append(f"{program['name']}: {program['result']}, {program['duration']:.0f} s")
        printed = (program.get("stdout") or "").splitlines()
        lines += ["    " + line[:300] for line in printed if line.startswith("not ok")][:most]
        for name, text in (("output", printed), ("errors", (program.get("stderr") or "").splitlines())):
            told = [line for line in text if not re.match(r"(not )?ok\b", line)]
            lines += [f"  end of its {name}:"] * bool(told) + ["    " + line[:300] for line in told[-most:]]
    return "\n".join(lines)


def main():
    programs = read_log(sys.argv[1])
    if sys.argv[2:] == ["--failures"]:
        print(list_failures(programs))
        return
    if sys.argv[2:] != ["--skips"]:
        print(*count_checks(programs))
        return
    for why, names in list_skips(programs).items():
        print(f"{why}: " + ", ".join(name if count == 1 else f"{name} ({count} checks)" for name, count in names.items()))


main()
