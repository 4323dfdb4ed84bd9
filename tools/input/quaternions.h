/* SPDX-License-Identifier: MIT */
/*
 * Completes and normalizes quaternions in positions from the user.
 */
#ifndef TOOL_QUATERNIONS_H
#define TOOL_QUATERNIONS_H

#include <stdbool.h>

#include "input/coordinates.h"

/* Sets missing components of a partly given quaternion to 0, including qw. given: per position. */
void complete_quaternions(const coordinates *c, const bool *given, double *position);

/* Normalizes the quaternions of a position. Returns TD_NONE, or the joint whose quaternion's norm
   differs from 1 by more than 1e-6; *norm receives that norm. */
size_t normalize_quaternions(const coordinates *c, double *position, double *norm);

#endif
