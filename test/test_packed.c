/* SPDX-License-Identifier: MIT */
/*
 * Packed matrices: the sparsity of a tree, factors, and solutions with them for many right-hand
 * sides at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/workspace.h"
#include "kernel/isa.h"
#include "kernel/kernel.h"
#include "model/model.h"
#include "model/pattern.h"
#include "td_test.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};

/* the kernels of an instruction set; NULL, and a line that says so, where it is not there */
static const td_isa_kernels *kernels_here(const char *isa)
{
    const td_isa_kernels *kernels = td_isa_choose(isa);
    if (!kernels)
        printf("# %s: not on this machine\n", isa);
    return kernels;
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* the parent of coordinate i, for forests from a chain (0) to anything */
static int random_parent(td_random *random, int i, size_t shape)
{
    if (i == 0 || td_random_below(random, 20) == 0)
        return -1;
    bool next = shape == 0 || td_random_below(random, shape) == 0;
    return next ? i - 1 : (int)td_random_below(random, (size_t)i);
}

static void *aligned_reals(const td_kernels *kernels, size_t count)
{
    void *x = aligned_alloc(64, (count * kernels->real_size + 64) / 64 * 64);
    ck_assert_ptr_nonnull(x);
    memset(x, 0, count * kernels->real_size);
    return x;
}

/* numbers of one lane, rows of a matrix so far apart */
static double *numbers_of_lane(const td_kernels *kernels, const double *reals, size_t lane,
                               size_t first, size_t count, size_t apart)
{
    double *x = malloc(count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = reals[(first + i * apart) * kernels->lanes + lane];
    return x;
}

/* L with the pattern, and so many right-hand sides: each column as one solution by itself */
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
            free(x), free(expected);
        }
    }
    free(L), free(X), free(B), free(one);
    td_stack_end(&stack);
}

/* For forests of all shapes and sizes, and numbers of columns that fill vectors or do not. */
START_TEST(many_right_hand_sides)
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
END_TEST

int main(void)
{
    Suite *suite = suite_create("packed");
    TCase *c = tcase_create("kernels");
    tcase_add_loop_test(c, many_right_hand_sides, 0, sizeof isas / sizeof *isas);
    suite_add_tcase(suite, c);
    return td_test_run(suite);
}
