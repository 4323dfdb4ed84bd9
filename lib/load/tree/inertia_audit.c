/* SPDX-License-Identifier: MIT */
/*
 * The inertia audit checks whether inertias are physically possible and which joints have massless
 * motions (load/tree/idle.c). It reports warnings, not errors, because inverse dynamics is
 * meaningful even then.
 */
#include <math.h>
#include <stdio.h>

#include "base/frame.h"
#include "base/jacobi.h"
#include "load/actuation/motors.h"
#include "load/build.h"
#include "model/joint_kind.h"

static const double relative_zero = 1e-12;

static td_inertia_audit audit_of(const td_link *link)
{
    td_inertia_audit audit = {.moments = {0, 0, 0}, .massless = true};
    if (!link->has_inertial)
        return audit;
    audit.massless = link->mass == 0;
    double *m = audit.moments;
    if (!td_symmetric_eigen(link->inertia, m, NULL))
        return audit;
    double largest = fmax(fabs(m[0]), fabs(m[2]));
    audit.positive_definite = largest > 0 && m[0] > relative_zero * largest;
    audit.indefinite = m[0] < -relative_zero * largest;
    audit.triangle_margin = m[2] > 0 ? (m[0] + m[1] - m[2]) / m[2] : 0;
    return audit;
}

/* Returns whether a link is the massless shaft of a motor. */
static bool is_shaft(const td_model *model, const td_link *link)
{
    const int joint = model->link_joint[link - model->records.link.at];
    return joint >= 0 && model->records.joint.at[joint].motor;
}

static void report_link(td_build *build, const td_link *link, const td_inertia_audit *audit)
{
    td_diagnostics *list = build->diagnostics;
    td_source at = td_source_or(link->inertial_source, link->source);
    const double *m = audit->moments;
    bool zero = m[0] == 0 && m[2] == 0;
    if (!link->has_inertial && link->flexible)
        return; /* links between the joints of a station are massless by design */
    if (is_shaft(build->model, link))
        return;
    if (!link->has_inertial)
        td_report(list, TD_CODE_INERTIAL_MISSING, link->source,
                  "fine for a frame; add <inertial> for a body",
                  "link '%s' has no <inertial>, so it has no mass", link->name);
    else if (audit->massless && !zero)
        td_report(list, TD_CODE_INERTIA_WITHOUT_MASS, at, "give the mass",
                  "link '%s' has inertia but no mass", link->name);
    else if (audit->massless)
        td_report(list, TD_CODE_INERTIA_NONE, at,
                  "fine for a frame; for a body, give mass and inertia",
                  "link '%s' has an inertial, but no mass and no inertia", link->name);
    else if (zero)
        td_report(list, TD_CODE_INERTIA_ZERO, at, "give ixx, iyy and izz",
                  "link '%s' has mass %.6g kg but no inertia; it is treated as a point mass",
                  link->name, link->mass);
    else if (audit->indefinite)
        td_report(list, TD_CODE_INERTIA_INDEFINITE, at,
                  "check the signs and the order of ixx ixy ixz iyy iyz izz",
                  "the inertia of link '%s' has a negative principal moment: %.4g, %.4g, %.4g",
                  link->name, m[0], m[1], m[2]);
    else if (audit->triangle_margin < -1e-6)
        td_report(list, TD_CODE_INERTIA_TRIANGLE, at,
                  "no mass distribution has these moments; check units and axes",
                  "the principal moments of link '%s' violate the triangle inequality by %.2g: "
                  "%.4g + %.4g < %.4g",
                  link->name, -audit->triangle_margin, m[0], m[1], m[2]);
}

/* Returns whether a link is only a mount: by custom, the root of a fixed base often has no mass. */
static bool is_mount(const td_model *model, size_t link)
{
    const td_inertia_audit *audit = &model->audit[link];
    return (int)link == model->root && model->base == TD_BASE_FIXED && audit->massless &&
           audit->moments[0] == 0 && audit->moments[2] == 0;
}

bool td_audit_inertia(td_build *build)
{
    td_model *model = build->model;
    model->audit = TD_ARENA_NEW(&model->records.arena, td_inertia_audit, model->tree.links);
    if (!model->audit)
        return false;
    for (size_t k = 0; k < model->tree.links; k++) {
        const td_link *link = &model->records.link.at[k];
        model->audit[k] = audit_of(link);
        if (!is_mount(model, k))
            report_link(build, link, &model->audit[k]);
    }
    return true;
}

/* ---- massless motions ------------------------------------------------------------------------ */

/* Describes a single joint whose motion moves no inertia. weight: weight of its body and
   subtree. */
static const char *idle_alone(const td_body *body, double weight)
{
    if (weight == 0)
        return "carries no mass";
    if (td_motion_row_of(body->motion)->turns)
        return "rotates no inertia about its axis";
    if (td_motion_row_of(body->motion)->slides)
        return "moves no mass along its axis";
    return "can move without moving any inertia";
}

/* Returns the sum of masses and moments of each body's subtree; NULL if memory runs out. */
static double *find_weights(td_arena *arena, const td_tree *tree)
{
    double *weight = TD_ARENA_NEW(arena, double, tree->bodies);
    for (size_t b = tree->bodies; weight && b-- > 0;) {
        const td_body *body = &tree->body[b];
        weight[b] +=
            body->mass + fabs(body->inertia.xx) + fabs(body->inertia.yy) + fabs(body->inertia.zz);
        if (body->parent >= 0)
            weight[body->parent] += weight[b];
    }
    return weight;
}

/* Writes the names of the joints of a motion. Returns the last joint, −1 if there is only one. */
static int name_joints(const td_model *model, const td_idle_motion *motion, char *text, size_t size)
{
    enum { MOST_NAMES = 8 };
    int count = 0, last = -1, length = 0;
    for (size_t i = 0; i < motion->count; i++) {
        const int joint = td_joint_of_velocity(model, motion->velocity[i]);
        if (joint == last)
            continue;
        if (count++ < MOST_NAMES && length >= 0 && (size_t)length < size)
            length += snprintf(text + length, size - (size_t)length, "%s'%s'", last < 0 ? "" : ", ",
                               model->records.joint.at[joint].name);
        last = joint;
    }
    if (count > MOST_NAMES && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, " and %d more", count - MOST_NAMES);
    return count == 1 ? -1 : last;
}

static void report_motion(td_build *build, const td_idle_motion *motion, const double *weight,
                          bool reduced)
{
    const td_model *model = build->model;
    char text[512];
    const int last = name_joints(model, motion, text, sizeof text);
    const int first = td_joint_of_velocity(model, motion->velocity[0]);
    const int body = model->place[first].body;
    const td_joint *joint = &model->records.joint.at[last >= 0 ? last : first];
    td_report(build->diagnostics,
              reduced ? TD_CODE_BRANCH_MASSLESS : TD_CODE_BRANCH_MASSLESS_IN_TREE, joint->source,
              reduced ? "give the links below it mass and inertia"
                      : "give the links below it mass and inertia for forward dynamics of the tree",
              reduced ? "%s %s %s: the mass matrix is singular, so forward dynamics is undefined"
                      : "%s %s %s: the mass matrix of the tree is singular, but the mass matrix of "
                        "the robot with its couplings is not",
              last >= 0 ? "joints" : "joint", text,
              last >= 0 ? "can move together without moving any inertia"
                        : idle_alone(&model->tree.body[body], weight[body]));
}

/* ---- spins ----------------------------------------------------------------------------------- */

/* Returns whether a massless motion is a spin, or part of one. */
static bool is_spin(const td_model *model, const td_idle_motion *motion)
{
    for (size_t n = 0; n < model->spins.count; n++) {
        const td_spin *spin = &model->spins.at[n];
        bool part = spin->massless;
        for (size_t i = 0; part && i < motion->count; i++)
            part = spin->rates[motion->velocity[i]];
        if (part)
            return true;
    }
    return false;
}

/* Returns whether a spin without inertia rotates a link. */
static bool spins(const td_model *model, size_t link)
{
    const int body = model->tree.link[link].body;
    for (size_t n = 0; body >= 0 && n < model->spins.count; n++)
        if (model->spins.at[n].massless && model->spins.at[n].bodies[body])
            return true;
    return false;
}

static void report_spins(td_build *build)
{
    const td_model *model = build->model;
    const td_spins *all = &model->spins;
    char links[200] = "", joints[200] = "", remedy[400];
    for (size_t n = 0; n < all->count; n++) {
        const int joint = td_joint_of_velocity(model, model->closure.qd_of_yd[all->at[n].velocity]);
        td_list_name(links, sizeof links, model->records.link.at[all->at[n].link].name);
        td_list_name(joints, sizeof joints, model->records.joint.at[joint].name);
    }
    if (!all->count)
        return;
    snprintf(remedy, sizeof remedy,
             "no force acts along %s: motors leave it out, and its acceleration is zero where it "
             "moves no inertia",
             joints);
    td_report(build->diagnostics, TD_CODE_SPIN_IDLE, model->records.link.at[all->at[0].link].source,
              remedy, "%s %s %s without effect", all->count > 1 ? "links" : "link", links,
              all->count > 1 ? "turn about the lines of their ends"
                             : "turns about the line of its ends");
}

/* Reports a link with singular inertia that a massless motion rotates. */
static void report_singular_link(td_build *build, size_t k)
{
    const td_link *link = &build->model->records.link.at[k];
    const td_inertia_audit *audit = &build->model->audit[k];
    const double *m = audit->moments;
    if (link->has_inertial && !audit->massless && m[2] != 0 && !audit->indefinite &&
        audit->triangle_margin >= -1e-6 && !audit->positive_definite)
        td_report(build->diagnostics, TD_CODE_INERTIA_SINGULAR,
                  td_source_or(link->inertial_source, link->source), "give all three moments",
                  "the inertia of link '%s' is singular: %.4g, %.4g, %.4g", link->name, m[0], m[1],
                  m[2]);
}

/* Reports each joint once, even if it has several massless motions. */
bool td_report_idle(td_build *build)
{
    const td_model *model = build->model;
    const td_idle *tree = &model->idle_tree, *reduced = &model->closure.idle;
    int before = -1;
    td_arena_scope(&build->temporary);
    const double *weight = tree->count ? find_weights(&build->temporary, &model->tree) : NULL;
    if (tree->count && !weight)
        return false;
    for (size_t k = 0; reduced->turns && k < model->tree.links; k++)
        if (reduced->turns[k] && !spins(model, k))
            report_singular_link(build, k);
    for (size_t m = 0; m < tree->count; m++) {
        const td_idle_motion *motion = &tree->motion[m];
        const int first = td_joint_of_velocity(model, motion->velocity[0]);
        bool in_both = true, alone = true, shafts = true;
        for (size_t i = 0; i < motion->count; i++) {
            in_both = in_both && reduced->moves && reduced->moves[motion->velocity[i]];
            alone = alone && td_joint_of_velocity(model, motion->velocity[i]) == first;
            shafts =
                shafts &&
                model->records.joint.at[td_joint_of_velocity(model, motion->velocity[i])].motor;
        }
        if (shafts || is_spin(model, motion))
            continue;
        if (!alone || first != before)
            report_motion(build, motion, weight, in_both);
        before = alone ? first : before;
    }
    report_spins(build);
    return true;
}
