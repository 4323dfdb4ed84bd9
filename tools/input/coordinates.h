/* SPDX-License-Identifier: MIT */
/*
 * Names of coordinates for -q and for columns of tables, and messages about unknown names. The
 * coordinate of a joint with one coordinate has the joint's name; other joints append .x .y .z .qx
 * .qy .qz .qw (floating) or .x .y .theta (planar) to positions, .wx .wy .wz .vx .vy .vz to
 * velocities and .mx .my .mz .fx .fy .fz to forces.
 */
#ifndef TOOL_COORDINATES_H
#define TOOL_COORDINATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "input/coordinate_name.h"
#include "input/link_name.h"
#include "input/random_state.h"
#include "options.h"
#include "tandem/tandem.h"

typedef struct coordinate_name {
    const char *name;
    size_t index;
} coordinate_name;

typedef struct coordinates {
    const td_model *model;
    bool tree;     /* coordinates of q, not of y */
    size_t joints; /* number of joints with coordinates */
    size_t *joint;
    size_t size[QUANTITY_COUNT];       /* number of coordinates */
    const char **name[QUANTITY_COUNT]; /* qd and qdd share their names */
    coordinate_name *sorted[QUANTITY_COUNT];
} coordinates;

coordinates coordinates_new(const td_model *model, bool tree);
void coordinates_free(coordinates *c);

/* Sets positions to the reference configuration (td_reference), the default for joints without a
   value. */
void coordinates_default(const coordinates *c, double *position);
/* Reports which default positions are not zero because of limits. given: per position, whether the
   user set it. */
void coordinates_report_default(const coordinates *c, const bool *given);

/* Return the first position and the first velocity coordinate of a joint that has coordinates. */
size_t coordinates_position(const coordinates *c, size_t joint);
size_t coordinates_velocity(const coordinates *c, size_t joint);
/* Returns how many coordinates of a quantity the joint has. */
size_t coordinates_count(const coordinates *c, enum quantity quantity, size_t joint);
/* Returns the joint that a velocity coordinate belongs to. */
size_t coordinates_joint(const coordinates *c, size_t velocity);

/* Return the joint that a coordinate of a quantity belongs to, and whether the coordinate is an
   angle, a length or neither. */
size_t coordinates_owner(const coordinates *c, enum quantity quantity, size_t index);
unit_domain coordinates_domain(const coordinates *c, enum quantity quantity, size_t index);

/* Return why a unit does not fit a coordinate, in a new string, or NULL if it fits. u NULL: SI
   units and radians, which fit. name: the coordinate of the joint. */
char *unit_fault(const td_joint *joint, const char *name, unit_domain domain,
                 enum quantity quantity, const value_unit *u);
char *coordinates_unit_fault(const coordinates *c, enum quantity quantity, size_t index,
                             const value_unit *u);

/* Returns the index of a name, or -1. The floating base may always be written $base. */
int coordinates_find(const coordinates *c, enum quantity quantity, const char *name);
/* Returns the reason why a name is not a coordinate, in a new string: a follower and its leader, a
   fixed joint, a misspelling. tree_hint: the command has --tree. */
char *coordinates_explain(const coordinates *c, enum quantity quantity, const char *name,
                          bool tree_hint);

/* Returns the name of a motor's force in a new string: the coordinate that the motor drives, or the
   motor's own name. */
char *actuator_name(const td_model *model, size_t i);

/* Returns the names of the entries of u in a new array, or NULL if u cannot be computed from these
   coordinates. */
char **actuator_names(const coordinates *c);
/* Returns whether u differs from the entries of tau_y: a motor drives a follower or a joint in a
   loop. */
bool actuators_differ(const coordinates *c);
void actuator_names_free(const coordinates *c, char **names);

/* Returns "q", "qd", "qdd" or "tau". */
const char *quantity_text(enum quantity quantity);

#endif
