/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 113 bits, with which tests measure the rounding error of the other reals: __float128,
 * or long double where it has 113 bits (aarch64, s390x). glibc has the functions of __float128;
 * elsewhere libquadmath, which comes with GCC, provides them.
 */
#ifndef TD_QUAD_H
#define TD_QUAD_H

#include <float.h>
#include <math.h>

#if defined(__SIZEOF_FLOAT128__)

__extension__ typedef __float128 quad;

#if !defined(__GLIBC__)
#define sinf128 sinq
#define cosf128 cosq
#define sqrtf128 sqrtq
#define atan2f128 atan2q
#endif

/* not every compiler declares these */
quad sinf128(quad), cosf128(quad), sqrtf128(quad), atan2f128(quad, quad);

#elif LDBL_MANT_DIG == 113

typedef long double quad;
#define sinf128 sinl
#define cosf128 cosl
#define sqrtf128 sqrtl
#define atan2f128 atan2l

#else
#error "there are no numbers of 113 bits here, which the tests need (-Dtests=disabled)"
#endif

#endif
