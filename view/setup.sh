#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Sets up the tools that build the page of tandem view. Checks for node, npm, and clang for
# WebAssembly, and installs the packages of the lock file in DIRECTORY/node_modules, which needs a
# network the first time. If anything is missing, prints one line and exits with status 1:
#
#   setup.sh SOURCE DIRECTORY

set -u

source=$1 directory=$2

missing() {
    echo "$1"
    exit 1
}

command -v node >/dev/null || missing "node is missing: install nodejs"
command -v npm >/dev/null || missing "npm is missing: install npm"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 18 ? 0 : 1)' ||
    missing "node is older than 18: install a newer nodejs"
command -v clang >/dev/null || missing "a compiler for WebAssembly is missing: install clang"
command -v wasm-ld >/dev/null || missing "the linker wasm-ld is missing: install lld"
mkdir -p "$directory" || exit 1
printf '#include <math.h>\nint main(void) { return (int)cos(1); }\n' >"$directory/try.c"
clang --target=wasm32-wasi --sysroot=/usr -fsyntax-only "$directory/try.c" 2>/dev/null ||
    missing "the C library for WebAssembly is missing: install wasi-libc"
clang --target=wasm32-wasi --sysroot=/usr -o "$directory/try.wasm" "$directory/try.c" 2>/dev/null ||
    missing "clang's runtime for WebAssembly is missing: install libclang-rt-14-dev-wasm32 (of clang's version)"

if ! cmp -s "$source/package-lock.json" "$directory/installed-lock.json"; then
    cp "$source/package.json" "$source/package-lock.json" "$directory/"
    (cd "$directory" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --loglevel=error) \
        >"$directory/npm.log" 2>&1 ||
        missing "npm could not install the packages of view/package-lock.json: a network is needed once ($directory/npm.log)"
    cp "$source/package-lock.json" "$directory/installed-lock.json"
fi
