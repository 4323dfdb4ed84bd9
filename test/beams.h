/* SPDX-License-Identifier: MIT */
/*
 * Beams for the tests of flexible links, and their natural frequencies.
 */
#ifndef BEAMS_H
#define BEAMS_H

#include "td_test.h"

/* A uniform beam along x that bends to y, length 0.8 m, and what else it may be. Finite stiffnesses
   are those of the record. */
td_flexible beam_record(int segments);

/* "beam" with its record on a link "mount", by a joint of that type about z ("root"), without
   gravity; what is added to the builder before it is finished by beam_finish is up to the caller.
 */
td_builder *beam_builder(const td_flexible *record, td_joint_type root);
td_model *beam_finish(td_builder *builder);
/* with a joint locked at zero */
td_model *beam_finish_held(td_builder *builder, const char *joint);

/* Adds a link on a link of the builder by a fixed joint at x: a point mass where inertia is 0,
   otherwise with that moment of inertia about all axes. */
void beam_add_body(td_builder *builder, const char *parent, const char *name, double x, double mass,
                   double inertia);

/* Angular frequencies at y (NULL: zeros), ascending, count of them: √λ of K v = λ H v, K by
   differences of the bias force with passive forces. Those of rigid motions are zero, to 1e-4. */
void beam_frequencies(const td_model *model, const double *y, size_t count, double *omega);

/* K there (nyd × nyd). */
void beam_stiffness(const td_model *model, const double *y, double *K);

/* x with A x = b for symmetric positive definite A (n × n), which is used up with b. */
void beam_solve(size_t n, double *A, double *b);

/* A root of f between low and high, where it changes sign. */
double root_between(double (*f)(double x), double low, double high);

/* The order of convergence, log₂ of |a − exact| / |b − exact|: b of half the length of segments. */
double order_of(double a, double b, double exact);

#endif
