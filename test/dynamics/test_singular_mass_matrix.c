/* SPDX-License-Identifier: MIT */
/*
 * Structurally singular mass matrices. Every function that solves with one must report it at every
 * state, whatever the rounding, and name the joint. This holds for one state and in lanes, by
 * articulated bodies, clusters and factors, with every instruction set. Regular robots with
 * massless links must pass.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "kernel/isa.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};

/* ---- robots ---------------------------------------------------------------------------------- */

/* Link i + 1 is mounted on the link given by the i-th digit of `parents`, by a joint of the i-th
   type: r(evolute), p(rismatic), s(ame axis as the joint before, further along it). Masses: '1'
   solid, '0' massless, '.' point mass, '-' rod along the joint's axis, '|' rod across it. Poses of
   links and axes are random. */
typedef struct shape {
    const char *name, *parents, *types, *masses; /* masses: one more character, link 0 first */
    td_base base;
    const char *leaders; /* leader of each joint, from 1 on; '.' none */
    const char *idle; /* joints of the motion that moves no inertia, as digits from 1 on, 0 for the
                         base; "" if none exists */
    const char *blamed; /* the joint that is reported */
} shape;

static const shape shapes[] = {
    {"a base without mass on one hinge", "0123", "rrrr", "01111", TD_BASE_FLOATING, "....", "01",
     "base"},
    {"a base without mass on one slide", "0112", "prrr", "01111", TD_BASE_FLOATING, "....", "01",
     "base"},
    {"a base of a point mass on one hinge through it", "01", "rr", ".11", TD_BASE_FLOATING, "..",
     "", NULL},
    {"a base without mass on two joints in a row", "012", "rrr", "0011", TD_BASE_FLOATING, "...",
     "012", NULL},
    {"two hinges about one axis", "01234", "rrsrr", "110111", TD_BASE_FIXED, ".....", "23", "j2"},
    {"seven joints and one mass", "0123456", "rrrprrr", "00000001", TD_BASE_FIXED, ".......",
     "1234567", "j1"},
    {"a rod that turns about itself", "0121", "rrrr", "111-1", TD_BASE_FIXED, "....", "3", "j3"},
    {"point masses that spin", "01", "rr", "11.", TD_BASE_FIXED, "..", "", NULL},
    {"leader and followers without mass", "01110", "rrrrr", "110011", TD_BASE_FIXED, "..2..", "23",
     "j2"},
    {"a base without mass and followers on one hinge", "01222", "rrrrr", "011111", TD_BASE_FLOATING,
     "...3.", "01", "base"},
    {"a base without mass on two hinges", "0012", "rrrr", "01111", TD_BASE_FLOATING, "....", "",
     NULL},
    {"a rod across its joint", "012", "rrr", "111|", TD_BASE_FIXED, "...", "", NULL},
    {"three hinges without mass in between", "0123", "rrrr", "11001", TD_BASE_FIXED, "....", "",
     NULL},
    {"a follower without mass", "012", "rrr", "1110", TD_BASE_FIXED, "..2", "", NULL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void add_link(td_builder *builder, td_random *random, const char *name, char kind,
                     const double axis[3])
{
    td_link link = td_link_default(name);
    double second[3];
    link.has_inertial = kind != '0';
    link.mass = kind == '0' ? 0 : 1.5 + td_random_number(random);
    td_random_fill(random, 3, link.inertial.position);
    td_random_fill(random, 3, second);
    for (int k = 0; k < 3; k++)
        second[k] = 0.11 + 0.1 * second[k];
    if (kind == '1') {
        td_random_rotation(random, link.inertial.rotation);
        link.inertia[0] = second[1] + second[2];
        link.inertia[3] = second[0] + second[2];
        link.inertia[5] = second[0] + second[1];
    }
    if (kind == '-' || kind == '|') { /* a (1 − d dᵀ) */
        double d[3] = {axis[0], axis[1], axis[2]}, along = link.inertial.position[0];
        for (int k = 0; k < 3 && kind == '-'; k++)
            link.inertial.position[k] = along * d[k];
        if (kind == '|') {
            const double across = hypot(d[0], d[1]);
            d[2] = 0, d[0] = -axis[1] / across, d[1] = axis[0] / across;
        }
        static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; k++)
            link.inertia[k] = 0.2 * ((row[k] == column[k]) - d[row[k]] * d[column[k]]);
    }
    assert_ok(td_builder_add_link(builder, &link));
}

static td_builder *build(const shape *s, td_random *random)
{
    td_builder *builder = test_builder(s->name);
    double axis[3] = {0, 0, 1};
    add_link(builder, random, "l0", s->masses[0], axis);
    for (size_t i = 0; s->parents[i]; i++) {
        char name[8], parent[8], child[8], leader[8];
        snprintf(name, sizeof name, "j%zu", i + 1);
        snprintf(parent, sizeof parent, "l%c", s->parents[i]);
        snprintf(child, sizeof child, "l%zu", i + 1);
        snprintf(leader, sizeof leader, "j%c", s->leaders[i]);
        td_joint joint = td_joint_default(
            name, s->types[i] == 'p' ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS, parent, child);
        if (s->types[i] == 's') { /* the link in between keeps the axis in place */
            for (int k = 0; k < 3; k++)
                joint.origin.position[k] = 0.3 * axis[k];
        } else {
            td_random_fill(random, 3, joint.origin.position);
            td_random_rotation(random, joint.origin.rotation);
            do
                td_random_fill(random, 3, axis);
            while (fabs(axis[0]) + fabs(axis[1]) < 0.2);
            const double length = hypot(hypot(axis[0], axis[1]), axis[2]);
            for (int k = 0; k < 3; k++)
                axis[k] /= length;
        }
        memcpy(joint.axis, axis, sizeof axis);
        joint.mimic = s->leaders[i] == '.' ? NULL : leader;
        joint.multiplier = 0.7;
        add_link(builder, random, child, s->masses[i + 1], axis);
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return builder;
}

static bool takes_part(const shape *s, const td_model *model, size_t joint)
{
    const char *name = td_joint_at(model, joint)->name;
    return strchr(s->idle, strcmp(name, "base") == 0 ? '0' : name[1]) != NULL;
}

/* ---- statuses -------------------------------------------------------------------------------- */

enum { STATES = 11 };

static void check_status(const shape *s, const states *a, td_status status, const char *what)
{
    const td_model *model = a->a.model;
    if (!*s->idle) {
        ck_assert_msg(status == TD_OK, "%s, %s, %s: %s", td_isa(model), s->name, what,
                      td_status_text(status));
        return;
    }
    ck_assert_msg(status == TD_ERROR_SINGULAR, "%s, %s, %s: %s, %.3g", td_isa(model), s->name, what,
                  td_status_text(status), td_largest(2, a->memory));
    ck_assert(isnan(a->memory[0]));
    const size_t joint = td_singular_joint(a->a.w);
    ck_assert_uint_ne(joint, TD_NONE);
    ck_assert(takes_part(s, model, joint));
    if (s->blamed)
        ck_assert_str_eq(td_joint_at(model, joint)->name, s->blamed);
}

/* Checks every function that solves, for one state and in a batch: without given accelerations, and
   with given accelerations of all joints outside of that motion. */
static void check_functions(const shape *s, states *a, bool tree)
{
    const td_model *model = a->a.model;
    for (size_t j = 0; j < td_movable_count(model); j++) {
        const size_t joint = td_movable_joint(model, j);
        const td_joint_place p = td_joint_place_at(model, joint);
        const size_t first = tree ? p.qd : p.yd;
        for (size_t k = 0; first != TD_NONE && k < p.nv; k++)
            a->given[first + k] = *s->idle && !takes_part(s, model, joint);
    }
    a->forces.passive = false;
    for (size_t i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        if (!(f->takes & SOLVES))
            continue;
        for (size_t n = 0; n < STATES; n++) {
            states_clear(a, f, tree, 0);
            arguments one = function_row(f, &a->a, tree, n);
            memcpy(one.out, a->a.out, sizeof one.out);
            check_status(s, a, function_call(f, &one, tree, false), f->name);
        }
        if (!f->batch)
            continue;
        states_clear(a, f, tree, 0);
        check_status(s, a, function_call(f, &a->a, tree, true), f->name);
        for (size_t n = 0; n < STATES; n++)
            ck_assert_int_eq(a->a.each[n], *s->idle ? TD_ERROR_SINGULAR : TD_OK);
    }
}

/* constrained equations of motion and projections need the inverse of the tree's mass matrix */
static void check_constrained(const shape *s, states *a)
{
    const td_model *model = a->a.model;
    double *out = a->memory;
    check_status(
        s, a,
        td_constrained_forward_dynamics(model, a->a.w, a->y, a->yd, a->tau, NULL, NULL, out, NULL),
        "constrained_forward_dynamics");
    check_status(s, a, td_project_velocity(model, a->a.w, a->y, a->yd, out, NULL),
                 "project_velocity");
}

TD_LOOP_TEST(by_structure, 0, SHAPES *(int)(sizeof isas / sizeof *isas))
{
    const shape *s = &shapes[_i % SHAPES];
    const char *isa = isas[_i / SHAPES];
    if (!td_isa_choose(isa)) {
        printf("# %s: not on this machine\n", isa);
        return;
    }
    td_random random = {(uint64_t)(900 + _i % SHAPES)};
    for (int k = 0; k < 12; k++) {
        td_builder *builder = build(s, &random);
        const bool reduces = strspn(s->leaders, ".") < strlen(s->leaders);
        for (int plan = TD_PLAN_CLUSTER; plan <= (reduces ? TD_PLAN_REDUCED : TD_PLAN_CLUSTER);
             plan++) {
            td_load_options options = td_load_options_default();
            options.base = s->base;
            options.plan = (td_plan)plan;
            setenv("TANDEM_ISA", isa, 1);
            td_model *model = model_of_builder(builder, &options);
            unsetenv("TANDEM_ISA");
            for (int tree = 0; tree < (reduces ? 1 : 2); tree++) {
                states *a = states_new(&random, model, tree, STATES);
                check_functions(s, a, tree);
                if (tree)
                    check_constrained(s, a);
            }
        }
    }
}

/* A payload on a link of that motion makes the robot regular; a payload on other links does not.
   Without payloads the results are as before. */
TD_TEST(payloads)
{
    td_random random = {33};
    td_builder *builder = build(&shapes[0], &random);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    td_model *model = model_of_builder(builder, &options);
    const double com[3] = {0.1, 0.2, 0.3}, inertia[6] = {0.1, 0, 0, 0.1, 0, 0.1};
    states *a = states_new(&random, model, true, 1);
    td_workspace *w = a->a.w;
    for (int link = 0; link < 2; link++) {
        const size_t k = td_link_index(model, link ? "l2" : "l0");
        assert_ok(td_set_payload(w, k, 1, com, inertia));
        ck_assert_int_eq(td_forward_dynamics(model, w, a->y, a->yd, a->tau, NULL, a->memory),
                         link ? TD_ERROR_SINGULAR : TD_OK);
        ck_assert_int_eq(td_solve_mass_matrix(model, w, a->y, a->tau, NULL, a->memory),
                         link ? TD_ERROR_SINGULAR : TD_OK);
        assert_ok(td_set_payload(w, k, 0, NULL, NULL));
        ck_assert_int_eq(td_forward_dynamics(model, w, a->y, a->yd, a->tau, NULL, a->memory),
                         TD_ERROR_SINGULAR);
    }
}

/* Two hinges about one axis without inertia in between. With passive forces, a rotor at either
   hinge resists that motion, and a rotor elsewhere does not. */
TD_TEST(rotors)
{
    static const char *const at[] = {"", "1", "2", "3", "23", "123", "4", "14"};
    const shape two = {"two hinges", "0123", "rrsr", "11011", TD_BASE_FIXED, "....", "23", "j2"};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        td_random random = {71};
        td_builder *builder = build(&two, &random);
        for (const char *digit = at[i]; *digit; digit++) {
            const char joint[] = {'j', *digit, 0};
            td_transmission drive = td_transmission_default(joint, joint);
            drive.actuator = "motor";
            drive.mechanical_reduction = 10;
            drive.rotor_inertia = 1e-3;
            assert_ok(td_builder_add_transmission(builder, &drive));
        }
        td_model *model = model_of_builder(builder, NULL);
        td_workspace *w = test_workspace(model);
        const double q[4] = {0.3, -0.2, 0.9, 0.4}, qd[4] = {0}, tau[4] = {1, 2, 3, 4};
        double qdd[4];
        td_forces forces = td_forces_default();
        ck_assert_int_eq(td_forward_dynamics(model, w, q, qd, tau, &forces, qdd),
                         TD_ERROR_SINGULAR);
        forces.passive = true;
        const bool resisted = strpbrk(at[i], "23") != NULL;
        ck_assert_msg(td_forward_dynamics(model, w, q, qd, tau, &forces, qdd) ==
                          (resisted ? TD_OK : TD_ERROR_SINGULAR),
                      "rotors at '%s'", at[i]);
    }
}
