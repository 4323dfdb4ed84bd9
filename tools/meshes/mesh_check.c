/* SPDX-License-Identifier: MIT */
/*
 * Checks mesh files; see mesh_check.h.
 */
#include "meshes/mesh_check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shape_inertia.h"
#include "meshes/mesh_bounds.h"
#include "text.h"

enum { MOST_MESHES = 1000 };

/* A mesh file, which is read only once. */
typedef struct mesh {
    const char *name;
    bool has_bounds;
    double low[3], high[3];
} mesh;

typedef struct mesh_list {
    const td_file_search *places;
    mesh *at;
    size_t count;
    size_t missing;      /* files */
    const td_link *link; /* the link of the first missing file */
    char *first, *why;   /* the name of the first missing file, and the reason */
} mesh_list;

/* A box in a link's frame. */
typedef struct box {
    double low[3], high[3];
} box;

static void box_include(box *b, const double point[3])
{
    for (size_t i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], point[i]);
        b->high[i] = fmax(b->high[i], point[i]);
    }
}

/* Returns the mesh with this name, or NULL if there are too many meshes. */
static const mesh *find_mesh(mesh_list *list, const td_link *link, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->at[i].name, name) == 0) {
            return &list->at[i];
        }
    }
    if (list->count == MOST_MESHES) {
        return NULL;
    }
    mesh *m = &list->at[list->count++];
    *m = (mesh){.name = name};
    mesh_file file = mesh_file_read(list->places, name);
    if (file.bytes != NULL) {
        m->has_bounds = mesh_bounds(file.type, file.bytes, file.size, m->low, m->high);
    } else if (list->missing++ == 0) {
        list->link = link;
        list->first = text_clean(name);
        list->why = text_format("%s", file.why);
    }
    mesh_file_free(&file);
    return m;
}

/* Extends the box by the corners of a mesh's box, scaled, in the link's frame. */
static void include_mesh(box *b, const td_geometry *shape, const mesh *m)
{
    const double *R = shape->origin.rotation;
    for (unsigned corner = 0; corner < 8; corner++) {
        double local[3], point[3];
        for (size_t i = 0; i < 3; i++) {
            local[i] = shape->size[i] * ((corner >> i & 1) != 0 ? m->high[i] : m->low[i]);
        }
        for (size_t i = 0; i < 3; i++) {
            point[i] = shape->origin.position[i] + R[3 * i] * local[0] + R[3 * i + 1] * local[1] +
                       R[3 * i + 2] * local[2];
        }
        box_include(b, point);
    }
}

/* Extends the box by a cube that contains a shape other than a mesh in any orientation. */
static void include_shape(box *b, const td_geometry *shape)
{
    const double *size = shape->size;
    const double radius = shape->shape == TD_SHAPE_BOX ? hypot(hypot(size[0], size[1]), size[2]) / 2
                          : shape->shape == TD_SHAPE_SPHERE ? fabs(size[0])
                                                            : fabs(size[0]) + fabs(size[1]);
    for (int side = -1; side <= 1; side += 2) {
        double point[3];
        for (size_t i = 0; i < 3; i++) {
            point[i] = shape->origin.position[i] + side * radius;
        }
        box_include(b, point);
    }
}

/* Computes the box of a link's shapes. Returns false if there is no mesh with bounds, or if both
   the visuals and the collisions have meshes without bounds. Complete visuals or complete
   collisions suffice, as with visuals in COLLADA and collisions in STL. */
static bool shape_box(mesh_list *list, const td_link *link, box *b)
{
    size_t meshes = 0;
    size_t shapes[2] = {0, 0};  /* visuals, collisions */
    size_t unknown[2] = {0, 0}; /* those without bounds */
    for (size_t k = 0; k < link->geometry_count; k++) {
        const td_geometry *shape = td_geometry_at(link, k);
        const bool is_mesh = shape->shape == TD_SHAPE_MESH;
        const mesh *m = is_mesh && shape->file != NULL ? find_mesh(list, link, shape->file) : NULL;
        shapes[shape->collision]++;
        if (!is_mesh) {
            include_shape(b, shape);
        } else if (m != NULL && m->has_bounds) {
            include_mesh(b, shape, m);
            meshes++;
        } else {
            unknown[shape->collision]++;
        }
    }
    return meshes > 0 && ((shapes[0] > 0 && unknown[0] == 0) || (shapes[1] > 0 && unknown[1] == 0));
}

static double distance(const box *b, const double point[3])
{
    double beyond[3];
    for (size_t i = 0; i < 3; i++) {
        beyond[i] = fmax(0, fmax(b->low[i] - point[i], point[i] - b->high[i]));
    }
    return hypot(hypot(beyond[0], beyond[1]), beyond[2]);
}

/* Returns whether the library, which does not read meshes, has already reported one of two codes
   for a link. */
static bool is_reported(const td_diagnostics *list, const td_link *link, const char *code,
                        const char *other)
{
    for (size_t i = 0; i < td_diagnostics_size(list); i++) {
        const td_diagnostic *d = td_diagnostics_at(list, i);
        if ((strcmp(d->code, code) == 0 || strcmp(d->code, other) == 0) &&
            d->source.line == link->inertial_source.line) {
            return true;
        }
    }
    return false;
}

static bool report(td_diagnostics *list, const td_link *link, const char *code, const char *message,
                   const char *remedy)
{
    const td_diagnostic found = {.severity = TD_SEVERITY_WARNING,
                                 .code = code,
                                 .source = link->inertial_source,
                                 .message = message,
                                 .remedy = remedy};
    return td_diagnostics_add(list, &found) == TD_OK;
}

/* Warns if the center of mass is farther from the box than the size of the box. A center of mass
   lies within the hull of its body; the margin allows for parts without meshes. */
static bool check_center(const td_link *link, const box *b, double size, td_diagnostics *list)
{
    const double outside = distance(b, link->inertial.position);
    if (!(outside > size) || !(size > 0) || is_reported(list, link, "URDF-I012", "URDF-I015")) {
        return true;
    }
    scoped char *message =
        text_format("the center of mass of link '%s' is %.3g m outside its meshes, "
                    "which span %.3g m with its joints",
                    link->name, outside, size);
    const bool good = report(list, link, "URDF-I015", message,
                             "origins are in m, in the link's frame; check the unit of both, and "
                             "scale=\"...\" of the mesh");
    return good;
}

/* Checks an inertia. Ignores links that do not move, and light dummy links for simulators, below a
   thousandth of the robot's mass. */
static bool check_inertia(const td_model *model, size_t k, double size, td_diagnostics *list)
{
    const td_link *link = td_link_at(model, k);
    const td_inertia_audit audit = td_link_audit(model, k);
    td_shape_text text;
    if (td_link_body(model, k) == TD_NONE || audit.indefinite ||
        link->mass < 1e-3 * td_total_mass(model) ||
        is_reported(list, link, "URDF-I013", "URDF-I016") ||
        !td_inertia_exceeds(link, audit.moments[2], size, "meshes", &text)) {
        return true;
    }
    return report(list, link, "URDF-I016", text.message, text.remedy);
}

/* Checks a link. Its box includes the origins of its joints. */
static bool check_link(const td_model *model, size_t k, const box *meshes, td_diagnostics *list)
{
    box b = *meshes;
    const double frame[3] = {0, 0, 0};
    box_include(&b, frame);
    for (size_t j = 0; j < td_joint_count(model); j++) {
        if (td_joint_place_at(model, j).parent_link == k) {
            box_include(&b, td_joint_at(model, j)->origin.position);
        }
    }
    const double size =
        hypot(hypot(b.high[0] - b.low[0], b.high[1] - b.low[1]), b.high[2] - b.low[2]);
    return check_center(td_link_at(model, k), &b, size, list) &&
           check_inertia(model, k, size, list);
}

static bool report_missing(const mesh_list *meshes, td_diagnostics *list)
{
    if (meshes->missing == 0) {
        return true;
    }
    scoped char *more = meshes->missing > 1
                            ? text_format(" (%zu meshes, first here)", meshes->missing)
                            : text_format("%s", "");
    char *message = text_format("mesh '%s' of link '%s' cannot be read: %s%s", meshes->first,
                                meshes->link->name, meshes->why, more);
    const td_diagnostic found = {.severity = TD_SEVERITY_NOTE,
                                 .code = "URDF-S043",
                                 .source = meshes->link->source,
                                 .message = message,
                                 .remedy = ""};
    const bool good = td_diagnostics_add(list, &found) == TD_OK;
    free(message);
    return good;
}

bool mesh_check(const td_model *model, const td_file_search *places, td_diagnostics *list)
{
    if (places->robot == NULL) {
        return true;
    }
    mesh_list meshes = {.places = places, .at = allocate(MOST_MESHES, sizeof *meshes.at)};
    bool good = true;
    for (size_t k = 0; k < td_link_count(model); k++) {
        const td_link *link = td_link_at(model, k);
        box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if (shape_box(&meshes, link, &b) && link->has_inertial && link->mass > 0) {
            good = check_link(model, k, &b, list) && good;
        }
    }
    good = report_missing(&meshes, list) && good;
    free(meshes.at);
    free(meshes.first);
    free(meshes.why);
    return good;
}
