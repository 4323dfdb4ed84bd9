/* SPDX-License-Identifier: MIT */
/*
 * Tests differential inverse kinematics. The quadratic program is compared with the conditions of a
 * minimum on random problems, with dependent rows, bounds that meet, and infeasible bounds. Its
 * priority levels are compared with an enumeration of all active sets in long double. Motions over
 * time track lines within bounds of joints that follow others by mimic, curves and loops.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "functions.h"
#include "ik/program.h"
#include "td_test.h"

/* ---- the quadratic program ------------------------------------------------------------------- */

enum { COLUMNS = 8, EQUALITIES = 4, ROWS = 6, BOUNDS = EQUALITIES + COLUMNS + ROWS };

typedef struct problem {
    size_t n, equalities, rows;
    double E[EQUALITIES * COLUMNS], e[EQUALITIES], lower[COLUMNS], upper[COLUMNS];
    double B[ROWS * COLUMNS], row_lower[ROWS], row_upper[ROWS];
    double J[COLUMNS * COLUMNS], H[COLUMNS * COLUMNS], c[COLUMNS];
} problem;

/* Draws H = L Lᵀ, J = L⁻ᵀ. */
static void draw_measure(td_random *random, problem *p)
{
    const size_t n = p->n;
    double L[COLUMNS][COLUMNS] = {{0}}, inverse[COLUMNS][COLUMNS] = {{0}};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            L[i][j] = td_random_number(random);
        L[i][i] = 0.2 + fabs(td_random_number(random));
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double sum = i == k;
            for (size_t j = 0; j < i; j++)
                sum -= L[i][j] * inverse[j][k];
            inverse[i][k] = sum / L[i][i];
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            p->J[i * n + j] = inverse[j][i];
            p->H[i * n + j] = 0;
            for (size_t k = 0; k < n; k++)
                p->H[i * n + j] += L[i][k] * L[j][k];
        }
}

/* Draws a problem with random, repeated and coinciding constraints. Three quarters of the problems
   are feasible by construction. */
static void draw_problem(td_random *random, problem *p)
{
    double inner[COLUMNS];
    p->n = 1 + td_random_below(random, COLUMNS);
    p->equalities = td_random_below(random, 1 + (p->n < EQUALITIES ? p->n : EQUALITIES));
    p->rows = td_random_below(random, ROWS + 1);
    const size_t n = p->n;
    draw_measure(random, p);
    td_random_fill(random, n, inner);
    const bool fits = td_random_below(random, 4) > 0, flat = td_random_below(random, 3) == 0;
    for (size_t i = 0; i < n; i++) {
        p->c[i] = 3 * td_random_number(random);
        const double room = flat && td_random_below(random, 2) ? 0 : 1;
        p->lower[i] = inner[i] - room * fabs(td_random_number(random));
        p->upper[i] = inner[i] + room * fabs(td_random_number(random));
        if (td_random_below(random, 4) == 0)
            p->lower[i] = -INFINITY;
        if (td_random_below(random, 4) == 0)
            p->upper[i] = INFINITY;
    }
    for (size_t i = 0; i < p->equalities; i++) {
        td_random_fill(random, n, p->E + i * n);
        if (i > 0 && td_random_below(random, 4) == 0)
            for (size_t k = 0; k < n; k++)
                p->E[i * n + k] = -2 * p->E[(i - 1) * n + k];
        p->e[i] = vec_dot(n, p->E + i * n, inner);
    }
    for (size_t i = 0; i < p->rows; i++) {
        td_random_fill(random, n, p->B + i * n);
        if (i > 0 && td_random_below(random, 3) == 0)
            for (size_t k = 0; k < n; k++)
                p->B[i * n + k] = 3 * p->B[(i - 1) * n + k] + (i > 1 ? p->B[(i - 2) * n + k] : 0);
        double x = vec_dot(n, p->B + i * n, inner);
        if (!fits)
            x += 2 * td_random_number(random);
        const double room = flat && td_random_below(random, 2) ? 0 : 1;
        p->row_lower[i] = x - room * fabs(td_random_number(random));
        p->row_upper[i] = x + room * fabs(td_random_number(random));
    }
}

static void put_problem(const problem *p, td_program *program)
{
    program->columns = p->n;
    program->equalities = p->equalities;
    program->rows = p->rows;
    program->E = p->E;
    program->e = p->e;
    program->lower = p->lower;
    program->upper = p->upper;
    program->B = p->B;
    program->row_lower = p->row_lower;
    program->row_upper = p->row_upper;
    memcpy(program->J, p->J, p->n * p->n * sizeof *p->J);
    memcpy(program->x, p->c, p->n * sizeof *p->c);
}

/* Checks the optimality conditions. x is feasible, multipliers of active bounds have the right
   sign, and H (x − c) + Nᵀ u = 0. */
static void check_minimum(const problem *p, const td_program *s)
{
    const size_t n = p->n;
    double slope[COLUMNS], size = 1;
    for (size_t i = 0; i < n; i++) {
        slope[i] = 0;
        for (size_t k = 0; k < n; k++)
            slope[i] += p->H[i * n + k] * (s->x[k] - p->c[k]);
        size = fmax(size, fabs(slope[i]));
        ck_assert(s->x[i] >= p->lower[i] && s->x[i] <= p->upper[i]);
    }
    for (size_t i = 0; i < p->equalities; i++) {
        ck_assert_double_le(fabs(vec_dot(n, p->E + i * n, s->x) - p->e[i]), 1e-8);
        for (size_t k = 0; k < n; k++)
            slope[k] += s->multipliers[i] * p->E[i * n + k];
        size = fmax(size, fabs(s->multipliers[i]));
    }
    for (size_t i = 0; i < n + p->rows; i++) {
        const double u = s->multipliers[p->equalities + i];
        const double *row = p->B + (i - n) * n; /* constraint i ≥ n */
        const double x = i < n ? s->x[i] : vec_dot(n, row, s->x);
        const double low = i < n ? p->lower[i] : p->row_lower[i - n];
        const double high = i < n ? p->upper[i] : p->row_upper[i - n];
        ck_assert(x >= low - 1e-9 && x <= high + 1e-9);
        ck_assert(u == 0 || fabs(x - (u > 0 ? high : low)) <= 1e-9);
        for (size_t k = 0; k < n; k++)
            slope[k] += u * (i >= n ? row[k] : i == k);
        size = fmax(size, fabs(u));
    }
    ck_assert_double_le(td_largest(n, slope), 1e-9 * size);
}

/* Returns the violation of bounds after a sequence of projections onto each of them. */
static double violation(const problem *p)
{
    const size_t n = p->n;
    double x[COLUMNS] = {0}, worst = 0;
    for (int pass = 0; pass < 3000; pass++) {
        worst = 0;
        for (size_t i = 0; i < p->equalities + n + p->rows; i++) {
            const size_t k = i - p->equalities, r = k - n;
            double unit[COLUMNS] = {0}, low, high;
            const double *a = unit;
            if (i < p->equalities)
                a = p->E + i * n, low = high = p->e[i];
            else if (k < n)
                unit[k] = 1, low = p->lower[k], high = p->upper[k];
            else
                a = p->B + r * n, low = p->row_lower[r], high = p->row_upper[r];
            const double at = vec_dot(n, a, x), square = vec_dot(n, a, a);
            const double by = at < low ? low - at : at > high ? high - at : 0;
            worst = fmax(worst, fabs(by) / sqrt(square));
            for (size_t j = 0; j < n; j++)
                x[j] += by / square * a[j];
        }
    }
    return worst;
}

TD_LOOP_TEST(programs, 0, 4)
{
    enum { CASES = 2500 };
    td_random random = {(uint64_t)(1000 + _i)};
    td_stack stack = {0};
    td_program program = {0};
    ck_assert(td_take_twice(&stack,
                            td_program_take(&stack, COLUMNS, EQUALITIES, COLUMNS, ROWS, &program)));
    int solved = 0, empty = 0;
    for (int i = 0; i < CASES; i++) {
        problem p;
        draw_problem(&random, &p);
        put_problem(&p, &program);
        const td_program_status status = td_program_solve(&program);
        ck_assert_int_ne(status, TD_PROGRAM_ENDLESS);
        if (status == TD_PROGRAM_SOLVED) {
            check_minimum(&p, &program);
            solved++;
        } else if (empty++ < 60) {
            ck_assert_double_ge(violation(&p), 1e-7);
        }
    }
    ck_assert_int_ge(solved, CASES / 2);
    ck_assert_int_ge(empty, CASES / 50);
    td_stack_end(&stack);
}

/* A warm start tries the previously active bounds first. x is the same, and no more steps are
   needed if they are still active. */
TD_TEST(warm_programs)
{
    td_random random = {77};
    td_stack stack = {0};
    td_program program = {0};
    ck_assert(td_take_twice(&stack,
                            td_program_take(&stack, COLUMNS, EQUALITIES, COLUMNS, ROWS, &program)));
    size_t cold = 0, warm = 0;
    for (int i = 0; i < 500; i++) {
        problem p;
        double x[COLUMNS];
        signed char first[COLUMNS + ROWS];
        draw_problem(&random, &p);
        put_problem(&p, &program);
        program.first = NULL;
        if (td_program_solve(&program) != TD_PROGRAM_SOLVED)
            continue;
        cold += program.steps;
        memcpy(x, program.x, sizeof x);
        for (size_t k = 0; k < p.n + p.rows; k++)
            first[k] = program.multipliers[p.equalities + k] != 0;
        put_problem(&p, &program);
        program.first = first;
        ck_assert_int_eq(td_program_solve(&program), TD_PROGRAM_SOLVED);
        td_assert_close(p.n, x, program.x, 1e-8, 1);
        warm += program.steps;
    }
    ck_assert_uint_le(warm, cold);
    td_stack_end(&stack);
}

/* ---- priority levels ------------------------------------------------------------------------- */

enum { JOINTS = 4, LARGEST = 2 * JOINTS + 8 };

/* Solves n equations by elimination with complete pivoting. Unknowns without a pivot become 0. */
static void eliminate(size_t n, long double A[LARGEST][LARGEST + 1], long double *x)
{
    size_t row[LARGEST], column[LARGEST], rank = 0;
    bool used_row[LARGEST] = {0}, used_column[LARGEST] = {0};
    for (; rank < n; rank++) {
        long double most = 0;
        size_t r = 0, c = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (!used_row[i] && !used_column[j] && fabsl(A[i][j]) > most)
                    most = fabsl(A[i][j]), r = i, c = j;
        if (most < 1e-13L)
            break;
        used_row[r] = used_column[c] = true;
        row[rank] = r, column[rank] = c;
        for (size_t i = 0; i < n; i++) {
            if (i == r)
                continue;
            const long double factor = A[i][c] / A[r][c];
            for (size_t j = 0; j <= n; j++)
                A[i][j] -= factor * A[r][j];
        }
    }
    for (size_t j = 0; j < n; j++)
        x[j] = 0;
    for (size_t k = 0; k < rank; k++)
        x[column[k]] = A[row[k]][n] / A[row[k]][column[k]];
}

/* Least squares of A x = b and δ² |x|² under equations N x = f and bounds, by enumeration of all
   active sets. */
typedef struct levels {
    size_t m, fixed, bounds;
    double A[8][JOINTS], b[8], N[8][JOINTS], f[8];
    double C[JOINTS + 2][JOINTS], low[JOINTS + 2], high[JOINTS + 2];
    double damping;
} levels;

static double value_of(const levels *p, const double *x)
{
    double sum = p->damping * vec_dot(JOINTS, x, x);
    for (size_t i = 0; i < p->m; i++) {
        const double r = vec_dot(JOINTS, p->A[i], x) - p->b[i];
        sum += r * r;
    }
    return sum;
}

static bool is_inside(const levels *p, const double *x, double by)
{
    for (size_t i = 0; i < p->bounds; i++) {
        const double at = vec_dot(JOINTS, p->C[i], x);
        if (at < p->low[i] - by || at > p->high[i] + by)
            return false;
    }
    for (size_t i = 0; i < p->fixed; i++)
        if (fabs(vec_dot(JOINTS, p->N[i], x) - p->f[i]) > by)
            return false;
    return true;
}

/* Returns the minimum over all 3^bounds active sets, or infinity if the bounds contradict each
   other. */
static double enumerate(const levels *p, double *best)
{
    double least = INFINITY;
    size_t sets = 1;
    for (size_t i = 0; i < p->bounds; i++)
        sets *= 3;
    for (size_t set = 0; set < sets; set++) {
        long double K[LARGEST][LARGEST + 1] = {{0}}, z[LARGEST];
        size_t n = JOINTS, held = 0, code = set;
        for (size_t i = 0; i < JOINTS; i++) {
            for (size_t j = 0; j < JOINTS; j++)
                for (size_t r = 0; r < p->m; r++)
                    K[i][j] += (long double)p->A[r][i] * p->A[r][j];
            K[i][i] += p->damping;
        }
        double side[JOINTS + 2];
        for (size_t i = 0; i < p->bounds; i++, code /= 3) {
            side[i] = code % 3 == 0 ? NAN : code % 3 == 1 ? p->low[i] : p->high[i];
            held += code % 3 != 0;
        }
        if (held > JOINTS)
            continue;
        const size_t size = n + p->fixed + held;
        for (size_t i = 0; i < JOINTS; i++)
            for (size_t r = 0; r < p->m; r++)
                K[i][size] += (long double)p->A[r][i] * p->b[r];
        for (size_t i = 0; i < p->fixed; i++, n++) {
            for (size_t j = 0; j < JOINTS; j++)
                K[n][j] = K[j][n] = p->N[i][j];
            K[n][size] = p->f[i];
        }
        for (size_t i = 0; i < p->bounds; i++) {
            if (isnan(side[i]))
                continue;
            for (size_t j = 0; j < JOINTS; j++)
                K[n][j] = K[j][n] = p->C[i][j];
            K[n++][size] = side[i];
        }
        eliminate(size, K, z);
        double x[JOINTS];
        for (size_t i = 0; i < JOINTS; i++)
            x[i] = (double)z[i];
        if (is_inside(p, x, 1e-9) && value_of(p, x) < least) {
            least = value_of(p, x);
            memcpy(best, x, sizeof x);
        }
    }
    return least;
}

/* Builds a spatial chain of four joints. A fifth joint follows two of them, linearly or through
   curves. */
static td_model *chain_with_follower(bool curved)
{
    static const char *const name[] = {"1", "2", "3", "4", "5"};
    static const double axes[5][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double coefficients[2][3] = {{0, 0.8, 0.4}, {0, -0.9, 0.3}};
    td_builder *builder = test_builder("chain");
    for (int i = 0; i < 6; i++) {
        char link[2] = {(char)('a' + i), 0};
        td_link l = td_link_default(link);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < 5; i++) {
        char parent[2] = {(char)('a' + i), 0}, child[2] = {(char)('b' + i), 0};
        td_joint joint = td_joint_default(name[i], TD_JOINT_REVOLUTE, parent, child);
        memcpy(joint.axis, axes[i], sizeof joint.axis);
        joint.origin.position[0] = i > 0 ? 0.5 : 0;
        joint.origin.position[2] = 0.1;
        joint.limit.lower = -2;
        joint.limit.upper = 2;
        joint.limit.effort = 1;
        joint.limit.velocity = i == 4 ? 0.7 : 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_curve curves[2];
    for (int i = 0; i < 2; i++) {
        curves[i] = td_curve_default(TD_CURVE_POLYNOMIAL, name[i + 1]);
        curves[i].coefficient = coefficients[i];
        curves[i].coefficients = curved ? 3 : 2;
    }
    td_follower follower = td_follower_default(name[4]);
    follower.curve = curves;
    follower.curves = 2;
    assert_ok(td_builder_add_follower(builder, &follower));
    return model_of_builder(builder, NULL);
}

/* Sets bounds of all joint velocities: from velocity limits, and from position limits within one
   step. */
static void bound(levels *p, const td_model *model, const double *G, const double *y,
                  const double *q, double step)
{
    p->bounds = 0;
    for (size_t i = 0; i < 5; i++) {
        const td_joint *joint = td_joint_at(model, i);
        const td_joint_place place = td_joint_place_at(model, i);
        const double at = place.dependent ? q[place.q] : y[place.y];
        double *c = p->C[p->bounds];
        for (size_t k = 0; k < JOINTS; k++)
            c[k] = G[place.qd * JOINTS + k];
        p->low[p->bounds] = fmax(-joint->limit.velocity, (joint->limit.lower - at) / step);
        p->high[p->bounds] = fmin(joint->limit.velocity, (joint->limit.upper - at) / step);
        p->bounds++;
    }
}

/* ẏ does not depend on the hints about active bounds. Correct hints save steps; steps receives both
   sums. */
static void check_hints(td_ik_rate *rate, td_workspace *w, const double *y, const double *v,
                        const double *yd, td_random *random, size_t steps[2])
{
    td_ik_rate_result result = {.size_of = sizeof result};
    signed char active[5] = {0}, any[5];
    double again[JOINTS];
    for (int k = 0; k < 2; k++) {
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, again, NULL, active, &result));
        td_assert_close(JOINTS, yd, again, 1e-6, 1);
        steps[k] += result.steps;
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 5; i++)
            any[i] = (signed char)((int)td_random_below(random, 3) - 1);
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, again, NULL, any, &result));
        td_assert_close(JOINTS, yd, again, 1e-6, 1);
        ck_assert_mem_eq(any, active, sizeof any);
    }
}

/* Tests a required position of the last link, and a desired point, axis or posture. */
TD_LOOP_TEST(levels_against_all_sets, 0, 4)
{
    enum { CASES = 150 };
    const size_t wished_rows = _i % 2 ? 4 : 3;
    td_model *model = chain_with_follower(_i >= 2);
    td_workspace *w = test_workspace(model);
    td_ik_goal goals[2] = {
        td_ik_goal_default(TD_IK_POSITION, td_link_index(model, "f")),
        td_ik_goal_default(_i % 2 ? TD_IK_POSTURE : TD_IK_ORIENTATION, td_link_index(model, "d"))};
    goals[0].point[1] = 0.3;
    goals[1].required = false;
    goals[0].weight = 1.7;
    goals[1].weight = goals[1].turn_weight = 0.6;
    td_ik_rate_options options = td_ik_rate_options_default();
    options.step = 0.5;
    options.damping = 0;
    options.wish_damping = 1e-4;
    td_ik_rate *rate = ik_rate_of(model, goals, 2, &options);
    ck_assert_uint_eq(td_ik_rate_velocity_count(rate), 3 + wished_rows);
    td_random random = {(uint64_t)(5 + _i)};
    int counts[3] = {0};
    size_t steps[2] = {0};
    for (int n = 0; n < CASES; n++) {
        double y[JOINTS], q[5], G[5 * JOINTS], J[6 * JOINTS], v[3 + JOINTS], yd[JOINTS], left[4];
        for (int i = 0; i < JOINTS; i++)
            y[i] = 1.2 * td_random_number(&random);
        td_random_fill(&random, 7, v);
        for (int i = 0; i < 7; i++)
            v[i] *= n % 3 ? 2 : 0.2;
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        if (fabs(q[4]) > 1.9)
            continue;
        assert_ok(td_closure_jacobian(model, w, y, G));
        levels one = {.m = 3}, two = {.m = wished_rows, .fixed = 3};
        bound(&one, model, G, y, q, options.step);
        td_link_jacobian(model, w, goals[0].link, goals[0].point, y, TD_FRAME_ALIGNED, J);
        for (size_t i = 0; i < 3; i++) {
            for (size_t k = 0; k < JOINTS; k++)
                one.A[i][k] = 1.7 * J[(3 + i) * JOINTS + k];
            one.b[i] = 1.7 * v[i];
        }
        double x[JOINTS], other[JOINTS], longest = 0;
        const double first = enumerate(&one, x);
        ck_assert(isfinite(first));
        memcpy(two.C, one.C, sizeof one.C);
        memcpy(two.low, one.low, sizeof one.low);
        memcpy(two.high, one.high, sizeof one.high);
        two.bounds = one.bounds;
        for (size_t i = 0; i < 3; i++) {
            memcpy(two.N[i], one.A[i], sizeof one.A[i]);
            two.f[i] = vec_dot(JOINTS, one.A[i], x);
        }
        td_link_jacobian(model, w, goals[1].link, NULL, y, TD_FRAME_ALIGNED, J);
        for (size_t i = 0; i < wished_rows; i++) {
            for (size_t k = 0; k < JOINTS; k++)
                two.A[i][k] = 0.6 * (_i % 2 ? i == k : J[i * JOINTS + k]);
            two.b[i] = 0.6 * v[3 + i];
        }
        for (size_t k = 0; k < JOINTS; k++) {
            double square = 0;
            for (size_t i = 0; i < wished_rows; i++)
                square += two.A[i][k] * two.A[i][k];
            longest = fmax(longest, square);
        }
        two.damping = 1e-8 * longest;
        const double second = enumerate(&two, other);
        td_ik_rate_result result = {.size_of = sizeof result};
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, &result));
        ck_assert_int_eq(result.status,
                         first < 1e-12 ? TD_IK_RATE_STATUS_REACHED : TD_IK_RATE_STATUS_NEAREST);
        counts[result.status]++;
        ck_assert(is_inside(&one, yd, 1e-10));
        ck_assert_double_le(value_of(&one, yd), first + 1e-9 * (1 + first));
        ck_assert_double_le(fabs(1.7 * 1.7 * left[0] * left[0] - first), 1e-8 * (1 + first));
        ck_assert(isfinite(second));
        ck_assert_double_le(value_of(&two, yd), second + 1e-6 * (1 + second));
        for (size_t i = 0; i < 3; i++)
            ck_assert_double_le(fabs(vec_dot(JOINTS, two.N[i], yd) - two.f[i]), 1e-6);
        check_hints(rate, w, y, v, yd, &random, steps);
    }
    ck_assert_uint_lt(5 * steps[1], 4 * steps[0]);
    ck_assert_int_ge(counts[TD_IK_RATE_STATUS_REACHED], CASES / 6);
    ck_assert_int_ge(counts[TD_IK_RATE_STATUS_NEAREST], CASES / 6);
}

/* A follower is outside its limit and the leaders cannot return it in time. They do as much as they
   can. */
TD_TEST(bounds_that_contradict_each_other)
{
    td_model *model = chain_with_follower(false);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, td_link_index(model, "f"));
    td_ik_rate_options options = td_ik_rate_options_default();
    const double velocities[5] = {1, 0.1, 0.1, 1, 0.7};
    options.velocities = velocities;
    options.step = 0.01;
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, &options);
    /* q5 = 3.23, beyond its limit 2 */
    const double y[4] = {0.2, 1.9, -1.9, 0.1}, v[3] = {0.1, 0, 0};
    double yd[4], left[2];
    signed char active[5] = {0};
    td_ik_rate_result result = {.size_of = sizeof result};
    assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, active, &result));
    ck_assert_int_eq(result.status, TD_IK_RATE_STATUS_BEYOND);
    ck_assert_double_le(fabs(yd[1] + 0.1) + fabs(yd[2] - 0.1), 1e-12);
    ck_assert(active[1] == -1 && active[2] == 1);
    ck_assert_double_le(fabs(yd[0]), 1);
}

/* ---- damping --------------------------------------------------------------------------------- */

/* A slide along x and a hinge about x, at distance σ from the point, have the singular values 1 and
   σ. Below d = damping the value σ is damped as the formula says. */
TD_TEST(damping_by_its_formula)
{
    td_builder *builder = test_builder("lathe");
    static const char *const link[] = {"bed", "slide", "chuck"}, *const name[] = {"x", "turn"};
    for (int i = 0; i < 3; i++) {
        td_link l = td_link_default(link[i]);
        assert_ok(td_builder_add_link(builder, &l));
    }
    for (int i = 0; i < 2; i++) {
        td_joint joint = td_joint_default(name[i], i ? TD_JOINT_CONTINUOUS : TD_JOINT_PRISMATIC,
                                          link[i], link[i + 1]);
        joint.limit.lower = -1, joint.limit.upper = 1;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const double d = 0.01, v[3] = {0.1, 0, 1e-3}, y[2] = {0, 0};
    for (double sigma = 5e-4; sigma < 4 * d; sigma *= 1.5) {
        td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, 2);
        goal.point[1] = sigma;
        td_ik_rate_options options = td_ik_rate_options_default();
        options.damping = d;
        double yd[2];
        td_ik_rate *rate = ik_rate_of(model, &goal, 1, &options);
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, NULL, NULL, NULL));
        const double damped = sigma < d ? (d * d - sigma * sigma) / 4 : 0;
        const double wanted[2] = {v[0], sigma * v[2] / (sigma * sigma + damped)};
        td_assert_close(2, yd, wanted, 1e-10, 1e-3);
    }
}

/* ---- motions --------------------------------------------------------------------------------- */

#if TANDEM_HAS_URDF
enum { MOST = 64 };

static const struct {
    const char *robot, *link;
    double along[3]; /* m, there and back in two seconds */
    double fast;     /* velocity bounds, as a fraction of the limits */
    double acceleration;
    double error; /* m: largest tracking error; infinite if bounds may be active */
} motions[] = {
    {"arm7.urdf", "tool_tip", {0.05, 0.1, -0.05}, 1, INFINITY, 1e-4},
    {"arm7.urdf", "tool_tip", {0.1, 0.3, 0.1}, 0.1, 2, INFINITY},
    {"gripper.urdf", NULL, {0, 0.01, 0}, 1, 1, INFINITY},
    {"hand_a.urdf", "tip", {0.005, 0, -0.005}, 1, 20, INFINITY},
    {"cam_finger.urdf", "nail", {0.01, 0, -0.01}, 1, 20, INFINITY},
    {"stewart.urdf", "platform_2", {0.01, 0.02, 0.02}, 1, INFINITY, 1e-4},
    {"linear_leg.urdf", "foot", {0.02, 0, 0.02}, 1, INFINITY, 1e-4},
    {"linear_leg.urdf", "foot", {0.2, 0, 0.3}, 0.2, 1, INFINITY},
    {"linear_leg.urdf", "foot", {0.1, 0, 0.1}, 1, 5, INFINITY},
    {"five_bar.urdf", NULL, {0.1, 0.1, 0}, 1, 2, INFINITY},
    {"capaman.urdf", "platform", {0.01, 0, 0.02}, 1, 1, INFINITY},
    {"cam_finger.urdf", "nail", {0.03, 0, -0.05}, 1, 2, INFINITY},
    {"humanoid.urdf", "left_hand", {0.03, 0.05, 0.05}, 1, 10, INFINITY},
};

/* A point moves along a line and back, tracked by velocities. Positions, velocities and
   accelerations of all joints stay within their bounds. */
TD_LOOP_TEST(lines_are_tracked, 0, sizeof motions / sizeof *motions)
{
    const double h = 0.01, inf = INFINITY;
    td_model *model = td_load_robot(motions[_i].robot, NULL);
    td_workspace *w = test_workspace(model);
    const size_t ny = td_ny(model), n = td_nyd(model), nv = td_nv(model);
    ck_assert_uint_lt(ny + nv + td_nq(model), 4 * MOST);
    const size_t link =
        motions[_i].link ? td_link_index(model, motions[_i].link) : td_link_count(model) - 1;
    double velocities[MOST], accelerations[MOST], y[MOST], q[MOST], qd[MOST], qdd[MOST];
    double before[MOST] = {0}, yd[MOST], ydd[MOST];
    for (size_t i = 0; i < MOST; i++)
        velocities[i] = inf, accelerations[i] = motions[_i].acceleration;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const td_joint_place place = td_joint_place_at(model, i);
        const double limit = td_joint_at(model, i)->limit.velocity;
        const bool free = td_loop_cluster_count(model) > 0 && !place.dependent;
        for (size_t k = 0; k < place.nv; k++) {
            velocities[place.qd + k] = (limit > 0 ? limit : 1) * motions[_i].fast;
            if (free) /* bound the followers only, otherwise their bounds would never be active */
                accelerations[place.qd + k] = inf;
        }
    }
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, link);
    td_ik_rate_options options = td_ik_rate_options_default();
    options.velocities = velocities;
    options.accelerations = isfinite(motions[_i].acceleration) ? accelerations : NULL;
    options.step = h;
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, &options);
    double *poses = doubles(12 * td_link_count(model)), start[3], worst = 0;
    memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
    for (size_t i = 0; i < ny && ny == n; i++)
        y[i] += (td_loop_cluster_count(model) ? 0.002 : 0.02) * (double)(1 + i % 3);
    for (size_t i = 0; i < td_independent_count(model); i++) {
        const size_t joint = td_independent_joint(model, i);
        const td_joint_place place = td_joint_place_at(model, joint);
        const td_effective_limit limit = td_effective_limit_at(model, joint);
        if (place.ny == 1)
            y[place.y] = fmin(fmax(y[place.y], limit.lower), limit.upper);
    }
    assert_ok(td_link_poses(model, w, y, poses));
    for (int i = 0; i < 3; i++)
        start[i] = poses[12 * link + 4 * (size_t)i + 3];
    signed char active[MOST] = {0};
    int beyond = 0;
    for (int step = 0; step < 200; step++) {
        const double t = h * (step + 1), s = 0.5 * (1 - cos(3.14159265358979 * t));
        double v[3], left[2];
        assert_ok(td_link_poses(model, w, y, poses));
        for (int i = 0; i < 3; i++)
            v[i] = (start[i] + motions[_i].along[i] * s - poses[12 * link + 4 * (size_t)i + 3]) / h;
        td_ik_rate_result result = {.size_of = sizeof result};
        assert_ok(td_ik_rate_solve(rate, w, y, before, v, yd, left, active, &result));
        beyond += result.status == TD_IK_RATE_STATUS_BEYOND;
        double cold[MOST];
        td_ik_rate_result other = {.size_of = sizeof other};
        assert_ok(td_ik_rate_solve(rate, w, y, before, v, cold, NULL, NULL, &other));
        ck_assert_int_eq(result.status, other.status);
        td_assert_close(n, yd, cold, 1e-6, 1);
        for (size_t i = 0; i < n; i++)
            ydd[i] = (yd[i] - before[i]) / h;
        assert_ok(td_closure(model, w, y, before, ydd, q, qd, qdd));
        assert_ok(td_closure(model, w, y, yd, NULL, q, qd, NULL));
        for (size_t i = 0; i < td_joint_count(model); i++) {
            const td_joint *joint = td_joint_at(model, i);
            const td_joint_place place = td_joint_place_at(model, i);
            for (size_t k = 0; k < place.nv && result.status != TD_IK_RATE_STATUS_BEYOND; k++) {
                const double x = qd[place.qd + k], most = velocities[place.qd + k];
                ck_assert_double_le(fabs(x), most * (1 + 1e-9));
                ck_assert_double_le(fabs(qdd[place.qd + k]),
                                    accelerations[place.qd + k] * (1 + 1e-7) + 1e-7);
                const double next = place.nq == place.nv ? q[place.q + k] + h * x : 0;
                if (td_joint_kind_of(joint->type)->bounded)
                    ck_assert(!(next < joint->limit.lower - 1e-9) &&
                              !(next > joint->limit.upper + 1e-9));
            }
        }
        td_integrate(model, TD_COORDINATES_INDEPENDENT, y, yd, h, y);
        memcpy(before, yd, sizeof before);
        if (ny != n || td_loop_cluster_count(model) > 0) {
            assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
            assert_ok(td_independent_coordinates(model, w, q, y, NULL));
        }
        assert_ok(td_link_poses(model, w, y, poses));
        double square = 0;
        for (int i = 0; i < 3; i++) {
            const double x =
                start[i] + motions[_i].along[i] * s - poses[12 * link + 4 * (size_t)i + 3];
            square += x * x;
        }
        worst = fmax(worst, sqrt(square));
    }
    ck_assert_int_eq(beyond, 0);
    ck_assert_double_le(worst, motions[_i].error);
}

/* If loops determine some coordinates of a floating pose, the bound of each velocity still applies,
   to independent and dependent ones. */
TD_TEST(bounds_of_parts_of_poses)
{
    td_model *model = td_load_robot("swing.urdf", NULL);
    td_workspace *w = test_workspace(model);
    const size_t nv = td_nv(model), links = td_link_count(model);
    td_random random = {18};
    double velocities[MOST], y[MOST], yd[MOST], qd[MOST], q[MOST];
    size_t held = 0;
    ck_assert_uint_lt(td_nq(model), MOST);
    for (int k = 0; k < 60; k++) {
        for (size_t i = 0; i < nv; i++)
            velocities[i] = 0.55 + 0.45 * td_random_number(&random);
        const td_ik_goal goal = td_ik_goal_default(TD_IK_POSE, links - 1 - (size_t)(k % 2));
        td_ik_rate_options options = td_ik_rate_options_default();
        options.velocities = velocities;
        td_ik_rate *rate = ik_rate_of(model, &goal, 1, &options);
        double v[6];
        td_random_fill(&random, 6, v);
        for (int i = 0; i < 6; i++)
            v[i] *= 5;
        memcpy(y, td_reference(model, TD_COORDINATES_INDEPENDENT), td_ny(model) * sizeof *y);
        signed char active[MOST] = {0};
        td_ik_rate_result result = {.size_of = sizeof result};
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, NULL, active, &result));
        ck_assert_int_ne(result.status, TD_IK_RATE_STATUS_BEYOND);
        assert_ok(td_closure(model, w, y, yd, NULL, q, qd, NULL));
        for (size_t i = 0; i < nv; i++) {
            ck_assert_double_le(fabs(qd[i]), velocities[i] * (1 + 1e-9));
            if (active[i])
                ck_assert_double_le(fabs(qd[i] - active[i] * velocities[i]), 1e-9);
            held += active[i] != 0;
        }
    }
    ck_assert_uint_ge(held, 60);
}

/* Compares the velocity of each kind of goal with differences of poses along ẏ. */
TD_LOOP_TEST(kinds_of_velocities, 0, 8)
{
    static const struct {
        td_ik_kind kind;
        size_t numbers;
        double velocity[6];
    } kinds[] = {
        {TD_IK_POSE, 6, {0.1, -0.2, 0.1, 0.2, 0.3, -0.1}},
        {TD_IK_POSITION, 3, {0.1, 0.2, -0.1}},
        {TD_IK_ORIENTATION, 3, {0.3, 0.1, -0.2}},
        {TD_IK_AXIS, 3, {0.3, 0.1, -0.2}},
        {TD_IK_LINE, 6, {0.1, 0.2, -0.1, 1, 2, 2}},
        {TD_IK_PLANE, 6, {0.1, 0.2, -0.1, 1, 2, 2}},
        {TD_IK_DISTANCE, 1, {0.15}},
        {TD_IK_CENTER_OF_MASS, 3, {0.01, 0.02, -0.01}},
    };
    td_model *model = td_load_robot("arm7.urdf", NULL);
    td_workspace *w = test_workspace(model);
    const size_t link = td_link_index(model, "tool");
    td_ik_goal goal = td_ik_goal_default(kinds[_i].kind, link);
    goal.point[0] = 0.05, goal.point[2] = 0.1;
    goal.axis[0] = 0.5;
    goal.other_point[0] = 0.1;
    goal.other_link = td_link_index(model, "link_2");
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, NULL);
    ck_assert_uint_eq(td_ik_rate_velocity_count(rate), kinds[_i].numbers);
    const double y[7] = {0.1, 0.5, -0.2, 0.9, 0.3, 0.8, 0.2}, h = 1e-5;
    double yd[7], left[2], poses[2][12 * 20], com[2][3];
    ck_assert_uint_le(td_link_count(model), 20);
    td_ik_rate_result result = {.size_of = sizeof result};
    const double *v = kinds[_i].velocity;
    assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, &result));
    ck_assert_int_eq(result.status, TD_IK_RATE_STATUS_REACHED);
    ck_assert(result.smallest > 1e-3 && result.largest >= result.smallest);
    for (int k = 0; k < 2; k++) {
        double there[7];
        for (int i = 0; i < 7; i++)
            there[i] = y[i] + (k ? h : -h) * yd[i];
        td_link_poses(model, w, there, poses[k]);
        td_center_of_mass(model, w, there, TD_SCOPE_ALL, com[k]);
    }
    double p[3], omega[3], axis[3], far[2] = {0};
    const double *a = poses[0] + 12 * link, *b = poses[1] + 12 * link;
    double R[9]; /* between the two poses */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = vec_dot(3, b + 4 * i, a + 4 * j);
    omega[0] = (R[7] - R[5]) / (4 * h), omega[1] = (R[2] - R[6]) / (4 * h);
    omega[2] = (R[3] - R[1]) / (4 * h);
    for (int i = 0; i < 3; i++) {
        p[i] = (vec_dot(3, b + 4 * i, goal.point) + b[4 * i + 3] -
                vec_dot(3, a + 4 * i, goal.point) - a[4 * i + 3]) /
               (2 * h);
        axis[i] = (vec_dot(3, b + 4 * i, goal.axis) - vec_dot(3, a + 4 * i, goal.axis)) / (2 * h);
    }
    for (int k = 0; k < 2; k++) {
        const double *pose = poses[k] + 12 * link, *other = poses[k] + 12 * (size_t)goal.other_link;
        for (int i = 0; i < 3; i++) {
            const double x = vec_dot(3, pose + 4 * i, goal.point) + pose[4 * i + 3] -
                             vec_dot(3, other + 4 * i, goal.other_point) - other[4 * i + 3];
            far[k] += x * x;
        }
    }
    const double u[3] = {1. / 3, 2. / 3, 2. / 3};
    for (int i = 0; i < 3; i++) {
        const double now = 0.5 * (vec_dot(3, a + 4 * ((i + 2) % 3), goal.axis) +
                                  vec_dot(3, b + 4 * ((i + 2) % 3), goal.axis));
        const double then = 0.5 * (vec_dot(3, a + 4 * ((i + 1) % 3), goal.axis) +
                                   vec_dot(3, b + 4 * ((i + 1) % 3), goal.axis));
        const double turned = v[(i + 1) % 3] * now - v[(i + 2) % 3] * then;
        switch (kinds[_i].kind) {
        case TD_IK_POSE:
            ck_assert_double_le(fabs(p[i] - v[i]) + fabs(omega[i] - v[3 + i]), 1e-8);
            break;
        case TD_IK_POSITION:
            ck_assert_double_le(fabs(p[i] - v[i]), 1e-8);
            break;
        case TD_IK_ORIENTATION:
            ck_assert_double_le(fabs(omega[i] - v[i]), 1e-8);
            break;
        case TD_IK_AXIS:
            ck_assert_double_le(fabs(axis[i] - turned), 1e-8);
            break;
        case TD_IK_LINE:
            ck_assert_double_le(fabs(p[i] - v[i] - u[i] * (vec_dot(3, u, p) - vec_dot(3, u, v))),
                                1e-8);
            break;
        case TD_IK_PLANE:
            ck_assert_double_le(fabs(vec_dot(3, u, p) - vec_dot(3, u, v)), 1e-8);
            break;
        case TD_IK_DISTANCE:
            ck_assert_double_le(fabs((sqrt(far[1]) - sqrt(far[0])) / (2 * h) - v[0]), 1e-8);
            break;
        default:
            ck_assert_double_le(fabs((com[1][i] - com[0][i]) / (2 * h) - v[i]), 1e-8);
        }
    }
}

#endif

/* A joint moves toward its limit as fast as permitted, step by step, and can always stop before
   it. */
TD_TEST(braking)
{
    const double h = 0.1, a = 2, v[3] = {100, 0, 0};
    td_builder *builder = test_builder("slide");
    const td_link links[2] = {td_link_default("base"), td_link_default("slide")};
    td_joint joint = td_joint_default("x", TD_JOINT_PRISMATIC, "base", "slide");
    joint.limit.lower = -5, joint.limit.upper = 1;
    for (int i = 0; i < 2; i++)
        assert_ok(td_builder_add_link(builder, &links[i]));
    assert_ok(td_builder_add_joint(builder, &joint));
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    const td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, 1);
    td_ik_rate_options options = td_ik_rate_options_default();
    options.accelerations = &a;
    options.step = h;
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, &options);
    for (int k = 0; k < 40; k++) {
        const double y = 1 - 0.001 * pow(1.25, k), far = 1 - y;
        double low = 0, high = far / h, yd;
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            double moved = 0;
            for (double x = middle; x > 0; x -= a * h)
                moved += x * h;
            *(moved > far ? &high : &low) = middle;
        }
        assert_ok(td_ik_rate_solve(rate, w, &y, NULL, v, &yd, NULL, NULL, NULL));
        ck_assert_double_le(fabs(yd - low), 1e-12);
    }
}

/* A planar chain is nearly straight. ẏ stays small for motion along it, and is exact across it. */
TD_TEST(singular_postures)
{
    td_builder *builder = test_builder("planar");
    for (int i = 0; i < 4; i++) {
        char name[2] = {(char)('a' + i), 0}, parent[2] = {(char)('a' + i - 1), 0};
        const td_link link = td_link_default(name);
        assert_ok(td_builder_add_link(builder, &link));
        td_joint joint = td_joint_default(name, TD_JOINT_CONTINUOUS, parent, name);
        joint.axis[0] = 0, joint.axis[2] = 1;
        joint.origin.position[0] = i > 1;
        if (i > 0)
            assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_POSITION, 3);
    goal.point[0] = 1;
    td_ik_rate *rate = ik_rate_of(model, &goal, 1, NULL);
    const double v[3] = {0.3, 0.4, 0};
    double last = INFINITY;
    for (double bend = 0.3; bend > 1e-9; bend *= 0.3) {
        double y[3] = {0, bend, -bend}, yd[3], left[2];
        td_ik_rate_result result = {.size_of = sizeof result};
        assert_ok(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, &result));
        const double damping = 0.01 * result.largest;
        ck_assert(result.smallest < 0.5 * last && result.smallest > 0);
        last = result.smallest;
        ck_assert_double_le(sqrt(vec_dot(3, yd, yd)), 0.5 / damping);
        ck_assert_int_eq(result.status,
                         last > damping ? TD_IK_RATE_STATUS_REACHED : TD_IK_RATE_STATUS_NEAREST);
        ck_assert_double_le(left[0], 0.31);
        if (bend < 1e-3) /* 3, 2 and 1 m from the joints */
            ck_assert_double_le(fabs(3 * yd[0] + 2 * yd[1] + yd[2] - 0.4), 1e-3);
    }
}

TD_TEST(what_is_refused)
{
    td_model *model = chain_with_follower(true);
    td_workspace *w = test_workspace(model);
    td_ik_goal goal = td_ik_goal_default(TD_IK_PLANE, td_link_index(model, "f"));
    td_ik_rate *rate = NULL;
    const double good[5] = {1, 1, 1, 1, 1}, bad[5] = {1, 1, -1, 1, 1};
    td_ik_rate_options options = td_ik_rate_options_default();
    options.velocities = bad;
    ck_assert_int_eq(test_ik_rate_new(model, &goal, 1, &options, &rate), TD_ERROR_ARGUMENT);
    ck_assert_ptr_null(rate);
    options.velocities = good;
    options.accelerations = bad;
    ck_assert_int_eq(test_ik_rate_new(model, &goal, 1, &options, &rate), TD_ERROR_ARGUMENT);
    options.accelerations = good;
    options.step = 0;
    ck_assert_int_eq(test_ik_rate_new(model, &goal, 1, &options, &rate), TD_ERROR_ARGUMENT);
    options.step = 0.01;
    ck_assert_int_eq(test_ik_rate_new(model, NULL, 1, &options, &rate), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_ik_rate_new(NULL, &goal, 1, &options, &rate), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(test_ik_rate_new(model, &goal, 1, &options, NULL), TD_ERROR_ARGUMENT);
    assert_ok(test_ik_rate_new(model, &goal, 1, &options, &rate));
    double y[4] = {0.1, 0.2, 0.3, 0.4}, v[6] = {0.1, 0, 0, 0, 0, 1}, yd[4], left[2];
    ck_assert_int_eq(td_ik_rate_solve(rate, w, NULL, NULL, v, yd, NULL, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    assert_ok(td_ik_rate_solve(rate, w, y, y, v, yd, left, NULL, NULL));
    ck_assert(isfinite(yd[0]) && isfinite(left[0]));
    v[5] = 0;
    ck_assert_int_eq(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, NULL),
                     TD_ERROR_ARGUMENT);
    ck_assert(isnan(yd[0]) && isnan(left[0]));
    v[5] = NAN;
    ck_assert_int_eq(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, NULL),
                     TD_ERROR_NOT_FINITE);
    td_ik_rate_result small = {.size_of = 0};
    v[5] = 1;
    ck_assert_int_eq(td_ik_rate_solve(rate, w, y, NULL, v, yd, left, NULL, &small),
                     TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_ik_rate_velocity_count(NULL), 0);
    const td_ik_goal goals[2] = {goal, goal};
    double numbers[12] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, NAN}, lefts[4] = {0};
    assert_ok(test_ik_rate_new(model, goals, 2, NULL, &rate));
    ck_assert_int_eq(td_ik_rate_solve(rate, w, y, NULL, numbers, yd, lefts, NULL, NULL),
                     TD_ERROR_NOT_FINITE);
    for (int i = 0; i < 4; i++)
        ck_assert(isnan(yd[i]) && isnan(lefts[i]));
    td_ik_rate_free(NULL);
}
