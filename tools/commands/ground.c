/* SPDX-License-Identifier: MIT */
/*
 * Ground reactions of one state, see ground.h.
 */
#include "commands/ground.h"

#include <math.h>
#include <string.h>

#include "input/loads.h"
#include "input/value.h"
#include "output/frame_name.h"
#include "output/json.h"
#include "text.h"
#include "vectors.h"

/* A normal force up to this part of the weight is a rounding error, as in flight. */
static const double no_contact = 1e-6;

void option_ground(const command_option *o, char *text, command_line *line)
{
    ground_option *option = option_place(o, line);
    double x[6] = {0};
    const bool short_form = read_quantities(text, UNIT_SLIDE, 0, 3, x);
    if (!short_form && (!read_quantities(text, UNIT_SLIDE, 0, 6, x) || !(length_of(x + 3) > 0))) {
        option_error(line,
                     "--ground must be a point X,Y,Z of the plane (m), or X,Y,Z,NX,NY,NZ with its "
                     "normal, not '%s'",
                     text);
    }
    memcpy(option->point, x, sizeof option->point);
    memcpy(option->normal, x + 3, sizeof option->normal);
    option->given = true;
    option->has_normal = !short_form;
}

bool ground_find(ground_plane *g, const ground_option *option, td_frame frame, const session *s)
{
    const double *gravity = td_gravity(s->model, s->workspace);
    const double pull = length_of(gravity), length = length_of(option->normal);
    if (!option->has_normal && !(pull > 0)) {
        complain("--ground: without gravity no direction is upward; give the normal of the plane "
                 "too: X,Y,Z,NX,NY,NZ");
        return false;
    }
    *g = (ground_plane){.frame = frame};
    g->weight = pull * (td_total_mass(s->model) + loads_mass(s->loads, s->model, false));
    for (size_t i = 0; i < 3; i++) {
        g->point[i] = option->point[i];
        g->normal[i] = option->has_normal ? option->normal[i] / length : 0 - gravity[i] / pull;
        g->up[i] = pull > 0 ? 0 - gravity[i] / pull : g->normal[i];
    }
    return true;
}

void ground_declare(outputs *o)
{
    static const char *const moment[] = {"mx", "my", "mz"}, *const force[] = {"fx", "fy", "fz"};
    static const char *const place[] = {"x", "y", "z"}, *const free_moment[] = {"moment"};
    static const char none[] = "the ground would have to pull";
    enum { MOMENTS = 1, FORCES };
    static const output declared[GROUND_OUTPUTS] = {{.key = "residual_moment",
                                                     .prefix = "residual",
                                                     .title = "residual moment",
                                                     .unit = "N m",
                                                     .column = moment,
                                                     .group = MOMENTS},
                                                    {.key = "residual_force",
                                                     .prefix = "residual",
                                                     .title = "residual force",
                                                     .unit = "N",
                                                     .column = force,
                                                     .group = FORCES},
                                                    {.key = "cop",
                                                     .prefix = "cop",
                                                     .title = "center of pressure",
                                                     .unit = "m",
                                                     .none = none,
                                                     .column = place},
                                                    {.key = "free_moment",
                                                     .prefix = "cop",
                                                     .title = "free moment",
                                                     .unit = "N m about the normal",
                                                     .column = free_moment,
                                                     .group = MOMENTS},
                                                    {.key = "zmp",
                                                     .prefix = "zmp",
                                                     .title = "zero-moment point",
                                                     .unit = "m",
                                                     .none = none,
                                                     .column = place}};
    for (size_t i = 0; i < GROUND_OUTPUTS; i++) {
        output *added = outputs_add(o, declared[i]);
        const bool single = added->column == free_moment;
        added->kind = single ? OUTPUT_NUMBER : OUTPUT_POINT;
        added->columns = single ? 1 : 3;
    }
}

td_status ground_compute(const ground_plane *g, const session *s, const ground_state *state,
                         double *x)
{
    const td_model *model = s->model;
    td_workspace *w = s->workspace;
    double *whole = x + GROUND_WORLD, alone[6]; /* balances inertial and gravity forces */
    td_status status = td_residual_wrench(model, w, state->y, state->yd, state->ydd, state->forces,
                                          TD_FRAME_WORLD, whole);
    memcpy(x, whole, sizeof alone);
    memcpy(alone, whole, sizeof alone);
    if (status == TD_OK && g->frame != TD_FRAME_WORLD) {
        status = td_residual_wrench(model, w, state->y, state->yd, state->ydd, state->forces,
                                    g->frame, x);
    }
    if (status == TD_OK && state->forces->wrenches != NULL) {
        status = td_residual_wrench(model, w, state->y, state->yd, state->ydd, NULL, TD_FRAME_WORLD,
                                    alone);
    }
    if (status == TD_OK) {
        const double least = no_contact * g->weight;
        td_center_of_pressure(whole, g->point, g->normal, least, x + GROUND_CENTER,
                              x + GROUND_MOMENT);
        td_zero_moment_point(alone, g->point, g->normal, g->up, least, x + GROUND_ZMP);
    }
    return status;
}

void ground_add_json(const ground_plane *g, cJSON *object)
{
    cJSON_AddItemToObject(object, "point", json_numbers(g->point, 3));
    cJSON_AddItemToObject(object, "normal", json_numbers(g->normal, 3));
    cJSON_AddItemToObject(object, "frame", json_text(frame_name(g->frame)));
}
