/* SPDX-License-Identifier: MIT */
/*
 * Where loops close: a group is assembled, its rank and dependent joints are found there by
 * rank-revealing Q R, and it is asked whether γ is linear.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/damped.h"
#include "base/linalg.h"
#include "base/pose_motion.h"
#include "kernel/loops/layout.h"
#include "load/loop_workshop.h"

/* ---- the td_workshop ----------------------------------------------------------------------------
 */

/* the slots: all coordinates w that the group's joints follow */
bool td_workshop_slots(td_workshop *shop)
{
    td_model *model = shop->model;
    td_loop_group *g = shop->group;
    const td_csr *rate = &model->closure.rate;
    int *slot_of = shop->slot_of = malloc((model->closure.nwd + 1) * sizeof *slot_of);
    if (!slot_of)
        return false;
    for (size_t k = 0; k < model->closure.nwd; k++)
        slot_of[k] = -1;
    shop->slots = 0;
    for (int n = 0; n < g->columns; n++)
        for (int e = rate->row[g->column[n].velocity]; e < rate->row[g->column[n].velocity + 1];
             e++) {
            shop->slots += slot_of[rate->column[e]] < 0;
            slot_of[rate->column[e]] = 0; /* numbered below */
        }
    td_arena *arena = &model->records.arena;
    shop->joint = TD_ARENA_NEW(arena, int, (size_t)shop->slots);
    shop->component = TD_ARENA_NEW(arena, int, (size_t)shop->slots);
    shop->unit = TD_ARENA_NEW(arena, double, (size_t)shop->slots);
    bool ok = shop->joint && shop->component && shop->unit;
    int n = 0;
    for (size_t i = 0; ok && i < model->records.joint.count; i++)
        for (int k = 0; model->closure.wd[i] >= 0 && k < model->place[i].nv; k++)
            if (slot_of[model->closure.wd[i] + k] >= 0) {
                td_joint_type type = model->records.joint.at[i].type;
                bool slides = type == TD_JOINT_PRISMATIC || (type == TD_JOINT_PLANAR && k < 2) ||
                              (type == TD_JOINT_FLOATING && k >= 3);
                shop->joint[n] = (int)i;
                shop->component[n] = k;
                slot_of[model->closure.wd[i] + k] = n;
                shop->unit[n++] = slides ? shop->size : 1;
            }
    return ok;
}

bool td_workshop_open(td_workshop *shop)
{
    const td_model *model = shop->model;
    const td_tree *tree = &model->tree;
    size_t m = (size_t)shop->group->rows, n = (size_t)shop->slots;
    size_t nw = model->closure.nw, angles = tree->angles + 8;
    size_t doubles[] = {nw,     tree->nq,
                        m,      m * tree->nv,
                        m * n,  m * n,
                        n * n,  td_damped_room(m, n),
                        nw,     n * n,
                        n,      angles,
                        angles, td_loop_reals(shop->group)};
    double **at[] = {&shop->w, &shop->q, &shop->phi,   &shop->K, &shop->J,   &shop->copy,
                     &shop->R, &shop->S, &shop->trial, &shop->W, &shop->step};
    size_t total = 0, used = 0;
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
        total += doubles[k];
    double *block = shop->memory = calloc(total + 1, sizeof(double));
    shop->kind = calloc(3 * n + 1, sizeof(int));
    if (!block || !shop->kind)
        return false;
    shop->pick = shop->kind + n;
    shop->class_of = shop->pick + n;
    size_t k = 0;
    for (; k < sizeof at / sizeof *at; used += doubles[k++])
        *at[k] = block + used;
    shop->scratch.sine = block + used;
    shop->scratch.cosine = block + used + angles;
    shop->scratch.loop = block + used + 2 * angles;
    return true;
}

void td_workshop_close(td_workshop *shop)
{
    free(shop->memory);
    free(shop->kind);
    free(shop->slot_of);
}

/* adds what K has of a velocity of the tree to the columns of the slots that it follows */
static void add_columns(td_workshop *shop, int velocity)
{
    const td_csr *rate = &shop->model->closure.rate;
    size_t m = (size_t)shop->group->rows, nv = shop->model->tree.nv;
    for (int e = rate->row[velocity]; e < rate->row[velocity + 1]; e++) {
        int slot = shop->slot_of[rate->column[e]];
        for (size_t i = 0; slot >= 0 && i < m; i++)
            shop->J[(size_t)slot * m + i] += shop->group->row[i].weight * rate->value[e] *
                                             shop->unit[slot] * shop->K[i * nv + (size_t)velocity];
    }
}

/* φ and J at w, weighted; the largest |φ| */
double td_workshop_examine(td_workshop *shop, const double *w)
{
    const td_model *model = shop->model;
    const td_closure_map *closure = &model->closure;
    td_loop_group *g = shop->group;
    td_loops alone = {.count = 1, .group = g};
    size_t m = (size_t)g->rows;
    model->single->affine(&closure->position, closure->offset, w, shop->q);
    model->single->constraints(&model->tree, &alone, &shop->scratch, shop->q, NULL, shop->phi,
                               shop->K, NULL);
    memset(shop->J, 0, m * (size_t)shop->slots * sizeof *shop->J);
    double largest = 0;
    for (size_t i = 0; i < m; i++) {
        shop->phi[i] *= g->row[i].weight;
        largest = fmax(largest, fabs(shop->phi[i]));
        if (isnan(shop->phi[i]))
            largest = INFINITY;
    }
    for (int n = 0; n < g->bodies; n++) {
        const td_body *body = &model->tree.body[g->body[n]];
        for (int v = body->qd; v < body->qd + body->nv; v++)
            add_columns(shop, v);
    }
    return largest;
}

double *td_workshop_coordinate(const td_workshop *shop, double *w, int slot)
{
    return &w[shop->model->closure.w[shop->joint[slot]] + shop->component[slot]];
}

bool td_workshop_is_floating(const td_workshop *shop, int slot)
{
    return shop->model->records.joint.at[shop->joint[slot]].type == TD_JOINT_FLOATING;
}

void td_workshop_move(const td_workshop *shop, double *w, const double *step)
{
    for (int s = 0; s < shop->slots; s++) {
        if (!td_workshop_is_floating(shop, s)) {
            *td_workshop_coordinate(shop, w, s) += shop->unit[s] * step[s];
            continue;
        }
        double *pose = td_workshop_coordinate(shop, w, s);
        double twist[TD_FLOATING_VELOCITIES], from[TD_FLOATING_POSITIONS];
        for (int k = 0; k < TD_FLOATING_VELOCITIES; k++)
            twist[k] = shop->unit[s + k] * step[s + k];
        memcpy(from, pose, sizeof from);
        td_pose_move(from, twist, pose);
        s += TD_FLOATING_VELOCITIES - 1;
    }
}

/* a step of that size in every slot, at random */
static void move_at_random(td_workshop *shop, double *w, double size, unsigned *seed)
{
    for (int s = 0; s < shop->slots; s++)
        shop->step[s] = size * td_workshop_random(seed);
    td_workshop_move(shop, w, shop->step);
}

/* ---- assembly -------------------------------------------------------------------------------- */

static double square_of(const td_workshop *shop)
{
    double sum = 0;
    for (int i = 0; i < shop->group->rows; i++)
        sum += shop->phi[i] * shop->phi[i];
    return sum;
}

/* Levenberg's and Marquardt's method from w on; steps are the shortest. Columns of a kind of fixed
   or more stay. Leaves the best w; its largest residual. */
static double assemble(td_workshop *shop, double *w, int fixed)
{
    enum { MOST_STEPS = 300 };
    size_t m = (size_t)shop->group->rows;
    double damping = 1e-3, residual = td_workshop_examine(shop, w), square = square_of(shop);
    memcpy(shop->trial, w, shop->model->closure.nw * sizeof *w);
    for (int step = 0; step < MOST_STEPS && residual > 1e-16; step++) {
        for (int s = 0; s < shop->slots; s++)
            if (shop->kind[s] >= fixed)
                memset(shop->J + (size_t)s * m, 0, m * sizeof(double));
        if (!td_damped_step(m, (size_t)shop->slots, shop->J, shop->phi, damping + 1e-15, shop->S,
                            shop->step)) {
            damping = fmax(10 * damping, 1e-12);
            continue;
        }
        for (int s = 0; s < shop->slots; s++)
            shop->step[s] = -shop->step[s];
        td_workshop_move(shop, shop->trial, shop->step);
        double reached = td_workshop_examine(shop, shop->trial), now = square_of(shop);
        if (now < square) {
            memcpy(w, shop->trial, shop->model->closure.nw * sizeof *w);
            square = now;
            residual = reached;
            damping *= 0.1;
        } else {
            if (residual < TD_ASSEMBLED || damping > 1e6)
                break;
            memcpy(shop->trial, w, shop->model->closure.nw * sizeof *w);
            td_workshop_examine(shop, w);
            damping = 10 * fmax(damping, 1e-10);
        }
    }
    return td_workshop_examine(shop, w);
}

/* in [−1, 1), a fixed sequence */
double td_workshop_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) * 0x1p-23 - 1;
}

/* where assembly starts: where the joint is said to start, else at zero or the nearest position
   within the limits */
static void neutral(const td_workshop *shop, double *w)
{
    const double *start = shop->build->start;
    for (int s = 0; s < shop->slots; s++) {
        const td_joint *joint = &shop->model->records.joint.at[shop->joint[s]];
        const double *from = start ? start + TD_JOINT_POSITIONS * shop->joint[s] : NULL;
        bool given = from && !isnan(from[0]);
        double *x = td_workshop_coordinate(shop, w, s);
        if (joint->type == TD_JOINT_FLOATING) {
            static const double identity[TD_FLOATING_POSITIONS] = {0, 0, 0, 0, 0, 0, 1};
            memcpy(x, given ? from : identity, sizeof identity);
            s += TD_FLOATING_VELOCITIES - 1;
            continue;
        }
        *x = given ? from[shop->component[s]] : 0;
        if (given)
            continue;
        if (joint->type != TD_JOINT_REVOLUTE && joint->type != TD_JOINT_PRISMATIC)
            continue;
        if (joint->limit.lower > 0)
            *x = joint->limit.lower;
        else if (joint->limit.upper < 0)
            *x = joint->limit.upper;
    }
}

/* Assembles from the neutral configuration, moving dependent joints only if that is enough, and
   from others if need be. */
double td_workshop_assemble(td_workshop *shop)
{
    enum { MOST_TRIES = 40 };
    double best = INFINITY, *w = shop->w;
    size_t bytes = shop->model->closure.nw * sizeof *w;
    double *kept = malloc(bytes + 1);
    unsigned seed = 1;
    for (int n = 0; kept && n < MOST_TRIES && best > TD_ASSEMBLED; n++) {
        neutral(shop, w);
        if (n > 1)
            move_at_random(shop, w, n < 10 ? 1 : M_PI, &seed);
        double residual = assemble(shop, w, n == 0 ? TD_KIND_INDEPENDENT : TD_KINDS);
        if (residual < best) {
            best = residual;
            memcpy(kept, w, bytes);
        }
    }
    if (kept)
        memcpy(w, kept, bytes);
    free(kept);
    return kept ? best : -1;
}

/* ---- rank and choice ------------------------------------------------------------------------- */

/* a floating joint of which some coordinates were picked and some not: its first slot, else −1 */
static int split_floating(const td_workshop *shop)
{
    for (int s = 0; s < shop->slots; s++) {
        if (!td_workshop_is_floating(shop, s))
            continue;
        int picked = 0;
        for (int k = 0; k < shop->rank; k++)
            picked += shop->pick[k] >= s && shop->pick[k] < s + TD_FLOATING_VELOCITIES;
        if (picked > 0 && picked < TD_FLOATING_VELOCITIES)
            return s;
        s += TD_FLOATING_VELOCITIES - 1;
    }
    return -1;
}

static int factor_by_class(td_workshop *shop)
{
    memcpy(shop->copy, shop->J, (size_t)shop->group->rows * (size_t)shop->slots * sizeof(double));
    return td_pivoted_qr(shop->group->rows, shop->slots, shop->copy, shop->class_of,
                         TD_RANK_TOLERANCE, shop->R, shop->pick);
}

/* The rank at w and the dependent columns. A floating joint is dependent as a whole or not at all:
   one that would be so in part becomes independent, and undecided if the rank is too small then. */
static int rank_at(td_workshop *shop, const double *w)
{
    size_t bytes = (size_t)shop->slots * sizeof *shop->class_of;
    td_workshop_examine(shop, w);
    memcpy(shop->class_of, shop->kind, bytes);
    int rank = shop->rank = factor_by_class(shop);
    shop->undecided = -1;
    for (int s = split_floating(shop); s >= 0; s = split_floating(shop)) {
        for (int k = 0; k < TD_FLOATING_VELOCITIES; k++)
            shop->class_of[s + k] = -1;
        shop->rank = factor_by_class(shop);
        if (shop->rank < rank && shop->undecided < 0)
            shop->undecided = s;
    }
    return shop->rank;
}

/* W = ∂x/∂y of the picked columns, in their own coordinates, from R; x the picks, y the rest in
   their order */
static void find_influence(td_workshop *shop)
{
    int n = shop->slots, r = shop->rank, p = n - r;
    for (int y = 0; y < p; y++)
        for (int i = r; i-- > 0;) {
            double sum = -shop->R[i * n + r + y];
            for (int k = i + 1; k < r; k++)
                sum -= shop->R[i * n + k] * shop->W[k * p + y];
            shop->W[i * p + y] = sum / shop->R[i * n + i];
        }
    for (int x = 0; x < r; x++)
        for (int y = 0; y < p; y++)
            shop->W[x * p + y] *= shop->unit[shop->pick[x]] / shop->unit[shop->pick[r + y]];
}

/* W in whole numbers; false where it is not nearly so, or a factor is large, or a joint has several
   coordinates */
static bool round_influence(td_workshop *shop)
{
    int r = shop->rank, p = shop->slots - r;
    for (int s = 0; s < shop->slots; s++)
        if (!td_joint_is_scalar(shop->model->records.joint.at[shop->joint[s]].type))
            return false;
    find_influence(shop);
    for (int k = 0; k < r * p; k++) {
        double whole = round(shop->W[k]);
        if (fabs(shop->W[k] - whole) > 1e-9 || fabs(whole) > 2.5)
            return false;
        shop->W[k] = whole;
    }
    return true;
}

bool td_workshop_is_linear(td_workshop *shop, const double *base)
{
    enum { SAMPLES = 8 };
    int r = shop->rank, p = shop->slots - r;
    if (r > 0 && !round_influence(shop))
        return false;
    unsigned seed = 3;
    for (int n = 0; n < SAMPLES; n++) {
        double *w = shop->trial;
        memcpy(w, base, shop->model->closure.nw * sizeof *w);
        for (int y = 0; y < p; y++)
            shop->step[shop->pick[r + y]] = 3 * td_workshop_random(&seed);
        for (int x = 0; x < r; x++) {
            int slot = shop->pick[x];
            shop->step[slot] = 0;
            for (int y = 0; y < p; y++)
                shop->step[slot] += shop->W[x * p + y] * shop->unit[shop->pick[r + y]] /
                                    shop->unit[slot] * shop->step[shop->pick[r + y]];
        }
        td_workshop_move(shop, w, shop->step);
        if (td_workshop_examine(shop, w) > 1e-11)
            return false;
    }
    return true;
}

/* where loops were assembled may be a singular configuration: one nearby is taken then */
bool td_workshop_leave_singularity(td_workshop *shop)
{
    enum { TRIES = 8 };
    td_model *model = shop->model;
    size_t bytes = model->closure.nw * sizeof(double);
    double *other = malloc(bytes + 1), *best = malloc(bytes + 1);
    bool moved = false, memory = other && best;
    int rank = memory ? rank_at(shop, shop->w) : 0;
    unsigned seed = 7;
    for (int n = 0; memory && n < TRIES; n++) {
        memcpy(other, shop->w, bytes);
        move_at_random(shop, other, 0.05, &seed);
        if (assemble(shop, other, TD_KINDS) > TD_ASSEMBLED || rank_at(shop, other) < rank ||
            (shop->rank == rank && !moved))
            continue;
        bool linear =
            td_workshop_is_linear(shop, other); /* of the branches that meet here the simplest */
        if (shop->rank > rank || linear)
            memcpy(best, other, bytes);
        rank = shop->rank;
        moved = true;
        if (linear)
            break;
    }
    if (moved) {
        memcpy(shop->w, best, bytes);
        td_report(shop->build->diagnostics, TD_CODE_LOOP_SINGULAR,
                  model->records.loop.at[shop->group->loop[0].index].source,
                  "draw the robot in a configuration where its loops can move",
                  "loop '%s' is singular where it was first closed; it starts nearby",
                  td_loop_name(model, shop->group->loop[0].index));
    }
    free(other);
    free(best);
    if (memory)
        rank_at(shop, shop->w);
    return memory;
}
