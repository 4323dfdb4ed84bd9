/* SPDX-License-Identifier: MIT */
/*
 * Parser: <plugin> in <gazebo>. DetachableJoint of Gazebo and AttachLinks of gz_attach_links weld a
 * child link to a parent link where the robot starts, which closes a loop if both are links of this
 * robot. The file does not say where it starts. If the two frames coincide with all joints at zero,
 * the pose of the weld does not depend on that. Other plugins that join links, couple joints or
 * apply forces are reported.
 */
#include <math.h>
#include <string.h>

#include "load/build.h"
#include "reader.h"

/* Returns whether the name of a plugin, or of its library, contains one of two words. */
static bool is_named(const td_xml_element *plugin, const char *name, const char *library)
{
    const char *own = td_xml_attribute_value(plugin, "name");
    const char *file = td_xml_attribute_value(plugin, "filename");
    return (own && strstr(own, name)) || (file && strstr(file, library));
}

static const char *title_of(td_reader *reader, const td_xml_element *plugin)
{
    const char *name = td_xml_attribute_value(plugin, "name");
    const char *file = td_xml_attribute_value(plugin, "filename");
    const char *shown = name && *name ? name : file ? file : "";
    return td_reader_print(reader, "plugin '%.*s'", td_shown(shown), shown);
}

/* ---- welds ----------------------------------------------------------------------------------- */

/* Returns the text of a child without the models before it (MODEL::LINK), or NULL. */
static const char *link_in(const td_xml_element *child)
{
    const char *text = child ? child->text : "";
    for (const char *scope = strstr(text, "::"); scope; scope = strstr(text, "::"))
        text = scope + 2;
    return *text ? text : NULL;
}

/* Returns whether a frame on one link coincides with the other link's, to the precision of files:
   1 mm and 1 mrad. */
static bool coincides(const td_pose *pose)
{
    const double *p = pose->position, *R = pose->rotation;
    return hypot(hypot(p[0], p[1]), p[2]) <= 1e-3 && R[0] + R[4] + R[8] >= 3 - 1e-6;
}

/* Returns why a plugin may not weld two links of this robot when it starts, or NULL. */
static const char *why_not_welded(td_reader *reader, const td_xml_element *plugin)
{
    const td_xml_element *attach = td_xml_child(plugin, "initial_attach");
    const td_xml_element *other = td_xml_child(plugin, "child_model");
    const char *own = td_xml_attribute_value(plugin->parent->parent, "name");
    if (attach && td_reader_truth(attach->text) == TD_FALSE)
        return "the links are detached at the start (<initial_attach>)";
    if (other && *other->text && strcmp(other->text, "__model__") != 0 &&
        !(own && strcmp(other->text, own) == 0))
        return td_reader_print(reader, "its <child_model> '%.*s' is not this robot",
                               td_shown(other->text), other->text);
    return NULL;
}

/* Warns that a weld can be opened during a simulation. */
static void report_topic(td_reader *reader, const td_xml_element *plugin, const char *what)
{
    const td_xml_element *topic = td_xml_child(plugin, "detach_topic");
    topic = topic ? topic : td_xml_child(plugin, "topic");
    if (topic)
        TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, topic,
                  "load the robot with --open-loops to compute it detached",
                  "%s until a message on '%.*s' detaches it; the model is always attached", what,
                  td_shown(topic->text), topic->text);
}

/* Reads a weld between two links of the robot as a loop. */
static void read_weld(td_places *places, const td_xml_element *plugin, td_loop *loop,
                      const char *what)
{
    td_reader *reader = places->reader;
    const td_pose identity = TD_POSE_IDENTITY;
    td_pose pose = TD_POSE_IDENTITY;
    const char *doubt = why_not_welded(reader, plugin);
    const bool found =
        td_zero_between(&places->zero, loop->successor, &identity, loop->predecessor, &pose);
    const bool apart = found && !coincides(&pose);
    if (!found)
        doubt = doubt ? doubt : "their poses with all joints at zero are unknown";
    if (found && !apart)
        loop->predecessor_origin = pose;
    if (doubt) { /* the option says nothing about these */
        char text[TD_LOOP_TEXT];
        TD_REPORT(
            reader, TD_CODE_DYNAMICS_OMITTED, plugin,
            td_reader_print(reader, "if they close a loop, write %s", td_loop_element(loop, text)),
            "%s, which is not read: %s", what, doubt);
        return;
    }
    if (apart) {
        char text[TD_LOOP_TEXT];
        td_loop at_zero = *loop;
        at_zero.predecessor_origin = pose;
        doubt = td_reader_print(reader,
                                "their frames do not coincide with all joints at zero, and the "
                                "file does not say where the robot starts; from zero, the weld is "
                                "%s",
                                td_loop_element(&at_zero, text));
    }
    td_reader_implied_loop(reader, plugin, loop, what, doubt);
    if (!doubt || reader->closing)
        report_topic(reader, plugin, what);
}

/* Reads or reports a plugin that welds links, with the names of the children that name them. */
static void weld(td_places *places, const td_xml_element *plugin, const char *parent_name,
                 const char *child_name)
{
    td_reader *reader = places->reader;
    const char *parent = link_in(td_xml_child(plugin, parent_name));
    const char *child = link_in(td_xml_child(plugin, child_name));
    const char *title = title_of(reader, plugin);
    if (!parent || !child) {
        TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, plugin,
                  td_reader_print(reader, "add <%s>LINK</%s>", parent ? child_name : parent_name,
                                  parent ? child_name : parent_name),
                  "%s welds links, but has no <%s>; it is not read", title,
                  parent ? child_name : parent_name);
        return;
    }
    const char *what = td_reader_print(reader, "%s welds link '%.*s' to link '%.*s'", title,
                                       td_shown(child), child, td_shown(parent), parent);
    const bool both =
        td_names_find(&places->links, parent) >= 0 && td_names_find(&places->links, child) >= 0;
    if (!both) {
        const char *missing = td_names_find(&places->links, parent) >= 0 ? child : parent;
        TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, plugin,
                  "add the attached bodies as payloads, or as <link> and <joint> of the robot",
                  "%s, which is not read: the robot has no link '%.*s'", what, td_shown(missing),
                  missing);
        return;
    }
    const char *name = td_reader_print(reader, "%s-%s", parent, child);
    td_loop loop = td_loop_default(name, parent, child);
    loop.type = TD_LOOP_FIXED;
    loop.source = td_reader_source(reader, plugin);
    if (strcmp(parent, child) != 0 && !td_reader_is_closed(places, plugin, what, parent, child))
        read_weld(places, plugin, &loop, what);
}

/* ---- other plugins --------------------------------------------------------------------------- */

/* Returns the link of the robot that a child named after a word names, or NULL. */
static const char *link_like(const td_places *places, const td_xml_element *plugin,
                             const char *word)
{
    for (const td_xml_element *child = plugin->first; child; child = child->next) {
        const char *link = strstr(child->name, word) ? link_in(child) : NULL;
        if (link && td_names_find(&places->links, link) >= 0)
            return link;
    }
    return NULL;
}

/* Reports a plugin that names a parent link and a child link, between which it may add a joint.
   Returns false for other plugins. */
static bool joins_links(td_places *places, const td_xml_element *plugin)
{
    td_reader *reader = places->reader;
    const td_pose identity = TD_POSE_IDENTITY;
    char text[TD_LOOP_TEXT];
    const char *parent = link_like(places, plugin, "parent");
    const char *child = link_like(places, plugin, "child");
    if (!parent || !child || strcmp(parent, child) == 0)
        return false;
    const char *what =
        td_reader_print(reader, "%s names parent link '%.*s' and child link '%.*s'",
                        title_of(reader, plugin), td_shown(parent), parent, td_shown(child), child);
    if (td_reader_is_closed(places, plugin, what, parent, child))
        return true;
    const td_xml_element *joint = td_xml_child(plugin, "joint");
    td_loop loop = td_loop_default(joint && *joint->text ? joint->text : child, parent, child);
    td_zero_between(&places->zero, child, &identity, parent, &loop.predecessor_origin);
    TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, plugin,
              td_reader_print(reader,
                              "if it adds a joint between them, write it with its type, frames and "
                              "axis, such as %s",
                              td_loop_element(&loop, text)),
              "%s, and is not read", what);
    return true;
}

/* Returns whether a plugin makes joints follow others and one of them has no <mimic>. */
static bool leads_joints(const td_places *places, const td_xml_element *plugin)
{
    const td_records *records = &places->reader->builder->records;
    const td_xml_element *follower = td_xml_child(plugin, "mimicJoint");
    for (; follower; follower = td_xml_next(follower)) {
        int joint = td_names_find(&places->joints, follower->text);
        if (joint >= 0 && !records->joint.at[joint].mimic &&
            td_names_find(&places->followers, follower->text) < 0)
            return true;
    }
    return false;
}

/* Returns whether a plugin's library is known to apply forces to links. */
static bool pushes_links(const td_xml_element *plugin)
{
    static const char *const words[] = {"buoyancy", "hydrodynamics", "lift_drag",
                                        "LiftDrag", "wind_plugin",   "WindPlugin"};
    const char *file = td_xml_attribute_value(plugin, "filename");
    for (size_t i = 0; file && i < sizeof words / sizeof *words; i++)
        if (strstr(file, words[i]))
            return true;
    return false;
}

bool td_reader_plugin(td_places *places, const td_xml_element *plugin)
{
    td_reader *reader = places->reader;
    if (is_named(plugin, "DetachableJoint", "detachable-joint"))
        weld(places, plugin, "parent_link", "child_link");
    else if (is_named(plugin, "AttachLinks", "attach-links"))
        weld(places, plugin, "parent", "child");
    else if (leads_joints(places, plugin))
        td_reader_omit(reader, plugin, "the joints that it moves are independent",
                       "write <mimic> in the joints that follow");
    else if (pushes_links(plugin))
        td_reader_omit(reader, plugin, "its forces are missing",
                       "add them to the calls as external wrenches");
    else
        return joins_links(places, plugin);
    return true;
}
