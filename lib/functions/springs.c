/* SPDX-License-Identifier: MIT */
/*
 * Springs and dampers between two links, and the energy of all springs.
 */
#include "run/call.h"
#include "tandem/kinematics.h"

static void op_spring_motion(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const size_t *spring = context;
    td_eval_motions(eval, in[0], in[1], NULL, TD_EVERY_LINK);
    eval->kernels->spring_motion(eval->tree, eval->scratch, *spring, out[0]);
}

static td_status spring_motion(const td_model *model, td_workspace *workspace, td_space space,
                               size_t spring, const double *position, const double *velocity,
                               double motion[4])
{
    td_site site = {model, workspace, space, false, 1, NULL};
    td_call call;
    td_call_begin(&call, op_spring_motion, &spring);
    td_call_require(&call, model && spring < model->tree.springs, "spring");
    td_call_positions(&call, &site, position, true);
    td_call_input(&call, velocity, td_site_velocities(&site), false);
    td_call_output(&call, motion, 4, true);
    return td_call_run(&site, &call);
}

td_status td_spring_motion(const td_model *model, td_workspace *workspace, size_t spring,
                           const double *y, const double *yd, double motion[4])
{
    return spring_motion(model, workspace, TD_SPACE_INDEPENDENT, spring, y, yd, motion);
}

td_status td_tree_spring_motion(const td_model *model, td_workspace *workspace, size_t spring,
                                const double *q, const double *qd, double motion[4])
{
    return spring_motion(model, workspace, TD_SPACE_TREE, spring, q, qd, motion);
}

static void op_spring_energy(const td_eval *eval, const void *const *in, void *const *out,
                             const void *context)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    (void)context;
    const void *q = td_eval_position(eval, in[0]);
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    k->motions(eval->tree, s, s->zeros, s->zeros, TD_EVERY_LINK);
    k->clear(out[0], 1);
    td_eval_add_spring_energy(eval, q, out[0]);
}

td_status td_spring_energy(const td_model *model, td_workspace *workspace, const double *y,
                           double *energy)
{
    td_site site = {model, workspace, TD_SPACE_INDEPENDENT, false, 1, NULL};
    td_call call;
    td_call_begin(&call, op_spring_energy, NULL);
    td_call_positions(&call, &site, y, true);
    td_call_output(&call, energy, 1, true);
    return td_call_run(&site, &call);
}
