/* SPDX-License-Identifier: MIT */
/*
 * The part of a model's text that results of calls may depend on, of which a digest tells models
 * apart that td_model_digest takes for one: they differ in motors, in limits that no dynamics
 * depend on, or in how they are computed.
 */
#ifndef TD_MODEL_WRITE_H
#define TD_MODEL_WRITE_H

#include "base/sink.h"
#include "tandem/model.h"

/* All records and options that a model was made of, as td_model_write has them, but for what can
   change no number: where records stand in their files, shapes, and options that say what is
   refused. So a field that is added to the records is in it. TD_ERROR_FUNCTION as there, or
   TD_ERROR_MEMORY; O(records). */
td_status td_put_computed(td_sink *sink, const td_model *model);

#endif
