/* SPDX-License-Identifier: MIT */
/*
 * Loops, couplings and the digest of a model as JSON.
 */
#ifndef TOOL_MODEL_JSON_H
#define TOOL_MODEL_JSON_H

#include <stdint.h>

#include "output/json.h"
#include "text.h"

cJSON *json_loops(const td_model *model);
cJSON *json_couplings(const td_model *model);

number digest_text(uint64_t digest);
/* null where a URDF cannot hold the model. workspace: NULL, or one whose payloads count. */
cJSON *json_digest(const td_model *model, const td_workspace *workspace);

#endif
