/* SPDX-License-Identifier: MIT */
/*
 * The scratch of a drive of m motors and n coordinates, in reals: see kernel/loops/drives.c.
 */
#ifndef TD_DRIVE_LAYOUT_H
#define TD_DRIVE_LAYOUT_H

#include "kernel/layout.h"
#include "model/drives.h"

typedef struct td_drive_layout {
    size_t A;          /* m × n: columns */
    size_t R;          /* the smaller of m and n, squared */
    size_t size;       /* the larger of m and n: squares of the columns' lengths at the reference */
    size_t part, step; /* the larger of m and n: right side and solution */
    size_t scale;      /* m: 1/√weight */
    size_t reals;
} td_drive_layout;

static inline td_drive_layout td_drive_layout_of(const td_drive *d)
{
    const size_t m = (size_t)d->motors, n = (size_t)d->coordinates;
    const size_t most = m > n ? m : n, least = m < n ? m : n;
    td_drive_layout l = {0};
    l.A = td_layout_piece(&l.reals, m * n);
    l.R = td_layout_piece(&l.reals, least * least);
    l.size = td_layout_piece(&l.reals, most);
    l.part = td_layout_piece(&l.reals, most);
    l.step = td_layout_piece(&l.reals, most);
    l.scale = td_layout_piece(&l.reals, m);
    return l;
}

#endif
