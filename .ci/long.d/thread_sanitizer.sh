# SPDX-License-Identifier: MIT
#
# Runs all tests of core and importer under the thread sanitizer, including the multithreaded ones.

long_thread_sanitizer() {
    step "thread sanitizer" "$scratch/tsan" env CC=gcc CFLAGS=-g1 TSAN_OPTIONS=halt_on_error=1 \
        CK_TIMEOUT_MULTIPLIER=20 bash -c '
            meson setup "$1" "$root" -Dtests=enabled -Dtools=enabled -Doptimization=2 -Ddebug=false \
                -Dpeers=disabled -Davx512=false -Db_sanitize=thread -Db_lundef=false \
                -Ddefault_library=static -Dview=disabled &&
            ninja -C "$1" &&
            meson test -C "$1" --no-suite packaging --no-suite valgrind --print-errorlogs \
                --timeout-multiplier 200' long "$scratch/tsan"
}
