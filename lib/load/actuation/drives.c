/* SPDX-License-Identifier: MIT */
/*
 * Builds the matrix M_u, which consists of the motors' rows of G (J G for a motor in a loop joint),
 * and decomposes it into drives. Usually each motor drives one coordinate, and M_u is a scaled
 * permutation. Couplings and loops may mix them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/linalg.h"
#include "base/sets.h"
#include "dynamics/workspace.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* ---- M_u ------------------------------------------------------------------------------------- */

/* Returns whether a column of a group moves the loop of an axis. */
static bool moves(const td_loop_group *g, const td_loop_column *c, int axis)
{
    return c->loop == g->axis[axis].loop;
}

/* Returns the number of entries of G that are summed for a motor in a loop. */
static size_t count_sources(const td_csr *G, const td_loop_group *g, int axis)
{
    size_t count = 0;
    for (int n = 0; n < g->columns; n++)
        if (moves(g, &g->column[n], axis))
            count += (size_t)(G->row[g->column[n].velocity + 1] - G->row[g->column[n].velocity]);
    return count;
}

/* Returns the entry of a column in the row from first to *end, and appends the column if it is
   missing. */
static int entry_of(td_csr *M_u, int first, int *end, int column)
{
    for (int e = first; e < *end; e++)
        if (M_u->column[e] == column)
            return e;
    M_u->column[*end] = column;
    return (*end)++;
}

/* Builds the row of a motor in a loop. at: its first entry. Returns one past its last entry. */
static int take_loop(td_model *model, td_loop_motor *motor, int at, size_t *next)
{
    const td_csr *G = &model->closure.velocity;
    const td_loop_group *g = &model->closure.loops.group[motor->group];
    td_csr *M_u = &model->actuation.matrix;
    int end = at;
    motor->first = *next;
    motor->entry = (size_t)at;
    for (int n = 0; n < g->columns; n++) {
        int row = g->column[n].velocity;
        for (int e = G->row[row]; moves(g, &g->column[n], motor->axis) && e < G->row[row + 1]; e++)
            model->actuation.loops.target[(*next)++] =
                (size_t)entry_of(M_u, at, &end, G->column[e]);
    }
    motor->entries = (size_t)(end - at);
    return end;
}

/* Builds M_u: first the rows of G that belong to motors, with the indices of their entries in G,
   then the rows of motors in loops. */
static bool take_rows(td_model *model)
{
    td_actuation_map *map = &model->actuation;
    td_arena *arena = &model->records.arena;
    const td_csr *G = &model->closure.velocity;
    td_csr *M_u = &map->matrix;
    size_t tree = map->nu - map->loops.count, entries = 0, sources = 0, next = 0;
    for (size_t k = 0; k < tree; k++)
        entries += (size_t)(G->row[map->row[k] + 1] - G->row[map->row[k]]);
    for (size_t k = 0; k < map->loops.count; k++)
        sources += count_sources(G, &model->closure.loops.group[map->loops.motor[k].group],
                                 map->loops.motor[k].axis);
    *M_u = (td_csr){.rows = (int)map->nu,
                    .columns = G->columns,
                    .row = TD_ARENA_NEW(arena, int, map->nu + 1),
                    .column = TD_ARENA_NEW(arena, int, entries + sources),
                    .value = TD_ARENA_NEW(arena, double, entries + sources)};
    map->entry = TD_ARENA_NEW(arena, int, entries);
    map->entries = entries;
    map->loops.target = TD_ARENA_NEW(arena, size_t, sources);
    if (!M_u->row || !M_u->column || !M_u->value || !map->entry || !map->loops.target)
        return false;
    for (size_t k = 0; k < tree; k++) {
        int at = M_u->row[k];
        for (int e = G->row[map->row[k]]; e < G->row[map->row[k] + 1]; e++, at++) {
            M_u->column[at] = G->column[e];
            M_u->value[at] = G->value[e];
            map->entry[at] = e;
        }
        M_u->row[k + 1] = at;
    }
    for (size_t k = 0; k < map->loops.count; k++)
        M_u->row[tree + k + 1] = take_loop(model, &map->loops.motor[k], M_u->row[tree + k], &next);
    return true;
}

/* Computes the rows of loops at the reference, with the kernel that computes them at any state. */
static bool refer_rows(td_model *model)
{
    td_actuation_map *map = &model->actuation;
    td_scratch scratch;
    td_stack stack;
    if (map->loops.count == 0 || !model->single)
        return true;
    if (!td_scratch_new(model, model->single, &scratch, &stack))
        return false;
    scratch.G = model->closure.velocity.value;
    scratch.M_u = map->matrix.value;
    model->single->loop_motors(&model->tree, &model->closure, &map->loops, &scratch,
                               model->closure.reference_q);
    td_stack_end(&stack);
    return true;
}

/* ---- drives ---------------------------------------------------------------------------------- */

/* Gives independent velocities and motors that share entries of M_u the same number in set.
   Velocities come first, motors after them. */
static void join(const td_model *model, int *set)
{
    const td_csr *M_u = &model->actuation.matrix;
    int nyd = M_u->columns;
    for (int i = 0; i < nyd + M_u->rows; i++)
        set[i] = i;
    for (int i = 0; i < M_u->rows; i++)
        for (int e = M_u->row[i]; e < M_u->row[i + 1]; e++)
            set[td_set_of(set, nyd + i)] = td_set_of(set, M_u->column[e]);
    for (int i = 0; i < nyd + M_u->rows; i++)
        set[i] = td_set_of(set, i);
}

/* Returns whether no motor moves with a spin. */
static bool is_free(const td_model *model, const td_spin *spin)
{
    const td_actuation_map *map = &model->actuation;
    for (size_t i = 0; i < map->nu; i++)
        if (map->row[i] >= 0 && spin->rates[map->row[i]])
            return false;
    for (size_t k = 0; k < map->loops.count; k++) {
        const td_loop_motor *motor = &map->loops.motor[k];
        const td_loop_group *g = &model->closure.loops.group[motor->group];
        const td_loop_joint *loop = &g->loop[g->axis[motor->axis].loop];
        const int a = model->tree.link[loop->predecessor_link].body,
                  b = model->tree.link[loop->successor_link].body;
        if ((a >= 0 && spin->bodies[a]) || (b >= 0 && spin->bodies[b]))
            return false;
    }
    return true;
}

/* Sets the number to −1 for velocities of floating, ball and flexible joints that no motor moves,
   for one velocity of each spin that moves no motor, and for motors that move nothing. Charts omit
   the same coordinates as y. */
static void leave_out(td_model *model, const char *moved, int *set)
{
    const td_csr *M_u = &model->actuation.matrix;
    for (size_t k = 0; k < model->independent_count; k++) {
        int joint = model->independent[k], first = model->place[joint].yd;
        const td_joint *record = &model->records.joint.at[joint];
        if (!td_joint_has_quaternion(record->type) && !record->flexible)
            continue;
        for (int i = first; i < first + model->place[joint].nyd; i++)
            set[i] = moved[i] ? set[i] : -1;
    }
    for (size_t k = 0; k < model->spins.count; k++)
        if (is_free(model, &model->spins.at[k])) {
            set[model->spins.at[k].velocity] = -1;
            model->actuation.spins = true;
        }
    for (int i = 0; i < M_u->rows; i++)
        if (M_u->row[i] == M_u->row[i + 1])
            set[M_u->columns + i] = -1;
}

/* Sorts first … end by their drive. from[k]: index for the next member of drive k, which the
   function advances. */
static void sort_into(const int *drive_of, const int *set, int first, int end, int *from, int *list)
{
    for (int i = first; i < end; i++)
        if (set[i] >= 0)
            list[from[drive_of[set[i]]]++] = i - first;
}

/* Numbers the drives in the order of their coordinates, and counts the members of each. */
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

/* Builds the drives. left_out: NULL, or per independent velocity −1 if it belongs to no drive. */
static bool make_drives(td_model *model, const int *left_out)
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
        moved[M_u->column[e]] = !left_out || left_out[M_u->column[e]] >= 0;
    for (int i = 0; i < nyd; i++)
        drives->local[i] = -1;
    join(model, set);
    leave_out(model, moved, set);
    for (int e = 0; e < M_u->row[nu]; e++)
        drives->others = drives->others || set[M_u->column[e]] < 0;
    count_drives(drives, set, nyd, nu, drive_of);
    int motors = 0, coordinates = 0;
    for (size_t k = 0; k < drives->count; k++) {
        td_drive *d = &drives->drive[k];
        d->motor = motors;
        d->coordinate = coordinates;
        motors += d->motors;
        coordinates += d->coordinates;
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

/* ---- actuation status ------------------------------------------------------------------------ */

/* Returns the rank of M_u in a drive; the largest possible rank if M_u changes with the state.
   Returns −1 if memory runs out. */
static int drive_rank(td_build *build, const td_drive *d)
{
    const td_model *model = build->model;
    const td_csr *M_u = &model->actuation.matrix;
    const td_drives *drives = &model->actuation.drives;
    td_arena *arena = &build->temporary;
    td_arena_scope(arena);
    int m = d->motors, n = d->coordinates;
    if (m == 0 || model->closure.loops.solved)
        return m < n ? m : n;
    size_t rows = (size_t)m, columns = (size_t)n;
    double *A = TD_ARENA_NEW(arena, double, rows *columns);
    double *R = TD_ARENA_NEW(arena, double, columns *columns);
    int *column = TD_ARENA_NEW(arena, int, columns), *class_of = TD_ARENA_NEW(arena, int, columns);
    if (!A || !R || !column || !class_of)
        return -1;
    for (size_t i = 0; i < rows; i++) {
        int row = drives->motor[(size_t)d->motor + i];
        for (int e = M_u->row[row]; e < M_u->row[row + 1]; e++)
            A[(size_t)drives->local[M_u->column[e]] * rows + i] = M_u->value[e];
    }
    for (double *a = A; a < A + rows * columns; a += rows) { /* columns have different units */
        const double length = td_dense_largest(rows, a);
        /* shorter columns are rounding errors; calls treat them as singular */
        for (size_t i = 0; i < rows; i++)
            a[i] = length > 1e-12 ? a[i] / length : 0;
    }
    return td_pivoted_qr(m, n, A, class_of, 1e-8, R, column);
}

static td_status judge(td_build *build)
{
    const td_model *model = build->model;
    const td_drives *drives = &model->actuation.drives;
    size_t rank = 0;
    for (size_t k = 0; k < drives->count; k++) {
        int found = drive_rank(build, &drives->drive[k]);
        if (found < 0)
            return TD_ERROR_MEMORY;
        rank += (size_t)found;
    }
    if (rank == model->actuation.drivable)
        return TD_OK;
    return model->actuation.nu < model->actuation.drivable ? TD_ERROR_UNDERACTUATED
                                                           : TD_ERROR_ACTUATION_SINGULAR;
}

bool td_map_motors(td_model *model, const int *left_out)
{
    return take_rows(model) && make_drives(model, left_out);
}

bool td_choose_actuation(td_build *build)
{
    td_model *model = build->model;
    if (!td_select_motors(build) || !td_map_motors(model, NULL))
        return false;
    if (!refer_rows(model))
        return false;
    model->actuation.status = judge(build);
    return model->actuation.status != TD_ERROR_MEMORY;
}
