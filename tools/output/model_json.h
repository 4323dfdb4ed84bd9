/* SPDX-License-Identifier: MIT */
/*
 * Writes loops, couplings and the digest of a model as JSON.
 */
#ifndef TOOL_MODEL_JSON_H
#define TOOL_MODEL_JSON_H

#include <stdint.h>

#include "output/json.h"
#include "text.h"

cJSON *json_loops(const td_model *model);
cJSON *json_couplings(const td_model *model);

number digest_text(uint64_t digest);
/* Returns null if URDF cannot represent the model. workspace: NULL, or the workspace whose payloads
   to include. */
cJSON *json_digest(const td_model *model, const td_workspace *workspace);

#endif
