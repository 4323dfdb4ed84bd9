/* SPDX-License-Identifier: MIT */
/*
 * Selects the joints and loop joints that are motors, by the options or by the file's
 * transmissions.
 */
#include <string.h>

#include "load/build.h"
#include "model/joint_kind.h"
#include "model/motors.h"

/* Marks of motors: per joint, and per loop whose closing joint has a coordinate. */
typedef struct selection {
    char *joint, *loop;
} selection;

static void report_unknown(td_build *build, const char *name, const td_transmission *transmission)
{
    char text[TD_SUGGESTION];
    const char *remedy =
        td_suggest(build, &build->model->joint_names, name, NULL, "name an existing joint", text);
    if (transmission)
        td_report(build->diagnostics, TD_CODE_TRANSMISSION_JOINT, transmission->source, remedy,
                  "transmission '%s' drives joint '%s', which does not exist",
                  transmission->name ? transmission->name : "", name ? name : "");
    else
        td_report(build->diagnostics, TD_CODE_ACTUATED_UNDEFINED, TD_NOWHERE, remedy,
                  "the options actuate joint '%s', which does not exist", name ? name : "");
}

static void report_useless(td_build *build, const char *name, const char *what)
{
    td_report(build->diagnostics, TD_CODE_ACTUATED_FIXED, TD_NOWHERE,
              "remove it from the actuated joints", "'%s' is %s and cannot be actuated", name,
              what);
}

/* Marks a loop, whose closing joint must have one coordinate. */
static void mark_loop(td_build *build, selection chosen, int loop, bool quiet)
{
    const td_model *model = build->model;
    const td_loop *record = &model->records.loop.at[loop];
    if (model->closure.loop_group[loop] < 0) {
        if (!quiet)
            report_useless(build, record->name, "the joint of an open loop");
    } else if (record->type == TD_LOOP_REVOLUTE || record->type == TD_LOOP_PRISMATIC) {
        chosen.loop[loop] = 1;
    } else if (!quiet) {
        report_useless(build, record->name, "a loop joint that is neither revolute nor prismatic");
    }
}

/* Marks the joint or loop that a transmission (or else the options) names. Reports one that does
   not exist or cannot have a motor. */
static void mark(td_build *build, selection chosen, const char *name,
                 const td_transmission *transmission)
{
    td_model *model = build->model;
    int i = td_names_find(&model->joint_names, name);
    int loop = i < 0 ? td_records_find_loop(&model->records, name) : -1;
    if (loop >= 0) {
        mark_loop(build, chosen, loop, transmission != NULL);
        return;
    }
    if (i < 0) {
        report_unknown(build, name, transmission);
        return;
    }
    const td_joint_kind *kind = td_joint_kind_of(model->records.joint.at[i].type);
    if (kind->nv > 0 && kind->quaternion == TD_NONE)
        chosen.joint[i] = 1;
    else if (!transmission)
        report_useless(build, name, kind->word);
}

static void mark_all(td_build *build, selection chosen, selection ignored)
{
    td_model *model = build->model;
    const td_load_options *options = build->options;
    bool by_transmission = options->actuation == TD_ACTUATION_TRANSMISSION;
    for (td_motor motor = {0}; td_next_motor(&model->records, &motor);)
        if (motor.joint)
            mark(build, by_transmission ? chosen : ignored, motor.joint, motor.record);
        else
            for (size_t k = motor.first; k < motor.end; k++) {
                const td_transmission *t = &model->records.transmission.at[k];
                mark(build, ignored, t->joint, t);
            }
    if (options->actuation == TD_ACTUATION_LIST)
        for (size_t k = 0; k < options->actuated_count; k++)
            mark(build, chosen, options->actuated[k], NULL);
    const bool commanded = options->actuation == TD_ACTUATION_COMMANDED;
    for (size_t i = 0; commanded && i < model->records.joint.count; i++)
        if (model->records.joint.at[i].command)
            mark(build, chosen, model->records.joint.at[i].name, NULL);
    if (options->actuation == TD_ACTUATION_INDEPENDENT)
        for (size_t k = 0; k < model->independent_count; k++) {
            const td_joint *joint = &model->records.joint.at[model->independent[k]];
            if (!td_joint_has_quaternion(joint->type) && !joint->flexible)
                chosen.joint[model->independent[k]] = 1;
        }
}

/* Returns whether coordinate k of an independent joint is a spin by itself. By default it has no
   motor. */
static bool is_idle(const td_model *model, size_t joint, int k)
{
    int velocity = model->place[joint].yd;
    for (int i = 0; i < k; i++)
        velocity += !(model->place[joint].dependents >> i & 1);
    for (size_t n = 0; n < model->spins.count; n++)
        if (model->spins.at[n].alone && model->spins.at[n].velocity == velocity)
            return true;
    return false;
}

bool td_select_motors(td_build *build)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    td_actuation_map *map = &model->actuation;
    size_t joints = model->records.joint.count, loops = model->records.loop.count;
    td_arena *temporary = &build->temporary;
    td_arena_scope(temporary);
    selection chosen = {TD_ARENA_NEW(temporary, char, joints),
                        TD_ARENA_NEW(temporary, char, loops)};
    selection ignored = {TD_ARENA_NEW(temporary, char, joints),
                         TD_ARENA_NEW(temporary, char, loops)};
    size_t most = model->tree.nv + loops;
    map->joint = TD_ARENA_NEW(arena, int, most);
    map->loop = TD_ARENA_NEW(arena, int, most);
    map->row = TD_ARENA_NEW(arena, int, most);
    map->position = TD_ARENA_NEW(arena, int, most);
    map->loops.motor = TD_ARENA_NEW(arena, td_loop_motor, loops);
    if (!chosen.joint || !chosen.loop || !ignored.joint || !ignored.loop || !map->joint ||
        !map->loop || !map->row || !map->position || !map->loops.motor)
        return false;
    mark_all(build, chosen, ignored);
    const bool independent_alone = build->options->actuation == TD_ACTUATION_INDEPENDENT;
    for (size_t i = 0; i < joints; i++)
        for (int k = 0; chosen.joint[i] && k < model->place[i].nv; k++) {
            if (independent_alone &&
                ((model->place[i].dependents >> k & 1) || is_idle(model, i, k)))
                continue; /* loops determine this coordinate of a planar joint, or it is idle */
            map->joint[map->nu] = (int)i;
            map->loop[map->nu] = -1;
            map->position[map->nu] = model->place[i].q + k;
            map->row[map->nu++] = model->place[i].qd + k;
        }
    for (size_t l = 0; l < loops; l++) {
        if (!chosen.loop[l])
            continue;
        int group = model->closure.loop_group[l];
        map->loops.motor[map->loops.count++] =
            (td_loop_motor){.group = (size_t)group,
                            .axis = td_loop_axis_of(&model->closure.loops.group[group], (int)l)};
        map->joint[map->nu] = map->position[map->nu] = map->row[map->nu] = -1;
        map->loop[map->nu++] = (int)l;
    }
    return true;
}
