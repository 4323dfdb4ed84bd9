/* SPDX-License-Identifier: MIT */
/*
 * Lets each allocation of every allocating function of the public headers fail, alone and with all
 * later ones. Loaders are covered by test_urdf_memory.c. The function must return TD_ERROR_MEMORY
 * without an object, or succeed without that memory, and must not leak. Allocations of all
 * libraries count.
 */
#include <string.h>

#include "failing.h"
#include "linear/linear.h"
#include "loop_robots.h"
#include "sweep/reduction_api.h"
#include "tandem/simulation.h"
#include "tandem/trajectory.h"
#include "td_test.h"

enum { ROOM = 4096, LARGE = 1 << 30 };

/* Existing objects: two chains of four-bars, and buffers for results. */
static td_model *model;
static td_workspace *w;
static td_ik *ik;
static td_ik_goal goals[2];
static char *text;
static size_t text_size;
static double numbers[ROOM];

static void prepare(void)
{
    td_builder *builder = chain_of_four_bars(2, CHAIN_OF_CRANK_ROCKERS);
    assert_ok(test_builder_finish(builder, NULL, NULL, &model));
    w = test_workspace(model);
    goals[0] = td_ik_goal_default(TD_IK_POSITION, td_link_count(model) - 1);
    goals[1] = td_ik_goal_default(TD_IK_POSTURE, 0);
    goals[1].required = false;
    assert_ok(test_ik_new(model, goals, 1, NULL, &ik));
    assert_ok(td_model_write(model, NULL, 0, &text_size));
    text = test_malloc(text_size + 1);
    assert_ok(td_model_write(model, text, text_size + 1, &text_size));
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Each makes an object and frees it. If the status is not TD_OK there must be no object. */
#define MAKE(name, type, free_it, call)                                                            \
    static td_status make_##name(void)                                                             \
    {                                                                                              \
        type *made = NULL;                                                                         \
        const td_status status = call;                                                             \
        const bool whole = (status == TD_OK) == (made != NULL);                                    \
        free_it(made);                                                                             \
        return whole ? status : TD_ERROR_ARGUMENT;                                                 \
    }

static td_status or_memory(const void *made)
{
    return made ? TD_OK : TD_ERROR_MEMORY;
}

static const double times[] = {0, 1, 2, 3, 4, 5};
static const double values[] = {0, 1, 4, 2, 0, 1};

MAKE(diagnostics, td_diagnostics, td_diagnostics_free, or_memory(made = new_diagnostics(3)))
MAKE(builder, td_builder, td_builder_free, or_memory(made = new_builder("r")))
MAKE(workspace, td_workspace, td_workspace_free, or_memory(made = new_workspace(model)))
MAKE(workspace_threads, td_workspace, td_workspace_free,
     or_memory(made = new_workspace_threads(model, 3)))
MAKE(model_read, td_model, td_model_free,
     td_load_model_memory(text, text_size, "m", NULL, NULL, &made))
MAKE(ik_new, td_ik, td_ik_free, td_ik_new(model, goals, 2, NULL, &made))
MAKE(ik_clone, td_ik, td_ik_free, td_ik_clone(ik, &made))
MAKE(ik_rate_new, td_ik_rate, td_ik_rate_free, td_ik_rate_new(model, goals, 1, NULL, &made))
MAKE(linearization, td_linearization, td_linearization_free,
     td_linearization_new(model, TD_INPUTS_FORCES, &made))
MAKE(move, td_trajectory, td_trajectory_free,
     td_trajectory_move(1, values, values + 1, TD_PROFILE_CUBIC, 1, &made))
MAKE(polynomial, td_trajectory, td_trajectory_free,
     td_trajectory_polynomial(1, 5, (double[]){0, 0, 0}, (double[]){1, 0, 0}, 1, &made))
MAKE(limited, td_trajectory, td_trajectory_free,
     td_trajectory_limited(1, values, values + 1, values + 1, values + 1, NULL, &made))
MAKE(spline, td_trajectory, td_trajectory_free,
     td_trajectory_spline(6, 1, times, values, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &made))
MAKE(hermite, td_trajectory, td_trajectory_free,
     td_trajectory_hermite(6, 1, times, values, values, NULL, &made))
MAKE(completion, td_completion, td_completion_free,
     td_completion_new(model, (const char *const[]){"crank0", "crank1"}, 2, 1e-3, &made))

/* Takes a step of a simulation by the method. */
static td_status move_by(td_method method)
{
    td_integrator_options integrator = td_integrator_options_default();
    td_simulation_options options = td_simulation_options_default();
    integrator.method = method;
    integrator.step = td_method_is_fixed(method) ? 1e-3 : 0;
    options.integrator = &integrator;
    options.stops = TD_STOPS_IMPACT;
    options.stiction = true;
    td_simulation *s = NULL;
    td_status status = td_simulation_new(model, &options, &s);
    const bool whole = (status == TD_OK) == (s != NULL);
    if (status == TD_OK)
        status = td_simulation_start(s, 0, NULL, NULL, NULL);
    if (status == TD_OK)
        status = td_simulation_step(s, 1e-3);
    td_simulation_free(s);
    return whole ? status : TD_ERROR_ARGUMENT;
}

#define MOTION(name, method)                                                                       \
    static td_status make_##name(void)                                                             \
    {                                                                                              \
        return move_by(method);                                                                    \
    }
MOTION(dormand_prince, TD_METHOD_DORMAND_PRINCE)
MOTION(rk4, TD_METHOD_RK4)
MOTION(radau, TD_METHOD_RADAU)

static td_status make_payload(void)
{
    static const double com[3] = {0, 0, 0.1}, inertia[6] = {0.1, 0, 0, 0.1, 0, 0.1};
    td_workspace *fresh = new_workspace(model);
    td_status status = or_memory(fresh);
    if (status == TD_OK)
        status = td_set_payload(fresh, 1, 2, com, inertia);
    td_workspace_free(fresh);
    return status;
}

static td_status make_export_as(td_export_format format)
{
    td_export_options options = td_export_options_default();
    size_t size;
    options.format = format;
    const td_status status = td_model_export(model, &options, NULL, NULL, 0, &size);
    return status == TD_ERROR_MODEL ? TD_OK : status;
}

static td_status make_export_urdf(void)
{
    return make_export_as(TD_EXPORT_URDF);
}

static td_status make_export_mjcf(void)
{
    return make_export_as(TD_EXPORT_MJCF);
}

static td_status make_digest(void)
{
    uint64_t digest;
    return td_model_digest(model, w, &digest);
}

static td_status make_actuation_report(void)
{
    td_actuation_report report = {.size_of = sizeof report};
    memcpy(numbers, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *numbers);
    return td_actuation_examine(model, w, numbers, &report, NULL);
}

static td_status make_compliance(void)
{
    double *result = numbers + ROOM / 2;
    memcpy(numbers, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *numbers);
    const td_status status = td_link_compliance(model, w, td_link_count(model) - 1, NULL, numbers,
                                                NULL, NULL, result, result + 64, result + 128);
    return status == TD_ERROR_MEMORY ? status : TD_OK;
}

static td_status make_path(void)
{
    double targets[6];
    td_ik_path_result result = {.size_of = sizeof result};
    memcpy(numbers, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *numbers);
    double poses[12 * 16];
    td_link_poses(model, w, numbers, poses);
    const double *last = poses + 12 * (td_link_count(model) - 1);
    for (int i = 0; i < 6; i++)
        targets[i] = last[4 * (i % 3) + 3];
    return td_ik_solve_path(ik, w, 2, targets, NULL, NULL, numbers, NULL, NULL, NULL, &result);
}

/* Makes one reduction of each kind, with conditions. */
static td_status make_reduction(void)
{
    static const td_condition condition = {0, 0, 1};
    td_keep keeps[5];
    for (int i = 0; i < 5; i++) {
        keeps[i] = td_keep_default();
        keeps[i].kind = (td_keep_kind)i;
        keeps[i].conditions = &condition, keeps[i].condition_count = i % 2 ? 1 : 0;
    }
    keeps[3].axis_count = keeps[4].axis_count = 1;
    keeps[3].axes[0] = keeps[4].axes[0] = (td_axis){0, 0, 1, 10};
    td_reduction *made;
    td_status status = td_reduction_new(3, 1, keeps, 5, 2, &made);
    const bool whole = (status == TD_OK) == (made != NULL);
    if (status == TD_OK)
        status = td_reduction_add(made, 0, 3, values, NULL);
    td_reduction_free(made);
    return whole ? status : TD_ERROR_ARGUMENT;
}

/* Makes x'' = −x + u and computes properties of linear models. */
static td_status make_linear(void)
{
    static const double A[] = {0, 1, -1, 0}, B[] = {0, 1}, Q[] = {1, 0, 0, 1}, R[] = {1};
    double *out = numbers;
    size_t reached;
    td_status status = td_linear_eigenvalues(2, A, out, out + 2);
    if (status == TD_OK)
        status = td_linear_discrete(2, 1, A, B, 0.1, out, out + 4);
    if (status == TD_OK)
        status = td_linear_controllable(2, 1, A, B, 1e-9, &reached, NULL, out);
    if (status == TD_OK)
        status = td_linear_regulator(2, 1, A, B, Q, R, false, out, out + 4);
    return status;
}

static const struct {
    td_status (*make)(void);
    const char *name;
} makers[] = {
#define ROW(name)                                                                                  \
    {                                                                                              \
        make_##name, #name                                                                         \
    }
    ROW(diagnostics),   ROW(builder), ROW(workspace),        ROW(workspace_threads),
    ROW(model_read),    ROW(ik_new),  ROW(ik_clone),         ROW(ik_rate_new),
    ROW(linearization), ROW(move),    ROW(polynomial),       ROW(limited),
    ROW(spline),        ROW(hermite), ROW(completion),       ROW(dormand_prince),
    ROW(rk4),           ROW(radau),   ROW(payload),          ROW(export_urdf),
    ROW(export_mjcf),   ROW(digest),  ROW(actuation_report), ROW(compliance),
    ROW(path),          ROW(linear),  ROW(reduction),
};
enum { MAKERS = sizeof makers / sizeof *makers };

/* ---- failing allocations --------------------------------------------------------------------- */

/* Lets allocation n fail. *left receives the number of leaked blocks, *failed whether allocation n
   was reached. */
static td_status make_with(int k, long n, long *left, bool *failed)
{
    const long before = failing_pieces;
    failing_left = n;
    const td_status status = makers[k].make();
    *failed = failing_left <= 0;
    failing_left = -1;
    *left = failing_pieces - before;
    return status;
}

TD_LOOP_TEST(every_allocation_may_fail, 0, MAKERS)
{
    prepare();
    long left;
    bool failed = true;
    for (int i = 0; i < 2; i++) /* libraries initialize themselves in the first call */
        ck_assert_msg(make_with(_i, LARGE, &left, &failed) == TD_OK, "%s", makers[_i].name);
    ck_assert_msg(left == 0, "%s leaves %ld pieces", makers[_i].name, left);
    for (int once = 0; once < 2 && failing_works; once++) {
        long n = 0;
        do {
            failing_once = once;
            const td_status status = make_with(_i, n, &left, &failed);
            ck_assert_msg(left == 0, "%s leaves %ld pieces at allocation %ld", makers[_i].name,
                          left, n);
            ck_assert_msg(status == TD_OK || status == TD_ERROR_MEMORY, "%s: %s at allocation %ld",
                          makers[_i].name, td_status_text(status), n);
            n++;
        } while (failed && n < 100000);
        ck_assert_msg(n > 1 && !failed, "%s: %ld allocations", makers[_i].name, n - 1);
    }
    failing_once = false;
}
