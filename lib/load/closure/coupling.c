/* SPDX-License-Identifier: MIT */
/*
 * URDF+ couplings: the joint coordinates summed along the path from the nearest common ancestor to
 * the successor equal ratio times their sum along the path to the predecessor. (The direction is
 * that of the generalized_rbda library, where the row of K is ratio on the predecessor's path and
 * −1 on the successor's: ClusterTreeParsing.cpp, explicitRollingConstraint.) Each coupling is
 * solved for a joint of its own by elimination: what is known of dependent joints is put in first,
 * and the result goes into all that is known, so that every dependent joint stays a linear
 * combination of independent ones. The joint is one that the file declares dependent,
 * independent="false"; where it declares none, the one that is nearest to the successor, because a
 * coupling gives the successor's motion as the ratio times the predecessor's.
 */
#include <math.h>
#include <string.h>

#include "load/build.h"
#include "model/joint_kind.h"

static const double relative_zero = 1e-12;

/* one equation Σ factor · q + constant = 0, dense over the joints */
typedef struct equation {
    double *factor;
    double constant;
    size_t joints;
    char *above; /* per link: whether it is an ancestor of the predecessor, or it itself */
} equation;

static td_combination *combinations(td_model *model)
{
    return model->closure.combination;
}

/* keeps Σ factor · q + constant, the entry of skip left out and all scaled, as what joint i is */
static bool keep(td_model *model, int i, const equation *e, int skip, double scale)
{
    td_combination *c = &combinations(model)[i];
    int count = 0;
    for (size_t k = 0; k < e->joints; k++)
        count += (int)k != skip && e->factor[k] != 0;
    c->joint = TD_ARENA_NEW(&model->records.arena, int, (size_t)count);
    c->factor = TD_ARENA_NEW(&model->records.arena, double, (size_t)count);
    if (!c->joint || !c->factor)
        return false;
    c->count = 0;
    for (size_t k = 0; k < e->joints; k++)
        if ((int)k != skip && e->factor[k] != 0) {
            c->joint[c->count] = (int)k;
            c->factor[c->count++] = scale * e->factor[k];
        }
    c->constant = scale * e->constant;
    return true;
}

static void clear(equation *e)
{
    memset(e->factor, 0, e->joints * sizeof *e->factor);
    e->constant = 0;
}

/* adds times · q_i, in terms of independent joints */
static void add(td_model *model, equation *e, int i, double times)
{
    if (!model->place[i].dependent) {
        e->factor[i] += times;
        return;
    }
    const td_combination *c = &combinations(model)[i];
    for (int k = 0; k < c->count; k++)
        e->factor[c->joint[k]] += times * c->factor[k];
    e->constant += times * c->constant;
}

/* ---- one coupling ---------------------------------------------------------------------------- */

/* adds times each joint from the link up to the common ancestor; false where one has several
 * coordinates */
static bool add_path(td_build *build, const td_coupling *coupling, equation *e, int link,
                     int ancestor, double times)
{
    td_model *model = build->model;
    while (link != ancestor) {
        int i = model->link_joint[link];
        const td_joint *joint = &model->records.joint.at[i];
        if (joint->flexible) {
            td_report(build->diagnostics, TD_CODE_FLEXIBLE_COUPLING, coupling->source,
                      "its elastic joints would count as the others do: use <mimic>",
                      "coupling '%s' goes through flexible link '%s'",
                      coupling->name ? coupling->name : "", joint->flexible);
            return false;
        }
        if (td_joint_is_scalar(joint->type)) {
            add(model, e, i, times);
        } else if (td_joint_kind_of(joint->type)->nv > 0) {
            td_report(build->diagnostics, TD_CODE_COUPLING_TYPE, coupling->source,
                      "only joints with one coordinate can be coupled",
                      "coupling '%s' goes through joint '%s', which has several coordinates",
                      coupling->name ? coupling->name : "", joint->name);
            return false;
        }
        e->constant += times * td_locked_position(build, i);
        link = model->place[i].parent_link;
    }
    return true;
}

static int common_ancestor(const td_model *model, equation *e, int predecessor, int successor)
{
    memset(e->above, 0, model->records.link.count);
    for (int k = predecessor; k >= 0;) {
        e->above[k] = 1;
        k = model->link_joint[k] < 0 ? -1 : model->place[model->link_joint[k]].parent_link;
    }
    while (!e->above[successor])
        successor = model->place[model->link_joint[successor]].parent_link;
    return successor;
}

/* factors that are rounding become zero; the number of others */
static int round_off(equation *e)
{
    double largest = 0;
    int count = 0;
    for (size_t k = 0; k < e->joints; k++)
        largest = fmax(largest, fabs(e->factor[k]));
    for (size_t k = 0; k < e->joints; k++) {
        if (fabs(e->factor[k]) <= relative_zero * fmax(largest, 1))
            e->factor[k] = 0;
        count += e->factor[k] != 0;
    }
    return count;
}

/* what the file says of a joint; one that follows others by curves depends on them, and not on this
   coupling */
static int declared(const td_model *model, int i)
{
    return model->follower[i] >= 0 ? 1 : model->records.joint.at[i].independent;
}

/* the joint to solve for: of those declared dependent the one with the largest factor, −1 for none
 */
static int pivot_of(const td_model *model, const equation *e)
{
    int pivot = -1;
    for (size_t k = 0; k < e->joints; k++)
        if (e->factor[k] != 0 && declared(model, (int)k) == 0 &&
            (pivot < 0 || fabs(e->factor[k]) > fabs(e->factor[pivot])))
            pivot = (int)k;
    return pivot;
}

/* of the joints from the link up to the ancestor the first that may be solved for, −1 for none */
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

/* The joint to solve for where the file declares none of them dependent: one that it does not
   declare independent either, nearest to the successor, then to the predecessor, then the last of
   those that the joints of both paths follow. −1 for none. */
static int choose_pivot(const td_model *model, const equation *e, int predecessor, int successor,
                        int ancestor)
{
    int pivot = nearest_free(model, e, successor, ancestor);
    if (pivot < 0)
        pivot = nearest_free(model, e, predecessor, ancestor);
    for (size_t k = e->joints; pivot < 0 && k-- > 0;)
        if (e->factor[k] != 0 && declared(model, (int)k) < 0)
            pivot = (int)k;
    return pivot;
}

/* the joint is no longer independent: it goes out of all that is known */
static bool substitute(td_model *model, equation *e, int pivot)
{
    for (size_t i = 0; i < e->joints; i++) {
        if (!model->place[i].dependent || (int)i == pivot)
            continue;
        const td_combination *c = &combinations(model)[i];
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
        if (!keep(model, (int)i, e, -1, 1))
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
        return true; /* reported */
    int ancestor = common_ancestor(model, e, predecessor, successor);
    clear(e);
    if (!add_path(build, coupling, e, successor, ancestor, 1) ||
        !add_path(build, coupling, e, predecessor, ancestor, -coupling->ratio))
        return true;
    int count = round_off(e), said = pivot_of(model, e);
    int pivot = said >= 0 ? said : choose_pivot(model, e, predecessor, successor, ancestor);
    if (count == 0 && fabs(e->constant) <= relative_zero) {
        td_report(build->diagnostics, TD_CODE_COUPLING_REDUNDANT, coupling->source, "remove it",
                  "coupling '%s' follows from the others", name);
    } else if (count == 0) {
        td_report(build->diagnostics, TD_CODE_COUPLING_CONTRADICTS, coupling->source,
                  "remove one of them", "coupling '%s' contradicts the others: they leave %.9g = 0",
                  name, e->constant);
    } else if (pivot < 0) {
        td_report(build->diagnostics, TD_CODE_COUPLING_AMBIGUOUS, coupling->source,
                  "write independent=\"false\" on the joint that follows",
                  "coupling '%s' leaves no joint that could depend on the others: all are declared "
                  "independent",
                  name);
    } else {
        if (said < 0)
            td_report(build->diagnostics, TD_CODE_COUPLING_CHOICE, coupling->source,
                      "write independent=\"false\" on the joint that follows to choose another",
                      "of the joints of coupling '%s', '%s' is taken as the one that follows", name,
                      model->records.joint.at[pivot].name);
        if (count == 1)
            td_report(build->diagnostics, TD_CODE_COUPLING_FIXES, coupling->source,
                      "check the ratio and the links", "coupling '%s' holds joint '%s' at %.9g",
                      name, model->records.joint.at[pivot].name, -e->constant / e->factor[pivot]);
        if (!keep(model, pivot, e, pivot, -1 / e->factor[pivot]))
            return false;
        model->place[pivot].dependent = true;
        return substitute(model, e, pivot);
    }
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* what the mimic joints say, as combinations */
static bool start(td_build *build, equation *e)
{
    td_model *model = build->model;
    td_arena *arena = &model->records.arena;
    e->joints = model->records.joint.count;
    e->factor = TD_ARENA_NEW(&build->temporary, double, e->joints);
    e->above = TD_ARENA_NEW(&build->temporary, char, model->records.link.count);
    model->closure.combination = TD_ARENA_NEW(arena, td_combination, e->joints);
    if (!e->factor || !e->above || !model->closure.combination)
        return false;
    for (size_t i = 0; i < e->joints; i++) {
        const td_joint_place *place = &model->place[i];
        td_combination *c = &model->closure.combination[i];
        if (!place->dependent)
            continue;
        c->count = place->leader >= 0;
        c->joint = td_arena_copy(arena, &place->leader, 1, sizeof *c->joint);
        c->factor = td_arena_copy(arena, &place->multiplier, 1, sizeof *c->factor);
        c->constant = place->offset;
        if (!c->joint || !c->factor)
            return false;
    }
    return true;
}

void td_place_combination(td_model *model, int i)
{
    td_joint_place *place = &model->place[i];
    const td_combination *c = &model->closure.combination[i];
    place->terms = c->count;
    place->leader = c->count == 1 ? c->joint[0] : -1;
    place->multiplier = c->count == 1 ? c->factor[0] : 0;
    place->offset = c->constant;
}

bool td_resolve_couplings(td_build *build)
{
    td_model *model = build->model;
    equation e = {0};
    td_arena_scope(&build->temporary);
    if (!start(build, &e))
        return false;
    for (size_t k = 0; k < model->records.coupling.count; k++)
        if (!apply(build, &model->records.coupling.at[k], &e))
            return false;
    for (size_t i = 0; i < model->records.joint.count; i++)
        if (model->place[i].dependent)
            td_place_combination(model, (int)i);
    return true;
}
