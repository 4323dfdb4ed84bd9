/* SPDX-License-Identifier: MIT */
/*
 * Writes quantities of coordinates as JSON, with the same keys and shapes in all commands:
 * "coordinates" names the kind of coordinates, and "q", "qd", "qdd" and "tau" map names to numbers.
 */
#ifndef TOOL_COORDINATES_JSON_H
#define TOOL_COORDINATES_JSON_H

#include "input/coordinates.h"
#include "output/json.h"

/* Returns a new object from json_root with "coordinates": "independent" or "tree". */
cJSON *coordinates_json_root(const coordinates *c);

/* Adds the values x of a quantity to an object, under the quantity's key. */
void coordinates_add_json(const coordinates *c, enum quantity quantity, const double *x,
                          cJSON *object);

/* Adds "names": the velocity coordinates of the rows and columns of matrices. */
void coordinates_add_names(const coordinates *c, cJSON *object);

#endif
