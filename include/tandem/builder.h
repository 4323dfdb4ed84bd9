/* SPDX-License-Identifier: MIT */
/*
 * The builder makes a model from records in C, without XML. This header also has the load options,
 * which td_load_urdf uses too.
 *
 *   td_builder_new          allocates an empty robot
 *   td_builder_add_...      adds links, joints, loops and other records
 *   td_builder_finish       checks the records and makes the model
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

/* Which joints have motors. */
typedef enum td_actuation {
    TD_ACTUATION_INDEPENDENT,  /* the independent joints, except elastic ones of flexible links and
                                  idle ones (td_idle_direction.alone) */
    TD_ACTUATION_TRANSMISSION, /* the motors of transmissions: joints or shafts */
    TD_ACTUATION_LIST,         /* the joints in td_load_options.actuated */
    TD_ACTUATION_COMMANDED,    /* the joints that controllers command (td_joint.command), as
                                  <command_interface> of <ros2_control> says */
} td_actuation;

/*
 * A user-supplied closure: a function x = γ(y) that computes dependent joints from independent
 * ones. Use it for mechanisms that files cannot describe (cams, tendons) or that have a closed
 * form. Each joint must have one coordinate and must not follow another joint.
 *
 * The function replaces the iterative solution of all loops that move only these joints.
 * Every call checks that the function closes these loops, and returns TD_ERROR_ASSEMBLY otherwise.
 *
 * Several threads may call the functions at the same time. γ must be one smooth function of y: the
 * library does not follow a branch from a start configuration.
 */
typedef struct td_closure_function {
    size_t size_of;
    const char *name;                /* for messages; may be NULL */
    size_t dependents, independents; /* the lengths of x and y */
    /* names of the joints, in the order of x and y */
    const char *const *dependent, *const *independent;
    /* Computes x (dependents) and G = ∂x/∂y (dependents × independents, row-major) at y. If yd is
       not NULL, also computes G_rate = dG/dt for the velocity yd. Returns 0, or any other number if
       γ is undefined at y (TD_ERROR_ASSEMBLY). */
    int (*solve)(const void *context, const double *y, const double *yd, double *x, double *G,
                 double *G_rate);
    const void *context; /* passed to both functions; must live as long as the model */
    /* Computes the derivatives of γ that derivatives of the dynamics need, at y for given ẏ, ÿ
       (independents) and f (dependents). Outputs are row-major, and NULL if they are not needed.
       Returns 0, or another number on failure, as solve does.

         velocity_y      ∂(G ẏ)/∂y        dependents × independents
         acceleration_y  ∂(G ÿ + Ġ ẏ)/∂y  dependents × independents
         force_y         ∂(Gᵀ f)/∂y       independents × independents

       May be NULL. The library then takes sixth-order differences of solve, with points 2⁻⁹ rad or
       m apart. This costs 6 calls per independent joint. If solve fails at one of these points, the
       status is TD_ERROR_ASSEMBLY. Relative errors are about 1e-13 if features of γ are 0.1 rad or
       m or longer. */
    int (*derivatives)(const void *context, const double *y, const double *yd, const double *ydd,
                       const double *f, double *velocity_y, double *acceleration_y,
                       double *force_y);
} td_closure_function;

/* A coordinate of a joint and its position. A joint with several coordinates needs one entry per
   coordinate, named as in tables ("deck.theta"). Coordinates without an entry are zero, and a
   quaternion without entries is the identity. */
typedef struct td_joint_position {
    const char *joint; /* name of the joint or coordinate */
    double position;   /* rad or m */
} td_joint_position;

/* Options for making a model. Start from td_load_options_default(). Comments name the defaults. */
typedef struct td_load_options {
    size_t size_of;
    td_base base;           /* default TD_BASE_FIXED */
    double gravity[3];      /* m/s², in world axes; default 0, 0, -9.81 */
    bool strict;            /* default false; true: a warning makes loading fail, like an error */
    td_actuation actuation; /* default TD_ACTUATION_INDEPENDENT */
    const char *const *actuated; /* names of joints, for TD_ACTUATION_LIST; default NULL */
    size_t actuated_count;
    td_plan plan;                        /* default TD_PLAN_AUTO */
    const td_closure_function *closures; /* user-supplied closures; default NULL */
    size_t closure_count;
    bool open_loops; /* default false; true: loops are not closed; the model is its spanning tree */
    size_t loop_evaluations; /* default 1000: maximum number of evaluations of φ and K per call for
                                a cluster of loops, at least 1; see td_closure_start. It also limits
                                the check at load for loops that make the actuation singular. The
                                check takes no longer than this number of evaluations of a cluster
                                with 100 dependent coordinates. URDF-T008 reports an incomplete
                                check */
    size_t max_bytes;        /* maximum size of a file in bytes; default 64 MiB */
    size_t max_elements;     /* maximum number of elements in a file; default 1 million */
    size_t max_depth;        /* maximum depth of nested elements; default 64 */
    const char *submechanisms;       /* path of a file that the URDF importer reads in addition
                                        (urdf.h); default NULL: none */
    const td_joint_position *locked; /* joints to lock at a position, as if the file had fixed
                                        joints there; default NULL */
    size_t locked_count;
    bool partial; /* default false; true: the robot is a part that will be attached to another one.
                     A parent link that does not exist becomes a frame at the root. A joint whose
                     leader does not exist becomes independent. Both cases are warnings instead of
                     errors */
    const td_joint_position *start; /* initial positions of joints (td_reference); default NULL.
                                       Loops are closed from there, which selects their branch.
                                       Joints named here stay at their positions if the loops can
                                       close there. Other joints begin at td_joint.reference, or
                                       else at zero or at the nearest position within limits */
    size_t start_count;
    size_t max_cluster; /* maximum number of velocity coordinates in a cluster of loops; default 0,
                           which means 2000. A larger cluster is an error (URDF-C055). Loading needs
                           16 bytes per pair of coordinates. Its time grows with their square if
                           each loop shares joints only with its neighbors, and with their cube if
                           all loops share joints: seconds for 300, half a minute for 600, minutes
                           for 1200 */
    size_t max_elastic; /* maximum number of elastic joints in all flexible links; default 0, which
                           means 50 000. A larger number is an error (URDF-F007) */
    bool ignore_limits; /* default false; true: the joints of the finished model have no position
                           limits, and no soft limits of a safety_controller. Loading still checks
                           and reports the limits in the file, and joints start at the same
                           positions as with limits */
    const char *closing_frames; /* default NULL: the importer does not read loops that the file
                                   states only in part, and a warning (URDF-C042) contains each of
                                   them. Otherwise the type of such loops: point, revolute,
                                   prismatic, cylindrical, planar or fixed, with the z axes of the
                                   frames as axis (docs/formats/urdf.md) */
    /* How td_load_urdf expands a xacro file (urdf.h) */
    const char *xacro; /* the program, searched in PATH unless its name contains '/'; default NULL:
                          no program is run, and a xacro file is an error (URDF-X040) */
    const char *const *xacro_arguments; /* "name:=value"; default NULL */
    size_t xacro_argument_count;
    double xacro_timeout; /* s; default 0, which means 30: the program is killed after this time */
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

typedef struct td_builder td_builder; /* opaque: the records of a robot under construction */

/* Allocates a builder for a robot of this name. NULL and "" are allowed; td_builder_finish warns
   about them. TD_ERROR_ARGUMENT: builder is NULL. TD_ERROR_MEMORY: *builder is NULL. */
TD_API td_status td_builder_new(const char *robot_name, td_builder **builder);
/* Frees a builder. NULL is allowed. Models made from it stay valid. */
TD_API void td_builder_free(td_builder *builder);

/* Sets the position of the robot in its file. Diagnostics that concern no particular record refer
   to it, for example if the robot has no links. TD_ERROR_ARGUMENT: an argument is NULL.
   TD_ERROR_MEMORY. */
TD_API td_status td_builder_set_source(td_builder *builder, const td_source *source);

/* Adds a record. Each function copies the record and all data that it points to. Records may be
   added in any order, because only td_builder_finish checks them against each other.
   TD_ERROR_ARGUMENT: an argument is NULL, size_of is invalid, the record has fields that this
   version does not know, or an enum is out of range. TD_ERROR_MEMORY. */
TD_API td_status td_builder_add_link(td_builder *builder, const td_link *link);
TD_API td_status td_builder_add_joint(td_builder *builder, const td_joint *joint);
TD_API td_status td_builder_add_loop(td_builder *builder, const td_loop *loop);
TD_API td_status td_builder_add_coupling(td_builder *builder, const td_coupling *coupling);
TD_API td_status td_builder_add_follower(td_builder *builder, const td_follower *follower);
TD_API td_status td_builder_add_spring(td_builder *builder, const td_spring *spring);
TD_API td_status td_builder_add_transmission(td_builder *builder, const td_transmission *record);
TD_API td_status td_builder_add_flexible(td_builder *builder, const td_flexible *flexible);

/* Declares a joint independent or dependent, overriding its record. The joint must have been added
   before. TD_ERROR_ARGUMENT: an argument is NULL. TD_ERROR_NAME: there is no such joint. */
TD_API td_status td_builder_set_independent(td_builder *builder, const char *joint,
                                            bool independent);

/* Checks all records and makes the model. The builder is not modified, so the caller may finish it
   again, for example with other options.

     options      NULL: the defaults
     diagnostics  receives errors, warnings and notes; may be NULL
     model        receives the model; NULL after an error

   TD_ERROR_MODEL: an error was reported or, with options->strict, a warning. TD_ERROR_ISA: the
   environment variable TANDEM_ISA names an instruction set that this machine or build does not
   have. TD_ERROR_ARGUMENT: an argument is NULL, or an option is out of range, such as infinite
   gravity. TD_ERROR_MEMORY. */
TD_API td_status td_builder_finish(const td_builder *builder, const td_load_options *options,
                                   td_diagnostics *diagnostics, td_model **model);

#ifdef __cplusplus
}
#endif
#endif
