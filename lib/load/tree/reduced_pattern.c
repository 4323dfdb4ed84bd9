/* SPDX-License-Identifier: MIT */
/*
 * The sparsity of Gᵀ H G. Two independent coordinates are coupled in it if coordinates that depend
 * on them are ancestor and descendant in the tree. Its factors have additional fill-in. The
 * elimination tree is a forest over the coordinates that covers all entries, so the factorization
 * for trees applies. The parent of a coordinate is the last earlier coordinate coupled to it. The
 * parent is also coupled to all other earlier coordinates that are coupled to it.
 */
#include <stdint.h>

#include "load/build.h"
#include "model/pattern.h"

/* A set of coordinates for each coordinate, as bits. */
typedef struct sets {
    uint64_t *bits;
    size_t words; /* per set */
} sets;

static void set_add(const sets *s, int set, int member)
{
    s->bits[(size_t)set * s->words + (size_t)member / 64] |= (uint64_t)1 << (member % 64);
}

/* Returns the largest member below limit, −1 for none. */
static int set_last_below(const sets *s, int set, int limit)
{
    for (int m = limit - 1; m >= 0; m--)
        if (s->bits[(size_t)set * s->words + (size_t)m / 64] >> (m % 64) & 1)
            return m;
    return -1;
}

/* Collects all columns of G in the rows from i to the root of the tree: the union with its parent's
   set. */
static void add_row(const td_model *model, const sets *above, int i)
{
    const td_csr *G = &model->closure.velocity;
    const int parent = model->tree.pattern.parent[i];
    uint64_t *own = above->bits + (size_t)i * above->words;
    for (size_t w = 0; parent >= 0 && w < above->words; w++)
        own[w] = above->bits[(size_t)parent * above->words + w];
    for (int k = G->row[i]; k < G->row[i + 1]; k++)
        set_add(above, i, G->column[k]);
}

/* Couples a coordinate to all members of a set: each pair is stored in the set of the later
   coordinate. */
static void meet(sets *s, int coordinate, const uint64_t *others)
{
    for (size_t w = 0; w < s->words; w++)
        for (uint64_t rest = others[w]; rest; rest &= rest - 1) {
            const int other = (int)(64 * w) + __builtin_ctzll(rest);
            if (other > coordinate)
                set_add(s, other, coordinate);
        }
    const size_t last = (size_t)coordinate / 64;
    uint64_t *own = s->bits + (size_t)coordinate * s->words;
    for (size_t w = 0; w < last; w++)
        own[w] |= others[w];
    own[last] |= others[last] & (((uint64_t)1 << (coordinate % 64)) - 1);
}

/* Finds the forest if most coordinates are coupled to most others, as in deep chains, by full
   sets. */
static bool find_forest_dense(td_build *build)
{
    td_model *model = build->model;
    td_pattern *pattern = &model->closure.pattern;
    size_t n = model->closure.nyd;
    const td_csr *G = &model->closure.velocity;
    sets s = {.words = n / 64 + 1}, above = s;
    td_arena_scope(&build->temporary);
    s.bits = TD_ARENA_NEW(&build->temporary, uint64_t, n * s.words);
    above.bits = TD_ARENA_NEW(&build->temporary, uint64_t, (size_t)G->rows * s.words);
    if (!s.bits || !above.bits)
        return false;
    for (int i = 0; i < G->rows; i++) {
        add_row(model, &above, i);
        for (int k = G->row[i]; k < G->row[i + 1]; k++)
            meet(&s, G->column[k], above.bits + (size_t)i * s.words);
    }
    for (size_t k = n; k-- > 0;) {
        int parent = pattern->parent[k] = set_last_below(&s, (int)k, (int)k);
        for (size_t w = 0; parent >= 0 && w < s.words; w++)
            s.bits[(size_t)parent * s.words + w] |= s.bits[k * s.words + w];
    }
    return true;
}

/* Lists for each coordinate the later ones coupled to it, from start[coordinate] to
   start[coordinate + 1]. If later is NULL, only counts them, into start[coordinate + 1]. */
static void list_later(const td_model *model, size_t *start, int *later)
{
    const td_csr *G = &model->closure.velocity;
    for (int i = 0; i < G->rows; i++)
        for (int j = i; j >= 0; j = model->tree.pattern.parent[j])
            for (int k = G->row[i]; k < G->row[i + 1]; k++)
                for (int l = G->row[j]; l < G->row[j + 1]; l++) {
                    const int a = G->column[k], b = G->column[l], first = a < b ? a : b;
                    if (a == b)
                        continue;
                    if (later)
                        later[start[first]] = a < b ? b : a;
                    start[first + !later]++;
                }
}

/* Finds the forest if coordinates are coupled to few others, as in robots with several limbs: Liu's
   algorithm with path compression, which climbs the known part of the forest. */
static bool find_forest_sparse(td_build *build)
{
    td_model *model = build->model;
    int *parent = model->closure.pattern.parent;
    const size_t n = model->closure.nyd;
    td_arena_scope(&build->temporary);
    size_t *start = TD_ARENA_NEW(&build->temporary, size_t, n + 1);
    int *shortcut = TD_ARENA_NEW(&build->temporary, int, n);
    if (!start || !shortcut)
        return false;
    list_later(model, start, NULL);
    for (size_t k = 0; k < n; k++) {
        start[k + 1] += start[k];
        parent[k] = shortcut[k] = -1;
    }
    int *later = TD_ARENA_NEW(&build->temporary, int, start[n]);
    if (!later)
        return false;
    list_later(model, start, later); /* advances start[k] to the end of list k */
    for (int k = (int)n - 1; k >= 0; k--)
        for (size_t e = k > 0 ? start[k - 1] : 0; e < start[k]; e++) {
            int at = later[e];
            while (shortcut[at] >= 0 && shortcut[at] != k) {
                const int next = shortcut[at];
                shortcut[at] = k;
                at = next;
            }
            if (shortcut[at] < 0)
                parent[at] = shortcut[at] = k;
        }
    return true;
}

/* Limit for sparse methods: average number of terms per velocity. Deep chains have more, because
   their number grows with the square of the length. */
enum { LISTED = 128 };

static bool find_pattern(td_build *build)
{
    td_model *model = build->model;
    td_pattern *pattern = &model->closure.pattern;
    const bool sparse = model->closure.terms <= LISTED * model->tree.nv;
    return td_pattern_new(pattern, &model->records.arena, model->closure.nyd) &&
           (sparse ? find_forest_sparse : find_forest_dense)(build) &&
           td_pattern_finish(pattern, &model->records.arena);
}

/* ---- the sum over the entries of H ----------------------------------------------------------- */

/* At most LISTED terms per velocity are stored; if there are more, the kernel computes them. */

/* Appends a term. An off-diagonal H(i, j) also represents H(j, i): twice if both contribute to the
   same diagonal entry, and once for a stored (lower) entry. For a diagonal H(i, i), the pairs (a,
   b) and (b, a) both occur. */
static void list_term(td_closure_map *closure, size_t entry, bool diagonal, int left, int right)
{
    const td_csr *G = &closure->velocity;
    td_scatter *list = &closure->scatter;
    const int a = G->column[left], b = G->column[right];
    if (diagonal && a < b)
        return;
    const size_t k = list->count++;
    const int row = a > b ? a : b, column = a > b ? b : a;
    list->source[k] = entry;
    list->target[k] = closure->pattern.row[row] + (size_t)closure->pattern.depth[column];
    list->factor[k] = !diagonal && a == b ? 2 : 1;
    if (list->left) {
        list->left[k] = left;
        list->right[k] = right;
    } else {
        list->factor[k] *= G->value[left] * G->value[right];
    }
}

/* Lists, for every entry (i, j) of H, with j = i or an ancestor of i, all pairs of entries of G in
   rows i and j. */
static void list_terms(td_model *model)
{
    const td_csr *G = &model->closure.velocity;
    const td_pattern *tree = &model->tree.pattern;
    for (size_t i = 0; i < tree->size; i++) {
        size_t entry = tree->row[i] + (size_t)tree->depth[i];
        for (int j = (int)i; j >= 0; j = tree->parent[j], entry--)
            for (int k = G->row[i]; k < G->row[i + 1]; k++)
                for (int l = G->row[j]; l < G->row[j + 1]; l++)
                    list_term(&model->closure, entry, j == (int)i, k, l);
    }
}

/* Counts terms: pairs of entries of a row with all rows of ancestors, and with its own row, each
   pair once. */
static bool count_terms(td_build *build, size_t *count)
{
    const td_csr *G = &build->model->closure.velocity;
    const td_pattern *tree = &build->model->tree.pattern;
    td_arena_scope(&build->temporary);
    /* per row: entries of G in this row and in the rows of its ancestors */
    size_t *entries = TD_ARENA_NEW(&build->temporary, size_t, tree->size);
    *count = 0;
    for (size_t i = 0; entries && i < tree->size; i++) {
        const size_t above = tree->parent[i] < 0 ? 0 : entries[tree->parent[i]];
        const size_t own = (size_t)(G->row[i + 1] - G->row[i]);
        entries[i] = above + own;
        *count += own * above + own * (own + 1) / 2;
    }
    return entries != NULL;
}

/* Lists independent velocities of loops that have several. Near a singular position, one direction
   moves the dependent joints so fast that the inertia of other directions is lost by rounding. */
static bool find_suspects(td_build *build)
{
    td_closure_map *closure = &build->model->closure;
    td_arena_scope(&build->temporary);
    char *several = TD_ARENA_NEW(&build->temporary, char, closure->nyd);
    closure->suspect = TD_ARENA_NEW(&build->model->records.arena, int, closure->nyd);
    if (!several || !closure->suspect)
        return false;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; g->independents > 1 && k < g->independents; k++)
            several[g->yd[k]] = 1;
    }
    for (size_t i = closure->nyd; i-- > 0;)
        if (several[i])
            closure->suspect[closure->suspects++] = (int)i;
    return true;
}

bool td_build_pattern(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    if (closure->identity) {
        closure->pattern = model->tree.pattern;
        return true;
    }
    if (!count_terms(build, &closure->terms) || !find_pattern(build) || !find_suspects(build))
        return false;
    const size_t count = closure->terms;
    if (count > LISTED * model->tree.nv)
        return true;
    closure->scatter = (td_scatter){
        .source = TD_ARENA_NEW(arena, size_t, count),
        .target = TD_ARENA_NEW(arena, size_t, count),
        .factor = TD_ARENA_NEW(arena, double, count),
    };
    if (closure->loops.solved) {
        closure->scatter.left = TD_ARENA_NEW(arena, int, count);
        closure->scatter.right = TD_ARENA_NEW(arena, int, count);
        if (!closure->scatter.left || !closure->scatter.right)
            return false;
    }
    if (!closure->scatter.source || !closure->scatter.target || !closure->scatter.factor)
        return false;
    list_terms(model);
    return true;
}
