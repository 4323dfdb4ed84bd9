/* SPDX-License-Identifier: MIT */
/*
 * Loops with γ in closed form, found from their geometry: three parallel revolute joints and a
 * prismatic one at right angles to them, whichever of the four closes the loop and whichever is
 * independent. That is the crank and slider, and the linear actuator across a hinge.
 *
 * Around the loop come R1, R2, R3 and the prismatic joint. In the plane, axes u along the slider's
 * way and n across it stay with the link between it and R1; a = |R1 R2|, b = |R2 R3|:
 *
 *   a (cos α, sin α) + b (cos δ, sin δ) = R3 − R1 = (s, e),  ρ = δ − α
 *
 * α, ρ, δ and s are linear in the coordinates of the four joints. kernel/loops/slider.h solves
 * this.
 */
#include <math.h>

#include "base/frame.h"
#include "load/closure/loop_analysis.h"
#include "model/joint_kind.h"

/* of directions that are parallel or at right angles; of lengths that are different */
static const double parallel = 1e-9, different = 1e-9;
/* of lengths that are not nearly 0, or nearly the same */
static const double sound = 1e-6;

/* A joint of the loop in the frame of the body that carries the group. */
typedef struct hinge {
    bool turns;
    td_vec3 axis, point;
    double sense;          /* 1: positive as one goes round the loop; −1: the other way */
    int slot;              /* of the group; −1 for the joint that closes the loop */
    double rate, position; /* its coordinate moves rate times as much; w there */
} hinge;

enum { HINGES = 4 };

static td_vec3 minus(td_vec3 a, td_vec3 b)
{
    return (td_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* where a body that turns or slides is, in the frame of the group */
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

/* the joint of a body: false where it does not turn or slide with one slot */
static bool read_joint(const td_loop_analysis *analysis, int place, td_frame3 *frame, hinge *h)
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
    /* of the one velocity: and of the one position */
    const double w = *td_analysis_coordinate(analysis, analysis->w, analysis->slot_of[velocity]);
    double q = closure->offset[body->q];
    for (int e = M->row[body->q]; e < M->row[body->q + 1]; e++)
        q += M->value[e] * w;
    const td_frame3 origin = TD_FRAME3_IDENTITY;
    frame[place] = frame_of(body, q, g->parent[place] < 0 ? origin : frame[g->parent[place]]);
    *h = (hinge){.turns = motion->turns,
                 .axis = td_mat3_apply(frame[place].rotation, (td_vec3){0, 0, 1}),
                 .point = frame[place].position,
                 .slot = slot,
                 .rate = rate->value[rate->row[body->qd]],
                 .position = w};
    return true;
}

/* the joints in the order in which one comes by them from the body that carries the group down to
   the loop's predecessor, over to its successor and back */
static bool go_round(const td_loop_analysis *analysis, hinge round[HINGES])
{
    const td_loop_group *g = analysis->group;
    const td_loop_joint *loop = g->loop;
    td_frame3 frame[HINGES - 1], end = TD_FRAME3_IDENTITY;
    hinge joint[HINGES - 1];
    if (g->loops != 1 || g->bodies != HINGES - 1 || g->axes != 1 || g->dependents != 2 ||
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
    round[n++] = (hinge){.turns = g->axis->turns,
                         .axis = td_mat3_apply(end.rotation, g->axis->axis),
                         .point = end.position,
                         .sense = 1,
                         .slot = -1};
    for (int k = loop->successor; k >= 0; k = g->parent[k]) {
        round[n] = joint[k];
        round[n++].sense = -1;
    }
    return n == HINGES;
}

/* so that R1, R2, R3 and the prismatic joint follow each other; false where it is no such plane
   mechanism */
static bool sort_joints(hinge round[HINGES])
{
    int slide = -1;
    for (int k = 0; k < HINGES; k++)
        if (!round[k].turns) {
            if (slide >= 0)
                return false;
            slide = k;
        }
    if (slide < 0)
        return false;
    hinge sorted[HINGES];
    for (int k = 0; k < HINGES; k++)
        sorted[k] = round[(slide + 1 + k) % HINGES];
    for (int k = 0; k < HINGES; k++)
        round[k] = sorted[k];
    for (int k = 1; k < HINGES - 1; k++) {
        td_vec3 off = td_vec3_cross(round[0].axis, round[k].axis);
        if (td_vec3_dot(off, off) > parallel * parallel)
            return false;
    }
    return fabs(td_vec3_dot(round[0].axis, round[3].axis)) < parallel;
}

/* what is value here, and moves factor times as much as the joint's coordinate */
static td_slider_part part_of(const hinge *h, double value, double factor)
{
    factor *= h->rate;
    return (td_slider_part){h->slot, factor, value - factor * h->position};
}

static td_slider measure(const hinge h[HINGES])
{
    td_slider slider = {0};
    td_vec3 z = h[0].axis, u = h[3].axis, n = td_vec3_cross(z, u);
    td_vec3 first = minus(h[1].point, h[0].point), second = minus(h[2].point, h[1].point);
    double x1 = td_vec3_dot(first, u), y1 = td_vec3_dot(first, n);
    double x2 = td_vec3_dot(second, u), y2 = td_vec3_dot(second, n);
    double alpha = atan2(y1, x1), delta = atan2(y2, x2), sense[HINGES - 1];
    for (int k = 0; k < HINGES - 1; k++)
        sense[k] = td_vec3_dot(z, h[k].axis) > 0 ? h[k].sense : -h[k].sense;
    slider.a = hypot(x1, y1);
    slider.b = hypot(x2, y2);
    slider.e = y1 + y2;
    slider.part[TD_SLIDER_FIRST] = part_of(&h[0], alpha, sense[0]);
    slider.part[TD_SLIDER_BETWEEN] = part_of(&h[1], delta - alpha, sense[1]);
    slider.part[TD_SLIDER_SECOND] = part_of(&h[2], delta, -sense[2]);
    slider.part[TD_SLIDER_DISPLACEMENT] = part_of(&h[3], x1 + x2, -h[3].sense);
    return slider;
}

/* the equation is the same with the links, and ρ with −ρ, in exchange */
static void exchange_links(td_slider *s)
{
    const td_slider was = *s;
    s->a = was.b;
    s->b = was.a;
    s->part[TD_SLIDER_FIRST] = was.part[TD_SLIDER_SECOND];
    s->part[TD_SLIDER_SECOND] = was.part[TD_SLIDER_FIRST];
    s->part[TD_SLIDER_BETWEEN].factor *= -1;
    s->part[TD_SLIDER_BETWEEN].offset *= -1;
}

/* What the independent joint gives, the crank being the first link, and the first one the longer
   otherwise. A formula knows nothing of what lies between the start and y: it serves only where
   there cannot be positions between the two in which the loop does not close: else false. */
static bool decide(td_slider *s, int independent)
{
    bool crank = s->part[TD_SLIDER_FIRST].slot == independent ||
                 s->part[TD_SLIDER_SECOND].slot == independent;
    if (crank ? s->part[TD_SLIDER_SECOND].slot == independent : s->b > s->a)
        exchange_links(s);
    double e = fabs(s->e);
    if (crank) {
        s->given = TD_SLIDER_CRANK;
        return s->b > (s->a + e) * (1 + different);
    }
    if (s->part[TD_SLIDER_BETWEEN].slot == independent) {
        s->given = TD_SLIDER_HINGE;
        return s->a - s->b > e + different * s->a;
    }
    s->given = TD_SLIDER_SLIDE;
    s->through = e > s->a - s->b + sound * s->a;
    return true;
}

bool td_find_slider(td_loop_analysis *analysis)
{
    td_loop_group *group = analysis->group;
    hinge round[HINGES];
    if (!go_round(analysis, round) || !sort_joints(round))
        return false;
    td_slider slider = measure(round);
    double size = hypot(slider.a + slider.b, slider.e);
    if (slider.a < sound * size || slider.b < sound * size)
        return false;
    if (!decide(&slider, group->dependents))
        return false;
    group->slider = slider;
    group->form = TD_FORM_SLIDER;
    return true;
}
