/* SPDX-License-Identifier: MIT */
/*
 * Loops, springs and couplings of a model as JSON.
 */
#ifndef TOOL_MODEL_JSON_H
#define TOOL_MODEL_JSON_H

#include "json.h"

cJSON *json_loops(const td_model *model);
cJSON *json_springs(const td_model *model);
cJSON *json_couplings(const td_model *model);

#endif
