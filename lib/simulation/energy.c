/* SPDX-License-Identifier: MIT */
/*
 * Energy of bodies, springs and rotors; dissipation; and samples of the motion with constraint
 * forces.
 */
#include <math.h>
#include <string.h>

#include "base/coordinates.h"
#include "base/sized.h"
#include "integrator_inside.h"
#include "simulation_inside.h"

/* ---- passive elements ------------------------------------------------------------------------ */

/* Returns the inertia of a joint's rotors, at the joint. A shaft has one rotor, which all records
   of its motor describe. */
static double rotor_of(const td_model *model, const td_joint *joint)
{
    double sum = 0;
    for (size_t i = 0; i < td_transmission_count(model); i++) {
        const td_transmission *t = td_transmission_at(model, i);
        const double turns = t->mechanical_reduction * (t->shaft ? 1 : t->ratio);
        if (!t->joint || strcmp(t->shaft ? t->shaft : t->joint, joint->name) != 0)
            continue;
        sum += turns * turns * t->rotor_inertia;
        if (joint->motor)
            break;
    }
    return sum;
}

static void list_joints(td_simulation *s)
{
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        const size_t joint = td_movable_joint(s->model, i);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        const td_joint *record = td_joint_at(s->model, joint);
        const td_joint_kind *kind = td_joint_kind_of(record->type);
        for (size_t k = 0; kind->damped && k < place.nv; k++) {
            const td_damper damper = {place.qd + k, record->damping,
                                      s->options.stiction || !kind->sprung ? 0 : record->friction};
            if (damper.damping != 0 || damper.friction != 0)
                s->dampers[s->damper_count++] = damper;
        }
        if (place.nv != 1)
            continue;
        const td_rotor rotor = {place.qd, rotor_of(s->model, record)};
        if (rotor.inertia != 0)
            s->rotors[s->rotor_count++] = rotor;
    }
}

void td_simulation_list_passive(td_simulation *s)
{
    if (!s->forces.passive)
        return;
    list_joints(s);
    for (size_t i = 0; i < td_loop_count(s->model); i++) {
        const td_loop *loop = td_loop_at(s->model, i);
        const td_damper damper = {i, loop->damping, s->options.stiction ? 0 : loop->friction};
        if (td_simulation_loop_moves(s, i) && (damper.damping != 0 || damper.friction != 0))
            s->loop_dampers[s->loop_damper_count++] = damper;
    }
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* Computes the kinetic and potential energy at s->u, s->ud; s->q and s->qd must be up to date. */
static td_status energy(td_simulation *s, double both[2])
{
    const td_scope scope = s->forces.passive ? TD_SCOPE_SPRINGS : TD_SCOPE_ALL;
    td_status status = td_energy(s->model, s->w, s->u, s->ud, scope, both);
    for (size_t i = 0; i < s->rotor_count; i++) {
        const double rate = s->qd[s->rotors[i].qd];
        both[0] += 0.5 * s->rotors[i].inertia * rate * rate;
    }
    both[1] += td_rows_energy(s);
    return status;
}

td_status td_simulation_energy(td_simulation *s, double both[2])
{
    td_status status = td_simulation_joints(s);
    return status == TD_OK ? energy(s, both) : status;
}

/* Returns the fraction of the exchanged energy |T − T₀| + |V − V₀| + |W| that violates
   conservation; NaN if the state is invalid. */
static double from_nothing(td_simulation *s, double t, const double *x)
{
    static const double ROUNDING = 1e-9;
    double both[2];
    if (td_simulation_look(s, t, x) != TD_OK || td_simulation_energy(s, both) != TD_OK)
        return NAN;
    const double kinetic = both[0] - s->begin_energy[0], work = td_x_work(s, x);
    const double potential = both[1] - s->begin_energy[1];
    const double hands = fabs(kinetic) + fabs(potential) + fabs(work);
    const double all = hands + fabs(s->begin_energy[0]) + fabs(s->begin_energy[1]);
    const double left = fabs(kinetic + potential - work);
    return !isfinite(all) ? 1 : left > ROUNDING * all ? left / hands : 0;
}

/* Kinetic plus potential energy minus work is constant, up to the accuracy of the method. In a
   motion that grows from step to step, almost all energy violates this. If the last state is
   invalid, the one before is checked. */
bool td_simulation_diverges(td_simulation *s)
{
    static const double MUCH = 0.5;
    const td_integrator *i = s->integrator;
    double part = from_nothing(s, i->t, i->x);
    if (isnan(part))
        part = from_nothing(s, i->begin, i->x_begin);
    return part > MUCH;
}

/* ---- samples --------------------------------------------------------------------------------- */

static void copy(double *to, const double *from, size_t n)
{
    if (to)
        memcpy(to, from, n * sizeof *to);
}

/* Computes τ_c = H q̈ + C − τ at the last evaluated state; q̈ must be known. */
static td_status constraint_forces(td_simulation *s, double *tau_c)
{
    td_forces forces = s->forces;
    if (s->options.wrenches)
        forces.wrenches = s->wrenches;
    td_status status = td_rows_total(s, s->joint_force);
    if (status == TD_OK)
        status = TD_IN_TREE(
            s->w, td_inverse_dynamics(s->model, s->w, s->q, s->qd, s->qdd, &forces, tau_c));
    for (size_t i = 0; i < s->nv && status == TD_OK; i++)
        tau_c[i] -= s->joint_force[i];
    for (size_t i = 0; i < td_independent_count(s->model) && status == TD_OK; i++) {
        const td_joint_place place = td_joint_place_at(s->model, td_independent_joint(s->model, i));
        for (size_t k = 0, n = 0; k < place.nv; k++)
            if (!(place.dependents >> k & 1))
                tau_c[place.qd + k] -= s->tau_y[place.yd + n++];
    }
    return status;
}

static td_status read_sample(td_simulation *s, double t, td_simulation_sample *out)
{
    td_status status = td_integrator_evaluate(s->integrator, t, s->x);
    if (status == TD_OK)
        status = td_simulation_look(s, t, s->x);
    if (status != TD_OK)
        return status;
    out->work = td_x_work(s, s->x);
    copy(out->z, td_x_states(s, s->x), s->options.states);
    const bool forces = out->ydd || out->tau_y || out->qdd || out->tau_c;
    if (forces)
        status = td_simulation_accelerate(s, t, s->x, NULL);
    if (status != TD_OK)
        return status;
    status = forces ? td_simulation_joint_accelerations(s) : td_simulation_joints(s);
    if (status != TD_OK)
        return status;
    copy(out->y, s->y, s->ny);
    copy(out->yd, s->yd, s->nyd);
    copy(out->ydd, s->ydd, s->nyd);
    copy(out->tau_y, s->tau_y, s->nyd);
    copy(out->q, s->q, s->nq);
    copy(out->qd, s->qd, s->nv);
    if (forces)
        copy(out->qdd, s->qdd, s->nv);
    if (out->tau_c)
        status = constraint_forces(s, out->tau_c);
    if (status != TD_OK)
        return status;
    double both[2];
    status = energy(s, both);
    out->kinetic = both[0];
    out->potential = both[1];
    return status;
}

/* Swaps the modes of rows during the last step with the present ones. */
static void swap_modes(td_simulation *s)
{
    for (size_t i = 0; i < s->row_count; i++) {
        td_row *row = &s->rows[i];
        const td_row_mode mode = row->mode;
        const double sign = row->sign;
        row->mode = row->step_mode;
        row->sign = row->step_sign;
        row->step_mode = mode;
        row->step_sign = sign;
    }
}

td_status td_simulation_evaluate(td_simulation *s, double t, td_simulation_sample *sample)
{
    td_simulation_sample ours;
    memset(&ours, 0, sizeof ours);
    ours.size_of = sizeof ours;
    if (!s || !s->started || !td_sized_read(&ours, sizeof ours, sample))
        return TD_ERROR_ARGUMENT;
    const size_t size_of = sample->size_of;
    const bool before = t < td_integrator_time(s->integrator);
    const bool rate_known = td_integrator_rate_is_known(s->integrator);
    td_simulation_enter(s);
    td_simulation_remember(s);
    if (before)
        swap_modes(s);
    const td_status status = TD_IN_INDEPENDENT(s->w, read_sample(s, t, &ours));
    if (before)
        swap_modes(s);
    td_simulation_recall(s);
    td_simulation_leave(s);
    if (s->iterated && !rate_known) /* the next step computes it as if no sample had been taken */
        td_integrator_forget_rate(s->integrator);
    td_sized_write(sample, size_of, &ours, sizeof ours);
    return status;
}
