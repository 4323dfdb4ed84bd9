/* SPDX-License-Identifier: MIT */
/*
 * Builds a group of loops: its bodies, rows of φ for the cut joints, and the velocities that move
 * it.
 */
#include <math.h>

#include "base/frame.h"
#include "base/sort.h"
#include "load/closure/follower_order.h"
#include "load/closure/loop_analysis.h"

const char *td_loop_name(const td_model *model, int loop)
{
    const char *name = model->records.loop.at[loop].name;
    return name ? name : "";
}

/* ---- paths ----------------------------------------------------------------------------------- */

int td_loop_body(const td_model *model, const char *link)
{
    return model->tree.link[td_names_find(&model->link_names, link)].body;
}

int td_loop_ancestor(const td_tree *tree, int a, int b)
{
    while (a != b) {
        if (a > b)
            a = tree->body[a].parent;
        else
            b = tree->body[b].parent;
    }
    return a;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static td_vec3 column_of(td_mat3 R, int k)
{
    return k == 0   ? (td_vec3){R.xx, R.yx, R.zx}
           : k == 1 ? (td_vec3){R.xy, R.yy, R.zy}
                    : (td_vec3){R.xz, R.yz, R.zz};
}

/* the axes of the loop joint, in the coordinates of the two bodies */
typedef struct axes {
    td_mat3 predecessor, successor;
} axes;

static td_vec3 scaled(double factor, td_vec3 a)
{
    return (td_vec3){factor * a.x, factor * a.y, factor * a.z};
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

/* Adds a row that forbids translation along axis k of the predecessor. */
static void hold_point(td_loop_group *g, td_loop_joint *loop, const axes *x, int k, double size)
{
    add_row(
        g, loop,
        (td_loop_row){.kind = TD_ROW_POINT, .a = column_of(x->predecessor, k), .weight = 1 / size});
}

static int rotations_of(unsigned bits)
{
    return (int)(bits & 1) + (int)(bits >> 1 & 1) + (int)(bits >> 2 & 1);
}

/* Adds rows that lock rotations about the axes whose bits are set. One locked rotation keeps two
   axes perpendicular, two keep the third axis aligned. Three lock the orientation (half the
   antisymmetric part). */
static void hold_rotations(td_loop_group *g, td_loop_joint *loop, const axes *x, unsigned bits)
{
    const int count = rotations_of(bits);
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3, last = (k + 2) % 3;
        if (!(bits >> k & 1))
            continue;
        if (count == 1) {
            add_dot(g, loop, column_of(x->predecessor, next), column_of(x->successor, last));
        } else if (count == 2) {
            /* the free axis, and the locked axis that its rotation moves */
            int free_axis = bits >> next & 1 ? last : next;
            int other = free_axis == next ? last : next;
            add_dot(g, loop, column_of(x->predecessor, other), column_of(x->successor, free_axis));
        } else {
            add_row(g, loop,
                    (td_loop_row){.kind = TD_ROW_DOT,
                                  .a = scaled(0.5, column_of(x->predecessor, last)),
                                  .b = column_of(x->successor, next),
                                  .c = scaled(0.5, column_of(x->predecessor, next)),
                                  .d = column_of(x->successor, last),
                                  .weight = 1});
        }
    }
}

/* Returns the row that distinguishes a closed loop from one that is half a turn off. With two
   locked rotations it uses the cosine between the free axes; with three, two pairs of axes. With
   one, perpendicular axes look the same from both sides, and the row is empty. */
static td_loop_row turn_row(const axes *x, unsigned bits)
{
    const int count = rotations_of(bits);
    td_loop_row turn = {.kind = TD_ROW_DOT, .weight = 1};
    if (count < 2)
        return turn;
    const int first = count == 3 || !(bits & 1) ? 0 : bits >> 1 & 1 ? 2 : 1;
    turn.aligned = count - 1;
    turn.a = column_of(x->predecessor, first);
    turn.b = column_of(x->successor, first);
    if (count == 3) {
        turn.c = scaled(-1, column_of(x->predecessor, 1));
        turn.d = column_of(x->successor, 1);
    }
    return turn;
}

enum { ROTATIONS = 7, ABOUT_X = 1, ABOUT_Y = 2, ABOUT_Z = 4, ALL = 7 };

/* Returns the constraint bits of a type whose axis is z: rotations, then translations. */
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
    loop->turn = turn_row(&x, mask & ROTATIONS);
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

/* Adds columns for the joints from a body up to another. place: per body, its index in the
   group. */
static void add_columns(td_loop_group *g, const td_tree *tree, const int *place, int loop, int body,
                        int above, double sign)
{
    for (; body != above; body = tree->body[body].parent)
        for (int k = 0; k < tree->body[body].nv; k++)
            g->column[g->columns++] = (td_loop_column){.loop = loop,
                                                       .body = place[body],
                                                       .k = k,
                                                       .velocity = tree->body[body].qd + k,
                                                       .sign = sign};
}

/* Returns the frame of one side of a loop in its body. */
static td_frame3 side(const td_model *model, const char *link, const td_pose *origin)
{
    const td_link_frame *l = &model->tree.link[td_names_find(&model->link_names, link)];
    return td_frame3_compose((td_frame3){l->rotation, l->position}, td_frame3_from(origin));
}

/* Marks the unmarked bodies on the path from end up to outer. Returns how many there were. */
static int mark_way(const td_tree *tree, int end, int outer, int *place)
{
    int count = 0;
    for (int b = end; b != outer && place[b] < 0; b = tree->body[b].parent, count++)
        place[b] = 0;
    return count;
}

/* Lists the bodies on the paths from all ends up to their common ancestor, parents first. Writes
   their indices to build->desk->place. */
static bool list_bodies(td_loop_analysis *analysis, const int *loops, int count)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    const td_tree *tree = &model->tree;
    int *place = analysis->build->desk->place;
    int outer = td_loop_body(model, model->records.loop.at[loops[0]].predecessor);
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        outer = td_loop_ancestor(tree, outer, td_loop_body(model, record->predecessor));
        outer = td_loop_ancestor(tree, outer, td_loop_body(model, record->successor));
    }
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        const int ends[] = {td_loop_body(model, record->predecessor),
                            td_loop_body(model, record->successor)};
        for (int e = 0; e < 2; e++)
            g->bodies += mark_way(tree, ends[e], outer, place);
    }
    g->carrier = outer;
    g->body = TD_ARENA_NEW(&model->records.arena, int, (size_t)g->bodies);
    g->parent = TD_ARENA_NEW(&model->records.arena, int, (size_t)g->bodies);
    if (!g->body || !g->parent)
        return false;
    int n = 0;
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        const int ends[] = {td_loop_body(model, record->predecessor),
                            td_loop_body(model, record->successor)};
        for (int e = 0; e < 2; e++)
            for (int b = ends[e]; b != outer && place[b] == 0; b = tree->body[b].parent) {
                place[b] = -1;
                g->body[n++] = b;
            }
    }
    td_sort_ints(g->body, (size_t)n);
    for (int k = 0; k < n; k++) {
        const int above = tree->body[g->body[k]].parent;
        place[g->body[k]] = k;
        g->parent[k] = above < 0 ? -1 : place[above];
    }
    return true;
}

static double size_of_group(const td_model *model, const td_loop_group *g)
{
    double size = 0;
    for (int k = 0; k < g->bodies; k++)
        if (g->parent[k] >= 0)
            size = fmax(size, td_vec3_length(model->tree.body[g->body[k]].position));
    for (int l = 0; l < g->loops; l++)
        size =
            fmax(size,
                 fmax(g->loop[l].predecessor < 0 ? 0 : td_vec3_length(g->loop[l].predecessor_point),
                      g->loop[l].successor < 0 ? 0 : td_vec3_length(g->loop[l].successor_point)));
    return size > 0 ? size : 1;
}

void td_fill_closing(td_loop_analysis *analysis, int free)
{
    const td_loop_group *g = analysis->group;
    td_loop_group *closing = &analysis->closing;
    td_loop_joint *loop = closing->loop;
    td_loop_row *row = closing->row;
    *closing = *g;
    closing->loop = loop;
    closing->row = row;
    closing->rows = 0;
    for (int l = 0; l < g->loops; l++) {
        loop[l] = g->loop[l];
        loop[l].first = closing->rows;
        for (int i = 0; i < g->loop[l].rows; i++)
            row[closing->rows++] = g->row[g->loop[l].first + i];
        if (free != TD_ALL_LOOPS && free != l && loop[l].turn.aligned != 0)
            row[closing->rows++] = loop[l].turn;
        loop[l].rows = closing->rows - loop[l].first;
    }
    for (int i = 0; g->curves && i < g->curves->followers; i++)
        row[closing->rows++] = g->row[g->rows - g->curves->followers + i];
}

void td_fill_loop_group(td_loop_analysis *analysis)
{
    const td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    for (int l = 0; l < g->loops; l++) {
        const td_loop *record = &model->records.loop.at[g->loop[l].index];
        g->loop[l].predecessor_point =
            side(model, record->predecessor, &record->predecessor_origin).position;
        const td_frame3 successor = side(model, record->successor, &record->successor_origin);
        g->loop[l].successor_point = successor.position;
        g->loop[l].frame = successor.rotation;
        g->loop[l].rows = 0;
    }
    analysis->size = size_of_group(model, g);
    g->rows = g->axes = 0;
    for (int l = 0; l < g->loops; l++) {
        const td_loop *record = &model->records.loop.at[g->loop[l].index];
        make_rows(g, &g->loop[l], record,
                  side(model, record->predecessor, &record->predecessor_origin).rotation,
                  side(model, record->successor, &record->successor_origin).rotation,
                  analysis->size);
    }
    for (int i = 0; g->curves && i < g->curves->followers; i++) {
        const td_joint *joint = &model->records.joint.at[g->curves->joint[i]];
        const double unit = td_joint_slides(joint->type) ? analysis->size : 1;
        g->row[g->rows++] = (td_loop_row){.kind = TD_ROW_FOLLOWER, .weight = 1 / unit};
    }
    td_fill_closing(analysis, TD_NO_LOOP);
}

bool td_add_followers(td_loop_analysis *analysis, const int *joint, int count)
{
    td_loop_group *g = analysis->group;
    td_arena *arena = &analysis->model->records.arena;
    if (!count)
        return true;
    g->curves = TD_ARENA_NEW(arena, td_loop_curves, 1);
    g->row = TD_ARENA_NEW(arena, td_loop_row, (size_t)(6 * g->loops + count));
    analysis->closing.row = TD_ARENA_NEW(arena, td_loop_row, (size_t)(7 * g->loops + count));
    if (!g->curves || !g->row || !analysis->closing.row ||
        !td_write_curves(analysis->build, joint, count, g->curves))
        return false;
    td_fill_loop_group(analysis);
    return true;
}

bool td_make_loop_group(td_loop_analysis *analysis, const int *loops, int count)
{
    td_model *model = analysis->model;
    td_loop_group *g = analysis->group;
    td_arena *arena = &model->records.arena;
    const td_tree *tree = &model->tree;
    int *place = analysis->build->desk->place;
    if (!list_bodies(analysis, loops, count))
        return false;
    size_t velocities = 0;
    for (int k = 0; k < g->bodies; k++)
        velocities += (size_t)tree->body[g->body[k]].nv;
    g->loop = TD_ARENA_NEW(arena, td_loop_joint, (size_t)count);
    g->row = TD_ARENA_NEW(arena, td_loop_row, 6 * (size_t)count);
    g->column = TD_ARENA_NEW(arena, td_loop_column, velocities * (size_t)count);
    g->axis = TD_ARENA_NEW(arena, td_loop_axis, (size_t)count);
    analysis->closing.loop = TD_ARENA_NEW(arena, td_loop_joint, (size_t)count);
    analysis->closing.row = TD_ARENA_NEW(arena, td_loop_row, 7 * (size_t)count);
    if (!g->loop || !g->row || !g->column || !g->axis || !analysis->closing.loop ||
        !analysis->closing.row)
        return false;
    g->loops = count;
    for (int l = 0; l < count; l++) {
        const td_loop *record = &model->records.loop.at[loops[l]];
        int bp = td_loop_body(model, record->predecessor),
            bs = td_loop_body(model, record->successor);
        g->loop[l] = (td_loop_joint){
            .index = loops[l],
            .predecessor = bp < 0 ? -1 : place[bp],
            .successor = bs < 0 ? -1 : place[bs],
            .predecessor_link = td_names_find(&model->link_names, record->predecessor),
            .successor_link = td_names_find(&model->link_names, record->successor)};
        int above = td_loop_ancestor(tree, bp, bs);
        add_columns(g, tree, place, l, bs, above, 1);
        add_columns(g, tree, place, l, bp, above, -1);
    }
    for (int k = 0; k < g->bodies; k++)
        place[g->body[k]] = -1;
    td_fill_loop_group(analysis);
    return true;
}
