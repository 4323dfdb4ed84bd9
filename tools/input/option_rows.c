/* SPDX-License-Identifier: MIT */
/*
 * The options of a set in the order of its page, see option_rows.h.
 */
#include "input/option_rows.h"

#include <stdlib.h>

#include "text.h"

/* Collects the options of a set and its parts. The group of a part replaces its options' groups. */
static void collect(option_rows *r, const option_set *set, const option_set *page, int moved,
                    bool hidden)
{
    int group = 0;
    for (const command_option *o = set->rows;
         o != NULL && (o->name != NULL || o->help != NULL || o->letter); o++) {
        const bool header = o->name == NULL && o->letter == 0, here = set->page == page;
        const bool hides = o->hidden || (set->page != NULL && !here && o->read != NULL);
        group = o->group != 0 ? o->group : header ? group + 1 : group;
        if ((hidden ? header : hides) || (o->page_only && !here) || (here && o->read == NULL)) {
            continue;
        }
        r->at = reallocate(r->at, r->count + 1, sizeof *r->at);
        r->at[r->count] = (option_row){.option = header ? NULL : o,
                                       .header = header ? o->help : NULL,
                                       .group = moved != 0 && group >= 0 ? moved : group,
                                       .order = r->count,
                                       .hidden = hides,
                                       .page = o->hidden ? NULL : set->page};
        r->count++;
    }
    for (size_t i = 0; set->parts[i] != NULL; i++) {
        const int into = set->group[i] != 0 ? set->group[i] : moved;
        if (set->header[i] != NULL && !hidden) {
            r->at = reallocate(r->at, r->count + 1, sizeof *r->at);
            r->at[r->count] =
                (option_row){.header = set->header[i], .group = into, .order = r->count};
            r->count++;
        }
        collect(r, set->parts[i], page, into, hidden);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const option_row *x = a, *y = b;
    if (x->group != y->group) {
        const bool last = x->group < 0, other = y->group < 0;
        return last != other ? (last ? 1 : -1) : x->group < y->group ? -1 : 1;
    }
    if ((x->header == NULL) != (y->header == NULL)) {
        return x->header != NULL ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

static void part(option_rows *r)
{
    bool headed = false;
    for (size_t i = 0; i < r->count; i++) {
        const bool other = i > 0 && r->at[i].group != r->at[i - 1].group && r->at[i].group >= 0;
        const bool header = r->at[i].header != NULL;
        r->at[i].parted = i == 0 || header || (other && headed);
        headed = header || (headed && !r->at[i].parted);
    }
}

option_rows option_rows_of(const option_set *set, bool hidden)
{
    option_rows r = {NULL, 0};
    collect(&r, set, set, 0, hidden);
    if (r.count > 0) {
        qsort(r.at, r.count, sizeof *r.at, compare_rows);
    }
    part(&r);
    return r;
}

void option_rows_free(option_rows *rows)
{
    free(rows->at);
}
