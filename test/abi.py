#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The binary interface (docs/abi.md) must match the lists in package/abi/: the versioned symbols of the shared
libraries, and everything in the public headers that is compiled into programs, such as struct sizes and offsets,
enumerators, and argument types. TAP.

    python3 test/abi.py SOURCE_ROOT BUILD_ROOT COMPILER...
    python3 test/abi.py --update SOURCE_ROOT BUILD_ROOT COMPILER...     writes the lists (ninja abi_lists)

To write the lists, use a build that has the importer and shared libraries.
"""
import difflib
import pathlib
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
LIBRARIES = {"libtandem": ".", "libtandem-simulation": "lib/simulation"}
PUBLIC = "".join(f'#include "tandem/{name}.h"\n' for name in ("tandem", "simulation", "trajectory"))
DECLARATIONS = "declarations.txt"
PRIVATE = "(symver)TANDEM_PRIVATE"  # how Debian's list names all symbols of a version


class Abi:
    def __init__(self, root, build, compiler):
        sys.path[:0] = [str(root / "python"), str(root / "lib" / "dynamics")]
        import prototypes

        self.root, self.build, self.compiler = root, build, compiler
        self.lists = root / "package" / "abi"
        self.prototypes = prototypes.prototypes(root / "include" / "tandem")
        self.has_importer = "TANDEM_HAS_URDF 1" in (build / "include/tandem/config.h").read_text(encoding="utf-8")

    def there(self, symbol):
        """Returns whether a build like this one has the symbol."""
        prototype = self.prototypes.get(symbol.split("@")[0])
        return self.has_importer or prototype is None or prototype.header != "urdf"

    # ---- symbols --------------------------------------------------------------------------------

    def listed(self, library):
        """Returns the lines after the first of a list in Debian's format: symbol@version, and the first release with
        the symbol."""
        path = self.lists / f"{library}0.symbols"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return dict(line.split() for line in lines[1:])

    def library(self, library):
        """Returns the file of the shared library, or None."""
        found = sorted((self.build / LIBRARIES[library]).glob(f"{library}.so.*.*.*"))
        return next((path for path in found if path.is_file()), None)

    def exported(self, library):
        """Returns the list of symbol@version, or None if there is no shared library."""
        found = self.library(library)
        if not found:
            return None
        said = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", str(found)],
                              capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1].replace("@@", "@") for line in said.splitlines()]
        names = [name if "@" in name else f"{name}@{name}" for name in names]  # the symbol of the version
        return sorted({PRIVATE if name.endswith("@TANDEM_PRIVATE") else name for name in names})

    def symbol_faults(self, library):
        listed = {name for name in self.listed(library) if self.there(name)}
        exported = set(self.exported(library))
        return ([f"{name} is gone" for name in sorted(listed - exported)] +
                [f"{name} is not in the list" for name in sorted(exported - listed)])

    def header_faults(self):
        """Checks that the headers declare what is exported."""
        exported = {name.split("@")[0] for library in LIBRARIES for name in self.exported(library)}
        exported = {name for name in exported if name.startswith("td_")}
        declared = {name for name in self.prototypes if self.there(name)}
        return ([f"{name} is declared, and not exported" for name in sorted(declared - exported)] +
                [f"{name} is exported, and not declared" for name in sorted(exported - declared)])

    def names(self, *arguments):
        """Returns the names of td_ functions and tables that nm prints for these options and files."""
        said = subprocess.run(["nm", "-P", *map(str, arguments)], capture_output=True, text=True, check=True).stdout
        return set(re.findall(r"^(td_[^ \n]*) [A-Za-z]", said, re.M))

    def private_faults(self):
        """Checks that the private version has the internal functions that the command and the Python package use, and no
        others."""
        users = [self.build / "tools" / "libcommand.a", self.build / "lib" / "libsweep.a",
                 *self.build.glob("python/tandem/*.p/*.o")]
        exported = {name.partition("@")[::2] for library in LIBRARIES
                    for name in self.names("-D", "--defined-only", "--with-symbol-versions", self.library(library))}
        private = {name for name, version in exported if version.endswith("TANDEM_PRIVATE")}
        used = self.names("-u", *users) - self.names("--defined-only", *users) - {name for name, version in exported if "PRIVATE" not in version}
        return ([f"{name} is used by the command or the Python package, and not in package/abi/tandem.map" for name in sorted(used - private)] +
                [f"{name} is in TANDEM_PRIVATE, and not used" for name in sorted(private - used)])

    def write_symbols(self, library, release):
        known = self.listed(library)
        lines = [f" {name} {known.get(name, release)}\n" for name in self.exported(library)]
        (self.lists / f"{library}0.symbols").write_text(f"{library}.so.0 {library}0 #MINVER#\n" + "".join(lines),
                                                        encoding="utf-8")

    # ---- what is compiled into programs ---------------------------------------------------------

    def declarations(self):
        import cffi
        import headers_c

        includes = [self.root / "include", self.build / "include"]
        ffi = cffi.FFI()
        ffi.cdef(headers_c.preprocess(self.compiler, self.root / "python", includes, PUBLIC))
        lines = ["What a program has compiled in of the public headers, where pointers have 64 bits (docs/abi.md)."]
        for name in sorted(ffi.list_types()[0]):
            kind = ffi.typeof(name)
            if kind.kind == "struct" and kind.fields is not None:
                lines += ["", f"struct {name}: {ffi.sizeof(kind)} bytes"]
                lines += [f"    {field.offset:4} {field.type.cname} {label}" for label, field in kind.fields]
            elif kind.kind == "enum":
                lines += ["", f"enum {name}"]
                lines += [f"    {value:4} {label}" for value, label in sorted(kind.elements.items())]
        lines.append("")
        for p in sorted(self.prototypes.values(), key=lambda p: p.name):
            lines.append(f"{p.result} {p.name}({', '.join(q.type for q in p.parameters) or 'void'})".replace("* ", "*"))
        return lines

    def declaration_faults(self):
        listed = (self.lists / DECLARATIONS).read_text(encoding="utf-8").splitlines()
        return list(difflib.unified_diff(listed, self.declarations(), "list", "headers", lineterm="", n=1))


def release(root):
    return re.search(r"version: '([^']+)'", (root / "meson.build").read_text(encoding="utf-8"))[1]


def main():
    update = sys.argv[1] == "--update"
    root, build = map(pathlib.Path, sys.argv[1 + update:3 + update])
    abi = Abi(root, build, sys.argv[3 + update:])
    if update:
        if not abi.has_importer or not all(abi.exported(library) for library in LIBRARIES):
            sys.exit("lists are written by a build that has the importer and shared libraries")
        for library in LIBRARIES:
            abi.write_symbols(library, release(root))
        (abi.lists / DECLARATIONS).write_text("\n".join(abi.declarations()) + "\n", encoding="utf-8")
        return 0
    shared = all(abi.exported(library) for library in LIBRARIES)
    parts = [(f"symbols of {library}", lambda library=library: abi.symbol_faults(library),
              "" if shared else "there is no shared library") for library in LIBRARIES]
    parts.append(("the headers declare what is exported", abi.header_faults, parts[0][2]))
    parts.append(("private symbols", abi.private_faults,
                  parts[0][2] or ("" if (build / "tools" / "libcommand.a").exists() else "there is no command")))
    try:
        import cffi  # noqa: F401
        lacking = "" if struct.calcsize("P") == 8 else "pointers are not of 64 bits"
    except ImportError:
        lacking = "there is no cffi"
    parts.append(("structs, enumerators, arguments", abi.declaration_faults, lacking))
    print(f"1..{len(parts)}")
    bad = False
    for number, (what, faults, skip) in enumerate(parts, 1):
        found = [] if skip else faults()
        print(f"{'not ' if found else ''}ok {number} - {what}{' # SKIP ' + skip if skip else ''}")
        for fault in found:
            print("#", fault)
        bad |= bool(found)
    if bad:
        print(f"# What is new is written to the lists by: ninja -C {build} abi_lists")
        print("# What is gone or different breaks programs: docs/abi.md says what may change without another soname.")
    return bad


if __name__ == "__main__":
    sys.exit(main())
