/* SPDX-License-Identifier: MIT */
/*
 * Implements the table of functions.
 */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "operation_list.h"

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

/* arguments, in the notation of operation_list.h */
#define TAKES(name) TAKES_##name
#define OUT(k) a->out[k]
#define IN(name) IN_##name
#define IN_y a->y
#define IN_yd a->yd
#define IN_ydd a->ydd
#define IN_tau_y a->tau
#define IN_b a->tau
#define IN_dy a->dy
#define IN_dyd a->dyd
#define IN_dydd a->dydd
#define IN_dtau_y a->dtau
#define IN_covector a->dtau
#define IN_given a->given
#define IN_forces a->forces
#define IN_link a->link
#define IN_point a->point
#define IN_axes NULL
#define IN_frame a->frame
#define IN_scope a->scope
#define IN_terms TERMS

#define SPREAD(...) __VA_ARGS__
#define CALLS(name, takes, taken, sizes)                                                           \
    static td_status single_##name(const arguments *a)                                             \
    {                                                                                              \
        return td_##name(a->model, a->w, SPREAD taken);                                            \
    }                                                                                              \
    static td_status batch_##name(const arguments *a)                                              \
    {                                                                                              \
        return td_batch_##name(a->model, a->w, a->n, SPREAD taken, a->each);                       \
    }                                                                                              \
    static size_t parts_##name(const td_model *m, bool tree, size_t *columns)                      \
    {                                                                                              \
        const size_t n = tree ? td_nv(m) : td_nyd(m), nv = td_nv(m), links = td_link_count(m);     \
        const size_t joints = td_joint_count(m), loops = td_loop_count(m);                         \
        const size_t entries = td_packed_entries(m, coordinates_for(tree));                        \
        const size_t movable = td_movable_count(m);                                                \
        const size_t all[] = {SPREAD sizes};                                                       \
        (void)n, (void)nv, (void)links, (void)movable, (void)joints, (void)loops, (void)entries;   \
        memcpy(columns, all, sizeof all);                                                          \
        return sizeof all / sizeof *all;                                                           \
    }
TD_OPERATIONS(CALLS)

#define ENTRY(name, takes, taken, sizes) {#name, takes, single_##name, batch_##name, parts_##name},
const function functions[] = {TD_OPERATIONS(ENTRY)};
const size_t function_count = sizeof functions / sizeof *functions;

size_t function_parts(const function *f, const td_model *model, bool tree, size_t *columns)
{
    return f->parts(model, tree, columns);
}

td_status function_call(const function *f, const arguments *a, bool tree, bool batch)
{
    if (f->takes & TAKES_GIVEN) {
        size_t n = (tree ? td_nv(a->model) : td_nyd(a->model)) * (batch ? a->n : 1);
        memcpy(a->out[0], a->ydd, n * sizeof(double));
        memcpy(a->out[1], a->tau, n * sizeof(double));
    }
    arguments one = *a;
    td_forces forces;
    if (!batch && a->forces && a->forces->wrenches_per_state) { /* calls for one state read row 0 */
        forces = *a->forces;
        forces.wrenches += 6 * td_link_count(a->model) * a->row;
        one.forces = &forces;
        a = &one;
    }
    return TD_IN(a->w, coordinates_for(tree), (batch ? f->batch : f->single)(a));
}

arguments function_row(const function *f, const arguments *a, bool tree, size_t row)
{
    size_t nq = tree ? td_nq(a->model) : td_ny(a->model), columns[MOST_PARTS];
    size_t n = tree ? td_nv(a->model) : td_nyd(a->model);
    size_t parts = function_parts(f, a->model, tree, columns);
    arguments one = *a;
    one.n = 1;
    one.row += row;
    one.y += row * nq;
    one.yd = a->yd ? a->yd + row * n : NULL;
    one.ydd = a->ydd ? a->ydd + row * n : NULL;
    one.tau = a->tau ? a->tau + row * n : NULL;
    const double **along[] = {&one.dy, &one.dyd, &one.dydd, &one.dtau};
    for (size_t k = 0; k < sizeof along / sizeof *along; k++)
        *along[k] = *along[k] ? *along[k] + row * n : NULL;
    for (size_t p = 0; p < parts; p++)
        one.out[p] = a->out[p] ? a->out[p] + row * columns[p] : NULL;
    return one;
}

/* ---- states
 * ------------------------------------------------------------------------------------------- */

/* random joints; all coordinates of one joint are given or none */
static void choose_given(td_random *random, const td_model *model, bool tree, unsigned char *given)
{
    for (size_t j = 0; j < td_movable_count(model); j++) {
        td_joint_place p = td_joint_place_at(model, td_movable_joint(model, j));
        size_t first = tree ? p.qd : p.yd;
        unsigned char choice = td_random_below(random, 2) == 0;
        for (size_t k = 0; first != TD_NONE && k < (tree ? p.nv : p.nyd); k++)
            given[first + k] = choice;
    }
}

states *states_new(td_random *random, const td_model *model, bool tree, size_t n)
{
    states *s = test_calloc(1, sizeof *s);
    size_t nq = tree ? td_nq(model) : td_ny(model), nv = tree ? td_nv(model) : td_nyd(model);
    size_t links = td_link_count(model), columns[MOST_PARTS];
    s->y = doubles(n * nq);
    s->yd = doubles(n * nv);
    s->ydd = doubles(n * nv);
    s->direction = doubles(4 * n * nv);
    s->tau = doubles(n * nv);
    s->wrenches = doubles(n * 6 * links);
    s->given = test_calloc(nv + 1, 1);
    for (size_t i = 0; i < n; i++)
        td_draw_configuration(random, model, tree, 3, s->y + i * nq);
    td_random_fill(random, n * nv, s->yd);
    td_random_fill(random, n * nv, s->ydd);
    td_random along = {random->state ^ 1};
    td_random_fill(&along, 4 * n * nv, s->direction);
    td_random_fill(random, n * nv, s->tau);
    td_random_fill(random, 6 * links, s->wrenches);
    td_random_fill(&along, (n - 1) * 6 * links, s->wrenches + 6 * links);
    td_random_fill(random, 3, s->point);
    choose_given(random, model, tree, s->given);
    s->forces = td_forces_default();
    s->forces.wrenches = s->wrenches;
    s->forces.wrench_frame = (td_frame)td_random_below(random, 3);
    s->forces.passive = td_random_below(random, 2);
    s->forces.wrenches_per_state = td_random_below(&along, 2);
    for (size_t i = 0; i < function_count; i++) {
        size_t parts = function_parts(&functions[i], model, tree, columns), sum = 0;
        for (size_t p = 0; p < parts; p++)
            sum += n * columns[p];
        s->room = sum > s->room ? sum : s->room;
    }
    s->memory = doubles(s->room);
    s->a = (arguments){
        .model = model,
        .w = test_workspace(model),
        .n = n,
        .y = s->y,
        .yd = s->yd,
        .ydd = s->ydd,
        .dy = s->direction,
        .dyd = s->direction + n * nv,
        .dydd = s->direction + 2 * n * nv,
        .dtau = s->direction + 3 * n * nv,
        .tau = s->tau,
        .given = s->given,
        .forces = &s->forces,
        .link = td_random_below(random, links),
        .point = s->point,
        .frame = (td_frame)td_random_below(random, 3),
        .scope = (td_scope)td_random_below(random, 2),
        .each = test_calloc(n + 1, sizeof(td_status)),
    };
    ck_assert_ptr_nonnull(s->a.w);
    return s;
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

td_model *robot_for(const td_builder *builder, td_base base, const char *isa)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    options.gravity[0] = 1.5;
    options.gravity[1] = -0.7;
    if (isa)
        setenv("TANDEM_ISA", isa, 1);
    td_model *model = NULL;
    td_status status = test_builder_finish(builder, &options, NULL, &model);
    unsetenv("TANDEM_ISA");
    ck_assert_int_eq(status, model ? TD_OK : TD_ERROR_ISA);
    return model;
}

static bool regular(td_random random, const td_model *model)
{
    OWNED_HERE;
    size_t nv = td_nv(model);
    double *q = doubles(td_nq(model)), *H = doubles(nv * nv), *inverse = doubles(nv * nv);
    td_workspace *w = test_workspace(model);
    bool good = true;
    for (int i = 0; good && i < 5; i++) {
        td_draw_configuration(&random, model, true, 3, q);
        TD_IN_TREE(w, td_mass_matrix(model, w, q, NULL, H));
        good = TD_IN_TREE(w, td_mass_matrix_inverse(model, w, q, NULL, inverse)) == TD_OK &&
               mat_norm(nv, H) * mat_norm(nv, inverse) < 1e5;
    }
    return good;
}

td_builder *regular_robot(td_random *random, size_t joints, size_t followers, bool scalar,
                          td_base base)
{
    for (int attempt = 0; attempt < 1000; attempt++) {
        td_builder *builder = td_random_robot(random, joints, followers, scalar);
        td_model *model = robot_for(builder, base, NULL);
        bool good = regular(*random, model);
        if (good)
            return builder;
    }
    ck_abort_msg("no regular robot of %zu joints", joints);
    return NULL;
}
