/* SPDX-License-Identifier: MIT */
/*
 * Functions shared by the closed forms of planar loops: parts that are linear in coordinates, and
 * tolerances for the branch of a start.
 */
#ifndef TD_PLANAR_H
#define TD_PLANAR_H

#include "kernel/real/sincos.h"
#include "model/loops.h"
#include <math.h>
#include <stdbool.h>

/* Largest residual of a start that counts as closed, relative to the size of the loop. Smallest
   sine of the angle between two links for which the branch is defined. */
#define PLANAR_CLOSED 1e-6
#define PLANAR_APART 1e-6

static const double pi = 3.14159265358979323846;

TD_INLINE double whole(double x, double unit)
{
    return unit * rint(x / unit);
}

/* Returns a part at a start; 0 for the part of the loop joint. */
TD_INLINE double planar_start(const td_loop_group *g, const td_planar_part *part,
                              const double *start)
{
    return part->slot < 0 ? 0 : part->offset + part->factor * start[g->coordinate[part->slot]];
}

/* Stores the dependent coordinates among the parts to w. */
TD_INLINE void planar_store(const td_loop_group *g, int parts, const td_planar_part *part,
                            const real *value, real *w)
{
    for (int i = 0; i < parts; i++)
        if (part[i].slot >= 0 && part[i].slot < g->dependents)
            w[g->coordinate[part[i].slot]] = (1 / part[i].factor) * (value[i] - part[i].offset);
}

#endif
