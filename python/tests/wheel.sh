#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the package as a user gets it: builds an sdist from the sources and a wheel from the sdist, installs it offline
# in a virtual environment, and uses it from another folder. Prints TAP. Skips without venv.
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

# calls a function of the build backend in the folder where it is, like pip
backend() {
    PYTHONPATH=python "$python" -c "import backend; backend.$1"
}

# The sdist has what git has, and the page if this is built with it.
sdist() {
    git clone -q "$root" "$scratch/clone" && cd "$scratch/clone" &&
        backend "build_sdist('$scratch', {'setup-args': ['-Dview=disabled']})" || return
    tar -tf "$scratch"/tandem_dynamics-*.tar.gz | sed -n 's|^tandem_dynamics-[0-9.]*/\(.*[^/]\)$|\1|p' | LC_ALL=C sort >"$scratch/packed"
    { git ls-files && echo PKG-INFO; } | LC_ALL=C sort | diff - "$scratch/packed"
}

# Options for a quick build, which pip 23.0 cannot pass. The wheel is built where the editable install then builds, which compiles
# nothing again.
quick="{'setup-args': ['-Davx2=false', '-Doptimization=0', '-Dview=disabled'], 'build-dir': '$scratch/unpacked/build/editable'}"

# The virtual environment has the system's NumPy and cffi. If the package is installed in the system too, pip would take that
# for the same package without --ignore-installed.
install() {
    "$python" -m venv --system-site-packages "$scratch/venv" && mkdir "$scratch/unpacked" &&
        tar -xf "$scratch"/tandem_dynamics-*.tar.gz -C "$scratch/unpacked" --strip-components=1 && cd "$scratch/unpacked" &&
        backend "build_wheel('$scratch', $quick)" &&
        test -f "$scratch"/tandem_dynamics-*-cp39-abi3-linux_*.whl &&
        "$scratch/venv/bin/pip" install --no-index --no-deps --ignore-installed "$scratch"/tandem_dynamics-*.whl
}

# Contains only the package, the command's script, and the metadata, without libraries and headers. No file misses in the
# metadata, or differs from it.
contents() {
    "$python" - "$scratch"/tandem_dynamics-*.whl <<'PYTHON'
import base64, csv, hashlib, re, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
names = archive.namelist()
print(*names, sep="\n")
assert all(re.match(r"tandem/|tandem_dynamics-[\d.]+\.(dist-info/|data/scripts/tandem$)", name) for name in names)
info = next(name for name in names if name.endswith("/RECORD"))[:-len("RECORD")]
assert info + "LICENSE" in names and "tandem/robots/gripper.urdf" in names and "tandem/_tandem.abi3.so" in names
rows = {row[0]: row[1:] for row in csv.reader(archive.read(info + "RECORD").decode().splitlines())}
for name in set(names) - {info + "RECORD"}:
    data = archive.read(name)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert rows.pop(name) == ["sha256=" + digest, str(len(data))], name
assert list(rows) == [info + "RECORD"]
PYTHON
}

# requirements on the system, as documented in docs/python.md
needed() {
    "$python" "$root/package/check_wheel.py" --needs "$scratch"/tandem_dynamics-*.whl | tee "$scratch/needs"
    grep -q '^libxml2\.so' "$scratch/needs" || return 1
    ! grep -v -E '^((libc|libm|libdl|libpthread|libxml2|libyaml-0|libcjson|libz|ld-linux[^.]*)\.so|glibc )' "$scratch/needs"
}

listed() {
    "$scratch/venv/bin/pip" list 2>/dev/null | grep -E '^tandem-dynamics +[0-9]'
}

# The command computes what Python does, with the exit codes of the program. It writes to a pipe that closes, and is quiet.
command_runs() {
    cd / || return
    if ! test -x "$scratch/venv/bin/tandem"; then # built without cJSON
        test -z "$(pkg-config --silence-errors --modversion libcjson)"
        return
    fi
    for tandem in "$scratch/venv/bin/tandem" "$scratch/venv/bin/python -m tandem"; do
        $tandem id -q driver_joint=0.3 tandem:gripper >"$scratch/torque" && grep -q 'driver_joint .*N m' "$scratch/torque" || return
        status=0
        $tandem id --wrong 2>"$scratch/message" || status=$?
        test "$status" = 2 && grep -q '^tandem' "$scratch/message" || return
        status=0
        $tandem id /nowhere.urdf 2>"$scratch/message" || status=$?
        test "$status" = 3 && grep -q nowhere "$scratch/message" || return
        $tandem help id 2>"$scratch/message" | head -n 1 && ! test -s "$scratch/message" || return
    done
}

# An editable install uses the sources.
editable() {
    cd "$scratch/unpacked" && mkdir "$scratch/editable" && backend "build_editable('$scratch/editable', $quick)" &&
        "$scratch/venv/bin/pip" install --no-index --no-deps --force-reinstall "$scratch"/editable/*.whl && cd / && env -u PYTHONPATH "$scratch/venv/bin/python" -c "
import tandem
assert tandem.__file__.startswith('$scratch/unpacked/'), tandem.__file__
tandem.load('tandem:gripper')"
}

use() {
    cd / && env -u PYTHONPATH -u TANDEM_ROBOTS "$scratch/venv/bin/python" -c "
import tandem
robot = tandem.load('tandem:gripper')
assert tandem.__file__.startswith('$scratch'), tandem.__file__
print(robot.inverse_dynamics(robot.state(driver_joint=0.3)))"
}

check "an sdist is built, with the files of the repository alone" sdist
check "a wheel is built of it, and installed without a network" install
check "the wheel needs the libraries of the build alone" needed
check "the wheel has the package alone, and its record is right" contents
check "the package is used from elsewhere" use
check "pip lists it" listed
check "the command runs" command_runs
check "an editable install works" editable
echo "1..$number"
exit "$failed"
