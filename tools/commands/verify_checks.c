/* SPDX-License-Identifier: MIT */
/*
 * Checks the identities of dynamics (see verify.h), one function per identity and state.
 */
#include "commands/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/coordinates.h"
#include "commands/loop_gap.h"
#include "text.h"
#include "vectors.h"

typedef struct test {
    const session *s;
    const coordinates *c;
    const td_forces *forces;
    size_t n;             /* velocities */
    uint64_t random;      /* seed of all random numbers except configurations */
    double *H;            /* mass matrix at the state */
    double *unit;         /* √H_ii: the units in which forces are compared */
    double force;         /* the largest force, in these units */
    double *q, *qd, *qdd; /* first of all states, later of one state */
    double *tau, *C, *gravity;
    double *batch_tau, *batch_qdd;
    double *x, *z, *w; /* n each, scratch of an identity */
    double *matrix;    /* n × n, scratch of an identity */
    double *y;
    double *tree[4];      /* q, qd, qdd, tau of the tree */
    double *reactions;    /* joints × 6 */
    double *links[3];     /* links × 6 */
    double *poses;        /* links × 12 */
    double *J;            /* 6 × n */
    double *J_tree;       /* 6 × nv */
    unsigned char *given; /* n */
    td_status *batch[2];  /* id and fd, of all states */
    td_status inverse; /* of the call that computes tau; identities that use tau report a failure */
    size_t state;      /* from 0 */
    finding *now;      /* the identity being checked */
} test;

/* ---- residuals ------------------------------------------------------------------------------- */

bool finding_skipped(const finding *f)
{
    return f->singular != TD_NONE;
}

bool finding_passed(const finding *f)
{
    return f->status == TD_OK && f->residual <= f->tolerance; /* false for NaN */
}

/* Keeps the largest residual and returns whether this one is the largest so far. NaN counts as the
   largest of all. */
static bool note(test *t, double difference, double scale)
{
    double residual = difference == 0 ? 0 : difference / scale;
    finding *f = t->now;
    if (isnan(f->residual) || residual <= f->residual) {
        return false;
    }
    f->residual = residual;
    f->state = (int)t->state + 1;
    f->joint = f->link = TD_NONE;
    return true;
}

static void note_joint(test *t, double difference, double scale, size_t joint)
{
    if (note(t, difference, scale)) {
        t->now->joint = joint;
    }
}

static void note_link(test *t, double difference, double scale, size_t link)
{
    if (note(t, difference, scale)) {
        t->now->link = link;
    }
}

/* Compares forces along the coordinates. */
static void compare_forces(test *t, const double *a, const double *b)
{
    for (size_t i = 0; i < t->n; i++) {
        note_joint(t, fabs(a[i] - b[i]) / t->unit[i], t->force, coordinates_joint(t->c, i));
    }
}

/* Compares accelerations by the forces H (a − b). */
static void compare_accelerations(test *t, const double *a, const double *b)
{
    for (size_t i = 0; i < t->n; i++) {
        double force = 0;
        for (size_t j = 0; j < t->n; j++) {
            force += t->H[i * t->n + j] * (a[j] - b[j]);
        }
        note_joint(t, fabs(force) / t->unit[i], t->force, coordinates_joint(t->c, i));
    }
}

/* Returns whether a call succeeded; records its failure otherwise. */
static bool good(test *t, td_status status)
{
    if (status == TD_ERROR_SINGULAR) {
        t->now->singular = td_singular_joint(t->s->workspace);
    } else if (status != TD_OK && t->now->status == TD_OK) {
        t->now->status = status;
        t->now->state = (int)t->state + 1;
    }
    return status == TD_OK;
}

/* ---- small algebra --------------------------------------------------------------------------- */

static void multiply(const double *A, size_t rows, size_t columns, const double *x, double *y)
{
    for (size_t i = 0; i < rows; i++) {
        y[i] = 0;
        for (size_t j = 0; j < columns; j++) {
            y[i] += A[i * columns + j] * x[j];
        }
    }
}

/* Returns Σ |A_ij x_j|, the scale of the rounding errors of row · x. */
static double magnitude(const double *row, const double *x, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        sum += fabs(row[j] * x[j]);
    }
    return sum;
}

/* v + w × r */
static void at_point(const double w[3], const double v[3], const double r[3], double result[3])
{
    result[0] = v[0] + w[1] * r[2] - w[2] * r[1];
    result[1] = v[1] + w[2] * r[0] - w[0] * r[2];
    result[2] = v[2] + w[0] * r[1] - w[1] * r[0];
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    }
    return most;
}

/* ---- random numbers -------------------------------------------------------------------------- */

/* splitmix64 */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void fill(uint64_t *state, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)(int64_t)random_bits(state) * 0x1p-63;
    }
}

/* ---- dynamics -------------------------------------------------------------------------------- */

static void check_inverse_forward(test *t)
{
    if (good(t, t->inverse) && good(t, td_forward_dynamics(t->s->model, t->s->workspace, t->q,
                                                           t->qd, t->tau, t->forces, t->x))) {
        compare_accelerations(t, t->x, t->qdd);
    }
}

static void check_equation_of_motion(test *t)
{
    if (!good(t, t->inverse)) {
        return;
    }
    multiply(t->H, t->n, t->n, t->qdd, t->x);
    for (size_t i = 0; i < t->n; i++) {
        t->x[i] += t->C[i];
    }
    compare_forces(t, t->x, t->tau);
}

/* H e_j = ID(q, 0, e_j) − ID(q, 0, 0) */
static void check_mass_columns(test *t)
{
    const session *s = t->s;
    if (!good(t, td_inverse_dynamics(s->model, s->workspace, t->q, NULL, NULL, t->forces, t->z))) {
        return;
    }
    double rest = 0;
    for (size_t i = 0; i < t->n; i++) {
        rest = fmax(rest, fabs(t->z[i]) / t->unit[i]);
    }
    memset(t->w, 0, t->n * sizeof *t->w);
    for (size_t j = 0; j < t->n; j++) {
        t->w[j] = 1;
        td_inverse_dynamics(s->model, s->workspace, t->q, NULL, t->w, t->forces, t->x);
        t->w[j] = 0;
        for (size_t i = 0; i < t->n; i++) {
            double difference = fabs(t->x[i] - t->z[i] - t->H[i * t->n + j]) / t->unit[i];
            note_joint(t, difference, fmax(rest, t->unit[j]), coordinates_joint(t->c, i));
        }
    }
}

/* Checks H x = b, with x in t->z and b in t->w. */
static void compare_solution(test *t)
{
    double scale = 0;
    for (size_t i = 0; i < t->n; i++) {
        scale = fmax(scale, magnitude(t->H + i * t->n, t->z, t->n) / t->unit[i]);
    }
    multiply(t->H, t->n, t->n, t->z, t->x);
    for (size_t i = 0; i < t->n; i++) {
        note_joint(t, fabs(t->x[i] - t->w[i]) / t->unit[i], scale, coordinates_joint(t->c, i));
    }
}

static void random_force(test *t)
{
    fill(&t->random, t->w, t->n);
    for (size_t i = 0; i < t->n; i++) {
        t->w[i] *= t->unit[i];
    }
}

static void check_mass_inverse(test *t)
{
    if (good(t, td_mass_matrix_inverse(t->s->model, t->s->workspace, t->q, t->forces, t->matrix))) {
        random_force(t);
        multiply(t->matrix, t->n, t->n, t->w, t->z);
        compare_solution(t);
    }
}

static void check_mass_solve(test *t)
{
    random_force(t);
    const session *s = t->s;
    if (good(t, td_mass_matrix_factors(s->model, s->workspace, t->q, t->forces, t->matrix)) &&
        good(t, td_factors_solve(s->model, s->workspace, t->matrix, 1, t->w, t->z)))
        compare_solution(t);
}

/* Fixes the accelerations of random joints and the forces of the others; checks the unknown ones.
 */
static void check_hybrid(test *t)
{
    for (size_t i = 0; i < t->c->joints; i++) {
        size_t joint = t->c->joint[i];
        size_t first = coordinates_velocity(t->c, joint);
        memset(t->given + first, random_bits(&t->random) & 1,
               coordinates_count(t->c, QUANTITY_QD, joint));
    }
    for (size_t i = 0; i < t->n; i++) {
        t->x[i] = t->given[i] ? t->qdd[i] : 0;
        t->z[i] = t->given[i] ? 0 : t->tau[i];
    }
    if (good(t, td_hybrid_dynamics(t->s->model, t->s->workspace, t->q, t->qd, t->given, t->forces,
                                   t->x, t->z))) {
        compare_accelerations(t, t->x, t->qdd);
        compare_forces(t, t->z, t->tau);
    }
}

static void check_coriolis(test *t)
{
    const session *s = t->s;
    if (good(t, td_coriolis_matrix(s->model, s->workspace, t->q, t->qd, t->matrix)) &&
        good(t, td_bias_force(s->model, s->workspace, t->q, t->qd, NULL, t->z))) {
        multiply(t->matrix, t->n, t->n, t->qd, t->x);
        for (size_t i = 0; i < t->n; i++) {
            t->x[i] += t->gravity[i];
        }
        compare_forces(t, t->x, t->z);
    }
}

/* ---- kinematics ------------------------------------------------------------------------------ */

/* Compares J · rate with the motion of each link. Adds J̇ q̇ if rate is the acceleration. */
static void compare_links(test *t, td_frame frame, const double *rate, const double *links)
{
    const session *s = t->s;
    size_t count = td_link_count(s->model);
    double scale = largest(links, 6 * count);
    double worst = 0;
    size_t where = 0;
    for (size_t link = 0; link < count; link++) {
        double result[6];
        double bias[6] = {0};
        if (!good(t, td_link_jacobian(s->model, s->workspace, link, NULL, t->q, frame, t->J)) ||
            (rate == t->qdd &&
             !good(t, td_link_bias_acceleration(s->model, s->workspace, link, NULL, t->q, t->qd,
                                                frame, bias)))) {
            return;
        }
        multiply(t->J, 6, t->n, rate, result);
        for (size_t i = 0; i < 6; i++) {
            double difference = fabs(result[i] + bias[i] - links[6 * link + i]);
            scale = fmax(scale, magnitude(t->J + i * t->n, rate, t->n) + fabs(bias[i]));
            if (!(difference <= worst)) {
                worst = difference;
                where = link;
            }
        }
    }
    note_link(t, worst, scale, where);
}

static void check_jacobian(test *t)
{
    for (td_frame frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        if (good(t, td_link_velocities(t->s->model, t->s->workspace, t->q, t->qd, frame,
                                       t->links[0]))) {
            compare_links(t, frame, t->qd, t->links[0]);
        }
    }
}

/* J q̈ + J̇ q̇ is the time derivative of the velocity's components. In aligned axes, which move
   with the point but do not rotate, it is the point's classical acceleration. */
static void check_jacobian_rate(test *t)
{
    for (td_frame frame = TD_FRAME_WORLD; frame <= TD_FRAME_ALIGNED; frame++) {
        __typeof__(&td_link_spatial_accelerations) accelerations =
            frame == TD_FRAME_ALIGNED ? td_link_classical_accelerations
                                      : td_link_spatial_accelerations;
        if (good(t, accelerations(t->s->model, t->s->workspace, t->q, t->qd, t->qdd, frame,
                                  t->links[0]))) {
            compare_links(t, frame, t->qdd, t->links[0]);
        }
    }
}

/* ---- energy and momentum --------------------------------------------------------------------- */

/* Computes Σ max |I_ij| |ω|², the scale of rounding errors of kinetic energies. It matters if links
   rotate about axes about which they have no inertia. Returns false if a call failed. */
static bool turning(test *t, double *sum)
{
    const session *s = t->s;
    *sum = 0;
    if (!good(t, td_link_velocities(s->model, s->workspace, t->q, t->qd, TD_FRAME_BODY,
                                    t->links[0]))) {
        return false;
    }
    for (size_t i = 0; i < td_link_count(s->model); i++) {
        const double *w = t->links[0] + 6 * i;
        *sum += largest(td_link_at(s->model, i)->inertia, 6) * dot(w, w);
    }
    return true;
}

/* Computes Σ m r (|ω|² + |α|), where r is at least the distance of the link's center of mass from
   the world's origin. This is the scale of rounding errors of the total force if the forces on
   links cancel, such as on wheels that rotate about their centers of mass. Returns false if a call
   failed. */
static bool swirl(test *t, double *sum)
{
    const session *s = t->s;
    *sum = 0;
    if (!good(t, td_link_velocities(s->model, s->workspace, t->q, t->qd, TD_FRAME_BODY,
                                    t->links[0])) ||
        !good(t, td_link_spatial_accelerations(s->model, s->workspace, t->q, t->qd, t->qdd,
                                               TD_FRAME_BODY, t->links[1])) ||
        !good(t, td_link_poses(s->model, s->workspace, t->q, t->poses))) {
        return false;
    }
    for (size_t i = 0; i < td_link_count(s->model); i++) {
        const td_link *link = td_link_at(s->model, i);
        const double *w = t->links[0] + 6 * i, *alpha = t->links[1] + 6 * i;
        const double *c = link->inertial.position, *pose = t->poses + 12 * i;
        const double origin[3] = {pose[3], pose[7], pose[11]};
        const double reach = sqrt(dot(origin, origin)) + sqrt(dot(c, c));
        *sum += link->mass * reach * (dot(w, w) + sqrt(dot(alpha, alpha)));
    }
    return true;
}

static void check_energy(test *t)
{
    const session *s = t->s;
    double energy[2];
    double com[9];
    if (!good(t, td_energy(s->model, s->workspace, t->q, t->qd, TD_SCOPE_ALL, energy)) ||
        !good(t, td_mass_matrix(s->model, s->workspace, t->q, NULL, t->matrix)) ||
        !good(t, td_center_of_mass_motion(s->model, s->workspace, t->q, t->qd, t->qdd, TD_SCOPE_ALL,
                                          com)) ||
        !good(t, td_link_poses(s->model, s->workspace, t->q, t->poses))) {
        return;
    }
    double kinetic = 0;
    double scale;
    if (!turning(t, &scale)) {
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < t->n; j++) {
            double term = 0.5 * t->qd[i] * t->matrix[i * t->n + j] * t->qd[j];
            kinetic += term;
            scale += fabs(term);
        }
    }
    note(t, fabs(energy[0] - kinetic), scale);
    double mass = td_total_mass(s->model);
    if (mass > 0) {
        const double *g = td_gravity(s->model, NULL);
        double reach = largest(com, 3);
        for (size_t link = 0; link < td_link_count(s->model); link++) {
            for (size_t i = 0; i < 3; i++) {
                reach = fmax(reach, fabs(t->poses[12 * link + 4 * i + 3]));
            }
        }
        note(t, fabs(energy[1] + mass * dot(g, com)), mass * largest(g, 3) * reach);
    }
}

/* Returns the power that accelerates a link: v · I a, with the inertia about the center of mass.
   Adds the sizes of the terms to *scale. */
static double link_power(const td_link *link, const double v[6], const double a[6], double *scale)
{
    const double *I = link->inertia;
    const double *R = link->inertial.rotation;
    double velocity[3];
    double acceleration[3];
    double w[3];
    double alpha[3];
    at_point(v, v + 3, link->inertial.position, velocity);
    at_point(a, a + 3, link->inertial.position, acceleration);
    for (size_t i = 0; i < 3; i++) { /* in the axes of the inertial frame */
        w[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
        alpha[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
    }
    double rotational = w[0] * (I[0] * alpha[0] + I[1] * alpha[1] + I[2] * alpha[2]) +
                        w[1] * (I[1] * alpha[0] + I[3] * alpha[1] + I[4] * alpha[2]) +
                        w[2] * (I[2] * alpha[0] + I[4] * alpha[1] + I[5] * alpha[2]);
    double linear = link->mass * dot(velocity, acceleration);
    *scale += fabs(rotational) + fabs(linear);
    return rotational + linear;
}

/* Checks that the power of the joints' forces equals the power that moves the links of the file. */
static void check_power(test *t)
{
    const session *s = t->s;
    double com[9];
    double *velocity = t->links[0];
    double *acceleration = t->links[1];
    if (!good(t, td_inverse_dynamics(s->model, s->workspace, t->q, t->qd, t->qdd, NULL, t->x)) ||
        !good(t,
              td_link_velocities(s->model, s->workspace, t->q, t->qd, TD_FRAME_BODY, velocity)) ||
        !good(t, td_link_spatial_accelerations(s->model, s->workspace, t->q, t->qd, t->qdd,
                                               TD_FRAME_BODY, acceleration)) ||
        !good(t, td_center_of_mass_motion(s->model, s->workspace, t->q, t->qd, t->qdd, TD_SCOPE_ALL,
                                          com))) {
        return;
    }
    double scale = magnitude(t->x, t->qd, t->n);
    double rate = 0;
    for (size_t i = 0; i < td_link_count(s->model); i++) {
        const td_link *link = td_link_at(s->model, i);
        if (link->has_inertial) {
            rate += link_power(link, velocity + 6 * i, acceleration + 6 * i, &scale);
        }
    }
    double mass = td_total_mass(s->model);
    if (mass > 0) {
        const double *g = td_gravity(s->model, NULL);
        rate -= mass * dot(g, com + 3);
        scale += mass * largest(g, 3) * largest(com + 3, 3);
    }
    note(t, fabs(td_power(s->model, coordinates_for(t->c->tree), t->x, t->qd) - rate), scale);
}

static void check_momentum(test *t)
{
    const session *s = t->s;
    double momentum[6];
    double product[6];
    double scale = 0;
    if (!good(t, td_centroidal_momentum_matrix(s->model, s->workspace, t->q, TD_SCOPE_ALL, t->J)) ||
        !good(t, td_centroidal_momentum(s->model, s->workspace, t->q, t->qd, TD_SCOPE_ALL,
                                        momentum)) ||
        !(td_total_mass(s->model) > 0)) {
        return;
    }
    multiply(t->J, 6, t->n, t->qd, product);
    for (size_t i = 0; i < 6; i++) {
        scale = fmax(scale, magnitude(t->J + i * t->n, t->qd, t->n));
    }
    for (size_t i = 0; i < 6; i++) {
        note(t, fabs(product[i] - momentum[i]), scale);
    }
}

static void check_momentum_rate(test *t)
{
    const session *s = t->s;
    double bias[6];
    double rate[6];
    double com[9];
    double mass = td_total_mass(s->model);
    double scale;
    if (!swirl(t, &scale) ||
        !good(t, td_centroidal_momentum_matrix(s->model, s->workspace, t->q, TD_SCOPE_ALL, t->J)) ||
        !good(t, td_centroidal_momentum_bias(s->model, s->workspace, t->q, t->qd, TD_SCOPE_ALL,
                                             bias)) ||
        !good(t, td_center_of_mass_motion(s->model, s->workspace, t->q, t->qd, t->qdd, TD_SCOPE_ALL,
                                          com)) ||
        !(mass > 0)) {
        return;
    }
    multiply(t->J, 6, t->n, t->qdd, rate);
    for (size_t i = 3; i < 6; i++) {
        scale = fmax(scale, magnitude(t->J + i * t->n, t->qdd, t->n) + fabs(bias[i]));
    }
    for (size_t i = 3; i < 6; i++) {
        note(t, fabs(rate[i] + bias[i] - mass * com[3 + i]), scale);
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Checks that the wrench of a joint has components tau (nv of them) along the joint's axes, which
   are columns of the child link's Jacobian, at the q of t->tree. */
static void compare_reaction(test *t, size_t joint, const double *tau, double scale)
{
    const td_joint_place place = td_joint_place_at(t->s->model, joint);
    const size_t nv = td_nv(t->s->model);
    double residual = 0;
    if (!good(t, TD_IN_TREE(t->s->workspace,
                            td_link_jacobian(t->s->model, t->s->workspace, place.child_link, NULL,
                                             t->tree[0], TD_FRAME_BODY, t->J_tree)))) {
        return;
    }
    for (size_t k = 0; k < place.nv; k++) {
        double along = 0;
        for (size_t i = 0; i < 6; i++) {
            along += t->J_tree[i * nv + place.qd + k] * t->reactions[6 * joint + i];
        }
        residual = fmax(residual, fabs(along - tau[k]));
    }
    note_joint(t, residual, scale, joint);
}

static void check_reactions(test *t)
{
    const session *s = t->s;
    double *const *x = t->tree;
    if (t->c->tree) {
        memcpy(x[0], t->q, td_nq(s->model) * sizeof(double));
        memcpy(x[1], t->qd, t->n * sizeof(double));
        memcpy(x[2], t->qdd, t->n * sizeof(double));
    } else if (!good(t,
                     td_closure(s->model, s->workspace, t->q, t->qd, t->qdd, x[0], x[1], x[2]))) {
        return;
    }
    if (!good(t, TD_IN_TREE(s->workspace, td_inverse_dynamics(s->model, s->workspace, x[0], x[1],
                                                              x[2], NULL, x[3]))) ||
        !good(t,
              TD_IN_TREE(s->workspace, td_joint_reactions(s->model, s->workspace, x[0], x[1], x[2],
                                                          NULL, TD_FRAME_BODY, t->reactions)))) {
        return;
    }
    double most = largest(t->reactions, 6 * td_joint_count(s->model));
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        size_t joint = td_movable_joint(s->model, i);
        const double *wrench = t->reactions + 6 * joint;
        compare_reaction(t, joint, x[3] + td_joint_place_at(s->model, joint).qd,
                         fmax(largest(wrench, 6), 1e-3 * most));
    }
}

/* Returns whether a joint follows another joint by a curve or leads one that does. */
static bool is_in_curves(const td_model *model, size_t joint)
{
    bool any = td_follower_of(model, joint) != TD_NONE;
    for (size_t n = 0; n < td_follower_count(model); n++) {
        const td_follower *follower = td_follower_at(model, n);
        for (size_t k = 0; k < follower->curves; k++) {
            any = any ||
                  strcmp(td_curve_at(follower, k)->leader, td_joint_at(model, joint)->name) == 0;
        }
    }
    return any;
}

/* Returns whether only loops move the joint: no motor, mimic joint, curve or coupling. */
static bool moved_by_loops(const td_model *model, size_t joint)
{
    const td_joint_place place = td_joint_place_at(model, joint);
    const td_joint *record = td_joint_at(model, joint);
    bool alone = place.nv == 1 && place.dependent && record->mimic == NULL &&
                 !is_in_curves(model, joint) && td_coupling_count(model) == 0 &&
                 (place.cluster == TD_NONE || td_loop_cluster_at(model, place.cluster).loops > 0);
    for (size_t i = 0; i < td_nu(model); i++) {
        alone = alone && td_actuator_at(model, i).joint != joint;
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const char *leader = td_joint_at(model, i)->mimic;
        alone = alone && (leader == NULL || strcmp(leader, record->name) != 0);
    }
    return alone;
}

/* Joints that only loops move transmit no force or moment along their axes. Skips states in which
   the forces of motors or the closure are singular. */
static void check_loop_reactions(test *t)
{
    const session *s = t->s;
    if (t->c->tree || td_loop_count(s->model) == 0) {
        return;
    }
    if (!good(t, td_closure(s->model, s->workspace, t->q, NULL, NULL, t->tree[0], NULL, NULL))) {
        return;
    }
    const td_status status = td_joint_reactions(s->model, s->workspace, t->q, t->qd, t->qdd, NULL,
                                                TD_FRAME_BODY, t->reactions);
    if (status == TD_ERROR_ACTUATION_SINGULAR || status == TD_ERROR_CLOSURE_SINGULAR ||
        !good(t, status)) {
        return;
    }
    const double most = largest(t->reactions, 6 * td_joint_count(s->model));
    for (size_t i = 0; i < td_joint_count(s->model); i++) {
        const double nothing = 0;
        if (moved_by_loops(s->model, i)) {
            compare_reaction(t, i, &nothing, most);
        }
    }
}

/* ---- batches and coordinates ----------------------------------------------------------------- */

static void check_batch_inverse(test *t)
{
    if (good(t, t->batch[0][t->state])) {
        compare_forces(t, t->batch_tau, t->tau);
    }
}

static void check_batch_forward(test *t)
{
    if (good(t, t->inverse) &&
        good(t, td_forward_dynamics(t->s->model, t->s->workspace, t->q, t->qd, t->tau, t->forces,
                                    t->x)) &&
        good(t, t->batch[1][t->state])) {
        compare_accelerations(t, t->batch_qdd, t->x);
    }
}

static void check_closure(test *t)
{
    const session *s = t->s;
    double residual;
    double *back = t->tree[2]; /* size at least nv; y is no longer than q */
    uint64_t seed = random_bits(&t->random);
    random_state(false, s->model, s->workspace, &seed, t->y);
    if (!good(t, td_closure(s->model, s->workspace, t->y, NULL, NULL, t->tree[0], NULL, NULL)) ||
        !good(t, td_independent_coordinates(s->model, s->workspace, t->tree[0], back, &residual))) {
        return;
    }
    double scale = fmax(1, largest(t->tree[0], td_nq(s->model)));
    for (size_t i = 0; i < td_independent_count(s->model); i++) {
        size_t joint = td_independent_joint(s->model, i);
        td_joint_place place = td_joint_place_at(s->model, joint);
        for (size_t k = place.y; k < (size_t)(place.y + place.ny); k++) {
            note_joint(t, fmax(fabs(back[k] - t->y[k]), residual), scale, joint);
        }
    }
}

/* Checks loops at a random y by the poses of the links, not by the constraints. */
static void check_loops(test *t)
{
    const td_model *model = t->s->model;
    uint64_t seed = random_bits(&t->random);
    random_state(false, model, t->s->workspace, &seed, t->y);
    if (td_loop_count(model) == 0 ||
        !good(t, TD_IN_INDEPENDENT(t->s->workspace,
                                   td_link_poses(model, t->s->workspace, t->y, t->poses)))) {
        return;
    }
    double size = 1e-3;
    for (size_t i = 0; i < td_link_count(model); i++) {
        for (int k = 0; k < 3; k++) {
            size = fmax(size, fabs(t->poses[12 * i + 4 * (size_t)k + 3]));
        }
    }
    for (size_t l = 0; l < td_loop_count(model); l++) {
        const td_loop *loop = td_loop_at(model, l);
        const size_t last = td_link_index(model, loop->successor);
        if (td_loop_place_at(model, l).form != TD_LOOP_FORM_OPEN) {
            note_link(t,
                      loop_gap(loop, t->poses + 12 * td_link_index(model, loop->predecessor),
                               t->poses + 12 * last, size),
                      1, last);
        }
    }
}

/* Checks the map between joints and motors at a random state with random forces. Skips states in
   which this map is singular. */
static void check_actuators(test *t)
{
    const session *s = t->s;
    size_t nu = td_nu(s->model);
    size_t n = td_nyd(s->model);
    double *tau = t->tree[0];
    double *yd = t->tree[1];
    double *rest = t->tree[2];
    double *back = t->tree[3];
    scoped double *u = allocate(2 * nu, sizeof *u);
    uint64_t seed = random_bits(&t->random);
    random_state(false, s->model, s->workspace, &seed, t->y);
    fill(&t->random, tau, n);
    fill(&t->random, yd, n);
    td_status status = td_forces_to_actuators(s->model, s->workspace, t->y, tau, NULL, u, rest);
    /* random forces act along idle directions, too */
    const bool idle = status == TD_ERROR_UNDERACTUATED && td_idle_count(s->model) > 0;
    if ((idle || status == td_actuation_status(s->model)) &&
        good(t, td_forces_from_actuators(s->model, s->workspace, t->y, u, back)) &&
        good(t,
             td_motion_to_actuators(s->model, s->workspace, t->y, yd, NULL, NULL, u + nu, NULL))) {
        double difference = 0;
        double scale = fmax(1, largest(u, nu));
        for (size_t i = 0; i < td_independent_count(s->model); i++) {
            size_t joint = td_independent_joint(s->model, i);
            td_joint_place place = td_joint_place_at(s->model, joint);
            for (size_t k = place.yd; k < (size_t)(place.yd + place.nyd); k++) {
                note_joint(t, fabs(back[k] + rest[k] - tau[k]), scale, joint);
                difference += (tau[k] - rest[k]) * yd[k];
            }
        }
        for (size_t i = 0; i < nu; i++) {
            difference -= u[i] * u[nu + i];
            scale = fmax(scale, fabs(u[i] * u[nu + i]));
        }
        note(t, fabs(difference), scale);
    } else if (status != TD_ERROR_ACTUATION_SINGULAR) {
        good(t, status);
    }
}

static void check_integration(test *t)
{
    double *moved = t->tree[0];
    td_integrate(t->s->model, coordinates_for(t->c->tree), t->q, t->qd, 1, moved);
    td_difference(t->s->model, coordinates_for(t->c->tree), t->q, moved, t->x);
    double scale = fmax(1, largest(moved, t->c->size[QUANTITY_Q]));
    for (size_t i = 0; i < t->n; i++) {
        note_joint(t, fabs(t->x[i] - t->qd[i]), scale, coordinates_joint(t->c, i));
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void (*const checks[])(test *t) = {
#define IDENTITY_FUNCTION(name, tolerance, text) check_##name,
    IDENTITY_TABLE(IDENTITY_FUNCTION)
#undef IDENTITY_FUNCTION
};

static const finding unknown[] = {
#define IDENTITY_FINDING(name, tolerance, text)                                                    \
    {#name, text, tolerance, 0, TD_NONE, TD_NONE, -1, TD_NONE, TD_OK},
    IDENTITY_TABLE(IDENTITY_FINDING)
#undef IDENTITY_FINDING
};

/* Computes the mass matrix and the forces of the state, and the units in which forces are compared.
 */
static void prepare(test *t)
{
    const session *s = t->s;
    size_t n = t->n;
    double most = 0;
    td_mass_matrix(s->model, s->workspace, t->q, t->forces, t->H);
    td_bias_force(s->model, s->workspace, t->q, t->qd, t->forces, t->C);
    td_gravity_force(s->model, s->workspace, t->q, t->gravity);
    t->inverse =
        td_inverse_dynamics(s->model, s->workspace, t->q, t->qd, t->qdd, t->forces, t->tau);
    for (size_t i = 0; i < n; i++) {
        t->unit[i] = sqrt(fabs(t->H[i * n + i]));
        most = fmax(most, t->unit[i]);
    }
    for (size_t k = 0; !t->c->tree && k < td_idle_count(s->model); k++) {
        const td_idle_direction idle = td_idle_direction_at(s->model, k);
        t->unit[idle.yd] = idle.massless ? most : t->unit[idle.yd]; /* its inertia is rounding */
    }
    t->force = 0;
    for (size_t i = 0; i < n; i++) { /* joints that move no inertia also need a unit */
        t->unit[i] = most > 0 ? fmax(t->unit[i], 1e-6 * most) : 1;
        double force = magnitude(t->H + i * n, t->qdd, n) + fabs(t->C[i]) + fabs(t->gravity[i]) +
                       fabs(t->C[i] - t->gravity[i]);
        t->force = fmax(t->force, force / t->unit[i]);
    }
}

static void allocate_all(test *t, size_t states)
{
    const td_model *model = t->s->model;
    size_t n = t->n;
    size_t nv = td_nv(model);
    size_t nq = td_nq(model);
    size_t links = td_link_count(model);
    double **const vectors[] = {&t->unit, &t->C, &t->gravity, &t->x, &t->z, &t->w};
    double **const series[] = {&t->qd, &t->qdd, &t->tau, &t->batch_tau, &t->batch_qdd};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        *vectors[i] = allocate(n, sizeof(double));
    }
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        *series[i] = allocate(states * n, sizeof(double));
    }
    for (size_t i = 0; i < 4; i++) {
        t->tree[i] = allocate(nq > nv ? nq : nv, sizeof(double));
    }
    for (size_t i = 0; i < 2; i++) {
        t->batch[i] = allocate(states, sizeof *t->batch[i]);
    }
    for (size_t i = 0; i < 2; i++) {
        t->links[i] = allocate(6 * links, sizeof(double));
    }
    t->q = allocate(states * t->c->size[QUANTITY_Q], sizeof(double));
    t->H = allocate(n * n, sizeof(double));
    t->matrix = allocate(n * n, sizeof(double));
    t->y = allocate(td_ny(model), sizeof(double));
    t->reactions = allocate(6 * td_joint_count(model), sizeof(double));
    t->poses = allocate(12 * links, sizeof(double));
    t->J = allocate(6 * n, sizeof(double));
    t->J_tree = allocate(6 * td_nv(model), sizeof(double));
    t->given = allocate(n, 1);
}

static void free_all(test *t)
{
    void *const all[] = {
        t->unit,    t->C,        t->gravity,   t->x,         t->z,        t->w,       t->qd,
        t->qdd,     t->tau,      t->batch_tau, t->batch_qdd, t->tree[0],  t->tree[1], t->tree[2],
        t->tree[3], t->batch[0], t->batch[1],  t->links[0],  t->links[1], t->q,       t->H,
        t->matrix,  t->y,        t->reactions, t->poses,     t->J,        t->J_tree,  t->given};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

/* Makes random states and computes the batches over all of them. */
static void make_states(test *t, size_t states, uint64_t seed)
{
    const session *s = t->s;
    size_t positions = t->c->size[QUANTITY_Q];
    t->random = ~seed;
    for (size_t i = 0; i < states; i++) {
        random_state(t->c->tree, s->model, s->workspace, &seed, t->q + i * positions);
    }
    fill(&t->random, t->qd, states * t->n);
    fill(&t->random, t->qdd, states * t->n);
    td_batch_inverse_dynamics(s->model, s->workspace, states, t->q, t->qd, t->qdd, t->forces,
                              t->batch_tau, t->batch[0]);
    for (size_t i = 0; i < states; i++) {
        size_t at = i * t->n;
        td_inverse_dynamics(s->model, s->workspace, t->q + i * positions, t->qd + at, t->qdd + at,
                            t->forces, t->tau + at);
    }
    td_batch_forward_dynamics(s->model, s->workspace, states, t->q, t->qd, t->tau, t->forces,
                              t->batch_qdd, t->batch[1]);
}

void verify(const session *s, const coordinates *c, const td_forces *forces, size_t states,
            uint64_t seed, finding *findings)
{
    test t = {.s = s, .c = c, .forces = forces, .n = c->size[QUANTITY_QD]};
    allocate_all(&t, states);
    make_states(&t, states, seed);
    memcpy(findings, unknown, sizeof unknown);
    test all = t;
    for (size_t i = 0; i < states; i++) {
        t.state = i;
        t.q = all.q + i * c->size[QUANTITY_Q];
        t.qd = all.qd + i * t.n;
        t.qdd = all.qdd + i * t.n;
        t.tau = all.tau + i * t.n;
        t.batch_tau = all.batch_tau + i * t.n;
        t.batch_qdd = all.batch_qdd + i * t.n;
        prepare(&t);
        for (size_t k = 0; k < IDENTITY_COUNT; k++) {
            t.now = &findings[k];
            checks[k](&t);
        }
    }
    free_all(&all);
}
