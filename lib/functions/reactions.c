/* SPDX-License-Identifier: MIT */
/*
 * What joints carry, and the joints that close loops; and how far the equations of motion say it.
 */
#include "functions/arguments.h"
#include "functions/operations.h"

enum { JOINTS, LOOPS, JOINT_AMBIGUITY, LOOP_AMBIGUITY };

/* of loops: what they carry, before the forces of links take the place of what it is found by */
static void find_loads(const td_eval *eval, const void *const *in, const td_arguments *with,
                       bool joints)
{
    const td_forces *forces = with->forces;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, in[0]), *qd = td_eval_velocity(eval, in[1]);
    const void *qdd = td_eval_acceleration(eval, in[2]);
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    if (td_eval_balances(eval))
        td_eval_balance(eval, q, qd, qdd, forces);
    if (!joints)
        return;
    k->motions(eval->tree, s, qd, qdd, TD_EVERY_LINK);
    k->link_forces(eval->tree, s, td_eval_wrenches(eval, forces),
                   forces ? (int)forces->wrench_frame : TD_AT_BODY, td_with_passive(forces));
}

static void op_reactions(const td_eval *eval, const void *const *in, void *const *out,
                         const void *context)
{
    const td_arguments *with = context;
    const td_loops *loops = &eval->closure->loops;
    const td_balances *b = &eval->closure->balances;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t count = eval->model->records.loop.count;
    find_loads(eval, in, with, out[JOINTS]);
    if (td_eval_balances(eval)) {
        if (out[JOINTS])
            k->unload_loops(eval->tree, loops, s);
        if (out[LOOPS])
            k->loop_reactions(loops, b, s, (int)with->frame, out[LOOPS]);
    } else if (out[LOOPS]) {
        k->clear(out[LOOPS], 6 * count);
    }
    if (out[JOINTS])
        k->reactions(eval->tree, s, (int)with->frame, out[JOINTS]);
    if (td_eval_balances(eval)) {
        if (out[JOINT_AMBIGUITY] || out[LOOP_AMBIGUITY])
            k->loop_ambiguity(eval->tree, loops, b, s, (int)with->frame, out[JOINT_AMBIGUITY],
                              out[LOOP_AMBIGUITY]);
        return;
    }
    if (out[JOINT_AMBIGUITY])
        k->clear(out[JOINT_AMBIGUITY], 6 * eval->tree->joints);
    if (out[LOOP_AMBIGUITY])
        k->clear(out[LOOP_AMBIGUITY], 6 * count);
}

/* joints alone, where they are required */
static td_status reactions(const td_site *site, const double *y, const double *yd,
                           const double *ydd, const td_forces *forces, td_frame frame,
                           bool required, double *joints, double *loops, double *joint_ambiguity,
                           double *loop_ambiguity)
{
    if (!td_site_is_valid(site))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    const size_t of_joints = 6 * td_site_joints(site), of_loops = 6 * td_site_loops(site);
    td_arguments with;
    td_call call;
    td_call_begin(&call, op_reactions, &with);
    if (site->space == TD_COORDINATES_INDEPENDENT && site->model->closure.balances.loops) {
        td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
        call.balances = true;
    }
    td_call_positions(&call, site, y, true);
    td_call_input(&call, yd, n, false);
    td_call_input(&call, ydd, n, false);
    td_call_forces(&call, site, &with, forces);
    td_call_frame(&call, site, &with, frame);
    td_call_add_output(&call, required ? "reactions" : "joints", joints, of_joints, required);
    td_call_output(&call, loops, of_loops, false);
    td_call_output(&call, joint_ambiguity, of_joints, false);
    td_call_output(&call, loop_ambiguity, of_loops, false);
    return td_call_run(site, &call);
}

td_status td_run_joint_reactions(const td_site *site, const double *y, const double *yd,
                                 const double *ydd, const td_forces *forces, td_frame frame,
                                 double *joints)
{
    return reactions(site, y, yd, ydd, forces, frame, true, joints, NULL, NULL, NULL);
}

td_status td_run_loop_reactions(const td_site *site, const double *y, const double *yd,
                                const double *ydd, const td_forces *forces, td_frame frame,
                                double *joints, double *loops, double *joint_ambiguity,
                                double *loop_ambiguity)
{
    return reactions(site, y, yd, ydd, forces, frame, false, joints, loops, joint_ambiguity,
                     loop_ambiguity);
}
