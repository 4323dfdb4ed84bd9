/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a body with a given inertia fits into the box of its shapes. All points of a
 * box are within half its diagonal of its center. No radius of gyration about the center of mass
 * can be larger. It only needs the C library, because the command, which reads meshes, uses it
 * too.
 */
#ifndef TD_SHAPE_INERTIA_H
#define TD_SHAPE_INERTIA_H

#include <stdbool.h>

#include "base/private.h"
#include "tandem/records.h"

typedef struct td_shape_text {
    char message[240], remedy[240];
} td_shape_text;

/* Returns true and writes a message if the inertia is too large for the box. `moment` is the
   largest principal moment, `diagonal` the box's diagonal, and `what` the word "shapes" or
   similar. If the inertia would be valid about the link's origin, a frequent mistake, the remedy
   gives it about the center of mass. */
TD_PRIVATE bool td_inertia_exceeds(const td_link *link, double moment, double diagonal,
                                   const char *what, td_shape_text *text);

#endif
