# SPDX-License-Identifier: MIT
#
# The C library musl: builds the core without importer and OpenBLAS, and runs its tests natively.

. .ci/cross/cross.sh

long_musl() {
    local directory=$scratch/musl lacks
    lacks=$(lacking musl-gcc cmake pkg-config)
    if [ -n "$lacks" ]; then
        skip_step "musl" "there is no ${lacks}(musl-tools, cmake, pkg-config)"
    elif ! .ci/cross/check_musl.sh "$directory/packages"; then
        skip_step "musl" "Check, of which the tests are made, cannot be had for it"
    else
        step "musl: core" "$directory/build" env CK_TIMEOUT_MULTIPLIER=5 bash -c '
            cross_build musl "$1" -Dtests=enabled -Dtools=disabled -Durdf=disabled -Dopenblas=disabled \
                -Davx512=false -Ddefault_library=static &&
            meson test -C "$1/build" --no-rebuild --no-suite packaging --no-suite valgrind --print-errorlogs \
                --timeout-multiplier 50' long "$directory"
    fi
}
