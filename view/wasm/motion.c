/* SPDX-License-Identifier: MIT */
/*
 * Reads tables of motion with sources of the command (tools/input/motion_columns.h). The only
 * file they can open is the one that the page was given. The page shows their messages.
 */
#include "input/motion_columns.h"

#include <threads.h>

#include "output/progress.h"
#include "page.h"

static motion_columns motion;

/* Reads the page's file. The suffix of its name determines the format. Returns 0, or 1 after a
   message. */
int tv_motion_read(const char *name)
{
    motion_columns_free(&motion);
    return motion_columns_read(&motion, page.model, name) ? 0 : 1;
}

size_t tv_motion_rows(void)
{
    return motion.rows;
}

/* Returns column k, tv_motion_rows() numbers. */
double *tv_motion_column(size_t k)
{
    return motion.value[k];
}

/* Returns the headings as a JSON list, or NULL if memory runs out. Free it with tv_free. */
char *tv_motion_headings(void)
{
    page_text t = {0};
    text_put(&t, "[");
    for (size_t k = 0; k < motion.count; k++) {
        text_put(&t, k ? "," : "");
        text_string(&t, motion.heading[k]);
    }
    text_put(&t, "]");
    return text_end(&t);
}

/* ---- functions that the command's sources need, without effect in a page -----------------------
 */

/* the module has one thread */
void call_once(once_flag *flag, void (*once)(void))
{
    if (*flag == ONCE_FLAG_INIT) {
        *flag = !ONCE_FLAG_INIT;
        once();
    }
}

void reading_begin(size_t total)
{
    (void)total;
}

void reading_done(size_t done)
{
    (void)done;
}

void reading_rows(size_t rows)
{
    (void)rows;
}

void reading_clear(void) {}

void reading_end(void) {}
