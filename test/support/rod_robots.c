/* SPDX-License-Identifier: MIT */
/*
 * Robots whose rods turn about the lines of their ends, see rod_robots.h.
 */
#include "rod_robots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra.h"

void add_body(td_builder *builder, const char *name, double mass, const double com[3],
              const double inertia[6])
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    if (mass > 0) {
        memcpy(link.inertial.position, com, sizeof link.inertial.position);
        memcpy(link.inertia, inertia, sizeof link.inertia);
    }
    assert_ok(td_builder_add_link(builder, &link));
}

static td_joint joint_at(const char *name, td_joint_type type, const char *parent,
                         const char *child, double x, const double axis[3])
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.origin.position[0] = x;
    memcpy(joint.axis, axis, sizeof joint.axis);
    return joint;
}

static const double small[6] = {1e-3, 0, 0, 1e-3, 0, 1e-3}, nowhere[3] = {0, 0, 0};
static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

#define THIN                                                                                       \
    {                                                                                              \
        0, 0, 0, 2e-3, 0, 2e-3                                                                     \
    }
#define THICK                                                                                      \
    {                                                                                              \
        1e-4, 0, 0, 2e-3, 0, 2e-3                                                                  \
    }

const crank_rod rod_robots[ROD_ROBOTS] = {
    {.name = "thin", .spins = 1, .massless = true, .inertia = THIN},
    {.name = "thick", .spins = 1, .inertia = THICK},
    {.name = "flat", .spins = 1, .inertia = {1e-4, 0, 0, 1e-3, 0, 2e-3}},
    {.name = "no mass", .spins = 1, .massless = true, .inertia = {0, 0, 0, 0, 0, 0}, .offset = NAN},
    {.name = "thin on a floating base",
     .spins = 1,
     .massless = true,
     .inertia = THIN,
     .floating = true},
    {.name = "thick on a floating base", .spins = 1, .inertia = THICK, .floating = true},
    {.name = "universal joint, turning part and ball",
     .spins = 1,
     .inertia = THICK,
     .order = "yzx",
     .lower = true},
    {.name = "center of mass off the line", .inertia = THICK, .offset = 1e-3},
    {.name = "thin, center of mass off the line", .inertia = THIN, .offset = 1e-3},
    {.name = "tilted inertia", .inertia = {1e-4, 1e-4, 0, 2e-3, 0, 2e-3}},
    {.name = "ball and universal joint", .inertia = THICK, .end = TD_LOOP_UNIVERSAL},
    {.name = "damping", .inertia = THIN, .damping = 0.01},
    {.name = "friction", .inertia = THICK, .friction = 0.01},
    {.name = "spring", .inertia = THICK, .stiffness = 1},
    {.name = "on the line at one position of a weight", .inertia = THICK, .weight = true},
};

td_builder *build_crank_rod(const crank_rod *r)
{
    static const char *const part[3] = {"r0", "r1", "rod"};
    static const double tilted[3] = {0, 1, 0.3};
    const double middle[3] = {0.15, isnan(r->offset) ? 0 : r->offset, 0}, half[3] = {0.05, 0, 0};
    td_builder *builder = test_builder("rod");
    add_body(builder, "base", 3, half, small);
    add_body(builder, "crank", 1, half, small);
    add_body(builder, "slider", 1, nowhere, small);
    td_joint joint = joint_at("crank", TD_JOINT_CONTINUOUS, "base", "crank", 0, tilted);
    assert_ok(td_builder_add_joint(builder, &joint));
    for (int k = 0; k < 3; k++) {
        const int axis = (r->order ? r->order : "xyz")[k] - 'x';
        char name[3] = {'r', (char)('x' + axis), 0};
        if (k == 2)
            add_body(builder, part[k], isnan(r->offset) ? 0 : 0.2, middle, r->inertia);
        else
            add_body(builder, part[k], k == 1 && r->lower ? 0.1 : 0, half, small);
        joint = joint_at(name, TD_JOINT_CONTINUOUS, k ? part[k - 1] : "crank", part[k], k ? 0 : 0.1,
                         axes[axis]);
        if (axis == 0) {
            joint.damping = r->damping;
            joint.friction = r->friction;
            joint.spring_stiffness = r->stiffness;
        }
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    joint = joint_at("slide", TD_JOINT_PRISMATIC, "base", "slider", 0.4, axes[0]);
    assert_ok(td_builder_add_joint(builder, &joint));
    if (r->weight) {
        add_body(builder, "weight", 0.1, nowhere, small);
        joint = joint_at("weight", TD_JOINT_PRISMATIC, "rod", "weight", 0.1, axes[1]);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_loop loop = td_loop_default("ball", "rod", "slider");
    loop.type = r->end == TD_LOOP_UNIVERSAL ? TD_LOOP_UNIVERSAL : TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 0.3;
    memcpy(loop.axis, axes[1], sizeof loop.axis);
    memcpy(loop.second_axis, axes[2], sizeof loop.second_axis);
    assert_ok(td_builder_add_loop(builder, &loop));
    return builder;
}

td_builder *build_hexapod(double moment, bool ball)
{
    td_builder *builder = test_builder("hexapod");
    const double top[3] = {0, 0, 0.01}, plate[6] = {0.01, 1e-3, 0, 0.012, 0, 0.02};
    const double length = 0.06, height = 0.25, rod[6] = {moment, 0, 0, 2e-4, 0, 2e-4};
    add_body(builder, "base", 0, nowhere, small);
    add_body(builder, "plate", 2, top, plate);
    td_joint joint = td_joint_default("plate", TD_JOINT_FLOATING, "base", "plate");
    joint.origin.position[2] = height;
    assert_ok(td_builder_add_joint(builder, &joint));
    for (int k = 0; k < 6; k++) {
        const double third = M_PI * (k / 2) * 2 / 3, side = k % 2 ? 1 : -1;
        const double a = third + side * 0.35, b = third + side * 0.785, turn = a + side * M_PI / 2;
        const double from[3] = {0.2 * cos(a), 0.2 * sin(a), 0};
        const double line[3] = {0.15 * cos(b) - from[0] - length * cos(turn),
                                0.15 * sin(b) - from[1] - length * sin(turn), height};
        const double reach = sqrt(vec_dot(3, line, line)), middle[3] = {reach / 2, 0, 0};
        const double half[3] = {length / 2, 0, 0};
        char crank[8], part[3][8], name[8];
        snprintf(crank, sizeof crank, "crank%d", k);
        snprintf(part[0], sizeof part[0], "gx%d", k);
        snprintf(part[1], sizeof part[1], "gy%d", k);
        snprintf(part[2], sizeof part[2], "rod%d", k);
        add_body(builder, crank, 0.1, half, small);
        joint = joint_at(crank, TD_JOINT_CONTINUOUS, "base", crank, from[0], axes[1]);
        joint.origin.position[1] = from[1];
        td_rotation_from_rpy(0, 0, turn, joint.origin.rotation);
        assert_ok(td_builder_add_joint(builder, &joint));
        const double x = line[0] * cos(turn) + line[1] * sin(turn),
                     y = line[1] * cos(turn) - line[0] * sin(turn);
        for (int i = ball ? 2 : 0; i < 3; i++) {
            add_body(builder, part[i], i == 2 ? 0.05 : 0, middle, rod);
            snprintf(name, sizeof name, "r%c%d", 'x' + i, k);
            const bool first = i == (ball ? 2 : 0);
            joint = joint_at(name, ball ? TD_JOINT_BALL : TD_JOINT_CONTINUOUS,
                             first ? crank : part[i - 1], part[i], first ? length : 0, axes[i]);
            if (first)
                td_rotation_from_rpy(0, -asin(height / reach), atan2(y, x), joint.origin.rotation);
            assert_ok(td_builder_add_joint(builder, &joint));
        }
        snprintf(name, sizeof name, "loop%d", k);
        td_loop loop = td_loop_default(name, part[2], "plate");
        loop.type = TD_LOOP_SPHERICAL;
        loop.predecessor_origin.position[0] = reach;
        loop.successor_origin.position[0] = 0.15 * cos(b);
        loop.successor_origin.position[1] = 0.15 * sin(b);
        assert_ok(td_builder_add_loop(builder, &loop));
    }
    return builder;
}

static const char *const cranks[] = {"crank",  "crank0", "crank1", "crank2",
                                     "crank3", "crank4", "crank5"};

td_model *load_rods(const td_builder *builder, size_t first, size_t motors, bool floating)
{
    td_load_options options = td_load_options_default();
    options.actuation = motors ? TD_ACTUATION_LIST : TD_ACTUATION_INDEPENDENT;
    options.actuated = cranks + first;
    options.actuated_count = motors;
    options.base = floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    return model_of_builder(builder, &options);
}

void draw_rods(td_random *random, const td_model *model, td_workspace *w, double *y)
{
    double step[MOST_OF_RODS], q[MOST_OF_RODS * 2];
    do {
        td_random_fill(random, td_nyd(model), step);
        td_integrate(model, TD_COORDINATES_INDEPENDENT,
                     td_reference(model, TD_COORDINATES_INDEPENDENT), step, 0.1, y);
    } while (td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK);
    assert_ok(td_independent_coordinates(model, w, q, y, NULL));
}
