/* SPDX-License-Identifier: MIT */
/*
 * Robots with loops.
 */
#include "loop_robots.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- chains ---------------------------------------------------------------------------------- */

/* where the joints are at q = 0, in the plane x, z: the crank's end from the ground, the coupler's
   from there, and the rocker's joint on the ground */
typedef struct shape {
    double crank[2], coupler[2], ground;
} shape;

static const shape crank_rocker = {{0, 0.2}, {0.5, 0.3}, 0.5};
static const shape parallelogram = {{0, 0.3}, {0.4, 0}, 0.4};

/* a rod with some width from the origin to there */
static void add_rod(td_builder *builder, const char *name, const double end[2])
{
    td_link link = td_link_default(name);
    double length2 = end[0] * end[0] + end[1] * end[1];
    link.has_inertial = true;
    link.mass = 0.8;
    link.inertial.position[0] = end[0] / 2;
    link.inertial.position[1] = 0.01;
    link.inertial.position[2] = end[1] / 2;
    link.inertia[0] = link.inertia[3] = link.inertia[5] = link.mass * (length2 + 0.01) / 12;
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_OK);
}

/* about y at x, z of the parent, turned about z by that angle */
static td_joint hinge(const char *name, const char *parent, const char *child, double x, double z,
                      double turn)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    memcpy(joint.axis, (double[]){0, 1, 0}, sizeof joint.axis);
    td_rotation_from_rpy(0, 0, turn, joint.origin.rotation);
    joint.origin.position[0] = x;
    joint.origin.position[2] = z;
    return joint;
}

static void follow(td_joint *joint, bool mimic, const char *leader, double multiplier)
{
    if (mimic) {
        joint->mimic = leader;
        joint->multiplier = multiplier;
    } else {
        joint->independent = 0;
    }
}

static void add_joint(td_builder *builder, const td_joint *joint)
{
    ck_assert_int_eq(td_builder_add_joint(builder, joint), TD_OK);
}

static void add_four_bar(td_builder *builder, size_t i, unsigned kind)
{
    char motor[40], crank[40], coupler[40], rocker[40], pin[40], ground[48] = "base", links[4][48];
    const shape *s = kind & CHAIN_OF_PARALLELOGRAMS ? &parallelogram : &crank_rocker;
    bool mimic = kind & CHAIN_CUT, geared = kind & CHAIN_GEARED;
    double turn = i ? 0.7 : 0, rate = geared ? 0.3 : 1;
    const double tip[2] = {s->crank[0] + s->coupler[0] - s->ground, s->crank[1] + s->coupler[1]};
    snprintf(motor, sizeof motor, "motor%zu", i);
    snprintf(crank, sizeof crank, "crank%zu", i);
    snprintf(coupler, sizeof coupler, "coupler%zu", i);
    snprintf(rocker, sizeof rocker, "rocker%zu", i);
    snprintf(pin, sizeof pin, "pin%zu", i);
    snprintf(links[0], sizeof links[0], "crank_link%zu", i);
    snprintf(links[1], sizeof links[1], "coupler_link%zu", i);
    snprintf(links[2], sizeof links[2], "rocker_link%zu", i);
    snprintf(links[3], sizeof links[3], "flywheel%zu", i);
    if (i)
        snprintf(ground, sizeof ground, "coupler_link%zu", i - 1);
    add_rod(builder, links[0], s->crank);
    add_rod(builder, links[1], s->coupler);
    add_rod(builder, links[2], tip);
    td_joint joint = hinge(crank, ground, links[0], 0, 0, turn);
    if (geared) {
        td_joint drive = hinge(motor, ground, links[3], 0, 0, turn);
        add_rod(builder, links[3], (double[]){0, 0.1});
        add_joint(builder, &drive);
        follow(&joint, true, motor, rate);
    }
    add_joint(builder, &joint);
    joint = hinge(coupler, links[0], links[1], s->crank[0], s->crank[1], 0);
    follow(&joint, mimic, geared ? motor : crank, -rate);
    add_joint(builder, &joint);
    joint = hinge(rocker, ground, links[2], 0, 0, turn);
    joint.origin.position[0] = s->ground * joint.origin.rotation[0];
    joint.origin.position[1] = s->ground * joint.origin.rotation[3];
    follow(&joint, mimic, geared ? motor : crank, rate);
    add_joint(builder, &joint);
    td_loop loop = td_loop_default(pin, links[1], links[2]);
    memcpy(loop.axis, (double[]){0, 1, 0}, sizeof loop.axis);
    loop.predecessor_origin.position[0] = s->coupler[0];
    loop.predecessor_origin.position[2] = s->coupler[1];
    loop.successor_origin.position[0] = tip[0];
    loop.successor_origin.position[2] = tip[1];
    if (!mimic)
        ck_assert_int_eq(td_builder_add_loop(builder, &loop), TD_OK);
}

td_builder *chain_of_four_bars(size_t modules, unsigned kind)
{
    td_builder *builder = td_builder_new("four-bars");
    td_link base = td_link_default("base");
    ck_assert_int_eq(td_builder_add_link(builder, &base), TD_OK);
    for (size_t i = 0; i < modules; i++)
        add_four_bar(builder, i, kind);
    return builder;
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

const loop_robot loop_robots[] = {
    {NULL, 1, TD_BASE_FIXED, 6},
    {NULL, 6, TD_BASE_FLOATING, 3},
#if TANDEM_HAS_URDF
    {"four_bar.urdf", 0, TD_BASE_FIXED, 6},
    {"stephenson.urdf", 0, TD_BASE_FIXED, 6},
    {"larm_leg.urdf", 0, TD_BASE_FIXED, 6},
    {"pasibot_leg.urdf", 0, TD_BASE_FLOATING, 6},
    {"five_bar.urdf", 0, TD_BASE_FIXED, 0.08},
    {"capaman.urdf", 0, TD_BASE_FIXED, 0.8},
    {"goldberg_5r.urdf", 0, TD_BASE_FIXED, 1},
    {"goldberg_6r.urdf", 0, TD_BASE_FIXED, 0.2},
    {"spherical_3rpr.urdf", 0, TD_BASE_FIXED, 0.02},
    {"stewart.urdf", 0, TD_BASE_FLOATING, 0.03},
    {"linear_leg.urdf", 0, TD_BASE_FLOATING, 0.3},
#endif
};
const size_t loop_robot_count = COUNT(loop_robots);

td_model *loop_robot_load(const loop_robot *robot)
{
    td_load_options options = td_load_options_default();
    options.base = robot->base;
#if TANDEM_HAS_URDF
    if (robot->file)
        return td_load_robot(robot->file, &options);
#endif
    td_model *model;
    td_builder *builder = chain_of_four_bars(robot->modules, CHAIN_OF_CRANK_ROCKERS);
    ck_assert_int_eq(td_builder_finish(builder, &options, NULL, &model), TD_OK);
    td_builder_free(builder);
    return model;
}

void loop_robot_state(td_random *random, const loop_robot *robot, const td_model *model, double *y)
{
    td_random_configuration(random, model, false, 1, y);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint_place at = td_joint_place_at(model, i);
        for (int k = 0; at.y >= 0 && at.nq == 1 && k < at.nq; k++)
            y[at.y + k] = td_reference(model)[at.q + k] + robot->reach * y[at.y + k];
    }
}
