/* SPDX-License-Identifier: MIT */
/*
 * Robots whose joints follow others by curves, and the checks that all of them must pass.
 */
#ifndef CURVE_ROBOTS_H
#define CURVE_ROBOTS_H

#include "td_test.h"

/* returns a link with mass and a physically possible inertia */
td_link curve_link(const char *name);

/* Builds a row of joints j1, j2, … between links l0, l1, … Types: revolute ('r'), prismatic ('p'),
   continuous ('c') or ball ('b'); axes cycle through x, y, z. The caller finishes the builder. */
td_builder *curve_row(const char *types);

/* makes a joint follow by `count` curves, which are copied */
void curve_follow(td_builder *builder, const char *joint, const td_curve *curve, size_t curves,
                  double offset);
td_curve curve_polynomial(const char *leader, size_t n, const double *coefficient);
td_curve curve_sine(const char *leader, double amplitude, double frequency, double phase);
td_curve curve_table(const char *leader, size_t n, const double *at, const double *value);

/* Selects a chart at y and checks K G = 0 at its G. The same random forces of the tree must cause
   the same accelerations in the chart as in y. */
void curve_agrees_in_chart(const td_model *model, td_workspace *w, td_workspace *in_chart,
                           const double *y, td_random *random);

#endif
