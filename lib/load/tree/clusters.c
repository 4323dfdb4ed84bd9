/* SPDX-License-Identifier: MIT */
/*
 * The partition of bodies into clusters, and the choice of the plan of forward dynamics in
 * independent coordinates. Initially, all bodies that one coordinate moves form a cluster. While
 * the bodies of a cluster have several parents outside it, the last of these parents in the tree's
 * order joins it, with its own cluster. In the end there is one parent: the nearest body that
 * carries them all.
 */
#include "base/sets.h"
#include "base/sized.h"
#include "load/build.h"

/* Unites the sets of two bodies. The root of a set is its smallest body. */
static bool unite(int *set, int a, int b)
{
    a = td_set_of(set, a);
    b = td_set_of(set, b);
    set[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

/* Unites bodies whose joints depend on the same coordinate of y. */
static void unite_coupled(const td_model *model, int *set, int *first_of_y)
{
    const td_csr *G = &model->closure.velocity;
    for (size_t k = 0; k < model->closure.nyd; k++)
        first_of_y[k] = -1;
    for (size_t b = 0; b < model->tree.bodies; b++) {
        const td_body *body = &model->tree.body[b];
        for (int e = G->row[body->qd]; e < G->row[body->qd + body->nv]; e++) {
            int *first = &first_of_y[G->column[e]];
            if (*first < 0)
                *first = (int)b;
            else
                unite(set, *first, (int)b);
        }
    }
}

enum { UNSEEN = -2 };

/* Attaches the cluster of body b to a parent body (−1: the world). If it has another parent
   already, the later of the two joins the cluster, and the parent of its cluster is attached
   next. */
static bool hang(int *set, int *outer, int b, int parent)
{
    bool changed = false;
    for (;;) {
        int root = td_set_of(set, b);
        if (parent >= 0 && td_set_of(set, parent) == root)
            return changed;
        if (outer[root] >= 0 && td_set_of(set, outer[root]) == root)
            outer[root] = UNSEEN;
        if (outer[root] == UNSEEN || outer[root] == parent) {
            outer[root] = parent;
            return changed;
        }
        int later = outer[root] > parent ? outer[root] : parent;
        int earlier = outer[root] > parent ? parent : outer[root];
        int next = outer[td_set_of(set, later)];
        changed = unite(set, root, later) || changed;
        outer[td_set_of(set, b)] = earlier;
        if (next == UNSEEN)
            return changed;
        parent = next;
    }
}

static bool absorb(const td_tree *tree, int *set, int *outer)
{
    bool changed = false;
    for (size_t b = 0; b < tree->bodies; b++)
        outer[b] = UNSEEN;
    for (size_t b = tree->bodies; b-- > 0;)
        changed = hang(set, outer, (int)b, tree->body[b].parent) || changed;
    return changed;
}

/* Links the bodies of each cluster. next[b]: the next body in b's cluster, or −1. */
static void chain_members(const td_tree *tree, int *set, int *next, int *head)
{
    for (size_t b = 0; b < tree->bodies; b++)
        head[b] = -1;
    for (size_t b = tree->bodies; b-- > 0;) {
        int root = td_set_of(set, (int)b);
        next[b] = head[root];
        head[root] = (int)b;
    }
}

/* Adds the coordinates that move a body to its cluster. Returns whether the body's joint is
   coupled: it leads or follows others, or one of its coordinates follows another. */
static bool add_coordinates(td_model *model, td_cluster *cluster, int b)
{
    td_clusters *c = &model->closure.clusters;
    const td_csr *G = &model->closure.velocity;
    const td_body *body = &model->tree.body[b];
    int first = G->row[body->qd], last = G->row[body->qd + body->nv];
    for (int e = first; e < last; e++) {
        if (c->local[G->column[e]] >= 0)
            continue;
        c->local[G->column[e]] = cluster->coordinates;
        c->coordinate[cluster->coordinate + cluster->coordinates++] = G->column[e];
    }
    return last - first != body->nv || cluster->coordinates != body->nv;
}

/* Lists clusters in the order of their first bodies, so that each comes after its carrier. */
static void list_clusters(td_model *model, const int *next, const int *head)
{
    td_clusters *c = &model->closure.clusters;
    const td_tree *tree = &model->tree;
    int bodies = 0, coordinates = 0;
    for (size_t root = 0; root < tree->bodies; root++) {
        if (head[root] < 0)
            continue;
        td_cluster *cluster = &c->cluster[c->count++];
        *cluster = (td_cluster){
            .outer = tree->body[root].parent, .first = bodies, .coordinate = coordinates};
        bool coupled = false;
        for (int b = head[root]; b >= 0; b = next[b]) {
            c->place[b] = bodies - cluster->first;
            c->body[bodies++] = b;
            coupled = add_coordinates(model, cluster, b) || coupled;
        }
        cluster->bodies = bodies - cluster->first;
        coordinates += cluster->coordinates;
        cluster->plain = cluster->bodies == 1 && !coupled;
    }
}

/* ---- the plan -------------------------------------------------------------------------------- */

/*
 * Instruction counts of the two plans for ÿ. The weights were fitted to counts in
 * bench/instructions.txt (AVX2) for chains of joints and chains of parallelograms. For the latter,
 * the plans break even between 6 and 7 modules for one state, and between 11 and 12 in a batch. For
 * a cluster of m bodies and n coordinates, the terms are from kernel/tree/cluster.c. The other plan
 * consists of inverse dynamics, a row of the mass matrix per coordinate, the sum Gᵀ H G, and its
 * factorization. Batches of shallow trees are several times faster than this
 * (kernel/tree/mass_body.c), but they use that plan anyway.
 */
typedef struct weights {
    double clusters, plain, coupled;            /* per call; per plain cluster; factor of others */
    double reduced, body, entry, term, squared; /* per call; then per part of the other plan */
} weights;

static const weights one_state = {660, 690, 0.75, 920, 636, 39, 5.7, 0.43};
static const weights in_lanes = {310, 300, 0.29, 380, 213, 12, 1.8, 0.26};

static double cluster_cost(const td_model *model, const weights *w)
{
    const td_clusters *c = &model->closure.clusters;
    double cost = w->clusters;
    for (size_t k = 0; k < c->count; k++) {
        double m = c->cluster[k].bodies, n = c->cluster[k].coordinates;
        if (c->cluster[k].plain)
            cost += w->plain;
        else
            cost += w->coupled *
                    (443 + m * (842 + 230 * n + 9 * n * n) + n * (195 + 35 * n + 1.8 * n * n));
    }
    return cost;
}

static double reduced_cost(const td_model *model, const weights *w)
{
    const td_pattern *tree = &model->tree.pattern, *y = &model->closure.pattern;
    double cost = w->reduced + w->body * (double)model->tree.bodies +
                  w->entry * (double)tree->entries + w->term * (double)model->closure.terms;
    for (size_t k = 0; k < y->size; k++)
        cost += w->squared * y->depth[k] * y->depth[k];
    return cost;
}

/* Selects the plan with fewer operations. For robots with many bodies, clusters may take longer:
   they need no matrices, whose memory grows with the square of the number of bodies. */
static td_plan cheaper(const td_model *model, td_plan wanted, double cluster, double reduced)
{
    enum { MANY = 100, VERY_MANY = 1000 };
    const size_t bodies = model->tree.bodies;
    if (wanted != TD_PLAN_AUTO)
        return wanted;
    const double times = bodies < MANY ? 1 : bodies < VERY_MANY ? 1.5 : 3;
    return cluster <= times * reduced ? TD_PLAN_CLUSTER : TD_PLAN_REDUCED;
}

bool td_choose_plan(td_build *build)
{
    td_model *model = build->model;
    td_plan_info *plan = &model->plan;
    *plan = (td_plan_info){.size_of = sizeof *plan};
    plan->clusters = model->closure.identity ? model->tree.bodies : model->closure.clusters.count;
    plan->largest_cluster = model->tree.bodies > 0;
    if (model->closure.identity) {
        plan->plan = plan->batch_plan = TD_PLAN_CLUSTER;
        return true;
    }
    for (size_t k = 0; k < model->closure.clusters.count; k++) {
        const td_cluster *c = &model->closure.clusters.cluster[k];
        if ((size_t)c->bodies > plan->largest_cluster)
            plan->largest_cluster = (size_t)c->bodies;
    }
    plan->cluster_cost = cluster_cost(model, &one_state);
    plan->reduced_cost = reduced_cost(model, &one_state);
    plan->batch_cluster_cost = cluster_cost(model, &in_lanes);
    plan->batch_reduced_cost = reduced_cost(model, &in_lanes);
    td_plan wanted = build->options->plan;
    plan->plan = cheaper(model, wanted, plan->cluster_cost, plan->reduced_cost);
    plan->batch_plan = cheaper(model, wanted, plan->batch_cluster_cost, plan->batch_reduced_cost);
    return true;
}

void td_plan_read(const td_model *model, td_plan_info *plan, size_t size_of)
{
    td_sized_write(plan, size_of, &model->plan, sizeof model->plan);
}

/* ---- the partition --------------------------------------------------------------------------- */

bool td_build_clusters(td_build *build)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    size_t bodies = model->tree.bodies, nyd = model->closure.nyd;
    if (model->closure.identity)
        return true;
    td_clusters *c = &model->closure.clusters;
    c->cluster = TD_ARENA_NEW(arena, td_cluster, bodies);
    c->body = TD_ARENA_NEW(arena, int, bodies);
    c->place = TD_ARENA_NEW(arena, int, bodies);
    c->coordinate = TD_ARENA_NEW(arena, int, nyd);
    c->local = TD_ARENA_NEW(arena, int, nyd);
    td_arena_scope(&build->temporary);
    int *set = TD_ARENA_NEW(&build->temporary, int, bodies);
    int *scratch = TD_ARENA_NEW(&build->temporary, int, bodies > nyd ? bodies : nyd);
    int *next = TD_ARENA_NEW(&build->temporary, int, bodies);
    if (!c->cluster || !c->body || !c->place || !c->coordinate || !c->local || !set || !scratch ||
        !next)
        return false;
    for (size_t b = 0; b < bodies; b++)
        set[b] = (int)b;
    for (size_t k = 0; k < nyd; k++)
        c->local[k] = -1;
    unite_coupled(model, set, scratch);
    while (absorb(&model->tree, set, scratch))
        ;
    chain_members(&model->tree, set, next, scratch);
    list_clusters(model, next, scratch);
    return true;
}
