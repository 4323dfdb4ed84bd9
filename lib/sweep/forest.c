/* SPDX-License-Identifier: MIT */
/*
 * Moments in a binary tree over the leaves of all rows.
 */
#include "sweep/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- moments --------------------------------------------------------------------------------- */

/* A leaf is summed in lanes, which are added in pairs at the end: the same on all processors. */
typedef double lanes __attribute__((vector_size(16)));
enum { LANE = 2, ABREAST = 4, STRIDE = LANE * ABREAST };

static inline lanes load(const double *x)
{
    lanes v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline double total(const lanes s[ABREAST])
{
    const lanes v = (s[0] + s[1]) + (s[2] + s[3]);
    return v[0] + v[1];
}

/* Returns Σ x · scale. */
static double sum(const double *x, size_t n, double scale)
{
    lanes s[ABREAST] = {{0}};
    const lanes by = {scale, scale};
    size_t i = 0;
    for (; i + STRIDE <= n; i += STRIDE)
        for (size_t k = 0; k < ABREAST; k++)
            s[k] += load(x + i + k * LANE) * by;
    double rest = 0;
    for (; i < n; i++)
        rest += x[i] * scale;
    return total(s) + rest;
}

/* Computes *first = Σ d and *second = Σ d² with d = x − about. */
static void sums(const double *x, size_t n, double about, double *first, double *second)
{
    lanes s[ABREAST] = {{0}}, t[ABREAST] = {{0}};
    const lanes c = {about, about};
    size_t i = 0;
    for (; i + STRIDE <= n; i += STRIDE)
        for (size_t k = 0; k < ABREAST; k++) {
            const lanes d = load(x + i + k * LANE) - c;
            s[k] += d;
            t[k] += d * d;
        }
    double rest = 0, squares = 0;
    for (; i < n; i++) {
        const double d = x[i] - about;
        rest += d;
        squares += d * d;
    }
    *first = total(s) + rest;
    *second = total(t) + squares;
}

/* Clamps a mean to the extremes of its numbers, which rounding or overflow may exceed. */
static double within(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

td_moment td_moment_of(const double *x, size_t n, double least, double most)
{
    if (n == 0)
        return (td_moment){0};
    const double count = (double)n;
    double about = sum(x, n, 1) / count;
    if (!isfinite(about))
        about = sum(x, n, 1 / count);
    about = within(about, least, most);
    double first, second;
    sums(x, n, about, &first, &second);
    /* about is the mean up to the rounding error Σ d / n, which both results correct. The exact
       mean lies within the extremes. It is close to one of them only if all numbers are equal, and
       then d is 0.
         mean = about + Σ d / n
         squares = Σ d² − (Σ d)² / n */
    const double mean = about + (isfinite(first) ? first / count : 0);
    const double squares = second - first * (first / count);
    return (td_moment){n, mean, isfinite(squares) ? fmax(0, squares) : INFINITY};
}

td_moment td_moment_join(td_moment a, td_moment b)
{
    if (a.count == 0)
        return b;
    if (b.count == 0)
        return a;
    /* T. F. Chan, G. H. Golub, R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for
       Computing Sample Variances, COMPSTAT 1982: with n = n_a + n_b and δ = mean_b − mean_a
         mean = mean_a + δ n_b / n
         squares = squares_a + squares_b + δ² n_a n_b / n */
    const double na = (double)a.count, nb = (double)b.count, n = na + nb;
    const double delta = b.mean - a.mean;
    td_moment m = {a.count + b.count, a.mean + delta * (nb / n),
                   a.squares + b.squares + delta * delta * (na * (nb / n))};
    if (!isfinite(m.squares))
        m = (td_moment){m.count, a.mean * (na / n) + b.mean * (nb / n), INFINITY};
    m.mean = a.mean < b.mean ? within(m.mean, a.mean, b.mean) : within(m.mean, b.mean, a.mean);
    return m;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

bool td_forest_make(td_forest *forest, size_t width)
{
    *forest = (td_forest){.width = width};
    forest->joined = calloc(width > 0 ? width : 1, sizeof *forest->joined);
    return forest->joined != NULL;
}

void td_forest_free(td_forest *forest)
{
    free(forest->node);
    free(forest->moment);
    free(forest->joined);
    *forest = (td_forest){0};
}

bool td_forest_reserve(td_forest *forest, size_t more)
{
    if (forest->width == 0 || more <= forest->room - forest->count)
        return true;
    const size_t half = forest->room / 2;
    if (more < half)
        more = half;
    const size_t most = SIZE_MAX / sizeof *forest->moment / forest->width;
    if (forest->count > most || more > most - forest->count)
        return false;
    const size_t room = forest->count + more;
    td_node *node = realloc(forest->node, room * sizeof *node);
    if (!node)
        return false;
    forest->node = node;
    td_moment *moment = realloc(forest->moment, room * forest->width * sizeof *moment);
    if (!moment)
        return false;
    forest->moment = moment;
    forest->room = room;
    return true;
}

static uint64_t first_leaf(td_node node)
{
    return node.position << node.level;
}

/* Returns the index of the first node that begins after a leaf. */
static size_t place_of(const td_forest *forest, uint64_t leaf)
{
    size_t from = 0, to = forest->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (first_leaf(forest->node[middle]) > leaf)
            to = middle;
        else
            from = middle + 1;
    }
    return from;
}

static void take_out(td_forest *forest, size_t i)
{
    const size_t width = forest->width, after = forest->count - i - 1;
    memmove(forest->node + i, forest->node + i + 1, after * sizeof *forest->node);
    memmove(forest->moment + i * width, forest->moment + (i + 1) * width,
            after * width * sizeof *forest->moment);
    forest->count--;
}

static bool is_node(const td_forest *forest, size_t i, td_node node)
{
    return i < forest->count && forest->node[i].level == node.level &&
           forest->node[i].position == node.position;
}

void td_forest_insert(td_forest *forest, td_node node, const td_moment *moment)
{
    const size_t width = forest->width;
    td_moment *joined = forest->joined;
    if (width == 0)
        return;
    memcpy(joined, moment, width * sizeof *joined);
    size_t i = place_of(forest, first_leaf(node));
    while (true) {
        const td_node sibling = {node.position ^ 1, node.level};
        const bool left = node.position % 2 == 0; /* whether node is the left sibling */
        const size_t at = left ? i : i - 1;
        if (!is_node(forest, at, sibling))
            break;
        const td_moment *other = forest->moment + at * width;
        for (size_t k = 0; k < width; k++)
            joined[k] =
                left ? td_moment_join(joined[k], other[k]) : td_moment_join(other[k], joined[k]);
        take_out(forest, at);
        i = left ? i : i - 1;
        node = (td_node){node.position / 2, node.level + 1};
    }
    const size_t after = forest->count - i;
    memmove(forest->node + i + 1, forest->node + i, after * sizeof node);
    memmove(forest->moment + (i + 1) * width, forest->moment + i * width,
            after * width * sizeof *joined);
    forest->node[i] = node;
    memcpy(forest->moment + i * width, joined, width * sizeof *joined);
    forest->count++;
}

/* Copies node k of a forest to node i of another forest, or of the same one. */
static void put(td_forest *to, size_t i, const td_forest *from, size_t k)
{
    const size_t width = to->width;
    to->node[i] = from->node[k];
    memmove(to->moment + i * width, from->moment + k * width, width * sizeof *to->moment);
}

/* Joins the last two nodes while they are siblings. */
static void join_last(td_forest *forest)
{
    const size_t width = forest->width;
    while (forest->count > 1) {
        const size_t last = forest->count - 1;
        const td_node node = forest->node[last];
        if (node.position % 2 == 0 ||
            !is_node(forest, last - 1, (td_node){node.position - 1, node.level}))
            return;
        td_moment *left = forest->moment + (last - 1) * width;
        for (size_t k = 0; k < width; k++)
            left[k] = td_moment_join(left[k], left[width + k]);
        forest->node[last - 1] = (td_node){node.position / 2, node.level + 1};
        forest->count--;
    }
}

/* Moves the forest's own nodes to the end of the memory that both need. From there, merges them
   with the others towards the front, sorted by leaf. Writing never overtakes reading. */
void td_forest_merge(td_forest *forest, const td_forest *other)
{
    const size_t width = forest->width, shift = other->count, end = forest->count + shift;
    if (width == 0 || shift == 0)
        return;
    memmove(forest->node + shift, forest->node, forest->count * sizeof *forest->node);
    memmove(forest->moment + shift * width, forest->moment,
            forest->count * width * sizeof *forest->moment);
    forest->count = 0;
    for (size_t own = shift, theirs = 0; own < end || theirs < other->count;) {
        if (own < end && (theirs == other->count ||
                          first_leaf(forest->node[own]) < first_leaf(other->node[theirs])))
            put(forest, forest->count++, forest, own++);
        else
            put(forest, forest->count++, other, theirs++);
        join_last(forest);
    }
}

/* Joins from the last node to the first. If all rows are present, this starts with the nodes of few
   leaves. */
td_moment td_forest_fold(const td_forest *forest, size_t k)
{
    td_moment all = {0};
    for (size_t i = forest->count; i-- > 0;)
        all = td_moment_join(forest->moment[i * forest->width + k], all);
    return all;
}

td_node td_node_at(uint64_t leaf, uint64_t end)
{
    unsigned level = 0;
    while (level + 1 < TD_FOREST_LEVELS && leaf % ((uint64_t)2 << level) == 0 &&
           (uint64_t)2 << level <= end - leaf)
        level++;
    return (td_node){leaf >> level, level};
}
