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

/*
 * A planar loop of three revolute joints R1, R2, R3 and a prismatic one P, somewhere in space, link
 * frames anywhere, closed at q = 0. Links are A, between P and R1, then B, C and D, between R3 and
 * P. In the plane, x along the way of D, a (cos α, sin α) + b (cos δ, sin δ) = (s, e).
 */
enum { PLANE_R1, PLANE_R2, PLANE_R3, PLANE_P, PLANE_JOINTS };

typedef struct plane_slider {
    double a, b, alpha, delta;    /* at q = 0 */
    int ground, cut, independent; /* a link; joints: the one that closes the loop, and another */
    bool masked;                  /* the loop joint is given by its mask, and γ iterated */
    double gear;                  /* not 0: the independent joint follows a motor by that */
    uint64_t seed;                /* of frames and masses */
    double tilt[PLANE_JOINTS]; /* of axes, out of their right angle to the plane, or to D's way */
} plane_slider;

/* sense: signs of the coordinates: those of R1, R2 and R3 grow with α, δ − α and −δ, that of P with
   −s. The caller finishes the builder. */
td_builder *plane_slider_builder(const plane_slider *p, double sense[PLANE_JOINTS]);
extern const char *const plane_slider_joints[PLANE_JOINTS];

/* The bundled mechanisms whose loops are iterated, and how far each independent coordinate (but
   those of a floating base) may be from the reference. */
typedef struct loop_robot {
    const char *file; /* NULL: a chain of that many four-bars, or the slider */
    size_t modules;
    td_base base;
    double reach;
    const plane_slider *slider;
} loop_robot;

extern const loop_robot loop_robots[];
extern const size_t loop_robot_count;

td_model *loop_robot_load(const loop_robot *robot);

/* The model of such a chain of crank rockers, fixed to the ground. */
td_model *model_of_four_bars(size_t modules);

/* Random independent coordinates within the reach; a floating base anywhere. */
void loop_robot_state(td_random *random, const loop_robot *robot, const td_model *model, double *y);

#endif
