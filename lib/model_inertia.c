/* SPDX-License-Identifier: MIT */
/*
 * The inertia audit: whether a body with these numbers can exist, and whether every joint moves
 * some inertia. Warnings, because inverse dynamics still means something where they are wrong.
 */
#include <math.h>

#include "frame.h"
#include "linalg.h"
#include "model.h"

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

static void report_link(td_build *build, const td_link *link, const td_inertia_audit *audit,
                        bool moves)
{
    td_diagnostics *list = build->diagnostics;
    td_source at = td_source_or(link->inertial_source, link->source);
    const double *m = audit->moments;
    bool zero = m[0] == 0 && m[2] == 0;
    if (!link->has_inertial)
        td_report(list, TD_CODE_INERTIAL_MISSING, link->source,
                  "fine for a frame; add <inertial> for a body",
                  "link '%s' has no inertial: no mass", link->name);
    else if (audit->massless && !zero)
        td_report(list, TD_CODE_INERTIA_WITHOUT_MASS, at, "give the mass",
                  "link '%s' has inertia but no mass", link->name);
    else if (audit->massless)
        td_report(list, TD_CODE_INERTIA_NONE, at,
                  "fine for a frame; give mass and inertia of a body",
                  "link '%s' has an inertial, but no mass and no inertia", link->name);
    else if (zero)
        td_report(list, TD_CODE_INERTIA_ZERO, at, "give ixx, iyy and izz",
                  "link '%s' has mass %.6g kg but no inertia: taken as a point mass", link->name,
                  link->mass);
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
    else if (!audit->positive_definite && moves)
        td_report(list, TD_CODE_INERTIA_SINGULAR, at, "give all three moments",
                  "the inertia of link '%s' is singular: %.4g, %.4g, %.4g", link->name, m[0], m[1],
                  m[2]);
}

/* What a joint fails to move; NULL where it moves some inertia. Its column of the mass matrix is
   zero for sure where the subtree has no mass and no inertia, or where the body is the last one and
   turns about a line that all its mass lies on. */
static const char *idle_motion(const td_body *body, double weight, bool leaf)
{
    if (weight == 0)
        return "carries no mass";
    if (leaf && body->motion == TD_MOTION_REVOLUTE &&
        body->inertia.zz <= relative_zero * (body->inertia.xx + body->inertia.yy))
        return "turns no inertia about its axis";
    if (leaf && body->motion == TD_MOTION_PRISMATIC && body->mass == 0)
        return "slides no mass";
    return NULL;
}

/* the joint that a joint goes with: its leader, or itself */
static int leader_of(const td_model *model, int joint)
{
    int leader = model->place[joint].leader;
    return leader >= 0 ? leader : joint;
}

/*
 * A joint that moves no inertia makes the mass matrix of the tree singular, and that of the
 * independent coordinates where leader and followers are all such joints.
 */
static bool report_massless_branches(td_build *build, const double *weight, const char *leaf)
{
    const td_model *model = build->model;
    td_arena *arena = &build->model->records.arena;
    const char **idle = TD_ARENA_NEW(arena, const char *, model->records.joint.count);
    char *moves = TD_ARENA_NEW(arena, char, model->records.joint.count); /* or what goes with it */
    if (!idle || !moves)
        return false;
    for (size_t j = 0; j < model->movable_count; j++) {
        int i = model->movable[j], body = model->place[i].body;
        idle[i] = idle_motion(&model->tree.body[body], weight[body], leaf[body]);
        if (!idle[i])
            moves[leader_of(model, i)] = 1;
    }
    for (size_t j = 0; j < model->movable_count; j++) {
        int i = model->movable[j];
        const td_joint *joint = &model->records.joint.at[i];
        bool constant = model->place[i].dependent && model->place[i].leader < 0;
        if (idle[i])
            td_report(
                build->diagnostics, TD_CODE_BRANCH_MASSLESS, joint->source,
                "give the links below it mass and inertia",
                constant || moves[leader_of(model, i)]
                    ? "joint '%s' %s: the mass matrix of the tree is singular, forward "
                      "dynamics in its coordinates undefined"
                    : "joint '%s' %s: the mass matrix is singular, forward dynamics undefined",
                joint->name, idle[i]);
    }
    return true;
}

/* Whether a link is but a mount: the root of a fixed base without any mass, as is the custom. */
static bool is_mount(const td_model *model, size_t link)
{
    const td_inertia_audit *audit = &model->audit[link];
    return (int)link == model->root && model->base == TD_BASE_FIXED && audit->massless &&
           audit->moments[0] == 0 && audit->moments[2] == 0;
}

bool td_audit_inertia(td_build *build)
{
    td_model *model = build->model;
    td_tree *tree = &model->tree;
    td_arena *arena = &model->records.arena;
    model->audit = TD_ARENA_NEW(arena, td_inertia_audit, tree->links);
    double *weight = TD_ARENA_NEW(arena, double, tree->bodies); /* mass and inertia of subtrees */
    char *leaf = TD_ARENA_NEW(arena, char, tree->bodies);
    if (!model->audit || !weight || !leaf)
        return false;
    for (size_t k = 0; k < tree->links; k++) {
        const td_link *link = &model->records.link.at[k];
        model->audit[k] = audit_of(link);
        if (!is_mount(model, k))
            report_link(build, link, &model->audit[k], tree->link[k].body >= 0);
    }
    for (size_t b = 0; b < tree->bodies; b++)
        leaf[b] = 1;
    for (size_t b = tree->bodies; b-- > 0;) {
        const td_body *body = &tree->body[b];
        weight[b] +=
            body->mass + fabs(body->inertia.xx) + fabs(body->inertia.yy) + fabs(body->inertia.zz);
        if (body->parent >= 0) {
            weight[body->parent] += weight[b];
            leaf[body->parent] = 0;
        }
    }
    return report_massless_branches(build, weight, leaf);
}
