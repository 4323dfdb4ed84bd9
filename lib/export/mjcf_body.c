/* SPDX-License-Identifier: MIT */
/*
 * MJCF: one body per link, with inertia in principal axes, and shapes without collisions.
 */
#include <math.h>
#include <string.h>

#include "base/jacobi.h"
#include "export/mjcf.h"

static const double least_mass = 1e-15; /* least mass of a moving body: MuJoCo's mjMINVAL */

/* ---- inertia --------------------------------------------------------------------------------- */

/* Computes principal axes as a rotation, with ascending moments. Returns false if they are not
   finite. */
static bool principal(const td_link *link, td_frame3 *frame, double moments[3])
{
    double v[9];
    if (!td_symmetric_eigen(link->inertia, moments, v))
        return false;
    td_mat3 V = {v[0], v[3], v[6], v[1], v[4], v[7], v[2], v[5], v[8]};
    const td_vec3 x = {v[0], v[1], v[2]}, y = {v[3], v[4], v[5]}, z = {v[6], v[7], v[8]};
    if (td_vec3_dot(td_vec3_cross(x, y), z) < 0)
        V = (td_mat3){v[0], v[3], -v[6], v[1], v[4], -v[7], v[2], v[5], -v[8]};
    *frame = td_frame3_from(&link->inertial);
    frame->rotation = td_mat3_mul(frame->rotation, V);
    return true;
}

/* Refuses moments that violate MuJoCo's requirement a + b ≥ c, and corrects violations by
   rounding. */
static void check_moments(td_mjcf *m, const td_link *link, double moments[3])
{
    const double missing = moments[2] - moments[0] - moments[1];
    if (!(missing <= 1e-12 * fabs(moments[2])) || moments[0] < 0) {
        TD_REFUSE(m->w, link->inertial_source, "correct the inertia",
                  "link '%s' has moments of inertia that no body can have; MuJoCo refuses them",
                  link->name);
        return;
    }
    if (missing > 0)
        moments[2] = moments[0] + moments[1];
    if (moments[2] > 0 && moments[2] - moments[0] > moments[1])
        moments[2] = nextafter(moments[2], 0);
}

/* Returns whether a link, or a link that is fixed to it, has mass and moments. */
static bool has_inertia(const td_mjcf *m, int index)
{
    td_link link = m->model->records.link.at[index];
    double moments[3];
    td_apply_payload(m->w, (size_t)index, &link);
    if (link.mass >= least_mass)
        return td_symmetric_eigen(link.inertia, moments, NULL) && moments[0] >= least_mass;
    for (int j = m->first[index]; j >= 0; j = m->next[j])
        if (m->model->place[j].nq == 0 && has_inertia(m, m->model->place[j].child_link))
            return true;
    return false;
}

/* Returns whether a link has neither mass nor inertia. A point mass or a thin rod, with zero
   moments, does not count as such. */
static bool is_nothing(const td_link *link)
{
    bool nothing = link->mass == 0;
    for (int i = 0; i < 6; i++)
        nothing = nothing && link->inertia[i] == 0;
    return nothing || !link->has_inertial;
}

static bool is_massless(const td_mjcf *m, int index)
{
    td_link link = m->model->records.link.at[index];
    td_apply_payload(m->w, (size_t)index, &link);
    return is_nothing(&link);
}

static void put_inertial(td_mjcf *m, int index, int depth)
{
    td_link link = m->model->records.link.at[index];
    td_frame3 frame;
    double moments[3];
    td_apply_payload(m->w, (size_t)index, &link);
    if (is_nothing(&link) || !principal(&link, &frame, moments))
        return;
    check_moments(m, &link, moments);
    const double position[3] = {frame.position.x, frame.position.y, frame.position.z};
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "<inertial");
    if (position[0] == 0 && position[1] == 0 && position[2] == 0)
        td_put_numbers(m->w, "pos", position, 3); /* MuJoCo requires pos */
    td_mjcf_pose(m, &frame);
    td_put_numbers(m->w, "mass", &link.mass, 1);
    td_put_numbers(m->w, "diaginertia", moments, 3);
    td_put_text(&m->w->sink, "/>\n");
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Writes a shape. MuJoCo's sizes are half lengths. Meshes are left to the user, because their files
   may be anywhere. */
static void put_shape(td_mjcf *m, const td_link *link, const td_geometry *g, int depth)
{
    static const char *const types[] = {[TD_SHAPE_BOX] = "box",
                                        [TD_SHAPE_SPHERE] = "sphere",
                                        [TD_SHAPE_CYLINDER] = "cylinder",
                                        [TD_SHAPE_CAPSULE] = "capsule"};
    if (g->shape == TD_SHAPE_MESH) {
        if (m->meshes++ == 0)
            m->with_mesh = link;
        return;
    }
    double size[3] = {g->size[0] / 2, g->size[1] / 2, g->size[2] / 2};
    const size_t count = g->shape == TD_SHAPE_BOX ? 3 : g->shape == TD_SHAPE_SPHERE ? 1 : 2;
    if (g->shape != TD_SHAPE_BOX)
        size[0] = g->size[0];
    for (size_t i = 0; i < count; i++)
        if (!(size[i] > 0))
            return; /* MuJoCo refuses empty shapes, and they are invisible */
    const td_frame3 frame = td_frame3_from(&g->origin);
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "<geom");
    td_put_attribute(m->w, "type", types[g->shape], "", link->source);
    td_put_numbers(m->w, "size", size, count);
    td_mjcf_pose(m, &frame);
    if (isfinite(g->rgba[0]) && isfinite(g->rgba[1]) && isfinite(g->rgba[2]) &&
        isfinite(g->rgba[3]))
        td_put_numbers(m->w, "rgba", g->rgba, 4);
    td_put_text(&m->w->sink, g->collision ? " group=\"3\"" : " group=\"1\"");
    td_put_text(&m->w->sink, " contype=\"0\" conaffinity=\"0\"/>\n");
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void put_contents(td_mjcf *m, int index, int depth)
{
    const td_link *link = &m->model->records.link.at[index];
    for (size_t i = 0; i < link->geometry_count; i++)
        put_shape(m, link, td_geometry_at(link, i), depth);
    td_mjcf_sites(m, index, depth);
    for (int j = m->first[index]; j >= 0; j = m->next[j]) {
        const td_frame3 frame = td_mjcf_frame(m, j);
        td_mjcf_body(m, m->model->place[j].child_link, &frame, NULL, depth);
    }
}

/* Returns the only joint below a massless moving link that carries nothing else. The body below
   then gets both joints. −1 for none. */
static int joint_below(const td_mjcf *m, int index)
{
    const int above = m->model->link_joint[index], below = m->first[index];
    if (above < 0 || below < 0 || m->next[below] >= 0 || td_mjcf_is_joined(m, index) ||
        m->model->records.link.at[index].geometry_count || !is_massless(m, index) ||
        has_inertia(m, index))
        return -1;
    return below;
}

/* Returns whether a joint can be passed to the body below. A ball in a rotated body would have a
   different quaternion; a free joint must be a body's only joint. */
static bool can_pass(const td_mjcf *m, int joint, td_frame3 below)
{
    const td_mat3 *R = &below.rotation;
    const td_joint_type type = m->model->records.joint.at[joint].type;
    if (m->model->place[joint].parent_link < 0)
        return false;
    return !td_joint_has_quaternion(type) || (R->xx == 1 && R->yy == 1 && R->zz == 1);
}

static bool all_can_pass(const td_mjcf *m, const td_mjcf_pending *pending, td_frame3 below)
{
    for (; pending; pending = pending->before)
        if (!can_pass(m, pending->joint, td_frame3_compose(pending->frame, below)))
            return false;
    return true;
}

/* Passes the joint of a massless link to the body below, and updates the frames of joints that were
   passed before. */
static void pass_on(td_mjcf *m, const td_frame3 *frame, const td_mjcf_pending *pending, int above,
                    int below, int depth)
{
    enum { MOST = 8 };
    td_mjcf_pending list[MOST + 1];
    const td_frame3 behind = td_mjcf_frame(m, below);
    int count = 0;
    for (const td_mjcf_pending *p = pending; p && count < MOST; p = p->before)
        list[count++] = (td_mjcf_pending){NULL, p->joint, td_frame3_compose(p->frame, behind)};
    for (int i = 0; i < count; i++) /* list[0] is the joint nearest to the link */
        list[i].before = i + 1 < count ? &list[i + 1] : NULL;
    list[MOST] = (td_mjcf_pending){count ? &list[0] : NULL, above, behind};
    const td_frame3 whole = td_frame3_compose(*frame, behind);
    td_mjcf_body(m, m->model->place[below].child_link, &whole, &list[MOST], depth);
}

static int count_of(const td_mjcf_pending *pending)
{
    int count = 0;
    for (; pending; pending = pending->before)
        count++;
    return count;
}

static void put_pending(td_mjcf *m, const td_mjcf_pending *pending, int depth)
{
    if (!pending)
        return;
    put_pending(m, pending->before, depth);
    td_mjcf_joints(m, pending->joint, &pending->frame, depth);
}

/* Returns whether a link is MuJoCo's world body: a root named "world". Other links must not use
   this name. */
static bool is_world(td_mjcf *m, int index)
{
    const td_link *link = &m->model->records.link.at[index];
    if (strcmp(link->name, "world") != 0)
        return false;
    if (m->model->link_joint[index] < 0)
        return true;
    TD_REFUSE(m->w, link->source, "rename the link",
              "link '%s' has the name of MuJoCo's world body", link->name);
    return false;
}

void td_mjcf_body(td_mjcf *m, int index, const td_frame3 *frame, const td_mjcf_pending *pending,
                  int depth)
{
    enum { MOST_PENDING = 8 };
    const td_frame3 identity = TD_FRAME3_IDENTITY;
    const td_link *link = &m->model->records.link.at[index];
    const int above = m->model->link_joint[index], below = joint_below(m, index);
    const bool moves = pending || (above >= 0 && m->model->place[above].nq > 0);
    if (is_world(m, index)) {
        put_contents(m, index, depth);
        return;
    }
    if (moves && below >= 0 && count_of(pending) < MOST_PENDING &&
        can_pass(m, above, td_mjcf_frame(m, below)) &&
        all_can_pass(m, pending, td_mjcf_frame(m, below))) {
        pass_on(m, frame, pending, above, below, depth);
        return;
    }
    if (moves && !has_inertia(m, index))
        TD_REFUSE(m->w, link->source,
                  "give the link a small mass and inertia, such as 1e-9 kg and 1e-12 kg m²",
                  "link '%s' moves, but neither it nor a link fixed to it has the mass and the "
                  "moments of inertia that MuJoCo requires",
                  link->name);
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "<body");
    td_put_attribute(m->w, "name", link->name, "a link", link->source);
    td_mjcf_pose(m, frame);
    td_put_text(&m->w->sink, ">\n");
    put_inertial(m, index, depth + 1);
    put_pending(m, pending, depth + 1);
    if (above >= 0)
        td_mjcf_joints(m, above, &identity, depth + 1);
    put_contents(m, index, depth + 1);
    td_mjcf_indent(m, depth);
    td_put_text(&m->w->sink, "</body>\n");
}
