/* SPDX-License-Identifier: MIT */
/*
 * Turns bytes into calls of a builder. The robots have reasonable proportions and joints of all
 * types, mimic joints, curves, loops, couplings, springs, flexible links and transmissions. A third
 * of the loops close with all joints at zero. Another third are closed at every configuration and
 * only transmit forces; these may be parallel to curves. Frames of the remaining loops are
 * multiples of 1/8 m and of 1/8 of a half turn, so that some of them close.
 */
#include <math.h>

#include "../support/objects.h"
#include "fuzz.h"

enum { MOST_JOINTS = 10 };

static const char *link_name(unsigned i)
{
    static const char *const names[] = {"base", "l1", "l2", "l3", "l4", "l5",
                                        "l6",   "l7", "l8", "l9", "l10"};
    return names[i];
}

static const char *joint_name(unsigned i)
{
    static const char *const names[] = {"j1", "j2", "j3", "j4", "j5",
                                        "j6", "j7", "j8", "j9", "j10"};
    return names[i];
}

static td_pose read_pose(fuzz_bytes *in)
{
    td_pose pose;
    for (int i = 0; i < 3; i++)
        pose.position[i] = fuzz_number(in);
    const double quarter = acos(0);
    td_rotation_from_rpy(2 * quarter * fuzz_number(in), 2 * quarter * fuzz_number(in),
                         2 * quarter * fuzz_number(in), pose.rotation);
    return pose;
}

static void read_axis(fuzz_bytes *in, double axis[3])
{
    for (int i = 0; i < 3; i++)
        axis[i] = fuzz_number(in);
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        axis[fuzz_below(in, 3)] = 1;
}

/* Poses of the links in the base with all joints at zero, and of each joint on its parent link. */
typedef struct places {
    td_pose of[MOST_JOINTS + 1], on[MOST_JOINTS + 1];
    unsigned parent[MOST_JOINTS + 1];
} places;

/* Returns a b. */
static td_pose follow(const td_pose *a, const td_pose *b)
{
    td_pose to = *a;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            to.position[i] += a->rotation[3 * i + k] * b->position[k];
            double sum = 0;
            for (int j = 0; j < 3; j++)
                sum += a->rotation[3 * i + j] * b->rotation[3 * j + k];
            to.rotation[3 * i + k] = sum;
        }
    return to;
}

static td_pose inverse(const td_pose *a)
{
    td_pose to;
    for (int i = 0; i < 3; i++) {
        to.position[i] = 0;
        for (int k = 0; k < 3; k++) {
            to.rotation[3 * i + k] = a->rotation[3 * k + i];
            to.position[i] -= a->rotation[3 * k + i] * a->position[k];
        }
    }
    return to;
}

static void add_link(fuzz_bytes *in, td_builder *builder, unsigned i)
{
    td_link link = td_link_default(link_name(i));
    const double size = 0.1 + fabs(fuzz_number(in));
    link.has_inertial = fuzz_below(in, 8) > 0;
    link.mass = 0.1 + fabs(fuzz_number(in));
    link.inertial = read_pose(in);
    for (int k = 0; k < 6; k += k ? 2 : 3) /* ixx, iyy and izz of a box */
        link.inertia[k] = link.mass * size * size * (1 + 0.3 * fuzz_number(in)) / 6;
    td_builder_add_link(builder, &link);
}

static unsigned joint_types(void)
{
    unsigned count = 0;
    while (td_joint_kind_of((td_joint_type)count))
        count++;
    return count;
}

static void add_joint(fuzz_bytes *in, td_builder *builder, places *links, unsigned i)
{
    const td_joint_type type = (td_joint_type)fuzz_below(in, joint_types());
    const unsigned parent = fuzz_below(in, 3) ? i : fuzz_below(in, i + 1);
    td_joint joint = td_joint_default(joint_name(i), type, link_name(parent), link_name(i + 1));
    joint.origin = read_pose(in);
    links->of[i + 1] = follow(&links->of[parent], &joint.origin);
    links->on[i + 1] = joint.origin;
    links->parent[i + 1] = parent;
    read_axis(in, joint.axis);
    const unsigned more = fuzz_byte(in);
    joint.pitch = 0.5 * fuzz_number(in);
    if (more & 1) {
        joint.limit.lower = -0.5 + fuzz_number(in);
        joint.limit.upper = joint.limit.lower + 1 + fabs(fuzz_number(in));
        joint.limit.effort = joint.limit.velocity = 10;
    }
    if (more & 2) {
        joint.damping = fabs(fuzz_number(in));
        joint.friction = fabs(fuzz_number(in));
    }
    if (more & 4)
        joint.spring_stiffness = fabs(fuzz_number(in));
    if (i > 0 && (more & 24) == 24) {
        joint.mimic = joint_name(fuzz_below(in, i));
        joint.multiplier = fuzz_number(in);
        joint.offset = 0.1 * fuzz_number(in);
    }
    joint.independent = (more & 96) == 96 ? (int)fuzz_below(in, 2) : -1;
    td_builder_add_joint(builder, &joint);
}

static void add_more(fuzz_bytes *in, td_builder *builder, const places *links, unsigned joints)
{
    static const char *const names[] = {"m0", "m1", "m2", "m3"};
    for (unsigned k = fuzz_below(in, 5); k-- > 0;) {
        const unsigned first = fuzz_below(in, joints + 1), second = fuzz_below(in, joints + 1);
        const char *a = link_name(first), *b = link_name(second);
        const unsigned kind = fuzz_below(in, 7);
        switch (kind) {
        case 0:
        case 1: {
            td_loop loop = td_loop_default(names[k], a, b);
            loop.type = (td_loop_type)fuzz_below(in, TD_LOOP_MASK + 1);
            loop.predecessor_origin = read_pose(in);
            loop.successor_origin = read_pose(in);
            if (kind == 0) { /* closes at zero */
                const td_pose place = follow(&links->of[first], &loop.predecessor_origin);
                const td_pose back = inverse(&links->of[second]);
                loop.successor_origin = follow(&back, &place);
            }
            read_axis(in, loop.axis);
            read_axis(in, loop.second_axis);
            loop.mask = fuzz_below(in, 64);
            loop.distance = 0.2 + fabs(fuzz_number(in));
            td_builder_add_loop(builder, &loop);
            break;
        }
        case 2: {
            const td_coupling coupling = td_coupling_default(names[k], a, b, 2 * fuzz_number(in));
            td_builder_add_coupling(builder, &coupling);
            break;
        }
        case 3: {
            td_spring spring = td_spring_default(names[k], a, b);
            spring.predecessor_origin = read_pose(in);
            spring.successor_origin = read_pose(in);
            spring.stiffness = 10 * fabs(fuzz_number(in));
            spring.damping = fabs(fuzz_number(in));
            td_builder_add_spring(builder, &spring);
            break;
        }
        case 4: {
            td_flexible beam = td_flexible_default(a);
            read_axis(in, beam.axis);
            beam.length = 0.5 + fabs(fuzz_number(in));
            beam.across[0] = beam.axis[1];
            beam.across[1] = beam.axis[2] + 1;
            beam.bending_stiffness[0] = 10 + 5 * fuzz_number(in);
            beam.mass_per_length = 1 + 0.5 * fuzz_number(in);
            beam.segments = (int)fuzz_below(in, 5);
            td_builder_add_flexible(builder, &beam);
            break;
        }
        case 5: { /* closed at every configuration: transmits forces only */
            const unsigned child = second ? second : 1;
            td_loop loop =
                td_loop_default(names[k], link_name(links->parent[child]), link_name(child));
            loop.type = TD_LOOP_SPHERICAL;
            loop.predecessor_origin = links->on[child];
            td_builder_add_loop(builder, &loop);
            break;
        }
        default: {
            td_transmission record =
                td_transmission_default(names[k], joint_name(fuzz_below(in, joints)));
            record.mechanical_reduction = 1 + fuzz_number(in);
            record.rotor_inertia = 0.01 * fabs(fuzz_number(in));
            record.ratio = fuzz_number(in);
            record.actuator = names[k];
            td_builder_add_transmission(builder, &record);
            if (fuzz_below(in, 2) == 0)
                break;
            record.joint = joint_name(fuzz_below(in, joints)); /* the same motor pulls it, too */
            record.ratio = fuzz_number(in);
            record.damping = 0.01 * fabs(fuzz_number(in));
            td_builder_add_transmission(builder, &record);
        }
        }
    }
}

/* Adds joints that depend on others through a polynomial or a sine. */
static void add_followers(fuzz_bytes *in, td_builder *builder, unsigned joints)
{
    for (unsigned k = fuzz_below(in, 3); k-- > 0 && joints > 1;) {
        const unsigned joint = 1 + fuzz_below(in, joints - 1);
        const td_curve_type type = fuzz_below(in, 2) ? TD_CURVE_SINE : TD_CURVE_POLYNOMIAL;
        td_curve curve = td_curve_default(type, joint_name(fuzz_below(in, joint)));
        double coefficient[4] = {0};
        for (size_t i = 1; i < 4; i++)
            coefficient[i] = 0.5 * fuzz_number(in);
        curve.coefficient = coefficient;
        curve.coefficients = 2 + fuzz_below(in, 3);
        curve.amplitude = fuzz_number(in);
        curve.frequency = 1 + fuzz_number(in);
        curve.phase = 0.5 * fuzz_number(in);
        td_follower follower = td_follower_default(joint_name(joint));
        follower.curve = &curve;
        follower.curves = 1;
        td_builder_add_follower(builder, &follower);
    }
}

td_builder *fuzz_robot(fuzz_bytes *in)
{
    places links = {.of = {{{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}}};
    td_builder *builder = new_builder("fuzz");
    const unsigned joints = 1 + fuzz_below(in, MOST_JOINTS);
    for (unsigned i = 0; i <= joints; i++)
        add_link(in, builder, i);
    for (unsigned i = 0; i < joints; i++)
        add_joint(in, builder, &links, i);
    add_more(in, builder, &links, joints);
    add_followers(in, builder, joints);
    return builder;
}
