/* SPDX-License-Identifier: MIT */
/*
 * What the motors of a robot must give at most, over very many random states: states within all
 * limits are made of their index, evaluated and reduced in chunks, and nothing else is stored. One
 * chunk after another here; a program with threads, or a job on many machines, gives each its own
 * chunks and its own reduction, and merges them: the same bits.
 *
 *   sweep robot.urdf [STATES [SEED]]
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tandem/tandem.h>

enum { CHUNK = 16 * TD_REDUCTION_LEAF };

/* Limits of the 3 n columns of a state: y, ẏ, ÿ. Joints that turn without end do so once. */
static void limits_of(const td_model *robot, double *lower, double *upper)
{
    const size_t n = td_nyd(robot);
    for (size_t i = 0; i < td_independent_count(robot); i++) {
        const size_t joint = (size_t)td_independent_joint(robot, i);
        const td_joint_place place = td_joint_place_at(robot, joint);
        const td_effective_limit limit = td_effective_limit_at(robot, joint);
        const size_t at = (size_t)place.yd;
        lower[at] = isfinite(limit.lower) ? limit.lower : -M_PI;
        upper[at] = isfinite(limit.upper) ? limit.upper : M_PI;
        upper[n + at] = fmin(limit.velocity, 10), lower[n + at] = -upper[n + at];
        upper[2 * n + at] = 20, lower[2 * n + at] = -20; /* rad/s² or m/s² */
    }
}

/* States first … first + count − 1, their torques, and those into the reduction. */
static td_status chunk(const td_model *robot, td_workspace *workspace, uint64_t seed,
                       uint64_t first, size_t count, double *room, td_reduction *reduction)
{
    const size_t n = td_nyd(robot);
    double *lower = room, *upper = lower + 3 * n, *points = upper + 3 * n;
    double *state = points + 3 * n * CHUNK, *tau = state + 3 * n * CHUNK;
    static td_status statuses[CHUNK];
    limits_of(robot, lower, upper);
    td_random_points(seed, first, count, 3 * n, points);
    for (size_t i = 0; i < count; i++) /* y, ẏ and ÿ one behind another, n numbers a state each */
        for (size_t k = 0; k < 3 * n; k++)
            state[k / n * n * CHUNK + i * n + k % n] =
                lower[k] + (upper[k] - lower[k]) * points[i * 3 * n + k];
    const td_status status =
        td_batch_inverse_dynamics(robot, workspace, count, state, state + n * CHUNK,
                                  state + 2 * n * CHUNK, NULL, tau, statuses);
    if (status == TD_ERROR_ARGUMENT) /* others are those of states, and counted */
        return status;
    return td_reduction_add(reduction, first, count, tau, statuses);
}

/* Parts of states are of those that did not fail. */
static void print(const td_model *robot, const td_reduction *reduction)
{
    printf("%-20s %12s %12s %12s %12s %10s\n", "joint", "smallest", "largest", "in state",
           "deviation", "> effort");
    for (size_t i = 0; i < td_independent_count(robot); i++) {
        const size_t joint = (size_t)td_independent_joint(robot, i);
        td_moments m = {.size_of = sizeof m};
        uint64_t all, within;
        td_reduction_moments(reduction, 2 * i, &m);
        td_reduction_counted(reduction, 2 * i, &all, NULL);
        td_reduction_counted(reduction, 2 * i + 1, &within, NULL);
        printf("%-20s %12.6g %12.6g %12llu %12.6g %8.2f %%\n", td_joint_at(robot, joint)->name,
               m.smallest, m.largest, (unsigned long long)m.largest_row, m.deviation,
               all > 0 ? 100 * (double)(all - within) / (double)all : 0);
    }
    for (int status = TD_OK + 1; strcmp(td_status_text((td_status)status), "unknown status") != 0;
         status++) {
        const uint64_t *rows;
        const uint64_t failed = td_reduction_failed(reduction, (td_status)status, &rows, NULL);
        if (failed > 0)
            printf("%llu failed, state %llu first: %s\n", (unsigned long long)failed,
                   (unsigned long long)rows[0], td_status_text((td_status)status));
    }
}

/* Of each joint: moments of its torque, and of that within what its motor gives. */
static td_status keep(const td_model *robot, uint64_t states, td_reduction **reduction)
{
    const size_t n = td_independent_count(robot);
    if (n == 0 || td_ny(robot) != n) /* quaternions have no limits */
        return TD_ERROR_ARGUMENT;
    td_keep *keeps = calloc(2 * n, sizeof *keeps);
    td_condition *within = calloc(n, sizeof *within);
    td_status status = keeps && within ? TD_OK : TD_ERROR_MEMORY;
    for (size_t i = 0; status == TD_OK && i < n; i++) {
        const size_t joint = (size_t)td_independent_joint(robot, i);
        const double effort = td_effective_limit_at(robot, joint).effort;
        keeps[2 * i] = keeps[2 * i + 1] = td_keep_default();
        keeps[2 * i].column = keeps[2 * i + 1].column = (size_t)td_joint_place_at(robot, joint).yd;
        within[i] = (td_condition){keeps[2 * i].column, -effort, effort};
        keeps[2 * i + 1].conditions = &within[i], keeps[2 * i + 1].condition_count = 1;
    }
    if (status == TD_OK)
        status = td_reduction_new(states, n, keeps, 2 * n, 3, reduction);
    free(within);
    free(keeps);
    return status;
}

int main(int argc, char **argv)
{
    const uint64_t states = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    td_model *robot = NULL;
    td_status status = td_load_urdf(argc > 1 ? argv[1] : "-", NULL, NULL, &robot);
    const size_t n = status == TD_OK ? td_nyd(robot) : 0;
    double *room = calloc(n * (6 + 7 * (size_t)CHUNK) + 1, sizeof *room);
    td_workspace *workspace = status == TD_OK ? td_workspace_new(robot) : NULL;
    td_reduction *reduction = NULL;
    if (status == TD_OK)
        status = room && workspace ? keep(robot, states, &reduction) : TD_ERROR_MEMORY;
    for (uint64_t first = 0; status == TD_OK && first < states; first += CHUNK) {
        const size_t count = states - first < CHUNK ? (size_t)(states - first) : CHUNK;
        status = chunk(robot, workspace, seed, first, count, room, reduction);
    }
    if (status == TD_OK)
        print(robot, reduction);
    else
        fprintf(stderr, "%s\n", td_status_text(status));
    td_reduction_free(reduction);
    td_workspace_free(workspace);
    td_model_free(robot);
    free(room);
    return status == TD_OK ? 0 : 1;
}
