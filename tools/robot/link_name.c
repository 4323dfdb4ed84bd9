/* SPDX-License-Identifier: MIT */
/*
 * Links by name, see link_name.h.
 */
#include "robot/link_name.h"

#include <stdlib.h>

#include "text.h"

int find_link(const td_model *model, const char *name)
{
    int index = td_link_index(model, name);
    if (index >= 0) {
        return index;
    }
    size_t count = td_link_count(model);
    const char **names = allocate(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = td_link_at(model, i)->name;
    }
    const char *nearest = nearest_name(name, names, count);
    free(names);
    if (nearest != NULL) {
        complain("no link '%s'; did you mean '%s'?", name, nearest);
    } else {
        complain("no link '%s'", name);
    }
    return -1;
}
