# SPDX-License-Identifier: MIT
"""Configures Sphinx for the site. build.py runs Sphinx and prepares its sources."""
import os

project = "tandem"
author = "the authors of tandem"
copyright = author  # pylint: disable=redefined-builtin
release = version = os.environ.get("TANDEM_VERSION", "")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 4
# code excerpts with "..." are not errors
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = "tandem"
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
html_last_updated_fmt = None
html_static_path = ["_static"]
html_css_files = ["tandem.css"]
html_js_files = ["tandem.js"]
pygments_style = "friendly"
pygments_dark_style = "monokai"
primary_domain = "c"
highlight_language = "text"
# without complex etc., which are names of arguments here
c_extra_keywords = ["alignas", "alignof", "bool", "noreturn", "static_assert", "thread_local"]
