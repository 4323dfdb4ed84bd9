/* SPDX-License-Identifier: MIT */
/*
 * Lists the joints of a loop of four, in order around the loop.
 */
#include "load/closure/loop_of_four.h"

#include <math.h>
#include <string.h>

#include "model/joint_kind.h"

/* Returns the frame of a body with a revolute or prismatic joint, in the frame of the group. */
static td_frame3 frame_of(const td_body *body, double q, td_frame3 parent)
{
    td_mat3 back = td_mat3_transpose(body->rotation), turn = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    td_vec3 position = body->position;
    if (td_motion_row_of(body->motion)->turns)
        turn = (td_mat3){cos(q), -sin(q), 0, sin(q), cos(q), 0, 0, 0, 1};
    else
        position = td_vec3_add(position, td_mat3_apply(back, (td_vec3){0, 0, q}));
    return td_frame3_compose(parent, (td_frame3){td_mat3_mul(back, turn), position});
}

/* Reads the joint of a body. Returns false unless it is revolute or prismatic and depends on one
   slot. */
static bool read_joint(const td_loop_analysis *analysis, int place, td_frame3 *frame, td_hinge *h)
{
    const td_model *model = analysis->model;
    const td_loop_group *g = analysis->group;
    const td_closure_map *closure = &model->closure;
    const td_body *body = &model->tree.body[g->body[place]];
    const td_csr *rate = &closure->rate, *M = &closure->position;
    const td_motion_row *motion = td_motion_row_of(body->motion);
    if (!(motion->turns || motion->slides) || rate->row[body->qd + 1] != rate->row[body->qd] + 1)
        return false;
    int velocity = rate->column[rate->row[body->qd]], slot = 0;
    while (closure->wd[g->coordinate[slot]] + g->velocity[slot] != velocity)
        slot++;
    /* one velocity, hence one position */
    const double w = *td_analysis_coordinate(analysis, analysis->w, analysis->slot_of[velocity]);
    double q = closure->offset[body->q];
    for (int e = M->row[body->q]; e < M->row[body->q + 1]; e++)
        q += M->value[e] * w;
    const td_frame3 origin = TD_FRAME3_IDENTITY;
    frame[place] = frame_of(body, q, g->parent[place] < 0 ? origin : frame[g->parent[place]]);
    *h = (td_hinge){.turns = motion->turns,
                    .axis = td_mat3_apply(frame[place].rotation, (td_vec3){0, 0, 1}),
                    .point = frame[place].position,
                    .slot = slot,
                    .rate = rate->value[rate->row[body->qd]],
                    .position = w};
    return true;
}

bool td_go_round(const td_loop_analysis *analysis, td_hinge round[TD_HINGES])
{
    const td_loop_group *g = analysis->group;
    const td_loop_joint *loop = g->loop;
    td_frame3 frame[TD_HINGES - 1], end = TD_FRAME3_IDENTITY;
    td_hinge joint[TD_HINGES - 1];
    if (g->loops != 1 || g->bodies != TD_HINGES - 1 || g->axes != 1 || g->dependents != 2 ||
        g->independents != 1)
        return false;
    for (int k = 0; k < g->bodies; k++)
        if (!read_joint(analysis, k, frame, &joint[k]))
            return false;
    int down = 0, n = 0;
    for (int k = loop->predecessor; k >= 0; k = g->parent[k])
        down++;
    for (int k = loop->predecessor; k >= 0; k = g->parent[k]) {
        round[down - ++n] = joint[k];
        round[down - n].sense = 1;
    }
    if (loop->predecessor >= 0)
        end = frame[loop->predecessor];
    end = td_frame3_compose(end, (td_frame3){{1, 0, 0, 0, 1, 0, 0, 0, 1}, loop->predecessor_point});
    round[n++] = (td_hinge){.turns = g->axis->turns,
                            .axis = td_mat3_apply(end.rotation, g->axis->axis),
                            .point = end.position,
                            .sense = 1,
                            .slot = -1};
    for (int k = loop->successor; k >= 0; k = g->parent[k]) {
        round[n] = joint[k];
        round[n++].sense = -1;
    }
    return n == TD_HINGES;
}

void td_begin_at(td_hinge round[TD_HINGES], int first)
{
    td_hinge sorted[TD_HINGES];
    for (int k = 0; k < TD_HINGES; k++)
        sorted[k] = round[(first + k) % TD_HINGES];
    memcpy(round, sorted, sizeof sorted);
}

double td_sense_about(const td_hinge *h, td_vec3 z)
{
    return td_vec3_dot(z, h->axis) > 0 ? h->sense : -h->sense;
}

bool td_are_parallel(const td_hinge *a, const td_hinge *b)
{
    const td_vec3 off = td_vec3_cross(a->axis, b->axis);
    return td_vec3_dot(off, off) <= TD_PARALLEL * TD_PARALLEL;
}

td_vec3 td_way(const td_hinge *from, const td_hinge *to)
{
    return (td_vec3){to->point.x - from->point.x, to->point.y - from->point.y,
                     to->point.z - from->point.z};
}

td_planar_part td_part_of(const td_hinge *h, double value, double factor)
{
    factor *= h->rate;
    return (td_planar_part){h->slot, factor, value - factor * h->position};
}
