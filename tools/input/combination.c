/* SPDX-License-Identifier: MIT */
/*
 * Writes dependent joints as sums; see combination.h.
 */
#include "input/combination.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "input/follower.h"
#include "input/loops.h"
#include "text.h"

combination combination_of(const td_model *model, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    td_sparse M = td_closure_matrix(model);
    size_t first = M.row[place.q];
    size_t last = M.row[place.q + 1];
    combination c = {.offset = td_closure_offset(model)[place.q] + 0.0}; /* no -0 */
    c.joint = allocate(last - first, sizeof *c.joint);
    c.factor = allocate(last - first, sizeof *c.factor);
    scoped size_t *of_column = joints_of_columns(model);
    for (size_t k = first; k < last; k++) {
        if (M.value[k] != 0) {
            c.joint[c.count] = of_column[M.column[k]];
            c.factor[c.count++] = M.value[k];
        }
    }
    return c;
}

void combination_free(combination *c)
{
    free(c->joint);
    free(c->factor);
}

size_t combination_solved(const td_model *model, const combination *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (solved_by_loops(model, c->joint[i])) {
            return c->joint[i];
        }
    }
    return TD_NONE;
}

char *combination_text(const td_model *model, const combination *c)
{
    text_stream text;
    text_open(&text);
    for (size_t i = 0; i < c->count; i++) {
        put_term(text.stream, i == 0, c->factor[i], td_joint_at(model, c->joint[i])->name);
    }
    if (c->offset != 0 || c->count == 0) {
        put_term(text.stream, c->count == 0, c->offset, NULL);
    }
    return text_close(&text);
}

char *dependence_text(const td_model *model, size_t joint)
{
    if (follows_curves(model, joint)) {
        scoped char *formula = follower_text(model, joint);
        char *text = text_format("= %s", formula);
        return text;
    }
    if (solved_by_loops(model, joint)) {
        scoped char *loops = cluster_text(model, td_joint_place_at(model, joint).cluster);
        char *text = text_format("solved by %s", loops);
        return text;
    }
    combination sum = combination_of(model, joint);
    scoped char *expression = combination_text(model, &sum);
    char *text = text_format("= %s", expression);
    combination_free(&sum);
    return text;
}

char *combination_leaders(const td_model *model, const combination *c)
{
    text_stream text;
    text_open(&text);
    for (size_t i = 0; i < c->count; i++) {
        const char *between = i == 0 ? "" : i + 1 == c->count ? " and " : ", ";
        fprintf(text.stream, "%s'%s'", between, td_joint_at(model, c->joint[i])->name);
    }
    return text_close(&text);
}

/* ---- couplings ------------------------------------------------------------------------------- */

/* Increments the mark of each joint between a link and the root. */
static void walk(const td_model *model, const char *link, int *mark)
{
    size_t joint = td_link_parent_joint(model, td_link_index(model, link));
    while (joint != TD_NONE) {
        mark[joint]++;
        joint = td_joint_place_at(model, joint).parent_joint;
    }
}

/* Returns the only joint on the path between the ends of a coupling that couplings make dependent
   and that no other coupling uses. Returns -1 without one or with several. */
static int only_candidate(const td_model *model, const td_coupling *coupling, const bool *taken,
                          int *mark)
{
    int found = -1;
    size_t count = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        mark[i] = 0;
    }
    walk(model, coupling->predecessor, mark);
    walk(model, coupling->successor, mark);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        /* 2: the joint supports both ends */
        if (mark[i] == 1 && !taken[i] && td_joint_place_at(model, i).dependent &&
            td_joint_at(model, i)->mimic == NULL && !solved_by_loops(model, i)) {
            found = (int)i;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

int *coupled_joints(const td_model *model)
{
    size_t count = td_coupling_count(model);
    int *joint = allocate(count, sizeof *joint);
    scoped bool *taken = allocate(td_joint_count(model), sizeof *taken);
    scoped int *mark = allocate(td_joint_count(model), sizeof *mark);
    for (size_t i = 0; i < count; i++) {
        joint[i] = -1;
    }
    /* a joint assigned to one coupling may leave another coupling with one candidate */
    for (bool progress = count > 0; progress;) {
        progress = false;
        for (size_t i = 0; i < count; i++) {
            if (joint[i] >= 0) {
                continue;
            }
            joint[i] = only_candidate(model, td_coupling_at(model, i), taken, mark);
            if (joint[i] >= 0) {
                taken[joint[i]] = true;
                progress = true;
            }
        }
    }
    return joint;
}

/* Returns the first linear loop that contains the joint, or -1. */
static int linear_loop_of(const td_model *model, size_t joint)
{
    scoped int *mark = allocate(td_joint_count(model), sizeof *mark);
    int found = -1;
    for (size_t i = 0; i < td_loop_count(model) && found < 0; i++) {
        const td_loop *loop = td_loop_at(model, i);
        memset(mark, 0, td_joint_count(model) * sizeof *mark);
        if (td_loop_place_at(model, i).form == TD_LOOP_FORM_LINEAR) {
            walk(model, loop->predecessor, mark);
            walk(model, loop->successor, mark);
        }
        found = mark[joint] == 1 ? (int)i : -1; /* 2: the joint supports both ends */
    }
    return found;
}

td_source dependence_source(const td_model *model, size_t joint)
{
    const td_joint *record = td_joint_at(model, joint);
    td_source source = {0};
    if (record->mimic != NULL) {
        return record->mimic_source;
    }
    if (solved_by_loops(model, joint)) {
        size_t loop = cluster_first_loop(model, td_joint_place_at(model, joint).cluster);
        return loop != TD_NONE ? td_loop_at(model, loop)->source : source;
    }
    scoped int *coupled = coupled_joints(model);
    for (size_t i = 0; i < td_coupling_count(model); i++) {
        if (coupled[i] == (int)joint) {
            source = td_coupling_at(model, i)->source;
        }
    }
    int loop = source.line == 0 ? linear_loop_of(model, joint) : -1;
    return loop >= 0 ? td_loop_at(model, (size_t)loop)->source : source;
}
