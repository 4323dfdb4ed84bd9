/* SPDX-License-Identifier: MIT */
/*
 * Initial direction numbers of Sobol's sequence in each dimension.
 */
#ifndef TD_SOBOL_TABLE_H
#define TD_SOBOL_TABLE_H

#include <stdint.h>

#include "sweep/sample.h"

enum { TD_SOBOL_DEGREE = 10 }; /* the highest degree */

typedef struct td_sobol_row {
    uint16_t degree;      /* s of xˢ + a₁ xˢ⁻¹ + … + aₛ₋₁ x + 1 */
    uint16_t coefficient; /* a₁ … aₛ₋₁, the last one in the lowest bit */
    uint16_t m[TD_SOBOL_DEGREE];
} td_sobol_row;

/* rows of dimension 1, 2, …; in dimension 0 all m are 1 */
extern const td_sobol_row td_sobol_rows[TD_SOBOL_DIMENSIONS - 1];

#endif
