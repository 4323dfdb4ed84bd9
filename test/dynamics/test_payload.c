/* SPDX-License-Identifier: MIT */
/*
 * Payloads and gravity of a workspace. All functions, for one state and for batches with threads,
 * must give the results of a model loaded with these masses and this gravity. The model and other
 * workspaces do not change. Without payloads all results are as before, to the bit.
 */
#include <math.h>
#include <string.h>

#include "coupled_robots.h"
#include "functions.h"
#include "loop_robots.h"

enum { STATES = 5, MOST_LINKS = 128 };

static const double gravity[3] = {0.3, -2.5, -4};

/* ---- a model with the same changes ----------------------------------------------------------- */

typedef struct payload {
    bool given;
    double mass, com[3], inertia[6];
} payload;

/* I += R J Rᵀ + m (d² 1 − d dᵀ), J and I as xx, xy, xz, yy, yz, zz */
static void add_about(const double R[9], const double J[6], double m, const double d[3],
                      double I[6])
{
    const double full[9] = {J[0], J[1], J[2], J[1], J[3], J[4], J[2], J[4], J[5]};
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++, n++) {
            I[n] += m * ((i == j ? square : 0) - d[i] * d[j]);
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    I[n] += R[3 * i + k] * full[3 * k + l] * R[3 * j + l];
        }
}

/* combines the link and the payload into one body */
static void join(td_link *link, const payload *p)
{
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    td_link whole = *link;
    double own = link->has_inertial ? link->mass : 0, d[3];
    if (!p->given)
        return;
    whole.has_inertial = true;
    whole.mass = own + p->mass;
    memset(whole.inertia, 0, sizeof whole.inertia);
    memcpy(whole.inertial.rotation, one, sizeof one);
    for (int i = 0; i < 3; i++)
        whole.inertial.position[i] =
            whole.mass == 0 ? p->com[i]
                            : (own * link->inertial.position[i] + p->mass * p->com[i]) / whole.mass;
    for (int i = 0; i < 3; i++)
        d[i] = link->inertial.position[i] - whole.inertial.position[i];
    if (link->has_inertial)
        add_about(link->inertial.rotation, link->inertia, own, d, whole.inertia);
    for (int i = 0; i < 3; i++)
        d[i] = p->com[i] - whole.inertial.position[i];
    add_about(one, p->inertia, p->mass, d, whole.inertia);
    *link = whole;
}

/* copies the model's records and merges payloads into its links */
static td_model *changed_model(const td_model *model, const payload *p)
{
    td_builder *builder = test_builder("changed");
    for (size_t i = 0; i < td_link_count(model); i++) {
        td_link link = *td_link_at(model, i);
        join(&link, &p[i]);
        assert_ok(td_builder_add_link(builder, &link));
    }
    for (size_t i = 0; i < td_joint_count(model); i++)
        if (td_joint_at(model, i)->parent)
            assert_ok(td_builder_add_joint(builder, td_joint_at(model, i)));
    for (size_t i = 0; i < td_loop_count(model); i++)
        assert_ok(td_builder_add_loop(builder, td_loop_at(model, i)));
    for (size_t i = 0; i < td_coupling_count(model); i++)
        assert_ok(td_builder_add_coupling(builder, td_coupling_at(model, i)));
    for (size_t i = 0; i < td_transmission_count(model); i++)
        assert_ok(td_builder_add_transmission(builder, td_transmission_at(model, i)));
    td_load_options options = td_load_options_default();
    options.base = td_model_base(model);
    options.plan = td_plan_of(model).plan;
    memcpy(options.gravity, gravity, sizeof gravity);
    return model_of_builder(builder, &options);
}

/* Payloads on about every second link, the root included; some reduce the mass of a link. */
static void choose(td_random *random, const td_model *model, payload *p)
{
    ck_assert_uint_le(td_link_count(model), MOST_LINKS);
    memset(p, 0, MOST_LINKS * sizeof *p);
    for (size_t i = 0; i < td_link_count(model); i++) {
        const td_link *link = td_link_at(model, i);
        double size = 0.05 * (1.2 + td_random_number(random));
        p[i].given = td_random_below(random, 2) == 0;
        p[i].mass = 1 + td_random_number(random);
        td_random_fill(random, 3, p[i].com);
        p[i].inertia[0] = size, p[i].inertia[3] = 1.3 * size, p[i].inertia[5] = 0.9 * size;
        p[i].inertia[1] = 0.1 * size, p[i].inertia[2] = -0.2 * size, p[i].inertia[4] = 0.05 * size;
        if (p[i].given && link->has_inertial && link->mass > 0 && td_random_below(random, 3) == 0) {
            p[i].mass = -0.25 * link->mass;
            memcpy(p[i].com, link->inertial.position, sizeof p[i].com);
            memset(p[i].inertia, 0, sizeof p[i].inertia);
        }
    }
}

static void change(td_workspace *w, const payload *p, size_t links)
{
    assert_ok(td_set_gravity(w, gravity));
    for (size_t i = 0; i < links; i++)
        if (p[i].given)
            assert_ok(td_set_payload(w, i, p[i].mass, p[i].com, p[i].inertia));
}

/* ---- all functions --------------------------------------------------------------------------- */

/* Calls a function with both and compares; tolerance < 0: results must have the same bits. */
static void compare_function(const function *f, states *a, states *b, bool tree, bool batch,
                             double tolerance)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, a->a.model, tree, columns);
    states_clear(a, f, tree, 0);
    states_clear(b, f, tree, 0);
    td_status status = function_call(f, &a->a, tree, batch);
    ck_assert_int_eq(function_call(f, &b->a, tree, batch), status);
    for (size_t p = 0; p < parts && status == TD_OK; p++) {
        size_t n = columns[p] * (batch ? a->a.n : 1);
        double scale = fmax(td_largest(n, b->a.out[p]), 1);
        double error = td_relative_difference(n, a->a.out[p], b->a.out[p], scale);
        bool same = memcmp(a->a.out[p], b->a.out[p], n * sizeof(double)) == 0;
        ck_assert_msg(tolerance < 0 ? same : error <= tolerance, "%s, %s%s: %.3g", f->name,
                      tree ? "tree" : "y", batch ? ", batch" : "", error);
    }
}

/* Functions that solve for accelerations lose digits by the condition of the mass matrix, and so
   does L of the factors. Derivatives of accelerations lose them twice, because forces are
   differentiated at these. */
static double tolerance_of(const function *f)
{
    if (!(f->takes & SOLVES))
        return 1e-13;
    const bool more = strcmp(f->name, "forward_dynamics_derivatives") == 0 ||
                      strcmp(f->name, "mass_matrix_factors") == 0;
    if (strcmp(f->name, "operational_inertia") == 0) /* and the condition of J H⁻¹ Jᵀ */
        return 1e-7;
    return more ? 1e-10 : 1e-11;
}

static void compare_all(states *a, states *b, bool tree, bool exactly)
{
    for (size_t i = 0; i < function_count; i++)
        for (int batch = 0; batch < 2; batch++)
            compare_function(&functions[i], a, b, tree, batch,
                             exactly ? -1 : tolerance_of(&functions[i]));
}

/* Compares the changed workspace of a with the model of b, which was loaded with the changes. Then
   undoes the changes. */
static void check_states(const td_model *model, const td_model *changed, const payload *p,
                         bool tree, uint64_t seed)
{
    td_random one = {seed}, two = {seed}, three = {seed};
    states *a = states_new(&one, model, tree, STATES), *b = states_new(&two, changed, tree, STATES);
    states *before = states_new(&three, model, tree, STATES);
    change(a->a.w, p, td_link_count(model));
    compare_all(a, b, tree, false);
    assert_ok(td_clear_payloads(a->a.w));
    assert_ok(td_set_gravity(a->a.w, NULL));
    compare_all(a, before, tree, true);
}

static void check_model(td_model *model, td_random *random)
{
    payload p[MOST_LINKS];
    choose(random, model, p);
    td_model *changed = changed_model(model, p);
    for (int tree = 0; tree < 2; tree++)
        check_states(model, changed, p, tree, random->state);
}

TD_LOOP_TEST(random_robots, 0, 16)
{
    td_random random = {(uint64_t)_i + 1};
    td_base base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder = regular_robot(&random, 12, 0, _i % 3 == 0, base);
    check_model(robot_for(builder, base, _i % 4 < 2 ? NULL : "baseline"), &random);
}

/* mimic joints, by clusters and by factors of Gᵀ H G */
TD_LOOP_TEST(coupled_robots, 0, 8)
{
    td_random random = {(uint64_t)_i + 100};
    td_load_options options = td_load_options_default();
    options.plan = _i % 2 ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED;
    options.base = _i % 4 < 2 ? TD_BASE_FIXED : TD_BASE_FLOATING;
    td_builder *builder = _i < 4 ? coupled_hand_on_arm() : coupled_parallelograms(4);
    td_model *model = model_of_builder(builder, &options);
    check_model(model, &random);
}

/* ---- loops and threads ----------------------------------------------------------------------- */

TD_LOOP_TEST(mechanisms, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    td_random random = {(uint64_t)_i + 5};
    td_model *model = loop_robot_load(robot);
    payload p[MOST_LINKS];
    choose(&random, model, p);
    td_model *changed = changed_model(model, p);
    td_workspace *a = test_workspace(model), *b = test_workspace(changed);
    size_t n = td_nyd(model);
    double *y = doubles(td_ny(model)), *yd = doubles(n), *ydd = doubles(n), *tau = doubles(n);
    double *expected = doubles(n), *H = doubles(n * n), *H_expected = doubles(n * n);
    change(a, p, td_link_count(model));
    for (int trial = 0; trial < STATES; trial++) {
        loop_robot_state(&random, robot, model, y);
        td_random_fill(&random, n, yd);
        td_random_fill(&random, n, ydd);
        assert_ok(td_inverse_dynamics(model, a, y, yd, ydd, NULL, tau));
        assert_ok(td_inverse_dynamics(changed, b, y, yd, ydd, NULL, expected));
        td_assert_close(n, tau, expected, 1e-11, td_largest(n, expected));
        assert_ok(td_mass_matrix(model, a, y, NULL, H));
        assert_ok(td_mass_matrix(changed, b, y, NULL, H_expected));
        td_assert_close(n * n, H, H_expected, 1e-11, td_largest(n * n, H_expected));
        assert_ok(td_forward_dynamics(model, a, y, yd, tau, NULL, expected));
        td_assert_close(n, expected, ydd, 1e-7, 1);
    }
}

/* A batch large enough for several threads. Another workspace has no payload. */
TD_TEST(threads)
{
    enum { MANY = 4000 };
    td_random random = {9};
    td_builder *builder = td_random_robot(&random, 20, 4, true);
    td_model *model = robot_for(builder, TD_BASE_FLOATING, NULL);
    payload p[MOST_LINKS];
    choose(&random, model, p);
    td_model *changed = changed_model(model, p);
    size_t nq = td_nq(model), n = td_nv(model);
    double *q = doubles(MANY * nq), *qd = doubles(MANY * n), *tau[3];
    td_workspace *w[3] = {test_workspace_threads(model, 4), test_workspace(changed),
                          test_workspace_threads(model, 4)};
    change(w[0], p, td_link_count(model));
    for (size_t i = 0; i < MANY; i++)
        td_draw_configuration(&random, model, true, 3, q + i * nq);
    td_random_fill(&random, MANY * n, qd);
    for (int k = 0; k < 3; k++) {
        tau[k] = doubles(MANY * n);
        td_status status =
            TD_IN_TREE(w[k], td_batch_inverse_dynamics(k == 1 ? changed : model, w[k], MANY, q, qd,
                                                       NULL, NULL, tau[k], NULL));
        assert_ok(status);
    }
    td_assert_close(MANY * n, tau[0], tau[1], 1e-13, td_largest(MANY * n, tau[1]));
    ck_assert_double_gt(td_largest_difference(MANY * n, tau[0], tau[2]), 0.1);
}

/* ---- payloads per state of a batch ----------------------------------------------------------- */

/* payloads in the form of td_set_payload_rows, at all links, whose indices are `index` */
static double *rows_of(const payload *p, size_t rows, size_t links, size_t *index)
{
    double *all = doubles(rows * links * 10);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < links; k++) {
            const payload *one = &p[i * MOST_LINKS + k];
            double *at = all + 10 * (i * links + k);
            index[k] = k;
            if (!one->given)
                continue;
            at[0] = one->mass;
            memcpy(at + 1, one->com, sizeof one->com);
            memcpy(at + 4, one->inertia, sizeof one->inertia);
        }
    return all;
}

static void compare_row(const function *f, const arguments *got, const arguments *want, bool tree,
                        bool exactly)
{
    size_t columns[MOST_PARTS], parts = function_parts(f, got->model, tree, columns);
    for (size_t p = 0; p < parts; p++) {
        const double scale = fmax(td_largest(columns[p], want->out[p]), 1);
        const double error = td_relative_difference(columns[p], got->out[p], want->out[p], scale);
        const bool same = memcmp(got->out[p], want->out[p], columns[p] * sizeof(double)) == 0;
        ck_assert_msg(exactly ? same : error <= tolerance_of(f), "%s, %s: %.3g", f->name,
                      tree ? "tree" : "y", error);
    }
}

/* Compares row i of a batch with one state, for all functions: with that payload set, to the bit,
   and with a model that was loaded with it. */
static void check_rows(const td_model *model, td_random *random, bool tree)
{
    static payload p[STATES * MOST_LINKS];
    const size_t links = td_link_count(model);
    size_t index[MOST_LINKS];
    td_model *changed[STATES];
    states *of_changed[STATES];
    const uint64_t seed = random->state;
    td_random one = {seed}, two = {seed};
    states *a = states_new(&one, model, tree, STATES), *b = states_new(&two, model, tree, STATES);
    for (int i = 0; i < STATES; i++) {
        td_random same = {seed};
        choose(random, model, p + i * MOST_LINKS);
        changed[i] = changed_model(model, p + i * MOST_LINKS);
        of_changed[i] = states_new(&same, changed[i], tree, STATES);
    }
    double *rows = rows_of(p, STATES, links, index);
    assert_ok(td_set_gravity(a->a.w, gravity));
    assert_ok(td_set_gravity(b->a.w, gravity));
    for (size_t k = 0; k < function_count; k++) {
        const function *f = &functions[k];
        states_clear(a, f, tree, 0), states_clear(b, f, tree, 0);
        assert_ok(td_set_payload_rows(a->a.w, STATES, links, index, rows));
        const td_status status = function_call(f, &a->a, tree, true);
        assert_ok(td_set_payload_rows(a->a.w, 0, 0, NULL, NULL));
        for (size_t i = 0; i < STATES; i++) {
            const arguments got = function_row(f, &a->a, tree, i);
            const arguments want = function_row(f, &b->a, tree, i);
            assert_ok(td_clear_payloads(b->a.w));
            change(b->a.w, p + i * MOST_LINKS, links);
            ck_assert_int_eq(function_call(f, &want, tree, false), a->a.each[i]);
            if (a->a.each[i] != TD_OK)
                continue;
            compare_row(f, &got, &want, tree, true);
            states_clear(of_changed[i], f, tree, 0);
            const arguments loaded = function_row(f, &of_changed[i]->a, tree, i);
            assert_ok(function_call(f, &loaded, tree, false));
            compare_row(f, &got, &loaded, tree, false);
        }
        (void)status;
    }
    /* the workspace's payloads are active again */
    assert_ok(td_clear_payloads(b->a.w));
    compare_all(a, b, tree, true);
}

TD_LOOP_TEST(rows_of_batches, 0, 4)
{
    td_random random = {(uint64_t)_i + 40};
    td_base base = _i % 2 ? TD_BASE_FLOATING : TD_BASE_FIXED;
    td_builder *builder =
        _i < 3 ? regular_robot(&random, 8, 0, _i % 3 == 0, base) : coupled_parallelograms(2);
    td_model *model = robot_for(builder, base, NULL);
    for (int tree = 0; tree < 2; tree++)
        check_rows(model, &random, tree);
}

/* Loops are closed from the start in each row. Constrained dynamics has separate batch
   functions. */
TD_LOOP_TEST(rows_of_loops, 0, loop_robot_count)
{
    const loop_robot *robot = &loop_robots[_i];
    static payload p[STATES * MOST_LINKS];
    td_random random = {(uint64_t)_i + 60};
    td_model *model = loop_robot_load(robot);
    td_workspace *w = test_workspace(model), *x = test_workspace(model);
    const size_t links = td_link_count(model), ny = td_ny(model), n = td_nyd(model);
    const size_t nq = td_nq(model), nv = td_nv(model);
    size_t index[MOST_LINKS];
    double *y = doubles(STATES * ny), *ydd = doubles(STATES * n), *one = doubles(n);
    double *q = doubles(STATES * nq), *qdd = doubles(STATES * nv), *alone = doubles(nv);
    td_status each[STATES];
    for (size_t i = 0; i < STATES; i++) {
        choose(&random, model, p + i * MOST_LINKS);
        loop_robot_state(&random, robot, model, y + i * ny);
        assert_ok(td_closure(model, x, y + i * ny, NULL, NULL, q + i * nq, NULL, NULL));
    }
    assert_ok(td_closure_recall(model, x, NULL));
    double *rows = rows_of(p, STATES, links, index);
    assert_ok(td_set_gravity(w, gravity));
    assert_ok(td_set_payload_rows(w, STATES, links, index, rows));
    assert_ok(td_batch_forward_dynamics(model, w, STATES, y, NULL, NULL, NULL, ydd, each));
    assert_ok(td_batch_constrained_forward_dynamics(model, w, STATES, q, NULL, NULL, NULL, NULL,
                                                    qdd, NULL, each));
    for (size_t i = 0; i < STATES; i++) {
        assert_ok(td_clear_payloads(x));
        change(x, p + i * MOST_LINKS, links);
        assert_ok(td_forward_dynamics(model, x, y + i * ny, NULL, NULL, NULL, one));
        td_assert_close(n, ydd + i * n, one, 1e-9, td_largest(n, one));
        assert_ok(td_constrained_forward_dynamics(model, x, q + i * nq, NULL, NULL, NULL, NULL,
                                                  alone, NULL));
        ck_assert_mem_eq(qdd + i * nv, alone, nv * sizeof *alone);
    }
    ck_assert_int_eq(td_batch_constrained_forward_dynamics(model, w, STATES + 1, q, NULL, NULL,
                                                           NULL, NULL, qdd, NULL, each),
                     TD_ERROR_ARGUMENT);
}

TD_TEST(bad_rows)
{
    td_builder *builder = coupled_parallelograms(1);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *w = test_workspace(model);
    double payloads[20] = {1, [10] = 2}, y[3] = {0.1, 0.2, 0.3}, tau[3];
    size_t link = td_link_count(model) - 1, none = td_link_count(model);
    ck_assert_int_eq(td_set_payload_rows(NULL, 2, 1, &link, payloads), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload_rows(w, 2, 1, &none, payloads), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "links");
    ck_assert_int_eq(td_set_payload_rows(w, 2, 1, &link, NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload_rows(w, 2, 1, NULL, payloads), TD_ERROR_ARGUMENT);
    assert_ok(td_set_payload_rows(w, 2, 1, &link, payloads));
    ck_assert_int_eq(td_batch_gravity_force(model, w, 3, y, tau, NULL), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "n");
    assert_ok(td_batch_gravity_force(model, w, 2, y, tau, NULL));
    assert_ok(td_clear_payloads(w));
    assert_ok(td_batch_gravity_force(model, w, 3, y, tau, NULL));
    for (int i = 0; i < 3; i++) {
        double own;
        assert_ok(td_gravity_force(model, w, y + i, &own));
        td_assert_close(1, tau + i, &own, 1e-14, fabs(own));
    }
    payloads[10] = -100;
    ck_assert_int_eq(td_set_payload_rows(w, 2, 1, &link, payloads), TD_ERROR_ARGUMENT);
    payloads[10] = NAN;
    ck_assert_int_eq(td_set_payload_rows(w, 2, 1, &link, payloads), TD_ERROR_ARGUMENT);
    ck_assert_str_eq(td_argument_fault(w), "payloads");
}

/* ---- the setters ----------------------------------------------------------------------------- */

/* A payload at a link replaces the previous one there; a payload at another link remains. */
TD_TEST(payloads_replace_each_other)
{
    td_random random = {3};
    td_builder *builder = td_random_robot(&random, 6, 0, true);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    size_t nv = td_nv(model), last = td_link_count(model) - 1;
    const double com[3] = {0.1, 0.2, 0.3}, inertia[6] = {0.1, 0, 0, 0.1, 0, 0.1};
    double *q = doubles(td_nq(model)), *a = doubles(nv), *b = doubles(nv), *none = doubles(nv);
    td_workspace *w = test_workspace(model), *x = test_workspace(model);
    td_random_fill(&random, td_nq(model), q);
    assert_ok(TD_IN_TREE(w, td_gravity_force(model, w, q, none)));
    assert_ok(td_set_payload(w, last, 5, com, inertia));
    assert_ok(td_set_payload(w, 2, 1, NULL, NULL));
    assert_ok(td_set_payload(w, last, 2, NULL, inertia));
    assert_ok(td_set_payload(x, last, 2, NULL, inertia));
    assert_ok(td_set_payload(x, 2, 1, NULL, NULL));
    assert_ok(TD_IN_TREE(w, td_gravity_force(model, w, q, a)));
    assert_ok(TD_IN_TREE(x, td_gravity_force(model, x, q, b)));
    ck_assert_mem_eq(a, b, nv * sizeof *a);
    ck_assert_double_gt(td_largest_difference(nv, a, none), 1e-3);
    assert_ok(td_set_payload(w, last, 0, com, NULL));
    assert_ok(td_set_payload(w, 2, 0, NULL, NULL));
    assert_ok(TD_IN_TREE(w, td_gravity_force(model, w, q, a)));
    ck_assert_mem_eq(a, none, nv * sizeof *a);
}

/* Two bodies that slide along or rotate about one line, A on the world and B on A. Separately D,
   and C, which follows D, so that y differs from q. One pivot of the mass matrix depends on A
   alone. */
static td_model *in_a_row(td_joint_type type)
{
    td_builder *builder = test_builder("in_a_row");
    static const char *const links[] = {"world", "A", "B", "D", "C"};
    for (int i = 0; i < 5; i++) {
        td_link link = td_solid_link(links[i], i, 0.1 * i);
        assert_ok(td_builder_add_link(builder, &link));
    }
    for (int i = 1; i < 5; i++) {
        td_joint joint = td_joint_default(links[i], type, links[i == 2 ? 1 : 0], links[i]);
        joint.mimic = i == 4 ? "D" : NULL;
        joint.multiplier = 0.5;
        assert_ok(td_builder_add_joint(builder, &joint));
    }
    return model_of_builder(builder, NULL);
}

/* Checks the remaining inertia of A in coordinates y and in tree coordinates. */
static void check_left(const td_model *model, td_workspace *w, double part, td_status expected)
{
    static const double zero[4];
    const bool slides = td_joint_at(model, 0)->type == TD_JOINT_PRISMATIC;
    const double own = slides ? 1 : 0.1;
    const td_joint_place place = td_joint_place_at(model, td_joint_index(model, "A"));
    double tau[4] = {0}, tau_y[3] = {0}, ydd[3], qdd[4];
    tau[place.qd] = tau_y[place.yd] = 1;
    ck_assert_int_eq(td_forward_dynamics(model, w, zero, NULL, tau_y, NULL, ydd), expected);
    ck_assert_int_eq(TD_IN_TREE(w, td_forward_dynamics(model, w, zero, NULL, tau, NULL, qdd)),
                     expected);
    if (expected != TD_OK)
        return;
    /* B does not move */
    ck_assert_double_le(fabs(qdd[place.qd] * part * own - 1), 1e-12);
    ck_assert_double_le(fabs(ydd[place.yd] * part * own - 1), 1e-12);
}

/* Payloads that remove almost all of a link's mass or moments may leave joints without usable
   inertia. Calls report this as they would after loading. They must not report it if less is
   removed, or if all payloads are removed. A later payload at another link does not change the
   result. */
TD_LOOP_TEST(emptied_links, 0, 2)
{
    const td_joint_type type = _i % 2 ? TD_JOINT_REVOLUTE : TD_JOINT_PRISMATIC;
    const bool slides = type == TD_JOINT_PRISMATIC;
    td_model *model = in_a_row(type);
    td_workspace *w = test_workspace(model);
    const size_t A = td_link_index(model, "A"), B = td_link_index(model, "B");
    ck_assert(A < B);
    static const double left[] = {0.5, 1e-12, 0};
    for (int k = 0; k < 3; k++) {
        const double taken = -(1 - left[k]), mass = slides ? taken : 0, moment = slides ? 0 : taken;
        const double inertia[6] = {0.1 * moment}; /* about the axis */
        const td_status expected = k ? TD_ERROR_SINGULAR : TD_OK;
        assert_ok(td_set_payload(w, A, mass, NULL, inertia));
        check_left(model, w, left[k], expected);
        assert_ok(td_set_payload(w, B, 1, NULL, NULL));
        check_left(model, w, left[k], expected);
        assert_ok(td_set_payload(w, B, 0, NULL, NULL));
        check_left(model, w, left[k], expected);
    }
    ck_assert_int_eq(td_set_payload(w, A, -1 - 1e-15, NULL, NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_clear_payloads(w));
    check_left(model, w, 1, TD_OK);
}

TD_TEST(bad_arguments)
{
    td_builder *builder = coupled_parallelograms(1);
    td_model *model = robot_for(builder, TD_BASE_FIXED, NULL);
    td_workspace *w = test_workspace(model), *fresh = test_workspace(model);
    const double bad[6] = {0, 0, NAN, 0, 0, 0}, good[6] = {0};
    double y = 0.4, tau[2];
    size_t links = td_link_count(model);
    ck_assert_int_eq(td_set_gravity(NULL, good), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_gravity(w, bad), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_allow_payloads(NULL), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_clear_payloads(NULL), TD_ERROR_ARGUMENT);
    assert_ok(td_clear_payloads(w));
    ck_assert_int_eq(td_set_payload(NULL, 0, 1, good, good), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload(w, links, 1, good, good), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload(w, 1, NAN, good, good), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload(w, 1, 1, bad, good), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload(w, 1, 1, good, bad), TD_ERROR_ARGUMENT);
    ck_assert_int_eq(td_set_payload(w, 1, -1e9, good, good), TD_ERROR_ARGUMENT);
    assert_ok(td_inverse_dynamics(model, w, &y, NULL, NULL, NULL, &tau[0]));
    assert_ok(td_inverse_dynamics(model, fresh, &y, NULL, NULL, NULL, &tau[1]));
    ck_assert_double_eq(tau[0], tau[1]);
}
