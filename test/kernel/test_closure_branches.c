/* SPDX-License-Identifier: MIT */
/*
 * γ stays on the branch of its start. TD_OK is returned only if the straight path from the start to
 * y closes everywhere, with the configuration at the end of that path. This is compared with an
 * independent path, which takes small fixed steps in tree coordinates and uses only φ and K of the
 * library. Mechanisms are hundreds of random ones: planar, spherical, spatial and over-constrained,
 * with joints of all types, one or several loops, near and far, in single calls and batches. Others
 * are known to mislead path following.
 */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "model/model.h"
#include "multipliers.h"
#include "td_test.h"

enum { MOST = 40, MOST_LINKS = 24 };

/* ---- mechanisms ------------------------------------------------------------------------------ */

/* A robot under construction: the poses of its links at q = 0, in the world. Link 0 is the
   ground. */
typedef struct mechanism {
    td_builder *builder;
    int links, loops;
    td_pose at[MOST_LINKS];
    char name[MOST_LINKS][8];
    td_random *random;
} mechanism;

static void multiply(const double *a, bool transposed, const double *b, int columns, double *out)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < columns; j++) {
            out[i * columns + j] = 0;
            for (int k = 0; k < 3; k++)
                out[i * columns + j] += a[transposed ? 3 * k + i : 3 * i + k] * b[k * columns + j];
        }
}

/* a world pose relative to a link */
static td_pose seen_from(const td_pose *link, const td_pose *pose)
{
    td_pose out;
    double arm[3];
    for (int k = 0; k < 3; k++)
        arm[k] = pose->position[k] - link->position[k];
    multiply(link->rotation, true, arm, 1, out.position);
    multiply(link->rotation, true, pose->rotation, 3, out.rotation);
    return out;
}

static void add_link(mechanism *m)
{
    snprintf(m->name[m->links], sizeof m->name[0], "l%d", m->links);
    td_link link = td_link_default(m->name[m->links]);
    link.has_inertial = m->links > 0;
    link.mass = 1 + 0.5 * td_random_number(m->random);
    link.inertia[0] = link.inertia[3] = link.inertia[5] = 0.1;
    for (int k = 0; k < 3; k++)
        link.inertial.position[k] = 0.1 * td_random_number(m->random);
    assert_ok(td_builder_add_link(m->builder, &link));
    m->links++;
}

static mechanism mechanism_new(td_random *random)
{
    mechanism m = {.builder = test_builder("mechanism"), .random = random};
    m.at[0] = (td_pose)TD_POSE_IDENTITY;
    add_link(&m);
    return m;
}

/* Adds a joint at a world point with an axis in the world; its link's frame is rotated at random.
   Returns the link. */
static int add_joint(mechanism *m, int parent, td_joint_type type, const double point[3],
                     const double axis[3], int independent)
{
    char name[16];
    int child = m->links;
    snprintf(name, sizeof name, "j%d", child);
    add_link(m);
    td_pose *at = &m->at[child];
    memcpy(at->position, point, sizeof at->position);
    td_random_rotation(m->random, at->rotation);
    td_joint joint = td_joint_default(name, type, m->name[parent], m->name[child]);
    joint.origin = seen_from(&m->at[parent], at);
    multiply(at->rotation, true, axis, 1, joint.axis);
    joint.limit.lower = -100, joint.limit.upper = 100;
    joint.limit.effort = joint.limit.velocity = 1;
    joint.independent = independent;
    assert_ok(td_builder_add_joint(m->builder, &joint));
    return child;
}

/* Adds a loop between two links with its frame at a world point and an axis in the world. */
static void add_loop(mechanism *m, int predecessor, int successor, td_loop_type type,
                     const double point[3], const double axis[3])
{
    char name[16];
    snprintf(name, sizeof name, "loop%d", m->loops++);
    td_loop loop = td_loop_default(name, m->name[predecessor], m->name[successor]);
    td_pose at = TD_POSE_IDENTITY;
    memcpy(at.position, point, sizeof at.position);
    loop.type = type;
    memcpy(loop.axis, axis, sizeof loop.axis);
    loop.predecessor_origin = seen_from(&m->at[predecessor], &at);
    loop.successor_origin = seen_from(&m->at[successor], &at);
    assert_ok(td_builder_add_loop(m->builder, &loop));
}

static void random_point(td_random *random, double size, double point[3])
{
    for (int k = 0; k < 3; k++)
        point[k] = size * td_random_number(random);
}

static void random_direction(td_random *random, double axis[3])
{
    double length = 0;
    while (length < 0.1) {
        random_point(random, 1, axis);
        length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    }
    for (int k = 0; k < 3; k++)
        axis[k] /= length;
}

static const double z_axis[3] = {0, 0, 1};

/* A planar polygon of revolute joints, at most one prismatic joint, and sometimes a planar one. As
   a spatial loop it has three redundant constraints. */
static void build_planar(mechanism *m)
{
    int joints = 3 + (int)td_random_below(m->random, 2);
    bool slides = td_random_below(m->random, 3) == 0, planar = td_random_below(m->random, 4) == 0;
    int ends[2] = {0, 0};
    double point[3], way[3] = {1, 0, 0};
    for (int k = 0; k < joints; k++) {
        random_point(m->random, 0.5, point);
        point[0] += 0.4 * k, point[2] = 0;
        td_joint_type type = slides && k == 1   ? TD_JOINT_PRISMATIC
                             : planar && k == 2 ? TD_JOINT_PLANAR
                                                : TD_JOINT_CONTINUOUS;
        double angle = 3 * td_random_number(m->random);
        way[0] = cos(angle), way[1] = sin(angle);
        int *end = &ends[td_random_below(m->random, 2)];
        *end = add_joint(m, *end, type, point, type == TD_JOINT_PRISMATIC ? way : z_axis, -1);
    }
    random_point(m->random, 0.5, point);
    point[2] = 0;
    add_loop(m, ends[0], ends[1],
             td_random_below(m->random, 3) ? TD_LOOP_REVOLUTE : TD_LOOP_SPHERICAL, point, z_axis);
}

/* Two coplanar loops that share a crank: all dependent coordinates may flip at once. */
static void build_two_loops(mechanism *m)
{
    double point[3] = {0, 0, 0}, tip[3];
    int crank = add_joint(m, 0, TD_JOINT_CONTINUOUS, point, z_axis, 1);
    double length = 0.6 + 0.3 * td_random_number(m->random);
    for (int side = 0; side < 2; side++) {
        double ground[3] = {(side ? -1 : 1) * (1 + 0.2 * td_random_number(m->random)),
                            0.2 * td_random_number(m->random), 0};
        double crank_end[3] = {length * cos(0.9), length * sin(0.9), 0};
        for (int k = 0; k < 3; k++)
            tip[k] = ground[k] + (k == 1 ? 0.5 + 0.1 * td_random_number(m->random) : 0.1);
        tip[2] = 0;
        int coupler = add_joint(m, crank, TD_JOINT_CONTINUOUS, crank_end, z_axis, -1);
        int rocker = add_joint(m, 0, TD_JOINT_CONTINUOUS, ground, z_axis, -1);
        add_loop(m, coupler, rocker, TD_LOOP_REVOLUTE, tip, z_axis);
    }
}

/* Revolute joints whose axes meet at one point. */
static void build_spherical(mechanism *m)
{
    int joints = 3 + (int)td_random_below(m->random, 2), ends[2] = {0, 0};
    double centre[3], axis[3], point[3];
    random_point(m->random, 0.3, centre);
    for (int k = 0; k <= joints; k++) {
        random_direction(m->random, axis);
        for (int i = 0; i < 3; i++)
            point[i] = centre[i] + 0.4 * axis[i];
        if (k == joints) {
            add_loop(m, ends[0], ends[1], TD_LOOP_REVOLUTE, point, axis);
            return;
        }
        int *end = &ends[k == 0 ? 0 : td_random_below(m->random, 2)];
        *end = add_joint(m, *end, TD_JOINT_CONTINUOUS, point, axis, -1);
    }
}

/* Joints of all types anywhere, closed by a loop of any type. */
static void build_spatial(mechanism *m)
{
    static const struct {
        td_loop_type type;
        int held;
    } loops[] = {{TD_LOOP_SPHERICAL, 3}, {TD_LOOP_REVOLUTE, 5}, {TD_LOOP_CYLINDRICAL, 4},
                 {TD_LOOP_PLANAR, 3},    {TD_LOOP_FIXED, 6},    {TD_LOOP_PRISMATIC, 5}};
    size_t kind = td_random_below(m->random, sizeof loops / sizeof *loops);
    int wanted = loops[kind].held + 1 + (int)td_random_below(m->random, 2), ends[2] = {0, 0};
    bool planar = td_random_below(m->random, 3) == 0, floating = td_random_below(m->random, 4) == 0;
    double point[3], axis[3];
    for (int have = 0; have < wanted;) {
        td_joint_type type =
            td_random_below(m->random, 4) ? TD_JOINT_CONTINUOUS : TD_JOINT_PRISMATIC;
        if (floating && loops[kind].held == 6)
            type = TD_JOINT_FLOATING, floating = false;
        else if (planar)
            type = TD_JOINT_PLANAR, planar = false;
        have += type == TD_JOINT_FLOATING ? 6 : type == TD_JOINT_PLANAR ? 3 : 1;
        random_point(m->random, 0.8, point);
        random_direction(m->random, axis);
        int *end = &ends[td_random_below(m->random, 2)];
        *end = add_joint(m, *end, type, point, axis, -1);
    }
    random_point(m->random, 0.8, point);
    random_direction(m->random, axis);
    add_loop(m, ends[0], ends[1], loops[kind].type, point, axis);
}

/* A free body on legs: a floating joint, and slides on the ground connected to points of the body
   by distances. The body or the slides are independent. */
static void build_platform(mechanism *m)
{
    static const double far_away[3] = {0, 0, 1};
    bool body_first = td_random_below(m->random, 2) == 0;
    double axis[3] = {0, 0, 1}, point[3] = {0.05, -0.02, 0.9}, foot[3], head[3];
    int body = add_joint(m, 0, TD_JOINT_FLOATING, point, axis, body_first);
    for (int leg = 0; leg < 6; leg++) {
        double angle = 1.0472 * leg + (leg % 2 ? -0.35 : 0.35), at = angle + (leg % 2 ? -0.3 : 0.3);
        for (int k = 0; k < 3; k++) {
            foot[k] = (k == 0   ? cos(angle)
                       : k == 1 ? sin(angle)
                                : 0) +
                      0.03 * td_random_number(m->random);
            head[k] = 0.5 * (k == 0   ? cos(at)
                             : k == 1 ? sin(at)
                                      : 0) +
                      far_away[k] + 0.03 * td_random_number(m->random);
        }
        for (int k = 0; k < 3; k++)
            axis[k] = (k == 2) - 0.2 * foot[k];
        int slide = add_joint(m, 0, TD_JOINT_PRISMATIC, foot, axis, !body_first);
        td_pose heads = TD_POSE_IDENTITY;
        char name[16];
        snprintf(name, sizeof name, "leg%d", leg);
        td_loop loop = td_loop_default(name, m->name[slide], m->name[body]);
        memcpy(heads.position, head, sizeof head);
        loop.type = TD_LOOP_DISTANCE;
        loop.successor_origin = seen_from(&m->at[body], &heads);
        loop.distance = 0;
        for (int k = 0; k < 3; k++)
            loop.distance += (head[k] - foot[k]) * (head[k] - foot[k]);
        loop.distance = sqrt(loop.distance);
        assert_ok(td_builder_add_loop(m->builder, &loop));
    }
}

/* Six links of length 1 and six revolute joints, all along the edges of a cube (Bricard 1897). */
static void build_bricard(mechanism *m)
{
    static const double corner[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                        {1, 1, 1}, {0, 1, 1}, {0, 0, 1}};
    /* the axis at a corner is at right angles to the two links that meet there */
    double axis[3];
    int last = 0;
    for (int k = 0; k < 6; k++) {
        const double *a = corner[(k + 5) % 6], *b = corner[k], *c = corner[(k + 1) % 6];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, l = (i + 2) % 3;
            axis[i] = (b[j] - a[j]) * (c[l] - b[l]) - (b[l] - a[l]) * (c[j] - b[j]);
        }
        if (k < 5)
            last = add_joint(m, last, TD_JOINT_CONTINUOUS, b, axis, k == 0 ? 1 : -1);
        else
            add_loop(m, last, 0, TD_LOOP_REVOLUTE, b, axis);
    }
}

static void (*const families[])(mechanism *) = {build_planar, build_two_loops, build_spherical,
                                                build_spatial, build_platform};
enum { FAMILIES = sizeof families / sizeof *families };

/* ---- an independent path --------------------------------------------------------------------- */

typedef struct path {
    td_model *model;
    td_workspace *w;
    size_t nq, nv, ny, rows, dependents;
    size_t dependent[MOST]; /* velocities of the tree */
    double reference[MOST]; /* q */
    double *K, *phi;
    double nearest; /* smallest over largest pivot of the dependent columns along the path */
    double reached;
} path;

static bool is_floating(const path *p, size_t joint)
{
    return td_joint_at(p->model, joint)->type == TD_JOINT_FLOATING;
}

static void find_dependents(path *p)
{
    p->dependents = 0;
    for (size_t i = 0; i < td_movable_count(p->model); i++) {
        td_joint_place place = td_joint_place_at(p->model, td_movable_joint(p->model, i));
        for (size_t k = 0; k < place.nv; k++)
            if (place.dependents >> k & 1)
                p->dependent[p->dependents++] = place.qd + k;
    }
}

static path path_new(td_model *model)
{
    path p = {.model = model, .w = test_workspace(model)};
    p.nq = td_nq(model), p.nv = td_nv(model), p.ny = td_ny(model);
    p.rows = td_constraint_count(model);
    ck_assert(p.nq <= MOST && p.nv <= MOST);
    p.K = test_calloc(p.rows * p.nv + 1, sizeof *p.K);
    p.phi = test_calloc(p.rows + 1, sizeof *p.phi);
    memcpy(p.reference, td_reference(model, TD_COORDINATES_TREE), p.nq * sizeof *p.reference);
    find_dependents(&p);
    return p;
}

/* converts between q and its independent entries y */
static void exchange(const path *p, bool to_q, double *q, double *y)
{
    for (size_t i = 0; i < td_independent_count(p->model); i++) {
        td_joint_place place = td_joint_place_at(p->model, td_independent_joint(p->model, i));
        for (size_t k = 0, n = 0; k < place.nq; k++) {
            if (place.nq == place.nv && (place.dependents >> k & 1))
                continue;
            double *a = to_q ? &q[place.q + k] : &y[place.y + n];
            *a = to_q ? y[place.y + n] : q[place.q + k];
            n++;
        }
    }
}

/* y at fraction t of the straight path from a to b */
static void along(const path *p, const double *a, const double *b, double t, double *y)
{
    for (size_t i = 0; i < td_independent_count(p->model); i++) {
        size_t joint = td_independent_joint(p->model, i);
        td_joint_place place = td_joint_place_at(p->model, joint);
        double cosine = 0, norm = 0;
        for (size_t k = 3; is_floating(p, joint) && k < 7; k++)
            cosine += a[place.y + k] * b[place.y + k];
        for (size_t k = place.y; k < place.y + place.ny; k++) {
            double side = cosine < 0 && k >= place.y + 3 ? -1 : 1;
            y[k] = t == 1 ? b[k] : (1 - t) * a[k] + t * side * b[k];
            norm += k >= place.y + 3 ? y[k] * y[k] : 0;
        }
        for (size_t k = 3; is_floating(p, joint) && k < 7; k++)
            y[place.y + k] /= sqrt(norm);
    }
}

/* Computes the step of the dependent coordinates that removes φ, by Gram-Schmidt on their columns
   of K. Returns its length, and records the ratio of the smallest pivot to the largest column. */
static double newton_step(path *p, const double *q, double *step)
{
    size_t m = p->rows, n = p->dependents;
    double Q[MOST * 64], R[MOST * MOST], largest = 0, smallest = INFINITY, length = 0;
    ck_assert_uint_le(m, 64);
    td_constraint_residual(p->model, p->w, q, p->phi);
    td_constraint_jacobian(p->model, p->w, q, p->K);
    for (size_t j = 0; j < n; j++) {
        double *c = Q + j * m, before = 0, after = 0;
        for (size_t i = 0; i < m; i++) {
            c[i] = p->K[i * p->nv + (size_t)p->dependent[j]];
            before += c[i] * c[i];
        }
        for (int twice = 0; twice < 2; twice++)
            for (size_t k = 0; k < j; k++) {
                double dot = 0;
                for (size_t i = 0; i < m; i++)
                    dot += Q[k * m + i] * c[i];
                for (size_t i = 0; i < m; i++)
                    c[i] -= dot * Q[k * m + i];
                R[k * n + j] = twice ? R[k * n + j] + dot : dot;
            }
        for (size_t i = 0; i < m; i++)
            after += c[i] * c[i];
        R[j * n + j] = sqrt(after);
        for (size_t i = 0; i < m; i++)
            c[i] /= R[j * n + j];
        largest = fmax(largest, sqrt(before));
        smallest = fmin(smallest, sqrt(after));
    }
    for (size_t j = n; j-- > 0;) {
        double x = 0;
        for (size_t i = 0; i < m; i++)
            x -= Q[j * m + i] * p->phi[i];
        for (size_t k = j + 1; k < n; k++)
            x -= R[j * n + k] * step[k];
        step[j] = x / R[j * n + j];
        length = fmax(length, fabs(step[j]));
    }
    p->nearest = fmin(p->nearest, smallest / largest);
    return length;
}

/* moves the dependent coordinates of q by a step; the others do not move */
static void move(const path *p, double *q, const double *step)
{
    double qd[MOST] = {0}, from[MOST];
    for (size_t j = 0; j < p->dependents; j++)
        qd[p->dependent[j]] = step[j];
    memcpy(from, q, p->nq * sizeof *q);
    td_integrate(p->model, TD_COORDINATES_TREE, from, qd, 1, q);
}

/* Returns whether Newton's method closes q with small corrections only. */
static bool close_up(path *p, double *q, double most)
{
    double step[MOST];
    for (int n = 0; n < 8; n++) {
        double length = newton_step(p, q, step);
        if (!(length < most))
            return false;
        move(p, q, step);
        if (length < 1e-11)
            return td_largest(p->rows, p->phi) < 1e-9;
    }
    return false;
}

/* Follows the path from the reference to y in steps of at most 0.004 in y, smaller where the
   dependent coordinates move faster. Stores q there, or returns false where the path ends. */
static bool walk(path *p, const double *y, double *q)
{
    double from[MOST], at[MOST], tried[MOST], most = 0, t = 0;
    exchange(p, false, p->reference, from);
    for (size_t k = 0; k < p->ny; k++)
        most = fmax(most, fabs(y[k] - from[k]));
    double longest = 0.004 / fmax(most, 0.004), h = longest;
    memcpy(q, p->reference, p->nq * sizeof *q);
    p->nearest = 1;
    while (t < 1 && h > 1e-7 * longest) {
        memcpy(tried, q, p->nq * sizeof *q);
        double next = t + h > 1 ? 1 : t + h;
        along(p, from, y, next, at);
        exchange(p, true, tried, at);
        if (!close_up(p, tried, 0.02)) {
            h *= 0.5;
            continue;
        }
        memcpy(q, tried, p->nq * sizeof *q);
        t = next;
        h = fmin(longest, 2 * h);
    }
    p->reached = t;
    return t == 1;
}

/* ---- the library against that path ----------------------------------------------------------- */

typedef struct tally {
    int closed, ended, near_singular;
} tally;

static void random_target(const path *p, td_random *random, double reach, double *y)
{
    double move_by[MOST] = {0}, from[MOST];
    exchange(p, false, (double *)p->reference, from);
    for (size_t k = 0; k < td_nyd(p->model); k++)
        move_by[k] = reach * td_random_number(random);
    td_integrate(p->model, TD_COORDINATES_INDEPENDENT, from, move_by, 1, y);
}

/* One y: a single call from the reference, and a row of a batch. */
static void compare_at(path *p, const double *y, tally *counts)
{
    double expected[MOST], q[MOST], rows[3 * MOST], found[3 * MOST];
    td_status each[3];
    bool closes = walk(p, y, expected);
    td_closure_start(p->model, p->w, NULL);
    td_status status = td_closure(p->model, p->w, y, NULL, NULL, q, NULL, NULL);
    for (int row = 0; row < 3; row++)
        memcpy(rows + row * (int)p->ny, y, p->ny * sizeof *y);
    for (size_t k = 0; k < p->ny; k++) /* the previous row stays at the reference */
        rows[k] = 0;
    exchange(p, false, p->reference, rows);
    td_batch_closure(p->model, p->w, 3, rows, NULL, NULL, found, NULL, NULL, each);
    assert_ok(each[0]);
    ck_assert_msg(each[1] == status && each[2] == status, "batch says %s, a single call %s",
                  td_status_text(each[1]), td_status_text(status));
    double path_part = td_failed_path(p->w);
    if (status == TD_OK) {
        double difference = td_largest_difference(p->nq, q, expected);
        ck_assert_msg(closes, "TD_OK, but the path ends at %.6f (pivots down to %.2g)", p->reached,
                      p->nearest);
        ck_assert_msg(difference < 1e-6 || (difference < 1e-4 && p->nearest < 1e-4),
                      "TD_OK, but %.3g away from where the path leads (pivots down to %.2g)",
                      difference, p->nearest);
        td_assert_close(p->nq, found + p->nq, q, 1e-9, 1 + td_largest(p->nq, q));
        counts->closed++;
        return;
    }
    ck_assert_msg(status == TD_ERROR_ASSEMBLY || status == TD_ERROR_BRANCH ||
                      status == TD_ERROR_CLOSURE_SINGULAR,
                  "%s", td_status_text(status));
    ck_assert(path_part >= 0 && path_part <= 1);
    if (closes && p->nearest < 0.02) {
        counts->near_singular++; /* too close to a singular position to distinguish the two */
        return;
    }
    ck_assert_msg(!closes, "%s at %.4f, but the path leads there (pivots down to %.2g)",
                  td_status_text(status), path_part, p->nearest);
    counts->ended++;
}

enum { MECHANISMS = 60, NEAR = 3, FAR = 3 };

TD_LOOP_TEST(random_mechanisms, 0, FAMILIES)
{
    td_random random = {(uint64_t)(700 + _i)};
    tally counts = {0, 0, 0};
    const int mechanisms = shared_cases(MECHANISMS);
    for (int n = 0; n < mechanisms; n++) {
        mechanism m = mechanism_new(&random);
        families[_i](&m);
        td_model *model = model_of_builder(m.builder, NULL);
        path p = path_new(model);
        double y[MOST];
        for (int k = 0; td_loop_cluster_count(model) > 0 && k < NEAR + FAR; k++) {
            random_target(&p, &random, k < NEAR ? 0.3 : 3, y);
            compare_at(&p, y, &counts);
        }
    }
    ck_assert_int_ge(counts.closed, mechanisms);
    ck_assert_int_le(counts.near_singular, counts.closed / 5);
    if (getenv("TANDEM_VERBOSE"))
        fprintf(stderr, "family %d: %d closed, %d ended, %d near singular\n", _i, counts.closed,
                counts.ended, counts.near_singular);
}

/* in steps of 0.02 rad, far past the point where another sheet comes near */
TD_TEST(bricard)
{
    td_random random = {5};
    mechanism m = mechanism_new(&random);
    build_bricard(&m);
    path p = path_new(model_of_builder(m.builder, NULL));
    tally counts = {0, 0, 0};
    for (int k = -150; k <= 150; k += 2) {
        double y = 0.02 * k;
        compare_at(&p, &y, &counts);
    }
    ck_assert_int_ge(counts.closed, 80);
}

/* ---- joints of several coordinates that loops determine in part ------------------------------ */

/* Checks K G = 0 and K g = k at a closed state. Checks forward dynamics against inverse dynamics,
   and against equations of motion with multipliers in tree coordinates. Tolerances are relative to
   the largest numbers that cancel. */
static void check_dynamics(path *p, td_random *random, const double *y)
{
    const td_model *model = p->model;
    size_t n = td_nyd(model), nv = p->nv, m = p->rows;
    double *G = doubles(nv * n), *yd = doubles(n), *tau = doubles(n), *ydd = doubles(n);
    double *q = doubles(p->nq), *qd = doubles(nv), *qdd = doubles(nv), *x = doubles(m + nv);
    double *k = doubles(m), *tau_tree = doubles(nv), *back = doubles(n), *held = doubles(nv);
    td_random_fill(random, n, yd);
    td_random_fill(random, n, tau);
    assert_ok(td_closure(model, p->w, y, yd, NULL, q, qd, qdd));
    assert_ok(td_closure_jacobian(model, p->w, y, G));
    assert_ok(td_constraint_jacobian(model, p->w, q, p->K));
    assert_ok(td_constraint_residual(model, p->w, q, p->phi));
    ck_assert(td_largest(m, p->phi) < 1e-12);
    mat_times(nv, n, G, yd, x);
    td_assert_close(nv, x, qd, 1e-13, td_largest(nv, qd));
    mat_times(m, nv, p->K, qd, x);
    ck_assert(td_largest(m, x) < 1e-12 * (1 + td_largest(nv, qd)));
    assert_ok(td_constraint_drift(model, p->w, q, qd, k));
    mat_times(m, nv, p->K, qdd, x);
    td_assert_close(m, x, k, 1e-11, 1 + td_largest(nv, qdd));

    assert_ok(td_forward_dynamics(model, p->w, y, yd, tau, NULL, ydd));
    assert_ok(td_inverse_dynamics(model, p->w, y, yd, ydd, NULL, back));
    double lever = 1 + td_largest(nv * n, G);
    td_assert_close(n, back, tau, 1e-11, lever * lever * (1 + td_largest(n, ydd)));
    /* the force tau on the independent coordinates is a force of the tree */
    for (size_t i = 0, at = 0; i < td_independent_count(model); i++) {
        td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        for (size_t c = 0; c < place.nv; c++)
            if (!(place.dependents >> c & 1))
                tau_tree[place.qd + c] = tau[at++];
    }
    assert_ok(td_closure(model, p->w, y, yd, ydd, NULL, NULL, qdd));
    /* the tree's H may be singular although the robot's is not */
    if (multipliers_accelerations(model, p->w, q, qd, tau_tree, NULL, 0, 0, held, NULL))
        td_assert_close(nv, held, qdd, 1e-9, lever * (1 + td_largest(nv, qdd)));
}

TD_LOOP_TEST(dynamics, 0, FAMILIES)
{
    td_random random = {(uint64_t)(40 + _i)};
    int planar = 0, floating = 0, checked = 0;
    for (int n = 0; n < MECHANISMS; n++) {
        mechanism m = mechanism_new(&random);
        families[_i](&m);
        path p = path_new(model_of_builder(m.builder, NULL));
        double y[MOST], q[MOST];
        td_closure_report report = {.size_of = sizeof report};
        random_target(&p, &random, 0.3, y);
        if (td_loop_cluster_count(p.model) > 0 &&
            td_closure_examine(p.model, p.w, y, &report) == TD_OK &&
            report.smallest > 0.05 * report.largest &&
            td_closure(p.model, p.w, y, NULL, NULL, q, NULL, NULL) == TD_OK) {
            check_dynamics(&p, &random, y);
            checked++;
            for (size_t i = 0; i < td_joint_count(p.model); i++) {
                td_joint_place place = td_joint_place_at(p.model, i);
                planar += place.nv == 3 && place.dependents;
                floating += place.nv == 6 && place.dependent;
            }
        }
    }
    ck_assert_int_ge(checked, MECHANISMS / 4);
    if (families[_i] == build_planar || families[_i] == build_spatial)
        ck_assert_int_ge(planar, 3);
    if (families[_i] == build_platform)
        ck_assert_int_ge(floating, 3);
}

/* A table that slides in a plane, with a rod whose end is pinned to the ground. The table is on a
   planar joint, or on two prismatic joints and a revolute one. */
static td_model *pinned_table(bool planar)
{
    td_random random = {11};
    mechanism m = mechanism_new(&random);
    static const double at[3] = {0, 0, 0}, x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0},
                        pin[3] = {1, 0, 0};
    int table;
    if (planar) {
        table = add_joint(&m, 0, TD_JOINT_PLANAR, at, z_axis, -1);
    } else {
        table = add_joint(&m, 0, TD_JOINT_PRISMATIC, at, x_axis, 0);
        table = add_joint(&m, table, TD_JOINT_PRISMATIC, at, y_axis, 1);
        table = add_joint(&m, table, TD_JOINT_CONTINUOUS, at, z_axis, 1);
    }
    int rod = add_joint(&m, table, TD_JOINT_CONTINUOUS, at, z_axis, 0);
    add_loop(&m, 0, rod, TD_LOOP_REVOLUTE, pin, z_axis);
    return model_of_builder(m.builder, NULL);
}

/* Both models have the mobility of the closed mechanism: one planar joint counts as three scalar
   joints. */
TD_TEST(planar_joint_in_a_loop)
{
    td_model *planar = pinned_table(true), *scalar = pinned_table(false);
    ck_assert_uint_eq(td_nyd(planar), 2);
    ck_assert_uint_eq(td_nyd(scalar), 2);
    td_joint_place place = td_joint_place_at(planar, 0);
    ck_assert(!place.dependent && place.ny == place.nyd && place.cluster == 0);
    ck_assert_uint_eq(place.nyd, 3 - (size_t)__builtin_popcount(place.dependents));
}

/* A slider on a crank that is longer than the rod by 0.003: no assembly for cranks between 1.49 and
   1.65. */
static mechanism build_gap_slider(void)
{
    td_random random = {3};
    mechanism m = mechanism_new(&random);
    static const double origin[3] = {0, 0, 0}, end[3] = {1.003, 0, 0}, slide[3] = {2.003, 0, 0},
                        x_axis[3] = {1, 0, 0};
    int crank = add_joint(&m, 0, TD_JOINT_CONTINUOUS, origin, z_axis, 1);
    int slider = add_joint(&m, 0, TD_JOINT_PRISMATIC, slide, x_axis, 0);
    td_pose at = TD_POSE_IDENTITY;
    td_loop loop = td_loop_default("rod", m.name[crank], m.name[slider]);
    memcpy(at.position, end, sizeof end);
    loop.type = TD_LOOP_DISTANCE;
    loop.distance = 1;
    loop.predecessor_origin = seen_from(&m.at[crank], &at);
    assert_ok(td_builder_add_loop(m.builder, &loop));
    return m;
}

/* The slider by a closure function that is right only near the reference. */
static int careless_slider(const void *context, const double *y, const double *yd, double *x,
                           double *G, double *G_rate)
{
    (void)context;
    double c = cos(*y), s = sin(*y), a = 1.003, root = sqrt(fmax(0, 1 - a * a * s * s));
    double slope = -a * s - a * a * s * c / root;
    *x = a * c + root - 2.003 + (fabs(*y) > 0.5 ? 0.01 : 0);
    *G = slope;
    if (G_rate)
        *G_rate = *yd * (-a * c - a * a * (c * c - s * s) / root -
                         a * a * a * a * s * s * c * c / (root * root * root));
    return 0;
}

/* With a user-supplied closure, too, TD_OK guarantees that φ of its loops vanishes. */
TD_TEST(registered)
{
    static const char *const dependent[] = {"j2"}, *const independent[] = {"j1"};
    td_closure_function f = {.size_of = sizeof f,
                             .name = "slider",
                             .solve = careless_slider,
                             .dependent = dependent,
                             .dependents = 1,
                             .independent = independent,
                             .independents = 1};
    td_load_options options = td_load_options_default();
    options.closures = &f;
    options.closure_count = 1;
    mechanism m = build_gap_slider();
    td_model *model = model_of_builder(m.builder, &options);
    td_workspace *w = test_workspace(model);
    double ys[3] = {0.4, 0.6, -0.3}, q[6], residual = 0;
    td_status each[3];
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(td_closure(model, w, &ys[k], NULL, NULL, q, NULL, NULL),
                         k == 1 ? TD_ERROR_ASSEMBLY : TD_OK);
    td_closure(model, w, &ys[1], NULL, NULL, q, NULL, NULL);
    ck_assert_uint_eq(td_failed_loop(w, &residual), 0);
    ck_assert(residual > 0.005 && residual < 0.02);
    ck_assert_int_eq(td_batch_closure(model, w, 3, ys, NULL, NULL, q, NULL, NULL, each),
                     TD_ERROR_ASSEMBLY);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(each[k], k == 1 ? TD_ERROR_ASSEMBLY : TD_OK);
}

TD_TEST(gap)
{
    static const struct {
        double crank;
        td_status status;
        double part; /* fraction of the path that closes: the gap begins at asin(1 / 1.003) */
    } cases[] = {{1.4, TD_OK, 1},
                 {-1.4, TD_OK, 1},
                 {1.57, TD_ERROR_ASSEMBLY, 1.4933 / 1.57},
                 {1.72, TD_ERROR_BRANCH, 1.4933 / 1.72},
                 {1.8, TD_ERROR_BRANCH, 1.4933 / 1.8},
                 {3.1, TD_ERROR_BRANCH, 1.4933 / 3.1},
                 {-2.5, TD_ERROR_BRANCH, 1.4933 / 2.5}};
    mechanism m = build_gap_slider();
    td_model *model = model_of_builder(m.builder, NULL);
    td_workspace *w = test_workspace(model);
    double q[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_closure_report report = {.size_of = sizeof report};
        td_closure_start(model, w, NULL);
        ck_assert_int_eq(td_closure_examine(model, w, &cases[i].crank, &report), cases[i].status);
        ck_assert(fabs(report.reached - cases[i].part) < 1e-3);
        ck_assert(fabs(td_failed_path(w) - cases[i].part) < 1e-3);
        ck_assert_uint_le(report.iterations, 1000);
        /* small steps, each from the last closed configuration, get no farther */
        td_status status = TD_OK;
        for (int k = 1; k <= 400 && status == TD_OK; k++) {
            double at = cases[i].crank * k / 400;
            status = td_closure(model, w, &at, NULL, NULL, q, NULL, NULL);
        }
        ck_assert((status == TD_OK) == (cases[i].status == TD_OK));
    }
}

/* The bound on evaluations holds, and a low bound does not change results. */
TD_TEST(bounded_evaluations)
{
    static const size_t most[] = {1, 4, 30, 1000};
    td_random random = {3};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        mechanism m = mechanism_new(&random);
        build_platform(&m);
        td_load_options options = td_load_options_default();
        options.loop_evaluations = most[i];
        td_model *model = model_of_builder(m.builder, &options);
        path p = path_new(model);
        for (int k = 0; k < 20; k++) {
            double y[MOST], expected[MOST], q[MOST];
            td_closure_report report = {.size_of = sizeof report};
            random_target(&p, &random, k < 10 ? 0.2 : 3, y);
            td_closure_start(model, p.w, NULL);
            td_status status = td_closure_examine(model, p.w, y, &report);
            ck_assert_uint_le(report.iterations, most[i] + 1);
            if (status == TD_OK && td_closure(model, p.w, y, NULL, NULL, q, NULL, NULL) == TD_OK) {
                ck_assert(walk(&p, y, expected));
                ck_assert(td_largest_difference(p.nq, q, expected) < 1e-6);
            }
        }
    }
    mechanism m = mechanism_new(&random);
    build_platform(&m);
    td_load_options options = td_load_options_default();
    options.loop_evaluations = 0;
    td_model *model;
    ck_assert_int_eq(test_builder_finish(m.builder, &options, NULL, &model), TD_ERROR_ARGUMENT);
}

/* A cluster with more coordinates than the options allow causes one error with one code, before its
   matrices are allocated. A cluster with exactly the allowed number loads. */
TD_TEST(capped_cluster)
{
    td_random random = {4};
    mechanism m = mechanism_new(&random);
    build_platform(&m);
    td_load_options options = td_load_options_default();
    size_t fewest = 0;
    for (size_t most = 1; !fewest && most < 100; most++) {
        td_diagnostics *list = test_diagnostics(0);
        td_model *model;
        options.max_cluster = most;
        const td_status status = test_builder_finish(m.builder, &options, list, &model);
        if (status == TD_OK) {
            fewest = most;
        } else {
            ck_assert_int_eq(status, TD_ERROR_MODEL);
            ck_assert_ptr_null(model);
            ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
            size_t k = 0;
            while (td_diagnostics_at(list, k)->severity != TD_SEVERITY_ERROR)
                k++;
            ck_assert_str_eq(td_diagnostics_at(list, k)->code, "URDF-C055");
        }
    }
    ck_assert_uint_gt(fewest, 6); /* a platform has legs of several joints */
    options.max_cluster = 0;      /* the default */
    td_model *model = model_of_builder(m.builder, &options);
    /* Locks leave fewer coordinates. The branch, however, comes from the robot without locks, which
       exceeds the limit. */
    size_t joint = 0;
    while (td_joint_place_at(model, joint).nq != 1) /* a prismatic joint of a leg */
        joint++;
    const td_joint_position locked = {
        td_joint_at(model, joint)->name,
        td_reference(model, TD_COORDINATES_TREE)[td_joint_place_at(model, joint).q]};
    options.locked = &locked;
    options.locked_count = 1;
    options.max_cluster = fewest;
    td_model *held = model_of_builder(m.builder, &options);
    td_diagnostics *list = test_diagnostics(0);
    options.max_cluster = fewest - 1;
    ck_assert_int_eq(test_builder_finish(m.builder, &options, list, &held), TD_ERROR_MODEL);
    ck_assert_ptr_null(held);
    ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-C055"));
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
}

/* A model has the same bits in any floating-point environment of the caller. Loading does not
   change that environment and traps nothing. */
TD_TEST(environment_of_the_caller)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    td_random random = {6};
    mechanism m = mechanism_new(&random);
    build_platform(&m);
    double reference[MOST];
    for (int k = 0; k < 4; k++) {
        td_model *model;
        ck_assert_int_eq(fesetround(modes[k]), 0);
#ifdef __GLIBC__ /* traps that the processor supports: none on most 64-bit ARM */
        feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
        const int trapped = fegetexcept();
#endif
        const td_status status = test_builder_finish(m.builder, NULL, NULL, &model);
        const int mode = fegetround();
#ifdef __GLIBC__
        ck_assert_int_eq(fedisableexcept(FE_ALL_EXCEPT), trapped);
#endif
        fesetround(FE_TONEAREST);
        assert_ok(status);
        ck_assert_int_eq(mode, modes[k]);
        const size_t bytes = td_nq(model) * sizeof *reference;
        ck_assert_uint_le(bytes, sizeof reference);
        if (k == 0)
            memcpy(reference, td_reference(model, TD_COORDINATES_TREE), bytes);
        ck_assert_mem_eq(reference, td_reference(model, TD_COORDINATES_TREE), bytes);
    }
}

/* The search for another branch costs at most as much as ten successful calls over the same
   distance. */
TD_TEST(failing_calls)
{
    td_random random = {5};
    double sum[2] = {0, 0}, most = 0;
    int count[2] = {0, 0};
    for (int i = 0; i < 12; i++) {
        mechanism m = mechanism_new(&random);
        build_platform(&m);
        td_model *model = model_of_builder(m.builder, NULL);
        path p = path_new(model);
        for (int k = 0; k < 60; k++) {
            double y[MOST];
            td_closure_report report = {.size_of = sizeof report};
            random_target(&p, &random, 1, y);
            td_closure_start(model, p.w, NULL);
            const bool failed = td_closure_examine(model, p.w, y, &report) != TD_OK;
            sum[failed] += (double)report.iterations;
            count[failed]++;
            if (failed)
                most = fmax(most, (double)report.iterations);
        }
    }
    ck_assert(count[0] >= 30 && count[1] >= 30);
    const double good = sum[0] / count[0], bad = sum[1] / count[1];
    ck_assert_msg(bad <= 10 * good, "%.1f evaluations of %.1f", bad, good);
    ck_assert_msg(most <= 20 * good, "%.0f evaluations at most of %.1f", most, good);
}

/* ---- rows that start from other rows --------------------------------------------------------- */

enum { ROWS = 80 };

/* Rows of short steps from the reference, q where each starts at the end of the previous one, and
   inverse dynamics there. */
typedef struct track {
    double y[ROWS * MOST], q[ROWS * MOST], tau[ROWS * MOST];
} track;

static void walk_at_random(path *p, td_random *random, track *t)
{
    double from[MOST], step[MOST], q[MOST];
    exchange(p, false, p->reference, from);
    td_closure_start(p->model, p->w, NULL);
    for (int row = 0; row < ROWS;) {
        double *y = t->y + (size_t)row * p->ny;
        for (size_t k = 0; k < td_nyd(p->model); k++)
            step[k] = 0.2 * td_random_number(random);
        td_integrate(p->model, TD_COORDINATES_INDEPENDENT, from, step, 1, y);
        if (td_closure(p->model, p->w, y, NULL, NULL, q, NULL, NULL) != TD_OK)
            continue;
        memcpy(from, y, p->ny * sizeof *from);
        row++;
    }
}

static void take_track(const path *p, track *t)
{
    const size_t n = td_nyd(p->model);
    td_closure_start(p->model, p->w, NULL);
    for (size_t row = 0; row < ROWS; row++)
        assert_ok(td_closure(p->model, p->w, t->y + row * p->ny, NULL, NULL, t->q + row * p->nq,
                             NULL, NULL));
    td_closure_start(p->model, p->w, NULL);
    for (size_t row = 0; row < ROWS; row++)
        assert_ok(td_inverse_dynamics(p->model, p->w, t->y + row * p->ny, NULL, NULL, NULL,
                                      t->tau + row * n));
}

/* Rows that start from the previous row have the bits of single calls one after the other, for any
   number of threads. They do not change the state that single calls remember. */
static void rows_from_before(const path *p, track *t, size_t threads)
{
    const size_t ny = p->ny, nq = p->nq, n = td_nyd(p->model);
    double q[ROWS * MOST], tau[ROWS * MOST], memory[MOST], after[MOST], lost[MOST];
    td_status each[ROWS];
    td_workspace *w = test_workspace_threads(p->model, threads);
    assert_ok(td_closure_rows(p->model, w, TD_ROW_START_BEFORE, NULL, 0));
    td_closure_remember(p->model, w, memory);
    assert_ok(td_batch_closure(p->model, w, ROWS, t->y, NULL, NULL, q, NULL, NULL, each));
    ck_assert_mem_eq(q, t->q, ROWS * nq * sizeof *q);
    td_closure_remember(p->model, w, after);
    ck_assert_mem_eq(memory, after, nq * sizeof *memory);
    assert_ok(td_batch_inverse_dynamics(p->model, w, ROWS, t->y, NULL, NULL, NULL, tau, each));
    ck_assert_mem_eq(tau, t->tau, ROWS * n * sizeof *tau);
    /* a failed row in between affects no other row */
    memcpy(lost, t->y + 40 * ny, ny * sizeof *lost);
    t->y[40 * ny] = NAN;
    ck_assert_int_eq(td_batch_closure(p->model, w, ROWS, t->y, NULL, NULL, q, NULL, NULL, each),
                     TD_ERROR_NOT_FINITE);
    memcpy(t->y + 40 * ny, lost, ny * sizeof *lost);
    for (size_t row = 0; row < ROWS; row++) {
        ck_assert_int_eq(each[row], row == 40 ? TD_ERROR_NOT_FINITE : TD_OK);
        ck_assert(row == 40 ? isnan(q[row * nq])
                            : td_largest_difference(nq, q + row * nq, t->q + row * nq) < 1e-6);
    }
}

/* Rows with given starts do not depend on their order. */
static void rows_from_given(const path *p, const track *t)
{
    const size_t ny = p->ny, nq = p->nq;
    double y[ROWS * MOST], starts[ROWS * MOST], q[ROWS * MOST];
    for (size_t row = 0; row < ROWS; row++) { /* backwards, each from the row before it in time */
        const size_t from = ROWS - 1 - row;
        memcpy(y + row * ny, t->y + from * ny, ny * sizeof *y);
        memcpy(starts + row * nq, from ? t->q + (from - 1) * nq : p->reference, nq * sizeof *q);
    }
    td_workspace *w = test_workspace(p->model);
    assert_ok(td_closure_rows(p->model, w, TD_ROW_START_GIVEN, starts, ROWS - 1));
    ck_assert_int_eq(td_batch_closure(p->model, w, ROWS, y, NULL, NULL, q, NULL, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "n");
    ck_assert_int_eq(td_closure_rows(p->model, w, TD_ROW_START_GIVEN, NULL, ROWS),
                     TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_closure_rows(p->model, w, (td_row_start)3, NULL, 0), TD_ERROR_ARGUMENT);
    assert_ok(td_closure_rows(p->model, w, TD_ROW_START_GIVEN, starts, ROWS));
    assert_ok(td_batch_closure(p->model, w, ROWS, y, NULL, NULL, q, NULL, NULL, NULL));
    for (size_t row = 0; row < ROWS; row++)
        ck_assert(td_largest_difference(nq, q + row * nq, t->q + (ROWS - 1 - row) * nq) < 1e-6);
}

static void check_rows(const path *p, track *t)
{
    take_track(p, t);
    rows_from_before(p, t, 1);
    rows_from_before(p, t, 2);
    rows_from_given(p, t);
}

TD_LOOP_TEST(rows_start, 0, FAMILIES)
{
    enum { TRACKS = 4 };
    td_random random = {900 + (uint64_t)_i};
    for (int i = 0; i < TRACKS; i++) {
        mechanism m = mechanism_new(&random);
        families[_i](&m);
        path p = path_new(model_of_builder(m.builder, NULL));
        track t;
        walk_at_random(&p, &random, &t);
        check_rows(&p, &t);
    }
}

/* A point on two slides at (x, y), supported by an arm of lengths 1 and 0.5 from the origin. */
static td_model *held_point(void)
{
    static const double base[3] = {0, 0, 0}, elbow[3] = {0.875, 0.48412291827592711, 0},
                        point[3] = {1, 0, 0}, x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0};
    td_random random = {31};
    mechanism m = mechanism_new(&random);
    const int x = add_joint(&m, 0, TD_JOINT_PRISMATIC, point, x_axis, 1);
    const int y = add_joint(&m, x, TD_JOINT_PRISMATIC, point, y_axis, 1);
    const int upper = add_joint(&m, 0, TD_JOINT_CONTINUOUS, base, z_axis, 0);
    const int lower = add_joint(&m, upper, TD_JOINT_CONTINUOUS, elbow, z_axis, 0);
    add_loop(&m, lower, y, TD_LOOP_REVOLUTE, point, z_axis);
    return model_of_builder(m.builder, NULL);
}

/* The arm cannot reach closer to its base than 0.5. Half way around the base, the straight line
   from the start does not close. */
TD_TEST(rows_round_a_hole)
{
    path p = path_new(held_point());
    ck_assert_uint_eq(p.ny, 2);
    track t;
    for (size_t row = 0; row < ROWS; row++) {
        const double angle = M_PI * (double)row / (ROWS - 1);
        t.y[2 * row] = cos(angle) - 1, t.y[2 * row + 1] = sin(angle);
    }
    check_rows(&p, &t);
    td_status each[ROWS];
    double q[ROWS * MOST];
    ck_assert_int_eq(td_batch_closure(p.model, p.w, ROWS, t.y, NULL, NULL, q, NULL, NULL, each),
                     TD_ERROR_BRANCH);
    assert_ok(each[ROWS / 2]);
    ck_assert_int_eq(each[ROWS - 1], TD_ERROR_BRANCH);
}

/* A recalled start acts like a start from that configuration. States that the last state does not
   lead to are followed from there, and not from an earlier start. */
TD_TEST(starts_from_memory)
{
    path p = path_new(held_point());
    double up[MOST], down[MOST], q[MOST], memory[2][MOST];
    const double y[2] = {0.02, 0.05}, far[2] = {-2, 0};
    const double raised = atan2(0.48412291827592711, 0.875);
    const double lowered = atan2(0.48412291827592711, 0.125);
    memset(q, 0, sizeof q);
    q[2] = -2 * raised, q[3] = 2 * (lowered + raised); /* the elbow on the other side */
    for (int k = 0; k < 2; k++) {
        assert_ok(td_closure_start(p.model, p.w, k ? q : NULL));
        assert_ok(td_closure_remember(p.model, p.w, memory[k]));
        assert_ok(td_closure(p.model, p.w, y, NULL, NULL, k ? down : up, NULL, NULL));
    }
    ck_assert(up[3] < 1 && down[3] > 2);
    for (int k = 0; k < 2; k++) {
        const double *expected = k ? down : up;
        assert_ok(td_closure_start(p.model, p.w, k ? NULL : q)); /* the other start */
        assert_ok(td_closure_start_from(p.model, p.w, memory[k]));
        assert_ok(td_closure(p.model, p.w, y, NULL, NULL, q, NULL, NULL));
        ck_assert_mem_eq(q, expected, p.nq * sizeof *q);
        /* fails half way around, because the path from there crosses the hole */
        ck_assert_int_ne(td_closure(p.model, p.w, far, NULL, NULL, q, NULL, NULL), TD_OK);
        assert_ok(td_closure_recall(p.model, p.w, memory[1 - k]));
        assert_ok(td_closure_recall(p.model, p.w, NULL));
        assert_ok(td_closure(p.model, p.w, y, NULL, NULL, q, NULL, NULL));
        ck_assert_mem_eq(q, expected, p.nq * sizeof *q);
        memset(q, 0, sizeof q);
        q[2] = -2 * raised, q[3] = 2 * (lowered + raised);
    }
    ck_assert_int_eq(td_closure_start_from(p.model, p.w, NULL), TD_ERROR_ARGUMENT);
}

/* how far the elbow of that arm is bent where the point is at that distance from the origin */
static double bent_elbow(double distance)
{
    return acos((distance * distance - 1.25));
}

/* Where the arm is nearly stretched or folded, γ must succeed as far as rounding permits. This
   holds from distant and from nearby starts, for one state, batches and all instruction sets: the
   loop closes all along the path. */
TD_LOOP_TEST(next_to_dead_points, 0, 2)
{
    enum { STATES = 400 };
    if (_i)
        setenv("TANDEM_ISA", "baseline", 1);
    td_model *model = held_point();
    unsetenv("TANDEM_ISA");
    td_workspace *single = test_workspace(model), *rows = test_workspace(model);
    td_random random = {77};
    double y[2 * STATES], depth[STATES], q[4 * STATES];
    td_status each[STATES];
    for (int i = 0; i < STATES; i++) {
        depth[i] = pow(10, -6.5 + 5.5 * td_random_number(&random)); /* 1e-12 to 0.1 */
        const double distance = i % 2 ? 1.5 * (1 - depth[i]) : 0.5 * (1 + depth[i]);
        const double angle = td_random_number(&random);
        y[2 * i] = distance * cos(angle) - 1, y[2 * i + 1] = distance * sin(angle);
    }
    td_batch_closure(model, rows, STATES, y, NULL, NULL, q, NULL, NULL, each);
    int good = 0, singular = 0;
    for (int i = 0; i < STATES; i++) {
        double alone[4];
        td_closure_start(model, single, NULL);
        const td_status far = td_closure(model, single, y + 2 * i, NULL, NULL, alone, NULL, NULL);
        const double bend = bent_elbow(hypot(y[2 * i] + 1, y[2 * i + 1])), slope = fabs(sin(bend));
        if (slope < 1e-3) { /* near 1e-4, rounding takes too many digits */
            const bool lost = slope < 2e-5;
            singular += lost;
            ck_assert_msg(far == TD_ERROR_CLOSURE_SINGULAR || (!lost && far == TD_OK), "%d, %g: %s",
                          i, slope, td_status_text(far));
            ck_assert(each[i] == TD_ERROR_CLOSURE_SINGULAR || (!lost && each[i] == TD_OK));
            continue;
        }
        ck_assert_msg(far == TD_OK && each[i] == TD_OK, "%d, %g: %s, %s", i, slope,
                      td_status_text(far), td_status_text(each[i]));
        good++;
        const double moved = fabs(bend - bent_elbow(1));
        ck_assert(fabs(fabs(alone[3]) - moved) < 1e-14 / slope);
        ck_assert(fabs(fabs(q[4 * i + 3]) - moved) < 1e-14 / slope);
        /* continue from there to the next one, along the boundary */
        const double on = hypot(y[2 * i] + 1, y[2 * i + 1]), turn = 1e-2 * depth[i];
        const double next[2] = {(y[2 * i] + 1) * cos(turn) - y[2 * i + 1] * sin(turn) - 1,
                                (y[2 * i] + 1) * sin(turn) + y[2 * i + 1] * cos(turn)};
        assert_ok(td_closure(model, single, next, NULL, NULL, alone, NULL, NULL));
        ck_assert(fabs(fabs(alone[3]) - fabs(bent_elbow(on) - bent_elbow(1))) < 3e-14 / slope);
    }
    ck_assert_int_ge(good, STATES / 4);
    ck_assert_int_ge(singular, STATES / 20);
}

/* A plate in a plane on two rods from another link and one from the ground. The third rod misses
   the intersection of the first two by a small distance, so the plate's rotation is constrained
   only weakly. */
static int add_plate(mechanism *m, int base, double at_x, double miss)
{
    const double center[3] = {at_x, 0, 0};
    const int plate = add_joint(m, 0, TD_JOINT_PLANAR, center, z_axis, -1);
    for (int rod = 0; rod < 3; rod++) {
        const double c = cos(2.1 * rod), s = sin(2.1 * rod), off = rod == 2 ? miss : 0;
        td_pose at = TD_POSE_IDENTITY;
        at.position[0] = at_x + c - off * s, at.position[1] = s + off * c;
        char name[8];
        snprintf(name, sizeof name, "rod%d", m->loops++);
        const int from = rod == 2 ? 0 : base;
        td_loop loop = td_loop_default(name, m->name[from], m->name[plate]);
        loop.type = TD_LOOP_DISTANCE;
        loop.distance = 2;
        loop.successor_origin = seen_from(&m->at[plate], &at);
        at.position[0] += 2 * c, at.position[1] += 2 * s;
        loop.predecessor_origin = seen_from(&m->at[from], &at);
        assert_ok(td_builder_add_loop(m->builder, &loop));
    }
    return plate;
}

/* Two plates, one on the other, without mobility. Errors of x grow with the condition of the loops,
   and errors of G with its square. Without coordinates there is no G, so the loops may be closer to
   singular. */
TD_TEST(no_freedom)
{
    for (double miss = 0.1; miss > 1e-2; miss *= 0.5) {
        td_random random = {32};
        mechanism m = mechanism_new(&random);
        add_plate(&m, add_plate(&m, 0, 0, miss), 1, miss);
        td_model *model = model_of_builder(m.builder, NULL);
        td_workspace *w = test_workspace(model);
        ck_assert_uint_eq(td_nyd(model), 0);
        td_closure_report report = {.size_of = sizeof report};
        double q[6], energy[2], poses[3 * 12], reactions[3 * 6];
        assert_ok(td_closure_examine(model, w, NULL, &report));
        ck_assert(report.largest / report.smallest > 0.1 / (miss * miss));
        assert_ok(td_closure(model, w, NULL, NULL, NULL, q, NULL, NULL));
        for (int k = 0; k < 6; k++)
            ck_assert(fabs(q[k]) < 1e-14 / (miss * miss));
        assert_ok(td_link_poses(model, w, NULL, poses));
        assert_ok(td_energy(model, w, NULL, NULL, TD_SCOPE_MOVING, energy));
        assert_ok(td_joint_reactions(model, w, NULL, NULL, NULL, NULL, TD_FRAME_BODY, reactions));
        assert_ok(td_batch_link_poses(model, w, 1, NULL, poses, NULL));
        double tau[6] = {1, -2, 3, 2, -1, 1}, rest[6] = {0}, qdd[6];
        assert_ok(td_constrained_forward_dynamics(model, w, q, rest, tau, NULL, NULL, qdd, NULL));
        ck_assert(td_largest(6, qdd) < 1e-12); /* no force moves it */
    }
}

/* ---- four-bars ------------------------------------------------------------------------------- */

enum { CORNERS = 4 };

/* A four-bar anywhere in space, cut at one joint, with another one independent; link k is between
   the joints k and k + 1. masked: the loop joint is a mask of its constraints, so no closed form
   applies. */
typedef struct plane_bars {
    double corner[CORNERS][2];
    int ground, cut, independent;
    bool masked;
    uint64_t seed; /* of frames, and of the pose of the plane */
} plane_bars;

static td_model *bars_model(const plane_bars *b)
{
    td_random random = {b->seed};
    mechanism m = mechanism_new(&random);
    double R[9], at[3], point[CORNERS][3], axis[CORNERS][3];
    td_random_rotation(&random, R);
    random_point(&random, 1, at);
    for (int k = 0; k < CORNERS; k++) {
        const double sense = td_random_below(&random, 2) ? 1 : -1, off = td_random_number(&random);
        for (int i = 0; i < 3; i++) { /* anywhere along the axis, which is the plane's normal */
            axis[k][i] = sense * R[3 * i + 2];
            point[k][i] = at[i] + R[3 * i] * b->corner[k][0] + R[3 * i + 1] * b->corner[k][1];
            point[k][i] += k == b->cut ? 0 : off * R[3 * i + 2];
        }
    }
    int ahead = 0, back = 0;
    for (int k = (b->ground + 1) % CORNERS; k != b->cut; k = (k + 1) % CORNERS)
        ahead = add_joint(&m, ahead, TD_JOINT_CONTINUOUS, point[k], axis[k], k == b->independent);
    for (int k = b->ground; k != b->cut; k = (k + CORNERS - 1) % CORNERS)
        back = add_joint(&m, back, TD_JOINT_CONTINUOUS, point[k], axis[k], k == b->independent);
    if (b->masked) {
        td_loop loop = td_loop_default("loop", m.name[ahead], m.name[back]);
        td_pose frame = TD_POSE_IDENTITY;
        memcpy(frame.position, point[b->cut], sizeof frame.position);
        memcpy(frame.rotation, R, sizeof R);
        loop.type = TD_LOOP_MASK;
        loop.mask = 0x3b; /* all but the rotation about z */
        loop.predecessor_origin = seen_from(&m.at[ahead], &frame);
        loop.successor_origin = seen_from(&m.at[back], &frame);
        assert_ok(td_builder_add_loop(m.builder, &loop));
    } else {
        add_loop(&m, ahead, back, TD_LOOP_REVOLUTE, point[b->cut], axis[b->cut]);
    }
    return model_of_builder(m.builder, NULL);
}

/* same by small steps of the masked model; returns where they fail */
static td_status small_steps(const td_model *model, td_workspace *w, double y, double *q)
{
    const int steps = (int)(fabs(y) / 0.02) + 1;
    td_status status = TD_OK;
    td_closure_start(model, w, NULL);
    for (int k = 1; k <= steps && status == TD_OK; k++) {
        const double there = y * k / steps;
        status = td_closure(model, w, &there, NULL, NULL, q, NULL, NULL);
    }
    return status;
}

/* Four-bars of any lengths use the closed form wherever their loops close all along the path,
   including whole turns. Results and failures must agree with small steps. */
TD_LOOP_TEST(four_bars, 1, CORNERS + 1)
{
    enum { BARS = 40, PLACES = 12 };
    td_random random = {(uint64_t)(1500 + _i)};
    int turning = 0, stopped = 0;
    for (int n = 0; n < BARS; n++) {
        plane_bars b = {.ground = (int)td_random_below(&random, 4), .seed = 3000 + (uint64_t)n};
        b.cut = (b.ground + _i) % CORNERS;
        do
            b.independent = (int)td_random_below(&random, 4);
        while (b.independent == b.cut);
        for (int k = 0; k < CORNERS; k++) {
            b.corner[k][0] = (k == 1 || k == 2) + 0.6 * td_random_number(&random);
            b.corner[k][1] = (k > 1) * (n % 3 ? 1 : 0.3) + 0.4 * td_random_number(&random);
        }
        td_model *model = bars_model(&b);
        b.masked = true;
        td_model *masked = bars_model(&b);
        ck_assert_int_eq((int)td_loop_place_at(model, 0).form, TD_LOOP_FORM_CLOSED_FORM);
        ck_assert_int_eq((int)td_loop_place_at(masked, 0).form, TD_LOOP_FORM_ITERATED);
        td_workspace *w = test_workspace(model), *v = test_workspace(masked);
        double y[PLACES], rows[3 * PLACES];
        td_status each[PLACES];
        for (int k = 0; k < PLACES; k++)
            y[k] = (k % 2 ? 14 : 2) * td_random_number(&random);
        td_batch_closure(model, w, PLACES, y, NULL, NULL, rows, NULL, NULL, each);
        for (int k = 0; k < PLACES; k++) {
            double q[3], expected[3], yd = 1, qd[3], qdd[3], other_d[3], other_dd[3];
            const td_status status = small_steps(masked, v, y[k], expected);
            td_closure_start(model, w, NULL);
            const td_status found = td_closure(model, w, &y[k], &yd, NULL, q, qd, qdd);
            ck_assert_msg((found == TD_OK) == (status == TD_OK) && found == each[k],
                          "%d, %g: %s, in a batch %s, by small steps %s", n, y[k],
                          td_status_text(found), td_status_text(each[k]), td_status_text(status));
            stopped += status != TD_OK;
            turning += status == TD_OK && fabs(y[k]) > 7;
            if (status != TD_OK)
                continue;
            assert_ok(td_closure(masked, v, &y[k], &yd, NULL, expected, other_d, other_dd));
            const double lever = 1 + td_largest(3, other_d);
            td_assert_close(3, q, expected, 1e-12 * lever, 10);
            td_assert_close(3, rows + 3 * k, expected, 1e-12 * lever, 10);
            td_assert_close(3, qd, other_d, 1e-11 * lever, lever);
            td_assert_close(3, qdd, other_dd, 1e-10 * lever, 1 + td_largest(3, other_dd));
        }
    }
    ck_assert_int_ge(turning, 20);
    ck_assert_int_ge(stopped, 20);
}

/* ---- ladders: chains of four-bars that drive each other -------------------------------------- */

/* crank, coupler, rocker and ground of a four-bar in the plane */
typedef struct four_bar {
    double crank, coupler, rocker, ground;
} four_bar;

enum { MOST_RUNGS = 40 };

/* The rocker of rung k is the crank of rung k + 1. All cranks are supported by the ground side by
   side. At q = 0 they point up, and the couplers are along the ground. Joints: crank, then a
   coupler and a rocker per rung. */
static td_model *ladder(const four_bar *bars, int rungs)
{
    td_builder *builder = test_builder("ladder");
    char name[4 * MOST_RUNGS + 8][24];
    int names = 0;
    td_link link = td_link_default("ground");
    td_builder_add_link(builder, &link);
    const char *crank = NULL, *before = "ground";
    for (int k = 0; k <= rungs; k++) {
        char *rocker = name[names++], *joint = name[names++];
        snprintf(rocker, 24, "rocker%d", k);
        snprintf(joint, 24, "hinge%d", k);
        link = td_link_default(rocker);
        link.has_inertial = true;
        link.mass = link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
        td_builder_add_link(builder, &link);
        if (k > 0) {
            char *coupler = name[names++], *hinge = name[names++];
            snprintf(coupler, 24, "coupler%d", k);
            snprintf(hinge, 24, "elbow%d", k);
            link.name = coupler;
            td_builder_add_link(builder, &link);
            td_joint elbow = td_joint_default(hinge, TD_JOINT_CONTINUOUS, crank, coupler);
            memcpy(elbow.axis, z_axis, sizeof z_axis);
            elbow.origin.position[1] = bars[k - 1].crank;
            td_builder_add_joint(builder, &elbow);
        }
        td_joint at = td_joint_default(joint, TD_JOINT_CONTINUOUS, before, rocker);
        memcpy(at.axis, z_axis, sizeof z_axis);
        at.independent = k == 0;
        at.parent = "ground";
        for (int i = 0; i < k; i++)
            at.origin.position[0] += bars[i].ground;
        td_builder_add_joint(builder, &at);
        if (k > 0) {
            char pin[24];
            snprintf(pin, sizeof pin, "pin%d", k);
            td_loop loop = td_loop_default(pin, name[names - 2], rocker);
            memcpy(loop.axis, z_axis, sizeof z_axis);
            loop.predecessor_origin.position[0] = bars[k - 1].coupler;
            loop.successor_origin.position[1] = bars[k - 1].rocker;
            td_builder_add_loop(builder, &loop);
        }
        crank = rocker;
    }
    return model_of_builder(builder, NULL);
}

/* Four-bars that come close to a folding parallelogram: the rocker makes almost half a turn while
   the crank moves by `pass` radians. γ must follow them as long as rounding does not spoil G, about
   2 / pass. */
TD_TEST(sharp_turns)
{
    for (double pass = 0.1; pass > 2e-4; pass *= 0.7) {
        const four_bar bars = {2, 2, 2, 2 + pass};
        td_model *model = ladder(&bars, 1);
        td_workspace *w = test_workspace(model);
        const double y = -2.5;
        double q[3];
        ck_assert_uint_eq(td_ny(model), 1);
        const td_status status = td_closure(model, w, &y, NULL, NULL, q, NULL, NULL);
        ck_assert_msg(status == TD_OK, "%g: %s", pass, td_status_text(status));
    }
}

/* Equal four-bars are parallelograms: γ is linear for any number of them. */
TD_LOOP_TEST(equal_ladders, 0, 5)
{
    static const int sizes[] = {1, 5, 29, 31, MOST_RUNGS};
    four_bar bars[MOST_RUNGS];
    for (int k = 0; k < MOST_RUNGS; k++)
        bars[k] = (four_bar){0.3, 0.4, 0.3, 0.4};
    int rungs = sizes[_i];
    td_model *model = ladder(bars, rungs);
    td_workspace *w = test_workspace(model);
    size_t nq = td_nq(model);
    double q[2 * MOST_RUNGS + 1], y = 1.2, yd = 3, qdd[2 * MOST_RUNGS + 1];
    ck_assert_uint_eq(td_loop_cluster_count(model), 0);
    ck_assert_uint_eq(td_nyd(model), 1);
    assert_ok(td_closure(model, w, &y, &yd, NULL, q, NULL, qdd));
    for (size_t j = 0; j < nq; j++) {
        size_t joint = td_movable_joint(model, j);
        bool elbow = td_joint_at(model, joint)->name[0] == 'e';
        ck_assert(q[td_joint_place_at(model, joint).q] == (elbow ? -y : y));
        ck_assert(qdd[j] == 0);
    }
}

/* The rocker's angle with its first and second derivative by the crank's angle, both from up, on
   the branch of the parallelogram, in long double. Uses the triangle over the diagonal d from the
   crank's end to the rocker's foot. Returns false where the four-bar does not close. */
static bool rocker_of(const four_bar *b, long double a, long double out[3])
{
    if (b->crank == b->rocker && b->coupler == b->ground) { /* also through the flat position */
        out[0] = a, out[1] = 1, out[2] = 0;
        return true;
    }
    /* X(a) cos c + Y(a) sin c = Z(a): |crank end − rocker end| = coupler */
    long double r1 = b->crank, r2 = b->coupler, r3 = b->rocker, g = b->ground;
    long double px = -r1 * sinl(a) - g, py = r1 * cosl(a); /* crank end from rocker's foot */
    long double X = 2 * r3 * py, Y = -2 * r3 * px, d2 = px * px + py * py;
    long double Z = d2 + r3 * r3 - r2 * r2, size = sqrtl(X * X + Y * Y);
    if (!(fabsl(Z) < size))
        return false;
    long double c = atan2l(Y, X) - acosl(Z / size);
    /* F(a, c) = X cos c + Y sin c − Z, with second derivatives by hand */
    long double dpx = -r1 * cosl(a), dpy = -r1 * sinl(a), ddpx = r1 * sinl(a), ddpy = -r1 * cosl(a);
    long double dX = 2 * r3 * dpy, dY = -2 * r3 * dpx, ddX = 2 * r3 * ddpy, ddY = -2 * r3 * ddpx;
    long double dZ = 2 * (px * dpx + py * dpy);
    long double ddZ = 2 * (dpx * dpx + dpy * dpy + px * ddpx + py * ddpy);
    long double Fc = -X * sinl(c) + Y * cosl(c), Fa = dX * cosl(c) + dY * sinl(c) - dZ;
    long double Fcc = -X * cosl(c) - Y * sinl(c), Fac = -dX * sinl(c) + dY * cosl(c);
    long double Faa = ddX * cosl(c) + ddY * sinl(c) - ddZ, slope = -Fa / Fc;
    out[0] = c;
    out[1] = slope;
    out[2] = -(Faa + 2 * Fac * slope + Fcc * slope * slope) / Fc;
    return true;
}

/* Near singular positions, where rounding errors grow: wherever the status is TD_OK, G must be
   accurate to 1e-9 and g to 1e-7, against formulas in long double. */
TD_LOOP_TEST(digits, 0, 4)
{
    enum { RUNGS = 12, STATES = 3000 };
    td_random random = {(uint64_t)(90 + _i)};
    four_bar bars[RUNGS];
    for (int k = 0; k < RUNGS; k++) {
        bars[k] = (four_bar){0.3, 0.4, 0.3, 0.4};
        bars[k].crank += 0.03 * td_random_number(&random);
        bars[k].rocker = bars[k].crank; /* closed at q = 0 */
        bars[k].coupler = bars[k].ground += 0.03 * td_random_number(&random);
        if (_i % 2)
            bars[k].coupler = bars[k].ground = 0.4;
        bars[k].rocker += k % 6 == 1 ? 0.02 : k % 6 == 4 ? -0.02 : 0; /* the last ones fail */
        bars[k].coupler = hypot(bars[k].ground, bars[k].rocker - bars[k].crank);
    }
    td_model *model = ladder(bars, RUNGS);
    td_workspace *w = test_workspace(model);
    int good = 0, lost = 0;
    ck_assert_uint_eq(td_loop_cluster_count(model), 1);
    const double zero = td_reference(model, TD_COORDINATES_TREE)[0];
    for (int s = 0; s < STATES; s++) {
        double y = zero + 3.1 * s / STATES, yd = 1, q[2 * RUNGS + 1], qd[2 * RUNGS + 1];
        double qdd[2 * RUNGS + 1];
        td_closure_report report = {.size_of = sizeof report};
        td_status status = td_closure_examine(model, w, &y, &report);
        if (status != TD_OK) {
            lost++;
            continue;
        }
        assert_ok(td_closure(model, w, &y, &yd, NULL, q, qd, qdd));
        long double at[3] = {y, 1, 0};
        double largest_rate = td_largest(2 * RUNGS + 1, qd),
               largest = td_largest(2 * RUNGS + 1, qdd);
        for (int k = 0; k < RUNGS; k++) {
            long double next[3];
            ck_assert(rocker_of(&bars[k], at[0], next));
            next[2] = next[2] * at[1] * at[1] + next[1] * at[2];
            next[1] *= at[1];
            memcpy(at, next, sizeof at);
            char name[24];
            snprintf(name, sizeof name, "hinge%d", k + 1);
            size_t v = td_joint_place_at(model, td_joint_index(model, name)).qd;
            ck_assert(fabs(q[v] - (double)at[0]) < 1e-8);
            ck_assert(fabs(qd[v] - (double)at[1]) < 1e-9 * largest_rate);
            ck_assert(fabs(qdd[v] - (double)at[2]) < 1e-6 * fmax(largest, largest_rate));
        }
        good++;
    }
    ck_assert_int_ge(good, 100);
    ck_assert_int_ge(lost, 1);
    if (getenv("TANDEM_VERBOSE"))
        fprintf(stderr, "digits %d: %d good, %d lost\n", _i, good, lost);
}

#if TANDEM_HAS_URDF
/* ---- very many loops ------------------------------------------------------------------------- */

/* a plate that slides and rotates in its plane, and legs of two links each between it and the
   ground */
static td_status load_legs(int legs, const td_load_options *options, td_diagnostics *list,
                           td_model **model)
{
    static const char inertial[] = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
                                   "ixy='0' ixz='0' iyz='0'/></inertial>";
    const size_t size = 2000 + 1200 * (size_t)legs;
    char *text = test_malloc(size);
    size_t used = (size_t)snprintf(
        text, size,
        "<robot name='legs'><link name='g'/><link name='x'/><link name='y'/><link name='p'>%s"
        "</link><joint name='px' type='prismatic'><parent link='g'/><child link='x'/>"
        "<axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        "<joint name='py' type='prismatic'><parent link='x'/><child link='y'/><axis xyz='0 1 0'/>"
        "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
        "<joint name='pt' type='continuous'><parent link='y'/><child link='p'/>"
        "<axis xyz='0 0 1'/></joint>",
        inertial);
    for (int k = 0; k < legs; k++)
        used += (size_t)snprintf(
            text + used, size - used,
            "<link name='a%d'>%s</link><link name='b%d'>%s</link><joint name='ja%d' "
            "type='continuous'><parent link='g'/><child link='a%d'/><origin xyz='%g -1 0'/>"
            "<axis xyz='0 0 1'/></joint><joint name='jb%d' type='continuous'><parent link='a%d'/>"
            "<child link='b%d'/><origin xyz='0.3 0.5 0'/><axis xyz='0 0 1'/></joint>"
            "<loop name='l%d' type='revolute'><predecessor link='b%d'><origin xyz='-0.3 0.5 0'/>"
            "</predecessor><successor link='p'><origin xyz='%g 0 0'/></successor>"
            "<axis xyz='0 0 1'/></loop>",
            k, inertial, k, inertial, k, k, 0.1 * k, k, k, k, k, k, 0.1 * k);
    snprintf(text + used, size - used, "</robot>");
    const td_status status =
        test_load_urdf_memory(text, strlen(text), "legs", options, list, model);
    return status;
}

/* Where most loops share only the joints of a plate, kernels skip zeros. The loops must close, and
   velocities and accelerations must satisfy them. */
TD_TEST(many_legs)
{
    enum { LEGS = 30 };
    td_model *model;
    assert_ok(load_legs(LEGS, NULL, NULL, &model));
    td_workspace *w = test_workspace(model);
    const size_t nq = td_nq(model), nv = td_nv(model), ny = td_ny(model), nyd = td_nyd(model);
    const size_t rows = td_constraint_count(model);
    ck_assert_uint_eq(nyd, 3);
    ck_assert_uint_eq(ny, 3);
    double *q = doubles(nq), *qd = doubles(nv), *g = doubles(nv);
    double *K = doubles(rows * nv), *G = doubles(nv * nyd);
    double *k = doubles(rows), y[3];
    assert_ok(
        td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y, NULL));
    for (int i = 0; i < 3; i++)
        y[i] += 0.002 + 0.001 * i;
    const double yd[3] = {0.3, -0.2, 0.1}, ydd[3] = {0};
    td_closure_report report = {.size_of = sizeof report};
    assert_ok(td_closure_examine(model, w, y, &report));
    ck_assert(report.residual < 1e-12);
    assert_ok(td_closure(model, w, y, yd, ydd, q, qd, g));
    assert_ok(td_closure_jacobian(model, w, y, G));
    assert_ok(td_constraint_jacobian(model, w, q, K));
    assert_ok(td_constraint_drift(model, w, q, qd, k));
    for (size_t i = 0; i < rows; i++) {
        double along[3] = {0}, acceleration = -k[i];
        for (size_t j = 0; j < nv; j++) {
            for (size_t n = 0; n < 3; n++)
                along[n] += K[i * nv + j] * G[j * nyd + n];
            acceleration += K[i * nv + j] * g[j];
        }
        ck_assert(fabs(along[0]) + fabs(along[1]) + fabs(along[2]) < 1e-9);
        ck_assert(fabs(acceleration) < 1e-9);
    }
}

#define MASS                                                                                       \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"        \
    "</inertial>"
#define LINK(name) "<link name='" name "'>" MASS "</link>"
#define JOINT(name, type, parent, child, at, axis, more)                                           \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child        \
    "'/><origin xyz='" at "'/><axis xyz='" axis "'/>" more "</joint>"
#define LIMIT "<limit lower='-1' upper='1' effort='1' velocity='1'/>"
#define LOOP(name, type, from, at, to, there)                                                      \
    "<loop name='" name "' type='" type "'><predecessor link='" from "'><origin xyz='" at          \
    "'/></predecessor><successor link='" to "'><origin xyz='" there                                \
    "'/></successor><axis xyz='0 0 1'/></loop>"

/* Robots with one cluster each: one common part, and one that is repeated. In the text, @ stands
   for its number, # for the previous number, and X and Y for its position. */
static const struct repeated {
    const char *once, *many;
    int times;
} repeated[] = {
    /* legs that slide, with ball joints at a plate that moves freely */
    {LINK("g") LINK("p") JOINT("pf", "floating", "g", "p", "0 0 1", "0 0 1", ""),
     LINK("a@") LINK("b@") LINK("c@") JOINT("ja@", "continuous", "g", "a@", "X Y 0", "1 0 0", "")
         JOINT("jb@", "continuous", "a@", "b@", "0 0 0", "0 1 0", "")
             JOINT("jc@", "prismatic", "b@", "c@", "0 0 0.5", "0 0 1", LIMIT)
                 LOOP("l@", "spherical", "c@", "0 0 0.5", "p", "X Y 0"),
     20},
    /* planar legs whose foot follows the knee */
    {LINK("g") LINK("x") LINK("y") LINK("p")
         JOINT("px", "prismatic", "g", "x", "0 0 0", "1 0 0", LIMIT)
             JOINT("py", "prismatic", "x", "y", "0 0 0", "0 1 0", LIMIT)
                 JOINT("pt", "continuous", "y", "p", "0 0 0", "0 0 1", ""),
     LINK("a@") LINK("b@") LINK("c@") JOINT("ja@", "continuous", "g", "a@", "X -1 0", "0 0 1", "")
         JOINT("jb@", "continuous", "a@", "b@", "0.3 0.5 0", "0 0 1", "")
             JOINT("jc@", "continuous", "b@", "c@", "-0.2 0.3 0", "0 0 1",
                   "<mimic joint='jb@' multiplier='0.5'/>")
                 LOOP("l@", "revolute", "c@", "-0.1 0.2 0", "p", "X 0 0"),
     30},
    /* a ladder without parallelograms, which would be linear; each rung is on the one before */
    {LINK("rung0") LINK("left0") JOINT("stand", "fixed", "rung0", "left0", "0 0 0", "0 0 1", ""),
     LINK("left@") LINK("rung@") LINK("right@")
         JOINT("foot@", "continuous", "left#", "left@", "0 0.1 0", "0 0 1", "")
             JOINT("head@", "continuous", "left@", "rung@", "0 0.1 0", "0 0 1", "")
                 JOINT("hang@", "continuous", "rung@", "right@", "0.1 0.02 0", "0 0 1", "")
                     LOOP("l@", "revolute", "right@", "0 -0.12 0", "rung#", "0.1 0 0"),
     32},
};
enum { REPEATED = sizeof repeated / sizeof *repeated };

static td_model *load_repeated(const struct repeated *r)
{
    const size_t size = strlen(r->once) + 2 * (size_t)r->times * strlen(r->many) + 100;
    char *text = test_malloc(size);
    size_t n = (size_t)snprintf(text, size, "<robot name='many'>%s", r->once);
    for (int k = 1; k <= r->times; k++)
        for (const char *c = r->many; *c != '\0'; c++) {
            ck_assert_uint_lt(n + 20, size);
            if (*c == '@' || *c == '#')
                n += (size_t)snprintf(text + n, size - n, "%d", *c == '@' ? k : k - 1);
            else if (*c == 'X' || *c == 'Y')
                n += (size_t)snprintf(text + n, size - n, "%g",
                                      *c == 'X' ? 0.1 * (k % 7) : 0.15 * (k / 7));
            else
                text[n++] = *c;
        }
    n += (size_t)snprintf(text + n, size - n, "</robot>");
    td_model *model;
    assert_ok(test_load_urdf_memory(text, n, "many", NULL, NULL, &model));
    return model;
}

/* Returns results of many legs at states near the reference: configurations, G, derivatives of
   forces, and loop reactions. */
static double *found_of_legs(const td_model *model, size_t *count)
{
    enum { STATES = 3 };
    const size_t nq = td_nq(model), nv = td_nv(model), ny = td_ny(model), n = td_nyd(model);
    const size_t each = nq + 3 * nv + nv * n + n + 3 * n * n;
    td_workspace *w = test_workspace(model);
    double *all = doubles(STATES * each), *out = all;
    double *y = doubles(ny), *move = doubles(3 * n);
    ck_assert(w && all && y && move);
    double *yd = move + n, *ydd = yd + n;
    td_random random = {77};
    for (int state = 0; state < STATES; state++) {
        assert_ok(td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE), y,
                                             NULL));
        for (size_t i = 0; i < n; i++) {
            move[i] = 0.004 * td_random_number(&random);
            yd[i] = td_random_number(&random), ydd[i] = td_random_number(&random);
        }
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, move, 1, y);
        assert_ok(td_closure(model, w, y, yd, ydd, out, out + nq, out + nq + nv));
        out += nq + 2 * nv;
        assert_ok(td_closure_jacobian(model, w, y, out));
        out += nv * n;
        assert_ok(td_inverse_dynamics_derivatives(model, w, y, yd, ydd, NULL, out, out + n,
                                                  out + n + n * n, out + n + 2 * n * n));
        out += n + 3 * n * n;
        assert_ok(td_constraint_force(model, w, y, yd, ydd, NULL, NULL, out));
        out += nv;
    }
    *count = STATES * each;
    return all;
}

/* Skipping zeros must not change any number: compares with the same model without its sparsity. */
TD_LOOP_TEST(zeros_are_zeros, 0, REPEATED)
{
    td_model *model = load_repeated(&repeated[_i]);
    td_loop_group *g = model->closure.loops.group;
    ck_assert_uint_eq(model->closure.loops.count, 1);
    ck_assert_ptr_nonnull(g->sparse);
    size_t count;
    double *with = found_of_legs(model, &count);
    td_loop_sparsity *kept = g->sparse;
    g->sparse = NULL;
    double *without = found_of_legs(model, &count);
    g->sparse = kept;
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(with[i] == without[i], "number %zu: %.17g, %.17g without", i, with[i],
                      without[i]);
}

/* The check of motors stops at its limit of evaluations and reports it. */
TD_TEST(bounded_check_of_motors)
{
    for (int few = 0; few < 2; few++) {
        td_load_options options = td_load_options_default();
        options.loop_evaluations = few ? 1 : 1000;
        td_diagnostics *list = test_diagnostics(0);
        td_model *model;
        assert_ok(load_legs(70, &options, list, &model));
        const td_diagnostic *unchecked = td_find_diagnostic(list, "URDF-T008");
        ck_assert_int_eq(unchecked != NULL, few);
        ck_assert(!few || strstr(unchecked->message, "loop_evaluations"));
        ck_assert_ptr_nonnull(td_find_diagnostic(list, "URDF-T005"));
        ck_assert_ptr_null(td_find_diagnostic(list, "URDF-T006"));
    }
}
#endif
