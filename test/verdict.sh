# SPDX-License-Identifier: MIT
#
# TAP reports for shell tests that source this file. Defines the test number, the count of failures, and a
# scratch folder. Commands write their messages to $scratch/messages.

number=0
failed=0
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# verdict TITLE: reports the last command
verdict() {
    status=$?
    number=$((number + 1))
    if [ "$status" -eq 0 ]; then
        echo "ok $number - $1"
    else
        failed=1
        echo "not ok $number - $1"
        [ ! -s "$scratch/messages" ] || sed 's/^/# /' "$scratch/messages"
    fi
}
