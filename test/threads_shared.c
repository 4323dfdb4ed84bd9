/* SPDX-License-Identifier: MIT */
/*
 * Concurrent use for the thread sanitizer. Threads load different files, share models, simulate
 * robots, and search with copies of one inverse kinematics. Each thread has its workspace for a
 * model; some workspaces use several threads. Each thread must compute the same bits as one thread
 * alone. Compiled with PLANTED_RACE, two threads use one workspace, which is not allowed, and the
 * sanitizer must report it.
 *
 *   threads_shared DIRECTORY_OF_ROBOTS
 *
 * Prints TAP.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/simulation.h>
#include <tandem/tandem.h>

#include "objects.h"

enum { THREADS = 4, ROBOTS = 6, STATES = 70, NUMBERS = 1 << 16 };

static const char *const robots[ROBOTS] = {"arm7.urdf",     "gripper.urdf", "four_bar.urdf",
                                           "five_bar.urdf", "hand_a.urdf",  "stewart.urdf"};
static const char *folder;
static td_model *models[ROBOTS];
static td_ik *shared_ik;

/* Results of one thread, as numbers; their count shows how far it came. */
typedef struct job {
    int index;
    bool good;
    size_t count;
    double *number;
} job;

static double *room(job *j, size_t count)
{
    if (j->count + count > NUMBERS)
        exit(2);
    j->count += count;
    return j->number + j->count - count;
}

static td_model *load(int robot)
{
    char path[4096];
    td_model *model = NULL;
    td_diagnostics *list = new_diagnostics(0);
    snprintf(path, sizeof path, "%s/%s", folder, robots[robot]);
    if (td_load_urdf(path, NULL, list, &model) != TD_OK)
        fprintf(stderr, "%s does not load\n", path);
    td_diagnostics_free(list);
    return model;
}

/* ---- work -------------------------------------------------------------------------------------
 */

/* Every thread starts with a different robot. */
static void load_all(job *j)
{
    for (int k = 0; k < ROBOTS; k++) {
        td_model *model = load((k + j->index) % ROBOTS);
        j->good = j->good && model != NULL;
        td_model_free(model);
    }
}

/* Draws states near the reference, in which loops close. */
static void draw(const td_model *model, size_t n, double *y, double *yd)
{
    const size_t ny = td_ny(model), nyd = td_nyd(model);
    double step[64];
    for (size_t i = 0; i < n; i++) {
        double from[64];
        memcpy(from, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *from);
        for (size_t k = 0; k < nyd; k++) {
            step[k] = 1e-3 * (double)((i * 7 + k * 3) % 11);
            yd[i * nyd + k] = step[k];
        }
        td_integrate(model, TD_COORDINATES_INDEPENDENT, from, step, 1, y + i * ny);
    }
}

static void compute_with(job *j, const td_model *model, td_workspace *w)
{
    const size_t ny = td_ny(model), nyd = td_nyd(model);
    double *y = malloc(STATES * ny * sizeof *y), *yd = malloc(STATES * nyd * sizeof *yd);
    td_status each[STATES];
    draw(model, STATES, y, yd);
    double *tau = room(j, nyd), *ydd = room(j, nyd), *H = room(j, nyd * nyd);
    j->good = j->good && td_inverse_dynamics(model, w, y, yd, yd, NULL, tau) == TD_OK &&
              td_forward_dynamics(model, w, y, yd, tau, NULL, ydd) == TD_OK &&
              td_mass_matrix(model, w, y, NULL, H) == TD_OK;
    double *all = room(j, STATES * nyd), *poses = room(j, STATES * 12 * td_link_count(model));
    j->good = j->good &&
              td_batch_inverse_dynamics(model, w, STATES, y, yd, yd, NULL, all, each) == TD_OK &&
              td_batch_link_poses(model, w, STATES, y, poses, NULL) == TD_OK;
    free(y);
    free(yd);
}

static td_workspace *planted; /* NULL, or one workspace for all threads */

/* Uses all models in turn, with workspaces of one and of three threads. */
static void compute(job *j)
{
    for (int k = 0; k < ROBOTS; k++) {
        const td_model *model = models[(k + j->index) % ROBOTS];
        size_t size = 0;
        j->count = 0; /* compare the numbers of the last robot */
        td_model_write(model, NULL, 0, &size);
        for (size_t threads = 1; threads <= 3; threads += 2) {
            td_workspace *w = new_workspace_threads(model, threads);
            compute_with(j, model, w);
            td_workspace_free(w);
        }
    }
}

static void compute_one(job *j)
{
    td_workspace *w = planted != NULL ? planted : new_workspace(models[0]);
    compute_with(j, models[0], w);
    if (w != planted)
        td_workspace_free(w);
}

static void simulate(job *j)
{
    td_simulation_options options = td_simulation_options_default();
    td_simulation *s = NULL;
    const td_model *model = models[2]; /* a robot with a loop */
    options.stops = TD_STOPS_IMPACT;
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = room(j, td_ny(model));
    j->good = td_simulation_new(model, &options, &s) == TD_OK &&
              td_simulation_start(s, 0, NULL, NULL, NULL) == TD_OK &&
              td_simulation_advance(s, 0.2) == TD_OK &&
              td_simulation_evaluate(s, 0.2, &sample) == TD_OK;
    td_simulation_free(s);
}

static void search(job *j)
{
    const double target[] = {0.35, 0.1, 0.3};
    td_ik *ik = NULL;
    td_ik_result found = {.size_of = sizeof found};
    td_workspace *w = new_workspace(models[0]);
    double *y = room(j, td_ny(models[0])), *left = room(j, 16);
    memset(left, 0, 16 * sizeof *left);
    j->good = td_ik_clone(shared_ik, &ik) == TD_OK &&
              td_ik_solve(ik, w, target, NULL, y, left, &found) == TD_OK;
    td_ik_free(ik);
    td_workspace_free(w);
}

/* ---- concurrent runs ------------------------------------------------------------------------- */

typedef struct worker {
    void (*work)(job *j);
    job j;
    pthread_barrier_t *start;
} worker;

static void *run(void *context)
{
    worker *w = context;
    pthread_barrier_wait(w->start);
    w->work(&w->j);
    return NULL;
}

static bool same(const job *a, const job *b)
{
    return a->good && b->good && a->count == b->count &&
           memcmp(a->number, b->number, a->count * sizeof *a->number) == 0;
}

/* Runs the work in several threads first, then in this thread alone for comparison. That way,
   initialization on first use also happens in several threads. */
static bool at_once(void (*work)(job *j))
{
    pthread_barrier_t start;
    pthread_t thread[THREADS];
    worker w[THREADS];
    bool good = true;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){work, {i, true, 0, malloc(NUMBERS * sizeof(double))}, &start};
        if (pthread_create(&thread[i], NULL, run, &w[i]) != 0)
            exit(2);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        job alone = {i, true, 0, malloc(NUMBERS * sizeof(double))};
        work(&alone);
        good = good && same(&w[i].j, &alone);
        free(alone.number);
        free(w[i].j.number);
    }
    pthread_barrier_destroy(&start);
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        void (*work)(job *j);
        const char *name;
    } works[] = {{load_all, "different files are loaded"},
                 {compute, "models are shared, batches go over threads"},
                 {compute_one, "one model is shared"},
                 {simulate, "robots move side by side"},
                 {search, "copies of one inverse kinematics search"}};
    enum { WORKS = sizeof works / sizeof *works };
    int failures = 0;
    folder = argc > 1 ? argv[1] : ".";
    for (int i = 0; i < WORKS; i++) {
        if (i == 1) {
            for (int k = 0; k < ROBOTS; k++)
                if ((models[k] = load(k)) == NULL)
                    return 2;
            const td_ik_goal goal =
                td_ik_goal_default(TD_IK_POSITION, td_link_index(models[0], "tool"));
            if (td_ik_new(models[0], &goal, 1, NULL, &shared_ik) != TD_OK)
                return 2;
#ifdef PLANTED_RACE
            planted = new_workspace(models[0]);
#endif
        }
        const bool good = at_once(works[i].work);
        failures += !good;
        printf("%sok %d - at once %s\n", good ? "" : "not ", i + 1, works[i].name);
        fflush(stdout);
    }
    printf("1..%d\n", WORKS);
    td_ik_free(shared_ik);
    td_workspace_free(planted);
    for (int k = 0; k < ROBOTS; k++)
        td_model_free(models[k]);
    return failures > 0;
}
