# SPDX-License-Identifier: MIT
#
# Builds and tests everything with clang, with kernels for AVX2 and AVX-512, and checks the sources of the core for warnings.
# .ci/run builds only the core with clang.

long_clang() {
    if ! command -v clang >/dev/null; then
        skip_step "clang" "there is no clang"
        return
    fi
    step "clang: all parts" "$scratch/clang_all" env CC=clang bash -c '
        meson setup "$1" "$root" -Dtests=enabled -Dtools=enabled -Dpeers=disabled -Dwerror=true &&
        ninja -C "$1" &&
        meson test -C "$1" --no-suite packaging --no-suite valgrind --print-errorlogs --timeout-multiplier 30' \
        long "$scratch/clang_all"
    step "clang without warnings, sources of the core alone" "" env CC=clang bash -c '
        meson setup "$1" "$root" -Dtests=enabled -Durdf=disabled -Dtools=disabled -Dchecks=true -Dwerror=true -Dthreads=disabled \
            -Dopenblas=disabled -Dpeers=disabled -Davx2=false && python3 "$root/.ci/syntax.py" "$1"' \
        long "$scratch/clang_core"
}
