/* SPDX-License-Identifier: MIT */
/*
 * Prints the result of tandem calibrate; see calibrate.h.
 */
#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "commands/calibrate.h"
#include "output/csv_output.h"
#include "output/json.h"
#include "output/table.h"
#include "text.h"

enum { WORST_ROWS = 3 };

/* A parameter whose standard error is this part of its prior is not seen by the points. */
static const double unseen = 0.99;

/* ---- residuals ------------------------------------------------------------------------------- */

/* Returns the root mean square of the distances of one point (TD_NONE: all) in one row (TD_NONE:
   all). NaN without any. */
static double distance_of(const row_list *rows, const double *residual, size_t point, size_t row)
{
    const size_t points = rows->points.count;
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < rows->count * points; i++) {
        const double *x = residual + 3 * i;
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if ((point == TD_NONE || i % points == point) && (row == TD_NONE || i / points == row) &&
            isfinite(square)) {
            sum += square;
            count++;
        }
    }
    return count > 0 ? sqrt(sum / (double)count) : (double)NAN;
}

/* Finds the rows with the largest residuals. Returns their number. */
static size_t find_worst(const calibration_report *r, size_t row[WORST_ROWS],
                         double distance[WORST_ROWS])
{
    const size_t points = r->rows->points.count;
    size_t count = 0;
    for (size_t i = 0; i < r->rows->count; i++) {
        row_list one = *r->rows; /* of this row alone */
        one.count = 1;
        const double x = distance_of(&one, r->result->residual + 3 * points * i, TD_NONE, TD_NONE);
        size_t k = count < WORST_ROWS ? count++ : WORST_ROWS;
        for (; k > 0 && x > distance[k - 1]; k--) {
            if (k < WORST_ROWS) {
                distance[k] = distance[k - 1];
                row[k] = row[k - 1];
            }
        }
        if (k < WORST_ROWS) {
            distance[k] = x;
            row[k] = i;
        }
    }
    return count;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *unit_of(const parameter *p)
{
    return p->domain == UNIT_SLIDE ? "m" : p->domain == UNIT_TURN ? "rad" : "";
}

static bool is_seen(const calibration_report *r, size_t k)
{
    return r->result->deviation[k] < unseen * r->parameters->prior[k];
}

static bool is_bounded(const calibration_report *r, size_t k)
{
    return fabs(r->result->change[k]) >= r->parameters->bound[k];
}

/* Computes the changes of the parameters that combination k consists of. The largest one, in
   priors, is 1; small ones are 0. */
static void find_combination(const calibration_report *r, size_t k, double *factor)
{
    static const double least = 0.01; /* in priors */
    const size_t n = r->parameters->count;
    const double *v = r->result->combination + k * n;
    size_t largest = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fabs(v[i]) > fabs(v[largest]) ? i : largest;
    }
    for (size_t i = 0; i < n; i++) {
        const double part = v[i] / v[largest];
        factor[i] =
            fabs(part) < least ? 0 : part * r->parameters->prior[i] / r->parameters->prior[largest];
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_parameters(const calibration_report *r)
{
    const parameter_list *p = r->parameters;
    table t = table_new("llrrrrl");
    static const char *const heading[] = {"parameter", "unit",           "file", "new",
                                          "change",    "standard error", ""};
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t k = 0; k < p->count; k++) {
        const double change = r->result->change[k];
        table_add(&t, "%s", p->at[k].name);
        table_add(&t, "%s", unit_of(&p->at[k]));
        table_add(&t, "%s", number_clear(p->at[k].start).text);
        table_add(&t, "%s", number_place(p->at[k].start + change).text);
        table_add(&t, "%s", number_of_scale(change, p->prior[k]).text);
        table_add(&t, "%s", number_brief(r->result->deviation[k]).text);
        table_add(&t, "%s",
                  is_bounded(r, k) ? "at its bound"
                  : !is_seen(r, k) ? "not seen by the points"
                                   : "");
    }
    putchar('\n');
    table_print(&t, 0);
}

/* Returns x with three digits. */
static double round_factor(double x)
{
    const double unit = pow(10, floor(log10(fabs(x))) - 2);
    return round(x / unit) * unit;
}

/* Prints the combinations of parameters that the points do not determine. */
static void print_unseen(const calibration_report *r)
{
    const parameter_list *p = r->parameters;
    scoped double *factor = allocate(p->count, sizeof *factor);
    printf("\nsingular values ");
    for (size_t k = 0; k < p->count; k++) {
        printf("%s%s", k > 0 ? ", " : "", number_of_scale(r->result->singular[k], 1).text);
    }
    putchar('\n');
    for (size_t k = 0; k < p->count; k++) {
        if (!(r->result->singular[k] < 1)) {
            continue;
        }
        find_combination(r, k, factor);
        printf("not seen        ");
        bool first = true;
        for (size_t i = 0; i < p->count; i++) {
            if (factor[i] != 0) {
                put_term(stdout, first, round_factor(factor[i]), p->at[i].name);
                first = false;
            }
        }
        putchar('\n');
    }
}

static void print_residuals(const calibration_report *r)
{
    const row_list *rows = r->rows;
    table t = table_new("llrr");
    static const char *const heading[] = {"point", "link", "before (m)", "after (m)"};
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++) {
        table_add(&t, "%s", heading[i]);
    }
    for (size_t i = 0; i < rows->points.count; i++) {
        const marker *m = &rows->points.marker[i];
        const double before = distance_of(rows, r->before, i, TD_NONE);
        if (isnan(before)) {
            continue; /* not recorded, as reported */
        }
        table_add(&t, "%s", m->name);
        table_add(&t, "%s", td_link_at(rows->s->model, m->link)->name);
        table_add(&t, "%s", number_place(before).text);
        table_add(&t, "%s", number_place(distance_of(rows, r->result->residual, i, TD_NONE)).text);
    }
    putchar('\n');
    table_print(&t, 0);
    size_t row[WORST_ROWS];
    double distance[WORST_ROWS];
    const size_t worst = find_worst(r, row, distance);
    printf("\nworst rows      ");
    for (size_t k = 0; k < worst; k++) {
        scoped char *text = row_text(rows, row[k]);
        printf("%s%s: %s m", k > 0 ? ", " : "", text, number_place(distance[k]).text);
    }
    putchar('\n');
}

static size_t count_coordinates(const row_list *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < 3 * rows->points.count * rows->count; i++) {
        count += isfinite(rows->recorded[i]) ? 1 : 0;
    }
    return count;
}

void report_print(const calibration_report *r)
{
    const row_list *rows = r->rows;
    printf("recorded        %s, %s\n", counted(rows->count, "row").text,
           counted(count_coordinates(rows), "coordinate").text);
    printf("residual        %s m before, %s m after\n",
           number_place(distance_of(rows, r->before, TD_NONE, TD_NONE)).text,
           number_place(distance_of(rows, r->result->residual, TD_NONE, TD_NONE)).text);
    printf("noise           %s m per coordinate%s\n", number_brief(r->result->noise).text,
           isnan(r->options->noise) ? ", from the residuals" : ", as given");
    print_parameters(r);
    print_unseen(r);
    print_residuals(r);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static cJSON *json_parameters(const calibration_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t k = 0; k < r->parameters->count; k++) {
        const parameter *p = &r->parameters->at[k];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "name", json_text(p->name));
        cJSON_AddItemToObject(one, "unit", json_text(unit_of(p)));
        cJSON_AddItemToObject(one, "before", json_number(p->start));
        cJSON_AddItemToObject(one, "after", json_number(p->start + r->result->change[k]));
        cJSON_AddItemToObject(one, "change", json_number(r->result->change[k]));
        cJSON_AddItemToObject(one, "standard_error", json_number(r->result->deviation[k]));
        cJSON_AddItemToObject(one, "prior", json_number(r->parameters->prior[k]));
        cJSON_AddItemToObject(one, "bound", json_number(r->parameters->bound[k]));
        cJSON_AddItemToObject(one, "bounded", cJSON_CreateBool(is_bounded(r, k)));
        cJSON_AddItemToObject(one, "seen", cJSON_CreateBool(is_seen(r, k)));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static cJSON *json_unseen(const calibration_report *r)
{
    const size_t n = r->parameters->count;
    scoped double *factor = allocate(n, sizeof *factor);
    cJSON *list = cJSON_CreateArray();
    for (size_t k = 0; k < n; k++) {
        if (!(r->result->singular[k] < 1)) {
            continue;
        }
        cJSON *one = cJSON_CreateObject();
        find_combination(r, k, factor);
        for (size_t i = 0; i < n; i++) {
            if (factor[i] != 0) {
                cJSON_AddItemToObject(one, r->parameters->at[i].name, json_number(factor[i]));
            }
        }
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddItemToObject(entry, "values", one);
        cJSON_AddItemToArray(list, entry);
    }
    return list;
}

static cJSON *json_residuals(const calibration_report *r)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < r->rows->points.count; i++) {
        const marker *m = &r->rows->points.marker[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "name", json_text(m->name));
        cJSON_AddItemToObject(one, "link", json_text(td_link_at(r->rows->s->model, m->link)->name));
        cJSON_AddItemToObject(one, "before",
                              json_number(distance_of(r->rows, r->before, i, TD_NONE)));
        cJSON_AddItemToObject(one, "after",
                              json_number(distance_of(r->rows, r->result->residual, i, TD_NONE)));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

static cJSON *json_worst(const calibration_report *r)
{
    cJSON *list = cJSON_CreateArray();
    size_t row[WORST_ROWS];
    double distance[WORST_ROWS];
    const size_t worst = find_worst(r, row, distance);
    for (size_t k = 0; k < worst; k++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToObject(one, "table", json_text(r->rows->tables[row[k]]));
        cJSON_AddItemToObject(one, "row", json_count(r->rows->number[row[k]]));
        cJSON_AddItemToObject(one, "t", json_number(r->rows->t[row[k]]));
        cJSON_AddItemToObject(one, "residual", json_number(distance[k]));
        cJSON_AddItemToArray(list, one);
    }
    return list;
}

void report_print_json(const calibration_report *r)
{
    const row_list *rows = r->rows;
    cJSON *root = json_root(td_model_name(rows->s->model));
    cJSON_AddItemToObject(root, "row_count", json_count(rows->count));
    cJSON_AddItemToObject(root, "coordinate_count", json_count(count_coordinates(rows)));
    cJSON_AddItemToObject(root, "before",
                          json_number(distance_of(rows, r->before, TD_NONE, TD_NONE)));
    cJSON_AddItemToObject(root, "after",
                          json_number(distance_of(rows, r->result->residual, TD_NONE, TD_NONE)));
    cJSON_AddItemToObject(root, "noise", json_number(r->result->noise));
    cJSON_AddItemToObject(root, "converged", cJSON_CreateBool(r->result->converged));
    cJSON_AddItemToObject(root, "parameters", json_parameters(r));
    cJSON_AddItemToObject(root, "singular_values",
                          json_numbers(r->result->singular, r->parameters->count));
    cJSON_AddItemToObject(root, "unseen", json_unseen(r));
    cJSON_AddItemToObject(root, "points", json_residuals(r));
    cJSON_AddItemToObject(root, "worst_rows", json_worst(r));
    cJSON_AddItemToObject(root, "output", json_text(r->options->output));
    json_print(root, false);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

char *report_residuals(const calibration_report *r)
{
    const row_list *rows = r->rows;
    const size_t points = rows->points.count;
    const bool several = r->options->recorded.count > 1;
    text_stream to;
    text_open(&to);
    csv_line line = {false, to.stream};
    csv_cell(&line, "t");
    if (several) {
        csv_cell(&line, "table");
    }
    csv_cell(&line, "row");
    for (size_t i = 0; i < points; i++) {
        csv_cell(&line, rows->points.marker[i].name);
    }
    csv_end(&line);
    for (size_t row = 0; row < rows->count; row++) {
        const double position = (double)rows->number[row];
        csv_numbers(&line, &rows->t[row], 1);
        if (several) {
            csv_cell(&line, rows->tables[row]);
        }
        csv_numbers(&line, &position, 1);
        for (size_t i = 0; i < points; i++) {
            const double *x = r->result->residual + 3 * (row * points + i);
            const double distance = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            csv_numbers(&line, &distance, 1);
        }
        csv_end(&line);
    }
    return text_close(&to);
}

/* ---- warnings -------------------------------------------------------------------------------- */

/* Reports residuals that the noise does not explain even after the fit. */
static void tell_residuals(const calibration_report *r)
{
    const row_list *rows = r->rows;
    const double noise = marker_noise_level(&rows->noise);
    size_t worst = 0;
    double largest = -1;
    for (size_t i = 0; i < rows->points.count; i++) {
        const double x = distance_of(rows, r->result->residual, i, TD_NONE);
        worst = x > largest ? i : worst;
        largest = fmax(largest, x);
    }
    if (is_misfit(r->result->found, noise)) {
        tell_misfit(r->result->found, noise, rows->points.marker[worst].name, largest,
                    "choose more parameters: --origin, --axis, --marker");
    }
}

int report_tell(const calibration_report *r)
{
    int code = EXIT_GOOD;
    tell_residuals(r);
    for (size_t k = 0; k < r->parameters->count; k++) {
        if (is_bounded(r, k)) {
            complain("parameter '%s' is at its bound, %s %s from the file (--bound, --prior)",
                     r->parameters->at[k].name, number_brief(r->parameters->bound[k]).text,
                     unit_of(&r->parameters->at[k]));
            code = EXIT_NEGATIVE;
        }
    }
    if (!r->result->converged) {
        complain("the fit did not converge in %zu steps", r->result->steps);
        code = EXIT_NEGATIVE;
    }
    return code;
}
