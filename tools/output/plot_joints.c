/* SPDX-License-Identifier: MIT */
/*
 * Collects units and limits of the columns of a robot's joints for pictures; see plot.h.
 */
#include <math.h>
#include <stdlib.h>

#include "input/coordinate_name.h"
#include "input/coordinates.h"
#include "output/plot.h"
#include "text.h"

typedef struct joint_list {
    plot_joint *joint;
    size_t count;
} joint_list;

static void add(joint_list *list, const char *prefix, const char *name, bool slides, double lower,
                double upper)
{
    list->joint = reallocate(list->joint, list->count + 1, sizeof *list->joint);
    list->joint[list->count++] = (plot_joint){text_format("%s:%s", prefix, name), slides,
                                              isnan(lower) ? -(double)INFINITY : lower,
                                              isnan(upper) ? (double)INFINITY : upper};
}

/* Returns a limit of a magnitude, or infinity if it is not positive. */
static double size_or_none(double limit)
{
    return limit > 0 ? limit : (double)INFINITY;
}

/* Adds a joint with one coordinate and its limits, which include the limits of its followers. */
static void add_simple(joint_list *list, const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    const bool slides = !joint_turns(model, index);
    td_limit limit = joint->limit;
    if (!td_joint_place_at(model, index).dependent) {
        const td_effective_limit shared = td_effective_limit_at(model, index);
        limit.lower = shared.lower;
        limit.upper = shared.upper;
        limit.velocity = shared.velocity;
        limit.effort = shared.effort;
    }
    const bool any = limit.lower < limit.upper;
    const double velocity = size_or_none(limit.velocity), effort = size_or_none(limit.effort);
    const double acceleration = size_or_none(limit.acceleration);
    add(list, "q", joint->name, slides, any ? limit.lower : (double)NAN,
        any ? limit.upper : (double)NAN);
    add(list, "qd", joint->name, slides, -velocity, velocity);
    add(list, "qdd", joint->name, slides, -acceleration, acceleration);
    add(list, "tau", joint->name, slides, -effort, effort);
    add(list, "u", joint->name, slides, -effort, effort);
}

/* Adds a joint with several coordinates. Entries of quaternions have no unit. */
static void add_several(joint_list *list, const td_model *model, size_t index)
{
    const td_joint_place place = td_joint_place_at(model, index);
    for (enum quantity quantity = QUANTITY_Q; quantity < QUANTITY_COUNT; quantity++) {
        for (size_t k = 0; k < (size_t)(quantity == QUANTITY_Q ? place.nq : place.nv); k++) {
            const unit_domain domain = coordinate_domain(model, index, quantity, k);
            if (domain == UNIT_NONE) {
                continue;
            }
            scoped char *name = coordinate_text(model, index, quantity, k);
            add(list, quantity_text(quantity), name, domain == UNIT_SLIDE, (double)NAN,
                (double)NAN);
        }
    }
}

plot_joint *plot_joints_new(const td_model *model, size_t *count)
{
    joint_list list = {NULL, 0};
    for (size_t i = 0; i < td_movable_count(model); i++) {
        const size_t index = td_movable_joint(model, i);
        if (td_joint_place_at(model, index).nv == 1) {
            add_simple(&list, model, index);
        } else {
            add_several(&list, model, index);
        }
    }
    *count = list.count;
    return list.joint;
}

void plot_joints_free(plot_joint *joints, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(joints[i].column);
    }
    free(joints);
}

double plot_energy(const td_model *model)
{
    const double *g = td_gravity(model, NULL);
    double mass = 0, length = 0;
    for (size_t i = 0; i < td_link_count(model); i++) {
        mass += td_link_at(model, i)->mass;
    }
    for (size_t i = 0; i < td_joint_count(model); i++) {
        const double *p = td_joint_at(model, i)->origin.position;
        length += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    const double energy = mass * length * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return isfinite(energy) ? energy : 0;
}
