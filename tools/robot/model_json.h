/* SPDX-License-Identifier: MIT */
/*
 * A model as text; its loops, springs and couplings as JSON.
 */
#ifndef TOOL_MODEL_JSON_H
#define TOOL_MODEL_JSON_H

#include "json.h"

/* What td_model_write makes of it, in a new string; NULL with a message. */
char *model_text(const td_model *model);

cJSON *json_loops(const td_model *model);
cJSON *json_springs(const td_model *model);
cJSON *json_couplings(const td_model *model);

#endif
