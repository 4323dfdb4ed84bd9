/* SPDX-License-Identifier: MIT */
/*
 * Robots whose motion is known independently.
 */
#include "moving_robots.h"

#include <math.h>
#include <string.h>

/* ---- building -------------------------------------------------------------------------------- */

static void add_link(td_builder *builder, const char *name, double mass, const double com[3],
                     const double inertia[3])
{
    td_link link = td_link_default(name);
    link.has_inertial = mass > 0;
    link.mass = mass;
    for (int i = 0; i < 3 && mass > 0; i++) {
        link.inertial.position[i] = com[i];
        link.inertia[i == 0 ? 0 : i == 1 ? 3 : 5] = inertia[i];
    }
    assert_ok(td_builder_add_link(builder, &link));
}

static td_joint joint_of(const char *name, td_joint_type type, const char *parent,
                         const char *child, double x, double y, double z, char axis)
{
    td_joint joint = td_joint_default(name, type, parent, child);
    const double position[3] = {x, y, z};
    memcpy(joint.origin.position, position, sizeof position);
    for (int i = 0; i < 3; i++)
        joint.axis[i] = axis == 'x' + i;
    return joint;
}

static void add_joint(td_builder *builder, const char *name, const char *parent, const char *child,
                      double x, double y, double z, char axis)
{
    td_joint joint = joint_of(name, TD_JOINT_CONTINUOUS, parent, child, x, y, z, axis);
    assert_ok(td_builder_add_joint(builder, &joint));
}

static td_model *finish(td_builder *builder, bool gravity)
{
    td_load_options options = td_load_options_default();
    if (!gravity)
        options.gravity[2] = 0;
    return model_of_builder(builder, &options);
}

/* adds a rod that hangs down from the link's origin along −z */
static void add_rod(td_builder *builder, const char *name, double mass, double length)
{
    const double across = mass * length * length / 12, along = mass * 1e-4;
    const double com[3] = {0, 0, -0.5 * length}, inertia[3] = {across, across, along};
    add_link(builder, name, mass, com, inertia);
}

/* ---- the Y ----------------------------------------------------------------------------------- */

td_model *y_tree(bool second, double spring)
{
    td_builder *b = test_builder("y_tree");
    add_link(b, "ground", 0, NULL, NULL);
    add_rod(b, "trunk", 1.2, 0.3);
    add_rod(b, "left", 0.5, 0.25);
    add_rod(b, "right", 0.6, 0.3);
    td_joint trunk = joint_of("union", TD_JOINT_CONTINUOUS, "ground", "trunk", 0, 0, 1, 'y');
    td_joint left =
        joint_of("left_middle", TD_JOINT_CONTINUOUS, "trunk", "left", -0.1, 0, -0.3, 'y');
    td_joint right = joint_of("right_middle", TD_JOINT_CONTINUOUS, "trunk", "right", 0.1, 0, -0.3,
                              second ? 'x' : 'y');
    right.spring_stiffness = spring;
    td_builder_add_joint(b, &trunk);
    td_builder_add_joint(b, &left);
    td_builder_add_joint(b, &right);
    if (second) {
        add_rod(b, "hand", 0.3, 0.15);
        add_joint(b, "wrist", "right", "hand", 0, 0, -0.3, 'y');
        add_rod(b, "finger_a", 0.1, 0.1);
        add_rod(b, "finger_b", 0.12, 0.1);
        td_joint a = joint_of("fixed_a", TD_JOINT_FIXED, "hand", "finger_a", 0, 0.03, -0.15, 'x');
        td_joint c = joint_of("fixed_b", TD_JOINT_FIXED, "hand", "finger_b", 0, -0.03, -0.15, 'x');
        td_builder_add_joint(b, &a);
        td_builder_add_joint(b, &c);
    }
    return finish(b, true);
}

/* ---- quadruple precision --------------------------------------------------------------------- */

/* sin and cos by their series, after dividing the angle by 2⁸ */
void sincos_quad(quad x, quad *sine, quad *cosine)
{
    quad r = x / 256, s = 0, c = 0, term = r;
    for (int k = 0; k < 10; k++) { /* c is 1 − cos */
        s += term;
        term *= r / (2 * k + 2);
        c += term;
        term *= -r / (2 * k + 3);
    }
    for (int k = 0; k < 8; k++) {
        const quad twice = 2 * s * (1 - c);
        c = 2 * s * s;
        s = twice;
    }
    *sine = s;
    *cosine = 1 - c;
}

quad sqrt_quad(quad x)
{
    quad root = (quad)sqrt((double)x);
    for (int k = 0; k < 3; k++)
        root = (root + x / root) / 2;
    return root;
}

typedef void quad_rate(const quad *x, quad *rate);

enum { QUAD_MOST = 4 };

static void runge_kutta_quad(quad_rate *f, size_t n, quad *x, quad end, int steps)
{
    const quad h = end / steps;
    for (int m = 0; m < steps; m++) {
        quad k[4][QUAD_MOST], y[QUAD_MOST];
        f(x, k[0]);
        for (int s = 1; s < 4; s++) {
            for (size_t j = 0; j < n; j++)
                y[j] = x[j] + (s == 3 ? h : h / 2) * k[s - 1][j];
            f(y, k[s]);
        }
        for (size_t j = 0; j < n; j++)
            x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

/* Two integrations and an extrapolation: one order more than the method. */
static void solve_quad(quad_rate *f, size_t n, const double *start, double end, int steps,
                       double *x)
{
    quad coarse[QUAD_MOST], fine[QUAD_MOST];
    for (size_t j = 0; j < n; j++)
        coarse[j] = fine[j] = (quad)start[j];
    runge_kutta_quad(f, n, coarse, (quad)end, steps);
    runge_kutta_quad(f, n, fine, (quad)end, 2 * steps);
    for (size_t j = 0; j < n; j++)
        x[j] = (double)(fine[j] + (fine[j] - coarse[j]) / 15);
}

/* ---- a double pendulum ----------------------------------------------------------------------- */

static const double rod_mass[2] = {1.5, 0.8}, rod_length[2] = {0.7, 0.5};

td_model *double_pendulum(void)
{
    td_builder *b = test_builder("double_pendulum");
    add_link(b, "ground", 0, NULL, NULL);
    add_rod(b, "upper", rod_mass[0], rod_length[0]);
    add_rod(b, "lower", rod_mass[1], rod_length[1]);
    add_joint(b, "shoulder", "ground", "upper", 0, 0, 0, 'y');
    add_joint(b, "elbow", "upper", "lower", 0, 0, -rod_length[0], 'y');
    return finish(b, true);
}

/* Lagrange's equations; θ is the angle of the first rod, θ + η that angle of the second */
static void double_pendulum_rate(const quad *x, quad *rate)
{
    const quad m1 = (quad)rod_mass[0], m2 = (quad)rod_mass[1], l1 = (quad)rod_length[0],
               l2 = (quad)rod_length[1], g = (quad)9.81;
    quad s, c, s1, c1, s12, c12;
    sincos_quad(x[1], &s, &c);
    sincos_quad(x[0], &s1, &c1);
    sincos_quad(x[0] + x[1], &s12, &c12);
    const quad a = m1 * l1 * l1 / 3 + m2 * l1 * l1, d = m2 * l2 * l2 / 3, e = m2 * l1 * l2 / 2;
    const quad H11 = a + d + 2 * e * c, H12 = d + e * c, H22 = d;
    const quad w1 = x[2], w2 = x[3];
    const quad f1 =
        e * s * w2 * (2 * w1 + w2) - (m1 / 2 + m2) * g * l1 * s1 - m2 * g * l2 / 2 * s12;
    const quad f2 = -e * s * w1 * w1 - m2 * g * l2 / 2 * s12;
    const quad det = H11 * H22 - H12 * H12;
    rate[0] = w1;
    rate[1] = w2;
    rate[2] = (H22 * f1 - H12 * f2) / det;
    rate[3] = (H11 * f2 - H12 * f1) / det;
}

void double_pendulum_quad(double t, double angles[2])
{
    const double start[4] = {2, -0.5, 0, 0};
    double x[4];
    solve_quad(double_pendulum_rate, 4, start, t, 2000, x);
    angles[0] = x[0];
    angles[1] = x[1];
}

/* ---- a heavy top ----------------------------------------------------------------------------- */

static const double top_mass = 0.5, top_height = 0.12, top_across = 0.002, top_along = 0.0012;
const double top_start[3] = {0.3, 0.6, 0}, top_rate[3] = {0.5, 0, 180};

td_model *heavy_top(void)
{
    td_builder *b = test_builder("heavy_top");
    const double com[3] = {0, 0, top_height}, inertia[3] = {top_across, top_across, top_along};
    add_link(b, "ground", 0, NULL, NULL);
    add_link(b, "a", 0, NULL, NULL);
    add_link(b, "b", 0, NULL, NULL);
    add_link(b, "top", top_mass, com, inertia);
    add_joint(b, "phi", "ground", "a", 0, 0, 0, 'z');
    add_joint(b, "theta", "a", "b", 0, 0, 0, 'x');
    add_joint(b, "psi", "b", "top", 0, 0, 0, 'z');
    return finish(b, true);
}

/* θ̈ from the effective potential; the momenta of φ and ψ are constant */
static void top_tilt_rate(const quad *x, quad *rate)
{
    const quad I = (quad)top_across + (quad)top_mass * (quad)top_height * (quad)top_height,
               I3 = (quad)top_along;
    quad s0, c0, s, c;
    sincos_quad((quad)top_start[1], &s0, &c0);
    sincos_quad(x[0], &s, &c);
    const quad p_psi = I3 * ((quad)top_rate[2] + (quad)top_rate[0] * c0);
    const quad p_phi = I * s0 * s0 * (quad)top_rate[0] + p_psi * c0;
    const quad swing = (p_phi - p_psi * c) / (I * s);
    rate[0] = x[1];
    rate[1] = swing * (swing * c / s - p_psi / I) +
              (quad)top_mass * (quad)9.81 * (quad)top_height * s / I;
}

double heavy_top_tilt_quad(double t)
{
    const double start[2] = {top_start[1], top_rate[1]};
    double x[2];
    solve_quad(top_tilt_rate, 2, start, t, 4000, x);
    return x[0];
}

/* ---- crank and slider ------------------------------------------------------------------------ */

const double slider_crank_lengths[2] = {0.1, 0.25};
static const double crank_inertia = 2e-3, rod_weight = 0.4, rod_inertia = 2.5e-3, slider_mass = 0.6;

/* With an independent slider, all joints are zero at the crank angle slider_crank_start. The slider
   cannot be independent where crank and rod are in line. */
const double slider_crank_start = 0.6;

static void turn_origin(td_joint *joint, double angle)
{
    td_rotation_from_rpy(0, angle, 0, joint->origin.rotation);
}

td_model *slider_crank(bool slider)
{
    const double r = slider_crank_lengths[0], l = slider_crank_lengths[1], zero[3] = {0, 0, 0};
    const double crank[3] = {1e-3, crank_inertia, 1e-3}, rod[3] = {1e-4, rod_inertia, rod_inertia};
    const double block[3] = {1e-4, 1e-4, 1e-4}, middle[3] = {0.5 * l, 0, 0};
    const double angle = slider ? slider_crank_start : 0, tilt = -asin(r / l * sin(angle));
    td_builder *b = test_builder("slider_crank");
    add_link(b, "ground", 0, NULL, NULL);
    add_link(b, "crank", 1, zero, crank);
    add_link(b, "rod", rod_weight, middle, rod);
    add_link(b, "slider", slider_mass, zero, block);
    td_joint turn = joint_of("turn", TD_JOINT_CONTINUOUS, "ground", "crank", 0, 0, 0, 'y');
    td_joint pin = joint_of("pin", TD_JOINT_CONTINUOUS, "crank", "rod", r, 0, 0, 'y');
    turn_origin(&turn, angle);
    turn_origin(&pin, tilt - angle);
    assert_ok(td_builder_add_joint(b, &turn));
    assert_ok(td_builder_add_joint(b, &pin));
    td_joint way = joint_of("way", TD_JOINT_PRISMATIC, "ground", "slider",
                            r * cos(angle) + l * cos(tilt), 0, 0, 'x');
    way.limit.lower = slider ? -3 * r : -1.2 * r;
    way.limit.upper = slider ? 3 * r : way.limit.upper;
    assert_ok(td_builder_add_joint(b, &way));
    td_loop loop = td_loop_default("end", "slider", "rod");
    loop.type = TD_LOOP_REVOLUTE;
    loop.axis[0] = loop.axis[2] = 0;
    loop.axis[1] = 1;
    loop.successor_origin.position[0] = l;
    td_rotation_from_rpy(0, -tilt, 0, loop.successor_origin.rotation);
    assert_ok(td_builder_add_loop(b, &loop));
    assert_ok(td_builder_set_independent(b, "turn", !slider));
    assert_ok(td_builder_set_independent(b, "way", slider));
    assert_ok(td_builder_set_independent(b, "pin", false));
    td_model *model = finish(b, true);
    ck_assert_int_eq(td_joint_place_at(model, td_joint_index(model, "way")).dependent, !slider);
    return model;
}

/* inertia in θ and its derivative, and derivative of the potential; positive θ turns x to −z */
static void crank_terms(quad theta, quad *M, quad *dM, quad *dV)
{
    const quad r = (quad)slider_crank_lengths[0], l = (quad)slider_crank_lengths[1];
    quad s, c;
    sincos_quad(theta, &s, &c);
    const quad sine = r / l * s, cosine = sqrt_quad(1 - sine * sine); /* of the rod's angle ρ */
    const quad p = r / l * c / cosine;                                /* dρ/dθ */
    const quad dp = (p * p * sine - r / l * s) / cosine;
    const quad x = -r * s - l * sine * p, dx = -r * c - l * (cosine * p * p + sine * dp);
    const quad a = -r * s - l / 2 * sine * p, da = -r * c - l / 2 * (cosine * p * p + sine * dp);
    const quad z = r / 2 * c, dz = -r / 2 * s; /* the rod's midpoint is at −r/2 sin θ */
    const quad mr = (quad)rod_weight, ms = (quad)slider_mass, Ir = (quad)rod_inertia;
    *M = (quad)crank_inertia + mr * (a * a + z * z) + Ir * p * p + ms * x * x;
    *dM = 2 * (mr * (a * da + z * dz) + Ir * p * dp + ms * x * dx);
    *dV = -mr * (quad)9.81 * z;
}

static void crank_rate(const quad *x, quad *rate)
{
    quad M, dM, dV;
    crank_terms(x[0], &M, &dM, &dV);
    rate[0] = x[1];
    rate[1] = -(dM / 2 * x[1] * x[1] + dV) / M;
}

double slider_crank_quad(double t, double angle, double rate)
{
    const double start[2] = {angle, rate};
    double x[2];
    solve_quad(crank_rate, 2, start, t, 8000, x);
    return x[0];
}

/* ---- a free body ----------------------------------------------------------------------------- */

td_status constant_force(void *context, const td_action *a)
{
    a->tau_y[0] = *(const double *)context;
    return TD_OK;
}

td_model *free_body(void)
{
    td_builder *b = test_builder("free_body");
    const double com[3] = {0.1, -0.05, 0.2}, inertia[3] = {0.3, 0.5, 0.7};
    add_link(b, "body", 2, com, inertia);
    td_load_options options = td_load_options_default();
    options.base = TD_BASE_FLOATING;
    options.gravity[2] = 0;
    return model_of_builder(b, &options);
}

/* ---- the squeezer ---------------------------------------------------------------------------- */

const char *const squeezer_joints[7] = {"beta",  "theta", "gamma",  "phi",
                                        "delta", "omega", "epsilon"};
const double squeezer_start[7] = {-0.0617138900142764496, 0,
                                  0.455279819163070380,   0.222668390165885885,
                                  0.487364979543842550,   -0.222668390165885885,
                                  1.23054744454982119};
/* at 0.03 s: the reference solution of the Test Set for IVP Solvers */
const double squeezer_end[7] = {0.1581077119629904e2, -0.1575637105984298e2, 0.4082224013073101e-1,
                                -0.5347301163226948,  0.5244099658805304,    0.5347301163226948,
                                0.1048080741042263e1};
const double squeezer_end_rate[7] = {
    0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2,
    0.5735699284790808,   -0.1929337464421385e2, 0.3231791658026955};

enum { SQUEEZER_BODIES = 7 };

static const struct squeezer_body {
    const char *joint, *link, *parent;
    double x, y; /* the joint in the parent's frame */
    double mass, com_x, com_y, inertia;
} squeezer_body[SQUEEZER_BODIES] = {
    {"beta", "K1", "ground", 0, 0, 0.04325, 92e-5, 0, 2.194e-6},
    {"theta", "K2", "K1", 7e-3, 0, 0.00365, -115e-4, 0, 4.410e-7},
    {"gamma", "K3", "ground", -0.03635, 0.03273, 0.02373, 1874e-5, -1043e-5, 5.255e-6},
    {"delta", "K5", "ground", -0.06934, -0.00227, 0.07050, 2308e-5, 916e-5, 1.169e-5},
    {"phi", "K4", "K5", 4e-2, 0, 0.00706, 0, -(2e-2 - 1421e-5), 5.667e-7},
    {"epsilon", "K7", "ground", -0.06934, -0.00227, 0.05498, 449e-5, -1228e-5, 1.912e-5},
    {"omega", "K6", "K7", 0, -4e-2, 0.00706, 2e-2 - 1421e-5, 0, 5.667e-7},
};

static void close_squeezer(td_builder *b, const char *name, const char *link, double x, double y)
{
    td_loop loop = td_loop_default(name, "K2", link);
    loop.type = TD_LOOP_REVOLUTE;
    loop.axis[0] = loop.axis[1] = 0;
    loop.axis[2] = 1;
    loop.predecessor_origin.position[0] = -28e-3;
    loop.successor_origin.position[0] = x;
    loop.successor_origin.position[1] = y;
    assert_ok(td_builder_add_loop(b, &loop));
}

td_model *squeezer(void)
{
    td_builder *b = test_builder("squeezer");
    add_link(b, "ground", 0, NULL, NULL);
    for (int i = 0; i < SQUEEZER_BODIES; i++) {
        const struct squeezer_body *k = &squeezer_body[i];
        const double com[3] = {k->com_x, k->com_y, 0},
                     inertia[3] = {k->inertia, k->inertia, k->inertia};
        add_link(b, k->link, k->mass, com, inertia);
        td_joint joint =
            joint_of(k->joint, TD_JOINT_CONTINUOUS, k->parent, k->link, k->x, k->y, 0, 'z');
        joint.independent = i == 0;
        /* the frame is rotated so that q = 0 is the start, where the loops are closed */
        double angle = 0;
        for (int m = 0; m < SQUEEZER_BODIES; m++)
            if (strcmp(squeezer_joints[m], k->joint) == 0)
                angle = squeezer_start[m];
        td_rotation_from_rpy(0, 0, angle, joint.origin.rotation);
        assert_ok(td_builder_add_joint(b, &joint));
    }
    close_squeezer(b, "P3", "K3", 0, -35e-3);
    close_squeezer(b, "P4", "K4", 0, -2e-2);
    close_squeezer(b, "P6", "K6", 2e-2, 0);
    return finish(b, false);
}

double squeezer_spring(double gamma, double *energy)
{
    const double c0 = 4530, l0 = 7785e-5, s = sin(gamma), c = cos(gamma);
    const double rx = 2e-2 * c + 18e-3 * s, ry = 2e-2 * s - 18e-3 * c; /* of D relative to B */
    const double dx = rx - 0.03635 - 0.014, dy = ry + 0.03273 - 0.072, length = hypot(dx, dy);
    const double force = -c0 * (length - l0) / length;
    if (energy)
        *energy = 0.5 * c0 * (length - l0) * (length - l0);
    return force * (rx * dy - ry * dx);
}
