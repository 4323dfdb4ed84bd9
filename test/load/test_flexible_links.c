/* SPDX-License-Identifier: MIT */
/*
 * Tests flexible links. Natural frequencies and deflections are compared with closed forms of
 * beams, which they approach with the square of the segment length. Also tests links attached to a
 * flexible link.
 */
#include <math.h>

#include "beams.h"

enum { MODES = 3, COARSE = 16 };

/* ---- frequencies ----------------------------------------------------------------------------- */

/* Builds a beam with its supports and the given number of segments. */
typedef td_model *make_beam(int segments);

/* Returns √(EI / μ L⁴) of beam_record. With both ends pinned, or one pinned and one free, errors of
   stiffness and mass cancel, and frequencies converge with the fourth power. */
static double bending_unit(void)
{
    const td_flexible f = beam_record(1);
    return sqrt(f.bending_stiffness[0] / f.mass_per_length) / (f.length * f.length);
}

/* Checks that frequencies converge to the exact ones with this power of the number of segments, or
   with at least the second if power is 0. The first zeros are rigid-body modes. coarse: largest
   relative error of the first frequency with 16 segments. */
static void check_convergence(make_beam *make, size_t zeros, const double exact[MODES],
                              double power, double coarse)
{
    double omega[2][MODES + 2];
    for (int k = 0; k < 2; k++) {
        td_model *model = make(COARSE << k);
        beam_frequencies(model, NULL, zeros + MODES, omega[k]);
    }
    for (size_t i = 0; i < zeros; i++)
        ck_assert_double_le(omega[1][i], 1e-4 * exact[0]);
    for (size_t i = 0; i < MODES; i++) {
        const double a = omega[0][zeros + i], b = omega[1][zeros + i];
        const double order = order_of(a, b, exact[i]), limit = b + (b - a) / 3;
        ck_assert_msg(power > 0 ? fabs(order - power) < 0.03 * power : order > 2,
                      "mode %zu: %.9g, %.9g for %.9g: order %.3f", i, a, b, exact[i], order);
        ck_assert_double_le(fabs(limit - exact[i]), 2e-4 * exact[i]);
    }
    ck_assert_double_le(fabs(omega[0][zeros] - exact[0]), coarse * exact[0]);
}

static td_model *cantilever(int segments)
{
    const td_flexible f = beam_record(segments);
    return beam_finish(beam_builder(&f, TD_JOINT_FIXED));
}

static double cantilever_equation(double x)
{
    return 1 / cosh(x) + cos(x);
}

static void squares(double exact[MODES], double (*f)(double), const double between[MODES + 1],
                    double unit)
{
    for (int k = 0; k < MODES; k++) {
        const double x = root_between(f, between[k], between[k + 1]);
        exact[k] = x * x * unit;
    }
}

TD_TEST(cantilevers)
{
    static const double between[] = {1, 3, 6, 9};
    double exact[MODES];
    squares(exact, cantilever_equation, between, bending_unit());
    check_convergence(cantilever, 0, exact, 2, 2e-3);
}

/* Builds a beam with a point mass as heavy as the beam at its end. */
static td_model *loaded(int segments)
{
    const td_flexible f = beam_record(segments);
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    beam_add_body(builder, "beam", "load", f.length, f.mass_per_length * f.length, 1e-9);
    return beam_finish(builder);
}

static double loaded_equation(double x)
{
    return 1 / cosh(x) + cos(x) + x * (cos(x) * tanh(x) - sin(x));
}

TD_TEST(loaded_cantilevers)
{
    static const double between[] = {0.5, 3, 6, 9};
    double exact[MODES];
    squares(exact, loaded_equation, between, bending_unit());
    ck_assert_double_le(fabs(exact[0] / bending_unit() - 1.5572979), 1e-6); /* 1.2479174² */
    check_convergence(loaded, 0, exact, 2, 2e-3);
}

static td_model *pinned_free(int segments)
{
    const td_flexible f = beam_record(segments);
    return beam_finish(beam_builder(&f, TD_JOINT_CONTINUOUS));
}

static double pinned_free_equation(double x)
{
    return sin(x) - cos(x) * tanh(x);
}

TD_TEST(pinned_free_beams)
{
    static const double between[] = {3, 5, 8, 11};
    double exact[MODES];
    squares(exact, pinned_free_equation, between, bending_unit());
    check_convergence(pinned_free, 1, exact, 4, 1e-5);
}

/* Builds a beam whose end can slide along x: a loop fixes its y. clamped: the ends of the record.
 */
static td_model *simply_supported(int segments, bool clamped, double rotary)
{
    td_flexible f = beam_record(segments);
    td_loop loop = td_loop_default("support", "mount", "beam");
    f.start_clamped = f.end_clamped = clamped;
    f.rotary_inertia = rotary;
    td_builder *builder = beam_builder(&f, TD_JOINT_CONTINUOUS);
    loop.type = TD_LOOP_MASK;
    loop.mask = 1U << 4;
    loop.predecessor_origin.position[0] = loop.successor_origin.position[0] = f.length;
    assert_ok(td_builder_add_loop(builder, &loop));
    return beam_finish(builder);
}

static td_model *pinned(int segments)
{
    return simply_supported(segments, true, 0);
}

/* Builds as many full segments: without half segments at the ends there is one segment less. */
static td_model *pinned_whole(int segments)
{
    return simply_supported(segments - 1, false, 0);
}

TD_LOOP_TEST(pinned_beams, 0, 2)
{
    double exact[MODES];
    for (int k = 0; k < MODES; k++)
        exact[k] = (k + 1) * M_PI * (k + 1) * M_PI * bending_unit();
    check_convergence(_i ? pinned_whole : pinned, 0, exact, 4, 1e-5);
}

static const double rotary = 2e-4;

static td_model *pinned_rotary(int segments)
{
    return simply_supported(segments, true, rotary);
}

/* Rayleigh's beam: ω² (1 + r κ²/μ) = EI κ⁴/μ with κ = kπ/L and r half of the rotary inertia. */
TD_TEST(rotary_inertia)
{
    const td_flexible f = beam_record(1);
    double exact[MODES];
    for (int k = 0; k < MODES; k++) {
        const double kappa = (k + 1) * M_PI / f.length;
        exact[k] = kappa * kappa * sqrt(f.bending_stiffness[0] / f.mass_per_length) /
                   sqrt(1 + rotary / 2 / f.mass_per_length * kappa * kappa);
    }
    check_convergence(pinned_rotary, 0, exact, 0, 1e-5);
}

static td_flexible shaft_record(int segments)
{
    td_flexible f = beam_record(segments);
    f.bending_stiffness[0] = NAN;
    f.torsional_stiffness = 35;
    f.rotary_inertia = rotary;
    return f;
}

/* Builds a shaft, fixed at its start, with a disk at its end whose inertia is disk times the
   shaft's. */
static td_model *shaft(int segments, double disk)
{
    const td_flexible f = shaft_record(segments);
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    if (disk > 0)
        beam_add_body(builder, "beam", "disk", f.length, 1, disk * rotary * f.length);
    return beam_finish(builder);
}

static td_model *free_shaft(int segments)
{
    return shaft(segments, 0);
}

static td_model *disk_shaft(int segments)
{
    return shaft(segments, 2);
}

static double disk_equation(double x)
{
    return cos(x) - 2 * x * sin(x);
}

TD_LOOP_TEST(shafts, 0, 2)
{
    const td_flexible f = shaft_record(1);
    const double unit = sqrt(f.torsional_stiffness / f.rotary_inertia) / f.length;
    double exact[MODES];
    for (int k = 0; k < MODES; k++)
        exact[k] =
            (_i ? root_between(disk_equation, k * M_PI, (k + 0.5) * M_PI) : (k + 0.5) * M_PI) *
            unit;
    check_convergence(_i ? disk_shaft : free_shaft, 0, exact, 2, 2e-3);
}

/* Both bending planes and torsion together give the same results as each alone, along any axis. */
TD_TEST(all_at_once)
{
    td_random random = {7};
    td_flexible f = beam_record(8);
    double alone[3], together[MODES];
    for (int k = 0; k < 2; k++) { /* each plane's axis gets half of the rotary inertia */
        td_flexible plane = beam_record(8);
        plane.bending_stiffness[0] = k ? 20 : 5;
        plane.rotary_inertia = k ? 0.8 * 2 * rotary : 0.2 * 2 * rotary;
        td_model *model = beam_finish(beam_builder(&plane, TD_JOINT_FIXED));
        beam_frequencies(model, NULL, 1, &alone[k]);
    }
    td_model *model = shaft(8, 0);
    beam_frequencies(model, NULL, 1, &alone[2]);
    f.bending_stiffness[0] = 5;
    f.bending_stiffness[1] = 20;
    f.torsional_stiffness = 35e-3;
    f.rotary_inertia = rotary;
    alone[2] *= sqrt(1e-3);
    double R[9];
    td_random_rotation(&random, R);
    for (int i = 0; i < 3; i++) {
        f.axis[i] = R[3 * i];
        f.across[i] = R[3 * i + 1] + 0.3 * R[3 * i]; /* a component along the axis is ignored */
        f.start[i] = 0.1 * i;
    }
    model = beam_finish(beam_builder(&f, TD_JOINT_FIXED));
    beam_frequencies(model, NULL, MODES, together);
    const double sorted[MODES] = {alone[0], alone[2], alone[1]};
    td_assert_close(3, together, sorted, 1e-7, 0);
}

/* ---- statics --------------------------------------------------------------------------------- */

/* Computes the small displacement (world axes) of a link's origin under a force there, resisted by
   springs. */
static void deflect(const td_model *model, const char *name, const double force[3], double d[3])
{
    const size_t n = td_nyd(model), link = td_link_index(model, name);
    double *J = doubles(6 * n + n * n + n), *K = J + 6 * n, *tau = K + n * n;
    double *y = doubles(n);
    td_workspace *w = test_workspace(model);
    assert_ok(td_link_jacobian(model, w, link, NULL, y, TD_FRAME_ALIGNED, J));
    beam_stiffness(model, NULL, K);
    for (size_t i = 0; i < n; i++)
        for (size_t a = 0; a < 3; a++)
            tau[i] += J[(3 + a) * n + i] * force[a];
    beam_solve(n, K, tau);
    for (size_t a = 0; a < 3; a++) {
        d[a] = 0;
        for (size_t i = 0; i < n; i++)
            d[a] += J[(3 + a) * n + i] * tau[i];
    }
}

/* Adds a massless tip at the end of a link. */
static void add_tip(td_builder *builder, const char *parent, const char *name, double x)
{
    td_link link = td_link_default(name);
    td_joint joint = td_joint_default(name, TD_JOINT_FIXED, parent, name);
    joint.origin.position[0] = x;
    td_builder_add_link(builder, &link);
    td_builder_add_joint(builder, &joint);
}

/* Builds the planar arm of MUSME 2011, "Compliant displacements", where four methods are compared:
   two steel links of 0.3 m and 5 mm thickness with 1 N along x at the tip. The first link is along
   y, the second along x. */
static td_model *two_links(int segments)
{
    td_flexible f = beam_record(segments);
    f.length = 0.3;
    f.bending_stiffness[0] = 2e11 * M_PI * 625e-12 / 64;
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    td_link second = td_link_default("second");
    td_joint elbow = td_joint_default("elbow", TD_JOINT_FIXED, "beam", "second");
    elbow.origin.position[0] = 0.3;
    td_rotation_from_rpy(0, 0, -M_PI / 2, elbow.origin.rotation);
    td_builder_add_link(builder, &second);
    td_builder_add_joint(builder, &elbow);
    f.link = "second";
    td_builder_add_flexible(builder, &f);
    add_tip(builder, "second", "tip", 0.3);
    return beam_finish(builder);
}

/* Frames of the test follow the beam: its first link is along x. Published x and y are −y and x
   here. */
TD_TEST(published_deflections)
{
    const double force[3] = {0, -1, 0}, published[2] = {1.46677e-3, -2.20016e-3};
    double d[2][3];
    for (int k = 0; k < 2; k++) {
        td_model *model = two_links(4 << k);
        deflect(model, "tip", force, d[k]);
        /* the midpoint rule, L³/3 (1 − 1/(4 n²)), instead of the integral */
        const double n = 4 << k, L = 0.3, EI = 2e11 * M_PI * 625e-12 / 64;
        const double exact[2] = {L * L * L / 3 / EI * (1 - 1 / (4 * n * n)), L * L * L / 2 / EI};
        const double ours[2] = {-d[k][1], -d[k][0]};
        td_assert_close(2, ours, exact, 1e-8, 0);
    }
    const double limit[2] = {-(4 * d[1][1] - d[0][1]) / 3, (4 * d[1][0] - d[0][0]) / 3};
    ck_assert_double_le(fabs(limit[0] - published[0]), 5e-9);
    ck_assert_double_le(fabs(limit[1] - published[1]), 5e-9);
}

/* A link attached halfway along a beam behaves as one at the end of a beam of half the length. */
TD_TEST(stations)
{
    const td_flexible f = beam_record(8);
    const double force[3] = {0, 1, 0}, a = f.length / 2, EI = f.bending_stiffness[0];
    double d[3];
    td_builder *builder = beam_builder(&f, TD_JOINT_FIXED);
    add_tip(builder, "beam", "halfway", a);
    add_tip(builder, "beam", "before", -0.1);
    add_tip(builder, "beam", "beyond", 1);
    add_tip(builder, "beam", "joint", 1.5 * f.length / 8); /* exactly at the second station */
    td_spring spring = td_spring_default("spring", "mount", "beam");
    spring.successor_origin.position[0] = 0.45;
    spring.successor_origin.position[1] = 0.02;
    assert_ok(td_builder_add_spring(builder, &spring));
    td_model *model = beam_finish(builder);
    ck_assert_str_eq(td_spring_at(model, 0)->successor, "beam.4"); /* 0.35 to 0.45 m */
    const double *origin = td_spring_at(model, 0)->successor_origin.position;
    td_assert_close(2, origin, ((double[]){0.1, 0.02}), 1e-14, 1);
    static const char *const names[][2] = {
        {"halfway", "beam.4"}, {"before", "beam"}, {"beyond", "beam.8"}, {"joint", "beam.1"}};
    td_workspace *w = test_workspace(model);
    double y[8] = {0}, *poses = test_calloc(td_link_count(model), 12 * sizeof *poses);
    assert_ok(td_link_poses(model, w, y, poses));
    for (size_t k = 0; k < 4; k++) {
        const td_joint *joint = td_joint_at(model, td_joint_index(model, names[k][0]));
        const double *pose = poses + 12 * td_link_index(model, names[k][0]);
        const double x[] = {a, -0.1, 1, 1.5 * f.length / 8};
        const double place[3] = {pose[3], pose[7], pose[11]}, wanted[3] = {x[k], 0, 0};
        ck_assert_str_eq(joint->parent, names[k][1]);
        td_assert_close(3, place, wanted, 1e-15, 1);
    }
    deflect(model, "halfway", force, d);
    const double exact = a * a * a / 3 / EI * (1 - 1.0 / (4 * 4 * 4));
    td_assert_close(1, &d[1], &exact, 1e-8, 0);
}
