/* SPDX-License-Identifier: MIT */
/*
 * The table of functions of objects (see object_functions.h).
 */
#include "object_functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "linear/linear.h"
#include "owned_inside.h"
#include "sweep/sample.h"
#include "tandem/completion.h"
#include "tandem/export.h"
#include "tandem/ik_path.h"
#include "tandem/ik_rate.h"
#include "tandem/linearize.h"
#include "tandem/payload.h"

enum { ROWS = 2, REACH = 6, LEAF = TD_REDUCTION_LEAF, COLUMNS = 3, DIMENSIONS = 8, MOST = 3 };

struct objects {
    other_arguments *a;
    td_forces forces;
    double *y; /* ny: result */
    /* a linear system: n states, m inputs */
    td_linearization *l;
    size_t n, m;
    double *A, *B, *Q, *R, *K, *S, *Ad, *Bd, *real, *imaginary;
    /* inverse kinematics */
    td_ik *ik;
    td_ik_rate *rate;
    td_ik_all_options all;
    td_ik_path_options path;
    double *targets, *postures, *residuals; /* rows */
    signed char *active;
    td_completion *completion;
    double *position;
    /* rows */
    td_reduction *reduction, *other;
    double *points;
    size_t link;
    uint64_t model; /* digest of the model */
};

/* ---- the table ------------------------------------------------------------------------------- */

static double *found(objects *o)
{
    memcpy(o->y, o->a->y, td_ny(o->a->model) * sizeof *o->y);
    return o->y;
}
/* X(name, whether it allocates, its arguments) */
#define TABLE(X)                                                                                   \
    X(linearize, false, (o->l, w, a->y, a->yd, NULL, &o->forces))                                  \
    X(linearize_held, false, (o->l, w, a->y, a->yd, &o->forces))                                   \
    X(equilibrium, false, (o->l, w, found(o), NULL, &o->forces, NULL))                             \
    X(link_compliance, true,                                                                       \
      (a->model, w, o->link, NULL, a->y, &o->forces, NULL, NULL, a->out[0], a->out[1]))            \
    X(ik_solve, false, (o->ik, w, o->targets, a->y, o->postures, o->residuals, NULL))              \
    X(ik_solve_rows, false,                                                                        \
      (o->ik, w, ROWS, o->targets, TD_IK_SEEDS_BEFORE, a->y, o->postures, o->residuals, NULL))     \
    X(ik_solve_all, false,                                                                         \
      (o->ik, w, o->targets, a->y, &o->all, MOST, o->postures, NULL, o->residuals, &(size_t){0},   \
       NULL))                                                                                      \
    X(ik_solve_path, true,                                                                         \
      (o->ik, w, ROWS, o->targets, a->y, &o->path, o->postures, NULL, o->residuals, NULL, NULL))   \
    X(ik_rate_solve, false,                                                                        \
      (o->rate, w, a->y, a->yd, o->targets, o->postures, o->residuals, o->active, NULL))           \
    X(completion_start, false, (o->completion, NULL))                                              \
    X(complete, false, (o->completion, o->position, a->yd, a->out[0], a->out[1], NULL))            \
    X(model_digest, true, (a->model, w, &o->model))                                                \
    X(set_gravity, false, (w, (const double[]){0, 0, -9.81}))                                      \
    X(gravity, false, (a->model, w))                                                               \
    X(set_payload, false, (w, o->link, 0.1, NULL, NULL))                                           \
    X(set_payload_rows, false, (w, 0, 0, NULL, NULL))                                              \
    X(clear_payloads, false, (w))                                                                  \
    X(use_coordinates, false, (w, td_used_coordinates(w)))                                         \
    X(used_coordinates, false, (w))                                                                \
    X(chart_use, false, (w, false))                                                                \
    X(chart_is_used, false, (w))                                                                   \
    X(failed_loop, false, (w, NULL))                                                               \
    X(failed_path, false, (w))                                                                     \
    X(singular_joint, false, (w))                                                                  \
    X(argument_fault, false, (w))                                                                  \
    X(workspace_threads, false, (w))

/* Functions that no library exports; they are linked into the command and the Python package. */
#define INNER_TABLE(X)                                                                             \
    X(linear_eigenvalues, true, (o->n, o->A, o->real, o->imaginary))                               \
    X(linear_discrete, true, (o->n, o->m, o->A, o->B, 0.01, o->Ad, o->Bd))                         \
    X(linear_controllable, true, (o->n, o->m, o->A, o->B, 0, &(size_t){0}, &(size_t){0}, o->real)) \
    X(linear_regulator, true, (o->n, o->m, o->A, o->B, o->Q, o->R, false, o->K, o->S))             \
    X(reduction_clear, false, (o->reduction))                                                      \
    X(reduction_add, true, (o->reduction, 0, LEAF, o->points, NULL))                               \
    X(reduction_merge, true, (o->reduction, o->other))                                             \
    X(reduction_moments, false, (o->reduction, 0, &(td_moments){0}))                               \
    X(reduction_percentile, false, (o->reduction, 1, 0.5))                                         \
    X(sobol_points, false, (1, 0, LEAF, DIMENSIONS, o->points))                                    \
    X(random_points, false, (1, 0, LEAF, DIMENSIONS, o->points))                                   \
    X(normal_quantile, false, (0.3))

#define SPREAD(...) __VA_ARGS__
#define CALL(name, allocates, taken)                                                               \
    static void call_##name(objects *o)                                                            \
    {                                                                                              \
        other_arguments *const a = o->a;                                                           \
        td_workspace *const w = a->w;                                                              \
        (void)w;                                                                                   \
        (void)td_##name(SPREAD taken);                                                             \
    }
TABLE(CALL)
INNER_TABLE(CALL)

#define ENTRY(name, allocates, taken) {"td_" #name, allocates, false, call_##name},
#define INNER(name, allocates, taken) {"td_" #name, allocates, true, call_##name},
const object_function object_functions[] = {TABLE(ENTRY) INNER_TABLE(INNER)};
const size_t object_function_count = sizeof object_functions / sizeof *object_functions;

const char *const functions_of_set_up[] = {"td_workspace_free", "td_allow_payloads",
                                           "td_trajectory_time_scale", NULL};

/* ---- objects --------------------------------------------------------------------------------- */

static double *random_doubles(td_random *random, size_t n)
{
    double *x = doubles(n);
    td_random_fill(random, n, x);
    return x;
}

static void take_system(objects *o, td_random *random)
{
    const td_model *model = o->a->model;
    const td_inputs inputs = td_nu(model) > 0 ? TD_INPUTS_MOTORS : TD_INPUTS_FORCES;
    assert_ok(test_linearization_new(model, inputs, &o->l));
    const size_t n = o->n = td_linearization_states(o->l), m = o->m = td_linearization_inputs(o->l);
    o->A = random_doubles(random, n * n), o->B = random_doubles(random, n * m);
    o->Q = doubles(n * n), o->R = doubles(m * m);
    o->K = doubles(m * n), o->S = doubles(n * n);
    o->Ad = doubles(n * n), o->Bd = doubles(n * m);
    o->real = doubles(n), o->imaginary = doubles(n);
    for (size_t i = 0; i < n; i++)
        o->Q[i * n + i] = 1;
    for (size_t i = 0; i < m; i++)
        o->R[i * m + i] = 1;
}

static void take_goals(objects *o)
{
    const td_model *model = o->a->model;
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, o->link);
    td_ik_options options = td_ik_options_default();
    options.evaluations = 200; /* an unreachable target makes the search long */
    assert_ok(test_ik_new(model, &goal, 1, &options, &o->ik));
    assert_ok(test_ik_rate_new(model, &goal, 1, NULL, &o->rate));
    o->all = td_ik_all_options_default();
    o->all.starts = 4;
    o->path = td_ik_path_options_default();
    o->path.starts = 1;
    o->targets = doubles(ROWS * REACH);
    for (size_t i = 0; i < ROWS * REACH; i++)
        o->targets[i] = 0.1;
    o->postures = doubles(MOST * td_nq(model));
    o->residuals = doubles(2 * MOST);
    o->active = test_calloc(td_nv(model) + 1, 1);
}

/* all independent one-coordinate joints are measured */
static void take_measured(objects *o)
{
    const td_model *model = o->a->model;
    const char **names = test_calloc(td_joint_count(model) + 1, sizeof *names);
    size_t count = 0;
    o->position = doubles(td_joint_count(model));
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const size_t joint = td_independent_joint(model, i);
        const td_joint_place place = td_joint_place_at(model, joint);
        if (place.nq == 1 && place.y != TD_NONE) {
            o->position[count] = o->a->y[place.y];
            names[count++] = td_joint_at(model, joint)->name;
        }
    }
    if (test_completion_new(model, names, count, 1e-3, &o->completion) != TD_OK)
        o->completion = NULL; /* loops that close nowhere nearby */
}

static td_reduction *reduction_new(void)
{
    td_reduction *reduction;
    td_keep keeps[] = {td_keep_default(), td_keep_default(), td_keep_default()};
    keeps[1].kind = TD_KEEP_HISTOGRAM;
    keeps[1].axis_count = 1;
    keeps[1].axes[0] = (td_axis){0, 0, 1, 10};
    keeps[2].kind = TD_KEEP_LARGEST;
    keeps[2].count = 5;
    assert_ok(test_reduction_new(4 * LEAF, COLUMNS, keeps, 3, 2, &reduction));
    return reduction;
}

objects *objects_new(td_random *random, other_arguments *a)
{
    objects *o = test_calloc(1, sizeof *o);
    o->a = a;
    o->forces = td_forces_default();
    o->forces.passive = true;
    o->link = td_link_count(a->model) - 1;
    o->y = doubles(td_ny(a->model));
    take_system(o, random);
    take_goals(o);
    take_measured(o);
    o->points = random_doubles(random, LEAF * DIMENSIONS);
    o->reduction = reduction_new();
    o->other = reduction_new();
    assert_ok(td_reduction_add(o->other, 2 * LEAF, LEAF, o->points, NULL));
    assert_ok(td_allow_payloads(a->w));
    return o;
}

uint64_t objects_digest(const objects *o,
                        uint64_t (*digest)(uint64_t before, const void *at, size_t size))
{
    const td_model *model = o->a->model;
    const size_t n = o->n, m = o->m;
    const struct {
        const double *at;
        size_t count;
    } found[] = {{o->y, td_ny(model)},
                 {o->A, n * n},
                 {o->B, n * m},
                 {o->K, m * n},
                 {o->S, n * n},
                 {o->Ad, n * n},
                 {o->Bd, n * m},
                 {o->real, n},
                 {o->imaginary, n},
                 {o->postures, MOST * td_nq(model)},
                 {o->residuals, 2 * MOST},
                 {td_linearization_A(o->l), n * n},
                 {td_linearization_B(o->l), n * m},
                 {td_linearization_ydd(o->l), n / 2}};
    uint64_t sum = digest(0, o->active, td_nv(model));
    sum = digest(sum, &o->model, sizeof o->model);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        sum = digest(sum, found[i].at, found[i].count * sizeof(double));
    return sum;
}

/* ---- declarations ---------------------------------------------------------------------------- */

bool next_of_workspace(const char **at, char *name, size_t room)
{
    static const char argument[] = "td_workspace *workspace";
    const char *found;
    do {
        found = strstr(*at, argument);
        if (!found)
            return false;
        *at = found + sizeof argument - 1;
        while (!strchr("(;{", found[-1])) /* an argument that is no function */
            found--;
    } while (found[-1] != '('); /* a member of a struct */
    const char *end = found - 1, *first = end;
    while (isalnum((unsigned char)first[-1]) || first[-1] == '_')
        first--;
    snprintf(name, room, "%.*s", (int)(end - first), first);
    return true;
}
