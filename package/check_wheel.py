# SPDX-License-Identifier: MIT
"""Checks a wheel: its record, and what it asks of a system. Needs readelf.

    python3 check_wheel.py --needs WHEEL...    prints libraries that it needs but does not contain, and the C library's version
    python3 check_wheel.py WHEEL...            checks a wheel for all systems with the C library that its name has

The second form is what auditwheel checks: it needs libraries of glibc alone, and no symbols newer than its platform tag
(manylinux_2_31: glibc 2.31). In addition: entries are compressed, at most 5 MB, the command, the page, the robots and the
licenses are there, the module exports nothing but what Python and the command load, and has no search path.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

ROBOTS = pathlib.Path(__file__).resolve().parent.parent / "urdf" / "robots"
LIMIT = 5_000_000  # bytes
OF_GLIBC = r"(libc|libm|libdl|libpthread|librt|ld-linux[^.]*)\.so"
EXPORTS = {"PyInit__tandem", "PyInit__call", "tandem_command"}
LICENSES = {"LICENSE", "LICENSE.cjson", "LICENSE.libxml2", "LICENSE.libyaml", "LICENSE.zlib"}


def read_elf(archive):
    """Returns what readelf prints about each file for the loader, by name."""
    said = {}
    with tempfile.NamedTemporaryFile() as file:
        for name in archive.namelist():
            data = archive.read(name)
            if data[:4] == b"\x7fELF":
                file.seek(0)
                file.write(data)
                file.truncate()
                file.flush()
                said[name] = subprocess.run(["readelf", "-W", "-d", "-V", "--dyn-syms", file.name], check=True,
                                            capture_output=True, text=True).stdout
    return said


def needs(said):
    """Returns libraries that files need but the wheel does not contain, and the newest version of glibc with symbols that
    they use."""
    libraries = {name for text in said.values() for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text)}
    versions = {tuple(map(int, v.split("."))) for text in said.values() for v in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", text)}
    return sorted(libraries - {pathlib.PurePath(name).name for name in said}), max(versions, default=())


def wrong_record(archive):
    """Yields entries that differ from RECORD."""
    (record,) = (name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    rows = dict(line.split(",", 1) for line in archive.read(record).decode().splitlines())
    for name in archive.namelist():
        data = archive.read(name)
        hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if rows.pop(name, None) != (f"sha256={hashed},{len(data)}" if name != record else ","):
            yield f"{name} is not as RECORD says"
    for name in rows:
        yield f"{name} is in RECORD alone"


def faults(wheel):
    parts = re.fullmatch(r"(tandem_dynamics-[^-]+)-cp39-abi3-manylinux_(\d+)_(\d+)_x86_64\.whl", wheel.name)
    if not parts:
        yield "the name is not tandem_dynamics-VERSION-cp39-abi3-manylinux_2_N_x86_64.whl"
        return
    if wheel.stat().st_size > LIMIT:
        yield f"{wheel.stat().st_size} bytes, more than {LIMIT}"
    with zipfile.ZipFile(wheel) as archive:
        yield from wrong_record(archive)
        for entry in archive.infolist():
            if entry.compress_type != zipfile.ZIP_DEFLATED:
                yield f"{entry.filename} is not compressed"
        names, info = set(archive.namelist()), f"{parts[1]}.dist-info"
        wanted = {f"{info}/{name}" for name in LICENSES} | {f"tandem/robots/{path.name}" for path in ROBOTS.iterdir()}
        for name in sorted((wanted | {f"{parts[1]}.data/scripts/tandem", "tandem/py.typed"}) - names):
            yield f"{name} is missing"
        for name in sorted(names):
            if not name.startswith(("tandem/", f"{info}/")) and name != f"{parts[1]}.data/scripts/tandem":
                yield f"{name} is in no folder of the package"
        if f"Tag: {wheel.stem[len(parts[1]) + 1:]}\n" not in archive.read(f"{info}/WHEEL").decode():
            yield "the tag in WHEEL is another one"
        said = read_elf(archive)
        if list(said) != ["tandem/_tandem.abi3.so"]:
            yield f"machine code is in {', '.join(said)}"
        libraries, version = needs(said)
        for library in libraries:
            if not re.match(OF_GLIBC, library):
                yield f"needs {library}, which is not a part of glibc"
        if version > (int(parts[2]), int(parts[3])):
            yield f"needs glibc {'.'.join(map(str, version))}"
        for text in said.values():
            if re.search(r"\((RPATH|RUNPATH)\)", text):
                yield "the module has a search path"
            exports = set(re.findall(r" (?:GLOBAL|WEAK) +DEFAULT +\d+ (\S+)", text))
            if exports != EXPORTS:
                yield f"the module exports {', '.join(sorted(exports ^ EXPORTS))} too much or too little"
        if b'id="tandem-data"' not in archive.read("tandem/_tandem.abi3.so"):
            yield "the page of tandem view is missing"


def main():
    names = sys.argv[1:]
    if not names or names == ["--needs"]:
        sys.exit(__doc__)
    for wheel in map(pathlib.Path, [name for name in names if name != "--needs"]):
        if names[0] == "--needs":
            with zipfile.ZipFile(wheel) as archive:
                libraries, version = needs(read_elf(archive))
            print(*libraries, *([f"glibc {'.'.join(map(str, version))}"] if version else []), sep="\n")
            continue
        found = list(faults(wheel))
        print(*(f"{wheel.name}: {fault}" for fault in found), sep="\n", end="\n" if found else "")
        if found:
            sys.exit(1)
        with zipfile.ZipFile(wheel) as archive:
            libraries, version = needs(read_elf(archive))
            inside = sum(entry.file_size for entry in archive.infolist())
        print(f"{wheel.name}: {wheel.stat().st_size} bytes ({inside} installed), needs {', '.join(libraries)}, glibc {'.'.join(map(str, version))}")


main()
