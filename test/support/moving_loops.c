/* SPDX-License-Identifier: MIT */
/*
 * Mechanisms with loops whose motion is known independently.
 */
#include "moving_loops.h"

#include <math.h>
#include <string.h>

/* ---- integration ----------------------------------------------------------------------------- */

enum { MOST = 14, COLUMNS = 10 };

typedef void quad_ode(const void *context, const quad *x, quad *rate);

/* Gragg's midpoint rule with n steps of h / n */
static void midpoint(quad_ode *f, const void *context, size_t size, const quad *x, quad h, int n,
                     quad *end)
{
    quad before[MOST], rate[MOST];
    memcpy(before, x, size * sizeof *x);
    f(context, x, rate);
    for (size_t j = 0; j < size; j++)
        end[j] = x[j] + h / n * rate[j];
    for (int k = 1; k < n; k++) {
        f(context, end, rate);
        for (size_t j = 0; j < size; j++) {
            const quad next = before[j] + 2 * h / n * rate[j];
            before[j] = end[j];
            end[j] = next;
        }
    }
}

/* Integrates by steps of order 20: extrapolation in (h / n)² from 2, 4, … 20 midpoint steps (Gragg;
   Bulirsch and Stoer). */
static void extrapolate(quad_ode *f, const void *context, size_t size, quad *x, quad end, int steps)
{
    const quad h = end / steps;
    for (int m = 0; m < steps; m++) {
        quad table[COLUMNS][MOST];
        for (int i = 0; i < COLUMNS; i++) {
            midpoint(f, context, size, x, h, 2 * (i + 1), table[i]);
            for (int k = i - 1; k >= 0; k--) { /* Aitken-Neville extrapolation in place */
                const quad ratio = (quad)(i + 1) / (quad)(k + 1);
                for (size_t j = 0; j < size; j++)
                    table[k][j] =
                        table[k + 1][j] + (table[k + 1][j] - table[k][j]) / (ratio * ratio - 1);
            }
        }
        memcpy(x, table[0], size * sizeof *x);
    }
}

/* ---- Bricard's linkage ----------------------------------------------------------------------- */

enum { RODS = 5 };
const char *const bricard_joints[RODS] = {"j0", "j1", "j2", "j3", "j4"};
static const double corner[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},
                                    {1, 1, 1}, {0, 1, 1}, {0, 0, 1}};
static const double rod_across = 1.0 / 12, rod_along = 1e-3; /* moments of inertia */

static void edge(int k, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = corner[(k + 1) % 6][i] - corner[k % 6][i];
}

static void hinge(int k, double axis[3])
{
    double a[3], b[3];
    edge(k + 5, a);
    edge(k, b);
    for (int i = 0; i < 3; i++)
        axis[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

td_model *bricard(const double gravity[3])
{
    static const char *const names[RODS + 1] = {"ground", "rod1", "rod2", "rod3", "rod4", "rod5"};
    td_builder *b = test_builder("bricard");
    double axis[3], along[3], back[3] = {0, 0, 0};
    for (int k = 0; k <= RODS; k++) {
        td_link link = td_link_default(names[k]);
        edge(k + 5, along);
        link.has_inertial = k > 0;
        link.mass = k > 0;
        for (int i = 0; i < 3 && k > 0; i++) {
            link.inertial.position[i] = 0.5 * along[i];
            link.inertia[i == 0 ? 0 : i == 1 ? 3 : 5] = along[i] != 0 ? rod_along : rod_across;
        }
        assert_ok(td_builder_add_link(b, &link));
    }
    for (int k = 0; k < RODS; k++) {
        td_joint joint =
            td_joint_default(bricard_joints[k], TD_JOINT_CONTINUOUS, names[k], names[k + 1]);
        hinge(k, joint.axis);
        memcpy(joint.origin.position, back, sizeof back);
        joint.independent = k == 0 ? 1 : -1;
        assert_ok(td_builder_add_joint(b, &joint));
        edge(k, back);
    }
    td_loop loop = td_loop_default("close", names[0], names[RODS]);
    loop.type = TD_LOOP_REVOLUTE;
    hinge(RODS, axis);
    memcpy(loop.axis, axis, sizeof axis);
    memcpy(loop.predecessor_origin.position, corner[RODS], sizeof corner[RODS]);
    memcpy(loop.successor_origin.position, back, sizeof back);
    assert_ok(td_builder_add_loop(b, &loop));
    td_load_options options = td_load_options_default();
    memcpy(options.gravity, gravity, sizeof options.gravity);
    return model_of_builder(b, &options);
}

static void cross(const quad *a, const quad *b, quad *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static quad dot(const quad *a, const quad *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* R = R Rot(axis, angle) by Rodrigues' formula: c 1 + (1 − c) a aᵀ + s a× */
static void turn(quad R[3][3], const double axis[3], quad angle)
{
    quad s, c, out[3][3] = {{0}};
    sincos_quad(angle, &s, &c);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            quad entry = (1 - c) * (quad)axis[k] * (quad)axis[j];
            if (k == j)
                entry += c;
            else
                entry += ((k + 1) % 3 == j ? -s : s) * (quad)axis[3 - k - j];
            for (int i = 0; i < 3; i++)
                out[i][j] += R[i][k] * entry;
        }
    memcpy(R, out, sizeof out);
}

static void rotate(quad R[3][3], const double x[3], quad out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i][0] * (quad)x[0] + R[i][1] * (quad)x[1] + R[i][2] * (quad)x[2];
}

/* d/ds of a rod's state: w of its rotation, v of its start, and the derivatives of both */
typedef struct rod_motion {
    quad w[3], dw[3], v[3], dv[3];
} rod_motion;

/* Moves on to the next rod: a joint at angle θ(s) about a, then the rod along r. Its midpoint has
   velocity c with derivative dc. */
static void next_rod(rod_motion *m, const quad *a, quad first, quad second, const quad *r, quad *c,
                     quad *dc)
{
    quad spin[3], wr[3], wwr[3], dwr[3];
    cross(m->w, a, spin); /* rate of the axis, which moves with the rod before */
    for (int i = 0; i < 3; i++) {
        m->dw[i] += second * a[i] + first * spin[i];
        m->w[i] += first * a[i];
    }
    cross(m->w, r, wr);
    cross(m->w, wr, wwr);
    cross(m->dw, r, dwr);
    for (int i = 0; i < 3; i++) {
        c[i] = m->v[i] + wr[i] / 2;
        dc[i] = m->dv[i] + (dwr[i] + wwr[i]) / 2;
        m->v[i] += wr[i];
        m->dv[i] += dwr[i] + wwr[i];
    }
}

/* j0, j2 and j4 have angle 2 A − π/2, and j1 and j3 have 2 B − π/2, on the curve cos A cos B = 1/2.
   The curve is smooth and closed, so no position is singular (Arponen, Piipponen and Tuomela,
   Kinematic analysis of Bricard's mechanism, 2009). Along it A′ = cos A sin B, B′ = −sin A cos B,
   hence q0′ = 1 at q = 0. x is (A − π/4, B − π/4, ṡ). */
static void bricard_rate(const void *context, const quad *x, quad *rate)
{
    const double *gravity = context;
    const quad half = sqrt_quad((quad)0.5);
    quad s, c, sine[2], cosine[2];
    for (int i = 0; i < 2; i++) {
        sincos_quad(x[i], &s, &c);
        sine[i] = half * (c + s);
        cosine[i] = half * (c - s);
    }
    const quad A = cosine[0] * sine[1], B = -sine[0] * cosine[1];
    const quad first[2] = {2 * A, 2 * B};
    const quad second[2] = {2 * (-sine[0] * sine[1] * A + cosine[0] * cosine[1] * B),
                            2 * (-cosine[0] * cosine[1] * A + sine[0] * sine[1] * B)};
    quad R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rod_motion m = {{0}, {0}, {0}, {0}};
    quad inertia = 0, drift = 0, force = 0;
    const quad across = (quad)rod_across, rest = (quad)rod_along - across;
    for (int k = 0; k < RODS; k++) {
        double axis[3], along[3];
        quad a[3], r[3], v[3], dv[3];
        hinge(k, axis);
        edge(k, along);
        rotate(R, axis, a);
        turn(R, axis, 2 * x[k % 2]);
        rotate(R, along, r);
        next_rod(&m, a, first[k % 2], second[k % 2], r, v, dv);
        for (int i = 0; i < 3; i++)
            force += (quad)gravity[i] * v[i];
        /* I w = across w + rest (r · w) r; ω × I ω does no work along w */
        inertia += dot(v, v) + across * dot(m.w, m.w) + rest * dot(r, m.w) * dot(r, m.w);
        drift += dot(v, dv) + across * dot(m.w, m.dw) + rest * dot(r, m.w) * dot(r, m.dw);
    }
    rate[0] = A * x[2];
    rate[1] = B * x[2];
    rate[2] = (force - drift * x[2] * x[2]) / inertia;
}

void bricard_quad(double t, const double gravity[3], double rate, double angles[5])
{
    quad x[MOST] = {0, 0, (quad)rate};
    extrapolate(bricard_rate, gravity, 3, x, (quad)t, (int)(100 * t));
    for (int k = 0; k < RODS; k++)
        angles[k] = (double)(2 * x[k % 2]);
}

/* ---- the squeezer ---------------------------------------------------------------------------- */

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, ANGLES, LOOPS = 6 };

/* parameters of Hairer and Wanner, table 7.2, in SI units, without the coordinates of the springs'
   base */
static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050,
                    m6 = 0.00706, m7 = 0.05498, I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6,
                    I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
static const double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5,
                    ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, zf = 2e-2,
                    fa = 1421e-5, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5,
                    zt = 4e-2;

typedef struct squeezer_terms {
    quad s[ANGLES], c[ANGLES];               /* of the angles */
    quad s_bt, c_bt, s_pd, c_pd, s_oe, c_oe; /* of β + Θ, Φ + δ, Ω + ε */
    quad M[ANGLES][ANGLES], f[ANGLES], G[LOOPS][ANGLES], drift[LOOPS];
} squeezer_terms;

static void squeezer_mass(squeezer_terms *k)
{
    const quad de = (quad)e - (quad)ea, df = (quad)zf - (quad)fa;
    const quad arm = (quad)da * (quad)rr * k->c[THETA], bend = (quad)zt * de * k->s[PHI],
               fold = (quad)u * df * k->s[OMEGA];
    memset(k->M, 0, sizeof k->M);
    k->M[0][0] = (quad)m1 * (quad)ra * (quad)ra +
                 (quad)m2 * ((quad)rr * (quad)rr - 2 * arm + (quad)da * (quad)da) + (quad)I1 +
                 (quad)I2;
    k->M[0][1] = k->M[1][0] = (quad)m2 * ((quad)da * (quad)da - arm) + (quad)I2;
    k->M[1][1] = (quad)m2 * (quad)da * (quad)da + (quad)I2;
    k->M[2][2] = (quad)m3 * ((quad)sa * (quad)sa + (quad)sb * (quad)sb) + (quad)I3;
    k->M[3][3] = (quad)m4 * de * de + (quad)I4;
    k->M[3][4] = k->M[4][3] = (quad)m4 * (de * de + bend) + (quad)I4;
    k->M[4][4] = (quad)m4 * ((quad)zt * (quad)zt + 2 * bend + de * de) +
                 (quad)m5 * ((quad)ta * (quad)ta + (quad)tb * (quad)tb) + (quad)I4 + (quad)I5;
    k->M[5][5] = (quad)m6 * df * df + (quad)I6;
    k->M[5][6] = k->M[6][5] = (quad)m6 * (df * df - fold) + (quad)I6;
    k->M[6][6] = (quad)m6 * (df * df - 2 * fold + (quad)u * (quad)u) +
                 (quad)m7 * ((quad)ua * (quad)ua + (quad)ub * (quad)ub) + (quad)I6 + (quad)I7;
}

static void squeezer_force(squeezer_terms *k, const quad *v)
{
    const quad xb = (quad)-0.03635, yb = (quad)0.03273, xc = (quad)0.014, yc = (quad)0.072;
    const quad rx = (quad)sd * k->c[GAMMA] + (quad)sc * k->s[GAMMA],
               ry = (quad)sd * k->s[GAMMA] - (quad)sc * k->c[GAMMA];
    const quad dx = rx + xb - xc, dy = ry + yb - yc, length = sqrt_quad(dx * dx + dy * dy);
    const quad pull = -(quad)4530 * (length - (quad)7785e-5) / length;
    const quad de = (quad)e - (quad)ea, df = (quad)zf - (quad)fa;
    const quad arm = (quad)m2 * (quad)da * (quad)rr * k->s[THETA],
               bend = (quad)m4 * (quad)zt * de * k->c[PHI],
               fold = (quad)m6 * (quad)u * df * k->c[OMEGA];
    k->f[BETA] = (quad)(1e-3 * SQUEEZER_DRIVE_MNM) - arm * v[THETA] * (v[THETA] + 2 * v[BETA]);
    k->f[THETA] = arm * v[BETA] * v[BETA];
    k->f[GAMMA] = pull * (dx * -ry + dy * rx);
    k->f[PHI] = bend * v[DELTA] * v[DELTA];
    k->f[DELTA] = -bend * v[PHI] * (v[PHI] + 2 * v[DELTA]);
    k->f[OMEGA] = -fold * v[EPSILON] * v[EPSILON];
    k->f[EPSILON] = fold * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]);
}

/* The three loops: each chain ends at rr (cos β, sin β) − d (cos (β + Θ), sin (β + Θ)). drift is −Ġ
   v. */
static void squeezer_loops(squeezer_terms *k, const quad *v)
{
    const quad bt = v[BETA] + v[THETA], pd = v[PHI] + v[DELTA], oe = v[OMEGA] + v[EPSILON];
    const quad near[2] = {-(quad)rr * k->s[BETA], (quad)rr * k->c[BETA]};
    const quad far[2] = {(quad)d * k->s_bt, -(quad)d * k->c_bt};
    const quad turned[2] = {-(quad)rr * k->c[BETA], -(quad)rr * k->s[BETA]};
    const quad swung[2] = {(quad)d * k->c_bt, (quad)d * k->s_bt};
    memset(k->G, 0, sizeof k->G);
    for (int i = 0; i < LOOPS; i++) {
        k->G[i][BETA] = near[i % 2] + far[i % 2];
        k->G[i][THETA] = far[i % 2];
        k->drift[i] = -(turned[i % 2] * v[BETA] * v[BETA] + swung[i % 2] * bt * bt);
    }
    k->G[0][GAMMA] = -(quad)ss * k->c[GAMMA];
    k->G[1][GAMMA] = -(quad)ss * k->s[GAMMA];
    k->drift[0] -= (quad)ss * k->s[GAMMA] * v[GAMMA] * v[GAMMA];
    k->drift[1] -= -(quad)ss * k->c[GAMMA] * v[GAMMA] * v[GAMMA];
    k->G[2][PHI] = -(quad)e * k->c_pd;
    k->G[3][PHI] = -(quad)e * k->s_pd;
    k->G[2][DELTA] = -(quad)e * k->c_pd + (quad)zt * k->s[DELTA];
    k->G[3][DELTA] = -(quad)e * k->s_pd - (quad)zt * k->c[DELTA];
    k->drift[2] -= (quad)e * k->s_pd * pd * pd + (quad)zt * k->c[DELTA] * v[DELTA] * v[DELTA];
    k->drift[3] -= -(quad)e * k->c_pd * pd * pd + (quad)zt * k->s[DELTA] * v[DELTA] * v[DELTA];
    k->G[4][OMEGA] = (quad)zf * k->s_oe;
    k->G[5][OMEGA] = -(quad)zf * k->c_oe;
    k->G[4][EPSILON] = (quad)zf * k->s_oe - (quad)u * k->c[EPSILON];
    k->G[5][EPSILON] = -(quad)zf * k->c_oe - (quad)u * k->s[EPSILON];
    k->drift[4] -= (quad)zf * k->c_oe * oe * oe + (quad)u * k->s[EPSILON] * v[EPSILON] * v[EPSILON];
    k->drift[5] -= (quad)zf * k->s_oe * oe * oe - (quad)u * k->c[EPSILON] * v[EPSILON] * v[EPSILON];
}

/* Gaussian elimination with pivoting; overwrites b with the solution */
static void solve(size_t n, quad A[][ANGLES + LOOPS], quad *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs((double)A[i][k]) > fabs((double)A[best][k]))
                best = i;
        for (size_t j = 0; j <= n; j++) {
            quad *one = j < n ? &A[k][j] : &b[k], *other = j < n ? &A[best][j] : &b[best];
            const quad kept = *one;
            *one = *other;
            *other = kept;
        }
        for (size_t i = k + 1; i < n; i++) {
            const quad factor = A[i][k] / A[k][k];
            for (size_t j = k; j < n; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

/* M p̈ + Gᵀ λ = f, G p̈ = −Ġ ṗ */
static void squeezer_rate(const void *context, const quad *x, quad *rate)
{
    (void)context;
    const quad *v = x + ANGLES;
    squeezer_terms k;
    for (int i = 0; i < ANGLES; i++)
        sincos_quad(x[i], &k.s[i], &k.c[i]);
    sincos_quad(x[BETA] + x[THETA], &k.s_bt, &k.c_bt);
    sincos_quad(x[PHI] + x[DELTA], &k.s_pd, &k.c_pd);
    sincos_quad(x[OMEGA] + x[EPSILON], &k.s_oe, &k.c_oe);
    squeezer_mass(&k);
    squeezer_force(&k, v);
    squeezer_loops(&k, v);
    quad A[ANGLES + LOOPS][ANGLES + LOOPS] = {{0}}, b[ANGLES + LOOPS];
    for (int i = 0; i < ANGLES; i++) {
        memcpy(A[i], k.M[i], sizeof k.M[i]);
        b[i] = k.f[i];
        for (int j = 0; j < LOOPS; j++)
            A[i][ANGLES + j] = A[ANGLES + j][i] = k.G[j][i];
    }
    memcpy(b + ANGLES, k.drift, sizeof k.drift);
    solve(ANGLES + LOOPS, A, b);
    memcpy(rate, v, ANGLES * sizeof *v);
    memcpy(rate + ANGLES, b, ANGLES * sizeof *b);
}

void squeezer_quad(double t, double angles[7], double rates[7])
{
    quad x[2 * ANGLES] = {0};
    for (int i = 0; i < ANGLES; i++)
        x[i] = (quad)squeezer_start[i];
    extrapolate(squeezer_rate, NULL, 2 * ANGLES, x, (quad)t, 120);
    for (int i = 0; i < ANGLES; i++) {
        angles[i] = (double)x[i];
        rates[i] = (double)x[ANGLES + i];
    }
}
