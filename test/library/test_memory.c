/* SPDX-License-Identifier: MIT */
/*
 * Tests memory. No dynamics call allocates, frees, locks or performs I/O. Threads with separate
 * workspaces share a model. If any allocation fails, loading reports it and leaks nothing. The
 * linker replaces the watched functions by those below (-Wl,--wrap).
 */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "functions.h"
#include "loop_robots.h"

static atomic_long calls;    /* to any watched function */
static long allowed = -1;    /* allocations until one fails; -1: none fails */
static bool once;            /* whether only that one fails, or all later ones too */
static bool pieces;          /* whether allocations from an arena count too */
static atomic_long blocks;   /* allocated and not freed */
static atomic_bool may_wake; /* whether waking a thread does not count */

static bool fails(void)
{
    calls++;
    if (allowed < 0)
        return false;
    if (allowed == 0) {
        allowed = once ? -1 : 0;
        return true;
    }
    allowed--;
    return false;
}

/* __real_x is the original function, __wrap_x the one that the library calls instead */
#define WATCH(type, name, parameters)                                                              \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters

WATCH(void *, malloc, (size_t size))
{
    void *block = fails() ? NULL : __real_malloc(size);
    blocks += block != NULL;
    return block;
}

WATCH(void *, calloc, (size_t n, size_t size))
{
    void *block = fails() ? NULL : __real_calloc(n, size);
    blocks += block != NULL;
    return block;
}

WATCH(void *, realloc, (void *old, size_t size))
{
    void *block = fails() ? NULL : __real_realloc(old, size);
    blocks += block && !old;
    return block;
}

WATCH(void *, aligned_alloc, (size_t alignment, size_t size))
{
    void *block = fails() ? NULL : __real_aligned_alloc(alignment, size);
    blocks += block != NULL;
    return block;
}

WATCH(void, free, (void *block))
{
    calls++;
    blocks -= block != NULL;
    __real_free(block);
}

WATCH(int, pthread_mutex_lock, (pthread_mutex_t * mutex))
{
    calls++;
    return __real_pthread_mutex_lock(mutex);
}

#define WATCH_LOCK(name, type)                                                                     \
    WATCH(int, name, (type * lock))                                                                \
    {                                                                                              \
        calls++;                                                                                   \
        return __real_##name(lock);                                                                \
    }
WATCH_LOCK(pthread_mutex_trylock, pthread_mutex_t)
WATCH_LOCK(pthread_spin_lock, pthread_spinlock_t)
WATCH_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
WATCH_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
WATCH_LOCK(pthread_cond_signal, pthread_cond_t)
WATCH_LOCK(pthread_cond_broadcast, pthread_cond_t)

WATCH(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t *mutex))
{
    calls++;
    return __real_pthread_cond_wait(condition, mutex);
}

WATCH(int, pthread_once, (pthread_once_t * once_only, void (*work)(void)))
{
    calls++;
    return __real_pthread_once(once_only, work);
}

WATCH(int, sem_post, (sem_t * semaphore))
{
    calls += !may_wake;
    return __real_sem_post(semaphore);
}

WATCH(FILE *, fopen, (const char *path, const char *mode))
{
    calls++;
    return __real_fopen(path, mode);
}

WATCH(ssize_t, write, (int file, const void *data, size_t size))
{
    calls++;
    return __real_write(file, data, size);
}

WATCH(char *, getenv, (const char *name))
{
    calls++;
    return __real_getenv(name);
}

/* an arena block may have capacity left, but callers must not rely on it */
WATCH(void *, td_arena_array, (td_arena * arena, size_t count, size_t size))
{
    return pieces && fails() ? NULL : __real_td_arena_array(arena, count, size);
}

static td_model *random_model(void)
{
    td_random random = {1};
    td_builder *builder = td_random_robot(&random, 30, 8, false);
    return model_of_builder(builder, NULL);
}

enum { STATES = 21 };

typedef struct arrays {
    double *y, *yd, *tau, *poses, *q, *tau_q, *wrenches;
    td_status each[STATES];
} arrays;

static arrays arrays_new(const td_model *model)
{
    td_random random = {2};
    size_t links = td_link_count(model);
    arrays a = {
        .y = calloc(STATES * td_ny(model), sizeof(double)),
        .yd = calloc(STATES * td_nyd(model), sizeof(double)),
        .tau = calloc(STATES * td_nyd(model), sizeof(double)),
        .poses = calloc(STATES * 12 * links, sizeof(double)),
        .q = calloc(STATES * td_nq(model), sizeof(double)),
        .tau_q = calloc(STATES * td_nv(model), sizeof(double)),
        .wrenches = calloc(6 * links, sizeof(double)),
    };
    for (size_t i = 0; i < STATES; i++)
        td_draw_configuration(&random, model, false, 2, a.y + i * td_ny(model));
    td_random_fill(&random, STATES * td_nyd(model), a.yd);
    td_random_fill(&random, 6 * links, a.wrenches);
    return a;
}

static void arrays_free(arrays *a)
{
    free(a->y), free(a->yd), free(a->tau), free(a->poses), free(a->q), free(a->tau_q);
    free(a->wrenches);
}

/* Calls every function that may be used in a control loop. y[0] is also beyond the fast range of
   sin. */
static void call_everything(const td_model *model, td_workspace *w, arrays *a)
{
    td_forces forces = td_forces_default();
    forces.wrenches = a->wrenches;
    double com[3], residual;
    for (int frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        forces.wrench_frame = (td_frame)frame;
        td_inverse_dynamics(model, w, a->y, a->yd, a->yd, &forces, a->tau);
    }
    td_closure(model, w, a->y, a->yd, a->yd, a->q, a->tau_q, NULL);
    TD_IN_TREE(w, td_inverse_dynamics(model, w, a->q, a->tau_q, NULL, &forces, a->tau_q));
    td_independent_coordinates(model, w, a->q, a->y, &residual);
    td_project_force(model, w, a->y, a->tau_q, a->tau);
    td_forces_to_actuators(model, w, a->y, a->tau, NULL, a->tau_q, NULL);
    td_link_poses(model, w, a->y, a->poses);
    TD_IN_TREE(w, td_link_poses(model, w, a->q, a->poses));
    td_center_of_mass(model, w, a->y, TD_SCOPE_ALL, com);
    TD_IN_TREE(w, td_center_of_mass(model, w, a->q, TD_SCOPE_MOVING, com));
    td_effective_limit_at(model, 0);
    td_joint_index(model, "scalar0");
    td_batch_inverse_dynamics(model, w, STATES, a->y, a->yd, a->yd, &forces, a->tau, a->each);
    td_batch_link_poses(model, w, STATES, a->y, a->poses, a->each);
}

/* Calls all functions of a state, singly and as batches, and the other functions of states. */
static void call_table(states *s, bool tree)
{
    const arguments *a = &s->a;
    uint64_t seed = 1;
    for (size_t k = 0; k < function_count; k++)
        for (int batch = 0; batch < 2; batch++) {
            states_clear(s, &functions[k], tree, 0);
            function_call(&functions[k], a, tree, batch);
            td_singular_joint(a->w);
        }
    double *factors = s->memory + td_nv(a->model);
    TD_IN(a->w, coordinates_for(tree),
          td_mass_matrix_factors(a->model, a->w, a->y, a->forces, factors));
    TD_IN(a->w, coordinates_for(tree),
          td_factors_solve(a->model, a->w, factors, 1, a->tau, s->memory));
    td_power(a->model, coordinates_for(tree), a->tau, a->yd);
    td_integrate(a->model, coordinates_for(tree), a->y, a->yd, 0.1, s->memory);
    td_difference(a->model, coordinates_for(tree), a->y, a->y, s->memory);
    td_normalize(a->model, coordinates_for(tree), s->y);
    td_neutral(a->model, coordinates_for(tree), s->y);
    td_random_configuration(a->model, coordinates_for(tree), &seed, s->y);
}

TD_TEST(dynamics_calls_do_nothing_else)
{
    td_model *model = random_model();
    td_workspace *workspace = test_workspace(model);
    arrays a = arrays_new(model);
    ck_assert_int_gt(calls, 0); /* checks that the watch works */
    long before = calls;
    call_everything(model, workspace, &a);
    a.y[0] = 1e9;
    call_everything(model, workspace, &a);
    long after = calls; /* read before an assertion makes calls too */
    ck_assert_int_eq(after, before);
    arrays_free(&a);
}

/* Tests regular robots and random ones. Random robots often have joints without inertia: failing
   calls must not allocate either. */
TD_TEST(no_function_does_anything_else)
{
    td_random random = {50};
    int singular = 0;
    for (int k = 0; k < 8; k++) {
        td_builder *builder = k % 2 ? td_random_robot(&random, 12, 4, false)
                                    : regular_robot(&random, 6, 3, false, TD_BASE_FLOATING);
        td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
        for (int tree = 0; tree < 2; tree++) {
            states *s = states_new(&random, model, tree, STATES);
            long before = calls;
            call_table(s, tree);
            singular += td_singular_joint(s->a.w) != TD_NONE;
            s->y[0] = 1e9; /* beyond the fast range of sin, if it is an angle */
            call_table(s, tree);
            s->y[0] = 0.0 / 0.0;
            call_table(s, tree);
            long after = calls;
            ck_assert_int_eq(after, before);
        }
    }
    ck_assert(singular >= 4 && singular <= 12);
}

/* Arguments of functions that are not in the table. */
typedef struct loop_arrays {
    double *q, *qd, *qdd, *tau, *G, *K, *phi, *u;
} loop_arrays;

static loop_arrays loop_arrays_new(const td_model *model)
{
    size_t nv = td_nv(model), rows = td_constraint_count(model);
    return (loop_arrays){
        .q = doubles(td_nq(model)),
        .qd = doubles(nv),
        .qdd = doubles(nv),
        .tau = doubles(nv),
        .G = doubles(nv * td_nyd(model)),
        .K = doubles(rows * nv),
        .phi = doubles(rows),
        .u = doubles(3 * nv),
    };
}

/* Calls γ, its diagnostics and constrained dynamics. Returns the status of γ. */
static td_status call_loops(states *s, loop_arrays *x)
{
    const arguments *a = &s->a;
    const td_model *m = a->model;
    td_workspace *w = a->w;
    td_closure_report report = {.size_of = sizeof report};
    double residual;
    td_closure_examine(m, w, a->y, &report);
    td_closure(m, w, a->y, a->yd, a->ydd, x->q, x->qd, x->qdd);
    td_failed_loop(w, &residual);
    td_closure_jacobian(m, w, a->y, x->G);
    td_project_force(m, w, a->y, x->qdd, x->tau);
    td_constraint_force(m, w, a->y, a->yd, a->ydd, NULL, a->forces, x->tau);
    td_closure_start(m, w, x->q);
    td_closure_start(m, w, NULL);
    td_closure_remember(m, w, x->q);
    td_closure_recall(m, w, x->q);
    td_closure_start_from(m, w, x->q);
    td_neutral(m, TD_COORDINATES_TREE, x->q);
    td_independent_coordinates(m, w, x->q, s->y, &residual);
    td_constraint_residual(m, w, x->q, x->phi);
    td_constraint_jacobian(m, w, x->q, x->K);
    td_constraint_drift(m, w, x->q, x->qd, x->phi);
    td_constrained_forward_dynamics(m, w, x->q, x->qd, x->tau, a->forces, NULL, x->qdd, x->phi);
    td_project_velocity(m, w, x->q, x->qd, x->qdd, x->phi);
    td_project_position(m, w, x->q, x->q, &residual);
    td_constrained_inverse_dynamics(m, w, x->q, x->qd, x->qdd, a->forces, NULL, x->u, NULL, x->phi);
    td_loop_force(m, w, x->q, x->qd, NULL, a->forces, x->tau);
    td_spring_energy(m, w, a->y, x->u);
    td_loop_motion(m, w, 0, a->y, a->yd, a->ydd, x->u);
    TD_IN_TREE(w, td_loop_motion(m, w, 0, x->q, x->qd, NULL, x->u));
    td_actuation_matrix(m, w, a->y, x->G);
    td_forces_to_actuators(m, w, a->y, a->tau, NULL, x->u, x->tau);
    td_forces_from_actuators(m, w, a->y, x->u, x->tau);
    td_motion_to_actuators(m, w, a->y, a->yd, a->ydd, x->u, x->qd, x->qdd);
    td_motion_from_actuators(m, w, x->u, x->qd, x->qdd, s->y, x->tau, x->K, &residual);
    return report.status;
}

enum { LOOP_STATES = 5 }; /* few states: those that do not close take long */

#if TANDEM_HAS_URDF
/* Solves inverse kinematics for a reachable pose and for one that is out of reach. */
TD_LOOP_TEST(inverse_kinematics_does_nothing_else, 0, 3)
{
    static const char *const robots[] = {"arm7.urdf", "gripper.urdf", "stewart.urdf"};
    td_model *model = td_load_robot(robots[_i], NULL);
    td_workspace *w = test_workspace(model);
    const size_t links = td_link_count(model), ny = td_ny(model);
    td_ik_goal goals[3] = {td_ik_goal_default(TD_IK_POSE, links - 1),
                           td_ik_goal_default(TD_IK_CENTER_OF_MASS, 0),
                           td_ik_goal_default(TD_IK_POSTURE, 0)};
    goals[1].required = goals[2].required = false;
    td_ik *ik;
    long refused = 0;
    for (td_status status = TD_ERROR_MEMORY; status != TD_OK; refused++) {
        const long before = blocks;
        allowed = refused;
        status = test_ik_new(model, goals, 3, NULL, &ik);
        allowed = -1;
        const long after = blocks;
        ck_assert(status == TD_OK || (status == TD_ERROR_MEMORY && !ik && after == before));
    }
    ck_assert_int_gt(refused, 3);
    double *poses = doubles(12 * links), *y = doubles(ny);
    double *target = doubles(td_ik_target_count(ik)), left[6];
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    memcpy(target + 10, td_reference(model, TD_COORDINATES_INDEPENDENT),
           td_ny(model) * sizeof *target);
    assert_ok(td_link_poses(model, w, y, poses));
    td_pose_split(poses + 12 * (links - 1), target, target + 3);
    for (int far = 0; far < 2; far++) {
        td_ik_result result = {.size_of = sizeof result};
        target[0] += far * 5;
        long before = calls;
        td_status status = td_ik_solve(ik, w, target, NULL, y, left, &result);
        long after = calls;
        assert_ok(status);
        ck_assert_int_eq(result.status, far ? TD_IK_STATUS_NEAREST : TD_IK_STATUS_REACHED);
        ck_assert_int_eq(after, before);
    }
    target[0] -= 5;
    size_t count;
    double *all = doubles(2 * ny), *rows = doubles(2 * td_ik_target_count(ik));
    long before = calls;
    td_status status = td_ik_solve_all(ik, w, target, NULL, NULL, 2, all, NULL, NULL, &count, NULL);
    const long after_all = calls;
    ck_assert_int_eq(after_all, before);
    assert_ok(status);
    td_ik *copy = NULL;
    refused = 0;
    for (status = TD_ERROR_MEMORY; status != TD_OK; refused++) {
        before = blocks;
        allowed = refused;
        status = test_ik_clone(ik, &copy);
        allowed = -1;
        const long after = blocks;
        ck_assert(status == TD_OK || (status == TD_ERROR_MEMORY && !copy && after == before));
    }
    for (int i = 0; i < 2; i++)
        memcpy(rows + (size_t)i * td_ik_target_count(ik), target,
               td_ik_target_count(ik) * sizeof *target);
    before = blocks;
    allowed = 0;
    const td_status none =
        td_ik_solve_path(copy, w, 2, rows, NULL, NULL, all, NULL, NULL, NULL, NULL);
    allowed = -1;
    status = td_ik_solve_path(copy, w, 2, rows, NULL, NULL, all, NULL, NULL, NULL, NULL);
    const long after_path = blocks;
    ck_assert_int_eq(none, TD_ERROR_MEMORY);
    assert_ok(status);
    ck_assert_int_eq(after_path, before);
}
#endif

#if TANDEM_HAS_URDF
TD_LOOP_TEST(velocities_of_inverse_kinematics_do_nothing_else, 0, 3)
{
    static const char *const robots[] = {"arm7.urdf", "gripper.urdf", "stewart.urdf"};
    td_model *model = td_load_robot(robots[_i], NULL);
    td_workspace *w = test_workspace(model);
    const size_t ny = td_ny(model), n = td_nyd(model);
    td_ik_goal goals[2] = {td_ik_goal_default(TD_IK_POSE, td_link_count(model) - 1),
                           td_ik_goal_default(TD_IK_POSTURE, 0)};
    goals[1].required = false;
    td_ik_rate *rate;
    long refused = 0;
    for (td_status status = TD_ERROR_MEMORY; status != TD_OK; refused++) {
        const long before = blocks;
        allowed = refused;
        status = test_ik_rate_new(model, goals, 2, NULL, &rate);
        allowed = -1;
        const long after = blocks;
        ck_assert(status == TD_OK || (status == TD_ERROR_MEMORY && !rate && after == before));
    }
    ck_assert_int_gt(refused, 4);
    double *y = doubles(ny), *yd = doubles(n), left[4];
    double *velocities = doubles(td_ik_rate_velocity_count(rate));
    signed char *active = test_calloc(td_nv(model), 1);
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    for (int fast = 0; fast < 4; fast++) { /* with active bounds from the second pass on */
        velocities[0] = 0.01 * pow(20, fast);
        const long before = calls;
        const td_status status =
            td_ik_rate_solve(rate, w, y, fast > 2 ? yd : NULL, velocities, yd, left, active, NULL);
        const long after = calls;
        assert_ok(status);
        ck_assert_int_eq(after, before);
    }
}

TD_LOOP_TEST(completions_do_nothing_else, 0, 3)
{
    static const char *const robots[] = {"gripper.urdf", "four_bar.urdf", "four_bar.urdf"};
    static const char *const names[] = {"driver_joint", "crank_joint", "rocker_joint"};
    td_model *model = td_load_robot(robots[_i], NULL);
    td_completion *c;
    long refused = 0;
    for (td_status status = TD_ERROR_MEMORY; status != TD_OK; refused++) {
        const long before = blocks;
        allowed = refused;
        status = test_completion_new(model, &names[_i], 1, 1e-3, &c);
        allowed = -1;
        const long after = blocks;
        ck_assert(status == TD_OK || (status == TD_ERROR_MEMORY && !c && after == before));
    }
    ck_assert_int_gt(refused, 2);
    double *q = doubles(td_nq(model)), *qd = doubles(td_nv(model));
    for (int k = 0; k < 6; k++) { /* the last one is beyond the rocker's range */
        const double position = _i == 2 ? 0.1 * k * k : 0.1 * k, velocity = 1;
        const long before = calls;
        td_complete(c, &position, &velocity, q, qd, NULL);
        const long after = calls;
        ck_assert_int_eq(after, before);
    }
}
#endif

/* Tests closed loops, loops that cannot be closed (a joint is far away), and NaN. */
TD_LOOP_TEST(loops_do_nothing_else, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)(60 + _i)};
    td_model *model = loop_robot_load(robot);
    states *s = states_new(&random, model, false, LOOP_STATES);
    loop_arrays x = loop_arrays_new(model);
    size_t ny = td_ny(model), last = td_independent_joint(model, td_independent_count(model) - 1);
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < LOOP_STATES; i++) {
            double *y = s->y + i * ny, *joint = y + td_joint_place_at(model, last).y;
            loop_robot_state(&random, robot, model, y);
            *joint = kind == 0 ? *joint : kind == 1 ? 50 : 0.0 / 0.0;
        }
        long before = calls;
        td_status status = call_loops(s, &x);
        call_table(s, false);
        long after = calls;
        ck_assert_int_eq(after, before);
        ck_assert(kind == 1 || (status == TD_OK) == (kind == 0));
    }
}

/* ---- threads ----------------------------------------------------------------------------------
 */

/* With a workspace for several threads, calls for one state and small batches must not allocate
   either. Larger batches wake threads. */
TD_TEST(batches_over_threads_allocate_nothing)
{
    enum { MANY = 600, SOME = 20 };
    td_random random = {51};
    td_model *model = random_model();
    states *s = states_new(&random, model, false, MANY);
    td_workspace *several = test_workspace_threads(model, 3);
    double *tau = doubles(MANY * td_nyd(model));
    for (int round = 0; round < 50; round++) {
        long before = calls;
        may_wake = false;
        td_inverse_dynamics(model, several, s->y, s->yd, s->ydd, NULL, tau);
        td_batch_inverse_dynamics(model, several, SOME, s->y, s->yd, s->ydd, NULL, tau, NULL);
        may_wake = true;
        td_batch_inverse_dynamics(model, several, MANY, s->y, s->yd, s->ydd, NULL, tau, NULL);
        td_batch_mass_matrix(model, several, MANY, s->y, NULL, s->memory, NULL);
        long after = calls;
        ck_assert_int_eq(after, before);
    }
}

enum { THREADS = 4, ROUNDS = 50 };

typedef struct job {
    const td_model *model;
    const double *expected;
    bool same;
} job;

static void *work(void *argument)
{
    job *j = argument;
    td_workspace *workspace = new_workspace(j->model);
    arrays a = arrays_new(j->model);
    size_t bytes = STATES * td_nyd(j->model) * sizeof(double);
    j->same = true;
    for (int round = 0; round < ROUNDS; round++) {
        memset(a.tau, 0, bytes);
        td_batch_inverse_dynamics(j->model, workspace, STATES, a.y, a.yd, a.yd, NULL, a.tau, NULL);
        j->same = j->same && memcmp(a.tau, j->expected, bytes) == 0;
    }
    arrays_free(&a);
    td_workspace_free(workspace);
    return NULL;
}

TD_TEST(threads_share_a_model)
{
    td_model *model = random_model();
    td_workspace *workspace = test_workspace(model);
    arrays a = arrays_new(model);
    td_batch_inverse_dynamics(model, workspace, STATES, a.y, a.yd, a.yd, NULL, a.tau, NULL);
    pthread_t thread[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){model, a.tau, false};
        ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert(jobs[i].same);
    }
    arrays_free(&a);
}

/* Once there is memory for payloads, neither changing them nor later calls allocate or lock. */
TD_TEST(payloads_need_room_once)
{
    static const double com[3] = {0.1, 0.2, 0.3}, inertia[6] = {0.1, 0, 0, 0.2, 0, 0.3};
    td_model *model = random_model();
    td_workspace *workspace = test_workspace(model);
    arrays a = arrays_new(model);
    size_t last = td_link_count(model) - 1;
    calls = 0;
    td_set_gravity(workspace, com);
    td_set_gravity(workspace, NULL);
    long for_gravity = calls;
    allowed = 0;
    td_status without = td_set_payload(workspace, last, 2, com, inertia);
    allowed = -1;
    td_status status = td_allow_payloads(workspace);
    calls = 0;
    for (size_t i = 0; i <= last && status == TD_OK; i++)
        status = td_set_payload(workspace, i, 2, com, inertia);
    if (status == TD_OK)
        status =
            td_batch_inverse_dynamics(model, workspace, STATES, a.y, a.yd, NULL, NULL, a.tau, NULL);
    td_clear_payloads(workspace);
    long for_payloads = calls;
    ck_assert_int_eq(for_gravity, 0);
    ck_assert_int_eq(without, TD_ERROR_MEMORY);
    assert_ok(status);
    ck_assert_int_eq(for_payloads, 0);
    arrays_free(&a);
}

/* ---- out of memory ----------------------------------------------------------------------------
 */

/* A user-supplied closure: x = y / 2. */
static int half(const void *context, const double *y, const double *yd, double *x, double *G,
                double *G_rate)
{
    (void)context;
    x[0] = y[0] / 2;
    G[0] = 0.5;
    if (yd)
        G_rate[0] = 0;
    return 0;
}

/* Tries once to build a robot with all features and its workspace. Must not assert, since
   assertions allocate. */
static td_status build(td_diagnostics **list, bool *half_built, size_t locked)
{
    td_model *model = NULL;
    td_status status = TD_ERROR_MEMORY;
    td_builder *builder = new_builder("robot");
    *list = new_diagnostics(0);
    td_link base = td_link_default("base"), tip = td_link_default("tip");
    td_link other = td_link_default("other"), cam = td_link_default("cam");
    td_geometry box = td_geometry_default(TD_SHAPE_BOX);
    box.name = "shape";
    tip.geometry = &box;
    tip.geometry_count = 1;
    td_joint joint = td_joint_default("joint", TD_JOINT_REVOLUTE, "base", "tip");
    td_joint rotor = td_joint_default("rotor", TD_JOINT_CONTINUOUS, "base", "other");
    rotor.independent = 0;
    td_joint moved = td_joint_default("moved", TD_JOINT_CONTINUOUS, "base", "cam");
    const td_closure_function closure = {.size_of = sizeof closure,
                                         .name = "half",
                                         .dependents = 1,
                                         .independents = 1,
                                         .dependent = (const char *const[]){"moved"},
                                         .independent = (const char *const[]){"joint"},
                                         .solve = half};
    td_loop loop = td_loop_default("loop", "base", "tip");
    td_coupling coupling = td_coupling_default("coupling", "tip", "other", 2);
    td_transmission transmission = td_transmission_default("transmission", "joint");
    td_flexible flexible = td_flexible_default("cam");
    flexible.length = flexible.mass_per_length = flexible.torsional_stiffness = 1;
    flexible.rotary_inertia = 0.1;
    flexible.segments = 1;
    if (builder && *list && td_builder_add_link(builder, &base) == TD_OK &&
        td_builder_add_link(builder, &tip) == TD_OK &&
        td_builder_add_link(builder, &other) == TD_OK &&
        td_builder_add_link(builder, &cam) == TD_OK &&
        td_builder_add_joint(builder, &joint) == TD_OK &&
        td_builder_add_joint(builder, &rotor) == TD_OK &&
        td_builder_add_joint(builder, &moved) == TD_OK &&
        td_builder_add_loop(builder, &loop) == TD_OK &&
        td_builder_add_coupling(builder, &coupling) == TD_OK &&
        td_builder_add_transmission(builder, &transmission) == TD_OK &&
        td_builder_add_flexible(builder, &flexible) == TD_OK) {
        td_load_options options = td_load_options_default();
        options.base = TD_BASE_FLOATING;
        options.locked = &(td_joint_position){"joint", 0.5};
        options.locked_count = locked;
        options.closures = &closure;
        options.closure_count = 1 - locked; /* the closure applies to that joint */
        status = td_builder_finish(builder, &options, *list, &model);
    }
    if (status == TD_OK) {
        td_workspace *workspace = new_workspace_threads(model, 2);
        status = workspace ? TD_OK : TD_ERROR_MEMORY;
        td_workspace_free(workspace);
    } else {
        *half_built = *half_built || model;
    }
    td_model_free(model);
    td_builder_free(builder);
    return status;
}

/* Lets allocation n fail, for every n until an attempt succeeds. Either all later ones fail too or
   only that one. In the latter case pieces of arenas count as allocations. */
TD_LOOP_TEST(every_allocation_may_fail, 0, 4)
{
    long n = 0;
    once = pieces = _i & 2;
    td_status status;
    bool half_built = false;
    do {
        td_diagnostics *list;
        long before = blocks;
        allowed = n++;
        status = build(&list, &half_built, (size_t)(_i & 1));
        bool unnoticed = once && allowed < 0 && status == TD_OK;
        allowed = -1;
        td_diagnostics_free(list);
        long left = blocks - before;
        ck_assert_int_eq(left, 0);
        ck_assert(!half_built && !unnoticed);
        ck_assert_msg(status == TD_OK || status == TD_ERROR_MEMORY, "allocation %ld: %s", n,
                      td_status_text(status));
    } while (status != TD_OK && n < 10000);
    assert_ok(status);
    ck_assert_int_gt(n, 10);
}

/* Returns a builder with the links, joints and loops of a model. */
static td_builder *builder_of(const td_model *model)
{
    td_builder *builder = test_builder(td_model_name(model));
    for (size_t i = 0; i < td_link_count(model); i++)
        assert_ok(td_builder_add_link(builder, td_link_at(model, i)));
    for (size_t i = 0; i < td_joint_count(model); i++)
        if (td_joint_at(model, i)->parent)
            assert_ok(td_builder_add_joint(builder, td_joint_at(model, i)));
    for (size_t i = 0; i < td_loop_count(model); i++)
        assert_ok(td_builder_add_loop(builder, td_loop_at(model, i)));
    return builder;
}

/* Builds mechanisms and a workspace of each with every allocation failing. For small mechanisms,
   pieces of arenas count as allocations. */
TD_LOOP_TEST(every_allocation_for_loops_may_fail, 0, loop_robot_count)
{
    once = pieces = loop_robots[_i].modules == 1 || loop_robots[_i].slider;
    td_model *original = loop_robot_load(&loop_robots[_i]);
    td_builder *builder = builder_of(original);
    td_status status;
    long n = 0;
    do {
        td_model *model = NULL;
        td_workspace *workspace = NULL;
        long before = blocks;
        allowed = n++;
        status = td_builder_finish(builder, NULL, NULL, &model);
        if (status == TD_OK)
            workspace = new_workspace(model);
        bool whole = (status == TD_OK) == (model != NULL);
        if (status == TD_OK && !workspace)
            status = TD_ERROR_MEMORY;
        bool unnoticed = once && allowed < 0 && status == TD_OK;
        allowed = -1;
        td_workspace_free(workspace);
        td_model_free(model);
        long left = blocks - before;
        ck_assert_int_eq(left, 0);
        ck_assert(whole && !unnoticed);
        ck_assert_msg(status == TD_OK || status == TD_ERROR_MEMORY, "allocation %ld: %s", n,
                      td_status_text(status));
    } while (status != TD_OK && n < 10000);
    assert_ok(status);
    ck_assert_int_gt(n, 10);
}
