/* SPDX-License-Identifier: MIT */
/*
 * Lets robots fall, and checks invariants along the motion.
 */
#include "falling.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = FALL_MOST, MOST_ROWS = 512 };

td_load_options fall_load_options(void)
{
    td_load_options options = td_load_options_default();
    const double gravity[3] = {0.48 * 9.81, 0.6 * 9.81, -0.64 * 9.81};
    memcpy(options.gravity, gravity, sizeof gravity);
    return options;
}

/* ---- the start ------------------------------------------------------------------------------- */

void fall_start(const td_model *model, uint64_t seed, double *y, double *yd)
{
    td_random random = {seed};
    double zero[MOST], way[MOST] = {0}, q[MOST];
    td_neutral(model, TD_COORDINATES_INDEPENDENT, zero);
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const td_joint_place at = td_joint_place_at(model, td_independent_joint(model, i));
        if (at.nq > 1)
            continue;
        if (td_loop_count(model) > 0)
            zero[at.y] = td_reference(model, TD_COORDINATES_TREE)[at.q];
        way[at.y] = 0.5 * td_random_number(&random);
    }
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = 0.5 * td_random_number(&random);
    td_workspace *w = test_workspace(model);
    td_status status = TD_ERROR_ASSEMBLY;
    for (double part = 1; part > 1e-2 && status != TD_OK; part /= 2) {
        for (size_t i = 0; i < td_ny(model); i++)
            y[i] = zero[i] + part * way[i];
        status = td_closure(model, w, y, NULL, NULL, q, NULL, NULL);
    }
    assert_ok(status);
}

td_simulation *fall_simulation(const td_model *model)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = 1e-10;
    td_forces forces = td_forces_default();
    forces.passive = true;
    forces.friction_velocity = 0.1;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    options.forces = &forces;
    return simulation_of(model, &options);
}

/* ---- along the motion ------------------------------------------------------------------------ */

/* These checks run at every step, so failures call ck_abort_msg. The assertion macros of Check
   write to a pipe on each call and would take as long as the simulation. */

/* Checks every mimic joint against its record: q = m q_leader + o, q̇ = m q̇_leader. The tolerance
   allows the rounding of one product and one sum for each joint of a chain. */
static void check_followers(const td_model *model, const double *q, const double *qd)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place at = td_joint_place_at(model, i);
        if (!joint->mimic || !at.nq || !at.dependent)
            continue;
        const td_joint_place to = td_joint_place_at(model, td_joint_index(model, joint->mimic));
        const double m = joint->multiplier, o = joint->offset;
        const double leader = to.nq ? q[to.q] : 0, rate = to.nv ? qd[to.qd] : 0;
        const double size = fabs(m * leader) + fabs(o) + fabs(q[at.q]);
        if (!(fabs(q[at.q] - (m * leader + o)) <= 1e-15 * size))
            ck_abort_msg("joint %s: %.17g, not %.17g", joint->name, q[at.q], m * leader + o);
        if (!(fabs(qd[at.qd] - m * rate) <= 1e-15 * fabs(m * rate)))
            ck_abort_msg("velocity of joint %s: %.17g, not %.17g", joint->name, qd[at.qd],
                         m * rate);
    }
}

/* Checks φ = 0, relative to 1 (meters, and sines of angles) plus the motion of the joints. */
static void check_loops(const td_model *model, td_workspace *w, const double *q)
{
    double phi[MOST_ROWS];
    const size_t rows = td_constraint_count(model);
    if (td_constraint_residual(model, w, q, phi) != TD_OK)
        ck_abort_msg("no residual");
    const double open = td_largest(rows, phi), size = 1 + td_largest(td_nq(model), q);
    if (!(open <= 5e-14 * size))
        ck_abort_msg("loops are open by %.3g, joints at %.3g", open, size);
}

static size_t loop_named(const td_model *model, const char *name)
{
    size_t loop = 0;
    while (loop < td_loop_count(model) && strcmp(td_loop_at(model, loop)->name, name) != 0)
        loop++;
    ck_assert_uint_lt(loop, td_loop_count(model));
    return loop;
}

/* Returns the last pivot over the first in a Gram-Schmidt elimination of a loop's rows of K,
   largest pivot first. It is small near positions where the rows lose rank. */
static double regularity(const td_model *model, td_workspace *w, const char *name, const double *q)
{
    const td_loop_place place = td_loop_place_at(model, loop_named(model, name));
    const size_t n = td_nv(model), m = (size_t)place.constraint_count;
    const size_t rank = m < n - td_nyd(model) ? m : n - td_nyd(model);
    double *all = doubles(td_constraint_count(model) * n + m);
    double *K = all + (size_t)place.constraint * n, *unit = all + td_constraint_count(model) * n;
    assert_ok(td_constraint_jacobian(model, w, q, all));
    double first = 0, last = 0;
    for (size_t k = 0; k < rank; k++) {
        size_t best = 0;
        double most = -1;
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t i = 0; i < m; i++)
                square += K[i * n + j] * K[i * n + j];
            if (square > most)
                most = square, best = j;
        }
        last = sqrt(most);
        first = k ? first : last;
        for (size_t i = 0; i < m; i++)
            unit[i] = K[i * n + best] / last;
        for (size_t j = 0; j < n; j++) {
            double along = 0;
            for (size_t i = 0; i < m; i++)
                along += unit[i] * K[i * n + j];
            for (size_t i = 0; i < m; i++)
                K[i * n + j] -= along * unit[i];
        }
    }
    return last / first;
}

/* ---- falling --------------------------------------------------------------------------------- */

typedef struct fall {
    double balance, least, most; /* largest energy error; least and largest kinetic energy */
    double terms;                /* largest sum of the magnitudes of the terms of that change */
    double regular, near;        /* regularity at the start and at the end */
    td_status status;
} fall;

/* The integrator's tolerance is 1e-10. Most robots keep their energy to about 1e-11. A cam whose
   curve has knots keeps it to 8.6e-10 on x86 and 1.1e-9 on 64-bit ARM, because steps cross the
   knots differently. Near a singular position K loses digits; joint velocities, and hence energies,
   lose as many. */
static double allowed(const fall *f)
{
    return f->near > 1e-3 * f->regular ? 2e-9 : 1e-6;
}

static fall let_fall(const td_model *model, td_simulation *s, double end, const char *meets)
{
    fall f = {0, INFINITY, 0, 0, 1, 1, TD_OK};
    double q[MOST], qd[MOST];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    sample.qd = qd;
    td_workspace *w = test_workspace(model);
    double start = NAN;
    while (true) {
        if (td_simulation_evaluate(s, td_simulation_time(s), &sample) != TD_OK)
            ck_abort_msg("no sample at %.17g", td_simulation_time(s));
        check_followers(model, q, qd);
        check_loops(model, w, q);
        f.near = meets ? regularity(model, w, meets, q) : 1;
        f.regular = isnan(start) ? f.near : f.regular;
        const double now = sample.kinetic + sample.potential - sample.work;
        start = isnan(start) ? now : start;
        f.balance = fmax(f.balance, fabs(now - start));
        f.least = fmin(f.least, sample.kinetic);
        f.most = fmax(f.most, sample.kinetic);
        f.terms = fmax(f.terms,
                       sample.kinetic + fabs(sample.potential) + fabs(sample.work) + fabs(start));
        /* a slow screw has little kinetic energy compared with its potential energy, which has
           rounding errors */
        if (!(f.balance <= allowed(&f) * f.most + 4 * DBL_EPSILON * f.terms))
            ck_abort_msg("energy less work changes by %.3g of %.3g", f.balance, f.most);
        if (td_simulation_time(s) >= end)
            break;
        f.status = td_simulation_step(s, end);
        if (f.status != TD_OK)
            break;
    }
    return f;
}

/* Returns whether a loop has that name or shares a cluster with the loop of that name. Where
   several loops lose rank at once, rounding decides which one is reported. */
static bool is_beside(const td_model *model, size_t loop, const char *name)
{
    const size_t cluster = td_loop_place_at(model, loop).cluster;
    for (size_t i = 0; i < td_loop_count(model); i++)
        if (strcmp(td_loop_at(model, i)->name, name) == 0)
            return i == loop ||
                   (cluster != TD_NONE && td_loop_place_at(model, i).cluster == cluster);
    return false;
}

void fall_check(const td_model *model, uint64_t seed, double end, const char *meets)
{
    ck_assert(td_nq(model) <= MOST && td_constraint_count(model) <= MOST_ROWS);
    double y[MOST], yd[MOST];
    fall_start(model, seed, y, yd);
    td_simulation *s = fall_simulation(model);
    assert_ok(td_simulation_start(s, 0, y, yd, NULL));
    const fall f = let_fall(model, s, end, meets);
    ck_assert(f.most > 0);
    if (f.status != TD_OK) {
        const size_t loop = td_simulation_failed_loop(s);
        ck_assert_msg(meets && loop != TD_NONE, "%s at %.9g s", td_status_text(f.status),
                      td_simulation_time(s));
        ck_assert(f.status == TD_ERROR_CLOSURE_SINGULAR || f.status == TD_ERROR_BRANCH ||
                  f.status == TD_ERROR_ASSEMBLY);
        ck_assert(is_beside(model, loop, meets));
        ck_assert_msg(f.near < 0.02 * f.regular, "ends at %.9g s by loop %s, which is regular",
                      td_simulation_time(s), meets);
    } else if (meets && end >= 10)
        ck_abort_msg("falls by its singular position");
}
