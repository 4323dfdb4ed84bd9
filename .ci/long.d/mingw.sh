# SPDX-License-Identifier: MIT
#
# Windows with mingw-w64: compiles and links the core and the simulation, static and shared. Does not run
# anything.

. .ci/cross/cross.sh

long_mingw() {
    local lacks
    lacks=$(lacking x86_64-w64-mingw32-gcc-posix)
    if [ -n "$lacks" ]; then
        skip_step "mingw-w64" "there is no ${lacks}(gcc-mingw-w64-x86-64-posix)"
    else
        step "mingw-w64: core, compiled and linked" "" bash -c '
            cross_build mingw "$1" -Dtests=disabled -Dtools=disabled -Durdf=disabled -Dopenblas=disabled &&
            x86_64-w64-mingw32-gcc-posix -Wall -Wextra -Werror -I "$root/include" -I "$1/build/include" \
                "$root/.ci/cross/pendulum.c" -o "$1/static.exe" "$1/build/libtandem.a" -lm -lpthread &&
            x86_64-w64-mingw32-gcc-posix -I "$root/include" -I "$1/build/include" \
                "$root/.ci/cross/pendulum.c" -o "$1/shared.exe" "$1/build/libtandem.dll.a"' long "$scratch/mingw"
    fi
}
