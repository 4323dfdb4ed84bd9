/* SPDX-License-Identifier: MIT */
/*
 * Closed forms of the bundled mechanisms: half-angle formulas and intersections of circles for
 * planar ones, printed closures of papers, and inverse kinematics of parallel robots.
 */
#include "mechanisms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846, degree = 3.14159265358979323846 / 180;

void td_set_joint(const td_model *model, double *q, const char *joint, double value)
{
    size_t index = td_joint_index(model, joint);
    ck_assert_msg(index != TD_NONE, "no joint %s", joint);
    q[td_joint_place_at(model, index).q] = value;
}

/* ---- planar geometry ------------------------------------------------------------------------- */

typedef struct point {
    double x, y;
} point;

static point along(point from, double length, double angle)
{
    return (point){from.x + length * cos(angle), from.y + length * sin(angle)};
}

static double angle_of(point from, point to)
{
    return atan2(to.y - from.y, to.x - from.x);
}

/* Computes the point at distance r from p and s from q; branch +1 lies to the left of p → q. */
static bool meet(point p, double r, point q, double s, int branch, point *out)
{
    double d = hypot(q.x - p.x, q.y - p.y), c = (d * d + r * r - s * s) / (2 * d * r);
    if (!(fabs(c) <= 1))
        return false;
    *out = along(p, r, angle_of(p, q) + branch * acos(c));
    return true;
}

/* Joint angles are angles of links minus their values at the reference. */
typedef struct named_angle {
    const char *joint;
    double value, reference;
} named_angle;

static void set_joints(const td_model *model, double *q, size_t n, const named_angle *angles)
{
    for (size_t i = 0; i < n; i++)
        td_set_joint(model, q, angles[i].joint, angles[i].value - angles[i].reference);
}

/* ---- four-bar -------------------------------------------------------------------------------- */

bool td_four_bar_angles(const td_four_bar *bars, double crank, int branch, double angles[2])
{
    double a = bars->crank, b = bars->coupler, c = bars->rocker, g = bars->ground;
    /* A sin ψ + B cos ψ = C for the rocker's angle ψ */
    double A = sin(crank), B = cos(crank) - g / a;
    double C = (g * g + a * a + c * c - b * b) / (2 * a * c) - g / c * cos(crank);
    double D = A * A + B * B - C * C;
    if (D < 0)
        return false;
    angles[1] = remainder(2 * atan2(A + branch * sqrt(D), B + C), 2 * pi);
    double x = g + c * cos(angles[1]) - a * cos(crank), y = c * sin(angles[1]) - a * sin(crank);
    angles[0] = atan2(y, x) - crank;
    return true;
}

bool td_four_bar_form(const td_model *model, const double *p, double *q)
{
    static const td_four_bar bars = {0.1, 0.25, 0.3, 0.35};
    double now[2], then[2], start = 60 * degree;
    if (!td_four_bar_angles(&bars, start + *p, -1, now) ||
        !td_four_bar_angles(&bars, start, -1, then))
        return false;
    const named_angle angles[] = {{"crank_joint", *p, 0},
                                  {"coupler_joint", now[0], then[0]},
                                  {"rocker_joint", now[1], then[1]}};
    set_joints(model, q, 3, angles);
    return true;
}

/* ---- Stephenson III -------------------------------------------------------------------------- */

typedef struct stephenson {
    double L1, L2, L3, L4, L5, L6, L7, L8, beta, theta1, theta5, theta20; /* mm, degrees */
} stephenson;

static const stephenson table1[2] = {
    {101.98, 30, 100.49, 60, 126.49, 160, 136.01, 50, -210.85, 29.44, 18.33, 90},
    {77.30, 29, 155.94, 107.45, 144.31, 151.46, 129.05, 29.17, -218.32, 103.70, -154.80, 65.04},
};

bool td_stephenson_angles(int column, double theta2, const int branch[2], double angles[4])
{
    const stephenson *t = &table1[column];
    const point origin = {0, 0};
    point A = along(origin, t->L1, t->theta1 * degree),
          E = along(origin, t->L5, t->theta5 * degree);
    point B = along(A, t->L2, t->theta20 * degree + theta2), C, F;
    if (!meet(origin, t->L4, B, t->L3, branch[0], &C))
        return false;
    angles[0] = angle_of(C, B);
    angles[1] = angle_of(origin, C);
    point D = along(C, t->L8, angles[0] - t->beta * degree);
    if (!meet(E, t->L6, D, t->L7, branch[1], &F))
        return false;
    angles[2] = angle_of(E, F);
    angles[3] = angle_of(F, D);
    return true;
}

bool td_stephenson_form(const td_model *model, const double *p, double *q)
{
    static const int branch[2] = {1, -1};
    int column = strcmp(td_model_name(model), "stephenson") != 0;
    double now[4], then[4];
    if (!td_stephenson_angles(column, *p, branch, now) ||
        !td_stephenson_angles(column, 0, branch, then))
        return false;
    const named_angle angles[] = {{"crank_joint", *p, 0},
                                  {"coupler_joint", now[0] - *p, then[0]},
                                  {"rocker_joint", now[1], then[1]},
                                  {"arm_joint", now[2], then[2]},
                                  {"output_bar_joint", now[3] - now[2], then[3] - then[2]}};
    set_joints(model, q, 5, angles);
    return true;
}

/* ---- PASIBOT and LARM ------------------------------------------------------------------------ */

/* Equations 6: cos θ7 and cos θ9. */
static void chebyshev(double theta8, double *theta7, double *theta9)
{
    double c = cos(theta8), s = sin(theta8), root = sqrt(-16 * c * c - 60 * c + 100);
    *theta7 = acos((-4 * c * c + 13 * c - 10 + s * root) / (25 - 20 * c));
    *theta9 = acos((-4 * c * c + 13 * c - 10 - s * root) / (-25 + 20 * c));
}

void td_leg_angles(double theta8, double angles[5])
{
    double t7, t9;
    chebyshev(theta8, &t7, &t9);
    /* Equations 7 with all brackets. In print, the brackets of "− 12" and of cos θ9, sin θ9 are
       missing, and the root is imaginary for most crank angles. */
    double x = 2.5 * (cos(t7) + cos(t9)), y = 2.5 * (sin(t7) + sin(t9)) - 12, A = x * x + y * y;
    double r6 = sqrt(144 * A - (27 + A) * (27 + A)), r3 = sqrt(36 * A - (27 - A) * (27 - A));
    angles[0] = t7;
    angles[1] = t9;
    angles[2] = acos((x * (-27 - A) - y * r6) / (12 * A));
    angles[3] = acos((x * (27 - A) + y * r3) / (6 * A));
    angles[4] = asin((5 * sin(t7) - sin(theta8) - 4) / 4.2);
}

/* horizontal position of the stabilizer's end: equation 5 with θ8 in its third term */
static double slot(double theta8, const double t[5])
{
    return cos(theta8) - 5 * cos(t[0]) + 4.2 * cos(t[4]);
}

bool td_leg_form(const td_model *model, const double *p, double *q)
{
    double t8 = 90 * degree + *p, t[5], r[5];
    td_leg_angles(t8, t);
    td_leg_angles(90 * degree, r);
    const named_angle shared[] = {{"crank_joint", *p, 0},
                                  {"coupler_joint", t[0] - *p, r[0]},
                                  {"rocker_joint", t[1], r[1]},
                                  {"upper_tendon_joint", t[2], r[2]},
                                  {"femur_joint", t[3] - t[2], r[3] - r[2]},
                                  {"tibia_joint", t[2] - t[3], r[2] - r[3]}};
    set_joints(model, q, 6, shared);
    if (strcmp(td_model_name(model), "larm_leg") == 0) {
        td_set_joint(model, q, "lower_tendon_joint", t[3] - r[3]);
        return true;
    }
    const named_angle own[] = {
        {"lower_tendon_joint", t[3] - t[2], r[3] - r[2]},
        {"stabiliser_joint", t[4] - t[0], r[4] - r[0]},
        {"slider_joint", 0.03 * slot(t8, t), 0.03 * slot(90 * degree, r)},
        {"foot_joint", t[4] - t[2], r[4] - r[2]},
    };
    set_joints(model, q, 4, own);
    return true;
}

/* ---- five-bar -------------------------------------------------------------------------------- */

static bool five_bar_angles(const double *p, double angles[4])
{
    const point A = {0, 0}, O = {0.693, 0.212};
    double t1 = 87 * degree + p[0], t4 = 135 * degree + p[1]; /* O to D: half a turn from D to O */
    point B = along(A, 0.343, t1), D = along(O, 0.170, t4), C;
    if (!meet(B, 0.433, D, 0.203, -1, &C))
        return false;
    angles[0] = t1;
    angles[1] = angle_of(B, C);
    angles[2] = angle_of(C, D);
    angles[3] = t4;
    return true;
}

bool td_five_bar_form(const td_model *model, const double *p, double *q)
{
    static const double reference[2] = {0, 0};
    double t[4], r[4];
    if (!five_bar_angles(p, t) || !five_bar_angles(reference, r))
        return false;
    const named_angle angles[] = {{"A", t[0], r[0]},
                                  {"B", t[1] - t[0], r[1] - r[0]},
                                  {"C", t[2] - t[1], r[2] - r[1]},
                                  {"O", t[3], r[3]}};
    set_joints(model, q, 4, angles);
    return true;
}

/* ---- space: rotations and joints ------------------------------------------------------------- */

static void product(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void transpose(const double A[9], double B[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * i + j] = A[3 * j + i];
}

/* w = R v + t */
static void carry(const double R[9], const double v[3], const double t[3], double w[3])
{
    for (int i = 0; i < 3; i++)
        w[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2] + t[i];
}

static void turn(int axis, double angle, double R[9])
{
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[4 * axis] = 1;
    R[4 * i] = R[4 * j] = cos(angle);
    R[3 * i + j] = -sin(angle);
    R[3 * j + i] = sin(angle);
}

void td_rotation_of(const double x[3], double R[9])
{
    const double xyzw[4] = {x[0], x[1], x[2], 1};
    td_rotation_from_quaternion(xyzw, R);
}

/* R = Rx(a) Ry(b) Rz(c), |b| ≤ π/2 */
static void set_ball(const td_model *model, double *q, const char *prefix, const double R[9])
{
    const double angles[3] = {atan2(-R[5], R[8]), asin(fmax(-1, fmin(1, R[2]))),
                              atan2(-R[1], R[0])};
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s%c", prefix, "xyz"[i]);
        td_set_joint(model, q, name, angles[i]);
    }
}

static const td_pose *origin_of(const td_model *model, const char *joint)
{
    size_t index = td_joint_index(model, joint);
    ck_assert_msg(index != TD_NONE, "no joint %s", joint);
    return &td_joint_at(model, index)->origin;
}

/* Computes a leg with a universal joint (prefix x and y) and a prismatic joint (at), from foot to
   end, both in the frame of the link that carries it. sign: whether the leg points along +z or −z
   of its frame. Stores the leg's rotation in that frame in R unless R is NULL. */
static void set_leg(const td_model *model, double *q, const char *prefix, const char *at,
                    const double foot[3], const double end[3], int sign, double reference,
                    double *R)
{
    char name[2][32];
    for (int i = 0; i < 2; i++)
        snprintf(name[i], sizeof name[i], "%s_%c", prefix, "xy"[i]);
    const double *F = origin_of(model, name[0])->rotation;
    double v[3] = {end[0] - foot[0], end[1] - foot[1], end[2] - foot[2]}, u[3] = {0};
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            u[i] += sign * F[3 * j + i] * v[j] / length;
    double b = asin(u[0]), a = atan2(-u[1], u[2]), A[9], B[9], AB[9];
    td_set_joint(model, q, name[0], a);
    td_set_joint(model, q, name[1], b);
    td_set_joint(model, q, at, length - reference);
    turn(0, a, A);
    turn(1, b, B);
    product(A, B, AB);
    if (R)
        product(F, AB, R);
}

/* ---- CaPaMan --------------------------------------------------------------------------------- */

enum { LEGS = 3 };
static const double radius = 0.25, bar = 0.08, height = 0.1; /* m */

/* Computes the smallest rotation whose third row is (u, v, w), then a rotation about z. */
static void tilt_and_turn(double u, double v, double gamma, double R[9])
{
    double w = sqrt(1 - u * u - v * v), k = 1 / (1 + w), Z[9];
    const double tilt[9] = {1 - k * u * u, -k * u * v, -u, -k * u * v, 1 - k * v * v, -v, u, v, w};
    turn(2, gamma, Z);
    product(Z, tilt, R);
}

/* The heights of the balls give the third row of R, and the sum of their tangential coordinates
   gives the rotation about z. The tangential coordinates then give the center, and the slides
   follow. */
bool td_capaman_platform(const double alpha[3], double H[3], double R[9], double slide[3])
{
    double y[LEGS], z[LEGS], u = 0, v = 0;
    for (int k = 0; k < LEGS; k++) {
        y[k] = bar * cos(alpha[k]);
        z[k] = bar * sin(alpha[k]) + height;
        u += 2 * z[k] * cos(2 * pi * k / 3) / (3 * radius);
        v += 2 * z[k] * sin(2 * pi * k / 3) / (3 * radius);
    }
    double tilt = 1 - u * u - v * v;
    double s = 2 * (y[0] + y[1] + y[2]) / (3 * radius * (1 + sqrt(fmax(tilt, 0))));
    if (tilt < 0 || fabs(s) > 1)
        return false;
    tilt_and_turn(u, v, asin(s), R);
    static const double zero[3] = {0, 0, 0};
    double arm[LEGS][3];
    memset(H, 0, 3 * sizeof *H);
    for (int k = 0; k < LEGS; k++) {
        double c = cos(2 * pi * k / 3), d = sin(2 * pi * k / 3);
        const double place[3] = {radius * c, radius * d, 0};
        carry(R, place, zero, arm[k]);
        double across = y[k] + d * arm[k][0] - c * arm[k][1]; /* tangential coordinates of H */
        H[0] -= 2 * d * across / 3;
        H[1] += 2 * c * across / 3;
        H[2] += z[k] / 3;
    }
    for (int k = 0; k < LEGS; k++)
        slide[k] = cos(2 * pi * k / 3) * (H[0] + arm[k][0]) +
                   sin(2 * pi * k / 3) * (H[1] + arm[k][1]) - radius;
    return true;
}

bool td_capaman_form(const td_model *model, const double *p, double *q)
{
    double alpha[3], H[3], R[9], slide[3];
    for (int k = 0; k < LEGS; k++)
        alpha[k] = pi / 2 + p[k];
    if (!td_capaman_platform(alpha, H, R, slide))
        return false;
    for (int k = 0; k < LEGS; k++) {
        static const char *const format[] = {"crank_%d_joint", "coupler_%d_joint",
                                             "follower_%d_joint", "slide_%d"};
        const double value[] = {p[k], -p[k], p[k], slide[k]};
        for (int i = 0; i < 4; i++) {
            char name[32];
            snprintf(name, sizeof name, format[i], k + 1);
            td_set_joint(model, q, name, value[i]);
        }
    }
    set_ball(model, q, "ball_1_", R); /* the bars stay upright */
    return true;
}

/* ---- Goldberg -------------------------------------------------------------------------------- */

/* sin((x + y) / 2) / sin((x − y) / 2), degrees */
static double ratio(double x, double y)
{
    return sin((x + y) * degree / 2) / sin((x - y) * degree / 2);
}

/* Equations 2 with α12, α45, α51 = 100, 40, 25°. */
void td_goldberg_5r(double theta1, double theta[5])
{
    double t = tan(theta1 / 2);
    theta[0] = theta1;
    theta[1] = 2 * atan2(ratio(25, 100), t);
    theta[2] = 2 * atan(t * ratio(40, 100));
    theta[3] = pi - theta1;
    theta[4] = pi - theta[1] - theta[2];
}

/* Equations 10 with α, β, γ, δ = 40, 100, 25, 130°. */
bool td_goldberg_6r(double theta1, int form, double theta[6])
{
    double m1 = ratio(100, 40), m2 = ratio(100, 25), m3 = ratio(130, 40), m4 = ratio(130, 25);
    double t = tan(theta1 / 2), s = m1 * m2 + t * t, e = (m1 * m2 - 1) * t;
    double D = (1 - m3 * m4) * (1 - m3 * m4) - 4 * m3 * m4 * e * e / (s * s);
    if (D < 0)
        return false;
    double P = s / (2 * m4 * e) * (1 - m3 * m4 + form * sqrt(D));
    theta[0] = theta1;
    theta[1] = 2 * atan2(m1 * m2, t);
    theta[2] = pi + 2 * atan2(m1, t) + 2 * atan(P);
    theta[3] = 2 * atan(m4 * P);
    theta[4] = 2 * atan2(m3, P);
    theta[5] = -theta[2];
    return true;
}

static void set_chain(const td_model *model, double *q, size_t n, const double *now,
                      const double *then)
{
    for (size_t i = 0; i < n; i++) {
        const char name[] = {'j', 'o', 'i', 'n', 't', '_', (char)('1' + i), 0};
        td_set_joint(model, q, name, now[i] - then[i]);
    }
}

bool td_goldberg_5r_form(const td_model *model, const double *p, double *q)
{
    double now[5], then[5];
    td_goldberg_5r(pi / 2 + *p, now);
    td_goldberg_5r(pi / 2, then);
    set_chain(model, q, 5, now, then);
    return true;
}

bool td_goldberg_6r_form(const td_model *model, const double *p, double *q)
{
    double now[6], then[6];
    if (!td_goldberg_6r(0.5 + *p, 1, now) || !td_goldberg_6r(0.5, 1, then))
        return false;
    set_chain(model, q, 6, now, then);
    return true;
}

/* ---- platforms with legs --------------------------------------------------------------------- */

bool td_spherical_form(const td_model *model, const double *p, double *q)
{
    const double c = sqrt(23) / 6,
                 P[3][3] = {{1, 0, 0}, {0.5, 1.0 / 3, c}, {1 / sqrt(10), 0, -3 / sqrt(10)}};
    const double M[3][3] = {{1, 0, 0}, {0.5, -0.5, sqrt(0.5)}, {1.0 / 3, 0.5, c}};
    const double squares[3] = {2 + 1.0 / 3, 2 + 1.0 / 5, 2 + 1.0 / 9}, zero[3] = {0, 0, 0};
    double R[9], F[9], ball[9];
    td_rotation_of(p, R);
    transpose(origin_of(model, "ball_x")->rotation, F);
    product(F, R, ball);
    set_ball(model, q, "ball_", ball);
    for (int i = 0; i < 3; i++) {
        char name[8];
        double end[3];
        snprintf(name, sizeof name, "leg_%d", i + 1);
        carry(R, M[i], zero, end);
        set_leg(model, q, name, name, P[i], end, 1, sqrt(squares[i]), NULL);
    }
    return true;
}

bool td_stewart_form(const td_model *model, const double *p, double *q)
{
    static const double middle = 0.5585, plate = 0.1455; /* m */
    static const double base[6] = {-15, 15, 105, 135, 225, 255};
    static const double top[6] = {-45, 45, 75, 165, 195, -75};
    double chord = 2 * plate * sin(15 * degree), R[9], legs[9], F[9], A[9], B[9];
    const double centre[3] = {p[0], p[1], p[2] + sqrt(middle * middle - chord * chord)};
    td_rotation_from_rpy(p[3], p[4], p[5], R);
    for (int i = 5; i >= 0; i--) { /* leg 1 last, because its rotation is used later */
        const double foot[3] = {plate * cos(base[i] * degree), plate * sin(base[i] * degree), 0};
        const double on_top[3] = {plate * cos(top[i] * degree), plate * sin(top[i] * degree), 0};
        double end[3];
        char name[8];
        snprintf(name, sizeof name, "leg_%d", i + 1);
        carry(R, on_top, centre, end);
        set_leg(model, q, name, name, foot, end, 1, middle, legs);
    }
    product(legs, origin_of(model, "ball_x")->rotation, A);
    transpose(A, F);
    product(F, R, B);
    set_ball(model, q, "ball_", B);
    return true;
}

/* ---- leg with linear actuators --------------------------------------------------------------- */

/* An actuator across a pitch joint at a point of the upper body (rotated by `rest` at the
   reference). */
typedef struct across {
    double foot[3], joint[3], rest, end[3];
} across;

static const across hip = {{-0.09, 0, 0.02}, {0, 0, -0.02}, -20, {-0.07, 0, -0.24}};
static const across knee = {{-0.07, 0, -0.12}, {0, 0, -0.4}, 40, {-0.06, 0, -0.05}};

/* Foot and end of an ankle actuator on shank and foot, and the position of the end relative to the
   shank. */
static void ankle_end(int side, double pitch, double roll, double foot[3], double end[3])
{
    static const double joint[3] = {0, 0, -0.4}, zero[3] = {0, 0, 0};
    const double on_foot[3] = {-0.06, side * 0.04, -0.01};
    double X[9], Y[9], XE[3];
    foot[0] = -0.03;
    foot[1] = side * 0.045;
    foot[2] = -0.12;
    turn(0, roll, X);
    turn(1, -20 * degree + pitch, Y);
    carry(X, on_foot, zero, XE);
    carry(Y, XE, joint, end);
}

static void across_end(const across *a, double angle, double end[3])
{
    double Y[9];
    turn(1, a->rest * degree + angle, Y);
    carry(Y, a->end, a->joint, end);
}

static double distance(const double x[3], const double y[3])
{
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* angle of an actuator's −z axis in the plane of its joint */
static double swing(const double foot[3], const double end[3])
{
    return atan2(foot[0] - end[0], foot[2] - end[2]);
}

static void set_across(const td_model *model, double *q, const char *name, const across *a,
                       double angle)
{
    double now[3], then[3];
    char joint[32];
    across_end(a, angle, now);
    across_end(a, 0, then);
    snprintf(joint, sizeof joint, "%s_swivel", name);
    td_set_joint(model, q, joint, swing(a->foot, now) - swing(a->foot, then));
    snprintf(joint, sizeof joint, "%s_actuator", name);
    td_set_joint(model, q, joint, distance(a->foot, now) - distance(a->foot, then));
}

bool td_linear_leg_form(const td_model *model, const double *p, double *q)
{
    static const char *const joints[] = {"hip_yaw", "hip_roll",    "hip_pitch",
                                         "knee",    "ankle_pitch", "ankle_roll"};
    for (int i = 0; i < 6; i++)
        td_set_joint(model, q, joints[i], p[i]);
    set_across(model, q, "hip", &hip, p[2]);
    set_across(model, q, "knee", &knee, p[3]);
    for (int side = 1; side >= -1; side -= 2) {
        double foot[3], now[3], then[3];
        ankle_end(side, 0, 0, foot, then);
        ankle_end(side, p[4], p[5], foot, now);
        set_leg(model, q, side > 0 ? "ankle_left" : "ankle_right",
                side > 0 ? "ankle_left_actuator" : "ankle_right_actuator", foot, now, -1,
                distance(foot, then), NULL);
    }
    return true;
}

/* ∂ length / ∂ angle = e · (axis × r), where e points along the actuator and r from the joint to
   its end */
static double lever(const double axis[3], const double joint[3], const double foot[3],
                    const double end[3])
{
    double length = distance(foot, end), sum = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double moved = axis[j] * (end[k] - joint[k]) - axis[k] * (end[j] - joint[j]);
        sum += moved * (end[i] - foot[i]) / length;
    }
    return sum;
}

void td_linear_leg_lengths(const double *p, double lengths[4], double J[24])
{
    static const double pitch[3] = {0, 1, 0}, ankle[3] = {0, 0, -0.4};
    const across *const pitched[] = {&hip, &knee};
    memset(J, 0, 24 * sizeof *J);
    for (int i = 0; i < 2; i++) {
        double end[3], then[3];
        across_end(pitched[i], p[2 + i], end);
        across_end(pitched[i], 0, then);
        lengths[i] = distance(pitched[i]->foot, end) - distance(pitched[i]->foot, then);
        J[6 * i + 2 + i] = lever(pitch, pitched[i]->joint, pitched[i]->foot, end);
    }
    for (int i = 2; i < 4; i++) {
        int side = i == 2 ? 1 : -1;
        double a = -20 * degree + p[4], foot[3], end[3], then[3];
        const double roll[3] = {cos(a), 0, -sin(a)};
        ankle_end(side, 0, 0, foot, then);
        ankle_end(side, p[4], p[5], foot, end);
        lengths[i] = distance(foot, end) - distance(foot, then);
        J[6 * i + 4] = lever(pitch, ankle, foot, end);
        J[6 * i + 5] = lever(roll, ankle, foot, end);
    }
}
