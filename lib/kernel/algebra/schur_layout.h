/* SPDX-License-Identifier: MIT */
/*
 * The scratch of constraints.c for so many rows of K and velocities, in reals. Rows that leave a
 * pivot are no more than either.
 */
#ifndef TD_SCHUR_LAYOUT_H
#define TD_SCHUR_LAYOUT_H

#include "kernel/layout.h"

typedef struct td_schur_layout {
    size_t pivots;  /* at most */
    size_t Z;       /* reals of Z: pivots × nv */
    size_t L;       /* in S: pivots × pivots */
    size_t x;       /* pivots */
    size_t inverse; /* rows: of the pivots, 0 for a row that follows from others */
    size_t reals;   /* of S */
} td_schur_layout;

static inline td_schur_layout td_schur_layout_of(size_t rows, size_t nv)
{
    td_schur_layout l = {.pivots = rows < nv ? rows : nv};
    l.Z = l.pivots * nv;
    l.L = td_layout_piece(&l.reals, l.pivots * l.pivots);
    l.x = td_layout_piece(&l.reals, l.pivots);
    l.inverse = td_layout_piece(&l.reals, rows);
    return l;
}

#endif
