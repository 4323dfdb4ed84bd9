/* SPDX-License-Identifier: MIT */
/*
 * From links and joints to the tree of the kernels: fixed joints are folded, each body's frame is
 * turned so that its joint's axis is z, and the inertias of a body's links are summed in that
 * frame.
 */
#include <string.h>

#include "frame.h"
#include "model.h"

static td_motion motion_of(td_joint_type type)
{
    switch (type) {
    case TD_JOINT_PRISMATIC:
        return TD_MOTION_PRISMATIC;
    case TD_JOINT_PLANAR:
        return TD_MOTION_PLANAR;
    case TD_JOINT_FLOATING:
        return TD_MOTION_FLOATING;
    default:
        return TD_MOTION_REVOLUTE;
    }
}

static td_frame3 link_frame(const td_tree *tree, int link)
{
    return (td_frame3){tree->link[link].rotation, tree->link[link].position};
}

static void place_link(td_tree *tree, int link, int body, td_frame3 frame)
{
    tree->link[link] = (td_link_frame){body, frame.rotation, frame.position};
}

/* adds the inertia of a link to that of its body, or to the world's mass */
static void add_inertia(td_tree *tree, const td_link *link, int index)
{
    if (!link->has_inertial)
        return;
    int b = tree->link[index].body;
    td_frame3 frame = td_frame3_compose(link_frame(tree, index), td_frame3_from(&link->inertial));
    double m = link->mass;
    td_vec3 c = frame.position, h = {m * c.x, m * c.y, m * c.z};
    if (b < 0) {
        tree->world_mass += m;
        tree->world_moment = td_vec3_add(tree->world_moment, h);
        return;
    }
    const double *I = link->inertia;
    td_sym3 about_com = td_sym3_turn(frame.rotation, (td_sym3){I[0], I[1], I[2], I[3], I[4], I[5]});
    td_body *body = &tree->body[b];
    body->mass += m;
    body->moment = td_vec3_add(body->moment, h);
    body->inertia = td_sym3_add(body->inertia, td_sym3_shift(about_com, m, c));
}

/* a new body, carried by joint i of the model */
static void add_body(td_model *model, int i, td_frame3 joint_frame, int parent_body)
{
    td_tree *tree = &model->tree;
    const td_joint *joint = &model->records.joint.at[i];
    td_joint_place *place = &model->place[i];
    int b = (int)tree->bodies++;
    place->body = b;

    td_mat3 to_axis = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (joint->type != TD_JOINT_FLOATING)
        to_axis = td_rotation_to_axis(td_vec3_from(joint->axis));
    td_body *body = &tree->body[b];
    *body = (td_body){
        .parent = parent_body,
        .motion = motion_of(joint->type),
        .q = place->q,
        .qd = place->qd,
        .angle = -1,
        .rotation = td_mat3_transpose(td_mat3_mul(joint_frame.rotation, to_axis)),
        .position = joint_frame.position,
    };
    if (body->motion == TD_MOTION_REVOLUTE || body->motion == TD_MOTION_PLANAR) {
        body->angle = (int)tree->angles++;
        tree->angle_q[body->angle] = place->q + (body->motion == TD_MOTION_PLANAR ? 2 : 0);
    }
    place_link(tree, place->child_link, b, (td_frame3){td_mat3_transpose(to_axis), {0, 0, 0}});
}

/* joint i and the link below it, the parent link being placed */
static void add_joint(td_model *model, int i)
{
    td_tree *tree = &model->tree;
    const td_joint *joint = &model->records.joint.at[i];
    td_joint_place *place = &model->place[i];
    bool base = place->parent_link < 0;
    int body = base ? -1 : tree->link[place->parent_link].body;
    td_frame3 parent = base ? (td_frame3)TD_FRAME3_IDENTITY : link_frame(tree, place->parent_link);
    td_frame3 frame = td_frame3_compose(parent, td_frame3_from(&joint->origin));

    place->parent_joint = base ? -1 : model->link_joint[place->parent_link];
    if (joint->type == TD_JOINT_FIXED) {
        place->body = body;
        place_link(tree, place->child_link, body, frame);
    } else {
        add_body(model, i, frame, body);
    }
}

bool td_build_tree(td_build *build)
{
    td_model *model = build->model;
    td_tree *tree = &model->tree;
    td_arena *arena = &model->records.arena;
    tree->links = model->records.link.count;
    tree->body = TD_ARENA_NEW(arena, td_body, model->movable_count);
    tree->link = TD_ARENA_NEW(arena, td_link_frame, tree->links);
    tree->angle_q = TD_ARENA_NEW(arena, int, model->movable_count);
    if (!tree->body || !tree->link || !tree->angle_q)
        return false;
    tree->gravity = td_vec3_from(build->options->gravity);

    if (model->base == TD_BASE_FIXED)
        place_link(tree, model->root, -1, (td_frame3)TD_FRAME3_IDENTITY);
    for (size_t i = 0; i < model->records.joint.count; i++)
        add_joint(model, (int)i);
    for (size_t k = 0; k < tree->links; k++)
        add_inertia(tree, &model->records.link.at[k], (int)k);
    return true;
}
