/* SPDX-License-Identifier: MIT */
/*
 * Parser: loops that other programs state by convention, so that the file alone does not say all of
 * them. The option closing_frames says the rest; without it, a warning contains the element to
 * write.
 *
 * onshape-to-robot writes a mate named closing_X as two frames closing_X_1 and closing_X_2, which
 * are links with a fixed joint, or <frame>s. Of a revolute mate it also writes closing_X_1_z and
 * closing_X_2_z, 0.1 m along the axis. Drake's <drake:weld_constraint> is proposed in its issue
 * 18803, and no version of Drake reads it.
 */
#include <stddef.h>
#include <string.h>

#include "load/build.h"
#include "reader.h"

void td_reader_closing_type(td_reader *reader, const char *word)
{
    reader->closing = word != NULL;
    if (!word || (td_loop_type_of_word(word, &reader->closing_type) &&
                  reader->closing_type != TD_LOOP_UNIVERSAL &&
                  reader->closing_type != TD_LOOP_DISTANCE && reader->closing_type != TD_LOOP_MASK))
        return;
    reader->errors++;
    td_report(reader->diagnostics, TD_CODE_JOINT_TYPE, TD_NOWHERE,
              "use point, revolute, prismatic, cylindrical, planar or fixed",
              "closing_frames has the unknown type '%.*s'", td_shown(word), word);
}

/* ---- loops between links --------------------------------------------------------------------- */

typedef struct loop_key {
    const char *links; /* the two links, separated by a line break */
} loop_key;

static const char *key_of(td_reader *reader, const char *link, const char *other)
{
    return td_reader_print(reader, "%s\n%s", link, other);
}

bool td_reader_list_loops(td_places *places)
{
    td_reader *reader = places->reader;
    const td_records *records = &reader->builder->records;
    const size_t count = 2 * records->loop.count;
    loop_key *keys = TD_ARENA_NEW(&reader->xml->arena, loop_key, count);
    for (size_t i = 0; keys && i < records->loop.count; i++) {
        const td_loop *loop = &records->loop.at[i];
        keys[2 * i].links = key_of(reader, loop->predecessor, loop->successor);
        keys[2 * i + 1].links = key_of(reader, loop->successor, loop->predecessor);
    }
    return keys && td_names_build(&places->loops, &reader->xml->arena, keys, count,
                                  sizeof(loop_key), offsetof(loop_key, links));
}

static bool is_fixed(const td_joint *joint)
{
    return td_joint_kind_of(joint->type)->nq == 0;
}

/* Returns the link that a fixed joint attaches another one to, or else that link. */
static const char *carrier_of(const td_places *places, const char *link)
{
    const int joint = td_zero_joint_above(&places->zero, link);
    const td_joint *above = joint < 0 ? NULL : &places->reader->builder->records.joint.at[joint];
    return above && is_fixed(above) && above->parent ? above->parent : link;
}

bool td_reader_is_closed(const td_places *places, const td_xml_element *element, const char *what,
                         const char *link, const char *other)
{
    td_reader *reader = places->reader;
    const char *const one[] = {link, carrier_of(places, link)};
    const char *const two[] = {other, carrier_of(places, other)};
    for (int k = 0; k < 4; k++) {
        const int found = td_names_find(&places->loops, key_of(reader, one[k / 2], two[k % 2]));
        if (found < 0)
            continue;
        const char *name = reader->builder->records.loop.at[found / 2].name;
        TD_REPORT(reader, TD_CODE_LOOP_CONVENTION, element, NULL, "%s, and so does loop '%.*s'",
                  what, td_shown(name ? name : ""), name ? name : "");
        return true;
    }
    return false;
}

void td_reader_implied_loop(td_reader *reader, const td_xml_element *element, const td_loop *loop,
                            const char *what, const char *doubt)
{
    char text[TD_LOOP_TEXT];
    if (!doubt || reader->closing) {
        TD_REPORT(reader, TD_CODE_LOOP_CONVENTION, element, NULL, "%s: read as %s loop '%.*s'",
                  what, td_loop_type_text(loop->type), td_shown(loop->name), loop->name);
        td_reader_add(reader, td_builder_add_loop(reader->builder, loop));
        return;
    }
    TD_REPORT(reader, TD_CODE_DYNAMICS_OMITTED, element,
              td_reader_print(reader,
                              "set the option closing_frames (--closing-frames), or write %s",
                              td_loop_element(loop, text)),
              "%s, which is not read: %s", what, doubt);
}

/* ---- onshape-to-robot ------------------------------------------------------------------------ */

static const char prefix[] = "closing_";

bool td_reader_may_close(const td_xml_element *element)
{
    const char *name = td_xml_attribute_value(element, "name");
    return strcmp(element->name, "drake:weld_constraint") == 0 ||
           (name && strncmp(name, prefix, sizeof prefix - 1) == 0);
}

/* Returns whether a name is closing_X_1. Sets other to closing_X_2. */
static bool is_first(td_reader *reader, const char *name, const char **other)
{
    const size_t length = name ? strlen(name) : 0, start = sizeof prefix - 1;
    if (length < start + 3 || strncmp(name, prefix, start) != 0 ||
        strcmp(name + length - 2, "_1") != 0)
        return false;
    *other = td_reader_print(reader, "%.*s2", (int)length - 1, name);
    return true;
}

/* Finds a closing frame: a <frame>, or a link that a fixed joint attaches. Returns its link and
   sets its pose there, or returns NULL. */
static const char *find_frame(const td_places *places, const td_xml_element *robot,
                              const char *name, td_pose *pose)
{
    td_reader *reader = places->reader;
    *pose = (td_pose)TD_POSE_IDENTITY;
    const td_xml_element *frame = td_reader_frame(reader, robot, name);
    if (frame)
        return td_reader_frame_link(reader, frame, pose);
    const int joint = td_zero_joint_above(&places->zero, name);
    return joint >= 0 && is_fixed(&reader->builder->records.joint.at[joint]) &&
                   td_names_find(&places->links, name) >= 0
               ? name
               : NULL;
}

static void read_pair(const td_places *places, const td_xml_element *element, const char *first,
                      const char *second)
{
    static const double z[3] = {0, 0, 1};
    td_reader *reader = places->reader;
    const td_xml_element *robot = element->parent;
    const char *name = td_reader_print(reader, "%.*s", (int)strlen(first) - 2, first);
    td_loop loop = td_loop_default(name, NULL, NULL);
    td_pose unused;
    loop.source = td_reader_source(reader, element);
    loop.predecessor = find_frame(places, robot, first, &loop.predecessor_origin);
    loop.successor = find_frame(places, robot, second, &loop.successor_origin);
    if (!loop.predecessor || !loop.successor)
        return;
    const bool axis = find_frame(places, robot, td_reader_print(reader, "%s_z", first), &unused) &&
                      find_frame(places, robot, td_reader_print(reader, "%s_z", second), &unused);
    loop.type = axis              ? TD_LOOP_REVOLUTE
                : reader->closing ? reader->closing_type
                                  : TD_LOOP_SPHERICAL;
    memcpy(loop.axis, z, sizeof z);
    const char *what = td_reader_print(
        reader, "'%.*s' and '%.*s' close a loop by the convention of onshape-to-robot",
        td_shown(first), first, td_shown(second), second);
    if (!td_reader_is_closed(places, element, what, loop.predecessor, loop.successor))
        td_reader_implied_loop(reader, element, &loop, what,
                               axis ? "only their names say so"
                                    : "only their names say so, and its type is unknown");
}

/* ---- <drake:weld_constraint> ----------------------------------------------------------------- */

/* Returns the link of the frame that <parent> or <child> names, and the frame's pose there. */
static const char *read_frame(td_reader *reader, const td_xml_element *element, const char *name,
                              td_pose *pose)
{
    const td_xml_element *child = td_reader_only(reader, element, name, TD_DYNAMIC);
    const char *link = child ? td_xml_attribute_value(child, "link") : NULL;
    const char *text = link && *link ? link : child ? child->text : "";
    const td_xml_element *frame = td_reader_frame(reader, element->parent, text);
    return frame ? td_reader_frame_link(reader, frame, pose) : *text ? text : NULL;
}

static void read_weld(const td_places *places, const td_xml_element *element)
{
    td_reader *reader = places->reader;
    const char *name = td_reader_print(reader, "weld (line %d)", element->position.line);
    td_loop loop = td_loop_default(name, NULL, NULL);
    td_reader_check(reader, element, "name", "parent child");
    loop.type = TD_LOOP_FIXED;
    loop.source = td_reader_source(reader, element);
    loop.predecessor = read_frame(reader, element, "parent", &loop.predecessor_origin);
    loop.successor = read_frame(reader, element, "child", &loop.successor_origin);
    if (!loop.predecessor || !loop.successor) {
        td_reader_omit(reader, element,
                       "its constraint is missing, and the model moves more freely",
                       "write <loop type=\"fixed\"> between its two links");
        return;
    }
    const char *what = td_reader_print(
        reader, "<drake:weld_constraint> welds link '%.*s' to link '%.*s'",
        td_shown(loop.successor), loop.successor, td_shown(loop.predecessor), loop.predecessor);
    if (!td_reader_is_closed(places, element, what, loop.predecessor, loop.successor))
        td_reader_implied_loop(reader, element, &loop, what, "Drake has only proposed the element");
}

void td_reader_closing(const td_places *places, const td_xml_element *robot)
{
    for (const td_xml_element *e = robot->first; e; e = e->next) {
        const char *name = td_xml_attribute_value(e, "name"), *other;
        const bool frame = strcmp(e->name, "frame") == 0, link = strcmp(e->name, "link") == 0;
        if ((frame || link) && is_first(places->reader, name, &other))
            read_pair(places, e, name, other);
        if (strcmp(e->name, "drake:weld_constraint") == 0)
            read_weld(places, e);
    }
}
