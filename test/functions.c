/* SPDX-License-Identifier: MIT */
/*
 * The table of functions.
 */
#include "functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the kinds of outputs */
enum {
    NONE,
    NUMBERS_2,
    NUMBERS_3,
    NUMBERS_6,
    NUMBERS_9,
    VECTOR,
    MATRIX,
    ROWS_3,
    ROWS_6,
    LINKS_12,
    LINKS_6,
    JOINTS_6,
    LOOPS_6,
    COLUMNS,
};

#define TERMS                                                                                      \
    (&(td_terms){.size_of = sizeof(td_terms),                                                      \
                 .H = a->out[0],                                                                   \
                 .C = a->out[1],                                                                   \
                 .gravity = a->out[2],                                                             \
                 .poses = a->out[3],                                                               \
                 .velocities = a->out[4],                                                          \
                 .accelerations = a->out[5],                                                       \
                 .com = a->out[6],                                                                 \
                 .centroidal_momentum_matrix = a->out[7],                                          \
                 .energy = a->out[8],                                                              \
                 .frame = a->frame})

#define DYNAMIC (TAKES_YD | TAKES_YDD | TAKES_FORCES)
#define AT_LINK (TAKES_LINK | TAKES_FRAME)

/* X(name, what it takes, its arguments, its outputs) */
#define TABLE(X)                                                                                   \
    X(link_poses, 0, (a->y, a->out[0]), (LINKS_12))                                                \
    X(link_velocities, TAKES_YD | TAKES_FRAME, (a->y, a->yd, a->frame, a->out[0]), (LINKS_6))      \
    X(link_spatial_accelerations, TAKES_YD | TAKES_YDD | TAKES_FRAME,                              \
      (a->y, a->yd, a->ydd, a->frame, a->out[0]), (LINKS_6))                                       \
    X(link_classical_accelerations, TAKES_YD | TAKES_YDD | TAKES_FRAME,                            \
      (a->y, a->yd, a->ydd, a->frame, a->out[0]), (LINKS_6))                                       \
    X(point_motion, TAKES_YD | TAKES_YDD | TAKES_LINK,                                             \
      (a->link, a->point, a->y, a->yd, a->ydd, a->out[0]), (NUMBERS_9))                            \
    X(link_jacobian, AT_LINK, (a->link, a->point, a->frame, a->y, a->out[0]), (ROWS_6))            \
    X(motion_subspaces, TAKES_FRAME | MAY_LACK_OUTPUTS, (a->frame, a->y, a->out[0], a->out[1]),    \
      (COLUMNS, LINKS_12))                                                                         \
    X(link_bias_acceleration, AT_LINK | TAKES_YD,                                                  \
      (a->link, a->point, a->frame, a->y, a->yd, a->out[0]), (NUMBERS_6))                          \
    X(center_of_mass, TAKES_SCOPE, (a->y, a->scope, a->out[0]), (NUMBERS_3))                       \
    X(center_of_mass_motion, TAKES_SCOPE | TAKES_YD | TAKES_YDD,                                   \
      (a->y, a->yd, a->ydd, a->scope, a->out[0]), (NUMBERS_9))                                     \
    X(center_of_mass_jacobian, TAKES_SCOPE, (a->y, a->scope, a->out[0]), (ROWS_3))                 \
    X(centroidal_momentum_matrix, TAKES_SCOPE, (a->y, a->scope, a->out[0]), (ROWS_6))              \
    X(centroidal_momentum, TAKES_SCOPE | TAKES_YD, (a->y, a->yd, a->scope, a->out[0]),             \
      (NUMBERS_6))                                                                                 \
    X(centroidal_momentum_bias, TAKES_SCOPE | TAKES_YD, (a->y, a->yd, a->scope, a->out[0]),        \
      (NUMBERS_6))                                                                                 \
    X(energy, TAKES_SCOPE | TAKES_YD, (a->y, a->yd, a->scope, a->out[0]), (NUMBERS_2))             \
    X(inverse_dynamics, DYNAMIC, (a->y, a->yd, a->ydd, a->forces, a->out[0]), (VECTOR))            \
    X(forward_dynamics, TAKES_YD | TAKES_TAU | TAKES_FORCES | SOLVES,                              \
      (a->y, a->yd, a->tau, a->forces, a->out[0]), (VECTOR))                                       \
    X(hybrid_dynamics, DYNAMIC | TAKES_TAU | TAKES_GIVEN | SOLVES,                                 \
      (a->y, a->yd, a->given, a->forces, a->out[0], a->out[1]), (VECTOR, VECTOR))                  \
    X(mass_matrix, TAKES_FORCES, (a->y, a->forces, a->out[0]), (MATRIX))                           \
    X(mass_matrix_inverse, TAKES_FORCES | SOLVES, (a->y, a->forces, a->out[0]), (MATRIX))          \
    X(mass_matrix_solve, TAKES_FORCES | TAKES_TAU | SOLVES, (a->y, a->tau, a->forces, a->out[0]),  \
      (VECTOR))                                                                                    \
    X(bias_force, TAKES_YD | TAKES_FORCES, (a->y, a->yd, a->forces, a->out[0]), (VECTOR))          \
    X(gravity_force, 0, (a->y, a->out[0]), (VECTOR))                                               \
    X(coriolis_matrix, TAKES_YD, (a->y, a->yd, a->out[0]), (MATRIX))                               \
    X(dynamics_terms, TAKES_YD | TAKES_FORCES | TAKES_FRAME | MAY_LACK_OUTPUTS,                    \
      (a->y, a->yd, a->forces, TERMS),                                                             \
      (MATRIX, VECTOR, VECTOR, LINKS_12, LINKS_6, LINKS_6, NUMBERS_9, ROWS_6, NUMBERS_2))          \
    X(joint_reactions, DYNAMIC | TAKES_FRAME,                                                      \
      (a->y, a->yd, a->ydd, a->forces, a->frame, a->out[0]), (JOINTS_6))                           \
    X(loop_reactions, DYNAMIC | TAKES_FRAME | MAY_LACK_OUTPUTS,                                    \
      (a->y, a->yd, a->ydd, a->forces, a->frame, a->out[0], a->out[1], a->out[2], a->out[3]),      \
      (JOINTS_6, LOOPS_6, JOINTS_6, LOOPS_6))

#define SPREAD(...) __VA_ARGS__
#define CALLS(name, takes, taken, parts)                                                           \
    static td_status single_##name(const arguments *a)                                             \
    {                                                                                              \
        return td_##name(a->model, a->w, SPREAD taken);                                            \
    }                                                                                              \
    static td_status tree_##name(const arguments *a)                                               \
    {                                                                                              \
        return td_tree_##name(a->model, a->w, SPREAD taken);                                       \
    }                                                                                              \
    static td_status batch_##name(const arguments *a)                                              \
    {                                                                                              \
        return td_batch_##name(a->model, a->w, a->n, SPREAD taken, a->each);                       \
    }                                                                                              \
    static td_status batch_tree_##name(const arguments *a)                                         \
    {                                                                                              \
        return td_batch_tree_##name(a->model, a->w, a->n, SPREAD taken, a->each);                  \
    }
TABLE(CALLS)

#define ENTRY(name, takes, taken, parts)                                                           \
    {#name, takes, {single_##name, tree_##name}, {batch_##name, batch_tree_##name}, {SPREAD parts}},
const function functions[] = {TABLE(ENTRY)};
const size_t function_count = sizeof functions / sizeof *functions;

static size_t columns_of(int part, const td_model *model, bool tree)
{
    size_t n = tree ? td_nv(model) : td_nyd(model);
    switch (part) {
    case NUMBERS_2:
        return 2;
    case NUMBERS_3:
        return 3;
    case NUMBERS_6:
        return 6;
    case NUMBERS_9:
        return 9;
    case VECTOR:
        return n;
    case MATRIX:
        return n * n;
    case ROWS_3:
        return 3 * n;
    case ROWS_6:
        return 6 * n;
    case LINKS_12:
        return 12 * td_link_count(model);
    case LINKS_6:
        return 6 * td_link_count(model);
    case COLUMNS:
        return 6 * td_nv(model);
    case LOOPS_6:
        return 6 * td_loop_count(model);
    default:
        return 6 * td_joint_count(model);
    }
}

size_t function_parts(const function *f, const td_model *model, bool tree, size_t *columns)
{
    size_t parts = 0;
    for (; parts < MOST_PARTS && f->part[parts] != NONE; parts++)
        columns[parts] = columns_of(f->part[parts], model, tree);
    return parts;
}

td_status function_call(const function *f, const arguments *a, bool tree, bool batch)
{
    if (f->takes & TAKES_GIVEN) {
        size_t n = (tree ? td_nv(a->model) : td_nyd(a->model)) * (batch ? a->n : 1);
        memcpy(a->out[0], a->ydd, n * sizeof(double));
        memcpy(a->out[1], a->tau, n * sizeof(double));
    }
    return (batch ? f->batch : f->single)[tree](a);
}

arguments function_row(const function *f, const arguments *a, bool tree, size_t row)
{
    size_t nq = tree ? td_nq(a->model) : td_ny(a->model), columns[MOST_PARTS];
    size_t n = tree ? td_nv(a->model) : td_nyd(a->model);
    size_t parts = function_parts(f, a->model, tree, columns);
    arguments one = *a;
    one.n = 1;
    one.y += row * nq;
    one.yd = a->yd ? a->yd + row * n : NULL;
    one.ydd = a->ydd ? a->ydd + row * n : NULL;
    one.tau = a->tau ? a->tau + row * n : NULL;
    for (size_t p = 0; p < parts; p++)
        one.out[p] = a->out[p] ? a->out[p] + row * columns[p] : NULL;
    return one;
}

/* ---- states
 * ------------------------------------------------------------------------------------------- */

static double *doubles(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

/* joints at random, all coordinates of one alike */
static void choose_given(td_random *random, const td_model *model, bool tree, unsigned char *given)
{
    for (size_t j = 0; j < td_movable_count(model); j++) {
        td_joint_place p = td_joint_place_at(model, (size_t)td_movable_joint(model, j));
        int first = tree ? p.qd : p.yd;
        unsigned char choice = td_random_below(random, 2) == 0;
        for (int k = 0; first >= 0 && k < (tree ? p.nv : p.nyd); k++)
            given[first + k] = choice;
    }
}

states *states_new(td_random *random, const td_model *model, bool tree, size_t n)
{
    states *s = calloc(1, sizeof *s);
    ck_assert_ptr_nonnull(s);
    size_t nq = tree ? td_nq(model) : td_ny(model), nv = tree ? td_nv(model) : td_nyd(model);
    size_t links = td_link_count(model), columns[MOST_PARTS];
    s->y = doubles(n * nq);
    s->yd = doubles(n * nv);
    s->ydd = doubles(n * nv);
    s->tau = doubles(n * nv);
    s->wrenches = doubles(6 * links);
    s->given = calloc(nv + 1, 1);
    for (size_t i = 0; i < n; i++)
        td_draw_configuration(random, model, tree, 3, s->y + i * nq);
    td_random_fill(random, n * nv, s->yd);
    td_random_fill(random, n * nv, s->ydd);
    td_random_fill(random, n * nv, s->tau);
    td_random_fill(random, 6 * links, s->wrenches);
    td_random_fill(random, 3, s->point);
    choose_given(random, model, tree, s->given);
    s->forces = td_forces_default();
    s->forces.wrenches = s->wrenches;
    s->forces.wrench_frame = (td_frame)td_random_below(random, 3);
    s->forces.passive = td_random_below(random, 2);
    for (size_t i = 0; i < function_count; i++) {
        size_t parts = function_parts(&functions[i], model, tree, columns), sum = 0;
        for (size_t p = 0; p < parts; p++)
            sum += n * columns[p];
        s->room = sum > s->room ? sum : s->room;
    }
    s->memory = doubles(s->room);
    s->a = (arguments){
        .model = model,
        .w = td_workspace_new(model),
        .n = n,
        .y = s->y,
        .yd = s->yd,
        .ydd = s->ydd,
        .tau = s->tau,
        .given = s->given,
        .forces = &s->forces,
        .link = td_random_below(random, links),
        .point = s->point,
        .frame = (td_frame)td_random_below(random, 3),
        .scope = (td_scope)td_random_below(random, 2),
        .each = calloc(n + 1, sizeof(td_status)),
    };
    ck_assert_ptr_nonnull(s->a.w);
    return s;
}

void states_free(states *s)
{
    free(s->y), free(s->yd), free(s->ydd), free(s->tau), free(s->wrenches), free(s->memory);
    free(s->given), free(s->a.each);
    td_workspace_free(s->a.w);
    free(s);
}

void states_clear(states *s, const function *f, bool tree, double value)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, s->a.model, tree, columns);
    double *at = s->memory;
    memset(s->a.out, 0, sizeof s->a.out);
    for (size_t p = 0; p < parts; at += s->a.n * columns[p++])
        s->a.out[p] = at;
    for (size_t i = 0; i < s->room; i++)
        s->memory[i] = value;
}

/* ---- robots
 * ------------------------------------------------------------------------------------------- */

double matrix_norm(size_t n, const double *A)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(A[i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

td_model *robot_for(const td_builder *builder, td_base base, const char *isa)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.gravity[0] = 1.5;
    options.gravity[1] = -0.7;
    if (isa)
        setenv("TANDEM_ISA", isa, 1);
    td_model *model = NULL;
    td_status status = td_builder_finish(builder, &options, NULL, &model);
    unsetenv("TANDEM_ISA");
    ck_assert_int_eq(status, model ? TD_OK : TD_ERROR_ISA);
    return model;
}

static bool regular(td_random random, const td_model *model)
{
    size_t nv = td_nv(model);
    double *q = doubles(td_nq(model)), *H = doubles(nv * nv), *inverse = doubles(nv * nv);
    td_workspace *w = td_workspace_new(model);
    bool good = true;
    for (int i = 0; good && i < 5; i++) {
        td_draw_configuration(&random, model, true, 3, q);
        td_tree_mass_matrix(model, w, q, NULL, H);
        good = td_tree_mass_matrix_inverse(model, w, q, NULL, inverse) == TD_OK &&
               matrix_norm(nv, H) * matrix_norm(nv, inverse) < 1e5;
    }
    free(q), free(H), free(inverse);
    td_workspace_free(w);
    return good;
}

td_builder *regular_robot(td_random *random, size_t joints, size_t followers, bool scalar,
                          td_base base)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        td_builder *builder = td_random_robot(random, joints, followers, scalar);
        td_model *model = robot_for(builder, base, NULL);
        bool good = regular(*random, model);
        td_model_free(model);
        if (good)
            return builder;
        td_builder_free(builder);
    }
    ck_abort_msg("no regular robot of %zu joints", joints);
    return NULL;
}
