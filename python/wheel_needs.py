# SPDX-License-Identifier: MIT
"""Lists what a wheel needs from the system: shared libraries, and the version of the C library.

    python3 wheel_needs.py WHEEL...

Needs readelf.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile


def needs(wheel):
    """Returns the names of libraries that are not in the wheel, and the newest version of the C library's symbols that are
    used."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        said = [subprocess.run(["readelf", "-W", "-d", "-V", path], check=True, capture_output=True, text=True).stdout for path in files]
    libraries = {name for text in said for name in re.findall(r"\(NEEDED\).*\[(.*)\]", text)} - {path.name for path in files}
    versions = [tuple(map(int, v.split("."))) for text in said for v in re.findall(r"GLIBC_(\d+(?:\.\d+)+)", text)]
    return sorted(libraries), ".".join(map(str, max(versions, default=())))


for wheel in sys.argv[1:]:
    libraries, version = needs(wheel)
    for library in libraries:
        print(library)
    if version:
        print(f"glibc {version}")
if len(sys.argv) == 1:
    sys.exit(__doc__)
