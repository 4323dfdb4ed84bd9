/* SPDX-License-Identifier: MIT */
/*
 * What tandem info gathers, for people and as JSON.
 */
#ifndef TOOL_INFO_H
#define TOOL_INFO_H

#include <stdbool.h>

#include "input/session.h"

/* ---- commands/info_text.c: facts
 * --------------------------------------------------------------------------- */

/* What the inertial of a link is worth: a word for its gravest fault, NULL for none. */
const char *audit_finding(const td_link *link, td_inertia_audit audit);

/* Center of mass (m) at the neutral configuration, or where loops were assembled; NaN without mass.
 */
void reference_center_of_mass(const session *s, double com[3]);
/* Whether a robot begins where all its independent coordinates are zero. */
bool reference_is_zero(const td_model *model);

/* Name of a joint; "" for -1. */
const char *joint_name(const td_model *model, size_t joint);

/* ---- info_json.c ----------------------------------------------------------------------------- */

/* The whole of tandem info --json. */
void info_json(const session *s, const td_load_options *load);

/* ---- info_lists.c ---------------------------------------------------------------------------- */

/* Sections of the text. all: whole lists; else what fits one screen. */
void print_inertia(const session *s, bool all);
void print_missing(const td_model *model, bool all);
void print_closures(const td_model *model, bool all);
/* with what the loader says of them */
void print_actuated(const session *s, bool all);
void print_flexible(const td_model *model, bool all);

/* Rows of a table that is cut, and the line below it that says so. */
enum { FEW = 8 };
void put_more(size_t count, size_t shown);

#endif
