/* SPDX-License-Identifier: MIT */
/*
 * Robots with loops.
 */
#include "loop_robots.h"
#include "algebra.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- chains ---------------------------------------------------------------------------------- */

/* joints at q = 0 in the plane x, z: the crank's end relative to the ground, the coupler's end
   relative to that, and the rocker's joint on the ground */
typedef struct shape {
    double crank[2], coupler[2], ground;
} shape;

static const shape crank_rocker = {{0, 0.2}, {0.5, 0.3}, 0.5};
static const shape parallelogram = {{0, 0.3}, {0.4, 0}, 0.4};

/* a rod of some width from the origin to that point */
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
    assert_ok(td_builder_add_link(builder, &link));
}

/* adds a joint about y at (x, z) of the parent, rotated about z by the given angle */
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
    assert_ok(td_builder_add_joint(builder, joint));
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
        assert_ok(td_builder_add_loop(builder, &loop));
}

td_builder *chain_of_four_bars(size_t modules, unsigned kind)
{
    td_builder *builder = test_builder("four-bars");
    td_link base = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &base));
    for (size_t i = 0; i < modules; i++)
        add_four_bar(builder, i, kind);
    return builder;
}

/* ---- sliders --------------------------------------------------------------------------------- */

const char *const plane_slider_joints[PLANE_JOINTS] = {"R1", "R2", "R3", "P"};
static const char *const slider_links[PLANE_JOINTS] = {"A", "B", "C", "D"};

/* expresses a frame in another one, both given in world coordinates */
static td_pose in_frame(const td_pose *outer, const td_pose *inner)
{
    td_pose pose;
    double way[3];
    for (int k = 0; k < 3; k++) {
        double column[3] = {inner->rotation[k], inner->rotation[3 + k], inner->rotation[6 + k]};
        double turned[3];
        vec_turn_back(outer->rotation, column, turned);
        for (int i = 0; i < 3; i++)
            pose.rotation[3 * i + k] = turned[i];
        way[k] = inner->position[k] - outer->position[k];
    }
    vec_turn_back(outer->rotation, way, pose.position);
    return pose;
}

/* the loop in world coordinates */
typedef struct slider_space {
    td_random random;
    td_pose plane, link[PLANE_JOINTS];
    double place[PLANE_JOINTS][2], flip[PLANE_JOINTS];
} slider_space;

/* a frame at a joint with any heading; its height is also free */
static td_pose joint_frame(slider_space *s, int j)
{
    td_pose pose;
    double point[3] = {s->place[j][0], s->place[j][1], 0.2 * td_random_number(&s->random)};
    td_random_rotation(&s->random, pose.rotation);
    vec_turn(s->plane.rotation, point, pose.position);
    for (int k = 0; k < 3; k++)
        pose.position[k] += s->plane.position[k];
    return pose;
}

static void slider_axis(const plane_slider *p, const slider_space *s, int j, double axis[3])
{
    double along = s->flip[j] * cos(p->tilt[j]), off = s->flip[j] * sin(p->tilt[j]);
    vec_turn(s->plane.rotation,
             j == PLANE_P ? (double[]){along, 0, off} : (double[]){0, off, along}, axis);
}

static void add_slider_link(td_builder *builder, slider_space *s, const char *name)
{
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 1 + 0.5 * td_random_number(&s->random);
    for (int k = 0; k < 3; k++)
        link.inertial.position[k] = 0.1 * td_random_number(&s->random);
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.01;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_slider_joint(td_builder *builder, const plane_slider *p, slider_space *s, int j,
                             int parent, int child)
{
    td_joint joint = td_joint_default(plane_slider_joints[j],
                                      j == PLANE_P ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                                      slider_links[parent], slider_links[child]);
    double axis[3];
    s->link[child] = joint_frame(s, j);
    slider_axis(p, s, j, axis);
    vec_turn_back(s->link[child].rotation, axis, joint.axis);
    joint.origin = in_frame(&s->link[parent], &s->link[child]);
    joint.limit.lower = -20;
    joint.limit.upper = 20;
    if (j == p->independent && p->gear != 0) {
        joint.mimic = "motor";
        joint.multiplier = p->gear;
    } else {
        joint.independent = j == p->independent;
    }
    add_joint(builder, &joint);
}

/* the loop's frames have z along the axis, so that a mask is equivalent */
static void add_slider_loop(td_builder *builder, const plane_slider *p, slider_space *s)
{
    enum { REVOLUTE = 0x3b, PRISMATIC = 0x1f };
    int j = p->cut, ends[2] = {j, (j + 1) % PLANE_JOINTS};
    bool turned = td_random_below(&s->random, 2);
    int predecessor = ends[turned], successor = ends[!turned];
    td_loop loop =
        td_loop_default(plane_slider_joints[j], slider_links[predecessor], slider_links[successor]);
    td_pose frame = joint_frame(s, j);
    double z[3], heading[3] = {0}, x[3], length = 0;
    slider_axis(p, s, j, z);
    for (int k = 0; k < 3; k++)
        heading[k] = td_random_number(&s->random);
    for (int k = 0; k < 3; k++) {
        x[k] = heading[(k + 1) % 3] * z[(k + 2) % 3] - heading[(k + 2) % 3] * z[(k + 1) % 3];
        length += x[k] * x[k];
    }
    for (int k = 0; k < 3; k++)
        x[k] /= sqrt(length);
    for (int k = 0; k < 3; k++) {
        frame.rotation[3 * k] = x[k];
        frame.rotation[3 * k + 1] =
            z[(k + 1) % 3] * x[(k + 2) % 3] - z[(k + 2) % 3] * x[(k + 1) % 3];
        frame.rotation[3 * k + 2] = z[k];
    }
    loop.predecessor_origin = in_frame(&s->link[predecessor], &frame);
    for (int k = 0; k < 3 && j == PLANE_P; k++)
        frame.position[k] += 0.07 * z[k];
    loop.successor_origin = in_frame(&s->link[successor], &frame);
    memcpy(loop.axis, (double[]){0, 0, 1}, sizeof loop.axis);
    loop.type = j == PLANE_P ? TD_LOOP_PRISMATIC : TD_LOOP_REVOLUTE;
    if (p->masked) {
        loop.type = TD_LOOP_MASK;
        loop.mask = j == PLANE_P ? PRISMATIC : REVOLUTE;
    }
    assert_ok(td_builder_add_loop(builder, &loop));
}

td_builder *plane_slider_builder(const plane_slider *p, double sense[PLANE_JOINTS])
{
    td_builder *builder = test_builder("slider");
    slider_space s = {.random = {p->seed}};
    const double x = p->a * cos(p->alpha), y = p->a * sin(p->alpha);
    memcpy(s.place[PLANE_R2], (double[]){x, y}, sizeof *s.place);
    memcpy(s.place[PLANE_R3], (double[]){x + p->b * cos(p->delta), y + p->b * sin(p->delta)},
           sizeof *s.place);
    memcpy(s.place[PLANE_P], (double[]){0.3, -0.1}, sizeof *s.place);
    td_random_rotation(&s.random, s.plane.rotation);
    for (int k = 0; k < 3; k++)
        s.plane.position[k] = td_random_number(&s.random);
    for (int j = 0; j < PLANE_JOINTS; j++)
        s.flip[j] = td_random_below(&s.random, 2) ? 1 : -1;
    s.link[p->ground] = (td_pose)TD_POSE_IDENTITY;
    for (int k = 0; k < PLANE_JOINTS; k++)
        add_slider_link(builder, &s, slider_links[k]);
    if (p->gear != 0) {
        td_joint motor =
            td_joint_default("motor", TD_JOINT_CONTINUOUS, slider_links[p->ground], "flywheel");
        add_slider_link(builder, &s, "flywheel");
        add_joint(builder, &motor);
    }
    for (int k = p->ground; k != p->cut; k = (k + 1) % PLANE_JOINTS) {
        add_slider_joint(builder, p, &s, k, k, (k + 1) % PLANE_JOINTS);
        sense[k] = s.flip[k];
    }
    for (int k = p->ground; (k + 3) % PLANE_JOINTS != p->cut; k = (k + 3) % PLANE_JOINTS) {
        int j = (k + 3) % PLANE_JOINTS;
        add_slider_joint(builder, p, &s, j, k, j);
        sense[j] = -s.flip[j];
    }
    sense[p->cut] = 0;
    add_slider_loop(builder, p, &s);
    return builder;
}

/* ---- mechanisms ------------------------------------------------------------------------------ */

static const plane_slider sliders[] = {
    {0.2, 0.7, 0.5, -0.4, 0, PLANE_P, PLANE_R1, false, 0, 1, {0}},  /* crank and slider */
    {0.15, 0.5, 1.8, 0.3, 1, PLANE_R3, PLANE_R2, false, 0, 2, {0}}, /* actuator across a hinge */
    {0.4, 0.5, 0.4, 1.6, 2, PLANE_R1, PLANE_P, false, 0, 3, {0}},   /* the independent joint */
};

const loop_robot loop_robots[] = {
    {NULL, 1, TD_BASE_FIXED, 6, NULL},
    {NULL, 6, TD_BASE_FLOATING, 3, NULL},
#if TANDEM_HAS_URDF
    {"four_bar.urdf", 0, TD_BASE_FIXED, 6, NULL},
    {"stephenson.urdf", 0, TD_BASE_FIXED, 6, NULL},
    {"larm_leg.urdf", 0, TD_BASE_FIXED, 6, NULL},
    {"pasibot_leg.urdf", 0, TD_BASE_FLOATING, 6, NULL},
    {"five_bar.urdf", 0, TD_BASE_FIXED, 0.08, NULL},
    {"capaman.urdf", 0, TD_BASE_FIXED, 0.8, NULL},
    {"goldberg_5r.urdf", 0, TD_BASE_FIXED, 1, NULL},
    {"goldberg_6r.urdf", 0, TD_BASE_FIXED, 0.2, NULL},
    {"spherical_3rpr.urdf", 0, TD_BASE_FIXED, 0.02, NULL},
    {"stewart.urdf", 0, TD_BASE_FLOATING, 0.03, NULL},
    {"linear_leg.urdf", 0, TD_BASE_FLOATING, 0.3, NULL},
#endif
    {NULL, 0, TD_BASE_FIXED, 6, &sliders[0]},
    {NULL, 0, TD_BASE_FLOATING, 6, &sliders[1]},
    {NULL, 0, TD_BASE_FIXED, 0.15, &sliders[2]},
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
    double sense[PLANE_JOINTS];
    td_builder *builder = robot->slider
                              ? plane_slider_builder(robot->slider, sense)
                              : chain_of_four_bars(robot->modules, CHAIN_OF_CRANK_ROCKERS);
    return model_of_builder(builder, &options);
}

td_model *model_of_four_bars(size_t modules)
{
    return loop_robot_load(&(loop_robot){.modules = modules, .base = TD_BASE_FIXED});
}

void loop_robot_state(td_random *random, const loop_robot *robot, const td_model *model, double *y)
{
    td_draw_configuration(random, model, false, 1, y);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint_place at = td_joint_place_at(model, i);
        for (size_t k = 0; at.y != TD_NONE && at.nq == 1 && k < at.nq; k++)
            y[at.y + k] =
                td_reference(model, TD_COORDINATES_TREE)[at.q + k] + robot->reach * y[at.y + k];
    }
}
