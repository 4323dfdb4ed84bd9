/* SPDX-License-Identifier: MIT */
/*
 * Which tree joints are motors, the matrix M_u of their rows of G, and the drives it falls into.
 * Mostly every motor drives one coordinate, and M_u is a scaled permutation; couplings and loops
 * may mix them.
 */
#include <math.h>

#include "linalg.h"
#include "model.h"
#include "workspace.h"

/* marks the joint that a transmission, or without one the options, name; reports one that does not
   exist or can have no motor */
static void mark(td_build *build, char *actuated, const char *name,
                 const td_transmission *transmission)
{
    td_model *model = build->model;
    int i = td_names_find(&model->joint_names, name);
    if (i < 0) {
        char text[TD_SUGGESTION];
        const char *remedy =
            td_suggest(build, &model->joint_names, name, "name an existing joint", text);
        if (transmission)
            td_report(build->diagnostics, TD_CODE_TRANSMISSION_JOINT, transmission->source, remedy,
                      "transmission '%s' drives a joint that does not exist: no joint '%s'",
                      transmission->name ? transmission->name : "", name ? name : "");
        else
            td_report(build->diagnostics, TD_CODE_ACTUATED_UNDEFINED, TD_NOWHERE, remedy,
                      "the options name an actuated joint that does not exist: no joint '%s'",
                      name ? name : "");
        return;
    }
    td_joint_type type = model->records.joint.at[i].type;
    if (type != TD_JOINT_FIXED && type != TD_JOINT_FLOATING)
        actuated[i] = 1;
    else if (!transmission)
        td_report(build->diagnostics, TD_CODE_ACTUATED_FIXED, TD_NOWHERE, "leave it out",
                  "joint '%s' is %s and cannot be actuated", name,
                  type == TD_JOINT_FIXED ? "fixed" : "floating");
}

static void mark_all(td_build *build, char *actuated)
{
    td_model *model = build->model;
    const td_load_options *options = build->options;
    char *by_transmission = options->actuation == TD_ACTUATED_TRANSMISSION ? actuated : NULL;
    char *ignored = actuated + model->records.joint.count;
    for (size_t k = 0; k < model->records.transmission.count; k++) {
        const td_transmission *t = &model->records.transmission.at[k];
        mark(build, by_transmission ? by_transmission : ignored, t->joint, t);
    }
    if (options->actuation == TD_ACTUATED_LIST)
        for (size_t k = 0; k < options->actuated_count; k++)
            mark(build, actuated, options->actuated[k], NULL);
    if (options->actuation == TD_ACTUATED_INDEPENDENT)
        for (size_t k = 0; k < model->independent_count; k++)
            if (model->records.joint.at[model->independent[k]].type != TD_JOINT_FLOATING)
                actuated[model->independent[k]] = 1;
}

/* M_u: the rows of G that belong to motors, and where in G their entries are */
static bool take_rows(td_model *model)
{
    td_actuation_map *map = &model->actuation;
    td_arena *arena = &model->records.arena;
    const td_csr *G = &model->closure.velocity;
    td_csr *M_u = &map->matrix;
    size_t entries = 0;
    for (size_t k = 0; k < map->nu; k++)
        entries += (size_t)(G->row[map->row[k] + 1] - G->row[map->row[k]]);
    *M_u = (td_csr){.rows = (int)map->nu,
                    .columns = G->columns,
                    .row = TD_ARENA_NEW(arena, int, map->nu + 1),
                    .column = TD_ARENA_NEW(arena, int, entries),
                    .value = TD_ARENA_NEW(arena, double, entries)};
    map->entry = TD_ARENA_NEW(arena, int, entries);
    if (!M_u->row || !M_u->column || !M_u->value || !map->entry)
        return false;
    for (size_t k = 0; k < map->nu; k++) {
        int at = M_u->row[k];
        for (int e = G->row[map->row[k]]; e < G->row[map->row[k] + 1]; e++, at++) {
            M_u->column[at] = G->column[e];
            M_u->value[at] = G->value[e];
            map->entry[at] = e;
        }
        M_u->row[k + 1] = at;
    }
    return true;
}

/* ---- drives ---------------------------------------------------------------------------------- */

/* set[i] leads, link by link, to one number for all that is in one set */
static int set_of(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* Independent velocities (from 0 on) and motors (after those) that share entries of M_u get one
   number in set. What no motor moves and belongs to a floating joint gets none: −1. */
static void join(const td_model *model, int *set)
{
    const td_csr *M_u = &model->actuation.matrix;
    int nyd = M_u->columns;
    for (int i = 0; i < nyd + M_u->rows; i++)
        set[i] = i;
    for (int i = 0; i < M_u->rows; i++)
        for (int e = M_u->row[i]; e < M_u->row[i + 1]; e++)
            set[set_of(set, nyd + i)] = set_of(set, M_u->column[e]);
    for (int i = 0; i < nyd + M_u->rows; i++)
        set[i] = set_of(set, i);
}

/* velocities of floating joints that no motor moves, and motors that move nothing */
static void leave_out(const td_model *model, const char *moved, int *set)
{
    const td_csr *M_u = &model->actuation.matrix;
    for (size_t k = 0; k < model->independent_count; k++) {
        int joint = model->independent[k], first = model->place[joint].yd;
        if (model->records.joint.at[joint].type != TD_JOINT_FLOATING)
            continue;
        for (int i = first; i < first + 6; i++)
            set[i] = moved[i] ? set[i] : -1;
    }
    for (int i = 0; i < M_u->rows; i++)
        if (M_u->row[i] == M_u->row[i + 1])
            set[M_u->columns + i] = -1;
}

/* sorts first ... end by their drive; from[k] is the place of the k-th drive's first, and moves */
static void sort_into(const int *drive_of, const int *set, int first, int end, int *from, int *list)
{
    for (int i = first; i < end; i++)
        if (set[i] >= 0)
            list[from[drive_of[set[i]]]++] = i - first;
}

static size_t drive_reals(const td_drive *d)
{
    size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    size_t most = m > n ? m : n, least = m < n ? m : n;
    return m * n + least * least + 3 * most + m;
}

/* numbers the drives in the order of their coordinates, and counts what is in each */
static void count_drives(td_drives *drives, const int *set, int nyd, int nu, int *drive_of)
{
    for (int i = 0; i < nyd + nu; i++)
        drive_of[i] = -1;
    for (int i = 0; i < nyd + nu; i++) {
        if (set[i] < 0)
            continue;
        if (drive_of[set[i]] < 0)
            drive_of[set[i]] = (int)drives->count++;
        td_drive *d = &drives->drive[drive_of[set[i]]];
        if (i < nyd)
            drives->local[i] = d->coordinates++;
        else
            d->motors++;
    }
}

static bool make_drives(td_model *model)
{
    td_drives *drives = &model->actuation.drives;
    td_arena *arena = &model->records.arena;
    const td_csr *M_u = &model->actuation.matrix;
    int nyd = M_u->columns, nu = M_u->rows;
    size_t columns = (size_t)nyd, rows = (size_t)nu;
    int *set = TD_ARENA_NEW(arena, int, columns + rows);
    int *drive_of = TD_ARENA_NEW(arena, int, columns + rows);
    int *from = TD_ARENA_NEW(arena, int, columns);
    char *moved = TD_ARENA_NEW(arena, char, columns);
    *drives = (td_drives){.drive = TD_ARENA_NEW(arena, td_drive, columns),
                          .motor = TD_ARENA_NEW(arena, int, rows),
                          .coordinate = TD_ARENA_NEW(arena, int, columns),
                          .local = TD_ARENA_NEW(arena, int, columns)};
    if (!set || !drive_of || !from || !moved || !drives->drive || !drives->motor ||
        !drives->coordinate || !drives->local)
        return false;
    for (int e = 0; e < M_u->row[nu]; e++)
        moved[M_u->column[e]] = 1;
    for (int i = 0; i < nyd; i++)
        drives->local[i] = -1;
    join(model, set);
    leave_out(model, moved, set);
    count_drives(drives, set, nyd, nu, drive_of);
    int motors = 0, coordinates = 0;
    for (size_t k = 0; k < drives->count; k++) {
        td_drive *d = &drives->drive[k];
        d->motor = motors;
        d->coordinate = coordinates;
        motors += d->motors;
        coordinates += d->coordinates;
        drives->room = drive_reals(d) > drives->room ? drive_reals(d) : drives->room;
    }
    for (size_t k = 0; k < drives->count; k++)
        from[k] = drives->drive[k].coordinate;
    sort_into(drive_of, set, 0, nyd, from, drives->coordinate);
    for (size_t k = 0; k < drives->count; k++)
        from[k] = drives->drive[k].motor;
    sort_into(drive_of, set, nyd, nyd + nu, from, drives->motor);
    model->actuation.drivable = (size_t)coordinates;
    return true;
}

/* ---- whether motors give any force ----------------------------------------------------------- */

/* rank of M_u for a drive: the largest possible where it changes with the state. −1 without memory
 */
static int drive_rank(td_model *model, const td_drive *d)
{
    const td_csr *M_u = &model->actuation.matrix;
    const td_drives *drives = &model->actuation.drives;
    td_arena *arena = &model->records.arena;
    int m = d->motors, n = d->coordinates;
    if (m == 0 || model->closure.loops.solved)
        return m < n ? m : n;
    size_t rows = (size_t)m, columns = (size_t)n;
    double *A = TD_ARENA_NEW(arena, double, rows *columns);
    double *R = TD_ARENA_NEW(arena, double, columns *columns);
    int *column = TD_ARENA_NEW(arena, int, columns), *class_of = TD_ARENA_NEW(arena, int, columns);
    if (!A || !R || !column || !class_of)
        return -1;
    for (int i = 0; i < m; i++) {
        int row = drives->motor[d->motor + i];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++)
            A[drives->local[M_u->column[e]] * m + i] = M_u->value[e];
    }
    for (int j = 0; j < n; j++) { /* columns have units of their own */
        double length = 0;
        for (int i = 0; i < m; i++)
            length = fmax(length, fabs(A[j * m + i]));
        for (int i = 0; i < m && length > 0; i++)
            A[j * m + i] /= length;
    }
    return td_pivoted_qr(m, n, A, class_of, 1e-8, R, column);
}

static td_status judge(td_model *model)
{
    const td_drives *drives = &model->actuation.drives;
    size_t rank = 0;
    for (size_t k = 0; k < drives->count; k++) {
        int found = drive_rank(model, &drives->drive[k]);
        if (found < 0)
            return TD_ERROR_MEMORY;
        rank += (size_t)found;
    }
    if (rank == model->actuation.drivable)
        return TD_OK;
    return model->actuation.nu < model->actuation.drivable ? TD_ERROR_UNDERACTUATED
                                                           : TD_ERROR_ACTUATION_SINGULAR;
}

bool td_choose_actuation(td_build *build)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    td_actuation_map *map = &model->actuation;
    char *actuated = TD_ARENA_NEW(arena, char, 2 * model->records.joint.count);
    map->joint = TD_ARENA_NEW(arena, int, model->tree.nv);
    map->row = TD_ARENA_NEW(arena, int, model->tree.nv);
    map->position = TD_ARENA_NEW(arena, int, model->tree.nv);
    if (!actuated || !map->joint || !map->row || !map->position)
        return false;
    mark_all(build, actuated);
    for (size_t i = 0; i < model->records.joint.count; i++)
        for (int k = 0; actuated[i] && k < model->place[i].nv; k++) {
            map->joint[map->nu] = (int)i;
            map->position[map->nu] = model->place[i].q + k;
            map->row[map->nu++] = model->place[i].qd + k;
        }
    if (!take_rows(model) || !make_drives(model))
        return false;
    map->status = judge(model);
    return map->status != TD_ERROR_MEMORY;
}
