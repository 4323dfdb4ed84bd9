/* SPDX-License-Identifier: MIT */
/*
 * Computes random numbers by index with Philox4x64-10; see sample.h.
 */
#include "sweep/philox.h"

#include "sweep/sample.h"

enum { ROUNDS = 10 };

/* The multipliers, and the increments of the key's words per round. */
#define M0 0xd2e7470ee14c6c93u
#define M1 0xca5a826395121157u
#define W0 0x9e3779b97f4a7c15u
#define W1 0xbb67ae8584caa73bu

typedef struct product {
    uint64_t high, low;
} product;

static inline product multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide all = (wide)a * b;
    return (product){(uint64_t)(all >> 64), (uint64_t)all};
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32),
                   other = a0 * b1 + (uint32_t)middle;
    return (product){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (uint32_t)low};
#endif
}

/* Keeps a number in a scalar register. Otherwise compilers pack two numbers into a vector for one
   "xor" and unpack them for each multiplication, which takes twice as long. */
#define SCALAR(x) __asm__("" : "+r"(x))

/* Performs rounds from … ROUNDS − 1. */
static inline void rounds(uint64_t x[4], int from, uint64_t k0, uint64_t k1)
{
#pragma GCC unroll 10
    for (int round = from; round < ROUNDS; round++) {
        const product p = multiply(M0, x[0]), q = multiply(M1, x[2]);
        x[0] = q.high ^ x[1] ^ (k0 + (uint64_t)round * W0);
        x[1] = q.low;
        x[2] = p.high ^ x[3] ^ (k1 + (uint64_t)round * W1);
        x[3] = p.low;
        SCALAR(x[0]);
    }
}

void td_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t bits[4])
{
    uint64_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
    rounds(x, 0, key[0], key[1]);
    memcpy(bits, x, sizeof x);
}

/* The common part of the first two rounds of all words of a point. With the counter (i, d, 0, 0)
   and the key (s, 0), whose words are (s + W0, W1) in round 1, x is

     after round 0:  d ^ s,
                     0,
                     hi(M0 i),
                     lo(M0 i)
     after round 1:  hi(M1 hi(M0 i)) ^ (s + W0),
                     lo(M1 hi(M0 i)),
                     hi(M0 (d ^ s)) ^ lo(M0 i) ^ W1,
                     lo(M0 (d ^ s))

   Two of the four products depend on i alone, and the third depends on d alone. */
typedef struct begun {
    uint64_t x0, x1, x2;
} begun;

static inline begun begin(uint64_t index, uint64_t seed)
{
    const product p = multiply(M0, index), q = multiply(M1, p.high);
    return (begun){q.high ^ (seed + W0), q.low, p.low ^ W1};
}

static inline void complete(begun point, uint64_t block, uint64_t seed, double unit[4])
{
    const product p = multiply(M0, block ^ seed);
    uint64_t x[4] = {point.x0, point.x1, point.x2 ^ p.high, p.low};
    rounds(x, 2, seed, 0);
    for (int k = 0; k < 4; k++)
        unit[k] = td_unit_number(x[k]);
}

void td_random_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions, double *points)
{
    if (!points)
        return;
    const size_t whole = dimensions / 4, rest = dimensions % 4;
    for (size_t i = 0; i < n; i++) {
        const begun point = begin(first + i, seed);
        for (size_t block = 0; block < whole; block++, points += 4)
            complete(point, block, seed, points);
        if (rest > 0) {
            double last[4];
            complete(point, whole, seed, last);
            for (size_t k = 0; k < rest; k++)
                *points++ = last[k];
        }
    }
}
