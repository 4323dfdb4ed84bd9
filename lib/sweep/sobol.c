/* SPDX-License-Identifier: MIT */
/*
 * Computes Sobol's sequence by index (see sample.h), in the order of the Gray code (Antonov and
 * Saleev): each point differs from the one before by one direction number.
 */
#include "sweep/philox.h"
#include "sweep/sobol_table.h"

enum {
    BITS = 52,
    ABREAST = 8, /* dimensions per pass: their data fit in L1 cache */
};

/* Computes v_j = m_j 2⁵²⁻ʲ, j = 1 …, of one dimension. m_j = 2 a₁ m_{j−1} ⊕ … ⊕ 2ˢ⁻¹ aₛ₋₁ m_{j−s+1}
   ⊕ 2ˢ m_{j−s} ⊕ m_{j−s} gives

     v_j = a₁ v_{j−1} ⊕ … ⊕ aₛ₋₁ v_{j−s+1} ⊕ v_{j−s} ⊕ v_{j−s} / 2ˢ */
static void directions(size_t dimension, int count, uint64_t *v)
{
    static const td_sobol_row ones = {1, 0, {1}};
    const td_sobol_row *row = dimension > 0 ? &td_sobol_rows[dimension - 1] : &ones;
    const int s = row->degree;
    for (int j = 0; j < count; j++) {
        if (dimension == 0) {
            v[j] = (uint64_t)1 << (BITS - 1 - j);
            continue;
        }
        if (j < s) {
            v[j] = (uint64_t)row->m[j] << (BITS - 1 - j);
            continue;
        }
        v[j] = v[j - s] ^ v[j - s] >> s;
        for (int k = 1; k < s; k++)
            if (row->coefficient >> (s - 1 - k) & 1)
                v[j] ^= v[j - k];
    }
}

/* Computes the digital shift of dimensions from … from + count − 1; from is a multiple of 4. */
static void shifts(uint64_t seed, size_t from, size_t count, uint64_t *shift)
{
    const uint64_t key[2] = {seed, 0};
    for (size_t k = 0; k < count; k += 4) {
        uint64_t bits[4] = {0};
        if (seed != 0)
            td_philox((uint64_t[4]){0, (from + k) / 4, 1, 0}, key, bits);
        for (size_t j = k; j < count && j < k + 4; j++)
            shift[j] = bits[j - k] >> (64 - BITS);
    }
}

/* Computes dimensions from … from + count − 1 of the points. */
static void some(uint64_t seed, uint64_t first, size_t n, size_t dimensions, size_t from,
                 size_t count, double *points)
{
    uint64_t v[BITS + 1][ABREAST] = {{0}}, x[ABREAST] = {0}, column[BITS];
    /* number of bits of the largest index */
    int bits = 0;
    while (bits < BITS && (first + n - 1) >> bits > 0)
        bits++;
    shifts(seed, from, count, x);
    for (size_t k = 0; k < count; k++) {
        directions(from + k, bits, column);
        for (int j = 0; j < bits; j++) {
            v[j][k] = column[j];
            if ((first ^ first >> 1) >> j & 1)
                x[k] ^= column[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        double *point = points + i * dimensions + from;
        for (size_t k = 0; k < count; k++)
            point[k] = td_unit_number(x[k] << (64 - BITS));
        /* the bit that changes in the Gray code of the next index */
        const int next = __builtin_ctzll(first + i + 1);
        for (size_t k = 0; k < ABREAST; k++)
            x[k] ^= v[next][k];
    }
}

td_status td_sobol_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions,
                          double *points)
{
    const uint64_t all = (uint64_t)1 << BITS;
    if (!points || dimensions > TD_SOBOL_DIMENSIONS || first > all || n > all - first)
        return TD_ERROR_ARGUMENT;
    if (n == 0)
        return TD_OK;
    for (size_t from = 0; from < dimensions; from += ABREAST)
        some(seed, first, n, dimensions, from,
             dimensions - from < ABREAST ? dimensions - from : ABREAST, points);
    return TD_OK;
}
