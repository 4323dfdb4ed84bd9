/* SPDX-License-Identifier: MIT */
/*
 * Initial positions: reference="…" in the file, overridden by positions in the options. The
 * assembly of loops starts there, which selects the branch (loop_start.c); joints outside loops
 * stay there. All other joints start at zero, or at the nearest position within limits.
 */
#include <math.h>
#include <string.h>

#include "load/closure/loop_analysis.h"
#include "model/manifold.h"

enum { POSITIONS = TD_MOST_POSITIONS };

static void refuse(td_build *build, const td_joint *joint, const char *name, const char *remedy,
                   const char *what)
{
    td_report(build->diagnostics, TD_CODE_START_REFUSED, joint->source, remedy,
              "the start position of '%s' is invalid: %s", name, what);
}

static bool any(const bool *given, int count)
{
    for (int k = 0; k < count; k++)
        if (given[k])
            return true;
    return false;
}

/* Reads one option into the positions of its joint, or reports an error. given: per position,
   whether an earlier option has set it. */
static void read_option(td_build *build, const td_joint_position *option, double *start,
                        bool *given)
{
    const td_model *model = build->model;
    char text[TD_SUGGESTION];
    int k, i = td_named_coordinate(model, option->joint, &k);
    if (i < 0) {
        td_report(build->diagnostics, TD_CODE_START_UNDEFINED, TD_NOWHERE,
                  td_suggest(build, &model->joint_names, option->joint, NULL,
                             "name an existing joint", text),
                  "the options start joint '%s', which does not exist", option->joint);
        return;
    }
    const td_joint *joint = &model->records.joint.at[i];
    const td_joint_row *row = td_joint_row_of(joint->type);
    const int quaternion = td_index_in(row->kind.quaternion);
    double *at = start + POSITIONS * i;
    bool *known = given + POSITIONS * i;
    if (row->kind.nq == 0) {
        refuse(build, joint, option->joint, "remove this start position", "the joint is fixed");
    } else if (td_is_follower(build, i)) {
        refuse(build, joint, option->joint, "give a start position to the joint that it follows",
               "the joint follows another one");
    } else if (k < 0) {
        refuse(build, joint, option->joint, td_coordinates_remedy(joint->type, text),
               "the joint has several coordinates");
    } else if (known[k]) {
        refuse(build, joint, option->joint, "give one position", "the options give more than one");
    } else {
        if (isnan(at[0]))
            td_joint_neutral(row, at);
        if (quaternion >= 0 && k >= quaternion && !any(known + quaternion, 4))
            memset(at + quaternion, 0, 4 * sizeof *at); /* missing components are 0 */
        known[k] = true;
        at[k] = option->position;
    }
}

/* Reads the positions that the file gives a joint. The first one is NaN if there are none. */
static void read_record(td_build *build, int i, double *at)
{
    const td_joint *joint = &build->model->records.joint.at[i];
    const bool follows = td_is_follower(build, i);
    const int count = td_joint_row_of(joint->type)->kind.nq;
    at[0] = NAN;
    for (int k = 0; k < count; k++)
        if (isnan(joint->reference[k]))
            return;
    if (count == 0 || follows) {
        if (!isnan(joint->reference[0]))
            td_report(build->diagnostics, TD_CODE_START_IDLE, joint->source,
                      "remove the attribute 'reference'",
                      "joint '%s' has a reference position, but %s", joint->name,
                      follows ? "follows another joint" : "cannot move");
        return;
    }
    memcpy(at, joint->reference, (size_t)count * sizeof *at);
}

static void check_quaternion(td_build *build, const td_joint *joint, const double *at)
{
    const int quaternion = td_index_in(td_joint_row_of(joint->type)->kind.quaternion);
    if (quaternion >= 0 && !isnan(at[0]) && !td_is_unit_quaternion(at + quaternion))
        td_report(build->diagnostics, TD_CODE_START_REFUSED, joint->source,
                  "give a quaternion of length 1",
                  "the start position of joint '%s' is a quaternion that is not of length 1",
                  joint->name);
}

bool td_read_start(td_build *build)
{
    td_records *records = &build->model->records;
    const td_load_options *options = build->options;
    const size_t joints = records->joint.count;
    bool any = options->start_count > 0;
    for (size_t i = 0; i < joints; i++)
        any = any || !isnan(records->joint.at[i].reference[0]);
    if (!any)
        return true;
    double *start = TD_ARENA_NEW(&records->arena, double, POSITIONS *joints);
    td_arena_scope(&build->temporary);
    bool *given = TD_ARENA_NEW(&build->temporary, bool, POSITIONS *joints);
    const bool memory = start && given;
    for (size_t i = 0; memory && i < joints; i++)
        read_record(build, (int)i, start + POSITIONS * i);
    for (size_t n = 0; memory && n < options->start_count; n++)
        read_option(build, &options->start[n], start, given);
    for (size_t i = 0; memory && i < joints; i++)
        check_quaternion(build, &records->joint.at[i], start + POSITIONS * i);
    build->start = start;
    return memory;
}

/* Moves coordinates that have no given start and are not solved with loops within their limits,
   which include the limits of their followers. The other entries of w keep their assembled
   values. */
bool td_place_reference(td_build *build)
{
    td_model *model = build->model;
    td_closure_map *closure = &model->closure;
    td_arena_scope(&build->temporary);
    bool *solved = TD_ARENA_NEW(&build->temporary, bool, closure->nw);
    if (!solved)
        return false;
    for (size_t n = 0; n < closure->loops.solved; n++) {
        const td_loop_group *g = &closure->loops.group[n];
        if (g->form == TD_FORM_CURVES)
            continue; /* nothing is solved, so leaders may have any position */
        for (int k = 0; k < g->dependents + g->independents; k++)
            if (g->coordinate[k] >= 0)
                solved[g->coordinate[k]] = true;
    }
    for (size_t k = 0; k < model->independent_count; k++) {
        const int i = model->independent[k], w = closure->w[i];
        const td_effective_limit *limit = &model->limit[i];
        if (td_is_given_start(build, i) || limit->lower > limit->upper)
            continue;
        for (int n = w; n < w + model->place[i].nq; n++)
            if (!solved[n])
                closure->reference[n] =
                    fmin(fmax(closure->reference[n], limit->lower), limit->upper);
    }
    for (size_t n = 0; n < closure->loops.solved; n++)
        if (closure->loops.group[n].form == TD_FORM_CURVES)
            td_place_followers(model, closure->loops.group[n].curves,
                               closure->loops.group[n].curves->w, NULL, closure->reference, NULL);
    if (model->single)
        model->single->affine(&closure->position, closure->offset, closure->reference,
                              closure->reference_q);
    for (size_t i = 0; i < closure->ny; i++)
        closure->reference_y[i] = closure->reference_q[closure->q_of_y[i]];
    return true;
}
