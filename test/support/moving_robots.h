/* SPDX-License-Identifier: MIT */
/*
 * Robots whose motion is known from independent equations, integrated in quadruple precision, or
 * from the literature. All are made with the builder.
 */
#ifndef TD_MOVING_ROBOTS_H
#define TD_MOVING_ROBOTS_H

#include "kernel/real/quad.h"
#include "td_test.h"

void sincos_quad(quad x, quad *sine, quad *cosine);
quad sqrt_quad(quad x);

/* Returns the Y of 000 (articulated-body paper, figures 5 and 7): a trunk with two branches, each
   with a joint in the middle. second: one more joint, and two links at the end of a branch. The
   paper prints no lengths, masses or axes; we chose them. The spring of 100 N m/rad is at the
   longest branch. */
td_model *y_tree(bool second, double spring);

/* Two rods in the plane x, z; angles are measured from hanging down. */
td_model *double_pendulum(void);
void double_pendulum_quad(double t, double angles[2]); /* starts from (2, −0.5) at rest */

/* A symmetric top on a fixed point, with angles φ, θ, ψ about z, x, z. */
extern const double top_start[3], top_rate[3];
td_model *heavy_top(void);
double heavy_top_tilt_quad(double t); /* θ */

/* Crank, rod and slider in a vertical plane. The independent coordinate is the crank or the slider.
   All joints are zero at the crank angle slider_crank_start. */
extern const double slider_crank_start;
td_model *slider_crank(bool slider);
extern const double slider_crank_lengths[2];                   /* crank and rod */
double slider_crank_quad(double t, double angle, double rate); /* crank angle at time t */

/* Applies the force *context, a double, to the first coordinate. */
td_status constant_force(void *context, const td_action *a);

/* A free body with three different principal moments, without gravity. */
td_model *free_body(void);

/* The seven-body squeezing mechanism (Andrews; Hairer and Wanner, Solving ODEs II, VII.7), driven
   by `mom` at its first joint. Its spring is a user-supplied force. */
td_model *squeezer(void);
extern const char *const squeezer_joints[7];
extern const double squeezer_start[7], squeezer_end[7], squeezer_end_rate[7];
/* Computes the moment of the spring about the joint of body K3 at its angle, and the spring's
   energy. */
double squeezer_spring(double gamma, double *energy);
enum { SQUEEZER_DRIVE_MNM = 33 };

#endif
