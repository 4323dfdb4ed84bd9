# SPDX-License-Identifier: MIT
#
# The site of docs/: builds without warnings of Sphinx, has no broken internal links, loads nothing from other sites, and
# contains no folder names of this machine.

long_site() {
    if ! /usr/bin/python3 -c 'import sphinx, myst_parser, furo' 2>/dev/null; then
        skip_step "site" "there is no Sphinx, MyST or furo (Debian: python3-sphinx, python3-myst-parser, furo)"
        return
    fi
    step "site" "" bash -c '
        meson setup "$1" "$root" -Dtools=enabled -Dtests=disabled -Dview=disabled -Dpeers=disabled -Davx2=false &&
        ninja -C "$1" && meson compile -C "$1" docs &&
        python3 "$root/docs/site/links.py" "$1/docs/html" "$root" "$1"' long "$scratch/site"
}
