# SPDX-License-Identifier: MIT
#
# Long fuzzing with libFuzzer, with coverage of the kernels too, under the address and undefined behavior
# sanitizers. TANDEM_FUZZ_SECONDS: time per target, by default half an hour. Inputs that crash, hang or
# give inconsistent results are saved in build-fuzz-found/.

fuzz_targets="urdf model_file list table reduction command robot motion"

# fuzz_one DIRECTORY TARGET
fuzz_one() {
    local corpus="$root/test/fuzz/corpus" more=() words=() found="$root/build-fuzz-found"
    local dictionary=$2
    case $2 in
    urdf) more=("$root/urdf/robots" "$root/test/traps") ;;
    table) more=("$corpus/command") dictionary=command ;;
    esac
    if [ -e "$root/test/fuzz/$dictionary.dict" ]; then
        words=("-dict=$root/test/fuzz/$dictionary.dict")
    fi
    mkdir -p "$scratch/corpus_$2" "$found"
    TANDEM_ROBOTS="$root/urdf/robots" ASAN_OPTIONS=detect_leaks=1 "$1/test/fuzz/fuzz_$2" \
        -max_total_time="${TANDEM_FUZZ_SECONDS:-1800}" -timeout=25 -rss_limit_mb=4096 -max_len=16384 \
        -print_final_stats=1 -artifact_prefix="$found/$2-" "${words[@]+"${words[@]}"}" \
        "$scratch/corpus_$2" "$corpus/$2" "${more[@]+"${more[@]}"}" 2>&1 | tail -40
    return "${PIPESTATUS[0]}"
}

long_fuzz() {
    local name build="$scratch/fuzz"
    if ! command -v clang >/dev/null; then
        skip_step fuzz "there is no clang"
        return
    fi
    export -f fuzz_one
    export scratch root
    step "fuzz: build" "" bash -c '
        CC=clang CFLAGS="-fsanitize=fuzzer-no-link -g1 -fno-sanitize-recover=undefined" \
            meson setup "$1" "$root" -Dfuzz=true -Davx2=false -Dtests=enabled -Dtools=enabled \
            -Dpeers=disabled -Dview=disabled -Dpython=disabled -Doptimization=1 -Ddebug=false \
            -Db_sanitize=address,undefined -Db_lundef=false -Ddefault_library=static &&
        ninja -C "$1" $(printf "test/fuzz/fuzz_%s " $2)' long "$build" "$fuzz_targets"
    for name in $fuzz_targets; do
        step "fuzz: $name" "" bash -c 'fuzz_one "$@"' long "$build" "$name"
    done
}
