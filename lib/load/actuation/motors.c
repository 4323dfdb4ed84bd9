/* SPDX-License-Identifier: MIT */
/*
 * Detects motors that loops make singular. They may be singular at every configuration, such as six
 * legs between two regular hexagons, which Ma and Angeles call an architecture singularity. They
 * may also be singular only at the reference, such as a rocker at its dead point. The rank of M_u
 * is computed at the reference and at random positions near it, found by following γ. M_u is
 * analytic in y, so its rank at a random position is its rank almost everywhere.
 */
#include "load/actuation/motors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linalg.h"
#include "dynamics/workspace.h"
#include "load/closure/loop_analysis.h"
#include "tandem/actuation.h"
#include "tandem/closure.h"
#include "tandem/configuration.h"

/* POSITIONS: positions near the reference. TRIES: attempts to find them. farthest: their distance,
   in rad or in units of the joints' mean distance, halved after each failure. */
enum { POSITIONS = 6, TRIES = 24 };
static const double farthest = 0.3;
/* Rows with smaller pivots count as singular in calls, too (kernel/loops/drives.c). */
static const double singular = 1e-8;

/* ---- positions ------------------------------------------------------------------------------- */

/* Returns the mean distance of joints from their parents; 1 if all coincide. */
static double length_of(const td_model *model)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < model->records.joint.count; i++) {
        const double *p = model->records.joint.at[i].origin.position;
        double distance = hypot(p[0], hypot(p[1], p[2]));
        sum += distance;
        count += distance > 0;
    }
    return count ? sum / (double)count : 1;
}

/* Fills a random velocity for moving positions. Joints with quaternions do not move. */
static void fill_direction(const td_model *model, double length, unsigned *seed, double *yd)
{
    memset(yd, 0, model->closure.nyd * sizeof *yd);
    for (size_t n = 0; n < model->independent_count; n++) {
        const int joint = model->independent[n];
        const td_place *place = &model->place[joint];
        const td_joint_row *row = td_joint_row_of(model->records.joint.at[joint].type);
        for (int k = 0; k < place->nyd && row->kind.quaternion == TD_NONE; k++)
            yd[place->yd + k] =
                td_analysis_random(seed) * (row->velocity[0].unit == TD_UNIT_LENGTH ? length : 1);
    }
}

/* ---- budget ---------------------------------------------------------------------------------- */

/* One evaluation of loops with n dependent coordinates takes about n³ multiplications. The
   budget allows as many evaluations with n = 100 as one call may take
   (td_load_options.loop_evaluations). */
static const double work_of_evaluation = 1e6;

/* Returns the cost of one evaluation of all clusters. */
static double work_each(const td_model *model)
{
    double sum = 1;
    for (size_t n = 0; n < model->closure.loops.solved; n++) {
        const td_loop_group *g = &model->closure.loops.group[n];
        const double rows = g->rows, dependents = g->dependents;
        sum += g->sparse ? g->sparse->products + rows * dependents : rows * dependents * dependents;
    }
    return sum;
}

/* Computes G or M_u at a position, within the remaining budget. */
static td_status solve(td_motor_trial *trial, bool motors, const double *y)
{
    int *most = &trial->model->closure.loops.most_evaluations;
    const int usual = *most;
    const double affordable = trial->work / trial->each;
    if (affordable < 1) {
        trial->spent = true;
        return TD_ERROR_ASSEMBLY;
    }
    *most = affordable < usual ? (int)affordable : usual;
    const td_status status =
        motors ? td_actuation_matrix(trial->model, trial->workspace, y, trial->matrix)
               : td_closure_jacobian(trial->model, trial->workspace, y, trial->matrix);
    const double *outcome = trial->workspace->single.outcome;
    const double evaluations = outcome[TD_OUTCOME_EVALUATIONS];
    trial->spent = trial->spent || (status != TD_OK && *most < usual && evaluations >= *most);
    trial->work -= trial->each * evaluations;
    *most = usual;
    return status;
}

/* Adds a position and returns true if the loops close there. */
static bool take(td_motor_trial *trial, const double *y)
{
    if (solve(trial, false, y) != TD_OK)
        return false;
    memcpy(trial->y + trial->count++ * trial->model->closure.ny, y,
           trial->model->closure.ny * sizeof *y);
    return true;
}

/* Searches for another position near the reference, continuing the random sequence. Returns whether
   it found one. */
static bool find_beside(td_motor_trial *trial)
{
    const td_model *model = trial->model;
    while (trial->tries < TRIES && !trial->spent) {
        trial->tries++;
        fill_direction(model, trial->length, &trial->seed, trial->direction);
        td_integrate(model, TD_COORDINATES_INDEPENDENT, trial->start, trial->direction,
                     trial->distance, trial->moved);
        if (take(trial, trial->moved))
            return true;
        trial->distance /= 2;
    }
    return false;
}

/* Finds the reference and one other position. Ranks search for more when needed. */
static void find_positions(td_motor_trial *trial)
{
    if (td_independent_coordinates(trial->model, trial->workspace,
                                   td_reference(trial->model, TD_COORDINATES_TREE), trial->start,
                                   NULL) != TD_OK)
        return;
    trial->reference = take(trial, trial->start);
    if (!find_beside(trial))
        trial->count = 0; /* the reference alone does not show the rank elsewhere */
}

/* Returns whether there is a k-th position, searching for it if needed. */
static bool has_position(td_motor_trial *trial, size_t k)
{
    return k < trial->count ||
           (trial->count > 0 && k < (size_t)POSITIONS + trial->reference && find_beside(trial));
}

bool td_motor_trial_open(td_build *build, td_motor_trial *trial)
{
    td_model *model = build->model;
    const size_t ny = model->closure.ny, nyd = model->closure.nyd;
    const size_t most = model->tree.nv + model->actuation.nu; /* at least the rows of G or M_u */
    *trial = (td_motor_trial){.build = build,
                              .model = model,
                              .work = work_of_evaluation * (double)build->options->loop_evaluations,
                              .each = work_each(model),
                              .length = length_of(model),
                              .distance = farthest,
                              .seed = 7};
    td_arena *arena = &build->temporary;
    double *state = TD_ARENA_NEW(arena, double, 2 * ny + nyd);
    td_workspace_new(model, NULL, &trial->workspace);
    trial->y = TD_ARENA_NEW(arena, double, (POSITIONS + 1) * ny);
    trial->matrix = TD_ARENA_NEW(arena, double, most *nyd);
    trial->A = TD_ARENA_NEW(arena, double, most *nyd);
    trial->R = TD_ARENA_NEW(arena, double, most *most);
    trial->class_of = TD_ARENA_NEW(arena, int, most);
    trial->pick = TD_ARENA_NEW(arena, int, most);
    if (!state || !trial->workspace || !trial->y || !trial->matrix || !trial->A || !trial->R ||
        !trial->class_of || !trial->pick)
        return false;
    trial->start = state;
    trial->moved = state + ny;
    trial->direction = state + 2 * ny;
    find_positions(trial);
    return true;
}

void td_motor_trial_close(td_motor_trial *trial)
{
    td_workspace_free(trial->workspace);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* Returns the rank at one position. The rows, scaled to equal length, become the columns of A. */
static int rank_at(td_motor_trial *trial, const double *y, const td_motor_rows *rows,
                   double tolerance)
{
    const size_t nyd = trial->model->closure.nyd, columns = (size_t)rows->columns;
    if (solve(trial, rows->motors, y) != TD_OK)
        return 0;
    for (int i = 0; i < rows->rows; i++) {
        const double *from = trial->matrix + (size_t)rows->row[i] * nyd;
        double *to = trial->A + (size_t)i * columns, longest = 0;
        for (size_t j = 0; j < columns; j++)
            longest = fmax(longest, fabs(from[rows->column[j]]));
        for (size_t j = 0; j < columns; j++)
            to[j] = longest > 1e-12 ? from[rows->column[j]] / longest : 0;
    }
    memset(trial->class_of, 0, (size_t)rows->rows * sizeof *trial->class_of);
    return td_pivoted_qr(rows->columns, rows->rows, trial->A, trial->class_of, tolerance, trial->R,
                         trial->pick);
}

int td_motor_rank(td_motor_trial *trial, const td_motor_rows *rows, double tolerance,
                  int *at_reference, int *chosen)
{
    const int most = rows->rows < rows->columns ? rows->rows : rows->columns;
    int highest = 0, first = -1;
    /* stop at full rank */
    for (size_t k = 0; (k == 0 || highest < most) && has_position(trial, k); k++) {
        int rank = rank_at(trial, trial->y + k * trial->model->closure.ny, rows, tolerance);
        first = k == 0 && trial->reference ? rank : first;
        if (chosen && (k == 0 || rank > highest))
            for (int i = 0; i < rows->rows; i++)
                chosen[i] = rows->row[trial->pick[i]];
        highest = rank > highest ? rank : highest;
    }
    if (at_reference)
        *at_reference = first < 0 ? highest : first;
    return highest;
}

/* ---- messages -------------------------------------------------------------------------------- */

void td_list_name(char *text, size_t size, const char *name)
{
    static const char more[] = " and more";
    const size_t used = strlen(text), room = size - sizeof more;
    if (used + strlen(name) + 4 < room)
        snprintf(text + used, size - used, "%s'%s'", used ? ", " : "", name);
    else if (used < sizeof more || strcmp(text + used - sizeof more + 1, more) != 0)
        snprintf(text + used, size - used, "%s", more);
}

/* Lists joints that would raise the rank as additional motors of the drive. */
static void list_others(td_motor_trial *trial, const td_drive *d, int rank, int *row, char *text,
                        size_t size)
{
    const td_model *model = trial->model;
    const td_actuation_map *map = &model->actuation;
    for (int i = 0; i < d->motors; i++) {
        int motor = map->drives.motor[d->motor + i];
        if (map->loop[motor] >= 0)
            return; /* the joint has no row in G */
        row[i] = map->row[motor];
    }
    for (size_t n = 0; n < model->movable_count; n++) {
        const int joint = model->movable[n];
        const td_joint *record = &model->records.joint.at[joint];
        if (!td_joint_is_scalar(record->type) || record->flexible)
            continue;
        row[d->motors] = model->place[joint].qd;
        const td_motor_rows more = {false, row, map->drives.coordinate + d->coordinate,
                                    d->motors + 1, d->coordinates};
        if (td_motor_rank(trial, &more, TD_MOTORS_ROUNDED, NULL, NULL) > rank)
            td_list_name(text, size, record->name);
    }
}

/* Returns a source for messages about a drive: the first loop. */
static td_source source_of(const td_model *model)
{
    for (size_t l = 0; l < model->records.loop.count; l++)
        if (model->closure.loop_group[l] >= 0)
            return model->records.loop.at[l].source;
    return TD_NOWHERE;
}

static void report_drive(td_motor_trial *trial, const td_drive *d, int rank, bool everywhere,
                         int *row)
{
    const td_model *model = trial->model;
    td_diagnostics *list = trial->build->diagnostics;
    char motors[200] = "", others[120] = "", remedy[400];
    for (int i = 0; i < d->motors; i++) {
        td_actuator a = td_actuator_at(model, (size_t)model->actuation.drives.motor[d->motor + i]);
        td_list_name(motors, sizeof motors, a.name);
    }
    if (!everywhere) {
        td_report(
            list, TD_CODE_MOTORS_SINGULAR_THERE, source_of(model),
            "start at another configuration: here some motion moves no motor, and motor forces are "
            "undefined",
            "%s %s %s singular at the reference configuration (rank %d of %d), but not nearby",
            d->motors > 1 ? "the motors" : "motor", motors, d->motors > 1 ? "are" : "is", rank,
            d->coordinates);
        return;
    }
    list_others(trial, d, rank, row, others, sizeof others);
    snprintf(remedy, sizeof remedy,
             "some motion of the robot moves none of these motors, at any position: change the "
             "geometry, or choose another joint as a motor%s%s",
             *others ? ", such as " : "", others);
    td_report(list, TD_CODE_MOTORS_SINGULAR, source_of(model), remedy,
              "%s %s %s singular at every configuration (rank %d of %d): an architectural "
              "singularity",
              d->motors > 1 ? "the motors" : "motor", motors, d->motors > 1 ? "are" : "is", rank,
              d->coordinates);
}

void td_motor_trial_report(const td_motor_trial *trial)
{
    if (!trial->spent)
        return;
    td_report(
        trial->build->diagnostics, TD_CODE_MOTORS_UNCHECKED, source_of(trial->model),
        "raise loop_evaluations of td_load_options for a longer check",
        "tandem could not determine in time whether loops make motors singular (loop_evaluations)");
}

/* ---- chosen motors --------------------------------------------------------------------------- */

/* Checks motors of a list or of transmissions, which loops may make singular. */
static bool check_drives(td_motor_trial *trial)
{
    const td_drives *drives = &trial->model->actuation.drives;
    int *row = TD_ARENA_NEW(&trial->build->temporary, int, trial->model->actuation.nu + 1);
    if (!row)
        return false;
    for (size_t k = 0; k < drives->count && trial->count > 0; k++) {
        const td_drive *d = &drives->drive[k];
        const td_motor_rows rows = {true, drives->motor + d->motor,
                                    drives->coordinate + d->coordinate, d->motors, d->coordinates};
        int here;
        if (d->motors < d->coordinates) /* too few motors; the status reports this */
            continue;
        const int rank = td_motor_rank(trial, &rows, TD_MOTORS_ROUNDED, NULL, NULL);
        td_motor_rank(trial, &rows, singular, &here, NULL);
        if (!trial->spent && (rank < d->coordinates || here < d->coordinates))
            report_drive(trial, d, rank < d->coordinates ? rank : here, rank < d->coordinates, row);
    }
    return true;
}

bool td_check_motors(td_build *build)
{
    const td_model *model = build->model;
    if (!model->single || !(model->closure.loops.solved || model->actuation.loops.count))
        return true;
    if (build->options->actuation == TD_ACTUATION_INDEPENDENT)
        return td_check_default_motors(build);
    if (model->actuation.status == TD_ERROR_ACTUATION_SINGULAR)
        return true; /* singular by structure, already reported by the status */
    td_motor_trial trial;
    td_arena_scope(&build->temporary);
    const bool good = td_motor_trial_open(build, &trial) && check_drives(&trial);
    if (good)
        td_motor_trial_report(&trial);
    td_motor_trial_close(&trial);
    return good;
}
