/* SPDX-License-Identifier: MIT */
/*
 * The velocities of the tree that constrained coordinates (td_balances) move.
 */
#ifndef TD_MODEL_BALANCES_H
#define TD_MODEL_BALANCES_H

#include "model/loops.h"

/* Fills held and moved. The arrays are allocated, with capacity for the entries of rate plus one
   for each velocity of the tree. place: per coordinate of ẇ, then per velocity of the tree, its
   index among the constrained coordinates, −1 for none. */
void td_balances_fill(td_balances *balances, const td_csr *rate, const int *place);

#endif
