/* SPDX-License-Identifier: MIT */
/*
 * Parser: <gazebo>. A joint in it follows the Simulation Description Format (SDFormat 1.7 and
 * later, to which Gazebo converts a URDF). It closes a loop, because in URDF a link has only one
 * parent joint. Its frame is <pose>, relative to the child link by default, with all joints at
 * zero. The axes are expressed in the joint's frame by default, and their default is 0 0 1. The
 * first axis is fixed to the parent, the second axis of a universal joint to the child.
 */
#include <math.h>
#include <string.h>

#include "base/frame.h"
#include "reader.h"

typedef struct scope {
    td_reader *reader;
    const td_xml_element *joint;
    td_places *places;
} scope;

/* Reports a joint that is ignored. what: the reason, such as "has no parent". */
static void leave_out(const scope *s, const td_xml_element *element, const char *remedy,
                      const char *what)
{
    TD_REPORT(s->reader, TD_CODE_LOOP_JOINT, element, remedy, "%s %s; it is left out",
              td_reader_title(s->reader, s->joint), what);
}

static const td_xml_element *only(const scope *s, const td_xml_element *element, const char *name)
{
    return td_reader_only(s->reader, element, name, TD_DYNAMIC);
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Finds the named frame in root coordinates with all joints at zero. The name is the model's, a
   link's, or a joint's, whose frame is its child's. */
static bool frame_of(scope *s, const char *name, td_frame3 *frame)
{
    *frame = (td_frame3)TD_FRAME3_IDENTITY;
    if (strcmp(name, "__model__") == 0)
        return true;
    int joint = td_names_find(&s->places->joints, name);
    const char *link = td_names_find(&s->places->links, name) >= 0 ? name
                       : joint >= 0 ? s->reader->builder->records.joint.at[joint].child
                                    : NULL;
    return link && td_zero_frame(&s->places->zero, link, frame) != NULL;
}

/* Reads x y z roll pitch yaw, or a quaternion x y z w instead of the angles. */
static bool read_pose(scope *s, const td_xml_element *element, td_pose *pose)
{
    const char *format = td_xml_attribute_value(element, "rotation_format");
    const char *degrees = td_xml_attribute_value(element, "degrees");
    bool quaternion = format && strcmp(format, "quat_xyzw") == 0;
    double x[7], unit = degrees && td_reader_truth(degrees) == TD_TRUE ? 0.017453292519943295 : 1;
    td_reader_check_text(s->reader, element, "relative_to frame degrees rotation_format");
    if (!*element->text)
        return true;
    if (td_reader_text(s->reader, element, TD_DYNAMIC, x, quaternion ? 7 : 6) != TD_READ)
        return false;
    memcpy(pose->position, x, sizeof pose->position);
    if (!quaternion)
        td_rotation_from_rpy(unit * x[3], unit * x[4], unit * x[5], pose->rotation);
    else if (!td_rotation_from_quaternion(x + 3, pose->rotation)) {
        leave_out(s, element, "write 0 0 0 1 for no rotation", "has a quaternion of length 0");
        return false;
    }
    return true;
}

/* Computes the joint's frame in root coordinates. Reports an unknown frame and returns false. */
static bool read_frame(scope *s, const char *child, td_frame3 *frame)
{
    const td_xml_element *element = only(s, s->joint, "pose");
    const char *relative = element ? td_xml_attribute_value(element, "relative_to") : NULL;
    if (element && !relative)
        relative = td_xml_attribute_value(element, "frame"); /* before SDFormat 1.7 */
    td_pose pose = TD_POSE_IDENTITY;
    td_frame3 base;
    if (element && !read_pose(s, element, &pose))
        return false;
    if (!frame_of(s, relative && *relative ? relative : child, &base)) {
        leave_out(s, element ? element : s->joint, "give the pose relative to a link",
                  "has a pose in an unknown frame");
        return false;
    }
    *frame = td_frame3_compose(base, td_frame3_from(&pose));
    return true;
}

/* Returns the pose of a frame relative to an existing link. */
static td_pose pose_in(scope *s, const char *link, td_frame3 frame)
{
    td_frame3 of_link;
    td_pose pose = TD_POSE_IDENTITY;
    td_zero_frame(&s->places->zero, link, &of_link);
    td_mat3 inverse = td_mat3_transpose(of_link.rotation);
    td_mat3 rotation = td_mat3_mul(inverse, frame.rotation);
    td_vec3 p = td_mat3_apply(inverse, frame.position),
            q = td_mat3_apply(inverse, of_link.position);
    const double position[3] = {p.x - q.x, p.y - q.y, p.z - q.z};
    memcpy(pose.position, position, sizeof position);
    memcpy(pose.rotation, &rotation, sizeof pose.rotation);
    return pose;
}

/* ---- axes ------------------------------------------------------------------------------------ */

/* Reads the direction of <axis> or <axis2> in the joint's frame. */
static bool read_direction(scope *s, const td_xml_element *axis, td_frame3 frame, double values[3])
{
    static const double along_z[3] = {0, 0, 1};
    const td_xml_element *xyz = axis ? only(s, axis, "xyz") : NULL;
    const td_xml_element *old = axis ? only(s, axis, "use_parent_model_frame") : NULL;
    const char *in = xyz ? td_xml_attribute_value(xyz, "expressed_in") : NULL;
    memcpy(values, along_z, sizeof along_z);
    if (!xyz)
        return true;
    if (old && td_reader_truth(old->text) == TD_TRUE)
        in = "__model__"; /* before SDFormat 1.7 */
    td_reader_check_text(s->reader, xyz, "expressed_in");
    if (td_reader_text(s->reader, xyz, TD_DYNAMIC, values, 3) != TD_READ)
        return false;
    const char *own = td_xml_attribute_value(s->joint, "name");
    if (!in || !*in || (own && strcmp(in, own) == 0))
        return true;
    td_frame3 other;
    if (!frame_of(s, in, &other)) {
        leave_out(s, xyz, "remove expressed_in, and give the axis in the joint's frame",
                  "has an axis in an unknown frame");
        return false;
    }
    td_vec3 v = td_mat3_apply(td_mat3_transpose(frame.rotation),
                              td_mat3_apply(other.rotation, td_vec3_from(values)));
    const double turned[3] = {v.x, v.y, v.z};
    memcpy(values, turned, sizeof turned);
    return true;
}

static void read_number(scope *s, const td_xml_element *element, const char *name, double *value)
{
    const td_xml_element *child = only(s, element, name);
    if (child)
        td_reader_text(s->reader, child, TD_DYNAMIC, value, 1);
}

/* Reads damping, friction and spring, which act along the coordinate of a revolute or prismatic
   joint. */
static void read_dynamics(scope *s, const td_xml_element *axis, td_loop *loop)
{
    const td_xml_element *dynamics = axis ? only(s, axis, "dynamics") : NULL;
    td_loop read = *loop;
    if (!dynamics)
        return;
    td_reader_check(s->reader, dynamics, "", "damping friction spring_stiffness spring_reference");
    read_number(s, dynamics, "damping", &read.damping);
    read_number(s, dynamics, "friction", &read.friction);
    read_number(s, dynamics, "spring_stiffness", &read.spring_stiffness);
    read_number(s, dynamics, "spring_reference", &read.spring_reference);
    if (loop->type == TD_LOOP_REVOLUTE || loop->type == TD_LOOP_PRISMATIC)
        *loop = read;
    else if (read.damping != 0 || read.friction != 0 || read.spring_stiffness != 0)
        td_reader_omit(s->reader, dynamics,
                       "loops with several axes have no damping, friction or springs",
                       "remove it if it is small");
}

static bool read_axes(scope *s, td_frame3 frame, td_loop *loop)
{
    const td_xml_element *axis = only(s, s->joint, "axis"), *second = only(s, s->joint, "axis2");
    if (axis)
        td_reader_check(s->reader, axis, "", "xyz dynamics limit use_parent_model_frame");
    if (second)
        td_reader_check(s->reader, second, "", "xyz dynamics limit use_parent_model_frame");
    if (!read_direction(s, axis, frame, loop->axis) ||
        !read_direction(s, second, frame, loop->second_axis))
        return false;
    read_dynamics(s, axis, loop);
    read_dynamics(s, second, loop);
    return true;
}

/* ---- <joint> --------------------------------------------------------------------------------- */

/* Reads a type of SDFormat that loops have, too. */
static bool read_type(scope *s, td_loop_type *type)
{
    static const char *const words[] = {"revolute",  "continuous", "prismatic",
                                        "universal", "ball",       "fixed"};
    const char *word = td_xml_attribute_value(s->joint, "type");
    for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return td_loop_type_of_word(word, type);
    leave_out(s, s->joint, "the types are revolute, continuous, prismatic, universal, ball, fixed",
              word ? td_reader_print(s->reader, "has the type '%.*s', which is not supported",
                                     td_shown(word), word)
                   : "has no type");
    return false;
}

/* Returns the link in <parent> or <child>. Without a link "world", that name means the fixed root.
   Reports a missing link and returns NULL. */
static const char *read_link(scope *s, const char *name, const char *world)
{
    const td_xml_element *element = only(s, s->joint, name);
    const char *link = element ? element->text : "";
    if (td_names_find(&s->places->links, link) >= 0)
        return link;
    if (strcmp(link, "world") == 0 && world)
        return world;
    leave_out(s, element ? element : s->joint, "name a link of the robot",
              *link ? td_reader_print(s->reader, "has the %s link '%.*s', which does not exist",
                                      name, td_shown(link), link)
                    : td_reader_print(s->reader, "has no %s link", name));
    return NULL;
}

/* Returns the root that represents the world, or NULL if the robot has a floating base. */
static const char *root_of(scope *s)
{
    const td_records *records = &s->reader->builder->records;
    td_frame3 frame;
    const char *root = records->link.count > 0
                           ? td_zero_frame(&s->places->zero, records->link.at[0].name, &frame)
                           : NULL;
    bool world = root && strcmp(root, "world") == 0; /* the link world exists even if it is not
                                                        declared */
    return world || !s->reader->floating ? root : NULL;
}

static void read_joint(scope *s)
{
    td_loop loop = td_loop_default(td_reader_name(s->reader, s->joint), NULL, NULL);
    td_frame3 frame;
    const char *world = root_of(s);
    td_reader_check(s->reader, s->joint, "name type",
                    "parent child pose axis axis2 physics sensor gearbox_ratio "
                    "gearbox_reference_body thread_pitch");
    loop.source = td_reader_source(s->reader, s->joint);
    loop.predecessor = read_link(s, "parent", world);
    loop.successor = read_link(s, "child", world);
    if (!loop.predecessor || !loop.successor || !read_type(s, &loop.type) ||
        !read_frame(s, loop.successor, &frame) || !read_axes(s, frame, &loop))
        return;
    loop.predecessor_origin = pose_in(s, loop.predecessor, frame);
    loop.successor_origin = pose_in(s, loop.successor, frame);
    if (strcmp(loop.predecessor, loop.successor) != 0) /* otherwise the joint fixes the root to
                                                          itself */
        td_reader_add(s->reader, td_builder_add_loop(s->reader->builder, &loop));
}

/* ---- the rest of <gazebo> -------------------------------------------------------------------- */

/* Returns whether an element turns gravity off for a link. By Gazebo's rule, each text except a
   word for false means true. */
static bool turns_gravity_off(const td_xml_element *element)
{
    bool off = strcmp(element->name, "turnGravityOff") == 0;
    bool gravity = strcmp(element->name, "gravity") == 0;
    const char *value = td_xml_attribute_value(element, "value");
    const td_truth truth = td_reader_truth(value ? value : element->text);
    return (off && truth != TD_FALSE) || (gravity && *element->text && truth != TD_TRUE);
}

static bool is_zero(const td_xml_element *element)
{
    double value = 1;
    size_t found;
    return td_number_read(element->text, &value, 1, &found) == TD_NUMBER_OK && value == 0;
}

/* Returns whether a child of <gazebo> affects the motion of the robot. Reads it, or reports it as
   missing. */
static bool bears(scope *s, const td_xml_element *element, bool reference)
{
    td_reader *reader = s->reader;
    if (!reference && strcmp(element->name, "joint") == 0) {
        s->joint = element;
        read_joint(s);
        return true;
    }
    if (strcmp(element->name, "plugin") == 0)
        return td_reader_plugin(s->places, element);
    if (turns_gravity_off(element)) {
        td_reader_omit(reader, element, "gravity acts on links for which Gazebo turns it off",
                       "set gravity to 0,0,0 if it is off for all links");
        return true;
    }
    if (reference && is_zero(element))
        return false;
    return td_reader_is_omission(reader, element, reference ? TD_AT_REFERENCE : TD_IN_GAZEBO);
}

static void read_gazebo(scope *s, const td_xml_element *element)
{
    const char *reference = td_xml_attribute_value(element, "reference");
    bool read = false;
    for (const td_xml_element *child = element->first; child; child = child->next)
        read = bears(s, child, reference && *reference) || read;
    if (!read)
        td_reader_unknown(s->reader, element, NULL);
}

void td_reader_gazebo(td_places *places, const td_xml_element *robot)
{
    scope s = {.reader = places->reader, .places = places};
    const td_xml_element *element = td_xml_child(robot, "gazebo");
    for (; element; element = td_xml_next(element))
        read_gazebo(&s, element);
}
