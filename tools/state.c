/* SPDX-License-Identifier: MIT */
/*
 * One state from the command line, see state.h.
 */
#include "state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Where the quaternion x, y, z, w of a floating joint starts among its positions. */
enum { QUATERNION = 3 };

robot_state state_new(const coordinates *c)
{
    robot_state s;
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        s.value[quantity] = allocate(c->size[quantity], sizeof(double));
    }
    coordinates_default(c, s.value[QUANTITY_Q]);
    return s;
}

void state_free(robot_state *s)
{
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(s->value[quantity]);
    }
}

void complete_quaternions(const coordinates *c, const bool *given, double *position)
{
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = (size_t)c->joint[i];
        if (td_joint_at(c->model, joint)->type != TD_JOINT_FLOATING) {
            continue;
        }
        size_t x = coordinates_position(c, joint) + QUATERNION;
        if ((given[x] || given[x + 1] || given[x + 2]) && !given[x + 3]) {
            position[x + 3] = 0;
        }
    }
}

int normalize_quaternions(const coordinates *c, double *position, double *norm)
{
    for (size_t i = 0; i < c->joints; i++) {
        size_t joint = (size_t)c->joint[i];
        if (td_joint_at(c->model, joint)->type != TD_JOINT_FLOATING) {
            continue;
        }
        double *p = position + coordinates_position(c, joint) + QUATERNION;
        *norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        if (!(fabs(*norm - 1) <= 1e-6)) {
            return c->joint[i];
        }
        for (size_t k = 0; k < 4; k++) {
            p[k] /= *norm;
        }
    }
    return -1;
}

/* One JOINT=VALUE into its place; given: which entries of its quantity have a value already. */
static bool assign(robot_state *s, const coordinates *c, const assignment *a, bool *given,
                   bool tree_hint)
{
    const char *option = a->quantity == QUANTITY_Q ? "-q" : quantity_text(a->quantity);
    const char *dashes = a->quantity == QUANTITY_Q ? "" : "--";
    const char *equals = strrchr(a->text, '='); /* the name of a joint may hold one */
    if (equals == NULL || equals == a->text) {
        complain("%s%s %s: JOINT=VALUE expected", dashes, option, a->text);
        return false;
    }
    char *name = text_format("%.*s", (int)(equals - a->text), a->text);
    int index = coordinates_find(c, a->quantity, name);
    double value = 0;
    bool good = false;
    if (index < 0) {
        char *reason = coordinates_explain(c, a->quantity, name, tree_hint);
        complain("%s%s %s: %s", dashes, option, a->text, reason);
        free(reason);
    } else if (!parse_number(equals + 1, &value)) {
        complain("%s%s %s: '%s' is not a finite number", dashes, option, a->text, equals + 1);
    } else if (given[index]) {
        complain("%s%s %s: '%s' is given twice", dashes, option, a->text, name);
    } else {
        s->value[a->quantity][index] = value;
        given[index] = true;
        good = true;
    }
    free(name);
    return good;
}

/* Says which joints are outside their limits, as their followers leave them. */
static void report_limits(const td_model *model, const double *y)
{
    size_t count = td_outside_limits(model, y, NULL, 0);
    int *joints = allocate(count, sizeof *joints);
    td_outside_limits(model, y, joints, count);
    for (size_t i = 0; i < count; i++) {
        size_t joint = (size_t)joints[i];
        td_effective_limit limit = td_effective_limit_at(model, joint);
        double at = y[td_joint_place_at(model, joint).y];
        bool below = at < limit.lower;
        int by = below ? limit.lower_joint : limit.upper_joint;
        complain("joint '%s' is at %s, %s its limit %s%s%s%s", td_joint_at(model, joint)->name,
                 number_clear(at).text, below ? "below" : "above",
                 number_brief(below ? limit.lower : limit.upper).text,
                 by == (int)joint ? "" : " set by '",
                 by == (int)joint ? "" : td_joint_at(model, (size_t)by)->name,
                 by == (int)joint ? "" : "'");
    }
    free(joints);
}

bool state_read(robot_state *s, const coordinates *c, const tool_options *options, bool tree_hint)
{
    bool *given[QUANTITY_COUNT];
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        given[quantity] = allocate(c->size[quantity], sizeof *given[quantity]);
    }
    bool good = true;
    for (size_t i = 0; i < options->assignment_count; i++) {
        const assignment *a = &options->assignments[i];
        good = assign(s, c, a, given[a->quantity], tree_hint) && good;
    }
    complete_quaternions(c, given[QUANTITY_Q], s->value[QUANTITY_Q]);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        free(given[quantity]);
    }
    double norm;
    int joint = normalize_quaternions(c, s->value[QUANTITY_Q], &norm);
    if (joint >= 0) {
        complain("the quaternion of joint '%s' has norm %s, not 1",
                 td_joint_at(c->model, (size_t)joint)->name, number_clear(norm).text);
        good = false;
    }
    if (good && !c->tree && options->assignment_count > 0)
        report_limits(c->model, s->value[QUANTITY_Q]);
    return good;
}
