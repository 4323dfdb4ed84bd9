/* SPDX-License-Identifier: MIT */
/*
 * The bundled mechanisms with loops against their closed forms. The files must be assembled where
 * the closed form is, judged by the poses of the tree alone. γ must follow the closed form over the
 * range, with G and g as its derivatives. Ranks and mobility must match the geometry. Dynamics in
 * independent coordinates must equal dynamics of the tree under γ. The remaining tests cover
 * specific mechanisms: published angles, branches, dead points, forces, lengths of legs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mechanisms.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MOST = 40, MOST_LINKS = 40, PARAMETERS = 6 };

static const double pi = 3.14159265358979323846, degree = 3.14159265358979323846 / 180;

typedef struct mechanism {
    const char *file;
    td_closed_form *form;
    td_base base;
    size_t movable, loops, clusters, rows, rank, independent; /* independent: without the base */
    size_t parameters;
    double lower[PARAMETERS], upper[PARAMETERS]; /* of p */
} mechanism;

static const mechanism mechanisms[] = {
    {"four_bar", td_four_bar_form, TD_BASE_FIXED, 3, 1, 1, 5, 2, 1, 1, {-9}, {9}},
    {"stephenson", td_stephenson_form, TD_BASE_FIXED, 5, 2, 1, 10, 4, 1, 1, {-9}, {9}},
    {"stephenson_dead", td_stephenson_form, TD_BASE_FIXED, 5, 2, 1, 10, 4, 1, 1, {-2.3}, {3.6}},
    {"larm_leg", td_leg_form, TD_BASE_FIXED, 7, 3, 1, 10, 4, 1, 1, {-7}, {7}},
    {"pasibot_leg", td_leg_form, TD_BASE_FIXED, 10, 3, 1, 15, 6, 1, 1, {-7}, {7}},
    {"five_bar",
     td_five_bar_form,
     TD_BASE_FIXED,
     4,
     1,
     1,
     5,
     2,
     2,
     2,
     {-0.08, -0.25},
     {0.08, 0.25}},
    {"capaman", td_capaman_form, TD_BASE_FIXED, 15, 2, 1, 6, 6, 3, 3, {-1, -1, -1}, {1, 1, 1}},
    {"goldberg_5r", td_goldberg_5r_form, TD_BASE_FIXED, 5, 1, 1, 6, 4, 1, 1, {-1.5}, {1.5}},
    {"goldberg_6r", td_goldberg_6r_form, TD_BASE_FIXED, 6, 1, 1, 6, 5, 1, 1, {-0.35}, {0.2}},
    {"spherical_3rpr",
     td_spherical_form,
     TD_BASE_FIXED,
     12,
     3,
     1,
     9,
     9,
     3,
     3,
     {0.05, 0.4, -1.2},
     {0.25, 0.6, -1}},
    {"stewart",
     td_stewart_form,
     TD_BASE_FLOATING,
     22,
     5,
     1,
     15,
     15,
     6,
     6,
     {-0.05, -0.05, -0.05, -0.2, -0.2, -0.2},
     {0.05, 0.05, 0.05, 0.2, 0.2, 0.2}},
    {"linear_leg",
     td_linear_leg_form,
     TD_BASE_FIXED,
     16,
     4,
     3,
     16,
     10,
     6,
     6,
     {-0.6, -0.4, -0.7, -0.5, -0.5, -0.3},
     {0.6, 0.4, 0.8, 1, 0.5, 0.3}},
};

static td_model *load(const mechanism *m)
{
    char name[64];
    snprintf(name, sizeof name, "%s.urdf", m->file);
    td_load_options options = td_load_options_default();
    options.base = m->base;
    return td_load_robot(name, &options);
}

/* ---- loops by the poses of the tree ---------------------------------------------------------- */

/* Frame of a loop on a link with the given pose, as 3 × 4 */
static void loop_frame(const double pose[12], const td_pose *origin, double frame[12])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            frame[4 * i + j] = pose[4 * i] * origin->rotation[j] +
                               pose[4 * i + 1] * origin->rotation[3 + j] +
                               pose[4 * i + 2] * origin->rotation[6 + j];
        frame[4 * i + 3] = pose[4 * i + 3] + pose[4 * i] * origin->position[0] +
                           pose[4 * i + 1] * origin->position[1] +
                           pose[4 * i + 2] * origin->position[2];
    }
}

/* largest entry of the difference of R v for two frames */
static double turned(const double P[12], const double S[12], const double v[3])
{
    double largest = 0;
    for (int i = 0; i < 3; i++)
        largest =
            fmax(largest, fabs((P[4 * i] - S[4 * i]) * v[0] + (P[4 * i + 1] - S[4 * i + 1]) * v[1] +
                               (P[4 * i + 2] - S[4 * i + 2]) * v[2]));
    return largest;
}

/* Returns how far the loops are from closed (m, and lengths of vectors): revolute, spherical and
   fixed ones, from the link poses alone. */
static double gap(const td_model *model, td_workspace *w, const double *q)
{
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double poses[12 * MOST_LINKS], largest = 0;
    ck_assert_uint_le(td_link_count(model), MOST_LINKS);
    TD_IN_TREE(w, td_link_poses(model, w, q, poses));
    for (size_t i = 0; i < td_loop_count(model); i++) {
        const td_loop *loop = td_loop_at(model, i);
        double P[12], S[12];
        loop_frame(poses + 12 * td_link_index(model, loop->predecessor), &loop->predecessor_origin,
                   P);
        loop_frame(poses + 12 * td_link_index(model, loop->successor), &loop->successor_origin, S);
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(P[4 * k + 3] - S[4 * k + 3]));
        if (loop->type == TD_LOOP_REVOLUTE)
            largest = fmax(largest, turned(P, S, loop->axis));
        for (int k = 0; k < 3 && loop->type == TD_LOOP_FIXED; k++)
            largest = fmax(largest, turned(P, S, unit[k]));
    }
    return largest;
}

/* ---- states ------------------------------------------------------------------------------------
 */

/* The base of a floating mechanism is at rest anywhere; the rest follows the closed form. */
static bool configuration(const mechanism *m, const td_model *model, const double *p, double *q)
{
    td_neutral(model, TD_COORDINATES_TREE, q);
    if (m->base == TD_BASE_FLOATING) {
        static const double base[7] = {0.3, -0.2, 1.1, 0.5, -0.5, 0.5, 0.5};
        memcpy(q, base, sizeof base);
    }
    return m->form(model, p, q);
}

static void independent_of(const td_model *model, const double *q, double *y)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint_place at = td_joint_place_at(model, i);
        if (at.y != TD_NONE)
            memcpy(y + at.y, q + at.q, at.nq * sizeof *y);
    }
}

/* extracts the independent velocities from all velocities */
static void independent_rates(const td_model *model, const double *qd, double *yd)
{
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint_place at = td_joint_place_at(model, i);
        if (at.yd != TD_NONE)
            memcpy(yd + at.yd, qd + at.qd, at.nv * sizeof *yd);
    }
}

static void draw(const mechanism *m, td_random *random, double *p)
{
    for (size_t i = 0; i < m->parameters; i++)
        p[i] = m->lower[i] + (m->upper[i] - m->lower[i]) * (1 + td_random_number(random)) / 2;
}

/* Largest difference of two configurations; angles that differ by whole turns are equal. */
static double apart(const td_model *model, const double *a, const double *b)
{
    double largest = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        td_joint_place at = td_joint_place_at(model, i);
        td_joint_type type = td_joint_at(model, i)->type;
        for (size_t k = 0; k < at.nq; k++) {
            double d = a[at.q + k] - b[at.q + k];
            if (type == TD_JOINT_CONTINUOUS)
                d = remainder(d, 2 * pi);
            largest = isnan(d) ? INFINITY : fmax(largest, fabs(d));
        }
    }
    return largest;
}

/* ---- every mechanism ---------------------------------------------------------------------------
 */

/* The files must be assembled at q = 0 and wherever the closed form exists. This does not use γ. */
TD_LOOP_TEST(assembled, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = test_workspace(model);
    td_random random = {1};
    double q[MOST], p[PARAMETERS];
    ck_assert_uint_le(td_nq(model), MOST);
    td_neutral(model, TD_COORDINATES_TREE, q);
    ck_assert_double_le(gap(model, w, q), 1e-14);
    for (int i = 0; i < 200; i++) {
        draw(m, &random, p);
        ck_assert(configuration(m, model, p, q));
        double left = gap(model, w, q);
        ck_assert_msg(left <= 1e-14, "%s is open by %.3g at p = %g", m->file, left, p[0]);
    }
}

TD_LOOP_TEST(counts, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    size_t base = m->base == TD_BASE_FLOATING ? 6 : 0, loops = 0, rows = 0, rank = 0;
    ck_assert_uint_eq(td_movable_count(model), m->movable);
    ck_assert_uint_eq(td_nyd(model), base + m->independent);
    ck_assert_uint_eq(td_loop_count(model), m->loops);
    ck_assert_uint_eq(td_loop_cluster_count(model), m->clusters);
    for (size_t i = 0; i < m->clusters; i++) {
        td_loop_cluster cluster = td_loop_cluster_at(model, i);
        loops += cluster.loops;
        rows += cluster.rows;
        rank += cluster.rank;
        ck_assert_double_gt(cluster.smallest, 1e-4 * cluster.largest);
    }
    for (size_t l = 0; l < m->loops; l++) /* LARM's pantograph loop is linear and in no cluster */
        loops += td_loop_place_at(model, l).form == TD_LOOP_FORM_LINEAR;
    ck_assert_uint_eq(loops, m->loops);
    ck_assert_uint_eq(rows, m->rows);
    ck_assert_uint_eq(rank, m->rank);
}

/* q = 0 is assembled, so it is the reference */
TD_LOOP_TEST(reference_is_neutral, 0, COUNT(mechanisms))
{
    td_model *model = load(&mechanisms[_i]);
    double q[MOST];
    td_neutral(model, TD_COORDINATES_TREE, q);
    ck_assert_double_le(apart(model, td_reference(model, TD_COORDINATES_TREE), q), 1e-12);
}

/* γ must equal the closed form within 1e-10 and close the loops to rounding. */
TD_LOOP_TEST(follows_the_closed_form, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = test_workspace(model);
    td_random random = {2};
    double q[MOST], y[MOST], solved[MOST], p[PARAMETERS];
    for (int i = 0; i < 200; i++) {
        draw(m, &random, p);
        ck_assert(configuration(m, model, p, q));
        independent_of(model, q, y);
        td_status status = td_closure(model, w, y, NULL, NULL, solved, NULL, NULL);
        ck_assert_msg(status == TD_OK, "%s at p = %.17g: %s", m->file, p[0],
                      td_status_text(status));
        double error = apart(model, solved, q);
        ck_assert_msg(error <= 1e-10, "%s is off by %.3g at p = %.17g", m->file, error, p[0]);
        ck_assert_double_le(gap(model, w, solved), 1e-13);
        ck_assert_uint_eq(td_failed_loop(w, NULL), TD_NONE);
    }
}

/* first and second derivative of the closed form along a line of p, by central differences */
static void motion(const mechanism *m, const td_model *model, const double *p, const double *v,
                   double h, double *q, double *qd, double *qdd)
{
    double ahead[MOST], behind[MOST], to[MOST], from[MOST], x[PARAMETERS];
    size_t nv = td_nv(model);
    ck_assert(configuration(m, model, p, q));
    for (size_t i = 0; i < m->parameters; i++)
        x[i] = p[i] + h * v[i];
    ck_assert(configuration(m, model, x, ahead));
    for (size_t i = 0; i < m->parameters; i++)
        x[i] = p[i] - h * v[i];
    ck_assert(configuration(m, model, x, behind));
    td_difference(model, TD_COORDINATES_TREE, q, ahead, to);
    td_difference(model, TD_COORDINATES_TREE, behind, q, from);
    for (size_t i = 0; i < nv; i++) {
        double a = remainder(to[i], pi), b = remainder(from[i], pi); /* steps are small */
        qd[i] = (a + b) / (2 * h);
        qdd[i] = (a - b) / (h * h);
    }
}

/* q̇ = G ẏ and q̈ = G ÿ + g must be the derivatives of the closed form (by differences: 1e-6 and
   1e-4). */
TD_LOOP_TEST(derivatives, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = test_workspace(model);
    td_random random = {3};
    double q[MOST], qd[MOST], qdd[MOST], y[MOST], yd[MOST], ydd[MOST], v[PARAMETERS], p[PARAMETERS];
    double unused[MOST], found_d[MOST], found_dd[MOST];
    for (int i = 0; i < 50; i++) {
        draw(m, &random, p);
        for (size_t k = 0; k < m->parameters; k++) {
            p[k] = 0.98 * p[k] + 0.01 * (m->lower[k] + m->upper[k]); /* margin for differences */
            v[k] = td_random_number(&random) * (m->upper[k] - m->lower[k]) / 4;
        }
        motion(m, model, p, v, 1e-5, q, qd, unused);
        motion(m, model, p, v, 1e-3, q, unused, qdd);
        independent_of(model, q, y);
        independent_rates(model, qd, yd);
        independent_rates(model, qdd, ydd);
        assert_ok(td_closure(model, w, y, yd, ydd, NULL, found_d, found_dd));
        td_assert_close(td_nv(model), found_d, qd, 1e-6, 1);
        td_assert_close(td_nv(model), found_dd, qdd, 1e-4, 1);
    }
}

/* The largest |K x − k| of all rows */
static double violation(size_t rows, size_t nv, const double *K, const double *x, size_t stride,
                        const double *k)
{
    double worst = 0;
    for (size_t i = 0; i < rows; i++) {
        double sum = k ? -k[i] : 0;
        for (size_t j = 0; j < nv; j++)
            sum += K[i * nv + j] * x[j * stride];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* K G = 0 and K g = k at assembled configurations; φ = 0 there, but not next to them. */
TD_LOOP_TEST(constraints_and_motions, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = test_workspace(model);
    size_t nv = td_nv(model), nyd = td_nyd(model), rows = td_constraint_count(model);
    double *K = doubles(rows * nv), *G = doubles(nv * nyd);
    double *phi = doubles(rows), *k = doubles(rows);
    td_random random = {4};
    double q[MOST], qd[MOST], g[MOST], y[MOST], yd[MOST], p[PARAMETERS];
    for (int state = 0; state < 20; state++) {
        draw(m, &random, p);
        ck_assert(configuration(m, model, p, q));
        independent_of(model, q, y);
        td_random_fill(&random, nyd, yd);
        assert_ok(td_constraint_residual(model, w, q, phi));
        ck_assert_double_le(td_largest(rows, phi), 1e-13);
        assert_ok(td_closure_jacobian(model, w, y, G));
        assert_ok(td_closure(model, w, y, yd, NULL, q, qd, g));
        assert_ok(td_constraint_jacobian(model, w, q, K));
        assert_ok(td_constraint_drift(model, w, q, qd, k));
        double scale = td_largest(rows * nv, K) * td_largest(nv * nyd, G);
        for (size_t j = 0; j < nyd; j++) {
            double left = violation(rows, nv, K, G + j, nyd, NULL);
            ck_assert_msg(left <= 1e-12 * scale, "%s: K G = %.3g at p = %g", m->file, left, p[0]);
        }
        double left = violation(rows, nv, K, g, 1, k);
        scale = td_largest(rows * nv, K) * td_largest(nv, g) + td_largest(rows, k);
        ck_assert_msg(left <= 1e-12 * scale, "%s: K g - k = %.3g at p = %g", m->file, left, p[0]);
        for (size_t j = 0; j < td_joint_count(model); j++)
            if (td_joint_place_at(model, j).dependent)
                q[td_joint_place_at(model, j).q] += 0.01;
        assert_ok(td_constraint_residual(model, w, q, phi));
        ck_assert_double_gt(td_largest(rows, phi), 1e-5);
    }
}

/* Forward dynamics must invert inverse dynamics. Inverse dynamics must equal Gᵀ times inverse
   dynamics of the tree for the motion that γ makes of y, ẏ, ÿ. */
TD_LOOP_TEST(dynamics, 0, COUNT(mechanisms))
{
    const mechanism *m = &mechanisms[_i];
    td_model *model = load(m);
    td_workspace *w = test_workspace(model);
    size_t nyd = td_nyd(model);
    td_random random = {5};
    double q[MOST], qd[MOST], qdd[MOST], y[MOST], yd[MOST], ydd[MOST], p[PARAMETERS];
    double tau[MOST], tau_y[MOST], projected[MOST], back[MOST];
    for (int state = 0; state < 50; state++) {
        draw(m, &random, p);
        ck_assert(configuration(m, model, p, q));
        independent_of(model, q, y);
        td_random_fill(&random, nyd, yd);
        td_random_fill(&random, nyd, ydd);
        assert_ok(td_inverse_dynamics(model, w, y, yd, ydd, NULL, tau_y));
        assert_ok(td_closure(model, w, y, yd, ydd, q, qd, qdd));
        assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, qd, qdd, NULL, tau)));
        assert_ok(td_project_force(model, w, y, tau, projected));
        td_assert_close(nyd, tau_y, projected, 1e-11, td_largest(nyd, tau_y));
        assert_ok(td_forward_dynamics(model, w, y, yd, tau_y, NULL, back));
        td_assert_close(nyd, back, ydd, 1e-8, 1);
    }
}

/* ---- four-bars of all classes ------------------------------------------------------------------
 */

/* The range of the crank, from an assembled start, in which the linkage can move; infinite if the
   crank makes full turns. */
typedef struct class
{
    const char *name;
    td_four_bar bars;
    double start, lower, upper;
} class;

static double crank_limit(const td_four_bar *b, double reach)
{
    return acos((b->crank * b->crank + b->ground * b->ground - reach * reach) /
                (2 * b->crank * b->ground));
}

static size_t make_classes(class classes[5])
{
    const class made[] = {
        {"crank-rocker", {0.1, 0.25, 0.3, 0.35}, 1, -INFINITY, INFINITY},
        {"double-crank", {0.25, 0.3, 0.35, 0.1}, 1, -INFINITY, INFINITY},
        {"double-rocker", {0.3, 0.1, 0.25, 0.35}, 0.6, NAN, NAN}, /* Grashof, coupler shortest */
        {"triple-rocker", {0.3, 0.25, 0.2, 0.4}, 0.6, NAN, NAN},  /* not Grashof */
        {"change-point",
         {0.1, 0.3, 0.15, 0.35},
         1,
         -3.14159265358979323846,
         3.14159265358979323846},
    };
    for (size_t i = 0; i < COUNT(made); i++) {
        classes[i] = made[i];
        const td_four_bar *b = &made[i].bars;
        if (isnan(made[i].upper)) { /* coupler and rocker extended; folded for the lower limit */
            double fold = fabs(b->coupler - b->rocker);
            classes[i].upper = crank_limit(b, b->coupler + b->rocker);
            bool folds = fold > fabs(b->ground - b->crank);
            classes[i].lower = folds ? crank_limit(b, fold) : -classes[i].upper;
        }
    }
    return COUNT(made);
}

static void add_bar(td_builder *builder, const char *name, double length)
{
    td_link link = td_link_default(name);
    link.has_inertial = true;
    link.mass = 2 * length;
    link.inertial.position[0] = length / 2;
    link.inertia[0] = 1e-5;
    link.inertia[3] = link.inertia[5] = link.mass * length * length / 12;
    assert_ok(td_builder_add_link(builder, &link));
}

static void add_pin(td_builder *builder, const char *name, const char *parent, const char *child,
                    double x, double angle, int independent)
{
    td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, child);
    joint.origin.position[0] = x;
    td_rotation_from_rpy(0, -angle, 0, joint.origin.rotation);
    joint.axis[0] = 0;
    joint.axis[1] = -1;
    joint.independent = independent;
    assert_ok(td_builder_add_joint(builder, &joint));
}

/* The four-bar at a start on that branch, driven by the crank or by the rocker. Joint angles are
   measured from the ground (crank, rocker) and from the crank (coupler). */
static td_model *build_four_bar(const td_four_bar *bars, double start, int branch, bool by_rocker)
{
    double angles[2];
    ck_assert(td_four_bar_angles(bars, start, branch, angles));
    td_builder *builder = test_builder("four-bar");
    td_link ground = td_link_default("ground");
    assert_ok(td_builder_add_link(builder, &ground));
    add_bar(builder, "crank", bars->crank);
    add_bar(builder, "coupler", bars->coupler);
    add_bar(builder, "rocker", bars->rocker);
    add_pin(builder, "crank_joint", "ground", "crank", 0, start, !by_rocker);
    add_pin(builder, "coupler_joint", "crank", "coupler", bars->crank, angles[0], 0);
    add_pin(builder, "rocker_joint", "ground", "rocker", bars->ground, angles[1], by_rocker);
    td_loop loop = td_loop_default("pin", "coupler", "rocker");
    loop.predecessor_origin.position[0] = bars->coupler;
    loop.successor_origin.position[0] = bars->rocker;
    loop.axis[0] = 0;
    loop.axis[1] = -1;
    assert_ok(td_builder_add_loop(builder, &loop));
    td_model *model = model_of_builder(builder, NULL);
    ck_assert_uint_eq(td_nyd(model), 1);
    return model;
}

/* q at the crank's angle, relative to the start */
static void four_bar_at(const td_four_bar *bars, double start, double crank, int branch,
                        double q[3])
{
    double now[2], then[2];
    ck_assert(td_four_bar_angles(bars, crank, branch, now));
    ck_assert(td_four_bar_angles(bars, start, branch, then));
    q[0] = crank - start;
    q[1] = now[0] - then[0];
    q[2] = now[1] - then[1];
}

/* Every class over its range, on the branch of its model and, from a start there, on the other
   branch. */
TD_LOOP_TEST(grashof_classes, 0, 10)
{
    class classes[5];
    ck_assert_uint_eq(make_classes(classes), 5);
    const class *c = &classes[_i / 2];
    int branch = _i % 2 ? 1 : -1;
    double lower = fmax(c->lower, c->start - 7), upper = fmin(c->upper, c->start + 7);
    td_model *model = build_four_bar(&c->bars, c->start, branch, false);
    for (int other = 0; other < 2; other++) {
        td_workspace *w = test_workspace(model);
        double q[3], solved[3], from[2], to[2];
        if (other) {
            ck_assert(td_four_bar_angles(&c->bars, c->start, branch, from));
            ck_assert(td_four_bar_angles(&c->bars, c->start, -branch, to));
            const double mirrored[3] = {0, to[0] - from[0], to[1] - from[1]};
            assert_ok(td_closure_start(model, w, mirrored));
        }
        for (int i = 1; i < 400; i++) {
            double crank = lower + (upper - lower) * i / 400;
            four_bar_at(&c->bars, c->start, crank, other ? -branch : branch, q);
            if (other) {
                q[1] += to[0] - from[0];
                q[2] += to[1] - from[1];
            }
            td_status status = td_closure(model, w, q, NULL, NULL, solved, NULL, NULL);
            ck_assert_msg(status == TD_OK, "%s, crank %g: %s", c->name, crank,
                          td_status_text(status));
            double error = apart(model, solved, q);
            ck_assert_msg(error <= 1e-10, "%s, crank %g: off by %.3g", c->name, crank, error);
        }
    }
}

/* Beyond the dead points no assembly exists, and the report names the loop. Near them, the smallest
   singular value decreases to zero as the square root of the distance. */
TD_LOOP_TEST(dead_points, 0, 2)
{
    class classes[5];
    make_classes(classes);
    const class *c = &classes[2 + _i];
    td_model *model = build_four_bar(&c->bars, c->start, -1, false);
    td_workspace *w = test_workspace(model);
    td_closure_report far = {.size_of = sizeof far}, near = {.size_of = sizeof near};
    double y = c->upper - c->start - 1e-2, q[3];
    assert_ok(td_closure_examine(model, w, &y, &far));
    y = c->upper - c->start - 1e-6;
    assert_ok(td_closure_examine(model, w, &y, &near));
    double fall = (near.smallest / near.largest) / (far.smallest / far.largest);
    ck_assert_double_gt(fall, 0.003);
    ck_assert_double_lt(fall, 0.03);
    for (int beyond = 0; beyond < 2; beyond++) {
        double residual;
        y = beyond ? c->lower - c->start - 0.02 : c->upper - c->start + 0.02;
        ck_assert_int_eq(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL), TD_ERROR_ASSEMBLY);
        ck_assert_uint_eq(td_failed_loop(w, &residual), 0);
        ck_assert_str_eq(td_loop_at(model, 0)->name, "pin");
        ck_assert_double_gt(residual, 1e-6);
        ck_assert_double_lt(residual, 0.1);
    }
    y = 0; /* the model still works */
    assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
    ck_assert_double_le(td_largest(3, q), 1e-12);
}

/* The change-point linkage is flat at half a turn, where branches meet. */
TD_TEST(change_point)
{
    class classes[5];
    make_classes(classes);
    const class *c = &classes[4];
    td_model *model = build_four_bar(&c->bars, c->start, -1, false);
    td_workspace *w = test_workspace(model);
    double y = pi - c->start;
    td_closure_report report = {.size_of = sizeof report};
    td_closure_examine(model, w, &y, &report);
    ck_assert_int_eq(report.status, TD_ERROR_CLOSURE_SINGULAR);
    ck_assert_double_lt(report.smallest, 1e-6 * report.largest);
}

/* A crank-rocker driven by its rocker has dead points where crank and coupler are in line. */
TD_TEST(driven_by_the_rocker)
{
    static const td_four_bar b = {0.1, 0.25, 0.3, 0.35};
    td_model *model = build_four_bar(&b, 1.8, -1, true);
    td_workspace *w = test_workspace(model);
    double start[2], q[3], solved[3], ends[2];
    ck_assert(td_four_bar_angles(&b, 1.8, -1, start));
    for (int i = 0; i < 2; i++) { /* angle at the rocker's pivot with crank and coupler in line */
        double reach = b.coupler + (i ? 1 : -1) * b.crank;
        ends[i] = pi -
                  acos((b.ground * b.ground + b.rocker * b.rocker - reach * reach) /
                       (2 * b.ground * b.rocker)) -
                  start[1];
    }
    for (int i = 0; i < 2; i++) {
        double y = ends[i] + copysign(0.02, ends[i]);
        ck_assert_int_eq(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL), TD_ERROR_ASSEMBLY);
        y = ends[i] - copysign(0.02, ends[i]);
        assert_ok(td_closure(model, w, &y, NULL, NULL, solved, NULL, NULL));
        four_bar_at(&b, 1.8, 1.8 + solved[0], -1, q);
        ck_assert_double_le(apart(model, solved, q), 1e-10);
    }
}

/* ---- Stephenson III ----------------------------------------------------------------------------
 */

/* The published angles of the initial guess hold to three decimals. The other linkage has no
   assembly for θ2 in (213.47°, 223.85°), where the first turns fully. */
TD_TEST(stephenson_printed)
{
    static const double printed[4][4] = {{11.992, 99.096, 135.872, 247.808},
                                         {3.849, 133.699, 145.299, 238.487},
                                         {336.683, 93.317, 127.620, 236.310},
                                         {356.044, 71.980, 129.586, 251.060}};
    static const int branch[2] = {1, -1};
    double angles[4];
    for (int i = 0; i < 4; i++) {
        ck_assert(td_stephenson_angles(0, i * pi / 2, branch, angles));
        for (int k = 0; k < 4; k++)
            ck_assert_double_le(fabs(remainder(angles[k] - printed[i][k] * degree, 2 * pi)),
                                5.1e-4 * degree);
    }
    for (int i = 0; i < 36000; i++) {
        bool none = i >= 21348 && i <= 22384, some = i <= 21346 || i >= 22386;
        bool assembles = td_stephenson_angles(1, i * degree / 100, branch, angles);
        ck_assert(!(none && assembles) && !(some && !assembles));
        ck_assert(td_stephenson_angles(0, i * degree / 100, branch, angles));
    }
}

/* γ must give the published angles of the initial guess, to three decimals. */
TD_TEST(stephenson_angles)
{
    static const double printed[4][4] = {{11.992, 99.096, 135.872, 247.808},
                                         {3.849, 133.699, 145.299, 238.487},
                                         {336.683, 93.317, 127.620, 236.310},
                                         {356.044, 71.980, 129.586, 251.060}};
    td_model *model = load(&mechanisms[1]);
    td_workspace *w = test_workspace(model);
    const size_t coupler = td_joint_place_at(model, td_joint_index(model, "coupler_joint")).q;
    const size_t rocker = td_joint_place_at(model, td_joint_index(model, "rocker_joint")).q;
    const size_t arm = td_joint_place_at(model, td_joint_index(model, "arm_joint")).q;
    const size_t bar = td_joint_place_at(model, td_joint_index(model, "output_bar_joint")).q;
    for (int i = 0; i < 4; i++) {
        double y = i * pi / 2, q[MOST];
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        const double turned_by[4] = {q[coupler] + y, q[rocker], q[arm], q[arm] + q[bar]};
        for (int k = 0; k < 4; k++) {
            double expected = (printed[i][k] - printed[0][k]) * degree;
            ck_assert_double_le(fabs(remainder(turned_by[k] - expected, 2 * pi)), 1.1e-3 * degree);
        }
    }
}

/* No assembly exists for θ2 in (213.47°, 223.85°); the other side of the gap is reached only
   backwards. */
TD_TEST(stephenson_gap)
{
    static const double inside[] = {213.5, 214, 218, 222, 223.8};
    td_model *model = load(&mechanisms[2]);
    td_workspace *w = test_workspace(model);
    double q[MOST], y, expected[MOST];
    for (size_t i = 0; i < COUNT(inside); i++) {
        y = inside[i] * degree;
        ck_assert_int_eq(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL), TD_ERROR_ASSEMBLY);
        ck_assert_str_eq(td_loop_at(model, td_failed_loop(w, NULL))->name, "coupler_rocker");
    }
    static const double outside[] = {213.4, 200, -136.1, -100};
    for (size_t i = 0; i < COUNT(outside); i++) {
        y = outside[i] * degree;
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        ck_assert(td_stephenson_form(model, &y, expected));
        ck_assert_double_le(apart(model, q, expected), 1e-10);
    }
    w = test_workspace(model);
    y = 230 * degree; /* assembled there, but not by the path across the gap */
    td_status status = td_closure(model, w, &y, NULL, NULL, q, NULL, NULL);
    ck_assert_int_eq(status, TD_ERROR_BRANCH);
}

/* ---- PASIBOT and LARM --------------------------------------------------------------------------
 */

/* Position of a point of a link in units of the crank, and the angle of the link's x about −y */
static void place(const td_model *model, td_workspace *w, const double *y, const char *link,
                  double x, double out[3])
{
    const double point[3] = {0.03 * x, 0, 0};
    double moved[9], poses[12 * MOST_LINKS];
    size_t index = td_link_index(model, link);
    assert_ok(td_point_motion(model, w, index, point, y, NULL, NULL, moved));
    assert_ok(td_link_poses(model, w, y, poses));
    out[0] = moved[0] / 0.03;
    out[1] = moved[2] / 0.03;
    out[2] = atan2(poses[12 * index + 8], poses[12 * index]);
}

/* The coupler's end follows a straight line within 0.01 crank lengths over half a turn. The foot
   moves along its image, inverted and twice as large. Both robots. Recomputed from the paper's
   equations: C = (0, −4), (2, −4), (4, −4), foot (6, −28), (2, −28), (−2, −28) at 90, 180, 270°. */
TD_LOOP_TEST(leg_of_pasibot, 0, 2)
{
    td_model *model = load(&mechanisms[3 + _i]);
    td_workspace *w = test_workspace(model);
    for (int i = 0; i <= 90; i++) {
        double y = 2 * i * degree, C[3], E[3];
        place(model, w, &y, "coupler", 5, C);
        place(model, w, &y, "tibia", 18, E);
        ck_assert_double_le(fabs(C[1] + 4), 0.00975);
        ck_assert_double_le(fabs(E[0] - (2 - 2 * (C[0] - 2))), 1e-12);
        ck_assert_double_le(fabs(E[1] - (-12 - 2 * (C[1] + 12))), 1e-12);
        if (i % 45 == 0) {
            ck_assert_double_le(fabs(C[0] - i / 22.5), 1e-12);
            ck_assert_double_le(fabs(C[1] + 4), 1e-12);
            ck_assert_double_le(fabs(E[0] - (6 - i / 11.25)), 1e-12);
        }
    }
}

/* The foot stays parallel to the stabilizer (θ1 = θ10), which is at 12.359° for θ8 = 0. */
TD_TEST(foot_of_pasibot)
{
    td_model *model = load(&mechanisms[4]);
    td_workspace *w = test_workspace(model);
    double bar[3], foot[3];
    for (int i = -20; i <= 20; i++) {
        double y = 0.3 * i;
        place(model, w, &y, "stabiliser", 4.2, bar);
        place(model, w, &y, "foot", 0, foot);
        ck_assert_double_le(fabs(remainder(bar[2] - foot[2], 2 * pi)), 1e-12);
        ck_assert_double_le(fabs(bar[1] + 4), 1e-12); /* in the slot */
    }
    double y = -pi / 2;
    place(model, w, &y, "foot", 0, foot);
    ck_assert_double_le(fabs(foot[2] - 12.359 * degree), 0.0005 * degree);
}

/* The LARM leg has 8 links and 10 joints; 3 joints close loops. Link 1 is joined to four others,
   links 4 and 5 to three, the rest to two. It has one degree of freedom. */
TD_TEST(topology_of_larm)
{
    static const char *const links[] = {"frame", "crank",        "rocker",       "coupler",
                                        "femur", "upper_tendon", "lower_tendon", "tibia"};
    static const int degrees[] = {4, 2, 2, 3, 3, 2, 2, 2};
    td_model *model = load(&mechanisms[3]);
    ck_assert_uint_eq(td_link_count(model), 8);
    ck_assert_uint_eq(td_joint_count(model) + td_loop_count(model), 10);
    ck_assert_uint_eq(td_joint_count(model), 7);
    ck_assert_uint_eq(td_nyd(model), 1);
    for (int i = 0; i < 8; i++) {
        int degree_of = 0;
        for (size_t j = 0; j < td_joint_count(model); j++)
            degree_of += strcmp(td_joint_at(model, j)->parent, links[i]) == 0 ||
                         strcmp(td_joint_at(model, j)->child, links[i]) == 0;
        for (size_t j = 0; j < td_loop_count(model); j++)
            degree_of += strcmp(td_loop_at(model, j)->predecessor, links[i]) == 0 ||
                         strcmp(td_loop_at(model, j)->successor, links[i]) == 0;
        ck_assert_int_eq(degree_of, degrees[i]);
    }
}

/* ---- five-bar ----------------------------------------------------------------------------------
 */

/* Pin forces under the paper's force at D, (500, 150) N and 150 down, on an accelerating platform.
   The values in x of (A, B, C, O) are recomputed from equations 9 to 12 and the table, and those in
   y likewise. The paper neglects link accelerations relative to the platform, so links are at rest
   here. Its moments cannot be reproduced. */
TD_LOOP_TEST(five_bar_forces, 0, 4)
{
    static const struct {
        double acceleration, x[4];
    } cases[] = {
        {0, {500, 500, 500, 500}},
        {40, {32.8, 327.2, 458.0, 544.0}},
        {-40, {967.2, 672.8, 542.0, 456.0}},
        {42.808219178082192, {0, 315.0684931506849, 455.05136986301366, 547.0890410958904}}};
    static const double down[4] = {264.58, 192.38, 160.30, 139.21};
    static const char *const joints[] = {"A", "B", "C", "O"};
    td_load_options options = td_load_options_default();
    options.gravity[0] = -cases[_i].acceleration;
    td_model *model = td_load_robot("five_bar.urdf", &options);
    td_workspace *w = test_workspace(model);
    double q[4] = {0}, poses[12 * 5], wrenches[6 * 5] = {0}, reactions[6 * 4];
    TD_IN_TREE(w, td_link_poses(model, w, q, poses));
    size_t CD = td_link_index(model, "CD"), DO = td_link_index(model, "DO");
    const double F[3] = {500, 0, -150}, tip[2] = {0.203, 0.170};
    for (int k = 0; k < 2; k++) { /* equal and opposite at the ends of CD and DO */
        size_t link = k ? DO : CD;
        double *f = wrenches + 6 * link;
        const double *X = poses + 12 * link;
        const double arm[3] = {X[0] * tip[k], X[4] * tip[k], X[8] * tip[k]};
        for (int i = 0; i < 3; i++)
            f[3 + i] = k ? -F[i] : F[i];
        for (int i = 0; i < 3; i++)
            f[i] = arm[(i + 1) % 3] * f[3 + (i + 2) % 3] - arm[(i + 2) % 3] * f[3 + (i + 1) % 3];
    }
    td_forces forces = td_forces_default();
    forces.wrenches = wrenches;
    forces.wrench_frame = TD_FRAME_ALIGNED;
    assert_ok(TD_IN_TREE(
        w, td_joint_reactions(model, w, q, NULL, NULL, &forces, TD_FRAME_ALIGNED, reactions)));
    for (int i = 0; i < 4; i++) {
        const double *r = reactions + 6 * td_joint_index(model, joints[i]);
        double side = i < 3 ? -1 : 1; /* first three: forces on the preceding link */
        ck_assert_double_le(fabs(side * r[3] - cases[_i].x[i]), 1e-9);
        ck_assert_double_le(fabs(fabs(r[5]) - down[i]), 0.005);
    }
    /* The motors that balance this: the loop transmits exactly that force (τ_c), which vanishes
       when reduced to the two independent joints. */
    double tau[4], none[2] = {0}, held[2], reduced[2], tau_c[4], J[6 * 4], Jo[6 * 4];
    const double end[2][3] = {{0.203, 0, 0}, {0.170, 0, 0}};
    assert_ok(TD_IN_TREE(w, td_inverse_dynamics(model, w, q, NULL, NULL, &forces, tau)));
    assert_ok(td_project_force(model, w, none, tau, reduced));
    assert_ok(td_inverse_dynamics(model, w, none, NULL, NULL, NULL, held));
    td_assert_close(2, held, reduced, 1e-12, 100);
    assert_ok(td_constraint_force(model, w, none, NULL, NULL, tau, NULL, tau_c));
    TD_IN_TREE(w, td_link_jacobian(model, w, CD, end[0], q, TD_FRAME_ALIGNED, J));
    TD_IN_TREE(w, td_link_jacobian(model, w, DO, end[1], q, TD_FRAME_ALIGNED, Jo));
    for (int j = 0; j < 4; j++) {
        double force = 0;
        for (int i = 0; i < 3; i++)
            force += F[i] * (J[(3 + i) * 4 + j] - Jo[(3 + i) * 4 + j]);
        ck_assert_double_le(fabs(tau_c[j] - force), 1e-10);
    }
}

/* ---- CaPaMan -----------------------------------------------------------------------------------
 */

/* Platform at cranks of (38.36, 47.18, 47.18)° (the paper's input of 13:55) and (60, 80, 100)°:
   center (mm), tilt and slides, recomputed. */
TD_TEST(capaman_poses)
{
    static const struct {
        double alpha[3], H[3], tilt, slide[3];
    } cases[] = {
        {{38.36, 47.18, 47.18}, {-0.0353, 5.5779, 155.669}, 1.380, {-6.730, -1.787, -11.462}},
        {{60, 80, 100}, {-16.0810, 26.6688, 175.6171}, NAN, {-16.517, 30.762, -15.433}},
        {{90, 90, 90}, {0, 0, 180}, 0, {0, 0, 0}}};
    td_model *model = load(&mechanisms[6]);
    td_workspace *w = test_workspace(model);
    size_t platform = td_link_index(model, "platform");
    const double centre[3] = {-0.25, 0, 0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double y[3], H[9], q[MOST], poses[12 * MOST_LINKS];
        for (int k = 0; k < 3; k++)
            y[k] = (cases[i].alpha[k] - 90) * degree;
        assert_ok(td_point_motion(model, w, platform, centre, y, NULL, NULL, H));
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_link_poses(model, w, y, poses));
        for (int k = 0; k < 3; k++) {
            char name[16];
            snprintf(name, sizeof name, "slide_%d", k + 1);
            double s = q[td_joint_place_at(model, td_joint_index(model, name)).q];
            ck_assert_double_le(fabs(1e3 * H[k] - cases[i].H[k]), 6e-4);
            ck_assert_double_le(fabs(1e3 * s - cases[i].slide[k]), 6e-4);
        }
        if (!isnan(cases[i].tilt))
            ck_assert_double_le(
                fabs(acos(fmin(1, poses[12 * platform + 10])) / degree - cases[i].tilt), 6e-4);
    }
}

/* ---- Goldberg ----------------------------------------------------------------------------------
 */

/* θ1 + θ4 = π and θ2 + θ3 + θ5 = ±π for the 5R, θ6 = −θ3 for the 6R. Measured from the reference,
   these sums of joint angles stay zero, although no file states it. */
TD_TEST(goldberg_relations)
{
    td_random random = {6};
    for (int kind = 0; kind < 2; kind++) {
        const mechanism *m = &mechanisms[7 + kind];
        td_model *model = load(m);
        td_workspace *w = test_workspace(model);
        for (int i = 0; i < 50; i++) {
            double y, q[6];
            draw(m, &random, &y);
            assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
            if (kind == 0) {
                ck_assert_double_le(fabs(q[0] + q[3]), 1e-12);
                ck_assert_double_le(fabs(q[1] + q[2] + q[4]), 1e-12);
            } else {
                ck_assert_double_le(fabs(q[2] + q[5]), 1e-11);
            }
        }
    }
}

/* At θ1 = 1, 2 and −1.3 the published forms I and II of the 6R have no solution. The solutions that
   exist lie beyond the fold or the bifurcation at θ1 = 0, on another branch (forms III and IV). */
TD_TEST(goldberg_without_solution)
{
    static const double theta1[] = {1, 2, -1.3};
    td_model *model = load(&mechanisms[8]);
    td_workspace *w = test_workspace(model);
    double q[6], unused[6], y;
    for (size_t i = 0; i < COUNT(theta1); i++) {
        ck_assert(!td_goldberg_6r(theta1[i], 1, unused) && !td_goldberg_6r(theta1[i], -1, unused));
        y = theta1[i] - 0.5;
        td_status status = td_closure(model, w, &y, NULL, NULL, q, NULL, NULL);
        ck_assert_msg(status == TD_ERROR_ASSEMBLY || status == TD_ERROR_BRANCH, "%g: %s", theta1[i],
                      td_status_text(status));
        ck_assert_uint_eq(td_failed_loop(w, NULL), 0);
    }
}

TD_TEST(goldberg_bifurcation)
{
    td_model *model = load(&mechanisms[8]);
    td_workspace *w = test_workspace(model);
    td_closure_report near = {.size_of = sizeof near}, nearer = {.size_of = sizeof nearer};
    double y = 0.05 - 0.5;
    assert_ok(td_closure_examine(model, w, &y, &near));
    y = 0.005 - 0.5;
    assert_ok(td_closure_examine(model, w, &y, &nearer));
    double fall = (nearer.smallest / nearer.largest) / (near.smallest / near.largest);
    ck_assert_double_gt(fall, 0.05);
    ck_assert_double_lt(fall, 0.2); /* linear in θ1 */
    y = -0.5;
    td_closure_examine(model, w, &y, &nearer);
    ck_assert_int_eq(nearer.status, TD_ERROR_CLOSURE_SINGULAR);
    ck_assert_double_lt(nearer.smallest, 1e-6 * nearer.largest);
}

/* The lower form of the 6R, from a start on that form. */
TD_TEST(goldberg_forms)
{
    td_model *model = load(&mechanisms[8]);
    td_workspace *w = test_workspace(model);
    double first[6], now[6], start[6], q[6], y;
    ck_assert(td_goldberg_6r(0.5, 1, first) && td_goldberg_6r(0.5, -1, now));
    for (int k = 0; k < 6; k++)
        start[k] = now[k] - first[k];
    assert_ok(td_closure_start(model, w, start));
    for (int i = 0; i <= 20; i++) {
        y = -0.4 + 0.03 * i;
        ck_assert(td_goldberg_6r(0.5 + y, -1, now));
        for (int k = 0; k < 6; k++)
            start[k] = now[k] - first[k];
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        ck_assert_double_le(apart(model, q, start), 1e-10);
    }
}

/* Forms III and IV have no published closed form. From starts found by a search, θ6 = θ3 holds all
   along the motion with the loop closed. Both forms exist where forms I and II do not. */
TD_LOOP_TEST(goldberg_other_forms, 0, 2)
{
    static const double found[2][6] = {{2, 2.4996, -0.7847, 1.7647, 2.2643, -0.7847},
                                       {2, 2.4996, 2.7862, -2.2643, -1.7647, 2.7862}};
    td_model *model = load(&mechanisms[8]);
    td_workspace *w = test_workspace(model);
    double first[6], start[6], q[6];
    ck_assert(td_goldberg_6r(0.5, 1, first));
    for (int k = 0; k < 6; k++)
        start[k] = found[_i][k] - first[k];
    assert_ok(td_closure_start(model, w, start));
    for (int i = 0; i <= 20; i++) {
        double y = 0.9 + 0.08 * i - 0.5;
        assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
        ck_assert_double_le(gap(model, w, q), 1e-13);
        ck_assert_double_le(fabs(remainder(q[2] + first[2] - q[5] - first[5], 2 * pi)), 1e-10);
    }
}

/* ---- spherical 3-RPR ---------------------------------------------------------------------------
 */

/* Table 1 of the paper does not satisfy its equations. These recomputed values do (x0 = 1). */
static const double assemblies[8][3] = {
    {0.145498016695828, 0.506364082658689, -1.083158786974750},
    {-0.758770336016534, -1.394175382122719, -0.512152707528791},
    {-0.431123120288130, -1.276490406888350, 0.175460092446279},
    {0.544432220303866, 1.123616760442600, 0.743272759597359},
    {1.460511632967822, -1.893458653149401, 0.895067735348404},
    {0.897505377389117, 1.279577012285541, 0.943612702887018},
    {-1.519014746052980, 1.216591545748853, 1.774900878649109},
    {-2.597854461801996, -0.208893207983994, 3.287058039378756},
};

/* All eight assemblies at the same three lengths, each from a start rounded to about 1e-3. */
TD_LOOP_TEST(eight_assemblies, 0, 8)
{
    td_model *model = load(&mechanisms[9]);
    td_workspace *w = test_workspace(model);
    td_random random = {7};
    double q[12], rough[12], noise[12], solved[12];
    const double y[3] = {0, 0, 0};
    ck_assert(td_spherical_form(model, assemblies[_i], q));
    /* the ball's middle angle follows from its sine */
    const size_t middle = td_joint_place_at(model, td_joint_index(model, "ball_y")).q;
    ck_assert_double_le(gap(model, w, q), 2e-15 / cos(q[middle]));
    td_random_fill(&random, 12, noise);
    for (int k = 0; k < 12; k++)
        rough[k] = q[k] + 1e-3 * noise[k];
    for (int k = 0; k < 3; k++)
        rough[td_joint_place_at(model, td_independent_joint(model, (size_t)k)).q] = 0;
    assert_ok(td_closure_start(model, w, rough));
    assert_ok(td_closure(model, w, y, NULL, NULL, solved, NULL, NULL));
    ck_assert_double_le(apart(model, solved, q), 1e-10);
}

/* The paper's quadratic curve from s5 to s8 (equation 19, with recomputed ends) meets no
   singularity. The platform follows the lengths from one assembly to the other, and the lengths
   return to their initial values. */
TD_TEST(change_of_assembly)
{
    td_model *model = load(&mechanisms[9]);
    td_workspace *w = test_workspace(model);
    static const double middle[3] = {1.2, -5, 10};
    double q[12], solved[12], y[3], p[3];
    for (int i = 0; i <= 400; i++) {
        double t = i / 400.0;
        for (int k = 0; k < 3; k++)
            p[k] = assemblies[4][k] * (1 - t) * (1 - t) + middle[k] * t * (1 - t) +
                   assemblies[7][k] * t * t;
        ck_assert(td_spherical_form(model, p, q));
        independent_of(model, q, y);
        if (i == 0)
            assert_ok(td_closure_start(model, w, q));
        td_status status = td_closure(model, w, y, NULL, NULL, solved, NULL, NULL);
        ck_assert_msg(status == TD_OK, "t = %g: %s", t, td_status_text(status));
        double error = apart(model, solved, q);
        ck_assert_msg(error <= 1e-9, "t = %g: off by %.3g", t, error);
        assert_ok(td_closure_start(model, w, solved));
    }
    ck_assert_double_le(td_largest(3, y), 1e-12);
}

/* ---- Gough–Stewart platform --------------------------------------------------------------------
 */

/* Equal legs of 437, 558.5 and 680 mm lift the parallel platform to 430.461, 553.398 and 675.816
   mm, for any pose of the first platform. */
TD_TEST(stewart_heights)
{
    static const double length[] = {0.437, 0.5585, 0.680}, height[] = {430.461, 553.398, 675.816};
    td_model *model = load(&mechanisms[10]);
    td_workspace *w = test_workspace(model);
    td_random random = {8};
    double y[13], poses[12 * MOST_LINKS];
    ck_assert_uint_eq(td_ny(model), 13);
    const double *A = poses + 12 * td_link_index(model, "platform_1");
    const double *B = poses + 12 * td_link_index(model, "platform_2");
    for (int i = 0; i < 30; i++) {
        td_random_fill(&random, 7, y);
        td_normalize(model, TD_COORDINATES_INDEPENDENT, y);
        for (int k = 0; k < 6; k++)
            y[7 + k] = length[i % 3] - 0.5585;
        assert_ok(td_link_poses(model, w, y, poses));
        for (int row = 0; row < 3; row++) {
            double lift = B[4 * row + 3] - A[4 * row + 3];
            ck_assert_double_le(fabs(lift - A[4 * row + 2] * height[i % 3] * 1e-3), 5.1e-7);
            for (int k = 0; k < 3; k++)
                ck_assert_double_le(fabs(A[4 * row + k] - B[4 * row + k]), 1e-12);
        }
    }
}

/* ---- leg with linear actuators -----------------------------------------------------------------
 */

/* Lengths of the four actuators, and their rows of G, which are the lever arms of the closed
   form. */
TD_TEST(linear_actuators)
{
    static const char *const names[] = {"hip_actuator", "knee_actuator", "ankle_left_actuator",
                                        "ankle_right_actuator"};
    td_model *model = load(&mechanisms[11]);
    td_workspace *w = test_workspace(model);
    td_random random = {9};
    for (size_t i = 0; i < 4; i++) /* closed form at hinges, but not at the ankle */
        ck_assert_int_eq(td_loop_place_at(model, i).form,
                         i < 2 ? TD_LOOP_FORM_CLOSED_FORM : TD_LOOP_FORM_ITERATED);
    for (int state = 0; state < 50; state++) {
        double p[6], q[MOST], y[6], lengths[4], J[24], G[16 * 6];
        draw(&mechanisms[11], &random, p);
        td_linear_leg_lengths(p, lengths, J);
        ck_assert(td_linear_leg_form(model, p, q));
        independent_of(model, q, y);
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        assert_ok(td_closure_jacobian(model, w, y, G));
        for (int i = 0; i < 4; i++) {
            td_joint_place at = td_joint_place_at(model, td_joint_index(model, names[i]));
            ck_assert_double_le(fabs(q[at.q] - lengths[i]), 1e-12);
            td_assert_close(6, G + 6 * at.qd, J + 6 * i, 1e-12, 0.1);
        }
    }
}
