/* SPDX-License-Identifier: MIT */
/*
 * Frames, rotations and symmetric matrices in double precision, for building the tree at load.
 */
#ifndef TD_FRAME_H
#define TD_FRAME_H

#include <stdbool.h>

#include "base/vector.h"
#include "tandem/records.h"

td_mat3 td_mat3_from(const double rows[9]);
td_mat3 td_mat3_mul(td_mat3 a, td_mat3 b);
td_mat3 td_mat3_transpose(td_mat3 a);
td_vec3 td_mat3_apply(td_mat3 a, td_vec3 v);
td_vec3 td_vec3_from(const double v[3]);
td_vec3 td_vec3_add(td_vec3 a, td_vec3 b);
double td_vec3_dot(td_vec3 a, td_vec3 b);
double td_vec3_length(td_vec3 a);
td_vec3 td_vec3_cross(td_vec3 a, td_vec3 b);
/* Returns a + times · b. */
td_vec3 td_vec3_along(td_vec3 a, double times, td_vec3 b);

/* x_outer = rotation · x_inner + position */
typedef struct td_frame3 {
    td_mat3 rotation;
    td_vec3 position;
} td_frame3;

#define TD_FRAME3_IDENTITY                                                                         \
    {                                                                                              \
        {1, 0, 0, 0, 1, 0, 0, 0, 1},                                                               \
        {                                                                                          \
            0, 0, 0                                                                                \
        }                                                                                          \
    }

td_frame3 td_frame3_from(const td_pose *pose);
/* Returns the composition outer ← middle ← inner. */
td_frame3 td_frame3_compose(td_frame3 outer, td_frame3 inner);

/* Returns the rotation about a unit vector: cos 1 + (1 − cos) a aᵀ + sin a×. */
td_mat3 td_rotation_about(td_vec3 axis, double angle);
/* Returns the smallest rotation that takes z to the unit vector axis; half a turn about x if
   axis is −z. */
td_mat3 td_rotation_to_axis(td_vec3 axis);
/* Returns a rotation that takes z to the unit vector axis. For x and y it only permutes axes. */
td_mat3 td_frame_along(td_vec3 axis);

/* Returns whether R only permutes and reverses axes. Column j is then sign[j] times the unit
   vector axis[j]. */
bool td_renames_axes(td_mat3 R, int axis[3], double sign[3]);
/* Returns R, or the exact axis permutation if R differs from one only by rounding. */
td_mat3 td_rotation_rounded(td_mat3 R);

/* Returns whether RᵀR = 1 and det R = 1 to 1e-6. */
bool td_is_rotation(const double rotation[9]);

/* Converts a matrix given as xx, xy, xz, yy, yz, zz. */
td_sym3 td_sym3_from(const double entries[6]);
/* Returns R I Rᵀ. */
td_sym3 td_sym3_rotate(td_mat3 R, td_sym3 I);
/* Returns I about a point at the distance c from the center of mass: I + m (c² 1 − c cᵀ). */
td_sym3 td_sym3_shift(td_sym3 I, double mass, td_vec3 c);
td_sym3 td_sym3_add(td_sym3 a, td_sym3 b);

#endif
