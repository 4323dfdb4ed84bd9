/* SPDX-License-Identifier: MIT */
/*
 * Beams for the tests of flexible links, and their natural frequencies.
 */
#ifndef BEAMS_H
#define BEAMS_H

#include "td_test.h"

/* Returns the record of a uniform beam of length 0.8 m along x that bends toward y, in the given
   number of segments. Other stiffnesses have their defaults; the caller may change the record. */
td_flexible beam_record(int segments);

/* Starts a builder with the link "beam" on the link "mount", connected by the joint "root" of the
   given type with axis z. The caller may add to the builder. beam_finish then loads it without
   gravity. */
td_builder *beam_builder(const td_flexible *record, td_joint_type root);
td_model *beam_finish(td_builder *builder);
/* finishes the builder with a joint locked at zero */
td_model *beam_finish_held(td_builder *builder, const char *joint);

/* Adds a link on `parent` by a fixed joint at x: a point mass if inertia is 0, otherwise a body
   with that moment of inertia about every axis. */
void beam_add_body(td_builder *builder, const char *parent, const char *name, double x, double mass,
                   double inertia);

/* Computes the lowest `count` angular frequencies at y (NULL: zeros) in ascending order: √λ of K v
   = λ H v. K comes from differences of the bias force with passive forces. Rigid motions have
   frequency zero, to 1e-4. */
void beam_frequencies(const td_model *model, const double *y, size_t count, double *omega);

/* Computes the stiffness K (nyd × nyd) at y. */
void beam_stiffness(const td_model *model, const double *y, double *K);

/* Solves A x = b in place for a symmetric positive definite A (n × n), which is overwritten. */
void beam_solve(size_t n, double *A, double *b);

/* Returns a root of f between low and high, where f changes sign. */
double root_between(double (*f)(double x), double low, double high);

/* Returns the order of convergence, log₂ of |a − exact| / |b − exact|, where b has segments of half
   the length. */
double order_of(double a, double b, double exact);

#endif
