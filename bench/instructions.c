/* SPDX-License-Identifier: MIT */
/*
 * A fixed amount of work for counting instructions: one function, called again and again on a chain
 * of a given length. Prints nothing; instructions.sh runs it under valgrind, which counts in the
 * functions counted_NAME only.
 * A call of a batch function does STATES states, a whole number of rounds of the lanes.
 *
 *   instructions FUNCTION SIZE CALLS
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tandem/tandem.h"

/* a link of 0.5 kg below a joint; leader NULL for an independent one */
static void add(td_builder *builder, size_t i, size_t parent, int axis, const char *leader,
                double multiplier)
{
    char parent_name[24], name[24], joint_name[24];
    snprintf(parent_name, sizeof parent_name, "l%zu", parent);
    snprintf(name, sizeof name, "l%zu", i);
    snprintf(joint_name, sizeof joint_name, "j%zu", i);
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 0.5;
    link.inertial.position[2] = 0.05;
    link.inertia[0] = link.inertia[3] = 1e-3;
    link.inertia[5] = 5e-4;
    td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, parent_name, name);
    joint.axis[0] = axis == 0, joint.axis[1] = axis == 1, joint.axis[2] = axis == 2;
    joint.origin.position[2] = 0.1;
    joint.mimic = leader;
    joint.multiplier = multiplier;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
}

static td_model *finish(td_builder *builder, td_plan plan)
{
    td_load_options options = td_load_options_default();
    options.plan = plan;
    td_model *model = NULL;
    td_builder_finish(builder, &options, NULL, &model);
    td_builder_free(builder);
    return model;
}

/* axes x, y, z in turn */
static td_model *chain(size_t joints)
{
    td_builder *builder;
    td_builder_new("chain", &builder);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= joints; i++)
        add(builder, i, i - 1, (int)((i + 2) % 3), NULL, 1);
    return finish(builder, TD_PLAN_AUTO);
}

/* parallelograms, each standing on the coupler of the one before: crank, coupler, rocker */
static td_model *parallelograms(size_t modules, td_plan plan)
{
    td_builder *builder;
    td_builder_new("parallelograms", &builder);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t m = 0; m < modules; m++) {
        char leader[24];
        size_t ground = m ? 3 * m - 1 : 0, crank = 3 * m + 1;
        snprintf(leader, sizeof leader, "j%zu", crank);
        int axis = (int)(m % 3);
        add(builder, crank, ground, axis, NULL, 1);
        add(builder, crank + 1, crank, axis, leader, -1);
        add(builder, crank + 2, ground, axis, leader, 1);
    }
    return finish(builder, plan);
}

/* an arm of seven joints with that many fingers of three, the outer two of which follow the first
 */
static td_model *hand_on_arm(size_t fingers, td_plan plan)
{
    td_builder *builder;
    td_builder_new("hand on arm", &builder);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= 7; i++)
        add(builder, i, i - 1, (int)(i % 3), NULL, 1);
    for (size_t f = 0; f < fingers; f++) {
        char leader[24];
        size_t first = 8 + 3 * f;
        snprintf(leader, sizeof leader, "j%zu", first);
        add(builder, first, 7, 0, NULL, 1);
        add(builder, first + 1, first, 0, leader, 0.9);
        add(builder, first + 2, first + 1, 0, leader, 0.7);
    }
    return finish(builder, plan);
}

/* a chain of pairs of joints, the second of which follows the first by a parabola */
static td_model *curves(size_t pairs)
{
    static const double parabola[] = {0, 1, 0.2};
    td_builder *builder;
    td_builder_new("curves", &builder);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t i = 1; i <= 2 * pairs; i++)
        add(builder, i, i - 1, (int)((i + 1) / 2 % 3), NULL, 1);
    for (size_t i = 1; i <= 2 * pairs; i += 2) {
        char leader[24], joint[24];
        snprintf(leader, sizeof leader, "j%zu", i);
        snprintf(joint, sizeof joint, "j%zu", i + 1);
        td_curve curve = td_curve_default(TD_CURVE_POLYNOMIAL, leader);
        curve.coefficient = parabola;
        curve.coefficients = sizeof parabola / sizeof *parabola;
        td_follower follower = td_follower_default(joint);
        follower.curve = &curve;
        follower.curves = 1;
        td_builder_add_follower(builder, &follower);
    }
    return finish(builder, TD_PLAN_AUTO);
}

/* a joint about y, or along x where it slides, at x, z of its parent */
static void add_bar(td_builder *builder, size_t i, size_t parent, bool slides, double x, double z,
                    int independent)
{
    char parent_name[24], name[24], joint_name[24];
    snprintf(parent_name, sizeof parent_name, "l%zu", parent);
    snprintf(name, sizeof name, "l%zu", i);
    snprintf(joint_name, sizeof joint_name, "j%zu", i);
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 0.5;
    link.inertial.position[2] = 0.1;
    link.inertia[0] = link.inertia[3] = 5e-3;
    link.inertia[5] = 2e-3;
    td_joint joint = td_joint_default(joint_name, slides ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                                      parent_name, name);
    joint.axis[0] = slides, joint.axis[1] = !slides;
    joint.limit.lower = -1, joint.limit.upper = 1;
    joint.origin.position[0] = x;
    joint.origin.position[2] = z;
    joint.independent = independent;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
}

/* crank-rockers or cranks and sliders, of both of which γ has a formula, each standing on the
 * coupler of the one before: crank, coupler, rocker or slider */
static td_model *four_bars(size_t modules, bool slides, td_plan plan)
{
    const double end = slides ? -0.1 : 0.3, height = 0.2 + end;
    td_builder *builder;
    td_builder_new("four-bars", &builder);
    td_link base = td_link_default("l0");
    td_builder_add_link(builder, &base);
    for (size_t m = 0; m < modules; m++) {
        char coupler[24], rocker[24], pin[24];
        size_t ground = m ? 3 * m - 1 : 0, crank = 3 * m + 1;
        add_bar(builder, crank, ground, false, 0, 0, 1);
        add_bar(builder, crank + 1, crank, false, 0, 0.2, 0);
        add_bar(builder, crank + 2, ground, slides, 0.5, 0, 0);
        snprintf(coupler, sizeof coupler, "l%zu", crank + 1);
        snprintf(rocker, sizeof rocker, "l%zu", crank + 2);
        snprintf(pin, sizeof pin, "pin%zu", m);
        td_loop loop = td_loop_default(pin, coupler, rocker);
        loop.axis[0] = 0, loop.axis[1] = 1;
        loop.predecessor_origin.position[0] = 0.5;
        loop.predecessor_origin.position[2] = end;
        loop.successor_origin.position[2] = height;
        td_builder_add_loop(builder, &loop);
    }
    return finish(builder, plan);
}

static bool has_sliders(const char *function)
{
    return strncmp(function, "slider-", 7) == 0;
}

static bool has_loops(const char *function)
{
    return strncmp(function, "loop-", 5) == 0 || has_sliders(function);
}

static bool is_one_of(const char *function, const char *one, const char *other)
{
    return strcmp(function, one) == 0 || strcmp(function, other) == 0;
}

static td_model *model_for(const char *function, size_t size)
{
    if (strncmp(function, "curve-", 6) == 0)
        return curves(size);
    if (is_one_of(function, "mimic-closure", "mimic-closure_batch"))
        return parallelograms(size, TD_PLAN_AUTO);
    if (is_one_of(function, "cluster", "cluster_batch"))
        return parallelograms(size, TD_PLAN_CLUSTER);
    if (is_one_of(function, "reduced", "reduced_batch"))
        return parallelograms(size, TD_PLAN_REDUCED);
    if (is_one_of(function, "hand-cluster", "hand-cluster_batch"))
        return hand_on_arm(size, TD_PLAN_CLUSTER);
    if (is_one_of(function, "hand-reduced", "hand-reduced_batch"))
        return hand_on_arm(size, TD_PLAN_REDUCED);
    if (has_loops(function))
        return four_bars(size, has_sliders(function),
                         strcmp(function, "loop-reduced") == 0 ? TD_PLAN_REDUCED : TD_PLAN_CLUSTER);
    return chain(size);
}

/* ---- functions ------------------------------------------------------------------------------- */

enum { STATES = 4 };

/* States and room for results, enough for STATES states. */
typedef struct work {
    td_model *model;
    td_workspace *workspace;
    size_t last; /* link at the end */
    double *q, *qd, *x, *out;
} work;

/* X(name, call on work w) */
#define FUNCTION_TABLE(X)                                                                          \
    X(fk, td_link_poses(w->model, w->workspace, w->q, w->out))                                     \
    X(rnea, td_inverse_dynamics(w->model, w->workspace, w->q, w->qd, w->x, NULL, w->out))          \
    X(aba, td_forward_dynamics(w->model, w->workspace, w->q, w->qd, w->x, NULL, w->out))           \
    X(crba, td_mass_matrix(w->model, w->workspace, w->q, NULL, w->out))                            \
    X(velocity, td_link_velocities(w->model, w->workspace, w->q, w->qd, TD_FRAME_WORLD, w->out))   \
    X(jacobian,                                                                                    \
      td_link_jacobian(w->model, w->workspace, w->last, NULL, w->q, TD_FRAME_WORLD, w->out))       \
    X(momentum,                                                                                    \
      td_centroidal_momentum_matrix(w->model, w->workspace, w->q, TD_SCOPE_MOVING, w->out))        \
    X(factors, td_mass_matrix_factors(w->model, w->workspace, w->q, NULL, w->out))                 \
    X(inverse, td_mass_matrix_inverse(w->model, w->workspace, w->q, NULL, w->out))                 \
    X(coriolis, td_coriolis_matrix(w->model, w->workspace, w->q, w->qd, w->out))                   \
    X(derivatives,                                                                                 \
      td_inverse_dynamics_derivatives(w->model, w->workspace, w->q, w->qd, w->x, NULL, NULL,       \
                                      w->out, w->out + td_nyd(w->model) * td_nyd(w->model),        \
                                      w->out + 2 * td_nyd(w->model) * td_nyd(w->model)))           \
    X(closure, td_closure(w->model, w->workspace, w->q, w->qd, w->x, w->out,                       \
                          w->out + td_nq(w->model), w->out + 2 * td_nq(w->model)))                 \
    X(closure_batch, td_batch_closure(w->model, w->workspace, STATES, w->q, w->qd, w->x, w->out,   \
                                      w->out + STATES * td_nq(w->model),                           \
                                      w->out + 2 * STATES * td_nq(w->model), NULL))                \
    X(fk_batch, td_batch_link_poses(w->model, w->workspace, STATES, w->q, w->out, NULL))           \
    X(rnea_batch, td_batch_inverse_dynamics(w->model, w->workspace, STATES, w->q, w->qd, w->x,     \
                                            NULL, w->out, NULL))                                   \
    X(aba_batch, td_batch_forward_dynamics(w->model, w->workspace, STATES, w->q, w->qd, w->x,      \
                                           NULL, w->out, NULL))                                    \
    X(crba_batch, td_batch_mass_matrix(w->model, w->workspace, STATES, w->q, NULL, w->out, NULL))  \
    X(factors_batch,                                                                               \
      td_batch_mass_matrix_factors(w->model, w->workspace, STATES, w->q, NULL, w->out, NULL))

#define FUNCTION_DEFINITION(name, call)                                                            \
    static void counted_##name(const work *w)                                                      \
    {                                                                                              \
        call;                                                                                      \
    }
FUNCTION_TABLE(FUNCTION_DEFINITION)

static const struct {
    const char *name;
    void (*call)(const work *w);
} functions[] = {
#define FUNCTION_ROW(name, call) {#name, counted_##name},
    FUNCTION_TABLE(FUNCTION_ROW)
    /* forward dynamics by either plan */
    {"cluster", counted_aba},
    {"reduced", counted_aba},
    {"hand-cluster", counted_aba},
    {"hand-reduced", counted_aba},
    {"cluster_batch", counted_aba_batch},
    {"reduced_batch", counted_aba_batch},
    {"hand-cluster_batch", counted_aba_batch},
    {"hand-reduced_batch", counted_aba_batch},
    /* chains of four-bars */
    {"loop-closure", counted_closure},
    {"loop-rnea", counted_rnea},
    {"loop-crba", counted_crba},
    {"loop-cluster", counted_aba},
    {"loop-reduced", counted_aba},
    {"loop-rnea_batch", counted_rnea_batch},
    {"loop-closure_batch", counted_closure_batch},
    {"loop-cluster_batch", counted_aba_batch},
    /* chains of cranks and sliders */
    {"slider-closure", counted_closure},
    {"slider-rnea", counted_rnea},
    {"slider-rnea_batch", counted_rnea_batch},
    {"slider-closure_batch", counted_closure_batch},
    /* linear followers, and followers by curves */
    {"mimic-closure", counted_closure},
    {"mimic-closure_batch", counted_closure_batch},
    {"curve-closure", counted_closure},
    {"curve-aba", counted_aba},
    {"curve-closure_batch", counted_closure_batch},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void work_new(work *w, td_model *model)
{
    size_t n = td_nyd(model), links = td_link_count(model);
    w->model = model;
    td_workspace_new(model, NULL, &w->workspace);
    w->last = links - 1;
    w->q = calloc(STATES * n, sizeof *w->q);
    w->qd = calloc(STATES * n, sizeof *w->qd);
    w->x = calloc(STATES * n, sizeof *w->x);
    w->out = calloc(STATES * (3 * n * n + 12 * links + 3 * td_nq(model)), sizeof *w->out);
    if (!w->workspace || !w->q || !w->qd || !w->x || !w->out)
        abort();
    for (size_t i = 0; i < STATES * n; i++)
        w->q[i] = 0.01 * (double)(i % n), w->qd[i] = 0.02, w->x[i] = 0.03;
}

static void work_free(work *w)
{
    free(w->q), free(w->qd), free(w->x), free(w->out);
    td_workspace_free(w->workspace);
    td_model_free(w->model);
}

static void usage(void)
{
    fprintf(stderr, "usage: instructions FUNCTION SIZE CALLS\nfunctions:");
    for (size_t i = 0; i < FUNCTIONS; i++)
        fprintf(stderr, " %s", functions[i].name);
    fputc('\n', stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        usage();
    size_t chosen = 0;
    while (chosen < FUNCTIONS && strcmp(argv[1], functions[chosen].name) != 0)
        chosen++;
    td_model *model = model_for(argv[1], (size_t)atol(argv[2]));
    if (chosen == FUNCTIONS || !model)
        usage();
    work w;
    work_new(&w, model);
    /* loops start where the last call closed them, here 0.01 rad before: 10 rad/s at 1 kHz */
    size_t moves = has_loops(argv[1]) ? td_nyd(model) : 0;
    for (size_t i = 0; i < STATES * moves; i++)
        w.q[i] = 0.3;
    if (moves)
        td_closure(model, w.workspace, w.q, NULL, NULL, w.out, NULL, NULL);
    for (long calls = atol(argv[3]); calls > 0; calls--) {
        for (size_t i = 0; i < moves; i++)
            w.q[i] += 0.01;
        functions[chosen].call(&w);
    }
    work_free(&w);
    return 0;
}
