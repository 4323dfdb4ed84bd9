/* SPDX-License-Identifier: MIT */
/*
 * The closure q = γ(y): followers of all types, chains, constants, cycles, missing leaders, and
 * combined limits. Dynamics in y must be Gᵀ times dynamics of the tree.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "td_test.h"

/* a joint of a table that describes a robot */
typedef struct part {
    const char *name;
    td_joint_type type;
    const char *parent, *child;
    const char *leader;
    double multiplier, offset;
    double lower, upper;
} part;

static td_builder *robot(const part *parts, size_t count)
{
    td_builder *builder = test_builder("robot");
    td_link root = td_link_default("base");
    assert_ok(td_builder_add_link(builder, &root));
    for (size_t i = 0; i < count; i++) {
        td_link link = td_solid_link(parts[i].child, 1 + (double)i, 0.1);
        link.inertial.position[0] = 0.3;
        td_joint joint =
            td_joint_default(parts[i].name, parts[i].type, parts[i].parent, parts[i].child);
        joint.origin.position[0] = 0.5;
        joint.axis[0] = 0.6;
        joint.axis[1] = 0.8;
        joint.mimic = parts[i].leader;
        joint.multiplier = parts[i].multiplier;
        joint.offset = parts[i].offset;
        joint.limit.lower = parts[i].lower;
        joint.limit.upper = parts[i].upper;
        joint.limit.effort = joint.limit.velocity = 10;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

static bool reported(const td_diagnostics *list, const char *code, const char *words)
{
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        if (strcmp(d->code, code) == 0 && strstr(d->message, words))
            return true;
    }
    return false;
}

static td_model *finish(td_builder *builder, td_diagnostics *list)
{
    td_model *model;
    test_builder_finish(builder, NULL, list, &model);
    return model;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* leader later in the file, on another branch, a descendant, an ancestor; a chain of three */
TD_TEST(chain_over_branches)
{
    static const part parts[] = {
        {"tip", TD_JOINT_REVOLUTE, "hand", "tip_link", "middle", -2, 0.25, -9, 9},
        {"arm", TD_JOINT_CONTINUOUS, "base", "hand", "wrist", 0.5, 0, NAN, NAN},
        {"wrist", TD_JOINT_REVOLUTE, "hand", "wrist_link", NULL, 1, 0, -1, 1},
        {"middle", TD_JOINT_PRISMATIC, "other_link", "middle_link", "arm", 3, -1, -9, 9},
        {"other", TD_JOINT_FIXED, "base", "other_link", NULL, 1, 0, NAN, NAN},
    };
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = finish(robot(parts, COUNT(parts)), list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_nq(model), 4);
    ck_assert_uint_eq(td_ny(model), 1);
    /* order: arm is the first whose parent is numbered, then tip (first in the file), wrist, other,
       middle */
    static const char *const order[] = {"arm", "tip", "wrist", "other", "middle"};
    for (size_t i = 0; i < 5; i++)
        ck_assert_str_eq(td_joint_at(model, i)->name, order[i]);
    td_workspace *workspace = test_workspace(model);
    const double y = 0.7;
    double q[4], qd[4], G[4], back, residual;
    td_closure(model, workspace, &y, &y, NULL, q, qd, NULL);
    const double expected_q[] = {0.35, -2 * (3 * 0.35 - 1) + 0.25, 0.7, 3 * 0.35 - 1};
    const double expected_G[] = {0.5, -3, 1, 1.5};
    td_assert_close(4, q, expected_q, 1e-15, 1);
    td_closure_jacobian(model, workspace, NULL, G);
    ck_assert_mem_eq(G, expected_G, sizeof G);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq(qd[i], G[i] * y);
    assert_ok(td_independent_coordinates(model, workspace, q, &back, &residual));
    ck_assert_double_eq(back, y);
    ck_assert_double_eq(residual, 0);
    q[1] += 0.125;
    td_independent_coordinates(model, workspace, q, &back, &residual);
    ck_assert_double_eq_tol(residual, 0.125, 1e-15);
    q[3] = NAN;
    td_independent_coordinates(model, workspace, q, &back, &residual);
    ck_assert(isnan(residual));
    ck_assert(reported(list, "URDF-M005", "m/rad"));
    ck_assert(reported(list, "URDF-M005", "rad/m"));
}

TD_TEST(constants)
{
    static const part parts[] = {
        {"fixed", TD_JOINT_FIXED, "base", "a", NULL, 1, 0, NAN, NAN},
        {"of_fixed", TD_JOINT_REVOLUTE, "a", "b", "fixed", 2, 0.3, -1, 1},
        {"of_constant", TD_JOINT_REVOLUTE, "b", "c", "of_fixed", 10, 1, -1, 5},
        {"zero", TD_JOINT_REVOLUTE, "c", "d", "free", 0, 0.1, -1, 1},
        {"free", TD_JOINT_REVOLUTE, "d", "e", NULL, 1, 0, -1, 1},
        {"mimic_on_fixed", TD_JOINT_FIXED, "e", "f", "free", 2, 0, NAN, NAN},
        {"outside", TD_JOINT_REVOLUTE, "f", "g", "fixed", 1, 7, -1, 1},
    };
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = finish(robot(parts, COUNT(parts)), list);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_ny(model), 1);
    td_workspace *workspace = test_workspace(model);
    const double y = 0.5, expected[] = {0.3, 4, 0.1, 0.5, 7};
    double q[5], qd[5];
    td_closure(model, workspace, &y, &y, NULL, q, qd, NULL);
    td_assert_close(5, q, expected, 1e-15, 1);
    ck_assert_double_eq(qd[0] + qd[1] + qd[2] + qd[4], 0);
    ck_assert_double_eq(qd[3], 0.5);
    ck_assert(reported(list, "URDF-M007", "of_fixed"));
    ck_assert(reported(list, "URDF-M004", "zero"));
    ck_assert(reported(list, "URDF-M006", "mimic_on_fixed"));
    ck_assert(reported(list, "URDF-M010", "outside"));
    ck_assert_uint_eq(td_joint_place_at(model, td_joint_index(model, "of_constant")).leader,
                      TD_NONE);
}

TD_TEST(errors)
{
    static const part parts[] = {
        {"a", TD_JOINT_REVOLUTE, "base", "la", "c", 1, 0, -1, 1},
        {"b", TD_JOINT_REVOLUTE, "la", "lb", "a", 1, 0, -1, 1},
        {"c", TD_JOINT_REVOLUTE, "lb", "lc", "b", 1, 0, -1, 1},
        {"self", TD_JOINT_REVOLUTE, "lc", "ls", "self", 1, 0, -1, 1},
        {"finger_joint", TD_JOINT_REVOLUTE, "ls", "lf", NULL, 1, 0, -1, 1},
        {"thumb", TD_JOINT_REVOLUTE, "lf", "lt", "finger_jiont", 1, 0, -1, 1},
        {"plane", TD_JOINT_PLANAR, "lt", "lp", "finger_joint", 1, 0, NAN, NAN},
        {"leads", TD_JOINT_FLOATING, "lp", "ll", NULL, 1, 0, NAN, NAN},
        {"follows", TD_JOINT_REVOLUTE, "ll", "lo", "leads", 1, 0, -1, 1},
        {"not_finite", TD_JOINT_REVOLUTE, "lo", "ln", "finger_joint", NAN, 0, -1, 1},
    };
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_ptr_null(finish(robot(parts, 9), list));
    ck_assert(reported(list, "URDF-M002", "a → c → b → a"));
    ck_assert(reported(list, "URDF-M002", "'self' follows itself"));
    ck_assert(reported(list, "URDF-M001", "'finger_jiont', which does not exist"));
    ck_assert(reported(list, "URDF-M003", "planar joint 'plane'"));
    ck_assert(reported(list, "URDF-M003", "floating joint 'leads'"));
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 5);
    bool remedy = false;
    for (size_t i = 0; i < td_diagnostics_size(list); i++)
        remedy = remedy || strstr(td_diagnostics_at(list, i)->remedy, "'finger_joint'");
    ck_assert(remedy);
    list = test_diagnostics(0);
    ck_assert_ptr_null(finish(robot(parts, COUNT(parts)), list));
    ck_assert(reported(list, "URDF-N001", "not_finite"));
}

/* a chain of 1000 followers: the only effect of depth is time */
TD_TEST(long_chain)
{
    enum { LENGTH = 1000 };
    part *parts = test_calloc(LENGTH, sizeof *parts);
    char(*names)[3][16] = test_calloc(LENGTH + 1, sizeof *names);
    strcpy(names[0][1], "base");
    for (size_t i = 0; i < LENGTH; i++) {
        snprintf(names[i + 1][0], 16, "j%zu", i);
        snprintf(names[i + 1][1], 16, "l%zu", i);
        snprintf(names[i + 1][2], 16, "j%zu", i + 1);
        parts[i] = (part){names[i + 1][0],
                          TD_JOINT_REVOLUTE,
                          names[i][1],
                          names[i + 1][1],
                          i + 1 < LENGTH ? names[i + 1][2] : NULL,
                          -1,
                          0.5,
                          NAN,
                          NAN};
    }
    td_model *model = finish(robot(parts, LENGTH), NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_ny(model), 1);
    td_joint_place first = td_joint_place_at(model, 0);
    ck_assert_uint_eq(first.leader, LENGTH - 1);
    ck_assert_double_eq(first.multiplier, -1); /* an odd number of negative signs */
    ck_assert_double_eq(first.offset, 0.5);
}

TD_TEST(limits_fold)
{
    static const part parts[] = {
        {"leader", TD_JOINT_REVOLUTE, "base", "a", NULL, 1, 0, -2, 3},
        {"half", TD_JOINT_REVOLUTE, "a", "b", "leader", 2, 0, -1, 9},      /* leader ≥ -0.5 */
        {"back", TD_JOINT_PRISMATIC, "b", "c", "leader", -4, 1, -3, 20},   /* leader ≤ 1 */
        {"turns", TD_JOINT_CONTINUOUS, "c", "d", "leader", 100, 0, -1, 1}, /* no limits */
        {"narrow", TD_JOINT_REVOLUTE, "d", "e", NULL, 1, 0, 0, 1},
        {"beyond", TD_JOINT_REVOLUTE, "e", "f", "narrow", 1, 5, -1, 1}, /* narrow ≤ -4 */
    };
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = finish(robot(parts, COUNT(parts)), list);
    ck_assert_ptr_nonnull(model);
    td_effective_limit limit = td_effective_limit_at(model, 0);
    ck_assert_double_eq(limit.lower, -0.5);
    ck_assert_str_eq(td_joint_at(model, (size_t)limit.lower_joint)->name, "half");
    ck_assert_double_eq(limit.upper, 1);
    ck_assert_str_eq(td_joint_at(model, (size_t)limit.upper_joint)->name, "back");
    ck_assert_double_eq(limit.velocity, 0.1);
    ck_assert_str_eq(td_joint_at(model, limit.velocity_joint)->name, "turns");
    ck_assert_double_eq(limit.effort, 10); /* its own limit; every follower allows more */
    ck_assert_uint_eq(limit.effort_joint, 0);
    ck_assert(reported(list, "URDF-M008", "'half'"));
    ck_assert(reported(list, "URDF-M009", "'narrow'"));
    size_t outside[2] = {TD_NONE, TD_NONE};
    double y[2] = {0, -5}; /* leader, narrow */
    ck_assert_uint_eq(td_outside_limits(model, y, outside, 2), 1);
    ck_assert_uint_eq(outside[0], td_joint_index(model, "narrow"));
    y[0] = 1.001;
    ck_assert_uint_eq(td_outside_limits(model, y, NULL, 0), 2);
    y[0] = 1;
    ck_assert_uint_eq(td_outside_limits(model, y, outside, 1), 1);
    limit = td_effective_limit_at(model, 1);
    ck_assert(isinf(limit.lower) && limit.lower_joint == TD_NONE);
}

/* Position limits that the options ignore are still checked and still determine the start of the
   joints; then they are removed. Other limits remain. */
TD_TEST(limits_ignored)
{
    static const part parts[] = {
        {"leader", TD_JOINT_REVOLUTE, "base", "a", NULL, 1, 0, 0.5, 0.8},
        {"against", TD_JOINT_REVOLUTE, "a", "b", "leader", -1, 0, 0, 0.9}, /* never reached */
        {"slider", TD_JOINT_PRISMATIC, "b", "c", NULL, 1, 0, -2, -1},
        {"ball", TD_JOINT_CONTINUOUS, "c", "d", NULL, 1, 0, -1, 1}, /* no effect */
    };
    td_builder *builder = robot(parts, COUNT(parts));
    td_load_options options = td_load_options_default();
    td_diagnostics *list[2] = {test_diagnostics(0), test_diagnostics(0)};
    td_model *model[2];
    for (int ignored = 0; ignored < 2; ignored++) {
        options.ignore_limits = ignored;
        assert_ok(test_builder_finish(builder, &options, list[ignored], &model[ignored]));
    }
    ck_assert(reported(list[1], "URDF-M009", "'leader'"));
    ck_assert_uint_eq(td_diagnostics_size(list[1]), td_diagnostics_size(list[0]));
    ck_assert_mem_eq(td_reference(model[1], TD_COORDINATES_TREE),
                     td_reference(model[0], TD_COORDINATES_TREE), 4 * sizeof(double));
    ck_assert_double_eq(td_reference(model[1], TD_COORDINATES_TREE)[2], -1);
    for (size_t i = 0; i < COUNT(parts); i++) {
        const td_joint *joint = td_joint_at(model[1], i);
        const td_effective_limit limit = td_effective_limit_at(model[1], i);
        ck_assert(isnan(joint->limit.lower) && isnan(joint->limit.upper));
        ck_assert(joint->type == parts[i].type && joint->limit.velocity == 10);
        ck_assert(limit.lower == -INFINITY && limit.upper == INFINITY);
        ck_assert(limit.lower_joint == TD_NONE && limit.upper_joint == TD_NONE);
        ck_assert(limit.effort == td_effective_limit_at(model[0], i).effort);
    }
    const double y[3] = {-3, 5, 9};
    ck_assert_uint_eq(td_outside_limits(model[0], y, NULL, 0), 2);
    ck_assert_uint_eq(td_outside_limits(model[1], y, NULL, 0), 0);
}

/* ---- couplings ------------------------------------------------------------------------------- */

/* a joint of a robot with couplings; dependent: declared dependent */
typedef struct coupled_part {
    const char *name, *parent, *child;
    bool dependent;
} coupled_part;

typedef struct coupling_row {
    const char *predecessor, *successor;
    double ratio;
} coupling_row;

static td_model *coupled(const coupled_part *parts, size_t count, const coupling_row *rows,
                         size_t couplings, td_diagnostics *list)
{
    td_builder *builder = test_builder("robot");
    td_link root = td_link_default("base");
    td_builder_add_link(builder, &root);
    for (size_t i = 0; i < count; i++) {
        td_link link = td_solid_link(parts[i].child, 1, 0.1);
        link.inertial.position[0] = 0.2;
        td_joint joint =
            td_joint_default(parts[i].name, TD_JOINT_CONTINUOUS, parts[i].parent, parts[i].child);
        joint.axis[2] = 0.5;
        joint.independent = !parts[i].dependent;
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
    }
    for (size_t i = 0; i < couplings; i++) {
        td_coupling c =
            td_coupling_default("gear", rows[i].predecessor, rows[i].successor, rows[i].ratio);
        td_builder_add_coupling(builder, &c);
    }
    return finish(builder, list);
}

static const coupled_part arm_with_rotor[] = {
    {"shoulder", "base", "upper", false},
    {"elbow", "upper", "lower", false},
    {"wrist", "lower", "hand", false},
    {"rotor", "upper", "rotor_link", true},
};

/* the rotor on the upper arm rotates by `ratio` times (elbow + wrist) */
TD_TEST(coupling_over_a_path)
{
    static const coupling_row rows[] = {{"hand", "rotor_link", 5}};
    td_model *model = coupled(arm_with_rotor, COUNT(arm_with_rotor), rows, 1, NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_ny(model), 3);
    td_joint_place rotor = td_joint_place_at(model, td_joint_index(model, "rotor"));
    ck_assert_uint_eq(rotor.terms, 2);
    ck_assert_uint_eq(rotor.leader, TD_NONE);
    const double y[] = {0.1, 0.2, 0.3};
    double q[4];
    td_workspace *workspace = test_workspace(model);
    td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL);
    ck_assert_double_eq_tol(q[rotor.q], 5 * (0.2 + 0.3), 1e-15);
}

/* A four-bar whose coupler rotates by 2 b, where b is a motor on the ground. The joint between
   crank and coupler is 2 b minus the crank, so it depends on a joint of the loop and on one
   outside. The end of the chain and its velocity must stay at the pin for any motion. */
TD_TEST(loop_over_a_sum)
{
    static const char *const names[] = {"crank", "coupler", "rocker", "motor"};
    static const double length[] = {0.3, 0.6, 0.5}, angle[] = {1.2, 0.3, -1.1}, ratio = 2;
    td_builder *builder = test_builder("robot");
    td_link base = td_link_default("base");
    td_builder_add_link(builder, &base);
    double pin[2] = {0};
    for (int i = 0; i < 4; i++) {
        const bool chain = i < 3;
        const double turn = !chain ? 0 : i ? angle[i] - angle[i - 1] : angle[0];
        td_link link = td_link_default(names[i]);
        td_joint joint = td_joint_default(names[i], TD_JOINT_CONTINUOUS,
                                          chain && i ? names[i - 1] : "base", names[i]);
        link.has_inertial = true;
        link.mass = 1;
        link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.1;
        joint.axis[0] = 0;
        joint.axis[2] = 1;
        joint.independent = !chain;
        joint.origin.position[0] = chain && i ? length[i - 1] : 0;
        joint.origin.rotation[0] = joint.origin.rotation[4] = cos(turn);
        joint.origin.rotation[1] = -(joint.origin.rotation[3] = sin(turn));
        td_builder_add_link(builder, &link);
        td_builder_add_joint(builder, &joint);
        pin[0] += chain ? length[i] * cos(angle[i]) : 0;
        pin[1] += chain ? length[i] * sin(angle[i]) : 0;
    }
    td_coupling gear = td_coupling_default("gear", "motor", "coupler", ratio);
    td_builder_add_coupling(builder, &gear);
    td_loop loop = td_loop_default("pin", "base", "rocker");
    loop.type = TD_LOOP_REVOLUTE;
    loop.axis[0] = 0;
    loop.axis[2] = 1;
    memcpy(loop.predecessor_origin.position, pin, sizeof pin);
    loop.successor_origin.position[0] = length[2];
    td_builder_add_loop(builder, &loop);
    td_model *model = finish(builder, NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_nyd(model), 1);
    td_joint_place place[4];
    for (int i = 0; i < 4; i++)
        place[i] = td_joint_place_at(model, td_joint_index(model, names[i]));
    ck_assert(!place[3].dependent);
    td_workspace *workspace = test_workspace(model);
    for (double b = -0.15; b < 0.16; b += 0.05) {
        const double rate = 0.7;
        double q[4], qd[4], turned = 0, turns = 0, gap[2] = {-pin[0], -pin[1]}, v[2] = {0};
        assert_ok(td_closure(model, workspace, &b, &rate, NULL, q, qd, NULL));
        for (int i = 0; i < 3; i++) {
            turned += q[place[i].q];
            turns += qd[place[i].qd];
            gap[0] += length[i] * cos(angle[i] + turned);
            gap[1] += length[i] * sin(angle[i] + turned);
            v[0] -= length[i] * sin(angle[i] + turned) * turns;
            v[1] += length[i] * cos(angle[i] + turned) * turns;
            if (i == 1)
                ck_assert_double_le(fabs(turned - ratio * b) + fabs(turns - ratio * rate), 1e-13);
        }
        ck_assert_double_le(hypot(gap[0], gap[1]), 1e-12);
        ck_assert_double_le(hypot(v[0], v[1]), 1e-12);
    }
}

/* A differential: both couplings name the dependent joints a and b, so neither can be solved alone:
   a + b = 2 x and z + c = 3 a. */
TD_TEST(differential)
{
    static const coupled_part parts[] = {
        {"x", "base", "lx", false}, {"z", "base", "lz", false}, {"a", "base", "la", true},
        {"b", "la", "lb", true},    {"c", "lz", "lc", false},
    };
    /* b's link: a + b = 2 x;  c's link: z + c = 3 a */
    static const coupling_row rows[] = {{"lx", "lb", 2}, {"la", "lc", 3}};
    td_model *model = coupled(parts, COUNT(parts), rows, 2, NULL);
    ck_assert_ptr_nonnull(model);
    ck_assert_uint_eq(td_ny(model), 3);
    const double y[] = {0.4, 0.5, 0.7}; /* x, z, c */
    double q[5], a = (0.5 + 0.7) / 3;
    td_workspace *workspace = test_workspace(model);
    td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL);
    const double expected[] = {0.4, 0.5, a, 2 * 0.4 - a, 0.7};
    for (size_t i = 0; i < 5; i++) {
        size_t joint = td_joint_index(model, parts[i].name);
        ck_assert_double_eq_tol(q[td_joint_place_at(model, joint).q], expected[i], 1e-15);
    }
}

/* Motors on dependent joints: u = M_u⁻ᵀ tau_y. */
TD_TEST(motors_that_mix)
{
    static const coupling_row rows[] = {{"hand", "rotor_link", 5}};
    static const char *const motors[] = {"shoulder", "rotor", "wrist"};
    td_builder *builder = test_builder("robot");
    td_model *plain = coupled(arm_with_rotor, COUNT(arm_with_rotor), rows, 1, NULL);
    for (size_t i = 0; i < td_link_count(plain); i++)
        td_builder_add_link(builder, td_link_at(plain, i));
    for (size_t i = 0; i < td_joint_count(plain); i++)
        td_builder_add_joint(builder, td_joint_at(plain, i));
    td_builder_add_coupling(builder, td_coupling_at(plain, 0));
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = motors;
    options.actuated_count = 3;
    td_model *model = model_of_builder(builder, &options);
    assert_ok(td_actuation_status(model));
    td_workspace *workspace = test_workspace(model);
    const double tau_y[] = {1, 2, 3};
    double M_u[9], u[3];
    td_actuation_matrix(model, workspace, NULL, M_u);
    td_forces_to_actuators(model, workspace, NULL, tau_y, NULL, u, NULL);
    for (int j = 0; j < 3; j++) { /* M_uᵀ u = tau_y */
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += M_u[3 * i + j] * u[i];
        ck_assert_double_eq_tol(sum, tau_y[j], 1e-15 * 10);
    }
}

TD_TEST(bad_couplings)
{
    static const coupled_part free_joints[] = {{"a", "base", "la", false},
                                               {"b", "base", "lb", false}};
    static const coupled_part one[] = {{"a", "base", "la", false}, {"b", "base", "lb", true}};
    static const coupling_row gear[] = {{"la", "lb", 2}},
                              twice[] = {{"la", "lb", 2}, {"la", "lb", 2}};
    static const coupling_row other[] = {{"la", "lb", 2}, {"la", "lb", 3}};
    static const coupling_row zero[] = {{"la", "lb", 0}}, odd[] = {{"la", "lb", NAN}};
    static const struct {
        const coupled_part *parts;
        const coupling_row *rows;
        size_t couplings;
        const char *code;
        bool loads;
    } cases[] = {
        {free_joints, gear, 1, "URDF-C005", false}, {one, twice, 2, "URDF-C007", true},
        {one, zero, 1, "URDF-C008", true},          {one, odd, 1, "URDF-N001", false},
        {one, other, 2, "URDF-C005", false}, /* a would have to be fixed, but is declared free */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = coupled(cases[i].parts, 2, cases[i].rows, cases[i].couplings, list);
        ck_assert_int_eq(model != NULL, cases[i].loads);
        ck_assert_msg(reported(list, cases[i].code, ""), "%s is missing", cases[i].code);
    }
    /* contradicting constants: a joint fixed by a mimic of a fixed one, and a gear to it */
    static const part parts[] = {
        {"still", TD_JOINT_FIXED, "base", "ls", NULL, 1, 0, NAN, NAN},
        {"held", TD_JOINT_REVOLUTE, "base", "lh", "still", 1, 0.5, -1, 1},
        {"also", TD_JOINT_REVOLUTE, "base", "lo", "still", 1, 0.25, -1, 1},
    };
    td_builder *builder = robot(parts, COUNT(parts));
    td_coupling c = td_coupling_default("gear", "lh", "lo", 2);
    td_builder_add_coupling(builder, &c);
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_ptr_null(finish(builder, list));
    ck_assert(reported(list, "URDF-C006", "contradicts"));
}

/* If no joint of a coupling is declared dependent, one is selected. For an arm a - b and an arm c -
   d with b + a = 2 (c + d), it is the joint nearest to the successor that is not declared
   independent. */
TD_TEST(pivot_is_chosen)
{
    static const coupled_part parts[] = {{"a", "base", "la", false},
                                         {"b", "la", "lb", false},
                                         {"c", "base", "lc", false},
                                         {"d", "lc", "ld", false}};
    static const struct {
        const char *independent; /* declared independent */
        const char *chosen;
    } cases[] = {{"", "b"}, {"b", "a"}, {"ab", "d"}, {"abd", "c"}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        td_model *free_model = coupled(parts, 4, NULL, 0, NULL), *model;
        td_builder *builder = test_builder("robot");
        for (size_t i = 0; i < td_link_count(free_model); i++)
            td_builder_add_link(builder, td_link_at(free_model, i));
        for (size_t i = 0; i < 4; i++) {
            td_joint joint = *td_joint_at(free_model, i);
            joint.independent = strstr(cases[k].independent, joint.name) ? 1 : -1;
            td_builder_add_joint(builder, &joint);
        }
        td_coupling coupling = td_coupling_default("gear", "ld", "lb", 2);
        td_builder_add_coupling(builder, &coupling);
        td_diagnostics *list = test_diagnostics(0);
        assert_ok(test_builder_finish(builder, NULL, list, &model));
        ck_assert(reported(list, "URDF-C040", cases[k].chosen));
        for (size_t i = 0; i < 4; i++)
            ck_assert_int_eq(td_joint_place_at(model, i).dependent,
                             strcmp(td_joint_at(model, i)->name, cases[k].chosen) == 0);
    }
}

/* tau_y = Gᵀ tau(γ(y), Gẏ, Gÿ) (equations 12, 13 and 16) on random robots with many followers */
TD_LOOP_TEST(reduced_is_projected, 0, 4)
{
    td_random random = {(uint64_t)_i};
    int with_followers = 0;
    for (int k = 0; k < 30; k++) {
        td_builder *builder = td_random_robot(&random, 25, 12, k % 2);
        td_model *model = finish(builder, NULL);
        ck_assert_ptr_nonnull(model);
        with_followers += td_nyd(model) < td_nv(model);
        size_t nq = td_nq(model), nv = td_nv(model), ny = td_ny(model), nyd = td_nyd(model);
        double *x = doubles(2 * nq + 4 * nv + ny + 4 * nyd + nv * nyd);
        double *q = x, *qd = q + nq, *qdd = qd + nv, *tau = qdd + nv, *y = tau + nv, *yd = y + ny,
               *ydd = yd + nyd, *tau_y = ydd + nyd, *expected = tau_y + nyd, *G = expected + nyd;
        td_workspace *workspace = test_workspace(model);
        td_draw_configuration(&random, model, false, 2, y);
        td_random_fill(&random, nyd, yd);
        td_random_fill(&random, nyd, ydd);
        td_closure(model, workspace, y, yd, ydd, q, qd, qdd);
        TD_IN_TREE(workspace, td_inverse_dynamics(model, workspace, q, qd, qdd, NULL, tau));
        td_inverse_dynamics(model, workspace, y, yd, ydd, NULL, tau_y);
        td_closure_jacobian(model, workspace, y, G);
        for (size_t j = 0; j < nyd; j++)
            for (size_t i = 0; i < nv; i++)
                expected[j] += G[i * nyd + j] * tau[i];
        td_assert_close(nyd, tau_y, expected, 1e-14, td_largest(nv, tau));
        td_project_force(model, workspace, y, tau, expected);
        ck_assert_mem_eq(tau_y, expected, nyd * sizeof *tau_y);
    }
    ck_assert_int_ge(with_followers,
                     25); /* some of the random joints may have a type that cannot follow */
}

/* ---- actuation --------------------------------------------------------------------------------
 */

static const part driven[] = {
    {"a", TD_JOINT_REVOLUTE, "base", "la", NULL, 1, 0, -1, 1},
    {"b", TD_JOINT_REVOLUTE, "la", "lb", "a", -4, 0, -9, 9},
    {"c", TD_JOINT_REVOLUTE, "lb", "lc", NULL, 1, 0, -1, 1},
    {"still", TD_JOINT_REVOLUTE, "lc", "ld", "a", 0, 0.5, -1, 1},
};

static td_model *actuated_model(const char *const *names, size_t count, td_diagnostics *list,
                                td_base base)
{
    td_builder *builder = robot(driven, COUNT(driven));
    td_load_options options = td_load_options_default();
    options.base = base;
    options.actuation = TD_ACTUATION_LIST;
    options.actuated = names;
    options.actuated_count = count;
    td_model *model;
    test_builder_finish(builder, &options, list, &model);
    return model;
}

/* a motor on a follower: u = tau_y / multiplier (equation 19) */
TD_TEST(motor_on_follower)
{
    static const char *const names[] = {"c", "b"};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
        td_model *model = actuated_model(names, 2, NULL, (td_base)base);
        size_t nyd = td_nyd(model), first = base == TD_BASE_FLOATING ? 6 : 0;
        ck_assert_uint_eq(td_nu(model), 2);
        ck_assert_str_eq(td_joint_at(model, (size_t)td_actuator_at(model, 0).joint)->name, "b");
        assert_ok(td_actuation_status(model));
        double M_u[16], tau_y[8] = {0}, u[2];
        ck_assert_uint_eq(nyd, first + 2);
        td_workspace *workspace = test_workspace(model);
        td_actuation_matrix(model, workspace, NULL, M_u);
        ck_assert_double_eq(M_u[first], -4);
        ck_assert_double_eq(M_u[nyd + first + 1], 1);
        tau_y[first] = 2;
        tau_y[first + 1] = 3;
        assert_ok(td_forces_to_actuators(model, workspace, NULL, tau_y, NULL, u, NULL));
        ck_assert_double_eq(u[0], -0.5);
        ck_assert_double_eq(u[1], 3);
    }
}

TD_TEST(wrong_motors)
{
    static const struct {
        const char *names[3];
        size_t count;
        td_status status;
    } cases[] = {
        {{"a"}, 1, TD_ERROR_UNDERACTUATED},
        {{"a", "b", "c"}, 3, TD_OK},
        {{"a", "b"}, 2, TD_ERROR_ACTUATION_SINGULAR},
        {{"c", "still"}, 2, TD_ERROR_ACTUATION_SINGULAR},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        td_model *model = actuated_model(cases[i].names, cases[i].count, NULL, TD_BASE_FIXED);
        td_workspace *workspace = test_workspace(model);
        double tau_y[2] = {1, 1}, u[3], rest[2], M_u[6];
        ck_assert_int_eq(td_actuation_status(model), cases[i].status);
        ck_assert_int_eq(td_forces_to_actuators(model, workspace, NULL, tau_y, NULL, u, NULL),
                         cases[i].status);
        td_actuation_matrix(model, workspace, NULL, M_u);
        td_forces_to_actuators(model, workspace, NULL, tau_y, NULL, u, rest);
        for (size_t j = 0; j < 2; j++) { /* no motor force, so rest is all */
            double sum = 0, hold = 0;
            for (size_t k = 0; k < cases[i].count; k++) {
                sum += M_u[2 * k + j] * u[k];
                hold += fabs(M_u[2 * k + j]);
            }
            ck_assert_double_eq_tol(rest[j], hold > 0 ? 0 : 1, 1e-15);
            ck_assert_double_eq_tol(sum, hold > 0 ? 1 : 0, 1e-15);
        }
    }
    static const char *const unknown[] = {"a", "cc"};
    td_diagnostics *list = test_diagnostics(0);
    ck_assert_ptr_null(actuated_model(unknown, 2, list, TD_BASE_FIXED));
    ck_assert(reported(list, "URDF-T003", "'cc'"));
}

/* a massless joint makes the reduced model singular only if everything that moves with it is
   massless */
TD_TEST(massless_followers)
{
    for (int massive = 0; massive < 3; massive++) {
        static const part parts[] = {
            {"lead", TD_JOINT_CONTINUOUS, "base", "a", NULL, 1, 0, NAN, NAN},
            {"follow", TD_JOINT_CONTINUOUS, "base", "b", "lead", -1, 0, NAN, NAN},
        };
        td_builder *builder = test_builder("robot");
        td_link base = td_link_default("base");
        assert_ok(td_builder_add_link(builder, &base));
        for (int i = 0; i < 2; i++) {
            td_link link = td_link_default(parts[i].child);
            link.has_inertial = i + 1 == massive;
            link.mass = link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
            td_joint joint =
                td_joint_default(parts[i].name, parts[i].type, parts[i].parent, parts[i].child);
            joint.mimic = parts[i].leader;
            joint.multiplier = parts[i].multiplier;
            assert_ok(td_builder_add_link(builder, &link));
            assert_ok(td_builder_add_joint(builder, &joint));
        }
        td_diagnostics *list = test_diagnostics(0);
        td_model *model = finish(builder, list);
        ck_assert_ptr_nonnull(model);
        const char *code = massive ? "URDF-I011" : "URDF-I009";
        ck_assert_int_eq(reported(list, code, "'lead'"), massive != 1);
        ck_assert_int_eq(reported(list, code, "'follow'"), massive != 2);
        ck_assert(reported(list, code, massive ? "mass matrix of the tree" : "the mass matrix is"));
        ck_assert(!reported(list, massive ? "URDF-I009" : "URDF-I011", ""));
    }
}
