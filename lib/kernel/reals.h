/* SPDX-License-Identifier: MIT */
/*
 * Arrays of reals as the library sees them: what a real is, and its size, kernels know.
 */
#ifndef TD_REALS_H
#define TD_REALS_H

typedef void td_reals;

#endif
