/* SPDX-License-Identifier: MIT */
/*
 * Payloads and gravity of a workspace: a copy of the model's tree, of which the arrays that hold
 * inertias are summed anew from those of the model and the payloads.
 */
#include "tandem/payload.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "base/jacobi.h"
#include "call/call.h"
#include "call/workspace.h"
#include "model/model.h"

static bool all_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* the workspace's own tree, in use from now on; what was factored was another one's */
static td_tree *own_tree(td_workspace *workspace)
{
    if (workspace->tree == &workspace->model->tree) {
        workspace->changes.tree = workspace->model->tree;
        workspace->tree = &workspace->changes.tree;
    }
    return &workspace->changes.tree;
}

td_status td_set_gravity(td_workspace *workspace, const double gravity[3])
{
    if (!workspace || (gravity && !all_finite(gravity, 3)))
        return td_refuse(workspace, "gravity");
    const td_vec3 own = workspace->model->tree.gravity;
    own_tree(workspace)->gravity = gravity ? (td_vec3){gravity[0], gravity[1], gravity[2]} : own;
    return TD_OK;
}

const double *td_gravity(const td_model *model, const td_workspace *workspace)
{
    const td_tree *tree = workspace ? workspace->tree : model ? &model->tree : NULL;
    return tree ? &tree->gravity.x : NULL;
}

/* ---- room ------------------------------------------------------------------------------------ */

static void changes_take(td_changes *c, const td_tree *tree, td_stack *stack)
{
    c->body = td_take(stack, td_body, tree->bodies);
    c->link = td_take(stack, td_link_frame, tree->links);
    c->body_inertia = td_take(stack, td_inertia, tree->bodies);
    c->regrouped = td_take(stack, td_inertia, tree->bodies);
    c->moments = td_take(stack, td_mass_moments, td_whole_strips(tree->bodies) / TD_STRIP_BODIES);
    c->points = td_take(stack, td_points, tree->bodies);
    c->payload = td_take(stack, td_payload, tree->links);
    c->velocity = td_take(stack, int, tree->nv);
}

td_status td_allow_payloads(td_workspace *workspace)
{
    if (!workspace)
        return TD_ERROR_ARGUMENT;
    td_changes *c = &workspace->changes;
    if (c->stack.base)
        return TD_OK;
    const td_tree *tree = &workspace->model->tree;
    if (!td_take_twice(&c->stack, changes_take(c, tree, &c->stack)))
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < tree->nv; i++)
        c->velocity[i] = (int)(tree->nv - 1 - i);
    return TD_OK;
}

/* ---- payloads -------------------------------------------------------------------------------- */

/* the arrays with inertias in them, and their sums over what is part of the world */
static void share_inertias(td_tree *target, const td_tree *source)
{
    target->body = source->body;
    target->link = source->link;
    target->body_inertia = source->body_inertia;
    target->regrouped = source->regrouped;
    target->moments = source->moments;
    target->world_mass = source->world_mass;
    target->world_moment = source->world_moment;
    target->suspects = source->suspects;
    target->suspect = source->suspect;
    target->emptied = source->emptied;
}

static bool is_empty(const td_payload *p)
{
    bool empty = p->mass == 0;
    for (int i = 0; i < 6; i++)
        empty = empty && p->inertia[i] == 0;
    return empty;
}

/* a payload as the record of a link, for what adds up those of links */
static td_link record_of(const td_payload *p)
{
    td_link link = {.has_inertial = true, .mass = p->mass, .inertial = TD_POSE_IDENTITY};
    memcpy(link.inertial.position, p->center, sizeof p->center);
    memcpy(link.inertia, p->inertia, sizeof p->inertia);
    return link;
}

/* the least moment about the centre of mass; not finite without mass */
static double least_moment(const td_link_frame *link)
{
    const double m = link->mass;
    const td_vec3 c = {link->moment.x / m, link->moment.y / m, link->moment.z / m};
    const td_sym3 I = td_sym3_shift(link->inertia, -m, c);
    double moment[3];
    const double about[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    return td_symmetric_eigen(about, moment, NULL) ? moment[0] : NAN;
}

/* Whether payloads have left a link with almost no mass, or no moment about one of its axes. What
   is found at load of motions that move little (load/tree/axes.c) or nothing (load/tree/idle.c) is
   that of the model, whose link resists them. */
static bool is_emptied(const td_link_frame *now, const td_link_frame *own)
{
    static const double little = 1e-3;
    if (!(own->mass > 0))
        return false;
    return now->mass < little * own->mass || !(least_moment(now) >= little * least_moment(own));
}

/* The workspace's arrays: the model's and all payloads. */
static void apply(td_workspace *workspace)
{
    const td_tree *model = &workspace->model->tree;
    td_changes *c = &workspace->changes;
    td_tree *tree = own_tree(workspace);
    share_inertias(tree, model);
    memcpy(c->body, model->body, model->bodies * sizeof *c->body);
    memcpy(c->link, model->link, model->links * sizeof *c->link);
    memcpy(c->moments, model->moments,
           td_whole_strips(model->bodies) / TD_STRIP_BODIES * sizeof *c->moments);
    tree->body = c->body;
    tree->link = c->link;
    tree->body_inertia = c->body_inertia;
    tree->regrouped = c->regrouped;
    tree->moments = c->moments;
    for (size_t k = 0; k < model->links; k++) {
        td_link record = record_of(&c->payload[k]);
        if (is_empty(&c->payload[k]))
            continue;
        td_tree_add_inertia(tree, &record, (int)k);
        tree->emptied = tree->emptied || is_emptied(&c->link[k], &model->link[k]);
    }
    if (tree->emptied) {
        tree->suspects = tree->nv;
        tree->suspect = c->velocity;
    }
    td_tree_derive(tree, c->points);
}

td_status td_set_payload(td_workspace *workspace, size_t link, double mass, const double com[3],
                         const double inertia[6])
{
    if (!workspace || link >= workspace->model->tree.links)
        return td_refuse(workspace, "link");
    if (!isfinite(mass) || workspace->model->tree.link[link].mass + mass < 0)
        return td_refuse(workspace, "mass");
    if ((com && !all_finite(com, 3)) || (inertia && !all_finite(inertia, 6)))
        return td_refuse(workspace, com && !all_finite(com, 3) ? "com" : "inertia");
    td_status status = td_allow_payloads(workspace);
    if (status != TD_OK)
        return status;
    td_payload *p = &workspace->changes.payload[link];
    *p = (td_payload){.mass = mass};
    if (com)
        memcpy(p->center, com, sizeof p->center);
    if (inertia)
        memcpy(p->inertia, inertia, sizeof p->inertia);
    apply(workspace);
    return TD_OK;
}

td_status td_clear_payloads(td_workspace *workspace)
{
    if (!workspace)
        return TD_ERROR_ARGUMENT;
    td_changes *c = &workspace->changes;
    if (!c->stack.base)
        return TD_OK;
    memset(c->payload, 0, workspace->model->tree.links * sizeof *c->payload);
    share_inertias(own_tree(workspace), &workspace->model->tree);
    return TD_OK;
}
