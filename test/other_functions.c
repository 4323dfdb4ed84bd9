/* SPDX-License-Identifier: MIT */
/*
 * The table of other functions, and the search for declarations.
 */
#include "other_functions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* X(name, configuration, whether it is of a batch, its arguments) */
#define TABLE(X)                                                                                   \
    X(closure, TAKES_Y, false, (a->y, a->yd, a->ydd, a->out[0], a->out[1], a->out[2]))             \
    X(batch_closure, TAKES_Y, true,                                                                \
      (OTHER_STATES, a->y, a->yd, a->ydd, a->out[0], a->out[1], a->out[2], a->each))               \
    X(project_force, TAKES_Y, false, (a->y, a->tau, a->out[0]))                                    \
    X(independent_coordinates, TAKES_Q, false, (a->q, a->out[0], a->out[1]))                       \
    X(closure_jacobian, TAKES_Y, false, (a->y, a->out[0]))                                         \
    X(closure_start, TAKES_Q, false, (a->q))                                                       \
    X(closure_remember, NO_CONFIGURATION, false, (a->out[0]))                                      \
    X(closure_recall, NO_CONFIGURATION, false, (a->out[0]))                                        \
    X(closure_examine, TAKES_Y, false, (a->y, fresh_closure_report()))                             \
    X(constraint_jacobian, TAKES_Q, false, (a->q, a->out[0]))                                      \
    X(constraint_residual, TAKES_Q, false, (a->q, a->out[0]))                                      \
    X(constraint_drift, TAKES_Q, false, (a->q, a->qd, a->out[0]))                                  \
    X(constrained_forward_dynamics, TAKES_Q, false,                                                \
      (a->q, a->qd, a->tau, a->forces, NULL, a->out[0], a->out[1]))                                \
    X(project_velocity, TAKES_Q, false, (a->q, a->qd, a->out[0], a->out[1]))                       \
    X(project_position, TAKES_Q, false, (a->q, a->out[0], a->out[1]))                              \
    X(constrained_inverse_dynamics, TAKES_Q, false,                                                \
      (a->q, a->qd, a->qdd, a->forces, NULL, a->out[0], a->out[1], a->out[2]))                     \
    X(loop_force, TAKES_Q, false, (a->q, a->qd, a->loop, a->forces, a->out[0]))                    \
    X(loop_motion, TAKES_Y, false, (0, a->y, a->yd, a->ydd, a->out[0]))                            \
    X(tree_loop_motion, TAKES_Q, false, (0, a->q, a->qd, a->qdd, a->out[0]))                       \
    X(tree_spring_motion, TAKES_Q, false, (0, a->q, a->qd, a->out[0]))                             \
    X(spring_motion, TAKES_Y, false, (0, a->y, a->yd, a->out[0]))                                  \
    X(spring_energy, TAKES_Y, false, (a->y, a->out[0]))                                            \
    X(constraint_force, TAKES_Y, false, (a->y, a->yd, a->ydd, a->tau, a->forces, a->out[0]))       \
    X(actuation_matrix, TAKES_Y, false, (a->y, a->out[0]))                                         \
    X(forces_to_actuators, TAKES_Y, false, (a->y, a->tau, NULL, a->out[0], a->out[1]))             \
    X(batch_forces_to_actuators, TAKES_Y, true,                                                    \
      (OTHER_STATES, a->y, a->tau, NULL, a->out[0], a->out[1], a->each))                           \
    X(forces_from_actuators, TAKES_Y, false, (a->y, a->u, a->out[0]))                              \
    X(motion_to_actuators, TAKES_Y, false, (a->y, a->yd, a->ydd, a->out[0], a->out[1], a->out[2])) \
    X(motion_from_actuators, TAKES_Y, false, (a->u, a->u, a->u, a->y, a->yd, a->ydd, a->out[0]))   \
    X(actuation_examine, TAKES_Y, false, (a->y, fresh_actuation_report(), a->out[0]))              \
    X(factored_solve, NO_CONFIGURATION, false, (a->tau, a->out[0]))                                \
    X(tree_factored_solve, NO_CONFIGURATION, false, (a->tau, a->out[0]))

#define SPREAD(...) __VA_ARGS__
#define CALL(name, takes, batch, taken)                                                            \
    static td_status call_##name(other_arguments *a)                                               \
    {                                                                                              \
        return td_##name(a->model, a->w, SPREAD taken);                                            \
    }
TABLE(CALL)

#define ENTRY(name, takes, batch, taken) {"td_" #name, takes, batch, call_##name},
const other_function other_functions[] = {TABLE(ENTRY)};
const size_t other_function_count = sizeof other_functions / sizeof *other_functions;

/* ---- arguments ------------------------------------------------------------------------------- */

static double *doubles(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

/* numbers that every output has room for */
static size_t room_of(const td_model *model)
{
    size_t most = td_nq(model) + td_nu(model) + td_constraint_count(model);
    return OTHER_STATES * most * most;
}

other_arguments *other_arguments_new(td_random *random, const td_model *model, double value)
{
    other_arguments *a = calloc(1, sizeof *a);
    ck_assert_ptr_nonnull(a);
    size_t nq = td_nq(model), room = room_of(model), ny = td_ny(model);
    a->model = model;
    a->w = td_workspace_new(model);
    double **vectors[] = {&a->yd, &a->ydd, &a->qd, &a->qdd, &a->tau, &a->u};
    a->y = doubles(OTHER_STATES * nq), a->q = doubles(nq);
    a->loop = doubles(td_loop_count(model));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = doubles(OTHER_STATES * (nq + td_nu(model)));
        td_random_fill(random, OTHER_STATES * (nq + td_nu(model)), *vectors[i]);
    }
    for (size_t i = 0; i < td_independent_count(model); i++) {
        td_joint_place p = td_joint_place_at(model, (size_t)td_independent_joint(model, i));
        memcpy(a->y + p.y, td_reference(model) + p.q, (size_t)p.nq * sizeof *a->y);
    }
    for (size_t i = 1; i < OTHER_STATES; i++)
        memcpy(a->y + i * ny, a->y, ny * sizeof *a->y);
    memcpy(a->q, td_reference(model), nq * sizeof *a->q);
    for (size_t p = 0; p < OTHER_PARTS; p++) {
        a->out[p] = doubles(room);
        for (size_t i = 0; i < room; i++)
            a->out[p][i] = value;
    }
    memset(a->each, 0x55, sizeof a->each);
    return a;
}

void other_arguments_free(other_arguments *a)
{
    free(a->y), free(a->yd), free(a->ydd), free(a->q), free(a->qd), free(a->qdd);
    free(a->tau), free(a->u), free(a->loop);
    for (size_t p = 0; p < OTHER_PARTS; p++)
        free(a->out[p]);
    td_workspace_free(a->w);
    free(a);
}

bool other_outputs_untouched(const other_arguments *a, double value)
{
    td_status unset;
    memset(&unset, 0x55, sizeof unset);
    for (size_t i = 0; i < OTHER_STATES; i++)
        if (a->each[i] != unset)
            return false;
    for (size_t p = 0; p < OTHER_PARTS; p++)
        for (size_t i = 0; i < room_of(a->model); i++)
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
        while (isspace((unsigned char)first[-1])) /* of a line that was broken */
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
    static const char *const headers[] = {"actuation",  "batch",    "closure",
                                          "constraint", "dynamics", "kinematics"};
    const char *root = getenv("TANDEM_SOURCE_ROOT");
    char *all = NULL, path[4096];
    size_t size = 0;
    for (size_t i = 0; root && i < sizeof headers / sizeof *headers; i++) {
        snprintf(path, sizeof path, "%s/include/tandem/%s.h", root, headers[i]);
        size_t more;
        char *text = td_read_text(path, &more);
        ck_assert_msg(text != NULL, "cannot read %s", path);
        all = realloc(all, size + more + 1);
        ck_assert_ptr_nonnull(all);
        memcpy(all + size, text, more + 1);
        size += more;
        free(text);
    }
    return all;
}
