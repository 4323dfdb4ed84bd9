/* SPDX-License-Identifier: MIT */
/*
 * Assigns columns to the panels of a picture; see plot.h.
 */
#include "output/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output/gnuplot.h"
#include "output/plot_picture.h"
#include "text.h"

static const char energies[] = "energy, work (J)";
static const char turning_part[] = "Jacobian, rotation", sliding_part[] = "Jacobian, translation";
static const char link_place[] = "position of links (m)", link_turn[] = "quaternion of links";

/* Columns whose names have this prefix, or this name, share a panel. Revolute and prismatic joints
   get separate panels. part: compare with the name after its last point. whole: curves keep the
   names of columns. */
static const struct {
    const char *prefix, *title, *turning, *sliding;
    char part;
    bool whole;
} quantities[] = {
    {"q:", "position (rad, m)", "position (rad)", "position (m)", 0, false},
    {"qd:", "velocity (rad/s, m/s)", "velocity (rad/s)", "velocity (m/s)", 0, false},
    {"qdd:", "acceleration (rad/s², m/s²)", "acceleration (rad/s²)", "acceleration (m/s²)", 0,
     false},
    {"tau:", "force (N m, N)", "torque (N m)", "force (N)", 0, false},
    {"u:", "motor (N m, N)", "motor (N m)", "motor (N)", 0, false},
    {"reaction:", "reaction, moment (N m)", NULL, NULL, 'm', false},
    {"reaction:", "reaction, force (N)", NULL, NULL, 'f', false},
    {"energy", energies, NULL, NULL, 0, false},
    {"work", energies, NULL, NULL, 0, false},
    {"energy:", energies, NULL, NULL, 0, false},
    {"x:", link_place, NULL, NULL, 0, true},
    {"y:", link_place, NULL, NULL, 0, true},
    {"z:", link_place, NULL, NULL, 0, true},
    {"qx:", link_turn, NULL, NULL, 0, true},
    {"qy:", link_turn, NULL, NULL, 0, true},
    {"qz:", link_turn, NULL, NULL, 0, true},
    {"qw:", link_turn, NULL, NULL, 0, true},
    {"H:", "mass matrix (kg m², kg m, kg)", NULL, NULL, 0, false},
    {"wx:", turning_part, NULL, NULL, 0, true},
    {"wy:", turning_part, NULL, NULL, 0, true},
    {"wz:", turning_part, NULL, NULL, 0, true},
    {"vx:", sliding_part, NULL, NULL, 0, true},
    {"vy:", sliding_part, NULL, NULL, 0, true},
    {"vz:", sliding_part, NULL, NULL, 0, true},
};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

bool plot_is_picture(const char *path)
{
    size_t length = strlen(path);
    return length > 4 &&
           (strcmp(path + length - 4, ".svg") == 0 || strcmp(path + length - 4, ".png") == 0 ||
            strcmp(path + length - 4, ".pdf") == 0);
}

/* ---- panels ---------------------------------------------------------------------------------- */

static int find_column(const plot_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++) {
        if (strcmp(t->name[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Returns the index of a column's quantity in the table above, or −1. */
static int quantity_of(const char *name)
{
    for (int k = 0; k < QUANTITIES; k++) {
        const char *prefix = quantities[k].prefix;
        size_t length = strlen(prefix);
        bool whole = prefix[length - 1] != ':';
        const char *point = strrchr(name, '.');
        if ((whole ? strcmp(name, prefix) == 0 : strncmp(name, prefix, length) == 0) &&
            (quantities[k].part == 0 || (point != NULL && point[1] == quantities[k].part))) {
            return k;
        }
    }
    return -1;
}

/* Returns whether the options ask for a column: by its name, or by its quantity. */
static bool is_wanted(const picture *p, const char *name)
{
    for (size_t i = 0; i < p->options->only.count; i++) {
        const char *only = p->options->only.word[i];
        size_t length = strlen(only);
        if (strcmp(name, only) == 0 || (strncmp(name, only, length) == 0 && name[length] == ':')) {
            return true;
        }
    }
    return p->options->only.count == 0 &&
           (quantity_of(name) >= 0 || (p->options->results && strchr(name, ':') != NULL));
}

const char *picture_label(const char *name)
{
    const int quantity = quantity_of(name);
    const char *prefix =
        quantity < 0 || quantities[quantity].whole ? "" : quantities[quantity].prefix;
    const size_t length = strlen(prefix);
    return length > 0 && prefix[length - 1] == ':' ? name + length : name;
}

const plot_joint *picture_joint(const picture *p, const char *name)
{
    for (size_t i = 0; i < p->options->joints; i++) {
        if (strcmp(p->options->joint[i].column, name) == 0) {
            return &p->options->joint[i];
        }
    }
    return NULL;
}

/* Returns whether a column belongs to a joint. */
static bool is_joint(const char *name)
{
    const int quantity = quantity_of(name);
    return quantity >= 0 && quantities[quantity].sliding != NULL;
}

/* Returns the part of a column's name before its colon. */
static const char *other_title(picture *p, const char *name)
{
    char *title = text_format("%.*s", (int)strcspn(name, ":"), name);
    p->titles = reallocate(p->titles, p->title_count + 1, sizeof *p->titles);
    return p->titles[p->title_count++] = title;
}

/* Returns the title of a column's panel. */
static const char *title_of(picture *p, const char *name)
{
    const int quantity = quantity_of(name);
    const plot_joint *joint = picture_joint(p, name);
    if (quantity < 0) {
        return p->options->results ? other_title(p, name) : name;
    }
    return joint == NULL || !is_joint(name) ? quantities[quantity].title
           : joint->slides                  ? quantities[quantity].sliding
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
    for (size_t i = 0; i < p->options->only.count; i++) {
        bool found = false;
        size_t length = strlen(p->options->only.word[i]);
        for (size_t k = 0; k < t->columns; k++) {
            found = found || strcmp(t->name[k], p->options->only.word[i]) == 0 ||
                    (strncmp(t->name[k], p->options->only.word[i], length) == 0 &&
                     t->name[k][length] == ':');
        }
        if (!found) {
            complain("the table has no column or quantity '%s'", p->options->only.word[i]);
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
        complain("the table has no column to plot: q:, qd:, qdd:, tau:, u:, reaction:, energy, "
                 "work, and what fk, mass and jacobian write; --column NAME names others");
    }
    return p->panel_count > 0;
}

size_t picture_place(const picture *p, const panel *shown, size_t place)
{
    const size_t column = shown->column[place];
    if (!is_joint(p->t->name[column])) {
        return place;
    }
    const char *wanted = picture_label(p->t->name[column]);
    scoped const char **seen = allocate(p->t->columns, sizeof *seen);
    size_t count = 0, at = 0;
    bool found = false;
    for (size_t k = 0; k < p->panel_count && !found; k++) {
        for (size_t i = 0; i < p->panels[k].count && !found; i++) {
            const char *name = p->t->name[p->panels[k].column[i]], *label = picture_label(name);
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
    return at;
}

/* Shifts the horizontal axis to the first value if values are large compared with its length.
   Otherwise labels such as 1.7e9 s would all look the same. */
static void choose_origin(picture *p)
{
    static const double far = 1e4; /* in lengths of the axis */
    const plot_table *t = p->t;
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (size_t i = 0; i < t->rows && p->x >= 0; i++) {
        const double x = t->value[p->x][i];
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    const double length = most - least;
    if (isfinite(length) && length > 0 && fmax(fabs(least), fabs(most)) > far * length) {
        p->origin = length >= 1 ? floor(least) : least;
    }
}

double picture_rounding(const picture *p, const panel *shown)
{
    static const double smallest = 1e-15, part = 1e-13, drift = 1e-6;
    double largest = 0;
    for (size_t k = 0; k < p->panel_count; k++) {
        for (size_t i = 0; i < p->panels[k].count; i++) {
            largest = fmax(largest, largest_of(p->t->value[p->panels[k].column[i]], p->t->rows));
        }
    }
    const double energy = shown->title == energies ? drift * p->options->energy : 0;
    return fmax(fmax(smallest, part * largest), energy);
}

/* ---- the picture ----------------------------------------------------------------------------- */

static void write_script(FILE *script, const void *context)
{
    picture p = *(const picture *)context;
    p.script = script;
    picture_script(&p);
}

int plot_write(const plot_table *t, const plot_options *options)
{
    picture p = {.t = t, .options = options};
    if (strcmp(options->output, "-") != 0 && !plot_is_picture(options->output)) {
        complain("%s: a picture must be .svg, .png or .pdf", options->output);
        return EXIT_USAGE;
    }
    bool good = plot_possible() && choose(&p);
    if (good) {
        choose_origin(&p);
        good = gnuplot_draw(options->output, write_script, &p);
    }
    for (size_t k = 0; k < p.panel_count; k++) {
        free(p.panels[k].column);
    }
    for (size_t k = 0; k < p.title_count; k++) {
        free(p.titles[k]);
    }
    free(p.titles);
    return good ? EXIT_GOOD : EXIT_FILE;
}
