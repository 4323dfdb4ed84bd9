/* SPDX-License-Identifier: MIT */
/* Declares the type that headers of the command mention; sources used by the page write no JSON. */
#ifndef VIEW_SYSTEM_CJSON_H
#define VIEW_SYSTEM_CJSON_H

typedef struct cJSON cJSON;

#endif
