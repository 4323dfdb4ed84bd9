/* SPDX-License-Identifier: MIT */
/*
 * Lanes. Every instruction set of this machine, for one state and for several, gives the results of
 * the baseline for one state. Sine and cosine stay within their error bound, also for large angles.
 * Also covers batches of any length, failing states among valid ones, output of symmetric matrices,
 * and mass matrices that are never packed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/workspace.h"
#include "kernel/isa.h"
#include "kernel/kernel.h"
#include "kernel/real/lines.h"
#include "kernel/real/sincos.h"
#include "kernel/real/strip.h"
#include "kernels_here.h"
#include "model/model.h"
#include "model/pattern.h"
#include "td_test.h"

enum { STATES = 37 };

static const char *const isas[] = {"baseline", "avx2", "avx512"};

typedef struct states {
    double *y, *yd, *ydd, *tau, *poses;
} states;

static states states_new(const td_model *model, td_random *random)
{
    size_t ny = td_ny(model), nyd = td_nyd(model);
    states s = {
        .y = doubles(STATES * ny),
        .yd = doubles(STATES * nyd),
        .ydd = doubles(STATES * nyd),
        .tau = doubles(STATES * nyd),
        .poses = doubles(STATES * 12 * td_link_count(model)),
    };
    for (size_t i = 0; i < STATES; i++)
        td_draw_configuration(random, model, false, 3, s.y + i * ny);
    td_random_fill(random, STATES * nyd, s.yd);
    td_random_fill(random, STATES * nyd, s.ydd);
    return s;
}

/* results of single states */
static void one_by_one(const td_model *model, states *s)
{
    size_t ny = td_ny(model), nyd = td_nyd(model), links = td_link_count(model);
    td_workspace *workspace = test_workspace(model);
    for (size_t i = 0; i < STATES; i++) {
        td_inverse_dynamics(model, workspace, s->y + i * ny, s->yd + i * nyd, s->ydd + i * nyd,
                            NULL, s->tau + i * nyd);
        td_link_poses(model, workspace, s->y + i * ny, s->poses + i * 12 * links);
    }
}

static td_model *random_model(uint64_t seed)
{
    td_random random = {seed};
    td_builder *builder = td_random_robot(&random, 15, 5, false);
    return model_of_builder(builder, NULL);
}

/* Instruction sets differ only by contraction: 1e-14 of the largest number. */
TD_LOOP_TEST(instruction_sets_agree, 0, 3)
{
    const char *isa = isas[_i];
    const td_isa_kernels *kernels = kernels_here(isa);
    if (!kernels)
        return;
    for (uint64_t seed = 0; seed < 10; seed++) {
        OWNED_HERE;
        td_random random = {seed};
        setenv("TANDEM_ISA", "baseline", 1);
        td_model *model = random_model(seed);
        states expected = states_new(model, &random);
        one_by_one(model, &expected);

        setenv("TANDEM_ISA", isa, 1);
        model = random_model(seed);
        ck_assert_str_eq(td_isa(model), kernels->batch->isa);
        random.state = seed;
        states got = states_new(model, &random);
        size_t tau = STATES * td_nyd(model), poses = STATES * 12 * td_link_count(model);
        one_by_one(model, &got);
        td_assert_close(tau, got.tau, expected.tau, 1e-14, 0);
        td_assert_close(poses, got.poses, expected.poses, 1e-14, 0);

        td_workspace *workspace = test_workspace(model);
        memset(got.tau, 0, tau * sizeof(double));
        memset(got.poses, 0, poses * sizeof(double));
        assert_ok(td_batch_inverse_dynamics(model, workspace, STATES, got.y, got.yd, got.ydd, NULL,
                                            got.tau, NULL));
        assert_ok(td_batch_link_poses(model, workspace, STATES, got.y, got.poses, NULL));
        td_assert_close(tau, got.tau, expected.tau, 1e-14, 0);
        td_assert_close(poses, got.poses, expected.poses, 1e-14, 0);
    }
    unsetenv("TANDEM_ISA");
}

/* Links in all poses that links of real robots have relative to their bodies: reversed, shifted,
   rotated about z. */
#if TANDEM_HAS_URDF
TD_LOOP_TEST(links_of_robots, 0, 3)
{
    if (!kernels_here(isas[_i]))
        return;
    setenv("TANDEM_ISA", isas[_i], 1);
    for (const char *const *name = td_robots; *name; name++) {
        OWNED_HERE;
        td_random random = {(uint64_t)_i};
        td_model *model = td_load_robot(*name, NULL);
        td_workspace *workspace = test_workspace(model);
        const size_t nq = td_nq(model), columns = 12 * td_link_count(model);
        double *q = doubles(STATES * nq), *one = doubles(STATES * columns);
        double *batch = doubles(STATES * columns);
        for (size_t i = 0; i < STATES; i++) {
            td_draw_configuration(&random, model, true, 3, q + i * nq);
            TD_IN_TREE(workspace, td_link_poses(model, workspace, q + i * nq, one + i * columns));
        }
        assert_ok(
            TD_IN_TREE(workspace, td_batch_link_poses(model, workspace, STATES, q, batch, NULL)));
        td_assert_close(STATES * columns, batch, one, 1e-14, 0);
    }
    unsetenv("TANDEM_ISA");
}
#endif

/* ---- output of symmetric matrices ------------------------------------------------------------ */

/* a matrix of that pattern with distinct numbers, for some lanes; NaN after the last entry */
static double *packed(const td_pattern *pattern, size_t lanes)
{
    size_t count = (pattern->entries + TD_TILE) * lanes;
    double *in = own(aligned_alloc(64, (count * sizeof *in + 63) / 64 * 64), free);
    ck_assert_ptr_nonnull(in);
    for (size_t i = 0; i < count; i++)
        in[i] = i < pattern->entries * lanes ? (double)(i + 1) : NAN;
    return in;
}

static void check_symmetric(const td_kernels *kernels, const td_pattern *pattern)
{
    OWNED_HERE;
    const size_t n = pattern->size, lanes = kernels->lanes, room = n * n;
    double *in = packed(pattern, lanes), *expected = doubles(lanes * room);
    for (size_t i = 0; i < n; i++)
        for (int j = (int)i; j >= 0; j = pattern->parent[j])
            for (size_t lane = 0; lane < lanes; lane++) {
                size_t entry = pattern->row[i] + (size_t)pattern->depth[j];
                double *matrix = expected + lane * room;
                matrix[i * n + (size_t)j] = matrix[(size_t)j * n + i] = in[entry * lanes + lane];
            }
    for (size_t rows = 1; rows <= lanes; rows++) {
        OWNED_HERE;
        double *out = test_malloc(rows * room * sizeof *out); /* exact size, for sanitizers */
        for (size_t i = 0; i < rows * room; i++)
            out[i] = NAN;
        int finite = 0;
        kernels->store_symmetric(out, in, pattern, rows, &finite);
        ck_assert_int_eq(finite, (1 << rows) - 1);
        ck_assert_mem_eq(out, expected, rows * room * sizeof *out);
        for (size_t k = 0; k < 8 && n > 0; k++) { /* one number that is NaN */
            const size_t entry = k * (pattern->entries - 1) / 7, lane = k % rows;
            const double was = in[entry * lanes + lane];
            in[entry * lanes + lane] = k % 2 ? NAN : -INFINITY;
            kernels->store_symmetric(out, in, pattern, rows, &finite);
            ck_assert_int_eq(finite, ((1 << rows) - 1) & ~(1 << lane));
            in[entry * lanes + lane] = was;
        }
    }
}

/* Writes every number of both triangles, zeros, and nothing else, for forests of all shapes and
   sizes. */
TD_LOOP_TEST(whole_matrices, 0, 3)
{
    static const size_t sizes[] = {34, 64, 100, 255};
    const td_isa_kernels *kernels = kernels_here(isas[_i]);
    if (!kernels)
        return;
    td_random random = {(uint64_t)_i};
    size_t tiled = 0, all = 0;
    for (size_t k = 1; k < 34 + sizeof sizes / sizeof *sizes; k++)
        for (size_t shape = 0; shape < 6; shape++, all++) {
            td_arena arena = {NULL};
            td_pattern pattern = {0};
            ck_assert(td_pattern_new(&pattern, &arena, k < 34 ? k : sizes[k - 34]));
            for (size_t i = 0; i < pattern.size; i++)
                pattern.parent[i] = random_parent(&random, (int)i, shape);
            ck_assert(td_pattern_finish(&pattern, &arena));
            tiled += pattern.tiled;
            check_symmetric(kernels->single, &pattern);
            check_symmetric(kernels->batch, &pattern);
            td_arena_free(&arena);
        }
    ck_assert_uint_ge(4 * tiled, all); /* both methods occur */
    ck_assert_uint_lt(tiled, all);
}

/* ---- mass matrices that are never packed ------------------------------------------------------
 */

/* Which part of a state is NaN: none, a position, or the lever arms, which affect only off-diagonal
   entries. */
typedef enum fault { NONE, POSITION, ARMS } fault;

/* runs `rows` states of a model by both methods, the last one with a fault */
static void check_dense(const td_model *model, const td_kernels *kernels, size_t rows, bool rotors,
                        fault wrong, td_random *random)
{
    OWNED_HERE;
    const td_tree *tree = &model->tree;
    const size_t n = tree->nv, nq = tree->nq, room = n * n;
    td_scratch s;
    td_stack stack;
    int finite;
    ck_assert(td_scratch_new(model, kernels, &s, &stack));
    double *q = doubles(rows * nq);
    void *in = own(aligned_alloc(64, ((nq + 8) * kernels->real_size + 63) / 64 * 64), free);
    double *packed = test_malloc(rows * room * sizeof *packed),
           *dense = test_malloc(rows * room * sizeof *q);
    for (size_t i = 0; i < rows; i++)
        td_draw_configuration(random, model, true, 3, q + i * nq);
    if (wrong == POSITION)
        q[rows * nq - 1] = NAN;
    memset(in, 0, (nq + 8) * kernels->real_size);
    kernels->load(in, q, nq, rows);
    kernels->poses(tree, &s, in, TD_EVERY_LINK, 1);
    kernels->composites(tree, &s);
    for (size_t i = 0; wrong == ARMS && i < 3 * tree->bodies; i++)
        ((double *)s.arm)[i * kernels->lanes + rows - 1] = NAN;
    kernels->crba(tree, &s, rotors);
    kernels->store_symmetric(packed, s.mass, &tree->pattern, rows, &finite);
    for (size_t i = 0; i < rows * room; i++)
        dense[i] = NAN;
    const bool streamed = kernels->lanes > 1 && td_random_below(random, 2);
    ck_assert_int_eq(kernels->dense_mass(tree, &s, rotors, streamed, dense, rows), finite);
    ck_assert(wrong || finite == (1 << rows) - 1);
    for (size_t i = 0; i < rows - (wrong != NONE); i++) {
        const double *H = dense + i * room, *expected = packed + i * room;
        size_t mirrored = 0;
        for (size_t k = 0; k < room; k++)
            mirrored += H[k] == H[k % n * n + k / n];
        ck_assert_uint_eq(mirrored, room);
        td_assert_close(room, H, expected, 1e-14, td_largest(room, expected));
    }
    td_stack_end(&stack);
}

/* Both methods agree for limbs of all lengths and numbers, with all joint types. */
TD_LOOP_TEST(dense_masses, 0, 3)
{
    const td_isa_kernels *kernels = kernels_here(isas[_i]);
    if (!kernels)
        return;
    if (!kernels->single->dense_mass) {
        printf("# %s: packs all mass matrices\n", isas[_i]);
        return;
    }
    setenv("TANDEM_ISA", isas[_i], 1);
    size_t deep = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        OWNED_HERE;
        td_random random = {seed};
        const size_t joints = 1 + seed, length = 1 + seed % 6 * 20;
        td_builder *builder = td_random_limbs(&random, joints, 0, seed % 4 == 0, length);
        td_model *model = model_of_builder(builder, NULL);
        for (fault wrong = NONE; wrong <= ARMS; wrong++) {
            check_dense(model, kernels->single, 1, seed % 2, wrong, &random);
            const size_t most =
                model->tree.deep && kernels->batch->dense_mass ? kernels->batch->lanes : 0;
            for (size_t rows = 1; rows <= most; rows++)
                check_dense(model, kernels->batch, rows, seed % 2, wrong, &random);
        }
        deep += model->tree.deep;
    }
    ck_assert_uint_gt(deep, 30);
    unsetenv("TANDEM_ISA");
}

/* Finite numbers remain finite although their sum overflows. */
TD_LOOP_TEST(large_masses, 0, 3)
{
    enum { JOINTS = 41, ROWS = 9 };
    const double mass = 1e307;
    if (!kernels_here(isas[_i]))
        return;
    setenv("TANDEM_ISA", isas[_i], 1);
    td_builder *builder = test_builder("large");
    for (int i = 0; i <= JOINTS; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        td_link link = td_link_default(name);
        link.has_inertial = i == JOINTS;
        link.mass = mass;
        assert_ok(td_builder_add_link(builder, &link));
        td_joint joint = td_joint_default(name, TD_JOINT_PRISMATIC, parent, name);
        if (i > 0)
            assert_ok(td_builder_add_joint(builder, &joint));
    }
    td_model *model = model_of_builder(builder, NULL);
    td_workspace *workspace = test_workspace(model);
    const size_t room = td_nv(model) * td_nv(model);
    double *q = doubles(ROWS * JOINTS), *H = doubles(ROWS * room);
    td_status each[ROWS];
    assert_ok(
        TD_IN_TREE(workspace, td_batch_mass_matrix(model, workspace, ROWS, q, NULL, H, each)));
    for (size_t k = 0; k < ROWS * room; k++)
        if (H[k] != mass)
            ck_abort_msg("number %zu is %g", k, H[k]);
    unsetenv("TANDEM_ISA");
}

/* Every build has the baseline. Where all processors have NEON it equals NEON. */
TD_TEST(baseline)
{
    const td_isa_kernels *kernels = td_isa_choose("baseline");
    ck_assert_ptr_nonnull(kernels);
    ck_assert_uint_eq(kernels->single->lanes, 1);
    ck_assert_uint_eq(kernels->batch->lanes, 2);
#if defined(__aarch64__)
    ck_assert_ptr_eq(td_isa_choose("neon"), kernels);
    ck_assert_str_eq(kernels->single->isa, "neon");
    ck_assert_ptr_eq(td_isa_choose(NULL), kernels);
#else
    ck_assert_ptr_null(td_isa_choose("neon"));
    ck_assert_str_eq(kernels->single->isa, "baseline");
#endif
    ck_assert_str_eq(kernels->batch->isa, kernels->single->isa);
}

/* ---- names, lengths, numbers ------------------------------------------------------------------
 */

TD_TEST(unknown_instruction_set)
{
    setenv("TANDEM_ISA", "abacus", 1);
    td_random random = {1};
    td_builder *builder = td_random_robot(&random, 3, 0, true);
    td_diagnostics *list = test_diagnostics(0);
    td_model *model = NULL;
    ck_assert_int_eq(test_builder_finish(builder, NULL, list, &model), TD_ERROR_ISA);
    ck_assert_ptr_null(model);
    ck_assert_uint_eq(td_diagnostics_count(list, TD_SEVERITY_ERROR), 1);
    unsetenv("TANDEM_ISA");
    assert_ok(test_builder_finish(builder, NULL, NULL, &model));
}

/* A batch of n equals the first n rows of a longer one, to the last bit. */
TD_TEST(any_length)
{
    td_model *model = random_model(3);
    td_random random = {3};
    states s = states_new(model, &random);
    td_workspace *workspace = test_workspace(model);
    size_t nyd = td_nyd(model);
    td_batch_inverse_dynamics(model, workspace, STATES, s.y, s.yd, s.ydd, NULL, s.tau, NULL);
    double *tau = doubles((STATES + 1) * nyd);
    for (size_t n = 0; n <= STATES; n++) {
        tau[n * nyd] = 4711;
        assert_ok(
            td_batch_inverse_dynamics(model, workspace, n, s.y, s.yd, s.ydd, NULL, tau, NULL));
        ck_assert_mem_eq(tau, s.tau, n * nyd * sizeof *tau);
        ck_assert_double_eq(tau[n * nyd], 4711); /* nothing is written past the end */
    }
}

TD_TEST(one_bad_state)
{
    td_model *model = random_model(4);
    td_random random = {4};
    states s = states_new(model, &random);
    td_workspace *workspace = test_workspace(model);
    size_t nyd = td_nyd(model);
    td_status each[STATES];
    double *good = test_malloc(STATES * nyd * sizeof *good);
    td_batch_inverse_dynamics(model, workspace, STATES, s.y, s.yd, s.ydd, NULL, good, each);
    for (size_t i = 0; i < STATES; i++)
        assert_ok(each[i]);
    s.yd[5 * nyd] = INFINITY;
    s.ydd[20 * nyd] = NAN;
    ck_assert_int_eq(
        td_batch_inverse_dynamics(model, workspace, STATES, s.y, s.yd, s.ydd, NULL, s.tau, each),
        TD_ERROR_NOT_FINITE);
    for (size_t i = 0; i < STATES; i++) {
        bool bad = i == 5 || i == 20;
        ck_assert_int_eq(each[i], bad ? TD_ERROR_NOT_FINITE : TD_OK);
        for (size_t k = 0; bad && k < nyd; k++)
            ck_assert(isnan(s.tau[i * nyd + k]));
        if (!bad)
            ck_assert_mem_eq(s.tau + i * nyd, good + i * nyd, nyd * sizeof *good);
    }
}

/* ---- sine and cosine --------------------------------------------------------------------------
 */

enum { ANGLES = 1000 };

/* a joint about z, so the poses of its link contain only sine and cosine of q */
static td_model *turntable(void)
{
    td_builder *builder = test_builder("turntable");
    td_link base = td_link_default("base"), table = td_link_default("table");
    td_joint joint = td_joint_default("joint", TD_JOINT_CONTINUOUS, "base", "table");
    joint.axis[0] = 0, joint.axis[2] = 1;
    table.has_inertial = true;
    table.mass = 1;
    table.inertia[0] = table.inertia[3] = table.inertia[5] = 1;
    td_builder_add_link(builder, &base);
    td_builder_add_link(builder, &table);
    td_builder_add_joint(builder, &joint);
    return model_of_builder(builder, NULL);
}

typedef struct turned {
    td_model *model;
    td_workspace *workspace;
    double single[2 * 12], batch[ANGLES * 2 * 12];
    double sine[2][ANGLES], cosine[2][ANGLES]; /* one state, and lanes */
} turned;

static void turn(turned *t, const double *x)
{
    td_batch_link_poses(t->model, t->workspace, ANGLES, x, t->batch, NULL);
    for (size_t i = 0; i < ANGLES; i++) {
        const double *lane = t->batch + 24 * i + 12, *one = t->single + 12;
        td_link_poses(t->model, t->workspace, x + i, t->single);
        t->cosine[0][i] = one[0], t->sine[0][i] = one[4];
        t->cosine[1][i] = lane[0], t->sine[1][i] = lane[4];
    }
}

static double in_last_places(double x, long double exact)
{
    double size = fabs((double)exact);
    return fabs((double)(x - exact)) / (nextafter(size, 2) - size);
}

/* the largest error for the angles within the range */
static double worst_error(turned *t, const double *x)
{
    double worst = 0;
    turn(t, x);
    for (size_t i = 0; i < ANGLES; i++) {
        if (fabs(x[i]) > TD_SINCOS_MAX)
            continue;
        const long double sine = sinl((long double)x[i]), cosine = cosl((long double)x[i]);
        for (int form = 0; form < 2; form++) {
            worst = fmax(worst, in_last_places(t->sine[form][i], sine));
            worst = fmax(worst, in_last_places(t->cosine[form][i], cosine));
        }
    }
    return worst;
}

/* Against libm in long double. For angles of all sizes the measured error is 0.8 (worst cases found
   by search: 0.81). Also numbers next to every multiple of π/2. Beyond the range, and in lanes next
   to such an angle, results equal libm's. */
TD_LOOP_TEST(sines, 0, 3)
{
    if (!kernels_here(isas[_i]))
        return;
    setenv("TANDEM_ISA", isas[_i], 1);
    turned *t = test_calloc(1, sizeof *t);
    t->model = turntable();
    t->workspace = test_workspace(t->model);
    unsetenv("TANDEM_ISA");
    td_random random = {9};
    double x[ANGLES], worst = 0;
    for (int n = 0; n < 500; n++) {
        td_random_fill(&random, ANGLES, x);
        for (int i = 0; i < ANGLES; i++) {
            x[i] *= fmin(ldexp(1, (int)td_random_below(&random, 52) - 30), TD_SINCOS_MAX);
            if (i % 28 == 1) /* near multiples of π/2, where the range reduction cancels */
                x[i] = round(x[i]) * M_PI_2;
        }
        worst = fmax(worst, worst_error(t, x));
    }
    ck_assert_msg(worst < 0.8, "%s: worst error %.3f units in the last place", isas[_i], worst);

    worst = 0;
    for (int n = 0; n < TD_SINCOS_MAX / M_PI_2;) {
        for (int i = 0; i < ANGLES; i += 4, n++) {
            const double zero = (double)(n * 1.57079632679489661923L);
            x[i] = zero, x[i + 1] = -zero;
            x[i + 2] = nextafter(zero, 2e6), x[i + 3] = nextafter(zero, -1);
        }
        worst = fmax(worst, worst_error(t, x));
    }
    const bool fused = strcmp(td_isa_choose(isas[_i])->single->isa, "baseline") != 0;
    ck_assert_msg(worst < (fused ? 0.6 : 1.1),
                  "%s: worst error near a zero %.3f units in the last place", isas[_i], worst);

    const double far[] = {1e6 + 1, -1e22, 1e300, 0.5};
    for (int i = 0; i < ANGLES; i++)
        x[i] = far[i % 4];
    turn(t, x);
    for (int i = 0; i < ANGLES; i++)
        for (int form = fabs(x[i]) > TD_SINCOS_MAX ? 0 : 1; form < 2; form++) {
            ck_assert_double_eq(t->sine[form][i], sin(x[i]));
            ck_assert_double_eq(t->cosine[form][i], cos(x[i]));
        }
    const double odd[] = {NAN, INFINITY, -0.0, 0};
    for (int i = 0; i < ANGLES; i++)
        x[i] = odd[i % 4];
    turn(t, x);
    for (int i = 0; i < ANGLES; i++)
        for (int form = 0; form < 2; form++) {
            const double s = t->sine[form][i], c = t->cosine[form][i];
            if (isfinite(x[i])) /* also in a lane next to a NaN */
                ck_assert(s == 0 && c == 1);
            else
                ck_assert(isnan(s) && isnan(c));
        }
}
