/* SPDX-License-Identifier: MIT */
/* What the page reads of the command's sources makes no JSON: the name that their headers have. */
#ifndef VIEW_SYSTEM_CJSON_H
#define VIEW_SYSTEM_CJSON_H

typedef struct cJSON cJSON;

#endif
