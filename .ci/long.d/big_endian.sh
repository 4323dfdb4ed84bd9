# SPDX-License-Identifier: MIT
#
# A big-endian machine (s390x) under qemu-user: model files and NumPy arrays, which are the same on all
# machines, and a part of the dynamics.

. .ci/cross/cross.sh

big_endian_programs="model_file decimal urdf_import submechanisms builder lanes inverse_dynamics other_reals" # of C, beside npy.py and tables.py

long_big_endian() {
    local directory=$scratch/s390x lacks
    lacks=$(lacking s390x-linux-gnu-gcc qemu-s390x pkg-config)
    if [ -n "$lacks" ]; then
        skip_step "big-endian" "there is no ${lacks}(gcc-s390x-linux-gnu, qemu-user, pkg-config)"
    elif ! .ci/cross/sysroot.sh s390x "$directory/packages" libc6-dev check libxml2-dev libyaml-dev libcjson-dev \
        zlib1g-dev; then
        skip_step "big-endian" "Debian's packages for s390x cannot be had"
    else
        step "big-endian: model files, arrays, dynamics under qemu" "$directory/build" env \
            CK_TIMEOUT_MULTIPLIER=40 cross_targets="tools/tandem $(printf 'test/test_%s ' $big_endian_programs)" bash -c '
            cross_build s390x "$1" -Dtests=enabled -Dtools=enabled -Dopenblas=disabled &&
            emulate "$1/build" qemu-s390x -L "$1/packages/root" &&
            meson test -C "$1/build" --no-rebuild --print-errorlogs --timeout-multiplier 400 \
                npy tables $2' long "$directory" "$big_endian_programs"
    fi
}
