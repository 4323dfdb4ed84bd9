/* SPDX-License-Identifier: MIT */
/*
 * How well loops are closed at one configuration: what td_closure_examine finds, G there, and the
 * residual of every loop.
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
    double *residual; /* of every loop: the largest |φ| of its rows, NaN where it is open */
} closure_state;

/* Its status; unless that is TD_OK only the report is of use. */
td_status closure_state_at(const session *s, const double *y, closure_state *state);
void closure_state_free(closure_state *state);

/* Largest over smallest singular value; NaN where no loop is solved. */
double closure_condition(const td_closure_report *report);

/* G and the loops for people; nothing of G where γ is linear, nothing at all without loops. */
void closure_state_print(const coordinates *tree, const coordinates *independent,
                         const closure_state *state);
/* {"evaluations", "smallest", "largest", "condition", "loops": [{"name", "form", "cluster",
   "residual"}]} */
cJSON *closure_state_json(const td_model *model, const closure_state *state);

#endif
