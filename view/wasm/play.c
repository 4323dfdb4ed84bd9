/* SPDX-License-Identifier: MIT */
/*
 * Simulates the robot under gravity, wrenches, damping and the user's pull on a link, with
 * tandem/simulation.h.
 */
#include <math.h>
#include <string.h>

#include "page.h"

/* Recomputes the wrenches at the current link poses, because the lever arms of forces that act off
   the origin rotate with their links. */
static td_status turn_wrenches(const td_action *action)
{
    double *poses = page.array[PAGE_turned];
    const bool tree = action->q != NULL;
    td_use_coordinates(action->workspace, tree ? TD_COORDINATES_TREE : TD_COORDINATES_INDEPENDENT);
    const td_status status =
        td_link_poses(page.model, action->workspace, tree ? action->q : action->y, poses);
    td_use_coordinates(action->workspace, TD_COORDINATES_INDEPENDENT);
    if (status == TD_OK)
        page_wrenches(poses, action->wrenches);
    return status;
}

/* Adds damping of the independent coordinates, and a damped spring from page.point to page.goal. */
static td_status act(void *context, const td_action *action)
{
    (void)context;
    if (action->wrenches) {
        const td_status turned = turn_wrenches(action);
        if (turned != TD_OK)
            return turned;
    }
    for (size_t i = 0; i < td_nyd(page.model); i++)
        action->tau_y[i] -= page.damping * action->yd[i];
    if (page.pulled_link < 0)
        return TD_OK;
    double motion[9], *J = page.array[PAGE_jacobian];
    const size_t link = (size_t)page.pulled_link, n = td_nyd(page.model);
    td_status status = td_point_motion(page.model, action->workspace, link, page.array[PAGE_point],
                                       action->y, action->yd, NULL, motion);
    if (status == TD_OK)
        status = td_link_jacobian(page.model, action->workspace, link, page.array[PAGE_point],
                                  action->y, TD_FRAME_ALIGNED, J);
    for (size_t k = 0; status == TD_OK && k < 3; k++) {
        const double spring = page.pull * (page.array[PAGE_goal][k] - motion[k]);
        const double force = spring - 0.2 * page.pull * motion[3 + k];
        for (size_t i = 0; i < n; i++)
            action->tau_y[i] += J[(3 + k) * n + i] * force;
    }
    return status;
}

void tv_set_damping(double damping)
{
    page.damping = damping;
    if (page.simulation)
        td_simulation_jump(page.simulation);
}

/* Pulls page.point of a link toward page.goal with a spring (N/m). Link -1: none. */
void tv_pull(int link, double stiffness)
{
    page.pulled_link = link;
    page.pull = stiffness;
    if (page.simulation)
        td_simulation_jump(page.simulation);
}

/* Starts a simulation at y, ẏ and time 0. passive: applies the file's damping, springs and
   friction, smoothed with friction_velocity. stops: joints stop at their limits. */
int tv_play(int passive, int stops, double rtol, double friction_velocity)
{
    tv_stop();
    td_forces forces = page_forces();
    forces.passive = passive != 0;
    forces.friction_velocity = friction_velocity;
    td_integrator_options integrator = td_integrator_options_default();
    integrator.rtol = rtol;
    td_simulation_options options = td_simulation_options_default();
    options.forces = &forces;
    options.integrator = &integrator;
    options.act = act;
    options.wrenches = page.turning;
    options.stops = stops ? TD_STOPS_IMPACT : TD_STOPS_NONE;
    options.restitution = 0.2;
    td_status status = td_simulation_new(page.model, &options, &page.simulation);
    if (status == TD_OK)
        status = page_loads(td_simulation_workspace(page.simulation));
    if (status == TD_OK)
        status = td_closure_start(page.model, td_simulation_workspace(page.simulation),
                                  page.array[PAGE_q]);
    if (status == TD_OK)
        status =
            td_simulation_start(page.simulation, 0, page.array[PAGE_y], page.array[PAGE_yd], NULL);
    if (status != TD_OK)
        tv_stop();
    return (int)status;
}

/* Advances the simulation to time t in at most the given number of steps. tv_time returns the time
   reached. */
int tv_advance(double t, int steps)
{
    td_status status = TD_OK;
    for (int i = 0; i < steps && status == TD_OK && td_simulation_time(page.simulation) < t; i++)
        status = td_simulation_step(page.simulation, t);
    return (int)status;
}

/* Updates all arrays to the end of the last step. Energies come from the simulation. */
int tv_sample(void)
{
    td_simulation_sample sample = td_simulation_sample_default();
    sample.y = page.array[PAGE_y];
    sample.yd = page.array[PAGE_yd];
    const td_status sampled =
        td_simulation_evaluate(page.simulation, td_simulation_time(page.simulation), &sample);
    const int updated = tv_update();
    page.array[PAGE_energy][0] = sample.kinetic;
    page.array[PAGE_energy][1] = sample.potential;
    page.array[PAGE_energy][2] = sample.work;
    const td_integrator_counts counts = td_simulation_counts(page.simulation);
    page.array[PAGE_counts][0] = (double)counts.steps;
    page.array[PAGE_counts][1] = (double)counts.evaluations;
    page.array[PAGE_counts][2] = (double)counts.stiff;
    return sampled != TD_OK ? (int)sampled : updated;
}

double tv_time(void)
{
    return td_simulation_time(page.simulation);
}

void tv_stop(void)
{
    td_simulation_free(page.simulation);
    page.simulation = NULL;
}
