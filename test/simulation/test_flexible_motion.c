/* SPDX-License-Identifier: MIT */
/*
 * Tests flexible links in motion: the energy of a released cantilever with and without damping, and
 * its damping ratio by the logarithmic decrement. Also simulates the underactuated arms with
 * flexible links of D. Isobe, K. Yamanaka and Y. Kitamura, "Inverse dynamics calculation of
 * underactuated link systems using parallel solution scheme": links of SUS430 in a horizontal
 * plane, EI = 20.84 N m².
 */
#include <math.h>
#include <stdio.h>

#include "beams.h"
#include "tandem/simulation.h"

enum { MOST = 64 };

static td_simulation *accurate_simulation(const td_model *model, td_simulation_options options,
                                          double rtol)
{
    td_integrator_options integrator = td_integrator_options_default();
    td_simulation *s;
    integrator.rtol = rtol;
    options.integrator = &integrator;
    assert_ok(test_simulation_new(model, &options, &s));
    return s;
}

static void sample_at(td_simulation *s, double t, td_simulation_sample *sample)
{
    assert_ok(td_simulation_evaluate(s, t, sample));
}

/* ---- a released cantilever ------------------------------------------------------------------- */

static td_model *damped_cantilever(double ratio)
{
    td_flexible f = beam_record(6);
    f.damping_ratio = ratio;
    return beam_finish(beam_builder(&f, TD_JOINT_FIXED));
}

/* Starts bent by 0.2 rad in total, as if by a couple at its end. Energy minus work stays constant;
   without damping, energy does. */
TD_LOOP_TEST(released, 0, 2)
{
    td_model *model = damped_cantilever(_i ? 0.02 : 0);
    td_simulation *s = accurate_simulation(model, td_simulation_options_default(), 1e-10);
    td_simulation_sample sample = td_simulation_sample_default();
    double y[6], omega, least, error = 0, k = td_joint_at(model, 1)->spring_stiffness;
    for (int i = 0; i < 6; i++)
        y[i] = 0.2 / 6;
    beam_frequencies(model, NULL, 1, &omega);
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    sample_at(s, 0, &sample);
    const double start = sample.potential, strain = 6 * k * 0.2 / 6 * 0.2 / 6 / 2;
    td_assert_close(1, &start, &strain, 1e-13, 0);
    least = start;
    while (td_simulation_time(s) < 10 * 2 * M_PI / omega) {
        assert_ok(td_simulation_step(s, 10 * 2 * M_PI / omega));
        sample_at(s, td_simulation_time(s), &sample);
        error = fmax(error, fabs(sample.kinetic + sample.potential - sample.work - start));
        least = fmin(least, sample.potential);
        ck_assert(_i ? sample.work <= 0 : sample.work == 0);
    }
    ck_assert_double_le(least, 0.1 * start); /* it passes through the straight shape */
    ck_assert_double_le(error, 1e-9 * start);
    /* exp(−2 ζ ω t) of the first mode, which has nearly all of the energy */
    const double left = (sample.kinetic + sample.potential) / start;
    ck_assert(_i ? left > 0.6 * exp(-0.04 * 20 * M_PI) && left < exp(-0.04 * 20 * M_PI)
                 : fabs(left - 1) < 1e-9);
}

/* Finds the time and value of the next maximum of the sum of y; sign −1: minimum. */
static double next_peak(td_simulation *s, double step, double sign, double *t)
{
    double y[MOST], yd[MOST];
    td_simulation_sample sample = td_simulation_sample_default();
    const size_t n = 6;
    double before = 0, rate = 0;
    sample.y = y;
    sample.yd = yd;
    for (;;) {
        assert_ok(td_simulation_advance(s, td_simulation_time(s) + step));
        sample_at(s, td_simulation_time(s), &sample);
        before = rate;
        rate = 0;
        for (size_t i = 0; i < n; i++)
            rate += sign * yd[i];
        if (before > 0 && rate <= 0)
            break;
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i];
    *t = td_simulation_time(s) - step * rate / (rate - before);
    return sum;
}

/* The first mode decays as the record says, with the period of the eigenvalue. It is released with
   a small amplitude and measured after the other modes have decayed. */
TD_TEST(decrement)
{
    const double ratio = 0.02;
    td_model *model = damped_cantilever(ratio);
    td_simulation *s = accurate_simulation(model, td_simulation_options_default(), 1e-9);
    double y[6], omega, t[2], peak[2];
    for (int i = 0; i < 6; i++)
        y[i] = 1e-3 * (6 - i);
    beam_frequencies(model, NULL, 1, &omega);
    assert_ok(td_simulation_start(s, 0, y, NULL, NULL));
    const double step = 2 * M_PI / omega / 400;
    assert_ok(td_simulation_advance(s, 3.2 * 2 * M_PI / omega));
    peak[0] = next_peak(s, step, 1, &t[0]);
    enum { PERIODS = 5 };
    for (int k = 0; k < PERIODS; k++)
        peak[1] = next_peak(s, step, 1, &t[1]);
    const double delta = log(peak[0] / peak[1]) / PERIODS;
    const double measured = delta / hypot(2 * M_PI, delta);
    const double period = (t[1] - t[0]) / PERIODS;
    ck_assert_msg(fabs(measured - ratio) <= 0.01 * ratio, "damping ratio %.6g", measured);
    ck_assert_double_le(fabs(period * omega * sqrt(1 - ratio * ratio) / (2 * M_PI) - 1), 1e-4);
}

/* ---- the published arms ---------------------------------------------------------------------- */

/* Builds links of given length and mass in series with joints J1, J2, ... about z. Links with
   segments bend in the plane. The last link has a mass at its tip. */
static td_builder *published(int links, const int *segments, double length, double mass, double tip)
{
    td_builder *builder = test_builder("published");
    td_link base = td_link_default("base");
    char before[16] = "base";
    td_builder_add_link(builder, &base);
    for (int i = 1; i <= links; i++) {
        char name[16], joint_name[16];
        snprintf(name, sizeof name, "L%d", i);
        snprintf(joint_name, sizeof joint_name, "J%d", i);
        td_link link = td_link_default(name);
        td_joint joint = td_joint_default(joint_name, TD_JOINT_CONTINUOUS, before, name);
        joint.origin.position[0] = i > 1 ? length : 0;
        joint.axis[0] = 0, joint.axis[2] = 1;
        link.has_inertial = true;
        link.mass = mass;
        link.inertial.position[0] = length / 2;
        link.inertia[3] = link.inertia[5] = mass * length * length / 12;
        assert_ok(td_builder_add_link(builder, &link));
        assert_ok(td_builder_add_joint(builder, &joint));
        td_flexible f = td_flexible_default(name);
        f.length = length;
        f.across[1] = 1;
        f.bending_stiffness[0] = 20.84;
        f.mass_per_length = mass / length;
        f.segments = segments[i - 1];
        if (f.segments)
            assert_ok(td_builder_add_flexible(builder, &f));
        snprintf(before, sizeof before, "%s", name);
    }
    beam_add_body(builder, before, "surplus", length, tip, 1e-9);
    return builder;
}

static size_t entry(const td_model *model, const char *joint)
{
    size_t y;
    assert_ok(td_coordinate_of(model, TD_COORDINATES_INDEPENDENT, joint, &y, NULL));
    return y;
}

/* J1 rotates from rest along ½ a t² with a smooth start: a ∝ 1 − cos(t/T 2π) up to T, then constant
   speed. Afterward link 1 vibrates freely. */
typedef struct turning {
    size_t joint;
    double speed, time;
} turning;

static td_status turn(void *context, double t, double *y, double *yd, double *ydd)
{
    const turning *m = context;
    const double T = m->time, w = 2 * M_PI / T, a = m->speed / T;
    const bool moving = t < T;
    y[m->joint] = moving ? a * (t * t / 2 + (cos(w * t) - 1) / (w * w)) : m->speed * (t - T / 2);
    yd[m->joint] = moving ? a * (t - sin(w * t) / w) : m->speed;
    ydd[m->joint] = moving ? a * (1 - cos(w * t)) : 0;
    return TD_OK;
}

/* Computes the period of link 1 from its eigenvalue, with J2 at y2 and J1 fixed. */
static double period_at(td_builder *builder, double y2)
{
    td_model *model = beam_finish_held(builder, "J1");
    double y[MOST] = {0}, omega[2];
    y[entry(model, "J2")] = y2;
    beam_frequencies(model, y, 2, omega); /* J2 is free: the first frequency is 0 */
    ck_assert_double_le(omega[0], 1e-3 * omega[1]);
    return 2 * M_PI / omega[1];
}

/* The vibration of link 1 after J1 has rotated. */
typedef struct vibration {
    double period, torque, drift; /* s; largest torque of J1 (N m); largest motion of J2 (rad) */
} vibration;

static vibration measure(const td_model *model, double y2)
{
    const size_t n = td_nyd(model), J1 = entry(model, "J1"), J2 = entry(model, "J2");
    const double step = 1e-4;
    unsigned char given[MOST] = {0};
    double start[MOST] = {0}, tau[MOST], y[MOST], first = 0, last = 0, before = 0;
    turning motion = {J1, 1e-3, 0.01};
    td_simulation_options options = td_simulation_options_default();
    td_simulation_sample sample = td_simulation_sample_default();
    vibration v = {0, 0, 0};
    int crossings = 0;
    start[J2] = y2;
    given[J1] = 1;
    options.given = given;
    options.motion = turn;
    options.context = &motion;
    sample.tau_y = tau;
    sample.y = y;
    td_simulation *s = accurate_simulation(model, options, 1e-8);
    assert_ok(td_simulation_start(s, 0, start, NULL, NULL));
    assert_ok(td_simulation_advance(s, 0.02));
    while (td_simulation_time(s) < 0.4) {
        assert_ok(td_simulation_advance(s, td_simulation_time(s) + step));
        sample_at(s, td_simulation_time(s), &sample);
        double bend = 0; /* bending of the first mode, in which all angles have the same sign */
        for (size_t i = 0; i < n; i++) {
            ck_assert(i == J1 || tau[i] == 0); /* neither J2 nor elastic joints have motors */
            bend += i == J1 || i == J2 ? 0 : y[i];
        }
        v.torque = fmax(v.torque, fabs(tau[J1]));
        v.drift = fmax(v.drift, fabs(y[J2] - y2));
        if (before < 0 && bend >= 0) {
            last = td_simulation_time(s) - step * bend / (bend - before);
            first = crossings++ ? first : last;
        }
        before = bend;
    }
    ck_assert_int_gt(crossings, 5);
    v.period = (last - first) / (crossings - 1);
    return v;
}

/* The two-joint arm has links of 0.25 m and 97.5 g, and 0.1 kg at the tip. J1 rotates quickly by a
   small angle; J2 is passive, with zero torque. Link 1 then vibrates, as the torque of J1 shows.
   The period equals the eigenvalue's at that posture with J1 fixed. It is in the paper's range,
   0.025 to 0.04 s; the paper's theoretical value is 0.031 s. */
TD_LOOP_TEST(two_joints, 0, 3)
{
    static const int segments[2] = {8, 0};
    static const double postures[] = {0.35, 0.53, 0.7};
    const double y2 = postures[_i];
    td_model *model = beam_finish(published(2, segments, 0.25, 0.0975, 0.1));
    const vibration v = measure(model, y2);
    const double period = period_at(published(2, segments, 0.25, 0.0975, 0.1), y2);
    ck_assert_msg(fabs(v.period / period - 1) <= 0.01, "period %.6g s, by eigenvalue %.6g s",
                  v.period, period);
    ck_assert_msg(period > 0.025 && period < 0.04, "period %.6g s", period);
    if (_i == 1)
        ck_assert_double_le(fabs(period / 0.031 - 1), 0.02);
    ck_assert_double_le(v.drift, 2e-3);
    ck_assert_double_gt(v.torque, 1e-3);
}

/* The eight-joint arm has flexible links of 0.1 m and 49.5 g, and 10 g at the tip. We chose the
   moment at J1. */
static const double moment = 0.02, moment_time = 0.2;

static double input_at(double t)
{
    const double sine = sin(M_PI * t / moment_time);
    return moment * sine * sine;
}

static td_status act(void *context, const td_action *action)
{
    action->tau_y[*(const size_t *)context] = input_at(action->t);
    return TD_OK;
}

/* number of steps between the velocities of a difference */
enum { AGO = 5 };

/* Accelerations are differences of velocities. Inverse dynamics of this motion returns the moment
   at J1, and zero at the passive joints and in the links. */
TD_TEST(eight_joints)
{
    static const int segments[8] = {2, 2, 2, 2, 2, 2, 2, 2};
    td_model *model = beam_finish(published(8, segments, 0.1, 0.0495, 0.01));
    const size_t n = td_nyd(model);
    size_t J1 = entry(model, "J1");
    td_workspace *w = test_workspace(model);
    td_forces forces = td_forces_default();
    td_simulation_options options = td_simulation_options_default();
    double start[MOST] = {0}, y[AGO][MOST], yd[AGO][MOST], ydd[MOST], tau[MOST], worst = 0;
    const double step = 1e-4;
    forces.passive = true;
    options.act = act;
    options.context = &J1;
    for (int k = 2; k <= 8; k++) {
        char name[16];
        snprintf(name, sizeof name, "J%d", k);
        start[entry(model, name)] = k % 2 ? 0.3 : -0.3;
    }
    ck_assert_uint_eq(n, 24);
    td_simulation *s = accurate_simulation(model, options, 1e-9);
    assert_ok(td_simulation_start(s, 0, start, NULL, NULL));
    for (int k = 0; k < 2000; k++) {
        td_simulation_sample sample = td_simulation_sample_default();
        assert_ok(td_simulation_advance(s, (k + 1) * step));
        sample.y = y[k % AGO];
        sample.yd = yd[k % AGO];
        sample_at(s, td_simulation_time(s), &sample);
        if (k < AGO - 1)
            continue;
        const double *a = yd[(k + 1) % AGO], *b = yd[(k + 2) % AGO], *d = yd[(k + 4) % AGO],
                     *e = yd[k % AGO];
        for (size_t i = 0; i < n; i++)
            ydd[i] = (a[i] - 8 * b[i] + 8 * d[i] - e[i]) / (12 * step);
        const size_t middle = (size_t)(k + 3) % AGO;
        assert_ok(td_inverse_dynamics(model, w, y[middle], yd[middle], ydd, &forces, tau));
        tau[J1] -= input_at((k - 1) * step);
        worst = fmax(worst, td_largest(n, tau));
    }
    ck_assert_msg(worst <= 1e-3 * moment, "%.3g of %.3g N m", worst, moment);
    ck_assert_double_gt(fabs(y[0][J1]), 0.1); /* it moved */
}
