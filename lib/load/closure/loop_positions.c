/* SPDX-License-Identifier: MIT */
/*
 * Positions of the joints of a group of loops: entries of its slots in w, steps, the start of
 * assembly, and storage of the result.
 */
#include <math.h>
#include <string.h>

#include "load/closure/loop_analysis.h"

/* ---- slots ----------------------------------------------------------------------------------- */

double *td_analysis_coordinate(const td_loop_analysis *analysis, double *w, int slot)
{
    return &w[analysis->place[slot] + analysis->component[slot]];
}

const td_joint_row *td_analysis_row(const td_loop_analysis *analysis, int slot)
{
    return td_joint_row_of(analysis->model->records.joint.at[analysis->joint[slot]].type);
}

bool td_analysis_has_quaternion(const td_loop_analysis *analysis, int slot)
{
    return td_analysis_row(analysis, slot)->kind.quaternion != TD_NONE;
}

bool td_analysis_is_scalar(const td_loop_analysis *analysis, int slot)
{
    return td_joint_is_scalar(analysis->model->records.joint.at[analysis->joint[slot]].type);
}

void td_analysis_move(const td_loop_analysis *analysis, double *w, const double *step)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint_row *row = td_analysis_row(analysis, s);
        if (row->manifold == TD_MANIFOLD_PLAIN) {
            *td_analysis_coordinate(analysis, w, s) += analysis->unit[s] * step[s];
            continue;
        }
        double *position = td_analysis_coordinate(analysis, w, s);
        double velocity[TD_MOST_VELOCITIES], from[TD_MOST_POSITIONS];
        for (int k = 0; k < row->kind.nv; k++)
            velocity[k] = analysis->unit[s + k] * step[s + k];
        memcpy(from, position, (size_t)row->kind.nq * sizeof *from);
        td_joint_move(row, from, velocity, position);
        s += row->kind.nv - 1;
    }
}

const double *td_joint_start(const td_build *build, int joint)
{
    return build->start ? build->start + TD_MOST_POSITIONS * joint : NULL;
}

bool td_is_given_start(const td_build *build, int joint)
{
    return build->start && !isnan(*td_joint_start(build, joint));
}

bool td_analysis_is_held(const td_loop_analysis *analysis, int slot)
{
    return analysis->straight && analysis->kind[slot] == TD_KIND_ELASTIC;
}

bool td_analysis_stands_still(const td_loop_analysis *analysis, int slot, td_assembly_try by)
{
    return td_analysis_is_held(analysis, slot) ||
           (by == TD_TRY_GIVEN && td_is_given_start(analysis->build, analysis->joint[slot])) ||
           (by == TD_TRY_INDEPENDENT && analysis->kind[slot] == TD_KIND_INDEPENDENT);
}

void td_analysis_move_at_random(td_loop_analysis *analysis, double *w, td_assembly_try by,
                                double size, unsigned *seed)
{
    for (int s = 0; s < analysis->slots; s++) {
        const double random = td_analysis_random(seed);
        analysis->step[s] = td_analysis_stands_still(analysis, s, by) ? 0 : size * random;
    }
    td_analysis_move(analysis, w, analysis->step);
}

double td_analysis_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) * 0x1p-23 - 1;
}

/* ---- start of assembly ----------------------------------------------------------------------- */

void td_analysis_start(const td_loop_analysis *analysis, double *w)
{
    for (int s = 0; s < analysis->slots; s++) {
        const td_joint *joint = &analysis->model->records.joint.at[analysis->joint[s]];
        const double *start = td_joint_start(analysis->build, analysis->joint[s]);
        const bool given = td_is_given_start(analysis->build, analysis->joint[s]);
        double *x = td_analysis_coordinate(analysis, w, s);
        if (td_analysis_has_quaternion(analysis, s)) {
            const td_joint_row *row = td_analysis_row(analysis, s);
            td_joint_neutral(row, x);
            if (given)
                memcpy(x, start, (size_t)row->kind.nq * sizeof *x);
            s += td_analysis_row(analysis, s)->kind.nv - 1;
            continue;
        }
        *x = given ? start[analysis->component[s]] : 0;
        if (given || !td_joint_kind_of(joint->type)->bounded)
            continue;
        if (joint->limit.lower > 0)
            *x = joint->limit.lower;
        else if (joint->limit.upper < 0)
            *x = joint->limit.upper;
    }
    const td_loop_curves *curves = analysis->group->curves;
    for (int i = 0; curves && i < curves->followers; i++)
        analysis->follows[i] = !td_is_given_start(analysis->build, curves->joint[i]);
    if (curves)
        td_place_followers(analysis->model, &analysis->curves, analysis->curves.w,
                           analysis->follows, w, NULL);
}

/* ---- result ---------------------------------------------------------------------------------- */

void td_keep_positions(const td_loop_analysis *analysis, double *of_joint)
{
    for (int s = 0; s < analysis->slots; s++) {
        double *to = of_joint + TD_MOST_POSITIONS * analysis->joint[s];
        const double *from = td_analysis_coordinate(analysis, analysis->w, s);
        if (td_analysis_has_quaternion(analysis, s))
            memcpy(to, from - analysis->component[s],
                   (size_t)td_analysis_row(analysis, s)->kind.nq * sizeof *to);
        else
            to[analysis->component[s]] = *from;
    }
}
