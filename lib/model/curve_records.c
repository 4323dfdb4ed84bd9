/* SPDX-License-Identifier: MIT */
/*
 * Records of joints that follow others by curves: defaults and copies.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/sized.h"
#include "model/records.h"

const td_curve *td_curve_at(const td_follower *follower, size_t i)
{
    return i < follower->curves ? td_sized_at(follower->curve, i) : NULL;
}

bool td_records_follower_names(const td_records *records, td_arena *arena, td_names *names)
{
    return td_names_build(names, arena, records->follower.at, records->follower.count,
                          sizeof(td_follower), offsetof(td_follower, joint));
}

/* Returns whether all arrays that the type needs are present. Sets unused arrays to NULL. */
static bool complete(td_curve *c)
{
    const bool spline = c->type == TD_CURVE_SPLINE;
    const bool slopes = spline && c->ends == TD_CURVE_ENDS_HERMITE;
    if (c->type != TD_CURVE_POLYNOMIAL)
        c->coefficients = 0;
    if (!spline)
        c->points = 0;
    if (!slopes)
        c->slope = NULL;
    if (!slopes || c->degree != 5)
        c->curvature = NULL;
    return (unsigned)c->type <= TD_CURVE_SPLINE && (unsigned)c->ends <= TD_CURVE_ENDS_HERMITE &&
           (!c->coefficients || c->coefficient) && (!c->points || (c->at && c->value)) &&
           (!slopes || !c->points || c->slope) &&
           (!slopes || !c->points || c->degree != 5 || c->curvature);
}

/* Replaces *numbers by a copy of themselves, NULL if count is 0. */
static bool own_numbers(td_arena *arena, const double **numbers, size_t count)
{
    if (!*numbers || !count) {
        *numbers = NULL;
        return true;
    }
    *numbers = td_arena_copy(arena, *numbers, count, sizeof **numbers);
    return *numbers != NULL;
}

td_status td_follower_own(td_arena *arena, td_follower *follower)
{
    if (follower->curves && !follower->curve)
        return TD_ERROR_ARGUMENT;
    td_curve *copy = TD_ARENA_NEW(arena, td_curve, follower->curves);
    if (!copy)
        return TD_ERROR_MEMORY;
    for (size_t i = 0; i < follower->curves; i++) {
        const td_curve *given = td_curve_at(follower, i);
        td_curve *c = &copy[i];
        *c = td_curve_default(TD_CURVE_POLYNOMIAL, NULL);
        if (given->size_of != follower->curve->size_of || !td_sized_read(c, sizeof *c, given) ||
            !complete(c))
            return TD_ERROR_ARGUMENT;
        if ((c->leader && !(c->leader = td_arena_string(arena, c->leader))) ||
            !own_numbers(arena, &c->coefficient, c->coefficients) ||
            !own_numbers(arena, &c->at, c->points) || !own_numbers(arena, &c->value, c->points) ||
            !own_numbers(arena, &c->slope, c->points) ||
            !own_numbers(arena, &c->curvature, c->points))
            return TD_ERROR_MEMORY;
    }
    follower->curve = copy;
    return TD_OK;
}
