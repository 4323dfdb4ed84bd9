/* SPDX-License-Identifier: MIT */
/*
 * A finger on a moving wrist, pulled by a string. The bodies, the string and the posture come from
 * A. Musiolik, "Multibody model of the human hand for the dynamic analysis of a hand rehabilitation
 * device" (MSc thesis, IST Lisbon 2008; Lnnn: line of its text). hand_a.urdf and hand_b.urdf
 * document their sources.
 *
 * The thesis prints no numbers for moments and reactions, and its measured motion was lost with its
 * data files. The tables here therefore describe a synthetic motion of the thesis' bodies, with the
 * fingertip following the middle joint exactly. They come from two programs that share nothing with
 * this library: one in natural coordinates with Lagrange multipliers, as in the thesis, and one
 * with the Newton-Euler equations of the four bodies. Moments M1 to M4 act at dip, pip, mcp and
 * wrist about z (N m), and R1 to R4 are the forces there (N, world axes). All are exerted by the
 * body nearer to the wrist on the other one.
 *
 * All numbers of the tables are reproduced to their last printed digit. Findings about the thesis:
 *
 * - Variant B has the inertia of the thesis' program, m l²/3 + m r²/4 about the center of mass,
 *   with the radius of body I for all four (L2813-2827). With the radius of each body, M3 and M4
 *   would change by up to 3e-6 N m.
 * - Table 2 uses the radius of each body, and its moments are about the body's end. The table and
 *   the program therefore differ for bodies III and IV.
 * - The initial posture of the simulation (L2860-2861) does not have the lengths of table 2.
 * - According to L1742 the moments are lowest in full flexion. With the printed anchor they rise
 *   first: M3 and M4 along all of the motion, M2 up to s = 0.92 (see the sweep below).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "td_test.h"

enum { WX, WY, WRIST, MCP, PIP, DIP, JOINTS };
static const char *const joint_names[JOINTS] = {"wx", "wy", "wrist", "mcp", "pip", "dip"};
static const char *const body_names[4] = {"distal", "middle", "proximal", "metacarpal"}; /* I..IV */

/* table 2, L1585-1611; bodies I to IV */
static const double masses[4] = {0.007, 0.014, 0.030, 0.662};
static const double lengths[4] = {0.02101, 0.01910, 0.03008, 0.07717};
static const double radii[4] = {0.0075, 0.0075, 0.010, 0.015};
static const double table2[4] = {1.128e-6, 1.899e-6, 9.798e-6, 1.351e-3};
/* about the center of mass, in the two interpretations */
static const double inertia_a[4] = {3.559326e-7, 6.224867e-7, 3.012016e-6, 3.657665e-4};
static const double inertia_b[4] = {1.128418e-6, 1.899322e-6, 9.469939e-6, 1.323425e-3};

static const double string_force = 0.2 * 9.81; /* L2834 */

/* P1, P2 = P3, P4 = P5, P6 = P7, P8 of the initial posture (L2860-2861), from tip to wrist */
static const double posture[5][2] = {{0.369055, -0.019998},
                                     {0.348411, -0.018353},
                                     {0.329179, -0.015908},
                                     {0.300538, -0.017363},
                                     {0.222256, -0.008233}};

/* the same in joint coordinates */
static const double start[JOINTS] = {
    0.222256,           -0.008233, -0.11610507863106667, 0.16686274282588226, -0.1772111707058186,
    0.04693735047328544};

/* The motion: start + way · s with s = (1 − cos 2πt/2.8)/2. The last two entries have the ratio of
   dip's multiplier. */
static const double way[JOINTS] = {0.003, 0.010, 0.05, -0.70, -0.50, -0.30};

typedef struct moment {
    double t, M[4], R[4][2];
} moment;

static const moment golden[2][3] = {
    {
        {0,
         {-9.16740676e-6, 0.0177612161, 0.0395274487, 0.118819901},
         {{8.0875169e-6, -7.5199398e-4},
          {1.78413192, 0.815198785},
          {1.78442974, 0.815506136},
          {1.78980251, 0.835367619}}},
        {0.7,
         {-8.47280863e-7, 0.0299525232, 0.0664297294, 0.136783876},
         {{-4.14508753e-4, 3.14360717e-4},
          {1.81246747, 0.749846816},
          {1.8122292, 0.74991247},
          {1.81214914, 0.749919784}}},
        {1.4,
         {9.51210316e-6, 0.0336342609, 0.082675906, 0.147258661},
         {{7.75687533e-4, 1.63838054e-4},
          {1.82303472, 0.72916726},
          {1.82320534, 0.728730876},
          {1.81799266, 0.708854767}}},
    },
    {
        /* moments only: inertias about the center of mass do not change the forces */
        {0, {-1.19875543e-5, 0.0177546989, 0.0395103629, 0.118923372}, {{0}}},
        {0.7, {-8.47280863e-7, 0.0299525232, 0.0664297294, 0.136783876}, {{0}}},
        {1.4, {1.23322507e-5, 0.0336407781, 0.0826929918, 0.147155189}, {{0}}},
    },
};

/* checks that x rounds to a number printed with `digits` significant digits */
static void check_digits(double x, double printed, int digits)
{
    double unit = pow(10, floor(log10(fabs(printed))) - (digits - 1));
    ck_assert_msg(fabs(x - printed) <= 0.5001 * unit, "%.12g, printed %.12g", x, printed);
}

/* same for a number of decimals */
static void check_decimals(double x, double printed, int decimals)
{
    ck_assert_msg(fabs(x - printed) <= 0.5001 * pow(10, -decimals), "%.12g, printed %.12g", x,
                  printed);
}

/* ---- the robot and the string ---------------------------------------------------------------- */

typedef struct hand {
    td_model *model;
    td_workspace *workspace;
    double *wrenches, *poses, *reactions;
    size_t string, anchor;
    td_forces forces;
} hand;

static hand hand_of(td_model *model)
{
    hand h = {.model = model, .workspace = test_workspace(model), .forces = td_forces_default()};
    ck_assert_uint_eq(td_nv(model), JOINTS);
    ck_assert_uint_eq(td_nyd(model), JOINTS - 1);
    for (int i = 0; i < JOINTS; i++) {
        size_t joint = td_movable_joint(model, (size_t)i);
        ck_assert_str_eq(td_joint_at(model, joint)->name, joint_names[i]);
    }
    h.string = td_link_index(model, "string");
    h.anchor = td_link_index(model, "anchor");
    h.wrenches = test_calloc(6 * td_link_count(model), sizeof *h.wrenches);
    h.poses = test_calloc(12 * td_link_count(model), sizeof *h.poses);
    h.reactions = test_calloc(6 * td_joint_count(model), sizeof *h.reactions);
    h.forces.wrenches = h.wrenches;
    h.forces.wrench_frame = TD_FRAME_ALIGNED;
    return h;
}

static hand hand_new(int variant, double g)
{
    td_load_options options = td_load_options_default();
    options.gravity[2] = -g; /* normal to the plane: no effect in it */
    return hand_of(td_load_robot(variant ? "hand_b.urdf" : "hand_a.urdf", &options));
}

/* the string's force on the middle body, of constant magnitude, toward the anchor, and its
   length */
static double pull(hand *h, const double *y)
{
    assert_ok(td_link_poses(h->model, h->workspace, y, h->poses));
    double d[3], length = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = h->poses[12 * h->anchor + 4 * (size_t)i + 3] -
               h->poses[12 * h->string + 4 * (size_t)i + 3];
        length += d[i] * d[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3; i++)
        h->wrenches[6 * h->string + 3 + (size_t)i] = string_force * d[i] / length;
    return length;
}

/* computes moments and reactions M1..M4, R1..R4 from the wrenches of the joints */
static void carried(hand *h, const double *y, const double *yd, const double *ydd, double M[4],
                    double R[4][2])
{
    assert_ok(td_joint_reactions(h->model, h->workspace, y, yd, ydd, &h->forces, TD_FRAME_ALIGNED,
                                 h->reactions));
    for (int i = 0; i < 4; i++) {
        const double *r = h->reactions + 6 * td_joint_index(h->model, joint_names[DIP - i]);
        M[i] = r[2];
        R[i][0] = r[3];
        R[i][1] = r[4];
    }
}

/* y, ẏ, ÿ of the motion; dip follows through its mimic joint */
static void move(double t, double y[], double yd[], double ydd[])
{
    const double w = 2 * M_PI / 2.8;
    for (int i = 0; i < DIP; i++) {
        y[i] = start[i] + way[i] * (1 - cos(w * t)) / 2;
        yd[i] = way[i] * w * sin(w * t) / 2;
        ydd[i] = way[i] * w * w * cos(w * t) / 2;
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

TD_TEST(bodies)
{
    for (int variant = 0; variant < 2; variant++) {
        hand h = hand_new(variant, 9.81);
        for (int i = 0; i < 4; i++) {
            size_t index = td_link_index(h.model, body_names[i]);
            const td_link *link = td_link_at(h.model, index);
            double m = masses[i], l = lengths[i], r = radii[i];
            ck_assert_double_eq(link->mass, m);
            ck_assert_double_eq(link->inertial.position[0], l / 2);
            ck_assert_double_eq_tol(link->inertia[0], m * r * r / 2, 1e-15 * m);
            double across = variant ? m * l * l / 3 + m * radii[0] * radii[0] / 4
                                    : m * l * l / 12 + m * r * r / 4;
            ck_assert_double_eq_tol(link->inertia[5], across, 1e-15 * across);
            ck_assert_double_eq(link->inertia[3], link->inertia[5]);
            check_digits(link->inertia[5], (variant ? inertia_b : inertia_a)[i], 7);
            if (!variant) /* table 2 is about the body's end */
                check_digits(link->inertia[5] + m * l * l / 4, table2[i], 4);
            td_inertia_audit audit = td_link_audit(h.model, index);
            ck_assert(audit.positive_definite && audit.triangle_margin >= 0);
        }
        ck_assert_double_eq_tol(td_moving_mass(h.model), 0.713, 1e-15);
    }
}

/* The tables, by variant, with and without gravity, which is normal to the plane. */
TD_LOOP_TEST(moments_and_reactions, 0, 4)
{
    int variant = _i & 1;
    double g = _i & 2 ? 9.81 : 0;
    hand h = hand_new(variant, g);
    for (int k = 0; k < 3; k++) {
        const moment *row = &golden[variant][k];
        double y[JOINTS], yd[JOINTS], ydd[JOINTS], q[JOINTS], qd[JOINTS], qdd[JOINTS];
        double tau[JOINTS], tau_y[DIP], M[4], R[4][2], back[DIP];
        move(row->t, y, yd, ydd);
        pull(&h, y);
        carried(&h, y, yd, ydd, M, R);
        for (int i = 0; i < 4; i++) {
            check_digits(M[i], row->M[i], 9);
            for (int j = 0; j < 2; j++)
                check_digits(R[i][j], golden[0][k].R[i][j], 9);
        }

        /* the joint forces of the tree are these moments, and at the wrist these forces */
        assert_ok(td_closure(h.model, h.workspace, y, yd, ydd, q, qd, qdd));
        ck_assert_double_eq_tol(q[DIP], start[DIP] + 0.6 * (y[PIP] - start[PIP]), 1e-15);
        ck_assert_double_eq(qdd[DIP], 0.6 * ydd[PIP]);
        TD_IN_TREE(h.workspace,
                   td_inverse_dynamics(h.model, h.workspace, q, qd, qdd, &h.forces, tau));
        const double expected[JOINTS] = {R[3][0], R[3][1], M[3], M[2], M[1], M[0]};
        for (int i = 0; i < JOINTS; i++)
            ck_assert_double_eq_tol(tau[i], expected[i], 1e-15);

        /* dip's moment acts on pip through the multiplier: τ_pip = M2 + 0.6 M1 */
        td_inverse_dynamics(h.model, h.workspace, y, yd, ydd, &h.forces, tau_y);
        for (int i = 0; i < DIP; i++)
            ck_assert_double_eq_tol(tau_y[i], tau[i] + (i == PIP ? 0.6 * tau[DIP] : 0), 1e-15);

        /* These forces must reproduce the accelerations of the motion. Rounding errors of the
           forces, about 1e-17 N m, are multiplied by H⁻¹, which is of the order of 1e5 /(kg m²) at
           pip. */
        assert_ok(td_forward_dynamics(h.model, h.workspace, y, yd, tau_y, &h.forces, back));
        td_assert_close(DIP, back, ydd, 1e-11, 1);

        /* only the weight leaves the plane */
        for (int i = 0; i < 4; i++) {
            const double *r = h.reactions + 6 * td_joint_index(h.model, joint_names[DIP - i]);
            double below = 0;
            for (int j = 0; j <= i; j++)
                below += masses[j];
            ck_assert_double_eq_tol(r[5], g * below, 1e-15 * 16);
            if (g == 0)
                ck_assert(r[0] == 0 && r[1] == 0);
        }
    }
}

/* forces at rest at start + way · s */
static void at_rest(hand *h, double s, double M[4], double R[4][2])
{
    double y[DIP];
    for (int i = 0; i < DIP; i++)
        y[i] = start[i] + way[i] * s;
    pull(h, y);
    carried(h, y, NULL, NULL, M, R);
}

/* The posture: its lengths, its angles, and how far its lengths differ from table 2. */
TD_TEST(starting_posture)
{
    static const double raw[4] = {0.0207094, 0.0193868, 0.0286779, 0.0788126};
    double angle[4], violation = 0;
    for (int i = 0; i < 4; i++) {
        double dx = posture[i][0] - posture[i + 1][0], dy = posture[i][1] - posture[i + 1][1];
        check_decimals(hypot(dx, dy), raw[i], 7);
        angle[i] = atan2(dy, dx);
        violation += pow(dx * dx + dy * dy - lengths[i] * lengths[i], 2);
    }
    check_digits(sqrt(violation), 2.697e-4, 4);
    ck_assert_double_eq_tol(angle[3], start[WRIST], 4e-16);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(angle[i] - angle[i + 1], start[DIP - i], 4e-16);
}

TD_TEST(statics)
{
    hand h = hand_new(0, 0);
    double M[4], R[4][2];
    at_rest(&h, 0, M, R);
    static const double moments[4] = {0, 0.0177918, 0.0395989, 0.1181353};
    for (int i = 0; i < 4; i++) {
        check_decimals(M[i], moments[i], 7);
        check_decimals(R[i][0], i ? 1.7840162 : 0, 7);
        check_decimals(R[i][1], i ? 0.8165355 : 0, 7);
    }
}

/* Returns the text of hand_a.urdf with the origin of one joint moved from x to another x. */
static char *with_origin(char *text, const char *x, double other)
{
    char from[64], to[64];
    snprintf(from, sizeof from, "<origin xyz=\"%s 0 0\"/>", x);
    snprintf(to, sizeof to, "<origin xyz=\"%.17g 0 0\"/>", other);
    char *at = strstr(text, from);
    ck_assert_msg(at && !strstr(at + 1, from), "%s once in hand_a.urdf", from);
    char *result = test_malloc(strlen(text) + sizeof to);
    size_t before = (size_t)(at - text);
    memcpy(result, text, before);
    strcpy(result + before, to);
    strcat(result, at + strlen(from));
    return result;
}

/* In the posture as printed, with the lengths that it implies. */
TD_TEST(statics_of_the_posture)
{
    double l[4];
    for (int i = 0; i < 4; i++)
        l[i] = hypot(posture[i][0] - posture[i + 1][0], posture[i][1] - posture[i + 1][1]);
    char path[4096];
    snprintf(path, sizeof path, "%s/hand_a.urdf", td_robot_directory());
    char *text = td_read_file(path, NULL);
    text = with_origin(text, "0.07717", l[3]);
    text = with_origin(text, "0.03008", l[2]);
    text = with_origin(text, "0.0191", l[1]);
    text = with_origin(text, "0.01719", 0.9 * l[1]);
    text = with_origin(text, "0.02101", l[0]);
    td_load_options options = td_load_options_default();
    options.gravity[2] = 0;
    td_model *model;
    assert_ok(test_load_urdf_memory(text, strlen(text), path, &options, NULL, &model));

    hand h = hand_of(model);
    double M[4], R[4][2];
    check_decimals(pull(&h, start), 0.2554673892, 10);
    const double *string = h.poses + 12 * h.string;
    check_decimals(string[3], 0.3464878, 7);
    check_decimals(string[7], -0.0181085, 7);
    at_rest(&h, 0, M, R);
    static const char *const ends[4] = {"tip", "distal", "middle", "proximal"};
    for (int i = 0; i < 4; i++) /* the points of the posture themselves */
        for (size_t j = 0; j < 2; j++) {
            size_t link = td_link_index(model, ends[i]);
            ck_assert_double_eq_tol(h.poses[12 * link + 4 * j + 3], posture[i][j], 1e-15);
        }
    static const double moments[4] = {0, 0.0180054, 0.0386998, 0.1186645};
    for (int i = 0; i < 4; i++) {
        check_decimals(M[i], moments[i], 7);
        check_decimals(R[i][0], i ? 1.7855158 : 0, 7);
        check_decimals(R[i][1], i ? 0.8132511 : 0, 7);
    }
    /* within the windows of the thesis' plots: Rx3 (L3164), Rx4 (L3170), Ry4 (L3185) */
    ck_assert(R[2][0] > 1.7 && R[2][0] < 2 && R[3][0] > 1.5 && R[3][0] < 2.5);
    ck_assert(R[3][1] > 0.4 && R[3][1] < 1.1);
}

/* At rest along the motion's path and beyond: the moments rise as the hand flexes and fall in deep
   flexion, M2 from s = 0.925 on, M3 from 1.276, M4 from 1.282. */
TD_TEST(sweep)
{
    hand h = hand_new(0, 0);
    double M[4], R[4][2], last[4] = {0};
    for (int k = 0; k <= 10; k++) {
        at_rest(&h, k / 10.0, M, R);
        for (int i = 1; i < 4; i++)
            ck_assert(M[i] > last[i] || (i == 1 && k == 10));
        memcpy(last, M, sizeof last);
        if (k == 0)
            check_decimals(M[3], 0.118, 3);
    }
    at_rest(&h, 1.5, M, R);
    check_decimals(M[3], 0.149, 3);
    at_rest(&h, 2, M, R);
    check_decimals(M[3], 0.137, 3);
    check_decimals(M[1], 0.008, 3);
}
