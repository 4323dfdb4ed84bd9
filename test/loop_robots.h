/* SPDX-License-Identifier: MIT */
/*
 * Robots with loops for the tests of dynamics: a chain of four-bars of any size, the bundled
 * mechanisms, and states in which they can be assembled.
 */
#ifndef TD_LOOP_ROBOTS_H
#define TD_LOOP_ROBOTS_H

#include "td_test.h"

/* What a chain is made of. */
enum {
    CHAIN_OF_CRANK_ROCKERS = 0,  /* closed by loops, which are iterated */
    CHAIN_OF_PARALLELOGRAMS = 1, /* closed by loops, which are linear */
    CHAIN_CUT = 2,    /* parallelograms without loops: their joints follow as mimic joints */
    CHAIN_GEARED = 4, /* the crank follows a motor by 0.3: that leaves no whole factors, and loops
                         of parallelograms are iterated too */
};

/* A chain of that many four-bars, three joints each: crankI and rockerI on the ground, couplerI on
   the crank, pinned to the rocker by the loop pinI; the next one stands on the coupler, turned, so
   that the chain is not plane. The crank is independent, or motorI, which turns a flywheel on the
   ground. All are assembled at q = 0. The caller finishes the builder. */
td_builder *chain_of_four_bars(size_t modules, unsigned kind);

/* The bundled mechanisms whose loops are iterated, and how far each independent coordinate (but
   those of a floating base) may be from the reference. */
typedef struct loop_robot {
    const char *file; /* NULL: a chain of that many four-bars */
    size_t modules;
    td_base base;
    double reach;
} loop_robot;

extern const loop_robot loop_robots[];
extern const size_t loop_robot_count;

td_model *loop_robot_load(const loop_robot *robot);

/* Random independent coordinates within the reach; a floating base anywhere. */
void loop_robot_state(td_random *random, const loop_robot *robot, const td_model *model, double *y);

#endif
