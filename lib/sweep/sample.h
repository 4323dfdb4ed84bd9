/* SPDX-License-Identifier: MIT */
/*
 * Numbers for sampling, each made from its index alone: state 10¹¹ of a sweep costs what state 0
 * does, and any thread, process or machine makes the same ones, to the bit, in any order: they are
 * made of integers, and of sums, products, quotients and roots, which are rounded alike everywhere
 * in the default floating-point environment (docs/abi.md; but for the x87 unit of 32-bit x86, which
 * has more digits on the way), and of no function of the C library that is rounded otherwise
 * elsewhere.
 *
 * None of these functions allocates or locks; they may be called from any thread.
 */
#ifndef TD_SWEEP_SAMPLE_H
#define TD_SWEEP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "tandem/status.h"

/* Philox4x64-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): 256 bits
   that look random, of a counter and a key. Some 10 ns. */
void td_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t bits[4]);

/* Random points first … first + n − 1, evenly spread: points (n × dimensions, row-major) within
   (0, 1), neither end included. Coordinate d of point i is made of the top 52 bits b of word d mod
   4 of td_philox with the counter (i, d / 4, 0, 0) and the key (seed, 0): (b + 1/2) / 2⁵². Of a
   NULL array nothing is written. O(n · dimensions). */
void td_random_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions, double *points);

/* Points of Sobol's sequence, which fill the cube more evenly than random ones, with direction
   numbers of Joe and Kuo (Constructing Sobol sequences with better two-dimensional projections,
   SIAM J. Sci. Comput. 30, 2008), in the order of Gray's code, as usual. Arguments as above; index
   0 is the first point, the origin. With a seed other than 0 all points are shifted by the same
   random bits in each coordinate (a digital shift: the sequence stays as even), the top 52 ones of
   word d mod 4 of td_philox with the counter (0, d / 4, 1, 0) and the key (seed, 0). Points lie
   within (0, 1): half of 2⁻⁵² is added to each coordinate of 52 bits. TD_ERROR_ARGUMENT, with
   nothing written: points NULL, more than TD_SOBOL_DIMENSIONS, or an index of 2⁵² or more.
   O(dimensions · (n + some 100)). */
#define TD_SOBOL_DIMENSIONS 128
td_status td_sobol_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions,
                          double *points);

/* x with Φ(x) = p, of the normal distribution with mean 0 and deviation 1: it makes normally
   distributed numbers of evenly spread ones (Wichura's AS 241, Applied Statistics 37, 1988;
   relative error some 1e-15), with a logarithm of its own. −∞ at 0, ∞ at 1, NaN beyond. */
double td_normal_quantile(double p);
#endif
