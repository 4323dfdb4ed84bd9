/* SPDX-License-Identifier: MIT */
/*
 * Writes the part of a model's text that affects results. A digest of this part distinguishes
 * models with equal td_model_digest. These differ in motors, in limits that do not affect dynamics,
 * or in how they are computed.
 */
#ifndef TD_MODEL_WRITE_H
#define TD_MODEL_WRITE_H

#include "base/private.h"
#include "base/sink.h"
#include "tandem/model.h"

/* Writes the records and options of a model like td_model_write, except those that cannot change a
   number: sources, shapes, and options that only decide whether a robot is refused. New fields of
   records are thus included. Returns TD_ERROR_FUNCTION like td_model_write, or TD_ERROR_MEMORY.
   O(records). */
TD_PRIVATE td_status td_put_computed(td_sink *sink, const td_model *model);

#endif
