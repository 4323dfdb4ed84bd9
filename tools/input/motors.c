/* SPDX-License-Identifier: MIT */
/*
 * Reports joints without motors, and limits of effort; see motors.h.
 */
#include "input/motors.h"

#include <math.h>
#include <stdlib.h>

#include "input/coordinates.h"
#include "text.h"

enum { LISTED = 6 };

/* Appends a name to the list, or only counts it from LISTED names on. */
static char *append(char *list, size_t count, const char *name)
{
    if (count >= LISTED) {
        return list;
    }
    char *longer = text_format("%s%s'%s'", list, count > 0 ? ", " : "", name);
    free(list);
    return longer;
}

/* Returns "before LIST and 3 more after", or "" for an empty list. Frees the list. */
static char *sentence(const char *before, char *list, size_t count, const char *after)
{
    char *more =
        count > LISTED ? text_format(" and %zu more", count - LISTED) : text_format("%s", "");
    char *text =
        count > 0 ? text_format("%s%s%s%s", before, list, more, after) : text_format("%s", "");
    free(list);
    free(more);
    return text;
}

double limit_or_none(double limit)
{
    return limit > 0 ? limit : (double)INFINITY;
}

static double effort_of(const td_model *model, size_t joint)
{
    return limit_or_none(td_joint_at(model, joint)->limit.effort);
}

double motor_effort(const td_model *model, size_t motor)
{
    const td_actuator actuator = td_actuator_at(model, motor);
    return actuator.joint != TD_NONE ? fmin(effort_of(model, actuator.joint), actuator.effort_limit)
                                     : actuator.effort_limit;
}

static bool has_motor(const td_model *model, size_t joint)
{
    for (size_t k = 0; k < td_nu(model); k++) {
        if (td_actuator_at(model, k).joint == joint) {
            return true;
        }
    }
    return false;
}

double follower_effort(const td_model *model, size_t joint, bool motors)
{
    const td_joint_place place = td_joint_place_at(model, joint);
    const bool follows = place.nv == 1 && place.dependent && place.cluster == TD_NONE;
    return follows && !(motors && has_motor(model, joint)) ? effort_of(model, joint)
                                                           : (double)INFINITY;
}

char *motors_missing(const session *s)
{
    enum { MOST_ENTRIES = 1 << 24 }; /* 128 MiB of M_u */
    const size_t nu = td_nu(s->model), n = td_nyd(s->model);
    if (td_actuation_status(s->model) == TD_OK) { /* elastic coordinates need no motor */
        return text_format("%s", "");
    }
    if (nu > 0 && n > MOST_ENTRIES / nu) {
        return text_format("not checked which joints no motor moves: M_u is too large (%zu × %zu)",
                           nu, n);
    }
    coordinates c = coordinates_new(s->model, false);
    scoped double *M_u = allocate(nu * n + 1, sizeof *M_u);
    char *list = text_format("%s", "");
    size_t count = 0;
    const double *y = td_reference(s->model, TD_COORDINATES_INDEPENDENT);
    const td_status status = td_actuation_matrix(s->model, s->workspace, y, M_u);
    for (size_t k = 0; k < n && status == TD_OK; k++) {
        double most = 0;
        for (size_t i = 0; i < nu; i++) {
            most = fmax(most, fabs(M_u[i * n + k]));
        }
        const td_joint *joint = td_joint_at(s->model, coordinates_joint(&c, k));
        if (most < 1e-12 && td_joint_kind_of(joint->type)->nq <= 3) { /* motors move no poses */
            list = append(list, count++, c.name[QUANTITY_QD][k]);
        }
    }
    coordinates_free(&c);
    return sentence("no motor moves ", list, count, "");
}

static bool is_motor(const td_model *model, size_t joint)
{
    for (size_t i = 0; i < td_nu(model); i++) {
        if (td_actuator_at(model, i).joint == joint) {
            return true;
        }
    }
    return false;
}

char *motors_unused(const td_model *model)
{
    scoped bool *seen = allocate(td_joint_count(model) + 1, sizeof *seen);
    char *list = text_format("%s", "");
    size_t count = 0;
    for (size_t i = 0; i < td_transmission_count(model); i++) {
        const td_transmission *t = td_transmission_at(model, i);
        const size_t joint = td_joint_index(model, t->shaft != NULL ? t->shaft : t->joint);
        if (joint != TD_NONE && td_joint_place_at(model, joint).nv > 0 && !seen[joint] &&
            !is_motor(model, joint) && !is_motor(model, td_joint_index(model, t->joint))) {
            seen[joint] = true;
            list = append(list, count++, td_joint_at(model, joint)->name);
        }
    }
    return sentence("", list, count,
                    count == 1 ? " has a transmission and is not a motor"
                               : " have transmissions and are not motors");
}
