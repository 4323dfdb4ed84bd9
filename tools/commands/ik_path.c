/* SPDX-License-Identifier: MIT */
/*
 * tandem ik along a path: reads all rows of a table of poses, lets the library follow them, and
 * writes the result. Jumps and singular configurations are reported.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "commands/ik.h"
#include "tandem/ik_path.h"
#include "text.h"

enum { TOLD = 10 };

void ik_path_add(ik_path *p, const ik_writer *w, size_t row, const double *target, size_t count)
{
    p->target = reallocate(p->target, (p->rows + 1) * count, sizeof *p->target);
    p->row = reallocate(p->row, p->rows + 1, sizeof *p->row);
    for (size_t i = 0; i < count; i++) {
        p->target[p->rows * count + i] = target != NULL ? target[i] : NAN;
    }
    p->row[p->rows++] = (ik_path_row){
        .number = row,
        .time = w->time,
        .kept = w->kept_text != NULL ? text_format("%s", w->kept_text) : NULL,
        .bad = target == NULL,
    };
}

void ik_path_free(ik_path *p)
{
    for (size_t i = 0; i < p->rows; i++) {
        free(p->row[i].kept);
    }
    free(p->row);
    free(p->target);
}

/* Returns the largest change of a position, and the index of its joint. */
static double change(const coordinates *c, const double *from, const double *to, size_t *whose)
{
    double largest = 0;
    *whose = 0;
    for (size_t i = 0; i < c->size[QUANTITY_Q]; i++) {
        const double step = fabs(to[i] - from[i]);
        *whose = step > largest ? i : *whose;
        largest = step > largest ? step : largest;
    }
    return largest;
}

static void tell_jumps(const ik_path *p, const coordinates *c, const double *y,
                       const td_ik_path_row *result)
{
    const size_t size = c->size[QUANTITY_Q];
    size_t last = 0, told = 0, jumps = 0;
    for (size_t i = 0; i < p->rows; i++) {
        if (result[i].jump && ++jumps <= TOLD) {
            size_t whose;
            const double step = change(c, y + last * size, y + i * size, &whose);
            complain("row %zu: '%s' jumps by %s: the path from row %zu cannot be followed",
                     p->row[i].number, c->name[QUANTITY_Q][whose], number_brief(step).text,
                     p->row[last].number);
            told++;
        }
        last = isfinite(y[i * size]) ? i : last;
    }
    if (jumps > told) {
        complain("%s", counted(jumps - told, "more jump").text);
    }
}

/* Reports each run of consecutive rows near a singularity in one line. */
static void tell_singular(const ik_path *p, const td_ik_path_row *result)
{
    size_t passages = 0;
    for (size_t i = 0; i < p->rows; i++) {
        if (!result[i].singular) {
            continue;
        }
        size_t end = i, nearest = i;
        for (; end < p->rows && result[end].singular; end++) {
            nearest = result[end].smallest < result[nearest].smallest ? end : nearest;
        }
        if (passages++ < TOLD) {
            const size_t first = p->row[i].number, last = p->row[end - 1].number;
            scoped char *rows = first == last ? text_format("row %zu is", first)
                                              : text_format("rows %zu to %zu are", first, last);
            tell_note("%s near a singularity: the smallest singular value is %s at row %zu, the "
                      "largest %s",
                      rows, number_brief(result[nearest].smallest).text, p->row[nearest].number,
                      number_brief(result[nearest].largest).text);
        }
        i = end;
    }
}

int ik_path_solve(ik_path *p, const session *s, td_ik *ik, const double *seed, ik_writer *w)
{
    const size_t size = w->c->size[QUANTITY_Q];
    double *y = allocate(p->rows * size, sizeof *y);
    td_ik_path_row *row = allocate(p->rows, sizeof *row);
    td_ik_path_result result = {.size_of = sizeof result};
    if (p->rows > 0) {
        row->size_of = sizeof *row;
    }
    const td_status status = td_ik_solve_path(ik, s->workspace, p->rows, p->target, seed, NULL, y,
                                              NULL, NULL, row, &result);
    if (status == TD_ERROR_MEMORY || status == TD_ERROR_ARGUMENT) {
        const int code = session_complain(s, NULL, status); /* nothing is written */
        free(y);
        free(row);
        return code;
    }
    for (size_t i = 0; i < p->rows; i++) {
        const ik_path_row *given = &p->row[i];
        const bool reached = row[i].error == TD_OK && row[i].status == TD_IK_STATUS_REACHED;
        if (row[i].error != TD_OK && !given->bad && table_writer_fails(&w->table)) {
            scoped char *what = text_format("row %zu", given->number);
            session_complain(s, what, row[i].error);
        }
        w->missed += !reached && row[i].error == TD_OK;
        ik_writer_kept(w, given->time, given->kept, isfinite(y[i * size]) ? y + i * size : NULL,
                       reached ? 1 : 0);
    }
    tell_jumps(p, w->c, y, row);
    tell_singular(p, row);
    free(y);
    free(row);
    return result.jumps == 0 ? EXIT_GOOD : EXIT_NEGATIVE;
}
