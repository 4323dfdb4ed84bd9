/* SPDX-License-Identifier: MIT */
/*
 * Numbers the columns of bodies on the paths to the world (model/clusters.h): for the clusters of
 * independent coordinates, and for the tree's coordinates, with each body as a cluster.
 */
#include "load/build.h"

/* Adds the columns of body b, and the run that begins with them on the path to the world. outwards:
   the next run on this path. */
static int add_columns(td_clusters *c, const td_cluster *own, int outwards, int b)
{
    const int *number = c->coordinate + own->coordinate;
    int passed = outwards;
    for (int k = 0; k < own->coordinates; k++) {
        const int column = c->column[b] + k;
        td_stretch *last = passed < 0 ? NULL : &c->stretch[passed];
        const bool goes_on = last && last->column + last->columns == column &&
                             last->coordinate + last->columns == number[k];
        if (goes_on && k > 0) {
            last->columns++;
            c->point[column] = c->point[column - 1];
            continue;
        }
        td_stretch *s = &c->stretch[c->stretches];
        *s = (td_stretch){column, 1, number[k], passed};
        c->point[column] = goes_on ? c->point[column - 1] : b;
        if (goes_on) { /* a longer run next to the old one, which other clusters may use */
            *s = *last;
            s->columns++;
        }
        passed = (int)c->stretches++;
    }
    return passed;
}

/* Numbers the columns: first of plain clusters in their order, then of carrying bodies in other
   clusters. carries: per body, whether it carries a cluster. */
static void number_columns(td_clusters *c, const char *carries)
{
    for (int coupled = 0; coupled < 2; coupled++)
        for (size_t n = 0; n < c->count; n++) {
            const td_cluster *own = &c->cluster[n];
            for (int k = 0; own->plain == !coupled && k < own->bodies; k++) {
                const int b = c->body[own->first + k];
                if (coupled && !carries[b])
                    continue;
                c->column[b] = (int)c->columns;
                c->columns += (size_t)own->coordinates;
            }
        }
}

static bool lay_columns(td_build *build, td_clusters *c)
{
    td_arena *arena = &build->model->records.arena;
    const size_t bodies = build->model->tree.bodies;
    td_arena_scope(&build->temporary);
    char *carries = TD_ARENA_NEW(&build->temporary, char, bodies);
    c->column = TD_ARENA_NEW(arena, int, bodies);
    c->outwards = TD_ARENA_NEW(arena, int, bodies);
    if (!c->column || !c->outwards || !carries)
        return false;
    for (size_t b = 0; b < bodies; b++)
        carries[b] = 0, c->column[b] = -1;
    for (size_t n = 0; n < c->count; n++)
        if (c->cluster[n].outer >= 0)
            carries[c->cluster[n].outer] = 1;
    number_columns(c, carries);
    c->stretch = TD_ARENA_NEW(arena, td_stretch, c->columns);
    c->point = TD_ARENA_NEW(arena, int, c->columns);
    if (!c->stretch || !c->point)
        return false;
    for (size_t n = 0; n < c->count; n++) {
        const td_cluster *own = &c->cluster[n];
        const int outwards = own->outer < 0 ? -1 : c->outwards[own->outer];
        for (int k = 0; k < own->bodies; k++) {
            const int b = c->body[own->first + k];
            if (c->column[b] >= 0)
                c->outwards[b] = add_columns(c, own, outwards, b);
        }
        if (own->plain)
            continue;
        if (own->bodies > c->most_bodies)
            c->most_bodies = own->bodies;
        if (own->coordinates > c->most_coordinates)
            c->most_coordinates = own->coordinates;
    }
    return true;
}

/* Makes each body a cluster with the velocities of its joint. */
static bool part_tree(td_arena *arena, const td_tree *tree, td_clusters *c)
{
    c->count = tree->bodies;
    c->cluster = TD_ARENA_NEW(arena, td_cluster, tree->bodies);
    c->body = TD_ARENA_NEW(arena, int, tree->bodies);
    c->coordinate = TD_ARENA_NEW(arena, int, tree->nv);
    c->local = TD_ARENA_NEW(arena, int, tree->nv);
    if (!c->cluster || !c->body || !c->coordinate || !c->local)
        return false;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        c->body[b] = (int)b;
        c->cluster[b] = (td_cluster){body->parent, (int)b, 1, body->qd, body->nv, true};
        for (int k = 0; k < body->nv; k++) {
            c->coordinate[body->qd + k] = body->qd + k;
            c->local[body->qd + k] = k;
        }
    }
    return true;
}

bool td_lay_columns(td_build *build)
{
    td_model *model = build->model;
    return part_tree(&model->records.arena, &model->tree, &model->tree_clusters) &&
           lay_columns(build, &model->tree_clusters) &&
           (model->closure.identity || lay_columns(build, &model->closure.clusters));
}
