/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics of loading: whether there were errors, and remedies for wrong names.
 */
#include <stdio.h>

#include "load/build.h"

bool td_build_has_errors(const td_build *build, size_t errors_before)
{
    return td_diagnostics_count(build->diagnostics, TD_SEVERITY_ERROR) > errors_before;
}

const char *td_suggest(td_build *build, const td_names *names, const char *name, const char *except,
                       const char *other, char text[TD_SUGGESTION])
{
    const char *near = td_names_nearest(names, name, except, &build->search_budget);
    if (!near)
        return other;
    snprintf(text, TD_SUGGESTION, "did you mean '%s'?", near);
    return text;
}
