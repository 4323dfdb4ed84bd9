/* SPDX-License-Identifier: MIT */
/*
 * Applies load options and the changes of a workspace to copies of the builder's records. Locked
 * joints become fixed, and so do joints that follow only locked ones. Ignored position limits are
 * removed. Payloads are added to links.
 */
#include "dynamics/changes.h"
#include "export/writer.h"

#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* ---- locks ----------------------------------------------------------------------------------- */

/* Returns whether a joint of the model is a follower with a constant position. */
static bool is_constant(const td_model *model, int joint)
{
    const td_place *place = &model->place[joint];
    const bool follows =
        model->records.joint.at[joint].mimic != NULL || model->follower[joint] >= 0;
    return follows && place->dependent && place->terms == 0 && place->cluster < 0;
}

static void fix_constants(td_writer *w, td_applied *applied)
{
    const td_records *given = &w->model->given;
    for (size_t i = 0; i < given->joint.count; i++) {
        td_joint *joint = &applied->joint[i];
        const int own = td_index_in(td_joint_index(w->model, joint->name));
        applied->constant[i] = NAN;
        if (own < 0 || !w->model->given_options.locked_count)
            continue;
        td_joint fixed = *joint; /* with an axis of unit length */
        memcpy(fixed.axis, w->model->records.joint.at[own].axis, sizeof fixed.axis);
        if (td_lock_record(w->model, &fixed, &applied->constant[i])) {
            *joint = fixed;
            continue;
        }
        if (is_constant(w->model, own)) {
            applied->constant[i] = w->model->place[own].offset;
            td_fix_joint(&fixed, &applied->constant[i]);
            *joint = fixed;
        }
    }
}

/* Moves curves with fixed leaders into the offset. Returns false if memory runs out. */
static bool apply_to_follower(td_writer *w, const td_applied *applied, td_follower *follower)
{
    const td_model *model = w->model;
    const int joint = td_index_in(td_joint_index(model, follower->joint));
    const int record = joint < 0 ? -1 : model->follower[joint];
    td_curve *curves = TD_ARENA_NEW(&w->arena, td_curve, follower->curves);
    size_t kept = 0;
    if (!curves)
        return false;
    for (size_t k = 0; k < follower->curves; k++) {
        const td_curve *curve = td_curve_at(follower, k);
        const int leader = td_names_find(&applied->names, curve->leader);
        double value[4];
        if (record >= 0 && leader >= 0 && !isnan(applied->constant[leader]) &&
            td_curve_value(model, (size_t)record, k, applied->constant[leader], value) == TD_OK)
            follower->offset += value[0];
        else
            curves[kept++] = *curve;
    }
    follower->curve = curves;
    follower->curves = kept;
    return true;
}

static bool apply_to_followers(td_writer *w, td_applied *applied)
{
    const td_records *given = &w->model->given;
    for (size_t i = 0; i < given->follower.count; i++) {
        td_follower *follower = &applied->follower[applied->followers];
        *follower = given->follower.at[i];
        const int joint = td_names_find(&applied->names, follower->joint);
        if (joint >= 0 && !isnan(applied->constant[joint]))
            continue; /* the joint is fixed and no longer follows */
        if (!apply_to_follower(w, applied, follower))
            return false;
        if (joint >= 0)
            applied->follows[joint] = (int)applied->followers;
        applied->followers++;
    }
    return true;
}

/* Returns the joint above a link, −1 at the root. Replaces *link by its parent link. */
static int step_up(const td_model *model, int *link)
{
    const int joint = *link < 0 ? -1 : model->link_joint[*link];
    *link = joint < 0 ? -1 : model->place[joint].parent_link;
    return joint;
}

bool td_is_above(const td_model *model, int link, int other)
{
    while (other >= 0 && other != link)
        step_up(model, &other);
    return other == link;
}

/* Returns the sum of the locked coordinates between a link and its common ancestor with another
   link. Sets *name to one that is not 0. */
static double locked_above(const td_model *model, const td_applied *applied, const char *link,
                           const char *other, const char **name)
{
    const int end = td_index_in(td_link_index(model, other));
    int at = td_index_in(td_link_index(model, link));
    double sum = 0;
    while (at >= 0 && !td_is_above(model, at, end)) {
        const int joint = step_up(model, &at);
        const char *own = joint < 0 ? NULL : model->records.joint.at[joint].name;
        const int given = own ? td_names_find(&applied->names, own) : -1;
        if (given < 0 || isnan(applied->constant[given]) || applied->constant[given] == 0)
            continue;
        sum += applied->constant[given];
        *name = model->records.joint.at[joint].name;
    }
    return sum;
}

/* Uses Σ_successor q + locked = ratio (Σ_predecessor q + locked). */
double td_coupling_offset(const td_model *model, const td_applied *applied, const td_coupling *c,
                          const char **locked)
{
    *locked = NULL;
    const double before = locked_above(model, applied, c->predecessor, c->successor, locked);
    const double behind = locked_above(model, applied, c->successor, c->predecessor, locked);
    return c->ratio * before - behind;
}

/* Reports a coupling that includes a fixed joint at a position other than 0, which a sum of joint
   coordinates cannot express. */
static void check_coupling(td_writer *w, const td_applied *applied, const td_coupling *c)
{
    const char *name;
    if (td_coupling_offset(w->model, applied, c, &name) != 0)
        TD_REFUSE(w, c->source, "lock that joint at 0, or replace the coupling by <mimic>",
                  "coupling '%s' includes joint '%s', which is locked at a position other than 0, "
                  "but a coupling has no offset",
                  c->name ? c->name : "", name);
}

void td_check_couplings(td_writer *w, const td_applied *applied)
{
    const td_records *given = &w->model->given;
    for (size_t i = 0; i < given->coupling.count; i++)
        check_coupling(w, applied, &given->coupling.at[i]);
}

/* Removes position limits. A revolute joint without limits is continuous in URDF. */
static void ignore_limits(td_applied *applied, size_t joints)
{
    for (size_t i = 0; i < joints; i++) {
        td_joint *joint = &applied->joint[i];
        td_drop_limits(joint);
        if (td_joint_kind_of(joint->type)->ranged && td_joint_turns(joint->type))
            joint->type = TD_JOINT_CONTINUOUS;
    }
}

bool td_apply_locks(td_writer *w, td_applied *applied)
{
    const td_records *given = &w->model->given;
    const size_t joints = given->joint.count;
    applied->joint = td_arena_copy(&w->arena, given->joint.at, joints, sizeof(td_joint));
    applied->constant = TD_ARENA_NEW(&w->arena, double, joints);
    applied->follower = TD_ARENA_NEW(&w->arena, td_follower, given->follower.count);
    applied->followers = 0;
    applied->follows = TD_ARENA_NEW(&w->arena, int, joints);
    if (!applied->joint || !applied->constant || !applied->follower || !applied->follows ||
        !td_names_build(&applied->names, &w->arena, given->joint.at, joints, sizeof(td_joint),
                        offsetof(td_joint, name)))
        return false;
    for (size_t i = 0; i < joints; i++)
        applied->follows[i] = -1;
    fix_constants(w, applied);
    if (w->model->given_options.ignore_limits)
        ignore_limits(applied, joints);
    return apply_to_followers(w, applied);
}

/* ---- payloads -------------------------------------------------------------------------------- */

/* Adds a payload to a link. Inertias I₁ about c₁ and I₂ about c₂ give I about c (parallel axes): I
   = I₁ + m₁ (|d₁|² 1 − d₁ d₁ᵀ) + I₂ + m₂ (|d₂|² 1 − d₂ d₂ᵀ), d_k = c_k − c */
static void add(td_link *link, const td_payload *p)
{
    const td_mat3 R = td_mat3_from(link->inertial.rotation);
    const double m1 = link->has_inertial ? link->mass : 0, m2 = p->mass, m = m1 + m2;
    const td_vec3 c1 = td_vec3_from(link->inertial.position), c2 = td_vec3_from(p->center);
    td_vec3 c = {0, 0, 0};
    if (m != 0)
        c = (td_vec3){(m1 * c1.x + m2 * c2.x) / m, (m1 * c1.y + m2 * c2.y) / m,
                      (m1 * c1.z + m2 * c2.z) / m};
    const td_sym3 own = link->has_inertial ? td_sym3_rotate(R, td_sym3_from(link->inertia))
                                           : (td_sym3){0, 0, 0, 0, 0, 0};
    const td_sym3 first = td_sym3_shift(own, m1, td_vec3_along(c1, -1, c));
    const td_sym3 second = td_sym3_shift(td_sym3_from(p->inertia), m2, td_vec3_along(c2, -1, c));
    const td_sym3 I = td_sym3_add(first, second);
    link->has_inertial = true;
    link->mass = m;
    link->inertial = (td_pose)TD_POSE_IDENTITY;
    link->inertial.position[0] = c.x, link->inertial.position[1] = c.y;
    link->inertial.position[2] = c.z;
    const double inertia[6] = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    memcpy(link->inertia, inertia, sizeof inertia);
}

static const td_payload *payload_of(const td_writer *w, size_t index)
{
    const td_changes *changes = w->workspace ? &w->workspace->changes : NULL;
    const td_payload *payload = changes && changes->stack.base ? changes->payload : NULL;
    return payload && !td_payload_is_empty(&payload[index]) ? &payload[index] : NULL;
}

bool td_has_payload(const td_writer *w, size_t index)
{
    return payload_of(w, index) != NULL;
}

void td_apply_payload(const td_writer *w, size_t index, td_link *link)
{
    const td_payload *payload = payload_of(w, index);
    if (payload)
        add(link, payload);
}
