/* SPDX-License-Identifier: MIT */
/*
 * Gravity and payloads of a workspace: a copy of the model's tree, whose inertias are the sums
 * of the model's inertias and the payloads.
 */
#include "dynamics/changes.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "base/jacobi.h"

td_tree *td_changes_tree(td_workspace *workspace)
{
    if (workspace->eval.tree == &workspace->model->tree) {
        workspace->changes.tree = workspace->model->tree;
        workspace->eval.tree = &workspace->changes.tree;
    }
    return &workspace->changes.tree;
}

/* Points a tree to the inertia arrays of another, and copies the sums over bodies fixed to the
   world. */
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

bool td_payload_is_empty(const td_payload *p)
{
    bool empty = p->mass == 0;
    for (int i = 0; i < 6; i++)
        empty = empty && p->inertia[i] == 0;
    return empty;
}

static bool all_empty(const td_payload *p, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!td_payload_is_empty(&p[k]))
            return false;
    return true;
}

/* Returns a payload as a link record, to be added like a link's inertia. */
static td_link record_of(const td_payload *p)
{
    td_link link = {.has_inertial = true, .mass = p->mass, .inertial = TD_POSE_IDENTITY};
    memcpy(link.inertial.position, p->center, sizeof p->center);
    memcpy(link.inertia, p->inertia, sizeof p->inertia);
    return link;
}

/* Returns the smallest principal moment about the center of mass; not finite without mass. */
static double least_moment(const td_link_frame *link)
{
    const double m = link->mass;
    const td_vec3 c = {link->moment.x / m, link->moment.y / m, link->moment.z / m};
    const td_sym3 I = td_sym3_shift(link->inertia, -m, c);
    double moment[3];
    const double about[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    return td_symmetric_eigen(about, moment, NULL) ? moment[0] : NAN;
}

/* Returns whether payloads have removed almost all mass of a link, or its moment about some
   axis. Motions with little inertia (load/tree/axes.c) or none (load/tree/idle.c) are determined
   at load, for the model's inertias. They no longer apply then. */
static bool is_emptied(const td_link_frame *now, const td_link_frame *own)
{
    static const double little = 1e-3;
    if (!(own->mass > 0))
        return false;
    return now->mass < little * own->mass || !(least_moment(now) >= little * least_moment(own));
}

void td_changes_apply(td_workspace *workspace)
{
    const td_tree *model = &workspace->model->tree;
    td_changes *c = &workspace->changes;
    td_tree *tree = td_changes_tree(workspace);
    share_inertias(tree, model);
    if (!c->stack.base || all_empty(c->payload, model->links))
        return;
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
        if (td_payload_is_empty(&c->payload[k]))
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

/* ---- payloads of the states of batches ------------------------------------------------------- */

void td_changes_begin_rows(td_workspace *workspace)
{
    td_changes *c = &workspace->changes;
    memcpy(c->kept, c->payload, workspace->model->tree.links * sizeof *c->kept);
}

void td_changes_use_row(td_workspace *workspace, size_t row)
{
    td_changes *c = &workspace->changes;
    _Static_assert(sizeof *c->payload == 10 * sizeof *c->row, "a payload is 10 numbers");
    for (size_t i = 0; i < c->row_links; i++)
        memcpy(&c->payload[c->row_link[i]], c->row + 10 * (row * c->row_links + i),
               sizeof *c->payload);
    td_changes_apply(workspace);
}

void td_changes_end_rows(td_workspace *workspace)
{
    td_changes *c = &workspace->changes;
    memcpy(c->payload, c->kept, workspace->model->tree.links * sizeof *c->kept);
    td_changes_apply(workspace);
}
