/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the text of a reduction. The checksum, which would reject nearly all of
 * them, is corrected first. A reduction that was read must write the same text, and accepts the
 * rows that it lacks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sweep/reduction_api.h"
#include "sweep/sample.h"

enum { LEAVES = 7, COLUMNS = 2, TOTAL = (LEAVES - 1) * TD_REDUCTION_LEAF + 3 };

static void check(bool holds, const char *what)
{
    if (!holds)
        fuzz_fail("not so: %s", what);
}

/* Returns a new reduction of each kind. The texts in the corpus belong to the same kinds. */
static td_reduction *fresh(void)
{
    static const td_condition condition = {1, -1, 0.5};
    td_keep keeps[5];
    for (size_t i = 0; i < 5; i++) {
        keeps[i] = td_keep_default();
        keeps[i].kind = (td_keep_kind)i;
        keeps[i].count = 3;
        keeps[i].conditions = &condition, keeps[i].condition_count = i % 2;
    }
    keeps[TD_KEEP_HISTOGRAM].axis_count = 1, keeps[TD_KEEP_CELLS].axis_count = 2;
    keeps[TD_KEEP_HISTOGRAM].axes[0] = keeps[TD_KEEP_CELLS].axes[0] = (td_axis){0, -1, 1, 6};
    keeps[TD_KEEP_CELLS].axes[1] = (td_axis){1, -1, 1, 4};
    td_reduction *reduction;
    check(td_reduction_new(TOTAL, COLUMNS, keeps, 5, 2, &reduction) == TD_OK, "it is made");
    return reduction;
}

/* Writes the FNV-1a checksum of the text before the last "end", if there is one. Returns the new
   size. */
static size_t sign(char *text, size_t size)
{
    static const char end[] = "\nend ";
    const size_t length = sizeof end - 1;
    for (size_t at = size; at-- > 0;)
        if (size - at >= length && memcmp(text + at, end, length) == 0) {
            uint64_t digest = 0xcbf29ce484222325;
            for (size_t i = 0; i < at + length; i++)
                digest = (digest ^ (unsigned char)text[i]) * 0x100000001b3;
            return at + length +
                   (size_t)snprintf(text + at + length, 32, "%llx \n", (unsigned long long)digest);
        }
    return size;
}

static void add_rest(td_reduction *reduction)
{
    static double rows[TD_REDUCTION_LEAF * COLUMNS];
    if (rows[0] == 0)
        td_random_points(3, 0, TD_REDUCTION_LEAF, COLUMNS, rows);
    for (size_t leaf = 0; leaf < LEAVES; leaf++)
        td_reduction_add(reduction, leaf * TD_REDUCTION_LEAF,
                         leaf + 1 < LEAVES ? TD_REDUCTION_LEAF : TOTAL % TD_REDUCTION_LEAF, rows,
                         NULL);
    check(td_reduction_range_count(reduction) == 1, "it takes the rows that it has not");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    td_reduction *reduction = fresh();
    char *text = malloc(size + 64);
    check(text != NULL, "memory");
    memcpy(text, data, size);
    const size_t signed_size = sign(text, size);
    /* exact size: sanitizers detect reads beyond it */
    char *exact = malloc(signed_size > 0 ? signed_size : 1);
    check(exact != NULL, "memory");
    memcpy(exact, text, signed_size);
    const td_status status = td_reduction_read(reduction, exact, signed_size);
    check(status == TD_OK || status == TD_ERROR_ARGUMENT, td_status_text(status));
    fuzz_count(status == TD_OK);
    if (status == TD_OK) {
        size_t written;
        check(td_reduction_write(reduction, text, signed_size, &written) == TD_OK &&
                  written == signed_size && memcmp(text, exact, written) == 0,
              "it has the text that was read");
        td_reduction_percentile(reduction, TD_KEEP_HISTOGRAM, 0.5);
        add_rest(reduction);
    } else {
        check(td_reduction_range_count(reduction) == 0, "refused, it is empty");
    }
    free(exact);
    free(text);
    td_reduction_free(reduction);
    return 0;
}
