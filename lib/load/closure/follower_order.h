/* SPDX-License-Identifier: MIT */
/*
 * Followers by curves in an order in which each comes after those that it follows, and what their
 * curves are about.
 */
#ifndef TD_FOLLOWER_ORDER_H
#define TD_FOLLOWER_ORDER_H

#include "load/build.h"

/* What a leader is: Σ factor · joint + constant. A joint that follows nothing linearly is itself.
 */
typedef struct td_argument {
    int count;
    const int *joint;
    const double *factor;
    double constant;
} td_argument;

/* The argument keeps the address of the leader. */
td_argument td_argument_of(const td_build *build, const int *leader);

/* of a joint that follows by curves */
const td_follower *td_follower_record(const td_model *model, int joint);
const td_follower_curves *td_curves_of_follower(const td_model *model, int joint);

/* Joints that follow others by curves, without those whose leaders are all fixed: these are
   constants, and become linear combinations of no joint. */
typedef struct td_follower_order {
    int *joint, count;
    bool good; /* no error was found */
} td_follower_order;

/* The followers that loops are not solved with, in the caller's scope of build->temporary; reports
   circles. One whose leader is decided by loops is marked to be solved with them, in build->tied;
   build->corrected then. False without memory. */
bool td_order_followers(td_build *build, td_follower_order *order);

/* Marks in build->tied all followers that lead one that is marked or follow it, however many lie
   between. False without memory. */
bool td_spread_ties(td_build *build, const td_follower_order *order);

/* The terms of so many followers, in their order, and places, of which joint is known alone. False
   without memory. */
bool td_write_curves(td_build *build, const int *joint, int count, td_loop_curves *curves);

/* set[l]: the loops that l of count is solved with; behind them the followers by curves that are
   tied to loops, which move them or are tied for another reason (build->tied). covered: per loop,
   −1 for those that are to be solved. False without memory. (loop_sets.c) */
bool td_unite_loops(td_build *build, size_t count, const int *covered,
                    const td_follower_order *order, int *set);
/* build->leads: joints that others follow by curves (loop_sets.c) */
void td_mark_leaders(td_build *build, const td_follower_order *order);

#endif
