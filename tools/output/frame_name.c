/* SPDX-License-Identifier: MIT */
/*
 * Names of frames, see frame_name.h.
 */
#include "output/frame_name.h"

#include <string.h>

static const char *const names[] = {
    [TD_FRAME_WORLD] = "world", [TD_FRAME_BODY] = "body", [TD_FRAME_ALIGNED] = "aligned"};

const char *frame_name(td_frame frame)
{
    return names[frame];
}

bool frame_find(const char *name, td_frame *frame)
{
    for (td_frame f = TD_FRAME_WORLD; f <= TD_FRAME_ALIGNED; f++) {
        if (strcmp(name, names[f]) == 0) {
            *frame = f;
            return true;
        }
    }
    return false;
}
