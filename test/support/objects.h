/* SPDX-License-Identifier: MIT */
/*
 * Constructors that return the object, or NULL if the library returns an error. The caller frees
 * it. Tests that do not examine freeing use owned.h.
 */
#ifndef TD_TEST_OBJECTS_H
#define TD_TEST_OBJECTS_H

#include "tandem/builder.h"
#include "tandem/diagnostic.h"
#include "tandem/workspace.h"

static inline td_workspace *new_workspace_with(const td_model *model,
                                               const td_workspace_options *options)
{
    td_workspace *workspace;
    td_workspace_new(model, options, &workspace);
    return workspace;
}

static inline td_workspace *new_workspace(const td_model *model)
{
    return new_workspace_with(model, NULL);
}

static inline td_workspace *new_workspace_threads(const td_model *model, size_t threads)
{
    td_workspace_options options = td_workspace_options_default();
    options.threads = threads;
    return new_workspace_with(model, &options);
}

static inline td_builder *new_builder(const char *robot_name)
{
    td_builder *builder;
    td_builder_new(robot_name, &builder);
    return builder;
}

static inline td_diagnostics *new_diagnostics(size_t cap)
{
    td_diagnostics *diagnostics;
    td_diagnostics_new(cap, &diagnostics);
    return diagnostics;
}

#endif
