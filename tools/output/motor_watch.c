/* SPDX-License-Identifier: MIT */
/*
 * Detects motors beyond their limits; see motor_watch.h.
 */
#include "output/motor_watch.h"

#include <math.h>
#include <stdlib.h>

#include "base/limit.h"
#include "input/coordinates.h"
#include "input/motors.h"
#include "output/limit_watch.h"
#include "text.h"

motor_watch motor_watch_new(const td_model *model, td_workspace *workspace, const coordinates *c)
{
    const size_t nu = td_nu(model);
    motor_watch w = {
        .model = model, .workspace = workspace, .forces = c != NULL ? c->size[QUANTITY_TAU] : nu};
    bool any = false;
    w.excess = allocate(MOTOR_LIMITS * nu, sizeof *w.excess);
    w.velocity = allocate(nu, sizeof *w.velocity);
    w.place = allocate(nu, sizeof *w.place);
    for (size_t i = 0; i < nu; i++) {
        scoped char *name = actuator_name(model, i);
        const int place = c != NULL ? coordinates_find(c, QUANTITY_TAU, name) : (int)i;
        const td_actuator motor = td_actuator_at(model, i);
        const double limit[] = {motor_effort(model, i), motor.velocity_limit, motor.power_limit};
        w.place[i] = place < 0 ? 0 : (size_t)place;
        for (size_t k = 0; k < MOTOR_LIMITS; k++) { /* the force of some motors is unknown */
            w.excess[MOTOR_LIMITS * i + k].limit = place < 0 ? (double)INFINITY : limit[k];
            any = any || (place >= 0 && isfinite(limit[k]));
            w.moves = w.moves || (k != MOTOR_EFFORT && place >= 0 && isfinite(limit[k]));
        }
    }
    if (!any) {
        free(w.excess);
        w.excess = NULL;
    }
    return w;
}

void motor_watch_free(motor_watch *w)
{
    free(w->excess);
    free(w->velocity);
    free(w->place);
}

static void look(motor_watch *w, motor_excess *excess, double value)
{
    if (!td_is_above(fabs(value), excess->limit)) {
        return;
    }
    excess->first = excess->times == 0 ? w->rows : excess->first;
    excess->most = fmax(excess->most, fabs(value));
    excess->times++;
}

void motor_watch_rows(motor_watch *w, size_t rows, const double *y, const double *yd,
                      const double *forces)
{
    const size_t nu = td_nu(w->model);
    for (size_t k = 0; k < rows && w->excess != NULL; k++) {
        const double *row = forces + k * w->forces;
        w->rows++;
        const bool moves = w->moves && yd != NULL &&
                           td_motion_to_actuators(w->model, w->workspace, y + k * td_ny(w->model),
                                                  yd + k * td_nyd(w->model), NULL, NULL,
                                                  w->velocity, NULL) == TD_OK;
        for (size_t i = 0; i < nu; i++) {
            motor_excess *excess = w->excess + MOTOR_LIMITS * i;
            const double velocity = moves ? w->velocity[i] : 0;
            look(w, &excess[MOTOR_EFFORT], row[w->place[i]]);
            look(w, &excess[MOTOR_VELOCITY], velocity);
            look(w, &excess[MOTOR_POWER], velocity * row[w->place[i]]);
        }
    }
}

static const char *unit_of(const td_model *model, size_t motor, enum motor_limit kind)
{
    static const char *const units[][MOTOR_LIMITS] = {{"N", "m/s", "W"}, {"N m", "rad/s", "W"}};
    return units[td_actuator_at(model, motor).turns][kind];
}

void motor_watch_tell(const motor_watch *w, bool table)
{
    static const char *const verbs[] = {"needs", "moves at", "needs"};
    size_t told = 0;
    for (size_t n = 0; n < MOTOR_LIMITS * td_nu(w->model) && w->excess != NULL; n++) {
        const motor_excess *excess = &w->excess[n];
        const enum motor_limit kind = n % MOTOR_LIMITS;
        if (excess->times == 0 || told++ >= LIMIT_LINES) {
            continue;
        }
        const size_t motor = n / MOTOR_LIMITS;
        scoped char *name = actuator_name(w->model, motor);
        scoped char *where = table ? text_format(" in %s, first in row %zu",
                                                 counted(excess->times, "row").text, excess->first)
                                   : text_format("%s", "");
        tell_note("motor '%s' %s %s%s %s%s; its limit is %s", name, verbs[kind],
                  excess->times > 1 ? "up to " : "", number_brief(excess->most).text,
                  unit_of(w->model, motor, kind), where, number_brief(excess->limit).text);
    }
    if (told > LIMIT_LINES) {
        tell_note("%s of motors exceeded as well", counted(told - LIMIT_LINES, "limit").text);
    }
}
