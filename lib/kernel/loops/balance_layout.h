/* SPDX-License-Identifier: MIT */
/*
 * The scratch of the forces of loops, in reals: see kernel/loops/balance.c.
 */
#ifndef TD_BALANCE_LAYOUT_H
#define TD_BALANCE_LAYOUT_H

#include "kernel/layout.h"
#include "model/loops.h"

static inline td_balance_layout td_balance_layout_of(const td_balances *b, size_t loops)
{
    size_t matrix = 0, rows = 0, held = 0;
    for (size_t n = 0; n < b->count; n++) {
        const size_t m = (size_t)b->set[n].rows, x = (size_t)b->set[n].held;
        matrix = m * x > matrix ? m * x : matrix;
        rows = m > rows ? m : rows;
        held = x > held ? x : held;
    }
    td_balance_layout l = {.loops = loops};
    l.wrench = td_layout_piece(&l.reals, b->loops ? 6 * loops : 0);
    l.motor = td_layout_piece(&l.reals, b->loops ? loops : 0);
    l.A = td_layout_piece(&l.reals, matrix);
    l.R = td_layout_piece(&l.reals, held * held);
    l.part = td_layout_piece(&l.reals, held);
    l.lambda = td_layout_piece(&l.reals, rows);
    l.unit = td_layout_piece(&l.reals, rows);
    return l;
}

#endif
