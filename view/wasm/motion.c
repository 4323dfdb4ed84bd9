/* SPDX-License-Identifier: MIT */
/*
 * Tables of motion, read by the command's own sources (tools/recording/motion_columns.h). The one
 * file that they find is what the page has been given; what they complain of goes to the page.
 */
#include "recording/motion_columns.h"

#include <threads.h>

#include "page.h"
#include "progress.h"

static motion_columns motion;

/* Reads the page's file under that name, whose suffix says what it is; 0, or 1 with a complaint. */
int tv_motion_read(const char *name)
{
    motion_columns_free(&motion);
    return motion_columns_read(&motion, page.model, name) ? 0 : 1;
}

size_t tv_motion_rows(void)
{
    return motion.rows;
}

/* rows numbers */
double *tv_motion_column(size_t k)
{
    return motion.value[k];
}

/* A JSON list of the headings, to be freed by tv_free; NULL without memory. */
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

/* ---- what the command's sources ask of others, and a page does without -------------------------
 */

/* a page has one thread */
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
