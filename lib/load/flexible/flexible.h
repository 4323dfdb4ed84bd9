/* SPDX-License-Identifier: MIT */
/*
 * Flexible links: the beam that a record describes.
 */
#ifndef TD_FLEXIBLE_H
#define TD_FLEXIBLE_H

#include "base/frame.h"
#include "load/build.h"

/* A kind of elastic joint. Every station of a beam has one of each kind. */
typedef struct td_elastic {
    const char *name; /* "bend", "bend2" or "twist" */
    td_vec3 axis;
    double stiffness, damping; /* N m/rad, N m s/rad */
} td_elastic;

typedef struct td_beam {
    const td_flexible *record;
    double h;           /* distance between stations */
    double first, last; /* lengths of the first and the last piece, in units of h */
    td_vec3 axis, across, third;
    double rotary[3]; /* rotary inertia per length about axis, across, third */
    td_elastic elastic[3];
    int kinds;
} td_beam;

/* ---- load/flexible/beam.c -------------------------------------------------------------------- */

/* Computes the beam of a checked record. */
td_beam td_beam_of(const td_flexible *record);

/* Computes the direction of the first bending, of unit length. Returns false if the given direction
   is along the axis. */
bool td_beam_across(const td_flexible *record, td_vec3 *across);

/* Sets link's inertial to the inertia of a part of the beam with this length and midpoint s. */
void td_beam_inertia(const td_beam *beam, double s, double length, td_link *link);

/* Reports errors of the records and normalizes their axes. link[i]: index of the link of record
   i, −1 if the record is invalid. Returns false if memory runs out
   (load/flexible/flexible_check.c). */
bool td_check_flexible(td_build *build, int *link);

#endif
