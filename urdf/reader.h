/* SPDX-License-Identifier: MIT */
/*
 * Reader: walks over the tree of a document and passes its elements to a builder as records. A
 * fault that would change a torque is an error. Any other fault is a warning, and the element is
 * ignored. Reading continues after an error, so that all errors of a file are reported at once. A
 * record with an error is added with a default value, so that records that refer to it cause no
 * further errors. No model is made then.
 *
 *   reader.c                entry points, <robot>
 *   reader_report.c         text, places, titles
 *   reader_check.c          what may stand in an element: unknown, misspelt and repeated items
 *   reader_value.c          attributes: numbers, vectors, origins
 *   reader_link.c           <link>, <inertial>
 *   reader_flexible.c       <flexible>
 *   reader_geometry.c       <visual>, <collision>, <material>
 *   reader_joint.c          <joint> and its children
 *   reader_transmission.c   <transmission>
 *   reader_loop.c           <loop>, <coupling>, <loop_joint>
 *   reader_drake.c          constraints and springs of Drake
 *   reader_gazebo.c         <gazebo>, whose joints close loops
 *   reader_omission.c       elements that affect the motion and are not read
 *   reader_xacro.c          files that xacro has not expanded
 */
#ifndef TD_READER_H
#define TD_READER_H

#include "base/names.h"
#include "base/printf_like.h"
#include "number.h"
#include "vocabulary.h"
#include "xml.h"

/* What a value affects, which decides the severity of a fault in it. */
typedef enum td_importance {
    TD_DYNAMIC,      /* a torque depends on it: an error */
    TD_COSMETIC,     /* no torque does: a warning, ignored */
    TD_VISUAL,       /* neither does any motion: the same, but repeating it is only a note */
    TD_TRANSMISSION, /* no motion does; repeating it in a transmission is only a note */
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

/* Where an element stands: in <robot>, in <gazebo>, in <gazebo reference="...">. */
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
    td_status status;      /* the first failure that is not the file's fault */
    size_t errors;         /* reported */
    bool floating;         /* the robot is loaded with a floating base */
    bool infinite_limits;  /* URDF 1.2: inf in a limit means none */
    td_material *material; /* materials with a colour */
    size_t material_count;
    td_names material_names;
    struct td_named_frame
        *frame; /* <frame>s of the robot, from the first time that one is sought */
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

/* The element's place, with its path; in the arena of the document. */
td_source td_reader_source(td_reader *reader, const td_xml_element *element);

/* printf into the arena; "" without memory, and the reader's status says so. */
const char *td_reader_print(td_reader *reader, const char *format, ...) TD_PRINTF_LIKE(2, 3);

/* "joint 'elbow'", "<limit> of joint 'elbow'", or "<joint>" for one without a name. */
const char *td_reader_title(td_reader *reader, const td_xml_element *element);

/* Keeps the first failure of the builder. */
void td_reader_add(td_reader *reader, td_status status);

/* ---- reader_check.c -------------------------------------------------------------------------- */

/* Reports unknown attributes and children of an element as notes, and misspelt or misplaced ones
   and text as warnings. attributes and children are lists of known names, separated by single
   blanks. */
void td_reader_check(td_reader *reader, const td_xml_element *element, const char *attributes,
                     const char *children);

/* As td_reader_check, of an element whose content is text. */
void td_reader_check_text(td_reader *reader, const td_xml_element *element, const char *attributes);

/* The first child of that name, NULL for none; reports further ones that differ from it. */
const td_xml_element *td_reader_only(td_reader *reader, const td_xml_element *element,
                                     const char *name, td_importance importance);

/* Notes an element or attribute that is not read. */
void td_reader_unknown(td_reader *reader, const td_xml_element *element, const char *attribute);
void td_reader_report_unknown(td_reader *reader);

/* The word nearest to text in a list set apart by blanks; NULL where none is near. */
const char *td_reader_nearest(td_reader *reader, const char *text, const char *words);

/* ---- reader_omission.c ----------------------------------------------------------------------- */

/* Records that an element is not read, for a warning at the end. missing and remedy are constant
   strings: what the model lacks, and what to do. */
void td_reader_omit(td_reader *reader, const td_xml_element *element, const char *missing,
                    const char *remedy);
/* Returns whether an element is of a kind that is known to add forces, links or constraints; it is
   kept for a warning then. */
bool td_reader_is_omission(td_reader *reader, const td_xml_element *element,
                           td_omission_place place);
void td_reader_report_omissions(td_reader *reader);

/* ---- reader_xacro.c -------------------------------------------------------------------------- */

/* False, and a report, for a file that xacro has yet to expand. */
bool td_reader_is_expanded(td_reader *reader, const td_xml_element *robot);

/* ---- reader_value.c -------------------------------------------------------------------------- */

/* A string attribute; NULL and a report where it is missing or empty, as required. */
const char *td_reader_string(td_reader *reader, const td_xml_element *element, const char *name,
                             td_code missing, const char *remedy);

/* The name of a record that nothing refers to: where it is missing that is reported, and the line
   stands in for it. */
const char *td_reader_name(td_reader *reader, const td_xml_element *element);

/* Exactly count numbers; values stay as they are unless TD_READ. */
td_presence td_reader_vector(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *values, size_t count);
td_presence td_reader_number(td_reader *reader, const td_xml_element *element, const char *name,
                             td_importance importance, double *value);

/* The one reading of words that are true or false, in any case: true, yes, 1; false, no, 0. */
typedef enum td_truth { TD_FALSE, TD_TRUE, TD_NEITHER } td_truth;
td_truth td_reader_truth(const char *text);
/* Of an attribute; another word is an error, and another spelling than true or false, and 1 or 0, a
   warning. *value stays as it is unless TD_READ. */
td_presence td_reader_boolean(td_reader *reader, const td_xml_element *element, const char *name,
                              bool *value);

/* As they, but a missing attribute is reported too. */
td_presence td_reader_required(td_reader *reader, const td_xml_element *element, const char *name,
                               td_importance importance, double *values, size_t count);

/* Exactly count numbers that are an element's text. */
td_presence td_reader_text(td_reader *reader, const td_xml_element *element,
                           td_importance importance, double *values, size_t count);

/* <origin>, which may be NULL: the pose stays as it is then. False if it is bad. */
bool td_reader_origin(td_reader *reader, const td_xml_element *origin, td_importance importance,
                      td_pose *pose);

/* xyz, rpy and quat_xyzw of an element that may have other attributes beside them. */
bool td_reader_pose(td_reader *reader, const td_xml_element *element, td_importance importance,
                    td_pose *pose);

/* ---- elements -------------------------------------------------------------------------------- */

void td_reader_link(td_reader *reader, const td_xml_element *element);
void td_reader_joint(td_reader *reader, const td_xml_element *element);
/* <mimic> of a joint, whose record it changes, or a record of its own (reader_mimic.c). */
void td_reader_mimic(td_reader *reader, const td_xml_element *element, td_joint *joint);
/* Notes that moving joints had no <axis>. */
void td_reader_report_axes(td_reader *reader);
/* Reads <flexible> of the named link. A NULL link is reported. Returns false on errors. */
bool td_reader_flexible(td_reader *reader, const td_xml_element *element, const char *link);
void td_reader_transmission(td_reader *reader, const td_xml_element *element);
void td_reader_loop(td_reader *reader, const td_xml_element *element);
void td_reader_coupling(td_reader *reader, const td_xml_element *element);
void td_reader_loop_joint(td_reader *reader, const td_xml_element *element);
/* <dynamics> of what closes a loop */
void td_reader_loop_dynamics(td_reader *reader, const td_xml_element *element, td_loop *loop);
void td_reader_constraint(td_reader *reader, const td_xml_element *element);

void td_reader_ball_constraint(td_reader *reader, const td_xml_element *element);
void td_reader_distance_constraint(td_reader *reader, const td_xml_element *element);
void td_reader_spring_damper(td_reader *reader, const td_xml_element *element);
void td_reader_bushing(td_reader *reader, const td_xml_element *element);

/* All <gazebo> of a robot whose links and joints have been read. */
void td_reader_gazebo(td_reader *reader, const td_xml_element *robot);

/* <axis> of a joint or loop; axis stays as it is where it cannot be read. */
void td_reader_axis(td_reader *reader, const td_xml_element *element, td_importance importance,
                    double axis[3]);

/* Collects the colours of all materials under <robot>; the visuals refer to them by name. */
void td_reader_materials(td_reader *reader, const td_xml_element *robot);

/* Visuals and collisions of a link, in the arena. */
td_geometry *td_reader_geometry(td_reader *reader, const td_xml_element *link, size_t *count);

#endif
