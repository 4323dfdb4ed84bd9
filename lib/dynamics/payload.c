/* SPDX-License-Identifier: MIT */
/*
 * Public functions for payloads and gravity of a workspace, and for payloads of each state of a
 * batch (dynamics/changes.h applies them).
 */
#include "tandem/payload.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "dynamics/call.h"
#include "dynamics/changes.h"
#include "dynamics/workspace.h"
#include "model/model.h"

enum { PAYLOAD = 10 }; /* numbers of a payload: mass, center, inertia */

td_status td_set_gravity(td_workspace *workspace, const double gravity[3])
{
    if (!workspace || (gravity && !td_dense_finite(3, gravity)))
        return td_refuse(workspace, "gravity");
    const td_vec3 own = workspace->model->tree.gravity;
    td_changes_tree(workspace)->gravity =
        gravity ? (td_vec3){gravity[0], gravity[1], gravity[2]} : own;
    return TD_OK;
}

const double *td_gravity(const td_model *model, const td_workspace *workspace)
{
    const td_tree *tree = workspace ? workspace->eval.tree : model ? &model->tree : NULL;
    return tree ? &tree->gravity.x : NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void changes_take(td_changes *c, const td_tree *tree, td_stack *stack)
{
    c->body = td_take(stack, td_body, tree->bodies);
    c->link = td_take(stack, td_link_frame, tree->links);
    c->body_inertia = td_take(stack, td_inertia, tree->bodies);
    c->regrouped = td_take(stack, td_inertia, tree->bodies);
    c->moments = td_take(stack, td_mass_moments, td_whole_strips(tree->bodies) / TD_STRIP_BODIES);
    c->points = td_take(stack, td_points, tree->bodies);
    c->payload = td_take(stack, td_payload, tree->links);
    c->kept = td_take(stack, td_payload, tree->links);
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

td_status td_set_payload(td_workspace *workspace, size_t link, double mass, const double com[3],
                         const double inertia[6])
{
    if (!workspace || link >= workspace->model->tree.links)
        return td_refuse(workspace, "link");
    if (!isfinite(mass) || workspace->model->tree.link[link].mass + mass < 0)
        return td_refuse(workspace, "mass");
    if ((com && !td_dense_finite(3, com)) || (inertia && !td_dense_finite(6, inertia)))
        return td_refuse(workspace, com && !td_dense_finite(3, com) ? "com" : "inertia");
    td_status status = td_allow_payloads(workspace);
    if (status != TD_OK)
        return status;
    td_payload *p = &workspace->changes.payload[link];
    *p = (td_payload){.mass = mass};
    if (com)
        memcpy(p->center, com, sizeof p->center);
    if (inertia)
        memcpy(p->inertia, inertia, sizeof p->inertia);
    td_changes_apply(workspace);
    return TD_OK;
}

td_status td_clear_payloads(td_workspace *workspace)
{
    if (!workspace)
        return TD_ERROR_ARGUMENT;
    td_changes *c = &workspace->changes;
    c->row = NULL;
    if (!c->stack.base)
        return TD_OK;
    memset(c->payload, 0, workspace->model->tree.links * sizeof *c->payload);
    td_changes_apply(workspace);
    return TD_OK;
}

/* ---- payloads of the states of batches ------------------------------------------------------- */

/* Returns whether the mass of a link with its payloads is nonnegative in all rows. `apart` is the
   distance between rows. */
static bool are_payloads(const double *at, size_t rows, size_t apart, double own)
{
    for (size_t i = 0; i < rows; i++, at += apart)
        if (!td_dense_finite(PAYLOAD, at) || own + at[0] < 0)
            return false;
    return true;
}

td_status td_set_payload_rows(td_workspace *workspace, size_t n, size_t count, const size_t *links,
                              const double *payloads)
{
    if (!workspace)
        return TD_ERROR_ARGUMENT;
    td_changes *c = &workspace->changes;
    const td_tree *tree = &workspace->model->tree;
    if (n == 0 || count == 0) {
        c->row = NULL;
        return TD_OK;
    }
    if (!links || !payloads)
        return td_refuse(workspace, links ? "payloads" : "links");
    for (size_t i = 0; i < count; i++) {
        if (links[i] >= tree->links)
            return td_refuse(workspace, "links");
        if (!are_payloads(payloads + i * PAYLOAD, n, count * PAYLOAD, tree->link[links[i]].mass))
            return td_refuse(workspace, "payloads");
    }
    const td_status status = td_allow_payloads(workspace);
    if (status != TD_OK)
        return status;
    c->row = payloads;
    c->row_link = links;
    c->row_links = count;
    c->rows = n;
    return TD_OK;
}
