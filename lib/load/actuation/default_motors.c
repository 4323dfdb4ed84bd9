/* SPDX-License-Identifier: MIT */
/*
 * Default motors of a robot with loops. If the user names no motors, they are the independent
 * joints, which the loader selected as well-conditioned coordinates. Files may hint at the real
 * motors by transmissions or effort limits. If they hint at other joints of a loop, a diagnostic
 * reports this, and whether those joints can be the motors. Joints that a file declares independent
 * are accepted silently.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/actuation/motors.h"
#include "load/closure/loop_analysis.h"

/* Evidence that a joint has a motor. Only the strongest kind in a loop counts. */
typedef enum evidence { NONE, EFFORT, TRANSMISSION } evidence;

static const char *const words[] = {[EFFORT] = "effort limit", [TRANSMISSION] = "transmission"};

/* The joints of a cluster, by their rows of G. */
typedef struct cluster {
    int *row, *joint, *column;
    int joints, columns; /* columns: columns of independent joints that are motors */
    int *meant;          /* rows of joints that look like motors */
    int meants;
    evidence level;
    bool in_loop; /* a transmission names a loop */
} cluster;

/* Lists per cluster, joint and column of G, for all clusters. */
typedef struct lists {
    int *first, *next; /* per cluster, per movable joint: lists of joints that loops determine */
    int *first_motor, *next_motor;   /* per column and per motor: linked lists of motors */
    char *transmission, *loop_motor; /* per joint: whether a transmission names it; per cluster:
                                        whether one names a loop of it */
} lists;

static bool make_lists(const td_model *model, td_arena *temporary, lists *all)
{
    const size_t clusters = td_loop_cluster_count(model), nyd = model->closure.nyd;
    const td_csr *G = &model->closure.velocity;
    *all = (lists){.first = TD_ARENA_NEW(temporary, int, clusters),
                   .next = TD_ARENA_NEW(temporary, int, model->movable_count),
                   .first_motor = TD_ARENA_NEW(temporary, int, nyd),
                   .next_motor = TD_ARENA_NEW(temporary, int, model->actuation.nu),
                   .transmission = TD_ARENA_NEW(temporary, char, model->records.joint.count),
                   .loop_motor = TD_ARENA_NEW(temporary, char, clusters)};
    if (!all->first || !all->next || !all->first_motor || !all->next_motor || !all->transmission ||
        !all->loop_motor)
        return false;
    for (size_t c = 0; c < clusters; c++)
        all->first[c] = -1;
    for (size_t c = 0; c < nyd; c++)
        all->first_motor[c] = -1;
    for (size_t n = model->movable_count; n-- > 0;) {
        const int index = model->place[model->movable[n]].cluster;
        if (index < 0)
            continue;
        all->next[n] = all->first[index];
        all->first[index] = (int)n;
    }
    for (size_t i = model->actuation.nu; i-- > 0;) {
        const int column = G->column[G->row[model->actuation.row[i]]];
        all->next_motor[i] = all->first_motor[column];
        all->first_motor[column] = (int)i;
    }
    for (size_t k = 0; k < model->records.transmission.count; k++) {
        const char *name = model->records.transmission.at[k].joint;
        const int joint = td_names_find(&model->joint_names, name);
        if (joint >= 0)
            all->transmission[joint] = 1;
        for (size_t l = 0; name && l < model->records.loop.count; l++)
            if (model->closure.loop_place[l].cluster != TD_NONE &&
                strcmp(td_loop_name(model, (int)l), name) == 0)
                all->loop_motor[model->closure.loop_place[l].cluster] = 1;
    }
    return true;
}

static evidence evidence_of(const td_model *model, const lists *all, int joint)
{
    const td_joint *record = &model->records.joint.at[joint];
    if (all->transmission[joint])
        return TRANSMISSION;
    const bool effort = isfinite(record->limit.effort) && record->limit.effort > 0;
    return effort && !record->flexible && td_joint_is_scalar(record->type) ? EFFORT : NONE;
}

static bool holds(const int *list, int count, int what)
{
    for (int i = 0; i < count; i++)
        if (list[i] == what)
            return true;
    return false;
}

/* Finds the joints that loops determine, and the columns that these depend on. */
static void find_joints(const td_model *model, const lists *all, int index, cluster *c)
{
    const td_csr *G = &model->closure.velocity;
    for (int n = all->first[index]; n >= 0; n = all->next[n]) {
        const int joint = model->movable[n];
        const td_place *place = &model->place[joint];
        for (int k = 0; k < place->nv; k++) {
            const int row = place->qd + k;
            if (!(place->dependents >> k & 1))
                continue;
            c->row[c->joints] = row;
            c->joint[c->joints++] = joint;
            for (int e = G->row[row]; e < G->row[row + 1]; e++)
                if (!holds(c->column, c->columns, G->column[e]))
                    c->column[c->columns++] = G->column[e];
        }
    }
}

/* Inserts an element into an ascending list. */
static void insert(int *list, int count, int what)
{
    for (; count > 0 && list[count - 1] > what; count--)
        list[count] = list[count - 1];
    list[count] = what;
}

/* Appends the motors among the columns to the joints, and removes all other columns. Returns the
   number of joints before the motors. */
static int find_motors(const td_model *model, const lists *all, cluster *c)
{
    const int dependents = c->joints;
    for (int k = 0; k < c->columns; k++)
        for (int i = all->first_motor[c->column[k]]; i >= 0; i = all->next_motor[i])
            insert(c->row + dependents, c->joints++ - dependents, i);
    for (int n = dependents; n < c->joints; n++) { /* row holds the motor's index so far */
        c->joint[n] = model->actuation.joint[c->row[n]];
        c->row[n] = model->actuation.row[c->row[n]];
    }
    c->columns = 0;
    for (int i = dependents; i < c->joints; i++)
        c->column[c->columns++] =
            model->closure.velocity.column[model->closure.velocity.row[c->row[i]]];
    return dependents;
}

static void find_meant(const td_model *model, const lists *all, int index, cluster *c)
{
    for (int i = 0; i < c->joints; i++) {
        const evidence found = evidence_of(model, all, c->joint[i]);
        c->level = found > c->level ? found : c->level;
    }
    c->in_loop = all->loop_motor[index];
    c->level = c->in_loop ? TRANSMISSION : c->level;
    for (int i = 0; i < c->joints && c->level > NONE; i++)
        if (evidence_of(model, all, c->joint[i]) == c->level)
            insert(c->meant, c->meants++, c->row[i]);
}

/* Returns the name of the joint of a row of the cluster. */
static const char *name_of(const td_model *model, const cluster *c, int row)
{
    for (int i = 0; i < c->joints; i++)
        if (c->row[i] == row)
            return model->records.joint.at[c->joint[i]].name;
    return "";
}

static void list_rows(const td_model *model, const cluster *c, const int *row, int count,
                      char *text, size_t size)
{
    for (int i = 0; i < count; i++)
        if (i == 0 || name_of(model, c, row[i]) != name_of(model, c, row[i - 1]))
            td_list_name(text, size, name_of(model, c, row[i]));
}

static size_t first_loop(const td_model *model, int index)
{
    size_t loop = 0;
    while (model->closure.loop_place[loop].cluster != (size_t)index)
        loop++;
    return loop;
}

/* Returns whether joint i, a motor, does not look like one. */
static bool is_odd(const td_model *model, const cluster *c, int i)
{
    return !holds(c->meant, c->meants, c->row[i]) &&
           model->records.joint.at[c->joint[i]].independent <= 0;
}

/* Reports the motors of a cluster. first: index of the first motor among the joints. chosen:
   scratch, one row per joint that looks like a motor. */
static void report(td_motor_trial *trial, int index, const cluster *c, int first, int *chosen)
{
    const td_model *model = trial->model;
    const td_loop *loop = &model->records.loop.at[first_loop(model, index)];
    const char *name = td_loop_name(model, (int)first_loop(model, index));
    const td_motor_rows rows = {false, c->meant, c->column, c->meants, c->columns};
    const int wanted = c->columns < c->meants ? c->columns : c->meants;
    const int found =
        trial->count > 0 ? td_motor_rank(trial, &rows, TD_MOTORS_ROUNDED, NULL, chosen) : wanted;
    const bool known = trial->count > 0 && (found == wanted || !trial->spent);
    const int rank = known ? found : wanted;
    char motors[200] = "", meant[200] = "", better[200] = "", remedy[300];
    for (int i = first; i < c->joints; i++)
        if (is_odd(model, c, i))
            td_list_name(motors, sizeof motors, model->records.joint.at[c->joint[i]].name);
    list_rows(model, c, c->meant, c->meants, meant, sizeof meant);
    list_rows(model, c, known && c->meants > c->columns ? chosen : c->meant, wanted, better,
              sizeof better);
    if (!c->in_loop && rank < wanted) {
        td_report(trial->build->diagnostics, TD_CODE_MOTORS_SINGULAR, loop->source,
                  "some motion of the robot moves none of these joints, at any position: change "
                  "the geometry, or choose other joints as motors",
                  "loop '%s': the joints with %s %s, %s, would be singular as motors at every "
                  "configuration (rank %d of %d); the default motors are %s",
                  name, c->level == EFFORT ? "an" : "a", words[c->level], meant, rank, wanted,
                  motors);
        return;
    }
    if (c->level == TRANSMISSION)
        snprintf(remedy, sizeof remedy,
                 "use the joints with transmissions (--actuated transmissions)");
    else
        snprintf(remedy, sizeof remedy,
                 "choose the motors with --actuated; in this loop, probably %s", better);
    td_report(trial->build->diagnostics, TD_CODE_MOTORS_DEFAULT, loop->source, remedy,
              "by default, loop '%s' is driven by %s without %s %s; joints with one: %s", name,
              motors, c->level == EFFORT ? "an" : "a", words[c->level],
              *meant ? meant : "the loop's joint");
}

/* Returns whether a joint that looks like a motor is not one, and a motor does not look like
   one. */
static bool is_suspect(const td_model *model, const cluster *c, int first)
{
    bool idle = c->in_loop, other = false;
    for (int i = 0; i < c->joints; i++) {
        const bool meant = holds(c->meant, c->meants, c->row[i]);
        idle = idle || (meant && i < first);
        other = other || (i >= first && is_odd(model, c, i));
    }
    return idle && other;
}

bool td_check_default_motors(td_build *build)
{
    const td_model *model = build->model;
    const size_t most = model->tree.nv + model->actuation.nu;
    td_motor_trial trial = {.build = NULL};
    td_arena *temporary = &build->temporary;
    td_arena_scope(temporary);
    const cluster room = {.row = TD_ARENA_NEW(temporary, int, most),
                          .joint = TD_ARENA_NEW(temporary, int, most),
                          .column = TD_ARENA_NEW(temporary, int, most),
                          .meant = TD_ARENA_NEW(temporary, int, most)};
    int *list = TD_ARENA_NEW(temporary, int, most);
    lists all;
    bool good = room.row && room.joint && room.column && room.meant && list &&
                make_lists(model, temporary, &all);
    for (int index = 0; good && index < (int)td_loop_cluster_count(model); index++) {
        cluster c = room;
        if (!td_loop_cluster_at(model, (size_t)index).loops)
            continue; /* the cluster has only functions or curves */
        find_joints(model, &all, index, &c);
        const int first = find_motors(model, &all, &c);
        find_meant(model, &all, index, &c);
        if (!is_suspect(model, &c, first))
            continue;
        good = trial.build != NULL || td_motor_trial_open(build, &trial);
        if (good)
            report(&trial, index, &c, first, list);
    }
    if (good && trial.build)
        td_motor_trial_report(&trial);
    td_motor_trial_close(&trial);
    return good;
}
