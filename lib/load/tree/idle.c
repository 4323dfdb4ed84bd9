/* SPDX-License-Identifier: MIT */
/*
 * Massless motions: motions of joints that move no inertia at any configuration. They make the mass
 * matrix singular by structure. They are detected here, once, instead of by rounded pivots.
 * Examples: a massless floating base hinged to the only body with mass, massless links in series, a
 * rod that its joint rotates about its own axis.
 *
 * A link with mass and three moments of inertia is solid, and so is its body: no massless motion
 * moves it. Only joints next to other bodies can take part. Solid bodies, and masses and moments of
 * the others, give linear equations for q̇. Their null space at a random configuration is the null
 * space almost everywhere. With couplings, motions must also satisfy q̇ = G ẏ. Most robots have
 * only solid bodies.
 */
#include <math.h>

#include "base/coordinates.h"
#include "base/frame.h"
#include "base/jacobi.h"
#include "base/null_space.h"
#include "dynamics/workspace.h"
#include "load/closure/loop_analysis.h"
#include "load/tree/idle.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

/* zero moment, relative to the link's largest; zero velocity in a motion that begins with 1 */
static const double zero_moment = 1e-12, zero_velocity = 1e-7;

typedef struct search {
    td_model *model;
    td_workspace *workspace;
    td_arena *temporary;  /* of the build */
    bool *solid;          /* per body */
    size_t columns, rows; /* velocities that may take part; rows that forbid motions */
    td_idle_row *row;
    int *column;           /* per velocity of the tree: its column, −1 for none */
    double *q, *poses, *J; /* configuration, poses of links, 6 × nv joint motions */
    td_column *A;
} search;

/* ---- the tree -------------------------------------------------------------------------------- */

/* Returns the number of nonzero principal moments of a link, and their axes first in its frame. */
static int moments_of(const td_link *link, double axes[9])
{
    double moment[3];
    int count = 0;
    if (!link->has_inertial || !td_symmetric_eigen(link->inertia, moment, axes))
        return 0;
    const double largest = fmax(fabs(moment[0]), fabs(moment[2]));
    for (int k = 0; k < 3; k++) {
        if (!(fabs(moment[k]) > zero_moment * largest))
            continue;
        for (int i = 0; i < 3; i++)
            axes[3 * count + i] = axes[3 * k + i];
        count++;
    }
    return count;
}

static bool is_solid(const td_link *link)
{
    double axes[9];
    return link->has_inertial && link->mass > 0 && moments_of(link, axes) == 3;
}

/* Finds the solid bodies. Returns whether all bodies are. */
static bool find_solid(search *s)
{
    const td_tree *tree = &s->model->tree;
    bool all = true;
    for (size_t k = 0; k < tree->links; k++)
        if (tree->link[k].body >= 0 && is_solid(&s->model->records.link.at[k]))
            s->solid[tree->link[k].body] = true;
    for (size_t b = 0; b < tree->bodies; b++)
        all = all && s->solid[b];
    return all;
}

static void find_columns(search *s)
{
    const td_tree *tree = &s->model->tree;
    for (size_t b = 0; b < tree->bodies; b++) {
        const td_body *body = &tree->body[b];
        const bool rests = s->solid[b] && (body->parent < 0 || s->solid[body->parent]);
        for (int i = body->qd; i < body->qd + body->nv; i++)
            s->column[i] = rests ? -1 : (int)s->columns++;
    }
}

/* Fills a row of the matrix. It involves the velocities between the row's body and the nearest
   solid body above, which is at rest. */
static void add_row(search *s, size_t r)
{
    const td_tree *tree = &s->model->tree;
    const td_idle_row *row = &s->row[r];
    for (int i = row->body; i >= 0 && (i == row->body || !s->solid[i]); i = tree->body[i].parent)
        for (int k = 0; k < tree->body[i].nv; k++) {
            const int velocity = tree->body[i].qd + k;
            if (s->column[velocity] >= 0)
                td_column_set(&s->A[s->column[velocity]], r,
                              td_idle_entry(row, s->J + velocity, tree->nv));
        }
}

/* Adds the rows of a link's mass and moments; lengths are in units of size. */
static void add_link(search *s, size_t k, double size)
{
    const double *P = s->poses + 12 * k;
    const td_link *link = &s->model->records.link.at[k];
    const int body = s->model->tree.link[k].body;
    double axes[9];
    const int moments = moments_of(link, axes);
    const td_frame3 pose = {{P[0], P[1], P[2], P[4], P[5], P[6], P[8], P[9], P[10]},
                            {P[3], P[7], P[11]}};
    const td_frame3 frame = td_frame3_compose(pose, td_frame3_from(&link->inertial));
    const double point[3] = {frame.position.x, frame.position.y, frame.position.z};
    for (int a = 0; link->has_inertial && link->mass > 0 && a < 3; a++) {
        td_idle_row *row = &s->row[s->rows++];
        *row = (td_idle_row){.body = body, .point = {point[0], point[1], point[2]}};
        row->slide[a] = 1 / size;
    }
    for (int a = 0; a < moments; a++) {
        const td_vec3 axis = td_mat3_apply(frame.rotation, td_vec3_from(axes + 3 * a));
        s->row[s->rows++] = (td_idle_row){.body = body,
                                          .turn = {axis.x, axis.y, axis.z},
                                          .point = {point[0], point[1], point[2]}};
    }
}

/* Finds the massless motions of the tree at q, in terms of the columns. */
static bool find_in_tree(search *s, td_null_space *null)
{
    const td_tree *tree = &s->model->tree;
    double size = 0;
    TD_IN_TREE(s->workspace,
               td_motion_subspaces(s->model, s->workspace, s->q, TD_FRAME_WORLD, s->J, s->poses));
    for (size_t k = 0; k < tree->links; k++)
        for (size_t a = 3; a < 12; a += 4)
            size = fmax(size, fabs(s->poses[12 * k + a] - s->poses[a]));
    size = size > 0 ? size : 1;
    s->row = TD_ARENA_NEW(s->temporary, td_idle_row, 6 * tree->links);
    s->rows = 0;
    for (size_t k = 0; s->row && k < tree->links; k++) { /* nearby rows are neighbors */
        const int link = tree->link_order[k];
        if (tree->link[link].body >= 0)
            add_link(s, (size_t)link, size);
    }
    const td_idle_rows under = {tree, s->solid, s->J, s->row, s->rows, size};
    bool rest;
    if (!s->row || !td_bodies_rest(&under, s->temporary, &rest))
        return false;
    if (rest) {
        *null =
            (td_null_space){.size = s->columns, .vector = TD_ARENA_NEW(s->temporary, double, 1)};
        return null->vector != NULL;
    }
    s->A = td_columns_new(s->temporary, 6 * tree->links, s->columns);
    for (size_t r = 0; s->A && r < s->rows; r++)
        add_row(s, r);
    return s->A && td_find_null_space(s->temporary, s->columns, s->A, TD_NULL_ROUNDED, null);
}

static double rate_in(const search *s, const double *motion, int velocity)
{
    return s->column[velocity] < 0 ? 0 : motion[s->column[velocity]];
}

/* ---- couplings ------------------------------------------------------------------------------- */

/* Computes ẏ of a motion of the tree. */
static void independent_rates(const search *s, const double *motion, double *yd)
{
    for (size_t j = 0; j < s->model->independent_count; j++) {
        const td_place *place = &s->model->place[s->model->independent[j]];
        int at = place->yd;
        for (int k = 0; k < place->nv; k++)
            if (!(place->dependents >> k & 1))
                yd[at++] = rate_in(s, motion, place->qd + k);
    }
}

/* Reduces massless motions of the tree at γ(y) to those that satisfy q̇ = G ẏ, in terms of ẏ. */
static bool fit_couplings(search *s, td_null_space *null)
{
    const td_null_space tree = *null;
    const td_csr *G = &s->model->closure.velocity;
    const double *value = s->workspace->single.G;
    const size_t nv = s->model->tree.nv, nyd = s->model->closure.nyd;
    double *yd = TD_ARENA_NEW(s->temporary, double, tree.count *nyd);
    td_column *misfit = td_columns_new(s->temporary, nv, tree.count);
    td_null_space fit;
    if (!yd || !misfit)
        return false;
    for (size_t n = 0; n < tree.count; n++) {
        const double *motion = tree.vector + n * tree.size;
        independent_rates(s, motion, yd + n * nyd);
        for (int i = 0; i < (int)nv; i++) {
            double left = rate_in(s, motion, i);
            for (int e = G->row[i]; e < G->row[i + 1]; e++)
                left -= value[e] * yd[n * nyd + (size_t)G->column[e]];
            td_column_set(&misfit[n], (size_t)i, left);
        }
    }
    if (!td_find_null_space(s->temporary, tree.count, misfit, TD_NULL_ROUNDED, &fit))
        return false;
    *null = (td_null_space){fit.count, nyd, TD_ARENA_NEW(s->temporary, double, fit.count *nyd)};
    for (size_t n = 0; null->vector && n < fit.count; n++)
        for (size_t m = 0; m < tree.count; m++)
            for (size_t i = 0; i < nyd; i++)
                null->vector[n * nyd + i] += fit.vector[n * fit.size + m] * yd[m * nyd + i];
    if (null->vector)
        td_reduce_null_space(null);
    return null->vector != NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

/* Computes q̇ of a motion, which is given in the tree's columns or in ẏ. */
static void tree_rates(const search *s, bool tree, const double *motion, double *rate)
{
    const td_csr *G = &s->model->closure.velocity;
    const double *value = s->workspace->single.G;
    for (int i = 0; i < (int)s->model->tree.nv; i++) {
        rate[i] = tree ? rate_in(s, motion, i) : 0;
        for (int e = G->row[i]; !tree && e < G->row[i + 1]; e++)
            rate[i] += value[e] * motion[G->column[e]];
    }
}

/* Returns whether a link rotates at these rates. *moves: whether it moves at all. */
static bool turns(const search *s, const double *rate, size_t link, bool *moves)
{
    const td_tree *tree = &s->model->tree;
    const double *P = s->poses + 12 * link, point[3] = {P[3], P[7], P[11]};
    double w[3] = {0, 0, 0}, v[3] = {0, 0, 0};
    for (int b = tree->link[link].body; b >= 0; b = tree->body[b].parent)
        for (int i = tree->body[b].qd; i < tree->body[b].qd + tree->body[b].nv; i++)
            for (size_t a = 0; a < 3; a++) {
                w[a] += s->J[a * tree->nv + (size_t)i] * rate[i];
                v[a] += s->J[(3 + a) * tree->nv + (size_t)i] * rate[i];
            }
    double turning = 0, sliding = 0;
    for (int a = 0; a < 3; a++) {
        const int x = (a + 1) % 3, y = (a + 2) % 3;
        turning = fmax(turning, fabs(w[a]));
        sliding = fmax(sliding, fabs(v[a] + w[x] * point[y] - w[y] * point[x]));
    }
    *moves = turning > zero_velocity || sliding > zero_velocity;
    return turning > zero_velocity;
}

/* Marks links that rotate, lists bodies that move. Returns false if memory runs out. */
static bool list_bodies(const search *s, const double *rate, td_idle *idle, td_idle_motion *motion)
{
    const td_tree *tree = &s->model->tree;
    bool moves;
    motion->body = TD_ARENA_NEW(&s->model->records.arena, int, tree->bodies);
    for (size_t k = 0; motion->body && k < tree->links; k++)
        if (turns(s, rate, k, &moves))
            idle->turns[k] = 1;
    for (size_t b = 0; motion->body && b < tree->bodies; b++) {
        turns(s, rate, (size_t)tree->body[b].link, &moves);
        if (moves)
            motion->body[motion->bodies++] = (int)b;
    }
    return motion->body != NULL;
}

/* Lists all velocities that take part, in descending order. Returns false if memory runs out. */
static bool list_suspects(td_arena *temporary, td_arena *arena, size_t n, td_idle *idle)
{
    td_arena_scope(temporary);
    bool *takes_part = TD_ARENA_NEW(temporary, bool, n);
    idle->suspect = TD_ARENA_NEW(arena, int, n);
    const bool ok = takes_part && idle->suspect;
    for (size_t m = 0; ok && m < idle->count; m++)
        for (size_t i = 0; i < idle->motion[m].count; i++)
            takes_part[idle->motion[m].velocity[i]] = true;
    for (size_t i = n; ok && i-- > 0;)
        if (takes_part[i])
            idle->suspect[idle->suspects++] = (int)i;
    return ok;
}

/* Stores the motions of a null space in the model. Returns false if memory runs out. */
static bool keep(search *s, bool tree, const td_null_space *null, td_idle *idle)
{
    td_arena *arena = &s->model->records.arena;
    const size_t n = tree ? s->model->tree.nv : s->model->closure.nyd;
    double *rate = TD_ARENA_NEW(s->temporary, double, s->model->tree.nv);
    *idle = (td_idle){.motion = TD_ARENA_NEW(arena, td_idle_motion, null->count),
                      .moves = TD_ARENA_NEW(arena, char, s->model->tree.nv),
                      .turns = TD_ARENA_NEW(arena, char, s->model->tree.links)};
    if (!rate || !idle->motion || !idle->moves || !idle->turns)
        return false;
    for (size_t m = 0; m < null->count; m++) {
        const double *motion = null->vector + m * null->size;
        td_idle_motion *found = &idle->motion[idle->count++];
        size_t count = 0;
        tree_rates(s, tree, motion, rate);
        for (size_t i = 0; i < n; i++)
            count += fabs(tree ? rate[i] : motion[i]) > zero_velocity;
        found->velocity = TD_ARENA_NEW(arena, int, count);
        found->moves = TD_ARENA_NEW(arena, char, s->model->tree.nv);
        if (!found->velocity || !found->moves)
            return false;
        for (size_t i = 0; i < n; i++)
            if (fabs(tree ? rate[i] : motion[i]) > zero_velocity)
                found->velocity[found->count++] = (int)i;
        for (size_t i = 0; i < s->model->tree.nv; i++)
            if (fabs(rate[i]) > zero_velocity) {
                idle->moves[i] = found->moves[i] = 1;
                found->rotors = found->rotors || s->model->tree.passive[i].rotor != 0;
            }
        if (!list_bodies(s, rate, idle, found))
            return false;
    }
    return list_suspects(s->temporary, arena, n, idle);
}

/* Finds massless motions at random configurations; the smallest set exists at all of them. */
static bool find_in_space(search *s, bool tree, td_idle *idle)
{
    enum { SAMPLES = 3 };
    unsigned seed = 1;
    size_t fewest = (size_t)-1;
    bool ok = true, away;
    for (int n = 0; ok && fewest > 0 && n < SAMPLES; n++) {
        td_arena_scope(s->temporary);
        td_null_space null;
        if (tree) {
            double *step = TD_ARENA_NEW(s->temporary, double, s->model->tree.nv);
            for (size_t i = 0; step && i < s->model->tree.nv; i++)
                step[i] = td_analysis_random(&seed);
            if (step)
                td_integrate(s->model, TD_COORDINATES_TREE, s->model->closure.reference_q, step, 2,
                             s->q);
            ok = step != NULL;
        } else {
            ok = td_close_somewhere(s->model, s->workspace, s->temporary, &seed, s->q, &away);
        }
        ok = ok && find_in_tree(s, &null) && (tree || fit_couplings(s, &null));
        if (ok && null.count < fewest) {
            fewest = null.count;
            ok = keep(s, tree, &null, idle);
        }
    }
    return ok;
}

bool td_find_idle(td_build *build)
{
    td_model *model = build->model;
    const td_tree *tree = &model->tree;
    td_arena *temporary = &build->temporary;
    td_arena_scope(temporary);
    search s = {.model = model,
                .temporary = temporary,
                .solid = TD_ARENA_NEW(temporary, bool, tree->bodies),
                .column = TD_ARENA_NEW(temporary, int, tree->nv),
                .q = TD_ARENA_NEW(temporary, double, tree->nq),
                .poses = TD_ARENA_NEW(temporary, double, 12 * tree->links),
                .J = TD_ARENA_NEW(temporary, double, 6 * tree->nv)};
    bool ok = s.solid && s.column && s.q && s.poses && s.J;
    if (ok && !find_solid(&s)) {
        find_columns(&s);
        td_workspace_options options = td_workspace_options_default();
        options.matrices = false; /* not needed here */
        td_workspace_new(model, &options, &s.workspace);
        ok = s.workspace && find_in_space(&s, true, &model->idle_tree) &&
             (model->closure.identity || find_in_space(&s, false, &model->closure.idle));
        td_workspace_free(s.workspace);
    }
    if (ok && model->closure.identity)
        model->closure.idle = model->idle_tree;
    return ok;
}
