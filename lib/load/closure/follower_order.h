/* SPDX-License-Identifier: MIT */
/*
 * Evaluation order of followers by curves, in which each comes after the joints that it follows,
 * and the arguments of their curves.
 */
#ifndef TD_FOLLOWER_ORDER_H
#define TD_FOLLOWER_ORDER_H

#include "load/build.h"

/* A leader as Σ factor · joint + constant. A joint that follows nothing linearly is its own
   argument. */
typedef struct td_argument {
    int count;
    const int *joint;
    const double *factor;
    double constant;
} td_argument;

/* Returns the argument for a leader. It keeps the pointer leader, which must outlive it. */
td_argument td_argument_of(const td_build *build, const int *leader);

/* Return the record and the curves of a joint that follows by curves. */
const td_follower *td_follower_record(const td_model *model, int joint);
const td_follower_curves *td_curves_of_follower(const td_model *model, int joint);

/* Joints that follow others by curves. Followers whose leaders are all constant are left out: they
   become constants, i.e. linear combinations of no joints. */
typedef struct td_follower_order {
    int *joint, count;
    bool good; /* no error was found */
} td_follower_order;

/* Orders the followers that are not solved together with loops, and reports circular dependencies.
   If loops decide a leader, marks its followers in build->tied and sets build->corrected, so that
   they are solved together with the loops. Allocates in the caller's scope of build->temporary.
   Returns false if out of memory. */
bool td_order_followers(td_build *build, td_follower_order *order);

/* Marks in build->tied every follower that leads or follows a marked one, directly or through
   others. Returns false if out of memory. */
bool td_spread_ties(td_build *build, const td_follower_order *order);

/* Writes the terms of count followers, in this order. Leaves w, wd and slot of the places to the
   caller. Returns false if out of memory. */
bool td_write_curves(td_build *build, const int *joint, int count, td_loop_curves *curves);

/* Joins loops and followers that must be solved together. set[l] is the set of loop l < count.
   Entries after count belong to followers by curves that are tied to loops: they move loops, or
   build->tied marks them already. covered: per loop, −1 if it is to be solved. Returns false if out
   of memory (loop_sets.c). */
bool td_unite_loops(td_build *build, size_t count, const int *covered,
                    const td_follower_order *order, int *set);
/* Sets build->leads: the joints that others follow by curves (loop_sets.c). */
void td_mark_leaders(td_build *build, const td_follower_order *order);

#endif
