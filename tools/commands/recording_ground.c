/* SPDX-License-Identifier: MIT */
/*
 * Options, rows and columns of the ground reactions of a recorded motion, see recording_ground.h.
 */
#include "commands/recording_ground.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/link_name.h"
#include "input/value.h"
#include "text.h"
#include "vectors.h"

/* ---- options --------------------------------------------------------------------------------- */

/* Splits a word LINK:X,Y,Z. Returns the name in a new string; *given: whether there is a point. */
static char *split_word(const char *word, double point[3], bool *given)
{
    const char *colon = strrchr(word, ':');
    *given = colon != NULL && read_quantities(colon + 1, UNIT_SLIDE, 0, 3, point);
    return text_format("%.*s", (int)(*given ? colon - word : (ptrdiff_t)strlen(word)), word);
}

static ground_foot *find_foot(const ground_motion *m, const char *name)
{
    for (size_t i = 0; i < m->feet; i++) {
        if (strcmp(m->foot[i].name, name) == 0) {
            return &m->foot[i];
        }
    }
    return NULL;
}

static bool read_foot(ground_motion *m, const char *word)
{
    double point[3] = {0, 0, 0};
    bool given;
    scoped char *name = split_word(word, point, &given);
    ground_foot *foot = &m->foot[m->feet];
    const int link = find_link_point(m->s->model, name, given, point, foot->point);
    if (link < 0) {
        return false;
    }
    if (find_foot(m, name) != NULL) {
        complain("--foot %s: link '%s' is a foot already", word, name);
        return false;
    }
    foot->link = (size_t)link;
    foot->name = td_link_at(m->s->model, foot->link)->name;
    m->feet++;
    return true;
}

static bool read_plate(ground_motion *m, const char *word)
{
    double point[3];
    bool given;
    scoped char *name = split_word(word, point, &given);
    ground_foot *foot = find_foot(m, name);
    if (!given) {
        complain("--plate %s: expected LINK:X,Y,Z: the foot on the plate, and the point of the "
                 "world (m) to which the plate's moments refer",
                 word);
    } else if (foot == NULL) {
        complain("--plate %s: '%s' is not a foot; add --foot %s", word, name, name);
    } else if (foot->has_plate) {
        complain("--plate %s: foot '%s' has a plate already", word, name);
    } else {
        memcpy(foot->plate, point, sizeof foot->plate);
        foot->has_plate = true;
        return true;
    }
    return false;
}

bool ground_motion_new(ground_motion *m, const ground_options *options, td_frame frame,
                       const session *s)
{
    *m = (ground_motion){.options = options, .s = s};
    bool good = ground_find(&m->plane, &options->plane, frame, s);
    m->foot = allocate(options->foot.count, sizeof *m->foot);
    m->foot_name = allocate(options->foot.count, sizeof *m->foot_name);
    for (size_t i = 0; i < options->foot.count && good; i++) {
        good = read_foot(m, options->foot.word[i]);
    }
    for (size_t i = 0; i < options->plate.count && good; i++) {
        good = read_plate(m, options->plate.word[i]);
    }
    for (size_t i = 0; i < m->feet; i++) {
        m->foot_name[i] = m->foot[i].name;
    }
    return good;
}

void ground_motion_free(ground_motion *m)
{
    free(m->foot);
    free(m->foot_name);
    free(m->measured);
    free(m->numbers);
    free(m->points);
    free(m->contact);
    free(m->wrenches);
}

/* ---- columns --------------------------------------------------------------------------------- */

static bool has_column(const ground_motion *m, const recording *r, size_t foot, size_t column)
{
    const size_t index = 6 * td_link_count(m->s->model) + FOOT_COLUMNS * foot + column;
    for (size_t k = r->channels; k < r->all; k++) {
        if (r->channel[k].index == index) {
            return true;
        }
    }
    return false;
}

/* Checks that a foot with a plate has all of its columns, and a foot without none. */
static bool check_plate(const ground_motion *m, const recording *r, size_t foot)
{
    const ground_foot *f = &m->foot[foot];
    for (size_t a = 0; a < 6; a++) {
        const bool has = has_column(m, r, foot, a);
        if (has && !f->has_plate) {
            complain("%s: column 'plate:%s.%s': to which point do the moments of the plate refer? "
                     "give --plate %s:X,Y,Z (m, world)",
                     r->name, f->name, wrench_part[a], f->name);
            return false;
        }
        if (!has && f->has_plate) {
            complain("%s: --plate %s needs a column 'plate:%s.%s'", r->name, f->name, f->name,
                     wrench_part[a]);
            return false;
        }
    }
    return true;
}

bool ground_motion_find_columns(ground_motion *m, const recording *r)
{
    for (size_t i = 0; i < m->feet; i++) {
        ground_foot *foot = &m->foot[i];
        foot->has_contact = has_column(m, r, i, FOOT_CONTACT);
        if (!check_plate(m, r, i)) {
            return false;
        }
        if (!foot->has_contact && !foot->has_plate && isnan(m->options->contact_height)) {
            complain("--foot %s: nothing says when it is in contact; give --contact HEIGHT, a "
                     "column 'contact:%s' of 0 and 1, or --plate",
                     foot->name, foot->name);
            return false;
        }
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

void ground_motion_rows(ground_motion *m, size_t n, const double *t, const recording *r)
{
    const size_t links = td_link_count(m->s->model), columns = FOOT_COLUMNS * m->feet;
    m->n = n;
    m->t = t;
    m->numbers = allocate(n * GROUND_ALL, sizeof *m->numbers);
    m->points = allocate(3 * n * m->feet, sizeof *m->points);
    m->contact = allocate(n * m->feet, sizeof *m->contact);
    m->wrenches = allocate(6 * n * m->feet, sizeof *m->wrenches);
    m->measured = allocate(n * columns, sizeof *m->measured);
    for (size_t i = 0; i < n; i++) {
        recording_forces(r, t[i], 6 * links, columns, m->measured + i * columns);
    }
}

td_status ground_motion_row(ground_motion *m, size_t i, const ground_state *state)
{
    td_status status = ground_compute(&m->plane, m->s, state, m->numbers + i * GROUND_ALL);
    for (size_t k = 0; k < m->feet && status == TD_OK; k++) {
        const ground_foot *foot = &m->foot[k];
        double *p = m->points + 3 * (i * m->feet + k), pose[12];
        status = td_link_pose(m->s->model, m->s->workspace, foot->link, state->y, pose);
        for (size_t a = 0; a < 3; a++) { /* x_world = R x_link + p */
            const double *row = pose + 4 * a;
            p[a] = row[0] * foot->point[0] + row[1] * foot->point[1] + row[2] * foot->point[2] +
                   row[3];
        }
    }
    return status;
}

void ground_motion_fail(ground_motion *m, size_t i)
{
    set_nan(m->numbers + i * GROUND_ALL, GROUND_ALL);
    set_nan(m->points + 3 * i * m->feet, 3 * m->feet);
}

/* ---- table ----------------------------------------------------------------------------------- */

void ground_motion_heading(const ground_motion *m, table_output *t)
{
    outputs o = {0};
    ground_declare(&o);
    outputs_table columns = outputs_columns(&o, false);
    for (size_t i = 0; i < columns.count; i++) {
        table_output_name(t, columns.name[i]);
        free(columns.name[i]);
    }
    free(columns.name);
    free(columns.place);
    outputs_free(&o);
    for (size_t k = 0; k < m->feet; k++) {
        for (size_t a = 0; a < 6; a++) {
            scoped char *name = text_format("foot:%s.%s", m->foot[k].name, wrench_part[a]);
            table_output_name(t, name);
        }
    }
}

void ground_motion_write(const ground_motion *m, size_t i, table_output *t)
{
    table_output_numbers(t, m->numbers + i * GROUND_ALL, GROUND_NUMBERS);
    table_output_numbers(t, m->wrenches + 6 * i * m->feet, 6 * m->feet);
}
