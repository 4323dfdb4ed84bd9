# SPDX-License-Identifier: MIT
#
# Runs all tests under the address and undefined behavior sanitizers, with kernels for AVX2.

long_sanitizers() {
    step "address and undefined behaviour sanitizers, all cases" "$scratch/asan" \
        env CC=gcc CFLAGS="-g1 -fno-sanitize-recover=undefined" CK_TIMEOUT_MULTIPLIER=5 \
        ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 \
        UBSAN_OPTIONS=print_stacktrace=1 bash -c '
            meson setup "$1" "$root" -Dtests=enabled -Dtools=enabled -Doptimization=2 -Ddebug=false \
                -Dpeers=disabled -Davx512=false -Dchecks=true -Db_sanitize=address,undefined \
                -Db_lundef=false -Ddefault_library=static -Dview=disabled -Dmpi=disabled &&
            ninja -C "$1" &&
            meson test -C "$1" --no-suite packaging --no-suite valgrind --print-errorlogs \
                --timeout-multiplier 50' long "$scratch/asan"
}
