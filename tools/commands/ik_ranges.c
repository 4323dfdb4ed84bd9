/* SPDX-License-Identifier: MIT */
/*
 * Explains why a goal of tandem ik may be out of reach: limits that allow a joint no position, or
 * only one.
 */
#include <math.h>
#include <stdlib.h>

#include "base/limit.h"
#include "commands/ik.h"
#include "text.h"

/* Returns whether the joint moves one of the links at y. True if loops do not close at y. */
static bool moves_goal(const session *s, const ik_options *options, const double *y, size_t yd)
{
    const size_t n = td_nyd(s->model);
    scoped double *J = allocate(6 * n, sizeof *J);
    bool moves = options->goals == 0;
    for (size_t i = 0; i < options->goals && !moves; i++) {
        moves = td_link_jacobian(s->model, s->workspace, options->goal[i].index, NULL, y,
                                 TD_FRAME_ALIGNED, J) != TD_OK;
        for (size_t k = 0; k < 6 && !moves; k++) {
            moves = fabs(J[k * n + yd]) > 1e-9;
        }
    }
    return moves;
}

/* Returns "'a' allows nothing below 0.7" in a new string. */
static char *end_text(const session *s, size_t joint, const char *side, double limit)
{
    return text_format("'%s' allows nothing %s %s", td_joint_at(s->model, joint)->name, side,
                       number_brief(limit + 0.0).text); /* −0 + 0 is 0 */
}

static void complain_range(const session *s, size_t joint, const td_effective_limit *limit)
{
    const char *name = td_joint_at(s->model, joint)->name;
    scoped char *below = end_text(s, limit->lower_joint, "below", limit->lower);
    scoped char *above = end_text(s, limit->upper_joint, "above", limit->upper);
    if (td_is_above(limit->lower, limit->upper)) {
        complain("limits allow no position of joint '%s': %s, %s; correct or widen them", name,
                 below, above);
    } else if (limit->lower_joint == limit->upper_joint) {
        complain("limits allow only one position of joint '%s', %s, because of '%s'; correct or "
                 "widen them",
                 name, number_brief(limit->lower + 0.0).text,
                 td_joint_at(s->model, (size_t)limit->lower_joint)->name);
    } else {
        complain("limits allow only one position of joint '%s', %s: %s, %s; correct or widen them",
                 name, number_brief(limit->lower + 0.0).text, below, above);
    }
}

void ik_complain_ranges(const session *s, const ik_options *options, const double *y)
{
    const double *reference = td_reference(s->model, TD_COORDINATES_INDEPENDENT);
    for (size_t i = 0; i < td_independent_count(s->model); i++) {
        const size_t joint = td_independent_joint(s->model, i);
        const td_effective_limit limit = td_effective_limit_at(s->model, joint);
        const td_joint_place place = td_joint_place_at(s->model, joint);
        const double least = 2 * td_limit_tolerance(limit.upper);
        if (limit.lower_joint != TD_NONE && limit.upper_joint != TD_NONE && place.nyd > 0 &&
            limit.upper - limit.lower <= least &&
            moves_goal(s, options, y != NULL ? y : reference, place.yd)) {
            complain_range(s, joint, &limit);
        }
    }
}
