/* SPDX-License-Identifier: MIT */
/*
 * Writes the script for gnuplot; see plot_picture.h. Names come from files, so they are in single
 * quotes, where gnuplot expands nothing. Control characters are made visible.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/gnuplot.h"
#include "output/plot_picture.h"
#include "text.h"

/* A table with more rows is divided into about MOST_ROWS / 2 intervals, and only the smallest and
   largest value of each are drawn. These points are still more than the picture has columns of
   pixels. */
enum { MOST_ROWS = 4000, MOST_EVENT_LABELS = 12 };

/* colors that most color-blind people can tell apart (Okabe and Ito 2008), dark ones first */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#000000", "#E69F00", "#56B4E9"};
enum { COLOURS = sizeof colours / sizeof *colours };

static double across(const picture *p, size_t row)
{
    return p->x < 0 ? (double)row + 1 : p->t->value[p->x][row] - p->origin;
}

static void put_number(FILE *script, double x)
{
    fprintf(script, isfinite(x) ? "%.15g " : "NaN ", x);
}

/* Finds the smallest and the largest value of a column in rows first to last − 1, in the order in
   which they occur. */
static void extremes(const double *value, size_t first, size_t last, double pair[2])
{
    size_t least = first, largest = first;
    for (size_t i = first; i < last; i++) {
        least = value[i] < value[least] || isnan(value[least]) ? i : least;
        largest = value[i] > value[largest] || isnan(value[largest]) ? i : largest;
    }
    pair[0] = value[least < largest ? least : largest];
    pair[1] = value[least < largest ? largest : least];
}

/* Writes x and all columns as a data block. */
static void put_data(const picture *p)
{
    const plot_table *t = p->t;
    const size_t step = t->rows > MOST_ROWS ? (2 * t->rows + MOST_ROWS - 1) / MOST_ROWS : 1;
    fputs("$data << EOD\n", p->script);
    for (size_t first = 0; first < t->rows; first += step) {
        const size_t last = first + step < t->rows ? first + step : t->rows;
        for (size_t half = 0; half < (step > 1 ? 2 : 1); half++) {
            put_number(p->script, across(p, half == 0 ? first : last - 1));
            for (size_t i = 0; i < t->columns; i++) {
                double pair[2];
                extremes(t->value[i], first, last, pair);
                put_number(p->script, pair[half]);
            }
            fputc('\n', p->script);
        }
    }
    fputs("EOD\n", p->script);
}

/* Returns an event without its time, cut to the height of a panel, in a new string. */
static char *event_label(const char *event)
{
    enum { LONGEST = 26 };
    const size_t time = strspn(event, "0123456789.e+-");
    const char *text = time > 0 && event[time] == ' ' ? event + time + 1 : event;
    size_t bytes = 0, points = 0;
    while (text[bytes] != '\0' && text[bytes] != ';' && points < LONGEST) {
        do {
            bytes++;
        } while (((unsigned char)text[bytes] & 0xc0) == 0x80);
        points++;
    }
    return text_format("%.*s%s", (int)bytes, text, text[bytes] != '\0' ? "…" : "");
}

static void put_events(const picture *p, bool labels)
{
    size_t count = 0;
    for (size_t i = 0; i < p->t->rows; i++) {
        if (p->t->event[i] == NULL || !isfinite(across(p, i))) {
            continue;
        }
        fprintf(p->script,
                "set arrow from first %.9g, graph 0 to first %.9g, graph 1 nohead lc rgb '#999999' "
                "dt 3 back\n",
                across(p, i), across(p, i));
        if (labels && count++ < MOST_EVENT_LABELS) {
            scoped char *label = event_label(p->t->event[i]);
            fputs("set label ", p->script);
            gnuplot_string(p->script, label);
            fprintf(p->script,
                    " at first %.9g, graph 0.03 left rotate by 90 offset -0.7,0 font ',8' tc rgb "
                    "'#555555' front\n",
                    across(p, i));
        }
    }
}

/* Finds the smallest and the largest value of a panel. */
static void find_range(const picture *p, const panel *shown, double range[2])
{
    range[0] = (double)INFINITY;
    range[1] = -(double)INFINITY;
    for (size_t k = 0; k < shown->count; k++) {
        const double *value = p->t->value[shown->column[k]];
        for (size_t i = 0; i < p->t->rows; i++) {
            range[0] = value[i] < range[0] ? value[i] : range[0];
            range[1] = value[i] > range[1] ? value[i] : range[1];
        }
    }
}

/* Draws a limit in the color of its curve if data of the panel are near it, and extends range to
   include it. */
static void put_limit(const picture *p, double limit, size_t curve, const double data[2],
                      double range[2])
{
    const double near = 0.25 * (data[1] - data[0]);
    if (!isfinite(limit) || limit < data[0] - near || limit > data[1] + near) {
        return;
    }
    fprintf(
        p->script,
        "set arrow from graph 0, first %.9g to graph 1, first %.9g nohead lw 1 lc rgb '%s' dt 2 "
        "back\n",
        limit, limit, colours[curve % COLOURS]);
    range[0] = limit < range[0] ? limit : range[0];
    range[1] = limit > range[1] ? limit : range[1];
}

/* Writes the vertical range of a panel, and its limits. Constant curves get a margin; gnuplot would
   choose one with a warning. */
static void put_range(const picture *p, const panel *shown)
{
    double data[2], range[2];
    find_range(p, shown, data);
    memcpy(range, data, sizeof range);
    for (size_t k = 0; k < shown->count; k++) {
        const plot_joint *joint = picture_joint(p, p->t->name[shown->column[k]]);
        if (joint != NULL) {
            const size_t place = picture_place(p, shown, k);
            put_limit(p, joint->lower, place, data, range);
            put_limit(p, joint->upper, place, data, range);
        }
    }
    const double size = fmax(fabs(data[0]), fabs(data[1])), rounding = picture_rounding(p, shown);
    if (data[1] - data[0] <= fmax(1e-6 * size, rounding)) { /* constant up to rounding */
        const double margin = size <= rounding ? 1 : fmax(size / 10, rounding * 1e5);
        fprintf(p->script, "set yrange [%.9g:%.9g]\n", data[0] - margin, data[0] + margin);
    } else if (range[0] < data[0] || range[1] > data[1]) {
        double margin = (range[1] - range[0]) / 20;
        fprintf(p->script, "set yrange [%.9g:%.9g]\n", range[0] - margin, range[1] + margin);
    } else {
        fputs("set autoscale y\n", p->script);
    }
}

/* Returns a name in a new string. Keeps only both ends if it is too long for the space beside the
   panels. */
static char *short_label(const char *name)
{
    enum { LONGEST = 26, TAIL = 12 };
    char *clean = text_clean(name);
    const size_t width = text_width(clean);
    if (width <= LONGEST) {
        return clean;
    }
    size_t head = 0, tail = 0, points = 0;
    for (size_t i = 0; clean[i] != '\0'; i++) {
        if (((unsigned char)clean[i] & 0xc0) == 0x80) {
            continue;
        }
        head = points == LONGEST - TAIL - 1 ? i : head;
        tail = points == width - TAIL ? i : tail;
        points++;
    }
    char *label = text_format("%.*s…%s", (int)head, clean, clean + tail);
    free(clean);
    return label;
}

/* Returns the label of the horizontal axis, in a new string. */
static char *across_label(const picture *p)
{
    const char *name = p->x < 0 ? "row" : p->t->name[p->x];
    char *from =
        p->origin != 0 ? text_format(" − %s", number_exact(p->origin).text) : text_format("%s", "");
    char *label = text_format("%s%s%s", name, from, strcmp(name, "t") == 0 ? " (s)" : "");
    free(from);
    return label;
}

static void put_panel(const picture *p, const panel *shown, bool first, bool last)
{
    FILE *script = p->script;
    fputs("unset arrow\nunset label\nunset xlabel\n", script);
    put_events(p, first);
    put_range(p, shown);
    fputs("set ylabel ", script);
    gnuplot_string(script, shown->title);
    fputs("\n", script);
    if (last) {
        fputs("set xlabel ", script);
        char *label = across_label(p);
        gnuplot_string(script, label);
        free(label);
        fputs("\n", script);
    }
    fputs("plot ", script);
    for (size_t k = 0; k < shown->count; k++) {
        const size_t place = picture_place(p, shown, k);
        fprintf(script, "%s$data using 1:%zu with lines lw 1.5 lc rgb '%s' dt %zu title ",
                k > 0 ? ", " : "", shown->column[k] + 2, colours[place % COLOURS],
                1 + place / COLOURS % 4);
        char *label = short_label(picture_label(p->t->name[shown->column[k]]));
        gnuplot_string(script, label);
        free(label);
    }
    fputs("\n", script);
}

/* Returns the space beside the panels that the longest name needs, in characters. */
static size_t key_width(const picture *p)
{
    size_t longest = 4;
    for (size_t k = 0; k < p->panel_count; k++) {
        for (size_t i = 0; i < p->panels[k].count; i++) {
            size_t width = text_width(p->t->name[p->panels[k].column[i]]);
            longest = width > longest ? width : longest;
        }
    }
    return longest < 28 ? longest : 28;
}

/* Returns the height of a panel in pixels, large enough for its legend. */
static size_t panel_height(const picture *p)
{
    size_t most = 0;
    for (size_t k = 0; k < p->panel_count; k++) {
        most = p->panels[k].count > most ? p->panels[k].count : most;
    }
    size_t height = 60 + 16 * most;
    return height < 190 ? 190 : height > 700 ? 700 : height;
}

void picture_script(const picture *p)
{
    FILE *script = p->script;
    gnuplot_terminal(script, p->options->output, 800, panel_height(p) * p->panel_count + 50);
    put_data(p);
    fprintf(
        script,
        "set encoding utf8\nset grid lt 1 lc rgb '#dddddd'\nset key outside right top Left reverse "
        "samplen 2\nset lmargin 13\nset rmargin %zu\nset tics nomirror\nset autoscale xfix\n",
        key_width(p) + 7);
    fprintf(script, "set multiplot layout %zu,1", p->panel_count);
    if (p->options->title != NULL) {
        fputs(" title ", script);
        gnuplot_string(script, p->options->title);
    }
    fputs("\n", script);
    for (size_t k = 0; k < p->panel_count; k++) {
        put_panel(p, &p->panels[k], k == 0, k + 1 == p->panel_count);
    }
    fputs("unset multiplot\n", script);
}
