/* SPDX-License-Identifier: MIT */
/*
 * Loops at load. Loop joints become rows of φ; loops that share coordinates become a group. A group
 * is assembled, its rank is found there by rank-revealing Q R, and with it the joints that depend
 * on the others. Where φ vanishes for a linear map with small whole factors everywhere
 * (parallelograms) those joints are linear combinations like mimic joints; the others are left to
 * Newton's method (kernel/loop.c), or have a formula (closure_slider.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "linalg.h"
#include "model.h"

/* of the dimensionless residual of an assembled group; and of columns that count as none */
static const double assembled = 1e-12, rank_tolerance = 1e-8;

/* What a group is worked on with, beside the group itself. */
typedef struct workshop {
    td_build *build;
    td_model *model;
    td_loop_group *group;
    td_scratch scratch;
    int slots;
    int *joint, *component; /* per slot: whose coordinate it is */
    double *unit;           /* per slot */
    double size;            /* of the mechanism, m */
    void *memory;
    double *w, *q, *phi, *K; /* nw, nq, rows, rows × nv */
    double *J, *copy;        /* rows × slots, by columns */
    double *R;               /* slots² */
    double *S, *z, *trial;   /* rows², rows, nw */
    int *kind, *pick;        /* slots */
    int rank;
} workshop;

static const char *name_of(const td_model *model, int loop)
{
    const char *name = model->records.loop.at[loop].name;
    return name ? name : "";
}

/* ---- paths ----------------------------------------------------------------------------------- */

static int body_of(const td_model *model, const char *link)
{
    return model->tree.link[td_names_find(&model->link_names, link)].body;
}

static int ancestor(const td_tree *tree, int a, int b)
{
    while (a != b) {
        if (a > b)
            a = tree->body[a].parent;
        else
            b = tree->body[b].parent;
    }
    return a;
}

static int find(int *set, int i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* unites a loop with all that share a coordinate with the joints from body up to above */
static void unite_path(const td_model *model, int *set, int *first, int loop, int body, int above)
{
    const td_csr *rate = &model->closure.rate;
    for (; body != above; body = model->tree.body[body].parent) {
        const td_body *b = &model->tree.body[body];
        for (int e = rate->row[b->qd]; e < rate->row[b->qd + b->nv]; e++) {
            int *owner = &first[rate->column[e]];
            if (*owner < 0)
                *owner = loop;
            else
                set[find(set, loop)] = find(set, *owner);
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static td_vec3 column_of(td_mat3 R, int k)
{
    return k == 0   ? (td_vec3){R.xx, R.yx, R.zx}
           : k == 1 ? (td_vec3){R.xy, R.yy, R.zy}
                    : (td_vec3){R.xz, R.yz, R.zz};
}

/* the axes of the loop joint in the coordinates of the two bodies */
typedef struct axes {
    td_mat3 predecessor, successor;
} axes;

static td_vec3 half(td_vec3 a)
{
    return (td_vec3){0.5 * a.x, 0.5 * a.y, 0.5 * a.z};
}

static void add_row(td_loop_group *g, td_loop_joint *loop, td_loop_row row)
{
    g->row[g->rows++] = row;
    loop->rows++;
}

static void add_dot(td_loop_group *g, td_loop_joint *loop, td_vec3 a, td_vec3 b)
{
    add_row(g, loop, (td_loop_row){.kind = TD_ROW_DOT, .a = a, .b = b, .weight = 1});
}

/* no translation along axis k of the predecessor */
static void hold_point(td_loop_group *g, td_loop_joint *loop, const axes *x, int k, double size)
{
    add_row(
        g, loop,
        (td_loop_row){.kind = TD_ROW_POINT, .a = column_of(x->predecessor, k), .weight = 1 / size});
}

/* Of the rotations about the three axes those whose bit is set are held: one keeps two axes at a
   right angle, two keep the third axis, three all (half the antisymmetric part of the rotation). */
static void hold_rotations(td_loop_group *g, td_loop_joint *loop, const axes *x, unsigned bits)
{
    int count = 0;
    for (int k = 0; k < 3; k++)
        count += (int)(bits >> k & 1);
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        if (!(bits >> k & 1))
            continue;
        if (count == 1) {
            add_dot(g, loop, column_of(x->predecessor, next), column_of(x->successor, last));
        } else if (count == 2) {
            /* the axis that stays free, against the one of these two that the rotation moves */
            int free_axis = bits >> next & 1 ? last : next;
            int other = free_axis == next ? last : next;
            add_dot(g, loop, column_of(x->predecessor, other), column_of(x->successor, free_axis));
        } else {
            add_row(g, loop,
                    (td_loop_row){.kind = TD_ROW_DOT,
                                  .a = half(column_of(x->predecessor, last)),
                                  .b = column_of(x->successor, next),
                                  .c = half(column_of(x->predecessor, next)),
                                  .d = column_of(x->successor, last),
                                  .weight = 1});
        }
    }
}

enum { ROTATIONS = 7, ABOUT_X = 1, ABOUT_Y = 2, ABOUT_Z = 4, ALL = 7 };

/* the bits of a type whose axis is z: rotations, then translations */
static unsigned mask_of(const td_loop *record)
{
    switch (record->type) {
    case TD_LOOP_REVOLUTE:
        return (ABOUT_X | ABOUT_Y) | ALL << 3;
    case TD_LOOP_PRISMATIC:
        return ALL | (ABOUT_X | ABOUT_Y) << 3;
    case TD_LOOP_CYLINDRICAL:
        return (ABOUT_X | ABOUT_Y) | (ABOUT_X | ABOUT_Y) << 3;
    case TD_LOOP_PLANAR:
        return (ABOUT_X | ABOUT_Y) | ABOUT_Z << 3;
    case TD_LOOP_UNIVERSAL:
    case TD_LOOP_SPHERICAL:
        return ALL << 3;
    case TD_LOOP_FIXED:
        return ALL | ALL << 3;
    case TD_LOOP_DISTANCE:
        return 0;
    case TD_LOOP_MASK:
        break;
    }
    return record->mask;
}

static double norm3(td_vec3 a)
{
    return sqrt(td_vec3_dot(a, a));
}

static void add_axis(td_loop_group *g, const td_loop_joint *loop, const td_loop *record,
                     const axes *x)
{
    const td_passive passive = {.damping = record->damping,
                                .friction = record->friction,
                                .stiffness = record->spring_stiffness,
                                .reference = record->spring_reference};
    g->axis[g->axes++] = (td_loop_axis){.loop = (int)(loop - g->loop),
                                        .turns = record->type == TD_LOOP_REVOLUTE,
                                        .axis = column_of(x->predecessor, 2),
                                        .base = column_of(x->predecessor, 0),
                                        .arm = column_of(x->successor, 0),
                                        .passive = passive};
    g->passive =
        g->passive || passive.damping != 0 || passive.friction != 0 || passive.stiffness != 0;
}

static void make_rows(td_loop_group *g, td_loop_joint *loop, const td_loop *record, td_mat3 Rp,
                      td_mat3 Rs, double size)
{
    td_mat3 to_axis = record->type == TD_LOOP_MASK
                          ? (td_mat3){1, 0, 0, 0, 1, 0, 0, 0, 1}
                          : td_rotation_to_axis(td_vec3_from(record->axis));
    axes x = {td_mat3_mul(Rp, to_axis), td_mat3_mul(Rs, to_axis)};
    unsigned mask = mask_of(record);
    loop->first = g->rows;
    if (record->type == TD_LOOP_REVOLUTE || record->type == TD_LOOP_PRISMATIC)
        add_axis(g, loop, record, &x);
    hold_rotations(g, loop, &x, mask & ROTATIONS);
    if (record->type == TD_LOOP_UNIVERSAL)
        add_dot(g, loop, column_of(x.predecessor, 2),
                td_mat3_apply(Rs, td_vec3_from(record->second_axis)));
    for (int k = 0; k < 3; k++)
        if (mask >> (3 + k) & 1)
            hold_point(g, loop, &x, k, size);
    if (record->type == TD_LOOP_DISTANCE)
        add_row(
            g, loop,
            (td_loop_row){.kind = TD_ROW_DISTANCE, .length = record->distance, .weight = 1 / size});
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int place_in(const td_loop_group *g, int body)
{
    for (int k = 0; k < g->bodies; k++)
        if (g->body[k] == body)
            return k;
    return -1;
}

static void add_columns(td_loop_group *g, const td_tree *tree, int loop, int body, int above,
                        double sign)
{
    for (; body != above; body = tree->body[body].parent)
        for (int k = 0; k < tree->body[body].nv; k++)
            g->column[g->columns++] = (td_loop_column){.loop = loop,
                                                       .body = place_in(g, body),
                                                       .k = k,
                                                       .velocity = tree->body[body].qd + k,
                                                       .sign = sign};
}

/* the frame of one side in its body */
static td_frame3 side(const td_model *model, const char *link, const td_pose *origin)
{
    const td_link_frame *l = &model->tree.link[td_names_find(&model->link_names, link)];
    return td_frame3_compose((td_frame3){l->rotation, l->position}, td_frame3_from(origin));
}

/* lists the bodies from all ends up to their common ancestor, parents first */
static bool list_bodies(workshop *shop, const int *loops, int count)
{
    td_model *model = shop->model;
    td_loop_group *g = shop->group;
    const td_tree *tree = &model->tree;
    char *member = calloc(tree->bodies + 1, 1);
    if (!member)
        return false;
    int outer = body_of(model, model->records.loop.at[loops[0]].predecessor);
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        outer = ancestor(tree, outer, body_of(model, record->predecessor));
        outer = ancestor(tree, outer, body_of(model, record->successor));
    }
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        const int ends[] = {body_of(model, record->predecessor), body_of(model, record->successor)};
        for (int e = 0; e < 2; e++)
            for (int b = ends[e]; b != outer; b = tree->body[b].parent) {
                g->bodies += !member[b];
                member[b] = 1;
            }
    }
    g->body = TD_ARENA_NEW(&model->records.arena, int, (size_t)g->bodies);
    g->parent = TD_ARENA_NEW(&model->records.arena, int, (size_t)g->bodies);
    if (g->body && g->parent) {
        int n = 0;
        for (size_t b = 0; b < tree->bodies; b++)
            if (member[b])
                g->body[n++] = (int)b;
        for (int k = 0; k < n; k++)
            g->parent[k] = place_in(g, tree->body[g->body[k]].parent);
    }
    free(member);
    return g->body && g->parent;
}

static double size_of_group(const td_model *model, const td_loop_group *g)
{
    double size = 0;
    for (int k = 0; k < g->bodies; k++)
        if (g->parent[k] >= 0)
            size = fmax(size, norm3(model->tree.body[g->body[k]].position));
    for (int l = 0; l < g->loops; l++)
        size = fmax(size, fmax(g->loop[l].predecessor < 0 ? 0 : norm3(g->loop[l].predecessor_point),
                               g->loop[l].successor < 0 ? 0 : norm3(g->loop[l].successor_point)));
    return size > 0 ? size : 1;
}

static bool make_group(workshop *shop, const int *loops, int count)
{
    td_model *model = shop->model;
    td_loop_group *g = shop->group;
    td_arena *arena = &model->records.arena;
    const td_tree *tree = &model->tree;
    if (!list_bodies(shop, loops, count))
        return false;
    size_t velocities = 0;
    for (int k = 0; k < g->bodies; k++)
        velocities += (size_t)tree->body[g->body[k]].nv;
    g->loop = TD_ARENA_NEW(arena, td_loop_joint, (size_t)count);
    g->row = TD_ARENA_NEW(arena, td_loop_row, 6 * (size_t)count);
    g->column = TD_ARENA_NEW(arena, td_loop_column, velocities * (size_t)count);
    g->axis = TD_ARENA_NEW(arena, td_loop_axis, (size_t)count);
    if (!g->loop || !g->row || !g->column || !g->axis)
        return false;
    g->loops = count;
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        td_frame3 p = side(model, record->predecessor, &record->predecessor_origin);
        td_frame3 s = side(model, record->successor, &record->successor_origin);
        int bp = body_of(model, record->predecessor), bs = body_of(model, record->successor);
        g->loop[l] = (td_loop_joint){.index = loops[l],
                                     .predecessor = place_in(g, bp),
                                     .successor = place_in(g, bs),
                                     .predecessor_point = p.position,
                                     .successor_point = s.position};
        int above = ancestor(tree, bp, bs);
        add_columns(g, tree, l, bs, above, 1);
        add_columns(g, tree, l, bp, above, -1);
    }
    shop->size = size_of_group(model, g);
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        make_rows(g, &g->loop[l], record,
                  side(model, record->predecessor, &record->predecessor_origin).rotation,
                  side(model, record->successor, &record->successor_origin).rotation, shop->size);
    }
    return true;
}

/* ---- the workshop ---------------------------------------------------------------------------- */

/* reals of a group's scratch; the layout is that of loop_room in kernel/loop.c */
static size_t room_of(const td_loop_group *g)
{
    size_t b = (size_t)g->bodies, m = (size_t)g->rows, x = (size_t)g->dependents;
    size_t y = (size_t)g->independents;
    if (g->function) /* kernel/loop_function.c */
        return 2 * x + 4 * x * y + 2 * y;
    return 3 * ((b + 7) / 8 * 8) + 18 * b + 14 * m + m * (3 * x + y) + 2 * x * x + 2 * x * y +
           4 * x + 2 * y + 1;
}

/* the slots: all coordinates w that the group's joints follow */
static bool list_slots(workshop *shop)
{
    td_model *model = shop->model;
    td_loop_group *g = shop->group;
    const td_csr *rate = &model->closure.rate;
    char *member = calloc(model->closure.nwd + 1, 1);
    if (!member)
        return false;
    shop->slots = 0;
    for (int n = 0; n < g->columns; n++)
        for (int e = rate->row[g->column[n].velocity]; e < rate->row[g->column[n].velocity + 1];
             e++) {
            shop->slots += !member[rate->column[e]];
            member[rate->column[e]] = 1;
        }
    td_arena *arena = &model->records.arena;
    shop->joint = TD_ARENA_NEW(arena, int, (size_t)shop->slots);
    shop->component = TD_ARENA_NEW(arena, int, (size_t)shop->slots);
    shop->unit = TD_ARENA_NEW(arena, double, (size_t)shop->slots);
    bool ok = shop->joint && shop->component && shop->unit;
    int n = 0;
    for (size_t i = 0; ok && i < model->records.joint.count; i++)
        for (int k = 0; model->closure.wd[i] >= 0 && k < model->place[i].nv; k++)
            if (member[model->closure.wd[i] + k]) {
                td_joint_type type = model->records.joint.at[i].type;
                bool slides = type == TD_JOINT_PRISMATIC || (type == TD_JOINT_PLANAR && k < 2);
                shop->joint[n] = (int)i;
                shop->component[n] = k;
                shop->unit[n++] = slides ? shop->size : 1;
            }
    free(member);
    return ok;
}

static bool open_workshop(workshop *shop)
{
    const td_model *model = shop->model;
    const td_tree *tree = &model->tree;
    size_t m = (size_t)shop->group->rows, n = (size_t)shop->slots;
    size_t nw = model->closure.nw, angles = tree->angles + 8;
    size_t doubles[] = {nw, tree->nq, m,      m * tree->nv,        m * n, m * n, n * n, m * m, m,
                        nw, angles,   angles, room_of(shop->group)};
    double **at[] = {&shop->w,    &shop->q, &shop->phi, &shop->K, &shop->J,
                     &shop->copy, &shop->R, &shop->S,   &shop->z, &shop->trial};
    size_t total = 0, used = 0;
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++)
        total += doubles[k];
    double *block = shop->memory = calloc(total + 1, sizeof(double));
    shop->kind = calloc(2 * n + 1, sizeof(int));
    if (!block || !shop->kind)
        return false;
    shop->pick = shop->kind + n;
    size_t k = 0;
    for (; k < sizeof at / sizeof *at; used += doubles[k++])
        *at[k] = block + used;
    shop->scratch.sine = block + used;
    shop->scratch.cosine = block + used + angles;
    shop->scratch.loop = block + used + 2 * angles;
    return true;
}

static void close_workshop(workshop *shop)
{
    free(shop->memory);
    free(shop->kind);
}

/* φ and J at w, weighted; the largest |φ| */
static double examine(workshop *shop, const double *w)
{
    const td_model *model = shop->model;
    const td_closure_map *closure = &model->closure;
    td_loop_group *g = shop->group;
    td_loops alone = {.count = 1, .group = g};
    size_t m = (size_t)g->rows, nv = model->tree.nv;
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
    for (int n = 0; n < g->columns; n++) {
        const td_loop_column *c = &g->column[n];
        bool again = false; /* a velocity may be a column of several loops */
        for (int k = 0; k < n; k++)
            again = again || g->column[k].velocity == c->velocity;
        if (again)
            continue;
        const td_csr *rate = &closure->rate;
        for (int e = rate->row[c->velocity]; e < rate->row[c->velocity + 1]; e++)
            for (int s = 0; s < shop->slots; s++) {
                if (closure->wd[shop->joint[s]] + shop->component[s] != rate->column[e])
                    continue;
                for (size_t i = 0; i < m; i++)
                    shop->J[(size_t)s * m + i] += g->row[i].weight * rate->value[e] *
                                                  shop->unit[s] *
                                                  shop->K[i * nv + (size_t)c->velocity];
            }
    }
    return largest;
}

static double *coordinate(const workshop *shop, double *w, int slot)
{
    return &w[shop->model->closure.w[shop->joint[slot]] + shop->component[slot]];
}

/* ---- assembly -------------------------------------------------------------------------------- */

/* z = (J Jᵀ + damping)⁻¹ φ by Cholesky's method; false where that breaks down */
static bool damped_solve(workshop *shop, double damping)
{
    int m = shop->group->rows;
    double *S = shop->S, *z = shop->z;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? damping : 0;
            for (int s = 0; s < shop->slots; s++)
                sum += shop->J[s * m + i] * shop->J[s * m + j];
            for (int k = 0; k < j; k++)
                sum -= S[i * m + k] * S[j * m + k];
            if (i == j && !(sum > 0))
                return false;
            S[i * m + j] = i == j ? sqrt(sum) : sum / S[j * m + j];
        }
    for (int i = 0; i < m; i++) {
        z[i] = shop->phi[i];
        for (int k = 0; k < i; k++)
            z[i] -= S[i * m + k] * z[k];
        z[i] /= S[i * m + i];
    }
    for (int i = m; i-- > 0;) {
        for (int k = i + 1; k < m; k++)
            z[i] -= S[k * m + i] * z[k];
        z[i] /= S[i * m + i];
    }
    return true;
}

static double square_of(const workshop *shop)
{
    double sum = 0;
    for (int i = 0; i < shop->group->rows; i++)
        sum += shop->phi[i] * shop->phi[i];
    return sum;
}

/* Levenberg's and Marquardt's method from w on; steps are the shortest. Columns of a kind of fixed
   or more stay. Leaves the best w; its largest residual. */
static double assemble(workshop *shop, double *w, int fixed)
{
    enum { MOST_STEPS = 300 };
    size_t m = (size_t)shop->group->rows;
    double damping = 1e-3, residual = examine(shop, w), square = square_of(shop);
    memcpy(shop->trial, w, shop->model->closure.nw * sizeof *w);
    for (int step = 0; step < MOST_STEPS && residual > 1e-16; step++) {
        for (int s = 0; s < shop->slots; s++)
            if (shop->kind[s] >= fixed || shop->kind[s] < 0)
                memset(shop->J + (size_t)s * m, 0, m * sizeof(double));
        if (!damped_solve(shop, damping + 1e-15)) {
            damping = fmax(10 * damping, 1e-12);
            continue;
        }
        for (int s = 0; s < shop->slots; s++) {
            double sum = 0;
            for (size_t i = 0; i < m; i++)
                sum += shop->J[(size_t)s * m + i] * shop->z[i];
            *coordinate(shop, shop->trial, s) -= shop->unit[s] * sum;
        }
        double reached = examine(shop, shop->trial), now = square_of(shop);
        if (now < square) {
            memcpy(w, shop->trial, shop->model->closure.nw * sizeof *w);
            square = now;
            residual = reached;
            damping *= 0.1;
        } else {
            if (residual < assembled || damping > 1e6)
                break;
            memcpy(shop->trial, w, shop->model->closure.nw * sizeof *w);
            examine(shop, w);
            damping = 10 * fmax(damping, 1e-10);
        }
    }
    return examine(shop, w);
}

/* in [−1, 1), a fixed sequence */
static double next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) * 0x1p-23 - 1;
}

/* where assembly starts: zero, or the nearest position within the limits */
static void neutral(const workshop *shop, double *w)
{
    for (int s = 0; s < shop->slots; s++) {
        const td_joint *joint = &shop->model->records.joint.at[shop->joint[s]];
        double *x = coordinate(shop, w, s);
        *x = 0;
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
static double find_assembly(workshop *shop)
{
    enum { MOST_TRIES = 40 };
    double best = INFINITY, *w = shop->w;
    size_t bytes = shop->model->closure.nw * sizeof *w;
    double *kept = malloc(bytes + 1);
    unsigned seed = 1;
    for (int n = 0; kept && n < MOST_TRIES && best > assembled; n++) {
        neutral(shop, w);
        for (int s = 0; n > 1 && s < shop->slots; s++)
            *coordinate(shop, w, s) += (n < 10 ? 1 : M_PI) * shop->unit[s] * next_random(&seed);
        double residual = assemble(shop, w, n == 0 ? 2 : 9);
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

static int rank_at(workshop *shop, const double *w)
{
    examine(shop, w);
    memcpy(shop->copy, shop->J, (size_t)shop->group->rows * (size_t)shop->slots * sizeof(double));
    return shop->rank = td_pivoted_qr(shop->group->rows, shop->slots, shop->copy, shop->kind,
                                      rank_tolerance, shop->R, shop->pick);
}

/* W = ∂x/∂y of the picked columns, in units, from R; x the picks, y the rest in their order */
static double influence(const workshop *shop, int x, int y)
{
    int n = shop->slots, r = shop->rank;
    double column[64] = {0};
    for (int i = r; i-- > x;) {
        double sum = -shop->R[i * n + r + y];
        for (int k = i + 1; k < r; k++)
            sum -= shop->R[i * n + k] * column[k % 64];
        column[i % 64] = sum / shop->R[i * n + i];
    }
    return column[x % 64] * shop->unit[shop->pick[x]] / shop->unit[shop->pick[r + y]];
}

/* Whether the picked coordinates follow the others linearly everywhere: small whole factors that
   close the loops at random positions too. */
static bool is_linear_at(workshop *shop, const double *base)
{
    enum { SAMPLES = 8 };
    int r = shop->rank, p = shop->slots - r;
    if (r == 0 || r > 60)
        return r == 0;
    for (int x = 0; x < r; x++)
        for (int y = 0; y < p; y++) {
            double factor = influence(shop, x, y);
            if (fabs(factor - round(factor)) > 1e-9 || fabs(factor) > 2.5)
                return false;
        }
    unsigned seed = 3;
    for (int n = 0; n < SAMPLES; n++) {
        double *w = shop->trial;
        memcpy(w, base, shop->model->closure.nw * sizeof *w);
        for (int y = 0; y < p; y++) {
            int slot = shop->pick[r + y];
            double way = 3 * shop->unit[slot] * next_random(&seed);
            *coordinate(shop, w, slot) += way;
            for (int x = 0; x < r; x++)
                *coordinate(shop, w, shop->pick[x]) += round(influence(shop, x, y)) * way;
        }
        if (examine(shop, w) > 1e-11)
            return false;
    }
    return true;
}

/* where loops were assembled may be a singular configuration: one nearby is taken then */
static bool leave_singularity(workshop *shop)
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
        for (int s = 0; s < shop->slots; s++)
            *coordinate(shop, other, s) += 0.05 * shop->unit[s] * next_random(&seed);
        if (assemble(shop, other, 9) > assembled || rank_at(shop, other) < rank ||
            (shop->rank == rank && !moved))
            continue;
        bool linear = is_linear_at(shop, other); /* of the branches that meet here the simplest */
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
                  name_of(model, shop->group->loop[0].index));
    }
    free(other);
    free(best);
    if (memory)
        rank_at(shop, shop->w);
    return memory;
}

/* ---- what becomes of a group ----------------------------------------------------------------- */

/* puts what joint d is into all combinations that mention it, itself included */
static bool substitute(td_model *model, int d, const td_combination *is)
{
    for (size_t i = 0; i < model->records.joint.count; i++) {
        td_combination *c = &model->closure.combination[i];
        if (!model->place[i].dependent || (int)i == d)
            continue;
        double factor = 0;
        for (int k = 0; k < c->count; k++)
            factor += c->joint[k] == d ? c->factor[k] : 0;
        if (factor == 0)
            continue;
        size_t room = (size_t)(c->count + is->count);
        td_combination made = {0, TD_ARENA_NEW(&model->records.arena, int, room),
                               TD_ARENA_NEW(&model->records.arena, double, room),
                               c->constant + factor * is->constant};
        if (!made.joint || !made.factor)
            return false;
        for (int k = 0; k < c->count; k++)
            if (c->joint[k] != d) {
                made.joint[made.count] = c->joint[k];
                made.factor[made.count++] = c->factor[k];
            }
        for (int k = 0; k < is->count; k++) {
            int at = 0;
            while (at < made.count && made.joint[at] != is->joint[k])
                at++;
            if (at == made.count) {
                made.joint[made.count] = is->joint[k];
                made.factor[made.count++] = 0;
            }
            made.factor[at] += factor * is->factor[k];
        }
        *c = made;
        td_place_combination(model, (int)i);
    }
    return true;
}

/* the picked joints become combinations of the others */
static bool keep_linear(workshop *shop)
{
    td_model *model = shop->model;
    td_arena *arena = &model->records.arena;
    int r = shop->rank, p = shop->slots - r;
    for (int x = 0; x < r; x++) {
        int d = shop->joint[shop->pick[x]];
        td_combination *c = &model->closure.combination[d];
        *c = (td_combination){0, TD_ARENA_NEW(arena, int, (size_t)p),
                              TD_ARENA_NEW(arena, double, (size_t)p),
                              *coordinate(shop, shop->w, shop->pick[x])};
        if (!c->joint || !c->factor)
            return false;
        for (int y = 0; y < p; y++) {
            double factor = round(influence(shop, x, y));
            if (factor == 0)
                continue;
            c->joint[c->count] = shop->joint[shop->pick[r + y]];
            c->factor[c->count++] = factor;
            c->constant -= factor * *coordinate(shop, shop->w, shop->pick[r + y]);
        }
        if (fabs(c->constant) < 1e-12 * shop->unit[shop->pick[x]])
            c->constant = 0;
        model->place[d].dependent = true;
        td_place_combination(model, d);
        if (!substitute(model, d, c))
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* the picked joints are left to Newton's method; slots keep the joints until w is numbered anew */
static bool keep_iterated(workshop *shop, int number)
{
    td_model *model = shop->model;
    td_loop_group *g = shop->group;
    td_arena *arena = &model->records.arena;
    size_t n = (size_t)shop->slots;
    g->dependents = shop->rank;
    g->independents = shop->slots - shop->rank;
    g->coordinate = TD_ARENA_NEW(arena, int, n);
    g->velocity = TD_ARENA_NEW(arena, int, n);
    g->y = TD_ARENA_NEW(arena, int, n);
    g->yd = TD_ARENA_NEW(arena, int, n);
    g->unit = TD_ARENA_NEW(arena, double, n);
    if (!g->coordinate || !g->velocity || !g->y || !g->yd || !g->unit)
        return false;
    qsort(shop->pick, (size_t)g->dependents, sizeof(int), by_value);
    qsort(shop->pick + g->dependents, (size_t)g->independents, sizeof(int), by_value);
    for (int k = 0; k < shop->slots; k++) {
        int slot = shop->pick[k];
        g->coordinate[k] = shop->joint[slot];
        g->velocity[k] = shop->component[slot];
        g->unit[k] = shop->unit[slot];
        if (k < g->dependents) {
            model->place[shop->joint[slot]].dependent = true;
            model->place[shop->joint[slot]].cluster = number;
        }
    }
    return true;
}

/* kinds of columns: those that the file declares dependent come first; a joint of several
   coordinates stays independent. False where one cannot be part of a loop at all. */
static bool sort_columns(workshop *shop)
{
    td_model *model = shop->model;
    bool possible = true;
    for (int s = 0; s < shop->slots; s++) {
        const td_joint *joint = &model->records.joint.at[shop->joint[s]];
        shop->kind[s] = joint->independent == 0 ? 0 : joint->independent < 0 ? 1 : 2;
        if (joint->type == TD_JOINT_PLANAR)
            shop->kind[s] = -1;
        if (joint->type != TD_JOINT_FLOATING)
            continue;
        possible = false;
        td_report(shop->build->diagnostics, TD_CODE_LOOP_JOINT_TYPE, joint->source,
                  "replace it by prismatic and revolute joints",
                  "loop '%s' goes through joint '%s', which is floating",
                  name_of(model, shop->group->loop[0].index), joint->name);
        break;
    }
    return possible;
}

/* says which joints were chosen, where the file does not, or not soundly */
static void report_choice(const workshop *shop)
{
    const td_model *model = shop->model;
    const td_loop *loop = &model->records.loop.at[shop->group->loop[0].index];
    bool declared = true;
    for (int k = 0; k < shop->slots; k++) {
        const td_joint *joint = &model->records.joint.at[shop->joint[shop->pick[k]]];
        declared = declared && joint->independent >= 0;
        if (joint->independent < 0 || joint->independent == (k >= shop->rank))
            continue;
        td_report(shop->build->diagnostics, TD_CODE_LOOP_DECLARED, joint->source,
                  "correct independent= of the joints of the loop",
                  "joint '%s' is declared %s, but loop '%s' makes it %s", joint->name,
                  joint->independent ? "independent" : "dependent", loop->name ? loop->name : "",
                  joint->independent ? "dependent" : "independent");
    }
    if (declared)
        return;
    char list[200] = "";
    for (int k = shop->rank; k < shop->slots; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "",
                 model->records.joint.at[shop->joint[shop->pick[k]]].name);
    }
    td_report(shop->build->diagnostics, TD_CODE_LOOP_CHOICE, loop->source,
              "write independent=\"true\" or \"false\" on the joints to choose others",
              "of the joints of loop '%s', %s %s taken as independent",
              loop->name ? loop->name : "", *list ? list : "none",
              shop->slots - shop->rank == 1 ? "is" : "are");
}

static void set_form(workshop *shop, td_loop_form form)
{
    for (int l = 0; l < shop->group->loops; l++)
        shop->model->closure.loop_place[shop->group->loop[l].index].form = form;
}

/* loops that cannot be closed: an error, or where mimic joints hold them open a warning */
static void report_open(workshop *shop, double residual)
{
    td_model *model = shop->model;
    const td_loop *loop = &model->records.loop.at[shop->group->loop[0].index];
    for (int n = 0; n < shop->group->columns; n++) {
        const td_csr *rate = &model->closure.rate;
        int row = shop->group->column[n].velocity;
        if (rate->row[row + 1] == rate->row[row] + 1 && rate->value[rate->row[row]] == 1 &&
            rate->column[rate->row[row]] >= 0)
            continue;
        for (size_t j = 0; j < model->movable_count; j++) {
            int i = model->movable[j];
            if (model->place[i].qd != row || !model->place[i].dependent)
                continue;
            td_report(shop->build->diagnostics, TD_CODE_LOOP_CONTRADICTS, loop->source,
                      "correct the loop's frames, or the multiplier and offset of the joint",
                      "loop '%s' and joint '%s', which follows another one, contradict each other: "
                      "the loop stays open by %.3g",
                      loop->name ? loop->name : "", model->records.joint.at[i].name, residual);
            set_form(shop, TD_LOOP_OPEN);
            return;
        }
    }
    td_report(shop->build->diagnostics, TD_CODE_LOOP_ASSEMBLY, loop->source,
              "check the frames of the loop and the lengths of its links",
              "loop '%s' cannot be closed: %.3g of its size remain at best",
              loop->name ? loop->name : "", residual);
}

/* the singular values of the dependent columns */
static void rate_columns(workshop *shop, td_loop_cluster *c)
{
    size_t m = (size_t)shop->group->rows;
    examine(shop, shop->w);
    for (int k = 0; k < shop->rank; k++)
        memcpy(shop->copy + (size_t)k * m, shop->J + (size_t)shop->pick[k] * m, m * sizeof(double));
    *c = (td_loop_cluster){.loops = (size_t)shop->group->loops,
                           .rows = m,
                           .rank = (size_t)shop->rank,
                           .independent = (size_t)(shop->slots - shop->rank)};
    td_singular_values((int)m, shop->rank, shop->copy, &c->smallest, &c->largest);
}

/* φ = 0 with nothing left to solve */
static void settle(workshop *shop, td_loop_form form)
{
    set_form(shop, form);
    td_model *model = shop->model;
    const td_loop *loop = &model->records.loop.at[shop->group->loop[0].index];
    if (form == TD_LOOP_IMPLIED)
        td_report(shop->build->diagnostics, TD_CODE_LOOP_IMPLIED, loop->source,
                  "nothing need be done; the loop is kept for its forces",
                  "loop '%s' is closed already by joints that follow others",
                  loop->name ? loop->name : "");
}

/* One group; false only without memory. */
static bool work_out(workshop *shop, bool *solved)
{
    td_model *model = shop->model;
    td_closure_map *closure = &model->closure;
    *solved = false;
    if (!sort_columns(shop))
        return true;
    double residual = find_assembly(shop);
    if (residual < 0)
        return false;
    if (residual > assembled) {
        report_open(shop, residual);
        return true;
    }
    if (!leave_singularity(shop))
        return false;
    if (is_linear_at(shop, shop->w)) {
        settle(shop, shop->rank ? TD_LOOP_LINEAR : TD_LOOP_IMPLIED);
        if (shop->rank)
            report_choice(shop);
        return keep_linear(shop);
    }
    double zero = 0;
    for (int s = 0; s < shop->slots; s++)
        zero = fmax(zero, fabs(*coordinate(shop, shop->w, s)) / shop->unit[s]);
    const td_loop *loop = &model->records.loop.at[shop->group->loop[0].index];
    if (zero > 1e-9)
        td_report(shop->build->diagnostics, TD_CODE_LOOP_START, loop->source,
                  "draw the robot with its loops closed if another branch is meant",
                  "loop '%s' is not closed where all joints are zero; it starts from where it "
                  "closes",
                  loop->name ? loop->name : "");
    report_choice(shop);
    rate_columns(shop, &closure->loop_cluster[closure->loops.solved]);
    set_form(shop, TD_LOOP_ITERATED);
    *solved = true;
    if (!keep_iterated(shop, (int)closure->loops.solved))
        return false;
    if (td_find_slider(model, shop->group, shop->w))
        set_form(shop, TD_LOOP_CLOSED_FORM);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* set[l]: the loops that l is solved with */
static bool unite_loops(td_model *model, const int *covered, int *set)
{
    int *first = TD_ARENA_NEW(&model->records.arena, int, model->closure.nwd);
    if (!first)
        return false;
    for (size_t k = 0; k < model->closure.nwd; k++)
        first[k] = -1;
    for (size_t l = 0; l < model->records.loop.count; l++) {
        const td_loop *record = &model->records.loop.at[l];
        int p = body_of(model, record->predecessor), s = body_of(model, record->successor);
        int above = ancestor(&model->tree, p, s);
        set[l] = (int)l;
        if (covered[l] >= 0)
            continue;
        unite_path(model, set, first, (int)l, p, above);
        unite_path(model, set, first, (int)l, s, above);
    }
    return true;
}

/* remembers where the loops of a group closed, by joint */
static void keep_reference(const workshop *shop, double *of_joint)
{
    for (int s = 0; s < shop->slots; s++)
        of_joint[3 * shop->joint[s] + shop->component[s]] = *coordinate(shop, shop->w, s);
}

/* whether the joint is among those of the closure of the options */
static bool is_of_function(const td_build *build, int function, int joint)
{
    const td_closure_function *f = &build->options->closures[function];
    const char *name = build->model->records.joint.at[joint].name;
    for (size_t k = 0; k < f->dependents + f->independents; k++)
        if (strcmp(k < f->dependents ? f->dependent[k] : f->independent[k - f->dependents], name) ==
            0)
            return true;
    return false;
}

/* the solved groups first */
static bool close_group(td_build *build, const int *loops, int count, double *of_joint,
                        td_loop_group *settled, size_t *settled_count)
{
    td_model *model = build->model;
    td_loop_group group = {0};
    workshop shop = {.build = build, .model = model, .group = &group};
    bool solved = false;
    bool ok = make_group(&shop, loops, count) && list_slots(&shop) && open_workshop(&shop) &&
              work_out(&shop, &solved);
    if (ok && shop.w && shop.kind && group.rows)
        keep_reference(&shop, of_joint);
    close_workshop(&shop);
    td_loops *all = &model->closure.loops;
    if (solved)
        all->group[all->solved++] = group;
    else if (model->closure.loop_place[loops[0]].form != TD_LOOP_OPEN)
        settled[(*settled_count)++] = group;
    return ok;
}

/* w anew, the joints that linear loops decide being out of it; slots from joints to coordinates */
static bool number_slots(td_build *build, const double *of_joint)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    if (!td_build_linear(build))
        return false;
    closure->loops.slot = TD_ARENA_NEW(arena, int, closure->nwd);
    closure->reference = TD_ARENA_NEW(arena, double, closure->nw);
    if (!closure->loops.slot || !closure->reference)
        return false;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        td_loop_group *g = &closure->loops.group[n];
        for (int k = 0; k < g->dependents + g->independents; k++) {
            int joint = g->coordinate[k], component = g->velocity[k];
            g->coordinate[k] = closure->w[joint] + component;
            g->velocity[k] = closure->wd[joint] + component;
            closure->loops.slot[g->velocity[k]] = k;
        }
    }
    for (size_t i = 0; i < model->records.joint.count; i++) {
        int at = closure->w[i];
        if (at >= 0 && model->place[i].nq == 7)
            closure->reference[at + 6] = 1;
        for (int k = 0; at >= 0 && model->place[i].nq <= 3 && k < model->place[i].nq; k++)
            closure->reference[at + k] = of_joint[3 * i + (size_t)k];
    }
    return true;
}

/* the closure of the options that decides a joint of the loop; then all of them must be its own. −1
   for none */
static int covering(td_build *build, const int *owner, int loop)
{
    td_model *model = build->model;
    const td_loop *record = &model->records.loop.at[loop];
    const td_csr *rate = &model->closure.rate;
    const int ends[] = {body_of(model, record->predecessor), body_of(model, record->successor)};
    int above = ancestor(&model->tree, ends[0], ends[1]), by = -1;
    const char *stranger = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int e = 0; e < 2; e++)
            for (int b = ends[e]; b != above; b = model->tree.body[b].parent)
                for (int k = rate->row[model->tree.body[b].qd];
                     k < rate->row[model->tree.body[b].qd + model->tree.body[b].nv]; k++) {
                    size_t i = 0;
                    while (model->closure.wd[i] < 0 || rate->column[k] < model->closure.wd[i] ||
                           rate->column[k] >= model->closure.wd[i] + model->place[i].nv)
                        i++;
                    if (pass == 0)
                        by = owner[i] >= 0 ? owner[i] : by;
                    else if (by >= 0 && !is_of_function(build, by, (int)i))
                        stranger = model->records.joint.at[i].name;
                }
    if (stranger)
        td_report(build->diagnostics, TD_CODE_CLOSURE_FUNCTION, record->source,
                  "name all joints of the loop in the closure, or leave the loop out",
                  "closure '%s' of the options decides joints of loop '%s', but not joint '%s'",
                  build->options->closures[by].name ? build->options->closures[by].name : "",
                  name_of(model, loop), stranger);
    return by;
}

/* a loop that a closure of the options closes: checked about the reference */
static bool close_covered(td_build *build, int loop, int function, const double *of_joint,
                          td_loop_group *group)
{
    td_model *model = build->model;
    const td_closure_function *f = &build->options->closures[function];
    const td_loop_group *own = NULL;
    for (size_t n = 0; n < model->closure.loops.solved; n++)
        if (model->closure.loops.group[n].function &&
            model->closure.loops.group[n].function->solve == f->solve &&
            model->closure.loops.group[n].function->context == f->context)
            own = &model->closure.loops.group[n];
    workshop shop = {.build = build, .model = model, .group = group};
    size_t x = f->dependents, y = f->independents;
    bool ok = own && make_group(&shop, &loop, 1) && list_slots(&shop) && open_workshop(&shop);
    double *room = ok ? calloc(y + x + x * y + 1, sizeof *room) : NULL;
    unsigned seed = 3;
    double worst = 0;
    for (int n = 0; room && n < 8; n++) {
        for (size_t k = 0; k < y; k++)
            room[k] = n ? 0.1 * next_random(&seed) : 0;
        if (f->solve(f->context, room, NULL, room + y, room + y + x, NULL))
            continue;
        for (size_t i = 0; i < model->records.joint.count; i++)
            if (model->closure.w[i] >= 0 && model->place[i].nq <= 3)
                for (int k = 0; k < model->place[i].nq; k++)
                    shop.w[model->closure.w[i] + k] = of_joint[3 * i + (size_t)k];
        for (size_t k = 0; k < x + y; k++)
            shop.w[model->closure.w[own->coordinate[k]]] = k < x ? room[y + k] : room[k - x];
        worst = fmax(worst, examine(&shop, shop.w));
    }
    if (room && worst > 1e-9)
        td_report(build->diagnostics, TD_CODE_CLOSURE_VALUE, model->records.loop.at[loop].source,
                  "correct the closure, or the frames of the loop",
                  "closure '%s' of the options leaves loop '%s' open: %.3g of its size remain",
                  f->name ? f->name : "", name_of(model, loop), worst);
    if (room)
        set_form(&shop, TD_LOOP_REGISTERED);
    free(room);
    close_workshop(&shop);
    return room != NULL || !own;
}

static bool close_all(td_build *build, int *set, double *of_joint)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t count = model->records.loop.count, settled_count = 0;
    size_t most = count + build->options->closure_count;
    int *members = TD_ARENA_NEW(arena, int, count), *covered = TD_ARENA_NEW(arena, int, count);
    int *owner = TD_ARENA_NEW(arena, int, model->records.joint.count);
    td_loop_group *settled = TD_ARENA_NEW(arena, td_loop_group, count);
    closure->loops.group = TD_ARENA_NEW(arena, td_loop_group, most);
    closure->loop_cluster = TD_ARENA_NEW(arena, td_loop_cluster, most);
    if (!members || !covered || !owner || !settled || !closure->loops.group ||
        !closure->loop_cluster)
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++)
        owner[i] = -1;
    if (!td_make_functions(build, owner, of_joint))
        return false;
    for (size_t l = 0; l < count; l++) {
        covered[l] = covering(build, owner, (int)l);
        if (covered[l] >= 0 &&
            !close_covered(build, (int)l, covered[l], of_joint, &settled[settled_count++]))
            return false;
    }
    if (!unite_loops(model, covered, set))
        return false;
    for (size_t root = 0; root < count; root++) {
        int n = 0;
        for (size_t l = root; l < count; l++)
            if (find(set, (int)l) == find(set, (int)root))
                members[n++] = (int)l;
        bool first = covered[root] < 0;
        for (size_t l = 0; l < root; l++)
            first = first && find(set, (int)l) != find(set, (int)root);
        if (first && !close_group(build, members, n, of_joint, settled, &settled_count))
            return false;
    }
    closure->loops.count = closure->loops.solved + settled_count;
    memcpy(closure->loops.group + closure->loops.solved, settled, settled_count * sizeof *settled);
    return true;
}

bool td_close_loops(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena *arena = &model->records.arena;
    size_t count = model->records.loop.count;
    int *set = TD_ARENA_NEW(arena, int, count);
    double *of_joint = TD_ARENA_NEW(arena, double, 3 * model->records.joint.count);
    closure->loop_place = TD_ARENA_NEW(arena, td_loop_place, count);
    closure->loop_group = TD_ARENA_NEW(arena, int, count);
    if (!set || !of_joint || !closure->loop_place || !closure->loop_group)
        return false;
    for (size_t l = 0; l < count; l++)
        closure->loop_group[l] = -1;
    for (size_t l = 0; l < count; l++)
        closure->loop_place[l] = (td_loop_place){.cluster = -1, .constraint = -1};
    if (build->options->open_loops) {
        for (size_t l = 0; l < count; l++)
            td_report(build->diagnostics, TD_CODE_LOOP_OPEN, model->records.loop.at[l].source,
                      "leave the option out to close it",
                      "loop '%s' is left open as the options say: the model is its spanning tree",
                      name_of(model, (int)l));
    } else if ((count || build->options->closure_count) && !close_all(build, set, of_joint)) {
        return false;
    }
    td_check_functions(build);
    return number_slots(build, of_joint);
}

/* after y and G: rooms, slots of y, places of loops, and the reference in q */
bool td_finish_loops(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_loops *loops = &closure->loops;
    closure->reference_q = TD_ARENA_NEW(&model->records.arena, double, model->tree.nq);
    if (!closure->reference_q)
        return false;
    for (size_t n = 0; n < loops->count; n++) {
        td_loop_group *g = &loops->group[n];
        g->room = loops->room;
        loops->room += (room_of(g) + 7) / 8 * 8;
        for (int l = 0; l < g->loops; l++) {
            td_loop_place *place = &closure->loop_place[g->loop[l].index];
            place->cluster = n < loops->solved ? (int)n : -1;
            closure->loop_group[g->loop[l].index] = (int)n;
            place->constraint = g->constraint + g->loop[l].first;
            place->constraint_count = g->loop[l].rows;
        }
    }
    if (model->single)
        model->single->affine(&closure->position, closure->offset, closure->reference,
                              closure->reference_q);
    return true;
}
