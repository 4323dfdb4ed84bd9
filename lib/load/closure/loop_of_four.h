/* SPDX-License-Identifier: MIT */
/*
 * The four joints of a loop for which γ may have a closed form, in order around the loop.
 */
#ifndef TD_LOOP_OF_FOUR_H
#define TD_LOOP_OF_FOUR_H

#include "base/frame.h"
#include "load/closure/loop_analysis.h"

/* tolerance for parallel or perpendicular directions */
#define TD_PARALLEL 1e-9

/* A joint of the loop, in the frame of the body that carries the group. */
typedef struct td_hinge {
    bool turns;
    td_vec3 axis, point;
    double sense;          /* 1: positive in the direction of travel around the loop; −1:
                              opposite */
    int slot;              /* in the group; −1 for the joint that closes the loop */
    double rate, position; /* derivative of the joint position by the coordinate of its slot; value
                              of that coordinate */
} td_hinge;

enum { TD_HINGES = 4 };

/* Lists the joints around the loop: from the body that carries the group to the predecessor, across
   the cut joint to the successor, and back. Returns false unless the loop has four revolute or
   prismatic joints and one independent joint determines two others. */
bool td_go_round(const td_loop_analysis *analysis, td_hinge round[TD_HINGES]);

/* Rotates the list so that it begins with joint first. */
void td_begin_at(td_hinge round[TD_HINGES], int first);

/* Returns 1 if positive motion about z is in the direction of travel around the loop, else −1. */
double td_sense_about(const td_hinge *h, td_vec3 z);

/* Returns whether two axes are parallel, in either sense. */
bool td_are_parallel(const td_hinge *a, const td_hinge *b);

/* Returns the vector from a point on one axis to a point on the other. */
td_vec3 td_way(const td_hinge *from, const td_hinge *to);

/* Returns the planar part that has this value now and changes by factor times the joint's
   coordinate. */
td_planar_part td_part_of(const td_hinge *h, double value, double factor);

#endif
