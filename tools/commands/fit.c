/* SPDX-License-Identifier: MIT */
/*
 * tandem fit: fits the curve by which one joint of a recorded table follows another, by least
 * squares. Prints it as an XML element for the robot's file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/base/spline.h"
#include "command.h"
#include "input/option_value.h"
#include "input/units.h"
#include "input/value.h"
#include "options.h"
#include "output/help_page.h"
#include "output/json.h"
#include "output/plot.h"
#include "text.h"

enum {
    MOST_DEGREE = 15,
    MOST_POINTS = 1000,
};

typedef struct fit_options {
    const char *table, *joint, *leader;
    const char *name;      /* the table's name in messages */
    size_t degree, points; /* points = 0: a polynomial */
    double period;         /* of a periodic spline; NaN: none */
    bool json;
} fit_options;

/* ---- options --------------------------------------------------------------------------------- */

static void read_count(const command_option *o, char *text, command_line *line)
{
    const size_t least = strcmp(o->name, "spline") == 0 ? 3 : 0;
    double x;
    if (!parse_number(text, &x) || x != floor(x) || x < (double)least || x > (double)o->number) {
        option_error(line, "--%s must be a number from %zu to %zu, not '%s'", o->name, least,
                     o->number, text);
    }
    *(size_t *)option_place(o, line) = (size_t)x;
}

static void read_period(const command_option *o, char *text, command_line *line)
{
    double *period = option_place(o, line);
    if (!(read_quantities(text, UNIT_TURN, 0, 1, period) ||
          read_quantities(text, UNIT_SLIDE, 0, 1, period)) ||
        !(*period > 0)) {
        option_error(line, "--period must be a positive number, not '%s'", text);
    }
}

static void check(command_line *line)
{
    const fit_options *o = line->options;
    if (o->joint == NULL || o->leader == NULL) {
        option_error(line, "--joint or --leader is missing: name the follower and the joint that "
                           "it follows");
    } else if (strcmp(o->joint, o->leader) == 0) {
        option_error(line, "--joint and --leader are the same joint; a joint cannot follow itself");
    } else if (!isnan(o->period) && o->points == 0) {
        option_error(line, "--period requires --spline");
    }
}

#define AT(member) .at = offsetof(fit_options, member)

static const command_option command_rows[] = {
    {"joint", "NAME", "Fit this joint, which follows: the column NAME or q:NAME", option_text,
     AT(joint)},
    {"leader", "NAME", "Let it follow this joint: the column NAME or q:NAME", option_text,
     AT(leader)},
    {"degree", "N", "Fit a polynomial of this degree, up to 15 (default 3)", read_count, AT(degree),
     .number = MOST_DEGREE},
    {"spline", "POINTS",
     "Fit a natural cubic spline with this many knots, evenly spaced over the recorded range",
     read_count, AT(points), .number = MOST_POINTS},
    {"period", "X",
     "Make the spline periodic with period X, rad or m (360deg for a continuous joint)",
     read_period, AT(period)},
    {"json", NULL, "Print JSON instead of the element", option_flag, AT(json)},
    {0},
};
static const option_argument arguments[] = {
    {"TABLE", AT(table), "the TABLE is missing ('-' is standard input)", "more than one TABLE",
     .takes = NULL},
    {0},
};
const option_set options_of_fit = {
    .rows = command_rows,
    .usage = "TABLE",
    .arguments = arguments,
    .check = check,
    .about =
        "Fit the curve by which one joint follows another to a recorded CSV table ('-' is standard "
        "input) by least squares. Print the <mimic> element for the joint, with the error of the "
        "fit. "
        "Positions are in rad and m, or in the unit given in the heading, as in 'finger [deg]'; "
        "the "
        "element is in rad and m.\vExamples:\n  tandem fit run.csv --joint finger_tip --leader "
        "finger_base\n  tandem fit cam.csv --joint lift --leader cam --spline 24 --period "
        "6.283185307179586",
    .parts = {&common_set}};

/* ---- the recording --------------------------------------------------------------------------- */

/* Rows in which the positions of both joints are given. */
typedef struct samples {
    size_t rows, left_out;
    double *x, *y;
    double low, high; /* of x */
} samples;

/* Returns the joint's name: the column's name without the unit and "q:". */
static char *joint_name(const char *column)
{
    size_t length;
    unit_of_heading(column, &length);
    const size_t prefix = strncmp(column, "q:", 2) == 0 ? 2 : 0;
    return text_format("%.*s", (int)(length - prefix), column + prefix);
}

/* Finds the unit of a column of positions, NULL if the heading gives none. Prints a message and
   returns false for an unknown unit or one that is not for positions. */
static bool position_unit(const char *column, const char *path, const value_unit **unit)
{
    size_t length;
    char *const word = unit_word_of_heading(column, &length);
    *unit = word != NULL ? unit_find(word) : NULL;
    const bool good =
        word == NULL || (*unit != NULL && (*unit)->order == 0 &&
                         ((*unit)->domain == UNIT_TURN || (*unit)->domain == UNIT_SLIDE));
    if (!good) {
        char *const clean = text_clean(column), *const clean_word = text_clean(word);
        char *const turns = unit_words_of(UNIT_TURN, 0), *const slides =
                                                             unit_words_of(UNIT_SLIDE, 0);
        complain("%s: column '%s': positions are in %s, or %s, not '%s'", path, clean, turns,
                 slides, clean_word);
        free(clean), free(clean_word), free(turns), free(slides);
    }
    free(word);
    return good;
}

/* Returns the column of a joint in rad or m, in a new array. Prints a message and returns NULL on
   failure. */
static double *find_column(const plot_table *t, const char *joint, const char *path)
{
    size_t found = t->columns;
    for (size_t i = 0; i < t->columns; i++) {
        char *const name = joint_name(t->name[i]);
        const bool same = strcmp(name, joint) == 0;
        free(name);
        if (same && found < t->columns) {
            char *const one = text_clean(t->name[found]), *const other = text_clean(t->name[i]);
            complain("%s: columns '%s' and '%s' both give '%s'; remove one", path, one, other,
                     joint);
            free(one), free(other);
            return NULL;
        }
        found = same ? i : found;
    }
    const value_unit *unit;
    if (found == t->columns) {
        char *const clean = text_clean(joint);
        complain("%s: no column '%s' or 'q:%s'", path, clean, clean);
        free(clean);
        return NULL;
    }
    if (!position_unit(t->name[found], path, &unit)) {
        return NULL;
    }
    double *const value = allocate(t->rows, sizeof *value);
    for (size_t i = 0; i < t->rows; i++) {
        value[i] = t->value[found][i] * (unit != NULL ? unit->size : 1);
    }
    return value;
}

static bool find_samples(const plot_table *t, const fit_options *o, samples *s)
{
    double *x = find_column(t, o->leader, o->name), *y = find_column(t, o->joint, o->name);
    const bool good = x != NULL && y != NULL;
    *s = (samples){.x = x, .y = y, .low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; good && i < t->rows; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            s->left_out++;
            continue;
        }
        x[s->rows] = x[i], y[s->rows] = y[i]; /* rows ≤ i */
        s->low = fmin(s->low, x[s->rows]), s->high = fmax(s->high, x[s->rows]);
        s->rows++;
    }
    if (!good) {
        free(x), free(y);
    }
    return good;
}

/* ---- least squares --------------------------------------------------------------------------- */

/* Minimizes ‖A x − b‖ for x (n) by Householder reflections. Overwrites A (m × n, row-major) and b
   (m). Returns false if A is rank-deficient. */
static bool solve_least_squares(size_t m, size_t n, double *A, double *b, double *x)
{
    double largest = 0;
    for (size_t j = 0; j < n; j++) {
        double square = 0, sum = 0;
        for (size_t i = j; i < m; i++) {
            square += A[i * n + j] * A[i * n + j];
        }
        const double size = sqrt(square), alpha = A[j * n + j] > 0 ? -size : size;
        largest = fmax(largest, size);
        if (!(size > 1e-11 * largest)) {
            return false;
        }
        A[j * n + j] -= alpha; /* v, where ‖v‖² = 2 (‖a‖² − α a_j) */
        const double half = size * size - alpha * (A[j * n + j] + alpha);
        for (size_t k = j + 1; k <= n; k++) { /* the n-th column is b */
            double *column = k < n ? A + k : b;
            const size_t apart = k < n ? n : 1;
            sum = 0;
            for (size_t i = j; i < m; i++) {
                sum += A[i * n + j] * column[i * apart];
            }
            for (size_t i = j; i < m; i++) {
                column[i * apart] -= sum / half * A[i * n + j];
            }
        }
        x[j] = alpha; /* the diagonal of R */
    }
    for (size_t j = n; j-- > 0;) {
        double sum = b[j];
        for (size_t k = j + 1; k < n; k++) {
            sum -= A[j * n + k] * x[k];
        }
        x[j] = sum / x[j];
    }
    return true;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The fitted curve: polynomial coefficients in ascending order, or points of a spline. */
typedef struct fit {
    size_t count;
    double *at, *value; /* at = NULL: values are coefficients */
    double *slope;      /* at the points */
} fit;

/* Returns the number of unknowns. The last point of a periodic spline repeats the first. */
static size_t unknowns(const fit_options *o)
{
    return o->points ? o->points - (isnan(o->period) ? 0 : 1) : o->degree + 1;
}

static double polynomial_at(const fit *f, double x)
{
    double sum = 0;
    for (size_t k = f->count; k-- > 0;) {
        sum = sum * x + f->value[k];
    }
    return sum;
}

/* Fits in z = (x − middle)/half, whose powers are well-conditioned, then converts to powers of x.
 */
static bool fit_polynomial(const samples *s, const fit_options *o, fit *f)
{
    const size_t n = o->degree + 1;
    const double middle = 0.5 * (s->low + s->high), half = 0.5 * (s->high - s->low);
    double *A = allocate(s->rows * n, sizeof *A), *b = allocate(s->rows, sizeof *b);
    double scaled[MOST_DEGREE + 1], shifted[MOST_DEGREE + 1] = {0};
    for (size_t i = 0; i < s->rows; i++) {
        double power = 1;
        for (size_t k = 0; k < n; k++, power *= (s->x[i] - middle) / half) {
            A[i * n + k] = power;
        }
        b[i] = s->y[i];
    }
    const bool good = half > 0 && solve_least_squares(s->rows, n, A, b, scaled);
    for (size_t k = n; good && k-- > 0;) { /* Horner's scheme: shifted · z + scaled[k] */
        double next[MOST_DEGREE + 1] = {0};
        for (size_t i = 0; i < n; i++) {
            next[i] -= middle / half * shifted[i];
            if (i + 1 < n) {
                next[i + 1] += shifted[i] / half;
            }
        }
        next[0] += scaled[k];
        memcpy(shifted, next, sizeof next);
    }
    f->count = n;
    f->value = allocate(n, sizeof *f->value);
    memcpy(f->value, shifted, n * sizeof *f->value);
    free(A), free(b);
    return good;
}

/* Returns the piece that contains x: the last one that begins at or before x. */
static size_t piece_of(const fit *f, double x)
{
    size_t low = 0, high = f->count - 1;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(x < f->at[middle] ? &high : &low) = middle;
    }
    return low;
}

/* Returns x, wrapped into the range of the points if the spline is periodic. */
static double within(const fit *f, const fit_options *o, double x)
{
    return isnan(o->period) ? x : x - o->period * floor((x - f->at[0]) / o->period);
}

static double spline_at(const fit *f, const fit_options *o, double x)
{
    x = within(f, o, x);
    const size_t i = piece_of(f, x);
    double c[TD_SPLINE_POWERS];
    const double h = f->at[i + 1] - f->at[i], z = x - f->at[i];
    td_spline_piece(3, h, f->value + i, f->slope + i, NULL, c);
    return c[0] + z * (c[1] + z * (c[2] + z * c[3]));
}

/* Fits the values at the points. The spline is linear in them: column k of A is a spline with value
   1 at point k and 0 at the others. */
static bool fit_spline(const samples *s, const fit_options *o, fit *f)
{
    const bool periodic = !isnan(o->period);
    const size_t n = o->points, unknown = unknowns(o);
    const td_spline_ends ends = periodic ? TD_SPLINE_PERIODIC : TD_SPLINE_NATURAL;
    f->count = n;
    f->at = allocate(n, sizeof *f->at);
    f->value = allocate(n, sizeof *f->value);
    f->slope = allocate(n, sizeof *f->slope);
    const double length = periodic ? o->period : s->high - s->low;
    for (size_t k = 0; k < n; k++) {
        f->at[k] = s->low + length * (double)k / (double)(n - 1);
    }
    if (!(length > 0)) {
        return false;
    }
    double *A = allocate(s->rows * unknown, sizeof *A), *b = allocate(s->rows, sizeof *b);
    bool good = true;
    for (size_t k = 0; k < unknown && good; k++) {
        memset(f->value, 0, n * sizeof *f->value);
        f->value[k] = 1;
        if (periodic && k == 0) {
            f->value[n - 1] = 1;
        }
        good = td_spline_derivatives(3, ends, n, f->at, f->value, f->slope, NULL);
        for (size_t i = 0; i < s->rows && good; i++) {
            A[i * unknown + k] = spline_at(f, o, s->x[i]);
        }
    }
    memcpy(b, s->y, s->rows * sizeof *b);
    good = good && solve_least_squares(s->rows, unknown, A, b, f->value);
    if (periodic) {
        f->value[n - 1] = f->value[0];
    }
    free(A), free(b);
    return good && td_spline_derivatives(3, ends, n, f->at, f->value, f->slope, NULL);
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct fit_error {
    double rms, largest, at;
} fit_error;

static fit_error error_of(const samples *s, const fit_options *o, const fit *f)
{
    fit_error e = {0, 0, s->x[0]};
    double square = 0;
    for (size_t i = 0; i < s->rows; i++) {
        const double found = f->at ? spline_at(f, o, s->x[i]) : polynomial_at(f, s->x[i]);
        const double miss = fabs(found - s->y[i]);
        square += miss * miss;
        if (miss > e.largest) {
            e.largest = miss, e.at = s->x[i];
        }
    }
    e.rms = sqrt(square / (double)s->rows);
    return e;
}

/* Prints text as the value of an XML attribute. */
static void put_escaped(const char *text)
{
    char *const clean = text_clean(text);
    for (const char *c = clean; *c; c++) {
        if (*c == '&') {
            fputs("&amp;", stdout);
        } else if (*c == '<') {
            fputs("&lt;", stdout);
        } else if (*c == '"') {
            fputs("&quot;", stdout);
        } else {
            putchar(*c);
        }
    }
    free(clean);
}

static void put_list(const char *name, size_t n, const double *x)
{
    printf(" %s=\"", name);
    for (size_t i = 0; i < n; i++) {
        printf("%s%s", i ? " " : "", number_exact(x[i]).text);
    }
    printf("\"");
}

static void print_element(const samples *s, const fit_options *o, const fit *f, const fit_error *e)
{
    printf("<!-- %zu rows, leader from %s to %s; error %s rms, at most %s where it is %s -->\n",
           s->rows, number_brief(s->low).text, number_brief(s->high).text,
           number_brief(e->rms).text, number_brief(e->largest).text, number_brief(e->at).text);
    printf("<mimic joint=\"");
    put_escaped(o->leader);
    printf("\"");
    if (f->at == NULL) {
        const double range[] = {s->low, s->high};
        put_list("polycoef", f->count, f->value);
        put_list("range", 2, range);
        printf("/>\n");
        return;
    }
    printf(">\n  <curve type=\"spline\" degree=\"3\" ends=\"%s\"",
           isnan(o->period) ? "natural" : "periodic");
    put_list("at", f->count, f->at);
    put_list("value", f->count, f->value);
    printf("/>\n</mimic>\n");
}

static void print_json(const samples *s, const fit_options *o, const fit *f, const fit_error *e)
{
    cJSON *root = json_root(NULL);
    cJSON_AddItemToObject(root, "joint", json_text(o->joint));
    cJSON_AddItemToObject(root, "leader", json_text(o->leader));
    cJSON_AddItemToObject(root, "form", json_text(f->at ? "spline" : "polynomial"));
    if (f->at) {
        cJSON_AddItemToObject(root, "ends", json_text(isnan(o->period) ? "natural" : "periodic"));
        cJSON_AddItemToObject(root, "at", json_numbers(f->at, f->count));
        cJSON_AddItemToObject(root, "value", json_numbers(f->value, f->count));
    } else {
        cJSON_AddItemToObject(root, "coefficients", json_numbers(f->value, f->count));
    }
    const double range[] = {s->low, s->high};
    cJSON_AddItemToObject(root, "range", json_numbers(range, 2));
    cJSON_AddItemToObject(root, "row_count", json_count(s->rows));
    cJSON_AddItemToObject(root, "rms", json_number(e->rms));
    cJSON_AddItemToObject(root, "largest", json_number(e->largest));
    cJSON_AddItemToObject(root, "largest_at", json_number(e->at));
    json_print(root, false);
}

static int fit_table(const fit_options *o, const plot_table *t)
{
    samples s;
    if (!find_samples(t, o, &s)) {
        return EXIT_FILE;
    }
    fit f = {.at = NULL};
    int code = EXIT_FILE;
    const size_t unknown = unknowns(o);
    if (s.rows < unknown) {
        complain("%s: %zu rows have both joints, too few for %zu coefficients", o->name, s.rows,
                 unknown);
    } else if (!(o->points ? fit_spline(&s, o, &f) : fit_polynomial(&s, o, &f))) {
        complain("%s: leader positions from %s to %s do not determine %zu coefficients; use %s",
                 o->name, number_brief(s.low).text, number_brief(s.high).text, unknown,
                 o->points ? "fewer points" : "a lower degree");
    } else {
        const fit_error e = error_of(&s, o, &f);
        if (s.left_out) {
            tell_note("%s: %s skipped: the position of a joint is missing", o->name,
                      counted(s.left_out, "row").text);
        }
        (o->json ? print_json : print_element)(&s, o, &f, &e);
        code = EXIT_GOOD;
    }
    free(s.x), free(s.y);
    free(f.at), free(f.value), free(f.slope);
    return code;
}

int command_fit(int argc, char **argv)
{
    fit_options o = {.degree = 3, .period = NAN};
    parse_words(&options_of_fit, argc, argv, &o);
    char *const joint = joint_name(o.joint), *const leader = joint_name(o.leader);
    o.joint = joint, o.leader = leader;
    o.name = strcmp(o.table, "-") == 0 ? "<stdin>" : o.table;
    plot_table t = {.columns = 0};
    const int code = plot_table_read(&t, o.table) ? fit_table(&o, &t) : (int)EXIT_FILE;
    plot_table_free(&t);
    free(joint), free(leader);
    return code;
}
