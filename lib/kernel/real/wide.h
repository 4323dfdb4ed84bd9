/* SPDX-License-Identifier: MIT */
/*
 * SIMD vectors of doubles, as long as the instruction set has them. In lanes they are the reals.
 * For a single state they contain rows, packed vectors and strips. This file also chooses the
 * default type of real.
 */
#ifndef TD_WIDE_H
#define TD_WIDE_H

/* Lets editors parse a single file of the kernels without the build's flags. */
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
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define TD_INLINE static inline __attribute__((always_inline, unused))

#if defined(TD_REAL_LANES)
#define TD_WIDE TD_REAL_LANES
#elif defined(__AVX__)
#define TD_WIDE 4
#else
#define TD_WIDE 2 /* GCC would process longer vectors in pieces, through memory */
#endif

/* Aligned to their size, as all scratch is. GCC's default tuning splits unaligned loads in two. */
typedef double td_wide __attribute__((vector_size(8 * TD_WIDE)));
typedef int64_t td_wide_bits __attribute__((vector_size(8 * TD_WIDE)));

/* Returns a where mask is set, else b. */
TD_INLINE td_wide wide_select(td_wide_bits mask, td_wide a, td_wide b)
{
    return (td_wide)(((td_wide_bits)a & mask) | ((td_wide_bits)b & ~mask));
}

/* Returns a bit per entry, the first one lowest: whether a ≤ b, which is false for NaN. */
TD_INLINE int wide_le(td_wide a, td_wide b)
{
#if TD_WIDE == 8
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
#elif defined(__AVX__) && TD_WIDE == 4
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ));
#elif defined(__SSE2__) && TD_WIDE == 2
    return _mm_movemask_pd(_mm_cmple_pd(a, b));
#elif defined(__aarch64__)
    const uint64x2_t bits =
        vandq_u64(vcleq_f64((float64x2_t)a, (float64x2_t)b), (uint64x2_t){1, 2});
    return (int)vaddvq_u64(bits);
#else
    int mask = 0;
    for (int i = 0; i < TD_WIDE; i++)
        mask |= (a[i] <= b[i]) << i;
    return mask;
#endif
}

/* Swaps a and b where n is odd. */
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

#if defined(__FMA__) || defined(__aarch64__)
#define TD_HAVE_FMA 1
/* Returns c − a b, rounded once regardless of the compiler's setting for contraction. */
TD_INLINE td_wide wide_fnma(td_wide a, td_wide b, td_wide c)
{
#if TD_WIDE == 8
    return _mm512_fnmadd_pd(a, b, c);
#elif TD_WIDE == 4
    return _mm256_fnmadd_pd(a, b, c);
#elif defined(__aarch64__)
    return (td_wide)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
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

/* Selects entries of a, numbered from 0, and of b, numbered from TD_WIDE. */
#if TD_WIDE == 4 && defined(TD_HAVE_SHUFFLE)
#define wide_shuffle(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#elif TD_WIDE == 4
#define wide_shuffle(a, b, i, j, k, l) __builtin_shuffle(a, b, (td_wide_bits){i, j, k, l})
#endif

/* ---- squares ---- A vector contains one line of TD_LINE numbers, or two lines. */
enum { TD_LINE = TD_WIDE < 4 ? TD_WIDE : 4 };

/* Transposes each square of TD_LINE lines: swaps entry j of line i and entry i of line j. */
TD_INLINE void wide_transpose(td_wide a[TD_LINE])
{
#if defined(TD_HAVE_SHUFFLE)
/* Swaps the odd blocks of h entries of vector i with the even blocks of vector i + h. */
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

/* Transposes a square of TD_WIDE vectors. */
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
/* Returns the first count ≤ TD_WIDE numbers of a, followed by the numbers of b. */
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
/* Stores the first count ≤ TD_WIDE numbers. */
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
/* Sets numbers to zero. Faster than memset where it has vectors as long as memset's. */
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
        for (size_t k = 0; k < 4;
             k++) /* with one store per iteration, the compiler would call memset */
            wide_store(x + i + k * TD_WIDE, zero);
    for (; i < count; i++)
        x[i] = 0;
#endif
}

/* Copies numbers past the caches (nontemporal stores), from where x is aligned on. For results that
   exceed every cache: ordinary stores would first read each line, only to overwrite it. */
TD_INLINE void wide_stream(double *x, const double *from, size_t count)
{
#if defined(__AVX__) && TD_WIDE >= 4
    size_t i = 0;
    for (; i < count && ((uintptr_t)(x + i) & (sizeof(td_wide) - 1)) != 0; i++)
        x[i] = from[i];
    for (; i + TD_WIDE <= count; i += TD_WIDE)
#if TD_WIDE == 8
        _mm512_stream_pd(x + i, wide_load(from + i));
#else
        _mm256_stream_pd(x + i, wide_load(from + i));
#endif
    for (; i < count; i++)
        x[i] = from[i];
    _mm_sfence(); /* before another thread reads them */
#else
    memcpy(x, from, count * sizeof *x);
#endif
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

#endif
