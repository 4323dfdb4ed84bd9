# SPDX-License-Identifier: MIT
#
# 64-bit ARM with NEON kernels: runs all tests of core and importer under qemu-user.

. .ci/cross/cross.sh

# Omits tests that count instructions, that do not depend on the processor (compiling, checking objects or pages), that
# trace system calls, which qemu makes itself, or that compare all digits of the command's output, because the last
# digits depend on the machine.
aarch64_left_out='^(command_text|faults|pages|shells|realtime|abi_lists|kernels_alone|symbols|rooms|operations|page_list|installed|subproject|undefined|load_growth|failing_commands|documented)$'

long_aarch64() {
    local directory=$scratch/aarch64 lacks
    lacks=$(lacking aarch64-linux-gnu-gcc qemu-aarch64 pkg-config)
    if [ -n "$lacks" ]; then
        skip_step "aarch64" "there is no ${lacks}(gcc-aarch64-linux-gnu, qemu-user, pkg-config)"
    elif ! .ci/cross/sysroot.sh arm64 "$directory/packages" libc6-dev check libxml2-dev libyaml-dev \
        libopenblas-serial-dev libcjson-dev zlib1g-dev; then
        skip_step "aarch64" "Debian's packages for arm64 cannot be had"
    else
        step "aarch64: core and importer under qemu" "$directory/build" env CK_TIMEOUT_MULTIPLIER=40 bash -c '
            cross_build aarch64 "$1" -Dtests=enabled -Dtools=enabled &&
            emulate "$1/build" qemu-aarch64 -L "$1/packages/root" &&
            meson test -C "$1/build" --no-rebuild --print-errorlogs --timeout-multiplier 400 \
                $(meson test -C "$1/build" --no-rebuild --list 2>/dev/null | sed "s/.* //" | grep -Ev "$2")' \
            long "$directory" "$aarch64_left_out"
    fi
}
