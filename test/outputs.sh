#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Output files of commands, for any content. Permissions and symbolic links remain, and no reader ever finds
# half a file. A file is on the disk before it gets its name. No signal, error or full disk leaves temporary
# files. Prints TAP.
#
#   sh test/outputs.sh COMMAND DIRECTORY_OF_ROBOTS [ENDED_EARLY FAILING_SYNC]
#
# ENDED_EARLY, FAILING_SYNC: ended_early.c and failing_sync.c, built as libraries.

set -u

command=$(cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
robots=$(cd -- "$2" && pwd)
early=${3:+$(cd -- "$(dirname -- "$3")" && pwd)/$(basename -- "$3")}
sync=${4:+$(cd -- "$(dirname -- "$4")" && pwd)/$(basename -- "$4")}
. "$(dirname -- "$0")/verdict.sh"
cd "$scratch" || exit 1
umask 022

# skip TITLE WHY
skip() {
    number=$((number + 1))
    echo "ok $number - $1 # SKIP $2"
}

mode() {
    stat -c %a "$1"
}

# write KIND FILE: a table, an array, a picture or a page
write() {
    case $1 in
    csv | npy) "$command" simulate "$robots/four_bar.urdf" --time 0.02 --step 0.01 -o "$2" ;;
    html) "$command" view "$robots/four_bar.urdf" -o "$2" --no-open ;;
    *) "$command" plot table.csv -o "$2" ;;
    esac >messages 2>&1
}

printf 't,q:elbow\n0,0\n1,1\n' >table.csv
printf 'q:crank_joint\n0.1\n0.2\n' >table2.csv
kinds="csv npy html"
if command -v gnuplot >/dev/null 2>&1; then
    kinds="$kinds svg png pdf"
else
    skip "svg, png, pdf" "there is no gnuplot"
fi
if ! write html page.html; then
    skip "html" "this build has no page of tandem view"
    kinds=$(echo "$kinds" | sed 's/ html//')
fi
rm -f page.html

for kind in $kinds; do
    write "$kind" "new.$kind" && [ "$(mode "new.$kind")" = 644 ]
    verdict "$kind: a new file has the permissions of new files"
    for bits in 600 640 666; do
        cp "new.$kind" "old.$kind" && chmod "$bits" "old.$kind" && write "$kind" "old.$kind" &&
            [ "$(mode "old.$kind")" = "$bits" ]
        verdict "$kind: a file that is replaced keeps $bits"
    done
    mkdir -p there
    printf old >"there/real.$kind"
    ln -sf "there/real.$kind" "link.$kind" && ln -sf "link.$kind" "second.$kind" &&
        write "$kind" "second.$kind" && [ -L "second.$kind" ] && [ -L "link.$kind" ] &&
        [ "$(wc -c <"there/real.$kind")" -gt 10 ]
    verdict "$kind: symbolic links stay, and what they name is replaced"
    ln -sf "there/absent.$kind" "dangling.$kind" && write "$kind" "dangling.$kind" &&
        [ -L "dangling.$kind" ] && [ -f "there/absent.$kind" ]
    verdict "$kind: a link to a file that is not there yet"
    ln -sf "circle.$kind" "circle.$kind"
    status=0
    write "$kind" "circle.$kind" || status=$?
    [ -L "circle.$kind" ] || [ "$status" -ne 0 ] || [ -f "circle.$kind" ]
    verdict "$kind: a link to itself ends"
    status=0
    write "$kind" "nowhere/x.$kind" || status=$?
    [ "$status" -eq 3 ] && grep -q nowhere messages
    verdict "$kind: a folder that is not there"
    [ -z "$(find . -name '*.??????' ! -name '*.csv' | grep -v '\.urdf$')" ]
    verdict "$kind: nothing temporary is left"
done

# A signal during writing leaves only the previous file. The command is waiting for more states, from a pipe
# that this shell keeps open.
for kind in csv npy; do
    for signal in HUP INT QUIT TERM PIPE ALRM USR1 USR2 XCPU XFSZ VTALRM PROF ABRT; do
        rm -rf middle states && mkdir middle && mkfifo states && exec 9<>states
        printf old >"middle/x.$kind"
        # background processes of a shell ignore INT and QUIT, and inherit other ignored signals, such as HUP
        # from nohup; env restores the defaults
        env --default-signal "$command" id "$robots/four_bar.urdf" - -o "middle/x.$kind" \
            <states >messages 2>&1 &
        process=$!
        awk 'BEGIN { print "q:crank_joint"; for (k = 0; k < 5000; k++) print 0.1 }' >&9
        tries=0
        while [ -z "$(find middle -name "x.$kind.*")" ] && [ "$tries" -lt 500 ]; do
            sleep 0.02
            tries=$((tries + 1))
        done
        seen=$(find middle -name "x.$kind.*")
        kill -s "$signal" "$process"
        status=0
        wait "$process" 2>/dev/null || status=$?
        [ -n "$seen" ] && [ "$status" -gt 128 ] && [ "$(ls middle)" = "x.$kind" ] &&
            [ "$(cat "middle/x.$kind")" = old ]
        verdict "$kind: SIG$signal leaves what was there (status $status)"
    done
done

# a signal at the moment when the temporary file is created
if [ -n "$early" ]; then
    for kind in csv npy; do
        rm -rf made && mkdir made && printf old >"made/x.$kind"
        status=0
        (LD_PRELOAD=$early "$command" id "$robots/four_bar.urdf" table2.csv -o "made/x.$kind") \
            >messages 2>&1 || status=$?
        [ "$status" -eq 143 ] && [ "$(ls made)" = "x.$kind" ] && [ "$(cat "made/x.$kind")" = old ]
        verdict "$kind: a signal as the file is made leaves what was there (status $status)"
    done
fi

# An interrupted simulation keeps its rows in a separate file and leaves the complete file from before. After
# other signals it keeps nothing.
for kind in csv npy json; do
    for signal in INT TERM HUP PIPE; do
        rm -rf middle && mkdir middle && printf old >"middle/x.$kind"
        env --default-signal=INT,HUP "$command" simulate "$robots/arm7.urdf" --time 1e6 -o "middle/x.$kind" \
            >messages 2>&1 &
        process=$!
        tries=0
        while [ -z "$(find middle -name "x.$kind.*" -size +0)" ] && [ "$tries" -lt 1500 ]; do
            sleep 0.02
            tries=$((tries + 1))
        done
        kill -s "$signal" "$process"
        status=0
        wait "$process" 2>/dev/null || status=$?
        case $signal in
        INT | TERM) kept="x.$kind x.partial.$kind " ;;
        *) kept="x.$kind " ;;
        esac
        [ "$status" -gt 128 ] && [ "$(ls middle | LC_ALL=C sort | tr '\n' ' ')" = "$kept" ] &&
            [ "$(cat "middle/x.$kind")" = old ]
        verdict "$kind: SIG$signal and simulate leave what was there (status $status)"
    done
done

# the content is on the disk before the file gets its name, and the name is synced as well
if [ -n "$sync" ]; then
    for kind in $kinds; do
        rm -rf synced && mkdir synced && printf old >"synced/x.$kind"
        status=0
        (LD_PRELOAD=$sync SYNC_FAILS=file && export LD_PRELOAD SYNC_FAILS && write "$kind" "synced/x.$kind") || status=$?
        [ "$status" -eq 3 ] && [ "$(ls synced)" = "x.$kind" ] && [ "$(cat "synced/x.$kind")" = old ] &&
            grep -q "x.$kind: Input/output error" messages
        verdict "$kind: a file that does not get to the disk leaves what was there (status $status)"
        status=0
        (LD_PRELOAD=$sync SYNC_FAILS=folder && export LD_PRELOAD SYNC_FAILS && write "$kind" "synced/x.$kind") || status=$?
        [ "$status" -eq 3 ] && grep -q "x.$kind: Input/output error" messages
        verdict "$kind: a name that does not get to the disk is told (status $status)"
    done
fi

# output to an open file is appended; its content is not replaced
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 stdout.csv; do
    ln -sf /dev/stdout stdout.csv
    [ -e "$name" ] || continue
    echo before >log
    "$command" id "$robots/four_bar.urdf" table2.csv -o "$name" >>log 2>messages &&
        echo after >>log && [ "$(head -n 1 log)" = before ] && [ "$(tail -n 1 log)" = after ] &&
        [ "$(wc -l <log)" -eq 5 ] && [ -L stdout.csv ]
    verdict "$name is standard output, and adds to what is there"
done
"$command" id "$robots/four_bar.urdf" table2.csv -o /dev/stdout 2>messages | grep -q tau:crank_joint
verdict "/dev/stdout is a pipe"
status=0
"$command" id "$robots/four_bar.urdf" table2.csv -o /dev/fd/9 9>&- >messages 2>&1 || status=$?
[ "$status" -eq 3 ] && grep -q '/dev/fd/9: ' messages
verdict "an open file that is not open"

# a limit on file size acts like a full disk
for kind in csv npy; do
    rm -rf full && mkdir full && printf old >"full/x.$kind"
    status=0
    (
        trap '' XFSZ
        ulimit -f 1
        exec "$command" simulate "$robots/four_bar.urdf" --time 10 --step 1e-3 -o "full/x.$kind"
    ) >/dev/null 2>messages.here || status=$?
    [ "$status" -eq 3 ] && [ "$(ls full)" = "x.$kind" ] && [ "$(cat "full/x.$kind")" = old ]
    verdict "$kind: a disk that is full leaves what was there"
done

# pipes are written sequentially; an array cannot be, because its header is completed at the end
mkfifo pipe.csv pipe.npy
timeout 20 cat pipe.csv >through & write csv pipe.csv && wait && [ "$(head -c 2 through)" = t, ] && [ -p pipe.csv ]
verdict "csv: into a pipe with a name"
timeout 20 cat pipe.npy >through & status=0
write npy pipe.npy || status=$?
kill $! 2>/dev/null # it waits if the pipe was never opened
wait
[ "$status" -eq 3 ] && grep -q 'into a regular file' messages && [ -p pipe.npy ]
verdict "npy: a pipe is refused"

echo "1..$number"
exit "$failed"
