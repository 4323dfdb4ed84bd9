/* SPDX-License-Identifier: MIT */
/*
 * Configurations in which branches of γ cross. Parallelograms inside groups of loops keep their
 * branch through flat positions, whether or not they are flat at q = 0. For other four-bars that
 * fold flat, paths end there. The status for a given y must not depend on the number of steps, in
 * single calls, batches and rows. Also tests which start the calls of a workspace follow.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

/* ---- robots ---------------------------------------------------------------------------------- */

enum { BESIDE, PLANAR, WAYS, MOST = 32 };

/* A four-bar in the plane at a crank angle: crank, coupler, rocker and ground. BESIDE: its coupler
   carries a floating link that another loop welds to it. PLANAR: its coupler is the child of a
   planar joint, and two loops pin it to crank and rocker. */
typedef struct four_bar {
    int way;
    double crank, coupler, rocker, ground, angle;
} four_bar;

static void add_link(td_builder *b, const char *name, double mass)
{
    td_link link = td_solid_link(name, mass, mass > 0 ? 0.01 : 0);
    link.inertial.position[0] = 0.1;
    assert_ok(td_builder_add_link(b, &link));
}

static void add_joint(td_builder *b, const char *name, td_joint_type type, const char *parent,
                      const char *child, double x, double y, int independent)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.origin.position[0] = x, joint.origin.position[1] = y;
    joint.axis[0] = 0, joint.axis[2] = 1;
    joint.independent = independent;
    assert_ok(td_builder_add_joint(b, &joint));
}

static void add_loop(td_builder *b, const char *name, td_loop_type type, const char *predecessor,
                     double x, double y, const char *successor, double u, double v)
{
    td_loop loop = td_loop_default(name, predecessor, successor);
    loop.type = type;
    loop.axis[0] = 0, loop.axis[2] = 1;
    loop.predecessor_origin.position[0] = x, loop.predecessor_origin.position[1] = y;
    loop.successor_origin.position[0] = u, loop.successor_origin.position[1] = v;
    assert_ok(td_builder_add_loop(b, &loop));
}

static td_model *four_bar_model(const four_bar *f)
{
    td_builder *b = test_builder("four-bar");
    const double x = f->crank * cos(f->angle), y = f->crank * sin(f->angle);
    const double across = hypot(f->ground - x, y), way = atan2(-y, f->ground - x);
    const double square = f->coupler * f->coupler + across * across - f->rocker * f->rocker;
    const double cosine = fmin(1, fmax(-1, square / (2 * f->coupler * across)));
    const double leans = f->crank == f->rocker ? 0 : way + acos(cosine);
    const double u = x + f->coupler * cos(leans), v = y + f->coupler * sin(leans); /* the pin */
    add_link(b, "ground", 0);
    add_link(b, "A", 1);
    add_link(b, "B", 1);
    add_link(b, "C", 1);
    add_joint(b, "a", TD_JOINT_CONTINUOUS, "ground", "A", 0, 0, 1);
    add_joint(b, "c", TD_JOINT_CONTINUOUS, "ground", "C", f->ground, 0, 0);
    if (f->way == BESIDE) {
        add_link(b, "M", 1);
        add_joint(b, "b", TD_JOINT_CONTINUOUS, "A", "B", x, y, 0);
        add_joint(b, "m", TD_JOINT_FLOATING, "ground", "M", 0, 0, 0);
        add_loop(b, "pin", TD_LOOP_REVOLUTE, "B", u - x, v - y, "C", u - f->ground, v);
        add_loop(b, "weld", TD_LOOP_FIXED, "B", 0.1, 0, "M", 0, 0);
    } else {
        add_joint(b, "b", TD_JOINT_PLANAR, "ground", "B", x, y, 0);
        add_loop(b, "pin", TD_LOOP_REVOLUTE, "A", x, y, "B", 0, 0);
        add_loop(b, "other", TD_LOOP_REVOLUTE, "B", u - x, v - y, "C", u - f->ground, v);
    }
    return model_of_builder(b, NULL);
}

static double *position_of(const td_model *model, double *q, const char *joint)
{
    return q + td_joint_place_at(model, td_joint_index(model, joint)).q;
}

/* three legs, each with a parallelogram that is flat at zero, a prismatic joint on its coupler, and
   a ball joint at a platform */
static td_model *legs_model(void)
{
    td_builder *b = test_builder("legs");
    add_link(b, "ground", 0);
    add_link(b, "top", 1);
    for (int k = 0; k < 3; k++) {
        char name[6][8];
        static const char *const kinds[6] = {"crank", "coupler", "rocker", "slide", "pin", "ball"};
        for (int i = 0; i < 6; i++)
            snprintf(name[i], sizeof name[i], "%.5s%d", kinds[i], k);
        const double turn = 2 * M_PI * k / 3, c = cos(turn), s = sin(turn);
        const double R[9] = {c, 0, s, s, 0, -c, 0, 1, 0}; /* z across, y up */
        for (int i = 0; i < 4; i++)
            add_link(b, name[i], 0.1);
        static const double at[4][2] = {{-0.1, 0}, {0.08, 0}, {0.1, 0}, {0.1, 0}};
        for (int i = 0; i < 4; i++) {
            const bool on_ground = i == 0 || i == 2;
            td_joint joint =
                td_joint_default(name[i], i == 3 ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS,
                                 on_ground ? "ground"
                                 : i == 1  ? name[0]
                                           : name[1],
                                 name[i]);
            joint.axis[0] = 0, joint.axis[2] = 1;
            joint.origin.position[0] = at[i][0];
            if (on_ground) { /* the plane of the leg is tangent to a circle about the center */
                memcpy(joint.origin.rotation, R, sizeof R);
                joint.origin.position[0] = 0.25 * s + at[i][0] * c;
                joint.origin.position[1] = -0.25 * c + at[i][0] * s;
            }
            joint.limit.lower = -1, joint.limit.upper = 1;
            joint.limit.effort = joint.limit.velocity = 100;
            joint.independent = i == 0;
            assert_ok(td_builder_add_joint(b, &joint));
        }
        add_loop(b, name[4], TD_LOOP_REVOLUTE, name[1], 0.2, 0, name[2], 0.08, 0);
        td_loop ball = td_loop_default(name[5], name[3], "top");
        ball.type = TD_LOOP_SPHERICAL;
        ball.predecessor_origin.position[1] = 0.1;
        ball.successor_origin.position[0] = 0.25 * s;
        ball.successor_origin.position[1] = -0.25 * c;
        assert_ok(td_builder_add_loop(b, &ball));
    }
    add_joint(b, "top", TD_JOINT_FLOATING, "ground", "top", 0, 0, 0);
    return model_of_builder(b, NULL);
}

/* ---- parallelograms -------------------------------------------------------------------------- */

static const int step_counts[] = {1, 2, 3, 8, 40, 400};
enum { STEP_COUNTS = sizeof step_counts / sizeof *step_counts };

static const double gravity[3] = {0, -9.81, 0};

/* the crank's torque by hand: all links except the rocker move with the crank's end */
static double torque_of(const four_bar *f, double y)
{
    const double along = f->crank * cos(f->angle + y);
    return 9.81 * (2 * 0.1 * cos(y) + (f->way == BESIDE ? 2 : 1) * along);
}

/* Flat at q = 0, nearly flat, or not flat; the motion passes both flat positions. */
TD_LOOP_TEST(parallelograms, 0, WAYS)
{
    td_random random = {(uint64_t)(40 + _i)};
    static const double angles[] = {0, 0, 1e-4, 0.3, 2};
    for (int n = 0; n < 10; n++) {
        const double crank = 0.3 + 0.2 * td_random_number(&random);
        const double ground = 1 + 0.3 * td_random_number(&random);
        const four_bar f = {_i, crank, ground, crank, ground, angles[n % 5]};
        td_model *model = four_bar_model(&f);
        ck_assert_uint_eq(td_ny(model), 1);
        const td_loop_form form = td_loop_place_at(model, 0).form;
        ck_assert_msg(form == (_i == BESIDE ? TD_LOOP_FORM_LINEAR : TD_LOOP_FORM_ITERATED),
                      "%d: %d", n, form);
        for (int k = 0; k < 2 * STEP_COUNTS; k++) {
            td_workspace *w = test_workspace(model);
            const int steps = step_counts[k / 2];
            assert_ok(td_set_gravity(w, gravity));
            for (int i = 1; i <= steps; i++) {
                const double y = ((k % 2 ? 4 : -4) - f.angle) * i / steps;
                double q[MOST], tau;
                assert_ok(td_closure(model, w, &y, NULL, NULL, q, NULL, NULL));
                ck_assert_double_eq_tol(*position_of(model, q, "c"), y, 1e-12);
                assert_ok(td_inverse_dynamics(model, w, &y, NULL, NULL, NULL, &tau));
                ck_assert_double_eq_tol(tau, torque_of(&f, y), 1e-11);
            }
        }
    }
}

/* The loops determine the reactions in the joints of a parallelogram: a passive joint does no
   virtual work, and the crank's torque is as above. */
TD_TEST(reactions)
{
    for (int way = 0; way < WAYS; way++) {
        const four_bar f = {way, 0.3, 1, 0.3, 1, 0.4};
        td_model *model = four_bar_model(&f);
        td_workspace *w = test_workspace(model);
        const double y = 0.2;
        double forces[6 * MOST];
        assert_ok(td_set_gravity(w, gravity));
        assert_ok(td_joint_reactions(model, w, &y, NULL, NULL, NULL, TD_FRAME_BODY, forces));
        const size_t rocker = td_joint_index(model, "c");
        ck_assert_double_eq_tol(forces[6 * rocker + 2], 0, 1e-12); /* its moment about z */
        const size_t crank = td_joint_index(model, "a");
        ck_assert_double_eq_tol(forces[6 * crank + 2], torque_of(&f, y), 1e-11);
    }
}

/* All legs of a platform are flat at q = 0. Each crank passes zero alone, and then all together. */
TD_TEST(legs)
{
    static const double from[4][3] = {
        {0.5, 0.02, 0.9}, {0.02, 0.5, -0.5}, {0.2, 0.2, 0.2}, {0.1, -0.1, 0.3}};
    td_model *model = legs_model();
    ck_assert_uint_eq(td_ny(model), 3);
    for (int n = 0; n < 4; n++)
        for (int k = 0; k < STEP_COUNTS - 1; k++) {
            td_workspace *w = test_workspace(model);
            for (int i = 0; i <= step_counts[k]; i++) {
                double y[3], q[MOST];
                for (int c = 0; c < 3; c++)
                    y[c] = from[n][c] * (1 - 2. * i / step_counts[k]);
                assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
                for (int c = 0; c < 3; c++) {
                    char name[8];
                    snprintf(name, sizeof name, "rocke%d", c);
                    ck_assert_double_eq_tol(*position_of(model, q, name), y[c], 1e-12);
                }
            }
        }
}

/* ---- other four-bars that fold flat ---------------------------------------------------------- */

/* Where the crank is along the ground, ground − crank = rocker − coupler. Before that position all
   calls succeed. Beyond it, for any number of steps, statuses equal the status of one call from the
   start. */
TD_LOOP_TEST(others, 0, WAYS)
{
    enum { ROWS = 400 };
    static double rows[ROWS], q[ROWS * MOST];
    static td_status each[ROWS];
    td_random random = {(uint64_t)(60 + _i)};
    for (int n = 0; n < 6; n++) {
        const double crank = 0.4 + 0.1 * td_random_number(&random);
        const double coupler = 0.7 + 0.2 * td_random_number(&random);
        const four_bar f = {_i, crank, coupler, coupler + 1 - crank, 1, 0.3 + 0.05 * n};
        td_model *model = four_bar_model(&f);
        ck_assert_int_eq(td_loop_place_at(model, 0).form, TD_LOOP_FORM_ITERATED);
        td_workspace *one = test_workspace(model), *w = test_workspace(model);
        for (int k = 0; k < STEP_COUNTS; k++) {
            const int steps = step_counts[k];
            assert_ok(td_closure_start(model, w, NULL));
            for (int i = 1; i <= steps; i++) {
                const double y = rows[i - 1] = -(f.angle + 0.5) * i / steps;
                const double left = fabs(f.angle + y);
                assert_ok(td_closure_start(model, one, NULL));
                const td_status alone = td_closure(model, one, &y, NULL, NULL, q, NULL, NULL);
                const td_status found = td_closure(model, w, &y, NULL, NULL, q, NULL, NULL);
                ck_assert_msg(found == alone, "%d, %d steps, %g: %s, in one call %s", n, steps, y,
                              td_status_text(found), td_status_text(alone));
                if (left < 2e-3) /* singular, or so close that digits are lost */
                    continue;
                ck_assert_msg(found == (f.angle + y > 0 ? TD_OK : TD_ERROR_BRANCH),
                              "%d, %d steps, %g beside it: %s", n, steps, f.angle + y,
                              td_status_text(found));
            }
            for (int from = TD_ROW_START_COMMON; from <= TD_ROW_START_BEFORE; from++) {
                td_closure_rows(model, w, (td_row_start)from, NULL, 0);
                td_batch_closure(model, w, (size_t)steps, rows, NULL, NULL, q, NULL, NULL, each);
                for (int i = 0; i < steps; i++)
                    if (fabs(f.angle + rows[i]) >= 2e-3)
                        ck_assert_int_eq(each[i], f.angle + rows[i] > 0 ? TD_OK : TD_ERROR_BRANCH);
            }
        }
    }
}

/* ---- which start calls follow ---------------------------------------------------------------- */

/* A point on two slides at (x, y), supported by an arm of two links from the origin. When the point
   circles the origin, the arm makes a whole turn while y returns to its initial value. */
static td_model *arm_model(void)
{
    td_builder *b = test_builder("arm");
    static const char *const links[] = {"ground", "slide", "point", "upper", "lower"};
    for (int i = 0; i < 5; i++)
        add_link(b, links[i], i > 0);
    for (int i = 0; i < 2; i++) {
        td_joint joint =
            td_joint_default(i ? "y" : "x", TD_JOINT_PRISMATIC, links[i], links[i + 1]);
        joint.axis[0] = !i, joint.axis[1] = i, joint.axis[2] = 0;
        joint.origin.position[0] = !i;
        joint.independent = 1;
        joint.limit.lower = -9, joint.limit.upper = 9;
        joint.limit.effort = joint.limit.velocity = 9;
        assert_ok(td_builder_add_joint(b, &joint));
    }
    add_joint(b, "shoulder", TD_JOINT_CONTINUOUS, "ground", "upper", 0, 0, 0);
    add_joint(b, "elbow", TD_JOINT_CONTINUOUS, "upper", "lower", 0.875, 0.48412291827592711, 0);
    add_loop(b, "pin", TD_LOOP_REVOLUTE, "lower", 0.125, -0.48412291827592711, "point", 0, 0);
    return model_of_builder(b, NULL);
}

TD_TEST(following_choices)
{
    enum { ROWS = 61 };
    td_model *model = arm_model();
    double y[2 * ROWS], rows[ROWS * MOST];
    td_status each[ROWS];
    for (int i = 0; i < ROWS; i++) {
        y[2 * i] = cos(2 * M_PI * i / (ROWS - 1)) - 1;
        y[2 * i + 1] = sin(2 * M_PI * i / (ROWS - 1));
    }
    y[2 * ROWS - 2] = y[2 * ROWS - 1] = 0; /* as at the start */
    for (int following = TD_FOLLOWING_BY_CALL; following <= TD_FOLLOWING_START; following++) {
        td_workspace_options options = td_workspace_options_default();
        ck_assert_int_eq(options.following, TD_FOLLOWING_BY_CALL);
        options.following = (td_following)following;
        td_workspace *w = test_workspace_with(model, &options);
        const size_t nq = td_nq(model);
        double q[MOST], first[MOST];
        for (int i = 0; i < ROWS; i++) {
            const td_status status = td_closure(model, w, y + 2 * i, NULL, NULL, q, NULL, NULL);
            if (following != TD_FOLLOWING_START || i == 0 || i == ROWS - 1)
                assert_ok(status);
            if (i == 0)
                memcpy(first, q, sizeof first);
        }
        const double turn = following == TD_FOLLOWING_START ? 0 : 2 * M_PI;
        ck_assert_double_eq_tol(*position_of(model, q, "shoulder"), turn, 1e-12);
        if (turn == 0)
            ck_assert_mem_eq(q, first, nq * sizeof *q);
        td_batch_closure(model, w, ROWS, y, NULL, NULL, rows, NULL, NULL, each);
        const double of_rows = following == TD_FOLLOWING_LAST ? 2 * M_PI : 0;
        assert_ok(each[ROWS - 1]);
        ck_assert_double_eq_tol(*position_of(model, rows + (ROWS - 1) * nq, "shoulder"), of_rows,
                                1e-12);
        assert_ok(td_closure(model, w, y, NULL, NULL, q, NULL, NULL));
        ck_assert_double_eq_tol(*position_of(model, q, "shoulder"), turn, 1e-12);
        /* rows that start from the previous row do so for any setting of single calls */
        assert_ok(td_closure_rows(model, w, TD_ROW_START_BEFORE, NULL, 0));
        td_batch_closure(model, w, ROWS, y, NULL, NULL, rows, NULL, NULL, each);
        ck_assert_double_eq_tol(*position_of(model, rows + (ROWS - 1) * nq, "shoulder"), 2 * M_PI,
                                1e-12);
    }
    td_workspace_options options = td_workspace_options_default();
    options.following = (td_following)3;
    ck_assert_ptr_null(test_workspace_with(model, &options));
}
