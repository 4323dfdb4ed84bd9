/* SPDX-License-Identifier: MIT */
/*
 * Determines which joint requires the shortest steps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator_inside.h"
#include "simulation_inside.h"

/* Returns |∂ẋ_of/∂x_by| at the state, whose rate is known; NaN if the neighboring state has no
   rate. */
static double slope(td_simulation *s, double t, size_t of, size_t by, double *x, const double *here,
                    double *there)
{
    const double kept = x[by];
    x[by] = td_integrator_beside(kept);
    const double way = x[by] - kept;
    const td_status status = td_simulation_rate(s, t, x, there);
    x[by] = kept;
    return status == TD_OK ? fabs(there[of] - here[of]) / way : NAN;
}

static size_t joint_of_velocity(const td_model *model, size_t qd)
{
    for (size_t j = 0; j < td_joint_count(model); j++) {
        const td_joint_place place = td_joint_place_at(model, j);
        if (place.nv > 0 && place.qd <= qd && qd < place.qd + place.nv)
            return j;
    }
    return TD_NONE;
}

size_t td_simulation_fastest(td_simulation *s, double *rate)
{
    double most = 0;
    size_t joint = TD_NONE;
    if (rate)
        *rate = 0;
    if (!s || !s->started)
        return TD_NONE;
    double *room = malloc(3 * s->size * sizeof *room);
    if (!room)
        return TD_NONE;
    double *x = room, *here = room + s->size, *there = here + s->size;
    const double t = td_integrator_time(s->integrator);
    const td_coordinates before = td_use_coordinates(s->w, TD_COORDINATES_INDEPENDENT);
    td_simulation_enter(s);
    td_simulation_remember(s);
    memcpy(x, td_integrator_state(s->integrator), s->size * sizeof *x);
    const bool good = td_simulation_rate(s, t, x, here) == TD_OK;
    for (size_t i = 0; i < s->nyd && good; i++) {
        const size_t of = s->np + i;
        double fastest = slope(s, t, of, of, x, here, there);
        for (size_t k = 0; k < s->nu; k++)
            if (s->ud_of_qd[s->u_qd[i]] == s->velocity_of[k])
                fastest = fmax(fastest, sqrt(slope(s, t, of, k, x, here, there)));
        if (fastest > most) {
            most = fastest;
            joint = joint_of_velocity(s->model, s->u_qd[i]);
        }
    }
    td_simulation_recall(s);
    td_simulation_leave(s);
    td_use_coordinates(s->w, before);
    free(room);
    if (rate)
        *rate = most;
    return joint;
}
