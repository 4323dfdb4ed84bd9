/* SPDX-License-Identifier: MIT */
/*
 * Pictures by gnuplot, see plot.h. Names come from files: they are data to gnuplot, in single
 * quotes, in which it expands nothing, with control characters made visible.
 */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "text.h"

extern char **environ;

/* A table of more rows is drawn by the least and largest values of as many intervals: more than the
   picture has columns of dots. */
enum { MOST_ROWS = 4000, MOST_EVENT_LABELS = 12, MOST_PANELS = 12 };

/* colours that most people with colour-blindness tell apart (Okabe and Ito 2008), dark ones first
 */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#000000", "#E69F00", "#56B4E9"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Columns whose names begin so, or are so, share a panel; those of which it is known that they
   turn, or that they slide, have panels of their own. */
static const struct {
    const char *prefix, *title, *turning, *sliding;
} quantities[] = {
    {"q:", "position (rad, m)", "position (rad)", "position (m)"},
    {"qd:", "velocity (rad/s, m/s)", "velocity (rad/s)", "velocity (m/s)"},
    {"qdd:", "acceleration (rad/s², m/s²)", "acceleration (rad/s²)", "acceleration (m/s²)"},
    {"tau:", "force (N m, N)", "torque (N m)", "force (N)"},
    {"u:", "motor (N m, N)", "motor (N m)", "motor (N)"},
    {"energy", "energy, work (J)", NULL, NULL},
    {"work", "energy, work (J)", NULL, NULL},
    {"energy:", "energy, work (J)", NULL, NULL},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

typedef struct panel {
    const char *title;
    size_t *column, count;
} panel;

typedef struct picture {
    const plot_table *t;
    const plot_options *options;
    int x; /* column, −1 for the number of the row */
    panel panels[MOST_PANELS];
    size_t panel_count;
    FILE *script;
} picture;

bool plot_is_picture(const char *path)
{
    size_t length = strlen(path);
    return length > 4 &&
           (strcmp(path + length - 4, ".svg") == 0 || strcmp(path + length - 4, ".png") == 0 ||
            strcmp(path + length - 4, ".pdf") == 0);
}

/* ---- what is drawn where --------------------------------------------------------------------- */

static int find_column(const plot_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++) {
        if (strcmp(t->name[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Place of a column's name in the table of quantities, −1 for none. */
static int quantity_of(const char *name)
{
    for (int k = 0; k < QUANTITIES; k++) {
        const char *prefix = quantities[k].prefix;
        size_t length = strlen(prefix);
        bool whole = prefix[length - 1] != ':';
        if (whole ? strcmp(name, prefix) == 0 : strncmp(name, prefix, length) == 0) {
            return k;
        }
    }
    return -1;
}

/* Whether the options ask for a column: by its name, or by its quantity. */
static bool is_wanted(const picture *p, const char *name)
{
    for (size_t i = 0; i < p->options->only_count; i++) {
        const char *only = p->options->only[i];
        size_t length = strlen(only);
        if (strcmp(name, only) == 0 || (strncmp(name, only, length) == 0 && name[length] == ':')) {
            return true;
        }
    }
    return p->options->only_count == 0 && quantity_of(name) >= 0;
}

/* The name of a column without its quantity. */
static const char *label_of(const char *name)
{
    const int quantity = quantity_of(name);
    const char *prefix = quantity < 0 ? "" : quantities[quantity].prefix;
    const size_t length = strlen(prefix);
    return length > 0 && prefix[length - 1] == ':' ? name + length : name;
}

/* What is known of a column; NULL: nothing. */
static const plot_joint *joint_of(const picture *p, const char *name)
{
    for (size_t i = 0; i < p->options->joints; i++) {
        if (strcmp(p->options->joint[i].column, name) == 0) {
            return &p->options->joint[i];
        }
    }
    return NULL;
}

/* The panel of a column. */
static const char *title_of(const picture *p, const char *name)
{
    const int quantity = quantity_of(name);
    const plot_joint *joint = joint_of(p, name);
    if (quantity < 0) {
        return name;
    }
    return joint == NULL   ? quantities[quantity].title
           : joint->slides ? quantities[quantity].sliding
                           : quantities[quantity].turning;
}

static void add_curve(picture *p, const char *title, size_t column)
{
    size_t k = 0;
    while (k < p->panel_count && strcmp(p->panels[k].title, title) != 0) {
        k++;
    }
    if (k == MOST_PANELS) {
        return;
    }
    panel *target = &p->panels[k];
    if (k == p->panel_count) {
        *target = (panel){.title = title};
        p->panel_count++;
    }
    target->column = reallocate(target->column, target->count + 1, sizeof *target->column);
    target->column[target->count++] = column;
}

static bool choose(picture *p)
{
    const plot_table *t = p->t;
    p->x = find_column(t, p->options->x != NULL ? p->options->x : "t");
    if (p->options->x != NULL && (p->x < 0 || !t->numeric[p->x])) {
        complain("the table has no column '%s' of numbers", p->options->x);
        return false;
    }
    for (size_t i = 0; i < p->options->only_count; i++) {
        bool found = false;
        size_t length = strlen(p->options->only[i]);
        for (size_t k = 0; k < t->columns; k++) {
            found = found || strcmp(t->name[k], p->options->only[i]) == 0 ||
                    (strncmp(t->name[k], p->options->only[i], length) == 0 &&
                     t->name[k][length] == ':');
        }
        if (!found) {
            complain("the table has no column or quantity '%s'", p->options->only[i]);
            return false;
        }
    }
    for (int k = 0; k <= QUANTITIES; k++) { /* in the order of quantities, others last */
        for (size_t i = 0; i < t->columns; i++) {
            int quantity = quantity_of(t->name[i]);
            if ((int)i == p->x || !t->numeric[i] || !is_wanted(p, t->name[i]) ||
                (quantity < 0 ? QUANTITIES : quantity) != k) {
                continue;
            }
            add_curve(p, title_of(p, t->name[i]), i);
        }
    }
    if (p->panel_count == 0) {
        complain("the table has no column of numbers that is drawn: q:, qd:, qdd:, tau:, u:, "
                 "energy or work; --column NAME names others");
    }
    return p->panel_count > 0;
}

/* ---- the script ------------------------------------------------------------------------------ */

/* Whether a column is of a joint. */
static bool is_joint(const char *name)
{
    const int quantity = quantity_of(name);
    return quantity >= 0 && quantities[quantity].sliding != NULL;
}

/* Which of all joints in the picture that of a column is, from 0: they keep their colours over the
   panels. Of another column its place in its panel. */
static size_t place_of(const picture *p, const panel *shown, size_t place)
{
    const size_t column = shown->column[place];
    if (!is_joint(p->t->name[column])) {
        return place;
    }
    const char *wanted = label_of(p->t->name[column]);
    const char **seen = allocate(p->t->columns, sizeof *seen);
    size_t count = 0, at = 0;
    bool found = false;
    for (size_t k = 0; k < p->panel_count && !found; k++) {
        for (size_t i = 0; i < p->panels[k].count && !found; i++) {
            const char *name = p->t->name[p->panels[k].column[i]], *label = label_of(name);
            if (!is_joint(name)) {
                continue;
            }
            for (at = 0; at < count && strcmp(seen[at], label) != 0;) {
                at++;
            }
            seen[at] = label;
            count += at == count;
            found = strcmp(label, wanted) == 0;
        }
    }
    free(seen);
    return at;
}

/* In single quotes gnuplot expands nothing but a doubled quote. */
static void put_string(FILE *script, const char *text)
{
    char *clean = text_clean(text);
    fputc('\'', script);
    for (const char *c = clean; *c != '\0'; c++) {
        fputs(*c == '\'' ? "''" : (char[]){*c, '\0'}, script);
    }
    fputc('\'', script);
    free(clean);
}

static double across(const picture *p, size_t row)
{
    return p->x < 0 ? (double)row + 1 : p->t->value[p->x][row];
}

static void put_number(FILE *script, double x)
{
    fprintf(script, isfinite(x) ? "%.9g " : "NaN ", x);
}

/* The least and the largest value of a column in some rows, in the order in which they occur. */
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

/* Rows of x and all columns, as a block of data. */
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

/* An event without its time, cut to what a panel is high; a new string. */
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
            char *label = event_label(p->t->event[i]);
            fputs("set label ", p->script);
            put_string(p->script, label);
            fprintf(p->script,
                    " at first %.9g, graph 0.03 left rotate by 90 offset -0.7,0 font ',8' tc rgb "
                    "'#555555' front\n",
                    across(p, i));
            free(label);
        }
    }
}

/* The least and the largest value of a panel. */
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

/* A limit in the colour of its curve, where curves come near to it; the range then holds it. */
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

/* The range of the panel, and limits. What does not change has a margin, which gnuplot would choose
   with a warning. */
static void put_range(const picture *p, const panel *shown)
{
    double data[2], range[2];
    find_range(p, shown, data);
    memcpy(range, data, sizeof range);
    for (size_t k = 0; k < shown->count; k++) {
        const plot_joint *joint = joint_of(p, p->t->name[shown->column[k]]);
        if (joint != NULL) {
            const size_t place = place_of(p, shown, k);
            put_limit(p, joint->lower, place, data, range);
            put_limit(p, joint->upper, place, data, range);
        }
    }
    const double size = fmax(fabs(data[0]), fabs(data[1]));
    if (data[1] - data[0] <= 1e-6 * size) { /* rounding, or nothing */
        double margin = size == 0 ? 1 : size / 10;
        fprintf(p->script, "set yrange [%.9g:%.9g]\n", data[0] - margin, data[0] + margin);
    } else if (range[0] < data[0] || range[1] > data[1]) {
        double margin = (range[1] - range[0]) / 20;
        fprintf(p->script, "set yrange [%.9g:%.9g]\n", range[0] - margin, range[1] + margin);
    } else {
        fputs("set autoscale y\n", p->script);
    }
}

/* Both ends of a name that is longer than the room beside the panels; a new string. */
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

static void put_panel(const picture *p, const panel *shown, bool first, bool last)
{
    FILE *script = p->script;
    fputs("unset arrow\nunset label\nunset xlabel\n", script);
    put_events(p, first);
    put_range(p, shown);
    fputs("set ylabel ", script);
    put_string(script, shown->title);
    fputs("\n", script);
    if (last) {
        fputs("set xlabel ", script);
        put_string(script, p->x < 0                             ? "row"
                           : strcmp(p->t->name[p->x], "t") == 0 ? "t (s)"
                                                                : p->t->name[p->x]);
        fputs("\n", script);
    }
    fputs("plot ", script);
    for (size_t k = 0; k < shown->count; k++) {
        const size_t place = place_of(p, shown, k);
        fprintf(script, "%s$data using 1:%zu with lines lw 1.5 lc rgb '%s' dt %zu title ",
                k > 0 ? ", " : "", shown->column[k] + 2, colours[place % COLOURS],
                1 + place / COLOURS % 4);
        char *label = short_label(label_of(p->t->name[shown->column[k]]));
        put_string(script, label);
        free(label);
    }
    fputs("\n", script);
}

/* Room beside the panels for the longest name. */
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

/* Dots that a panel takes from top to bottom: what its names need, at least. */
static size_t panel_height(const picture *p)
{
    size_t most = 0;
    for (size_t k = 0; k < p->panel_count; k++) {
        most = p->panels[k].count > most ? p->panels[k].count : most;
    }
    size_t height = 60 + 16 * most;
    return height < 190 ? 190 : height > 700 ? 700 : height;
}

static void put_script(const picture *p)
{
    FILE *script = p->script;
    const char *suffix = p->options->output + strlen(p->options->output) - 3;
    const size_t width = 800, height = panel_height(p) * p->panel_count + 50;
    if (strcmp(suffix, "pdf") == 0) {
        fprintf(script, "set terminal pdfcairo noenhanced size %.2f,%.2f font 'Sans,9'\n",
                (double)width / 100, (double)height / 100);
    } else if (strcmp(suffix, "png") == 0) {
        fprintf(script, "set terminal pngcairo noenhanced size %zu,%zu font 'Sans,9'\n", width,
                height);
    } else {
        fprintf(script,
                "set terminal svg noenhanced dynamic size %zu,%zu font 'Helvetica,12' "
                "background rgb 'white'\n",
                width, height);
    }
    put_data(p);
    fprintf(
        script,
        "set encoding utf8\nset grid lt 1 lc rgb '#dddddd'\nset key outside right top Left reverse "
        "samplen 2\nset lmargin 11\nset rmargin %zu\nset tics nomirror\nset autoscale xfix\n",
        key_width(p) + 7);
    fprintf(script, "set multiplot layout %zu,1", p->panel_count);
    if (p->options->title != NULL) {
        fputs(" title ", script);
        put_string(script, p->options->title);
    }
    fputs("\n", script);
    for (size_t k = 0; k < p->panel_count; k++) {
        put_panel(p, &p->panels[k], k == 0, k + 1 == p->panel_count);
    }
    fputs("unset multiplot\n", script);
}

/* ---- gnuplot --------------------------------------------------------------------------------- */

/* Runs gnuplot on a script, its standard output being the file. Returns false with a message. */
static bool run_gnuplot(FILE *script, int file)
{
    char *argv[] = {"gnuplot", "-d", "-", NULL}; /* -d: nobody's own settings */
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
    int error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        complain(error == ENOENT
                     ? "pictures are drawn by gnuplot, which is not installed (Debian: gnuplot-nox)"
                     : "gnuplot cannot be started: %s",
                 strerror(error));
        return false;
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        complain("gnuplot failed");
        return false;
    }
    return true;
}

/* The picture to a temporary name beside the output, then to its own. */
static bool draw(picture *p)
{
    char *temporary = text_format("%s.XXXXXX", p->options->output);
    int file = mkstemp(temporary);
    bool good = file >= 0;
    if (!good) {
        complain("%s: %s", p->options->output, strerror(errno));
    }
    p->script = good ? tmpfile() : NULL;
    if (good && p->script == NULL) {
        complain("a temporary file: %s", strerror(errno));
        good = false;
    }
    if (good) {
        put_script(p);
        rewind(p->script);
        good = run_gnuplot(p->script, file);
    }
    if (p->script != NULL) {
        fclose(p->script);
    }
    if (file >= 0) {
        mode_t mask = umask(0);
        umask(mask);
        good = fchmod(file, 0666 & ~mask) == 0 && good;
        good = close(file) == 0 && good;
        if (good && rename(temporary, p->options->output) != 0) {
            complain("%s: %s", p->options->output, strerror(errno));
            good = false;
        }
        if (!good) {
            unlink(temporary);
        }
    }
    free(temporary);
    return good;
}

int plot_write(const plot_table *t, const plot_options *options)
{
    picture p = {.t = t, .options = options};
    if (!plot_is_picture(options->output)) {
        complain("%s: a picture is .svg, .png or .pdf", options->output);
        return EXIT_USAGE;
    }
    bool good = choose(&p) && draw(&p);
    for (size_t k = 0; k < p.panel_count; k++) {
        free(p.panels[k].column);
    }
    return good ? EXIT_GOOD : EXIT_USAGE;
}
