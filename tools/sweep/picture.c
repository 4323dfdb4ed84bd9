/* SPDX-License-Identifier: MIT */
/*
 * Draws pictures of sweeps; see picture.h.
 */
#include "sweep/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/gnuplot.h"
#include "output/plot.h"
#include "text.h"

/* Limits and sizes (pixels) of panels. */
enum { MOST_PANELS = 8, WIDTH = 720, MAP_HEIGHT = 520, BARS_HEIGHT = 260 };

static bool is_map(const sweep_keep *k)
{
    return k->keep.kind == TD_KEEP_CELLS && k->keep.axis_count == 2;
}

static bool is_drawn(const sweep_keep *k)
{
    return k->keep.kind == TD_KEEP_HISTOGRAM ||
           (k->keep.kind == TD_KEEP_CELLS && k->keep.axis_count <= 2);
}

/* Returns the middle of a bin. */
static double middle(const td_axis *axis, size_t bin)
{
    return axis->from + (axis->to - axis->from) * (((double)bin + 0.5) / (double)axis->bins);
}

/* Returns the number that a cell shows, or NaN if it is empty. */
static double shown_number(const sweep_result *r, size_t keep, size_t cell)
{
    const double *smallest, *largest;
    const uint64_t *counts = td_reduction_counts(r->reduction, keep, NULL, NULL);
    if (counts[cell] == 0) {
        return NAN;
    }
    if (r->form.keep[keep].shown == SHOW_COUNT) {
        return (double)counts[cell];
    }
    td_reduction_cells(r->reduction, keep, &smallest, &largest);
    return (r->form.keep[keep].shown == SHOW_SMALLEST ? smallest : largest)[cell];
}

static void put_number(FILE *script, double x)
{
    if (isfinite(x)) {
        fprintf(script, " %.9g", x);
    } else {
        fputs(" NaN", script);
    }
}

static void put_data(FILE *script, const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    const td_axis *axes = k->keep.axes;
    fprintf(script, "$data%zu << EOD\n", keep);
    if (is_map(k)) {
        for (size_t i = 0; i < axes[0].bins; i++) {
            for (size_t j = 0; j < axes[1].bins; j++) {
                put_number(script, middle(&axes[0], i));
                put_number(script, middle(&axes[1], j));
                put_number(script, shown_number(r, keep, i * axes[1].bins + j));
                fputc('\n', script);
            }
            fputc('\n', script);
        }
    } else {
        const uint64_t *counts = td_reduction_counts(r->reduction, keep, NULL, NULL);
        for (size_t i = 0; i < axes[0].bins; i++) {
            put_number(script, middle(&axes[0], i));
            put_number(script, k->keep.kind == TD_KEEP_HISTOGRAM ? (double)counts[i]
                                                                 : shown_number(r, keep, i));
            fputc('\n', script);
        }
    }
    fputs("EOD\n", script);
}

/* Returns "largest mass:hand where use:effort to 1" in a new string. */
static char *panel_title(const sweep_result *r, const sweep_keep *k)
{
    const char *column = r->form.column[k->keep.column];
    scoped char *where = sweep_conditions_text(&r->form, k);
    return k->keep.kind == TD_KEEP_HISTOGRAM || k->shown == SHOW_COUNT
               ? text_format("states%s", where)
               : text_format("%s %s%s", sweep_shown_text(k->shown), column, where);
}

static void put_label(FILE *script, const char *which, const char *text)
{
    fprintf(script, "set %s ", which);
    gnuplot_string(script, text);
    fputc('\n', script);
}

/* Writes the range of colors, with a margin if all cells have the same value. */
static void put_range(FILE *script, const sweep_result *r, size_t keep)
{
    const td_axis *axes = r->form.keep[keep].keep.axes;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < axes[0].bins * axes[1].bins; i++) {
        const double x = shown_number(r, keep, i);
        least = fmin(least, x);
        most = fmax(most, x);
    }
    if (least < most || !isfinite(least) || !isfinite(most)) {
        fputs("set cbrange [*:*]\n", script);
    } else {
        const double margin = fabs(least) > 0 ? fabs(least) / 2 : 1;
        fprintf(script, "set cbrange [%.9g:%.9g]\n", least - margin, most + margin);
    }
}

static void put_panel(FILE *script, const sweep_result *r, size_t keep)
{
    const sweep_keep *k = &r->form.keep[keep];
    const td_axis *axes = k->keep.axes;
    scoped char *title = panel_title(r, k);
    put_label(script, "xlabel", r->form.column[axes[0].column]);
    fprintf(script, "set xrange [%.9g:%.9g]\n", axes[0].from, axes[0].to);
    if (is_map(k)) {
        put_label(script, "ylabel", r->form.column[axes[1].column]);
        put_label(script, "title", title);
        fprintf(script, "set yrange [%.9g:%.9g]\n", axes[1].from, axes[1].to);
        put_range(script, r, keep);
        fprintf(script, "plot $data%zu using 1:2:3 with image notitle\n", keep);
    } else {
        put_label(script, "ylabel", title);
        fprintf(script, "unset title\nset yrange [*:*]\n");
        fprintf(script, "plot $data%zu using 1:2 with %s notitle\n", keep,
                k->keep.kind == TD_KEEP_HISTOGRAM ? "boxes fs solid 0.7 noborder lc rgb '#0072B2'"
                                                  : "histeps lw 1.5 lc rgb '#0072B2'");
    }
}

typedef struct panels {
    const sweep_result *r;
    const char *path;
    size_t keep[MOST_PANELS], count;
} panels;

static void write_script(FILE *script, const void *context)
{
    const panels *p = context;
    size_t height = 40;
    bool maps = false;
    for (size_t i = 0; i < p->count; i++) {
        maps = maps || is_map(&p->r->form.keep[p->keep[i]]);
    }
    height += p->count * (size_t)(maps ? MAP_HEIGHT : BARS_HEIGHT);
    gnuplot_terminal(script, p->path, WIDTH, height);
    for (size_t i = 0; i < p->count; i++) {
        put_data(script, p->r, p->keep[i]);
    }
    /* viridis is perceptually uniform, also with color blindness */
    fputs("set encoding utf8\nset tics out nomirror\nset boxwidth 1 relative\n"
          "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n",
          script);
    fprintf(script, "set multiplot layout %zu,1 title ", p->count);
    gnuplot_string(script, p->r->form.robot);
    fputc('\n', script);
    for (size_t i = 0; i < p->count; i++) {
        put_panel(script, p->r, p->keep[i]);
    }
    fputs("unset multiplot\n", script);
}

bool sweep_picture_possible(const sweep_form *form)
{
    for (size_t i = 0; i < form->keeps; i++) {
        if (is_drawn(&form->keep[i])) {
            return plot_possible();
        }
    }
    complain("no kept result can be drawn; keep histograms, or cells over one or two columns");
    return false;
}

bool sweep_picture(const sweep_result *r, const char *path)
{
    panels p = {.r = r, .path = path};
    size_t left = 0;
    for (size_t i = 0; i < r->form.keeps; i++) {
        if (is_drawn(&r->form.keep[i]) && p.count < MOST_PANELS) {
            p.keep[p.count++] = i;
        } else {
            left += is_drawn(&r->form.keep[i]);
        }
    }
    if (left > 0) {
        tell_note("%s: the first %d of %zu panels", path, MOST_PANELS, left + MOST_PANELS);
    }
    return gnuplot_draw(path, write_script, &p);
}
