/* SPDX-License-Identifier: MIT */
/*
 * The four joints of a loop that may have γ in closed form, in their order.
 */
#ifndef TD_LOOP_OF_FOUR_H
#define TD_LOOP_OF_FOUR_H

#include "base/frame.h"
#include "load/closure/loop_analysis.h"

/* of directions that are parallel or at right angles */
#define TD_PARALLEL 1e-9

/* A joint of the loop in the frame of the body that carries the group. */
typedef struct td_hinge {
    bool turns;
    td_vec3 axis, point;
    double sense;          /* 1: positive as one goes round the loop; −1: the other way */
    int slot;              /* of the group; −1 for the joint that closes the loop */
    double rate, position; /* its coordinate moves rate times as much; w there */
} td_hinge;

enum { TD_HINGES = 4 };

/* The joints in the order in which one comes by them from the body that carries the group down to
   the loop's predecessor, over to its successor and back. False where it is no loop of four joints
   that turn or slide, of which one gives two. */
bool td_go_round(const td_loop_analysis *analysis, td_hinge round[TD_HINGES]);

/* the same joints, the round beginning with that one */
void td_begin_at(td_hinge round[TD_HINGES], int first);

/* 1 where the joint is positive about z as one goes round, else −1 */
double td_sense_about(const td_hinge *h, td_vec3 z);

/* whether axes are, in either sense */
bool td_are_parallel(const td_hinge *a, const td_hinge *b);

/* from a point of the one to one of the other */
td_vec3 td_way(const td_hinge *from, const td_hinge *to);

/* what is value here, and moves factor times as much as the joint's coordinate */
td_planar_part td_part_of(const td_hinge *h, double value, double factor);

#endif
