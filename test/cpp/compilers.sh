#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tandem.hpp, its example and its test must compile without warnings as C++17, C++20 and C++23, with g++ and clang++. What
# must not compile is refused: a column-major matrix, a copied workspace. Prints TAP.
#
#   sh test/cpp/compilers.sh SOURCE_ROOT BUILD_ROOT [FLAGS of Eigen]

set -u

root=$1
build=$2
shift 2
. "$(dirname -- "$0")/../verdict.sh"
flags="-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I$root/include -I$build/include -I$root/test -I$root/test/support"

# a type with the members of Eigen's column-major matrix
cat >"$scratch/column_major.cpp" <<'CODE'
#include <tandem/tandem.hpp>
struct matrix {
    enum { IsRowMajor = 0, IsVectorAtCompileTime = 0 };
    double *data();
    long size(), rows(), cols(), innerStride(), outerStride();
};
void use(tandem::workspace &w, matrix &J) { w.mass_matrix({0}, {}, J); }
CODE
cat >"$scratch/copied.cpp" <<'CODE'
#include <tandem/tandem.hpp>
tandem::workspace copy(const tandem::workspace &w) { return w; }
CODE

# compile COMPILER STANDARD FILE [FLAG...]
compile() {
    compiler=$1 standard=$2 file=$3
    shift 3
    # shellcheck disable=SC2086
    "$compiler" "-std=$standard" $flags "$@" "$file" >"$scratch/messages" 2>&1
}

for compiler in g++ clang++; do
    for standard in c++17 c++20 c++2b; do
        if ! command -v "$compiler" >/dev/null 2>&1; then
            number=$((number + 1))
            echo "ok $number - $compiler, $standard # SKIP there is no $compiler"
            continue
        fi
        compile "$compiler" "$standard" "$root/examples/control_loop.cpp" && compile "$compiler" "$standard" "$root/test/cpp/test_wrapper.cpp" "$@"
        verdict "$compiler, $standard"
        ! compile "$compiler" "$standard" "$scratch/column_major.cpp" && grep -q 'matrices are row-major' "$scratch/messages"
        verdict "$compiler, $standard: a column-major matrix is refused, with the remedy"
        ! compile "$compiler" "$standard" "$scratch/copied.cpp"
        verdict "$compiler, $standard: a workspace is not copied"
    done
done
echo "1..$number"
exit $failed
