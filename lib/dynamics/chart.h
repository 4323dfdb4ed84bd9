/* SPDX-License-Identifier: MIT */
/*
 * A chart is another choice u of independent coordinates of loop groups: their slots are in
 * another order. u has the same size and layout as y. An entry of y that became dependent is
 * replaced by another coordinate. The closure of a chart replaces the model's closure, so that
 * every function of y becomes a function of u.
 *
 * Coordinates are selected by J, which is K of a group in its coordinates, scaled to columns of
 * unit length. Elimination with the dependents x as pivots leaves −∂x/∂u in the other columns.
 * Swapping x_i and u_j multiplies |det J_x| by |∂x_i/∂u_j|. Swaps continue while one of them
 * increases it by more than a factor of two. This is the maximum volume of Knuth (1985), applied
 * to the coordinate partitioning of Wehage and Haug (1982).
 */
#ifndef TD_CHART_H
#define TD_CHART_H

#include "base/stack.h"
#include "kernel/kernel.h"
#include "model/model.h"

typedef struct td_chart {
    /* closure of this choice; shares the arrays that all charts have in common */
    td_closure_map closure;
    size_t slots; /* number of slots of all solved groups */
    int *order;   /* slots, group by group: the model's slot at each position */
    int *kept;    /* slots: the previous order, while a new one is chosen */
    int *held; /* per coordinate of ẇ and velocity of the tree: its column for td_balances_fill */
    double *anchor, *last; /* nw: where γ starts, for this choice (td_scratch) */
    double *tableau;       /* rows × slots of the largest group */
    char *level;           /* slots of the largest group: see chart.c */
    int *row_of;           /* slots of the largest group: the row of a pivot, −1 for none */
    char *taken;           /* rows of the largest group: whether the row has a pivot */
} td_chart;

/* Coordinates that must keep their role: NULL, or one byte per entry of u̇, nonzero if it must
   not be swapped. Some coordinates are never swapped. */
typedef const unsigned char *td_chart_keep;

/* td_chart_take allocates a chart from a stack; models without charts need nothing.
   td_chart_begin initializes it to y. */
void td_chart_take(td_stack *stack, const td_model *model, td_chart *chart);
void td_chart_begin(td_chart *chart, const td_model *model);

/* Resets the choice to y. */
void td_chart_choose_y(td_chart *chart, const td_model *model);
/* Returns whether the choice is y. */
bool td_chart_is_y(const td_chart *chart);

/* Copies w out of a configuration of the tree. */
void td_coordinates_w(const td_model *model, const double *q, double *w);

/* The next two functions need the result of the kernel `tangent` in scratch, computed with a
   closure of the same slots. td_chart_finish must follow a change of the order. */

/* Swaps coordinates in all groups. Returns the group that lost rank, or −1. */
int td_chart_improve(td_chart *chart, const td_model *model, const td_scratch *s,
                     td_chart_keep keep);
/* Returns the largest |∂x_i/∂u_j| over pairs that may be swapped, in the units of their slots.
   Returns infinity if the dependents are not determined. `of_y`: uses the dependents of y,
   whatever the choice is. */
double td_chart_speed(td_chart *chart, const td_model *model, const td_scratch *s,
                      td_chart_keep keep, bool of_y);
/* Computes the closure for the order. */
void td_chart_finish(td_chart *chart, const td_model *model);

#endif
