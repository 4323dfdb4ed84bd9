#!python
# SPDX-License-Identifier: MIT
"""The script "tandem" of a wheel. pip replaces the first line. Runs tandem/__main__.py without importing tandem."""
import importlib.util
import runpy

runpy.run_path(importlib.util.find_spec("tandem").submodule_search_locations[0] + "/__main__.py", run_name="__main__")
