/* SPDX-License-Identifier: MIT */
/*
 * Motion of the tree under the implicit constraints: the equations of motion with multipliers,
 * which are an independent check of the explicit path, and projections of positions and velocities.
 */
#include <math.h>
#include <string.h>

#include "base/sized.h"
#include "functions/configuration.h"
#include "run/call.h"
#include "run/workspace.h"
#include "tandem/constraint.h"

void td_constraint_options_init(td_constraint_options *options, size_t size_of)
{
    const td_constraint_options ours = {.alpha = 0, .beta = 0};
    td_sized_write(options, size_of, &ours, sizeof ours);
}

typedef struct motion_options {
    const td_forces *forces;
    td_constraint_options options;
} motion_options;

/* factors of H at q of the tree, whose poses are there; rotors: with theirs */
static void factor_mass(const td_eval *eval, const void *q, bool rotors)
{
    td_eval_mass(eval, q, TD_FROM_POSES, rotors, TD_NO_OUTPUT);
    td_eval_factor(eval, NULL, rotors);
}

/* out = H⁻¹ (tau − what the motion of the tree takes), tau NULL for zero; the factors of H stay */
static void free_acceleration(const td_eval *eval, const void *q, const void *qd, const void *qdd,
                              const td_forces *forces, const void *tau, void *out)
{
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const td_tree *tree = eval->tree;
    k->poses(tree, s, q, TD_EVERY_LINK, true);
    td_eval_tree_force(eval, q, qd, qdd, forces, true, s->tau);
    factor_mass(eval, q, td_with_passive(forces));
    k->copy(out, tau ? tau : s->zeros, tree->nv);
    k->subtract_from(out, s->tau, tree->nv);
    k->solve(&tree->pattern, s->mass, out);
}

/* onto qdd what makes K qdd = wanted (NULL: 0), with its multipliers (NULL: not wanted); needs the
   factors of H and the constraints */
static void constrain(const td_eval *eval, const void *wanted, void *qdd, void *lambda)
{
    const td_scratch *s = eval->scratch;
    const td_closure_map *closure = &eval->model->closure;
    eval->kernels->constrain(&eval->tree->pattern, s->mass, closure->rows, closure->row_rounding,
                             s->K, wanted, s->Z, s->schur, qdd, lambda);
}

static void op_constrained(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    const motion_options *o = context;
    const td_model *model = eval->model;
    const td_scratch *s = eval->scratch;
    const void *qd = in[1] ? in[1] : s->zeros;
    free_acceleration(eval, in[0], qd, s->zeros, o->forces, in[2], out[0]);
    if (!model->closure.rows)
        return;
    td_eval_constraints(eval, in[0], qd);
    eval->kernels->stabilize(model->closure.rows, model->tree.nv, s->K, qd, s->phi,
                             o->options.alpha, o->options.beta, s->drift);
    constrain(eval, s->drift, out[0], out[1]);
}

td_status td_constrained_forward_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *tau,
                                          const td_forces *forces,
                                          const td_constraint_options *options, double *qdd,
                                          double *lambda)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t n = td_site_velocities(&site);
    motion_options context = {forces, td_constraint_options_default()};
    td_call call;
    td_call_begin(&call, op_constrained, &context);
    call.solves = true;
    td_call_positions(&call, &site, q, true);
    td_call_input(&call, qd, n, false);
    td_call_input(&call, tau, n, false);
    td_call_forces(&call, &site, forces, valid);
    td_call_require(&call,
                    !options || td_sized_read(&context.options, sizeof context.options, options),
                    "options");
    td_call_output(&call, qdd, n, true);
    td_call_output(&call, lambda, model ? td_constraint_count(model) : 0, false);
    return td_call_run(&site, &call);
}

static void op_project(const td_eval *eval, const void *const *in, void *const *out,
                       const void *context)
{
    (void)context;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, true);
    factor_mass(eval, in[0], false);
    eval->kernels->copy(out[0], in[1], eval->tree->nv);
    if (!eval->model->closure.rows)
        return;
    td_eval_constraints(eval, in[0], NULL);
    constrain(eval, NULL, out[0], out[1]);
}

td_status td_project_velocity(const td_model *model, td_workspace *workspace, const double *q,
                              const double *qd, double *projected, double *impulse)
{
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t n = td_site_velocities(&site);
    td_call call;
    td_call_begin(&call, op_project, NULL);
    call.solves = true;
    td_call_positions(&call, &site, q, true);
    td_call_input(&call, qd, n, true);
    td_call_output(&call, projected, n, true);
    td_call_output(&call, impulse, model ? td_constraint_count(model) : 0, false);
    return td_call_run(&site, &call);
}

/* ---- projection of positions ----------------------------------------------------------------- */

static void op_correction(const td_eval *eval, const void *const *in, void *const *out,
                          const void *context)
{
    (void)context;
    const td_scratch *s = eval->scratch;
    td_eval_poses(eval, in[0], TD_EVERY_LINK, true);
    factor_mass(eval, in[0], false);
    td_eval_constraints(eval, in[0], NULL);
    eval->kernels->clear(out[0], eval->tree->nv);
    eval->kernels->clear(s->drift, eval->model->closure.rows);
    eval->kernels->subtract_from(s->drift, s->phi, eval->model->closure.rows);
    constrain(eval, s->drift, out[0], NULL);
}

/* the Newton step (nv) at q, and the largest |φ| there */
static td_status correction(const td_site *site, const double *q, double *step, double *largest)
{
    const td_model *model = site->model;
    const double *phi = site->workspace->single.phi;
    td_call call;
    td_call_begin(&call, op_correction, NULL);
    call.solves = true;
    td_call_positions(&call, site, q, true);
    td_call_output(&call, step, model->tree.nv, true);
    td_status status = td_call_run(site, &call);
    *largest = 0;
    for (size_t i = 0; i < model->closure.rows; i++)
        *largest = fmax(*largest, fabs(phi[i]));
    return status;
}

/* Newton steps in q, halved until φ falls. A step of rounding ends them; so does one that no longer
   gets smaller when it is small. */
static td_status project(const td_site *site, double *q, double *residual)
{
    enum { MOST_STEPS = 50, MOST_HALVES = 12 };
    td_workspace *w = site->workspace;
    double *step = w->correction, *trial = w->residual, before = INFINITY, least;
    td_status status = correction(site, q, step, &least);
    for (int n = 0; n < MOST_STEPS && status == TD_OK; n++) {
        double size = 0, part = 1, reached = INFINITY;
        for (size_t i = 0; i < site->model->tree.nv; i++)
            size = fmax(size, fabs(step[i]));
        *residual = least;
        if (size < 1e-15 || (size < 1e-8 && size > before / 4)) {
            double turned;
            const td_model *model = site->model;
            model->single->loop_turns(&model->closure.loops, &w->single, &turned);
            *residual = fmax(least, turned);
            return *residual < 1e-9 ? TD_OK : TD_ERROR_ASSEMBLY;
        }
        before = size;
        memcpy(w->kept, step, site->model->tree.nv * sizeof *step);
        for (int k = 0; k < MOST_HALVES; k++, part /= 2) {
            td_move(site->model, TD_SPACE_TREE, q, w->kept, part, trial);
            status = correction(site, trial, step, &reached);
            if (status != TD_OK || reached < least || size < 1e-8)
                break;
        }
        if (status == TD_OK && !(reached < least) && size >= 1e-8)
            return TD_ERROR_ASSEMBLY;
        memcpy(q, trial, site->model->tree.nq * sizeof *q);
        least = reached;
    }
    return status == TD_OK ? TD_ERROR_ASSEMBLY : status;
}

td_status td_project_position(const td_model *model, td_workspace *workspace, const double *q,
                              double *projected, double *residual)
{
    td_status status = td_check_pair(model, workspace);
    if (status != TD_OK)
        return status;
    if ((!q || !projected) && model->tree.nq)
        return td_refuse(workspace, q ? "projected" : "q");
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    double least = 0;
    status = td_check_positions(model, TD_SPACE_TREE, q);
    if (status == TD_OK) {
        if (model->tree.nq)
            memmove(projected, q, model->tree.nq * sizeof *q);
        status = model->closure.rows ? project(&site, projected, &least) : TD_OK;
    }
    for (size_t i = 0; status != TD_OK && i < model->tree.nq; i++)
        projected[i] = NAN;
    if (residual)
        *residual = least;
    return status;
}

/* ---- constrained inverse dynamics ------------------------------------------------------------ */

typedef struct inverse_options {
    const td_forces *forces;
    const double *weight;
} inverse_options;

/* tau of the tree into the scratch's, and G where q is */
static void tree_forces(const td_eval *eval, const void *const *in, const td_forces *forces)
{
    const td_closure_map *closure = &eval->model->closure;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    const void *qd = in[1] ? in[1] : s->zeros, *qdd = in[2] ? in[2] : s->zeros;
    if (closure->loops.solved) {
        for (size_t i = 0; i < eval->model->records.joint.count; i++)
            if (closure->w[i] >= 0)
                k->copy((char *)s->w + (size_t)closure->w[i] * k->real_size,
                        (const char *)in[0] + (size_t)eval->model->place[i].q * k->real_size,
                        (size_t)eval->model->place[i].nq);
        k->tangent(eval->tree, &closure->loops, &closure->position, closure->offset, &closure->rate,
                   &closure->velocity, s);
    }
    td_eval_tree_force(eval, in[0], qd, qdd, forces, false, s->tau);
}

static void op_motor_forces(const td_eval *eval, const void *const *in, void *const *out,
                            const void *context)
{
    const inverse_options *o = context;
    const td_model *model = eval->model;
    const td_kernels *k = eval->kernels;
    const td_scratch *s = eval->scratch;
    tree_forces(eval, in, o->forces);
    const void *tau_y = s->tau;
    if (!model->closure.identity) {
        k->transposed(&model->closure.velocity, s->G, s->tau, s->tau_y);
        tau_y = s->tau_y;
    }
    k->drive_forces(&model->actuation.drives, &model->actuation.matrix, td_eval_motors(eval, in[0]),
                    o->weight, s, tau_y, out[0], out[1]);
}

/* in[3]: what the motors do to the tree */
static void op_multipliers(const td_eval *eval, const void *const *in, void *const *out,
                           const void *context)
{
    const inverse_options *o = context;
    const td_scratch *s = eval->scratch;
    const void *qd = in[1] ? in[1] : s->zeros, *qdd = in[2] ? in[2] : s->zeros;
    free_acceleration(eval, in[0], qd, qdd, o->forces, in[3], s->qdd);
    td_eval_constraints(eval, in[0], NULL);
    constrain(eval, NULL, s->qdd, out[0]);
}

/* S u + E rest */
static td_status spread_forces(const td_model *model, td_workspace *workspace, const double *q,
                               const double *u, const double *rest, double *tau)
{
    double *in_loops = workspace->in_loops;
    memset(in_loops, 0, model->records.loop.count * sizeof *in_loops);
    for (size_t i = 0; i < model->actuation.nu; i++)
        if (model->actuation.loop[i] >= 0)
            in_loops[model->actuation.loop[i]] = u[i];
    td_status status = td_loop_force(model, workspace, q, NULL, in_loops, NULL, tau);
    for (size_t i = 0; i < model->actuation.nu; i++)
        if (model->actuation.row[i] >= 0)
            tau[model->actuation.row[i]] += u[i];
    for (size_t k = 0; k < model->independent_count; k++) {
        const td_joint_place *place = &model->place[model->independent[k]];
        for (int i = 0, n = 0; i < place->nv; i++)
            if (!(place->dependents >> i & 1))
                tau[place->qd + i] += rest[place->yd + n++];
    }
    return status;
}

td_status td_constrained_inverse_dynamics(const td_model *model, td_workspace *workspace,
                                          const double *q, const double *qd, const double *qdd,
                                          const td_forces *forces, const double *weight, double *u,
                                          double *rest, double *lambda)
{
    td_forces known;
    const bool valid = td_forces_read(&forces, &known);
    td_site site = {model, workspace, TD_SPACE_TREE, false, 1, NULL};
    size_t n = td_site_velocities(&site);
    inverse_options context = {forces, weight};
    td_call call;
    td_call_begin(&call, op_motor_forces, &context);
    call.solves = call.closes = true;
    call.singular_status = TD_ERROR_ACTUATION_SINGULAR;
    td_call_positions(&call, &site, q, true);
    td_call_input(&call, qd, n, false);
    td_call_input(&call, qdd, n, false);
    td_call_forces(&call, &site, forces, valid);
    td_call_require(&call, !model || td_weights_are_sound(model, weight), "weight");
    td_call_output(&call, u, model ? model->actuation.nu : 0, true);
    double *left = rest || !workspace ? rest : workspace->motion_yd;
    td_call_output(&call, left, model ? model->closure.nyd : 0, false);
    if (model)
        call.good_status = model->actuation.status;
    td_status status = td_call_run(&site, &call);
    if (!lambda || !model || (status != TD_OK && status != call.good_status))
        return status;
    double *done = workspace->correction;
    spread_forces(model, workspace, q, u, left, done);
    call.operation = op_multipliers;
    call.closes = false;
    call.singular_status = TD_ERROR_SINGULAR;
    td_call_input(&call, done, n, true);
    call.outputs = 0;
    td_call_output(&call, lambda, td_constraint_count(model), false);
    return td_call_run(&site, &call);
}
