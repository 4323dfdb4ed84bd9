#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the package as a user gets it: builds an sdist from the sources and a wheel from the sdist, installs it offline
# in a virtual environment, and uses it from another folder. Prints TAP. Skips without meson-python or venv.
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

# meson-python before 0.13 sees that the package is for the stable interface (abi3), and later ones want a line in
# pyproject.toml that those refuse: their wheels are for the Python that made them
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')

# calls the build backend like pip, with options that pip 23.0 cannot pass, for a wheel that builds quickly
install() {
    "$python" -m venv --system-site-packages "$scratch/venv" && mkdir "$scratch/unpacked" &&
        tar -xf "$scratch"/tandem-*.tar.gz -C "$scratch/unpacked" --strip-components=1 && cd "$scratch/unpacked" &&
        "$python" -c "import mesonpy; mesonpy.build_wheel('$scratch', {'setup-args': ['-Davx2=false', '-Doptimization=0']})" &&
        { test -f "$scratch"/tandem-*-"$tag"-abi3-*.whl || test -f "$scratch"/tandem-*-"$tag-$tag"-*.whl; } &&
        "$scratch/venv/bin/pip" install --no-index "$scratch"/tandem-*.whl
}

# contains only the package and its metadata, without libraries and headers, and the licenses of tandem and libyaml
contents() {
    "$python" -m zipfile -l "$scratch"/tandem-*.whl
    "$python" -m zipfile -l "$scratch"/tandem-*.whl | grep -q '^tandem/LICENSE ' || return 1
    "$python" -m zipfile -l "$scratch"/tandem-*.whl | grep -q '^tandem/LICENSE.libyaml ' || grep -q libyaml "$scratch/needs" || return 1
    test "$("$python" -m zipfile -l "$scratch"/tandem-*.whl | grep -vc -E '^(File Name|tandem/|tandem-[^/]*dist-info/)')" -eq 0
}

# requirements on the system, as documented in docs/python.md
needed() {
    "$python" "$root/python/wheel_needs.py" "$scratch"/tandem-*.whl | tee "$scratch/needs"
    grep -q '^libxml2\.so' "$scratch/needs" || return 1
    other=$(grep -v -E '^((libc|libm|libxml2|ld-linux[^.]*)\.so|glibc )' "$scratch/needs")
    # without libyaml's archive or license, the wheel needs the system's libyaml
    test -z "$other" || { test "${other%%.so*}" = libyaml-0 && ! test -f /usr/share/doc/libyaml-dev/copyright; }
}

# an editable install works, or is rejected with a remedy
editable() {
    if "$scratch/venv/bin/pip" install --no-build-isolation --no-index --no-deps --config-settings=setup-args=-Davx2=false \
        -e "$scratch/clone" >"$scratch/editable" 2>&1; then
        cd / && env -u PYTHONPATH "$scratch/venv/bin/python" -c "import tandem; tandem.load('$root/urdf/robots/gripper.urdf')"
    else
        grep -q 'an editable install needs meson-python 0.13' "$scratch/editable" && grep -q 'PYTHONPATH=build/python' "$scratch/editable"
    fi
}

use() {
    cd / && env -u PYTHONPATH -u TANDEM_ROBOTS "$scratch/venv/bin/python" -c "
import tandem
robot = tandem.load('tandem:gripper')
assert tandem.__file__.startswith('$scratch'), tandem.__file__
print(robot.inverse_dynamics(robot.state(driver_joint=0.3)))"
}

check "an sdist is built" sdist
check "a wheel is built of it, and installed without a network" install
check "the wheel needs libxml2 of the system alone" needed
check "the wheel has the package alone, with licences" contents
check "the package is used from elsewhere" use
check "an editable install works, or is refused with what to do instead" editable
echo "1..$number"
exit "$failed"
