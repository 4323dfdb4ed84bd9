/* SPDX-License-Identifier: MIT */
/*
 * Prints results of sweeps as text; see result.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"
#include "sweep/result.h"
#include "text.h"

/* Largest number of rows of a kind in a report. */
enum { LISTED = 10 };

static number index_text(uint64_t index)
{
    number text;
    snprintf(text.text, sizeof text.text, "%" PRIu64, index);
    return text;
}

/* Prints the failures of one kind. */
static void print_failure(const sweep_result *r, td_status status)
{
    const uint64_t *rows;
    size_t known;
    const uint64_t count = td_reduction_failed(r->reduction, status, &rows, &known);
    if (count == 0) {
        return;
    }
    printf("  %" PRIu64 " failed: %s", count, sweep_failure_text(status));
    for (size_t i = 0; i < known; i++) {
        printf("%s%" PRIu64, i == 0 ? "; states " : ", ", rows[i]);
    }
    puts(known < count && known > 0 ? ", ..." : "");
}

static void print_heading(const sweep_result *r)
{
    const uint64_t states = sweep_result_states(r);
    scoped char *text = text_clean(r->form.robot);
    scoped char *heading = text_format("%s: %" PRIu64 " states", text, states);
    put_heading(heading);
    if (states < r->form.states) {
        printf(" of %" PRIu64, r->form.states);
    }
    fputs(", kernels for ", stdout);
    put_clean(stdout, r->form.isa);
    putchar('\n');
#define PRINT_FAILURE(code, text) print_failure(r, code);
    TD_STATUS_TABLE(PRINT_FAILURE)
#undef PRINT_FAILURE
}

char *sweep_conditions_text(const sweep_form *form, const sweep_keep *keep)
{
    text_stream out;
    text_open(&out);
    for (size_t i = 0; i < keep->keep.condition_count; i++) {
        const td_condition *c = &keep->condition[i];
        fputs(i == 0 ? " where " : " and ", out.stream);
        put_clean(out.stream, form->column[c->column]);
        if (c->from == c->to) {
            fprintf(out.stream, " = %s", number_brief(c->from).text);
        } else {
            if (isfinite(c->from)) {
                fprintf(out.stream, " from %s", number_brief(c->from).text);
            }
            if (isfinite(c->to)) {
                fprintf(out.stream, " to %s", number_brief(c->to).text);
            }
        }
    }
    return text_close(&out);
}

static void print_counted(const sweep_result *r, size_t keep)
{
    uint64_t counted, missing;
    td_reduction_counted(r->reduction, keep, &counted, &missing);
    printf(", %" PRIu64 " states", counted);
    if (missing > 0) {
        printf(", %" PRIu64 " without a number", missing);
    }
}

static bool same_conditions(const sweep_keep *a, const sweep_keep *b)
{
    if (a->keep.condition_count != b->keep.condition_count) {
        return false;
    }
    for (size_t i = 0; i < a->keep.condition_count; i++) {
        const td_condition *x = &a->condition[i], *y = &b->condition[i];
        if (x->column != y->column || x->from != y->from || x->to != y->to) {
            return false;
        }
    }
    return true;
}

/* Prints consecutive moments with the same conditions in one table. Returns the index of the next
   item. */
static size_t print_moments(const sweep_result *r, size_t keep)
{
    const sweep_keep *first = &r->form.keep[keep];
    table t = table_new("lrrrrrr");
    static const char *const heading[] = {"column",   "mean",    "deviation", "smallest",
                                          "at state", "largest", "at state"};
    for (size_t i = 0; i < t.columns; i++) {
        table_add(&t, "%s", heading[i]);
    }
    scoped char *where = sweep_conditions_text(&r->form, first);
    printf("\nmoments%s", where);
    print_counted(r, keep);
    putchar('\n');
    while (keep < r->form.keeps && r->form.keep[keep].keep.kind == TD_KEEP_MOMENTS &&
           same_conditions(first, &r->form.keep[keep])) {
        td_moments m;
        td_reduction_moments(r->reduction, keep, &m);
        const bool any = m.smallest <= m.largest;
        table_add(&t, "%s", r->form.column[r->form.keep[keep].keep.column]);
        table_add(&t, "%s", number_brief(m.mean).text);
        table_add(&t, "%s", number_brief(m.deviation).text);
        table_add(&t, "%s", number_brief(m.smallest).text);
        table_add(&t, "%s", any ? index_text(m.smallest_row).text : "");
        table_add(&t, "%s", number_brief(m.largest).text);
        table_add(&t, "%s", any ? index_text(m.largest_row).text : "");
        keep++;
    }
    table_print(&t, 2);
    return keep;
}

static void print_extremes(const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    const uint64_t *rows;
    const double *values;
    const size_t count = td_reduction_rows(r->reduction, keep, &rows, &values);
    scoped char *where = sweep_conditions_text(&r->form, k);
    printf("\n%s ", sweep_keep_text(k->keep.kind));
    put_clean(stdout, r->form.column[k->keep.column]);
    fputs(where, stdout);
    print_counted(r, keep);
    putchar('\n');
    table t = table_new("rr");
    table_add(&t, "state");
    table_add(&t, "%s", r->form.column[k->keep.column]);
    for (size_t i = 0; i < count && i < LISTED; i++) {
        table_add(&t, "%s", index_text(rows[i]).text);
        table_add(&t, "%s", number_brief(values[i]).text);
    }
    table_print(&t, 2);
    if (count > LISTED) {
        printf("  and %zu more (--json, -o)\n", count - LISTED);
    }
}

static void print_histogram(const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    const td_axis *axis = &k->keep.axes[0];
    uint64_t below, above;
    td_reduction_counts(r->reduction, keep, &below, &above);
    scoped char *where = sweep_conditions_text(&r->form, k);
    fputs("\nhistogram of ", stdout);
    put_clean(stdout, r->form.column[k->keep.column]);
    printf("%s, %zu bins from %s to %s", where, axis->bins, number_brief(axis->from).text,
           number_brief(axis->to).text);
    print_counted(r, keep);
    if (below > 0 || above > 0) {
        printf(", %" PRIu64 " below and %" PRIu64 " above", below, above);
    }
    putchar('\n');
    if (k->percentiles > 0) {
        table t = table_new("rr");
        table_add(&t, "per cent");
        table_add(&t, "lie below");
        for (size_t i = 0; i < k->percentiles; i++) {
            const double x = td_reduction_percentile(r->reduction, keep, k->percentile[i] / 100);
            table_add(&t, "%s", number_brief(k->percentile[i]).text);
            table_add(&t, "%s", number_brief(x).text);
        }
        table_print(&t, 2);
    }
}

static void print_cells(const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    const double *smallest, *largest;
    uint64_t outside;
    const uint64_t *counts = td_reduction_counts(r->reduction, keep, NULL, &outside);
    td_reduction_cells(r->reduction, keep, &smallest, &largest);
    size_t cells = 1, filled = 0;
    fputs("\ncells of ", stdout);
    put_clean(stdout, r->form.column[k->keep.column]);
    fputs(" over", stdout);
    for (size_t i = 0; i < k->keep.axis_count; i++) {
        cells *= k->keep.axes[i].bins;
        fputs(i > 0 ? ", " : " ", stdout);
        put_clean(stdout, r->form.column[k->keep.axes[i].column]);
    }
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < cells; i++) {
        if (counts[i] > 0) {
            filled++;
            least = fmin(least, smallest[i]);
            most = fmax(most, largest[i]);
        }
    }
    scoped char *where = sweep_conditions_text(&r->form, k);
    fputs(where, stdout);
    print_counted(r, keep);
    if (outside > 0) {
        printf(", %" PRIu64 " outside", outside);
    }
    printf("\n  %zu of %zu cells have states", filled, cells);
    if (filled > 0) {
        printf(", from %s to %s", number_brief(least).text, number_brief(most).text);
    }
    puts(k->keep.axis_count <= 2 ? " (--plot draws them)" : "");
}

void sweep_result_print(const sweep_result *r)
{
    print_heading(r);
    for (size_t i = 0; i < r->form.keeps;) {
        switch (r->form.keep[i].keep.kind) {
        case TD_KEEP_MOMENTS:
            i = print_moments(r, i);
            continue;
        case TD_KEEP_LARGEST:
        case TD_KEEP_SMALLEST:
            print_extremes(r, i);
            break;
        case TD_KEEP_HISTOGRAM:
            print_histogram(r, i);
            break;
        case TD_KEEP_CELLS:
            print_cells(r, i);
            break;
        }
        i++;
    }
    if (r->form.chosens > 0) {
        printf("\nrows: %" PRIu64 " chosen\n", r->chosen);
    }
    if (r->states.count > 0) {
        puts("\n--at STATE prints everything about one state");
    }
}
