/* SPDX-License-Identifier: MIT */
/*
 * Times calls, see bench.h. States are random and the same in every run. The shortest of many
 * measurements counts, because other processes can only make them longer. Latencies also report the
 * longest.
 */
#include "commands/bench.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "input/random_state.h"
#include "output/progress.h"
#include "text.h"

/* Enough states for several threads, but few enough for results to fit in the cache. */
enum { MOST_STATES = 4096, LEAST_STATES = 64, MOST_NUMBERS = 1 << 19 };

typedef struct arguments {
    const td_model *model;
    td_workspace *workspace;
    size_t n, positions, velocities;
    double *y, *yd, *ydd, *tau; /* one row per state */
    const td_forces *forces;
    size_t link;
    double *out;
} arguments;

/* X(name, description, arguments): see batch.h */
#define BENCH_TABLE(X)                                                                             \
    X(link_poses, "poses of all links", (a->y, a->out))                                            \
    X(link_velocities, "velocities of all links", (a->y, a->yd, TD_FRAME_WORLD, a->out))           \
    X(link_jacobian, "Jacobian of the last link", (a->link, NULL, a->y, TD_FRAME_WORLD, a->out))   \
    X(motion_subspaces, "Jacobian columns of all joints", (a->y, TD_FRAME_WORLD, a->out, NULL))    \
    X(inverse_dynamics, "inverse dynamics", (a->y, a->yd, a->ydd, a->forces, a->out))              \
    X(gravity_force, "gravity force", (a->y, a->out))                                              \
    X(forward_dynamics, "forward dynamics", (a->y, a->yd, a->tau, a->forces, a->out))              \
    X(mass_matrix, "mass matrix", (a->y, a->forces, a->out))                                       \
    X(mass_matrix_factors, "factors of the mass matrix", (a->y, a->forces, a->out))                \
    X(coriolis_matrix, "Coriolis matrix", (a->y, a->yd, a->out))

#define SPREAD(...) __VA_ARGS__
#define BENCH_CALLS(name, text, taken)                                                             \
    static td_status one_##name(const arguments *a)                                                \
    {                                                                                              \
        return td_##name(a->model, a->workspace, SPREAD taken);                                    \
    }                                                                                              \
    static td_status all_##name(const arguments *a)                                                \
    {                                                                                              \
        return td_batch_##name(a->model, a->workspace, a->n, SPREAD taken, NULL);                  \
    }
BENCH_TABLE(BENCH_CALLS)

static const struct {
    const char *key, *text;
    td_status (*single)(const arguments *a), (*all)(const arguments *a);
} operations[] = {
#define BENCH_ROW(name, text, taken) {#name, text, one_##name, all_##name},
    BENCH_TABLE(BENCH_ROW)};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

size_t bench_operations(void)
{
    return OPERATIONS;
}

/* ---- states ---------------------------------------------------------------------------------- */

/* Fills x with numbers from -1 to 1 from a linear congruential generator. */
static void fill(double *x, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = ldexp((double)(int32_t)(*seed >> 32), -31);
    }
}

static arguments arguments_new(const bench_request *r, td_workspace *workspace)
{
    size_t nq = r->tree ? td_nq(r->model) : td_ny(r->model);
    size_t nv = r->tree ? td_nv(r->model) : td_nyd(r->model);
    size_t links = td_link_count(r->model);
    size_t columns = 12 * links + 6 * td_nv(r->model) + nv * nv; /* enough for every operation */
    size_t n = MOST_NUMBERS / columns;
    n = n < LEAST_STATES ? LEAST_STATES : n > MOST_STATES ? MOST_STATES : n;
    n = r->states > 0 ? r->states : n;
    uint64_t seed = 1;
    arguments a = {
        .model = r->model,
        .n = n,
        .positions = nq,
        .velocities = nv,
        .y = allocate(n * nq + 1, sizeof *a.y),
        .yd = allocate(n * nv + 1, sizeof *a.yd),
        .ydd = allocate(n * nv + 1, sizeof *a.ydd),
        .tau = allocate(n * nv + 1, sizeof *a.tau),
        .forces = &r->forces,
        .link = links - 1,
        .out = allocate(n * columns, sizeof *a.out),
    };
    for (size_t i = 0; i < n; i++) {
        random_state(r->tree, r->model, workspace, &seed, a.y + i * nq);
    }
    fill(a.yd, n * nv, &seed);
    fill(a.ydd, n * nv, &seed);
    fill(a.tau, n * nv, &seed);
    return a;
}

static void arguments_free(arguments *a)
{
    free(a->y);
    free(a->yd);
    free(a->ydd);
    free(a->tau);
    free(a->out);
}

static td_workspace *workspace_new(const td_model *model, size_t threads)
{
    td_workspace_options options = td_workspace_options_default();
    options.threads = threads;
    td_workspace *workspace;
    if (td_workspace_new(model, &options, &workspace) != TD_OK) {
        allocate(SIZE_MAX, 1); /* reports that memory ran out and exits */
    }
    return workspace;
}

/* ---- time ------------------------------------------------------------------------------------ */

static double time_batch(const arguments *a, td_status (*call)(const arguments *a), double budget)
{
    double best = INFINITY;
    double end = seconds_now() + budget;
    call(a); /* wakes threads, warms caches */
    do {
        double start = seconds_now();
        call(a);
        best = fmin(best, seconds_now() - start);
    } while (seconds_now() < end);
    return best / (double)a->n;
}

static void next_state(arguments *a)
{
    a->y += a->positions;
    a->yd += a->velocities;
    a->ydd += a->velocities;
    a->tau += a->velocities;
}

static double time_one(const arguments *all, td_status (*call)(const arguments *a), double budget,
                       td_status *status)
{
    double best = INFINITY;
    double end = seconds_now() + budget;
    *status = TD_OK;
    do {
        arguments a = *all;
        double start = seconds_now();
        for (size_t i = 0; i < all->n; i++) {
            td_status of_state = call(&a);
            *status = *status == TD_OK ? of_state : *status;
            next_state(&a);
        }
        best = fmin(best, seconds_now() - start);
    } while (seconds_now() < end);
    return best / (double)all->n;
}

/* ---- latency --------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the quantile of n sorted numbers. */
static double quantile(const double *x, size_t n, double fraction)
{
    double rank = ceil(fraction * (double)n);
    return x[rank < 1 ? 0 : (size_t)rank - 1];
}

/* Pauses at times, as a control loop does. The kernel throttles a real-time thread that never
   sleeps. */
static const double work = 5e-3;
static const struct timespec rest = {.tv_nsec = 500000};

/* Measures latencies. call NULL: measures only the clock. times: count entries. */
static bench_latency time_calls(const arguments *all, td_status (*call)(const arguments *a),
                                size_t count, double *times)
{
    arguments a = *all;
    size_t warm_up = count / 10;
    double rested = seconds_now();
    for (size_t i = 0; i < warm_up + count; i++) {
        double start = seconds_now();
        if (start - rested > work) {
            nanosleep(&rest, NULL);
            rested = start = seconds_now();
        }
        if (call != NULL) {
            call(&a);
        }
        times[i % count] = seconds_now() - start; /* overwrites the warm-up */
        next_state(&a);
        if ((i + 1) % all->n == 0) {
            a = *all;
        }
    }
    qsort(times, count, sizeof *times, by_size);
    return (bench_latency){.least = times[0],
                           .median = quantile(times, count, 0.5),
                           .percent_99 = quantile(times, count, 0.99),
                           .percent_9999 = quantile(times, count, 0.9999),
                           .largest = times[count - 1]};
}

static void measure_latencies(const arguments *a, size_t count, bench_latency *latencies)
{
    scoped double *times = allocate(count, sizeof *times);
    latencies[0] = time_calls(a, NULL, count, times);
    latencies[0].key = "clock";
    latencies[0].text = "clock only";
    for (size_t i = 0; i < OPERATIONS; i++) {
        latencies[i + 1] = time_calls(a, operations[i].single, count, times);
        latencies[i + 1].key = operations[i].key;
        latencies[i + 1].text = operations[i].text;
    }
}

/* ---- everything ------------------------------------------------------------------------------ */

void bench_measure(const bench_request *r, bench_result *results, bench_latency *latencies,
                   size_t *states, size_t *threads)
{
    td_workspace *alone = workspace_new(r->model, 1);
    td_workspace *shared = workspace_new(r->model, r->threads);
    arguments a = arguments_new(r, alone);
    *states = a.n;
    *threads = td_workspace_threads(shared);
    td_use_coordinates(alone, coordinates_for(r->tree));
    td_use_coordinates(shared, coordinates_for(r->tree));
    for (size_t i = 0; i < OPERATIONS; i++) {
        bench_result *x = &results[i];
        x->key = operations[i].key;
        x->text = operations[i].text;
        a.workspace = alone;
        x->single = time_one(&a, operations[i].single, r->time, &x->status);
        x->batch = time_batch(&a, operations[i].all, r->time);
        a.workspace = shared;
        x->threaded = *threads > 1 ? time_batch(&a, operations[i].all, r->time) : x->batch;
    }
    a.workspace = alone;
    if (r->calls > 0) {
        measure_latencies(&a, r->calls, latencies);
    }
    td_workspace_free(alone);
    td_workspace_free(shared);
    arguments_free(&a);
}

bench_start bench_measure_start(const bench_request *r)
{
    bench_start x = {.load = -1, .workspace = td_workspace_bytes(r->model, NULL)};
    td_workspace_options two = td_workspace_options_default();
    two.threads = 2;
    x.per_thread = td_workspace_bytes(r->model, &two) - x.workspace;
    double end = seconds_now() + r->time;
    double best = INFINITY;
    if (r->file == NULL) {
        return x;
    }
    do {
        td_model *model = NULL;
        double start = seconds_now();
        td_load_urdf(r->file, r->load, NULL, &model);
        best = fmin(best, seconds_now() - start);
        td_model_free(model);
    } while (seconds_now() < end);
    x.load = best;
    return x;
}
