/* SPDX-License-Identifier: MIT */
/*
 * Tests robots with inertia only at the tip. Given accelerations, rotors or a payload resist some
 * of the motions that move no inertia, or payloads cancel the inertia of the other links. The mass
 * matrix is regular exactly if the unresisted coordinates do not exceed what the tip resists: six
 * for a body, three for a point mass, five for two point masses. Every function that solves must
 * report this at every state, for single states and lanes, by articulated bodies, clusters and
 * factors, with every instruction set. Its results satisfy the equations of motion.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "functions.h"
#include "kernel/isa.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};

enum { MOST = 11, STATES = 9 };

/* The inertia of the tip link, or of a payload. */
typedef enum tip { NOTHING, POINT, BODY } tip;

typedef struct chain {
    size_t joints;
    bool floating, rotor[MOST];
    bool emptied; /* other links are bodies whose inertia is canceled by payloads */
    double com[MOST][3];
    int leader[MOST]; /* −1: no leader */
    tip link, payload;
} chain;

static const double moments[6] = {0.3, 0, 0, 0.4, 0, 0.5}, mass = 1.5;

/* Returns how many directions the tip resists. */
static size_t resisted_by(tip link, tip payload)
{
    if (link == BODY || payload == BODY)
        return 6;
    return link == POINT && payload == POINT ? 5 : link == POINT || payload == POINT ? 3 : 0;
}

static chain draw(td_random *random)
{
    chain c = {.joints = 2 + td_random_below(random, MOST - 1)};
    c.floating = c.joints > 2 && td_random_below(random, 4) == 0;
    /* a floating base could rotate about a point mass */
    c.link = c.floating ? BODY : (tip)td_random_below(random, 3);
    c.payload = (tip)td_random_below(random, 3);
    c.emptied = td_random_below(random, 3) == 0;
    for (size_t i = 0; i < c.joints; i++) {
        td_random_fill(random, 3, c.com[i]);
        c.rotor[i] = td_random_below(random, 3) == 0;
        c.leader[i] =
            i > 0 && td_random_below(random, 5) == 0 ? (int)td_random_below(random, i) : -1;
    }
    return c;
}

static bool has_followers(const chain *c)
{
    for (size_t i = 0; i < c->joints; i++)
        if (c->leader[i] >= 0)
            return true;
    return false;
}

static void fill(td_link *link, const double com[3], tip what)
{
    link->has_inertial = what != NOTHING;
    link->mass = what != NOTHING ? mass : 0;
    memcpy(link->inertial.position, com, sizeof link->inertial.position);
    if (what == BODY)
        memcpy(link->inertia, moments, sizeof moments);
}

static td_builder *build(const chain *c, td_random *random)
{
    td_builder *builder = test_builder("chain");
    td_link link = td_link_default("l0");
    fill(&link, c->com[0], c->emptied ? BODY : NOTHING);
    assert_ok(td_builder_add_link(builder, &link));
    for (size_t i = 0; i < c->joints; i++) {
        char name[24], parent[24], child[24], leader[24];
        snprintf(name, sizeof name, "j%zu", i);
        snprintf(parent, sizeof parent, "l%zu", i);
        snprintf(child, sizeof child, "l%zu", i + 1);
        snprintf(leader, sizeof leader, "j%d", c->leader[i]);
        /* at most three slides have independent directions */
        td_joint joint = td_joint_default(
            name, i % 5 == 3 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS, parent, child);
        td_random_fill(random, 3, joint.origin.position);
        td_random_rotation(random, joint.origin.rotation);
        td_random_fill(random, 3, joint.axis);
        joint.mimic = c->leader[i] < 0 ? NULL : leader;
        joint.multiplier = 0.8;
        link = td_link_default(child);
        const bool is_tip = i + 1 == c->joints;
        fill(&link, c->com[is_tip ? 0 : i + 1], is_tip ? c->link : c->emptied ? BODY : NOTHING);
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        td_transmission drive = td_transmission_default(name, name);
        drive.actuator = "motor";
        drive.mechanical_reduction = 30;
        drive.rotor_inertia = 1e-3;
        if (c->rotor[i])
            assert_ok(td_builder_add_transmission(builder, &drive));
    }
    return builder;
}

static void add_payloads(const chain *c, td_random *random, td_workspace *w)
{
    const double inertia[6] = {0.5, 0.1, 0, 0.6, 0, 0.7};
    double com[3], none[6];
    td_random_fill(random, 3, com);
    for (int k = 0; k < 6; k++)
        none[k] = -moments[k];
    if (c->payload != NOTHING)
        assert_ok(td_set_payload(w, c->joints, 1, com, c->payload == BODY ? inertia : NULL));
    for (size_t k = 0; c->emptied && k < c->joints; k++)
        assert_ok(td_set_payload(w, k, -mass, c->com[k], none));
}

/* Counts the coordinates that neither a rotor (rotors) nor a given acceleration (given) resists. */
static size_t free_coordinates(const chain *c, const states *a, bool tree, bool rotors, bool given)
{
    const td_model *model = a->a.model;
    bool held[MOST + 6] = {0};
    size_t n = tree ? td_nv(model) : td_nyd(model), count = 0;
    for (size_t i = 0; given && i < n; i++)
        held[i] = a->given[i];
    for (size_t i = 0; rotors && i < c->joints; i++) {
        size_t joint = i;
        while (!tree && c->leader[joint] >= 0)
            joint = (size_t)c->leader[joint];
        char name[24];
        snprintf(name, sizeof name, "j%zu", joint);
        const td_joint_place p = td_joint_place_at(model, td_joint_index(model, name));
        held[tree ? p.qd : p.yd] |= c->rotor[i];
    }
    for (size_t i = 0; i < n; i++)
        count += !held[i];
    return count;
}

/* Checks H ÿ + C = τ of a state, to the rounding of its terms. */
static void check_motion(const states *a, bool tree, size_t row, const double *ydd,
                         const double *tau)
{
    const td_model *model = a->a.model;
    const size_t nq = tree ? td_nq(model) : td_ny(model), n = tree ? td_nv(model) : td_nyd(model);
    const double *y = a->y + row * nq, *yd = a->yd + row * n;
    double *H = doubles(n * n), *sum = doubles(n);
    assert_ok(
        TD_IN(a->a.w, coordinates_for(tree), td_mass_matrix(model, a->a.w, y, a->a.forces, H)));
    assert_ok(TD_IN(a->a.w, coordinates_for(tree),
                    td_bias_force(model, a->a.w, y, yd, a->a.forces, sum)));
    double size = 1;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fmax(fabs(sum[i]), fabs(tau[i])));
        for (size_t j = 0; j < n; j++) {
            sum[i] += H[i * n + j] * ydd[j];
            size = fmax(size, fabs(H[i * n + j] * ydd[j]));
        }
    }
    td_assert_close(n, sum, tau, 1e-9, size);
}

static void check_function(const function *f, const chain *c, states *a, bool tree,
                           size_t counts[2])
{
    const td_model *model = a->a.model;
    const bool hybrid = f->takes & TAKES_GIVEN;
    const bool regular =
        free_coordinates(c, a, tree, a->forces.passive, hybrid) <= resisted_by(c->link, c->payload);
    const td_status want = regular ? TD_OK : TD_ERROR_SINGULAR;
    const size_t n = tree ? td_nv(model) : td_nyd(model);
    counts[regular]++;
    for (size_t row = 0; row < STATES; row++) {
        states_clear(a, f, tree, 0);
        arguments one = function_row(f, &a->a, tree, row);
        memcpy(one.out, a->a.out, sizeof one.out);
        const td_status status = function_call(f, &one, tree, false);
        ck_assert_msg(status == want, "%s, %s, %d, state %zu: %s", td_isa(model), f->name, tree,
                      row, td_status_text(status));
        ck_assert(regular || isnan(one.out[0][0]));
        if (regular && f->takes & TAKES_YD)
            check_motion(a, tree, row, one.out[0], hybrid ? one.out[1] : a->tau + row * n);
    }
    states_clear(a, f, tree, 0);
    ck_assert_int_eq(function_call(f, &a->a, tree, true), want);
    for (size_t row = 0; row < STATES; row++) {
        ck_assert_int_eq(a->a.each[row], want);
        if (regular && f->takes & TAKES_YD)
            check_motion(a, tree, row, a->a.out[0] + row * n,
                         (hybrid ? a->a.out[1] : a->tau) + row * n);
    }
}

static void check_chain(const chain *c, const td_builder *builder, td_plan plan, td_random *random,
                        size_t counts[2])
{
    td_load_options options = td_load_options_default();
    options.base = c->floating ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.plan = plan;
    td_model *model = model_of_builder(builder, &options);
    for (int tree = 0; tree < 2; tree++) {
        states *a = states_new(random, model, tree, STATES);
        a->forces.wrenches_per_state = false; /* check_motion uses a single state */
        const size_t n = tree ? td_nv(model) : td_nyd(model);
        add_payloads(c, random, a->a.w);
        for (int passive = 0; passive < 2; passive++) {
            a->forces.passive = passive;
            const size_t seldom = 1 + td_random_below(random, 3);
            /* accelerations of all coordinates of a base or of none */
            for (size_t i = 0; i < n; i++)
                a->given[i] = c->floating && i % 6 && i < 6 ? a->given[0]
                                                            : td_random_below(random, seldom) == 0;
            for (size_t i = 0; i < function_count; i++)
                if (functions[i].takes & SOLVES)
                    check_function(&functions[i], c, a, tree, counts);
        }
    }
}

TD_LOOP_TEST(chains, 0, sizeof isas / sizeof *isas)
{
    if (!td_isa_choose(isas[_i])) {
        printf("# %s: not on this machine\n", isas[_i]);
        return;
    }
    td_random random = {61};
    size_t counts[2] = {0, 0};
    setenv("TANDEM_ISA", isas[_i], 1);
    for (int k = 0; k < 150; k++) {
        const chain c = draw(&random);
        td_builder *builder = build(&c, &random);
        check_chain(&c, builder, TD_PLAN_CLUSTER, &random, counts);
        if (has_followers(&c))
            check_chain(&c, builder, TD_PLAN_REDUCED, &random, counts);
    }
    unsetenv("TANDEM_ISA");
    ck_assert_uint_ge(counts[0], 400);
    ck_assert_uint_ge(counts[1], 400);
}
