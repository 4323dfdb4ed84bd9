/* SPDX-License-Identifier: MIT */
/*
 * The model: links, joints and their records, the spanning tree built from them, and the builder
 * that makes one in C without any XML. A td_model never changes once it is made, so any number of
 * threads may share it; each thread brings a td_workspace of its own. The queries, which have no
 * way to fail, must be given a model. The _free functions do nothing with NULL.
 *
 * Statuses of the functions of a model and a workspace, in all headers:
 *
 *   TD_ERROR_ARGUMENT    an argument is NULL that must not be, or out of range, or the workspace is
 *                        one of another model; nothing is written, td_argument_fault names it
 *   TD_ERROR_NOT_FINITE  a number that comes in is NaN or infinite: in y, yd, ydd, forces, wrenches
 *                        or a point, whether or not a result depends on it. Results are NaN as a
 *                        whole
 *   TD_ERROR_QUATERNION  a quaternion of y (or q) has a length that is off 1 by more than 1e-6;
 *                        results are NaN. td_normalize mends it, td_integrate keeps it
 *
 * A result that overflows is TD_ERROR_NOT_FINITE where the function solves equations, and in
 * batches; other functions of one state leave it infinite or NaN.
 *
 * Coordinates. q (nq positions, nv velocities) are those of all movable joints of the spanning
 * tree; y (ny positions, nyd velocities) the independent ones, q = γ(y). Joints are numbered
 * so: repeatedly the first joint of the file, not yet numbered, whose parent link is; a floating
 * base comes first. q, y and all their columns keep that order.
 *
 *   joint                             positions                velocities
 *   revolute, continuous, prismatic   angle (rad) or way (m)   its rate
 *   planar                            x, y, θ                  ẋ, ẏ, θ̇
 *   floating                          x, y, z, qx, qy, qz, qw  ωx, ωy, ωz, vx, vy, vz (body twist)
 */
#ifndef TANDEM_MODEL_H
#define TANDEM_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "tandem/diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Structs that begin with size_of grow at their end (docs/abi.md). Their _default functions are
 * compiled into the caller, so that they are as long as the caller's headers say; the _init
 * functions are what the library has of them: they write the size_of bytes that the caller has room
 * for. Functions accept shorter and longer structs: what a caller's struct does not have yet takes
 * its default, and what the library does not know yet must be 0, or TD_ERROR_ARGUMENT is returned.
 */

/* ---- records: what the builder takes and what the queries give back -------------------------- */

/* A frame relative to another: x_parent = rotation · x_child + position; rotation row-major. */
typedef struct td_pose {
    double position[3];
    double rotation[9];
} td_pose;

#define TD_POSE_IDENTITY                                                                           \
    {                                                                                              \
        {0, 0, 0},                                                                                 \
        {                                                                                          \
            1, 0, 0, 0, 1, 0, 0, 0, 1                                                              \
        }                                                                                          \
    }

typedef enum td_joint_type {
    TD_JOINT_REVOLUTE,
    TD_JOINT_CONTINUOUS,
    TD_JOINT_PRISMATIC,
    TD_JOINT_FIXED,
    TD_JOINT_FLOATING,
    TD_JOINT_PLANAR,
} td_joint_type;

typedef enum td_shape {
    TD_SHAPE_BOX,      /* size: x, y, z */
    TD_SHAPE_SPHERE,   /* size: radius */
    TD_SHAPE_CYLINDER, /* size: radius, length (along z) */
    TD_SHAPE_CAPSULE,  /* size: radius, length of the cylindrical part (along z) */
    TD_SHAPE_MESH,     /* size: scale in x, y, z; file */
} td_shape;

/* Visual or collision geometry: kept for tools, without any effect on dynamics. */
typedef struct td_geometry {
    size_t size_of;
    const char *name; /* NULL without one */
    bool collision;   /* else visual */
    td_shape shape;
    double size[3];
    const char *file; /* of a mesh, as written; else NULL */
    td_pose origin;   /* in the link's frame */
    const char *material;
    double rgba[4]; /* NaN where no colour is given */
} td_geometry;

/* A link. Its inertia matrix (ixx, ixy, ixz, iyy, iyz, izz; kg m²) is about the centre of mass, in
   the axes of the inertial frame. */
typedef struct td_link {
    size_t size_of;
    const char *name;
    td_source source;
    bool has_inertial;
    double mass;      /* kg */
    td_pose inertial; /* inertial frame in the link's frame; its origin is the centre of mass */
    double inertia[6];
    td_source inertial_source;
    const td_geometry *geometry; /* visuals and collisions in file order; see td_geometry_at */
    size_t geometry_count;
} td_link;

/* The i-th visual or collision of a link, NULL out of range: elements are as long as the size_of of
   the first one says, which for those of a model is the library's. */
TD_API const td_geometry *td_geometry_at(const td_link *link, size_t i);

/* Limits of a joint; NaN where none is given, and in a model also where a diagnostic says that one
   is ignored. Position limits of a continuous joint are kept, but do not bind. */
typedef struct td_limit {
    double lower, upper; /* rad or m */
    double effort;       /* N m or N */
    double velocity;     /* rad/s or m/s */
    double acceleration, deceleration, jerk;
} td_limit;

typedef struct td_joint {
    size_t size_of;
    const char *name;
    td_source source;
    td_joint_type type;
    const char *parent;
    const char *child;
    td_pose origin; /* joint frame in the parent link's frame */
    double axis[3]; /* in the joint frame; of unit length once in a model, except that of a fixed or
                       floating joint, where it has no meaning */
    td_source axis_source;
    td_limit limit;
    td_source limit_source;
    double damping;                                        /* N m s/rad or N s/m */
    double friction;                                       /* N m or N */
    double spring_stiffness;                               /* N m/rad or N/m */
    double spring_reference;                               /* rad or m */
    td_source dynamics_source;                             /* of these four */
    double calibration_rising, calibration_falling;        /* NaN where absent */
    double soft_lower, soft_upper, k_position, k_velocity; /* safety_controller; NaN where absent */
    const char *mimic; /* the leader's name, NULL for none: q = multiplier · q_leader + offset */
    double multiplier;
    double offset;
    td_source mimic_source;
    int independent;              /* URDF+: 1 or 0; -1 where the file does not say */
    td_source independent_source; /* where that is said, if not where the joint stands */
    bool must_depend; /* false; true: that it stays independent is an error, not a warning */
} td_joint;

/* What a loop joint leaves free. */
typedef enum td_loop_type {
    TD_LOOP_REVOLUTE,    /* rotation about the axis */
    TD_LOOP_PRISMATIC,   /* translation along the axis */
    TD_LOOP_CYLINDRICAL, /* both */
    TD_LOOP_PLANAR,      /* rotation about the axis, translation across it */
    TD_LOOP_UNIVERSAL,   /* rotation about the axis and about second_axis */
    TD_LOOP_SPHERICAL,   /* all rotations: a point of one link stays on a point of the other */
    TD_LOOP_FIXED,       /* nothing */
    TD_LOOP_DISTANCE,    /* all but the distance of the two origins */
    TD_LOOP_MASK,        /* what the mask does not constrain */
} td_loop_type;

/* A loop joint (URDF+): closes a loop between frames on two links. In the mask, bits 0 to 2 are
   rotations about x, y and z of the predecessor's loop frame, bits 3 to 5 translations along them;
   a bit that is set is constrained. */
typedef struct td_loop {
    size_t size_of;
    const char *name;
    td_source source;
    td_loop_type type;
    const char *predecessor;
    const char *successor;
    td_pose predecessor_origin; /* the loop joint's frame in the predecessor's link frame */
    td_pose successor_origin;
    double axis[3];        /* in the predecessor's loop frame; of unit length once in a model */
    double second_axis[3]; /* of a universal joint, in the successor's loop frame */
    unsigned mask;         /* of TD_LOOP_MASK */
    double distance;       /* of TD_LOOP_DISTANCE, m */
    double damping;        /* of revolute and prismatic ones, as in td_joint */
    double friction;
    double spring_stiffness;
    double spring_reference;
} td_loop;

/* URDF+ coupling: the joint coordinates on the path to the successor sum up to ratio times those
   on the path to the predecessor. */
typedef struct td_coupling {
    size_t size_of;
    const char *name;
    td_source source;
    const char *predecessor;
    const char *successor;
    double ratio;
} td_coupling;

/* One joint of a transmission with its actuator. */
typedef struct td_transmission {
    size_t size_of;
    const char *name;
    td_source source;
    const char *type;
    const char *joint;
    const char *actuator;        /* NULL without one */
    double mechanical_reduction; /* 1 by default */
    double rotor_inertia;        /* kg m², 0 by default */
} td_transmission;

/* Records with the defaults of the URDF specification (axis 1 0 0, identity origins, multiplier 1,
   limits absent). Fill in the names and what differs. */
TD_API void td_link_init(td_link *link, size_t size_of, const char *name);
TD_API void td_joint_init(td_joint *joint, size_t size_of, const char *name, td_joint_type type,
                          const char *parent, const char *child);
TD_API void td_geometry_init(td_geometry *geometry, size_t size_of, td_shape shape);
TD_API void td_loop_init(td_loop *loop, size_t size_of, const char *name, const char *predecessor,
                         const char *successor);
TD_API void td_coupling_init(td_coupling *coupling, size_t size_of, const char *name,
                             const char *predecessor, const char *successor, double ratio);
TD_API void td_transmission_init(td_transmission *transmission, size_t size_of, const char *name,
                                 const char *joint);

static inline td_link td_link_default(const char *name)
{
    td_link link;
    td_link_init(&link, sizeof link, name);
    return link;
}

static inline td_joint td_joint_default(const char *name, td_joint_type type, const char *parent,
                                        const char *child)
{
    td_joint joint;
    td_joint_init(&joint, sizeof joint, name, type, parent, child);
    return joint;
}

static inline td_geometry td_geometry_default(td_shape shape)
{
    td_geometry geometry;
    td_geometry_init(&geometry, sizeof geometry, shape);
    return geometry;
}

static inline td_loop td_loop_default(const char *name, const char *predecessor,
                                      const char *successor)
{
    td_loop loop;
    td_loop_init(&loop, sizeof loop, name, predecessor, successor);
    return loop;
}

static inline td_coupling td_coupling_default(const char *name, const char *predecessor,
                                              const char *successor, double ratio)
{
    td_coupling coupling;
    td_coupling_init(&coupling, sizeof coupling, name, predecessor, successor, ratio);
    return coupling;
}

static inline td_transmission td_transmission_default(const char *name, const char *joint)
{
    td_transmission transmission;
    td_transmission_init(&transmission, sizeof transmission, name, joint);
    return transmission;
}

/* Rotation (row-major) from URDF's fixed-axis roll, pitch and yaw (rad): R = Rz(y) Ry(p) Rx(r). */
TD_API void td_rotation_from_rpy(double roll, double pitch, double yaw, double rotation[9]);
/* Rotation from a quaternion x, y, z, w, which is normalised first; false, and nothing written,
   where it has no direction. */
TD_API bool td_rotation_from_quaternion(const double xyzw[4], double rotation[9]);
/* Quaternion x, y, z, w with w ≥ 0 from a rotation matrix. */
TD_API void td_quaternion_from_rotation(const double rotation[9], double xyzw[4]);

/* ---- options --------------------------------------------------------------------------------- */

typedef enum td_base { TD_BASE_FIXED, TD_BASE_FLOATING } td_base;

/* Which tree joints are motors. */
typedef enum td_actuation {
    TD_ACTUATED_INDEPENDENT,  /* the independent joints */
    TD_ACTUATED_TRANSMISSION, /* the joints named by transmissions */
    TD_ACTUATED_LIST,         /* those of the list in the options */
} td_actuation;

/* How forward dynamics in independent coordinates is computed. The choice is made at load from
   operation counts; results are the same up to rounding. */
typedef enum td_plan {
    TD_PLAN_AUTO,
    TD_PLAN_CLUSTER, /* articulated-body recursion over clusters of coupled bodies */
    TD_PLAN_REDUCED, /* factors of Gᵀ H G */
} td_plan;

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
} td_closure_function;

/* A joint that the robot is loaded without: it keeps a position (rad or m), as if the file had
   fixed it there. Of a planar or floating joint each coordinate is named, with the suffix that it
   has in tables ("deck.theta"); those that are not are zero, a quaternion the identity. */
typedef struct td_locked_joint {
    const char *joint;
    double position;
} td_locked_joint;

typedef struct td_load_options {
    size_t size_of;
    td_base base;      /* TD_BASE_FIXED */
    double gravity[3]; /* 0, 0, -9.81; m/s², world axes */
    bool strict; /* false; true: a warning keeps the model from being made, as an error does */
    td_actuation actuation;      /* TD_ACTUATED_INDEPENDENT */
    const char *const *actuated; /* joint names for TD_ACTUATED_LIST */
    size_t actuated_count;
    td_plan plan;                        /* TD_PLAN_AUTO */
    const td_closure_function *closures; /* NULL */
    size_t closure_count;
    bool open_loops;         /* false; true: loops are not closed, the model is its spanning tree */
    size_t loop_evaluations; /* 1000: the most evaluations of φ and K that a call spends on a
                                cluster of loops, at least 1; see td_closure_start */
    size_t max_bytes;        /* of a file: 64 MiB */
    size_t max_elements;     /* of a file: 1 million */
    size_t max_depth;        /* of nested elements: 64 */
    const char
        *submechanisms; /* NULL, or a file that the importer reads beside the URDF (urdf.h) */
    const td_locked_joint *locked; /* NULL */
    size_t locked_count;
    bool partial; /* false; true: of a part that is meant to be attached to another robot, a parent
                     that does not exist is a frame at the root, and a joint whose leader does not
                     exist is independent; each with a warning instead of an error */
} td_load_options;

TD_API void td_load_options_init(td_load_options *options, size_t size_of);

static inline td_load_options td_load_options_default(void)
{
    td_load_options options;
    td_load_options_init(&options, sizeof options);
    return options;
}

/* ---- builder --------------------------------------------------------------------------------- */

typedef struct td_builder td_builder;
typedef struct td_model td_model;

/* A builder for a robot of that name (NULL or "" is a warning later). NULL without memory. */
TD_API td_builder *td_builder_new(const char *robot_name);
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
TD_API td_status td_builder_add_transmission(td_builder *builder, const td_transmission *record);

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

/* ---- model ----------------------------------------------------------------------------------- */

TD_API void td_model_free(td_model *model);

TD_API const char *td_model_name(const td_model *model);
TD_API size_t td_nq(const td_model *model);
TD_API size_t td_nv(const td_model *model);
TD_API size_t td_ny(const td_model *model);
TD_API size_t td_nyd(const td_model *model);
TD_API td_base td_model_base(const td_model *model);
TD_API const double *td_gravity(const td_model *model); /* 3, world axes */
/* Instruction set of the kernels in use ("baseline", "avx2" or "avx512"), and how many states a
   batch call works on side by side (2, 4 or 8 of them). */
TD_API const char *td_isa(const td_model *model);
TD_API size_t td_lanes(const td_model *model);

/* Links in file order. An index out of range gives NULL; a name that is none -1. */
TD_API size_t td_link_count(const td_model *model);
TD_API const td_link *td_link_at(const td_model *model, size_t link);
TD_API int td_link_index(const td_model *model, const char *name);
TD_API size_t td_root_link(const td_model *model);

/* Joints, fixed ones included, in the model's order. An added floating base is joint 0; its name is
   "base", or "$base" where a joint of the robot has that name or one that begins with "base.", and
   td_joint_index finds it as "$base" in any case. */
TD_API size_t td_joint_count(const td_model *model);
TD_API const td_joint *td_joint_at(const td_model *model, size_t joint);
TD_API int td_joint_index(const td_model *model, const char *name);

/* Other records, in file order. */
TD_API size_t td_loop_count(const td_model *model);
TD_API const td_loop *td_loop_at(const td_model *model, size_t loop);
/* its word in URDF+, NULL for a number that is none */
TD_API const char *td_loop_type_text(td_loop_type type);
TD_API size_t td_coupling_count(const td_model *model);
TD_API const td_coupling *td_coupling_at(const td_model *model, size_t coupling);
TD_API size_t td_transmission_count(const td_model *model);
TD_API const td_transmission *td_transmission_at(const td_model *model, size_t transmission);

/* Where a joint stands in the tree and in the coordinates; indices are -1 where there is none. */
typedef struct td_joint_place {
    int parent_link, child_link;
    int parent_joint; /* the joint above the parent link; -1 at the root */
    int body;         /* the moving body the joint carries; of a fixed joint: the one it is part of,
                         -1 for the world */
    int nq, nv;       /* number of coordinates: 0 for a fixed joint */
    int q, qd;        /* its first entry in q and in q̇ */
    int y, yd;        /* its first entry in y and in ẏ; -1 for fixed and dependent joints */
    int ny, nyd;      /* how many it has there: nq and nv of an independent joint, 0 of a dependent
                         one; fewer of a planar joint of which loops decide a part */
    unsigned dependents; /* bit k is set: its k-th velocity coordinate is dependent */
    int leader;     /* joint that it follows once chains are resolved; -1: none, or a constant */
    bool dependent; /* movable, and none of its coordinates is independent */
    int terms;      /* of a dependent joint: number of independent joints that it is a combination
                       of; 0: a constant, 1: leader, several: see td_closure_matrix */
    int cluster;    /* of loops that make it or a part of it dependent, -1 for none; see
                       td_loop_cluster_at */
    double multiplier, offset; /* q = multiplier · q_leader + offset, chains resolved; 1 and 0 for
                                  an independent joint, 0 and the constant without a leader */
} td_joint_place;

/* All fields -1 or 0 for an index out of range. */
TD_API td_joint_place td_joint_place_at(const td_model *model, size_t joint);

/* Kinds of coordinates, whose components have names of their own. */
typedef enum td_quantity {
    TD_POSITION, /* of a floating joint .x .y .z .qx .qy .qz .qw; of a planar one .x .y .theta */
    TD_VELOCITY, /* .wx .wy .wz .vx .vy .vz; .x .y .theta; accelerations have the same names */
    TD_FORCE,    /* .mx .my .mz .fx .fy .fz; .x .y .theta */
} td_quantity;

/* What the k-th coordinate of a joint appends to the joint's name: "" for a joint with one, else a
   component. NULL out of range. */
TD_API const char *td_component_text(const td_model *model, size_t joint, td_quantity quantity,
                                     size_t k);

/* Where the coordinate of that name is: that of a joint with one ("elbow"), or a component of
   another joint ("slide.x", "$base.qw"). *y gets its entry in y, *yd that in ẏ, ÿ and forces along
   y; either may be NULL where it is not asked for. With td_tree_ the entries in q and q̇.
   TD_ERROR_DEPENDENT: it follows others (td_joint_place_at says which) and is in q only.
   TD_ERROR_NAME: there is none of that name, or not in both where both are asked for: a joint that
   is fixed or does not exist, one with several coordinates and no component, ".qw" asked for yd.
   TD_ERROR_ARGUMENT: no model or no name. *y and *yd are as before then. O(log joints). */
TD_API td_status td_coordinate_of(const td_model *model, const char *name, size_t *y, size_t *yd);
TD_API td_status td_tree_coordinate_of(const td_model *model, const char *name, size_t *q,
                                       size_t *qd);

/* Movable joints only (the reduced tree): joint index of the i-th, -1 out of range. */
TD_API size_t td_movable_count(const td_model *model);
TD_API int td_movable_joint(const td_model *model, size_t i);
/* Independent joints only, in the order of y. */
TD_API size_t td_independent_count(const td_model *model);
TD_API int td_independent_joint(const td_model *model, size_t i);

/* Bodies: links joined by fixed joints count as one. The body of a link, -1 where it is part of the
   world; any number of links may share a body. */
TD_API size_t td_body_count(const td_model *model);
TD_API int td_link_body(const td_model *model, size_t link);
TD_API int td_link_parent_joint(const td_model *model, size_t link); /* -1 for the root */

/* The inertia audit of a link: what its inertial is worth. Eigenvalues ascending, kg m². */
typedef struct td_inertia_audit {
    double moments[3];      /* principal moments of inertia about the centre of mass */
    double triangle_margin; /* (m₁ + m₂ − m₃) / m₃; negative where no body has these moments */
    bool positive_definite; /* smallest > 1e-12 · largest */
    bool indefinite;        /* smallest < −1e-12 · largest magnitude */
    bool massless;          /* no mass: no inertial, or mass 0 */
} td_inertia_audit;

/* Zeros and massless for an index out of range. */
TD_API td_inertia_audit td_link_audit(const td_model *model, size_t link);

/* The plans for forward dynamics, of one state and of a state in a batch, where lanes share what a
   loop costs: which (never TD_PLAN_AUTO; without couplings TD_PLAN_CLUSTER, whose clusters are
   single bodies then), the number of clusters, the bodies of the largest, and the estimated costs
   of both ways (in instructions; 0 without couplings). */
typedef struct td_plan_info {
    size_t size_of;
    td_plan plan, batch_plan;
    size_t clusters, largest_cluster;
    double cluster_cost, reduced_cost;
    double batch_cluster_cost, batch_reduced_cost;
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

/* ---- workspace ------------------------------------------------------------------------------- */

typedef struct td_workspace td_workspace;

/* Scratch for one thread and that model: one aligned block, allocated here and never again but for
   payloads (payload.h). NULL without memory. It must not outlive the model. */
TD_API td_workspace *td_workspace_new(const td_model *model);
/* No call on it may be under way. NULL is fine. */
TD_API void td_workspace_free(td_workspace *workspace);
/* Bytes of that block; 0 for NULL. */
TD_API size_t td_workspace_bytes(const td_model *model);

/* A workspace with which batch calls (batch.h) share their states out among that many threads, each
   with scratch of its own in the block; 0: one for each processor that the calling thread may run
   on, 1: as td_workspace_new. The calling thread of a batch is one of them. The others are started
   here and end with the workspace; between calls they sleep, after some microseconds in which they
   look out for the next one. They have the schedule, priority and processors of the thread that
   calls this, and block all signals. At most 1024, fewer where the system does not give so many,
   and one where the library was built without threads: td_workspace_threads says how many there
   are. In a process forked later the workspace works on with the calling thread alone. */
TD_API td_workspace *td_workspace_new_threads(const td_model *model, size_t threads);
TD_API size_t td_workspace_threads(const td_workspace *workspace); /* 0 for NULL */
TD_API size_t td_workspace_bytes_threads(const td_model *model, size_t threads);

/* The name, as it stands in the function's declaration, of the argument for which the last call on
   this workspace that returned TD_ERROR_ARGUMENT did so: an aid to find the mistake. "workspace" is
   one of another model, or without factors where td_factored_solve needs them, and what a NULL
   workspace gives. NULL before any. */
TD_API const char *td_argument_fault(const td_workspace *workspace);

#ifdef __cplusplus
}
#endif
#endif
