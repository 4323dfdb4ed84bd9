# SPDX-License-Identifier: MIT
#
# The README's second command with all cases of all tests, and the comparison of the binary interface, of which .ci/run leaves
# out parts.

long_everything() {
    step "all cases" "$root/build" sh tools/scripts/bootstrap.sh test
    abi_step always
}
