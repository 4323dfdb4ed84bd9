/* SPDX-License-Identifier: MIT */
/*
 * Finds the constrained coordinates that move each velocity of the tree, and the reverse.
 */
#include "model/balances.h"

/* Fills, per velocity of the tree, the constrained coordinates that move it. */
static void fill_held(td_csr *A, const td_csr *rate, const int *place)
{
    int n = 0;
    A->row[0] = 0;
    for (int v = 0; v < A->rows; v++) {
        for (int e = rate->row[v]; e < rate->row[v + 1]; e++)
            if (place[rate->column[e]] >= 0) {
                A->column[n] = place[rate->column[e]];
                A->value[n++] = rate->value[e];
            }
        if (place[rate->columns + v] >= 0) {
            A->column[n] = place[rate->columns + v];
            A->value[n++] = 1;
        }
        A->row[v + 1] = n;
    }
}

static void transpose(const td_csr *A, td_csr *T)
{
    const int entries = A->row[A->rows];
    for (int i = 0; i <= T->rows; i++)
        T->row[i] = 0;
    for (int e = 0; e < entries; e++)
        T->row[A->column[e] + 1]++;
    for (int i = 0; i < T->rows; i++)
        T->row[i + 1] += T->row[i];
    for (int i = A->rows; i-- > 0;) /* backwards: row[j + 1] decreases to the start of row j */
        for (int e = A->row[i + 1]; e-- > A->row[i];) {
            const int at = --T->row[A->column[e] + 1];
            T->column[at] = i;
            T->value[at] = A->value[e];
        }
    for (int i = 0; i < T->rows; i++)
        T->row[i] = T->row[i + 1];
    T->row[T->rows] = entries;
}

void td_balances_fill(td_balances *balances, const td_csr *rate, const int *place)
{
    fill_held(&balances->held, rate, place);
    transpose(&balances->held, &balances->moved);
}
