/* SPDX-License-Identifier: MIT */
/*
 * Robots with loops for the tests of dynamics: a chain of four-bars of any size, the bundled
 * mechanisms, and states in which they can be assembled.
 */
#ifndef TD_LOOP_ROBOTS_H
#define TD_LOOP_ROBOTS_H

#include "td_test.h"

/* Options of a chain. */
enum {
    CHAIN_OF_CRANK_ROCKERS = 0,  /* closed by loops that are iterated */
    CHAIN_OF_PARALLELOGRAMS = 1, /* closed by linear loops */
    CHAIN_CUT = 2,               /* parallelograms without loops, with mimic joints instead */
    CHAIN_GEARED = 4, /* the crank follows a motor by 0.3: multipliers are then not integers, so
                         even loops of parallelograms are iterated */
};

/* Builds a chain of four-bars with three joints each. crankI and rockerI are on the ground,
   couplerI on the crank, and the loop pinI connects it to the rocker. The next module is mounted on
   the coupler, rotated so that the chain is not planar. Either the crank is independent, or motorI
   is, which turns a flywheel on the ground. All loops are closed at q = 0. The caller finishes the
   builder. */
td_builder *chain_of_four_bars(size_t modules, unsigned kind);

/*
 * A planar loop of three revolute joints R1, R2, R3 and a prismatic joint P, anywhere in space with
 * arbitrary link frames, closed at q = 0. Link A lies between P and R1, then B, C, and D between R3
 * and P. In the plane, with x along the direction of P: a (cos α, sin α) + b (cos δ, sin δ) = (s,
 * e).
 */
enum { PLANE_R1, PLANE_R2, PLANE_R3, PLANE_P, PLANE_JOINTS };

typedef struct plane_slider {
    double a, b, alpha, delta;    /* at q = 0 */
    int ground, cut, independent; /* ground: a link; cut: the joint that closes the loop;
                                     independent: another joint */
    bool masked;                  /* the loop joint is a mask, so γ is iterated */
    double gear;   /* if not 0, the independent joint follows a motor with this multiplier */
    uint64_t seed; /* of frames and masses */
    double tilt[PLANE_JOINTS]; /* tilt of the axes out of their right angle to the plane or to the
                                  direction of P */
} plane_slider;

/* Builds it. sense: signs of the coordinates; R1, R2 and R3 grow with α, δ − α and −δ, and P with
   −s. The caller finishes the builder. */
td_builder *plane_slider_builder(const plane_slider *p, double sense[PLANE_JOINTS]);
extern const char *const plane_slider_joints[PLANE_JOINTS];

/* The bundled mechanisms with iterated loops. reach: how far each independent coordinate may be
   from the reference, floating bases excepted. */
typedef struct loop_robot {
    const char *file; /* NULL: a chain of `modules` four-bars, or the slider */
    size_t modules;
    td_base base;
    double reach;
    const plane_slider *slider;
} loop_robot;

extern const loop_robot loop_robots[];
extern const size_t loop_robot_count;

td_model *loop_robot_load(const loop_robot *robot);

/* Returns the model of such a chain of crank-rockers on a fixed base. */
td_model *model_of_four_bars(size_t modules);

/* Draws random independent coordinates within the reach; a floating base is anywhere. */
void loop_robot_state(td_random *random, const loop_robot *robot, const td_model *model, double *y);

#endif
