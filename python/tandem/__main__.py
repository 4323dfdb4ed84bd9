# SPDX-License-Identifier: MIT
"""The tandem command: python -m tandem. A wheel has it in the extension module, which this file loads without the package, and
so without NumPy. Elsewhere it is a program beside the package.
"""
import ctypes
import os
import shutil
import signal
import sys


def main() -> int:
    library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_tandem.abi3.so"))
    words = ["tandem", *sys.argv[1:]]
    if hasattr(library, "tandem_command"):
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):  # Python changed these
            signal.signal(number, signal.SIG_DFL)
        return int(library.tandem_command(len(words), (ctypes.c_char_p * (len(words) + 1))(*map(os.fsencode, words), None)))
    program = shutil.which("tandem")
    if program is None:
        sys.exit("tandem: this package has no command, and no folder of PATH has one (docs/building.md)")
    os.execv(program, words)


if __name__ == "__main__":
    sys.exit(main())
