/* SPDX-License-Identifier: MIT */
/*
 * Whether a body with some inertia can be within the box of its shapes. What is in a box is within
 * half its diagonal of the box's center, so that no radius of gyration about the center of mass is
 * more than that. It needs nothing but the C library: the command, which reads meshes, asks too.
 */
#ifndef TD_SHAPE_INERTIA_H
#define TD_SHAPE_INERTIA_H

#include <stdbool.h>

#include "tandem/records.h"

typedef struct td_shape_text {
    char message[240], remedy[240];
} td_shape_text;

/* moment: the largest principal one; diagonal: of the box. Where the inertia is too large for the
   box, true and what to say of it: the remedy has the inertia about the center of mass where what
   is written fits the link's origin, about which it is often given by mistake. what: "shapes" */
bool td_inertia_exceeds(const td_link *link, double moment, double diagonal, const char *what,
                        td_shape_text *text);

#endif
