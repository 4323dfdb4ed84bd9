/* SPDX-License-Identifier: MIT */
/*
 * Loops of three parallel revolute joints and a prismatic joint perpendicular to them, with γ in
 * closed form. Any of the four may close the loop, and any may be independent. Examples are the
 * crank and slider, and the linear actuator across a hinge.
 *
 * Around the loop come R1, R2, R3 and the prismatic joint. In the plane, axis u points along the
 * slider's direction of motion and n is perpendicular to it. Both are fixed to the link between
 * slider and R1. With a = |R1 R2|, b = |R2 R3|:
 *
 *   a (cos α, sin α) + b (cos δ, sin δ) = R3 − R1 = (s, e),  ρ = δ − α
 *
 * α, ρ, δ and s are linear in the coordinates of the four joints. kernel/loops/slider.h solves this
 * equation.
 */
#include <math.h>

#include "load/closure/loop_of_four.h"

/* relative tolerance for different lengths; smallest relative length, or difference of two
   lengths */
static const double different = 1e-9, sound = 1e-6;

/* Rotates the list to R1, R2, R3, prismatic joint. Returns false unless the mechanism is planar and
   of this type. */
static bool sort_joints(td_hinge round[TD_HINGES])
{
    int slide = -1;
    for (int k = 0; k < TD_HINGES; k++)
        if (!round[k].turns) {
            if (slide >= 0)
                return false;
            slide = k;
        }
    if (slide < 0)
        return false;
    td_begin_at(round, slide + 1);
    for (int k = 1; k < TD_HINGES - 1; k++)
        if (!td_are_parallel(&round[0], &round[k]))
            return false;
    return fabs(td_vec3_dot(round[0].axis, round[3].axis)) < TD_PARALLEL;
}

static td_slider measure(const td_hinge h[TD_HINGES])
{
    td_slider slider = {0};
    td_vec3 z = h[0].axis, u = h[3].axis, n = td_vec3_cross(z, u);
    td_vec3 first = td_way(&h[0], &h[1]), second = td_way(&h[1], &h[2]);
    double x1 = td_vec3_dot(first, u), y1 = td_vec3_dot(first, n);
    double x2 = td_vec3_dot(second, u), y2 = td_vec3_dot(second, n);
    double alpha = atan2(y1, x1), delta = atan2(y2, x2), sense[TD_HINGES - 1];
    for (int k = 0; k < TD_HINGES - 1; k++)
        sense[k] = td_sense_about(&h[k], z);
    slider.a = hypot(x1, y1);
    slider.b = hypot(x2, y2);
    slider.e = y1 + y2;
    slider.part[TD_SLIDER_FIRST] = td_part_of(&h[0], alpha, sense[0]);
    slider.part[TD_SLIDER_BETWEEN] = td_part_of(&h[1], delta - alpha, sense[1]);
    slider.part[TD_SLIDER_SECOND] = td_part_of(&h[2], delta, -sense[2]);
    slider.part[TD_SLIDER_DISPLACEMENT] = td_part_of(&h[3], x1 + x2, -h[3].sense);
    return slider;
}

/* Exchanges the links. The equation stays the same with ρ replaced by −ρ. */
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

/* Determines which quantity the independent joint gives. The crank becomes the first link, or else
   the longer one. The formula ignores whether the loop stays closed between the start and y.
   Returns false if there may be positions in between at which it does not close. */
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
    td_hinge round[TD_HINGES];
    if (!td_go_round(analysis, round) || !sort_joints(round))
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
