/* SPDX-License-Identifier: MIT */
/*
 * What `real` is. Every kernel is written once over `real` and compiled with one of
 *
 *   TD_REAL_DOUBLE    double: one state
 *   TD_REAL_LANES N   N doubles side by side: N states, one a lane
 *   TD_REAL_QUAD      __float128: tells the rounding error of the others (tests)
 *   TD_REAL_COMPLEX   double complex: derivatives by a complex step (tests)
 *
 * GCC and Clang give + - * / the same meaning for all of them, mixed with double too. The rest is
 * the vocabulary below. A kernel uses no comparison, no `if` on a real, no fabs and no conj: vector
 * and complex types refuse them, and a branch would differ from lane to lane.
 */
#ifndef TD_LANE_H
#define TD_LANE_H

/* An editor that opens a file of the kernels alone knows no flags of the build. */
#if !defined(TD_REAL_LANES) && !defined(TD_REAL_QUAD) && !defined(TD_REAL_COMPLEX) &&              \
    !defined(TD_REAL_DOUBLE)
#define TD_REAL_DOUBLE
#endif

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define TD_INLINE static inline __attribute__((always_inline, unused))

/* ---- wide vectors of doubles: sines and cosines, squares on their way in and out, and for one
   state rows, packed vectors and strips ---- */

#if defined(TD_REAL_LANES)
#define TD_WIDE TD_REAL_LANES
#elif defined(__AVX__)
#define TD_WIDE 4
#else
#define TD_WIDE 2 /* GCC works on longer ones piece by piece through memory */
#endif

/* aligned to their size, as all scratch is: GCC's default tuning splits unaligned loads in two */
typedef double td_wide __attribute__((vector_size(8 * TD_WIDE)));
typedef int64_t td_wide_bits __attribute__((vector_size(8 * TD_WIDE)));

/* a where mask is set, else b */
TD_INLINE td_wide wide_select(td_wide_bits mask, td_wide a, td_wide b)
{
    return (td_wide)(((td_wide_bits)a & mask) | ((td_wide_bits)b & ~mask));
}

/* a bit for each entry, the first one lowest: whether a ≤ b, which NaN is not */
TD_INLINE int wide_le(td_wide a, td_wide b)
{
#if TD_WIDE == 8
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
#elif defined(__AVX__) && TD_WIDE == 4
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
#elif defined(__SSE2__) && TD_WIDE == 2
    return _mm_movemask_pd(_mm_cmple_pd(a, b));
#else
    int mask = 0;
    for (int i = 0; i < TD_WIDE; i++)
        mask |= (a[i] <= b[i]) << i;
    return mask;
#endif
}

/* a and b change places where n is odd */
TD_INLINE void wide_exchange_odd(td_wide_bits n, td_wide *a, td_wide *b)
{
#if TD_WIDE == 8
    const __mmask8 odd = _mm512_test_epi64_mask((__m512i)n, _mm512_set1_epi64(1));
    const td_wide x = *a;
    *a = _mm512_mask_blend_pd(odd, x, *b);
    *b = _mm512_mask_blend_pd(odd, *b, x);
#elif defined(__AVX__) && TD_WIDE == 4
    const td_wide odd = (td_wide)(n << 63), x = *a;
    *a = _mm256_blendv_pd(x, *b, odd);
    *b = _mm256_blendv_pd(*b, x, odd);
#else
    const td_wide_bits both = ((td_wide_bits)*a ^ (td_wide_bits)*b) & -(n & 1);
    *a = (td_wide)((td_wide_bits)*a ^ both);
    *b = (td_wide)((td_wide_bits)*b ^ both);
#endif
}

#if defined(__FMA__)
/* c − a b, rounded once whatever the compiler is told of contraction */
TD_INLINE td_wide wide_fnma(td_wide a, td_wide b, td_wide c)
{
#if TD_WIDE == 8
    return _mm512_fnmadd_pd(a, b, c);
#elif TD_WIDE == 4
    return _mm256_fnmadd_pd(a, b, c);
#else
    return _mm_fnmadd_pd(a, b, c);
#endif
}
#endif

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TD_HAVE_SHUFFLE 1
#endif
#endif

/* entries of a, counted from 0, and of b, counted on */
#if TD_WIDE == 4 && defined(TD_HAVE_SHUFFLE)
#define wide_shuffle(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#elif TD_WIDE == 4
#define wide_shuffle(a, b, i, j, k, l) __builtin_shuffle(a, b, (td_wide_bits){i, j, k, l})
#endif

/* ---- squares ----
   A vector is one line of TD_LINE numbers, or two side by side. */
enum { TD_LINE = TD_WIDE < 4 ? TD_WIDE : 4 };

/* transposes each square of TD_LINE lines: entry j of line i and entry i of line j change places */
TD_INLINE void wide_transpose(td_wide a[TD_LINE])
{
#if defined(TD_HAVE_SHUFFLE)
/* blocks of h entries: the odd ones of a change with the even ones of b, h vectors farther on */
#define TD_EXCHANGE(h)                                                                             \
    for (int i = 0; i < TD_LINE; i++)                                                              \
        if (!(i & (h))) {                                                                          \
            td_wide x = a[i], y = a[i + (h)];                                                      \
            a[i] = __builtin_shufflevector(x, y, TD_EVEN_##h);                                     \
            a[i + (h)] = __builtin_shufflevector(x, y, TD_ODD_##h);                                \
        }
#if TD_WIDE == 2
#define TD_EVEN_1 0, 2
#define TD_ODD_1 1, 3
#elif TD_WIDE == 4
#define TD_EVEN_1 0, 4, 2, 6
#define TD_ODD_1 1, 5, 3, 7
#define TD_EVEN_2 0, 1, 4, 5
#define TD_ODD_2 2, 3, 6, 7
#else
#define TD_EVEN_1 0, 8, 2, 10, 4, 12, 6, 14
#define TD_ODD_1 1, 9, 3, 11, 5, 13, 7, 15
#define TD_EVEN_2 0, 1, 8, 9, 4, 5, 12, 13
#define TD_ODD_2 2, 3, 10, 11, 6, 7, 14, 15
#endif
    TD_EXCHANGE(1)
#if TD_WIDE >= 4
    TD_EXCHANGE(2)
#endif
#else
    for (int place = 0; place < TD_WIDE; place += TD_LINE)
        for (int i = 0; i < TD_LINE; i++)
            for (int j = 0; j < i; j++) {
                double x = a[i][place + j];
                a[i][place + j] = a[j][place + i];
                a[j][place + i] = x;
            }
#endif
}

/* entry j of vector i and entry i of vector j change places */
TD_INLINE void wide_transpose_all(td_wide a[TD_WIDE])
{
    wide_transpose(a);
#if TD_WIDE == 8
    wide_transpose(a + TD_LINE);
    for (int i = 0; i < TD_LINE; i++) {
        const td_wide x = a[i], y = a[TD_LINE + i];
        a[i] = _mm512_shuffle_f64x2(x, y, 0x44);
        a[TD_LINE + i] = _mm512_shuffle_f64x2(x, y, 0xee);
    }
#endif
}

TD_INLINE td_wide wide_load(const double *x)
{
    td_wide a;
    memcpy(&a, x, sizeof a);
    return a;
}
TD_INLINE void wide_store(double *x, td_wide a)
{
    memcpy(x, &a, sizeof a);
}
/* the first count ≤ TD_WIDE numbers of a, then those of b */
TD_INLINE td_wide wide_head(td_wide a, td_wide b, size_t count)
{
#if TD_WIDE == 8
    return _mm512_mask_blend_pd((__mmask8)((1U << count) - 1), b, a);
#else
    td_wide_bits place;
    for (int i = 0; i < TD_WIDE; i++)
        place[i] = i;
    return wide_select(place < (int64_t)count, a, b);
#endif
}
/* the first count ≤ TD_WIDE numbers */
TD_INLINE void wide_store_some(double *x, td_wide a, size_t count)
{
#if TD_WIDE == 8
    _mm512_mask_storeu_pd(x, (__mmask8)((1U << count) - 1), a);
#elif defined(__AVX__) && TD_WIDE == 4
    __m128d part = _mm256_castpd256_pd128(a);
    if (count >= 4) {
        wide_store(x, a);
        return;
    }
    if (count & 2) {
        _mm_storeu_pd(x, part);
        part = _mm256_extractf128_pd(a, 1);
    }
    if (count & 1)
        _mm_store_sd(x + (count & 2), part);
#else
    for (size_t i = 0; i < TD_WIDE; i++)
        if (i < count)
            x[i] = a[i];
#endif
}
/* zeros; in less time than memset takes where vectors are as long as those it may use itself */
TD_INLINE void wide_clear(double *x, size_t count)
{
#if TD_WIDE == 2
    memset(x, 0, count * sizeof *x);
#else
    const td_wide zero = {0};
    size_t i = 0;
    for (; i < count && ((uintptr_t)(x + i) & (sizeof zero - 1)) != 0; i++)
        x[i] = 0;
    for (; i + 4 * TD_WIDE <= count; i += 4 * TD_WIDE)
        for (size_t k = 0; k < 4; k++) /* one vector at a time the compiler calls memset for */
            wide_store(x + i + k * TD_WIDE, zero);
    for (; i < count; i++)
        x[i] = 0;
#endif
}

/*
 * sin and cos of |x| ≤ TD_SINCOS_MAX, error below 0.85 ulp; of the numbers beside a multiple of π/2
 * below 0.6 where there is a multiply-add, 1.1 elsewhere. x = n π/2 + (y0 + y1). With a
 * multiply-add the first part of π/2 has 53 bits, and x − n times it as many, so that it is exact;
 * without it 33, so that the product is. So is n times the second part, of 33 bits. The polynomials
 * are those of fdlibm on [−π/4, π/4].
 */
#define TD_SINCOS_MAX 1e6

/* Its constants, as vectors in memory: there are more of them than registers, and set up for every
   call they cost as much as four angles. */
#if defined(__FMA__)
#define TD_HALF_PI(X)                                                                              \
    X(first, 0x1.921fb54442d18p+0)                                                                 \
    X(second, 0x1.1a626331p-54)                                                                    \
    X(third, 0x1.1701b839a2520p-88)
#else
#define TD_HALF_PI(X)                                                                              \
    X(first, 0x1.921fb544p+0)                                                                      \
    X(second, 0x1.0b4611a6p-34)                                                                    \
    X(third, 0x1.3198a2e037073p-69)
#endif
#define TD_SINCOS(X)                                                                               \
    TD_HALF_PI(X)                                                                                  \
    X(to_integer, 0x1.8p52) /* adding it leaves the integer in the low bits */                     \
    X(two_over_pi, 0x1.45f306dc9c883p-1)                                                           \
    X(s1, -1.66666666666666324348e-01)                                                             \
    X(s2, 8.33333333332248946124e-03)                                                              \
    X(s3, -1.98412698298579493134e-04)                                                             \
    X(s4, 2.75573137070700676789e-06)                                                              \
    X(s5, -2.50507602534068634195e-08)                                                             \
    X(s6, 1.58969099521155010221e-10)                                                              \
    X(c1, 4.16666666666666019037e-02)                                                              \
    X(c2, -1.38888888888741095749e-03)                                                             \
    X(c3, 2.48015872894767294178e-05)                                                              \
    X(c4, -2.75573143513906633035e-07)                                                             \
    X(c5, 2.08757232129817482790e-09)                                                              \
    X(c6, -1.13596475577881948265e-11)                                                             \
    X(half, 0.5)                                                                                   \
    X(one, 1.0)

#define TD_SINCOS_FIELD(name, value) td_wide name;
typedef struct wide_sincos_constants {
    TD_SINCOS(TD_SINCOS_FIELD)
} wide_sincos_constants;
#undef TD_SINCOS_FIELD

#if TD_WIDE == 2
#define TD_SINCOS_VALUE(name, value) .name = {value, value},
#elif TD_WIDE == 4
#define TD_SINCOS_VALUE(name, value) .name = {value, value, value, value},
#else
#define TD_SINCOS_VALUE(name, value)                                                               \
    .name = {value, value, value, value, value, value, value, value},
#endif
static const wide_sincos_constants sincos_constants = {TD_SINCOS(TD_SINCOS_VALUE)};
#undef TD_SINCOS_VALUE

/* n, in the low bits of shifted, and x − n π/2 as a sum */
TD_INLINE void wide_reduce(const wide_sincos_constants *k, td_wide x, td_wide *shifted, td_wide *y0,
                           td_wide *y1)
{
    *shifted = x * k->two_over_pi + k->to_integer;
    const td_wide n = *shifted - k->to_integer;
#if defined(__FMA__)
    const td_wide r = wide_fnma(n, k->first, x);
    *y0 = wide_fnma(n, k->second, r);
    *y1 = wide_fnma(n, k->third, wide_fnma(n, k->second, r - *y0));
#else
    const td_wide r = x - n * k->first, second = n * k->second, y = r - second;
    const td_wide rest = n * k->third - ((r - y) - second);
    *y0 = y - rest;
    *y1 = (y - *y0) - rest;
#endif
}

/* What waits for what is kept short: the processor sees no more than three or four of these. */
TD_INLINE void wide_sincos(const wide_sincos_constants *k, td_wide x, td_wide *sine,
                           td_wide *cosine)
{
    td_wide shifted, y0, y1;
    wide_reduce(k, x, &shifted, &y0, &y1);
    const td_wide z = y0 * y0, zz = z * z;
    const td_wide ps = k->s1 + z * ((k->s2 + z * k->s3) + zz * ((k->s4 + z * k->s5) + zz * k->s6));
    const td_wide pc = (k->c1 + z * k->c2) + zz * ((k->c3 + z * k->c4) + zz * (k->c5 + z * k->c6));
    const td_wide w = k->one - k->half * z; /* and what it was rounded by */
    const td_wide rounding = (k->one - w) - k->half * z;
    td_wide s = y0 + (z * y0 * ps + y1 * w);
    td_wide c = w + (zz * pc + (rounding - y0 * y1));

    /* quadrant n mod 4: odd ones swap, sin is negative in 2 and 3, cos in 1 and 2 */
    const td_wide_bits n = (td_wide_bits)shifted, sign = (td_wide_bits)(-(td_wide){0});
    const td_wide_bits sign_s = (n << 62) & sign, sign_c = sign_s ^ (n << 63);
    wide_exchange_odd(n, &s, &c);
    *sine = (td_wide)((td_wide_bits)s ^ sign_s);
    *cosine = (td_wide)((td_wide_bits)c ^ sign_c);
}

/* The angles from the i-th double on: x itself, or by an index, which says for every real where in
   x it is. */
TD_INLINE td_wide wide_angles(const double *x, const int *index, size_t i)
{
    if (!index)
        return wide_load(x + i);
#if defined(TD_REAL_LANES)
    return wide_load(x + TD_WIDE * (size_t)index[i / TD_WIDE]);
#elif TD_WIDE == 4
    return (td_wide){x[index[i]], x[index[i + 1]], x[index[i + 2]], x[index[i + 3]]};
#else
    return (td_wide){x[index[i]], x[index[i + 1]]};
#endif
}

/* sin and cos of as many whole vectors: consecutive ones, or those that begin at each start (in
   reals); index: NULL for none. Angles beyond the range of the reduction (and NaN) are rare: one of
   them, or so many that the squares in an entry of the vectors sum up to that of the range, and the
   whole array is done by libm. */
TD_INLINE void wide_sincos_every(size_t vectors, const int *start, const double *x,
                                 const int *index, double *sine, double *cosine)
{
#if defined(TD_REAL_LANES)
    enum { STEP = TD_REAL_LANES };
#else
    enum { STEP = 1 };
#endif
    const wide_sincos_constants *k = &sincos_constants;
    td_wide squares = {0};
    for (size_t v = 0; v < vectors; v++) {
        __asm__("" : "+r"(k)); /* or they are loaded before the loop, and have no registers there */
        const size_t i = start ? STEP * (size_t)start[v] : TD_WIDE * v;
        td_wide angle = wide_angles(x, index, i), s, c;
        squares += angle * angle;
        wide_sincos(k, angle, &s, &c);
        wide_store(sine + i, s);
        wide_store(cosine + i, c);
    }
    const td_wide most = TD_SINCOS_MAX * TD_SINCOS_MAX - (td_wide){0};
    if (wide_le(squares, most) == (1 << TD_WIDE) - 1)
        return;
    for (size_t v = 0; v < vectors; v++) {
        const size_t i = start ? STEP * (size_t)start[v] : TD_WIDE * v;
        td_wide angle = wide_angles(x, index, i);
        for (size_t j = 0; j < TD_WIDE; j++) {
            sine[i + j] = sin(angle[j]);
            cosine[i + j] = cos(angle[j]);
        }
    }
}

TD_INLINE void wide_sincos_array(size_t vectors, const int *start, const double *x,
                                 const int *index, double *sine, double *cosine)
{
    if (index) /* asked once */
        wide_sincos_every(vectors, start, x, index, sine, cosine);
    else
        wide_sincos_every(vectors, start, x, NULL, sine, cosine);
}

/* (a1, a0, a3, a2) */
#if TD_WIDE == 2 || TD_WIDE == 4
TD_INLINE td_wide wide_swap_pairs(td_wide a)
{
#if TD_WIDE == 2
    return (td_wide){a[1], a[0]};
#else
    return wide_shuffle(a, a, 1, 0, 3, 2);
#endif
}
#endif

/* ---- the four reals ---------------------------------------------------------------------------
 */

#if defined(TD_REAL_LANES)

typedef td_wide real;
#define TD_LANE_COUNT TD_REAL_LANES
#define TD_EPSILON 0x1p-53
#define TD_POLISH 0 /* iterations that a converged Newton method adds */

TD_INLINE real splat(double x)
{
    return x - (real){0};
}
TD_INLINE double real_get(real x, size_t lane)
{
    return x[lane];
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    x[lane] = value;
    return x;
}
TD_INLINE real real_sqrt(real x)
{
    for (int lane = 0; lane < TD_REAL_LANES; lane++)
        x[lane] = sqrt(x[lane]);
    return x;
}
TD_INLINE real real_atan2(real y, real x)
{
    for (int lane = 0; lane < TD_REAL_LANES; lane++)
        x[lane] = atan2(y[lane], x[lane]);
    return x;
}
/* x where a < b, else y */
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return wide_select(a < b, x, y);
}

/* a line, and that of a lane TD_LINE farther on: the vector of them, and back */
TD_INLINE real lines_at(const double *line, const double *next)
{
#if TD_WIDE == 8
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(line)), _mm256_loadu_pd(next),
                              1);
#else
    (void)next;
    return wide_load(line);
#endif
}
TD_INLINE void lines_to(double *line, double *next, real a)
{
#if TD_WIDE == 8
    _mm256_storeu_pd(line, _mm512_castpd512_pd256(a));
    _mm256_storeu_pd(next, _mm512_extractf64x4_pd(a, 1));
#else
    (void)next;
    wide_store(line, a);
#endif
}

/* lines of a with those of b behind them */
TD_INLINE void lines_to_both(double *line, double *next, real a, real b)
{
#if TD_WIDE == 8
    wide_store(line, _mm512_shuffle_f64x2(a, b, 0x44));
    wide_store(next, _mm512_shuffle_f64x2(a, b, 0xee));
#else
    lines_to(line, next, a);
    lines_to(line + TD_LINE, next + TD_LINE, b);
#endif
}

/* TD_LINE reals from as many consecutive numbers of every lane, which begin at[lane] + i; and back
 */
TD_INLINE void lines_load(real a[TD_LINE], const double *const at[TD_LANE_COUNT], size_t i)
{
    for (size_t k = 0; k < TD_LINE; k++)
        a[k] = lines_at(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i);
    wide_transpose(a);
}
TD_INLINE void lines_store(double *const *at, size_t i, real a[TD_LINE])
{
    wide_transpose(a);
    for (size_t k = 0; k < TD_LINE; k++)
        lines_to(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i, a[k]);
}
/* 2 TD_LINE reals, written in two lines that lie side by side */
TD_INLINE void lines_store_both(double *const *at, size_t i, real a[2 * TD_LINE])
{
    wide_transpose(a);
    wide_transpose(a + TD_LINE);
    for (size_t k = 0; k < TD_LINE; k++)
        lines_to_both(at[k] + i, at[TD_LANE_COUNT - TD_LINE + k] + i, a[k], a[TD_LINE + k]);
}

#elif defined(TD_REAL_QUAD)

__extension__ typedef __float128 real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-113
#define TD_POLISH 0

/* glibc; not every compiler declares them */
real sinf128(real), cosf128(real), sqrtf128(real), atan2f128(real, real);

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return (double)x;
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return sqrtf128(x);
}
TD_INLINE real real_atan2(real y, real x)
{
    return atan2f128(y, x);
}
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return a < b ? x : y;
}

#elif defined(TD_REAL_COMPLEX)

#include <complex.h>
#undef I /* an inertia here */

typedef double complex real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-53
#define TD_POLISH 2 /* derivatives converge behind the value */

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return creal(x);
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return csqrt(x);
}
/* the imaginary part is the derivative to the first order */
TD_INLINE real real_atan2(real y, real x)
{
    double a = creal(x), b = creal(y);
    return atan2(b, a) + (a * cimag(y) - b * cimag(x)) / (a * a + b * b) * _Complex_I;
}
/* decided on the real parts, as the function that is differentiated decides */
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return creal(a) < creal(b) ? x : y;
}

#else

typedef double real;
#define TD_LANE_COUNT 1
#define TD_EPSILON 0x1p-53
#define TD_POLISH 0

TD_INLINE real splat(double x)
{
    return x;
}
TD_INLINE double real_get(real x, size_t lane)
{
    (void)lane;
    return x;
}
TD_INLINE real real_set(real x, size_t lane, double value)
{
    (void)x, (void)lane;
    return value;
}
TD_INLINE real real_sqrt(real x)
{
    return sqrt(x);
}
TD_INLINE real real_atan2(real y, real x)
{
    return atan2(y, x);
}
TD_INLINE real select_lt(real a, real b, real x, real y)
{
    return a < b ? x : y;
}

#endif

/* ---- strips: consecutive reals taken at once, as many as a vector holds of one state
 * -------------
 */

#if defined(TD_REAL_DOUBLE)
#define TD_STRIP TD_WIDE
typedef td_wide strip;
TD_INLINE strip strip_load(const real *x)
{
    return wide_load(x);
}
TD_INLINE strip strip_load_k(const double *k)
{
    return wide_load(k);
}
TD_INLINE strip strip_splat(real x)
{
    return x - (strip){0};
}
/* reals so far apart */
TD_INLINE strip strip_gather(const real *x, size_t apart)
{
#if TD_STRIP == 4
    return (strip){x[0], x[apart], x[2 * apart], x[3 * apart]};
#else
    return (strip){x[0], x[apart]};
#endif
}
TD_INLINE void strip_scatter(strip a, real *x, size_t apart)
{
    for (size_t k = 0; k < TD_STRIP; k++)
        x[k * apart] = a[k];
}
TD_INLINE strip strip_select_lt(strip a, strip b, strip x, strip y)
{
    return wide_select(a < b, x, y);
}
TD_INLINE real strip_sum(strip a)
{
#if TD_STRIP == 4
    return (a[0] + a[1]) + (a[2] + a[3]);
#else
    return a[0] + a[1];
#endif
}
/* the first count of them; reads, and writes back, what is behind */
TD_INLINE void strip_store(real *x, strip a, int count)
{
    if (count < TD_STRIP) {
        static const int64_t ones[8] = {-1, -1, -1, -1}; /* from 4 − count on, so many */
        td_wide_bits mask;
        memcpy(&mask, ones + 4 - count, sizeof mask);
        a = wide_select(mask, a, wide_load(x));
    }
    wide_store(x, a);
}
#else
#define TD_STRIP 1
typedef real strip;
TD_INLINE strip strip_load(const real *x)
{
    return *x;
}
TD_INLINE strip strip_load_k(const double *k)
{
    return splat(*k);
}
TD_INLINE strip strip_splat(real x)
{
    return x;
}
TD_INLINE strip strip_gather(const real *x, size_t apart)
{
    (void)apart;
    return *x;
}
TD_INLINE void strip_scatter(strip a, real *x, size_t apart)
{
    (void)apart;
    *x = a;
}
TD_INLINE strip strip_select_lt(strip a, strip b, strip x, strip y)
{
    return select_lt(a, b, x, y);
}
TD_INLINE real strip_sum(strip a)
{
    return a;
}
TD_INLINE void strip_store(real *x, strip a, int count)
{
    (void)count;
    *x = a;
}
#endif

/* a −= f b, and a · b; nothing behind them is touched */
TD_INLINE void strip_subtract(real *a, real f, const real *b, int count)
{
    int j = 0;
    for (; j + TD_STRIP <= count; j += TD_STRIP)
        strip_store(a + j, strip_load(a + j) - strip_splat(f) * strip_load(b + j), TD_STRIP);
    for (int rest = 1; rest < TD_STRIP && j < count; rest++, j++)
        a[j] -= f * b[j];
}
TD_INLINE real strip_dot(const real *a, const real *b, int count)
{
    strip sum = strip_splat(splat(0));
    int j = 0;
    for (; j + TD_STRIP <= count; j += TD_STRIP)
        sum += strip_load(a + j) * strip_load(b + j);
    real total = strip_sum(sum);
    for (int rest = 1; rest < TD_STRIP && j < count; rest++, j++)
        total += a[j] * b[j];
    return total;
}

/* Keeps the first index whose pivot is not above its bound: −1 as long as all are. NaN counts. */
TD_INLINE real first_bad(real bad, real bound, real pivot, size_t index)
{
    real now = select_lt(bad, splat(0), splat((double)index), bad);
    return select_lt(bound, pivot, bad, now);
}

/* how many reals' sines and cosines are taken at once */
#if defined(TD_REAL_LANES) || defined(TD_REAL_QUAD) || defined(TD_REAL_COMPLEX)
enum { TD_SINES = 1 };
#else
enum { TD_SINES = TD_WIDE };
#endif

/* sin and cos of x, or of x[index[i]] (index NULL: x): so many times TD_SINES reals, consecutive
   ones (start NULL) or those from each start on. Both results, and the index or else x, have room
   up to the next multiple of TD_SINES; angles are finite there. */
TD_INLINE void real_sincos_some(size_t times, const int *start, const real *x, const int *index,
                                real *sine, real *cosine)
{
#if defined(TD_REAL_QUAD) || defined(TD_REAL_COMPLEX)
    for (size_t k = 0; k < times; k++) {
        const size_t i = start ? (size_t)start[k] : k;
        const real angle = x[index ? (size_t)index[i] : i];
#if defined(TD_REAL_QUAD)
        sine[i] = sinf128(angle), cosine[i] = cosf128(angle);
#else
        sine[i] = csin(angle), cosine[i] = ccos(angle);
#endif
    }
#else
    wide_sincos_array(times, start, (const double *)x, index, (double *)sine, (double *)cosine);
#endif
}

/* sines and cosines of the first count reals */
TD_INLINE void real_sincos_array(size_t count, const real *x, const int *index, real *sine,
                                 real *cosine)
{
    real_sincos_some((count + TD_SINES - 1) / TD_SINES, NULL, x, index, sine, cosine);
}

#endif
