/* SPDX-License-Identifier: MIT */
/*
 * Parser: <visual>, <collision> and <material>. They do not affect dynamics, so a fault in a shape
 * is a warning, and the shape is omitted.
 */
#include <stddef.h>
#include <string.h>

#include "reader.h"

/* ---- materials ------------------------------------------------------------------------------- */

/* Calls visit for each <material> in <robot>: first children of <robot>, then of visuals. */
static void each_material(td_reader *reader, const td_xml_element *robot,
                          void (*visit)(td_reader *reader, const td_xml_element *material))
{
    const td_xml_element *m, *link, *visual;
    for (m = td_xml_child(robot, "material"); m; m = td_xml_next(m))
        visit(reader, m);
    for (link = td_xml_child(robot, "link"); link; link = td_xml_next(link))
        for (visual = td_xml_child(link, "visual"); visual; visual = td_xml_next(visual))
            for (m = td_xml_child(visual, "material"); m; m = td_xml_next(m))
                visit(reader, m);
}

static const char *name_of(const td_xml_element *element)
{
    const char *name = td_xml_attribute_value(element, "name");
    return name && *name ? name : NULL;
}

static void count_material(td_reader *reader, const td_xml_element *material)
{
    reader->material_count += name_of(material) && td_xml_child(material, "color");
}

/* Reads the color of a material element and reports faults. Returns false without one. */
static bool read_color(td_reader *reader, const td_xml_element *material, double rgba[4])
{
    const td_xml_element *color = td_reader_only(reader, material, "color", TD_VISUAL);
    if (!color)
        return false;
    td_reader_check(reader, color, "rgba", "");
    return td_reader_required(reader, color, "rgba", TD_VISUAL, rgba, 4) == TD_READ;
}

/* Keeps the color of a material without reports. Faults in materials of visuals are reported with
   the visual. */
static void keep_material(td_reader *reader, const td_xml_element *material)
{
    const td_xml_element *color = td_xml_child(material, "color");
    const char *rgba = color ? td_xml_attribute_value(color, "rgba") : NULL;
    td_material kept = {.name = name_of(material)};
    size_t found;
    if (kept.name && rgba && td_number_read(rgba, kept.rgba, 4, &found) == TD_NUMBER_OK)
        reader->material[reader->material_count++] = kept;
}

static void check_material(td_reader *reader, const td_xml_element *material)
{
    td_reader_check(reader, material, "name", "color texture");
}

void td_reader_materials(td_reader *reader, const td_xml_element *robot)
{
    double rgba[4];
    for (const td_xml_element *m = td_xml_child(robot, "material"); m; m = td_xml_next(m)) {
        check_material(reader, m);
        read_color(reader, m, rgba);
    }
    each_material(reader, robot, count_material);
    reader->material = TD_ARENA_NEW(&reader->xml->arena, td_material, reader->material_count);
    reader->material_count = 0;
    if (reader->material)
        each_material(reader, robot, keep_material);
    if (!reader->material ||
        !td_names_build(&reader->material_names, &reader->xml->arena, reader->material,
                        reader->material_count, sizeof(td_material), offsetof(td_material, name)))
        td_reader_add(reader, TD_ERROR_MEMORY);
}

static void read_material(td_reader *reader, const td_xml_element *visual, td_geometry *geometry)
{
    const td_xml_element *material = td_reader_only(reader, visual, "material", TD_VISUAL);
    if (!material)
        return;
    check_material(reader, material);
    geometry->material = name_of(material);
    if (read_color(reader, material, geometry->rgba) || reader->status != TD_OK)
        return;
    int known = td_names_find(&reader->material_names, geometry->material);
    if (known >= 0)
        memcpy(geometry->rgba, reader->material[known].rgba, sizeof geometry->rgba);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Reads the scale of a mesh. One number scales all directions, and of four numbers the fourth is
   ignored, each with a warning. The mesh keeps its size if the scale is invalid. */
static void read_scale(td_reader *reader, const td_xml_element *mesh, double scale[3])
{
    const char *text = td_xml_attribute_value(mesh, "scale");
    double read[4];
    size_t found;
    if (!text || td_number_read(text, scale, 3, &found) != TD_NUMBER_COUNT ||
        (found != 1 && found != 4)) {
        td_reader_vector(reader, mesh, "scale", TD_VISUAL, scale, 3);
        return;
    }
    const bool one = found == 1;
    td_number_read(text, read, found, &found);
    for (size_t i = 0; i < 3; i++)
        scale[i] = read[one ? 0 : i];
    TD_REPORT(
        reader, TD_CODE_NUMBER_IGNORED, mesh,
        td_reader_print(reader, "write scale=\"%.9g %.9g %.9g\"", scale[0], scale[1], scale[2]),
        "%s: scale has %s where 3 are expected; %s", td_reader_title(reader, mesh),
        one ? "one number" : "4 numbers",
        one ? "it applies to all directions" : "the first 3 apply");
}

static bool read_mesh(td_reader *reader, const td_xml_element *element, td_geometry *geometry)
{
    geometry->file = td_reader_string(reader, element, "filename", TD_CODE_NUMBER_MISSING_IGNORED,
                                      "name the mesh file: filename=\"...\"");
    read_scale(reader, element, geometry->size);
    return geometry->file != NULL;
}

/* Reads the shape in <geometry>. Reports a missing or invalid shape and returns false. */
static bool read_shape(td_reader *reader, const td_xml_element *element, td_geometry *geometry)
{
    static const struct {
        const char *name;
        td_shape shape;
        const char *attributes;
        const char *sizes[2]; /* attributes, each with one number */
    } kinds[] = {
        {"box", TD_SHAPE_BOX, "size", {NULL, NULL}},
        {"sphere", TD_SHAPE_SPHERE, "radius", {"radius", NULL}},
        {"cylinder", TD_SHAPE_CYLINDER, "radius length", {"radius", "length"}},
        {"capsule", TD_SHAPE_CAPSULE, "radius length", {"radius", "length"}},
        {"mesh", TD_SHAPE_MESH, "filename scale", {NULL, NULL}},
    };
    td_reader_check(reader, element, "", "box sphere cylinder capsule mesh");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const td_xml_element *shape = td_xml_child(element, kinds[i].name);
        if (!shape)
            continue;
        td_reader_check(reader, shape, kinds[i].attributes, "");
        *geometry = td_geometry_default(kinds[i].shape);
        if (kinds[i].shape == TD_SHAPE_MESH)
            return read_mesh(reader, shape, geometry);
        if (kinds[i].shape == TD_SHAPE_BOX)
            return td_reader_required(reader, shape, "size", TD_VISUAL, geometry->size, 3) ==
                   TD_READ;
        bool good = true;
        for (int k = 0; k < 2 && kinds[i].sizes[k]; k++)
            good = td_reader_required(reader, shape, kinds[i].sizes[k], TD_VISUAL,
                                      &geometry->size[k], 1) == TD_READ &&
                   good;
        return good;
    }
    TD_REPORT(reader, TD_CODE_NUMBER_MISSING_IGNORED, element,
              "the shapes are box, sphere, cylinder, capsule and mesh",
              "%s has no known shape; the <%s> is left out", td_reader_title(reader, element),
              element->parent->name);
    return false;
}

static bool read_geometry(td_reader *reader, const td_xml_element *element, td_geometry *geometry)
{
    td_reader_check(reader, element, "name", "origin geometry material");
    const td_xml_element *shape = td_reader_only(reader, element, "geometry", TD_VISUAL);
    if (!shape) {
        TD_REPORT(reader, TD_CODE_NUMBER_MISSING_IGNORED, element,
                  "add <geometry> with a shape, or remove it",
                  "%s has no <geometry>; it is left out", td_reader_title(reader, element));
        return false;
    }
    if (!read_shape(reader, shape, geometry))
        return false;
    geometry->name = name_of(element);
    geometry->collision = strcmp(element->name, "collision") == 0;
    read_material(reader, element, geometry);
    return td_reader_origin(reader, td_reader_only(reader, element, "origin", TD_VISUAL), TD_VISUAL,
                            &geometry->origin);
}

static bool is_geometry(const td_xml_element *element)
{
    return strcmp(element->name, "visual") == 0 || strcmp(element->name, "collision") == 0;
}

td_geometry *td_reader_geometry(td_reader *reader, const td_xml_element *link, size_t *count)
{
    size_t capacity = 0;
    for (const td_xml_element *child = link->first; child; child = child->next)
        capacity += is_geometry(child);
    td_geometry *list = TD_ARENA_NEW(&reader->xml->arena, td_geometry, capacity);
    *count = 0;
    if (!list)
        td_reader_add(reader, TD_ERROR_MEMORY);
    for (const td_xml_element *child = link->first; list && child; child = child->next)
        if (is_geometry(child) && read_geometry(reader, child, &list[*count]))
            ++*count;
    return list;
}
