/* SPDX-License-Identifier: MIT */
/*
 * Who takes part: tandem on every instruction set, and the libraries that were found at build time.
 */
#include "peer.h"
#include "tandem/config.h"

extern const peer peer_tandem, peer_mujoco, peer_kdl, peer_dart;

const contender contenders[] = {
    {"tandem baseline", &peer_tandem, 0, false},
    {"tandem baseline, 2 lanes", &peer_tandem, 1, false},
    {"tandem avx2", &peer_tandem, 2, false},
    {"tandem avx2, 4 lanes", &peer_tandem, 3, false},
    {"tandem avx512", &peer_tandem, 4, false},
    {"tandem avx512, 8 lanes", &peer_tandem, 5, false},
#ifdef BENCH_MUJOCO
    {"mujoco", &peer_mujoco, 0, false},
    {"mujoco, equalities", &peer_mujoco, 1, true},
#endif
#ifdef BENCH_KDL
    {"kdl", &peer_kdl, 0, false},
#endif
#ifdef BENCH_DART
    {"dart", &peer_dart, 0, false},
#endif
};
const size_t contender_count = sizeof contenders / sizeof *contenders;

const char peer_versions[] = "tandem " TANDEM_VERSION
#ifdef BENCH_MUJOCO
                             ", MuJoCo " BENCH_MUJOCO
#endif
#ifdef BENCH_KDL
                             ", Orocos KDL " BENCH_KDL
#endif
#ifdef BENCH_DART
                             ", DART " BENCH_DART
#endif
    ;
