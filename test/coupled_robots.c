/* SPDX-License-Identifier: MIT */
/*
 * Robots with mimic joints.
 */
#include "coupled_robots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_link(td_builder *builder, const td_link *link)
{
    assert_ok(td_builder_add_link(builder, link));
}

static void add_joint(td_builder *builder, const td_joint *joint)
{
    assert_ok(td_builder_add_joint(builder, joint));
}

/* adds a solid box of the given length, centered at x, y, z */
static void add_box(td_builder *builder, const char *name, double mass, double x, double y,
                    double z, double length)
{
    td_link link = td_link_default(name);
    const double width = 0.2 * length;
    link.has_inertial = true;
    link.mass = mass;
    link.inertial.position[0] = x;
    link.inertial.position[1] = y;
    link.inertial.position[2] = z;
    double across = mass * (length * length + width * width) / 12;
    link.inertia[0] = x != 0 ? mass * width * width / 6 : across;
    link.inertia[3] = y != 0 ? mass * width * width / 6 : across;
    link.inertia[5] = z != 0 ? mass * width * width / 6 : across;
    add_link(builder, &link);
}

static td_joint hinge(const char *name, const char *parent, const char *child, double x, double y,
                      double z)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    joint.origin.position[0] = x;
    joint.origin.position[1] = y;
    joint.origin.position[2] = z;
    return joint;
}

static void follow(td_joint *joint, const char *leader, double multiplier, double offset)
{
    joint->mimic = leader;
    joint->multiplier = multiplier;
    joint->offset = offset;
}

/* ---- parallelograms -------------------------------------------------------------------------- */

td_builder *coupled_parallelograms(size_t modules)
{
    const double side = 0.3, width = 0.2;
    td_builder *builder = test_builder("parallelograms");
    char crank[40], coupler[40], rocker[40], base[48] = "base", links[3][48];
    add_box(builder, base, 2, 0, 0, 0.05, 0.2);
    for (size_t i = 0; i < modules; i++) {
        snprintf(crank, sizeof crank, "crank%zu", i);
        snprintf(coupler, sizeof coupler, "coupler%zu", i);
        snprintf(rocker, sizeof rocker, "rocker%zu", i);
        snprintf(links[0], sizeof links[0], "crank_link%zu", i);
        snprintf(links[1], sizeof links[1], "coupler_link%zu", i);
        snprintf(links[2], sizeof links[2], "rocker_link%zu", i);
        add_box(builder, links[0], 0.5, 0, side / 2, 0, side);
        add_box(builder, links[1], 0.4, width / 2, 0, 0, width);
        add_box(builder, links[2], 0.5, 0, side / 2, 0, side);

        td_joint joint = hinge(crank, base, links[0], 0, i ? 0.1 : 0, 0);
        /* each module is mounted obliquely on the one below, so the chain is not planar */
        td_rotation_from_rpy(0, 0.4 * (double)(i % 3), 0, joint.origin.rotation);
        memcpy(joint.axis, (double[]){0, 0, 1}, sizeof joint.axis);
        td_joint beside = joint;
        add_joint(builder, &joint);

        beside.name = rocker;
        beside.child = links[2];
        for (int k = 0; k < 3; k++) /* width is measured along the module's x axis */
            beside.origin.position[k] += width * joint.origin.rotation[3 * k];
        follow(&beside, crank, 1, 0);
        add_joint(builder, &beside);

        joint = hinge(coupler, links[0], links[1], 0, side, 0);
        memcpy(joint.axis, (double[]){0, 0, 1}, sizeof joint.axis);
        follow(&joint, crank, -1, 0);
        add_joint(builder, &joint);
        strcpy(base, links[1]);
    }
    return builder;
}

/* ---- hand on an arm -------------------------------------------------------------------------- */

td_builder *coupled_hand_on_arm(void)
{
    td_builder *builder = test_builder("hand_on_arm");
    char name[32], parent[32] = "base", child[32], leader[32];
    add_box(builder, "base", 4, 0, 0, 0.05, 0.2);
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "arm%d", i);
        snprintf(child, sizeof child, "arm_link%d", i);
        add_box(builder, child, 3 - 0.35 * i, 0, 0, 0.1, 0.2);
        td_joint joint = hinge(name, parent, child, 0, 0, i ? 0.2 : 0.1);
        memcpy(joint.axis, (double[]){0, i % 2, (i + 1) % 2}, sizeof joint.axis);
        add_joint(builder, &joint);
        strcpy(parent, child);
    }
    for (int finger = 0; finger < 4; finger++)
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "finger%d_%d", finger, k);
            snprintf(child, sizeof child, "finger_link%d_%d", finger, k);
            if (k == 0)
                strcpy(parent, "arm_link6");
            else
                snprintf(parent, sizeof parent, "finger_link%d_%d", finger, k - 1);
            add_box(builder, child, 0.06 - 0.015 * k, 0, 0, 0.02, 0.04);
            td_joint joint =
                hinge(name, parent, child, 0, k ? 0 : 0.025 * finger - 0.0375, k ? 0.04 : 0.2);
            memcpy(joint.axis, (double[]){1, 0, 0}, sizeof joint.axis);
            if (k > 0) {
                snprintf(leader, sizeof leader, "finger%d_%d", finger, k - 1);
                follow(&joint, leader, k == 1 ? 0.9 : 0.6, 0.05);
            }
            add_joint(builder, &joint);
        }
    return builder;
}

/* ---- random parts ---------------------------------------------------------------------------- */

/* returns a random number of either sign with a magnitude between 0.4 and 1.6 */
static double factor(td_random *random)
{
    double x = 1 + 0.6 * td_random_number(random);
    return td_random_below(random, 2) ? x : -x;
}

static void random_link(td_random *random, td_builder *builder, const char *name)
{
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 1.5 + td_random_number(random);
    td_random_fill(random, 3, link.inertial.position);
    for (int i = 0; i < 3; i++)
        link.inertial.position[i] *= 0.3;
    td_random_rotation(random, link.inertial.rotation);
    double a = 0.11 + 0.1 * td_random_number(random), b = 0.11 + 0.1 * td_random_number(random),
           c = 0.11 + 0.1 * td_random_number(random); /* second moments */
    link.inertia[0] = b + c;
    link.inertia[3] = a + c;
    link.inertia[5] = a + b;
    add_link(builder, &link);
}

static bool is_scalar(td_joint_type type)
{
    return td_joint_kind_of(type)->nq == 1;
}

/* sets everything but names and mimic; every third scalar joint has a rotor */
static td_joint random_joint(td_random *random, td_builder *builder, td_joint_type type,
                             const char *name, const char *parent, const char *child)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    td_random_fill(random, 3, joint.origin.position);
    td_random_rotation(random, joint.origin.rotation);
    do
        td_random_fill(random, 3, joint.axis);
    while (fabs(joint.axis[0]) + fabs(joint.axis[1]) + fabs(joint.axis[2]) < 0.1);
    if (type == TD_JOINT_SCREW)
        joint.pitch = factor(random);
    if (!is_scalar(type))
        return joint;
    joint.limit.lower = -4;
    joint.limit.upper = 4;
    joint.damping = 0.5 + 0.5 * td_random_number(random);
    joint.friction = 0.5 + 0.5 * td_random_number(random);
    joint.spring_stiffness = 5 + 5 * td_random_number(random);
    joint.spring_reference = td_random_number(random);
    if (td_random_below(random, 3) == 0) {
        char label[40];
        snprintf(label, sizeof label, "of_%s", name);
        td_transmission transmission = td_transmission_default(label, name);
        transmission.actuator = label;
        transmission.mechanical_reduction = factor(random) * 10;
        transmission.rotor_inertia = 1e-3;
        assert_ok(td_builder_add_transmission(builder, &transmission));
    }
    return joint;
}

enum { MOST = 128 };

td_builder *coupled_random(td_random *random, size_t joints)
{
    static const td_joint_type types[] = {
        TD_JOINT_REVOLUTE, TD_JOINT_CONTINUOUS, TD_JOINT_PRISMATIC,
        TD_JOINT_REVOLUTE, TD_JOINT_PLANAR,     TD_JOINT_FLOATING,
        TD_JOINT_SCREW,    TD_JOINT_BALL,       TD_JOINT_UNIVERSAL};
    enum { TYPES = sizeof types / sizeof *types }; /* revolute twice, fixed never */
    ck_assert_msg(!td_joint_kind_of((td_joint_type)TYPES),
                  "coupled robots have no joints of a type");
    td_builder *builder = test_builder("coupled");
    char names[MOST][16], parent[32], child[32];
    td_joint_type type_of[MOST];
    size_t scalars[MOST], scalar_count = 0, count = 0, leader_of[MOST];

    ck_assert_uint_le(joints, MOST / 2);
    for (size_t movable = 0; movable < joints && count < MOST; count++) {
        bool fixed = td_random_below(random, 8) == 0;
        type_of[count] = fixed ? TD_JOINT_FIXED : types[td_random_below(random, TYPES)];
        snprintf(names[count], sizeof names[count], "joint%zu", count);
        leader_of[count] = MOST;
        if (is_scalar(type_of[count]))
            scalars[scalar_count++] = count;
        movable += !fixed;
    }
    /* random order of the scalar joints; each may follow only earlier ones, so there are no cycles
     */
    for (size_t i = scalar_count; i > 1; i--) {
        size_t k = td_random_below(random, i), joint = scalars[k];
        scalars[k] = scalars[i - 1];
        scalars[i - 1] = joint;
    }
    for (size_t i = 1; i < scalar_count; i++)
        if (td_random_below(random, 2))
            leader_of[scalars[i]] = scalars[td_random_below(random, i)];

    /* tree shapes range from chains to bushes */
    size_t reach = 1 + td_random_below(random, 6);
    random_link(random, builder, "link0");
    for (size_t i = 0; i < count; i++) {
        size_t near = i + 1 < reach ? i + 1 : reach;
        snprintf(parent, sizeof parent, "link%zu", i - td_random_below(random, near));
        snprintf(child, sizeof child, "link%zu", i + 1);
        random_link(random, builder, child);
        td_joint joint = random_joint(random, builder, type_of[i], names[i], parent, child);
        if (leader_of[i] < MOST)
            follow(&joint, names[leader_of[i]], factor(random), td_random_number(random));
        add_joint(builder, &joint);
    }
    return builder;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* Joint i (from 1) carries link i and is mounted on the link given by the i-th digit of `parents`.
   Types: r, p, l (planar), f (floating), s (screw), b (ball), u (universal). `leaders` gives the
   joint that each joint follows, '.' for none. */
static const struct {
    const char *parents, *types, *leaders;
} cases[] = {
    {"012345", "rrrrrr", "....2."},    {"012345", "rrrrrr", ".5...."},
    {"012345", "rrlfrr", "....2."},    {"012345", "rrfrrr", ".5...."},
    {"01230", "rrrrr", "....4"},       {"01230", "rrrrr", "...5."},
    {"012314", "frrrrr", "....4."},    {"0120456", "rrrrrrr", "...33.3"},
    {"012345", "rrrprp", "..1213"},    {"012345", "rrrrrr", "..12.."},
    {"0120340", "rrrprrr", "..6..71"}, {"0103", "rprr", "..21"},
    {"01200", "rrfrp", "....1"},       {"012340678", "rrrrrrrrr", "....9.3.1"},
    {"012345", "rsbusr", "....2."},    {"0123456", "usrbrsu", "..6.2.."},
};

const char *const coupled_case_names[] = {
    "5 follows 2 on the path 2-3-4-5",
    "the ancestor 2 follows its descendant 5",
    "planar and floating joints between leader and follower",
    "a floating joint between leader and an ancestor that follows",
    "follower near the root, leader deep on another branch",
    "follower deep, leader near the root of another branch",
    "leader and follower on branches above a floating joint",
    "three nested followers of a leader on another branch",
    "chains of followers along one path, types mixed",
    "two clusters that interleave on one path",
    "a chain of followers across three branches and back to the first",
    "two clusters that cross between two branches",
    "a prismatic joint follows a revolute one, a floating branch beside",
    "two long branches coupled twice",
    "a screw, a ball and a universal joint between leader and follower",
    "screws that lead and follow across a ball and a universal joint",
    NULL,
};

td_builder *coupled_case(size_t i, td_random *random)
{
    td_builder *builder = test_builder(coupled_case_names[i]);
    random_link(random, builder, "link0");
    size_t count = strlen(cases[i].parents);
    ck_assert_uint_eq(strlen(cases[i].types), count);
    ck_assert_uint_eq(strlen(cases[i].leaders), count);
    for (size_t k = 0; k < count; k++) {
        char name[32], parent[32], child[32], leader[32];
        snprintf(name, sizeof name, "joint%zu", k + 1);
        snprintf(child, sizeof child, "link%zu", k + 1);
        snprintf(parent, sizeof parent, "link%c", cases[i].parents[k]);
        snprintf(leader, sizeof leader, "joint%c", cases[i].leaders[k]);
        td_joint_type type = cases[i].types[k] == 'r'   ? TD_JOINT_CONTINUOUS
                             : cases[i].types[k] == 'p' ? TD_JOINT_PRISMATIC
                             : cases[i].types[k] == 'l' ? TD_JOINT_PLANAR
                             : cases[i].types[k] == 's' ? TD_JOINT_SCREW
                             : cases[i].types[k] == 'b' ? TD_JOINT_BALL
                             : cases[i].types[k] == 'u' ? TD_JOINT_UNIVERSAL
                                                        : TD_JOINT_FLOATING;
        random_link(random, builder, child);
        td_joint joint = random_joint(random, builder, type, name, parent, child);
        if (cases[i].leaders[k] != '.')
            follow(&joint, leader, factor(random), td_random_number(random));
        add_joint(builder, &joint);
    }
    return builder;
}
