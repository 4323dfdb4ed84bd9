/* SPDX-License-Identifier: MIT */
/*
 * MJCF: what its writers share.
 *
 * MuJoCo begins in the configuration in which bodies are written, qpos0, and some of its
 * constraints refer to it: the second point of a connect is where the first one is then, and
 * polynomials of joints are of differences from it. So bodies are written where the robot begins:
 * loops are closed there, followers are at their offsets, and positions are within their limits.
 * Joints have their positions there as their ref, so that their coordinates are ours.
 */
#ifndef TD_MJCF_H
#define TD_MJCF_H

#include "base/frame.h"
#include "export/writer.h"
#include "model/joint_kind.h"

typedef struct td_mjcf {
    td_writer *w;
    const td_model *model;
    td_applied applied;
    int *first, *next; /* joints below a link, and beside a joint; −1 ends */
    size_t meshes;     /* left out, and the first link with one */
    const td_link *with_mesh;
} td_mjcf;

/* The positions of a joint in qpos0, which a joint without coordinates has none of. */
void td_mjcf_reference(const td_mjcf *m, int joint, double q[TD_MOST_POSITIONS]);
/* of a joint of one coordinate */
double td_mjcf_zero(const td_mjcf *m, int joint);

/* Joints of massless links between two moving ones, which MuJoCo has none of: the body below has
   them before its own. */
typedef struct td_mjcf_pending {
    const struct td_mjcf_pending *before;
    int joint;
    td_frame3 frame; /* of the body that is written next, in that of the joint's child */
} td_mjcf_pending;

/* <body> of a link and all below it; frame: in the body that it is written into (mjcf_body.c) */
void td_mjcf_body(td_mjcf *m, int link, const td_frame3 *frame, const td_mjcf_pending *pending,
                  int depth);
/* the joints of MuJoCo that make up one, and the frame of the body in that of the parent
   (mjcf_joint.c) */
td_frame3 td_mjcf_frame(const td_mjcf *m, int joint);
/* frame: of the body in that of the joint's child, where they are not one */
void td_mjcf_joints(td_mjcf *m, int joint, const td_frame3 *frame, int depth);
/* name="..." of the k-th coordinate of a joint, as tables have it */
void td_mjcf_coordinate_name(td_mjcf *m, const char *attribute, int joint, int k);

/* elements of <equality>: followers, couplings, screws, loops (mjcf_followers.c, mjcf_loops.c) */
void td_mjcf_followers(td_mjcf *m);
void td_mjcf_couplings(td_mjcf *m);
void td_mjcf_loops(td_mjcf *m);
/* <tendon>: couplings of several joints, distances and springs */
void td_mjcf_tendons(td_mjcf *m);
/* those between two points, and their sites */
void td_mjcf_spatial(td_mjcf *m);
void td_mjcf_sites(td_mjcf *m, int link, int depth);
bool td_mjcf_is_joined(const td_mjcf *m, int link); /* whether a loop or a spring ends there */
void td_mjcf_actuators(td_mjcf *m);

/* pos and quat of a frame, nothing of the identity */
void td_mjcf_pose(td_mjcf *m, const td_frame3 *frame);
void td_mjcf_indent(td_mjcf *m, int depth);
/* The name of a constraint or a tendon: "kind:name", "kind 1" of the first one where it has none.
   MuJoCo has one list for those of all kinds, in which no name comes twice. */
void td_mjcf_name(td_mjcf *m, const char *attribute, const char *name, const char *kind, size_t i);

#endif
