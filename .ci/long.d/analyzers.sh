# SPDX-License-Identifier: MIT
#
# Runs gcc's -fanalyzer, cppcheck and clang-tidy on the installed sources. They must have no findings
# (.ci/analyzers.py lists the disabled warnings with reasons).

long_analyzers() {
    local build=$scratch/analyzers tool
    if ! command -v python3 >/dev/null; then
        skip_step "analyzers" "there is no python3"
        return
    fi
    step "analyzers: set up" "" env CC=gcc meson setup "$build" "$root" -Dtests=disabled -Dtools=enabled \
        -Dview=disabled -Dpeers=disabled
    for tool in fanalyzer cppcheck clang-tidy; do
        if [ "$tool" != fanalyzer ] && ! command -v "$tool" >/dev/null; then
            skip_step "$tool" "there is no $tool (Debian: $tool)"
        else
            step "$tool" "" python3 "$root/.ci/analyzers.py" "$tool" "$build"
        fi
    done
}
