#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the Debian packages in a system that has none of tandem: installs them, uses each part, and purges them.
#
#   sh package/check-deb.sh DIRECTORY    the .deb files of package/build-deb.sh
#
# Run it as root in a container or chroot of bare Debian 12 or 13, since it installs and removes packages. Prints the sizes
# of the packages, and stops at the first error.

set -eu

if [ $# -ne 1 ] || [ "$(id -u)" -ne 0 ] || command -v tandem >/dev/null; then
    echo "usage: sh check-deb.sh DIRECTORY, as root in a system without tandem" >&2
    exit 2
fi
packages=$(cd -- "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# quietly COMMAND...: shows the output only if it fails
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "$*"
    }
}

# install NAME...: packages of this build, with all that they depend on
install() {
    files=
    for name in "$@"; do
        files="$files $(echo "$packages/${name}"_*.deb)"
    done
    # splits the names
    # shellcheck disable=SC2086
    quietly apt-get install -y --no-install-recommends $files
}

# dependencies NAME: packages of this build that the package needs
dependencies() {
    dpkg-deb -f "$packages/$1"_*.deb Depends | tr , '\n' | sed -n 's/^ *\([a-z0-9-]*tandem[a-z0-9-]*\).*/\1/p' | sort -u
}

# purge: removes everything of this build, and checks that nothing of it is left
purge() {
    # shellcheck disable=SC2046
    quietly apt-get purge -y $(dpkg-query -W -f '${Package}\n' '*tandem*' 2>/dev/null)
    ! dpkg-query -W -f '${Package} ${db:Status-Status}\n' '*tandem*' 2>/dev/null | grep -v 'not-installed$' || fail "packages are left"
    left=$(find / -xdev \( -path "$packages" -o -path /proc -o -path /srv -o -path /root -o -path /tmp -o -path /var/lib/apt -o -path /var/cache/apt \) \
        -prune -o -iname '*tandem*' -print)
    [ -z "$left" ] || fail "these files are left: $left"
}

# linked FILE: the file must use the shared libraries and not contain them
linked() {
    ldd "$1" >"$work/ldd"
    for library in libtandem.so.0 libtandem-simulation.so.0; do
        grep -q "$library => /lib/.*\|$library => /usr/lib/.*" "$work/ldd" || fail "$1 is not linked with $library"
    done
}

sizes() {
    echo "   file, KB  installed, KB  package"
    for file in "$packages"/*.deb; do
        case $file in *-dbgsym_*) continue ;; esac
        printf '%11d %14d  %s\n' "$((($(wc -c <"$file") + 1023) / 1024))" "$(dpkg-deb -f "$file" Installed-Size)" \
            "$(dpkg-deb -f "$file" Package)"
    done
}

# use_library: a program compiled before libtandem-dev is gone
use_library() {
    # shellcheck disable=SC2046
    quietly cc -o "$work/hold" /usr/share/doc/libtandem-dev/examples/hold.c $(pkg-config --cflags --libs tandem)
    # shellcheck disable=SC2046
    quietly cc -o "$work/fall" /usr/share/doc/libtandem-dev/examples/fall.c $(pkg-config --cflags --libs tandem-simulation) -lm
    "$work/hold" tandem:gripper driver_joint 0.3 | grep '^driver_joint ' || fail "hold.c finds no torque"
    "$work/fall" "$robots/gripper.urdf" 0.1 | grep '^energy less work within' || fail "fall.c does not end"
}

use_command() {
    linked /usr/bin/tandem
    cd /
    tandem --version
    tandem id -q driver_joint=0.3 tandem:gripper | grep 'driver_joint .*N m' || fail "the command has no torque"
    tandem verify tandem:gripper tandem:stewart || fail "tandem verify"
    tandem simulate -q driver_joint=0.3 --time 0.1 tandem:gripper --plot "$work/fall.svg"
    [ -s "$work/fall.svg" ] || fail "there is no picture"
    if tandem --version | grep -q '^with:.*page of tandem view'; then
        tandem view tandem:stewart --no-open -o "$work/view.html"
        [ -s "$work/view.html" ] || fail "there is no page"
    fi
    # images of containers leave out manual pages
    dpkg-query -L tandem | grep -q '/man1/tandem-id.1' || fail "there is no manual page"
    [ -f /usr/share/bash-completion/completions/tandem ] || fail "no completion for bash"
    [ -f /usr/share/zsh/vendor-completions/_tandem ] || fail "no completion for zsh"
}

use_python() {
    cd /
    linked "$(dpkg-query -L python3-tandem | grep '/_tandem\..*so$')"
    /usr/bin/python3 -c '
import importlib.metadata, tandem
robot = tandem.load("tandem:gripper")
print("Python:", robot.inverse_dynamics(robot.state(driver_joint=0.3)))
names = [d.metadata["Name"] for d in importlib.metadata.distributions() if d.metadata["Name"].startswith("tandem")]
assert names and importlib.metadata.version(names[0]) == tandem.__version__, names
print("Python:", names[0], tandem.__version__)' || fail "the Python package"
}

use_documentation() {
    dpkg-query -L tandem-doc | grep -q '/html/index.html$' || fail "tandem-doc has no pages"
    dpkg-query -L tandem-doc | grep -q '/html/reference/c/dynamics.html$' || fail "tandem-doc has no reference"
}

echo "-- $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), $(dpkg --print-architecture)"
sizes
quietly apt-get update
quietly apt-get install -y --no-install-recommends gcc libc6-dev pkg-config gnuplot-nox
robots=/usr/share/tandem/robots

echo "-- the Python package alone"
# shellcheck disable=SC2046
install python3-tandem $(dependencies python3-tandem)
! command -v tandem || fail "python3-tandem brought the command"
use_python
purge

echo "-- the command alone"
# shellcheck disable=SC2046
install tandem $(dependencies tandem)
use_command
purge

echo "-- all packages"
install libtandem0 libtandem-simulation0 libtandem-dev tandem tandem-data tandem-doc python3-tandem
use_library
use_command
use_python
use_documentation
# the other package with a program of this name must conflict with it
quietly apt-get install -s tandem-mass
grep -q '^Remv tandem ' "$work/log" || fail "tandem-mass does not replace tandem"
purge
! "$work/hold" tandem:gripper >/dev/null 2>&1 || fail "the library is still there"
echo "-- installed, used and purged"
