/* SPDX-License-Identifier: MIT */
/*
 * URDF: the robot and its links.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/writer.h"

enum { LONGEST_TITLE = 160 };

/* ---- frames ---------------------------------------------------------------------------------- */

/* Computes a frame's angles. Returns false if there is nothing to write, because the frame is the
   identity up to rounding. */
static bool angles_of(td_writer *w, const td_pose *pose, const char *what, td_source source,
                      double rpy[3])
{
    const double *p = pose->position;
    if (!td_rpy_from_rotation(pose->rotation, rpy))
        TD_REFUSE(
            w, source, "use a rotation matrix whose columns have length 1 and are perpendicular",
            "the rotation matrix of %s is not orthonormal to 1e-12, so it has no rpy angles", what);
    return p[0] != 0 || p[1] != 0 || p[2] != 0 || rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0;
}

static void put_numbers_of(td_writer *w, const td_pose *pose, const double rpy[3])
{
    if (pose->position[0] != 0 || pose->position[1] != 0 || pose->position[2] != 0)
        td_put_numbers(w, "xyz", pose->position, 3);
    if (rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0)
        td_put_numbers(w, "rpy", rpy, 3);
}

void td_put_pose(td_writer *w, const td_pose *pose, const char *what, td_source source)
{
    double rpy[3];
    angles_of(w, pose, what, source, rpy);
    put_numbers_of(w, pose, rpy);
}

bool td_put_origin(td_writer *w, const char *indent, const td_pose *pose, const char *what,
                   td_source source)
{
    double rpy[3];
    if (!angles_of(w, pose, what, source, rpy))
        return false;
    td_put_text(&w->sink, indent);
    td_put_text(&w->sink, "<origin");
    put_numbers_of(w, pose, rpy);
    td_put_text(&w->sink, "/>\n");
    return true;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void put_inertial(td_writer *w, const td_link *link, const char *title)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    td_put_text(&w->sink, "    <inertial>\n");
    td_put_origin(w, "      ", &link->inertial, title, link->source);
    td_put_text(&w->sink, "      <mass");
    td_put_numbers(w, "value", &link->mass, 1);
    td_put_text(&w->sink, "/>\n      <inertia");
    for (int i = 0; i < 6; i++)
        td_put_numbers(w, names[i], &link->inertia[i], 1);
    td_put_text(&w->sink, "/>\n    </inertial>\n");
}

static void put_shape(td_writer *w, const td_geometry *geometry)
{
    static const struct {
        const char *word, *size[2];
    } shapes[] = {
        [TD_SHAPE_BOX] = {"box", {NULL, NULL}},
        [TD_SHAPE_SPHERE] = {"sphere", {"radius", NULL}},
        [TD_SHAPE_CYLINDER] = {"cylinder", {"radius", "length"}},
        [TD_SHAPE_CAPSULE] = {"capsule", {"radius", "length"}},
        [TD_SHAPE_MESH] = {"mesh", {NULL, NULL}},
    };
    const bool mesh = geometry->shape == TD_SHAPE_MESH;
    td_put_text(&w->sink, "      <geometry>\n        <");
    td_put_text(&w->sink, shapes[geometry->shape].word);
    if (mesh)
        td_put_attribute(w, "filename", geometry->file, "a mesh file", TD_NOWHERE);
    if (geometry->shape == TD_SHAPE_BOX)
        td_put_numbers(w, "size", geometry->size, 3);
    else if (mesh && (geometry->size[0] != 1 || geometry->size[1] != 1 || geometry->size[2] != 1))
        td_put_numbers(w, "scale", geometry->size, 3);
    for (int k = 0; k < 2 && shapes[geometry->shape].size[k]; k++)
        td_put_numbers(w, shapes[geometry->shape].size[k], &geometry->size[k], 1);
    td_put_text(&w->sink, "/>\n      </geometry>\n");
}

static void put_material(td_writer *w, const td_geometry *geometry)
{
    bool coloured = true;
    for (int i = 0; i < 4; i++)
        coloured = coloured && isfinite(geometry->rgba[i]);
    if (!geometry->material && !coloured)
        return;
    td_put_text(&w->sink, "      <material");
    td_put_attribute(w, "name", geometry->material, "a material", TD_NOWHERE);
    if (coloured) {
        td_put_text(&w->sink, ">\n        <color");
        td_put_numbers(w, "rgba", geometry->rgba, 4);
        td_put_text(&w->sink, "/>\n      </material>\n");
    } else {
        td_put_text(&w->sink, "/>\n");
    }
}

static void put_geometry(td_writer *w, const td_geometry *geometry, const char *title)
{
    const char *word = geometry->collision ? "collision" : "visual";
    td_put_text(&w->sink, "    <");
    td_put_text(&w->sink, word);
    if (geometry->name)
        td_put_attribute(w, "name", geometry->name, "a shape", TD_NOWHERE);
    td_put_text(&w->sink, ">\n");
    td_put_origin(w, "      ", &geometry->origin, title, TD_NOWHERE);
    put_shape(w, geometry);
    put_material(w, geometry);
    td_put_format(&w->sink, "    </%s>\n", word);
}

static void put_flexible(td_writer *w, const td_flexible *f)
{
    const bool both = f->start_clamped && f->end_clamped;
    const double segments = f->segments;
    td_put_text(&w->sink, "    <flexible");
    td_put_numbers(w, "axis", f->axis, 3);
    td_put_numbers(w, "start", f->start, 3);
    td_put_numbers(w, "length", &f->length, 1);
    if (f->across[0] != 0 || f->across[1] != 0 || f->across[2] != 0)
        td_put_numbers(w, "across", f->across, 3);
    const double *EI = f->bending_stiffness;
    if (!isnan(EI[0]) || !isnan(EI[1])) {
        if (isnan(EI[1]))
            td_put_numbers(w, "EI", EI, 1);
        else
            td_put_numbers(w, "EI", EI, 2);
        if (isnan(EI[0]))
            TD_REFUSE(w, f->source,
                      "rotate 'across' by 90 degrees, and write the stiffness as the first one",
                      "flexible link '%s' bends only in its second plane", f->link);
    }
    if (!isnan(f->torsional_stiffness))
        td_put_numbers(w, "GJ", &f->torsional_stiffness, 1);
    td_put_numbers(w, "mass_per_length", &f->mass_per_length, 1);
    td_put_unless(w, "rotary_inertia", f->rotary_inertia, 0);
    td_put_unless(w, "damping_ratio", f->damping_ratio, 0);
    td_put_numbers(w, "segments", &segments, 1);
    if (!both)
        td_put_attribute(w, "clamped",
                         f->start_clamped ? "start"
                         : f->end_clamped ? "end"
                                          : "none",
                         "", f->source);
    td_put_text(&w->sink, "/>\n");
}

static const td_flexible *flexible_of(const td_records *given, const char *link)
{
    for (size_t i = 0; i < given->flexible.count; i++)
        if (strcmp(given->flexible.at[i].link, link) == 0)
            return &given->flexible.at[i];
    return NULL;
}

static void put_link(td_writer *w, const td_link *given)
{
    td_link link = *given;
    char title[LONGEST_TITLE];
    const td_flexible *flexible = flexible_of(&w->model->given, link.name);
    const int index = td_index_in(td_link_index(w->model, link.name));
    snprintf(title, sizeof title, "link '%.100s'", link.name);
    if (index >= 0 && !flexible)
        td_apply_payload(w, (size_t)index, &link);
    td_put_text(&w->sink, "  <link");
    td_put_attribute(w, "name", link.name, title, link.source);
    const bool shapes = link.geometry_count && !w->dynamic;
    if (!link.has_inertial && !flexible && !shapes) {
        td_put_text(&w->sink, "/>\n");
        return;
    }
    td_put_text(&w->sink, ">\n");
    if (link.has_inertial)
        put_inertial(w, &link, title);
    if (flexible)
        put_flexible(w, flexible);
    for (size_t i = 0; shapes && i < link.geometry_count; i++)
        put_geometry(w, td_geometry_at(given, i), title);
    td_put_text(&w->sink, "  </link>\n");
}

static bool is_given(const td_records *given, const char *link)
{
    for (size_t i = 0; i < given->link.count; i++)
        if (strcmp(given->link.at[i].name, link) == 0)
            return true;
    return false;
}

/* Writes the payloads of links that have no record. A frame that exists only as the parent of a
   joint becomes a link with mass. A payload on a piece of a flexible link is refused. */
static void put_payloads(td_writer *w)
{
    for (size_t i = 0; w->workspace && i < td_link_count(w->model); i++) {
        const td_link *link = td_link_at(w->model, i);
        if (!td_has_payload(w, i))
            continue;
        if (!link->flexible && !is_given(&w->model->given, link->name))
            put_link(w, link);
        if (link->flexible)
            TD_REFUSE(w, link->source, "add a link with that mass, on a fixed joint",
                      "link '%s' carries a payload, but it is a segment of a flexible link, whose "
                      "mass comes from its beam",
                      link->name);
    }
}

/* ---- the robot ------------------------------------------------------------------------------- */

/* Returns whether a joint has only one bound, which requires version 1.2. */
static bool is_one_sided(const td_joint *joint)
{
    return isfinite(joint->limit.lower) != isfinite(joint->limit.upper);
}

void td_write_urdf(td_writer *w)
{
    const td_records *given = &w->model->given;
    td_applied applied;
    if (!td_apply_locks(w, &applied)) {
        w->failed = true;
        return;
    }
    bool one_sided = false;
    for (size_t i = 0; i < given->joint.count; i++)
        one_sided = one_sided || is_one_sided(&given->joint.at[i]);
    td_put_text(&w->sink, "<?xml version=\"1.0\"?>\n<robot");
    td_put_attribute(w, "name", given->name, "the robot", given->source);
    if (one_sided)
        td_put_text(&w->sink, " version=\"1.2\"");
    if (given->spring.count)
        td_put_text(&w->sink, " xmlns:drake=\"http://drake.mit.edu\"");
    td_put_text(&w->sink, ">\n");
    td_check_couplings(w, &applied);
    for (size_t i = 0; i < given->link.count; i++)
        put_link(w, &given->link.at[i]);
    put_payloads(w);
    for (size_t i = 0; i < given->joint.count; i++)
        td_write_urdf_joint(w, &applied, i);
    td_write_urdf_others(w);
    td_put_text(&w->sink, "</robot>\n");
}
