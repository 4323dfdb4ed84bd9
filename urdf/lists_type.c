/* SPDX-License-Identifier: MIT */
/*
 * Adds the loops of mechanism types that HyRoDyn predefines, so that a submechanism list need not
 * contain them. For some types the joints and frames of the URDF suffice. The list names first the
 * joints of the platform, which are independent. Then follow the hinges of levers on the platform,
 * and the joints of each leg from the base to the slider of its actuator. The leg ends at the
 * origin of the slider's link. As in HyRoDyn, the loops are closed when all joints are at zero.
 *
 *   rrPr       the end of the actuator turns on the lever that the platform is, in its plane
 *   2SPU+1U    the ends of the actuators are ball joints on the platform
 *   6UPS       six legs of that kind (Gough and Stewart)
 *   2SPRR+1U   the actuators end in universal joints on levers attached to the platform: one axis
 *              is across the lever and its hinge, the other along the actuator
 *
 * The other types need their loops in the list; without them the error lists the missing keys.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "model/joint_kind.h"
#include "vocabulary.h"

typedef enum closing { IN_PLANE, BALL, ON_LEVER, UNKNOWN } closing;

typedef struct built_in {
    const char *type;
    int platform, levers, legs, leg; /* numbers of platform joints, levers, legs, and joints per
                                        leg */
    closing closing;
    const char *missing; /* for UNKNOWN: why the loops are unknown */
    const char *remedy;
} built_in;

static const char linear_missing[] = "uses <mimic> of a separate URDF (file_path)";
static const char rods_missing[] = "has rods whose ends on the platform are not in the URDF";
static const char cranks_missing[] = "has rods whose joints at the cranks are not in the URDF";

static const char plane_remedy[] = "write loop_constraints: one from the slider's link to the "
                                   "platform's link, with the two constraint_axes of the plane";
static const char ball_remedy[] = "write loop_constraints: for each leg, one of type spherical "
                                  "from the slider's link to the platform's link";
static const char lever_remedy[] = "write loop_constraints: for each leg, one of type universal "
                                   "from the slider's link to the lever's link";
static const char rods_remedy[] =
    "write loop_constraints: for each rod, one of type spherical where it ends on the platform";
static const char cranks_remedy[] = "write loop_constraints: for each side, one where the rod "
                                    "meets the crank and one where the actuator meets the crank";
static const char linear_remedy[] = "write <mimic> or <coupling> into the URDF of the robot";

static const built_in types[] = {
    {"rrPr", 1, 0, 1, 2, IN_PLANE, NULL, plane_remedy},
    {"2SPU+1U", 2, 0, 2, 3, BALL, NULL, ball_remedy},
    {"6UPS", 6, 0, 6, 3, BALL, NULL, ball_remedy},
    {"2SPRR+1U", 2, 2, 2, 3, ON_LEVER, NULL, lever_remedy},
    {"3RUS2", 0, 0, 0, 0, UNKNOWN, rods_missing, rods_remedy},
    {"3RUS2_ANKLE", 0, 0, 0, 0, UNKNOWN, rods_missing, rods_remedy},
    {"2SURRPR+1U", 0, 0, 0, 0, UNKNOWN, cranks_missing, cranks_remedy},
    {"PARALLELOGRAMCHAIN", 0, 0, 0, 0, UNKNOWN, linear_missing, linear_remedy},
    {"TRANSMISSION", 0, 0, 0, 0, UNKNOWN, linear_missing, linear_remedy},
};

enum { most_joints = 24 }; /* of a type */

/* Tolerance of angles, which files round to five digits. A larger difference means another
   mechanism. */
static const double tolerance = 1e-3;

typedef struct mechanism {
    td_lists *l;
    const td_yaml_node *map;
    const built_in *type;
    int joint[most_joints];
    int count; /* number of movable joints in the list */
    bool closed;
} mechanism;

/* ---- the tree -------------------------------------------------------------------------------- */

static const td_joint *joint_at(const mechanism *m, int k)
{
    return td_lists_record(m->l, m->joint[k]);
}

/* Returns the first link of the rigid body that contains a link: the child of the next movable
   joint above, or the root. */
static const char *body_of(const mechanism *m, const char *link)
{
    int joint;
    while (link && (joint = td_zero_joint_above(&m->l->zero, link)) >= 0 && m->l->zero.steps > 0) {
        const td_joint *record = td_lists_record(m->l, joint);
        if (td_joint_kind_of(record->type)->nq > 0)
            break;
        m->l->zero.steps--;
        link = record->parent;
    }
    return link;
}

static bool same_body(const mechanism *m, const char *a, const char *b)
{
    const char *x = body_of(m, a), *y = body_of(m, b);
    return x && y && strcmp(x, y) == 0;
}

static bool turns(const td_joint *joint)
{
    return td_joint_is_scalar(joint->type) && td_joint_turns(joint->type);
}

/* Return the last joint of the platform, a lever, and the k-th joint of a leg. */
static const td_joint *platform_of(const mechanism *m)
{
    return joint_at(m, m->type->platform - 1);
}

static const td_joint *lever_of(const mechanism *m, int leg)
{
    return joint_at(m, m->type->platform + leg);
}

static const td_joint *leg_of(const mechanism *m, int leg, int k)
{
    return joint_at(m, m->type->platform + m->type->levers + leg * m->type->leg + k);
}

/* Returns how the joints differ from the type, or NULL if they match. */
static const char *check_tree(const mechanism *m)
{
    const built_in *t = m->type;
    if (m->count != t->platform + t->levers + t->legs * t->leg)
        return "has the wrong number of joints";
    for (int k = 0; k < m->count; k++)
        if (joint_at(m, k)->independent != (k < t->platform))
            return "has independent joints that are not exactly the joints of its platform";
    for (int k = 1; k < t->platform; k++)
        if (!same_body(m, joint_at(m, k)->parent, joint_at(m, k - 1)->child))
            return "has a platform whose joints are not in series";
    for (int k = 0; k < t->levers; k++)
        if (!same_body(m, lever_of(m, k)->parent, platform_of(m)->child) || !turns(lever_of(m, k)))
            return "has a lever that is not hinged to the platform";
    for (int leg = 0; leg < t->legs; leg++)
        for (int k = 0; k < t->leg; k++) {
            const td_joint *joint = leg_of(m, leg, k);
            const char *below = k ? leg_of(m, leg, k - 1)->child : joint_at(m, 0)->parent;
            bool last = k + 1 == t->leg;
            if (!same_body(m, joint->parent, below))
                return "has a leg whose joints do not lead from the base to its actuator";
            if (last ? !td_joint_slides(joint->type) : !turns(joint))
                return "has a leg that is not a series of hinges with a slider at the end";
        }
    return NULL;
}

/* ---- directions ------------------------------------------------------------------------------ */

static td_vec3 cross(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double length(td_vec3 a)
{
    return sqrt(td_vec3_dot(a, a));
}

static td_vec3 scaled(td_vec3 a, double factor)
{
    return (td_vec3){factor * a.x, factor * a.y, factor * a.z};
}

static td_vec3 unit(td_vec3 a)
{
    return scaled(a, 1 / length(a));
}

/* The axis of a joint, and the frame of its child link, in root coordinates with all joints at
   zero. The axis is a unit vector unless its length is zero. */
typedef struct line {
    td_mat3 rotation;
    td_vec3 axis, origin;
} line;

static line line_of(const mechanism *m, const td_joint *joint)
{
    td_frame3 frame;
    td_zero_frame(&m->l->zero, joint->child, &frame);
    td_vec3 axis = td_mat3_apply(frame.rotation, td_vec3_from(joint->axis));
    return (line){frame.rotation, length(axis) > 0 ? unit(axis) : axis, frame.position};
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Returns a loop from the slider of a leg to a link, with the name of the slider. */
static td_loop loop_at_end(const mechanism *m, int leg, td_loop_type type, const char *successor)
{
    const td_joint *slider = leg_of(m, leg, m->type->leg - 1);
    td_loop loop = td_loop_default(slider->name, slider->child, successor);
    loop.type = type;
    loop.source = td_lists_source(m->l, m->map);
    return loop;
}

/* Sets the loop's frames so that it is closed with all joints at zero, and adds it. */
static void add_loop(const mechanism *m, td_loop *loop)
{
    td_zero_between(&m->l->zero, loop->predecessor, &loop->predecessor_origin, loop->successor,
                    &loop->successor_origin);
    td_lists_fail(m->l, td_builder_add_loop(m->l->builder, loop));
}

/* Fixes the actuator's end to the platform in the plane of the mechanism. The hinges already
   constrain it normal to the plane, up to rounding in the file. */
static const char *close_in_plane(const mechanism *m, int leg, bool add)
{
    line pin = line_of(m, platform_of(m)), foot = line_of(m, leg_of(m, leg, 0)),
         slider = line_of(m, leg_of(m, leg, 1));
    if (!(length(cross(pin.axis, foot.axis)) < tolerance) ||
        !(fabs(td_vec3_dot(slider.axis, foot.axis)) < tolerance) || !(length(foot.axis) > 0))
        return "is not planar: its hinges are not parallel, or its slider is not perpendicular to "
               "them";
    td_loop loop = loop_at_end(m, leg, TD_LOOP_MASK, platform_of(m)->child);
    td_vec3 normal = td_mat3_apply(td_mat3_transpose(slider.rotation), foot.axis);
    td_mat3 along = td_frame_along(unit(normal));
    memcpy(loop.predecessor_origin.rotation, &along, sizeof loop.predecessor_origin.rotation);
    loop.mask = 8 | 16; /* no translation along x and y */
    if (add)
        add_loop(m, &loop);
    return NULL;
}

static const char *close_ball(const mechanism *m, int leg, bool add)
{
    td_loop loop = loop_at_end(m, leg, TD_LOOP_SPHERICAL, platform_of(m)->child);
    if (add)
        add_loop(m, &loop);
    return NULL;
}

/* The second axis is perpendicular to the hinge and the arm of the lever. It is rotated slightly if
   rounding keeps it from being perpendicular to the actuator, too. */
static const char *close_on_lever(const mechanism *m, int leg, bool add)
{
    line hinge = line_of(m, lever_of(m, leg)),
         slider = line_of(m, leg_of(m, leg, m->type->leg - 1));
    td_vec3 arm = td_vec3_add(slider.origin, scaled(hinge.origin, -1));
    td_vec3 across = cross(hinge.axis, arm);
    if (!(length(slider.axis) > 0) || !(length(across) > 0) ||
        !(fabs(td_vec3_dot(hinge.axis, arm)) < tolerance * length(arm)) ||
        !(fabs(td_vec3_dot(slider.axis, across)) < tolerance * length(across)))
        return "has a lever that is not perpendicular to its hinge, or an actuator outside the "
               "plane of lever and hinge";
    td_vec3 along = scaled(slider.axis, -td_vec3_dot(slider.axis, across));
    td_mat3 inverse =
        td_mat3_transpose(slider.rotation); /* the loop's frames have the slider's axes */
    td_vec3 second = td_mat3_apply(inverse, unit(td_vec3_add(across, along)));
    td_loop loop = loop_at_end(m, leg, TD_LOOP_UNIVERSAL, lever_of(m, leg)->child);
    memcpy(loop.axis, leg_of(m, leg, m->type->leg - 1)->axis, sizeof loop.axis);
    const double values[3] = {second.x, second.y, second.z};
    memcpy(loop.second_axis, values, sizeof loop.second_axis);
    if (add)
        add_loop(m, &loop);
    return NULL;
}

/* ---- all loops ------------------------------------------------------------------------------- */

/* Returns whether a dependent joint of the mechanism supports an end of a loop or coupling. The
   URDF then closes the mechanism itself. */
static bool is_closed(const mechanism *m, const char *end)
{
    int joint;
    for (; end && m->l->zero.steps > 0 && (joint = td_zero_joint_above(&m->l->zero, end)) >= 0;
         end = td_lists_record(m->l, joint)->parent) {
        m->l->zero.steps--;
        for (int k = 0; k < m->count && k < most_joints; k++)
            if (m->joint[k] == joint && td_lists_record(m->l, joint)->independent == 0)
                return true;
    }
    return false;
}

static bool has_loops(const mechanism *m)
{
    const td_records *records = &m->l->builder->records;
    bool closed = false;
    for (size_t i = 0; i < records->loop.count && !closed; i++)
        closed = is_closed(m, records->loop.at[i].predecessor) ||
                 is_closed(m, records->loop.at[i].successor);
    for (size_t i = 0; i < records->coupling.count && !closed; i++)
        closed = is_closed(m, records->coupling.at[i].predecessor) ||
                 is_closed(m, records->coupling.at[i].successor);
    return closed;
}

/* Adds the loops of the mechanism and returns NULL, or returns why they cannot be determined. */
static const char *close_all(const mechanism *m)
{
    static const char *(*const close[])(const mechanism *, int, bool) = {
        [IN_PLANE] = close_in_plane, [BALL] = close_ball, [ON_LEVER] = close_on_lever};
    const char *fault = check_tree(m);
    for (int pass = 0; pass < 2 && !fault; pass++)
        for (int leg = 0; leg < m->type->legs && !fault; leg++)
            fault = close[m->type->closing](m, leg, pass == 1);
    return fault;
}

static void collect(mechanism *m, const td_yaml_node *list, const char **open)
{
    for (const td_yaml_node *item = list ? list->first : NULL; item; item = item->next) {
        const char *name = item->kind == TD_YAML_SCALAR ? item->text : NULL;
        int joint = td_names_find(&m->l->joints, name);
        if (joint < 0 || td_joint_kind_of(td_lists_record(m->l, joint)->type)->nq == 0)
            continue;
        if (m->count < most_joints)
            m->joint[m->count] = joint;
        m->count++;
        const td_joint *record = td_lists_record(m->l, joint);
        if (!*open && record->independent == 0 && !record->mimic &&
            td_names_find(&m->l->followers, record->name) < 0)
            *open = record->name;
    }
}

void td_lists_type(td_lists *l, const td_yaml_node *map)
{
    mechanism m = {.l = l, .map = map};
    const td_yaml_node *type = td_lists_value(map, "type");
    const char *open = NULL;
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (type->kind == TD_YAML_SCALAR && strcmp(type->text, types[i].type) == 0)
            m.type = &types[i];
    if (!m.type)
        return;
    collect(&m, td_lists_value(map, "jointnames_spanningtree"), &open);
    if (!open || has_loops(&m))
        return;
    if (l->zero.steps == 0) {
        TD_LISTS_REPORT(l, TD_CODE_YAML_TOO_LARGE, map, "write loop_constraints",
                        "there are too many mechanisms to compute how their links are connected");
        return;
    }
    const char *fault = m.type->missing ? m.type->missing : close_all(&m);
    if (fault)
        TD_LISTS_REPORT(
            l, TD_CODE_SUBMECHANISM_OPEN, map, m.type->remedy,
            "the loops that determine joint '%.*s' are unknown: its mechanism of type %s %s",
            td_shown(open), open, m.type->type, fault);
}
