/* SPDX-License-Identifier: MIT */
/*
 * Arguments of operations other than the rows of states: sizes at a site, and checks of each
 * argument.
 */
#ifndef TD_ARGUMENTS_H
#define TD_ARGUMENTS_H

#include "dynamics/call.h"
#include "dynamics/workspace.h"
#include "tandem/actuation.h"
#include "tandem/chart.h"
#include "tandem/constraint.h"
#include "tandem/kinematics.h"

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

/* ---- when functions need a configuration ----------------------------------------------------- */

/* Returns whether G depends on y. */
static inline bool td_site_solves(const td_site *site)
{
    return site->model->closure.loops.solved;
}

/* Returns whether M_u depends on y. */
static inline bool td_site_motors_change(const td_site *site)
{
    return td_motors_change(site->model);
}

/* ---- which calls need a workspace with matrices: lib/dynamics/forward_dynamics.c ------------- */

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

/* Inlined into both the single and the batch function, where the compiler removes the checks
   that do not apply. */
#define TD_INLINED __attribute__((always_inline)) static inline

/* Defines run_NAME, which runs an operation of operations.h. */
#define TD_RUNS(name)                                                                              \
    static void run_##name(const td_eval *eval, const void *arguments)                             \
    {                                                                                              \
        td_op_##name(eval, arguments);                                                             \
    }

/* Reads the caller's forces, and points *forces at the result. */
static inline void td_call_passive(td_call *call, const td_site *site, const td_forces **forces)
{
    (void)site;
    td_call_require(call, td_forces_read(forces, &call->forces), "forces");
}

static inline void td_call_forces(td_call *call, const td_site *site, const td_forces **forces)
{
    const bool sound = td_forces_read(forces, &call->forces);
    if (!*forces)
        return;
    td_call_require(call, sound, "forces");
    if (sound && (*forces)->wrenches)
        td_call_wrenches(call, site, (*forces)->wrenches, (*forces)->wrenches_per_state);
}

static inline void td_call_frame(td_call *call, const td_site *site, td_frame frame)
{
    (void)site;
    td_call_require(call, (unsigned)frame <= TD_FRAME_ALIGNED, "frame");
}

static inline void td_call_scope(td_call *call, const td_site *site, td_scope scope)
{
    (void)site;
    td_call_require(call, (unsigned)scope <= TD_SCOPE_SPRINGS, "scope");
}

static inline void td_call_link(td_call *call, const td_site *site, size_t link)
{
    td_call_require(call, link < td_site_links(site), "link");
}

/* Replaces a NULL point by the origin. */
static inline void td_call_point(td_call *call, const double **point)
{
    static const double origin[3] = {0, 0, 0};
    if (*point)
        td_call_share(call, *point, 3);
    else
        *point = origin;
}

/* Requires that the loop's joint has an axis (dynamics/constraints.c). */
void td_call_loop(td_call *call, const td_site *site, size_t loop);

static inline void td_call_spring(td_call *call, const td_site *site, size_t spring)
{
    td_call_require(call, spring < site->model->tree.springs, "spring");
}

/* Checks the weights of motors. Motors that fail in every state are known at load; the call then
   returns their status. */
static inline void td_call_weight(td_call *call, const td_site *site, const double *weight)
{
    td_call_require(call, td_weights_are_sound(site->model, weight), "weight");
    td_call_require(call, !site->model->charts.mixed || !td_chart_is_used(site->workspace),
                    "workspace");
    call->good_status = site->model->actuation.status;
}

/* Requires that `given` marks all coordinates of a joint or none. The call reads the marked
   entries of the third input and the unmarked ones of the fourth (dynamics/forward_dynamics.c). */
void td_call_given(td_call *call, const td_site *site, const unsigned char *given);

#endif
