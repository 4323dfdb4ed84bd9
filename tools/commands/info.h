/* SPDX-License-Identifier: MIT */
/*
 * Facts about a robot for tandem info, printed as text or JSON.
 */
#ifndef TOOL_INFO_H
#define TOOL_INFO_H

#include <stdbool.h>

#include "input/session.h"

/* ---- commands/info_text.c: facts
 * --------------------------------------------------------------------------- */

/* Returns a word for the worst error of a link's inertia, or NULL if it is valid. */
const char *audit_finding(const td_link *link, td_inertia_audit audit);

/* Computes the center of mass (m) in the reference configuration; NaN without mass. */
void reference_center_of_mass(const session *s, double com[3]);
/* Returns whether all independent coordinates are zero in the reference configuration. */
bool reference_is_zero(const td_model *model);

/* Returns the name of a joint; "" for TD_NONE. */
const char *joint_name(const td_model *model, size_t joint);

/* ---- info_json.c ----------------------------------------------------------------------------- */

/* Prints tandem info --json. */
void info_json(const session *s, const td_load_options *load);

/* ---- info_lists.c ---------------------------------------------------------------------------- */

/* Print sections of the text. all: whole lists; false: shortened to fit one screen. */
void print_inertia(const session *s, bool all);
void print_missing(const td_model *model, bool all);
void print_closures(const td_model *model, bool all);
/* with the loader's diagnostics of motors */
void print_actuated(const session *s, bool all);
void print_flexible(const td_model *model, bool all);

/* Rows of a shortened table, and the line below it that reports the omitted rows. */
enum { FEW = 8 };
void put_more(size_t count, size_t shown);

#endif
