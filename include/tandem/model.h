/* SPDX-License-Identifier: MIT */
/*
 * The model: the records of a robot and the spanning tree built from them. A td_model never changes
 * once it is made, so any number of threads may share it; each thread brings a td_workspace of its
 * own (workspace.h). td_load_urdf and td_builder_finish make models. The queries, which have no way
 * to fail, must be given a model. td_model_free does nothing with NULL.
 *
 * Coordinates. q (nq positions, nv velocities) are those of all movable joints of the spanning
 * tree; y (ny positions, nyd velocities) the independent ones, q = γ(y). Joints are numbered
 * so: repeatedly the first joint of the file, not yet numbered, whose parent link is; a floating
 * base comes first. q, y and all their columns keep that order.
 *
 *   joint                             positions                velocities
 *   revolute, continuous, prismatic   angle (rad), displ. (m)   its rate
 *   planar                            x, y, θ                  ẋ, ẏ, θ̇
 *   floating                          x, y, z, qx, qy, qz, qw  ωx, ωy, ωz, vx, vy, vz (body twist)
 *   screw                             angle (rad)              its rate
 *   ball                              qx, qy, qz, qw           ωx, ωy, ωz (body axes)
 *   universal                         angles about x and y     their rates
 */
#ifndef TANDEM_MODEL_H
#define TANDEM_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque: a robot, which never changes and may be shared by threads. */
typedef struct td_model td_model;

/* How the root link stands in the world. */
typedef enum td_base {
    TD_BASE_FIXED,    /* it does not move */
    TD_BASE_FLOATING, /* by a floating joint, with six freedoms */
} td_base;

/* Which coordinates a state and the forces along it are in. */
typedef enum td_coordinates {
    TD_COORDINATES_INDEPENDENT, /* y, ẏ, ÿ and tau_y: ny positions, nyd velocities */
    TD_COORDINATES_TREE,        /* q, q̇, q̈ and tau of the spanning tree: nq, nv */
} td_coordinates;

/* How forward dynamics in independent coordinates is computed. The choice is made at load from
   operation counts; results are the same up to rounding. */
typedef enum td_plan {
    TD_PLAN_AUTO,    /* what costs less */
    TD_PLAN_CLUSTER, /* articulated-body recursion over clusters of coupled bodies */
    TD_PLAN_REDUCED, /* factors of Gᵀ H G */
} td_plan;

TD_API void td_model_free(td_model *model);

TD_API const char *td_model_name(const td_model *model);
TD_API size_t td_nq(const td_model *model);
TD_API size_t td_nv(const td_model *model);
TD_API size_t td_ny(const td_model *model);
TD_API size_t td_nyd(const td_model *model);
TD_API td_base td_model_base(const td_model *model);
/* Instruction set of the kernels in use ("baseline", "avx2" or "avx512"), and how many states a
   batch call works on side by side (2, 4 or 8 of them). */
TD_API const char *td_isa(const td_model *model);
TD_API size_t td_lanes(const td_model *model);

/* Links in file order. An index out of range gives NULL. td_link_index and td_joint_index return
   TD_NONE for a name that no link or joint has, and for NULL. */
TD_API size_t td_link_count(const td_model *model);
TD_API const td_link *td_link_at(const td_model *model, size_t link);
TD_API size_t td_link_index(const td_model *model, const char *name);
TD_API size_t td_root_link(const td_model *model);

/* Joints, fixed ones included, in the model's order. An added floating base is joint 0; its name is
   "base", or "$base" where a joint of the robot has that name or one that begins with "base.", and
   td_joint_index finds it as "$base" in any case. Origins of joints and of loops are the file's,
   but for those that were corrected so that loops close (URDF-C029). */
TD_API size_t td_joint_count(const td_model *model);
TD_API const td_joint *td_joint_at(const td_model *model, size_t joint);
TD_API size_t td_joint_index(const td_model *model, const char *name);

/* Other records, in file order. */
TD_API size_t td_loop_count(const td_model *model);
TD_API const td_loop *td_loop_at(const td_model *model, size_t loop);
/* its word in URDF+, NULL for an unknown number */
TD_API const char *td_loop_type_text(td_loop_type type);
TD_API size_t td_coupling_count(const td_model *model);
TD_API const td_coupling *td_coupling_at(const td_model *model, size_t coupling);
TD_API size_t td_spring_count(const td_model *model);
TD_API const td_spring *td_spring_at(const td_model *model, size_t spring);
TD_API size_t td_transmission_count(const td_model *model);
TD_API const td_transmission *td_transmission_at(const td_model *model, size_t transmission);
/* The pieces and joints that they became are among the links (behind the others) and joints. */
TD_API size_t td_flexible_count(const td_model *model);
TD_API const td_flexible *td_flexible_at(const td_model *model, size_t flexible);

/* Where a joint stands in the tree and in the coordinates; indices are TD_NONE where there is none.
 */
typedef struct td_joint_place {
    size_t size_of;
    size_t parent_link, child_link; /* by index */
    size_t parent_joint;            /* the joint above the parent link; TD_NONE at the root */
    size_t body;    /* the moving body the joint carries; of a fixed joint: the one it is part of,
                       TD_NONE for the world */
    size_t nq, nv;  /* number of coordinates: 0 for a fixed joint */
    size_t q, qd;   /* its first entry in q and in q̇; TD_NONE for fixed joints */
    size_t y, yd;   /* its first entry in y and in ẏ; TD_NONE for fixed and dependent joints */
    size_t ny, nyd; /* how many it has there: nq and nv of an independent joint, 0 of a dependent
                       one; fewer of a joint of which loops decide a part, but for the positions
                       of one with a quaternion, which are all in y then (closure.h) */
    size_t leader;  /* joint that it follows once chains are resolved; TD_NONE: none, or a
                       constant */
    size_t terms;   /* of a dependent joint: number of independent joints that it is a combination
                       of; 0: a constant, 1: leader, several: see td_closure_matrix */
    size_t cluster; /* of loops, or curves, that make it or a part of it dependent, TD_NONE for
                       none; see td_loop_cluster_at */
    unsigned dependents;       /* bit k is set: its k-th velocity coordinate is dependent */
    bool dependent;            /* movable, and none of its coordinates is independent */
    double multiplier, offset; /* q = multiplier · q_leader + offset, chains resolved; 1 and 0 for
                                  an independent joint, 0 and the constant without a leader */
} td_joint_place;

/* For an index out of range all indices are TD_NONE, and all else is 0. */
TD_API void td_joint_place_read(const td_model *model, size_t joint, td_joint_place *place,
                                size_t size_of);

static inline td_joint_place td_joint_place_at(const td_model *model, size_t joint)
{
    td_joint_place place;
    td_joint_place_read(model, joint, &place, sizeof place);
    return place;
}

/* Kinds of coordinates, whose components have names of their own. */
typedef enum td_quantity {
    /* of a floating joint .x .y .z .qx .qy .qz .qw, of a ball the last four; of a planar one .x .y
       .theta; of a universal one .rx .ry */
    TD_QUANTITY_POSITION,
    TD_QUANTITY_VELOCITY, /* .wx .wy .wz .vx .vy .vz; .x .y .theta; .rx .ry; accelerations too */
    TD_QUANTITY_FORCE,    /* .mx .my .mz .fx .fy .fz; .x .y .theta; .rx .ry */
} td_quantity;

/* What the k-th coordinate of a joint appends to the joint's name: "" for a joint with one, else a
   component. NULL out of range. */
TD_API const char *td_component_text(const td_model *model, size_t joint, td_quantity quantity,
                                     size_t k);

/* What it measures: rad or m; of velocities, accelerations and forces rad/s, rad/s² and N m, or
   m/s, m/s² and N. */
typedef enum td_unit {
    TD_UNIT_NONE,   /* the entries of a quaternion */
    TD_UNIT_ANGLE,  /* rad */
    TD_UNIT_LENGTH, /* m */
} td_unit;

/* TD_UNIT_NONE also where td_component_text is NULL. */
TD_API td_unit td_component_unit(const td_model *model, size_t joint, td_quantity quantity,
                                 size_t k);

/* Finds a coordinate by name: that of a joint with one coordinate ("elbow"), or a component of
   another joint ("slide.x", "$base.qw"). *position is its index in y or q, *velocity its index in
   ẏ or q̇, in accelerations and in forces; either may be NULL.
   TD_ERROR_DEPENDENT: the joint follows others (td_joint_place_at says which), so that only q has
   the coordinate. TD_ERROR_NAME: no coordinate has that name, or not in both where both are asked
   for: the joint is fixed or does not exist, has several coordinates and the name no component, or
   ".qw" is asked for a velocity. TD_ERROR_ARGUMENT: no model, no name or no such coordinates. On
   errors both stay as they were. O(log joints). */
TD_API td_status td_coordinate_of(const td_model *model, td_coordinates coordinates,
                                  const char *name, size_t *position, size_t *velocity);

/* Movable joints only (the reduced tree): joint index of the i-th, TD_NONE out of range. */
TD_API size_t td_movable_count(const td_model *model);
TD_API size_t td_movable_joint(const td_model *model, size_t i);
/* Independent joints only, in the order of y: joint index of the i-th, TD_NONE out of range. */
TD_API size_t td_independent_count(const td_model *model);
TD_API size_t td_independent_joint(const td_model *model, size_t i);

/* Bodies: links joined by fixed joints count as one. The body of a link, TD_NONE where it is part
   of the world, and out of range; any number of links may share a body. */
TD_API size_t td_body_count(const td_model *model);
TD_API size_t td_link_body(const td_model *model, size_t link);
/* The joint above a link, TD_NONE for the root and out of range. */
TD_API size_t td_link_parent_joint(const td_model *model, size_t link);

/* The inertia audit of a link: what its inertial is worth. Eigenvalues ascending, kg m². */
typedef struct td_inertia_audit {
    size_t size_of;
    double moments[3];      /* principal moments of inertia about the centre of mass */
    double triangle_margin; /* (m₁ + m₂ − m₃) / m₃; negative where no body has these moments */
    bool positive_definite; /* smallest > 1e-12 · largest */
    bool indefinite;        /* smallest < −1e-12 · largest magnitude */
    bool massless;          /* no mass: no inertial, or mass 0 */
} td_inertia_audit;

/* Zeros and massless for an index out of range. */
TD_API void td_link_audit_read(const td_model *model, size_t link, td_inertia_audit *audit,
                               size_t size_of);

static inline td_inertia_audit td_link_audit(const td_model *model, size_t link)
{
    td_inertia_audit audit;
    td_link_audit_read(model, link, &audit, sizeof audit);
    return audit;
}

/* The plans for forward dynamics, of one state and of a state in a batch, where lanes share what a
   loop costs: which (never TD_PLAN_AUTO; without couplings TD_PLAN_CLUSTER, whose clusters are
   single bodies then), the number of clusters, the bodies of the largest, and the estimated costs
   of both ways (in instructions; 0 without couplings). */
typedef struct td_plan_info {
    size_t size_of;
    td_plan plan, batch_plan;                      /* of one state, of a batch */
    size_t clusters, largest_cluster;              /* largest_cluster: its bodies */
    double cluster_cost, reduced_cost;             /* instructions of one state */
    double batch_cluster_cost, batch_reduced_cost; /* of a state in a batch */
} td_plan_info;

TD_API void td_plan_read(const td_model *model, td_plan_info *plan, size_t size_of);

static inline td_plan_info td_plan_of(const td_model *model)
{
    td_plan_info plan;
    td_plan_read(model, &plan, sizeof plan);
    return plan;
}

/* Mass of all links, the root included (kg); of the moving bodies only. */
TD_API double td_total_mass(const td_model *model);
TD_API double td_moving_mass(const td_model *model);

#ifdef __cplusplus
}
#endif
#endif
