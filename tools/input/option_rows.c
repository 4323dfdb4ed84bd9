/* SPDX-License-Identifier: MIT */
/*
 * Lists the options of a parser in the order of its page; see option_rows.h.
 */
#include "input/option_rows.h"

#include <ctype.h>
#include <stdlib.h>

#include "text.h"

static void add_row(option_rows *r, const struct argp_option *option, const char *header, int group)
{
    r->at = reallocate(r->at, r->count + 1, sizeof *r->at);
    r->at[r->count] = (option_row){option, header, group, r->count, false};
    r->count++;
}

/* Collects the options of a parser and its children. A child's group replaces its options' own. */
static void collect(option_rows *r, const struct argp *argp, int moved, bool hidden)
{
    int group = 0;
    const struct argp_option *o = argp->options;
    for (; o != NULL && (o->name != NULL || o->key != 0 || o->doc != NULL); o++) {
        const bool header = o->name == NULL && o->key == 0;
        group = o->group != 0 ? o->group : header ? group + 1 : group;
        if (hidden ? !header : !(o->flags & (OPTION_HIDDEN | OPTION_ALIAS))) {
            add_row(r, header ? NULL : o, header ? o->doc : NULL,
                    moved != 0 && group >= 0 ? moved : group);
        }
    }
    const struct argp_child *child = argp->children;
    for (; child != NULL && child->argp != NULL; child++) {
        const int into = child->group != 0 ? child->group : moved;
        if (child->header != NULL && !hidden) {
            add_row(r, NULL, child->header, into);
        }
        collect(r, child->argp, into, hidden);
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

option_rows option_rows_of(const struct argp *argp, bool hidden)
{
    option_rows r = {NULL, 0};
    collect(&r, argp, 0, hidden);
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

bool option_has_letter(const struct argp_option *option)
{
    return option->key > 0 && option->key < 0x80 && isgraph(option->key);
}
