/* SPDX-License-Identifier: MIT */
/*
 * Types for arrays of reals and of packed 3-vectors. They are complete types inside kernels and
 * void elsewhere, because the contents and the size depend on the kernel.
 */
#ifndef TD_REALS_H
#define TD_REALS_H

#if defined(TD_REAL_DOUBLE) || defined(TD_REAL_LANES) || defined(TD_REAL_QUAD) ||                  \
    defined(TD_REAL_COMPLEX)
#include "kernel/real/packed3.h"
typedef real td_reals;
typedef packed3 td_packed3;
#else
typedef void td_reals;
typedef void td_packed3;
#endif

#endif
