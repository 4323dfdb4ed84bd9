/* SPDX-License-Identifier: MIT */
/*
 * Builds the kernels' tree from links and joints. Fixed joints are eliminated. Each body's frame is
 * rotated so that z is its joint's axis and x, if possible, an axis of its parent. tree_inertia.c
 * computes the inertias.
 */
#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "load/build.h"
#include "model/joint_kind.h"
#include "model/motors.h"
#include "model/pattern.h"
#include "model/tree_inertia.h"

/* Returns the axes of a body in the frame of its joint. */
static td_mat3 body_axes(td_body_axes axes, td_vec3 axis)
{
    switch (axes) {
    case TD_BODY_AXES_PLANE:
        return td_rotation_to_axis(axis);
    case TD_BODY_AXES_ALONG:
    case TD_BODY_AXES_X:
    case TD_BODY_AXES_Y:
        return td_frame_along(axis);
    case TD_BODY_AXES_JOINT:
        break;
    }
    return (td_mat3){1, 0, 0, 0, 1, 0, 0, 0, 1};
}

static td_frame3 link_frame(const td_tree *tree, int link)
{
    return (td_frame3){tree->link[link].rotation, tree->link[link].position};
}

static td_placement placement_of(td_mat3 R, td_vec3 r)
{
    return (td_placement){
        {R.xx, R.xy, R.xz, r.x}, {R.yx, R.yy, R.yz, r.y}, {R.zx, R.zy, R.zz, r.z}};
}

/* Finds which axes a link's frame shares with its body. */
static void find_axes(td_link_frame *link)
{
    static const td_permutation onwards[] = {TD_PERMUTATION_XYZ, TD_PERMUTATION_YZX,
                                             TD_PERMUTATION_ZXY};
    const td_vec3 r = link->position;
    const td_mat3 *R = &link->rotation;
    link->here = r.x == 0 && r.y == 0 && r.z == 0;
    link->about_z = R->zz == 1 && R->xz == 0 && R->yz == 0 && R->zx == 0 && R->zy == 0;
    link->permutation = TD_PERMUTATION_OTHER;
    link->parallel = td_renames_axes(link->rotation, link->axis, link->sign);
    /* in a right-handed frame, the first axis determines the others */
    if (link->parallel && link->here && link->sign[0] + link->sign[1] + link->sign[2] == 3)
        link->permutation = onwards[link->axis[0]];
}

static void place_link(td_tree *tree, int link, int parent, int body, td_frame3 frame)
{
    tree->link[link] = (td_link_frame){
        .body = body, .parent = parent, .rotation = frame.rotation, .position = frame.position};
    find_axes(&tree->link[link]);
    tree->link_placement[link] = placement_of(frame.rotation, frame.position);
}

/* The z axis of a revolute or prismatic body is given, but its x and y may be rotated about it. If
   z is parallel to an axis of the parent and x and y can be too, rotates them until both are axes
   of the parent, not negated. R: the body's axes in its parent; to_axis: in the joint's frame. */
static td_permutation align(td_mat3 *R, td_mat3 *to_axis)
{
    static const td_permutation forwards[] = {TD_PERMUTATION_YZX, TD_PERMUTATION_ZXY,
                                              TD_PERMUTATION_XYZ};
    static const td_permutation backwards[] = {TD_PERMUTATION_ZYN, TD_PERMUTATION_XZN,
                                               TD_PERMUTATION_YXN};
    const td_mat3 quarter = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    int axis[3];
    double sign[3];
    for (int turns = 0; turns < 4; turns++) {
        if (!td_renames_axes(*R, axis, sign))
            break;
        if (sign[0] > 0 && sign[1] > 0)
            return sign[2] > 0 ? forwards[axis[2]] : backwards[axis[2]];
        *R = td_mat3_mul(*R, quarter);
        *to_axis = td_mat3_mul(*to_axis, quarter);
    }
    return TD_PERMUTATION_OTHER;
}

/* Adds the n-th body of joint i. frame: the joint's frame in the parent body; replaced by its frame
   in this body. */
static void add_body(td_model *model, int i, int n, td_frame3 *frame, int parent_body)
{
    td_tree *tree = &model->tree;
    const td_joint *joint = &model->records.joint.at[i];
    const td_place *place = &model->place[i];
    const td_joint_row *row = td_joint_row_of(joint->type);
    const bool simple = td_motion_is_simple(row->body[n].motion);
    const td_motion_row *motion = td_motion_row_of(row->body[n].motion);
    td_mat3 to_axis = body_axes(row->body[n].axes, td_joint_axis(joint, n));
    const int b = (int)tree->bodies++;
    td_body *body = &tree->body[b];
    *body = (td_body){
        .parent = parent_body,
        .motion = row->body[n].motion,
        .q = place->q + n * motion->nq,
        .qd = place->qd + n * motion->nv,
        .angle = -1,
        .general = simple ? -1 : (int)tree->general_joints++,
        .nq = motion->nq,
        .nv = motion->nv,
        .pitch = joint->pitch / (2 * M_PI),
        .link = place->child_link,
        .position = frame->position,
    };
    td_mat3 R = td_rotation_rounded(td_mat3_mul(frame->rotation, to_axis));
    body->frame_permutation = simple ? align(&R, &to_axis) : TD_PERMUTATION_OTHER;
    body->permutation = motion->turns ? body->frame_permutation : TD_PERMUTATION_OTHER;
    body->rotation = td_mat3_transpose(R);
    tree->body_at_zero[b] = placement_of(R, body->position);
    if (motion->angle >= 0) {
        body->angle = (int)tree->angles++;
        tree->angle_q[body->angle] = body->q + motion->angle;
    }
    *frame = (td_frame3){td_mat3_transpose(to_axis), {0, 0, 0}};
}

/* Adds joint i and its child link; the parent link is already placed. */
static void add_joint(td_model *model, int i)
{
    td_tree *tree = &model->tree;
    const td_joint *joint = &model->records.joint.at[i];
    td_place *place = &model->place[i];
    bool base = place->parent_link < 0;
    int body = base ? -1 : tree->link[place->parent_link].body;
    td_frame3 parent = base ? (td_frame3)TD_FRAME3_IDENTITY : link_frame(tree, place->parent_link);
    td_frame3 frame = td_frame3_compose(parent, td_frame3_from(&joint->origin));
    frame.rotation = td_rotation_rounded(frame.rotation);

    place->parent_joint = base ? -1 : model->link_joint[place->parent_link];
    if (place->nv == 0) {
        place->body = body;
        place_link(tree, place->child_link, place->parent_link, body, frame);
    } else {
        for (int n = 0; n < td_joint_row_of(joint->type)->bodies; n++) {
            add_body(model, i, n, &frame, body);
            body = (int)tree->bodies - 1;
        }
        place->body = body;
        place_link(tree, place->child_link, place->parent_link, body, frame);
    }
}

/* Adds passive forces of joints, and rotor inertias of transmissions to joints with one
   coordinate. */
static void add_passive(td_model *model)
{
    td_tree *tree = &model->tree;
    for (size_t j = 0; j < model->movable_count; j++) {
        const td_joint *joint = &model->records.joint.at[model->movable[j]];
        const td_place *place = &model->place[model->movable[j]];
        const td_joint_kind *kind = td_joint_kind_of(joint->type);
        for (int k = 0; kind->damped && k < place->nv; k++) {
            tree->velocity_q[place->qd + k] = place->q + k; /* only used by springs */
            tree->passive[place->qd + k].damping = joint->damping;
            if (!kind->sprung)
                continue;
            tree->passive[place->qd + k].friction = joint->friction;
            tree->passive[place->qd + k].stiffness = joint->spring_stiffness;
            tree->passive[place->qd + k].reference = joint->spring_reference;
        }
    }
    for (td_motor motor = {0}; td_next_motor(&model->records, &motor);) {
        int joint = td_names_find(&model->joint_names, motor.inertial);
        if (joint >= 0 && model->place[joint].nv == 1)
            tree->passive[model->place[joint].qd].rotor +=
                motor.turns * motor.turns * motor.record->rotor_inertia;
    }
}

/* Finds the pattern of the mass matrix. The parent of a coordinate is the preceding coordinate of
   the same joint, or the last coordinate of the parent body. */
static bool find_pattern(td_model *model)
{
    const td_tree *tree = &model->tree;
    for (size_t i = 0; i < tree->bodies; i++) {
        const td_body *body = &tree->body[i];
        for (int k = 0; k < body->nv; k++) {
            int coordinate = body->qd + k, parent = coordinate - 1;
            if (k == 0)
                parent = body->parent < 0
                             ? -1
                             : tree->body[body->parent].qd + tree->body[body->parent].nv - 1;
            tree->pattern.parent[coordinate] = parent;
        }
    }
    return td_pattern_finish(&model->tree.pattern, &model->records.arena);
}

/* Longer runs become several chains: forces are summed about a chain's first origin, and become
   less accurate with the distance from it. */
enum { LONGEST_CHAIN = 16 };

static void find_chains(td_tree *tree)
{
    for (size_t b = tree->bodies; b-- > 0;) {
        td_body *body = &tree->body[b];
        bool ends = body->nv > 1 || b + 1 == tree->bodies;
        body->straight = ends ? 1 : body[1].straight + 1;
    }
    for (size_t b = 0; b < tree->bodies; b++)
        if (!td_motion_row_of(tree->body[b].motion)->turns)
            tree->other[tree->others++] = (int)b;
    for (size_t b = 0; b < tree->bodies; b++)
        tree->body[b].leaf = true;
    for (size_t b = tree->bodies; b-- > 0;) {
        td_body *body = &tree->body[b];
        if (body->parent < 0)
            continue;
        body->last = tree->body[body->parent].leaf;
        tree->body[body->parent].leaf = false;
        if (body->parent + 1 != (int)b)
            tree->body[body->parent].branching = true;
    }
    for (int b = 0; b < (int)tree->bodies; b++) {
        td_body *body = &tree->body[b];
        const td_body *before = b > 0 ? body - 1 : NULL;
        bool continues = before && body->parent == b - 1 && body->nv == 1 &&
                         b - tree->chain[before->chain].top < LONGEST_CHAIN;
        body->chain = continues ? before->chain : (int)tree->chains++;
        tree->chain[body->chain].bodies++;
        tree->chain[body->chain].rows++;
        if (continues)
            continue;
        const td_body *parent = body->parent < 0 ? NULL : &tree->body[body->parent];
        tree->chain[body->chain] = (td_chain){.top = b,
                                              .bodies = 1,
                                              .rows = body->nv,
                                              .qd = body->qd,
                                              .depth = tree->pattern.depth[body->qd],
                                              .parent = body->parent,
                                              .outer = parent ? parent->chain : -1,
                                              .end = parent ? parent->qd + parent->nv : 0};
    }
}

/* Sums the bodies' inertias over their links, and derives everything from them. */
static bool find_inertias(td_build *build)
{
    const td_model *model = build->model;
    td_tree *tree = &build->model->tree;
    td_arena_scope(&build->temporary);
    td_points *room = TD_ARENA_NEW(&build->temporary, td_points, tree->bodies);
    for (size_t k = 0; k < tree->links; k++)
        td_tree_add_inertia(tree, &model->records.link.at[k], (int)k);
    if (room)
        td_tree_derive(tree, room);
    return room != NULL;
}

/* Lists the links, parents first. */
static void find_orders(td_model *model)
{
    td_tree *tree = &model->tree;
    size_t n = 0;
    if (model->base == TD_BASE_FIXED)
        tree->link_order[n++] = model->root;
    for (size_t i = 0; i < tree->joints; i++)
        tree->link_order[n++] = tree->joint_link[i] = model->place[i].child_link;
    for (size_t i = 0; i < tree->movable; i++)
        tree->moving_link[i] = model->place[model->movable[i]].child_link;
}

/* With fewer entries in a row of the mass matrix, on average, kernel/tree/mass_body.c is faster for
   batches. A chain of 13 joints has 7; both methods take the same time for it. */
enum { SHALLOW_ENTRIES = 7 };
/* With at least this number, kernel/tree/mass_dense.c is faster for batches. Its scratch relies on
   this. */
enum { DEEP_ENTRIES = 20 };

static bool allocate(td_model *model)
{
    td_tree *tree = &model->tree;
    td_arena *arena = &model->records.arena;
    size_t bodies = 0;
    for (size_t j = 0; j < model->movable_count; j++)
        bodies += (size_t)td_joint_row_of(model->records.joint.at[model->movable[j]].type)->bodies;
    tree->links = model->records.link.count;
    tree->joints = model->records.joint.count;
    tree->body = TD_ARENA_NEW(arena, td_body, bodies);
    tree->chain = TD_ARENA_NEW(arena, td_chain, bodies);
    tree->link = TD_ARENA_NEW(arena, td_link_frame, tree->links);
    tree->body_at_zero = TD_ARENA_NEW(arena, td_placement, bodies);
    tree->link_placement = TD_ARENA_NEW(arena, td_placement, tree->links);
    tree->moments = TD_ARENA_NEW(arena, td_mass_moments, td_whole_strips(bodies) / TD_STRIP_BODIES);
    tree->other = TD_ARENA_NEW(arena, int, bodies);
    tree->body_inertia = TD_ARENA_NEW(arena, td_inertia, bodies);
    tree->regrouped = TD_ARENA_NEW(arena, td_inertia, bodies);
    tree->angle_q = TD_ARENA_NEW(arena, int, td_whole_vectors(bodies));
    tree->link_order = TD_ARENA_NEW(arena, int, tree->links);
    tree->joint_link = TD_ARENA_NEW(arena, int, tree->joints);
    tree->movable = model->movable_count;
    tree->moving_link = TD_ARENA_NEW(arena, int, tree->movable);
    tree->passive = TD_ARENA_NEW(arena, td_passive, tree->nv);
    tree->velocity_q = TD_ARENA_NEW(arena, int, tree->nv);
    return tree->body && tree->chain && tree->link && tree->body_at_zero && tree->link_placement &&
           tree->moments && tree->other && tree->body_inertia && tree->regrouped && tree->angle_q &&
           tree->link_order && tree->joint_link && tree->moving_link && tree->passive &&
           tree->velocity_q && td_pattern_new(&tree->pattern, arena, tree->nv);
}

bool td_build_tree(td_build *build)
{
    td_model *model = build->model;
    td_tree *tree = &model->tree;
    if (!allocate(model))
        return false;
    tree->gravity = td_vec3_from(build->options->gravity);

    if (model->base == TD_BASE_FIXED)
        place_link(tree, model->root, -1, -1, (td_frame3)TD_FRAME3_IDENTITY);
    for (size_t i = 0; i < tree->joints; i++)
        add_joint(model, (int)i);
    for (size_t i = tree->angles; i > 0 && i < td_whole_vectors(tree->angles); i++)
        tree->angle_q[i] = tree->angle_q[0];
    find_orders(model);
    if (!find_inertias(build) || !find_pattern(model))
        return false;
    find_chains(tree);
    tree->shallow = tree->pattern.entries < SHALLOW_ENTRIES * tree->nv;
    tree->deep = tree->nv > 0 && tree->pattern.entries >= DEEP_ENTRIES * tree->nv;
    add_passive(model);
    return true;
}

bool td_rebuild_tree(td_build *build)
{
    td_tree *tree = &build->model->tree;
    *tree = (td_tree){.nq = tree->nq, .nv = tree->nv};
    return td_build_tree(build) && td_place_springs(build);
}
