/* SPDX-License-Identifier: MIT */
/*
 * Coefficients of the explicit adaptive methods: Runge-Kutta formulas that share their stages.
 */
#ifndef TD_DORMAND_PRINCE_TABLE_H
#define TD_DORMAND_PRINCE_TABLE_H

#include "ode.h"

enum {
    TD_STAGES = 13,     /* largest number of stages of a step */
    TD_ALL_STAGES = 16, /* largest number, including stages only for the polynomial */
    TD_TERMS = 4,       /* largest number of terms of a polynomial beyond the cubic */
};

/* Terms of a step's polynomial in addition to the cubic through states and rates at both ends
   (dense_output.c): c₄₊ᵢ = h Σ weight[i][s] k[s]. */
typedef struct td_polynomial {
    int stages, terms;
    const double (*weight)[TD_ALL_STAGES];
} td_polynomial;

typedef struct td_pair {
    td_method method;
    int stages;                                /* the last one is the rate at the new state */
    const double *node;                        /* k[s] = f(t + node[s] h, */
    const double (*weight)[TD_ALL_STAGES - 1]; /*          x + h Σ weight[s][r] k[r]) */
    const double (*error)[TD_STAGES];          /* eᵢ = h Σ error[i][s] k[s] */
    int estimates; /* 1: |e₀| is the error; 2: |e₀|²/√(|e₀|² + 0.01 |e₁|²) */
    double power;  /* exponent of the step control: 1/order */
    double stable; /* steps longer than this multiple of 1/ρ(J) are near the stability limit */
    double worth;  /* stiff steps shorter than this multiple take more time than they save */
    td_polynomial plain; /* from the stages of the step */
    td_polynomial full;  /* from additional stages; without terms if unavailable */
} td_pair;

extern const td_pair td_dormand_prince_5, td_dormand_prince_8;

#endif
