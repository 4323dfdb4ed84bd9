# SPDX-License-Identifier: MIT
#
# Steps of .ci/run and .ci/long, which read this file: a step is a command with a limit of time, whose
# failure does not stop the ones after it. Checks are summed over all steps. Whoever reads this file has
# set root, scratch and time_limit (seconds for all steps together).

passed=0 failed=0 skipped=0
failed_steps=()
failures="" # the failed checks with their output: repeated at the end of the log, of which readers may have no more

# checks DIRECTORY: "passed failed skipped" of the last test run in that build directory
checks() {
    python3 "$root/test/results.py" "$1/meson-logs/testlog.json"
}

# step NAME DIRECTORY COMMAND...: runs the command within the time that is left, and adds up the
# checks of the test run that it leaves in DIRECTORY ("" for none)
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

# summary: the failed checks with their output, which steps failed, and as the last line "N passed, N failed, N skipped".
# Its status says whether all of it held.
summary() {
    printf '\n%s' "$failures"
    for name in "${failed_steps[@]+"${failed_steps[@]}"}"; do
        printf 'failed: %s\n' "$name"
    done
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ]
}
