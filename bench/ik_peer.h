/* SPDX-License-Identifier: MIT */
/*
 * Inverse kinematics of a chain by another library.
 */
#ifndef BENCH_IK_PEER_H
#define BENCH_IK_PEER_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each joint after a fixed frame (row-major 3 × 4); and the tip after the last one. */
typedef struct ik_chain {
    size_t joints;
    double (*frame)[12];
    double (*axis)[3];
    bool *prismatic;
    double *lower, *upper;
    double tip[12];
} ik_chain;

typedef struct ik_peer ik_peer;

enum { IK_KDL_LMA, IK_KDL_NR_JL, IK_KDL_SOLVERS };

ik_peer *ik_peer_new(const ik_chain *chain);
void ik_peer_free(ik_peer *peer);
/* Positions for a pose of the tip from a seed; false where it says that it found none. */
bool ik_peer_solve(ik_peer *peer, int solver, const double pose[12], const double *seed,
                   double *position);

#ifdef __cplusplus
}
#endif
#endif
