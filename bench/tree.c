/* SPDX-License-Identifier: MIT */
/*
 * The tree of a robot as URDF, see robots.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"
#include "robots.h"

/* of a link that has none */
static const double least_mass = 1e-12, least_inertia = 1e-14;

static const td_pose identity = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static td_pose compose(const td_pose *a, const td_pose *b)
{
    td_pose c;
    for (int i = 0; i < 3; i++) {
        const double *Ri = a->rotation + 3 * i;
        c.position[i] = a->position[i];
        for (int k = 0; k < 3; k++) {
            c.position[i] += Ri[k] * b->position[k];
            c.rotation[3 * i + k] = 0;
            for (int l = 0; l < 3; l++)
                c.rotation[3 * i + k] += Ri[l] * b->rotation[3 * l + k];
        }
    }
    return c;
}

/* The link that a link is fixed to, below the next joint that moves or the root; *pose becomes the
   link's pose in it. */
static size_t main_link(const td_model *model, size_t link, td_pose *pose)
{
    *pose = identity;
    for (;;) {
        size_t joint = td_link_parent_joint(model, link);
        if (joint == TD_NONE || td_joint_place_at(model, joint).nv > 0)
            return link;
        *pose = compose(&td_joint_at(model, joint)->origin, pose);
        link = td_joint_place_at(model, joint).parent_link;
    }
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* Of several links as one: mass, moment of mass, and inertia about the origin. */
typedef struct body {
    double mass, moment[3], inertia[9];
} body;

/* I += m (c·c 1 − c cᵀ), for negative m the way back */
static void shift(double *I, double m, const double c[3])
{
    double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            I[3 * i + j] += m * ((i == j ? square : 0) - c[i] * c[j]);
}

/* the link's inertial, whose frame stands at pose in the body */
static void add_link(body *b, const td_link *link, const td_pose *pose)
{
    const double *I = link->inertia, *R = pose->rotation, *c = pose->position;
    const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 9; k++)
                b->inertia[3 * i + j] += R[3 * i + k / 3] * full[k] * R[3 * j + k % 3];
    shift(b->inertia, link->mass, c);
    b->mass += link->mass;
    for (int i = 0; i < 3; i++)
        b->moment[i] += link->mass * c[i];
}

static body *bodies_of(const td_model *model)
{
    body *bodies = allocate(td_link_count(model), sizeof *bodies);
    for (size_t i = 0; i < td_link_count(model); i++) {
        const td_link *link = td_link_at(model, i);
        td_pose pose;
        size_t to = main_link(model, i, &pose);
        pose = compose(&pose, &link->inertial);
        if (link->has_inertial)
            add_link(&bodies[to], link, &pose);
    }
    return bodies;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_link(FILE *to, const char *name, body b)
{
    double c[3], *I = b.inertia;
    if (b.mass <= 0) {
        b = (body){.mass = least_mass};
        I[0] = I[4] = I[8] = least_inertia;
    }
    for (int i = 0; i < 3; i++)
        c[i] = b.moment[i] / b.mass;
    shift(I, -b.mass, c);
    fprintf(to, "<link name=\"%s\"><inertial><origin xyz=\"%.17g %.17g %.17g\"/>", name, c[0], c[1],
            c[2]);
    fprintf(to, "<mass value=\"%.17g\"/>", b.mass);
    fprintf(to,
            "<inertia ixx=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\" iyy=\"%.17g\" iyz=\"%.17g\" "
            "izz=\"%.17g\"/></inertial></link>\n",
            I[0], I[1], I[2], I[4], I[5], I[8]);
}

static void roll_pitch_yaw(const double R[9], double rpy[3])
{
    double level = hypot(R[0], R[3]);
    rpy[1] = atan2(-R[6], level);
    if (level > 1e-9) {
        rpy[0] = atan2(R[7], R[8]);
        rpy[2] = atan2(R[3], R[0]);
    } else {
        rpy[0] = atan2(-R[5], R[4]);
        rpy[2] = 0;
    }
}

static void write_joint(FILE *to, const td_model *model, size_t index)
{
    const td_joint *joint = td_joint_at(model, index);
    td_pose origin;
    double rpy[3];
    size_t parent = td_joint_place_at(model, index).parent_link;
    parent = main_link(model, parent, &origin);
    origin = compose(&origin, &joint->origin);
    roll_pitch_yaw(origin.rotation, rpy);
    fprintf(to, "<joint name=\"%s\" type=\"%s\">", joint->name,
            joint->type == TD_JOINT_PRISMATIC ? "prismatic" : "continuous");
    fprintf(to, "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>", origin.position[0],
            origin.position[1], origin.position[2], rpy[0], rpy[1], rpy[2]);
    fprintf(to, "<parent link=\"%s\"/><child link=\"%s\"/>", td_link_at(model, parent)->name,
            joint->child);
    fprintf(to, "<axis xyz=\"%.17g %.17g %.17g\"/>", joint->axis[0], joint->axis[1],
            joint->axis[2]);
    if (joint->type == TD_JOINT_PRISMATIC) /* must have a limit */
        fputs("<limit lower=\"-1000\" upper=\"1000\" effort=\"1e9\" velocity=\"1e9\"/>", to);
    fputs("</joint>\n", to);
}

bool tree_write(const td_model *model, const char *path)
{
    FILE *to = fopen(path, "w");
    body *bodies = bodies_of(model);
    if (!to) {
        free(bodies);
        return false;
    }
    fprintf(to, "<robot name=\"%s\">\n", td_model_name(model));
    for (size_t i = 0; i < td_link_count(model); i++) {
        size_t joint = td_link_parent_joint(model, i);
        const char *name = td_link_at(model, i)->name;
        if (joint ==
            TD_NONE) /* at rest: its inertia has no effect, and some libraries warn of it */
            fprintf(to, "<link name=\"%s\"/>\n", name);
        else if (td_joint_place_at(model, joint).nv > 0)
            write_link(to, name, bodies[i]);
    }
    for (size_t i = 0; i < td_movable_count(model); i++)
        write_joint(to, model, td_movable_joint(model, i));
    fputs("</robot>\n", to);
    free(bodies);
    return fclose(to) == 0;
}
