#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The package as a user gets it: an sdist of the sources, a wheel of the sdist, installed without a network in a virtual
# environment, used from elsewhere; prints TAP. Skips, and says so, where meson-python or venv is not there.
#
#   sh python/tests/wheel.sh PYTHON SOURCE_ROOT

set -u

python=$1
root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

skip() {
    echo "1..0 # SKIP $1"
    exit 0
}

"$python" -c 'import mesonpy' 2>/dev/null || skip "there is no meson-python (Debian: python3-mesonpy)"
"$python" -c 'import venv, ensurepip' 2>/dev/null || skip "there is no venv (Debian: python3-venv)"
git -C "$root" rev-parse 2>/dev/null || skip "an sdist is made of a git repository"

number=0 failed=0
check() {
    title=$1
    shift
    number=$((number + 1))
    if "$@" >"$scratch/log" 2>&1; then
        echo "ok $number - $title"
    else
        failed=1
        echo "not ok $number - $title"
        sed 's/^/# /' "$scratch/log" | tail -40
    fi
}

sdist() {
    git clone -q "$root" "$scratch/clone" && cd "$scratch/clone" &&
        "$python" -c "import mesonpy; mesonpy.build_sdist('$scratch')" && test -f "$scratch"/tandem-*.tar.gz
}

install() {
    "$python" -m venv --system-site-packages "$scratch/venv" &&
        "$scratch/venv/bin/pip" wheel --no-build-isolation --no-index --no-deps -w "$scratch" "$scratch"/tandem-*.tar.gz &&
        test -f "$scratch"/tandem-*-cp311-abi3-*.whl &&
        "$scratch/venv/bin/pip" install --no-index "$scratch"/tandem-*.whl
}

# the package and its metadata alone: no library, no header; with the licence
contents() {
    "$python" -m zipfile -l "$scratch"/tandem-*.whl
    "$python" -m zipfile -l "$scratch"/tandem-*.whl | grep -q '^tandem/LICENSE ' || return 1
    test "$("$python" -m zipfile -l "$scratch"/tandem-*.whl | grep -vc -E '^(File Name|tandem/|tandem-[^/]*dist-info/)')" -eq 0
}

# what the system has to have, as docs/python.md says
needed() {
    mkdir "$scratch/unpacked" && "$python" -m zipfile -e "$scratch"/tandem-*.whl "$scratch/unpacked" &&
        objdump -p "$scratch/unpacked/tandem/_tandem.abi3.so" | awk '$1 == "NEEDED" {print $2}' | tee "$scratch/libraries" &&
        test "$(grep -vc -E '^(libc|libm|libxml2|libyaml-0|libopenblas|ld-linux[^.]*)\.so' "$scratch/libraries")" -eq 0
}

use() {
    cd / && env -u PYTHONPATH "$scratch/venv/bin/python" -c "
import tandem
robot = tandem.load('$root/urdf/robots/gripper.urdf')
assert tandem.__file__.startswith('$scratch'), tandem.__file__
print(robot.inverse_dynamics(robot.state(driver_joint=0.3)))"
}

check "an sdist is built" sdist
check "a wheel for the stable interface is built of it, and installed without a network" install
check "the wheel has the package alone" contents
check "the wheel needs libxml2, libyaml and OpenBLAS of the system alone" needed
check "the package is used from elsewhere" use
echo "1..$number"
exit "$failed"
