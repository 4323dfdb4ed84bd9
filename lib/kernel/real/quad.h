/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 113 bits, which tell the rounding error of the others in tests: __float128 where the
 * compiler has it, and long double where that is as long (aarch64, s390x). Functions of __float128
 * are in glibc, and elsewhere in libquadmath, which GCC brings.
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

/* not every compiler declares them */
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
