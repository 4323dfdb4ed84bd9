/* SPDX-License-Identifier: MIT */
/*
 * The model: the records of a robot and the spanning tree built from them. td_load_urdf and
 * td_builder_finish create models. A model never changes afterwards, so threads may share it; each
 * thread needs its own td_workspace (workspace.h).
 *
 * The query functions below cannot fail. They require a model that is not NULL. Unless noted
 * otherwise they cost O(1).
 *
 * Coordinates. q (nq positions, nv velocities) are the coordinates of all movable joints of the
 * spanning tree. y (ny positions, nyd velocities) are the independent ones, with q = γ(y). Joints
 * are numbered as follows: the next joint is always the first one in the file that has no number
 * yet and whose parent link is already in the tree. A floating base comes first. The entries of q
 * and y, and the columns of matrices, have the same order.
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

/* A robot (opaque). It never changes, and threads may share it. */
typedef struct td_model td_model;

/* How the root link is attached to the world. */
typedef enum td_base {
    TD_BASE_FIXED,    /* rigidly */
    TD_BASE_FLOATING, /* by a floating joint with six degrees of freedom */
} td_base;

/* The two choices of coordinates for states, and for the forces along them. */
typedef enum td_coordinates {
    TD_COORDINATES_INDEPENDENT, /* y, ẏ, ÿ and tau_y: ny positions, nyd velocities */
    TD_COORDINATES_TREE,        /* q, q̇, q̈ and tau of the spanning tree: nq, nv */
} td_coordinates;

/* Method of forward dynamics in independent coordinates. It is chosen at load from operation
   counts. Both methods return the same results up to rounding. */
typedef enum td_plan {
    TD_PLAN_AUTO,    /* the cheaper method */
    TD_PLAN_CLUSTER, /* articulated-body algorithm over clusters of coupled bodies */
    TD_PLAN_REDUCED, /* factorization of Gᵀ H G */
} td_plan;

/* Frees a model. Free its workspaces first. NULL is allowed. */
TD_API void td_model_free(td_model *model);

/* Return the name of the robot, the sizes of q, q̇, y and ẏ, and the kind of base. */
TD_API const char *td_model_name(const td_model *model);
TD_API size_t td_nq(const td_model *model);
TD_API size_t td_nv(const td_model *model);
TD_API size_t td_ny(const td_model *model);
TD_API size_t td_nyd(const td_model *model);
TD_API td_base td_model_base(const td_model *model);
/* td_isa returns the instruction set of the kernels in use: "baseline", "avx2", "avx512", or "neon"
   on 64-bit ARM. td_lanes returns how many states a batch call computes in parallel in one vector:
   2, 4 or 8. */
TD_API const char *td_isa(const td_model *model);
TD_API size_t td_lanes(const td_model *model);

/* Links, in file order. td_root_link returns the index of the root link. td_link_at returns NULL if
   the index is out of range. td_link_index returns TD_NONE if no link has this name, and for NULL;
   it costs O(log links). */
TD_API size_t td_link_count(const td_model *model);
TD_API const td_link *td_link_at(const td_model *model, size_t link);
TD_API size_t td_link_index(const td_model *model, const char *name);
TD_API size_t td_root_link(const td_model *model);

/* Joints, including fixed ones, in the order of the model. td_joint_at returns NULL if the index is
   out of range. td_joint_index returns TD_NONE if no joint has this name, and for NULL; it costs
   O(log joints).

   An added floating base is joint 0. Its name is "base", or "$base" if the robot has a joint with
   this name or with a name that begins with "base.". td_joint_index always finds it as "$base".
   Origins of joints and loops are as in the file, except those that were corrected to close loops
   (URDF-C029). */
TD_API size_t td_joint_count(const td_model *model);
TD_API const td_joint *td_joint_at(const td_model *model, size_t joint);
TD_API size_t td_joint_index(const td_model *model, const char *name);

/* Other records, in file order. Functions that return a pointer return NULL if the index is out of
   range. */
TD_API size_t td_loop_count(const td_model *model);
TD_API const td_loop *td_loop_at(const td_model *model, size_t loop);
/* Returns the URDF+ keyword of a loop type; NULL if the type is unknown. */
TD_API const char *td_loop_type_text(td_loop_type type);
TD_API size_t td_coupling_count(const td_model *model);
TD_API const td_coupling *td_coupling_at(const td_model *model, size_t coupling);
TD_API size_t td_spring_count(const td_model *model);
TD_API const td_spring *td_spring_at(const td_model *model, size_t spring);
TD_API size_t td_transmission_count(const td_model *model);
TD_API const td_transmission *td_transmission_at(const td_model *model, size_t transmission);
/* Flexible links. The segments and joints that replace a flexible link are among the links (after
   all others) and joints. */
TD_API size_t td_flexible_count(const td_model *model);
TD_API const td_flexible *td_flexible_at(const td_model *model, size_t flexible);

/* Position of a joint in the tree and in the coordinates. An index is TD_NONE if it does not apply.
 */
typedef struct td_joint_place {
    size_t size_of;
    size_t parent_link, child_link; /* indices of links */
    size_t parent_joint; /* the joint whose child is the parent link; TD_NONE at the root */
    size_t body;   /* the moving body that the joint carries; for a fixed joint, the body that it is
                      part of, TD_NONE for the world */
    size_t nq, nv; /* number of positions and velocities: 0 for a fixed joint */
    size_t q, qd;  /* its first entry in q and in q̇; TD_NONE for fixed joints */
    size_t y, yd;  /* its first entry in y and in ẏ; TD_NONE for fixed and dependent joints */
    size_t ny, nyd; /* number of its entries in y and ẏ: nq and nv for an independent joint, 0 for a
                       dependent one. Fewer if loops determine part of the joint, except that y
                       always has all positions of a joint with a quaternion (closure.h) */
    size_t leader; /* the joint that it follows, after resolving chains; TD_NONE: no leader, or the
                      joint is constant */
    size_t terms; /* number of independent joints that a dependent joint is a linear combination of.
                     0: constant; 1: leader; more: see td_closure_matrix */
    size_t cluster;            /* cluster of loops or curves that determine the joint or part of it
                                  (td_loop_cluster_at); TD_NONE: none */
    unsigned dependents;       /* bit k is set if its k-th velocity is dependent */
    bool dependent;            /* movable, and none of its coordinates is independent */
    double multiplier, offset; /* q = multiplier · q_leader + offset, after resolving chains. 1 and
                                  0 for an independent joint; 0 and the constant without a leader */
} td_joint_place;

/* Writes the td_joint_place of a joint. If the index is out of range, all indices are TD_NONE and
   everything else is 0. size_of is the size of the struct (docs/abi.md). */
TD_API void td_joint_place_read(const td_model *model, size_t joint, td_joint_place *place,
                                size_t size_of);

static inline td_joint_place td_joint_place_at(const td_model *model, size_t joint)
{
    td_joint_place place;
    td_joint_place_read(model, joint, &place, sizeof place);
    return place;
}

/* Kinds of coordinates. The components of joints with several coordinates have a suffix for each
   kind. */
typedef enum td_quantity {
    /* floating: .x .y .z .qx .qy .qz .qw; ball: .qx .qy .qz .qw; planar: .x .y .theta; universal:
       .rx .ry */
    TD_QUANTITY_POSITION,
    TD_QUANTITY_VELOCITY, /* floating: .wx .wy .wz .vx .vy .vz; ball: .wx .wy .wz; planar: .x .y
                             .theta; universal: .rx .ry. Also for accelerations */
    TD_QUANTITY_FORCE,    /* floating: .mx .my .mz .fx .fy .fz; ball: .mx .my .mz; planar: .x .y
                             .theta; universal: .rx .ry */
} td_quantity;

/* Returns the suffix that the k-th coordinate of a joint appends to the name of the joint. It is ""
   for a joint with one coordinate. NULL if joint, quantity or k is out of range. */
TD_API const char *td_component_text(const td_model *model, size_t joint, td_quantity quantity,
                                     size_t k);

/* Unit of a coordinate. Velocities are in rad/s or m/s, accelerations in rad/s² or m/s², and forces
   in N m or N, accordingly. */
typedef enum td_unit {
    TD_UNIT_NONE,   /* entries of a quaternion */
    TD_UNIT_ANGLE,  /* rad */
    TD_UNIT_LENGTH, /* m */
} td_unit;

/* Returns the unit of the k-th coordinate of a joint. Returns TD_UNIT_NONE if td_component_text
   returns NULL. */
TD_API td_unit td_component_unit(const td_model *model, size_t joint, td_quantity quantity,
                                 size_t k);

/* Finds a coordinate by name.

     coordinates  y and ẏ, or q and q̇
     name         a joint with one coordinate ("elbow"), or a component of a joint with several
                  ("slide.x", "$base.qw")
     position     output: index in y or q; NULL: not wanted
     velocity     output: index in ẏ or q̇, in accelerations and in forces; NULL: not wanted

   TD_ERROR_DEPENDENT: the joint follows others (see td_joint_place_at), so only q has the
   coordinate. TD_ERROR_NAME: no coordinate has this name. The joint may be fixed or missing, or it
   has several coordinates and the name has no component. The same status is returned if velocity is
   wanted and the name ends in ".qw". If both outputs are wanted, both must exist.
   TD_ERROR_ARGUMENT: model or name is NULL, or coordinates is invalid. On errors both outputs are
   unchanged. Cost: O(log joints). */
TD_API td_status td_coordinate_of(const td_model *model, td_coordinates coordinates,
                                  const char *name, size_t *position, size_t *velocity);

/* Movable joints. td_movable_joint returns the joint index of the i-th one; TD_NONE if i is out of
   range. */
TD_API size_t td_movable_count(const td_model *model);
TD_API size_t td_movable_joint(const td_model *model, size_t i);
/* Independent joints, in the order of y. td_independent_joint returns the joint index of the i-th
   one; TD_NONE if i is out of range. */
TD_API size_t td_independent_count(const td_model *model);
TD_API size_t td_independent_joint(const td_model *model, size_t i);

/* Moving bodies. Links connected by fixed joints form one body. td_link_body returns the body of a
   link; TD_NONE if the link is part of the world or out of range. */
TD_API size_t td_body_count(const td_model *model);
TD_API size_t td_link_body(const td_model *model, size_t link);
/* Returns the joint whose child is this link; TD_NONE for the root and if the index is out of
   range. */
TD_API size_t td_link_parent_joint(const td_model *model, size_t link);

/* Inertia audit of a link: whether its inertial is physically possible. Eigenvalues are in
   ascending order, kg m². */
typedef struct td_inertia_audit {
    size_t size_of;
    double moments[3]; /* principal moments of inertia about the center of mass */
    double
        triangle_margin; /* (m₁ + m₂ − m₃) / m₃; negative if no rigid body can have these moments */
    bool positive_definite; /* m₁ > 1e-12 · largest magnitude */
    bool indefinite;        /* m₁ < −1e-12 · largest magnitude */
    bool massless;          /* the link has no inertial, or its mass is 0 */
} td_inertia_audit;

/* Writes the audit of a link. If the index is out of range, all numbers are 0 and massless is true.
   size_of is the size of the struct (docs/abi.md). */
TD_API void td_link_audit_read(const td_model *model, size_t link, td_inertia_audit *audit,
                               size_t size_of);

static inline td_inertia_audit td_link_audit(const td_model *model, size_t link)
{
    td_inertia_audit audit;
    td_link_audit_read(model, link, &audit, sizeof audit);
    return audit;
}

/* The methods of forward dynamics that were chosen at load, and their costs. plan and batch_plan
   are never TD_PLAN_AUTO. For a robot without couplings they are TD_PLAN_CLUSTER with one body per
   cluster. Costs are estimated instruction counts, 0 for a robot without couplings. In a batch the
   states of one vector share overhead, so the choice may differ. */
typedef struct td_plan_info {
    size_t size_of;
    td_plan plan, batch_plan;          /* for one state; for a batch */
    size_t clusters, largest_cluster;  /* number of clusters; bodies of the largest cluster */
    double cluster_cost, reduced_cost; /* instructions for one state */
    double batch_cluster_cost, batch_reduced_cost; /* instructions per state in a batch */
} td_plan_info;

/* Writes the plans of a model. size_of is the size of the struct (docs/abi.md). */
TD_API void td_plan_read(const td_model *model, td_plan_info *plan, size_t size_of);

static inline td_plan_info td_plan_of(const td_model *model)
{
    td_plan_info plan;
    td_plan_read(model, &plan, sizeof plan);
    return plan;
}

/* Return the mass of all links, including the root, and of the moving bodies only (kg). Cost:
   O(bodies). */
TD_API double td_total_mass(const td_model *model);
TD_API double td_moving_mass(const td_model *model);

#ifdef __cplusplus
}
#endif
#endif
