/* SPDX-License-Identifier: MIT */
/*
 * Records: the structs that describe the links, joints, loops, couplings, springs, flexible links
 * and transmissions of a robot. A caller passes them to a builder; a model returns them.
 */
#ifndef TANDEM_RECORDS_H
#define TANDEM_RECORDS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/diagnostic.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Structs whose first field is size_of may get new fields at their end (docs/abi.md). Functions
 * whose names end in _default are compiled into the caller and set size_of to the size in the
 * caller's headers. Functions whose names end in _read belong to the library; they write at most
 * size_of bytes into the caller's struct.
 *
 * The library accepts older, shorter structs: a field that the struct lacks has its default. It
 * accepts newer, longer structs if the bytes that it does not know are 0, and otherwise returns
 * TD_ERROR_ARGUMENT.
 */

/* The pose of a child frame in a parent frame: x_parent = rotation · x_child + position. */
typedef struct td_pose {
    double position[3]; /* m */
    double rotation[9]; /* 3 × 3, row-major */
} td_pose;

/* Initializer of a td_pose: child and parent frame coincide. */

#define TD_POSE_IDENTITY                                                                           \
    {                                                                                              \
        {0, 0, 0},                                                                                 \
        {                                                                                          \
            1, 0, 0, 0, 1, 0, 0, 0, 1                                                              \
        }                                                                                          \
    }

typedef enum td_joint_type {
    TD_JOINT_REVOLUTE,   /* rotates about the axis, within limits */
    TD_JOINT_CONTINUOUS, /* rotates about the axis, without limits */
    TD_JOINT_PRISMATIC,  /* translates along the axis */
    TD_JOINT_FIXED,      /* does not move */
    TD_JOINT_FLOATING,   /* moves freely: six degrees of freedom */
    TD_JOINT_PLANAR,    /* translates in the plane normal to the axis, and rotates about the axis */
    TD_JOINT_SCREW,     /* rotates about the axis, and translates along it by pitch per turn */
    TD_JOINT_BALL,      /* rotates freely about a point */
    TD_JOINT_UNIVERSAL, /* rotates about x of the joint frame, then about the rotated y */
} td_joint_type;

/* Properties that all joints of a type share. */
typedef struct td_joint_kind {
    const char *word;  /* the type in files, such as "revolute" */
    int nq, nv;        /* number of positions and of velocities */
    size_t quaternion; /* index of the first of four positions that are a unit quaternion x, y, z,
                          w. TD_NONE: no quaternion; velocity i is the rate of position i */
    bool axis;         /* the joint moves along or about td_joint.axis */
    bool bounded;      /* lower and upper of td_joint.limit apply to each position, unless NaN */
    bool ranged;       /* URDF requires lower and upper */
    bool pitched;      /* td_joint.pitch couples translation to rotation */
    bool damped;       /* td_joint.damping acts on each velocity */
    bool sprung;       /* friction and spring of td_joint act on each coordinate */
} td_joint_kind;

/* Returns the properties of a joint type, in memory of the library; NULL for an unknown type. Later
   versions may add fields at the end of the struct. */
TD_API const td_joint_kind *td_joint_kind_of(td_joint_type type);

typedef enum td_shape {
    TD_SHAPE_BOX,      /* size: x, y, z */
    TD_SHAPE_SPHERE,   /* size: radius */
    TD_SHAPE_CYLINDER, /* size: radius, length (along z) */
    TD_SHAPE_CAPSULE,  /* size: radius, length of the cylindrical part (along z) */
    TD_SHAPE_MESH,     /* size: scale factors along x, y, z; file: the mesh */
} td_shape;

/* Visual or collision geometry. Models store it for other programs; dynamics ignore it. */
typedef struct td_geometry {
    size_t size_of;
    const char *name;     /* NULL if unnamed */
    bool collision;       /* true: collision geometry; false: visual */
    td_shape shape;       /* determines the meaning of size */
    double size[3];       /* see td_shape; lengths in m */
    const char *file;     /* path of a mesh, as in the robot's file; NULL for other shapes */
    td_pose origin;       /* pose in the link frame */
    const char *material; /* name of a color, or NULL */
    double rgba[4];       /* NaN if no color is given */
} td_geometry;

/* A rigid link with its mass, center of mass and inertia. */
typedef struct td_link {
    size_t size_of;
    const char *name; /* unique */
    td_source source;
    bool has_inertial; /* true: mass, inertial and inertia are given */
    double mass;       /* kg */
    td_pose inertial;  /* inertial frame in the link frame; its origin is the center of mass */
    double inertia[6]; /* ixx, ixy, ixz, iyy, iyz, izz about the center of mass, in the axes of the
                          inertial frame; kg m² */
    td_source inertial_source;
    const td_geometry *geometry; /* visuals and collisions in file order; use td_geometry_at to read
                                    them */
    size_t geometry_count;
    const char *flexible; /* set by models, ignored by builders: the name of the flexible link that
                             this link is a piece of (including the first); NULL otherwise */
} td_link;

/* Returns the i-th visual or collision of a link, or NULL if i is out of range. Use it instead of
   indexing: size_of of the first element is the size of all elements. In a model, it is the size
   with which the library was compiled. */
TD_API const td_geometry *td_geometry_at(const td_link *link, size_t i);

/* Limits of a joint. NaN: no limit, or, in a model, a limit that was ignored with a diagnostic.
   Position limits of a continuous joint are stored but have no effect. */
typedef struct td_limit {
    double lower, upper;                     /* rad or m */
    double effort;                           /* N m or N */
    double velocity;                         /* rad/s or m/s */
    double acceleration, deceleration, jerk; /* rad/s² or m/s²; jerk rad/s³ or m/s³ */
} td_limit;

/* A joint of the tree. Start from td_joint_default(); numbers without a stated default are 0. */
typedef struct td_joint {
    size_t size_of;
    const char *name; /* unique */
    td_source source;
    td_joint_type type; /* its degrees of freedom */
    const char *parent; /* name of the parent link */
    const char *child;  /* name of the child link; no other joint has the same child */
    td_pose origin;     /* joint frame in the parent link frame */
    double axis[3];     /* in the joint frame, of any length; models normalize it. Only types with
                           td_joint_kind.axis use it */
    td_source axis_source;
    td_limit limit; /* NaN: no limit */
    td_source limit_source;
    double damping;                                        /* N m s/rad or N s/m */
    double friction;                                       /* N m or N */
    double spring_stiffness;                               /* N m/rad or N/m */
    double spring_reference;                               /* rad or m */
    td_source dynamics_source;                             /* position of the four values above */
    double calibration_rising, calibration_falling;        /* NaN if absent */
    double soft_lower, soft_upper, k_position, k_velocity; /* safety_controller; NaN if absent */
    const char *mimic; /* name of the leader, or NULL: q = multiplier · q_leader + offset */
    double multiplier; /* rad or m of this joint per rad or m of the leader; default 1 */
    double offset;     /* rad or m */
    td_source mimic_source;
    int independent; /* URDF+: 1 independent, 0 dependent, -1 (default) not specified */
    td_source independent_source; /* position of that declaration, if it is not in the joint */
    bool must_depend;     /* default false; true: if the joint remains independent, this is an error
                             instead of a warning */
    const char *flexible; /* set by models, ignored by builders: the name of the flexible link that
                             this elastic joint is in; NULL for other joints */
    double reference[7];  /* initial coordinates for closing loops, as in q (rad or m); NaN: not
                             specified. See td_load_options.start */
    double pitch;         /* m per turn, required for screw joints: a positive rotation translates
                             the child along the axis */
    const char *motor; /* set by models, ignored by builders: name of the actuator whose shaft this
                          joint is (td_transmission); NULL for other joints */
    const char *command; /* what controllers command, such as "position velocity": names separated
                            by blanks; default NULL: nothing. With TD_ACTUATION_COMMANDED a joint
                            that has it is a motor */
} td_joint;

/*
 * A flexible link: a straight beam that bends and twists. When the model is made, the beam becomes
 * a chain of rigid pieces with elastic joints between them. A stiffness of NaN is infinite: the
 * beam does not bend in that plane, or does not twist.
 *
 * Discretization. The beam runs from start along axis. It has one station per segment, a distance h
 * apart. Each station has one revolute joint per finite stiffness, with stiffness EI/h or GJ/h. A
 * clamped end has half a segment, h/2, between the end and the nearest station; any other end has a
 * whole segment:
 *
 *   h = length / (segments − 1 + e_0 + e_1),   e = ½ at a clamped end, 1 otherwise
 *
 * Frequencies and deflections converge to the exact values as h². Bending follows Euler and
 * Bernoulli, torsion Saint-Venant. Mark an end as clamped if its support prevents rotation or if it
 * carries inertia. A pinned or free end may be marked or not.
 *
 * Inertia. Each piece has the mass and inertia of a uniform rod. If the link has an inertial, the
 * loader compares it with the beam's and replaces it.
 *
 * Attachments. Joints, loops and springs on the link are attached to the piece that contains their
 * origin, measured along the axis. A link index refers to one piece; the index of the flexible link
 * itself refers to the first. To refer to a place on the beam, attach a massless link there with a
 * fixed joint. It moves with the piece at that place.
 *
 * Damping is proportional to stiffness. The joints of one plane have the damping 2 ζ/ω₁ times their
 * stiffness. ω₁ is the first natural frequency of the beam alone, clamped at its start and free at
 * its end.
 *
 * Names. The first piece of link L keeps the name L; the others are L.1, L.2, .... The joints of
 * station k are L.k.bend (first plane), L.k.bend2 and L.k.twist, in this order, if they exist. If a
 * station has several joints, the massless links between them have the names of the joints. The
 * beam is straight where all these joints are at zero.
 */
typedef struct td_flexible {
    size_t size_of;
    const char *link; /* name of the link */
    td_source source;
    double start[3]; /* where the beam begins, in the link frame (m); default 0 0 0 */
    double axis[3];  /* direction of the beam in the link frame, of any length; models normalize it;
                        default 1 0 0 */
    double length;   /* m */
    double across[3]; /* with axis, spans the first plane of bending; its component along axis is
                         ignored. A positive bend angle bends the beam toward it. Default 0 0 0: not
                         given, which is allowed without bending and for equal stiffnesses in both
                         planes */
    /* EI in the first plane and in the plane normal to it (N m²); default NaN */
    double bending_stiffness[2];
    double torsional_stiffness; /* GJ (N m²); default NaN */
    double mass_per_length;     /* kg/m */
    double rotary_inertia;      /* of a cross section about the axis, per length (kg m); default 0.
                                   Torsion requires it. The two transverse axes share it in the
                                   ratio of the two EI, or equally unless both are given */
    double damping_ratio;       /* ζ of the first mode; default 0 */
    int segments;               /* number of segments; default 8 */
    bool start_clamped, end_clamped; /* default true */
} td_flexible;

/* The relative motion that a loop joint allows. */
typedef enum td_loop_type {
    TD_LOOP_REVOLUTE,    /* rotation about the axis */
    TD_LOOP_PRISMATIC,   /* translation along the axis */
    TD_LOOP_CYLINDRICAL, /* rotation about the axis and translation along it */
    TD_LOOP_PLANAR,      /* rotation about the axis and translation normal to it */
    TD_LOOP_UNIVERSAL,   /* rotation about the axis and about second_axis */
    TD_LOOP_SPHERICAL,   /* all rotations; the two origins coincide */
    TD_LOOP_FIXED,       /* none */
    TD_LOOP_DISTANCE,    /* everything except a change of the distance between the two origins */
    TD_LOOP_MASK,        /* the directions that mask does not constrain */
} td_loop_type;

/* A loop joint (URDF+) closes a kinematic loop between frames on two links. */
typedef struct td_loop {
    size_t size_of;
    const char *name; /* NULL if unnamed */
    td_source source;
    td_loop_type type;          /* the motion that it allows */
    const char *predecessor;    /* name of a link */
    const char *successor;      /* name of a link */
    td_pose predecessor_origin; /* the loop frame on the predecessor, in its link frame */
    td_pose successor_origin;   /* the loop frame on the successor, in its link frame */
    double axis[3];             /* in the predecessor's loop frame; models normalize it */
    double second_axis[3];      /* universal loops: in the successor's loop frame */
    unsigned mask;              /* TD_LOOP_MASK: constrained directions. Bits 0 to 2 are rotations
                                   about x, y and z of the predecessor's loop frame, bits 3 to 5
                                   translations along them */
    double distance;            /* TD_LOOP_DISTANCE: m */
    double damping;             /* revolute and prismatic loops: as in td_joint */
    double friction;            /* as in td_joint */
    double spring_stiffness;    /* as in td_joint */
    double spring_reference;    /* as in td_joint */
} td_loop;

/* A coupling (URDF+). The two paths run from the nearest common ancestor to the predecessor and to
   the successor. The sum of the joint coordinates on the path to the successor equals ratio times
   the sum on the path to the predecessor. */
typedef struct td_coupling {
    size_t size_of;
    const char *name; /* NULL if unnamed */
    td_source source;
    const char *predecessor; /* name of a link */
    const char *successor;   /* name of a link */
    double ratio;
} td_coupling;

typedef enum td_spring_type {
    TD_SPRING_LINE,    /* along the line between the two origins */
    TD_SPRING_BUSHING, /* along all six degrees of freedom between the two frames */
} td_spring_type;

/*
 * A massless spring and damper between frames on two links. It is a passive force (td_forces).
 *
 * A line spring pulls the two origins together with the force stiffness · (l − length) + damping ·
 * dl/dt, where l is their distance. At l = 0 the direction is undefined and the force is zero.
 *
 * A bushing acts on three angles and three displacements. The angles are roll, pitch and yaw of the
 * successor's frame in the predecessor's: R = Rz(yaw) Ry(pitch) Rx(roll). The displacements are the
 * position of the successor's origin relative to the predecessor's, in axes halfway between the two
 * frames. Each of the six has a stiffness and a damping. The forces act halfway between the
 * origins.
 *
 * The translational dampers act on the rate of the position as seen from axes that rotate with half
 * the relative angular velocity. This is the derivative of the displacements if the rotation is
 * small or its axis is fixed, but not for large general rotations.
 *
 * Within 1e-8 rad of a pitch of ±90° the bushing is undefined: results that depend on it are NaN,
 * with TD_ERROR_NOT_FINITE as described in tandem/workspace.h. Roll and yaw jump at ±180°. The
 * halfway axes jump if the relative rotation is 180°.
 *
 * The halfway axes rotate with the frames. Therefore, if the three translational stiffnesses
 * differ, the forces are the gradient of the energy ½ k x² only up to second order in the angles.
 */
typedef struct td_spring {
    size_t size_of;
    const char *name; /* NULL if unnamed */
    td_source source;
    td_spring_type type;               /* determines which of the fields below are used */
    const char *predecessor;           /* name of a link */
    const char *successor;             /* name of a link */
    td_pose predecessor_origin;        /* the frame on the predecessor, in its link frame */
    td_pose successor_origin;          /* the frame on the successor, in its link frame */
    double length, stiffness, damping; /* line: m, N/m, N s/m */
    double angular_stiffness[3];       /* bushing: roll, pitch and yaw, N m/rad */
    double angular_damping[3];         /* bushing: N m s/rad */
    double linear_stiffness[3];        /* bushing: along x, y and z, N/m */
    double linear_damping[3];          /* bushing: N s/m */
} td_spring;

/*
 * A transmission between a motor and a joint. Consecutive records with the same name and the same
 * actuator are one motor that pulls all their joints, such as a tendon or a differential; a record
 * without an actuator is always a motor of its own. A motor moves with
 *
 *   w = Σ ratio · q,  and its force u acts on all these joints: τ += ratio · u.
 *
 * The shaft turns by mechanical_reduction · (w + offset), and its torque is u divided by
 * mechanical_reduction. The motor of a single joint has w = q: its u is the force of the joint, and
 * its shaft turns by mechanical_reduction · (ratio · q + offset).
 *
 * All numbers except ratio belong to the motor; all its records have the same. Inertia, damping and
 * friction are passive forces (td_forces.passive). Limits apply to the shaft. td_actuator and
 * td_effective_limit contain them in the coordinate of u, where the limits of effort and power of
 * several motors of one joint add up.
 *
 * If a motor has damping or friction, or pulls several joints and has inertia or limits or is
 * chosen for actuation (td_load_options.actuation), the model has a joint for its shaft, with the
 * name of the actuator, or that name and ".shaft" if a link or joint has it already. The joint is
 * dependent: its position is w. Its link has no mass, and its parent is the nearest link that
 * carries all pulled joints. Like other massless links, it makes the mass matrix of the tree
 * singular if the motor has no inertia.
 */
typedef struct td_transmission {
    size_t size_of;
    const char *name; /* NULL if unnamed */
    td_source source;
    const char *type;            /* as in the file */
    const char *joint;           /* name of the joint */
    const char *actuator;        /* name of the actuator, or NULL (default) */
    double mechanical_reduction; /* turns of the shaft per w; default 1 */
    double rotor_inertia;        /* of the shaft: kg m²; default 0 */
    double ratio;                /* of the joint in w; default 1 */
    double offset;               /* in the unit of w; default 0 */
    double damping;              /* of the shaft: N m s/rad; default 0 */
    double friction;             /* of the shaft: N m; default 0 */
    double effort_limit;         /* of the shaft: N m; default NaN, no limit */
    double velocity_limit;       /* of the shaft: rad/s; default NaN, no limit */
    double power_limit;          /* W; default NaN, no limit */
    const char *shaft;           /* set by models, ignored by builders: name of the joint that is
                                    the shaft; NULL if the motor has none */
} td_transmission;

/* Return records with the defaults of the URDF specification: axis 1 0 0, identity origins,
   multiplier 1, no limits. Set the names and any other values after the call. */
static inline td_link td_link_default(const char *name)
{
    const td_pose identity = TD_POSE_IDENTITY;
    TD_SIZED(td_link, link);
    link.name = name;
    link.inertial = identity;
    return link;
}

static inline td_joint td_joint_default(const char *name, td_joint_type type, const char *parent,
                                        const char *child)
{
    const td_pose identity = TD_POSE_IDENTITY;
    const td_limit unlimited = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    TD_SIZED(td_joint, joint);
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.origin = identity;
    joint.axis[0] = 1;
    joint.limit = unlimited;
    joint.calibration_rising = joint.calibration_falling = NAN;
    joint.soft_lower = joint.soft_upper = NAN;
    joint.k_position = joint.k_velocity = NAN;
    joint.multiplier = 1;
    joint.independent = -1;
    for (int i = 0; i < 7; i++)
        joint.reference[i] = NAN;
    return joint;
}

static inline td_geometry td_geometry_default(td_shape shape)
{
    const td_pose identity = TD_POSE_IDENTITY;
    TD_SIZED(td_geometry, geometry);
    geometry.shape = shape;
    geometry.size[0] = geometry.size[1] = geometry.size[2] = 1;
    geometry.origin = identity;
    for (int i = 0; i < 4; i++)
        geometry.rgba[i] = NAN;
    return geometry;
}

static inline td_loop td_loop_default(const char *name, const char *predecessor,
                                      const char *successor)
{
    const td_pose identity = TD_POSE_IDENTITY;
    TD_SIZED(td_loop, loop);
    loop.name = name;
    loop.type = TD_LOOP_REVOLUTE;
    loop.predecessor = predecessor;
    loop.successor = successor;
    loop.predecessor_origin = loop.successor_origin = identity;
    loop.axis[0] = 1;
    loop.second_axis[1] = 1;
    return loop;
}

static inline td_coupling td_coupling_default(const char *name, const char *predecessor,
                                              const char *successor, double ratio)
{
    TD_SIZED(td_coupling, coupling);
    coupling.name = name;
    coupling.predecessor = predecessor;
    coupling.successor = successor;
    coupling.ratio = ratio;
    return coupling;
}

static inline td_spring td_spring_default(const char *name, const char *predecessor,
                                          const char *successor)
{
    const td_pose identity = TD_POSE_IDENTITY;
    TD_SIZED(td_spring, spring);
    spring.name = name;
    spring.type = TD_SPRING_LINE;
    spring.predecessor = predecessor;
    spring.successor = successor;
    spring.predecessor_origin = spring.successor_origin = identity;
    return spring;
}

static inline td_transmission td_transmission_default(const char *name, const char *joint)
{
    TD_SIZED(td_transmission, transmission);
    transmission.name = name;
    transmission.joint = joint;
    transmission.mechanical_reduction = 1;
    transmission.ratio = 1;
    transmission.effort_limit = transmission.velocity_limit = transmission.power_limit = NAN;
    return transmission;
}

static inline td_flexible td_flexible_default(const char *link)
{
    TD_SIZED(td_flexible, flexible);
    flexible.link = link;
    flexible.axis[0] = 1;
    flexible.bending_stiffness[0] = flexible.bending_stiffness[1] = NAN;
    flexible.torsional_stiffness = NAN;
    flexible.segments = 8;
    flexible.start_clamped = flexible.end_clamped = true;
    return flexible;
}

/* Computes a rotation matrix (row-major) from URDF's fixed-axis roll, pitch and yaw (rad):
   R = Rz(yaw) Ry(pitch) Rx(roll). */
TD_API void td_rotation_from_rpy(double roll, double pitch, double yaw, double rotation[9]);
/* Computes a rotation matrix from a quaternion x, y, z, w of any length, which it normalizes.
   Returns false and writes nothing if the length is 0, infinite or NaN. */
TD_API bool td_rotation_from_quaternion(const double xyzw[4], double rotation[9]);
/* Computes the quaternion x, y, z, w with w ≥ 0 of a rotation matrix. */
TD_API void td_quaternion_from_rotation(const double rotation[9], double xyzw[4]);

#ifdef __cplusplus
}
#endif
#endif
