/* SPDX-License-Identifier: MIT */
/*
 * Converts goals of tandem ik for the library and reads target poses from tables; see ik.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/ik.h"
#include "text.h"

static const char *const place_name[PLACE_COUNT] = {"x",  "y",  "z",    "qx",    "qy",
                                                    "qz", "qw", "roll", "pitch", "yaw"};

bool ik_find_links(const td_model *model, ik_options *options)
{
    for (size_t i = 0; i < options->goals; i++) {
        link_goal *goal = &options->goal[i];
        const int link = find_link_point(model, goal->link, goal->pointed, goal->point, goal->at);
        if (link < 0) {
            return false;
        }
        goal->index = (size_t)link;
    }
    return true;
}

size_t ik_parts(const link_goal *goal)
{
    return (size_t)(goal->pose || goal->position) + (size_t)goal->pointing;
}

td_status ik_goals_new(const session *s, const ik_options *options, td_ik **ik)
{
    static const double fine = 1e-9; /* tight for a path, whose differences are velocities */
    td_ik_goal *goals = allocate(2 * options->goals, sizeof *goals);
    size_t count = 0;
    for (size_t i = 0; i < options->goals; i++) {
        const link_goal *from = &options->goal[i];
        if (from->pose || from->position) {
            td_ik_goal *to = &goals[count++];
            *to = td_ik_goal_default(from->pose ? TD_IK_POSE : TD_IK_POSITION, from->index);
            memcpy(to->point, from->at, sizeof to->point);
        }
        if (from->pointing) {
            td_ik_goal *to = &goals[count++];
            *to = td_ik_goal_default(TD_IK_AXIS, from->index);
            memcpy(to->axis, from->axis, sizeof to->axis);
        }
    }
    for (size_t i = 0; i < count && options->path; i++) {
        goals[i].tolerance = goals[i].turn_tolerance = fine;
    }
    td_status status = td_ik_new(s->model, goals, count, NULL, ik);
    free(goals);
    return status;
}

void ik_targets(const ik_options *options, double *target)
{
    for (size_t i = 0; i < options->goals; i++) {
        const link_goal *goal = &options->goal[i];
        const size_t numbers = goal->pose ? 7 : goal->position ? 3 : 0;
        memcpy(target, goal->place, numbers * sizeof *target);
        target += numbers;
        if (goal->pointing) {
            memcpy(target, goal->direction, 3 * sizeof *target);
            target += 3;
        }
    }
}

void ik_left(const link_goal *goal, const double **residuals, double left[2])
{
    left[0] = left[1] = 0;
    for (size_t part = 0; part < ik_parts(goal); part++) {
        left[0] += (*residuals)[0]; /* one is in meters, one in radians */
        left[1] += (*residuals)[1];
        *residuals += 2;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Finds the columns of three or four values, beginning with `first`, whose names have that ending.
 *found: whether they exist. Prints a message and returns false if only some exist. */
static bool find_columns(const number_heading *heading, const char *ending, int column[PLACE_COUNT],
                         size_t first, size_t count, bool *found)
{
    size_t there = 0;
    const char *missing = NULL;
    for (size_t k = first; k < first + count; k++) {
        scoped char *name = text_format("%s%s", place_name[k], ending);
        column[k] = number_column(heading, name);
        there += column[k] >= 0;
        missing = column[k] < 0 && missing == NULL ? place_name[k] : missing;
    }
    *found = there == count;
    if (there > 0 && there < count) {
        complain("%s: column '%s%s' is missing", heading->name, missing, ending);
        return false;
    }
    const unit_domain domain = first == PLACE_X    ? UNIT_SLIDE
                               : first == PLACE_QX ? UNIT_NONE
                                                   : UNIT_TURN;
    for (size_t k = first; k < first + count && *found; k++) {
        if (!number_use(heading, (size_t)column[k], domain)) {
            return false;
        }
    }
    return true;
}

/* Finds the columns of one link by the ending of their names. */
static bool find_place(const number_heading *heading, const char *ending, link_goal *goal)
{
    bool position, quaternion, angles;
    if (!find_columns(heading, ending, goal->column, PLACE_X, 3, &position) ||
        !find_columns(heading, ending, goal->column, PLACE_QX, 4, &quaternion) ||
        !find_columns(heading, ending, goal->column, PLACE_ROLL, 3, &angles)) {
        return false;
    }
    goal->table = position;
    if (!position && !quaternion && !angles) {
        return true;
    }
    if (!position || (quaternion && angles)) {
        complain(position ? "%s: columns qx%s ... and roll%s ... both give the orientation of a "
                            "link; keep one"
                          : "%s: columns x%s, y%s and z%s are missing",
                 heading->name, ending, ending, ending);
        return false;
    }
    const bool pose = quaternion || angles;
    if (goal->pose || goal->position) {
        complain("%s: columns and an option both give the position of link '%s'; keep one",
                 heading->name, goal->link);
        return false;
    }
    if (pose && goal->pointing) {
        complain("%s: columns and --pointing both give the orientation of link '%s'; keep one",
                 heading->name, goal->link);
        return false;
    }
    goal->pose = pose;
    goal->position = !pose;
    return true;
}

/* Takes the links from columns x:LINK if the options name none. */
static bool links_of_columns(const number_heading *heading, const td_model *model,
                             ik_options *options)
{
    for (size_t i = 0; i < heading->columns; i++) {
        if (strncmp(heading->column[i], "x:", 2) != 0) {
            continue;
        }
        const int link = find_link(model, heading->column[i] + 2);
        if (link < 0) {
            return false;
        }
        options->goal = reallocate(options->goal, options->goals + 1, sizeof *options->goal);
        options->goal[options->goals++] = (link_goal){.link = td_link_at(model, (size_t)link)->name,
                                                      .index = (size_t)link,
                                                      .axis = {0, 0, 1}};
    }
    if (options->goals == 0) {
        complain("%s: no column x:LINK names the link; give --link NAME", heading->name);
    }
    return options->goals > 0;
}

/* Returns whether tandem fk or ik writes a column of that name for other links and joints. */
static bool is_known(const char *name)
{
    static const char *const other[] = {"q:", "qd:", "qdd:", "tau:", "u:"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        if (strncmp(name, other[i], strlen(other[i])) == 0) {
            return true;
        }
    }
    for (size_t k = 0; k < PLACE_COUNT; k++) {
        const size_t length = strlen(place_name[k]);
        if (strncmp(name, place_name[k], length) == 0 && name[length] == ':') {
            return true;
        }
    }
    return strcmp(name, "reached") == 0;
}

bool ik_columns(const number_heading *heading, const td_model *model, ik_options *options,
                int *time)
{
    if (options->goals == 0 && !links_of_columns(heading, model, options)) {
        return false;
    }
    bool any = false;
    for (size_t i = 0; i < options->goals; i++) {
        link_goal *goal = &options->goal[i];
        scoped char *ending = text_format(":%s", goal->link);
        bool good = find_place(heading, ending, goal) &&
                    (goal->table || options->goals > 1 || find_place(heading, "", goal));
        if (good && !goal->pose && !goal->position && !goal->pointing) {
            complain("%s: columns x%s%s, ... with the position of link '%s' are missing",
                     heading->name, options->goals > 1 ? ":" : "",
                     options->goals > 1 ? goal->link : "", goal->link);
            good = false;
        }
        if (!good) {
            return false;
        }
        any = any || goal->table;
    }
    if (!any) {
        complain("%s: columns x, y and z of the link are missing", heading->name);
        return false;
    }
    *time = number_use_time(heading);
    if (!options->common.keep) {
        number_tell_unused(heading, is_known);
    }
    return *time >= -1;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool place_one(link_goal *goal, const double *value, const char **fault)
{
    double place[PLACE_COUNT];
    for (size_t k = 0; k < PLACE_COUNT; k++) {
        place[k] = goal->column[k] >= 0 ? value[goal->column[k]] : 0;
        if (!isfinite(place[k])) {
            *fault = "a value is missing";
            return false;
        }
    }
    memcpy(goal->place, place, 7 * sizeof *place);
    double *q = goal->place + 3;
    if (goal->pose && goal->column[PLACE_ROLL] >= 0) {
        double rotation[9];
        td_rotation_from_rpy(place[PLACE_ROLL], place[PLACE_ROLL + 1], place[PLACE_ROLL + 2],
                             rotation);
        td_quaternion_from_rotation(rotation, q);
    } else if (goal->pose) {
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(fabs(length - 1) < 0.01)) { /* as for --pose: tables are rounded */
            *fault = "the quaternion does not have unit length";
            return false;
        }
        for (size_t k = 0; k < 4; k++) {
            q[k] /= length;
        }
    }
    return true;
}

bool ik_place(ik_options *options, const double *value, const char **fault)
{
    for (size_t i = 0; i < options->goals; i++) {
        if (options->goal[i].table && !place_one(&options->goal[i], value, fault)) {
            return false;
        }
    }
    return true;
}
