/* SPDX-License-Identifier: MIT */
/*
 * Computes how noise of a recording affects forces, see recording.h. Forces are linear in small
 * errors of positions, velocities and accelerations. Central differences use steps as long as the
 * errors, because friction is not smooth.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/recording.h"
#include "text.h"

/* A state and the buffers to compute its forces. */
typedef struct probe {
    const recorded_result *m;
    const recording *r;
    double t;
    double *value[QUANTITY_TAU];         /* y, ẏ, ÿ */
    double *moved[QUANTITY_TAU];         /* the same with an error */
    double *rate[2];                     /* first and second derivatives of the numbers in y */
    double *poses, *wrenches;            /* links × 12, × 6 */
    size_t forces;                       /* τ, then u */
    double *above;                       /* forces at x + step */
    double (*deviation)[TD_DERIVATIVES]; /* per channel: of derivatives, from the remaining noise */
    double (*variance)[TD_DERIVATIVES];  /* the same for noise of variance 1 */
    double *slope[TD_DERIVATIVES];       /* forces per derivative of a channel */
} probe;

static probe probe_new(const recorded_result *m, const recording *r)
{
    const td_model *model = m->s->model;
    probe p = {.m = m, .r = r, .forces = m->c->size[QUANTITY_TAU] + m->actuators};
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_TAU; quantity++) {
        p.value[quantity] = allocate(m->c->size[quantity], sizeof(double));
        p.moved[quantity] = allocate(m->c->size[quantity], sizeof(double));
    }
    for (size_t d = 0; d < 2; d++) {
        p.rate[d] = allocate(m->c->size[QUANTITY_Q], sizeof(double));
    }
    p.poses = allocate(12 * td_link_count(model), sizeof *p.poses);
    p.wrenches = allocate(6 * td_link_count(model), sizeof *p.wrenches);
    p.above = allocate(p.forces, sizeof *p.above);
    p.deviation = allocate(r->channels, sizeof *p.deviation);
    p.variance = allocate(r->channels, sizeof *p.variance);
    const double rate = (double)(r->rows - 1) / (r->t[r->rows - 1] - r->t[0]);
    for (size_t k = 0; k < r->channels; k++) {
        const channel *c = &r->channel[k];
        td_noise_left(c->filter, rate, c->cutoff, recorded_degree(r, c, m->options->cubic),
                      p.variance[k]);
        for (size_t a = 0; a < TD_DERIVATIVES; a++) {
            p.deviation[k][a] = c->noise * sqrt(p.variance[k][a]);
        }
    }
    for (size_t a = 0; a < TD_DERIVATIVES; a++) {
        p.slope[a] = allocate(p.forces, sizeof(double));
    }
    return p;
}

static void probe_free(probe *p)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_TAU; quantity++) {
        free(p->value[quantity]);
        free(p->moved[quantity]);
    }
    free(p->rate[0]);
    free(p->rate[1]);
    for (size_t a = 0; a < TD_DERIVATIVES; a++) {
        free(p->slope[a]);
    }
    free(p->poses);
    free(p->wrenches);
    free(p->above);
    free(p->deviation);
    free(p->variance);
}

/* Computes τ and u in the state with an error. */
static td_status forces_at(const probe *p, double *out)
{
    const recorded_result *m = p->m;
    td_forces forces = td_forces_default();
    forces.passive = m->options->common.passive;
    td_status status = TD_OK;
    if (recorded_pushed(m)) {
        status = recorded_wrenches(m, p->t, p->moved[QUANTITY_Q],
                                   RECORDED_WRENCHES | RECORDED_CABLES, p->poses, p->wrenches);
        forces.wrenches = p->wrenches;
        forces.wrench_frame = TD_FRAME_ALIGNED;
    }
    if (status == TD_OK) {
        status = td_inverse_dynamics(m->s->model, m->s->workspace, p->moved[QUANTITY_Q],
                                     p->moved[QUANTITY_QD], p->moved[QUANTITY_QDD], &forces, out);
    }
    if (status == TD_OK && m->actuators > 0) {
        status = td_forces_to_actuators(m->s->model, m->s->workspace, p->moved[QUANTITY_Q], out,
                                        NULL, out + m->c->size[QUANTITY_TAU], NULL);
    }
    return status;
}

/* Adds an error to a quantity, which is a derivative of this order of a channel. Errors of the
   numbers of a quaternion, and of positions beside it, are errors of a curve of these numbers. */
static void add_error(const probe *p, const channel *c, enum quantity quantity, int order,
                      double error)
{
    const coordinates *of = p->r->c;
    for (enum quantity k = QUANTITY_Q; k < QUANTITY_TAU; k++) {
        memcpy(p->moved[k], p->value[k], of->size[k] * sizeof(double));
    }
    const size_t joint = coordinates_owner(of, c->quantity, c->index);
    if (c->quantity != QUANTITY_Q || !has_quaternion(of->model, joint)) {
        p->moved[quantity][quantity == QUANTITY_Q ? c->index : recorded_velocity(p->r, c)] += error;
        return;
    }
    double *const numbers[] = {p->moved[QUANTITY_Q], p->rate[0], p->rate[1]};
    td_velocities_to_rates(of->model, TD_COORDINATES_INDEPENDENT, numbers[0], p->moved[QUANTITY_QD],
                           p->moved[QUANTITY_QDD], numbers[1], numbers[2]);
    numbers[order][c->index] += error;
    td_rates_to_velocities(of->model, TD_COORDINATES_INDEPENDENT, numbers[0], numbers[1],
                           numbers[2], p->moved[QUANTITY_QD], p->moved[QUANTITY_QDD]);
    td_normalize(of->model, TD_COORDINATES_INDEPENDENT, numbers[0]);
    for (enum quantity k = QUANTITY_QD; k < QUANTITY_TAU; k++) {
        if (recorded_order(p->r, c, k) < 0) { /* other columns give it */
            memcpy(p->moved[k], p->value[k], of->size[k] * sizeof(double));
        }
    }
}

/* Computes the derivatives of forces by a derivative of a channel. */
static td_status slope_by(const probe *p, const channel *c, enum quantity quantity, int order,
                          double step, double *slope)
{
    add_error(p, c, quantity, order, step);
    td_status status = forces_at(p, p->above);
    if (status == TD_OK) {
        add_error(p, c, quantity, order, -step);
        status = forces_at(p, slope);
    }
    for (size_t i = 0; i < p->forces; i++) {
        slope[i] = (p->above[i] - slope[i]) / (2 * step);
    }
    return status;
}

/* Computes the derivatives of forces by a channel's derivatives; zero for negligible ones. */
static td_status slopes(const probe *p, size_t k)
{
    static const double least[] = {[QUANTITY_Q] = 1e-6, [QUANTITY_QD] = 1e-6, [QUANTITY_QDD] = 1};
    const channel *c = &p->r->channel[k];
    td_status status = TD_OK;
    for (size_t a = 0; a < TD_DERIVATIVES; a++) {
        memset(p->slope[a], 0, p->forces * sizeof(double));
    }
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_TAU && status == TD_OK;
         quantity++) {
        const int order = recorded_order(p->r, c, quantity);
        if (order >= 0) {
            const double step = fmax(least[quantity], p->deviation[k][order]);
            status = slope_by(p, c, quantity, order, step, p->slope[order]);
        }
    }
    return status;
}

/* Returns the row of sample i of count samples in n rows. */
static size_t sampled(size_t i, size_t count, size_t n)
{
    return count > 1 ? i * (n - 1) / (count - 1) : 0;
}

/* Adds the weights of a channel's errors in this row. Squared forces are divided by the
   coordinate's inertia, so that N and N m, and large and small motors, are comparable. */
static void add_weight(const probe *p, const double *inertia, td_error_weight *weight)
{
    const size_t n = p->m->c->size[QUANTITY_TAU];
    for (size_t i = 0; i < n; i++) {
        const double own = inertia[i * n + i];
        for (size_t a = 0; a < TD_DERIVATIVES && own > 0; a++) {
            for (size_t b = 0; b < TD_DERIVATIVES; b++) {
                weight->of[a][b] += p->slope[a][i] * p->slope[b][i] / own;
            }
        }
    }
}

void recorded_weights(const recorded_result *m, const recording *r, const motion_curve *curve,
                      const double *rest, td_error_weight *weight)
{
    enum { SAMPLES = 32 };
    const td_model *model = m->s->model;
    const size_t n = m->c->size[QUANTITY_TAU];
    probe p = probe_new(m, r);
    scoped double *inertia = allocate(n * n, sizeof *inertia);
    td_forces forces = td_forces_default();
    forces.passive = m->options->common.passive;
    const size_t count = r->rows < SAMPLES ? r->rows : SAMPLES;
    for (size_t i = 0; i < count; i++) {
        memcpy(p.value[QUANTITY_Q], rest, m->c->size[QUANTITY_Q] * sizeof *rest);
        p.t = r->t[sampled(i, count, r->rows)];
        motion_curve_at(curve, p.t, p.value[QUANTITY_Q], p.value[QUANTITY_QD],
                        p.value[QUANTITY_QDD]);
        if (td_mass_matrix(model, m->s->workspace, p.value[QUANTITY_Q], &forces, inertia) !=
            TD_OK) {
            continue;
        }
        for (size_t k = 0; k < r->channels; k++) {
            if (!r->channel[k].follower && slopes(&p, k) == TD_OK) {
                add_weight(&p, inertia, &weight[k]);
            }
        }
    }
    td_closure_start(model, m->s->workspace, NULL);
    probe_free(&p);
}

/* Adds the variances of forces in a row. */
static td_status add_variances(const probe *p, double *sum)
{
    for (size_t k = 0; k < p->r->channels; k++) {
        const double noise = p->r->channel[k].noise;
        const td_status status = slopes(p, k);
        if (status != TD_OK) {
            return status;
        }
        for (size_t i = 0; i < p->forces; i++) {
            td_error_weight square;
            for (size_t a = 0; a < TD_DERIVATIVES; a++) {
                for (size_t b = 0; b < TD_DERIVATIVES; b++) {
                    square.of[a][b] = p->slope[a][i] * p->slope[b][i];
                }
            }
            sum[i] += noise * noise * td_noise_weighted(&square, p->variance[k]);
        }
    }
    return TD_OK;
}

void recorded_errors(recorded_result *m, const recording *r)
{
    enum { SAMPLES = 64 };
    const size_t n = m->c->size[QUANTITY_TAU];
    probe p = probe_new(m, r);
    scoped double *sum = allocate(p.forces, sizeof *sum), *row = allocate(p.forces, sizeof *row);
    size_t rows = 0;
    const size_t count = m->n < SAMPLES ? m->n : SAMPLES;
    for (size_t i = 0; i < count; i++) {
        const size_t at = sampled(i, count, m->n);
        p.t = m->t[at];
        for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_TAU; quantity++) {
            const size_t size = m->c->size[quantity];
            memcpy(p.value[quantity], m->value[quantity] + at * size, size * sizeof(double));
        }
        memset(row, 0, p.forces * sizeof *row);
        if (td_closure_start(m->s->model, m->s->workspace, m->q + at * td_nq(m->s->model)) ==
                TD_OK &&
            add_variances(&p, row) == TD_OK) {
            rows++;
            for (size_t k = 0; k < p.forces; k++) {
                sum[k] += row[k];
            }
        }
    }
    m->tau_error = allocate(n, sizeof *m->tau_error);
    m->u_error = allocate(m->actuators, sizeof *m->u_error);
    for (size_t k = 0; k < p.forces; k++) {
        *(k < n ? &m->tau_error[k] : &m->u_error[k - n]) =
            rows > 0 ? sqrt(sum[k] / (double)rows) : (double)NAN;
    }
    probe_free(&p);
}
