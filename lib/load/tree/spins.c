/* SPDX-License-Identifier: MIT */
/*
 * Idle spins: rods in loops that turn about the line of their ends without effect. Gravity and
 * inertia cause no force along such a direction of ẏ, at any configuration.
 *
 * Motions that keep the centers of mass of a group's bodies in place are the null space of a
 * matrix. Those among them that are spins (load/tree/spin_check.c) at all of several random
 * configurations are idle. A direction is known by the bodies that move, since its entries in ẏ may
 * change.
 */
#include "load/tree/spins.h"

#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/frame.h"
#include "base/null_space.h"
#include "dynamics/workspace.h"
#include "load/closure/loop_analysis.h"
#include "load/tree/idle.h"
#include "tandem/configuration.h"
#include "tandem/kinematics.h"

enum { SAMPLES = 3 };

typedef struct search {
    td_model *model;
    td_workspace *workspace;
    td_arena *temporary;
    size_t columns;
    int *column;           /* entries of ẏ that move loops */
    char *possible;        /* per group: whether it may have spins */
    double *q, *poses, *J; /* configuration, poses of links, 6 × nv joint motions */
    td_vec3 *origin;
    td_spin_inertia *body;
    td_spin_motion motion;
} search;

bool td_close_somewhere(const td_model *model, td_workspace *workspace, td_arena *temporary,
                        unsigned *seed, double *q, bool *away)
{
    double *reference = TD_ARENA_NEW(temporary, double, model->closure.ny);
    double *y = TD_ARENA_NEW(temporary, double, model->closure.ny);
    double *step = TD_ARENA_NEW(temporary, double, model->closure.nyd);
    if (!reference || !y || !step)
        return false;
    for (size_t i = 0; i < model->closure.nyd; i++)
        step[i] = td_analysis_random(seed);
    td_independent_coordinates(model, workspace, model->closure.reference_q, reference, NULL);
    double length = model->closure.loops.solved ? 0.3 : 2;
    for (int tries = 0; tries < 5; tries++, length /= 3) {
        td_integrate(model, TD_COORDINATES_INDEPENDENT, reference, step, length, y);
        *away = td_closure(model, workspace, y, NULL, NULL, q, NULL, NULL) == TD_OK;
        if (*away)
            return true;
    }
    td_closure(model, workspace, reference, NULL, NULL, q, NULL, NULL);
    return true;
}

/* ---- one configuration ----------------------------------------------------------------------- */

/* Computes the inertia of a body about its center of mass, in the world's axes. pose: of the link
   whose origin is the body's. */
static td_spin_inertia inertia_at(const td_tree *tree, const td_body *body, td_frame3 pose)
{
    const td_vec3 none = {0, 0, 0};
    const td_mat3 R =
        td_mat3_mul(pose.rotation, td_mat3_transpose(tree->link[body->link].rotation));
    const td_vec3 com = body->mass > 0 ? td_vec3_along(none, 1 / body->mass, body->moment) : none;
    return (td_spin_inertia){body->mass, td_vec3_add(pose.position, td_mat3_apply(R, com)),
                             td_sym3_rotate(R, td_sym3_shift(body->inertia, -body->mass, com))};
}

/* Computes the bodies' inertias and origins, and the size of the robot, at the poses. */
static void measure(search *s)
{
    const td_tree *tree = &s->model->tree;
    s->motion.size = 0;
    for (size_t k = 0; k < tree->links; k++)
        for (size_t a = 3; a < 12; a += 4)
            s->motion.size = fmax(s->motion.size, fabs(s->poses[12 * k + a] - s->poses[a]));
    s->motion.size = s->motion.size > 0 ? s->motion.size : 1;
    for (size_t b = 0; b < tree->bodies; b++) {
        const double *P = s->poses + 12 * (size_t)tree->body[b].link;
        const td_frame3 pose = {{P[0], P[1], P[2], P[4], P[5], P[6], P[8], P[9], P[10]},
                                {P[3], P[7], P[11]}};
        s->origin[b] = pose.position;
        s->body[b] = inertia_at(tree, &tree->body[b], pose);
    }
}

/* Computes q̇ = G ẏ and the twists of the bodies. ẏ is given by columns. */
static void move(search *s, const double *motion)
{
    const td_csr *G = &s->model->closure.velocity;
    const double *value = s->workspace->single.G;
    double *yd = s->workspace->motion_yd;
    memset(yd, 0, s->model->closure.nyd * sizeof *yd);
    for (size_t c = 0; c < s->columns; c++)
        yd[s->column[c]] = motion[c];
    for (int i = 0; i < G->rows; i++) {
        s->motion.rate[i] = 0;
        for (int e = G->row[i]; e < G->row[i + 1]; e++)
            s->motion.rate[i] += value[e] * yd[G->column[e]];
    }
    td_spin_twists(&s->motion, s->J);
}

/* Returns whether a group may have spins: plane loops of one coordinate have none. */
static bool may_spin(const td_loop_group *g)
{
    return g->loops && g->form != TD_FORM_SLIDER && g->form != TD_FORM_FOUR_BAR;
}

/* Computes the twists of a group's bodies, relative to the body that carries them, for the entry of
   ẏ that is column c. */
static void move_group(search *s, const td_loop_group *g, size_t c)
{
    const td_csr *G = &s->model->closure.velocity;
    const double *value = s->workspace->single.G;
    const size_t nv = s->model->tree.nv;
    const td_spin_twist none = {{0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < g->bodies; k++) {
        const td_body *body = &s->model->tree.body[g->body[k]];
        td_spin_twist t = g->parent[k] < 0 ? none : s->motion.twist[g->body[g->parent[k]]];
        for (int i = body->qd; i < body->qd + body->nv; i++) {
            double rate = 0;
            for (int e = G->row[i]; e < G->row[i + 1]; e++)
                rate += G->column[e] == s->column[c] ? value[e] : 0;
            td_spin_add(&t, s->J + i, nv, rate);
        }
        s->motion.twist[g->body[k]] = t;
    }
}

/* Finds the motions that keep the centers of mass of a group's bodies in place at q, in terms of
   the columns. */
static bool find_balanced(search *s, const td_loop_group *g, td_null_space *null)
{
    td_arena *arena = s->temporary;
    s->columns = 0;
    for (int k = 0; k < g->independents; k++)
        if (!td_velocity_resists(&s->model->tree.passive[s->model->closure.qd_of_yd[g->yd[k]]]))
            s->column[s->columns++] = g->yd[k];
    td_column *A = td_columns_new(arena, 3 * (size_t)g->bodies, s->columns);
    for (size_t c = 0; A && c < s->columns; c++) {
        move_group(s, g, c);
        for (int k = 0; k < g->bodies; k++) {
            const td_spin_inertia *body = &s->body[g->body[k]];
            const td_spin_twist *t = &s->motion.twist[g->body[k]];
            const td_vec3 v = td_vec3_add(t->linear, td_vec3_cross(t->angular, body->com));
            for (size_t a = 0; body->mass > 0 && a < 3; a++)
                td_column_set(&A[c], 3 * (size_t)k + a, (&v.x)[a] / s->motion.size);
        }
    }
    if (!A || !td_find_null_space(arena, s->columns, A, TD_SPIN_ROUNDED, null))
        return false;
    td_reduce_null_space(null);
    return true;
}

/* ---- all configurations ---------------------------------------------------------------------- */

/* Returns the spin that moves exactly the bodies of the motion; NULL if none does. */
static td_spin *same_spin(const search *s, td_spins *spins)
{
    for (size_t n = 0; n < spins->count; n++)
        if (memcmp(spins->at[n].bodies, s->motion.moves, s->model->tree.bodies) == 0)
            return &spins->at[n];
    return NULL;
}

/* Adds a spin of the first configuration. Returns false if memory runs out. */
static bool add_spin(search *s, td_spins *spins)
{
    td_arena *arena = &s->model->records.arena;
    const size_t bodies = s->model->tree.bodies;
    td_spin *spin = &spins->at[spins->count++];
    *spin = (td_spin){.bodies = td_arena_copy(arena, s->motion.moves, bodies, 1),
                      .rates = TD_ARENA_NEW(arena, char, s->model->tree.nv),
                      .part = TD_ARENA_NEW(arena, double, s->model->closure.nyd)};
    for (size_t i = 0; spin->part && i < s->model->closure.nyd; i++)
        spin->part[i] = INFINITY;
    for (size_t i = 0; spin->rates && i < s->model->tree.nv; i++)
        spin->rates[i] = fabs(s->motion.rate[i]) > TD_SPIN_ROUNDED;
    return spin->bodies && spin->part && spin->rates;
}

/* Finds the spins of a group at one configuration. */
static bool find_in_group(search *s, const td_loop_group *g, int sample, td_spins *spins)
{
    td_null_space null;
    td_arena_scope(s->temporary);
    if (!find_balanced(s, g, &null))
        return false;
    for (size_t m = 0; m < null.count; m++) {
        const double *motion = null.vector + m * null.size;
        double largest = 0;
        move(s, motion);
        if (!td_is_spin(&s->motion))
            continue;
        if (!sample && !same_spin(s, spins) && !add_spin(s, spins))
            return false;
        td_spin *spin = same_spin(s, spins);
        for (size_t c = 0; c < s->columns; c++)
            largest = fmax(largest, fabs(motion[c]));
        for (size_t c = 0; spin && c < s->columns; c++)
            spin->part[s->column[c]] = fmin(spin->part[s->column[c]], fabs(motion[c]) / largest);
        if (spin)
            spin->samples++;
    }
    return true;
}

/* Computes the poses and motions of the bodies at q. */
static void place(search *s)
{
    TD_IN_TREE(s->workspace,
               td_motion_subspaces(s->model, s->workspace, s->q, TD_FRAME_WORLD, s->J, s->poses));
    measure(s);
}

/* Finds out whether a group has balanced motions at q. Returns false if memory runs out. */
static bool count_balanced(search *s, const td_loop_group *g, char *any)
{
    td_null_space null = {0};
    td_arena_scope(s->temporary);
    const bool ok = !may_spin(g) || find_balanced(s, g, &null);
    *any = null.count > 0;
    return ok;
}

/* Excludes the groups without balanced motions at the reference: such motions are fewest at random
   configurations, and far ones are expensive to close. Sets *any if groups remain. */
static bool screen(search *s, bool *any)
{
    const td_model *model = s->model;
    td_arena_scope(s->temporary);
    double *y = TD_ARENA_NEW(s->temporary, double, model->closure.ny);
    bool ok = y != NULL;
    *any = false;
    if (!ok)
        return false;
    td_independent_coordinates(model, s->workspace, model->closure.reference_q, y, NULL);
    if (td_closure(model, s->workspace, y, NULL, NULL, s->q, NULL, NULL) != TD_OK)
        return true; /* no other configuration can be reached from there */
    place(s);
    for (size_t n = 0; ok && n < model->closure.loops.solved; n++) {
        ok = count_balanced(s, &model->closure.loops.group[n], &s->possible[n]);
        *any = *any || s->possible[n];
    }
    return ok;
}

/* Finds the spins at one configuration. */
static bool find_at(search *s, int sample, td_spins *spins)
{
    const td_loops *loops = &s->model->closure.loops;
    bool ok = true;
    place(s);
    for (size_t n = 0; ok && n < loops->solved; n++)
        ok = !s->possible[n] || find_in_group(s, &loops->group[n], sample, spins);
    return ok;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Marks the velocities of the tree that move bodies of loops. Returns the number of entries of ẏ
   that may belong to spins. */
static size_t find_candidates(const td_model *model, char *in_loops)
{
    const td_loops *loops = &model->closure.loops;
    size_t count = 0;
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        count += may_spin(g) ? (size_t)g->independents : 0;
        for (int k = 0; in_loops && may_spin(g) && k < g->bodies; k++) {
            const td_body *body = &model->tree.body[g->body[k]];
            memset(in_loops + body->qd, 1, (size_t)body->nv);
        }
    }
    return count;
}

static bool open_search(search *s)
{
    td_model *model = s->model;
    td_arena *arena = s->temporary;
    const size_t bodies = model->tree.bodies, nv = model->tree.nv, nyd = model->closure.nyd;
    char *in_loops = TD_ARENA_NEW(arena, char, nv);
    td_spin_motion *m = &s->motion;
    s->column = TD_ARENA_NEW(arena, int, nyd);
    s->possible = TD_ARENA_NEW(arena, char, model->closure.loops.solved);
    s->q = TD_ARENA_NEW(arena, double, model->tree.nq);
    s->poses = TD_ARENA_NEW(arena, double, 12 * model->tree.links);
    s->J = TD_ARENA_NEW(arena, double, 6 * nv);
    s->origin = TD_ARENA_NEW(arena, td_vec3, bodies);
    s->body = TD_ARENA_NEW(arena, td_spin_inertia, bodies);
    *m = (td_spin_motion){.model = model,
                          .in_loops = in_loops,
                          .origin = s->origin,
                          .body = s->body,
                          .rate = TD_ARENA_NEW(arena, double, nv),
                          .twist = TD_ARENA_NEW(arena, td_spin_twist, bodies),
                          .moves = TD_ARENA_NEW(arena, char, bodies),
                          .set = TD_ARENA_NEW(arena, int, bodies),
                          .ends = TD_ARENA_NEW(arena, int, bodies),
                          .neighbor = TD_ARENA_NEW(arena, int, bodies)};
    if (!in_loops || !s->column || !s->possible || !s->q || !s->poses || !s->J || !s->origin ||
        !s->body || !m->rate || !m->twist || !m->moves || !m->set || !m->ends || !m->neighbor)
        return false;
    model->spins.at =
        TD_ARENA_NEW(&model->records.arena, td_spin, find_candidates(model, in_loops));
    if (!model->spins.at)
        return false;
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false; /* not needed here */
    td_workspace_new(model, &options, &s->workspace);
    return s->workspace != NULL;
}

bool td_find_spins(td_build *build)
{
    td_model *model = build->model;
    td_spins *spins = &model->spins;
    td_arena_scope(&build->temporary);
    search s = {.model = model, .temporary = &build->temporary};
    unsigned seed = 3;
    if (!model->single || model->closure.identity || !find_candidates(model, NULL))
        return true;
    bool any = false, ok = open_search(&s) && screen(&s, &any);
    for (int n = 0; ok && any && n < SAMPLES && (n == 0 || spins->count); n++) {
        bool away = false;
        ok = td_close_somewhere(model, s.workspace, s.temporary, &seed, s.q, &away);
        if (ok && !away) /* the reference alone does not show other configurations */
            spins->count = 0;
        ok = ok && (!away || find_at(&s, n, spins));
    }
    td_workspace_free(s.workspace);
    if (ok)
        td_spins_finish(model, SAMPLES);
    return ok;
}
