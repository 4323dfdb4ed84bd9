/* SPDX-License-Identifier: MIT */
/*
 * Compares the residuals of recorded points with the noise of the recording. If residuals are much
 * larger, the model does not fit: lengths, axes or the points on the links are wrong.
 */
#ifndef TOOL_MARKER_NOISE_H
#define TOOL_MARKER_NOISE_H

#include "commands/ik_markers.h"

typedef struct marker_noise {
    const marker_list *points;
    double given;        /* standard deviation of a coordinate (m); NaN: found from the points */
    double freedom;      /* number of coordinates minus the number of unknowns they determine */
    double *square;      /* per point: sum of squared distances (m²) */
    size_t *count;       /* per point: number of rows */
    double *time, *kept; /* the first rows: times, and 3 coordinates per point */
    size_t rows, capacity;
} marker_noise;

/* noise: standard deviation of a coordinate (m); NaN: not given. */
marker_noise marker_noise_new(const marker_list *points, double noise);
void marker_noise_free(marker_noise *n);

/* Adds a row: the positions (3 each) and residuals (2 each, the first is the distance) of the
   points that are present, and the number of coordinates of the robot that move them. */
void marker_noise_add(marker_noise *n, double time, const double *position, const double *left,
                      size_t determined);

/* Returns the noise that was given, or its estimate from differences of consecutive rows, which is
   too large if the motion between rows is fast or irregular. Returns NaN for fewer than 16 rows. */
double marker_noise_level(const marker_noise *n);

/* Prints a warning if residuals exceed the noise by a factor of three. */
void marker_noise_tell(const marker_noise *n);

/* Prints the warning for a standard deviation of residuals (m). worst: a point and the root mean
   square of its distances. */
void tell_misfit(double residual, double noise, const char *worst, double distance,
                 const char *remedy);

/* Returns whether a standard deviation of residuals (m) is too large for this noise (NaN: unknown).
 */
bool is_misfit(double residual, double noise);

#endif
