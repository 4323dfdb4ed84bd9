# SPDX-License-Identifier: MIT
#
# How shell tests report in TAP, for those that source it: number and failed count, scratch is a folder of their own, and
# commands write what they complain of to $scratch/messages.

number=0
failed=0
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT

# verdict TITLE: of the last command
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
