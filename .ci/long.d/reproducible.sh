# SPDX-License-Identifier: MIT
#
# Checks that two builds of the last commit install identical files, with different folders, times and user settings.
# Both builds get the same SOURCE_DATE_EPOCH, the date in the manual pages, which have no date without it.

# copy_and_build SCRATCH BUILD_IN_SOURCES: installs into SCRATCH/stage
copy_and_build() {
    local sources=$1/tandem build=$1/out
    [ "$2" = yes ] && build=$sources/build
    mkdir -p "$sources" && git -C "$root" archive "$commit" | tar -x -C "$sources" &&
        CCACHE_DISABLE=1 meson setup "$build" "$sources" -Dtests=disabled -Dpeers=disabled ${REPRODUCIBLE_OPTIONS-} &&
        CCACHE_DISABLE=1 ninja -C "$build" && DESTDIR=$1/stage meson install -C "$build" --no-rebuild
}

twice() {
    local commit one=$scratch/one other=$scratch/other/which/has/a/longer/path
    commit=$(git -C "$root" rev-parse HEAD) && mkdir -p "$one" "$other" || return
    export SOURCE_DATE_EPOCH=1000000000
    (umask 022 && TZ=UTC LC_ALL=C copy_and_build "$one" yes) &&
        (umask 077 && TZ=Pacific/Auckland LC_ALL=C.UTF-8 HOME=$other USER=somebody copy_and_build "$other" no) || return
    local files
    files=$(cd "$one/stage" && find . -type f | wc -l)
    printf '%d files are installed\n' "$files"
    [ "$files" -gt 30 ] && diff -r "$one/stage" "$other/stage"
}

long_reproducible() {
    export -f copy_and_build twice
    step "reproducible: two builds" "" bash -c twice
}
