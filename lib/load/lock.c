/* SPDX-License-Identifier: MIT */
/*
 * Locks joints that the options name. Before other steps use them, their records become fixed
 * joints whose origins include the motion to the locked position. Loops then close around fixed
 * joints. Mimic joints and couplings, which sum coordinates, use the locked position.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/frame.h"
#include "base/limit.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* Positions from the options, per joint and coordinate, and which ones are given. */
typedef struct locks {
    double (*position)[TD_MOST_POSITIONS];
    bool (*given)[TD_MOST_POSITIONS];
} locks;

/* ---- joints that cannot be locked ------------------------------------------------------------ */

static void refuse(td_build *build, const td_joint *joint, const char *name, const char *remedy,
                   const char *what)
{
    td_report(build->diagnostics, TD_CODE_LOCK_REFUSED, joint->source, remedy,
              "'%s' cannot be locked: %s", name, what);
}

/* Returns the joint that a joint follows (the first leader if there are several), or NULL. Replaces
   the joint's *position by the leader's. It becomes NaN if a curve relates them, which may not be
   invertible. */
static const td_joint *leader_of(const td_build *build, const td_joint *joint, double *position)
{
    const td_model *model = build->model;
    const td_records *records = &model->records;
    const int follower = model->follower[joint - records->joint.at];
    if (follower >= 0) {
        *position = NAN;
        return &records->joint.at[model->curves[follower].leader[0]];
    }
    const int leader = joint->mimic ? td_names_find(&model->joint_names, joint->mimic) : -1;
    if (leader < 0)
        return NULL;
    *position = (*position - joint->offset) / joint->multiplier;
    return &records->joint.at[leader];
}

/* Refuses to lock a follower. Suggests locking the leader at the root of its chain. Adds the
   leader's position, if it can be computed, that gives the follower the requested one. */
static void refuse_follower(td_build *build, const td_joint *joint, double position)
{
    const td_joint *at = joint, *above;
    char remedy[TD_SUGGESTION];
    size_t steps = 0;
    while ((above = leader_of(build, at, &position)) != NULL) {
        at = above;
        if (++steps > build->model->records.joint.count) {
            refuse(build, joint, joint->name, "make one of them independent",
                   "it follows other joints in a cycle");
            return;
        }
    }
    int used = snprintf(remedy, sizeof remedy, "lock '%.100s' instead",
                        at == joint && joint->mimic ? joint->mimic : at->name);
    if (isfinite(position) && at != joint)
        snprintf(remedy + used, sizeof remedy - (size_t)used, ", at %.10g", position + 0.0);
    refuse(build, joint, joint->name, remedy, "it follows another joint");
}

/* Returns whether a joint can be locked; reports why not. */
static bool check(td_build *build, int i, int coordinate, const td_joint_position *option)
{
    const td_joint *joint = &build->model->records.joint.at[i];
    char text[TD_SUGGESTION];
    if (!joint->parent) {
        refuse(build, joint, option->joint, "load the robot with a fixed base",
               "it is the floating base");
    } else if (td_joint_row_of(joint->type)->kind.nq == 0) {
        refuse(build, joint, option->joint, "remove this lock", "it is fixed");
    } else if (td_is_follower(build, i)) {
        refuse_follower(build, joint, option->position);
    } else if (joint->independent == 0) {
        refuse(build, joint, option->joint,
               "lock the joints that it depends on, or remove its independent=\"false\"",
               "the file declares it dependent");
    } else if (coordinate < 0) {
        refuse(build, joint, option->joint, td_coordinates_remedy(joint->type, text),
               "it has several coordinates");
    } else {
        return true;
    }
    return false;
}

/* Reads one option into the positions, or reports an error. */
static void read_option(td_build *build, const td_joint_position *option, locks *l)
{
    const td_names *names = &build->model->joint_names;
    int coordinate, i = td_named_coordinate(build->model, option->joint, &coordinate);
    char text[TD_SUGGESTION];
    if (i < 0) {
        td_report(build->diagnostics, TD_CODE_LOCK_UNDEFINED, TD_NOWHERE,
                  td_suggest(build, names, option->joint, NULL, "name an existing joint", text),
                  "the options lock joint '%s', which does not exist", option->joint);
    } else if (check(build, i, coordinate, option)) {
        const td_joint *joint = &build->model->records.joint.at[i];
        if (l->given[i][coordinate])
            refuse(build, joint, option->joint, "give one position",
                   "the options give more than one position");
        l->given[i][coordinate] = true;
        l->position[i][coordinate] = option->position;
    }
}

static void check_limits(td_build *build, const td_joint *joint, double position)
{
    const td_limit *limit = &joint->limit;
    if (!td_joint_row_of(joint->type)->kind.bounded)
        return;
    const bool below = td_is_below(position, limit->lower);
    const bool above = td_is_above(position, limit->upper);
    if (below || above)
        td_report(build->diagnostics, TD_CODE_LOCK_LIMIT,
                  td_source_or(joint->limit_source, joint->source),
                  "choose a position within the limits, or correct them",
                  "joint '%s' is locked at %.9g, %s its limit %.9g", joint->name, position,
                  below ? "below" : "above", below ? limit->lower : limit->upper);
}

/* Completes the quaternion of a joint: the identity if no component is given. Reports an error and
   returns false if it is not of unit length. */
static bool complete_quaternion(td_build *build, const td_joint *joint, double *xyzw,
                                const bool *given)
{
    if (!given[0] && !given[1] && !given[2] && !given[3])
        xyzw[3] = 1;
    if (td_is_unit_quaternion(xyzw))
        return true;
    refuse(build, joint, joint->name, "give a quaternion of length 1",
           "its quaternion is not of length 1");
    return false;
}

/* ---- the motion ------------------------------------------------------------------------------ */

/* Returns the motion of the n-th body of a joint without a quaternion, in the joint's frame. */
static td_frame3 plain_motion(const td_joint *joint, int n, const double *q)
{
    const td_motion_row *motion = td_motion_row_of(td_joint_row_of(joint->type)->body[n].motion);
    const td_vec3 axis = td_joint_axis(joint, n);
    td_frame3 frame = TD_FRAME3_IDENTITY;
    double slide[3] = {0};
    for (int k = 0, at = 0; k < motion->nv; k++)
        if (motion->free[k] >= 3)
            slide[motion->free[k] - 3] = q[at++];
    if (motion->angle >= 0)
        slide[2] += joint->pitch / (2 * M_PI) * q[motion->angle];
    const td_vec3 across = {slide[0], slide[1], 0};
    const td_vec3 along = {slide[2] * axis.x, slide[2] * axis.y, slide[2] * axis.z};
    frame.position = td_vec3_add(td_mat3_apply(td_rotation_to_axis(axis), across), along);
    if (motion->angle >= 0)
        frame.rotation = td_rotation_about(axis, q[motion->angle]);
    return frame;
}

td_frame3 td_joint_motion(const td_joint *joint, const double *q)
{
    const td_joint_row *row = td_joint_row_of(joint->type);
    td_frame3 frame = TD_FRAME3_IDENTITY;
    double rotation[9];
    for (int n = 0, at = 0; n < row->bodies && row->manifold == TD_MANIFOLD_PLAIN; n++) {
        frame = td_frame3_compose(frame, plain_motion(joint, n, q + at));
        at += td_motion_row_of(row->body[n].motion)->nq;
    }
    if (row->manifold == TD_MANIFOLD_PLAIN)
        return frame;
    if (row->manifold == TD_MANIFOLD_POSE)
        frame.position = td_vec3_from(q);
    if (td_rotation_from_quaternion(q + row->kind.quaternion, rotation))
        frame.rotation = td_mat3_from(rotation);
    return frame;
}

void td_fix_joint(td_joint *joint, const double *q)
{
    td_frame3 frame = td_frame3_compose(td_frame3_from(&joint->origin), td_joint_motion(joint, q));
    const td_mat3 *R = &frame.rotation;
    joint->origin = (td_pose){
        {frame.position.x, frame.position.y, frame.position.z},
        {R->xx, R->xy, R->xz, R->yx, R->yy, R->yz, R->zx, R->zy, R->zz},
    };
    joint->type = TD_JOINT_FIXED;
    joint->independent = -1;
}

/* ---- all locks ------------------------------------------------------------------------------- */

static bool is_locked(const locks *l, size_t i)
{
    bool any = false;
    for (int k = 0; k < TD_MOST_POSITIONS; k++)
        any = any || l->given[i][k];
    return any;
}

/* Fixes all locked joints. locked[i]: position of joint i, 0 if it has several coordinates, NaN if
   it is not locked. */
static void fix_all(td_build *build, const locks *l, double *locked)
{
    td_records *records = &build->model->records;
    for (size_t i = 0; i < records->joint.count; i++) {
        td_joint *joint = &records->joint.at[i];
        double *q = l->position[i];
        locked[i] = NAN;
        if (!is_locked(l, i))
            continue;
        const int quaternion = td_index_in(td_joint_row_of(joint->type)->kind.quaternion);
        if (quaternion >= 0 &&
            !complete_quaternion(build, joint, q + quaternion, l->given[i] + quaternion))
            continue;
        locked[i] = td_joint_is_scalar(joint->type) ? q[0] : 0;
        for (int k = 0; k < td_joint_row_of(joint->type)->kind.nq; k++)
            check_limits(build, joint, q[k]);
        td_fix_joint(joint, q);
    }
}

/* Computes a configuration of the robot without locks, with the locked joints at their positions.
   All loops are closed, on the branch of the reference. Returns false if that fails. */
static bool follow(const td_model *model, td_workspace *w, const locks *l, double *y, double *q,
                   double *start)
{
    const size_t joints = model->records.joint.count;
    bool settable = td_independent_coordinates(model, w, td_reference(model, TD_COORDINATES_TREE),
                                               y, NULL) == TD_OK;
    for (size_t i = 0; i < joints; i++) {
        const td_place *place = &model->place[i];
        if (!is_locked(l, i))
            continue;
        settable = settable && place->y >= 0 && !place->dependents;
        if (settable)
            memcpy(y + place->y, l->position[i], (size_t)place->nq * sizeof *y);
    }
    if (!settable || td_closure(model, w, y, NULL, NULL, q, NULL, NULL) != TD_OK)
        return false;
    for (size_t i = 0; i < joints; i++)
        memcpy(start + TD_MOST_POSITIONS * i, q + model->place[i].q,
               (size_t)model->place[i].nq * sizeof *q);
    return true;
}

/* Loops can have several configurations for one position of a crank. This finds the one to which
   the robot without locks can move from its reference. Returns false if memory runs out. */
static bool find_start(td_build *build, const locks *l)
{
    const td_model *model = build->unlocked;
    const size_t joints = build->model->records.joint.count;
    td_workspace_options options = td_workspace_options_default();
    options.matrices = false; /* not needed here */
    td_workspace *w;
    td_workspace_new(model, &options, &w);
    double *y = TD_ARENA_NEW(&build->temporary, double, td_ny(model));
    double *q = TD_ARENA_NEW(&build->temporary, double, td_nq(model));
    double *start = TD_ARENA_NEW(&build->model->records.arena, double, TD_MOST_POSITIONS *joints);
    const bool good = w && y && q && start;
    if (good && follow(model, w, l, y, q, start)) {
        build->start = start;
        build->start_is_closed = true;
    }
    td_workspace_free(w);
    return good;
}

bool td_lock_joints(td_build *build)
{
    const td_load_options *options = build->options;
    td_records *records = &build->model->records;
    if (!options->locked_count)
        return true;
    size_t joints = records->joint.count;
    td_arena_scope(&build->temporary);
    locks l = {td_arena_array(&build->temporary, joints, sizeof *l.position),
               td_arena_array(&build->temporary, joints, sizeof *l.given)};
    double *locked = TD_ARENA_NEW(&records->arena, double, joints);
    if (!l.position || !l.given || !locked)
        return false;
    for (size_t k = 0; k < options->locked_count; k++)
        read_option(build, &options->locked[k], &l);
    fix_all(build, &l, locked);
    build->locked = locked;
    return !build->unlocked || find_start(build, &l);
}

bool td_is_locked(const td_build *build, int i)
{
    return build->locked && !isnan(build->locked[i]);
}

double td_locked_position(const td_build *build, int i)
{
    return td_is_locked(build, i) ? build->locked[i] : 0;
}

/* ---- records as they were given -------------------------------------------------------------- */

bool td_lock_record(const td_model *model, td_joint *joint, double *position)
{
    const td_load_options *options = &model->given_options;
    const td_joint_row *row = td_joint_row_of(joint->type);
    const int quaternion = td_index_in(row->kind.quaternion);
    double q[TD_MOST_POSITIONS] = {0};
    bool any = false, turned = false;
    for (size_t n = 0; n < options->locked_count; n++) {
        const char *name = options->locked[n].joint;
        const bool whole = td_joint_index(model, name) != TD_NONE;
        const int k = !whole                           ? td_coordinate_of_joint(joint, name)
                      : strcmp(name, joint->name) == 0 ? 0
                                                       : -1;
        if (k < 0)
            continue;
        any = true;
        turned = turned || (quaternion >= 0 && k >= quaternion);
        q[k] = options->locked[n].position;
    }
    if (!any)
        return false;
    if (quaternion >= 0 && !turned)
        q[quaternion + 3] = 1;
    *position = td_joint_is_scalar(joint->type) ? q[0] : 0;
    td_fix_joint(joint, q);
    return true;
}
