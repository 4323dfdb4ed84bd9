/* SPDX-License-Identifier: MIT */
/*
 * Frames, rotations and symmetric matrices in double: what is folded into the tree at load.
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
td_vec3 td_vec3_cross(td_vec3 a, td_vec3 b);
/* a + times · b */
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
/* outer ← middle ← inner */
td_frame3 td_frame3_compose(td_frame3 outer, td_frame3 inner);

/* About a unit vector: cos 1 + (1 − cos) a aᵀ + sin a×. */
td_mat3 td_rotation_about(td_vec3 axis, double angle);
/* The smallest rotation that takes z to the unit vector axis; about x where axis is −z. */
td_mat3 td_rotation_to_axis(td_vec3 axis);
/* A rotation that takes z to the unit vector axis; where that is x or y it only renames axes. */
td_mat3 td_frame_along(td_vec3 axis);

/* Whether R does nothing but give axes other names or turn them backwards: its column j is then
   sign[j] times the axis[j]-th of x, y and z. */
bool td_renames_axes(td_mat3 R, int axis[3], double sign[3]);
/* R, or where rounding is all that keeps it from that the rotation that does so. */
td_mat3 td_rotation_rounded(td_mat3 R);

/* Whether RᵀR = 1 and det R = 1 to 1e-6. */
bool td_is_rotation(const double rotation[9]);

/* R I Rᵀ */
td_sym3 td_sym3_rotate(td_mat3 R, td_sym3 I);
/* I about a point that is c away from the centre of mass: I + m (c² 1 − c cᵀ) */
td_sym3 td_sym3_shift(td_sym3 I, double mass, td_vec3 c);
td_sym3 td_sym3_add(td_sym3 a, td_sym3 b);

#endif
