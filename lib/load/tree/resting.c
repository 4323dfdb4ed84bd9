/* SPDX-License-Identifier: MIT */
/*
 * That there are no idle motions, body by body from the root on. A body can do what its parent can
 * and its joint adds, as far as its own rows allow, whatever other children of the parent forbid:
 * at most six motions, and mostly none or, of a rod, one about its axis. A body that can do nothing
 * keeps its parent at rest: its motion would need those of the parent and the joint that make it,
 * of which it allows none. Where all bodies come to rest so there is no idle motion, in a time that
 * grows with the number of bodies, where the null space of all rows takes its cube: beams of
 * thousands of rods are such.
 */
#include "load/tree/idle.h"

#include <math.h>
#include <string.h>

#include "base/null_space.h"

enum { MOTION = 6 };

/* what is left of a motion that is not a sum of others, at least */
static const double independent = 1e-6;

typedef struct search {
    td_idle_rows under;
    td_arena *temporary;
    int *first, *next; /* per body: its first row; per row: the next one of its body; −1 */
    int *count;        /* per body: of what it can do */
    double *motions;   /* per body: MOTION of them, MOTION numbers each */
} search;

/* as long as each other whatever the unit of length is */
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

/* One more motion of a body, at right angles to those it has. False where it is none of its own. */
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

/* The motions of which those of a body are sums: its parent's, those of its joint. How many. */
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

/* What a body can do. *told: false where its motions do not tell those that they are made of. */
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
    if (!A || !td_find_null_space(s->temporary, parts, A, &null))
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
            continue; /* its joint takes no part */
        if (!find_motions(&s, (int)b, &told))
            return false;
    }
    for (size_t b = tree->bodies;
         b-- > 0 && told;) { /* none is left where a child can do nothing */
        const int above = tree->body[b].parent;
        told = s.count[b] == 0;
        if (told && above >= 0)
            s.count[above] = 0;
    }
    *rest = told;
    return true;
}
