/* SPDX-License-Identifier: MIT */
/*
 * Compares simulations with independent results: Bricard's linkage and Andrews' squeezer in
 * quadruple precision from separate equations, many loops at full gravity, and a published arm that
 * follows its B-splines. Also the hysteresis of a published isolator in closed form, and a pendulum
 * by exponential integrators.
 */
#include <math.h>
#include <string.h>

#include "loop_robots.h"
#include "moving_loops.h"
#include "tandem/simulation.h"
#include "tandem/trajectory.h"

enum { ROOM = 256 };

/* sanitizers take some twenty times longer */
#if defined(__SANITIZE_ADDRESS__)
enum { LOOPS_OF_A_CHAIN = 4, BRICARD_TIME = 1 };
#else
enum { LOOPS_OF_A_CHAIN = 40, BRICARD_TIME = 10 };
#endif

static td_simulation *accurate_simulation(const td_model *model, td_simulation_options *options,
                                          double rtol)
{
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = rtol;
    options->integrator = &integrator;
    td_simulation *s;
    assert_ok(test_simulation_new(model, options, &s));
    return s;
}

/* ---- energy balance -------------------------------------------------------------------------- */

typedef struct watched {
    double balance, exchanged, open; /* change of energy minus work, kinetic energy, φ */
    double q[ROOM], qd[ROOM];        /* at the end */
} watched;

static watched watch(const td_model *model, td_simulation *s, double end)
{
    watched w = {0};
    double phi[ROOM], start = NAN;
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = w.q;
    sample.qd = w.qd;
    td_workspace *room = test_workspace(model);
    ck_assert(td_nq(model) <= ROOM && td_constraint_count(model) <= ROOM);
    while (true) {
        if (td_simulation_evaluate(s, td_simulation_time(s), &sample) != TD_OK ||
            td_constraint_residual(model, room, w.q, phi) != TD_OK)
            ck_abort_msg("no sample at %.17g", td_simulation_time(s));
        w.open = fmax(w.open, td_largest(td_constraint_count(model), phi));
        w.exchanged = fmax(w.exchanged, sample.kinetic);
        const double now = sample.kinetic + sample.potential - sample.work;
        start = isnan(start) ? now : start;
        w.balance = fmax(w.balance, fabs(now - start));
        if (td_simulation_time(s) >= end)
            break;
        td_status status = td_simulation_step(s, end);
        if (status != TD_OK)
            ck_abort_msg("%s at %.17g", td_status_text(status), td_simulation_time(s));
    }
    return w;
}

static void check_watched(const watched *w)
{
    ck_assert_msg(w->balance <= 1e-9 * w->exchanged, "energy less work changes by %.3g of %.3g",
                  w->balance, w->exchanged);
    ck_assert_msg(w->open < 5e-14, "loops are open by %.3g", w->open);
}

/* ---- Bricard's linkage ----------------------------------------------------------------------- */

static const struct bricard_case {
    double gravity[3], rate;
} bricard_cases[] = {
    {{0, -9.81, 0}, 0},                       /* oscillates between two dead points of j0 */
    {{0, 0, -9.81}, 0},                       /* from rest */
    {{3, 4, -8}, 1},      {{0, -9.81, 0}, 8}, /* full turns, through both dead points each time */
    {{0, -9.81, 0}, -20},                     /* the same, backward and fast */
};
enum { BRICARD_CASES = sizeof bricard_cases / sizeof *bricard_cases };

/* Simulates 10 s with five rows of rank 4. This linkage has no singular configuration. For one that
   has and ends there, see goldberg_6r in test_falling_robots.c. */
TD_LOOP_TEST(bricard_moves, 0, BRICARD_CASES)
{
    const struct bricard_case *k = &bricard_cases[_i];
    td_model *model = bricard(k->gravity);
    ck_assert(td_nyd(model) == 1 && td_nv(model) == 5 && td_constraint_count(model) == 5);
    td_simulation_options options = td_simulation_options_default();
    td_simulation *s = accurate_simulation(model, &options, 1e-11);
    assert_ok(td_simulation_start(s, 0, NULL, &k->rate, NULL));
    const watched w = watch(model, s, BRICARD_TIME);
    check_watched(&w);
    /* on the curve (1 + cos θ) (1 + cos θ') = 1 of neighbors, angles from the straight linkage */
    for (int j = 0; j + 1 < 5; j++) {
        const double here = w.q[td_joint_entry(model, bricard_joints[j])],
                     next = w.q[td_joint_entry(model, bricard_joints[j + 1])];
        ck_assert(fabs((1 - sin(here)) * (1 - sin(next)) - 1) < 1e-13);
    }
}

/* Compares the angles after 2 s. */
TD_LOOP_TEST(bricard_in_quad, 0, BRICARD_CASES)
{
    const struct bricard_case *k = &bricard_cases[_i];
    td_model *model = bricard(k->gravity);
    td_simulation_options options = td_simulation_options_default();
    td_simulation *s = accurate_simulation(model, &options, 1e-12);
    assert_ok(td_simulation_start(s, 0, NULL, &k->rate, NULL));
    assert_ok(td_simulation_advance(s, 2));
    double q[5], exact[5];
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    assert_ok(td_simulation_evaluate(s, 2, &sample));
    bricard_quad(2, k->gravity, k->rate, exact);
    for (int j = 0; j < 5; j++) {
        const double angle = q[td_joint_entry(model, bricard_joints[j])];
        ck_assert_msg(fabs(angle - exact[j]) < 1e-9, "%s %.17g, expected %.17g", bricard_joints[j],
                      angle, exact[j]);
    }
}

/* ---- Andrews' squeezer ----------------------------------------------------------------------- */

typedef struct squeezed {
    const td_model *model;
    size_t gamma;
} squeezed;

static td_status squeeze(void *context, const td_action *action)
{
    const squeezed *k = context;
    double q[7], tau[7] = {0};
    td_status status =
        td_closure(k->model, action->workspace, action->y, NULL, NULL, q, NULL, NULL);
    tau[k->gamma] = squeezer_spring(q[k->gamma] + squeezer_start[2], NULL);
    if (status == TD_OK)
        status = td_project_force(k->model, action->workspace, action->y, tau, action->tau_y);
    action->tau_y[0] += 1e-3 * SQUEEZER_DRIVE_MNM;
    return status;
}

/* Compares published values, separate equations in quadruple precision, and the simulation, at 0.03
   s. The published values, from a program in double precision, are the least accurate: 1e-10 in
   angles, 1e-7 in rates. */
TD_TEST(squeezer_in_quad)
{
    double exact[7], exact_rate[7], q[7], qd[7];
    squeezer_quad(0.03, exact, exact_rate);
    td_model *model = squeezer();
    squeezed k = {model, td_joint_entry(model, "gamma")};
    td_simulation_options options = td_simulation_options_default();
    options.act = squeeze;
    options.context = &k;
    td_simulation *s = accurate_simulation(model, &options, 1e-12);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    assert_ok(td_simulation_advance(s, 0.03));
    td_simulation_sample sample = td_simulation_sample_default();
    sample.q = q;
    sample.qd = qd;
    assert_ok(td_simulation_evaluate(s, 0.03, &sample));
    for (int i = 0; i < 7; i++) {
        const size_t at = td_joint_entry(model, squeezer_joints[i]);
        const double angle = q[at] + squeezer_start[i];
        td_assert_close(1, &squeezer_end[i], &exact[i], 3e-10, 1);
        td_assert_close(1, &squeezer_end_rate[i], &exact_rate[i], 1e-7, 1);
        ck_assert_msg(fabs(angle - exact[i]) < 1e-9, "%s %.15g, expected %.15g", squeezer_joints[i],
                      angle, exact[i]);
        td_assert_close(1, &qd[at], &exact_rate[i], 1e-8, 100);
    }
}

/* ---- many loops ------------------------------------------------------------------------------ */

/* A chain of 40 crank-rockers falls at full gravity for 2 s and then rotates at 400 rad/s. All 10 s
   take 27 s of one core, with an error of 5e-11 of the exchanged energy (docs/simulation.md). */
TD_TEST(chain_at_full_gravity)
{
    td_builder *builder = chain_of_four_bars(LOOPS_OF_A_CHAIN, CHAIN_OF_CRANK_ROCKERS);
    td_model *model = model_of_builder(builder, NULL);
    td_simulation_options options = td_simulation_options_default();
    td_simulation *s = accurate_simulation(model, &options, 1e-8);
    double yd[ROOM];
    for (size_t i = 0; i < td_nyd(model); i++)
        yd[i] = 0.2;
    assert_ok(td_simulation_start(s, 0, NULL, yd, NULL));
    const watched w = watch(model, s, 2);
    check_watched(&w);
}

/* ---- the arm of 001-a §6 --------------------------------------------------------------------- */

/* Lengths in m. The paper has no masses; we use rods of 20 kg/m along each length. */
static const double h1 = 0.450, a1 = 0.150, a2 = 0.570, a3 = 0.155, a45 = 0.178 + 0.462,
                    a67 = 0.095 + 0.020;
enum { ARM = 6, PLANAR = 7, SPATIAL = 8 };

/* Adds a link that is a rod from its origin to a point, and its joint. */
static void add_arm_link(td_builder *b, int k, const double from[3], int axis, const double to[3])
{
    static const char *const names[ARM + 1] = {"base", "l1", "l2", "l3", "l4", "l5", "l6"};
    static const char *const joints[ARM] = {"q1", "q2", "q3", "q4", "q5", "q6"};
    td_link link = td_link_default(names[k]);
    double length = 0;
    for (int i = 0; i < 3; i++)
        length += to[i] * to[i];
    length = sqrt(length);
    link.has_inertial = true;
    link.mass = 20 * length + 0.5;
    const double across = link.mass * (length * length / 12 + 1e-3);
    for (int i = 0; i < 3; i++)
        link.inertial.position[i] = 0.5 * to[i];
    /* thick, so that rotation about any axis has inertia */
    link.inertia[0] = link.inertia[3] = link.inertia[5] = across;
    assert_ok(td_builder_add_link(b, &link));
    td_joint joint = td_joint_default(joints[k - 1], TD_JOINT_CONTINUOUS, names[k - 1], names[k]);
    memcpy(joint.origin.position, from, sizeof joint.origin.position);
    for (int i = 0; i < 3; i++)
        joint.axis[i] = i == axis;
    assert_ok(td_builder_add_joint(b, &joint));
}

/* Builds the arm from the paper's equations 9 to 11. At q = 0 it points up and then forward; axes
   z, x, x, y, x, y. */
static td_model *paper_arm(void)
{
    const double zero[3] = {0}, shoulder[3] = {0, a1, 0}, elbow[3] = {0, 0, a2},
                 wrist[3] = {0, a45, a3}, tool[3] = {0, a67, 0}, base[3] = {0, 0, h1};
    td_builder *b = test_builder("arm");
    td_link ground = td_link_default("base");
    td_builder_add_link(b, &ground);
    add_arm_link(b, 1, base, 2, shoulder);
    add_arm_link(b, 2, shoulder, 0, elbow);
    add_arm_link(b, 3, elbow, 0, wrist);
    add_arm_link(b, 4, wrist, 1, zero);
    add_arm_link(b, 5, zero, 0, tool);
    add_arm_link(b, 6, zero, 1, tool);
    return model_of_builder(b, NULL);
}

/* Evaluates equations 9 to 11. The last one has the + before c q2 a2 that is missing in print. */
static void tool_point(const double *q, double point[3])
{
    const double s1 = sin(q[0]), c1 = cos(q[0]), s23 = sin(q[1] + q[2]), c23 = cos(q[1] + q[2]),
                 s4 = sin(q[3]), c4 = cos(q[3]), s5 = sin(q[4]), c5 = cos(q[4]);
    const double way = c23 * (c5 * a67 + a45) - s23 * a3 - sin(q[1]) * a2 + a1;
    point[0] = -s1 * way + s5 * a67 * (c1 * s4 + c4 * s1 * s23);
    point[1] = c1 * way + s5 * a67 * (s1 * s4 - c4 * c1 * s23);
    point[2] = s23 * (c5 * a67 + a45) + c23 * (c4 * s5 * a67 + a3) + cos(q[1]) * a2 + h1;
}

/* Computes joints with the tool upright at a point: q4 = q6 = 0, and a triangle in the vertical
   plane with the elbow up. */
static void upright(const double *point, double q[ARM])
{
    const double r = hypot(point[0], point[1]) - a1, z = point[2] - a67 - h1;
    const double arm = hypot(a45, a3),
                 bend = (r * r + z * z - a2 * a2 - arm * arm) / (2 * a2 * arm);
    ck_assert(fabs(bend) < 1);
    /* angles from the vertical: the upper arm is at −q2, the line from elbow to wrist at −q2 − q3 +
       ε */
    const double between = acos(bend), line = atan2(r, z),
                 upper = line - atan2(arm * sin(between), a2 + arm * bend);
    q[0] = atan2(-point[0], point[1]);
    q[1] = -upper;
    q[2] = -(upper + between - atan2(a45, a3)) - q[1];
    q[3] = q[5] = 0;
    q[4] = 0.5 * M_PI - q[1] - q[2];
}

typedef struct controller {
    const td_model *model;
    const td_trajectory *goal;
    double omega;
} controller;

/* Computes τ = ID(y, ẏ, ÿ_d + 2 ω (ẏ_d − ẏ) + ω² (y_d − y)). */
static td_status computed_torque(void *context, const td_action *a)
{
    const controller *c = context;
    double y[ARM], yd[ARM], ydd[ARM];
    td_trajectory_evaluate(c->goal, a->t, y, yd, ydd);
    for (int i = 0; i < ARM; i++)
        ydd[i] += c->omega * (2 * (yd[i] - a->yd[i]) + c->omega * (y[i] - a->y[i]));
    return td_inverse_dynamics(c->model, a->workspace, a->y, a->yd, ydd, NULL, a->tau_y);
}

/* Times are proportional to chord lengths, equation 22. A B-spline passes through the joint
   positions. */
static td_trajectory *joint_spline(size_t points, const double *mm, double T, double *t)
{
    double q[SPATIAL * ARM], sum = 0;
    for (size_t i = 0; i < points; i++) {
        double point[3];
        for (int j = 0; j < 3; j++)
            point[j] = 1e-3 * mm[3 * i + (size_t)j];
        upright(point, q + ARM * i);
        double again[3];
        tool_point(q + ARM * i, again);
        td_assert_close(3, again, point, 1e-14, 1);
        t[i] = 0;
        for (int j = 0; j < 3 && i > 0; j++)
            t[i] += pow(mm[3 * i + (size_t)j] - mm[3 * i + (size_t)j - 3], 2);
        t[i] = sum += sqrt(t[i]);
    }
    for (size_t i = 0; i < points; i++)
        t[i] = i + 1 == points ? T : T * t[i] / sum;
    td_trajectory *curve;
    assert_ok(td_trajectory_spline(points, ARM, t, q, 3, TD_SPLINE_B, NULL, NULL, &curve));
    return curve;
}

/* On the curve, errors are integration errors. From an initial error e₀, e = e₀ (1 + ω t) exp(−ω
   t), as for critically damped linear errors. The tool passes all points. */
static void check_arm(size_t points, const double *mm, double aside)
{
    const double T = 3; /* our choice: the paper has none */
    double t[SPATIAL], start[ARM], rate[ARM], tool[3];
    td_model *model = paper_arm();
    td_workspace *w = test_workspace(model);
    td_trajectory *curve = joint_spline(points, mm, T, t);
    controller c = {model, curve, 10};
    td_simulation_options options = td_simulation_options_default();
    options.act = computed_torque;
    options.context = &c;
    td_simulation *s = accurate_simulation(model, &options, 1e-10);
    td_trajectory_evaluate(curve, 0, start, rate, NULL);
    for (int i = 0; i < ARM; i++)
        start[i] += aside * (1 + i);
    assert_ok(td_simulation_start(s, 0, start, rate, NULL));
    const size_t last = td_link_index(model, "l6");
    for (size_t k = 1; k < 8 * points; k++) {
        /* to each point, and to seven times in between */
        const size_t i = k / 8;
        const double part = (double)(k % 8) / 8;
        const double now = i + 1 < points ? t[i] + part * (t[i + 1] - t[i]) : T;
        double y[ARM], yd[ARM], wanted[ARM], wanted_rate[ARM];
        assert_ok(td_simulation_advance(s, now));
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = y;
        sample.yd = yd;
        assert_ok(td_simulation_evaluate(s, now, &sample));
        td_trajectory_evaluate(curve, now, wanted, wanted_rate, NULL);
        const double left = (1 + c.omega * now) * exp(-c.omega * now),
                     slope = -c.omega * c.omega * now * exp(-c.omega * now);
        for (int j = 0; j < ARM; j++) {
            ck_assert_msg(fabs(y[j] - wanted[j] - aside * (1 + j) * left) < 1e-9,
                          "joint %d is %.3g off at %g s", j + 1,
                          y[j] - wanted[j] - aside * (1 + j) * left, now);
            if (now < T) /* at T the trajectory has ended and rests */
                ck_assert(fabs(yd[j] - wanted_rate[j] - aside * (1 + j) * slope) < 1e-8);
        }
        if (aside != 0 || k % 8 != 0 || i + 1 >= points)
            continue;
        tool_point(y, tool);
        for (size_t j = 0; j < 3; j++)
            ck_assert(fabs(tool[j] - 1e-3 * mm[3 * i + j]) < 2e-9);
        double poses[12 * (ARM + 1)];
        const double tip[3] = {0, a67, 0};
        assert_ok(td_link_poses(model, w, y, poses));
        for (int j = 0; j < 3; j++) {
            double at = poses[12 * last + 4 * (size_t)j + 3];
            for (int m = 0; m < 3; m++)
                at += poses[12 * last + 4 * (size_t)j + (size_t)m] * tip[m];
            ck_assert(fabs(at - tool[j]) < 1e-14);
        }
    }
    td_trajectory_free(curve);
}

TD_LOOP_TEST(arm_follows_splines, 0, 4)
{
    static const double planar[3 * PLANAR] = {550, 500, 200, 700, 520,  200, 850,
                                              590, 200, 900, 590, 200,  950, 700,
                                              200, 980, 730, 200, 1000, 800, 200};
    static const double spatial[3 * SPATIAL] = {400, 430, 252, 460, 400, 252, 520, 430,
                                                276, 535, 490, 303, 490, 640, 354, 655,
                                                655, 393, 760, 730, 444, 850, 640, 426};
    const double aside = _i / 2 ? 0.02 : 0;
    if (_i % 2 == 0)
        check_arm(PLANAR, planar, aside);
    else
        check_arm(SPATIAL, spatial, aside);
}

/* ---- the isolator of 001-b §5 ---------------------------------------------------------------- */

/* Bouc-Wen state w, ẇ = ρ ḋ (1 + w² σ (1 − sgn(ḋ w) − 1/σ)), and the energy that one of four
   isolators dissipates through it, ∫ k_w w ḋ dt. Forces of all isolators act on the cabinet unless
   its motion is prescribed: F = k_x d + k_w w + k_3 d³. */
static const double rho = 333.33, sigma = 2.5, k_x = 4200, k_w = 16.065, k_3 = 2.7e6;

static td_status isolate(void *context, const td_action *a)
{
    const bool *given = context;
    const double d = a->y[0], rate = a->yd[0], w = a->z[0];
    const double sign = rate * w > 0 ? 1 : rate * w < 0 ? -1 : 0;
    if (!*given)
        a->tau_y[0] = -4 * (k_x * d + k_w * w + k_3 * d * d * d);
    a->z_rate[0] = rho * rate * (1 + w * w * sigma * (1 - sign - 1 / sigma));
    a->z_rate[1] = k_w * w * rate;
    return TD_OK;
}

static const double reach = 0.02;

static td_status shake(void *context, double t, double *y, double *yd, double *ydd)
{
    (void)context;
    y[0] = reach * cos(t);
    yd[0] = -reach * sin(t);
    ydd[0] = -reach * cos(t);
    return TD_OK;
}

static td_model *cabinet(void)
{
    td_builder *builder = test_builder("isolator");
    td_link ground = td_link_default("ground"), box = td_link_default("cabinet");
    box.has_inertial = true;
    box.mass = 140;
    box.inertia[0] = 31.52, box.inertia[3] = 14.78, box.inertia[5] = 29.28;
    td_joint slide = td_joint_default("slide", TD_JOINT_PRISMATIC, "ground", "cabinet");
    td_builder_add_link(builder, &ground);
    td_builder_add_link(builder, &box);
    td_builder_add_joint(builder, &slide);
    return model_of_builder(builder, NULL);
}

/* Computes the energy of a hysteresis loop. It closes at ±w₀, 2 ρ reach = atan(2 w₀) / 2 +
   atanh(w₀): dw/dd = ρ (1 + 4 w²) if w opposes the motion, else ρ (1 − w²). Its area ∫ w dd, in
   units of k_w, is 2/ρ (−ln(1 − w₀²) / 2 − ln(1 + 4 w₀²) / 8). x = atanh w₀ keeps 1 − w₀² = 1/cosh²
   x accurate. */
static double loop_energy(void)
{
    double x = 2 * rho * reach;
    for (int k = 0; k < 20; k++)
        x = 2 * rho * reach - 0.5 * atan(2 * tanh(x));
    const double w = tanh(x);
    return k_w * 2 / rho * (log(cosh(x)) - log(1 + 4 * w * w) / 8);
}

/* At ±20 mm: 1.146 J. */
TD_TEST(isolator_loop)
{
    td_model *model = cabinet();
    bool given = true;
    const unsigned char all = 1;
    td_simulation_options options = td_simulation_options_default();
    options.act = isolate;
    options.context = &given;
    options.states = 2;
    options.given = &all;
    options.motion = shake;
    td_simulation *s = accurate_simulation(model, &options, 1e-9);
    assert_ok(td_simulation_start(s, 0, NULL, NULL, NULL));
    double z[2][2];
    for (int k = 0; k < 2; k++) { /* one cycle to reach the loop, and one along it */
        const double end = 2 * M_PI * (k + 1);
        assert_ok(td_simulation_advance(s, end));
        td_simulation_sample sample = td_simulation_sample_default();
        sample.z = z[k];
        assert_ok(td_simulation_evaluate(s, end, &sample));
    }
    const double energy = z[1][1] - z[0][1];
    ck_assert_msg(fabs(energy - loop_energy()) < 1e-8, "%.9g J, expected %.9g J", energy,
                  loop_energy());
    ck_assert(fabs(energy - 1.146) < 5e-4 && fabs(z[1][0] - z[0][0]) < 1e-9);
}

/* The cabinet oscillates freely from 20 mm. Its energy loss is what its four isolators dissipate.
 */
TD_TEST(isolator_energy)
{
    td_model *model = cabinet();
    bool given = false;
    td_simulation_options options = td_simulation_options_default();
    options.act = isolate;
    options.context = &given;
    options.states = 2;
    td_simulation *s = accurate_simulation(model, &options, 1e-10);
    assert_ok(td_simulation_start(s, 0, &reach, NULL, NULL));
    const double stored = 4 * (k_x / 2 * pow(reach, 2) + k_3 / 4 * pow(reach, 4));
    double y, z[2];
    while (td_simulation_time(s) < 2) {
        assert_ok(td_simulation_step(s, 2));
        td_simulation_sample sample = td_simulation_sample_default();
        sample.y = &y;
        sample.z = z;
        assert_ok(td_simulation_evaluate(s, td_simulation_time(s), &sample));
        const double springs = 4 * (k_x / 2 * y * y + k_3 / 4 * pow(y, 4));
        ck_assert_msg(fabs(sample.kinetic + springs + 4 * z[1] - stored) < 1e-9 * stored,
                      "%.3g J of %.3g J are lost", stored - (sample.kinetic + springs + 4 * z[1]),
                      stored);
        ck_assert(fabs(sample.kinetic - sample.work) < 1e-9 * stored);
    }
    ck_assert(4 * z[1] > 0.9 * stored); /* it has nearly come to rest */
}

/* ---- exponential methods --------------------------------------------------------------------- */

/* The pendulum that demonstrates two published exponential integrators, with zero- and first-order
   hold, linearized in each step: from rest at 20°, 10 s. Jacobi's elliptic functions give its
   angle. g and l are not published; we use 9.81 m/s² and 1 m. A separate program for the same
   formulas computed the errors. */
static const struct held_step {
    td_method method;
    double step, error;
} held_steps[] = {{TD_METHOD_EXPONENTIAL, 0.01, 9.316069378e-6},
                  {TD_METHOD_EXPONENTIAL, 0.001, 8.822974e-8},
                  {TD_METHOD_EXPONENTIAL_LINEAR, 0.01, -4.567554779e-6},
                  {TD_METHOD_EXPONENTIAL_LINEAR, 0.001, -4.402353e-8}};

TD_LOOP_TEST(pendulum_by_exponentials, 0, 4)
{
    const struct held_step *k = &held_steps[_i];
    td_builder *b = test_builder("pendulum");
    td_link ground = td_link_default("ground"), rod = td_link_default("rod");
    rod.has_inertial = true;
    rod.mass = 1;
    rod.inertial.position[2] = -1;
    td_joint joint = td_joint_default("pin", TD_JOINT_CONTINUOUS, "ground", "rod");
    joint.axis[0] = joint.axis[2] = 0;
    joint.axis[1] = 1;
    td_load_options load = td_load_options_default();
    assert_ok(td_builder_add_link(b, &ground));
    assert_ok(td_builder_add_link(b, &rod));
    assert_ok(td_builder_add_joint(b, &joint));
    td_model *model = model_of_builder(b, &load);
    td_integrator_options integrator = td_integrator_options_default();
    integrator.method = k->method;
    integrator.step = k->step;
    td_simulation_options options = td_simulation_options_default();
    options.integrator = &integrator;
    const double start = 20 * M_PI / 180, end = 0.3299369714383395, gravity[3] = {0, 0, -9.81};
    td_simulation *s;
    td_simulation_sample sample = td_simulation_sample_default();
    double y;
    sample.y = &y;
    assert_ok(test_simulation_new(model, &options, &s));
    assert_ok(td_set_gravity(td_simulation_workspace(s), gravity));
    assert_ok(td_simulation_start(s, 0, &start, NULL, NULL));
    assert_ok(td_simulation_advance(s, 10));
    assert_ok(td_simulation_evaluate(s, 10, &sample));
    ck_assert_msg(fabs(y - end - k->error) < 2e-4 * fabs(k->error) + 1e-11, "off by %.9g", y - end);
}
