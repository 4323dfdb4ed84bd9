/* SPDX-License-Identifier: MIT */
/*
 * Calls that take y, or ẏ and ÿ as well, and have one output: most functions of kinematics.
 */
#ifndef TD_STATE_CALL_H
#define TD_STATE_CALL_H

#include "run/call.h"
#include "tandem/kinematics.h"

/* what an operation needs beside its rows */
typedef struct options {
    size_t link;
    const double *point;
    td_frame frame;
    td_scope scope;
    bool classical;
} options;

static const double origin[3] = {0, 0, 0};

static inline bool is_frame(td_frame frame)
{
    return (unsigned)frame <= TD_WORLD_ALIGNED;
}

static inline bool is_scope(td_scope scope)
{
    return (unsigned)scope <= TD_WITH_SPRINGS;
}

/* What operations take: y, or ẏ too, or ÿ as well. */
enum { POSITIONS = 1, VELOCITIES, ACCELERATIONS };

/* a call on so many of y, ẏ and ÿ with one output, called by its name */
static inline td_status run_named(const td_site *site, td_operation operation, const options *o,
                                  int takes, const double *y, const double *yd, const double *ydd,
                                  const char *name, double *out, size_t columns)
{
    size_t n = td_site_velocities(site);
    td_call call;
    td_call_begin(&call, operation, o);
    td_call_positions(&call, site, y, true);
    if (takes >= VELOCITIES)
        td_call_input(&call, yd, n, false);
    if (takes >= ACCELERATIONS)
        td_call_input(&call, ydd, n, false);
    if (o && o->point && o->point != origin)
        td_call_share(&call, o->point, 3);
    td_call_add_output(&call, name, out, columns, true);
    return td_call_run(site, &call);
}

#define run_y(site, operation, o, y, out, columns)                                                 \
    run_named(site, operation, o, POSITIONS, y, NULL, NULL, #out, out, columns)
#define run_yd(site, operation, o, y, yd, out, columns)                                            \
    run_named(site, operation, o, VELOCITIES, y, yd, NULL, #out, out, columns)
#define run_ydd(site, operation, o, y, yd, ydd, out, columns)                                      \
    run_named(site, operation, o, ACCELERATIONS, y, yd, ydd, #out, out, columns)

#endif
