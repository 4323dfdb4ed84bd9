/* SPDX-License-Identifier: MIT */
/*
 * MJCF: loop constraints, springs and motors.
 *
 *   fixed      weld
 *   spherical  connect
 *   revolute   connect at two points of the axis
 *   distance   an equality of a tendon between two sites
 *
 * A mask that is equivalent to one of these is written as such. Other masks and types are refused.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/mjcf.h"

typedef enum { WELD, CONNECT, HINGED, DISTANT, REFUSED } closing;

static closing closing_of(const td_loop *loop)
{
    switch (loop->type) {
    case TD_LOOP_FIXED:
        return WELD;
    case TD_LOOP_SPHERICAL:
        return CONNECT;
    case TD_LOOP_REVOLUTE:
        return HINGED;
    case TD_LOOP_DISTANCE:
        return DISTANT;
    case TD_LOOP_MASK:
        return loop->mask == 63 ? WELD : loop->mask == 56 ? CONNECT : REFUSED;
    default:
        return REFUSED;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* Writes the name and bodies of a constraint. kind: prefix of its name. */
static void put_ends(td_mjcf *m, const td_loop *loop, const char *word, const char *kind, size_t i)
{
    td_put_text(&m->w->sink, "    <");
    td_put_text(&m->w->sink, word);
    td_mjcf_name(m, "name", loop->name, kind, i);
    td_put_attribute(m->w, "body1", loop->predecessor, "a link", loop->source);
    td_put_attribute(m->w, "body2", loop->successor, "a link", loop->source);
}

/* Writes a weld with the successor's pose in the predecessor, given that both loop frames
   coincide. */
static void put_weld(td_mjcf *m, const td_loop *loop, size_t i)
{
    const td_frame3 one = td_frame3_from(&loop->predecessor_origin);
    const td_frame3 two = td_frame3_from(&loop->successor_origin);
    td_frame3 back = {td_mat3_transpose(two.rotation), {0, 0, 0}};
    const td_vec3 away = td_mat3_apply(back.rotation, two.position);
    back.position = (td_vec3){-away.x, -away.y, -away.z};
    const td_frame3 pose = td_frame3_compose(one, back);
    const td_mat3 *R = &pose.rotation;
    const double rows[9] = {R->xx, R->xy, R->xz, R->yx, R->yy, R->yz, R->zx, R->zy, R->zz};
    double xyzw[4];
    td_quaternion_from_rotation(rows, xyzw);
    const double numbers[7] = {pose.position.x, pose.position.y, pose.position.z, xyzw[3],
                               xyzw[0],         xyzw[1],         xyzw[2]};
    put_ends(m, loop, "weld", "loop", i);
    td_put_numbers(m->w, "relpose", numbers, 7);
    td_put_text(&m->w->sink, "/>\n");
}

/* Writes a connect at the point along · axis in the predecessor's loop frame. */
static void put_connect(td_mjcf *m, const td_loop *loop, size_t i, const char *kind, double along)
{
    const td_frame3 frame = td_frame3_from(&loop->predecessor_origin);
    const td_vec3 axis = {along * loop->axis[0], along * loop->axis[1], along * loop->axis[2]};
    const td_vec3 point = td_vec3_add(frame.position, td_mat3_apply(frame.rotation, axis));
    const double anchor[3] = {point.x, point.y, point.z};
    put_ends(m, loop, "connect", kind, i);
    td_put_numbers(m->w, "anchor", anchor, 3);
    td_put_text(&m->w->sink, "/>\n");
}

static void put_distance(td_mjcf *m, const td_loop *loop, size_t i)
{
    td_put_text(&m->w->sink, "    <tendon");
    td_mjcf_name(m, "name", loop->name, "loop", i);
    td_mjcf_name(m, "tendon1", loop->name, "loop", i);
    td_put_text(&m->w->sink, "/>\n");
}

static void refuse(td_mjcf *m, const td_loop *loop)
{
    TD_REFUSE(m->w, loop->source,
              "close it by revolute, spherical, distance or fixed joints, with additional links if "
              "needed",
              "loop '%s' is closed by a %s joint, for which MuJoCo has no equality",
              loop->name ? loop->name : "", td_loop_type_text(loop->type));
}

static bool is_open(td_mjcf *m, size_t i)
{
    return td_loop_place_at(m->model, i).form == TD_LOOP_FORM_OPEN;
}

void td_mjcf_loops(td_mjcf *m)
{
    for (size_t i = 0; i < td_loop_count(m->model); i++) {
        const td_loop *loop = td_loop_at(m->model, i);
        if (is_open(m, i)) {
            td_report(m->w->diagnostics, TD_CODE_EXPORT_OMITTED, loop->source, NULL,
                      "loop '%s' is left out: it is open in the model, too",
                      loop->name ? loop->name : "");
            continue;
        }
        if (loop->damping != 0 || loop->friction != 0 || loop->spring_stiffness != 0)
            TD_REFUSE(m->w, loop->source, "move them to a joint of the tree",
                      "loop '%s' has damping, friction or a spring, which MuJoCo's equalities do "
                      "not support",
                      loop->name ? loop->name : "");
        switch (closing_of(loop)) {
        case WELD:
            put_weld(m, loop, i);
            break;
        case HINGED:
            put_connect(m, loop, i, "loop", 0);
            put_connect(m, loop, i, "axis", 1);
            break;
        case CONNECT:
            put_connect(m, loop, i, "loop", 0);
            break;
        case DISTANT:
            put_distance(m, loop, i);
            break;
        case REFUSED:
            refuse(m, loop);
            break;
        }
    }
}

/* ---- tendons between two points -------------------------------------------------------------- */

static bool is_distance(td_mjcf *m, size_t i)
{
    return closing_of(td_loop_at(m->model, i)) == DISTANT && !is_open(m, i);
}

static void put_site_name(td_mjcf *m, const char *attribute, const char *kind, size_t i, char end)
{
    char name[64];
    snprintf(name, sizeof name, "%s %zu %c", kind, i + 1, end);
    td_put_attribute(m->w, attribute, name, "", TD_NOWHERE);
}

static void put_sites(td_mjcf *m, const char *kind, size_t i)
{
    td_put_text(&m->w->sink, ">\n");
    for (int end = 'a'; end <= 'b'; end++) {
        td_put_text(&m->w->sink, "      <site");
        put_site_name(m, "site", kind, i, (char)end);
        td_put_text(&m->w->sink, "/>\n");
    }
    td_put_text(&m->w->sink, "    </spatial>\n");
}

static void put_spring(td_mjcf *m, const td_spring *spring, size_t i)
{
    if (spring->type != TD_SPRING_LINE) {
        TD_REFUSE(m->w, spring->source, "replace it by springs between two points",
                  "spring %zu, from '%s' to '%s', is a bushing, which MuJoCo does not support",
                  i + 1, spring->predecessor, spring->successor);
        return;
    }
    td_put_text(&m->w->sink, "    <spatial");
    td_mjcf_name(m, "name", NULL, "spring", i);
    td_put_numbers(m->w, "springlength", &spring->length, 1);
    td_put_numbers(m->w, "stiffness", &spring->stiffness, 1);
    td_put_numbers(m->w, "damping", &spring->damping, 1);
    put_sites(m, "spring", i);
}

void td_mjcf_spatial(td_mjcf *m)
{
    for (size_t i = 0; i < td_loop_count(m->model); i++) {
        if (!is_distance(m, i))
            continue;
        td_put_text(&m->w->sink, "    <spatial");
        td_mjcf_name(m, "name", td_loop_at(m->model, i)->name, "loop", i);
        put_sites(m, "loop", i);
    }
    for (size_t i = 0; i < td_spring_count(m->model); i++)
        put_spring(m, td_spring_at(m->model, i), i);
}

static void put_site(td_mjcf *m, const char *kind, size_t i, char end, const td_pose *at, int depth)
{
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "<site");
    put_site_name(m, "name", kind, i, end);
    td_put_numbers(m->w, "pos", at->position, 3);
    td_put_text(&m->w->sink, "/>\n");
}

void td_mjcf_sites(td_mjcf *m, int link, int depth)
{
    const char *name = m->model->records.link.at[link].name;
    for (size_t i = 0; i < td_loop_count(m->model); i++) {
        const td_loop *loop = td_loop_at(m->model, i);
        if (!is_distance(m, i))
            continue;
        if (strcmp(loop->predecessor, name) == 0)
            put_site(m, "loop", i, 'a', &loop->predecessor_origin, depth);
        if (strcmp(loop->successor, name) == 0)
            put_site(m, "loop", i, 'b', &loop->successor_origin, depth);
    }
    for (size_t i = 0; i < td_spring_count(m->model); i++) {
        const td_spring *spring = td_spring_at(m->model, i);
        if (spring->type != TD_SPRING_LINE)
            continue;
        if (strcmp(spring->predecessor, name) == 0)
            put_site(m, "spring", i, 'a', &spring->predecessor_origin, depth);
        if (strcmp(spring->successor, name) == 0)
            put_site(m, "spring", i, 'b', &spring->successor_origin, depth);
    }
}

bool td_mjcf_is_joined(const td_mjcf *m, int link)
{
    const char *name = m->model->records.link.at[link].name;
    for (size_t i = 0; i < td_loop_count(m->model); i++) {
        const td_loop *loop = td_loop_at(m->model, i);
        if (strcmp(loop->predecessor, name) == 0 || strcmp(loop->successor, name) == 0)
            return true;
    }
    for (size_t i = 0; i < td_spring_count(m->model); i++) {
        const td_spring *spring = td_spring_at(m->model, i);
        if (strcmp(spring->predecessor, name) == 0 || strcmp(spring->successor, name) == 0)
            return true;
    }
    return false;
}

/* ---- motors ---------------------------------------------------------------------------------- */

/* Writes a motor. Its control is the joint's force (N m, N), limited by its effort. */
static void put_motor(td_mjcf *m, const td_actuator *motor)
{
    const td_joint *joint = &m->model->records.joint.at[motor->joint];
    const int quaternion = td_index_in(td_joint_kind_of(joint->type)->quaternion);
    const char *suffix =
        td_component_text(m->model, motor->joint, TD_QUANTITY_FORCE, motor->component);
    const double own = joint->limit.effort > 0 ? joint->limit.effort : INFINITY;
    const double effort = fmin(own, motor->effort_limit), range[2] = {-effort, effort};
    double gear[3] = {0, 0, 0};
    td_put_text(&m->w->sink, "    <motor");
    td_put_joined(m->w, "name", joint->name, suffix, "a motor", joint->source);
    if (joint->motor)
        td_put_attribute(m->w, "tendon", joint->name, "a motor", joint->source);
    else
        td_mjcf_coordinate_name(m, "joint", (int)motor->joint,
                                quaternion < 0 ? (int)motor->component : quaternion);
    if (quaternion >= 0) {
        gear[motor->component % 3] = 1;
        td_put_numbers(m->w, "gear", gear, 3);
    }
    if (isfinite(effort)) {
        td_put_text(&m->w->sink, " ctrllimited=\"true\"");
        td_put_numbers(m->w, "ctrlrange", range, 2);
    }
    td_put_text(&m->w->sink, "/>\n");
}

void td_mjcf_actuators(td_mjcf *m)
{
    for (size_t i = 0; i < td_nu(m->model); i++) {
        const td_actuator motor = td_actuator_at(m->model, i);
        if (motor.joint != TD_NONE)
            put_motor(m, &motor);
        else
            td_report(m->w->diagnostics, TD_CODE_EXPORT_OMITTED, TD_NOWHERE, NULL,
                      "the motor of loop '%s' is left out: MuJoCo supports motors only at joints "
                      "of the tree",
                      motor.name ? motor.name : "");
    }
}
