/* SPDX-License-Identifier: MIT */
/*
 * The builder, which makes a model in C without any XML, and the options for loading one, which
 * td_load_urdf takes as well.
 */
#ifndef TANDEM_BUILDER_H
#define TANDEM_BUILDER_H

#include "tandem/curve.h"
#include "tandem/model.h"
#include "tandem/records.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options --------------------------------------------------------------------------------- */

/* Which tree joints are motors. */
typedef enum td_actuation {
    TD_ACTUATION_INDEPENDENT,  /* the independent joints, but not the elastic ones of flexible links
                                */
    TD_ACTUATION_TRANSMISSION, /* the joints named by transmissions */
    TD_ACTUATION_LIST,         /* the joints of the list in the options */
} td_actuation;

/*
 * γ of one's own: dependent joints as a function x = γ(y) of independent ones, for mechanisms that
 * a file has no words for (cams, tendons) or that have a closed form. Joints are named; they have
 * one coordinate each and follow no other. Loops of the file whose joints are all among these are
 * closed by the function, which is checked, and are not iterated.
 *
 * solve: x (dependents), G = ∂x/∂y (dependents × independents, row-major) at y; where yd is not
 * NULL also G_rate, dG/dt as y moves by yd. Returns 0, anything else where γ has no value
 * (TD_ERROR_ASSEMBLY). It is called by several threads at a time and must be one smooth function:
 * the path from a start to y is its own affair. Whether it closes the loops that it stands for is
 * checked at every y, and TD_ERROR_ASSEMBLY where it does not.
 */
typedef struct td_closure_function {
    size_t size_of;
    const char *name; /* for messages */
    size_t dependents, independents;
    const char *const *dependent, *const *independent;
    int (*solve)(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate);
    const void *context; /* must live as long as the model */
    /* NULL, or what derivatives of dynamics need beside: for given ẏ, ÿ (independents) and f
       (dependents) ∂(G ẏ)/∂y and ∂(G ÿ + Ġ ẏ)/∂y (dependents × independents) and ∂(Gᵀ f)/∂y
       (independents²), row-major, of which those that are NULL are not asked for. Returns as solve
       does. Without it they are differences of sixth order of what solve gives, 2⁻⁹ rad or m apart:
       6 calls for each independent joint, which must have a value there (else TD_ERROR_ASSEMBLY);
       relative errors are some 1e-13 where γ bends within 0.1 rad or m or more. */
    int (*derivatives)(const void *context, const double *y, const double *yd, const double *ydd,
                       const double *f, double *velocity_y, double *acceleration_y,
                       double *force_y);
} td_closure_function;

/* A joint and a position (rad or m). Of a planar or floating joint each coordinate is named, with
   the suffix that it has in tables ("deck.theta"); those that are not are zero, a quaternion the
   identity. */
typedef struct td_joint_position {
    const char *joint;
    double position;
} td_joint_position;

typedef struct td_load_options {
    size_t size_of;
    td_base base;      /* TD_BASE_FIXED */
    double gravity[3]; /* 0, 0, -9.81; m/s², world axes */
    bool strict; /* false; true: a warning keeps the model from being made, as an error does */
    td_actuation actuation;      /* TD_ACTUATION_INDEPENDENT */
    const char *const *actuated; /* joint names for TD_ACTUATION_LIST */
    size_t actuated_count;
    td_plan plan;                        /* TD_PLAN_AUTO */
    const td_closure_function *closures; /* NULL */
    size_t closure_count;
    bool open_loops;         /* false; true: loops are not closed, the model is its spanning tree */
    size_t loop_evaluations; /* 1000: the most evaluations of φ and K that a call spends on a
                                cluster of loops, at least 1; see td_closure_start. Loading spends
                                what so many of 100 coordinates take on the question whether loops
                                make motors singular (URDF-T008 where it is too little) */
    size_t max_bytes;        /* of a file: 64 MiB */
    size_t max_elements;     /* of a file: 1 million */
    size_t max_depth;        /* of nested elements: 64 */
    const char
        *submechanisms; /* NULL, or a file that the importer reads beside the URDF (urdf.h) */
    const td_joint_position *locked; /* NULL; joints that the robot is loaded without: each keeps
                                        its position, as if the file had fixed it there */
    size_t locked_count;
    bool partial; /* false; true: of a part that is meant to be attached to another robot, a parent
                     that does not exist is a frame at the root, and a joint whose leader does not
                     exist is independent; each with a warning instead of an error */
    const td_joint_position
        *start; /* NULL; where joints begin (td_reference). Loops are closed from
 there, which decides the branch that they are on: named joints stay where they
 are if the loops close so. Joints that are not named begin where their records
 say (td_joint.reference), else at zero or the nearest position within limits */
    size_t start_count;
    size_t max_cluster; /* 0: 2000; velocity coordinates of the joints that move a cluster of loops,
                           URDF-C055 where there are more. Loading takes 16 bytes for each pair of
                           them, and a time that grows with their square where each loop shares
                           joints with its neighbours, with their cube where all share them: 300
                           take seconds, 600 half a minute, 1200 some minutes */
    size_t max_elastic; /* 0: 50 000; elastic joints of all flexible links together, URDF-F007 */
    bool ignore_limits; /* false; true: once the model is made, its joints have no limits of
                           position, those of a safety_controller included, and no function keeps to
                           any. What the file says of them is checked and reported, and joints begin
                           where they would with them */
} td_load_options;

static inline td_load_options td_load_options_default(void)
{
    TD_SIZED(td_load_options, options);
    options.gravity[2] = -9.81;
    options.loop_evaluations = 1000;
    options.max_bytes = (size_t)64 << 20;
    options.max_elements = 1000000;
    options.max_depth = 64;
    return options;
}

/* ---- builder --------------------------------------------------------------------------------- */

typedef struct td_builder td_builder; /* opaque: the records of a robot that is being made */

/* Makes a builder for a robot of that name (NULL or "" is a warning later). TD_ERROR_ARGUMENT:
   builder NULL; TD_ERROR_MEMORY. *builder is NULL then. */
TD_API td_status td_builder_new(const char *robot_name, td_builder **builder);
TD_API void td_builder_free(td_builder *builder);

/* Where the robot itself stands in its file: the place of diagnostics that are about no one record
   of it, such as a robot without links. TD_ERROR_ARGUMENT, TD_ERROR_MEMORY. */
TD_API td_status td_builder_set_source(td_builder *builder, const td_source *source);

/* Each copies the record and all it points to. TD_ERROR_ARGUMENT: NULL, a size_of that no version
   has, fields that the library does not know, or an enum out of its range; TD_ERROR_MEMORY. Nothing
   is checked against other records before td_builder_finish, so their order is free. */
TD_API td_status td_builder_add_link(td_builder *builder, const td_link *link);
TD_API td_status td_builder_add_joint(td_builder *builder, const td_joint *joint);
TD_API td_status td_builder_add_loop(td_builder *builder, const td_loop *loop);
TD_API td_status td_builder_add_coupling(td_builder *builder, const td_coupling *coupling);
TD_API td_status td_builder_add_follower(td_builder *builder, const td_follower *follower);
TD_API td_status td_builder_add_spring(td_builder *builder, const td_spring *spring);
TD_API td_status td_builder_add_transmission(td_builder *builder, const td_transmission *record);
TD_API td_status td_builder_add_flexible(td_builder *builder, const td_flexible *flexible);

/* Whether the coordinate of a joint that was added before is an independent one, whatever its
   record says. TD_ERROR_ARGUMENT (NULL), TD_ERROR_NAME: there is no such joint. */
TD_API td_status td_builder_set_independent(td_builder *builder, const char *joint,
                                            bool independent);

/* Checks all records, reports into diagnostics (which may be NULL) and makes the model. The builder
   stays as it was and may be finished again, with other options for example. options NULL: the
   defaults. On failure *model is NULL and the status is TD_ERROR_MODEL (an error was reported, or
   a warning and options->strict), TD_ERROR_ISA (TANDEM_ISA names an instruction set that this
   machine or build does not have), TD_ERROR_MEMORY or TD_ERROR_ARGUMENT (NULL, or an option out of
   its range: gravity that is not finite, for instance). */
TD_API td_status td_builder_finish(const td_builder *builder, const td_load_options *options,
                                   td_diagnostics *diagnostics, td_model **model);

#ifdef __cplusplus
}
#endif
#endif
