#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the wheel of package/build-wheel.sh on this system: installs it with pip in a virtual environment, and uses the
# command, the page and the package.
#
#   sh package/check-wheel.sh WHEEL
#
# Needs python3 with venv and pip. pip fetches NumPy and cffi if the system has none. Stops at the first error.

set -eu

if [ $# -ne 1 ] || [ ! -f "$1" ]; then
    echo "usage: sh check-wheel.sh WHEEL" >&2
    exit 2
fi
wheel=$(cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet "$wheel"
cd "$work"
venv/bin/tandem --version
venv/bin/tandem id -q driver_joint=0.3 --qdd driver_joint=2 tandem:gripper | tee torque
grep -q '^driver_joint .*-0.0169852  N m' torque
venv/bin/tandem verify tandem:gripper tandem:stewart
venv/bin/tandem view tandem:stewart --no-open -o page.html
[ -s page.html ]
venv/bin/python -c '
import numpy, tandem
robot = tandem.load("tandem:gripper")
tau = robot.inverse_dynamics(robot.state(driver_joint=0.3), ydd=[2.0])
assert numpy.allclose(tau, -0.0169852, rtol=1e-5), tau
print("Python:", tandem.__version__, tau)'
"$work/venv/bin/pip" uninstall --quiet --yes "$(basename "$wheel" | cut -d- -f1)"
if [ -e venv/bin/tandem ]; then
    echo "FAILED: the command is left" >&2
    exit 1
fi
echo "-- installed, used and uninstalled"
