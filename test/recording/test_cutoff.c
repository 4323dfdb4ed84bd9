/* SPDX-License-Identifier: MIT */
/*
 * Tests estimates of noise in recorded motion and automatic cutoff frequencies
 * (tools/recording/cutoff.h). Motions are synthetic motions of a pendulum whose torque is known in
 * closed form. Estimated noise is compared with the noise added, and the selected cutoff with the
 * best of all candidates.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/recording/cutoff.h"
#include "run.h"
#include "tandem/trajectory.h"

static const double pi = 3.14159265358979323846;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static unsigned long long state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double gaussian(void)
{
    double sum = -6; /* sum of twelve uniform numbers: variance 1 */
    for (int i = 0; i < 12; i++) {
        sum += uniform();
    }
    return sum;
}

/* ---- motions --------------------------------------------------------------------------------- */

typedef enum motion_kind {
    ONE_SINE,
    SINES,
    SMOOTH_REACHES, /* minimum jerk (Flash and Hogan 1985), with rests */
    RAMPED_REACHES, /* constant acceleration, speed and deceleration, with rests */
    CHIRP,
    KINDS
} motion_kind;

enum { WAVES = 3, KNOTS = 40 };

typedef struct motion {
    motion_kind kind;
    double seconds;
    double amplitude[WAVES], frequency[WAVES], phase[WAVES];
    size_t knots;
    double time[KNOTS], position[KNOTS];
} motion;

static motion random_motion(motion_kind kind, double seconds)
{
    motion m = {.kind = kind, .seconds = seconds, .knots = 1, .time = {0}, .position = {0}};
    for (size_t k = 0; k < WAVES; k++) {
        m.frequency[k] = 0.15 * pow(8, uniform());
        m.amplitude[k] = kind == ONE_SINE && k > 0 ? 0 : 0.2 + uniform();
        m.phase[k] = 2 * pi * uniform();
    }
    for (double t = 0.3; t < seconds && m.knots + 2 < KNOTS; t += 0.3 * uniform()) {
        m.time[m.knots] = t;
        m.position[m.knots] = m.position[m.knots - 1];
        m.knots++;
        t += 0.5 + 1.5 * uniform();
        m.time[m.knots] = t;
        m.position[m.knots++] = 2 * uniform() - 1;
    }
    return m;
}

static void ramped(double u, double s[3])
{
    const double r = 1.0 / 3, v = 1 / (1 - r), a = v / r;
    if (u < r) {
        s[0] = a * u * u / 2, s[1] = a * u, s[2] = a;
    } else if (u < 1 - r) {
        s[0] = v * (u - r / 2), s[1] = v, s[2] = 0;
    } else {
        s[0] = 1 - a * (1 - u) * (1 - u) / 2, s[1] = a * (1 - u), s[2] = -a;
    }
}

/* Computes position, velocity and acceleration. */
static void motion_at(const motion *m, double t, double x[3])
{
    x[0] = x[1] = x[2] = 0;
    if (m->kind == CHIRP) {
        const double rate = m->frequency[0] / m->seconds, w = 2 * pi * (0.1 + rate * t);
        const double angle = 2 * pi * (0.1 * t + rate * t * t / 2);
        x[0] = sin(angle), x[1] = w * cos(angle);
        x[2] = -w * w * sin(angle) + 2 * pi * rate * cos(angle);
        return;
    }
    if (m->kind == ONE_SINE || m->kind == SINES) {
        for (size_t k = 0; k < WAVES; k++) {
            const double w = 2 * pi * m->frequency[k], angle = w * t + m->phase[k];
            x[0] += m->amplitude[k] * sin(angle);
            x[1] += m->amplitude[k] * w * cos(angle);
            x[2] -= m->amplitude[k] * w * w * sin(angle);
        }
        return;
    }
    size_t k = 0;
    while (k + 1 < m->knots && t >= m->time[k + 1]) {
        k++;
    }
    x[0] = m->position[k];
    if (k + 1 == m->knots) {
        return;
    }
    const double way = m->position[k + 1] - m->position[k], h = m->time[k + 1] - m->time[k];
    const double u = (t - m->time[k]) / h;
    double s[3] = {u * u * u * (10 + u * (6 * u - 15)), 30 * u * u * (1 - u) * (1 - u),
                   60 * u * (1 - u) * (1 - 2 * u)};
    if (m->kind == RAMPED_REACHES) {
        ramped(u, s);
    }
    x[0] += way * s[0], x[1] = way / h * s[1], x[2] = way / h / h * s[2];
}

typedef struct samples {
    size_t n;
    double *t, *x;
} samples;

static samples record(const motion *m, double rate, double noise)
{
    samples s = {.n = (size_t)(m->seconds * rate) + 1};
    s.t = allocate(s.n, sizeof *s.t);
    s.x = allocate(s.n, sizeof *s.x);
    for (size_t i = 0; i < s.n; i++) {
        double x[3];
        s.t[i] = (double)i / rate;
        motion_at(m, s.t[i], x);
        s.x[i] = x[0] + noise * gaussian();
    }
    return s;
}

static void samples_free(samples *s)
{
    free(s->t);
    free(s->x);
}

/* ---- the pendulum ---------------------------------------------------------------------------- */

static const double inertia = 1, damping = 0.3, weight = 7;

static double torque(const double x[3])
{
    return inertia * x[2] + damping * x[1] + weight * sin(x[0]);
}

/* Estimates the noise level of the samples. */
static double noise_of(size_t n, const samples *s)
{
    double noise = -1;
    ck_assert_int_eq(td_noise_level(n, s->t, s->x, &noise), TD_OK);
    return noise;
}

static double chosen_of(td_filter kind, size_t n, const double *t, const double *x, double noise,
                        const td_error_weight *of)
{
    double cutoff = -1;
    const td_noisy_column column = {x, noise, *of};
    ck_assert_int_eq(td_cutoff_choose(kind, n, t, 1, &column, &cutoff), TD_OK);
    return cutoff;
}

static td_error_weight weight_of(const motion *m)
{
    enum { SAMPLES = 200 };
    td_error_weight w = {.of = {{0}}};
    for (int i = 0; i < SAMPLES; i++) {
        double x[3];
        motion_at(m, m->seconds * i / SAMPLES, x);
        const double slope[3] = {weight * cos(x[0]), damping, inertia};
        for (size_t a = 0; a < 3; a++) {
            for (size_t b = 0; b < 3; b++) {
                w.of[a][b] += slope[a] * slope[b] / SAMPLES;
            }
        }
    }
    return w;
}

/* Computes derivatives at the knots of a spline through filtered values, n × 3. */
static double (*differentiated(td_filter kind, const samples *s, double cutoff, size_t degree))[3]
{
    double(*out)[3] = allocate(s->n, sizeof *out);
    double *x = allocate(s->n, sizeof *x);
    td_trajectory *spline;
    memcpy(x, s->x, s->n * sizeof *x);
    ck_assert_int_eq(td_filter_apply(kind, s->n, s->t, cutoff, x), TD_OK);
    ck_assert_int_eq(
        td_trajectory_spline(s->n, 1, s->t, x, degree, TD_SPLINE_NOT_A_KNOT, NULL, NULL, &spline),
        TD_OK);
    for (size_t i = 0; i < s->n; i++) {
        td_trajectory_evaluate(spline, s->t[i], &out[i][0], &out[i][1], &out[i][2]);
    }
    td_trajectory_free(spline);
    free(x);
    return out;
}

/* Returns the RMS error of the torque over the middle nine tenths. */
static double torque_error(td_filter kind, const motion *m, const samples *s, double cutoff)
{
    double(*x)[3] = differentiated(kind, s, cutoff, 5), sum = 0;
    const size_t skip = s->n / 20;
    for (size_t i = skip; i < s->n - skip; i++) {
        double exact[3];
        motion_at(m, s->t[i], exact);
        const double error = torque(x[i]) - torque(exact);
        sum += error * error;
    }
    free(x);
    return sqrt(sum / (double)(s->n - 2 * skip));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const td_filter kinds[] = {TD_FILTER_BUTTERWORTH, TD_FILTER_SPLINE};
static const double rates[] = {60, 125, 250, 500, 1000};
enum { RATES = sizeof rates / sizeof *rates };

TD_TEST(noise_is_found)
{
    state = 11;
    for (int k = 0; k < KINDS * RATES; k++) {
        const motion m = random_motion((motion_kind)(k % KINDS), 16);
        for (int decade = 2; decade <= 6; decade++) {
            const double noise = pow(10, -decade);
            samples s = record(&m, rates[k / KINDS], noise);
            const double found = noise_of(s.n, &s);
            /* at 60 Hz, corners of the motion look like noise */
            const double above =
                (m.kind == SMOOTH_REACHES || m.kind == RAMPED_REACHES) && decade > 2 ? 1.5 : 1.2;
            ck_assert_msg(found > 0.85 * noise && found < above * noise,
                          "kind %d, %g Hz: %g, not %g", (int)m.kind, rates[k / KINDS], found,
                          noise);
            samples_free(&s);
        }
    }
}

/* Tests spikes, random steps, rounding to a number of digits, and no noise. */
TD_TEST(noise_of_all_kinds)
{
    state = 12;
    const motion m = random_motion(SINES, 20);
    samples s = record(&m, 100, 1e-3);
    for (size_t i = 20; i < s.n; i += 97) {
        s.x[i] += 0.3;
    }
    ck_assert_double_eq_tol(noise_of(s.n, &s), 1e-3, 2e-4);
    samples_free(&s);
    s = record(&m, 100, 0);
    for (size_t i = 0; i < s.n; i++) {
        double x[3];
        s.t[i] += 0.004 * (uniform() - 0.5);
        motion_at(&m, s.t[i], x);
        s.x[i] = x[0] + 1e-4 * gaussian();
    }
    ck_assert_double_eq_tol(noise_of(s.n, &s), 1e-4, 1e-5);
    samples_free(&s);
    s = record(&m, 100, 0);
    for (size_t i = 0; i < s.n; i++) {
        s.x[i] = 1e-3 * round(1e3 * s.x[i]);
    }
    ck_assert_double_eq_tol(noise_of(s.n, &s), 1e-3 / sqrt(12), 5e-5);
    samples_free(&s);
    s = record(&m, 100, 0);
    ck_assert_double_lt(noise_of(s.n, &s), 1e-9);
    ck_assert(isnan(noise_of(15, &s)));
    memset(s.x, 0, s.n * sizeof *s.x);
    ck_assert_double_eq(noise_of(s.n, &s), 0);
    samples_free(&s);
}

/* White noise of variance 1 becomes noise whose variance is the sum of squares of the impulse
   response. */
TD_LOOP_TEST(what_is_left, 0, 6)
{
    enum { N = 6001 };
    static const td_filter all[] = {TD_FILTER_NONE, TD_FILTER_BUTTERWORTH, TD_FILTER_SPLINE};
    const td_filter kind = all[_i / 2];
    const size_t degree = _i % 2 == 0 ? 5 : 3;
    samples s = {.n = N, .t = allocate(N, sizeof *s.t), .x = allocate(N, sizeof *s.x)};
    for (size_t i = 0; i < N; i++) {
        s.t[i] = (double)i / 50 - 3;
    }
    s.x[N / 2] = 1;
    for (double cutoff = 0.5; cutoff < 22; cutoff *= 3) {
        double(*x)[3] = differentiated(kind, &s, cutoff, degree);
        double expected[TD_DERIVATIVES] = {0, 0, 0}, left[TD_DERIVATIVES];
        for (size_t i = 0; i < N; i++) {
            for (size_t a = 0; a < TD_DERIVATIVES; a++) {
                expected[a] += x[i][a] * x[i][a];
            }
        }
        free(x);
        td_noise_left(kind, 50, cutoff, (int)degree, left);
        for (size_t a = 0; a < TD_DERIVATIVES; a++) {
            ck_assert_msg(fabs(left[a] / expected[a] - 1) < 1e-5,
                          "filter %d, degree %zu, %g Hz, derivative %zu: %.10g, not %.10g",
                          (int)kind, degree, cutoff, a, left[a], expected[a]);
        }
    }
    samples_free(&s);
}

/* The selected cutoff is within a factor of 1.5 of the best cutoff for nine of ten motions. Its
   error is less than twice the smallest one, and the remaining noise explains it. */
TD_LOOP_TEST(chosen_is_best, 0, 2)
{
    enum { MOTIONS = 30, DECADES = 4 };
    const td_filter kind = kinds[_i];
    const int motions = shared_cases(MOTIONS);
    int near = 0;
    state = 13;
    for (int k = 0; k < motions; k++) {
        const motion m = random_motion((motion_kind)(k % KINDS), 5 + 7 * uniform());
        const double noise = 0.05 * pow(10, -DECADES * uniform());
        samples s = record(&m, rates[k / KINDS % RATES], noise);
        const td_error_weight w = weight_of(&m);
        const double found = noise_of(s.n, &s);
        const double chosen = chosen_of(kind, s.n, s.t, s.x, found, &w);
        const double largest = td_filter_largest_cutoff(s.n, s.t);
        double best = 0, least = (double)INFINITY;
        for (double f = 1 / m.seconds; f < largest; f *= 1.15) {
            const double error = torque_error(kind, &m, &s, f);
            best = error < least ? f : best;
            least = fmin(error, least);
        }
        const double error = torque_error(kind, &m, &s, chosen);
        near += chosen < 1.5 * best && best < 1.5 * chosen;
        ck_assert_msg(error < 2 * least, "motion %d of kind %d: %g at %g Hz, %g at %g Hz", k,
                      (int)m.kind, error, chosen, least, best);
        double left[TD_DERIVATIVES];
        td_noise_left(kind, rates[k / KINDS % RATES], chosen, 5, left);
        const double standard = found * sqrt(td_noise_weighted(&w, left));
        ck_assert_msg(m.kind == RAMPED_REACHES || (error > 0.6 * standard && error < 4 * standard),
                      "motion %d of kind %d: %g, not %g", k, (int)m.kind, error, standard);
        samples_free(&s);
    }
    ck_assert_msg(near * 10 >= motions * 9, "%d of %d", near, motions);
}

TD_LOOP_TEST(limits, 0, 2)
{
    state = 14;
    const motion m = random_motion(SINES, 4);
    const td_error_weight w = weight_of(&m);
    samples s = record(&m, 100, 0);
    const double largest = td_filter_largest_cutoff(s.n, s.t);
    ck_assert(fabs(td_filter_rate(5, s.t) / 100 - 1) < 1e-12);
    ck_assert(fabs(largest / 45 - 1) < 1e-12);
    ck_assert_double_eq(chosen_of(kinds[_i], s.n, s.t, s.x, 0, &w), largest);
    ck_assert_double_eq(chosen_of(kinds[_i], s.n, s.t, s.x, (double)NAN, &w), largest);
    ck_assert_double_gt(chosen_of(kinds[_i], s.n, s.t, s.x, 1e-14, &w), 20);
    for (size_t n = 4; n < 30; n++) {
        const double f = chosen_of(kinds[_i], n, s.t, s.x, 0.1, &w);
        ck_assert(f > 0 && f <= td_filter_largest_cutoff(n, s.t));
    }
    samples_free(&s);
}

int main(void)
{
    return td_run_tests(0);
}
