/* SPDX-License-Identifier: MIT */
/*
 * Workspaces. Every batch fits the staging memory of its rows, for models with many elements of any
 * kind. Arena scopes release the memory that was allocated in them. In a build with checks, a write
 * beyond a piece of a workspace or an arena is detected and reported, and released memory is
 * overwritten.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/checks.h"
#include "dynamics/eval.h"
#include "dynamics/workspace.h"
#include "functions.h"
#include "loop_robots.h"
#include "other_functions.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};

enum { STATES = 5, MANY = 300, SOME = 12 };

static void add_link(td_builder *builder, const char *name)
{
    td_link link = td_solid_link(name, 1, 0.1);
    link.inertial.position[1] = 0.1;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_joint(td_builder *builder, const char *name, td_joint_type type, const char *parent,
                      const char *child)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* ---- robots with many elements of one kind --------------------------------------------------- */

/* one joint, and `count` loops parallel to it, each with a motor */
static td_builder *many_motors(int count)
{
    td_builder *builder = test_builder("motors");
    add_link(builder, "base"), add_link(builder, "tip");
    add_joint(builder, "joint", TD_JOINT_CONTINUOUS, "base", "tip");
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "loop%d", i);
        td_loop loop = td_loop_default(name, "base", "tip");
        assert_ok(td_builder_add_loop(builder, &loop));
        td_transmission motor = td_transmission_default(name, name);
        assert_ok(td_builder_add_transmission(builder, &motor));
    }
    return builder;
}

/* one joint of that type, and `count` fixed links, in a chain or side by side */
static td_builder *many_links(td_joint_type type, bool chain, int count)
{
    td_builder *builder = test_builder("links");
    char last[16] = "base", name[16];
    add_link(builder, last);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "link%d", i);
        add_link(builder, name);
        add_joint(builder, name, i ? TD_JOINT_FIXED : type, i && !chain ? "link0" : last, name);
        strcpy(last, name);
    }
    return builder;
}

static td_builder *many_beside(int count)
{
    return many_links(TD_JOINT_PLANAR, false, count);
}

static td_builder *many_in_a_row(int count)
{
    return many_links(TD_JOINT_FLOATING, true, count);
}

/* no joint; with a floating base it has the most positions per velocity */
static td_builder *one_link(int count)
{
    (void)count;
    td_builder *builder = test_builder("link");
    add_link(builder, "base");
    return builder;
}

/* all coordinates of a short chain, whose matrices have few entries */
static td_builder *two_floating(int count)
{
    (void)count;
    td_builder *builder = test_builder("floating");
    add_link(builder, "base"), add_link(builder, "one"), add_link(builder, "two");
    add_joint(builder, "first", TD_JOINT_FLOATING, "base", "one");
    add_joint(builder, "second", TD_JOINT_FLOATING, "base", "two");
    return builder;
}

static td_builder *(*const crowds[])(int count) = {many_motors, many_beside, many_in_a_row,
                                                   one_link, two_floating};
enum { CROWDS = sizeof crowds / sizeof *crowds };

static td_model *crowd(int which, int count, td_base base)
{
    td_builder *builder = crowds[which](count);
    td_load_options options = td_load_options_default();
    options.actuation = TD_ACTUATION_TRANSMISSION;
    options.base = base;
    return model_of_builder(builder, &options);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* batch functions that the table lacks */
static void check_other_batches(const states *s)
{
    const td_model *m = s->a.model;
    td_workspace *w = s->a.w;
    size_t nu = td_nu(m), n = td_nyd(m);
    double *q = doubles(STATES * (td_nq(m) + 2 * td_nv(m)));
    double *u = doubles((STATES + 1) * (nu + n)), *one = u + STATES * (nu + n);
    double *qd = q + STATES * td_nq(m), *rest = u + STATES * nu;
    assert_ok(td_batch_closure(m, w, STATES, s->y, s->yd, s->ydd, q, qd, qd + STATES * td_nv(m),
                               s->a.each));
    td_status status =
        td_batch_forces_to_actuators(m, w, STATES, s->y, s->tau, NULL, u, rest, s->a.each);
    ck_assert_int_eq(status, td_actuation_status(m));
    for (size_t i = 0; i < STATES; i++) {
        ck_assert_int_eq(
            td_forces_to_actuators(m, w, s->y + i * td_ny(m), s->tau + i * n, NULL, one, one + nu),
            status);
        td_assert_close(nu, one, u + i * nu, 1e-14, 1e-3);
    }
}

/* every function on a batch, with all inputs and outputs */
TD_LOOP_TEST(batches_fit_the_stage, 0, CROWDS)
{
    td_random random = {70};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
        td_model *model = crowd(_i, MANY, (td_base)base);
        ck_assert(_i != 0 || td_nu(model) == MANY);
        for (int tree = 0; tree < 2; tree++) {
            states *s = states_new(&random, model, tree, STATES);
            s->a.scope = TD_SCOPE_ALL; /* some robots have no moving links */
            for (size_t k = 0; k < function_count; k++) {
                states_clear(s, &functions[k], tree, 0);
                td_status status = function_call(&functions[k], &s->a, tree, true);
                ck_assert_msg(status == TD_OK, "%s: %s", functions[k].name, td_status_text(status));
            }
            if (!tree)
                check_other_batches(s);
        }
    }
}

/* ---- all calls ------------------------------------------------------------------------------- */

/* Calls every function of a model and a workspace, whatever its status. A build with checks
   examines the guards after each call. */
static void call_all(td_random *random, const td_model *model)
{
    for (int tree = 0; tree < 2; tree++) {
        states *s = states_new(random, model, tree, STATES);
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                states_clear(s, &functions[k], tree, 0);
                function_call(&functions[k], &s->a, tree, batch);
            }
    }
    other_arguments *a = other_arguments_new(random, model, 0);
    for (size_t k = 0; k < other_function_count; k++)
        ck_assert_str_ne(td_status_text(other_functions[k].call(a)), "unknown status");
}

TD_LOOP_TEST(calls_stay_in_their_pieces, 0, 3)
{
    td_random random = {71};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++)
        for (int which = 0; which < CROWDS; which++) {
            td_model *model = crowd(which, SOME, (td_base)base);
            call_all(&random, model);
        }
    for (size_t joints = 1; joints < 40; joints += joints < 10 ? 1 : 7) {
        td_builder *builder = td_random_robot(&random, joints, joints / 2, joints % 3 == 0);
        td_model *model = robot_for(builder, (td_base)(joints % 2), isas[_i]);
        if (model)
            call_all(&random, model);
    }
}

/* mechanisms whose loops share joints or do not */
TD_LOOP_TEST(mechanisms_stay_in_their_pieces, 0, loop_robot_count)
{
    td_random random = {72};
    td_model *model = loop_robot_load(&loop_robots[_i]);
    call_all(&random, model);
}

/* ---- without matrices ------------------------------------------------------------------------ */

static td_workspace *without_matrices(const td_model *model)
{
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false;
    td_workspace *workspace = test_workspace_with(model, &options);
    ck_assert_ptr_nonnull(workspace);
    return workspace;
}

/* Builds `count` rotating links in a chain, or side by side with one common coordinate (star). In a
   chain every `following`-th joint follows the one before; 0: none. */
static td_builder *turning_links(bool star, int count, int following)
{
    td_builder *builder = test_builder("links");
    char last[16] = "base", name[16];
    add_link(builder, last);
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "link%d", i);
        add_link(builder, name);
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, star ? "base" : last, name);
        joint.mimic = star && i ? "link0" : following && i % following == 1 ? last : NULL;
        assert_ok(td_builder_add_joint(builder, &joint));
        strcpy(last, name);
    }
    return builder;
}

/* workspace bytes for such links; without matrices forward dynamics must work */
static size_t bytes_of(bool star, int count, bool matrices)
{
    td_builder *builder = turning_links(star, count, 0);
    td_model *model = model_of_builder(builder, NULL);
    if (!matrices) {
        td_workspace *w = without_matrices(model);
        double *y = doubles(2 * td_ny(model));
        assert_ok(td_forward_dynamics(model, w, y, NULL, NULL, NULL, y + td_ny(model)));
        assert_ok(
            td_batch_forward_dynamics(model, w, 1, y, NULL, NULL, NULL, y + td_ny(model), NULL));
    }
    td_workspace_options options = td_workspace_options_default();
    options.matrices = matrices;
    size_t bytes = td_workspace_bytes(model, &options);
    return bytes;
}

TD_LOOP_TEST(memory_is_linear, 0, 2)
{
    const bool star = _i;
    const size_t some = bytes_of(star, SOME * 9, false), many = bytes_of(star, SOME * 90, false);
    ck_assert_uint_le(many, 10 * some);
    ck_assert_uint_gt(bytes_of(star, SOME * 90, true), 12 * bytes_of(star, SOME * 9, true));
}

/* Every function must give the same numbers as with matrices, or fail before it writes any. */
TD_TEST(functions_do_without_matrices)
{
    td_random random = {73};
    size_t refused = 0, done = 0;
    for (size_t joints = 1; joints < 30; joints += 7) {
        td_builder *builder = td_random_robot(&random, joints, joints / 3, false);
        td_model *model = robot_for(builder, (td_base)(joints % 2), NULL);
        for (int tree = 0; tree < 2; tree++) {
            states *s = states_new(&random, model, tree, STATES);
            td_workspace *whole = s->a.w, *lean = without_matrices(model);
            double *expected = test_malloc(s->room * sizeof *expected);
            for (size_t k = 0; k < function_count; k++)
                for (int batch = 0; batch < 2; batch++) {
                    const function *f = &functions[k];
                    s->a.w = whole;
                    states_clear(s, f, tree, 7);
                    td_status status = function_call(f, &s->a, tree, batch);
                    memcpy(expected, s->memory, s->room * sizeof *expected);
                    s->a.w = lean;
                    states_clear(s, f, tree, 7);
                    td_status other = function_call(f, &s->a, tree, batch);
                    if (other == TD_ERROR_MATRICES) {
                        const bool may = f->takes & (MATRICES | SOLVES | MAY_LACK_OUTPUTS);
                        ck_assert_msg(may, "%s refuses", f->name);
                        refused++;
                        continue;
                    }
                    ck_assert_msg(!(f->takes & MATRICES), "%s does not refuse", f->name);
                    ck_assert_int_eq(other, status);
                    ck_assert_mem_eq(s->memory, expected, s->room * sizeof *expected);
                    done++;
                }
            s->a.w = whole;
        }
    }
    ck_assert_uint_gt(refused, 0);
    ck_assert_uint_gt(done, refused);
}

/* ---- memory of long chains ------------------------------------------------------------------- */

/* The default workspace of a chain takes no more than this, in either coordinates, and
   td_workspace_bytes returns its size. */
TD_LOOP_TEST(chains_take_little_memory, 0, 2)
{
    static const struct {
        int joints;
        size_t bytes;
    } limits[] = {{100, 4000000}, {300, 16000000}};
    td_builder *builder = turning_links(false, limits[_i].joints, 0);
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        td_model *model = robot_for(builder, TD_BASE_FIXED, isas[k]);
        for (int tree = 0; model && tree < 2; tree++) {
            td_workspace_options options = td_workspace_options_default();
            options.coordinates = tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT;
            td_workspace *workspace = test_workspace_with(model, &options);
            ck_assert_uint_le(workspace->bytes, limits[_i].bytes);
            ck_assert_uint_eq(td_workspace_bytes(model, &options), workspace->bytes);
            ck_assert_uint_eq(td_workspace_bytes(model, NULL), workspace->bytes);
        }
    }
}

enum { LONG = 260, LONG_STATES = 9, LONG_OUTPUTS = 4 };

static td_status long_derivatives(const td_model *m, td_workspace *w, bool forward, bool batch,
                                  const double *y, const double *yd, const double *f,
                                  double *const out[LONG_OUTPUTS])
{
    const size_t n = LONG_STATES;
    if (forward && batch)
        return td_batch_forward_dynamics_derivatives(m, w, n, y, yd, f, NULL, out[0], out[1],
                                                     out[2], out[3], NULL);
    if (forward)
        return td_forward_dynamics_derivatives(m, w, y, yd, f, NULL, out[0], out[1], out[2],
                                               out[3]);
    if (batch)
        return td_batch_inverse_dynamics_derivatives(m, w, n, y, yd, f, NULL, out[0], out[1],
                                                     out[2], out[3], NULL);
    return td_inverse_dynamics_derivatives(m, w, y, yd, f, NULL, out[0], out[1], out[2], out[3]);
}

/* Batches whose matrices are computed one after the other, with and without followers. Each output
   must have the bits that it has when requested alone, and the numbers of a single call. */
TD_LOOP_TEST(matrices_of_long_chains, 0, 2)
{
    td_random random = {74};
    td_builder *builder = turning_links(false, LONG, _i ? 10 : 0);
    for (size_t isa = 0; isa < sizeof isas / sizeof *isas; isa++) {
        td_model *model = robot_for(builder, TD_BASE_FIXED, isas[isa]);
        if (!model)
            continue;
        const size_t n = td_nyd(model), size = n + 3 * n * n;
        ck_assert_uint_eq(n, _i ? LONG - LONG / 10 : LONG);
        const size_t columns[] = {n, n * n, n * n, n * n};
        td_workspace *w = test_workspace_with(model, NULL);
        double *y = doubles(3 * LONG_STATES * n), *yd = y + LONG_STATES * n,
               *f = yd + LONG_STATES * n;
        double *all = test_malloc(LONG_STATES * size * sizeof *all);
        double *one = test_malloc(LONG_STATES * n * n * sizeof *one);
        td_random_fill(&random, 3 * LONG_STATES * n, y);
        for (int forward = 0; forward < 2; forward++) {
            double *out[LONG_OUTPUTS], *at = all;
            for (size_t k = 0; k < LONG_OUTPUTS; at += LONG_STATES * columns[k++])
                out[k] = at;
            assert_ok(long_derivatives(model, w, forward, true, y, yd, f, out));
            for (size_t k = 0; k < LONG_OUTPUTS; k++) {
                double *alone[LONG_OUTPUTS] = {NULL};
                const size_t count = LONG_STATES * columns[k], last = count - columns[k];
                alone[k] = one;
                assert_ok(long_derivatives(model, w, forward, true, y, yd, f, alone));
                ck_assert_mem_eq(one, out[k], count * sizeof *one);
                const size_t row = (LONG_STATES - 1) * n;
                assert_ok(
                    long_derivatives(model, w, forward, false, y + row, yd + row, f + row, alone));
                ck_assert_double_le(td_largest_difference(columns[k], one, out[k] + last),
                                    (forward ? 1e-8 : 1e-12) * td_largest(columns[k], one));
            }
        }
    }
}

/* ---- builds with checks ---------------------------------------------------------------------- */

/* Memory released by a scope is reused at the same address and is zero again. Blocks that were
   started in the scope are freed. */
TD_TEST(arena_scopes)
{
    enum { FEW = 10, LARGE = 100000 };
    td_arena arena = {0};
    for (int outside = 0; outside < 2; outside++) { /* with or without data before the scope */
        const double *first = NULL;
        char *kept = outside ? TD_ARENA_NEW(&arena, char, 1) : NULL;
        for (int i = 0; i < 3; i++) {
            td_arena_scope(&arena);
            double *few = TD_ARENA_NEW(&arena, double, FEW);
            double *large = TD_ARENA_NEW(&arena, double, LARGE);
            ck_assert(few && large && few[FEW - 1] == 0 && large[LARGE - 1] == 0);
            few[FEW - 1] = large[LARGE - 1] = 1;
            if (kept)
                *kept = 1;
            ck_assert(!kept || !first || few == first);
            first = few;
        }
        ck_assert(!kept || *kept == 1);
        ck_assert(outside || !arena.newest);
    }
    td_arena_free(&arena);
}

#if TD_CHECKS

/* Runs `act` in a child process, which must die, and returns its message. */
static void dying(void (*act)(td_workspace *), td_workspace *workspace, char *said, size_t room)
{
    int ends[2], status;
    ck_assert_int_eq(pipe(ends), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        dup2(ends[1], 2);
        act(workspace);
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t n;
    while (length + 1 < room && (n = read(ends[0], said + length, room - 1 - length)) > 0)
        length += (size_t)n;
    said[length] = '\0';
    close(ends[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

static void write_behind_tau(td_workspace *workspace)
{
    volatile double *tau = workspace->single.tau;
    tau[td_nv(workspace->model)] = 1;
    td_workspace_verify(workspace);
}

static void write_behind_the_stage(td_workspace *workspace)
{
    const td_model *model = workspace->model;
    td_stack *stack = &workspace->share[0].stack;
    volatile char *stage =
        td_take_reals(stack, model->batch, td_stage_reals(model, true, TD_SCOPE_stage));
    stage[td_stage_reals(model, true, TD_SCOPE_stage) * model->batch->real_size] = 1;
}

static void overfill(td_workspace *workspace)
{
    (void)workspace;
    td_check_capacity(3, 2, "stage");
}

static void write_behind_of_arena(td_workspace *workspace)
{
    (void)workspace;
    td_arena arena = {0};
    volatile char *piece = TD_ARENA_NEW(&arena, char, 3);
    piece[3] = 1;
    td_arena_free(&arena);
}

static void read_after_scope(td_workspace *workspace)
{
    (void)workspace;
    td_arena arena = {0};
    volatile double *piece;
    TD_ARENA_NEW(&arena, char, 1);
    {
        td_arena_scope(&arena);
        piece = TD_ARENA_NEW(&arena, double, 1);
    }
    if (isnan(*piece)) /* unless the address sanitizer detected it */
        td_check_capacity(1, 0, "not a number");
}

/* A write behind a piece is detected by the guard, or immediately by the address sanitizer. */
TD_TEST(guards_are_looked_at)
{
    static void (*const acts[])(td_workspace *) = {write_behind_tau, write_behind_the_stage,
                                                   overfill, write_behind_of_arena,
                                                   read_after_scope};
    static const char *const pieces[] = {"kernel/rooms.c", "dynamics/eval.h", "stage", "an arena",
                                         "not a number"};
    td_model *model = crowd(1, SOME, TD_BASE_FLOATING);
    td_workspace *workspace = test_workspace(model);
    char said[4096];
    for (int i = 0; i < 5; i++) {
        dying(acts[i], workspace, said, sizeof said);
        ck_assert_msg(strstr(said, pieces[i]) || strstr(said, "use-after-poison"), "%s", said);
    }
}

#endif
