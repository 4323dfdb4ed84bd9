#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Adds the built page to the release that `meson dist` makes, so that building it does not need node:
#   dist.sh PAGE_TARGET

set -eu

ninja -C "$MESON_BUILD_ROOT" "$1" >&2
cp "$MESON_BUILD_ROOT/$1" "${MESON_PROJECT_DIST_ROOT:-$MESON_DIST_ROOT}/view/page.html"
