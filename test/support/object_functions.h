/* SPDX-License-Identifier: MIT */
/*
 * Functions that a control loop may call and that the tables of functions.h and other_functions.h
 * lack, behind one signature. They act on objects (linear models, inverse kinematics, completions,
 * reductions) with or without a workspace, on a workspace alone, or on numbers. Functions that
 * allocate are marked. A separate list has functions to call before a loop. Together with the other
 * tables this covers all functions of the headers that take a workspace.
 */
#ifndef TD_OBJECT_FUNCTIONS_H
#define TD_OBJECT_FUNCTIONS_H

#include "other_functions.h"

typedef struct objects objects;

typedef struct object_function {
    const char *name; /* with the prefix td_ */
    bool allocates;   /* allocates; docs/performance.md documents this for functions that a library
                         exports */
    bool inner;       /* no library exports it; the command and the Python package contain it */
    void (*call)(objects *o);
} object_function;

extern const object_function object_functions[];
extern const size_t object_function_count;

/* Functions that take a workspace and are called before or after a loop. */
extern const char *const functions_of_set_up[]; /* ends with NULL */

/* Creates the objects of a robot, at the state of the arguments, which must outlive them. Omits
   objects that the robot does not support; their functions return errors. */
objects *objects_new(td_random *random, other_arguments *a);
/* digests the results of the functions, array by array */
uint64_t objects_digest(const objects *o,
                        uint64_t (*digest)(uint64_t before, const void *at, size_t size));

/* Finds the next function in the text of a header that takes a workspace, from *at on. Returns
   false at the end. */
bool next_of_workspace(const char **at, char *name, size_t room);

#endif
