# SPDX-License-Identifier: MIT
"""A copy of the project, built once with all faults in it."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from . import faults, python_places, schemata, statements

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent

# Files without a fault are compiled unchanged, so that ccache finds them from other builds.
compiler = """#!/bin/sh
case " $* " in
*" -c "* | *" -E "* | *" -M"* | *" -fsyntax-only "*)
    exec {launcher} cc "$@" ;;
*/libcheck* | *" -lcheck"*) exec cc "$@" -Wl,--wrap=_tcase_add_test {here}/libtd_check.a {libraries} ;;
*) exec cc "$@" {libraries} ;;
esac
"""
libraries = "-L{here} -Wl,-rpath,{here} -Wl,--push-state,--no-as-needed -ltd_mutation -Wl,--pop-state"

options = ["-Davx512=false", "-Dtests=enabled", "-Dtools=enabled", "-Dpeers=disabled", "-Dview=disabled"]


def tracked_files():
    """Returns the paths of the project's current files, relative to its root."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                                capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = [str(p.relative_to(root)) for p in root.rglob("*")
                  if not p.relative_to(root).parts[0].startswith(("build", "."))]
    return sorted(f for f in listed if f and (root / f).is_file())


def places(file, text):
    """Returns the Places of a file's text, in the language of the file."""
    if file.endswith(".py"):
        return python_places.Places(text)
    return schemata.Places(text, statements.regions(faults.blanked(text)), statements.pieces)


class Copy:
    def __init__(self, scratch, jobs, data):
        self.source, self.build, self.jobs, self.data = scratch / "source", scratch / "build", jobs, data
        self.runtime = scratch / "runtime"
        self.dropped = {}  # {number: why}
        self.lines = {}  # {file: {line: numbers}}
        self.text = {}

    def prepare(self, mutants):
        """Builds all mutants, {number: Mutant}. Those that do not compile are listed in dropped."""
        self.mutants = mutants
        self.text = {m.file: (root / m.file).read_text() for m in mutants.values()}
        self.placed = collections.defaultdict(list)
        of_file = {file: places(file, text) for file, text in self.text.items()}
        for number, mutant in mutants.items():
            found = of_file[mutant.file].place(number, mutant)
            if found and mutant.file.endswith(".py") and not python_places.compiles(self.text[mutant.file], mutant):
                found = []
            self.placed[mutant.file] += found
            if not found:
                self.dropped[number] = "no place for a choice"
        self.make_runtime()
        while True:
            self.synchronize()
            if not (self.build / "build.ninja").exists():
                subprocess.run(["meson", "setup", self.build, self.source, f"-Ddata={self.data}"] + options,
                               check=True, stdout=subprocess.DEVNULL, env=dict(os.environ, CC=str(self.runtime / "cc")))
            done = subprocess.run(["ninja", "-C", self.build, "-k0", f"-j{self.jobs}"], text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode == 0:
                break
            blamed = self.blamed(done.stdout)
            if not blamed - set(self.dropped):
                (self.build / "mutation.log").write_text(done.stdout)
                sys.exit(f"mutate: {self.build} does not build: see mutation.log there")
            print(f"# {len(blamed)} do not compile", file=sys.stderr, flush=True)
            self.dropped.update(dict.fromkeys(blamed, "does not compile"))
        introspected = subprocess.run(["meson", "introspect", "--tests", self.build],
                                      check=True, capture_output=True, text=True).stdout
        return json.loads(introspected)

    def make_runtime(self):
        self.runtime.mkdir(parents=True, exist_ok=True)
        header = self.runtime / "runtime.h"
        if not header.exists() or header.read_text() != (here / "runtime.h").read_text():
            shutil.copyfile(here / "runtime.h", header)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.runtime / "libtd_mutation.so", here / "runtime.c"],
                       check=True)
        subprocess.run(["cc", "-O2", "-c", "-fPIC", "-o", self.runtime / "check.o", here / "check.c"], check=True)
        subprocess.run(["ar", "rcs", self.runtime / "libtd_check.a", self.runtime / "check.o"], check=True)
        text = compiler.format(launcher="ccache" if shutil.which("ccache") else "", here=self.runtime,
                               libraries=libraries.format(here=self.runtime))
        (self.runtime / "cc").write_text(text)
        (self.runtime / "cc").chmod(0o755)

    def written(self, file):
        """Returns the contents of a file in the copy."""
        if file in self.placed:
            kept = [p for p in self.placed[file] if p.number not in self.dropped]
            write = python_places.written if file.endswith(".py") else schemata.written
            text, self.lines[file] = write(self.text[file], kept)
            if kept and not file.endswith(".py"):
                text = f'#include "{self.runtime}/runtime.h"\n#line 1\n{text}'
            return text.encode()
        text = (root / file).read_bytes()
        if file == "python/tandem/meson.build":
            return text.replace(b"'_model.py',", b"'_model.py', '_mutation.py',")
        return text

    def synchronize(self):
        """Writes the copy; does not touch files that are up to date."""
        files = tracked_files()
        for file in files:
            there, text = self.source / file, self.written(file)
            if not there.exists() or there.read_bytes() != text:
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(text)
                there.chmod((root / file).stat().st_mode)
        runtime = self.source / "python/tandem/_mutation.py"
        if not runtime.exists():
            shutil.copyfile(here / "python_runtime.py", runtime)
        files = set(files) | {"python/tandem/_mutation.py"}
        for there in list(self.source.rglob("*")):
            if there.is_file() and str(there.relative_to(self.source)) not in files:
                there.unlink()

    def blamed(self, output):
        """Returns the faults that cause compiler errors."""
        found = set()
        for message in re.split(r"(?m)^(?=[^\s:]+:\d+:\d+: (?:fatal )?error:)", output)[1:]:
            message = re.split(r"(?m)^[^\s:]+:\d+:\d+: warning:", message)[0]
            about = set()
            for file, line in re.findall(r"(?m)^\s*(?:In file included from |from )?([^\s:]+):(\d+)", message):
                name = os.path.relpath(os.path.normpath(self.build / file), self.source)
                about |= self.lines.get(name, {}).get(int(line), set())
            if not about:  # a constant or table that C requires, or a wrong region
                first = message.partition(":")[0]
                name = os.path.relpath(os.path.normpath(self.build / first), self.source)
                words = set(re.findall(r"\w+", message))
                every = [p for placed in self.placed.values() for p in placed]
                about = {p.number for p in every if isinstance(p.region.name, tuple) and p.region.name[0] in words}
                about -= set(self.dropped)
                about = about or {p.number for p in self.placed.get(name, ())}
            found |= about
        return found

    def tables(self):
        """Returns faults in tables, which take effect before the program starts and are not recorded as reached."""
        return {p.number for placed in self.placed.values() for p in placed if p.region.kind == "table"}
