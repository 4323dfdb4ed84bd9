# SPDX-License-Identifier: MIT
"""Where the package is installed.

python3 place.py find PREFIX    prints the folder in the prefix in which this Python looks for packages, if there is one
python3 place.py say FOLDER     says so where this Python does not look in the folder

Meson's own choice for a prefix is one that Debian's Python never looks at: its packages are in lib/python3.11 of
/usr/local, and in lib/python3 of /usr alone.
"""

import os
import site
import sys


def find(prefix):
    """The first folder below lib of the prefix; /usr/local is no part of /usr here."""
    inside = [p for p in site.getsitepackages() if os.path.relpath(p, prefix).startswith("lib")]
    return inside[0] if inside else ""


def say(folder):
    if os.path.normpath(folder) not in map(os.path.normpath, site.getsitepackages()):
        print(f"The Python package is in {folder}, where {sys.executable} does not look: PYTHONPATH={folder}")


if __name__ == "__main__":
    if sys.argv[1] == "find":
        print(find(sys.argv[2]))
    else:
        say(sys.argv[2])
