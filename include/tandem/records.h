/* SPDX-License-Identifier: MIT */
/*
 * Records: links, joints, loops, couplings, springs, flexible links and transmissions as a builder
 * takes them and as a model gives them back.
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
 * Structs that begin with size_of grow at their end (docs/abi.md). Their _default functions are
 * compiled into the caller, so that they are as long as the caller's headers say; the _init
 * functions are what the library has of them: they write the size_of bytes that the caller has room
 * for. Functions accept shorter and longer structs: what a caller's struct does not have yet takes
 * its default, and what the library does not know yet must be 0, or TD_ERROR_ARGUMENT is returned.
 */

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
    TD_JOINT_REVOLUTE,   /* turns about the axis, within limits */
    TD_JOINT_CONTINUOUS, /* turns about the axis, without end */
    TD_JOINT_PRISMATIC,  /* moves along the axis */
    TD_JOINT_FIXED,      /* no freedom */
    TD_JOINT_FLOATING,   /* six freedoms */
    TD_JOINT_PLANAR,     /* moves in the plane across the axis, and turns in it */
    TD_JOINT_SCREW,      /* turns about the axis, and moves along it by pitch a turn */
    TD_JOINT_BALL,       /* turns in all directions */
    TD_JOINT_UNIVERSAL, /* turns about x of the joint frame, and then about the y that has turned */
} td_joint_type;

/* What all joints of a type have in common. */
typedef struct td_joint_kind {
    const char *word; /* in files: "revolute" */
    int nq, nv;       /* number of positions and velocities */
    size_t
        quaternion; /* which position is the first of a unit quaternion x, y, z, w; TD_NONE: there
                       is none, and the velocities are the rates of the positions, one by one */
    bool axis;      /* it moves along or about td_joint.axis */
    bool bounded;   /* td_joint.limit's lower and upper bind each of its positions, where given */
    bool ranged;    /* URDF wants those limits to be given */
    bool pitched;   /* td_joint.pitch is how far it moves along the axis as it turns */
    bool damped;    /* td_joint.damping acts along each of its velocities */
    bool sprung;    /* friction and spring too */
} td_joint_kind;

/* In a table of the library's, to whose rows fields may be added at the end; NULL for an unknown
   number. */
TD_API const td_joint_kind *td_joint_kind_of(td_joint_type type);

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
    const char *name;     /* NULL without one */
    bool collision;       /* else visual */
    td_shape shape;       /* which sizes there are */
    double size[3];       /* m; by shape */
    const char *file;     /* of a mesh, as written; else NULL */
    td_pose origin;       /* in the link's frame */
    const char *material; /* name of a colour; NULL without one */
    double rgba[4];       /* NaN where no colour is given */
} td_geometry;

/* A link. Its inertia matrix (ixx, ixy, ixz, iyy, iyz, izz; kg m²) is about the centre of mass, in
   the axes of the inertial frame. */
typedef struct td_link {
    size_t size_of;
    const char *name; /* unique */
    td_source source;
    bool has_inertial; /* the file has an inertia */
    double mass;       /* kg */
    td_pose inertial;  /* inertial frame in the link's frame; its origin is the centre of mass */
    double inertia[6]; /* ixx, ixy, ixz, iyy, iyz, izz about the centre of mass, in axes of that
                          frame; kg m² */
    td_source inertial_source;
    const td_geometry *geometry; /* visuals and collisions in file order; see td_geometry_at */
    size_t geometry_count;
    const char *flexible; /* of a piece of a flexible link, the link itself included, that link's
                             name; NULL for all others. Written in models, of no use in a builder */
} td_link;

/* The i-th visual or collision of a link, NULL out of range: elements are as long as the size_of of
   the first one says, which for those of a model is the library's. */
TD_API const td_geometry *td_geometry_at(const td_link *link, size_t i);

/* Limits of a joint; NaN where none is given, and in a model also where a diagnostic says that one
   is ignored. Position limits of a continuous joint are kept, but do not bind. */
typedef struct td_limit {
    double lower, upper;                     /* rad or m */
    double effort;                           /* N m or N */
    double velocity;                         /* rad/s or m/s */
    double acceleration, deceleration, jerk; /* of the rates above; jerk of those */
} td_limit;

typedef struct td_joint {
    size_t size_of;
    const char *name; /* unique */
    td_source source;
    td_joint_type type; /* which freedom it has */
    const char *parent; /* a link */
    const char *child;  /* a link, of one joint alone */
    td_pose origin;     /* joint frame in the parent link's frame */
    double axis[3];     /* in the joint frame; of unit length once in a model, where the type has an
                           axis (td_joint_kind); else it has no meaning */
    td_source axis_source;
    td_limit limit; /* NaN where there is none */
    td_source limit_source;
    double damping;                                        /* N m s/rad or N s/m */
    double friction;                                       /* N m or N */
    double spring_stiffness;                               /* N m/rad or N/m */
    double spring_reference;                               /* rad or m */
    td_source dynamics_source;                             /* of these four */
    double calibration_rising, calibration_falling;        /* NaN where absent */
    double soft_lower, soft_upper, k_position, k_velocity; /* safety_controller; NaN where absent */
    const char *mimic; /* the leader's name, NULL for none: q = multiplier · q_leader + offset */
    double multiplier; /* rad or m over rad or m; 1 */
    double offset;     /* rad or m; 0 */
    td_source mimic_source;
    int independent;              /* URDF+: 1 or 0; -1 where the file does not say */
    td_source independent_source; /* where that is said, if not where the joint stands */
    bool must_depend;     /* false; true: that it stays independent is an error, not a warning */
    const char *flexible; /* of an elastic joint the flexible link that it is in; NULL for all
                             others. Written in models, of no use in a builder */
    double reference[7];  /* its coordinates (rad or m, as in q) where loops are first closed from;
                             NaN where that is not said. See td_load_options.start */
    double pitch;         /* of a screw, which needs one: m a turn, along the axis where it turns
                             positively */
} td_joint;

/*
 * What makes a link flexible: a straight beam, which becomes a chain of rigid pieces with elastic
 * joints between them when the model is made. A stiffness that is not given (NaN) is infinite: the
 * beam does not bend in that plane, or does not twist.
 *
 * The beam goes from start along axis. There are as many stations as segments, h apart, and at each
 * an elastic joint for every finite stiffness: revolute, of stiffness EI/h or GJ/h. A clamped end
 * has half a segment, h/2, before the first or behind the last station, another one a whole one:
 *
 *   h = length / (segments − 1 + e_0 + e_1),   e = ½ at a clamped end, 1 at another one
 *
 * Frequencies and deflections converge to those of the beam (Euler and Bernoulli's, Saint-Venant's
 * in torsion) with the square of h. An end that is held so that it cannot turn, or that carries
 * something with inertia, is clamped; one that is pinned or free may be either.
 *
 * The mass of a piece is that of a uniform rod. The link's own inertial, where there is one, is
 * compared with the beam's and replaced. Joints, loops and springs that stand on the link stand on
 * the piece where their origin is, measured along the axis. Functions that take a link by its
 * index, and perhaps a point of it, mean that piece alone: a frame that is fixed to the link at a
 * place, a link without a body, is on the piece there.
 *
 * Damping is proportional to stiffness: that of the joints of a plane is 2 ζ/ω₁ times their
 * stiffness, with ω₁ the first frequency of the beam alone, its start held and its end free.
 *
 * Names: of link L the first piece is L itself, the others are L.1, L.2, ..., and their joints
 * L.1.bend (in the first plane), L.1.bend2 and L.1.twist, whichever there are, in this order; where
 * there are several, the links between them are called as the joints. All positions are zero where
 * the beam is straight.
 */
typedef struct td_flexible {
    size_t size_of;
    const char *link; /* its name */
    td_source source;
    double start[3];  /* where the beam begins, in the link's frame (m); 0 0 0 */
    double axis[3];   /* where it goes; 1 0 0, of unit length once in a model */
    double length;    /* m */
    double across[3]; /* the first plane of bending is that of axis and this direction, of which
                         what is along the axis does not count: a joint that turns by a positive
                         angle bends the beam towards it. 0 0 0, which will do without bending and
                         for equal stiffnesses in both planes */
    double bending_stiffness[2]; /* EI in the first plane, and in that across it (N m²); NaN */
    double torsional_stiffness;  /* GJ (N m²); NaN */
    double mass_per_length;      /* kg/m */
    double rotary_inertia;       /* of a cross section about the axis, per length (kg m): torsion
                                    needs it. It goes to the two axes across in the ratio of the
                                    two EI, in equal parts where there is one. 0 */
    double damping_ratio;        /* ζ of the first mode; 0 */
    int segments;                /* 8 */
    bool start_clamped, end_clamped; /* true */
} td_flexible;

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
    const char *name; /* NULL without one */
    td_source source;
    td_loop_type type; /* what it leaves free */
    const char *predecessor;
    const char *successor;      /* a link; the predecessor too */
    td_pose predecessor_origin; /* the loop joint's frame in the predecessor's link frame */
    td_pose successor_origin;   /* likewise of the successor */
    double axis[3];          /* in the predecessor's loop frame; of unit length once in a model */
    double second_axis[3];   /* of a universal joint, in the successor's loop frame */
    unsigned mask;           /* of TD_LOOP_MASK */
    double distance;         /* of TD_LOOP_DISTANCE, m */
    double damping;          /* of revolute and prismatic ones, as in td_joint */
    double friction;         /* as in td_joint */
    double spring_stiffness; /* as in td_joint */
    double spring_reference; /* as in td_joint */
} td_loop;

/* URDF+ coupling: the joint coordinates on the path to the successor sum up to ratio times those
   on the path to the predecessor. */
typedef struct td_coupling {
    size_t size_of;
    const char *name; /* NULL without one */
    td_source source;
    const char *predecessor;
    const char *successor;
    double ratio;
} td_coupling;

typedef enum td_spring_type {
    TD_SPRING_LINE,    /* along the line between the two origins */
    TD_SPRING_BUSHING, /* in all six directions between the two frames */
} td_spring_type;

/*
 * A spring with a damper between frames on two links: a passive force (see td_forces), without
 * mass.
 *
 * A line pulls the origins together by stiffness · (l − length) + damping · dl/dt, l being their
 * distance. At l = 0 it has no direction and does nothing.
 *
 * A bushing has three angles and three displacements: the roll, pitch and yaw of the successor's
 * frame in the predecessor's (successor = Rz(yaw) Ry(pitch) Rx(roll)), and the position of its
 * origin, in axes halfway between the two frames. Each has a stiffness and a damping; forces act
 * halfway between the origins. The dampers of displacements resist to the rate of the position as
 * seen from axes that turn with half the relative angular velocity: that is the derivative of the
 * displacements where the rotation is small or keeps its axis, and not where it is large and turns
 * otherwise. Within 1e-8 rad of a pitch of ±90° it has no value: what depends on
 * it is NaN, and TD_ERROR_NOT_FINITE as tandem/workspace.h says. Roll and yaw jump at ±180°, and
 * the axes halfway jump where the frames are half a turn apart. Where the three stiffnesses of
 * displacements differ, its energy ½ k x² is that of its forces to the second order of the angles
 * only, since the axes halfway turn with them.
 */
typedef struct td_spring {
    size_t size_of;
    const char *name; /* NULL without one */
    td_source source;
    td_spring_type type; /* which of the fields below count */
    const char *predecessor;
    const char *successor;
    td_pose predecessor_origin;        /* the frame in the predecessor's link frame */
    td_pose successor_origin;          /* likewise of the successor */
    double length, stiffness, damping; /* of a line: m, N/m, N s/m */
    double angular_stiffness[3];       /* of a bushing: of roll, pitch and yaw, N m/rad */
    double angular_damping[3];         /* N m s/rad */
    double linear_stiffness[3];        /* along x, y and z, N/m */
    double linear_damping[3];          /* N s/m */
} td_spring;

/* One joint of a transmission with its actuator. */
typedef struct td_transmission {
    size_t size_of;
    const char *name; /* NULL without one */
    td_source source;
    const char *type; /* as the file has it */
    const char *joint;
    const char *actuator;        /* NULL without one */
    double mechanical_reduction; /* 1 by default */
    double rotor_inertia;        /* kg m², 0 by default */
} td_transmission;

/* Records with the defaults of the URDF specification (axis 1 0 0, identity origins, multiplier 1,
   limits absent). Fill in the names and what differs. */
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

/* Rotation (row-major) from URDF's fixed-axis roll, pitch and yaw (rad): R = Rz(y) Ry(p) Rx(r). */
TD_API void td_rotation_from_rpy(double roll, double pitch, double yaw, double rotation[9]);
/* Rotation from a quaternion x, y, z, w, which is normalised first; false, and nothing written,
   where it has no direction. */
TD_API bool td_rotation_from_quaternion(const double xyzw[4], double rotation[9]);
/* Quaternion x, y, z, w with w ≥ 0 from a rotation matrix. */
TD_API void td_quaternion_from_rotation(const double rotation[9], double xyzw[4]);

#ifdef __cplusplus
}
#endif
#endif
