/* SPDX-License-Identifier: MIT */
/*
 * Explains why a name is not a coordinate: it belongs to a follower, to a dependent joint of a
 * loop, to a joint with several coordinates, or is misspelt.
 */
#include <stdlib.h>
#include <string.h>

#include "input/combination.h"
#include "input/coordinates.h"
#include "input/loops.h"
#include "text.h"

/* Returns "'b' follows 'a' through loop 'c': set 'a'". */
static char *explain_solved(const td_model *model, const char *name, size_t joint, bool tree_hint)
{
    size_t cluster = td_joint_place_at(model, joint).cluster;
    scoped char *loops = cluster_text(model, cluster);
    scoped char *leaders = cluster_joints_text(model, cluster, false);
    return text_format("joint '%s' follows %s through %s: set %s%s", name, leaders, loops, leaders,
                       tree_hint ? ", or use --tree" : "");
}

/* Explains a follower of a joint that a loop determines: "..., and 'a' follows 'c' through loop
   'd'". */
static char *explain_chain(const coordinates *c, size_t joint, const combination *sum,
                           bool tree_hint)
{
    const char *name = td_joint_at(c->model, joint)->name;
    const size_t solved = combination_solved(c->model, sum);
    scoped char *expression = combination_text(c->model, sum);
    scoped char *loops = cluster_text(c->model, td_joint_place_at(c->model, solved).cluster);
    scoped char *leaders = leaders_text(c->model, joint);
    return text_format("joint '%s' follows '%s' (%s = %s), which depends on %s: set %s%s", name,
                       td_joint_at(c->model, solved)->name, name, expression, loops, leaders,
                       tree_hint ? ", or use --tree" : "");
}

/* Returns "'b' follows 'a' (q = 0.5·a + 0.1)". */
static char *explain_follower(const coordinates *c, size_t joint, bool tree_hint)
{
    const char *name = td_joint_at(c->model, joint)->name;
    if (solved_by_loops(c->model, joint)) {
        return explain_solved(c->model, name, joint, tree_hint);
    }
    combination sum = combination_of(c->model, joint);
    if (combination_solved(c->model, &sum) != TD_NONE) {
        char *chain = explain_chain(c, joint, &sum, tree_hint);
        combination_free(&sum);
        return chain;
    }
    scoped char *expression = combination_text(c->model, &sum);
    scoped char *leaders = combination_leaders(c->model, &sum);
    char *text = sum.count == 0
                     ? text_format("joint '%s' is fixed at %s%s", name, expression,
                                   tree_hint ? "; it moves only with --tree" : "")
                     : text_format("joint '%s' follows %s (%s = %s): set %s%s", name, leaders, name,
                                   expression, leaders, tree_hint ? ", or use --tree" : "");
    combination_free(&sum);
    return text;
}

/* Lists the names of the coordinates of a joint that has several. */
static char *explain_several(const coordinates *c, enum quantity quantity, size_t joint)
{
    td_joint_place place = td_joint_place_at(c->model, joint);
    size_t count = coordinates_count(c, quantity, joint);
    char *text = text_format("joint '%s' has %zu coordinate%s:", td_joint_at(c->model, joint)->name,
                             count, count == 1 ? "" : "s");
    for (size_t n = 0; n < count; n++) {
        scoped char *name = coordinate_text(c->model, joint, quantity,
                                            joint_component(place, quantity, c->tree, n));
        char *longer = text_format("%s %s", text, name);
        free(text);
        text = longer;
    }
    return text;
}

/* Suggests names of coordinates and of all movable joints. */
static char *explain_unknown(const coordinates *c, enum quantity quantity, const char *name)
{
    size_t own = c->size[quantity];
    size_t count = own + td_movable_count(c->model);
    scoped const char **names = allocate(count, sizeof *names);
    for (size_t i = 0; i < own; i++) {
        names[i] = c->name[quantity][i];
    }
    for (size_t i = own; i < count; i++) {
        size_t joint = td_movable_joint(c->model, i - own);
        names[i] = td_joint_at(c->model, joint)->name;
    }
    return unknown_name("joint", name, names, count);
}

/* Explains a joint name with several coordinates and a suffix: the coordinate's leader, or the
   valid suffixes. Returns NULL for other names. */
static char *explain_part(const coordinates *c, enum quantity quantity, const char *name,
                          bool tree_hint)
{
    const char *dot = strrchr(name, '.');
    scoped char *whole = text_format("%.*s", dot != NULL ? (int)(dot - name) : 0, name);
    const size_t joint = td_joint_index(c->model, whole);
    if (joint == TD_NONE || td_joint_place_at(c->model, joint).nv < 2) {
        return NULL;
    }
    const size_t count = quantity == QUANTITY_Q ? td_joint_place_at(c->model, joint).nq
                                                : td_joint_place_at(c->model, joint).nv;
    bool exists = false;
    for (size_t k = 0; k < count && !exists; k++) {
        scoped char *part = coordinate_text(c->model, joint, quantity, k);
        exists = strcmp(part, name) == 0;
    }
    return exists && !c->tree && solved_by_loops(c->model, joint)
               ? explain_solved(c->model, name, joint, tree_hint)
               : explain_several(c, quantity, joint);
}

char *coordinates_explain(const coordinates *c, enum quantity quantity, const char *name,
                          bool tree_hint)
{
    const size_t joint = td_joint_index(c->model, name);
    if (joint == TD_NONE) {
        char *part = explain_part(c, quantity, name, tree_hint);
        return part != NULL ? part : explain_unknown(c, quantity, name);
    }
    td_joint_place place = td_joint_place_at(c->model, joint);
    if (place.nv == 0) {
        return text_format("joint '%s' is fixed", name);
    }
    if (place.dependent && !c->tree) {
        return explain_follower(c, joint, tree_hint);
    }
    return explain_several(c, quantity, joint);
}
