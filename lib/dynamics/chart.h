/* SPDX-License-Identifier: MIT */
/*
 * A chart: another choice u of the independent coordinates of groups of loops, whose slots are in
 * another order. u has the sizes and places of y; where a coordinate of y has become dependent, its
 * place is another one's. The closure of a chart stands where the model's does, and all that is
 * computed in y is computed in u.
 *
 * Which coordinates are good at a state is told by J of a group, K in its coordinates, by columns
 * of unit length: eliminated with the dependent ones as pivots, it has −∂x/∂u in the others, and a
 * swap of x_i and u_j makes |det J_x| as large as that by the factor |∂x_i/∂u_j|. Swaps go on while
 * one of them enlarges it by more than two: the maximum volume of Knuth (1985), of the coordinate
 * partitioning of Wehage and Haug (1982).
 */
#ifndef TD_CHART_H
#define TD_CHART_H

#include "base/stack.h"
#include "kernel/kernel.h"
#include "model/model.h"

typedef struct td_chart {
    td_closure_map closure; /* of this choice; it shares what all charts have in common */
    size_t slots;           /* of all groups that are solved */
    int *order;             /* slots, a group after the other: which of the model's is there */
    int *kept;              /* slots: the order before a choice */
    int *held; /* per coordinate of ẇ and velocity of the tree: td_balances_fill's place */
    double *anchor, *last; /* nw: where γ starts, of this choice (td_scratch) */
    double *tableau;       /* rows × slots of the largest group */
    char *level;           /* slots of that: see chart.c */
    int *row_of;           /* slots of that: the row of a pivot, −1 for none */
    char *taken;           /* rows of that */
} td_chart;

/* What of the coordinates may not be swapped, beside those that never are: NULL, or bytes per entry
   of u̇, ≠ 0 where it stays the one that it is. */
typedef const unsigned char *td_chart_keep;

/* What a chart of a model consists of, nothing where there are none; and a chart whose choice is y
   in that. */
void td_chart_take(td_stack *stack, const td_model *model, td_chart *chart);
void td_chart_begin(td_chart *chart, const td_model *model);

/* y again */
void td_chart_choose_y(td_chart *chart, const td_model *model);
/* whether it is y */
bool td_chart_is_y(const td_chart *chart);

/* w of a configuration of the tree */
void td_coordinates_w(const td_model *model, const double *q, double *w);

/* All three are after the kernel `tangent` of a closure of the same slots in the scratch. */

/* Swaps, of all groups. The group that has lost rank, or −1. */
int td_chart_improve(td_chart *chart, const td_model *model, const td_scratch *s,
                     td_chart_keep keep);
/* The largest |∂x_i/∂u_j|, in the units of their slots, of what could be swapped; infinite where
   the dependents are not decided. of_y: with the dependents of y, whatever the choice is. */
double td_chart_speed(td_chart *chart, const td_model *model, const td_scratch *s,
                      td_chart_keep keep, bool of_y);
/* The closure of the order. */
void td_chart_finish(td_chart *chart, const td_model *model);

#endif
