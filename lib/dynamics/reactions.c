/* SPDX-License-Identifier: MIT */
/*
 * Reactions of joints and of loop joints, and their ambiguity: how far the equations of motion
 * leave them undetermined. Also the residual wrench, which the whole robot needs from outside.
 */
#include "dynamics/arguments.h"
#include "dynamics/operations.h"

/* Outputs may be NULL if not wanted. */
typedef struct reaction_arguments {
    const td_reals *y, *yd, *ydd;
    const td_forces *forces;
    td_frame frame;
    td_reals *joints, *loops, *joint_ambiguity, *loop_ambiguity;
} reaction_arguments;

/* Computes the wrenches of loops first, since the forces of links then overwrite the arrays that
   they are computed from. */
static void find_loads(const td_eval *eval, const reaction_arguments *a)
{
    const td_forces *forces = a->forces;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *q = td_eval_position(eval, a->y), *qd = td_eval_velocity(eval, a->yd);
    const void *qdd = td_eval_acceleration(eval, a->ydd);
    k->poses(eval->tree, s, q, TD_EVERY_LINK, true);
    if (td_eval_balances(eval))
        td_eval_balance(eval, q, qd, qdd, forces);
    if (!a->joints)
        return;
    k->motions(eval->tree, s, qd, qdd, TD_EVERY_LINK);
    k->link_forces(eval->tree, s, td_eval_wrenches(eval, forces),
                   forces ? (int)forces->wrench_frame : TD_AT_BODY, td_with_passive(forces));
}

static void op_reactions(const td_eval *eval, const void *arguments)
{
    const reaction_arguments *a = arguments;
    const td_closure_map *closure = eval->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const size_t count = eval->model->records.loop.count;
    find_loads(eval, a);
    if (td_eval_balances(eval)) {
        if (a->joints)
            k->unload_loops(eval->tree, &closure->loops, s);
        if (a->loops)
            k->loop_reactions(closure, s, (int)a->frame, a->loops);
    } else if (a->loops) {
        k->clear(a->loops, 6 * count);
    }
    if (a->joints)
        k->reactions(eval->tree, s, (int)a->frame, a->joints);
    if (td_eval_balances(eval)) {
        if (a->joint_ambiguity || a->loop_ambiguity)
            k->loop_ambiguity(eval->tree, closure, s, (int)a->frame, a->joint_ambiguity,
                              a->loop_ambiguity);
        return;
    }
    if (a->joint_ambiguity)
        k->clear(a->joint_ambiguity, 6 * eval->tree->joints);
    if (a->loop_ambiguity)
        k->clear(a->loop_ambiguity, 6 * count);
}

/* Computes reactions. `joints` is the name of that output; joint_reactions requires it. */
static td_status reactions(const td_site *site, reaction_arguments *a, const char *joints,
                           bool required)
{
    td_call call;
    if (!td_call_enter(&call, site, op_reactions, a))
        return td_check_pair(site->model, site->workspace);
    const size_t n = td_site_velocities(site);
    const size_t of_joints = 6 * td_site_joints(site), of_loops = 6 * td_site_loops(site);
    if (site->space == TD_COORDINATES_INDEPENDENT && site->model->closure.balances.loops) {
        td_call_solve(&call, TD_ERROR_ACTUATION_SINGULAR);
        call.balances = true;
    }
    td_call_positions(&call, site, a, y, true);
    td_call_input(&call, a, yd, n, false);
    td_call_input(&call, a, ydd, n, false);
    td_call_forces(&call, site, &a->forces);
    td_call_frame(&call, site, a->frame);
    td_call_add_output(&call, joints, &a->joints, of_joints, required);
    td_call_output(&call, a, loops, of_loops, false);
    td_call_output(&call, a, joint_ambiguity, of_joints, false);
    td_call_output(&call, a, loop_ambiguity, of_loops, false);
    return td_call_run(site, &call);
}

/* Springs between links are internal: their forces cancel in the sum. */
void td_op_residual_wrench(const td_eval *eval, const td_residual_wrench_arguments *a)
{
    const td_forces *forces = a->forces;
    td_eval_motions(eval, a->y, a->yd, a->ydd, TD_EVERY_LINK);
    eval->kernels->link_forces(eval->tree, eval->scratch, td_eval_wrenches(eval, forces),
                               forces ? (int)forces->wrench_frame : TD_AT_BODY, false);
    eval->kernels->root_force(eval->tree, eval->scratch, (int)a->frame, a->wrench);
}

td_status td_run_joint_reactions(const td_site *site, const double *y, const double *yd,
                                 const double *ydd, const td_forces *forces, td_frame frame,
                                 double *joints)
{
    reaction_arguments a = {y, yd, ydd, forces, frame, joints, NULL, NULL, NULL};
    return reactions(site, &a, "reactions", true);
}

td_status td_run_loop_reactions(const td_site *site, const double *y, const double *yd,
                                const double *ydd, const td_forces *forces, td_frame frame,
                                double *joints, double *loops, double *joint_ambiguity,
                                double *loop_ambiguity)
{
    reaction_arguments a = {
        y, yd, ydd, forces, frame, joints, loops, joint_ambiguity, loop_ambiguity};
    return reactions(site, &a, "joints", false);
}
