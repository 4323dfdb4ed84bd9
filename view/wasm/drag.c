/* SPDX-License-Identifier: MIT */
/*
 * Dragging: inverse kinematics (tandem/ik.h) moves the independent coordinates so that a point of
 * a link approaches a goal. It starts at the current configuration and has no restarts, so the
 * robot does not jump. Poses of pinned links are required goals, and the dragged point is then
 * only wished for (tandem/ik.h). Locked coordinates do not move. Floating joints are locked
 * while no link is pinned.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { ITERATIONS = 12 };

/* The current drag. */
static struct {
    td_ik *ik;
    size_t link;
    double *target; /* targets of the point and the pinned links, then space for y */
} drag;

void tv_drag_end(void)
{
    td_ik_free(drag.ik);
    free(drag.target);
    drag.ik = NULL;
    drag.target = NULL;
}

/* Converts a row-major 3 × 4 matrix to x y z, qx qy qz qw. Starts from the largest component of the
   quaternion (S. W. Shepperd 1978). */
static void pose_numbers(const double m[12], double x[7])
{
    const double trace = m[0] + m[5] + m[10];
    const double square[4] = {1 + 2 * m[0] - trace, 1 + 2 * m[5] - trace, 1 + 2 * m[10] - trace,
                              1 + trace}; /* 4 q_k² */
    /* 4 q_i q_k */
    const double product[4][4] = {{square[0], m[1] + m[4], m[2] + m[8], m[9] - m[6]},
                                  {m[1] + m[4], square[1], m[6] + m[9], m[2] - m[8]},
                                  {m[2] + m[8], m[6] + m[9], square[2], m[4] - m[1]},
                                  {m[9] - m[6], m[2] - m[8], m[4] - m[1], square[3]}};
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (square[k] > square[largest])
            largest = k;
    const double *row = product[largest],
                 norm = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
    for (int k = 0; k < 3; k++)
        x[k] = m[4 * k + 3];
    for (int k = 0; k < 4; k++)
        x[3 + k] = row[k] / norm;
}

static size_t count_pins(void)
{
    size_t pins = 0;
    for (size_t i = 0; i < td_link_count(page.model); i++)
        pins += page.array[PAGE_pinned][i] != 0;
    return pins;
}

/* Marks the entries of ẏ that a drag must not change: the ones that the user has locked, and
   floating joints if bases_too. A joint with a quaternion is locked as a whole. */
static void find_held(unsigned char *held, bool bases_too)
{
    for (size_t i = 0; i < td_independent_count(page.model); i++) {
        const size_t joint = td_independent_joint(page.model, i);
        const td_joint_place place = td_joint_place_at(page.model, joint);
        const size_t quaternion =
            td_joint_kind_of(td_joint_at(page.model, joint)->type)->quaternion;
        bool all = quaternion != TD_NONE && quaternion > 0 && bases_too;
        for (size_t k = place.yd; k < place.yd + place.nyd; k++) {
            held[k] = page.array[PAGE_held][k] != 0;
            all = all || (quaternion != TD_NONE && held[k]);
        }
        for (size_t k = place.yd; k < place.yd + place.nyd; k++)
            held[k] = held[k] || all;
    }
}

/* Begins to drag page.point of a link. Keeps the poses of the links in page.pinned and the
   coordinates in page.held. */
int tv_drag_begin(int link)
{
    tv_drag_end();
    const size_t pins = count_pins();
    td_ik_goal *goals = calloc(1 + pins, sizeof *goals);
    unsigned char *held = calloc(td_nyd(page.model) + 1, 1);
    drag.target = calloc(3 + 7 * pins + td_ny(page.model), sizeof *drag.target);
    td_status status = TD_ERROR_MEMORY;
    if (goals && held && drag.target) {
        goals[0] = td_ik_goal_default(TD_IK_POSITION, (size_t)link);
        memcpy(goals[0].point, page.array[PAGE_point], sizeof goals[0].point);
        goals[0].required = pins == 0;
        for (size_t i = 0, n = 0; i < td_link_count(page.model) && n < pins; i++)
            if (page.array[PAGE_pinned][i] != 0) {
                pose_numbers(page.array[PAGE_poses] + 12 * i, drag.target + 3 + 7 * n);
                goals[++n] = td_ik_goal_default(TD_IK_POSE, i);
            }
        find_held(held, pins == 0);
        td_ik_options options = td_ik_options_default();
        options.evaluations = 1; /* start from the seed only */
        options.iterations = ITERATIONS;
        options.restarts = 0;
        options.held = held;
        status = td_ik_new(page.model, goals, 1 + pins, &options, &drag.ik);
    }
    free(goals);
    free(held);
    drag.link = (size_t)link;
    if (status != TD_OK)
        tv_drag_end();
    return (int)status;
}

/* Returns the distance from the dragged point to page.goal (m). */
static double distance(void)
{
    const double *pose = page.array[PAGE_poses] + 12 * drag.link, *p = page.array[PAGE_point];
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        const double *row = pose + 4 * i;
        const double d =
            page.array[PAGE_goal][i] - (row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]);
        sum += d * d;
    }
    return sqrt(sum);
}

/* Moves the point toward page.goal, updates y and the arrays that depend on it, and returns the
   remaining distance (m). Does not move the robot if that would move a pinned link. */
double tv_drag(void)
{
    if (!drag.ik)
        return distance();
    const td_model *m = page.model;
    double *y = drag.target + td_ik_target_count(drag.ik);
    td_ik_result result = {.size_of = sizeof result};
    memcpy(drag.target, page.array[PAGE_goal], 3 * sizeof *drag.target);
    const td_status status =
        td_ik_solve(drag.ik, page.workspace, drag.target, page.array[PAGE_y], y, NULL, &result);
    const bool moves = result.status == TD_IK_STATUS_REACHED ||
                       (result.status == TD_IK_STATUS_NEAREST && td_ik_goal_count(drag.ik) == 1);
    if (status == TD_OK && moves) {
        memcpy(page.array[PAGE_y], y, td_ny(m) * sizeof *y);
        td_closure_start(m, page.workspace, td_ik_q(drag.ik));
        tv_update();
    }
    return distance();
}
