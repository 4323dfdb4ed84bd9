/* SPDX-License-Identifier: MIT */
/*
 * Writes a model as text, from which a changed model can be loaded.
 */
#ifndef TOOL_MODEL_TEXT_H
#define TOOL_MODEL_TEXT_H

#include "tandem/tandem.h"

/* Returns the output of td_model_write in a new string. Prints a message and returns NULL on
   failure. */
char *model_text(const td_model *model);

#endif
