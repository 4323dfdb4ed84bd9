/* SPDX-License-Identifier: MIT */
/*
 * Tests calibrations (lib/calibration/). A planar hand is compared with a dense Gauss-Newton method
 * over all unknowns, with its kinematics in closed form. Standard errors are tested by their
 * distribution. Robots with a mimic joint and with a loop get back the numbers from which exact
 * points were computed.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cholesky.h"
#include "calibration/arrow.h"
#include "calibration/calibration.h"
#include "run.h"
#include "tandem/builder.h"
#include "tandem/kinematics.h"

enum { MOST_PARAMETERS = 6, MOST_POINTS = 6, MOST_ROWS = 40, MOST_Y = 6 };

static unsigned long long state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double gaussian(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- robots ---------------------------------------------------------------------------------- */

/* A robot whose numbers are `number` plus the changes. */
typedef struct robot {
    void (*add)(td_builder *builder, const double *number);
    size_t parameters, points;
    double number[MOST_PARAMETERS];
    const char *link[MOST_POINTS];
    double point[MOST_POINTS][3];
    size_t moved; /* index of a point whose x is the last number; MOST_POINTS: none */
} robot;

static void add_link(td_builder *builder, const char *name)
{
    const td_link link = td_link_default(name);
    ck_assert_int_eq(td_builder_add_link(builder, &link), TD_OK);
}

/* Adds a joint about z with its child, at x along the parent. */
static td_joint joint_of(const char *name, td_joint_type type, const char *parent,
                         const char *child, double x)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    joint.origin.position[0] = x;
    joint.axis[0] = 0;
    joint.axis[2] = 1;
    return joint;
}

static void add_joint(td_builder *builder, const td_joint *joint)
{
    add_link(builder, joint->child);
    ck_assert_int_eq(td_builder_add_joint(builder, joint), TD_OK);
}

/* A wrist that moves in the plane, and a finger of four segments. */
static void add_hand(td_builder *builder, const double *number)
{
    const td_joint joints[] = {joint_of("wrist", TD_JOINT_PLANAR, "world", "palm", 0),
                               joint_of("a", TD_JOINT_CONTINUOUS, "palm", "one", number[3]),
                               joint_of("b", TD_JOINT_CONTINUOUS, "one", "two", number[2]),
                               joint_of("c", TD_JOINT_CONTINUOUS, "two", "three", number[1]),
                               joint_of("d", TD_JOINT_FIXED, "three", "tip", number[0])};
    add_link(builder, "world");
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        add_joint(builder, &joints[i]);
}

static const robot hand = {.add = add_hand,
                           .parameters = 4,
                           .points = 5,
                           .number = {0.02101, 0.01910, 0.03008, 0.07717},
                           .link = {"palm", "one", "two", "three", "tip"},
                           .moved = MOST_POINTS};

/* A finger whose second joint follows the first: multiplier, offset, length, x of a point. */
static void add_finger(td_builder *builder, const double *number)
{
    td_joint joints[] = {joint_of("a", TD_JOINT_REVOLUTE, "world", "one", 0),
                         joint_of("b", TD_JOINT_REVOLUTE, "one", "two", number[2])};
    add_link(builder, "world");
    for (size_t i = 0; i < 2; i++) {
        joints[i].limit.lower = -3;
        joints[i].limit.upper = 3;
    }
    joints[1].mimic = "a";
    joints[1].multiplier = number[0];
    joints[1].offset = number[1];
    for (size_t i = 0; i < 2; i++)
        add_joint(builder, &joints[i]);
}

static const robot finger = {.add = add_finger,
                             .parameters = 4,
                             .points = 3,
                             .number = {0.7, 0.1, 0.04, 0.03},
                             .link = {"one", "two", "two"},
                             .point = {{0.02, 0.01, 0}, {0.01, 0, 0.01}, {0.03, 0, 0}},
                             .moved = 2};

/* A four-bar linkage: crank, coupler, rocker, ground. */
static void add_four_bar(td_builder *builder, const double *number)
{
    td_joint joints[] = {joint_of("crank", TD_JOINT_CONTINUOUS, "world", "one", 0),
                         joint_of("coupler", TD_JOINT_CONTINUOUS, "one", "two", number[0]),
                         joint_of("rocker", TD_JOINT_CONTINUOUS, "world", "three", number[3])};
    const double reference[] = {1.0471975511965976, -0.22236455720951076, 2.020205712800944};
    add_link(builder, "world");
    for (size_t i = 0; i < 3; i++) {
        joints[i].reference[0] = reference[i];
        joints[i].independent = i == 0;
        add_joint(builder, &joints[i]);
    }
    td_loop loop = td_loop_default("loop", "two", "three");
    loop.predecessor_origin.position[0] = number[1];
    loop.successor_origin.position[0] = number[2];
    loop.axis[0] = 0;
    loop.axis[2] = 1;
    ck_assert_int_eq(td_builder_add_loop(builder, &loop), TD_OK);
}

static const robot four_bar = {.add = add_four_bar,
                               .parameters = 4,
                               .points = 3,
                               .number = {0.1, 0.25, 0.3, 0.35},
                               .link = {"one", "two", "three"},
                               .point = {{0.05, 0.02, 0}, {0.1, 0.05, 0}, {0.15, 0, 0.01}},
                               .moved = MOST_POINTS};

/* An arm whose length is the sum of two numbers, which no point distinguishes. */
static void add_rod(td_builder *builder, const double *number)
{
    const td_joint joints[] = {joint_of("a", TD_JOINT_CONTINUOUS, "world", "one", 0),
                               joint_of("b", TD_JOINT_FIXED, "one", "two", number[0]),
                               joint_of("c", TD_JOINT_FIXED, "two", "three", number[1])};
    add_link(builder, "world");
    for (size_t i = 0; i < 3; i++)
        add_joint(builder, &joints[i]);
}

static const robot rod = {.add = add_rod,
                          .parameters = 2,
                          .points = 2,
                          .number = {0.2, 0.1},
                          .link = {"three", "three"},
                          .point = {{0, 0, 0}, {0.05, 0.01, 0}},
                          .moved = MOST_POINTS};

/* A rod whose zero position is turned. */
static void add_turned(td_builder *builder, const double *number)
{
    td_joint joint = joint_of("a", TD_JOINT_CONTINUOUS, "world", "one", 0);
    td_rotation_from_rpy(0, 0, number[0], joint.origin.rotation);
    add_link(builder, "world");
    add_joint(builder, &joint);
}

static const robot turned = {.add = add_turned,
                             .parameters = 2,
                             .points = 1,
                             .number = {0.5, 0.1},
                             .link = {"one"},
                             .moved = 0};

static td_status build(void *context, const double *change, td_model **model, double *point)
{
    const robot *r = context;
    double number[MOST_PARAMETERS];
    td_builder *builder;
    for (size_t k = 0; k < r->parameters; k++)
        number[k] = r->number[k] + change[k];
    ck_assert_int_eq(td_builder_new("robot", &builder), TD_OK);
    r->add(builder, number);
    memcpy(point, r->point, 3 * r->points * sizeof *point);
    if (r->moved < MOST_POINTS)
        point[3 * r->moved] = number[r->parameters - 1];
    const td_status status = td_builder_finish(builder, NULL, NULL, model);
    td_builder_free(builder);
    return status;
}

/* ---- problems -------------------------------------------------------------------------------- */

typedef struct problem {
    td_calibration input;
    td_calibration_result result;
    robot robot;
    size_t link[MOST_POINTS];
    double prior[MOST_PARAMETERS], bound[MOST_PARAMETERS];
    double recorded[MOST_ROWS * MOST_POINTS * 3], residual[MOST_ROWS * MOST_POINTS * 3];
    double y[MOST_ROWS * MOST_Y];
    double change[MOST_PARAMETERS], deviation[MOST_PARAMETERS], singular[MOST_PARAMETERS];
    double combination[MOST_PARAMETERS * MOST_PARAMETERS];
} problem;

/* Records points of the robot with true changes at configurations y, with noise, and sets up the
   problem from a start that is off by `off`. */
static void record(problem *p, const robot *r, size_t rows, const double *truth, const double *y,
                   double noise, double off)
{
    td_model *model;
    td_workspace *workspace;
    double point[MOST_POINTS * 3], poses[12 * 16];
    p->robot = *r;
    ck_assert_int_eq(build(&p->robot, truth, &model, point), TD_OK);
    ck_assert_int_eq(td_workspace_new(model, NULL, &workspace), TD_OK);
    ck_assert_uint_le(td_link_count(model), 16);
    const size_t ny = td_ny(model);
    for (size_t i = 0; i < r->points; i++)
        p->link[i] = td_link_index(model, r->link[i]);
    for (size_t row = 0; row < rows; row++) {
        ck_assert_int_eq(td_link_poses(model, workspace, y + row * ny, poses), TD_OK);
        for (size_t i = 0; i < 3 * r->points; i++) {
            const double *pose = poses + 12 * p->link[i / 3] + 4 * (i % 3),
                         *x = point + 3 * (i / 3);
            p->recorded[3 * r->points * row + i] =
                pose[0] * x[0] + pose[1] * x[1] + pose[2] * x[2] + pose[3] + noise * gaussian();
        }
        for (size_t k = 0; k < ny; k++)
            p->y[row * ny + k] = y[row * ny + k] + off * (2 * uniform() - 1);
    }
    td_workspace_free(workspace);
    td_model_free(model);
    for (size_t k = 0; k < r->parameters; k++) {
        p->prior[k] = 0.1 * r->number[k];
        p->bound[k] = 10 * p->prior[k];
        p->change[k] = 0;
    }
    p->input = (td_calibration){.parameters = r->parameters,
                                .prior = p->prior,
                                .bound = p->bound,
                                .points = r->points,
                                .link = p->link,
                                .rows = rows,
                                .recorded = p->recorded,
                                .noise = (double)NAN,
                                .build = build,
                                .context = &p->robot};
    p->result = (td_calibration_result){.change = p->change,
                                        .y = p->y,
                                        .residual = p->residual,
                                        .deviation = p->deviation,
                                        .singular = p->singular,
                                        .combination = p->combination};
}

/* Draws configurations of the hand. */
static void draw_hand(size_t rows, double *y)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < 2; k++)
            y[6 * i + k] = 0.2 * uniform();
        y[6 * i + 2] = 2 * uniform();
        for (size_t k = 3; k < 6; k++)
            y[6 * i + k] = 0.2 + 1.2 * uniform();
    }
}

/* ---- the hand, densely ----------------------------------------------------------------------- */

/* Computes the points of the hand at y (x, y of each), and the derivatives by y and the lengths
   (10 × 10). */
static void hand_points(const double *length, const double *y, double *x, double J[10][10])
{
    memset(J, 0, 10 * sizeof *J);
    double angle = y[2];
    x[0] = y[0];
    x[1] = y[1];
    J[0][0] = J[1][1] = 1;
    for (size_t i = 1; i < 5; i++) {
        const size_t segment = 4 - i; /* lengths begin at the tip */
        const double c = cos(angle), s = sin(angle), l = length[segment];
        x[2 * i] = x[2 * i - 2] + l * c;
        x[2 * i + 1] = x[2 * i - 1] + l * s;
        memcpy(J[2 * i], J[2 * i - 2], sizeof J[0]);
        memcpy(J[2 * i + 1], J[2 * i - 1], sizeof J[0]);
        for (size_t k = 2; k < 2 + i; k++) { /* all angles so far */
            J[2 * i][k] -= l * s;
            J[2 * i + 1][k] += l * c;
        }
        J[2 * i][6 + segment] += c;
        J[2 * i + 1][6 + segment] += s;
        angle += i < 4 ? y[2 + i] : 0;
    }
}

/* Fits the hand by Gauss-Newton steps on the normal equations of all unknowns. Writes changes and
   standard errors of the lengths. */
static void fit_densely(const problem *p, double noise, const double *start, double *change,
                        double *deviation)
{
    const size_t rows = p->input.rows, n = 6 * rows + 4;
    double *y = calloc(6 * rows, sizeof *y), *N = calloc(n * n, sizeof *N),
           *g = calloc(n, sizeof *g), length[4], x[10], J[10][10];
    memcpy(y, start, 6 * rows * sizeof *y);
    memset(change, 0, 4 * sizeof *change);
    for (int step = 0; step < 30; step++) {
        memset(N, 0, n * n * sizeof *N);
        memset(g, 0, n * sizeof *g);
        for (size_t k = 0; k < 4; k++) {
            const double w = 1 / (p->prior[k] * p->prior[k]);
            length[k] = p->robot.number[k] + change[k];
            N[(6 * rows + k) * (n + 1)] = w;
            g[6 * rows + k] = -w * change[k];
        }
        for (size_t row = 0; row < rows; row++) {
            hand_points(length, y + 6 * row, x, J);
            for (size_t i = 0; i < 10; i++) {
                const double r = p->recorded[15 * row + 3 * (i / 2) + i % 2] - x[i];
                for (size_t a = 0; a < 10; a++) {
                    const size_t ia = a < 6 ? 6 * row + a : 6 * rows + a - 6;
                    g[ia] += J[i][a] * r / (noise * noise);
                    for (size_t b = 0; b < 10; b++) {
                        const size_t ib = b < 6 ? 6 * row + b : 6 * rows + b - 6;
                        N[ia * n + ib] += J[i][a] * J[i][b] / (noise * noise);
                    }
                }
            }
        }
        ck_assert(td_cholesky(n, N));
        td_cholesky_solve(n, N, g);
        for (size_t k = 0; k < 6 * rows; k++)
            y[k] += g[k];
        for (size_t k = 0; k < 4; k++)
            change[k] += g[6 * rows + k];
    }
    for (size_t k = 0; k < 4; k++) {
        memset(g, 0, n * sizeof *g);
        g[6 * rows + k] = 1;
        td_cholesky_solve(n, N, g);
        deviation[k] = sqrt(g[6 * rows + k]);
    }
    free(y);
    free(N);
    free(g);
}

TD_TEST(same_as_dense)
{
    enum { ROWS = 8 };
    static problem p;
    double y[6 * ROWS], start[6 * ROWS], change[4], deviation[4];
    const double truth[4] = {0.001, -0.0009, 0.0015, -0.0038}, noise = 3e-4;
    state = 7;
    draw_hand(ROWS, y);
    record(&p, &hand, ROWS, truth, y, noise, 0.02);
    memcpy(start, p.y, sizeof start);
    p.input.noise = noise;
    fit_densely(&p, noise, start, change, deviation);
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert(p.result.converged);
    for (size_t k = 0; k < 4; k++) {
        /* the sum is within 1e-9 of its minimum: 3e-5 standard errors */
        ck_assert_double_eq_tol(p.change[k], change[k], 1e-4 * deviation[k]);
        ck_assert_double_eq_tol(p.deviation[k], deviation[k], 1e-5 * deviation[k]);
    }
    /* z has no unknowns, and the priors count as equations */
    ck_assert_double_eq_tol(p.result.freedom, 15 * ROWS - 6 * ROWS - 4, 0.1);
}

/* ---- statistics ------------------------------------------------------------------------------ */

TD_TEST(standard_errors)
{
    enum { ROWS = 10, TRIALS = 100 };
    static problem p;
    double y[6 * ROWS], truth[4], noise = 0, square = 0;
    const double sigma = 3e-4;
    const int trials = shared_cases(TRIALS);
    int within = 0;
    state = 1;
    for (int trial = 0; trial < trials; trial++) {
        bool good = true;
        for (size_t k = 0; k < 4; k++) /* the file is wrong by 5 % */
            truth[k] = (uniform() < 0.5 ? -0.05 : 0.05) * hand.number[k];
        draw_hand(ROWS, y);
        record(&p, &hand, ROWS, truth, y, sigma, 0.02);
        p.input.noise = trial % 4 == 0 ? (double)NAN : sigma; /* finding it takes twice the time */
        ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
        ck_assert(p.result.converged);
        for (size_t k = 0; k < 4; k++) {
            const double error = (p.change[k] - truth[k]) / p.deviation[k];
            good = good && fabs(error) <= 3;
            square += error * error;
        }
        within += good;
        noise += p.result.found;
    }
    ck_assert_int_ge(within, trials - trials / 20);
    /* means of 400 squares, with a standard deviation of 0.07, and of 100 estimates from 86 degrees
       of freedom each */
    ck_assert_double_eq_tol(square / (4.0 * trials), 1, trials == TRIALS ? 0.25 : 1);
    ck_assert_double_eq_tol(noise / trials, sigma, (trials == TRIALS ? 0.03 : 0.1) * sigma);
}

/* ---- exact points ---------------------------------------------------------------------------- */

/* Checks that the numbers are found from exact points. */
static void check_exact(const robot *r, size_t rows, const double *truth, const double *y)
{
    static problem p;
    record(&p, r, rows, truth, y, 0, 0.02);
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert(p.result.converged);
    for (size_t k = 0; k < r->parameters; k++)
        ck_assert_double_eq_tol(p.change[k], truth[k], 1e-8);
    for (size_t i = 0; i < 3 * r->points * rows; i++)
        ck_assert_double_eq_tol(p.residual[i], 0, 1e-8);
}

TD_TEST(mimic_joint)
{
    const double truth[] = {0.05, -0.02, 0.003, -0.002};
    const double y[] = {-0.6, -0.2, 0.1, 0.5, 0.9, 1.3};
    check_exact(&finger, 6, truth, y);
}

TD_TEST(loop)
{
    const double truth[] = {0.004, -0.01, 0.006, 0.003};
    double y[12];
    for (size_t i = 0; i < 12; i++)
        y[i] = 1.0471975511965976 + 0.4 * ((double)i - 5);
    check_exact(&four_bar, 12, truth, y);
}

TD_TEST(missing_points)
{
    static problem p;
    double y[6 * 12];
    const double truth[4] = {0.001, -0.0009, 0.0015, -0.0038};
    state = 3;
    draw_hand(12, y);
    record(&p, &hand, 12, truth, y, 0, 0.02);
    for (size_t row = 0; row < 12; row++) /* another point in each row; the joints of rows without
                                             the palm are not all determined */
        for (size_t k = 0; k < 3; k++)
            p.recorded[15 * row + 3 * (row % 5) + k] = (double)NAN;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    for (size_t k = 0; k < 4; k++)
        ck_assert_double_eq_tol(p.change[k], truth[k], 1e-8);
    ck_assert(isnan(p.residual[0]) && isfinite(p.residual[3]));
}

/* ---- what points do not determine ------------------------------------------------------------ */

TD_TEST(unseen_combination)
{
    static problem p;
    const double truth[] = {0.01, 0}, y[] = {0.3, 0.9, 1.7};
    state = 5;
    record(&p, &rod, 3, truth, y, 1e-4, 0.02);
    p.prior[0] = p.prior[1] = 0.02;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert_double_gt(p.singular[0], 100);
    ck_assert_double_lt(p.singular[1], 1e-3);
    /* the sum is determined, the difference is not and keeps its prior */
    ck_assert_double_eq_tol(p.combination[2] * p.combination[3], -0.5, 1e-6);
    ck_assert_double_eq_tol(p.change[0] + p.change[1], 0.01, 5e-4);
    ck_assert_double_eq_tol(p.change[0] - p.change[1], 0, 1e-8);
    ck_assert_double_eq_tol(p.deviation[0], 0.02 / sqrt(2), 1e-5);
}

/* Points show a zero position only together with measured positions of the joint. */
TD_TEST(measured_positions)
{
    static problem p;
    const double truth[] = {0.03, 0.002}, y[] = {-0.4, 0.3, 0.9, 1.7}, noise = 1e-3;
    const double measured[] = {-0.4, 0.3, (double)NAN, 1.7};
    const size_t position = 0;
    record(&p, &turned, 4, truth, y, 0, 0.02);
    p.input.noise = 1e-5;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert_double_lt(p.singular[1], 1e-3);
    ck_assert_double_eq_tol(p.change[0], 0, 1e-6);
    p.input.measured = measured;
    p.input.position = &position;
    p.input.joint_noise = &noise;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert_double_gt(p.singular[1], 1);
    /* three measurements and the prior of 0.05 rad: a weighted mean of 0.03 and 0 */
    const double weight = 3 / (noise * noise + 1e-8), total = weight + 1 / (0.05 * 0.05);
    ck_assert_double_eq_tol(p.change[0], 0.03 * weight / total, 1e-6);
    ck_assert_double_eq_tol(p.deviation[0], 1 / sqrt(total), 1e-3 / sqrt(total));
    ck_assert_double_eq_tol(p.change[1], 0.002, 1e-5);
}

TD_TEST(bounds)
{
    static problem p;
    double y[6 * 6];
    const double truth[4] = {0, 0, 0.004, 0};
    state = 9;
    draw_hand(6, y);
    record(&p, &hand, 6, truth, y, 1e-5, 0.02);
    p.bound[2] = 0.001;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    ck_assert(p.result.converged);
    ck_assert_double_eq(p.change[2], 0.001);
    ck_assert_double_gt(p.result.found, 1e-4); /* the model cannot fit */
}

static td_status build_as_filed(void *context, const double *change, td_model **model,
                                double *point)
{
    const double none[MOST_PARAMETERS] = {0};
    (void)change;
    return build(context, none, model, point);
}

/* Without parameters, only the configurations are fitted. */
TD_TEST(no_parameters)
{
    static problem p;
    double y[6 * 4];
    const double truth[4] = {0};
    state = 11;
    draw_hand(4, y);
    record(&p, &hand, 4, truth, y, 0, 0.02);
    p.input.parameters = 0;
    p.input.build = build_as_filed;
    ck_assert_int_eq(td_calibrate(&p.input, &p.result), TD_OK);
    for (size_t k = 0; k < sizeof y / sizeof *y; k++)
        ck_assert_double_eq_tol(p.y[k], y[k], 1e-8);
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* Random blocks: the shared unknowns solve the normal equations of all unknowns. */
TD_TEST(elimination)
{
    enum { BLOCKS = 3, OWN = 4, SHARED = 3, LINES = 9, WIDTH = OWN + SHARED + 1 };
    enum { ALL = BLOCKS * OWN + SHARED };
    double R[(SHARED + 1) * (SHARED + 1)] = {0}, N[ALL * ALL] = {0}, g[ALL] = {0};
    double A[LINES * WIDTH], kept[BLOCKS][OWN * WIDTH], p[SHARED], y[OWN];
    state = 13;
    for (size_t block = 0; block < BLOCKS; block++) {
        for (size_t i = 0; i < LINES * WIDTH; i++)
            A[i] = gaussian();
        for (size_t i = 0; i < LINES; i++)
            for (size_t a = 0; a < WIDTH - 1; a++) {
                const size_t ia = a < OWN ? block * OWN + a : BLOCKS * OWN + a - OWN;
                g[ia] += A[i * WIDTH + a] * A[i * WIDTH + WIDTH - 1];
                for (size_t b = 0; b < WIDTH - 1; b++) {
                    const size_t ib = b < OWN ? block * OWN + b : BLOCKS * OWN + b - OWN;
                    N[ia * ALL + ib] += A[i * WIDTH + a] * A[i * WIDTH + b];
                }
            }
        td_arrow_eliminate(LINES, OWN, SHARED, A);
        memcpy(kept[block], A, sizeof kept[block]);
        for (size_t i = OWN; i < LINES; i++)
            td_arrow_add(SHARED, R, A + i * WIDTH + OWN);
    }
    ck_assert(td_cholesky(ALL, N));
    td_cholesky_solve(ALL, N, g);
    td_arrow_solve(SHARED, 0, R, NULL, p);
    for (size_t k = 0; k < SHARED; k++)
        ck_assert_double_eq_tol(p[k], g[BLOCKS * OWN + k], 1e-12);
    for (size_t block = 0; block < BLOCKS; block++) {
        td_arrow_solve(OWN, SHARED, kept[block], p, y);
        for (size_t k = 0; k < OWN; k++)
            ck_assert_double_eq_tol(y[k], g[block * OWN + k], 1e-12);
    }
}
