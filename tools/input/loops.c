/* SPDX-License-Identifier: MIT */
/*
 * Describes loops; see loops.h.
 */
#include "input/loops.h"

#include <stdlib.h>
#include <string.h>

#include "input/coordinate_name.h"
#include "input/follower.h"
#include "text.h"

const char *loop_form_text(td_loop_form form)
{
    static const char *const text[] = {[TD_LOOP_FORM_OPEN] = "open",
                                       [TD_LOOP_FORM_IMPLIED] = "implied",
                                       [TD_LOOP_FORM_LINEAR] = "linear",
                                       [TD_LOOP_FORM_ITERATED] = "iterated",
                                       [TD_LOOP_FORM_CLOSED_FORM] = "closed form",
                                       [TD_LOOP_FORM_REGISTERED] = "registered"};
    return text[form];
}

bool has_solved_loops(const td_model *model)
{
    return td_loop_cluster_count(model) > 0;
}

bool solved_by_loops(const td_model *model, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    return place.dependents != 0 && place.cluster != TD_NONE;
}

/* ---- columns of M ---------------------------------------------------------------------------- */

bool has_columns(const td_model *model, size_t joint)
{
    td_joint_place place = td_joint_place_at(model, joint);
    return place.nq > 0 && (!place.dependent || place.cluster != TD_NONE);
}

size_t *joints_of_columns(const td_model *model)
{
    size_t *joint = allocate(td_closure_matrix(model).columns, sizeof *joint);
    size_t column = 0;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        size_t nq = has_columns(model, i) ? td_joint_place_at(model, i).nq : 0;
        for (size_t k = 0; k < nq; k++) {
            joint[column++] = i;
        }
    }
    return joint;
}

char **names_of_columns(const td_model *model, size_t *count)
{
    *count = td_closure_matrix(model).columns;
    char **name = allocate(*count, sizeof *name);
    scoped size_t *joint = joints_of_columns(model);
    for (size_t i = 0, k = 0; i < *count; i++) {
        k = i > 0 && joint[i] == joint[i - 1] ? k + 1 : 0;
        name[i] = coordinate_text(model, joint[i], QUANTITY_Q, k);
    }
    return name;
}

void names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
}

/* ---- clusters -------------------------------------------------------------------------------- */

size_t cluster_first_loop(const td_model *model, size_t cluster)
{
    for (size_t i = 0; i < td_loop_count(model); i++) {
        if (cluster != TD_NONE && td_loop_place_at(model, i).cluster == cluster) {
            return i;
        }
    }
    return TD_NONE;
}

char *cluster_text(const td_model *model, size_t cluster)
{
    char *text = NULL;
    size_t total = td_loop_cluster_at(model, cluster).loops;
    size_t found = 0;
    for (size_t i = 0; i < td_loop_count(model); i++) {
        if (td_loop_place_at(model, i).cluster == cluster) {
            const char *between = found == 0 ? "" : found + 1 == total ? " and " : ", ";
            const char *before = text != NULL ? text : total == 1 ? "loop " : "loops ";
            char *longer = text_format("%s%s'%s'", before, between, td_loop_at(model, i)->name);
            free(text);
            text = longer;
            found++;
        }
    }
    if (text != NULL) {
        return text;
    }
    return text_format("%s", is_curve_cluster(model, cluster) ? "curves" : "a loop");
}

/* Marks the independent joints on which a joint depends by G. */
static void mark_leaders(const td_model *model, size_t joint, const size_t *of_column, bool *mark)
{
    td_joint_place place = td_joint_place_at(model, joint);
    td_sparse G = td_closure_velocity_matrix(model);
    for (size_t k = G.row[place.qd]; k < G.row[place.qd + place.nv]; k++) {
        mark[of_column[G.column[k]]] = true;
    }
}

/* Returns the joint of each column of G in a new array. */
static size_t *joints_of_velocities(const td_model *model)
{
    size_t *joint = allocate(td_nyd(model), sizeof *joint);
    for (size_t i = 0; i < td_independent_count(model); i++) {
        td_joint_place place = td_joint_place_at(model, td_independent_joint(model, i));
        for (size_t k = 0; k < place.nyd; k++) {
            joint[place.yd + k] = td_independent_joint(model, i);
        }
    }
    return joint;
}

size_t *cluster_joints(const td_model *model, size_t cluster, bool dependent, size_t *count)
{
    size_t joints = td_joint_count(model);
    scoped bool *mark = allocate(joints, sizeof *mark);
    scoped size_t *of_column = joints_of_velocities(model);
    for (size_t i = 0; i < joints; i++) {
        if (!solved_by_loops(model, i) || td_joint_place_at(model, i).cluster != cluster) {
            continue;
        }
        if (dependent) {
            mark[i] = true;
        } else {
            mark_leaders(model, i, of_column, mark);
        }
    }
    size_t *joint = allocate(joints, sizeof *joint);
    *count = 0;
    for (size_t i = 0; i < joints; i++) {
        if (mark[i]) {
            joint[(*count)++] = i;
        }
    }
    return joint;
}

/* Appends ", name" to text. If only some coordinates of the joint are dependent, appends the names
   of the dependent or of the independent ones. Returns the new text and frees the old one. */
static char *add_joint_text(const td_model *model, char *text, size_t joint, bool dependent)
{
    td_joint_place place = td_joint_place_at(model, joint);
    bool mixed = place.dependents != 0 && !place.dependent;
    for (size_t k = 0; k < (mixed ? place.nv : 1); k++) {
        if (mixed && ((place.dependents >> k & 1) != 0) != dependent) {
            continue;
        }
        scoped char *name = mixed ? coordinate_text(model, joint, QUANTITY_QD, k)
                                  : text_format("%s", td_joint_at(model, joint)->name);
        char *longer = text_format("%s%s%s", text, *text != '\0' ? ", " : "", name);
        free(text);
        text = longer;
    }
    return text;
}

char *cluster_joints_text(const td_model *model, size_t cluster, bool dependent)
{
    size_t count;
    scoped size_t *joint = cluster_joints(model, cluster, dependent, &count);
    char *text = text_format("%s", "");
    for (size_t i = 0; i < count; i++) {
        text = add_joint_text(model, text, joint[i], dependent);
    }
    return text;
}

char *leaders_text(const td_model *model, size_t joint)
{
    scoped bool *mark = allocate(td_joint_count(model), sizeof *mark);
    scoped size_t *of_column = joints_of_velocities(model);
    char *text = text_format("%s", "");
    mark_leaders(model, joint, of_column, mark);
    for (size_t i = 0; i < td_joint_count(model); i++) {
        text = mark[i] ? add_joint_text(model, text, i, false) : text;
    }
    return text;
}
