/* SPDX-License-Identifier: MIT */
/*
 * Functions that a control loop may call and that are in no table of functions.h and
 * other_functions.h: those of objects (linear models, inverse kinematics, completions, reductions)
 * with a workspace or without one, of a workspace alone, and of numbers; behind one signature.
 * Those that allocate are marked, and what belongs before a loop is in a list of its own: together
 * with the tables they are all functions of the headers that take a workspace.
 */
#ifndef TD_OBJECT_FUNCTIONS_H
#define TD_OBJECT_FUNCTIONS_H

#include "other_functions.h"

typedef struct objects objects;

typedef struct object_function {
    const char *name; /* with td_ in front */
    bool allocates;   /* docs/performance.md says so of those that a library exports */
    bool inner;       /* no library exports it: the command and the Python package have it */
    void (*call)(objects *o);
} object_function;

extern const object_function object_functions[];
extern const size_t object_function_count;

/* What takes a workspace, and is for the time before or after a loop. */
extern const char *const functions_of_set_up[]; /* NULL at the end */

/* Objects of that robot, at the state of the arguments, which must outlive them. Whatever the robot
   has none of is left out: its functions refuse. */
objects *objects_new(td_random *random, other_arguments *a);
/* what functions have left in them, digested array by array */
uint64_t objects_digest(const objects *o,
                        uint64_t (*digest)(uint64_t before, const void *at, size_t size));

/* The next function of a header's text that takes a workspace, from *at on. False at the end. */
bool next_of_workspace(const char **at, char *name, size_t room);

#endif
