# SPDX-License-Identifier: MIT
#
# Runs every command once for each allocation and each system call, and lets that one fail.

long_failures() {
    step "every failure of every command" "" bash -c '
        meson setup "$1" "$root" -Dtests=enabled -Dtools=enabled -Dpython=disabled -Dpeers=disabled -Dview=disabled \
            -Davx2=false &&
        ninja -C "$1" test/failing_commands &&
        "$1/test/failing_commands" --most 0 "$root/urdf/robots"' long "$scratch/failures"
}
