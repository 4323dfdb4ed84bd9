/* SPDX-License-Identifier: MIT */
/*
 * Parser: the entry points, and <robot>.
 */
#include "reader.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/environment.h"
#include "bundled.h"
#include "file.h"
#include "load/build.h"
#include "model/records.h"
#include "prologue.h"
#include "quoted.h"
#include "submechanisms.h"
#include "tandem/urdf.h"
#include "xacro.h"

/* ---- <robot> --------------------------------------------------------------------------------- */

static void find_robots(const td_xml_element *element, const td_xml_element **robot, size_t *count)
{
    for (; element; element = element->next) {
        if (strcmp(element->name, "robot") == 0) {
            *robot = element;
            ++*count;
        } else {
            find_robots(element->first, robot, count);
        }
    }
}

static const char *root_remedy(const char *root)
{
    if (strcmp(root, "sdf") == 0 || strcmp(root, "gazebo") == 0)
        return "this is an SDF file; only URDF is read";
    if (strcmp(root, "mujoco") == 0)
        return "this is a MuJoCo file; only URDF is read";
    return "a URDF file has the form <robot name=\"...\"> ... </robot>";
}

/* Returns the only <robot> of the document. Reports none or several and returns NULL. */
static const td_xml_element *robot_of(td_reader *reader)
{
    const td_xml_element *root = reader->xml->root;
    const td_xml_element *robot = NULL;
    size_t count = 0;
    find_robots(root, &robot, &count);
    if (count != 1) {
        const char *remedy = count ? "keep one robot in the file" : root_remedy(root->name);
        TD_REPORT(reader, TD_CODE_XML_NO_ROBOT, root, remedy,
                  count ? "<%s> contains %zu <robot> elements"
                        : "the root element is <%s>, not <robot>",
                  root->name, count);
        return NULL;
    }
    if (robot != root)
        TD_REPORT(reader, TD_CODE_XML_NESTED_ROBOT, robot,
                  "make <robot> the root element; other parsers refuse this file",
                  "<robot> is inside <%s>; it is read anyway", root->name);
    return robot;
}

static void check_version(td_reader *reader, const td_xml_element *robot)
{
    const char *version = td_xml_attribute_value(robot, "version");
    if (!version)
        return;
    reader->infinite_limits = strcmp(version, "1.0") != 0 && strcmp(version, "1.1") != 0;
    if (reader->infinite_limits && strcmp(version, "1.2") != 0)
        TD_REPORT(reader, TD_CODE_XML_VERSION, robot, "the versions are 1.0, 1.1 and 1.2",
                  "unknown URDF version '%.*s'; read as 1.2", td_shown(version), version);
}

/* Returns whether some element refers to links and joints of the whole file. */
static bool refers_elsewhere(const td_xml_element *robot)
{
    const td_xml_element *e = robot->first;
    while (e && strcmp(e->name, "gazebo") != 0 && strcmp(e->name, "ros2_control") != 0 &&
           !td_reader_may_close(e))
        e = e->next;
    return e != NULL;
}

/* Reads such elements, after all links and joints. */
static void read_elsewhere(td_reader *reader, const td_xml_element *robot)
{
    const td_records *records = &reader->builder->records;
    td_arena *arena = &reader->xml->arena;
    td_places places = {.reader = reader};
    if (!td_zero_make(&places.zero, arena, records) ||
        !td_records_follower_names(records, arena, &places.followers) ||
        !td_names_build(&places.links, arena, records->link.at, records->link.count,
                        sizeof(td_link), offsetof(td_link, name)) ||
        !td_names_build(&places.joints, arena, records->joint.at, records->joint.count,
                        sizeof(td_joint), offsetof(td_joint, name)) ||
        !td_reader_list_loops(&places)) {
        td_reader_add(reader, TD_ERROR_MEMORY);
        return;
    }
    td_reader_gazebo(&places, robot);
    td_reader_closing(&places, robot);
    td_reader_controlled_joints(&places, robot);
}

static void read_robot(td_reader *reader, const td_xml_element *robot)
{
    static const struct {
        const char *name;
        void (*read)(td_reader *reader, const td_xml_element *element);
    } kinds[] = {
        {"link", td_reader_link},
        {"joint", td_reader_joint},
        {"drake:joint", td_reader_joint}, /* ball, screw, universal and others */
        {"transmission", td_reader_transmission},
        {"ros2_control", td_reader_ros2_control},
        {"loop", td_reader_loop},
        {"coupling", td_reader_coupling},
        {"loop_joint", td_reader_loop_joint},
        {"constraint", td_reader_constraint},
        {"drake:ball_constraint", td_reader_ball_constraint},
        {"drake:distance_constraint", td_reader_distance_constraint},
        {"drake:linear_spring_damper", td_reader_spring_damper},
        {"drake:linear_bushing_rpy", td_reader_bushing},
    };
    td_reader_check(
        reader, robot, "name version",
        "link joint drake:joint transmission ros2_control loop coupling loop_joint material gazebo "
        "frame "
        "constraint drake:ball_constraint drake:distance_constraint drake:linear_bushing_rpy "
        "drake:linear_spring_damper drake:tendon_constraint drake:coupler_constraint "
        "drake:weld_constraint force_element");
    check_version(reader, robot);
    td_reader_materials(reader, robot);
    for (const td_xml_element *child = robot->first; child; child = child->next) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(child->name, kinds[i].name) == 0)
                kinds[i].read(reader, child);
        td_reader_is_omission(reader, child, TD_IN_ROBOT);
    }
    if (refers_elsewhere(robot))
        read_elsewhere(reader, robot);
    td_reader_report_omissions(reader);
    td_reader_report_unknown(reader);
    td_reader_report_axes(reader);
}

/* Returns whether nothing is left for xacro. Otherwise reports an error. all: the parts of the
   document. */
static bool is_expanded(td_reader *reader, const td_xml_element *robot, td_xacro_parts all)
{
    const td_xacro_parts parts = robot == reader->xml->root ? all : td_xacro_find(robot);
    if (parts.count == 0)
        return true;
    const char *more =
        parts.count > 1 ? td_reader_print(reader, ", and %zu more", parts.count - 1) : "";
    const bool element = parts.what == parts.first->name, result = reader->expanded != NULL;
    TD_REPORT(reader, TD_CODE_XML_XACRO, parts.first,
              result ? "elements of xacro need its prefix, as in <xacro:include>"
                     : "expand it first: xacro FILE | tandem COMMAND -",
              "%s: it contains %s%.*s%s%s",
              result ? "xacro left a part of the file unexpanded" : "the file is unexpanded xacro",
              element ? "<" : "'", td_shown(parts.what), parts.what, element ? ">" : "'", more);
    return false;
}

/* Fills reader->builder, which stays NULL if the document has no usable <robot>. parts: what xacro
   expands in the document. */
static void read_document(td_reader *reader, td_xacro_parts parts)
{
    const td_xml_element *robot = robot_of(reader);
    if (!robot || !is_expanded(reader, robot, parts))
        return;
    td_c_locale locale;
    if (!td_c_locale_begin(&locale)) {
        td_reader_add(reader, TD_ERROR_MEMORY);
        return;
    }
    td_builder_new(td_xml_attribute_value(robot, "name"), &reader->builder);
    td_source source = td_reader_source(reader, robot);
    if (!reader->builder)
        td_reader_add(reader, TD_ERROR_MEMORY);
    else
        td_reader_add(reader, td_builder_set_source(reader->builder, &source));
    if (reader->status == TD_OK)
        read_robot(reader, robot);
    td_c_locale_end(&locale);
}

/* ---- entry points ---------------------------------------------------------------------------- */

/* Reads into *builder, which stays NULL if the file is not a URDF. is_file: name is a path. */
static td_status read_text(const char *text, size_t size, const char *name, bool is_file,
                           const td_load_options *options, td_diagnostics *list,
                           td_builder **builder)
{
    td_xml xml = {.root = NULL};
    td_yaml yaml = {.root = NULL}; /* owns the text if it was quoted */
    size_t warnings = td_diagnostics_count(list, TD_SEVERITY_WARNING);
    td_status status = TD_OK;
    if (td_prologue_is_quoted(text, size))
        status = td_quoted_find(&text, &size, name, options, list, &yaml);
    if (status == TD_OK)
        status = td_xml_parse(text, size, name, options, list, &xml);
    td_reader reader = {.xml = &xml,
                        .diagnostics = list,
                        .file = name,
                        .floating = options->base == TD_BASE_FLOATING};
    td_reader_closing_type(&reader, options->closing_frames);
    td_xacro x = {.xml = &xml,
                  .file = name,
                  .is_file = is_file && !yaml.root,
                  .options = options,
                  .diagnostics = list};
    if (status == TD_OK)
        status = td_xacro_expand(&x);
    reader.expanded = x.result;
    if (status == TD_OK) {
        read_document(&reader, x.parts);
        bool strict = options->strict && td_diagnostics_count(list, TD_SEVERITY_WARNING) > warnings;
        status = reader.status != TD_OK        ? reader.status
                 : reader.errors > 0 || strict ? TD_ERROR_MODEL
                                               : TD_OK;
    }
    td_xml_free(&xml);
    td_yaml_free(&yaml);
    if (reader.builder)
        reader.builder->incomplete = reader.errors > 0;
    *builder = reader.builder;
    return td_diagnostics_failed(list) ? TD_ERROR_MEMORY : status;
}

/* Adds the contents of the submechanism list in options. Takes the status of reading the URDF and
   returns the status of both. */
static td_status read_beside(td_builder *builder, const td_load_options *options,
                             td_diagnostics *list, td_status status)
{
    bool readable = status == TD_OK || status == TD_ERROR_MODEL;
    if (!builder || !options->submechanisms || !readable)
        return status;
    td_file file;
    td_status beside = td_file_read(options->submechanisms, options->max_bytes, list, &file);
    if (beside == TD_OK)
        beside = td_submechanisms_read(builder, file.text, file.size, file.name, options, list);
    free(file.text);
    if (td_diagnostics_failed(list))
        return TD_ERROR_MEMORY;
    return beside == TD_OK ? status : beside;
}

/* Does the same as td_parse_urdf_memory, except that after TD_ERROR_MODEL *builder contains
   everything that could be read, so that the structure can still be checked. */
static td_status parse(const char *text, size_t size, const char *name, bool is_file,
                       const td_load_options *options, td_diagnostics *diagnostics,
                       td_builder **builder)
{
    td_load_options ours;
    if ((!text && size > 0) || !td_options_read(options, &ours))
        return TD_ERROR_ARGUMENT;
    text = text ? text : "";
    td_diagnostics *list = diagnostics;
    if (!list)
        td_diagnostics_new(1, &list);
    const fenv_t caller = td_environment_begin();
    td_status status =
        list ? read_text(text, size, name, is_file, &ours, list, builder) : TD_ERROR_MEMORY;
    if (list)
        status = read_beside(*builder, &ours, list, status);
    td_environment_end(&caller);
    if (!diagnostics)
        td_diagnostics_free(list);
    if (status != TD_OK && status != TD_ERROR_MODEL) {
        td_builder_free(*builder);
        *builder = NULL;
    }
    return status;
}

td_status td_parse_urdf_memory(const char *text, size_t size, const char *name,
                               const td_load_options *options, td_diagnostics *diagnostics,
                               td_builder **builder)
{
    if (!builder)
        return TD_ERROR_ARGUMENT;
    *builder = NULL;
    td_status status = parse(text, size, name, false, options, diagnostics, builder);
    if (status != TD_OK) {
        td_builder_free(*builder);
        *builder = NULL;
    }
    return status;
}

td_status td_parse_submechanisms_memory(td_builder *builder, const char *text, size_t size,
                                        const char *name, const td_load_options *options,
                                        td_diagnostics *diagnostics)
{
    td_load_options ours;
    if (!builder || (!text && size > 0) || !td_options_read(options, &ours))
        return TD_ERROR_ARGUMENT;
    text = text ? text : "";
    td_diagnostics *list = diagnostics;
    if (!list)
        td_diagnostics_new(1, &list);
    const fenv_t caller = td_environment_begin();
    td_status status =
        list ? td_submechanisms_read(builder, text, size, name, &ours, list) : TD_ERROR_MEMORY;
    td_environment_end(&caller);
    if (!diagnostics)
        td_diagnostics_free(list);
    return status;
}

/* Does the same as td_load_urdf_memory. is_file: name is a path. */
static td_status load_text(const char *text, size_t size, const char *name, bool is_file,
                           const td_load_options *options, td_diagnostics *diagnostics,
                           td_model **model)
{
    td_builder *builder = NULL;
    td_status status = parse(text, size, name, is_file, options, diagnostics, &builder);
    if (builder) {
        td_status finish = td_builder_finish(builder, options, diagnostics, model);
        if (status == TD_OK || finish == TD_ERROR_MEMORY)
            status = finish;
    }
    if (status != TD_OK) {
        td_model_free(*model);
        *model = NULL;
    }
    td_builder_free(builder);
    return status;
}

td_status td_load_urdf_memory(const char *text, size_t size, const char *name,
                              const td_load_options *options, td_diagnostics *diagnostics,
                              td_model **model)
{
    if (!model)
        return TD_ERROR_ARGUMENT;
    *model = NULL;
    return load_text(text, size, name, false, options, diagnostics, model);
}

/* ---- files ----------------------------------------------------------------------------------- */

td_status td_load_urdf(const char *path, const td_load_options *options,
                       td_diagnostics *diagnostics, td_model **model)
{
    if (!path || !model)
        return TD_ERROR_ARGUMENT;
    *model = NULL;
    td_load_options ours;
    if (!td_options_read(options, &ours))
        return TD_ERROR_ARGUMENT;
    char *bundled = NULL;
    td_status status = td_is_bundled(path) ? td_bundled_find(path, diagnostics, &bundled) : TD_OK;
    if (status != TD_OK)
        return status;
    td_file file;
    status = td_file_read(bundled ? bundled : path, ours.max_bytes, diagnostics, &file);
    if (status == TD_OK)
        status = load_text(file.text, file.size, file.name, strcmp(path, "-") != 0, options,
                           diagnostics, model);
    free(file.text);
    free(bundled);
    return status;
}
