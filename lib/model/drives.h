/* SPDX-License-Identifier: MIT */
/*
 * Drives: the finest partition of motors and independent velocities in which no motor moves a
 * velocity of another drive.
 */
#ifndef TD_DRIVES_H
#define TD_DRIVES_H

#include <stdbool.h>
#include <stddef.h>

/* Motors and the independent velocities that they move. No other motor moves these velocities, and
   these motors move no others. */
typedef struct td_drive {
    int motors, motor; /* number of motors, and index of the first one in td_drives.motor */
    int coordinates, coordinate; /* number of them, and the first one in td_drives.coordinate */
} td_drive;

typedef struct td_drives {
    size_t count;
    td_drive *drive;
    int *motor;      /* rows of M_u, sorted by drive */
    int *coordinate; /* columns of M_u, sorted by drive; velocities of floating and flexible joints
                        that no motor moves are omitted */
    int *local;      /* per independent velocity: index in its drive, −1 for none */
    bool others;     /* rows of M_u have entries in columns of no drive, as in charts */
} td_drives;

#endif
