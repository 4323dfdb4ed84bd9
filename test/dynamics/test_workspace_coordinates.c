/* SPDX-License-Identifier: MIT */
/*
 * Coordinates of a workspace. Options and td_use_coordinates select the same ones, unknown ones are
 * rejected, and they take no memory. Functions with fixed coordinates compute the same bits
 * whatever is selected and do not change the selection; the same holds for simulations. A chart
 * stays selected while tree coordinates are in use.
 */
#include <math.h>
#include <string.h>

#include "coupled_robots.h"
#include "functions.h"
#include "loop_robots.h"
#include "moving_robots.h"
#include "object_functions.h"
#include "tandem/simulation.h"
#include "tandem/trajectory.h"

enum { ROBOTS = 4, STATES = 3 };
static const td_coordinates INDEPENDENT = TD_COORDINATES_INDEPENDENT, TREE = TD_COORDINATES_TREE;

/* ---- robots ---------------------------------------------------------------------------------- */

/* Iterated loops with and without a motor, mimic joints, and a tree on a floating base. */
static td_model *robot(int i)
{
    td_random random = {(uint64_t)i + 1};
    td_load_options options = td_load_options_default();
    options.base = i == 3 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder = i < 2 ? chain_of_four_bars(2, i ? CHAIN_GEARED : CHAIN_OF_CRANK_ROCKERS)
                          : i == 2 ? coupled_hand_on_arm()
                                   : regular_robot(&random, 5, 1, true, TD_BASE_FLOATING);
    if (i == 1) {
        const td_transmission motor = td_transmission_default("motor", "pin0");
        assert_ok(td_builder_add_transmission(builder, &motor));
        options.actuation = TD_ACTUATION_TRANSMISSION;
    }
    return model_of_builder(builder, &options);
}

static td_workspace *workspace_in(const td_model *model, td_coordinates coordinates, size_t threads)
{
    td_workspace_options options = td_workspace_options_default();
    options.coordinates = coordinates;
    options.threads = threads;
    td_workspace *w = test_workspace_with(model, &options);
    ck_assert_ptr_nonnull(w);
    ck_assert_int_eq(td_used_coordinates(w), coordinates);
    return w;
}

/* ---- selection ------------------------------------------------------------------------------- */

TD_TEST(unknown_coordinates_are_refused)
{
    static const int unknown[] = {2, -1, 4711};
    td_model *model = robot(0);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        td_workspace_options options = td_workspace_options_default();
        options.coordinates = (td_coordinates)unknown[i];
        ck_assert_ptr_null(test_workspace_with(model, &options));
        ck_assert_uint_eq(td_workspace_bytes(model, &options), 0);
        for (int tree = 0; tree < 2; tree++) {
            td_workspace *w = workspace_in(model, coordinates_for(tree), 1);
            ck_assert_int_eq(td_use_coordinates(w, options.coordinates), coordinates_for(tree));
            ck_assert_int_eq(td_used_coordinates(w), coordinates_for(tree));
        }
    }
}

TD_TEST(null_is_independent)
{
    ck_assert_int_eq(td_use_coordinates(NULL, TREE), INDEPENDENT);
    ck_assert_int_eq(td_used_coordinates(NULL), INDEPENDENT);
    ck_assert_int_eq(td_workspace_options_default().coordinates, INDEPENDENT);
}

TD_LOOP_TEST(coordinates_take_no_memory, 0, ROBOTS)
{
    td_model *model = robot(_i);
    td_workspace_options options = td_workspace_options_default();
    for (options.threads = 1; options.threads <= 2; options.threads++) {
        options.coordinates = INDEPENDENT;
        const size_t bytes = td_workspace_bytes(model, &options);
        ck_assert_uint_gt(bytes, 0);
        options.coordinates = TREE;
        ck_assert_uint_eq(td_workspace_bytes(model, &options), bytes);
    }
}

static uint64_t of_table(states *s, const function *f, td_workspace *w, bool tree, bool batch)
{
    td_workspace *own = s->a.w;
    s->a.w = w;
    states_clear(s, f, tree, 4711);
    if (f->takes & TAKES_GIVEN) {
        const size_t n = (tree ? td_nv(s->a.model) : td_nyd(s->a.model)) * s->a.n;
        memcpy(s->a.out[0], s->a.ydd, n * sizeof(double));
        memcpy(s->a.out[1], s->a.tau, n * sizeof(double));
    }
    const td_status status = (batch ? f->batch : f->single)(&s->a);
    ck_assert_int_eq(td_used_coordinates(w), coordinates_for(tree));
    s->a.w = own;
    return td_digest(td_digest(0, &status, sizeof status), s->memory, s->room * sizeof *s->memory);
}

/* every function of the table, in a workspace created with the coordinates and in one that switches
   to them */
TD_LOOP_TEST(options_and_calls_select_the_same, 0, ROBOTS)
{
    td_random random = {(uint64_t)_i + 7};
    td_model *model = robot(_i);
    for (int tree = 0; tree < 2; tree++) {
        const td_coordinates these = coordinates_for(tree), others = coordinates_for(!tree);
        td_workspace *made = workspace_in(model, these, 2), *set = workspace_in(model, others, 1);
        states *s = states_new(&random, model, tree, STATES);
        for (size_t i = 0; i < STATES; i++)
            td_draw_configuration(&random, model, tree, 0.2,
                                  s->y + i * (tree ? td_nq(model) : td_ny(model)));
        for (size_t k = 0; k < function_count; k++)
            for (int batch = 0; batch < 2; batch++) {
                ck_assert_int_eq(td_use_coordinates(set, these), others);
                const uint64_t one = of_table(s, &functions[k], made, tree, batch);
                const uint64_t other = of_table(s, &functions[k], set, tree, batch);
                ck_assert_msg(one == other, "%s, tree %d, batch %d", functions[k].name, tree,
                              batch);
                ck_assert_int_eq(td_use_coordinates(set, others), these);
            }
    }
}

/* ---- functions with fixed coordinates -------------------------------------------------------- */

/* returns whether a function computes in the coordinates of the workspace */
static bool follows_workspace(const char *name)
{
    bool follows = strcmp(name, "td_packed_pattern") == 0;
    for (size_t k = 0; k < other_function_count; k++)
        follows |=
            other_functions[k].coordinates == TREE && strcmp(other_functions[k].name, name) == 0;
    return follows;
}

static uint64_t of_outputs(uint64_t sum, const other_arguments *a)
{
    for (size_t p = 0; p < OTHER_PARTS; p++)
        sum = td_digest(sum, a->out[p], a->room * sizeof *a->out[p]);
    return td_digest(sum, a->each, sizeof a->each);
}

static uint64_t of_other(const td_model *model, const other_function *f, td_coordinates coordinates,
                         td_status *status)
{
    td_random random = {77};
    other_arguments *a = other_arguments_new(&random, model, 4711);
    td_use_coordinates(a->w, coordinates);
    *status = f->as_is(a);
    const uint64_t sum = of_outputs(td_digest(0, status, sizeof *status), a);
    ck_assert_msg(td_used_coordinates(a->w) == coordinates, "%s changes them", f->name);
    return sum;
}

TD_LOOP_TEST(others_ignore_them, 0, ROBOTS)
{
    td_model *model = robot(_i);
    int checked = 0, worked = 0;
    for (size_t k = 0; k < other_function_count; k++) {
        const other_function *f = &other_functions[k];
        if (follows_workspace(f->name))
            continue;
        td_status status;
        const uint64_t independent = of_other(model, f, INDEPENDENT, &status);
        ck_assert_msg(of_other(model, f, TREE, &status) == independent, "%s", f->name);
        checked++, worked += status == TD_OK;
    }
    ck_assert_int_gt(checked, 30);
    ck_assert_int_gt(worked, 20);
}

static uint64_t of_object(const td_model *model, const object_function *f,
                          td_coordinates coordinates)
{
    td_random random = {78};
    other_arguments *a = other_arguments_new(&random, model, 4711);
    objects *o = objects_new(&random, a);
    td_use_coordinates(a->w, coordinates);
    f->call(o);
    const uint64_t sum = of_outputs(objects_digest(o, td_digest), a);
    ck_assert_msg(td_used_coordinates(a->w) == coordinates, "%s changes them", f->name);
    return sum;
}

/* inverse kinematics, linear models, equilibria, completions and others */
TD_LOOP_TEST(objects_ignore_them, 0, ROBOTS)
{
    td_model *model = robot(_i);
    for (size_t k = 0; k < object_function_count; k++) {
        const object_function *f = &object_functions[k];
        ck_assert_msg(of_object(model, f, INDEPENDENT) == of_object(model, f, TREE), "%s", f->name);
    }
}

TD_TEST(time_scales_ignore_them)
{
    td_model *model = robot(2);
    const size_t ny = td_ny(model);
    double *start = doubles(2 * ny), *end = start + ny;
    for (size_t i = 0; i < ny; i++)
        end[i] = 0.3;
    td_limit limit = {NAN, NAN, NAN, NAN, NAN, NAN, NAN}, *limits;
    limit.velocity = 1, limit.effort = 50;
    limits = test_calloc(td_joint_count(model), sizeof *limits);
    for (size_t i = 0; i < td_joint_count(model); i++)
        limits[i] = limit;
    td_trajectory *t;
    assert_ok(td_trajectory_move(ny, start, end, TD_PROFILE_SEPTIC, 0.1, &t));
    td_time_scale_options options = td_time_scale_options_default();
    options.limits = limits;
    options.forces = true;
    td_time_scale scale[2] = {{.size_of = sizeof *scale}, {.size_of = sizeof *scale}};
    for (int tree = 0; tree < 2; tree++) {
        td_workspace *w = workspace_in(model, coordinates_for(tree), 1);
        assert_ok(td_trajectory_time_scale(model, w, t, &options, &scale[tree]));
        ck_assert_int_eq(td_used_coordinates(w), coordinates_for(tree));
    }
    ck_assert(scale[0].factor > 1 && scale[0].factor == scale[1].factor);
    ck_assert(scale[0].kind == scale[1].kind && scale[0].joint == scale[1].joint);
    td_trajectory_free(t);
}

/* ---- charts ---------------------------------------------------------------------------------- */

/* the factors of H in the coordinates in use */
static void read_mass(const td_model *model, td_workspace *w, const double *at, double H[8])
{
    memset(H, 0, 8 * sizeof *H);
    assert_ok(td_mass_matrix_factors(model, w, at, NULL, H));
}

TD_TEST(charts_stay)
{
    td_model *model = slider_crank(true);
    td_workspace *w = test_workspace(model), *plain = workspace_in(model, TREE, 1);
    const double *q = td_reference(model, TREE);
    double u[8], residual, chart[8], tree[8], without[8], again[8];
    bool changed;
    ck_assert_uint_le(td_packed_entries(model, TREE), 8);
    read_mass(model, plain, q, without);
    td_use_coordinates(w, TREE); /* a chart may also be selected there */
    assert_ok(td_chart_choose(model, w, q, NULL, &changed));
    ck_assert(changed && td_chart_is_used(w));
    read_mass(model, w, q, tree);
    ck_assert_mem_eq(tree, without, sizeof tree);
    ck_assert_int_eq(td_use_coordinates(w, INDEPENDENT), TREE);
    ck_assert(td_chart_is_used(w));
    assert_ok(td_independent_coordinates(model, w, q, u, &residual));
    read_mass(model, w, u, chart);
    td_use_coordinates(w, TREE);
    read_mass(model, w, q, tree);
    ck_assert_mem_eq(tree, without, sizeof tree);
    td_use_coordinates(w, INDEPENDENT);
    read_mass(model, w, u, again);
    ck_assert_mem_eq(again, chart, sizeof chart);
    td_chart_use(w, false);
    read_mass(model, w, td_reference(model, INDEPENDENT), again);
    ck_assert_mem_ne(again, chart, sizeof chart);
}

/* ---- simulations ----------------------------------------------------------------------------- */

enum { MOST = 64, STEPS = 40 };

/* a user-supplied force that leaves the workspace in arbitrary coordinates */
typedef struct user {
    const td_model *model;
    bool changes;
    int called;
} user;

static td_status act(void *context, const td_action *action)
{
    user *const u = context;
    double poses[12 * MOST], *const q = poses; /* any configuration */
    ck_assert_int_eq(td_used_coordinates(action->workspace), INDEPENDENT);
    for (size_t i = 0; i < td_nyd(u->model); i++)
        action->tau_y[i] = 0.2 - 0.1 * action->yd[i];
    u->called++;
    if (!u->changes)
        return TD_OK;
    td_use_coordinates(action->workspace, TREE);
    if (action->q)
        return td_link_poses(u->model, action->workspace, action->q, poses);
    td_neutral(u->model, TREE, q);
    double forces[MOST];
    return td_gravity_force(u->model, action->workspace, q, forces);
}

/* Returns a digest of a simulated motion. The simulation's workspace uses the given coordinates and
   must keep them. */
static uint64_t simulate(const td_model *model, td_method method, bool changes,
                         td_coordinates coordinates)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = method;
    integrator.step = 0.01;
    user context = {model, changes, 0};
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.act = act;
    options.context = &context;
    options.stiction = true;
    options.stops = TD_STOPS_IMPACT;
    td_simulation *s = simulation_of(model, &options);
    double array[6][MOST] = {{0}}, yd[MOST] = {0.3}, rate;
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = array[0], sample.yd = array[1], sample.ydd = array[2], sample.q = array[3];
    sample.qdd = array[4], sample.tau_c = array[5];
    td_workspace *w = td_simulation_workspace(s);
    td_use_coordinates(w, coordinates);
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    uint64_t sum = 0;
    for (int k = 0; k < STEPS; k++) {
        assert_ok(td_simulation_step(s, 2));
        if (k == STEPS / 2) {
            assert_ok(td_simulation_jump(s));
            const size_t joint = td_simulation_fastest(s, &rate);
            sum = td_digest(td_digest(sum, &joint, sizeof joint), &rate, sizeof rate);
        }
        const double middle = 0.5 * (td_simulation_begin(s) + td_simulation_time(s));
        assert_ok(td_simulation_evaluate(s, middle, &sample));
        sum = td_digest(sum, array, sizeof array);
        sum = td_digest(sum, &sample.work, sizeof sample.work);
        ck_assert_int_eq(td_used_coordinates(w), coordinates);
    }
    ck_assert_int_gt(context.called, STEPS);
    return sum;
}

/* the crank passes the slider's dead points, in a chart */
TD_LOOP_TEST(simulations_go_on, 0, 6)
{
    static const td_method methods[] = {TD_METHOD_DORMAND_PRINCE, TD_METHOD_RADAU, TD_METHOD_RK4};
    td_model *model = _i / 3 ? robot(_i / 3) : slider_crank(true);
    const td_method method = methods[_i % 3];
    ck_assert_uint_le(td_nq(model), MOST);
    ck_assert_uint_le(td_link_count(model), MOST);
    const uint64_t first = simulate(model, method, false, INDEPENDENT);
    ck_assert_uint_eq(simulate(model, method, true, INDEPENDENT), first);
    ck_assert_uint_eq(simulate(model, method, false, TREE), first);
    ck_assert_uint_eq(simulate(model, method, true, TREE), first);
}
