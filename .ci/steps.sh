# SPDX-License-Identifier: MIT
#
# Runs the steps of .ci/run and .ci/long, which source this file. A step is a command with a time limit.
# Its failure does not stop later steps. Checks are summed over all steps. The caller sets root, scratch
# and time_limit (seconds for all steps together).

passed=0 failed=0 skipped=0
failed_steps=()
failures="" # failed checks with their output, repeated at the end of the log, which may be all that readers have

# checks DIRECTORY: prints "passed failed skipped" for the last test run in a build directory
checks() {
    python3 "$root/test/results.py" "$1/meson-logs/testlog.json"
}

# step NAME DIRECTORY COMMAND...: runs the command within the remaining time, and adds the checks of its
# test run in DIRECTORY ("" for none)
step() {
    local name=$1 directory=$2 status=0 left=$((time_limit - SECONDS)) p=0 f=0 s=0
    shift 2
    printf '\n==== %s\n' "$name"
    if [ -n "$directory" ]; then
        rm -f "$directory/meson-logs/testlog.json"
    fi
    if [ "$left" -le 0 ]; then
        echo "no time left"
        status=124
    else
        timeout --kill-after=10 "$left" "$@" || status=$?
    fi
    if [ -n "$directory" ]; then
        read -r p f s < <(checks "$directory")
        if [ $((p + f + s)) -eq 0 ] && [ "$status" -eq 0 ]; then
            echo "no test has run"
            status=1
        fi
    fi
    if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    if [ "$f" -ne 0 ]; then
        failed_steps+=("$name (exit $status)")
        if [ -n "$directory" ]; then
            failures+=$(python3 "$root/test/results.py" "$directory/meson-logs/testlog.json" --failures)$'\n'
        fi
    fi
    local verdict=good
    [ "$f" -eq 0 ] || verdict=FAILED
    printf '==== %s: %s, after %d s\n' "$name" "$verdict" "$SECONDS"
}

skip_step() {
    printf '\n==== %s: skipped, %s\n' "$1" "$2"
    skipped=$((skipped + 1))
}

# summary: prints the failed checks with their output, the failed steps, and as last line "N passed, N failed, N skipped".
# Returns 0 only if everything passed.
summary() {
    printf '\n%s' "$failures"
    for name in "${failed_steps[@]+"${failed_steps[@]}"}"; do
        printf 'failed: %s\n' "$name"
    done
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}
