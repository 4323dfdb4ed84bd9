/* SPDX-License-Identifier: MIT */
/*
 * Examines loops at one configuration: the report of td_closure_examine, G, and the residual of
 * every loop.
 */
#ifndef TOOL_CLOSURE_REPORT_H
#define TOOL_CLOSURE_REPORT_H

#include <cjson/cJSON.h>

#include "input/coordinates.h"
#include "input/session.h"

typedef struct closure_state {
    td_closure_report report;
    const double *y;
    double *q;        /* nq */
    double *G;        /* nv × nyd, at y */
    double *residual; /* per loop: the largest |φ| of its rows, NaN if it is open */
} closure_state;

/* Examines the loops at y. Unless the status is TD_OK, only the report is valid. */
td_status closure_state_at(const session *s, const double *y, closure_state *state);
void closure_state_free(closure_state *state);

/* Returns the ratio of largest to smallest singular value; NaN if no loop is iterated. */
double closure_condition(const td_closure_report *report);

/* Prints G and the loops as text. Omits G if γ is linear. Prints nothing without loops. */
void closure_state_print(const coordinates *tree, const coordinates *independent,
                         const closure_state *state);
/* Returns {"evaluations", "smallest", "largest", "condition", "loops": [{"name", "form", "cluster",
   "residual"}]}. */
cJSON *closure_state_json(const td_model *model, const closure_state *state);

#endif
