/* SPDX-License-Identifier: MIT */
/*
 * The records of a model, kind by kind, as the table of their fields (model/fields.h) knows them.
 */
#ifndef TOOL_RECORDS_H
#define TOOL_RECORDS_H

#include <cjson/cJSON.h>

#include "model/fields.h"

/* The number of records of a kind, and the i-th one. The kinds are links, joints, loops, couplings,
   followers, springs, transmissions and flexible links; of all others there are none. */
size_t record_count(const td_model *model, td_record_kind kind);
const void *record_at(const td_model *model, td_record_kind kind, size_t i);

/* Returns all records as JSON: {"link": [{"name": "base", ...}, ...], "joint": ...}, with every
   field that is more than a place in a file. Geometry is in its link, and curves in their
   follower. */
cJSON *json_records(const td_model *model);

#endif
