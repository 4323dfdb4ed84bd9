/* SPDX-License-Identifier: MIT */
/*
 * Recorded motion through filters, a spline and inverse dynamics, see motion.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "motion.h"
#include "motion_table.h"
#include "text.h"

/* ---- filters --------------------------------------------------------------------------------- */

/* The cut-off for a channel: its own, or the one of all; NaN where none is given. False with a
   message. */
static bool find_cutoff(const word_list *words, const channel *c, double *cutoff)
{
    *cutoff = (double)NAN;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->word[i];
        const char *equals = strrchr(word, '=');
        const char *frequency = equals != NULL ? equals + 1 : word;
        const size_t length = equals != NULL ? (size_t)(equals - word) : 0;
        double x;
        if (!parse_number(frequency, &x) || x <= 0) {
            complain("--cutoff %s: '%s' is no frequency above zero (Hz)", word, frequency);
            return false;
        }
        if (equals == NULL ? isnan(*cutoff)
                           : strlen(c->name) == length && strncmp(c->name, word, length) == 0) {
            *cutoff = x;
        }
    }
    return true;
}

static bool cutoffs_known(const recording *r, const word_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *equals = strrchr(words->word[i], '=');
        bool found = equals == NULL;
        for (size_t k = 0; k < r->channels && !found; k++) {
            const size_t length = (size_t)(equals - words->word[i]);
            found = strlen(r->channel[k].name) == length &&
                    strncmp(r->channel[k].name, words->word[i], length) == 0;
        }
        if (!found) {
            complain("--cutoff %s: no column of that name is used", words->word[i]);
            return false;
        }
    }
    return true;
}

/* Values of a column at other times, by a cubic spline through it. */
static td_status resample(size_t from, const double *t, const double *x, size_t to,
                          const double *at, double *out)
{
    td_trajectory *spline = NULL;
    td_status status =
        td_trajectory_spline(from, 1, t, x, 3, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < to && status == TD_OK; i++) {
        status = td_trajectory_at(spline, at[i], &out[i], NULL, NULL);
    }
    td_trajectory_free(spline);
    return status;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median. */
static double usual_step(const recording *r)
{
    double *step = allocate(r->rows, sizeof *step);
    for (size_t i = 0; i + 1 < r->rows; i++) {
        step[i] = r->t[i + 1] - r->t[i];
    }
    qsort(step, r->rows - 1, sizeof *step, compare);
    const double middle = step[(r->rows - 1) / 2];
    free(step);
    return middle;
}

/* Equal steps, which the Butterworth filter needs. */
static td_status make_even(recording *r)
{
    double shortest = (double)INFINITY, longest = 0;
    const double whole = r->t[r->rows - 1] - r->t[0];
    for (size_t i = 0; i + 1 < r->rows; i++) {
        shortest = fmin(shortest, r->t[i + 1] - r->t[i]);
        longest = fmax(longest, r->t[i + 1] - r->t[i]);
    }
    if (longest - shortest < 0.02 * longest) {
        /* times are rounded: what the filter takes for equal must be so for the spline */
        for (size_t i = 0; i < r->rows; i++) {
            r->t[i] = r->t[0] + whole * (double)i / (double)(r->rows - 1);
        }
        return TD_OK;
    }
    const size_t steps = (size_t)fmin(round(whole / usual_step(r)), 1e8);
    const size_t n = steps + 1;
    double *t = allocate(n, sizeof *t);
    for (size_t i = 0; i < n; i++) {
        t[i] = r->t[0] + whole * (double)i / (double)steps;
    }
    complain("%s: steps from %s to %s s: resampled at %s Hz before the filter", r->name,
             number_brief(shortest).text, number_brief(longest).text,
             number_brief((double)steps / whole).text);
    td_status status = TD_OK;
    for (size_t k = 0; k < r->channels && status == TD_OK; k++) {
        double *x = allocate(n, sizeof *x);
        status = resample(r->rows, r->t, r->channel[k].x, n, t, x);
        free(r->channel[k].x);
        r->channel[k].x = x;
    }
    free(r->t);
    r->t = t;
    r->rows = n;
    return status;
}

static int filter_all(recording *r, const motion_options *options)
{
    if (!cutoffs_known(r, &options->cutoff)) {
        return EXIT_USAGE;
    }
    td_status status = options->filter == FILTER_BUTTERWORTH ? make_even(r) : TD_OK;
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
        return EXIT_USAGE;
    }
    const double largest = filter_largest_cutoff(r->rows, r->t);
    for (size_t k = 0; k < r->channels && options->filter != FILTER_NONE; k++) {
        channel *c = &r->channel[k];
        if (!find_cutoff(&options->cutoff, c, &c->cutoff)) {
            return EXIT_USAGE;
        }
        c->filter = options->filter;
        c->chosen = isnan(c->cutoff);
        if (c->chosen) {
            c->cutoff = filter_choose_cutoff(c->filter, r->rows, r->t, c->x);
            if (options->common.plot != NULL) { /* the report says it, where there is one */
                complain("%s: column '%s': cut-off %s Hz by residual analysis", r->name, c->name,
                         number_brief(c->cutoff).text);
            }
        } else if (c->cutoff > largest) {
            complain("%s: column '%s': a cut-off of %s Hz is above %s Hz, 0.45 of the rate",
                     r->name, c->name, number_brief(c->cutoff).text, number_brief(largest).text);
            return EXIT_USAGE;
        }
        filter_apply(c->filter, r->rows, r->t, c->cutoff, c->x);
    }
    return EXIT_GOOD;
}

/* ---- the curve ------------------------------------------------------------------------------- */

/* Velocity and acceleration of a position by a spline of degree 5, where the recording has neither.
 */
static td_status differentiate(motion_table *t, size_t q, size_t qd)
{
    double *x = allocate(t->rows, sizeof *x);
    td_trajectory *spline = NULL;
    const size_t ny = t->c->size[QUANTITY_Q], nyd = t->c->size[QUANTITY_QD];
    for (size_t i = 0; i < t->rows; i++) {
        x[i] = t->value[QUANTITY_Q][i * ny + q];
    }
    td_status status =
        td_trajectory_spline(t->rows, 1, t->time, x, 5, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline);
    for (size_t i = 0; i < t->rows && status == TD_OK; i++) {
        status = td_trajectory_at(spline, t->time[i], NULL, &t->value[QUANTITY_QD][i * nyd + qd],
                                  &t->value[QUANTITY_QDD][i * nyd + qd]);
    }
    td_trajectory_free(spline);
    free(x);
    t->has[QUANTITY_QD][qd] = t->has[QUANTITY_QDD][qd] = true;
    return status;
}

static td_status differentiate_all(motion_table *t)
{
    enum { LEAST_ROWS = 6 };
    td_status status = TD_OK;
    for (size_t i = 0; i < t->c->joints && t->rows >= LEAST_ROWS; i++) {
        const size_t joint = (size_t)t->c->joint[i];
        const size_t q = coordinates_position(t->c, joint), qd = coordinates_velocity(t->c, joint);
        const size_t count = coordinates_count(t->c, QUANTITY_QD, joint);
        if (td_joint_at(t->c->model, joint)->type == TD_JOINT_FLOATING) {
            continue;
        }
        for (size_t k = 0; k < count && status == TD_OK; k++) {
            if (t->has[QUANTITY_Q][q + k] && !t->has[QUANTITY_QD][qd + k] &&
                !t->has[QUANTITY_QDD][qd + k]) {
                status = differentiate(t, q + k, qd + k);
            }
        }
    }
    return status;
}

/* The channels as a table of states. */
static motion_table table_of(const recording *r)
{
    motion_table t = {.c = r->c, .name = r->name, .rows = r->rows, .has_time = true};
    t.time = allocate(r->rows, sizeof *t.time);
    t.line = allocate(r->rows, sizeof *t.line);
    memcpy(t.time, r->t, r->rows * sizeof *t.time);
    for (enum quantity quantity = QUANTITY_Q; quantity <= QUANTITY_QDD; quantity++) {
        const size_t size = r->c->size[quantity];
        t.value[quantity] = allocate(r->rows * size, sizeof(double));
        t.has[quantity] = allocate(size, sizeof(bool));
    }
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        if (c->follower) {
            continue;
        }
        const size_t size = r->c->size[c->quantity];
        t.has[c->quantity][c->index] = true;
        for (size_t i = 0; i < r->rows; i++) {
            t.value[c->quantity][i * size + c->index] = c->x[i];
        }
    }
    return t;
}

/* The times of the rows. */
static void choose_times(motion_result *m, const recording *r)
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

/* ---- cables ---------------------------------------------------------------------------------- */

static bool read_cable(motion_result *m, const char *word)
{
    enum { NUMBERS = 7 };
    double x[NUMBERS];
    const char *colon = strrchr(word, ':');
    size_t count = 0;
    bool good = colon != NULL && colon != word;
    char *copy = text_format("%s", good ? colon + 1 : ""), *rest = copy;
    for (char *part = strsep(&rest, ","); part != NULL && good; part = strsep(&rest, ",")) {
        good = count < NUMBERS && parse_number(part, &x[count]);
        count++;
    }
    free(copy);
    if (!good || count != NUMBERS) {
        complain("--cable %s: LINK:X,Y,Z,X,Y,Z,FORCE expected: a point of the link, the anchor in "
                 "the world (m), and N",
                 word);
        return false;
    }
    char *name = text_format("%.*s", (int)(colon - word), word);
    const int link = find_link(m->s->model, name);
    free(name);
    if (link < 0) {
        return false;
    }
    m->cable = reallocate(m->cable, m->cables + 1, sizeof *m->cable);
    m->cable[m->cables++] = (cable){(size_t)link, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}, x[6]};
    return true;
}

bool motion_cables(motion_result *m, const word_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (!read_cable(m, words->word[i])) {
            return false;
        }
    }
    return true;
}

void motion_wrenches(const motion_result *m, size_t i, double *poses, double *wrenches)
{
    const td_model *model = m->s->model;
    const double *y = m->value[QUANTITY_Q] + i * m->c->size[QUANTITY_Q];
    memset(wrenches, 0, 6 * td_link_count(model) * sizeof *wrenches);
    if (td_link_poses(model, m->s->workspace, y, poses) != TD_OK) {
        return; /* inverse dynamics says why */
    }
    for (size_t k = 0; k < m->cables; k++) {
        const cable *c = &m->cable[k];
        const double *pose = poses + 12 * c->link; /* 3 × 4: rotation and position */
        double arm[3], to[3], length = 0;
        for (size_t a = 0; a < 3; a++) {
            arm[a] = pose[4 * a] * c->point[0] + pose[4 * a + 1] * c->point[1] +
                     pose[4 * a + 2] * c->point[2];
            to[a] = c->anchor[a] - pose[4 * a + 3] - arm[a];
            length += to[a] * to[a];
        }
        length = sqrt(length);
        double *wrench = wrenches + 6 * c->link;
        for (size_t a = 0; a < 3 && length > 0; a++) {
            const size_t b = (a + 1) % 3, d = (a + 2) % 3;
            wrench[a] += c->force * (arm[b] * to[d] - arm[d] * to[b]) / length;
            wrench[3 + a] += c->force * to[a] / length;
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void set_nan(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        x[i] = (double)NAN;
    }
}

typedef struct room {
    double *poses, *wrenches, *reactions;
} room;

static td_status compute_row(motion_result *m, size_t i, room *w)
{
    const td_model *model = m->s->model;
    td_workspace *workspace = m->s->workspace;
    const size_t ny = m->c->size[QUANTITY_Q], nyd = m->c->size[QUANTITY_QD];
    const double *y = m->value[QUANTITY_Q] + i * ny, *yd = m->value[QUANTITY_QD] + i * nyd;
    const double *ydd = m->value[QUANTITY_QDD] + i * nyd;
    double *tau = m->value[QUANTITY_TAU] + i * nyd;
    td_forces forces = td_forces_default();
    forces.passive = !m->options->rigid;
    td_status status = td_closure(model, workspace, y, yd, ydd, m->q + i * td_nq(model),
                                  m->qd + i * td_nv(model), m->qdd + i * td_nv(model));
    if (m->cables > 0 && status == TD_OK) {
        motion_wrenches(m, i, w->poses, w->wrenches);
        forces.wrenches = w->wrenches;
        forces.wrench_frame = TD_WORLD_ALIGNED;
    }
    if (status == TD_OK) {
        status = td_inverse_dynamics(model, workspace, y, yd, ydd, &forces, tau);
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
        status = td_joint_reactions(model, workspace, y, yd, ydd, &forces,
                                    m->options->body ? TD_BODY : TD_WORLD_ALIGNED, w->reactions);
        for (size_t k = 0; k < m->joints; k++) {
            memcpy(m->reaction + 6 * (i * m->joints + k), w->reactions + 6 * m->joint[k],
                   6 * sizeof(double));
        }
    }
    return status;
}

/* A row without a result, which is told. */
static void fail_row(motion_result *m, size_t i, td_status status)
{
    enum { TOLD = 3 };
    if (m->failed++ < TOLD) {
        char *what = text_format("%s: at t = %s s", m->recorded->name, number_clear(m->t[i]).text);
        session_complain(m->s, what, status);
        free(what);
    }
    const size_t nv = td_nv(m->s->model);
    set_nan(m->value[QUANTITY_TAU] + i * m->c->size[QUANTITY_TAU], m->c->size[QUANTITY_TAU]);
    set_nan(m->q + i * td_nq(m->s->model), td_nq(m->s->model));
    set_nan(m->qd + i * nv, nv);
    set_nan(m->qdd + i * nv, nv);
    set_nan(m->u + i * m->actuators, m->actuators);
    set_nan(m->speed + i * m->actuators, m->actuators);
    set_nan(m->reaction + 6 * i * m->joints, 6 * m->joints);
}

static void make_rows(motion_result *m)
{
    const td_model *model = m->s->model;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        m->value[quantity] = allocate(m->n * m->c->size[quantity], sizeof(double));
    }
    m->q = allocate(m->n * td_nq(model), sizeof *m->q);
    m->qd = allocate(m->n * td_nv(model), sizeof *m->qd);
    m->qdd = allocate(m->n * td_nv(model), sizeof *m->qdd);
    m->u = allocate(m->n * m->actuators, sizeof *m->u);
    m->speed = allocate(m->n * m->actuators, sizeof *m->speed);
    m->reaction = allocate(6 * m->n * m->joints, sizeof *m->reaction);
}

static int compute_all(motion_result *m, const motion_curve *curve, const double *rest)
{
    const td_model *model = m->s->model;
    const size_t ny = m->c->size[QUANTITY_Q], nyd = m->c->size[QUANTITY_QD];
    room w = {allocate(12 * td_link_count(model), sizeof(double)),
              allocate(6 * td_link_count(model), sizeof(double)),
              allocate(6 * td_joint_count(model), sizeof(double))};
    make_rows(m);
    for (size_t i = 0; i < m->n; i++) {
        double *y = m->value[QUANTITY_Q] + i * ny;
        memcpy(y, rest, ny * sizeof *y);
        motion_curve_at(curve, m->t[i], y, m->value[QUANTITY_QD] + i * nyd,
                        m->value[QUANTITY_QDD] + i * nyd);
        td_status status = compute_row(m, i, &w);
        if (status != TD_OK) {
            fail_row(m, i, status);
        }
    }
    if (m->failed > 0) {
        complain("%s: %s without a result", m->recorded->name, counted(m->failed, "row").text);
    }
    free(w.poses);
    free(w.wrenches);
    free(w.reactions);
    return m->failed > 0 ? EXIT_MODEL : EXIT_GOOD;
}

int motion_run(motion_result *m, recording *r, const double *rest)
{
    int code = filter_all(r, m->options);
    if (code != EXIT_GOOD) {
        return code;
    }
    motion_table table = table_of(r);
    motion_curve curve;
    td_status status = m->options->cubic ? TD_OK : differentiate_all(&table);
    if (status != TD_OK) {
        complain("%s: %s", r->name, td_status_text(status));
    }
    const bool good = status == TD_OK && motion_curve_new(&curve, &table);
    motion_table_free(&table);
    if (!good) {
        return EXIT_USAGE;
    }
    choose_times(m, r);
    code = compute_all(m, &curve, rest);
    motion_curve_free(&curve);
    return code;
}

void motion_result_free(motion_result *m)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(m->value[quantity]);
    }
    actuator_names_free(m->c, m->actuator);
    free(m->t);
    free(m->q);
    free(m->qd);
    free(m->qdd);
    free(m->u);
    free(m->speed);
    free(m->joint);
    free(m->reaction);
    free(m->cable);
}
