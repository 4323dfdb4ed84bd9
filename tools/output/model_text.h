/* SPDX-License-Identifier: MIT */
/*
 * A model as text, from which it can be made again with something changed.
 */
#ifndef TOOL_MODEL_TEXT_H
#define TOOL_MODEL_TEXT_H

#include "tandem/tandem.h"

/* What td_model_write makes of it, in a new string; NULL with a message. */
char *model_text(const td_model *model);

#endif
