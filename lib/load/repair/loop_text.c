/* SPDX-License-Identifier: MIT */
/*
 * Writes loops as <loop> elements for remedies: a loop that is not read, and a joint that cannot be
 * part of the tree as a loop between the same two links. The element can be pasted into the file,
 * in place of the joint.
 *
 * The frame of a joint's loop is the joint's origin on the parent. The file does not give that
 * frame on the child: a joint has the frame of its child, which another joint has already placed.
 * It is computed from the drawing, with all joints at zero, and is correct if the loop is closed
 * there.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printf_like.h"
#include "load/build.h"
#include "model/joint_kind.h"

/* Text that grows up to its capacity. A text that does not fit counts as missing. */
typedef struct text {
    char at[TD_LOOP_TEXT];
    size_t length;
} text;

static void put(text *t, const char *format, ...) TD_PRINTF_LIKE(2, 3);

static void put(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t room = sizeof t->at - t->length;
    int wrote = room ? vsnprintf(t->at + t->length, room, format, list) : 0;
    va_end(list);
    t->length = wrote < 0 || (size_t)wrote >= room ? sizeof t->at : t->length + (size_t)wrote;
}

/* Appends a name as the value of an attribute. */
static void put_name(text *t, const char *name)
{
    for (; *name; name++) {
        const char *entity = *name == '&'   ? "&amp;"
                             : *name == '<' ? "&lt;"
                             : *name == '"' ? "&quot;"
                                            : NULL;
        entity ? put(t, "%s", entity) : put(t, "%c", *name);
    }
}

/* Appends a number independent of the locale. 15 digits keep rounded numbers of the file as they
   were written. */
static void put_number(text *t, double x)
{
    char number[40];
    snprintf(number, sizeof number, "%.15g", x == 0 ? 0 : x);
    for (char *c = number; *c; c++)
        *c = *c == ',' ? '.' : *c;
    put(t, "%s", number);
}

static void put_vector(text *t, const char *attribute, const double x[3])
{
    put(t, " %s=\"", attribute);
    for (int i = 0; i < 3; i++) {
        put(t, "%s", i ? " " : "");
        put_number(t, x[i]);
    }
    put(t, "\"");
}

/* Computes roll, pitch and yaw of R = Rz Ry Rx. yaw is 0 if only its sum with roll is defined. */
static void angles_of(const double R[9], double rpy[3])
{
    rpy[1] = atan2(-R[6], hypot(R[0], R[3]));
    if (hypot(R[0], R[3]) > 1e-12) {
        rpy[0] = atan2(R[7], R[8]);
        rpy[2] = atan2(R[3], R[0]);
    } else {
        rpy[0] = atan2(copysign(1, rpy[1]) * R[1], R[4]);
        rpy[2] = 0;
    }
    for (int i = 0; i < 3; i++)
        rpy[i] = fabs(rpy[i]) < 1e-15 ? 0 : rpy[i];
}

static bool is_zero(const double x[3])
{
    return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

static void put_side(text *t, const char *side, const char *link, const td_pose *origin)
{
    double rpy[3] = {0, 0, 0};
    if (origin)
        angles_of(origin->rotation, rpy);
    put(t, "<%s link=\"", side);
    put_name(t, link);
    if (!origin || (is_zero(origin->position) && is_zero(rpy))) {
        put(t, "\"/>");
        return;
    }
    put(t, "\"><origin");
    if (!is_zero(origin->position))
        put_vector(t, "xyz", origin->position);
    if (!is_zero(rpy))
        put_vector(t, "rpy", rpy);
    put(t, "/></%s>", side);
}

static void put_dynamics(text *t, const td_joint *joint)
{
    const struct {
        const char *name;
        double value;
    } part[] = {{"damping", joint->damping},
                {"friction", joint->friction},
                {"spring_stiffness", joint->spring_stiffness},
                {"spring_reference", joint->spring_reference}};
    bool any = false;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        any = any || part[i].value != 0;
    if (!any)
        return;
    put(t, "<dynamics");
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i].value == 0)
            continue;
        put(t, " %s=\"", part[i].name);
        put_number(t, part[i].value);
        put(t, "\"");
    }
    put(t, "/>");
}

/* Returns whether a frame coincides with the link's frame, to the precision of angles in files. */
static bool is_own_frame(const td_pose *place, const td_pose *origin)
{
    static const double near = 1e-4;
    const double *p = place->position, *o = origin->position, *R = place->rotation;
    const double length = hypot(hypot(o[0], o[1]), o[2]);
    return hypot(hypot(p[0], p[1]), p[2]) <= near * length + 1e-9 &&
           R[0] + R[4] + R[8] > 3 - near * near;
}

/* Returns the pose with rounding errors of the path between the two links set to zero. */
static td_pose rounded(const td_pose *place)
{
    td_pose pose = *place;
    const double *p = pose.position, most = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2]));
    for (int i = 0; i < 3; i++)
        pose.position[i] = fabs(p[i]) < 1e-12 * (1 + most) ? 0 : p[i];
    return pose;
}

/* Appends <loop> up to its sides. */
static void put_sides(text *t, const td_loop *loop, const char *type)
{
    put(t, "<loop name=\"");
    put_name(t, loop->name);
    put(t, "\" type=\"%s\">", type);
    put_side(t, "predecessor", loop->predecessor, &loop->predecessor_origin);
    put_side(t, "successor", loop->successor, &loop->successor_origin);
}

static void put_axis(text *t, const double axis[3])
{
    put(t, "<axis");
    put_vector(t, "xyz", axis);
    put(t, "/>");
}

const char *td_loop_element(const td_loop *loop, char written[TD_LOOP_TEXT])
{
    text t = {.length = 0};
    td_loop tidy = *loop;
    tidy.predecessor_origin = rounded(&loop->predecessor_origin);
    put_sides(&t, &tidy, td_loop_type_text(loop->type));
    if (loop->type != TD_LOOP_FIXED && loop->type != TD_LOOP_SPHERICAL)
        put_axis(&t, loop->axis);
    put(&t, "</loop>");
    if (t.length >= sizeof t.at)
        return "a <loop> element";
    memcpy(written, t.at, t.length + 1);
    return written;
}

const char *td_loop_instead(const td_joint *joint, const td_pose *place, char written[TD_LOOP_TEXT])
{
    const td_joint_row *row = td_joint_row_of(joint->type);
    text t = {.length = 0};
    if (!row->loop) {
        snprintf(written, TD_LOOP_TEXT, "remove joint '%.200s': a %s joint cannot close a loop",
                 joint->name, row->kind.word);
        return written;
    }
    const bool own = place && is_own_frame(place, &joint->origin);
    const td_pose on_child = place && !own ? rounded(place) : (td_pose)TD_POSE_IDENTITY;
    if (!place)
        put(&t, "its pose on the child link is unknown: give <successor> an <origin>, and ");
    else if (!own)
        put(&t, "if the loop is closed where all joints are zero (otherwise correct the <origin> "
                "of <successor>), ");
    put(&t, "write joint '%s' as ", joint->name);
    td_loop loop = td_loop_default(joint->name, joint->parent, joint->child);
    loop.predecessor_origin = joint->origin;
    loop.successor_origin = on_child;
    put_sides(&t, &loop, row->loop);
    if (row->kind.axis)
        put_axis(&t, joint->axis);
    if (row->kind.nq == 1)
        put_dynamics(&t, joint);
    put(&t, "</loop>");
    if (t.length >= sizeof t.at)
        return "write the joint as a <loop> element";
    memcpy(written, t.at, t.length + 1);
    return written;
}
