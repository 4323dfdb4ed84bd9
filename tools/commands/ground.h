/* SPDX-License-Identifier: MIT */
/*
 * --ground of tandem id and tandem recording: the residual wrench of the robot, the center of
 * pressure and the zero-moment point on a plane.
 */
#ifndef TOOL_GROUND_H
#define TOOL_GROUND_H

#include "input/session.h"
#include "option.h"
#include "output/outputs.h"

/* The value of --ground. */
typedef struct ground_option {
    double point[3], normal[3]; /* m, world axes */
    bool given, has_normal;
} ground_option;

/* Reads X,Y,Z or X,Y,Z,NX,NY,NZ. */
option_reader option_ground;

#define GROUND_HELP "Add ground reactions on the plane X,Y,Z[,NX,NY,NZ]"

/* The plane, with the robot's weight. */
typedef struct ground_plane {
    double point[3], normal[3]; /* normal: unit length */
    double up[3];               /* opposite to gravity; without gravity the normal */
    double weight;              /* N */
    td_frame frame;             /* of the residual wrench */
} ground_plane;

/* Numbers of one state: residual moment and force in the frame, center of pressure, free moment,
   zero-moment point; then the residual wrench about the world's origin, which is not printed. */
enum {
    GROUND_FORCE = 3,
    GROUND_CENTER = 6,
    GROUND_MOMENT = 9,
    GROUND_ZMP = 10,
    GROUND_NUMBERS = 13,
    GROUND_WORLD = GROUND_NUMBERS,
    GROUND_ALL = GROUND_NUMBERS + 6
};

/* Prints a message and returns false if the plane needs a normal. */
bool ground_find(ground_plane *g, const ground_option *option, td_frame frame, const session *s);

/* Declares the outputs, with GROUND_NUMBERS numbers together. */
enum { GROUND_OUTPUTS = 5 };
void ground_declare(outputs *o);

/* A state in the coordinates of the workspace, and the forces on the robot. */
typedef struct ground_state {
    const double *y, *yd, *ydd;
    const td_forces *forces;
} ground_state;

/* Computes GROUND_ALL numbers. Points are NaN if the ground cannot push. */
td_status ground_compute(const ground_plane *g, const session *s, const ground_state *state,
                         double *x);

/* Adds {"point": ..., "normal": ...} to an object. */
void ground_add_json(const ground_plane *g, cJSON *object);

#endif
