/* SPDX-License-Identifier: MIT */
/*
 * Shafts of motors that pull several joints, or have losses. Before any other step, such a motor
 * gets a joint and a massless link. The joint is the sum of the pulled joints
 * (load/closure/coupling.c), so all algorithms of linear couplings apply to it. The rotor is an
 * inertia along this joint alone: it adds Aᵀ I A to the mass matrix. The record of the joint has
 * the motor's friction and damping.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "load/build.h"
#include "model/joint_kind.h"
#include "model/motors.h"

typedef struct shafts {
    td_build *build;
    td_records *records;
    td_names joints, links, children; /* children: joints by their child links */
    size_t count;                     /* of joints before the first shaft was added */
    char *above;                      /* per such joint: whether it carries the common link */
} shafts;

static bool index_names(shafts *s)
{
    td_arena *temporary = &s->build->temporary;
    td_records *r = s->records;
    return td_names_build(&s->joints, temporary, r->joint.at, r->joint.count, sizeof(td_joint),
                          offsetof(td_joint, name)) &&
           td_names_build(&s->links, temporary, r->link.at, r->link.count, sizeof(td_link),
                          offsetof(td_link, name)) &&
           td_names_build(&s->children, temporary, r->joint.at, r->joint.count, sizeof(td_joint),
                          offsetof(td_joint, child));
}

/* A motor without an actuator has the name of its joint. */
static const char *motor_name(const td_transmission *record)
{
    return record->actuator ? record->actuator : record->joint;
}

static bool has_limits(const td_transmission *t)
{
    return !isnan(t->effort_limit) || !isnan(t->velocity_limit) || !isnan(t->power_limit);
}

/* Returns whether the motor needs a shaft: it has losses, or it pulls several joints and has
   inertia or limits or is a motor of u. */
static bool is_needed(const td_build *build, const td_motor *which)
{
    const td_load_options *options = build->options;
    const td_transmission *motor = which->record;
    if (motor->damping != 0 || motor->friction != 0)
        return true;
    if (which->end == which->first + 1)
        return false;
    if (motor->rotor_inertia != 0 || has_limits(motor) ||
        options->actuation == TD_ACTUATION_TRANSMISSION)
        return true;
    for (size_t n = 0; options->actuation == TD_ACTUATION_LIST && n < options->actuated_count; n++)
        if (options->actuated[n] && strcmp(options->actuated[n], motor->actuator) == 0)
            return true;
    return false;
}

/* Returns why a motor cannot pull what a record names; NULL if it can, or if there is no such
   joint, which is reported when motors are chosen. */
static const char *obstacle(const shafts *s, const char *name, bool *found)
{
    const int i = td_names_find(&s->joints, name);
    const td_joint *joint = i >= 0 ? &s->records->joint.at[i] : NULL;
    *found = joint;
    if (!joint && td_records_find_loop(s->records, name) >= 0)
        return "which closes a loop";
    if (!joint)
        return NULL;
    if (joint->flexible)
        return "which is in a flexible link";
    return td_joint_is_scalar(joint->type) || td_joint_is_fixed(joint)
               ? NULL
               : "which has several coordinates";
}

/* Returns whether all pulled joints exist and have one coordinate. */
static bool is_sound(const shafts *s, const td_motor *motor)
{
    for (size_t k = motor->first; k < motor->end; k++) {
        const td_transmission *t = &s->records->transmission.at[k];
        bool found;
        const char *why = obstacle(s, t->joint, &found);
        if (why)
            td_report(s->build->diagnostics, TD_CODE_MOTOR_JOINT, t->source,
                      "only joints of the tree with one coordinate can be pulled",
                      "motor '%s' pulls joint '%s', %s; its inertia, damping, friction and "
                      "limits are ignored",
                      motor_name(t), t->joint, why);
        if (why || !found)
            return false;
    }
    return true;
}

/* A motor that is ignored has no inertia, no losses and no limits. */
static void ignore(const shafts *s, const td_motor *motor)
{
    for (size_t k = motor->first; k < motor->end; k++) {
        td_transmission *t = &s->records->transmission.at[k];
        t->rotor_inertia = t->damping = t->friction = 0;
        t->effort_limit = t->velocity_limit = t->power_limit = NAN;
    }
}

/* ---- where the shaft is ---------------------------------------------------------------------- */

/* Returns the joint that carries a link, −1 for a root. */
static int joint_above(const shafts *s, const char *link)
{
    return td_names_find(&s->children, link);
}

/* Returns the nearest link that carries both links; `link` if they have none. Steps are limited,
   because cycles are only reported later. */
static const char *common_link(const shafts *s, const char *link, const char *other)
{
    const td_joint *joint = s->records->joint.at;
    size_t steps = s->records->joint.count;
    memset(s->above, 0, s->count);
    for (int i = joint_above(s, link); i >= 0 && !s->above[i]; i = joint_above(s, joint[i].parent))
        s->above[i] = 1;
    for (const char *at = other; at && strcmp(at, link) != 0;) {
        const int i = joint_above(s, at);
        if (i < 0 || s->above[i] || steps-- == 0)
            return at;
        at = joint[i].parent;
    }
    return link;
}

static const char *parent_of(const shafts *s, const td_motor *motor)
{
    const char *link = NULL;
    for (size_t k = motor->first; k < motor->end; k++) {
        const int i = td_names_find(&s->joints, s->records->transmission.at[k].joint);
        const char *parent = s->records->joint.at[i].parent;
        link = link && parent ? common_link(s, link, parent) : parent ? parent : link;
    }
    return link;
}

/* ---- its records ----------------------------------------------------------------------------- */

static bool is_taken(const shafts *s, const char *name)
{
    return td_names_find(&s->joints, name) >= 0 || td_names_find(&s->links, name) >= 0 ||
           strcmp(name, TD_BASE_NAME) == 0;
}

/* Returns the name of the shaft. Shafts may still have equal names, which is reported later. */
static const char *name_of(const shafts *s, const char *motor)
{
    static const char suffix[] = ".shaft";
    const size_t size = strlen(motor) + sizeof suffix;
    char *name = td_arena_array(&s->records->arena, size, 1);
    if (name)
        snprintf(name, size, "%s%s", motor, is_taken(s, motor) ? suffix : "");
    return name;
}

/* Returns whether w is a length: all pulled joints slide. */
static bool slides(const shafts *s, const td_motor *motor)
{
    bool all = true;
    for (size_t k = motor->first; k < motor->end; k++) {
        const int i = td_names_find(&s->joints, s->records->transmission.at[k].joint);
        all = all && td_joint_slides(s->records->joint.at[i].type);
    }
    return all;
}

static bool add_shaft(shafts *s, const td_motor *motor)
{
    const td_transmission *record = motor->record;
    const char *name = name_of(s, motor_name(record)), *parent = parent_of(s, motor);
    if (!name)
        return false;
    if (!parent)
        return true; /* joints without parents are errors */
    td_link link = td_link_default(name);
    td_joint joint = td_joint_default(
        name, slides(s, motor) ? TD_JOINT_PRISMATIC : TD_JOINT_CONTINUOUS, parent, name);
    link.source = joint.source = record->source;
    joint.motor = motor_name(record);
    joint.damping = pow(record->mechanical_reduction, 2) * record->damping;
    joint.friction = fabs(record->mechanical_reduction) * record->friction;
    for (size_t k = motor->first; k < motor->end; k++)
        s->records->transmission.at[k].shaft = name;
    return td_records_add_link(s->records, &link) == TD_OK &&
           td_records_add_joint(s->records, &joint) == TD_OK;
}

bool td_add_shafts(td_build *build)
{
    td_records *records = &build->model->records;
    td_arena_scope(&build->temporary);
    shafts s = {.build = build, .records = records, .count = records->joint.count};
    for (size_t i = 0; i < records->joint.count; i++)
        records->joint.at[i].motor = NULL;
    if (!records->transmission.count)
        return true;
    s.above = TD_ARENA_NEW(&build->temporary, char, records->joint.count);
    if (!s.above || !index_names(&s))
        return false;
    for (td_motor motor = {0}; td_next_motor(records, &motor);) {
        if (!is_needed(build, &motor))
            continue;
        if (!is_sound(&s, &motor))
            ignore(&s, &motor);
        else if (!add_shaft(&s, &motor))
            return false;
    }
    return true;
}
