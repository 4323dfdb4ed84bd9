# SPDX-License-Identifier: MIT
#
# Builds the wheel for all systems in a fresh Debian 11 (package/build-wheel.sh), and installs it offline in fresh systems
# without a compiler, with pip: Debian 12 and 13 (or DEBIAN_RELEASES), with Debian's NumPy and cffi. There it runs README's
# examples of the command and Python. Uses the functions and variables of debian.sh.

# wheel_use RELEASE
wheel_use() {
    debian_fresh "$1" "$scratch/$1.wheel" && cp "$scratch"/wheel/*.whl "$scratch/$1.wheel/root" &&
        debian_run "$scratch/$1.wheel" <<'SCRIPT'
apt-get update -qq
timed apt-get install -y --no-install-recommends python3-venv python3-numpy python3-cffi
if command -v cc; then exit 1; fi
SECONDS=0
cd /root
python3 -m venv --system-site-packages venv
timed venv/bin/pip install --no-index tandem_dynamics-*.whl
venv/bin/pip list 2>/dev/null | grep tandem-dynamics
venv/bin/tandem id -q driver_joint=0.3 --qdd driver_joint=2 tandem:gripper | tee torque
mark "a torque"
[ "$SECONDS" -lt 30 ]
grep -q '^driver_joint .*-0.0169852  N m' torque
venv/bin/python -m tandem --version
venv/bin/tandem view tandem:stewart --no-open -o page.html
test -s page.html
# README's examples of Python
sed -n '/^```python/,/^```/{/^```/!p}' /srv/tandem/README.md >example.py
grep -q million example.py
venv/bin/python example.py | tee numbers
grep -q "^{'driver_joint': -0.01698523.*} (1000000, 1)$" numbers # last digits differ between processors
SCRIPT
}

long_wheel() {
    debian_can "the wheel for all systems" || return 0
    if [ ! -f "$root/view/page.html" ] && [ ! -f "$root/build/view/page.html" ]; then
        skip_step "the wheel for all systems" "there is no page of tandem view in build/view"
        return 0
    fi
    step "the wheel for all systems" "" sh package/build-wheel.sh "$scratch/wheel"
    for release in $debian_releases; do
        if ls "$scratch"/wheel/*.whl >/dev/null 2>&1; then
            debian_step "the wheel" wheel_use "$release"
        fi
    done
}
