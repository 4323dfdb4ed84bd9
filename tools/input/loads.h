/* SPDX-License-Identifier: MIT */
/*
 * Payloads and external wrenches of the command line: --payload and --wrench.
 */
#ifndef TOOL_LOADS_H
#define TOOL_LOADS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "tandem/tandem.h"

/* A body that is fixed to a link. */
typedef struct payload {
    char *link;
    size_t index; /* of the link, after loads_find; for a flexible link, of the piece at the
                     point */
    double mass;  /* kg */
    double com[3];
    double at[3];      /* com in the coordinates of link index */
    double inertia[6]; /* about the center of mass, in the link's axes, in the order of td_link */
} payload;

/* A force and a moment that act at a point of a link. */
typedef struct point_wrench {
    char *link;
    size_t index;
    td_frame frame;             /* of force and moment; the same in all wrenches of a command */
    double force[3], moment[3]; /* N, N m */
    double point[3];            /* in the link's coordinates */
    double at[3];               /* in the axes of link index, as for a payload */
} point_wrench;

typedef struct robot_loads {
    payload *payload;
    size_t payloads;
    point_wrench *wrench;
    size_t wrenches;
    bool apart;    /* no links are added: the command computes the moments itself and does not use
                      total */
    size_t points; /* links added for wrenches, the last ones of the model */
    double *total; /* links × 6: moment and force in loads_frame; NULL without wrenches */
} robot_loads;

/* Add a payload LINK=MASS@X,Y,Z[,IXX,IYY,IZZ,IXY,IXZ,IYZ], or a wrench LINK=FX,FY,FZ[@X,Y,Z] or
   LINK=force:FX,FY,FZ,moment:MX,MY,MZ,point:X,Y,Z,frame:FRAME with any of these parts. Return NULL,
   or a message about a fault in a new string. */
char *loads_add_payload(robot_loads *loads, const char *text);
char *loads_add_wrench(robot_loads *loads, const char *text);
/* Does the same for --load, which has only a force. */
char *loads_add_force(robot_loads *loads, const char *text);
void loads_free(robot_loads *loads);

/* Returns the frame of all wrenches. */
td_frame loads_frame(const robot_loads *loads);

/* Finds the links and fills total with the wrenches. A wrench in the world's axes at a point gets a
   massless link there, fixed to the named link, so that all functions, including derivatives,
   account for the rotation of its moment. *model then becomes a model with these loads->points
   links after all others. Prints a message and returns false if a link is unknown or has two
   payloads. */
bool loads_find(robot_loads *loads, td_model **model);

/* Sets the payloads in a workspace. Prints a message and returns false on failure. */
bool loads_carry(const robot_loads *loads, const td_model *model, td_workspace *workspace);

/* Returns the mass of all payloads, or of the payloads on moving links. */
double loads_mass(const robot_loads *loads, const td_model *model, bool moving);

/* Prints a line for each to standard error. */
void loads_tell(const robot_loads *loads);
/* Adds "payloads" and "wrenches" to root, if there are any. */
void loads_add_json(const robot_loads *loads, cJSON *root);

#endif
