#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How tools/scripts/bootstrap.sh ends when it cannot continue, and what it can do without. apt commands are
# replaced by commands that fail as without a network, or for a package that the release lacks. Nothing is
# installed or built. Prints TAP.
#
#   sh test/bootstrap.sh SOURCE_ROOT

set -u

root=$1
. "$(dirname -- "$0")/verdict.sh"
chmod 755 "$scratch"
mkdir -p "$scratch/bin" "$scratch/clone/tools/scripts" "$scratch/clone/test"
cp "$root/tools/scripts/bootstrap.sh" "$scratch/clone/tools/scripts"
cp "$root/test/results.py" "$scratch/clone/test"

# make_command NAME: a command whose script is standard input
make_command() {
    { echo '#!/bin/sh'; cat; } >"$scratch/bin/$1"
    chmod 755 "$scratch/bin/$1"
}

for name in sh env id sed grep tail head cat cut tr dirname basename mktemp rm find printf uname ls pkg-config cc gcc; do
    at=$(command -v "$name") && [ -x "$at" ] && ln -s "$at" "$scratch/bin/$name"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$scratch/bin/python3"
make_command sudo <<'SCRIPT'
exec "$@"
SCRIPT

# bootstrap COMMAND...: stores its exit status in $status
bootstrap() {
    status=0
    env -u CC PATH="$scratch/bin" sh "$scratch/clone/tools/scripts/bootstrap.sh" "$@" >"$scratch/messages" 2>&1 </dev/null || status=$?
}

make_command apt-get <<'SCRIPT'
echo "W: Failed to fetch http://archive.example/InRelease  Temporary failure resolving 'archive.example'"
echo "E: Unable to locate package meson"
exit 100
SCRIPT
make_command apt-cache <<'SCRIPT'
exit 100
SCRIPT
bootstrap install "$scratch/prefix"
[ "$status" -eq 1 ] && [ "$(wc -l <"$scratch/messages")" -eq 2 ] &&
    tail -n 1 "$scratch/messages" | grep -q "^bootstrap: cannot install .*meson.*Temporary failure resolving 'archive.example'"
verdict "an archive that is not reached ends it with one line that says why"

rm "$scratch/bin/sudo"
if [ "$(id -u)" -ne 0 ]; then
    bootstrap install "$scratch/prefix"
    [ "$status" -eq 1 ] && [ "$(wc -l <"$scratch/messages")" -eq 1 ] && grep -q 'neither root nor sudo.*meson' "$scratch/messages"
    verdict "without root and sudo it says what to install"
fi

# the build, with everything available except one package
for name in meson ninja; do
    make_command "$name" <<'SCRIPT'
exit 0
SCRIPT
done
make_command apt-get <<'SCRIPT'
exit 0
SCRIPT
make_command apt-cache <<'SCRIPT'
test "$2" != zsh
SCRIPT
make_command sudo <<'SCRIPT'
exec "$@"
SCRIPT
mkdir -p "$scratch/clone/build/meson-logs"
cat >"$scratch/clone/build/meson-logs/testlog.json" <<'LOG'
{"name": "tandem / a", "result": "OK", "stdout": "ok 1 - x # SKIP there is no zsh\nok 2 - y\nok 3 - z # SKIP: there is no zsh\n"}
{"name": "tandem:view / b", "result": "SKIP", "stdout": "1..0 # SKIP this build has no page\n"}
{"name": "tandem / c", "result": "ERROR", "stdout": "ok 1 - x\n"}
LOG
bootstrap test
[ "$status" -eq 0 ] && grep -q 'going on without what this release does not have: zsh$' "$scratch/messages"
verdict "a package that the release lacks is left out, and named"
grep -q 'skipped, there is no zsh: a (2 checks)$' "$scratch/messages" && grep -q 'skipped, this build has no page: b$' "$scratch/messages"
verdict "at the end stands which checks were skipped, and why"
[ "$(python3 "$root/test/results.py" "$scratch/clone/build/meson-logs/testlog.json")" = "2 1 3" ]
verdict "checks are counted; a program that ends badly without a failed check is a failure"

# root can write everywhere except on a read-only file system
rm -r "$scratch/clone/build"
chmod -R a-w "$scratch/clone"
drop=
[ "$(id -u)" -ne 0 ] || drop="setpriv --reuid=65534 --regid=65534 --clear-groups"
status=0
# split into words
# shellcheck disable=SC2086
env PATH="$scratch/bin:/usr/bin:/bin" $drop sh "$scratch/clone/tools/scripts/bootstrap.sh" install >"$scratch/messages" 2>&1 </dev/null || status=$?
[ "$status" -eq 1 ] && [ "$(wc -l <"$scratch/messages")" -eq 1 ] && grep -q "cannot build in $scratch/clone" "$scratch/messages"
verdict "a clone that cannot be written to ends it with one line"

echo "1..$number"
exit "$failed"
