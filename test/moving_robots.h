/* SPDX-License-Identifier: MIT */
/*
 * Robots whose motion is known otherwise: from equations of their own, integrated in quadruple
 * precision, or from the literature. All are made by the builder.
 */
#ifndef TD_MOVING_ROBOTS_H
#define TD_MOVING_ROBOTS_H

#include "kernel/real/quad.h"
#include "td_test.h"

void sincos_quad(quad x, quad *sine, quad *cosine);
quad sqrt_quad(quad x);

/* The Y of 000 (articulated-body paper, figures 5 and 7): a trunk, two branches with a joint in the
   middle of each; second: one joint more, and two links at the end of a branch. Lengths, masses and
   axes are ours, the paper prints none; its spring of 100 N m/rad is at the longest branch. */
td_model *y_tree(bool second, double spring);

/* Two rods in the plane x, z; angles from hanging down. */
td_model *double_pendulum(void);
void double_pendulum_quad(double t, double angles[2]); /* from (2, −0.5) at rest */

/* A symmetric top on a fixed point, by angles φ, θ, ψ about z, x, z. */
extern const double top_start[3], top_rate[3];
td_model *heavy_top(void);
double heavy_top_tilt_quad(double t); /* θ */

/* Crank, rod and slider in a vertical plane; crank from (independent crank), slider from
   (independent slider), with all joints zero at the crank's angle slider_crank_start. */
extern const double slider_crank_start;
td_model *slider_crank(bool slider);
extern const double slider_crank_lengths[2];                   /* crank and rod */
double slider_crank_quad(double t, double angle, double rate); /* crank angle at t */

/* The force *context, a double, on the first coordinate. */
td_status constant_force(void *context, const td_action *a);

/* A free body with three different moments, without gravity. */
td_model *free_body(void);

/* The squeezing mechanism of seven bodies (Andrews; Hairer and Wanner, Solving ODEs II, VII.7),
   driven by mom at its first joint; its spring is a force of the user's. */
td_model *squeezer(void);
extern const char *const squeezer_joints[7];
extern const double squeezer_start[7], squeezer_end[7], squeezer_end_rate[7];
/* Moment of the spring about the joint of body K3 at its angle, and its energy. */
double squeezer_spring(double gamma, double *energy);
enum { SQUEEZER_DRIVE_MNM = 33 };

#endif
