/* SPDX-License-Identifier: MIT */
/*
 * Writes a model as text; see model_text.h.
 */
#include "output/model_text.h"

#include <stdlib.h>

#include "text.h"

char *model_text(const td_model *model)
{
    size_t size = 0;
    td_model_write(model, NULL, 0, &size);
    char *text = allocate(size + 1, 1);
    td_status status = td_model_write(model, text, size, &size);
    if (status != TD_OK) {
        complain("%s", td_status_text(status));
        free(text);
        return NULL;
    }
    return text;
}
