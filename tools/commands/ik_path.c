/* SPDX-License-Identifier: MIT */
/*
 * A path through poses, see ik.h: from each row to the next the positions of joints are followed in
 * steps that are short enough for each to begin where the one before it ended. Where that comes to
 * an end, at limits or where the robot would have to change its branch, the row is a jump.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/ik.h"
#include "text.h"

enum { TOLD = 10 };

static const double longest_step = 0.1;         /* of a joint: rad or m */
static const double shortest_part = 1.0 / 1024; /* of the way between two rows */
static const double singular_ratio = 0.01;      /* of the least and the largest singular value */

ik_path ik_path_new(const session *s, const coordinates *c, const ik_options *options, td_ik *ik)
{
    const size_t size = c->size[QUANTITY_Q], count = td_ik_target_count(ik);
    return (ik_path){.s = s,
                     .c = c,
                     .options = options,
                     .ik = ik,
                     .count = count,
                     .from = allocate(count, sizeof(double)),
                     .between = allocate(count, sizeof(double)),
                     .y = allocate(size, sizeof(double)),
                     .next = allocate(size, sizeof(double))};
}

void ik_path_free(ik_path *p)
{
    free(p->from);
    free(p->between);
    free(p->y);
    free(p->next);
}

/* ---- between two rows ------------------------------------------------------------------------ */

/* Unit quaternions between two, the shorter way; n: 4, or 3 for directions, as unit vectors. */
static void turn_between(const double *a, const double *b, size_t n, double part, double *x)
{
    double dot = 0, square = 0, length[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        length[0] += a[i] * a[i];
        length[1] += b[i] * b[i];
        dot += a[i] * b[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double sign = n == 4 && dot < 0 ? -1 : 1;
        x[i] = (1 - part) * sign * a[i] / sqrt(length[0]) + part * b[i] / sqrt(length[1]);
        square += x[i] * x[i];
    }
    for (size_t i = 0; i < n && square > 0; i++) {
        x[i] /= sqrt(square);
    }
}

/* The targets at that part of the way to those of the next row. */
static void targets_between(const ik_path *p, const double *to, double part)
{
    const double *a = p->from, *b = to;
    double *x = p->between;
    for (size_t g = 0; g < p->options->goals; g++) {
        const link_goal *goal = &p->options->goal[g];
        const size_t lengths = goal->pose || goal->position ? 3 : 0, turns = goal->pose ? 4 : 0;
        const size_t directions = goal->pointing ? 3 : 0;
        for (size_t i = 0; i < lengths; i++) {
            x[i] = (1 - part) * a[i] + part * b[i];
        }
        if (turns > 0) {
            turn_between(a + lengths, b + lengths, turns, part, x + lengths);
        }
        if (directions > 0) {
            turn_between(a + lengths, b + lengths, directions, part, x + lengths);
        }
        const size_t all = lengths + turns + directions;
        a += all;
        b += all;
        x += all;
    }
}

/* The largest change of a position, and whose it is. */
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

/* Moves p->y along the way as far as it can be followed. Whether this is all of it. */
static bool follow(ik_path *p, const double *to)
{
    const size_t bytes = p->c->size[QUANTITY_Q] * sizeof *p->y;
    double done = 0, step = 1;
    while (done < 1) {
        step = step > 1 - done ? 1 - done : step;
        const double part = step < 1 - done ? done + step : 1;
        td_ik_result result = {.size_of = sizeof result};
        size_t whose;
        targets_between(p, to, part);
        const td_status status =
            td_ik_solve(p->ik, p->s->workspace, p->between, p->y, p->next, NULL, &result);
        const bool near = status == TD_OK && result.status == TD_IK_REACHED && result.starts <= 1 &&
                          change(p->c, p->y, p->next, &whose) <= longest_step;
        if (near) {
            memcpy(p->y, p->next, bytes);
            done = part;
            step *= 2;
        } else if ((step /= 2) < shortest_part) {
            return false;
        }
    }
    return true;
}

/* ---- singular postures ----------------------------------------------------------------------- */

/* The eigenvalues of a symmetric matrix (n × n, overwritten), descending: rotations of Jacobi. */
static void eigenvalues(double *a, size_t n, double *value)
{
    enum { SWEEPS = 30 };
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t i = 0; i + 1 < n; i++) {
            for (size_t j = i + 1; j < n; j++) {
                if (a[i * n + j] == 0) {
                    continue;
                }
                const double angle = 0.5 * atan2(2 * a[i * n + j], a[j * n + j] - a[i * n + i]);
                const double c = cos(angle), s = sin(angle);
                for (size_t k = 0; k < n; k++) { /* columns, then rows */
                    const double x = a[k * n + i], y = a[k * n + j];
                    a[k * n + i] = c * x - s * y;
                    a[k * n + j] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    const double x = a[i * n + k], y = a[j * n + k];
                    a[i * n + k] = c * x - s * y;
                    a[j * n + k] = s * x + c * y;
                }
            }
        }
    }
    for (size_t i = 0; i < n; i++) { /* by insertion */
        size_t k = i;
        for (; k > 0 && value[k - 1] < a[i * n + i]; k--) {
            value[k] = value[k - 1];
        }
        value[k] = a[i * n + i];
    }
}

/* Rows of the goals' Jacobian at y: of positions (m) and turns (rad); of an axis what is across it.
   Returns their number in J (6 × goals rows of nyd), *rank that of independent ones. */
static size_t jacobian(const ik_path *p, const double *y, double *J, size_t *rank)
{
    const size_t n = p->c->size[QUANTITY_QD];
    double *link = allocate(6 * n, sizeof *link);
    size_t rows = 0;
    *rank = 0;
    for (size_t g = 0; g < p->options->goals; g++) {
        const link_goal *goal = &p->options->goal[g];
        if (td_link_jacobian(p->s->model, p->s->workspace, goal->index, goal->point, y,
                             TD_WORLD_ALIGNED, link) != TD_OK) {
            continue;
        }
        const size_t turned = goal->pose ? 3 : goal->pointing ? 2 : 0;
        const size_t moved = goal->pose || goal->position ? 3 : 0;
        const double *d = goal->direction;
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (size_t i = 0; i < 3 && turned > 0; i++, rows++) {
            for (size_t k = 0; k < n; k++) {
                const double along =
                    goal->pose ? 0 : (d[0] * link[k] + d[1] * link[n + k] + d[2] * link[2 * n + k]);
                J[rows * n + k] = link[i * n + k] - (goal->pose ? 0 : along * d[i] / square);
            }
        }
        for (size_t i = 3; i < 6 && moved > 0; i++, rows++) {
            memcpy(J + rows * n, link + i * n, n * sizeof *J);
        }
        *rank += turned + moved;
    }
    free(link);
    return rows;
}

/* The largest singular value of the Jacobian at y, and the least of those that a regular posture
   has above zero. */
static void singular_values(const ik_path *p, const double *y, double *least, double *most)
{
    const size_t n = p->c->size[QUANTITY_QD], most_rows = 6 * p->options->goals;
    double *J = allocate(most_rows * n, sizeof *J);
    size_t rank, rows = jacobian(p, y, J, &rank), moving = 0;
    double *square = allocate(rows * rows, sizeof *square), *value = allocate(rows, sizeof *value);
    for (size_t k = 0; k < n; k++) {
        double norm = 0;
        for (size_t i = 0; i < rows; i++) {
            norm = fmax(norm, fabs(J[i * n + k]));
        }
        moving += norm > 0;
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < rows; j++) {
            for (size_t k = 0; k < n; k++) {
                square[i * rows + j] += J[i * n + k] * J[j * n + k];
            }
        }
    }
    rank = moving < rank ? moving : rank;
    eigenvalues(square, rows, value);
    *most = rank > 0 ? sqrt(fmax(0, value[0])) : 0;
    *least = rank > 0 ? sqrt(fmax(0, value[rank - 1])) : 0;
    free(J);
    free(square);
    free(value);
}

/* Ends a singular passage, if there is one, with a line on it. */
static void end_passage(ik_path *p)
{
    if (p->first == 0) {
        return;
    }
    if (p->passages++ < TOLD) {
        char *rows = p->first == p->row ? text_format("row %zu is", p->first)
                                        : text_format("rows %zu to %zu are", p->first, p->row);
        complain("%s near a singular posture: the least singular value is %s at row %zu, the "
                 "largest %s",
                 rows, number_brief(p->least).text, p->nearest, number_brief(p->most).text);
        free(rows);
    }
    p->first = 0;
}

static void watch(ik_path *p, size_t row, const double *y)
{
    double least, most;
    singular_values(p, y, &least, &most);
    if (!(least < singular_ratio * most)) {
        end_passage(p);
        return;
    }
    if (p->first == 0 || least < p->least) {
        p->least = least;
        p->most = most;
        p->nearest = row;
    }
    p->first = p->first == 0 ? row : p->first;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void tell_jump(ik_path *p, size_t row, const double *before, const double *y)
{
    size_t whose;
    const double size = change(p->c, before, y, &whose);
    if (p->jumps++ < TOLD) {
        complain("row %zu: '%s' jumps by %s: the way from row %zu cannot be followed", row,
                 p->c->name[QUANTITY_Q][whose], number_brief(size).text, p->row);
    }
}

td_status ik_path_row(ik_path *p, size_t row, const double *target, double *y, bool *reached)
{
    const size_t bytes = p->c->size[QUANTITY_Q] * sizeof *y;
    td_ik_result result = {.size_of = sizeof result};
    td_status status = TD_OK;
    double *before = allocate(p->c->size[QUANTITY_Q], sizeof *before);
    memcpy(before, p->begun ? p->y : y, bytes);
    if (p->begun && follow(p, target)) {
        *reached = true;
        memcpy(y, p->y, bytes);
    } else {
        status = td_ik_solve(p->ik, p->s->workspace, target, before, y, NULL, &result);
        *reached = status == TD_OK && result.status == TD_IK_REACHED;
        if (p->begun && *reached) {
            tell_jump(p, row, before, y);
        }
    }
    memcpy(p->y, *reached ? y : before, bytes);
    if (*reached) {
        watch(p, row, y);
        memcpy(p->from, target, p->count * sizeof *target);
        p->begun = true;
        p->row = row;
    }
    free(before);
    return status;
}

bool ik_path_end(ik_path *p)
{
    end_passage(p);
    if (p->jumps > TOLD) {
        complain("%zu more jumps", p->jumps - TOLD);
    }
    return p->jumps == 0;
}
