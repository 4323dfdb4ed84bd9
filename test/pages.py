# SPDX-License-Identifier: MIT
"""README.md and the pages of docs/ must show what really happens. Runs the commands, programs and Python code of each
page in a separate folder that contains examples/, and compares their output with the page; prints TAP.

    python3 test/pages.py SOURCE BUILD COMMAND [--keep DIRECTORY] [PAGE...]

    ```console   lines "$ command", each with what it prints; a line that ends with \ goes on in the next one
    ```python    statements; all of a page share their names
    ```text      right behind a block of Python: what that prints

A line "..." stands for any lines, and "..." within a line for any text. Numbers may differ by rounding, and spaces by
their count; -0 differs from 0. Commands print to a terminal of 92 columns, where they wrap lines as for a user, and to
pipes and files as usual. Comments directly above a block add instructions:

    <!-- file: NAME -->      the block is written to that file, whatever its language is
    <!-- needs: NAME -->     a program, a module (python:NAME), or view, the page of tandem view; without it the block is skipped
    <!-- within: 0.1 -->     numbers may differ by that part, such as counts of steps
    <!-- exit: 2 -->         commands of the block end with that status, and not with 0
    <!-- not run: REASON --> the block is not run

In docs/guides every block must be one of these. TD_UPDATE_GOLDEN=1 in the environment writes the output into the pages:
review the changes. --keep leaves the folder of each page in DIRECTORY, named after the page.
"""
import argparse
import contextlib
import dataclasses
import fcntl
import importlib
import importlib.util
import io
import math
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import traceback

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
FENCE = re.compile(r"^```(\S*)\s*$")
MARK = re.compile(r"^<!-- (file|needs|within|exit|not run): (.*?) -->$")


@dataclasses.dataclass
class Block:
    """Lines of a fenced block and its position: start is the index of its first line in the page."""

    language: str
    start: int
    lines: list
    marks: dict
    follows: bool  # directly after another block


def blocks_of(text):
    lines, found, at, last_end = text.split("\n"), [], 0, -9
    while at < len(lines):
        opened = FENCE.match(lines[at])
        at += 1
        if not opened:
            continue
        end = lines.index("```", at)
        marks, above = {}, at - 2
        while above >= 0 and (mark := MARK.match(lines[above])):
            marks[mark[1]] = mark[2]
            above -= 1
        between = [line for line in lines[last_end + 1:at - 1] if line.strip()]
        found.append(Block(opened[1], at, lines[at:end], marks, not between))
        at, last_end = end + 1, end
    return found


# ---- comparison

def same_line(wanted, printed, within):
    if "..." in wanted:
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in wanted.split("..."))
        return re.fullmatch(pattern.replace(r"\ ", " ?"), " ".join(printed.split())) is not None
    texts = [[" ".join(part.split()) for part in NUMBER.split(line)] for line in (wanted, printed)]
    words = [NUMBER.findall(line) for line in (wanted, printed)]
    numbers = [[float(word) for word in line] for line in words]
    zeros = [[word == "-0" for word in line] for line in words]
    return texts[0] == texts[1] and zeros[0] == zeros[1] and all(math.isclose(a, b, rel_tol=within, abs_tol=1e-9) for a, b in zip(*numbers))


def same(wanted, printed, within=2e-4):
    """Returns whether the lines are equal, ignoring empty lines."""
    if not wanted:
        return not printed
    if wanted[0].strip() == "...":
        return any(same(wanted[1:], printed[skip:], within) for skip in range(len(printed) + 1))
    return bool(printed) and same_line(wanted[0], printed[0], within) and same(wanted[1:], printed[1:], within)


def full(lines):
    return [line.rstrip() for line in lines if line.strip()]


# ---- running

def is_here(need):
    if need == "view":
        return is_here("python:tandem") and bool(importlib.import_module("tandem._native").lib.view_page_size())
    if need.startswith("python:"):
        return importlib.util.find_spec(need[7:]) is not None
    return shutil.which(need) is not None


def commands_of(block):
    """Returns (shown lines, command, expected output) for each "$ " in the block."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append([[line], line[2:], []])
        elif found and found[-1][0][-1].endswith("\\") and not found[-1][2]:
            found[-1][0].append(line)
            found[-1][1] += "\n" + line
        elif found:
            found[-1][2].append(line)
    return found


def run_in_terminal(command, environment):
    """Runs the command with a terminal of 92 columns as output; returns its status and what it printed."""
    master, terminal = pty.openpty()
    settings = termios.tcgetattr(terminal)
    settings[1] &= ~termios.OPOST  # no carriage returns
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 92, 0, 0))
    with subprocess.Popen(["sh", "-c", command], env=environment, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        printed = b""
        with contextlib.suppress(OSError):  # the terminal ends when nobody writes any more
            while part := os.read(master, 65536):
                printed += part
        os.close(master)
        status = process.wait()
    # text as a terminal shows it: a progress line is overwritten by the next one
    return status, "\n".join(line.rpartition("\x1b[K")[2] for line in printed.decode("utf-8", "replace").split("\n"))


def same_output(command, wanted, printed, within):
    """Returns whether a command printed that. The order of messages and output is arbitrary between the commands of a
    pipe."""
    if same(wanted, printed, within):
        return True
    if "|" not in command:
        return False
    parts = [[[line for line in lines if line.startswith("tandem:") == message] for message in (True, False)] for lines in (wanted, printed)]
    return all(same(*pair, within) for pair in zip(*parts))


def run_console(block, environment):
    """Returns the block with the actual output, and the fault."""
    shown, faults = [], []
    for number, (lines, command, wanted) in enumerate(commands_of(block)):
        status, output = run_in_terminal(command, environment)
        printed = output.rstrip("\n").split("\n") if output else []
        if not same_output(command, full(wanted), full(printed), float(block.marks.get("within", 2e-4))):
            faults += [f"$ {command}"] + [f"shown:   {line}" for line in full(wanted)] + [f"printed: {line}" for line in full(printed)]
        else:
            printed = wanted
        if status != int(block.marks.get("exit", 0)):
            faults.append(f"exit status {status}: $ {command}")
        while printed and not printed[-1].strip():
            printed.pop()
        shown += ([""] if number else []) + lines + printed
    return shown, faults


def run_python(block, after, names, page):
    printed, faults = io.StringIO(), []
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * block.start + "\n".join(block.lines), page, "exec"), names)
    except Exception:  # pylint: disable=broad-except
        return None, traceback.format_exc().splitlines()[-6:]
    lines = printed.getvalue().rstrip("\n").split("\n") if printed.getvalue() else []
    wanted = after.lines if after else []
    if not same(full(wanted), full(lines), float(block.marks.get("within", 2e-4))):
        faults = [f"shown:   {line}" for line in full(wanted)] + [f"printed: {line}" for line in full(lines)]
    return lines if faults else wanted, faults


class Run:
    def __init__(self, options):
        self.source, self.update = options.source, os.environ.get("TD_UPDATE_GOLDEN") == "1"
        self.count, self.failed = 0, False
        build = options.build
        self.tools = tempfile.mkdtemp()
        python = pathlib.Path(self.tools, "python3")
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        self.environment = {key: value for key, value in os.environ.items() if key not in ("ARGP_HELP_FMT", "COLUMNS", "PKG_CONFIG_LIBDIR")}
        self.environment.update(
            PATH=os.pathsep.join([str(options.command.parent), self.tools, os.environ.get("PATH", "")]), NO_COLOR="1",
            LC_ALL="C.UTF-8", PKG_CONFIG_PATH=str(build / "meson-uninstalled"), MPLBACKEND="agg",
            LD_LIBRARY_PATH=os.pathsep.join([str(build), str(build / "lib" / "simulation")]))

    def report(self, title, faults, skipped=""):
        self.count += 1
        self.failed = self.failed or bool(faults)
        print(f"{'not ok' if faults else 'ok'} {self.count} - {title}{' # SKIP ' + skipped if skipped else ''}", flush=True)
        for line in faults:
            print(f"# {line}")

    def block(self, page, block, after, names):
        """Returns the actual content of the block or of the text after it (None: unchanged), and the fault."""
        if "file" in block.marks:
            path = pathlib.Path(block.marks["file"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            return None, []
        if block.language == "console":
            return run_console(block, self.environment)
        return run_python(block, after, names, page)

    def page(self, page, folder):
        text = (self.source / page).read_text(encoding="utf-8")
        blocks, lines, names = blocks_of(text), text.split("\n"), {"__name__": "__main__"}
        edits = []
        os.chdir(folder)
        os.symlink(self.source / "examples", "examples")
        for block, after in zip(blocks, blocks[1:] + [None]):
            title = f"{page}:{block.start}"
            after = after if after and after.language == "text" and after.follows and block.language == "python" else None
            run = block.language in ("console", "python") or "file" in block.marks
            if "not run" in block.marks or not run:
                if page.startswith("docs/guides/") and "not run" not in block.marks and not (block.language == "text" and block.follows):
                    self.report(title, ["neither run nor marked as not run"])
                continue
            missing = [need for need in block.marks.get("needs", "").split(", ") if need and not is_here(need)]
            if block.language == "python" and "file" not in block.marks and not is_here("python:tandem"):
                missing.append("the Python package")
            if missing:
                self.report(title, [], "there is no " + ", ".join(missing))
                continue
            if names is None and block.language == "python" and "file" not in block.marks:
                continue  # an earlier one has failed
            new, faults = self.block(page, block, after, names)
            if faults and new is None:
                names = None
            place = after or (block if block.language == "console" else None)
            if self.update and faults and new is not None and place:
                edits.append((place, new))
            self.report(title, faults)
        for place, new in reversed(edits):
            lines[place.start:place.start + len(place.lines)] = new
        if edits:
            (self.source / page).write_text("\n".join(lines), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "build", "command"):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--keep", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    pages = options.pages or ["README.md", *sorted(str(path.relative_to(options.source)) for path in
                                                   options.source.glob("docs/**/*.md"))]
    run = Run(options)
    scratch = options.keep or pathlib.Path(tempfile.mkdtemp())
    try:
        for page in pages:
            folder = scratch / pathlib.Path(page).with_suffix("")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            run.page(page, folder)
    finally:
        os.chdir("/")
        shutil.rmtree(run.tools, ignore_errors=True)
        if not options.keep:
            shutil.rmtree(scratch, ignore_errors=True)
    print(f"1..{run.count}")
    return 1 if run.failed or not run.count else 0


if __name__ == "__main__":
    sys.exit(main())
