/* SPDX-License-Identifier: MIT */
/*
 * Resolves mimic joints. Each chain of followers is traced to its root: q = multiplier · q_leader +
 * offset with an independent leader, or q is a constant. After couplings are resolved too
 * (load/closure/coupling.c), the coordinates q and y are numbered.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/build.h"
#include "model/joint_kind.h"

static td_source mimic_source(const td_joint *joint)
{
    return td_source_or(joint->mimic_source, joint->source);
}

/* Returns the leader's index, or −1 if the joint follows no other. Reports <mimic> elements that
   are invalid. */
static int leader_of(td_build *build, int i)
{
    td_model *model = build->model;
    const td_joint *joint = &model->records.joint.at[i];
    if (!joint->mimic)
        return -1;
    if (td_joint_is_fixed(joint)) {
        td_report(build->diagnostics, TD_CODE_MIMIC_ON_FIXED, mimic_source(joint),
                  "remove the <mimic>",
                  "fixed joint '%s' cannot follow '%s'; its <mimic> has no effect", joint->name,
                  joint->mimic);
        return -1;
    }
    int leader = td_find_leader(build, joint->mimic, joint->name, mimic_source(joint));
    if (leader < 0) {
        model->records.joint.at[i].mimic = NULL;
        return -1;
    }
    const td_joint *l = &model->records.joint.at[leader];
    if (!td_joint_is_scalar(joint->type) ||
        !(td_joint_is_scalar(l->type) || td_joint_is_fixed(l))) {
        td_report(build->diagnostics, TD_CODE_MIMIC_TYPE, mimic_source(joint),
                  "only joints with one coordinate can lead and follow",
                  "%s joint '%s' cannot follow %s joint '%s'", td_joint_word(joint->type),
                  joint->name, td_joint_word(l->type), l->name);
        return -1;
    }
    return leader;
}

static void note_oddities(td_build *build, const td_joint *joint, int i)
{
    const td_joint *leader = &build->model->records.joint.at[i];
    bool slides = td_joint_slides(joint->type);
    const char *unit = slides ? "m" : "rad";
    if (td_is_locked(build, i))
        td_report(build->diagnostics, TD_CODE_LOCK_FOLLOWER, mimic_source(joint), NULL,
                  "joint '%s' follows locked joint '%s'; it stays at %.9g %s", joint->name,
                  leader->name, joint->multiplier * td_locked_position(build, i) + joint->offset,
                  unit);
    else if (td_joint_is_fixed(leader))
        td_report(build->diagnostics, TD_CODE_MIMIC_OF_FIXED, mimic_source(joint),
                  "follow a joint that moves, or make this one fixed",
                  "joint '%s' follows fixed joint '%s'; it stays at its offset, %.9g %s",
                  joint->name, leader->name, joint->offset, unit);
    else if (joint->multiplier == 0)
        td_report(build->diagnostics, TD_CODE_MIMIC_ZERO, mimic_source(joint),
                  "check the multiplier; the default is 1",
                  "joint '%s' follows '%s' with multiplier 0; it stays at its offset, %.9g %s",
                  joint->name, leader->name, joint->offset, unit);
    else if (slides != td_joint_slides(leader->type))
        td_report(build->diagnostics, TD_CODE_MIMIC_UNITS, mimic_source(joint), NULL,
                  "%s joint '%s' follows %s joint '%s': the multiplier is in %s",
                  td_joint_word(joint->type), joint->name, td_joint_word(leader->type),
                  leader->name, slides ? "m/rad" : "rad/m");
}

static void report_cycle(td_build *build, const int *next, int start)
{
    const td_joint *joint = build->model->records.joint.at;
    if (next[start] == start) {
        td_report(build->diagnostics, TD_CODE_MIMIC_CYCLE, mimic_source(&joint[start]),
                  "remove its <mimic>, or name another joint", "joint '%s' follows itself",
                  joint[start].name);
        return;
    }
    char path[512];
    size_t used = (size_t)snprintf(path, sizeof path, "%s", joint[start].name);
    for (int i = next[start];; i = next[i]) {
        if (used < sizeof path)
            used += (size_t)snprintf(path + used, sizeof path - used, " → %s", joint[i].name);
        if (i == start)
            break;
    }
    td_report(build->diagnostics, TD_CODE_MIMIC_CYCLE, mimic_source(&joint[start]),
              "make one of them independent: remove its <mimic>",
              "joints follow each other in a cycle: %s", path);
}

/*
 * Resolves joint i and all joints that it follows. next[i] is the direct leader, −1 at the root of
 * a chain. Walks up the chain to a resolved joint, then down again, composing q = m (m' q' + b') +
 * b. state: 0 new, 1 on the chain, 2 done.
 */
static void resolve(td_build *build, const int *next, char *state, int *chain, int i)
{
    td_place *place = build->model->place;
    const td_joint *joint = build->model->records.joint.at;
    size_t length = 0;
    for (; state[i] == 0; i = next[i]) {
        state[i] = 1;
        chain[length++] = i;
        if (next[i] < 0)
            break;
    }
    if (state[i] == 1 && next[i] >= 0) /* the chain is circular */
        report_cycle(build, next, i);
    while (length--) {
        int k = chain[length], leader = next[k];
        state[k] = 2;
        if (leader < 0)
            continue;
        const td_place *above = &place[leader];
        place[k].dependent = true;
        place[k].multiplier = joint[k].multiplier * above->multiplier;
        place[k].offset = joint[k].multiplier * above->offset + joint[k].offset;
        place[k].leader = above->leader;
        if (!above->dependent) {
            bool fixed = td_joint_is_fixed(&joint[leader]);
            place[k].multiplier = fixed ? 0 : joint[k].multiplier;
            place[k].offset = joint[k].offset;
            place[k].leader = fixed ? -1 : leader;
            if (td_is_locked(build, leader))
                place[k].offset += joint[k].multiplier * td_locked_position(build, leader);
        }
        if (place[k].multiplier == 0) { /* a constant has no leader, and its multiplier is not −0 */
            place[k].multiplier = 0;
            place[k].leader = -1;
        }
    }
}

/* Assigns q and q̇ indices to every joint. */
bool td_number_tree(td_build *build)
{
    td_model *model = build->model;
    size_t joints = model->records.joint.count;
    model->movable = TD_ARENA_NEW(&model->records.arena, int, joints);
    if (!model->movable)
        return false;
    int q = 0, qd = 0;
    for (size_t i = 0; i < joints; i++) {
        td_place *place = &model->place[i];
        const td_joint_kind *kind = td_joint_kind_of(model->records.joint.at[i].type);
        place->nq = kind->nq;
        place->nv = kind->nv;
        place->q = place->qd = place->y = place->yd = -1;
        place->ny = place->nyd = 0;
        place->dependents = 0;
        if (!place->nq)
            continue;
        model->movable[model->movable_count++] = (int)i;
        place->q = q;
        place->qd = qd;
        q += place->nq;
        qd += place->nv;
    }
    model->tree.nq = (size_t)q;
    model->tree.nv = (size_t)qd;
    return true;
}

/* Lists the quaternions in y and in q, after both have been numbered. */
static bool find_quaternions(td_model *model)
{
    for (int tree = 0; tree < 2; tree++) {
        td_quaternions *p = &model->quaternion[tree];
        p->at = TD_ARENA_NEW(&model->records.arena, int, model->movable_count);
        if (!p->at)
            return false;
        for (size_t j = 0; j < model->movable_count; j++) {
            const int joint = model->movable[j];
            const td_place *place = &model->place[joint];
            const int first = tree ? place->q : place->y;
            const int quaternion =
                td_index_in(td_joint_kind_of(model->records.joint.at[joint].type)->quaternion);
            if (first >= 0 && quaternion >= 0)
                p->at[p->count++] = first + quaternion;
        }
    }
    return true;
}

/* Counts the independent coordinates of a joint, and marks it as dependent if it has none. */
static void count_independent(td_place *place)
{
    const unsigned all = (1U << place->nv) - 1;
    if (place->dependent || place->dependents == all) {
        place->dependent = true;
        place->dependents = all;
        return;
    }
    place->ny = place->nq;
    place->nyd = place->nv;
    const int dependents = __builtin_popcount(place->dependents);
    place->nyd -= dependents;
    if (place->nq == place->nv) /* a joint with a quaternion keeps all positions in y even if partly
                                   dependent */
        place->ny -= dependents;
}

/* Assigns y and ẏ indices to every joint with independent coordinates. */
bool td_number_independent(td_build *build)
{
    td_model *model = build->model;
    model->independent = TD_ARENA_NEW(&model->records.arena, int, model->movable_count);
    if (!model->independent)
        return false;
    int y = 0, yd = 0;
    for (size_t j = 0; j < model->movable_count; j++) {
        td_place *place = &model->place[model->movable[j]];
        count_independent(place);
        if (place->dependent)
            continue;
        model->independent[model->independent_count++] = model->movable[j];
        place->y = y;
        place->yd = yd;
        y += place->ny;
        yd += place->nyd;
    }
    model->closure.ny = (size_t)y;
    model->closure.nyd = (size_t)yd;
    return find_quaternions(model);
}

bool td_resolve_mimic(td_build *build)
{
    td_model *model = build->model;
    size_t joints = model->records.joint.count;
    td_arena_scope(&build->temporary);
    int *next = TD_ARENA_NEW(&build->temporary, int, joints);
    int *chain = TD_ARENA_NEW(&build->temporary, int, joints);
    char *state = TD_ARENA_NEW(&build->temporary, char, joints);
    if (!next || !chain || !state)
        return false;
    for (size_t i = 0; i < joints; i++) {
        td_place *place = &model->place[i];
        place->leader = -1;
        place->multiplier = 1;
        place->offset = 0;
        place->dependent = false;
        place->terms = 0;
        place->cluster = -1;
        next[i] = leader_of(build, (int)i);
        if (next[i] >= 0)
            note_oddities(build, &model->records.joint.at[i], next[i]);
    }
    for (size_t i = 0; i < joints; i++)
        resolve(build, next, state, chain, (int)i);
    return true;
}
