/* SPDX-License-Identifier: MIT */
/*
 * Flexible links: the beam of a record, as its chain and its checks see it.
 */
#ifndef TD_FLEXIBLE_H
#define TD_FLEXIBLE_H

#include "base/frame.h"
#include "load/build.h"

/* A kind of joint that every station of a beam has. */
typedef struct td_elastic {
    const char *name; /* "bend", "bend2" or "twist" */
    td_vec3 axis;
    double stiffness, damping; /* N m/rad, N m s/rad */
} td_elastic;

typedef struct td_beam {
    const td_flexible *record;
    double h;           /* between stations */
    double first, last; /* lengths of the pieces at the ends, in units of h */
    td_vec3 axis, across, third;
    double rotary[3]; /* inertia of a cross section about them, per length */
    td_elastic elastic[3];
    int kinds;
} td_beam;

/* ---- load/flexible/beam.c
 * ------------------------------------------------------------------------------
 */

/* Of a record that was checked. */
td_beam td_beam_of(const td_flexible *record);

/* The direction of the first bending, of unit length; false where there is none across the axis. */
bool td_beam_across(const td_flexible *record, td_vec3 *across);

/* The inertial of the part of that length whose middle is at s, as one of the link. */
void td_beam_inertia(const td_beam *beam, double s, double length, td_link *link);

/* Reports what is wrong with the records, of which it scales the axes: link[i] is the index of the
   link of the i-th one, −1 where it is not sound. False without memory.
   load/flexible/flexible_check.c */
bool td_check_flexible(td_build *build, int *link);

#endif
