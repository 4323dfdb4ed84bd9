/* SPDX-License-Identifier: MIT */
/*
 * Charts: independent coordinates other than y. Mechanisms move along coordinates u that are
 * selected again at every step, so they pass dead points of y. On the way, all results in u must
 * agree with TD_COORDINATES_TREE, and with y where y is well-conditioned. The mechanisms are the
 * bundled ones and random chains whose loops contain joints of all types. A slider-crank is
 * compared with the same mechanism in the crank's coordinate.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "along.h"
#include "failing.h"
#include "functions.h"
#include "loop_robots.h"
#include "moving_robots.h"
#include "tandem/batch.h"
#include "tandem/chart.h"

enum { MOST = 64, MOST_ROWS = 48 };

/* a state in the coordinates of a workspace, and the corresponding quantities of the tree */
typedef struct state {
    const td_model *model;
    td_workspace *w;
    size_t nq, nv, ny, n, rows; /* ny: of y; u has as many entries, unless the chart is wide */
    double u[MOST], ud[MOST], udd[MOST], tau_u[MOST];
    double q[MOST], qd[MOST], qdd[MOST];
    double G[MOST * MOST], K[MOST_ROWS * MOST], H[MOST * MOST], M[MOST * MOST];
} state;

static state *state_new(const td_model *model)
{
    state *s = test_calloc(1, sizeof *s);
    s->model = model;
    s->w = test_workspace(model);
    s->nq = td_nq(model), s->nv = td_nv(model), s->ny = td_ny(model), s->n = td_nyd(model);
    s->rows = td_constraint_count(model);
    ck_assert(s->nq <= MOST && s->rows <= MOST_ROWS);
    return s;
}

#define OK(call) assert_ok(call)

/* ---- properties of charts -------------------------------------------------------------------- */

/* κ: ratio of the largest to the smallest singular value of the matrix solved with */
static double condition_of(const state *s)
{
    td_closure_report report = {.size_of = sizeof report};
    OK(td_closure_examine(s->model, s->w, s->u, &report));
    return report.smallest > 0 ? report.largest / report.smallest : 1;
}

/* γ, G and g against φ, K and k of the tree */
static void check_closure(state *s, td_random *random)
{
    double phi[MOST_ROWS], k[MOST_ROWS], again[MOST], residual;
    size_t positions[MOST], velocities[MOST];
    td_random_fill(random, s->n, s->ud);
    td_random_fill(random, s->n, s->udd);
    OK(td_closure(s->model, s->w, s->u, s->ud, s->udd, s->q, s->qd, s->qdd));
    OK(td_constraint_residual(s->model, s->w, s->q, phi));
    ck_assert_double_le(td_largest(s->rows, phi), 1e-13);
    OK(td_closure_jacobian(s->model, s->w, s->u, s->G));
    OK(td_constraint_jacobian(s->model, s->w, s->q, s->K));
    OK(td_constraint_drift(s->model, s->w, s->q, s->qd, k));
    const double scale = 1 + td_largest(s->nv, s->qdd) + td_largest(s->rows, k);
    for (size_t i = 0; i < s->rows; i++) {
        double sum = -k[i];
        for (size_t c = 0; c < s->nv; c++)
            sum += s->K[i * s->nv + c] * s->qdd[c];
        ck_assert_double_le(fabs(sum), 2e-12 * scale); /* K q̈ = k */
        for (size_t j = 0; j < s->n; j++) {
            double KG = 0;
            for (size_t c = 0; c < s->nv; c++)
                KG += s->K[i * s->nv + c] * s->G[c * s->n + j];
            ck_assert_double_le(fabs(KG), 1e-12 * (1 + td_largest(s->nv * s->n, s->G)));
        }
    }
    OK(td_chart_entries(s->model, s->w, positions, velocities));
    const bool wide = td_chart_positions(s->model) > s->ny;
    for (size_t i = 0; i < td_chart_positions(s->model); i++)
        ck_assert_double_le(fabs(s->u[i] - s->q[positions[i]]), wide ? 1e-10 : 0);
    for (size_t i = 0; i < s->n; i++)
        ck_assert(fabs(s->ud[i] - s->qd[velocities[i]]) < 1e-15);
    OK(td_independent_coordinates(s->model, s->w, s->q, again, &residual));
    for (size_t i = 0; i < td_chart_positions(s->model); i++)
        ck_assert(again[i] == s->q[positions[i]]);
    ck_assert_double_le(residual, wide ? 1e-10 : 1e-12);
    /* γ is accurate to κ ε; the derivatives of q̈ amplify this by κ² more */
    along_check_at(random, s->model, s->w, s->u, 1,
                   (wide ? 1e-9 : 1e-11) + 10 * DBL_EPSILON * pow(condition_of(s), 3));
}

/* checks H_u = Gᵀ H G, inverse dynamics as Gᵀ times inverse dynamics of the tree, and forward
   dynamics as its inverse */
static void check_dynamics(state *s, td_random *random)
{
    double tau[MOST], tau_u[MOST], udd[MOST], out[MOST], known[MOST], both[2], energy[2];
    unsigned char given[MOST] = {0};
    td_forces forces = td_forces_default();
    const size_t n = s->n, nv = s->nv;
    /* each call closes the loops again, which changes G by κ² ε */
    const double rounding = DBL_EPSILON * pow(condition_of(s), 2);
    OK(td_mass_matrix(s->model, s->w, s->u, NULL, s->M));
    OK(TD_IN_TREE(s->w, td_mass_matrix(s->model, s->w, s->q, NULL, s->H)));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (size_t a = 0; a < nv; a++)
                for (size_t b = 0; b < nv; b++) {
                    const double term = s->G[a * n + i] * s->H[a * nv + b] * s->G[b * n + j];
                    sum += term;
                    size += fabs(term);
                }
            ck_assert_double_le(fabs(sum - s->M[i * n + j]), (1e-12 + rounding) * size + 1e-15);
        }
    forces.passive = true;
    OK(td_inverse_dynamics(s->model, s->w, s->u, s->ud, s->udd, &forces, s->tau_u));
    OK(TD_IN_TREE(s->w, td_inverse_dynamics(s->model, s->w, s->q, s->qd, s->qdd, &forces, tau)));
    OK(td_project_force(s->model, s->w, s->u, tau, tau_u));
    td_assert_close(n, s->tau_u, tau_u, 1e-11 + rounding, td_largest(nv, tau));
    OK(td_forward_dynamics(s->model, s->w, s->u, s->ud, s->tau_u, &forces, udd));
    td_assert_close(n, udd, s->udd, 1e-7, 1 + td_largest(n, s->udd));
    for (size_t i = 0; i < n; i++) { /* rounding errors are small as forces */
        udd[i] -= s->udd[i];
        given[i] = td_random_below(random, 2) == 0 && s->ny == n;
        known[i] = given[i] ? s->udd[i] : NAN;
        out[i] = given[i] ? NAN : s->tau_u[i];
    }
    for (size_t i = 0; i < n; i++) {
        double force = 0;
        for (size_t j = 0; j < n; j++)
            force += s->M[i * n + j] * udd[j];
        ck_assert_double_le(fabs(force), (1e-10 + rounding) * (1 + td_largest(nv, tau)));
    }
    if (td_hybrid_dynamics(s->model, s->w, s->u, s->ud, given, &forces, known, out) == TD_OK)
        td_assert_close(n, out, s->tau_u, 1e-7, 1 + td_largest(nv, tau));
    OK(td_energy(s->model, s->w, s->u, s->ud, TD_SCOPE_SPRINGS, both));
    OK(TD_IN_TREE(s->w, td_energy(s->model, s->w, s->q, s->qd, TD_SCOPE_SPRINGS, energy)));
    td_assert_close(2, both, energy, 1e-12 + rounding, 1e-3);
}

/* Checks that forces along the tree's joints cause the same accelerations, motor forces and loop
   forces as in y. */
static void check_against_y(state *s, double speed)
{
    double y[MOST], yd[MOST], ydd[MOST], qdd[MOST], in_y[MOST], tau[MOST], tau_u[MOST], udd[MOST];
    double q[MOST], qd[MOST], motors[2][MOST], loops[2][6 * MOST], rest[2][MOST];
    size_t positions[MOST], velocities[MOST];
    const double tolerance = 1e-12 * (1 + speed * speed);
    for (size_t i = 0; i < s->nv; i++)
        tau[i] = sin(1 + 3.0 * (double)i);
    OK(td_project_force(s->model, s->w, s->u, tau, tau_u));
    OK(td_forward_dynamics(s->model, s->w, s->u, s->ud, tau_u, NULL, udd));
    OK(td_closure(s->model, s->w, s->u, s->ud, udd, s->q, s->qd, s->qdd));
    const td_status status = td_loop_reactions(s->model, s->w, s->u, s->ud, udd, NULL,
                                               TD_FRAME_WORLD, NULL, loops[0], NULL, NULL);
    const td_status moved =
        td_forces_to_actuators(s->model, s->w, s->u, tau_u, NULL, motors[0], rest[0]);
    ck_assert(td_chart_use(s->w, false));
    OK(td_closure_start(s->model, s->w, s->q));
    OK(td_chart_entries(s->model, s->w, positions, velocities));
    for (size_t i = 0; i < s->ny; i++)
        y[i] = s->q[positions[i]];
    for (size_t i = 0; i < s->n; i++)
        yd[i] = s->qd[velocities[i]];
    OK(td_project_force(s->model, s->w, y, tau, in_y));
    OK(td_forward_dynamics(s->model, s->w, y, yd, in_y, NULL, ydd));
    OK(td_closure(s->model, s->w, y, yd, ydd, q, qd, qdd));
    td_assert_close(s->nq, q, s->q, tolerance, 1);
    td_assert_close(s->nv, qd, s->qd, tolerance, 1 + td_largest(s->nv, qd));
    td_assert_close(s->nv, qdd, s->qdd, 1e4 * tolerance, 1 + td_largest(s->nv, qdd));
    if (moved == TD_OK) {
        OK(td_forces_to_actuators(s->model, s->w, y, in_y, NULL, motors[1], rest[1]));
        td_assert_close(td_nu(s->model), motors[0], motors[1], 1e2 * tolerance,
                        1 + td_largest(s->nv, tau));
    }
    if (moved == TD_OK && status == TD_OK) {
        const double none[MOST] = {0};
        if (td_largest_difference(s->n, rest[0], none) == 0) {
            OK(td_loop_reactions(s->model, s->w, y, yd, ydd, NULL, TD_FRAME_WORLD, NULL, loops[1],
                                 NULL, NULL));
            const size_t count = 6 * td_loop_count(s->model);
            td_assert_close(count, loops[0], loops[1], 1e5 * tolerance,
                            1 + td_largest(count, loops[1]));
        }
    }
    ck_assert(!td_chart_use(s->w, true));
}

/* Checks that u moves along u̇ as the joints move along q̇, to first order. */
static void move(state *s, const double *ud, double dt, double *moved)
{
    double q[MOST], qd[MOST], there[MOST];
    OK(td_closure(s->model, s->w, s->u, ud, NULL, q, qd, NULL));
    td_integrate(s->model, TD_COORDINATES_TREE, q, qd, dt, there);
    OK(td_independent_coordinates(s->model, s->w, there, moved, NULL));
}

/* checks rows of a batch against single states, where u has more entries than y */
static void check_wide_batches(state *s, td_random *random)
{
    enum { STATES = 9 };
    const size_t nu = td_chart_positions(s->model);
    double u[STATES * MOST], ud[STATES * MOST], tau[STATES * MOST], udd[STATES * MOST], one[MOST];
    td_random_fill(random, STATES * s->n, ud);
    td_random_fill(random, STATES * s->n, tau);
    for (size_t i = 0; i < STATES; i++) {
        double step[MOST];
        td_random_fill(random, s->n, step);
        move(s, step, 0.002, u + i * nu);
    }
    if (td_batch_forward_dynamics(s->model, s->w, STATES, u, ud, tau, NULL, udd, NULL) != TD_OK)
        return; /* a singular mass matrix */
    const double rounding = fmax(2e-8, DBL_EPSILON * pow(condition_of(s), 3));
    for (size_t i = 0; i < STATES; i++) {
        OK(td_forward_dynamics(s->model, s->w, u + i * nu, ud + i * s->n, tau + i * s->n, NULL,
                               one));
        td_assert_close(s->n, udd + i * s->n, one, rounding, 1 + td_largest(STATES * s->n, udd));
    }
}

/* checks every function of the table, for one state and for batches, at states near u */
static void check_batches(state *s, td_random *random)
{
    enum { STATES = 9 };
    if (td_chart_positions(s->model) > s->ny) {
        check_wide_batches(s, random);
        return;
    }
    states *t = states_new(random, s->model, false, STATES);
    td_workspace *own = t->a.w;
    t->a.w = s->w;
    for (size_t i = 0; i < STATES; i++) {
        double step[MOST];
        td_random_fill(random, s->n, step);
        move(s, step, 0.002, t->y + i * s->ny);
    }
    for (size_t k = 0; k < function_count; k++) {
        const function *f = &functions[k];
        size_t columns[MOST_PARTS];
        const size_t parts = function_parts(f, s->model, false, columns);
        double *batch[MOST_PARTS];
        if (strcmp(f->name, "operational_inertia") == 0)
            continue; /* near dead points rounding decides which axes are dropped */
        states_clear(t, f, false, NAN);
        if (function_call(f, &t->a, false, true) != TD_OK)
            continue; /* a singular mass matrix, or singular motors */
        for (size_t p = 0; p < parts; p++) {
            batch[p] = test_malloc(STATES * columns[p] * sizeof(double) + 1);
            memcpy(batch[p], t->a.out[p], STATES * columns[p] * sizeof(double));
        }
        states_clear(t, f, false, NAN);
        for (size_t i = 0; i < STATES; i++) {
            const arguments one = function_row(f, &t->a, false, i);
            OK(function_call(f, &one, false, false));
        }
        for (size_t p = 0; p < parts; p++) {
            const double size = td_largest(STATES * columns[p], batch[p]);
            const double error =
                td_relative_difference(STATES * columns[p], batch[p], t->a.out[p], 1e-3 + size);
            /* G has errors of κ² ε, and its rate κ³ ε */
            ck_assert_msg(error < fmax(2e-8, DBL_EPSILON * pow(condition_of(s), 3)), "%s: %.3g",
                          f->name, error);
        }
    }
    t->a.w = own;
}

/* ---- paths ----------------------------------------------------------------------------------- */

typedef struct way {
    int steps, in_charts, dead, returns;
} way;

/* Moves from q along a direction of u, which is selected again at every step. leap: how many times
   longer than the step of u a step of the joints may be. */
static way lead(state *s, td_random *random, int steps, double length, double leap)
{
    way found = {0};
    double direction[MOST], next[MOST], before[MOST], moved[MOST], of_u, of_y;
    td_random_fill(random, s->n, direction);
    memcpy(before, s->q, s->nq * sizeof *before);
    for (int i = 0; i < steps; i++) {
        bool changed;
        if (td_chart_choose(s->model, s->w, s->q, NULL, &changed) != TD_OK)
            break; /* the loops lose rank here */
        OK(td_chart_speeds(s->model, s->w, s->q, NULL, &of_u, &of_y));
        ck_assert_double_le(of_u, 2.0001);
        OK(td_independent_coordinates(s->model, s->w, s->q, s->u, NULL));
        found.steps++;
        found.dead += of_y > 30;
        if (td_chart_is_used(s->w)) {
            found.in_charts++;
            if (i % 4 == 0 || of_y > 30) {
                check_closure(s, random);
                check_dynamics(s, random);
                if (of_y < 20)
                    check_against_y(s, of_y);
            }
            if (found.in_charts % 16 == 1)
                check_batches(s, random);
            if (of_y < 1) {
                OK(td_chart_leave(s->model, s->w, s->q));
                ck_assert(!td_chart_is_used(s->w));
                found.returns++;
                continue;
            }
        }
        move(s, direction, length, next);
        if (td_closure(s->model, s->w, next, NULL, NULL, s->q, NULL, NULL) != TD_OK)
            break;
        td_difference(s->model, TD_COORDINATES_TREE, before, s->q, moved);
        const double most = td_largest(s->nv, moved);
        ck_assert_msg(most < leap * length, "a leap of %g", most);
        memcpy(before, s->q, s->nq * sizeof *before);
    }
    return found;
}

static void add(way *sum, way other)
{
    sum->steps += other.steps;
    sum->in_charts += other.in_charts;
    sum->dead += other.dead;
    sum->returns += other.returns;
}

TD_LOOP_TEST(bundled_mechanisms, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_model *model = loop_robot_load(robot);
    if (td_nq(model) > MOST || td_constraint_count(model) > MOST_ROWS) {
        return;
    }
    td_random random = {(uint64_t)(40 + _i)};
    way all = {0};
    for (int n = 0; n < 8; n++) {
        state *s = state_new(model);
        memcpy(s->q, td_reference(model, TD_COORDINATES_TREE), s->nq * sizeof *s->q);
        add(&all, lead(s, &random, 120, 0.03, 40));
    }
    ck_assert_int_gt(all.steps, 20);
}

/* A chain of five joints from the ground; the third one has the given type. A loop pins the end of
   the chain. */
static td_model *random_chain(td_random *random, td_joint_type type)
{
    static const char *const names[] = {"base", "a", "b", "c", "d", "e"};
    td_builder *b = test_builder("chain");
    for (int i = 0; i < 6; i++) {
        td_link link = td_link_default(names[i]);
        link.has_inertial = true;
        link.mass = 1.5 + td_random_number(random);
        td_random_fill(random, 3, link.inertial.position);
        link.inertia[0] = 0.5, link.inertia[3] = 0.6, link.inertia[5] = 0.7;
        OK(td_builder_add_link(b, &link));
    }
    for (int i = 0; i < 5; i++) {
        td_joint joint = td_joint_default(names[i + 1],
                                          i == 2   ? type
                                          : i == 3 ? TD_JOINT_PRISMATIC
                                                   : TD_JOINT_CONTINUOUS,
                                          names[i], names[i + 1]);
        joint.limit.lower = -10, joint.limit.upper = 10;
        td_random_fill(random, 3, joint.origin.position);
        td_random_rotation(random, joint.origin.rotation);
        td_random_fill(random, 3, joint.axis);
        const double length = sqrt(joint.axis[0] * joint.axis[0] + joint.axis[1] * joint.axis[1] +
                                   joint.axis[2] * joint.axis[2]);
        for (int k = 0; k < 3; k++)
            joint.axis[k] /= length;
        if (type == TD_JOINT_SCREW && i == 2)
            joint.pitch = 0.7;
        if (i == 4 && td_random_below(random, 2)) {
            joint.mimic = "b";
            joint.multiplier = 0.5;
        }
        joint.damping = 0.2;
        OK(td_builder_add_joint(b, &joint));
    }
    td_loop loop = td_loop_default("loop", "base", "e");
    loop.type = TD_LOOP_SPHERICAL;
    td_random_fill(random, 3, loop.successor_origin.position);
    OK(td_builder_add_loop(b, &loop));
    td_model *model;
    const td_status status = test_builder_finish(b, NULL, NULL, &model);
    return status == TD_OK ? model : NULL;
}

static const td_joint_type types[] = {TD_JOINT_CONTINUOUS, TD_JOINT_PRISMATIC, TD_JOINT_PLANAR,
                                      TD_JOINT_UNIVERSAL,  TD_JOINT_SCREW,     TD_JOINT_BALL};

TD_LOOP_TEST(random_mechanisms, 0, sizeof types / sizeof *types)
{
    td_random random = {(uint64_t)(90 + _i)};
    way all = {0};
    for (int n = 0; n < 12; n++) {
        td_model *model = random_chain(&random, types[_i]);
        if (!model)
            continue;
        state *s = state_new(model);
        memcpy(s->q, td_reference(model, TD_COORDINATES_TREE), s->nq * sizeof *s->q);
        /* a ball joint that stays in place may make others move fast */
        add(&all, lead(s, &random, 150, 0.04, types[_i] == TD_JOINT_BALL ? INFINITY : 40));
    }
    ck_assert_msg(all.steps > 200 && all.in_charts > 50 && all.dead > 0 && all.returns > 0,
                  "%d steps, %d in charts, %d at dead points, %d returns", all.steps, all.in_charts,
                  all.dead, all.returns);
}

/* ---- a slider and its crank ------------------------------------------------------------------ */

/* Computes the slider model's joints for a crank angle. They are zero where the other model has the
   crank at slider_crank_start. */
static void crank_joints(const td_model *turns, td_workspace *w, double angle, double q[3])
{
    double zero[3];
    OK(td_closure(turns, w, &slider_crank_start, NULL, NULL, zero, NULL, NULL));
    OK(td_closure(turns, w, &angle, NULL, NULL, q, NULL, NULL));
    for (int i = 0; i < 3; i++)
        q[i] -= zero[i];
}

/* Same, with a wheel that follows the crank and is the first joint. */
static td_model *with_wheel(const td_model *plain)
{
    td_builder *b = test_builder("wheel");
    const td_link wheel = td_link_default("wheel");
    td_joint follows = td_joint_default("wheel", TD_JOINT_CONTINUOUS, "ground", "wheel");
    td_model *model;
    follows.mimic = "turn";
    follows.multiplier = 2;
    for (size_t i = 0; i < td_link_count(plain); i++)
        OK(td_builder_add_link(b, td_link_at(plain, i)));
    OK(td_builder_add_link(b, &wheel));
    OK(td_builder_add_joint(b, &follows));
    for (size_t i = 0; i < td_joint_count(plain); i++)
        OK(td_builder_add_joint(b, td_joint_at(plain, i)));
    OK(td_builder_add_loop(b, td_loop_at(plain, 0)));
    OK(test_builder_finish(b, NULL, NULL, &model));
    return model;
}

/* Entries of u must equal the entries of their joints, wherever these are in q. */
TD_TEST(a_follower_comes_first)
{
    td_model *plain = slider_crank(true), *turns = slider_crank(false), *model = with_wheel(plain);
    td_workspace *w = test_workspace(model), *other = test_workspace(turns);
    double q[3], all[4] = {0}, again[4], u;
    bool changed;
    size_t position;
    for (int k = 0; k < 20; k++) {
        crank_joints(turns, other, M_PI + 0.01 * k, q);
        for (size_t i = 0; i < 3; i++) {
            const char *name = td_joint_at(turns, i)->name;
            all[td_joint_entry(model, name)] = q[td_joint_entry(turns, name)];
        }
        const size_t turn = td_joint_entry(model, "turn");
        all[td_joint_entry(model, "wheel")] = 2 * all[turn];
        OK(td_chart_choose(model, w, all, NULL, &changed));
        OK(td_chart_entries(model, w, &position, NULL));
        ck_assert_uint_eq(position, turn);
        OK(td_independent_coordinates(model, w, all, &u, NULL));
        ck_assert_double_le(fabs(u - all[turn]), 1e-14);
        OK(td_closure(model, w, &u, NULL, NULL, again, NULL, NULL));
        td_assert_close(4, again, all, 1e-12, 1);
    }
}

/* Checks all functions at and near the dead points of the slider. Results in its chart must equal
   the results of the model with an independent crank, for one state and for batches. */
TD_TEST(slider_is_its_crank)
{
    td_model *slides = slider_crank(true), *turns = slider_crank(false);
    td_workspace *w = test_workspace(slides), *other = test_workspace(turns);
    td_random random = {11};
    const double offsets[] = {0, 1e-12, 1e-9, -1e-7, 1e-5, -1e-3, 0.1};
    double q[3], of_u, of_y, found;
    bool changed;
    size_t position;
    crank_joints(turns, other, M_PI, q); /* here the crank beats its pin */
    OK(td_chart_choose(slides, w, q, NULL, &changed));
    for (int n = 0; n < 14; n++) {
        const double angle = offsets[n / 2] + (n % 2 ? M_PI : 0), u = angle - slider_crank_start;
        crank_joints(turns, other, angle, q);
        OK(td_chart_choose(slides, w, q, NULL, &changed));
        OK(td_chart_entries(slides, w, &position, NULL));
        ck_assert_uint_eq(position, td_joint_entry(slides, "turn"));
        OK(td_chart_speeds(slides, w, q, NULL, &of_u, &of_y));
        ck_assert(of_u <= 2 && of_y > (n / 2 < 6 ? 500 : 5));
        OK(td_independent_coordinates(slides, w, q, &found, NULL));
        ck_assert_double_le(fabs(found - u), 1e-14);
        states *a = states_new(&random, slides, false, 5),
               *b = states_new(&random, turns, false, 5);
        td_workspace *owns[] = {a->a.w, b->a.w};
        a->a.w = w, b->a.w = other;
        memcpy(b->memory, a->memory, a->room * sizeof *a->memory);
        const double *const from[] = {a->yd, a->ydd, a->tau, a->direction, a->wrenches};
        double *const to[] = {b->yd, b->ydd, b->tau, b->direction, b->wrenches};
        const size_t counts[] = {5, 5, 5, 4 * 5, 5 * 6 * td_link_count(slides)};
        for (int k = 0; k < 5; k++)
            memcpy(to[k], from[k], counts[k] * sizeof(double));
        memcpy(b->given, a->given, 1);
        memcpy(b->point, a->point, sizeof a->point);
        b->a.dy = a->a.dy, b->a.dyd = a->a.dyd, b->a.dydd = a->a.dydd, b->a.dtau = a->a.dtau;
        b->forces.wrench_frame = a->forces.wrench_frame;
        b->forces.wrenches_per_state = a->forces.wrenches_per_state;
        b->a.link = a->a.link, b->a.frame = a->a.frame, b->a.scope = a->a.scope;
        for (int i = 0; i < 5; i++)
            a->y[i] = u + 1e-3 * i, b->y[i] = angle + 1e-3 * i;
        for (size_t k = 0; k < 2 * function_count; k++) {
            const function *f = &functions[k / 2];
            if (strstr(f->name, "reactions") || strcmp(f->name, "operational_inertia") == 0)
                continue; /* motors are at slider and crank; rounding decides which axes are dropped
                           */
            size_t columns[MOST_PARTS];
            const size_t parts = function_parts(f, slides, false, columns);
            const bool batch = k % 2;
            states_clear(a, f, false, 0);
            states_clear(b, f, false, 0);
            const td_status status = function_call(f, &a->a, false, batch);
            ck_assert_int_eq(status, function_call(f, &b->a, false, batch));
            for (size_t p = 0; p < parts && status == TD_OK; p++) {
                const size_t size = (batch ? 5 : 1) * columns[p];
                ck_assert_msg(td_relative_difference(size, a->a.out[p], b->a.out[p],
                                                     1 + td_largest(size, b->a.out[p])) < 1e-11,
                              "%s", f->name);
            }
        }
        a->a.w = owns[0], b->a.w = owns[1];
    }
}

/* Passes the dead point by calls in u and returns to y on the other side: same y, other angle. y in
   between has another branch. */
TD_TEST(through_and_back)
{
    td_model *model = slider_crank(true), *turns = slider_crank(false);
    td_workspace *w = test_workspace(model), *other = test_workspace(turns);
    const size_t turn = td_joint_entry(model, "turn"), slide = td_joint_entry(model, "way");
    double q[3], before = M_PI - 0.5 - slider_crank_start, y = 0, of_u, of_y;
    bool changed = false;
    crank_joints(turns, other, M_PI - 0.5, q);
    OK(td_closure_start(model, w, q));
    y = q[slide];
    OK(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
    ck_assert_double_le(fabs(q[turn] - before), 1e-13);
    for (int i = 0; i <= 100; i++) {
        double u = before + 0.01 * i;
        if (i == 20) {
            OK(td_chart_choose(model, w, q, NULL, &changed));
            ck_assert(changed && td_chart_is_used(w));
            ck_assert(td_chart_use(w, false) && !td_chart_is_used(w));
            OK(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
            ck_assert_double_le(fabs(q[turn] - before), 1e-13);
            ck_assert(!td_chart_use(w, true) && td_chart_is_used(w));
        }
        if (i >= 20) {
            OK(td_closure(model, w, &u, NULL, NULL, q, NULL, NULL));
            ck_assert(q[turn] == u);
        } else { /* up to there in y */
            double there[3];
            crank_joints(turns, other, u + slider_crank_start, there);
            OK(td_closure(model, w, &there[slide], NULL, NULL, q, NULL, NULL));
        }
        if (i == 50) {
            ck_assert_int_eq(td_chart_leave(model, w, q), TD_ERROR_CLOSURE_SINGULAR);
            ck_assert(td_chart_is_used(w));
        }
    }
    OK(td_chart_speeds(model, w, q, NULL, &of_u, &of_y));
    ck_assert(of_u < 1 && of_y > 1 && of_y < 10);
    OK(td_chart_leave(model, w, q));
    ck_assert(!td_chart_is_used(w));
    OK(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
    ck_assert_double_le(fabs(q[turn] - before - 1), 1e-12);
}

/* ---- arguments and memory -------------------------------------------------------------------- */

TD_TEST(arguments_are_checked)
{
    td_model *model = slider_crank(true);
    td_workspace *w = test_workspace(model);
    double q[3] = {0}, of_u, of_y;
    const unsigned char keep[1] = {1};
    bool changed = true;
    ck_assert_int_eq(td_chart_choose(NULL, w, q, NULL, &changed), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_chart_choose(model, NULL, q, NULL, &changed), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_chart_choose(model, w, NULL, NULL, &changed), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "q");
    ck_assert_int_eq(td_chart_choose(model, w, q, NULL, NULL), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "changed");
    q[0] = NAN;
    ck_assert_int_eq(td_chart_choose(model, w, q, NULL, &changed), TD_ERROR_NOT_FINITE);
    ck_assert(!changed);
    q[0] = 0.3; /* not closed */
    changed = true;
    ck_assert_int_eq(td_chart_choose(model, w, q, NULL, &changed), TD_ERROR_ASSEMBLY);
    ck_assert(!changed && td_failed_loop(w, NULL) == 0);
    ck_assert_int_eq(td_chart_speeds(model, w, q, NULL, &of_u, &of_y), TD_ERROR_ASSEMBLY);
    ck_assert(isnan(of_u) && isnan(of_y));
    q[0] = 0;
    OK(td_chart_speeds(model, w, q, NULL, NULL, &of_y));
    OK(td_chart_choose(model, w, q, keep, &changed));
    ck_assert(!changed && !td_chart_is_used(w) && !td_chart_is_used(NULL));
    OK(td_chart_leave(model, w, q));
    ck_assert(!td_chart_use(w, true) && !td_chart_is_used(w)); /* there is no chart */
    model = double_pendulum();                                 /* a model without loops */
    w = test_workspace(model);
    changed = true;
    OK(td_chart_choose(model, w, q, NULL, &changed));
    ck_assert(!changed);
    OK(td_chart_speeds(model, w, q, NULL, &of_u, &of_y));
    ck_assert(of_u == 0 && of_y == 0);
}

TD_TEST(nothing_is_allocated)
{
    td_model *model = slider_crank(true), *turns = slider_crank(false);
    td_workspace *w = test_workspace_threads(model, 2), *other = test_workspace(turns);
    double q[3], u = M_PI - slider_crank_start, M, of_u, of_y, rows[3] = {u, u + 0.01, u - 0.02};
    double out[3];
    bool changed;
    crank_joints(turns, other, M_PI, q);
    failing_left = 0;
    const td_status chosen = td_chart_choose(model, w, q, NULL, &changed);
    const td_status mass = td_mass_matrix(model, w, &u, NULL, &M);
    const td_status speeds = td_chart_speeds(model, w, q, NULL, &of_u, &of_y);
    const td_status batch =
        td_batch_inverse_dynamics(model, w, 3, rows, NULL, NULL, NULL, out, NULL);
    const td_status left = td_chart_leave(model, w, q);
    failing_left = -1;
    ck_assert(chosen == TD_OK && changed && mass == TD_OK && speeds == TD_OK && batch == TD_OK);
    ck_assert_int_eq(left, TD_ERROR_CLOSURE_SINGULAR);
}
