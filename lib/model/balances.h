/* SPDX-License-Identifier: MIT */
/*
 * What held coordinates move (td_balances), of a choice of them.
 */
#ifndef TD_MODEL_BALANCES_H
#define TD_MODEL_BALANCES_H

#include "model/loops.h"

/* Fills held and moved, whose arrays are there, with room for an entry of each of rate and one more
   for each velocity of the tree. place: per coordinate of ẇ, then per velocity of the tree, the
   number of the held coordinate that it is, −1 for none. */
void td_balances_fill(td_balances *balances, const td_csr *rate, const int *place);

#endif
