/* SPDX-License-Identifier: MIT */
/*
 * Drives: which motors move which independent velocities.
 */
#ifndef TD_DRIVES_H
#define TD_DRIVES_H

#include <stdbool.h>
#include <stddef.h>

/* Motors and the independent velocities that they move; no other motor moves those, and these
   motors no others. */
typedef struct td_drive {
    int motors, motor;           /* how many, and the first of them in td_drives.motor */
    int coordinates, coordinate; /* how many, and the first of them in td_drives.coordinate */
} td_drive;

typedef struct td_drives {
    size_t count;
    td_drive *drive;
    int *motor;      /* rows of M_u, drive by drive */
    int *coordinate; /* columns of M_u, drive by drive; those of floating joints that no motor moves
                        are in none */
    int *local;      /* per independent velocity: its place in its drive, −1 for none */
    bool others;     /* rows have entries of coordinates that are in none, as of charts */
} td_drives;

#endif
