# SPDX-License-Identifier: MIT
"""How pip builds the package (pyproject.toml): meson-python, with a message about what the version of Debian 12 cannot do."""
from mesonpy import *  # noqa: F403

import mesonpy

if not hasattr(mesonpy, "build_editable"):  # before 0.13
    def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
        raise RuntimeError(
            "an editable install needs meson-python 0.13 or later, and this is one before it. "
            "The package is run from a build as well: meson setup build -Dpython=enabled && ninja -C build, "
            "and PYTHONPATH=build/python (docs/python.md)")

    prepare_metadata_for_build_editable = get_requires_for_build_editable = build_editable
