/* SPDX-License-Identifier: MIT */
/*
 * Coordinate partitioning: elimination of K with pivots, and the choice of coordinates by swaps
 * that enlarge the determinant of K_d until no entry of G is large (the maximum volume of Knuth
 * 1985).
 */
#include <math.h>
#include <string.h>

#include "partition.h"

/* A pivot this much smaller than the largest is none. */
static const double RANK = 1e-9;
/* A position is singular where pivots are this much smaller than they have been. Velocities lose
   the square of that: 8 digits are left here. Nearer, no step keeps the integrator's tolerances,
   and a motion creeps to its end. */
static const double SINGULAR = 1e-4;
/* Swaps go on while one makes the determinant of K_d larger than by this factor. */
static const double ENOUGH = 2;

/* ---- which loop ------------------------------------------------------------------------------ */

void td_partition_blame(td_partition *p, size_t row)
{
    for (size_t i = 0; i < td_loop_count(p->model); i++) {
        const td_loop_place place = td_loop_place_at(p->model, i);
        const int at = (int)row - place.constraint;
        if (place.constraint_count > 0 && at >= 0 && at < place.constraint_count)
            p->failed_loop = (int)i;
    }
}

/* Rows that had a pivot and have none any more; where none stands out, that of the smallest. */
static void blame_rows(td_partition *p)
{
    if (p->count > 0)
        td_partition_blame(p, p->row[p->count - 1]);
    for (size_t i = 0; i < p->rows; i++)
        if (p->decided[i] && p->largest[i] >= 0)
            td_partition_blame(p, i);
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* The largest scaled entry of row i in columns that may become pivots. */
static void find_largest(td_partition *p, size_t i)
{
    const double *row = p->K + i * p->nv;
    p->largest[i] = 0;
    for (size_t j = 0; j < p->nv; j++)
        if (p->allowed[j] && fabs(row[j]) * p->scale[j] > p->largest[i]) {
            p->largest[i] = fabs(row[j]) * p->scale[j];
            p->largest_at[i] = j;
        }
}

/* Gauss and Jordan's step: the row divided by its pivot and taken from all others, whose factors
   stay in the column of the pivot. */
static void take_from_others(td_partition *p, size_t n, bool search)
{
    const size_t r = p->row[n], c = p->column[n], nv = p->nv;
    double *const from = p->K + r * nv;
    p->pivot[n] = from[c];
    p->pivoted[c] = 1;
    for (size_t j = 0; j < nv; j++)
        if (!p->pivoted[j])
            from[j] /= p->pivot[n];
    for (size_t i = 0; i < p->rows; i++) {
        double *to = p->K + i * nv;
        const double factor = to[c];
        if (i == r || factor == 0)
            continue;
        for (size_t j = 0; j < nv; j++)
            if (!p->pivoted[j])
                to[j] -= factor * from[j];
        if (search && p->largest[i] >= 0)
            find_largest(p, i);
    }
}

/* Pivots n, n + 1, … in columns that are allowed and the first rows, the largest first, until there
   are none or as many as decide. */
static size_t pivot_in(td_partition *p, size_t n, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (p->largest[i] >= 0)
            find_largest(p, i);
    double first = 0;
    while (n < p->count) {
        size_t best = rows;
        for (size_t i = 0; i < rows; i++)
            if (p->largest[i] > (best < rows ? p->largest[best] : 0))
                best = i;
        if (best == rows || p->largest[best] < RANK * first)
            break;
        first = fmax(first, p->largest[best]);
        p->ratio = p->largest[best] / first;
        p->row[n] = best;
        p->column[n] = p->largest_at[best];
        p->largest[best] = -1; /* is taken */
        p->allowed[p->column[n]] = 0;
        take_from_others(p, n++, true);
    }
    return n;
}

/* Pivots of p->K, those of the followers first; NULL: in any column, else only where among is not
   0. False where they are too few, or as small as in a singular position. */
static bool find_pivots(td_partition *p, const unsigned char *among)
{
    static const td_part parts[] = {TD_PART_FOLLOWS, TD_PART_DECLINED, TD_PART_FREE};
    size_t n = 0;
    memset(p->pivoted, 0, p->nv);
    for (size_t i = 0; i < p->rows; i++)
        p->largest[i] = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (size_t j = 0; j < p->nv; j++)
            p->allowed[j] = p->part[j] == parts[pass] && (!among || among[j]);
        n = pivot_in(p, n, pass == 0 ? p->linear : p->rows);
    }
    return n == p->count && p->ratio >= SINGULAR * p->regular;
}

bool td_partition_eliminate(td_partition *p)
{
    double largest = 0;
    memset(p->pivoted, 0, p->nv);
    for (size_t n = 0; n < p->count; n++) {
        const double pivot = p->K[p->row[n] * p->nv + p->column[n]];
        const double size = fabs(pivot) * p->scale[p->column[n]];
        largest = p->row[n] >= p->linear ? fmax(largest, size) : largest;
        if (!(pivot / p->first_pivot[n] > SINGULAR) ||
            size < 0.1 * SINGULAR * p->regular * largest) {
            td_partition_blame(p, p->row[n]);
            return false;
        }
        take_from_others(p, n, false);
    }
    return true;
}

void td_partition_apply(const td_partition *p, double *b)
{
    for (size_t n = 0; n < p->count; n++) {
        const size_t r = p->row[n];
        b[r] /= p->pivot[n];
        for (size_t i = 0; i < p->rows && b[r] != 0; i++)
            if (i != r)
                b[i] -= p->K[i * p->nv + p->column[n]] * b[r];
    }
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* K at q, eliminated with this choice, or where that is singular with the best of all. */
static td_status eliminate_at(td_partition *p, const double *q)
{
    td_status status = td_constraint_jacobian(p->model, p->w, q, p->K);
    if (status != TD_OK || find_pivots(p, p->dependent))
        return status;
    status = td_constraint_jacobian(p->model, p->w, q, p->K);
    if (status != TD_OK || find_pivots(p, NULL))
        return status;
    blame_rows(p);
    return TD_ERROR_CLOSURE_SINGULAR;
}

/* The places of u, from p->column: those of joints that have become dependent go to the others. */
static bool assign(td_partition *p)
{
    memset(p->dependent, 0, p->nv);
    for (size_t n = 0; n < p->count; n++)
        p->dependent[p->column[n]] = 1;
    bool changed = false;
    size_t next = 0;
    for (size_t i = 0; i < p->nyd; i++) /* marks who has a place */
        if (!p->dependent[p->u_qd[i]])
            p->dependent[p->u_qd[i]] = 2;
    for (size_t i = 0; i < p->nyd; i++) {
        if (p->dependent[p->u_qd[i]] != 1)
            continue;
        while (p->dependent[next] != 0)
            next++;
        for (size_t k = 0; k < p->ny; k++)
            if (p->u_q[k] == p->q_of[p->u_qd[i]]) {
                p->u_q[k] = p->q_of[next];
                break;
            }
        p->u_qd[i] = next++;
        changed = true;
    }
    for (size_t j = 0; j < p->nv; j++)
        p->dependent[j] = p->dependent[j] == 1;
    return changed;
}

/* The swap that enlarges the determinant of K_d most, and by how much; of p->K as eliminated. */
static double best_swap(const td_partition *p, size_t *pivot, size_t *column)
{
    double best = 0;
    for (size_t n = 0; n < p->count; n++) {
        if (p->part[p->column[n]] != TD_PART_FREE)
            continue;
        const double *row = p->K + p->row[n] * p->nv;
        for (size_t i = 0; i < p->nyd; i++) {
            const size_t j = p->u_qd[i];
            const double gain = fabs(row[j]) * p->scale[j] / p->scale[p->column[n]];
            if (p->part[j] != TD_PART_FREE || gain <= best)
                continue;
            best = gain;
            *pivot = n;
            *column = j;
        }
    }
    return best;
}

static td_status improve(td_partition *p, const double *q, bool *swapped)
{
    td_status status = eliminate_at(p, q);
    if (status != TD_OK)
        return status;
    *swapped = assign(p);
    size_t n = 0, j = 0;
    for (size_t k = 0; k < 4 * p->nyd && best_swap(p, &n, &j) > ENOUGH; k++) {
        p->column[n] = j;
        *swapped |= assign(p);
        status = eliminate_at(p, q);
        if (status != TD_OK)
            return status;
        *swapped |= assign(p);
    }
    return TD_OK;
}

/* The choice as it was made last, which what is tried in vain does not change. */
static void swap_kept(td_partition *p, bool recall)
{
    size_t *const lists[] = {p->u_q, p->u_qd, p->row, p->column};
    const size_t lengths[] = {p->ny, p->nyd, p->count, p->count};
    size_t at = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; at += lengths[i++]) {
        size_t *const kept = p->kept + at;
        memcpy(recall ? lists[i] : kept, recall ? kept : lists[i], lengths[i] * sizeof *kept);
    }
    memcpy(recall ? p->dependent : p->kept_dependent, recall ? p->kept_dependent : p->dependent,
           p->nv);
}

td_status td_partition_choose(td_partition *p, const double *q, bool *swapped)
{
    td_status status = improve(p, q, swapped);
    if (status != TD_OK) {
        *swapped = false;
        swap_kept(p, true);
        return status;
    }
    memcpy(p->first_pivot, p->pivot, p->count * sizeof *p->pivot);
    memcpy(p->q, q, p->nq * sizeof *q);
    p->regular = fmax(p->regular, p->ratio);
    memset(p->decided, 0, p->rows);
    for (size_t i = 0; i < p->count; i++)
        p->decided[p->row[i]] = 1;
    swap_kept(p, false);
    return TD_OK;
}

bool td_partition_allows_y(td_partition *p, const double *q, double most)
{
    if (td_constraint_jacobian(p->model, p->w, q, p->K) != TD_OK || !find_pivots(p, p->of_y))
        return false;
    for (size_t n = 0; n < p->count; n++) {
        const double *row = p->K + p->row[n] * p->nv;
        for (size_t i = 0; i < p->nyd && p->part[p->column[n]] == TD_PART_FREE; i++) {
            const size_t j = p->y_qd[i];
            if (p->part[j] == TD_PART_FREE &&
                fabs(row[j]) * p->scale[j] > most * p->scale[p->column[n]])
                return false;
        }
    }
    return true;
}

static void choose_y(td_partition *p)
{
    memcpy(p->u_q, p->y_q, p->ny * sizeof *p->u_q);
    memcpy(p->u_qd, p->y_qd, p->nyd * sizeof *p->u_qd);
    memcpy(p->dependent, p->of_y, p->nv);
}

td_status td_partition_reset(td_partition *p, const double *q)
{
    choose_y(p);
    td_status status = td_constraint_jacobian(p->model, p->w, q, p->K);
    if (status == TD_OK)
        status = td_tree_link_poses(p->model, p->w, q, p->poses);
    if (status == TD_OK)
        td_partition_measure(p);
    if (status == TD_OK && find_pivots(p, NULL))
        p->regular = fmax(p->regular, p->ratio);
    return status;
}
