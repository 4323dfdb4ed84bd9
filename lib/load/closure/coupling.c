/* SPDX-License-Identifier: MIT */
/*
 * URDF+ couplings. Each one relates the paths from the nearest common ancestor to its two links.
 * The sum of joint coordinates on the successor's path equals ratio times the sum on the
 * predecessor's path. (This is the convention of the generalized_rbda library. The row of K is
 * ratio on the predecessor's path and −1 on the successor's: ClusterTreeParsing.cpp,
 * explicitRollingConstraint.)
 *
 * Each coupling is solved for one joint by elimination. Known dependent joints are substituted
 * first, and the result is substituted in all earlier combinations. So every dependent joint
 * remains a linear combination of independent ones.
 *
 * The joint is one that the file declares dependent, independent="false". If it declares none, the
 * joint nearest to the successor is used, because a coupling expresses the successor's motion as
 * the ratio times the predecessor's.
 */
#include <math.h>

#include "base/sort.h"
#include "load/build.h"
#include "model/joint_kind.h"
#include "model/motors.h"

static const double relative_zero = 1e-12;

/* A dependent joint whose combination contains, or once contained, an independent joint. */
typedef struct user {
    int joint;
    struct user *next;
} user;

/* One equation Σ factor · q + constant = 0. factor is dense; joints with a possibly nonzero factor
   are listed. So the work for a coupling is proportional to the number of its joints. */
typedef struct equation {
    td_build *build;
    double *factor;
    double constant;
    int *listed;
    bool *is_listed; /* per joint */
    size_t count;    /* number of listed joints */
    user **users;    /* per independent joint */
    size_t *reached; /* per link: the last search for a common ancestor that reached it */
    size_t searches;
} equation;

static td_combination *combinations(td_model *model)
{
    return model->closure.combination;
}

static bool add_user(equation *e, int joint, int independent)
{
    const user one = {joint, e->users[independent]};
    e->users[independent] = td_arena_copy(&e->build->temporary, &one, 1, sizeof one);
    return e->users[independent];
}

/* Stores scale · (Σ factor · q + constant), without the entry of skip, as the combination of joint
   i. */
static bool keep(td_model *model, int i, equation *e, int skip, double scale)
{
    td_combination *c = &combinations(model)[i];
    int count = 0;
    for (size_t k = 0; k < e->count; k++)
        count += e->listed[k] != skip && e->factor[e->listed[k]] != 0;
    c->joint = TD_ARENA_NEW(&model->records.arena, int, (size_t)count);
    c->factor = TD_ARENA_NEW(&model->records.arena, double, (size_t)count);
    if (!c->joint || !c->factor)
        return false;
    c->count = 0;
    for (size_t k = 0; k < e->count; k++) {
        const int joint = e->listed[k];
        if (joint == skip || e->factor[joint] == 0)
            continue;
        c->joint[c->count] = joint;
        c->factor[c->count++] = scale * e->factor[joint];
        if (!add_user(e, i, joint))
            return false;
    }
    c->constant = scale * e->constant;
    return true;
}

static void clear(equation *e)
{
    for (size_t k = 0; k < e->count; k++) {
        e->factor[e->listed[k]] = 0;
        e->is_listed[e->listed[k]] = false;
    }
    e->count = 0;
    e->constant = 0;
}

static void add_factor(equation *e, int i, double times)
{
    if (!e->is_listed[i]) {
        e->is_listed[i] = true;
        e->listed[e->count++] = i;
    }
    e->factor[i] += times;
}

/* Adds times · q_i, expressed in independent joints. */
static void add(td_model *model, equation *e, int i, double times)
{
    if (!model->place[i].dependent) {
        add_factor(e, i, times);
        return;
    }
    const td_combination *c = &combinations(model)[i];
    for (int k = 0; k < c->count; k++)
        add_factor(e, c->joint[k], times * c->factor[k]);
    e->constant += times * c->constant;
}

/* ---- one coupling ---------------------------------------------------------------------------- */

/* Adds times each joint from the link up to the common ancestor. Returns false if one has several
   coordinates. */
static bool add_path(td_build *build, const td_coupling *coupling, equation *e, int link,
                     int ancestor, double times)
{
    td_model *model = build->model;
    while (link != ancestor) {
        int i = model->link_joint[link];
        const td_joint *joint = &model->records.joint.at[i];
        if (joint->flexible) {
            td_report(build->diagnostics, TD_CODE_FLEXIBLE_COUPLING, coupling->source,
                      "use <mimic>; a coupling would also sum the elastic joints",
                      "coupling '%s' includes flexible link '%s'",
                      coupling->name ? coupling->name : "", joint->flexible);
            return false;
        }
        if (td_joint_is_scalar(joint->type)) {
            add(model, e, i, times);
        } else if (td_joint_kind_of(joint->type)->nv > 0) {
            td_report(build->diagnostics, TD_CODE_COUPLING_TYPE, coupling->source,
                      "only joints with one coordinate can be coupled",
                      "coupling '%s' includes joint '%s', which has several coordinates",
                      coupling->name ? coupling->name : "", joint->name);
            return false;
        }
        e->constant += times * td_locked_position(build, i);
        link = model->place[i].parent_link;
    }
    return true;
}

/* Follows both paths up in turn until one reaches a link that the other has visited. */
static int common_ancestor(const td_model *model, equation *e, int predecessor, int successor)
{
    int way[] = {predecessor, successor};
    e->searches++;
    for (int k = 0;; k = 1 - k) {
        const int link = way[k];
        if (link < 0)
            continue; /* this path is at the root, which the other one will reach */
        if (e->reached[link] == e->searches)
            return link;
        e->reached[link] = e->searches;
        const int joint = model->link_joint[link];
        way[k] = joint < 0 ? -1 : model->place[joint].parent_link;
    }
}

/* Sorts the joints and sets factors at rounding level to zero. Returns the number of nonzero
   factors. */
static int round_off(equation *e)
{
    double largest = 0;
    int count = 0;
    td_sort_ints(e->listed, e->count);
    for (size_t k = 0; k < e->count; k++)
        largest = fmax(largest, fabs(e->factor[e->listed[k]]));
    for (size_t k = 0; k < e->count; k++) {
        double *factor = &e->factor[e->listed[k]];
        if (fabs(*factor) <= relative_zero * fmax(largest, 1))
            *factor = 0;
        count += *factor != 0;
    }
    return count;
}

/* Returns the declaration of a joint in the file. A joint that follows others by curves cannot
   depend on the coupling, so it counts as independent. */
static int declared(const td_model *model, int i)
{
    return model->follower[i] >= 0 ? 1 : model->records.joint.at[i].independent;
}

/* Returns the joint to solve for: the one with the largest factor among those declared dependent,
   or −1. */
static int pivot_of(const td_model *model, const equation *e)
{
    int pivot = -1;
    for (size_t k = 0; k < e->count; k++) {
        const int i = e->listed[k];
        if (e->factor[i] != 0 && declared(model, i) == 0 &&
            (pivot < 0 || fabs(e->factor[i]) > fabs(e->factor[pivot])))
            pivot = i;
    }
    return pivot;
}

/* Returns the first joint from the link up to the ancestor that may be solved for, or −1. */
static int nearest_free(const td_model *model, const equation *e, int link, int ancestor)
{
    while (link != ancestor) {
        int i = model->link_joint[link];
        if (e->factor[i] != 0 && declared(model, i) < 0)
            return i;
        link = model->place[i].parent_link;
    }
    return -1;
}

/* Chooses the joint to solve for if the file declares none of them dependent, among those not
   declared independent. The joint nearest to the successor comes first, then the joint nearest to
   the predecessor. Otherwise it is the last joint on which joints of both paths depend. Returns −1
   if there is no such joint. */
static int choose_pivot(const td_model *model, const equation *e, int predecessor, int successor,
                        int ancestor)
{
    int pivot = nearest_free(model, e, successor, ancestor);
    if (pivot < 0)
        pivot = nearest_free(model, e, predecessor, ancestor);
    for (size_t k = e->count; pivot < 0 && k-- > 0;)
        if (e->factor[e->listed[k]] != 0 && declared(model, e->listed[k]) < 0)
            pivot = e->listed[k];
    return pivot;
}

/* Eliminates a joint that has become dependent from all combinations. */
static bool substitute(td_model *model, equation *e, int pivot)
{
    for (const user *u = e->users[pivot]; u; u = u->next) {
        const td_combination *c = &combinations(model)[u->joint];
        bool mentions = false;
        for (int k = 0; k < c->count; k++)
            mentions = mentions || c->joint[k] == pivot;
        if (!mentions)
            continue;
        clear(e);
        e->constant = c->constant;
        for (int k = 0; k < c->count; k++)
            add(model, e, c->joint[k], c->factor[k]);
        round_off(e);
        if (!keep(model, u->joint, e, -1, 1))
            return false;
    }
    return true;
}

static bool apply(td_build *build, const td_coupling *coupling, equation *e)
{
    td_model *model = build->model;
    const char *name = coupling->name ? coupling->name : "";
    int predecessor = td_names_find(&model->link_names, coupling->predecessor);
    int successor = td_names_find(&model->link_names, coupling->successor);
    if (predecessor < 0 || successor < 0)
        return true; /* reported elsewhere */
    int ancestor = common_ancestor(model, e, predecessor, successor);
    clear(e);
    if (!add_path(build, coupling, e, successor, ancestor, 1) ||
        !add_path(build, coupling, e, predecessor, ancestor, -coupling->ratio))
        return true;
    int count = round_off(e), said = pivot_of(model, e);
    int pivot = said >= 0 ? said : choose_pivot(model, e, predecessor, successor, ancestor);
    if (count == 0 && fabs(e->constant) <= relative_zero) {
        td_report(build->diagnostics, TD_CODE_COUPLING_REDUNDANT, coupling->source, "remove it",
                  "coupling '%s' is redundant: it follows from the others", name);
    } else if (count == 0) {
        td_report(build->diagnostics, TD_CODE_COUPLING_CONTRADICTS, coupling->source,
                  "remove one of them",
                  "coupling '%s' contradicts the others: together they imply %.9g = 0", name,
                  e->constant);
    } else if (pivot < 0) {
        td_report(build->diagnostics, TD_CODE_COUPLING_AMBIGUOUS, coupling->source,
                  "write independent=\"false\" on the joint that follows",
                  "coupling '%s' has no dependent joint: all its joints are declared independent",
                  name);
    } else {
        if (said < 0)
            td_report(
                build->diagnostics, TD_CODE_COUPLING_CHOICE, coupling->source,
                "to choose another, write independent=\"false\" on the joint that should follow",
                "coupling '%s' does not say which joint follows; '%s' was chosen", name,
                model->records.joint.at[pivot].name);
        if (count == 1)
            td_report(build->diagnostics, TD_CODE_COUPLING_FIXES, coupling->source,
                      "check the ratio and the links", "coupling '%s' fixes joint '%s' at %.9g",
                      name, model->records.joint.at[pivot].name, -e->constant / e->factor[pivot]);
        if (!keep(model, pivot, e, pivot, -1 / e->factor[pivot]))
            return false;
        model->place[pivot].dependent = true;
        return substitute(model, e, pivot);
    }
    return true;
}

/* ---- all couplings --------------------------------------------------------------------------- */

/* Starts with the combinations of mimic joints. */
static bool start(equation *e)
{
    td_model *model = e->build->model;
    td_arena *arena = &model->records.arena, *temporary = &e->build->temporary;
    const size_t joints = model->records.joint.count;
    e->factor = TD_ARENA_NEW(temporary, double, joints);
    e->listed = TD_ARENA_NEW(temporary, int, joints);
    e->is_listed = TD_ARENA_NEW(temporary, bool, joints);
    e->users = TD_ARENA_NEW(temporary, user *, joints);
    e->reached = TD_ARENA_NEW(temporary, size_t, model->records.link.count);
    model->closure.combination = TD_ARENA_NEW(arena, td_combination, joints);
    if (!e->factor || !e->listed || !e->is_listed || !e->users || !e->reached ||
        !model->closure.combination)
        return false;
    for (size_t i = 0; i < joints; i++) {
        const td_place *place = &model->place[i];
        td_combination *c = &model->closure.combination[i];
        if (!place->dependent)
            continue;
        c->count = place->leader >= 0;
        c->joint = td_arena_copy(arena, &place->leader, 1, sizeof *c->joint);
        c->factor = td_arena_copy(arena, &place->multiplier, 1, sizeof *c->factor);
        c->constant = place->offset;
        if (!c->joint || !c->factor || (c->count > 0 && !add_user(e, (int)i, place->leader)))
            return false;
    }
    return true;
}

void td_place_combination(td_model *model, int i)
{
    td_place *place = &model->place[i];
    const td_combination *c = &model->closure.combination[i];
    place->terms = c->count;
    place->leader = c->count == 1 ? c->joint[0] : -1;
    place->multiplier = c->count == 1 ? c->factor[0] : 0;
    place->offset = c->constant;
}

/* Makes the shaft of each motor the sum of the coordinates that it pulls. */
static bool turn_shafts(td_build *build, equation *e)
{
    td_model *model = build->model;
    for (td_motor motor = {0}; td_next_motor(&model->records, &motor);) {
        if (!motor.record->shaft)
            continue;
        clear(e);
        for (size_t k = motor.first; k < motor.end; k++) {
            const td_transmission *t = &model->records.transmission.at[k];
            const int i = td_names_find(&model->joint_names, t->joint);
            if (td_joint_is_scalar(model->records.joint.at[i].type))
                add(model, e, i, t->ratio);
            e->constant += t->ratio * td_locked_position(build, i);
        }
        round_off(e);
        const int shaft = td_names_find(&model->joint_names, motor.inertial);
        if (!keep(model, shaft, e, -1, 1))
            return false;
        model->place[shaft].dependent = true;
    }
    return true;
}

bool td_resolve_couplings(td_build *build)
{
    td_model *model = build->model;
    equation e = {.build = build};
    td_arena_scope(&build->temporary);
    if (!start(&e))
        return false;
    for (size_t k = 0; k < model->records.coupling.count; k++)
        if (!apply(build, &model->records.coupling.at[k], &e))
            return false;
    if (!turn_shafts(build, &e))
        return false;
    for (size_t i = 0; i < model->records.joint.count; i++)
        if (model->place[i].dependent)
            td_place_combination(model, (int)i);
    return true;
}
