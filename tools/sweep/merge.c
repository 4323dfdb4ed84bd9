/* SPDX-License-Identifier: MIT */
/*
 * Merges parts of a sweep; see merge.h.
 */
#include "sweep/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/chosen.h"
#include "text.h"

/* Returns whether a reduction contains all these rows. */
static bool has_range(const td_reduction *r, uint64_t first, uint64_t end)
{
    for (size_t k = 0; k < td_reduction_range_count(r); k++) {
        uint64_t a, b;
        td_reduction_range(r, k, &a, &b);
        if (a <= first && end <= b) {
            return true;
        }
    }
    return false;
}

/* Returns whether r contains all rows of part. */
static bool has_all(const td_reduction *r, const td_reduction *part)
{
    for (size_t i = 0; i < td_reduction_range_count(part); i++) {
        uint64_t first, end;
        td_reduction_range(part, i, &first, &end);
        if (!has_range(r, first, end)) {
            return false;
        }
    }
    return true;
}

/* Reads a file. Chosen rows beside it must match. */
static bool read_file(sweep_result *r, const char *file)
{
    if (!sweep_result_read(r, file)) {
        return false;
    }
    scoped char *rows = chosen_rows_path(file);
    const bool good =
        r->form.chosens == 0 || access(rows, F_OK) != 0 || chosen_rows_check(r, file, UINT64_MAX);
    if (!good) {
        sweep_result_free(r);
    }
    return good;
}

/* Adds a part. Prints a message and returns false on failure. */
static bool add_part(sweep_result *r, const sweep_result *part, const char *file, const char *first)
{
    const char *difference = sweep_form_difference(&r->form, &part->form);
    if (difference != NULL) {
        complain("%s and %s are of different %s", first, file, difference);
        return false;
    }
    if (has_all(r->reduction, part->reduction)) {
        return true; /* a duplicate */
    }
    const td_status status = td_reduction_merge(r->reduction, part->reduction);
    if (status != TD_OK) {
        complain("%s: %s", file,
                 status == TD_ERROR_ARGUMENT ? "an earlier file already has some of its states"
                                             : td_status_text(status));
        return false;
    }
    r->chosen += part->chosen;
    sweep_result_take_states(r, part);
    return true;
}

bool sweep_merge(sweep_result *r, const char *const *file, size_t files)
{
    if (!read_file(r, file[0])) {
        return false;
    }
    for (size_t i = 1; i < files; i++) {
        sweep_result part;
        bool good = read_file(&part, file[i]);
        if (good) {
            good = add_part(r, &part, file[i], file[0]);
            sweep_result_free(&part);
        }
        if (!good) {
            sweep_result_free(r);
            return false;
        }
    }
    return true;
}

/* ---- missing parts --------------------------------------------------------------------------- */

/* Reads the whole number at the start of text. Returns the text after it, or NULL without a
   number. */
static const char *read_count(const char *text, uint64_t *count)
{
    char *end;
    if (*text < '0' || *text > '9') {
        return NULL;
    }
    errno = 0;
    *count = strtoull(text, &end, 10);
    return errno == 0 ? end : NULL;
}

/* Reads shard and number of shards from a file's name. Returns false without them. */
static bool shard_of(const char *file, uint64_t *shard, uint64_t *shards)
{
    const char *at = NULL;
    for (const char *next = strstr(file, ".shard-"); next != NULL;
         next = strstr(next + 1, ".shard-")) {
        at = next;
    }
    at = at != NULL ? read_count(at + strlen(".shard-"), shard) : NULL;
    return at != NULL && strncmp(at, "-of-", 4) == 0 && read_count(at + 4, shards) != NULL &&
           *shard < *shards;
}

/* Returns the missing shards as "0-3,7" in a new string. */
static char *missing_shards(const bool *there, uint64_t shards)
{
    text_stream out;
    text_open(&out);
    const char *comma = "";
    for (uint64_t i = 0; i < shards; i++) {
        uint64_t end = i;
        while (end < shards && !there[end]) {
            end++;
        }
        if (end > i) {
            fprintf(out.stream, end - i > 1 ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, comma, i,
                    end - 1);
            comma = ",";
            i = end;
        }
    }
    return text_close(&out);
}

void sweep_tell_missing(const sweep_result *r, const char *const *file, size_t files)
{
    if (sweep_result_complete(r)) {
        return;
    }
    enum { MOST_SHARDS = 10000000 };
    uint64_t shards = 0, shard, of;
    for (size_t i = 0; i < files; i++) {
        if (!shard_of(file[i], &shard, &of) || of > MOST_SHARDS || (i > 0 && of != shards)) {
            shards = 0;
            break;
        }
        shards = of;
    }
    if (shards > 0) {
        scoped bool *there = allocate((size_t)shards, sizeof *there);
        for (shard = 0; shard < shards; shard++) {
            uint64_t first, end;
            sweep_shard_range(r->form.states, shard, shards, &first, &end);
            there[shard] = first == end || has_range(r->reduction, first, end);
        }
        scoped char *list = missing_shards(there, shards);
        complain("shards are missing, or not complete: --array=%s", list);
        return;
    }
    uint64_t before = 0;
    for (size_t i = 0; i <= td_reduction_range_count(r->reduction); i++) {
        uint64_t first = r->form.states, end = r->form.states;
        if (i < td_reduction_range_count(r->reduction)) {
            td_reduction_range(r->reduction, i, &first, &end);
        }
        if (first > before) {
            complain("states %" PRIu64 " to %" PRIu64 " are missing", before, first - 1);
        }
        before = end;
    }
}
