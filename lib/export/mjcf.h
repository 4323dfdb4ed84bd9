/* SPDX-License-Identifier: MIT */
/*
 * MJCF: shared declarations of its writers.
 *
 * MuJoCo's initial configuration qpos0 is the one in which bodies are written, and some constraints
 * refer to it. A connect computes its second point from the first one in qpos0. Polynomials of
 * joints apply to differences from qpos0. So bodies are written in the robot's initial
 * configuration: loops are closed, followers have their offsets, and positions are within their
 * limits. The initial position of each joint becomes its ref, so that MuJoCo's coordinates equal
 * ours.
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
    int *first, *next; /* per link: first child joint; per joint: next sibling; −1 ends */
    size_t meshes;     /* number of omitted meshes; with_mesh is the first link that has one */
    const td_link *with_mesh;
} td_mjcf;

/* Computes the positions of a joint in qpos0. Sets nothing if the joint has no coordinates. */
void td_mjcf_reference(const td_mjcf *m, int joint, double q[TD_MOST_POSITIONS]);
/* Returns the position in qpos0 of a joint with one coordinate. */
double td_mjcf_zero(const td_mjcf *m, int joint);

/* Joints of massless links between moving links, which MuJoCo does not support. The next body with
   mass gets these joints, before its own joint. */
typedef struct td_mjcf_pending {
    const struct td_mjcf_pending *before;
    int joint;
    td_frame3 frame; /* frame of the next written body, in the frame of the joint's child */
} td_mjcf_pending;

/* Writes the <body> of a link and its subtree. frame: the pose in the enclosing body
   (mjcf_body.c). */
void td_mjcf_body(td_mjcf *m, int link, const td_frame3 *frame, const td_mjcf_pending *pending,
                  int depth);
/* Returns the frame of a joint's child body in its parent body, in qpos0 (mjcf_joint.c). */
td_frame3 td_mjcf_frame(const td_mjcf *m, int joint);
/* Writes the MuJoCo joints that make up a joint. frame: the frame of the written body in the frame
   of the joint's child; not the identity if joints were passed on. */
void td_mjcf_joints(td_mjcf *m, int joint, const td_frame3 *frame, int depth);
/* Writes name="..." for the k-th coordinate of a joint, with the name that tables use. */
void td_mjcf_coordinate_name(td_mjcf *m, const char *attribute, int joint, int k);

/* Write the elements of <equality>: followers, couplings, screws and loops (mjcf_followers.c,
   mjcf_loops.c). */
void td_mjcf_followers(td_mjcf *m);
void td_mjcf_couplings(td_mjcf *m);
void td_mjcf_loops(td_mjcf *m);
/* Writes <tendon>: couplings of several joints, distances and springs. */
void td_mjcf_tendons(td_mjcf *m);
/* Write the tendons between two points, and their sites. */
void td_mjcf_spatial(td_mjcf *m);
void td_mjcf_sites(td_mjcf *m, int link, int depth);
bool td_mjcf_is_joined(const td_mjcf *m, int link); /* whether a loop or a spring ends at a link */
void td_mjcf_actuators(td_mjcf *m);

/* Writes pos and quat of a frame, omitting the identity. */
void td_mjcf_pose(td_mjcf *m, const td_frame3 *frame);
void td_mjcf_indent(td_mjcf *m, int depth);
/* Writes the name of a constraint or tendon: "kind:name", or "kind 1" for the first one if it has
   no name. MuJoCo requires unique names across all kinds. */
void td_mjcf_name(td_mjcf *m, const char *attribute, const char *name, const char *kind, size_t i);

#endif
