/* SPDX-License-Identifier: MIT */
/*
 * What operations take beside the rows of states: the context of every call that entries/ set up,
 * and how each argument comes into it.
 */
#ifndef TD_ARGUMENTS_H
#define TD_ARGUMENTS_H

#include "call/call.h"
#include "call/workspace.h"
#include "tandem/actuation.h"
#include "tandem/chart.h"
#include "tandem/constraint.h"
#include "tandem/kinematics.h"

/* Those that an operation takes are set, and no others. */
typedef struct td_arguments {
    const td_forces *forces; /* the caller's, or known; may be NULL */
    td_forces known;
    const unsigned char *given;
    const double *weight;
    size_t link, loop, spring;
    const double *point;       /* never NULL */
    const unsigned char *axes; /* 6; NULL: all */
    td_frame frame;
    td_scope scope;
} td_arguments;

/* ---- sizes at a site ------------------------------------------------------------------------- */

static inline size_t td_site_tree_positions(const td_site *site)
{
    return site->model->tree.nq;
}
static inline size_t td_site_tree_velocities(const td_site *site)
{
    return site->model->tree.nv;
}
static inline size_t td_site_links(const td_site *site)
{
    return site->model->tree.links;
}
static inline size_t td_site_movable(const td_site *site)
{
    return site->model->movable_count;
}
static inline size_t td_site_joints(const td_site *site)
{
    return site->model->tree.joints;
}
static inline size_t td_site_loops(const td_site *site)
{
    return site->model->records.loop.count;
}
static inline size_t td_site_constraints(const td_site *site)
{
    return site->model->closure.rows;
}
static inline size_t td_site_motors(const td_site *site)
{
    return site->model->actuation.nu;
}

/* ---- what some functions need a configuration for -------------------------------------------- */

/* whether G depends on y */
static inline bool td_site_solves(const td_site *site)
{
    return site->model->closure.loops.solved;
}

/* whether M_u depends on y */
static inline bool td_motors_change(const td_model *model)
{
    return model->closure.loops.solved || model->actuation.loops.count;
}
static inline bool td_site_motors_change(const td_site *site)
{
    return td_motors_change(site->model);
}

/* ---- what needs a workspace with matrices: lib/functions/forward_dynamics.c -------------------
 */

bool td_forward_takes_matrices(const td_site *site, bool hybrid);
static inline bool td_site_forward_matrices(const td_site *site)
{
    return !site->workspace->matrices && td_forward_takes_matrices(site, false);
}
static inline bool td_site_hybrid_matrices(const td_site *site)
{
    return !site->workspace->matrices && td_forward_takes_matrices(site, true);
}

/* ---- arguments ------------------------------------------------------------------------------- */

static inline void td_call_passive(td_call *call, td_arguments *with, const td_forces *forces)
{
    td_call_require(call, td_forces_read(&forces, &with->known), "forces");
    with->forces = forces;
}

static inline void td_call_forces(td_call *call, const td_site *site, td_arguments *with,
                                  const td_forces *forces)
{
    const bool sound = td_forces_read(&forces, &with->known);
    with->forces = forces;
    if (!forces)
        return;
    td_call_require(call, sound, "forces");
    if (sound && forces->wrenches)
        td_call_wrenches(call, site, forces->wrenches, forces->wrenches_per_state);
}

static inline void td_call_frame(td_call *call, const td_site *site, td_arguments *with,
                                 td_frame frame)
{
    (void)site;
    td_call_require(call, (unsigned)frame <= TD_FRAME_ALIGNED, "frame");
    with->frame = frame;
}

static inline void td_call_scope(td_call *call, const td_site *site, td_arguments *with,
                                 td_scope scope)
{
    (void)site;
    td_call_require(call, (unsigned)scope <= TD_SCOPE_SPRINGS, "scope");
    with->scope = scope;
}

static inline void td_call_link(td_call *call, const td_site *site, td_arguments *with, size_t link)
{
    td_call_require(call, link < td_site_links(site), "link");
    with->link = link;
}

static inline void td_call_point(td_call *call, const td_site *site, td_arguments *with,
                                 const double *point)
{
    static const double origin[3] = {0, 0, 0};
    (void)site;
    with->point = point ? point : origin;
    if (point)
        td_call_share(call, point, 3);
}

static inline void td_call_axes(td_call *call, const td_site *site, td_arguments *with,
                                const unsigned char *axes)
{
    (void)call, (void)site;
    with->axes = axes;
}

/* that it has a joint with an axis (functions/constraints.c) */
void td_call_loop(td_call *call, const td_site *site, td_arguments *with, size_t loop);

static inline void td_call_spring(td_call *call, const td_site *site, td_arguments *with,
                                  size_t spring)
{
    td_call_require(call, spring < site->model->tree.springs, "spring");
    with->spring = spring;
}

/* of motors; what they cannot do in any state is known at load, and is the status of all */
static inline void td_call_weight(td_call *call, const td_site *site, td_arguments *with,
                                  const double *weight)
{
    with->weight = weight;
    td_call_require(call, td_weights_are_sound(site->model, weight), "weight");
    td_call_require(call, !site->model->charts.mixed || !td_chart_is_used(site->workspace),
                    "workspace");
    call->good_status = site->model->actuation.status;
}

/* the coordinates of every joint agree in being given or not; of the third input the entries that
   are, of the fourth the others count (functions/forward_dynamics.c) */
void td_call_given(td_call *call, const td_site *site, td_arguments *with,
                   const unsigned char *given);

#endif
