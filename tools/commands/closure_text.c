/* SPDX-License-Identifier: MIT */
/*
 * Prints q = M y + b, see closure_text.h: as matrices if they fit on a page, else as one equation
 * per row.
 */
#include "commands/closure_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/follower.h"
#include "input/loops.h"
#include "output/paragraph.h"
#include "output/table.h"
#include "text.h"

enum { WIDEST_MATRIX = 12 };

/* ---- selection of rows ----------------------------------------------------------------------- */

bool closure_is_linear(const closure *c)
{
    return !has_solved_loops(c->tree.model);
}

void closure_find_sums(closure *c)
{
    const td_model *model = c->tree.model;
    scoped bool *used = allocate(c->M.columns, sizeof *used);
    c->row = allocate(c->M.rows, sizeof *c->row);
    c->which = allocate(c->M.columns, sizeof *c->which);
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = td_movable_joint(model, i);
        if (has_columns(model, joint)) {
            continue;
        }
        size_t row = td_joint_place_at(model, joint).q;
        c->row[c->rows++] = row;
        for (size_t k = c->M.row[row]; k < c->M.row[row + 1]; k++) {
            used[c->M.column[k]] = used[c->M.column[k]] || c->M.value[k] != 0;
        }
    }
    for (size_t j = 0; j < c->M.columns; j++) {
        if (used[j]) {
            c->which[c->columns++] = j;
        }
    }
}

static number position(const closure *c, size_t i)
{
    return number_of_scale(c->q[i], largest_of(c->q, c->M.rows));
}

/* ---- sums as equations ----------------------------------------------------------------------- */

/* Prints one row of a sparse matrix as a sum of names. */
static void put_row(FILE *stream, const closure *c, size_t row)
{
    bool first = true;
    for (size_t k = c->M.row[row]; k < c->M.row[row + 1]; k++) {
        if (c->M.value[k] != 0) {
            put_term(stream, first, c->M.value[k], c->column[c->M.column[k]]);
            first = false;
        }
    }
    if (c->b[row] != 0 || first) {
        put_term(stream, first, c->b[row], NULL);
    }
}

static void print_equations(const closure *c)
{
    table t = table_new(c->q != NULL ? "lllll" : "lll");
    t.plain = true;
    for (size_t i = 0; i < c->rows; i++) {
        text_stream to;
        text_open(&to);
        put_row(to.stream, c, c->row[i]);
        scoped char *text = text_close(&to);
        table_add(&t, "%s", c->tree.name[QUANTITY_Q][c->row[i]]);
        table_add(&t, "=");
        table_add(&t, "%s", text);
        if (c->q != NULL) {
            table_add(&t, "=");
            table_add(&t, "%s", position(c, c->row[i]).text);
        }
    }
    table_print(&t, 0);
}

/* ---- matrices ------------------------------------------------------------------------------- */

double *dense_matrix(td_sparse m)
{
    double *full = allocate(m.rows * m.columns, sizeof *full);
    for (size_t i = 0; i < m.rows; i++) {
        for (size_t k = m.row[i]; k < m.row[i + 1]; k++) {
            full[i * m.columns + m.column[k]] = m.value[k];
        }
    }
    return full;
}

/* Returns the entry of a vertically centered column at a line, or -1 above and below it. */
static int entry_at(size_t line, size_t lines, size_t height)
{
    size_t above = (lines - height) / 2;
    return line >= above && line - above < height ? (int)(line - above) : -1;
}

/* Adds a line of [ q ] = [ M ] [ y ] + [ b ], in which shorter columns are vertically centered. */
static void add_picture_line(table *t, const closure *c, const double *M, size_t line, size_t lines)
{
    bool middle = line == lines / 2;
    int i = entry_at(line, lines, c->rows);
    int j = entry_at(line, lines, c->columns);
    size_t row = i < 0 ? 0 : c->row[i];
    table_add(t, i < 0 ? "" : "[");
    table_add(t, "%s", i < 0 ? "" : c->tree.name[QUANTITY_Q][row]);
    table_add(t, i < 0 ? "" : middle ? "] = [" : "]   [");
    for (size_t k = 0; k < c->columns; k++) {
        number entry = number_clear(M[row * c->M.columns + c->which[k]]);
        table_add(t, "%s%s", k > 0 ? " " : "", i < 0 ? "" : entry.text);
    }
    table_add(t, "%s%s", i < 0 ? " " : "]", j < 0 ? "" : " [");
    table_add(t, "%s", j < 0 ? "" : c->column[c->which[j]]);
    table_add(t, "%s%s", j < 0 ? " " : "]", i < 0 ? "" : middle ? " + [" : "   [");
    table_add(t, "%s", i < 0 ? "" : number_clear(c->b[row]).text);
    table_add(t, i < 0 ? "" : c->q == NULL ? "]" : middle ? "] = [" : "]   [");
    if (c->q != NULL) {
        table_add(t, "%s", i < 0 ? "" : position(c, row).text);
        table_add(t, i < 0 ? "" : "]");
    }
}

static void print_picture(const closure *c)
{
    char columns[WIDEST_MATRIX + 1] = "", alignment[WIDEST_MATRIX + 16];
    memset(columns, 'r', c->columns);
    snprintf(alignment, sizeof alignment, "lll%s%s", columns, c->q != NULL ? "lllrlrl" : "lllrl");
    scoped double *M = dense_matrix(c->M);
    table t = table_new(alignment);
    t.plain = true;
    t.gap = 1;
    size_t lines = c->rows > c->columns ? c->rows : c->columns;
    for (size_t i = 0; i < lines; i++) {
        add_picture_line(&t, c, M, i, lines);
    }
    table_print(&t, 0);
}

/* ---- the whole text -------------------------------------------------------------------------- */

/* Returns whether motor i is the i-th independent coordinate for all i, not counting a floating
   base. */
static bool is_identity(const td_model *model, const double *M_u, size_t nu, size_t nyd)
{
    size_t base = td_model_base(model) == TD_BASE_FLOATING ? 6 : 0;
    bool identity = nyd == nu + base;
    for (size_t i = 0; identity && i < nu; i++) {
        for (size_t j = 0; j < nyd; j++) {
            identity = identity && M_u[i * nyd + j] == (j == i + base ? 1.0 : 0.0);
        }
    }
    return identity;
}

void closure_print_actuation(const session *s, const double *y)
{
    const td_model *model = s->model;
    size_t nu = td_nu(model), nyd = td_nyd(model);
    if (nu == 0 || nyd > WIDEST_MATRIX)
        return;
    double *M_u = allocate(nu * nyd, sizeof *M_u);
    td_actuation_matrix(model, s->workspace, y, M_u);
    if (is_identity(model, M_u, nu, nyd)) {
        free(M_u);
        return;
    }
    char alignment[WIDEST_MATRIX + 8] = "ll";
    memset(alignment + 2, 'r', nyd);
    alignment[2 + nyd] = 'l';
    double scale = largest_of(M_u, nu * nyd);
    printf("\nM_u, %zu × %zu\n\n", nu, nyd);
    table t = table_new(alignment);
    t.plain = true;
    t.gap = 1;
    for (size_t i = 0; i < nu; i++) {
        table_add(&t, "%s", td_actuator_at(model, i).name);
        table_add(&t, "[");
        for (size_t j = 0; j < nyd; j++)
            table_add(&t, "%s", number_clear(significant(M_u[i * nyd + j], scale)).text);
        table_add(&t, "]");
    }
    table_print(&t, 0);
    free(M_u);
}

/* Returns whether loops determine the k-th position of a joint. Coordinates of a quaternion are all
   dependent or all independent. */
static bool is_dependent(td_joint_place place, size_t k)
{
    bool part = place.nq == place.nv && (place.dependents >> k & 1) != 0;
    return place.dependent || part;
}

/* Prints joints that follow others by curves, with their values if y is given. */
static void print_followers(const closure *c)
{
    const td_model *model = c->tree.model;
    table t = table_new(c->q != NULL ? "llll" : "ll");
    bool any = false;
    t.plain = true;
    for (size_t i = 0; i < td_joint_count(model); i++) {
        if (!follows_curves(model, i)) {
            continue;
        }
        const size_t row = td_joint_place_at(model, i).q;
        scoped char *formula = follower_text(model, i);
        table_add(&t, "%s", c->tree.name[QUANTITY_Q][row]);
        table_add(&t, "= %s", formula);
        if (c->q != NULL) {
            table_add(&t, "=");
            table_add(&t, "%s", position(c, row).text);
        }
        any = true;
    }
    if (any) {
        puts("\nby curves");
    }
    table_print(&t, 2);
}

/* Prints the positions that are columns of M and are dependent or not, with values if y is given.
 */
static void print_columns(const closure *c, const char *label, bool dependent)
{
    const td_model *model = c->tree.model;
    name_list list = {NULL, 0};
    for (size_t i = 0; i < td_movable_count(model); i++) {
        size_t joint = td_movable_joint(model, i);
        td_joint_place place = td_joint_place_at(model, joint);
        for (size_t k = 0; has_columns(model, joint) && k < place.nq; k++) {
            if (is_dependent(place, k) != dependent || follows_curves(model, joint)) {
                continue;
            }
            size_t at = place.q + k;
            const char *name = c->tree.name[QUANTITY_Q][at];
            scoped char *text = c->q == NULL ? text_format("%s", name)
                                             : text_format("%s = %s", name, position(c, at).text);
            names_add(&list, text);
        }
    }
    names_print(&list, label);
}

void closure_print(const closure *c)
{
    const char *w = closure_is_linear(c) ? "y" : "w";
    if (c->rows > 0) {
        printf("q = M %s + b, %zu × %zu\n", w, c->M.rows, c->M.columns);
    } else {
        printf("q = %s, %s\n", w, counted(c->M.columns, "coordinate").text);
    }
    if (!closure_is_linear(c)) {
        printf("w = the independent joints and the joints that %s make dependent\n",
               td_follower_count(c->tree.model) > 0 ? "loops or curves" : "loops");
    }
    print_columns(c, "independent", false);
    print_columns(c, "by loops", true);
    print_followers(c);
    if (c->rows == 0) {
        return;
    }
    putchar('\n');
    if (c->columns == 0 || c->columns > WIDEST_MATRIX) {
        print_equations(c);
    } else {
        print_picture(c);
    }
}
