/* SPDX-License-Identifier: MIT */
/*
 * MJCF: joints. MuJoCo has hinges, slides and balls. If a body has several, they move it one after
 * the other. A joint of tandem becomes one or more MuJoCo joints:
 *
 *   planar      two slides in the plane, a hinge about its normal
 *   universal   two hinges
 *   screw       a hinge, and a slide that an equality drives (mjcf_followers.c)
 *   floating    a free joint if it is attached to the root, else three slides and a ball
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/mjcf.h"
#include "load/build.h"

typedef enum { HINGE, SLIDE, BALL } element_kind;

/* A MuJoCo joint: its axis, in the frame after the previous elements, and the index of its
   coordinate. k = −1: the slide of a screw, which follows the hinge. */
typedef struct element {
    element_kind kind;
    td_vec3 axis;
    int k;
    double reference;
} element;

enum { MOST_ELEMENTS = 4 };

static td_vec3 column(td_mat3 R, int k)
{
    const td_vec3 columns[3] = {{R.xx, R.yx, R.zx}, {R.xy, R.yy, R.zy}, {R.xz, R.yz, R.zz}};
    return columns[k];
}

/* Lists the elements of the n-th body of a joint without a quaternion. q: positions of this body,
   starting with position `at` of the joint. */
static int plain_elements(const td_joint *joint, int n, const double *q, int at, element *found)
{
    const td_motion_row *row = td_motion_row_of(td_joint_row_of(joint->type)->body[n].motion);
    const td_vec3 axis = td_joint_axis(joint, n);
    const td_mat3 R = td_rotation_to_axis(axis);
    int count = 0;
    for (int k = 0, slides = 0; k < row->nv; k++)
        if (row->free[k] >= 3) {
            const int own = slides++;
            found[count++] = (element){
                SLIDE, row->free[k] == 5 ? axis : column(R, row->free[k] - 3), at + own, q[own]};
        }
    if (row->angle >= 0)
        found[count++] = (element){HINGE, axis, at + row->angle, q[row->angle]};
    if (row->angle >= 0 && joint->pitch != 0 && td_joint_row_of(joint->type)->kind.pitched)
        found[count++] = (element){SLIDE, axis, -1, joint->pitch / (2 * M_PI) * q[row->angle]};
    return count;
}

static int elements_of(const td_mjcf *m, int index, element found[MOST_ELEMENTS],
                       double q[TD_MOST_POSITIONS])
{
    static const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const td_joint *joint = &m->model->records.joint.at[index];
    const td_joint_row *row = td_joint_row_of(joint->type);
    int count = 0, at = 0;
    td_mjcf_reference(m, index, q);
    if (row->manifold == TD_MANIFOLD_PLAIN) {
        for (int n = 0; n < row->bodies && row->kind.nq; n++) {
            count += plain_elements(joint, n, q + at, at, found + count);
            at += td_motion_row_of(row->body[n].motion)->nq;
        }
        return count;
    }
    for (int k = 0; k < 3 && row->manifold == TD_MANIFOLD_POSE; k++)
        found[count++] = (element){SLIDE, axes[k], k, q[k]};
    found[count++] = (element){BALL, axes[2], (int)row->kind.quaternion, 0};
    return count;
}

/* Rotates the axes into the frame of the body in qpos0: (R_k+1 … R_n)ᵀ a_k. */
static void turn_axes(const td_joint *joint, element *e, int count, const double *q)
{
    td_mat3 behind = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = count; k-- > 0;) {
        e[k].axis = td_mat3_apply(td_mat3_transpose(behind), e[k].axis);
        if (e[k].kind == SLIDE)
            continue;
        const td_mat3 own = e[k].kind == HINGE ? td_rotation_about(e[k].axis, e[k].reference)
                                               : td_joint_motion(joint, q).rotation;
        /* the axis is expressed after its own rotation, which does not change it */
        behind = td_mat3_mul(behind, own);
    }
}

td_frame3 td_mjcf_frame(const td_mjcf *m, int index)
{
    const td_joint *joint = &m->model->records.joint.at[index];
    double q[TD_MOST_POSITIONS];
    td_mjcf_reference(m, index, q);
    if (td_joint_row_of(joint->type)->kind.nq == 0)
        return td_frame3_from(&joint->origin);
    return td_frame3_compose(td_frame3_from(&joint->origin), td_joint_motion(joint, q));
}

void td_mjcf_coordinate_name(td_mjcf *m, const char *attribute, int index, int k)
{
    const td_joint *joint = &m->model->records.joint.at[index];
    const bool whole = k >= 0 && k == td_index_in(td_joint_row_of(joint->type)->kind.quaternion);
    const char *suffix = k < 0 ? ".slide"
                         : whole
                             ? ""
                             : td_component_suffix(joint->type, TD_QUANTITY_POSITION, (size_t)k);
    td_put_joined(m->w, attribute, joint->name, suffix, "a joint", joint->source);
}

/* Writes both limits. If only one is finite, a number beyond all positions replaces the other.
   MuJoCo does not allow a range with equal limits, so it is widened slightly. */
static void put_limits(td_mjcf *m, const td_joint *joint)
{
    enum { BEYOND = 1000000000 };
    const bool lower = isfinite(joint->limit.lower), upper = isfinite(joint->limit.upper);
    if (!td_joint_kind_of(joint->type)->bounded || (!lower && !upper))
        return;
    double range[2] = {lower ? joint->limit.lower : -BEYOND, upper ? joint->limit.upper : BEYOND};
    if (range[0] == range[1])
        range[1] += 1e-12 * fmax(1, fabs(range[1]));
    td_put_text(&m->w->sink, " limited=\"true\"");
    td_put_numbers(m->w, "range", range, 2);
}

/* Returns reduction² · rotor inertia, summed over all transmissions. */
static double armature(const td_model *model, int index)
{
    const td_place *place = &model->place[index];
    return place->qd >= 0 && model->tree.passive ? model->tree.passive[place->qd].rotor : 0;
}

static void put_passive(td_mjcf *m, int index, int k)
{
    const td_joint *joint = &m->model->records.joint.at[index];
    const td_joint_kind *kind = td_joint_kind_of(joint->type);
    if (k < 0)
        return; /* the hinge has these attributes */
    if (kind->damped)
        td_put_unless(m->w, "damping", joint->damping, 0);
    if (kind->sprung) {
        td_put_unless(m->w, "frictionloss", joint->friction, 0);
        td_put_unless(m->w, "stiffness", joint->spring_stiffness, 0);
        td_put_unless(m->w, "springref", joint->spring_reference, 0);
        td_put_unless(m->w, "armature", armature(m->model, index), 0);
    }
}

/* Writes one MuJoCo joint. frame: the body's frame, in the frame in which the axis is expressed. */
static void put_element(td_mjcf *m, int index, const element *e, const td_frame3 *frame, int depth)
{
    static const char *const types[] = {"hinge", "slide", "ball"};
    const td_joint *joint = &m->model->records.joint.at[index];
    const td_mat3 back = td_mat3_transpose(frame->rotation);
    const td_vec3 turned = td_mat3_apply(back, e->axis);
    const td_vec3 anchor = td_mat3_apply(back, frame->position);
    const double axis[3] = {turned.x, turned.y, turned.z};
    const double position[3] = {-anchor.x, -anchor.y, -anchor.z};
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "<joint");
    td_mjcf_coordinate_name(m, "name", index, e->k);
    td_put_attribute(m->w, "type", types[e->kind], "", joint->source);
    if (anchor.x != 0 || anchor.y != 0 || anchor.z != 0)
        td_put_numbers(m->w, "pos", position, 3);
    if (e->kind != BALL) {
        td_put_numbers(m->w, "axis", axis, 3);
        td_put_unless(m->w, "ref", e->reference, 0);
    }
    if (e->kind != BALL && e->k >= 0)
        put_limits(m, joint);
    put_passive(m, index, e->k);
    td_put_text(&m->w->sink, "/>\n");
}

/* Returns whether a joint can be a free joint: MuJoCo allows these only in the world, that is, at a
   fixed root. */
static bool is_free(const td_mjcf *m, int index)
{
    const td_joint *joint = &m->model->records.joint.at[index];
    const td_place *place = &m->model->place[index];
    if (td_joint_row_of(joint->type)->manifold != TD_MANIFOLD_POSE)
        return false;
    return place->parent_link < 0;
}

void td_mjcf_joints(td_mjcf *m, int index, const td_frame3 *frame, int depth)
{
    const td_joint *joint = &m->model->records.joint.at[index];
    element e[MOST_ELEMENTS];
    double q[TD_MOST_POSITIONS];
    if (td_joint_row_of(joint->type)->kind.nq == 0)
        return;
    if (is_free(m, index)) {
        td_mjcf_indent(m, depth);
        td_put_text(&m->w->sink, "<freejoint");
        td_put_attribute(m->w, "name", joint->name, "a joint", joint->source);
        td_put_text(&m->w->sink, "/>\n");
        return;
    }
    const int count = elements_of(m, index, e, q);
    const int quaternion = td_index_in(td_joint_row_of(joint->type)->kind.quaternion);
    turn_axes(joint, e, count, q);
    for (int k = 0; k < count; k++)
        put_element(m, index, &e[k], frame, depth);
    if (quaternion >= 0 && (q[quaternion] != 0 || q[quaternion + 1] != 0 || q[quaternion + 2] != 0))
        td_report(
            m->w->diagnostics, TD_CODE_EXPORT_OMITTED, joint->source,
            "multiply it by the quaternion of the joint in the reference configuration",
            "in MJCF, the quaternion of joint '%s' is relative to the reference configuration",
            joint->name);
}
