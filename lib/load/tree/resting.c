/* SPDX-License-Identifier: MIT */
/*
 * Shows body by body, from the root on, that there are no massless motions. A body can move as its
 * parent can, plus its joint's motion, restricted by its own rows; other children of the parent are
 * ignored. This gives at most six independent motions. Usually there are none, or one for a rod,
 * about its axis. A body that cannot move keeps its parent at rest: no combination of the parent's
 * and the joint's motions satisfies its rows. If all bodies come to rest in this way, there is no
 * massless motion. The time is proportional to the number of bodies. The null space of all rows
 * would take its cube, which matters for beams with thousands of rods.
 */
#include "load/tree/idle.h"

#include <math.h>
#include <string.h>

#include "base/null_space.h"

enum { MOTION = 6 };

/* smallest part of a motion that counts as independent of others */
static const double independent = 1e-6;

typedef struct search {
    td_idle_rows under;
    td_arena *temporary;
    int *first, *next; /* per body: its first row; per row: the next row of its body; −1 ends */
    int *count;        /* per body: number of its independent motions */
    double *motions;   /* per body: MOTION motions of MOTION numbers */
} search;

/* Returns the norm of a motion, independent of the unit of length. */
static double length_of(const search *s, const double *motion)
{
    double sum = 0;
    for (int i = 0; i < MOTION; i++) {
        const double x = i < 3 ? motion[i] : motion[i] / s->under.size;
        sum += x * x;
    }
    return sqrt(sum);
}

static double product_of(const search *s, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < MOTION; i++)
        sum += i < 3 ? a[i] * b[i] : a[i] * b[i] / (s->under.size * s->under.size);
    return sum;
}

/* Adds a motion of a body, orthogonalized. Returns false if it depends on the body's other
   motions. */
static bool add_motion(search *s, int body, const double *motion)
{
    double *own = s->motions + (size_t)(MOTION * MOTION * body);
    const double length = length_of(s, motion);
    if (s->count[body] == MOTION || !(length > independent))
        return false;
    double *to = own + MOTION * s->count[body];
    for (int i = 0; i < MOTION; i++)
        to[i] = motion[i] / length;
    for (int n = 0; n < s->count[body]; n++) {
        const double part = product_of(s, own + MOTION * n, to);
        for (int i = 0; i < MOTION; i++)
            to[i] -= part * own[MOTION * n + i];
    }
    const double left = length_of(s, to);
    for (int i = 0; i < MOTION; i++)
        to[i] /= left;
    s->count[body]++;
    return left > independent;
}

/* Lists the generators of a body's motions: motions of its parent, then of its joint. Returns their
   number. */
static size_t list_parts(const search *s, int body, double *part)
{
    const td_body *b = &s->under.tree->body[body];
    const int inherited = b->parent < 0 || s->under.solid[b->parent] ? 0 : s->count[b->parent];
    if (inherited)
        memcpy(part, s->motions + (size_t)(MOTION * MOTION * b->parent),
               (size_t)(MOTION * inherited) * sizeof *part);
    for (int k = 0; k < b->nv; k++)
        for (size_t i = 0; i < MOTION; i++)
            part[(size_t)(MOTION * (inherited + k)) + i] =
                s->under.J[i * s->under.tree->nv + (size_t)(b->qd + k)];
    return (size_t)(inherited + b->nv);
}

/* Computes the motions of a body. Sets *told to false if the motions do not determine the
   coefficients of the generators. */
static bool find_motions(search *s, int body, bool *told)
{
    td_arena_scope(s->temporary);
    double part[2 * MOTION * MOTION];
    const size_t parts = list_parts(s, body, part);
    size_t rows = 0;
    for (int r = s->first[body]; r >= 0; r = s->next[r])
        rows++;
    td_column *A = td_columns_new(s->temporary, rows, parts);
    td_null_space null;
    size_t n = 0;
    for (int r = s->first[body]; A && r >= 0; r = s->next[r], n++)
        for (size_t k = 0; k < parts; k++)
            td_column_set(&A[k], n, td_idle_entry(&s->under.row[r], part + MOTION * k, 1));
    if (!A || !td_find_null_space(s->temporary, parts, A, TD_NULL_ROUNDED, &null))
        return false;
    for (size_t m = 0; m < null.count && *told; m++) {
        double motion[MOTION] = {0};
        for (size_t k = 0; k < parts; k++)
            for (size_t i = 0; i < MOTION; i++)
                motion[i] += null.vector[m * null.size + k] * part[MOTION * k + i];
        *told = add_motion(s, body, motion);
    }
    return true;
}

static bool open_search(search *s)
{
    const size_t bodies = s->under.tree->bodies, rows = s->under.rows;
    s->first = TD_ARENA_NEW(s->temporary, int, bodies);
    s->next = TD_ARENA_NEW(s->temporary, int, rows);
    s->count = TD_ARENA_NEW(s->temporary, int, bodies);
    s->motions = TD_ARENA_NEW(s->temporary, double, MOTION *MOTION *bodies);
    if (!s->first || !s->next || !s->count || !s->motions)
        return false;
    for (size_t b = 0; b < bodies; b++)
        s->first[b] = -1;
    for (size_t r = rows; r-- > 0;) {
        s->next[r] = s->first[s->under.row[r].body];
        s->first[s->under.row[r].body] = (int)r;
    }
    return true;
}

bool td_bodies_rest(const td_idle_rows *under, td_arena *temporary, bool *rest)
{
    td_arena_scope(temporary);
    const td_tree *tree = under->tree;
    const bool *solid = under->solid;
    search s = {.under = *under, .temporary = temporary};
    bool told = true;
    *rest = false;
    if (!open_search(&s))
        return false;
    for (size_t b = 0; b < tree->bodies && told; b++) {
        const int above = tree->body[b].parent;
        if (solid[b] && (above < 0 || solid[above]))
            continue; /* its joint cannot take part */
        if (!find_motions(&s, (int)b, &told))
            return false;
    }
    for (size_t b = tree->bodies; b-- > 0 && told;) { /* a body is at rest if a child cannot move */
        const int above = tree->body[b].parent;
        told = s.count[b] == 0;
        if (told && above >= 0)
            s.count[above] = 0;
    }
    *rest = told;
    return true;
}
