# SPDX-License-Identifier: MIT
"""Finds where the package is installed.

python3 place.py find PREFIX    prints the folder in the prefix in which this Python looks for packages, if any
python3 place.py say TEXT       prints the text during installation; some versions of meson show the command only

Meson's default for a prefix is a folder that Debian's Python never searches. Debian's packages are in lib/python3.11 of
/usr/local, and in lib/python3 of /usr only.
"""

import os
import site
import sys


def find(prefix):
    """Returns the first folder below lib of the prefix. /usr/local does not count as a part of /usr here."""
    inside = [p for p in site.getsitepackages() + [site.getusersitepackages()] if os.path.relpath(p, prefix).startswith("lib")]
    return inside[0] if inside else ""


if __name__ == "__main__":
    print(find(sys.argv[2]) if sys.argv[1] == "find" else sys.argv[2])
