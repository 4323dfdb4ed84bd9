/* SPDX-License-Identifier: MIT */
/*
 * The one table of the fields of records: name, kind, place in the struct, unit, and what depends
 * on them. Copies of records, the writer and the reader of model files, the digest and tandem diff
 * go over it.
 */
#ifndef TD_FIELDS_H
#define TD_FIELDS_H

#include <stddef.h>

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
    TD_FIELD_WORD,  /* an enum, by its word */
    TD_FIELD_ARRAY, /* a pointer to any number of doubles, as many as the member at count says */
} td_field_kind;

/* What a field bears on, and how tandem diff compares it. */
typedef enum td_field_use {
    TD_USE_PLACE,   /* where a record stands in its file: a robot is the same without it */
    TD_USE_OWN,     /* diff compares it together with other fields, or what comes of it */
    TD_USE_KEPT,    /* dynamics do not depend on it */
    TD_USE_DYNAMIC, /* they do */
} td_field_use;

typedef enum td_record_kind {
    TD_RECORD_ROBOT,
    TD_RECORD_OPTIONS,
    TD_RECORD_LOCK,
    TD_RECORD_START,
    TD_RECORD_ACTUATED,
    TD_RECORD_LINK,
    TD_RECORD_GEOMETRY, /* of the link before it */
    TD_RECORD_JOINT,
    TD_RECORD_LOOP,
    TD_RECORD_COUPLING,
    TD_RECORD_FOLLOWER,
    TD_RECORD_CURVE, /* of the follower before it */
    TD_RECORD_SPRING,
    TD_RECORD_TRANSMISSION,
    TD_RECORD_FLEXIBLE,
    TD_RECORD_KINDS,
} td_record_kind;

typedef struct td_field {
    const char *key;
    td_field_kind kind;
    size_t offset;
    size_t count; /* of an array: the offset of its size_t */
    td_field_use use;
    const char *unit;                    /* "m", "direction"; NULL for numbers without one */
    const char *title;                   /* what people call it, where that is not the key */
    const char *(*word)(unsigned value); /* of an enum; NULL behind the last one */
    td_record_kind names;                /* of a string: the records that it names; 0 for none */
} td_field;

/* What is said of the robot as a whole, and an actuated joint: records of the file alone. */
typedef struct td_robot_line {
    const char *name;
    td_source source;
} td_robot_line;

typedef struct td_actuated_line {
    const char *joint;
} td_actuated_line;

/* No record has more fields. */
enum { TD_MOST_FIELDS = 64 };

typedef struct td_record_form {
    const char *word; /* that its line begins with */
    const td_field *field;
    size_t fields, size;
} td_record_form;

extern const td_record_form td_record_forms[TD_RECORD_KINDS];

typedef union td_any_record {
    td_robot_line robot;
    td_load_options options;
    td_joint_position position; /* of locked joints and of starts */
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

/* A record with the values that fields have which a line does not name. */
td_any_record td_record_default(td_record_kind kind);

#endif
