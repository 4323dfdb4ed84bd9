/* SPDX-License-Identifier: MIT */
/*
 * Returns the records of a model by kind, and as JSON by the table of fields (model/fields.h).
 */
#ifndef TOOL_RECORDS_H
#define TOOL_RECORDS_H

#include <cjson/cJSON.h>

#include "model/fields.h"

/* Return the number of records of a kind, and record i. Kinds other than links, joints, loops,
   couplings, followers, springs, transmissions and flexible links have no records. */
size_t record_count(const td_model *model, td_record_kind kind);
const void *record_at(const td_model *model, td_record_kind kind, size_t i);

/* Returns all records as JSON: {"link": [{"name": "base", ...}, ...], "joint": ...}, with every
   field except positions in files. Links contain their geometry, followers their curves. */
cJSON *json_records(const td_model *model);

#endif
