/* SPDX-License-Identifier: MIT */
/*
 * Forward dynamics with mimic joints against the constrained equations of motion of the tree, as in
 * "Integrating Mimic Joints into Dynamics Algorithms" (Kumar et al. 2017): equation 8 (explicit
 * constraints, with constraint forces τ_c) and equation 5 (implicit constraints, with multipliers
 * λ). Both are assembled densely from H, C and the joints' records, and solved in long double by
 * elimination with pivoting.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "coupled_robots.h"

/* ---- dense algebra in long double ------------------------------------------------------------ */

typedef long double num;

/* Solves A x = b for `count` right-hand sides, the columns of x (n × count), which contains b on
   entry. Destroys A. Returns false if a pivot is zero. */
static bool eliminate(size_t n, num *A, size_t count, num *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[p * n + k]))
                p = i;
        if (A[p * n + k] == 0)
            return false;
        for (size_t j = k; j < n && p != k; j++) {
            num swap = A[k * n + j];
            A[k * n + j] = A[p * n + j], A[p * n + j] = swap;
        }
        for (size_t j = 0; j < count && p != k; j++) {
            num swap = x[k * count + j];
            x[k * count + j] = x[p * count + j], x[p * count + j] = swap;
        }
        for (size_t i = k + 1; i < n; i++) {
            num f = A[i * n + k] / A[k * n + k];
            if (f == 0)
                continue;
            for (size_t j = k + 1; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; j < count; j++)
                x[i * count + j] -= f * x[k * count + j];
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < count; j++) {
            for (size_t i = k + 1; i < n; i++)
                x[k * count + j] -= A[k * n + i] * x[i * count + j];
            x[k * count + j] /= A[k * n + k];
        }
    return true;
}

/* largest row sum */
static double norm(size_t n, const num *A)
{
    num largest = 0;
    for (size_t i = 0; i < n; i++) {
        num sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabsl(A[i * n + j]);
        largest = fmaxl(largest, sum);
    }
    return (double)largest;
}

static void *room(size_t n, size_t size)
{
    void *p = test_calloc(n + 1, size);
    return p;
}

/* ---- a robot in a state ---------------------------------------------------------------------- */

typedef struct robot {
    td_model *model;
    td_workspace *w;
    size_t n, m, followers;         /* sizes of q̇ and ẏ, and n − m */
    double *y, *yd, *q, *qd;        /* the state */
    double *tau, *tau_y, *wrenches; /* joint forces of the tree, and Gᵀ tau */
    td_forces forces;
    double *H, *C, *G;                 /* n × n, n, n × m */
    double *K;                         /* followers × n: one row q_f − α q_l each */
    double *ydd, *qdd, *tau_c, *check; /* results of equation 8, except ydd; scratch */
    double size, inverse;              /* norms of GᵀHG and of its inverse */
} robot;

static robot robot_new(td_model *model)
{
    robot r = {.model = model, .w = test_workspace(model), .forces = td_forces_default()};
    r.n = td_nv(model);
    r.m = td_nyd(model);
    r.followers = r.n - r.m;
    r.y = room(td_ny(model), sizeof *r.y);
    r.q = room(td_nq(model), sizeof *r.q);
    double **of_n[] = {&r.qd, &r.tau, &r.C, &r.qdd, &r.tau_c, &r.check};
    for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++)
        *of_n[i] = room(r.n, sizeof(double));
    double **of_m[] = {&r.yd, &r.tau_y, &r.ydd};
    for (size_t i = 0; i < sizeof of_m / sizeof *of_m; i++)
        *of_m[i] = room(r.m, sizeof(double));
    r.H = room(r.n * r.n, sizeof *r.H);
    r.G = room(r.n * r.m, sizeof *r.G);
    r.K = room(r.n * r.followers, sizeof *r.K);
    r.wrenches = room(6 * td_link_count(model), sizeof *r.wrenches);
    return r;
}

static void randomise(robot *r, td_random *random)
{
    td_draw_configuration(random, r->model, false, 2, r->y);
    td_random_fill(random, r->m, r->yd);
    td_random_fill(random, r->n, r->tau);
    for (size_t i = 0; i < r->n; i++)
        r->tau[i] *= 10;
    td_random_fill(random, 6 * td_link_count(r->model), r->wrenches);
    r->forces.wrenches = td_random_below(random, 2) ? r->wrenches : NULL;
    r->forces.wrench_frame = (td_frame)td_random_below(random, 3);
    r->forces.passive = td_random_below(random, 2);

    td_closure(r->model, r->w, r->y, r->yd, NULL, r->q, r->qd, NULL);
    td_project_force(r->model, r->w, r->y, r->tau, r->tau_y);
    td_closure_jacobian(r->model, r->w, r->y, r->G);
    assert_ok(TD_IN_TREE(r->w, td_mass_matrix(r->model, r->w, r->q, &r->forces, r->H)));
    assert_ok(TD_IN_TREE(r->w, td_bias_force(r->model, r->w, r->q, r->qd, &r->forces, r->C)));
}

/* Computes K from the records as in the file: chains are not resolved. */
static void implicit(robot *r)
{
    size_t row = 0;
    for (size_t i = 0; i < td_joint_count(r->model); i++) {
        const td_joint *joint = td_joint_at(r->model, i);
        if (!joint->mimic)
            continue;
        size_t leader = td_joint_index(r->model, joint->mimic);
        double *K = r->K + r->n * row++;
        K[td_joint_place_at(r->model, i).qd] += 1;
        K[td_joint_place_at(r->model, leader).qd] -= joint->multiplier;
    }
    ck_assert_uint_eq(row, r->followers);
    for (row = 0; row < r->followers; row++) /* K G = 0 */
        for (size_t j = 0; j < r->m; j++) {
            double sum = 0, size = 0;
            for (size_t k = 0; k < r->n; k++) {
                sum += r->K[row * r->n + k] * r->G[k * r->m + j];
                size += fabs(r->K[row * r->n + k] * r->G[k * r->m + j]);
            }
            ck_assert_double_le(fabs(sum), 4 * DBL_EPSILON * size);
        }
}

/* norms of GᵀHG and of its inverse */
static void condition(robot *r)
{
    size_t n = r->n, m = r->m;
    num *HG = room(n * m, sizeof *HG), *A = room(m * m, sizeof *A), *I = room(m * m, sizeof *I);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < m; j++)
                HG[i * m + j] += (num)r->H[i * n + k] * r->G[k * m + j];
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; r->G[k * m + i] != 0 && j < m; j++)
                A[i * m + j] += r->G[k * m + i] * HG[k * m + j];
    for (size_t i = 0; i < m; i++)
        I[i * m + i] = 1;
    r->size = norm(m, A);
    ck_assert(eliminate(m, A, m, I));
    r->inverse = norm(m, I);
}

/* magnitude of the forces in H q̈ + C = τ + τ_c, the scale of rounding errors */
static double size_of_forces(const robot *r)
{
    return td_largest(r->n, r->tau) + td_largest(r->n, r->C) +
           td_largest(r->n * r->n, r->H) * td_largest(r->n, r->qdd);
}

/* Equation 8, g = 0: unknowns q̈, τ_c, ÿ. Writes qdd, tau_c, and overwrites ydd with ÿ. */
static void explicit_kkt(robot *r, double *ydd)
{
    size_t n = r->n, m = r->m, N = 2 * n + m;
    num *A = room(N * N, sizeof *A), *x = room(N, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * N + j] = r->H[i * n + j];
        A[i * N + n + i] = A[(n + i) * N + i] = -1;
        for (size_t j = 0; j < m; j++)
            A[(n + i) * N + 2 * n + j] = A[(2 * n + j) * N + n + i] = r->G[i * m + j];
        x[i] = (num)r->tau[i] - r->C[i];
    }
    ck_assert(eliminate(N, A, 1, x));
    for (size_t i = 0; i < n; i++) {
        r->qdd[i] = (double)x[i];
        r->tau_c[i] = (double)x[n + i];
    }
    for (size_t j = 0; j < m; j++)
        ydd[j] = (double)x[2 * n + j];
    double forces = size_of_forces(r);
    for (size_t j = 0; j < m; j++) { /* Gᵀ τ_c = 0 */
        num sum = 0, factors = 0;
        for (size_t i = 0; i < n; i++) {
            sum += r->G[i * m + j] * x[n + i];
            factors += fabsl(r->G[i * m + j]);
        }
        ck_assert_double_le((double)fabsl(sum), 1e-15 * (double)factors * forces);
    }
}

/* Equation 5, k = 0: unknowns q̈, −λ. Writes q̈ and τ_c = Kᵀλ. */
static void implicit_kkt(const robot *r, double *qdd, double *tau_c)
{
    size_t n = r->n, N = n + r->followers;
    num *A = room(N * N, sizeof *A), *x = room(N, sizeof *x);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            A[i * N + j] = r->H[i * n + j];
        for (size_t c = 0; c < r->followers; c++)
            A[i * N + n + c] = A[(n + c) * N + i] = r->K[c * n + i];
        x[i] = (num)r->tau[i] - r->C[i];
    }
    ck_assert(eliminate(N, A, 1, x));
    for (size_t i = 0; i < n; i++) {
        num sum = 0;
        for (size_t c = 0; c < r->followers; c++)
            sum -= r->K[c * n + i] * x[n + c];
        qdd[i] = (double)x[i];
        tau_c[i] = (double)sum;
    }
}

/* The largest difference found, and the number of states that passed only because of their
   condition. */
typedef struct tally {
    double worst, worst_condition;
    size_t states, by_condition;
} tally;

/*
 * Checks one random state. Accelerations may differ by 1e-10 of the largest one. If the condition
 * of GᵀHG does not permit that, the tolerance is the effect of rounding the data: H and C are
 * rounded to doubles, so forces are accurate to DBL_EPSILON times their size. The inverse turns
 * these errors into accelerations. (No state here needs that.)
 */
static void check_state(robot *r, td_random *random, tally *t)
{
    randomise(r, random);
    condition(r);
    double *ydd = room(r->m, sizeof *ydd);
    double *qdd = room(r->n, sizeof *qdd), *tau_c = room(r->n, sizeof *tau_c);
    explicit_kkt(r, ydd);
    assert_ok(td_forward_dynamics(r->model, r->w, r->y, r->yd, r->tau_y, &r->forces, r->ydd));

    double forces = size_of_forces(r);
    double largest = fmax(td_largest(r->m, ydd), DBL_MIN);
    double error = td_largest_difference(r->m, r->ydd, ydd);
    double rounding = (double)r->n * DBL_EPSILON * r->inverse * forces;
    ck_assert_msg(error <= 1e-10 * largest || error <= rounding,
                  "ÿ differs by %.3g of %.3g; %.3g by the condition %.3g", error, largest, rounding,
                  r->size * r->inverse);
    t->states++;
    if (error > 1e-10 * largest)
        t->by_condition++;
    if (error / largest > t->worst) {
        t->worst = error / largest;
        t->worst_condition = r->size * r->inverse;
    }

    /* the other form must give the same accelerations and constraint forces */
    implicit_kkt(r, qdd, tau_c);
    double limit = 1e-10 * td_largest(r->n, r->qdd) + rounding;
    ck_assert_double_le(td_largest_difference(r->n, qdd, r->qdd), limit);
    ck_assert_double_le(td_largest_difference(r->n, tau_c, r->tau_c), 1e-10 * forces);

    /* q̈ = G ÿ, and inverse dynamics needs the constraint forces in addition to tau */
    td_closure(r->model, r->w, r->y, r->yd, r->ydd, r->q, r->qd, qdd);
    double multiplier = 1; /* the largest */
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->m; j++)
            multiplier = fmax(multiplier, fabs(r->G[i * r->m + j]));
    ck_assert_double_le(td_largest_difference(r->n, qdd, r->qdd), limit * multiplier);
    TD_IN_TREE(r->w, td_inverse_dynamics(r->model, r->w, r->q, r->qd, qdd, &r->forces, r->check));
    for (size_t i = 0; i < r->n; i++)
        tau_c[i] = r->check[i] - r->tau[i];
    td_project_force(r->model, r->w, r->y, tau_c, ydd); /* Gᵀ τ_c = 0 */
    ck_assert_double_le(td_largest(r->m, ydd), 1e-12 * multiplier * (double)r->n * forces);
    ck_assert_double_le(td_largest_difference(r->n, tau_c, r->tau_c),
                        1e-10 * forces + rounding * td_largest(r->n * r->n, r->H));
}

/* half of the states with clusters, half with factors */
static void check_robot(td_builder *builder, td_random *random, td_base base, int states, tally *t)
{
    td_load_options options = td_load_options_default();
    options.base = base;
    td_random_fill(random, 3, options.gravity);
    for (int i = 0; i < 3; i++)
        options.gravity[i] *= 10;
    for (int plan = TD_PLAN_CLUSTER; plan <= TD_PLAN_REDUCED; plan++) {
        OWNED_HERE;
        options.plan = (td_plan)plan;
        td_model *model = model_of_builder(builder, &options);
        robot r = robot_new(model);
        implicit(&r);
        for (int i = 0; i < (states + 1) / 2; i++)
            check_state(&r, random, t);
    }
}

static void report(const char *name, const tally *t)
{
    if (getenv("TANDEM_TEST_VERBOSE"))
        printf("# %s: %zu states, %zu by condition, worst %.2g at condition %.2g\n", name,
               t->states, t->by_condition, t->worst, t->worst_condition);
}

/* ---- tests ----------------------------------------------------------------------------------- */

TD_TEST(parallelograms)
{
    tally t = {0};
    td_random random = {11};
    for (size_t modules = 1; modules <= 12; modules++)
        for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++) {
            td_builder *builder = coupled_parallelograms(modules);
            check_robot(builder, &random, (td_base)base, 4, &t);
        }
    report("parallelograms", &t);
}

TD_TEST(hand_on_arm)
{
    tally t = {0};
    td_random random = {12};
    for (int base = TD_BASE_FIXED; base <= TD_BASE_FLOATING; base++)
        check_robot(coupled_hand_on_arm(), &random, (td_base)base, 50, &t);
    report("hand on an arm", &t);
}

static int case_count(void)
{
    int count = 0;
    while (coupled_case_names[count])
        count++;
    return count;
}

TD_LOOP_TEST(named_cases, 0, case_count())
{
    tally t = {0};
    td_random random = {(uint64_t)(100 + _i)};
    for (int k = 0; k < 40; k++)
        check_robot(coupled_case((size_t)_i, &random), &random,
                    k % 4 ? TD_BASE_FIXED : TD_BASE_FLOATING, 1, &t);
    report(coupled_case_names[_i], &t);
}

/* Counts how followers of the random robots lie relative to their leaders, and in the model's
   order. */
typedef struct kinds {
    int ancestor, free_between, descendant, elsewhere, unequal_depth, chained, later, nested;
} kinds;

static bool is_above(const td_model *model, size_t upper, size_t joint)
{
    while (joint != TD_NONE && joint != upper)
        joint = td_joint_place_at(model, joint).parent_joint;
    return joint != TD_NONE;
}

static int depth(const td_model *model, size_t joint)
{
    int levels = 0;
    for (; joint != TD_NONE; joint = td_joint_place_at(model, joint).parent_joint)
        levels++;
    return levels;
}

static void count_follower(const td_model *model, size_t follower, kinds *k)
{
    td_joint_place place = td_joint_place_at(model, follower);
    size_t leader = td_joint_index(model, td_joint_at(model, follower)->mimic);
    k->chained += leader != place.leader;
    k->later += leader > follower;
    if (is_above(model, leader, follower)) {
        k->ancestor++;
        for (size_t i = place.parent_joint; i != leader;) {
            td_joint_place between = td_joint_place_at(model, i);
            if (between.yd != TD_NONE) {
                k->free_between++;
                break;
            }
            i = between.parent_joint;
        }
    } else if (is_above(model, follower, leader)) {
        k->descendant++;
    } else {
        k->elsewhere++;
        k->unequal_depth += depth(model, leader) != depth(model, follower);
    }
    for (size_t i = place.parent_joint;
         i != TD_NONE;) { /* another follower of the same leader above this one */
        td_joint_place above = td_joint_place_at(model, i);
        if (above.dependent && above.leader == place.leader) {
            k->nested++;
            break;
        }
        i = above.parent_joint;
    }
}

TD_TEST(random_robots_have_all_kinds)
{
    kinds k = {0};
    td_random random = {1};
    for (size_t i = 0; i < 100; i++) {
        td_builder *builder = coupled_random(&random, 2 + i % 14);
        td_model *model = model_of_builder(builder, NULL);
        for (size_t j = 0; j < td_joint_count(model); j++)
            if (td_joint_at(model, j)->mimic)
                count_follower(model, j, &k);
    }
    const int all[] = {k.ancestor,      k.free_between, k.descendant, k.elsewhere,
                       k.unequal_depth, k.chained,      k.later,      k.nested};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ck_assert_msg(all[i] >= 10, "kind %zu: %d followers", i, all[i]);
}

TD_LOOP_TEST(random_robots, 0, 8)
{
    tally t = {0};
    td_random random = {(uint64_t)(1000 + _i)};
    for (size_t k = 0; k < 500; k++)
        check_robot(coupled_random(&random, 2 + k % 14), &random,
                    k % 5 ? TD_BASE_FIXED : TD_BASE_FLOATING, 1, &t);
    report("random", &t);
    /* only a few exceptions may be explained by the condition */
    ck_assert_uint_le(t.by_condition, t.states / 100);
}
