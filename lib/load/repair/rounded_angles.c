/* SPDX-License-Identifier: MIT */
/*
 * Makes roll, pitch and yaw of frames along loops exact if they are rounded multiples of 15°. The
 * text of the file is not available here. So an angle counts as rounded if it is a multiple of 15°
 * with 3 to 14 digits after the decimal point, rounded or truncated. Examples: 1.571, 1.5708,
 * 1.57079 and 1.570796, but not 1.5706.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load/repair/loop_motion.h"

/* same: tolerance for equal angles; rotation matrices are accurate to about 1e-16 */
static const double same = 1e-13, rounding = 1e-15;

/* If an angle is a rounded multiple of 15°, replaces it by the exact multiple and returns true. */
static bool round_within_turn(double *angle)
{
    enum { FEWEST_DIGITS = 3, MOST_DIGITS = 14 };
    double multiple = round(*angle / (M_PI / 12)), exact = M_PI * (fabs(multiple) / 12);
    double size = fabs(*angle), off = fabs(size - exact);
    if (multiple == 0 || off <= rounding || off > TD_ROUNDED_FRAMES)
        return false;
    for (int digits = FEWEST_DIGITS; digits <= MOST_DIGITS; digits++) {
        double units = pow(10, digits);
        if (fabs(size - round(exact * units) / units) > same &&
            fabs(size - floor(exact * units) / units) > same)
            continue;
        *angle = copysign(exact, multiple);
        return true;
    }
    return false;
}

/* Does the same for an angle that may have been written with a full turn more or less, such as
   3.1416 or 4.7124. */
static bool round_angle(double *angle)
{
    double more = *angle + 2 * M_PI, less = *angle - 2 * M_PI;
    if (round_within_turn(angle))
        return true;
    bool rounded = round_within_turn(&more);
    if (rounded || round_within_turn(&less))
        *angle = remainder(rounded ? more : less, 2 * M_PI);
    else
        return false;
    return true;
}

/* Makes rounded multiples among roll, pitch and yaw exact, and returns how many there were. At a
   pitch of ±90° only roll ∓ yaw is defined. */
static int round_angles(double angle[3])
{
    int count = round_angle(&angle[1]);
    if (fabs(fabs(angle[1]) - M_PI / 2) <= rounding) {
        double roll = angle[1] > 0 ? angle[0] - angle[2] : angle[0] + angle[2];
        angle[0] = remainder(roll, 2 * M_PI);
        angle[2] = 0;
    }
    return count + round_angle(&angle[0]) + round_angle(&angle[2]);
}

/* Rounds the angles of a rotation. R = R_z(yaw) R_y(pitch) R_x(roll) = R_z(yaw + π) R_y(π − pitch)
   R_x(roll + π), and the file had the triple with more rounded angles. */
static bool round_rotation(double R[9])
{
    double yaw = atan2(R[3], R[0]), pitch = atan2(-R[6], hypot(R[0], R[3]));
    double roll = atan2(sin(yaw) * R[2] - cos(yaw) * R[5], cos(yaw) * R[4] - sin(yaw) * R[1]);
    double angle[3] = {roll, pitch, yaw};
    double other[3] = {remainder(roll + M_PI, 2 * M_PI), copysign(M_PI, pitch) - pitch,
                       remainder(yaw + M_PI, 2 * M_PI)};
    int count = round_angles(angle), others = round_angles(other);
    const double *best = others > count ? other : angle;
    if (count + others > 0)
        td_rotation_from_rpy(best[0], best[1], best[2], R);
    return count + others > 0;
}

/* Marks the links from link up to the root. Returns the first that was marked before, or −1. */
static int mark_path(const td_model *model, int link, char *marked)
{
    while (link >= 0 && !marked[link]) {
        marked[link] = 1;
        int joint = model->link_joint[link];
        link = joint < 0 ? -1 : model->place[joint].parent_link;
    }
    return link;
}

/* Rounds the frames of the joints from a link up to another. Returns whether any changed. */
static bool round_path(td_model *model, int link, int above)
{
    bool changed = false;
    while (link != above) {
        int joint = model->link_joint[link];
        changed = round_rotation(model->records.joint.at[joint].origin.rotation) || changed;
        link = model->place[joint].parent_link;
    }
    return changed;
}

bool td_round_angles(td_loop_analysis *analysis, bool *rounded)
{
    td_model *model = analysis->model;
    td_arena_scope(&analysis->build->temporary);
    char *marked = TD_ARENA_NEW(&analysis->build->temporary, char, model->records.link.count);
    bool changed = false;
    for (int l = 0; marked && l < analysis->group->loops; l++) {
        td_loop *loop = &model->records.loop.at[analysis->group->loop[l].index];
        int predecessor = td_names_find(&model->link_names, loop->predecessor);
        int successor = td_names_find(&model->link_names, loop->successor);
        memset(marked, 0, model->records.link.count);
        mark_path(model, predecessor, marked);
        int above = mark_path(model, successor, marked);
        changed = round_path(model, predecessor, above) || changed;
        changed = round_path(model, successor, above) || changed;
        changed = round_rotation(loop->predecessor_origin.rotation) || changed;
        changed = round_rotation(loop->successor_origin.rotation) || changed;
    }
    *rounded = changed;
    return marked != NULL;
}
