/* SPDX-License-Identifier: MIT */
/*
 * Closed forms of the bundled mechanisms with loops: tree configurations with closed loops, from
 * lengths and angles in papers and not from the model's closure. Each takes parameters p: an input
 * angle, cranks, or the pose of a platform. It fills all joints of the tree except a floating base,
 * and returns false where the mechanism cannot be assembled.
 */
#ifndef TD_MECHANISMS_H
#define TD_MECHANISMS_H

#include "td_test.h"

typedef bool td_closed_form(const td_model *model, const double *p, double *q);

td_closed_form td_four_bar_form;   /* p: crank from its reference */
td_closed_form td_stephenson_form; /* p: θ2; both robots, selected by the model's name */
td_closed_form td_leg_form;        /* p: crank from 90°; PASIBOT and LARM */
td_closed_form td_five_bar_form;   /* p: A and O from their reference */
td_closed_form td_capaman_form;    /* p: cranks from upright */
td_closed_form td_goldberg_5r_form;
td_closed_form td_goldberg_6r_form; /* p: θ1 from its reference */
td_closed_form td_spherical_form;   /* p: x1, x2, x3 of the platform's quaternion, x0 = 1 */
td_closed_form td_stewart_form;     /* p: position and rpy of platform 2, from the reference */
td_closed_form td_linear_leg_form;  /* p: the six angles of the leg */

/* Computes coupler angle (relative to the crank) and rocker angle of a four-bar by Freudenstein's
   equation and the half-angle formula; branch is ±1. */
typedef struct td_four_bar {
    double crank, coupler, rocker, ground;
} td_four_bar;
bool td_four_bar_angles(const td_four_bar *bars, double crank, int branch, double angles[2]);

/* Computes θ3, θ4, θ6, θ7 of a Stephenson III linkage (column 0 or 1 of the paper's table);
   branches are ±1. */
bool td_stephenson_angles(int column, double theta2, const int branch[2], double angles[4]);

/* Computes θ7, θ9, θ6, θ3, θ10 of PASIBOT at the crank angle θ8 (equations 6 to 8, brackets
   restored). */
void td_leg_angles(double theta8, double angles[5]);

/* Computes the platform of CaPaMan at α (rad): center H, rotation, slides. */
bool td_capaman_platform(const double alpha[3], double H[3], double R[9], double slide[3]);

/* Computes θ1 to θ5 of the 5R, or θ1 to θ6 of the 6R on form ±1. Returns false where no solution
   exists. */
void td_goldberg_5r(double theta1, double theta[5]);
bool td_goldberg_6r(double theta1, int form, double theta[6]);

/* Computes the rotation of the quaternion (1, x), scalar first, of any length. */
void td_rotation_of(const double x[3], double R[9]);

/* Computes the lengths of the linear leg's actuators and their derivatives with respect to the
   angles (4 × 6). Actuators: hip, knee, left and right ankle, relative to the reference. */
void td_linear_leg_lengths(const double *p, double lengths[4], double J[24]);

void td_set_joint(const td_model *model, double *q, const char *joint, double value);

#endif
