/* SPDX-License-Identifier: MIT */
/*
 * Packed factors: the sparsity pattern of a tree, and solutions for many right-hand sides.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra.h"
#include "dynamics/workspace.h"
#include "functions.h"
#include "kernel/isa.h"
#include "kernel/kernel.h"
#include "kernels_here.h"
#include "model/model.h"
#include "model/pattern.h"
#include "td_test.h"

extern const td_kernels td_kernels_quad;

static const char *const isas[] = {"baseline", "avx2", "avx512"};

/* ---- kernels ----------------------------------------------------------------------------------
 */

static void *aligned_reals(const td_kernels *kernels, size_t count)
{
    void *x = own(aligned_alloc(64, (count * kernels->real_size + 64) / 64 * 64), free);
    memset(x, 0, count * kernels->real_size);
    return x;
}

/* numbers of one lane, `apart` numbers apart */
static double *numbers_of_lane(const td_kernels *kernels, const double *reals, size_t lane,
                               size_t first, size_t count, size_t apart)
{
    double *x = test_malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = reals[(first + i * apart) * kernels->lanes + lane];
    return x;
}

/* one state: compares solutions with quadruple precision */
static void check_exactly(const td_pattern *pattern, size_t columns, const double *L,
                          const double *B, const double *X)
{
    const td_kernels *quad = &td_kernels_quad;
    const size_t room = pattern->size * columns;
    td_scratch s = {0};
    void *exact = aligned_reals(quad, pattern->entries), *solution = aligned_reals(quad, room);
    double *expected = doubles(room);
    quad->spread(exact, L, pattern->entries);
    quad->spread(solution, B, room);
    quad->solve_many(pattern, &s, exact, columns, solution);
    quad->store(expected, solution, room, 1);
    td_assert_close(room, X, expected, 1e-13, td_largest(room, expected));
}

/* With a matrix L of that pattern and `columns` right-hand sides: each column must equal a single
   solution. */
static void check_solve_many(const td_kernels *kernels, const td_pattern *pattern, size_t columns,
                             td_random *random)
{
    const size_t n = pattern->size, lanes = kernels->lanes;
    td_stack stack = {0};
    td_scratch s = {.stack = &stack};
    double *L = aligned_reals(kernels, pattern->entries + n + TD_TILE);
    double *X = aligned_reals(kernels, n * columns), *B = aligned_reals(kernels, n * columns);
    double *one = aligned_reals(kernels, n);
    stack.most = 1 << 20;
    ck_assert_ptr_nonnull(td_stack_begin(&stack));
    td_random_fill(random, pattern->entries * lanes, L);
    for (size_t i = 0; i < pattern->entries * lanes; i++)
        L[i] *= 0.3;
    for (size_t i = 0; i < n; i++)
        for (size_t lane = 0; lane < lanes; lane++)
            L[(pattern->row[i] + (size_t)pattern->depth[i]) * lanes + lane] =
                1.5 + td_random_number(random);
    td_random_fill(random, n * columns * lanes, B);
    memcpy(X, B, n * columns * kernels->real_size);
    kernels->solve_many(pattern, &s, L, columns, X);
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < n; i++)
            memcpy(one + i * lanes, B + (i * columns + j) * lanes, kernels->real_size);
        kernels->solve(pattern, L, one);
        for (size_t lane = 0; lane < lanes; lane++) {
            double *x = numbers_of_lane(kernels, X, lane, j, n, columns);
            double *expected = numbers_of_lane(kernels, one, lane, 0, n, 1);
            td_assert_close(n, x, expected, 1e-14, td_largest(n, expected));
        }
    }
    if (lanes == 1)
        check_exactly(pattern, columns, L, B, X);
    td_stack_end(&stack);
}

/* For forests of all shapes and sizes, and numbers of columns that fill whole vectors or do not. */
TD_LOOP_TEST(many_right_hand_sides, 0, sizeof isas / sizeof *isas)
{
    static const size_t sizes[] = {34, 64, 100};
    const td_isa_kernels *kernels = kernels_here(isas[_i]);
    if (!kernels)
        return;
    td_random random = {(uint64_t)_i};
    for (size_t k = 1; k < 20 + sizeof sizes / sizeof *sizes; k++)
        for (size_t shape = 0; shape < 6; shape++) {
            td_arena arena = {NULL};
            td_pattern pattern = {0};
            ck_assert(td_pattern_new(&pattern, &arena, k < 20 ? k : sizes[k - 20]));
            for (size_t i = 0; i < pattern.size; i++)
                pattern.parent[i] = random_parent(&random, (int)i, shape);
            ck_assert(td_pattern_finish(&pattern, &arena));
            for (size_t columns = 0; columns <= 70; columns += 1 + columns / 6) {
                check_solve_many(kernels->single, &pattern, columns, &random);
                check_solve_many(kernels->batch, &pattern, columns, &random);
            }
            td_arena_free(&arena);
        }
}

/* ---- the public functions ---------------------------------------------------------------------
 */

/* A robot, its states, and its pattern in one kind of coordinates. */
typedef struct fixture {
    td_builder *builder;
    td_model *model;
    states *s;
    bool tree;
    size_t n, nq, entries;
    size_t *rows, *columns;
} fixture;

enum { STATES = 11 };

static fixture fixture_new(td_random *random, td_builder *builder, const char *isa, bool tree)
{
    fixture f = {.builder = builder, .tree = tree};
    f.model = robot_for(builder, TD_BASE_FIXED, isa);
    if (!f.model)
        return f;
    f.s = states_new(random, f.model, tree, STATES);
    f.n = tree ? td_nv(f.model) : td_nyd(f.model), f.nq = tree ? td_nq(f.model) : td_ny(f.model);
    f.entries = td_packed_entries(f.model, coordinates_for(tree));
    f.rows = test_calloc(f.n + 1, sizeof *f.rows),
    f.columns = test_calloc(f.entries + 1, sizeof *f.columns);
    assert_ok(TD_IN(f.s->a.w, coordinates_for(tree),
                    td_packed_pattern(f.model, f.s->a.w, f.rows, f.columns)));
    return f;
}

/* n × n: the packed numbers in the lower triangle, where the pattern has entries */
static double *unpacked(const fixture *f, const double *packed)
{
    double *A = doubles(f->n * f->n);
    for (size_t i = 0; i < f->n; i++)
        for (size_t k = f->rows[i]; k < f->rows[i + 1]; k++)
            A[i * f->n + f->columns[k]] = packed[k];
    return A;
}

/* Rows end with the diagonal, columns ascend, and the last row ends at the number of entries. */
static void check_pattern(const fixture *f)
{
    ck_assert_uint_eq(f->rows[0], 0);
    ck_assert_uint_eq(f->rows[f->n], f->entries);
    for (size_t i = 0; i < f->n; i++) {
        ck_assert_uint_lt(f->rows[i], f->rows[i + 1]);
        ck_assert_uint_eq(f->columns[f->rows[i + 1] - 1], i);
        for (size_t k = f->rows[i] + 1; k < f->rows[i + 1]; k++)
            ck_assert_uint_lt(f->columns[k - 1], f->columns[k]);
    }
}

/* The factors of one state must multiply to H, which shows that the pattern contains every entry of
   H. */
static void check_matrix(const fixture *f, const double *y)
{
    OWNED_HERE;
    const size_t n = f->n, room = n * n;
    const arguments *a = &f->s->a;
    double *H = doubles(room), *factors = doubles(f->entries + 1), *product = doubles(room);
    const td_forces *forces = a->forces;
    factors[f->entries] = 4711;
    assert_ok(TD_IN(a->w, coordinates_for(f->tree), td_mass_matrix(a->model, a->w, y, forces, H)));
    assert_ok(TD_IN(a->w, coordinates_for(f->tree),
                    td_mass_matrix_factors(a->model, a->w, y, forces, factors)));
    ck_assert(factors[f->entries] == 4711);
    double *L = unpacked(f, factors);
    for (size_t k = 0; k < n; k++) /* Σ_k L_ki D_k L_kj */
        for (size_t i = 0; i <= k; i++)
            for (size_t j = 0; j <= k; j++)
                product[i * n + j] +=
                    (i < k ? L[k * n + i] : 1) * L[k * n + k] * (j < k ? L[k * n + j] : 1);
    td_assert_close(room, product, H, 1e-14, td_largest(room, H));
}

/* H X = B for X from the factors. Columns of X must equal single solutions, and X may alias B. */
static void check_solution(const fixture *f, const double *y, size_t columns, td_random *random)
{
    OWNED_HERE;
    const size_t n = f->n, room = n * columns;
    const arguments *a = &f->s->a;
    const td_forces *forces = a->forces;
    double *H = doubles(n * n), *factors = doubles(f->entries);
    double *B = doubles(room), *X = doubles(room + 1), *by_hand = doubles(room);
    td_random_fill(random, room, B);
    TD_IN(a->w, coordinates_for(f->tree), td_mass_matrix(a->model, a->w, y, forces, H));
    TD_IN(a->w, coordinates_for(f->tree),
          td_mass_matrix_factors(a->model, a->w, y, forces, factors));
    X[room] = 4711;
    assert_ok(TD_IN(a->w, coordinates_for(f->tree),
                    td_factors_solve(a->model, a->w, factors, columns, B, X)));
    ck_assert(X[room] == 4711);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < columns; c++)
                by_hand[i * columns + c] += H[i * n + j] * X[j * columns + c];
    const double size = mat_norm(n, H) * td_largest(room, X) + 1;
    td_assert_close(room, by_hand, B, 1e-14 * (double)(n + 1), size);
    assert_ok(TD_IN(a->w, coordinates_for(f->tree),
                    td_factors_solve(a->model, a->w, factors, columns, B, B)));
    ck_assert_mem_eq(B, X, room * sizeof *B);
}

TD_LOOP_TEST(factors_are_of_the_mass_matrix, 0, sizeof isas / sizeof *isas)
{
    if (!kernels_here(isas[_i]))
        return;
    for (uint64_t seed = 0; seed < 24; seed++)
        for (int tree = 0; tree < 2; tree++) {
            td_random random = {seed};
            td_builder *builder =
                regular_robot(&random, 2 + seed, seed % 4 * 2, false, TD_BASE_FIXED);
            fixture f = fixture_new(&random, builder, isas[_i], tree);
            ck_assert_ptr_nonnull(f.model);
            check_pattern(&f);
            for (size_t i = 0; i < STATES; i++)
                check_matrix(&f, f.s->y + i * f.nq);
            for (size_t columns = 0; columns < 60; columns = columns * 2 + 1)
                check_solution(&f, f.s->y, columns, &random);
        }
}

/* Batches with more matrices than fit the caches are written past the caches. Each matrix must
   belong to its state. */
TD_LOOP_TEST(large_batches, 0, sizeof isas / sizeof *isas)
{
    enum { MANY = 600 };
    if (!kernels_here(isas[_i]))
        return;
    td_random random = {7};
    td_builder *builder = td_random_limbs(&random, 70, 0, true, 35);
    fixture f = fixture_new(&random, builder, isas[_i], true);
    const size_t room = f.n * f.n;
    ck_assert_uint_gt(MANY * room, 1 << 21);
    double *q = doubles(MANY * f.nq), *H = doubles(MANY * room + 1), *one = doubles(room);
    for (size_t i = 0; i < MANY; i++)
        td_draw_configuration(&random, f.model, true, 3, q + i * f.nq);
    H[MANY * room] = 4711;
    assert_ok(
        TD_IN_TREE(f.s->a.w, td_batch_mass_matrix(f.model, f.s->a.w, MANY, q, NULL, H, NULL)));
    ck_assert_double_eq(H[MANY * room], 4711);
    for (size_t i = 0; i < MANY; i++) {
        TD_IN_TREE(f.s->a.w, td_mass_matrix(f.model, f.s->a.w, q + i * f.nq, NULL, one));
        td_assert_close(room, H + i * room, one, 1e-14, td_largest(room, one));
    }
}

/* ---- errors -----------------------------------------------------------------------------------
 */

TD_TEST(refusals)
{
    td_random random = {1};
    td_builder *builder = regular_robot(&random, 6, 0, false, TD_BASE_FIXED);
    fixture f = fixture_new(&random, builder, NULL, true);
    td_workspace *w = f.s->a.w;
    double *factors = doubles(f.entries), *B = doubles(f.n * 3), *X = doubles(f.n * 3);
    assert_ok(TD_IN_TREE(w, td_mass_matrix_factors(f.model, w, f.s->y, NULL, factors)));
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, NULL, 3, B, X)), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "factors");
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 3, NULL, X)),
                     TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "B");
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 3, B, NULL)),
                     TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "X");
    assert_ok(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 0, NULL, NULL)));
    ck_assert_int_eq(TD_IN_TREE(NULL, td_packed_pattern(f.model, NULL, NULL, NULL)),
                     TD_ERROR_ARGUMENT);
    ck_assert_uint_eq(td_packed_entries(NULL, TD_COORDINATES_INDEPENDENT) +
                          td_packed_entries(NULL, TD_COORDINATES_TREE),
                      0);
    B[4] = NAN;
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 3, B, X)),
                     TD_ERROR_NOT_FINITE);
    ck_assert(isnan(X[0]) && isnan(X[f.n * 3 - 1]));
    B[4] = 0;
    factors[0] = INFINITY;
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 3, B, X)),
                     TD_ERROR_NOT_FINITE);
    /* the pivot of the third coordinate */
    factors[0] = 1;
    factors[f.rows[3] - 1] = 0;
    ck_assert_int_eq(TD_IN_TREE(w, td_factors_solve(f.model, w, factors, 3, B, X)),
                     TD_ERROR_SINGULAR);
    ck_assert(isnan(X[0]) && isnan(X[f.n * 3 - 1]));
    const td_joint_place place = td_joint_place_at(f.model, td_singular_joint(w));
    ck_assert(place.qd <= 2 && place.qd + place.nv > 2);
}

/* Robots with a singular mass matrix have no factors, for one state and in batches. */
TD_TEST(singular_robots)
{
    td_builder *builder = test_builder("light");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"base", "a", "b", "c"};
        td_link link = td_link_default(names[i]);
        link.has_inertial = i != 3;
        link.mass = 1;
        link.inertia[0] = link.inertia[3] = link.inertia[5] = 1;
        assert_ok(td_builder_add_link(builder, &link));
        td_joint joint =
            td_joint_default(names[i], TD_JOINT_CONTINUOUS, i ? names[i - 1] : "", names[i]);
        if (i > 0)
            assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *w = test_workspace(model);
    double q[3 * STATES] = {0}, factors[6 * STATES];
    td_status each[STATES];
    ck_assert_uint_eq(td_packed_entries(model, TD_COORDINATES_TREE), 6);
    ck_assert_int_eq(TD_IN_TREE(w, td_mass_matrix_factors(model, w, q, NULL, factors)),
                     TD_ERROR_SINGULAR);
    ck_assert_uint_eq(td_singular_joint(w), td_joint_index(model, "c"));
    ck_assert(isnan(factors[0]) && isnan(factors[5]));
    ck_assert_int_eq(td_batch_mass_matrix_factors(model, w, STATES, q, NULL, factors, each),
                     TD_ERROR_SINGULAR);
    for (size_t i = 0; i < STATES; i++)
        ck_assert(each[i] == TD_ERROR_SINGULAR && isnan(factors[6 * i]) &&
                  isnan(factors[6 * i + 5]));
}
