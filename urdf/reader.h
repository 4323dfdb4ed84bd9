/* SPDX-License-Identifier: MIT */
/*
 * The parser walks over the tree of a document and passes its elements to a builder as records. A
 * fault that would change a torque is an error. Any other fault is a warning, and the element is
 * ignored. Reading continues after an error, so that all errors of a file are reported at once. A
 * record with an error is added with a default value, so that records that refer to it cause no
 * further errors. No model is made then.
 *
 *   reader.c                entry points, <robot>
 *   reader_report.c         text, positions, titles
 *   reader_check.c          items of an element: unknown, misspelt and repeated ones
 *   reader_value.c          attributes: numbers, vectors, origins
 *   reader_link.c           <link>, <inertial>
 *   reader_flexible.c       <flexible>
 *   reader_geometry.c       <visual>, <collision>, <material>
 *   reader_joint.c          <joint> and its children
 *   reader_transmission.c   <transmission>
 *   reader_ros2_control.c   <ros2_control>
 *   reader_loop.c           <loop>, <coupling>, <loop_joint>
 *   reader_drake.c          constraints and springs of Drake
 *   reader_gazebo.c         <gazebo>, whose joints close loops
 *   reader_plugin.c         <plugin> in <gazebo>, which may close loops, too
 *   reader_closing.c        loops stated by conventions of other programs
 *   reader_omission.c       elements that affect the motion and are not read
 *   xacro.h                 expansion of xacro files
 */
#ifndef TD_READER_H
#define TD_READER_H

#include "base/names.h"
#include "base/printf_like.h"
#include "number.h"
#include "vocabulary.h"
#include "xml.h"
#include "zero_frame.h"

/* The effect of a value, which determines the severity of a fault in it. */
typedef enum td_importance {
    TD_DYNAMIC,      /* affects torques: a fault is an error */
    TD_COSMETIC,     /* affects no torque: a fault is a warning, and the value is ignored */
    TD_VISUAL,       /* affects no motion either: the same, but a repetition is only a note */
    TD_TRANSMISSION, /* affects no motion; a repetition in a transmission is only a note */
} td_importance;

typedef enum td_presence { TD_ABSENT, TD_READ, TD_BAD } td_presence;

/* A kind of element or attribute that URDF does not have, reported once with a count. */
typedef struct td_unknown {
    const td_xml_element *first;
    const char *attribute; /* NULL for an element */
    size_t count;
} td_unknown;

typedef struct td_material {
    const char *name;
    double rgba[4];
} td_material;

/* The parent of an element: <robot>, <gazebo>, or <gazebo reference="...">. */
typedef enum td_omission_place { TD_IN_ROBOT, TD_IN_GAZEBO, TD_AT_REFERENCE } td_omission_place;

/* A kind of element that adds forces, links or constraints and is not read. */
typedef struct td_omission {
    const td_xml_element *first;
    const char *missing, *remedy;
    size_t count;
} td_omission;

enum { td_most_unknown = 100, td_most_omissions = 40 };

typedef struct td_reader {
    td_xml *xml;
    td_builder *builder;
    td_diagnostics *diagnostics;
    const char *file;
    const char *expanded; /* name of the text that xacro made of the file, or NULL */
    td_status status;     /* the first failure that is not the file's fault */
    size_t errors;        /* reported */
    bool floating;        /* the robot is loaded with a floating base */
    bool infinite_limits; /* URDF 1.2: inf in a limit means none */
    bool closing;         /* the option closing_frames gives a type: */
    td_loop_type closing_type;
    td_material *material; /* materials with a color */
    size_t material_count;
    td_names material_names;
    struct td_named_frame *frame; /* <frame>s of the robot, listed at the first search */
    td_names frame_names;
    td_unknown unknown[td_most_unknown];
    size_t unknown_count, unknown_rest;
    const td_xml_element *no_axis; /* the first moving joint without <axis> */
    size_t no_axis_count;
    td_omission omission[td_most_omissions];
    size_t omission_count;
} td_reader;

/* Reports at an element; counts errors. */
#define TD_REPORT(reader, code, element, remedy, ...)                                              \
    ((reader)->errors += td_code_severity(code) == TD_SEVERITY_ERROR,                              \
     td_report((reader)->diagnostics, code, td_reader_source(reader, element), remedy,             \
               __VA_ARGS__))

/* ---- reader_report.c ------------------------------------------------------------------------- */

/* Returns the source of an element. Allocates its path in the arena of the document. */
td_source td_reader_source(td_reader *reader, const td_xml_element *element);

/* Formats a text into the arena. If memory is short, returns "" and sets the reader's status. */
const char *td_reader_print(td_reader *reader, const char *format, ...) TD_PRINTF_LIKE(2, 3);

/* Returns a title such as "joint 'elbow'" or "<limit> of joint 'elbow'", or "<joint>" for a joint
   without a name. */
const char *td_reader_title(td_reader *reader, const td_xml_element *element);

/* Keeps the first failure of the builder. */
void td_reader_add(td_reader *reader, td_status status);

/* ---- reader_check.c -------------------------------------------------------------------------- */

/* Reports unknown attributes and children of an element as notes, and misspelt or misplaced ones
   and text as warnings. attributes and children are lists of known names, separated by single
   blanks. */
void td_reader_check(td_reader *reader, const td_xml_element *element, const char *attributes,
                     const char *children);

/* Does the same as td_reader_check for an element whose content is text. */
void td_reader_check_text(td_reader *reader, const td_xml_element *element, const char *attributes);

/* Returns the first child with this name, or NULL. Reports further children that differ from it. */
const td_xml_element *td_reader_only(td_reader *reader, const td_xml_element *element,
                                     const char *name, td_importance importance);

/* td_reader_unknown records an element or attribute that is not read. td_reader_report_unknown
   reports all of them. */
void td_reader_unknown(td_reader *reader, const td_xml_element *element, const char *attribute);
void td_reader_report_unknown(td_reader *reader);

/* Returns the word most similar to text from a list separated by blanks, or NULL if none is
   similar. */
const char *td_reader_nearest(td_reader *reader, const char *text, const char *words);

/* ---- reader_omission.c ----------------------------------------------------------------------- */

/* Records that an element is not read, for a warning at the end. missing and remedy are constant
   strings: what the model lacks, and what to do. */
void td_reader_omit(td_reader *reader, const td_xml_element *element, const char *missing,
                    const char *remedy);
/* Returns whether an element belongs to a kind that is known to add forces, links or constraints.
   If so, records it for a warning. */
bool td_reader_is_omission(td_reader *reader, const td_xml_element *element,
                           td_omission_place place);
void td_reader_report_omissions(td_reader *reader);

/* ---- reader_value.c -------------------------------------------------------------------------- */

/* Returns a required string attribute. Reports a missing or empty one and returns NULL. */
const char *td_reader_string(td_reader *reader, const td_xml_element *element, const char *name,
                             td_code missing, const char *remedy);

/* Returns the name of a record to which nothing refers. Reports a missing name and returns a
   substitute with the line number. */
const char *td_reader_name(td_reader *reader, const td_xml_element *element);

/* Read exactly count numbers, or one, from an attribute. Values stay unchanged unless the result is
   TD_READ. */
td_presence td_reader_vector(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *values, size_t count);
td_presence td_reader_number(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *value);

/* Interprets words for true and false in upper or lower case: true, yes, 1; false, no, 0. */
typedef enum td_truth { TD_FALSE, TD_TRUE, TD_NEITHER } td_truth;
td_truth td_reader_truth(const char *text);
/* Reads such a word from an attribute. Another word is an error. A spelling other than true, false,
   1 or 0 is a warning. *value stays unchanged unless the result is TD_READ. */
td_presence td_reader_boolean(td_reader *reader, const td_xml_element *element, const char *name,
                              bool *value);

/* Does the same as td_reader_vector, but also reports a missing attribute. */
td_presence td_reader_required(td_reader *reader, const td_xml_element *element, const char *name,
                               td_importance importance, double *values, size_t count);

/* Reads exactly count numbers from an element's text. */
td_presence td_reader_text(td_reader *reader, const td_xml_element *element,
                           td_importance importance, double *values, size_t count);

/* Reads <origin>. If origin is NULL, the pose stays unchanged. Returns false if it is invalid. */
bool td_reader_origin(td_reader *reader, const td_xml_element *origin, td_importance importance,
                      td_pose *pose);

/* Reads xyz, rpy and quat_xyzw of an element that may have other attributes. */
bool td_reader_pose(td_reader *reader, const td_xml_element *element, td_importance importance,
                    td_pose *pose);

/* ---- elements -------------------------------------------------------------------------------- */

void td_reader_link(td_reader *reader, const td_xml_element *element);
void td_reader_joint(td_reader *reader, const td_xml_element *element);
/* Reads <mimic> of a joint. Changes the joint's record, or adds a follower record
   (reader_mimic.c). */
void td_reader_mimic(td_reader *reader, const td_xml_element *element, td_joint *joint);
/* Reports moving joints without <axis>. */
void td_reader_report_axes(td_reader *reader);
/* Reads <flexible> of the named link. A NULL link is reported. Returns false on errors. */
bool td_reader_flexible(td_reader *reader, const td_xml_element *element, const char *link);
void td_reader_transmission(td_reader *reader, const td_xml_element *element);
void td_reader_ros2_control(td_reader *reader, const td_xml_element *element);
void td_reader_loop(td_reader *reader, const td_xml_element *element);
void td_reader_coupling(td_reader *reader, const td_xml_element *element);
void td_reader_loop_joint(td_reader *reader, const td_xml_element *element);
/* Reads <dynamics> of an element that closes a loop. */
void td_reader_loop_dynamics(td_reader *reader, const td_xml_element *element, td_loop *loop);
void td_reader_constraint(td_reader *reader, const td_xml_element *element);

void td_reader_ball_constraint(td_reader *reader, const td_xml_element *element);
void td_reader_distance_constraint(td_reader *reader, const td_xml_element *element);
void td_reader_spring_damper(td_reader *reader, const td_xml_element *element);
void td_reader_bushing(td_reader *reader, const td_xml_element *element);

/* Return a <frame> of the robot by its name, or NULL; and the link that a frame is on, after
   setting its pose there (reader_drake.c). */
const td_xml_element *td_reader_frame(td_reader *reader, const td_xml_element *robot,
                                      const char *name);
const char *td_reader_frame_link(td_reader *reader, const td_xml_element *frame, td_pose *pose);

/* Links and joints of the robot by name, loops by their links, and frames with all joints at zero:
   what elements outside of links and joints refer to. */
typedef struct td_places {
    td_reader *reader;
    td_zero zero;
    td_names links, joints, followers, loops;
} td_places;

/* Reads all <gazebo> elements of a robot, after its links and joints. */
void td_reader_gazebo(td_places *places, const td_xml_element *robot);
/* Reads or reports a plugin in <gazebo>. Returns false if it does not affect the motion. */
bool td_reader_plugin(td_places *places, const td_xml_element *plugin);

/* ---- reader_closing.c ------------------------------------------------------------------------ */

/* Sets the type from the option closing_frames, which may be NULL. Reports another word. */
void td_reader_closing_type(td_reader *reader, const char *word);
/* Adds a loop that a convention implies and reports it as a note. what: who connects which links.
   If doubt is not NULL, it says what the file lacks: without the option closing_frames, the loop is
   then not added but reported, with the element to write. */
void td_reader_implied_loop(td_reader *reader, const td_xml_element *element, const td_loop *loop,
                            const char *what, const char *doubt);
/* Lists the loops that the file has so far. Returns false if memory is short. */
bool td_reader_list_loops(td_places *places);
/* Returns whether such a loop connects two links, or links that fixed joints attach them to, and
   reports it as a note. */
bool td_reader_is_closed(const td_places *places, const td_xml_element *element, const char *what,
                         const char *link, const char *other);
/* Reads or reports frames closing_X_1 and closing_X_2, and <drake:weld_constraint>. */
void td_reader_closing(const td_places *places, const td_xml_element *robot);

/* Returns whether an element may state a loop of these. */
bool td_reader_may_close(const td_xml_element *element);

/* Reads the joints of all <ros2_control> of a robot, after all loops (reader_ros2_control.c). */
void td_reader_controlled_joints(const td_places *places, const td_xml_element *robot);

/* Reads <axis> of a joint or loop. axis stays unchanged if it is invalid. */
void td_reader_axis(td_reader *reader, const td_xml_element *element, td_importance importance,
                    double axis[3]);

/* Collects the colors of all materials under <robot>, to which visuals refer by name. */
void td_reader_materials(td_reader *reader, const td_xml_element *robot);

/* Returns the visuals and collisions of a link, allocated in the arena. */
td_geometry *td_reader_geometry(td_reader *reader, const td_xml_element *link, size_t *count);

#endif
