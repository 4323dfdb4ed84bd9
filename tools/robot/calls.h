/* SPDX-License-Identifier: MIT */
/*
 * The library's functions in one kind of coordinates: the independent ones, or all of the tree. A
 * subcommand with --tree calls c->call->inverse_dynamics(...) and need not ask which it is.
 */
#ifndef TOOL_CALLS_H
#define TOOL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/functions/operation_list.h"
#include "tandem/tandem.h"

/* X(name): td_name and td_tree_name, which are no operations, have the same arguments */
#define CALL_TABLE(X)                                                                              \
    X(random_configuration)                                                                        \
    X(integrate)                                                                                   \
    X(difference)                                                                                  \
    X(power)

typedef struct calls {
#define CALL_FIELD(name) __typeof__(&td_##name) name;
#define OPERATION_FIELDS(name, ...) CALL_FIELD(name) CALL_FIELD(batch_##name)
    CALL_TABLE(CALL_FIELD) TD_OPERATIONS(OPERATION_FIELDS)
#undef OPERATION_FIELDS
#undef CALL_FIELD
} calls;

const calls *calls_of(bool tree);

/* A random configuration. Of the independent coordinates, where loops cannot be closed at it, one
   nearer to the configuration in which they were assembled. */
void calls_sample(const calls *call, const td_model *model, td_workspace *workspace, uint64_t *seed,
                  double *x);

#endif
