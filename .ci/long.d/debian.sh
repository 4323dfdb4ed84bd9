# SPDX-License-Identifier: MIT
#
# Tests on minimal Debian systems, in fresh chroots of the releases below or in DEBIAN_RELEASES: the README's two commands
# on a bare system, the result of "bootstrap.sh install", and the packages of package/debian/ (build, lintian,
# installation). DEBIAN_MIRROR selects another mirror. DEBIAN_SETUP is a command that configures a system for the local
# network (certificates, a proxy). Its argument is the folder of the system.

debian_releases=${DEBIAN_RELEASES:-bookworm trixie}
debian_mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

# debian_fresh RELEASE PLACE: copies a minimal system, which is created once, and adds the tree in /srv/tandem
debian_fresh() {
    local base=$scratch/$1.base
    if [ ! -d "$base" ]; then
        # unmounts /proc at the end, even if it is killed
        unshare --mount --propagation private debootstrap --variant=minbase "$1" "$base.making" "$debian_mirror" \
            >"$base.log" 2>&1 ||
            { tail -n 3 "$base.log"; return 1; }
        cp /etc/resolv.conf "$base.making/etc/resolv.conf" && ${DEBIAN_SETUP:-true} "$base.making" && mv "$base.making" "$base"
    fi
    cp -a "$base" "$2" && mkdir "$2/srv/tandem" &&
        git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - |
        tar -xf - --no-same-owner -C "$2/srv/tandem"
}

# debian_run PLACE: runs the script on standard input in the system, with temporary /proc, terminals and shared memory
debian_run() {
    cat - >"$1/root/script" <<<"$debian_functions$(cat)"
    unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" &&
        mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" && mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx" &&
        mount -t tmpfs tmpfs "$1/dev/shm" && exec chroot "$1" /usr/bin/env -i \
        HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive bash -eu /root/script' sh "$1" </dev/null
}

# timed COMMAND...; mark WHAT: the time since the first command; use EXAMPLES: what an installed tandem must do, a torque,
# a picture, Python, a program
debian_functions='
timed() {
    local start=$SECONDS
    "$@" >/root/log 2>&1 || { tail -n 40 /root/log; return 1; }
    echo "-- $((SECONDS - start)) s: $*"
}
mark() {
    echo "-- $SECONDS s after the first command: $1"
}
use() {
    cd /
    tandem --version
    tandem id -q driver_joint=0.3 tandem:gripper | tee /root/torque
    grep -q "driver_joint .*N m" /root/torque
    mark "a torque"
    tandem simulate -q driver_joint=0.3 --time 0.1 tandem:gripper --plot /root/fall.svg
    test -s /root/fall.svg
    mark "a picture"
    /usr/bin/python3 -c "import tandem; r = tandem.load(\"$(tandem robots | sed -n "s/^tandem:gripper  *//p")\")
print(\"Python:\", r.inverse_dynamics(r.state(driver_joint=0.3)))"
    mark "a number from Python"
    cc -o /root/hold "$1/hold.c" $(pkg-config --cflags --libs tandem)
    /root/hold "$(tandem robots | sed -n "s/^tandem:gripper  *//p")" driver_joint 0.3
    mark "a program of C"
    test -s "$(find /usr -name "tandem-id.1*" | head -n 1)"
}
'

# Runs the README's two commands in a system with only git, sudo and certificates: on one release as root, on the others
# as a user with sudo. Counts its tests.
debian_bare() {
    debian_fresh "$1" "$scratch/$1.bare" && debian_run "$scratch/$1.bare" <<SCRIPT
apt-get update -qq
timed apt-get install -y -qq --no-install-recommends git sudo ca-certificates
useradd --create-home user
echo 'user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/user
cd /srv/tandem
git init -q && git add -A && git -c user.name=user -c user.email=user commit -qm tree
[ "$2" = root ] || chown -R user /srv/tandem
for command in install test; do
    start=\$SECONDS
    su $2 -c "sh tools/scripts/bootstrap.sh \$command" || status=\$?
    echo "-- \$((SECONDS - start)) s as $2: bootstrap.sh \$command"
done
cd / && su $2 -c "tandem view tandem:stewart --no-open -o \$(mktemp -u).html"
exit \${status-0}
SCRIPT
}

# Runs the three commands for a user with a clone.
debian_from_clone() {
    debian_fresh "$1" "$scratch/$1.clone" && debian_run "$scratch/$1.clone" <<'SCRIPT'
cd /srv/tandem
timed sh tools/scripts/bootstrap.sh install
tail -n 4 /root/log
use /usr/local/share/doc/tandem/examples
useradd --create-home user
chown -R user /srv/tandem # reuses its build: only the prefix differs
echo "-- without root"
su user -c 'cd && sh /srv/tandem/tools/scripts/bootstrap.sh install >log 2>&1 || { tail log; exit 1; }; tail -n 4 log
    .local/bin/tandem id -q driver_joint=0.3 tandem:gripper && /usr/bin/python3 -c "
import tandem; assert tandem.__file__.startswith(\"/home/user/.local/\"), tandem.__file__"'
SCRIPT
}

debian_build() {
    debian_fresh "$1" "$scratch/$1.build" && debian_run "$scratch/$1.build" <<'SCRIPT'
cd /srv/tandem
mkdir /root/control /root/packages
cp -R package/debian /root/control/debian
sed -i 's/@MAINTAINERS@/nobody <nobody>/' /root/control/debian/control
apt-get update -qq
timed apt-get install -y --no-install-recommends dpkg-dev lintian
timed apt-get build-dep -y --no-install-recommends /root/control
export DPKG_GENSYMBOLS_CHECK_LEVEL=4 # new symbols must be listed: ninja abi_lists
timed sh package/build-deb.sh /root/packages
lintian --fail-on error,warning /root/packages/*.changes
SCRIPT
}

debian_install() {
    debian_fresh "$1" "$scratch/$1.use" && cp -R "$scratch/$1.build/root/packages" "$scratch/$1.use/root" &&
        debian_run "$scratch/$1.use" <<'SCRIPT'
rm /root/packages/*-dbgsym_*
sh /srv/tandem/package/check-deb.sh /root/packages
SCRIPT
}

# debian_step NAME FUNCTION RELEASE ARGUMENT...: runs a step, and counts the tests that it runs in the system
debian_step() {
    local name=$1 function=$2 release=$3
    shift 3
    export debian_mirror debian_functions
    export -f debian_fresh debian_run "$function"
    local tests=
    [ "$function" != debian_bare ] || tests=$scratch/$release.bare/srv/tandem/build
    step "$name on Debian $release" "$tests" bash -c '"$@"' step "$function" "$release" "$@"
}

# debian_can STEP: succeeds if systems can be created, else reports the skipped STEP
debian_can() {
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null || ! unshare --mount true 2>/dev/null; then
        skip_step "$1" "a chroot takes root, debootstrap and unshare"
        return 1
    fi
}

long_bare() {
    debian_can "the README's two commands on a bare Debian" || return 0
    local user=root
    for release in $debian_releases; do
        debian_step "bootstrap.sh install and test, as $user," debian_bare "$release" "$user"
        user=user
    done
}

long_debian() {
    debian_can "Debian from nothing" || return 0
    for release in $debian_releases; do
        debian_step "bootstrap.sh install" debian_from_clone "$release"
        debian_step "packages" debian_build "$release"
        if ls "$scratch/$release.build/root/packages"/*.deb >/dev/null 2>&1; then
            debian_step "packages, installed," debian_install "$release"
        fi
    done
}
