/* SPDX-License-Identifier: MIT */
/*
 * Robots whose joints follow others by curves, for their tests, and what holds of all of them.
 */
#ifndef CURVE_ROBOTS_H
#define CURVE_ROBOTS_H

#include "td_test.h"

/* a link with mass and an inertia that a body can have */
td_link curve_link(const char *name);

/* A row of joints j1, j2, … between links l0, l1, …, each on the link of the one before: revolute
   ('r'), prismatic ('p'), continuous ('c') or ball ('b'), about x, y, z, x, … The caller finishes
   the builder. */
td_builder *curve_row(const char *types);

/* curves: that many, which are copied */
void curve_follow(td_builder *builder, const char *joint, const td_curve *curve, size_t curves,
                  double offset);
td_curve curve_polynomial(const char *leader, size_t n, const double *coefficient);
td_curve curve_sine(const char *leader, double amplitude, double frequency, double phase);
td_curve curve_table(const char *leader, size_t n, const double *at, const double *value);

/* In a chart that is chosen at y, of in_chart, K G = 0 at G of the chart, and the same forces of
   the tree, at random, give the accelerations that they give in y. */
void curve_agrees_in_chart(const td_model *model, td_workspace *w, td_workspace *in_chart,
                           const double *y, td_random *random);

#endif
