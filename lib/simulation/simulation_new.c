/* SPDX-License-Identifier: MIT */
/*
 * Creates simulations: options, memory, coordinates, integrator.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "integrator_inside.h"
#include "simulation_inside.h"

/* ---- memory ---------------------------------------------------------------------------------- */

static void simulation_take(td_simulation *s, td_stack *stack)
{
    const size_t joints = td_joint_count(s->model), loops = td_loop_count(s->model);
    s->y = td_take(stack, double, s->ny);
    s->yd = td_take(stack, double, s->nyd);
    s->ydd = td_take(stack, double, s->nyd);
    s->tau_y = td_take(stack, double, s->nyd);
    s->q = td_take(stack, double, s->nq);
    s->qd = td_take(stack, double, s->nv);
    s->qdd = td_take(stack, double, s->nv);
    s->x = td_take(stack, double, s->size);
    s->z_rate = td_take(stack, double, s->options.states);
    s->joint_force = td_take(stack, double, s->nv);
    s->free_joints = td_take(stack, td_free_joint, joints);
    s->dampers = td_take(stack, td_damper, s->nv);
    s->rotors = td_take(stack, td_rotor, joints);
    s->loop_dampers = td_take(stack, td_damper, loops);
    if (s->options.given)
        s->given = td_take(stack, unsigned char, s->nyd);
    if (s->options.wrenches || s->forces.wrenches) {
        s->wrenches = td_take(stack, double, 6 * td_link_count(s->model));
        s->velocities = td_take(stack, double, 6 * td_link_count(s->model));
    }
    td_simulation_take_coordinates(s, stack);
    if (s->implicit)
        td_rate_jacobian_take(s, stack);
    td_rows_take(s, stack); /* last, since scopes open above it */
}

void td_simulation_free(td_simulation *s)
{
    if (!s)
        return;
    td_integrator_free(s->integrator);
    td_workspace_free(s->w);
    td_stack_end(&s->stack);
    free(s);
}

/* ---- creating a simulation ------------------------------------------------------------------- */

static void map_coordinates(td_simulation *s)
{
    for (size_t i = 0; i < td_movable_count(s->model); i++) {
        const size_t joint = td_movable_joint(s->model, i);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        const size_t quaternion = td_joint_kind_of(td_joint_at(s->model, joint)->type)->quaternion;
        const size_t q = place.q, qd = place.qd;
        for (size_t k = 0; k < place.nq; k++)
            s->qd_of_q[q + k] = qd + (k < place.nv ? k : 0);
        if (quaternion == TD_NONE)
            continue;
        s->free_joints[s->free_count++] =
            (td_free_joint){.q = q, .qd = qd, .quaternion = (int)quaternion};
        s->moved = s->moved || (place.dependents && !place.dependent);
    }
}

/* Returns whether `given` marks all coordinates of a planar or floating joint, or none. */
static bool given_agrees(const td_simulation *s)
{
    const unsigned char *given = s->options.given;
    for (size_t i = 0; i < td_independent_count(s->model); i++) {
        const td_joint_place place = td_joint_place_at(s->model, td_independent_joint(s->model, i));
        for (size_t k = 1; k < place.nyd && given; k++)
            if (!given[place.yd + k] != !given[place.yd])
                return false;
    }
    return true;
}

/* Reads the options of the integrator. Uses a hundredth of the tolerances for each step, since
   the errors of thousands of steps add up. A lower bound keeps rounding from counting as error. */
static bool read_integrator(const td_simulation *s, td_integrator_options *ours)
{
    *ours = td_integrator_options_default();
    if (s->options.integrator && !td_sized_read(ours, sizeof *ours, s->options.integrator))
        return false;
    const double least = 1e-14, atol = ours->atol > 0 ? ours->atol : ours->rtol;
    const bool adaptive = !td_method_is_fixed(ours->method);
    if (adaptive && ours->rtol > 0)
        ours->rtol = fmax(0.01 * ours->rtol, fmin(least, ours->rtol));
    if (adaptive && atol > 0)
        ours->atol = fmax(0.01 * atol, fmin(least, atol));
    return true;
}

static td_status make_integrator(td_simulation *s, const td_integrator_options *options)
{
    td_ode ode = {0};
    ode.size = s->size;
    ode.positions = s->np;
    /* steps cannot resolve the fastest vibrations of flexible links */
    if (td_flexible_count(s->model) > 0)
        ode.velocities = s->nyd;
    ode.rate = td_simulation_rate;
    ode.project = td_simulation_project;
    ode.context = s;
    ode.events = s->row_count;
    ode.event = td_rows_values;
    if (s->implicit)
        ode.jacobian = td_simulation_jacobian;
    return td_integrator_new(&ode, options, &s->integrator);
}

/* Smoothed friction vanishes for a huge friction velocity; events model friction then. */
#define FRICTIONLESS 1e150

static bool options_are_valid(const td_simulation_options *o)
{
    return (!o->given || o->motion) && (!o->wrenches || o->act) && o->states <= SIZE_MAX >> 24 &&
           (unsigned)o->stops <= TD_STOPS_IMPACT && o->stop_stiffness > 0 &&
           isfinite(o->stop_stiffness) && o->stop_damping >= 0 && isfinite(o->stop_damping) &&
           o->restitution >= 0 && o->restitution <= 1 && o->rest_speed > 0 &&
           isfinite(o->rest_speed);
}

/* With fewer velocities, finite differences are faster than the Jacobian. */
enum { FEW = 5 };

static td_status make(td_simulation *s)
{
    td_integrator_options options;
    s->ny = td_ny(s->model);
    s->np = td_chart_positions(s->model);
    s->nyd = td_nyd(s->model);
    s->nq = td_nq(s->model);
    s->nv = td_nv(s->model);
    s->size = s->np + s->nyd + s->options.states + 1;
    s->iterated = td_loop_cluster_count(s->model) > 0;
    s->forces = td_forces_default();
    s->forces.passive = true;
    if ((s->options.forces && !td_sized_read(&s->forces, sizeof s->forces, s->options.forces)) ||
        !read_integrator(s, &options) || !given_agrees(s))
        return TD_ERROR_ARGUMENT;
    s->fixed = td_method_is_fixed(options.method);
    s->implicit = s->nyd >= FEW && td_method_has_jacobian(options.method, s->size);
    td_rows_list(s);
    td_workspace_new(s->model, NULL, &s->w);
    if (!s->w || !td_take_twice(&s->stack, simulation_take(s, &s->stack)))
        return TD_ERROR_MEMORY;
    if (s->given)
        memcpy(s->given, s->options.given, s->nyd);
    td_rows_list(s);
    map_coordinates(s);
    td_simulation_choose_y(s);
    td_chart_entries(s->model, s->w, s->y_q, s->y_qd);
    memset(s->begin, 0, s->nq * sizeof *s->begin); /* γ writes only a part of it */
    memset(s->remembered, 0, s->nq * sizeof *s->remembered);
    td_simulation_list_passive(s);
    if (s->options.stiction)
        s->forces.friction_velocity = FRICTIONLESS;
    return make_integrator(s, &options);
}

td_status td_simulation_new(const td_model *model, const td_simulation_options *options,
                            td_simulation **simulation)
{
    if (simulation)
        *simulation = NULL;
    td_simulation_options o = td_simulation_options_default();
    if (!model || !simulation || (options && !td_sized_read(&o, sizeof o, options)) ||
        !options_are_valid(&o))
        return TD_ERROR_ARGUMENT;
    td_simulation *s = calloc(1, sizeof *s);
    if (!s)
        return TD_ERROR_MEMORY;
    s->model = model;
    s->failed_loop = TD_NONE;
    s->options = o;
    td_status status = make(s);
    s->options.integrator = NULL; /* pointers to the caller's memory */
    s->options.forces = NULL;
    s->options.given = NULL;
    if (status != TD_OK) {
        td_simulation_free(s);
        return status;
    }
    *simulation = s;
    return TD_OK;
}

td_workspace *td_simulation_workspace(td_simulation *s)
{
    return s ? s->w : NULL;
}
