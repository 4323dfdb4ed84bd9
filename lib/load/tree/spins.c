/* SPDX-License-Identifier: MIT */
/*
 * Idle spins: rods in loops that turn about the line of their ends without effect. Gravity and
 * inertia cause no force along such a direction of ẏ, at any configuration.
 *
 * Motions that keep the center of mass of every body in place are the null space of a matrix. Those
 * among them that are spins (load/tree/spin_check.c) at all of several random configurations are
 * idle. A direction is known by the bodies that move, since its entries in ẏ may change.
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

/* Returns I of a link about its center of mass, in the world's axes. */
static td_mat3 turned_inertia(const td_link *link, td_mat3 R)
{
    const double *I = link->inertia;
    const td_mat3 own = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    return td_mat3_mul(td_mat3_mul(R, own), td_mat3_transpose(R));
}

/* Adds a link to its body. `about`: to the inertia, about the body's known center of mass; else to
   the mass and the center of mass times mass. */
static void add_link(search *s, size_t k, bool about)
{
    const double *P = s->poses + 12 * k;
    const td_link *link = &s->model->records.link.at[k];
    td_spin_inertia *body = &s->body[s->model->tree.link[k].body];
    const td_frame3 pose = {{P[0], P[1], P[2], P[4], P[5], P[6], P[8], P[9], P[10]},
                            {P[3], P[7], P[11]}};
    const td_frame3 frame = td_frame3_compose(pose, td_frame3_from(&link->inertial));
    if (!about) {
        body->mass += link->mass;
        body->com = td_vec3_along(body->com, link->mass, frame.position);
        return;
    }
    const td_vec3 r = td_vec3_along(frame.position, -1, body->com);
    const td_mat3 turned = turned_inertia(link, frame.rotation);
    const double from[3] = {r.x, r.y, r.z}, square = td_vec3_dot(r, r), *own = &turned.xx;
    double *I = &body->inertia.xx;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] +=
                own[3 * i + j] + link->mass * ((i == j ? square : 0) - from[i] * from[j]);
}

/* Computes the bodies' inertias and origins, and the size of the robot, at the poses. */
static void measure(search *s)
{
    const td_tree *tree = &s->model->tree;
    const td_vec3 none = {0, 0, 0};
    s->motion.size = 0;
    memset(s->body, 0, tree->bodies * sizeof *s->body);
    for (size_t k = 0; k < tree->links; k++)
        for (size_t a = 3; a < 12; a += 4)
            s->motion.size = fmax(s->motion.size, fabs(s->poses[12 * k + a] - s->poses[a]));
    s->motion.size = s->motion.size > 0 ? s->motion.size : 1;
    for (int about = 0; about < 2; about++) {
        for (size_t k = 0; k < tree->links; k++)
            if (tree->link[k].body >= 0 && s->model->records.link.at[k].has_inertial)
                add_link(s, k, about);
        for (size_t b = 0; !about && b < tree->bodies; b++)
            if (s->body[b].mass > 0)
                s->body[b].com = td_vec3_along(none, 1 / s->body[b].mass, s->body[b].com);
    }
    for (size_t b = 0; b < tree->bodies; b++) {
        const double *P = s->poses + 12 * (size_t)tree->body[b].link;
        s->origin[b] = (td_vec3){P[3], P[7], P[11]};
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

/* Finds the motions that keep all centers of mass in place at q, in terms of the columns. */
static bool find_balanced(search *s, td_null_space *null)
{
    const td_tree *tree = &s->model->tree;
    td_arena *arena = s->temporary;
    double *unit = TD_ARENA_NEW(arena, double, s->columns);
    td_column *A = td_columns_new(arena, 3 * tree->bodies, s->columns);
    if (!unit || !A)
        return false;
    for (size_t c = 0; c < s->columns; c++) {
        memset(unit, 0, s->columns * sizeof *unit);
        unit[c] = 1;
        move(s, unit);
        for (size_t b = 0; b < tree->bodies; b++) {
            const td_spin_twist *t = &s->motion.twist[b];
            const td_vec3 v = td_vec3_add(t->linear, td_vec3_cross(t->angular, s->body[b].com));
            for (size_t a = 0; s->body[b].mass > 0 && a < 3; a++)
                td_column_set(&A[c], 3 * b + a, (&v.x)[a] / s->motion.size);
        }
    }
    if (!td_find_null_space(arena, s->columns, A, TD_SPIN_ROUNDED, null))
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

/* Finds the spins at one configuration. Keeps those that the earlier ones have, too. */
static bool find_at(search *s, int sample, td_spins *spins)
{
    td_null_space null;
    td_arena_scope(s->temporary);
    TD_IN_TREE(s->workspace,
               td_motion_subspaces(s->model, s->workspace, s->q, TD_FRAME_WORLD, s->J, s->poses));
    measure(s);
    if (!find_balanced(s, &null))
        return false;
    if (!sample)
        spins->at = TD_ARENA_NEW(&s->model->records.arena, td_spin, null.count);
    if (!spins->at)
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

/* ---- results --------------------------------------------------------------------------------- */

/* Keeps the spins that all configurations have. Parts that are rounding errors become zero. */
static void keep_lasting(const td_model *model, td_spins *spins)
{
    size_t kept = 0;
    for (size_t n = 0; n < spins->count; n++) {
        if (spins->at[n].samples < SAMPLES)
            continue;
        double *part = spins->at[n].part;
        for (size_t i = 0; i < model->closure.nyd; i++)
            part[i] = isfinite(part[i]) && part[i] > TD_SPIN_ROUNDED ? part[i] : 0;
        spins->at[kept++] = spins->at[n];
    }
    spins->count = kept;
}

/* Selects the entry of ẏ that represents a spin: the largest at all configurations that takes part
   in no other spin. Returns false if there is none. */
static bool choose_velocity(const td_model *model, const td_spins *spins, td_spin *spin)
{
    double most = 0.05;
    size_t count = 0;
    for (size_t i = 0; i < model->closure.nyd; i++) {
        size_t others = 0;
        count += spin->part[i] > 0;
        for (size_t m = 0; m < spins->count; m++)
            others += &spins->at[m] != spin && spins->at[m].part[i] > 0;
        if (others || !(spin->part[i] > most))
            continue;
        most = spin->part[i];
        spin->velocity = (int)i;
    }
    spin->alone = count == 1;
    return most > 0.05;
}

/* Returns the link to name: the heaviest one that moves, the last of several. */
static int link_of(const td_model *model, const td_spin *spin)
{
    int link = -1;
    double most = -1;
    for (size_t k = 0; k < model->tree.links; k++) {
        const td_link *record = &model->records.link.at[k];
        const double mass = record->has_inertial ? record->mass : 0;
        const int body = model->tree.link[k].body;
        if (body < 0 || !spin->bodies[body] || mass < most)
            continue;
        most = mass;
        link = (int)k;
    }
    return link;
}

/* Returns the massless motion that moves exactly the bodies of the spin; NULL if none does. */
static td_idle_motion *massless_of(td_model *model, const td_spin *spin)
{
    td_idle *idle = &model->closure.idle;
    size_t bodies = 0;
    for (size_t b = 0; b < model->tree.bodies; b++)
        bodies += spin->bodies[b] != 0;
    for (size_t m = 0; m < idle->count; m++) {
        td_idle_motion *motion = &idle->motion[m];
        bool same = motion->bodies == bodies;
        for (size_t i = 0; same && i < motion->bodies; i++)
            same = spin->bodies[motion->body[i]];
        if (same)
            return motion;
    }
    return NULL;
}

/* Completes the spins. Forward dynamics needs matrices if one has no inertia. */
static void keep(td_model *model, td_spins *spins)
{
    bool chosen = true;
    keep_lasting(model, spins);
    for (size_t n = 0; n < spins->count; n++)
        chosen = chosen && choose_velocity(model, spins, &spins->at[n]);
    spins->count = chosen ? spins->count : 0;
    for (size_t n = 0; n < spins->count; n++) {
        td_spin *spin = &spins->at[n];
        spin->link = link_of(model, spin);
        td_idle_motion *motion = massless_of(model, spin);
        spin->massless = motion != NULL;
        if (!motion)
            continue;
        motion->spin = model->closure.idle.spins = true;
        motion->held = model->closure.qd_of_yd[spin->velocity];
        model->plan.plan = model->plan.batch_plan = TD_PLAN_REDUCED;
    }
}

/* Lists the entries of ẏ and the velocities of the tree that move loops. */
static void find_columns(const td_model *model, char *in_y, char *in_loops)
{
    const td_loops *loops = &model->closure.loops;
    for (size_t n = 0; n < loops->solved; n++) {
        const td_loop_group *g = &loops->group[n];
        for (int k = 0; g->loops && k < g->independents; k++)
            in_y[g->yd[k]] = 1;
        for (int k = 0; g->loops && k < g->bodies; k++) {
            const td_body *body = &model->tree.body[g->body[k]];
            memset(in_loops + body->qd, 1, (size_t)body->nv);
        }
    }
}

static bool open_search(search *s)
{
    td_model *model = s->model;
    td_arena *arena = s->temporary;
    const size_t bodies = model->tree.bodies, nv = model->tree.nv, nyd = model->closure.nyd;
    char *in_y = TD_ARENA_NEW(arena, char, nyd), *in_loops = TD_ARENA_NEW(arena, char, nv);
    td_spin_motion *m = &s->motion;
    s->column = TD_ARENA_NEW(arena, int, nyd);
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
    if (!in_y || !in_loops || !s->column || !s->q || !s->poses || !s->J || !s->origin || !s->body ||
        !m->rate || !m->twist || !m->moves || !m->set || !m->ends || !m->neighbor)
        return false;
    find_columns(model, in_y, in_loops);
    for (size_t i = 0; i < nyd; i++)
        if (in_y[i])
            s->column[s->columns++] = (int)i;
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
    if (!model->single || !model->closure.loops.solved || model->closure.identity)
        return true;
    bool ok = open_search(&s);
    for (int n = 0; ok && n < SAMPLES && (n == 0 || spins->count); n++) {
        bool away = false;
        ok = td_close_somewhere(model, s.workspace, s.temporary, &seed, s.q, &away);
        if (ok && !away) /* the reference alone does not show other configurations */
            spins->count = 0;
        ok = ok && (!away || find_at(&s, n, spins));
    }
    td_workspace_free(s.workspace);
    if (ok)
        keep(model, spins);
    return ok;
}
