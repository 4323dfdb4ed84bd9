/* SPDX-License-Identifier: MIT */
/*
 * Numbers for sampling. Each number depends only on its index, so state 10¹¹ of a sweep takes no
 * longer than state 0. Any thread, process or machine computes the same numbers, to the bit, in any
 * order. They use only integers and sums, products, quotients and square roots, which are rounded
 * identically everywhere in the default floating-point environment (docs/abi.md). They use no C
 * library functions that round differently elsewhere. The x87 unit of 32-bit x86, with its longer
 * intermediate results, is the only exception.
 *
 * None of these functions allocates or locks; any thread may call them.
 */
#ifndef TD_SWEEP_SAMPLE_H
#define TD_SWEEP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "tandem/status.h"

/* Computes 256 pseudorandom bits from a counter and a key by Philox4x64-10 (Salmon et al., Parallel
   Random Numbers: As Easy as 1, 2, 3, SC 2011). About 10 ns. */
void td_philox(const uint64_t counter[4], const uint64_t key[2], uint64_t bits[4]);

/* Computes uniformly distributed random points first … first + n − 1. points: n × dimensions,
   row-major, each in (0, 1) without the ends. Coordinate d of point i is (b + 1/2) / 2⁵². b is the
   top 52 bits of word d mod 4 of td_philox with the counter (i, d / 4, 0, 0) and the key (seed, 0).
   Writes nothing if points is NULL. O(n · dimensions). */
void td_random_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions, double *points);

/* Computes points of Sobol's sequence, which fill the cube more evenly than random ones. The
   direction numbers are by Joe and Kuo (Constructing Sobol sequences with better two-dimensional
   projections, SIAM J. Sci. Comput. 30, 2008); the points are in Gray code order, as usual.
   Arguments as above; index 0 is the first point, the origin.

   With a seed other than 0, the same random bits shift each coordinate of all points (a digital
   shift: the sequence stays as even). They are the top 52 bits of word d mod 4 of td_philox with
   the counter (0, d / 4, 1, 0) and the key (seed, 0). Points lie in (0, 1): 2⁻⁵³ is added to each
   coordinate of 52 bits.

   TD_ERROR_ARGUMENT, with nothing written: points NULL, more than TD_SOBOL_DIMENSIONS, or an index
   of 2⁵² or more. O(dimensions · (n + 100)). */
#define TD_SOBOL_DIMENSIONS 128
td_status td_sobol_points(uint64_t seed, uint64_t first, size_t n, size_t dimensions,
                          double *points);

/* Returns the x with Φ(x) = p for the normal distribution with mean 0 and standard deviation 1
   (Wichura's AS 241, Applied Statistics 37, 1988; relative error about 1e-15). It transforms
   uniformly distributed numbers to normally distributed ones. Uses a built-in logarithm. −∞ at 0, ∞
   at 1, NaN outside. */
double td_normal_quantile(double p);
#endif
