#!/bin/sh
# SPDX-License-Identifier: MIT
# Stands in for xacro: prints the file with $(arg NAME) replaced by the value of NAME:=VALUE, without the lines that have tags of
# xacro. The argument do:=WORD selects a failure.
#
#     test/urdf/xacro.sh FILE [NAME:=VALUE...]
file=$1
shift
for word; do
    case $word in
    do:=fail)
        printf 'warning: first\nerror: name '"'arm'"' is not defined \n' >&2
        printf 'when evaluating expression '"'2*arm'"'\nwhen processing file: %s\n' "$file" >&2
        exit 2 ;;
    do:=include)
        printf 'error: unknown macro name: xacro:nothing\nwhen processing file: %s.inc\nincluded from: %s\n' "$file" "$file" >&2
        exit 2 ;;
    do:=macro)
        printf 'error: unknown macro name: xacro:nothing \nwhen instantiating macro: outer (%s)\nin file: other.xacro\n' "$file" >&2
        exit 2 ;;
    do:=broken)
        printf 'XML parsing error: mismatched tag: line 3, column 4\nwhen processing file: %s\n\nCheck that:\n' "$file" >&2
        exit 2 ;;
    do:=traceback)
        printf 'Traceback (most recent call last):\n  File "x"\nValueError: no number\n\n' >&2
        exit 1 ;;
    do:=warn) printf 'warning: first\n\nwarning: second\n' >&2 ;;
    do:=hang) exec sleep 100 ;;
    do:=close) exec sleep 100 >&- 2>&- ;;
    do:=leave) sleep 100 & echo $! >"$file.pid" ;;
    do:=signal) kill -9 $$ ;;
    do:=nothing) exit 0 ;;
    do:=garbage)
        echo 'this is not XML'
        exit 0 ;;
    do:=much) exec yes '<!-- much more than the cap -->' ;;
    do:=errors) yes 'a long line of messages' | head -c 1000000 >&2 ;;
    do:=input) [ "$(wc -c)" -eq 0 ] || exit 3 ;;
    esac
done
if ! [ -r "$file" ]; then
    echo "error: no such file: '$file'" >&2
    exit 2
fi
exec awk '
    BEGIN { count = ARGC; for (i = 2; i < count; i++) { word[i] = ARGV[i]; delete ARGV[i] } }
    /<\/?xacro:/ { next }
    {
        for (i = 2; i < count; i++) {
            split(word[i], part, ":=")
            name = "$(arg " part[1] ")"
            while ((at = index($0, name)) > 0)
                $0 = substr($0, 1, at - 1) part[2] substr($0, at + length(name))
        }
        print
    }' "$file" "$@"
