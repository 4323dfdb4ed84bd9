/* SPDX-License-Identifier: MIT */
/*
 * The table of the fields of records: name, kind, offset in the struct, unit and use. Copies of
 * records, the reader and writer of model files, the digest and tandem diff iterate over it.
 */
#ifndef TD_FIELDS_H
#define TD_FIELDS_H

#include <stddef.h>

#include "base/private.h"
#include "tandem/builder.h"

#define TD_MODEL_FILE_WORD "tandem-model"
#define TD_MODEL_FILE_END "end"

typedef enum td_field_kind {
    TD_FIELD_STRING,
    TD_FIELD_DOUBLES, /* count of them */
    TD_FIELD_INT,
    TD_FIELD_UNSIGNED,
    TD_FIELD_SIZE,
    TD_FIELD_BOOL,
    TD_FIELD_WORD,  /* an enum, written as a word */
    TD_FIELD_ARRAY, /* a pointer to doubles; the member at offset count holds their number */
} td_field_kind;

/* The influence of a field, and how tandem diff compares it. */
typedef enum td_field_use {
    TD_USE_PLACE,   /* location of a record in its file; the robot does not depend on it */
    TD_USE_OWN,     /* tandem diff compares it together with other fields, or compares its effect */
    TD_USE_KEPT,    /* dynamics do not depend on it */
    TD_USE_DYNAMIC, /* dynamics depend on it */
} td_field_use;

typedef enum td_record_kind {
    TD_RECORD_ROBOT,
    TD_RECORD_OPTIONS,
    TD_RECORD_LOCK,
    TD_RECORD_START,
    TD_RECORD_ACTUATED,
    TD_RECORD_LINK,
    TD_RECORD_GEOMETRY, /* belongs to the preceding link */
    TD_RECORD_JOINT,
    TD_RECORD_LOOP,
    TD_RECORD_COUPLING,
    TD_RECORD_FOLLOWER,
    TD_RECORD_CURVE, /* belongs to the preceding follower */
    TD_RECORD_SPRING,
    TD_RECORD_TRANSMISSION,
    TD_RECORD_FLEXIBLE,
    TD_RECORD_KINDS,
} td_record_kind;

typedef struct td_field {
    const char *key;
    td_field_kind kind;
    size_t offset;
    size_t count; /* number of values; of an array: the offset of its size_t */
    td_field_use use;
    const char *unit;                    /* "m", "direction"; NULL for dimensionless numbers */
    const char *title;                   /* name for users, if it differs from the key */
    const char *(*word)(unsigned value); /* of an enum: its words; NULL past the last value */
    td_record_kind names; /* of a string: the kind of record that it names; 0 for none */
} td_field;

/* Records that exist only in files: the line of the robot, and of an actuated joint. */
typedef struct td_robot_line {
    const char *name;
    td_source source;
} td_robot_line;

typedef struct td_actuated_line {
    const char *joint;
} td_actuated_line;

/* the most fields of any record */
enum { TD_MOST_FIELDS = 64 };

typedef struct td_record_form {
    const char *word; /* first word of its line */
    const td_field *field;
    size_t fields, size;
} td_record_form;

TD_PRIVATE extern const td_record_form td_record_forms[TD_RECORD_KINDS];

typedef union td_any_record {
    td_robot_line robot;
    td_load_options options;
    td_joint_position position; /* of locked joints and of start positions */
    td_actuated_line actuated;
    td_link link;
    td_geometry geometry;
    td_joint joint;
    td_loop loop;
    td_coupling coupling;
    td_follower follower;
    td_curve curve;
    td_spring spring;
    td_transmission transmission;
    td_flexible flexible;
} td_any_record;

/* Returns a record with the values of fields that a line omits. */
td_any_record td_record_default(td_record_kind kind);

#endif
