/* SPDX-License-Identifier: MIT */
/*
 * The table of other functions, and the search for declarations.
 */
#include "other_functions.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operation_list.h"

static td_closure_report closure_report;
static td_actuation_report actuation_report;

static td_closure_report *fresh_closure_report(void)
{
    closure_report = (td_closure_report){.size_of = sizeof closure_report};
    return &closure_report;
}

static td_actuation_report *fresh_actuation_report(void)
{
    actuation_report = (td_actuation_report){.size_of = sizeof actuation_report};
    return &actuation_report;
}

/* arguments, in the notation of operation_list.h */
#define OUT(k) a->out[k]
#define IN(name) IN_##name
#define IN_n OTHER_STATES
#define IN_y a->y
#define IN_yd a->yd
#define IN_ydd a->ydd
#define IN_q a->q
#define IN_qd a->qd
#define IN_qdd a->qdd
#define IN_tau_y a->tau
#define IN_tau a->tau
#define IN_b a->tau
#define IN_u a->u
#define IN_f a->loop
#define IN_forces a->forces
#define IN_factors a->ones
#define IN_packed a->ones
#define IN_columns 3
#define IN_B a->ones
#define IN_weight NULL
#define IN_loop a->element
#define IN_spring a->element
#define IN_statuses a->each

/* X(name, its configuration, its arguments) for functions that are no operations */
#define TABLE(X)                                                                                   \
    X(independent_coordinates, q, (a->q, a->out[0], a->out[1]))                                    \
    X(packed_pattern, none, (a->index, a->index))                                                  \
    X(closure_start, q, (a->q))                                                                    \
    X(closure_rows, none, (TD_ROW_START_COMMON, NULL, 0))                                          \
    X(chart_choose, q, (a->q, NULL, &(bool){false}))                                               \
    X(chart_speeds, q, (a->q, NULL, a->out[0], a->out[1]))                                         \
    X(chart_entries, none, (NULL, NULL))                                                           \
    X(chart_leave, q, (a->q))                                                                      \
    X(closure_remember, none, (a->out[0]))                                                         \
    X(closure_recall, none, (a->out[0]))                                                           \
    X(closure_start_from, none, (a->out[0]))                                                       \
    X(closure_examine, y, (a->y, fresh_closure_report()))                                          \
    X(constrained_forward_dynamics, q,                                                             \
      (a->q, a->qd, a->tau, a->forces, NULL, a->out[0], a->out[1]))                                \
    X(batch_constrained_forward_dynamics, q,                                                       \
      (OTHER_STATES, a->q, a->qd, a->tau, a->forces, NULL, a->out[0], a->out[1], a->each))         \
    X(constrained_forward_dynamics_derivatives, q,                                                 \
      (a->q, a->qd, a->tau, a->forces, NULL, a->out[0], a->out[1], a->out[2], a->out[3],           \
       a->out[4], a->out[5], a->out[6], a->out[7]))                                                \
    X(project_position, q, (a->q, a->out[0], a->out[1]))                                           \
    X(constrained_inverse_dynamics, q,                                                             \
      (a->q, a->qd, a->qdd, a->forces, NULL, a->out[0], a->out[1], a->out[2]))                     \
    X(motion_from_actuators, y, (a->u, a->u, a->u, a->y, a->yd, a->ydd, a->out[0]))                \
    X(actuation_examine, y, (a->y, fresh_actuation_report(), a->out[0]))                           \
    X(idle_directions, y, (a->y, a->out[0]))

#define SPREAD(...) __VA_ARGS__
#define OPERATION_CALL(row, name, coordinates, takes, taken)                                       \
    static td_status as_is_##row(other_arguments *a)                                               \
    {                                                                                              \
        return td_##name(a->model, a->w, SPREAD taken);                                            \
    }                                                                                              \
    static td_status call_##row(other_arguments *a)                                                \
    {                                                                                              \
        return TD_IN(a->w, TD_COORDINATES_##coordinates, as_is_##row(a));                          \
    }
#define CALL(name, takes, taken) OPERATION_CALL(name, name, INDEPENDENT, takes, taken)
TD_OTHER_OPERATIONS(OPERATION_CALL)
TABLE(CALL)

#define OPERATION(row, name, coordinates, takes, taken)                                            \
    {"td_" #name, TD_COORDINATES_##coordinates, CONFIGURATION_##takes, #taken, call_##row,         \
     as_is_##row},
#define ENTRY(name, takes, taken)                                                                  \
    {"td_" #name, TD_COORDINATES_INDEPENDENT, CONFIGURATION_##takes, NULL, call_##name,            \
     as_is_##name},
const other_function other_functions[] = {TD_OTHER_OPERATIONS(OPERATION) TABLE(ENTRY)};
const size_t other_function_count = sizeof other_functions / sizeof *other_functions;

/* ---- arguments ------------------------------------------------------------------------------- */

/* enough for every output */
static size_t room_of(const td_model *model)
{
    const size_t most = td_nq(model) + td_nu(model) + td_constraint_count(model), nv = td_nv(model);
    const size_t states = OTHER_STATES * most * most, derivatives = nv * nv * nv;
    return states > derivatives ? states : derivatives;
}

other_arguments *other_arguments_new(td_random *random, const td_model *model, double value)
{
    other_arguments *a = test_calloc(1, sizeof *a);
    size_t nq = td_nq(model), room = room_of(model), ny = td_ny(model);
    a->model = model;
    a->room = room;
    a->w = test_workspace(model);
    double **vectors[] = {&a->yd, &a->ydd, &a->qd, &a->qdd, &a->tau, &a->u};
    a->ones = doubles(room), a->index = test_calloc(room + 1, sizeof *a->index);
    for (size_t i = 0; i < room; i++)
        a->ones[i] = 1;
    a->y = doubles(OTHER_STATES * nq), a->q = doubles(OTHER_STATES * nq);
    a->loop = doubles(td_loop_count(model));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = doubles(OTHER_STATES * (nq + td_nu(model)));
        td_random_fill(random, OTHER_STATES * (nq + td_nu(model)), *vectors[i]);
    }
    for (size_t i = 0; i < td_independent_count(model); i++) {
        td_joint_place p = td_joint_place_at(model, td_independent_joint(model, i));
        memcpy(a->y + p.y, td_reference(model, TD_COORDINATES_TREE) + p.q, p.nq * sizeof *a->y);
    }
    for (size_t i = 1; i < OTHER_STATES; i++)
        memcpy(a->y + i * ny, a->y, ny * sizeof *a->y);
    for (size_t i = 0; i < OTHER_STATES; i++)
        memcpy(a->q + i * nq, td_reference(model, TD_COORDINATES_TREE), nq * sizeof *a->q);
    for (size_t p = 0; p < OTHER_PARTS; p++) {
        a->out[p] = doubles(room);
        for (size_t i = 0; i < room; i++)
            a->out[p][i] = value;
    }
    memset(a->each, 0x55, sizeof a->each);
    return a;
}

bool other_outputs_untouched(const other_arguments *a, double value)
{
    td_status unset;
    memset(&unset, 0x55, sizeof unset);
    for (size_t i = 0; i < OTHER_STATES; i++)
        if (a->each[i] != unset)
            return false;
    for (size_t p = 0; p < OTHER_PARTS; p++)
        for (size_t i = 0; i < a->room; i++)
            if (a->out[p][i] != value)
                return false;
    return true;
}

/* ---- declarations ---------------------------------------------------------------------------- */

bool next_declaration(const char **at, char *name, size_t room, const char **arguments,
                      size_t *length)
{
    static const char begin[] = "const td_model *model,";
    while ((*at = strstr(*at, begin)) != NULL) {
        const char *end = strchr(*at, ';'), *first = *at;
        while (isspace((unsigned char)first[-1])) /* of a broken line */
            first--;
        if (*--first != '(') {
            *at = end;
            continue;
        }
        *at = first;
        while (isalnum((unsigned char)first[-1]) || first[-1] == '_')
            first--;
        snprintf(name, room, "%.*s", (int)(*at - first), first);
        *arguments = *at;
        *length = (size_t)(end - *at);
        *at = end;
        const char *workspace = strstr(*arguments, "td_workspace *workspace");
        if (workspace && workspace < end)
            return true;
    }
    return false;
}

char *public_headers(void)
{
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    char *all = NULL, directory[2048], path[4096];
    size_t size = 0;
    snprintf(directory, sizeof directory, "%s/include/tandem", root ? root : "");
    DIR *headers = root ? opendir(directory) : NULL;
    for (struct dirent *entry; headers && (entry = readdir(headers)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        size_t more;
        if (length < 2 || strcmp(entry->d_name + length - 2, ".h") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        char *text = td_read_text(path, &more);
        ck_assert_msg(text != NULL, "cannot read %s", path);
        all = realloc(all, size + more + 1);
        ck_assert_ptr_nonnull(all);
        memcpy(all + size, text, more + 1);
        size += more;
        free(text);
    }
    if (headers)
        closedir(headers);
    return all;
}
