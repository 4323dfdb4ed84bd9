/* SPDX-License-Identifier: MIT */
/*
 * Reads messages of ROS's type sensor_msgs/JointState as a table, as "ros2 topic echo" prints them:
 * YAML documents, or rows of --csv without a heading. The columns of the table are "t [s]",
 * q:JOINT, qd:JOINT and tau:JOINT of the lists position, velocity and effort that are not empty.
 */
#ifndef TOOL_JOINT_MESSAGES_H
#define TOOL_JOINT_MESSAGES_H

#include "input/csv_stream.h"

enum { JOINT_LISTS = 3 }; /* position, velocity, effort */

typedef struct joint_message {
    size_t line;                     /* of the file, from 1 */
    const char *second, *nanosecond; /* digits of the time stamp; NULL without one */
    size_t names;
    const char *const *name;
    size_t count[JOINT_LISTS]; /* of numbers in each list */
    const char *const *value[JOINT_LISTS];
} joint_message;

/* The messages of a file. All have the same joints and lists. */
typedef struct joint_messages {
    const char *file;    /* its name, for messages */
    csv_handler handler; /* receives the heading and the rows */
    void *context;
    size_t rows;
    bool timed;              /* messages have time stamps */
    bool given[JOINT_LISTS]; /* which lists are not empty */
    size_t names;
    char **name;
    const char **cell; /* of a row: the time, then the lists */
} joint_messages;

/* Passes a message to the handler, the first one after the heading. Prints a message and returns
   false if it is invalid, or if its joints or lists differ from the first message. Returns
   false if the handler stopped. */
bool joint_messages_add(joint_messages *m, const joint_message *message);
void joint_messages_free(joint_messages *m);

/* Returns whether a row begins as a message that --csv prints: seconds, nanoseconds, a frame and
   names, before a number or an empty field. */
bool joint_row_fits(const csv_row *row);
/* Passes such a row to joint_messages_add. After the names it has three lists with a number for
   each name; an empty list is one empty field, and lists missing at the end are empty. */
bool joint_messages_add_row(joint_messages *m, const csv_row *row);

/* Returns 1 if a file that begins with these bytes contains messages as YAML, 0 if it does not, and
   −1 if this requires more bytes. */
int joint_yaml_begins(const char *text, size_t size);
/* Reads all messages, one YAML document after the other. Prints a message and returns false on
   failure; returns false if the handler stopped. */
bool joint_yaml_read(table_input *in, joint_messages *m);

#endif
