/* SPDX-License-Identifier: MIT */
/*
 * Vectors and 3 × 3 matrices in double precision, as stored in a model.
 */
#ifndef TD_VECTOR_H
#define TD_VECTOR_H

typedef struct td_vec3 {
    double x, y, z;
} td_vec3;

typedef struct td_mat3 {
    double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} td_mat3;

typedef struct td_sym3 {
    double xx, xy, xz, yy, yz, zz;
} td_sym3;

#endif
