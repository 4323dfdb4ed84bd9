/* SPDX-License-Identifier: MIT */
/*
 * Coefficients of the Dormand-Prince pair of orders 5 and 4 (1980), with the polynomial of order
 * 4 of Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, II.6.
 */
#include "dormand_prince_table.h"

static const double node[] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};

static const double weight[][TD_ALL_STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};

/* order 5 minus order 4 */
static const double error[][TD_STAGES] = {
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
};

static const double plain[][TD_ALL_STAGES] = {{
    -12715105075.0 / 11282082432,
    0,
    87487479700.0 / 32700410799,
    -10690763975.0 / 1880347072,
    701980252875.0 / 199316789632,
    -1453857185.0 / 822651844,
    69997945.0 / 29380423,
}};

/* The method is stable to 3.3 on the negative axis. Longer steps are limited by stability;
   accuracy alone allows about 1. */
const td_pair td_dormand_prince_5 = {
    .method = TD_METHOD_DORMAND_PRINCE,
    .stages = 7,
    .node = node,
    .weight = weight,
    .error = error,
    .estimates = 1,
    .power = 0.2,
    .stable = 2.5,
    .worth = 3,
    .plain = {.stages = 7, .terms = 1, .weight = plain},
};
