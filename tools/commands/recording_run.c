/* SPDX-License-Identifier: MIT */
/*
 * Filters a recorded motion, fits splines and computes inverse dynamics, see recording.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "command.h"
#include "commands/recording.h"
#include "text.h"
#include "vectors.h"

/* Chooses the times of the rows. */
static void choose_times(recorded_result *m, const recording *r)
{
    const double begin = r->t[0], whole = r->t[r->rows - 1] - begin;
    if (isnan(m->options->rate)) {
        m->n = r->rows;
        m->t = allocate(m->n, sizeof *m->t);
        memcpy(m->t, r->t, m->n * sizeof *m->t);
        return;
    }
    const double steps = whole * m->options->rate;
    m->n = (size_t)floor(steps + 1e-9) + 1;
    m->t = allocate(m->n, sizeof *m->t);
    for (size_t i = 0; i < m->n; i++) {
        m->t[i] = fmin(begin + (double)i / m->options->rate, begin + whole);
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct room {
    double *poses, *wrenches, *reactions;
} room;

static td_status compute_row(recorded_result *m, size_t i, room *w)
{
    const td_model *model = m->s->model;
    td_workspace *workspace = m->s->workspace;
    const size_t ny = m->c->size[QUANTITY_Q], nyd = m->c->size[QUANTITY_QD];
    const double *y = m->value[QUANTITY_Q] + i * ny, *yd = m->value[QUANTITY_QD] + i * nyd;
    const double *ydd = m->value[QUANTITY_QDD] + i * nyd;
    double *tau = m->value[QUANTITY_TAU] + i * nyd;
    td_forces forces = td_forces_default();
    forces.passive = m->options->common.passive;
    td_status status = td_closure(model, workspace, y, yd, ydd, m->q + i * td_nq(model),
                                  m->qd + i * td_nv(model), m->qdd + i * td_nv(model));
    if (recorded_pushed(m) && status == TD_OK) {
        status = recorded_wrenches(m, m->t[i], y, RECORDED_WRENCHES | RECORDED_CABLES, w->poses,
                                   w->wrenches);
        forces.wrenches = w->wrenches;
        forces.wrench_frame = TD_FRAME_ALIGNED;
    }
    if (status == TD_OK) {
        status = td_inverse_dynamics(model, workspace, y, yd, ydd, &forces, tau);
    }
    if (status == TD_OK) {
        const size_t nv = td_nv(model);
        status =
            TD_IN_TREE(workspace, td_inverse_dynamics(model, workspace, m->q + i * td_nq(model),
                                                      m->qd + i * nv, m->qdd + i * nv, &forces,
                                                      m->tau + i * nv));
    }
    if (status == TD_OK && m->actuator != NULL) {
        status =
            td_forces_to_actuators(model, workspace, y, tau, NULL, m->u + i * m->actuators, NULL);
    }
    if (status == TD_OK && m->actuator != NULL) {
        status = td_motion_to_actuators(model, workspace, y, yd, NULL, NULL,
                                        m->speed + i * m->actuators, NULL);
    }
    if (status == TD_OK && m->joints > 0) {
        status =
            td_loop_reactions(model, workspace, y, yd, ydd, &forces, m->options->frame,
                              w->reactions, w->reactions + 6 * td_joint_count(model), NULL, NULL);
        for (size_t k = 0; k < m->joints; k++) {
            memcpy(m->reaction + 6 * (i * m->joints + k), w->reactions + 6 * m->joint[k],
                   6 * sizeof(double));
        }
    }
    if (status == TD_OK && m->ground != NULL) {
        status = ground_motion_row(m->ground, i, &(ground_state){y, yd, ydd, &forces});
    }
    return status;
}

/* Reports a row without a result. */
static void fail_row(recorded_result *m, size_t i, td_status status)
{
    enum { TOLD = 3 };
    if (m->failed++ < TOLD) {
        scoped char *what =
            text_format("%s: at t = %s s", m->recorded->name, number_clear(m->t[i]).text);
        session_complain(m->s, what, status);
    }
    const size_t nv = td_nv(m->s->model);
    set_nan(m->value[QUANTITY_TAU] + i * m->c->size[QUANTITY_TAU], m->c->size[QUANTITY_TAU]);
    set_nan(m->q + i * td_nq(m->s->model), td_nq(m->s->model));
    set_nan(m->qd + i * nv, nv);
    set_nan(m->qdd + i * nv, nv);
    set_nan(m->tau + i * nv, nv);
    set_nan(m->u + i * m->actuators, m->actuators);
    set_nan(m->speed + i * m->actuators, m->actuators);
    set_nan(m->reaction + 6 * i * m->joints, 6 * m->joints);
    if (m->ground != NULL) {
        ground_motion_fail(m->ground, i);
    }
}

static void make_rows(recorded_result *m)
{
    const td_model *model = m->s->model;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        m->value[quantity] = allocate(m->n * m->c->size[quantity], sizeof(double));
    }
    m->q = allocate(m->n * td_nq(model), sizeof *m->q);
    m->qd = allocate(m->n * td_nv(model), sizeof *m->qd);
    m->qdd = allocate(m->n * td_nv(model), sizeof *m->qdd);
    m->tau = allocate(m->n * td_nv(model), sizeof *m->tau);
    m->u = allocate(m->n * m->actuators, sizeof *m->u);
    m->speed = allocate(m->n * m->actuators, sizeof *m->speed);
    m->reaction = allocate(6 * m->n * m->joints, sizeof *m->reaction);
    if (m->ground != NULL) {
        ground_motion_rows(m->ground, m->n, m->t, m->recorded);
    }
}

/* Reports reactions that loops do not fully determine, at a row with a result. */
static void tell_open(const recorded_result *m, size_t row)
{
    const td_model *model = m->s->model;
    const size_t joints = td_joint_count(model), nyd = m->c->size[QUANTITY_QD];
    scoped double *open = allocate(6 * (joints + td_loop_count(model)), sizeof *open);
    char *list = text_format("%s", "");
    td_loop_reactions(model, m->s->workspace, m->value[QUANTITY_Q] + row * m->c->size[QUANTITY_Q],
                      m->value[QUANTITY_QD] + row * nyd, m->value[QUANTITY_QDD] + row * nyd, NULL,
                      m->options->frame, NULL, NULL, open, open + 6 * joints);
    for (size_t k = 0; k < m->joints; k++) {
        const wrench_parts parts = positive_parts(open + 6 * m->joint[k]);
        if (*parts.text != '\0') {
            char *longer = text_format("%s%s%s (%s)", list, *list != '\0' ? ", " : "",
                                       recorded_carrier(m, k), parts.text);
            free(list);
            list = longer;
        }
    }
    if (*list != '\0') {
        tell_note("loops do not determine all reactions; the solution with the least self-stress "
                  "is printed: %s",
                  list);
    }
    free(list);
}

static int compute_all(recorded_result *m, const motion_curve *curve, const double *rest)
{
    const td_model *model = m->s->model;
    const size_t ny = m->c->size[QUANTITY_Q], nyd = m->c->size[QUANTITY_QD];
    room w = {allocate(12 * td_link_count(model), sizeof(double)),
              allocate(6 * td_link_count(model), sizeof(double)),
              allocate(6 * (td_joint_count(model) + td_loop_count(model)), sizeof(double))};
    make_rows(m);
    size_t good = m->n;
    for (size_t i = 0; i < m->n; i++) {
        double *y = m->value[QUANTITY_Q] + i * ny;
        memcpy(y, rest, ny * sizeof *y);
        motion_curve_at(curve, m->t[i], y, m->value[QUANTITY_QD] + i * nyd,
                        m->value[QUANTITY_QDD] + i * nyd);
        td_status status = compute_row(m, i, &w);
        if (status != TD_OK) {
            fail_row(m, i, status);
        } else if (good == m->n) {
            good = i;
        }
    }
    if (good < m->n && m->joints > 0) {
        tell_open(m, good);
    }
    if (m->failed > 0) {
        complain("%s: %s without a result", m->recorded->name, counted(m->failed, "row").text);
    }
    if (m->ground != NULL) {
        ground_motion_split(m->ground);
    }
    free(w.poses);
    free(w.wrenches);
    free(w.reactions);
    return m->failed > 0 ? EXIT_NEGATIVE : EXIT_GOOD;
}

int recorded_run(recorded_result *m, recording *r, const double *rest)
{
    int code = recorded_filter(m, r, rest);
    if (code != EXIT_GOOD) {
        return code;
    }
    motion_curve curve;
    if (!recorded_states(r, m->options->cubic, rest, &curve)) {
        return EXIT_FILE;
    }
    choose_times(m, r);
    code = compute_all(m, &curve, rest);
    recorded_errors(m, r);
    motion_curve_free(&curve);
    return code;
}

void recorded_result_free(recorded_result *m)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(m->value[quantity]);
    }
    actuator_names_free(m->c, m->actuator);
    free(m->t);
    free(m->q);
    free(m->qd);
    free(m->qdd);
    free(m->tau);
    free(m->u);
    free(m->speed);
    free(m->joint);
    free(m->reaction);
    free(m->cable);
    free(m->tau_error);
    free(m->u_error);
}
