/* SPDX-License-Identifier: MIT */
/*
 * Fills a workspace's memory with different bytes before it is initialized. Every function must
 * return the same numbers and statuses to the last bit, and only existing statuses. The robots are
 * random: trees of all joint types, linear and curved followers, and iterated loops, also next to
 * curves. Motors are in the loops or elsewhere. Both sets of coordinates, single states and batches
 * are covered.
 */
#include <stdlib.h>
#include <string.h>

#include "coupled_robots.h"
#include "curve_robots.h"
#include "dynamics/workspace.h"
#include "functions.h"
#include "loop_robots.h"
#include "object_functions.h"

enum { ROBOTS = 28, STATES = 5 };

/* 0, then 32.5 and −8.6e3 as doubles, and NaN */
static const int bytes[] = {0, 0x40, 0xC0, 0xff};
enum { FILLS = sizeof bytes / sizeof *bytes };

/* ---- robots ---------------------------------------------------------------------------------- */

/* Adds a row of four joints. c3 follows c1, or c1 and c2, through curves. c4 may follow c3. */
static void add_curves(td_builder *builder, td_random *random, const char *base)
{
    static const char *const names[] = {"c1", "c2", "c3", "c4"};
    const char *parent = base;
    for (int i = 0; i < 4; i++) {
        const td_link link = curve_link(names[i]);
        td_joint joint = td_joint_default(names[i], TD_JOINT_CONTINUOUS, parent, names[i]);
        joint.axis[0] = i % 3 == 0, joint.axis[1] = i % 3 == 1, joint.axis[2] = i % 3 == 2;
        joint.origin.position[0] = 0.3;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        parent = i == 0 || td_random_below(random, 2) ? names[i] : base;
    }
    static const double coefficient[] = {0, 0.5, 0.2};
    const td_curve curves[] = {curve_polynomial("c1", 3, coefficient),
                               curve_sine("c2", 0.4, 1.5, 0.2)};
    curve_follow(builder, "c3", curves, 1 + td_random_below(random, 2), 0.1);
    if (td_random_below(random, 2)) {
        const td_curve chained = curve_sine("c3", 0.3, 1, 0);
        curve_follow(builder, "c4", &chained, 1, 0);
    }
}

/* Adds a loop that is closed at every configuration: it only transmits forces. */
static void add_linear_loop(td_builder *builder)
{
    td_loop loop = td_loop_default("same", "c1", "c2");
    loop.type = TD_LOOP_SPHERICAL;
    loop.predecessor_origin.position[0] = 0.3; /* position of c2's joint on c1 */
    assert_ok(td_builder_add_loop(builder, &loop));
}

static td_model *robot(int i, td_random *random)
{
    static const unsigned chains[] = {CHAIN_OF_CRANK_ROCKERS, CHAIN_OF_PARALLELOGRAMS,
                                      CHAIN_CUT | CHAIN_OF_PARALLELOGRAMS, CHAIN_GEARED};
    const int kind = i % 7;
    td_load_options options = td_load_options_default();
    options.base = i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    options.plan = i / 7 % 2 ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED;
    td_builder *builder = kind < 4
                              ? chain_of_four_bars(1 + td_random_below(random, 2), chains[kind])
                          : kind == 4 ? td_random_limbs(random, 7, 3, false, 3)
                          : kind == 5 ? coupled_random(random, 8)
                                      : coupled_hand_on_arm();
    if (kind < 4 && i / 7 % 2)
        add_curves(builder, random, "base");
    if (kind < 4 && i / 7 == 3)
        add_linear_loop(builder);
    if (kind < 4 && i / 14 && chains[kind] == (chains[kind] & CHAIN_GEARED)) {
        const td_transmission motor = td_transmission_default("motor", "pin0");
        assert_ok(td_builder_add_transmission(builder, &motor));
        options.actuation = TD_ACTUATION_TRANSMISSION;
    }
    setenv("TANDEM_ISA", i % 3 ? "" : "baseline", 1);
    td_model *model = model_of_builder(builder, &options);
    unsetenv("TANDEM_ISA");
    return model;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

static uint64_t check_status(const char *name, td_status status)
{
    ck_assert_msg(strncmp(td_status_text(status), "unknown", 7) != 0, "%s: status %d", name,
                  (int)status);
    return td_digest(0, &status, sizeof status);
}

static uint64_t of_table(states *s, const function *f, bool tree, bool batch, int byte)
{
    td_workspace_fill(s->a.w, byte);
    states_clear(s, f, tree, 4711);
    uint64_t sum = check_status(f->name, function_call(f, &s->a, tree, batch));
    for (size_t i = 0; batch && i < s->a.n; i++)
        sum += check_status(f->name, s->a.each[i]);
    return td_digest(sum, s->memory, s->room * sizeof *s->memory);
}

static int worked; /* calls */

TD_LOOP_TEST(table, 0, ROBOTS)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = robot(_i, &random);
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(&random, model, tree, STATES);
        for (size_t i = 0; i < STATES; i++)
            td_draw_configuration(&random, model, tree, 0.3,
                                  s->y + i * (tree ? td_nq(model) : td_ny(model)));
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                const function *f = &functions[k];
                const uint64_t first = of_table(s, f, tree, batch, bytes[0]);
                worked += !batch || s->a.each[0] == TD_OK;
                for (int b = 1; b < FILLS; b++)
                    ck_assert_msg(of_table(s, f, tree, batch, bytes[b]) == first,
                                  "%s reads what was left: %s, %02x", f->name,
                                  batch ? "a batch" : "one state", (unsigned)bytes[b]);
            }
    }
    ck_assert_int_gt(worked, 20);
}

/* Computes digests of all other functions in turn, in workspaces filled with that byte. */
static size_t of_others(const td_model *model, int byte, uint64_t *sums, const char **names)
{
    td_random random = {77};
    size_t count = 0;
    for (size_t k = 0; k < other_function_count; k++) {
        OWNED_HERE;
        const other_function *f = &other_functions[k];
        other_arguments *a = other_arguments_new(&random, model, 4711);
        td_workspace_fill(a->w, byte);
        uint64_t sum = check_status(f->name, f->call(a));
        for (size_t p = 0; p < OTHER_PARTS; p++)
            sum = td_digest(sum, a->out[p], a->room * sizeof *a->out[p]);
        names[count] = f->name;
        sums[count++] = td_digest(sum, a->each, sizeof a->each);
    }
    for (size_t k = 0; k < object_function_count; k++) {
        OWNED_HERE;
        if (strncmp(object_functions[k].name, "td_reduction", 12) == 0 ||
            strcmp(object_functions[k].name, "td_ik_solve_path") == 0)
            continue; /* the function has no workspace argument, or owns one */
        other_arguments *a = other_arguments_new(&random, model, 4711);
        objects *o = objects_new(&random, a);
        td_workspace_fill(a->w, byte);
        object_functions[k].call(o);
        uint64_t sum = objects_digest(o, td_digest);
        for (size_t p = 0; p < OTHER_PARTS; p++)
            sum = td_digest(sum, a->out[p], a->room * sizeof *a->out[p]);
        names[count] = object_functions[k].name;
        sums[count++] = sum;
    }
    return count;
}

TD_LOOP_TEST(others, 0, ROBOTS)
{
    td_random random = {(uint64_t)_i + 1};
    td_model *model = robot(_i, &random);
    const size_t most = other_function_count + object_function_count;
    uint64_t *sums = test_calloc(2 * most, sizeof *sums), *first = sums + most;
    const char **names = test_calloc(most, sizeof *names);
    const size_t count = of_others(model, bytes[0], first, names);
    for (int b = 1; b < FILLS; b++) {
        of_others(model, bytes[b], sums, names);
        for (size_t k = 0; k < count; k++)
            ck_assert_msg(sums[k] == first[k], "%s reads what was left, %02x", names[k],
                          (unsigned)bytes[b]);
    }
}
